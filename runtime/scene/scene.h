/* The inside of a scene: its memory, the tree of bounds over its objects, and what queries of it
 * share. */
#ifndef KILN_SCENE_INSIDE_H
#define KILN_SCENE_INSIDE_H

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../base/tree.h"
#include "../kiln_scene.h"
#include "../pose/pose.h"

enum {
    KILN_SCENE_CAPACITY_MOST = 1 << 24,
    KILN_SCENE_CHUNK = 1024 /* neighbours of one object that are looked up at a time */
};

#define KILN_SCENE_NOWHERE UINT32_MAX

/* Axis-aligned, closed. */
typedef struct {
    double lower[3], upper[3];
} kiln_scene_box;

/* A node of the tree, and the boxes of its two children, which are looked at together: floats,
 * rounded outward. A child is the number of a node, or KILN_SCENE_LEAF with the place of an object.
 */
typedef struct {
    float lower[3][2], upper[3][2]; /* [axis][child] */
    uint32_t child[2];
    uint32_t highest[2]; /* place of an object below the child */
} kiln_scene_node;

/* What queries do not need of a node. */
typedef struct {
    uint32_t parent; /* NOWHERE: the root; of a free node the next free one */
    uint32_t height; /* 1: both children are objects */
} kiln_scene_link;

#define KILN_SCENE_LEAF 0x80000000u

/* No tree is higher when a call returns, so that a walk down has room for what waits. */
enum { KILN_SCENE_HEIGHT_MOST = 80, KILN_SCENE_STACK = KILN_SCENE_HEIGHT_MOST + 2 };

/* An object at its place. Free places have no tree, and are in a list. */
typedef struct {
    const kiln_tree *tree;
    kiln_pose pose;
    uint64_t user;
    uint32_t generation; /* how often the place was used, the present time included */
    uint32_t next_free;
} kiln_scene_entry;

/* Beside the entries, since candidates are sorted out by them alone. */
typedef struct {
    uint32_t category, mask;
} kiln_scene_groups;

/* All arrays have room for the capacity. */
struct kiln_scene {
    kiln_scene_node *nodes; /* one less than there are objects */
    kiln_scene_link *links; /* of nodes */
    kiln_scene_box *boxes;  /* world bounds of objects; of a free place empty, lower > upper */
    kiln_scene_entry *entries;
    kiln_scene_groups *groups;
    uint32_t *parents; /* nodes of objects; NOWHERE: the object is the root */
    uint32_t *order;   /* scratch of kiln_scene_tree_build */
    uint32_t capacity, count;
    uint32_t used;       /* places that were ever used: those from here on are free, in order */
    uint32_t first_free; /* of places below `used`; NOWHERE: none */
    uint32_t root;       /* as a child is; NOWHERE: no object */
    uint32_t nodes_used; /* nodes that were ever used */
    uint32_t node_free;  /* the first of a list; NOWHERE: none */
    double built;        /* the tree's cost when it was last built; 0: never */
};

static inline kiln_scene_id kiln_scene_id_at(const kiln_scene *scene, uint32_t place)
{
    KILN_ASSERT(place < scene->capacity);
    return (uint64_t)place << 32 | scene->entries[place].generation;
}

/* Do they have a point in common? */
static inline bool kiln_scene_boxes_meet(const kiln_scene_box *a, const kiln_scene_box *b)
{
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) &
           (a->lower[1] <= b->upper[1]) & (b->lower[1] <= a->upper[1]) &
           (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

/* --------------------------------------------------------------- bounds: scene_bounds.c -- */

/* All of these need the environment of fpu.h; poses are sound. */

/* World bounds of a tree at a pose, rounded outward. */
void kiln_scene_bounds_of_tree(const kiln_tree *tree, const kiln_pose *pose, kiln_scene_box *box);

/* The same of a shape at a pose; its numbers are in range. */
void kiln_scene_bounds_of_shape(const kiln_shape *shape, const kiln_pose *pose,
                                kiln_scene_box *box);

/* -------------------------------------------------------------------- tree: scene_tree.c -- */

/* All of these need the environment of fpu.h. */

/* The object at a place, whose box is set, joins the tree, or leaves it. */
void kiln_scene_tree_insert(kiln_scene *scene, uint32_t place);
void kiln_scene_tree_remove(kiln_scene *scene, uint32_t place);

/* The box of an object becomes another. */
void kiln_scene_tree_move(kiln_scene *scene, uint32_t place, const kiln_scene_box *box);

/* All objects, anew. */
void kiln_scene_tree_build(kiln_scene *scene);

/* Boxes of all nodes after those of many objects were set; builds the tree if it has become much
 * worse than when it was built. */
void kiln_scene_tree_refit(kiln_scene *scene);

/* What is sought among the objects. */
typedef struct {
    kiln_scene_box box;
    uint32_t category, mask;
    uint32_t first; /* places below it are left out */
} kiln_scene_seek;

/* The lowest places of objects whose boxes meet `seek->box` and whose groups fit, in ascending
 * order: returns how many, at most KILN_SCENE_CHUNK. If it is that many there may be more, after
 * the last one. */
uint32_t kiln_scene_tree_collect(const kiln_scene *scene, const kiln_scene_seek *seek,
                                 uint32_t places[KILN_SCENE_CHUNK]);

/* ----------------------------------------------------------------- queries: scene_pairs.c -- */

/* The caller's options, as far as its version of the struct goes; NULL: defaults. False: out of
 * range. */
bool kiln_scene_options_take(const kiln_scene_options *options, kiln_scene_options *full);

/* Are the groups of an object and of what a query is made for such that they are a pair? */
static inline bool kiln_scene_groups_fit(const kiln_scene *scene, uint32_t place, uint32_t category,
                                         uint32_t mask)
{
    const kiln_scene_groups *own = &scene->groups[place];
    return (own->category & mask) != 0 && (category & own->mask) != 0;
}

/* A pair with what is not in the scene, or of two places; `a` NOWHERE: not in the scene. */
kiln_scene_pair kiln_scene_pair_at(const kiln_scene *scene, uint32_t a, uint32_t b);

/* Is it neither ignored, excluded nor rejected by the filter? In the caller's environment. */
bool kiln_scene_pair_counts(const kiln_scene_options *options, const kiln_scene_pair *pair);

/* What is done with a candidate, in the caller's floating-point environment; false: enough. */
typedef bool (*kiln_scene_visitor)(void *user, const kiln_scene_pair *pair, uint32_t a, uint32_t b);

/* All candidates among the objects. Not in the environment of fpu.h. */
void kiln_scene_visit_pairs(const kiln_scene *scene, const kiln_scene_options *options,
                            kiln_scene_visitor visit, void *user);

/* All candidates of one box that is not in the scene; groups are those of the options. */
void kiln_scene_visit_box(const kiln_scene *scene, const kiln_scene_box *box,
                          const kiln_scene_options *options, kiln_scene_visitor visit, void *user);

/* World bounds of a tree at a pose, in whatever environment. KILN_ERROR_ARGUMENT, POSE. */
kiln_status kiln_scene_bound_tree(const kiln_tree *tree, const kiln_pose *pose,
                                  kiln_scene_box *box);

#endif
