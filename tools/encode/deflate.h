/* Deflate streams of segments. */
#ifndef KILN_DEFLATE_H
#define KILN_DEFLATE_H

#include "transform.h"

/* The smallest of a few streams (RFC 1951) that inflate to `data` [size >= 1 bytes], released by free();
 * NULL without memory. Depends on the data, the segments and zlib only. */
uint8_t *kiln_deflate(const uint8_t *data, size_t size, const kiln_segments *segments,
                      uint32_t *stored_size);

#endif
