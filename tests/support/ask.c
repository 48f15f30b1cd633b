/* See ask.h. */
#include "ask.h"

#include <stdlib.h>

enum { POSES = 2 };

/* At one place; apart by about a radius and turned. */
static const double quaternions[POSES][4] = {{0, 0, 0, 1}, {0.5, -0.5, 0.5, 0.5}};
static const double translations[POSES][3] = {{0, 0, 0}, {0.75, -0.25, 0.5}};

static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 31)) * 0x7fb5d329728ea185u;
    value = (value ^ (value >> 27)) * 0x81dadef4bc2dd44du;
    return value ^ (value >> 33);
}

typedef struct {
    uint64_t sum, count, max;
} pair_sum;

static bool add_pair(void *user, kiln_pair pair)
{
    pair_sum *sum = user;
    sum->sum += mix((uint64_t)pair.a << 32 | pair.b);
    return ++sum->count < sum->max;
}

static void ask_trees(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose_b,
                      uint64_t pairs_max, ask_result *result)
{
    kiln_hit hit;
    pair_sum sum = {0, 0, pairs_max};
    if (kiln_collide(a, NULL, b, pose_b, NULL, &hit) != KILN_OK ||
        kiln_contacts_each(a, NULL, b, pose_b, NULL, add_pair, &sum, NULL) != KILN_OK) {
        abort();
    }
    result->digest = mix(result->digest + sum.sum) + 2 * sum.count + hit.found;
    result->queries += 2;
    result->pairs += sum.count;
}

static uint64_t product(uint32_t a, uint32_t b)
{
    return (uint64_t)a * b;
}

ask_result ask_files(const kiln_file *a, const kiln_file *b, uint64_t pairs_max, uint64_t work_max)
{
    ask_result result = {0, 0, 0};
    for (uint32_t i = 0; i < kiln_file_tree_count(a); i++) {
        for (uint32_t j = 0; j < kiln_file_tree_count(b); j++) {
            const kiln_tree *tree_a = kiln_file_tree(a, i), *tree_b = kiln_file_tree(b, j);
            const kiln_tree_info info_a = kiln_tree_get_info(tree_a);
            const kiln_tree_info info_b = kiln_tree_get_info(tree_b);
            if (!info_a.polygons || !info_b.polygons) {
                continue;
            }
            if (product(info_a.node_count, info_b.node_count) > work_max ||
                product(info_a.triangle_count, info_b.triangle_count) > work_max) {
                continue;
            }
            for (int k = 0; k < POSES; k++) {
                kiln_pose pose;
                if (kiln_pose_from_quaternion(quaternions[k], translations[k], &pose) != KILN_OK) {
                    abort();
                }
                ask_trees(tree_a, tree_b, &pose, pairs_max, &result);
            }
        }
    }
    return result;
}
