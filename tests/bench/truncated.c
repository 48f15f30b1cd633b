/* See truncated.h.
 *
 * This is the library's own walk, compiled a second time with two functions exchanged, so that the
 * baseline is always as fast as the exact query is: what is behind a box, which here may be a leaf
 * earlier, and what to do with two leaves. */
#include "truncated.h"

#include "../../runtime/leaf_pair.h"

#include <stdlib.h>

struct truncated {
    const kiln_tree *tree;
    uint32_t *triangles; /* below each node */
};

static const truncated *asked;
static uint32_t asked_leaf;

static inline void truncated_contents(kiln_tree_box *box, const kiln_format_node8 *node,
                                      unsigned lane)
{
    kiln_tree_box_contents(box, node, lane);
    if (box->count == 0 && asked->triangles[box->first] <= asked_leaf) {
        box->count = 1;
    }
}

static inline bool truncated_meet(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                                  const kiln_pair_visitor *visitor, const kiln_tree_box *leaf_x,
                                  const kiln_tree_box *leaf_y)
{
    (void)leaves;
    (void)frame;
    (void)leaf_x;
    (void)leaf_y;
    return visitor->visit(visitor->user, (kiln_pair){0, 0});
}

#define kiln_tree_box_contents truncated_contents
#define kiln_leaf_pair_meet truncated_meet
#define kiln_pair_walk truncated_walk
#define kiln_pair_walk_from truncated_walk_from
kiln_status truncated_walk(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                           const kiln_pose *pose_b, const kiln_pair_visitor *visitor);
void truncated_walk_from(const kiln_pair_frame *frame, const kiln_tree_box *from_x,
                         const kiln_tree_box *from_y, const kiln_pair_visitor *visitor);
#include "../../runtime/pair_walk.c"

static uint32_t count_below(const truncated *query, uint32_t index)
{
    const kiln_format_node8 *node = kiln_tree_node(query->tree, index);
    uint32_t sum = 0;
    for (unsigned used = kiln_node8_used(node); used != 0; used &= used - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(used);
        sum += (node->inner >> lane & 1) != 0 ? count_below(query, kiln_node8_child(node, lane))
                                              : kiln_node8_count(node, lane);
    }
    query->triangles[index] = sum;
    return sum;
}

truncated *truncated_make(const kiln_tree *tree)
{
    truncated *query = malloc(sizeof *query);
    const uint32_t nodes = kiln_tree_get_info(tree).node_count;
    uint32_t *triangles = malloc(nodes * sizeof *triangles);
    if (query == NULL || triangles == NULL) {
        abort();
    }
    *query = (truncated){tree, triangles};
    (void)count_below(query, 0);
    return query;
}

void truncated_free(truncated *query)
{
    free(query->triangles);
    free(query);
}

static bool stop_at_first(void *user, kiln_pair pair)
{
    (void)pair;
    *(bool *)user = true;
    return false;
}

bool truncated_collide(const truncated *query, uint32_t leaf, const kiln_pose *pose)
{
    bool found = false;
    const kiln_pair_visitor visitor = {stop_at_first, &found, true};
    asked = query;
    asked_leaf = leaf;
    if (truncated_walk(query->tree, NULL, query->tree, pose, &visitor) != KILN_OK) {
        abort();
    }
    return found;
}
