/* Does the rock meet the ship in any of 100 configurations, in which,
 * and how near do the others come? All are asked in one call. */
#include <kiln.h>
#include <stdio.h>

enum { COUNT = 100 };

int main(void)
{
    static kiln_pose poses[COUNT];
    static kiln_hit hits[COUNT];
    static kiln_nearest nearest[COUNT];
    kiln_file *ship = NULL, *rock = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK ||
        kiln_open("rock.kiln", NULL, &rock) != KILN_OK)
        return 1;
    for (int i = 0; i < COUNT; i++) {
        poses[i] = kiln_pose_identity();
        poses[i].translation[0] = 0.02 * i;
    }
    /* The ship stays, the rock has a pose for each configuration. */
    kiln_placed placed[2] = {{kiln_file_tree(ship, 0), NULL, 0},
                             {kiln_file_tree(rock, 0), poses, 1}};
    kiln_batch batch = {placed, 2, NULL, KILN_BATCH_ALL_PAIRS, COUNT};
    if (kiln_batch_collide(&batch, NULL, hits) != KILN_OK ||
        kiln_batch_distance(&batch, NULL, nearest) != KILN_OK)
        return 1;
    int meet = 0;
    for (int i = 0; i < COUNT; i++)
        meet += hits[i].found;
    printf("they meet in %d of %d; in the last they are %.2f apart\n",
           meet, COUNT, nearest[COUNT - 1].distance);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     they meet in 51 of 100; in the last they are 0.98 apart
 */
