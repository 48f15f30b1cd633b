/* Models of Collada, each made for one feature or one fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "case_table.h"

#define FOLDER "tests/cases/collada/"

static void test_each_as_expected(void **state)
{
    (void)state;
    case_table(FOLDER, 100);
}

static void test_page_names_each(void **state)
{
    static const char *const extensions[] = {".dae", NULL};
    (void)state;
    case_table_page(FOLDER, "tools/import/collada/README.md", extensions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_as_expected),
        cmocka_unit_test(test_page_names_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
