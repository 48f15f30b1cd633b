/* See rounding.h. */
#include "rounding.h"

#include <fenv.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static fenv_t outside;

void rounding_enter(int mode)
{
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    (void)fegetenv(&outside);
    if (mode < 4) {
        (void)fesetround(modes[mode]);
        return;
    }
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040u); /* FTZ and DAZ */
#endif
}

void rounding_leave(void)
{
    (void)fesetenv(&outside);
}
