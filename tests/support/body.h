/* A mesh, with a user value for each triangle, and its trees of every kind, opened. */
#ifndef KILN_TEST_BODY_H
#define KILN_TEST_BODY_H

#include "quick_bake.h"

enum { BODY_KINDS = KILN_NODE_KIND_COUNT };

typedef struct {
    mesh mesh;
    void *bytes;
    kiln_file *file;
    const kiln_tree *trees[BODY_KINDS]; /* by number of the kind */
} body;

/* Takes the mesh; all of it goes with body_free. Stops the test on failure. */
body body_of(mesh m, int leaf, kiln_layout layout);

void body_free(body *b);

/* Packed for one i of 25, else raw: packing a small mesh takes longer than most queries of it,
 * which do not differ once the file is open. */
kiln_layout body_layout(uint32_t i);

/* The user value of a triangle of any body: 0 to 255. */
uint32_t body_value(uint32_t triangle);

/* Which triangles and pairs count, as filters of queries: those whose ids leave such a rest.
 * They check the user values that they are told, and count calls. */
typedef struct {
    uint32_t modulus, rest;
    size_t calls;
} body_rule;

bool body_keeps(const body_rule *rule, uint32_t triangle);
bool body_keeps_pair(const body_rule *rule, uint32_t a, uint32_t b);
bool body_filter(void *rule, uint32_t triangle, uint32_t value);
bool body_pair_filter(void *rule, kiln_pair pair);

#endif
