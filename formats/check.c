/* The verifier, whose theorem is in check.h.
 *
 * kiln_view_open first names the sections and compares their counts, so that every later step
 * may index one by the counts of another; this much is done for trusted files, too. Then it
 * checks contents, section by section: geometry, parts, and each tree by one walk from its
 * root, which sees every node and lane once, and a pass for nodes with two parents, which a
 * walk alone does not show. Offsets in errors are in the file for raw sections and in the
 * decoded section for compressed ones. part.c checks single nodes and boxes with the same
 * functions while a file arrives. */
#include "check.h"

#include "adb.h"
#include "assert.h"
#include "axes_check.h"
#include "bins_check.h"
#include "sections.h"
#include "weights.h"

#include <string.h>

/* ---------------------------------------------------------------------- naming and counts -- */

/* The offset of an error counts from the start of the file for a raw section, and within the
 * decoded section otherwise. */
static uint64_t offset_of_kind(const kiln_reader *reader, uint32_t kind, uint64_t byte)
{
    KILN_ASSERT(kiln_reader_find(reader, kind, 0) != KILN_NO_INDEX);
    const kiln_format_section *entry = &reader->sections[kiln_reader_find(reader, kind, 0)].entry;
    return entry->codec == KILN_CODEC_RAW ? entry->offset + byte : byte;
}

static bool has_section(const kiln_reader *reader, uint32_t kind)
{
    return kiln_reader_find(reader, kind, 0) != KILN_NO_INDEX;
}

/* Sections of a mesh, and those of a height field, from which the former follow. */
static bool is_of_mesh(uint32_t kind)
{
    bool nodes = false;
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        nodes = nodes || kiln_node_kinds[i].section == kind;
    }
    return nodes || kind == KILN_SECTION_VERTICES || kind == KILN_SECTION_TRIANGLES ||
           kind == KILN_SECTION_TRIANGLE_IDS || kind == KILN_SECTION_FACES ||
           kind == KILN_SECTION_USER || kind == KILN_SECTION_ORDER ||
           kind == KILN_SECTION_REFERENCES || kind == KILN_SECTION_LANE_PAIRS ||
           kind == KILN_SECTION_ADB || kind == KILN_SECTION_ADB_BOXES;
}

/* No kind of section occurs twice, and none is missing. */
static bool check_kinds(const kiln_reader *reader, kiln_format_error *error)
{
    const bool heights = has_section(reader, KILN_SECTION_HEIGHTS);
    for (unsigned i = 0; i < kiln_section_kind_count; i++) {
        const kiln_section_kind *kind = &kiln_section_kinds[i];
        const uint32_t first = kiln_reader_find(reader, kind->kind, 0);
        const bool samples = kind->kind == KILN_SECTION_SAMPLES;
        if (heights && is_of_mesh(kind->kind)                ? first != KILN_NO_INDEX
            : samples && heights != (first != KILN_NO_INDEX) ? true
            : first == KILN_NO_INDEX
                ? kind->always != 0
                : kiln_reader_find(reader, kind->kind, first + 1) != KILN_NO_INDEX) {
            return kiln_format_error_rule(error, KILN_RULE_SECTION_ONCE, sizeof(kiln_format_header),
                                          kind->name);
        }
    }
    return true;
}

/* A section that every model has, which check_kinds has seen. */
static const kiln_reader_section *section_of(const kiln_reader *reader, uint32_t kind)
{
    KILN_ASSERT(kiln_reader_find(reader, kind, 0) != KILN_NO_INDEX);
    return &reader->sections[kiln_reader_find(reader, kind, 0)];
}

/* A section that is missing counts as one without elements. */
static uint64_t section_count_of(const kiln_reader *reader, uint32_t kind)
{
    const uint32_t index = kiln_reader_find(reader, kind, 0);
    return index == KILN_NO_INDEX ? 0 : reader->sections[index].count;
}

static const void *section_data(const kiln_reader *reader, uint32_t kind)
{
    const uint32_t index = kiln_reader_find(reader, kind, 0);
    return index == KILN_NO_INDEX ? NULL : reader->sections[index].data;
}

/* Does an optional section, where it exists, have the number of elements that it must have? */
static bool count_is(const kiln_reader *reader, uint32_t kind, uint64_t count)
{
    return !has_section(reader, kind) || section_count_of(reader, kind) == count;
}

/* Names the sections that every model has, and compares their counts, so that one may be indexed by
 * the counts of another from here on. */
static bool name_sections(kiln_view *view, const kiln_reader *reader, kiln_format_error *error)
{
    const uint64_t vertices = section_count_of(reader, KILN_SECTION_VERTICES);
    const uint64_t triangles = section_count_of(reader, KILN_SECTION_TRIANGLES);
    const uint64_t ids = section_count_of(reader, KILN_SECTION_TRIANGLE_IDS);
    const kiln_reader_section *parts = section_of(reader, KILN_SECTION_PARTS);
    const kiln_reader_section *materials = section_of(reader, KILN_SECTION_MATERIALS);
    const kiln_reader_section *strings = section_of(reader, KILN_SECTION_STRINGS);
    const kiln_reader_section *meta = section_of(reader, KILN_SECTION_META);
    const kiln_reader_section *trees = section_of(reader, KILN_SECTION_TREES);
    const uint64_t most = KILN_NO_INDEX - 1u;
    if (vertices > most || triangles > most || parts->count == 0 || parts->count > most ||
        materials->count > most || ids != triangles ||
        !count_is(reader, KILN_SECTION_FACES, triangles) ||
        !count_is(reader, KILN_SECTION_USER, triangles) ||
        !count_is(reader, KILN_SECTION_LANE_PAIRS,
                  section_count_of(reader, KILN_SECTION_NODES_OCTREE)) ||
        trees->count == 0 || trees->count > KILN_TREE_COUNT_MAX ||
        (triangles == 0 && vertices != 0)) {
        return kiln_format_error_rule(error, KILN_RULE_COUNTS, sizeof(kiln_format_header),
                                      "section table");
    }
    view->reader = reader;
    view->points = (reader->header.features_optional & KILN_FORMAT_OPTIONAL_POINTS) != 0;
    view->vertices = (const float *)section_data(reader, KILN_SECTION_VERTICES);
    view->vertex_count = (uint32_t)vertices;
    view->triangles = (const uint32_t *)section_data(reader, KILN_SECTION_TRIANGLES);
    view->triangle_count = (uint32_t)triangles;
    view->ids = (const uint32_t *)section_data(reader, KILN_SECTION_TRIANGLE_IDS);
    view->faces = (const uint32_t *)section_data(reader, KILN_SECTION_FACES);
    view->user = (const uint32_t *)section_data(reader, KILN_SECTION_USER);
    view->parts = (const kiln_format_part *)parts->data;
    view->part_count = (uint32_t)parts->count;
    view->materials = (const uint32_t *)materials->data;
    view->material_count = (uint32_t)materials->count;
    view->strings = (const char *)strings->data;
    view->strings_size = strings->count;
    view->meta = (const char *)meta->data;
    view->meta_size = meta->count;
    view->trees = (const kiln_format_tree *)trees->data;
    view->tree_count = (uint32_t)trees->count;
    return true;
}

/* A height field has one tree, which is what follows from its samples, where these are loaded. */
static bool name_heights(kiln_view *view, kiln_format_error *error)
{
    const kiln_reader_section *header = section_of(view->reader, KILN_SECTION_HEIGHTS);
    const kiln_format_heights *grid = (const kiln_format_heights *)header->data;
    const uint64_t samples = section_count_of(view->reader, KILN_SECTION_SAMPLES);
    size_t size, scratch;
    if (grid == NULL || header->count != 1 || !kiln_heights_size(grid, samples, &size, &scratch)) {
        return kiln_format_error_rule(error, KILN_RULE_HEIGHTS,
                                      offset_of_kind(view->reader, KILN_SECTION_HEIGHTS, 0),
                                      "height field");
    }
    view->heights = view->reader->heights;
    view->triangle_count = 2 * (grid->columns - 1) * (grid->rows - 1);
    if (view->tree_count == 1 && view->heights != NULL && view->trees != NULL) {
        kiln_format_tree entry = view->heights->entry;
        entry.name = view->trees[0].name;
        memcpy(entry.geometry_hash, view->trees[0].geometry_hash, sizeof entry.geometry_hash);
        if (memcmp(&entry, &view->trees[0], sizeof entry) == 0) {
            return true;
        }
    } else if (view->tree_count == 1 && view->heights == NULL) {
        return true;
    }
    return kiln_format_error_rule(error, KILN_RULE_HEIGHTS,
                                  offset_of_kind(view->reader, KILN_SECTION_TREES, 0),
                                  "tree directory");
}

/* In a file without polygons the trees name triangles that the file does not hold, and all trees
 * have counts. */
static bool name_no_polygons(kiln_view *view, kiln_format_error *error)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < view->tree_count; i++) {
        const kiln_format_tree *tree = &view->trees[i];
        const uint64_t end = (uint64_t)tree->triangle_first + tree->triangle_count;
        most = end > most ? end : most;
    }
    if (most >= KILN_NO_INDEX || view->adb_count != view->tree_count ||
        section_count_of(view->reader, KILN_SECTION_ORDER) != 0 ||
        section_count_of(view->reader, KILN_SECTION_REFERENCES) != 0 ||
        has_section(view->reader, KILN_SECTION_LANE_PAIRS)) {
        return kiln_format_error_rule(error, KILN_RULE_COUNTS, sizeof(kiln_format_header),
                                      "section table");
    }
    view->vertices = NULL;
    view->triangles = view->ids = view->faces = view->user = NULL;
    view->triangle_count = (uint32_t)most;
    return true;
}

/* Names the counts of time-critical queries, which a model may lack. They are there for both the
 * directory and the boxes, or for neither. */
static bool name_counts(kiln_view *view, kiln_format_error *error)
{
    const uint64_t count = section_count_of(view->reader, KILN_SECTION_ADB);
    if (count > view->tree_count ||
        (count == 0) != (section_count_of(view->reader, KILN_SECTION_ADB_BOXES) == 0)) {
        return kiln_format_error_rule(error, KILN_RULE_COUNTS, sizeof(kiln_format_header),
                                      "section table");
    }
    view->adb_count = (uint32_t)count;
    if (count > 0) {
        view->adb = (const kiln_format_adb *)section_data(view->reader, KILN_SECTION_ADB);
        view->adb_boxes =
            (const kiln_format_adb_box *)section_data(view->reader, KILN_SECTION_ADB_BOXES);
    }
    return has_section(view->reader, KILN_SECTION_HEIGHTS)
               ? name_heights(view, error)
               : view->triangle_count != 0 || name_no_polygons(view, error);
}

/* Strings are named by the offset of their first byte. No length is stored that could be wrong. */
static bool string_is_sound(const kiln_view *view, uint32_t offset)
{
    return offset < view->strings_size; /* the section ends with a zero byte */
}

/* Infinities and NaN are the floats whose exponent is all ones, so that bits are compared, not
 * values. The largest of all is compared once, at the end: the loop has no branch, and compilers
 * turn it into vector code. */
static bool floats_finite(const float *values, size_t count)
{
    uint32_t worst = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits &= 0x7FFFFFFFu;
        worst = bits > worst ? bits : worst;
    }
    return worst < 0x7F800000u;
}

/* The trees seen so far have filled the sections that they share up to these elements. */
typedef struct {
    uint64_t nodes[KILN_NODE_KIND_COUNT]; /* by node kind */
    uint64_t order, references;
} tree_fill;

/* The trees of a kind tile its node section in order, and so do those with an order the order
 * section. Octrees with polygons tile that of references, and have as many as their entries say. */
static bool tree_sections_fit(const kiln_view *view, const kiln_format_tree *tree, tree_fill *fill)
{
    const kiln_reader *reader = view->reader;
    const kiln_node_kind *kind = kiln_node_kind_find(tree->bv);
    if (has_section(reader, KILN_SECTION_HEIGHTS)) { /* it shares none */
        return tree->bv == KILN_FORMAT_BV_AABB8;
    }
    if (kind == NULL) {
        return false;
    }
    uint64_t *nodes = &fill->nodes[kind - kiln_node_kinds];
    if (tree->node_first != *nodes ||
        tree->node_count > section_count_of(reader, kind->section) - *nodes) {
        return false;
    }
    *nodes += tree->node_count;
    if (kind->shared ? tree->reference_count < tree->triangle_count : tree->reference_count != 0) {
        return false;
    }
    if (tree->order_first == KILN_NO_INDEX) {
        return !kind->shared || view->triangles == NULL;
    }
    const uint32_t section = kind->shared ? KILN_SECTION_REFERENCES : KILN_SECTION_ORDER;
    const uint32_t count = kind->shared ? tree->reference_count : tree->triangle_count;
    uint64_t *filled = kind->shared ? &fill->references : &fill->order;
    if (tree->order_first != *filled || count > section_count_of(reader, section) - *filled) {
        return false;
    }
    *filled += count;
    return true;
}

/* Numbers of a tree that later steps rely on. Exponents of the scale are within the range in which
 * the products of the runtime neither over- nor underflow; differences are compared instead of
 * sums, which could wrap. */
static bool tree_numbers_fit(const kiln_view *view, const kiln_format_tree *tree)
{
    bool fit = tree->triangle_count > 0 && tree->triangle_first <= view->triangle_count &&
               tree->triangle_count <= view->triangle_count - tree->triangle_first &&
               tree->node_count > 0 && tree->depth > 0 && tree->depth <= KILN_TREE_DEPTH_MAX &&
               tree->leaf_max > 0 && tree->leaf_max <= KILN_LEAF_TRIANGLES_MAX &&
               tree->scale_exponent >= -400 && tree->scale_exponent <= 200 &&
               tree->closed <= KILN_CLOSED_ORIENTED && floats_finite(tree->bounds_lower, 3) &&
               floats_finite(tree->bounds_upper, 3) && string_is_sound(view, tree->name);
    for (unsigned k = 0; k < 3; k++) {
        fit = fit && tree->origin[k] - tree->origin[k] == 0.0; /* finite */
    }
    return fit;
}

/* Reserved bytes must be 0, so that later versions may give it a meaning. */
static bool words_are_zero(const uint32_t *words, unsigned count)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < count; i++) {
        any |= words[i];
    }
    return any == 0;
}

/* The directory of trees: their numbers are in range, and they tile the sections that they
 * share. */
static bool check_directory(const kiln_view *view, kiln_format_error *error)
{
    tree_fill fill;
    memset(&fill, 0, sizeof fill);
    const uint64_t start = offset_of_kind(view->reader, KILN_SECTION_TREES, 0);
    for (uint32_t i = 0; i < view->tree_count; i++) {
        const kiln_format_tree *tree = &view->trees[i];
        const uint64_t at = start + (uint64_t)i * sizeof *tree;
        if (!tree_sections_fit(view, tree, &fill) || !tree_numbers_fit(view, tree)) {
            return kiln_format_error_rule(error, KILN_RULE_TREE, at, "tree directory");
        }
        if (!words_are_zero(tree->reserved, 1)) {
            return kiln_format_error_rule(error, KILN_RULE_RESERVED, at, "tree directory");
        }
    }
    /* Every element of a shared section belongs to a tree, so that none is left over. */
    bool full = fill.order == section_count_of(view->reader, KILN_SECTION_ORDER) &&
                fill.references == section_count_of(view->reader, KILN_SECTION_REFERENCES);
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        full = full && fill.nodes[i] == section_count_of(view->reader, kiln_node_kinds[i].section);
    }
    if (!full) {
        return kiln_format_error_rule(error, KILN_RULE_TREE,
                                      offset_of_kind(view->reader, KILN_SECTION_TREES, 0),
                                      "tree directory");
    }
    return true;
}

/* The directory of counts: entries name trees in order, and tile the boxes. Which boxes there are
 * follows from the trees; what they hold kiln_view_check_boxes checks. */
static bool check_counts(const kiln_view *view, kiln_format_error *error)
{
    uint64_t boxes = 0;
    for (uint32_t i = 0; i < view->adb_count; i++) {
        const kiln_format_adb *adb = &view->adb[i];
        const uint64_t at =
            offset_of_kind(view->reader, KILN_SECTION_ADB, (uint64_t)i * sizeof *adb);
        if (adb->tree >= view->tree_count || (i > 0 && adb->tree <= adb[-1].tree) ||
            !kiln_adb_is_sound(adb) || adb->box_first != boxes) {
            return kiln_format_error_rule(error, KILN_RULE_ADB, at, "counts");
        }
        /* One box for the whole tree, and one for each lane of each node, used or not. */
        const kiln_format_tree *tree = &view->trees[adb->tree];
        const kiln_node_kind *kind = kiln_node_kind_find(tree->bv);
        boxes += adb->box_count;
        if (adb->box_count != 1 + (uint64_t)tree->node_count * kind->lanes ||
            (kind->shared && adb->polygons == KILN_ADB_POLYGONS_BOX)) {
            return kiln_format_error_rule(error, KILN_RULE_ADB, at, "counts");
        }
        if (!words_are_zero(adb->reserved, 2)) {
            return kiln_format_error_rule(error, KILN_RULE_RESERVED, at, "counts");
        }
    }
    if (boxes != section_count_of(view->reader, KILN_SECTION_ADB_BOXES)) {
        return kiln_format_error_rule(error, KILN_RULE_ADB,
                                      offset_of_kind(view->reader, KILN_SECTION_ADB, 0), "counts");
    }
    return true;
}

/* -------------------------------------------------------------------------- contents -- */

/* Vertices are finite, and indices and ids are below the counts of what they name. One pass for the
 * largest of each is several times faster than a comparison for each. */
static bool check_geometry(const kiln_view *view, kiln_format_error *error)
{
    if (!floats_finite(view->vertices, 3 * (size_t)view->vertex_count)) {
        return kiln_format_error_rule(error, KILN_RULE_VERTEX,
                                      offset_of_kind(view->reader, KILN_SECTION_VERTICES, 0),
                                      "vertices");
    }
    uint32_t highest = 0;
    for (size_t i = 0; i < 3 * (size_t)view->triangle_count; i++) {
        highest = view->triangles[i] > highest ? view->triangles[i] : highest;
    }
    if (highest >= view->vertex_count) {
        return kiln_format_error_rule(error, KILN_RULE_TRIANGLE,
                                      offset_of_kind(view->reader, KILN_SECTION_TRIANGLES, 0),
                                      "triangles");
    }
    uint32_t differ = 0; /* corners of points */
    for (size_t i = 0; view->points && i < view->triangle_count; i++) {
        const uint32_t *corner = view->triangles + 3 * i;
        differ |= (corner[0] ^ corner[1]) | (corner[0] ^ corner[2]);
    }
    if (differ != 0) {
        return kiln_format_error_rule(error, KILN_RULE_POINTS,
                                      offset_of_kind(view->reader, KILN_SECTION_TRIANGLES, 0),
                                      "triangles");
    }
    highest = 0;
    for (size_t i = 0; i < view->triangle_count; i++) {
        highest = view->ids[i] > highest ? view->ids[i] : highest;
    }
    if (highest >= view->triangle_count) {
        return kiln_format_error_rule(error, KILN_RULE_TRIANGLE_ID,
                                      offset_of_kind(view->reader, KILN_SECTION_TRIANGLE_IDS, 0),
                                      "triangle ids");
    }
    return true;
}

/* Parts tile the ids of triangles, in order; their names are strings. Where faces or user
 * values have sections of their own, parts hold none. Then the names of materials. */
static bool check_source(const kiln_view *view, kiln_format_error *error)
{
    const bool faces = has_section(view->reader, KILN_SECTION_FACES);
    const bool user = has_section(view->reader, KILN_SECTION_USER);
    uint32_t next = 0;
    const uint64_t start = offset_of_kind(view->reader, KILN_SECTION_PARTS, 0);
    for (uint32_t i = 0; view->parts != NULL && i < view->part_count; i++) {
        const kiln_format_part *part = &view->parts[i];
        const uint64_t at = start + (uint64_t)i * sizeof *part;
        if (part->triangle_first != next || part->triangle_count > view->triangle_count - next) {
            return kiln_format_error_rule(error, KILN_RULE_PART, at, "parts");
        }
        if (!string_is_sound(view, part->node_path) || !string_is_sound(view, part->mesh_name)) {
            return kiln_format_error_rule(error, KILN_RULE_STRING, at, "parts");
        }
        if ((faces && part->face != 0) || (user && part->user != 0)) {
            return kiln_format_error_rule(error, KILN_RULE_RESERVED, at, "parts");
        }
        next += part->triangle_count;
    }
    if (view->parts != NULL && next != view->triangle_count) {
        return kiln_format_error_rule(error, KILN_RULE_PART,
                                      offset_of_kind(view->reader, KILN_SECTION_PARTS, 0), "parts");
    }
    for (uint32_t i = 0; view->materials != NULL && i < view->material_count; i++) {
        if (!string_is_sound(view, view->materials[i])) {
            return kiln_format_error_rule(
                error, KILN_RULE_STRING,
                offset_of_kind(view->reader, KILN_SECTION_MATERIALS, (uint64_t)i * 4), "materials");
        }
    }
    return true;
}

/* The walk over one tree. */
typedef struct {
    const kiln_view *view;
    const kiln_view_tree *tree;
    kiln_format_error *error;
    uint32_t visited; /* nodes */
    uint32_t deepest;
    uint64_t in_leaves; /* triangles */
} tree_walk;

/* The place of an error in a node is that of its first byte. */
bool kiln_view_node_error(const kiln_view *view, const kiln_view_tree *tree, uint32_t rule,
                          uint32_t node, kiln_format_error *error)
{
    const uint64_t byte = ((uint64_t)tree->entry->node_first + node) * tree->kind->node_size;
    return kiln_format_error_rule(
        error, rule, offset_of_kind(view->reader, tree->kind->section, byte), tree->kind->name);
}

static bool node_error(const tree_walk *walk, uint32_t rule, uint32_t node)
{
    return kiln_view_node_error(walk->view, walk->tree, rule, node, walk->error);
}

/* Checks one node; its children are *children in number, from *child on. What it proves of the node
 * is what a traversal relies on: numbers are finite, lanes are what they claim to be, slots stay
 * within the tree's triangles, and children come after their parent and within the tree. */
static bool check_node(tree_walk *walk, uint32_t index, uint32_t *child, uint32_t *children)
{
    const kiln_format_tree *entry = walk->tree->entry;
    const kiln_node_kind *kind = walk->tree->kind;
    const kiln_format_node8 *node = kiln_view_tree_node(walk->tree, index);
    KILN_ASSERT(index < entry->node_count);
    if (++walk->visited > entry->node_count) {
        return node_error(walk, KILN_RULE_NODE_ONCE, index);
    }

    /* Fields. Node space is [-1, 1], so an origin is nowhere near 1024, and 255 steps need not be
     * longer than a few units. What is admitted here is what the kernels are proved for. */
    const float org_max = 1024.0f;
    for (unsigned k = 0; k < 3; k++) {
        if (!(node->org[k] >= -org_max && node->org[k] <= org_max) || node->exp[k] == 0 ||
            node->exp[k] > KILN_NODE_EXP_MAX) {
            return node_error(walk, KILN_RULE_NODE_FIELD, index);
        }
    }
    if (node->flags[0] != 0 || node->flags[1] != 0 || node->flags[2] != 0 ||
        !kind->reserved_is_zero(node)) {
        return node_error(walk, KILN_RULE_RESERVED, index);
    }

    /* Lanes. */
    uint32_t triangles = 0;
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        const unsigned count = kiln_node8_count(node, lane);
        const bool inner = (node->inner >> lane & 1) != 0;
        const bool used = inner || count != 0;
        if (count > entry->leaf_max || (inner && count != 0) || (used && lane >= kind->lanes)) {
            return node_error(walk, KILN_RULE_NODE_LANE, index);
        }
        if (used && !kind->lane_is_sound(node, lane)) {
            return node_error(walk, KILN_RULE_NODE_FIELD, index);
        }
        triangles += count;
    }
    const uint32_t slots = walk->tree->slots;
    if (node->tri > slots || triangles > slots - node->tri) {
        return node_error(walk, KILN_RULE_NODE_SLOT, index);
    }
    walk->in_leaves += triangles;

    /* Children. */
    *children = kiln_popcount8(node->inner);
    *child = node->child;
    if (*children != 0 && (*child <= index || *child >= entry->node_count ||
                           *children > entry->node_count - *child)) {
        return node_error(walk, KILN_RULE_NODE_CHILD, index);
    }
    return true;
}

/* One node by itself, for a file that arrives: the counters of a whole walk start from 0, and what
 * only a whole tree can show is left to the verification at the end. */
bool kiln_view_check_node(const kiln_view *view, const kiln_view_tree *tree, uint32_t index,
                          uint32_t *triangles, kiln_format_error *error)
{
    tree_walk walk = {view, tree, error, 0, 0, 0};
    uint32_t child, children;
    KILN_ASSERT(tree->nodes != NULL);
    const bool sound = check_node(&walk, index, &child, &children);
    *triangles = (uint32_t)walk.in_leaves;
    return sound;
}

/* Depth first over an explicit stack: one frame for each node on the path. The path is as long as
 * a tree may be deep, so that it fits on the stack whatever the file says. The number of nodes
 * visited is bounded by that of the tree, which ends every walk. */
static bool walk_tree(tree_walk *walk)
{
    struct {
        uint32_t next, end; /* children still to visit */
    } path[KILN_TREE_DEPTH_MAX];
    uint32_t depth = 0;
    uint32_t index = 0;
    for (;;) {
        uint32_t child = 0, children = 0;
        if (depth == walk->tree->entry->depth) {
            return node_error(walk, KILN_RULE_NODE_DEPTH, index);
        }
        if (!check_node(walk, index, &child, &children)) {
            return false;
        }
        KILN_ASSERT(depth < KILN_TREE_DEPTH_MAX);
        KILN_ASSERT(children <= KILN_NODE_WIDTH);
        path[depth].next = child;
        path[depth].end = child + children;
        depth++;
        walk->deepest = depth > walk->deepest ? depth : walk->deepest;
        while (depth > 0 && path[depth - 1].next == path[depth - 1].end) {
            depth--;
        }
        if (depth == 0) {
            return true;
        }
        index = path[depth - 1].next++;
    }
}

/* No node has two parents. The walk alone would not show it: a node may be seen twice where another
 * is never seen. One pass with a bit for each node, on the stack where they are few. */
enum { FEW_NODES = 1 << 18 };

static bool check_parents(const tree_walk *walk)
{
    uint8_t few[FEW_NODES / 8];
    const kiln_reader *reader = walk->view->reader;
    const uint32_t node_count = walk->tree->entry->node_count;
    const size_t size = (size_t)node_count / 8 + 1;
    uint8_t *seen = few;
    bool once = true;
    /* Children of all nodes are within the tree: the walk has seen every node. */
    KILN_ASSERT(walk->visited == node_count);
    if (size > sizeof few) {
        seen = (uint8_t *)kiln_reader_allocate(reader, 0, size, walk->error);
        if (seen == NULL) {
            return false;
        }
    }
    memset(seen, 0, size);
    for (uint32_t index = 0; once && index < node_count; index++) {
        const kiln_format_node8 *node = kiln_view_tree_node(walk->tree, index);
        const unsigned children = kiln_popcount8(node->inner);
        for (unsigned i = 0; once && i < children; i++) {
            const uint64_t child = (uint64_t)node->child + i;
            /* Within the tree, unless a file in place was written to since the walk. */
            once = child < node_count && (seen[child / 8] >> child % 8 & 1) == 0;
            if (once) {
                seen[child / 8] |= (uint8_t)(1u << child % 8);
            } else {
                (void)node_error(walk, KILN_RULE_NODE_ONCE, (uint32_t)child);
            }
        }
    }
    if (seen != few) {
        reader->allocator.release(reader->allocator.user, seen, size);
    }
    return once;
}

/* -------------------------------------------------------------------------- references -- */

/* References stay within the tree's triangles, and each triangle has one: a bit for each triangle,
 * on the stack where they are few. */
static bool check_references(const kiln_view *view, const kiln_view_tree *tree,
                             kiln_format_error *error)
{
    uint8_t few[FEW_NODES / 8];
    const kiln_reader *reader = view->reader;
    const uint32_t count = tree->entry->triangle_count;
    const size_t size = (size_t)count / 8 + 1;
    uint8_t *seen = few;
    KILN_ASSERT(tree->order != NULL && tree->slots == tree->entry->reference_count);
    if (size > sizeof few) {
        seen = (uint8_t *)kiln_reader_allocate(reader, 0, size, error);
        if (seen == NULL) {
            return false;
        }
    }
    memset(seen, 0, size);
    uint32_t distinct = 0, slot = 0;
    for (; slot < tree->slots; slot++) {
        const uint32_t triangle = kiln_view_tree_triangle(tree, slot) - tree->entry->triangle_first;
        if (triangle >= count) {
            break;
        }
        const uint8_t bit = (uint8_t)(1u << triangle % 8);
        distinct += (seen[triangle / 8] & bit) == 0;
        seen[triangle / 8] |= bit;
    }
    if (seen != few) {
        reader->allocator.release(reader->allocator.user, seen, size);
    }
    if (slot == tree->slots && distinct == count) {
        return true;
    }
    const uint64_t at =
        slot < tree->slots ? slot : 0; /* of one that is missing there is no place */
    return kiln_format_error_rule(error, KILN_RULE_REFERENCE,
                                  offset_of_kind(reader, KILN_SECTION_REFERENCES,
                                                 ((uint64_t)tree->entry->order_first + at) * 4),
                                  "references");
}

/* ---------------------------------------------------------------------- counts of boxes -- */

bool kiln_view_check_boxes(const kiln_view *view, const kiln_view_tree *tree, uint32_t first,
                           uint32_t last, kiln_format_error *error)
{
    static const kiln_format_adb_box nothing = {{0}, 0, 0, {0}};
    const unsigned lanes = tree->kind->lanes;
    KILN_ASSERT(tree->adb != NULL && tree->boxes != NULL);
    KILN_ASSERT(last <= tree->adb->box_count);

    /* The most that a stored count of each region may be; 0 beyond the last region. */
    uint32_t cells[KILN_ADB_REGIONS_MOST], most[KILN_ADB_REGIONS_MOST];
    const uint32_t unit = kiln_adb_unit(tree->adb);
    kiln_adb_region_cells(tree->adb, cells);
    for (unsigned i = 0; i < KILN_ADB_REGIONS_MOST; i++) {
        const uint32_t units = (cells[i] + unit - 1) / unit;
        most[i] = units < 255 ? units : 255;
    }

    /* Box 0 is that of the whole tree; box 1 + node * lanes + lane is zero where the lane is empty.
     */
    for (uint32_t i = first; i < last; i++) {
        const kiln_format_adb_box *box = &tree->boxes[i];
        const bool used =
            i == 0 ||
            (kiln_node8_used(kiln_view_tree_node(tree, (i - 1) / lanes)) >> (i - 1) % lanes & 1) !=
                0;
        bool sound = box->depth <= (i == 0 ? 0 : tree->entry->depth) && box->reserved[0] == 0 &&
                     box->reserved[1] == 0;
        for (unsigned k = 0; k < KILN_ADB_REGIONS_MOST; k++) {
            sound = sound && box->count[k] <= most[k];
        }
        if (!(used ? sound : memcmp(box, &nothing, sizeof nothing) == 0)) {
            const uint64_t byte =
                ((uint64_t)tree->adb->box_first + i) * sizeof(kiln_format_adb_box);
            return kiln_format_error_rule(
                error, KILN_RULE_ADB_BOX,
                offset_of_kind(view->reader, KILN_SECTION_ADB_BOXES, byte), "counts of boxes");
        }
    }
    return true;
}

/* Checks all that belongs to one tree: its order, its nodes and the counts of its boxes. */
static bool check_tree(const kiln_view *view, uint32_t index, kiln_format_error *error)
{
    const kiln_view_tree tree = kiln_view_get_tree(view, index);
    if (tree.nodes == NULL || tree.heights != NULL) { /* what was formed here is sound */
        return true;
    }
    if (tree.kind->shared && tree.order != NULL && !check_references(view, &tree, error)) {
        return false;
    }
    if (tree.lane_pairs != NULL) {
        uint32_t any = 0;
        for (uint32_t i = 0; i < tree.entry->node_count; i++) {
            any |= tree.lane_pairs[i];
        }
        if ((any & ~KILN_LANE_PAIRS_ALL) != 0) {
            return kiln_format_error_rule(error, KILN_RULE_RESERVED,
                                          offset_of_kind(view->reader, KILN_SECTION_LANE_PAIRS, 0),
                                          "lane pairs");
        }
    }
    for (uint32_t i = 0; tree.order != NULL && !tree.kind->shared && i < tree.entry->triangle_count;
         i++) {
        if (tree.order[i] - tree.entry->triangle_first >= tree.entry->triangle_count) {
            return kiln_format_error_rule(
                error, KILN_RULE_ORDER,
                offset_of_kind(view->reader, KILN_SECTION_ORDER,
                               ((uint64_t)tree.entry->order_first + i) * 4),
                "order");
        }
    }
    tree_walk walk = {view, &tree, error, 0, 0, 0};
    if (!walk_tree(&walk)) {
        return false;
    }
    if (walk.visited != tree.entry->node_count) {
        return node_error(&walk, KILN_RULE_NODE_ONCE, 0);
    }
    if (!check_parents(&walk)) {
        return false;
    }
    if (walk.deepest != tree.entry->depth) {
        return node_error(&walk, KILN_RULE_NODE_DEPTH, 0);
    }
    if (walk.in_leaves != tree.slots) {
        return node_error(&walk, KILN_RULE_LEAF_ONCE, 0);
    }
    return tree.adb == NULL || kiln_view_check_boxes(view, &tree, 0, tree.adb->box_count, error);
}

/* The counts of tree `index`, or NULL: their entries are in the order of trees. */
static const kiln_format_adb *find_counts(const kiln_view *view, uint32_t index)
{
    uint32_t lower = 0, upper = view->adb_count;
    while (lower < upper) {
        const uint32_t middle = lower + (upper - lower) / 2;
        if (view->adb[middle].tree < index) {
            lower = middle + 1;
        } else {
            upper = middle;
        }
    }
    return lower < view->adb_count && view->adb[lower].tree == index ? &view->adb[lower] : NULL;
}

kiln_view_tree kiln_view_get_tree(const kiln_view *view, uint32_t index)
{
    kiln_view_tree tree;
    KILN_ASSERT(index < view->tree_count);
    tree.entry = &view->trees[index];
    tree.kind = kiln_node_kind_find(tree.entry->bv);
    KILN_ASSERT(tree.kind != NULL);
    const uint8_t *nodes = (const uint8_t *)section_data(view->reader, tree.kind->section);
    tree.nodes = nodes;
    if (nodes != NULL) {
        tree.nodes = nodes + (size_t)tree.entry->node_first * tree.kind->node_size;
    }
    tree.heights = view->heights;
    tree.slots = tree.kind->shared ? tree.entry->reference_count : tree.entry->triangle_count;
    if (tree.heights != NULL) {
        tree.nodes = tree.heights->nodes;
        tree.slots = tree.heights->slots;
    }
    /* The section of an order exists where a tree names a first entry: tree_sections_fit. */
    tree.order = NULL;
    if (tree.entry->order_first != KILN_NO_INDEX) {
        const uint32_t section = tree.kind->shared ? KILN_SECTION_REFERENCES : KILN_SECTION_ORDER;
        const uint32_t *order = (const uint32_t *)section_data(view->reader, section);
        tree.order = order + tree.entry->order_first;
    }
    const uint32_t *pairs = (const uint32_t *)section_data(view->reader, KILN_SECTION_LANE_PAIRS);
    tree.lane_pairs = pairs != NULL && tree.kind->shared && tree.order != NULL
                          ? pairs + tree.entry->node_first
                          : NULL;
    tree.adb = view->adb_boxes != NULL ? find_counts(view, index) : NULL;
    tree.boxes = tree.adb != NULL ? view->adb_boxes + tree.adb->box_first : NULL;
    return tree;
}

bool kiln_view_open(kiln_view *view, const kiln_reader *reader, bool trusted,
                    kiln_format_error *error)
{
    memset(view, 0, sizeof *view);
    if (kiln_bins_is_table(reader)) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_NOT_LOADED, 0,
                                     "this is a filled-bins table, not a model: kiln_bins_open and "
                                     "kiln lut read it");
    }
    if (kiln_axes_is_set(reader)) {
        return kiln_format_error_set(
            error, KILN_FORMAT_ERROR_NOT_LOADED, 0,
            "this is an axis set, not a model: kiln_axes_open and kiln lut read it");
    }
    if (kiln_weights_is_file(reader)) {
        return kiln_format_error_set(
            error, KILN_FORMAT_ERROR_NOT_LOADED, 0,
            "these are weights, not a model: kiln_adb_read_weights reads them");
    }
    if (!check_kinds(reader, error) || !name_sections(view, reader, error) ||
        !name_counts(view, error) || !kiln_weights_view_open(&view->weights, reader, error)) {
        return false;
    }
    if (view->strings_size == 0 || view->strings[view->strings_size - 1] != '\0') {
        return kiln_format_error_rule(error, KILN_RULE_STRING,
                                      offset_of_kind(reader, KILN_SECTION_STRINGS, 0), "strings");
    }
    if (!check_directory(view, error) || !check_counts(view, error)) {
        return false;
    }
    /* From here on every index is compared with what it names. A trusted file was checked so when
     * it was written, and the caller vouches that it has not changed since. */
    if (trusted) {
        return true;
    }
    if ((view->triangles != NULL && !check_geometry(view, error)) || !check_source(view, error)) {
        return false;
    }
    for (uint32_t i = 0; i < view->tree_count; i++) {
        if (!check_tree(view, i, error)) {
            return false;
        }
    }
    return true;
}
