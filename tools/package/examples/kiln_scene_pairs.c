/* Which of them have bounds that meet? */
#include <kiln_scene.h>
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
    kiln_scene *scene = NULL;
    void *memory = malloc(kiln_scene_size(8));
    if (kiln_scene_place(memory, kiln_scene_size(8), 8, &scene) !=
        KILN_OK)
        return 1;
    kiln_scene_object object = kiln_scene_object_default();
    kiln_scene_id id;
    for (unsigned i = 0; i < 8; i++) {
        object.tree = i == 0 ? a : b;
        object.user = i;
        object.pose.translation[0] = 0.6 * i;
        if (kiln_scene_add(scene, &object, &id) != KILN_OK)
            return 1;
    }
    kiln_scene_pair pairs[16];
    size_t count;
    if (kiln_scene_pairs(scene, NULL, pairs, 16, &count) != KILN_OK)
        return 1;
    for (size_t i = 0; i < count && i < 16; i++)
        printf("%d and %d\n", (int)pairs[i].user_a,
               (int)pairs[i].user_b);
    free(memory);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     0 and 1
 *     1 and 2
 *     2 and 3
 *     3 and 4
 *     4 and 5
 *     5 and 6
 *     6 and 7
 */
