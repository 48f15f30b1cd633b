/* The strings of a soup: UTF-8 in one block, each named by its offset. */
#ifndef KILN_IMPORT_NAMES_H
#define KILN_IMPORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    void *text; /* of char; zero-ended strings; offset 0 is "" */
    size_t size, capacity;
    bool failed; /* no memory, or too many; the offsets given since are 0 */
} kiln_names;

/* Appends to the unfinished string, which starts at the last kiln_names_end. Every byte that is not
 * UTF-8 becomes U+FFFD. */
void kiln_names_append(kiln_names *names, const char *text);

/* Ends the unfinished string and returns its offset. */
uint32_t kiln_names_end(kiln_names *names);

/* Appends a whole string and returns its offset. */
uint32_t kiln_names_add(kiln_names *names, const char *text);

/* Adds "parent/name"; the parent is the offset of a string of these. */
uint32_t kiln_names_join(kiln_names *names, uint32_t parent, const char *name);

/* The string at an offset; "" when there is none. */
const char *kiln_names_at(const kiln_names *names, uint32_t offset);

#endif
