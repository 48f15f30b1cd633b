/* A program in a child process under limits of time and memory. Whatever it does, the parent goes
 * on. */
#ifndef KILN_IMPORT_CHILD_H
#define KILN_IMPORT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../runtime/kiln.h"

enum {
    KILN_CHILD_PIPE = 3, /* descriptors of the program; the three below lead to /dev/null */
    KILN_CHILD_FILE = 4
};

/* What both sides of the pipe must agree about: the version of kiln, and a number that changes with
 * the arguments of the program or with what goes through the pipe (scene.h). */
#define KILN_CHILD_PROGRAM "kiln-import"
#define KILN_CHILD_VERSION KILN_VERSION_STRING ", protocol 1"

/* The first bytes that the program sends, before it has read any of the model. Its size and the
 * place of `version` never change, so that any two versions can tell that they differ. */
typedef struct {
    char program[16];                 /* KILN_CHILD_PROGRAM, zeros at the end */
    char version[48];                 /* KILN_CHILD_VERSION, zeros at the end */
    char library[48];                 /* "5.2.5": of the library that reads; "": none */
    uint64_t address_space, resident; /* bytes at its start; 0: not known */
} kiln_child_greeting;

typedef struct {
    const char *program;    /* path */
    char *const *arguments; /* the first names the program; NULL at the end */
    int file;               /* open in the parent, KILN_CHILD_FILE in the child; -1: none */
    /* Gets what the child writes to the pipe after its greeting. False: kill the child. */
    bool (*receive)(void *user, const uint8_t *data, size_t size);
    void *receive_user;
    uint64_t memory; /* bytes that the child may use beyond those of its start; 0: no limit */
    /* Bytes of the child, and of this process beyond those of the call, with memory > 0; 0: no
     * limit. What this process uses for what it receives is taken from what the child may still
     * use. */
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
    KILN_CHILD_CANCELLED,     /* progress said so */
    KILN_CHILD_REFUSED,       /* receive said so */
    KILN_CHILD_NOT_STARTED,   /* for reason *number, an errno */
    KILN_CHILD_UNKNOWN,       /* no greeting; *number is its exit status, or -1 */
    KILN_CHILD_OTHER_VERSION, /* greeting->version names it */
} kiln_child_end;

/* Runs the program; returns when it has ended and is reaped. May be called by any thread, whatever
 * locks others hold: no code of this process runs in the child. */
kiln_child_end kiln_child_run(const kiln_child *child, kiln_child_greeting *greeting, int *number);

#endif
