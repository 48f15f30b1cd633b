/* See geometry_hash.h. A sum keeps duplicates apart from single triangles, where exclusive or would
 * not. */
#include "geometry_hash.h"

#include "../common/sha256.h"

#include <string.h>

void kiln_geometry_hash_part(const float *positions, const uint32_t *indices, const uint32_t *list,
                             uint32_t first, uint32_t last, uint64_t sum[2])
{
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
