/* Options, subjects and sums that all benchmarks share. A subject is a mesh with its bounds,
 * whether it is procedural (shapes.c) or an installed model (models.c); every library under
 * measurement gets the same triangles. Options are the same for all programs, so that a script can
 * run each of them alike. */
#include "measure.hpp"

#include "models.h"

#include "adb/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

static void usage(std::FILE *out, const char *program)
{
    std::fprintf(out,
                 "usage: %s [--quick] [--meshes NAME,NAME] [--csv FILE]\n"
                 "  --quick    gear and torus only, fewer repetitions\n"
                 "  --meshes   only these of:",
                 program);
    for (unsigned i = 0; i < shape_count; i++) {
        std::fprintf(out, " %s", shapes[i].name);
    }
    for (unsigned i = 0; i < model_count; i++) {
        std::fprintf(out, " %s", models[i].name);
    }
    std::fprintf(out, "\n  --csv      writes every figure to FILE as well\n"
                      "KILN_MODELS names the folder of the real models.\n");
}

/* An unknown name is an error, since a benchmark of no mesh would print means of nothing. */
static bool is_known(const std::string &name)
{
    for (unsigned i = 0; i < shape_count; i++) {
        if (name == shapes[i].name) {
            return true;
        }
    }
    for (unsigned i = 0; i < model_count; i++) {
        if (name == models[i].name) {
            return true;
        }
    }
    return false;
}

/* "a,b" as two names; an empty list has one empty name, which is unknown. */
static std::vector<std::string> split(const std::string &list)
{
    std::vector<std::string> parts;
    size_t from = 0;
    while (from <= list.size()) {
        const size_t to = std::min(list.find(',', from), list.size());
        parts.push_back(list.substr(from, to - from));
        from = to + 1;
    }
    return parts;
}

Options parse_options(int count, char **arguments)
{
    Options options;
    for (int i = 1; i < count; i++) {
        const std::string word = arguments[i];
        if (word == "--help") {
            usage(stdout, arguments[0]);
            std::exit(0);
        } else if (word == "--quick") {
            options.quick = true;
        } else if (word == "--csv" && i + 1 < count) {
            options.csv = arguments[++i];
        } else if (word == "--meshes" && i + 1 < count) {
            options.meshes = split(arguments[++i]);
        } else {
            usage(stderr, arguments[0]);
            std::exit(1);
        }
    }
    if (options.quick && options.meshes.empty()) {
        options.meshes = {"gear", "torus"};
    }
    for (const std::string &name : options.meshes) {
        if (!is_known(name)) {
            std::fprintf(stderr, "%s: no mesh has this name\n", name.c_str());
            usage(stderr, arguments[0]);
            std::exit(1);
        }
    }
    return options;
}

static Subject subject_of(const char *name, mesh geometry)
{
    Subject subject = {name, geometry, 0, {}, {}};
    for (int k = 0; k < 3; k++) {
        double lower = HUGE_VAL, upper = -HUGE_VAL;
        for (size_t i = 0; i < 3 * size_t(geometry.triangle_count); i++) {
            const double value = geometry.positions[3 * size_t(geometry.indices[i]) + size_t(k)];
            lower = std::min(lower, value);
            upper = std::max(upper, value);
        }
        subject.lower[k] = lower;
        subject.upper[k] = upper;
        subject.size = std::max(subject.size, upper - lower);
    }
    return subject;
}

std::vector<Subject> make_subjects(const Options &options)
{
    const auto wanted = [&](const char *name) {
        return options.meshes.empty() || std::find(options.meshes.begin(), options.meshes.end(),
                                                   name) != options.meshes.end();
    };
    std::vector<Subject> subjects;
    for (unsigned i = 0; i < shape_count; i++) {
        if (wanted(shapes[i].name)) {
            subjects.push_back(subject_of(shapes[i].name, shapes[i].make()));
        }
    }
    for (unsigned i = 0; i < model_count; i++) {
        mesh geometry;
        if (!wanted(models[i].name)) {
            continue;
        }
        if (model_load(&models[i], &geometry)) {
            subjects.push_back(subject_of(models[i].name, geometry));
        } else {
            std::printf("%s: not installed, left out\n", models[i].name);
        }
    }
    return subjects;
}

void free_subjects(std::vector<Subject> &subjects)
{
    for (Subject &subject : subjects) {
        mesh_free(&subject.geometry);
    }
    subjects.clear();
}

double now()
{
    return bench_now();
}

double clock_cost()
{
    return bench_clock_cost();
}

double mean_of(const std::vector<double> &values)
{
    return bench_mean(values.data(), values.size());
}

double median_of(std::vector<double> values)
{
    bench_sort(values.data(), values.size());
    return bench_median(values.data(), values.size());
}

double geometric_mean(const std::vector<double> &values)
{
    return bench_geometric_mean(values.data(), values.size());
}

kiln_pose place(const Subject &subject, const double rotation[9], const double direction[3],
                double distance)
{
    kiln_pose pose = kiln_pose_identity();
    std::memcpy(pose.rotation, rotation, sizeof pose.rotation);
    double middle[3];
    for (int k = 0; k < 3; k++) {
        middle[k] = (subject.lower[k] + subject.upper[k]) / 2;
    }
    for (int i = 0; i < 3; i++) {
        const double *row = rotation + 3 * i;
        pose.translation[i] = middle[i] -
                              (row[0] * middle[0] + row[1] * middle[1] + row[2] * middle[2]) +
                              distance * subject.size * direction[i];
    }
    return pose;
}

/* First line of what a command prints, or "unknown". */
static std::string first_line(const char *command)
{
    char line[256] = "";
    std::FILE *pipe = popen(command, "r");
    if (pipe != nullptr) {
        if (std::fgets(line, sizeof line, pipe) == nullptr) {
            line[0] = '\0';
        }
        pclose(pipe);
    }
    line[std::strcspn(line, "\n")] = '\0';
    return line[0] != '\0' ? line : "unknown";
}

/* What the Makefile left beside the objects: compiler and flags. */
static std::string flags_of(const char *program)
{
    std::string path = program;
    for (int up = 0; up < 3; up++) {
        const size_t slash = path.rfind('/');
        path = slash == std::string::npos ? ".." : path.substr(0, slash);
    }
    char line[512] = "";
    std::FILE *file = std::fopen((path + "/flags").c_str(), "r");
    if (file != nullptr) {
        if (std::fgets(line, sizeof line, file) == nullptr) {
            line[0] = '\0';
        }
        std::fclose(file);
    }
    line[std::strcspn(line, "|\n")] = '\0';
    return line[0] != '\0' ? line : "unknown";
}

void print_origin(std::FILE *out, const char *prefix, const char *program)
{
    const std::string machine = first_line("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo") +
                                ", " + first_line("nproc") + " processors";
    std::fprintf(out, "%sdate: %s\n", prefix, first_line("date -u +%Y-%m-%d").c_str());
    std::fprintf(out, "%smachine: %s\n", prefix, machine.c_str());
    const std::string flags = flags_of(program);
    const std::string compiler = flags.substr(0, flags.find(' ')) + " --version 2>/dev/null";
    std::fprintf(out, "%scompiler: %s\n", prefix, first_line(compiler.c_str()).c_str());
    std::fprintf(out, "%sflags: %s\n", prefix, flags.c_str());
    std::fprintf(out, "%scommit: %s\n", prefix,
                 first_line("git describe --always --dirty 2>/dev/null").c_str());
}

std::FILE *open_csv(const std::string &path, const char *program)
{
    if (path.empty()) {
        return nullptr;
    }
    std::FILE *csv = std::fopen(path.c_str(), "w");
    if (csv == nullptr) {
        std::perror(path.c_str());
        std::exit(2);
    }
    print_origin(csv, "# ", program);
    return csv;
}

void close_csv(std::FILE *csv, const std::string &path)
{
    if (csv == nullptr) {
        return;
    }
    const bool bad = std::ferror(csv) != 0;
    if (std::fclose(csv) != 0 || bad) {
        std::fprintf(stderr, "%s: not written\n", path.c_str());
        std::exit(2);
    }
}
