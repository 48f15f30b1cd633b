/* Names of files in rules that make and ninja read. */
#ifndef KILN_CMD_RULE_NAME_H
#define KILN_CMD_RULE_NAME_H

#include <stddef.h>

/* What keeps a name from being written so that make, ninja and a shell that is given it all take it
 * for that name, as the rest of a sentence: "has a control character". NULL: nothing. */
const char *rule_name_fault(const char *name);

/* Bytes of a name without fault, and of an escaped one with the zero at its end. */
enum { RULE_NAME_LENGTH_MAX = 4096, RULE_NAME_SIZE = 2 * RULE_NAME_LENGTH_MAX + 8 };

/* Writes the name, which has no fault but may be longer by a suffix such as ".d", as both read it
 * in a rule. Returns its length. */
size_t rule_name_escape(const char *name, char to[RULE_NAME_SIZE]);

#endif
