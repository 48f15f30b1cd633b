/* Follows a mesh that deforms: here the ship is stretched to twice
 * its length along x. */
#include <kiln.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("soft.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(ship, 0);
    void *memory = malloc(kiln_refit_size(tree));
    kiln_refit *refit = NULL;
    if (kiln_refit_place(memory, kiln_refit_size(tree), tree, &refit) !=
        KILN_OK)
        return 1;
    uint32_t count = kiln_refit_vertex_count(refit);
    const float *rest = kiln_refit_vertices(refit);
    float *moved = malloc(3 * sizeof *moved * count);
    for (uint32_t i = 0; i < 3 * count; i++)
        moved[i] = i % 3 == 0 ? 2 * rest[i] : rest[i];
    if (kiln_refit_update(refit, moved, count) != KILN_OK)
        return 1;
    printf("it now reaches to x = %g\n",
           kiln_tree_get_info(kiln_refit_tree(refit)).bounds_upper[0]);
    free(moved);
    free(memory);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     it now reaches to x = 2
 */
