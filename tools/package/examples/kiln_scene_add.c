/* A ship and seven rocks in a row; the last rock flies away. */
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
    object.pose.translation[1] = 50;
    if (kiln_scene_move(scene, id, &object.pose) != KILN_OK)
        return 1;
    kiln_scene_info info = kiln_scene_get_info(scene);
    printf("%u objects, up to y = %g\n", info.count, info.upper[1]);
    free(memory);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     8 objects, up to y = 51
 */
