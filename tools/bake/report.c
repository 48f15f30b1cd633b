/* The report of a bake: what the import found, what the trees came to, and its release.
 *
 * A report is filled on success and on failure as far as the bake got. Where there is no memory for
 * one of its lists, that list is left out rather than the bake given up: a report decides nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include "bake.h"

#include "../../formats/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line of one dropped face, in new memory; NULL without. */
static char *dropped_line(const kiln_soup *soup, const kiln_soup_note *note)
{
    const bool known = note->part < soup->part_count;
    const char *path = known ? soup->strings + soup->parts[note->part].node_path : "?";
    const char *mesh = known ? soup->strings + soup->parts[note->part].mesh_name : "?";
    const char *format = "node \"%s\", mesh \"%s\", face %u: %s";
    const char *reason = kiln_face_reason(note->reason);
    const int size = snprintf(NULL, 0, format, path, mesh, note->face, reason);
    /* Names of nodes have any length, so that the line is measured before it is allocated. */
    char *line = malloc((size_t)size + 1);
    if (line != NULL) {
        (void)snprintf(line, (size_t)size + 1, format, path, mesh, note->face, reason);
    }
    return line;
}

/* Copies of the strings at `offsets`, and their number; none without memory. */
static char **copy_strings(const kiln_soup *soup, const uint32_t *offsets, uint32_t count,
                           uint32_t *copied)
{
    char **copies = calloc(count > 0 ? count : 1, sizeof *copies);
    for (uint32_t i = 0; copies != NULL && i < count; i++) {
        KILN_ASSERT(offsets[i] < soup->strings_size);
        copies[i] = strdup(soup->strings + offsets[i]);
    }
    *copied = copies != NULL ? count : 0;
    return copies;
}

/* After a failed import the soup is empty, and all that it says is zero. */
void kiln_report_soup(const kiln_soup *soup, kiln_bake_report *report)
{
    kiln_bake_report *r = report;
    KILN_ASSERT(r->warnings == NULL && r->side_files == NULL && r->dropped == NULL);
    r->faces = soup->triangle_count;
    r->points = soup->points;
    r->faces_dropped = soup->note_count;
    r->points_left_out = soup->points_left_out;
    r->lines_left_out = soup->lines_left_out;
    r->degenerate = soup->degenerate_count;
    r->duplicate = soup->duplicate_count;
    r->polygons_cut = soup->polygons_cut;
    r->empty_meshes = soup->empty_mesh_count;
    r->unit = soup->unit;
    r->up_axis = soup->triangle_count > 0 ? soup->up_axis : -1; /* 0 where nothing was read */
    r->precision_step = soup->precision_step;
    r->lossy_step = soup->lossy_step;
    r->lossy_moved = soup->lossy_moved;
    r->lossy_degenerate = soup->lossy_degenerate;
    if (soup->strings == NULL) {
        return;
    }
    r->warnings = copy_strings(soup, soup->warnings, soup->warning_count, &r->warning_count);
    r->side_files =
        copy_strings(soup, soup->side_files, soup->side_file_count, &r->side_file_count);
    r->absent_files = copy_strings(soup, soup->side_files + soup->side_file_count,
                                   soup->absent_file_count, &r->absent_file_count);
    r->dropped = calloc(soup->note_count > 0 ? soup->note_count : 1, sizeof *r->dropped);
    r->dropped_count = r->dropped != NULL ? soup->note_count : 0;
    for (uint32_t i = 0; i < r->dropped_count; i++) {
        r->dropped[i] = dropped_line(soup, &soup->notes[i]);
    }
}

/* Nodes of a kind are packed as one section, so the bytes of one tree are its share by the
 * number of nodes. */
void kiln_report_trees(const kiln_model *model, const uint64_t *packed_sizes,
                       kiln_bake_report *report)
{
    const uint32_t count = model->group_count * model->kind_count;
    KILN_ASSERT(count > 0 && report->trees == NULL);
    report->trees = calloc(count, sizeof *report->trees);
    report->tree_count = report->trees != NULL ? count : 0;
    for (uint32_t i = 0; i < report->tree_count; i++) {
        const uint32_t kind = i % model->kind_count;
        const kiln_model_group *group = &model->groups[i / model->kind_count];
        const kiln_build_tree *tree = &model->trees[i];
        kiln_bake_tree_report *out = &report->trees[i];
        uint64_t nodes_of_kind = 0;
        for (uint32_t g = 0; g < model->group_count; g++) {
            nodes_of_kind += model->trees[(size_t)g * model->kind_count + kind].node_count;
        }
        KILN_ASSERT(nodes_of_kind >= tree->node_count);
        (void)snprintf(out->name, sizeof out->name, "%s", group->name);
        (void)snprintf(out->bv, sizeof out->bv, "%s", model->kinds[kind]->name);
        out->triangles = group->count;
        out->nodes = tree->node_count;
        out->depth = tree->depth;
        out->bytes_raw = (uint64_t)tree->node_count * tree->node_size;
        /* The trees of a kind are packed together; each is given its share. */
        out->bytes_packed =
            (uint64_t)((double)packed_sizes[kind] * tree->node_count / (double)nodes_of_kind);
        out->sah_cost = tree->sah_cost;
        out->boxes = tree->box_count;
        out->bytes_counts = (uint64_t)tree->box_count * sizeof *tree->boxes;
    }
}

void kiln_report_height_field(const kiln_format_tree *entry, kiln_bake_report *report)
{
    KILN_ASSERT(report->trees == NULL);
    report->trees = calloc(1, sizeof *report->trees);
    if (report->trees == NULL) {
        return;
    }
    report->tree_count = 1;
    (void)snprintf(report->trees[0].bv, sizeof report->trees[0].bv, "aabb");
    report->trees[0].triangles = entry->triangle_count;
    report->trees[0].nodes = entry->node_count;
    report->trees[0].depth = entry->depth;
}

/* Is `word` one of the words of `line`, which are separated by blanks? */
static bool is_word_of(const char *word, const char *line)
{
    const size_t length = strlen(word);
    for (const char *at = line; (at += strspn(at, " \t"))[0] != '\0';) {
        const size_t span = strcspn(at, " \t");
        if (span == length && memcmp(at, word, length) == 0) {
            return true;
        }
        at += span;
    }
    return false;
}

/* Is a word of the line among the files that were read? */
static bool has_word_there(const kiln_bake_report *report, const char *line)
{
    for (uint32_t i = 0; i < report->side_file_count; i++) {
        if (is_word_of(report->side_files[i], line)) {
            return true;
        }
    }
    return false;
}

/* Of an OBJ's "mtllib a b" the whole line is looked for as one name, and each word as another;
 * such a line has a blank, and its words have none. */
static bool is_line(const char *name)
{
    return strpbrk(name, " \t") != NULL;
}

/* Names are compared with all others; of a model that has too many of them each is told of. */
bool kiln_report_misses(const kiln_bake_report *report, uint32_t i)
{
    enum { COMPARED = 256 };
    KILN_ASSERT(i < report->absent_file_count);
    const char *name = report->absent_files[i];
    if (name == NULL || report->absent_file_count > COMPARED ||
        report->side_file_count > COMPARED) {
        return name != NULL;
    }
    /* A line counts as missing only if none of its words is a file that was read. */
    if (is_line(name)) {
        return !has_word_there(report, name);
    }
    for (uint32_t k = 0; k < report->absent_file_count; k++) {
        const char *line = report->absent_files[k];
        if (line != NULL && is_line(line) && is_word_of(name, line) &&
            !has_word_there(report, line)) {
            return false;
        }
    }
    return true;
}

static void free_strings(char **strings, uint32_t count)
{
    KILN_ASSERT(strings != NULL || count == 0);
    for (uint32_t i = 0; i < count; i++) {
        free(strings[i]);
    }
    free(strings);
}

void kiln_bake_report_free(kiln_bake_report *report)
{
    if (report == NULL) {
        return;
    }
    free_strings(report->warnings, report->warning_count);
    free_strings(report->dropped, report->dropped_count);
    free_strings(report->side_files, report->side_file_count);
    free_strings(report->absent_files, report->absent_file_count);
    free(report->trees);
    free(report->candidates);
    memset(report, 0, sizeof *report);
}
