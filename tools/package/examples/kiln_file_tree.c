/* What a file holds, and where its first triangle came from. */
#include <kiln.h>
#include <stdio.h>

int main(void)
{
    kiln_file *file = NULL;
    if (kiln_open("level.kiln", NULL, &file) != KILN_OK)
        return 1;
    for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
        const kiln_tree *tree = kiln_file_tree(file, i);
        kiln_tree_info info = kiln_tree_get_info(tree);
        kiln_source source;
        printf("%s, %s: %u triangles\n", info.name, info.bv_name,
               info.triangle_count);
        if (kiln_tree_source(tree, 0, &source) == KILN_OK)
            printf("triangle 0: face %u of %s\n", source.face,
                   source.mesh_name);
    }
    kiln_close(file);
    return 0;
}

/* Prints:
 *     model, obb: 1152 triangles
 *     triangle 0: face 0 of ground
 */
