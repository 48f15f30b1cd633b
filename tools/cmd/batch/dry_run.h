/* What a plan would do. */
#ifndef KILN_CMD_DRY_RUN_H
#define KILN_CMD_DRY_RUN_H

#include "plan.h"

/* Says for each job what batch_run would make of it, as far as that is known without reading
 * meshes, and writes nothing. `checked` is the status of the checks of the plan: where it is not
 * EXIT_DONE, the jobs at fault are marked. Returns the status that the run would end in. */
int dry_run(const plan *of, int checked);

#endif
