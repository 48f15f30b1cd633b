/* Links the nodes of a tree that arrives, so that what has come is a tree by itself (part.h).
 *
 * Nodes come in the order of the file, and parents before their children. One pass over the
 * nodes that have just come, and over those that still have hidden lanes, shows the lanes whose
 * nodes are there now, hides those whose nodes are not, and gives each child its depth. */
#include "part.h"

#include "assert.h"

#include <string.h>

/* Uses of the three bytes of a header that are 0 in a file. */
enum { INNER = 0 /* the node's own, where lanes are hidden */, DEPTH = 1 /* 1 for the root */ };

/* The nodes are memory of the reader, so they may be written to. */
static kiln_format_node8 *part_node_at(const kiln_view_tree *tree, uint32_t index)
{
    return (kiln_format_node8 *)(uintptr_t)kiln_view_tree_node(tree, index);
}

/* The number of elements of a section that have arrived, from number `first` on. */
static uint64_t there(const kiln_reader *reader, uint32_t kind, uint64_t first)
{
    const uint64_t elements = reader->sections[kiln_reader_find(reader, kind, 0)].there;
    return elements > first ? elements - first : 0;
}

/* A node counts as arrived when the counts of its lanes have arrived as well, where there are any:
 * time-critical queries read both. */
uint32_t kiln_part_arrived(const kiln_view *view, const kiln_view_tree *tree)
{
    const kiln_reader *reader = view->reader;
    uint64_t nodes = there(reader, tree->kind->section, tree->entry->node_first);
    if (tree->adb != NULL) {
        const uint64_t boxes = there(reader, KILN_SECTION_ADB_BOXES, tree->adb->box_first);
        const uint64_t counted = boxes > 0 ? (boxes - 1) / tree->kind->lanes : 0;
        nodes = counted < nodes ? counted : nodes;
    }
    return nodes < tree->entry->node_count ? (uint32_t)nodes : tree->entry->node_count;
}

static void set_count(kiln_format_node8 *node, unsigned lane, unsigned count)
{
    KILN_ASSERT(lane < KILN_NODE_WIDTH);
    KILN_ASSERT(count <= 15);
    const unsigned shift = 4 * (lane % 2);
    node->count[lane / 2] = (uint8_t)((node->count[lane / 2] & ~(15u << shift)) | count << shift);
}

/* Children have successive numbers, so that those of the last lanes are missing, and what is
 * left keeps its numbers. */
static void hide(kiln_format_node8 *node, unsigned lanes)
{
    node->flags[INNER] = node->inner;
    node->inner = (uint8_t)(node->inner & ~lanes);
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        if ((lanes >> lane & 1) != 0) {
            set_count(node, lane, 1);
        }
    }
}

/* Gives the children of node `index` that are among the first `nodes` their depth, which those
 * before `first_new` have; *missing becomes the lanes of the others. False: the rule in *rule
 * is broken. */
static bool link_children(const kiln_view_tree *tree, uint32_t index, uint32_t first_new,
                          uint32_t nodes, unsigned *missing, uint32_t *rule)
{
    const kiln_format_node8 *node = part_node_at(tree, index);
    *missing = 0;
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        if ((node->inner >> lane & 1) == 0) {
            continue;
        }
        const uint32_t child = kiln_node8_child(node, lane);
        KILN_ASSERT(child > index);
        if (child >= nodes) {
            *missing |= 1u << lane;
        } else if (child >= first_new) {
            uint8_t *depth = &part_node_at(tree, child)->flags[DEPTH];
            *rule = *depth != 0 ? KILN_RULE_NODE_ONCE : KILN_RULE_NODE_DEPTH;
            if (*depth != 0 || node->flags[DEPTH] >= tree->entry->depth) {
                return false;
            }
            *depth = (uint8_t)(node->flags[DEPTH] + 1);
        }
    }
    return true;
}

/* Links nodes from the first with hidden lanes on, where `nodes` are there now and checked each for
 * itself. part->levels becomes the number of levels that are there wholly. */
static bool link_nodes(kiln_part *part, const kiln_view *view, const kiln_view_tree *tree,
                       uint32_t nodes, kiln_format_error *error)
{
    const uint32_t first_new = part->nodes;
    const uint32_t first = part->first_open;
    part->first_open = nodes;
    part->levels = tree->entry->depth;
    for (uint32_t i = first; i < nodes; i++) {
        kiln_format_node8 *node = part_node_at(tree, i);
        unsigned missing;
        uint32_t rule = KILN_RULE_NODE_ONCE;
        if (i < first_new && node->flags[INNER] == 0) {
            continue;
        }
        if (i < first_new) { /* show what was hidden */
            const unsigned hidden = node->flags[INNER] & ~(unsigned)node->inner;
            for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
                if ((hidden >> lane & 1) != 0) {
                    set_count(node, lane, 0);
                }
            }
            node->inner = node->flags[INNER];
            node->flags[INNER] = 0;
        }
        if (node->flags[DEPTH] == 0 || !link_children(tree, i, first_new, nodes, &missing, &rule)) {
            (void)kiln_view_node_error(view, tree, rule, i, error);
            /* A query may have visited these nodes before. From now on none of them leads to an
             * unchecked node. */
            for (uint32_t k = i; k < nodes; k++) {
                hide(part_node_at(tree, k), part_node_at(tree, k)->inner);
            }
            return false;
        }
        if (missing != 0) {
            hide(node, missing);
            part->first_open = i < part->first_open ? i : part->first_open;
            part->levels = node->flags[DEPTH] < part->levels ? node->flags[DEPTH] : part->levels;
        }
    }
    return true;
}

/* Each node is checked before it is linked, so that at every moment a query sees checked nodes
 * only. The number of triangles so far is bounded by that of the tree, as in a whole walk. */
bool kiln_part_grow(kiln_part *part, const kiln_view *view, const kiln_view_tree *tree,
                    uint32_t nodes, kiln_format_error *error)
{
    KILN_ASSERT(nodes >= part->nodes);
    KILN_ASSERT(nodes <= tree->entry->node_count);
    if (nodes == part->nodes) {
        return true;
    }
    for (uint32_t i = part->nodes; i < nodes; i++) {
        uint32_t triangles;
        if (!kiln_view_check_node(view, tree, i, &triangles, error)) {
            return false;
        }
        part->triangles += triangles;
        if (part->triangles > tree->slots) {
            return kiln_view_node_error(view, tree, KILN_RULE_LEAF_ONCE, i, error);
        }
    }
    if (tree->adb != NULL) {
        const uint32_t lanes = tree->kind->lanes;
        const uint32_t first = part->nodes == 0 ? 0 : 1 + part->nodes * lanes;
        if (!kiln_view_check_boxes(view, tree, first, 1 + nodes * lanes, error)) {
            return false;
        }
    }
    if (part->nodes == 0) {
        part_node_at(tree, 0)->flags[DEPTH] = 1;
    }
    if (!link_nodes(part, view, tree, nodes, error)) {
        return false;
    }
    KILN_ASSERT(part->first_open <= nodes);
    part->nodes = nodes;
    return true;
}

void kiln_part_end(const kiln_view_tree *tree)
{
    for (uint32_t i = 0; i < tree->entry->node_count; i++) {
        memset(part_node_at(tree, i)->flags, 0, sizeof part_node_at(tree, i)->flags);
    }
}
