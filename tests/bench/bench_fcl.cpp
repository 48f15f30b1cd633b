/* Boolean queries between two meshes, mostly copies of one, against FCL in the same run, at the
 * poses of poses.hpp; and against the algorithm of rapid_tree.hpp, which is what FCL does in
 * doubles.
 *
 * Timing. Methods alternate, each over all poses of a mesh, the first of them once unmeasured so
 * that what the method before left in the caches does not count; a query's time is its least over
 * the rounds.
 *
 * The kernels of the best instruction set are used where nothing else is said; `obb NAME` and `aabb
 * NAME` are queried by the kernels of set NAME.
 *
 * Every answer is compared with FCL's; the exit status is 1 when one of ours differs. */
#include "fcl_model.hpp"
#include "kiln_model.hpp"
#include "measure.hpp"
#include "poses.hpp"
#include "rapid_tree.hpp"

extern "C" {
#include "../../runtime/kernel/kernel.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

namespace
{

enum { WARM_UP = 100 };

enum { FCL_OBB, FCL_OBBRSS, RAPID, KILN_OBB, KILN_AABB }; /* then trees by sets of kernels */

/* All but the best set. */
std::vector<const kiln_kernel *> other_sets()
{
    std::vector<const kiln_kernel *> sets;
    for (unsigned i = 0; kiln_kernel_runnable(i + 1) != nullptr; i++) {
        sets.push_back(kiln_kernel_runnable(i));
    }
    return sets;
}

std::vector<std::string> make_method_names()
{
    std::vector<std::string> names = {"fcl-obb", "fcl-obbrss", "rapid", "kiln-obb", "kiln-aabb"};
    for (const char *tree : {"obb ", "aabb "}) {
        for (const kiln_kernel *set : other_sets()) {
            names.push_back(std::string(tree) + set->name);
        }
    }
    return names;
}

const std::vector<std::string> method_names = make_method_names();
const size_t METHODS = method_names.size();

struct Times {
    double mean, median, p99, most; /* ns */
};

struct Cell {
    size_t poses = 0;
    std::vector<Times> of = std::vector<Times>(METHODS);

    double times(size_t method, size_t base = FCL_OBB) const
    {
        return of[base].mean / of[method].mean;
    }
    double times_p99(size_t method, size_t base = FCL_OBB) const
    {
        return of[base].p99 / of[method].p99;
    }
};

/* --------------------------------------------------------------------------------- measuring -- */

struct Result {
    Cell cells[ALL_CLASSES];
    std::vector<size_t> mismatches = std::vector<size_t>(METHODS); /* with fcl-obb */
};

Times times_of(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const size_t last = values.size() - 1;
    return {mean_of(values), median_of(values), values[size_t(std::floor(0.99 * double(last)))],
            values[last]};
}

/* A mesh as everybody has it. */
struct Models {
    KilnModel kiln;
    FclModel<fcl::OBBd> fcl_obb;
    FclModel<fcl::OBBRSSd> fcl_obbrss;
    RapidTree rapid;

    explicit Models(const mesh &m) : kiln(m), fcl_obb(m), fcl_obbrss(m), rapid(m)
    {
    }
};

using Method = std::function<bool(Models &, Models &, const kiln_pose &)>;

std::vector<Method> make_methods()
{
    const auto obb = [](Models &a, Models &b, const kiln_pose &pose) {
        return run_query(a.kiln.obb, b.kiln.obb, pose);
    };
    const auto aabb = [](Models &a, Models &b, const kiln_pose &pose) {
        return run_query(a.kiln.aabb, b.kiln.aabb, pose);
    };
    std::vector<Method> methods = {
        [](Models &a, Models &b, const kiln_pose &pose) {
            return a.fcl_obb.collide(b.fcl_obb, pose);
        },
        [](Models &a, Models &b, const kiln_pose &pose) {
            return a.fcl_obbrss.collide(b.fcl_obbrss, pose);
        },
        [](Models &a, Models &b, const kiln_pose &pose) { return a.rapid.collide(b.rapid, pose); },
        obb,
        aabb,
    };
    methods.insert(methods.end(), other_sets().size(), obb);
    methods.insert(methods.end(), other_sets().size(), aabb);
    return methods;
}

/* The kernels that method `m` queries with. NULL: the best. */
const kiln_kernel *set_of(size_t m)
{
    const std::vector<const kiln_kernel *> sets = other_sets();
    return m > KILN_AABB ? sets[(m - KILN_AABB - 1) % sets.size()] : nullptr;
}

/* FNV-1a. */
void add_answer(uint64_t *hash, bool answer)
{
    *hash = (*hash ^ uint64_t(answer)) * 0x100000001b3u;
}

/* Of answers to the poses of make_poses, and to the others. */
struct Hashes {
    uint64_t first = 0xcbf29ce484222325u, more = first;
};

Result measure(const Subject &subject, int rounds, double overhead, Hashes *hashes)
{
    mesh small_mesh = make_small(subject);
    Models models(subject.geometry), small(small_mesh);
    mesh_free(&small_mesh);
    const std::vector<Method> methods = make_methods();
    std::vector<Pose> poses = make_poses(subject, models.kiln.obb);
    const std::vector<Pose> more = make_more_poses(subject);
    poses.insert(poses.end(), more.begin(), more.end());

    const auto answer_of = [&](size_t m, size_t i) {
        return methods[m](models, poses[i].kind == SMALL ? small : models, poses[i].pose);
    };
    std::vector<std::vector<double>> times(METHODS, std::vector<double>(poses.size(), HUGE_VAL));
    std::vector<std::vector<char>> answers(METHODS, std::vector<char>(poses.size()));
    for (int round = 0; round < rounds; round++) {
        for (size_t m = 0; m < METHODS; m++) {
            kiln_kernel_force(set_of(m));
            for (size_t i = 0; i < std::min<size_t>(WARM_UP, poses.size()); i++) {
                answer_of(m, i);
            }
            for (size_t i = 0; i < poses.size(); i++) {
                const double start = now();
                const bool answer = answer_of(m, i);
                times[m][i] = std::min(times[m][i], std::max(now() - start - overhead, 1.0));
                answers[m][i] = answer;
            }
        }
    }

    kiln_kernel_force(nullptr);
    Result result;
    for (size_t m = 0; m < METHODS; m++) {
        std::vector<double> of_class[ALL_CLASSES];
        for (size_t i = 0; i < poses.size(); i++) {
            result.mismatches[m] += answers[m][i] != answers[FCL_OBB][i];
            of_class[poses[i].class_of(answers[FCL_OBB][i])].push_back(times[m][i]);
        }
        for (int c = 0; c < ALL_CLASSES; c++) {
            result.cells[c].poses = of_class[c].size();
            if (!of_class[c].empty()) {
                result.cells[c].of[m] = times_of(of_class[c]);
            }
        }
    }
    for (size_t i = 0; i < poses.size(); i++) {
        const bool is_first = i < poses.size() - more.size();
        add_answer(is_first ? &hashes->first : &hashes->more, answers[KILN_OBB][i] != 0);
    }
    return result;
}

/* --------------------------------------------------------------------------------- reporting -- */

void print_cell(const Subject &subject, int c, const Cell &cell)
{
    std::printf("%-8s %7u  %-10s %5zu %10.2f", subject.name.c_str(),
                subject.geometry.triangle_count, class_names[c], cell.poses,
                cell.of[FCL_OBB].mean / 1e3);
    for (size_t m = 1; m < METHODS; m++) {
        std::printf(" %10.2f", cell.times(m));
    }
    std::printf("\n");
}

void write_cell(std::FILE *csv, const Subject &subject, int c, const Cell &cell)
{
    for (size_t m = 0; m < METHODS; m++) {
        std::fprintf(csv, "%s,%u,%s,%zu,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n",
                     subject.name.c_str(), subject.geometry.triangle_count, class_names[c],
                     cell.poses, method_names[m].c_str(), cell.of[m].mean / 1e3,
                     cell.of[m].median / 1e3, cell.of[m].p99 / 1e3, cell.of[m].most / 1e3,
                     cell.times(m), cell.times(m, FCL_OBBRSS), cell.times_p99(m, FCL_OBBRSS));
    }
}

/* Geometric means of the ratios to `base` over the classes [from, to). */
void print_means(const char *label, const std::vector<Result> &results, int from, int to,
                 size_t base, bool p99)
{
    std::printf("%-38s", label);
    for (size_t m = 0; m < METHODS; m++) {
        std::vector<double> ratios;
        for (const Result &result : results) {
            for (int c = from; c < to; c++) {
                const Cell &cell = result.cells[c];
                if (cell.poses > 0) {
                    ratios.push_back(p99 ? cell.times_p99(m, base) : cell.times(m, base));
                }
            }
        }
        std::printf(" %10.2f", geometric_mean(ratios));
    }
    std::printf("\n");
}

void print_worst(const std::vector<Subject> &subjects, const std::vector<Result> &results,
                 size_t base, int classes)
{
    for (size_t m = RAPID; m < METHODS; m++) {
        double worst = HUGE_VAL;
        std::string where;
        for (size_t i = 0; i < results.size(); i++) {
            for (int c = 0; c < classes; c++) {
                const Cell &cell = results[i].cells[c];
                if (cell.poses > 0 && cell.times(m, base) < worst) {
                    worst = cell.times(m, base);
                    where = subjects[i].name + ", " + class_names[c];
                }
            }
        }
        std::printf("worst cell of %-11s %.2f x %s (%s)\n", method_names[m].c_str(), worst,
                    method_names[base].c_str(), where.c_str());
    }
}

/* Queries that the roots decide: mean and largest time over all meshes. */
void print_roots(const std::vector<Result> &results)
{
    for (size_t m = 0; m < METHODS; m++) {
        std::vector<double> means;
        double most = 0;
        for (const Result &result : results) {
            const Cell &cell = result.cells[2 * ROOTS];
            if (cell.poses > 0) {
                means.push_back(cell.of[m].mean);
                most = std::max(most, cell.of[m].most);
            }
        }
        std::printf("decided by roots: %-11s %.3f us, at most %.3f\n", method_names[m].c_str(),
                    mean_of(means) / 1e3, most / 1e3);
    }
}

size_t print_mismatches(const std::vector<Result> &results)
{
    size_t all = 0;
    std::printf("answers that differ from fcl-obb:");
    for (size_t m = 1; m < METHODS; m++) {
        size_t sum = 0;
        for (const Result &result : results) {
            sum += result.mismatches[m];
        }
        std::printf(" %s %zu", method_names[m].c_str(), sum);
        all += m == RAPID ? 0 : sum; /* which is not exact */
    }
    std::printf("\n");
    return all;
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fprintf(csv, "mesh,triangles,class,poses,method,mean_us,median_us,p99_us,most_us,"
                          "times_fcl_obb,times_fcl_obbrss,times_fcl_obbrss_p99\n");
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    std::printf("\nus of fcl-obb a query (mean); of the others how many times as fast\n"
                "%-8s %7s  %-10s %5s",
                "mesh", "faces", "class", "poses");
    for (const std::string &name : method_names) {
        std::printf(" %10s", name.c_str());
    }
    std::printf("\n");

    const double overhead = clock_cost();
    Hashes hashes;
    std::vector<Result> results;
    for (const Subject &subject : subjects) {
        results.push_back(measure(subject, options.quick ? 3 : 5, overhead, &hashes));
        for (int c = 0; c < ALL_CLASSES; c++) {
            const Cell &cell = results.back().cells[c];
            if (cell.poses > 0) {
                print_cell(subject, c, cell);
                if (csv != nullptr) {
                    write_cell(csv, subject, c, cell);
                }
            }
        }
        std::fflush(stdout);
    }

    std::printf("\ngeometric means\n");
    for (int c = 0; c < CLASSES_OF_TREES; c++) {
        print_means((std::string(class_names[c]) + ", x fcl-obb").c_str(), results, c, c + 1,
                    FCL_OBB, false);
    }
    for (const int classes : {int(CLASSES), int(CLASSES_OF_TREES)}) {
        const std::string label = classes == CLASSES ? "zach and graze" : "all classes";
        print_means((label + ", x fcl-obb").c_str(), results, 0, classes, FCL_OBB, false);
        print_means((label + ", x fcl-obbrss").c_str(), results, 0, classes, FCL_OBBRSS, false);
        print_means((label + ", p99, x fcl-obb").c_str(), results, 0, classes, FCL_OBB, true);
        print_means((label + ", p99, x fcl-obbrss").c_str(), results, 0, classes, FCL_OBBRSS, true);
        print_means((label + ", x rapid").c_str(), results, 0, classes, RAPID, false);
    }
    print_worst(subjects, results, FCL_OBB, CLASSES);
    print_worst(subjects, results, FCL_OBBRSS, CLASSES);
    print_worst(subjects, results, FCL_OBBRSS, CLASSES_OF_TREES);
    print_roots(results);
    const size_t mismatches = print_mismatches(results);
    std::printf("answers: %016llx, of path, small and roots: %016llx\n\n",
                static_cast<unsigned long long>(hashes.first),
                static_cast<unsigned long long>(hashes.more));
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return mismatches == 0 ? 0 : 1;
}
