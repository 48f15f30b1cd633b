/* Which of them meet, exactly, and what does a ray along the row
 * meet first? */
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
    kiln_scene_hit hits[16];
    kiln_scene_ray_hit first;
    size_t count;
    double from[3] = {9, 0.1, 0.1}, to[3] = {-9, 0.1, 0.1};
    kiln_ray ray = kiln_ray_between(from, to);
    if (kiln_scene_collide(scene, NULL, hits, 16, &count) != KILN_OK ||
        kiln_scene_ray_closest(scene, &ray, NULL, &first) != KILN_OK)
        return 1;
    printf("%zu pairs meet; the ray meets object %d\n", count,
           (int)first.user);
    free(memory);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     7 pairs meet; the ray meets object 7
 */
