/* Work in a child process under limits of time and memory and, where the system has one, in a sandbox
 * (sandbox.h): whatever it does, the parent goes on. */
#ifndef KILN_IMPORT_CHILD_H
#define KILN_IMPORT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    void (*work)(void *user, int pipe, int file); /* in the child; its end is the child's end */
    void *work_user;
    int file; /* open in the parent, handed on to the child; -1: none */
    bool (*receive)(void *user, const uint8_t *data, size_t size); /* false: kill the child */
    void *receive_user;
    uint64_t
        memory; /* bytes the child may use beyond what the parent had at the fork; 0: no limit */
    uint64_t
        together; /* bytes of both beyond that, with memory > 0; 0: no limit. What the parent takes by
                          receiving is taken from what the child may still take */
    double seconds;               /* 0: no limit */
    bool (*progress)(void *user); /* false: kill the child; may be NULL */
    void *progress_user;
} kiln_child;

typedef enum {
    KILN_CHILD_ENDED,   /* by itself, whatever it sent */
    KILN_CHILD_CRASHED, /* by signal *number; SIGSYS: it asked for what the sandbox forbids */
    KILN_CHILD_OVER_TIME,
    KILN_CHILD_OVER_MEMORY,
    KILN_CHILD_CANCELLED,  /* progress said so */
    KILN_CHILD_REFUSED,    /* receive said so */
    KILN_CHILD_NOT_STARTED /* for reason *number, an errno */
} kiln_child_end;

/* Returns when the child has ended and is reaped. */
kiln_child_end kiln_child_run(const kiln_child *child, int *number);

/* Seconds of a clock that only goes forward. */
double kiln_clock(void);

#endif
