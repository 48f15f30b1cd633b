/* See case_model.h. */
#define _XOPEN_SOURCE 700
#include "case_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define FIRST_KIND(KIND, kind, name, ...) name
#define NEXT_KIND(KIND, kind, name, ...) "," name

kiln_bake_options case_options(void)
{
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = KILN_NODE_KINDS(FIRST_KIND, NEXT_KIND);
    options.import_seconds = 0; /* no limit that a busy machine could reach */
    return options;
}

const char *case_path(const char *name, char path[CASE_PATH_SIZE])
{
    (void)snprintf(path, CASE_PATH_SIZE, "models/hard/%s", name);
    return path;
}

const char *case_temporary(const char *name, char path[CASE_PATH_SIZE])
{
    const char *folder = getenv("TMPDIR");
    (void)snprintf(path, CASE_PATH_SIZE, "%s/%s", folder != NULL ? folder : "/tmp", name);
    return path;
}

void case_find_trees(case_model *model)
{
    for (unsigned i = 0; i < CASE_KINDS; i++) {
        model->trees[i] = kiln_file_find(model->file, NULL, kiln_node_kinds[i].bv);
    }
}

static case_model bake_and_open(const kiln_bake_input *input, const kiln_bake_options *options)
{
    case_model model;
    kiln_error error;
    const kiln_bake_options defaults = case_options();
    kiln_open_options how = kiln_open_options_default();
    how.error = &error;
    memset(&model, 0, sizeof model);
    if (kiln_bake_to_memory(input, options != NULL ? options : &defaults, &model.bytes, &model.size,
                            &model.report) != KILN_BAKE_OK) {
        fail_msg("%s", model.report.error);
    }
    if (kiln_open_memory(model.bytes, model.size, &how, &model.file) != KILN_OK) {
        fail_msg("%s: %s", input->path, error.message);
    }
    case_find_trees(&model);
    return model;
}

case_model case_bake_path(const char *path, const kiln_bake_options *options)
{
    const kiln_bake_input input = {path, NULL, 0, NULL};
    return bake_and_open(&input, options);
}

case_model case_bake(const char *name, const kiln_bake_options *options)
{
    char path[CASE_PATH_SIZE];
    return case_bake_path(case_path(name, path), options);
}

static kiln_bake_input text_input(const char *text)
{
    return (kiln_bake_input){"text.obj", text, strlen(text), "obj"};
}

case_model case_bake_text(const char *text, const kiln_bake_options *options)
{
    const kiln_bake_input input = text_input(text);
    return bake_and_open(&input, options);
}

void case_free(case_model *model)
{
    kiln_close(model->file);
    free(model->bytes);
    kiln_bake_report_free(&model->report);
    memset(model, 0, sizeof *model);
}

static kiln_bake_status try_input(const kiln_bake_input *input, const kiln_bake_options *options,
                                  kiln_bake_report *report)
{
    void *bytes = NULL;
    size_t size = 0;
    const kiln_bake_options defaults = case_options();
    const kiln_bake_status status =
        kiln_bake_to_memory(input, options != NULL ? options : &defaults, &bytes, &size, report);
    free(bytes);
    return status;
}

kiln_bake_status case_try(const char *name, const kiln_bake_options *options,
                          kiln_bake_report *report)
{
    char path[CASE_PATH_SIZE];
    const kiln_bake_input input = {case_path(name, path), NULL, 0, NULL};
    return try_input(&input, options, report);
}

kiln_bake_status case_try_text(const char *text, const kiln_bake_options *options,
                               kiln_bake_report *report)
{
    const kiln_bake_input input = text_input(text);
    return try_input(&input, options, report);
}

bool case_warns(const kiln_bake_report *report, const char *word)
{
    for (uint32_t i = 0; i < report->warning_count; i++) {
        if (strstr(report->warnings[i], word) != NULL) {
            return true;
        }
    }
    return false;
}

/* build/CONFIG/models/hard_big, seen from build/CONFIG/tests/cases. */
static void find_generator(char path[CASE_PATH_SIZE])
{
    const char *program = "models/hard_big";
    const ssize_t length = readlink("/proc/self/exe", path, CASE_PATH_SIZE - 64);
    assert_true(length > 0);
    path[length] = '\0';
    char *tests = strstr(path, "/tests/cases/");
    assert_non_null(tests);
    (void)strcpy(tests + 1, program);
}

void case_make_big(unsigned faces)
{
    char generator[CASE_PATH_SIZE], folder[CASE_PATH_SIZE], count[16];
    int status = -1;
    find_generator(generator);
    (void)case_temporary("big", folder);
    (void)snprintf(count, sizeof count, "%u", faces);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)execl(generator, generator, folder, "--n", count, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) {
        fail_msg("%s ended with status %d; has it been built by 'make models'?", generator, status);
    }
}

kiln_pose case_at(double x, double y, double z)
{
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

static void expect_one(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                       const kiln_pose *pose_b, bool hit, long pairs)
{
    kiln_hit found;
    size_t count;
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(kiln_collide(a, pose_a, b, pose_b, NULL, &found), KILN_OK);
    assert_int_equal(found.found, hit);
    assert_int_equal(kiln_contacts(a, pose_a, b, pose_b, NULL, NULL, 0, &count), KILN_OK);
    assert_int_equal(count > 0, hit);
    if (pairs >= 0) {
        assert_int_equal(count, pairs);
    }
}

void case_expect(const case_model *a, const kiln_pose *pose_a, const case_model *b,
                 const kiln_pose *pose_b, bool hit, long pairs)
{
    for (int i = 0; i < CASE_KINDS; i++) {
        for (int j = 0; j < CASE_KINDS; j++) {
            expect_one(a->trees[i], pose_a, b->trees[j], pose_b, hit, pairs);
            expect_one(b->trees[j], pose_b, a->trees[i], pose_a, hit, pairs);
        }
    }
}
