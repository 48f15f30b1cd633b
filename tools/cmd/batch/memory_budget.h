/* A memory budget: which task may take how much of a limited memory. A task takes its share before
 * it begins and gives it back when it has ended, so the shares under way never add up to more than
 * the limit. The budget only counts: that a task keeps to its share is the matter of its worker. A
 * task whose share was too small gets a larger one, at last all. Not locked: its owner calls from
 * one thread at a time. */
#ifndef KILN_CMD_MEMORY_BUDGET_H
#define KILN_CMD_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { MEMORY_WAITING, MEMORY_UNDER_WAY, MEMORY_ENDED } memory_budget_state;

typedef struct {
    uint64_t share; /* bytes; with a limit, at most that */
    memory_budget_state state;
} memory_budget_line;

typedef struct {
    uint64_t limit;      /* bytes; 0: none, and shares do not matter */
    uint64_t taken;      /* the shares of what is under way */
    size_t count, first; /* before `first` nothing waits */
    size_t waiting;
    size_t may_return; /* under way, with less than all */
    memory_budget_line *lines;
} memory_budget;

/* False without memory. Shares are 0 until they are set. */
bool memory_budget_open(memory_budget *of, size_t count, uint64_t limit);
void memory_budget_close(memory_budget *of);

void memory_budget_set_share(memory_budget *of, size_t task, uint64_t share);

/* Finds the first task, in the order of their numbers, that waits and whose share there is room
 * for. False: there is none now. Everything under way ends some day, and then there is room for any
 * share, so that no task waits forever. */
bool memory_budget_find(memory_budget *of, size_t *task);

/* Will memory_budget_find find a task later, when something under way has ended? */
bool memory_budget_any_later(const memory_budget *of);

void memory_budget_take(memory_budget *of, size_t task);

/* Gives back the share. `enough`: it has ended; else it waits again, with a larger one. */
void memory_budget_give(memory_budget *of, size_t task, bool enough);

/* Has the task all memory that there is? */
bool memory_budget_has_all(const memory_budget *of, size_t task);

#endif
