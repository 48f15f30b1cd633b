/* What is sampled: two meshes (tori, soups, lattices, boxes, one mesh twice) with trees of two
 * random kinds on paths near contact: smooth ones, ones that jump, that stand still, that go to and
 * fro, and such as change from one to the other, half of which avoid hits; one of them moves or
 * both, at scales that change now and then; steps from 10^-6 of the size to several sizes; places
 * far from the origin, units from 2^-30 to 2^30, places on a grid, where surfaces touch, and
 * rotations that are not quite; some meshes are stretched, sheared or mirrored, for a while or from
 * one query to the next. One front answers one query after another, of kinds that change at random:
 * first hit, all pairs into an array that is large enough or not, or to a callback, distance; with
 * filters that change from query to query, with bad poses and resets in between; with fronts that
 * are kept whatever they cost; in other rounding modes and instruction sets; with room for 1 to
 * 4096 entries.
 *
 * Oracle: the fresh query of kiln.h at the same poses, which other tests hold to brute force. Pairs
 * and counts must be equal, distances to the bit. Motion that is said to be free is tried out: at
 * random poses within it nothing meets. Some lists of pairs of small meshes are held to integers
 * (oracle.c), too.
 *
 * support/amount.h tells how many; with KILN_PROPERTY_SCALE=50 it is a campaign of 10^6 frames. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/front/front.h"
#include "../../runtime/kernel/kernel.h"
#include "../support/affine.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/brute.h"
#include "../support/rounding.h"
#include "oracle.h"

enum { PATHS = 200, IN_A_UNIT = 100, FRAMES = 100, BODIES = 6, ROOM = 4096 };

static uint64_t state = 181;
static body bodies[BODIES];
static double unit = 1; /* of meshes and places: a power of two */

static body in_units(mesh m, int leaf)
{
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] = (float)((double)m.positions[i] * unit);
    }
    return body_of(m, leaf, KILN_LAYOUT_RAW);
}

static void make_bodies(void)
{
    uint64_t of_meshes = 7;
    bodies[0] = in_units(mesh_torus(20, 12, 0), 4);
    bodies[1] = in_units(mesh_torus(14, 8, 0.1), 1);
    bodies[2] = in_units(mesh_soup(&of_meshes, 60, 0.3), 2);
    bodies[3] = in_units(mesh_lattice(&of_meshes, 80, 3), 4);
    bodies[4] = in_units(mesh_box(-1, -1, -1, 1, 1, 1), 2);
    bodies[5] = in_units(mesh_torus(40, 24, 0.05), 8);
}

static void free_bodies(void)
{
    for (int i = 0; i < BODIES; i++) {
        body_free(&bodies[i]);
    }
}

/* ------------------------------------------------------------------------------------- paths -- */

/* Where an object is, and where it is going. */
typedef struct {
    double quaternion[4], place[3], scale;
    double way[3], axis[3]; /* directions */
    double off, grid;       /* what rotations depart by, at most; 0, or steps of places */
    double base[3];         /* where both objects are */
    bool affine;            /* stretched before it is turned */
    double stretch[9];
    kiln_pose pose;
} mover;

static void form_pose(mover *m)
{
    double squared = 0;
    for (int i = 0; i < 4; i++) {
        squared += m->quaternion[i] * m->quaternion[i];
    }
    for (int i = 0; i < 4; i++) {
        m->quaternion[i] /= sqrt(squared);
    }
    double place[3];
    for (int k = 0; k < 3; k++) {
        const double step = m->grid > 0 ? m->grid : 1;
        place[k] = m->base[k] + (m->grid > 0 ? step * rint(m->place[k] / step) : m->place[k]);
        place[k] *= unit;
    }
    const double straight[4] = {0, 0, 0, 1};
    assert_int_equal(
        kiln_pose_from_quaternion(m->grid > 0 ? straight : m->quaternion, place, &m->pose),
        KILN_OK);
    for (int i = 0; i < 9; i++) {
        m->pose.rotation[i] += random_between(&state, -1, 1) * m->off;
    }
    m->pose.scale = m->scale;
    if (m->affine) {
        const kiln_pose turned = m->pose;
        affine_times(turned.rotation, m->stretch, m->pose.rotation);
    }
}

/* Most stay as they are. */
static void stretch(mover *m, uint32_t seldom)
{
    if (random_below(&state, seldom) == 0) {
        m->affine = random_below(&state, 4) != 0;
        memcpy(m->stretch, affine_pose(&state, AFFINE_MILD).rotation, sizeof m->stretch);
    }
}

/* Turns by about `angle` radians, for small ones. */
static void turn(mover *m, double angle)
{
    const double *a = m->axis, half = angle / 2;
    double *q = m->quaternion;
    const double x = q[0] + half * (a[0] * q[3] + a[1] * q[2] - a[2] * q[1]);
    const double y = q[1] + half * (a[1] * q[3] + a[2] * q[0] - a[0] * q[2]);
    const double z = q[2] + half * (a[2] * q[3] + a[0] * q[1] - a[1] * q[0]);
    const double w = q[3] - half * (a[0] * q[0] + a[1] * q[1] + a[2] * q[2]);
    q[0] = x;
    q[1] = y;
    q[2] = z;
    q[3] = w;
}

static mover mover_at_random(double reach)
{
    mover m;
    memset(&m, 0, sizeof m);
    m.scale = random_below(&state, 3) == 0 ? scale_random(&state, true) : 1;
    m.quaternion[3] = 1;
    for (int i = 0; i < 3; i++) {
        m.quaternion[i] = random_between(&state, -1, 1);
        m.place[i] = random_between(&state, -reach, reach);
    }
    random_direction(&state, m.way);
    random_direction(&state, m.axis);
    form_pose(&m);
    return m;
}

typedef enum { SMOOTH, JUMPING, STILL, TO_AND_FRO, STYLES } style;

static void move(mover *m, style how, double step, int frame)
{
    if (how == STILL && random_below(&state, 10) != 0) {
        return;
    }
    const double sign = how == TO_AND_FRO && frame / 7 % 2 == 1 ? -1 : 1;
    double size = step * sign;
    if (how == JUMPING) {
        random_direction(&state, m->way);
        random_direction(&state, m->axis);
        size = random_below(&state, 8) == 0 ? random_between(&state, 0, 2) : size;
    } else if (how == SMOOTH) {
        double jitter[3];
        random_direction(&state, jitter);
        for (int k = 0; k < 3; k++) {
            m->way[k] = 0.9 * m->way[k] + 0.3 * jitter[k] - 0.05 * m->place[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        m->place[k] += size * m->way[k];
    }
    if (random_below(&state, 4) != 0) {
        turn(m, size);
    }
    if (random_below(&state, 200) == 0) {
        m->scale = scale_random(&state, true);
    }
    stretch(m, m->affine ? 30 : 200);
    form_pose(m);
}

/* ----------------------------------------------------------------------------------- queries -- */

typedef struct {
    kiln_front *front;
    const kiln_tree *a, *b;
    mover of_a, of_b;
    const body *body_a, *body_b;
    int mode; /* of rounding */
    size_t free, hits, affine, exact;
} path;

static kiln_pair expected[ROOM], found[ROOM];

/* The way from one surface to the other is not free. */
static void compare_with_distance(const path *p, double free_motion)
{
    kiln_nearest nearest;
    assert_int_equal(kiln_distance(p->a, &p->of_a.pose, p->b, &p->of_b.pose, NULL, &nearest),
                     KILN_OK);
    assert_true(free_motion <= nearest.distance);
}

/* Nothing may meet while the objects move by less than is free. */
static void try_free_motion(const path *p, double free_motion)
{
    mover a = p->of_a, b = p->of_b;
    double bound_a, bound_b;
    if (!(free_motion > 0)) {
        return;
    }
    if (random_below(&state, 8) == 0) {
        compare_with_distance(p, free_motion);
    }
    const double part = random_between(&state, 0, 1), way = free_motion / unit;
    for (int k = 0; k < 3; k++) {
        a.place[k] += 0.7 * part * way * a.way[k];
        b.place[k] += 0.7 * (1 - part) * way * b.way[k];
    }
    turn(&a, 0.1 * part * way);
    turn(&b, 0.1 * (1 - part) * way);
    form_pose(&a);
    form_pose(&b);
    assert_int_equal(kiln_motion_bound(p->a, &p->of_a.pose, &a.pose, &bound_a), KILN_OK);
    assert_int_equal(kiln_motion_bound(p->b, &p->of_b.pose, &b.pose, &bound_b), KILN_OK);
    if (bound_a + bound_b < free_motion) {
        kiln_hit hit;
        assert_int_equal(kiln_collide(p->a, &a.pose, p->b, &b.pose, NULL, &hit), KILN_OK);
        assert_false(hit.found);
    }
}

/* The pairs themselves, by integers (oracle.c). */
static void hold_against_integers(path *p, const body_rule *rule, size_t count, size_t kept)
{
    rounding_leave();
    const affine_frame frame = affine_frame_of(p->a, &p->of_a.pose, p->b, &p->of_b.pose);
    const mesh *a = &p->body_a->mesh, *b = &p->body_b->mesh;
    size_t met = 0;
    for (uint32_t i = 0; i < a->triangle_count; i++) {
        for (uint32_t j = 0; j < b->triangle_count; j++) {
            double x[9], y[9];
            affine_corners(&frame, a, i, b, j, x, y);
            if (body_keeps_pair(rule, i, j) && !brute_boxes_apart(x, y) &&
                oracle_triangles_meet(x, y)) {
                assert_true(met >= kept || (found[met].a == i && found[met].b == j));
                met++;
            }
        }
    }
    rounding_enter(p->mode);
    assert_int_equal(met, count);
    p->exact++;
}

/* One in eight of small meshes; in a campaign all of those with affine poses. */
static void hold_some(path *p, const kiln_pair_options *options, const body_rule *rule,
                      size_t count, size_t kept)
{
    const bool chosen = random_below(&state, 8) == 0;
    const bool all = amount(1) > 1 && (p->of_a.affine || p->of_b.affine);
    if ((chosen || all) &&
        p->body_a->mesh.triangle_count * p->body_b->mesh.triangle_count <= 10000) {
        const body_rule every = {1, 0, 0};
        hold_against_integers(p, options->filter != NULL ? rule : &every, count, kept);
    }
}

static void ask_first(path *p, const kiln_pair_options *options, const body_rule *rule)
{
    kiln_hit fresh, hit;
    double free_motion = -1;
    assert_int_equal(kiln_collide(p->a, &p->of_a.pose, p->b, &p->of_b.pose, options, &fresh),
                     KILN_OK);
    assert_int_equal(
        kiln_front_collide(p->front, &p->of_a.pose, &p->of_b.pose, options, &hit, &free_motion),
        KILN_OK);
    assert_int_equal(hit.found, fresh.found);
    p->hits += hit.found;
    p->free += !hit.found;
    assert_true(free_motion >= 0 && (!hit.found || free_motion == 0));
    if (hit.found) {
        size_t count, meets = 0;
        assert_int_equal(
            kiln_contacts(p->a, &p->of_a.pose, p->b, &p->of_b.pose, NULL, expected, ROOM, &count),
            KILN_OK);
        for (size_t i = 0; i < count && i < ROOM; i++) {
            meets += expected[i].a == hit.pair.a && expected[i].b == hit.pair.b &&
                     expected[i].value_a == hit.pair.value_a &&
                     expected[i].value_b == hit.pair.value_b;
        }
        assert_true(meets == 1 || count > ROOM);
        assert_true(options->filter == NULL || body_keeps_pair(rule, hit.pair.a, hit.pair.b));
    } else {
        hold_some(p, options, rule, 0, 0);
    }
    try_free_motion(p, free_motion);
}

static void ask_all(path *p, const kiln_pair_options *options, const body_rule *rule)
{
    size_t count, of_front;
    double free_motion = -1;
    const size_t room = random_below(&state, 4) == 0 ? random_below(&state, 20) : ROOM;
    assert_int_equal(
        kiln_contacts(p->a, &p->of_a.pose, p->b, &p->of_b.pose, options, expected, room, &count),
        KILN_OK);
    assert_int_equal(kiln_front_contacts(p->front, &p->of_a.pose, &p->of_b.pose, options, found,
                                         room, &of_front, &free_motion),
                     KILN_OK);
    assert_int_equal(of_front, count);
    assert_memory_equal(found, expected, (count < room ? count : room) * sizeof *found);
    p->hits += count != 0;
    p->free += count == 0;
    hold_some(p, options, rule, count, count < room ? count : room);
    try_free_motion(p, free_motion);
}

static bool add_pair(void *user, kiln_pair pair)
{
    uint64_t *sum = (uint64_t *)user;
    *sum += (pair.a * UINT64_C(0x9E3779B97F4A7C15)) ^ (pair.b * UINT64_C(0xC2B2AE3D27D4EB4F));
    return true;
}

static void ask_each(path *p, const kiln_pair_options *options)
{
    uint64_t of_fresh = 0, of_front = 0;
    size_t count, same;
    assert_int_equal(kiln_contacts_each(p->a, &p->of_a.pose, p->b, &p->of_b.pose, options, add_pair,
                                        &of_fresh, &count),
                     KILN_OK);
    assert_int_equal(kiln_front_contacts_each(p->front, &p->of_a.pose, &p->of_b.pose, options,
                                              add_pair, &of_front, &same, NULL),
                     KILN_OK);
    assert_int_equal(same, count);
    assert_true(of_front == of_fresh);
}

static void ask_distance(path *p, const kiln_pair_options *options)
{
    kiln_pair_options full = *options;
    kiln_nearest fresh, nearest;
    if (random_below(&state, 3) == 0) {
        full.beyond = unit * random_between(&state, 0, 1);
    }
    assert_int_equal(kiln_distance(p->a, &p->of_a.pose, p->b, &p->of_b.pose, &full, &fresh),
                     KILN_OK);
    assert_int_equal(kiln_front_distance(p->front, &p->of_a.pose, &p->of_b.pose, &full, &nearest),
                     KILN_OK);
    assert_int_equal(nearest.found, fresh.found);
    assert_true(nearest.distance == fresh.distance);
    assert_true(nearest.distance == 0 ||
                (nearest.pair.a == fresh.pair.a && nearest.pair.b == fresh.pair.b));
}

static void ask_badly(path *p)
{
    kiln_pose bad = p->of_b.pose;
    kiln_hit hit;
    double free_motion = 5;
    memset(&hit, 7, sizeof hit);
    const kiln_hit before = hit;
    if (random_below(&state, 2) == 0) {
        bad.translation[random_below(&state, 3)] = (double)NAN;
    } else {
        bad.rotation[random_below(&state, 9)] = (double)INFINITY;
    }
    assert_int_equal(kiln_front_collide(p->front, &p->of_a.pose, &bad, NULL, &hit, &free_motion),
                     KILN_ERROR_POSE);
    assert_memory_equal(&hit, &before, sizeof hit);
    assert_true(free_motion == 5);
}

static void ask(path *p)
{
    kiln_pair_options options = kiln_pair_options_default();
    body_rule rule = {2 + random_below(&state, 3), 0, 0};
    if (random_below(&state, 5) == 0) {
        options.filter = body_pair_filter;
        options.filter_user = &rule;
    }
    switch (random_below(&state, 16)) {
    case 0:
    case 1:
    case 2:
        ask_all(p, &options, &rule);
        break;
    case 3:
        ask_each(p, &options);
        break;
    case 4:
        ask_distance(p, &options);
        break;
    case 5:
        if (random_below(&state, 8) == 0) {
            ask_badly(p);
        } else if (random_below(&state, 8) == 0) {
            kiln_front_reset(p->front);
        }
        break;
    default:
        ask_first(p, &options, &rule);
        break;
    }
}

static kiln_front *front_for(path *p, void **memory)
{
    static const uint32_t rooms[] = {0, 1, 2, 5, 17, 100, 4096};
    kiln_front_options options = kiln_front_options_default();
    options.capacity = rooms[random_below(&state, 7)];
    const size_t size = kiln_front_size(p->a, p->b, &options);
    assert_true(size > 0);
    *memory = malloc(size);
    assert_non_null(*memory);
    kiln_front *front = NULL;
    assert_int_equal(kiln_front_place(*memory, size, p->a, p->b, &options, &front), KILN_OK);
    return front;
}

typedef struct {
    size_t free, hits, coherent, affine, exact;
} front_totals;

static void run_path(uint32_t number, front_totals *totals)
{
    path p;
    memset(&p, 0, sizeof p);
    /* Now and then a fine mesh at triangles that are as large as all of it. */
    const bool coarse = random_below(&state, 4) == 0;
    const uint32_t first = coarse ? BODIES - 1 : random_below(&state, BODIES);
    const uint32_t second = coarse                         ? BODIES - 2
                            : random_below(&state, 3) == 0 ? first
                                                           : random_below(&state, BODIES);
    p.body_a = &bodies[first];
    p.body_b = &bodies[second];
    p.a = bodies[first].trees[random_below(&state, BODY_KINDS)];
    p.b = bodies[second].trees[random_below(&state, BODY_KINDS)];
    const bool both = random_below(&state, 2) == 0, avoids = random_below(&state, 2) == 0;
    p.of_a = mover_at_random(0.1);
    p.of_b = mover_at_random(avoids ? 2 : 1.5);
    if (random_below(&state, 4) == 0) {
        p.of_a.off = p.of_b.off = pow(10, random_between(&state, -12, -6.7));
    } else if (random_below(&state, 8) == 0) {
        p.of_a.grid = p.of_b.grid = pow(2, -random_between(&state, 2, 40));
    }
    if (random_below(&state, 4) == 0) {
        for (int k = 0; k < 3; k++) {
            p.of_a.base[k] = p.of_b.base[k] =
                pow(10, random_between(&state, -3, 14)) * random_between(&state, -1, 1);
        }
    }
    stretch(&p.of_a, 8);
    stretch(&p.of_b, 6);
    form_pose(&p.of_a);
    form_pose(&p.of_b);
    if (coarse) {
        p.of_b.scale = 2;
        form_pose(&p.of_b);
    }
    void *memory;
    p.front = front_for(&p, &memory);
    p.front->always = random_below(&state, 2) == 0;
    style how = (style)random_below(&state, STYLES);
    double step = pow(10, random_between(&state, avoids ? -4 : -6, avoids ? -1 : 0));
    const kiln_kernel *kernel = kiln_kernel_runnable(number % 3);
    kiln_kernel_force(kernel);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (random_below(&state, 40) == 0) {
            how = (style)random_below(&state, STYLES);
            step = pow(10, random_between(&state, avoids ? -4 : -6, avoids ? -1 : 0));
        }
        const mover before_a = p.of_a, before_b = p.of_b;
        move(&p.of_b, how, step, frame);
        if (both) {
            move(&p.of_a, how, step, frame);
        }
        if (avoids && random_below(&state, 50) != 0) {
            kiln_hit hit;
            assert_int_equal(kiln_collide(p.a, &p.of_a.pose, p.b, &p.of_b.pose, NULL, &hit),
                             KILN_OK);
            if (hit.found) { /* where it was, on another way */
                p.of_a = before_a;
                p.of_b = before_b;
                random_direction(&state, p.of_b.way);
                random_direction(&state, p.of_b.axis);
            }
        }
        p.affine += p.of_a.affine || p.of_b.affine;
        p.mode = (int)(number % 8 < ROUNDING_MODES ? number % 8 : 0);
        rounding_enter(p.mode);
        ask(&p);
        rounding_leave();
    }
    const kiln_front_info info = kiln_front_get_info(p.front);
    totals->free += p.free;
    totals->hits += p.hits;
    totals->affine += p.affine;
    totals->exact += p.exact;
    totals->coherent += info.coherent;
    kiln_kernel_force(NULL);
    free(memory);
}

static void answers_are_those_of_fresh_queries(void **unused)
{
    (void)unused;
    front_totals totals = {0, 0, 0, 0, 0};
    const uint32_t paths = amount_of_few(PATHS);
    make_bodies();
    for (uint32_t i = 0; i < paths; i++) {
        if (i % IN_A_UNIT == 0 && i > 0) {
            free_bodies();
            unit = i / IN_A_UNIT % 2 == 0 ? 1 : ldexp(1, (int)random_below(&state, 61) - 30);
            make_bodies();
        }
        run_path(i, &totals);
    }
    free_bodies();
    print_message("%u paths: %zu queries found nothing, %zu something, %zu were made from a front; "
                  "%zu frames with affine poses, %zu answers held against integers\n",
                  paths, totals.free, totals.hits, totals.coherent, totals.affine, totals.exact);
    if (!is_shortened()) {
        assert_true(totals.free > totals.hits / 8 && totals.hits > totals.free / 8);
        assert_true(totals.coherent > (totals.free + totals.hits) / 12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_fresh_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
