/* Dynamic worlds: the events of every engine are those of all pairs, bit for bit, over scenes of
 * all speeds, densities, shapes and walls, with every set of kernels, and over edits between steps.
 * With a KILN_PROPERTY_SCALE of 30 that is 1,440 scenes and more than 100,000 events without edits,
 * and as many scenes with them. The digest that is printed is of every bit of them, for comparing
 * compilers and machines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kernel/kernel.h"
#include "../support/amount.h"
#include "../support/meshes.h"
#include "../support/moving.h"

static const struct {
    const char *name;
    kiln_dynamic_engine engine;
} engines[] = {
    {"auto", KILN_DYNAMIC_AUTO},
    {"simd", KILN_DYNAMIC_ALL_PAIRS_SIMD},
    {"grid", KILN_DYNAMIC_GRID},
    {"sweep", KILN_DYNAMIC_SWEEP},
    {"14-DOP", KILN_DYNAMIC_SWEEP_14DOP},
    {"VADOP", KILN_DYNAMIC_VADOP},
    {"published VADOP", KILN_DYNAMIC_VADOP_PUBLISHED},
};
enum { ENGINES = sizeof engines / sizeof engines[0] };

static uint64_t events_seen, digest_seen;

static moving_scene random_scene(uint64_t *random)
{
    static const double speeds[] = {1, 2.5, 5, 10, 40, 100, 400};
    static const double radii[] = {0.02, 0.05, 0.125, 0.25, 0.4};
    moving_scene scene;
    scene.way = (moving_way)random_below(random, MOVING_WAYS);
    scene.count = 20 + random_below(random, 230);
    scene.speed = speeds[random_below(random, 7)];
    scene.radius = radii[random_below(random, 5)];
    scene.radii_vary = random_below(random, 3) == 0;
    scene.half_length = random_below(random, 4) == 0 && scene.radius < 0.1 ? 10 * scene.radius : 0;
    scene.density = random_below(random, 4) == 0 && scene.radius < 0.2 ? 1 : 0.125;
    scene.has_walls = random_below(random, 3) > 0;
    scene.seed = random_next(random);
    return scene;
}

/* How a run differs from the others of a scene, besides its engine. */
typedef struct {
    double interval;
    uint32_t event_capacity;
} run_way;

/* Runs a scene for `frames` frames, with edits after some of them. */
static moving_log run_scene(const moving_scene *scene, kiln_dynamic_engine engine,
                            const run_way *way, uint32_t frames, bool edits)
{
    kiln_dynamic_options options = moving_options(scene, engine);
    options.interval = way->interval;
    options.event_capacity = way->event_capacity;
    options.events_most = 20;
    void *memory;
    kiln_dynamic *world = moving_world(scene, &options, &memory);
    moving_log log = {0, 0, 0, scene->seed % 2 == 0 ? 3 : 0};
    uint64_t random = scene->seed;
    for (uint32_t frame = 0; frame < frames; frame++) {
        size_t count = 0;
        assert_int_equal(kiln_dynamic_step(world, 1.0 / 30, moving_event, &log, &count), KILN_OK);
        for (uint32_t i = 0; i < 3 && edits; i++) {
            const uint32_t place = random_below(&random, scene->count);
            const kiln_dynamic_id id = kiln_dynamic_next(world, (uint64_t)place << 32);
            kiln_dynamic_object object =
                moving_object(scene, random_below(&random, 2 * scene->count));
            const uint32_t what = random_below(&random, 3);
            kiln_dynamic_id added;
            if (what == 0 && id != 0) {
                assert_int_equal(kiln_dynamic_remove(world, id), KILN_OK);
            } else if (what == 1) {
                const kiln_dynamic_info info = kiln_dynamic_get_info(world);
                assert_int_equal(kiln_dynamic_add(world, &object, &added),
                                 info.count < info.capacity ? KILN_OK : KILN_ERROR_FULL);
            } else if (id != 0) {
                assert_int_equal(kiln_dynamic_set(world, id, &object), KILN_OK);
            }
        }
    }
    free(memory);
    return log;
}

static void engines_agree_on(uint64_t *random, uint32_t scenes, bool edits)
{
    for (uint32_t i = 0; i < scenes; i++) {
        const moving_scene scene = random_scene(random);
        const run_way plain = {0, 64 * scene.count};
        const uint32_t frames =
            scene.speed > 50 ? 1 + random_below(random, 3) : 3 + random_below(random, 9);
        const moving_log expected =
            run_scene(&scene, KILN_DYNAMIC_ALL_PAIRS, &plain, frames, edits);
        events_seen += expected.events;
        digest_seen = (digest_seen ^ expected.digest) * 0x9E3779B97F4A7C15u;
        for (int e = 0; e < ENGINES; e++) {
            const run_way ways[3] = {{0, 64 * scene.count},
                                     {random_between(random, 0.001, 0.3), 64 * scene.count},
                                     {0, scene.count + 64}};
            /* What overlaps at first has all its events at one time, for which there must be
             * room. */
            const bool is_dense = scene.radii_vary || scene.density > 0.5 || scene.half_length > 0;
            const run_way *way = &ways[random_below(random, is_dense ? 2 : 3)];
            const moving_log log = run_scene(&scene, engines[e].engine, way, frames, edits);
            if (log.digest != expected.digest) {
                print_message(
                    "scene %u (way %d, %u objects, speed %g, radius %g%s, half %g, "
                    "walls %d, edits %d, interval %g, room %u): %s has %u events, not %u\n",
                    i, scene.way, scene.count, scene.speed, scene.radius,
                    scene.radii_vary ? " varied" : "", scene.half_length, scene.has_walls, edits,
                    way->interval, way->event_capacity, engines[e].name, (unsigned)log.events,
                    (unsigned)expected.events);
            }
            assert_true(log.digest == expected.digest);
        }
    }
}

static void engines_agree(void **state)
{
    (void)state;
    uint64_t random = 1;
    engines_agree_on(&random, amount_of_few(48), false);
    print_message("%llu events, digest %016llx\n", (unsigned long long)events_seen,
                  (unsigned long long)digest_seen);
}

static void engines_agree_over_edits(void **state)
{
    (void)state;
    uint64_t random = 2;
    engines_agree_on(&random, amount_of_few(48), true);
}

static void sets_of_kernels_agree(void **state)
{
    (void)state;
    for (unsigned set = 0; kiln_kernel_runnable(set) != NULL; set++) {
        uint64_t random = 3;
        kiln_kernel_force(kiln_kernel_runnable(set));
        engines_agree_on(&random, amount_of_few(6), true);
    }
    kiln_kernel_force(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(engines_agree_over_edits),
        cmocka_unit_test(sets_of_kernels_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
