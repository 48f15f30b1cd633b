/* The table of section kinds. A new kind is a row here, its document, and its check. */
#ifndef KILN_SECTIONS_H
#define KILN_SECTIONS_H

#include "format.h"

enum { KILN_SECTION_TRANSFORMS = 3 };

typedef struct {
    uint32_t kind;
    const char *name;      /* for messages and reports */
    uint32_t element_size; /* bytes; 1 where the contents are a run of bytes; 0: the table says */
    uint32_t flags;        /* KILN_SECTION_... that the writer sets */
    uint32_t alignment;    /* of a raw section */
    uint16_t transforms[KILN_SECTION_TRANSFORMS]; /* that the writer tries when it packs */
    uint8_t always; /* a file of a model has one; others at most one */
    uint8_t source; /* only needed for the source of triangles */
    uint8_t first;  /* where packed, its first block precedes the later blocks of such sections */
} kiln_section_kind;

extern const kiln_section_kind kiln_section_kinds[];
extern const unsigned kiln_section_kind_count;

/* NULL: unknown. */
const kiln_section_kind *kiln_section_kind_find(uint32_t kind);

#endif
