/* Changes of a glTF model that leave it JSON, or a .glb of chunks. */
#ifndef KILN_FUZZ_MUTATE_GLTF_H
#define KILN_FUZZ_MUTATE_GLTF_H

#include <stddef.h>
#include <stdint.h>

/* Changes values of the document, bytes of its data, or its header, in a buffer that has room for
 * `most` bytes. Returns the new size; the old one where it is no glTF or has no room. */
size_t mutate_gltf(uint8_t *model, size_t size, size_t most, uint64_t *random);

#endif
