/* Polygons with holes: holes are joined to the outline, and what comes out is cut like any other.
 *
 * Holes are joined in one sweep over all corners from the least coordinate on (Bentley and Ottmann,
 * "Algorithms for reporting and counting geometric intersections", 1979; Hertel and Mehlhorn, "Fast
 * triangulation of simple polygons", 1983), in the plane of the two axes in which the outline is
 * largest. The edges that the sweep line meets are kept in their order along it, in a splay tree
 * (Sleator and Tarjan, "Self-adjusting binary search trees", 1985). The outline runs around to the
 * left and holes to the right, so the polygon lies on the left of all edges: above those that rise,
 * which lead the way the sweep goes, and below those that fall. Rising and falling ones alternate.
 *
 * Where the sweep meets a hole first, the hole is joined. If something is there already, a corner
 * or an edge, the hole is joined to it at this place. Otherwise it is joined by a bridge, two edges
 * along one line, to the corner that the sweep met last between the same two edges: it can be seen,
 * as nothing else is between them. No bridge crosses an edge or another bridge, and each leads to
 * what was joined before.
 *
 * A corner may have several bridges, and several rings may have a corner at one place. So each end
 * of an edge knows the node of the joined outline where it is. Of two ways to turn at a place the
 * edge beside a gap determines which one has the gap between its edges.
 *
 * All is decided by exact signs. The time is n log n for n corners. Rings that cross each other
 * may go unnoticed here. They are bridged all the same, and since what comes out runs around each
 * point as often as the outline less the holes, cutting it finds that it crosses itself. */
#include "holes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "../../common/soup.h"

#define NONE UINT32_MAX

/* A corner of a ring: of the outline, ring 0, or of a hole. */
typedef struct {
    double at[2];
    uint32_t vertex, next, previous, ring;
} ring_corner;

/* An edge has the number of the corner from which it leads to the next. The last of all is none: it
 * lies below and above all others, outside of the polygon. */
typedef struct {
    uint32_t tail, head; /* nodes at its ends */
    /* Of a rising edge, the corner met last between it and the edge above it: at an end of an edge,
     * twice its number, and one more for its head. */
    uint32_t helper;
    uint32_t under;               /* what lay below it before the place that is swept now */
    uint32_t left, right, parent; /* in the tree */
    uint32_t below, above;        /* along the sweep line */
    bool listed;                  /* the sweep line meets it */
} edge;

/* A corner of the joined outline. */
typedef struct {
    uint32_t corner, next, previous;
    uint32_t out; /* the edge that leads away; NONE: a bridge, or the rest of an edge */
} node;

/* An edge at a place where the sweep is, and where it leads from there. */
typedef struct {
    double from[2], to[2];
    uint32_t edge;
    bool rising;
} ray;

/* A corner in the order of the sweep. */
typedef struct {
    double at[2];
    uint32_t corner;
} event;

typedef struct {
    const dae *d;
    uint32_t holed; /* the element */
    ring_corner *corners;
    edge *edges;
    node *nodes;
    ray *fan;      /* edges that go on from a place */
    uint32_t *met; /* those that the sweep line met there before */
    bool *joined;  /* by ring */
    uint32_t count, node_count, root;
} joining;

static bool is_same(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

/* Places in the order of the sweep. */
static int compare_places(const double a[2], const double b[2])
{
    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

static int compare_events(const void *a, const void *b)
{
    const event *p = a, *q = b;
    const int order = compare_places(p->at, q->at);

    return order != 0 ? order : p->corner < q->corner ? -1 : p->corner > q->corner;
}

/* From below to above; those along one line in an order that is always the same. */
static int compare_rays(const void *a, const void *b)
{
    const ray *p = a, *q = b;
    const int side = kiln_orient_double(p->from, p->to, q->to);

    return side != 0 ? -side : p->edge < q->edge ? -1 : p->edge > q->edge;
}

/* -- edges -- */

static bool is_rising(const joining *j, uint32_t e)
{
    return compare_places(j->corners[e].at, j->corners[j->corners[e].next].at) < 0;
}

/* Where the sweep meets an edge first, and last. */
static const double *start_of(const joining *j, uint32_t e)
{
    return j->corners[is_rising(j, e) ? e : j->corners[e].next].at;
}

static const double *end_of(const joining *j, uint32_t e)
{
    return j->corners[is_rising(j, e) ? j->corners[e].next : e].at;
}

/* Whether the polygon lies above an edge. */
static bool is_floor(const joining *j, uint32_t e)
{
    return e != j->count && is_rising(j, e);
}

/* -- the tree: edges from below to above -- */

static void set_child(joining *j, uint32_t parent, uint32_t old, uint32_t child)
{
    if (parent == NONE)
        j->root = child;
    else if (j->edges[parent].left == old)
        j->edges[parent].left = child;
    else
        j->edges[parent].right = child;
    if (child != NONE)
        j->edges[child].parent = parent;
}

/* Puts e in its parent's place. */
static void rotate(joining *j, uint32_t e)
{
    const uint32_t parent = j->edges[e].parent;

    KILN_ASSERT(parent != NONE);
    set_child(j, j->edges[parent].parent, parent, e);
    if (j->edges[parent].left == e) {
        set_child(j, parent, e, j->edges[e].right);
        j->edges[e].right = parent;
    } else {
        set_child(j, parent, e, j->edges[e].left);
        j->edges[e].left = parent;
    }
    j->edges[parent].parent = e;
}

/* Brings e to the root. */
static void splay(joining *j, uint32_t e)
{
    while (j->edges[e].parent != NONE) {
        const uint32_t parent = j->edges[e].parent, above = j->edges[parent].parent;

        if (above != NONE) {
            const bool zig = j->edges[parent].left == e, zag = j->edges[above].left == parent;

            rotate(j, zig == zag ? parent : e);
        }
        rotate(j, e);
    }
}

static void put_in(joining *j, uint32_t e, uint32_t below)
{
    edge *own = &j->edges[e];

    KILN_ASSERT(!own->listed);
    own->listed = true;
    own->below = below;
    own->above = j->edges[below].above;
    j->edges[own->above].below = e;
    j->edges[below].above = e;
    own->left = own->right = own->parent = NONE;
    if (below == j->count) {
        own->right = j->root;
    } else {
        splay(j, below);
        own->left = below;
        own->right = j->edges[below].right;
        j->edges[below].right = NONE;
        j->edges[below].parent = e;
    }
    if (own->right != NONE)
        j->edges[own->right].parent = e;
    j->root = e;
}

static void take_out(joining *j, uint32_t e)
{
    edge *own = &j->edges[e];
    uint32_t right;

    KILN_ASSERT(own->listed);
    splay(j, e);
    right = own->right;
    set_child(j, NONE, e, own->left);
    if (own->left == NONE) {
        set_child(j, NONE, e, right);
    } else {
        /* The highest of those below has none on its right. */
        splay(j, own->below);
        j->edges[own->below].right = right;
        if (right != NONE)
            j->edges[right].parent = own->below;
    }
    j->edges[own->below].above = own->above;
    j->edges[own->above].below = own->below;
    own->listed = false;
}

/* The highest edge that lies below a place and not on it. */
static uint32_t find_below(joining *j, const double at[2])
{
    uint32_t found = j->count, last = NONE;

    for (uint32_t e = j->root; e != NONE;) {
        last = e;
        if (kiln_orient_double(start_of(j, e), end_of(j, e), at) > 0) {
            found = e;
            e = j->edges[e].right;
        } else {
            e = j->edges[e].left;
        }
    }
    if (last != NONE)
        splay(j, last);
    return found;
}

/* -- joining -- */

/* Makes b follow a. */
static void link_nodes(joining *j, uint32_t a, uint32_t b)
{
    j->nodes[a].next = b;
    j->nodes[b].previous = a;
}

static uint32_t add_node(joining *j, uint32_t corner)
{
    j->nodes[j->node_count] = (node){.corner = corner, .out = NONE};
    return j->node_count++;
}

/* The edge that led away from one node leads away from another. */
static void move_out(joining *j, uint32_t from, uint32_t to)
{
    const uint32_t out = j->nodes[from].out;

    j->nodes[to].out = out;
    j->nodes[from].out = NONE;
    if (out != NONE)
        j->edges[out].tail = to;
}

/* Joins a hole at its corner `start` to a node at the same place: one corner less. */
static void join_here(joining *j, uint32_t at, uint32_t start)
{
    const uint32_t second = j->nodes[start].next, after = j->nodes[at].next;

    move_out(j, at, start);
    j->nodes[at].out = start;
    j->edges[start].tail = at;
    link_nodes(j, at, second);
    link_nodes(j, start, after);
}

/* Joins a hole by two edges along one line; or, `on_edge`, to the edge behind the node, on which
 * its corner lies. */
static void join_by_bridge(joining *j, uint32_t at, uint32_t start, bool on_edge)
{
    const uint32_t second = j->nodes[start].next, after = j->nodes[at].next;
    const uint32_t copy = add_node(j, j->nodes[start].corner);

    move_out(j, start, copy);
    link_nodes(j, at, copy);
    link_nodes(j, copy, second);
    if (on_edge) {
        link_nodes(j, start, after);
    } else {
        const uint32_t back = add_node(j, j->nodes[at].corner);

        move_out(j, at, back);
        link_nodes(j, start, back);
        link_nodes(j, back, after);
    }
}

static _Noreturn void fail_outside(const joining *j)
{
    kiln_dae_fail(j->d, j->holed,
                  "has a hole that is not inside of its outline, or lies in another hole; repair "
                  "the file");
}

/* Joins the hole whose lowest edge at a place is number i of its fan. What lies below that edge, or
 * else above the hole, is where the place is joined already; else what was met before. */
static void join_hole(joining *j, const double at[2], uint32_t i, uint32_t fan_count,
                      uint32_t met_count)
{
    const uint32_t e = j->fan[i].edge, start = j->corners[e].next, below = j->edges[e].below;
    uint32_t up = i + 1;

    if (!is_floor(j, below) || is_rising(j, e))
        fail_outside(j);
    while (up < fan_count && !j->joined[j->corners[j->fan[up].edge].ring])
        up++;
    j->joined[j->corners[e].ring] = true;
    if (i > 0) {
        if (is_same(start_of(j, below), at))
            join_here(j, j->edges[below].tail, start);
        else
            join_by_bridge(j, j->nodes[j->edges[below].head].previous, start, true);
    } else if (up < fan_count) {
        const uint32_t above = j->fan[up].edge;

        if (is_rising(j, above))
            fail_outside(j);
        if (is_same(start_of(j, above), at))
            join_here(j, j->edges[above].head, start);
        else
            join_by_bridge(j, j->edges[above].tail, start, true);
    } else if (met_count > 0) {
        const uint32_t ended = j->met[met_count - 1];

        if (!is_rising(j, ended))
            fail_outside(j);
        join_here(j, j->edges[ended].head, start);
    } else {
        const edge *of = &j->edges[j->edges[below].helper / 2];

        join_by_bridge(j, j->edges[below].helper % 2 == 0 ? of->tail : of->head, start, false);
    }
}

/* -- the sweep -- */

static void add_ray(joining *j, uint32_t *count, const double at[2], uint32_t e)
{
    ray *r = &j->fan[(*count)++];

    *r = (ray){.edge = e, .rising = is_rising(j, e)};
    memcpy(r->from, at, sizeof r->from);
    memcpy(r->to, end_of(j, e), sizeof r->to);
}

/* Sweeps over all corners at one place. */
static void sweep_place(joining *j, const event *events, size_t count)
{
    const double *at = events[0].at;
    uint32_t below = find_below(j, at), above = j->edges[below].above, top = NONE;
    uint32_t fan_count = 0, met_count = 0;

    while (above != j->count && kiln_orient_double(start_of(j, above), end_of(j, above), at) == 0) {
        j->met[met_count++] = above;
        above = j->edges[above].above;
    }
    for (uint32_t i = 0; i < met_count; i++) {
        const uint32_t e = j->met[i];

        j->edges[e].under = i > 0 ? j->met[i - 1] : NONE;
        if (!is_same(end_of(j, e), at))
            add_ray(j, &fan_count, at, e);
        take_out(j, e);
    }
    top = met_count > 0 ? j->met[met_count - 1] : NONE;
    for (size_t i = 0; i < count; i++) {
        const uint32_t c = events[i].corner, of[2] = {c, j->corners[c].previous};

        for (int k = 0; k < 2; k++) {
            if (is_same(start_of(j, of[k]), at)) {
                add_ray(j, &fan_count, at, of[k]);
            } else if (j->edges[of[k]].listed) {
                /* Where rings cross, edges may have left their order. */
                below = of[k] == below ? j->edges[below].below : below;
                take_out(j, of[k]);
            }
        }
    }
    qsort(j->fan, fan_count, sizeof *j->fan, compare_rays);
    for (uint32_t i = 0, under = below; i < fan_count; under = j->fan[i++].edge) {
        /* Of edges along one line, that which alternates comes first. */
        if (i + 1 < fan_count && j->fan[i].rising == is_floor(j, under) &&
            j->fan[i + 1].rising != j->fan[i].rising &&
            kiln_orient_double(at, j->fan[i].to, j->fan[i + 1].to) == 0) {
            const ray swapped = j->fan[i];

            j->fan[i] = j->fan[i + 1];
            j->fan[i + 1] = swapped;
        }
        put_in(j, j->fan[i].edge, under);
    }
    for (uint32_t i = 0; i < fan_count; i++)
        if (!j->joined[j->corners[j->fan[i].edge].ring])
            join_hole(j, at, i, fan_count, met_count);
    /* Gaps from below to above, by the edge below each. */
    for (uint32_t i = 0; i <= fan_count; i++) {
        const uint32_t low = i > 0 ? j->fan[i - 1].edge : below;
        const uint32_t high = i < fan_count ? j->fan[i].edge : NONE;

        if (!is_floor(j, low))
            continue;
        if (i > 0 && is_same(start_of(j, low), at)) {
            j->edges[low].helper = 2 * low;
        } else if (high != NONE && is_same(start_of(j, high), at)) {
            j->edges[low].helper = 2 * high + 1;
        } else {
            const uint32_t ended = high == NONE ? top : j->edges[high].under;

            if (ended != NONE && is_rising(j, ended) && is_same(end_of(j, ended), at))
                j->edges[low].helper = 2 * ended + 1;
        }
    }
}

/* Where a hole has an edge along another ring's, the joined outline leads there and back. Takes out
 * all corners at which it does; returns one that is left. */
static uint32_t cut_spikes(joining *j, uint32_t first)
{
    uint32_t left = 0, seen = 0, i = first;

    do {
        left++;
        i = j->nodes[i].next;
    } while (i != first);
    while (seen < left) {
        const uint32_t before = j->nodes[i].previous, after = j->nodes[i].next;
        const double *at = j->corners[j->nodes[i].corner].at;
        const double *from = j->corners[j->nodes[before].corner].at;
        const double *to = j->corners[j->nodes[after].corner].at;

        if (kiln_orient_double(from, at, to) != 0 ||
            compare_places(from, at) * compare_places(at, to) > 0) {
            i = after;
            seen++;
            continue;
        }
        if (--left < 3)
            kiln_dae_fail(j->d, j->holed, "has holes that leave nothing of it; repair the file");
        link_nodes(j, before, after);
        /* Its two neighbours may have become spikes: they are looked at again. */
        i = before;
        seen = seen > 0 ? seen - 1 : 0;
        seen = seen > left - 2 ? left - 2 : seen;
    }
    return i;
}

/* The axis to leave out: that in which the outline's normal is longest. It is summed up from the
 * first corner on, so that it is the same wherever the polygon stands. The other two are chosen so
 * that the outline runs around to the left. */
static void choose_axes(const double (*positions)[3], const uint32_t *corners, size_t count,
                        int axes[2])
{
    const double *origin = positions[corners[0]];
    double normal[3] = {0, 0, 0};
    int axis = 0;

    for (size_t i = 0; i < count; i++) {
        const double *p = positions[corners[i]];
        const double *q = positions[corners[(i + 1) % count]];

        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;

            normal[k] +=
                (p[l] - origin[l]) * (q[m] - origin[m]) - (p[m] - origin[m]) * (q[l] - origin[l]);
        }
    }
    for (int k = 1; k < 3; k++)
        axis = fabs(normal[k]) > fabs(normal[axis]) ? k : axis;
    axes[0] = (axis + (normal[axis] < 0 ? 2 : 1)) % 3;
    axes[1] = (axis + (normal[axis] < 0 ? 1 : 2)) % 3;
}

/* Adds a ring's corners, each once if it stands there several times in a row. Returns twice the
 * area that it encloses; a hole runs around to the right afterwards. */
static double add_ring(joining *j, const double (*positions)[3], const uint32_t *corners,
                       size_t size, const int axes[2], uint32_t ring)
{
    const uint32_t first = j->count;
    double area = 0;
    bool turned;

    for (size_t i = 0; i < size; i++) {
        const double *p = positions[corners[i]];
        ring_corner *c = &j->corners[j->count];

        *c = (ring_corner){.at = {p[axes[0]], p[axes[1]]}, .vertex = corners[i], .ring = ring};
        j->count += j->count == first || !is_same(c->at, c[-1].at);
    }
    while (j->count > first + 1 && is_same(j->corners[j->count - 1].at, j->corners[first].at))
        j->count--;
    for (uint32_t i = first; i < j->count; i++) {
        const uint32_t next = i + 1 < j->count ? i + 1 : first;
        const double *o = j->corners[first].at, *p = j->corners[i].at, *q = j->corners[next].at;

        area += (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    }
    turned = ring > 0 && area > 0;
    for (uint32_t i = first; i < j->count; i++) {
        const uint32_t next = i + 1 < j->count ? i + 1 : first;

        j->corners[turned ? next : i].next = turned ? i : next;
        j->corners[turned ? i : next].previous = turned ? next : i;
    }
    if (j->count == first + 1) {
        kiln_dae_warn(j->d, j->holed, "has a hole of one point, which is left out");
        j->count = first;
        j->joined[ring] = true;
    }
    return fabs(area);
}

size_t kiln_dae_join_holes(const dae *d, uint32_t holed, const double (*positions)[3], size_t count,
                           uint32_t *corners, const size_t *sizes, size_t lists)
{
    joining j = {.d = d, .holed = holed, .root = NONE};
    size_t all = 0, at = 0, merged = 0;
    double area = 0, cut_out = 0;
    event *events;
    uint32_t start;
    int axes[2];

    for (size_t i = 0; i < lists; i++)
        all += sizes[i];
    for (size_t i = 0; i < all; i++)
        for (int k = 0; k < 3; k++)
            if (corners[i] >= count || !(fabs(positions[corners[i]][k]) <= (double)FLT_MAX))
                return all;
    KILN_ASSERT(lists > 0 && all >= 3 * lists);
    if (all > NONE / 4)
        kiln_dae_fail_unsupported(d, holed, "has %zu corners; split it", all);
    choose_axes(positions, corners, sizes[0], axes);
    j.corners = kiln_dae_alloc(d, all, sizeof *j.corners);
    j.edges = kiln_dae_alloc(d, all + 1, sizeof *j.edges);
    j.nodes = kiln_dae_alloc(d, all + 2 * lists, sizeof *j.nodes);
    j.fan = kiln_dae_alloc(d, 2 * all, sizeof *j.fan);
    j.met = kiln_dae_alloc(d, all, sizeof *j.met);
    j.joined = kiln_dae_alloc(d, lists, sizeof *j.joined);
    events = kiln_dae_alloc(d, all, sizeof *events);
    for (size_t i = 0; i < lists; at += sizes[i++]) {
        const double own = add_ring(&j, positions, corners + at, sizes[i], axes, (uint32_t)i);

        area = i == 0 ? own : area;
        cut_out += i == 0 ? 0 : own;
    }
    j.joined[0] = true;
    for (uint32_t i = 0; i < j.count; i++) {
        const ring_corner *c = &j.corners[i];

        j.nodes[i] = (node){i, c->next, c->previous, i};
        j.edges[i] = (edge){.tail = i, .head = c->next};
        memcpy(events[i].at, c->at, sizeof c->at);
        events[i].corner = i;
    }
    j.node_count = j.count;
    j.edges[j.count] = (edge){.below = j.count, .above = j.count};
    qsort(events, j.count, sizeof *events, compare_events);
    for (size_t i = 0, end; i < j.count; i = end) {
        for (end = i + 1; end < j.count && is_same(events[i].at, events[end].at);)
            end++;
        sweep_place(&j, events + i, end - i);
    }
    /* What would be left is thinner than rounding to 32-bit floats is. */
    if (lists > 1 && cut_out >= area * (1 - 1e-9))
        kiln_dae_fail(d, holed, "has holes that leave nothing of it; repair the file");
    start = cut_spikes(&j, 0);
    for (uint32_t i = start; merged == 0 || i != start; i = j.nodes[i].next)
        corners[merged++] = j.corners[j.nodes[i].corner].vertex;
    KILN_ASSERT(merged <= j.node_count);
    free(j.corners);
    free(j.edges);
    free(j.nodes);
    free(j.fan);
    free(j.met);
    free(j.joined);
    free(events);
    return merged;
}
