/* A picture as a PNG file. */
#ifndef KILN_VIEW_PNG_H
#define KILN_VIEW_PNG_H

#include <stddef.h>
#include <stdint.h>

/* `pixels` [4 width height]: red, green, blue, opacity, rows from the top. The file is in new
 * memory; NULL: there is none. */
uint8_t *png_make(const uint8_t *pixels, uint32_t width, uint32_t height, size_t *size);

#endif
