/* Patches: what of each surface is inside the other mesh, and which curves that joins.
 *
 * Corners of triangles that the curves cross hang together over edges that nothing crosses, in a
 * strip along each side of a curve: so one exact inside test decides a side, which is mostly two
 * tests a curve and mesh. From the inner strips the triangles that nothing crosses are filled over
 * edges, and strips that are reached become one. Each of these, and every piece of an edge that is
 * inside, joins the curves at it. */
#include "regions.h"

#include "../query/query.h"
#include "../walk/leaf_pair.h"
#include "crossing.h"

enum {
    TRIES = 4
}; /* corners of a side that may be on the other surface before another way is used */

/* In the frame of comparison. */
static void met_corner(const kiln_regions *r, const kiln_regions_mesh *mesh, uint32_t triangle,
                       unsigned corner, double out[3])
{
    const float *vertex = kiln_adjacency_vertex(mesh->of, triangle, corner);
    const kiln_transform *carry = kiln_pair_frame_carry(&r->frame, mesh == &r->x);
    for (int k = 0; k < 3; k++) {
        out[k] = (double)vertex[k];
    }
    if (carry != NULL) {
        kiln_transform_vertex(carry, vertex, out);
    }
}

/* Where a point of the frame of comparison is to the mesh that is not `mesh`. */
static kiln_place place_in_other(const kiln_regions *r, const kiln_regions_mesh *mesh,
                                 const double point[3])
{
    const bool in_x = mesh != &r->x;
    return kiln_inside_point(mesh->other->tree, kiln_pair_frame_carry(&r->frame, in_x),
                             r->inverse[in_x], point);
}

/* ---------------------------------------------------------------------------------- sides -- */

/* The corner of a half-edge's triangle at which it ends that begins at the place of corner `corner`
 * of another triangle, as a node of a met triangle. */
static uint32_t node_at(const kiln_adjacency *of, uint32_t met, uint32_t half_edge,
                        const float *place)
{
    const unsigned k = half_edge % 3;
    const bool begins = kiln_vertices_equal(kiln_adjacency_vertex(of, half_edge / 3, k), place);
    return 3 * met + (begins ? k : (k + 1) % 3);
}

/* Joins the corners of a crossed triangle with each other, and with those of its neighbours. */
static void join_corners(kiln_regions *r, uint32_t met)
{
    const kiln_regions_met *m = &r->met[met];
    const kiln_regions_mesh *mesh = kiln_regions_mesh_of(r, m->of_x);
    const kiln_adjacency *of = mesh->of;
    for (unsigned k = 0; k < 3; k++) {
        const unsigned next = (k + 1) % 3;
        const uint32_t own = 3 * m->triangle + k;
        if (m->crossings[k] == 0) {
            kiln_regions_join(r->nodes, 3 * met + k, 3 * met + next);
        }
        for (uint32_t h = of->ring[own]; h != own; h = of->ring[h]) {
            const uint32_t other = kiln_regions_met_of(r, mesh, h / 3);
            if (h > own && other != KILN_REGIONS_NONE && r->met[other].crossed) {
                kiln_regions_join(r->nodes, 3 * met + k,
                                  node_at(of, other, h, kiln_adjacency_vertex(of, m->triangle, k)));
                kiln_regions_join(
                    r->nodes, 3 * met + next,
                    node_at(of, other, h, kiln_adjacency_vertex(of, m->triangle, next)));
            }
        }
    }
}

/* Asks where the sides of a crossed triangle are that are not known. */
static void locate_corners(kiln_regions *r, uint32_t met)
{
    const kiln_regions_met *m = &r->met[met];
    const kiln_regions_mesh *mesh = kiln_regions_mesh_of(r, m->of_x);
    for (unsigned c = 0; c < 3; c++) {
        kiln_regions_side *side = kiln_regions_side_of(r, 3 * met + c);
        if (side->place != 0 || side->tries == TRIES) {
            continue;
        }
        double at[3];
        met_corner(r, mesh, m->triangle, c, at);
        const kiln_place place = place_in_other(r, mesh, at);
        side->place = place == KILN_PLACE_INSIDE ? 1 : place == KILN_PLACE_OUTSIDE ? -1 : 0;
        side->tries++;
    }
}

static void note_side(kiln_regions_side *side, bool is_behind)
{
    const int8_t behind = is_behind ? 1 : -1;
    side->torn = side->torn || side->behind == -behind;
    side->behind = behind;
}

/* Notes of an end of a curve which corner of its edge is on the inner side of the triangle that it
 * passes through there; of its first corner, of its last. */
static void note_behind(kiln_regions *r, uint32_t pair, int end, bool first, bool last)
{
    const kiln_regions_segment *segment = &r->segments[pair];
    const unsigned edge = segment->edge[end], corner = edge % 3;
    const bool of_x = edge < KILN_CROSSING_OF_Y;
    const uint32_t node = 3 * (of_x ? segment->met_x : segment->met_y);
    /* X's edge comes from behind Y where the segment begins, Y's where it ends. */
    const bool first_behind = (of_x == (end == 0)) != kiln_regions_mesh_of(r, !of_x)->turned;
    if (first) {
        note_side(kiln_regions_side_of(r, node + corner), first_behind);
    }
    if (last) {
        note_side(kiln_regions_side_of(r, node + (corner + 1) % 3), !first_behind);
    }
}

static uint32_t crossings_at(const kiln_regions *r, uint32_t pair, int end)
{
    const kiln_regions_segment *segment = &r->segments[pair];
    const unsigned edge = segment->edge[end];
    return r->met[edge < KILN_CROSSING_OF_Y ? segment->met_x : segment->met_y].crossings[edge % 3];
}

/* Is an end the only crossing of its edge, and not seen yet? What is on both sides of it is known
 * by the pair before that has it, whose corners and curve are one with these. */
static bool is_single(const kiln_regions *r, uint32_t pair, int end)
{
    return kiln_regions_end_is_new(&r->segments[pair], end) && crossings_at(r, pair, end) == 1;
}

/* ---------------------------------------------------- edges that are crossed several times -- */

static bool order_is_less(const kiln_regions_order *p, const kiln_regions_order *q)
{
    return p->edge != q->edge     ? p->edge < q->edge
           : p->place != q->place ? p->place < q->place
                                  : p->pair < q->pair;
}

/* Heapsort. */
static void sink_order(kiln_regions_order *heap, size_t size, size_t place)
{
    const kiln_regions_order moved = heap[place];
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= size) {
            break;
        }
        child += child + 1 < size && order_is_less(&heap[child], &heap[child + 1]);
        if (!order_is_less(&moved, &heap[child])) {
            break;
        }
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = moved;
}

static void sort_orders(kiln_regions_order *orders, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) {
        sink_order(orders, count, i);
    }
    for (size_t size = count; size-- > 1;) {
        const kiln_regions_order last = orders[size];
        orders[size] = orders[0];
        orders[0] = last;
        sink_order(orders, size, 0);
    }
}

/* Where an end of a segment is along its edge, as well as it can be told. */
static double exact_place(const kiln_regions *r, uint32_t pair, int end)
{
    double x[9], y[9], at[3];
    const unsigned edge = r->segments[pair].edge[end];
    const bool of_x = edge < KILN_CROSSING_OF_Y;
    kiln_stored_corners(&r->frame, true, r->x.of->first + r->pairs[pair].x, x);
    kiln_stored_corners(&r->frame, false, r->y.of->first + r->pairs[pair].y, y);
    const double *of = of_x ? x : y;
    return kiln_edge_cut(of_x ? y : x, of + edge % 3 * 3, of + (edge + 1) % 3 * 3, at);
}

/* All crossings of edges with several, in order along each. */
static size_t list_orders(kiln_regions *r)
{
    size_t count = 0;
    for (uint32_t i = 0; i < r->pair_count; i++) {
        for (int end = 0; end < 2 && r->segments[i].parts; end++) {
            kiln_regions_segment *s = &r->segments[i];
            if (crossings_at(r, i, end) > 1) {
                const bool of_x = s->edge[end] < KILN_CROSSING_OF_Y;
                const uint64_t met = of_x ? s->met_x : s->met_y;
                s->place[end] = exact_place(r, i, end);
                r->orders[count++] = (kiln_regions_order){3 * met + s->edge[end] % 3, s->place[end],
                                                          i, (uint8_t)end};
            }
        }
    }
    sort_orders(r->orders, count);
    return count;
}

/* Is the edge between two crossings that follow each other inside the other mesh? By its middle, or
 * by the way that the two triangles face. */
static bool piece_is_inside(const kiln_regions *r, const kiln_regions_order *from,
                            const kiln_regions_order *to)
{
    const kiln_regions_met *m = &r->met[from->edge / 3];
    const kiln_regions_mesh *mesh = kiln_regions_mesh_of(r, m->of_x);
    const unsigned k = (unsigned)(from->edge % 3);
    const double part = 0.5 * (from->place + to->place);
    if (!kiln_regions_is_closed(mesh->other)) {
        /* The edge goes in where it comes from the front: as note_behind. */
        const bool turned = kiln_regions_mesh_of(r, !m->of_x)->turned;
        return (m->of_x == (from->end == 0)) == turned && (m->of_x == (to->end == 0)) != turned;
    }
    double p[3], q[3], middle[3];
    met_corner(r, mesh, m->triangle, k, p);
    met_corner(r, mesh, m->triangle, (k + 1) % 3, q);
    for (int i = 0; i < 3; i++) {
        middle[i] = p[i] + part * (q[i] - p[i]);
        middle[i] = middle[i] > -0x1p-250 && middle[i] < 0x1p-250 ? 0 : middle[i];
    }
    return from->place < to->place && place_in_other(r, mesh, middle) == KILN_PLACE_INSIDE;
}

/* ------------------------------------------------------------------------------- filling -- */

/* A filled triangle's neighbour that meets the other mesh: it is filled, too, or the side of it
 * that is next is one with the side from which the fill began. A fill that comes to what is on the
 * other side of an open mesh has gone round its border. */
static void fill_met(kiln_regions *r, const kiln_regions_mesh *mesh, uint32_t met,
                     uint32_t half_edge, uint32_t node)
{
    if (!r->met[met].crossed) {
        if (!r->met[met].filled) {
            r->met[met].filled = true;
            r->list[r->list_count++] = half_edge;
        }
        return;
    }
    const uint32_t own = kiln_regions_root(r->nodes, node);
    const uint32_t other = kiln_regions_root(r->nodes, 3 * met + half_edge % 3);
    kiln_regions_side *side = &r->sides[own], *reached = &r->sides[other];
    if (own == other) {
        return;
    }
    if (reached->place > 0 || (reached->place == 0 && !reached->torn)) {
        const bool torn = side->torn || reached->torn;
        if (reached->place == 0) {
            r->reached[r->reached_count++] = met;
        }
        kiln_regions_join(r->nodes, own, other);
        reached = own < other ? side : reached;
        reached->place = 1;
        reached->torn = torn;
    } else if (!kiln_regions_is_closed(mesh->other)) {
        side->torn = true;
    }
}

/* What is next to a half-edge. Marks are `first` + met triangle, or `first` + `filled`. */
static inline void fill_over(kiln_regions *r, const kiln_regions_mesh *mesh, uint32_t own,
                             uint32_t first, uint32_t filled, uint32_t node)
{
    const uint32_t *ring = mesh->of->ring;
    uint32_t *marks = mesh->marks;
    for (uint32_t h = ring[own]; h != own; h = ring[h]) {
        const uint32_t triangle = h / 3, met = marks[triangle] - first;
        if (met > filled) {
            marks[triangle] = first + filled;
            r->list[r->list_count++] = h;
        } else if (met < filled) {
            fill_met(r, mesh, met, h, node);
        }
    }
}

/* Fills from an edge of a crossed triangle that nothing crosses and that is inside. */
static void fill_from(kiln_regions *r, const kiln_regions_mesh *mesh, uint32_t half_edge,
                      uint32_t node)
{
    const uint32_t begin = r->list_count, first = r->mark_base + 1, filled = r->met_count;
    const uint32_t *ring = mesh->of->ring;
    fill_over(r, mesh, half_edge, first, filled, node);
    for (uint32_t at = begin; at < r->list_count; at++) {
        const uint32_t over = r->list[at], k = over % 3;
        if (ring[ring[over]] != over) {
            fill_over(r, mesh, over, first, filled, node);
        }
        fill_over(r, mesh, k == 2 ? over - 2 : over + 1, first, filled, node);
        fill_over(r, mesh, k == 0 ? over + 2 : over - 1, first, filled, node);
    }
    if (r->list_count > begin) {
        r->fills[r->fill_count++] =
            (kiln_regions_fill){begin, node, KILN_REGIONS_NONE, KILN_REGIONS_NONE, mesh == &r->x};
    }
}

static void flatten_nodes(kiln_regions *r)
{
    for (uint32_t node = 0; node < 3 * r->met_count; node++) {
        r->nodes[node] = kiln_regions_root(r->nodes, node);
    }
}

/* Fills from a met triangle, if it is crossed. */
static void fill_from_met(kiln_regions *r, uint32_t met)
{
    const kiln_regions_met *m = &r->met[met];
    const kiln_regions_mesh *mesh = kiln_regions_mesh_of(r, m->of_x);
    for (uint32_t k = 0; k < 3 && m->crossed; k++) {
        const uint32_t node = 3 * met + k;
        if (m->crossings[k] == 0 && r->sides[kiln_regions_root(r->nodes, node)].place > 0) {
            fill_from(r, mesh, 3 * m->triangle + k, node);
        }
    }
}

/* The side of unknown place over whose edges a crossed triangle may be filled from. There is at
 * most one: two edges of a triangle that nothing crosses have a corner in common. NULL: none. */
static kiln_regions_side *unknown_side_of(const kiln_regions *r, uint32_t met)
{
    const kiln_regions_met *m = &r->met[met];
    for (uint32_t k = 0; k < 3 && m->crossed; k++) {
        if (m->crossings[k] == 0) {
            kiln_regions_side *side = kiln_regions_side_of(r, 3 * met + k);
            return side->place == 0 && !side->torn ? side : NULL;
        }
    }
    return NULL;
}

/* Rings of the triangles of each side of unknown place, so that all of them are found again from
 * that over which a fill reaches the side: what lies behind is filled then, too, though they may
 * have been passed. */
static void link_unknown_sides(kiln_regions *r)
{
    /* In the room of the second array of pairs, four numbers a pair, which is two for each met
     * triangle. No side has a pair yet: meanwhile that is the last triangle of its ring. */
    r->unknown_next = (uint32_t *)(void *)r->spare;
    r->reached = r->unknown_next + r->met_count;
    r->reached_count = 0;
    for (uint32_t met = 0; met < r->met_count; met++) {
        kiln_regions_side *side = unknown_side_of(r, met);
        if (side != NULL) {
            uint32_t *next = r->unknown_next;
            next[met] = side->pair == KILN_REGIONS_NONE ? met : next[side->pair];
            next[side->pair == KILN_REGIONS_NONE ? met : side->pair] = met;
            side->pair = met;
        }
    }
    for (uint32_t met = 0; met < r->met_count; met++) {
        kiln_regions_side *side = unknown_side_of(r, met);
        if (side != NULL) {
            side->pair = KILN_REGIONS_NONE;
        }
    }
}

/* Fills the patches that are inside; a surface that goes round the border of an open mesh is
 * not. */
static void fill_sides(kiln_regions *r)
{
    link_unknown_sides(r);
    for (uint32_t met = 0; met < r->met_count; met++) {
        fill_from_met(r, met);
    }
    while (r->reached_count > 0) {
        const uint32_t first = r->reached[--r->reached_count];
        uint32_t met = first;
        do {
            fill_from_met(r, met);
            met = r->unknown_next[met];
        } while (met != first);
    }
    flatten_nodes(r);
    for (uint32_t node = 0; node < 3 * r->met_count; node++) {
        kiln_regions_side *side = &r->sides[node];
        if (r->nodes[node] == node && side->place > 0 && side->torn &&
            !kiln_regions_is_closed(kiln_regions_mesh_of(r, r->met[node / 3].of_x)->other)) {
            side->place = 0;
        }
    }
}

/* ----------------------------------------------------------------------------- all of it -- */

/* Where all sides are. */
static void settle_sides(kiln_regions *r, size_t orders)
{
    for (uint32_t met = 0; met < r->met_count; met++) {
        if (r->met[met].crossed &&
            kiln_regions_is_closed(kiln_regions_mesh_of(r, r->met[met].of_x)->other)) {
            locate_corners(r, met);
        }
    }
    for (uint32_t i = 0; i < r->pair_count; i++) {
        for (int end = 0; end < 2 && r->segments[i].parts; end++) {
            if (is_single(r, i, end)) {
                note_behind(r, i, end, true, true);
            }
        }
    }
    for (size_t i = 0; i < orders; i++) {
        const kiln_regions_order *at = &r->orders[i];
        note_behind(r, at->pair, at->end, i == 0 || at[-1].edge != at->edge,
                    i + 1 == orders || at[1].edge != at->edge);
    }
    for (uint32_t node = 0; node < 3 * r->met_count; node++) {
        kiln_regions_side *side = &r->sides[node];
        if (side->place == 0 && !side->torn) {
            side->place = side->behind;
        }
    }
}

/* Joins the curves that a piece of an edge that is inside joins, and notes whose each side is. */
static void join_by_edges(kiln_regions *r, size_t orders)
{
    for (uint32_t i = 0; i < r->pair_count; i++) {
        const kiln_regions_segment *s = &r->segments[i];
        for (int end = 0; end < 2 && s->parts; end++) {
            if (is_single(r, i, end)) {
                const uint32_t k = s->edge[end] % 3;
                const uint32_t met = s->edge[end] < KILN_CROSSING_OF_Y ? s->met_x : s->met_y;
                kiln_regions_join_side(r, 3 * met + k, i);
                kiln_regions_join_side(r, 3 * met + (k + 1) % 3, i);
            }
        }
    }
    for (size_t i = 0; i < orders; i++) {
        const kiln_regions_order *at = &r->orders[i];
        const uint32_t corner = (uint32_t)(at->edge % 3), first = (uint32_t)at->edge - corner;
        if (i == 0 || at[-1].edge != at->edge) {
            kiln_regions_join_side(r, first + corner, at->pair);
        }
        if (i + 1 == orders || at[1].edge != at->edge) {
            kiln_regions_join_side(r, first + (corner + 1) % 3, at->pair);
        } else if (kiln_regions_root(r->parents, at->pair) !=
                       kiln_regions_root(r->parents, at[1].pair) &&
                   piece_is_inside(r, at, at + 1)) {
            kiln_regions_join(r->parents, at->pair, at[1].pair);
        }
    }
}

/* Notes of each corner and each fill the region in whose patch it is. */
static void settle_corners(kiln_regions *r)
{
    for (uint32_t node = 0; node < 3 * r->met_count; node++) {
        const kiln_regions_side *side = kiln_regions_side_of(r, node);
        r->sides[node].pair = side->place > 0 && side->pair != KILN_REGIONS_NONE
                                  ? kiln_regions_root(r->parents, side->pair)
                                  : KILN_REGIONS_NONE;
    }
    for (uint32_t f = 0; f < r->fill_count; f++) {
        r->fills[f].pair = r->sides[r->fills[f].node].pair;
    }
}

void kiln_regions_fill_patches(kiln_regions *r)
{
    for (uint32_t met = 0; met < r->met_count; met++) {
        if (r->met[met].crossed) {
            join_corners(r, met);
        }
    }
    flatten_nodes(r);
    const size_t orders = list_orders(r);
    settle_sides(r, orders);
    fill_sides(r);
    join_by_edges(r, orders);
    kiln_regions_join_holes(r);
    settle_corners(r);
}
