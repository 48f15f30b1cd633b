/* Counting for a tree that was just built. */
#ifndef KILN_COUNT_BUILD_H
#define KILN_COUNT_BUILD_H

#include "../../formats/adb.h"
#include "../tree/build.h"
#include "../common/soup.h"

/* The factor that the options ask for, or, where that is 0, the one that goes with their area. */
double kiln_count_factor(const kiln_bake_options *options);

/* What the options ask for, as a file records it; grid 0: nothing. Values that a file can't hold
 * become such that kiln_adb_is_sound refuses. */
kiln_format_adb kiln_count_parameters(const kiln_bake_options *options);

/* Fills tree->boxes and box_count. Errors as kiln_count. */
kiln_bake_status kiln_count_build(const kiln_build_kind *kind, const kiln_soup *soup,
                                  const kiln_format_adb *how, const kiln_bake_options *options,
                                  kiln_build_tree *tree);

#endif
