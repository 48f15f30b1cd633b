/* The floating-point environment of a query: round to nearest, denormals kept, exceptions masked,
 * whatever the caller's is. Error bounds and expansions rest on it. It is entered once per query:
 *
 *     const kiln_fpu_state caller = kiln_fpu_enter();
 *     KILN_FPU_CALL(run, compute);
 *     const double result = run(x);
 *     kiln_fpu_leave(caller);
 */
#ifndef KILN_FPU_H
#define KILN_FPU_H

#include "compiler.h"

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

/* The caller's sticky flags are as they were: a query raises none. Where nothing has changed,
 * nothing is written, which would take longer than to look. */
static inline void kiln_fpu_leave(kiln_fpu_state caller)
{
    if (_mm_getcsr() != caller.control) {
        _mm_setcsr(caller.control);
    }
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

#elif defined(__wasm__)
/* WebAssembly always rounds to nearest, keeps denormals and has neither flags nor exceptions. */
typedef struct {
    char unused;
} kiln_fpu_state;

static inline kiln_fpu_state kiln_fpu_enter(void)
{
    const kiln_fpu_state caller = {0};
    return caller;
}

static inline void kiln_fpu_leave(kiln_fpu_state caller)
{
    (void)caller;
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

/* Declares `call`, a pointer through which `function` is called between kiln_fpu_enter and
 * kiln_fpu_leave. To a compiler the environment is no operand of arithmetic: it may inline a
 * function and move its arithmetic before the one or behind the other, into the caller's
 * environment. A pointer that is volatile has to be read in between, and what it points to can
 * be neither known nor inlined. */
#define KILN_FPU_CALL(call, function) __typeof__(&*(function)) volatile call = (function)

#endif
