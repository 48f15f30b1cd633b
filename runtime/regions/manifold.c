/* At most four points that stand for a region in a solver.
 *
 * Candidates are corners of either patch that are in the deeper half of the region, and ends of
 * segments where one surface stands steeply in the other, as the sides of a box do: there the
 * region is deep at its rim. Of the outermost of these in eight directions those four are taken
 * that span most. A ray along the normal then says how deep each is, and what lies opposite. */
#include "regions.h"

#include "../../formats/vector.h"
#include "../pose/world.h"
#include "../walk/leaf_pair.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 8 };

#define STEEP 0.25   /* squared cosine of a triangle's normal and the region's, below which it is */
#define SAME 0x1p-20 /* of the radius, below which two points are one */
#define SHALLOW 0.75 /* of the depth: where all points have less, the deepest is added */

/* What a point is. */
typedef enum { CORNER_OF_X = 0, CORNER_OF_Y = 1, END_ON_X = 2, END_ON_Y = 3 } point_kind;

typedef struct {
    double at[3];        /* along the two axes, and the normal */
    uint32_t x, y;       /* triangles; that of the other mesh is not known for a corner */
    const float *vertex; /* of a corner */
    point_kind kind;
    bool found;
} region_point;

typedef struct {
    const kiln_regions *r;
    const kiln_regions_measure *m;
    uint32_t root;
    double middle; /* height that parts the deeper halves of the two patches */
    region_point outermost[DIRECTIONS];
    double reach[DIRECTIONS];
} point_search;

/* Of two points that are equally far out: the order of geometry, then of ids. */
static bool point_comes_before(const point_search *search, const region_point *p,
                               const region_point *q)
{
    for (int k = 0; k < 3; k++) {
        if (p->at[k] != q->at[k]) {
            return p->at[k] < q->at[k];
        }
    }
    if (p->kind != q->kind) {
        return p->kind < q->kind;
    }
    if (p->vertex != NULL) {
        return kiln_regions_compare_places(p->vertex, q->vertex) < 0;
    }
    const kiln_adjacency *x = search->r->x.of, *y = search->r->y.of;
    return p->x != q->x ? kiln_adjacency_id(x, p->x) < kiln_adjacency_id(x, q->x)
                        : kiln_adjacency_id(y, p->y) < kiln_adjacency_id(y, q->y);
}

/* How far out a place is in the eight directions. */
static inline void reaches_of(double u, double v, double reach[DIRECTIONS])
{
    reach[0] = u;
    reach[1] = u + v;
    reach[2] = v;
    reach[3] = v - u;
    reach[4] = -u;
    reach[5] = -(u + v);
    reach[6] = -v;
    reach[7] = -(v - u);
}

/* May a point be one of the outermost? Most are not. */
static inline bool reaches_out(const point_search *search, const double reach[DIRECTIONS])
{
    bool out = false;
    for (int d = 0; d < DIRECTIONS; d++) {
        out |= reach[d] >= search->reach[d];
    }
    return out;
}

static void offer_point(point_search *search, const region_point *p, const double reach[DIRECTIONS])
{
    for (int d = 0; d < DIRECTIONS; d++) {
        region_point *best = &search->outermost[d];
        if (reach[d] > search->reach[d] ||
            (reach[d] == search->reach[d] && point_comes_before(search, p, best))) {
            *best = *p;
            search->reach[d] = reach[d];
        }
    }
}

/* ----------------------------------------------------------------------------- candidates -- */

/* Functions of the vertices of one mesh. */
typedef struct {
    const kiln_regions_mesh *mesh;
    kiln_regions_height along[3];
} corner_source;

static void corner_source_form(const point_search *search, const kiln_regions_mesh *mesh,
                               corner_source *out)
{
    out->mesh = mesh;
    for (int k = 0; k < 3; k++) {
        kiln_regions_height_form(mesh, search->m->along[k], search->m->origin, &out->along[k]);
    }
}

static inline void offer_corner(point_search *search, const corner_source *source,
                                uint32_t triangle, const float *vertex)
{
    const double height = kiln_regions_height_at(&source->along[2], vertex);
    const bool of_x = source->mesh == &search->r->x;
    if (of_x ? height > search->middle : height < search->middle) {
        return;
    }
    const double u = kiln_regions_height_at(&source->along[0], vertex);
    const double v = kiln_regions_height_at(&source->along[1], vertex);
    double reach[DIRECTIONS];
    reaches_of(u, v, reach);
    if (reaches_out(search, reach)) {
        const point_kind kind = of_x ? CORNER_OF_X : CORNER_OF_Y;
        const region_point p = {{u, v, height}, triangle, triangle, vertex, kind, true};
        offer_point(search, &p, reach);
    }
}

static void offer_fill(point_search *search, const corner_source *source,
                       const kiln_regions_fill *fill)
{
    const kiln_regions *r = search->r;
    const uint32_t end = kiln_regions_fill_end(r, fill);
    for (uint32_t i = fill->first; i < end; i++) {
        const uint32_t half_edge = r->list[i];
        offer_corner(search, source, half_edge / 3,
                     kiln_regions_new_vertex(source->mesh->of, half_edge));
    }
}

/* Is a triangle so steep that the other surface is deep at it? Floats are multiples of 2^-149, and
 * a pose makes no length less than 2^-32 of what it was, so that squares of normals stay above
 * 2^-740: far from where they would be lost. */
static bool is_steep(const kiln_regions_mesh *mesh, uint32_t triangle, const double up[3])
{
    double u[3], v[3], normal[3];
    kiln_regions_world_edge(mesh, triangle, 1, u);
    kiln_regions_world_edge(mesh, triangle, 2, v);
    kiln_cross(u, v, normal);
    const double along = kiln_dot(normal, up);
    return along * along < STEEP * kiln_dot(normal, normal);
}

/* An end of a segment, as a point of X where Y is steep there, and the reverse. */
static void offer_end(point_search *search, uint32_t pair, const double at[3], bool of_x, bool all,
                      const double reach[DIRECTIONS])
{
    const kiln_regions *r = search->r;
    const kiln_regions_pair *of = &r->pairs[pair];
    kiln_regions_met *other = &r->met[of_x ? r->segments[pair].met_y : r->segments[pair].met_x];
    if (!all && other->judged != search->root + 1) {
        other->judged = search->root + 1;
        other->steep =
            is_steep(kiln_regions_mesh_of(r, other->of_x), other->triangle, search->m->along[2]);
    }
    if (all || other->steep) {
        const region_point p = {{at[0], at[1], at[2]},      of->x, of->y, NULL,
                                of_x ? END_ON_X : END_ON_Y, true};
        offer_point(search, &p, reach);
    }
}

static void offer_ends(point_search *search, uint32_t pair, bool all)
{
    const kiln_regions_segment *s = &search->r->segments[pair];
    for (int end = 0; end < 2; end++) {
        double from[3], at[3], reach[DIRECTIONS];
        kiln_subtract(s->at[end], search->m->origin, from);
        for (int k = 0; k < 3; k++) {
            at[k] = kiln_dot(search->m->along[k], from);
        }
        reaches_of(at[0], at[1], reach);
        if (!reaches_out(search, reach)) {
            continue;
        }
        if (at[2] <= search->middle) {
            offer_end(search, pair, at, true, all, reach);
        }
        if (at[2] >= search->middle) {
            offer_end(search, pair, at, false, all, reach);
        }
    }
}

static void offer_curves(point_search *search, bool all)
{
    const kiln_regions *r = search->r;
    for (uint32_t c = search->root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            if (r->segments[i].found) {
                offer_ends(search, i, all);
            }
        }
    }
}

static void offer_met(point_search *search, const corner_source *source, uint32_t met)
{
    const kiln_regions *r = search->r;
    const uint32_t triangle = r->met[met].triangle;
    if (!kiln_regions_met_is_new(r, met)) {
        return;
    }
    for (unsigned k = 0; k < 3; k++) {
        if (kiln_regions_corner_is_in(r, met, k, search->root)) {
            offer_corner(search, source, triangle,
                         kiln_adjacency_vertex(source->mesh->of, triangle, k));
        }
    }
}

static void offer_patches(point_search *search)
{
    const kiln_regions *r = search->r;
    corner_source of_x, of_y;
    corner_source_form(search, &r->x, &of_x);
    corner_source_form(search, &r->y, &of_y);
    for (uint32_t c = search->root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            if (r->segments[i].parts) {
                offer_met(search, &of_x, r->segments[i].met_x);
                offer_met(search, &of_y, r->segments[i].met_y);
            }
        }
    }
    for (uint32_t f = r->first_fill[search->root]; f != KILN_REGIONS_NONE; f = r->fills[f].next) {
        offer_fill(search, r->fills[f].of_x ? &of_x : &of_y, &r->fills[f]);
    }
}

/* The corners of what triangles in one plane share. */
static void offer_common(point_search *search)
{
    const kiln_regions *r = search->r;
    for (uint32_t c = search->root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            double polygon[KILN_REGIONS_CORNERS][3];
            const int count = kiln_regions_common_of(r, i, polygon);
            for (int corner = 0; corner < count; corner++) {
                double from[3], at[3], reach[DIRECTIONS];
                kiln_subtract(polygon[corner], search->m->origin, from);
                for (int k = 0; k < 3; k++) {
                    at[k] = kiln_dot(search->m->along[k], from);
                }
                reaches_of(at[0], at[1], reach);
                if (reaches_out(search, reach)) {
                    offer_end(search, i, at, true, true, reach);
                }
            }
        }
    }
}

/* -------------------------------------------------------------------------------- choosing -- */

/* Twice the area of the triangle p q s, across the normal. */
static double spanned(const region_point *p, const region_point *q, const region_point *s)
{
    return (q->at[0] - p->at[0]) * (s->at[1] - p->at[1]) -
           (q->at[1] - p->at[1]) * (s->at[0] - p->at[0]);
}

static double apart_squared(const region_point *p, const double u, const double v)
{
    return (p->at[0] - u) * (p->at[0] - u) + (p->at[1] - v) * (p->at[1] - v);
}

/* The farthest from a place; the farthest from that; the farthest on both sides of the two. */
static unsigned choose_points(const point_search *search, const region_point *all, int count,
                              region_point chosen[KILN_REGION_POINTS])
{
    const kiln_regions_measure *m = search->m;
    double centre[3], most = -1;
    kiln_subtract(m->region.centroid, m->origin, centre);
    const double u = kiln_dot(m->along[0], centre), v = kiln_dot(m->along[1], centre);
    const double same = SAME * m->region.radius * (SAME * m->region.radius);
    for (int i = 0; i < count; i++) {
        if (all[i].found && apart_squared(&all[i], u, v) > most) {
            most = apart_squared(&all[i], u, v);
            chosen[0] = all[i];
        }
    }
    if (most < 0) {
        return 0;
    }
    most = same;
    unsigned found = 1;
    for (int i = 0; i < count; i++) {
        const double apart = apart_squared(&all[i], chosen[0].at[0], chosen[0].at[1]);
        if (all[i].found && apart > most) {
            most = apart;
            chosen[1] = all[i];
            found = 2;
        }
    }
    for (int side = 1; side >= -1 && found >= 2; side -= 2) {
        double widest = SAME * most;
        bool any = false;
        for (int i = 0; i < count; i++) {
            const double area = side * spanned(&chosen[0], &chosen[1], &all[i]);
            if (all[i].found && area > widest) {
                widest = area;
                chosen[found] = all[i];
                any = true;
            }
        }
        found += any;
    }
    return found;
}

/* ----------------------------------------------------------------------------------- names -- */

/* A corner is named after that of its triangles in the patch that has the least id: so names do
 * not depend on the order in which a patch was filled. */
enum { NAMES = KILN_REGION_POINTS + 1 };

typedef struct {
    uint64_t keys; /* bits by the vertices: most others have none of them */
    int count;
    const float *vertex[NAMES];
    uint32_t *triangle[NAMES];
} corner_names;

/* The same for all vertices of one place. */
static inline uint64_t key_of_place(const float *vertex)
{
    const float mixed = vertex[0] - vertex[1] + 0.0F; /* -0 is 0 */
    uint32_t bits;
    memcpy(&bits, &mixed, sizeof bits);
    return (uint64_t)1 << (bits * 0x9E3779B1u >> 26);
}

static void want_name(corner_names *names, const float *vertex, uint32_t *triangle)
{
    if (vertex != NULL) {
        KILN_ASSERT(names->count < NAMES);
        names->keys |= key_of_place(vertex);
        names->vertex[names->count] = vertex;
        names->triangle[names->count++] = triangle;
    }
}

static void take_name(const corner_names *names, const kiln_adjacency *of, uint32_t triangle,
                      const float *vertex)
{
    for (int i = 0; i < names->count; i++) {
        if (kiln_vertices_equal(vertex, names->vertex[i]) &&
            kiln_adjacency_id(of, triangle) < kiln_adjacency_id(of, *names->triangle[i])) {
            *names->triangle[i] = triangle;
        }
    }
}

static inline void offer_name(const corner_names *names, const kiln_adjacency *of,
                              uint32_t triangle, unsigned corner)
{
    const float *vertex = kiln_adjacency_vertex(of, triangle, corner);
    if ((names->keys & key_of_place(vertex)) != 0) {
        take_name(names, of, triangle, vertex);
    }
}

static void name_corners(const point_search *search, bool of_x, const corner_names *names)
{
    const kiln_regions *r = search->r;
    const kiln_adjacency *of = kiln_regions_mesh_of(r, of_x)->of;
    if (names->count == 0) {
        return;
    }
    for (uint32_t c = search->root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            const uint32_t met = of_x ? r->segments[i].met_x : r->segments[i].met_y;
            for (unsigned k = 0; k < 3 && r->segments[i].parts; k++) {
                if (kiln_regions_corner_is_in(r, met, k, search->root)) {
                    offer_name(names, of, r->met[met].triangle, k);
                }
            }
        }
    }
    for (uint32_t f = r->first_fill[search->root]; f != KILN_REGIONS_NONE; f = r->fills[f].next) {
        const uint32_t end = kiln_regions_fill_end(r, &r->fills[f]);
        for (uint32_t i = r->fills[f].first; i < end && r->fills[f].of_x == of_x; i++) {
            const uint32_t triangle = r->list[i] / 3;
            for (unsigned k = 0; k < 3; k++) {
                offer_name(names, of, triangle, k);
            }
        }
    }
}

/* Of the points that were chosen, and of the farthest of both patches. */
static void name_points(const point_search *search, kiln_regions_measure *m, region_point *chosen,
                        uint32_t count)
{
    for (int of_x = 0; of_x < 2; of_x++) {
        corner_names names;
        memset(&names, 0, sizeof names);
        kiln_regions_far *far = of_x ? &m->low : &m->high;
        want_name(&names, far->vertex, &far->triangle);
        for (uint32_t i = 0; i < count; i++) {
            if (chosen[i].kind == (of_x ? CORNER_OF_X : CORNER_OF_Y)) {
                want_name(&names, chosen[i].vertex, of_x ? &chosen[i].x : &chosen[i].y);
            }
        }
        name_corners(search, of_x != 0, &names);
    }
    const uint32_t x = kiln_adjacency_id(search->r->x.of, m->low.triangle);
    const uint32_t y = kiln_adjacency_id(search->r->y.of, m->high.triangle);
    m->region.deepest.a = search->r->frame.swapped ? y : x;
    m->region.deepest.b = search->r->frame.swapped ? x : y;
}

/* --------------------------------------------------------------------------------- depths -- */

static void place_of_point(const kiln_regions_measure *m, const region_point *p, double height,
                           double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = m->origin[k] + ((p->at[0] * m->along[0][k] + p->at[1] * m->along[1][k]) +
                                 height * m->along[2][k]);
    }
}

/* What lies opposite a corner, along the normal: its height and its id. */
static double opposite(const point_search *search, const region_point *p, uint32_t *id)
{
    const kiln_regions_measure *m = search->m;
    const bool of_x = p->kind == CORNER_OF_X;
    const kiln_regions_mesh *other = of_x ? &search->r->y : &search->r->x;
    const double depth = of_x ? m->highest - p->at[2] : p->at[2] - m->lowest;
    /* Out of the other mesh, through the backs of its triangles. One in whose plane the ray lies
     * tells nothing. */
    kiln_query_options options = kiln_query_options_default();
    kiln_ray ray;
    kiln_ray_hit hit = {0};
    options.cull = other->turned ? KILN_CULL_BACK : KILN_CULL_FRONT;
    ray.t_min = 0;
    ray.t_max = depth;
    place_of_point(m, p, p->at[2], ray.origin);
    for (int k = 0; k < 3; k++) {
        ray.direction[k] = of_x ? m->along[2][k] : -m->along[2][k];
    }
    if (depth > 0 &&
        kiln_ray_closest(other->of->tree, other->pose, &ray, &options, &hit) == KILN_OK &&
        hit.found && hit.side != KILN_SIDE_EDGE) {
        *id = hit.triangle;
        return of_x ? p->at[2] + hit.t : p->at[2] - hit.t;
    }
    return of_x ? m->highest : m->lowest;
}

static void finish_point(const point_search *search, const region_point *p, kiln_region_point *out)
{
    const kiln_regions *r = search->r;
    const kiln_regions_measure *m = search->m;
    const bool x_side = p->kind == CORNER_OF_X || p->kind == END_ON_X;
    const bool corner = p->kind == CORNER_OF_X || p->kind == CORNER_OF_Y;
    uint32_t x = kiln_adjacency_id(r->x.of, corner && !x_side ? m->low.triangle : p->x);
    uint32_t y = kiln_adjacency_id(r->y.of, corner && x_side ? m->high.triangle : p->y);
    const double end = corner   ? opposite(search, p, x_side ? &y : &x)
                       : x_side ? m->highest
                                : m->lowest;
    memset(out, 0, sizeof *out);
    out->depth = m->region.touching ? 0 : fmin(fabs(end - p->at[2]), m->region.depth);
    place_of_point(m, p, p->at[2] + (end - p->at[2]) / 2, out->position);
    out->pair.a = r->frame.swapped ? y : x;
    out->pair.b = r->frame.swapped ? x : y;
    kiln_pair_add_values(r->frame.swapped ? r->y.of->tree : r->x.of->tree,
                         r->frame.swapped ? r->x.of->tree : r->y.of->tree, &out->pair);
}

/* The corner that is deepest inside the other mesh, of X or of Y: whichever is deeper by a ray. */
static bool deepest_point(const point_search *search, bool of_x, region_point *out)
{
    const kiln_regions_far *far = of_x ? &search->m->low : &search->m->high;
    if (far->vertex == NULL) {
        return false;
    }
    corner_source source;
    corner_source_form(search, kiln_regions_mesh_of(search->r, of_x), &source);
    for (int k = 0; k < 3; k++) {
        out->at[k] = kiln_regions_height_at(&source.along[k], far->vertex);
    }
    out->x = out->y = far->triangle;
    out->vertex = far->vertex;
    out->kind = of_x ? CORNER_OF_X : CORNER_OF_Y;
    return out->found = true;
}

/* Where the points that span most are all at shallow places, the deepest corner takes the place of
 * the one that is nearest to it, or is one more. */
static void add_deepest(const point_search *search, kiln_region *region)
{
    double most = 0;
    kiln_region_point deepest;
    deepest.depth = 0;
    for (uint32_t i = 0; i < region->point_count; i++) {
        most = fmax(most, region->points[i].depth);
    }
    if (region->touching || most >= SHALLOW * region->depth) {
        return;
    }
    for (int of_x = 1; of_x >= 0; of_x--) {
        region_point p;
        kiln_region_point found;
        if (deepest_point(search, of_x != 0, &p)) {
            finish_point(search, &p, &found);
            deepest = found.depth > deepest.depth ? found : deepest;
        }
    }
    if (deepest.depth <= most) {
        return;
    }
    uint32_t nearest = region->point_count;
    if (nearest < KILN_REGION_POINTS) {
        region->point_count++;
    } else {
        double least = HUGE_VAL;
        for (uint32_t i = 0; i < region->point_count; i++) {
            double way[3];
            kiln_subtract(region->points[i].position, deepest.position, way);
            if (kiln_dot(way, way) < least) {
                least = kiln_dot(way, way);
                nearest = i;
            }
        }
    }
    region->points[nearest] = deepest;
}

/* A region without segments: its pairs touch at points. */
static void add_touching_point(const kiln_regions *r, uint32_t root, kiln_regions_measure *m)
{
    kiln_region_point *out = &m->region.points[0];
    const uint32_t x = kiln_adjacency_id(r->x.of, r->pairs[root].x);
    const uint32_t y = kiln_adjacency_id(r->y.of, r->pairs[root].y);
    memcpy(out->position, m->origin, sizeof out->position);
    out->pair.a = r->frame.swapped ? y : x;
    out->pair.b = r->frame.swapped ? x : y;
    kiln_pair_add_values(r->frame.swapped ? r->y.of->tree : r->x.of->tree,
                         r->frame.swapped ? r->x.of->tree : r->y.of->tree, &out->pair);
    m->region.point_count = 1;
}

void kiln_regions_add_points(kiln_regions *r, uint32_t root, kiln_regions_measure *m)
{
    point_search search;
    region_point chosen[KILN_REGION_POINTS];
    kiln_region *region = &m->region;
    memset(&search, 0, sizeof search);
    search.r = r;
    search.m = m;
    search.root = root;
    for (int d = 0; d < DIRECTIONS; d++) {
        search.reach[d] = -HUGE_VAL;
    }
    r->stamp++;
    search.middle = m->lowest + (m->highest - m->lowest) / 2;
    offer_patches(&search);
    offer_curves(&search, false);
    if (kiln_regions_ends_at_border(r, m)) {
        offer_common(&search);
    }
    region->point_count = choose_points(&search, search.outermost, DIRECTIONS, chosen);
    if (region->point_count == 0) {
        offer_curves(&search, true);
        region->point_count = choose_points(&search, search.outermost, DIRECTIONS, chosen);
    }
    name_points(&search, m, chosen, region->point_count);
    if (region->point_count == 0) {
        add_touching_point(r, root, m);
        return;
    }
    for (uint32_t i = 0; i < region->point_count; i++) {
        finish_point(&search, &chosen[i], &region->points[i]);
    }
    add_deepest(&search, region);
}
