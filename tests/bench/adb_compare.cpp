/* Every method on the same poses in one run: exact trees, the truncated baseline, time-critical
 * queries.
 *
 * Methods take turns, each over a batch of 400 poses, the first 100 of them once unmeasured; a
 * query's time is its least over the rounds. Errors are counted against kiln_collide. */
#include "adb_setup.hpp"
#include "dop24.h"
#include "fcl_model.hpp"
#include "truncated.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace
{

enum { BATCH = 400, WARM_UP = 100 };

struct Answer {
    bool found;
    uint64_t pairs; /* boxes opened; 0: not counted */
};

struct Method {
    std::string name;
    bool exact;
    std::function<Answer(const kiln_pose &)> ask;
};

/* One method on one mesh. */
struct Row {
    std::string method;
    bool exact;
    size_t positives = 0, negatives = 0;                        /* false ones */
    double mean = 0, median = 0, p99 = 0, worst = 0, pairs = 0; /* ns */
    std::vector<double> times;                                  /* of each pose */
};

struct Table {
    std::string mesh;
    uint32_t triangles;
    Asked asked;
    std::vector<Row> rows;

    double error(const Row &row) const
    {
        return double(row.positives + row.negatives) / double(asked.poses.size());
    }
};

/* The trees of a mesh and everything that is asked about them. */
class Contest
{
  public:
    Contest(const AdbMesh &m, unsigned draws)
        : leaf4(m.geometry, default_bake), leaf1(m.geometry, {"obb", 1}),
          binary(m.geometry, {"obb2", 1}), dop(dop24_build(binary.tree()), dop24_free),
          cut_binary(truncated_make(binary.tree()), truncated_free),
          cut_wide(truncated_make(leaf1.tree()), truncated_free), fcl(m.geometry)
    {
        table.mesh = m.name;
        table.triangles = m.geometry.triangle_count;
        table.asked = adb_poses(m, leaf4.tree(), ZACHMANN_SEED_TEST, draws);
        add("fcl-obbrss", true, [this](const kiln_pose &p) { return Answer{fcl.collide(p), 0}; });
        add("24-dop", true, [this](const kiln_pose &p) {
            unsigned volumes = 0;
            const bool found = dop24_collide(dop.get(), &p, &volumes);
            return Answer{found, volumes};
        });
        add_exact("obb2, leaf 1", binary.tree());
        add_exact("obb, leaf 4", leaf4.tree());
        for (const uint32_t leaf : {1u, 4u, 16u, 48u}) {
            add_truncated("truncated obb2, ", cut_binary.get(), leaf);
        }
        for (const uint32_t leaf : {1u, 4u, 16u, 48u}) {
            add_truncated("truncated obb, ", cut_wide.get(), leaf);
        }
        for (const Point &point : operating_points()) {
            add(point.name, false, [this, point](const kiln_pose &p) {
                kiln_adb_answer answer;
                const bool found = adb_answer(leaf4.tree(), p, point, &answer);
                return Answer{found, answer.pairs};
            });
        }
    }

    Table measure(int rounds, double overhead)
    {
        const std::vector<zachmann_pose> &poses = table.asked.poses;
        for (Row &row : table.rows) {
            row.times.assign(poses.size(), HUGE_VAL);
        }
        for (size_t first = 0; first < poses.size(); first += BATCH) {
            const size_t last = std::min(first + BATCH, poses.size());
            for (int round = 0; round < rounds; round++) {
                for (size_t m = 0; m < methods.size(); m++) {
                    take_turn(m, first, last, round == 0, overhead);
                }
            }
        }
        for (Row &row : table.rows) {
            summarise(row);
        }
        return table;
    }

  private:
    void add(const std::string &name, bool exact, std::function<Answer(const kiln_pose &)> ask)
    {
        methods.push_back({name, exact, std::move(ask)});
        table.rows.emplace_back();
        table.rows.back().method = name;
        table.rows.back().exact = exact;
    }

    void add_exact(const char *name, const kiln_tree *tree)
    {
        add(name, true, [tree](const kiln_pose &p) { return Answer{exact_answer(tree, p), 0}; });
    }

    void add_truncated(const char *name, const truncated *query, uint32_t leaf)
    {
        add(name + std::to_string(leaf), false, [query, leaf](const kiln_pose &p) {
            return Answer{truncated_collide(query, leaf, &p), 0};
        });
    }

    void take_turn(size_t m, size_t first, size_t last, bool judge, double overhead)
    {
        Row &row = table.rows[m];
        const std::vector<zachmann_pose> &poses = table.asked.poses;
        for (size_t i = first; i < std::min<size_t>(first + WARM_UP, last); i++) {
            methods[m].ask(poses[i].pose);
        }
        for (size_t i = first; i < last; i++) {
            const double start = now();
            const Answer answer = methods[m].ask(poses[i].pose);
            row.times[i] = std::min(row.times[i], std::max(now() - start - overhead, 1.0));
            if (judge) {
                row.positives += answer.found && !table.asked.truth[i];
                row.negatives += !answer.found && table.asked.truth[i];
                row.pairs += double(answer.pairs) / double(poses.size());
            }
        }
    }

    static void summarise(Row &row)
    {
        std::vector<double> sorted = row.times;
        std::sort(sorted.begin(), sorted.end());
        row.mean = mean_of(sorted);
        row.median = median_of(sorted);
        row.p99 = sorted[sorted.size() * 99 / 100];
        row.worst = sorted.back();
    }

    Baked leaf4, leaf1, binary;
    std::unique_ptr<dop24, void (*)(dop24 *)> dop;
    std::unique_ptr<truncated, void (*)(truncated *)> cut_binary, cut_wide;
    FclModel<fcl::OBBRSSd> fcl;
    std::vector<Method> methods;
    Table table;
};

/* --------------------------------------------------------------------------------- reporting -- */

enum { FCL, DOP, OBB2, OBB, BASES };
const char *const base_names[BASES] = {"fcl", "24-dop", "obb2", "obb"};

std::vector<double> ratios(const std::vector<Table> &tables, size_t base, size_t row)
{
    std::vector<double> all;
    for (const Table &table : tables) {
        all.push_back(table.rows[base].mean / table.rows[row].mean);
    }
    return all;
}

void print_head(const char *first)
{
    std::printf("\n%-22s %7s %6s %6s %8s %8s %8s %7s", first, "error %", "fp %", "fn %", "us",
                "median", "p99", "pairs");
    for (const char *name : base_names) {
        std::printf(" %9s", (std::string("x ") + name).c_str());
    }
    std::printf("\n");
}

void print_mesh(const Table &table, std::FILE *csv)
{
    const double poses = double(table.asked.poses.size());
    const size_t hits =
        size_t(std::count(table.asked.truth.begin(), table.asked.truth.end(), char(1)));
    print_head((table.mesh + ", " + std::to_string(table.triangles)).c_str());
    for (const Row &row : table.rows) {
        std::printf("%-22s %7.2f %6.2f %6.2f %8.2f %8.2f %8.2f %7.1f", row.method.c_str(),
                    100 * table.error(row), 100 * double(row.positives) / poses,
                    100 * double(row.negatives) / poses, row.mean / 1e3, row.median / 1e3,
                    row.p99 / 1e3, row.pairs);
        for (size_t base = 0; base < BASES; base++) {
            std::printf(" %9.2f", table.rows[base].mean / row.mean);
        }
        std::printf("\n");
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%u,%.0f,%zu,\"%s\",%zu,%zu,%.4f,%.4f,%.4f,%.4f,%.2f\n",
                         table.mesh.c_str(), table.triangles, poses, hits, row.method.c_str(),
                         row.positives, row.negatives, row.mean / 1e3, row.median / 1e3,
                         row.p99 / 1e3, row.worst / 1e3, row.pairs);
        }
    }
    std::printf("%.0f poses, of which %.1f %% meet\n", poses, 100 * double(hits) / poses);
    std::fflush(stdout);
}

/* Means over meshes: of errors and times plain, of ratios geometric. */
struct Mean {
    double error = 0, positives = 0, negatives = 0, worst_error = 0, us = 0, pairs = 0;
    double ratio[BASES], least[BASES];
    std::string worst_mesh;
};

Mean mean_over(const std::vector<Table> &tables, size_t row)
{
    Mean mean;
    const double share = 1 / double(tables.size());
    for (const Table &table : tables) {
        const Row &r = table.rows[row];
        const double poses = double(table.asked.poses.size());
        mean.error += share * table.error(r);
        mean.positives += share * double(r.positives) / poses;
        mean.negatives += share * double(r.negatives) / poses;
        mean.us += share * r.mean / 1e3;
        mean.pairs += share * r.pairs;
        if (table.error(r) >= mean.worst_error) {
            mean.worst_error = table.error(r);
            mean.worst_mesh = table.mesh;
        }
    }
    for (size_t base = 0; base < BASES; base++) {
        const std::vector<double> all = ratios(tables, base, row);
        mean.ratio[base] = geometric_mean(all);
        mean.least[base] = *std::min_element(all.begin(), all.end());
    }
    return mean;
}

/* The time that truncation takes at `error`, on the line between neighbours of one kind, times by
 * their logarithm; the least of both kinds. Beyond the most erroneous one, that one. */
double truncated_time(const std::vector<Table> &tables, double error)
{
    double best = HUGE_VAL;
    for (size_t kind = BASES; kind < BASES + 8; kind += 4) {
        for (size_t i = kind; i < kind + 4; i++) {
            const Mean here = mean_over(tables, i);
            const double time = 1 / here.ratio[DOP];
            if (here.error <= error) {
                best = std::min(best, time);
            } else if (i > kind) {
                const Mean before = mean_over(tables, i - 1);
                if (before.error <= error) {
                    const double part = (error - before.error) / (here.error - before.error);
                    const double from = std::log(1 / before.ratio[DOP]);
                    best = std::min(best, std::exp(from + part * (std::log(time) - from)));
                }
            }
        }
    }
    return best;
}

std::string text(double value)
{
    char line[32];
    (void)std::snprintf(line, sizeof line, "%.2f", value);
    return line;
}

void print_means(const std::vector<Table> &tables, json_t *report)
{
    json_t *list = json_array();
    print_head("all meshes");
    for (size_t row = 0; row < tables[0].rows.size(); row++) {
        const Row &first = tables[0].rows[row];
        const Mean mean = mean_over(tables, row);
        std::printf("%-22s %7.2f %6.2f %6.2f %8.2f %8s %8s %7.1f", first.method.c_str(),
                    100 * mean.error, 100 * mean.positives, 100 * mean.negatives, mean.us, "", "",
                    mean.pairs);
        json_t *entry =
            json_pack("{s:s, s:f, s:f, s:f, s:f, s:s, s:f, s:f}", "method", first.method.c_str(),
                      "error", mean.error, "false_positives", mean.positives, "false_negatives",
                      mean.negatives, "worst_error", mean.worst_error, "worst_mesh",
                      mean.worst_mesh.c_str(), "us", mean.us, "pairs", mean.pairs);
        for (size_t base = 0; base < BASES; base++) {
            std::printf(" %9.2f", mean.ratio[base]);
            json_object_set_new(entry, (std::string("times_") + base_names[base]).c_str(),
                                json_real(mean.ratio[base]));
            json_object_set_new(entry, (std::string("least_times_") + base_names[base]).c_str(),
                                json_real(mean.least[base]));
        }
        std::printf("\n");
        if (!first.exact && row >= BASES + 8) {
            const double null_time = truncated_time(tables, mean.error) * mean.ratio[DOP];
            std::printf("    worst mesh %.2f %% (%s); least x 24-dop %.2f, x obb2 %.2f; x "
                        "truncated at equal error %s\n",
                        100 * mean.worst_error, mean.worst_mesh.c_str(), mean.least[DOP],
                        mean.least[OBB2],
                        std::isinf(null_time) ? "- (none is as good)" : text(null_time).c_str());
            json_object_set_new(entry, "times_truncated",
                                std::isinf(null_time) ? json_null() : json_real(null_time));
        }
        json_array_append_new(list, entry);
    }
    json_object_set_new(report, "means", list);
}

/* Where which method is the faster: over the distances, as in Figure 14 of the paper, and by
 * what is true. */
double mean_where(const Table &table, size_t row, const std::function<bool(size_t)> &wanted)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < table.asked.poses.size(); i++) {
        if (wanted(i)) {
            sum += table.rows[row].times[i];
            count++;
        }
    }
    return count > 0 ? sum / double(count) : 0;
}

/* Geometric mean over the meshes that have such poses. */
double ratio_where(const std::vector<Table> &tables, size_t base, size_t row,
                   const std::function<bool(const Table &, size_t)> &wanted)
{
    std::vector<double> all;
    for (const Table &table : tables) {
        const auto here = [&](size_t i) { return wanted(table, i); };
        const double slow = mean_where(table, base, here);
        if (slow > 0) {
            all.push_back(slow / mean_where(table, row, here));
        }
    }
    return all.empty() ? 0 : geometric_mean(all);
}

void print_where(const std::vector<Table> &tables, size_t from, json_t *report)
{
    std::printf("\ntimes as fast as 24-dop / as obb (8-wide), by distance of the middles\n%-10s",
                "distance");
    for (size_t row = from; row < tables[0].rows.size(); row++) {
        std::printf(" %22s", tables[0].rows[row].method.c_str());
    }
    std::printf("\n");
    json_t *list = json_array();
    const auto line = [&](const std::string &label,
                          const std::function<bool(const Table &, size_t)> &wanted) {
        std::printf("%-10s", label.c_str());
        for (size_t row = from; row < tables[0].rows.size(); row++) {
            const double dop = ratio_where(tables, DOP, row, wanted);
            const double obb = ratio_where(tables, OBB, row, wanted);
            std::printf(" %13.2f / %6.2f", dop, obb);
            json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:f}", "where", label.c_str(),
                                                  "method", tables[0].rows[row].method.c_str(),
                                                  "times_24-dop", dop, "times_obb", obb));
        }
        std::printf("\n");
    };
    for (int which = 0; which < ZACHMANN_DISTANCES; which++) {
        char label[16];
        (void)std::snprintf(label, sizeof label, "%.1f", zachmann_distance(which));
        line(label, [which](const Table &table, size_t i) {
            return table.asked.poses[i].distance == which;
        });
    }
    line("meet", [](const Table &table, size_t i) { return table.asked.truth[i] != 0; });
    line("apart", [](const Table &table, size_t i) { return table.asked.truth[i] == 0; });
    json_object_set_new(report, "where", list);
}

} // namespace

bool compare(const AdbOptions &options, std::FILE *csv, json_t *report)
{
    if (csv != nullptr) {
        std::fprintf(csv, "mesh,triangles,poses,hits,method,false_positives,false_negatives,"
                          "mean_us,median_us,p99_us,worst_us,pairs\n");
    }
    const double overhead = clock_cost();
    std::vector<AdbMesh> meshes = adb_meshes(MeshSet::Test, options.meshes);
    std::vector<Table> tables;
    bool right = true;
    for (const AdbMesh &m : meshes) {
        tables.push_back(Contest(m, options.draws).measure(options.quick ? 2 : 4, overhead));
        print_mesh(tables.back(), csv);
        for (const Row &row : tables.back().rows) {
            if (row.exact && row.positives + row.negatives > 0) {
                std::printf("%s: exact, and differs from obb at %zu poses\n", row.method.c_str(),
                            row.positives + row.negatives);
                right = false;
            }
        }
    }
    adb_free(meshes);
    print_means(tables, report);
    print_where(tables, BASES + 8, report);
    return right;
}
