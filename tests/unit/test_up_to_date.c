/* --if-changed and the cache: whatever a bake's result depends on makes it bake again, and nothing
 * else does; damaged files are never taken for good ones; no clock is asked. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/kiln_bake.h"
#include "../support/scratch.h"

static char folder[SCRATCH_SIZE];
static char cache[SCRATCH_PATH_SIZE]; /* within it */

/* A name in the folder; eight at a time. */
static const char *at(const char *name)
{
    static char names[8][SCRATCH_PATH_SIZE];
    static int next;
    char *path = names[next++ % 8];
    snprintf(path, sizeof names[0], "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(at(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A clock long past, so that every source looks older than every output. */
static void make_old(const char *name)
{
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    assert_int_equal(utimensat(AT_FDCWD, at(name), times, 0), 0);
}

static const char model[] = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                            "f 1 2 3\nf 1 2 4\nf 2 3 4\n";

static kiln_bake_options options_now;

static kiln_bake_status bake(const char *source, const char *output, kiln_bake_outcome *outcome)
{
    kiln_bake_report report;
    const char *from = at(source);
    const kiln_bake_input input = {from, NULL, 0, NULL};
    const kiln_bake_status status = kiln_bake(&input, at(output), &options_now, &report);
    *outcome = report.outcome;
    kiln_bake_report_free(&report);
    return status;
}

static void expect(const char *source, const char *output, kiln_bake_outcome wanted)
{
    kiln_bake_outcome outcome;
    assert_int_equal(bake(source, output, &outcome), KILN_BAKE_OK);
    assert_int_equal(outcome, wanted);
}

/* It bakes, and then no more. */
static void expect_once(const char *source, const char *output)
{
    expect(source, output, KILN_OUTCOME_BAKED);
    expect(source, output, KILN_OUTCOME_UP_TO_DATE);
}

static int begin(void **state)
{
    (void)state;
    options_now = kiln_bake_options_default();
    options_now.if_changed = true;
    write_text("m.obj", model);
    return unlink(at("m.mtl")), unlink(at("m.kiln")), 0;
}

static void bytes_of_source(void **state)
{
    (void)state;
    expect_once("m.obj", "m.kiln");
    make_old("m.obj");
    expect("m.obj", "m.kiln", KILN_OUTCOME_UP_TO_DATE);
    write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 2 3\nf 1 2 4\nf 2 3 4\n");
    make_old("m.obj");
    expect_once("m.obj", "m.kiln");
    write_text("m.obj", model);
    make_old("m.obj");
    expect_once("m.obj", "m.kiln");
}

static void side_files(void **state)
{
    (void)state;
    expect_once("m.obj", "m.kiln"); /* m.mtl is absent */
    write_text("m.mtl", "newmtl red\n");
    make_old("m.mtl");
    expect_once("m.obj", "m.kiln"); /* there */
    write_text("m.mtl", "newmtl blue\n");
    make_old("m.mtl");
    expect_once("m.obj", "m.kiln"); /* other bytes */
    assert_int_equal(unlink(at("m.mtl")), 0);
    assert_int_equal(mkdir(at("m.mtl"), 0777), 0);
    expect_once("m.obj", "m.kiln"); /* a folder is not the file */
    assert_int_equal(rmdir(at("m.mtl")), 0);
    expect("m.obj", "m.kiln", KILN_OUTCOME_UP_TO_DATE);
}

/* Everything that shapes the file, there and back again. */
static void each_option(void **state)
{
    const kiln_bake_options base = options_now;
    kiln_bake_options others[21];
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        others[i] = base;
    }
    others[0].bv = "aabb";
    others[1].bv = "obb,aabb";
    others[2].builder = "median";
    others[3].leaf = 5;
    others[4].layout = KILN_LAYOUT_RAW;
    others[5].split = KILN_SPLIT_MESH;
    others[6].scale = 0.01;
    others[7].up = 1;
    others[8].on_bad = KILN_ON_BAD_DROP;
    others[9].drop = KILN_DROP_DEGENERATE;
    others[10].lossy_grid = 8;
    others[11].quality = KILN_QUALITY_BEST;
    others[12].adb = 4;
    others[13].adb = 8;
    others[14].adb = 4, others[14].adb_factor = 0.5;
    others[15].adb = 4, others[15].adb_regions = KILN_ADB_ONE;
    others[16].adb = 4, others[16].no_geometry = true;
    others[17].spheres = KILN_SPHERES_MEDIAL;
    others[18].fit_to = KILN_FIT_TO_CHILDREN;
    others[19].box_fit = KILN_BOX_FIT_VOLUME;
    others[20].builder = "ploc";
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        expect("m.obj", "m.kiln", KILN_OUTCOME_BAKED);
        options_now = others[i];
        expect_once("m.obj", "m.kiln");
        options_now = base;
    }
    expect_once("m.obj", "m.kiln");
}

/* These don't shape it. */
static void options_of_no_account(void **state)
{
    (void)state;
    expect_once("m.obj", "m.kiln");
    options_now.threads = 3;
    options_now.import_seconds = 9;
    options_now.import_memory = (uint64_t)1 << 30;
    expect("m.obj", "m.kiln", KILN_OUTCOME_UP_TO_DATE);
}

static void another_name_is_another_file(void **state)
{
    (void)state;
    expect_once("m.obj", "m.kiln");
    write_text("other.obj", model);
    expect_once("other.obj", "m.kiln");
}

/* What strict refuses is refused, however it got there. */
static void strict_refuses(void **state)
{
    kiln_bake_outcome outcome;
    (void)state;
    write_text("m.obj", "o hollow\no full\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    expect_once("m.obj", "m.kiln");
    options_now.strict = true;
    assert_int_equal(bake("m.obj", "m.kiln", &outcome), KILN_BAKE_INVALID);
}

/* Every byte but those of the padding; and every length. */
static void damage_is_seen(void **state)
{
    char bytes[8192], copy[8192];
    (void)state;
    expect_once("m.obj", "m.kiln");
    FILE *file = fopen(at("m.kiln"), "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(size, 1000, sizeof bytes - 1);
    for (size_t i = 0; i < 2 * size; i += 41) {
        memcpy(copy, bytes, size);
        copy[i % size] = (char)(copy[i % size] ^ 4);
        file = fopen(at("m.kiln"), "wb");
        assert_non_null(file);
        fwrite(copy, 1, i < size ? size : i % size, file);
        assert_int_equal(fclose(file), 0);
        expect("m.obj", "m.kiln", KILN_OUTCOME_BAKED);
    }
    expect("m.obj", "m.kiln", KILN_OUTCOME_UP_TO_DATE);
}

/* --------------------------------------------------------------------------------- the cache -- */

static void cached_by_what_it_is_made_from(void **state)
{
    (void)state;
    options_now.if_changed = false;
    options_now.cache = cache;
    expect("m.obj", "m.kiln", KILN_OUTCOME_BAKED);
    expect("m.obj", "m2.kiln", KILN_OUTCOME_CACHED);
    write_text("m.mtl", "newmtl red\n");
    expect("m.obj", "m.kiln", KILN_OUTCOME_BAKED);
    expect("m.obj", "m.kiln", KILN_OUTCOME_CACHED);
    write_text("m.mtl", "newmtl blue\n");
    expect("m.obj", "m.kiln", KILN_OUTCOME_BAKED);
    write_text("m.mtl", "newmtl red\n");
    expect("m.obj", "m.kiln", KILN_OUTCOME_CACHED);
    assert_int_equal(unlink(at("m.mtl")), 0);
    expect("m.obj", "m.kiln", KILN_OUTCOME_CACHED);
    options_now.layout = KILN_LAYOUT_RAW;
    expect("m.obj", "m.kiln", KILN_OUTCOME_BAKED);
    expect("m.obj", "m.kiln", KILN_OUTCOME_CACHED);
    options_now.if_changed = true;
    expect("m.obj", "m.kiln", KILN_OUTCOME_UP_TO_DATE);
}

/* Calls visit(path) for every file of the cache but the tag. */
static unsigned each_entry(void (*visit)(const char *path))
{
    unsigned count = 0;
    char shard[SCRATCH_PATH_SIZE], path[SCRATCH_PATH_SIZE + 320];
    DIR *shards = opendir(at("cache"));
    const struct dirent *item, *inner;
    assert_non_null(shards);
    while ((item = readdir(shards)) != NULL) {
        snprintf(shard, sizeof shard, "%s/cache/%s", folder, item->d_name);
        DIR *entries = strlen(item->d_name) == 2 && item->d_name[0] != '.' ? opendir(shard) : NULL;
        while (entries != NULL && (inner = readdir(entries)) != NULL) {
            if (inner->d_name[0] != '.') {
                snprintf(path, sizeof path, "%s/%s", shard, inner->d_name);
                visit(path);
                count++;
            }
        }
        if (entries != NULL) {
            closedir(entries);
        }
    }
    closedir(shards);
    return count;
}

static void cut_short(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(truncate(path, facts.st_size / 2), 0);
}

static void flip(const char *path)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 20, SEEK_SET);
    fputc(0x55, file);
    fclose(file);
}

static void look(const char *path)
{
    assert_int_equal(access(path, R_OK), 0);
}

static void damaged_entries_are_misses(void **state)
{
    void (*const damages[])(const char *) = {cut_short, flip};
    (void)state;
    options_now.if_changed = false;
    options_now.cache = cache;
    for (size_t i = 0; i < 2; i++) {
        expect("m.obj", "m.kiln", KILN_OUTCOME_CACHED);
        assert_true(each_entry(damages[i]) > 0);
        expect("m.obj", "m.kiln", KILN_OUTCOME_BAKED);
    }
    expect("m.obj", "m.kiln", KILN_OUTCOME_CACHED);
}

static void collected(void **state)
{
    kiln_cache_report report;
    (void)state;
    options_now.if_changed = false;
    options_now.cache = cache;
    expect("m.obj", "m.kiln", KILN_OUTCOME_CACHED); /* the last used */
    const unsigned before = each_entry(look);
    assert_int_equal(kiln_cache_gc(at("cache"), 1 << 30, &report), KILN_BAKE_OK);
    assert_int_equal(report.files, before);
    assert_int_equal(report.files_removed, 0);
    const uint64_t most = report.bytes / 2;
    write_text("cache/notes.txt", "not ours\n");
    kiln_cache_report foreseen;
    assert_int_equal(kiln_cache_gc_look(at("cache"), most, &foreseen), KILN_BAKE_OK);
    assert_int_equal(each_entry(look), before);
    assert_int_equal(kiln_cache_gc(at("cache"), most, &report), KILN_BAKE_OK);
    assert_true(report.bytes <= most);
    assert_memory_equal(&foreseen, &report, sizeof report);
    assert_true(report.files_removed > 0);
    assert_int_equal(report.files + report.files_removed, before);
    assert_int_equal(each_entry(look), report.files);
    expect("m.obj", "m.kiln", KILN_OUTCOME_CACHED);
    assert_int_equal(kiln_cache_gc(at("cache"), 0, &report), KILN_BAKE_OK);
    assert_int_equal(each_entry(look), 0);
    assert_int_equal(access(at("cache/notes.txt"), R_OK), 0);
    assert_int_equal(kiln_cache_gc(folder, 0, &report), KILN_BAKE_USAGE);
    expect("m.obj", "m.kiln", KILN_OUTCOME_BAKED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bytes_of_source, begin),
        cmocka_unit_test_setup(side_files, begin),
        cmocka_unit_test_setup(each_option, begin),
        cmocka_unit_test_setup(options_of_no_account, begin),
        cmocka_unit_test_setup(another_name_is_another_file, begin),
        cmocka_unit_test_setup(strict_refuses, begin),
        cmocka_unit_test_setup(damage_is_seen, begin),
        cmocka_unit_test_setup(cached_by_what_it_is_made_from, begin),
        cmocka_unit_test_setup(damaged_entries_are_misses, begin),
        cmocka_unit_test_setup(collected, begin),
    };
    if (!scratch_make(folder, "up")) {
        return 1;
    }
    snprintf(cache, sizeof cache, "%s/cache", folder);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return !scratch_remove(folder) || failed != 0;
}
