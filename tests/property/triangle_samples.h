/* Pairs of triangles that more than one property test samples. */
#ifndef KILN_TEST_TRIANGLE_SAMPLES_H
#define KILN_TEST_TRIANGLE_SAMPLES_H

#include <stdint.h>

typedef struct {
    double a[9], b[9]; /* corner, coordinate */
} sample;

/* Integers from 0 to at most 4: touching, coplanar and degenerate pairs abound. */
void sample_grid(uint64_t *state, sample *s);

/* Both by one random rotation and a translation of at most 1 on each axis. */
void sample_turn(uint64_t *state, sample *s);

/* The one after the other. */
void sample_turned_grid(uint64_t *state, sample *s);

#endif
