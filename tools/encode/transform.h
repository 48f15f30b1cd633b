/* The forward direction of the reader's transforms (formats/codec.h). */
#ifndef KILN_TRANSFORM_H
#define KILN_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

/* Applies `transform` to one block of whole elements. `in` and `out` [size bytes] don't overlap. */
void kiln_transform_apply(uint16_t transform, uint32_t element_size, const uint8_t *in,
                          uint8_t *out, size_t size);

#endif
