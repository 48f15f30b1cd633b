/* What a bake takes of memory, and that it keeps to a limit. Each bake runs in a process of its
 * own, whose peak the system knows; what the process had before counts for nothing. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../tools/tree/build.h"
#include "../../tools/tree/builders.h"
#include "../../tools/tree/octree.h"
#include "../../tools/tree/spheres.h"
#include "../../tools/common/text.h"
#include "../../tools/common/memory.h"
#include "../support/amount.h"
#include "../support/meshes.h"

enum {
    SIDES = 100,
    RINGS = 500,
    RINGS_QUICK = 300,
    RINGS_SHADOW = 15,
    SOME_TRIANGLES = 30000,
    FACET = 50,
    HEADER = 84
};

/* Stacks and the C library's own. */
#define SLACK ((uint64_t)2 << 20)

static mesh torus;
static uint8_t *stl; /* the same as a file */
static size_t stl_size;

static int make_model(void **state)
{
    (void)state;
    /* Under a sanitizer memory is not measured: what remains is that all runs. */
    torus = mesh_torus(KILN_HAVE_SHADOW_MEMORY ? RINGS_SHADOW
                       : is_shortened()        ? RINGS_QUICK
                                               : RINGS,
                       SIDES, 0.2);
    stl_size = HEADER + (size_t)FACET * torus.triangle_count;
    stl = calloc(1, stl_size);
    assert_non_null(stl);
    for (int i = 0; i < 4; i++) {
        stl[80 + i] = (uint8_t)(torus.triangle_count >> 8 * i);
    }
    for (uint32_t t = 0; t < torus.triangle_count; t++) {
        for (size_t i = 0; i < 3; i++) {
            const size_t vertex = torus.indices[3 * (size_t)t + i];
            memcpy(stl + HEADER + FACET * (size_t)t + 12 + 12 * i, torus.positions + 3 * vertex,
                   12);
        }
    }
    return 0;
}

static int free_model(void **state)
{
    (void)state;
    mesh_free(&torus);
    free(stl);
    return 0;
}

typedef struct {
    kiln_bake_status status;
    uint64_t peak;       /* bytes beyond what there was, of the process that bakes */
    uint64_t child_peak; /* of its importing child */
    size_t size;         /* of the file */
    char error[1024];
} outcome;

static uint64_t peak_of(int who, uint64_t before)
{
    struct rusage used;
    (void)getrusage(who, &used);
    const uint64_t most = (uint64_t)used.ru_maxrss << 10;
    return most > before ? most - before : 0;
}

static void bake(const kiln_bake_options *options, outcome *out)
{
    const kiln_bake_input input = {"torus.stl", stl, stl_size, NULL};
    kiln_bake_report report;
    void *data = NULL;
    out->status = kiln_bake_to_memory(&input, options, &data, &out->size, &report);
    (void)snprintf(out->error, sizeof out->error, "%s", report.error);
    free(data);
    kiln_bake_report_free(&report);
}

static void build_alone(const kiln_bake_options *options, outcome *out)
{
    const kiln_build_input input = {torus.positions, torus.indices, NULL, torus.triangle_count};
    kiln_build_tree tree;
    out->status = kiln_build(kiln_build_kind_find(options->bv), &input, options, &tree);
    kiln_build_tree_free(&tree);
}

/* Reads each page of the mapped files. A process that was just forked has none of them resident, so
 * the code that the work runs would count as memory that it takes, and how much of it depends on
 * how many neighbours the system maps with each page. */
static void touch_code(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096];
    unsigned long long from, to, inode;
    char readable;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%llx-%llx %c%*s %*s %*s %llu", &from, &to, &readable, &inode) == 4 &&
            readable == 'r' && inode != 0) {
            for (uintptr_t at = (uintptr_t)from; at < (uintptr_t)to; at += 4096) {
                (void)*(const volatile char *)at;
            }
        }
    }
    if (maps != NULL) {
        (void)fclose(maps);
    }
}

/* Does the work in a process of its own. */
static outcome run(void (*work)(const kiln_bake_options *, outcome *),
                   const kiln_bake_options *options)
{
    outcome out;
    int pipes[2], status;
    memset(&out, 0, sizeof out);
    assert_int_equal(pipe(pipes), 0);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        if (!KILN_HAVE_SHADOW_MEMORY) {
            touch_code();
        }
        const uint64_t before = peak_of(RUSAGE_SELF, 0); /* a process starts with what it has */
        work(options, &out);
        out.peak = peak_of(RUSAGE_SELF, before);
        out.child_peak = peak_of(RUSAGE_CHILDREN, before);
        _exit(write(pipes[1], &out, sizeof out) == (ssize_t)sizeof out ? 0 : 1);
    }
    (void)close(pipes[1]);
    assert_int_equal(read(pipes[0], &out, sizeof out), sizeof out);
    (void)close(pipes[0]);
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, 0);
    return out;
}

static void expect_at_most(const char *what, uint64_t bytes, unsigned a_triangle)
{
    print_message("%s: %.1f bytes a triangle of %u allowed\n", what,
                  (double)bytes / torus.triangle_count, a_triangle);
    if (!KILN_HAVE_SHADOW_MEMORY) {
        assert_true(bytes <= (uint64_t)a_triangle * torus.triangle_count + SLACK);
    }
}

/* Above the input, the result included. */
static void building_takes_little(void **state)
{
    (void)state;
    static const char *const kinds[] = {"obb", "aabb", "obb2"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        kiln_bake_options options = kiln_bake_options_default();
        options.bv = kinds[i];
        options.threads = 2;
        options.quality = i == 0 ? KILN_QUALITY_BEST : KILN_QUALITY_FAST;
        const outcome out = run(build_alone, &options);
        assert_int_equal(out.status, KILN_BAKE_OK);
        expect_at_most(kinds[i], out.peak, 200);
    }
}

/* Groups of triangles take more than cuts do, as the need that is computed from the table says. */
static void every_builder_takes_little(void **state)
{
    (void)state;
    for (size_t i = 0; i < kiln_builder_count; i++) {
        kiln_bake_options options = kiln_bake_options_default();
        options.bv = "aabb";
        options.builder = kiln_builders[i].name;
        options.threads = 2;
        const outcome out = run(build_alone, &options);
        assert_int_equal(out.status, KILN_BAKE_OK);
        expect_at_most(options.builder, out.peak, 85 + kiln_builders[i].spare);
    }
}

/* Plans of balls are made beside the records. */
static void every_construction_of_balls_takes_little(void **state)
{
    (void)state;
    static const char *const names[] = {"least", "cover", "octree", "medial"};
    const uint32_t all = torus.triangle_count;
    torus.triangle_count = all < SOME_TRIANGLES ? all : SOME_TRIANGLES; /* these take their time */
    for (int by = KILN_SPHERES_LEAST; by <= KILN_SPHERES_MEDIAL; by++) {
        for (int leaf = 1; leaf <= 8; leaf += 7) {
            kiln_bake_options options = kiln_bake_options_default();
            options.bv = "sphere";
            options.leaf = leaf;
            options.spheres = (kiln_spheres_by)by;
            options.quality = KILN_QUALITY_FAST;
            options.threads = 2;
            const outcome out = run(build_alone, &options);
            assert_int_equal(out.status, KILN_BAKE_OK);
            print_message("leaf %d, ", leaf);
            expect_at_most(names[by], out.peak,
                           75 + 30u / (unsigned)leaf + kiln_spheres_spare(options.spheres, leaf));
        }
    }
    torus.triangle_count = all;
}

/* References, their records and cells, of which there are the more the smaller leaves are. */
static void an_octree_takes_what_is_said(void **state)
{
    (void)state;
    const uint32_t all = torus.triangle_count;
    torus.triangle_count = all < SOME_TRIANGLES ? all : SOME_TRIANGLES;
    for (int leaf = 1; leaf <= 15; leaf += 7) {
        kiln_bake_options options = kiln_bake_options_default();
        options.bv = "octree";
        options.leaf = leaf;
        options.threads = 2;
        const outcome out = run(build_alone, &options);
        assert_int_equal(out.status, KILN_BAKE_OK);
        print_message("leaf %d, ", leaf);
        expect_at_most(options.bv, out.peak, 75 + kiln_octree_spare(leaf));
    }
    torus.triangle_count = all;
}

/* From the model's bytes to the file's, and with all kinds of trees. */
static void baking_takes_little(void **state)
{
    (void)state;
    static const struct {
        const char *bv;
        kiln_layout layout;
        unsigned most;
    } bakes[] = {{"obb", KILN_LAYOUT_PACKED, 200},
                 {"aabb", KILN_LAYOUT_RAW, 200},
                 {"obb,aabb,obb2,aabb2", KILN_LAYOUT_RAW, 400}};
    for (size_t i = 0; i < sizeof bakes / sizeof bakes[0]; i++) {
        kiln_bake_options options = kiln_bake_options_default();
        options.bv = bakes[i].bv;
        options.threads = 2;
        options.quality = KILN_QUALITY_FAST;
        options.layout = bakes[i].layout;
        const outcome out = run(bake, &options);
        assert_int_equal(out.status, KILN_BAKE_OK);
        expect_at_most(bakes[i].bv, out.peak, bakes[i].most);
        expect_at_most("its importing child", out.child_peak, 50);
    }
}

/* Within the limit, or an error that tells of it; with enough, the same file. */
static void limit_is_kept(void **state)
{
    (void)state;
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = "aabb";
    options.layout = KILN_LAYOUT_RAW;
    options.threads = 8;
    const outcome without = run(bake, &options);
    unsigned failed = 0, done = 0;
    assert_int_equal(without.status, KILN_BAKE_OK);
    static const unsigned tenths[] = {1, 3, 5, 6, 7, 8, 9, 10, 11, 13, 16, 20};
    for (size_t i = 0; i < sizeof tenths / sizeof tenths[0]; i++) {
        options.max_memory = without.peak / 10 * tenths[i];
        const outcome out = run(bake, &options);
        print_message("limit %.1f MiB: status %d, peak %.1f MiB; %s\n",
                      (double)options.max_memory * 0x1p-20, out.status, (double)out.peak * 0x1p-20,
                      out.error);
        if (out.status == KILN_BAKE_OK) {
            assert_int_equal(out.size, without.size);
            done++;
        } else {
            char limit[KILN_MESSAGE_BYTES_SIZE];
            assert_int_equal(out.status, KILN_BAKE_FAILED);
            assert_non_null(strstr(out.error, kiln_message_bytes(options.max_memory, limit)));
            assert_non_null(strstr(out.error, "memory"));
            assert_non_null(strstr(out.error, "--max-memory"));
            failed++;
        }
        if (!KILN_HAVE_SHADOW_MEMORY) {
            assert_true(out.peak <= options.max_memory + SLACK);
            assert_true(out.child_peak <= options.max_memory + SLACK);
        }
    }
    print_message("%u limits were too low, %u not\n", failed, done);
    assert_true((failed >= 3 || KILN_HAVE_SHADOW_MEMORY) && done >= 2);
}

/* What is known to need too much is not begun. */
static void need_is_told_before(void **state)
{
    (void)state;
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = "obb2";
    options.leaf = 1;
    options.max_memory = (uint64_t)200 * torus.triangle_count;
    const outcome out = run(bake, &options);
    assert_int_equal(out.status, KILN_BAKE_FAILED);
    if (!KILN_HAVE_SHADOW_MEMORY) { /* with it, no bake at all fits into the limit of a short run */
        assert_non_null(strstr(out.error, "needs about"));
        assert_non_null(strstr(out.error, "triangles"));
    }
}

static void sizes_are_told_in_the_unit_that_fits(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } sizes[] = {{0, "0 bytes"},
                 {1, "1 byte"},
                 {1023, "1023 bytes"},
                 {1024, "1 KiB"},
                 {1u << 20, "1 MiB"},
                 {(1u << 20) - 1, "1023 KiB"},
                 {(uint64_t)5 << 30, "5120 MiB"}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char text[KILN_MESSAGE_BYTES_SIZE];
        assert_string_equal(kiln_message_bytes(sizes[i].bytes, text), sizes[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(building_takes_little),
        cmocka_unit_test(every_builder_takes_little),
        cmocka_unit_test(every_construction_of_balls_takes_little),
        cmocka_unit_test(an_octree_takes_what_is_said),
        cmocka_unit_test(baking_takes_little),
        cmocka_unit_test(limit_is_kept),
        cmocka_unit_test(need_is_told_before),
        cmocka_unit_test(sizes_are_told_in_the_unit_that_fits),
    };
    return cmocka_run_group_tests(tests, make_model, free_model);
}
