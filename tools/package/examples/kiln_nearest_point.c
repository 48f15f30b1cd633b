/* Where on the ship is the nearest point, and which triangles are
 * within 2 of it? */
#include <kiln_nearest.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(ship, 0);
    static const char *const parts[] = {"inside it", "on an edge",
                                        "at a corner"};
    const double point[3] = {0.5, 0.25, 3};
    kiln_surface_point at, within[16];
    size_t count;
    if (kiln_nearest_point(tree, NULL, point, NULL, &at) != KILN_OK ||
        kiln_nearest_within(tree, NULL, point, 2, NULL, within, 16,
                            &count) != KILN_OK)
        return 1;
    printf("triangle %u, %s, %g away, at %g %g %g\n", at.triangle,
           parts[at.feature], at.distance, at.point[0], at.point[1],
           at.point[2]);
    printf("the normal there is %g %g %g\n", at.normal[0], at.normal[1],
           at.normal[2]);
    printf("%zu within 2\n", count);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     triangle 2, inside it, 2 away, at 0.5 0.25 1
 *     the normal there is 0 0 1
 *     1 within 2
 */
