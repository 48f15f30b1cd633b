/* Names from files and folders as UTF-8 that every reader accepts. */
#ifndef KILN_UTF8_H
#define KILN_UTF8_H

#include <stddef.h>

/* A copy of `bytes` in which every byte that is not part of well-formed UTF-8 (RFC 3629) became
 * U+FFFD. Released by free(); NULL: no memory. */
char *kiln_utf8_clean(const char *bytes);

/* How many of the `size` bytes stand before the first that is not part of well-formed UTF-8. */
size_t kiln_utf8_span(const char *bytes, size_t size);

#endif
