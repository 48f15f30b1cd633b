/* Figures 14, 16 and 17 of Klein and Zachmann (2003) for our models: times and errors over the
 * distance at three complexities, and what p_min and k_min do to both.
 *
 * "paper": their node and their settings, axis-aligned boxes with two children and one triangle
 * a leaf, 8^3 cells, Equation 8 over filled bins, p_min 0.99 and k_min 10 unless said. The
 * overlap test before an estimate, and exact counts at leaves, are ours: their text has neither. */
#include "adb_plot.hpp"
#include "adb_setup.hpp"
#include "../../tools/bench/dop24.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace
{

enum { ROUNDS = 3, PAPER_PAIRS = 600 };
const uint32_t complexities[] = {5000, 20000, 60000};

/* Means over the poses of each distance; error in %. */
struct Series {
    std::string title;
    std::vector<double> us, error;
};

using Question = std::function<bool(const kiln_pose &)>;

Series series_of(const std::string &title, const Asked &asked, const Question &question)
{
    const double overhead = clock_cost();
    std::vector<double> time(asked.poses.size(), HUGE_VAL);
    std::vector<double> sum(ZACHMANN_DISTANCES, 0), wrong = sum, count = sum;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < asked.poses.size(); i++) {
            const double start = now();
            const bool answer = question(asked.poses[i].pose);
            time[i] = std::min(time[i], std::max(now() - start - overhead, 1.0));
            wrong[size_t(asked.poses[i].distance)] += round == 0 && answer != (asked.truth[i] != 0);
        }
    }
    for (size_t i = 0; i < asked.poses.size(); i++) {
        sum[size_t(asked.poses[i].distance)] += time[i] / 1e3;
        count[size_t(asked.poses[i].distance)]++;
    }
    Series series = {title, {}, {}};
    for (size_t d = 0; d < ZACHMANN_DISTANCES; d++) {
        series.us.push_back(count[d] > 0 ? sum[d] / count[d] : NAN);
        series.error.push_back(count[d] > 0 ? 100 * wrong[d] / count[d] : NAN);
    }
    return series;
}

Point paper(double p_min, uint32_t k_min)
{
    Point point = {"paper", kiln_adb_options_of(KILN_ADB_DEFAULT), PAPER_PAIRS};
    point.options.evaluator = KILN_ADB_BINS;
    point.options.p_min = p_min;
    point.options.k_min = k_min;
    point.options.epsilon = 0;
    return point;
}

Question about(const kiln_tree *tree, const Point &point)
{
    return [tree, point](const kiln_pose &pose) {
        kiln_adb_answer answer;
        return adb_answer(tree, pose, point, &answer);
    };
}

void print_table(const std::string &title, const std::vector<Series> &all,
                 std::vector<double> Series::*values, json_t *report)
{
    json_t *table = json_object();
    std::printf("\n%s\n%-24s", title.c_str(), "distance");
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        std::printf(" %6.1f", zachmann_distance(d));
    }
    std::printf("\n");
    for (const Series &series : all) {
        json_t *list = json_array();
        std::printf("%-24s", series.title.c_str());
        for (const double value : series.*values) {
            if (std::isnan(value)) {
                std::printf(" %6s", "-");
                json_array_append_new(list, json_null());
            } else {
                std::printf(" %6.2f", value);
                json_array_append_new(list, json_real(value));
            }
        }
        std::printf("\n");
        json_object_set_new(table, series.title.c_str(), list);
    }
    std::fflush(stdout);
    json_object_set_new(report, title.c_str(), table);
}

/* A table and, with a folder, FOLDER/FILE.svg. */
void show(const std::string &title, const std::string &unit, const std::string &folder,
          const std::string &file, const std::vector<Series> &all,
          std::vector<double> Series::*values, json_t *report)
{
    print_table(title + ", " + unit, all, values, report);
    Plot plot = {title, "distance", unit, false, values == &Series::us, {}};
    for (const Series &series : all) {
        Curve curve = {series.title, {}};
        for (size_t d = 0; d < ZACHMANN_DISTANCES; d++) {
            if (!std::isnan((series.*values)[d])) {
                curve.points.push_back({zachmann_distance(int(d)), (series.*values)[d], 0});
            }
        }
        plot.curves.push_back(curve);
    }
    if (!folder.empty()) {
        draw_plot(folder + "/" + file + ".svg", plot);
    }
}

/* One model at one complexity with its trees. */
struct Subject3 {
    AdbMesh m;
    Baked boxes, oriented, binary;
    std::unique_ptr<dop24, void (*)(dop24 *)> dop;
    Asked asked;

    Subject3(const std::string &shape, uint32_t triangles, unsigned draws)
        : m(adb_shape(shape, triangles)), boxes(m.geometry, {"aabb2", 1, 8}),
          oriented(m.geometry, default_bake), binary(m.geometry, {"obb2", 1}),
          dop(dop24_build(binary.file()), dop24_free),
          asked(adb_poses(m, binary.tree(), ZACHMANN_SEED_TEST, draws))
    {
    }
    ~Subject3()
    {
        mesh_free(&m.geometry);
    }
    Subject3(const Subject3 &) = delete;
    Subject3 &operator=(const Subject3 &) = delete;
};

void over_complexity(const std::string &shape, const AdbOptions &options, json_t *report)
{
    std::vector<Series> all, exact;
    for (const uint32_t triangles : complexities) {
        const Subject3 s(shape, triangles, options.draws);
        const std::string size = std::to_string(s.m.geometry.triangle_count);
        all.push_back(series_of("paper, " + size, s.asked, about(s.boxes.tree(), paper(0.99, 10))));
        all.push_back(series_of("default, " + size, s.asked,
                                about(s.oriented.tree(), operating_points()[0])));
        exact.push_back(series_of("24-DOP, " + size, s.asked, [&](const kiln_pose &pose) {
            return dop24_collide(s.dop.get(), &pose, nullptr);
        }));
    }
    show("Figure 16, " + shape, "error %", options.figures, "figure16-" + shape, all,
         &Series::error, report);
    all.insert(all.end(), exact.begin(), exact.end());
    show("Figure 14, " + shape, "us", options.figures, "figure14-" + shape, all, &Series::us,
         report);
}

void over_settings(const AdbOptions &options, json_t *report)
{
    const Subject3 s("car", 20000, options.draws);
    std::vector<Series> by_p, by_k;
    char title[32];
    for (const double p : {0.5, 0.7, 0.8, 0.9, 0.99}) {
        (void)std::snprintf(title, sizeof title, "p_min %.2f", p);
        by_p.push_back(series_of(title, s.asked, about(s.boxes.tree(), paper(p, 10))));
    }
    for (const uint32_t k : {1u, 2u, 5u, 10u}) {
        (void)std::snprintf(title, sizeof title, "k_min %u", k);
        by_k.push_back(series_of(title, s.asked, about(s.boxes.tree(), paper(0.99, k))));
    }
    const std::string car = "car, " + std::to_string(s.m.geometry.triangle_count) + " triangles";
    const std::string &folder = options.figures;
    show("Figure 17, left: " + car + ", k_min 10", "us", folder, "figure17-left", by_p, &Series::us,
         report);
    show("Figure 17, middle: " + car + ", k_min 10", "error %", folder, "figure17-middle", by_p,
         &Series::error, report);
    show("Figure 17, right: " + car + ", p_min 0.99", "us", folder, "figure17-right", by_k,
         &Series::us, report);
    show("Figure 17, errors left out: " + car + ", p_min 0.99", "error %", folder,
         "figure17-errors", by_k, &Series::error, report);
}

} // namespace

void redraw_figures(const AdbOptions &options, json_t *report)
{
    json_t *figures = json_object();
    for (const char *shape : {"car", "lock", "pipes"}) {
        over_complexity(shape, options, figures);
    }
    over_settings(options, figures);
    json_object_set_new(report, "figures", figures);
}
