/* What each part and each setting of the time-critical query is worth: one thing is changed at a
 * time, weights are fitted again where the trees or the features change (on the training set only),
 * and the same poses of the test set are queried. Times are relative to the 24-DOP tree, which
 * alternates with each setting. What changes probabilities moves errors and times together: the
 * last column is the ratio at an error of 1.5 %, p_min being chosen for it. */
#include "adb_fit.hpp"
#include "adb/dop24.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace
{

enum { ROUNDS = 3, TRAINING_DRAWS = 12 };

const double EQUAL_ERROR = 0.015;

/* A change of the query, on trees that are baked already. */
struct Change {
    std::string name;
    std::function<void(kiln_adb_options &)> apply;
    bool used[KILN_ADB_FEATURES] = {true, true, true, true, true, true, true};
    bool compared = false; /* with others at equal error, too */
};

/* Trees, and the poses at which they are queried. */
struct Group {
    std::string title;
    BakeAs bake;
    std::vector<Change> changes;
};

struct Rival {
    AdbMesh m;
    std::unique_ptr<Baked> binary;
    std::unique_ptr<dop24, void (*)(dop24 *)> dop;
    TestPoses test;
};

std::string text(const char *format, double value)
{
    char line[64];
    (void)std::snprintf(line, sizeof line, format, value);
    return line;
}

/* The settings of a query, on the trees that are the default. */
Group queries()
{
    Group group = {"query", default_bake, {}};
    std::vector<Change> &all = group.changes;
    const auto same = [](kiln_adb_options &) {};
    const auto compare_without = [&](const char *name, const std::vector<bool> &used) {
        Change change = {name, same};
        std::copy(used.begin(), used.end(), change.used);
        change.compared = true;
        all.push_back(change);
    };
    compare_without("default", {true, true, true, true, true, true, true});
    for (const double p : {0.5, 0.7, 0.8, 0.85, 0.88, 0.91, 0.94, 0.97, 0.99}) {
        all.push_back({"p_min " + text("%.2f", p), [p](kiln_adb_options &o) { o.p_min = p; }});
    }
    for (const uint32_t k : {2u, 3u, 5u, 10u}) {
        all.push_back({"k_min " + text("%.0f", k), [k](kiln_adb_options &o) { o.k_min = k; }});
    }
    for (const double p : {0.7, 0.8}) {
        for (const uint32_t k : {2u, 5u}) {
            all.push_back({"p_min " + text("%.2f", p) + ", k_min " + text("%.0f", k),
                           [p, k](kiln_adb_options &o) {
                               o.p_min = p;
                               o.k_min = k;
                           }});
        }
    }
    for (const double e : {0.0, 0.02, 0.05, 0.1, 0.2, 0.3}) {
        all.push_back({"epsilon " + text("%.2f", e), [e](kiln_adb_options &o) { o.epsilon = e; }});
    }
    for (const double p : {0.91, 0.94, 0.97}) {
        all.push_back({"hybrid, p_min " + text("%.2f", p), [p](kiln_adb_options &o) {
                           o.hybrid = true;
                           o.p_min = p;
                       }});
    }
    all.push_back({"expected", [](kiln_adb_options &o) { o.evaluator = KILN_ADB_EXPECTED; }});
    all.back().compared = true;
    all.push_back({"filled bins", [](kiln_adb_options &o) { o.evaluator = KILN_ADB_BINS; }});
    all.back().compared = true;
    compare_without("without margin", {true, false, true, true, true, true});
    compare_without("without level", {true, true, false, true, true, false});
    compare_without("without ratio", {true, true, true, false, true, true});
    compare_without("without flat", {true, true, true, true, false, true});
    compare_without("without lambda x level", {true, true, true, true, true, false});
    compare_without("without thin", {true, true, true, true, true, true, false});
    compare_without("lambda alone", {true, false, false, false, false, false, false});
    compare_without("without counts", {false, true, true, true, true, false});
    return group;
}

Group tree(const std::string &title, const BakeAs &bake)
{
    Group group = {title, bake, {{title, [](kiln_adb_options &) {}}}};
    group.changes[0].compared = true;
    return group;
}

std::vector<Group> groups()
{
    std::vector<Group> all = {queries()};
    const auto area = [](kiln_adb_area rule, double factor) {
        return BakeAs{"obb", 4, 4, KILN_ADB_OCTANTS, rule, factor};
    };
    all.push_back(tree("G 8", {"obb", 4, 8}));
    all.push_back(tree("G 16", {"obb", 4, 16}));
    all.push_back(tree("regions sectors", {"obb", 4, 4, KILN_ADB_SECTORS}));
    all.push_back(tree("regions one", {"obb", 4, 4, KILN_ADB_ONE}));
    for (const double f : {0.5, 1.0, 1.5}) {
        all.push_back(tree("area mean x " + text("%.2f", f), area(KILN_ADB_AREA_BY_MEAN, f)));
    }
    for (const double f : {0.25, 0.5, 0.71, 1.0}) {
        all.push_back(tree("area max x " + text("%.2f", f), area(KILN_ADB_AREA_BY_MAX, f)));
    }
    BakeAs other = default_bake;
    other.polygons = KILN_ADB_MEETING_BOX;
    all.push_back(tree("polygons meeting the box", other));
    other = default_bake;
    other.builder = "median";
    all.push_back(tree("builder median", other));
    for (const int leaf : {1, 2, 8, 15}) {
        all.push_back(tree("leaf " + text("%.0f", leaf), {"obb", leaf, 4}));
    }
    for (const char *bv : {"aabb", "obb2", "aabb2"}) {
        all.push_back(tree(std::string("kind ") + bv, {bv, 4, 4}));
    }
    return all;
}

std::vector<Lesson> lessons_of(const std::vector<AdbMesh> &training, const BakeAs &bake)
{
    std::vector<Lesson> lessons;
    for (const AdbMesh &m : training) {
        Lesson lesson;
        lesson.baked = std::make_unique<Baked>(m.geometry, bake);
        lesson.test = adb_poses(lesson.baked->tree(), ZACHMANN_SEED_TRAINING, TRAINING_DRAWS);
        lessons.push_back(std::move(lesson));
    }
    return lessons;
}

struct Cell {
    double positives = 0, negatives = 0, pairs = 0, dop = 0, adb = 0;
};

/* One mesh: the query and the 24-DOP tree alternate, each running all poses unmeasured before it is
 * measured; times are the least of all rounds. */
Cell run_query(const Rival &rival, const kiln_tree *tree, const Point &point, double overhead)
{
    const std::vector<zachmann_pose> &poses = rival.test.poses;
    std::vector<double> dop(poses.size(), HUGE_VAL), adb = dop;
    Cell cell;
    for (int round = 0; round < ROUNDS; round++) {
        for (const zachmann_pose &pose : poses) {
            (void)dop24_collide(rival.dop.get(), &pose.pose, nullptr);
        }
        for (size_t i = 0; i < poses.size(); i++) {
            const double start = now();
            (void)dop24_collide(rival.dop.get(), &poses[i].pose, nullptr);
            dop[i] = std::min(dop[i], std::max(now() - start - overhead, 1.0));
        }
        kiln_adb_answer answer;
        for (const zachmann_pose &pose : poses) {
            (void)adb_answer(tree, pose.pose, point, &answer);
        }
        for (size_t i = 0; i < poses.size(); i++) {
            const double start = now();
            const bool found = adb_answer(tree, poses[i].pose, point, &answer);
            adb[i] = std::min(adb[i], std::max(now() - start - overhead, 1.0));
            if (round == 0) {
                cell.positives += found && !rival.test.truth[i];
                cell.negatives += !found && rival.test.truth[i];
                cell.pairs += double(answer.pairs);
            }
        }
    }
    const double count = double(poses.size());
    return {cell.positives / count, cell.negatives / count, cell.pairs / count, mean_of(dop),
            mean_of(adb)};
}

/* Over the meshes: errors and times plain, the ratio geometric. */
struct Row {
    double positives = 0, negatives = 0, worst = 0, us = 0, pairs = 0, ratio = 0;
    double equal = NAN; /* ratio at EQUAL_ERROR */

    double error() const
    {
        return positives + negatives;
    }
};

Row row_of(const std::vector<Cell> &cells)
{
    Row row;
    std::vector<double> ratios;
    const double share = 1 / double(cells.size());
    for (const Cell &cell : cells) {
        row.positives += share * cell.positives;
        row.negatives += share * cell.negatives;
        row.pairs += share * cell.pairs;
        row.us += share * cell.adb / 1e3;
        row.worst = std::max(row.worst, cell.positives + cell.negatives);
        ratios.push_back(cell.dop / cell.adb);
    }
    row.ratio = geometric_mean(ratios);
    return row;
}

/* The ratio where the error passes EQUAL_ERROR as p_min rises, between neighbours by its logarithm;
 * NAN where it doesn't. */
double ratio_at_equal_error(const std::function<Row(double)> &query_with)
{
    Row before;
    for (const double p_min : {0.4, 0.55, 0.7, 0.8, 0.87, 0.91, 0.95}) {
        const Row here = query_with(p_min);
        if (before.ratio > 0 && before.error() > EQUAL_ERROR && here.error() <= EQUAL_ERROR) {
            const double part = (before.error() - EQUAL_ERROR) / (before.error() - here.error());
            const double from = std::log(before.ratio);
            return std::exp(from + part * (std::log(here.ratio) - from));
        }
        before = here;
    }
    return NAN;
}

void print_row(const std::string &name, const Row &row, std::FILE *csv, json_t *list)
{
    const std::string equal = std::isnan(row.equal) ? "" : text("%.2f", row.equal);
    std::printf("%-24s %7.2f %6.2f %6.2f %7.2f %8.2f %7.1f %9.2f %9s\n", name.c_str(),
                100 * row.error(), 100 * row.positives, 100 * row.negatives, 100 * row.worst,
                row.us, row.pairs, row.ratio, equal.c_str());
    std::fflush(stdout);
    if (csv != nullptr) {
        std::fprintf(csv, "\"%s\",%.6f,%.6f,%.6f,%.6f,%.4f,%.2f,%.3f,%s\n", name.c_str(),
                     row.error(), row.positives, row.negatives, row.worst, row.us, row.pairs,
                     row.ratio, equal.c_str());
    }
    json_array_append_new(
        list, json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "setting", name.c_str(),
                        "error", row.error(), "false_positives", row.positives, "false_negatives",
                        row.negatives, "worst_error", row.worst, "us", row.us, "pairs", row.pairs,
                        "times_24-dop", row.ratio, "times_24-dop_at_equal_error",
                        std::isnan(row.equal) ? json_null() : json_real(row.equal)));
}

void run(const Group &group, const std::vector<AdbMesh> &training, const std::vector<Rival> &rivals,
         std::FILE *csv, json_t *list)
{
    const double overhead = clock_cost();
    const std::vector<Lesson> lessons = lessons_of(training, group.bake);
    std::vector<std::unique_ptr<Baked>> trees;
    for (const Rival &rival : rivals) {
        trees.push_back(std::make_unique<Baked>(rival.m.geometry, group.bake));
    }
    const kiln_adb_weights given = kiln_adb_get_weights(trees[0]->tree(), trees[0]->tree());
    const bool whole[KILN_ADB_FEATURES] = {true, true, true, true, true, true, true};
    const kiln_adb_weights fitted = adb_fit(lessons, given, whole);
    for (const Change &change : group.changes) {
        const bool all = std::all_of(change.used, change.used + KILN_ADB_FEATURES,
                                     [](bool used) { return used; });
        const kiln_adb_weights weights = all ? fitted : adb_fit(lessons, given, change.used);
        Point point = operating_points()[0];
        point.options.weights = &weights;
        change.apply(point.options);
        const auto query_all = [&](const Point &test) {
            std::vector<Cell> cells;
            for (size_t i = 0; i < rivals.size(); i++) {
                cells.push_back(run_query(rivals[i], trees[i]->tree(), test, overhead));
            }
            return row_of(cells);
        };
        Row row = query_all(point);
        if (change.compared) {
            row.equal = ratio_at_equal_error([&](double p_min) {
                Point other = point;
                other.options.p_min = p_min;
                return query_all(other);
            });
        }
        print_row(change.name, row, csv, list);
    }
}

} // namespace

void ablate(const AdbOptions &options, std::FILE *csv, json_t *report)
{
    std::vector<AdbMesh> training = adb_meshes(MeshSet::Training, {});
    std::vector<Rival> rivals;
    for (AdbMesh &m : adb_meshes(MeshSet::Test, options.meshes)) {
        Rival rival = {
            m, std::make_unique<Baked>(m.geometry, BakeAs{"obb2", 1}), {nullptr, dop24_free}, {}};
        rival.dop.reset(dop24_build(rival.binary->file()));
        rival.test = adb_poses(rival.binary->tree(), ZACHMANN_SEED_TEST, options.draws);
        rivals.push_back(std::move(rival));
    }
    std::printf("\n%-24s %7s %6s %6s %7s %8s %7s %9s %9s\n", "setting", "error %", "fp %", "fn %",
                "worst %", "us", "pairs", "x 24-dop", "at 1.5 %");
    if (csv != nullptr) {
        std::fprintf(csv, "setting,error,false_positives,false_negatives,worst_error,us,pairs,"
                          "times_24_dop,times_24_dop_at_equal_error\n");
    }
    json_t *list = json_array();
    for (const Group &group : groups()) {
        run(group, training, rivals, csv, list);
    }
    json_object_set_new(report, "ablation", list);
    for (Rival &rival : rivals) {
        mesh_free(&rival.m.geometry);
    }
    adb_free(training);
}
