/* A memory budget: tasks take shares of a limit and give them back.
 *
 * The lines of all tasks stand in one array, in the order in which tasks should begin. A search for
 * the next one starts at `first`, before which nothing waits, and takes the first task whose share
 * fits into what is left. So small tasks overtake a large one as long as there is no room for it;
 * it is never passed over forever, since a share is at most the limit and everything under way
 * ends.
 *
 * A task is waiting, under way, or ended. It goes back from under way to waiting when its share was
 * too small; its share then grows by a factor, so this happens a bounded number of times. */
#include "memory_budget.h"

#include "../../../formats/assert.h"

#include <stdlib.h>
#include <string.h>

/* With a factor of 4, the runs in vain take less than a third of the last run, as far as time goes
 * with memory. */
enum { RAISE = 4 };

bool memory_budget_open(memory_budget *of, size_t count, uint64_t limit)
{
    *of = (memory_budget){.limit = limit, .count = count, .waiting = count};
    of->lines = calloc(count, sizeof *of->lines);
    return of->lines != NULL;
}

void memory_budget_close(memory_budget *of)
{
    free(of->lines);
    memset(of, 0, sizeof *of);
}

void memory_budget_set_share(memory_budget *of, size_t task, uint64_t share)
{
    KILN_ASSERT(task < of->count);
    KILN_ASSERT(of->lines[task].state != MEMORY_UNDER_WAY); /* its share is part of `taken` */
    of->lines[task].share = of->limit != 0 && share > of->limit ? of->limit : share;
}

/* `first` moves past what no longer waits, so a search costs little also near the end of a long
 * list. */
bool memory_budget_find(memory_budget *of, size_t *task)
{
    while (of->first < of->count && of->lines[of->first].state != MEMORY_WAITING) {
        of->first++;
    }
    for (size_t i = of->first; i < of->count && (of->limit == 0 || of->taken < of->limit); i++) {
        if (of->lines[i].state == MEMORY_WAITING &&
            (of->limit == 0 || of->lines[i].share <= of->limit - of->taken)) {
            *task = i;
            return true;
        }
    }
    return false;
}

bool memory_budget_any_later(const memory_budget *of)
{
    return of->waiting > 0 || of->may_return > 0;
}

void memory_budget_take(memory_budget *of, size_t task)
{
    KILN_ASSERT(task < of->count && of->waiting > 0);
    KILN_ASSERT(of->lines[task].state == MEMORY_WAITING);
    KILN_ASSERT(of->limit == 0 || of->lines[task].share <= of->limit - of->taken);
    of->lines[task].state = MEMORY_UNDER_WAY;
    of->waiting--;
    of->taken += of->lines[task].share;
    of->may_return += !memory_budget_has_all(of, task);
}

/* The share that is given back is the one that was taken: it may not change while a task is under
 * way. */
void memory_budget_give(memory_budget *of, size_t task, bool enough)
{
    memory_budget_line *line = &of->lines[task];
    KILN_ASSERT(task < of->count);
    KILN_ASSERT(line->state == MEMORY_UNDER_WAY);
    KILN_ASSERT(of->taken >= line->share);
    of->taken -= line->share;
    of->may_return -= !memory_budget_has_all(of, task);
    line->state = enough ? MEMORY_ENDED : MEMORY_WAITING;
    if (!enough) {
        KILN_ASSERT(line->share < of->limit); /* with everything there is no second run */
        of->waiting++;
        memory_budget_set_share(
            of, task, line->share < UINT64_MAX / RAISE ? RAISE * line->share : UINT64_MAX);
        of->first = task < of->first ? task : of->first;
    }
}

bool memory_budget_has_all(const memory_budget *of, size_t task)
{
    KILN_ASSERT(task < of->count);
    return of->limit == 0 || of->lines[task].share == of->limit;
}
