/* Which axes the lists of an engine are along, and which of them an object uses. */
#ifndef KILN_AXIS_MASKS_H
#define KILN_AXIS_MASKS_H

#include "continuous.h"

enum { KILN_AXIS_WORDS = 4, KILN_AXIS_MOST = 64 * KILN_AXIS_WORDS };

/* Bit i % 64 of word i / 64 is axis i. */
typedef struct {
    uint64_t words[KILN_AXIS_WORDS];
} kiln_axis_mask;

/* The axes of an engine: the sweeps have 3 (IV-A) or 7 (those of Klosowski, IV-B), which all
 * objects use; others have a set, of which an object uses those in the zone of its velocity
 * (Equation 7). An object at rest uses the zone of one fixed velocity, as it shares an axis with
 * any other. */
typedef struct {
    const double (*axes)[3];
    uint32_t count;
    const kiln_axes *set; /* NULL: all objects use all axes */
    bool has_zones;
    double sine;
} kiln_axis_pool;

/* Of the world's options. False: it has too many axes, or phi is below its covering radius, where
 * two objects may share none. */
bool kiln_axis_pool_of(const kiln_dynamic_options *options, kiln_axis_pool *pool);

/* Axes of one object for the size of lists: the mean over all directions and a quarter of it, where
 * the built-in set has 18 at most. */
uint32_t kiln_axis_pool_mean(const kiln_axis_pool *pool);

kiln_axis_mask kiln_axis_mask_of(const kiln_axis_pool *pool, const double velocity[3]);

/* The next axis of a mask from `axis` on; KILN_AXIS_MOST: there is none. */
static inline uint32_t kiln_axis_next(const kiln_axis_mask *mask, uint32_t axis)
{
    for (uint32_t word = axis / 64; word < KILN_AXIS_WORDS; word++) {
        const uint64_t left =
            mask->words[word] & (word == axis / 64 ? ~UINT64_C(0) << axis % 64 : ~UINT64_C(0));
        if (left != 0) {
            return 64 * word + (uint32_t)__builtin_ctzll(left);
        }
    }
    return KILN_AXIS_MOST;
}

static inline kiln_axis_mask kiln_axis_shared(const kiln_axis_mask *x, const kiln_axis_mask *y)
{
    kiln_axis_mask shared;
    for (int i = 0; i < KILN_AXIS_WORDS; i++) {
        shared.words[i] = x->words[i] & y->words[i];
    }
    return shared;
}

/* An end of what an object sweeps along an axis: base + velocity t, at the time at which that is
 * least or greatest (Equation 14). */
typedef struct {
    float value, base, velocity;
    uint32_t tag; /* bit 0: upper end; then the place; then bits of the key */
} kiln_axis_end;

enum { KILN_AXIS_PLACE_BITS = 22, KILN_AXIS_KEY_BITS = 9 };

static inline uint32_t kiln_axis_tag(uint32_t place, uint32_t key, bool is_upper)
{
    return key << (1 + KILN_AXIS_PLACE_BITS) | place << 1 | (uint32_t)is_upper;
}

static inline uint32_t kiln_axis_place(uint32_t tag)
{
    return tag >> 1 & ((1u << KILN_AXIS_PLACE_BITS) - 1);
}

/* Of ends at one value the lower ones come first, so that what touches overlaps. */
static inline bool kiln_axis_is_before(const kiln_axis_end *x, const kiln_axis_end *y)
{
    return x->value < y->value || (x->value == y->value && (x->tag & 1) < (y->tag & 1));
}

/* The value in the time from `from` to `to`, both since the time of the bases. */
static inline float kiln_axis_value(const kiln_axis_end *end, float from, float to)
{
    const bool is_late = (end->velocity > 0) == ((end->tag & 1) != 0);
    return end->base + end->velocity * (is_late ? to : from);
}

/* Sorts ends by kiln_axis_is_before. */
void kiln_axis_sort(kiln_axis_end *ends, uint32_t count);

/* The ends of an object along an axis, whose bases are at `time`. */
void kiln_axis_ends_of(const kiln_dynamic *world, const double axis[3], uint32_t place, double time,
                       kiln_axis_end ends[2]);

/* Do two objects overlap along all axes that both use, in the time from the begin of the interval
 * to `horizon` after it? Where lists say so it is always true: it allows for twice their pad. */
bool kiln_axis_overlap(const kiln_dynamic *world, const kiln_axis_pool *pool,
                       const kiln_axis_mask *shared, uint32_t i, uint32_t j, float horizon);

#endif
