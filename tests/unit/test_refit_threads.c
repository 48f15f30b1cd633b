/* Threads that refit copies of one tree of their own, while others query the tree itself and a copy
 * that stays as it is; the answers are those of one thread. Meant for ThreadSanitizer, too. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/quick_bake.h"

enum { THREADS = 8, FRAMES = 6 };

typedef struct {
    const kiln_tree *tree;   /* of the file, for all */
    const kiln_refit *still; /* a copy that nobody updates, for all */
    bool deforms;            /* refits a copy of its own */
    size_t pairs[FRAMES];
    bool good;
} worker;

/* Waves whose height is that of the frame. */
static bool deform_copy(kiln_refit *refit, const float *rest, float *moved, int frame)
{
    const uint32_t count = kiln_refit_vertex_count(refit);
    for (uint32_t i = 0; i < 3 * count; i++) {
        moved[i] = rest[i] + 0.02f * (float)frame * sinf(7 * rest[i - i % 3 + (i + 1) % 3]);
    }
    return kiln_refit_update(refit, moved, count) == KILN_OK;
}

static void *work(void *context)
{
    worker *self = context;
    kiln_pose pose = kiln_pose_identity();
    kiln_refit *refit = NULL;
    const size_t size = kiln_refit_size(self->tree);
    void *memory = malloc(size);
    pose.translation[0] = 0.3;
    self->good = kiln_refit_place(memory, size, self->tree, &refit) == KILN_OK;
    const size_t bytes = 3 * sizeof(float) * kiln_refit_vertex_count(refit);
    float *rest = malloc(bytes), *moved = malloc(bytes);
    memcpy(rest, kiln_refit_vertices(refit), bytes);
    for (int frame = 0; frame < FRAMES && self->good; frame++) {
        const kiln_tree *own = self->deforms ? kiln_refit_tree(refit) : self->tree;
        self->good = (!self->deforms || deform_copy(refit, rest, moved, frame)) &&
                     kiln_contacts(own, NULL, kiln_refit_tree(self->still), &pose, NULL, NULL, 0,
                                   &self->pairs[frame]) == KILN_OK;
    }
    free(moved);
    free(rest);
    free(memory);
    return NULL;
}

static void copies_are_refitted_by_many_threads(void **state)
{
    (void)state;
    static const char *const kinds[] = {"aabb", "dop14", "sphere"};
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        quick_model torus = quick_model_of(mesh_torus(16, 10, 0.1), kinds[kind], 4);
        const kiln_tree *tree = kiln_file_tree(torus.file, 0);
        const size_t size = kiln_refit_size(tree);
        void *memory = malloc(size);
        kiln_refit *still;
        assert_int_equal(kiln_refit_place(memory, size, tree, &still), KILN_OK);
        worker alone[2] = {{.tree = tree, .still = still},
                           {.tree = tree, .still = still, .deforms = true}};
        worker workers[THREADS];
        pthread_t threads[THREADS];
        for (int i = 0; i < 2; i++) {
            (void)work(&alone[i]);
            assert_true(alone[i].good && alone[i].pairs[0] == alone[0].pairs[0]);
        }
        assert_true(alone[1].pairs[FRAMES - 1] != alone[1].pairs[0]);
        for (int i = 0; i < THREADS; i++) {
            workers[i] = (worker){.tree = tree, .still = still, .deforms = i % 2 != 0};
            assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_true(workers[i].good);
            assert_memory_equal(workers[i].pairs, alone[i % 2].pairs, sizeof workers[i].pairs);
        }
        free(memory);
        quick_model_free(&torus);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_refitted_by_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
