/* A plan as work for other programs: what each would run is one kiln bake an asset. */
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

/* Prints the plan. Reports a name that the format can't hold and returns EXIT_UNSUPPORTED. `cache` may be
 * NULL. */
int script_print(const plan *of, script_format format, const char *cache);

/* The shell command that bakes one asset and makes the folder of its output, without a line break. */
void script_put_line(const job *asset, const char *cache);

#endif
