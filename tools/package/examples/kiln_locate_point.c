/* Where is a point, and where is the rock, to the closed surface of
 * the ship? */
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
    static const char *const words[] = {"outside", "inside",
                                        "on the surface", "in parts"};
    double point[3] = {0.5, 0.5, 0.5};
    kiln_pose pose = kiln_pose_identity();
    kiln_place of_point, of_rock;
    pose.scale = 0.5;
    for (int i = 0; i < 3; i++)
        pose.translation[i] = 0.25;
    if (kiln_locate_point(a, NULL, point, &of_point) != KILN_OK ||
        kiln_locate_mesh(a, NULL, b, &pose, &of_rock) != KILN_OK)
        return 1;
    printf("the point is %s, the rock is %s\n", words[of_point],
           words[of_rock]);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     the point is inside, the rock is inside
 */
