/* Scenes against brute force, over random edits: after each, bounds and pairs; now and then every
 * exact query against kiln_collide, kiln_ray_closest and kiln_overlap_any of each object by itself.
 *
 * Objects are of all kinds of tree, small and large, near the origin or a million away, one over
 * another, in a row, huge or so small that coordinates are hardly numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kiln_scene.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"
#include "../support/rounding.h"

enum { MESHES = 5, OBJECTS = 48, PAIRS = OBJECTS * OBJECTS };

static mesh meshes[MESHES];
static void *bytes[MESHES];
static kiln_file *files[MESHES];

static int open_meshes(void **state)
{
    (void)state;
    uint64_t random = 5;
    meshes[0] = mesh_box(0, 0, 0, 1, 1, 1);
    meshes[1] = mesh_torus(8, 6, 0.1);
    meshes[2] = mesh_soup(&random, 30, 0.4);
    meshes[3] = mesh_lattice(&random, 12, 2);
    meshes[4] = mesh_box(-1, 3, 2, 4, 3.25f, 2.5f);
    for (int i = 0; i < MESHES; i++) {
        files[i] = quick_open(&meshes[i], QUICK_ALL_KINDS, 2, KILN_LAYOUT_RAW, &bytes[i]);
    }
    return 0;
}

static int close_meshes(void **state)
{
    (void)state;
    for (int i = 0; i < MESHES; i++) {
        kiln_close(files[i]);
        free(bytes[i]);
        mesh_free(&meshes[i]);
    }
    return 0;
}

/* --------------------------------------------------------------------------------- the model -- */

/* How objects are spread. */
typedef enum { NEAR, FAR_AWAY, ONE_PLACE, IN_A_ROW, ALL_SIZES, ON_A_LATTICE, SPREADS } spread;

typedef struct {
    bool there;
    kiln_scene_id id;
    kiln_scene_object object;
} placed;

typedef struct {
    kiln_scene *scene;
    placed all[OBJECTS];
    uint32_t count;
    spread spread;
    uint64_t random;
} model;

static const kiln_tree *any_tree(model *m)
{
    const kiln_file *file = files[random_below(&m->random, MESHES)];
    return kiln_file_tree(file, random_below(&m->random, kiln_file_tree_count(file)));
}

static kiln_pose any_pose(model *m)
{
    kiln_pose pose = pose_random(&m->random, m->spread == NEAR ? 4 : 1);
    switch (m->spread) {
    case FAR_AWAY:
        for (int k = 0; k < 3; k++) {
            pose.translation[k] = pose.translation[k] * 4 + 1e6 * (k + 1);
        }
        break;
    case ONE_PLACE:
        pose = kiln_pose_identity();
        break;
    case IN_A_ROW:
        pose.translation[0] = 60 * random_between(&m->random, -1, 1);
        pose.translation[1] = pose.translation[2] = 0;
        break;
    case ALL_SIZES:
        pose.scale = pow(2, random_between(&m->random, -30, 30));
        pose.translation[1] *= random_below(&m->random, 2) == 0 ? 1e60 : 1e-300;
        break;
    case ON_A_LATTICE:
        pose = pose_exact(&m->random, 3);
        pose.scale = scale_random(&m->random, true);
        break;
    case NEAR:
        pose.scale = scale_random(&m->random, false) / 2;
        break;
    case SPREADS:
        break;
    }
    return pose;
}

static void add_one(model *m, uint32_t i)
{
    placed *p = &m->all[i];
    assert_false(p->there);
    p->object = kiln_scene_object_default();
    p->object.tree = any_tree(m);
    p->object.pose = any_pose(m);
    p->object.user = random_next(&m->random);
    if (random_below(&m->random, 3) == 0) {
        p->object.category = 1u << random_below(&m->random, 3);
        p->object.mask = random_below(&m->random, 8);
    }
    assert_int_equal(kiln_scene_add(m->scene, &p->object, &p->id), KILN_OK);
    p->there = true;
    m->count++;
}

static void move_some(model *m)
{
    kiln_scene_id ids[OBJECTS];
    kiln_pose poses[OBJECTS];
    size_t count = 0;
    const uint32_t one_in = 1 + random_below(&m->random, 6);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        if (m->all[i].there && random_below(&m->random, one_in) == 0) {
            ids[count] = m->all[i].id;
            poses[count++] = m->all[i].object.pose = any_pose(m);
        }
    }
    assert_int_equal(kiln_scene_move_many(m->scene, ids, poses, count), KILN_OK);
}

static void edit_once(model *m)
{
    const uint32_t i = random_below(&m->random, OBJECTS), what = random_below(&m->random, 40);
    placed *p = &m->all[i];
    if (!p->there) {
        add_one(m, i);
        return;
    }
    if (what == 0) {
        move_some(m);
    } else if (what == 1) {
        assert_int_equal(kiln_scene_rebuild(m->scene), KILN_OK);
    } else if (what == 2) {
        p->object.category = random_below(&m->random, 8);
        p->object.mask = random_below(&m->random, 8);
        assert_int_equal(kiln_scene_set_groups(m->scene, p->id, p->object.category, p->object.mask),
                         KILN_OK);
    } else if (what < 12) {
        assert_int_equal(kiln_scene_remove(m->scene, p->id), KILN_OK);
        assert_int_equal(kiln_scene_remove(m->scene, p->id), KILN_ERROR_NO_OBJECT);
        p->there = false;
        m->count--;
    } else {
        p->object.pose = any_pose(m);
        if (what > 30) { /* a little */
            p->object.pose.translation[what % 3] += 0.01;
        }
        assert_int_equal(kiln_scene_move(m->scene, p->id, &p->object.pose), KILN_OK);
    }
}

/* ------------------------------------------------------------------------------- brute force -- */

static int by_id(const void *p, const void *q)
{
    const kiln_scene_id a = (*(const placed *const *)p)->id, b = (*(const placed *const *)q)->id;
    return (a > b) - (a < b);
}

/* The objects in the order of their ids. */
static uint32_t in_order(const model *m, const placed *order[OBJECTS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        if (m->all[i].there) {
            order[count++] = &m->all[i];
        }
    }
    qsort(order, count, sizeof order[0], by_id);
    return count;
}

static bool are_allowed(const placed *a, const placed *b)
{
    return (a->object.category & b->object.mask) != 0 && (b->object.category & a->object.mask) != 0;
}

static bool bounds_meet(const double lower[2][3], const double upper[2][3])
{
    for (int k = 0; k < 3; k++) {
        if (lower[0][k] > upper[1][k] || lower[1][k] > upper[0][k]) {
            return false;
        }
    }
    return true;
}

static void bounds_of(const model *m, const placed *p, double lower[3], double upper[3])
{
    double own_lower[3], own_upper[3];
    assert_int_equal(kiln_scene_get_bounds(m->scene, p->id, lower, upper), KILN_OK);
    assert_int_equal(kiln_scene_bounds_of(p->object.tree, &p->object.pose, own_lower, own_upper),
                     KILN_OK);
    assert_memory_equal(lower, own_lower, sizeof own_lower);
    assert_memory_equal(upper, own_upper, sizeof own_upper);
}

static void check_pairs(const model *m)
{
    static kiln_scene_pair pairs[PAIRS];
    const placed *order[OBJECTS];
    const uint32_t count = in_order(m, order);
    size_t found, at = 0;
    assert_int_equal(kiln_scene_pairs(m->scene, NULL, pairs, PAIRS, &found), KILN_OK);
    for (uint32_t i = 0; i < count; i++) {
        double lower[2][3], upper[2][3];
        bounds_of(m, order[i], lower[0], upper[0]);
        for (uint32_t j = i + 1; j < count; j++) {
            bounds_of(m, order[j], lower[1], upper[1]);
            if (!are_allowed(order[i], order[j]) ||
                !bounds_meet((const double(*)[3])lower, (const double(*)[3])upper)) {
                continue;
            }
            assert_true(at < found);
            assert_true(pairs[at].a == order[i]->id && pairs[at].b == order[j]->id);
            assert_true(pairs[at].user_a == order[i]->object.user);
            assert_true(pairs[at].user_b == order[j]->object.user);
            at++;
        }
    }
    assert_int_equal(at, found);
    assert_int_equal(kiln_scene_get_info(m->scene).count, count);
}

static bool store_hit(void *user, const kiln_scene_hit *hit)
{
    kiln_scene_hit **next = (kiln_scene_hit **)user;
    *(*next)++ = *hit;
    return true;
}

/* Without what lies between members. */
static bool is_same_hit(const kiln_scene_hit *p, const kiln_scene_hit *q)
{
    return memcmp(&p->objects, &q->objects, sizeof p->objects) == 0 &&
           p->hit.found == q->hit.found &&
           memcmp(&p->hit.pair, &q->hit.pair, sizeof p->hit.pair) == 0 &&
           memcmp(&p->hit.hint, &q->hit.hint, sizeof p->hit.hint) == 0;
}

/* Every pair that meets is found, in every environment, and the witness is that of kiln_collide. */
static void check_hits(const model *m)
{
    static kiln_scene_hit hits[PAIRS], again[PAIRS];
    const placed *order[OBJECTS];
    const uint32_t count = in_order(m, order);
    kiln_scene_hit *next = again, first;
    size_t found, called, at = 0;
    assert_int_equal(kiln_scene_collide(m->scene, NULL, hits, PAIRS, &found), KILN_OK);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            kiln_hit hit;
            if (!are_allowed(order[i], order[j])) {
                continue;
            }
            assert_int_equal(kiln_collide(order[i]->object.tree, &order[i]->object.pose,
                                          order[j]->object.tree, &order[j]->object.pose, NULL,
                                          &hit),
                             KILN_OK);
            if (hit.found) {
                assert_true(at < found);
                assert_true(hits[at].objects.a == order[i]->id);
                assert_true(hits[at].objects.b == order[j]->id);
                assert_memory_equal(&hits[at].hit.pair, &hit.pair, sizeof hit.pair);
                at++;
            }
        }
    }
    assert_int_equal(at, found);
    for (int mode = 1; mode <= ROUNDING_MODES; mode++) {
        next = again;
        rounding_enter(mode);
        const kiln_status status =
            kiln_scene_collide_each(m->scene, NULL, store_hit, &next, &called);
        rounding_leave();
        assert_int_equal(status, KILN_OK);
        assert_int_equal(called, found);
        for (size_t i = 0; i < found; i++) {
            assert_true(is_same_hit(&hits[i], &again[i]));
        }
    }
    assert_int_equal(kiln_scene_collide_any(m->scene, NULL, &first), KILN_OK);
    assert_int_equal(first.hit.found, found > 0);
    assert_true(found == 0 || is_same_hit(&first, &hits[0]));
}

/* One tree against all. */
static void check_object(model *m)
{
    static kiln_scene_hit hits[OBJECTS];
    const placed *order[OBJECTS];
    const uint32_t count = in_order(m, order);
    const kiln_tree *tree = any_tree(m);
    const kiln_pose pose = any_pose(m);
    kiln_scene_options options = kiln_scene_options_default();
    kiln_scene_hit first;
    size_t found, at = 0;
    options.mask = 5;
    options.ignore = count > 0 ? order[count / 2]->id : 0;
    assert_int_equal(
        kiln_scene_collide_object(m->scene, tree, &pose, &options, hits, OBJECTS, &found), KILN_OK);
    for (uint32_t i = 0; i < count; i++) {
        kiln_hit hit;
        assert_int_equal(
            kiln_collide(tree, &pose, order[i]->object.tree, &order[i]->object.pose, NULL, &hit),
            KILN_OK);
        if (hit.found && order[i]->id != options.ignore && (order[i]->object.category & 5) != 0 &&
            (order[i]->object.mask & 1) != 0) {
            assert_true(at < found);
            assert_true(hits[at].objects.a == 0 && hits[at].objects.b == order[i]->id);
            assert_memory_equal(&hits[at].hit.pair, &hit.pair, sizeof hit.pair);
            at++;
        }
    }
    assert_int_equal(at, found);
    assert_int_equal(kiln_scene_collide_object_any(m->scene, tree, &pose, &options, &first),
                     KILN_OK);
    assert_int_equal(first.hit.found, found > 0);
    assert_true(found == 0 || is_same_hit(&first, &hits[0]));
}

static bool store_overlap(void *user, const kiln_scene_overlap *overlap)
{
    kiln_scene_overlap **next = (kiln_scene_overlap **)user;
    *(*next)++ = *overlap;
    return true;
}

static kiln_shape any_shape(model *m)
{
    kiln_shape shape = {(kiln_shape_kind)(1 + random_below(&m->random, 3)), {0}, {0}, 0};
    for (int k = 0; k < 3; k++) {
        shape.a[k] = random_between(&m->random, -1, 1);
        shape.b[k] = shape.a[k] + random_between(&m->random, 0, 1);
    }
    shape.radius = random_between(&m->random, 0, 1);
    return shape;
}

static void check_shape(model *m)
{
    static kiln_scene_overlap found[OBJECTS];
    const placed *order[OBJECTS];
    const uint32_t count = in_order(m, order);
    const kiln_shape shape = any_shape(m);
    const kiln_pose pose = any_pose(m);
    kiln_scene_overlap *next = found;
    size_t called, at = 0;
    assert_int_equal(
        kiln_scene_overlap_each(m->scene, &shape, &pose, NULL, store_overlap, &next, &called),
        KILN_OK);
    for (uint32_t i = 0; i < count; i++) {
        kiln_triangle_hit hit;
        assert_int_equal(kiln_overlap_any(order[i]->object.tree, &order[i]->object.pose, &shape,
                                          &pose, NULL, &hit),
                         KILN_OK);
        if (hit.found && (order[i]->object.mask & 1) != 0 && order[i]->object.category != 0) {
            assert_true(at < called && found[at].id == order[i]->id);
            assert_true(found[at].hit.found && found[at].hit.triangle == hit.triangle &&
                        found[at].hit.value == hit.value);
            at++;
        }
    }
    assert_int_equal(at, called);
}

/* From somewhere towards an object, or along a row of them. */
static kiln_ray any_ray(model *m, const placed *at)
{
    kiln_ray ray;
    const kiln_pose from = any_pose(m);
    memcpy(ray.origin, from.translation, sizeof ray.origin);
    for (int k = 0; k < 3; k++) {
        ray.direction[k] = at->object.pose.translation[k] - ray.origin[k];
        if (m->spread == ON_A_LATTICE && random_below(&m->random, 2) == 0) {
            ray.direction[k] = 0;
        }
        const double size = fabs(ray.direction[k]);
        ray.direction[k] = size < 1e30 ? ray.direction[k] : ray.direction[k] / size * 1e30;
    }
    ray.t_min = random_below(&m->random, 2) == 0 ? 0 : -0.3;
    ray.t_max = random_below(&m->random, 2) == 0 ? INFINITY : 1.1;
    return ray;
}

static void check_ray(model *m)
{
    const placed *order[OBJECTS];
    const uint32_t count = in_order(m, order);
    kiln_scene_ray_hit hit, best = {0, 0, {0}}, any;
    if (count == 0) {
        return;
    }
    kiln_ray ray = any_ray(m, order[random_below(&m->random, count)]);
    const double size = fabs(ray.direction[0]) + fabs(ray.direction[1]) + fabs(ray.direction[2]);
    if (!(size > 1e-29)) {
        ray.direction[0] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        kiln_ray_hit one;
        assert_int_equal(
            kiln_ray_closest(order[i]->object.tree, &order[i]->object.pose, &ray, NULL, &one),
            KILN_OK);
        if (one.found && (order[i]->object.mask & 1) != 0 && order[i]->object.category != 0 &&
            (!best.hit.found || one.t < best.hit.t)) {
            best.id = order[i]->id;
            best.user = order[i]->object.user;
            best.hit = one;
        }
    }
    assert_int_equal(kiln_scene_ray_closest(m->scene, &ray, NULL, &hit), KILN_OK);
    assert_true(hit.id == best.id && hit.user == best.user);
    assert_true(hit.hit.found == best.hit.found && hit.hit.triangle == best.hit.triangle &&
                hit.hit.value == best.hit.value && hit.hit.side == best.hit.side);
    assert_true(hit.hit.t == best.hit.t);
    assert_memory_equal(hit.hit.weights, best.hit.weights, sizeof best.hit.weights);
    assert_memory_equal(hit.hit.normal, best.hit.normal, sizeof best.hit.normal);
    assert_int_equal(kiln_scene_ray_any(m->scene, &ray, NULL, &any), KILN_OK);
    assert_int_equal(any.hit.found, best.hit.found);
}

/* ------------------------------------------------------------------------------------- tests -- */

static void edits_against_brute_force(void **state)
{
    (void)state;
    const uint32_t steps = amount(1500);
    for (uint32_t s = 0; s < SPREADS; s++) {
        model m;
        memset(&m, 0, sizeof m);
        m.spread = (spread)s;
        m.random = 77 + s;
        const size_t size = kiln_scene_size(OBJECTS);
        void *memory = malloc(size);
        assert_non_null(memory);
        memset(memory, 0xA5, size);
        assert_int_equal(kiln_scene_place(memory, size, OBJECTS, &m.scene), KILN_OK);
        for (uint32_t step = 0; step < steps; step++) {
            edit_once(&m);
            if (step % 4 == 0) {
                check_pairs(&m);
                check_object(&m);
                check_shape(&m);
                check_ray(&m);
            }
            if (step % 50 == 0) {
                check_hits(&m);
            }
        }
        free(memory);
    }
}

/* Bounds at scales and translations whose sums are rounded: boxes that touch in the mesh's own
 * frame, moved by one pose, touch in exact arithmetic, and kiln_collide says so. */
static void touching_bounds_are_not_lost(void **state)
{
    (void)state;
    uint64_t random = 11;
    mesh other = mesh_box(1, 0, 0, 2, 1, 1);
    void *data;
    kiln_file *file = quick_open(&other, QUICK_ALL_KINDS, 2, KILN_LAYOUT_RAW, &data);
    const size_t size = kiln_scene_size(2);
    void *memory = malloc(size);
    for (uint32_t i = 0; i < amount(1500); i++) {
        kiln_scene *scene;
        kiln_scene_object object = kiln_scene_object_default();
        kiln_scene_id id;
        kiln_scene_hit hit;
        kiln_hit exact;
        size_t count;
        assert_int_equal(kiln_scene_place(memory, size, 2, &scene), KILN_OK);
        object.pose = pose_exact(&random, 0);
        object.pose.scale = random_between(&random, 0.1, 3);
        for (int k = 0; k < 3; k++) {
            object.pose.translation[k] = random_between(&random, -1000, 1000);
        }
        object.tree = kiln_file_tree(files[0], i % 3);
        assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_OK);
        object.tree = kiln_file_tree(file, i % 5);
        assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_OK);
        assert_int_equal(kiln_collide(kiln_file_tree(files[0], 0), &object.pose, object.tree,
                                      &object.pose, NULL, &exact),
                         KILN_OK);
        assert_true(exact.found);
        assert_int_equal(kiln_scene_pairs(scene, NULL, NULL, 0, &count), KILN_OK);
        assert_int_equal(count, 1);
        assert_int_equal(kiln_scene_collide_any(scene, NULL, &hit), KILN_OK);
        assert_true(hit.hit.found);
    }
    free(memory);
    kiln_close(file);
    free(data);
    mesh_free(&other);
}

/* With `within`, nothing that kiln_within finds is left out. */
static void near_objects_are_candidates(void **state)
{
    (void)state;
    static kiln_scene_pair pairs[PAIRS];
    model m;
    memset(&m, 0, sizeof m);
    m.random = 3;
    const size_t size = kiln_scene_size(OBJECTS);
    void *memory = malloc(size);
    assert_int_equal(kiln_scene_place(memory, size, OBJECTS, &m.scene), KILN_OK);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        add_one(&m, i);
        assert_int_equal(kiln_scene_set_groups(m.scene, m.all[i].id, 1, 1), KILN_OK);
    }
    const placed *order[OBJECTS];
    const uint32_t count = in_order(&m, order);
    kiln_scene_options options = kiln_scene_options_default();
    for (uint32_t round = 0; round < 12; round++) {
        size_t found, at = 0, near = 0;
        options.within = round == 0 ? 0 : pow(2, round - 8.0);
        assert_int_equal(kiln_scene_pairs(m.scene, &options, pairs, PAIRS, &found), KILN_OK);
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = i + 1; j < count; j++) {
                kiln_hit hit;
                const bool candidate =
                    at < found && pairs[at].a == order[i]->id && pairs[at].b == order[j]->id;
                at += candidate;
                assert_int_equal(kiln_within(order[i]->object.tree, &order[i]->object.pose,
                                             order[j]->object.tree, &order[j]->object.pose,
                                             options.within, NULL, &hit),
                                 KILN_OK);
                assert_true(candidate || !hit.found);
                near += hit.found;
            }
        }
        assert_int_equal(at, found);
        assert_true(near > 0);
    }
    free(memory);
}

/* Boxes whose distance is `within`, to the bit. */
static void objects_at_the_distance_are_candidates(void **state)
{
    (void)state;
    uint64_t random = 21;
    const kiln_tree *tree = kiln_file_tree(files[0], 0);
    const size_t size = kiln_scene_size(2);
    void *memory = malloc(size);
    for (uint32_t i = 0; i < amount(500); i++) {
        kiln_scene *scene;
        kiln_scene_object object = kiln_scene_object_default();
        kiln_scene_options options = kiln_scene_options_default();
        kiln_scene_id id;
        kiln_nearest nearest;
        size_t count;
        const kiln_pose fixed = object.pose;
        assert_int_equal(kiln_scene_place(memory, size, 2, &scene), KILN_OK);
        object.tree = tree;
        assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_OK);
        object.pose.translation[i % 3] =
            random_between(&random, 1, 3) * (random_below(&random, 2) == 0 ? 1 : -1);
        assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_OK);
        assert_int_equal(kiln_distance(tree, &fixed, tree, &object.pose, NULL, &nearest), KILN_OK);
        options.within = nearest.distance;
        assert_int_equal(kiln_scene_pairs(scene, &options, NULL, 0, &count), KILN_OK);
        assert_int_equal(count, 1);
        options.within = nearest.distance * 0.999;
        assert_int_equal(kiln_scene_pairs(scene, &options, NULL, 0, &count), KILN_OK);
        assert_int_equal(count, 0);
    }
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_against_brute_force),
        cmocka_unit_test(touching_bounds_are_not_lost),
        cmocka_unit_test(near_objects_are_candidates),
        cmocka_unit_test(objects_at_the_distance_are_candidates),
    };
    return cmocka_run_group_tests(tests, open_meshes, close_meshes);
}
