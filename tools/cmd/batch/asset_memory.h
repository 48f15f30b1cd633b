/* How much memory an asset may take, guessed from its source before it is read. */
#ifndef KILN_CMD_BATCH_ASSET_MEMORY_H
#define KILN_CMD_BATCH_ASSET_MEMORY_H

#include <stdint.h>

/* For a model of `size` bytes, in that format, or in that of its extension where it is NULL. */
uint64_t asset_memory_guess(const char *input, const char *format, uint64_t size);

#endif
