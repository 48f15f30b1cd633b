/* SHA-256 (FIPS 180-4), fed in pieces. */
#ifndef KILN_SHA256_H
#define KILN_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { KILN_SHA256_SIZE = 32, KILN_SHA256_BLOCK = 64 };

typedef struct {
    uint32_t state[8];
    uint64_t length;                  /* bytes fed so far */
    uint8_t block[KILN_SHA256_BLOCK]; /* the last length % 64 bytes of them */
} kiln_sha256;

void kiln_sha256_init(kiln_sha256 *hash);
void kiln_sha256_update(kiln_sha256 *hash, const void *data, size_t size);
void kiln_sha256_final(kiln_sha256 *hash, uint8_t digest[KILN_SHA256_SIZE]);

#endif
