/* How the answers of a front were found. */
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
    kiln_pose pose = kiln_pose_identity();
    for (int i = 0; i < 100; i++) {
        kiln_hit hit;
        pose.translation[0] = 0.005 * i;
        if (kiln_front_collide(front, NULL, &pose, NULL, &hit, NULL) !=
            KILN_OK)
            return 1;
    }
    kiln_front_info info = kiln_front_get_info(front);
    printf("%d queries, the last pair answered %s\n", (int)info.queries,
           2 * info.last_pair > info.queries ? "most" : "some");
    free(memory);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     100 queries, the last pair answered most
 */
