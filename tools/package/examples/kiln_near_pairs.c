/* Which triangles of two meshes, or points of two sets, are within
 * 0.3 of each other? */
#include <kiln_spheres.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL, *rock = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK ||
        kiln_open("rock.kiln", NULL, &rock) != KILN_OK)
        return 1;
    const kiln_tree *a = kiln_file_tree(ship, 0);
    const kiln_tree *b = kiln_file_tree(rock, 0);
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = 1.25; /* of the rock */
    kiln_pair pairs[8];
    size_t count;
    if (kiln_near_pairs(a, NULL, b, &pose, 0.3, NULL, pairs, 8,
                        &count) != KILN_OK)
        return 1;
    printf("%s, %zu pairs\n",
           kiln_tree_is_points(a) ? "points" : "a mesh", count);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     a mesh, 31 pairs
 */
