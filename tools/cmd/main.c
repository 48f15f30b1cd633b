/* The command kiln: its table of verbs.
 *
 * A verb is a file of verbs/ and a row of this table (README.md says how to add one). Dispatch,
 * help, manual pages and completion follow from the table; kit/program.c has the main program. */
#include "kit/program.h"
#include "verbs/verbs.h"

static const verb *const verbs[] = {
    &verb_bake,      &verb_check_mesh, &verb_info,      &verb_verify,   &verb_diff,
    &verb_collide,   &verb_query,      &verb_export,    &verb_view,     &verb_unpack,
    &verb_upgrade,   &verb_plan,       &verb_cache_gc,  &verb_lut_axes, &verb_lut_bins,
    &verb_lut_check, &verb_lut_show,   &verb_calibrate,
};

const program this_program = {
    .name = "kiln",
    .purpose = "bake models into collision hierarchies and query them",
    .about =
        "Bakes models into kiln files: bounding-volume hierarchies with exact geometry that "
        "libkiln maps and queries in place. Output files are written aside and renamed, so that "
        "a file is always completely the old or completely the new one. Messages go to standard "
        "error as \"kiln: FILE: what; why; what to do\".",
    .see_also = ".BR kiln (3),\n.BR kiln_bake (3),\n.BR kiln\\-format (5)\n",
    .file_verb = "bake",
    .file_rest = "-o OUT.kiln bakes it",
    .verbs = verbs,
    .verb_count = COUNT_OF(verbs),
};

int main(int argc, char **argv)
{
    return program_main(argc, argv);
}
