/* Tight budgets of time: how far they are kept, and what the answer is worth beside an exact query
 * that is cut off at the same time and so has none.
 *
 * Each run is timed once, as a deadline is met or missed once; what another process does to the
 * machine meanwhile is in the last percentile. */
#include "adb_setup.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace
{

const uint64_t budgets[] = {250, 500, 1000, 2000, 4000, 8000, 16000}; /* ns */

struct Figures {
    double error = 0, undecided = 0; /* parts of the poses, means over meshes */
    double exact_late = 0;           /* exact queries that take longer */
    std::vector<double> overshoot;   /* ns */
};

struct Room {
    std::vector<uint64_t> memory;
    kiln_adb *query = nullptr;

    Room() : memory(kiln_adb_size(1024) / sizeof(uint64_t) + 1)
    {
        if (kiln_adb_place(memory.data(), memory.size() * sizeof(uint64_t), &query) != KILN_OK) {
            std::abort();
        }
    }
};

void ask(Room &room, const kiln_tree *tree, const Asked &asked, uint64_t budget, double share,
         Figures &figures)
{
    const kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    for (size_t i = 0; i < asked.poses.size(); i++) {
        kiln_adb_answer answer;
        if (kiln_adb_begin(room.query, tree, nullptr, tree, &asked.poses[i].pose, &options) !=
            KILN_OK) {
            std::abort();
        }
        const double start = now();
        const kiln_status status = kiln_adb_run(room.query, UINT64_MAX, budget);
        figures.overshoot.push_back(now() - start - double(budget));
        if (status != KILN_OK || kiln_adb_get_answer(room.query, &answer) != KILN_OK) {
            std::abort();
        }
        figures.error += share * double((answer.probability > 0.5) != (asked.truth[i] != 0));
        figures.undecided += share * double(answer.verdict == KILN_ADB_UNDECIDED);
    }
}

double percentile(std::vector<double> &values, double part)
{
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, size_t(part * double(values.size())))];
}

/* The least of three, for each pose. */
std::vector<double> exact_times(const kiln_tree *tree, const Asked &asked)
{
    const double overhead = clock_cost();
    std::vector<double> times(asked.poses.size(), HUGE_VAL);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < asked.poses.size(); i++) {
            const double start = now();
            (void)exact_answer(tree, asked.poses[i].pose);
            times[i] = std::min(times[i], now() - start - overhead);
        }
    }
    return times;
}

} // namespace

void keep_budgets(const AdbOptions &options, json_t *report)
{
    std::vector<AdbMesh> meshes = adb_meshes(MeshSet::Test, options.meshes);
    std::vector<Figures> all(sizeof budgets / sizeof budgets[0]);
    Room room;
    for (const AdbMesh &m : meshes) {
        const Baked baked(m.geometry, default_bake);
        const Asked asked =
            adb_poses(m, baked.tree(), ZACHMANN_SEED_TEST, std::max(1u, options.draws / 3));
        const std::vector<double> exact = exact_times(baked.tree(), asked);
        const double share = 1 / double(meshes.size()) / double(asked.poses.size());
        for (size_t b = 0; b < all.size(); b++) {
            ask(room, baked.tree(), asked, budgets[b], share, all[b]);
            all[b].exact_late +=
                share * double(std::count_if(exact.begin(), exact.end(), [b](double time) {
                    return time > double(budgets[b]);
                }));
        }
    }
    adb_free(meshes);
    std::printf("\n%-12s %8s %12s %18s %10s %10s %10s\n", "budget, us", "error %", "undecided %",
                "exact obb late %", "over, p50", "p99", "p99.9");
    json_t *list = json_array();
    for (size_t b = 0; b < all.size(); b++) {
        Figures &f = all[b];
        const double over[] = {percentile(f.overshoot, 0.5), percentile(f.overshoot, 0.99),
                               percentile(f.overshoot, 0.999)};
        std::printf("%-12.2f %8.2f %12.2f %18.2f %10.2f %10.2f %10.2f\n", double(budgets[b]) / 1e3,
                    100 * f.error, 100 * f.undecided, 100 * f.exact_late, over[0] / 1e3,
                    over[1] / 1e3, over[2] / 1e3);
        json_array_append_new(list, json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "us",
                                              double(budgets[b]) / 1e3, "error", f.error,
                                              "undecided", f.undecided, "exact_late", f.exact_late,
                                              "over_p50_us", over[0] / 1e3, "over_p99_us",
                                              over[1] / 1e3, "over_p999_us", over[2] / 1e3));
    }
    json_object_set_new(report, "budgets", list);
    std::fflush(stdout);
}
