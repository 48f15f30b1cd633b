/* How often does the surface of the ship, a cube, go around points? */
#include <kiln_winding.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *tree = kiln_file_tree(ship, 0);
    const size_t size = kiln_winding_size(tree);
    void *memory = malloc(size);
    kiln_winding *winding = NULL;
    if (kiln_winding_place(memory, size, tree, &winding) != KILN_OK)
        return 1;
    const double points[9] = {0.5, 0.5, 0.5, 0.5, 0.5, 1, 0, 0.5, 1};
    kiln_winding_options options = kiln_winding_options_default();
    options.decide = true;
    kiln_winding_answer answers[3];
    if (kiln_winding_numbers(winding, NULL, points, 3, &options,
                             answers) != KILN_OK)
        return 1;
    static const char *const sides[] = {"undecided", "above a half",
                                        "not above a half"};
    for (int i = 0; i < 3; i++)
        printf("%.2f, %s%s\n", answers[i].number,
               sides[answers[i].side],
               answers[i].surface ? ", on the surface" : "");
    free(memory);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     1.00, above a half
 *     0.50, undecided, on the surface
 *     0.25, not above a half, on the surface
 */
