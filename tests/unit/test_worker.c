/* A worker's messages come from another process, which may be damaged by what it read: whatever it
 * sends, the parent ends the conversation with an error, and gives back what was lent. */
#include "../../tools/cmd/batch/worker.c"
#include "../../tools/cmd/kit/signals.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
#include <cmocka.h>

/* Places of the test's thread pool: how many are lent. */
static unsigned held;

static unsigned take_place(void *user, unsigned most)
{
    (void)user;
    held += most > 0;
    return most > 0;
}

static void give_places(void *user, unsigned count)
{
    (void)user;
    held -= count;
}

static bool ignore_step(void *user, const char *stage, double part)
{
    (void)part;
    *(size_t *)user = strlen(stage);
    return true;
}

/* The worker's end of the pair, which is the only socket that it has. */
static int find_socket(void)
{
    struct stat facts;
    for (int i = 3; i < 1024; i++) {
        if (fstat(i, &facts) == 0 && S_ISSOCK(facts.st_mode)) {
            return i;
        }
    }
    return -1;
}

/* A bake that sends some messages of its own and then waits to be ended. */
static void send_nonsense(void *user, const baking_steps *steps, baked *out)
{
    const int socket = find_socket();
    (void)steps;
    (void)out;
    (void)put(socket, user, sizeof(message));
    for (;;) {
        pause();
    }
}

static void run(message *sent, baked *out)
{
    size_t length = 0;
    const kiln_helpers helpers = {take_place, give_places, NULL};
    const worker_task task = {send_nonsense, sent, "mesh.stl", {ignore_step, &length}, &helpers};
    held = 0;
    worker_run(&task, out);
    assert_int_equal(held, 0);
}

/* The process is ended, so that the test returns at all. */
static void test_places_that_were_never_lent(void **state)
{
    (void)state;
    message sent = {.of = GIVE, .number = 3};
    baked out;
    run(&sent, &out);
    assert_int_equal(out.status, EXIT_RUN);
    assert_non_null(strstr(out.report.error, "mesh.stl: "));
    assert_non_null(strstr(out.report.error, "makes no sense"));
}

static void test_a_word_that_nobody_knows(void **state)
{
    (void)state;
    message sent = {.of = (word)77};
    baked out;
    run(&sent, &out);
    assert_int_equal(out.status, EXIT_RUN);
    assert_non_null(strstr(out.report.error, "makes no sense"));
}

/* A stage without its end, and then the end of the process. */
static void send_long_stage(void *user, const baking_steps *steps, baked *out)
{
    message m = {.of = STEP};
    (void)user;
    (void)steps;
    (void)out;
    memset(m.stage, 'x', sizeof m.stage);
    (void)put(find_socket(), &m, sizeof m);
    _exit(0);
}

static void test_a_stage_without_an_end(void **state)
{
    (void)state;
    size_t length = 0;
    const kiln_helpers helpers = {take_place, give_places, NULL};
    const worker_task task = {send_long_stage, NULL, "mesh.stl", {ignore_step, &length}, &helpers};
    baked out;
    worker_run(&task, &out);
    assert_int_equal(length, sizeof((message *)0)->stage - 1);
    assert_int_equal(out.status, EXIT_RUN);
    assert_non_null(strstr(out.report.error, "was ended"));
}

/* A bake that is as it should be: its report arrives, texts included. */
static void warn(void *user, const baking_steps *steps, baked *out)
{
    (void)user;
    (void)steps->step(steps->user, "write", 1);
    out->report.warnings = calloc(1, sizeof *out->report.warnings);
    out->report.warnings[0] = strdup("some faces were flat");
    out->report.warning_count = 1;
}

static void test_a_report_arrives(void **state)
{
    (void)state;
    size_t length = 0;
    const kiln_helpers helpers = {take_place, give_places, NULL};
    const worker_task task = {warn, NULL, "mesh.stl", {ignore_step, &length}, &helpers};
    baked out;
    worker_run(&task, &out);
    assert_int_equal(out.status, EXIT_DONE);
    assert_int_equal(length, strlen("write"));
    assert_int_equal(out.report.warning_count, 1);
    assert_string_equal(out.report.warnings[0], "some faces were flat");
    kiln_bake_report_free(&out.report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_that_were_never_lent),
        cmocka_unit_test(test_a_word_that_nobody_knows),
        cmocka_unit_test(test_a_stage_without_an_end),
        cmocka_unit_test(test_a_report_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
