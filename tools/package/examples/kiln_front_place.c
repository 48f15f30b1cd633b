/* Memory for a pair of meshes that is asked again and again. */
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
    kiln_hit hit;
    if (kiln_front_collide(front, NULL, NULL, NULL, &hit, NULL) !=
        KILN_OK)
        return 1;
    printf("%s\n", hit.found ? "they meet" : "they do not");
    kiln_front_reset(front); /* the rock was put somewhere else */
    free(memory);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     they meet
 */
