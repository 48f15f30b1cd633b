/* Bytes of a file that is being made. */
#ifndef KILN_EXPORT_BYTES_H
#define KILN_EXPORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* Starts zeroed; free(data) releases it. */
typedef struct {
    void *data;
    size_t size, capacity;
    bool failed; /* no memory: what was added since is lost */
} kiln_bytes;

void kiln_bytes_add(kiln_bytes *bytes, const void *data, size_t size);
void kiln_bytes_print(kiln_bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
