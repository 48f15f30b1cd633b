/* Makes a cache of baked files smaller than 1 GB. */
#include <kiln_bake.h>
#include <stdio.h>

int main(void)
{
    kiln_cache_report report;
    if (kiln_cache_gc("cache", 1000000000, &report) != KILN_BAKE_OK) {
        fprintf(stderr, "%s\n", report.error);
        return 1;
    }
    printf("%d files removed\n", (int)report.files_removed);
    return 0;
}

/* Prints:
 *     0 files removed
 */
