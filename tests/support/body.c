/* See body.h. */
#include "body.h"

#include <stdlib.h>

body body_of(mesh m, int leaf, kiln_layout layout)
{
    body b;
    b.mesh = m;
    b.file = quick_open(&b.mesh, "obb,aabb,obb2,aabb2", leaf, layout, &b.bytes);
    for (int i = 0; i < BODY_KINDS; i++) {
        b.trees[i] = kiln_file_find(b.file, NULL, (unsigned)(KILN_BV_OBB + i));
        if (b.trees[i] == NULL) {
            abort();
        }
    }
    return b;
}

void body_free(body *b)
{
    kiln_close(b->file);
    free(b->bytes);
    mesh_free(&b->mesh);
}
