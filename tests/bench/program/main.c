/* The program kiln-bench: what compares kiln with other methods, and draws the figures of the
 * papers that it implements. It is built from the kit of the command `kiln` (tools/cmd/kit), so
 * that help, reports and exit statuses are alike, but it is for those who develop and judge kiln:
 * `make install` leaves it out. A further comparison is a file verb_*.c beside this one and a row
 * in the table. */
#include "verbs.h"

#include "../../../tools/cmd/kit/program.h"

static const verb *const verbs[] = {&verb_adb,       &verb_axes_plot,  &verb_bins_plot,
                                    &verb_coherence, &verb_continuous, &verb_families};

const program this_program = {
    .name = "kiln-bench",
    .purpose = "compare queries and kinds of trees, and draw tables of kiln",
    .about =
        "Measures kiln's queries beside other methods on your own models, and draws figures of "
        "the papers that it implements. Messages go to standard error as \"kiln-bench: FILE: "
        "what; why; what to do\".",
    .see_also = ".BR kiln (1)\n",
    .file_verb = "adb",
    .file_rest = "measures it",
    .verbs = verbs,
    .verb_count = COUNT_OF(verbs),
};

int main(int argc, char **argv)
{
    return program_main(argc, argv);
}
