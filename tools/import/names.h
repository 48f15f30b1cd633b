/* The strings of a soup. */
#ifndef KILN_IMPORT_NAMES_H
#define KILN_IMPORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    void *text; /* char; zero-ended strings; offset 0 is "" */
    size_t size, capacity;
    bool failed; /* no memory, or too many; the offsets given since are 0 */
} kiln_names;

/* Appends to the string under way, which starts at the last kiln_names_end, with every byte that is
 * not UTF-8 turned into U+FFFD. */
void kiln_names_append(kiln_names *names, const char *text);
/* Ends the string under way and returns its offset. */
uint32_t kiln_names_end(kiln_names *names);
uint32_t kiln_names_add(kiln_names *names, const char *text);
/* "parent/name"; the parent is a name of these already, or "". */
uint32_t kiln_names_join(kiln_names *names, uint32_t parent, const char *name);
const char *kiln_names_at(const kiln_names *names, uint32_t offset);

#endif
