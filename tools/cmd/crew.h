/* Threads that share a number of tasks, and lend each other a hand within large ones. There are never
 * more at work than were allowed, nor than make's jobserver gives. */
#ifndef KILN_CMD_CREW_H
#define KILN_CMD_CREW_H

#include "../common/parallel.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    CREW_READY, /* a task can begin */
    CREW_LATER, /* perhaps, once one under way has ended; who waits for that holds no place and no token */
    CREW_DONE   /* no other will begin */
} crew_state;

/* What there is to do. `look`, `begin` and `end` are called by one thread at a time. */
typedef struct {
    crew_state (*look)(void *user);
    size_t (*begin)(void *user); /* after CREW_READY, before anything else: the task */
    /* Loops of tools/common/parallel.h in it take part in the count; so may others, by `helpers`. */
    void (*run)(void *user, size_t task, const kiln_helpers *helpers);
    void (*end)(void *user, size_t task);
    void *user;
} crew_work;

/* Runs tasks on up to `threads` threads (0: one a processor, or one where make has a jobserver that it
 * did not hand on) until there are none left. */
void crew_run(const crew_work *work, int threads, size_t count);

/* How many threads crew_run would take at most. */
unsigned crew_size(int threads);

#endif
