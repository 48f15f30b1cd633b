/* A plan as a script that has other hosts bake, which share no disk with this one. */
#ifndef KILN_CMD_FARM_H
#define KILN_CMD_FARM_H

#include "plan.h"

/* Prints the script. Reports files that are not below the working folder: they have no place of their own
 * on a host. */
int farm_print(const plan *of, const char *cache);

#endif
