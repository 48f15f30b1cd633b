/* Calls of a scene in any order with any numbers: the bytes are a program, a call after another,
 * each a byte that names it and the bytes of its arguments. Beside the scene stands what it should
 * hold; after each call the two are compared, and so are pairs whose bounds meet with those that
 * bounds by themselves give. Sanitizers and the library's own assertions judge the rest. */
#include "fuzz_scene.h"

#include "../../runtime/kiln_scene.h"
#include "../support/quick_bake.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 9, TREES = 3, CALLS_MAX = 300, PAIRS_MAX = CAPACITY * CAPACITY };

/* The rest of the program. */
typedef struct {
    const uint8_t *at, *end;
} program;

static unsigned take_byte(program *of)
{
    return of->at < of->end ? *of->at++ : 0;
}

/* Numbers that break things, and small ones. */
static double take_number(program *of)
{
    static const double hard[] = {0,     -0.0,   1e-300, -1e-300, 1e60, -1e60, 1e61,
                                  1e308, -1e308, 1e6,    1e-30,   1e30, NAN,   INFINITY};
    const unsigned byte = take_byte(of);
    const unsigned count = sizeof hard / sizeof hard[0];
    return byte < count ? hard[byte] : ((double)byte - 128) / 16;
}

static kiln_pose take_pose_of(program *of)
{
    kiln_pose pose = kiln_pose_identity();
    const unsigned how = take_byte(of);
    for (int k = 0; k < 3; k++) {
        pose.translation[k] = take_number(of);
    }
    if ((how & 1) != 0) { /* about z */
        const double angle = take_number(of);
        pose.rotation[0] = pose.rotation[4] = cos(angle);
        pose.rotation[1] = -sin(angle);
        pose.rotation[3] = sin(angle);
    }
    if ((how & 2) != 0) {
        pose.scale = take_number(of);
    }
    if ((how & 4) != 0) {
        pose.rotation[how >> 4 & 7] = take_number(of);
    }
    return pose;
}

static const kiln_tree *fixed_tree(unsigned which)
{
    static quick_model models[TREES];
    if (models[0].file == NULL) {
        models[0] = quick_model_of(mesh_box(0, 0, 0, 1, 1, 1), "obb,octree", 4);
        models[1] = quick_model_of(mesh_torus(6, 4, 0.1), "aabb,sphere", 2);
        models[2] = quick_model_of(mesh_box(-3e38f, -1, 0, 3e38f, 1, 1e-30f), "dop14", 2);
    }
    const kiln_file *file = models[which % TREES].file;
    return kiln_file_tree(file, which / TREES % kiln_file_tree_count(file));
}

/* What a scene should hold. */
typedef struct {
    kiln_scene *scene;
    kiln_scene_id ids[CAPACITY];
    kiln_scene_object objects[CAPACITY];
    unsigned count;
} twin;

static void hold(bool good)
{
    if (!good) {
        abort();
    }
}

/* One of the objects mostly; else any number. */
static kiln_scene_id take_id(program *of, const twin *both)
{
    const unsigned byte = take_byte(of);
    return byte < 240 && both->count > 0 ? both->ids[byte % both->count]
                                         : (uint64_t)(byte % 16) << 32 | take_byte(of);
}

static unsigned place_of_id(const twin *both, kiln_scene_id id)
{
    unsigned place = 0;
    while (place < both->count && both->ids[place] != id) {
        place++;
    }
    return place;
}

/* ----------------------------------------------------------------------------------- changes -- */

static void add(program *of, twin *both)
{
    kiln_scene_object object = kiln_scene_object_default();
    kiln_scene_id id = 77;
    object.tree = fixed_tree(take_byte(of));
    object.pose = take_pose_of(of);
    object.category = take_byte(of) % 4;
    object.mask = take_byte(of) % 4 != 0 ? UINT32_MAX : 2;
    const kiln_status status = kiln_scene_add(both->scene, &object, &id);
    hold(status == KILN_OK || id == 77);
    hold(status != KILN_ERROR_FULL || both->count == CAPACITY);
    if (status == KILN_OK) {
        hold(both->count < CAPACITY && place_of_id(both, id) == both->count && id != 0);
        both->ids[both->count] = id;
        both->objects[both->count++] = object;
    }
}

static void remove_one(program *of, twin *both)
{
    const kiln_scene_id id = take_id(of, both);
    const unsigned place = place_of_id(both, id);
    const kiln_status status = kiln_scene_remove(both->scene, id);
    hold(status == (place < both->count ? KILN_OK : KILN_ERROR_NO_OBJECT));
    if (status == KILN_OK) {
        both->count--;
        both->ids[place] = both->ids[both->count];
        both->objects[place] = both->objects[both->count];
    }
}

static void move(program *of, twin *both, bool many)
{
    kiln_scene_id ids[4];
    kiln_pose poses[4];
    const unsigned count = many ? take_byte(of) % 5 : 1;
    for (unsigned i = 0; i < count; i++) {
        ids[i] = take_id(of, both);
        poses[i] = take_pose_of(of);
    }
    const kiln_status status = many ? kiln_scene_move_many(both->scene, ids, poses, count)
                                    : kiln_scene_move(both->scene, ids[0], &poses[0]);
    for (unsigned i = 0; i < count && status == KILN_OK; i++) {
        const unsigned place = place_of_id(both, ids[i]);
        hold(place < both->count);
        both->objects[place].pose = poses[i];
    }
}

static void regroup(program *of, twin *both)
{
    const kiln_scene_id id = take_id(of, both);
    const unsigned place = place_of_id(both, id);
    const uint32_t category = take_byte(of) % 4, mask = take_byte(of) % 4;
    if (kiln_scene_set_groups(both->scene, id, category, mask) == KILN_OK) {
        hold(place < both->count);
        both->objects[place].category = category;
        both->objects[place].mask = mask;
    }
}

/* ----------------------------------------------------------------------------------- queries -- */

static void ask(program *of, const twin *both)
{
    kiln_scene_options options = kiln_scene_options_default();
    kiln_scene_hit hit;
    kiln_scene_ray_hit met;
    kiln_shape shape = {.kind = (kiln_shape_kind)(1 + take_byte(of) % 3)};
    kiln_ray ray;
    size_t count = 0;
    const kiln_pose pose = take_pose_of(of);
    options.within = take_number(of);
    options.ignore = take_id(of, both);
    memset(&ray, 0, sizeof ray);
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = shape.a[k] = take_number(of);
        ray.direction[k] = shape.b[k] = take_number(of);
    }
    ray.t_max = shape.radius = take_number(of);
    (void)kiln_scene_collide_any(both->scene, &options, &hit);
    (void)kiln_scene_collide(both->scene, &options, NULL, 0, &count);
    (void)kiln_scene_collide_object(both->scene, fixed_tree(take_byte(of)), &pose, &options, NULL,
                                    0, &count);
    (void)kiln_scene_overlap_each(both->scene, &shape, &pose, &options, NULL, NULL, &count);
    (void)kiln_scene_ray_any(both->scene, &ray, &options, &met);
    if (kiln_scene_ray_closest(both->scene, &ray, &options, &met) == KILN_OK && met.hit.found) {
        hold(place_of_id(both, met.id) < both->count && met.id != options.ignore);
    }
}

/* ---------------------------------------------------------------------------------- the twin -- */

static void compare_objects(const twin *both)
{
    unsigned seen = 0;
    kiln_scene_id last = 0;
    for (kiln_scene_id id = kiln_scene_next(both->scene, 0); id != 0;
         id = kiln_scene_next(both->scene, id)) {
        kiln_scene_object object = kiln_scene_object_default();
        double lower[3], upper[3], want[2][3];
        const unsigned place = place_of_id(both, id);
        hold(id > last && place < both->count);
        last = id;
        seen++;
        hold(kiln_scene_get(both->scene, id, &object) == KILN_OK);
        hold(object.tree == both->objects[place].tree &&
             object.category == both->objects[place].category &&
             object.mask == both->objects[place].mask);
        hold(kiln_scene_get_bounds(both->scene, id, lower, upper) == KILN_OK);
        hold(kiln_scene_bounds_of(object.tree, &both->objects[place].pose, want[0], want[1]) ==
             KILN_OK);
        hold(memcmp(lower, want[0], sizeof lower) == 0 &&
             memcmp(upper, want[1], sizeof upper) == 0);
    }
    hold(seen == both->count && kiln_scene_get_info(both->scene).count == seen);
}

static bool is_pair(const twin *both, unsigned i, unsigned j)
{
    const kiln_scene_object *a = &both->objects[i], *b = &both->objects[j];
    double lower[2][3], upper[2][3];
    bool meet = (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
    hold(kiln_scene_get_bounds(both->scene, both->ids[i], lower[0], upper[0]) == KILN_OK);
    hold(kiln_scene_get_bounds(both->scene, both->ids[j], lower[1], upper[1]) == KILN_OK);
    for (int k = 0; k < 3; k++) {
        meet = meet && lower[0][k] <= upper[1][k] && lower[1][k] <= upper[0][k];
    }
    return meet;
}

static void compare_pairs(const twin *both)
{
    kiln_scene_pair pairs[PAIRS_MAX];
    size_t count = 0, wanted = 0;
    hold(kiln_scene_pairs(both->scene, NULL, pairs, PAIRS_MAX, &count) == KILN_OK);
    for (unsigned i = 0; i < both->count; i++) {
        for (unsigned j = 0; j < i; j++) {
            wanted += is_pair(both, i, j);
        }
    }
    hold(count == wanted);
    for (size_t i = 0; i < count; i++) {
        hold(pairs[i].a < pairs[i].b);
        hold(i == 0 || pairs[i - 1].a < pairs[i].a ||
             (pairs[i - 1].a == pairs[i].a && pairs[i - 1].b < pairs[i].b));
        hold(is_pair(both, place_of_id(both, pairs[i].a), place_of_id(both, pairs[i].b)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    program rest = {data, data + size};
    twin both = {.count = 0};
    const size_t bytes = kiln_scene_size(CAPACITY);
    void *memory = malloc(bytes);
    hold(memory != NULL && kiln_scene_place(memory, bytes, CAPACITY, &both.scene) == KILN_OK);
    for (unsigned call = 0; call < CALLS_MAX && rest.at < rest.end; call++) {
        switch (take_byte(&rest) % 8) {
        case 0:
        case 1:
            add(&rest, &both);
            break;
        case 2:
            remove_one(&rest, &both);
            break;
        case 3:
            move(&rest, &both, false);
            break;
        case 4:
            move(&rest, &both, true);
            break;
        case 5:
            regroup(&rest, &both);
            break;
        case 6:
            hold(kiln_scene_rebuild(both.scene) == KILN_OK);
            break;
        default:
            ask(&rest, &both);
            break;
        }
        compare_objects(&both);
        compare_pairs(&both);
    }
    free(memory);
    return 0;
}
