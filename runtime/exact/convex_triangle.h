/* Convex hulls, given by their vertices and with a radius around them, against triangles: do they
 * meet, and how far apart are they? convex_triangle.c finds the answer in doubles and proves it,
 * convex_exact.c finds it in integers where that fails. All of it needs the environment of
 * fpu.h. */
#ifndef KILN_CONVEX_TRIANGLE_H
#define KILN_CONVEX_TRIANGLE_H

#include "../../formats/transform.h"
#include "../kiln_shapes.h"

#include <stdbool.h>

/* Hulls of so many vertices keep them about the middle, by coordinate. Of larger ones the caller's
 * array is read each time, without blocks of vertices, at most so many, whose boxes prove that none
 * in them comes first. */
enum { KILN_CONVEX_KEPT = 128, KILN_CONVEX_BLOCKS = 128 };

/* Boxes of blocks about the middle, in units of the hull's size. */
typedef struct {
    float middle[3][KILN_CONVEX_BLOCKS], half[3][KILN_CONVEX_BLOCKS];
} kiln_convex_blocks;

struct kiln_convex_core;

/* Squares of distances from the middle: the largest, and the sum, which is no number where a
 * coordinate is none. */
typedef struct {
    double most, sum;
} kiln_convex_squares;

/* Functions that each instruction set has for hulls. They give the same bits in every set
 * (kernel.h). */
typedef struct {
    /* Returns the number of the point that comes first along w, which is the one whose
     * ((w0 x + w1 y) + w2 z) is least; of equal ones the first. There are `count` points, at least
     * one. Arrays go on to the next multiple of eight; the points there come no earlier than some
     * point before them. */
    uint32_t (*first)(const double *x, const double *y, const double *z, uint32_t count,
                      const double w[3]);
    /* The number of the vertex of a hull of blocks that comes first along w in the same sense.
     * `way` is that divided by its largest coordinate, which times the hull's size is `unit`. */
    uint32_t (*first_in_blocks)(const struct kiln_convex_core *core, const double w[3],
                                const float way[3], double unit);
    /* Finds the bounds of the vertices of a hull of blocks. Coordinates that are NaN are left
     * out. */
    void (*form_bounds)(const struct kiln_convex_core *core, double lower[3], double upper[3]);
    /* Finds the same of one block, about the middle, and adds the squares of its vertices to those
     * in *squares. Some vertices of the block before may be among them. */
    void (*form_block)(const struct kiln_convex_core *core, uint32_t block, double lower[3],
                       double upper[3], kiln_convex_squares *squares);
} kiln_convex_kernels;

/* A hull that was checked. */
typedef struct kiln_convex_core {
    const double *vertices;      /* the caller's: magnitudes below KILN_EXACT_MIN count as 0 */
    const kiln_transform *carry; /* NULL; or what they are carried by first */
    const kiln_convex_kernels *kernels;
    uint32_t count;
    double radius;             /* settled */
    double lower[3], upper[3]; /* bounds of the vertices, settled */
    double middle[3];          /* of the bounds */
    double size;               /* the largest coordinate of a vertex about the middle */
    double around;             /* no vertex is farther from the middle */
    bool round;                /* a ball of that radius surrounds it better than the bounds do */
    uint32_t block, blocks;    /* vertices in one; how many */
    union {
        double kept[3][KILN_CONVEX_KEPT]; /* hulls of so many */
        kiln_convex_blocks blocks;        /* of more */
    } of;
} kiln_convex_core;

/* False: it is not one that is defined (NULL, no vertex, a number out of range, also as carried).
 * `carry` may be NULL; else it must stay where it is, and each coordinate is ((r0 x + r1 y) + r2 z)
 * + t, every operation rounded to double; the radius is taken as it is. */
bool kiln_convex_take(const kiln_convex *given, const kiln_transform *carry,
                      const kiln_convex_kernels *kernels, kiln_convex_core *core);

/* `count` vertices of a hull that is carried, from number `first` on, where they are carried to. */
void kiln_convex_carried(const kiln_convex_core *core, uint32_t first, uint32_t count,
                         double out[]);

/* The same vertices wherever the hull is: in the caller's array, or, where it is carried, in `room`
 * [3 * count]. */
static inline const double *kiln_convex_vertices(const kiln_convex_core *core, uint32_t first,
                                                 uint32_t count, double room[])
{
    if (core->carry == NULL) {
        return core->vertices + 3 * (size_t)first;
    }
    kiln_convex_carried(core, first, count, room);
    return room;
}

/* Vertex `index`, settled. */
void kiln_convex_vertex(const kiln_convex_core *core, uint32_t index, double out[3]);

/* The vertex that comes first along w, that is, of which w . (vertex - middle) is least as it is
 * computed; of equal ones the first. Coordinates of w: below 2^800 in magnitude. */
uint32_t kiln_convex_first(const kiln_convex_core *core, const double w[3]);

/* The largest of w . (vertex - middle), each product within a few roundings of |w| size. */
double kiln_convex_reach(const kiln_convex_core *core, const double w[3]);

/* Do they meet? Exact. Corner k of the triangle is t[3 k .. 3 k + 2], in range as exact.h says. */
bool kiln_convex_meets_triangle(const kiln_convex_core *core, const double t[9]);

typedef struct {
    double value;                  /* 0 exactly where they meet */
    double on_core[3], on_mesh[3]; /* nearest points of the hull without radius and the triangle */
    double apart[3]; /* a way from the hull to the triangle, of any length; may be 0 */
    /* A unit vector from the hull to the triangle along which doubles found them apart, and how far
     * the hull reaches along it from its middle; all 0: they could not, integers decided. */
    double line[3], reach;
} kiln_convex_nearest;

/* How far they are apart: a function of the shape and the corners alone, within 2^-44 of the
 * largest difference of a coordinate between two points of theirs. False: it is greater than
 * `limit`; of *out only line and reach are then defined. */
bool kiln_convex_triangle_nearest(const kiln_convex_core *core, const double t[9], double limit,
                                  kiln_convex_nearest *out);

/* ------------------------------------------------------------- in integers: convex_exact.c -- */

/* Vertices of the hull and corners of the triangle, in pairs: where the search begins. At least one
 * and at most four; any will do. */
typedef struct {
    int count;
    uint32_t vertex[4];
    int corner[4];
} kiln_convex_simplex;

/* The same without error but for that of the last roundings. *meet: exact. out NULL: only that. */
void kiln_convex_exactly(const kiln_convex_core *core, const double t[9],
                         const kiln_convex_simplex *start, bool *meet, kiln_convex_nearest *out);

#endif
