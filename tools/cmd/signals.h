/* What signals do to the command. */
#ifndef KILN_CMD_SIGNALS_H
#define KILN_CMD_SIGNALS_H

/* From now on SIGINT, SIGTERM and SIGHUP remove unfinished output before they end the process, and a
 * limit on file size is an error of write rather than a signal. */
void signals_set(void);

#endif
