/* What exactness costs: boolean queries as they are, against the same walk with the test of
 * triangles exchanged for a cheaper one (inexact.h), at the poses of poses.hpp, and how often the
 * stages of the exact test are reached. No instance of FCL is here: the baseline is the walk
 * without exactness.
 *
 * Where an inexact test answers differently, the walk after it differs, too; such poses are counted
 * and left out of the times. */
#include "inexact.h"
#include "kiln_model.hpp"
#include "measure.hpp"
#include "poses.hpp"

#include <algorithm>
#include <cmath>

namespace
{

enum { WARM_UP = 100, KINDS = 2, TIMED = INEXACT_COUNTED };
const char *const kind_names[KINDS] = {"obb", "aabb"};

struct Cell {
    size_t poses = 0;
    double sum[TIMED] = {}; /* ns, over poses with the right answer by every way */
    size_t wrong[TIMED] = {};
    inexact_counts counts = {};
};

struct Result {
    Cell cells[KINDS][CLASSES];
};

void measure_kind(const std::vector<Pose> &poses, const kiln_tree *tree, int rounds,
                  double overhead, Cell cells[CLASSES])
{
    std::vector<double> times[TIMED];
    std::vector<char> answers[TIMED];
    inexact_counts unused = {};
    for (int way = 0; way < TIMED; way++) {
        times[way].assign(poses.size(), HUGE_VAL);
        answers[way].assign(poses.size(), 0);
    }
    for (int round = 0; round < rounds; round++) {
        for (int w = 0; w < TIMED; w++) {
            const inexact_way way = inexact_way(w);
            for (size_t i = 0; i < std::min<size_t>(WARM_UP, poses.size()); i++) {
                inexact_collide(tree, tree, &poses[i].pose, way, &unused);
            }
            for (size_t i = 0; i < poses.size(); i++) {
                const double start = now();
                answers[w][i] = inexact_collide(tree, tree, &poses[i].pose, way, &unused);
                times[w][i] = std::min(times[w][i], std::max(now() - start - overhead, 1.0));
            }
        }
    }
    for (size_t i = 0; i < poses.size(); i++) {
        const char truth = answers[INEXACT_NOT][i];
        Cell &cell = cells[poses[i].class_of(truth != 0)];
        inexact_collide(tree, tree, &poses[i].pose, INEXACT_COUNTED, &cell.counts);
        cell.poses++;
        bool same = true;
        for (int way = 0; way < TIMED; way++) {
            cell.wrong[way] += answers[way][i] != truth;
            same = same && answers[way][i] == truth;
        }
        for (int way = 0; way < TIMED && same; way++) {
            cell.sum[way] += times[way][i];
        }
    }
}

void print_cell(const Subject &subject, int kind, int c, const Cell &cell, std::FILE *csv)
{
    const double poses = double(cell.poses);
    const double by_filter = cell.sum[INEXACT_NOT] / cell.sum[INEXACT_FILTER];
    const double by_floats = cell.sum[INEXACT_NOT] / cell.sum[INEXACT_FLOATS];
    std::printf("%-8s %-4s %-10s %5zu %10.3f %9.3f %6zu %9.3f %6zu %10.2f %10.3f %10.4f\n",
                subject.name.c_str(), kind_names[kind], class_names[c], cell.poses,
                cell.sum[INEXACT_NOT] / poses / 1e3, by_filter, cell.wrong[INEXACT_FILTER],
                by_floats, cell.wrong[INEXACT_FLOATS], double(cell.counts.pairs) / poses,
                double(cell.counts.predicates) / poses, double(cell.counts.expansions) / poses);
    if (csv != nullptr) {
        std::fprintf(csv, "%s,%u,%s,%s,%zu,%.4f,%.4f,%zu,%.4f,%zu,%.3f,%.4f,%.5f\n",
                     subject.name.c_str(), subject.geometry.triangle_count, kind_names[kind],
                     class_names[c], cell.poses, cell.sum[INEXACT_NOT] / poses / 1e3, by_filter,
                     cell.wrong[INEXACT_FILTER], by_floats, cell.wrong[INEXACT_FLOATS],
                     double(cell.counts.pairs) / poses, double(cell.counts.predicates) / poses,
                     double(cell.counts.expansions) / poses);
    }
}

/* Geometric means over the meshes. */
void print_means(const std::vector<Result> &results)
{
    for (int kind = 0; kind < KINDS; kind++) {
        std::vector<double> all[2];
        for (int c = 0; c < CLASSES; c++) {
            std::vector<double> ratios[2];
            for (const Result &result : results) {
                const Cell &cell = result.cells[kind][c];
                if (cell.poses > 0) {
                    ratios[0].push_back(cell.sum[INEXACT_NOT] / cell.sum[INEXACT_FILTER]);
                    ratios[1].push_back(cell.sum[INEXACT_NOT] / cell.sum[INEXACT_FLOATS]);
                }
            }
            std::printf("%-4s %-10s: %.3f x the time of the filter alone, %.3f x of floats alone\n",
                        kind_names[kind], class_names[c], geometric_mean(ratios[0]),
                        geometric_mean(ratios[1]));
            for (int i = 0; i < 2; i++) {
                all[i].insert(all[i].end(), ratios[i].begin(), ratios[i].end());
            }
        }
        std::printf("%-4s %-10s: %.3f x the time of the filter alone, %.3f x of floats alone\n",
                    kind_names[kind], "all", geometric_mean(all[0]), geometric_mean(all[1]));
    }
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fprintf(csv, "mesh,triangles,tree,class,poses,us,times_filter,filter_wrong,"
                          "times_floats,floats_wrong,pairs,predicates,expansions\n");
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    std::printf("\nus an exact query; how many times the time of the filter alone and of floats "
                "alone, and their wrong answers; pairs of triangles a query, how many the exact "
                "predicate is asked about, and how many take expansions\n"
                "%-8s %-4s %-10s %5s %10s %9s %6s %9s %6s %10s %10s %10s\n",
                "mesh", "tree", "class", "poses", "us", "x filter", "wrong", "x floats", "wrong",
                "pairs", "predicate", "expansion");
    const double overhead = clock_cost();
    std::vector<Result> results;
    for (const Subject &subject : subjects) {
        const KilnModel kiln(subject.geometry);
        const std::vector<Pose> poses = make_poses(subject, kiln.obb);
        Result result;
        for (int kind = 0; kind < KINDS; kind++) {
            measure_kind(poses, kind == 0 ? kiln.obb : kiln.aabb, options.quick ? 3 : 9, overhead,
                         result.cells[kind]);
            for (int c = 0; c < CLASSES; c++) {
                if (result.cells[kind][c].poses > 0) {
                    print_cell(subject, kind, c, result.cells[kind][c], csv);
                }
            }
        }
        results.push_back(result);
        std::fflush(stdout);
    }
    std::printf("\n");
    print_means(results);
    std::printf("\n");
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}
