/* See pair_digest.h. */
#include "pair_digest.h"

#include <zlib.h>

uint32_t pair_digest(const kiln_pair *pairs, size_t count)
{
    uLong digest = crc32(0, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        const uint32_t ids[2] = {pairs[i].a, pairs[i].b};
        digest = crc32(digest, (const Bytef *)ids, sizeof ids);
    }
    return (uint32_t)digest;
}
