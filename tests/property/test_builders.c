/* Trees of every kind by every construction, leaf size and fit of boxes: the file passes the audit,
 * which is what `kiln verify` runs, and queries give the pairs that the exact oracle finds, against
 * any tree of any other kind by any other construction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../tools/encode/audit.h"
#include "../../tools/tree/builders.h"
#include "../support/amount.h"
#include "../support/brute.h"
#include "../support/pair_digest.h"
#include "../support/quick_bake.h"

enum {
    PAIRS_MAX = 1 << 16,
    POSES_MAX = 8192,
    POSES_OF_ALL = 10, /* at which each tree is queried; at others, of a longer run, some are */
    SOME = 12,
    FILES_MAX = 64,
    MESHES = 3
};

/* One file of all kinds, or of oriented boxes. */
typedef struct {
    void *bytes;
    kiln_file *file;
} baked;

typedef struct {
    kiln_pose pose;
    size_t count;
    uint32_t digest;
} question;

static const int leaves[] = {1, 4, 15};
static baked files[2][FILES_MAX];
static uint32_t file_count;
static uint64_t random_state = 11;

static mesh mesh_of(int which, int side)
{
    switch (which) {
    case 0:
        return mesh_torus(9, side == 0 ? 7 : 6, 0.2);
    case 1:
        return mesh_soup(&random_state, 120, 0.4);
    default:
        return mesh_lattice(&random_state, 90, 3); /* many touch, some have no area */
    }
}

static void bake(const mesh *m, const kiln_bake_options *options, baked *out)
{
    size_t size;
    kiln_format_error error = {0};
    out->bytes = quick_bake_with(m, options, &size);
    const bool sound = kiln_audit(out->bytes, size, NULL, &error);
    assert_string_equal(error.text, "");
    assert_true(sound);
    assert_int_equal(kiln_open_memory(out->bytes, size, NULL, &out->file), KILN_OK);
}

/* All constructions with the default fit, then all fits of one construction, for each leaf. */
static void bake_all(const mesh m[2])
{
    const uint32_t fits = 2 * (KILN_BOX_FIT_VOLUME + 1);
    file_count = 0;
    for (uint32_t i = 0; i < 3 * kiln_builder_count + fits; i++) {
        kiln_bake_options options = kiln_bake_options_default();
        options.layout = KILN_LAYOUT_RAW;
        options.bv = QUICK_ALL_KINDS;
        if (i < 3 * kiln_builder_count) {
            options.builder = kiln_builders[i / 3].name;
            options.leaf = leaves[i % 3];
        } else {
            const uint32_t fit = i - 3 * (uint32_t)kiln_builder_count;
            options.fit_to = (kiln_fit_to)(fit % 2);
            options.box_fit = (kiln_box_fit)(fit / 2);
            options.leaf = leaves[fit % 3];
        }
        assert_true(file_count < FILES_MAX);
        bake(&m[0], &options, &files[0][file_count]);
        bake(&m[1], &options, &files[1][file_count]);
        file_count++;
    }
}

static void ask(const kiln_tree *a, const kiln_tree *b, const question *q)
{
    static kiln_pair pairs[PAIRS_MAX];
    size_t count;
    kiln_hit hit;
    assert_int_equal(kiln_contacts(a, NULL, b, &q->pose, NULL, pairs, PAIRS_MAX, &count), KILN_OK);
    assert_int_equal(count, q->count);
    assert_int_equal(pair_digest(pairs, count), q->digest);
    assert_int_equal(kiln_collide(a, NULL, b, &q->pose, NULL, &hit), KILN_OK);
    assert_int_equal(hit.found, q->count > 0);
}

static const kiln_tree *any_tree(unsigned side)
{
    const kiln_file *file = files[side][random_below(&random_state, file_count)].file;
    return kiln_file_tree(file, random_below(&random_state, kiln_file_tree_count(file)));
}

static void answers_are_those_of_the_oracle(void **state)
{
    (void)state;
    static question questions[POSES_MAX];
    const uint32_t wanted = amount_of_few(POSES_OF_ALL);
    const uint32_t poses = wanted < POSES_MAX ? wanted : POSES_MAX;
    const uint32_t of_all = poses < POSES_OF_ALL ? poses : POSES_OF_ALL;
    for (int which = 0; which < MESHES; which++) {
        const mesh m[2] = {mesh_of(which, 0), mesh_of(which, 1)};
        const kiln_pose still = kiln_pose_identity();
        size_t hits = 0;
        bake_all(m);
        for (uint32_t i = 0; i < poses; i++) {
            question *q = &questions[i];
            q->pose = which == 2 ? pose_exact(&random_state, 3) : pose_random(&random_state, 1.2);
            kiln_pair *pairs =
                brute_pairs(&m[0], kiln_file_tree(files[0][0].file, 0), &still, &m[1],
                            kiln_file_tree(files[1][0].file, 0), &q->pose, false, &q->count);
            q->digest = pair_digest(pairs, q->count);
            hits += q->count > 0;
            free(pairs);
        }
        assert_in_range(hits, 1, poses);
        for (uint32_t f = 0; f < file_count; f++) {
            const uint32_t trees = kiln_file_tree_count(files[0][f].file);
            for (uint32_t i = 0; i < trees * of_all; i++) {
                const question *q = &questions[i % of_all];
                ask(kiln_file_tree(files[0][f].file, i / of_all), any_tree(1), q);
                ask(any_tree(0), kiln_file_tree(files[1][f].file, i / of_all), q);
            }
        }
        for (uint32_t i = of_all; i < poses; i++) {
            for (int k = 0; k < SOME; k++) {
                ask(any_tree(0), any_tree(1), &questions[i]);
            }
        }
        for (uint32_t f = 0; f < 2 * file_count; f++) {
            kiln_close(files[f % 2][f / 2].file);
            free(files[f % 2][f / 2].bytes);
        }
        for (unsigned s = 0; s < 2; s++) {
            mesh gone = m[s];
            mesh_free(&gone);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_those_of_the_oracle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
