/* See parts.h. Of libm only what IEEE 754 rounds correctly is used: sqrt, floor, fabs. */
#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double turn = 6.283185307179586;

double shape_sine(double turns)
{
    double x = turns - floor(turns + 0.5);
    if (x > 0.25) {
        x = 0.5 - x;
    } else if (x < -0.25) {
        x = -0.5 - x;
    }
    const double a = turn * x, aa = a * a;
    double sum = 0;
    for (int n = 21; n > 1; n -= 2) {
        sum = (sum + 1) * (-aa / (n * (n - 1)));
    }
    return a * (sum + 1);
}

double shape_cosine(double turns)
{
    return shape_sine(turns + 0.25);
}

double shape_length(const double v[3])
{
    return sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
}

void shape_cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

void shape_normalise(double v[3])
{
    const double length = shape_length(v);
    for (int k = 0; k < 3; k++) {
        v[k] /= length;
    }
}

double shape_step(double from, double to, double x)
{
    double t = (x - from) / (to - from);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

/* ------------------------------------------------------------------------------- growing -- */

static void *grown(void *old, size_t count, size_t more, size_t size)
{
    void *items = realloc(old, (count + more) * size);
    if (items == NULL) {
        (void)fputs("shapes: out of memory\n", stderr);
        exit(4);
    }
    return items;
}

static void add_vertex(shape_mesh *mesh, const double p[3])
{
    for (int k = 0; k < 3; k++) {
        mesh->positions[3 * (size_t)mesh->vertex_count + (size_t)k] =
            (int32_t)floor(p[k] * 1e6 + 0.5);
    }
    mesh->vertex_count++;
}

/* A triangle whose corners have become one or two points on the grid is left out. */
static void add_triangle(shape_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        if (memcmp(mesh->positions + 3 * (size_t)corners[i],
                   mesh->positions + 3 * (size_t)corners[(i + 1) % 3], 3 * sizeof(int32_t)) == 0) {
            return;
        }
    }
    memcpy(mesh->indices + 3 * (size_t)mesh->triangle_count, corners, sizeof corners);
    mesh->triangle_count++;
}

/* -------------------------------------------------------------------------------- sheets -- */

void shape_divide(double triangles, double ratio, shape_sheet *sheet)
{
    const double cells = triangles / 2 > 1 ? triangles / 2 : 1;
    const double rows = floor(sqrt(cells * ratio) + 0.5);
    sheet->rows = rows < 3 ? 3 : (uint32_t)rows;
    const double columns = floor(cells / sheet->rows + 0.5);
    sheet->columns = columns < 3 ? 3 : (uint32_t)columns;
}

void shape_add_sheet(shape_mesh *mesh, const shape_sheet *sheet)
{
    const uint32_t rows = sheet->rows, columns = sheet->columns;
    const uint32_t across = columns + (sheet->closed_v ? 0 : 1);
    const uint32_t down = rows + (sheet->closed_u ? 0 : 1);
    const uint32_t first = mesh->vertex_count;
    mesh->positions = grown(mesh->positions, mesh->vertex_count, (size_t)across * down,
                            3 * sizeof *mesh->positions);
    mesh->indices = grown(mesh->indices, mesh->triangle_count, 2 * (size_t)rows * columns,
                          3 * sizeof *mesh->indices);
    for (uint32_t i = 0; i < down; i++) {
        for (uint32_t j = 0; j < across; j++) {
            double p[3];
            sheet->point(sheet->user, (double)i / rows, (double)j / columns, p);
            add_vertex(mesh, p);
        }
    }
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            if (sheet->hole != NULL &&
                sheet->hole(sheet->user, (i + 0.5) / rows, (j + 0.5) / columns)) {
                continue;
            }
            const uint32_t a = first + i * across, b = first + (i + 1) % down * across;
            const uint32_t k = (j + 1) % across;
            add_triangle(mesh, a + j, b + j, b + k);
            add_triangle(mesh, a + j, b + k, a + k);
        }
    }
}

/* --------------------------------------------------------------------------------- tubes -- */

/* The curve's points, and at each a direction across it, carried along from the one before, so
 * that the tube does not twist. */
typedef struct {
    const shape_tube *tube;
    uint32_t rows;
    double *place, *side; /* 3 a row */
} carried_tube;

static void tangent_at(const shape_tube *tube, double u, double step, double out[3])
{
    double before[3], behind[3];
    const bool at_start = !tube->closed && u < step, at_end = !tube->closed && u > 1 - step;
    tube->curve(tube->user, at_start ? u : u - step, before);
    tube->curve(tube->user, at_end ? u : u + step, behind);
    for (int k = 0; k < 3; k++) {
        out[k] = behind[k] - before[k];
    }
    shape_normalise(out);
}

/* `side` without its part along `tangent`. */
static void straighten(const double tangent[3], double side[3])
{
    const double along = (side[0] * tangent[0] + side[1] * tangent[1]) + side[2] * tangent[2];
    for (int k = 0; k < 3; k++) {
        side[k] -= along * tangent[k];
    }
    shape_normalise(side);
}

static void carry(const carried_tube *of)
{
    double side[3] = {0.36, 0.48, 0.8};
    for (uint32_t i = 0; i <= of->rows; i++) {
        double tangent[3];
        const double u = (double)i / of->rows;
        tangent_at(of->tube, u, 1e-3, tangent);
        straighten(tangent, side);
        of->tube->curve(of->tube->user, u, of->place + 3 * (size_t)i);
        memcpy(of->side + 3 * (size_t)i, side, sizeof side);
    }
}

static void tube_point(const void *user, double u, double v, double p[3])
{
    const carried_tube *of = user;
    const uint32_t row = (uint32_t)floor(u * of->rows + 0.5);
    const double *place = of->place + 3 * (size_t)row, *side = of->side + 3 * (size_t)row;
    double tangent[3], up[3];
    tangent_at(of->tube, u, 1e-3, tangent);
    shape_cross(tangent, side, up);
    for (int k = 0; k < 3; k++) {
        p[k] = place[k] + of->tube->radius * (shape_cosine(v) * side[k] + shape_sine(v) * up[k]);
    }
}

/* Carried around a closed curve the direction comes back turned, so the sheet is never sewn
 * together along the curve: its ends lie on the same circle. */
void shape_add_tube(shape_mesh *mesh, const shape_tube *tube, double triangles)
{
    carried_tube of = {tube, 0, NULL, NULL};
    shape_sheet sheet = {.point = tube_point, .user = &of, .closed_v = true};
    shape_divide(triangles, tube->ratio, &sheet);
    of.rows = sheet.rows;
    of.place = grown(NULL, 0, sheet.rows + 1, 3 * sizeof(double));
    of.side = grown(NULL, 0, sheet.rows + 1, 3 * sizeof(double));
    carry(&of);
    shape_add_sheet(mesh, &sheet);
    free(of.place);
    free(of.side);
}

/* -------------------------------------------------------------------------------- plates -- */

typedef struct {
    const shape_plate *plate;
    double height; /* of a face */
    bool round;    /* the hole's wall, not the outer one */
} plate_part;

static void place_in_frame(const shape_plate *plate, double x, double y, double z, double p[3])
{
    double third[3];
    shape_cross(plate->along, plate->across, third);
    for (int k = 0; k < 3; k++) {
        p[k] = plate->centre[k] + ((x * plate->across[k] + y * third[k]) + z * plate->along[k]);
    }
}

static void wall_point(const void *user, double u, double v, double p[3])
{
    const plate_part *part = user;
    const shape_plate *plate = part->plate;
    const double r = part->round ? plate->hole : plate->radius(plate->user, v);
    const double z = plate->thickness * (u - 0.5);
    place_in_frame(plate, r * shape_cosine(v), r * shape_sine(v), z, p);
}

static void face_point(const void *user, double u, double v, double p[3])
{
    const plate_part *part = user;
    const shape_plate *plate = part->plate;
    const double r = plate->hole + u * (plate->radius(plate->user, v) - plate->hole);
    place_in_frame(plate, r * shape_cosine(v), r * shape_sine(v), part->height, p);
}

void shape_add_plate(shape_mesh *mesh, const shape_plate *plate, double triangles)
{
    const double walls = plate->hole > 0 ? 2 : 1;
    plate_part part = {.plate = plate};
    shape_sheet sheet = {.user = &part, .closed_v = true};
    /* As many columns in every part, so that edges meet. */
    const double columns = floor(sqrt(triangles) * 0.9 + 0.5);
    sheet.columns = columns < 6 ? 6 : (uint32_t)columns;
    const double rows = floor(triangles / (2 * sheet.columns * (2 + 0.5 * walls)) + 0.5);
    sheet.rows = rows < 1 ? 1 : (uint32_t)rows;
    for (int face = 0; face < 2; face++) {
        part.height = plate->thickness * (face - 0.5);
        sheet.point = face_point;
        shape_add_sheet(mesh, &sheet);
    }
    sheet.rows = (sheet.rows + 1) / 2;
    sheet.point = wall_point;
    for (int wall = 0; wall < (int)walls; wall++) {
        part.round = wall == 1;
        shape_add_sheet(mesh, &sheet);
    }
}
