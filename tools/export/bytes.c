/* Bytes that grow; texts of one line at a time. */
#include "bytes.h"

#include "../common/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kiln_bytes_add(kiln_bytes *bytes, const void *data, size_t size)
{
    bytes->failed = bytes->failed || size > SIZE_MAX - bytes->size ||
                    !kiln_grow(&bytes->data, &bytes->capacity, bytes->size + size, 1);
    if (!bytes->failed && size > 0) {
        memcpy((char *)bytes->data + bytes->size, data, size);
        bytes->size += size;
    }
}

void kiln_bytes_print(kiln_bytes *bytes, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    kiln_bytes_add(bytes, line,
                   size < 0                     ? 0
                   : (size_t)size < sizeof line ? (size_t)size
                                                : sizeof line - 1);
}
