/* Does a sphere of radius 0.3 touch the mesh, and in how many
 * triangles? */
#include <kiln.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(ship, 0);
    kiln_shape ball = {
        .kind = KILN_SHAPE_SPHERE, .a = {1.2, 0.5, 0.5}, .radius = 0.3};
    kiln_triangle_hit hits[16];
    size_t count;
    if (kiln_overlap_all(tree, NULL, &ball, NULL, NULL, hits, 16,
                         &count) != KILN_OK)
        return 1;
    printf("%zu triangles\n", count);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     2 triangles
 */
