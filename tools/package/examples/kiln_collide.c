/* Do two meshes meet, and in which triangles? The pair that was
 * found is asked first at the next pose. */
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
    kiln_pair_options options = kiln_pair_options_default();
    kiln_pose pose = kiln_pose_identity();
    kiln_hit hit;
    for (int i = 0; i < 4; i++) {
        pose.translation[0] = 0.4 * i;
        if (kiln_collide(a, NULL, b, &pose, &options, &hit) != KILN_OK)
            return 1;
        printf("x = %.1f: %s\n", pose.translation[0],
               hit.found ? "they meet" : "they do not");
        options.hint = hit.hint;
    }
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     x = 0.0: they meet
 *     x = 0.4: they meet
 *     x = 0.8: they meet
 *     x = 1.2: they do not
 */
