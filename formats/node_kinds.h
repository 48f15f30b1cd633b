/* The table of node kinds: one row says everything about a kind of tree that is not code, and
 * names the code.
 *
 * A new kind is its structure and its numbers in format.h, a row here, and the functions that
 * the row names; a row without one of them does not compile or link. From a row follow
 *
 *   node_kinds.c           the descriptor kiln_node_kinds[KILN_KIND_<KIND>]: kiln_<kind>_decode and
 *                          kiln_<kind>_decode_lane of nodes.h, <kind>_lane_is_sound,
 *                          <kind>_reserved_is_zero and, where the volume is no box, <kind>_beyond
 *   sections.c             the section of its nodes and how it is packed
 *   runtime/kernel         <kind>_open of every instruction set and, where the volume is no box,
 *                          <kind>_refine
 *   runtime/open           the check that kiln.h has the same number
 *   tools/tree/kinds.c     kiln_encode_<kind>, which makes its nodes
 *   lists of names         in messages and in `--help`
 *
 * Columns: KIND and kind as identifiers write them; the name that users give; the constant of
 * kiln.h; the minor version of the format that added it, which a file with such nodes carries;
 * lanes that its nodes may use, 8 or 2 from lane 0 on; how its boxes lie (kiln_box_layout); how
 * its section is packed (a list in sections.c); BOX where the volume is the box that it decodes
 * to, DOP where it is a k-DOP of the directions kiln_<kind>_set, BALL where it is the ball in it,
 * which touches all six faces, CELL where it is the box and holds but the parts of triangles that
 * may be in other leaves, too. README.md says what a kind gives a walk. FIRST makes the first row
 * and NEXT the others, for lists with commas. */
#ifndef KILN_NODE_KINDS_H
#define KILN_NODE_KINDS_H

#include "nodes.h"

#include <stdbool.h>

#define KILN_NODE_KINDS(FIRST, NEXT)                                                               \
    FIRST(OBB8, obb8, "obb", KILN_BV_OBB, 0, 8, KILN_BOXES_ORIENTED, NODES, BOX)                   \
    NEXT(AABB8, aabb8, "aabb", KILN_BV_AABB, 0, 8, KILN_BOXES_IN_STEPS, NODES, BOX)                \
    NEXT(OBB2, obb2, "obb2", KILN_BV_OBB2, 0, 2, KILN_BOXES_ORIENTED, FLOATS, BOX)                 \
    NEXT(AABB2, aabb2, "aabb2", KILN_BV_AABB2, 0, 2, KILN_BOXES_ALIGNED, FLOATS, BOX)              \
    NEXT(DOP14, dop14, "dop14", KILN_BV_DOP14, 1, 8, KILN_BOXES_IN_STEPS, NODES, DOP)              \
    NEXT(DOP6, dop6, "dop6", KILN_BV_DOP6, 2, 8, KILN_BOXES_IN_STEPS, NODES, DOP)                  \
    NEXT(DOP18, dop18, "dop18", KILN_BV_DOP18, 2, 8, KILN_BOXES_IN_STEPS, NODES, DOP)              \
    NEXT(DOP24, dop24, "dop24", KILN_BV_DOP24, 2, 8, KILN_BOXES_IN_STEPS, NODES, DOP)              \
    NEXT(DOP26, dop26, "dop26", KILN_BV_DOP26, 2, 8, KILN_BOXES_IN_STEPS, NODES, DOP)              \
    NEXT(SPHERE, sphere, "sphere", KILN_BV_SPHERE, 2, 8, KILN_BOXES_ALIGNED, NODES, BALL)          \
    NEXT(OCTREE, octree, "octree", KILN_BV_OCTREE, 3, 8, KILN_BOXES_IN_STEPS, NODES, CELL)

/* The names of all kinds as one literal: "obb, aabb, ...". */
#define KILN_NODE_KIND_FIRST_NAME(KIND, kind, name, ...) name
#define KILN_NODE_KIND_NEXT_NAME(KIND, kind, name, ...) ", " name
#define KILN_NODE_KIND_NAMES KILN_NODE_KINDS(KILN_NODE_KIND_FIRST_NAME, KILN_NODE_KIND_NEXT_NAME)

/* Rows by number. */
#define KILN_NODE_KIND_INDEX(KIND, ...) KILN_KIND_##KIND,
enum { KILN_NODE_KINDS(KILN_NODE_KIND_INDEX, KILN_NODE_KIND_INDEX) KILN_NODE_KIND_COUNT };

typedef enum {
    KILN_BOXES_ORIENTED, /* each has its own axes */
    KILN_BOXES_ALIGNED,  /* along the axes of node space; decode leaves lanes->axis alone */
    /* the same, and their faces are bytes of the grid right after the shared header, as in
     * kiln_format_node_aabb8 */
    KILN_BOXES_IN_STEPS
} kiln_box_layout;

typedef struct {
    uint16_t bv;      /* KILN_FORMAT_BV_..., the same number as the public kiln_bv */
    const char *name; /* "obb" */
    uint32_t section; /* KILN_SECTION_NODES_... */
    uint32_t node_size;
    uint16_t minor; /* the writer sets version_minor of files with such nodes to at least this */
    unsigned lanes; /* that its nodes may use: 8, or 2 from lane 0 on */
    bool aligned;   /* lanes have the axes of node space; decode leaves lanes->axis alone */
    bool in_steps;  /* KILN_BOXES_IN_STEPS */
    bool balls;     /* volumes are the balls in their boxes, which are cubes */
    bool shared;    /* a triangle may be in several leaves, each of which bounds a part of it */
    bool (*reserved_is_zero)(const kiln_format_node8 *node); /* after the shared header */
    /* Are the fields after the shared header finite and in range for lane `lane`? */
    bool (*lane_is_sound)(const kiln_format_node8 *node, unsigned lane);
    /* The box of a lane, or, where the volume is no box, one around it. */
    void (*decode)(const kiln_format_node8 *node, kiln_lanes *lanes);
    void (*decode_lane)(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box);
    /* By how much a point of node space lies outside the volume of a lane, beyond what rounding
     * explains; 0 or less: inside. NULL: the volume is the box. */
    double (*beyond)(const kiln_format_node8 *node, unsigned lane, const double point[3]);
    const kiln_dop_set *dop; /* the directions of its slabs; NULL: it is no k-DOP */
} kiln_node_kind;

extern const kiln_node_kind kiln_node_kinds[KILN_NODE_KIND_COUNT];

/* NULL: unknown. */
const kiln_node_kind *kiln_node_kind_find(uint16_t bv);

/* The row's number, below KILN_NODE_KIND_COUNT, for tables beside this one. */
static inline unsigned kiln_node_kind_index(const kiln_node_kind *kind)
{
    return (unsigned)(kind - kiln_node_kinds);
}

#endif
