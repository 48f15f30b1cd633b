/* The table of section kinds of format 1.7: a new kind is a row here.
 *
 * A row says what a reader has to know to check and place a section, and what the writer tries
 * when it packs one. Order does not matter to either; it is that of hierarchy.md. */
#include "sections.h"

#include "node_kinds.h"

#include <stddef.h>

enum { REQUIRED = KILN_SECTION_REQUIRED, ALWAYS = 1, SOURCE = 1, FIRST = 1 };

/* The transforms that the writer tries, by the nature of the numbers. The smallest result is kept,
 * of equal ones the first. */
#define BYTES                                                                                      \
    {                                                                                              \
        KILN_TRANSFORM_NONE                                                                        \
    }
#define RECORDS                                                                                    \
    {                                                                                              \
        KILN_TRANSFORM_PLANES, KILN_TRANSFORM_NONE                                                 \
    }
#define NUMBERS                                                                                    \
    {                                                                                              \
        KILN_TRANSFORM_DELTA_PLANES, KILN_TRANSFORM_PLANES, KILN_TRANSFORM_NONE                    \
    }
#define POINTS                                                                                     \
    {                                                                                              \
        KILN_TRANSFORM_DELTA_PLANES, KILN_TRANSFORM_PLANES, KILN_TRANSFORM_NONE                    \
    }
#define TRIANGLES                                                                                  \
    {                                                                                              \
        KILN_TRANSFORM_EDGES, KILN_TRANSFORM_DELTA_PLANES, KILN_TRANSFORM_NONE                     \
    }
#define NODES                                                                                      \
    {                                                                                              \
        KILN_TRANSFORM_LANES, KILN_TRANSFORM_PLANES, KILN_TRANSFORM_NONE                           \
    }
#define FLOATS                                                                                     \
    {                                                                                              \
        KILN_TRANSFORM_PLANES, KILN_TRANSFORM_NONE                                                 \
    }
#define CURVE16                                                                                    \
    {                                                                                              \
        KILN_TRANSFORM_CURVE16_PLANES, KILN_TRANSFORM_NONE                                         \
    }
#define CURVE32                                                                                    \
    {                                                                                              \
        KILN_TRANSFORM_CURVE32_PLANES, KILN_TRANSFORM_NONE                                         \
    }

/* A section of nodes, from its row in node_kinds.h. */
#define NODE_SECTION(KIND, kind, name, constant, minor, lanes, layout, packing, volume)            \
    {KILN_SECTION_NODES_##KIND,                                                                    \
     #KIND " nodes",                                                                               \
     sizeof(kiln_format_node_##kind),                                                              \
     REQUIRED,                                                                                     \
     KILN_NODE_ALIGNMENT,                                                                          \
     packing,                                                                                      \
     0,                                                                                            \
     0,                                                                                            \
     FIRST},

/* The columns are those of kiln_section_kind: kind, name, element size, flags, alignment, the
 * transforms, then whether a model always has it, whether only the source of triangles needs it,
 * and whether its first block is stored before the later blocks of such sections. */
const kiln_section_kind kiln_section_kinds[] = {
    {KILN_SECTION_VERTICES, "vertices", 12, REQUIRED, 64, POINTS, ALWAYS, 0, 0},
    {KILN_SECTION_TRIANGLES, "triangles", 12, REQUIRED, 64, TRIANGLES, ALWAYS, 0, 0},
    {KILN_SECTION_TRIANGLE_IDS, "triangle ids", 4, REQUIRED, 64, NUMBERS, ALWAYS, 0, 0},
    {KILN_SECTION_FACES, "faces", 4, 0, 64, NUMBERS, 0, SOURCE, 0},
    {KILN_SECTION_USER, "user values", 4, 0, 64, NUMBERS, 0, SOURCE, 0},
    {KILN_SECTION_PARTS, "parts", 32, 0, 64, NUMBERS, ALWAYS, SOURCE, 0},
    {KILN_SECTION_MATERIALS, "materials", 4, 0, 64, NUMBERS, ALWAYS, SOURCE, 0},
    {KILN_SECTION_STRINGS, "strings", 1, REQUIRED, 64, BYTES, ALWAYS, 0, 0},
    {KILN_SECTION_META, "meta", 1, 0, 64, BYTES, ALWAYS, SOURCE, 0},
    {KILN_SECTION_TREES, "trees", 112, REQUIRED, 64, RECORDS, ALWAYS, 0, 0},
    KILN_NODE_KINDS(NODE_SECTION, NODE_SECTION){KILN_SECTION_ADB, "counts", 32, 0, 64, RECORDS, 0,
                                                0, 0},
    {KILN_SECTION_ADB_BOXES, "counts of boxes", 12, 0, 64, RECORDS, 0, 0, FIRST},
    {KILN_SECTION_ADB_WEIGHTS, "weights", 64, 0, 64, BYTES, 0, 0, 0},
    {KILN_SECTION_ORDER, "order", 4, REQUIRED, 64, NUMBERS, 0, 0, 0},
    {KILN_SECTION_HEIGHTS, "height field", 64, REQUIRED, 64, BYTES, 0, 0, 0},
    {KILN_SECTION_SAMPLES, "samples", 2, REQUIRED, 64, CURVE16, 0, 0, 0},
    {KILN_SECTION_REFERENCES, "references", 4, REQUIRED, 64, NUMBERS, 0, 0, 0},
    {KILN_SECTION_LANE_PAIRS, "lane pairs", 4, 0, 64, RECORDS, 0, 0, 0},
    {KILN_SECTION_BINS, "filled bins", 160, REQUIRED, 64, BYTES, 0, 0, 0},
    {KILN_SECTION_BINS_ROWS, "filled-bins rows", 0, REQUIRED, KILN_NODE_ALIGNMENT, NUMBERS, 0, 0,
     0},
    {KILN_SECTION_BINS_FLOATS, "filled-bins floats", 0, REQUIRED, KILN_NODE_ALIGNMENT, CURVE32, 0,
     0, 0},
    {KILN_SECTION_BINS_COUNTS, "filled-bins counts", 0, REQUIRED, KILN_NODE_ALIGNMENT, CURVE16, 0,
     0, 0},
    {KILN_SECTION_AXES, "axis set", 64, REQUIRED, 64, BYTES, 0, 0, 0},
    {KILN_SECTION_AXES_VECTORS, "axes", 24, REQUIRED, 64, RECORDS, 0, 0, 0},
    {KILN_SECTION_AXES_ZONES, "zones", 8, REQUIRED, KILN_NODE_ALIGNMENT, RECORDS, 0, 0, 0},
};
const unsigned kiln_section_kind_count = sizeof kiln_section_kinds / sizeof kiln_section_kinds[0];

/* A search in order: there are some twenty kinds, and files have few sections. */
const kiln_section_kind *kiln_section_kind_find(uint32_t kind)
{
    for (unsigned i = 0; i < kiln_section_kind_count; i++) {
        if (kiln_section_kinds[i].kind == kind) {
            return &kiln_section_kinds[i];
        }
    }
    return NULL;
}
