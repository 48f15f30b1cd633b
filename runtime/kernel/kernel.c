/* Chooses the set of kernels that runs.
 *
 * Answers are the same with all sets, so the choice is one of speed only: the last that the
 * processor runs. Tests force another one, to compare them. */
#include "kernel.h"

/* Ordered from the one that always runs to the best. */
static const kiln_kernel *const built[] = {
    &kiln_kernel_scalar,
#if defined(__x86_64__)
    &kiln_kernel_sse42,
    &kiln_kernel_avx2,
#elif defined(__aarch64__)
    &kiln_kernel_neon,
#elif defined(__wasm_simd128__)
    &kiln_kernel_simd128,
#endif
};
enum { BUILT = sizeof built / sizeof built[0] };

static const kiln_kernel *forced;

/* How many of them this processor and operating system run. The compiler's own table of the
 * processor's features is filled before main, so this is two loads and needs no state. */
static inline unsigned runnable(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt")) {
        return 1;
    }
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 3 : 2;
#else
    return BUILT;
#endif
}

/* The load is atomic since a test may force a set while other threads run queries. */
const kiln_kernel *kiln_kernel_active(void)
{
    const kiln_kernel *kernel = __atomic_load_n(&forced, __ATOMIC_RELAXED);
    return kernel != NULL ? kernel : built[runnable() - 1];
}

const kiln_kernel *kiln_kernel_runnable(unsigned index)
{
    return index < runnable() ? built[index] : NULL;
}

void kiln_kernel_force(const kiln_kernel *kernel)
{
    __atomic_store_n(&forced, kernel, __ATOMIC_RELAXED);
}
