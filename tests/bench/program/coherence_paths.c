/* Paths that hug a surface. A track is made of steps of a five-hundredth of e_o, seven tenths by
 * translation and three by rotation in the measure of Equation 9. Where it goes next is steered: a
 * free body keeps a distance that changes from a three-hundredth to a twentieth of e_o, a
 * colliding one keeps its contacts within a box of about a seventh of e_o; both drift along the
 * surface otherwise. A step of a free body that meets the surface is not taken. Only operations
 * that IEEE 754 rounds correctly, and answers of queries, decide, so that tracks are the same
 * everywhere. */
#include "coherence.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void unit(double v[3])
{
    const double length = sqrt(dot(v, v));
    for (int k = 0; k < 3 && length > 0; k++) {
        v[k] /= length;
    }
}

/* p = a b, quaternions {x, y, z, w}, of length 1. */
static void multiply_quaternions(const double a[4], const double b[4], double p[4])
{
    const double of[4] = {(a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]),
                          (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]),
                          (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]),
                          (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2])};
    const double length = sqrt(((of[0] * of[0] + of[1] * of[1]) + of[2] * of[2]) + of[3] * of[3]);
    for (int k = 0; k < 4; k++) {
        p[k] = of[k] / length;
    }
}

/* ---------------------------------------------------------------------------------- tracks - */

/* The body in hand, and where it is going. */
typedef struct {
    const kiln_tree *still, *moving;
    const coherence_track *track;
    uint64_t random;
    double rotation[4], place[3]; /* place: of the middle of the body's box */
    double heading[3], spin[3];   /* unit vectors */
    double wanted;                /* distance, or size of the box of contacts; of e_o */
    kiln_hint hint;
} walker;

static kiln_pose pose_of(const walker *at)
{
    kiln_pose pose;
    if (kiln_pose_from_quaternion(at->rotation, NULL, &pose) != KILN_OK) {
        abort();
    }
    for (int k = 0; k < 3; k++) {
        pose.translation[k] = at->place[k] - dot(pose.rotation + 3 * k, at->track->middle);
    }
    return pose;
}

/* The distance, or 0; *toward is the unit vector from the body to the surface. */
static double look(walker *at, double toward[3])
{
    kiln_pair_options options = kiln_pair_options_default();
    kiln_nearest nearest;
    const kiln_pose pose = pose_of(at);
    options.relative = 0.02;
    options.hint = at->hint;
    if (kiln_distance(at->still, NULL, at->moving, &pose, &options, &nearest) != KILN_OK) {
        abort();
    }
    at->hint = nearest.hint;
    memcpy(toward, nearest.normal, sizeof nearest.normal);
    return nearest.distance;
}

static void turn_a_little(walker *at, double v[3], double by)
{
    double aside[3];
    random_direction(&at->random, aside);
    for (int k = 0; k < 3; k++) {
        v[k] += by * aside[k];
    }
    unit(v);
}

/* One step along a unit vector; `turns`: and about the spin. */
static void advance(walker *at, const double along[3], bool turns)
{
    const double step = COHERENCE_STEP * at->track->size;
    if (turns) {
        /* The sine of half the angle is the angle's half to within its cube. */
        const double half = 0.3 * step / at->track->half / 2;
        const double by[4] = {half * at->spin[0], half * at->spin[1], half * at->spin[2], 1};
        multiply_quaternions(by, at->rotation, at->rotation);
    }
    for (int k = 0; k < 3; k++) {
        at->place[k] += (turns ? 0.7 : 1) * step * along[k];
    }
}

/* The heading without its part along `toward`, and `pull` of that. */
static void steer(const walker *at, const double toward[3], double pull, double along[3])
{
    const double part = dot(at->heading, toward);
    const double bounded = pull > 1 ? 1 : pull < -1 ? -1 : pull;
    for (int k = 0; k < 3; k++) {
        along[k] = at->heading[k] + (bounded - part) * toward[k];
    }
    if (!(dot(along, along) > 1e-6)) {
        memcpy(along, toward, 3 * sizeof(double));
    }
    unit(along);
}

/* The heading follows what was done, so that the body goes round corners. */
static void follow(walker *at, const double along[3])
{
    for (int k = 0; k < 3; k++) {
        at->heading[k] += 0.02 * along[k];
    }
    turn_a_little(at, at->heading, 0.02);
    turn_a_little(at, at->spin, 0.02);
}

/* From where it is, which is free, to the next free place. False: there is none, and the body is
 * back where it was. */
static bool step_free(walker *at, double *distance, double toward[3])
{
    const double size = at->track->size;
    for (int try = 0; try < 4; try++) {
        const walker before = *at;
        double along[3], next[3];
        steer(at, toward, try == 0 ? (*distance / size - at->wanted) / 0.02 : -0.5 * try, along);
        advance(at, along, try < 3);
        const double found = look(at, next);
        if (found > 0) {
            *distance = found;
            memcpy(toward, next, sizeof next);
            follow(at, along);
            return true;
        }
        *at = before;
        turn_a_little(at, at->heading, 0.5);
        turn_a_little(at, at->spin, 0.5);
    }
    return false;
}

/* Where the surface is from a body that meets it, or nearly does. The pull is toward it while the
 * contacts take less room than is wanted. */
static double look_into(walker *at, double toward[3])
{
    const double size = at->track->size;
    const kiln_pose pose = pose_of(at);
    kiln_contacts_summary met;
    double extent = 0;
    if (kiln_contacts_summarise(at->still, NULL, at->moving, &pose, NULL, &met) != KILN_OK) {
        abort();
    }
    if (met.count == 0) {
        (void)look(at, toward);
        return 1;
    }
    for (int k = 0; k < 3; k++) {
        toward[k] = 0.5 * (met.lower[k] + met.upper[k]) - at->place[k];
        extent = fmax(extent, met.upper[k] - met.lower[k]);
    }
    unit(toward);
    return (at->wanted - extent / size) / 0.1;
}

/* To just before the surface, from outside: toward a corner of a triangle, by as much as is
 * free. */
static void approach(walker *at, const coherence_scenario *scenario)
{
    const kiln_tree_info info = kiln_tree_get_info(at->still);
    double aim[3], toward[3], way[3], reach = 0;
    float corners[3][3];
    if (kiln_tree_corners(at->still, random_below(&at->random, info.triangle_count), corners) !=
        KILN_OK) {
        abort();
    }
    random_direction(&at->random, way);
    for (int k = 0; k < 3; k++) {
        aim[k] = (double)corners[0][k];
        reach += (double)(info.bounds_upper[k] - info.bounds_lower[k]);
    }
    for (int k = 0; k < 3; k++) {
        at->place[k] = aim[k] + (reach + 2 * at->track->half) * way[k];
    }
    if (scenario->has_start) {
        memcpy(at->place, scenario->start, sizeof at->place);
        /* The rotation by half a turn about the middle of z and the axis takes one to the other. */
        double half[3] = {scenario->axis[0], scenario->axis[1], scenario->axis[2]};
        unit(half);
        half[2] += 1;
        unit(half);
        memcpy(at->rotation, half, sizeof half);
        at->rotation[3] = 0;
        KILN_ASSERT(look(at, toward) > 0);
        return;
    }
    for (;;) {
        const double far = look(at, toward) - 0.02 * at->track->size;
        if (!(far > 0.01 * at->track->size)) {
            break;
        }
        for (int k = 0; k < 3; k++) {
            at->place[k] -= far * way[k];
        }
    }
}

coherence_track coherence_track_make(const coherence_scenario *scenario, const kiln_tree *still,
                                     const kiln_tree *moving, bool is_free, uint32_t steps)
{
    enum { LOOKS = 4 }; /* steps between two looks at all contacts */
    const kiln_tree_info info = kiln_tree_get_info(moving);
    coherence_track track = {malloc(steps * sizeof *track.poses), steps, 0, {0}, 0};
    double edge[3], toward[3], distance, pull = 1;
    if (track.poses == NULL) {
        abort();
    }
    for (int k = 0; k < 3; k++) {
        edge[k] = (double)info.bounds_upper[k] - (double)info.bounds_lower[k];
        track.middle[k] = 0.5 * ((double)info.bounds_upper[k] + (double)info.bounds_lower[k]);
        track.size = fmax(track.size, edge[k]);
    }
    track.half = 0.5 * sqrt(dot(edge, edge));
    walker at = {.still = still,
                 .moving = moving,
                 .track = &track,
                 .random = 18,
                 .rotation = {0.1, 0.7, -0.1, 0.7},
                 .wanted = is_free ? 0.02 : 0.15};
    const double none[4] = {0, 0, 0, 1};
    multiply_quaternions(none, at.rotation, at.rotation);
    random_direction(&at.random, at.heading);
    random_direction(&at.random, at.spin);
    approach(&at, scenario);
    distance = look(&at, toward);
    for (uint32_t i = 0; i < steps; i++) {
        if (i % 64 == 0 && is_free) {
            at.wanted = random_between(&at.random, 0.0033, 0.05);
        }
        if (is_free) {
            if (i > 0 && !step_free(&at, &distance, toward)) {
                /* Shut in: it stays, and looks for another way next time. */
                track.poses[i] = track.poses[i - 1];
                continue;
            }
        } else {
            double along[3];
            if (i % LOOKS == 0) {
                pull = look_into(&at, toward);
            }
            steer(&at, toward, pull, along);
            advance(&at, along, true);
            follow(&at, along);
        }
        track.poses[i] = pose_of(&at);
    }
    return track;
}

/* ----------------------------------------------------------------------------------- paths - */

/* The angle by which one pose is turned against another, from the distance of their rotations: of
 * matrices it is 2 sqrt(2) times the sine of half the angle. The series is good to 1 % up to two
 * radians. */
static double angle_between(const kiln_pose *a, const kiln_pose *b)
{
    double sum = 0;
    for (int i = 0; i < 9; i++) {
        const double d = a->rotation[i] - b->rotation[i];
        sum += d * d;
    }
    const double s = sqrt(sum / 8), ss = s * s;
    return 2 * s * (1 + ss * (1.0 / 6 + ss * (3.0 / 40 + ss * (15.0 / 336 + ss * 105.0 / 3456))));
}

double coherence_motion_between(const coherence_track *track, const kiln_pose *from,
                                const kiln_pose *to)
{
    double moved[3];
    for (int k = 0; k < 3; k++) {
        moved[k] =
            (to->translation[k] - from->translation[k]) +
            (dot(to->rotation + 3 * k, track->middle) - dot(from->rotation + 3 * k, track->middle));
    }
    return sqrt(dot(moved, moved)) + angle_between(from, to) * track->half;
}

/* The number of a pose on a way to and fro. */
static uint32_t fold(const coherence_track *track, uint64_t at)
{
    const uint64_t round = 2 * (uint64_t)(track->count - 1), place = at % round;
    return (uint32_t)(place < track->count ? place : round - place);
}

/* Paths begin some way along a track, where a colliding body has come to its contacts. */
static uint64_t beginning(const coherence_track *track)
{
    return track->count / 5;
}

/* Goes on, by a step at least, until the body has moved by so many e_o to within half a step, or it
 * is clear that it will not. */
static uint64_t go_on(const coherence_track *track, uint64_t from, double size)
{
    const double way = (size - 0.5 * COHERENCE_STEP) * track->size;
    const kiln_pose *start = &track->poses[fold(track, from)];
    const uint64_t most = from + 20 + (uint64_t)(8 * size / COHERENCE_STEP);
    uint64_t at = from + 1;
    while (at < most &&
           coherence_motion_between(track, start, &track->poses[fold(track, at)]) < way) {
        at++;
    }
    return at;
}

static coherence_path empty_path(uint32_t frames)
{
    const coherence_path path = {malloc(frames * sizeof *path.poses), frames};
    if (path.poses == NULL) {
        abort();
    }
    return path;
}

coherence_path coherence_path_even(const coherence_track *track, double size, uint32_t frames)
{
    coherence_path path = empty_path(frames);
    uint64_t at = beginning(track);
    for (uint32_t i = 0; i < frames; i++) {
        path.poses[i] = track->poses[fold(track, at)];
        at = go_on(track, at, size);
    }
    return path;
}

/* The quantile of motions at u: linear between the least, the median, 0.1 and the largest. Where
 * none is to be above 0.1, the step by which a track may go too far must not lead there. */
static double motion_at(const coherence_motion *motion, double u)
{
    /* "Often much larger than the object itself" (Section 6), where there are large ones at all. */
    const double largest = 1.5, large = motion->large > 0 ? 0.1 : 0.097;
    const double part = 1 - motion->large;
    const bool median_first = motion->median < 0.1;
    const double knots[4][2] = {{0, 0.05 * motion->median},
                                {median_first ? 0.5 : part, median_first ? motion->median : large},
                                {median_first ? part : 0.5, median_first ? large : motion->median},
                                {1, largest}};
    for (int i = 0; i < 3; i++) {
        const double *a = knots[i], *b = knots[i + 1];
        if (u < b[0]) {
            return a[1] + (b[1] - a[1]) * (u - a[0]) / (b[0] - a[0]);
        }
    }
    return largest;
}

coherence_path coherence_path_uneven(const coherence_track *track, const coherence_motion *motion,
                                     uint32_t frames)
{
    coherence_path path = empty_path(frames);
    uint64_t at = beginning(track), random = 2006;
    for (uint32_t i = 0; i < frames; i++) {
        path.poses[i] = track->poses[fold(track, at)];
        at = go_on(track, at, motion_at(motion, random_between(&random, 0, 1)));
    }
    return path;
}

static int compare_motions(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

coherence_motion coherence_motion_of(const coherence_track *track, const coherence_path *path)
{
    coherence_motion motion = {0, 0};
    double *sizes = malloc(path->count * sizeof *sizes);
    if (sizes == NULL) {
        abort();
    }
    for (uint32_t i = 0; i + 1 < path->count; i++) {
        sizes[i] =
            coherence_motion_between(track, &path->poses[i], &path->poses[i + 1]) / track->size;
        motion.large += sizes[i] > 0.1 * (1 + 1e-6);
    }
    if (path->count > 1) {
        qsort(sizes, path->count - 1, sizeof *sizes, compare_motions);
        motion.median = sizes[(path->count - 1) / 2];
        motion.large /= path->count - 1;
    }
    free(sizes);
    return motion;
}
