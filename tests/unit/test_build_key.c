/* The build key of a kiln of other versions: the function is compiled here once more, with
 * versions that a test can change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "../../formats/format.h"
#include "../../runtime/kiln.h"
#include "../../tools/bake/bake_meta.h"
#include "../../tools/import/program.h"

static const char *version_of_kiln, *version_of_importer, *version_of_zlib;
static uint32_t format_major, format_minor;
static char found[KILN_LIBRARY_VERSION_SIZE];

void other_key(const kiln_bake_input *input, const kiln_bake_options *options, const char *format,
               const uint8_t source_hash[32], const kiln_weights_rows *weights,
               const uint8_t *choice, uint8_t key[16]);
char *other_document(const kiln_bake_input *input, const kiln_bake_options *options,
                     const kiln_soup *soup, const kiln_build_tree *trees, uint32_t group_count,
                     const kiln_build_kind *const *kinds, uint32_t kind_count, bool chosen);

static void begin(void)
{
    version_of_kiln = KILN_VERSION_STRING;
    kiln_importer_library(NULL, "3ds", found);
    version_of_importer = found;
    version_of_zlib = zlibVersion();
    format_major = KILN_FORMAT_MAJOR;
    format_minor = KILN_FORMAT_MINOR;
}

#undef KILN_VERSION_STRING
#undef KILN_FORMAT_MAJOR
#undef KILN_FORMAT_MINOR
#define KILN_VERSION_STRING version_of_kiln
#define KILN_FORMAT_MAJOR format_major
#define KILN_FORMAT_MINOR format_minor
#define kiln_importer_library(importer, format, version)                                           \
    (void)snprintf(version, sizeof version, "%s", version_of_importer)
#define zlibVersion() version_of_zlib
#define kiln_bake_meta_key other_key
#define kiln_bake_meta_document other_document
#include "../../tools/bake/bake_meta.c"
#undef kiln_bake_meta_key

static const uint8_t hash[32] = {1, 2, 3};
static const kiln_bake_input input = {"a/model.3ds", NULL, 0, NULL};

static void key_here(uint8_t key[16])
{
    const kiln_weights_rows none = {.count = 0};
    const kiln_bake_options options = kiln_bake_options_default();
    other_key(&input, &options, "3ds", hash, &none, NULL, key);
}

static void key_of_the_library(uint8_t key[16])
{
    const kiln_weights_rows none = {.count = 0};
    const kiln_bake_options options = kiln_bake_options_default();
    kiln_bake_meta_key(&input, &options, "3ds", hash, &none, NULL, key);
}

static void expect_same(bool same)
{
    uint8_t here[16], library[16];
    key_here(here);
    key_of_the_library(library);
    assert_int_equal(memcmp(here, library, sizeof here) == 0, same);
}

static void each_version_counts(void **state)
{
    (void)state;
    begin();
    expect_same(true);
    version_of_kiln = "0.0.9";
    expect_same(false);
    begin();
    version_of_importer = "4.9.9";
    expect_same(false);
    begin();
    version_of_zlib = "1.1.9";
    expect_same(false);
    begin();
    format_major++;
    expect_same(false);
    begin();
    format_minor++;
    expect_same(false);
    begin();
    expect_same(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_version_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
