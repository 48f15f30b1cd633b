/* The write of an output by any verb looks once more, just before the rename, at what is there: a
 * file that came after the first look and that kiln could not have written stays as it is. Here
 * the file is there from the beginning, and only the write is called. */
#include "../../tools/cmd/kit/output.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static char said[1024];

int report_error(int status, const char *file, const char *format, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(said, sizeof said, "%.300s: %s", file != NULL ? file : "", text);
    return status;
}

static bool is_mine(const char *bytes, size_t size, bool whole)
{
    return whole && size >= 4 && memcmp(bytes, "mine", 4) == 0;
}

static const output_kind mine = {"file of the test", is_mine};
static char folder[512];

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void holds(const char *name, const char *text)
{
    size_t size = 0;
    bool whole = false;
    char *bytes = load_start(name, &size, &whole);
    assert_non_null(bytes);
    assert_string_equal(bytes, text);
    free(bytes);
}

static void own_files_are_replaced(void **state)
{
    static const char *const before[] = {NULL, "", "mine, the earlier"};
    (void)state;
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        unlink("out");
        if (before[i] != NULL) {
            put("out", before[i]);
        }
        assert_int_equal(output_write("out", &mine, "mine", 4), EXIT_DONE);
        holds("out", "mine");
    }
    put("target", "mine too");
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(output_write("link", &mine, "mine", 4), EXIT_DONE);
    holds("target", "mine");
}

static void foreign_files_stay(void **state)
{
    const output_kind *const kinds[] = {&mine, &output_kind_kiln};
    (void)state;
    put("notes", "dear diary");
    assert_int_equal(symlink("notes", "other"), 0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        static const char *const names[] = {"notes", "./notes", "other"};
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            said[0] = '\0';
            assert_int_equal(output_write(names[k], kinds[i], "mine", 4), EXIT_IO);
            assert_non_null(strstr(said, names[k]));
            assert_non_null(strstr(said, kinds[i]->what));
            assert_non_null(strstr(said, "nothing was written"));
            holds("notes", "dear diary");
        }
    }
}

static int begin(void **state)
{
    const char *scratch = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/output.XXXXXX", scratch != NULL ? scratch : "/tmp");
    return mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

/* No unfinished file is left: the folder is empty but for what the tests have put there. */
static int end(void **state)
{
    static const char *const names[] = {"out", "target", "link", "notes", "other"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unlink(names[i]);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_files_are_replaced),
        cmocka_unit_test(foreign_files_stay),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
