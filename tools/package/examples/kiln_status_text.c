/* Says why a file could not be opened: the status in general, and
 * the message of this file. */
#include <kiln.h>
#include <stdio.h>

int main(void)
{
    kiln_error error;
    kiln_open_options options = kiln_open_options_default();
    kiln_file *file = NULL;
    options.error = &error;
    kiln_status status = kiln_open("none.kiln", &options, &file);
    if (status != KILN_OK)
        printf("%s (%d): %s\n", kiln_status_text(status), (int)status,
               error.message);
    return 0;
}

/* Prints:
 *     no such file (10): no such file
 */
