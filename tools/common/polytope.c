/* Boxes and k-DOPs as polytopes: the box is cut by one half-space after another (I. Sutherland and
 * G. Hodgman, "Reentrant polygon clipping", 1974, for each face). The new face lies in the cutting
 * plane; its ring are the points at which edges cross it, put in order by their angle about their
 * mean, which is inside a convex ring. A corner within a small distance of the plane counts as in
 * it, and points that close together are one: a slab that only touches the box adds no sliver.
 *
 * Sizes are sums over faces of pyramids with their top at the middle of the box. */
#include "polytope.h"

#include "../../formats/vector.h"

#include <math.h>

/* Of the size of the box: what counts as nothing. */
#define NEARLY 1e-9

static const double pi = 3.14159265358979323846;

static void make_box(const kiln_box *box, kiln_polytope *out)
{
    /* The ring of a face across axes u and v; of that on the negative side backwards. */
    static const double along[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    out->face_count = 6;
    for (unsigned f = 0; f < 6; f++) {
        const unsigned axis = f / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        const double side = f % 2 == 0 ? 1 : -1;
        out->face[f].corner_count = 4;
        for (unsigned c = 0; c < 4; c++) {
            const double *at = along[side > 0 ? c : 3 - c];
            for (unsigned k = 0; k < 3; k++) {
                out->face[f].corner[c][k] =
                    box->centre[k] + side * box->half[axis] * box->axis[axis][k] +
                    at[0] * box->half[u] * box->axis[u][k] + at[1] * box->half[v] * box->axis[v][k];
            }
        }
    }
}

/* Points of a cut; those that are there already are left out. */
typedef struct {
    unsigned count;
    double point[KILN_POLYTOPE_CORNERS][3];
} cut_ring;

static void add_point(cut_ring *ring, const double p[3], double nearly)
{
    for (unsigned i = 0; i < ring->count; i++) {
        double d[3];
        kiln_subtract(p, ring->point[i], d);
        if (kiln_dot(d, d) <= nearly * nearly) {
            return;
        }
    }
    KILN_ASSERT(ring->count < KILN_POLYTOPE_CORNERS);
    memcpy(ring->point[ring->count++], p, sizeof ring->point[0]);
}

/* Puts the points of a plane in counter-clockwise order about its normal. */
static void order_ring(cut_ring *ring, const double normal[3])
{
    double middle[3] = {0, 0, 0}, u[3], v[3], angle[KILN_POLYTOPE_CORNERS];
    for (unsigned i = 0; i < ring->count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            middle[k] += ring->point[i][k] / ring->count;
        }
    }
    kiln_subtract(ring->point[0], middle, u);
    kiln_cross(normal, u, v);
    const double u_length = sqrt(kiln_dot(u, u)), v_length = sqrt(kiln_dot(v, v));
    for (unsigned i = 0; i < ring->count; i++) {
        double d[3], point[3];
        kiln_subtract(ring->point[i], middle, d);
        memcpy(point, ring->point[i], sizeof point);
        const double own = atan2(kiln_dot(d, v) / v_length, kiln_dot(d, u) / u_length);
        unsigned at = i;
        for (; at > 0 && angle[at - 1] > own; at--) {
            angle[at] = angle[at - 1];
            memcpy(ring->point[at], ring->point[at - 1], sizeof point);
        }
        angle[at] = own;
        memcpy(ring->point[at], point, sizeof point);
    }
}

/* Keeps of a face what has normal . p <= most, and adds to the ring where it crosses. Returns the
 * corners that are left. */
static unsigned cut_face(kiln_polytope *of, unsigned f, const double normal[3], double most,
                         double nearly, cut_ring *ring)
{
    double kept[KILN_POLYTOPE_CORNERS][3];
    unsigned count = 0;
    const unsigned corners = of->face[f].corner_count;
    for (unsigned c = 0; c < corners; c++) {
        const double *p = of->face[f].corner[c], *q = of->face[f].corner[(c + 1) % corners];
        const double over_p = kiln_dot(normal, p) - most, over_q = kiln_dot(normal, q) - most;
        if (over_p <= nearly) {
            KILN_ASSERT(count < KILN_POLYTOPE_CORNERS);
            memcpy(kept[count++], p, sizeof kept[0]);
        }
        if (fabs(over_p) <= nearly) {
            add_point(ring, p, nearly);
        } else if (fabs(over_q) > nearly && (over_p > 0) != (over_q > 0)) {
            const double part = over_p / (over_p - over_q);
            double crossing[3];
            for (unsigned k = 0; k < 3; k++) {
                crossing[k] = p[k] + part * (q[k] - p[k]);
            }
            KILN_ASSERT(count < KILN_POLYTOPE_CORNERS);
            memcpy(kept[count++], crossing, sizeof kept[0]);
            add_point(ring, crossing, nearly);
        }
    }
    memcpy(of->face[f].corner, kept, count * sizeof kept[0]);
    return count;
}

/* Cuts by normal . p <= most. Faces of fewer than three corners go. */
static void cut(kiln_polytope *of, const double normal[3], double most, double nearly)
{
    cut_ring ring = {.count = 0};
    unsigned kept = 0;
    bool any = false; /* beyond the plane */
    for (unsigned f = 0; f < of->face_count; f++) {
        for (unsigned c = 0; c < of->face[f].corner_count; c++) {
            any = any || kiln_dot(normal, of->face[f].corner[c]) - most > nearly;
        }
    }
    for (unsigned f = 0; any && f < of->face_count; f++) {
        const unsigned corners = cut_face(of, f, normal, most, nearly, &ring);
        if (corners >= 3) {
            of->face[f].corner_count = corners;
            if (kept != f) {
                of->face[kept] = of->face[f];
            }
            kept++;
        }
    }
    if (any) {
        of->face_count = kept;
    }
    if (any && kept > 0 && ring.count >= 3) {
        KILN_ASSERT(of->face_count < KILN_POLYTOPE_FACES);
        order_ring(&ring, normal);
        of->face[kept].corner_count = ring.count;
        memcpy(of->face[kept].corner, ring.point, ring.count * sizeof ring.point[0]);
        of->face_count++;
    }
}

void kiln_polytope_of(const kiln_volume *volume, kiln_polytope *out)
{
    const double *half = volume->box.half;
    const double nearly = NEARLY * fmax(half[0], fmax(half[1], half[2]));
    KILN_ASSERT(!volume->kind->balls);
    make_box(&volume->box, out);
    for (unsigned j = 0; j < volume->slab_count; j++) {
        const double *n = volume->slab[j].normal;
        const double back[3] = {-n[0], -n[1], -n[2]};
        cut(out, n, volume->slab[j].half + volume->slab[j].centre, nearly);
        cut(out, back, volume->slab[j].half - volume->slab[j].centre, nearly);
    }
}

double kiln_volume_size(const kiln_volume *volume)
{
    const double *half = volume->box.half;
    if (volume->kind->balls) {
        return 4.0 / 3.0 * pi * half[0] * half[0] * half[0];
    }
    if (volume->slab_count == 0) {
        return 8 * half[0] * half[1] * half[2];
    }
    kiln_polytope polytope;
    double six = 0; /* times the size */
    kiln_polytope_of(volume, &polytope);
    for (unsigned f = 0; f < polytope.face_count; f++) {
        double a[3], b[3], c[3], cross[3];
        kiln_subtract(polytope.face[f].corner[0], volume->box.centre, a);
        for (unsigned i = 2; i < polytope.face[f].corner_count; i++) {
            kiln_subtract(polytope.face[f].corner[i - 1], volume->box.centre, b);
            kiln_subtract(polytope.face[f].corner[i], volume->box.centre, c);
            kiln_cross(b, c, cross);
            six += kiln_dot(a, cross);
        }
    }
    return six / 6;
}
