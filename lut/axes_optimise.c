/* Improves spherical coverings (axes_optimise.h).
 *
 * The covering radius of points is the largest angle between a corner of a facet of their hull and
 * the facet's normal: its cosine is the least distance h of a facet's plane from the origin. With
 * the foot of the normal at sum of l_i v_i, the l_i adding up to 1, moving corner v_i changes h by
 * l_i n . dv_i. What is ascended is not the least h, which has a gradient at a few points only, but
 * the soft minimum -1/b log(sum of exp(-b h)); b rises from a few times the number of points to
 * some ten thousand times, while steps get shorter. Directions are those of Adam (Kingma and Ba
 * 2015), with one size a point, so that axes of coordinates mean nothing. */
#include "axes_optimise.h"

#include "axes_hull.h"
#include "axes_math.h"

#include "../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const kiln_lut_ascent kiln_lut_ascent_search = {4000, 0.5, 1e-3, 100.0, 3000.0, false};
const kiln_lut_ascent kiln_lut_ascent_polish = {8000, 4e-3, 1e-8, 600.0, 4e6, false};

typedef struct {
    double normal[3], h;
    double share[3]; /* of each corner in the foot */
} facet_plane;

typedef struct {
    double mean[3], square; /* of the gradients of a point */
} momentum;

typedef struct {
    const kiln_lut_orbits *orbits;
    double (*first)[3]; /* orbits->first */
    kiln_lut_hull hull;
    uint32_t count;
    double (*points)[3];
    double (*gradients)[3]; /* of the points */
    double (*best)[3];      /* of the first points */
    facet_plane *planes;
    momentum *momenta;
    double least; /* h */
} ascending;

uint32_t kiln_lut_orbits_count(const kiln_lut_orbits *orbits)
{
    return orbits->moving * orbits->group->order + orbits->fixed;
}

void kiln_lut_orbits_expand(const kiln_lut_orbits *orbits, double (*points)[3])
{
    const kiln_lut_group *group = orbits->group;
    for (uint32_t i = 0; i < orbits->moving; i++) {
        for (uint32_t e = 0; e < group->order; e++, points++) {
            kiln_lut_turn_point(*points, &group->elements[e], orbits->first[i]);
            kiln_lut_to_sphere(*points);
        }
    }
    if (orbits->fixed > 0) {
        memcpy(points, orbits->staying, orbits->fixed * sizeof *points);
    }
}

/* False where points coincide. */
static bool measure_facet(facet_plane *plane, const double a[3], const double b[3],
                          const double c[3])
{
    double ab[3], ac[3], bb = 0.0, cc = 0.0, bc = 0.0, size = 0.0;
    for (unsigned j = 0; j < 3; j++) {
        ab[j] = b[j] - a[j];
        ac[j] = c[j] - a[j];
        bb += ab[j] * ab[j];
        cc += ac[j] * ac[j];
        bc += ab[j] * ac[j];
    }
    plane->normal[0] = ab[1] * ac[2] - ab[2] * ac[1];
    plane->normal[1] = ab[2] * ac[0] - ab[0] * ac[2];
    plane->normal[2] = ab[0] * ac[1] - ab[1] * ac[0];
    for (unsigned j = 0; j < 3; j++) {
        size += plane->normal[j] * plane->normal[j];
    }
    if (!(size > 1e-60)) {
        return false;
    }
    const double length = sqrt(size);
    plane->h = 0.0;
    for (unsigned j = 0; j < 3; j++) {
        plane->normal[j] /= length;
        plane->h += plane->normal[j] * a[j];
    }
    /* The circumcentre's barycentric coordinates. */
    plane->share[1] = 0.5 * cc * (bb - bc) / size;
    plane->share[2] = 0.5 * bb * (cc - bc) / size;
    plane->share[0] = 1.0 - plane->share[1] - plane->share[2];
    return true;
}

static bool make_hull(ascending *work)
{
    kiln_lut_hull_free(&work->hull);
    return kiln_lut_hull_make(&work->hull, (const double(*)[3])work->points, work->count);
}

/* Points, facets and planes of where the first points are. */
static bool measure_all(ascending *work, bool may_start_again)
{
    kiln_lut_hull *hull = &work->hull;
    kiln_lut_orbits_expand(work->orbits, work->points);
    if (!kiln_lut_hull_follow(hull) && !(may_start_again && make_hull(work))) {
        return false;
    }
    work->least = 2.0;
    for (uint32_t f = 0; f < hull->facet_count; f++) {
        const uint32_t *corners = hull->corners[f];
        if (!measure_facet(&work->planes[f], work->points[corners[0]], work->points[corners[1]],
                           work->points[corners[2]])) {
            return false;
        }
        work->least = fmin(work->least, work->planes[f].h);
    }
    return true;
}

/* The gradient of the soft minimum at each point. */
static void gather_gradients(ascending *work, double sharp)
{
    double sum = 0.0;
    memset(work->gradients, 0, work->count * sizeof *work->gradients);
    for (uint32_t f = 0; f < work->hull.facet_count; f++) {
        const facet_plane *plane = &work->planes[f];
        const double above = sharp * (plane->h - work->least);
        if (above > 40.0) {
            continue;
        }
        const double weight = kiln_lut_decay(above);
        sum += weight;
        for (unsigned i = 0; i < 3; i++) {
            double *gradient = work->gradients[work->hull.corners[f][i]];
            const double share = weight * plane->share[i];
            for (unsigned j = 0; j < 3; j++) {
                gradient[j] += share * plane->normal[j];
            }
        }
    }
    for (uint32_t i = 0; i < work->count; i++) {
        for (unsigned j = 0; j < 3; j++) {
            work->gradients[i][j] /= sum;
        }
    }
}

/* One step of all first points; `bias` are what Adam's means lack after few steps. */
static void move_points(ascending *work, double step, double mean_bias, double square_bias)
{
    const kiln_lut_group *group = work->orbits->group;
    for (uint32_t i = 0; i < work->orbits->moving; i++) {
        double *point = work->first[i], gradient[3] = {0}, size = 0.0, along = 0.0;
        for (uint32_t e = 0; e < group->order; e++) {
            double back[3];
            kiln_lut_turn_back(back, &group->elements[e], work->gradients[i * group->order + e]);
            for (unsigned j = 0; j < 3; j++) {
                gradient[j] += back[j];
            }
        }
        for (unsigned j = 0; j < 3; j++) {
            along += gradient[j] * point[j];
        }
        momentum *m = &work->momenta[i];
        for (unsigned j = 0; j < 3; j++) {
            gradient[j] -= along * point[j];
            size += gradient[j] * gradient[j];
            m->mean[j] = 0.9 * m->mean[j] + 0.1 * gradient[j];
        }
        m->square = 0.999 * m->square + 0.001 * size;
        const double scale = step / mean_bias / (sqrt(m->square / square_bias) + 1e-12);
        for (unsigned j = 0; j < 3; j++) {
            point[j] += scale * m->mean[j];
        }
        kiln_lut_to_sphere(point);
    }
}

/* The factor whose power `steps` is last / first. */
static double factor_of(double first, double last, uint32_t steps)
{
    double low = 0.25, high = 4.0;
    for (unsigned i = 0; i < 60; i++) { /* no libm */
        const double middle = 0.5 * (low + high);
        double power = first;
        for (uint32_t s = 0; s < steps && power > 1e-300 && power < 1e300; s++) {
            power *= middle;
        }
        if (power < last) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

static bool ascend(ascending *work, const kiln_lut_ascent *ascent)
{
    const kiln_lut_orbits *orbits = work->orbits;
    double step = ascent->first_step * sqrt(4.0 / work->count);
    double sharp = ascent->first_sharp * work->count, best = -1.0;
    const double shorten = factor_of(ascent->first_step, ascent->last_step, ascent->steps);
    const double sharpen = factor_of(ascent->first_sharp, ascent->last_sharp, ascent->steps);
    double mean_left = 1.0, square_left = 1.0;
    for (uint32_t s = 0;; s++) {
        if (!measure_all(work, !ascent->follow)) {
            return false;
        }
        if (work->least > best) {
            best = work->least;
            memcpy(work->best, work->first, orbits->moving * sizeof *work->best);
        }
        if (s == ascent->steps) {
            memcpy(work->first, work->best, orbits->moving * sizeof *work->best);
            work->least = best;
            return true;
        }
        gather_gradients(work, sharp);
        mean_left *= 0.9;
        square_left *= 0.999;
        move_points(work, step, 1.0 - mean_left, 1.0 - square_left);
        step *= shorten;
        sharp *= sharpen;
    }
}

bool kiln_lut_orbits_improve(const kiln_lut_orbits *orbits, double (*first)[3],
                             const kiln_lut_ascent *ascent, double *cosine)
{
    ascending work = {.orbits = orbits, .first = first, .count = kiln_lut_orbits_count(orbits)};
    const size_t moving = orbits->moving > 0 ? orbits->moving : 1;
    work.points = malloc(work.count * sizeof *work.points);
    work.gradients = malloc(work.count * sizeof *work.gradients);
    work.best = malloc(moving * sizeof *work.best);
    work.planes = malloc(2 * (size_t)work.count * sizeof *work.planes);
    work.momenta = calloc(moving, sizeof *work.momenta);
    bool done = work.points != NULL && work.gradients != NULL && work.best != NULL &&
                work.planes != NULL && work.momenta != NULL;
    if (done) {
        kiln_lut_orbits_expand(orbits, work.points);
        done = make_hull(&work) && ascend(&work, ascent);
    }
    *cosine = work.least;
    kiln_lut_hull_free(&work.hull);
    free(work.points);
    free(work.gradients);
    free(work.best);
    free(work.planes);
    free(work.momenta);
    return done;
}
