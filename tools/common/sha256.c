/* SHA-256, as FIPS 180-4 writes it down: names follow the standard's. */
#include "sha256.h"

#include <string.h>

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

/* 6.2.2, steps 1 to 4. */
static void compress(uint32_t state[8], const uint8_t block[KILN_SHA256_BLOCK])
{
    uint32_t w[64], v[8];

    for (int t = 0; t < 16; t++)
        w[t] = load_big_endian(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    memcpy(v, state, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t a = v[0], b = v[1], c = v[2], e = v[4];
        uint32_t sum1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t choice = (e & v[5]) ^ (~e & v[6]);
        uint32_t t1 = v[7] + sum1 + choice + K[t] + w[t];
        uint32_t sum0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));

        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void kiln_sha256_init(kiln_sha256 *hash)
{
    /* Square roots of the first eight primes (5.3.3). */
    static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(hash->state, initial, sizeof initial);
    hash->length = 0;
}

void kiln_sha256_update(kiln_sha256 *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    while (size > 0) {
        size_t used = (size_t)(hash->length % KILN_SHA256_BLOCK);
        size_t take = KILN_SHA256_BLOCK - used < size ? KILN_SHA256_BLOCK - used : size;

        if (take == KILN_SHA256_BLOCK) {
            compress(hash->state, bytes);
        } else {
            memcpy(hash->block + used, bytes, take);
            if (used + take == KILN_SHA256_BLOCK)
                compress(hash->state, hash->block);
        }
        hash->length += take;
        bytes += take;
        size -= take;
    }
}

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
