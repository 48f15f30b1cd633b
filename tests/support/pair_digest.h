/* The ids of pairs of triangles in one number, for tables of answers. */
#ifndef KILN_TEST_PAIR_DIGEST_H
#define KILN_TEST_PAIR_DIGEST_H

#include "../../runtime/kiln.h"

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of a, b of each pair in turn. */
uint32_t pair_digest(const kiln_pair *pairs, size_t count);

#endif
