/* A soft ship is dented: where does it meet itself then? */
#include <kiln_self.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    static const char *const kinds[] = {"touches", "crosses",
                                        "overlaps", "is as"};
    kiln_file *file = NULL;
    kiln_refit *ship = NULL;
    if (kiln_open("soft.kiln", NULL, &file) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(file, 0);
    const size_t size = kiln_refit_size(tree);
    void *memory = malloc(size);
    if (kiln_refit_place(memory, size, tree, &ship) != KILN_OK)
        return 1;
    const uint32_t count = kiln_refit_vertex_count(ship);
    float *at = malloc(3 * sizeof *at * count);
    memcpy(at, kiln_refit_vertices(ship), 3 * sizeof *at * count);
    for (uint32_t i = 0; i < count; i++)
        if (at[3 * i] + at[3 * i + 1] + at[3 * i + 2] == 3)
            at[3 * i + 2] = -1; /* one corner, through the bottom */
    kiln_self_pair pairs[8];
    size_t found = 0;
    if (kiln_refit_update(ship, at, count) != KILN_OK ||
        kiln_self_contacts(kiln_refit_tree(ship), NULL, pairs, 8,
                           &found) != KILN_OK)
        return 1;
    for (size_t i = 0; i < found && i < 8; i++)
        printf("%u %s %u\n", (unsigned)pairs[i].pair.a,
               kinds[pairs[i].kind], (unsigned)pairs[i].pair.b);
    free(at);
    free(memory);
    kiln_close(file);
    return 0;
}

/* Prints:
 *     0 touches 2
 *     0 crosses 3
 *     0 touches 9
 *     1 crosses 2
 *     1 touches 3
 *     1 touches 7
 *     2 touches 6
 *     3 touches 8
 */
