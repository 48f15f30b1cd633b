/* Uses a packed file while it arrives, here a tenth at a time. */
#include <kiln.h>
#include <stdio.h>

int main(void)
{
    static unsigned char bytes[1 << 20];
    FILE *in = fopen("level.kiln", "rb");
    if (in == NULL)
        return 1;
    size_t size = fread(bytes, 1, sizeof bytes, in), here = size / 10;
    fclose(in);
    kiln_file *file = NULL;
    while (kiln_open_partial(bytes, here, NULL, &file) ==
           KILN_ERROR_PARTIAL)
        here += size / 10;
    const kiln_tree *tree = kiln_file_tree(file, 0);
    if (here < size / 2)
        puts("boxes can be asked before half of it is there");
    while (!kiln_file_get_loaded(file).complete) {
        here = here + size / 10 < size ? here + size / 10 : size;
        if (kiln_file_advance(file, bytes, here, NULL) != KILN_OK)
            return 1;
    }
    printf("%u triangles\n", kiln_tree_get_info(tree).triangle_count);
    kiln_close(file);
    return 0;
}

/* Prints:
 *     boxes can be asked before half of it is there
 *     1152 triangles
 */
