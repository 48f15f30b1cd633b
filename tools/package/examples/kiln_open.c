/* Opens a file that came over a network: verified, never more than
 * 64 MiB, and with one kind of tree. */
#include <kiln.h>
#include <stdio.h>

int main(void)
{
    kiln_open_options options = kiln_open_options_default();
    kiln_file *file = NULL;
    options.memory_limit = 64u << 20;
    options.bv_mask = 1u << KILN_BV_OBB;
    options.flags = KILN_OPEN_COPY; /* others may write to the file */
    kiln_status status = kiln_open("ship.kiln", &options, &file);
    if (status == KILN_OK)
        printf("%u tree\n", kiln_file_tree_count(file));
    kiln_close(file);
    return 0;
}

/* Prints:
 *     1 tree
 */
