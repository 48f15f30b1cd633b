/* See triangle_samples.h. */
#include "triangle_samples.h"

#include "../support/meshes.h"

void sample_grid(uint64_t *state, sample *s)
{
    const uint32_t extent = 2 + random_below(state, 4);
    for (int i = 0; i < 9; i++) {
        s->a[i] = (double)random_below(state, extent);
        s->b[i] = (double)random_below(state, extent);
    }
}

void sample_turn(uint64_t *state, sample *s)
{
    const kiln_pose pose = pose_random(state, 1);
    for (int t = 0; t < 6; t++) {
        double *p = t < 3 ? s->a + 3 * t : s->b + 3 * (t - 3);
        const double q[3] = {p[0], p[1], p[2]};
        for (int k = 0; k < 3; k++) {
            const double *row = pose.rotation + 3 * k;
            p[k] = row[0] * q[0] + row[1] * q[1] + row[2] * q[2] + pose.translation[k];
        }
    }
}

void sample_turned_grid(uint64_t *state, sample *s)
{
    sample_grid(state, s);
    sample_turn(state, s);
}
