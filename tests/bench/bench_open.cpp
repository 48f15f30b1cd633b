/* What baking costs and what opening saves, against building FCL's tree of the same mesh in the
 * same run. Without a baked file an application rebuilds, then asks; with one it opens and asks.
 *
 * Every figure is the least of several repetitions. Files are warm: in memory, or in the page cache
 * behind a map. The first query is of two copies half a size apart. */
#include "fcl_model.hpp"
#include "measure.hpp"

extern "C" {
#include "../../tools/build/build.h"
#include "../support/quick_bake.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>

#include <unistd.h>

namespace
{

/* Least seconds of `run`, at least twice and for at most about `budget` seconds. */
double least_seconds(double budget, const std::function<void()> &run)
{
    double least = HUGE_VAL;
    const double start = now();
    for (int i = 0; i < 200 && (i < 2 || now() - start < budget * 1e9); i++) {
        const double before = now();
        run();
        least = std::min(least, (now() - before) / 1e9);
    }
    return least;
}

void check(bool good, const char *what)
{
    if (!good) {
        std::fprintf(stderr, "%s failed\n", what);
        std::exit(2);
    }
}

/* A baked file, in memory on a multiple of 64 bytes, where a raw one needs no copy, and on disk. */
class Baked
{
public:
    Baked(const mesh &m, kiln_layout layout)
    {
        void *bytes = quick_bake(&m, "obb", 4, layout, &size);
        data = std::aligned_alloc(64, (size + 63) / 64 * 64);
        check(data != nullptr, "allocating");
        std::memcpy(data, bytes, size);
        std::free(bytes);
        const char *folder = std::getenv("TMPDIR");
        path = std::string(folder != nullptr ? folder : "/tmp") + "/kiln-bench-XXXXXX";
        const int handle = mkstemp(&path[0]);
        check(handle >= 0, "making a temporary file");
        check(write(handle, data, size) == ssize_t(size), "writing a temporary file");
        close(handle);
    }
    ~Baked()
    {
        unlink(path.c_str());
        std::free(data);
    }
    Baked(const Baked &) = delete;
    Baked &operator=(const Baked &) = delete;

    kiln_file *open(bool from_disk, uint32_t flags) const
    {
        kiln_open_options options = kiln_open_options_default();
        kiln_file *file;
        options.flags = flags;
        const kiln_status status = from_disk ? kiln_open(path.c_str(), &options, &file)
                                             : kiln_open_memory(data, size, &options, &file);
        check(status == KILN_OK, "opening what was baked");
        return file;
    }

    size_t size = 0;
    void *data = nullptr;

private:
    std::string path;
};

/* Seconds from nothing to the first answer; closing is not counted. */
double first_answer(const Baked &baked, bool from_disk, uint32_t flags, const kiln_pose &pose)
{
    double least = HUGE_VAL;
    const double start = now();
    for (int i = 0; i < 200 && (i < 3 || now() - start < 0.3e9); i++) {
        kiln_hit hit;
        const double before = now();
        kiln_file *file = baked.open(from_disk, flags);
        const kiln_tree *tree = kiln_file_tree(file, 0);
        check(kiln_collide(tree, nullptr, tree, &pose, &hit) == KILN_OK, "a query");
        least = std::min(least, (now() - before) / 1e9);
        kiln_close(file);
    }
    return least;
}

/* What kiln_build takes, encoding of nodes included. */
double build_seconds(const mesh &m, const char *kind, int threads, uint32_t *node_bytes)
{
    const kiln_build_input input = {m.positions, m.indices, nullptr, m.triangle_count};
    kiln_bake_options options = kiln_bake_options_default();
    options.threads = threads;
    return least_seconds(1.0, [&] {
        kiln_build_tree tree;
        check(kiln_build(kiln_build_kind_find(kind), &input, &options, &tree) == KILN_BAKE_OK,
              "a build");
        *node_bytes = tree.node_count * tree.node_size;
        kiln_build_tree_free(&tree);
    });
}

template <class Volume> double fcl_seconds(const mesh &m, const kiln_pose *pose)
{
    return least_seconds(1.0, [&] {
        FclModel<Volume> model(m);
        if (pose != nullptr) {
            model.collide(*pose);
        }
    });
}

/* The table and the CSV file at once: one line a figure, with its ratio to FCL-OBB. */
class Report
{
public:
    Report(std::FILE *file, const Subject &subject)
        : csv(file), name(subject.name), triangles(subject.geometry.triangle_count)
    {
    }

    /* `better` > 1: as many times better than fcl-obb. NAN: has no counterpart there. */
    void line(const char *what, double value, const char *unit, double better) const
    {
        std::printf("%-8s %7u  %-34s %12.3f %-8s", name.c_str(), triangles, what, value, unit);
        if (std::isnan(better)) {
            std::printf("\n");
        } else {
            std::printf(" %10.2f\n", better);
        }
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%u,%s,%.4f,%s,", name.c_str(), triangles, what, value, unit);
            std::fprintf(csv, std::isnan(better) ? "\n" : "%.3f\n", better);
        }
    }

private:
    std::FILE *csv;
    std::string name;
    unsigned triangles;
};

/* A binary tree with one triangle a leaf has two nodes a triangle, less one. */
template <class Volume> double fcl_node_bytes()
{
    return 2.0 * sizeof(fcl::BVNode<Volume>);
}

void measure_builds(const Report &report, const mesh &m)
{
    const double count = m.triangle_count / 1e6;
    const double fcl = fcl_seconds<fcl::OBBd>(m, nullptr);
    const double fcl_rss = fcl_seconds<fcl::OBBRSSd>(m, nullptr);
    report.line("build fcl-obb threads 1", count / fcl, "Mtri/s", 1);
    report.line("build fcl-obbrss threads 1", count / fcl_rss, "Mtri/s", fcl / fcl_rss);
    report.line("nodes fcl-obb", fcl_node_bytes<fcl::OBBd>(), "B/tri", 1);
    report.line("nodes fcl-obbrss", fcl_node_bytes<fcl::OBBRSSd>(), "B/tri",
                fcl_node_bytes<fcl::OBBd>() / fcl_node_bytes<fcl::OBBRSSd>());
    for (const char *kind : {"obb", "aabb"}) {
        uint32_t node_bytes = 0;
        for (const int threads : {1, 2}) {
            const double seconds = build_seconds(m, kind, threads, &node_bytes);
            const std::string what = std::string("build kiln-") + kind + " threads " +
                                     std::to_string(threads);
            report.line(what.c_str(), count / seconds, "Mtri/s", fcl / seconds);
        }
        const double node_share = double(node_bytes) / m.triangle_count;
        report.line((std::string("nodes kiln-") + kind).c_str(), node_share, "B/tri",
                    fcl_node_bytes<fcl::OBBd>() / node_share);
    }
}

void measure_opening(const Report &report, const Subject &subject)
{
    const mesh &m = subject.geometry;
    const double turned[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    const double aside[3] = {0.6, 0.64, 0.48};
    const kiln_pose pose = place(subject, turned, aside, 0.5);
    const Baked raw(m, KILN_LAYOUT_RAW), packed(m, KILN_LAYOUT_PACKED);
    report.line("file raw", double(raw.size) / m.triangle_count, "B/tri", NAN);
    report.line("file packed", double(packed.size) / m.triangle_count, "B/tri", NAN);

    const double fcl = fcl_seconds<fcl::OBBd>(m, &pose);
    report.line("rebuild fcl-obb + query", fcl * 1e6, "us", 1);
    struct Way {
        const char *what;
        const Baked *baked;
        bool from_disk;
        uint32_t flags;
    };
    const Way ways[] = {
        {"open raw trusted memory + query", &raw, false, KILN_OPEN_TRUSTED},
        {"open raw trusted mapped + query", &raw, true, KILN_OPEN_TRUSTED},
        {"open raw verified memory + query", &raw, false, 0},
        {"open raw verified mapped + query", &raw, true, 0},
        {"open packed trusted memory + query", &packed, false, KILN_OPEN_TRUSTED},
        {"open packed verified memory + query", &packed, false, 0},
        {"open packed verified mapped + query", &packed, true, 0},
    };
    for (const Way &way : ways) {
        const double seconds = first_answer(*way.baked, way.from_disk, way.flags, pose);
        report.line(way.what, seconds * 1e6, "us", fcl / seconds);
    }
    const double verified = least_seconds(0.3, [&] { kiln_close(raw.open(false, 0)); });
    report.line("verified open per 100k triangles", verified * 1e3 * 1e5 / m.triangle_count, "ms",
                NAN);
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fprintf(csv, "mesh,triangles,what,value,unit,times_fcl_obb\n");
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    std::printf("\n%-8s %7s  %-34s %12s %-8s %10s\n", "mesh", "faces", "what", "value", "unit",
                "x fcl-obb");
    for (const Subject &subject : subjects) {
        const Report report(csv, subject);
        measure_builds(report, subject.geometry);
        measure_opening(report, subject);
        std::fflush(stdout);
    }
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}
