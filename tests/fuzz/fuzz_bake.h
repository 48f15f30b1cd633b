/* The fuzz target of baking, which libFuzzer's main and test_bake.c both call. */
#ifndef KILN_FUZZ_BAKE_H
#define KILN_FUZZ_BAKE_H

#include <stddef.h>
#include <stdint.h>

/* What the first two bytes of an input ask for; the model follows them. */
enum {
    FUZZ_FORMAT =
        3, /* obj, ply, stl, off; points, glTF, FBX and XML go by the start of the model */
    FUZZ_KINDS = 3 * 4, /* obb; aabb; obb2 and aabb2; obb and aabb */
    FUZZ_SPLIT = 1 << 4,
    FUZZ_RAW = 1 << 5,
    FUZZ_DROP_BAD = 1 << 6,
    FUZZ_MEDIAN = 1 << 7,
    /* the second byte */
    FUZZ_DROP = 3, /* as KILN_DROP_... */
    FUZZ_LOSSY = 4,
    FUZZ_UP_X = 8,
    FUZZ_COUNTS = 16,
    FUZZ_LEAF_ONE = 32,
    FUZZ_SCALE = 64,
    FUZZ_POINTS = 128
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
