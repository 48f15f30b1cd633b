/* Files of which not all is there yet.
 *
 * Bytes are taken block by block (formats/arrival.h) into the same arrays that a whole file
 * has, and trees grow with their nodes (formats/part.h): a query on what is there answers as
 * far as it can. Once all has arrived the file is verified as a whole and is like any other. A
 * rule that is broken on the way makes trees boxes, for good: no node that was not checked is
 * ever visited. */
#include "../../formats/arrival.h"
#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "opening.h"
#include "../base/tree.h"

#include <string.h>

struct kiln_arriving {
    kiln_arrival arrival;
    bool trusted;
    kiln_format_error broken; /* a rule, for good; code 0: none */
    kiln_part parts[1];       /* as many as the file has trees */
};

/* A rule is broken: trees are boxes from now on. */
static bool give_up(kiln_file *file, const kiln_format_error *format_error)
{
    KILN_ASSERT(file->arriving != NULL);
    KILN_ASSERT(format_error->code != 0);
    file->arriving->broken = *format_error;
    for (uint32_t i = 0; i < file->tree_count; i++) {
        file->arriving->parts[i].nodes = 0;
    }
    return false;
}

/* All is there: it is verified as a whole, and the trees lead to all of it. */
static bool complete(kiln_file *file, kiln_format_error *format_error)
{
    kiln_view view;
    KILN_ASSERT(file->arriving != NULL);
    for (uint32_t i = 0; i < file->tree_count; i++) {
        /* Growing trees leave marks in the flags of their nodes; these are cleared before the
         * whole is verified, so that the verifier sees what the file says. */
        kiln_part_end(&file->trees[i].view);
    }
    if (!kiln_view_open(&view, &file->reader, file->arriving->trusted, format_error)) {
        return give_up(file, format_error);
    }
    file->view = view;
    kiln_opening_fill_trees(file);
    for (uint32_t i = 0; i < file->tree_count; i++) {
        file->trees[i].part = NULL;
    }
    kiln_opening_release_arriving(file);
    return true;
}

/* Takes what is there, and lets trees grow. False: *format_error says why it does not go on. */
static bool advance(kiln_file *file, const void *data, size_t available,
                    kiln_format_error *format_error)
{
    struct kiln_arriving *arriving = file->arriving;
    kiln_format_error rule;
    memset(format_error, 0, sizeof *format_error);
    if (arriving == NULL) {
        return true;
    }
    /* A rule that was broken stays broken: bytes that come later can't mend what was read already.
     */
    if (arriving->broken.code != 0) {
        *format_error = arriving->broken;
        return false;
    }
    /* A failure to take more bytes doesn't keep trees from growing over what had arrived before
     * it. */
    const bool taken =
        kiln_arrival_take(&arriving->arrival, &file->reader, data, available, format_error);
    for (uint32_t i = 0; i < file->tree_count; i++) {
        const kiln_view_tree *tree = &file->trees[i].view;
        if (!kiln_part_grow(&arriving->parts[i], &file->view, tree,
                            kiln_part_arrived(&file->view, tree), &rule)) {
            *format_error = rule;
            return give_up(file, &rule);
        }
    }
    if (taken && kiln_arrival_is_whole(&arriving->arrival, &file->reader)) {
        return complete(file, format_error);
    }
    return taken;
}

/* ---------------------------------------------------------------------------------- opening -- */

/* Takes what is there. Fewer bytes than the directory of trees needs are an error that says how
 * many are wanted; from there on every file opens, with trees that may be boxes at first. */
static kiln_status read_part(const void *data, size_t available, const kiln_open_options *options,
                             void *into)
{
    kiln_file **out = (kiln_file **)into;
    kiln_reader_options reading = kiln_opening_reader_options(options);
    reading.wanted = kiln_opening_wants;
    reading.user = (void *)(uintptr_t)options;
    kiln_arrival arrival;
    kiln_reader reader;
    kiln_format_error format_error;
    if (!kiln_arrival_begin(&arrival, &reader, data, available, &reading, &format_error)) {
        return kiln_opening_report(options, &format_error);
    }
    /* All of a height field's tree follows from all of its samples. */
    if (kiln_reader_find(&reader, KILN_SECTION_HEIGHTS, 0) != KILN_NO_INDEX) {
        const uint64_t size = reader.header.file_size;
        kiln_open_options whole = *options;
        kiln_reader_close(&reader);
        if (available < size) {
            (void)kiln_reader_waits(&format_error, size);
            return kiln_opening_report(options, &format_error);
        }
        whole.flags |= KILN_OPEN_COPY;
        return kiln_opening_read_whole(data, (size_t)size, &whole, into);
    }
    const bool taken = kiln_arrival_take(&arrival, &reader, data, available, &format_error);
    /* What is needed before trees are known. */
    static const uint32_t kinds[] = {KILN_SECTION_TREES, KILN_SECTION_STRINGS, KILN_SECTION_ADB,
                                     KILN_SECTION_ADB_WEIGHTS};
    bool directory = true;
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const uint32_t index = kiln_reader_find(&reader, kinds[i], 0);
        directory = directory && (index == KILN_NO_INDEX ||
                                  reader.sections[index].there == reader.sections[index].count);
    }
    /* Till *out is made the reader belongs to this function, which closes it; from then on closing
     * the file does. */
    if (!taken || !directory) {
        kiln_reader_close(&reader);
        if (taken) {
            (void)kiln_reader_waits(&format_error, arrival.next);
        }
        return kiln_opening_report(options, &format_error);
    }
    if (kiln_opening_make_file(&reader, true, out, &format_error) != KILN_OK) {
        kiln_reader_close(&reader);
        return kiln_opening_report(options, &format_error);
    }

    /* A part for each tree. Contents that the verifier has not seen are out of reach till then. */
    kiln_file *file = *out;
    const size_t size = sizeof(struct kiln_arriving) + file->tree_count * sizeof(kiln_part);
    struct kiln_arriving *arriving = (struct kiln_arriving *)kiln_reader_allocate(
        &file->reader, file->size, size, &format_error);
    if (arriving == NULL) {
        kiln_close(file);
        *out = NULL;
        return kiln_opening_report(options, &format_error);
    }
    memset(arriving, 0, size);
    arriving->arrival = arrival;
    arriving->trusted = reading.trusted;
    file->arriving = arriving;
    file->arriving_size = size;
    file->view.vertices = NULL;
    file->view.triangles = file->view.ids = file->view.faces = file->view.user = NULL;
    file->view.materials = NULL;
    file->view.parts = NULL;
    file->view.meta = NULL;
    kiln_opening_fill_trees(file);
    for (uint32_t i = 0; i < file->tree_count; i++) {
        file->trees[i].part = &arriving->parts[i];
    }
    /* A rule that is broken by the first bytes already is an error of opening; only later ones
     * leave a file whose trees are boxes. */
    if (!advance(file, data, available, &format_error)) {
        kiln_close(file);
        *out = NULL;
        return kiln_opening_report(options, &format_error);
    }
    return KILN_OK;
}

kiln_status kiln_open_partial(const void *data, size_t available, const kiln_open_options *options,
                              kiln_file **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    return kiln_opening_memory(read_part, data, available, options, out);
}

kiln_status kiln_file_advance(kiln_file *file, const void *data, size_t available,
                              kiln_error *error)
{
    kiln_open_options options = kiln_open_options_default();
    kiln_format_error format_error;
    options.error = error;
    if (file == NULL || data == NULL) {
        return kiln_opening_report_status(&options, KILN_ERROR_ARGUMENT);
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, advance);
    const bool done = run(file, data, available, &format_error);
    kiln_fpu_leave(caller);
    return done ? KILN_OK : kiln_opening_report(&options, &format_error);
}

/* ------------------------------------------------------------------------------------ facts -- */

/* `next` is the number of bytes with which the next step can be taken. A file that was opened
 * whole is complete from the start. */
kiln_file_loaded kiln_file_get_loaded(const kiln_file *file)
{
    kiln_file_loaded loaded;
    memset(&loaded, 0, sizeof loaded);
    if (file != NULL) {
        loaded.complete = file->arriving == NULL;
        loaded.size = file->reader.header.file_size;
        loaded.next = loaded.complete ? loaded.size : file->arriving->arrival.next;
    }
    return loaded;
}

/* Called in the environment of queries, so that the quotient is the same for every caller. */
static double divide(uint64_t some, uint64_t all)
{
    return (double)some / (double)all;
}

kiln_tree_loaded kiln_tree_get_loaded(const kiln_tree *tree)
{
    kiln_tree_loaded loaded;
    memset(&loaded, 0, sizeof loaded);
    if (tree != NULL && tree->part == NULL) {
        loaded.complete = true;
        loaded.nodes = tree->view.entry->node_count;
        loaded.levels = tree->view.entry->depth;
        /* It is a share of all triangles, from 0 to 1, and no number of them. */
        loaded.triangles = 1;
    } else if (tree != NULL && tree->part->nodes > 0) {
        KILN_ASSERT(tree->part->nodes <= tree->view.entry->node_count);
        KILN_ASSERT(tree->part->levels <= tree->view.entry->depth);
        loaded.nodes = tree->part->nodes;
        loaded.levels = tree->part->levels;
        const kiln_fpu_state caller = kiln_fpu_enter();
        KILN_FPU_CALL(run, divide);
        loaded.triangles = run(tree->part->triangles, tree->view.slots);
        kiln_fpu_leave(caller);
    }
    return loaded;
}
