/* The audit of a finished file: everything about it that can be computed again is, and compared.
 * kiln verify and the tests run it.
 *
 * The heart is containment. A box is |axis_k . (p - org - centre)| <= half_k in node space; see
 * formats/nodes.h. org, centre, axes and half-extents are floats, so org + centre and its
 * difference from p need one rounding each in double, and so do the three products and two sums of
 * the dot product. Writing u = 2^-53, the computed value is off by at most 8 u * sum |axis_i|
 * (|p_i| + |org_i + centre_i|): only what exceeds the bound by more is an error. That is 13 orders
 * of magnitude below the float arithmetic that queries use and allow for.
 *
 * Each tree is walked depth first with the boxes of the path on a stack, and each triangle below
 * is held against all of them. Slots are ticked off meanwhile, so that each is in exactly one
 * leaf. Bounds, hashes, closedness and counts follow. A file that fails is reported by its first
 * error, with the place where it stands. */
#include "audit.h"

#include "../../formats/assert.h"
#include "../../formats/axes_check.h"
#include "../../formats/bins_check.h"
#include "../../formats/check.h"
#include "../../formats/nodes.h"
#include "../count/count.h"
#include "audit_cells.h"
#include "heights_file.h"
#include "container.h"
#include "geometry.h"
#include "lane_pairs.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The box of a lane, in node space. */
typedef struct {
    kiln_box box;
    uint32_t node;
    unsigned lane;
} placed_lane;

typedef struct {
    const kiln_view *view;
    kiln_view_tree tree;
    const char *name;
    double scale;       /* 2^-scale_exponent */
    uint8_t *slot_seen; /* [slots] */
    bool full;
    kiln_audit_counts *counts;
    kiln_format_error *error;
} audit;

/* Where a node stands: in the file, or in the decoded section where that is compressed. */
static uint64_t node_offset(const audit *state, uint32_t index)
{
    const kiln_node_kind *kind = state->tree.kind;
    const kiln_reader *reader = state->view->reader;
    if (state->tree.heights != NULL) { /* the file has no nodes */
        return 0;
    }
    const kiln_format_section *entry =
        &reader->sections[kiln_reader_find(reader, kind->section, 0)].entry;
    const uint64_t byte = ((uint64_t)state->tree.entry->node_first + index) * kind->node_size;
    return entry->codec == KILN_CODEC_RAW ? entry->offset + byte : byte;
}

/* Decodes a lane's box and moves it to its place in node space. */
static void place_lane(const audit *state, uint32_t node, unsigned lane, placed_lane *placed)
{
    kiln_lane_box decoded;
    KILN_ASSERT(lane < KILN_NODE_WIDTH);
    const kiln_format_node8 *head = kiln_view_tree_node(&state->tree, node);
    state->tree.kind->decode_lane(head, lane, &decoded);
    kiln_lane_box_place(&decoded, head->org, &placed->box);
    placed->node = node;
    placed->lane = lane;
}

/* By how much p lies outside, beyond what rounding explains; 0 or less: inside. */
static double excess(const audit *state, const placed_lane *placed, const double p[3])
{
    const kiln_box *box = &placed->box;
    double worst = -DBL_MAX;
    for (int k = 0; k < 3; k++) {
        double distance = 0.0, magnitude = 0.0;
        for (int i = 0; i < 3; i++) {
            distance += box->axis[k][i] * (p[i] - box->centre[i]);
            magnitude += fabs(box->axis[k][i]) * (fabs(p[i]) + fabs(box->centre[i]));
        }
        const double over = fabs(distance) - box->half[k] - 4.0 * DBL_EPSILON * magnitude;
        worst = over <= worst ? worst : isnan(over) ? HUGE_VAL : over; /* NaN proves nothing */
    }
    if (state->tree.kind->beyond != NULL) { /* the volume is less than its box */
        const kiln_format_node8 *head = kiln_view_tree_node(&state->tree, placed->node);
        worst = fmax(worst, state->tree.kind->beyond(head, placed->lane, p));
    }
    return worst;
}

static uint32_t id_of(const kiln_view *view, uint32_t stored)
{
    return view->heights != NULL ? stored : view->ids[stored];
}

/* The triangle in `slot` against the boxes path[0 .. depth - 1]. */
static bool check_triangle(const audit *state, uint32_t slot, const placed_lane *path,
                           uint32_t depth)
{
    KILN_ASSERT(slot < state->tree.slots);
    KILN_ASSERT(depth <= KILN_TREE_DEPTH_MAX);
    const kiln_view *view = state->view;
    const uint32_t triangle = kiln_view_tree_triangle(&state->tree, slot);
    for (int corner = 0; corner < 3; corner++) {
        float vertex[3];
        double p[3];
        kiln_view_vertex(view, triangle, (unsigned)corner, vertex);
        for (int i = 0; i < 3; i++) {
            p[i] = ((double)vertex[i] - state->tree.entry->origin[i]) * state->scale;
        }
        /* One corner against all boxes above its triangle. */
        for (uint32_t i = 0; i < depth; i++) {
            const double over = excess(state, &path[i], p);
            if (over > 0.0) {
                return kiln_format_error_set(
                    state->error, KILN_FORMAT_ERROR_RULE, node_offset(state, path[i].node),
                    "tree '%.40s': a corner of triangle %u lies %.3g outside lane %u "
                    "of node %u above it",
                    state->name, id_of(view, triangle), over, path[i].lane, path[i].node);
            }
        }
        state->counts->containments += depth;
    }
    return true;
}

/* All triangles of a leaf, each of whose slots no leaf may have had before. */
static bool check_leaf(const audit *state, uint32_t node, unsigned lane, const placed_lane *path,
                       uint32_t depth)
{
    KILN_ASSERT(depth <= KILN_TREE_DEPTH_MAX);
    const kiln_format_node8 *head = kiln_view_tree_node(&state->tree, node);
    const uint32_t first = kiln_node8_slot(head, lane);
    for (uint32_t slot = first; slot < first + kiln_node8_count(head, lane); slot++) {
        if (state->slot_seen[slot] != 0) {
            return kiln_format_error_set(
                state->error, KILN_FORMAT_ERROR_RULE, node_offset(state, node),
                "tree '%.40s': slot %u is in two leaves, the second in node %u", state->name, slot,
                node);
        }
        state->slot_seen[slot] = 1;
        /* Of an octree a leaf bounds but a part: see audit_cells.c. */
        if (!state->tree.kind->shared && !check_triangle(state, slot, path, depth)) {
            return false;
        }
    }
    return true;
}

/* Depth first; path[i] is the lane that led from level i to level i + 1. That the walk ends and
 * fits the array was proven when the file was opened. */
static bool check_boxes(const audit *state)
{
    placed_lane path[KILN_TREE_DEPTH_MAX];
    uint32_t node[KILN_TREE_DEPTH_MAX];
    unsigned next_lane[KILN_TREE_DEPTH_MAX];
    uint32_t level = 0;
    node[0] = 0;
    next_lane[0] = 0;
    for (;;) {
        if (next_lane[level] == KILN_NODE_WIDTH) {
            if (level == 0) {
                return true;
            }
            level--;
            continue;
        }
        const unsigned lane = next_lane[level]++;
        const kiln_format_node8 *head = kiln_view_tree_node(&state->tree, node[level]);
        if ((head->inner >> lane & 1) != 0) {
            place_lane(state, node[level], lane, &path[level]);
            node[level + 1] = kiln_node8_child(head, lane);
            next_lane[++level] = 0;
        } else if (kiln_node8_count(head, lane) != 0) {
            place_lane(state, node[level], lane, &path[level]);
            if (!check_leaf(state, node[level], lane, path, level + 1)) {
                return false;
            }
        }
    }
}

/* The slots of a height field that leaves have name each of its triangles once. */
static bool check_height_slots(const audit *state)
{
    const kiln_heights *heights = state->tree.heights;
    uint8_t *seen = calloc(kiln_heights_triangles(heights), 1);
    uint32_t count = 0;
    if (seen == NULL) {
        return kiln_format_error_set(state->error, KILN_FORMAT_ERROR_MEMORY, 0, "out of memory");
    }
    for (uint32_t slot = 0; slot < heights->slots; slot++) {
        if (state->slot_seen[slot] != 0) {
            const uint32_t triangle = kiln_heights_of_slot(heights, slot);
            count += seen[triangle] == 0 && kiln_heights_has(heights, triangle);
            seen[triangle] = 1;
        }
    }
    free(seen);
    return count == state->tree.entry->triangle_count ||
           kiln_format_error_set(state->error, KILN_FORMAT_ERROR_RULE, 0,
                                 "tree '%.40s': leaves have %u of %u triangles", state->name, count,
                                 state->tree.entry->triangle_count);
}

/* Every slot is in a leaf, and no two slots hold one triangle. Ticks are used twice: first by
 * slot, as check_leaf left them, then, cleared, by triangle. */
static bool check_slots(const audit *state)
{
    const kiln_format_tree *entry = state->tree.entry;
    if (state->tree.heights != NULL) {
        return check_height_slots(state);
    }
    for (uint32_t slot = 0; slot < state->tree.slots; slot++) {
        if (state->slot_seen[slot] == 0) {
            return kiln_format_error_set(state->error, KILN_FORMAT_ERROR_RULE, 0,
                                         "tree '%.40s': slot %u is in no leaf", state->name, slot);
        }
    }
    if (state->tree.kind->shared) {
        return true; /* that each triangle has a slot was proven when the file was opened */
    }
    memset(state->slot_seen, 0, entry->triangle_count);
    for (uint32_t slot = 0; slot < entry->triangle_count; slot++) {
        const uint32_t triangle =
            kiln_view_tree_triangle(&state->tree, slot) - entry->triangle_first;
        if (state->slot_seen[triangle] != 0) {
            return kiln_format_error_set(state->error, KILN_FORMAT_ERROR_RULE, 0,
                                         "tree '%.40s': triangle %u is in two slots", state->name,
                                         triangle + entry->triangle_first);
        }
        state->slot_seen[triangle] = 1;
    }
    return true;
}

/* Of an octree, that all of each triangle is in boxes of leaves that hold it. */
static bool check_cells(const audit *state)
{
    return !state->tree.kind->shared ||
           kiln_audit_cells(state->view, &state->tree, state->name, &state->counts->containments,
                            state->error);
}

/* Of an octree, that its pairs of lanes are all that a descent of the tree against itself needs. */
static bool check_lane_pairs(const audit *state)
{
    uint32_t node;
    if (state->tree.lane_pairs == NULL) {
        return true;
    }
    uint32_t *work = malloc((size_t)state->tree.entry->node_count * sizeof *work);
    if (work == NULL) {
        return kiln_format_error_set(state->error, KILN_FORMAT_ERROR_MEMORY, 0, "out of memory");
    }
    const bool hold = kiln_lane_pairs_hold(&state->tree, state->view->triangles,
                                           state->view->vertices, work, &node);
    free(work);
    return hold || kiln_format_error_set(
                       state->error, KILN_FORMAT_ERROR_RULE, 0,
                       "tree '%.40s': below two lanes of node %u that are not marked as a "
                       "pair are triangles that may meet",
                       state->name, node);
}

/* What the tree's entry states of its triangles, as the baker computed it. */
static bool check_entry(const audit *state)
{
    const kiln_format_tree *entry = state->tree.entry;
    if (state->tree.heights != NULL) { /* all but the hash was compared when it was opened */
        kiln_format_tree again;
        const kiln_watch watch = {.threads = 1};
        const kiln_heights *heights = state->tree.heights;
        const kiln_bake_status status =
            kiln_heights_tree(heights->grid, heights->samples, &watch, &again);
        return status == KILN_BAKE_OK && memcmp(again.geometry_hash, entry->geometry_hash,
                                                sizeof again.geometry_hash) == 0
                   ? true
               : status == KILN_BAKE_FAILED
                   ? kiln_format_error_set(state->error, KILN_FORMAT_ERROR_MEMORY, 0,
                                           "out of memory")
                   : kiln_format_error_set(
                         state->error, KILN_FORMAT_ERROR_CHECKSUM, 0,
                         "tree '%.40s': its geometry hash is not that of its triangles",
                         state->name);
    }
    const uint32_t *corners = state->view->triangles + 3 * (size_t)entry->triangle_first;

    /* The stored bounds are those of the vertices, exactly. */
    float lower[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, upper[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (size_t i = 0; i < 3 * (size_t)entry->triangle_count; i++) {
        const float *vertex = state->view->vertices + 3 * (size_t)corners[i];
        for (int k = 0; k < 3; k++) {
            lower[k] = vertex[k] < lower[k] ? vertex[k] : lower[k];
            upper[k] = vertex[k] > upper[k] ? vertex[k] : upper[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        if (lower[k] != entry->bounds_lower[k] || upper[k] != entry->bounds_upper[k]) {
            return kiln_format_error_set(state->error, KILN_FORMAT_ERROR_RULE, 0,
                                         "tree '%.40s': its bounds are not those of its triangles",
                                         state->name);
        }
    }

    /* The hash that decides which of two trees a query carries exactly. */
    uint8_t hash[16];
    kiln_geometry_hash(state->view->vertices, corners, NULL, entry->triangle_count, hash);
    if (memcmp(hash, entry->geometry_hash, sizeof hash) != 0) {
        return kiln_format_error_set(state->error, KILN_FORMAT_ERROR_CHECKSUM, 0,
                                     "tree '%.40s': its geometry hash is not that of its triangles",
                                     state->name);
    }

    /* Queries for inside and outside rest on whether the surface is closed. */
    if (kiln_closed(state->view->vertices, corners, NULL, entry->triangle_count) != entry->closed) {
        return kiln_format_error_set(state->error, KILN_FORMAT_ERROR_RULE, 0,
                                     "tree '%.40s': whether it is closed is told wrong",
                                     state->name);
    }
    return true;
}

/* Counts every box again in a full audit, else an even sample: a mistake of the counting shows in
 * most of them. */
static bool check_counts(const audit *state)
{
    enum { SAMPLE = 256 };
    const kiln_view_tree *tree = &state->tree;
    const kiln_format_tree *entry = tree->entry;
    const kiln_view *view = state->view;
    if (tree->adb == NULL) {
        return true;
    }

    /* Corners in the order of slots, as the counting reads them. A file may have left them out. */
    float *corners = NULL;
    uint32_t *names = NULL; /* of an octree, whose slots may share triangles */
    if (view->triangles != NULL) {
        corners = malloc((size_t)tree->slots * 9 * sizeof *corners);
        names = malloc(((size_t)tree->slots + 1) * sizeof *names);
        if (corners == NULL || names == NULL) {
            free(corners);
            free(names);
            return kiln_format_error_set(state->error, KILN_FORMAT_ERROR_MEMORY, 0,
                                         "out of memory");
        }
        for (size_t i = 0; i < 3 * (size_t)tree->slots; i++) {
            const uint32_t triangle = kiln_view_tree_triangle(tree, (uint32_t)(i / 3));
            const uint32_t vertex = view->triangles[3 * (size_t)triangle + i % 3];
            names[i / 3] = triangle;
            memcpy(corners + 3 * i, view->vertices + 3 * (size_t)vertex, 3 * sizeof *corners);
        }
    }
    kiln_count_input input = {.kind = tree->kind,
                              .nodes = tree->nodes,
                              .node_count = entry->node_count,
                              .triangle_count = entry->triangle_count,
                              .slot_count = tree->slots,
                              .triangles = tree->kind->shared ? names : NULL,
                              .names = view->triangle_count,
                              .scale_exponent = entry->scale_exponent,
                              .corners = corners};
    memcpy(input.origin, entry->origin, sizeof input.origin);
    memcpy(input.bounds_lower, entry->bounds_lower, sizeof input.bounds_lower);
    memcpy(input.bounds_upper, entry->bounds_upper, sizeof input.bounds_upper);
    const uint32_t step = state->full ? 1 : tree->adb->box_count / SAMPLE + 1;
    KILN_ASSERT(step > 0);
    uint32_t differs;
    const kiln_bake_status status =
        kiln_count_again(&input, tree->adb, tree->boxes, step, &differs, &state->counts->counted);
    free(corners);
    free(names);
    if (status == KILN_BAKE_FAILED) {
        return kiln_format_error_set(state->error, KILN_FORMAT_ERROR_MEMORY, 0, "out of memory");
    }
    if (status != KILN_BAKE_OK) {
        return kiln_format_error_set(
            state->error, KILN_FORMAT_ERROR_RULE, 0,
            "tree '%.40s': the counts of box %u are not what counting gives", state->name, differs);
    }
    return true;
}

/* Audits one tree, and counts what was looked at. */
static bool check_tree(const kiln_view *view, uint32_t index, bool full, kiln_audit_counts *counts,
                       kiln_format_error *error)
{
    KILN_ASSERT(index < view->tree_count);
    audit state = {.view = view,
                   .tree = kiln_view_get_tree(view, index),
                   .full = full,
                   .counts = counts,
                   .error = error};
    const kiln_format_tree *entry = state.tree.entry;
    state.name = view->strings + entry->name;
    state.scale = ldexp(1.0, -entry->scale_exponent);
    bool sound = true;
    if (view->triangles != NULL || view->heights != NULL) { /* a file may have left them out */
        state.slot_seen = calloc(state.tree.slots, 1);
        sound = state.slot_seen != NULL
                    ? check_boxes(&state) && check_slots(&state) && check_cells(&state) &&
                          check_lane_pairs(&state) && check_entry(&state)
                    : kiln_format_error_set(error, KILN_FORMAT_ERROR_MEMORY, 0, "out of memory");
        free(state.slot_seen);
    }
    sound = sound && check_counts(&state);
    counts->trees++;
    counts->triangles += entry->triangle_count;
    counts->nodes += entry->node_count;
    return sound;
}

/* No two triangles have the same id. */
static bool check_ids(const kiln_view *view, kiln_format_error *error)
{
    KILN_ASSERT(view->ids != NULL);
    uint8_t *seen = calloc(view->triangle_count, 1);
    if (seen == NULL) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_MEMORY, 0, "out of memory");
    }
    bool sound = true;
    for (uint32_t i = 0; i < view->triangle_count && sound; i++) {
        if (seen[view->ids[i]] != 0) {
            sound = kiln_format_error_set(error, KILN_FORMAT_ERROR_RULE, 0,
                                          "triangle ids: %u is there twice, the second time at %u",
                                          view->ids[i], i);
        }
        seen[view->ids[i]] = 1;
    }
    free(seen);
    return sound;
}

/* The content hash is over the decoded sections, whatever the layout. */
bool kiln_audit_content_hash(const kiln_reader *reader, kiln_format_error *error)
{
    kiln_section_input *sections = calloc(reader->section_count, sizeof *sections);
    uint8_t hash[16];
    if (sections == NULL) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_MEMORY, 0, "out of memory");
    }
    for (uint32_t i = 0; i < reader->section_count; i++) {
        sections[i].kind = reader->sections[i].entry.kind;
        sections[i].data = reader->sections[i].data;
        sections[i].size = reader->sections[i].entry.raw_size;
    }
    kiln_container_content_hash(sections, reader->section_count, hash);
    free(sections);
    if (memcmp(hash, reader->header.content_hash, sizeof hash) != 0) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_CHECKSUM,
                                     offsetof(kiln_format_header, content_hash),
                                     "the content hash is not that of the sections");
    }
    return true;
}

bool kiln_audit(const void *data, size_t size, kiln_audit_counts *counts, kiln_format_error *error)
{
    return kiln_audit_in_full(data, size, false, counts, error);
}

/* Opening verifies all that queries rely on, so the audit may use every index without checks of
 * its own. *counts is filled as far as the audit got; NULL stands for a caller who does not want
 * it. */
bool kiln_audit_in_full(const void *data, size_t size, bool full, kiln_audit_counts *counts,
                        kiln_format_error *error)
{
    kiln_audit_counts own;
    kiln_reader reader;
    counts = counts != NULL ? counts : &own;
    memset(counts, 0, sizeof *counts);
    if (!kiln_reader_open(&reader, data, size, NULL, error)) {
        return false;
    }

    /* A file is a table of bins, an axis set, weights alone, or trees; each kind is opened in full
     * first. */
    bool sound;
    if (kiln_bins_is_table(&reader)) {
        kiln_bins_view view;
        sound = kiln_bins_view_open(&view, &reader, false, error) &&
                kiln_audit_content_hash(&reader, error);
        for (uint32_t x = 1; sound && x <= view.header->max_x; x++) {
            counts->values += view.header->kept[x - 1];
        }
        counts->weights = sound ? view.weights.count : 0;
    } else if (kiln_axes_is_set(&reader)) {
        kiln_axes_view view;
        sound = kiln_axes_view_open(&view, &reader, false, error) &&
                kiln_audit_content_hash(&reader, error);
        counts->axes = sound ? view.header->count : 0;
    } else if (kiln_weights_is_file(&reader)) {
        kiln_weights_view view;
        sound = kiln_weights_file_open(&view, &reader, error) &&
                kiln_audit_content_hash(&reader, error);
        counts->weights = sound ? view.count : 0;
    } else {
        kiln_view view;
        sound = kiln_view_open(&view, &reader, false, error) &&
                kiln_audit_content_hash(&reader, error) &&
                (view.triangles == NULL || check_ids(&view, error));
        counts->weights = sound ? view.weights.count : 0;
        for (uint32_t i = 0; sound && i < view.tree_count; i++) {
            sound = check_tree(&view, i, full, counts, error);
        }
    }
    kiln_reader_close(&reader);
    return sound;
}
