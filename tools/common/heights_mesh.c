/* Height fields as meshes. Tools that compare, draw and measure triangles read arrays; only queries
 * have to do without them. */
#include "heights_mesh.h"

#include <stdlib.h>
#include <string.h>

bool kiln_heights_mesh_make(kiln_view *view, kiln_heights_mesh *mesh)
{
    const kiln_heights *h = view->heights;
    memset(mesh, 0, sizeof *mesh);
    if (h == NULL) {
        return true;
    }
    const uint32_t count = kiln_heights_triangles(h), columns = h->grid->columns;
    const size_t vertices = (size_t)columns * h->grid->rows;
    mesh->vertices = malloc(vertices * 3 * sizeof *mesh->vertices);
    mesh->triangles = malloc((size_t)count * 3 * sizeof *mesh->triangles);
    mesh->ids = malloc((size_t)count * sizeof *mesh->ids);
    if (mesh->vertices == NULL || mesh->triangles == NULL || mesh->ids == NULL ||
        vertices >= KILN_NO_INDEX) {
        kiln_heights_mesh_free(mesh);
        return false;
    }
    kiln_heights_place(h, mesh->vertices);
    uint32_t first = 0; /* a vertex that a triangle has */
    while (!kiln_heights_has(h, first)) {
        first += 2;
    }
    first = first / 2 / h->across * columns + first / 2 % h->across;
    for (uint32_t id = 0; id < count; id++) {
        uint32_t column[3], row[3];
        const bool there = kiln_heights_has(h, id);
        kiln_heights_corners(h, id, column, row);
        for (unsigned c = 0; c < 3; c++) {
            mesh->triangles[3 * (size_t)id + c] = there ? row[c] * columns + column[c] : first;
        }
        mesh->ids[id] = id;
    }
    view->vertices = mesh->vertices;
    view->triangles = mesh->triangles;
    view->ids = mesh->ids;
    view->vertex_count = (uint32_t)vertices;
    return true;
}

void kiln_heights_mesh_free(kiln_heights_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
    free(mesh->ids);
    memset(mesh, 0, sizeof *mesh);
}
