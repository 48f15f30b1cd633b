/* Sphere trees about the medial axis, after P. Hubbard, "Approximating polyhedra with spheres for
 * time-critical collision detection", 1996, and G. Bradshaw and C. O'Sullivan, "Adaptive
 * medial-axis approximation for sphere-tree construction", 2004.
 *
 * A ball whose centre lies on the medial axis touches the surface at several places, so it bounds
 * much of it and sticks out little. Both papers take the Voronoi vertices of points on the surface
 * that lie inside. Here a ball is shrunk at each point, along the normal, until it is empty: J. Ma,
 * S. Bae and S. Choi, "3D medial axis point approximation using nearest neighbors and the normal
 * field", 2012. That gives the same axis, needs no hull of points in general position, and gives
 * the same bits on every machine, which the Voronoi diagrams of libraries do not.
 *
 * From the root down, the triangles of a node get up to 24 of their medial balls, chosen such that
 * none of them is far from all; the balls are merged, the pair first by which the parts of balls
 * outside the object grow least, down to eight; these are fitted: each triangle goes to the ball
 * that it reaches beyond by the least, each ball to the best of some centres, and again.
 *
 * Where a surface is open or flat, or its triangles do not agree about inside and outside, there
 * may be no medial ball. Balls about the surface itself stand in: as these are free by nothing, the
 * smallest ones win. So every mesh has a tree. */
#include "spheres.h"

#include "../../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES_LEAST = 3000,      /* points on the surface besides one a triangle */
    SAMPLES_A_TRIANGLE = 4096, /* at most */
    SHRINKS_MOST = 32,
    SEEDS_MOST = 24,
    ITEMS_MOST = 2048, /* triangles by which merging and fitting judge balls */
    FIT_ROUNDS = 3,
    FIT_CENTRES = 12,
    LANES = 8,
    SAMPLE_CHUNK = 512
};

/* A chord shorter than this many radii spans less than 30 degrees: the point at its end is on the
 * same side of the surface, which is faceted, and not across the object. */
static const double chord_least = 0.5176380902;

/* A ball counts as empty if this share of it is. */
static const double empty = 0.998;

typedef struct {
    double at[3], inward[3]; /* inward: of length 1, or zeros */
    uint32_t triangle;
} sample;

/* Of a range of samples whose middle it stands at: its box, and the axis by which that parts it. */
typedef struct {
    float lower[3], upper[3];
    unsigned axis;
} sample_box;

typedef struct {
    kiln_sphere_job *job;
    sample *samples;   /* in the order of a k-d tree: see order_samples */
    sample_box *boxes; /* of ranges, by their middles */
    uint32_t sample_count;
    double radius_most; /* of a ball inside: half the diagonal of the bounds */
    kiln_ball *own;     /* of samples, then by triangle: a medial ball, radius: free of surface */
    kiln_ball *medial;
    float *beyond; /* by place: how far a triangle is from the nearest seed's ball */
    /* Triangles that a node is judged by, as lists of the balls they belong to. */
    uint32_t item[2 * ITEMS_MOST], next[2 * ITEMS_MOST];
} axis_job;

static double dot(const double p[3], const double q[3])
{
    return (p[0] * q[0] + p[1] * q[1]) + p[2] * q[2];
}

static double squared_distance(const double p[3], const double q[3])
{
    const double way[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    return dot(way, way);
}

/* -------------------------------------------------------------------------------- samples -- */

static void corners_of(const axis_job *a, uint32_t place, double corner[3][3])
{
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned k = 0; k < 3; k++) {
            corner[c][k] =
                kiln_frame_apply(&a->job->cloud.frame, k, a->job->records[place].corner[c][k]);
        }
    }
}

/* Twice the area, as a vector along the normal. */
static void normal_of(double corner[3][3], double normal[3])
{
    double p[3], q[3];
    for (unsigned k = 0; k < 3; k++) {
        p[k] = corner[1][k] - corner[0][k];
        q[k] = corner[2][k] - corner[0][k];
    }
    for (unsigned k = 0; k < 3; k++) {
        const unsigned k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        normal[k] = p[k1] * q[k2] - p[k2] * q[k1];
    }
}

/* Points of a triangle: its middle alone, or a sequence that is even over a square, folded. */
static void sample_triangle(const axis_job *a, uint32_t place, uint32_t count, double sign,
                            sample *out)
{
    double corner[3][3], normal[3];
    corners_of(a, place, corner);
    normal_of(corner, normal);
    const double length = sqrt(dot(normal, normal));
    for (uint32_t i = 0; i < count; i++) {
        double u = 1.0 / 3, v = 1.0 / 3;
        if (count > 1) {
            u = fmod(0.5 + (i + 1) * 0.7548776662466927, 1);
            v = fmod(0.5 + (i + 1) * 0.5698402909980532, 1);
            if (u + v > 1) {
                u = 1 - u;
                v = 1 - v;
            }
        }
        out[i].triangle = a->job->records[place].triangle;
        for (unsigned k = 0; k < 3; k++) {
            out[i].at[k] = corner[0][k] + u * (corner[1][k] - corner[0][k]) +
                           v * (corner[2][k] - corner[0][k]);
            out[i].inward[k] = length > 0 ? -sign * normal[k] / length : 0;
        }
    }
}

/* Puts the sample of rank `middle` there, those that are not greater before it (Wirth's form of
 * Hoare's selection). */
static void select_sample(sample *samples, int64_t first, int64_t last, int64_t middle,
                          unsigned axis)
{
    KILN_ASSERT(first <= middle && middle <= last);
    while (first < last) {
        const double pivot = samples[middle].at[axis];
        int64_t i = first, j = last;
        while (i <= j) {
            while (samples[i].at[axis] < pivot) {
                i++;
            }
            while (pivot < samples[j].at[axis]) {
                j--;
            }
            if (i <= j) {
                const sample other = samples[i];
                samples[i++] = samples[j];
                samples[j--] = other;
            }
        }
        first = j < middle ? i : first;
        last = middle < i ? j : last;
    }
}

/* A k-d tree without pointers: the middle of a range parts it along the axis on which it is
 * longest. At most 32 deep. */
static void order_samples(axis_job *a, uint32_t first, uint32_t last)
{
    if (first >= last) {
        return;
    }
    const uint32_t middle = first + (last - first) / 2;
    sample_box box = {.axis = 0};
    double longest = -1;
    for (unsigned k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = first; i < last; i++) {
            low = fmin(low, a->samples[i].at[k]);
            high = fmax(high, a->samples[i].at[k]);
        }
        box.lower[k] = (float)low;
        box.upper[k] = (float)high;
        box.axis = high - low > longest ? k : box.axis;
        longest = fmax(longest, high - low);
    }
    select_sample(a->samples, first, (int64_t)last - 1, middle, box.axis);
    a->boxes[middle] = box;
    order_samples(a, first, middle);
    order_samples(a, middle + 1, last);
}

typedef struct {
    const double *from;
    uint32_t without, index; /* UINT32_MAX: none */
    double squared;          /* only what is nearer is looked for */
} nearest;

/* How far a point is from the box of a range, squared. */
static double squared_from(const sample_box *box, const double from[3])
{
    double squared = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double below = (double)box->lower[k] - from[k];
        const double above = from[k] - (double)box->upper[k];
        const double way = below > 0 ? below : above > 0 ? above : 0;
        squared += way * way;
    }
    return squared;
}

static void find_nearest(const axis_job *a, uint32_t first, uint32_t last, nearest *n)
{
    while (first < last) {
        const uint32_t middle = first + (last - first) / 2;
        const sample *s = &a->samples[middle];
        const sample_box *box = &a->boxes[middle];
        if (squared_from(box, n->from) >= n->squared) {
            return;
        }
        const double squared = squared_distance(s->at, n->from);
        if (squared < n->squared && middle != n->without) {
            n->squared = squared;
            n->index = middle;
        }
        if (n->from[box->axis] < s->at[box->axis]) {
            find_nearest(a, first, middle, n);
            first = middle + 1;
        } else {
            find_nearest(a, middle + 1, last, n);
            last = middle;
        }
    }
}

/* The nearest sample within a distance. */
static nearest nearest_to(const axis_job *a, const double from[3], uint32_t without, double within)
{
    nearest n = {from, without, UINT32_MAX, within * within};
    find_nearest(a, 0, a->sample_count, &n);
    return n;
}

/* How far the surface is from a point, as far as the nearest sample has it inside; else 0. */
static double free_at(const axis_job *a, const double at[3])
{
    const nearest n = nearest_to(a, at, UINT32_MAX, INFINITY);
    double way[3];
    for (unsigned k = 0; k < 3; k++) {
        way[k] = at[k] - a->samples[n.index].at[k];
    }
    return dot(way, a->samples[n.index].inward) > 0 ? sqrt(n.squared) : 0;
}

/* The medial ball that touches a sample; of radius 0: there is none. */
static kiln_ball shrink(const axis_job *a, uint32_t index)
{
    const sample *s = &a->samples[index];
    kiln_ball ball = {.radius = a->radius_most};
    bool shrunk = false;
    double free = 0;
    for (unsigned round = 0; round < SHRINKS_MOST; round++) {
        double way[3];
        for (unsigned k = 0; k < 3; k++) {
            ball.centre[k] = s->at[k] + ball.radius * s->inward[k];
        }
        const nearest n = nearest_to(a, ball.centre, index, empty * ball.radius);
        free = sqrt(n.squared);
        if (n.index == UINT32_MAX) {
            break;
        }
        for (unsigned k = 0; k < 3; k++) {
            way[k] = a->samples[n.index].at[k] - s->at[k];
        }
        /* The ball that touches both samples, tangent at the first. */
        const double along = dot(way, s->inward), squared = dot(way, way);
        const double radius = squared / (2 * along);
        if (!(along > 0) || !(radius < ball.radius) ||
            squared < chord_least * chord_least * radius * radius) {
            break;
        }
        ball.radius = radius;
        shrunk = true;
    }
    ball.radius = shrunk ? free : 0;
    return ball;
}

/* One task: the balls of a chunk of samples. */
static void shrink_chunk(void *context, uint32_t chunk)
{
    const axis_job *a = context;
    const uint32_t first = chunk * SAMPLE_CHUNK;
    const uint32_t last =
        a->sample_count - first < SAMPLE_CHUNK ? a->sample_count : first + SAMPLE_CHUNK;
    for (uint32_t i = first; i < last; i++) {
        a->own[i] = shrink(a, i);
    }
}

/* Samples, their tree, their balls, and for each triangle the freest of its samples' balls, or a
 * point on it that is free by nothing. */
static bool find_axis(axis_job *a)
{
    const kiln_sphere_job *job = a->job;
    double area = 0, volume = 0, corner[3][3], normal[3];
    for (uint32_t i = 0; i < job->count; i++) {
        corners_of(a, i, corner);
        normal_of(corner, normal);
        area += sqrt(dot(normal, normal));
        volume += dot(corner[0], normal); /* six times, of the cone from the middle */
    }
    /* One a triangle, and in proportion to the area as many again. */
    const uint32_t more = job->count > SAMPLES_LEAST ? job->count : SAMPLES_LEAST;
    const uint64_t room = (uint64_t)job->count + more;
    if (room > UINT32_MAX / 2) {
        return false;
    }
    a->samples = malloc(room * sizeof *a->samples);
    a->boxes = malloc(room * sizeof *a->boxes);
    a->own = malloc(room * sizeof *a->own);
    a->medial = malloc(job->count * sizeof *a->medial);
    a->beyond = malloc(job->count * sizeof *a->beyond);
    if (a->samples == NULL || a->boxes == NULL || a->own == NULL || a->medial == NULL ||
        a->beyond == NULL) {
        return false;
    }
    double due = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        corners_of(a, i, corner);
        normal_of(corner, normal);
        due += area > 0 ? sqrt(dot(normal, normal)) / area * more : 0;
        uint32_t count = due < SAMPLES_A_TRIANGLE ? (uint32_t)due : SAMPLES_A_TRIANGLE;
        count = count > room - job->count ? (uint32_t)(room - job->count) : count;
        const uint32_t used = a->sample_count;
        count = used + count + (job->count - i) > room ? (uint32_t)(room - used) - (job->count - i)
                                                       : count;
        due -= count;
        sample_triangle(a, i, 1 + count, volume < 0 ? -1 : 1, a->samples + used);
        a->sample_count += 1 + count;
        double *middle = a->medial[job->records[i].triangle].centre;
        for (unsigned k = 0; k < 3; k++) {
            middle[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3;
        }
        a->medial[job->records[i].triangle].radius = 0;
    }
    order_samples(a, 0, a->sample_count);
    if (!kiln_parallel_for(job->watch, (a->sample_count + SAMPLE_CHUNK - 1) / SAMPLE_CHUNK,
                           shrink_chunk, a)) {
        a->job->cancelled = true;
        return false;
    }
    for (uint32_t i = 0; i < a->sample_count; i++) {
        kiln_ball *best = &a->medial[a->samples[i].triangle];
        *best = a->own[i].radius > best->radius ? a->own[i] : *best;
    }
    return true;
}

/* -------------------------------------------------------------------------------- parting -- */

/* A ball and the triangles, of those that a node is judged by, that belong to it. */
typedef struct {
    kiln_ball ball;              /* radius: how far its centre is free of surface */
    uint32_t first, last, count; /* in a->item, by a->next; count 0: none */
    double area;                 /* of them, twice */
    double cost;
} cluster;

static double reach_of(const axis_job *a, uint32_t place, const double centre[3])
{
    double corner[3][3], most = 0;
    corners_of(a, place, corner);
    for (unsigned c = 0; c < 3; c++) {
        most = fmax(most, squared_distance(corner[c], centre));
    }
    return sqrt(most);
}

/* What is outside, as a volume, of a ball that has grown from `free` to `radius`: at most the shell
 * all around; else the part of it over the triangles, of which `area` is twice the area, and, as
 * the rest may stick out elsewhere, a small share of the shell. */
static double outside_of(double free, double radius, double area)
{
    const double shell = 4.18879 * (radius * radius * radius - free * free * free);
    return fmin(shell, 0.5 * area * (radius - free) + 0.05 * shell);
}

/* What is outside when a ball has grown to hold the triangles of two clusters, of which the second
 * may be NULL. No more than `limit` matters. */
static double cost_of(const axis_job *a, const kiln_ball *ball, const cluster *c, const cluster *d,
                      double limit)
{
    const double area = c->area + (d != NULL ? d->area : 0);
    double most = ball->radius;
    for (unsigned which = 0; which < 2; which++) {
        const cluster *of = which == 0 ? c : d;
        for (uint32_t n = 0, i = of != NULL ? of->first : 0; of != NULL && n < of->count; n++) {
            most = fmax(most, reach_of(a, a->item[i], ball->centre));
            if (outside_of(ball->radius, most, area) >= limit) {
                return limit;
            }
            i = a->next[i];
        }
    }
    return outside_of(ball->radius, most, area);
}

/* The better of a ball and one about another centre. */
static void try_ball(const axis_job *a, const kiln_ball *ball, const cluster *c, const cluster *d,
                     kiln_ball *best, double *cost)
{
    const double other = cost_of(a, ball, c, d, *cost);
    if (other < *cost) {
        *cost = other;
        *best = *ball;
    }
}

/* Of two clusters together, about either's centre. */
static double merged(const axis_job *a, const cluster *c, const cluster *d, kiln_ball *best)
{
    double cost = INFINITY;
    *best = c->ball; /* where all costs are the same */
    try_ball(a, &c->ball, c, d, best, &cost);
    try_ball(a, &d->ball, c, d, best, &cost);
    return cost;
}

/* Merges clusters, at each step the two that then cost the least more, until `wanted` are left. */
static unsigned merge(axis_job *a, cluster *c, unsigned count, unsigned wanted)
{
    double more[SEEDS_MOST][SEEDS_MOST];
    kiln_ball ball;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = i + 1; j < count; j++) {
            more[i][j] = merged(a, &c[i], &c[j], &ball) - c[i].cost - c[j].cost;
        }
    }
    while (count > wanted) {
        unsigned to = 0, from = 1;
        for (unsigned i = 0; i < count; i++) {
            for (unsigned j = i + 1; j < count; j++) {
                if (more[i][j] < more[to][from]) {
                    to = i;
                    from = j;
                }
            }
        }
        c[to].cost = merged(a, &c[to], &c[from], &ball);
        c[to].ball = ball;
        a->next[c[to].last] = c[from].first;
        c[to].last = c[from].last;
        c[to].count += c[from].count;
        c[to].area += c[from].area;
        count--;
        c[from] = c[count]; /* the last takes the free place, and its numbers */
        for (unsigned i = 0; i < count; i++) {
            const unsigned low = i < from ? i : from, high = i < from ? from : i;
            if (i != from && from != count) {
                more[low][high] = more[i][count];
            }
        }
        for (unsigned i = 0; i < count; i++) {
            const unsigned low = i < to ? i : to, high = i < to ? to : i;
            if (i != to) {
                more[low][high] = merged(a, &c[low], &c[high], &ball) - c[low].cost - c[high].cost;
            }
        }
    }
    return count;
}

/* The best of some centres for a cluster: medial balls of its triangles, the middle of the
 * smallest ball around them (M. Badoiu and K. Clarkson, 2003), and between that and the best. */
static void fit(const axis_job *a, cluster *c)
{
    KILN_ASSERT(c->count > 0);
    double middle[3], cost = cost_of(a, &c->ball, c, NULL, INFINITY);
    kiln_ball best = c->ball;
    const uint32_t stride = c->count / FIT_CENTRES + 1;
    for (uint32_t n = 0, i = c->first; n < c->count; n++) {
        const uint32_t triangle = a->job->records[a->item[i]].triangle;
        if (n % stride == 0) {
            try_ball(a, &a->medial[triangle], c, NULL, &best, &cost);
        }
        i = a->next[i];
    }
    memcpy(middle, a->medial[a->job->records[a->item[c->first]].triangle].centre, sizeof middle);
    for (unsigned round = 1; round <= 4 * FIT_CENTRES; round++) {
        double farthest[3] = {0, 0, 0}, most = -1;
        for (uint32_t n = 0, i = c->first; n < c->count; n++) {
            double corner[3][3];
            corners_of(a, a->item[i], corner);
            for (unsigned k = 0; k < 3; k++) {
                const double squared = squared_distance(corner[k], middle);
                if (squared > most) {
                    most = squared;
                    memcpy(farthest, corner[k], sizeof farthest);
                }
            }
            i = a->next[i];
        }
        for (unsigned k = 0; k < 3; k++) {
            middle[k] += (farthest[k] - middle[k]) / (round + 1);
        }
    }
    const kiln_ball medial = best;
    for (unsigned step = 0; step < 3; step++) {
        kiln_ball ball;
        for (unsigned k = 0; k < 3; k++) {
            ball.centre[k] = middle[k] + step * 0.25 * (medial.centre[k] - middle[k]);
        }
        ball.radius = free_at(a, ball.centre);
        try_ball(a, &ball, c, NULL, &best, &cost);
    }
    c->ball = best;
    c->cost = cost;
}

/* Seeds: medial balls of the range, each that of the triangle which is farthest beyond all before
 * it. Marks become the nearest seed of each triangle. */
static unsigned choose_seeds(axis_job *a, uint32_t first, uint32_t last, unsigned most,
                             cluster *seed)
{
    const kiln_record *records = a->job->records;
    uint32_t next = first;
    for (uint32_t i = first; i < last; i++) {
        a->beyond[i] = INFINITY;
        next = a->medial[records[i].triangle].radius > a->medial[records[next].triangle].radius
                   ? i
                   : next;
    }
    for (unsigned s = 0; s < most; s++) {
        float farthest = -INFINITY;
        const kiln_ball *ball = &a->medial[records[next].triangle];
        seed[s] = (cluster){.ball = *ball};
        for (uint32_t i = first; i < last; i++) {
            const float beyond = (float)(reach_of(a, i, ball->centre) - ball->radius);
            if (beyond < a->beyond[i]) {
                a->beyond[i] = beyond;
                a->job->marks[i] = s;
            }
            if (a->beyond[i] > farthest) {
                farthest = a->beyond[i];
                next = i;
            }
        }
    }
    return most;
}

/* Gives each triangle to the ball that it reaches beyond by the least. */
static void assign(axis_job *a, uint32_t first, uint32_t last, const cluster *c, unsigned count)
{
    for (uint32_t i = first; i < last; i++) {
        double least = INFINITY;
        for (unsigned s = 0; s < count; s++) {
            const double beyond = reach_of(a, i, c[s].ball.centre) - c[s].ball.radius;
            if (beyond < least) {
                least = beyond;
                a->job->marks[i] = s;
            }
        }
    }
}

/* Lists of the triangles that are judged by, from marks. Clusters without any are taken out. */
static unsigned list_items(axis_job *a, uint32_t first, uint32_t last, cluster *c, unsigned count)
{
    const uint32_t stride = (last - first) / ITEMS_MOST + 1;
    unsigned left = 0;
    uint32_t used = 0;
    for (unsigned s = 0; s < count; s++) {
        c[s].count = 0;
        c[s].area = 0;
    }
    for (uint32_t i = first; i < last; i += stride, used++) {
        cluster *of = &c[a->job->marks[i]];
        KILN_ASSERT(used < 2 * ITEMS_MOST);
        double corner[3][3], normal[3];
        corners_of(a, i, corner);
        normal_of(corner, normal);
        of->area += sqrt(dot(normal, normal)) * stride;
        a->item[used] = i;
        if (of->count++ == 0) {
            of->first = used;
        } else {
            a->next[of->last] = used;
        }
        of->last = used;
    }
    for (unsigned s = 0; s < count; s++) {
        if (c[s].count > 0) {
            c[left++] = c[s];
        }
    }
    return left;
}

static unsigned divide_medial(kiln_sphere_job *job, uint32_t first, uint32_t last,
                              const double cell[4], kiln_sphere_part part[8])
{
    axis_job *a = job->own;
    cluster c[SEEDS_MOST];
    const uint32_t half = (last - first) / 2 > LANES ? (last - first) / 2 : LANES;
    unsigned most = half < SEEDS_MOST ? half : SEEDS_MOST, parts = 0;
    uint32_t end[LANES];
    (void)cell;
    most = last - first < most ? last - first : most;
    unsigned count = choose_seeds(a, first, last, most, c);
    count = list_items(a, first, last, c, count);
    for (unsigned s = 0; s < count; s++) {
        c[s].cost = cost_of(a, &c[s].ball, &c[s], NULL, INFINITY);
    }
    count = count > LANES ? merge(a, c, count, LANES) : count;
    for (unsigned round = 0; round < FIT_ROUNDS; round++) {
        for (unsigned s = 0; s < count; s++) {
            fit(a, &c[s]);
        }
        assign(a, first, last, c, count);
        const unsigned left = list_items(a, first, last, c, count);
        if (left < count) { /* clusters have new numbers */
            count = left;
            assign(a, first, last, c, count);
        }
    }
    for (unsigned s = 0; s < count; s++) {
        fit(a, &c[s]);
    }
    kiln_spheres_sort(job, first, last, count, end);
    for (unsigned s = 0; s < count; s++) {
        if (end[s] > (s == 0 ? first : end[s - 1])) {
            part[parts].end = end[s];
            part[parts].ball = c[s].ball;
            part[parts].ball.radius = 0; /* measured where it is stored */
            memset(part[parts].cell, 0, sizeof part[parts].cell);
            parts++;
        }
    }
    return parts;
}

bool kiln_spheres_medial(kiln_sphere_job *job)
{
    const double nowhere[4] = {0, 0, 0, 0};
    kiln_extents bounds;
    double squared = 0;
    axis_job *a = calloc(1, sizeof *a);
    if (a == NULL) {
        return false;
    }
    a->job = job;
    kiln_cloud_bounds(&job->cloud, 0, job->count, &bounds);
    for (unsigned k = 0; k < 3; k++) {
        squared += (bounds.upper[k] - bounds.lower[k]) * (bounds.upper[k] - bounds.lower[k]);
    }
    a->radius_most = 0.5 * sqrt(squared);
    job->own = a;
    job->divide = divide_medial;
    const bool done = find_axis(a) && kiln_spheres_grow(job, nowhere);
    free(a->samples);
    free(a->boxes);
    free(a->own);
    free(a->medial);
    free(a->beyond);
    free(a);
    return done;
}
