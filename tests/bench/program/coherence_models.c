/* Stand-ins for the scenarios of Tropp et al., with the numbers of triangles of their Table 1, and
 * scenes of our own. The paper's models are not ours to give away: what is alike is how much moves
 * through how much, and how. All are computed by +, -, *, / and square roots, so that they are the
 * same on every machine. */
#include "coherence.h"

#include "../../../models/shape/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------- shapes - */

/* Around a torus of radii 1 and 0.4: wrinkles, 24 along and 9 around. */
static void wrinkled_point(const void *user, double u, double v, double p[3])
{
    (void)user;
    const double r = 0.4 * (1 + 0.08 * shape_sine(24 * u) * shape_cosine(9 * v));
    p[0] = (1 + r * shape_cosine(v)) * shape_cosine(u);
    p[1] = (1 + r * shape_cosine(v)) * shape_sine(u);
    p[2] = r * shape_sine(v);
}

static void make_wrinkled(double triangles, shape_mesh *to)
{
    shape_sheet sheet = {.point = wrinkled_point, .closed_u = true, .closed_v = true};
    shape_divide(triangles, 1, &sheet);
    shape_add_sheet(to, &sheet);
}

/* Fingers and a palm: closed tubes that narrow at both ends, flat by `flat`. */
typedef struct {
    double from[3], way[3];
    double radius, flat;
    uint32_t rows, columns; /* 2 columns (rows - 1) triangles, as the ends have no area */
} limb;

static void limb_point(const void *user, double u, double v, double p[3])
{
    const limb *of = user;
    const double w = 2 * u - 1, r = of->radius * sqrt(1 - (w * w) * (w * w));
    const double across = r * shape_cosine(v), up = of->flat * r * shape_sine(v);
    const double length = sqrt(of->way[0] * of->way[0] + of->way[1] * of->way[1]);
    p[0] = of->from[0] + u * of->way[0] - across * of->way[1] / length;
    p[1] = of->from[1] + u * of->way[1] + across * of->way[0] / length;
    p[2] = of->from[2] + u * of->way[2] + up;
}

/* 404 triangles, always. */
static void make_hand(double triangles, shape_mesh *to)
{
    static const limb limbs[] = {
        {{0, -0.05, 0}, {0, 0.95, 0}, 0.42, 0.35, 5, 7},
        {{-0.33, 0.8, 0}, {-0.12, 0.72, -0.10}, 0.10, 1, 7, 6},
        {{-0.11, 0.85, 0}, {-0.03, 0.85, -0.05}, 0.10, 1, 7, 6},
        {{0.11, 0.85, 0}, {0.04, 0.80, -0.05}, 0.10, 1, 7, 6},
        {{0.32, 0.78, 0}, {0.13, 0.62, -0.10}, 0.09, 1, 7, 6},
        {{0.30, 0.2, 0}, {0.45, 0.42, -0.25}, 0.11, 1, 6, 6},
    };
    (void)triangles;
    for (size_t i = 0; i < sizeof limbs / sizeof limbs[0]; i++) {
        const shape_sheet sheet = {.point = limb_point,
                                   .user = &limbs[i],
                                   .rows = limbs[i].rows,
                                   .columns = limbs[i].columns,
                                   .closed_v = true};
        shape_add_sheet(to, &sheet);
    }
}

/* Around a plate of radius 1 with a hole of 0.5: its section, turned about the z axis. */
enum { SECTION = 8 };

static void section_point(const void *user, double u, double v, double p[3])
{
    static const double section[SECTION][2] = {{0.5, -0.2}, {0.65, -0.2}, {0.85, -0.2}, {1, -0.2},
                                               {1, 0.2},    {0.85, 0.2},  {0.65, 0.2},  {0.5, 0.2}};
    const double *of = section[(uint32_t)floor(u * SECTION + 0.5)];
    (void)user;
    p[0] = of[0] * shape_cosine(v);
    p[1] = of[0] * shape_sine(v);
    p[2] = of[1];
}

static void make_holed_plate(double triangles, shape_mesh *to)
{
    const double columns = floor(triangles / (2 * SECTION) + 0.5);
    const shape_sheet sheet = {.point = section_point,
                               .rows = SECTION,
                               .columns = columns < 12 ? 12 : (uint32_t)columns,
                               .closed_u = true,
                               .closed_v = true};
    shape_add_sheet(to, &sheet);
}

static double round_outline(const void *user, double v)
{
    (void)v;
    return *(const double *)user;
}

/* Up, through a quarter of a circle of radius 0.5, and aside; runs of 0.8. */
static void bent_curve(const void *user, double u, double p[3])
{
    const double run = 0.8, bend = 0.7853981633974483, whole = 2 * run + bend;
    const double far = u * whole;
    (void)user;
    p[0] = p[1] = 0;
    if (far <= run) {
        p[2] = far;
    } else if (far <= run + bend) {
        const double angle = 0.25 * (far - run) / bend;
        p[0] = 0.5 * (1 - shape_cosine(angle));
        p[2] = run + 0.5 * shape_sine(angle);
    } else {
        p[0] = 0.5 + (far - run - bend);
        p[2] = run + 0.5;
    }
}

/* A bent pipe between two flanges that do not go through the hole. */
static void make_bent_pipe(double triangles, shape_mesh *to)
{
    const double radius = 0.62;
    const shape_tube outer = {bent_curve, NULL, 0.28, false, 2};
    const shape_tube inner = {bent_curve, NULL, 0.22, false, 2};
    shape_add_tube(to, &outer, 0.4 * triangles);
    shape_add_tube(to, &inner, 0.3 * triangles);
    for (int end = 0; end < 2; end++) {
        shape_plate flange = {
            .radius = round_outline, .user = &radius, .thickness = 0.1, .hole = 0.22};
        bent_curve(NULL, end, flange.centre);
        flange.along[end == 0 ? 2 : 0] = 1;
        flange.across[1] = 1;
        shape_add_plate(to, &flange, 0.15 * triangles);
    }
}

static double gear_outline(const void *user, double v)
{
    const double phase = 28 * v - floor(28 * v);
    (void)user;
    return 0.87 + 0.13 * (shape_step(0.15, 0.3, phase) - shape_step(0.65, 0.8, phase));
}

static void make_gear(double triangles, shape_mesh *to)
{
    const shape_plate gear = {.radius = gear_outline,
                              .across = {1, 0, 0},
                              .along = {0, 0, 1},
                              .thickness = 0.2,
                              .hole = 0.6};
    shape_add_plate(to, &gear, triangles);
}

/* `size` times a shape of so many triangles, divided by `less`. */
static mesh make_mesh(const shape_kind *kind, double triangles, double less, double size)
{
    enum { LEAST = 300 };
    const double wanted = fmax(triangles / less, fmin(triangles, LEAST));
    shape_mesh made = shape_make(kind, (uint32_t)wanted);
    mesh m = {malloc(3 * sizeof(float) * made.vertex_count), NULL, made.vertex_count,
              made.triangle_count};
    m.indices = made.indices;
    if (m.positions == NULL) {
        abort();
    }
    for (size_t i = 0; i < 3 * (size_t)made.vertex_count; i++) {
        m.positions[i] = (float)(size * (made.positions[i] / 1e6));
    }
    made.indices = NULL;
    shape_free(&made);
    return m;
}

static mesh make_known(const char *name, double triangles, double less, double size)
{
    return make_mesh(shape_find(name), triangles, less, size);
}

/* A body of a scenario: a shape of models/shape by name, or one of ours. */
struct coherence_body {
    const char *name; /* NULL: it is made by `make` */
    void (*make)(double triangles, shape_mesh *to);
    double triangles, size;
};

mesh coherence_body_mesh(const coherence_body *body, double less)
{
    const shape_kind own = {"", "", body->make};
    return body->name != NULL ? make_known(body->name, body->triangles, less, body->size)
                              : make_mesh(&own, body->triangles, less, body->size);
}

mesh coherence_ring(uint32_t triangles)
{
    return make_known("torus", triangles, 1, 0.5);
}

static const coherence_body pipes = {"pipes", NULL, 143690, 1};
static const coherence_body small_pipes = {"pipes", NULL, 143690, 0.25};
static const coherence_body wrinkled = {NULL, make_wrinkled, 98114, 1};
static const coherence_body torus_link = {"torus", NULL, 20000, 0.85};
static const coherence_body car = {"car", NULL, 169944, 1};
static const coherence_body hand = {NULL, make_hand, 404, 0.25};
static const coherence_body holed_plate = {NULL, make_holed_plate, 990, 1};
static const coherence_body bent_pipe = {NULL, make_bent_pipe, 5306, 1};
static const coherence_body small_torus = {"torus", NULL, 20000, 0.16};
static const coherence_body knot = {"knot", NULL, 100000, 1};
static const coherence_body small_gear = {NULL, make_gear, 5000, 0.4};
static const coherence_body lock = {"lock", NULL, 100000, 1};
static const coherence_body torus = {"torus", NULL, 20000, 1};

const coherence_scenario coherence_scenarios[COHERENCE_SCENARIOS] = {
    {"pipes",
     "pipes, and a copy a quarter of the size",
     &pipes,
     &small_pipes,
     143690,
     143690,
     3954,
     {0.133, 0.6152},
     {0.09, 0.4321},
     false,
     {0},
     {0}},
    {"torus",
     "a wrinkled torus, and a link through it",
     &wrinkled,
     &torus_link,
     98114,
     20000,
     3001,
     {0.018, 0},
     {0.018, 0},
     true,
     {1, 0, 0},
     {0, 1, 0}},
    {"hand",
     "a car body, and a hand in it",
     &car,
     &hand,
     169944,
     404,
     2528,
     {0.148, 0.6015},
     {0.147, 0.6015},
     false,
     {0},
     {0}},
    {"flange",
     "a plate with a hole, and a bent pipe with flanges through it",
     &holed_plate,
     &bent_pipe,
     990,
     5306,
     1018,
     {0.16, 0.7148},
     {0.137, 0.629},
     true,
     {-0.365, 0, 0.535},
     {0, 0, 1}},
    {"torus in pipes", "", &pipes, &small_torus, 0, 0, 0, {0, 0}, {0, 0}, false, {0}, {0}},
    {"gear round knot",
     "",
     &knot,
     &small_gear,
     0,
     0,
     0,
     {0, 0},
     {0, 0},
     true,
     {1.45, 0, 0},
     {0, 2.9, 1.35}},
    {"torus at lock", "", &lock, &small_torus, 0, 0, 0, {0, 0}, {0, 0}, false, {0}, {0}},
    {"two tori", "", &torus, &torus, 0, 0, 0, {0, 0}, {0, 0}, false, {0}, {0}},
    {"two knots", "", &knot, &knot, 0, 0, 0, {0, 0}, {0, 0}, false, {0}, {0}},
    {"two pipes", "", &pipes, &pipes, 0, 0, 0, {0, 0}, {0, 0}, false, {0}, {0}},
};

/* ------------------------------------------------------------------------------------ trees - */

coherence_model coherence_model_of(mesh geometry)
{
    coherence_model model = {geometry, {NULL, NULL}, {NULL, NULL}, NULL, NULL, NULL};
    model.files[0] = quick_open(&geometry, "obb", 4, KILN_LAYOUT_RAW, &model.bytes[0]);
    model.files[1] = quick_open(&geometry, "obb2,aabb2", 1, KILN_LAYOUT_RAW, &model.bytes[1]);
    model.obb = kiln_file_find(model.files[0], NULL, KILN_BV_OBB);
    model.obb2 = kiln_file_find(model.files[1], NULL, KILN_BV_OBB2);
    model.aabb2 = kiln_file_find(model.files[1], NULL, KILN_BV_AABB2);
    return model;
}

void coherence_model_free(coherence_model *model)
{
    for (int i = 0; i < 2; i++) {
        kiln_close(model->files[i]);
        free(model->bytes[i]);
    }
    mesh_free(&model->geometry);
}
