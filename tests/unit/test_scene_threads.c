/* Many threads query one scene that does not change; the answers are those of one thread. Meant for
 * ThreadSanitizer, too. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../runtime/kiln_scene.h"
#include "../support/quick_bake.h"

enum { THREADS = 8, OBJECTS = 200, ROUNDS = 5 };

typedef struct {
    const kiln_scene *scene;
    size_t pairs, hits;
    kiln_scene_ray_hit ray;
    bool good;
} asker;

static void *ask_scene(void *context)
{
    asker *self = context;
    const kiln_ray ray = {{-20, 0.1, 0.2}, {1, 0, 0}, 0, 100};
    self->good = true;
    for (int i = 0; i < ROUNDS && self->good; i++) {
        self->good = kiln_scene_pairs(self->scene, NULL, NULL, 0, &self->pairs) == KILN_OK &&
                     kiln_scene_collide(self->scene, NULL, NULL, 0, &self->hits) == KILN_OK &&
                     kiln_scene_ray_closest(self->scene, &ray, NULL, &self->ray) == KILN_OK;
    }
    return NULL;
}

static void const_scenes_are_queried_by_many(void **state)
{
    (void)state;
    mesh torus = mesh_torus(8, 6, 0);
    void *bytes;
    kiln_file *file = quick_open(&torus, "obb", 4, KILN_LAYOUT_RAW, &bytes);
    const size_t size = kiln_scene_size(OBJECTS);
    void *memory = malloc(size);
    kiln_scene *scene;
    uint64_t random = 8;
    assert_int_equal(kiln_scene_place(memory, size, OBJECTS, &scene), KILN_OK);
    for (int i = 0; i < OBJECTS; i++) {
        kiln_scene_object object = kiln_scene_object_default();
        kiln_scene_id id;
        object.tree = kiln_file_tree(file, 0);
        object.pose = pose_random(&random, 8);
        assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_OK);
    }
    asker alone = {.scene = scene};
    (void)ask_scene(&alone);
    assert_true(alone.good && alone.pairs > alone.hits && alone.hits > 0 && alone.ray.hit.found);
    asker askers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        askers[i] = (asker){.scene = scene};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_scene, &askers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(askers[i].good);
        assert_int_equal(askers[i].pairs, alone.pairs);
        assert_int_equal(askers[i].hits, alone.hits);
        assert_true(askers[i].ray.id == alone.ray.id && askers[i].ray.hit.t == alone.ray.hit.t);
    }
    free(memory);
    kiln_close(file);
    free(bytes);
    mesh_free(&torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(const_scenes_are_queried_by_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
