/* Threads that share a number of assets, and lend each other a hand within large ones. There are never
 * more at work than were allowed, nor than make's jobserver gives. */
#ifndef KILN_CMD_CREW_H
#define KILN_CMD_CREW_H

#include <stdbool.h>
#include <stddef.h>

/* Work on task `index`, 0 to count - 1, each once and in this order of beginning. */
typedef void crew_task(void *user, size_t index);

/* Runs the tasks on up to `threads` threads (0: one a processor, or one where make has a jobserver that
 * it did not hand on). Tasks are begun as long as `stopped` is false. Loops of tools/common/parallel.h
 * within a task take part in the count. */
void crew_run(size_t count, int threads, crew_task *task, bool (*stopped)(void *user), void *user);

/* How many threads crew_run would take at most. */
unsigned crew_size(int threads);

#endif
