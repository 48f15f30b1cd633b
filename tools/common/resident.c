#define _GNU_SOURCE
#include "resident.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

bool kiln_resident_of(pid_t process, uint64_t *address_space, uint64_t *resident)
{
    char name[64], text[128];
    unsigned long long pages[3]; /* address space, resident, resident of files */
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    (void)snprintf(name, sizeof name, "/proc/%ld/statm", (long)process);
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const ssize_t got = read(file, text, sizeof text - 1);
    (void)close(file);
    if (got <= 0) {
        return false;
    }
    text[got] = '\0';
    if (sscanf(text, "%llu %llu %llu", &pages[0], &pages[1], &pages[2]) != 3) {
        return false;
    }
    *address_space = pages[0] * page;
    *resident = pages[1] > pages[2] ? (pages[1] - pages[2]) * page : 0;
    return true;
}

uint64_t kiln_resident(void)
{
    uint64_t address_space, resident;
    return kiln_resident_of(getpid(), &address_space, &resident) ? resident : 0;
}
