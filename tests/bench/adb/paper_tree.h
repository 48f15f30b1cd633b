/* A binary tree with counts as the published query walks it: the nodes of a file, gathered into
 * the paper's (section 4.2.1). */
#ifndef KILN_PAPER_TREE_H
#define KILN_PAPER_TREE_H

#include "../../../formats/adb.h"
#include "../../../runtime/kiln.h"
#include "paper_pair.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The paper's node has 36 bytes: the box, a pointer to the children, a count, the volume. */
typedef struct {
    float centre[3], half[3]; /* node space; half-extents as stored */
    float volume;             /* thickened: see kiln_paper_thicken; 0: there is no such box */
    uint32_t children;        /* the first of two boxes; 0: a leaf */
    uint8_t used;             /* bit i: child i is there */
    uint8_t level;            /* 255: count-equivalent depth 1 */
    uint8_t depth;            /* boxes above */
    uint8_t reserved;
    uint16_t region[KILN_ADB_REGIONS_MOST]; /* possible cells */
} kiln_paper_box;

typedef struct {
    kiln_paper_box
        *boxes; /* 0: the whole tree's; 1 + 2 node + lane: that of a lane, as in a file */
    uint32_t box_count;
    float (*axes)[3][3];     /* by box: axis, coordinate; NULL: those of node space */
    double origin[3], scale; /* model = origin + scale * node space */
    uint32_t region_count;   /* 1, 6, 8 */
    uint32_t cells;          /* of a box */
    uint32_t region_cells[KILN_ADB_REGIONS_MOST];
    uint32_t depth_max; /* of a box */
    kiln_file *file;    /* the same tree, for exact tests of triangles */
    const kiln_tree *tree;
} kiln_paper_tree;

/* The first tree of kind `bv`, KILN_BV_AABB2 or KILN_BV_OBB2, and of this name (NULL: any) in a
 * file in memory, which must stay as it is until kiln_paper_tree_close. KILN_ERROR_NOT_LOADED:
 * there is no such tree, or it has no counts; KILN_ERROR_ARGUMENT: another kind, or NULL; and the
 * errors of kiln_open_memory. *out is then NULL. A tree may be queried by any number of threads. */
kiln_status kiln_paper_tree_open(const void *data, size_t size, kiln_bv bv, const char *name,
                                 kiln_paper_tree **out);

/* NULL is allowed. */
void kiln_paper_tree_close(kiln_paper_tree *tree);

#ifdef __cplusplus
}
#endif

#endif
