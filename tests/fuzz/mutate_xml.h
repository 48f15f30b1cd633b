/* Changes of a model in XML that mostly leave it well-formed. */
#ifndef KILN_FUZZ_MUTATE_XML_H
#define KILN_FUZZ_MUTATE_XML_H

#include <stddef.h>
#include <stdint.h>

/* Changes numbers, attributes and elements, in a buffer that has room for `most` bytes. Returns the
 * new size. */
size_t mutate_xml(uint8_t *model, size_t size, size_t most, uint64_t *random);

#endif
