/* Seconds of a clock that only runs forward, for reports of how long something took. */
#ifndef KILN_CLOCK_H
#define KILN_CLOCK_H

#include "../../formats/os.h"

static inline double kiln_seconds(void)
{
    return 1e-9 * (double)kiln_os_nanoseconds();
}

#endif
