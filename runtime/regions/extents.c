/* How far both patches of a region reach along its normal, and which normal that is.
 *
 * The direction of the area vector is the way out of a plane, and where surfaces are round. It is
 * not where boxes overlap at an edge: there it lies between the ways out of two faces, which are
 * tried, too. Nor is it to the last degree where curves wind about between two wide faces: then a
 * direction near it is looked for in which the patches part soonest. The gap of two patches along
 * n + s u + t v, for u and v across n, is the greatest of linear functions of s and t, one for each
 * corner of the one and of the other: so it is convex, and cutting planes find its least value
 * (Kelley, Journal of the SIAM 8(4), 1960). All of this depends on what the patches are, not on how
 * they are divided. */
#include "regions.h"

#include "../../formats/vector.h"

#include <math.h>
#include <string.h>

#define FREQUENT_PART 0.15 /* of the length: what a direction must have to be looked at */
#define IN_PLANE 0x1p-30   /* of the length: a curve that departs less from a plane is flat */
#define SOONER 0.8         /* a face counts as better from this part of the depth on */
#define FLAT 0.25          /* of the depth: how far a curve may depart from a plane */
#define EQUALLY 0x1p-20    /* of a depth: two that differ less are equal */
#define LEVEL 0x1p-8       /* of the depth: a curve that departs less from a plane is not tilted */
#define LITTLE 0x1p-7      /* of the depth: what tilting has to save */
/* Of the way by which tilting lifts one side of the curves over the other: it has to save as much.
 * Where two faces lie on each other it saves nearly all; round surfaces that are divided into few
 * triangles part a little sooner along some facet, which is no reason. */
#define FACED 0.25
/* The same where the curves are so far from a plane that their direction is the mean of several
 * faces: of two ridges that cross it is none of theirs. */
#define FACED_BENT 0x1p-4
/* Of the same way, in the search: of slopes at which the patches part nearly as soon, as there are
 * where several corners are farthest, the least steep one counts. Else roundings would choose. */
#define LEVELLED 0.125
#define FOUND 0x1p-12 /* of the depth: the search ends where it can't save more */
#define STEEPLY 0.05  /* sine, from which on a surface leads into another, or farther out */

/* Each piece of a curve counts for a face of X and one of Y, so directions have up to twice the
 * curve's length together. Those that have more than 2/14 of it each are all among these 13,
 * however many others there are: a direction that finds no room takes as much from each of those
 * that have it (Misra and Gries, Science of Computer Programming 2(2), 1982). So FREQUENT_PART has
 * to be no less than 1/7. */
enum { FREQUENT = 13 };

#define ALIKE 0.99995 /* cosine of directions that count as one: half a degree */
#define AWAY 0.5      /* cosine, below which a direction is none of those that are looked at */

typedef struct {
    double way[FREQUENT][3], weight[FREQUENT];
    double sum[FREQUENT][3]; /* of the second count: of directions by their weights */
    bool recounts;
} frequent_ways;

static void count_way(frequent_ways *f, const double way[3], double weight)
{
    int least = 0;
    for (int i = 0; i < FREQUENT; i++) {
        if (f->weight[i] > 0 && kiln_dot(f->way[i], way) > ALIKE) {
            f->weight[i] += weight;
            return;
        }
        least = f->weight[i] < f->weight[least] ? i : least;
    }
    const double taken = fmin(weight, f->weight[least]);
    for (int i = 0; i < FREQUENT && taken > 0; i++) {
        f->weight[i] -= taken;
    }
    if (weight > taken) {
        memcpy(f->way[least], way, sizeof f->way[least]);
        f->weight[least] = weight - taken;
    }
}

/* What was found is counted once more, since what it lost on the way depends on the order. */
static void recount_way(frequent_ways *f, const double way[3], double weight)
{
    for (int i = 0; i < FREQUENT; i++) {
        if (kiln_dot(f->way[i], way) > ALIKE) {
            f->weight[i] += weight;
            for (int k = 0; k < 3; k++) {
                f->sum[i][k] += weight * way[k];
            }
            return;
        }
    }
}

/* The normal of a triangle of a pair, from Y to X; false: it has none, or is far from `near`. */
static bool way_of_face(const kiln_regions_mesh *mesh, uint32_t triangle, double sign,
                        const double near[3], double out[3])
{
    double u[3], v[3], normal[3];
    kiln_regions_world_edge(mesh, triangle, 1, u);
    kiln_regions_world_edge(mesh, triangle, 2, v);
    kiln_cross(u, v, normal);
    const double length = kiln_regions_vector_length(normal);
    const double way = mesh->turned ? -sign : sign;
    if (!(length > 0)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = way * normal[k] / length;
    }
    return kiln_dot(out, near) > AWAY;
}

/* A triangle of a pair as one that counts for a direction. */
static void count_face(frequent_ways *f, const kiln_regions_mesh *mesh, uint32_t triangle,
                       double sign, const double near[3], double weight)
{
    double way[3];
    if (way_of_face(mesh, triangle, sign, near, way)) {
        (f->recounts ? recount_way : count_way)(f, way, weight);
    }
}

/* How far the curves of a region reach along a direction. False: there are none. */
static bool spread_along(const kiln_regions *r, uint32_t root, const double way[3],
                         const double origin[3], double *low, double *high)
{
    bool found = false;
    *low = *high = 0;
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            const kiln_regions_segment *s = &r->segments[i];
            for (int end = 0; end < 2 && s->found; end++) {
                if (!kiln_regions_end_is_new(s, end)) {
                    continue;
                }
                double from[3];
                kiln_subtract(s->at[end], origin, from);
                const double height = kiln_dot(way, from);
                *low = !found || height < *low ? height : *low;
                *high = !found || height > *high ? height : *high;
                found = true;
            }
        }
    }
    return found;
}

/* The main direction, and the normals of faces along the curves that are frequent, and not far
 * from it. Returns how many. */
static int find_ways(const kiln_regions *r, uint32_t root, const double main[3], double length,
                     double ways[KILN_REGIONS_WAYS][3])
{
    frequent_ways f;
    memset(&f, 0, sizeof f);
    for (int round = 0; round < 2; round++) {
        f.recounts = round == 1;
        for (int i = 0; i < FREQUENT && f.recounts; i++) {
            memset(f.weight[i] > 0 ? f.sum[i] : f.way[i], 0, sizeof f.way[i]);
            f.weight[i] = 0;
        }
        for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
            for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
                const kiln_regions_segment *s = &r->segments[i];
                double step[3];
                if (s->found) {
                    kiln_subtract(s->at[1], s->at[0], step);
                    const double weight = kiln_regions_vector_length(step);
                    count_face(&f, &r->x, r->pairs[i].x, -1, main, weight);
                    count_face(&f, &r->y, r->pairs[i].y, 1, main, weight);
                }
            }
        }
    }
    int count = 1;
    memcpy(ways[0], main, sizeof ways[0]);
    while (count < KILN_REGIONS_WAYS) {
        int most = 0;
        for (int i = 1; i < FREQUENT; i++) {
            most = f.weight[i] > f.weight[most] ? i : most;
        }
        if (!(f.weight[most] > FREQUENT_PART * length)) {
            break;
        }
        const double sum = kiln_regions_vector_length(f.sum[most]);
        for (int k = 0; k < 3; k++) {
            ways[count][k] = f.sum[most][k] / sum;
        }
        count++;
        f.weight[most] = 0;
    }
    return count;
}

/* --------------------------------------------------------------------------------- extents -- */

/* Along several directions at once. */
typedef struct {
    int count;
    double way[KILN_REGIONS_WAYS][3];
    kiln_regions_height of_x[KILN_REGIONS_WAYS], of_y[KILN_REGIONS_WAYS];
    double lowest[KILN_REGIONS_WAYS], highest[KILN_REGIONS_WAYS];
    kiln_regions_far low[KILN_REGIONS_WAYS], high[KILN_REGIONS_WAYS];
} extents;

static uint32_t id_of(const kiln_regions_mesh *mesh, uint32_t triangle)
{
    return kiln_adjacency_id(mesh->of, triangle);
}

/* Is an end of a segment the farthest so far, that is as far as one of before? */
static void offer_far_end(const kiln_regions_mesh *mesh, bool farther, const double *at,
                          uint32_t triangle, kiln_regions_far *far)
{
    if (farther || (far->vertex == NULL && id_of(mesh, triangle) < id_of(mesh, far->triangle))) {
        *far = (kiln_regions_far){NULL, at, triangle};
    }
}

static void extend_by_end(const kiln_regions *r, uint32_t pair, const double at[3],
                          const double origin[3], extents *e)
{
    double from[3];
    kiln_subtract(at, origin, from);
    for (int i = 0; i < e->count; i++) {
        const double height = kiln_dot(e->way[i], from);
        if (height <= e->lowest[i]) {
            offer_far_end(&r->x, height < e->lowest[i], at, r->pairs[pair].x, &e->low[i]);
            e->lowest[i] = height;
        }
        if (height >= e->highest[i]) {
            offer_far_end(&r->y, height > e->highest[i], at, r->pairs[pair].y, &e->high[i]);
            e->highest[i] = height;
        }
    }
}

static void offer_far_vertex(bool farther, const float *vertex, uint32_t triangle,
                             kiln_regions_far *far)
{
    if (farther || far->vertex == NULL || kiln_regions_compare_places(vertex, far->vertex) < 0) {
        *far = (kiln_regions_far){vertex, NULL, triangle};
    }
}

static inline void extend_by_vertex(bool of_x, const float *vertex, uint32_t triangle, extents *e)
{
    for (int i = 0; i < e->count; i++) {
        const double height = kiln_regions_height_at(of_x ? &e->of_x[i] : &e->of_y[i], vertex);
        if (of_x && height <= e->lowest[i]) {
            offer_far_vertex(height < e->lowest[i], vertex, triangle, &e->low[i]);
            e->lowest[i] = height;
        } else if (!of_x && height >= e->highest[i]) {
            offer_far_vertex(height > e->highest[i], vertex, triangle, &e->high[i]);
            e->highest[i] = height;
        }
    }
}

static void extend_by_met(const kiln_regions *r, uint32_t root, uint32_t met, extents *e)
{
    const kiln_regions_met *m = &r->met[met];
    if (!kiln_regions_met_is_new(r, met)) {
        return;
    }
    for (unsigned c = 0; c < 3; c++) {
        if (kiln_regions_corner_is_in(r, met, c, root)) {
            const kiln_adjacency *of = kiln_regions_mesh_of(r, m->of_x)->of;
            extend_by_vertex(m->of_x, kiln_adjacency_vertex(of, m->triangle, c), m->triangle, e);
        }
    }
}

static void extend_by_pair(const kiln_regions *r, uint32_t root, uint32_t pair,
                           const double origin[3], extents *e)
{
    const kiln_regions_segment *s = &r->segments[pair];
    for (int end = 0; end < 2 && s->found; end++) {
        if (kiln_regions_end_is_new(s, end)) {
            extend_by_end(r, pair, s->at[end], origin, e);
        }
    }
    if (s->parts) {
        extend_by_met(r, root, s->met_x, e);
        extend_by_met(r, root, s->met_y, e);
    }
}

static void extend_by_fill(const kiln_regions *r, const kiln_regions_fill *fill, extents *e)
{
    const kiln_adjacency *of = kiln_regions_mesh_of(r, fill->of_x)->of;
    const uint32_t end = kiln_regions_fill_end(r, fill);
    for (uint32_t i = fill->first; i < end; i++) {
        const uint32_t half_edge = r->list[i];
        extend_by_vertex(fill->of_x, kiln_regions_new_vertex(of, half_edge), half_edge / 3, e);
    }
}

/* All of both patches, along the directions of *e. */
static void extend(kiln_regions *r, uint32_t root, const kiln_regions_measure *m, extents *e)
{
    for (int i = 0; i < e->count; i++) {
        kiln_regions_height_form(&r->x, e->way[i], m->origin, &e->of_x[i]);
        kiln_regions_height_form(&r->y, e->way[i], m->origin, &e->of_y[i]);
        e->lowest[i] = HUGE_VAL;
        e->highest[i] = -HUGE_VAL;
        e->low[i] = (kiln_regions_far){NULL, NULL, r->pairs[root].x};
        e->high[i] = (kiln_regions_far){NULL, NULL, r->pairs[root].y};
    }
    r->stamp++;
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            extend_by_pair(r, root, i, m->origin, e);
        }
    }
    for (uint32_t f = r->first_fill[root]; f != KILN_REGIONS_NONE; f = r->fills[f].next) {
        extend_by_fill(r, &r->fills[f], e);
    }
}

/* ---------------------------------------------------------------------------------- tilting -- */

enum { CUTS = 18, ASKED = 4, PASSES = 8 };

/* The gap of one corner of each patch, over the slopes of the direction along two axes. */
typedef struct {
    double constant, slope[2];
} gap_cut;

typedef struct {
    double axis[3][3];      /* two across the direction, and it */
    double low[2], high[2]; /* of the curves along these two */
    double most[2];         /* slopes that are looked at */
    int count;
    gap_cut cuts[CUTS];
} gap_search;

static double extent_width(const extents *e, int way)
{
    return e->highest[way] - e->lowest[way];
}

/* Where a farthest place is, along the axes of the search. */
static void place_of_far(const gap_search *g, const kiln_regions_mesh *mesh,
                         const kiln_regions_far *far, const double origin[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        if (far->vertex != NULL) {
            kiln_regions_height along;
            kiln_regions_height_form(mesh, g->axis[k], origin, &along);
            out[k] = kiln_regions_height_at(&along, far->vertex);
        } else {
            double from[3];
            kiln_subtract(far->end, origin, from);
            out[k] = kiln_dot(g->axis[k], from);
        }
    }
}

static void add_cuts(const kiln_regions *r, const extents *e, const double origin[3], gap_search *g)
{
    for (int i = 0; i < e->count && g->count < CUTS; i++) {
        double x[3], y[3];
        place_of_far(g, &r->x, &e->low[i], origin, x);
        place_of_far(g, &r->y, &e->high[i], origin, y);
        g->cuts[g->count++] = (gap_cut){y[2] - x[2], {y[0] - x[0], y[1] - x[1]}};
    }
}

/* What slopes cost: a part of how far they lift one side of the curves over the other. */
static double lift_of(const gap_search *g, const double slope[2])
{
    return LEVELLED *
           (fabs(slope[0]) * (g->high[0] - g->low[0]) + fabs(slope[1]) * (g->high[1] - g->low[1]));
}

/* The greatest of all cuts. */
static double gap_at(const gap_search *g, const double slope[2])
{
    double gap = -HUGE_VAL;
    for (int i = 0; i < g->count; i++) {
        const gap_cut *c = &g->cuts[i];
        gap = fmax(gap, c->constant + (c->slope[0] * slope[0] + c->slope[1] * slope[1]));
    }
    return gap;
}

/* Takes slopes if the gap there and what they cost are less than *least. */
static void offer_slopes(const gap_search *g, double s, double t, double best[2], double *least)
{
    if (fabs(s) <= g->most[0] && fabs(t) <= g->most[1]) {
        const double slope[2] = {s, t}, gap = gap_at(g, slope) + lift_of(g, slope);
        if (gap < *least) {
            *least = gap;
            best[0] = s;
            best[1] = t;
        }
    }
}

/* Two cuts are equal where (slope of the one - slope of the other) (s, t) is `level`. */
static double level_of_cuts(const gap_cut *p, const gap_cut *q, double line[2])
{
    line[0] = p->slope[0] - q->slope[0];
    line[1] = p->slope[1] - q->slope[1];
    return q->constant - p->constant;
}

/* The least gap of all cuts with what its slopes cost: at a corner of what cuts, the slopes that
 * are allowed and those that are 0 span. */
static double least_gap(const gap_search *g, double best[2])
{
    double least = HUGE_VAL;
    for (int i = 0; i < 9; i++) {
        offer_slopes(g, (i / 3 - 1) * g->most[0], (i % 3 - 1) * g->most[1], best, &least);
    }
    for (int i = 0; i < g->count; i++) {
        for (int j = 0; j < i; j++) {
            double p[2], q[2];
            const double at_p = level_of_cuts(&g->cuts[i], &g->cuts[j], p);
            for (int side = -1; side <= 1; side++) {
                const double s = side * g->most[0], t = side * g->most[1];
                offer_slopes(g, s, (at_p - p[0] * s) / p[1], best, &least);
                offer_slopes(g, (at_p - p[1] * t) / p[0], t, best, &least);
            }
            for (int k = 0; k < j; k++) {
                const double at_q = level_of_cuts(&g->cuts[i], &g->cuts[k], q);
                const double area = p[0] * q[1] - p[1] * q[0];
                offer_slopes(g, (at_p * q[1] - at_q * p[1]) / area,
                             (p[0] * at_q - q[0] * at_p) / area, best, &least);
            }
        }
    }
    return least;
}

static void slope_way(const gap_search *g, double s, double t, double out[3])
{
    const double length = sqrt((s * s + t * t) + 1);
    for (int k = 0; k < 3; k++) {
        out[k] = ((s * g->axis[0][k] + t * g->axis[1][k]) + g->axis[2][k]) / length;
    }
}

static void take_way(const extents *from, int i, extents *to, int j)
{
    memcpy(to->way[j], from->way[i], sizeof to->way[j]);
    to->lowest[j] = from->lowest[i];
    to->highest[j] = from->highest[i];
    to->low[j] = from->low[i];
    to->high[j] = from->high[i];
}

/* Of the slopes those count by which the curves would depart from a plane about twice as far as
 * they do. False: there are none. */
static bool form_search(const kiln_regions *r, uint32_t root, const double way[3], double spread,
                        const double origin[3], gap_search *g)
{
    memset(g, 0, sizeof *g);
    memcpy(g->axis[2], way, sizeof g->axis[2]);
    kiln_regions_form_axes(g->axis);
    for (int k = 0; k < 2; k++) {
        spread_along(r, root, g->axis[k], origin, &g->low[k], &g->high[k]);
        g->most[k] = fmin(spread / (g->high[k] - g->low[k]), 0.25);
    }
    return g->most[0] > 0 && g->most[1] > 0;
}

/* How far one side of the curves is lifted over the other, along a direction. */
static double rise_of(const gap_search *g, const double way[3])
{
    double rise = 0;
    for (int k = 0; k < 2; k++) {
        rise += fabs(kiln_dot(g->axis[k], way)) * (g->high[k] - g->low[k]);
    }
    return rise;
}

/* What the search makes least: the gap at the slopes of a direction, which is longer than 1 where
 * that is tilted, and what the slopes cost. So it is what the cuts bound, and convex. */
static double cost_of(const gap_search *g, const extents *e, int way)
{
    const double lift = LEVELLED * rise_of(g, e->way[way]);
    return (extent_width(e, way) + lift) / kiln_dot(g->axis[2], e->way[way]);
}

/* Tilts the first direction of *e, if the patches part sooner along one that is near. */
static void tilt(kiln_regions *r, uint32_t root, const kiln_regions_measure *m, double spread,
                 double faced, extents *e)
{
    gap_search g;
    extents asked;
    double best[2] = {0, 0};
    if (!form_search(r, root, e->way[0], spread, m->origin, &g)) {
        return;
    }
    memset(&asked, 0, sizeof asked);
    asked.count = 1;
    take_way(e, 0, &asked, 0);
    add_cuts(r, &asked, m->origin, &g);
    asked.count = ASKED;
    for (int i = 0; i < ASKED; i++) {
        const double side = i % 2 == 0 ? 0.5 : -0.5;
        slope_way(&g, i < 2 ? side * g.most[0] : 0, i < 2 ? 0 : side * g.most[1], asked.way[i]);
    }
    extents nearest = *e;
    double cost = extent_width(e, 0);
    for (int pass = 0; pass < PASSES; pass++) {
        extend(r, root, m, &asked);
        for (int i = 0; i < asked.count; i++) {
            if (cost_of(&g, &asked, i) < cost) {
                cost = cost_of(&g, &asked, i);
                take_way(&asked, i, &nearest, 0);
            }
        }
        add_cuts(r, &asked, m->origin, &g);
        const double bound = least_gap(&g, best);
        if (!(bound < (1 - FOUND) * cost)) {
            break;
        }
        asked.count = 1;
        slope_way(&g, best[0], best[1], asked.way[0]);
    }
    const double gain = extent_width(e, 0) - extent_width(&nearest, 0);
    if (gain > LITTLE * extent_width(e, 0) && gain > faced * rise_of(&g, nearest.way[0])) {
        take_way(&nearest, 0, e, 0);
    }
}

/* ------------------------------------------------------------------------------- the normal -- */

/* Where a surface passes the other at a curve: does it go on beyond the curve, farther out than the
 * patch, and does it move into the other there? `own` and `other`: how far their normals lead
 * along the way in which it moves; `both`: along each other. */
static bool leads_on(double own, double other, double both)
{
    return other < -STEEPLY && other - both * own < -STEEPLY;
}

/* What of both patches is farthest out along a direction may be the curves alone. If their surfaces
 * then go on beyond them, and would move into the other mesh, the patches do not part by their own
 * extent: a cone that is sunk into a ridge is not freed along the normal of one side of it. */
static bool is_blocked(const kiln_regions *r, uint32_t root, const double origin[3],
                       const extents *e, int way)
{
    static const double nowhere[3] = {0, 0, 0};
    const double near = EQUALLY * extent_width(e, way);
    bool any_x = false, any_y = false, all_x = true, all_y = true;
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            for (int end = 0; end < 2 && r->segments[i].found; end++) {
                double from[3], x[3] = {0, 0, 0}, y[3] = {0, 0, 0};
                kiln_subtract(r->segments[i].at[end], origin, from);
                const double height = kiln_dot(e->way[way], from);
                const bool low = e->low[way].end != NULL && height <= e->lowest[way] + near;
                const bool high = e->high[way].end != NULL && height >= e->highest[way] - near;
                if (low || high) {
                    (void)way_of_face(&r->x, r->pairs[i].x, 1, nowhere, x);
                    (void)way_of_face(&r->y, r->pairs[i].y, 1, nowhere, y);
                    const double along_x = kiln_dot(e->way[way], x), both = kiln_dot(x, y);
                    const double along_y = kiln_dot(e->way[way], y);
                    any_x = any_x || low;
                    any_y = any_y || high;
                    all_x = all_x && (!low || leads_on(along_x, along_y, both));
                    all_y = all_y && (!high || leads_on(-along_y, -along_x, both));
                }
            }
        }
    }
    return (any_x && all_x) || (any_y && all_y);
}

/* The face along which the patches part soonest; of equal ones that which is nearest to the first
 * direction. 0: none is so much better than that. */
static int best_face(const kiln_regions *r, uint32_t root, const double origin[3], const extents *e)
{
    int best = 0;
    for (int i = 1; i < e->count; i++) {
        if (!(extent_width(e, i) < SOONER * extent_width(e, 0)) ||
            is_blocked(r, root, origin, e, i)) {
            continue;
        }
        const double width = extent_width(e, i), least = extent_width(e, best);
        const bool equal = best > 0 && fabs(width - least) <= EQUALLY * least;
        const bool nearer = kiln_dot(e->way[i], e->way[0]) > kiln_dot(e->way[best], e->way[0]);
        if (best == 0 || (equal ? nearer : width < least)) {
            best = i;
        }
    }
    return best;
}

static void count_fills(const kiln_regions *r, uint32_t root, kiln_region *region)
{
    for (uint32_t f = r->first_fill[root]; f != KILN_REGIONS_NONE; f = r->fills[f].next) {
        const kiln_regions_fill *fill = &r->fills[f];
        *(fill->of_x == !r->frame.swapped ? &region->inside_a : &region->inside_b) +=
            kiln_regions_fill_end(r, fill) - fill->first;
    }
}

void kiln_regions_measure_extents(kiln_regions *r, uint32_t root, kiln_regions_measure *m)
{
    extents e;
    double low, high;
    memset(&e, 0, sizeof e);
    const bool any = spread_along(r, root, m->along[2], m->origin, &low, &high);
    const double spread = high - low;
    memcpy(e.way[0], m->along[2], sizeof e.way[0]);
    e.count = spread > IN_PLANE * m->region.length
                  ? find_ways(r, root, m->along[2], m->region.length, e.way)
                  : 1;
    extend(r, root, m, &e);
    count_fills(r, root, &m->region);
    /* A curve in a plane is one of a face that is there, whatever passes through it. */
    const bool bent = any && spread > FLAT * extent_width(&e, 0);
    const int best = bent ? best_face(r, root, m->origin, &e) : 0;
    if (best == 0 && any && !m->region.open && spread > LEVEL * extent_width(&e, 0)) {
        tilt(r, root, m, spread, bent ? FACED_BENT : FACED, &e);
    }
    m->low = e.low[best];
    m->high = e.high[best];
    m->lowest = any ? e.lowest[best] : 0;
    m->highest = any ? e.highest[best] : 0;
    memcpy(m->along[2], e.way[best], sizeof m->along[2]);
}
