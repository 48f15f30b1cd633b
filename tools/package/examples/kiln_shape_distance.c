/* How far is a rounded bar from the mesh, and where is it nearest? */
#include <kiln_shapes.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(ship, 0);
    const double ends[6] = {2, 0.5, -1, 2, 0.5, 2};
    const kiln_convex bar = {ends, 2, 0.25};
    kiln_shape_nearest nearest;
    if (kiln_shape_distance(tree, NULL, &bar, NULL, NULL, &nearest) !=
        KILN_OK)
        return 1;
    printf("%g away, from x = %g to x = %g\n", nearest.distance,
           nearest.point_shape[0], nearest.point_mesh[0]);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     0.75 away, from x = 1.75 to x = 1
 */
