/* See extreme.h.
 *
 * What is below a lane is found by walking to its leaves, and its extent along an axis by
 * projecting every corner in long doubles. Grids and extents are then drawn among those that
 * cover it. Nothing here is shared with the encoders. */
#include "extreme.h"

#include "../../formats/node_kinds.h"
#include "meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORG_MAX 1024.0
#define MARGIN 0x1p-36 /* of extents: far more than a projection's rounding, far less than a unit */

enum { EXP_MIN = 1, SCALE_MAX = 200, HALF_MAX = 0x7BFF /* the largest binary16 */ };

typedef struct {
    const kiln_format_tree *entry;
    const kiln_node_kind *kind;
    uint8_t *nodes;
    const float *vertices;
    const uint32_t *triangles, *order;
    uint64_t *state;
    bool most; /* all at once: the longest steps, and boxes as large as they can be */
} writing;

static kiln_format_node8 *node_at(const writing *w, uint32_t index)
{
    return (kiln_format_node8 *)(void *)(w->nodes + (size_t)index * w->kind->node_size);
}

/* ---------------------------------------------------------------- extents -- */

typedef struct {
    long double low, high;
} span;

/* Of all corners below a lane, along an axis of node space. */
static span span_of(const writing *w, const kiln_format_node8 *node, unsigned lane,
                    const double axis[3])
{
    span s = {HUGE_VALL, -HUGE_VALL};
    if ((node->inner >> lane & 1) != 0) {
        const kiln_format_node8 *child = node_at(w, kiln_node8_child(node, lane));
        for (unsigned i = 0; i < KILN_NODE_WIDTH; i++) {
            if ((kiln_node8_used(child) >> i & 1) != 0) {
                const span below = span_of(w, child, i, axis);
                s.low = fminl(s.low, below.low);
                s.high = fmaxl(s.high, below.high);
            }
        }
        return s;
    }
    const double unit = ldexp(1, -w->entry->scale_exponent);
    for (uint32_t i = 0; i < kiln_node8_count(node, lane); i++) {
        const uint32_t slot = kiln_node8_slot(node, lane) + i;
        const uint32_t stored =
            w->order != NULL ? w->order[slot] >> (w->kind->shared ? KILN_REFERENCE_TRIANGLE : 0)
                             : w->entry->triangle_first + slot;
        for (unsigned c = 0; c < 3; c++) {
            const float *v = w->vertices + 3 * (size_t)w->triangles[3 * (size_t)stored + c];
            long double at = 0;
            for (unsigned k = 0; k < 3; k++) {
                at += (long double)axis[k] *
                      (long double)(((double)v[k] - w->entry->origin[k]) * unit);
            }
            s.low = fminl(s.low, at);
            s.high = fmaxl(s.high, at);
        }
    }
    return s;
}

static const double *unit_axis(unsigned k)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return axes[k];
}

static span span_of_node(const writing *w, const kiln_format_node8 *node, unsigned k)
{
    span all = {HUGE_VALL, -HUGE_VALL};
    for (unsigned lane = 0; lane < w->kind->lanes; lane++) {
        if ((kiln_node8_used(node) >> lane & 1) != 0) {
            const span s = span_of(w, node, lane, unit_axis(k));
            all.low = fminl(all.low, s.low);
            all.high = fmaxl(all.high, s.high);
        }
    }
    return all;
}

/* ---------------------------------------------------------------- grids -- */

static float float_below(long double x)
{
    const float near = (float)x;
    return (long double)near <= x ? near : nextafterf(near, -INFINITY);
}

static long double step_of(unsigned exp)
{
    return ldexpl(1, (int)exp - 127);
}

/* An origin and a step with which 256 points cover the span: now and then the longest step there
 * may be, or the shortest; and the origin at the least point, or as far from it as it may be. */
static void draw_grid(const writing *w, kiln_format_node8 *node, unsigned k)
{
    const span s = span_of_node(w, node, k);
    float org = float_below(s.low);
    unsigned least = EXP_MIN;
    while (255 * step_of(least) <= s.high - (long double)org) {
        least++;
    }
    const uint32_t which = random_below(w->state, 4);
    const unsigned exp = w->most || which == 0 ? KILN_NODE_EXP_MAX
                         : which == 1
                             ? least
                             : least + random_below(w->state, KILN_NODE_EXP_MAX - least + 1);
    const long double lowest = fmaxl(-ORG_MAX, s.high - 255 * step_of(exp));
    if (lowest < s.low && random_below(w->state, 3) > 0) {
        const double part = random_below(w->state, 2) == 0 ? 0 : random_between(w->state, 0, 1);
        org = float_below(lowest + (s.low - lowest) * (long double)part);
        org = (long double)org < lowest ? nextafterf(org, INFINITY) : org;
        org = (long double)org > s.low || (long double)org + 255 * step_of(exp) <= s.high
                  ? float_below(s.low)
                  : org;
    }
    node->org[k] = org;
    node->exp[k] = (uint8_t)exp;
}

static uint8_t loosened(const writing *w, uint8_t index, bool up)
{
    const uint8_t room = up ? (uint8_t)(255 - index) : index;
    const bool tight = !w->most && random_below(w->state, 2) == 0;
    const uint32_t by = tight ? 0 : w->most ? room : random_below(w->state, room + 1u);
    return (uint8_t)(up ? index + by : index - by);
}

static void write_aabb8(const writing *w, kiln_format_node8 *head, unsigned lane)
{
    kiln_format_node_aabb8 *node = (kiln_format_node_aabb8 *)(void *)head;
    for (unsigned k = 0; k < 3; k++) {
        const span s = span_of(w, head, lane, unit_axis(k));
        const long double org = (long double)head->org[k], step = step_of(head->exp[k]);
        long double low = fminl(255, fmaxl(0, floorl((s.low - org) / step)));
        long double high = fminl(255, fmaxl(0, ceill((s.high - org) / step)));
        low -= low > 0 && org + low * step > s.low ? 1 : 0;
        high += high < 255 && org + high * step < s.high ? 1 : 0;
        node->lower[k][lane] = loosened(w, (uint8_t)low, false);
        node->upper[k][lane] = loosened(w, (uint8_t)high, true);
    }
}

static void write_dop(const writing *w, kiln_format_node8 *head, unsigned lane)
{
    const kiln_dop_set *set = w->kind->dop;
    uint8_t *const rows = (uint8_t *)head + sizeof(kiln_format_node_aabb8);
    write_aabb8(w, head, lane);
    for (unsigned j = 0; j < set->slabs; j++) {
        const kiln_dop_grid grid = kiln_dop_grid_of(set, head, j);
        double axis[3];
        long double org = (long double)grid.start;
        for (unsigned k = 0; k < 3; k++) {
            axis[k] = (double)set->direction[k][3 + j];
            org += (long double)axis[k] * (long double)head->org[k];
        }
        const span s = span_of(w, head, lane, axis);
        const long double step = (long double)grid.step;
        const long double low = fmaxl(0, floorl((s.low - org) / step - 0x1p-16L));
        const long double high = fminl(255, ceill((s.high - org) / step + 0x1p-16L));
        rows[8 * j + lane] = loosened(w, (uint8_t)low, false);
        rows[8 * (set->slabs + j) + lane] = loosened(w, (uint8_t)high, true);
    }
}

/* ---------------------------------------------------------------- oriented boxes -- */

/* Half-extents around a centre relative to org, which hold what is below the lane. */
static void halves_of(const writing *w, const kiln_format_node8 *head, unsigned lane,
                      const kiln_lane_box *box, double half[3])
{
    for (unsigned j = 0; j < 3; j++) {
        const double axis[3] = {(double)box->axis[j][0], (double)box->axis[j][1],
                                (double)box->axis[j][2]};
        const span s = span_of(w, head, lane, axis);
        long double middle = 0;
        for (unsigned k = 0; k < 3; k++) {
            middle +=
                (long double)axis[k] * ((long double)head->org[k] + (long double)box->centre[k]);
        }
        half[j] = (double)fmaxl(fabsl(s.low - middle), fabsl(s.high - middle)) + MARGIN;
    }
}

/* The least binary16 that stands for at least so much. */
static uint32_t half_above(double least, uint8_t exp)
{
    uint32_t below = 0, above = HALF_MAX;
    while (below < above) {
        const uint32_t middle = (below + above) / 2;
        if ((double)kiln_half_scaled((uint16_t)middle, kiln_half_scale(exp)) < least) {
            below = middle + 1;
        } else {
            above = middle;
        }
    }
    return above;
}

/* The centres come first, then the exponent of half-extents that all of them need, or a larger
 * one. */
static void write_obb8(const writing *w, kiln_format_node8 *head)
{
    kiln_format_node_obb8 *node = (kiln_format_node_obb8 *)(void *)head;
    double half[KILN_NODE_WIDTH][3], most = 0;
    const unsigned used = kiln_node8_used(head);
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        kiln_lane_box box;
        if ((used >> lane & 1) == 0) {
            continue;
        }
        for (unsigned k = 0; k < 3; k++) {
            const double reach = fmin(255, floor(16000 / (double)step_of(head->exp[k])));
            node->rotation[k][lane] = (int8_t)((int)random_below(w->state, 255) - 127);
            node->centre[k][lane] = (uint8_t)random_below(w->state, (uint32_t)reach + 1);
        }
        kiln_obb8_decode_lane(node, lane, &box);
        halves_of(w, head, lane, &box, half[lane]);
        most = fmax(most, fmax(half[lane][0], fmax(half[lane][1], half[lane][2])));
    }
    unsigned exp = KILN_HALF_EXP_MIN;
    while (65504 * (double)step_of(exp) < most) {
        exp++;
    }
    exp = w->most ? KILN_HALF_EXP_MAX : exp + random_below(w->state, KILN_HALF_EXP_MAX - exp + 1);
    head->half_exp = (uint8_t)exp;
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        for (unsigned k = 0; k < 3 && (used >> lane & 1) != 0; k++) {
            const uint32_t least = half_above(half[lane][k], head->half_exp);
            const uint32_t room = HALF_MAX - least;
            const bool tight = !w->most && random_below(w->state, 3) > 0;
            const uint32_t by = tight ? 0 : w->most ? room : random_below(w->state, room + 1);
            node->half[k][lane] = (uint16_t)(least + by);
        }
    }
}

/* Balls: centres anywhere on the grid, a radius that reaches the farthest corner of each axis'
 * extents, then an exponent that all radii fit. */
static void write_sphere(const writing *w, kiln_format_node8 *head)
{
    kiln_format_node_sphere *node = (kiln_format_node_sphere *)(void *)head;
    double radius[KILN_NODE_WIDTH] = {0}, most = 0;
    const unsigned used = kiln_node8_used(head);
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        kiln_lane_box box;
        double half[3];
        if ((used >> lane & 1) == 0) {
            continue;
        }
        for (unsigned k = 0; k < 3; k++) {
            const double reach = fmin(255, floor(16000 / (double)step_of(head->exp[k])));
            node->centre[k][lane] = (uint8_t)random_below(w->state, (uint32_t)reach + 1);
        }
        kiln_sphere_decode_lane(node, lane, &box);
        halves_of(w, head, lane, &box, half);
        radius[lane] =
            sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]) * (1 + MARGIN);
        most = fmax(most, radius[lane]);
    }
    unsigned exp = KILN_HALF_EXP_MIN;
    while (65504 * (double)step_of(exp) < most) {
        exp++;
    }
    exp = w->most ? KILN_HALF_EXP_MAX : exp + random_below(w->state, KILN_HALF_EXP_MAX - exp + 1);
    head->half_exp = (uint8_t)exp;
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        if ((used >> lane & 1) != 0) {
            const uint32_t least = half_above(radius[lane], head->half_exp);
            const bool tight = !w->most && random_below(w->state, 3) > 0;
            const uint32_t room = HALF_MAX - least;
            const uint32_t half = least + (tight     ? 0
                                           : w->most ? room
                                                     : random_below(w->state, room + 1));
            node->radius[0][lane] = (uint8_t)half;
            node->radius[1][lane] = (uint8_t)(half >> 8);
        }
    }
}

static float float_above(double x)
{
    const float near = (float)x;
    return (double)near >= x ? near : nextafterf(near, INFINITY);
}

static void write_binary(const writing *w, kiln_format_node8 *head, unsigned lane)
{
    const bool oriented = w->kind->bv == KILN_FORMAT_BV_OBB2;
    kiln_format_node_obb2 *obb = (kiln_format_node_obb2 *)(void *)head;
    kiln_format_node_aabb2 *aabb = (kiln_format_node_aabb2 *)(void *)head;
    kiln_lane_box box;
    double half[3];
    memset(&box, 0, sizeof box);
    for (unsigned k = 0; k < 3; k++) {
        const double reach = random_below(w->state, 2) == 0 ? 250 : 1;
        box.axis[k][k] = 1;
        box.centre[k] = (float)(random_between(w->state, -reach, reach) - (double)head->org[k]);
    }
    if (oriented) {
        kiln_rodrigues_steps((float)random_between(w->state, -127, 127),
                             (float)random_between(w->state, -127, 127),
                             (float)random_between(w->state, -127, 127), box.axis);
    }
    halves_of(w, head, lane, &box, half);
    for (unsigned k = 0; k < 3; k++) {
        const bool tight = !w->most && random_below(w->state, 3) > 0;
        const double more = tight ? 0 : w->most ? 1 : random_between(w->state, 0, 1);
        const float least = float_above(half[k] + more * (1023 - half[k]));
        (oriented ? obb->centre : aabb->centre)[k][lane] = box.centre[k];
        (oriented ? obb->half : aabb->half)[k][lane] = least;
        for (unsigned j = 0; j < 3 && oriented; j++) {
            obb->axis[3 * k + j][lane] = box.axis[k][j];
        }
    }
}

/* ---------------------------------------------------------------- trees -- */

static void write_node(const writing *w, kiln_format_node8 *head)
{
    const uint16_t bv = w->kind->bv;
    for (unsigned k = 0; k < 3; k++) {
        if (w->kind->in_steps) {
            draw_grid(w, head, k);
        } else {
            const double reach = random_below(w->state, 2) == 0 ? 700 : 1;
            head->org[k] = (float)random_between(w->state, -reach, reach);
            head->exp[k] = (uint8_t)(EXP_MIN + random_below(w->state, KILN_NODE_EXP_MAX));
        }
    }
    if (bv == KILN_FORMAT_BV_OBB8) {
        write_obb8(w, head);
        return;
    }
    if (bv == KILN_FORMAT_BV_SPHERE) {
        write_sphere(w, head);
        return;
    }
    for (unsigned lane = 0; lane < w->kind->lanes; lane++) {
        if ((kiln_node8_used(head) >> lane & 1) == 0) {
            continue;
        }
        if (w->kind->dop != NULL) {
            write_dop(w, head, lane);
        } else if (w->kind->in_steps) {
            write_aabb8(w, head, lane);
        } else {
            write_binary(w, head, lane);
        }
    }
}

/* A unit so much larger, and an origin as far off as that allows: everything is still within 1 of
 * it. */
static void draw_space(kiln_format_tree *entry, uint64_t *state)
{
    if (random_below(state, 2) == 0) {
        return;
    }
    const int room = SCALE_MAX - entry->scale_exponent;
    const int by = (int)random_below(state, 2) == 0 ? (int)random_below(state, 40) : room;
    entry->scale_exponent += by < room ? by : room;
    const double unit = ldexp(1, entry->scale_exponent);
    for (unsigned k = 0; k < 3; k++) {
        const double low = (double)entry->bounds_lower[k], high = (double)entry->bounds_upper[k];
        const double to = random_between(state, -0.99, 0.99) * unit;
        if (high - to <= 0.999 * unit && to - low <= 0.999 * unit && random_below(state, 2) == 0) {
            entry->origin[k] = to;
        }
    }
}

void extreme_boxes(edit_file *file, uint64_t *state)
{
    edit_section *trees = edit_find(file, KILN_SECTION_TREES);
    kiln_format_tree *entries = (kiln_format_tree *)(void *)trees->data;
    for (size_t i = 0; i < trees->size / sizeof *entries; i++) {
        kiln_format_tree *entry = &entries[i];
        writing w;
        w.entry = entry;
        w.kind = kiln_node_kind_find(entry->bv);
        w.nodes =
            edit_find(file, w.kind->section)->data + (size_t)entry->node_first * w.kind->node_size;
        w.vertices = (const float *)(void *)edit_find(file, KILN_SECTION_VERTICES)->data;
        w.triangles = (const uint32_t *)(void *)edit_find(file, KILN_SECTION_TRIANGLES)->data;
        w.order = NULL;
        if (entry->order_first != KILN_NO_INDEX) {
            w.order = (const uint32_t *)(void *)edit_find(
                          file, w.kind->shared ? KILN_SECTION_REFERENCES : KILN_SECTION_ORDER)
                          ->data +
                      entry->order_first;
        }
        w.state = state;
        w.most = random_below(state, 4) == 0;
        draw_space(entry, state);
        for (uint32_t n = 0; n < entry->node_count; n++) {
            write_node(&w, node_at(&w, n));
        }
    }
}
