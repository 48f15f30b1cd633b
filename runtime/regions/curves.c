/* Curves: the pairs of triangles that meet in order, the segments in which they pass through each
 * other, and what hangs together.
 *
 * Where an edge of X meets a triangle of Y, all triangles of X at the edge do, and the pairs have a
 * point in common there. Around a corner edges lead from each triangle to the next, so joining
 * pairs over such edges finds exactly the parts of the intersection that hang together (but for
 * surfaces that are joined at a corner only). */
#include "regions.h"

#include "../../formats/vector.h"
#include "../pose/world.h"
#include "../query/query.h"
#include "../walk/leaf_pair.h"
#include "crossing.h"

#include <math.h>
#include <string.h>

#define ROUGH 0x1p-8     /* of what a height comes from: with this much of it left it is right */
#define FAR_EDGE 0x1p-16 /* of the height of an edge over a plane that is far from both its ends */

/* ---------------------------------------------------------------------------------- pairs -- */

static inline bool region_pair_is_less(const kiln_regions_pair *p, const kiln_regions_pair *q)
{
    return p->id_x != q->id_x ? p->id_x < q->id_x : p->id_y < q->id_y;
}

/* By merging runs of 1, 2, 4 ... pairs, to and fro. */
static void sort_region_pairs(kiln_regions *r)
{
    const size_t count = r->pair_count;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t first = 0; first < count; first += 2 * run) {
            size_t i = first, j = first + run < count ? first + run : count, out = first;
            const size_t end_i = j, end_j = j + run < count ? j + run : count;
            while (i < end_i || j < end_j) {
                const bool second =
                    i == end_i || (j < end_j && region_pair_is_less(&r->pairs[j], &r->pairs[i]));
                r->spare[out++] = r->pairs[second ? j++ : i++];
            }
        }
        kiln_regions_pair *sorted = r->spare;
        r->spare = r->pairs;
        r->pairs = sorted;
    }
}

/* Notes a triangle that meets the other mesh, once. */
static uint32_t note_met(kiln_regions *r, const kiln_regions_mesh *mesh, uint32_t triangle)
{
    uint32_t met = kiln_regions_met_of(r, mesh, triangle);
    if (met == KILN_REGIONS_NONE) {
        met = r->met_count++;
        kiln_regions_met *of = &r->met[met];
        memset(of, 0, sizeof *of);
        of->triangle = triangle;
        of->of_x = mesh == &r->x;
        mesh->marks[triangle] = r->mark_base + 1 + met;
        for (uint32_t c = 3 * met; c < 3 * met + 3; c++) {
            r->nodes[c] = c;
            r->sides[c] = (kiln_regions_side){KILN_REGIONS_NONE, 0, 0, false, 0};
        }
    }
    return met;
}

/* The pair of a triangle of X that is noted with the triangle of Y that has this id. */
static uint32_t find_region_pair(const kiln_regions *r, uint32_t met_x, uint32_t id_y)
{
    uint32_t low = r->met[met_x].first, high = low + r->met[met_x].pairs;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (r->pairs[middle].id_y < id_y) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < r->met[met_x].first + r->met[met_x].pairs && r->pairs[low].id_y == id_y
               ? low
               : KILN_REGIONS_NONE;
}

/* ------------------------------------------------------------------------------- segments -- */

static void load_pair(const kiln_regions *r, const kiln_regions_pair *pair, double x[9],
                      double y[9])
{
    kiln_stored_corners(&r->frame, true, r->x.of->first + pair->x, x);
    kiln_stored_corners(&r->frame, false, r->y.of->first + pair->y, y);
}

/* How far along the edge from p to q, whose ends are on both sides, the plane of t is: in doubles,
 * where the quotient keeps most of its digits. False: it does not. The height of p over the plane
 * is off by at most 2^-50 of `high`, and that of p over q, from which both are not far, by as much
 * of `apart`. */
static bool quick_cut(const double t[9], const double p[3], const double q[3], double *part)
{
    double edge[3], other[3], height = 0, step = 0, high = 0, apart = 0;
    kiln_subtract(t + 3, t, edge);
    kiln_subtract(t + 6, t, other);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double plus = edge[i] * other[j], less = edge[j] * other[i];
        const double normal = plus - less, weight = fabs(plus) + fabs(less);
        const double up = p[k] - t[k], along = p[k] - q[k];
        height += up * normal;
        step += along * normal;
        high += fabs(up) * weight;
        apart += fabs(along) * weight;
    }
    *part = fmin(fmax(height / step, 0), 1);
    return fabs(step) > fmax(ROUGH * apart, FAR_EDGE * high);
}

/* Where an edge of one triangle passes through the plane of the other. */
static void place_end(const kiln_regions *r, const double x[9], const double y[9],
                      kiln_regions_segment *segment, int end)
{
    const unsigned edge = segment->edge[end];
    const bool of_x = edge < KILN_CROSSING_OF_Y;
    const double *of = of_x ? x : y, *other = of_x ? y : x;
    const double *p = of + edge % 3 * 3, *q = of + (edge + 1) % 3 * 3;
    double at[3], part;
    if (quick_cut(other, p, q, &part)) {
        for (int k = 0; k < 3; k++) {
            at[k] = p[k] + part * (q[k] - p[k]);
        }
    } else {
        part = kiln_edge_cut(other, p, q, at);
    }
    segment->place[end] = part;
    kiln_world_point(r->world, at, segment->at[end]);
}

/* The other pair at an edge of a triangle and the same other triangle; NONE: there is none. */
static uint32_t pair_over(const kiln_regions *r, uint32_t pair, bool of_x, uint32_t triangle,
                          uint32_t id)
{
    const uint32_t met = of_x ? kiln_regions_met_of(r, &r->x, triangle) : r->segments[pair].met_x;
    return met != KILN_REGIONS_NONE ? find_region_pair(r, met, of_x ? r->pairs[pair].id_y : id)
                                    : KILN_REGIONS_NONE;
}

/* Takes an end from the segment of a pair that was traced before, which has it at the half-edge
 * `twin`; so curves are closed to the last bit. */
static bool copy_end(const kiln_regions *r, uint32_t from, bool of_x, uint32_t twin, uint32_t own,
                     kiln_regions_segment *to, int end)
{
    const kiln_regions_segment *s = &r->segments[from];
    const unsigned edge = (of_x ? 0 : KILN_CROSSING_OF_Y) + twin % 3;
    const int at = s->edge[0] == edge ? 0 : 1;
    if (!s->found || s->edge[at] != edge) {
        return false;
    }
    const kiln_adjacency *of = kiln_regions_mesh_of(r, of_x)->of;
    const bool along = kiln_vertices_equal(kiln_adjacency_vertex(of, twin / 3, twin % 3),
                                           kiln_adjacency_vertex(of, own / 3, own % 3));
    memcpy(to->at[end], s->at[at], sizeof to->at[end]);
    to->place[end] = along ? s->place[at] : 1 - s->place[at];
    return true;
}

/* Joins a pair with those before it that have a point in common with it at an edge, and takes the
 * end that it has there from one of them. `placed`: bits of ends. False: no other triangle shares
 * the edge. */
static bool join_over_edge(kiln_regions *r, uint32_t pair, unsigned edge, unsigned *placed)
{
    const bool of_x = edge < KILN_CROSSING_OF_Y;
    const kiln_adjacency *of = kiln_regions_mesh_of(r, of_x)->of;
    const kiln_regions_pair *p = &r->pairs[pair];
    kiln_regions_segment *segment = &r->segments[pair];
    const uint32_t own = 3 * (of_x ? p->x : p->y) + edge % 3;
    for (uint32_t h = of->ring[own]; h != own; h = of->ring[h]) {
        const uint32_t id = kiln_adjacency_id(of, h / 3);
        if (id > (of_x ? p->id_x : p->id_y)) {
            continue;
        }
        const uint32_t other = pair_over(r, pair, of_x, h / 3, id);
        if (other == KILN_REGIONS_NONE || other == pair) {
            continue;
        }
        kiln_regions_join(r->parents, pair, other);
        for (int end = 0; end < 2 && segment->found; end++) {
            if (segment->edge[end] == edge && (*placed >> end & 1) == 0) {
                *placed |= (unsigned)copy_end(r, other, of_x, h, own, segment, end) << end;
            }
        }
    }
    return of->ring[own] != own;
}

/* `x`: the corners of X's triangle, which the pair before may have had, too. */
static void trace_pair(kiln_regions *r, uint32_t pair, double x[9])
{
    double y[9];
    kiln_crossing crossing;
    kiln_regions_segment *segment = &r->segments[pair];
    if (pair == 0 || r->pairs[pair].x != r->pairs[pair - 1].x) {
        kiln_stored_corners(&r->frame, true, r->x.of->first + r->pairs[pair].x, x);
    }
    kiln_stored_corners(&r->frame, false, r->y.of->first + r->pairs[pair].y, y);
    kiln_crossing_find(x, y, 1, &crossing);
    segment->found = segment->parts = crossing.found;
    segment->crosses = crossing.found && !crossing.grazes;
    memcpy(segment->edge, crossing.edge, sizeof segment->edge);
    unsigned touches = crossing.found ? 1u << crossing.edge[0] | 1u << crossing.edge[1] : 0;
    unsigned placed = 0;
    if (crossing.grazes) {
        touches = kiln_crossing_touches(x, y, &crossing);
    }
    for (unsigned edge = 0; edge < 6; edge++) {
        if ((touches >> edge & 1) != 0) {
            const bool shared = join_over_edge(r, pair, edge, &placed);
            for (int end = 0; end < 2 && !shared && segment->found; end++) {
                segment->loose[end] = segment->loose[end] || segment->edge[end] == edge;
            }
        }
    }
    for (int end = 0; end < 2 && segment->found; end++) {
        const unsigned edge = segment->edge[end];
        if ((placed >> end & 1) == 0) {
            place_end(r, x, y, segment, end);
        }
        r->met[edge < KILN_CROSSING_OF_Y ? segment->met_x : segment->met_y].crossings[edge % 3]++;
    }
    segment->again = (uint8_t)placed;
    if (segment->found) {
        r->met[segment->met_x].crossed = true;
        r->met[segment->met_y].crossed = true;
    }
}

/* Has an edge of a pair no other triangle? */
static bool is_border(const kiln_regions *r, const kiln_regions_pair *pair, unsigned edge)
{
    const bool of_x = edge < KILN_CROSSING_OF_Y;
    const uint32_t own = 3 * (of_x ? pair->x : pair->y) + edge % 3;
    return kiln_regions_mesh_of(r, of_x)->of->ring[own] == own;
}

/* A part of the intersection that has segments with one move of X and none with the other only
 * touches. One that has segments with the other only takes those: its depth is 0, so that what
 * hangs on them does not matter. */
static void settle_touching(kiln_regions *r)
{
    /* Bits of the first pair of each part: it passes through whatever the move; it has segments by
     * the one, by the other. */
    enum { SURELY = 1, FORTH = 2, BACK = 4 };
    uint32_t *seen = r->next_pair;
    memset(seen, 0, r->pair_count * sizeof *seen);
    for (uint32_t i = 0; i < r->pair_count; i++) {
        const kiln_regions_segment *s = &r->segments[i];
        seen[kiln_regions_root(r->parents, i)] |=
            (s->crosses ? SURELY : 0) | (s->found ? FORTH : 0);
    }
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < r->pair_count; i++) {
            const uint32_t root = kiln_regions_root(r->parents, i);
            kiln_regions_segment *s = &r->segments[i];
            if ((seen[root] & SURELY) != 0 || (round == 1 && (seen[root] & FORTH) != 0)) {
                continue;
            }
            double x[9], y[9];
            kiln_crossing crossing;
            load_pair(r, &r->pairs[i], x, y);
            kiln_crossing_find(x, y, -1, &crossing);
            if (round == 1) {
                s->found = crossing.found;
                memcpy(s->edge, crossing.edge, sizeof s->edge);
                for (int end = 0; end < 2 && s->found; end++) {
                    place_end(r, x, y, s, end);
                    s->loose[end] = is_border(r, &r->pairs[i], s->edge[end]);
                }
            } else if (crossing.found) {
                seen[root] |= BACK;
            }
        }
    }
    for (uint32_t i = 0; i < r->pair_count; i++) {
        const uint32_t of = seen[kiln_regions_root(r->parents, i)];
        r->segments[i].crosses = (of & SURELY) != 0 || of == (FORTH | BACK);
    }
}

void kiln_regions_trace(kiln_regions *r)
{
    sort_region_pairs(r);
    for (uint32_t i = 0; i < r->pair_count; i++) {
        kiln_regions_segment *segment = &r->segments[i];
        memset(segment, 0, sizeof *segment);
        segment->met_x = note_met(r, &r->x, r->pairs[i].x);
        segment->met_y = note_met(r, &r->y, r->pairs[i].y);
        kiln_regions_met *met = &r->met[segment->met_x];
        met->first = met->pairs == 0 ? i : met->first;
        met->pairs++;
        r->parents[i] = i;
    }
    double x[9];
    for (uint32_t i = 0; i < r->pair_count; i++) {
        trace_pair(r, i, x);
    }
    settle_touching(r);
}
