/* Which construction and which fit of boxes makes the better tree, and what each costs.
 *
 * Trees of three meshes: expected tests by the surface-area heuristic; what boolean queries open in
 * them at the poses of poses.hpp, which are counts and the same on every machine; and how long
 * kiln_collide takes, in processor time of one thread, the least of three rounds in which trees
 * alternate. Then the time of building at four sizes of one model, in processor time of one thread,
 * by n, n log n and n log^2 n: the column that stays level says how it grows. */
#include "kiln_model.hpp"
#include "measure.hpp"
#include "poses.hpp"

extern "C" {
#include "../../models/shape/shape.h"
#include "../../tools/kiln_bake.h"
#include "../support/tally.h"
}

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace
{

struct Way {
    const char *bv, *builder;
    kiln_fit_to fit_to;
    kiln_box_fit box_fit;
};

const char *const builders[] = {"sah",    "median", "middle", "mean",
                                "volume", "ploc",   "insert", "reinsert"};
const char *const fits[] = {"search",        "vertices",    "areas",
                            "hull-vertices", "hull-facets", "volume"};
const char *const fitted[] = {"geometry", "children"};

/* Each builder by two kinds, then each other fit. */
std::vector<Way> all_ways()
{
    std::vector<Way> ways;
    for (const char *bv : {"obb", "aabb"}) {
        for (const char *builder : builders) {
            ways.push_back({bv, builder, KILN_FIT_TO_GEOMETRY, KILN_BOX_FIT_SEARCH});
        }
    }
    for (int fit = 1; fit < 2 * (KILN_BOX_FIT_VOLUME + 1); fit++) {
        ways.push_back({"obb", "sah", kiln_fit_to(fit > KILN_BOX_FIT_VOLUME),
                        kiln_box_fit(fit % (KILN_BOX_FIT_VOLUME + 1))});
    }
    return ways;
}

double processor_seconds()
{
    timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/* A mesh as binary STL. */
std::vector<unsigned char> stl_of(const mesh &m)
{
    std::vector<unsigned char> stl(84 + 50 * size_t(m.triangle_count));
    std::memcpy(&stl[80], &m.triangle_count, 4); /* of a machine whose first byte is the lowest */
    for (size_t i = 0; i < 3 * size_t(m.triangle_count); i++) {
        std::memcpy(&stl[84 + 50 * (i / 3) + 12 + 12 * (i % 3)],
                    m.positions + 3 * size_t(m.indices[i]), 12);
    }
    return stl;
}

/* The first and the last moment of building. */
struct Span {
    double first = -1, last = -1;
};

bool note_stage(void *user, const char *stage, double)
{
    Span *span = static_cast<Span *>(user);
    if (std::strncmp(stage, "build", 5) == 0) {
        span->last = processor_seconds();
        span->first = span->first < 0 ? span->last : span->first;
    }
    return true;
}

class Tree
{
  public:
    Tree(const std::vector<unsigned char> &stl, const Way &way)
    {
        const kiln_bake_input input = {"model.stl", stl.data(), stl.size(), nullptr};
        kiln_bake_options options = kiln_bake_options_default();
        kiln_bake_report report;
        Span span;
        size_t size = 0;
        options.bv = way.bv;
        options.builder = way.builder;
        options.fit_to = way.fit_to;
        options.box_fit = way.box_fit;
        options.layout = KILN_LAYOUT_RAW;
        options.threads = 1;
        options.progress = note_stage;
        options.progress_user = &span;
        if (kiln_bake_to_memory(&input, &options, &opened.bytes, &size, &report) != KILN_BAKE_OK ||
            kiln_open_memory(opened.bytes, size, nullptr, &opened.file) != KILN_OK) {
            std::fprintf(stderr, "%s\n", report.error);
            std::exit(1);
        }
        seconds = span.last - span.first;
        cost = report.trees[0].sah_cost;
        nodes = report.trees[0].nodes;
        depth = report.trees[0].depth;
        tree = kiln_file_tree(opened.file, 0);
        kiln_bake_report_free(&report);
    }

  private:
    OpenedFile opened;

  public:
    double seconds, cost;
    unsigned nodes, depth;
    const kiln_tree *tree;
};

/* Microseconds a query. */
double time_queries(const kiln_tree *tree, const std::vector<Pose> &poses)
{
    enum { REPEATS = 10 };
    const double start = processor_seconds();
    for (int i = 0; i < REPEATS; i++) {
        for (const Pose &pose : poses) {
            (void)run_query(tree, tree, pose.pose);
        }
    }
    return 1e6 * (processor_seconds() - start) / (REPEATS * double(poses.size()));
}

void compare(const Subject &subject, std::FILE *csv)
{
    enum { ROUNDS = 3 };
    const std::vector<Way> ways = all_ways();
    const std::vector<unsigned char> stl = stl_of(subject.geometry);
    std::vector<Tree *> trees;
    for (const Way &way : ways) {
        trees.push_back(new Tree(stl, way));
    }
    const std::vector<Pose> poses = make_poses(subject, trees[0]->tree);
    std::vector<double> least(ways.size(), HUGE_VAL);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < ways.size(); i++) {
            least[i] = std::fmin(least[i], time_queries(trees[i]->tree, poses));
        }
    }
    std::vector<bool> answers;
    for (size_t i = 0; i < ways.size(); i++) {
        const Way &way = ways[i];
        const Tree &tree = *trees[i];
        tally sum = {};
        for (size_t p = 0; p < poses.size(); p++) {
            const bool hit = tally_collide(tree.tree, tree.tree, &poses[p].pose, &sum);
            if (i == 0) {
                answers.push_back(hit);
            } else if (answers[p] != hit) {
                std::fprintf(stderr, "%s: an answer depends on the tree\n", subject.name.c_str());
                std::exit(1);
            }
        }
        const double count = double(poses.size()), n = subject.geometry.triangle_count;
        std::printf("%-8s %-5s %-8s %-8s %-13s %8.2f %7.4f %5u %9.2f %8.3f %8.2f %8.2f\n",
                    subject.name.c_str(), way.bv, way.builder, fitted[way.fit_to],
                    fits[way.box_fit], tree.cost, tree.nodes / n, tree.depth,
                    double(sum.nodes) / count, double(sum.leaves) / count, least[i],
                    1e6 * tree.seconds / n);
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%.0f,%s,%s,%s,%s,%.3f,%.4f,%u,%.3f,%.3f,%.3f,%.3f\n",
                         subject.name.c_str(), n, way.bv, way.builder, fitted[way.fit_to],
                         fits[way.box_fit], tree.cost, tree.nodes / n, tree.depth,
                         double(sum.nodes) / count, double(sum.leaves) / count, least[i],
                         1e6 * tree.seconds / n);
        }
    }
    for (Tree *tree : trees) {
        delete tree;
    }
}

void grow(const Options &options, std::FILE *csv)
{
    const uint32_t largest = options.quick ? 64000 : 256000;
    std::vector<std::vector<unsigned char>> models;
    std::vector<double> sizes;
    for (uint32_t n = largest / 64; n <= largest; n *= 4) {
        mesh m = mesh_of_shape("car", n);
        models.push_back(stl_of(m));
        sizes.push_back(m.triangle_count);
        mesh_free(&m);
    }
    std::printf("\nbuilding a car body: microseconds a triangle, by log n, by log^2 n\n%-5s %-8s "
                "%-8s %-13s",
                "", "builder", "fit", "box fit");
    for (const double n : sizes) {
        std::printf("  %-22.0f", n);
    }
    std::printf("\n");
    for (const Way &way : all_ways()) {
        /* Boxes along the axes show what the order costs, oriented ones by one order the fits. */
        if (std::strcmp(way.bv, "obb") == 0 && std::strcmp(way.builder, "sah") != 0) {
            continue;
        }
        std::printf("%-5s %-8s %-8s %-13s", way.bv, way.builder, fitted[way.fit_to],
                    fits[way.box_fit]);
        for (size_t i = 0; i < sizes.size(); i++) {
            const double each = 1e6 * Tree(models[i], way).seconds / sizes[i];
            const double log_n = std::log2(sizes[i]);
            std::printf("  %6.3f %7.4f %7.5f", each, each / log_n, each / (log_n * log_n));
            std::fflush(stdout);
            if (csv != nullptr) {
                std::fprintf(csv, "growth,%.0f,%s,%s,%s,%s,,,,,,,%.4f\n", sizes[i], way.bv,
                             way.builder, fitted[way.fit_to], fits[way.box_fit], each);
            }
        }
        std::printf("\n");
    }
}

} // namespace

int main(int count, char **arguments)
{
    Options options = parse_options(count, arguments);
    if (options.meshes.empty() && !options.quick) {
        options.meshes = {"knot", "spider", "engine"};
    }
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fprintf(csv, "mesh,triangles,kind,builder,fit,box_fit,sah_cost,nodes_a_triangle,depth,"
                          "opened,leaf_pairs,microseconds,build_microseconds_a_triangle\n");
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    std::printf("%-8s %-5s %-8s %-8s %-13s %8s %7s %5s %9s %8s %8s %8s\n", "mesh", "kind",
                "builder", "fit", "box fit", "SAH", "nodes/t", "depth", "opened", "leaves", "us",
                "build us/t");
    for (const Subject &subject : subjects) {
        compare(subject, csv);
    }
    grow(options, csv);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}
