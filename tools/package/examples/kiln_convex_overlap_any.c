/* Which triangles does a tetrahedron meet? */
#include <kiln_shapes.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(ship, 0);
    const double corners[12] = {0.9, 0.5, 0.5, 1.5, 0.2, 0.5,
                                1.5, 0.8, 0.2, 1.5, 0.8, 0.8};
    const kiln_convex wedge = {corners, 4, 0};
    kiln_triangle_hit hits[16];
    size_t count;
    if (kiln_convex_overlap_all(tree, NULL, &wedge, NULL, NULL, hits,
                                16, &count) != KILN_OK)
        return 1;
    printf("%zu triangles\n", count);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     2 triangles
 */
