/* How good trees are, in counts instead of times: what boolean queries open and test in them, at
 * the poses of poses.hpp, and what each quality costs to build and to store.
 *
 * Counts are the same on every machine and in every run. A query's cost is reckoned from them: an
 * opened node is 1, a pair of leaves what it was measured to take beside it. */
#include "kiln_model.hpp"
#include "measure.hpp"
#include "poses.hpp"

extern "C" {
#include "../support/quick_bake.h"
#include "../support/tally.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace
{

enum { KINDS = 2, QUALITIES = 3, WAYS = KINDS * QUALITIES };
const char *const kind_names[KINDS] = {"obb", "aabb"};
const char *const quality_names[QUALITIES] = {"fast", "default", "best"};

/* In opened nodes: as measured, whatever triangles are in the leaves. */
const double leaf_cost = 2.0;

/* The default quality of the same kind. */
int base_of(int way)
{
    return way - way % QUALITIES + (KILN_QUALITY_DEFAULT - KILN_QUALITY_FAST);
}

struct Cell {
    size_t poses = 0;
    tally sum[WAYS] = {};
};

double cost_of(const tally &sum)
{
    return double(sum.nodes) + leaf_cost * double(sum.leaves);
}

class Tree
{
  public:
    Tree(const mesh &m, int way)
    {
        kiln_bake_options options = kiln_bake_options_default();
        options.bv = kind_names[way / QUALITIES];
        options.quality = kiln_quality(way % QUALITIES + KILN_QUALITY_FAST);
        options.layout = KILN_LAYOUT_RAW;
        options.threads = 2;
        size_t size;
        const double start = now();
        opened.bytes = quick_bake_with(&m, &options, &size);
        seconds = (now() - start) / 1e9;
        if (kiln_open_memory(opened.bytes, size, nullptr, &opened.file) != KILN_OK) {
            std::abort();
        }
        tree = kiln_file_tree(opened.file, 0);
    }

  private:
    OpenedFile opened;

  public:
    double seconds;
    const kiln_tree *tree;
};

struct Result {
    Cell cells[CLASSES];
};

Result measure(const Subject &subject)
{
    Result result;
    std::vector<Pose> poses;
    std::vector<char> answers;
    for (int way = 0; way < WAYS; way++) {
        const Tree tree(subject.geometry, way);
        if (way == 0) {
            poses = make_poses(subject, tree.tree);
        }
        for (size_t i = 0; i < poses.size(); i++) {
            tally sum = {};
            const bool hit = tally_collide(tree.tree, tree.tree, &poses[i].pose, &sum);
            Cell &cell = result.cells[poses[i].class_of(hit)];
            cell.poses += way == 0;
            cell.sum[way].nodes += sum.nodes;
            cell.sum[way].leaves += sum.leaves;
            cell.sum[way].pairs += sum.pairs;
            if (way == 0) {
                answers.push_back(hit);
            } else if (answers[i] != hit) {
                std::fprintf(stderr, "%s: an answer depends on the tree\n", subject.name.c_str());
                std::exit(1);
            }
        }
        const kiln_tree_info info = kiln_tree_get_info(tree.tree);
        std::printf("%-8s %7u  %-4s %-8s %7.3f s/Mtri  %7.4f nodes/tri  depth %u\n",
                    subject.name.c_str(), subject.geometry.triangle_count,
                    kind_names[way / QUALITIES], quality_names[way % QUALITIES],
                    tree.seconds * 1e6 / subject.geometry.triangle_count,
                    double(info.node_count) / subject.geometry.triangle_count, info.depth);
    }
    return result;
}

void print_cell(const Subject &subject, int c, const Cell &cell, std::FILE *csv)
{
    for (int way = 0; way < WAYS; way++) {
        const double poses = double(cell.poses);
        const tally &sum = cell.sum[way];
        const double base = cost_of(cell.sum[base_of(way)]);
        std::printf("%-8s %-10s %5zu  %-4s %-8s %10.2f %10.2f %10.2f %8.3f\n", subject.name.c_str(),
                    class_names[c], cell.poses, kind_names[way / QUALITIES],
                    quality_names[way % QUALITIES], double(sum.nodes) / poses,
                    double(sum.leaves) / poses, double(sum.pairs) / poses, cost_of(sum) / base);
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%u,%s,%zu,%s,%s,%.3f,%.3f,%.3f,%.4f\n", subject.name.c_str(),
                         subject.geometry.triangle_count, class_names[c], cell.poses,
                         kind_names[way / QUALITIES], quality_names[way % QUALITIES],
                         double(sum.nodes) / poses, double(sum.leaves) / poses,
                         double(sum.pairs) / poses, cost_of(sum) / base);
        }
    }
}

void print_means(const std::vector<Result> &results)
{
    std::printf(
        "\ngeometric means over meshes and classes: nodes, leaf pairs, triangle pairs, cost, "
        "and the worst cell's cost to default\n");
    for (int way = 0; way < WAYS; way++) {
        std::vector<double> nodes, leaves, pairs, cost;
        double worst = 0;
        for (const Result &result : results) {
            for (const Cell &cell : result.cells) {
                if (cell.poses == 0) {
                    continue;
                }
                const double poses = double(cell.poses);
                const tally &sum = cell.sum[way];
                const double base = cost_of(cell.sum[base_of(way)]);
                nodes.push_back(std::max(double(sum.nodes), 1.0) / poses);
                leaves.push_back(std::max(double(sum.leaves), 1.0) / poses);
                pairs.push_back(std::max(double(sum.pairs), 1.0) / poses);
                cost.push_back(std::max(cost_of(sum), 1.0) / poses);
                worst = std::max(worst, cost_of(sum) / std::max(base, 1.0));
            }
        }
        std::printf("%-4s %-8s %10.3f %10.3f %10.3f %10.3f %8.3f\n", kind_names[way / QUALITIES],
                    quality_names[way % QUALITIES], geometric_mean(nodes), geometric_mean(leaves),
                    geometric_mean(pairs), geometric_mean(cost), worst);
    }
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fprintf(csv, "mesh,triangles,class,poses,kind,quality,nodes,leaf_pairs,triangle_pairs,"
                          "cost_to_default\n");
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    std::vector<Result> results;
    for (const Subject &subject : subjects) {
        results.push_back(measure(subject));
    }
    std::printf("\na query's mean\n%-8s %-10s %5s  %-13s %10s %10s %10s %8s\n", "mesh", "class",
                "poses", "tree", "nodes", "leaf pairs", "pairs", "cost");
    for (size_t i = 0; i < results.size(); i++) {
        for (int c = 0; c < CLASSES; c++) {
            if (results[i].cells[c].poses > 0) {
                print_cell(subjects[i], c, results[i].cells[c], csv);
            }
        }
    }
    print_means(results);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}
