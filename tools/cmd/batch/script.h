/* A plan as work for other programs, each of which runs one kiln bake for each asset. */
#ifndef KILN_CMD_SCRIPT_H
#define KILN_CMD_SCRIPT_H

#include "plan.h"

/* In the order of the choices "ninja|make|parallel|slurm|farm". */
typedef enum {
    SCRIPT_NINJA,
    SCRIPT_MAKE,
    SCRIPT_PARALLEL,
    SCRIPT_SLURM,
    SCRIPT_FARM
} script_format;

/* Prints the plan. Reports a name that the format can't hold and returns EXIT_UNSUPPORTED. A farm
 * also refuses files that are not below the working folder: they have no place of their own on a
 * host. `cache`, the folder of the cache, may be NULL. */
int script_print(const plan *of, script_format format, const char *cache);

#endif
