/* How far apart are two meshes, and are they within a clearance? */
#include <kiln.h>
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
    kiln_nearest nearest;
    kiln_hit hit;
    pose.translation[0] = 1.5;
    if (kiln_distance(a, NULL, b, &pose, NULL, &nearest) != KILN_OK ||
        kiln_within(a, NULL, b, &pose, 0.25, NULL, &hit) != KILN_OK)
        return 1;
    printf("%g apart; within 0.25: %s\n", nearest.distance,
           hit.found ? "yes" : "no");
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     0.5 apart; within 0.25: no
 */
