/* kiln_bake for the command, which has a word in what replaces what. */
#ifndef KILN_BAKE_MOVING_H
#define KILN_BAKE_MOVING_H

#include "../common/write_file.h"
#include "../kiln_bake.h"

/* kiln_bake, with `report` not NULL and the rename of the finished file left to `mover`. */
kiln_bake_status kiln_bake_moving(const kiln_bake_input *input, const char *output,
                                  const kiln_bake_options *options, kiln_bake_report *report,
                                  const kiln_write_mover *mover);

#endif
