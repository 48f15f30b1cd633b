/* Boolean queries between two copies of a mesh, against FCL in the same run, at the poses of
 * poses.hpp.
 *
 * Timing. Methods take turns, each over all poses of a mesh, the first of them once unmeasured so
 * that what the method before left in the caches does not count; a query's time is its least over
 * the rounds.
 *
 * Every answer is compared with FCL's; the exit status is 1 when one differs. */
#include "fcl_model.hpp"
#include "measure.hpp"
#include "poses.hpp"

extern "C" {
#include "../support/quick_bake.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

namespace
{

enum { METHODS = 4, WARM_UP = 100 };

enum { FCL_OBB, FCL_OBBRSS, KILN_OBB, KILN_AABB };
const char *const method_names[METHODS] = {"fcl-obb", "fcl-obbrss", "kiln-obb", "kiln-aabb"};

struct Cell {
    size_t poses = 0;
    double mean[METHODS] = {}, median[METHODS] = {}; /* ns */
};

/* Both trees of a mesh and the bytes they live in. */
class KilnModel
{
public:
    explicit KilnModel(const mesh &m)
        : file(quick_open(&m, "obb,aabb", 4, KILN_LAYOUT_RAW, &bytes)),
          obb(kiln_file_find(file, nullptr, KILN_BV_OBB)),
          aabb(kiln_file_find(file, nullptr, KILN_BV_AABB))
    {
    }
    ~KilnModel()
    {
        kiln_close(file);
        std::free(bytes);
    }
    KilnModel(const KilnModel &) = delete;
    KilnModel &operator=(const KilnModel &) = delete;

private:
    void *bytes = nullptr;
    kiln_file *file;

public:
    const kiln_tree *const obb, *const aabb;
};

/* --------------------------------------------------------------------------------- measuring -- */

struct Result {
    Cell cells[CLASSES];
    size_t mismatches[METHODS] = {}; /* with fcl-obb */
};

Result measure(const Subject &subject, int rounds, double overhead, uint64_t *hash)
{
    const KilnModel kiln(subject.geometry);
    FclModel<fcl::OBBd> fcl_obb(subject.geometry);
    FclModel<fcl::OBBRSSd> fcl_obbrss(subject.geometry);
    const std::function<bool(const kiln_pose &)> methods[METHODS] = {
        [&](const kiln_pose &pose) { return fcl_obb.collide(pose); },
        [&](const kiln_pose &pose) { return fcl_obbrss.collide(pose); },
        [&](const kiln_pose &pose) { return ask(kiln.obb, pose); },
        [&](const kiln_pose &pose) { return ask(kiln.aabb, pose); },
    };
    const std::vector<Pose> poses = make_poses(subject, kiln.obb);

    std::vector<double> times[METHODS];
    std::vector<char> answers[METHODS];
    for (int m = 0; m < METHODS; m++) {
        times[m].assign(poses.size(), HUGE_VAL);
        answers[m].resize(poses.size());
    }
    for (int round = 0; round < rounds; round++) {
        for (int m = 0; m < METHODS; m++) {
            for (size_t i = 0; i < std::min<size_t>(WARM_UP, poses.size()); i++) {
                methods[m](poses[i].pose);
            }
            for (size_t i = 0; i < poses.size(); i++) {
                const double start = now();
                const bool answer = methods[m](poses[i].pose);
                times[m][i] = std::min(times[m][i], std::max(now() - start - overhead, 1.0));
                answers[m][i] = answer;
            }
        }
    }

    Result result;
    for (int m = 0; m < METHODS; m++) {
        std::vector<double> of_class[CLASSES];
        for (size_t i = 0; i < poses.size(); i++) {
            result.mismatches[m] += answers[m][i] != answers[FCL_OBB][i];
            of_class[poses[i].class_of(answers[FCL_OBB][i])].push_back(times[m][i]);
        }
        for (int c = 0; c < CLASSES; c++) {
            result.cells[c].poses = of_class[c].size();
            if (!of_class[c].empty()) {
                result.cells[c].mean[m] = mean_of(of_class[c]);
                result.cells[c].median[m] = median_of(of_class[c]);
            }
        }
    }
    for (size_t i = 0; i < poses.size(); i++) { /* FNV-1a */
        *hash = (*hash ^ uint64_t(answers[KILN_OBB][i])) * 0x100000001b3u;
    }
    return result;
}

/* --------------------------------------------------------------------------------- reporting -- */

void print_cell(const Subject &subject, int c, const Cell &cell)
{
    std::printf("%-8s %7u  %-10s %5zu %10.2f", subject.name.c_str(),
                subject.geometry.triangle_count, class_names[c], cell.poses,
                cell.mean[FCL_OBB] / 1e3);
    for (int m = 1; m < METHODS; m++) {
        std::printf(" %10.2f", cell.mean[FCL_OBB] / cell.mean[m]);
    }
    std::printf("\n");
}

void write_cell(std::FILE *csv, const Subject &subject, int c, const Cell &cell)
{
    for (int m = 0; m < METHODS; m++) {
        std::fprintf(csv, "%s,%u,%s,%zu,%s,%.3f,%.3f,%.3f\n", subject.name.c_str(),
                     subject.geometry.triangle_count, class_names[c], cell.poses, method_names[m],
                     cell.mean[m] / 1e3, cell.median[m] / 1e3, cell.mean[FCL_OBB] / cell.mean[m]);
    }
}

/* Geometric means of the ratios to `base` over the classes [from, to). */
void print_means(const char *label, const std::vector<Result> &results, int from, int to, int base)
{
    std::printf("%-38s", label);
    for (int m = 0; m < METHODS; m++) {
        std::vector<double> ratios;
        for (const Result &result : results) {
            for (int c = from; c < to; c++) {
                if (result.cells[c].poses > 0) {
                    ratios.push_back(result.cells[c].mean[base] / result.cells[c].mean[m]);
                }
            }
        }
        std::printf(" %10.2f", geometric_mean(ratios));
    }
    std::printf("\n");
}

void print_worst(const std::vector<Subject> &subjects, const std::vector<Result> &results)
{
    for (const int m : {KILN_OBB, KILN_AABB}) {
        double worst = HUGE_VAL;
        std::string where;
        for (size_t i = 0; i < results.size(); i++) {
            for (int c = 0; c < CLASSES; c++) {
                const Cell &cell = results[i].cells[c];
                if (cell.poses > 0 && cell.mean[FCL_OBB] / cell.mean[m] < worst) {
                    worst = cell.mean[FCL_OBB] / cell.mean[m];
                    where = subjects[i].name + ", " + class_names[c];
                }
            }
        }
        std::printf("worst cell of %-9s %.2f x fcl-obb (%s)\n", method_names[m], worst,
                    where.c_str());
    }
}

size_t print_mismatches(const std::vector<Result> &results)
{
    size_t all = 0;
    std::printf("answers that differ from fcl-obb:");
    for (int m = 1; m < METHODS; m++) {
        size_t sum = 0;
        for (const Result &result : results) {
            sum += result.mismatches[m];
        }
        std::printf(" %s %zu", method_names[m], sum);
        all += sum;
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
        std::fprintf(csv, "mesh,triangles,class,poses,method,mean_us,median_us,times_fcl_obb\n");
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    std::printf("\nus of fcl-obb a query (mean); of the others how many times as fast\n"
                "%-8s %7s  %-10s %5s", "mesh", "faces", "class", "poses");
    for (const char *name : method_names) {
        std::printf(" %10s", name);
    }
    std::printf("\n");

    const double overhead = clock_cost();
    uint64_t hash = 0xcbf29ce484222325u;
    std::vector<Result> results;
    for (const Subject &subject : subjects) {
        results.push_back(measure(subject, options.quick ? 3 : 5, overhead, &hash));
        for (int c = 0; c < CLASSES; c++) {
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
    for (int c = 0; c < CLASSES; c++) {
        print_means((std::string(class_names[c]) + ", x fcl-obb").c_str(), results, c, c + 1,
                    FCL_OBB);
    }
    print_means("all, x fcl-obb", results, 0, CLASSES, FCL_OBB);
    print_means("all, x fcl-obbrss", results, 0, CLASSES, FCL_OBBRSS);
    print_worst(subjects, results);
    const size_t mismatches = print_mismatches(results);
    std::printf("answers: %016llx\n\n", static_cast<unsigned long long>(hash));
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return mismatches == 0 ? 0 : 1;
}
