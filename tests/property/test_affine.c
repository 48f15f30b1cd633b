/* What is sampled: poses that are no rotations: lattices of small integers at matrices of small
 * integers and powers of two, which doubles hold exactly; soups and tori at mirrors, shears, uneven
 * scales from 2^-19 to 2^19 between two rotations, and rotations beside them; with trees of every
 * kind, in both orders, each instruction set in turn, under other rounding modes.
 *
 * Oracle: every triangle carried as kiln.h says, written anew but for the inverse of a matrix,
 * which is held against fractions (GMP); then exact integers (oracle.c, oracle_line.c), or the
 * library's own decision about single triangles, which other tests hold against oracles of theirs:
 * kiln_triangles_nearest, kiln_triangles_contact, kiln_shape_meets_triangle. And for lattices the
 * same question of meshes that were carried before they were baked. Tolerance: none, but 2^-40 for
 * t of rays, and for distances of lattices in two frames.
 *
 * support/amount.h tells how many. */
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
#include <gmp.h>

#include "../../runtime/exact/exact.h"
#include "../../runtime/kiln_nearest.h"
#include "../../runtime/kiln_scene.h"
#include "../../runtime/kernel/kernel.h"
#include "../../runtime/pose/affine.h"
#include "../../runtime/query/query.h"
#include "../support/affine.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/brute.h"
#include "../support/rounding.h"
#include "oracle.h"
#include "oracle_line.h"
#include "oracle_place.h"

enum { PAIRS = 100, MESHES = 60, RAYS = 12, KINDS = BODY_KINDS, CONTACTS_MAX = 4000 };

typedef struct {
    body body;
    kiln_pose at;
} placed;

static void next_set(void)
{
    static unsigned turn;
    const kiln_kernel *kernel = kiln_kernel_runnable(turn++);
    if (kernel == NULL) {
        turn = 1;
        kernel = kiln_kernel_runnable(0);
    }
    kiln_kernel_force(kernel);
}

/* --------------------------------------------------------------------------------- carrying -- */

/* Both in the frame of comparison: `place` of the one that is carried as it is, NULL for X of two
 * rotations, and what leads from that frame to the world. */
typedef struct {
    const placed *x, *y;
    bool swapped;
    brute_affine of_x, of_y;
    const brute_affine *carry_x;
    kiln_pose world;
} framed;

static void frame_of(const placed *a, const placed *b, framed *out)
{
    const affine_frame frame = affine_frame_of(a->body.trees[0], &a->at, b->body.trees[0], &b->at);
    out->swapped = frame.swapped;
    out->x = frame.swapped ? b : a;
    out->y = frame.swapped ? a : b;
    out->of_x = frame.of_x;
    out->of_y = frame.of_y;
    out->carry_x = frame.turned ? NULL : &out->of_x;
    out->world = frame.turned ? out->x->at : kiln_pose_identity();
    memcpy(out->world.translation, out->x->at.translation, sizeof out->world.translation);
}

/* ------------------------------------------------------------------------------------- pairs -- */

typedef struct {
    double distance; /* infinite where there is none */
    size_t contacts;
} truth;

static truth brute(const framed *f)
{
    truth out = {HUGE_VAL, 0};
    const mesh *x = &f->x->body.mesh, *y = &f->y->body.mesh;
    for (uint32_t i = 0; i < x->triangle_count; i++) {
        for (uint32_t j = 0; j < y->triangle_count; j++) {
            double p[9], q[9];
            kiln_tri_nearest near;
            brute_corners(x, i, f->carry_x, p);
            brute_corners(y, j, &f->of_y, q);
            out.contacts += !brute_boxes_apart(p, q) && oracle_triangles_meet(p, q);
            if (kiln_triangles_nearest(p, q, out.distance, &near)) {
                out.distance = near.value;
            }
        }
    }
    out.distance *= f->world.scale;
    return out;
}

static bool count_pair(void *user, kiln_pair pair)
{
    (void)pair;
    ++*(size_t *)user;
    return true;
}

static void check_contact(const framed *f, bool b_first, const kiln_contact *contact)
{
    double p[9], q[9];
    kiln_tri_contact want;
    /* Swapped: X is B. With b_first the caller's A is b, so that ids change places. */
    const bool x_is_a = f->swapped == b_first;
    brute_corners(&f->x->body.mesh, x_is_a ? contact->pair.a : contact->pair.b, f->carry_x, p);
    brute_corners(&f->y->body.mesh, x_is_a ? contact->pair.b : contact->pair.a, &f->of_y, q);
    kiln_triangles_contact(p, q, &want);
    assert_true(contact->depth == want.depth * f->world.scale);
    if (f->carry_x == NULL) {
        return;
    }
    double squared = 0, off = 0;
    for (int k = 0; k < 3; k++) {
        assert_true(contact->from[k] == want.from[k] + f->world.translation[k]);
        assert_true(contact->to[k] == want.to[k] + f->world.translation[k]);
        squared += want.normal[k] * want.normal[k];
    }
    for (int k = 0; k < 3; k++) {
        const double normal = want.normal[k] / sqrt(squared) * (x_is_a ? 1 : -1);
        off = fmax(off, fabs(contact->normal[k] - normal));
    }
    assert_true(off < 1e-14);
}

static void ask_contacts(const framed *f, const kiln_tree *p, const kiln_pose *at_p,
                         const kiln_tree *q, const kiln_pose *at_q, bool b_first, const truth *want,
                         int mode)
{
    static kiln_contact contacts[CONTACTS_MAX];
    static kiln_pair pairs[CONTACTS_MAX];
    kiln_contacts_summary summary;
    size_t count, found, calls = 0, told;
    rounding_enter(mode);
    const kiln_status status[] = {
        kiln_contacts_geometry(p, at_p, q, at_q, NULL, contacts, CONTACTS_MAX, &count),
        kiln_contacts(p, at_p, q, at_q, NULL, pairs, CONTACTS_MAX, &found),
        kiln_contacts_each(p, at_p, q, at_q, NULL, count_pair, &calls, &told),
        kiln_contacts_summarise(p, at_p, q, at_q, NULL, &summary)};
    rounding_leave();
    for (size_t i = 0; i < sizeof status / sizeof status[0]; i++) {
        assert_int_equal(status[i], KILN_OK);
    }
    assert_int_equal(count, want->contacts);
    assert_true(found == count && calls == count && told == count && summary.count == count);
    for (size_t i = 0; i < count && i < CONTACTS_MAX; i++) {
        assert_memory_equal(&contacts[i].pair, &pairs[i], sizeof pairs[i]);
        assert_true(summary.deepest.depth >= contacts[i].depth);
        if (i < 3) {
            check_contact(f, b_first, &contacts[i]);
        }
    }
}

static void ask_near(const kiln_tree *p, const kiln_pose *at_p, const kiln_tree *q,
                     const kiln_pose *at_q, const truth *want, int mode)
{
    kiln_pair_options options = kiln_pair_options_default();
    kiln_hit hit, within, hinted, beyond = {false, {0, 0, 0, 0}, {0, 0}};
    kiln_nearest nearest;
    kiln_work work;
    bool boxes;
    rounding_enter(mode);
    const kiln_status status[] = {
        kiln_collide_work(p, at_p, q, at_q, NULL, &hit, &work),
        kiln_collide(p, at_p, q, at_q, NULL, &hit),
        kiln_collide_boxes(p, at_p, q, at_q, &boxes),
        kiln_distance(p, at_p, q, at_q, NULL, &nearest),
        kiln_within(p, at_p, q, at_q, want->distance, NULL, &within),
        want->distance > 0
            ? kiln_within(p, at_p, q, at_q, nextafter(want->distance, 0), NULL, &beyond)
            : KILN_OK};
    options.hint = nearest.hint;
    const kiln_status again = kiln_within(p, at_p, q, at_q, want->distance, &options, &hinted);
    rounding_leave();
    for (size_t i = 0; i < sizeof status / sizeof status[0]; i++) {
        assert_int_equal(status[i], KILN_OK);
    }
    assert_int_equal(again, KILN_OK);
    assert_true(hit.found == (want->contacts > 0) && (boxes || !hit.found));
    assert_true(nearest.found && nearest.distance == want->distance);
    assert_true(within.found && hinted.found && !beyond.found);
    double along = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        along += nearest.normal[k] * (nearest.point_a[k] - nearest.point_b[k]);
        size = fmax(size, fmax(fabs(nearest.point_a[k]), fabs(nearest.point_b[k])));
    }
    assert_true(fabs(along - nearest.distance) <= 1e-12 * (size + nearest.distance));
}

/* Queries in steps, run to their end, and one in a batch. */
static void ask_steps(const kiln_tree *p, const kiln_pose *at_p, const kiln_tree *q,
                      const kiln_pose *at_q, const truth *want)
{
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    kiln_likely_answer likely;
    kiln_interruptible_answer safe;
    kiln_interruptible *query = NULL;
    kiln_volume_contact volumes[8];
    size_t count;
    options.threshold = HUGE_VAL;
    assert_int_equal(kiln_collide_likely(p, at_p, q, at_q, &options, &likely), KILN_OK);
    assert_true(likely.proved && (likely.verdict == KILN_LIKELY_YES) == (want->contacts > 0));

    const size_t size = kiln_interruptible_size(p, q, 64);
    void *memory = malloc(size);
    assert_non_null(memory);
    assert_int_equal(kiln_interruptible_place(memory, size, &query), KILN_OK);
    assert_int_equal(kiln_interruptible_begin(query, p, at_p, q, at_q, NULL), KILN_OK);
    for (uint32_t level = 1; level < 4; level++) {
        assert_int_equal(kiln_interruptible_run(query, level, UINT64_MAX, UINT64_MAX), KILN_OK);
        assert_int_equal(kiln_interruptible_get_answer(query, &safe), KILN_OK);
        assert_true(safe.verdict != KILN_INTERRUPTIBLE_APART || want->contacts == 0);
        assert_int_equal(kiln_interruptible_get_contacts(query, volumes, 8, &count), KILN_OK);
        for (size_t i = 0; i < count && i < 8; i++) {
            assert_true(isfinite(volumes[i].depth) && isfinite(volumes[i].extent) &&
                        isfinite(volumes[i].position[0]) && volumes[i].depth >= 0);
        }
    }
    assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, UINT64_MAX, UINT64_MAX), KILN_OK);
    assert_int_equal(kiln_interruptible_get_answer(query, &safe), KILN_OK);
    assert_true(safe.verdict ==
                (want->contacts > 0 ? KILN_INTERRUPTIBLE_MEET : KILN_INTERRUPTIBLE_APART));
    free(memory);

    const kiln_placed both[2] = {{p, at_p, 1}, {q, at_q, 1}};
    const kiln_batch batch = {both, 2, NULL, KILN_BATCH_ALL_PAIRS, 1};
    kiln_hit hit;
    kiln_nearest nearest;
    assert_int_equal(kiln_batch_collide(&batch, NULL, &hit), KILN_OK);
    assert_int_equal(kiln_batch_distance(&batch, NULL, &nearest), KILN_OK);
    assert_true(hit.found == (want->contacts > 0) && nearest.distance == want->distance);
}

static truth check(const placed *a, const placed *b, int mode)
{
    framed f;
    frame_of(a, b, &f);
    const truth want = brute(&f);
    for (int i = 0; i < KINDS; i++) {
        const int j = (i + mode) % KINDS;
        const kiln_tree *p = a->body.trees[i], *q = b->body.trees[j];
        next_set();
        ask_contacts(&f, p, &a->at, q, &b->at, false, &want, 0);
        ask_near(p, &a->at, q, &b->at, &want, 0);
        ask_contacts(&f, q, &b->at, p, &a->at, true, &want, mode);
        ask_near(q, &b->at, p, &a->at, &want, mode);
        ask_steps(p, &a->at, q, &b->at, &want);
    }
    kiln_kernel_force(NULL);
    return want;
}

/* A mesh whose vertices are where the pose takes them, in floats. */
static mesh carried_copy(const placed *of)
{
    const mesh *m = &of->body.mesh;
    const kiln_pose here = kiln_pose_identity();
    const brute_affine at = affine_carry(&of->at, &here);
    mesh copy = *m;
    copy.positions = malloc(3 * sizeof(float) * m->vertex_count);
    copy.indices = malloc(3 * sizeof(uint32_t) * m->triangle_count);
    assert_true(copy.positions != NULL && copy.indices != NULL);
    memcpy(copy.indices, m->indices, 3 * sizeof(uint32_t) * m->triangle_count);
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        const float *p = m->positions + 3 * v;
        for (int k = 0; k < 3; k++) {
            copy.positions[3 * v + (uint32_t)k] =
                (float)(at.r[k][0] * (double)p[0] + at.r[k][1] * (double)p[1] +
                        at.r[k][2] * (double)p[2] + at.t[k]);
        }
    }
    return copy;
}

static void check_carried_meshes(const placed *a, const placed *b, const truth *want)
{
    body p = body_of(carried_copy(a), 4, KILN_LAYOUT_RAW);
    body q = body_of(carried_copy(b), 4, KILN_LAYOUT_RAW);
    size_t count;
    kiln_nearest nearest;
    assert_int_equal(kiln_contacts(p.trees[0], NULL, q.trees[0], NULL, NULL, NULL, 0, &count),
                     KILN_OK);
    assert_int_equal(kiln_distance(p.trees[0], NULL, q.trees[0], NULL, NULL, &nearest), KILN_OK);
    assert_int_equal(count, want->contacts);
    assert_true(fabs(nearest.distance - want->distance) <= 0x1p-40 * want->distance);
    body_free(&p);
    body_free(&q);
}

static mesh any_mesh(uint64_t *state, affine_mix how)
{
    const uint32_t triangles = 1 + random_below(state, 25);
    return how == AFFINE_LATTICE ? mesh_lattice(state, triangles, 3)
           : random_below(state, 6) == 0
               ? mesh_torus(3 + random_below(state, 4), 3 + random_below(state, 3), 0.2)
               : mesh_soup(state, triangles, 0.6);
}

static void run(affine_mix how)
{
    uint64_t state = 400 + (uint64_t)how;
    const int pairs = (int)amount_of_few(PAIRS);
    int hits = 0;
    for (int i = 0; i < pairs; i++) {
        placed a = {body_of(any_mesh(&state, how), 1 + i % 6, KILN_LAYOUT_RAW),
                    affine_pose(&state, how)};
        placed b = {body_of(any_mesh(&state, how), 1 + i % 5, KILN_LAYOUT_RAW),
                    affine_pose(&state, how)};
        const truth want = check(&a, &b, 1 + i % ROUNDING_MODES);
        hits += want.contacts > 0;
        if (how == AFFINE_LATTICE) {
            check_carried_meshes(&a, &b, &want);
        }
        body_free(&a.body);
        body_free(&b.body);
    }
    print_message("%d pairs, %d meet, 0 differences\n", pairs, hits);
    assert_true((hits > pairs / 10 && hits < pairs) || is_shortened());
}

static void test_lattices(void **state)
{
    (void)state;
    run(AFFINE_LATTICE);
}

static void test_mild(void **state)
{
    (void)state;
    run(AFFINE_MILD);
}

static void test_strong(void **state)
{
    (void)state;
    run(AFFINE_STRONG);
}

static void test_extreme(void **state)
{
    (void)state;
    run(AFFINE_EXTREME);
}

/* Equal poses of one mesh meet in all of it. */
static void test_equal(void **state)
{
    (void)state;
    uint64_t random = 74;
    placed a = {body_of(mesh_torus(9, 7, 0.3), 4, KILN_LAYOUT_RAW), kiln_pose_identity()};
    for (int i = 0; i < 60; i++) {
        size_t count, own;
        kiln_nearest nearest;
        const kiln_tree *p = a.body.trees[i % KINDS], *q = a.body.trees[i / 5 % KINDS];
        a.at = affine_pose(&random, AFFINE_MILD + (affine_mix)(i % 3));
        assert_int_equal(kiln_contacts(p, &a.at, q, &a.at, NULL, NULL, 0, &count), KILN_OK);
        assert_int_equal(kiln_contacts(q, &a.at, p, &a.at, NULL, NULL, 0, &own), KILN_OK);
        assert_true(own == count && count >= a.body.mesh.triangle_count);
        assert_int_equal(kiln_distance(p, &a.at, q, &a.at, NULL, &nearest), KILN_OK);
        assert_true(nearest.found && nearest.distance == 0);
    }
    body_free(&a.body);
}

/* -------------------------------------------------------------------------------------- rays -- */

/* A point or a direction in the tree's own frame. */
static void own_of(const kiln_affine *affine, const double from[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        const double *row = affine->inverse + 3 * i;
        out[i] = (row[0] * from[0] + row[1] * from[1]) + row[2] * from[2];
    }
}

static void own_point(const kiln_pose *pose, const kiln_affine *affine, const double point[3],
                      double out[3])
{
    const double from[3] = {point[0] - pose->translation[0], point[1] - pose->translation[1],
                            point[2] - pose->translation[2]};
    own_of(affine, from, out);
}

static void to_world(const kiln_pose *pose, const double p[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        const double *row = pose->rotation + 3 * k;
        out[k] =
            pose->scale * (row[0] * p[0] + row[1] * p[1] + row[2] * p[2]) + pose->translation[k];
    }
}

/* A corner, a point of an edge or of the inside of a triangle, in the mesh's own frame. */
static void any_target(uint64_t *state, const mesh *m, double out[3])
{
    const uint32_t triangle = random_below(state, m->triangle_count), aim = random_below(state, 3);
    double part[3] = {1, 0, 0}, corners[9];
    brute_corners(m, triangle, NULL, corners);
    if (aim > 0) {
        part[1] = 0.25 * random_below(state, 5);
        part[2] = aim == 1 ? 0 : (1 - part[1]) * random_between(state, 0, 1);
        part[0] = 1 - part[1] - part[2];
    }
    for (int k = 0; k < 3; k++) {
        out[k] = part[0] * corners[k] + part[1] * corners[3 + k] + part[2] * corners[6 + k];
    }
}

/* The normal of the triangle where the pose takes it. */
static void check_normal(const placed *p, affine_mix how, const kiln_ray_hit *hit)
{
    const kiln_pose here = kiln_pose_identity();
    const brute_affine at = affine_carry(&p->at, &here);
    double t[9], normal[3], squared = 0, along = 0, edges = 0;
    brute_corners(&p->body.mesh, hit->triangle, &at, t);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = (t[3 + i] - t[i]) * (t[6 + j] - t[j]) - (t[3 + j] - t[j]) * (t[6 + i] - t[i]);
        squared += normal[k] * normal[k];
        along += normal[k] * hit->normal[k];
        edges += (t[3 + k] - t[k]) * (t[3 + k] - t[k]) + (t[6 + k] - t[k]) * (t[6 + k] - t[k]);
    }
    if (how <= AFFINE_MILD && squared > 1e-10 * edges * edges) {
        assert_true(along > (1 - 1e-9) * sqrt(squared));
    }
}

static size_t check_ray(const placed *p, affine_mix how, const kiln_ray *ray, int mode)
{
    static kiln_ray_hit hits[64];
    kiln_affine affine;
    double origin[3], way[3];
    size_t met = 0;
    assert_true(kiln_affine_form(&p->at, &affine));
    own_point(&p->at, &affine, ray->origin, origin);
    own_of(&affine, ray->direction, way);
    for (int k = 0; k < KINDS; k++) {
        const kiln_tree *tree = p->body.trees[k];
        kiln_ray_hit first, some;
        size_t count;
        next_set();
        rounding_enter(mode);
        const kiln_status status[] = {kiln_ray_all(tree, &p->at, ray, NULL, hits, 64, &count),
                                      kiln_ray_closest(tree, &p->at, ray, NULL, &first),
                                      kiln_ray_any(tree, &p->at, ray, NULL, &some)};
        rounding_leave();
        assert_true(status[0] == KILN_OK && status[1] == KILN_OK && status[2] == KILN_OK);
        assert_true(first.found == (count > 0) && some.found == (count > 0) && count <= 64);
        met = 0;
        for (uint32_t i = 0; i < p->body.mesh.triangle_count; i++) {
            double corners[9];
            oracle_line_hit want;
            brute_corners(&p->body.mesh, i, NULL, corners);
            if (!oracle_line_meets(origin, way, ray->t_min, ray->t_max, corners, &want)) {
                continue;
            }
            const kiln_ray_hit *got = NULL;
            for (size_t h = 0; h < count && got == NULL; h++) {
                got = hits[h].triangle == i ? &hits[h] : NULL;
            }
            const int side = affine.mirrors ? -want.side : want.side;
            assert_non_null(got);
            assert_true(oracle_line_t_is(got->t, 0x1p-40));
            assert_int_equal(got->side, side < 0   ? KILN_SIDE_FRONT
                                        : side > 0 ? KILN_SIDE_BACK
                                                   : KILN_SIDE_EDGE);
            check_normal(p, how, got);
            met++;
        }
        assert_int_equal(count, met);
        assert_true(count == 0 || memcmp(&first, &hits[0], sizeof first) == 0);
    }
    return met;
}

static void test_rays(void **unused)
{
    (void)unused;
    uint64_t state = 75;
    size_t met = 0;
    for (int i = 0; i < (int)amount_of_few(MESHES); i++) {
        const affine_mix how = (affine_mix)(i % AFFINE_MIXES);
        placed p = {body_of(any_mesh(&state, how), 1 + i % 6, KILN_LAYOUT_RAW),
                    affine_pose(&state, how)};
        for (int r = 0; r < RAYS && affine_is_served(&p.at); r++) {
            double from[3], to[3], origin[3], end[3];
            any_target(&state, &p.body.mesh, to);
            any_target(&state, &p.body.mesh, from);
            for (int k = 0; k < 3 && r % 2 == 0; k++) {
                from[k] = how == AFFINE_LATTICE ? (double)random_below(&state, 13) - 6
                                                : random_between(&state, -4, 4);
            }
            to_world(&p.at, from, origin);
            to_world(&p.at, to, end);
            kiln_ray ray = kiln_ray_between(origin, end);
            if (ray.direction[0] == 0 && ray.direction[1] == 0 && ray.direction[2] == 0) {
                ray.direction[r % 3] = 1;
            }
            if (r % 4 < 2) {
                ray.t_max = HUGE_VAL;
            }
            met += check_ray(&p, how, &ray, 1 + r % ROUNDING_MODES);
        }
        body_free(&p.body);
    }
    kiln_kernel_force(NULL);
    print_message("%zu hits, 0 differences\n", met);
    assert_true(met > amount_of_few(MESHES));
}

/* ------------------------------------------------------------------------------------ shapes -- */

static kiln_shape any_shape(uint64_t *state, affine_mix how)
{
    kiln_shape s = {(kiln_shape_kind)(1 + random_below(state, 3)), {0, 0, 0}, {0, 0, 0}, 0};
    for (int k = 0; k < 3; k++) {
        const double p = how == AFFINE_LATTICE ? (double)random_below(state, 7) - 3
                                               : random_between(state, -1, 1);
        const double q =
            how == AFFINE_LATTICE ? (double)random_below(state, 3) : random_between(state, 0, 0.7);
        s.a[k] = p;
        s.b[k] = p + q;
    }
    s.radius = how == AFFINE_LATTICE ? random_below(state, 3) : random_between(state, 0, 0.7);
    return s;
}

/* The mesh in the shape's frame. */
static brute_affine relative(const kiln_pose *shape, const kiln_pose *of)
{
    brute_affine out = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    kiln_affine of_shape, of_mesh;
    double matrix[9];
    assert_true(kiln_affine_form(shape, &of_shape) && kiln_affine_form(of, &of_mesh));
    if (memcmp(shape, of, sizeof *of) == 0) {
        return out;
    }
    affine_times(of_shape.inverse, of_mesh.matrix, matrix);
    memcpy(out.r, matrix, sizeof matrix);
    const double between[3] = {of->translation[0] - shape->translation[0],
                               of->translation[1] - shape->translation[1],
                               of->translation[2] - shape->translation[2]};
    own_of(&of_shape, between, out.t);
    return out;
}

static size_t check_shape(const placed *p, const kiln_shape *shape, const kiln_pose *at, int mode)
{
    const brute_affine carry = relative(at, &p->at);
    kiln_shape taken;
    size_t met = 0;
    uint32_t ids[CONTACTS_MAX];
    assert_true(kiln_shape_take(shape, &taken));
    for (uint32_t i = 0; i < p->body.mesh.triangle_count; i++) {
        double corners[9];
        brute_corners(&p->body.mesh, i, &carry, corners);
        if (kiln_shape_meets_triangle(&taken, corners)) {
            ids[met++] = i;
        }
    }
    for (int k = 0; k < KINDS; k++) {
        kiln_triangle_hit hits[64], any;
        size_t count;
        next_set();
        rounding_enter(mode);
        const kiln_status status =
            kiln_overlap_all(p->body.trees[k], &p->at, shape, at, NULL, hits, 64, &count);
        const kiln_status one = kiln_overlap_any(p->body.trees[k], &p->at, shape, at, NULL, &any);
        rounding_leave();
        assert_true(status == KILN_OK && one == KILN_OK && any.found == (met > 0));
        assert_int_equal(count, met);
        for (size_t i = 0; i < count && i < 64; i++) {
            assert_int_equal(hits[i].triangle, ids[i]);
        }
    }
    return met;
}

static void test_shapes(void **unused)
{
    (void)unused;
    uint64_t state = 76;
    size_t met = 0;
    for (int i = 0; i < (int)amount_of_few(MESHES); i++) {
        const affine_mix how = (affine_mix)(i % AFFINE_MIXES);
        placed p = {body_of(any_mesh(&state, how), 1 + i % 6, KILN_LAYOUT_RAW),
                    affine_pose(&state, how)};
        for (int r = 0; r < RAYS; r++) {
            const kiln_shape shape = any_shape(&state, how);
            kiln_pose at = affine_pose(&state, how);
            at = r % 5 == 0 ? p.at : at;
            if (affine_is_served(&p.at) || affine_is_served(&at)) {
                met += check_shape(&p, &shape, &at, 1 + r % ROUNDING_MODES);
            }
        }
        body_free(&p.body);
    }
    kiln_kernel_force(NULL);
    print_message("%zu triangles met, 0 differences\n", met);
    assert_true(met > amount_of_few(MESHES));
}

/* ------------------------------------------------------------------------------------ inside -- */

static kiln_place mesh_place(uint64_t *state, const placed *a, const placed *b)
{
    framed f;
    frame_of(a, b, &f);
    const bool oriented = kiln_tree_get_info(a->body.trees[0]).closed == KILN_MESH_CLOSED;
    const brute_affine *of_a = f.x == a ? f.carry_x : &f.of_y;
    const brute_affine *of_b = f.x == b ? f.carry_x : &f.of_y;
    bool inside = false, outside = false;
    if (brute(&f).contacts > 0) {
        return KILN_PLACE_SURFACE;
    }
    for (uint32_t i = 0; i < b->body.mesh.triangle_count; i++) {
        double corners[9];
        brute_corners(&b->body.mesh, i, of_b, corners);
        const kiln_place place = oracle_place(state, &a->body.mesh, of_a, oriented, corners);
        inside = inside || place == KILN_PLACE_INSIDE;
        outside = outside || place == KILN_PLACE_OUTSIDE;
    }
    return inside && outside ? KILN_PLACE_PARTED : inside ? KILN_PLACE_INSIDE : KILN_PLACE_OUTSIDE;
}

static void check_points(uint64_t *state, const placed *p, size_t tally[4])
{
    kiln_affine affine;
    assert_true(kiln_affine_form(&p->at, &affine));
    for (int i = 0; i < RAYS; i++) {
        double target[3], point[3], own[3];
        kiln_place place;
        if (i % 2 == 0) {
            any_target(state, &p->body.mesh, target);
        } else {
            for (int k = 0; k < 3; k++) {
                target[k] = random_between(state, -1.2, 1.2);
            }
        }
        to_world(&p->at, target, point);
        own_point(&p->at, &affine, point, own);
        const kiln_place want = oracle_place(state, &p->body.mesh, NULL, true, own);
        const brute_affine carry = affine_carry(&p->at, &p->at);
        for (int k = 0; k < 3; k++) {
            own[k] = point[k] - p->at.translation[k];
        }
        const kiln_place side = oracle_place(state, &p->body.mesh, &carry, true, own);
        for (int k = 0; k < KINDS; k++) {
            double distance;
            next_set();
            assert_int_equal(kiln_locate_point(p->body.trees[k], &p->at, point, &place), KILN_OK);
            assert_int_equal(place, want);
            assert_int_equal(
                kiln_signed_distance(p->body.trees[k], &p->at, point, NULL, &distance, NULL),
                KILN_OK);
            assert_int_equal(distance < 0   ? KILN_PLACE_INSIDE
                             : distance > 0 ? KILN_PLACE_OUTSIDE
                                            : KILN_PLACE_SURFACE,
                             side);
        }
        tally[want]++;
    }
}

static void test_inside(void **unused)
{
    (void)unused;
    uint64_t state = 77;
    size_t tally[4] = {0}, meshes[4] = {0};
    for (int i = 0; i < (int)amount_of_few(MESHES); i++) {
        const affine_mix how = (affine_mix)(1 + i % 3);
        placed a = {
            body_of(mesh_torus(5 + random_below(&state, 4), 4, 0.2), 1 + i % 6, KILN_LAYOUT_RAW),
            affine_pose(&state, how)};
        mesh small = mesh_soup(&state, 1 + random_below(&state, 4), 0.1);
        placed b = {body_of(small, 1 + i % 3, KILN_LAYOUT_RAW), a.at};
        if (affine_is_served(&a.at)) {
            check_points(&state, &a, tally);
        }
        for (int k = 0; k < 3; k++) { /* inside the torus' tube, nearly as it is placed */
            b.at.translation[k] += (k == 0 ? 0.5 : 0) * a.at.rotation[3 * k] * a.at.scale;
        }
        b.at.scale *= 0.2;
        if (i % 4 == 3) {
            b.at = affine_pose(&state, how);
        }
        if (affine_is_served(&b.at) || (affine_is_served(&a.at) && affine_is_rotation(&b.at))) {
            const kiln_place want = mesh_place(&state, &a, &b);
            for (int k = 0; k < KINDS; k++) {
                kiln_place place;
                next_set();
                assert_int_equal(kiln_locate_mesh(a.body.trees[k], &a.at,
                                                  b.body.trees[(k + i) % KINDS], &b.at, &place),
                                 KILN_OK);
                assert_int_equal(place, want);
            }
            meshes[want]++;
        }
        body_free(&a.body);
        body_free(&b.body);
    }
    kiln_kernel_force(NULL);
    print_message("points %zu outside, %zu inside, %zu on it; meshes %zu, %zu, %zu, %zu\n",
                  tally[0], tally[1], tally[2], meshes[0], meshes[1], meshes[2], meshes[3]);
    assert_true((tally[0] > 0 && tally[1] > 0) || is_shortened());
}

/* ---------------------------------------------------------------------------------- touching -- */

/* Small triangles, points, or triangles that are nearly in one plane across `normal`, all away from
 * the origin. */
static mesh small_mesh(uint64_t *state, uint32_t kind, const double normal[3])
{
    mesh m = mesh_soup(state, kind == 0 ? 1 : 40, kind == 1 ? 0.01 : 0.3);
    for (uint32_t v = 0; v < m.vertex_count; v++) {
        float *p = m.positions + 3 * (kind == 0 ? 0 : v), *q = m.positions + 3 * v;
        const double height =
            normal[0] * (double)p[0] + normal[1] * (double)p[1] + normal[2] * (double)p[2];
        for (int k = 0; k < 3; k++) {
            q[k] = (float)((double)p[k] - (kind == 2 ? height * normal[k] : 0));
            q[k] += kind == 0 && v == 0 ? 1000 : 0; /* far for its size */
        }
    }
    return m;
}

/* A point at exactly the place of a vertex of a skewed mesh meets it, for every kind and query, and
 * a ball of radius 0 there: what the proofs have for roundings is needed. */
static void test_touching(void **unused)
{
    (void)unused;
    uint64_t state = 80;
    const kiln_pose here = kiln_pose_identity();
    mesh origin = mesh_soup(&state, 1, 0);
    memset(origin.positions, 0, 9 * sizeof(float));
    const body point = body_of(origin, 4, KILN_LAYOUT_RAW);
    for (int i = 0; i < 40; i++) {
        kiln_pose pose = here, at = here;
        const kiln_pose turn = pose_random(&state, 0), other = pose_random(&state, 0);
        const double thin = exp2(-(double)(10 + random_below(&state, 27)));
        double scaled[9];
        for (int k = 0; k < 9; k++) { /* along the last row of `other` it is not thin */
            scaled[k] = turn.rotation[k] * (k % 3 == 2 ? 1 : k % 3 == 1 ? thin : sqrt(thin));
        }
        affine_times(scaled, other.rotation, pose.rotation);
        pose.scale = 0x1p+8;
        const body b = body_of(small_mesh(&state, (uint32_t)i % 3, other.rotation + 6), 1 + i % 4,
                               KILN_LAYOUT_RAW);
        const brute_affine carry = affine_carry(&pose, &here);
        for (int r = 0; r < 10; r++) {
            double corners[9];
            kiln_shape ball = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0};
            brute_corners(&b.mesh, random_below(&state, b.mesh.triangle_count), &carry, corners);
            memcpy(at.translation, corners, sizeof at.translation);
            memcpy(ball.a, corners, sizeof ball.a);
            for (int k = 0; k < KINDS; k++) {
                const kiln_tree *p = b.trees[k], *q = point.trees[(k + r) % KINDS];
                kiln_hit hit, within;
                kiln_nearest nearest;
                kiln_triangle_hit met;
                kiln_surface_point surface;
                kiln_point_options touching = kiln_point_options_default();
                size_t count, touched;
                touching.beyond = 0;
                next_set();
                assert_int_equal(kiln_nearest_point(p, &pose, corners, &touching, &surface),
                                 KILN_OK);
                assert_int_equal(kiln_nearest_within(p, &pose, corners, 0, NULL, NULL, 0, &touched),
                                 KILN_OK);
                assert_true(surface.found && surface.distance == 0 && touched > 0);
                assert_int_equal(kiln_collide(p, &pose, q, &at, NULL, &hit), KILN_OK);
                assert_int_equal(kiln_contacts(p, &pose, q, &at, NULL, NULL, 0, &count), KILN_OK);
                assert_int_equal(kiln_distance(q, &at, p, &pose, NULL, &nearest), KILN_OK);
                assert_int_equal(kiln_within(p, &pose, q, &at, 0, NULL, &within), KILN_OK);
                assert_int_equal(kiln_overlap_any(p, &pose, &ball, NULL, NULL, &met), KILN_OK);
                assert_true(hit.found && count > 0 && nearest.distance == 0 && met.found &&
                            within.found);
            }
        }
        body_free((body *)&b);
    }
    kiln_kernel_force(NULL);
    body_free((body *)&point);
}

/* ------------------------------------------------------------------------------------ scenes -- */

static bool count_overlap(void *user, const kiln_scene_overlap *overlap)
{
    (void)overlap;
    ++*(size_t *)user;
    return true;
}

/* Bounds hold every vertex where it is, and queries of a scene are those of its objects. */
static void test_scenes(void **unused)
{
    (void)unused;
    uint64_t state = 79;
    const kiln_pose here = kiln_pose_identity();
    void *memory = malloc(kiln_scene_size(4));
    size_t met = 0, hit = 0;
    assert_non_null(memory);
    for (int i = 0; i < (int)amount_of_few(MESHES); i++) {
        const affine_mix how = (affine_mix)(i % AFFINE_MIXES);
        placed p[2];
        kiln_scene *scene = NULL;
        kiln_scene_id id;
        assert_int_equal(kiln_scene_place(memory, kiln_scene_size(4), 4, &scene), KILN_OK);
        for (int k = 0; k < 2; k++) {
            p[k] = (placed){body_of(any_mesh(&state, how), 4, KILN_LAYOUT_RAW),
                            affine_pose(&state, how)};
            kiln_scene_object object = kiln_scene_object_default();
            object.tree = p[k].body.trees[(i + k) % KINDS];
            object.pose = p[k].at;
            assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_OK);
            const brute_affine at = affine_carry(&p[k].at, &here);
            double lower[3], upper[3], corners[9];
            assert_int_equal(kiln_scene_bounds_of(object.tree, &object.pose, lower, upper),
                             KILN_OK);
            for (uint32_t t = 0; t < p[k].body.mesh.triangle_count; t++) {
                brute_corners(&p[k].body.mesh, t, &at, corners);
                for (int c = 0; c < 9; c++) {
                    assert_true(corners[c] >= lower[c % 3] && corners[c] <= upper[c % 3]);
                }
            }
        }
        framed f;
        kiln_scene_hit scene_hit;
        frame_of(&p[0], &p[1], &f);
        const bool want = brute(&f).contacts > 0;
        assert_int_equal(kiln_scene_collide_any(scene, NULL, &scene_hit), KILN_OK);
        assert_true(scene_hit.hit.found == want);
        hit += want;
        for (int r = 0; r < 4; r++) {
            const kiln_shape shape = any_shape(&state, how);
            const kiln_pose at = affine_pose(&state, how);
            size_t count = 0, all = 0, single;
            assert_int_equal(
                kiln_scene_overlap_each(scene, &shape, &at, NULL, count_overlap, &count, NULL),
                KILN_OK);
            for (int k = 0; k < 2; k++) {
                assert_int_equal(kiln_overlap_all(p[k].body.trees[0], &p[k].at, &shape, &at, NULL,
                                                  NULL, 0, &single),
                                 KILN_OK);
                all += single > 0;
            }
            assert_int_equal(count, all);
            met += count;
        }
        body_free(&p[0].body);
        body_free(&p[1].body);
    }
    /* A ball that a pose stretches reaches as far as that. */
    kiln_scene *scene = NULL;
    kiln_scene_id id;
    kiln_scene_object object = kiln_scene_object_default();
    placed box = {body_of(mesh_box(0, 0, 7.5f, 1, 1, 9), 4, KILN_LAYOUT_RAW), here};
    const kiln_shape ball = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 1};
    kiln_pose stretched = here;
    size_t count = 0;
    stretched.rotation[8] = -8;
    object.tree = box.body.trees[0];
    assert_int_equal(kiln_scene_place(memory, kiln_scene_size(4), 4, &scene), KILN_OK);
    assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_OK);
    assert_int_equal(
        kiln_scene_overlap_each(scene, &ball, &stretched, NULL, count_overlap, &count, NULL),
        KILN_OK);
    assert_int_equal(count, 1);
    body_free(&box.body);
    free(memory);
    print_message("%zu overlaps, %zu collisions\n", met, hit);
    assert_true(met > 0 || is_shortened());
}

/* ----------------------------------------------------------------------------------- inverse -- */

/* Within 2^-50 of the largest entry, by fractions. */
static void check_inverse(const double m[9])
{
    mpq_t q[9], c[9], det, part;
    double inverse[9];
    const int sign = kiln_matrix_invert_wide(m, inverse);
    mpq_inits(det, part, NULL);
    for (int i = 0; i < 9; i++) {
        mpq_inits(q[i], c[i], NULL);
        mpq_set_d(q[i], m[i]);
    }
    for (int i = 0; i < 9; i++) {
        const int r1 = (i / 3 + 1) % 3, r2 = (i / 3 + 2) % 3, c1 = (i + 1) % 3, c2 = (i + 2) % 3;
        mpq_mul(c[i], q[3 * r1 + c1 % 3], q[3 * r2 + c2 % 3]);
        mpq_mul(part, q[3 * r1 + c2 % 3], q[3 * r2 + c1 % 3]);
        mpq_sub(c[i], c[i], part);
    }
    for (int j = 0; j < 3; j++) {
        mpq_mul(part, q[j], c[j]);
        mpq_add(det, det, part);
    }
    assert_int_equal(sign, mpq_sgn(det) > 0 ? 1 : mpq_sgn(det) < 0 ? -1 : 0);
    const double most = kiln_matrix_most(inverse);
    for (int i = 0; i < 9 && sign != 0; i++) {
        mpq_t off;
        mpq_init(off);
        mpq_div(part, c[3 * (i % 3) + i / 3], det);
        mpq_set_d(off, inverse[i]);
        mpq_sub(off, off, part);
        assert_true(fabs(mpq_get_d(off)) <= 0x1p-50 * most);
        mpq_clear(off);
    }
    for (int i = 0; i < 9; i++) {
        mpq_clears(q[i], c[i], NULL);
    }
    mpq_clears(det, part, NULL);
}

static void test_inverses(void **unused)
{
    (void)unused;
    uint64_t state = 78;
    for (int i = 0; i < (int)amount(3000); i++) {
        check_inverse(affine_pose(&state, (affine_mix)(i % AFFINE_MIXES)).rotation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lattices), cmocka_unit_test(test_mild),
        cmocka_unit_test(test_strong),   cmocka_unit_test(test_extreme),
        cmocka_unit_test(test_equal),    cmocka_unit_test(test_rays),
        cmocka_unit_test(test_shapes),   cmocka_unit_test(test_inside),
        cmocka_unit_test(test_touching), cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_inverses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
