/* The reader of Collada: models with many parts of one kind, each of which takes minutes where
 * something is looked for among all of them again and again. What small models come to is in
 * tests/cases/collada. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "../../tools/import/import.h"

typedef struct {
    const char *about;
    int primitives; /* of one triangle each */
    int sources;    /* before the vertices of the mesh */
    int vertices;
    int equal_ids;                 /* of nodes, that the mesh has, too */
    bool materials;                /* one for each primitive */
    int skeletons, joints, others; /* of a skin; nodes of the joints' name */
} many;

static void repeat(FILE *to, int count, const char *text)
{
    for (int i = 0; i < count; i++)
        (void)fputs(text, to);
}

/* A source of equal values, and one of names. */
static void write_source(FILE *to, const char *tag, const char *id, int count, int width,
                         const char *value)
{
    (void)fprintf(to, "<source id='%s'><%s id='%s-a' count='%d'>", id, tag, id, count * width);
    repeat(to, count, value);
    (void)fprintf(to, "</%s><technique_common><accessor source='#%s-a' count='%d' stride='%d'>",
                  tag, id, count, width);
    (void)fprintf(to, "<param name='A' type='%s'/></accessor></technique_common></source>",
                  width == 16  ? "float4x4"
                  : width == 3 ? "float3"
                               : "float");
}

static void write_skin(FILE *to, const many *of)
{
    (void)fputs("<library_controllers><controller id='k'><skin source='#g'>", to);
    write_source(to, "Name_array", "j", of->joints, 1, "j ");
    write_source(to, "float_array", "m", of->joints, 16, "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 ");
    write_source(to, "float_array", "w", 1, 1, "1 ");
    (void)fprintf(to,
                  "<joints><input semantic='JOINT' source='#j'/><input semantic='INV_BIND_MATRIX' "
                  "source='#m'/></joints><vertex_weights count='%d'><input semantic='JOINT' "
                  "source='#j' offset='0'/><input semantic='WEIGHT' source='#w' "
                  "offset='0'/><vcount>",
                  of->vertices);
    repeat(to, of->vertices, "1 ");
    (void)fputs("</vcount><v>", to);
    repeat(to, of->vertices, "0 ");
    (void)fputs("</v></vertex_weights></skin></controller></library_controllers>", to);
}

static void write_model(FILE *to, const many *of)
{
    (void)fputs("<COLLADA version='1.4.1'><library_geometries><geometry id='g'><mesh>", to);
    repeat(to, of->sources, "<source/>");
    write_source(to, "float_array", "p", of->vertices, 3, "0 0 1 ");
    (void)fputs("<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>", to);
    for (int i = 0; i < of->primitives; i++)
        (void)fprintf(to,
                      "<triangles material='m%d' count='1'><input semantic='VERTEX' source='#v' "
                      "offset='0'/><p>0 1 2</p></triangles>",
                      i);
    (void)fputs("</mesh></geometry></library_geometries>", to);
    if (of->joints > 0)
        write_skin(to, of);
    (void)fputs("<library_visual_scenes><visual_scene id='s'><node sid='j' id='j'/><node>", to);
    for (int i = 0; i < of->others; i++)
        (void)fputs("<node sid='j'/>", to);
    for (int i = 0; i < of->equal_ids; i++)
        (void)fputs("<node id='g'><instance_node url='#j'/></node>", to);
    (void)fputs("</node><node>", to);
    if (of->joints > 0) {
        (void)fputs("<instance_controller url='#k'>", to);
        repeat(to, of->skeletons, "<skeleton>#j</skeleton><skeleton>#none</skeleton>");
        (void)fputs("</instance_controller>", to);
    } else {
        (void)fputs("<instance_geometry url='#g'><bind_material><technique_common>", to);
        for (int i = 0; i < of->primitives && of->materials; i++)
            (void)fprintf(to, "<instance_material symbol='m%d' target='#none'/>", i);
        (void)fputs("</technique_common></bind_material></instance_geometry>", to);
    }
    (void)fputs("</node></visual_scene></library_visual_scenes></COLLADA>", to);
}

static void many_of_a_kind_are_quick(void **state)
{
    static const many models[] = {
        {"primitives", 100000, 0, 3, 0, false, 0, 0, 0},
        {"primitives beside many sources", 50000, 100000, 3, 0, false, 0, 0, 0},
        {"primitives of few of many vertices", 50000, 0, 300000, 0, false, 0, 0, 0},
        {"materials", 60000, 0, 3, 0, true, 0, 0, 0},
        {"nodes of the mesh's id", 50000, 0, 3, 100000, false, 0, 0, 0},
        {"skeletons", 1, 0, 3, 0, false, 100000, 1, 100000},
        {"joints of one name", 1, 0, 3, 0, false, 1, 50000, 100000},
    };
    const kiln_bake_options options = {
        .struct_size = sizeof options, .leaf = 4, .scale = 1, .up = -1, .import_seconds = 60};

    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        const many *of = &models[i];
        char *text = NULL;
        kiln_bake_input input = {.format = "dae"};
        FILE *to = open_memstream(&text, &input.size);
        kiln_bake_report report = {0};
        kiln_soup soup;

        assert_non_null(to);
        write_model(to, of);
        assert_int_equal(fclose(to), 0);
        input.data = text;
        if (kiln_import(&input, &options, &soup, &report) != KILN_BAKE_OK)
            fail_msg("%s: %s", of->about, report.error);
        assert_int_equal(soup.triangle_count, of->primitives);
        kiln_soup_free(&soup);
        kiln_bake_report_free(&report);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_of_a_kind_are_quick)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
