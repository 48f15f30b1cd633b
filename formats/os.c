/* What the library needs of an operating system: files mapped for reading, aligned memory and a
 * clock. There are two implementations of os.h, one for Windows and one for POSIX, and nothing
 * else in the library calls the system.
 *
 * A file of no bytes can't be mapped on either system, so that it becomes a null map of size 0,
 * which callers treat as an empty file. Errors are sorted into the few that a user can act on. */
#define _POSIX_C_SOURCE 200809L
#include "os.h"

#include <stdlib.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <malloc.h>
#include <windows.h>

/* Names that can't exist count as files that don't. Limits of address space and of commitment
 * count as lack of memory, since a smaller file would open. */
static kiln_os_status status_of_last_error(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
        return KILN_OS_NOT_FOUND;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
        return KILN_OS_MEMORY;
    default:
        return KILN_OS_IO;
    }
}

/* INVALID_HANDLE_VALUE, with the last error set, where it can't be opened. A folder can. */
static HANDLE open_to_read(const char *path)
{
    HANDLE handle = INVALID_HANDLE_VALUE;
    const int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *wide = length > 0 ? (wchar_t *)malloc((size_t)length * sizeof *wide) : NULL;
    if (length <= 0) {
        SetLastError(ERROR_INVALID_NAME);
    } else if (wide == NULL) {
        SetLastError(ERROR_OUTOFMEMORY);
    } else {
        (void)MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, length);
        handle = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                             OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    }
    /* free may change the last error, which the caller reads. */
    const DWORD error = GetLastError();
    free(wide);
    SetLastError(error);
    return handle;
}

/* Maps a whole file that is open. Pipes, consoles and folders are no files: a pipe would block,
 * and none of them has a size. */
static kiln_os_status map_handle(HANDLE handle, void **map, size_t *size)
{
    BY_HANDLE_FILE_INFORMATION facts;
    if (GetFileType(handle) != FILE_TYPE_DISK) {
        return KILN_OS_NOT_A_FILE;
    }
    if (!GetFileInformationByHandle(handle, &facts)) {
        return status_of_last_error();
    }
    if ((facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        return KILN_OS_NOT_A_FILE;
    }
    const uint64_t bytes = (uint64_t)facts.nFileSizeHigh << 32 | facts.nFileSizeLow;
    /* A process of 32 bits can't map such a file, but one with more address space could. */
    if (bytes > SIZE_MAX) {
        return KILN_OS_MEMORY;
    }
    *size = (size_t)bytes;
    if (bytes == 0) {
        return KILN_OS_OK;
    }
    HANDLE mapping = CreateFileMappingW(handle, NULL, PAGE_READONLY, 0, 0, NULL);
    if (mapping == NULL) {
        return status_of_last_error();
    }
    *map = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
    const kiln_os_status status = *map != NULL ? KILN_OS_OK : status_of_last_error();
    (void)CloseHandle(mapping); /* the view keeps what it needs */
    return status;
}

/* *map stays NULL and *size 0 for any status but OK, so that unmapping is always allowed. The
 * handle is closed at once: the view outlives it. */
kiln_os_status kiln_os_map(const char *path, void **map, size_t *size)
{
    *map = NULL;
    *size = 0;
    HANDLE handle = open_to_read(path);
    if (handle == INVALID_HANDLE_VALUE) {
        return status_of_last_error();
    }
    const kiln_os_status status = map_handle(handle, map, size);
    (void)CloseHandle(handle);
    return status;
}

void kiln_os_unmap(void *map, size_t size)
{
    (void)size;
    if (map != NULL) {
        (void)UnmapViewOfFile(map);
    }
}

/* Memory of this function must be released by kiln_os_release, as free() of this system does not
 * take aligned memory. */
void *kiln_os_allocate(size_t size, size_t alignment)
{
    return _aligned_malloc(size, alignment);
}

void kiln_os_release(void *memory)
{
    _aligned_free(memory);
}

uint64_t kiln_os_nanoseconds(void)
{
    LARGE_INTEGER frequency, ticks;
    (void)QueryPerformanceFrequency(&frequency);
    (void)QueryPerformanceCounter(&ticks);
    /* Whole seconds are split off, so that the product with 10^9 does not overflow. */
    const uint64_t each = (uint64_t)frequency.QuadPart, now = (uint64_t)ticks.QuadPart;
    return now / each * 1000000000u + now % each * 1000000000u / each;
}

#else
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A path through something that is no folder names a file that does not exist. */
static kiln_os_status status_of_errno(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return KILN_OS_NOT_FOUND;
    case ENOMEM:
        return KILN_OS_MEMORY;
    default:
        return KILN_OS_IO;
    }
}

/* Maps a whole file that is open. Devices, pipes and folders are refused, since they have no size
 * that stays. The map is private, and is never written to. */
static kiln_os_status map_handle(int handle, void **map, size_t *size)
{
    struct stat facts;
    if (fstat(handle, &facts) != 0) {
        return KILN_OS_IO;
    }
    if (!S_ISREG(facts.st_mode)) {
        return KILN_OS_NOT_A_FILE;
    }
    if ((uint64_t)facts.st_size > SIZE_MAX) {
        return KILN_OS_MEMORY;
    }
    *size = (size_t)facts.st_size;
    if (*size == 0) {
        return KILN_OS_OK;
    }
    void *mapped = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, handle, 0);
    if (mapped == MAP_FAILED) {
        return status_of_errno(errno);
    }
    *map = mapped;
    return KILN_OS_OK;
}

kiln_os_status kiln_os_map(const char *path, void **map, size_t *size)
{
    *map = NULL;
    *size = 0;
    /* Without O_NONBLOCK a named pipe would hold the caller until somebody writes to it, and
     * without O_NOCTTY a terminal could become the one that controls the process. */
    const int handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (handle < 0) {
        return status_of_errno(errno);
    }
    const kiln_os_status status = map_handle(handle, map, size);
    (void)close(handle);
    return status;
}

void kiln_os_unmap(void *map, size_t size)
{
    if (map != NULL) {
        (void)munmap(map, size);
    }
}

void *kiln_os_allocate(size_t size, size_t alignment)
{
    void *memory = NULL;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

void kiln_os_release(void *memory)
{
    free(memory);
}

uint64_t kiln_os_nanoseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif
