/* What a region is, in numbers.
 *
 * The area vector of closed curves, half the sum of (p - o) x (q - o), does not depend on o. Of
 * curves with loose ends o is the middle of these, so that one that ends at both sides of the
 * border of a sheet is closed by that border. Extents of patches are those of their corners and of
 * the curves, since all in between is flat. */
#include "regions.h"

#include "../../formats/vector.h"
#include "../pose/world.h"
#include "../query/query.h"
#include "../walk/leaf_pair.h"

#include <math.h>
#include <string.h>

#define CANCELLED 0.05     /* of what curves have one by one */
#define FREQUENT_PART 0.15 /* of the length: what a direction must have to be looked at */
#define IN_PLANE 0x1p-30   /* of the length: a curve that departs less from a plane is flat */
#define SOONER 0.8         /* a direction counts as better from this part of the depth on */
#define FLAT 0.25          /* of the depth: how far a curve may depart from a plane */
#define NO_AREA 0x1p-40    /* of the square of the length */

void kiln_regions_height_form(const kiln_regions_mesh *mesh, const double direction[3],
                              const double origin[3], kiln_regions_height *out)
{
    const double scale = kiln_pose_scale(mesh->pose);
    double offset[3];
    for (int k = 0; k < 3; k++) {
        const double translation = mesh->pose != NULL ? mesh->pose->translation[k] : 0;
        offset[k] = translation - origin[k];
        out->row[k] = scale * direction[k];
    }
    for (int k = 0; k < 3 && mesh->pose != NULL; k++) {
        const double *rotation = mesh->pose->rotation + k;
        out->row[k] = scale * ((direction[0] * rotation[0] + direction[1] * rotation[3]) +
                               direction[2] * rotation[6]);
    }
    out->constant = kiln_dot(direction, offset);
}

/* ---------------------------------------------------------------------------------- curves -- */

/* Sums over segments. */
typedef struct {
    double area[3]; /* twice */
    double length;
} curve_sum;

/* What the segments of a region are measured from: the middle of loose ends, or any end; for one
 * without segments, a point of the first pair. */
static void find_origin(const kiln_regions *r, uint32_t root, double origin[3], bool *open)
{
    double sum[3] = {0, 0, 0}, loose = 0;
    bool found = false;
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            const kiln_regions_segment *s = &r->segments[i];
            if (!s->found) {
                continue;
            }
            if (!found) {
                memcpy(origin, s->at[0], sizeof s->at[0]);
                found = true;
            }
            for (int end = 0; end < 2; end++) {
                if (s->loose[end]) {
                    loose++;
                    for (int k = 0; k < 3; k++) {
                        sum[k] += s->at[end][k];
                    }
                }
            }
        }
    }
    *open = loose > 0;
    for (int k = 0; k < 3 && loose > 0; k++) {
        origin[k] = sum[k] / loose;
    }
}

static void add_segment(const kiln_regions_segment *s, const double origin[3], curve_sum *sum)
{
    double p[3], q[3], step[3], product[3];
    for (int k = 0; k < 3; k++) {
        p[k] = s->at[0][k] - origin[k];
        q[k] = s->at[1][k] - origin[k];
        step[k] = q[k] - p[k];
    }
    kiln_cross(p, q, product);
    for (int k = 0; k < 3; k++) {
        sum->area[k] += product[k];
    }
    sum->length += sqrt(kiln_dot(step, step));
}

static double region_vector_length(const double v[3])
{
    return sqrt(kiln_dot(v, v));
}

/* The normals of the pairs of a region whose curves have no area, one by one; and a point. */
static void normal_of_pairs(const kiln_regions *r, uint32_t root, double normal[3],
                            double origin[3], bool with_origin)
{
    double sum[3] = {0, 0, 0}, deepest[3] = {0, 0, 1}, depth = -1;
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            double x[9], y[9], world[3];
            kiln_tri_contact contact;
            kiln_stored_corners(&r->frame, true, r->x.of->first + r->pairs[i].x, x);
            kiln_stored_corners(&r->frame, false, r->y.of->first + r->pairs[i].y, y);
            kiln_pair_contact(&r->frame, x, y, &contact);
            kiln_world_normal(r->world, contact.normal, 1, world);
            for (int k = 0; k < 3; k++) {
                sum[k] += world[k];
            }
            if (contact.depth > depth) {
                depth = contact.depth;
                memcpy(deepest, world, sizeof deepest);
            }
            if (with_origin && i == root) {
                kiln_world_point(r->world, contact.from, origin);
            }
        }
    }
    const double length = region_vector_length(sum);
    for (int k = 0; k < 3; k++) {
        normal[k] = length > 0.1 ? sum[k] / length : deepest[k];
    }
}

/* Two axes across the normal: the same for it and its reverse, but for their signs. */
static void form_axes(double along[3][3])
{
    const double *n = along[2];
    int least = 0;
    for (int k = 1; k < 3; k++) {
        least = fabs(n[k]) < fabs(n[least]) ? k : least;
    }
    double axis[3] = {0, 0, 0};
    axis[least] = 1;
    kiln_cross(n, axis, along[0]);
    const double length = region_vector_length(along[0]);
    for (int k = 0; k < 3; k++) {
        along[0][k] /= length;
    }
    kiln_cross(n, along[0], along[1]);
}

/* Area, length and the direction from Y to X. */
static void measure_curves(const kiln_regions *r, uint32_t root, kiln_regions_measure *m)
{
    kiln_region *region = &m->region;
    curve_sum all = {{0, 0, 0}, 0};
    double each = 0, largest[3] = {0, 0, 0}, most = -1;
    bool found = false;
    find_origin(r, root, m->origin, &region->open);
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        curve_sum sum = {{0, 0, 0}, 0};
        bool any = false;
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            region->pairs++;
            region->touching = region->touching && !r->segments[i].crosses;
            if (r->segments[i].found) {
                add_segment(&r->segments[i], m->origin, &sum);
                any = true;
            }
        }
        region->curves += any;
        found = found || any;
        const double area = region_vector_length(sum.area);
        each += area;
        all.length += sum.length;
        for (int k = 0; k < 3; k++) {
            all.area[k] += sum.area[k];
        }
        if (area > most) {
            most = area;
            memcpy(largest, sum.area, sizeof largest);
        }
    }
    /* Segments run so that the area vector is that of X's patch, from X to Y, if both are wound as
     * they should be. */
    const double sign = r->x.turned == r->y.turned ? -0.5 : 0.5;
    for (int k = 0; k < 3; k++) {
        region->area_vector[k] = sign * all.area[k];
    }
    region->length = all.length;
    const double net = region_vector_length(all.area);
    if (!(each > NO_AREA * all.length * all.length)) {
        normal_of_pairs(r, root, m->along[2], m->origin, !found);
    } else if (net >= CANCELLED * each) {
        for (int k = 0; k < 3; k++) {
            m->along[2][k] = 2 * sign * all.area[k] / net;
        }
    } else {
        const double way = kiln_dot(all.area, largest) < 0 ? -2 * sign : 2 * sign;
        for (int k = 0; k < 3; k++) {
            m->along[2][k] = way * largest[k] / most;
        }
    }
}

/* ------------------------------------------------------------------------------ directions -- */

/* Directions that have more than a ninth of a curve's length each are all among these, however many
 * others there are: a direction that finds no room takes as much from each of those that have it
 * (Misra and Gries, Science of Computer Programming 2(2), 1982). */
enum { FREQUENT = 8 };

#define ALIKE 0.99995 /* cosine of directions that count as one: half a degree */
#define AWAY 0.5      /* cosine, below which a direction is none of those that are looked at */

typedef struct {
    double way[FREQUENT][3], weight[FREQUENT];
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

/* The normal of a triangle of a pair, from Y to X; false: it has none, or is far from `near`. */
static bool way_of_face(const kiln_regions_mesh *mesh, uint32_t triangle, double sign,
                        const double near[3], double out[3])
{
    double u[3], v[3], normal[3];
    kiln_regions_world_edge(mesh, triangle, 1, u);
    kiln_regions_world_edge(mesh, triangle, 2, v);
    kiln_cross(u, v, normal);
    const double length = region_vector_length(normal);
    const double way = mesh->turned ? -sign : sign;
    if (!(length > 0)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = way * normal[k] / length;
    }
    return kiln_dot(out, near) > AWAY;
}

/* How far the curves of a region reach along a direction. */
static double spread_along(const kiln_regions *r, uint32_t root, const double way[3],
                           const double origin[3])
{
    double low = 0, high = 0;
    bool first = true;
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            for (int end = 0; end < 2 && r->segments[i].found; end++) {
                double from[3];
                kiln_subtract(r->segments[i].at[end], origin, from);
                const double height = kiln_dot(way, from);
                low = first || height < low ? height : low;
                high = first || height > high ? height : high;
                first = false;
            }
        }
    }
    return high - low;
}

/* The direction of the area vector is the way out of a plane, and where surfaces are round; where
 * boxes overlap at an edge it lies between the ways out of two faces: so the normals of faces along
 * the curves that are frequent, and not far from it, are looked at, too. Returns how many
 * directions. */
static int find_ways(const kiln_regions *r, uint32_t root, const double main[3], double length,
                     double ways[KILN_REGIONS_WAYS][3])
{
    frequent_ways frequent;
    memset(&frequent, 0, sizeof frequent);
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            const kiln_regions_segment *s = &r->segments[i];
            double step[3], way[3];
            if (!s->found) {
                continue;
            }
            kiln_subtract(s->at[1], s->at[0], step);
            const double weight = region_vector_length(step);
            if (way_of_face(&r->x, r->pairs[i].x, -1, main, way)) {
                count_way(&frequent, way, weight);
            }
            if (way_of_face(&r->y, r->pairs[i].y, 1, main, way)) {
                count_way(&frequent, way, weight);
            }
        }
    }
    int count = 1;
    memcpy(ways[0], main, sizeof ways[0]);
    while (count < KILN_REGIONS_WAYS) {
        int most = 0;
        for (int i = 1; i < FREQUENT; i++) {
            most = frequent.weight[i] > frequent.weight[most] ? i : most;
        }
        if (!(frequent.weight[most] > FREQUENT_PART * length)) {
            break;
        }
        memcpy(ways[count++], frequent.way[most], sizeof ways[0]);
        frequent.weight[most] = 0;
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
static void offer_far_end(const kiln_regions_mesh *mesh, bool farther, uint32_t triangle,
                          kiln_regions_far *far)
{
    if (farther || (far->vertex == NULL && id_of(mesh, triangle) < id_of(mesh, far->triangle))) {
        *far = (kiln_regions_far){NULL, triangle};
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
            offer_far_end(&r->x, height < e->lowest[i], r->pairs[pair].x, &e->low[i]);
            e->lowest[i] = height;
        }
        if (height >= e->highest[i]) {
            offer_far_end(&r->y, height > e->highest[i], r->pairs[pair].y, &e->high[i]);
            e->highest[i] = height;
        }
    }
}

static void offer_far_vertex(bool farther, const float *vertex, uint32_t triangle,
                             kiln_regions_far *far)
{
    if (farther || far->vertex == NULL || kiln_regions_compare_places(vertex, far->vertex) < 0) {
        *far = (kiln_regions_far){vertex, triangle};
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
    if (!kiln_regions_met_is_new(r, met, 2 * root + 1)) {
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
        extend_by_end(r, pair, s->at[end], origin, e);
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

/* Heights of both patches over the origin; the direction in which they part soonest. */
static void measure_extents(const kiln_regions *r, uint32_t root, kiln_regions_measure *m)
{
    extents e;
    bool any = false;
    memset(&e, 0, sizeof e);
    const double spread = spread_along(r, root, m->along[2], m->origin);
    memcpy(e.way[0], m->along[2], sizeof e.way[0]);
    e.count = spread > IN_PLANE * m->region.length
                  ? find_ways(r, root, m->along[2], m->region.length, e.way)
                  : 1;
    for (int i = 0; i < e.count; i++) {
        kiln_regions_height_form(&r->x, e.way[i], m->origin, &e.of_x[i]);
        kiln_regions_height_form(&r->y, e.way[i], m->origin, &e.of_y[i]);
        e.lowest[i] = HUGE_VAL;
        e.highest[i] = -HUGE_VAL;
        e.low[i].triangle = r->pairs[root].x;
        e.high[i].triangle = r->pairs[root].y;
    }
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            any = any || r->segments[i].found;
            extend_by_pair(r, root, i, m->origin, &e);
        }
    }
    for (uint32_t f = r->first_fill[root]; f != KILN_REGIONS_NONE; f = r->fills[f].next) {
        const kiln_regions_fill *fill = &r->fills[f];
        extend_by_fill(r, fill, &e);
        *(fill->of_x == !r->frame.swapped ? &m->region.inside_a : &m->region.inside_b) +=
            kiln_regions_fill_end(r, fill) - fill->first;
    }
    /* A curve in a plane is one of a face that is there, whatever passes through it. */
    const bool flat = spread <= FLAT * (e.highest[0] - e.lowest[0]);
    int best = 0;
    for (int i = 1; i < e.count && any && !flat; i++) {
        if (e.highest[i] - e.lowest[i] < SOONER * (e.highest[best] - e.lowest[best])) {
            best = i;
        }
    }
    m->low = e.low[best];
    m->high = e.high[best];
    m->lowest = any ? e.lowest[best] : 0;
    m->highest = any ? e.highest[best] : 0;
    memcpy(m->along[2], e.way[best], sizeof m->along[2]);
}

/* -------------------------------------------------------------------------------- centroid -- */

/* The centroid of what the curves enclose as seen along the normal, or of the curves; and how far
 * these reach from it. */
static void measure_centroid(const kiln_regions *r, uint32_t root, kiln_regions_measure *m)
{
    const double *n = m->along[2];
    double area = 0, sum[3] = {0, 0, 0}, weight = 0, line[3] = {0, 0, 0}, centre[3] = {0, 0, 0};
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            const kiln_regions_segment *s = &r->segments[i];
            double p[3], q[3], step[3], product[3];
            if (!s->found) {
                continue;
            }
            kiln_subtract(s->at[0], m->origin, p);
            kiln_subtract(s->at[1], m->origin, q);
            kiln_subtract(q, p, step);
            kiln_cross(p, q, product);
            const double part = kiln_dot(n, product), length = region_vector_length(step);
            area += part;
            weight += length;
            for (int k = 0; k < 3; k++) {
                sum[k] += part * (p[k] + q[k]);
                line[k] += length * (p[k] + q[k]);
            }
        }
    }
    m->region.area = fabs(area) / 2;
    for (int k = 0; k < 3; k++) {
        if (fabs(area) > NO_AREA * weight * weight &&
            m->region.area > CANCELLED / 2 * region_vector_length(m->region.area_vector)) {
            centre[k] = sum[k] / (3 * area);
        } else if (weight > 0) {
            centre[k] = line[k] / (2 * weight);
        }
    }
    const double height = kiln_dot(n, centre), middle = m->lowest + (m->highest - m->lowest) / 2;
    for (int k = 0; k < 3; k++) {
        centre[k] += (middle - height) * n[k];
        m->region.centroid[k] = m->origin[k] + centre[k];
    }
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            for (int end = 0; end < 2 && r->segments[i].found; end++) {
                double from[3];
                kiln_subtract(r->segments[i].at[end], m->region.centroid, from);
                m->region.radius = fmax(m->region.radius, region_vector_length(from));
            }
        }
    }
}

/* A point of the world along the axes of a mesh and from its origin, in lengths of the world. */
static void place_in_mesh(const kiln_pose *pose, const double point[3], double out[3])
{
    kiln_placement placement;
    if (kiln_placement_form_any(&placement, pose) == KILN_OK) {
        kiln_placement_point(&placement, point, out);
        for (int k = 0; k < 3; k++) {
            const double *m = placement.carry.rotation + k;
            out[k] *= placement.affine ? sqrt((m[0] * m[0] + m[3] * m[3]) + m[6] * m[6])
                                       : kiln_pose_scale(pose);
        }
    }
}

void kiln_regions_measure_of(const kiln_regions *r, uint32_t root, kiln_regions_measure *m)
{
    const bool swapped = r->frame.swapped;
    kiln_region *region = &m->region;
    memset(m, 0, sizeof *m);
    region->touching = true;
    measure_curves(r, root, m);
    measure_extents(r, root, m);
    form_axes(m->along);
    region->depth = region->touching ? 0 : m->highest - m->lowest;
    measure_centroid(r, root, m);
    for (int k = 0; k < 3; k++) {
        region->normal[k] = swapped ? 0 - m->along[2][k] : m->along[2][k];
        region->area_vector[k] = swapped ? 0 - region->area_vector[k] : region->area_vector[k];
    }
    place_in_mesh(r->x.pose, region->centroid, swapped ? region->place_b : region->place_a);
    place_in_mesh(r->y.pose, region->centroid, swapped ? region->place_a : region->place_b);
}
