/* An allocator for kiln_open_options that counts, and fails where it is told to. */
#ifndef KILN_TEST_COUNTING_H
#define KILN_TEST_COUNTING_H

#include "../../runtime/kiln.h"

#include <stddef.h>

typedef struct {
    size_t live;    /* blocks not released */
    size_t bytes;   /* asked for in them, less what was said at release: 0 when all sizes agree */
    size_t calls;   /* of allocate */
    size_t fail_at; /* call that returns NULL, from 1 on; 0: none */
    size_t most;    /* that a call gets; 0: any */
} counting;

/* `count` must outlive the file. */
kiln_allocator counting_allocator(counting *count);

#endif
