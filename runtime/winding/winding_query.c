/* Winding numbers as callers ask for them.
 *
 * A descent from the root takes a lane for what it looks like from afar where the bound of what
 * that is off by is a small part of its weight, the area over 4 pi distance^2. That is how a given
 * sum of bounds takes the fewest lanes: of cells of size h at distance R there are h^-2 to an area,
 * and they add h^3 / R^5 to the bounds; the one sum is least for a given other one where h is in
 * proportion to R, and then what an area adds is so to R^-2. How much weight there will be is not
 * known before (from outside a ball about the tree it is bounded). So the part is guessed, and
 * where the bounds turn out to exceed the accuracy, lanes are chosen again by a smaller one. The
 * first guess is right in about half of the cases; one that is nearly always right takes longer.
 * Lanes that were taken as long as they were below a part of what was left of the accuracy took
 * several times as many.
 *
 * Lanes that are not taken are opened, and the triangles of leaves put aside, to be computed by the
 * kernel as many at a time as it takes. Those that it leaves are computed one by one.
 *
 * Sums of numbers are kept in pairs of doubles, so that they round no more than once, at the end. A
 * point that is farther from the origin than 2^100 times the largest coordinate is at least half
 * of that away from all triangles. */
#include "winding.h"

#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "../base/fpu.h"
#include "../base/options.h"
#include "../exact/double_double.h"
#include "../kernel/kernel.h"
#include "../query/query.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POINT_MAX 1e60
#define POINT_LEAST 0x1p-250 /* less counts as 0, as in trees' own frames */
#define ACCURACY_MOST 1e30
#define TWO_PI_INVERSE 0x1.45f306dc9c883p-3
#define FOUR_PI_INVERSE 0x1.45f306dc9c883p-4
#define UPWARD (1.0 + 0x1p-40) /* more than sums of positive numbers are off by */

/* The first guess of what part of its weight a lane may be off by, for an accuracy of 1; how much
 * of the accuracy a further one is to use; from which excess on a descent is given up, and by what
 * the guess is then multiplied. */
#define GUESS_FIRST 0.6
#define GUESS_USED 0.8
#define EXCESS_MOST 2.0
#define EXCESS_GUESS 0.4

/* A decision begins with the first error, and goes on with a part of the last. */
#define DECISION_FIRST 0x1p-3
#define DECISION_PART 0x1p-4
#define DECISION_LEAST 0x1p-32

enum {
    WINDING_STACK = (KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH,
    WINDING_CHUNK = 64 /* of a task */
};

/* ----------------------------------------------------------------------------------- one sum -- */

/* A tree at a pose. Where that is affine, all is measured in the frame that it leads to, less its
 * translation: triangles are where kiln_transform_vertex carries them. */
typedef struct {
    const kiln_winding *winding;
    kiln_placement placement;
    kiln_transform carry; /* these three of affine poses: without the translation */
    double inverse[9];
    double gross; /* no less than the area of all triangles, in the units of `scale` */
    double scale; /* a power of two, by which no coordinate of a vertex is above 1 */
} wound_tree;

typedef struct {
    const wound_tree *of;
    const kiln_winding *winding;
    const kiln_winding_kernels *kernels;
    double own[3], point[3]; /* in the frame of triangles, and that times the scale */
    kiln_dd number;          /* of lanes */
    kiln_dd angle;           /* of triangles */
    double bounds;           /* of lanes: that their number may be off by */
    double off, magnitude;   /* of the angle: that it may be off by, its parts */
    bool surface;
    unsigned count; /* of triangles put aside */
    uint32_t slots[KILN_WINDING_TRIANGLES];
    kiln_winding_triangles triangles;
} winding_sum;

static void load_wound(const wound_tree *of, uint32_t slot, double scale, double corners[9])
{
    if (!of->placement.affine) {
        kiln_winding_corners(of->winding, slot, scale, corners);
        return;
    }
    const kiln_tree *tree = of->winding->tree;
    const uint32_t stored = kiln_tree_triangle(tree, slot);
    for (unsigned c = 0; c < 3; c++) {
        float room[3];
        const float *vertex = kiln_tree_vertex(tree, stored, c, room);
        kiln_transform_vertex(&of->carry, vertex, corners + 3 * c);
    }
    for (unsigned k = 0; k < 9; k++) {
        corners[k] *= scale;
    }
}

static kiln_dd plus(kiln_dd sum, double v)
{
    return kiln_dd_add(sum, kiln_dd_of(v));
}

static void add_one_by_one(winding_sum *sum, uint64_t unsure)
{
    for (; unsure != 0; unsure &= unsure - 1) {
        const uint32_t slot = sum->slots[__builtin_ctzll(unsure)];
        double corners[9];
        kiln_half_angle half;
        load_wound(sum->of, slot, 1, corners);
        kiln_half_angle_of(corners, sum->own, &half);
        sum->angle = plus(sum->angle, half.angle);
        sum->off += half.error;
        sum->surface = sum->surface || half.on;
    }
}

/* Places beside the last triangle get points that are not near the one that is asked about. */
static void add_triangles(winding_sum *sum)
{
    kiln_winding_angles angles;
    const unsigned whole = (sum->count + 3) / 4 * 4;
    const double away = fabs(sum->point[0]) > 2 ? 0 : 4;
    for (unsigned i = sum->count; i < whole; i++) {
        for (unsigned k = 0; k < 9; k++) {
            sum->triangles.corner[k][i] = away;
        }
    }
    if (whole > 0) {
        sum->kernels->triangles(&sum->triangles, whole, sum->point, &angles);
        sum->angle = plus(sum->angle, angles.angle);
        sum->magnitude += angles.magnitude;
        sum->off += angles.error;
        add_one_by_one(sum, angles.unsure);
    }
    sum->count = 0;
}

static void put_aside(winding_sum *sum, double scale, uint32_t slot)
{
    double corners[9];
    if (!kiln_winding_counts(sum->winding->tree, slot)) {
        return;
    }
    if (sum->count == KILN_WINDING_TRIANGLES) {
        add_triangles(sum);
    }
    load_wound(sum->of, slot, scale, corners);
    for (unsigned k = 0; k < 9; k++) {
        sum->triangles.corner[k][sum->count] = corners[k];
    }
    sum->slots[sum->count++] = slot;
}

static void begin_sum(winding_sum *sum)
{
    sum->number = sum->angle = kiln_dd_of(0);
    sum->bounds = sum->off = sum->magnitude = 0;
    sum->surface = false;
    sum->count = 0;
}

/* Takes lanes that are off by no more than `part` of their weight. False: the bounds exceed `most`;
 * the sum is then worth nothing. */
static bool descend_far(winding_sum *sum, double scale, double part, double most)
{
    const kiln_winding *winding = sum->winding;
    uint32_t stack[WINDING_STACK];
    kiln_winding_seen seen;
    unsigned height = 1;
    stack[0] = 0;
    while (height > 0) {
        const uint32_t index = stack[--height];
        const kiln_format_node8 *node = kiln_tree_node(winding->tree, index);
        sum->kernels->lanes(kiln_winding_rows(winding, index), winding->width, sum->point, &seen);
        for (uint32_t used = kiln_node8_used(node); used != 0; used &= used - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(used);
            if (seen.bound[lane] <= part * seen.weight[lane]) {
                sum->number = plus(sum->number, seen.value[lane]);
                sum->bounds += seen.bound[lane];
                if (sum->bounds > most) {
                    return false;
                }
                continue;
            }
            const kiln_contents contents = kiln_node8_contents(node, lane);
            if (contents.count == 0) {
                KILN_ASSERT(height < WINDING_STACK);
                stack[height++] = contents.first;
            }
            for (uint32_t i = 0; i < contents.count; i++) {
                put_aside(sum, scale, contents.first + i);
            }
        }
    }
    return true;
}

/* The largest weight that there can be from outside of the ball about the tree's box, of two
 * diagonals; else 1 / GUESS_FIRST. */
static double weight_of(const winding_sum *sum, double scale)
{
    const kiln_format_tree *entry = sum->winding->tree->view.entry;
    double diagonal = 0, distance = 0;
    for (int k = 0; k < 3; k++) {
        const double lower = (double)entry->bounds_lower[k], upper = (double)entry->bounds_upper[k];
        const double from = sum->point[k] - (lower + upper) * (scale / 2);
        diagonal += (upper - lower) * scale * ((upper - lower) * scale);
        distance += from * from;
    }
    const double away = sqrt(distance) - sqrt(diagonal) / 2;
    const double weight =
        away > 0 ? sum->winding->gross * FOUR_PI_INVERSE / (away * away) : HUGE_VAL;
    return fmin(weight, 1 / GUESS_FIRST);
}

/* Nothing is taken once the part is below what lanes round by, so that this ends. */
static void sum_from_afar(winding_sum *sum, double scale, double accuracy)
{
    double part = accuracy / weight_of(sum, scale);
    for (;;) {
        const bool whole = descend_far(sum, scale, part, EXCESS_MOST * accuracy);
        if (whole && sum->bounds <= accuracy) {
            return;
        }
        part *= whole ? GUESS_USED * (accuracy / sum->bounds) : EXCESS_GUESS;
        begin_sum(sum);
    }
}

/* With an error of at most `accuracy`, but for rounding; 0: triangle by triangle. What boxes look
 * like from afar does not tell what a map makes of it that is no rotation, as moments have no
 * traces: of affine poses triangles are taken always. */
static void sum_number(const wound_tree *of, const double own[3], double accuracy,
                       kiln_winding_answer *answer)
{
    winding_sum sum;
    const kiln_winding *winding = of->winding;
    const double scale = of->scale;
    double most = 0;
    sum.of = of;
    sum.winding = winding;
    sum.kernels = kiln_kernel_active()->winding;
    for (int k = 0; k < 3; k++) {
        sum.own[k] = own[k];
        sum.point[k] = own[k] * scale;
        most = fmax(most, fabs(sum.point[k]));
    }
    begin_sum(&sum);
    if (most > KILN_WINDING_FARTHEST) {
        const double half = most / 2;
        sum.bounds = of->gross * FOUR_PI_INVERSE / half / half + DBL_MIN;
    } else if (accuracy > 0 && !of->placement.affine) {
        sum_from_afar(&sum, scale, fmin(accuracy, ACCURACY_MOST));
    } else {
        for (uint32_t slot = 0; slot < winding->tree->view.slots; slot++) {
            if (kiln_tree_has_slot(winding->tree, slot)) {
                put_aside(&sum, scale, slot);
            }
        }
    }
    add_triangles(&sum);
    const double of_triangles = (sum.angle.head + sum.angle.tail) * TWO_PI_INVERSE;
    const double of_lanes = sum.number.head + sum.number.tail;
    const double off = (sum.off + 0x1p-48 * sum.magnitude) * TWO_PI_INVERSE + sum.bounds;
    answer->number = of->placement.mirrors ? -of_triangles : of_triangles + of_lanes;
    answer->error = (off + 0x1p-50 * (fabs(of_triangles) + fabs(of_lanes))) * UPWARD;
    answer->surface = sum.surface;
}

/* -------------------------------------------------------------------------------- one answer -- */

static kiln_winding_side side_of(const kiln_winding_answer *answer, double threshold)
{
    return answer->number - answer->error > threshold     ? KILN_WINDING_ABOVE
           : answer->number + answer->error < threshold   ? KILN_WINDING_NOT_ABOVE
           : answer->exact && answer->number <= threshold ? KILN_WINDING_NOT_ABOVE
                                                          : KILN_WINDING_UNDECIDED;
}

/* Every sum costs several times what the one before it did. */
static void decide_number(const wound_tree *of, const double own[3], double threshold,
                          kiln_winding_answer *answer)
{
    double accuracy = of->placement.affine ? 0 : DECISION_FIRST;
    for (;;) {
        sum_number(of, own, accuracy, answer);
        answer->side = side_of(answer, threshold);
        if (answer->side != KILN_WINDING_UNDECIDED || accuracy == 0) {
            return;
        }
        accuracy = accuracy > DECISION_LEAST ? accuracy * DECISION_PART : 0;
    }
}

static void answer_point(const wound_tree *of, const double point[3],
                         const kiln_winding_options *options, kiln_winding_answer *answer)
{
    double own[3];
    int crossings = 0;
    const kiln_tree *tree = of->winding->tree;
    const bool affine = of->placement.affine;
    kiln_winding_answer found;
    memset(&found, 0, sizeof found);
    kiln_placement_point(&of->placement, point, own);
    for (int k = 0; k < 3 && affine; k++) {
        own[k] = point[k] - of->placement.carry.translation[k];
        own[k] = fabs(own[k]) < POINT_LEAST ? 0 : own[k];
    }
    found.exact = options->count_closed && tree->view.entry->closed == KILN_CLOSED_ORIENTED &&
                  kiln_inside_count(tree, affine ? &of->carry : NULL, of->inverse, own,
                                    &crossings) != KILN_PLACE_SURFACE;
    if (found.exact) {
        found.number = of->placement.mirrors ? -crossings : crossings;
        found.side = options->decide ? side_of(&found, options->threshold) : found.side;
    } else if (options->decide) {
        decide_number(of, own, options->threshold, &found);
    } else {
        sum_number(of, own, options->accuracy, &found);
    }
    *answer = found;
}

/* ------------------------------------------------------------------------------ public calls -- */

kiln_winding_options kiln_winding_options_default(void)
{
    kiln_winding_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.accuracy = 0.01;
    options.count_closed = true;
    options.threshold = 0.5;
    return options;
}

typedef struct {
    const kiln_winding *winding;
    const kiln_pose *pose;
    const double *points;
    size_t count;
    kiln_winding_options options;
    wound_tree of;
    kiln_winding_answer *answers;
} winding_run;

static bool points_are_sound(const winding_run *run)
{
    for (size_t i = 0; i < 3 * run->count; i++) {
        if (!(fabs(run->points[i]) <= POINT_MAX)) {
            return false;
        }
    }
    return true;
}

/* No coordinate in the units of the scale is above 1 before a map whose largest entry is below
 * 2^e, and after it none above 3 x 2^e: so 2^(e + 2) is taken off. Triangles have an area of 6 at
 * most then. */
static kiln_status place_wound(wound_tree *of, const kiln_winding *winding, const kiln_pose *pose)
{
    int exponent = 0;
    const kiln_status status = kiln_placement_form_any(&of->placement, pose);
    of->winding = winding;
    of->gross = winding->gross;
    if (status == KILN_OK && of->placement.affine) {
        kiln_placement_centre(&of->placement, &of->carry, of->inverse);
        (void)frexp(kiln_matrix_most(of->carry.rotation), &exponent);
        exponent += 2;
        of->gross = 6.0 * (double)winding->tree->view.slots;
    }
    of->scale = kiln_power_of_two(winding->exponent - exponent);
    return status;
}

static kiln_status prepare_run(winding_run *run)
{
    const kiln_winding_options *options = &run->options;
    const kiln_winding *winding = run->winding;
    if (!points_are_sound(run) || !(options->accuracy >= 0) ||
        (options->decide && !(fabs(options->threshold) <= DBL_MAX)) ||
        memcmp(winding->geometry_hash, winding->tree->view.entry->geometry_hash,
               sizeof winding->geometry_hash) != 0) {
        return KILN_ERROR_ARGUMENT;
    }
    /* Rotations and one scale keep solid angles, and no other map does. */
    return place_wound(&run->of, winding, run->pose);
}

static void answer_chunk(const winding_run *run, uint32_t chunk)
{
    const size_t first = (size_t)chunk * WINDING_CHUNK;
    const size_t last = run->count - first < WINDING_CHUNK ? run->count : first + WINDING_CHUNK;
    for (size_t i = first; i < last; i++) {
        answer_point(&run->of, run->points + 3 * i, &run->options, run->answers + i);
    }
}

static void run_winding_chunk(void *context, uint32_t index)
{
    const winding_run *run = (const winding_run *)context;
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(answer, answer_chunk);
    answer(run, index);
    kiln_fpu_leave(caller);
}

kiln_status kiln_winding_numbers(const kiln_winding *winding, const kiln_pose *pose,
                                 const double *points, size_t count,
                                 const kiln_winding_options *options, kiln_winding_answer *answers)
{
    winding_run run;
    if (winding == NULL || (count > 0 && (points == NULL || answers == NULL)) ||
        count / WINDING_CHUNK >= UINT32_MAX) {
        return KILN_ERROR_ARGUMENT;
    }
    run.winding = winding;
    run.pose = pose;
    run.points = points;
    run.count = count;
    run.answers = answers;
    run.options = kiln_winding_options_default();
    kiln_options_take(&run.options, sizeof run.options, options);
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(prepare, prepare_run);
    const kiln_status status = prepare(&run);
    kiln_fpu_leave(caller);
    if (status != KILN_OK || count == 0) {
        return status;
    }
    const uint32_t chunks = (uint32_t)((count - 1) / WINDING_CHUNK + 1);
    if (run.options.parallel != NULL && chunks > 1) {
        run.options.parallel(run.options.parallel_user, run_winding_chunk, &run, chunks);
    } else {
        for (uint32_t i = 0; i < chunks; i++) {
            run_winding_chunk(&run, i);
        }
    }
    return KILN_OK;
}

kiln_status kiln_winding_number(const kiln_winding *winding, const kiln_pose *pose,
                                const double point[3], const kiln_winding_options *options,
                                kiln_winding_answer *answer)
{
    if (point == NULL || answer == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    return kiln_winding_numbers(winding, pose, point, 1, options, answer);
}
