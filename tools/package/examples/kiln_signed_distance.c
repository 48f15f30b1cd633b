/* How deep in the ship are two points, or how far off? */
#include <kiln_nearest.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(ship, 0);
    const double points[6] = {0.5, 0.5, 0.75, 4, 5, 0.5};
    double distances[2];
    if (kiln_signed_distances(tree, NULL, points, 2, NULL, distances) !=
        KILN_OK)
        return 1;
    printf("%g and %g\n", distances[0], distances[1]);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     -0.25 and 5
 */
