/* What finding the axes of a velocity costs: by products with all axes, and by the look-up table,
 * one random velocity after the other, and in groups of 32 after 32 MiB of other memory was
 * touched. Times are the least of several rounds in which both alternate. */
#define _POSIX_C_SOURCE 200809L

#include "../../lut/axes_math.h"
#include "../../runtime/kiln_axes.h"
#include "../support/quick_axes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SETS = 5, ROUNDS = 9, VELOCITIES = 4096, GROUP = 32, OTHER = 32 << 20, WORDS = 64 };

static const struct {
    uint32_t points;
    bool antipodal;
} sets[SETS] = {{20, false}, {72, false}, {140, true}, {492, false}, {1212, false}};

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t taken; /* what is found is used */

/* ns a velocity. */
static double ask(const kiln_axes *axes, double sine, const double (*velocities)[3], uint32_t count)
{
    uint64_t mask[WORDS];
    const double start = now();
    for (uint32_t i = 0; i < count; i++) {
        (void)kiln_axes_zone(axes, velocities[i], sine, mask, NULL);
        taken += mask[0];
    }
    return (now() - start) / count;
}

int main(void)
{
    static double velocities[VELOCITIES][3];
    uint64_t random = 1;
    uint8_t *other = malloc(OTHER);
    if (other == NULL) {
        return 1;
    }
    for (unsigned i = 0; i < VELOCITIES; i++) {
        kiln_lut_random_point(&random, velocities[i]);
    }
    printf("%6s %6s %10s | %10s %10s | %10s %10s\n", "axes", "phi", "table", "products", "table",
           "cold", "cold");
    for (unsigned s = 0; s < SETS; s++) {
        size_t size;
        kiln_axes *axes;
        void *bytes = quick_axes(sets[s].points, sets[s].antipodal, true, KILN_LAYOUT_RAW, &size);
        if (kiln_axes_open_memory(bytes, size, NULL, &axes) != KILN_OK) {
            return 1;
        }
        const kiln_axes_info info = kiln_axes_get_info(axes);
        double least[4] = {1e9, 1e9, 1e9, 1e9};
        for (unsigned round = 0; round < ROUNDS; round++) {
            for (unsigned way = 0; way < 4; way++) {
                const double sine = way % 2 == 0 ? info.sine : 0.0;
                double time = 0;
                if (way < 2) {
                    time = ask(axes, sine, (const double(*)[3])velocities, VELOCITIES);
                } else {
                    for (unsigned group = 0; group < 16; group++) {
                        memset(other, (int)group, OTHER);
                        time +=
                            ask(axes, sine, (const double(*)[3])velocities + GROUP * group, GROUP) /
                            16;
                    }
                }
                least[way] = time < least[way] ? time : least[way];
            }
        }
        printf("%6u %6.2f %7.1f MB | %10.0f %10.0f | %10.0f %10.0f\n", info.count,
               info.radius * 180 / KILN_LUT_PI, (double)info.bytes / 1e6, least[0], least[1],
               least[2], least[3]);
        kiln_axes_close(axes);
        free(bytes);
    }
    free(other);
    return taken == 0;
}
