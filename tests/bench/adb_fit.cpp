/* See adb_fit.hpp. */
#include "adb_fit.hpp"

#include <array>
#include <cmath>
#include <cstdlib>

namespace
{

enum {
    TERMS = KILN_ADB_FEATURES + 1,
    CAPACITY = 1024,
    PAIRS = 48,
    ROUNDS = 2,
    STEPS = 12,
    ROOT = 255
};

using Terms = std::array<double, TERMS>;

struct Seen {
    Terms x;
    bool meet;
};

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

/* What queries with these weights come across in their first PAIRS pairs. */
std::vector<Seen> observe(const std::vector<Lesson> &lessons, const kiln_adb_weights &weights,
                          const bool used[KILN_ADB_FEATURES])
{
    std::vector<uint64_t> memory(kiln_adb_size(CAPACITY) / sizeof(uint64_t) + 1);
    kiln_adb *query;
    Watched watched;
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.p_min = 1;
    options.epsilon = 0;
    options.weights = &weights;
    options.observer = watch;
    options.observer_user = &watched;
    std::vector<Seen> all;
    if (kiln_adb_place(memory.data(), memory.size() * sizeof(uint64_t), &query) != KILN_OK) {
        std::abort();
    }
    for (const Lesson &lesson : lessons) {
        const kiln_tree *tree = lesson.baked->tree();
        for (const zachmann_pose &pose : lesson.asked.poses) {
            watched.kept.clear();
            if (kiln_adb_begin(query, tree, nullptr, tree, &pose.pose, &options) != KILN_OK ||
                kiln_adb_run(query, PAIRS, UINT64_MAX) != KILN_OK) {
                std::abort();
            }
            for (const kiln_adb_observation &pair : watched.kept) {
                Seen seen;
                seen.x[0] = 1;
                for (int i = 0; i < KILN_ADB_FEATURES; i++) {
                    seen.x[size_t(i) + 1] = used[i] ? double(pair.features[i]) : 0;
                }
                if (kiln_adb_observed_meet(query, &pair, &seen.meet) != KILN_OK) {
                    std::abort();
                }
                all.push_back(seen);
            }
        }
    }
    return all;
}

/* Solves a x = b for a symmetric positive matrix, by elimination, into b. */
void solve(std::array<Terms, TERMS> &a, Terms &b)
{
    for (size_t i = 0; i < TERMS; i++) {
        for (size_t row = i + 1; row < TERMS; row++) {
            const double factor = a[row][i] / a[i][i];
            for (size_t k = i; k < TERMS; k++) {
                a[row][k] -= factor * a[i][k];
            }
            b[row] -= factor * b[i];
        }
    }
    for (size_t i = TERMS; i-- > 0;) {
        for (size_t k = i + 1; k < TERMS; k++) {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
}

/* Newton's method on the log-likelihood; a slight pull towards 0 keeps it solvable. */
Terms regress(const std::vector<Seen> &all)
{
    const double pull = 1e-3;
    Terms w = {};
    for (int step = 0; step < STEPS; step++) {
        std::array<Terms, TERMS> hessian = {};
        Terms gradient;
        for (size_t i = 0; i < TERMS; i++) {
            hessian[i][i] = pull;
            gradient[i] = -pull * w[i];
        }
        for (const Seen &seen : all) {
            double z = 0;
            for (size_t i = 0; i < TERMS; i++) {
                z += w[i] * seen.x[i];
            }
            const double p = 1 / (1 + std::exp(-z)), spread = p * (1 - p);
            for (size_t i = 0; i < TERMS; i++) {
                gradient[i] += (double(seen.meet) - p) * seen.x[i];
                for (size_t k = 0; k < TERMS; k++) {
                    hessian[i][k] += spread * seen.x[i] * seen.x[k];
                }
            }
        }
        solve(hessian, gradient);
        for (size_t i = 0; i < TERMS; i++) {
            w[i] += gradient[i];
        }
    }
    return w;
}

} // namespace

kiln_adb_weights adb_fit(const std::vector<Lesson> &lessons, const kiln_adb_weights &start,
                         const bool used[KILN_ADB_FEATURES])
{
    kiln_adb_weights weights = start;
    for (int round = 0; round < ROUNDS; round++) {
        const Terms w = regress(observe(lessons, weights, used));
        weights.bias = float(w[0]);
        weights.lambda = float(w[1]);
        weights.margin = float(w[2]);
        weights.level = float(w[3]);
        weights.ratio = float(w[4]);
    }
    return weights;
}
