/* The build of a tree, from triangles to encoded nodes, in the order of its steps: records, frame,
 * binary tree, bounding volumes, collapse, numbering, encoding.
 *
 * A tree may be built in several variants of which the best is kept (replace_by_best), so one
 * build is a struct with an arena of its own, freed before the next begins. Nodes are numbered in
 * two passes of one recursion, visit: the first counts, the second writes the heads, when arrays
 * of the right size exist. Bodies of nodes are encoded by all threads afterwards. */
#include "wide8.h"

#include "../../formats/assert.h"
#include "box_fit.h"
#include "builders.h"
#include "judge.h"
#include "lane_obb.h"
#include "octree.h"
#include "spheres.h"
#include "treelet.h"

#include "../../formats/codec.h"
#include "../common/tree_cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16384, NODE_CHUNK = 16 }; /* triangles and nodes a task */

/* Everything of one build. Per triangle: records 40 bytes, binary nodes 16, marks of the builder 4;
 * later plans (about 6) and the result (about 11) instead of the marks. */
typedef struct {
    const kiln_wide8_kind *kind;
    const kiln_build_input *input;
    kiln_build_tree *out;
    kiln_arena arena;
    kiln_record *records;
    kiln_cloud cloud;
    kiln_box_fits fits; /* used where the fit is not the default */
    kiln_binary binary;
    kiln_spheres spheres;
    kiln_octree octree;
    kiln_spheres_by spheres_by; /* of balls: who chooses them */
    kiln_wide *plans;           /* of each node */
    uint32_t *top;              /* first child of each node that the top of the tree opens */
    uint32_t top_count;
    uint32_t node_count, slot_count, depth;
    kiln_watch watch;
    double begin, share; /* the part of the stage that this tree stands for */
    bool cancelled;
} job;

/* A way to make the binary tree. */
typedef struct {
    bool oriented;       /* cut by the builder's other divider */
    unsigned passes;     /* of treelets */
    unsigned most_share; /* over nodes of at most this share of all triangles: 1 / most_share */
} variant;

/* The input's name of a triangle by its position. */
static uint32_t name_of(const kiln_build_input *input, uint32_t position)
{
    KILN_ASSERT(position < input->count);
    return input->triangles == NULL ? position : input->triangles[position];
}

static uint32_t chunk_count(uint32_t count, uint32_t chunk)
{
    KILN_ASSERT(chunk > 0);
    return count / chunk + (count % chunk != 0);
}

static uint32_t chunk_end(uint32_t first, uint32_t count, uint32_t chunk)
{
    KILN_ASSERT(first < count);
    return count - first < chunk ? count : first + chunk;
}

static const float *corner_of(const kiln_build_input *input, uint32_t name, unsigned corner)
{
    KILN_ASSERT(corner < 3);
    return input->positions + 3 * (size_t)input->indices[3 * (size_t)name + corner];
}

/* One task: records of a chunk of triangles. */
static void make_records(void *context, uint32_t index)
{
    const job *j = context;
    KILN_ASSERT(index < chunk_count(j->input->count, CHUNK));
    const uint32_t first = index * CHUNK, end = chunk_end(first, j->input->count, CHUNK);
    for (uint32_t t = first; t < end; t++) {
        const uint32_t name = name_of(j->input, t);
        const float *a = corner_of(j->input, name, 0);
        const float *b = corner_of(j->input, name, 1);
        const float *c = corner_of(j->input, name, 2);
        kiln_record *record = &j->records[t];
        record->triangle = t;
        for (unsigned k = 0; k < 3; k++) {
            record->corner[0][k] = a[k];
            record->corner[1][k] = b[k];
            record->corner[2][k] = c[k];
        }
    }
}

enum { CROWD_SAMPLE = 1021, CROWD_LEAST = 64 };

static int compare_floats(const void *p, const void *q)
{
    const float a = *(const float *)p, b = *(const float *)q;
    return (a > b) - (a < b);
}

/* From triangles at even distances in the input: what is true of most of them shows. */
static void measure_crowd(const job *j, kiln_crowd *crowd)
{
    KILN_ASSERT(j->input->count >= CROWD_LEAST);
    const uint32_t count = j->input->count;
    const uint32_t sample = count < CROWD_SAMPLE ? count : CROWD_SAMPLE;
    float value[CROWD_SAMPLE];
    for (unsigned k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < sample; i++) {
            const uint32_t t = (uint32_t)((uint64_t)i * count / sample);
            value[i] = kiln_record_lower(&j->records[t], k) + 0.0f;
        }
        qsort(value, sample, sizeof value[0], compare_floats);
        crowd->quarter[k] = value[sample / 4];
        crowd->median[k] = value[sample / 2];
        crowd->three_quarters[k] = value[sample - 1 - sample / 4];
    }
}

/* Sets the part of the stage that the next loop stands for. */
static void part(job *j, double from, double to)
{
    KILN_ASSERT(from <= to && from >= 0 && to <= 1);
    j->watch.from = j->begin + j->share * from;
    j->watch.to = j->begin + j->share * to;
}

/* A loop over the job; false, noted in `cancelled`, when the caller cancels. */
static bool run(job *j, uint32_t tasks, kiln_task task)
{
    j->cancelled = !kiln_parallel_for(&j->watch, tasks, task, j);
    return !j->cancelled;
}

/* A construction that makes wide nodes at once, and their order of the records. */
static bool plan_spheres(job *j, uint32_t leaf)
{
    const uint32_t count = j->input->count;
    kiln_sphere_job make = {.cloud = j->cloud,
                            .records = j->records,
                            .count = count,
                            .leaf = leaf,
                            .out = &j->spheres,
                            .watch = &j->watch};
    make.spare = kiln_arena_take(&j->arena, count, sizeof *make.spare);
    make.marks = kiln_arena_take(&j->arena, count, sizeof *make.marks);
    if (make.spare == NULL || make.marks == NULL) {
        return false;
    }
    j->binary = (kiln_binary){.count = count, .leaf = leaf};
    j->cloud.spheres = &j->spheres;
    const bool made = j->spheres_by == KILN_SPHERES_OCTREE ? kiln_spheres_octree(&make)
                                                           : kiln_spheres_medial(&make);
    j->cancelled = make.cancelled;
    return made;
}

/* An octree, whose records are its references from then on. */
static bool plan_octree(job *j, uint32_t leaf)
{
    if (!kiln_octree_build(&j->cloud, j->input->count, leaf, &j->watch, &j->octree,
                           &j->cancelled)) {
        return false;
    }
    KILN_ASSERT(j->octree.reference_count < KILN_NO_INDEX);
    j->binary = (kiln_binary){.count = (uint32_t)j->octree.reference_count, .leaf = leaf};
    j->records = j->octree.references;
    j->cloud.records = j->octree.references;
    j->cloud.octree = &j->octree;
    return true;
}

/* From triangles to the binary tree: records, frame, cuts, and treelets where the variant has
 * them. */
static bool order_triangles(job *j, uint32_t leaf, const kiln_builder *builder, const variant *v)
{
    KILN_ASSERT(leaf > 0 && v->most_share > 0);
    const uint32_t count = j->input->count, chunks = chunk_count(count, CHUNK);
    j->records = kiln_arena_take(&j->arena, count, sizeof *j->records);
    if (j->records == NULL) {
        return false;
    }
    part(j, 0, 0.05);
    if (!run(j, chunks, make_records)) {
        return false;
    }

    kiln_build_tree *out = j->out;
    float lower[3] = {INFINITY, INFINITY, INFINITY};
    float upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t t = 0; t < j->input->count; t++) {
        for (unsigned k = 0; k < 3; k++) {
            const float low = kiln_record_lower(&j->records[t], k);
            const float high = kiln_record_upper(&j->records[t], k);
            lower[k] = low < lower[k] ? low : lower[k];
            upper[k] = high > upper[k] ? high : upper[k];
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        out->bounds_lower[k] =
            lower[k] + 0.0f; /* -0 becomes 0: which one came first must not show */
        out->bounds_upper[k] = upper[k] + 0.0f;
    }
    kiln_crowd crowd;
    const bool many = j->input->count >= CROWD_LEAST;
    if (many) {
        measure_crowd(j, &crowd);
    }
    kiln_frame_choose(out->bounds_lower, out->bounds_upper, many ? &crowd : NULL, &j->cloud.frame);
    part(j, 0.05, v->passes == 0 ? 0.45 : 0.25);
    j->cloud.records = j->records;
    if (j->kind->shared) {
        return plan_octree(j, leaf);
    }
    if (j->spheres_by == KILN_SPHERES_OCTREE || j->spheres_by == KILN_SPHERES_MEDIAL) {
        return plan_spheres(j, leaf);
    }
    if (!kiln_builder_order(builder, v->oriented, &j->binary, j->records, count, leaf, &j->watch,
                            &j->arena, &j->cancelled)) {
        return false;
    }
    part(j, 0.25, 0.45);
    return v->passes == 0 || kiln_treelets_improve(&j->cloud, j->records, &j->binary, v->passes,
                                                   count / v->most_share, &j->watch, &j->cancelled);
}

static bool is_inner(const job *j, const kiln_range *lane)
{
    KILN_ASSERT(lane->first < lane->last);
    return !kiln_is_leaf(&j->binary, lane);
}

static kiln_format_node8 *node_at(const kiln_build_tree *tree, uint32_t index)
{
    return (kiln_format_node8 *)(uintptr_t)kiln_node_at(tree->nodes, tree->node_size, index);
}

/* The lanes of the node that stands for `range` at `depth`. Of a binary kind they are its two
 * sides, or the root itself where that is a leaf. */
static void choose_lanes(const job *j, const kiln_range *range, unsigned depth, kiln_wide *wide)
{
    KILN_ASSERT(depth >= 1 && range->first < range->last);
    if (j->spheres.nodes != NULL) {
        *wide = j->spheres.nodes[range->split].wide;
        wide->planned = range->split;
    } else if (j->kind->shared) {
        *wide = j->octree.nodes[range->split].wide;
        wide->planned = range->split;
    } else if (!j->kind->binary) {
        kiln_collapse8(&j->binary, range, KILN_WIDE_DEPTH_MAX + 1 - depth, wide);
    } else if (is_inner(j, range)) {
        kiln_sides(&j->binary, range, wide->lane);
        wide->lane_count = 2;
    } else {
        wide->lane[0] = *range;
        wide->lane_count = 1;
    }
}

/* Lanes that lead to nodes. */
static unsigned inner_count(const job *j, const kiln_wide *wide)
{
    KILN_ASSERT(wide->lane_count >= 1 && wide->lane_count <= 8);
    unsigned count = 0;
    for (unsigned i = 0; i < wide->lane_count; i++) {
        count += is_inner(j, &wide->lane[i]);
    }
    return count;
}

/* A node of the top and its depth. */
typedef struct {
    kiln_range range;
    unsigned depth;
} top_node;

/* Visits node `index` and all below it. Siblings have successive numbers: those of the top their
 * own, the others get them before any of them is entered. With no plans yet it only counts.
 * Recursion at most KILN_WIDE_DEPTH_MAX deep, or KILN_BINARY_DEPTH_MAX for binary kinds. */
static void visit(job *j, const kiln_range *range, uint32_t index, unsigned depth)
{
    KILN_ASSERT(depth >= 1);
    kiln_wide wide;
    choose_lanes(j, range, depth, &wide);
    const bool is_top = index < j->top_count;
    uint32_t child = is_top ? j->top[index] : j->node_count;
    if (j->plans != NULL) {
        j->plans[index] = wide;

        kiln_format_node8 *node = node_at(j->out, index);
        /* The head: leaves take the next slots, inner lanes the next numbers. */
        unsigned inner = 0;
        node->tri = j->slot_count;
        for (unsigned i = 0; i < wide.lane_count; i++) {
            const kiln_range *lane = &wide.lane[i];
            if (is_inner(j, lane)) {
                inner |= 1u << i;
            } else {
                const unsigned count = lane->last - lane->first;
                node->count[i / 2] = (uint8_t)(node->count[i / 2] | count << (4 * (i % 2)));

                for (uint32_t t = lane->first; t < lane->last; t++) {
                    j->out->order[j->slot_count++] = name_of(j->input, j->records[t].triangle);
                }
            }
        }
        node->inner = (uint8_t)inner;
        node->child = inner != 0 ? child : 0;
    }
    j->node_count += is_top ? 0 : inner_count(j, &wide);
    j->depth = depth > j->depth ? depth : j->depth;
    for (unsigned i = 0; i < wide.lane_count; i++) {
        if (is_inner(j, &wide.lane[i])) {
            visit(j, &wide.lane[i], child++, depth + 1);
        }
    }
}

/* Visits the whole tree, whose top has the first `top` numbers. */
static void visit_root(job *j, uint32_t top)
{
    KILN_ASSERT(top >= 1);
    const kiln_range root = {0, j->binary.count, j->binary.root};
    j->node_count = top;
    visit(j, &root, 0, 1);
}

/* One task: the bodies of a chunk of nodes. */
static void encode_nodes(void *context, uint32_t index)
{
    const job *j = context;
    KILN_ASSERT(j->plans != NULL);
    const uint32_t first = index * NODE_CHUNK;
    const uint32_t end = chunk_end(first, j->out->node_count, NODE_CHUNK);
    for (uint32_t i = first; i < end; i++) {
        j->kind->encode(&j->cloud, &j->binary, &j->plans[i], node_at(j->out, i));
    }
}

/* Numbers the nodes in a first pass that counts and a second that writes, then encodes them by
 * all threads. */
static bool encode_tree(job *j)
{
    KILN_ASSERT(j->out->nodes == NULL);
    kiln_build_tree *out = j->out;

    /* Numbers the top of the tree breadth-first: as much as a file's first block of nodes holds, so
     * that who has that block has all of the tree, coarsely. */
    const uint32_t most = kiln_block_raw_size(j->out->node_size);
    const uint32_t room = most / j->out->node_size;
    top_node *nodes = kiln_arena_take(&j->arena, room, sizeof *nodes);
    j->top = kiln_arena_take(&j->arena, room, sizeof *j->top);
    if (nodes == NULL || j->top == NULL) {
        return false;
    }
    nodes[0] = (top_node){{0, j->binary.count, j->binary.root}, 1};
    uint32_t count = 1;
    for (j->top_count = 0; j->top_count < count; j->top_count++) {
        const top_node *node = &nodes[j->top_count];
        kiln_wide wide;
        choose_lanes(j, &node->range, node->depth, &wide);
        /* Siblings must have successive numbers, so a node whose children don't all fit ends the
         * top. */
        if (inner_count(j, &wide) > room - count) {
            break;
        }
        j->top[j->top_count] = count;
        for (unsigned i = 0; i < wide.lane_count; i++) {
            if (is_inner(j, &wide.lane[i])) {
                nodes[count++] = (top_node){wide.lane[i], node->depth + 1};
            }
        }
    }
    j->node_count = count;
    const uint32_t top = j->node_count;
    visit_root(j, top);
    out->node_count = j->node_count;
    out->depth = j->depth;
    out->nodes = calloc(j->node_count, out->node_size);
    out->slot_count = j->binary.count;
    out->order = malloc((size_t)out->slot_count * sizeof *out->order);
    j->plans = kiln_arena_take(&j->arena, j->node_count, sizeof *j->plans);
    if (out->nodes == NULL || out->order == NULL || j->plans == NULL) {
        return false;
    }
    visit_root(j, top);
    part(j, 0.8, 1);
    return run(j, chunk_count(j->node_count, NODE_CHUNK), encode_nodes);
}

/* One variant, from triangles to encoded nodes. */
static bool build(job *j, uint32_t leaf, const kiln_builder *builder, const variant *v)
{
    KILN_ASSERT(j->out->nodes == NULL && j->records == NULL);
    atomic_bool out_of_memory = false;
    if (!order_triangles(j, leaf, builder, v)) {
        return false;
    }
    for (unsigned k = 0; k < 3; k++) {
        j->out->origin[k] = j->cloud.frame.origin[k];
    }
    j->out->scale_exponent = j->cloud.frame.exponent;
    part(j, 0.45, 0.75);
    if (j->spheres_by == KILN_SPHERES_COVER) {
        j->cloud.spheres = &j->spheres;
        if (!kiln_spheres_cover(&j->cloud, &j->binary, &j->arena, &j->spheres)) {
            return false;
        }
    }
    const bool planned = j->spheres.nodes != NULL || j->kind->shared;
    if (j->fits.finest > 0) {
        j->fits.tree = &j->binary;
        j->fits.out_of_memory = &out_of_memory;
        j->fits.inner = kiln_arena_take(&j->arena, j->binary.count, sizeof *j->fits.inner);
        j->cloud.fits = &j->fits;
        if (j->fits.inner == NULL) {
            return false;
        }
    }
    if (!planned && !kiln_measure_tree(&j->cloud, &j->binary, j->kind->fit, j->kind->needs_moments,
                                       &j->watch, &j->arena, &j->cancelled)) {
        return false;
    }
    part(j, 0.75, 0.8);
    if (!planned && !j->kind->binary &&
        !kiln_collapse8_plan(&j->binary, &j->watch, &j->arena, &j->cancelled)) {
        return false;
    }
    if (!encode_tree(j) || atomic_load(&out_of_memory)) {
        return false;
    }

    const kiln_cost_tree built = {.nodes = j->out->nodes,
                                  .count = j->out->node_count,
                                  .node_size = j->out->node_size,
                                  .decode = j->kind->decode,
                                  .lower = j->out->bounds_lower,
                                  .upper = j->out->bounds_upper,
                                  .scale_exponent = j->out->scale_exponent};
    j->out->sah_cost = kiln_tree_cost(&built);
    part(j, 1, 1);
    return kiln_watch_report(&j->watch);
}

/* The job that is common to all variants. */
static bool build_variant(const job *common, uint32_t leaf, const kiln_builder *builder,
                          const variant *v, double begin, double share, kiln_build_tree *tree)
{
    KILN_ASSERT(share > 0 && begin + share <= 1.0001);
    job j = *common;
    *tree = *common->out;
    j.out = tree;
    j.begin = begin;
    j.share = share;
    const bool done = build(&j, leaf, builder, v);
    kiln_spheres_free(&j.spheres);
    kiln_octree_free(&j.octree);
    kiln_arena_free(&j.arena);
    return done;
}

/* The first is what default quality builds. Rearranging a tree down to its root makes it better in
 * the mean, but what the nearest few nodes are decides how soon a hit is found: so also without
 * these. */
static const variant variants[] = {{false, 0, 1}, {false, 2, 3}, {false, 2, 8}, {true, 2, 1}};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Of binary trees. */
static const variant oriented_cuts = {true, 0, 1};

/* Fewer triangles are hardly worth a sample of poses, which costs as much as 5000 do. */
enum { JUDGED_LEAST = 1024 };

/* Builds the first variant, then replaces it by the one in which queries open the least, but by
 * none that is worse than the first in any class of poses. */
static bool build_best(const job *common, uint32_t leaf, const kiln_builder *builder,
                       kiln_build_tree *out)
{
    KILN_ASSERT(out != NULL);
    const double share = 1.0 / VARIANTS;
    kiln_judgement base, best, other;
    kiln_watch watch = common->watch;
    bool hopeless = false;
    kiln_judge_pose *poses = malloc(KILN_JUDGE_POSES * sizeof *poses);
    bool good = poses != NULL && build_variant(common, leaf, builder, &variants[0], 0, share, out);
    watch.from = watch.to = share;
    good = good &&
           kiln_judge_choose(common->kind->decode, common->input, out, &watch, poses, &hopeless);
    if (!good || hopeless) {
        goto done;
    }
    good = kiln_judge(common->kind->decode, common->input, out, &watch, poses, &base);
    best = base;
    for (unsigned i = 1; good && i < VARIANTS; i++) {
        kiln_build_tree tree;
        good = build_variant(common, leaf, builder, &variants[i], i * share, share, &tree);
        watch.from = watch.to = (i + 1) * share;
        good =
            good && kiln_judge(common->kind->decode, common->input, &tree, &watch, poses, &other);
        if (good && kiln_judged_better(&other, &best, &base)) {
            /* The better tree and the one that is freed change places, so exactly one is left
             * after each round. */
            const kiln_build_tree worse = *out;
            *out = tree;
            tree = worse;
            best = other;
        }
        kiln_build_tree_free(&tree);
    }
done:
    free(poses);
    return good;
}

/* Which variants are built follows from quality and kind; default quality and boxes along axes
 * have one. */
kiln_bake_status kiln_build_wide8(const kiln_build_kind *kind, const kiln_wide8_kind *wide,
                                  const kiln_build_input *input, const kiln_bake_options *options,
                                  kiln_build_tree *tree)
{
    KILN_ASSERT(input->count > 0 && options->leaf > 0);
    char stage[32];
    const kiln_builder *builder = kiln_builder_find(options->builder);
    if (builder == NULL) {
        return KILN_BAKE_USAGE;
    }
    snprintf(stage, sizeof stage, "build %s", kind->name);
    tree->node_size = kind->node_size;
    tree->triangle_count = input->count;
    kiln_build_tree empty = *tree;
    job common = {.kind = wide, .input = input, .out = &empty};
    common.watch = (kiln_watch){.threads = kiln_thread_count(options->threads),
                                .progress = options->progress,
                                .user = options->progress_user,
                                .stage = stage};
    common.cloud.quick = options->quality == KILN_QUALITY_FAST;
    common.spheres_by = wide->balls ? options->spheres : KILN_SPHERES_LEAST;
    common.cloud.of_children = options->fit_to == KILN_FIT_TO_CHILDREN;
    const bool fitted = common.cloud.of_children || options->box_fit != KILN_BOX_FIT_SEARCH;
    common.fits.rule = options->box_fit;
    common.fits.finest = !fitted || wide->fit != kiln_lane_obb_fit ? 0
                         : wide->binary                            ? KILN_FINEST_STEP2
                                                                   : KILN_FINEST_STEP8;
    const uint32_t leaf = (uint32_t)options->leaf;
    const bool best = wide->needs_moments && options->quality == KILN_QUALITY_BEST;
    const bool judged = best && !wide->binary && input->count >= JUDGED_LEAST;
    const variant *only = best && wide->binary ? &oriented_cuts : &variants[0];
    const bool done = judged ? build_best(&common, leaf, builder, tree)
                             : build_variant(&common, leaf, builder, only, 0, 1, tree);
    return done ? KILN_BAKE_OK : KILN_BAKE_FAILED;
}

void kiln_build_tree_drop_nodes(kiln_build_tree *tree)
{
    free(tree->nodes);
    free(tree->order);
    tree->nodes = NULL;
    tree->order = NULL;
}

void kiln_build_tree_drop_boxes(kiln_build_tree *tree)
{
    free(tree->boxes);
    tree->boxes = NULL;
}

void kiln_build_tree_free(kiln_build_tree *tree)
{
    kiln_build_tree_drop_nodes(tree);
    kiln_build_tree_drop_boxes(tree);
    memset(tree, 0, sizeof *tree);
}
