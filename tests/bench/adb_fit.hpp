/* Weights for trees that are not baked as shipped weights assume: what an ablation needs so that it
 * compares parts, not weights that fit one of them. */
#ifndef KILN_BENCH_ADB_FIT_HPP
#define KILN_BENCH_ADB_FIT_HPP

#include "adb_setup.hpp"

/* A training mesh baked in some way, with its poses. */
struct Lesson {
    std::unique_ptr<Baked> baked;
    TestPoses test;
};

/* Logistic regression on pairs that queries weigh, from `start`; weights of features that are not
 * `used` stay 0. `others` and `root` are those of `start`. */
kiln_adb_weights adb_fit(const std::vector<Lesson> &lessons, const kiln_adb_weights &start,
                         const bool used[KILN_ADB_FEATURES]);

#endif
