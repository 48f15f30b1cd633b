/* What is sampled: trees of every kind whose boxes contain their triangles and are otherwise as
 * extreme as the verifier admits (extreme.h), of small soups, lattices and closed meshes, from
 * denormal sizes to 2^100, at any pose and at the least and the largest scale; all queries, in
 * both orders, by every instruction set.
 *
 * Oracle: exact integers for contacts, all pairs for distances, and a baked tree of the same
 * mesh, bit for bit, for the rest (agree.h). Tolerance: none. Before anything is asked the file
 * passes what `kiln verify --full` checks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kernel/kernel.h"
#include "../../tools/encode/audit.h"
#include "../support/agree.h"
#include "../support/amount.h"
#include "../support/extreme.h"
#include "../support/quick_bake.h"

enum { ROUNDS = 400, KINDS = KILN_NODE_KIND_COUNT };

/* A mesh as it was baked, and with extreme boxes. */
typedef struct {
    mesh mesh;
    void *baked;
    uint8_t *extreme;
    kiln_file *files[2]; /* of these */
} sample;

static mesh draw_mesh(uint64_t *state)
{
    const uint32_t n = 1 + random_below(state, 20);
    mesh m = {0};
    switch (random_below(state, 4)) {
    case 0:
        m = mesh_lattice(state, n, 3);
        break;
    case 1:
        m = mesh_torus(4, 3, 0.1);
        break;
    case 2:
        m = mesh_box(-1, -0.5f, -1, 1, 0.25f, 0.5f);
        break;
    default:
        m = mesh_soup(state, n, 0.5);
    }
    static const int sizes[] = {0, 0, 0, 40, -40, 90, -90, -125};
    const int size = sizes[random_below(state, sizeof sizes / sizeof sizes[0])];
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] = ldexpf(m.positions[i], size);
    }
    return m;
}

static sample draw_sample(uint64_t *state)
{
    sample s = {draw_mesh(state), NULL, NULL, {NULL, NULL}};
    kiln_bake_options options = kiln_bake_options_default();
    kiln_format_error error;
    size_t size;
    options.bv = QUICK_ALL_KINDS;
    options.leaf = 1 + (int)random_below(state, 4);
    options.layout = KILN_LAYOUT_RAW;
    options.threads = 1;
    options.adb = random_below(state, 3) == 0 ? 4 : 0;
    options.adb_factor = 0.75;
    s.baked = quick_bake_with(&s.mesh, &options, &size);
    assert_int_equal(kiln_open_memory(s.baked, size, NULL, &s.files[0]), KILN_OK);
    edit_file *file = edit_open(s.baked, size);
    extreme_boxes(file, state);
    s.extreme = edit_seal(file, false, &size);
    assert_int_equal(kiln_open_memory(s.extreme, size, NULL, &s.files[1]), KILN_OK);
    if (options.adb != 0) { /* counts are those of other boxes */
        edit_remove(file, KILN_SECTION_ADB);
        edit_remove(file, KILN_SECTION_ADB_BOXES);
    }
    edit_hash(file);
    uint8_t *audited = edit_seal(file, false, &size);
    edit_free(file);
    if (!kiln_audit(audited, size, NULL, &error)) {
        fail_msg("the boxes are not honest: %s", error.text);
    }
    free(audited);
    return s;
}

static void free_sample(sample *s)
{
    kiln_close(s->files[0]);
    kiln_close(s->files[1]);
    free(s->baked);
    free(s->extreme);
    mesh_free(&s->mesh);
}

static void check_trees(const sample *a, const sample *b, const agree_body *at_a,
                        const agree_body *at_b, uint32_t round, uint64_t *state)
{
    agree_truth truth = agree_truth_of(at_a, at_b);
    const char *wrong = NULL;
    const kiln_kernel *kernel;
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        kiln_kernel_force(kernel);
        for (uint32_t i = 0; i < KINDS && wrong == NULL; i++) {
            const uint32_t j = (i + round) % KINDS;
            const kiln_tree *p = kiln_file_tree(a->files[1], i);
            const kiln_tree *q = kiln_file_tree(b->files[round % 3 != 0], j);
            wrong = agree_on_pair(&truth, p, q);
            wrong = wrong != NULL ? wrong : agree_alone(at_a, p, state);
            if (wrong != NULL) {
                print_message("%s: %s and %s\n", kernel->name, kiln_tree_get_info(p).bv_name,
                              kiln_tree_get_info(q).bv_name);
            }
        }
        if (wrong != NULL) {
            fail_msg("round %u: %s is answered wrongly", (unsigned)round, wrong);
        }
    }
    kiln_kernel_force(NULL);
    agree_free(&truth);
}

static void test_honest_boxes_of_extreme_numbers(void **unused)
{
    (void)unused;
    uint64_t state = 2024;
    size_t meeting = 0;
    const uint32_t rounds = amount(ROUNDS);
    for (uint32_t round = 0; round < rounds; round++) {
        sample a = draw_sample(&state), b = draw_sample(&state);
        agree_body at_a = {&a.mesh, kiln_file_tree(a.files[0], 0), kiln_pose_identity()};
        agree_body at_b = {&b.mesh, kiln_file_tree(b.files[0], 0), kiln_pose_identity()};
        agree_draw_poses(&at_a, &at_b, &state);
        kiln_hit hit;
        assert_int_equal(kiln_collide(at_a.sure, &at_a.at, at_b.sure, &at_b.at, NULL, &hit),
                         KILN_OK);
        meeting += hit.found;
        check_trees(&a, &b, &at_a, &at_b, round, &state);
        free_sample(&a);
        free_sample(&b);
    }
    assert_true(meeting > rounds / 10 && meeting < rounds - rounds / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_honest_boxes_of_extreme_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
