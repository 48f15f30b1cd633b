/* Fronts as callers see them: memory, the motion between two queries, what it leaves of earlier
 * answers, and the pair that met last. The methods do the rest.
 *
 * Motion. Let tree 0 be seen as at rest, and tree 1 be carried by phi_0 at one query and by phi_1
 * at the next. A point p of tree 1 is displaced by phi_1(p) - phi_0(p), which is an affine function
 * of p, so that over the box of tree 1 its length is greatest at a corner. Seen from tree 1, the
 * points of tree 0 are displaced instead, by another amount; the lesser of both bounds by how much
 * the distance of any two points, one of each, has changed.
 *
 * Affine poses. Distances are those of the world then (pose.h), and by no more than both motions in
 * the world has any of them changed. Methods, whose margins are those of rotations, are left out:
 * what is not free is asked from the roots. */
#include "front.h"

#include "../query/query.h"
#include "../base/fpu.h"
#include "../base/caller_memory.h"
#include "../base/options.h"
#include "../walk/pair_walk.h"
#include "../walk/tree_box.h"

#include <math.h>
#include <string.h>

/* What the carried corners, translations and their differences are off by: a few units in the last
 * place of all that takes part, 2^-52 each; as in kiln_pair_frame_form_maps. */
#define PLACES_OFF 0x1p-43
/* By how much the inverse of a pose that departs from orthonormal changes lengths, for each of what
 * it departs by: R^T R = I + E with entries of E up to 2 `off` (both poses) changes them by less
 * than 3 off, there and back 6, and the transpose by 6 more. */
#define INVERSE_OFF 16.0
/* Coordinates below KILN_EXACT_MIN count as 0, in the frame of whichever tree is X. */
#define LEAST_OFF 0x1p-240
/* The most that a rotation's pose departs by makes of lengths, as above. */
#define DEPARTS_MOST 0x1p-15
/* What a sum of motions, and a difference of two, is off by of itself; also where the least number
 * above a sum stands for a margin of 0. */
#define SUM_OFF 0x1p-51
/* Distances are within 2^-38 of themselves (kiln.h). */
#define DISTANCE_OFF 0x1p-37

/* Failures that a pair that meets again pays for. */
enum { PAIR_EARNED = 5 };

/* ---------------------------------------------------------------------------------- options -- */

kiln_front_options kiln_front_options_default(void)
{
    kiln_front_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.method = KILN_FRONT_AUTO;
    options.coherence = options.sprout = options.prune = (double)NAN;
    return options;
}

static const kiln_front_way *way_of(kiln_front_method method)
{
    static const kiln_front_way *const ways[] = {&kiln_front_auto, &kiln_front_published,
                                                 &kiln_front_separation, &kiln_front_separation,
                                                 &kiln_front_separation};
    const unsigned number = (unsigned)method;
    return number < sizeof ways / sizeof ways[0] ? ways[number] : NULL;
}

/* NULL: they are not allowed for these trees. */
static const kiln_front_way *way_for(const kiln_tree *a, const kiln_tree *b,
                                     const kiln_front_options *given, kiln_front_options *options)
{
    *options = kiln_front_options_default();
    kiln_options_take(options, sizeof *options, given);
    const double numbers[] = {options->coherence, options->sprout, options->prune};
    bool sound = a != NULL && b != NULL && options->capacity <= KILN_FRONT_CAPACITY_MOST;
    for (int i = 0; i < 3; i++) {
        sound = sound && !(numbers[i] < 0);
    }
    const kiln_front_way *way = sound ? way_of(options->method) : NULL;
    return way != NULL && way->takes(a, b, options) ? way : NULL;
}

/* ----------------------------------------------------------------------------------- memory -- */

static size_t whole_lines(size_t bytes)
{
    return (bytes + KILN_FRONT_ALIGNMENT - 1) / KILN_FRONT_ALIGNMENT * KILN_FRONT_ALIGNMENT;
}

size_t kiln_front_size(const kiln_tree *a, const kiln_tree *b, const kiln_front_options *options)
{
    kiln_front_options full;
    const kiln_front_way *way = way_for(a, b, options, &full);
    return way == NULL ? 0
                       : whole_lines(sizeof(kiln_front)) + way->size(a, b, &full) +
                             KILN_FRONT_ALIGNMENT - 1;
}

/* Which of two meshes is X depends on their geometry, and only for one and the same on the poses,
 * too (pose.c). */
static bool is_b_first(const kiln_tree *a, const kiln_tree *b)
{
    const kiln_format_tree *of_a = a->view.entry, *of_b = b->view.entry;
    return memcmp(of_b->geometry_hash, of_a->geometry_hash, sizeof of_a->geometry_hash) < 0;
}

/* The box of a tree in its own frame. */
static void measure_tree(const kiln_tree *tree, double centre[3], double half[3])
{
    for (int k = 0; k < 3; k++) {
        const double lower = (double)tree->view.entry->bounds_lower[k];
        const double upper = (double)tree->view.entry->bounds_upper[k];
        centre[k] = (lower + upper) / 2;
        half[k] = (upper - lower) / 2;
    }
}

static void measure_trees(kiln_front *front)
{
    measure_tree(front->b_first ? front->b : front->a, front->centre[0], front->half[0]);
    measure_tree(front->b_first ? front->a : front->b, front->centre[1], front->half[1]);
}

/* All that is known of the trees; also after they were refitted. */
static void take_trees(kiln_front *front)
{
    front->b_first = is_b_first(front->a, front->b);
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(measure, measure_trees);
    measure(front);
    front->way->place(front, (uint8_t *)front + whole_lines(sizeof(kiln_front)));
    kiln_fpu_leave(caller);
}

kiln_status kiln_front_place(void *memory, size_t size, const kiln_tree *a, const kiln_tree *b,
                             const kiln_front_options *options, kiln_front **out)
{
    if (out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    *out = NULL;
    kiln_front_options full;
    const kiln_front_way *way = way_for(a, b, options, &full);
    if (memory == NULL || way == NULL || size < kiln_front_size(a, b, options)) {
        return KILN_ERROR_ARGUMENT;
    }
    if (!kiln_tree_has_polygons(a) || !kiln_tree_has_polygons(b)) {
        return kiln_trees_lack(a, b);
    }
    uint8_t *start = (uint8_t *)memory + kiln_memory_skip(memory, KILN_FRONT_ALIGNMENT);
    kiln_front *front = (kiln_front *)(void *)start;
    memset(front, 0, sizeof *front);
    front->a = a;
    front->b = b;
    front->options = full;
    front->way = way;
    front->pair_credit = KILN_FRONT_CREDIT_MOST;
    take_trees(front);
    *out = front;
    return KILN_OK;
}

/* What is not known of the motion makes all that was remembered void. */
static void lose_track(kiln_front *front)
{
    front->motion = HUGE_VAL;
    front->travelled = 0;
    front->free_until = 0;
}

static void forget_all(kiln_front *front)
{
    const kiln_hint none = {0, 0};
    front->has_last = false;
    front->hint = none;
    front->hint_met = false;
    front->pair_credit = KILN_FRONT_CREDIT_MOST;
    lose_track(front);
    front->way->reset(front);
}

void kiln_front_reset(kiln_front *front)
{
    if (front != NULL) {
        forget_all(front);
        memset(&front->counts, 0, sizeof front->counts);
        take_trees(front);
    }
}

/* ----------------------------------------------------------------------------------- motion -- */

/* The largest |d + s0 u0 + s1 u1 + s2 u2|, with signs s, of a matrix m that is applied to a box
 * and then moved. */
static double longest_displacement(const double m[9], const double way[3], const double centre[3],
                                   const double half[3])
{
    double d[3], u[3][3], most = 0;
    for (int i = 0; i < 3; i++) {
        const double *row = m + 3 * i;
        d[i] = ((row[0] * centre[0] + row[1] * centre[1]) + row[2] * centre[2]) + way[i];
        for (int k = 0; k < 3; k++) {
            u[k][i] = row[k] * half[k];
        }
    }
    /* |d + x|^2 or |d - x|^2, of corners opposite to each other, the larger. */
    double squared = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    for (int signs = 0; signs < 4; signs++) {
        double of_x = 0, along = 0;
        for (int i = 0; i < 3; i++) {
            const double x = u[0][i] + ((signs & 1) != 0 ? u[1][i] : -u[1][i]) +
                             ((signs & 2) != 0 ? u[2][i] : -u[2][i]);
            of_x += x * x;
            along += x * d[i];
        }
        const double of_both = of_x + 2 * fabs(along);
        most = of_both > most ? of_both : most;
    }
    return sqrt(squared + most) * (1 + 0x1p-48) + 0x1p-500; /* squares may underflow */
}

static double sum_of_magnitudes(const double v[3])
{
    return (fabs(v[0]) + fabs(v[1])) + fabs(v[2]);
}

/* How far the two trees have moved relative to each other, in units of tree 0's frame. */
static double motion_of_trees(const kiln_front *front, const kiln_front_place_of *from,
                              const kiln_front_place_of *to)
{
    if (from->inverted == to->inverted &&
        memcmp(&from->carry, &to->carry, sizeof from->carry) == 0) {
        return 0; /* and every carried vertex is where it was, to the bit */
    }
    double matrix[9], turned[9], way[3];
    for (int i = 0; i < 9; i++) {
        matrix[i] = to->carry.rotation[i] - from->carry.rotation[i];
    }
    for (int k = 0; k < 3; k++) {
        way[k] = to->carry.translation[k] - from->carry.translation[k];
    }
    const double of_1 = longest_displacement(matrix, way, front->centre[1], front->half[1]);
    /* The points of tree 0 as tree 1 sees them, R^T (p - t), in units of tree 0. */
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            turned[3 * i + k] = matrix[3 * k + i] * to->unscaled;
        }
        way[i] = from->back[i] - to->back[i];
    }
    const double of_0 = longest_displacement(turned, way, front->centre[0], front->half[0]);
    const double magnitude =
        sum_of_magnitudes(from->carry.translation) + sum_of_magnitudes(to->carry.translation) +
        (sum_of_magnitudes(front->centre[0]) + sum_of_magnitudes(front->half[0])) +
        (sum_of_magnitudes(front->centre[1]) + sum_of_magnitudes(front->half[1])) * to->scale;
    const double off = INVERSE_OFF * (from->off > to->off ? from->off : to->off);
    const double motion_0 = of_0 + off * magnitude;
    return (of_1 < motion_0 ? of_1 : motion_0) + PLACES_OFF * magnitude +
           LEAST_OFF * (1 + to->scale);
}

/* Where tree 1 is as tree 0 sees it. For one mesh twice X and Y may have changed places, so the
 * transform is inverted. */
static void place_of_trees(const kiln_front *front, const kiln_pose *pose_a,
                           const kiln_pose *pose_b, kiln_front_place_of *place)
{
    const kiln_pair_frame *frame = &front->frame;
    const kiln_pose *of_0 = front->b_first ? pose_b : pose_a;
    place->carry = frame->carry;
    place->scale = frame->scale;
    place->world = kiln_pose_scale(of_0);
    place->off = frame->off;
    place->inverted = frame->swapped != front->b_first;
    if (place->inverted) {
        kiln_matrix_invert(frame->carry.rotation, place->carry.rotation);
        kiln_matrix_apply(place->carry.rotation, frame->carry.translation,
                          place->carry.translation);
        for (int k = 0; k < 3; k++) {
            place->carry.translation[k] = -place->carry.translation[k];
        }
        place->scale = 1 / frame->scale;
    }
    place->unscaled = 1 / place->scale;
    const double *rotation = place->carry.rotation, *way = place->carry.translation;
    for (int i = 0; i < 3; i++) {
        place->back[i] =
            ((rotation[i] * way[0] + rotation[3 + i] * way[1]) + rotation[6 + i] * way[2]) *
            place->unscaled;
    }
}

/* The longest edge of the smaller of the two boxes, in the world. */
static double smaller_size(const kiln_front *front, const kiln_front_place_of *place)
{
    double size[2];
    for (int i = 0; i < 2; i++) {
        const double *half = front->half[i];
        size[i] = 2 * fmax(half[0], fmax(half[1], half[2]));
    }
    return fmin(size[0], size[1] * place->scale) * place->world;
}

/* The sum grows with every motion that is not 0, so that what was proved at one query is never
 * taken for proved at another place. */
static void add_motion(kiln_front *front, const kiln_front_place_of *place)
{
    const kiln_front_place_of *last = &front->last;
    double motion = HUGE_VAL;
    if (front->has_last && !front->last_affine && last->scale == place->scale &&
        last->world == place->world) {
        motion = motion_of_trees(front, last, place) * place->world * (1 + 0x1p-50);
    }
    if (motion > 0) {
        front->motion += motion;
        front->travelled = (front->travelled + motion) * (1 + 0x1p-52);
    }
    if (!(front->travelled < HUGE_VAL)) {
        lose_track(front);
    }
    front->last = *place;
    front->has_last = true;
    front->last_affine = false;
}

/* The least that a length of X's frame, in the world, is by tree 0's, in which motions are. */
static double least_by_tree_0(const kiln_front *front)
{
    const kiln_pair_frame *frame = &front->frame;
    return frame->swapped == front->b_first ? 1 : 1 - INVERSE_OFF * frame->off;
}

/* No vector gets longer by more. */
static double stretch_of(const kiln_pose *pose)
{
    return kiln_pose_is_sound(pose) ? pose->scale : pose->scale * kiln_matrix_norm(pose->rotation);
}

static double magnitude_at(const kiln_tree *tree, const kiln_pose *pose)
{
    double centre[3], half[3];
    measure_tree(tree, centre, half);
    return sum_of_magnitudes(pose->translation) +
           (sum_of_magnitudes(centre) + sum_of_magnitudes(half)) * stretch_of(pose);
}

static kiln_status bound_motion(const kiln_tree *tree, const kiln_pose *from, const kiln_pose *to,
                                double *bound)
{
    const kiln_pose still = kiln_pose_identity();
    from = from != NULL ? from : &still;
    to = to != NULL ? to : &still;
    if (!kiln_pose_is_served(from) || !kiln_pose_is_served(to)) {
        return KILN_ERROR_POSE;
    }
    if (memcmp(from, to, sizeof *from) == 0) {
        *bound = 0;
        return KILN_OK;
    }
    double matrix[9], way[3], centre[3], half[3];
    for (int i = 0; i < 9; i++) {
        matrix[i] = to->rotation[i] * to->scale - from->rotation[i] * from->scale;
    }
    measure_tree(tree, centre, half);
    for (int k = 0; k < 3; k++) {
        way[k] = to->translation[k] - from->translation[k];
    }
    const double magnitude =
        sum_of_magnitudes(from->translation) + sum_of_magnitudes(to->translation) +
        (sum_of_magnitudes(centre) + sum_of_magnitudes(half)) * (stretch_of(from) + stretch_of(to));
    *bound =
        longest_displacement(matrix, way, centre, half) * (1 + 0x1p-50) + PLACES_OFF * magnitude;
    return KILN_OK;
}

/* What the methods know is void. */
static void begin_affine(kiln_front *front, const kiln_pose *pose_a, const kiln_pose *pose_b)
{
    const kiln_tree *trees[2] = {front->a, front->b};
    const kiln_pose *given[2] = {pose_a, pose_b};
    double motion = 0, magnitude = 0;
    const bool known = front->has_last && front->last_affine;
    for (int i = 0; i < 2; i++) {
        const kiln_pose pose = given[i] != NULL ? *given[i] : kiln_pose_identity();
        double bound = 0;
        if (known) {
            (void)bound_motion(trees[i], &front->poses[i], &pose, &bound);
        }
        motion += bound;
        magnitude += magnitude_at(trees[i], &pose);
        front->poses[i] = pose;
    }
    if (motion > 0) {
        front->travelled = (front->travelled + motion) * (1 + 0x1p-52);
    }
    front->motion = HUGE_VAL;
    if (!known || front->travelled == HUGE_VAL) {
        lose_track(front);
    }
    front->world = 1;
    front->size = magnitude;
    front->has_last = front->last_affine = true;
}

/* Relates the poses; on error the front remembers nothing. */
static kiln_status begin_query(kiln_front *front, const kiln_pose *pose_a, const kiln_pose *pose_b,
                               bool wants_motion)
{
    const kiln_status status =
        kiln_pair_frame_relate_any_polygons(&front->frame, front->a, pose_a, front->b, pose_b);
    if (status != KILN_OK) {
        return status;
    }
    front->counts.queries++;
    if (front->frame.affine) {
        begin_affine(front, pose_a, pose_b);
        return KILN_OK;
    }
    front->world = kiln_pose_scale(front->frame.swapped ? pose_b : pose_a) * least_by_tree_0(front);
    if (!wants_motion) {
        front->has_last = false;
        lose_track(front);
        return KILN_OK;
    }
    kiln_front_place_of place;
    place_of_trees(front, pose_a, pose_b, &place);
    front->size = smaller_size(front, &place);
    add_motion(front, &place);
    return KILN_OK;
}

/* What is left of a length that the surfaces are apart when the two objects move by themselves:
 * their places are rounded, too, and are so again wherever they will be. */
static double free_motion_of(const kiln_front *front, const kiln_pose *pose_a,
                             const kiln_pose *pose_b)
{
    const double apart = front->free_until - front->travelled;
    double magnitude = 0;
    if (front->last_affine) { /* `size` is the sum of magnitudes */
        const double left = apart * (1 - DEPARTS_MOST) -
                            8 * (PLACES_OFF * front->size + LEAST_OFF) -
                            SUM_OFF * front->free_until;
        return left > 0 ? left : 0;
    }
    for (int i = 0; i < 2; i++) {
        const kiln_pose *pose = i == 0 ? pose_a : pose_b;
        if (pose != NULL) {
            magnitude += sum_of_magnitudes(pose->translation);
        }
        const double scale = i == 0 ? front->last.world : front->last.world * front->last.scale;
        magnitude +=
            (sum_of_magnitudes(front->centre[i]) + sum_of_magnitudes(front->half[i])) * scale;
    }
    const double least = LEAST_OFF * front->last.world * (1 + front->last.scale);
    const double left = apart * (1 - 0x1p-40 - INVERSE_OFF * front->last.off) -
                        8 * (PLACES_OFF * magnitude + least) - SUM_OFF * front->free_until;
    return left > 0 ? left : 0;
}

kiln_status kiln_motion_bound(const kiln_tree *tree, const kiln_pose *from, const kiln_pose *to,
                              double *bound)
{
    if (tree == NULL || bound == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, bound_motion);
    const kiln_status status = run(tree, from, to, bound);
    kiln_fpu_leave(caller);
    return status;
}

/* ---------------------------------------------------------------------------------- queries -- */

/* A query in hand; what the method finds passes through here to the query's own visitor. */
typedef struct {
    kiln_front *front;
    const kiln_pose *pose_a, *pose_b;
    const kiln_pair_visitor *visitor;
    bool any;    /* a pair meets, whatever the filter says of it */
    bool passed; /* one was passed */
    double left; /* the free motion, once the query is done */
} front_query;

/* The filter is called here, so that methods know of all pairs that meet. */
static bool pass_pair(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    front_query *query = (front_query *)user;
    const kiln_pair_visitor *visitor = query->visitor;
    query->any = true;
    if (visitor->filter != NULL && !kiln_pair_filter_keeps(visitor->filter, frame, x, y)) {
        return true;
    }
    if (!query->passed) {
        query->passed = true;
        query->front->hint = kiln_pair_hint(frame, x, y);
        query->front->hint_met = true;
    }
    return visitor->visit(visitor->user, frame, x, y);
}

/* Do the triangles that met last meet again? Then one hit is found, and no tree is walked. */
static bool meets_last_pair(front_query *query)
{
    kiln_front *front = query->front;
    const kiln_pair_frame *frame = &front->frame;
    uint32_t stored_x, stored_y;
    if (!front->hint_met || !kiln_front_pays(front, front->pair_credit) ||
        kiln_pair_filter_stops(query->visitor->filter)) {
        return false;
    }
    const bool meets = kiln_hint_meets(frame, front->hint, &stored_x, &stored_y) &&
                       !pass_pair(query, frame, stored_x, stored_y);
    kiln_front_credit(&front->pair_credit, meets, PAIR_EARNED);
    return meets;
}

/* As `run` of a method. */
static double run_from_roots(kiln_front *front, const kiln_pair_visitor *visitor)
{
    kiln_tree_box root_x, root_y;
    const double gap = kiln_roots_gap(&front->frame);
    front->counts.fresh++;
    front->counts.entries = 0;
    if (!(gap < 0)) {
        return gap * (1 - 0x1p-50);
    }
    kiln_pair_frame_form_maps(&front->frame);
    kiln_tree_box_root(&front->frame, true, &root_x);
    kiln_tree_box_root(&front->frame, false, &root_y);
    kiln_pair_walk_from(&front->frame, &root_x, &root_y, visitor);
    return 0;
}

static void answer_query(front_query *query)
{
    kiln_front *front = query->front;
    const kiln_pair_visitor *given = query->visitor;
    const bool shortcuts = front->way->shortcuts && !front->always;
    if (shortcuts && front->travelled < front->free_until) {
        front->counts.skipped++;
        return;
    }
    front->free_until = 0;
    if (shortcuts && given->nearest_first && meets_last_pair(query)) {
        front->counts.last_pair++;
        return;
    }
    kiln_pair_filter_bound stop;
    kiln_pair_visitor visitor = *given;
    visitor.visit = pass_pair;
    visitor.user = query;
    if (given->filter != NULL) {
        stop = *given->filter;
        stop.call = NULL;
        visitor.filter = &stop;
    }
    front->hint_met = false;
    const double apart =
        front->frame.affine ? run_from_roots(front, &visitor) : front->way->run(front, &visitor);
    front->motion = 0;
    KILN_ASSERT(apart >= 0);
    if (given->filter != NULL) {
        given->filter->stopped |= stop.stopped;
    }
    if (!query->any && front->has_last) {
        front->free_until = front->travelled + apart * (1 - 0x1p-50);
    }
}

static kiln_status run_front_query(front_query *query)
{
    const kiln_front *front = query->front;
    const bool wants_motion = front->way->wants_motion == NULL ||
                              front->travelled < front->free_until ||
                              front->way->wants_motion(front);
    const kiln_status status =
        begin_query(query->front, query->pose_a, query->pose_b, wants_motion);
    if (status == KILN_OK) {
        answer_query(query);
        query->left = query->any ? 0 : free_motion_of(query->front, query->pose_a, query->pose_b);
    }
    return status;
}

/* A source of pairs, as kiln_pair_walk is one. */
static kiln_status walk_front(void *user, const kiln_pair_visitor *visitor)
{
    front_query *query = (front_query *)user;
    query->visitor = visitor;
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, run_front_query);
    kiln_status status = run(query);
    kiln_fpu_leave(caller);
    status = kiln_pair_filter_status(visitor->filter, status);
    if (status != KILN_OK) {
        forget_all(query->front);
    }
    return status;
}

kiln_status kiln_front_collide(kiln_front *front, const kiln_pose *pose_a, const kiln_pose *pose_b,
                               const kiln_pair_options *options, kiln_hit *hit, double *free_motion)
{
    if (front == NULL || hit == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_hit found;
    memset(&found, 0, sizeof found);
    kiln_pair_filter_bound filter;
    const kiln_pair_visitor visitor = {
        kiln_hit_take, &found, true, false, kiln_pair_filter_bind(options, &filter), NULL};
    front_query query = {front, pose_a, pose_b, NULL, false, false, 0};
    const kiln_status status = walk_front(&query, &visitor);
    if (status == KILN_OK) {
        *hit = found;
        if (free_motion != NULL) {
            *free_motion = query.left;
        }
    }
    return status;
}

kiln_status kiln_front_contacts_each(kiln_front *front, const kiln_pose *pose_a,
                                     const kiln_pose *pose_b, const kiln_pair_options *options,
                                     kiln_pair_callback callback, void *user, size_t *count,
                                     double *free_motion)
{
    if (front == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    front_query query = {front, pose_a, pose_b, NULL, false, false, 0};
    const kiln_status status =
        kiln_contacts_each_from(walk_front, &query, options, callback, user, count);
    if (status == KILN_OK && free_motion != NULL) {
        *free_motion = query.left;
    }
    return status;
}

kiln_status kiln_front_contacts(kiln_front *front, const kiln_pose *pose_a, const kiln_pose *pose_b,
                                const kiln_pair_options *options, kiln_pair *pairs, size_t capacity,
                                size_t *count, double *free_motion)
{
    if (front == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    front_query query = {front, pose_a, pose_b, NULL, false, false, 0};
    const kiln_status status =
        kiln_contacts_from(walk_front, &query, front->a, front->b, options, pairs, capacity, count);
    if (status == KILN_OK && free_motion != NULL) {
        *free_motion = query.left;
    }
    return status;
}

/* --------------------------------------------------------------------------------- distances -- */

/* What an answer proves of all pairs: nothing where a filter left some out. */
static void remember_distance(kiln_front *front, const kiln_pair_options *options,
                              const kiln_nearest *nearest)
{
    const double error = PLACES_OFF * (fabs(nearest->distance) + front->size);
    const double least = (nearest->distance - options->absolute) / (1 + options->relative);
    const double apart = least * (1 - DISTANCE_OFF) * least_by_tree_0(front) - error;
    front->free_until = 0;
    if (options->filter == NULL && front->has_last && apart > 0) {
        const double until = front->travelled + apart * (1 - 0x1p-50);
        front->free_until = until < HUGE_VAL ? until : 0;
    }
}

kiln_status kiln_front_distance(kiln_front *front, const kiln_pose *pose_a, const kiln_pose *pose_b,
                                const kiln_pair_options *options, kiln_nearest *nearest)
{
    if (front == NULL || nearest == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_pair_options full = kiln_pair_options_of(options);
    if (full.hint.a == 0 || full.hint.b == 0) {
        full.hint = front->hint;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(begin, begin_query);
    kiln_status status = begin(front, pose_a, pose_b, true);
    kiln_fpu_leave(caller);
    if (status == KILN_OK) {
        status = kiln_distance(front->a, pose_a, front->b, pose_b, &full, nearest);
    }
    if (status != KILN_OK) {
        forget_all(front);
        return status;
    }
    const kiln_fpu_state again = kiln_fpu_enter();
    KILN_FPU_CALL(remember, remember_distance);
    remember(front, &full, nearest);
    kiln_fpu_leave(again);
    front->counts.fresh++;
    if (nearest->found) {
        front->hint = nearest->hint;
        front->hint_met = !(nearest->distance > 0);
    }
    return KILN_OK;
}

/* -------------------------------------------------------------------------------- inspection -- */

kiln_hint kiln_front_get_hint(const kiln_front *front)
{
    const kiln_hint none = {0, 0};
    return front != NULL ? front->hint : none;
}

kiln_front_info kiln_front_get_info(const kiln_front *front)
{
    kiln_front_info info;
    memset(&info, 0, sizeof info);
    if (front != NULL) {
        info = front->counts;
    }
    return info;
}
