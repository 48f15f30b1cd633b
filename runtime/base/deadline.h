/* A moment from which on a query has no time left, by the caller's clock or the system's. */
#ifndef KILN_DEADLINE_H
#define KILN_DEADLINE_H

#include "../../formats/os.h"
#include "fpu.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    uint64_t (*clock)(void *user); /* nanoseconds; NULL: the system's */
    void *user;
    kiln_fpu_state caller; /* the environment that the clock runs in */
    uint64_t start, nanoseconds;
} kiln_deadline;

/* In the environment of fpu.h. */
static inline uint64_t kiln_deadline_clock(const kiln_deadline *of)
{
    if (of->clock == NULL) {
        return kiln_os_nanoseconds();
    }
    const kiln_fpu_state ours = kiln_fpu_enter();
    kiln_fpu_leave(of->caller);
    const uint64_t now = of->clock(of->user);
    kiln_fpu_leave(ours);
    return now;
}

/* So many nanoseconds from now; UINT64_MAX: never, and no clock is read. */
static inline kiln_deadline kiln_deadline_after(uint64_t nanoseconds, uint64_t (*clock)(void *user),
                                                void *user, kiln_fpu_state caller)
{
    kiln_deadline due = {clock, user, caller, 0, nanoseconds};
    due.start = nanoseconds != UINT64_MAX ? kiln_deadline_clock(&due) : 0;
    return due;
}

/* Is it past? Takes a kiln_deadline, as what a walk calls before each step. */
static inline bool kiln_deadline_is_past(const void *user)
{
    const kiln_deadline *due = (const kiln_deadline *)user;
    return due->nanoseconds != UINT64_MAX &&
           kiln_deadline_clock(due) - due->start >= due->nanoseconds;
}

/* What a walk is to call: nothing where there is no deadline. */
typedef bool (*kiln_is_late)(const void *user);

static inline kiln_is_late kiln_deadline_check(const kiln_deadline *due)
{
    return due->nanoseconds != UINT64_MAX ? kiln_deadline_is_past : NULL;
}

#endif
