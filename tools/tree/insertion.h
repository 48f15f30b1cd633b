/* Putting groups into a hierarchy where they cost least, and taking them out. */
#ifndef KILN_TREE_INSERTION_H
#define KILN_TREE_INSERTION_H

#include "hierarchy.h"

/* No search looks below this many groups, so no way up from where it ends is longer. */
enum { KILN_INSERTION_DEPTH_MAX = 100 };

/* A place that a search has still to look at. */
typedef struct {
    double above; /* what putting the group below here adds to the surfaces of the groups above */
    uint32_t group;
    uint32_t depth;
} kiln_insertion_place;

enum { KILN_INSERTION_PLACES = 1026 };

typedef struct {
    kiln_hierarchy *h;
    kiln_insertion_place places[KILN_INSERTION_PLACES]; /* a heap, the least `above` first */
    unsigned count;
} kiln_insertion;

/* Where `group`, which is not in the hierarchy, adds least to the sum of all surfaces as the
 * sibling of what is there; *added is how much that is. */
uint32_t kiln_insertion_find(kiln_insertion *in, uint32_t group, double *added);

/* Makes `group` the sibling of `at`: the free inner group `joint` takes the place of `at`. Boxes
 * and counts above are brought up to date. */
void kiln_insertion_attach(kiln_hierarchy *h, uint32_t group, uint32_t at, uint32_t joint);

/* Takes out `group`, which is not the root: its sibling takes the place of its parent, which is
 * free from then on and returned. */
uint32_t kiln_insertion_detach(kiln_hierarchy *h, uint32_t group);

#endif
