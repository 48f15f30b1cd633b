/* The adjacency of a mesh, in the program's memory. */
#include <kiln_regions.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(ship, 0);
    const size_t size = kiln_adjacency_size(tree);
    void *memory = malloc(size);
    kiln_adjacency *adjacency = NULL;
    if (kiln_adjacency_place(memory, size, tree, &adjacency) != KILN_OK)
        return 1;
    printf("of %u triangles\n",
           kiln_tree_get_info(kiln_adjacency_tree(adjacency))
               .triangle_count);
    free(memory);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     of 12 triangles
 */
