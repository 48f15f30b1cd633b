/* What the operating system is asked for, tried: prints a line for each path, how opening it
 * ended, and last whether the clock goes on and memory is aligned. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../../formats/os.h"
#include "../../../runtime/kiln.h"

static bool clock_goes_on(void)
{
    const uint64_t start = kiln_os_nanoseconds();
    uint64_t now = start;
    for (long i = 0; i < 1000000000 && now - start < 2000000; i++) {
        const uint64_t next = kiln_os_nanoseconds();
        if (next < now) {
            return false;
        }
        now = next;
    }
    return now - start >= 2000000 && now - start < 1000000000000u;
}

static bool memory_is_aligned(void)
{
    for (size_t alignment = sizeof(void *); alignment <= 4096; alignment *= 2) {
        unsigned char *memory = kiln_os_allocate(1000, alignment);
        if (memory == NULL || (uintptr_t)memory % alignment != 0) {
            return false;
        }
        memset(memory, 1, 1000);
        kiln_os_release(memory);
    }
    return true;
}

/* In place: %E9 is a byte, for those that arguments don't carry on Windows. */
static void decode(char *path)
{
    char *to = path;
    for (const char *from = path; *from != '\0'; to++) {
        unsigned byte;
        if (*from == '%' && sscanf(from, "%%%2X", &byte) == 1) {
            *to = (char)byte;
            from += 3;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        kiln_file *file = NULL;
        decode(argv[i]);
        const kiln_status status = kiln_open(argv[i], NULL, &file);
        printf("%d: %s, %d trees\n", i, kiln_status_text(status),
               status == KILN_OK ? (int)kiln_file_tree_count(file) : 0);
        kiln_close(file);
    }
    printf("clock %d, memory %d\n", clock_goes_on(), memory_is_aligned());
    return 0;
}
