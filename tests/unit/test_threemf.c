/* The reader of 3MF: materials of faces, and models with many parts of one kind, each of which
 * takes minutes where something is looked for among all of them again and again. What small models
 * come to is in tests/cases/import. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/import/import.h"
#include "../support/stored_archive.h"

#define CORE "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"

/* A model and the part that names it. For free(). */
static char *pack(const char *model, size_t length, size_t *size)
{
    const stored_file files[] = {{"_rels/.rels", stored_relations, strlen(stored_relations)},
                                 {"m", model, length}};

    return stored_archive(files, 2, size);
}

/* -- models -- */

typedef struct {
    const char *about;
    int groups, triangles, elements, long_name;
    int others; /* components that are not to be made, of an object that is one as often */
} many;

static void write_model(const many *of, FILE *to)
{
    (void)fputs("<model xmlns='" CORE "' xmlns:v='urn:v", to);
    for (int i = 0; i < of->long_name; i++)
        (void)fputc('v', to);
    (void)fputs("'><resources>", to);
    for (int i = 0; i < of->groups; i++)
        (void)fprintf(to, "<basematerials id='%d'><base name='a'/></basematerials>", i + 2);
    for (int i = 0; i < of->elements; i++)
        (void)fputs("<v:x/>", to);
    (void)fputs("<object id='1'><mesh><vertices><vertex x='0' y='0' z='0'/><vertex x='1' y='0' "
                "z='0'/><vertex x='0' y='1' z='0'/></vertices><triangles>",
                to);
    /* The last of the groups and the first. */
    for (int i = 0; i < of->triangles; i++)
        (void)fprintf(to, "<triangle v1='0' v2='1' v3='2' pid='%d' p1='0'/>",
                      i % 2 == 0 ? of->groups + 1 : 2);
    (void)fputs("</triangles></mesh></object>", to);
    if (of->others > 0) {
        (void)fputs(
            "<object id='1000000' type='other'><mesh><vertices/><triangles/></mesh></object>"
            "<object id='1000001'><components>",
            to);
        for (int i = 0; i < of->others; i++)
            (void)fputs("<component objectid='1000000'/>", to);
        (void)fputs("</components></object><object id='1000002'><components>", to);
        for (int i = 0; i < of->others; i++)
            (void)fputs("<component objectid='1000001'/>", to);
        (void)fputs("</components></object>", to);
    }
    (void)fprintf(to, "</resources><build><item objectid='1'/>%s</build></model>",
                  of->others > 0 ? "<item objectid='1000002'/>" : "");
}

static void many_of_a_kind_are_quick(void **state)
{
    static const many models[] = {
        {"groups of materials", 100000, 400000, 0, 0, 0},
        {"elements of a namespace with a long name", 1, 1, 200000, 2000000, 0},
        {"components that are not to be made", 1, 1, 0, 0, 200000},
    };
    const kiln_bake_options options = {
        .struct_size = sizeof options, .leaf = 4, .scale = 1, .up = -1, .import_seconds = 60};

    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        const many *of = &models[i];
        char *text = NULL, *archive;
        size_t length = 0;
        FILE *to = open_memstream(&text, &length);
        kiln_bake_report report = {0};
        kiln_bake_input input = {.format = "3mf"};
        kiln_soup soup;

        assert_non_null(to);
        write_model(of, to);
        assert_int_equal(fclose(to), 0);
        archive = pack(text, length, &input.size);
        input.data = archive;
        kiln_bake_status status = kiln_import(&input, &options, &soup, &report);
        free(archive);
        free(text);
        if (of->others > 0) {
            assert_int_equal(status, KILN_BAKE_UNSUPPORTED);
            assert_non_null(strstr(report.error, "more than 16777216 components in all"));
            kiln_bake_report_free(&report);
            continue;
        }
        if (status != KILN_BAKE_OK)
            fail_msg("%s: %s", of->about, report.error);
        assert_int_equal(soup.triangle_count, of->triangles);
        assert_int_equal(soup.user[0], of->groups);
        if (of->triangles > 1)
            assert_int_equal(soup.user[1], 1);
        kiln_soup_free(&soup);
        kiln_bake_report_free(&report);
    }
}

/* The material of a face is that of its triangle, by the triangle's group or the object's, or else
 * that of the object. */
static void materials_are_those_of_triangles(void **state)
{
    static const char text[] =
        "<model xmlns='" CORE "'><resources><basematerials id='8'><base name='a'/><base name='b'/>"
        "</basematerials><basematerials id='9'><base name='c'/></basematerials>"
        "<object id='1' pid='8' pindex='1'><mesh><vertices><vertex x='0' y='0' z='0'/>"
        "<vertex x='1' y='0' z='0'/><vertex x='0' y='1' z='0'/></vertices><triangles>"
        "<triangle v1='0' v2='1' v3='2'/><triangle v1='0' v2='1' v3='2' p1='0'/>"
        "<triangle v1='0' v2='1' v3='2' pid='9' p1='0'/><triangle v1='0' v2='1' v3='2' pid='9'/>"
        "<triangle v1='0' v2='1' v3='2' p1='7'/></triangles></mesh></object></resources>"
        "<build><item objectid='1'/></build></model>";
    static const uint32_t expected[] = {2, 1, 3, 2, 2};
    const kiln_bake_options options = {
        .struct_size = sizeof options, .leaf = 4, .scale = 1, .up = -1, .import_seconds = 1000};
    kiln_bake_input input = {.format = "3mf"};
    char *archive = pack(text, sizeof text - 1, &input.size);
    kiln_bake_report report = {0};
    kiln_soup soup;

    (void)state;
    input.data = archive;
    assert_int_equal(kiln_import(&input, &options, &soup, &report), KILN_BAKE_OK);
    assert_int_equal(soup.triangle_count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(soup.user[i], expected[i]);
    assert_string_equal(soup.strings + soup.materials[3], "c");
    kiln_soup_free(&soup);
    kiln_bake_report_free(&report);
    free(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(materials_are_those_of_triangles),
                                       cmocka_unit_test(many_of_a_kind_are_quick)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
