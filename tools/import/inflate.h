/* Unpacking what deflate has packed. */
#ifndef KILN_IMPORT_INFLATE_H
#define KILN_IMPORT_INFLATE_H

#include "reader.h"

/* Where packed bytes are. */
typedef struct {
    const kiln_model *model;
    uint64_t at, size;
    bool wrapped; /* by the header and the checksum of zlib */
} kiln_packed;

typedef enum {
    KILN_INFLATED,          /* exactly as many bytes as were wanted, of all that are packed */
    KILN_INFLATED_BEFORE,   /* likewise, but packed bytes are left over */
    KILN_INFLATED_TOO_FEW,  /* the data end before */
    KILN_INFLATED_TOO_MANY, /* the data go on */
    KILN_INFLATED_BROKEN    /* no such data, or they end without their own mark of the end */
} kiln_inflated;

/* Can so few bytes be that many, when they are unpacked? To look at before memory is taken. */
bool kiln_inflate_fits(uint64_t packed, uint64_t size);

/* Unpacks into the `size` bytes at `to`, piece by piece. Without memory the work ends. */
kiln_inflated kiln_inflate(kiln_reading *reading, kiln_packed from, uint8_t *to, uint64_t size);

#endif
