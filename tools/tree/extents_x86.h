/* The builder's innermost loop for processors with AVX2. */
#ifndef KILN_BUILD_EXTENTS_X86_H
#define KILN_BUILD_EXTENTS_X86_H

#include "cloud.h"

#if defined(__x86_64__)
#define KILN_HAVE_EXTENTS_X86 1

bool kiln_extents_x86_possible(void);

/* As kiln_points_extents, on processors where that is possible. */
void kiln_extents_x86(const kiln_points *points, float axis[3][3], kiln_extents *out);

#else
#define KILN_HAVE_EXTENTS_X86 0
#endif

#endif
