/* How well the constructions of sphere trees fit, on closed objects: the comparison of lectures and
 * papers, in which balls about the medial axis are about twice as efficient as an octree's. All
 * hold the whole surface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/quick_bake.h"
#include "../support/sphere_fit.h"

enum { POINTS = 20000, BALLS = 100 };

static kiln_file *open_by(const mesh *m, kiln_spheres_by by, void **bytes)
{
    kiln_bake_options options = kiln_bake_options_default();
    kiln_file *file;
    size_t size;
    options.bv = "sphere";
    options.spheres = by;
    options.layout = KILN_LAYOUT_RAW;
    *bytes = quick_bake_with(m, &options, &size);
    assert_int_equal(kiln_open_memory(*bytes, size, NULL, &file), KILN_OK);
    return file;
}

static void medial_balls_fit_twice_as_well_as_an_octrees(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        mesh m = i == 0 ? mesh_torus(30, 20, 0.3) : mesh_letter(8);
        double outside[KILN_SPHERES_MEDIAL + 1];
        for (unsigned by = KILN_SPHERES_LEAST; by <= KILN_SPHERES_MEDIAL; by++) {
            void *bytes;
            kiln_file *file = open_by(&m, (kiln_spheres_by)by, &bytes);
            const kiln_tree *tree = kiln_file_tree(file, 0);
            outside[by] = sphere_fit_outside(tree, BALLS, POINTS);
            for (unsigned level = 1; level <= 3; level++) {
                assert_true(sphere_fit_of(tree, level, POINTS).covered == 1);
            }
            kiln_close(file);
            free(bytes);
        }
        assert_true(2 * outside[KILN_SPHERES_MEDIAL] < outside[KILN_SPHERES_OCTREE]);
        assert_true(outside[KILN_SPHERES_MEDIAL] < outside[KILN_SPHERES_LEAST]);
        assert_true(outside[KILN_SPHERES_LEAST] < outside[KILN_SPHERES_COVER]);
        mesh_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medial_balls_fit_twice_as_well_as_an_octrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
