/* Times of first contact of two copies of a mesh, beside FCL's conservative advancement in the same
 * run.
 *
 * Ways. "frame": from 1 % of the size out of contact, in by 5 % of it with a turn of 5 degrees, as
 * in a frame of a simulation. "head on": from 1.8 sizes out through the other. "tumbling": the same
 * with a turn of up to 170 degrees. "bullet": the same from 900 sizes out, without a turn. "past":
 * past each other, 1 % of the size out of contact where they are nearest. "turn": a turn in place,
 * by up to 170 degrees, 1 % out. Rotations and directions are random.
 *
 * FCL: fcl::continuousCollide on OBBRSS trees with the motion that interpolates (CCDM_LINEAR), whose
 * turns are about the origin of the frame as kiln's are here. "fcl-ca" is its conservative
 * advancement with an error of time of 1e-4, of which only the first ways of each kind are taken,
 * since it takes seconds; "fcl-100" its naive solver, which asks at 100 times whether the two meet
 * and proves nothing. "global-ca": conservative advancement of the whole meshes by kiln_distance,
 * the distance over the greatest speed at a time, to the same tolerance. kiln: trees obb and aabb
 * with the tolerance that is the default, and a hundredth of the size.
 *
 * Answers are compared: those that only one side finds, and those that differ by more than a
 * thousandth of the way. FCL's are not proofs; kiln's are checked against its own distances. */
#include "fcl_model.hpp"
#include "kiln_model.hpp"
#include "measure.hpp"

#include "../../runtime/kiln_sweep.h"

#include <fcl/narrowphase/continuous_collision.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace
{

enum { WAYS = 6 };
const char *const way_names[WAYS] = {"frame", "head on", "tumbling", "bullet", "past", "turn"};

enum { FCL_CA, FCL_NAIVE, GLOBAL, KILN_OBB, KILN_AABB, KILN_COARSE, METHODS };
const char *const method_names[METHODS] = {"fcl-ca",   "fcl-100",   "global-ca",
                                           "kiln-obb", "kiln-aabb", "kiln 1 %"};
enum { FCL_CA_WAYS = 2, GLOBAL_STEPS_MOST = 2000 };

void require(kiln_status status)
{
    if (status != KILN_OK) {
        std::abort();
    }
}

struct Way {
    kiln_motion motion;
    kiln_pose end;
    int kind;
};

bool query_hit(const kiln_tree *tree, const kiln_pose &pose)
{
    kiln_hit hit;
    require(kiln_collide(tree, nullptr, tree, &pose, nullptr, &hit));
    return hit.found;
}

/* The largest distance along a direction at which the two meet, in sizes; below 0: none. */
double outermost(const Subject &subject, const kiln_tree *tree, const double rotation[9],
                 const double direction[3])
{
    double outer = 1.8, inner = outer;
    while (inner > 0 && !query_hit(tree, place(subject, rotation, direction, inner))) {
        outer = inner;
        inner -= 0.02;
    }
    for (int i = 0; i < 30 && inner > 0; i++) {
        const double middle = (outer + inner) / 2;
        (query_hit(tree, place(subject, rotation, direction, middle)) ? inner : outer) = middle;
    }
    return inner > 0 ? outer : -1;
}

/* The rotation `first`, then one by an angle about a random axis. */
void turn_by(uint64_t *state, const double first[9], double angle, double out[9])
{
    double axis[3];
    random_direction(state, axis);
    const double s = std::sin(angle / 2);
    const double q[4] = {axis[0] * s, axis[1] * s, axis[2] * s, std::cos(angle / 2)};
    kiln_pose turn;
    require(kiln_pose_from_quaternion(q, nullptr, &turn));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) {
                out[3 * i + j] += turn.rotation[3 * i + k] * first[3 * k + j];
            }
        }
    }
}

std::vector<Way> make_ways(const Subject &subject, const kiln_tree *tree, int draws)
{
    uint64_t state = 50;
    std::vector<Way> ways;
    for (int found = 0, tries = 0; found < draws && tries < 20 * draws; tries++) {
        const kiln_pose rotated = pose_random(&state, 0), aimed = pose_random(&state, 0);
        const double *r = rotated.rotation;
        const double direction[3] = {aimed.rotation[0], aimed.rotation[3], aimed.rotation[6]};
        const double across[3] = {aimed.rotation[1], aimed.rotation[4], aimed.rotation[7]};
        const double edge = outermost(subject, tree, r, direction);
        if (edge < 0) {
            continue;
        }
        found++;
        const double degree = 3.14159265358979 / 180;
        for (int kind = 0; kind < WAYS; kind++) {
            double turned[9];
            const double angle = kind == 0 ? 5 : random_between(&state, 20, 170);
            const bool turns = kind == 0 || kind == 2 || kind == 5;
            if (turns) {
                turn_by(&state, r, angle * degree, turned);
            } else {
                std::memcpy(turned, r, sizeof turned);
            }
            kiln_pose from, to;
            switch (kind) {
            case 0:
                from = place(subject, r, direction, edge + 0.01);
                to = place(subject, turned, direction, edge - 0.04);
                break;
            case 3:
                from = place(subject, r, direction, 900);
                to = place(subject, turned, direction, -900);
                break;
            case 4:
                from = to = place(subject, r, direction, edge + 0.01);
                for (int k = 0; k < 3; k++) {
                    from.translation[k] += across[k] * 2 * subject.size;
                    to.translation[k] -= across[k] * 2 * subject.size;
                }
                break;
            case 5:
                from = place(subject, r, direction, edge + 0.01);
                to = place(subject, turned, direction, edge + 0.01);
                break;
            default:
                from = place(subject, r, direction, 1.8);
                to = place(subject, turned, direction, -1.8);
            }
            Way way;
            way.kind = kind;
            way.end = to;
            require(kiln_motion_between(&from, &to, nullptr, 0, &way.motion));
            ways.push_back(way);
        }
    }
    return ways;
}

fcl::Transform3d transform_of(const kiln_pose &pose)
{
    fcl::Transform3d t = fcl::Transform3d::Identity();
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            t.linear()(row, column) = pose.rotation[3 * row + column];
        }
        t.translation()[row] = pose.translation[row];
    }
    return t;
}

/* FCL's tree, and its sweep of a copy along the way from one pose to another. */
class FclSweep
{
  public:
    explicit FclSweep(const mesh &m) : model(std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>())
    {
        std::vector<fcl::Vector3d> points;
        std::vector<fcl::Triangle> faces;
        for (size_t i = 0; i < m.vertex_count; i++) {
            const float *p = m.positions + 3 * i;
            points.emplace_back(p[0], p[1], p[2]);
        }
        for (size_t i = 0; i < m.triangle_count; i++) {
            const uint32_t *corner = m.indices + 3 * i;
            faces.emplace_back(corner[0], corner[1], corner[2]);
        }
        model->beginModel(static_cast<int>(faces.size()), static_cast<int>(points.size()));
        model->addSubModel(points, faces);
        model->endModel();
    }

    /* 2: no contact. */
    double sweep(const fcl::Transform3d &from, const fcl::Transform3d &to, bool naive) const
    {
        const fcl::Transform3d rest = fcl::Transform3d::Identity();
        const fcl::ContinuousCollisionRequestd request(
            naive ? 100 : 10, naive ? 1e-2 : 1e-4, fcl::CCDM_LINEAR, fcl::GST_LIBCCD,
            naive ? fcl::CCDC_NAIVE : fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
        fcl::ContinuousCollisionResultd result;
        fcl::continuousCollide(model.get(), rest, rest, model.get(), from, to, request, result);
        return result.is_collide ? result.time_of_contact : 2;
    }

  private:
    std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> model;
};

struct Cell {
    size_t ways = 0, hits = 0;
    size_t fcl_ways = 0, missed = 0, differ = 0; /* of fcl-ca */
    size_t missed_by_naive = 0;
    double mean[METHODS] = {}, worst[METHODS] = {};
    uint64_t steps = 0;
};

struct Result {
    Cell cells[WAYS];
    size_t wrong = 0;
};

double sweep_time(const kiln_tree *tree, const Way &way, double tolerance, kiln_sweep_hit *hit)
{
    kiln_sweep_options options = kiln_sweep_options_default();
    options.tolerance = tolerance;
    require(kiln_sweep(tree, nullptr, tree, &way.motion, &options, hit));
    return hit->found ? hit->time : 2;
}

/* Conservative advancement of the whole meshes; 2: none, 3: given up. */
double global_advance(const kiln_tree *tree, const Way &way, double lever, double tolerance)
{
    const double *v = way.motion.linear, *w = way.motion.angular;
    const double speed = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                         std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * lever;
    kiln_pair_options options = kiln_pair_options_default();
    double time = 0;
    for (int i = 0; i < GLOBAL_STEPS_MOST; i++) {
        kiln_pose pose;
        kiln_nearest near;
        require(kiln_motion_pose(&way.motion, time, &pose));
        require(kiln_distance(tree, nullptr, tree, &pose, &options, &near));
        options.hint = near.hint;
        if (near.distance <= tolerance) {
            return time;
        }
        time += (near.distance - tolerance / 2) / speed;
        if (!(time <= 1)) {
            return 2;
        }
    }
    return 3;
}

/* At the answer within the tolerance, and nothing that meets at many times before it. */
bool is_right(const kiln_tree *tree, const Way &way, const kiln_sweep_hit &hit)
{
    kiln_pose pose;
    kiln_nearest near;
    if (hit.found) {
        require(kiln_motion_pose(&way.motion, hit.time, &pose));
        require(kiln_distance(tree, nullptr, tree, &pose, nullptr, &near));
        if (near.distance > hit.tolerance) {
            return false;
        }
    }
    for (int i = 0; i < 64; i++) {
        require(kiln_motion_pose(&way.motion, hit.clear * i / 64, &pose));
        if (hit.time > 0 && query_hit(tree, pose)) {
            return false;
        }
    }
    return true;
}

Result measure_sweeps(const Subject &subject, const Options &options, double overhead,
                      uint64_t *hash)
{
    const KilnModel kiln(subject.geometry);
    const FclSweep fcl_model(subject.geometry);
    const std::vector<Way> ways = make_ways(subject, kiln.obb, options.quick ? 6 : 24);
    Result result;
    double lever = 0;
    for (int corner = 0; corner < 8; corner++) {
        double squared = 0;
        for (int k = 0; k < 3; k++) {
            const double side = (corner >> k & 1) != 0 ? subject.upper[k] : subject.lower[k];
            squared += side * side;
        }
        lever = std::max(lever, std::sqrt(squared));
    }
    for (const Way &way : ways) {
        Cell &cell = result.cells[way.kind];
        kiln_sweep_hit hit, other;
        double times[METHODS] = {}, best[METHODS];
        sweep_time(kiln.obb, way, 0, &hit);
        const double hit_tolerance = hit.tolerance;
        std::fill(best, best + METHODS, HUGE_VAL);
        for (int round = 0; round < (options.quick ? 5 : 7); round++) {
            for (int method = 0; method < METHODS; method++) {
                const double start = now();
                if (method == FCL_CA && (round > 0 || cell.ways >= FCL_CA_WAYS)) {
                    continue;
                }
                if (method <= FCL_NAIVE) {
                    times[method] = fcl_model.sweep(transform_of(way.motion.start),
                                                    transform_of(way.end), method == FCL_NAIVE);
                } else if (method == GLOBAL) {
                    times[method] = global_advance(kiln.obb, way, lever, hit_tolerance);
                } else {
                    times[method] = sweep_time(method == KILN_AABB ? kiln.aabb : kiln.obb, way,
                                               method == KILN_COARSE ? 0.01 * subject.size : 0,
                                               method == KILN_OBB ? &hit : &other);
                }
                best[method] = std::min(best[method], now() - start - overhead);
            }
        }
        cell.ways++;
        cell.hits += hit.found;
        cell.steps += hit.steps;
        const bool of_fcl = best[FCL_CA] < HUGE_VAL;
        for (int method = 0; method < METHODS; method++) {
            if (method != FCL_CA || of_fcl) {
                cell.mean[method] += best[method];
                cell.worst[method] = std::max(cell.worst[method], best[method]);
            }
        }
        cell.fcl_ways += of_fcl;
        cell.missed += of_fcl && hit.found && times[FCL_CA] > 1;
        cell.differ += of_fcl && times[FCL_CA] <= 1 && std::fabs(hit.time - times[FCL_CA]) > 1e-3;
        cell.missed_by_naive += hit.found && times[FCL_NAIVE] > 1;
        result.wrong += times[KILN_OBB] != times[KILN_AABB] || !is_right(kiln.obb, way, hit);
        uint64_t bits;
        std::memcpy(&bits, &times[KILN_OBB], sizeof bits);
        *hash = (*hash ^ bits) * 0x100000001b3u; /* FNV-1a */
    }
    for (Cell &cell : result.cells) {
        for (int method = 0; method < METHODS; method++) {
            const size_t count = method == FCL_CA ? cell.fcl_ways : cell.ways;
            cell.mean[method] /= double(std::max<size_t>(count, 1));
        }
    }
    return result;
}

void report_sweeps(const Subject &subject, const Result &result, std::FILE *csv)
{
    for (int k = 0; k < WAYS; k++) {
        const Cell &cell = result.cells[k];
        if (cell.ways == 0) {
            continue;
        }
        std::printf("%-8s %7u  %-9s %4zu %4zu", subject.name.c_str(),
                    subject.geometry.triangle_count, way_names[k], cell.ways, cell.hits);
        for (int m = 0; m < METHODS; m++) {
            std::printf(" %9.1f", cell.mean[m] / 1e3);
        }
        std::printf(" %7.2f %6.0f | %zu of %zu, %zu, %zu\n",
                    cell.mean[GLOBAL] / cell.mean[KILN_OBB], double(cell.steps) / double(cell.ways),
                    cell.missed, cell.fcl_ways, cell.differ, cell.missed_by_naive);
        for (int m = 0; m < METHODS && csv != nullptr; m++) {
            std::fprintf(csv, "%s,%u,%s,%zu,%zu,%s,%.3f,%.3f,%.3f\n", subject.name.c_str(),
                         subject.geometry.triangle_count, way_names[k], cell.ways, cell.hits,
                         method_names[m], cell.mean[m] / 1e3, cell.worst[m] / 1e3,
                         cell.mean[GLOBAL] / cell.mean[m]);
        }
    }
    std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::vector<Subject> subjects = make_subjects(options);
    std::FILE *csv = open_csv(options.csv, "bench_sweep");
    const double overhead = clock_cost();
    uint64_t hash = 0xcbf29ce484222325u;
    size_t wrong = 0;
    std::vector<double> ratios[WAYS + 1];
    print_origin(stdout, "# ", "bench_sweep");
    std::printf(
        "mean us a sweep; ratio: global-ca / kiln-obb; hits that fcl-ca misses, of how many "
        "ways, and that differ by 1e-3; hits that fcl-100 misses\n");
    std::printf("mesh   triangles  way       ways hits    fcl-ca   fcl-100 global-ca  kiln-obb "
                "kiln-aabb  kiln 1 %%   ratio  steps |\n");
    if (csv != nullptr) {
        std::fprintf(csv, "mesh,triangles,way,ways,hits,method,mean_us,worst_us,times_global\n");
    }
    for (const Subject &subject : subjects) {
        const Result result = measure_sweeps(subject, options, overhead, &hash);
        report_sweeps(subject, result, csv);
        wrong += result.wrong;
        for (int k = 0; k < WAYS; k++) {
            if (result.cells[k].ways > 0) {
                ratios[k].push_back(result.cells[k].mean[GLOBAL] / result.cells[k].mean[KILN_OBB]);
                ratios[WAYS].push_back(ratios[k].back());
            }
        }
    }
    for (int k = 0; k <= WAYS; k++) {
        if (!ratios[k].empty()) {
            std::printf("%-10s geometric mean %.2f, worst %.2f\n", k < WAYS ? way_names[k] : "all",
                        geometric_mean(ratios[k]),
                        *std::min_element(ratios[k].begin(), ratios[k].end()));
        }
    }
    std::printf("answers %016llx, wrong %zu\n", (unsigned long long)hash, wrong);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return wrong != 0;
}
