/* Carrying out a plan. */
#ifndef KILN_CMD_BATCH_H
#define KILN_CMD_BATCH_H

#include "plan.h"

/* Bakes every job, several at once, and tells of each. One that fails does not stop the others,
 * unless `run` wants that or it is the options of all that are wrong. A signal that asks to end
 * lets no other begin; what is under way is given up. Returns the status of the worst; EXIT_RUN
 * where a signal left something undone. *reported is set once the JUnit report is written, or must
 * not be because a model refers to its file; a run that ends before has none. */
int batch_run(const plan *of, const bake_settings *run, bool *reported);

#endif
