/* The table of builders, and the making of a binary tree by one of them. */
#ifndef KILN_TREE_BUILDERS_H
#define KILN_TREE_BUILDERS_H

#include "binary.h"
#include "hierarchy.h"

/* A construction: by cuts from the top down, or by groups that are put together. */
typedef struct {
    const char *name;
    kiln_divider plain;
    kiln_divider oriented; /* for trees of oriented boxes; may be the same */
    kiln_gather gather;    /* NULL: the tree is made by cuts alone */
    unsigned spare;        /* bytes a triangle that `gather` and its writing need */
} kiln_builder;

/* A new one is a row in builders.c. */
extern const kiln_builder kiln_builders[];
extern const size_t kiln_builder_count;

/* The builder of this name; NULL: there is none. */
const kiln_builder *kiln_builder_find(const char *name);

/* "sah, median or mean": the names of all builders, for messages. */
void kiln_builder_names(char *text, size_t size);

/* Orders `records` and makes the tree by a builder. False: out of memory (*cancelled false) or
 * cancelled. The bytes depend on the records, `leaf`, the builder and `oriented` only. */
bool kiln_builder_order(const kiln_builder *builder, bool oriented, kiln_binary *tree,
                        kiln_record *records, uint32_t count, uint32_t leaf,
                        const kiln_watch *watch, kiln_arena *arena, bool *cancelled);

#endif
