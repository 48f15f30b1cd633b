/* What the library needs from the operating system: memory, files mapped into memory, and the time.
 * All other sources are the same on every system. */
#ifndef KILN_OS_H
#define KILN_OS_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    KILN_OS_OK,
    KILN_OS_NOT_FOUND,
    KILN_OS_NOT_A_FILE, /* a folder, a device, a pipe */
    KILN_OS_MEMORY,
    KILN_OS_IO
} kiln_os_status;

/* Maps a regular file read-only; *map is NULL for an empty one and after an error. `path` is a name
 * as open() takes it; on Windows it is UTF-8. The call never blocks: for a pipe without a writer
 * the status is KILN_OS_NOT_A_FILE. */
kiln_os_status kiln_os_map(const char *path, void **map, size_t *size);

/* Releases a mapping; NULL is allowed. */
void kiln_os_unmap(void *map, size_t size);

/* `alignment` is a power of two, at least that of a pointer. The result is NULL where there is no
 * memory. */
void *kiln_os_allocate(size_t size, size_t alignment);
void kiln_os_release(void *memory);

/* Nanoseconds since an arbitrary moment. The clock never runs backwards. */
uint64_t kiln_os_nanoseconds(void);

#endif
