/* Outputs whose sources are gone: kiln bake --prune. */
#ifndef KILN_CMD_PRUNE_H
#define KILN_CMD_PRUNE_H

#include "plan.h"

/* After a run that has baked all of the plan: removes the outputs below the plan's folder that an
 * earlier run of the same set (manifest; NULL: arguments of the working folder) has recorded there,
 * that the plan does not make, and whose sources are gone; then records the outputs of the plan.
 * Each is reported. With `look_only` nothing is removed or recorded. The plan has a folder, or
 * nothing. Returns an exit status. */
int prune_outputs(const plan *of, const char *manifest, bool look_only);

#endif
