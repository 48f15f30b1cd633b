/* What signals do to the command. An interrupted run leaves no unfinished file behind. */
#ifndef KILN_CMD_SIGNALS_H
#define KILN_CMD_SIGNALS_H

/* From now on SIGINT, SIGTERM and SIGHUP remove unfinished output before they end the process, and
 * a limit on file size is an error of write rather than a signal. */
void signals_set(void);

/* From now on the first of these signals is only noted, so that running work can be ended in good
 * order; the second one ends the process as above. */
void signals_note(void);

/* The signal that was noted, or 0. Any thread. */
int signals_noted(void);

/* Ends the process by the signal that was noted; returns if there was none. */
void signals_end(void);

#endif
