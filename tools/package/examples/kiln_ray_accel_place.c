/* Many rays at one mesh: its boxes and triangles are unpacked once. */
#include <kiln_rays.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(ship, 0);
    const size_t size = kiln_ray_accel_size(tree);
    void *memory = malloc(size);
    kiln_ray_accel *accel = NULL;
    if (kiln_ray_accel_place(memory, size, tree, &accel) != KILN_OK)
        return 1;
    tree = kiln_ray_accel_tree(accel);
    int met = 0;
    for (int i = 0; i < 100; i++) {
        double from[3] = {-1, 0.02 * i, 0.5},
               to[3] = {3, 0.02 * i, 0.5};
        kiln_ray ray = kiln_ray_between(from, to);
        bool meets;
        if (kiln_ray_meets(tree, NULL, &ray, NULL, &meets) != KILN_OK)
            return 1;
        met += meets;
    }
    printf("%d of 100 rays meet the ship\n", met);
    free(memory);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     51 of 100 rays meet the ship
 */
