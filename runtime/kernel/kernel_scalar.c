/* The reference: one lane at a time, for every machine. */
#include "adb_lanes.h"
#include "moving_lanes.h"
#include "ball_lanes.h"
#include "winding_lanes.h"
#include "../exact/exact.h"
#include "../pose/line.h"

#include <float.h>
#include <math.h>

#define KILN_SIMD_SET scalar
#define KILN_SIMD_LANES 1
#include "../base/simd.h"

#include "kernel_set.h"
#include "../base/simd_end.h"
