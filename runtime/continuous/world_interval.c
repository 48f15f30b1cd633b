/* Intervals: how far ahead, in which frame, and what has to be found anew.
 *
 * The pad. An engine compares floats: coordinates in the frame at the begin, and products of
 * velocities and times, whose sums are within `limit`, as begin and end are looked at for each
 * object. A comparison takes at most eight roundings of numbers of twice that, so that 2^-20 limit
 * covers them; PAD_OF_LIMIT is twice as much, and each of the two objects has it. Doubles are off
 * by 2^-53 of coordinates of the world, and of velocities by times, in at most 2^4 operations on
 * either side, for which PAD_OF_MAGNITUDE is. The first contact itself, as it is computed, is of
 * spheres that pass at a distance that is off by as little (first_contact.c). */
#include "continuous.h"

#include <math.h>

#define PAD_OF_LIMIT 0x1p-19
#define PAD_OF_MAGNITUDE 0x1p-47
/* Principal velocities that differ by this factor, squared, are a stream. */
#define STREAM 4.0
/* A sample of so many objects gives the mean speed and size. */
enum { PACE_SAMPLES = 256 };
/* What is expected of rates before anything has happened counts as much as so many events. */
#define EXPECTED_EVENTS 32.0
/* So many events an object, and some, are remembered; then half of them. */
#define REMEMBERED_EVENTS 2.0
#define REMEMBERED_LEAST 64.0
/* What is closer together than this is in one place. */
#define LEAST_SPACING 0x1p-100
/* The way of an object in an interval, at most, so that what moves with the frame, for which long
 * intervals are chosen, does not get beyond what coordinates may be. */
#define LONGEST_WAY 0x1p48

static double larger_of(double x, double y)
{
    return x > y ? x : y;
}

/* Radius of a sphere about the object. */
static double extent_of(const kiln_dynamic *world, uint32_t place)
{
    return world->bodies[place].radius +
           (world->limbs != NULL ? world->limbs[place].half_length : 0);
}

/* ---------------------------------------------------------------------------------- frames -- */

void kiln_dynamic_to_frame(const kiln_dynamic *world, uint32_t place, double position[3],
                           double velocity[3])
{
    const kiln_dynamic_frame *frame = &world->frame;
    const double passed = world->begin - frame->at;
    double x[3], v[3];
    kiln_dynamic_at(&world->bodies[place], world->begin, x);
    for (int k = 0; k < 3; k++) {
        x[k] = (x[k] - frame->centre[k]) - frame->velocity[k] * passed;
        v[k] = world->bodies[place].velocity[k] - frame->velocity[k];
    }
    for (int k = 0; k < 3; k++) {
        const double *row = frame->rotation[k];
        position[k] = frame->is_turned ? row[0] * x[0] + row[1] * x[1] + row[2] * x[2] : x[k];
        velocity[k] = frame->is_turned ? row[0] * v[0] + row[1] * v[1] + row[2] * v[2] : v[k];
    }
}

/* Eigenvectors of a symmetric matrix as rows, by Jacobi's rotations; the diagonal has its
 * eigenvalues then. */
static void diagonalise(double matrix[3][3], double rows[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            rows[i][k] = i == k;
        }
    }
    for (int round = 0; round < 24; round++) {
        const int p = round % 3 == 2, q = round % 3 == 0 ? 1 : 2;
        const double off = matrix[p][q];
        if (off == 0) {
            continue;
        }
        const double theta = (matrix[q][q] - matrix[p][p]) / (2 * off);
        const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        const double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; k++) {
            const double x = matrix[p][k], y = matrix[q][k];
            matrix[p][k] = c * x - s * y;
            matrix[q][k] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
            const double x = matrix[k][p], y = matrix[k][q], u = rows[p][k], v = rows[q][k];
            matrix[k][p] = c * x - s * y;
            matrix[k][q] = s * x + c * y;
            rows[p][k] = c * u - s * v;
            rows[q][k] = s * u + c * v;
        }
    }
}

/* What a frame is chosen by. */
typedef struct {
    double lower[3], upper[3]; /* of centres */
    double velocity[3];        /* mean */
    double squares[3][3];      /* mean of products of velocities */
    double extent;             /* mean radius and half-length */
    double count;
    double fastest; /* component of a velocity */
} world_survey;

static world_survey survey_of(const kiln_dynamic *world)
{
    world_survey survey = {{HUGE_VAL, HUGE_VAL, HUGE_VAL},
                           {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
                           {0},
                           {{0}},
                           0,
                           (double)world->count,
                           0};
    for (uint32_t place = 0; place < world->used; place++) {
        const kiln_dynamic_body *body = &world->bodies[place];
        if (!kiln_dynamic_is_there(world, place)) {
            continue;
        }
        double x[3];
        kiln_dynamic_at(body, world->now, x);
        for (int k = 0; k < 3; k++) {
            survey.lower[k] = x[k] < survey.lower[k] ? x[k] : survey.lower[k];
            survey.upper[k] = x[k] > survey.upper[k] ? x[k] : survey.upper[k];
            survey.velocity[k] += body->velocity[k] / survey.count;
            survey.fastest = larger_of(survey.fastest, fabs(body->velocity[k]));
            for (int l = 0; l <= k; l++) {
                survey.squares[k][l] += body->velocity[k] * body->velocity[l] / survey.count;
            }
        }
        survey.extent += extent_of(world, place) / survey.count;
    }
    return survey;
}

/* It moves with the mean velocity, and is turned along the principal direction of what is left
 * where that is a stream. */
static void choose_frame(kiln_dynamic *world, const world_survey *survey)
{
    kiln_dynamic_frame *frame = &world->frame;
    double moments[3][3];
    frame->at = world->now;
    frame->is_turned = false;
    for (int k = 0; k < 3; k++) {
        frame->centre[k] = (survey->lower[k] + survey->upper[k]) / 2;
        frame->velocity[k] = world->method->stays ? 0 : survey->velocity[k];
        for (int l = 0; l < 3; l++) {
            moments[k][l] = (l <= k ? survey->squares[k][l] : survey->squares[l][k]) -
                            survey->velocity[k] * survey->velocity[l];
        }
    }
    if (world->method->may_turn) {
        double whole = 0;
        for (int k = 0; k < 3; k++) {
            whole += moments[k][k];
        }
        diagonalise(moments, frame->rotation);
        double most = 0;
        for (int k = 0; k < 3; k++) {
            most = larger_of(most, moments[k][k]);
        }
        frame->is_turned = most > STREAM * (whole - most) / 2 && whole > 0;
    }
}

/* ---------------------------------------------------------------------------------- images -- */

/* Where `place` is in the frame; false: beyond what the pad allows for. */
static bool fit_frame(const kiln_dynamic *world, uint32_t place, double position[3],
                      double velocity[3])
{
    const kiln_dynamic_body *body = &world->bodies[place];
    const double passed = world->end - world->begin;
    double most = 0, magnitude = 0;
    kiln_dynamic_to_frame(world, place, position, velocity);
    for (int k = 0; k < 3; k++) {
        most = larger_of(most, fabs(position[k]));
        most = larger_of(most, fabs(position[k] + velocity[k] * passed));
        magnitude = larger_of(magnitude, fabs(body->position[k]));
        magnitude = larger_of(magnitude, fabs(body->velocity[k]) * world->end);
    }
    return most + extent_of(world, place) <= (double)world->limit && magnitude <= world->magnitude;
}

static void set_image(kiln_dynamic *world, uint32_t place, const double position[3],
                      const double velocity[3])
{
    for (int k = 0; k < 3; k++) {
        world->image.position[k][place] = (float)position[k];
        world->image.velocity[k][place] = (float)velocity[k];
    }
    world->image.reach[place] = (float)extent_of(world, place) + world->pad;
}

static void set_no_image(kiln_dynamic *world, uint32_t place)
{
    for (int k = 0; k < 3; k++) {
        world->image.position[k][place] = 0x1p60f;
        world->image.velocity[k][place] = 0;
    }
    world->image.reach[place] = 0;
}

/* --------------------------------------------------------------------------------- intervals -- */

/* What the pad has to allow for, with room for changes; a power of two, so that it seldom
 * changes. */
static void find_limits(kiln_dynamic *world, double passed, double *limit, double *magnitude)
{
    double most = 0, world_most = 0;
    for (uint32_t place = 0; place < world->used; place++) {
        const kiln_dynamic_body *body = &world->bodies[place];
        double x[3], v[3];
        if (!kiln_dynamic_is_there(world, place)) {
            continue;
        }
        kiln_dynamic_to_frame(world, place, x, v);
        for (int k = 0; k < 3; k++) {
            most = larger_of(most, fabs(x[k]) + extent_of(world, place));
            most = larger_of(most, fabs(x[k] + v[k] * passed) + extent_of(world, place));
            world_most = larger_of(world_most, fabs(body->position[k]));
            world_most = larger_of(world_most, fabs(body->velocity[k]) * (world->now + passed));
        }
    }
    *limit = most;
    *magnitude = world_most;
}

/* At least 2 x, a power of two. */
static double with_room(double x)
{
    int exponent;
    (void)frexp(larger_of(x, 0x1p-60), &exponent);
    return ldexp(1, exponent + 1);
}

static void place_walls(kiln_dynamic *world, double from)
{
    for (uint32_t place = 0; place < world->used; place++) {
        const kiln_dynamic_fact *fact = &world->facts[place];
        if (kiln_dynamic_is_there(world, place) && fact->wall_time >= from &&
            fact->wall_time < world->end) {
            const kiln_dynamic_waiting event = {
                fact->wall_time, place, KILN_DYNAMIC_WALL + fact->wall, world->keys[place], 0};
            kiln_dynamic_wait(world, &event);
        }
    }
}

/* The mean speed in the frame and the mean way between neighbours, for horizons. */
static void measure_motion(kiln_dynamic *world, const world_survey *survey)
{
    double volume = 1, squares = 0, longest = 0;
    for (int k = 0; k < 3; k++) {
        const double side = (survey->upper[k] - survey->lower[k]) + 2 * survey->extent;
        volume *= side;
        longest = larger_of(longest, side);
        squares += survey->squares[k][k] - survey->velocity[k] * survey->velocity[k];
    }
    world->speed = sqrt(larger_of(squares, 0));
    world->extent = survey->extent;
    world->spacing = larger_of(cbrt(volume / survey->count), survey->extent);
    /* Points in a plane or on a line have no volume. Where all are in one place nothing says how
     * far to look ahead, and any way will do but none. */
    world->spacing = larger_of(world->spacing, longest / (16 * sqrt(survey->count)));
    world->spacing = world->spacing > LEAST_SPACING ? world->spacing : 1;
}

static void measure_pace(kiln_dynamic *world, const world_survey *survey)
{
    const uint32_t stride = world->used / PACE_SAMPLES + 1;
    double sum = 0, sides = 0, samples = 0;
    for (uint32_t place = 0; place < world->used; place += stride) {
        if (kiln_dynamic_is_there(world, place)) {
            double square = 0;
            sides += world->bodies[place].radius;
            for (int k = 0; k < 3; k++) {
                const double v = world->bodies[place].velocity[k] - survey->velocity[k];
                square += v * v;
                sides += world->limbs != NULL ? fabs(world->limbs[place].arm[k]) / 3 : 0;
            }
            sum += sqrt(square);
            samples++;
        }
    }
    world->pace = samples > 0 ? sum / samples : world->speed;
    world->girth = samples > 0 ? sides / samples : world->extent;
}

/* Hits of walls in a second, of objects that go all ways. */
static double expected_wall_rate(const kiln_dynamic *world, const world_survey *survey)
{
    double rate = 0;
    for (int k = 0; k < 3; k++) {
        const double side = survey->upper[k] - survey->lower[k] + survey->extent;
        const int walls =
            (world->options.lower[k] > -HUGE_VAL) + (world->options.upper[k] < HUGE_VAL);
        rate += side > 0 ? walls * world->pace / (4 * side) : 0;
    }
    return rate * survey->count;
}

static double rate_of(double happened, double time, double expected)
{
    return expected > 0 || happened > 0
               ? (happened + EXPECTED_EVENTS) /
                     (time + EXPECTED_EVENTS / larger_of(expected, 0x1p-20))
               : 0;
}

/* Contacts and changes in a second: as in a gas of spheres, as long as little has happened; then as
 * they were. */
static void measure_rates(kiln_dynamic *world, const world_survey *survey)
{
    kiln_dynamic_rates *rates = &world->rates;
    if (rates->has_begun) {
        rates->time += world->now - rates->begun.time;
        rates->contacts += (double)(world->counts.events - rates->begun.events);
        rates->changes += (double)(world->counts.changes - rates->begun.changes);
    }
    if (rates->changes > REMEMBERED_EVENTS * world->count + REMEMBERED_LEAST) {
        rates->time /= 2;
        rates->contacts /= 2;
        rates->changes /= 2;
    }
    const double r = world->extent, d = world->spacing;
    const double contacts = world->count * world->pace * 8.38 * r * r / (d * d * d);
    rates->contact_rate = rate_of(rates->contacts, rates->time, contacts);
    rates->ball_rate =
        world->limbs != NULL ? larger_of(contacts, rates->contact_rate) : rates->contact_rate;
    rates->change_rate =
        rate_of(rates->changes, rates->time, 2 * contacts + expected_wall_rate(world, survey));
}

/* An interval is no shorter than the step in hand by more than this, so that the number of them in
 * a step has a bound, whatever is set and however close objects are. */
#define INTERVALS_A_STEP 65536.0

void kiln_dynamic_begin(kiln_dynamic *world)
{
    const kiln_dynamic_method *method = world->method;
    bool whole = world->is_whole || !method->lasting;
    const double from = whole ? world->floor : world->end;
    world->begin = world->now;
    world->counts.intervals++;
    world->is_empty = world->count == 0;
    if (world->is_empty) { /* until something is added */
        world->heap_count = 0;
        world->end = HUGE_VAL;
        world->is_whole = true;
        return;
    }
    if (!method->has_image) {
        world->end = HUGE_VAL;
    } else {
        const world_survey survey = survey_of(world);
        measure_motion(world, &survey);
        measure_pace(world, &survey);
        measure_rates(world, &survey);
        double passed = method->horizon(world);
        passed = world->options.interval > 0 ? world->options.interval : passed;
        passed = larger_of(passed, world->step_length / INTERVALS_A_STEP);
        world->rates.begun = world->counts;
        world->rates.begun.time = world->now;
        world->rates.has_begun = true;
        passed = passed * survey.fastest > LONGEST_WAY ? LONGEST_WAY / survey.fastest : passed;
        double limit, magnitude;
        for (;;) { /* a frame that is kept may not do */
            if (whole) {
                choose_frame(world, &survey);
            }
            find_limits(world, passed, &limit, &magnitude);
            if (whole || (limit <= (double)world->limit && magnitude <= world->magnitude)) {
                break;
            }
            whole = true;
        }
        if (whole) {
            world->limit = (float)with_room(limit);
            world->magnitude = with_room(magnitude);
            world->pad =
                (float)(PAD_OF_LIMIT * (double)world->limit + PAD_OF_MAGNITUDE * world->magnitude);
        }
        world->end = world->now + passed;
        /* Where time has no bits left for it, the interval is the next number. */
        world->end = world->end > world->now ? world->end : nextafter(world->now, HUGE_VAL);
        for (uint32_t place = 0; place < world->used; place++) {
            double x[3], v[3];
            if (kiln_dynamic_is_there(world, place)) {
                kiln_dynamic_to_frame(world, place, x, v);
                set_image(world, place, x, v);
            } else {
                set_no_image(world, place);
            }
        }
    }
    world->counts.interval = world->end - world->begin;
    world->counts.restarts += whole;
    world->is_whole = false;
    world->is_beyond = false;
    if (whole) {
        world->heap_count = 0;
    }
    place_walls(world, whole ? world->floor : from);
    method->begin(world, whole);
}

void kiln_dynamic_changed(kiln_dynamic *world, uint32_t place)
{
    const bool is_there = kiln_dynamic_is_there(world, place);
    kiln_dynamic_fact *fact = &world->facts[place];
    world->counts.changes++;
    if (world->is_empty) {
        world->is_empty = false;
        world->end = world->now;
    }
    if (!(world->now < world->end) && (world->is_whole || !world->method->lasting)) {
        return; /* the next interval finds all */
    }
    if (!is_there) {
        if (world->method->has_image) {
            set_no_image(world, place);
        }
        if (world->method->remove != NULL && !world->is_beyond) {
            world->method->remove(world, place);
        }
        return;
    }
    if (fact->wall_time < world->end) {
        const kiln_dynamic_waiting event = {fact->wall_time, place, KILN_DYNAMIC_WALL + fact->wall,
                                            world->keys[place], 0};
        kiln_dynamic_wait(world, &event);
    }
    if (world->method->has_image && !world->is_beyond) {
        double x[3], v[3];
        world->is_beyond = !fit_frame(world, place, x, v);
        set_image(world, place, x, v);
    }
    if (!world->is_beyond) {
        world->method->change(world, place);
        return;
    }
    /* What no engine knows of is tested against all, until the next interval has it. */
    for (uint32_t other = 0; other < world->used; other++) {
        if (other != place && kiln_dynamic_is_there(world, other)) {
            kiln_dynamic_candidate(world, place, other);
        }
    }
}
