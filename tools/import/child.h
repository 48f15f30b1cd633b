/* Work in a child process under limits of time and memory and, where the system has one, in a
 * sandbox. Whatever the child does, the parent goes on. */
#ifndef KILN_IMPORT_CHILD_H
#define KILN_IMPORT_CHILD_H

#include "../common/folders.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    /* Runs in the child; when it returns, the child ends. */
    void (*work)(void *user, int pipe, int file);
    void *work_user;
    int file; /* open in the parent, handed on to the child; -1: none */
    /* Gets what the child writes to the pipe. False: kill the child. */
    bool (*receive)(void *user, const uint8_t *data, size_t size);
    void *receive_user;
    const kiln_folders *readable; /* where the child may open files; NULL: everywhere */
    /* Bytes that the child may use beyond what the parent had at the fork; 0: no limit. */
    uint64_t memory;
    /* Bytes of both processes beyond that, with memory > 0; 0: no limit. What the parent uses for
     * what it receives is taken from what the child may still use. */
    uint64_t together;
    double seconds;               /* 0: no limit */
    bool (*progress)(void *user); /* false: kill the child; may be NULL */
    void *progress_user;
} kiln_child;

typedef enum {
    KILN_CHILD_ENDED,   /* by itself, whatever it sent */
    KILN_CHILD_CRASHED, /* by signal *number; SIGSYS: it made a call that the sandbox forbids */
    KILN_CHILD_OVER_TIME,
    KILN_CHILD_OVER_MEMORY,
    KILN_CHILD_CANCELLED,  /* progress said so */
    KILN_CHILD_REFUSED,    /* receive said so */
    KILN_CHILD_NOT_STARTED /* for reason *number, an errno */
} kiln_child_end;

/* Returns when the child has ended and is reaped. In builds with asserts, and with
 * KILN_IMPORT_IN_PROCESS=1 in the environment, the work runs in this process, without limits. */
kiln_child_end kiln_child_run(const kiln_child *child, int *number);

/* Ends the work early, from within it, with the exit status of the child. */
_Noreturn void kiln_child_leave(int status);

/* Closes the sandbox around the calling thread, for good (sandbox.c). Afterwards starting a
 * program, making or using a socket, tracing, and changing mounts, namespaces or the kernel end the
 * process (SIGSYS). Opening a file for writing, making code executable and signalling another
 * process fail with EPERM. Whatever else a reader has no use for fails with ENOSYS. False where
 * there is no sandbox: not Linux on x86-64 or aarch64, a kernel without seccomp filters or under
 * another's filter that forbids them, a build for ThreadSanitizer. */
bool kiln_sandbox_close(void);

/* Lets the calling thread, for good, open files in the folders and below them only (Landlock); what
 * is open stays open. False where the kernel can't, or where the folders are all. */
bool kiln_sandbox_keep_in(const kiln_folders *folders);

#endif
