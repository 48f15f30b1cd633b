/* Sources of Collada: lists of numbers or names, as their accessors arrange them. */
#ifndef KILN_IMPORT_COLLADA_ACCESSOR_H
#define KILN_IMPORT_COLLADA_ACCESSOR_H

#include "document.h"

enum { DAE_WIDTH_MOST = 16 };
/* A coordinate that a source does not have. */
#define DAE_ZERO SIZE_MAX

typedef struct {
    uint32_t element;
    const double *numbers; /* of the array */
    size_t count, stride, offset;
    size_t at[DAE_WIDTH_MOST]; /* of each number of an element, from its first; or DAE_ZERO */
    unsigned width;            /* how many */
} dae_accessor;

/* The source that an <input> refers to, `width` numbers an element; 3 are x, y and z. */
dae_accessor kiln_dae_accessor(const dae *d, uint32_t input, unsigned width);
/* A number of an element. */
double kiln_dae_value(const dae_accessor *a, size_t element, unsigned number);

typedef struct {
    uint32_t element;
    const char **items; /* for free() */
    size_t count;
    bool ids; /* they are ids, not sids */
} dae_names;

/* The source of names that an <input> refers to. */
dae_names kiln_dae_names(const dae *d, uint32_t input);

/* The <input> of an element that has the semantic; DAE_NONE: there is none. */
uint32_t kiln_dae_input(const dae *d, uint32_t of, const char *semantic);
/* One that has to be there. */
uint32_t kiln_dae_needed_input(const dae *d, uint32_t of, const char *semantic);

#endif
