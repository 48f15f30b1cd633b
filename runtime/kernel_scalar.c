/* The reference: one lane at a time, for every machine. */
#include "adb_lanes.h"
#include "exact.h"
#include "line_walk.h"

#include <float.h>
#include <math.h>

#define KILN_SIMD_SET scalar
#define KILN_SIMD_LANES 1
#include "simd.h"

#include "kernel_set.h"
#include "simd_end.h"
