/* Two builds of libkiln in one process: is a change of the library a change of its speed?
 *
 *     KILN_OLD=before/libkiln.so KILN_NEW=after/libkiln.so bench_versus [--quick] ...
 *
 * Ratios between two programs drift by a tenth and more on a shared machine, since what disturbs one
 * run does not disturb the other. Here both libraries are loaded side by side, each query is put
 * to both in turns, and of each query and library the least time of all rounds counts. On the same
 * machine the mean of all cells then repeats within one percent. Without the variables
 * both are the library that was built with this program, which shows that noise.
 *
 * The trees are baked once, by this build, so that only the runtime differs; an older library must
 * be able to read them, and the layout of kiln_pose and kiln_hit must be that of this build. */
#include "measure.hpp"
#include "poses.hpp"

extern "C" {
#include "../support/quick_bake.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>

namespace
{

enum { LIBRARIES = 2, KINDS = 2, ROUNDS = 30, QUICK_ROUNDS = 10 };
const char *const kind_names[KINDS] = {"obb", "aabb"};

/* One library's functions. */
struct Library {
    decltype(&kiln_open_memory) open_memory;
    decltype(&kiln_file_find) find;
    decltype(&kiln_close) close;
    decltype(&kiln_collide) collide;
};

/* The address of a function as a pointer of its type, for which C++ has no cast that is portable. */
template <class Function> void take(void *library, const char *name, Function &out)
{
    void *const symbol = dlsym(library, name);
    if (symbol == nullptr) {
        std::fprintf(stderr, "bench_versus: %s\n", dlerror());
        std::exit(2);
    }
    out = reinterpret_cast<Function>(symbol);
}

/* RTLD_DEEPBIND, since this program is linked with kiln itself: without it, calls between functions
 * of the library would go to those of the program. */
Library load(const std::string &path)
{
    void *const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (handle == nullptr) {
        std::fprintf(stderr, "bench_versus: %s\n", dlerror());
        std::exit(2);
    }
    Library library;
    take(handle, "kiln_open_memory", library.open_memory);
    take(handle, "kiln_file_find", library.find);
    take(handle, "kiln_close", library.close);
    take(handle, "kiln_collide", library.collide);
    return library;
}

/* The library beside this program's folder, build/release/tests/bench, or the one that the variable
 * names. */
std::string path_of(const char *variable, const char *program)
{
    const char *const named = std::getenv(variable);
    if (named != nullptr) {
        return named;
    }
    const std::string own = program;
    return own.substr(0, own.rfind('/') + 1) + "../../../libkiln.so";
}

/* Sums of the least times of each pose, by library and class. */
struct Cell {
    double sum[LIBRARIES] = {};
    size_t poses = 0;
};

struct Total {
    std::vector<double> ratios[KINDS];
    size_t differ = 0;
};

/* All poses of one mesh with trees of one kind. */
void compare(const Library libraries[LIBRARIES], const Subject &subject, int kind,
             const std::vector<Pose> &poses, int rounds, Cell cells[CLASSES_OF_TREES], Total &total)
{
    size_t size;
    void *const bytes = quick_bake(&subject.geometry, kind_names[kind], 4, KILN_LAYOUT_RAW, &size);
    kiln_file *files[LIBRARIES];
    const kiln_tree *trees[LIBRARIES];
    for (int i = 0; i < LIBRARIES; i++) {
        if (libraries[i].open_memory(bytes, size, nullptr, &files[i]) != KILN_OK) {
            std::fprintf(stderr, "bench_versus: the %s library refuses files of this build\n",
                         i == 0 ? "old" : "new");
            std::exit(2);
        }
        trees[i] = libraries[i].find(files[i], nullptr, kind == 0 ? KILN_BV_OBB : KILN_BV_AABB);
    }
    const double clock = clock_cost();
    std::vector<double> least(poses.size() * LIBRARIES, HUGE_VAL);
    std::vector<bool> found(poses.size());
    for (int round = 0; round < rounds; round++) {
        for (size_t p = 0; p < poses.size(); p++) {
            bool answers[LIBRARIES];
            for (int turn = 0; turn < LIBRARIES; turn++) {
                const int i = (turn + round) % LIBRARIES; /* neither is always the second */
                kiln_hit hit;
                const double start = now();
                libraries[i].collide(trees[i], nullptr, trees[i], &poses[p].pose, nullptr, &hit);
                const double time = now() - start - clock;
                double &best = least[p * LIBRARIES + size_t(i)];
                best = std::min(best, time);
                answers[i] = hit.found;
            }
            total.differ += round == 0 && answers[0] != answers[1];
            found[p] = answers[1];
        }
    }
    for (size_t p = 0; p < poses.size(); p++) {
        Cell &cell = cells[poses[p].class_of(found[p])];
        for (size_t i = 0; i < LIBRARIES; i++) {
            cell.sum[i] += std::max(least[p * LIBRARIES + i], 1.0);
        }
        cell.poses++;
    }
    for (int i = 0; i < LIBRARIES; i++) {
        libraries[i].close(files[i]);
    }
    std::free(bytes);
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fprintf(csv, "mesh,triangles,class,poses,kind,old_us,new_us,new_to_old\n");
    }
    print_origin(stdout, "", arguments[0]);
    const std::string paths[LIBRARIES] = {path_of("KILN_OLD", arguments[0]),
                                          path_of("KILN_NEW", arguments[0])};
    const Library libraries[LIBRARIES] = {load(paths[0]), load(paths[1])};
    std::printf("old: %s\nnew: %s\n\n%-8s %-10s %5s %-5s %9s %9s %8s\n", paths[0].c_str(),
                paths[1].c_str(), "mesh", "class", "poses", "kind", "old us", "new us", "new/old");
    std::vector<Subject> subjects = make_subjects(options);
    Total total;
    for (const Subject &subject : subjects) {
        void *bytes;
        kiln_file *file = quick_open(&subject.geometry, "obb", 4, KILN_LAYOUT_RAW, &bytes);
        const std::vector<Pose> poses = make_poses(subject, kiln_file_tree(file, 0));
        for (int kind = 0; kind < KINDS; kind++) {
            Cell cells[CLASSES_OF_TREES];
            compare(libraries, subject, kind, poses, options.quick ? QUICK_ROUNDS : ROUNDS, cells,
                    total);
            for (int c = 0; c < CLASSES; c++) {
                if (cells[c].poses == 0) {
                    continue;
                }
                const double scale = 1e-3 / double(cells[c].poses);
                const double ratio = cells[c].sum[1] / cells[c].sum[0];
                total.ratios[kind].push_back(ratio);
                std::printf("%-8s %-10s %5zu %-5s %9.3f %9.3f %8.3f\n", subject.name.c_str(),
                            class_names[c], cells[c].poses, kind_names[kind],
                            cells[c].sum[0] * scale, cells[c].sum[1] * scale, ratio);
                if (csv != nullptr) {
                    std::fprintf(csv, "%s,%u,%s,%zu,%s,%.4f,%.4f,%.4f\n", subject.name.c_str(),
                                 subject.geometry.triangle_count, class_names[c], cells[c].poses,
                                 kind_names[kind], cells[c].sum[0] * scale, cells[c].sum[1] * scale,
                                 ratio);
                }
            }
        }
        kiln_close(file);
        std::free(bytes);
    }
    std::printf("\n");
    for (int kind = 0; kind < KINDS; kind++) {
        std::printf("%-5s new/old: geometric mean %.4f, least %.3f, most %.3f\n", kind_names[kind],
                    geometric_mean(total.ratios[kind]),
                    *std::min_element(total.ratios[kind].begin(), total.ratios[kind].end()),
                    *std::max_element(total.ratios[kind].begin(), total.ratios[kind].end()));
    }
    std::printf("answers that differ: %zu\n", total.differ);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return total.differ == 0 ? 0 : 1;
}
