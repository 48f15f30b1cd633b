/* When does a rock that flies through the ship first touch it? */
#include <kiln_sweep.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL, *rock = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK ||
        kiln_open("rock.kiln", NULL, &rock) != KILN_OK)
        return 1;
    const kiln_tree *a = kiln_file_tree(ship, 0);
    const kiln_tree *b = kiln_file_tree(rock, 0);
    kiln_pose start = kiln_pose_identity(), end = start;
    double centre[3] = {0, 0, 0};
    kiln_motion flight, still;
    start.translation[0] = 5;
    end.translation[0] = -5;
    if (kiln_motion_between(&start, &end, centre, 0, &flight) !=
            KILN_OK ||
        kiln_motion_at_rest(NULL, &still) != KILN_OK)
        return 1;
    kiln_sweep_hit hit;
    if (kiln_sweep(a, &still, b, &flight, NULL, &hit) != KILN_OK)
        return 1;
    if (hit.found)
        printf("after %.3f of the way\n", hit.time);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     after 0.400 of the way
 */
