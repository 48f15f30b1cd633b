/* The table of kinds of trees that can be built, and the entry to building one.
 *
 * The table is made from the list in formats/node_kinds.h: a row there needs an encoder here,
 * kiln_encode_<kind> in the encode_*.c of its family of volumes, or nothing links. All kinds
 * share one build (wide8.c); the encoder gives it the fit of a volume and the writing of a node;
 * lanes and decoding are those of the row. */
#include "build.h"
#include "wide8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW(KIND, kind, name, constant, minor, lanes, ...)                                         \
    {name,  KILN_FORMAT_BV_##KIND, KILN_SECTION_NODES_##KIND, sizeof(kiln_format_node_##kind),     \
     lanes, &kiln_encode_##kind},

const kiln_build_kind kiln_build_kinds[] = {KILN_NODE_KINDS(ROW, ROW)};

const size_t kiln_build_kind_count = sizeof kiln_build_kinds / sizeof kiln_build_kinds[0];

const kiln_build_kind *kiln_build_kind_find(const char *name)
{
    for (size_t i = 0; i < kiln_build_kind_count; i++) {
        if (strcmp(kiln_build_kinds[i].name, name) == 0) {
            return &kiln_build_kinds[i];
        }
    }
    return NULL;
}

void kiln_build_kind_names(char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < kiln_build_kind_count && length < size; i++) {
        const char *before = i == 0 ? "" : i + 1 == kiln_build_kind_count ? " or " : ", ";
        length += (size_t)snprintf(text + length, size - length, "%s%s", before,
                                   kiln_build_kinds[i].name);
    }
}

kiln_bake_status kiln_build(const kiln_build_kind *kind, const kiln_build_input *input,
                            const kiln_bake_options *options, kiln_build_tree *tree)
{
    memset(tree, 0, sizeof *tree);
    if (input->count == 0 || options->leaf < 1 || options->leaf > (int)KILN_LEAF_TRIANGLES_MAX) {
        return KILN_BAKE_USAGE;
    }
    const kiln_wide8_kind wide = {.binary = kind->lanes == 2,
                                  .needs_moments = kind->encoder->needs_moments,
                                  .fit = kind->encoder->fit,
                                  .encode = kind->encoder->encode,
                                  .decode = kiln_node_kind_find(kind->format_bv)->decode_lane,
                                  .balls = kiln_node_kind_find(kind->format_bv)->balls,
                                  .shared = kiln_node_kind_find(kind->format_bv)->shared};
    const kiln_bake_status status = kiln_build_wide8(kind, &wide, input, options, tree);
    if (status != KILN_BAKE_OK) {
        kiln_build_tree_free(tree);
    }
    return status;
}
