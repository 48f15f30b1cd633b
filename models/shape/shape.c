/* The table of models. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

const shape_kind shape_kinds[] = {
    {"torus", "a torus", shape_make_torus},
    {"knot", "a tube along a trefoil knot", shape_make_knot},
    {"car", "a body of double sheet with windows and wheel arches, floor, wheels, seats",
     shape_make_car},
    {"lock", "a door lock: plates, fork, pawl, bolts, springs, gears", shape_make_lock},
    {"pipes", "a set of bent hollow pipes with flanges", shape_make_pipes},
};
const unsigned shape_kind_count = sizeof shape_kinds / sizeof shape_kinds[0];

const shape_kind *shape_find(const char *name)
{
    for (unsigned i = 0; i < shape_kind_count; i++) {
        if (strcmp(shape_kinds[i].name, name) == 0) {
            return &shape_kinds[i];
        }
    }
    return NULL;
}

/* Parts have whole numbers of rows and columns, and some of their faces are cut out: what comes out
 * corrects what is asked for. */
shape_mesh shape_make(const shape_kind *kind, uint32_t triangles)
{
    enum { TRIES = 12 };
    double asked = triangles, best_asked = asked, best_error = 1e300;
    for (int i = 0; i <= TRIES; i++) {
        shape_mesh mesh = {NULL, NULL, 0, 0};
        kind->make(i < TRIES ? asked : best_asked, &mesh);
        const double made = mesh.triangle_count, wanted = triangles;
        const double error = made > wanted ? made - wanted : wanted - made;
        if (i == TRIES || error <= 0.002 * wanted) {
            return mesh;
        }
        if (error < best_error) {
            best_error = error;
            best_asked = asked;
        }
        asked *= 1 + 0.8 * (wanted / made - 1);
        shape_free(&mesh);
    }
    abort();
}

void shape_free(shape_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->indices);
    *mesh = (shape_mesh){NULL, NULL, 0, 0};
}
