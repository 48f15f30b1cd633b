/* A convex hull with a radius against a triangle, in doubles with a proof.
 *
 * After Gilbert, Johnson and Keerthi (1988), with the sub-problem solved as a comparison of all
 * faces that hold the newest corner. The differences p of vertices and corners, both taken from the
 * middle of the hull, span a convex body; x is the point nearest to the origin of a simplex of
 * them, so that |x| is an upper bound of the distance, and for any way w the least w . p over |w|
 * is a lower one. Where these are close, the distance is proved, however they were found.
 *
 * Rounding. Let S be the largest coordinate of a vertex or a corner about the middle: no more than
 * the extent of both, as the middle is in the hull's bounds. With u = 2^-53 the coordinates about
 * the middle are off by u S, so a difference p by less than 7 u S with its own rounding; x as a
 * weighted mean of them by less than 50 u S; and a least w . p over |w|, from products of vectors
 * below 2 S, by less than 32 u S. So both bounds hold within POSITION = 64 u of S. A determinant of
 * three p, of lengths below 4 S, is off by less than VOLUME / 4 of S^3.
 *
 * Blocks of vertices. A box in floats, in units of the hull's size, begins along a way w, whose
 * largest coordinate is 1, at the sum of w m - |w| h, which is off by at most 14 u of the sum of
 * the |w|, now with u = 2^-24: the products by 2 u, of a w that is rounded by 2 u, of an m and an h
 * that are by 3 u, and the sums by 7 u. The place that it is compared with is off by 1 u. Each h
 * is made larger by BLOCK_ROUNDING = 32 u, which is more than both. All of it is relative to the
 * sizes of hull and way, so both are at least BLOCK_LEAST: then no product underflows, and
 * coordinates below KILN_EXACT_MIN, which the hull's size does not count, are below 2^-49 of it.
 *
 * The way is not x but what is computed without cancellation: the normal of a face, and of an edge
 * e x (p x e). x itself is off by some u S, which turns it by u S / |x|; so turned, a face near the
 * origin would prove nothing. */
#include "convex_triangle.h"

#include "exact.h"
#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "../base/compiler.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define CERTIFIED 0x1p-46 /* of S: how close the bounds have to be */
#define POSITION 0x1p-47  /* of S: what either is off by */
#define VOLUME 0x1p-42    /* of S^3: what determinants are off by */
/* Of these sizes products of six lengths neither over- nor underflow where that matters. */
#define SIZE_LEAST 0x1p-100
#define SIZE_MOST 0x1p100
#define NUMBER_MOST 1e60
#define ROUNDS 24
#define BLOCK_ROUNDING 0x1p-19f /* how much larger boxes of blocks are made, in hull sizes */
#define BLOCK_LEAST 0x1p-200    /* the least size of a hull, and of a way, that boxes serve */
#define ROUND 0.5 /* squares of a ball's radius and of half the diagonal of the bounds */
#define ABOVE_ZERO 0x1p-1022

/* ------------------------------------------------------------------------------------ hulls -- */

static inline double settled(double value)
{
    return fabs(value) < KILN_EXACT_MIN ? 0 : value;
}

/* Coordinate k of a vertex where it is. */
static inline double coordinate_of(const kiln_convex_core *core, size_t index, size_t k)
{
    const double *v = core->vertices + 3 * index;
    return core->carry == NULL
               ? v[k]
               : kiln_dot(core->carry->rotation + 3 * k, v) + core->carry->translation[k];
}

void kiln_convex_carried(const kiln_convex_core *core, uint32_t first, uint32_t count, double out[])
{
    for (uint32_t i = 0; i < 3 * count; i++) {
        out[i] = coordinate_of(core, first + i / 3, i % 3);
    }
}

void kiln_convex_vertex(const kiln_convex_core *core, uint32_t index, double out[3])
{
    KILN_ASSERT(index < core->count);
    for (size_t k = 0; k < 3; k++) {
        out[k] = settled(coordinate_of(core, index, k));
    }
}

/* `squared`: the square of the largest distance of a vertex from the middle, which overflows or
 * underflows only where the bounds serve as well. */
static void set_ball(kiln_convex_core *core, double squared)
{
    double diagonal = 0;
    for (int k = 0; k < 3; k++) {
        const double half = core->upper[k] / 2 - core->lower[k] / 2;
        diagonal += half * half;
    }
    core->around = sqrt(squared) * (1 + 0x1p-48);
    core->round = squared > 0x1p-900 && squared < ROUND * diagonal;
}

/* Keeps the vertices of a small hull, up to a multiple of eight by the last one, which then comes
 * several times. */
static void keep_vertices(kiln_convex_core *core, kiln_convex_squares *squares)
{
    const uint32_t count = core->count;
    double room[3], p[3];
    for (uint32_t i = 0; i < (count + 7) / 8 * 8; i++) {
        const double *v = kiln_convex_vertices(core, i < count ? i : count - 1, 1, room);
        for (int k = 0; k < 3; k++) {
            p[k] = v[k] - core->middle[k];
            core->of.kept[k][i] = p[k];
        }
        const double square = kiln_dot(p, p);
        squares->most = kiln_larger(square, squares->most);
        squares->sum += square;
    }
}

/* The box of block b of a large hull. */
static void form_block(kiln_convex_core *core, uint32_t b, kiln_convex_squares *squares)
{
    const double unit = core->size > 0 ? 1 / core->size : 1;
    double low[3], high[3];
    core->kernels->form_block(core, b, low, high, squares);
    for (int k = 0; k < 3; k++) {
        core->of.blocks.middle[k][b] = (float)((low[k] / 2 + high[k] / 2) * unit);
        core->of.blocks.half[k][b] = (float)((high[k] / 2 - low[k] / 2) * unit) + BLOCK_ROUNDING;
    }
}

/* The boxes of all blocks. Their number is filled up to a multiple of eight with boxes that begin
 * behind all others along every way. */
static void form_blocks(kiln_convex_core *core, kiln_convex_squares *squares)
{
    core->block = 4 * ((core->count - 1) / (4 * KILN_CONVEX_BLOCKS) + 1);
    core->blocks = (core->count - 1) / core->block + 1;
    for (uint32_t b = 0; b < core->blocks; b++) {
        form_block(core, b, squares);
    }
    for (uint32_t b = core->blocks; b % 8 != 0; b++) {
        for (int k = 0; k < 3; k++) {
            core->of.blocks.middle[k][b] = 0;
            core->of.blocks.half[k][b] = -8;
        }
    }
}

/* Bounds of the vertices. False: one is out of range; NaN is seen by sums of squares, later. */
static bool take_bounds(kiln_convex_core *core)
{
    double lower[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double upper[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double room[3];
    bool sound = true;
    if (core->count > KILN_CONVEX_KEPT) {
        core->kernels->form_bounds(core, lower, upper);
    }
    for (uint32_t i = 0; core->count <= KILN_CONVEX_KEPT && i < core->count; i++) {
        const double *v = kiln_convex_vertices(core, i, 1, room);
        for (int k = 0; k < 3; k++) {
            lower[k] = kiln_smaller(v[k], lower[k]);
            upper[k] = kiln_larger(v[k], upper[k]);
        }
    }
    for (size_t i = 0; core->carry != NULL && i < 3 * (size_t)core->count; i++) {
        sound &= fabs(core->vertices[i]) <= NUMBER_MOST;
    }
    for (int k = 0; k < 3; k++) {
        sound &= lower[k] >= -NUMBER_MOST && upper[k] <= NUMBER_MOST;
        core->lower[k] = settled(lower[k]);
        core->upper[k] = settled(upper[k]);
    }
    return sound;
}

bool kiln_convex_take(const kiln_convex *given, const kiln_transform *carry,
                      const kiln_convex_kernels *kernels, kiln_convex_core *core)
{
    kiln_convex_squares squares = {0, 0};
    if (given->vertices == NULL || given->count == 0 ||
        !(given->radius >= 0 && given->radius <= NUMBER_MOST)) {
        return false;
    }
    core->vertices = given->vertices;
    core->carry = carry;
    core->kernels = kernels;
    core->count = given->count;
    core->radius = settled(given->radius);
    if (!take_bounds(core)) {
        return false;
    }
    core->size = 0;
    for (int k = 0; k < 3; k++) {
        core->middle[k] = core->lower[k] / 2 + core->upper[k] / 2;
        core->size = kiln_larger(core->size, kiln_larger(core->upper[k] - core->middle[k],
                                                         core->middle[k] - core->lower[k]));
    }
    (core->count <= KILN_CONVEX_KEPT ? keep_vertices : form_blocks)(core, &squares);
    set_ball(core, squares.most);
    return squares.sum < HUGE_VAL;
}

static inline void vertex_about_middle(const kiln_convex_core *core, uint32_t index, double out[3])
{
    const bool is_kept = core->count <= KILN_CONVEX_KEPT;
    for (size_t k = 0; k < 3; k++) {
        out[k] =
            is_kept ? core->of.kept[k][index] : coordinate_of(core, index, k) - core->middle[k];
    }
}

/* Where a size is out of range no block is passed over: all begin at 0 then. */
static uint32_t first_in_blocks(const kiln_convex_core *core, const double w[3])
{
    const double most = kiln_larger(kiln_larger(fabs(w[0]), fabs(w[1])), fabs(w[2]));
    const double unit = most * core->size;
    const bool sized = most >= BLOCK_LEAST && core->size >= BLOCK_LEAST && unit < HUGE_VAL;
    float way[3] = {0, 0, 0};
    for (int k = 0; k < 3 && sized; k++) {
        way[k] = (float)(w[k] / most);
    }
    return core->kernels->first_in_blocks(core, w, way, sized ? unit : HUGE_VAL);
}

uint32_t kiln_convex_first(const kiln_convex_core *core, const double w[3])
{
    if (core->count > KILN_CONVEX_KEPT) {
        return first_in_blocks(core, w);
    }
    if (core->count > 4) {
        return core->kernels->first(core->of.kept[0], core->of.kept[1], core->of.kept[2],
                                    core->count, w);
    }
    double least = HUGE_VAL, v[3];
    uint32_t first = 0;
    for (uint32_t i = 0; core->count > 1 && i < core->count; i++) {
        vertex_about_middle(core, i, v);
        const double place = kiln_dot(w, v);
        first = place < least ? i : first;
        least = kiln_smaller(place, least);
    }
    return first;
}

double kiln_convex_reach(const kiln_convex_core *core, const double w[3])
{
    const double back[3] = {-w[0], -w[1], -w[2]};
    double p[3];
    vertex_about_middle(core, kiln_convex_first(core, back), p);
    return kiln_dot(w, p);
}

/* ---------------------------------------------------------------------------------- search -- */

typedef struct {
    const kiln_convex_core *core;
    double t[9]; /* about the middle */
    double size; /* S */
    kiln_convex_simplex s;
    double p[4][3];
    /* The point of the simplex nearest to the origin, nearly: which corners hold it, and with which
     * parts of its weight. */
    int held;
    int at[4];
    double weight[4];
    double x[3], square; /* it, and its square */
    double way[3];       /* the way to it, of any length */
    /* The line of the last proof: a unit vector from the hull to the triangle, and how far the hull
     * reaches along it from its middle. */
    double line[3], reach;
} convex_search;

static inline void take_face(convex_search *c, int held, const int at[], const double weight[],
                             const double way[3])
{
    double x[3] = {0, 0, 0}, sum = 0;
    for (int i = 0; i < held; i++) {
        sum += weight[i];
    }
    for (int i = 0; i < held; i++) {
        for (int k = 0; k < 3; k++) {
            x[k] += weight[i] / sum * c->p[at[i]][k];
        }
    }
    const double square = kiln_dot(x, x);
    if (!(square < c->square)) {
        return;
    }
    c->held = held;
    c->square = square;
    for (int i = 0; i < held; i++) {
        c->at[i] = at[i];
        c->weight[i] = weight[i] / sum;
    }
    memcpy(c->x, x, sizeof x);
    memcpy(c->way, way, sizeof c->way);
}

/* The newest corner is the last one, and the nearest point has a part of it, if the simplex is
 * better than the one before. */
static void take_edge(convex_search *c, int a, int b)
{
    const kiln_vector edge = kiln_vector_between(c->p[b], c->p[a]);
    const int at[2] = {a, b};
    const double weight[2] = {kiln_dot(c->p[b], edge.x), -kiln_dot(c->p[a], edge.x)};
    if (weight[0] > 0 && weight[1] > 0) {
        double across[3], way[3];
        kiln_cross(c->p[a], edge.x, across);
        kiln_cross(edge.x, across, way);
        take_face(c, 2, at, weight, way);
    }
}

static void take_triangle(convex_search *c, int i, int j, int k)
{
    const int at[3] = {i, j, k};
    const double *a = c->p[i], *b = c->p[j], *d = c->p[k];
    const kiln_vector one = kiln_vector_between(b, a), other = kiln_vector_between(d, a);
    double normal[3], product[3], weight[3];
    kiln_cross(one.x, other.x, normal);
    kiln_cross(b, d, product);
    weight[0] = kiln_dot(normal, product);
    kiln_cross(d, a, product);
    weight[1] = kiln_dot(normal, product);
    kiln_cross(a, b, product);
    weight[2] = kiln_dot(normal, product);
    if (weight[0] > 0 && weight[1] > 0 && weight[2] > 0) {
        const double sign = kiln_dot(normal, a) < 0 ? -1 : 1;
        const double way[3] = {sign * normal[0], sign * normal[1], sign * normal[2]};
        take_face(c, 3, at, weight, way);
    }
}

/* Is the origin inside all four, and surely so: 1? Else 0. */
static bool surrounds(const convex_search *c)
{
    double product[3], volume[4];
    kiln_cross(c->p[2], c->p[3], product);
    volume[0] = kiln_dot(c->p[1], product);
    volume[1] = -kiln_dot(c->p[0], product);
    kiln_cross(c->p[0], c->p[1], product);
    volume[2] = kiln_dot(c->p[3], product);
    volume[3] = -kiln_dot(c->p[2], product);
    const double least = VOLUME * (c->size * c->size * c->size);
    return (volume[0] > least && volume[1] > least && volume[2] > least && volume[3] > least) ||
           (volume[0] < -least && volume[1] < -least && volume[2] < -least && volume[3] < -least);
}

static void find_nearest_face(convex_search *c)
{
    static const double whole[1] = {1};
    const int last = c->s.count - 1;
    c->square = HUGE_VAL;
    take_face(c, 1, &last, whole, c->p[last]);
    for (int i = 0; i < last; i++) {
        take_edge(c, i, last);
        for (int j = i + 1; j < last; j++) {
            take_triangle(c, i, j, last);
        }
    }
}

/* Adds the pair that comes first along w; its vertex, and w . p of it. False: it is there
 * already. */
static bool add_first(convex_search *c, const double w[3], double v[3], double *along)
{
    const double a = kiln_dot(w, c->t), b = kiln_dot(w, c->t + 3), d = kiln_dot(w, c->t + 6);
    const int corner = a >= b ? (a >= d ? 0 : 2) : (b >= d ? 1 : 2);
    const uint32_t vertex = kiln_convex_first(c->core, w);
    const int count = c->s.count;
    vertex_about_middle(c->core, vertex, v);
    *along = kiln_dot(w, v) - (corner == 0 ? a : corner == 1 ? b : d);
    for (int i = 0; i < count; i++) {
        if (c->s.vertex[i] == vertex && c->s.corner[i] == corner) {
            return false;
        }
    }
    c->s.vertex[count] = vertex;
    c->s.corner[count] = corner;
    for (int k = 0; k < 3; k++) {
        c->p[count][k] = v[k] - c->t[3 * corner + k];
    }
    c->s.count++;
    return true;
}

/* Keeps the corners of the face that holds the nearest point. */
static void keep_face(convex_search *c)
{
    for (int i = 0; i < c->held; i++) {
        c->s.vertex[i] = c->s.vertex[c->at[i]];
        c->s.corner[i] = c->s.corner[c->at[i]];
        memmove(c->p[i], c->p[c->at[i]], sizeof c->p[i]);
        c->at[i] = i;
    }
    c->s.count = c->held;
}

/* Sets the line of a proof from w, whose length is `length`; along w the vertex `first` comes
 * first. */
static inline void set_line(convex_search *c, const double w[3], double length,
                            const double first[3])
{
    for (int k = 0; k < 3; k++) {
        c->line[k] = -w[k] / length;
    }
    c->reach = kiln_dot(c->line, first);
}

typedef enum { FOUND, BEYOND, INSIDE, UNSURE } outcome;

/* Until the distance of hull and triangle is proved (FOUND), or that it is above `beyond` or no
 * more than `within`. Where UNSURE, the simplex is a good one to go on with. */
static outcome converge(convex_search *c, double beyond, double within)
{
    const double position = POSITION * c->size;
    double w[3], first[3], along;
    /* from the hull's middle to the triangle's */
    for (int k = 0; k < 3; k++) {
        w[k] = -((c->t[k] + c->t[3 + k]) + c->t[6 + k]);
    }
    c->s.count = 0;
    (void)add_first(c, w, first, &along);
    for (int round = 0; round < ROUNDS; round++) {
        if (c->s.count == 4 && surrounds(c)) {
            return INSIDE;
        }
        find_nearest_face(c);
        keep_face(c);
        const double length = sqrt(c->square);
        if (length + position <= within) {
            return INSIDE;
        }
        if (!(length > 4 * position)) {
            return UNSURE;
        }
        const double most =
            kiln_larger(kiln_larger(fabs(c->way[0]), fabs(c->way[1])), fabs(c->way[2]));
        if (!(most > 0)) {
            return UNSURE;
        }
        for (int k = 0; k < 3; k++) {
            w[k] = c->way[k] / most;
        }
        const bool fresh = add_first(c, w, first, &along);
        const double size = sqrt(kiln_dot(w, w)), gap = along / size;
        if (gap - position > beyond) {
            set_line(c, w, size, first);
            return BEYOND;
        }
        if (length - gap <= CERTIFIED * c->size) {
            set_line(c, w, size, first);
            return FOUND;
        }
        if (!fresh) {
            return UNSURE;
        }
    }
    return UNSURE;
}

/* Sizes that doubles do not serve are left to integers. */
static bool load_case(const kiln_convex_core *core, const double t[9], convex_search *c)
{
    c->core = core;
    c->size = core->size;
    for (int i = 0; i < 9; i++) {
        c->t[i] = t[i] - core->middle[i % 3];
        c->size = kiln_larger(c->size, fabs(c->t[i]));
    }
    c->s.count = 1;
    c->s.vertex[0] = 0;
    c->s.corner[0] = 0;
    return c->size >= SIZE_LEAST && c->size <= SIZE_MOST;
}

bool kiln_convex_meets_triangle(const kiln_convex_core *core, const double t[9])
{
    convex_search c;
    bool meet;
    if (load_case(core, t, &c)) {
        switch (converge(&c, core->radius, core->radius > 0 ? core->radius : -1)) {
        case BEYOND:
            return false;
        case INSIDE:
            return true;
        default:
            break;
        }
    }
    kiln_convex_exactly(core, t, &c.s, &meet, NULL);
    return meet;
}

/* The nearest points by the weights. */
static void fill_nearest(const convex_search *c, const double t[9], kiln_convex_nearest *out)
{
    for (int k = 0; k < 3; k++) {
        out->on_core[k] = out->on_mesh[k] = 0;
        out->apart[k] = -c->way[k];
    }
    for (int i = 0; i < c->held; i++) {
        double v[3];
        kiln_convex_vertex(c->core, c->s.vertex[i], v);
        for (int k = 0; k < 3; k++) {
            out->on_core[k] += c->weight[i] * v[k];
            out->on_mesh[k] += c->weight[i] * t[3 * c->s.corner[i] + k];
        }
    }
}

bool kiln_convex_triangle_nearest(const kiln_convex_core *core, const double t[9], double limit,
                                  kiln_convex_nearest *out)
{
    convex_search c;
    bool meet;
    memset(out->line, 0, sizeof out->line);
    out->reach = 0;
    if (load_case(core, t, &c)) {
        const double room = 4 * (CERTIFIED + POSITION) * c.size;
        const outcome how = converge(&c, limit + core->radius + room, -1);
        const double distance = sqrt(c.square);
        if (how == BEYOND || how == FOUND) {
            memcpy(out->line, c.line, sizeof out->line);
            out->reach = c.reach;
        }
        if (how == BEYOND) {
            return false;
        }
        if (how == FOUND && distance - room > core->radius) {
            out->value = kiln_larger(distance - core->radius, ABOVE_ZERO);
            if (out->value > limit) {
                return false;
            }
            fill_nearest(&c, t, out);
            return true;
        }
    }
    kiln_convex_exactly(core, t, &c.s, &meet, out);
    return out->value <= limit;
}
