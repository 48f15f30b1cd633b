/* Boolean queries between two copies of a mesh, against FCL in the same run.
 *
 * Poses. "zach": the middle of the second copy at 12 distances from the middle of the first, 20
 * random rotations and directions each, parted by the answer; poses at which the boxes of the
 * meshes are apart would measure a call and are left out. "graze": the second copy comes in along a
 * random direction, the contact is bisected, and the poses lie 0.2 % of the size on both sides.
 *
 * Timing. Methods take turns, each over all poses of a mesh, the first of them once unmeasured so
 * that what the method before left in the caches does not count; a query's time is its least over
 * the rounds.
 *
 * Every answer is compared with FCL's; the exit status is 1 when one differs. */
#include "fcl_model.hpp"
#include "measure.hpp"

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

enum { CLASSES = 4, METHODS = 4, WARM_UP = 100 };
const char *const class_names[CLASSES] = {"zach free", "zach hit", "graze free", "graze hit"};

enum { FCL_OBB, FCL_OBBRSS, KILN_OBB, KILN_AABB };
const char *const method_names[METHODS] = {"fcl-obb", "fcl-obbrss", "kiln-obb", "kiln-aabb"};

struct Pose {
    kiln_pose pose;
    bool graze;
};

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

bool ask(const kiln_tree *tree, const kiln_pose &pose)
{
    kiln_hit hit;
    if (kiln_collide(tree, nullptr, tree, &pose, &hit) != KILN_OK) {
        std::abort();
    }
    return hit.found;
}

/* ------------------------------------------------------------------------------------ poses -- */

/* Are the boxes of the two copies apart along the direction `axis`? */
bool apart_along(const Subject &subject, const kiln_pose &pose, const double axis[3])
{
    double distance = 0, reach = 0;
    for (int i = 0; i < 3; i++) {
        const double *row = pose.rotation + 3 * i;
        const double half = (subject.upper[i] - subject.lower[i]) / 2;
        double moved = pose.translation[i], turned = 0;
        for (int k = 0; k < 3; k++) {
            moved += row[k] * (subject.lower[k] + subject.upper[k]) / 2;
            turned += axis[k] * pose.rotation[3 * k + i];
        }
        distance += axis[i] * (moved - (subject.lower[i] + subject.upper[i]) / 2);
        reach += half * (std::fabs(axis[i]) + std::fabs(turned));
    }
    return std::fabs(distance) > reach;
}

bool boxes_meet(const Subject &subject, const kiln_pose &pose)
{
    for (int i = 0; i < 3; i++) {
        const double along[3] = {i == 0 ? 1. : 0., i == 1 ? 1. : 0., i == 2 ? 1. : 0.};
        const double turned[3] = {pose.rotation[i], pose.rotation[3 + i], pose.rotation[6 + i]};
        if (apart_along(subject, pose, along) || apart_along(subject, pose, turned)) {
            return false;
        }
        for (int j = 0; j < 3; j++) {
            const double column[3] = {pose.rotation[j], pose.rotation[3 + j],
                                      pose.rotation[6 + j]};
            double edge[3] = {0, 0, 0};
            edge[(i + 1) % 3] = -column[(i + 2) % 3];
            edge[(i + 2) % 3] = column[(i + 1) % 3];
            if (apart_along(subject, pose, edge)) {
                return false;
            }
        }
    }
    return true;
}

void random_placement(uint64_t *state, double rotation[9], double direction[3])
{
    const kiln_pose turned = pose_random(state, 0), aimed = pose_random(state, 0);
    std::memcpy(rotation, turned.rotation, sizeof turned.rotation);
    for (int k = 0; k < 3; k++) {
        direction[k] = aimed.rotation[3 * k];
    }
}

void add_zach(const Subject &subject, uint64_t *state, std::vector<Pose> &poses)
{
    for (int step = 0; step < 12; step++) {
        for (int i = 0; i < 20; i++) {
            double rotation[9], direction[3];
            random_placement(state, rotation, direction);
            const kiln_pose pose = place(subject, rotation, direction, 0.1 * step);
            if (boxes_meet(subject, pose)) {
                poses.push_back({pose, false});
            }
        }
    }
}

void add_graze(const Subject &subject, const kiln_tree *tree, uint64_t *state,
               std::vector<Pose> &poses)
{
    for (int found = 0, tries = 0; found < 80 && tries < 800; tries++) {
        double rotation[9], direction[3];
        random_placement(state, rotation, direction);
        double outer = 1.8, inner = outer;
        const double stride = 0.02;
        while (inner > 0 && !ask(tree, place(subject, rotation, direction, inner))) {
            outer = inner;
            inner -= stride;
        }
        if (inner <= 0) {
            continue;
        }
        for (int i = 0; i < 30; i++) {
            const double middle = (outer + inner) / 2;
            (ask(tree, place(subject, rotation, direction, middle)) ? inner : outer) = middle;
        }
        poses.push_back({place(subject, rotation, direction, outer + 0.002), true});
        poses.push_back({place(subject, rotation, direction, inner - 0.002), true});
        found++;
    }
}

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
    uint64_t state = 20;
    std::vector<Pose> poses;
    add_zach(subject, &state, poses);
    add_graze(subject, kiln.obb, &state, poses);

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
            of_class[2 * poses[i].graze + answers[FCL_OBB][i]].push_back(times[m][i]);
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
