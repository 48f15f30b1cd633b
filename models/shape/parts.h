/* What the models are put together from: grids of points, tubes, plates. */
#ifndef KILN_MODELS_PARTS_H
#define KILN_MODELS_PARTS_H

#include "shape.h"

#include <stdbool.h>
#include <stddef.h>

/* Of an angle in turns. The series for a quarter turn: its error is below 1e-15. */
double shape_sine(double turns);
double shape_cosine(double turns);

double shape_length(const double v[3]);
void shape_cross(const double a[3], const double b[3], double out[3]);
void shape_normalise(double v[3]);

/* Smooth step from 0 at `from` to 1 at `to`. */
double shape_step(double from, double to, double x);

/* A sheet of points p(u, v), 0 <= u, v <= 1, two triangles for each cell of rows x columns. */
typedef struct {
    void (*point)(const void *user, double u, double v, double p[3]);
    bool (*hole)(const void *user, double u, double v); /* NULL: none; of a cell's middle */
    const void *user;
    uint32_t rows, columns;  /* along u and v */
    bool closed_u, closed_v; /* the last meets the first */
} shape_sheet;

void shape_add_sheet(shape_mesh *mesh, const shape_sheet *sheet);

/* Rows and columns of about triangles / 2 cells, rows / columns near `ratio`. */
void shape_divide(double triangles, double ratio, shape_sheet *sheet);

/* A tube of round section along a curve. */
typedef struct {
    void (*curve)(const void *user, double u, double p[3]);
    const void *user;
    double radius;
    bool closed;
    double ratio; /* of rows along the curve to columns around it */
} shape_tube;

void shape_add_tube(shape_mesh *mesh, const shape_tube *tube, double triangles);

/* A plate: an outline radius(v) around the z axis of a frame, `thickness` along it, a round hole or
 * none in its middle; walls and both faces. */
typedef struct {
    double (*radius)(const void *user, double v);
    const void *user;
    double centre[3], across[3], along[3]; /* the frame's origin, x and z axes, unit, orthogonal */
    double thickness, hole;                /* hole 0: none */
} shape_plate;

void shape_add_plate(shape_mesh *mesh, const shape_plate *plate, double triangles);

/* Rows of the table in shape.c. */
void shape_make_torus(double triangles, shape_mesh *mesh);
void shape_make_knot(double triangles, shape_mesh *mesh);
void shape_make_car(double triangles, shape_mesh *mesh);
void shape_make_lock(double triangles, shape_mesh *mesh);
void shape_make_pipes(double triangles, shape_mesh *mesh);

#endif
