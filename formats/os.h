/* What is asked of the operating system: memory, a file as memory, the time. The rest of the
 * library is the same on all of them. */
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

/* Maps a regular file read-only; *map is NULL for an empty one and after an error. `path` is
 * what open() takes; on Windows UTF-8. Waits for nobody: a pipe without a writer is told, not
 * hung on. */
kiln_os_status kiln_os_map(const char *path, void **map, size_t *size);

/* NULL is no map. */
void kiln_os_unmap(void *map, size_t size);

/* `alignment` is a power of two, at least that of a pointer. NULL: there is none. */
void *kiln_os_allocate(size_t size, size_t alignment);
void kiln_os_release(void *memory);

/* Since any moment; never runs backwards. */
uint64_t kiln_os_nanoseconds(void);

#endif
