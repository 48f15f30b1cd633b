/* The jobserver of GNU make: a pipe or fifo with a byte for each job that may run besides those
 * that do. A program that starts a thread takes a byte first and puts the same byte back after.
 * (GNU make's manual, "Integrating GNU make", "POSIX Jobserver Interaction".) */
#ifndef KILN_CMD_JOBSERVER_H
#define KILN_CMD_JOBSERVER_H

#include <stdbool.h>

enum { JOBSERVER_TOKENS_MAX = 256 };

typedef enum {
    JOBSERVER_NONE, /* make does not run us, or runs us alone */
    JOBSERVER_OPEN,
    /* there is one, but make did not hand it on: what it may run is us, as one job */
    JOBSERVER_SHUT
} jobserver_state;

typedef struct {
    jobserver_state state;
    int from, to;
    unsigned held;
    char tokens[JOBSERVER_TOKENS_MAX];
} jobserver;

/* Opens the one that MAKEFLAGS in the environment names. */
void jobserver_open(jobserver *server);
void jobserver_close(jobserver *server); /* gives back what is held */

/* Takes a token if there is one now. */
bool jobserver_take(jobserver *server);
/* Gives one back that is held. */
void jobserver_give(jobserver *server);
/* Waits up to some milliseconds for a token to be there for somebody. */
void jobserver_wait(const jobserver *server, int milliseconds);

#endif
