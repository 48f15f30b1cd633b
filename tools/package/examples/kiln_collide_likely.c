/* An answer that may be likely instead of proved, within 64 steps. */
#include <kiln.h>
#include <stdio.h>

int main(void)
{
    kiln_file *ship = NULL, *rock = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK ||
        kiln_open("rock.kiln", NULL, &rock) != KILN_OK)
        return 1;
    const kiln_tree *a = kiln_file_tree(ship, 0);
    const kiln_tree *b = kiln_file_tree(rock, 0);
    kiln_likely_options options =
        kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    kiln_likely_answer answer;
    options.steps = 64;
    if (kiln_collide_likely(a, NULL, b, NULL, &options, &answer) !=
        KILN_OK)
        return 1;
    printf("%s, %s\n",
           answer.verdict == KILN_LIKELY_YES  ? "yes"
           : answer.verdict == KILN_LIKELY_NO ? "no"
                                              : "undecided",
           answer.proved ? "proved" : "with a probability");
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     yes, with a probability
 */
