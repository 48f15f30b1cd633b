/* What a tree's entry says of the geometry below it: its hash, and whether its surface is closed.
 *
 * Both are sums over triangles, in any order, so parts of a list are summed by several threads at
 * once. */
#include "geometry.h"

#include "../../formats/assert.h"
#include "../common/sha256.h"

#include <string.h>

/* ------------------------------------------------------------------------------------- hash -- */

/* A sum keeps duplicates apart from single triangles, where exclusive or would
 * not. */

void kiln_geometry_hash_part(const float *positions, const uint32_t *indices, const uint32_t *list,
                             uint32_t first, uint32_t last, uint64_t sum[2])
{
    KILN_ASSERT(first <= last);
    sum[0] = sum[1] = 0;
    for (uint32_t i = first; i < last; i++) {
        const uint32_t *corner = indices + 3 * (size_t)(list != NULL ? list[i] : i);
        float floats[9];
        uint8_t digest[KILN_SHA256_SIZE];
        uint64_t part[2];
        kiln_sha256 sha;
        for (int k = 0; k < 3; k++) {
            memcpy(floats + 3 * k, positions + 3 * (size_t)corner[k], 3 * sizeof(float));
        }
        kiln_sha256_init(&sha);
        kiln_sha256_update(&sha, floats, sizeof floats);
        kiln_sha256_final(&sha, digest);
        memcpy(part, digest, sizeof part);
        sum[0] += part[0];
        sum[1] += part[1];
    }
}

void kiln_geometry_hash(const float *positions, const uint32_t *indices, const uint32_t *list,
                        uint32_t count, uint8_t hash[16])
{
    uint64_t sum[2];
    kiln_geometry_hash_part(positions, indices, list, 0, count, sum);
    memcpy(hash, sum, sizeof sum);
}

/* -------------------------------------------------------------------------- closed surfaces -- */

/* A mesh is closed where its boundary is zero: every edge is passed as often one way as the other;
 * or, if only numbers count, an even number of times. Both sums over all edges vanish exactly then.
 *
 * The sums are of random numbers for edges, in time linear in the triangles and without memory:
 * each edge, in the direction in which its corners compare, is hashed to 128 bits, which are added
 * where it is passed that way, taken off where the other, modulo 2^64 each; and all are combined by
 * exclusive or. A sum is zero by chance once in 2^128 meshes that are not closed. */

/* The coordinates of a corner as the bits of the floats, with -0 as 0. */
typedef struct {
    uint32_t word[3];
} place;

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Both ends enter every step, so that edges which share an end differ like any others. */
static uint64_t hash_edge(const place *low, const place *high, uint64_t seed)
{
    uint64_t hash = seed;
    for (int k = 0; k < 3; k++) {
        hash = mix(hash + ((uint64_t)low->word[k] << 32 | high->word[k]) + 0x9E3779B97F4A7C15u);
    }
    return mix(hash + seed);
}

void kiln_closed_part(const float *positions, const uint32_t *indices, const uint32_t *list,
                      uint32_t first, uint32_t last, kiln_closed_sums *sums)
{
    KILN_ASSERT(first <= last);
    static const uint64_t seeds[2] = {0x243F6A8885A308D3u, 0x13198A2E03707344u};
    memset(sums, 0, sizeof *sums);
    for (uint32_t i = first; i < last; i++) {
        const uint32_t *corner = indices + 3 * (size_t)(list != NULL ? list[i] : i);
        place at[3];
        for (int k = 0; k < 3; k++) {
            for (int axis = 0; axis < 3; axis++) {
                const float x = positions[3 * (size_t)corner[k] + (size_t)axis];
                const float same = x == 0.0f ? 0.0f : x; /* -0 is 0 */
                memcpy(&at[k].word[axis], &same, sizeof same);
            }
        }
        for (int k = 0; k < 3; k++) {
            const place *from = &at[k], *to = &at[(k + 1) % 3];
            int order = 0;
            for (int axis = 0; axis < 3 && order == 0; axis++) {
                order = (from->word[axis] > to->word[axis]) - (from->word[axis] < to->word[axis]);
            }
            for (int n = 0; n < 2 && order != 0; n++) {
                const uint64_t hash =
                    order < 0 ? hash_edge(from, to, seeds[n]) : hash_edge(to, from, seeds[n]);
                /* An edge that is passed in both directions adds a number and subtracts it again.
                 */
                sums->sum[n] += order < 0 ? hash : 0 - hash;
                sums->parity[n] ^= hash;
            }
        }
    }
}

void kiln_closed_add(kiln_closed_sums *sums, const kiln_closed_sums *part)
{
    for (int n = 0; n < 2; n++) {
        sums->sum[n] += part->sum[n];
        sums->parity[n] ^= part->parity[n];
    }
}

uint32_t kiln_closed_of(const kiln_closed_sums *sums)
{
    if (sums->sum[0] == 0 && sums->sum[1] == 0) {
        return KILN_CLOSED_ORIENTED;
    }
    return sums->parity[0] == 0 && sums->parity[1] == 0 ? KILN_CLOSED_EVEN : KILN_CLOSED_NOT;
}

uint32_t kiln_closed(const float *positions, const uint32_t *indices, const uint32_t *list,
                     uint32_t count)
{
    kiln_closed_sums sums;
    kiln_closed_part(positions, indices, list, 0, count, &sums);
    return kiln_closed_of(&sums);
}
