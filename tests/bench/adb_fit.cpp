/* Weights for one setting of the ablation, fitted to training meshes that are baked by this setting,
 * so that what is compared are the settings, and not weights that fit one of them. */
#include "adb_fit.hpp"

extern "C" {
#include "../../tools/count/fit_logistic.h"
}

#include <cstdlib>

namespace
{

enum { CAPACITY = 1024, PAIRS = 64, ROUNDS = 2, ROOT = 255 };

struct Watched {
    Draw draw{3};
    std::vector<kiln_adb_observation> kept;
};

void watch(void *user, const kiln_adb *query, const kiln_adb_observation *seen)
{
    Watched *watched = static_cast<Watched *>(user);
    (void)query;
    const bool roots = seen->lane[0] == ROOT && seen->lane[1] == ROOT;
    if (!roots && watched->draw.below(4) == 0) {
        watched->kept.push_back(*seen);
    }
}

/* What queries with these weights come across, as `kiln calibrate` looks at it: past the
 * probability at which callers' queries end, without pairs that none would open, all of a mesh
 * as much as all of another. */
std::vector<kiln_fit_case> observe(const std::vector<Lesson> &lessons,
                                   const kiln_adb_weights &weights,
                                   const bool used[KILN_ADB_FEATURES])
{
    std::vector<uint64_t> memory(kiln_adb_size(CAPACITY) / sizeof(uint64_t) + 1);
    kiln_adb *query;
    Watched watched;
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.p_min = 0.97;
    options.epsilon = 0.02;
    options.weights = &weights;
    options.observer = watch;
    options.observer_user = &watched;
    std::vector<kiln_fit_case> all;
    if (kiln_adb_place(memory.data(), memory.size() * sizeof(uint64_t), &query) != KILN_OK) {
        std::abort();
    }
    for (const Lesson &lesson : lessons) {
        const kiln_tree *tree = lesson.baked->tree();
        const size_t first = all.size();
        for (const zachmann_pose &pose : lesson.test.poses) {
            watched.kept.clear();
            if (kiln_adb_begin(query, tree, nullptr, tree, &pose.pose, &options) != KILN_OK ||
                kiln_adb_run(query, PAIRS, UINT64_MAX) != KILN_OK) {
                std::abort();
            }
            for (const kiln_adb_observation &pair : watched.kept) {
                kiln_fit_case seen = {};
                for (int i = 0; i < KILN_ADB_FEATURES; i++) {
                    seen.feature[i] = used[i] ? pair.features[i] : 0;
                }
                if (kiln_adb_observed_meet(query, &pair, &seen.yes) != KILN_OK) {
                    std::abort();
                }
                all.push_back(seen);
            }
        }
        for (size_t i = first; i < all.size(); i++) {
            all[i].weight = 1000.0f / float(all.size() - first);
        }
    }
    return all;
}

} // namespace

kiln_adb_weights adb_fit(const std::vector<Lesson> &lessons, const kiln_adb_weights &start,
                         const bool used[KILN_ADB_FEATURES])
{
    kiln_adb_weights weights = start;
    for (int round = 0; round < ROUNDS; round++) {
        const std::vector<kiln_fit_case> cases = observe(lessons, weights, used);
        double w[KILN_FIT_TERMS];
        kiln_fit_logistic(cases.data(), cases.size(), w);
        weights.bias = float(w[0]);
        weights.lambda = float(w[1]);
        weights.margin = float(w[2]);
        weights.level = float(w[3]);
        weights.ratio = float(w[4]);
        weights.flat = float(w[5]);
        weights.lambda_level = float(w[6]);
        weights.thin = float(w[7]);
    }
    return weights;
}
