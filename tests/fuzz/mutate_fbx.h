/* Changes of a model in FBX that mostly leave its records whole. */
#ifndef KILN_FUZZ_MUTATE_FBX_H
#define KILN_FUZZ_MUTATE_FBX_H

#include <stddef.h>
#include <stdint.h>

/* Changes numbers and records of a text, and bytes, sizes and numbers of a binary file, in a buffer
 * that has room for `most` bytes. Returns the new size. */
size_t mutate_fbx(uint8_t *model, size_t size, size_t most, uint64_t *random);

#endif
