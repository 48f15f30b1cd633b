/* Depth-first descent over pairs of volumes, each of which has a time of its own: up to it what is
 * in the two volumes is proved to be further apart than the margin. A pair is advanced in time
 * (advance.c) as long as that goes well; then the larger volume is opened at the time that was
 * reached, and the lanes go on from there, the one with the least time first. A pair whose time
 * reaches the first contact that is known, or the end, needs nothing more.
 *
 * Two triangles are looked at at times that are multiples of the stride, from the first one that is
 * not cleared: where the distance is within the tolerance they touch, and else a plane across the
 * line between their nearest points says how many of the times that follow are cleared. Thus what
 * is found is the first multiple at which any two triangles are within the tolerance: no volume and
 * no plane has a say in it, since they only clear times at which none are.
 *
 * As in near_walk.c a level of the stack holds one opened node. */
#include "sweep_walk.h"

#include "../../formats/assert.h"
#include "../exact/exact.h"
#include "../walk/leaf_pair.h"

#include <math.h>
#include <string.h>

enum {
    SWEEP_LEVELS_COMMON = 42, /* depths that add up to 40, the roots, one spare */
    SWEEP_LEVELS_MOST = 2 * KILN_TREE_DEPTH_MAX + 2,
    ADVANCES_MOST = 4 /* of one pair of volumes before it is opened */
};

#define LIMIT_ROOM (1 + 0x1p-50) /* of quotients and sums that round down */
#define WORTH 0.125 /* of the time that is left: an advance by less is no reason for another */

/* A volume as a box of its body's own frame. */
typedef struct {
    kiln_body_box box;
    double size; /* of its ball, in the world */
    kiln_contents contents;
} sweep_box;

typedef struct {
    const kiln_format_node8 *node;
    const sweep_box *other;
    sweep_box lane_box; /* the lane in hand; levels above point here */
    double time;        /* at which it was opened */
    double clear[8];
    uint32_t mask;  /* lanes not taken yet */
    uint32_t order; /* lanes as octal digits, next one lowest */
    bool opened_a;
} sweep_level;

/* ---------------------------------------------------------------------------------- volumes -- */

static double size_in_world(const kiln_body_box *box, double scale)
{
    return sqrt(kiln_dot(box->half, box->half)) * scale;
}

static void take_lane(const kiln_tree *tree, double scale, const kiln_format_node8 *node,
                      unsigned lane, sweep_box *out)
{
    const kiln_format_tree *entry = tree->view.entry;
    const double unit = kiln_power_of_two(entry->scale_exponent);
    kiln_lane_box decoded;
    tree->view.kind->decode_lane(node, lane, &decoded);
    for (int k = 0; k < 3; k++) {
        out->box.centre[k] =
            entry->origin[k] + unit * ((double)node->org[k] + (double)decoded.centre[k]);
        out->box.half[k] = unit * (double)decoded.half[k];
        for (int j = 0; j < 3; j++) {
            out->box.axis[k][j] = (double)decoded.axis[k][j];
        }
    }
    out->size = size_in_world(&out->box, scale);
    out->contents = kiln_node8_contents(node, lane);
}

static void take_root(const kiln_tree *tree, double scale, sweep_box *out)
{
    const kiln_format_tree *entry = tree->view.entry;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 3; k++) {
        const double lower = (double)entry->bounds_lower[k], upper = (double)entry->bounds_upper[k];
        out->box.centre[k] = lower / 2 + upper / 2;
        out->box.half[k] = upper / 2 - lower / 2;
        out->box.axis[k][k] = 1;
    }
    out->size = size_in_world(&out->box, scale);
}

/* A segment is a box without width, along its direction. */
static void take_core(const double core[9], double scale, sweep_box *out)
{
    double along[3];
    memset(out, 0, sizeof *out);
    kiln_subtract(core + 3, core, along);
    const double length = sqrt(kiln_dot(along, along));
    for (int k = 0; k < 3; k++) {
        out->box.centre[k] = core[k] / 2 + core[3 + k] / 2;
        out->box.axis[0][k] = length > 0 ? along[k] / length : (double)(k == 0);
    }
    out->box.half[0] = length / 2;
    /* Two more directions, for planes: across the axis and the one of the frame's that is least
     * along it. */
    int least = 0;
    for (int k = 1; k < 3; k++) {
        if (fabs(out->box.axis[0][k]) < fabs(out->box.axis[0][least])) {
            least = k;
        }
    }
    double helper[3] = {0, 0, 0};
    helper[least] = 1;
    kiln_cross(out->box.axis[0], helper, out->box.axis[1]);
    const double across = sqrt(kiln_dot(out->box.axis[1], out->box.axis[1]));
    for (int k = 0; k < 3; k++) {
        out->box.axis[1][k] /= across;
    }
    kiln_cross(out->box.axis[0], out->box.axis[1], out->box.axis[2]);
    out->size = size_in_world(&out->box, scale);
    out->contents.count = 1;
}

static double scale_of(const kiln_sweep_walk *w, bool is_a)
{
    return is_a ? w->motion.a.stretch : w->motion.b.stretch;
}

/* From here on nothing is of interest. */
static double limit_of(const kiln_sweep_walk *w)
{
    return w->best < 1 ? w->best : 1;
}

/* False: the budget is spent. */
static bool take_step(kiln_sweep_walk *w)
{
    if (w->steps >= w->budget) {
        w->spent = true;
        return false;
    }
    w->steps++;
    return true;
}

/* -------------------------------------------------------------------------------- triangles -- */

void kiln_sweep_corners(const kiln_pose *pose, const double own[9], double placed[9])
{
    for (int c = 0; c < 9; c += 3) {
        const double q[3] = {pose->scale * own[c], pose->scale * own[c + 1],
                             pose->scale * own[c + 2]};
        for (int k = 0; k < 3; k++) {
            const double p = kiln_dot(pose->rotation + 3 * k, q) + pose->translation[k];
            placed[c + k] = fabs(p) < KILN_EXACT_MIN ? 0.0 : p;
        }
    }
}

/* Of a leaf, or a core. */
typedef struct {
    uint32_t count, stored[KILN_LEAF_LANES];
    double own[KILN_LEAF_LANES][9];
} sweep_leaf;

static void take_leaf(const kiln_sweep_body *body, kiln_contents contents, sweep_leaf *leaf)
{
    if (body->tree == NULL) {
        leaf->count = 1;
        leaf->stored[0] = 0;
        memcpy(leaf->own[0], body->core, sizeof body->core);
        return;
    }
    KILN_ASSERT(contents.count <= KILN_LEAF_TRIANGLES_MAX);
    leaf->count = contents.count;
    for (uint32_t i = 0; i < leaf->count; i++) {
        leaf->stored[i] = kiln_tree_triangle(body->tree, contents.first + i);
        kiln_tree_stored_corners(body->tree, leaf->stored[i], leaf->own[i]);
    }
}

/* Two triangles on their way. */
typedef struct {
    const double *own_a, *own_b;
    uint32_t stored_a, stored_b;
    double a[9], b[9]; /* at the time of the motion */
} moving_pair;

static void set_pair(kiln_sweep_walk *w, moving_pair *pair, double time)
{
    if (w->motion.time != time) {
        kiln_pair_motion_set(&w->motion, time);
    }
    kiln_sweep_corners(&w->motion.pose_a, pair->own_a, pair->a);
    kiln_sweep_corners(&w->motion.pose_b, pair->own_b, pair->b);
}

/* The frame in which kiln_distance compares at the time of the motion. */
static void set_frame(kiln_sweep_walk *w)
{
    if (w->frame_time != w->motion.time) {
        const kiln_status status = kiln_pair_frame_relate_any(
            &w->frame, w->a.tree, &w->motion.pose_a, w->b.tree, &w->motion.pose_b);
        KILN_ASSERT(status == KILN_OK);
        (void)status;
        w->frame_time = w->motion.time;
    }
}

/* The distance of two triangles, as the query defines it, and a direction from A's to B's. Beyond
 * the tolerance it may be any number that is, too. */
static double measure_pair(kiln_sweep_walk *w, const moving_pair *pair, double toward[3])
{
    kiln_tri_nearest near = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (w->a.tree != NULL && w->b.tree != NULL) {
        double x[9], y[9], scale;
        set_frame(w);
        const bool swapped = w->frame.swapped;
        const kiln_pose *pose =
            kiln_pair_frame_world(&w->frame, &w->motion.pose_a, &w->motion.pose_b);
        kiln_stored_corners(&w->frame, true, swapped ? pair->stored_b : pair->stored_a, x);
        kiln_stored_corners(&w->frame, false, swapped ? pair->stored_a : pair->stored_b, y);
        scale = pose->scale;
        kiln_triangles_measure(x, y, w->tolerance / scale * LIMIT_ROOM, &near);
        for (int k = 0; k < 3; k++) {
            const double along = kiln_dot(pose->rotation + 3 * k, near.apart);
            toward[k] = swapped ? along : -along;
        }
        return near.value * scale;
    }
    kiln_triangles_measure(w->b_first ? pair->b : pair->a, w->b_first ? pair->a : pair->b,
                           (w->tolerance + w->radius) * LIMIT_ROOM, &near);
    for (int k = 0; k < 3; k++) {
        toward[k] = w->b_first ? near.apart[k] : -near.apart[k];
    }
    return near.value - w->radius;
}

static bool pair_counts(kiln_sweep_walk *w, const moving_pair *pair)
{
    if (w->pairs != NULL && w->a.tree != NULL && w->b.tree != NULL) {
        const bool swapped = w->frame.swapped;
        return kiln_pair_filter_keeps(w->pairs, &w->frame,
                                      swapped ? pair->stored_b : pair->stored_a,
                                      swapped ? pair->stored_a : pair->stored_b);
    }
    return w->triangles == NULL || w->a.tree == NULL ||
           kiln_mesh_filter_keeps(w->triangles, w->a.tree, kiln_tree_id(w->a.tree, pair->stored_a));
}

/* The first multiple of the stride from `time` on at which the two touch, if that is before all
 * that is known. False: the budget is spent; *time is then how far the pair is cleared. */
static bool follow_pair(kiln_sweep_walk *w, moving_pair *pair, double *time)
{
    double count = ceil(*time / w->stride);
    for (;;) {
        const double now = count * w->stride;
        double toward[3];
        kiln_turning_plane plane;
        if (now > 1 || now >= w->best) {
            return true;
        }
        if (!take_step(w)) {
            *time = now;
            return false;
        }
        set_pair(w, pair, now);
        if (measure_pair(w, pair, toward) <= w->tolerance) {
            if (pair_counts(w, pair)) {
                w->best = now;
                w->stored_a = pair->stored_a;
                w->stored_b = pair->stored_b;
                if (w->a.tree != NULL && w->b.tree != NULL) {
                    w->hint = w->frame.swapped
                                  ? kiln_pair_hint(&w->frame, pair->stored_b, pair->stored_a)
                                  : kiln_pair_hint(&w->frame, pair->stored_a, pair->stored_b);
                }
            }
            return true;
        }
        kiln_choose_plane(&w->motion, kiln_farthest_corner(pair->a, w->motion.point_a),
                          kiln_farthest_corner(pair->b, w->motion.point_b), &plane);
        const double cleared =
            now + kiln_advance_triangles(&w->motion, &plane, pair->a, pair->b, toward, true);
        if (cleared >= 1) {
            return true;
        }
        count = kiln_larger(count, floor(cleared / w->stride)) + 1;
    }
}

/* The advance of two triangles from the time of the motion on, by planes that cost little. No plane
 * is tried beyond `enough`. */
static double glance_at_pair(const kiln_sweep_walk *w, const kiln_turning_plane *plane,
                             const moving_pair *pair, const double drift[3], double enough)
{
    double way[3], across[3], edge[2][3];
    for (int k = 0; k < 3; k++) {
        way[k] = ((pair->b[k] + pair->b[3 + k]) + pair->b[6 + k]) -
                 ((pair->a[k] + pair->a[3 + k]) + pair->a[6 + k]);
    }
    double best = kiln_advance_triangles(&w->motion, plane, pair->a, pair->b, way, false);
    const double squared = kiln_dot(drift, drift);
    if (best < enough && squared > 0x1p-500 && squared < 0x1p500) {
        const double part = kiln_dot(way, drift) / squared;
        for (int k = 0; k < 3; k++) {
            across[k] = way[k] - part * drift[k];
        }
        best = kiln_larger(
            best, kiln_advance_triangles(&w->motion, plane, pair->a, pair->b, across, false));
    }
    for (int side = 0; side < 2 && best < enough; side++) {
        const double *t = side == 0 ? pair->a : pair->b;
        kiln_subtract(t + 3, t, edge[0]);
        kiln_subtract(t + 6, t, edge[1]);
        kiln_cross(edge[0], edge[1], across);
        const double sign = kiln_dot(across, way) < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++) {
            across[k] *= sign;
        }
        best = kiln_larger(
            best, kiln_advance_triangles(&w->motion, plane, pair->a, pair->b, across, false));
    }
    return best;
}

/* All pairs of two leaves that were cleared up to the time of the motion. False: the query ends,
 * and nothing in them but what is known is before *time. */
static bool follow_leaves(kiln_sweep_walk *w, const sweep_box *leaf_a, const sweep_box *leaf_b,
                          double *time)
{
    sweep_leaf a, b;
    double placed_a[KILN_LEAF_LANES][9], placed_b[KILN_LEAF_LANES][9], clear[KILN_LEAF_LANES];
    const double start = *time;
    if (w->pairs != NULL && kiln_pair_filter_stops(w->pairs)) {
        w->stopped = true;
        return false;
    }
    take_leaf(&w->a, leaf_a->contents, &a);
    take_leaf(&w->b, leaf_b->contents, &b);
    if (w->motion.time != start) {
        kiln_pair_motion_set(&w->motion, start);
    }
    double lever_a = 0, lever_b = 0, drift[3];
    kiln_turning_plane plane;
    kiln_subtract(w->motion.b.motion.linear, w->motion.a.motion.linear, drift);
    for (uint32_t i = 0; i < a.count; i++) {
        kiln_sweep_corners(&w->motion.pose_a, a.own[i], placed_a[i]);
        lever_a = kiln_larger(lever_a, kiln_farthest_corner(placed_a[i], w->motion.point_a));
    }
    for (uint32_t j = 0; j < b.count; j++) {
        kiln_sweep_corners(&w->motion.pose_b, b.own[j], placed_b[j]);
        lever_b = kiln_larger(lever_b, kiln_farthest_corner(placed_b[j], w->motion.point_b));
    }
    kiln_choose_plane(&w->motion, lever_a, lever_b, &plane);
    for (uint32_t j = 0; j < b.count; j++) {
        moving_pair pair;
        pair.own_b = b.own[j];
        pair.stored_b = b.stored[j];
        if (w->motion.time != start) {
            kiln_pair_motion_set(&w->motion, start);
        }
        memcpy(pair.b, placed_b[j], sizeof pair.b);
        for (uint32_t i = 0; i < a.count; i++) {
            memcpy(pair.a, placed_a[i], sizeof pair.a);
            clear[i] = start + glance_at_pair(w, &plane, &pair, drift, limit_of(w) - start);
        }
        /* The soonest first: what it finds spares the others their ways. */
        for (;;) {
            uint32_t next = 0;
            for (uint32_t i = 1; i < a.count; i++) {
                next = clear[i] < clear[next] ? i : next;
            }
            if (clear[next] >= limit_of(w)) {
                break;
            }
            pair.own_a = a.own[next];
            pair.stored_a = a.stored[next];
            if (!follow_pair(w, &pair, &clear[next])) {
                *time = start;
                return false;
            }
            clear[next] = HUGE_VAL;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------- descent -- */

/* Lanes of the mask by the times that they have reached, then by the distance of their centres. */
static void order_by_time(sweep_level *at, const double apart[8])
{
    uint32_t lane[8], count = 0;
    for (uint32_t mask = at->mask; mask != 0; mask &= mask - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask);
        uint32_t place = count++;
        while (place > 0 && (at->clear[i] < at->clear[lane[place - 1]] ||
                             (at->clear[i] == at->clear[lane[place - 1]] &&
                              apart[i] < apart[lane[place - 1]]))) {
            lane[place] = lane[place - 1];
            place--;
        }
        lane[place] = i;
    }
    at->order = 0;
    while (count > 0) {
        at->order = at->order << 3 | lane[--count];
    }
}

/* Opens a box that is cleared against `other` up to the time of the motion. */
static void open_at_time(kiln_sweep_walk *w, const sweep_box *opened, bool is_a,
                         const sweep_box *other, sweep_level *at)
{
    const kiln_tree *tree = is_a ? w->a.tree : w->b.tree;
    const double scale = scale_of(w, is_a), now = w->motion.time, limit = limit_of(w);
    double apart[8];
    kiln_solid solid_other, solid;
    KILN_ASSERT(tree != NULL && opened->contents.count == 0);
    at->node = kiln_tree_node(tree, opened->contents.first);
    at->other = other;
    at->opened_a = is_a;
    at->time = now;
    at->mask = 0;
    kiln_solid_form(&solid_other, &w->motion, !is_a, &other->box);
    for (uint32_t used = kiln_node8_used(at->node); used != 0; used &= used - 1) {
        const unsigned i = (unsigned)__builtin_ctz(used);
        sweep_box lane;
        take_lane(tree, scale, at->node, i, &lane);
        kiln_solid_form(&solid, &w->motion, is_a, &lane.box);
        at->clear[i] = now + kiln_advance_solids(&w->motion, is_a ? &solid : &solid_other,
                                                 is_a ? &solid_other : &solid, limit - now);
        if (at->clear[i] < limit) {
            double between[3];
            kiln_subtract(solid.centre, solid_other.centre, between);
            apart[i] = kiln_dot(between, between);
            at->mask |= 1u << i;
        }
    }
    order_by_time(at, apart);
}

/* Advances two boxes that are cleared up to *time as far as that goes well. False: to the limit. */
static bool advance_boxes(kiln_sweep_walk *w, const sweep_box *a, const sweep_box *b, double *time)
{
    const double limit = limit_of(w);
    if (*time >= limit) {
        return false;
    }
    kiln_pair_motion_set(&w->motion, *time);
    for (int i = 0; i < ADVANCES_MOST; i++) {
        kiln_solid solid_a, solid_b;
        kiln_solid_form(&solid_a, &w->motion, true, &a->box);
        kiln_solid_form(&solid_b, &w->motion, false, &b->box);
        const double step = kiln_advance_solids(&w->motion, &solid_a, &solid_b, limit - *time);
        if (!(*time + step < limit)) {
            return false;
        }
        if (!(step > WORTH * (limit - *time))) {
            break;
        }
        *time += step;
        kiln_pair_motion_set(&w->motion, *time);
    }
    return true;
}

/* An inner box is opened rather than a leaf, and of two inner boxes the larger one. */
static bool opens_a(const sweep_box *a, const sweep_box *b)
{
    return a->contents.count == 0 && (b->contents.count != 0 || a->size >= b->size);
}

/* What is left when the query ends: the least time of all that waits, and of the pair in hand. */
static void note_rest(kiln_sweep_walk *w, const sweep_level *levels, const sweep_level *at,
                      double in_hand)
{
    w->rest = in_hand;
    for (const sweep_level *level = levels; level <= at; level++) {
        for (uint32_t mask = level->mask; mask != 0; mask &= mask - 1) {
            w->rest = kiln_smaller(w->rest, level->clear[__builtin_ctz(mask)]);
        }
    }
}

static void descend_in_time(kiln_sweep_walk *w, const sweep_box *root_a, const sweep_box *root_b,
                            double time, sweep_level *levels)
{
    const bool a_first = opens_a(root_a, root_b);
    open_at_time(w, a_first ? root_a : root_b, a_first, a_first ? root_b : root_a, levels);
    (void)time;
    sweep_level *at = levels;
    for (;;) {
        if (at->mask == 0) {
            if (at == levels) {
                return;
            }
            at--;
            continue;
        }
        const unsigned lane = at->order & 7u;
        at->order >>= 3;
        at->mask &= ~(1u << lane);
        double now = at->clear[lane];
        if (now >= limit_of(w)) {
            continue;
        }
        take_lane(at->opened_a ? w->a.tree : w->b.tree, scale_of(w, at->opened_a), at->node, lane,
                  &at->lane_box);
        const sweep_box *a = at->opened_a ? &at->lane_box : at->other;
        const sweep_box *b = at->opened_a ? at->other : &at->lane_box;
        if (!take_step(w)) {
            note_rest(w, levels, at, now);
            return;
        }
        /* What was not parted when its node was opened is not tried again at that time. */
        if (now > at->time) {
            if (!advance_boxes(w, a, b, &now)) {
                continue;
            }
        } else if (w->motion.time != now) {
            kiln_pair_motion_set(&w->motion, now);
        }
        if (a->contents.count != 0 && b->contents.count != 0) {
            if (!follow_leaves(w, a, b, &now)) {
                note_rest(w, levels, at, now);
                return;
            }
        } else {
            const bool opened_a = opens_a(a, b);
            open_at_time(w, opened_a ? a : b, opened_a, opened_a ? b : a, at + 1);
            at++;
            KILN_ASSERT(at - levels < SWEEP_LEVELS_MOST);
        }
    }
}

/* As in near_walk.c: a walk of shallow trees does without the stack that the deepest ones take. */
__attribute__((noinline)) static void descend_in_time_common(kiln_sweep_walk *w,
                                                             const sweep_box *root_a,
                                                             const sweep_box *root_b, double time)
{
    sweep_level levels[SWEEP_LEVELS_COMMON];
    descend_in_time(w, root_a, root_b, time, levels);
}

__attribute__((noinline)) static void descend_in_time_deep(kiln_sweep_walk *w,
                                                           const sweep_box *root_a,
                                                           const sweep_box *root_b, double time)
{
    sweep_level levels[SWEEP_LEVELS_MOST];
    descend_in_time(w, root_a, root_b, time, levels);
}

static uint32_t depth_of(const kiln_tree *tree)
{
    return tree != NULL ? tree->view.entry->depth : 0;
}

void kiln_sweep_walk_run(kiln_sweep_walk *w)
{
    sweep_box root_a, root_b;
    double time = 0;
    w->steps = 0;
    w->spent = w->stopped = false;
    w->best = KILN_SWEEP_NONE;
    w->rest = 1;
    w->stored_a = w->stored_b = 0;
    memset(&w->hint, 0, sizeof w->hint);
    w->frame_time = -1;
    for (int side = 0; side < 2; side++) {
        const kiln_sweep_body *body = side == 0 ? &w->a : &w->b;
        sweep_box *root = side == 0 ? &root_a : &root_b;
        if (body->tree != NULL) {
            take_root(body->tree, scale_of(w, side == 0), root);
        } else {
            take_core(body->core, scale_of(w, side == 0), root);
        }
    }
    if (!take_step(w)) {
        w->rest = 0;
        return;
    }
    if (!advance_boxes(w, &root_a, &root_b, &time)) {
        return;
    }
    if (root_a.contents.count != 0 && root_b.contents.count != 0) {
        if (!follow_leaves(w, &root_a, &root_b, &time)) {
            w->rest = time;
        }
    } else if (depth_of(w->a.tree) + depth_of(w->b.tree) + 1 <= SWEEP_LEVELS_COMMON) {
        descend_in_time_common(w, &root_a, &root_b, time);
    } else {
        descend_in_time_deep(w, &root_a, &root_b, time);
    }
}
