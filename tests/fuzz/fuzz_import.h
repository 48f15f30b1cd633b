/* The fuzz target of the formats that Assimp reads, which libFuzzer's main and test_import.c
 * both call. */
#ifndef KILN_FUZZ_IMPORT_H
#define KILN_FUZZ_IMPORT_H

#include <stddef.h>
#include <stdint.h>

/* Extensions, NULL at the end. The first byte of an input is the index of one, modulo their
 * number; the model follows it. */
extern const char *const fuzz_import_formats[];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
