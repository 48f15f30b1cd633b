/* What processes take of memory, as the system tells. */
#ifndef KILN_RESIDENT_H
#define KILN_RESIDENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Sanitizers shadow memory: what the system tells is then many times what the program takes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KILN_HAVE_SHADOW_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define KILN_HAVE_SHADOW_MEMORY 1
#endif
#endif
#ifndef KILN_HAVE_SHADOW_MEMORY
#define KILN_HAVE_SHADOW_MEMORY 0
#endif

/* Bytes of address space of a process, and those of them that are resident and not of a file, such as
 * code, which all processes share. False where the system does not tell. */
bool kiln_resident_of(pid_t process, uint64_t *address_space, uint64_t *resident);

/* Resident bytes of this process, likewise; 0 where the system does not tell. */
uint64_t kiln_resident(void);

#endif
