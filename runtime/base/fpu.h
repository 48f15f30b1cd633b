/* The floating-point environment of a query: round to nearest, denormals kept, exceptions masked,
 * whatever the caller's is. Error bounds and expansions rest on it. Entered once a query; the code in
 * between is reached through a function pointer, so that no compiler moves arithmetic across. */
#ifndef KILN_FPU_H
#define KILN_FPU_H

#include "ieee.h"

#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
typedef struct {
    uint32_t control;
} kiln_fpu_state;

enum { KILN_MXCSR_DEFAULT = 0x1F80, KILN_MXCSR_FLAGS = 0x3F };

static inline kiln_fpu_state kiln_fpu_enter(void)
{
    kiln_fpu_state caller = {_mm_getcsr()};
    if ((caller.control & ~(uint32_t)KILN_MXCSR_FLAGS) != KILN_MXCSR_DEFAULT) {
        _mm_setcsr(KILN_MXCSR_DEFAULT);
    }
    return caller;
}

/* The caller's sticky flags are as they were: a query raises none. */
static inline void kiln_fpu_leave(kiln_fpu_state caller)
{
    _mm_setcsr(caller.control);
}

#elif defined(__aarch64__)
typedef struct {
    uint64_t control, status;
} kiln_fpu_state;

static inline kiln_fpu_state kiln_fpu_enter(void)
{
    kiln_fpu_state caller;
    __asm__ volatile("mrs %0, fpcr" : "=r"(caller.control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(caller.status));
    if (caller.control != 0) {
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    }
    return caller;
}

static inline void kiln_fpu_leave(kiln_fpu_state caller)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(caller.control));
    __asm__ volatile("msr fpsr, %0" : : "r"(caller.status));
}

#else
#include <fenv.h>
typedef struct {
    fenv_t environment;
} kiln_fpu_state;

static inline kiln_fpu_state kiln_fpu_enter(void)
{
    kiln_fpu_state caller;
    (void)feholdexcept(&caller.environment);
    (void)fesetround(FE_TONEAREST);
    return caller;
}

static inline void kiln_fpu_leave(kiln_fpu_state caller)
{
    (void)fesetenv(&caller.environment);
}
#endif

#endif
