/* A small picture of a mesh, for tables. */
#ifndef KILN_VIEW_PICTURE_H
#define KILN_VIEW_PICTURE_H

#include <stddef.h>
#include <stdint.h>

enum { PICTURE_WIDTH = 144, PICTURE_HEIGHT = 96 };

/* Draws triangles [3 count], indices into `vertices` [3 each], from above the corner between x, y
 * and z, without perspective, and returns a PNG file in new memory; NULL: there is none. The same
 * bytes on every machine with one version of zlib. Cost: linear; 40 ns a triangle and more where
 * triangles are large. */
uint8_t *picture_of(const float *vertices, const uint32_t *triangles, uint64_t count, size_t *size);

#endif
