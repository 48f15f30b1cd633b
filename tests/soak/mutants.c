/* A campaign of crafted files: mutants COUNT [SEED].
 *
 * Each is a small file of trees of some kinds, some with boxes that are honest and extreme
 * (extreme.h), some with counts, that is changed in a few places where its structure says that it
 * matters, and sealed again, so that no checksum refuses it. It is opened as a whole and as it
 * arrives, and what opens answers all queries: the sanitizers judge. Where it passes an audit, as
 * by `kiln verify --full`, every answer has to be right (agree.h).
 *
 * A number and a seed make one mutant, whatever came before, so that one that fails can be made
 * again: mutants 1 SEED. Prints how many there were, how many opened and how many were compared;
 * the status is 1 for the first wrong answer. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/base/tree.h"
#include "../../tools/encode/audit.h"
#include "../support/agree.h"
#include "../support/ask.h"
#include "../support/counting.h"
#include "../support/edit.h"
#include "../support/extreme.h"
#include "../support/quick_bake.h"

enum { POOL = 64, KINDS = KILN_NODE_KIND_COUNT, CHANGES_MOST = 4, MEMORY_MOST = 1 << 26 };

/* A file to begin with, its mesh, and a tree of it that is right. */
typedef struct {
    mesh mesh;
    edit_file *file;
    void *bytes;
    kiln_file *sure;
    uint8_t *extreme; /* with other boxes, as a partner of mutants */
    kiln_file *opened;
} original;

typedef struct {
    uint64_t made, opened, audited, compared, refused_by_audit;
} tally_of_mutants;

static void *must(void *memory)
{
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static mesh draw_mesh(uint64_t *state)
{
    const uint32_t n = 1 + random_below(state, 12);
    switch (random_below(state, 4)) {
    case 0:
        return mesh_lattice(state, n, 3);
    case 1:
        return mesh_torus(3, 3, 0.1);
    case 2:
        return mesh_box(-1, -0.5f, -1, 1, 0.25f, 0.5f);
    default:
        return mesh_soup(state, n, 0.5);
    }
}

static original draw_original(uint64_t *state)
{
    static const char *const kinds[] = {"obb",   "aabb",   "obb2",   "aabb2",
                                        "dop14", "dop6",   "dop18",  "dop24",
                                        "dop26", "sphere", "octree", QUICK_ALL_KINDS};
    original o;
    kiln_bake_options options = kiln_bake_options_default();
    size_t size;
    memset(&o, 0, sizeof o);
    o.mesh = draw_mesh(state);
    const int by = (int)random_below(state, 4) == 0 ? (int)random_below(state, 160) - 80 : 0;
    for (uint32_t i = 0; i < 3 * o.mesh.vertex_count; i++) {
        o.mesh.positions[i] = ldexpf(o.mesh.positions[i], by);
    }
    o.sure = quick_open(&o.mesh, "obb", 2, KILN_LAYOUT_RAW, &o.bytes);
    options.bv = kinds[random_below(state, sizeof kinds / sizeof kinds[0])];
    options.leaf = 1 + (int)random_below(state, 4);
    options.layout = KILN_LAYOUT_RAW;
    options.threads = 1;
    options.adb = random_below(state, 4) == 0 ? 4 : 0;
    options.adb_factor = 0.75;
    void *baked = quick_bake_with(&o.mesh, &options, &size);
    o.file = edit_open(baked, size);
    free(baked);
    edit_file *other = edit_copy(o.file);
    extreme_boxes(other, state);
    edit_hash(other);
    o.extreme = edit_seal(other, false, &size);
    edit_free(other);
    if (kiln_open_memory(o.extreme, size, NULL, &o.opened) != KILN_OK) {
        abort();
    }
    return o;
}

/* ------------------------------------------------------------------------------- changes -- */

/* Numbers that are at an edge of something, or anything. */
static uint32_t draw_word(uint32_t was, uint64_t *state)
{
    static const uint32_t edges[] = {
        0,          1,          2,          7,          8,          0x7F,       0x80,
        0xFF,       0x100,      0xFFFF,     0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF,
        0x3F800000, 0xBF800000, 0x44800000, 0x44800001, 0x7F800000, 0x7FC00000, 0x7F7FFFFF,
        0x00800000, 0x00000001, 0x80000001, 0x2F800000, 0x53800000};
    switch (random_below(state, 6)) {
    case 0:
        return edges[random_below(state, sizeof edges / sizeof edges[0])];
    case 1:
        return was + 1;
    case 2:
        return was - 1;
    case 3:
        return was ^ 1u << random_below(state, 32);
    case 4:
        return was ^ 0x80000000u;
    default:
        return (uint32_t)random_next(state);
    }
}

/* A byte, a word or a run of bytes of an element, mostly at a place where a field begins. */
static void change_element(edit_section *section, uint64_t *state)
{
    const uint32_t size = section->entry.element_size;
    if (section->size < size || size == 0) {
        return;
    }
    const uint32_t count = (uint32_t)(section->size / size);
    uint8_t *element = section->data + (size_t)random_below(state, count) * size;
    const uint32_t from = random_below(state, size);
    switch (random_below(state, 4)) {
    case 0:
        element[from] ^= (uint8_t)(1u << random_below(state, 8));
        break;
    case 1:
        element[from] = (uint8_t)draw_word(element[from], state);
        break;
    case 2: { /* as another element has it */
        const uint8_t *other = section->data + (size_t)random_below(state, count) * size;
        const uint32_t most = size - from < 16 ? size - from : 16;
        memmove(element + from, other + from, 1 + random_below(state, most));
        break;
    }
    default:
        if (size >= 4) {
            uint32_t word;
            const uint32_t at = from / 4 * 4 > size - 4 ? size - 4 : from / 4 * 4;
            memcpy(&word, element + at, sizeof word);
            word = draw_word(word, state);
            memcpy(element + at, &word, sizeof word);
        }
    }
}

/* Header of a node, which links and places are in; those changes are the ones that matter most. */
static void change_node(edit_file *file, uint64_t *state)
{
    const kiln_node_kind *kind = &kiln_node_kinds[random_below(state, KINDS)];
    for (uint32_t i = 0; i < file->count; i++) {
        edit_section *section = &file->sections[i];
        if (section->entry.kind != kind->section || section->size < kind->node_size) {
            continue;
        }
        const uint32_t count = (uint32_t)(section->size / kind->node_size);
        kiln_format_node8 *node =
            (kiln_format_node8 *)(void *)(section->data +
                                          (size_t)random_below(state, count) * kind->node_size);
        switch (random_below(state, 8)) {
        case 0:
            node->org[random_below(state, 3)] += (float)random_between(state, -2, 2);
            break;
        case 1:
            node->exp[random_below(state, 3)] = (uint8_t)random_below(state, 256);
            break;
        case 2:
            node->inner ^= (uint8_t)(1u << random_below(state, 8));
            break;
        case 3:
            node->child = random_below(state, count + 2);
            break;
        case 4:
            node->tri = random_below(state, 40);
            break;
        case 5:
            node->count[random_below(state, 4)] = (uint8_t)random_below(state, 256);
            break;
        case 6:
            node->half_exp = (uint8_t)random_below(state, 256);
            break;
        default:
            node->flags[random_below(state, 3)] = (uint8_t)random_below(state, 2);
        }
    }
}

static void change_sections(edit_file *file, uint64_t *state)
{
    edit_section *section = &file->sections[random_below(state, file->count)];
    switch (random_below(state, 6)) {
    case 0:
        edit_resize(section, section->size - (section->size < section->entry.element_size
                                                  ? 0
                                                  : section->entry.element_size));
        break;
    case 1:
        edit_resize(section, section->size + section->entry.element_size);
        break;
    case 2:
        if (file->count > 1) {
            edit_remove(file, section->entry.kind);
        }
        break;
    case 3:
        section->entry.flags = draw_word(section->entry.flags, state) & 7u;
        break;
    case 4:
        section->entry.element_size =
            draw_word(section->entry.element_size, state) & 0x1FFFFu; /* a block at most */
        section->entry.element_size += section->entry.element_size == 0;
        break;
    default:
        section->entry.kind = draw_word(section->entry.kind, state);
    }
}

static void change(edit_file *file, uint64_t *state)
{
    const uint32_t times = 1 + random_below(state, CHANGES_MOST);
    for (uint32_t i = 0; i < times; i++) {
        const uint32_t which = random_below(state, 32);
        if (which == 0) {
            change_sections(file, state);
        } else if (which < 12) {
            change_node(file, state);
        } else {
            change_element(&file->sections[random_below(state, file->count)], state);
        }
    }
}

/* ------------------------------------------------------------------------------- judging -- */

static void stop(uint64_t seed, const char *what, const char *why)
{
    (void)printf("mutant %" PRIu64 ": %s: %s\n", seed, what, why);
    (void)fflush(stdout);
    exit(1);
}

/* The triangles of a tree by their ids, where it has all of the file. */
static bool mesh_of(const kiln_tree *tree, uint32_t count, mesh *m)
{
    *m = (mesh){must(malloc(9 * sizeof(float) * count)), must(malloc(3 * sizeof(uint32_t) * count)),
                3 * count, count};
    bool all = kiln_tree_get_info(tree).triangle_count == count;
    for (uint32_t i = 0; all && i < count; i++) {
        float corners[3][3];
        all = kiln_tree_corners(tree, i, corners) == KILN_OK;
        memcpy(m->positions + 9 * (size_t)i, corners, sizeof corners);
        for (uint32_t k = 0; k < 3; k++) {
            m->indices[3 * i + k] = 3 * i + k;
        }
    }
    return all;
}

static bool same_mesh(const mesh *p, const mesh *q)
{
    bool same = p->triangle_count == q->triangle_count;
    for (uint32_t i = 0; same && i < 3 * p->triangle_count; i++) {
        same = memcmp(p->positions + 3 * (size_t)p->indices[i],
                      q->positions + 3 * (size_t)q->indices[i], 3 * sizeof(float)) == 0;
    }
    return same;
}

/* Each tree of a file that passed an audit, against a partner with honest extreme boxes. */
static void compare(const kiln_file *file, const original *from, const original *partner,
                    uint64_t seed, uint64_t *state, tally_of_mutants *tally)
{
    for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
        const kiln_tree *tree = kiln_file_tree(file, i);
        mesh m;
        if (!kiln_tree_get_info(tree).polygons) {
            continue;
        }
        if (!mesh_of(tree, tree->file->view.triangle_count, &m)) {
            mesh_free(&m);
            continue;
        }
        void *bytes = NULL;
        kiln_file *sure = from->sure;
        if (!same_mesh(&m, &from->mesh)) {
            sure = quick_open(&m, "obb", 2, KILN_LAYOUT_RAW, &bytes);
        }
        agree_body a = {&m, kiln_file_tree(sure, 0), kiln_pose_identity()};
        agree_body b = {&partner->mesh, kiln_file_tree(partner->sure, 0), kiln_pose_identity()};
        agree_draw_poses(&a, &b, state);
        agree_truth truth = agree_truth_of(&a, &b);
        const uint32_t count = kiln_file_tree_count(partner->opened);
        const kiln_tree *other = kiln_file_tree(partner->opened, random_below(state, count));
        const char *wrong = agree_on_pair(&truth, tree, other);
        wrong = wrong != NULL ? wrong : agree_alone(&a, tree, state);
        if (wrong != NULL) {
            stop(seed, kiln_tree_get_info(tree).bv_name, wrong);
        }
        tally->compared++;
        agree_free(&truth);
        if (sure != from->sure) {
            kiln_close(sure);
            free(bytes);
        }
        mesh_free(&m);
    }
}

/* Opens it in pieces, with questions between. */
static void take_in_pieces(const uint8_t *bytes, size_t size, uint64_t *state)
{
    counting count = {.most = MEMORY_MOST};
    kiln_open_options options = kiln_open_options_default();
    kiln_file *file = NULL;
    options.allocator = counting_allocator(&count);
    size_t have = 128 + random_below(state, 4096);
    for (int i = 0; i < 6; i++) {
        have = have > size || i == 5 ? size : have;
        const kiln_status status = file == NULL ? kiln_open_partial(bytes, have, &options, &file)
                                                : kiln_file_advance(file, bytes, have, NULL);
        if (status != KILN_OK && status != KILN_ERROR_PARTIAL) {
            break;
        }
        for (uint32_t k = 0; k < kiln_file_tree_count(file); k++) {
            bool found;
            const kiln_tree *tree = kiln_file_tree(file, k);
            (void)kiln_collide_boxes(tree, NULL, tree, NULL, &found);
        }
        have += 1 + random_below(state, (uint32_t)size);
    }
    kiln_close(file);
    if (count.live != 0 || count.bytes != 0) {
        abort();
    }
}

static void judge(const uint8_t *bytes, size_t size, const original *from, const original *partner,
                  uint64_t seed, uint64_t *state, tally_of_mutants *tally)
{
    counting count = {0};
    kiln_file *file;
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    options.memory_limit = MEMORY_MOST;
    options.flags = random_below(state, 2) == 0 ? KILN_OPEN_COPY : 0;
    tally->made++;
    if (kiln_open_memory(bytes, size, &options, &file) == KILN_OK) {
        kiln_format_error error;
        tally->opened++;
        (void)ask_files(file, file, 1000, 20000);
        (void)ask_files(file, partner->opened, 1000, 20000);
        if (kiln_audit(bytes, size, NULL, &error)) {
            tally->audited++;
            compare(file, from, partner, seed, state, tally);
        } else {
            tally->refused_by_audit++;
        }
        kiln_close(file);
    }
    if (count.live != 0 || count.bytes != 0) {
        abort();
    }
    if (random_below(state, 4) == 0) {
        take_in_pieces(bytes, size, state);
    }
}

/* One mutant, by its seed alone. */
static void run(const original *pool, uint64_t seed, tally_of_mutants *tally)
{
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
    const original *from = &pool[random_below(&state, POOL)];
    const original *partner = &pool[random_below(&state, POOL)];
    edit_file *file = edit_copy(from->file);
    const uint32_t form = random_below(&state, 8);
    if (form < 4) {
        extreme_boxes(file, &state);
    }
    if (form != 0) { /* else nothing but honest extreme boxes */
        change(file, &state);
    }
    edit_hash(file);
    for (uint32_t i = 0; i < file->count; i++) {
        file->sections[i].entry.alignment = KILN_SECTION_ALIGNMENT;
    }
    size_t size;
    uint8_t *bytes = edit_seal(file, random_below(&state, 4) == 0, &size);
    void *aligned;
    if (posix_memalign(&aligned, 64, size) != 0) {
        abort();
    }
    memcpy(aligned, bytes, size);
    if (random_below(&state, 16) == 0) { /* of the container, behind the seal */
        ((uint8_t *)aligned)[random_below(&state, (uint32_t)size)] ^=
            (uint8_t)(1u << random_below(&state, 8));
        edit_reseal(aligned, size);
    }
    judge(aligned, size, from, partner, seed, &state, tally);
    free(aligned);
    free(bytes);
    edit_free(file);
}

static uint64_t number_of(const char *text)
{
    char *end;
    const uint64_t number = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0') {
        (void)fprintf(stderr, "mutants: not a number: %s\n", text);
        exit(2);
    }
    return number;
}

int main(int argc, char **argv)
{
    static original pool[POOL];
    tally_of_mutants tally = {0, 0, 0, 0, 0};
    if (argc < 2 || argc > 3) {
        (void)fprintf(stderr, "usage: mutants COUNT [SEED]\n");
        return 2;
    }
    const uint64_t count = number_of(argv[1]), first = argc > 2 ? number_of(argv[2]) : 1;
    uint64_t state = 77;
    for (int i = 0; i < POOL; i++) {
        pool[i] = draw_original(&state);
    }
    for (uint64_t i = 0; i < count; i++) {
        run(pool, first + i, &tally);
        if ((i + 1) % 10000 == 0 || i + 1 == count) {
            (void)printf("%" PRIu64 " mutants from %" PRIu64 ": %" PRIu64 " opened, %" PRIu64
                         " passed the audit, %" PRIu64 " trees compared, none differs\n",
                         tally.made, first, tally.opened, tally.audited, tally.compared);
            (void)fflush(stdout);
        }
    }
    for (int i = 0; i < POOL; i++) {
        kiln_close(pool[i].sure);
        kiln_close(pool[i].opened);
        free(pool[i].bytes);
        free(pool[i].extreme);
        edit_free(pool[i].file);
        mesh_free(&pool[i].mesh);
    }
    return 0;
}
