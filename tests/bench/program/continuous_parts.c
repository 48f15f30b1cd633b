/* Section VI of Coming and Staadt 2004, with today's alternatives beside it: spheres in a box at a
 * constant density, 30 frames a second, speeds evenly from 0 to v, elastic collisions and walls.
 *
 * Times are those of the processor (CLOCK_THREAD_CPUTIME_ID), the least of some rounds, without the
 * first frame, in which all pairs are found from nothing. All counts are the same in every run. */
#define _POSIX_C_SOURCE 200809L

#include "continuous.h"

#include "../../../runtime/continuous/continuous.h"
#include "../../../tools/common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    kiln_dynamic_engine engine;
    uint32_t most; /* objects, beyond which it takes too long or too much memory */
} engines[] = {
    {"all pairs", KILN_DYNAMIC_ALL_PAIRS, 5000},
    {"all pairs, SIMD", KILN_DYNAMIC_ALL_PAIRS_SIMD, 50000},
    {"grid", KILN_DYNAMIC_GRID, 1u << 22},
    {"auto", KILN_DYNAMIC_AUTO, 1u << 22},
    {"sweep, 3 axes", KILN_DYNAMIC_SWEEP, 5000},
    {"sweep, 14-DOP", KILN_DYNAMIC_SWEEP_14DOP, 5000},
    {"VADOP", KILN_DYNAMIC_VADOP, 5000},
    {"VADOP, published", KILN_DYNAMIC_VADOP_PUBLISHED, 5000},
};
enum { ENGINES = sizeof engines / sizeof engines[0] };

static double cpu_ms(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

/* ------------------------------------------------------------------------------- runs - */

/* How a scene is run. */
typedef struct {
    kiln_dynamic_engine engine;
    double interval, sine, narrow_ns;
    double limit_ms;                   /* what takes longer is given up; 0: none */
    bool has_narrow, keeps, has_first; /* is the first frame measured, too? */
    uint32_t filters;
} run_setup;

/* A narrow phase that is as expensive as is asked for: the library's own test, and additions that
 * wait for each other. */
typedef struct {
    kiln_dynamic *world;
    uint64_t additions;
    double ms, sink;
} slow_narrow;

static double additions_of_ns = 0.25;

static void add_up(slow_narrow *own)
{
    double sum = own->sink;
    for (uint64_t i = 0; i < own->additions; i++) {
        sum += 1.5;
        __asm__ volatile("" : "+x"(sum));
    }
    own->sink = sum;
}

static kiln_dynamic_answer ask_slowly(void *user, const kiln_dynamic_question *question)
{
    slow_narrow *own = user;
    const kiln_dynamic *world = own->world;
    const uint32_t a = (uint32_t)(question->a >> 32), b = (uint32_t)(question->b >> 32);
    const kiln_dynamic_limb *limbs = world->limbs;
    kiln_dynamic_answer answer;
    answer.time = kiln_dynamic_first_contact(&world->bodies[a], limbs != NULL ? &limbs[a] : NULL,
                                             &world->bodies[b], limbs != NULL ? &limbs[b] : NULL);
    answer.contact = answer.time < question->to;
    add_up(own);
    return answer;
}

static void measure_additions(void)
{
    slow_narrow own = {NULL, 20000000, 0, 0};
    double best = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        const double from = cpu_ms();
        add_up(&own);
        best = fmin(best, cpu_ms() - from);
    }
    additions_of_ns = 20000000 / (best * 1e6);
}

/* The engine in hand, with a clock around its work. */
static const kiln_dynamic_method *timed;
static double timed_begin, timed_change;

static void begin_timed(kiln_dynamic *world, bool whole)
{
    const double from = cpu_ms();
    timed->begin(world, whole);
    timed_begin += cpu_ms() - from;
}

static void change_timed(kiln_dynamic *world, uint32_t place)
{
    const double from = cpu_ms();
    timed->change(world, place);
    timed_change += cpu_ms() - from;
}

static continuous_row run_once(const moving_scene *scene, const run_setup *setup, uint32_t frames,
                               bool has_clocks)
{
    kiln_dynamic_options options = moving_options(scene, setup->engine);
    slow_narrow narrow = {NULL, 0, 0, 0};
    kiln_dynamic_method method;
    void *memory;
    continuous_row row = {.objects = scene->count,
                          .speed = scene->speed,
                          .radius = scene->radius,
                          .sine = setup->sine};
    options.interval = setup->interval;
    options.axes_sine = setup->sine;
    options.event_capacity = 16 * scene->count + 4096;
    if (setup->has_narrow) {
        narrow.additions = (uint64_t)(setup->narrow_ns * additions_of_ns);
        options.narrow = ask_slowly;
        options.narrow_user = &narrow;
        options.filters = setup->filters;
        options.pair_capacity = setup->keeps ? 16 * scene->count : 0;
    }
    kiln_dynamic *world = moving_world(scene, &options, &memory);
    narrow.world = world;
    moving_log log = {0, 0, 0, 0};
    if (has_clocks) {
        timed = world->method;
        method = *world->method;
        method.begin = begin_timed;
        method.change = change_timed;
        world->method = &method;
    }
    double from = cpu_ms();
    bool is_well = kiln_dynamic_step(world, 1.0 / 30, moving_event, &log, NULL) == KILN_OK;
    const kiln_dynamic_info before = kiln_dynamic_get_info(world);
    bool is_late = false;
    timed_begin = timed_change = 0;
    from = setup->has_first ? from : cpu_ms();
    for (uint32_t i = 0; i < frames && is_well && !is_late; i++) {
        is_well = kiln_dynamic_step(world, 1.0 / 30, moving_event, &log, NULL) == KILN_OK;
        is_late = setup->limit_ms > 0 && cpu_ms() - from > setup->limit_ms;
    }
    row.ms = is_late ? HUGE_VAL : is_well ? (cpu_ms() - from) / frames : NAN;
    const kiln_dynamic_info after = kiln_dynamic_get_info(world);
#define MEAN(of) ((double)(after.of - before.of) / frames)
    row.begin_ms = timed_begin / frames;
    row.change_ms = timed_change / frames;
    row.interval = after.interval;
    row.events = MEAN(events);
    row.walls = MEAN(wall_events);
    row.candidates = MEAN(candidates);
    row.tests = MEAN(tests);
    row.narrow_calls = MEAN(narrow_calls);
    row.looked_at = MEAN(looked_at);
    row.swaps = MEAN(swaps);
#undef MEAN
    row.list_ends = (double)after.list_ends / scene->count;
    row.bytes = ((double)kiln_dynamic_size(&options) -
                 (double)options.event_capacity * sizeof(kiln_dynamic_waiting)) /
                scene->count;
    row.digest = log.digest;
    row.engine_used = after.engine;
    free(memory);
    return row;
}

/* The fastest of some rounds. */
static continuous_row run_best(const moving_scene *scene, const run_setup *setup, uint32_t frames,
                               uint32_t rounds)
{
    continuous_row best = run_once(scene, setup, frames, false);
    double slowest = best.ms;
    for (uint32_t i = 1; i < rounds; i++) {
        const continuous_row row = run_once(scene, setup, frames, false);
        slowest = fmax(slowest, row.ms);
        best = row.ms < best.ms ? row : best;
    }
    best.slowest_ms = slowest;
    return best;
}

static void keep_row(continuous_rows *rows, continuous_row row, const char *part,
                     const char *engine)
{
    row.part = part;
    row.engine = engine;
    if (!kiln_grow((void **)&rows->list, &rows->capacity, rows->count + 1, sizeof *rows->list)) {
        rows->failed = true;
        return;
    }
    rows->list[rows->count++] = row;
}

static moving_scene box_scene(uint32_t objects, double speed, double radius)
{
    return (moving_scene){.way = MOVING_ALL_WAYS,
                          .count = objects,
                          .speed = speed,
                          .radius = radius,
                          .density = 0.125,
                          .has_walls = true,
                          .seed = 1};
}

#define SAY(...) (void)(out != NULL && fprintf(out, __VA_ARGS__))

/* ------------------------------------------------------------------------------ engines - */

/* The exponent of n in a fit of the times of an engine at a speed. */
static double fitted_exponent(const continuous_rows *rows, const char *engine, double speed)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const continuous_row *row = &rows->list[i];
        if (strcmp(row->part, "engines") == 0 && row->engine == engine && row->speed == speed) {
            const double a = log(row->objects), b = log(row->ms);
            n++;
            x += a;
            y += b;
            xx += a * a;
            xy += a * b;
        }
    }
    return n > 1 ? (n * xy - x * y) / (n * xx - x * x) : NAN;
}

static void measure_engines(const continuous_amount *amount, continuous_rows *rows, FILE *out)
{
    static const uint32_t objects[] = {500, 1000, 2000, 5000, 50000};
    static const double speeds[] = {2.5, 5, 10, 40};
    SAY("%7s %5s  %-18s %9s %8s %8s %9s %8s\n", "objects", "speed", "engine", "ms", "events",
        "tests", "looked at", "bytes");
    for (size_t s = 0; s < sizeof speeds / sizeof speeds[0]; s++) {
        for (size_t n = 0; n < sizeof objects / sizeof objects[0]; n++) {
            uint64_t digest = 0;
            if (objects[n] > amount->most_objects) {
                continue;
            }
            for (int e = 0; e < ENGINES; e++) {
                const moving_scene scene = box_scene(objects[n], speeds[s], 0.25);
                const run_setup setup = {.engine = engines[e].engine};
                if (objects[n] > engines[e].most) {
                    continue;
                }
                const bool is_slow =
                    objects[n] > 5000 && engines[e].engine == KILN_DYNAMIC_ALL_PAIRS_SIMD;
                const continuous_row row = run_best(&scene, &setup, is_slow ? 4 : amount->frames,
                                                    is_slow ? 1 : amount->rounds);
                keep_row(rows, row, "engines", engines[e].name);
                SAY("%7u %5g  %-18s %9.3f %8.1f %8.0f %9.0f %8.0f%s\n", row.objects, row.speed,
                    engines[e].name, row.ms, row.events + row.walls, row.tests, row.looked_at,
                    row.bytes,
                    digest != 0 && row.digest != digest && !is_slow ? "  OTHER EVENTS" : "");
                digest = is_slow ? digest : row.digest;
            }
        }
    }
    SAY("\ntime as a power of the number of objects\n%-18s", "engine");
    for (size_t s = 0; s < sizeof speeds / sizeof speeds[0]; s++) {
        SAY(" %7g", speeds[s]);
    }
    for (int e = 0; e < ENGINES; e++) {
        SAY("\n%-18s", engines[e].name);
        for (size_t s = 0; s < sizeof speeds / sizeof speeds[0]; s++) {
            const double exponent = fitted_exponent(rows, engines[e].name, speeds[s]);
            if (isfinite(exponent)) {
                SAY(" %7.2f", exponent);
            } else {
                SAY(" %7s", "-");
            }
        }
    }
    SAY("\n");
}

/* -------------------------------------------------------------------------------- costs - */

/* Equation 17: c_u + c_s, of updating and sorting, are the engine's begin of intervals; c_r is what
 * follows a response; c_t, of the tests that both make, is their number by the time of one. */
static void measure_costs(const continuous_amount *amount, continuous_rows *rows, FILE *out)
{
    const uint32_t objects = amount->most_objects < 5000 ? amount->most_objects : 5000;
    SAY("%-18s %9s %9s %9s %9s\n", "engine", "ms", "c_u + c_s", "c_r", "tests");
    for (int e = 0; e < ENGINES; e++) {
        const moving_scene scene = box_scene(objects, 5, 0.25);
        const run_setup setup = {.engine = engines[e].engine};
        const continuous_row row = run_once(&scene, &setup, amount->frames, true);
        keep_row(rows, row, "costs", engines[e].name);
        SAY("%-18s %9.3f %9.3f %9.3f %9.0f\n", engines[e].name, row.ms, row.begin_ms, row.change_ms,
            row.tests);
    }
}

/* --------------------------------------------------------------------------- axes and phi - */

/* Axes an object, measured and by Equation 11, which for axes without signs is their number by the
 * sine of phi; and Section VII's question of how large phi should be. */
static void measure_phi(const continuous_amount *amount, continuous_rows *rows, FILE *out)
{
    static const double factors[] = {1, 1.15, 1.3, 1.5, 1.75, 2, 2.5};
    const kiln_axes_info info = kiln_axes_get_info(NULL);
    const uint32_t objects = amount->most_objects < 2000 ? amount->most_objects : 2000;
    SAY("%u axes, covering radius %.4f degrees\n%8s %9s %9s %9s %9s %9s\n", info.count,
        info.radius * 57.29577951308232, "phi", "Eq. 11", "axes", "tests", "swaps", "ms");
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        const moving_scene scene = box_scene(objects, 5, 0.25);
        const double sine = factors[i] == 1 ? info.sine : sin(factors[i] * info.radius);
        const run_setup setup = {.engine = KILN_DYNAMIC_VADOP, .sine = sine};
        continuous_row row = run_best(&scene, &setup, amount->frames, amount->rounds);
        row.value = info.count * sine;
        keep_row(rows, row, "phi", "VADOP");
        SAY("%8.3f %9.2f %9.2f %9.0f %9.0f %9.3f\n", asin(sine) * 57.29577951308232, row.value,
            row.list_ends / 2, row.tests, row.swaps, row.ms);
    }
}

/* Swaps of sorting alone, against the speed: objects pass through nothing, as they are too small to
 * meet, and have no walls, so that no list changes but by sorting (Equations 12 and 13). */
static void measure_swaps(const continuous_amount *amount, continuous_rows *rows, FILE *out)
{
    static const double speeds[] = {1, 2.5, 5, 10, 20, 40};
    static const int listed[] = {4, 5, 6};
    const uint32_t objects = amount->most_objects < 5000 ? amount->most_objects : 5000;
    SAY("%6s %14s %14s %14s\n", "speed", engines[4].name, engines[5].name, engines[6].name);
    for (size_t s = 0; s < sizeof speeds / sizeof speeds[0]; s++) {
        SAY("%6g", speeds[s]);
        for (int e = 0; e < 3; e++) {
            moving_scene scene = box_scene(objects, speeds[s], 1e-4);
            scene.has_walls = false;
            const run_setup setup = {.engine = engines[listed[e]].engine, .interval = 1.0 / 30};
            const continuous_row row = run_once(&scene, &setup, 8, false);
            keep_row(rows, row, "swaps", engines[listed[e]].name);
            SAY(" %14.0f", row.swaps);
        }
        SAY("\n");
    }
}

/* ----------------------------------------------------------------------- narrow phases - */

/* Equation 16 with a narrow phase that costs what a dynamic test cost then, spent, not computed. */
static void measure_narrow(const continuous_amount *amount, continuous_rows *rows, FILE *out)
{
    static const uint32_t objects[] = {500, 1000, 2000, 5000};
    static const int some[] = {0, 4, 6, 7};
    measure_additions();
    SAY("narrow phases of 0.1 us\n%7s  %-18s %9s %9s %9s\n", "objects", "engine", "ms", "calls",
        "as fast");
    for (size_t n = 0; n < sizeof objects / sizeof objects[0]; n++) {
        double naive = 0;
        for (size_t e = 0; e < sizeof some / sizeof some[0]; e++) {
            if (objects[n] > amount->most_objects) {
                continue;
            }
            const moving_scene scene = box_scene(objects[n], 5, 0.25);
            const run_setup setup = {
                .engine = engines[some[e]].engine, .has_narrow = true, .narrow_ns = 100};
            continuous_row row = run_best(&scene, &setup, amount->frames, amount->rounds);
            naive = e == 0 ? row.ms : naive;
            row.value = naive / row.ms;
            keep_row(rows, row, "narrow", engines[some[e]].name);
            SAY("%7u  %-18s %9.3f %9.0f %9.2f\n", row.objects, engines[some[e]].name, row.ms,
                row.narrow_calls, row.value);
        }
    }
}

/* What keeping results while velocities last saves (V-B): the same engine begun anew in every frame
 * against going on. */
static void measure_caching(const continuous_amount *amount, continuous_rows *rows, FILE *out)
{
    const uint32_t objects = amount->most_objects < 2000 ? amount->most_objects : 2000;
    const moving_scene scene = box_scene(objects, 5, 0.25);
    const run_setup setup = {.engine = KILN_DYNAMIC_VADOP, .interval = 1.0 / 30};
    const continuous_row kept = run_once(&scene, &setup, amount->frames, false);
    kiln_dynamic_options options = moving_options(&scene, KILN_DYNAMIC_VADOP);
    double tests = 0;
    options.interval = 1.0 / 30;
    void *memory, *second;
    kiln_dynamic *world = moving_world(&scene, &options, &memory);
    for (uint32_t i = 0; i <= amount->frames; i++) {
        const size_t size = kiln_dynamic_size(&options);
        kiln_dynamic *copy = NULL;
        moving_log log = {0, 0, 0, 0};
        second = malloc(size);
        if (second == NULL || kiln_dynamic_place(second, size, &options, &copy) != KILN_OK ||
            kiln_dynamic_copy(world, copy) != KILN_OK ||
            kiln_dynamic_step(copy, 1.0 / 30, moving_event, &log, NULL) != KILN_OK) {
            rows->failed = true;
            free(second);
            break;
        }
        tests += i > 0 ? (double)kiln_dynamic_get_info(copy).tests / amount->frames : 0;
        free(memory);
        memory = second;
        world = copy;
    }
    free(memory);
    continuous_row row = kept;
    row.value = tests;
    keep_row(rows, row, "caching", "VADOP");
    SAY("tests a frame: %.0f, and %.0f if each frame begins anew: %.1f times as many\n", kept.tests,
        tests, tests / kept.tests);
}

/* What an object sweeps in a frame. */
typedef struct {
    double low[3], high[3];
} swept_box;

static int by_low_x(const void *x, const void *y)
{
    const double a = ((const swept_box *)x)->low[0], b = ((const swept_box *)y)->low[0];
    return (a > b) - (a < b);
}

/* Pairs whose boxes of the first frame meet: what a method asks about that has boxes alone, without
 * what it asks again after responses. NAN: out of memory. */
static double count_swept_boxes(const moving_scene *scene)
{
    swept_box *boxes = malloc(scene->count * sizeof *boxes);
    double pairs = 0;
    if (boxes == NULL) {
        return NAN;
    }
    for (uint32_t i = 0; i < scene->count; i++) {
        const kiln_dynamic_object object = moving_object(scene, i);
        for (int k = 0; k < 3; k++) {
            const double extent = object.radius + object.half_length * fabs(object.axis[k]);
            const double way = object.velocity[k] / 30;
            boxes[i].low[k] = object.position[k] + fmin(way, 0) - extent;
            boxes[i].high[k] = object.position[k] + fmax(way, 0) + extent;
        }
    }
    qsort(boxes, scene->count, sizeof *boxes, by_low_x);
    for (uint32_t i = 0; i < scene->count; i++) {
        for (uint32_t j = i + 1; j < scene->count && boxes[j].low[0] <= boxes[i].high[0]; j++) {
            pairs += boxes[j].low[1] <= boxes[i].high[1] && boxes[i].low[1] <= boxes[j].high[1] &&
                     boxes[j].low[2] <= boxes[i].high[2] && boxes[i].low[2] <= boxes[j].high[2];
        }
    }
    free(boxes);
    return pairs;
}

/* Calls of an exact narrow phase for each contact, by what has been filtered before. */
static void measure_filters(const continuous_amount *amount, continuous_rows *rows, FILE *out)
{
    static const struct {
        const char *name;
        moving_way way;
        double speed, radius, half;
    } scenes[] = {
        {"spheres, D/r 0.3", MOVING_ALL_WAYS, 5, 0.25, 0},
        {"spheres, D/r 2.7", MOVING_ALL_WAYS, 40, 0.25, 0},
        {"spheres, D/r 13", MOVING_ALL_WAYS, 40, 0.05, 0},
        {"spheres, D/r 83", MOVING_ALL_WAYS, 100, 0.02, 0},
        {"spheres, D/r 100", MOVING_ALL_WAYS, 120, 0.02, 0},
        {"arrows of 10", MOVING_ALL_WAYS, 40, 0.05, 0.5},
        {"arrows of 10, fast", MOVING_ALL_WAYS, 100, 0.05, 0.5},
        {"arrows of 20", MOVING_ALL_WAYS, 100, 0.05, 1},
        {"arrows in a stream", MOVING_STREAM, 100, 0.05, 1},
    };
    static const struct {
        const char *name;
        uint32_t filters;
    } chains[] = {
        {"box", KILN_DYNAMIC_FILTER_BOX},
        {"box, axis", KILN_DYNAMIC_FILTER_BOX | KILN_DYNAMIC_FILTER_AXIS},
        {"all", KILN_DYNAMIC_FILTER_ALL},
    };
    const uint32_t objects = amount->most_objects < 20000 ? amount->most_objects : 20000;
    SAY("narrow phases called after filters, beside pairs of boxes swept in a frame\n%-20s %10s "
        "%9s",
        "", "contacts", "swept box");
    for (size_t c = 0; c < 3; c++) {
        SAY(" %10s", chains[c].name);
    }
    SAY(" %12s %10s\n", "per contact", "fewer");
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) {
        moving_scene scene = box_scene(objects, scenes[s].speed, scenes[s].radius);
        scene.way = scenes[s].way;
        scene.half_length = scenes[s].half;
        scene.has_walls = scene.way != MOVING_STREAM;
        SAY("%-20s", scenes[s].name);
        const double boxes = count_swept_boxes(&scene);
        double calls = 0, events = 0;
        rows->failed = rows->failed || !(boxes >= 0);
        for (int c = 0; c < 3; c++) {
            const run_setup setup = {.engine = KILN_DYNAMIC_GRID,
                                     .interval = 1.0 / 30,
                                     .has_narrow = true,
                                     .keeps = true,
                                     .filters = chains[c].filters};
            continuous_row row = run_once(&scene, &setup, 6, false);
            row.value = boxes;
            keep_row(rows, row, "filters", scenes[s].name);
            calls = row.narrow_calls;
            events = row.events;
            if (c == 0) {
                SAY(" %10.1f %9.0f", events, boxes);
            }
            SAY(" %10.0f", calls);
        }
        SAY(" %12.2f %10.1f\n", events > 0 ? calls / events : 0, calls > 0 ? boxes / calls : 0);
    }
}

/* -------------------------------------------------------------------------------- misses - */

/* When two spheres overlap on straight paths: from d + w t; false: never. */
static bool overlap_of(const kiln_dynamic_object *a, const kiln_dynamic_object *b, double *from,
                       double *to)
{
    double dd = 0, dw = 0, ww = 0;
    const double reach = a->radius + b->radius;
    for (int k = 0; k < 3; k++) {
        const double d = b->position[k] - a->position[k], w = b->velocity[k] - a->velocity[k];
        dd += d * d;
        dw += d * w;
        ww += w * w;
    }
    const double inside = dw * dw - ww * (dd - reach * reach);
    if (!(inside >= 0) || !(ww > 0)) {
        return false;
    }
    *from = (-dw - sqrt(inside)) / ww;
    *to = (-dw + sqrt(inside)) / ww;
    return *to >= 0;
}

/* VI-A: what a test at the ends of frames misses, by two definitions: pairs that touch at some time
 * in a frame and not at its end; and contacts that begin in a frame and are over at its end. */
static void measure_misses(const continuous_amount *amount, continuous_rows *rows, FILE *out)
{
    static const double cases[][2] = {{1, 0.25},   {2.5, 0.25},   {5, 0.25},    {10, 0.25},
                                      {20, 0.25},  {40, 0.25},    {2.5, 0.125}, {5, 0.125},
                                      {10, 0.125}, {2.5, 0.0625}, {5, 0.0625},  {100, 0.05}};
    enum { FRAMES = 12 };
    const uint32_t objects = amount->most_objects < 1000 ? amount->most_objects : 1000;
    SAY("%6s %7s %6s %10s %10s %9s %9s\n", "speed", "radius", "D/r", "touching", "at ends",
        "missed A", "missed B");
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const moving_scene scene = box_scene(objects, cases[c][0], cases[c][1]);
        double touching = 0, at_end = 0, begun = 0, over = 0;
        kiln_dynamic_object *all = malloc(objects * sizeof *all);
        for (uint32_t i = 0; i < objects && all != NULL; i++) {
            all[i] = moving_object(&scene, i);
        }
        for (uint32_t i = 0; i < objects && all != NULL; i++) {
            for (uint32_t j = i + 1; j < objects; j++) {
                double from, to;
                if (!overlap_of(&all[i], &all[j], &from, &to)) {
                    continue;
                }
                for (int frame = 0; frame < FRAMES; frame++) {
                    const double begin = frame / 30.0, end = (frame + 1) / 30.0;
                    if (from < end && to >= begin) {
                        touching++;
                        at_end += from < end && to >= end;
                        begun += from >= begin;
                        over += from >= begin && to < end;
                    }
                }
            }
        }
        rows->failed = rows->failed || all == NULL;
        free(all);
        continuous_row row = {.objects = objects,
                              .speed = scene.speed,
                              .radius = scene.radius,
                              .events = touching / FRAMES,
                              .tests = at_end / FRAMES,
                              .value = begun > 0 ? over / begun : 0};
        keep_row(rows, row, "misses", "spheres");
        SAY("%6g %7g %6.2f %10.1f %10.1f %7.1f %% %7.1f %%\n", scene.speed, scene.radius,
            scene.speed / 60 / scene.radius, row.events, row.tests,
            touching > 0 ? 100 * (1 - at_end / touching) : 0, 100 * row.value);
    }
}

/* ---------------------------------------------------------------------------------- auto - */

/* A run that is given up, as it takes more than `limit_ms`, counts as infinitely long. */
static continuous_row run_within(const moving_scene *scene, const run_setup *setup, uint32_t frames,
                                 double limit_ms)
{
    run_setup limited = *setup;
    limited.limit_ms = limit_ms;
    return run_once(scene, &limited, frames, false);
}

/* The fastest of both engines that may be chosen, at intervals of an eighth to eight times what
 * each would choose; what takes half as long again as the best so far is given up. */
static continuous_row find_best(const moving_scene *scene, uint32_t frames, double first_ms,
                                run_setup *best_setup)
{
    continuous_row best = {.ms = first_ms};
    *best_setup = (run_setup){.engine = KILN_DYNAMIC_AUTO};
    for (int e = 1; e < 3; e++) {
        run_setup setup = {.engine = engines[e].engine, .has_first = true};
        double base = run_within(scene, &setup, frames, 4 * best.ms * frames).interval;
        for (int step = 0; step < 8; step++) { /* 0: its own; then -3 to 3 powers of two */
            static const int powers[] = {0, -1, 1, -2, 2, -3, 3, 0};
            setup.interval = step == 7 ? 0 : fmin(ldexp(base, powers[step]), 0x1p20);
            const continuous_row row = run_within(scene, &setup, frames, 1.5 * best.ms * frames);
            if (row.ms < best.ms || best_setup->engine == KILN_DYNAMIC_AUTO) {
                best = row;
                *best_setup = setup;
            }
        }
    }
    return best;
}

/* What is chosen against every engine and interval that may be the best. Whole runs are measured,
 * with their first frames, so that what an engine does at first for a long time is counted. */
static void measure_auto(const continuous_amount *amount, continuous_rows *rows, FILE *out)
{
    enum { SHORT = 4, LONG = 133, LEAST_MS = 4 };
    static const struct {
        moving_way way;
        uint32_t objects;
        double speed, radius, half, density;
        bool vary;
    } scenes[] = {
        {MOVING_ALL_WAYS, 500, 1, 0.25, 0, 0.125, false},
        {MOVING_ALL_WAYS, 500, 5, 0.25, 0, 0.125, false},
        {MOVING_ALL_WAYS, 500, 40, 0.25, 0, 0.125, false},
        {MOVING_ALL_WAYS, 1000, 40, 0.25, 0, 0.125, false},
        {MOVING_ALL_WAYS, 2000, 5, 0.25, 0, 0.125, false},
        {MOVING_ALL_WAYS, 5000, 1, 0.25, 0, 0.125, false},
        {MOVING_ALL_WAYS, 5000, 5, 0.25, 0, 0.125, false},
        {MOVING_ALL_WAYS, 5000, 40, 0.25, 0, 0.125, false},
        {MOVING_ALL_WAYS, 2000, 5, 0.25, 0, 0.125, true},
        {MOVING_ALL_WAYS, 5000, 10, 0.4, 0, 0.125, true},
        {MOVING_ALL_WAYS, 2000, 5, 0.4, 0, 0.5, false},
        {MOVING_ALL_WAYS, 2000, 40, 0.05, 0.5, 0.125, false},
        {MOVING_ALL_WAYS, 5000, 100, 0.05, 1, 0.125, false},
        {MOVING_STREAM, 2000, 100, 0.05, 0, 0.125, false},
        {MOVING_STREAM, 5000, 100, 0.05, 0, 0.125, false},
        {MOVING_STREAM, 5000, 100, 0.05, 1, 0.125, false},
        {MOVING_FEW_FAST, 1000, 40, 0.25, 0, 0.125, false},
        {MOVING_FEW_FAST, 5000, 40, 0.25, 0, 0.125, false},
        {MOVING_CLUSTERS, 2000, 10, 0.05, 0, 0.125, false},
        {MOVING_CLUSTERS, 5000, 10, 0.05, 0, 0.125, false},
        {MOVING_ALL_WAYS, 20000, 10, 0.25, 0, 0.125, false},
        {MOVING_ALL_WAYS, 20000, 100, 0.02, 0, 0.125, false},
        {MOVING_STREAM, 20000, 400, 0.02, 0, 0.125, false},
        {MOVING_FEW_FAST, 20000, 40, 0.05, 0, 0.125, false},
        {MOVING_ALL_WAYS, 50000, 2.5, 0.25, 0, 0.125, false},
    };
    static const char *const ways[] = {"all ways", "stream", "few fast", "clusters"};
    static const char *const arrow_ways[] = {"arrows", "arrows, stream"};
    SAY("%-14s %7s %5s %6s %9s %9s %9s  %-16s %s\n", "", "objects", "speed", "radius", "auto ms",
        "best ms", "ratio", "chosen, s", "best, s");
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) {
        if (scenes[s].objects > amount->most_objects) {
            continue;
        }
        moving_scene scene = box_scene(scenes[s].objects, scenes[s].speed, scenes[s].radius);
        scene.way = scenes[s].way;
        scene.has_walls = scene.way != MOVING_STREAM;
        scene.half_length = scenes[s].half;
        scene.density = scenes[s].density;
        scene.radii_vary = scenes[s].vary;
        const char *name = scenes[s].half > 0 ? arrow_ways[scene.way]
                           : scenes[s].vary   ? "uneven"
                                              : ways[scene.way];
        run_setup setup = {.engine = KILN_DYNAMIC_AUTO, .has_first = true}, best_setup;
        uint32_t frames = SHORT * amount->frames;
        continuous_row own = run_once(&scene, &setup, frames, false);
        const double wanted = LEAST_MS * amount->frames / own.ms;
        if (wanted > frames) {
            frames = (uint32_t)fmin(wanted, LONG * amount->frames);
            own = run_once(&scene, &setup, frames, false);
        }
        continuous_row best = find_best(&scene, frames, own.ms, &best_setup);
        /* By turns, so that what else the machine does hits both; longer where it did not. */
        for (uint32_t i = 1; i < amount->rounds || (i < 4 * amount->rounds && amount->rounds > 1 &&
                                                    own.ms > 1.1 * best.ms);
             i++) {
            own.ms = fmin(own.ms, run_once(&scene, &setup, frames, false).ms);
            best.ms = fmin(best.ms, run_once(&scene, &best_setup, frames, false).ms);
        }
        own.value = own.ms / best.ms;
        keep_row(rows, own, "auto", name);
        SAY("%-14s %7u %5g %6g %9.4f %9.4f %9.2f  %-4s %-11.3g %s %.3g\n", name, scene.count,
            scene.speed, scene.radius, own.ms, best.ms, own.value,
            own.engine_used == KILN_DYNAMIC_GRID ? "grid" : "SIMD", own.interval,
            best_setup.engine == KILN_DYNAMIC_GRID ? "grid" : "SIMD", best.interval);
        if (out != NULL) {
            (void)fflush(out);
        }
    }
}

/* ----------------------------------------------------------------------------------------- */

const continuous_part continuous_parts[] = {
    {"engines", "time a frame by objects and speed, of every engine", measure_engines},
    {"costs", "what of it is for intervals, and what for responses (Equation 17)", measure_costs},
    {"phi", "axes of an object, and tests, by the angle of zones", measure_phi},
    {"swaps", "swaps of sorting by speed (Equations 12 and 13)", measure_swaps},
    {"caching", "tests saved by keeping results", measure_caching},
    {"narrow", "narrow phases of 0.1 us: times as fast as all pairs", measure_narrow},
    {"filters", "calls of a narrow phase after filters", measure_filters},
    {"misses", "what a test at the ends of frames misses", measure_misses},
    {"auto", "the automatic engine and interval against the best fixed ones", measure_auto},
};
const size_t continuous_part_count = sizeof continuous_parts / sizeof continuous_parts[0];
