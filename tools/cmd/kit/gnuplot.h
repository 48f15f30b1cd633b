/* Pictures by gnuplot, which runs beside us. */
#ifndef KILN_CMD_GNUPLOT_H
#define KILN_CMD_GNUPLOT_H

#include <stddef.h>

/* Runs gnuplot with `script` on its standard input; what it prints, released by free(), is the
 * picture. Reports what is wrong, a missing gnuplot too, and returns an exit status. */
int gnuplot_run(const char *script, size_t script_size, void **picture, size_t *size);

#endif
