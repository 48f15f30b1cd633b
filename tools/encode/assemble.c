/* Reorders the geometry into leaf order and fills the sections.
 *
 * Stored triangles follow the slots of the first kind of tree, group by group, so that a leaf
 * reads triangles that lie together; vertices follow in the order of first use.
 *
 * The steps follow one another in kiln_model_encode, on one struct whose arrays come from one
 * arena. A step that needs what is no longer needed afterwards comes as early as it can: the
 * trees, which are the largest, are released one by one while their nodes are copied. */
#include "assemble.h"

#include "../../formats/assert.h"
#include "../../formats/node_kinds.h"
#include "../common/memory.h"
#include "geometry.h"
#include "lane_pairs.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_CHUNK = 16384 }; /* triangles a task */

/* Sums over one group's triangles, a part a task. */
typedef struct {
    uint64_t geometry[2];
    kiln_closed_sums closed;
} group_sums;

typedef struct {
    const kiln_soup *soup;
    const kiln_model_group *group;
    group_sums *parts;
} summing;

typedef struct {
    kiln_arena arena;
    const kiln_model *model;
    const kiln_watch *watch;
    group_sums *sums; /* room for the parts of the largest group */
    float *vertices;
    uint32_t vertex_count;
    uint32_t *triangles;
    uint32_t *ids;       /* stored -> id */
    uint32_t *stored_of; /* id -> stored */
    uint32_t *order, *references;
    uint32_t order_count, reference_count;
    bool faces_follow, users_agree; /* parts state them; there are no sections then */
    kiln_format_part *parts;
    kiln_format_tree *trees;
    kiln_format_adb *counts;
    uint64_t box_count;
    kiln_format_adb_box *boxes;
    char *strings;
    size_t strings_size;
    void **nodes; /* by kind */
    uint64_t *node_counts;
    uint32_t *lane_pairs; /* by node of octrees */
    uint64_t lane_pair_count;
} encoder;

/* The tree of a group and a kind. */
static const kiln_build_tree *tree_of(const kiln_model *model, uint32_t group, uint32_t kind)
{
    KILN_ASSERT(group < model->group_count && kind < model->kind_count);
    return &model->trees[(size_t)group * model->kind_count + kind];
}

/* Is the kind one of octrees, which have references? */
static bool is_shared(const kiln_model *model, size_t kind)
{
    KILN_ASSERT(kind < model->kind_count);
    return kiln_node_kind_find(model->kinds[kind]->format_bv)->shared;
}

/* Puts the references of an octree in the order of its slots, with their marks. `last` has, for
 * each triangle of the file, its slot that was met last, or KILN_NO_INDEX. */
static void refer(const encoder *e, const kiln_build_tree *tree, uint32_t index, uint32_t *last,
                  uint32_t *references)
{
    const kiln_format_node8 *node = kiln_node_at(tree->nodes, tree->node_size, index);
    for (unsigned used = kiln_node8_used(node); used != 0; used &= used - 1) {
        const kiln_contents lane = kiln_node8_contents(node, (unsigned)__builtin_ctz(used));
        if (lane.count == 0) {
            refer(e, tree, lane.first, last, references);
        }
        for (uint32_t slot = lane.first; slot < lane.first + lane.count; slot++) {
            const uint32_t stored = e->stored_of[tree->order[slot]];
            references[slot] = stored << KILN_REFERENCE_TRIANGLE;
            if (last[stored] != KILN_NO_INDEX) {
                references[slot] |= KILN_REFERENCE_LATER;
                references[last[stored]] |= KILN_REFERENCE_EARLIER;
            }
            last[stored] = slot;
        }
    }
}

/* The polygons in their final order, and the strings, whose room the names of groups share. */
static bool order_geometry(encoder *e)
{
    KILN_ASSERT(e->ids == NULL);
    const uint32_t count = e->model->soup->triangle_count;
    e->ids = kiln_arena_take(&e->arena, count, sizeof *e->ids);
    e->stored_of = kiln_arena_take(&e->arena, count, sizeof *e->stored_of);
    if (e->ids == NULL || e->stored_of == NULL) {
        return false;
    }
    /* An octree may have a triangle in several slots, of which the first gives it its place. */
    memset(e->stored_of, 0xFF, count * sizeof *e->stored_of);
    uint32_t stored = 0;
    for (uint32_t g = 0; g < e->model->group_count; g++) {
        const kiln_build_tree *tree = tree_of(e->model, g, 0);
        KILN_ASSERT(tree->slot_count == tree->triangle_count || is_shared(e->model, 0));
        for (uint32_t slot = 0; slot < tree->slot_count; slot++) {
            const uint32_t id = tree->order[slot];
            if (e->stored_of[id] == KILN_NO_INDEX) {
                e->ids[stored] = id;
                e->stored_of[id] = stored;
                stored++;
            }
        }
    }
    KILN_ASSERT(stored == count);

    /* Vertices in the order of first use by the stored triangles: neighbours stand together, which
     * both queries and deflate profit from. */
    const kiln_soup *soup = e->model->soup;
    uint32_t *place = kiln_arena_take(&e->arena, soup->vertex_count, sizeof *place);
    e->vertices = kiln_arena_take(&e->arena, soup->vertex_count, 3 * sizeof *e->vertices);
    e->triangles = kiln_arena_take(&e->arena, soup->triangle_count, 3 * sizeof *e->triangles);
    if (place == NULL || e->vertices == NULL || e->triangles == NULL) {
        return false;
    }
    /* All bits set is KILN_NO_INDEX, a vertex that no triangle has used so far; vertices that none
     * uses are left out of the file. */
    memset(place, 0xFF, soup->vertex_count * sizeof *place);
    for (size_t i = 0; i < 3 * (size_t)soup->triangle_count; i++) {
        const uint32_t vertex = soup->indices[3 * (size_t)e->ids[i / 3] + i % 3];
        if (place[vertex] == KILN_NO_INDEX) {
            place[vertex] = e->vertex_count;
            memcpy(e->vertices + 3 * (size_t)e->vertex_count, soup->positions + 3 * (size_t)vertex,
                   3 * sizeof(float));
            e->vertex_count++;
        }
        e->triangles[i] = place[vertex];
    }
    KILN_ASSERT(e->vertex_count <= soup->vertex_count);

    /* The names of parts and materials, then those of the groups, which the trees refer to and
     * join_trees writes. */
    size_t size = soup->names_size;
    for (uint32_t g = 0; g < e->model->group_count; g++) {
        size += strlen(e->model->groups[g].name) + 1;
    }
    e->strings = kiln_arena_take(&e->arena, size, 1);
    /* Offsets into the strings are stored as 32 bits, of which the last value means none. */
    if (e->strings == NULL || size >= KILN_NO_INDEX) {
        return false;
    }
    memcpy(e->strings, soup->strings, soup->names_size);
    e->strings_size = size;
    return true;
}

/* Tasks of a group of so many triangles. */
static uint32_t part_count(uint32_t triangles)
{
    KILN_ASSERT(triangles > 0);
    return triangles / HASH_CHUNK + (triangles % HASH_CHUNK != 0);
}

/* One task: hash and closedness of a part of a group. */
static void sum_part(void *context, uint32_t index)
{
    const summing *s = context;
    KILN_ASSERT(index < part_count(((const summing *)context)->group->count));
    const kiln_model_group *group = s->group;
    const uint32_t first = index * HASH_CHUNK;
    const uint32_t last = group->count - first < HASH_CHUNK ? group->count : first + HASH_CHUNK;
    kiln_geometry_hash_part(s->soup->positions, s->soup->indices, group->triangles, first, last,
                            s->parts[index].geometry);
    kiln_closed_part(s->soup->positions, s->soup->indices, group->triangles, first, last,
                     &s->parts[index].closed);
}

/* Entries, nodes and orders of all trees. Each tree is released as soon as it is copied. */
static bool join_trees(encoder *e)
{
    KILN_ASSERT(e->ids != NULL && e->strings != NULL);
    const kiln_model *model = e->model;
    const size_t orders = (size_t)model->soup->triangle_count * (model->kind_count - 1);
    size_t references = 0;
    for (size_t i = 0; i < (size_t)model->group_count * model->kind_count; i++) {
        references += is_shared(model, i % model->kind_count) ? model->trees[i].slot_count : 0;
    }
    e->trees = kiln_arena_take(&e->arena, (size_t)model->group_count * model->kind_count,
                               sizeof *e->trees);
    e->order = kiln_arena_take(&e->arena, orders > 0 ? orders : 1, sizeof *e->order);
    e->references = kiln_arena_take(&e->arena, references, sizeof *e->references);
    const size_t lasts = references > 0 ? model->soup->triangle_count : 1;
    uint32_t *last = kiln_arena_take(&e->arena, lasts, sizeof *last);
    if (e->trees == NULL || e->order == NULL || e->references == NULL || last == NULL ||
        orders >= KILN_NO_INDEX || references >= KILN_NO_INDEX ||
        (references > 0 &&
         model->soup->triangle_count > KILN_NO_INDEX >> KILN_REFERENCE_TRIANGLE)) {
        return false;
    }

    /* Room for the nodes of each kind, whose trees follow one another in one section, and for the
     * sums of the largest group, which the others use too. */
    e->nodes = kiln_arena_take(&e->arena, model->kind_count, sizeof *e->nodes);
    e->node_counts = kiln_arena_take(&e->arena, model->kind_count, sizeof *e->node_counts);
    if (e->nodes == NULL || e->node_counts == NULL) {
        return false;
    }
    for (uint32_t kind = 0; kind < model->kind_count; kind++) {
        uint64_t count = 0;
        for (uint32_t g = 0; g < model->group_count; g++) {
            count += tree_of(model, g, kind)->node_count;
        }
        if (count >= KILN_NO_INDEX) {
            return false;
        }
        e->nodes[kind] = kiln_arena_take(&e->arena, (size_t)count, model->kinds[kind]->node_size);
        e->node_counts[kind] = 0;
        if (e->nodes[kind] == NULL) {
            return false;
        }
    }
    uint32_t most = 0;
    for (uint32_t g = 0; g < model->group_count; g++) {
        const uint32_t count = part_count(model->groups[g].count);
        most = count > most ? count : most;
    }
    e->sums = kiln_arena_take(&e->arena, most, sizeof *e->sums);
    if (e->sums == NULL) {
        return false;
    }
    uint32_t name = (uint32_t)model->soup->names_size;
    uint32_t first = 0;
    for (uint32_t g = 0; g < model->group_count; g++) {
        const kiln_model_group *group = &model->groups[g];
        uint8_t hash[16];
        strcpy(e->strings + name, group->name);

        /* The hash and whether the surface is closed do not depend on the order of the triangles,
         * so they are the same for all kinds. Groups may be many and each is short, so that the
         * loop reports no progress; it fails where the caller cancels. */
        summing s = {e->model->soup, group, e->sums};
        const uint32_t parts = part_count(group->count);
        group_sums all;
        kiln_watch silent = *e->watch;
        silent.to = silent.from;
        memset(&all, 0, sizeof all);
        if (!kiln_parallel_for(&silent, parts, sum_part, &s)) {
            return false;
        }
        for (uint32_t i = 0; i < parts; i++) {
            all.geometry[0] += e->sums[i].geometry[0];
            all.geometry[1] += e->sums[i].geometry[1];
            kiln_closed_add(&all.closed, &e->sums[i].closed);
        }
        memcpy(hash, all.geometry, sizeof all.geometry);
        const uint32_t closed = kiln_closed_of(&all.closed);

        /* The entry of each kind, its nodes after those of the groups before, and its order; of the
         * first kind the stored triangles are in order. */
        for (uint32_t kind = 0; kind < model->kind_count; kind++) {
            kiln_format_tree *out = &e->trees[(size_t)g * model->kind_count + kind];

            const kiln_build_tree *tree = tree_of(e->model, g, kind);
            memset(out, 0, sizeof *out);
            out->name = name;
            out->bv = e->model->kinds[kind]->format_bv;
            out->leaf_max = (uint16_t)e->model->leaf_max;
            out->node_first = (uint32_t)e->node_counts[kind];
            /* The first kind needs no order, since the stored triangles follow its slots. */
            out->order_first = KILN_NO_INDEX;
            out->triangle_first = first;
            out->triangle_count = e->model->groups[g].count;
            out->node_count = tree->node_count;
            out->depth = tree->depth;
            memcpy(out->origin, tree->origin, sizeof out->origin);
            out->scale_exponent = tree->scale_exponent;
            memcpy(out->bounds_lower, tree->bounds_lower, sizeof out->bounds_lower);
            memcpy(out->bounds_upper, tree->bounds_upper, sizeof out->bounds_upper);
            memcpy((uint8_t *)e->nodes[kind] + e->node_counts[kind] * tree->node_size, tree->nodes,
                   (size_t)tree->node_count * tree->node_size);
            e->node_counts[kind] += tree->node_count;
            if (is_shared(model, kind)) {
                out->reference_count = tree->slot_count;
            }
            if (is_shared(model, kind) && !e->model->no_geometry) {
                out->order_first = e->reference_count;
                memset(last, 0xFF, lasts * sizeof *last);
                refer(e, tree, 0, last, e->references + e->reference_count);
                e->reference_count += tree->slot_count;
            } else if (kind > 0 && !e->model->no_geometry) {
                out->order_first = e->order_count;
                for (uint32_t slot = 0; slot < out->triangle_count; slot++) {
                    e->order[e->order_count++] = e->stored_of[tree->order[slot]];
                }
            }
            memcpy(out->geometry_hash, hash, sizeof hash);
            out->closed = closed;
            kiln_build_tree_drop_nodes(&model->trees[(size_t)g * model->kind_count + kind]);
        }
        name += (uint32_t)strlen(group->name) + 1;
        first += group->count;
    }
    return true;
}

/* The pairs of lanes of tree `index`, an octree. False: cancelled. */
static bool find_lane_pairs(const encoder *e, uint32_t index, const kiln_watch *watch)
{
    const kiln_model *model = e->model;
    const uint32_t kind = index % model->kind_count;
    const kiln_format_tree *entry = &e->trees[index];
    const kiln_view_tree tree = {.entry = entry,
                                 .kind = kiln_node_kind_find(entry->bv),
                                 .nodes = (const uint8_t *)e->nodes[kind] +
                                          (size_t)entry->node_first * model->kinds[kind]->node_size,
                                 .order = e->references + entry->order_first,
                                 .slots = entry->reference_count};
    return kiln_lane_pairs_find(&tree, e->triangles, e->vertices, watch,
                                e->lane_pairs + entry->node_first);
}

/* One task, on any thread: those of a tree, if it is an octree. */
static void find_lane_pairs_of(void *context, uint32_t index)
{
    const encoder *e = context;
    const kiln_watch silent = {.threads = 1};
    if (is_shared(e->model, index % e->model->kind_count)) {
        (void)find_lane_pairs(e, index, &silent);
    }
}

/* Those of all octrees, whose triangles the file has. One tree reports on its way, several when
 * each is done. */
static bool add_lane_pairs(encoder *e, const kiln_watch *watch)
{
    const kiln_model *model = e->model;
    const uint32_t trees = model->group_count * model->kind_count;
    bool done = true;
    for (uint32_t kind = 0; kind < model->kind_count && e->reference_count > 0 && done; kind++) {
        if (is_shared(model, kind)) {
            KILN_ASSERT(e->lane_pairs == NULL);
            e->lane_pair_count = e->node_counts[kind];
            e->lane_pairs =
                kiln_arena_take(&e->arena, (size_t)e->lane_pair_count, sizeof *e->lane_pairs);
            done =
                e->lane_pairs != NULL &&
                (model->group_count == 1 ? find_lane_pairs(e, kind, watch)
                                         : kiln_parallel_for(watch, trees, find_lane_pairs_of, e));
        }
    }
    return done;
}

/* Do faces follow one another in every part, so that the first determines all? A part without
 * triangles states nothing and breaks nothing. All of each part is read even after the answer is
 * known: the usual answer is yes. */
static bool faces_follow(const kiln_soup *soup)
{
    bool follow = true;
    for (uint32_t i = 0; i < soup->part_count; i++) {
        const kiln_soup_part *part = &soup->parts[i];
        const uint32_t *face = soup->face + part->triangle_first;
        for (uint32_t k = 0; k < part->triangle_count; k++) {
            follow = follow && face[k] == face[0] + k;
        }
    }
    return follow;
}

/* Have the triangles of every part one user value? */
static bool users_agree(const kiln_soup *soup)
{
    bool agree = true;
    for (uint32_t i = 0; i < soup->part_count; i++) {
        const kiln_soup_part *part = &soup->parts[i];
        const uint32_t *user = soup->user + part->triangle_first;
        for (uint32_t k = 0; k < part->triangle_count; k++) {
            agree = agree && user[k] == user[0];
        }
    }
    return agree;
}

enum { FIXED_SECTIONS = 10, SECTIONS_MAX = FIXED_SECTIONS + 6 + KILN_NODE_KIND_COUNT };

/* Makes the file, which becomes the caller's. The trees' arrays are released on the way, also
 * where it fails later. packed_sizes gets the stored bytes of the nodes of each kind. */
kiln_bake_status kiln_model_encode(const kiln_model *model, kiln_layout layout,
                                   const uint8_t build_key[16], const kiln_watch *watch,
                                   void **file, size_t *size, uint64_t *packed_sizes)
{
    KILN_ASSERT(model->group_count > 0 && model->kind_count > 0);
    KILN_ASSERT(model->leaf_max > 0);
    encoder e;
    memset(&e, 0, sizeof e);
    e.model = model;
    e.watch = watch;
    kiln_bake_status status = KILN_BAKE_FAILED;
    /* Pairs of lanes take about as long as all that follows. */
    kiln_watch first = *watch, rest = *watch;
    for (uint32_t kind = 0; kind < model->kind_count && !model->no_geometry; kind++) {
        if (is_shared(model, kind)) {
            first.to = rest.from = 0.5 * (watch->from + watch->to);
        }
    }
    if (!order_geometry(&e) || !join_trees(&e) || !add_lane_pairs(&e, &first)) {
        goto done;
    }
    const kiln_soup *soup = model->soup;
    const uint64_t trees = (uint64_t)model->group_count * model->kind_count;

    /* Entries and boxes of the trees' counts, in the order of the directory. */
    if (model->counts->grid != 0) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < trees; i++) {
            count += model->trees[i].box_count;
        }
        e.counts = kiln_arena_take(&e.arena, (size_t)trees, sizeof *e.counts);
        e.boxes = kiln_arena_take(&e.arena, (size_t)count, sizeof *e.boxes);
        if (e.counts == NULL || e.boxes == NULL || count >= KILN_NO_INDEX) {
            goto done;
        }
        for (uint64_t i = 0; i < trees; i++) {
            kiln_build_tree *tree = &model->trees[i];
            e.counts[i] = *model->counts;
            e.counts[i].tree = (uint32_t)i;
            e.counts[i].box_first = (uint32_t)e.box_count;
            e.counts[i].box_count = tree->box_count;
            memcpy(e.boxes + e.box_count, tree->boxes, tree->box_count * sizeof *e.boxes);
            e.box_count += tree->box_count;
            kiln_build_tree_drop_boxes(tree);
        }
        KILN_ASSERT(e.box_count == count);
    }

    /* Parts as the file has them. What all triangles of a part share is stored with it, once. */
    e.faces_follow = faces_follow(soup);
    e.users_agree = users_agree(soup);
    e.parts = kiln_arena_take(&e.arena, soup->part_count, sizeof *e.parts);
    if (e.parts == NULL) {
        goto done;
    }
    for (uint32_t i = 0; i < soup->part_count; i++) {
        const kiln_soup_part *from = &soup->parts[i];
        e.parts[i] = (kiln_format_part){from->triangle_first,
                                        from->triangle_count,
                                        from->node_path,
                                        from->mesh_name,
                                        from->mesh,
                                        from->primitive,
                                        0,
                                        0};
        if (e.faces_follow && from->triangle_count > 0) {
            e.parts[i].face = soup->face[from->triangle_first];
        }
        if (e.users_agree && from->triangle_count > 0) {
            e.parts[i].user = soup->user[from->triangle_first];
        }
    }

    /* The directory first, then the sections in the order of their use: a file that is still
     * arriving answers from the front of it, and no query needs the end. */
    kiln_section_input s[SECTIONS_MAX];
    const uint64_t triangles = model->no_geometry ? 0 : soup->triangle_count;
    const uint64_t vertices = model->no_geometry ? 0 : e.vertex_count;
    uint32_t n = 0;
    s[n++] = (kiln_section_input){KILN_SECTION_TREES, e.trees, trees * sizeof *e.trees, 0};
    s[n++] = (kiln_section_input){KILN_SECTION_STRINGS, e.strings, e.strings_size, 0};
    if (e.box_count > 0) {
        s[n++] = (kiln_section_input){KILN_SECTION_ADB, e.counts, trees * sizeof *e.counts, 0};
    }
    if (model->weight_count > 0) {
        s[n++] = (kiln_section_input){KILN_SECTION_ADB_WEIGHTS, model->weights,
                                      model->weight_count * sizeof *model->weights, 0};
    }
    if (e.box_count > 0) {
        s[n++] =
            (kiln_section_input){KILN_SECTION_ADB_BOXES, e.boxes, e.box_count * sizeof *e.boxes, 0};
    }

    /* Nodes, a section for each kind, the orders of all kinds but the first, and references. */
    const uint32_t nodes = n;
    for (uint32_t kind = 0; kind < model->kind_count; kind++) {
        s[n++] = (kiln_section_input){model->kinds[kind]->section, e.nodes[kind],
                                      e.node_counts[kind] * model->kinds[kind]->node_size, 0};
    }
    if (e.order_count > 0) {
        s[n++] = (kiln_section_input){KILN_SECTION_ORDER, e.order, 4 * (uint64_t)e.order_count, 0};
    }

    if (e.reference_count > 0) {
        s[n++] = (kiln_section_input){KILN_SECTION_REFERENCES, e.references,
                                      4 * (uint64_t)e.reference_count, 0};
    }
    if (e.lane_pairs != NULL) {
        s[n++] =
            (kiln_section_input){KILN_SECTION_LANE_PAIRS, e.lane_pairs, 4 * e.lane_pair_count, 0};
    }

    /* The polygons and where they come from. Faces and user values are sections only where the
     * parts cannot state them. */
    s[n++] = (kiln_section_input){KILN_SECTION_TRIANGLES, e.triangles, 12 * triangles, 0};
    s[n++] = (kiln_section_input){KILN_SECTION_VERTICES, e.vertices, 12 * vertices, 0};
    s[n++] = (kiln_section_input){KILN_SECTION_TRIANGLE_IDS, e.ids, 4 * triangles, 0};
    s[n++] = (kiln_section_input){KILN_SECTION_PARTS, e.parts,
                                  (uint64_t)soup->part_count * sizeof *e.parts, 0};
    s[n++] = (kiln_section_input){KILN_SECTION_MATERIALS, soup->materials,
                                  (uint64_t)soup->material_count * 4, 0};
    if (!e.faces_follow && triangles > 0) {
        s[n++] = (kiln_section_input){KILN_SECTION_FACES, soup->face, 4 * triangles, 0};
    }
    if (!e.users_agree && triangles > 0) {
        s[n++] = (kiln_section_input){KILN_SECTION_USER, soup->user, 4 * triangles, 0};
    }
    s[n++] = (kiln_section_input){KILN_SECTION_META, model->meta, model->meta_size, 0};
    KILN_ASSERT(n <= SECTIONS_MAX);

    uint64_t stored[SECTIONS_MAX];
    status = kiln_container_write(s, n, layout, soup->points ? KILN_FORMAT_OPTIONAL_POINTS : 0,
                                  build_key, &rest, file, size, stored);
    for (uint32_t kind = 0; kind < model->kind_count && status == KILN_BAKE_OK; kind++) {
        packed_sizes[kind] = stored[nodes + kind];
    }
done:
    kiln_arena_free(&e.arena);
    return status;
}
