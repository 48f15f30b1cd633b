/* Bakes a model in the program itself. */
#include <kiln_bake.h>
#include <stdio.h>

int main(void)
{
    kiln_bake_input input = {.path = "ship.obj"};
    kiln_bake_options options = kiln_bake_options_default();
    kiln_bake_report report;
    options.bv = "obb,aabb";
    options.layout = KILN_LAYOUT_RAW;
    kiln_bake_status status =
        kiln_bake(&input, "made.kiln", &options, &report);
    if (status == KILN_BAKE_OK)
        printf("%u trees of %u triangles\n", report.tree_count,
               report.trees[0].triangles);
    else
        fprintf(stderr, "%s\n", report.error);
    kiln_bake_report_free(&report);
    return 0;
}

/* Prints:
 *     2 trees of 12 triangles
 */
