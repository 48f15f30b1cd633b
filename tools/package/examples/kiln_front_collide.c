/* Leaves queries out as long as the rock has not moved far enough to
 * meet. */
#include <kiln_front.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    kiln_file *ship = NULL, *rock = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK ||
        kiln_open("rock.kiln", NULL, &rock) != KILN_OK)
        return 1;
    const kiln_tree *a = kiln_file_tree(ship, 0);
    const kiln_tree *b = kiln_file_tree(rock, 0);
    size_t size = kiln_front_size(a, b, NULL);
    void *memory = malloc(size);
    kiln_front *front = NULL;
    if (kiln_front_place(memory, size, a, b, NULL, &front) != KILN_OK)
        return 1;
    kiln_pose pose = kiln_pose_identity(), last = pose;
    double free_motion = 0;
    int asked = 0;
    for (int i = 100; i >= 0; i--) {
        kiln_hit hit;
        double moved;
        pose.translation[0] = 1.001 + 0.01 * i;
        if (kiln_motion_bound(b, &last, &pose, &moved) != KILN_OK)
            return 1;
        last = pose;
        free_motion -= moved;
        if (free_motion > 0)
            continue; /* they can't meet here */
        if (kiln_front_collide(front, NULL, &pose, NULL, &hit,
                               &free_motion) != KILN_OK)
            return 1;
        asked++;
    }
    printf("asked at %s of 101 poses\n", asked < 50 ? "few" : "most");
    free(memory);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     asked at few of 101 poses
 */
