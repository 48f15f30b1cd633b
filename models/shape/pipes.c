/* A set of pipes: straight runs along the axes joined by quarter bends, hollow, with flanges. */
#include "parts.h"

#include <math.h>

enum { RUNS_MAX = 6, PIPES = 11 };

/* A pipe: where it starts, then runs along an axis, positive or negative; bends of `bend`
 * between. */
typedef struct {
    double start[3], radius;
    int runs;
    struct {
        int axis;
        double length; /* signed, from corner to corner */
    } run[RUNS_MAX];
} pipe_layout;

static const pipe_layout layouts[PIPES] = {
    {{-0.95, -0.70, -0.60}, 0.080, 3, {{0, 1.30}, {1, 1.20}, {2, 1.30}}},
    {{-0.95, 0.55, -0.70}, 0.065, 4, {{0, 0.60}, {2, 0.90}, {1, -1.10}, {0, 1.20}}},
    {{0.85, -0.95, -0.35}, 0.060, 3, {{1, 0.75}, {0, -1.15}, {2, 1.20}}},
    {{-0.60, -0.95, 0.10}, 0.055, 5, {{1, 0.50}, {0, 0.55}, {1, 0.60}, {2, 0.45}, {0, 0.85}}},
    {{0.10, -0.90, 0.80}, 0.070, 2, {{2, -1.20}, {1, 1.75}}},
    {{-0.85, 0.85, 0.65}, 0.050, 4, {{1, -0.85}, {0, 0.70}, {2, -1.05}, {0, 0.80}}},
    {{0.55, 0.90, -0.85}, 0.050, 3, {{2, 0.65}, {1, -1.35}, {2, 0.95}}},
    {{-0.20, -0.85, -0.85}, 0.045, 4, {{2, 0.50}, {0, -0.55}, {1, 1.00}, {2, 1.05}}},
    {{0.90, 0.20, 0.55}, 0.045, 3, {{0, -0.65}, {1, 0.60}, {0, -1.00}}},
    {{-0.45, 0.15, 0.90}, 0.040, 5, {{2, -0.45}, {0, 0.45}, {2, -0.60}, {1, 0.60}, {0, 0.75}}},
    {{0.35, -0.60, -0.90}, 0.040, 2, {{2, 0.80}, {0, 0.60}}},
};

static double length_of(const pipe_layout *of, int run)
{
    return fabs(of->run[run].length);
}

static double whole_length(const pipe_layout *of)
{
    double length = 0;
    for (int i = 0; i < of->runs; i++) {
        length += length_of(of, i);
    }
    return length;
}

static void direction_of(const pipe_layout *of, int run, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    out[of->run[run].axis] = of->run[run].length > 0 ? 1 : -1;
}

/* Around a corner, `far` before it (negative: behind it), within `bend` of it: a quarter circle,
 * run through by length along the runs. */
static void bend_point(const double corner[3], const double in[3], const double out[3], double bend,
                       double far, double p[3])
{
    const double angle = 0.125 * (1 - far / bend); /* turns, 0 .. 1/4 */
    for (int k = 0; k < 3; k++) {
        const double centre = corner[k] - bend * in[k] + bend * out[k];
        p[k] = centre + bend * (shape_sine(angle) * in[k] - shape_cosine(angle) * out[k]);
    }
}

static void pipe_curve(const void *user, double u, double p[3])
{
    const pipe_layout *of = user;
    const double bend = 2.5 * of->radius;
    double left = u * whole_length(of), corner[3] = {of->start[0], of->start[1], of->start[2]};
    double in[3], out[3];
    for (int i = 0; i < of->runs; i++) {
        const bool last = i + 1 == of->runs;
        direction_of(of, i, in);
        if (left <= length_of(of, i) || last) {
            for (int k = 0; k < 3; k++) {
                p[k] = corner[k] + left * in[k];
            }
            if (!last && length_of(of, i) - left < bend) {
                const double far = length_of(of, i) - left;
                for (int k = 0; k < 3; k++) {
                    corner[k] += length_of(of, i) * in[k];
                }
                direction_of(of, i + 1, out);
                bend_point(corner, in, out, bend, far, p);
            } else if (i > 0 && left < bend) {
                double before[3];
                direction_of(of, i - 1, before);
                bend_point(corner, before, in, bend, -left, p);
            }
            return;
        }
        left -= length_of(of, i);
        for (int k = 0; k < 3; k++) {
            corner[k] += length_of(of, i) * in[k];
        }
    }
}

static double flange_outline(const void *user, double v)
{
    (void)v;
    return *(const double *)user;
}

/* At the start and at the end. */
static void add_flanges(shape_mesh *mesh, const pipe_layout *of, double triangles)
{
    for (int end = 0; end < 2; end++) {
        const double radius = 1.7 * of->radius;
        shape_plate flange = {.radius = flange_outline,
                              .user = &radius,
                              .thickness = 0.4 * of->radius,
                              .hole = 0.8 * of->radius};
        pipe_curve(of, end, flange.centre);
        const int axis = of->run[end == 0 ? 0 : of->runs - 1].axis;
        flange.along[axis] = 1;
        flange.across[(axis + 1) % 3] = 1;
        shape_add_plate(mesh, &flange, triangles / 2);
    }
}

void shape_make_pipes(double triangles, shape_mesh *mesh)
{
    double whole = 0;
    for (int i = 0; i < PIPES; i++) {
        whole += whole_length(&layouts[i]) * layouts[i].radius;
    }
    for (int i = 0; i < PIPES; i++) {
        const pipe_layout *of = &layouts[i];
        const double own = triangles * whole_length(of) * of->radius / whole;
        const double ratio = 0.25 * whole_length(of) / of->radius / 3;
        const shape_tube outer = {pipe_curve, of, of->radius, false, ratio};
        const shape_tube inner = {pipe_curve, of, 0.8 * of->radius, false, ratio};
        shape_add_tube(mesh, &outer, 0.5 * own);
        shape_add_tube(mesh, &inner, 0.35 * own);
        add_flanges(mesh, of, 0.15 * own);
    }
}
