/* What a query can say besides its answer: likely places of contact, and whether pairs that it
 * weighed meet.
 *
 * A hint is made of a likely pair of boxes. Its position is a point that both boxes hold, or
 * nearly, found by projecting into the one and the other in turn (the method of alternating
 * projections); its normal is the face normal along which the boxes overlap least. Observations
 * are for fitting weights: the triangles below a pair of boxes are tested, exactly. */
#include "adb_query.h"

#include "../../formats/assert.h"
#include "../base/compiler.h"
#include "../base/fpu.h"
#include "../../formats/vector.h"

#include <math.h>

/* ------------------------------------------------------------------------------------- hints -- */

/* A box in double, in the node space that a map leads to; without one in its own. The axes keep
 * their length, the scale goes into the half-extents. They are rotated in floats, like those of
 * the probe that the pair was weighed with; near_walk.c says why it has a function of its own. */
static void place_box(const kiln_node_map *map, const kiln_tree_box *box, kiln_box *out)
{
    /* What the map multiplies lengths by; its own number is a float, which may not hold it. */
    const double *m = map != NULL ? map->points.rotation : NULL;
    const double scale = m != NULL ? sqrt(m[0] * m[0] + m[3] * m[3] + m[6] * m[6]) : 1.0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            const float *row = map != NULL ? map->rotation + 3 * i : NULL;
            out->axis[k][i] =
                (double)(map == NULL ? box->axis[k][i]
                                     : row[0] * box->axis[k][0] + row[1] * box->axis[k][1] +
                                           row[2] * box->axis[k][2]);
        }
        out->centre[k] = box->centre[k];
        out->half[k] = (double)box->half[k] * scale;
    }
    if (map != NULL) {
        kiln_transform_point(&map->points, box->centre, out->centre);
    }
}

/* The point of the box that is nearest to p. */
static void move_into(const kiln_box *box, double p[3])
{
    const double from[3] = {p[0] - box->centre[0], p[1] - box->centre[1], p[2] - box->centre[2]};
    double inside[3] = {box->centre[0], box->centre[1], box->centre[2]};
    for (int k = 0; k < 3; k++) {
        const double along = kiln_dot(box->axis[k], from), most = box->half[k];
        const double kept = along > most ? most : along < -most ? -most : along;
        for (int i = 0; i < 3; i++) {
            inside[i] += kept * box->axis[k][i];
        }
    }
    for (int i = 0; i < 3; i++) {
        p[i] = inside[i];
    }
}

/* The face normal of `box` along which the other overlaps it least, if less than *least. */
static void least_overlap(const kiln_box *box, const kiln_box *other, const double between[3],
                          double *least, double normal[3])
{
    for (int k = 0; k < 3; k++) {
        const double *axis = box->axis[k];
        double overlap = box->half[k] - fabs(kiln_dot(axis, between));
        for (int j = 0; j < 3; j++) {
            overlap += other->half[j] * fabs(kiln_dot(axis, other->axis[j]));
        }
        if (overlap < *least) {
            *least = overlap;
            for (int i = 0; i < 3; i++) {
                normal[i] = kiln_dot(axis, between) < 0 ? -axis[i] : axis[i];
            }
        }
    }
}

/* From the centre of a box to a corner. */
static double half_diagonal(const kiln_box *box)
{
    return sqrt(kiln_dot(box->half, box->half));
}

/* From X's node space into the frame of the caller's A. */
static void to_frame_of_a(const kiln_pair_frame *frame, double position[3], double normal[3])
{
    double p[3] = {position[0], position[1], position[2]};
    double n[3] = {normal[0], normal[1], normal[2]};
    if (frame->swapped) {
        kiln_transform_point(&frame->to_y.points, position, p);
        for (int i = 0; i < 3; i++) {
            const float *row = frame->to_y.rotation + 3 * i;
            n[i] = (double)row[0] * normal[0] + (double)row[1] * normal[1] +
                   (double)row[2] * normal[2];
        }
    }
    const kiln_format_tree *a = (frame->swapped ? frame->y : frame->x)->view.entry;
    const double length = sqrt(kiln_dot(n, n));
    for (int i = 0; i < 3; i++) {
        position[i] = a->origin[i] + ldexp(p[i], a->scale_exponent);
        normal[i] = n[i] / length;
    }
}

/* One hint, of the pair of boxes of an entry. */
KILN_RARE static void make_hint(const kiln_adb *query, const kiln_adb_entry *entry,
                                kiln_adb_hint *hint)
{
    const kiln_pair_frame *frame = &query->frame;
    kiln_tree_box box_x, box_y;
    kiln_box x, y;
    kiln_adb_entry_box(query, entry, true, &box_x);
    kiln_adb_entry_box(query, entry, false, &box_y);
    place_box(NULL, &box_x, &x);
    place_box(&frame->to_x, &box_y, &y);
    const kiln_box *a = frame->swapped ? &y : &x, *b = frame->swapped ? &x : &y;
    double *p = hint->position;
    for (int i = 0; i < 3; i++) {
        p[i] = (x.centre[i] + y.centre[i]) / 2;
    }
    for (int round = 0; round < 8; round++) { /* alternating projections approach what both hold */
        move_into(b, p);
        move_into(a, p);
    }
    const double between[3] = {a->centre[0] - b->centre[0], a->centre[1] - b->centre[1],
                               a->centre[2] - b->centre[2]};
    double least = HUGE_VAL;
    least_overlap(a, b, between, &least, hint->normal);
    least_overlap(b, a, between, &least, hint->normal);
    const double extent_x = half_diagonal(&x), extent_y = half_diagonal(&y);
    hint->extent =
        ldexp(extent_x < extent_y ? extent_x : extent_y, frame->x->view.entry->scale_exponent) /
        (frame->swapped ? frame->scale : 1);
    hint->probability = (double)kiln_probability_of_loss(kiln_adb_entry_loss(query, entry));
    to_frame_of_a(frame, p, hint->normal);
}

/* Does entry i come before entry j? Likelier first, equals by place. */
static bool comes_before(const kiln_adb_entry *heap, uint32_t i, uint32_t j)
{
    return heap[i].loss != heap[j].loss ? heap[i].loss > heap[j].loss : i < j;
}

/* The likeliest entries first. The heap is not sorted for it: a query may go on afterwards. */
KILN_RARE static uint32_t fill_hints(const kiln_adb *query, kiln_adb_hint *hints, uint32_t capacity)
{
    const kiln_adb_frontier *frontier = &query->frontier;
    uint32_t last = frontier->count, made = 0;
    for (; made < capacity && made < frontier->count; made++) {
        uint32_t best = frontier->count; /* the likeliest entry that comes after `last` */
        for (uint32_t i = 0; i < frontier->count; i++) {
            const bool left = last == frontier->count || comes_before(frontier->heap, last, i);
            /* A selection for each hint takes count times capacity steps and no memory; callers
             * want few hints. */
            if (left && (best == frontier->count || comes_before(frontier->heap, i, best))) {
                best = i;
            }
        }
        KILN_ASSERT(best < frontier->count);
        last = best;
        make_hint(query, &frontier->heap[last], &hints[made]);
    }
    KILN_ASSERT(made <= capacity);
    return made;
}

kiln_status kiln_adb_get_hints(const kiln_adb *query, kiln_adb_hint *hints, uint32_t capacity,
                               uint32_t *count)
{
    if (query == NULL || count == NULL || !query->begun || (hints == NULL && capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(fill, fill_hints);
    *count = fill(query, hints, capacity);
    kiln_fpu_leave(caller);
    return KILN_OK;
}

/* ------------------------------------------------------------------------------ observations -- */

typedef struct {
    const kiln_pair_frame *frame;
    const kiln_tree_box *x, *y;
    bool found;
} walk_below;

static bool take_observed(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    walk_below *below = (walk_below *)user;
    (void)frame;
    (void)x;
    (void)y;
    below->found = true;
    return false;
}

/* The exact walk below two boxes, which ends with the first pair that meets. */
static void walk_pairs_below(walk_below *below)
{
    const kiln_pair_visitor visitor = {take_observed, below, true, false, NULL, NULL};
    kiln_pair_walk_from(below->frame, below->x, below->y, &visitor);
}

/* The caller names the pair of boxes, so all numbers are checked before they are used. */
static bool is_lane(const kiln_tree *tree, uint32_t node, uint32_t lane)
{
    return lane == KILN_ADB_ROOT ||
           (node < tree->view.entry->node_count && lane < KILN_NODE_WIDTH &&
            (kiln_node8_used(kiln_tree_node(tree, node)) >> lane & 1) != 0);
}

kiln_status kiln_adb_observed_meet(const kiln_adb *query, const kiln_adb_observation *seen,
                                   bool *meet)
{
    if (query == NULL || seen == NULL || meet == NULL || !query->begun) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_pair_frame *frame = &query->frame;
    if (!kiln_tree_has_polygons(frame->x) || !kiln_tree_has_polygons(frame->y)) {
        return kiln_trees_lack(frame->x, frame->y);
    }
    const int at_x = frame->swapped, at_y = !frame->swapped;
    if (!is_lane(frame->x, seen->node[at_x], seen->lane[at_x]) ||
        !is_lane(frame->y, seen->node[at_y], seen->lane[at_y])) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_adb_entry entry = {.node_x = seen->node[at_x],
                                  .node_y = seen->node[at_y],
                                  .lane_x = (uint8_t)seen->lane[at_x],
                                  .lane_y = (uint8_t)seen->lane[at_y]};
    const kiln_fpu_state caller = kiln_fpu_enter();
    kiln_tree_box x, y;
    kiln_adb_entry_box(query, &entry, true, &x);
    kiln_adb_entry_box(query, &entry, false, &y);
    walk_below below = {frame, &x, &y, false};
    KILN_FPU_CALL(go, walk_pairs_below);
    go(&below);
    kiln_fpu_leave(caller);
    *meet = below.found;
    return KILN_OK;
}
