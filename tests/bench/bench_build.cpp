/* What a bake takes of time and memory, stage by stage, for each quality, against building FCL's
 * tree of the same triangles in the same run.
 *
 * On a machine with other work trust the seconds of the processor (all threads, the importer's too)
 * and the ratios.
 *
 * Each bake runs in a process of its own, whose peak the system knows; what it had before (the
 * model's bytes) is taken off. Times are the least of two rounds, in which methods alternate. The
 * models are those of models/shape, of a million triangles (--quick: a hundred thousand), as binary
 * STL. */
#include "fcl_model.hpp"
#include "measure.hpp"

extern "C" {
#include "../../models/shape/shape.h"
#include "../../tools/common/memory.h"
#include "../../tools/kiln_bake.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

enum { THREADS = 2, ROUNDS = 2, TRIANGLES = 1000000, TRIANGLES_QUICK = 100000 };

const char *const names[] = {"knot", "car"};

struct Model {
    std::string name;
    mesh geometry;
    std::vector<unsigned char> stl;
};

struct Figures {
    double import = HUGE_VAL, build = HUGE_VAL, write = HUGE_VAL; /* seconds */
    double processor = HUGE_VAL;     /* seconds of all threads, importer too */
    double peak = 0, child_peak = 0; /* bytes a triangle */
    double file = 0;
};

struct Way {
    const char *name;
    const char *bv; /* NULL: FCL */
    kiln_quality quality;
    kiln_layout layout;
};

const Way ways[] = {
    {"fcl-obb", nullptr, KILN_QUALITY_DEFAULT, KILN_LAYOUT_RAW},
    {"obb fast, raw", "obb", KILN_QUALITY_FAST, KILN_LAYOUT_RAW},
    {"obb default", "obb", KILN_QUALITY_DEFAULT, KILN_LAYOUT_PACKED},
    {"obb best", "obb", KILN_QUALITY_BEST, KILN_LAYOUT_PACKED},
    {"aabb", "aabb", KILN_QUALITY_DEFAULT, KILN_LAYOUT_PACKED},
};

void put_u32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        to[i] = static_cast<unsigned char>(value >> 8 * i);
    }
}

Model make_model(const char *name, uint32_t triangles)
{
    shape_mesh shape = shape_make(shape_find(name), triangles);
    Model model;
    model.name = name;
    model.geometry.vertex_count = shape.vertex_count;
    model.geometry.triangle_count = shape.triangle_count;
    model.geometry.indices = shape.indices;
    model.geometry.positions =
        static_cast<float *>(std::malloc(3 * sizeof(float) * shape.vertex_count));
    for (size_t i = 0; i < 3 * size_t(shape.vertex_count); i++) {
        model.geometry.positions[i] = float(shape.positions[i] / 1e6);
    }
    model.stl.resize(84 + 50 * size_t(shape.triangle_count));
    put_u32(&model.stl[80], shape.triangle_count);
    for (size_t i = 0; i < 3 * size_t(shape.triangle_count); i++) {
        std::memcpy(&model.stl[84 + 50 * (i / 3) + 12 + 12 * (i % 3)],
                    model.geometry.positions + 3 * size_t(shape.indices[i]), 12);
    }
    std::free(shape.positions);
    return model;
}

double peak_of(int who, uint64_t before, uint32_t triangles)
{
    rusage used;
    (void)getrusage(who, &used);
    const double bytes = double(used.ru_maxrss) * 1024 - double(before);
    return bytes > 0 ? bytes / triangles : 0;
}

double processor_seconds(int who)
{
    rusage used;
    (void)getrusage(who, &used);
    return double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * double(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

void bake(const Model &model, const Way &way, Figures &out)
{
    const kiln_bake_input input = {"model.stl", model.stl.data(), model.stl.size(), nullptr};
    kiln_bake_options options = kiln_bake_options_default();
    kiln_bake_report report;
    void *data = nullptr;
    size_t size = 0;
    options.bv = way.bv;
    options.quality = way.quality;
    options.layout = way.layout;
    options.threads = THREADS;
    if (kiln_bake_to_memory(&input, &options, &data, &size, &report) != KILN_BAKE_OK) {
        std::fprintf(stderr, "%s\n", report.error);
        _exit(1);
    }
    out.import = report.seconds_import;
    out.build = report.seconds_build;
    out.write = report.seconds_write;
    out.file = double(size) / model.geometry.triangle_count;
    kiln_bake_report_free(&report);
    std::free(data);
}

void build_fcl(const Model &model, Figures &out)
{
    const double start = now();
    const FclModel<fcl::OBBd> built(model.geometry);
    out.build = (now() - start) / 1e9;
    out.import = out.write = 0;
}

Figures run(const Model &model, const Way &way)
{
    Figures out;
    int pipes[2], status = 0;
    if (pipe(pipes) != 0) {
        std::abort();
    }
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process == 0) {
        const uint64_t before = kiln_resident();
        if (way.bv == nullptr) {
            build_fcl(model, out);
        } else {
            bake(model, way, out);
        }
        out.processor = processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN);
        out.peak = peak_of(RUSAGE_SELF, before, model.geometry.triangle_count);
        out.child_peak = peak_of(RUSAGE_CHILDREN, before, model.geometry.triangle_count);
        _exit(write(pipes[1], &out, sizeof out) == ssize_t(sizeof out) ? 0 : 1);
    }
    close(pipes[1]);
    const bool whole = read(pipes[0], &out, sizeof out) == ssize_t(sizeof out);
    close(pipes[0]);
    if (process < 0 || waitpid(process, &status, 0) != process || status != 0 || !whole) {
        std::fprintf(stderr, "%s, %s: failed\n", model.name.c_str(), way.name);
        std::exit(1);
    }
    return out;
}

void keep_least(Figures &least, const Figures &other)
{
    least.import = std::min(least.import, other.import);
    least.build = std::min(least.build, other.build);
    least.write = std::min(least.write, other.write);
    least.processor = std::min(least.processor, other.processor);
    least.peak = std::max(least.peak, other.peak);
    least.child_peak = std::max(least.child_peak, other.child_peak);
    least.file = other.file;
}

void print(const Model &model, const std::vector<Figures> &figures, std::FILE *csv)
{
    const uint32_t triangles = model.geometry.triangle_count;
    for (size_t i = 0; i < figures.size(); i++) {
        const Figures &f = figures[i];
        const double to_mtri = 1e6 / triangles;
        const double all = f.import + f.build + f.write;
        std::printf("%-6s %8u  %-14s %7.2f %7.2f %7.2f %7.2f %9.2f %8.2f %8.1f %8.1f %8.1f\n",
                    model.name.c_str(), triangles, ways[i].name, f.import * to_mtri,
                    f.build * to_mtri, f.write * to_mtri, all * to_mtri, f.processor * to_mtri,
                    figures[0].build / f.build, f.peak, f.child_peak, f.file);
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%u,\"%s\",%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.1f,%.1f,%.2f\n",
                         model.name.c_str(), triangles, ways[i].name, f.import * to_mtri,
                         f.build * to_mtri, f.write * to_mtri, all * to_mtri, f.processor * to_mtri,
                         figures[0].build / f.build, f.peak, f.child_peak, f.file);
        }
    }
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    const size_t way_count = sizeof ways / sizeof ways[0];
    if (csv != nullptr) {
        std::fprintf(csv, "model,triangles,way,import_s_mtri,build_s_mtri,write_s_mtri,all_s_mtri,"
                          "processor_s_mtri,build_times_fcl,peak_bytes_tri,child_peak_bytes_tri,"
                          "file_bytes_tri\n");
    }
    print_origin(stdout, "", arguments[0]);
    std::printf(
        "%d threads; seconds a million triangles, build times as fast as FCL's (one thread, all it "
        "can), peak bytes a triangle\n%-6s %8s  %-14s %7s %7s %7s %7s %9s %8s %8s %8s %8s\n",
        THREADS, "model", "faces", "way", "import", "build", "write", "all", "processor", "x FCL",
        "peak", "importer", "file");
    for (const char *name : names) {
        Model model = make_model(name, options.quick ? TRIANGLES_QUICK : TRIANGLES);
        std::vector<Figures> figures(way_count);
        for (int round = 0; round < ROUNDS; round++) {
            for (size_t i = 0; i < way_count; i++) {
                keep_least(figures[i], run(model, ways[i]));
            }
        }
        print(model, figures, csv);
        std::fflush(nullptr);
        mesh_free(&model.geometry);
    }
    close_csv(csv, options.csv);
    return 0;
}
