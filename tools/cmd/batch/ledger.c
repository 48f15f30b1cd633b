#include "ledger.h"

#include <stdlib.h>
#include <string.h>

/* What is run in vain is less than a third of the last run where the time goes with the memory. */
enum { RAISE = 4 };

bool ledger_open(ledger *of, size_t count, uint64_t limit)
{
    *of = (ledger){.limit = limit, .count = count, .waiting = count};
    of->lines = calloc(count, sizeof *of->lines);
    return of->lines != NULL;
}

void ledger_close(ledger *of)
{
    free(of->lines);
    memset(of, 0, sizeof *of);
}

void ledger_set_share(ledger *of, size_t task, uint64_t share)
{
    of->lines[task].share = of->limit != 0 && share > of->limit ? of->limit : share;
}

bool ledger_find(ledger *of, size_t *task)
{
    while (of->first < of->count && of->lines[of->first].state != LEDGER_WAITING) {
        of->first++;
    }
    for (size_t i = of->first; i < of->count && (of->limit == 0 || of->taken < of->limit); i++) {
        if (of->lines[i].state == LEDGER_WAITING &&
            (of->limit == 0 || of->lines[i].share <= of->limit - of->taken)) {
            *task = i;
            return true;
        }
    }
    return false;
}

bool ledger_any_later(const ledger *of)
{
    return of->waiting > 0 || of->may_return > 0;
}

void ledger_take(ledger *of, size_t task)
{
    of->lines[task].state = LEDGER_UNDER_WAY;
    of->waiting--;
    of->taken += of->lines[task].share;
    of->may_return += !ledger_has_all(of, task);
}

void ledger_give(ledger *of, size_t task, bool enough)
{
    ledger_line *line = &of->lines[task];
    of->taken -= line->share;
    of->may_return -= !ledger_has_all(of, task);
    line->state = enough ? LEDGER_ENDED : LEDGER_WAITING;
    if (!enough) {
        of->waiting++;
        ledger_set_share(of, task, line->share < UINT64_MAX / RAISE ? RAISE * line->share : UINT64_MAX);
        of->first = task < of->first ? task : of->first;
    }
}

bool ledger_has_all(const ledger *of, size_t task)
{
    return of->limit == 0 || of->lines[task].share == of->limit;
}
