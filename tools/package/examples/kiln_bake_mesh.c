/* Bakes a tetrahedron that is made in the program. */
#include <kiln_bake.h>
#include <stdio.h>

int main(void)
{
    static const float corners[4][3] = {
        {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t faces[4][3] = {
        {0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    kiln_mesh part = {.struct_size = sizeof part, .name = "tip"};
    kiln_bake_report report;
    part.vertices = corners[0];
    part.vertex_count = 4;
    part.triangles = faces[0];
    part.triangle_count = 4;
    if (kiln_bake_mesh(&part, 1, "tip.kiln", NULL, &report) ==
        KILN_BAKE_OK)
        printf("%u triangles\n", report.trees[0].triangles);
    else
        fprintf(stderr, "%s\n", report.error);
    kiln_bake_report_free(&report);
    return 0;
}

/* Prints:
 *     4 triangles
 */
