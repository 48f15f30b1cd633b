/* A file is taken as its bytes arrive, from the first on: each raw section and each block of a
 * deflate section is checked and decoded once it is whole. What is taken is copied, so the bytes
 * need not stay. */
#ifndef KILN_ARRIVAL_H
#define KILN_ARRIVAL_H

#include "reader.h"

typedef struct {
    bool trusted;
    uint32_t entry;  /* of the table, in hand */
    uint64_t block;  /* of it, next */
    uint64_t stream; /* where that block lies */
    uint64_t end;    /* of what was taken whole before */
    uint64_t next;   /* bytes from the start of the file with which there is more to take */
} kiln_arrival;

/* Reads header and section table of a file of which the first `available` bytes are there, and
 * makes room for the sections that are wanted. *reader is then to be closed.
 * KILN_FORMAT_ERROR_PARTIAL: too few bytes; nothing is kept. */
bool kiln_arrival_begin(kiln_arrival *arrival, kiln_reader *reader, const void *data,
                        size_t available, const kiln_reader_options *options,
                        kiln_format_error *error);

/* Takes all that has arrived of a file whose first `available` bytes are at `data`; the bytes of
 * earlier calls are among them, unchanged. Then reader->sections[].there hold the number of
 * elements taken. False: what follows is damaged; what was taken stays. */
bool kiln_arrival_take(kiln_arrival *arrival, kiln_reader *reader, const void *data,
                       size_t available, kiln_format_error *error);

/* Is all of the file taken? */
static inline bool kiln_arrival_is_whole(const kiln_arrival *arrival, const kiln_reader *reader)
{
    return arrival->entry == reader->header.section_count;
}

#endif
