/* SHA-256 as FIPS 180-4 defines it: names and numbers of sections are those of the standard. Blocks
 * are compressed in plain C or by the SHA instructions of x86-64, chosen when the first block
 * comes. Both give the same digest, which a test compares. */
#include "sha256.h"

#include "../../formats/assert.h"

#include <string.h>

/* A test takes the plain way as well. */
#if defined(__x86_64__) && !defined(KILN_SHA256_PLAIN)
#define HAVE_INSTRUCTIONS 1
#else
#define HAVE_INSTRUCTIONS 0
#endif
#if HAVE_INSTRUCTIONS
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>
#include <stdbool.h>
#endif

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2). */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static void store_big_endian(uint8_t *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> (24 - 8 * i));
}

/* One round of 6.2.2, step 3, with the working variables named by their places: instead of moving
 * them along, the next round names them one further. */
#define ROUND(a, b, c, d, e, f, g, h, t)                                                           \
    do {                                                                                           \
        const uint32_t sum1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);      \
        const uint32_t sum0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);      \
        const uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + K[t] + w[t];                         \
        d += t1;                                                                                   \
        h = t1 + sum0 + ((a & b) ^ (a & c) ^ (b & c));                                             \
    } while (0)

/* 6.2.2, steps 1 to 4. */
static void compress_plain(uint32_t state[8], const uint8_t *data, size_t blocks)
{
    for (; blocks > 0; blocks--, data += KILN_SHA256_BLOCK) {
        uint32_t w[64], v[8];

        for (int t = 0; t < 16; t++)
            w[t] = load_big_endian(data + 4 * t);
        for (int t = 16; t < 64; t++) {
            /* The message schedule: sigma 1 of w[t - 2] and sigma 0 of w[t - 15]. */
            const uint32_t x = w[t - 15], y = w[t - 2];

            w[t] = (rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10) + w[t - 7] +
                   (rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3) + w[t - 16];
        }
        memcpy(v, state, sizeof v);
        for (int t = 0; t < 64; t += 8) {
            ROUND(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], t);
            ROUND(v[7], v[0], v[1], v[2], v[3], v[4], v[5], v[6], t + 1);
            ROUND(v[6], v[7], v[0], v[1], v[2], v[3], v[4], v[5], t + 2);
            ROUND(v[5], v[6], v[7], v[0], v[1], v[2], v[3], v[4], t + 3);
            ROUND(v[4], v[5], v[6], v[7], v[0], v[1], v[2], v[3], t + 4);
            ROUND(v[3], v[4], v[5], v[6], v[7], v[0], v[1], v[2], t + 5);
            ROUND(v[2], v[3], v[4], v[5], v[6], v[7], v[0], v[1], t + 6);
            ROUND(v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[0], t + 7);
        }
        for (int i = 0; i < 8; i++)
            state[i] += v[i];
    }
}

#if HAVE_INSTRUCTIONS
/* The same by the processor's own instructions: two rounds each, on the variables as (a b e f) and
 * (c d g h), highest first. */
__attribute__((target("sha,ssse3,sse4.1"))) static void
compress_by_instructions(uint32_t state[8], const uint8_t *data, size_t blocks)
{
    /* Words of the standard are big-endian, those of the processor little-endian. */
    const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    const __m128i abcd =
        _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xB1);
    const __m128i efgh =
        _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1B);
    __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xF0);

    for (; blocks > 0; blocks--, data += KILN_SHA256_BLOCK) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4];

        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(data + 16 * i)),
                                    swap);
        for (int t = 0; t < 64; t += 4) {
            const __m128i sum =
                _mm_add_epi32(w[0], _mm_loadu_si128((const __m128i *)(const void *)(K + t)));
            const __m128i next = _mm_sha256msg2_epu32(
                _mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), _mm_alignr_epi8(w[3], w[2], 4)),
                w[3]);

            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
            w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = next;
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* Leaf 7: EBX bit 29; leaf 1: ECX bits 9 and 19, SSSE3 and SSE4.1. */
static bool has_instructions(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 9 & c >> 19 & 1u) != 0 &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1u) != 0;
}
#endif

/* By the processor's own instructions where it has them; the digest is the same. */
static void compress(uint32_t state[8], const uint8_t *data, size_t blocks)
{
    KILN_ASSERT(blocks > 0);
#if HAVE_INSTRUCTIONS
    /* Several threads may look at once: all find the same, so no order between them is needed. */
    static atomic_int known; /* 0: not looked for yet; 1: no; 2: yes */
    int has = atomic_load_explicit(&known, memory_order_relaxed);

    if (has == 0) {
        has = has_instructions() ? 2 : 1;
        atomic_store_explicit(&known, has, memory_order_relaxed);
    }
    if (has == 2) {
        compress_by_instructions(state, data, blocks);
        return;
    }
#endif
    compress_plain(state, data, blocks);
}

void kiln_sha256_init(kiln_sha256 *hash)
{
    /* Square roots of the first eight primes (5.3.3). */
    static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(hash->state, initial, sizeof initial);
    hash->length = 0;
}

/* Whole blocks are taken from where they lie; only the rest is copied. */
void kiln_sha256_update(kiln_sha256 *hash, const void *data, size_t size)
{
    KILN_ASSERT(data != NULL || size == 0);
    const uint8_t *bytes = data;

    while (size > 0) {
        size_t used = (size_t)(hash->length % KILN_SHA256_BLOCK);
        size_t take = KILN_SHA256_BLOCK - used < size ? KILN_SHA256_BLOCK - used : size;

        if (take == KILN_SHA256_BLOCK) {
            take = size / KILN_SHA256_BLOCK * KILN_SHA256_BLOCK;
            compress(hash->state, bytes, take / KILN_SHA256_BLOCK);
        } else {
            memcpy(hash->block + used, bytes, take);
            if (used + take == KILN_SHA256_BLOCK)
                compress(hash->state, hash->block, 1);
        }
        hash->length += take;
        bytes += take;
        size -= take;
    }
}

/* Padding: a one bit, zeros, and the length in bits in the last eight bytes of a block. */
void kiln_sha256_final(kiln_sha256 *hash, uint8_t digest[KILN_SHA256_SIZE])
{
    static const uint8_t padding[KILN_SHA256_BLOCK] = {0x80};
    size_t used = (size_t)(hash->length % KILN_SHA256_BLOCK);
    uint64_t bits = hash->length * 8;
    uint8_t length[8];

    store_big_endian(length, (uint32_t)(bits >> 32));
    store_big_endian(length + 4, (uint32_t)bits);
    kiln_sha256_update(hash, padding, used < 56 ? 56 - used : 120 - used);
    kiln_sha256_update(hash, length, sizeof length);
    for (int i = 0; i < 8; i++)
        store_big_endian(digest + 4 * i, hash->state[i]);
}
