/* Copies of trees whose volumes follow moving vertices.
 *
 * The topology stays, and volumes are fitted bottom-up, as G. van den Bergen, "Efficient collision
 * detection of complex deformable models using AABB trees", 1997, does for boxes; T. Larsson and T.
 * Akenine-Moller, "Collision detection for continuously deforming bodies", 2001, compare ways.
 * Nodes have higher numbers than their parents (rule 17), so one pass from the last node to the
 * first meets every child before its parent. Each node leaves the interval of all that is below it
 * along every direction of its kind, in double, and its parent joins those of its lanes: no vertex
 * is read twice on the way up, and boxes and slabs are as tight as those of a bake. Only balls are
 * not: that of an inner lane holds the balls below it, or the box, whichever is smaller.
 *
 * Proof. A lane holds what is below it in exact arithmetic, in node space as the format defines it.
 * Extents along axes are those of coordinates that were computed once; along a diagonal, and about
 * a centre, they are rounded, by less than the bounds stated below, and those widen the volume.
 * What is stored is then rounded outward by the functions that the baker uses (formats/grid.h),
 * against the decoder. The frame is chosen anew for every update, so that coordinates are within
 * [-1, 1], wherever the mesh has moved; the proofs of the kernels rest on that and no more. */
#include "../../formats/assert.h"
#include "../../formats/frame.h"
#include "../../formats/grid.h"
#include "../base/fpu.h"
#include "../base/caller_memory.h"
#include "../base/tree.h"

#include <math.h>
#include <string.h>

enum {
    REFIT_ALIGNMENT = 64,
    REFIT_BEYOND = 64
}; /* kernels load whole vectors, past the last element */

/* Least and greatest coordinates along each direction. */
typedef struct {
    double lower[KILN_DOP_DIRECTIONS_MAX], upper[KILN_DOP_DIRECTIONS_MAX];
} slab_extents;

struct kiln_refit {
    kiln_tree tree; /* shares what does not move with the tree that it is a copy of */
    kiln_format_tree entry;
    uint8_t *nodes;
    float *vertices;
    double *below; /* by node: lower, then upper ends along all directions */
    unsigned directions;
    uint32_t vertex_count;
};

/* -------------------------------------------------------------------------------------- memory --
 */

/* 0: a kind that is not refitted. */
static unsigned directions_of(const kiln_tree *tree)
{
    const kiln_node_kind *kind = tree->view.kind;
    const bool refitted = kind->bv == KILN_FORMAT_BV_AABB8 || kind->bv == KILN_FORMAT_BV_AABB2 ||
                          kind->bv == KILN_FORMAT_BV_SPHERE || kind->dop != NULL;
    return !refitted ? 0 : kind->dop != NULL ? kiln_dop_directions(kind->dop) : 3;
}

/* Where the parts of a copy begin, and its size. */
typedef struct {
    size_t nodes, vertices, below, size;
} refit_parts;

static size_t to_line(size_t size)
{
    return (size + REFIT_ALIGNMENT - 1) / REFIT_ALIGNMENT * REFIT_ALIGNMENT;
}

static refit_parts parts_of(const kiln_tree *tree, unsigned directions)
{
    const size_t nodes = (size_t)tree->view.entry->node_count * tree->view.kind->node_size;
    const size_t vertices = (size_t)tree->file->view.vertex_count * 3 * sizeof(float);
    const size_t below = (size_t)tree->view.entry->node_count * directions * 2 * sizeof(double);
    refit_parts at;
    at.nodes = to_line(sizeof(kiln_refit));
    at.vertices = at.nodes + to_line(nodes + REFIT_BEYOND);
    at.below = at.vertices + to_line(vertices + REFIT_BEYOND);
    at.size = at.below + below + REFIT_ALIGNMENT - 1;
    return at;
}

static kiln_status check_refitted(const kiln_tree *tree)
{
    if (directions_of(tree) == 0 || tree->view.heights != NULL) {
        return KILN_ERROR_KIND;
    }
    return kiln_tree_has_polygons(tree) ? KILN_OK : kiln_tree_lack(tree);
}

size_t kiln_refit_size(const kiln_tree *tree)
{
    return tree != NULL && check_refitted(tree) == KILN_OK
               ? parts_of(tree, directions_of(tree)).size
               : 0;
}

/* ----------------------------------------------------------------------------- what is below --
 */

static void clear_extents(slab_extents *of, unsigned directions)
{
    for (unsigned j = 0; j < directions; j++) {
        of->lower[j] = HUGE_VAL;
        of->upper[j] = -HUGE_VAL;
    }
}

static void widen_by(const kiln_dop_set *set, unsigned directions, const double p[3],
                     slab_extents *of)
{
    for (unsigned j = 0; j < directions; j++) {
        const double along =
            j < 3 ? p[j]
                  : ((double)set->direction[0][j] * p[0] + (double)set->direction[1][j] * p[1]) +
                        (double)set->direction[2][j] * p[2];
        of->lower[j] = along < of->lower[j] ? along : of->lower[j];
        of->upper[j] = along > of->upper[j] ? along : of->upper[j];
    }
}

static void placed_corner(const kiln_refit *refit, const kiln_frame *frame, uint32_t slot,
                          unsigned c, double p[3])
{
    const uint32_t stored = kiln_tree_triangle(&refit->tree, slot);
    const float *vertex =
        refit->vertices + 3 * (size_t)refit->tree.triangles[3 * (size_t)stored + c];
    for (unsigned k = 0; k < 3; k++) {
        p[k] = kiln_frame_apply(frame, k, vertex[k]);
    }
}

static void measure_lane(const kiln_refit *refit, const kiln_frame *frame, kiln_contents of,
                         slab_extents *lane)
{
    const unsigned directions = refit->directions;
    if (of.count == 0) {
        const double *below = refit->below + (size_t)of.first * 2 * directions;
        memcpy(lane->lower, below, directions * sizeof *below);
        memcpy(lane->upper, below + directions, directions * sizeof *below);
        return;
    }
    clear_extents(lane, directions);
    for (uint32_t i = 0; i < 3 * of.count; i++) {
        double p[3];
        placed_corner(refit, frame, of.first + i / 3, i % 3, p);
        widen_by(refit->tree.view.kind->dop, directions, p, lane);
    }
}

/* ---------------------------------------------------------------------------- nodes of a kind --
 */

static void write_refit_boxes(const slab_extents lanes[8], uint32_t used, const slab_extents *all,
                              kiln_format_node8 *head)
{
    kiln_format_node_aabb8 *node = (kiln_format_node_aabb8 *)(void *)head;
    for (unsigned k = 0; k < 3; k++) {
        kiln_grid grid;
        kiln_grid_choose(all->lower[k], all->upper[k], &grid);
        head->org[k] = grid.org;
        head->exp[k] = grid.exp;
        for (uint32_t left = used; left != 0; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctz(left);
            node->lower[k][i] = kiln_grid_below(&grid, lanes[i].lower[k]);
            node->upper[k][i] = kiln_grid_above(&grid, lanes[i].upper[k]);
        }
    }
}

/* Ends along a diagonal d are sums of three products by 0, 1 or -1, off by 2^-52 times the sum of
 * the coordinates' magnitudes; d . org, subtracted here, adds 2^-52 of org's and 2^-53 of the
 * difference. All of it is below 2^-50 times both sums. Coordinates that d leaves out do not
 * count. */
static void write_slabs(const kiln_dop_set *set, const slab_extents lanes[8], uint32_t used,
                        kiln_format_node8 *head)
{
    for (uint32_t left = used; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        for (unsigned j = 0; j < set->slabs; j++) {
            double org = 0.0, size = 0.0;
            for (unsigned k = 0; k < 3; k++) {
                const double d = (double)set->direction[k][3 + j];
                const double most = fmax(fabs(lanes[i].lower[k]), fabs(lanes[i].upper[k]));
                org += d * (double)head->org[k];
                size += d != 0.0 ? most + fabs((double)head->org[k]) : 0.0;
            }
            kiln_dop_write_slab(set, head, i, j, lanes[i].lower[3 + j] - org,
                                lanes[i].upper[3 + j] - org, 0x1p-50 * size);
        }
    }
}

static void write_boxes2(const slab_extents lanes[8], uint32_t used, kiln_format_node8 *head)
{
    kiln_format_node_aabb2 *node = (kiln_format_node_aabb2 *)(void *)head;
    double middle[2][3];
    const unsigned count = used == 3 ? 2 : 1;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            middle[i][k] = 0.5 * (lanes[i].lower[k] + lanes[i].upper[k]);
        }
    }
    kiln_box2_head(middle, count, head);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            node->centre[k][i] = kiln_box2_centre(head->org[k], middle[i][k]);
            const double centre = (double)head->org[k] + (double)node->centre[k][i];
            node->half[k][i] =
                kiln_float_above(kiln_reach_above(centre, lanes[i].lower[k], lanes[i].upper[k]));
        }
    }
}

/* How far what is below a lane reaches from a centre, rounded up. Differences of coordinates within
 * [-2, 2] are off by 2^-53 of the sizes, squares, sums and roots by less than 2^-51 of themselves:
 * 2^-50 of the distance and 2^-51 of the centre's coordinates and those met cover it. */
static double ball_reach(const kiln_refit *refit, const kiln_frame *frame, kiln_contents of,
                         const slab_extents *lane, const double centre[3])
{
    double squared = 0.0, corner = 0.0, size = 0.0;
    for (unsigned k = 0; k < 3; k++) {
        const double far = fmax(fabs(lane->upper[k] - centre[k]), fabs(lane->lower[k] - centre[k]));
        corner += far * far;
        size += fabs(centre[k]) + fmax(fabs(lane->lower[k]), fabs(lane->upper[k]));
    }
    for (uint32_t i = 0; i < 3 * of.count; i++) {
        double p[3];
        placed_corner(refit, frame, of.first + i / 3, i % 3, p);
        const double x = p[0] - centre[0], y = p[1] - centre[1], z = p[2] - centre[2];
        squared = fmax(squared, (x * x + y * y) + z * z);
    }
    double reach = sqrt(squared);
    if (of.count == 0) {
        const kiln_format_node8 *child = kiln_tree_node(&refit->tree, of.first);
        for (uint32_t left = kiln_node8_used(child); left != 0; left &= left - 1) {
            kiln_lane_box box;
            double at[3];
            refit->tree.view.kind->decode_lane(child, (unsigned)__builtin_ctz(left), &box);
            kiln_lane_box_centre(&box, child->org, at);
            const double x = at[0] - centre[0], y = at[1] - centre[1], z = at[2] - centre[2];
            reach = fmax(reach, sqrt((x * x + y * y) + z * z) + (double)box.half[0]);
            size = fmax(size, fabs(at[0]) + fabs(at[1]) + fabs(at[2]) + (double)box.half[0]);
        }
        reach = fmin(reach, sqrt(corner));
    }
    return reach > 0.0 ? reach * (1.0 + 0x1p-50) + 0x1p-51 * size : 0.0;
}

static void write_balls(const kiln_refit *refit, const kiln_frame *frame,
                        const slab_extents lanes[8], uint32_t used, kiln_format_node8 *head)
{
    kiln_format_node_sphere *node = (kiln_format_node_sphere *)(void *)head;
    double radius[8], greatest = 0.0, centre[3][8];
    for (unsigned k = 0; k < 3; k++) {
        kiln_grid grid;
        double lower = HUGE_VAL, upper = -HUGE_VAL;
        for (uint32_t left = used; left != 0; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctz(left);
            centre[k][i] = 0.5 * (lanes[i].lower[k] + lanes[i].upper[k]);
            lower = fmin(lower, centre[k][i]);
            upper = fmax(upper, centre[k][i]);
        }
        kiln_grid_choose(lower, upper, &grid);
        head->org[k] = grid.org;
        head->exp[k] = grid.exp;
        for (uint32_t left = used; left != 0; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctz(left);
            node->centre[k][i] = kiln_grid_nearest(&grid, centre[k][i]);
            centre[k][i] = kiln_grid_point(&grid, node->centre[k][i]);
        }
    }
    for (uint32_t left = used; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const double at[3] = {centre[0][i], centre[1][i], centre[2][i]};
        radius[i] = ball_reach(refit, frame, kiln_node8_contents(head, i), &lanes[i], at);
        greatest = fmax(greatest, radius[i]);
    }
    head->half_exp = kiln_half_exp_of(greatest);
    for (uint32_t left = used; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const uint16_t half = kiln_half_above(ldexp(radius[i], 127 - (int)head->half_exp));
        node->radius[0][i] = (uint8_t)half;
        node->radius[1][i] = (uint8_t)(half >> 8);
    }
}

static void refit_node(const kiln_refit *refit, const kiln_frame *frame, uint32_t index)
{
    const kiln_node_kind *kind = refit->tree.view.kind;
    const unsigned directions = refit->directions;
    kiln_format_node8 *head =
        (kiln_format_node8 *)(void *)(refit->nodes + (size_t)index * kind->node_size);
    const uint32_t used = kiln_node8_used(head);
    KILN_ASSERT(used != 0);
    slab_extents lanes[8], all;
    clear_extents(&all, directions);
    for (uint32_t left = used; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        measure_lane(refit, frame, kiln_node8_contents(head, i), &lanes[i]);
        for (unsigned j = 0; j < directions; j++) {
            all.lower[j] = fmin(all.lower[j], lanes[i].lower[j]);
            all.upper[j] = fmax(all.upper[j], lanes[i].upper[j]);
        }
    }
    double *below = refit->below + (size_t)index * 2 * directions;
    memcpy(below, all.lower, directions * sizeof *below);
    memcpy(below + directions, all.upper, directions * sizeof *below);
    if (kind->balls) {
        write_balls(refit, frame, lanes, used, head);
    } else if (kind->bv == KILN_FORMAT_BV_AABB2) {
        write_boxes2(lanes, used, head);
    } else {
        write_refit_boxes(lanes, used, &all, head);
        if (kind->dop != NULL) {
            write_slabs(kind->dop, lanes, used, head);
        }
    }
}

/* --------------------------------------------------------------------------------- the update --
 */

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t mix_bits(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Two sums over all vertices, each with its number: copies with the same vertices have the same
 * hash, and any others have another. */
static void hash_vertices(kiln_refit *refit)
{
    uint64_t sum[2] = {0x243F6A8885A308D3u, 0x13198A2E03707344u};
    for (uint32_t i = 0; i < refit->vertex_count; i++) {
        uint32_t word[3];
        memcpy(word, refit->vertices + 3 * (size_t)i, sizeof word);
        const uint64_t low = mix_bits((uint64_t)word[0] << 32 | word[1]);
        const uint64_t part = mix_bits(low + ((uint64_t)word[2] << 32 | i));
        sum[0] += part;
        sum[1] += mix_bits(part + 0x9E3779B97F4A7C15u);
    }
    memcpy(refit->entry.geometry_hash, sum, sizeof sum);
}

/* The vertices are in place, and finite. */
static void fit_to_vertices(kiln_refit *refit)
{
    kiln_format_tree *entry = &refit->entry;
    const uint32_t *corner = refit->tree.triangles + 3 * (size_t)entry->triangle_first;
    float lower[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF};
    float upper[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    KILN_ASSERT(entry->triangle_count > 0 && entry->node_count > 0);
    for (size_t i = 0; i < 3 * (size_t)entry->triangle_count; i++) {
        const float *vertex = refit->vertices + 3 * (size_t)corner[i];
        for (unsigned k = 0; k < 3; k++) {
            lower[k] = vertex[k] < lower[k] ? vertex[k] : lower[k];
            upper[k] = vertex[k] > upper[k] ? vertex[k] : upper[k];
        }
    }
    kiln_frame frame;
    kiln_frame_choose(lower, upper, NULL, &frame);
    memcpy(entry->origin, frame.origin, sizeof entry->origin);
    entry->scale_exponent = frame.exponent;
    memcpy(entry->bounds_lower, lower, sizeof lower);
    memcpy(entry->bounds_upper, upper, sizeof upper);
    for (uint32_t i = entry->node_count; i > 0; i--) {
        refit_node(refit, &frame, i - 1);
    }
    hash_vertices(refit);
}

kiln_status kiln_refit_update(kiln_refit *refit, const float *vertices, uint32_t count)
{
    if (refit == NULL || vertices == NULL || count != refit->vertex_count) {
        return KILN_ERROR_ARGUMENT;
    }
    /* By bits, in whatever environment the caller is: exponents of all ones. */
    bool finite = true;
    for (size_t i = 0; i < 3 * (size_t)count; i++) {
        uint32_t bits;
        memcpy(&bits, vertices + i, sizeof bits);
        finite = finite && (bits & 0x7F800000u) != 0x7F800000u;
    }
    if (!finite) {
        return KILN_ERROR_ARGUMENT;
    }
    memmove(refit->vertices, vertices, 3 * (size_t)count * sizeof *vertices);
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, fit_to_vertices);
    run(refit);
    kiln_fpu_leave(caller);
    return KILN_OK;
}

/* -------------------------------------------------------------------------------- the copy --
 */

/* Is the tree closed by the numbers of its vertices, however they are placed? The sums are those of
 * tools/encode/geometry.c, with numbers in the place of coordinates: each edge adds a random number
 * where it is passed from the lower number to the higher and subtracts it where it is passed back,
 * and numbers are combined by exclusive or for edges that are passed an even number of times. */
static uint32_t closed_by_numbers(const kiln_tree *tree)
{
    const kiln_format_tree *entry = tree->view.entry;
    uint64_t sum[2] = {0, 0}, parity[2] = {0, 0};
    for (uint32_t i = 0; i < entry->triangle_count; i++) {
        const uint32_t *corner = tree->triangles + 3 * ((size_t)entry->triangle_first + i);
        for (unsigned c = 0; c < 3; c++) {
            const uint32_t from = corner[c], to = corner[(c + 1) % 3];
            const uint64_t low = from < to ? from : to, high = from < to ? to : from;
            const uint64_t first = mix_bits((low << 32 | high) + 0x9E3779B97F4A7C15u);
            const uint64_t hash[2] = {first, mix_bits(first + 0x243F6A8885A308D3u)};
            for (unsigned n = 0; n < 2 && from != to; n++) {
                sum[n] += from < to ? hash[n] : 0 - hash[n];
                parity[n] ^= hash[n];
            }
        }
    }
    if (sum[0] == 0 && sum[1] == 0) {
        return KILN_CLOSED_ORIENTED;
    }
    return parity[0] == 0 && parity[1] == 0 ? KILN_CLOSED_EVEN : KILN_CLOSED_NOT;
}

kiln_status kiln_refit_place(void *memory, size_t size, const kiln_tree *tree, kiln_refit **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    if (memory == NULL || tree == NULL || out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = check_refitted(tree);
    if (status != KILN_OK) {
        return status;
    }
    const unsigned directions = directions_of(tree);
    const refit_parts at = parts_of(tree, directions);
    if (size < at.size) {
        return KILN_ERROR_ARGUMENT;
    }
    uint8_t *start = (uint8_t *)memory + kiln_memory_skip(memory, REFIT_ALIGNMENT);
    memset(start, 0, at.below); /* what lies beyond the last vertex is loaded, not used */
    kiln_refit *refit = (kiln_refit *)(void *)start;
    refit->tree = *tree;
    refit->entry = *tree->view.entry;
    refit->nodes = start + at.nodes;
    refit->vertices = (float *)(void *)(start + at.vertices);
    refit->below = (double *)(void *)(start + at.below);
    refit->directions = directions;
    refit->vertex_count = tree->file->view.vertex_count;
    refit->entry.closed = closed_by_numbers(tree);
    refit->tree.view.entry = &refit->entry;
    refit->tree.view.nodes = refit->nodes;
    refit->tree.view.adb = NULL; /* counts are of the baked shape */
    refit->tree.view.boxes = NULL;
    refit->tree.ray_nodes = NULL; /* whose memory may go before the copy */
    refit->tree.vertices = refit->vertices;
    memcpy(refit->nodes, tree->view.nodes,
           (size_t)refit->entry.node_count * tree->view.kind->node_size);
    const kiln_status fitted = kiln_refit_update(refit, tree->vertices, refit->vertex_count);
    if (fitted == KILN_OK) {
        *out = refit;
    }
    return fitted;
}

const kiln_tree *kiln_refit_tree(const kiln_refit *refit)
{
    return refit != NULL ? &refit->tree : NULL;
}

uint32_t kiln_refit_vertex_count(const kiln_refit *refit)
{
    return refit != NULL ? refit->vertex_count : 0;
}

const float *kiln_refit_vertices(const kiln_refit *refit)
{
    return refit != NULL ? refit->vertices : NULL;
}

kiln_status kiln_refit_corners(const kiln_refit *refit, uint32_t *corners, uint32_t count)
{
    if (refit == NULL || corners == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    memset(corners, 0xFF, 3 * (size_t)count * sizeof *corners);
    const kiln_format_tree *entry = &refit->entry;
    for (uint32_t i = 0; i < entry->triangle_count; i++) {
        const uint32_t stored = entry->triangle_first + i, id = refit->tree.ids[stored];
        if (id < count) {
            memcpy(corners + 3 * (size_t)id, refit->tree.triangles + 3 * (size_t)stored,
                   3 * sizeof *corners);
        }
    }
    return KILN_OK;
}
