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

#define CANCELLED 0.05  /* of what curves have one by one */
#define NO_AREA 0x1p-40 /* of the square of the length */

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
    const double length = kiln_regions_vector_length(sum);
    for (int k = 0; k < 3; k++) {
        normal[k] = length > 0.1 ? sum[k] / length : deepest[k];
    }
}

/* Two axes across the normal: the same for it and its reverse, but for their signs. */
void kiln_regions_form_axes(double along[3][3])
{
    const double *n = along[2];
    int least = 0;
    for (int k = 1; k < 3; k++) {
        least = fabs(n[k]) < fabs(n[least]) ? k : least;
    }
    double axis[3] = {0, 0, 0};
    axis[least] = 1;
    kiln_cross(n, axis, along[0]);
    const double length = kiln_regions_vector_length(along[0]);
    for (int k = 0; k < 3; k++) {
        along[0][k] /= length;
    }
    kiln_cross(n, along[0], along[1]);
}

/* How far along a direction the middle of a mesh's box is. */
static double middle_along(const kiln_regions_mesh *mesh, const double way[3],
                           const double origin[3])
{
    const kiln_tree_info info = kiln_tree_get_info(mesh->of->tree);
    kiln_regions_height along;
    float middle[3];
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5F * info.bounds_lower[k] + 0.5F * info.bounds_upper[k];
    }
    kiln_regions_height_form(mesh, way, origin, &along);
    return kiln_regions_height_at(&along, middle);
}

/* Area, length and the direction from Y to X. Curves that cancel each other, as the two of a bar
 * through a plate, have the direction of the largest; of the two ways along it that in which X's
 * middle lies from Y's, since the curves would tell by what is left of rounding. */
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
        const double area = kiln_regions_vector_length(sum.area);
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
    const double net = kiln_regions_vector_length(all.area);
    if (!(each > NO_AREA * all.length * all.length)) {
        normal_of_pairs(r, root, m->along[2], m->origin, !found);
    } else if (net >= CANCELLED * each) {
        for (int k = 0; k < 3; k++) {
            m->along[2][k] = 2 * sign * all.area[k] / net;
        }
    } else {
        for (int k = 0; k < 3; k++) {
            m->along[2][k] = 2 * sign * largest[k] / most;
        }
        if (middle_along(&r->x, m->along[2], m->origin) <
            middle_along(&r->y, m->along[2], m->origin)) {
            for (int k = 0; k < 3; k++) {
                m->along[2][k] = -m->along[2][k];
            }
        }
    }
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
            const double part = kiln_dot(n, product), length = kiln_regions_vector_length(step);
            area += part;
            weight += length;
            for (int k = 0; k < 3; k++) {
                sum[k] += part * (p[k] + q[k]);
                line[k] += length * (p[k] + q[k]);
            }
        }
    }
    const bool shares = m->region.area > 0;
    m->region.area = shares ? m->region.area : fabs(area) / 2;
    for (int k = 0; k < 3; k++) {
        if (shares) {
            centre[k] = m->common[k];
        } else if (fabs(area) > NO_AREA * weight * weight &&
                   m->region.area >
                       CANCELLED / 2 * kiln_regions_vector_length(m->region.area_vector)) {
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
                if (kiln_regions_end_is_new(&r->segments[i], end)) {
                    kiln_subtract(r->segments[i].at[end], m->region.centroid, from);
                    m->region.radius = fmax(m->region.radius, kiln_regions_vector_length(from));
                }
            }
            double polygon[KILN_REGIONS_CORNERS][3];
            const int corners = shares ? kiln_regions_common_of(r, i, polygon) : 0;
            for (int corner = 0; corner < corners; corner++) {
                double from[3];
                kiln_subtract(polygon[corner], m->region.centroid, from);
                m->region.radius = fmax(m->region.radius, kiln_regions_vector_length(from));
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

void kiln_regions_measure_of(kiln_regions *r, uint32_t root, kiln_regions_measure *m)
{
    const bool swapped = r->frame.swapped;
    kiln_region *region = &m->region;
    memset(m, 0, sizeof *m);
    region->touching = true;
    measure_curves(r, root, m);
    if (kiln_regions_ends_at_border(r, m)) {
        kiln_regions_measure_common(r, root, m);
    }
    kiln_regions_measure_extents(r, root, m);
    kiln_regions_form_axes(m->along);
    region->depth = region->touching ? 0 : m->highest - m->lowest;
    measure_centroid(r, root, m);
    for (int k = 0; k < 3; k++) {
        region->normal[k] = swapped ? 0 - m->along[2][k] : m->along[2][k];
        region->area_vector[k] = swapped ? 0 - region->area_vector[k] : region->area_vector[k];
    }
    place_in_mesh(r->x.pose, region->centroid, swapped ? region->place_b : region->place_a);
    place_in_mesh(r->y.pose, region->centroid, swapped ? region->place_a : region->place_b);
}
