/* A counted query of files baked with --adb, of at most 600 pairs of
 * nodes. */
#include <kiln_adb.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL;
    if (kiln_open("counted.kiln", NULL, &ship) != KILN_OK)
        return 1;
    const kiln_tree *a = kiln_file_tree(ship, 0);
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    kiln_adb_answer answer;
    if (kiln_adb_collide(a, NULL, a, NULL, &options, 600, 0, &answer) !=
        KILN_OK)
        return 1;
    printf("%s\n", answer.verdict == KILN_ADB_YES ? "yes" : "no");
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     yes
 */
