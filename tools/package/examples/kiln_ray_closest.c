/* What does a ray meet first, and how far away? */
#include <kiln.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(ship, 0);
    double from[3] = {-1, 0.25, 0.5}, to[3] = {3, 0.25, 0.5};
    kiln_ray ray = kiln_ray_between(from, to);
    kiln_ray_hit hit;
    if (kiln_ray_closest(tree, NULL, &ray, NULL, &hit) != KILN_OK)
        return 1;
    if (hit.found)
        printf("after %g of the way, on the %s\n", hit.t,
               hit.side == KILN_SIDE_FRONT ? "outside" : "inside");
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     after 0.25 of the way, on the outside
 */
