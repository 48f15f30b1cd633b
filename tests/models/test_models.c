/* Every file of Debian's assimp-testmodels, models or not: baked, or refused with one line that
 * says why, within 2 GiB; what is baked passes verify. expected.txt has the exit
 * status of each, so that a change shows. KILN_TEST_QUICK takes every eighth. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "survey.h"
#include "../support/amount.h"

#define FOLDER "/usr/share/assimp/models"

enum { WORKERS = 2, REASONS_MAX = 512, PATH_SIZE = 4096 };
#define PEAK_KIB_MAX (2L << 20)

static survey all;

static size_t step(void)
{
    return is_shortened() ? 8 : 1;
}

/* build/kiln of build/release/tests/models/test_models, build/CONFIG/kiln of other builds. */
static void find_kiln(char path[PATH_SIZE])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 8);
    assert_true(length > 0);
    path[length] = '\0';
    char *end = strstr(path, "/tests/models/");
    assert_non_null(end);
    *end = '\0';
    char *config = strrchr(path, '/');
    assert_non_null(config);
    (void)strcpy(strcmp(config, "/release") == 0 ? config : end, "/kiln");
}

static int bake_everything(void **state)
{
    (void)state;
    char kiln[PATH_SIZE];
    const char *scratch = getenv("TMPDIR");
    find_kiln(kiln);
    if (access(FOLDER, R_OK) != 0) {
        return 0;
    }
    all = survey_run(kiln, FOLDER, scratch != NULL ? scratch : "/tmp", WORKERS, step());
    return 0;
}

static int release(void **state)
{
    (void)state;
    if (all.rows != NULL) {
        survey_free(&all);
    }
    return 0;
}

static void skip_if_missing(void)
{
    if (all.rows == NULL) {
        print_message("skipped: no " FOLDER " (package assimp-testmodels)\n");
        skip();
    }
}

/* ------------------------------------------------------------------------------------ counts -- */

typedef struct {
    char text[SURVEY_MESSAGE_SIZE];
    int count;
} reason;

/* Up to the first semicolon, with N for numbers and ... for what is quoted, so that like reasons
 * are one. */
static void summarise(const char *message, char *out)
{
    while (*message != '\0' && *message != ';' && *message != '(') {
        const size_t digits = strspn(message, "0123456789");
        if (digits > 0) {
            *out++ = 'N';
            message += digits;
            continue;
        }
        const char *close = *message == '"' ? strchr(message + 1, '"') : NULL;
        if (close != NULL && close > message + 4) {
            out += sprintf(out, "\"...\"");
            message = close + 1;
            continue;
        }
        *out++ = *message++;
    }
    *out = '\0';
}

static int compare_reasons(const void *p, const void *q)
{
    const reason *a = p, *b = q;
    return a->count != b->count ? b->count - a->count : strcmp(a->text, b->text);
}

static void print_reasons(void)
{
    static reason reasons[REASONS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < all.count; i++) {
        char text[SURVEY_MESSAGE_SIZE];
        size_t at = 0;
        if (all.rows[i].status == 0) {
            continue;
        }
        summarise(all.rows[i].message, text);
        while (at < count && strcmp(reasons[at].text, text) != 0) {
            at++;
        }
        assert_true(at < REASONS_MAX);
        (void)strcpy(reasons[at].text, text);
        reasons[at].count++;
        count += at == count;
    }
    qsort(reasons, count, sizeof reasons[0], compare_reasons);
    for (size_t i = 0; i < count; i++) {
        print_message("  %4d  %s\n", reasons[i].count, reasons[i].text);
    }
}

static int count_status(int status)
{
    int count = 0;
    for (size_t i = 0; i < all.count; i++) {
        count += all.rows[i].status == status;
    }
    return count;
}

static void test_counts(void **state)
{
    (void)state;
    skip_if_missing();
    const survey_row *slowest = all.rows, *largest = all.rows;
    for (size_t i = 0; i < all.count; i++) {
        slowest = all.rows[i].seconds > slowest->seconds ? &all.rows[i] : slowest;
        largest = all.rows[i].peak_kib > largest->peak_kib ? &all.rows[i] : largest;
    }
    print_message(
        "%zu files: %d baked; refused: %d invalid (3), %d failed (4), %d unsupported (5)\n",
        all.count, count_status(0), count_status(3), count_status(4), count_status(5));
    print_reasons();
    print_message("slowest: %.1f s, %s\n", slowest->seconds, slowest->path);
    print_message("most memory: %ld MiB, %s\n", largest->peak_kib >> 10, largest->path);
    assert_true(count_status(0) > 0);
}

/* ------------------------------------------------------------------------------------ checks -- */

static void test_each_ends_well(void **state)
{
    (void)state;
    skip_if_missing();
    int bad = 0;
    for (size_t i = 0; i < all.count; i++) {
        const survey_row *row = &all.rows[i];
        const int sound = row->status == 0 ? row->verified == 0 && row->errors == 0
                                           : row->status >= 3 && row->status <= 5 &&
                                                 row->errors == 1 && row->message[0] != '\0';
        if (!sound || row->peak_kib > PEAK_KIB_MAX) {
            print_message("%s: bake %d, verify %d, %d errors, %.1f s, %ld MiB: %s\n", row->path,
                          row->status, row->verified, row->errors, row->seconds,
                          row->peak_kib >> 10, row->message);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

static void test_statuses_are_as_recorded(void **state)
{
    (void)state;
    skip_if_missing();
    char line[4096];
    size_t at = 0, number = 0;
    int changes = 0;
    FILE *list = fopen("tests/models/expected.txt", "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list) != NULL && at < all.count) {
        if (number++ % step() != 0) {
            continue;
        }
        const int status = atoi(line);
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(strchr(line, ' ') + 1, all.rows[at].path) != 0) {
            print_message("expected '%s', found '%s': another version of assimp-testmodels?\n",
                          strchr(line, ' ') + 1, all.rows[at].path);
            break;
        }
        if (status != all.rows[at].status) {
            print_message("%s: %d, was %d: %s\n", all.rows[at].path, all.rows[at].status, status,
                          all.rows[at].message);
            changes++;
        }
        at++;
    }
    assert_int_equal(fclose(list), 0);
    assert_int_equal(at, all.count);
    assert_int_equal(changes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_each_ends_well),
        cmocka_unit_test(test_statuses_are_as_recorded),
    };
    return cmocka_run_group_tests(tests, bake_everything, release);
}
