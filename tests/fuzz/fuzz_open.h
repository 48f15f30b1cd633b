/* The fuzz target, which libFuzzer's main and test_open.c both call. */
#ifndef KILN_FUZZ_OPEN_H
#define KILN_FUZZ_OPEN_H

#include <stddef.h>
#include <stdint.h>

/* What the first byte of an input asks for; the file follows it. */
enum {
    FUZZ_RESEAL =
        1, /* magic, version, length and checksums are put right before the file is opened */
    FUZZ_NO_SOURCE = 2,
    FUZZ_SHIFT = 4,   /* at an address at which no section can be used in place */
    FUZZ_ONE_KIND = 8 /* only trees of one kind */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
