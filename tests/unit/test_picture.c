/* Pictures of trees for viewers: as many volumes as the tree has, around the triangles below them,
 * closed surfaces facing outward; the mesh in the order of its ids with the bits of the file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../../runtime/base/tree.h"
#include "../../tools/export/writers.h"
#include "../support/quick_bake.h"

static const char *const kinds[] = {KILN_NODE_KINDS(QUICK_KIND_NAME, QUICK_KIND_NAME)};

typedef struct {
    uint32_t at_level[KILN_PICTURE_LEVELS], leaves;
} census;

static kiln_visit take(void *user, const kiln_tree_volume *volume)
{
    census *all = user;
    all->at_level[volume->depth]++;
    all->leaves += volume->leaf;
    return KILN_VISIT_CHILDREN;
}

static const kiln_picture_choice everything = {.levels = true, .level = -1, .mesh = true};

/* Six times the volume that triangles enclose. */
static double enclosed(const kiln_picture *p, size_t first, size_t count, size_t base)
{
    double sum = 0;
    for (size_t t = first; t < first + count; t++) {
        const float *a = p->vertices[base + p->triangles[t][0]];
        const float *b = p->vertices[base + p->triangles[t][1]];
        const float *c = p->vertices[base + p->triangles[t][2]];
        double m[3][3];
        for (int k = 0; k < 3; k++) {
            m[0][k] = (double)a[k];
            m[1][k] = (double)b[k];
            m[2][k] = (double)c[k];
        }
        sum += m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
               m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    }
    return sum;
}

static void pictures_have_what_the_tree_has(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        quick_model model = quick_model_of(mesh_torus(14, 9, 0.1), kinds[k], 3);
        const kiln_tree *tree = kiln_file_tree(model.file, 0);
        census all;
        memset(&all, 0, sizeof all);
        assert_int_equal(kiln_tree_visit(tree, take, &all), KILN_OK);
        kiln_picture p;
        assert_true(kiln_picture_make(&tree->file->view, 0, &everything, NULL, NULL, &p));
        size_t number = 0;
        assert_int_equal(p.level_count, kiln_tree_get_info(tree).depth + 1);
        for (uint32_t i = 0; i < p.level_count; i++) {
            const kiln_picture_level *level = &p.levels[i];
            size_t at = level->triangle_first;
            assert_int_equal(level->volumes, all.at_level[i]);
            for (uint32_t v = 0; v < level->volumes; v++, number++) {
                const kiln_picture_volume *volume = &p.volumes[number];
                assert_int_equal(volume->level, i);
                assert_true(volume->triangles > 0);
                const double six = enclosed(&p, at, volume->triangle_count, level->vertex_first);
                assert_true(six >= -1e-9);
                /* of a ball, by its greatest extent, which is a vertex of an icosahedron or more */
                assert_true(strcmp(kinds[k], "sphere") != 0 || i == 0 || six > 1e-6);
                at += volume->triangle_count;
            }
            assert_int_equal(at, level->triangle_first + level->triangle_count);
            for (size_t t = level->triangle_first; t < at; t++) {
                for (int c = 0; c < 3; c++) {
                    assert_true(p.triangles[t][c] < level->vertex_count);
                }
            }
        }
        assert_int_equal(number, p.volume_count);
        /* the box of the whole tree */
        assert_true(enclosed(&p, 0, 12, 0) > 1);
        assert_int_equal(p.volumes[0].triangles, tree->view.slots);
        kiln_picture_free(&p);
        const kiln_picture_choice leaves = {.level = -1, .leaves = true};
        assert_true(kiln_picture_make(&tree->file->view, 0, &leaves, NULL, NULL, &p));
        assert_int_equal(p.volume_count, all.leaves);
        assert_int_equal(p.level_count, 1);
        assert_string_equal(p.levels[0].name, "leaves");
        assert_true(p.mesh_triangle_count == 0 && p.mesh_vertices == NULL);
        kiln_picture_free(&p);
        quick_model_free(&model);
    }
}

/* Of a binary tree every leaf's own triangles lie within the vertices of its picture. */
static void boxes_are_around_their_triangles(void **unused)
{
    (void)unused;
    static const char *const some[] = {"aabb", "obb", "dop26", "obb2"};
    for (size_t k = 0; k < sizeof some / sizeof some[0]; k++) {
        quick_model model = quick_model_of(mesh_box(-1, -2, -3, 4, 5, 6), some[k], 12);
        const kiln_tree *tree = kiln_file_tree(model.file, 0);
        const kiln_picture_choice leaves = {.level = -1, .leaves = true, .mesh = true};
        kiln_picture p;
        assert_true(kiln_picture_make(&tree->file->view, 0, &leaves, NULL, NULL, &p));
        assert_int_equal(p.volume_count, 1);
        for (int axis = 0; axis < 3; axis++) {
            float least = HUGE_VALF, most = -HUGE_VALF;
            for (size_t v = 0; v < p.vertex_count; v++) {
                least = fminf(least, p.vertices[v][axis]);
                most = fmaxf(most, p.vertices[v][axis]);
            }
            assert_true(least <= -1 - (float)axis + 0.01f && least >= -1.2f - (float)axis);
            assert_true(most >= 4 + (float)axis - 0.01f && most <= 4.2f + (float)axis);
        }
        kiln_picture_free(&p);
        quick_model_free(&model);
    }
}

static void the_mesh_is_in_the_order_of_ids(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    void *bytes = NULL;
    mesh m = mesh_lattice(&state, 200, 4);
    kiln_file *file = quick_open(&m, "obb,octree", 4, KILN_LAYOUT_RAW, &bytes);
    for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
        const kiln_tree *tree = kiln_file_tree(file, i);
        kiln_picture p;
        assert_true(kiln_picture_make(&tree->file->view, i, &everything, NULL, NULL, &p));
        assert_int_equal(p.mesh_triangle_count, kiln_tree_get_info(tree).triangle_count);
        uint32_t used = 0;
        for (size_t t = 0; t < p.mesh_triangle_count; t++) {
            float corners[3][3];
            assert_true(t == 0 || p.ids[t] > p.ids[t - 1]);
            assert_int_equal(kiln_tree_corners(tree, p.ids[t], corners), KILN_OK);
            for (int c = 0; c < 3; c++) {
                const uint32_t vertex = p.mesh_triangles[t][c];
                assert_memory_equal(p.mesh_vertices[vertex], corners[c], sizeof corners[c]);
                assert_true(vertex <= used);
                used = vertex == used ? used + 1 : used;
            }
        }
        assert_int_equal(used, p.mesh_vertex_count);
        size_t runs = 0;
        for (size_t r = 0; r < p.run_count; r++) {
            assert_int_equal(p.runs[r].first, runs);
            runs += p.runs[r].count;
        }
        assert_int_equal(runs, p.mesh_triangle_count);
        kiln_picture_free(&p);
    }
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

static bool end_at_once(void *user, const char *stage, double part)
{
    assert_true(stage != NULL && part >= 0 && part <= 1);
    ++*(int *)user;
    return false;
}

static void callers_may_end_it(void **unused)
{
    (void)unused;
    quick_model model = quick_model_of(mesh_torus(40, 30, 0.1), "obb", 1);
    const kiln_tree *tree = kiln_file_tree(model.file, 0);
    kiln_picture p;
    int calls = 0;
    assert_false(kiln_picture_make(&tree->file->view, 0, &everything, end_at_once, &calls, &p));
    assert_int_equal(calls, 1);
    assert_null(p.vertices);
    quick_model_free(&model);
}

static void formats_by_suffix(void **unused)
{
    (void)unused;
    assert_string_equal(kiln_export_format_of("a.glb")->suffix, "glb");
    assert_string_equal(kiln_export_format_of("a.b.PLY")->suffix, "ply");
    assert_string_equal(kiln_export_format_of("x/.b.Obj")->suffix, "obj");
    static const char *const none[] = {"", "glb", ".glb", "a.gltf", "a.glb2", "a.stl", "aglb", "-"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_null(kiln_export_format_of(none[i]));
    }
    quick_model model = quick_model_of(mesh_torus(5, 4, 0.1), "obb", 4);
    const kiln_tree *tree = kiln_file_tree(model.file, 0);
    kiln_picture p;
    assert_true(kiln_picture_make(&tree->file->view, 0, &everything, NULL, NULL, &p));
    for (int i = 0; i < KILN_EXPORT_FORMATS; i++) {
        kiln_bytes bytes = {0};
        assert_null(kiln_export_formats[i].write(&p, &bytes));
        assert_false(bytes.failed);
        assert_true(kiln_export_is_own(bytes.data, bytes.size));
        assert_false(kiln_export_is_own(bytes.data, 10));
        free(bytes.data);
    }
    kiln_picture_free(&p);
    quick_model_free(&model);
}

/* Each triangle has another value than its neighbours, and most values are of two triangles. */
static void every_value_has_one_material(void **unused)
{
    (void)unused;
    enum { VALUES = 6000 };
    static const kiln_picture_choice mesh_only = {.level = -1, .mesh = true};
    quick_model model = quick_model_of(mesh_torus(100, 50, 0.1), "aabb", 4);
    const kiln_tree *tree = kiln_file_tree(model.file, 0);
    kiln_picture p;
    assert_true(kiln_picture_make(&tree->file->view, 0, &mesh_only, NULL, NULL, &p));
    assert_int_equal(p.mesh_triangle_count, 10000);
    free(p.runs);
    p.runs = calloc(p.mesh_triangle_count, sizeof *p.runs);
    assert_non_null(p.runs);
    p.run_count = p.mesh_triangle_count;
    for (uint32_t i = 0; i < p.run_count; i++) {
        const uint32_t value = 1 + i % VALUES; /* some far apart, some side by side */
        p.runs[i] = (kiln_picture_run){0, i % 2 == 0 ? value << 16 : value, i, 1};
    }
    kiln_bytes bytes = {0};
    assert_null(kiln_write_glb(&p, &bytes));
    assert_false(bytes.failed);
    uint32_t size;
    memcpy(&size, (const char *)bytes.data + 12, sizeof size);
    json_t *root = json_loadb((const char *)bytes.data + 20, size, 0, NULL);
    const json_t *materials = json_object_get(root, "materials");
    const json_t *first = json_array_get(json_object_get(root, "meshes"), 0);
    const json_t *primitives = json_object_get(first, "primitives");
    assert_int_equal(json_array_size(materials), VALUES);
    assert_int_equal(json_array_size(primitives), p.run_count);
    for (uint32_t i = 0; i < p.run_count; i++) {
        const json_t *primitive = json_array_get(primitives, i);
        const json_int_t number = json_integer_value(json_object_get(primitive, "material"));
        const json_t *material = json_array_get(materials, (size_t)number);
        assert_int_equal(
            json_integer_value(json_object_get(json_object_get(material, "extras"), "user")),
            p.runs[i].value);
    }
    json_decref(root);
    free(bytes.data);
    kiln_picture_free(&p);
    quick_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_have_what_the_tree_has),
        cmocka_unit_test(boxes_are_around_their_triangles),
        cmocka_unit_test(the_mesh_is_in_the_order_of_ids),
        cmocka_unit_test(callers_may_end_it),
        cmocka_unit_test(formats_by_suffix),
        cmocka_unit_test(every_value_has_one_material),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
