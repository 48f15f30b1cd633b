/* Kernels for WebAssembly with SIMD128. */
#include "adb_lanes.h"
#include "moving_lanes.h"
#include "ball_lanes.h"
#include "winding_lanes.h"
#include "../exact/exact.h"
#include "../pose/line.h"

#if defined(__wasm_simd128__)

#include <float.h>
#include <math.h>

#define KILN_SIMD_SET simd128
#define KILN_SIMD_LANES 4
#include "../base/simd.h"

#include "kernel_set.h"
#include "../base/simd_end.h"

#endif
