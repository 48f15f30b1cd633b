/* Open, verify, query: any bytes are opened with everything checked, as a model, at once and as its
 * bytes arrive, as a filled-bins table, as an axis set and for their weights; what opens is audited
 * as `kiln verify` does, and asked against itself and against a fixed file. Only the sanitizers
 * judge, and that memory is given back: answers of hostile files may be anything. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz_open.h"

#include "../../runtime/base/tree.h"
#include "../../tools/encode/audit.h"
#include "../../tools/export/writers.h"
#include "../../runtime/kiln_axes.h"
#include "../../runtime/kiln_rays.h"
#include "../../runtime/kiln_self.h"
#include "../support/ask.h"
#include "../support/counting.h"
#include "../support/edit.h"
#include "../support/quick_bake.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tree that opens ends its queries, but after as many steps as two trees have pairs of nodes:
 * what would take long is left out. */
static const uint64_t pairs_max = 10000, work_max = 100000;

enum { BINS_QUESTIONS = 500, AXES_QUESTIONS = 60 };

static const kiln_file *fixed_file(void)
{
    static void *bytes;
    static kiln_file *file;
    if (file == NULL) {
        mesh m = mesh_torus(6, 4, 0.1);
        file = quick_open(&m, "obb,aabb", 4, KILN_LAYOUT_RAW, &bytes);
        mesh_free(&m);
    }
    return file;
}

static void reseal(uint8_t *bytes, size_t size)
{
    kiln_format_header header;
    if (size < sizeof header) {
        return;
    }
    memcpy(&header, bytes, sizeof header);
    memcpy(header.magic, KILN_FORMAT_MAGIC, sizeof header.magic);
    header.version_major = KILN_FORMAT_MAJOR;
    header.version_minor = KILN_FORMAT_MINOR;
    header.file_size = size;
    memcpy(bytes, &header, sizeof header);
    edit_reseal(bytes, size);
}

static kiln_visit count_volume(void *user, const kiln_tree_volume *volume)
{
    uint64_t *left = user;
    if (*left == 0 || volume->depth > KILN_TREE_DEPTH_MAX || !(volume->half[0] >= 0)) {
        abort();
    }
    return --*left > 0 || volume->depth == 0 ? KILN_VISIT_CHILDREN : KILN_VISIT_STOP;
}

/* No more volumes than nodes have lanes; and the triangles of small files. */
static void visit_and_read(const kiln_file *file)
{
    static float corners[9 * 64];
    for (uint32_t i = 0; i < kiln_file_tree_count(file) && i < 4; i++) {
        const kiln_tree *tree = kiln_file_tree(file, i);
        uint64_t left = 2 + 8 * (uint64_t)kiln_tree_get_info(tree).node_count;
        if (left < work_max) {
            (void)kiln_tree_visit(tree, count_volume, &left);
            (void)kiln_tree_triangles(tree, corners, 64);
            (void)kiln_tree_triangle_limit(tree);
        }
    }
}

/* Faster rays, whatever they find. */
static void shoot_faster_rays(const kiln_file *file)
{
    for (uint32_t i = 0; i < kiln_file_tree_count(file) && i < 4; i++) {
        const kiln_tree *tree = kiln_file_tree(file, i);
        const size_t size = kiln_ray_accel_size(tree);
        kiln_ray_accel *accel;
        void *memory;
        if (size == 0 || kiln_tree_get_info(tree).node_count > work_max / 100 ||
            (memory = malloc(size)) == NULL) {
            continue;
        }
        if (kiln_ray_accel_place(memory, size, tree, &accel) == KILN_OK) {
            for (int k = 0; k < 8; k++) {
                const kiln_ray ray = {{k & 1 ? 3 : -3, k & 2 ? 3 : -3, k & 4 ? 3 : -3},
                                      {k & 1 ? -1 : 1, k & 2 ? -1 : 1, k & 4 ? -1 : 1},
                                      0,
                                      HUGE_VAL};
                kiln_ray_hit hit;
                bool meets;
                (void)kiln_ray_closest(kiln_ray_accel_tree(accel), NULL, &ray, NULL, &hit);
                (void)kiln_ray_any(kiln_ray_accel_tree(accel), NULL, &ray, NULL, &hit);
                (void)kiln_ray_meets(kiln_ray_accel_tree(accel), NULL, &ray, NULL, &meets);
            }
        }
        free(memory);
    }
}

static bool stop_soon(void *user)
{
    return (*(uint64_t *)user)++ >= 2000;
}

/* Where trees meet themselves, by marks that may say anything. */
static void meet_themselves(const kiln_file *file)
{
    for (uint32_t i = 0; i < kiln_file_tree_count(file) && i < 4; i++) {
        const kiln_tree *tree = kiln_file_tree(file, i);
        uint64_t asked = 0;
        size_t count;
        kiln_self_options options = kiln_self_options_default();
        options.neighbours = KILN_NEIGHBOURS_ALL;
        options.stop = stop_soon;
        options.stop_user = &asked;
        if (kiln_tree_get_info(tree).node_count <= work_max / 100) {
            (void)kiln_self_contacts(tree, &options, NULL, 0, &count);
        }
    }
}

/* Pictures of it for viewers. */
static void export_trees(const kiln_file *file)
{
    const kiln_picture_choice choice = {.levels = true, .level = -1, .mesh = true, .colour = 1};
    for (uint32_t i = 0; i < kiln_file_tree_count(file) && i < 2; i++) {
        kiln_picture picture;
        if (kiln_tree_get_info(kiln_file_tree(file, i)).node_count < 200 &&
            kiln_picture_make(&file->view, i, &choice, NULL, NULL, &picture)) {
            for (int k = 0; k < KILN_EXPORT_FORMATS && picture.finite; k++) {
                kiln_bytes bytes = {0};
                (void)kiln_export_formats[k].write(&picture, &bytes);
                free(bytes.data);
            }
            kiln_picture_free(&picture);
        }
    }
}

static void open_and_ask(const uint8_t *bytes, size_t size, unsigned mode)
{
    counting count = {0};
    kiln_error error;
    kiln_file *file;
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    options.error = &error;
    options.flags = (mode & FUZZ_NO_SOURCE) != 0 ? KILN_OPEN_NO_SOURCE | KILN_OPEN_NO_COUNTS : 0;
    options.bv_mask = (mode & FUZZ_ONE_KIND) != 0 ? 1u << KILN_BV_AABB : 0;
    if (kiln_open_memory(bytes, size, &options, &file) == KILN_OK) {
        kiln_source source;
        (void)ask_files(file, file, pairs_max, work_max);
        (void)ask_files(file, fixed_file(), pairs_max, work_max);
        (void)kiln_tree_source(kiln_file_tree(file, 0), 0, &source);
        visit_and_read(file);
        shoot_faster_rays(file);
        meet_themselves(file);
        if (options.bv_mask == 0 && options.flags == 0) {
            export_trees(file);
        }
        kiln_close(file);
    } else if (file != NULL || memchr(error.message, 0, sizeof error.message) == NULL) {
        abort();
    }
    if (count.live != 0 || count.bytes != 0) {
        abort();
    }
}

/* What can be asked of trees of which not all is there. */
static void ask_parts(const kiln_file *file)
{
    const kiln_tree *other = kiln_file_tree(fixed_file(), 0);
    for (uint32_t i = 0; i < kiln_file_tree_count(file) && i < 4; i++) {
        const kiln_tree *tree = kiln_file_tree(file, i);
        const kiln_tree_loaded loaded = kiln_tree_get_loaded(tree);
        const kiln_tree_info info = kiln_tree_get_info(tree);
        kiln_adb_answer answer;
        kiln_source source;
        kiln_hit hit;
        bool found;
        if (loaded.complete || loaded.nodes > info.node_count || loaded.levels > info.depth ||
            kiln_collide(tree, NULL, other, NULL, NULL, &hit) == KILN_OK ||
            kiln_tree_source(tree, 0, &source) == KILN_OK) {
            abort();
        }
        if ((uint64_t)loaded.nodes * loaded.nodes <= work_max) {
            (void)kiln_collide_boxes(tree, NULL, tree, NULL, &found);
            (void)kiln_collide_boxes(tree, NULL, other, NULL, &found);
        }
        (void)kiln_adb_collide(tree, NULL, tree, NULL, NULL, 1000, UINT64_MAX, &answer);
    }
}

/* As the bytes arrive: a few of them, what the file then wants, and half of the rest, by turns. */
static void take_and_ask(const uint8_t *bytes, size_t size, unsigned mode)
{
    counting count = {.most = (size_t)1 << 28}; /* of what a header claims that has not come */
    kiln_file *file = NULL;
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    options.flags = (mode & FUZZ_NO_SOURCE) != 0 ? KILN_OPEN_NO_SOURCE | KILN_OPEN_NO_COUNTS : 0;
    options.bv_mask = (mode & FUZZ_ONE_KIND) != 0 ? 1u << KILN_BV_AABB : 0;
    size_t have = size < 1024 ? size / 2 : 1024;
    kiln_status status = KILN_ERROR_PARTIAL;
    for (int step = 0; step < 12 && (status == KILN_OK || status == KILN_ERROR_PARTIAL); step++) {
        status = file == NULL ? kiln_open_partial(bytes, have, &options, &file)
                              : kiln_file_advance(file, bytes, have, NULL);
        const kiln_file_loaded loaded = kiln_file_get_loaded(file);
        if (file != NULL && !loaded.complete) {
            ask_parts(file);
        }
        visit_and_read(file);
        have = step % 2 == 0 && loaded.next > have && loaded.next < size
                   ? (size_t)loaded.next
                   : have + (size - have + 1) / 2;
    }
    if (kiln_file_get_loaded(file).complete) {
        (void)ask_files(file, fixed_file(), pairs_max, work_max);
    }
    kiln_close(file);
    if (count.live != 0 || count.bytes != 0) {
        abort();
    }
}

/* Each mask has an axis, and no bit beyond the axes. */
static void ask_axes(const kiln_axes *axes)
{
    static uint64_t mask[(KILN_AXES_COUNT_MAX + 63) / 64];
    const kiln_axes_info info = kiln_axes_get_info(axes);
    uint64_t random = info.count;
    for (uint32_t i = 0; i < AXES_QUESTIONS; i++) {
        double v[3];
        for (unsigned j = 0; j < 3; j++) {
            v[j] = (double)random_below(&random, 9) - 4.0;
        }
        uint32_t count, found = 0;
        if (kiln_axes_zone(axes, v, i % 2 == 0 ? 0.0 : info.sine, mask, &count) != KILN_OK) {
            abort();
        }
        for (uint32_t k = 0; k < 64 * info.words; k++) {
            const bool is_in = (mask[k / 64] >> k % 64 & 1) != 0;
            found += is_in;
            if (is_in && k >= info.count) {
                abort();
            }
        }
        if (found != count || (i % 2 == 0 && info.zone_cells > 0 && count == 0)) {
            abort();
        }
    }
}

/* Some of all questions, the first and the last among them; each answer is a probability. */
static void ask_table(const kiln_bins *table)
{
    const kiln_bins_info info = kiln_bins_get_info(table);
    double p[KILN_BINS_MAX_X];
    uint64_t random = info.max_u;
    for (uint32_t i = 0; i < BINS_QUESTIONS; i++) {
        const uint32_t u = i < 2 ? i * info.max_u : random_below(&random, info.max_u + 1);
        const uint32_t v = i < 2 ? u : random_below(&random, u + 1);
        const uint32_t w = i < 2 ? u : random_below(&random, u + 1);
        if (kiln_bins_probabilities(table, u, v, w, info.max_x, p) != KILN_OK) {
            abort();
        }
        for (uint32_t x = 0; x < info.max_x; x++) {
            if (!(p[x] >= 0 && p[x] <= (x > 0 ? p[x - 1] : 1))) {
                abort();
            }
        }
    }
}

static void open_table_and_ask(const uint8_t *bytes, size_t size)
{
    counting count = {0};
    kiln_bins *table;
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    if (kiln_bins_open_memory(bytes, size, &options, &table) == KILN_OK) {
        ask_table(table);
    } else if (table != NULL) {
        abort();
    }
    kiln_bins_close(table);
    kiln_axes *axes;
    if (kiln_axes_open_memory(bytes, size, &options, &axes) == KILN_OK) {
        ask_axes(axes);
    }
    kiln_axes_close(axes);
    if (count.live != 0 || count.bytes != 0) {
        abort();
    }
}

static void read_weights(const uint8_t *bytes, size_t size)
{
    counting count = {0};
    kiln_adb_fitted rows[4];
    uint32_t found = 0;
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    if (kiln_adb_read_weights_memory(bytes, size, &options, rows, 4, &found) == KILN_OK) {
        for (uint32_t i = 0; i < found && i < 4; i++) {
            const kiln_adb_weights *w = &rows[i].weights;
            if (!(w->bias * 0 == 0 && w->others >= 0 && w->others <= 1 && w->sure > -1)) {
                abort();
            }
        }
    }
    if (count.live != 0 || count.bytes != 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const unsigned mode = data[0];
    const size_t shift = (mode & FUZZ_SHIFT) != 0 ? 4 : 0;
    void *block;
    if (posix_memalign(&block, 64, size - 1 + shift) != 0) {
        abort();
    }
    uint8_t *bytes = (uint8_t *)block + shift;
    memcpy(bytes, data + 1, size - 1);
    if ((mode & FUZZ_RESEAL) != 0) {
        reseal(bytes, size - 1);
    }
    open_and_ask(bytes, size - 1, mode);
    take_and_ask(bytes, size - 1, mode);
    open_table_and_ask(bytes, size - 1);
    read_weights(bytes, size - 1);
    kiln_format_error error;
    (void)kiln_audit(bytes, size - 1, NULL, &error);
    free(block);
    return 0;
}
