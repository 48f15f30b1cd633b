/* How well sphere trees fit, by construction: the comparison that lectures and papers on sphere
 * trees make (P. Hubbard 1996; G. Bradshaw and C. O'Sullivan 2004), in which balls about the medial
 * axis are about twice as efficient as those of an octree. For each mesh, construction and level:
 * balls, volume that they hold outside the object in volumes of the object, share of the surface
 * that they hold; then what is outside at equal numbers of balls, and seconds to build.
 *
 * The figures of fit are the same on every machine; seconds are not. */
#define _POSIX_C_SOURCE 200809L

#include "../support/quick_bake.h"
#include "../support/sphere_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MESHES = 3, POINTS = 100000, LEVELS = 4, WAYS = 4, AT = 3 };

static const char *const names[MESHES] = {"torus", "dented", "letter"};
static const char *const ways[WAYS] = {"least", "cover", "octree", "medial"};
static const double at[AT] = {32, 128, 512};

static mesh mesh_of(int m)
{
    return m == 0   ? mesh_of_shape("torus", 20000)
           : m == 1 ? mesh_torus(125, 80, 0.3)
                    : mesh_letter(24);
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    for (int m = 0; m < MESHES; m++) {
        mesh model = mesh_of(m);
        for (int way = 0; way < WAYS; way++) {
            kiln_bake_options options = kiln_bake_options_default();
            kiln_file *file;
            size_t size;
            options.bv = "sphere";
            options.spheres = (kiln_spheres_by)way;
            options.layout = KILN_LAYOUT_RAW;
            const double start = now();
            void *bytes = quick_bake_with(&model, &options, &size);
            const double seconds = now() - start;
            if (kiln_open_memory(bytes, size, NULL, &file) != KILN_OK) {
                abort();
            }
            const kiln_tree *tree = kiln_file_tree(file, 0);
            for (unsigned level = 1; level <= LEVELS; level++) {
                const sphere_fit fit = sphere_fit_of(tree, level, POINTS);
                (void)printf("%-6s %-7s level %u %6u balls, outside %7.3f, surface %.3f\n",
                             names[m], ways[way], level, fit.balls, fit.outside, fit.covered);
            }
            (void)printf("%-6s %-7s outside at", names[m], ways[way]);
            for (int i = 0; i < AT; i++) {
                (void)printf(" %.0f: %.3f", at[i], sphere_fit_outside(tree, at[i], POINTS));
            }
            (void)printf("; %.1f s\n", seconds);
            kiln_close(file);
            free(bytes);
        }
        mesh_free(&model);
    }
    return 0;
}
