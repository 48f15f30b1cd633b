/* Kernels for x86-64 with AVX2 and FMA. */
#include "adb_lanes.h"
#include "moving_lanes.h"
#include "ball_lanes.h"
#include "winding_lanes.h"
#include "../exact/exact.h"
#include "../pose/line.h"

#if defined(__x86_64__)

#include <float.h>
#include <math.h>

#define KILN_SIMD_SET avx2
#define KILN_SIMD_LANES 8
#include "../base/simd.h"

#include "kernel_set.h"
#include "../base/simd_end.h"

#endif
