/* Contact regions at their edges: resting without depth, faces in one plane, rings, a bar through a
 * plate and through a sheet, one mesh inside another, holes within one triangle, borders; too
 * little room, capacities, filters, ids over time, errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kiln_regions.h"
#include "../../runtime/regions/crossing.h"
#include "../support/contact_shapes.h"
#include "../support/quick_bake.h"

enum { ROOM = 8, TRIANGLES = 20000, PAIRS = 4000 };

typedef struct {
    quick_model model;
    kiln_adjacency *adjacency;
} thing;

static thing cube, ground, sheet, torus, plate, bar;
static kiln_regions *regions;
static void *memory;
static uint64_t state = 3;

static thing thing_of(mesh m)
{
    thing t;
    t.model = quick_model_of(m, "obb", 4);
    const kiln_tree *tree = kiln_file_tree(t.model.file, 0);
    const size_t size = kiln_adjacency_size(tree);
    assert_int_equal(kiln_adjacency_place(malloc(size), size, tree, &t.adjacency), KILN_OK);
    assert_ptr_equal(kiln_adjacency_tree(t.adjacency), tree);
    return t;
}

static void thing_free(thing *t)
{
    free(t->adjacency);
    quick_model_free(&t->model);
}

static int set_up(void **unused)
{
    (void)unused;
    cube = thing_of(mesh_box(-1, -1, -1, 1, 1, 1));
    ground = thing_of(mesh_box(-6, -6, -4, 6, 6, 0));
    sheet = thing_of(solid_mesh(SOLID_SHEET, 2, false, &state));
    torus = thing_of(mesh_torus(32, 24, 0));
    plate = thing_of(mesh_box(-3, -3, -0.125f, 3, 3, 0.125f));
    bar = thing_of(mesh_box(-0.5f, -0.5f, -4, 0.5f, 0.5f, 4));
    const size_t size = kiln_regions_size(TRIANGLES, PAIRS);
    memory = malloc(size);
    return kiln_regions_place(memory, size, TRIANGLES, PAIRS, &regions) == KILN_OK ? 0 : -1;
}

static int tear_down(void **unused)
{
    (void)unused;
    thing *all[] = {&cube, &ground, &sheet, &torus, &plate, &bar};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        thing_free(all[i]);
    }
    free(memory);
    return 0;
}

static kiln_pose at(double x, double y, double z)
{
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

/* The count, of a query of which no more regions come than there is room for. */
static size_t find(const thing *a, kiln_pose pose, const thing *b, kiln_region out[ROOM])
{
    size_t count = 99;
    assert_int_equal(kiln_contact_regions(regions, a->adjacency, &pose, b->adjacency, NULL, NULL,
                                          out, ROOM, &count),
                     KILN_OK);
    assert_true(count <= ROOM);
    return count;
}

static void near(double got, double want)
{
    assert_true(fabs(got - want) < 1e-6);
}

/* Four points at the corners of a rectangle. */
static void expect_rectangle(const kiln_region *r, double x0, double y0, double x1, double y1,
                             double z)
{
    unsigned seen = 0;
    assert_int_equal(r->point_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const double *p = r->points[i].position;
        const unsigned east = fabs(p[0] - x1) < 1e-6, north = fabs(p[1] - y1) < 1e-6;
        near(p[0], east ? x1 : x0);
        near(p[1], north ? y1 : y0);
        near(p[2], z);
        seen |= 1u << (2 * east + north);
    }
    assert_int_equal(seen, 15);
}

static void test_sunk(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    assert_int_equal(find(&cube, at(0.5, 0.25, 0.53), &ground, r), 1);
    near(r[0].depth, 0.47);
    near(r[0].normal[2], 1);
    near(r[0].area, 4);
    near(r[0].length, 8);
    near(r[0].area_vector[2], 4);
    near(r[0].centroid[0], 0.5);
    near(r[0].centroid[2], -0.235);
    near(r[0].place_a[2], -0.765);
    near(r[0].place_b[2], -0.235);
    near(r[0].radius, sqrt(2 + 0.235 * 0.235));
    assert_true(r[0].id == 1 && r[0].curves == 1 && !r[0].open && !r[0].touching);
    assert_int_equal(r[0].inside_a, 2);
    assert_int_equal(r[0].inside_b, 0);
    expect_rectangle(&r[0], -0.5, -0.75, 1.5, 1.25, -0.235);
    for (int i = 0; i < 4; i++) {
        near(r[0].points[i].depth, 0.47);
    }
    /* The other way round only normals change. */
    const kiln_pose pose = at(0.5, 0.25, 0.53);
    kiln_region q[ROOM];
    size_t count;
    assert_int_equal(kiln_contact_regions(regions, ground.adjacency, NULL, cube.adjacency, &pose,
                                          NULL, q, ROOM, &count),
                     KILN_OK);
    assert_int_equal(count, 1);
    assert_true(q[0].normal[2] == -r[0].normal[2] && q[0].depth == r[0].depth);
    assert_true(q[0].deepest.a == r[0].deepest.b && q[0].inside_b == 2);
}

/* Resting exactly on a face, and on the edge of one, from outside and from inside. */
static void test_touching(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    const kiln_pose places[] = {at(0, 0, 1), at(6, 0, 1), at(0, 0, -1), at(7, 0, -1)};
    const double normals[][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, -1}, {1, 0, 0}};
    const double areas[] = {4, 2, 4, 2}; /* the last one stands out by half */
    for (int i = 0; i < 4; i++) {
        const kiln_pose pose = i == 3 ? at(7, 0, 0) : places[i];
        assert_int_equal(find(&cube, pose, &ground, r), 1);
        assert_true(r[0].touching);
        assert_true(r[0].depth == 0);
        near(r[0].area, areas[i]);
        for (int k = 0; k < 3; k++) {
            near(fabs(r[0].normal[k]), fabs(normals[i][k]));
        }
        assert_int_equal(r[0].point_count, 4);
        for (uint32_t k = 0; k < r[0].point_count; k++) {
            assert_true(r[0].points[k].depth == 0);
        }
    }
    /* At a corner only. */
    assert_int_equal(find(&cube, at(7, 7, 1), &ground, r), 1);
    assert_true(r[0].touching && r[0].depth == 0);
    near(r[0].points[0].position[0], 6);
    near(r[0].points[0].position[1], 6);
    near(r[0].points[0].position[2], 0);
}

/* Of faces that lie on a sheet and reach over its border only what both have counts; of a sheet
 * that is wholly on a face all of it. Both ways round. */
static void test_over_border(void **unused)
{
    (void)unused;
    kiln_region r[ROOM], q[ROOM];
    const kiln_pose here = at(0, 0, 0);
    kiln_pose tile = at(0.25, 0.125, 1), diamond = at(6.5, 0.25, 1);
    const double c = sqrt(0.5), turn[9] = {c, -c, 0, c, c, 0, 0, 0, 1};
    tile.scale = 0.0625;
    memcpy(diamond.rotation, turn, sizeof turn);
    kiln_pose flat = tile;
    flat.translation[2] = 0;
    const struct {
        const thing *a, *b;
        kiln_pose pose;
        double area, centroid[2], radius;
        uint32_t points;
    } cases[] = {
        {&cube, &sheet, at(6, 0, 1), 2, {5.5, 0}, sqrt(1.25), 4},
        {&cube, &sheet, at(6, 6, 1), 1, {5.5, 5.5}, sqrt(0.5), 4},
        {&cube, &sheet, at(5.5, -5.75, 1), 1.5 * 1.25, {5.25, -5.375}, sqrt(0.9525), 4},
        {&cube, &sheet, at(0, 0, 1), 4, {0, 0}, sqrt(2), 4},
        {&sheet, &cube, tile, 0.5625, {0.25, 0.125}, sqrt(0.28125), 4},
        {&sheet, &sheet, flat, 0.5625, {0.25, 0.125}, sqrt(0.28125), 4},
        {&cube,
         &sheet,
         diamond,
         (sqrt(2) - 0.5) * (sqrt(2) - 0.5),
         {6 - (sqrt(2) - 0.5) / 3, 0.25},
         0,
         3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t count;
        for (int fine = 0; fine < 2; fine++) {
            mesh a = solid_divided(&cases[i].a->model.geometry, 1 + 2 * (uint32_t)fine);
            mesh b = solid_divided(&cases[i].b->model.geometry, 1 + 3 * (uint32_t)fine);
            thing one = thing_of(a), other = thing_of(b);
            assert_int_equal(find(&one, cases[i].pose, &other, r), 1);
            assert_true(r[0].touching && r[0].depth == 0);
            near(r[0].area, cases[i].area);
            /* Of two sheets that face one way neither is above the other. */
            const double up = i == 5 ? r[0].normal[2] : 1;
            near(r[0].normal[2], up);
            near(fabs(up), 1);
            near(r[0].area_vector[2], up * cases[i].area);
            near(r[0].centroid[0], cases[i].centroid[0]);
            near(r[0].centroid[1], cases[i].centroid[1]);
            assert_true(cases[i].radius == 0 || fabs(r[0].radius - cases[i].radius) < 1e-2);
            assert_int_equal(r[0].point_count, cases[i].points);
            assert_int_equal(kiln_contact_regions(regions, other.adjacency, &here, one.adjacency,
                                                  &cases[i].pose, NULL, q, ROOM, &count),
                             KILN_OK);
            assert_int_equal(count, 1);
            assert_true(q[0].area == r[0].area && q[0].normal[2] == -r[0].normal[2]);
            thing_free(&one);
            thing_free(&other);
        }
    }
}

/* Boxes whose sides are in the same planes, as those of a stack are. */
static void test_flush(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    const double shifts[][2] = {{0, 0}, {0.5, 0}, {0.5, 0.25}, {2, 0}};
    for (int i = 0; i < 3; i++) {
        const double x = shifts[i][0], y = shifts[i][1];
        assert_int_equal(find(&cube, at(x, y, 1.9), &cube, r), 1);
        assert_false(r[0].touching);
        near(r[0].depth, 0.1);
        near(r[0].normal[2], 1);
        expect_rectangle(&r[0], x - 1, y - 1, 1, 1, 0.95);
    }
    assert_int_equal(find(&cube, at(2, 0, 1.5), &cube, r), 1);
    assert_true(r[0].touching);
    near(r[0].normal[0], 1);
}

static void test_rings(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    /* Two circles of 32 sides; its radii are 1 and 0.4. */
    assert_int_equal(find(&torus, at(0, 0, 0.3), &ground, r), 1);
    assert_int_equal(r[0].curves, 2);
    near(r[0].normal[2], 1);
    assert_true(r[0].depth > 0.095 && r[0].depth < 0.101);
    near(r[0].centroid[0], 0);
    near(r[0].centroid[1], 0);
    assert_true(r[0].area > 1 && r[0].area < 2 * 3.1416 * 2 * 0.27);
    /* Upright: two feet of one patch. */
    kiln_pose upright = {{0, 0, 1, 0, 1, 0, -1, 0, 0}, {0, 0, 0.2}, 1};
    assert_int_equal(find(&torus, upright, &ground, r), 1);
    assert_int_equal(r[0].curves, 2);
    near(r[0].normal[2], 1);
    assert_true(r[0].depth > 1.19 && r[0].depth <= 1.2);
    /* A plate with a pit in which a smaller box stands: a curve around the pit's, all in one
     * face. */
    mesh tube = mesh_torus(4, 4, 0);
    thing square = thing_of(tube);
    assert_int_equal(find(&square, at(0, 0, 0.25), &ground, r), 1);
    assert_int_equal(r[0].curves, 2);
    thing_free(&square);
}

/* A box with a square hole through it, of eight triangles a face. */
static mesh frame_mesh(void)
{
    static const float outline[8][2] = {{-2, -2}, {2, -2}, {2, 2}, {-2, 2},
                                        {-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    mesh m = {malloc(16 * 3 * sizeof(float)), malloc(32 * 3 * sizeof(uint32_t)), 16, 0};
    assert_true(m.positions != NULL && m.indices != NULL);
    for (uint32_t i = 0; i < 16; i++) {
        m.positions[3 * i] = outline[i % 8][0];
        m.positions[3 * i + 1] = outline[i % 8][1];
        m.positions[3 * i + 2] = i < 8 ? -5 : 5;
    }
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t o = k, p = (k + 1) % 4;
        const uint32_t all[8][3] = {
            {o, 4 + o, p},          {p, 4 + o, 4 + p},        /* floor, seen from below */
            {8 + o, 8 + p, 12 + o}, {8 + p, 12 + p, 12 + o},  /* ceiling */
            {o, p, 8 + o},          {p, 8 + p, 8 + o},        /* outside */
            {4 + o, 12 + o, 4 + p}, {4 + p, 12 + o, 12 + p}}; /* inside */
        memcpy(m.indices + 3 * (size_t)m.triangle_count, all, sizeof all);
        m.triangle_count += 8;
    }
    return m;
}

/* A square tube through a plate: each of four faces has a curve in a curve, within one triangle. */
static void test_within_triangle(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    thing tube = thing_of(frame_mesh());
    thing wide = thing_of(mesh_box(-60, -50, -0.125f, 50, 60, 0.125f));
    assert_int_equal(find(&tube, at(20, -15, 0), &wide, r), 1);
    assert_int_equal(r[0].curves, 4);
    near(r[0].depth, 0.25);
    near(fabs(r[0].normal[2]), 1);
    near(r[0].length, 2 * (16 + 8));
    /* Not through it: its foot. */
    assert_int_equal(find(&tube, at(20, -15, 5), &wide, r), 1);
    assert_int_equal(r[0].curves, 2);
    near(r[0].depth, 0.125);
    near(r[0].area, 12);
    thing_free(&tube);
    thing_free(&wide);
}

static void test_piercing(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    /* A closed plate: as deep as it is thick. */
    assert_int_equal(find(&bar, at(0.3, 0.2, 1), &plate, r), 1);
    assert_int_equal(r[0].curves, 2);
    near(r[0].depth, 0.25);
    near(r[0].normal[2], 1);
    near(r[0].area_vector[2], 0);
    /* To where its middle is. */
    assert_int_equal(find(&bar, at(0.3, 0.2, -1), &plate, r), 1);
    near(r[0].normal[2], -1);
    /* A sheet: as deep as the bar reaches behind it. */
    assert_int_equal(find(&bar, at(0.3, 0.2, 1), &sheet, r), 1);
    assert_int_equal(r[0].curves, 1);
    near(r[0].depth, 3);
    near(r[0].normal[2], 1);
    near(r[0].area, 1);
    /* Over the border of the sheet: a curve with ends. */
    assert_int_equal(find(&bar, at(6, 0.2, 3.5), &sheet, r), 1);
    assert_true(r[0].open);
    near(r[0].depth, 0);
    near(r[0].normal[2], 1);
    near(r[0].area, 0.5);
    near(r[0].length, 2);
}

/* A bar that leans in the ground would part from the square in which it meets it to its side, but
 * not from the ground. */
static void test_leaning(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    const double c = sqrt(0.5), low = (4 + 0.5) * c;
    kiln_pose pose = at(0.3, 0.2, low - 2);
    const double turn[9] = {c, 0, c, 0, 1, 0, -c, 0, c};
    memcpy(pose.rotation, turn, sizeof turn);
    assert_int_equal(find(&bar, pose, &ground, r), 1);
    near(r[0].depth, 2);
    near(r[0].normal[2], 1);
    /* The same of a ball, in which it stands. */
    thing ball = thing_of(solid_mesh(SOLID_SPHERE, 5000, false, &state));
    pose = at(-6 * c, 0, -1 - 6 * c);
    pose.scale = 6;
    assert_int_equal(find(&ball, pose, &bar, r), 1);
    assert_true(-c * (r[0].normal[0] + r[0].normal[2]) > 0.99);
    thing_free(&ball);
}

/* A pyramid on its head in a ridge: along the normal of one side of the ridge its tip is out
 * soonest, but what is beyond the other side is not. */
static void test_ridge(void **unused)
{
    (void)unused;
    static const float places[5][3] = {{0, 0, 0}, {2, 2, 2}, {-2, 2, 2}, {-2, -2, 2}, {2, -2, 2}};
    static const uint32_t corners[6][3] = {{0, 2, 1}, {0, 3, 2}, {0, 4, 3},
                                           {0, 1, 4}, {1, 2, 3}, {1, 3, 4}};
    kiln_region r[ROOM];
    mesh m = {malloc(sizeof places), malloc(sizeof corners), 5, 6};
    assert_true(m.positions != NULL && m.indices != NULL);
    memcpy(m.positions, places, sizeof places);
    memcpy(m.indices, corners, sizeof corners);
    mesh wedge = solid_mesh(SOLID_WEDGE, 8, false, &state);
    for (uint32_t i = 0; i < wedge.vertex_count; i++) {
        wedge.positions[3 * i + 1] *= 1.25F;
    }
    thing pyramid = thing_of(m), roof = thing_of(wedge);
    assert_int_equal(find(&pyramid, at(0.125, 0, 0.75), &roof, r), 1);
    near(r[0].depth, 0.25);
    near(r[0].normal[2], 1);
    thing_free(&pyramid);
    thing_free(&roof);
}

/* A ball over the corner of a box: three faces have about a third of the curve each, and along one
 * of them it parts from the corner sooner than along what lies between them. */
static void test_corner(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    thing ball = thing_of(solid_mesh(SOLID_SPHERE, 3000, false, &state));
    assert_int_equal(find(&ball, at(0.9, 0.9, 1.4), &cube, r), 1);
    assert_true(fabs(r[0].depth - 0.6) < 1e-3);
    near(r[0].normal[2], 1);
    thing_free(&ball);
}

#ifdef __SIZEOF_INT128__
/* Six times the volume of a tetrahedron of whole numbers. */
static double whole_volume(int64_t t[3][3], const int64_t p[3])
{
    __extension__ typedef __int128 wide;
    wide sum = 0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const int64_t normal =
            (t[1][i] - t[0][i]) * (t[2][j] - t[0][j]) - (t[1][j] - t[0][j]) * (t[2][i] - t[0][i]);
        sum += (wide)normal * (p[k] - t[0][k]);
    }
    return (double)sum;
}

static thing triangle_of(int64_t t[3][3])
{
    mesh m = {malloc(9 * sizeof(float)), malloc(3 * sizeof(uint32_t)), 3, 1};
    assert_true(m.positions != NULL && m.indices != NULL);
    for (uint32_t i = 0; i < 9; i++) {
        m.positions[i] = (float)t[i / 3][i % 3];
    }
    for (uint32_t i = 0; i < 3; i++) {
        m.indices[i] = i;
    }
    return thing_of(m);
}

/* An edge that leads through a plane at a small angle: where, is known to the last digits. */
static void test_small_angle(void **unused)
{
    (void)unused;
    for (int i = 0; i < 40; i++) {
        enum { FAR = 4000000, NEAR = 400000, RISE = 500 };
        const int64_t low = (int64_t)random_below(&state, NEAR);
        int64_t t[3][3] = {
            {-FAR + low, -FAR, -NEAR + low}, {FAR, -FAR + low, NEAR}, {low, FAR, low}};
        /* The plane's height over two places of it, nearly. */
        int64_t s[3][3] = {{-FAR / 3, -FAR / 5 - low, 0}, {FAR / 3, -FAR / 5, 0}, {low, 0, FAR}};
        for (int k = 0; k < 2; k++) {
            const double over = whole_volume(t, s[k]);
            s[k][2] += 1;
            s[k][2] = (int64_t)(-over / (whole_volume(t, s[k]) - over)) + (k == 0 ? RISE : -RISE);
        }
        thing one = triangle_of(s), other = triangle_of(t);
        kiln_region r[ROOM];
        double cut[2][3], way = 0;
        assert_int_equal(find(&one, at(0, 0, 0), &other, r), 1);
        for (int k = 0; k < 2; k++) {
            const int64_t *from = s[2 * k], *to = s[1];
            const double above = whole_volume(t, from);
            const double part = above / (above - whole_volume(t, to));
            for (int j = 0; j < 3; j++) {
                cut[k][j] = (double)from[j] + part * (double)(to[j] - from[j]);
            }
        }
        for (int j = 0; j < 3; j++) {
            way += (cut[1][j] - cut[0][j]) * (cut[1][j] - cut[0][j]);
        }
        assert_true(fabs(r[0].length - sqrt(way)) < 4e-15 * FAR);
        thing_free(&one);
        thing_free(&other);
    }
}
#endif

/* Deep boxes, whose normal is tilted: it does not depend on what a search comes to first, so a move
 * of 1e-9 changes it by no more than a tenth of a degree. */
static void test_steady(void **unused)
{
    (void)unused;
    static const uint64_t seeds[] = {14229779412069689030u, 10672899809012717701u,
                                     8766125957823281000u,  6892785269952168559u,
                                     14371760397695560698u, 8309214711698047831u};
    kiln_region r[ROOM], moved[ROOM];
    thing board = thing_of(mesh_box(-1, -0.5f, -0.25f, 1, 0.5f, 0.25f));
    thing box = thing_of(mesh_box(-0.8f, -0.8f, -0.8f, 0.8f, 0.8f, 0.8f));
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        uint64_t seed = seeds[i];
        kiln_pose pose = pose_random(&seed, 1.2);
        assert_int_equal(find(&board, pose, &box, r), 1);
        for (int k = 0; k < 6; k++) {
            kiln_pose beside = pose;
            double along = 0;
            beside.translation[k % 3] += k < 3 ? 1e-9 : -1e-9;
            assert_int_equal(find(&board, beside, &box, moved), 1);
            for (int j = 0; j < 3; j++) {
                along += r[0].normal[j] * moved[0].normal[j];
            }
            assert_true(along > 1 - 1.5e-6);
            assert_true(fabs(moved[0].depth - r[0].depth) < 1e-3 * r[0].depth);
        }
    }
    thing_free(&board);
    thing_free(&box);
}

/* A surface that goes round the border of a sheet has no patch, however finely both are divided. */
static void test_border(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    for (uint32_t n = 1; n < 9; n++) {
        thing fine = thing_of(solid_divided(&bar.model.geometry, n));
        thing net = thing_of(solid_divided(&sheet.model.geometry, 9 - n));
        assert_int_equal(find(&fine, at(6, 0.2, 3.5), &net, r), 1);
        assert_true(r[0].open);
        near(r[0].depth, 0);
        near(r[0].area, 0.5);
        near(r[0].length, 2);
        thing_free(&fine);
        thing_free(&net);
    }
}

/* Two sheets that face up, or the lower one down, with a bar through both. */
static thing two_sheets(bool down)
{
    static const float places[8][3] = {{-6, -6, 0},   {6, -6, 0},      {6, 6, 0},
                                       {-6, 6, 0},    {-6, -6, -2.5F}, {6, -6, -2.5F},
                                       {6, 6, -2.5F}, {-6, 6, -2.5F}};
    static const uint32_t up[12] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    static const uint32_t apart[12] = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6};
    mesh two = {malloc(sizeof places), malloc(sizeof up), 8, 4};
    assert_true(two.positions != NULL && two.indices != NULL);
    memcpy(two.positions, places, sizeof places);
    memcpy(two.indices, down ? apart : up, sizeof up);
    return thing_of(two);
}

static void test_between(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    thing alike = two_sheets(false), slab = two_sheets(true);
    kiln_pose mirror = at(0, 0, -1.0625);
    mirror.rotation[0] = -1;
    for (uint32_t n = 1; n < 9; n++) {
        thing fine = thing_of(solid_divided(&bar.model.geometry, n));
        /* What is between them is behind the one, and in front of the other. */
        assert_int_equal(find(&fine, at(0.3, 0.2, 1.0625), &alike, r), 2);
        near(r[0].depth, 0.4375);
        near(r[1].depth, 0);
        /* Or behind both, also where they are mirrored, which leaves their fronts. */
        assert_int_equal(find(&fine, at(0.3, 0.2, 1.0625), &slab, r), 1);
        near(r[0].depth, 2.5);
        assert_int_equal(find(&slab, mirror, &fine, r), 1);
        near(r[0].depth, 2.5);
        thing_free(&fine);
    }
    thing_free(&alike);
    thing_free(&slab);
}

/* A prism along -z of five levels, and a sheet at z = 0 with a spike through each triangle between
 * the third level and the fourth. Triangles from the first to the last, or reversed. */
static mesh spiked_prism(bool reversed, bool spikes)
{
    enum { LEVELS = 5, SIDES = 6 * (LEVELS - 1) };
    static const double corner[3][2] = {{1, 0}, {-0.5, 0.875}, {-0.5, -0.875}};
    static const float levels[LEVELS] = {2, -1, -2, -3, -4};
    float p[3 * LEVELS + 18][3] = {{0}};
    uint32_t t[SIDES + 2][3], count = 0;
    for (uint32_t i = 0; i < 3 * LEVELS; i++) {
        p[i][0] = (float)corner[i % 3][0];
        p[i][1] = (float)corner[i % 3][1];
        p[i][2] = levels[i / 3];
    }
    for (uint32_t i = 0; i < SIDES; i++) {
        const uint32_t own = i / 6 * 3 + i / 2 % 3, next = i / 6 * 3 + (i / 2 + 1) % 3;
        const uint32_t of[2][3] = {{own, own + 3, next}, {next, own + 3, next + 3}};
        memcpy(t[count++], of[i % 2], sizeof of[0]);
    }
    const uint32_t ends[2][3] = {{0, 1, 2}, {12, 14, 13}};
    memcpy(t[count], ends, sizeof ends);
    count += 2;
    if (spikes) {
        count = 0;
        for (uint32_t i = 12; i < 18; i++) {
            const uint32_t first = 3 * LEVELS + 3 * count;
            for (uint32_t k = 0; k < 3; k++) {
                const float middle = (p[t[i][0]][k] + p[t[i][1]][k] + p[t[i][2]][k]) / 3;
                p[first][k] = k < 2 ? middle * 1.125F : middle;
                p[first + 1][k] = p[first + 2][k] = k < 2 ? middle * 0.875F : middle;
            }
            p[first + 1][2] += 0.03125F;
            p[first + 2][2] -= 0.03125F;
            const uint32_t spike[3] = {first, first + 1, first + 2};
            memcpy(t[count++], spike, sizeof spike);
        }
        static const float square[4][3] = {{-6, -6, 0}, {6, -6, 0}, {6, 6, 0}, {-6, 6, 0}};
        memcpy(p, square, sizeof square);
        const uint32_t halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
        memcpy(t[count], halves, sizeof halves);
        count += 2;
    }
    for (uint32_t i = 0; reversed && i < count / 2; i++) {
        uint32_t other[3];
        memcpy(other, t[i], sizeof other);
        memcpy(t[i], t[count - 1 - i], sizeof other);
        memcpy(t[count - 1 - i], other, sizeof other);
    }
    mesh m = {malloc(sizeof p), malloc(sizeof t), sizeof p / sizeof p[0], count};
    assert_true(m.positions != NULL && m.indices != NULL);
    memcpy(m.positions, p, sizeof p);
    memcpy(m.indices, t, sizeof t);
    return m;
}

/* What is behind triangles of which it is not known where they are is filled through them, also if
 * they come first. */
static void test_behind_spikes(void **unused)
{
    (void)unused;
    for (int order = 0; order < 12; order++) {
        mesh m = spiked_prism(order % 2 == 1, false), n = spiked_prism(order / 2 % 2 == 1, true);
        thing prism = thing_of(order < 4 ? m : solid_shuffled(&m, &state));
        thing spikes = thing_of(order < 4 ? n : solid_shuffled(&n, &state));
        kiln_region r[ROOM], q[ROOM];
        const size_t count = find(&prism, at(0, 0, 0), &spikes, r);
        assert_int_equal(count, 7);
        near(r[0].depth, 4);
        assert_int_equal(r[0].inside_a, 13);
        assert_int_equal(r[0].inside_b, 0);
        assert_int_equal(r[0].pairs, 8);
        assert_int_equal(find(&spikes, at(0, 0, 0), &prism, q), count);
        for (size_t i = 0; i < count; i++) {
            near(q[i].depth, r[i].depth);
            assert_true(q[i].inside_a == r[i].inside_b && q[i].inside_b == r[i].inside_a);
            assert_true(q[i].pairs == r[i].pairs && q[i].touching == r[i].touching);
        }
        thing_free(&prism);
        thing_free(&spikes);
        if (order >= 4) {
            mesh_free(&m);
            mesh_free(&n);
        }
    }
}

static void test_apart(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    assert_int_equal(find(&cube, at(0, 0, 1.01), &ground, r), 0);
    assert_int_equal(find(&cube, at(0, 0, -2), &ground, r), 0); /* wholly inside */
    assert_int_equal(find(&cube, at(100, 0, 0), &ground, r), 0);
}

/* A bar that lies across a torus meets it in two regions, deeper first; room for one keeps that. */
static void test_several(void **unused)
{
    (void)unused;
    kiln_region r[ROOM], one[1];
    kiln_pose across = {{0, 0, 1, 0, 1, 0, -1, 0, 0}, {0, 0, 0.8}, 1};
    across.rotation[0] = -0.01;
    across.rotation[2] = across.rotation[6] = 0;
    const double s = 0.02, c = sqrt(1 - s * s);
    const kiln_pose lying = {{s, 0, c, 0, 1, 0, -c, 0, s}, {0, 0, 0.8}, 1};
    size_t count;
    assert_int_equal(find(&bar, lying, &torus, r), 2);
    assert_true(r[0].depth > r[1].depth);
    assert_true(r[0].id + r[1].id == 3);
    assert_int_equal(kiln_contact_regions(regions, bar.adjacency, &lying, torus.adjacency, NULL,
                                          NULL, one, 1, &count),
                     KILN_OK);
    assert_int_equal(count, 2);
    assert_true(one[0].id == r[0].id && one[0].depth == r[0].depth);
    assert_int_equal(kiln_contact_regions(regions, bar.adjacency, &lying, torus.adjacency, NULL,
                                          NULL, NULL, 0, &count),
                     KILN_OK);
    assert_int_equal(count, 2);
}

/* A bar that rolls over two feet keeps their ids, whichever is deeper. */
static void test_ids(void **unused)
{
    (void)unused;
    kiln_region before[ROOM], now[ROOM];
    size_t before_count = 0;
    uint64_t next = 1;
    for (int i = 0; i <= 40; i++) {
        const double s = 0.002 * (i - 20), c = sqrt(1 - s * s);
        const kiln_pose lying = {{s, 0, c, 0, 1, 0, -c, 0, s}, {0.01 * i, 0, 0.8}, 1};
        const size_t count = find(&bar, lying, &torus, now);
        assert_int_equal(count, 2);
        assert_int_equal(kiln_regions_match(before, before_count, now, count, &next), KILN_OK);
        for (size_t k = 0; k < count; k++) {
            assert_true(now[k].id == (now[k].centroid[0] < 0 ? now[k].id : 3 - now[1 - k].id));
            assert_true(i == 0 || now[k].id <= 2);
            for (size_t j = 0; j < before_count; j++) {
                if (before[j].id == now[k].id) {
                    assert_true(before[j].centroid[0] * now[k].centroid[0] > 0);
                }
            }
        }
        memcpy(before, now, sizeof now);
        before_count = count;
    }
    assert_int_equal(next, 3);
    assert_int_equal(kiln_regions_match(NULL, 0, now, 2, &next), KILN_OK);
    assert_true(now[0].id == 3 && now[1].id == 4 && next == 5);
    assert_int_equal(kiln_regions_match(NULL, 1, now, 2, &next), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_regions_match(now, 1, NULL, 2, &next), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_regions_match(now, 1, now, 2, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_regions_match(NULL, 0, NULL, 0, &next), KILN_OK);
}

static bool refuse_all(void *user, kiln_pair pair)
{
    (void)user;
    (void)pair;
    return false;
}

static bool refuse_one(void *user, kiln_pair pair)
{
    return pair.a != *(uint32_t *)user;
}

static void test_filter(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    kiln_pair_options options = kiln_pair_options_default();
    const kiln_pose pose = at(0.5, 0.25, 0.53);
    size_t count;
    options.filter = refuse_all;
    assert_int_equal(kiln_contact_regions(regions, cube.adjacency, &pose, ground.adjacency, NULL,
                                          &options, r, ROOM, &count),
                     KILN_OK);
    assert_int_equal(count, 0);
    for (uint32_t t = 0; t < 12; t++) {
        options.filter = refuse_one;
        options.filter_user = &t;
        assert_int_equal(kiln_contact_regions(regions, cube.adjacency, &pose, ground.adjacency,
                                              NULL, &options, r, ROOM, &count),
                         KILN_OK);
        assert_int_equal(count, 1);
        assert_true(isfinite(r[0].depth) && r[0].depth <= 0.471);
    }
}

static void test_room(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    kiln_regions *small = NULL;
    uint32_t triangles = 1, pairs = 1;
    size_t count = 77;
    const kiln_pose pose = at(0.5, 0.25, 0.53);
    assert_int_equal(kiln_regions_size(1u << 29, 0), 0);
    assert_int_equal(kiln_regions_size(0, 1u << 29), 0);
    for (int round = 0; round < 2; round++) {
        const size_t size = kiln_regions_size(triangles, pairs);
        char *block = malloc(size);
        assert_int_equal(kiln_regions_place(block, size - 8, triangles, pairs, &small),
                         KILN_ERROR_ARGUMENT);
        assert_null(small);
        assert_int_equal(kiln_regions_place(block, size, triangles, pairs, &small), KILN_OK);
        const kiln_status status = kiln_contact_regions(
            small, cube.adjacency, &pose, ground.adjacency, NULL, NULL, r, ROOM, &count);
        assert_int_equal(status, round == 0 ? KILN_ERROR_FULL : KILN_OK);
        assert_int_equal(count, round == 0 ? 77 : 1);
        assert_int_equal(kiln_regions_needed(small, &triangles, &pairs), KILN_OK);
        assert_int_equal(triangles, 24);
        assert_int_equal(pairs, 10);
        free(block);
    }
}

static void test_errors(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    size_t count;
    char bytes[64];
    kiln_adjacency *none = cube.adjacency;
    kiln_pose bad = at(0, 0, NAN);
    uint32_t number;
    const kiln_tree *tree = kiln_adjacency_tree(cube.adjacency);
    assert_int_equal(kiln_adjacency_size(NULL), 0);
    assert_int_equal(kiln_adjacency_place(bytes, sizeof bytes, tree, &none), KILN_ERROR_ARGUMENT);
    assert_null(none);
    assert_int_equal(kiln_adjacency_place(NULL, 1000, tree, &none), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adjacency_place(bytes, 1000, NULL, &none), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adjacency_place(bytes, 1000, tree, NULL), KILN_ERROR_ARGUMENT);
    assert_null(kiln_adjacency_tree(NULL));
    assert_int_equal(kiln_contact_regions(NULL, cube.adjacency, NULL, cube.adjacency, NULL, NULL, r,
                                          ROOM, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(
        kiln_contact_regions(regions, NULL, NULL, cube.adjacency, NULL, NULL, r, ROOM, &count),
        KILN_ERROR_ARGUMENT);
    assert_int_equal(
        kiln_contact_regions(regions, cube.adjacency, NULL, NULL, NULL, NULL, r, ROOM, &count),
        KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_contact_regions(regions, cube.adjacency, NULL, cube.adjacency, NULL, NULL,
                                          NULL, 1, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_contact_regions(regions, cube.adjacency, NULL, cube.adjacency, NULL, NULL,
                                          r, ROOM, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_contact_regions(regions, cube.adjacency, &bad, cube.adjacency, NULL, NULL,
                                          r, ROOM, &count),
                     KILN_ERROR_POSE);
    bad = at(0, 0, 0);
    bad.rotation[4] = 0; /* no inverse */
    assert_int_equal(kiln_contact_regions(regions, cube.adjacency, NULL, cube.adjacency, &bad, NULL,
                                          r, ROOM, &count),
                     KILN_ERROR_POSE);
    assert_int_equal(kiln_regions_needed(NULL, &number, &number), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_regions_needed(regions, NULL, &number), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_regions_place(bytes, sizeof bytes, 1, 1, NULL), KILN_ERROR_ARGUMENT);
    /* A mesh at its own place: something finite. */
    assert_int_equal(kiln_contact_regions(regions, torus.adjacency, NULL, torus.adjacency, NULL,
                                          NULL, r, ROOM, &count),
                     KILN_ERROR_FULL);
    assert_int_equal(kiln_contact_regions(regions, cube.adjacency, NULL, cube.adjacency, NULL, NULL,
                                          r, ROOM, &count),
                     KILN_OK);
    assert_true(count > 0 && isfinite(r[0].depth));
}

/* Poses that scale: lengths are the world's. */
static void test_scaled(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    kiln_pose pose = at(0.5, 0.25, 1.9);
    pose.scale = 2;
    assert_int_equal(find(&cube, pose, &ground, r), 1);
    near(r[0].depth, 0.1);
    near(r[0].area, 16);
    near(r[0].place_a[2], -1.95);
    expect_rectangle(&r[0], -1.5, -1.75, 2.5, 2.25, -0.05);
}

/* As small as floats and scales can be: nothing is lost. */
static void test_smallest(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    const float half = 0x1p-140F;
    thing small = thing_of(mesh_box(-half, -half, -half, half, half, half));
    kiln_pose below = at(0, 0, 0), above = at(0, 0, 0);
    size_t count;
    below.scale = above.scale = KILN_SCALE_MIN;
    const double edge = 2 * (double)half * KILN_SCALE_MIN;
    above.translation[2] = 0.75 * edge;
    assert_int_equal(kiln_contact_regions(regions, small.adjacency, &above, small.adjacency, &below,
                                          NULL, r, ROOM, &count),
                     KILN_OK);
    assert_int_equal(count, 1);
    near(r[0].depth / edge, 0.25);
    near(r[0].normal[2], 1);
    near(r[0].area / edge / edge, 1);
    assert_int_equal(r[0].point_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        near(fabs(r[0].points[i].position[0]) / edge, 0.5);
        near(r[0].points[i].depth / edge, 0.25);
    }
    thing_free(&small);
}

/* And poses that stretch and mirror: of a box, and of a sheet, whose front stays its front. */
static void test_stretched(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    kiln_pose pose = at(0.5, 0.25, 1.9), mirrored = at(0, 0, 0);
    pose.rotation[0] = 4;
    pose.rotation[4] = -2;
    pose.rotation[8] = 2;
    mirrored.rotation[0] = -1;
    assert_int_equal(find(&cube, pose, &ground, r), 1);
    near(r[0].depth, 0.1);
    near(r[0].normal[2], 1);
    near(r[0].area, 32);
    near(r[0].place_a[2], -1.95);
    expect_rectangle(&r[0], -3.5, -1.75, 4.5, 2.25, -0.05);
    size_t count;
    assert_int_equal(kiln_contact_regions(regions, cube.adjacency, &pose, sheet.adjacency,
                                          &mirrored, NULL, r, ROOM, &count),
                     KILN_OK);
    assert_int_equal(count, 1);
    near(r[0].depth, 0.1);
    near(r[0].normal[2], 1);
}

/* A mesh that is wound inside out is solid, too. */
static void test_turned(void **unused)
{
    (void)unused;
    kiln_region r[ROOM];
    mesh m = mesh_box(-1, -1, -1, 1, 1, 1);
    for (uint32_t t = 0; t < m.triangle_count; t++) {
        const uint32_t first = m.indices[3 * t];
        m.indices[3 * t] = m.indices[3 * t + 1];
        m.indices[3 * t + 1] = first;
    }
    thing turned = thing_of(m);
    assert_int_equal(find(&turned, at(0, 0, 0.9), &ground, r), 1);
    near(r[0].normal[2], 1);
    near(r[0].depth, 0.1);
    assert_int_equal(find(&turned, at(0, 0, 1.9), &cube, r), 1);
    near(r[0].normal[2], 1);
    near(r[0].depth, 0.1);
    assert_int_equal(find(&turned, at(0, 0, 0.9), &sheet, r), 1);
    near(r[0].normal[2], 1);
    near(r[0].depth, 0.1);
    thing_free(&turned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sunk),        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_over_border), cmocka_unit_test(test_flush),
        cmocka_unit_test(test_rings),       cmocka_unit_test(test_within_triangle),
        cmocka_unit_test(test_piercing),    cmocka_unit_test(test_leaning),
        cmocka_unit_test(test_ridge),       cmocka_unit_test(test_corner),
#ifdef __SIZEOF_INT128__
        cmocka_unit_test(test_small_angle),
#endif
        cmocka_unit_test(test_steady),      cmocka_unit_test(test_border),
        cmocka_unit_test(test_between),     cmocka_unit_test(test_behind_spikes),
        cmocka_unit_test(test_apart),       cmocka_unit_test(test_several),
        cmocka_unit_test(test_ids),         cmocka_unit_test(test_filter),
        cmocka_unit_test(test_room),        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_scaled),      cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_stretched),   cmocka_unit_test(test_turned),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
