/* Each word of the vocabulary (simd.h) gives in the sets of this machine what it gives in plain C,
 * for zeros of both signs, denormals, infinities and NaN, too: `words` returns how many results
 * differ, and prints nothing, so that a host of WebAssembly can call it. A NaN that an operation
 * makes may have any sign and payload; one that is passed on keeps them. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    float a[8], b[8], small[8];
    int32_t i[8], j[8];
    double x[8], y[8];
    uint16_t shorts[8];
    uint8_t bytes[16];
} words_input;

enum { RESULTS_MAX = 512 };

#define KILN_SIMD_SET scalar
#define KILN_SIMD_LANES 1
#include "../../../runtime/base/simd.h"

#include "words_set.h"
#include "../../../runtime/base/simd_end.h"

#define KILN_SIMD_LANES 4
#if defined(__wasm_simd128__)
#define KILN_SIMD_SET simd128
#elif defined(__aarch64__)
#define KILN_SIMD_SET neon
#else
#define KILN_SIMD_SET sse42
#endif
#include "../../../runtime/base/simd.h"

#include "words_set.h"
#include "../../../runtime/base/simd_end.h"

#if defined(__x86_64__)
#define KILN_SIMD_SET avx2
#define KILN_SIMD_LANES 8
#include "../../../runtime/base/simd.h"

#include "words_set.h"
#include "../../../runtime/base/simd_end.h"
#endif

static uint64_t state;

static uint64_t next(void) /* SplitMix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double edge(void)
{
    static const double edges[] = {0.0,       -0.0,    1.0,       -1.0,      0x1p-149,
                                   -0x1p-140, 0x1p127, INFINITY,  -INFINITY, NAN,
                                   0.1,       -3.5,    0x1.8p-60, 255.0,     16777217.0};
    const unsigned which = (unsigned)(next() % 20);
    return which < 15 ? edges[which] : (double)(int64_t)next() * 0x1p-60;
}

/* The bits, and for what an operation made NaN one pattern; numbers are floats or doubles. */
static uint64_t plain(uint64_t bits)
{
    const bool nan = (bits >> 32 == 0 && (bits & 0x7FFFFFFFu) > 0x7F800000u) ||
                     (bits & INT64_MAX) > 0x7FF0000000000000u;
    return nan ? UINT64_MAX : bits;
}

unsigned words(void)
{
    static uint64_t wanted[RESULTS_MAX], got[RESULTS_MAX];
    unsigned differ = 0;
    state = 3;
    for (unsigned round = 0; round < 4000; round++) {
        words_input in;
        for (unsigned k = 0; k < 8; k++) {
            in.a[k] = (float)edge();
            in.b[k] = (float)edge();
            in.small[k] = (float)((double)(int64_t)next() * 0x1p-34);
            in.i[k] = (int32_t)next();
            in.j[k] = (int32_t)next();
            in.x[k] = edge();
            in.y[k] = edge();
            in.shorts[k] = (uint16_t)next();
            in.bytes[k] = (uint8_t)next();
        }
        const unsigned count = words_scalar(&in, wanted);
        for (unsigned set = 0; set < 2; set++) {
#if defined(__wasm_simd128__)
            const unsigned of_set = words_simd128(&in, got);
#elif defined(__aarch64__)
            const unsigned of_set = words_neon(&in, got);
#else
            const unsigned of_set = set == 0 || !__builtin_cpu_supports("avx2")
                                        ? words_sse42(&in, got)
                                        : words_avx2(&in, got);
#endif
            differ += of_set != count || count > RESULTS_MAX;
            for (unsigned k = 0; k < count; k++) {
                differ += plain(got[k]) != plain(wanted[k]);
            }
        }
    }
    return differ;
}

int main(void)
{
    return words() == 0 ? 0 : 1;
}
