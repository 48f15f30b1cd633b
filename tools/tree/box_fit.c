/* Fits of oriented boxes by one rule each, as the literature has them, instead of the search of
 * lane_obb.c and rotation.c, which takes the best of several.
 *
 * vertices: along the covariance of the corners, each once a triangle (S. Gottschalk, M. Lin and D.
 *     Manocha, "OBBTree", 1996, as lectures repeat it): corners inside and dense parts pull at it.
 * areas: along the covariance of the surface, which does not depend on how it is triangulated.
 * hull-vertices: along the covariance of the corners of the convex hull: what is inside is no
 *     matter, dense parts of the hull still are.
 * hull-facets: along the covariance of the hull's surface (S. Gottschalk, "Collision queries using
 *     oriented bounding boxes", 2000): neither is.
 * volume: near the least volume. The least box has two sides on edges of the hull (J. O'Rourke,
 *     "Finding minimal enclosing boxes", 1985), at an angle that is not known. Tried are those with
 *     a side on a facet of the hull and the least rectangle along its normal, which has a side on
 *     an edge of the hull's outline (H. Freeman and R. Shapira, 1975), and those along the object
 *     axes and the hull's covariance; the STARTS best are rotated by ever smaller angles as long as
 *     that makes them smaller. The hull is cut short at VOLUME_CORNERS corners, so that a box costs
 *     the same whatever number of triangles is in it.
 *
 * A box may be fitted to its triangles, or to the boxes of its two sides in the binary tree: 16
 * corners, whatever is below them, so each node costs the same. It is then looser by what the
 * sides' boxes are.
 *
 * Corners of a box are computed from axes that are orthonormal to 2^-22 only, so that what is in
 * the box may stick out of the box of its corners by that share of its coordinates. Extents of a
 * parent get 2^-20 of them as room, unless both boxes have the same orientation: then extents along
 * the same axes are joined, and nothing is lost. Boxes of boxes can grow by a factor with every
 * level, so one that has more surface than the triangles' box along the object axes, or an edge
 * longer than that one's diagonal, gives way to it. */
#include "box_fit.h"

#include "../../formats/assert.h"
#include "../../formats/nodes.h"
#include "../../formats/vector.h"
#include "first_fit.h"
#include "hull.h"
#include "rotation.h"

#include <math.h>
#include <string.h>

enum {
    HULL_CORNERS = 1024,
    VOLUME_CORNERS = 48,
    OUTLINE_MOST = 2 * VOLUME_CORNERS, /* of the two chains of an outline */
    STARTS = 4,
    ANGLES = 8,      /* 20 degrees, halved */
    ANGLE_ROUNDS = 8 /* at each */
};

/* What a box is fitted to: triangles, or points. */
typedef struct {
    const kiln_cloud *cloud;
    uint32_t first, last;
    const kiln_measure *measure; /* of the triangles */
    const kiln_points *points;   /* NULL: the triangles */
} subject;

/* ---------------------------------------------------------------------------- covariances -- */

/* Adds a point about `middle`, near which all are, so that no large squares are subtracted. */
static void add_point(kiln_moments *sums, const double middle[3], const double p[3])
{
    const double d[3] = {p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]};
    for (unsigned k = 0; k < 3; k++) {
        sums->mean[k] += d[k];
        sums->spread[k] += d[k] * d[k];
    }
    sums->weight += 1;
    sums->spread[3] += d[1] * d[2];
    sums->spread[4] += d[0] * d[2];
    sums->spread[5] += d[0] * d[1];
}

static void axes_of_sums(kiln_moments *sums, double axis[3][3])
{
    const double *s = sums->mean, n = kiln_larger(sums->weight, 1);
    for (unsigned k = 0; k < 3; k++) {
        sums->spread[k] -= s[k] * s[k] / n;
    }
    sums->spread[3] -= s[1] * s[2] / n;
    sums->spread[4] -= s[0] * s[2] / n;
    sums->spread[5] -= s[0] * s[1] / n;
    kiln_moments_axes(sums, axis);
}

static void axes_of_vertices(const subject *s, double axis[3][3])
{
    kiln_moments sums = kiln_moments_none;
    double middle[3], p[3];
    for (unsigned k = 0; k < 3; k++) {
        const kiln_extents *bounds = s->measure != NULL ? &s->measure->bounds : NULL;
        middle[k] =
            bounds != NULL ? 0.5 * (bounds->lower[k] + bounds->upper[k]) : s->points->at[k][0];
    }
    for (unsigned i = 0; s->points != NULL && i < s->points->count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            p[k] = s->points->at[k][i];
        }
        add_point(&sums, middle, p);
    }
    for (uint32_t t = s->first; s->points == NULL && t < s->last; t++) {
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned k = 0; k < 3; k++) {
                p[k] = kiln_frame_apply(&s->cloud->frame, k, s->cloud->records[t].corner[i][k]);
            }
            add_point(&sums, middle, p);
        }
    }
    axes_of_sums(&sums, axis);
}

/* A line has no facets, so its axes are those of its ends. */
static void axes_of_hull(const kiln_hull *hull, bool of_facets, double axis[3][3])
{
    kiln_moments moments = kiln_moments_none;
    KILN_ASSERT(hull->corner_count > 0);
    if (!of_facets || hull->face_count == 0) {
        for (uint32_t i = 0; i < hull->corner_count; i++) {
            if (hull->is_extreme[i]) {
                add_point(&moments, hull->corners[0], hull->corners[i]);
            }
        }
        axes_of_sums(&moments, axis);
        return;
    }
    for (uint32_t f = 0; f < hull->face_count; f++) {
        double p[3][3];
        kiln_moments one;
        for (unsigned i = 0; i < 3; i++) {
            memcpy(p[i], hull->corners[hull->faces[f][i]], sizeof p[i]);
        }
        kiln_moments_of_triangle(p, &one);
        kiln_moments_join(&moments, &one);
    }
    kiln_moments_axes(&moments, axis);
}

/* --------------------------------------------------------------------------- least volume -- */

typedef struct {
    double axis[3][3], volume;
} tried_box;

/* The best so far, the least first. */
typedef struct {
    tried_box best[STARTS];
} least;

/* The volume of the box with these edges, and a millionth of its surface and its length, so that
 * flat boxes are compared by surface and thin ones by length. */
static double volume_of(const double edge[3])
{
    const double length = (edge[0] + edge[1]) + edge[2];
    const double surface = (edge[0] * edge[1] + edge[1] * edge[2]) + edge[2] * edge[0];
    return (edge[0] * edge[1]) * edge[2] +
           0x1p-20 * (length * (surface + 0x1p-20 * (length * length)));
}

static double volume_along(const kiln_hull *hull, double axis[3][3])
{
    double edge[3];
    for (unsigned k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < hull->corner_count; i++) {
            const double at = kiln_dot(axis[k], hull->corners[i]);
            low = kiln_smaller(at, low);
            high = kiln_larger(at, high);
        }
        edge[k] = high - low;
    }
    return volume_of(edge);
}

static void try_box(const kiln_hull *hull, double axis[3][3], least *list)
{
    tried_box one;
    unsigned at = STARTS;
    one.volume = volume_along(hull, axis);
    memcpy(one.axis, axis, sizeof one.axis);
    while (at > 0 && kiln_area_beats(one.volume, list->best[at - 1].volume)) {
        if (at < STARTS) {
            list->best[at] = list->best[at - 1];
        }
        at--;
    }
    if (at < STARTS) {
        list->best[at] = one;
    }
}

/* Rotates a box about each of its axes in turn, both ways, while that makes it smaller. */
static void improve(const kiln_hull *hull, tried_box *box)
{
    /* Rational: cosine and sine of an angle whose half has the tangent t. */
    double t = 0.176;
    for (unsigned angle = 0; angle < ANGLES; angle++, t *= 0.5) {
        const double c = (1 - t * t) / (1 + t * t), s = 2 * t / (1 + t * t);
        bool moved = true;
        for (unsigned round = 0; round < ANGLE_ROUNDS && moved; round++) {
            moved = false;
            for (unsigned i = 0; i < 6; i++) {
                const unsigned p = (i / 2 + 1) % 3, q = (i / 2 + 2) % 3;
                const double sine = i % 2 == 0 ? s : -s;
                tried_box turned = *box;
                for (unsigned k = 0; k < 3; k++) {
                    turned.axis[p][k] = c * box->axis[p][k] + sine * box->axis[q][k];
                    turned.axis[q][k] = c * box->axis[q][k] - sine * box->axis[p][k];
                }
                turned.volume = volume_along(hull, turned.axis);
                if (kiln_area_beats(turned.volume, box->volume)) {
                    *box = turned;
                    moved = true;
                }
            }
        }
    }
}

/* A vector of length 1; false where it has none. */
static bool normalise(double v[3])
{
    const double length = sqrt(kiln_dot(v, v));
    if (!(length > 0x1p-500)) {
        return false;
    }
    for (unsigned k = 0; k < 3; k++) {
        v[k] /= length;
    }
    return true;
}

/* The corners of the outline of points in a plane, along its two chains (A. M. Andrew, 1979). Its
 * roundings may keep a corner that is none, which is one edge more to be tried. */
static unsigned outline_of(double points[][2], unsigned count, double outline[OUTLINE_MOST + 2][2])
{
    unsigned kept = 0;
    for (unsigned i = 1; i < count; i++) {
        const double x = points[i][0], y = points[i][1];
        unsigned at = i;
        for (;
             at > 0 && (points[at - 1][0] > x || (points[at - 1][0] == x && points[at - 1][1] > y));
             at--) {
            memcpy(points[at], points[at - 1], sizeof points[at]);
        }
        points[at][0] = x;
        points[at][1] = y;
    }
    for (unsigned chain = 0; chain < 2; chain++) {
        const unsigned start = kept;
        for (unsigned i = 0; i < count; i++) {
            const double *p = points[chain == 0 ? i : count - 1 - i];
            while (kept >= start + 2) {
                const double *a = outline[kept - 2], *b = outline[kept - 1];
                if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) {
                    break;
                }
                kept--;
            }
            KILN_ASSERT(kept < OUTLINE_MOST + 2);
            memcpy(outline[kept++], p, sizeof outline[0]);
        }
    }
    return kept;
}

/* Boxes with a side across `normal`. */
static void try_normal(const kiln_hull *hull, const double normal[3], least *best)
{
    double points[VOLUME_CORNERS + 1][2], outline[OUTLINE_MOST + 2][2], axis[3][3], u[3], v[3];
    const unsigned count = hull->corner_count;
    KILN_ASSERT(count <= VOLUME_CORNERS + 1);

    /* Any two axes across the normal. */
    unsigned least_axis = 0;
    for (unsigned k = 1; k < 3; k++) {
        least_axis = fabs(normal[k]) < fabs(normal[least_axis]) ? k : least_axis;
    }
    double e[3] = {0, 0, 0};
    e[least_axis] = 1;
    kiln_cross(normal, e, u);
    (void)normalise(u); /* at least sqrt(2/3) long */
    kiln_cross(normal, u, v);
    for (unsigned i = 0; i < count; i++) {
        points[i][0] = kiln_dot(u, hull->corners[i]);
        points[i][1] = kiln_dot(v, hull->corners[i]);
    }
    const unsigned corners = outline_of(points, count, outline);

    /* Of the rectangles with a side along an edge the one of least area. */
    double area_least = INFINITY, direction[2] = {1, 0};
    for (unsigned i = 0; i < corners; i++) {
        const double *p = outline[i], *q = outline[(i + 1) % corners];
        const double x = q[0] - p[0], y = q[1] - p[1], length = sqrt(x * x + y * y);
        if (!(length > 0)) {
            continue;
        }
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (unsigned j = 0; j < corners; j++) {
            const double along[2] = {(outline[j][0] * x + outline[j][1] * y) / length,
                                     (outline[j][1] * x - outline[j][0] * y) / length};
            for (unsigned k = 0; k < 2; k++) {
                low[k] = kiln_smaller(along[k], low[k]);
                high[k] = kiln_larger(along[k], high[k]);
            }
        }
        const double a = high[0] - low[0], b = high[1] - low[1];
        const double area = a * b + 0x1p-20 * ((a + b) * (a + b));
        if (kiln_area_beats(area, area_least)) {
            area_least = area;
            direction[0] = x / length;
            direction[1] = y / length;
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        axis[0][k] = u[k] * direction[0] + v[k] * direction[1];
        axis[2][k] = normal[k];
    }
    kiln_cross(axis[2], axis[0], axis[1]);
    try_box(hull, axis, best);
}

/* A line has no facets: its axes are its own, as its covariance has them. */
static void axes_of_volume(const kiln_hull *hull, double axis[3][3])
{
    static const tried_box none = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, INFINITY};
    least list;
    for (unsigned i = 0; i < STARTS; i++) {
        list.best[i] = none;
    }
    tried_box best = none;
    try_box(hull, best.axis, &list);
    axes_of_hull(hull, false, axis);
    try_box(hull, axis, &list);
    for (uint32_t f = 0; f < hull->face_count; f++) {
        double u[3], v[3], normal[3];
        const uint32_t *corner = hull->faces[f];
        kiln_subtract(hull->corners[corner[1]], hull->corners[corner[0]], u);
        kiln_subtract(hull->corners[corner[2]], hull->corners[corner[0]], v);
        kiln_cross(u, v, normal);
        if (normalise(normal)) {
            try_normal(hull, normal, &list);
        }
    }
    for (unsigned i = 0; i < STARTS && list.best[i].volume < INFINITY; i++) {
        improve(hull, &list.best[i]);
        best = kiln_area_beats(list.best[i].volume, best.volume) ? list.best[i] : best;
    }
    memcpy(axis, best.axis, sizeof best.axis);
}

/* -------------------------------------------------------------------------------- the fit -- */

/* Axes by a rule; `search` is no rule for them. False: out of memory. */
static bool choose_axes(kiln_box_fit rule, const subject *s, double axis[3][3])
{
    kiln_hull hull;
    if (rule == KILN_BOX_FIT_VERTICES) {
        axes_of_vertices(s, axis);
        return true;
    }
    if (rule == KILN_BOX_FIT_AREAS) {
        kiln_moments_axes(&s->measure->moments, axis);
        return true;
    }
    const uint32_t most = rule == KILN_BOX_FIT_VOLUME ? VOLUME_CORNERS : HULL_CORNERS;
    const bool made = s->points != NULL ? kiln_hull_of_points(s->points, most, &hull)
                                        : kiln_hull_of_cloud(s->cloud, s->first, s->last,
                                                             &s->measure->bounds, most, &hull);
    if (!made) {
        return false;
    }
    if (rule == KILN_BOX_FIT_VOLUME) {
        axes_of_volume(&hull, axis);
    } else {
        axes_of_hull(&hull, rule == KILN_BOX_FIT_HULL_FACETS, axis);
    }
    kiln_hull_free(&hull);
    return true;
}

bool kiln_box_fit_axes_of_points(kiln_box_fit rule, const kiln_points *points, double axis[3][3])
{
    const subject s = {.points = points};
    KILN_ASSERT(rule != KILN_BOX_FIT_SEARCH && rule != KILN_BOX_FIT_AREAS);
    return choose_axes(rule, &s, axis);
}

/* Notes that memory is short, and leaves axes that are sound. */
static void choose_rotation(const kiln_box_fits *fits, const subject *s, float rotation[3])
{
    double axis[3][3];
    if (!choose_axes(fits->rule, s, axis)) {
        atomic_store(fits->out_of_memory, true);
        memset(rotation, 0, 3 * sizeof *rotation);
        return;
    }
    kiln_rotation_steps(axis, fits->finest, rotation);
}

static void fit_leaf(const kiln_cloud *cloud, uint32_t first, uint32_t last, kiln_fitted_box *box)
{
    const kiln_box_fits *fits = cloud->fits;
    kiln_measure measure;
    float axis[3][3];
    kiln_measure_triangles(cloud, first, last, true, &measure);
    if (fits->rule == KILN_BOX_FIT_SEARCH) {
        kiln_fit fit;
        kiln_fit_obb(cloud, first, last, &measure.bounds, &measure.moments, &fit);
        for (unsigned k = 0; k < 3; k++) {
            box->rotation[k] = (float)fit.rotation[k];
        }
        if (!cloud->quick) {
            kiln_refine_obb(cloud, first, last, fits->finest, box->rotation, &box->extents);
        }
    } else {
        const subject s = {cloud, first, last, &measure, NULL};
        choose_rotation(fits, &s, box->rotation);
    }
    kiln_rodrigues_steps(box->rotation[0], box->rotation[1], box->rotation[2], axis);
    kiln_cloud_extents(cloud, first, last, axis, &box->extents);
}

void kiln_box_fit_get(const kiln_cloud *cloud, const kiln_range *range, kiln_fitted_box *box)
{
    const kiln_box_fits *fits = cloud->fits;
    if (kiln_is_leaf(fits->tree, range)) {
        fit_leaf(cloud, range->first, range->last, box);
    } else {
        *box = fits->inner[range->split];
    }
}

/* -------------------------------------------------------------------------- of two boxes -- */

static void add_corners(const kiln_fitted_box *box, unsigned first, kiln_points *points)
{
    float axis[3][3];
    kiln_rodrigues_steps(box->rotation[0], box->rotation[1], box->rotation[2], axis);
    for (unsigned c = 0; c < 8; c++) {
        for (unsigned k = 0; k < 3; k++) {
            double at = 0;
            for (unsigned j = 0; j < 3; j++) {
                at += ((c >> j & 1) != 0 ? box->extents.upper[j] : box->extents.lower[j]) *
                      (double)axis[j][k];
            }
            points->at[k][first + c] = at;
        }
    }
}

/* The room for what the axes' roundings let stick out of a box of a box's corners. */
static double room_for(const kiln_extents *extents)
{
    double sum = 0;
    for (unsigned k = 0; k < 3; k++) {
        sum += kiln_larger(fabs(extents->lower[k]), fabs(extents->upper[k]));
    }
    return 0x1p-20 * sum;
}

/* The box of two boxes in an orientation. */
static void bound_sides(const kiln_fitted_box side[2], kiln_fitted_box *box)
{
    float axis[3][3];
    kiln_rodrigues_steps(box->rotation[0], box->rotation[1], box->rotation[2], axis);
    kiln_extents_clear(&box->extents);
    for (unsigned s = 0; s < 2; s++) {
        kiln_extents part = side[s].extents;
        const float *r = side[s].rotation;
        if (r[0] != box->rotation[0] || r[1] != box->rotation[1] || r[2] != box->rotation[2]) {
            kiln_points corners = {.count = 8};
            add_corners(&side[s], 0, &corners);
            kiln_points_extents(&corners, axis, &part);
            const double room = room_for(&side[s].extents);
            for (unsigned k = 0; k < 3; k++) {
                part.lower[k] -= room;
                part.upper[k] += room;
            }
        }
        kiln_extents_join(&box->extents, &part);
    }
}

/* The rule on the corners of both boxes; the search takes the best of the surface's axes, the
 * object's and those of the sides, and goes down from there. */
static void fit_to_sides(const kiln_cloud *cloud, const kiln_range *range,
                         const kiln_measure *measure, kiln_fitted_box *box)
{
    const kiln_box_fits *fits = cloud->fits;
    kiln_range range_of[2];
    kiln_fitted_box side[2];
    kiln_points points = {.count = 16};
    kiln_sides(fits->tree, range, range_of);
    for (unsigned s = 0; s < 2; s++) {
        kiln_box_fit_get(cloud, &range_of[s], &side[s]);
        add_corners(&side[s], 8 * s, &points);
    }
    if (fits->rule != KILN_BOX_FIT_SEARCH) {
        /* Surfaces have no corners of boxes: their covariance is that of the triangles. */
        const subject s = {cloud, range->first, range->last, measure, &points};
        choose_rotation(fits, &s, box->rotation);
        bound_sides(side, box);
        return;
    }
    double axis[3][3], best = INFINITY;
    float candidate[4][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    kiln_moments_axes(&measure->moments, axis);
    kiln_rotation_steps(axis, fits->finest, candidate[1]);
    memcpy(candidate[2], side[0].rotation, sizeof candidate[2]);
    memcpy(candidate[3], side[1].rotation, sizeof candidate[3]);
    for (unsigned i = 0; i < 8; i++) {
        kiln_fitted_box one;
        float *rotation = candidate[i / 2];
        if (i % 2 == 1 && !cloud->quick) {
            kiln_descend_obb(&points, fits->finest, rotation);
        }
        memcpy(one.rotation, rotation, sizeof one.rotation);
        bound_sides(side, &one);
        const double area = kiln_extents_half_area(&one.extents);
        if (kiln_area_beats(area, best)) {
            best = area;
            *box = one;
        }
    }
}

/* Replaces a box that has grown too much by the one along the object axes. */
static void hold(const kiln_extents *bounds, kiln_fitted_box *box)
{
    double diagonal = 0, longest = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double edge = bounds->upper[k] - bounds->lower[k];
        diagonal += edge * edge;
        longest = kiln_larger(box->extents.upper[k] - box->extents.lower[k], longest);
    }
    const bool grown = kiln_extents_half_area(bounds) < kiln_extents_half_area(&box->extents) ||
                       longest * longest > diagonal;
    if (grown) {
        memset(box->rotation, 0, sizeof box->rotation);
        box->extents = *bounds;
    }
}

void kiln_box_fit_node(const kiln_cloud *cloud, const kiln_range *range,
                       const kiln_measure *measure, kiln_binary_node *node)
{
    const kiln_box_fits *fits = cloud->fits;
    kiln_fitted_box *box = &fits->inner[range->split];
    KILN_ASSERT(range->split > range->first && range->split < range->last);
    if (cloud->of_children) {
        fit_to_sides(cloud, range, measure, box);
        hold(&measure->bounds, box);
    } else {
        const subject s = {cloud, range->first, range->last, measure, NULL};
        float axis[3][3];
        choose_rotation(fits, &s, box->rotation);
        kiln_rodrigues_steps(box->rotation[0], box->rotation[1], box->rotation[2], axis);
        kiln_cloud_extents(cloud, range->first, range->last, axis, &box->extents);
    }
    node->half_area = (float)kiln_extents_half_area(&box->extents);
}
