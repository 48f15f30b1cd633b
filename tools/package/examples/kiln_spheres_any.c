/* An arm of two links as five spheres: in which of three
 * configurations does it touch the mesh, and with what? */
#include <kiln_spheres.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const double x[5] = {0, 0, 0, 0, 0}, y[5] = {0, 0, 0, 0, 0};
    const double z[5] = {0, 0.2, 0.4, 0, 0.2};
    const double radius[5] = {0.1, 0.1, 0.1, 0.08, 0.08};
    const uint32_t link[5] = {0, 0, 0, 1, 1};
    const kiln_spheres arm = {x, y, z, radius, 5, link, 2};
    kiln_pose poses[3 * 2]; /* of both links, three times */
    for (int i = 0; i < 3; i++) {
        poses[2 * i] = poses[2 * i + 1] = kiln_pose_identity();
        poses[2 * i].translation[0] = 0.5;
        poses[2 * i].translation[1] = 0.5;
        poses[2 * i].translation[2] = 1.3 - 0.15 * i;
        poses[2 * i + 1].translation[0] = 0.5;
        poses[2 * i + 1].translation[1] = 0.5;
        poses[2 * i + 1].translation[2] = 1.9 - 0.15 * i;
    }
    kiln_spheres_hit hits[3];
    if (kiln_spheres_any(kiln_file_tree(ship, 0), NULL, &arm, poses, 3,
                         NULL, hits) != KILN_OK)
        return 1;
    for (int i = 0; i < 3; i++)
        if (hits[i].found)
            printf("%d: sphere %d\n", i, (int)hits[i].sphere);
        else
            printf("%d: free\n", i);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     0: free
 *     1: free
 *     2: sphere 0
 */
