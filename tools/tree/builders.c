/* The table of builders: each row is a construction that `--builder` finds by its name.
 *
 * Constructions from the top down are cuts of a range, of which binary.c makes the tree. The others
 * put groups of triangles together, in any way, into a hierarchy that hierarchy.c writes as such a
 * tree. What follows (volumes, collapse, encoding) is the same for all and knows none of them. */
#include "builders.h"

#include "../../formats/assert.h"

#include <stdio.h>
#include <string.h>

#define CUTS(split, wide)                                                                          \
    {split, wide},                                                                                 \
    {                                                                                              \
        split, wide                                                                                \
    }

const kiln_builder kiln_builders[] = {
    {"sah", {kiln_split_sah, kiln_split_sah_wide}, {kiln_split_oriented, NULL}, NULL, 0},
    {"median", CUTS(kiln_split_median, NULL), NULL, 0},
    {"middle", CUTS(kiln_split_middle, NULL), NULL, 0},
    {"mean", CUTS(kiln_split_mean, NULL), NULL, 0},
    {"volume", CUTS(kiln_split_volume, kiln_split_volume_wide), NULL, 0},
    {"ploc", CUTS(NULL, NULL), kiln_gather_ploc, 128},
    {"insert", CUTS(NULL, NULL), kiln_gather_insert, 128},
    {"reinsert", CUTS(NULL, NULL), kiln_gather_reinsert, 128},
};

const size_t kiln_builder_count = sizeof kiln_builders / sizeof kiln_builders[0];

const kiln_builder *kiln_builder_find(const char *name)
{
    for (size_t i = 0; i < kiln_builder_count; i++) {
        if (strcmp(kiln_builders[i].name, name) == 0) {
            return &kiln_builders[i];
        }
    }
    return NULL;
}

void kiln_builder_names(char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < kiln_builder_count && length < size; i++) {
        const char *before = i == 0 ? "" : i + 1 == kiln_builder_count ? " or " : ", ";
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", before, kiln_builders[i].name);
    }
}

bool kiln_builder_order(const kiln_builder *builder, bool oriented, kiln_binary *tree,
                        kiln_record *records, uint32_t count, uint32_t leaf,
                        const kiln_watch *watch, kiln_arena *arena, bool *cancelled)
{
    KILN_ASSERT(count > 0 && leaf > 0);
    const kiln_divider *divider = oriented ? &builder->oriented : &builder->plain;
    if (builder->gather == NULL) {
        return kiln_binary_build(tree, records, count, leaf, divider, watch, arena, cancelled);
    }
    kiln_hierarchy h = {.leaf = leaf};
    kiln_watch part = *watch;
    part.to = watch->from + 0.9 * (watch->to - watch->from);
    *cancelled = false;
    const bool made = builder->gather(records, count, &part, &h, cancelled) &&
                      kiln_hierarchy_write(&h, records, count, tree, arena);
    kiln_hierarchy_free(&h);
    return made;
}
