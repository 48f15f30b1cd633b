/* Inside, outside or on the surface: a point and a whole mesh to a closed mesh, against what a
 * caller would do without such a query, in the same run.
 *
 * Points, anywhere in the mesh's box. Embree (robust) counts the crossings of a ray in a fixed skew
 * direction by a filter that refuses every hit; the winding number of those decides, or their
 * parity for a mesh of which kiln says so. Brute force does the same over all triangles in doubles,
 * of the first points only. Neither recognises a point on the surface. Meshes: copies a twentieth
 * the size anywhere in the box, rotated. FCL's collision (OBB); where there is none, Embree for a
 * vertex of each shell of the copy.
 *
 * A figure is the least mean of the rounds over all questions, the methods alternating. Meshes that
 * are not closed have no inside and are left out. */
#include "fcl_model.hpp"
#include "kiln_model.hpp"
#include "measure.hpp"

#ifndef KILN_BENCH_EMBREE
int main()
{
    std::puts("skipped: bench_inside was built without Embree 3 (libembree-dev)");
    return 0;
}
#else

#include "embree_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace
{

const float skew[3] = {0.5193f, 0.3637f, 0.7733f};

enum { BRUTE_POINTS = 100 };

void require(kiln_status status)
{
    if (status != KILN_OK) {
        std::abort();
    }
}

struct Point {
    float at[3];
};

/* ---------------------------------------------------------------------------------- points -- */

double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* 1 or -1 where the ray from `from` along `skew` crosses the triangle, by the way it does; else
 * 0. */
int crossing(const mesh &m, uint32_t triangle, const float from[3])
{
    double corner[3][3], way[3];
    for (int k = 0; k < 3; k++) {
        way[k] = double(skew[k]);
        for (int c = 0; c < 3; c++) {
            corner[c][k] =
                double(m.positions[3 * m.indices[3 * triangle + uint32_t(c)] + uint32_t(k)]) -
                double(from[k]);
        }
    }
    const double u = determinant(way, corner[1], corner[2]),
                 v = determinant(way, corner[2], corner[0]),
                 w = determinant(way, corner[0], corner[1]);
    const bool front = u > 0 && v > 0 && w > 0, back = u < 0 && v < 0 && w < 0;
    if (!front && !back) {
        return 0;
    }
    const double volume = determinant(corner[0], corner[1], corner[2]);
    return front ? (volume > 0 ? 1 : 0) : (volume < 0 ? -1 : 0);
}

bool brute_inside(const mesh &m, bool parity, const float from[3])
{
    int count = 0, winding = 0;
    for (uint32_t i = 0; i < m.triangle_count; i++) {
        const int step = crossing(m, i, from);
        count += step != 0;
        winding += step;
    }
    return parity ? count % 2 != 0 : winding != 0;
}

bool embree_inside(const EmbreeModel &model, bool parity, const float from[3])
{
    const EmbreeModel::Crossings all = model.crossings(from, skew);
    return parity ? all.count % 2 != 0 : all.winding != 0;
}

kiln_place kiln_where(const kiln_tree *tree, const float from[3])
{
    const double point[3] = {double(from[0]), double(from[1]), double(from[2])};
    kiln_place place;
    require(kiln_locate_point(tree, nullptr, point, &place));
    return place;
}

/* ---------------------------------------------------------------------------------- meshes -- */

/* A vertex of each part of a mesh that hangs together by vertices. */
std::vector<uint32_t> shells_of(const mesh &m)
{
    std::vector<uint32_t> root(m.vertex_count), shells;
    std::iota(root.begin(), root.end(), 0u);
    const auto find = [&](uint32_t i) {
        while (root[i] != i) {
            i = root[i] = root[root[i]];
        }
        return i;
    };
    for (uint32_t i = 0; i < m.triangle_count; i++) {
        const uint32_t *corner = m.indices + 3 * i;
        root[find(corner[1])] = find(corner[0]);
        root[find(corner[2])] = find(corner[0]);
    }
    for (uint32_t i = 0; i < 3 * m.triangle_count; i++) {
        shells.push_back(find(m.indices[i]));
    }
    std::sort(shells.begin(), shells.end());
    shells.erase(std::unique(shells.begin(), shells.end()), shells.end());
    return shells;
}

mesh copy_scaled(const Subject &subject, double by)
{
    const mesh &m = subject.geometry;
    mesh out = m;
    out.positions = static_cast<float *>(std::malloc(sizeof(float) * 3 * m.vertex_count));
    out.indices = static_cast<uint32_t *>(std::malloc(sizeof(uint32_t) * 3 * m.triangle_count));
    if (out.positions == nullptr || out.indices == nullptr) {
        std::abort();
    }
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        const double middle = (subject.lower[i % 3] + subject.upper[i % 3]) / 2;
        out.positions[i] = float(by * (double(m.positions[i]) - middle));
    }
    std::copy(m.indices, m.indices + 3 * m.triangle_count, out.indices);
    return out;
}

struct Placer {
    FclModel<fcl::OBBd> &fixed, &small;
    const EmbreeModel &embree;
    const mesh &copy;
    const std::vector<uint32_t> &shells;
    bool parity;

    kiln_place where(const kiln_pose &pose) const
    {
        if (fixed.collide(small, pose)) {
            return KILN_PLACE_SURFACE;
        }
        size_t within = 0;
        for (const uint32_t vertex : shells) {
            const float *p = copy.positions + 3 * vertex;
            float at[3];
            for (int k = 0; k < 3; k++) {
                const double *row = pose.rotation + 3 * k;
                at[k] = float(row[0] * double(p[0]) + row[1] * double(p[1]) +
                              row[2] * double(p[2]) + pose.translation[k]);
            }
            within += embree_inside(embree, parity, at);
        }
        return within == 0               ? KILN_PLACE_OUTSIDE
               : within == shells.size() ? KILN_PLACE_INSIDE
                                         : KILN_PLACE_PARTED;
    }
};

/* ----------------------------------------------------------------------------------- times -- */

using Method = std::function<int(size_t)>;

/* Least mean ns of a question; the answers into `out`. */
std::vector<double> measure(const std::vector<Method> &methods, const std::vector<size_t> &counts,
                            int rounds, std::vector<std::vector<int>> &out)
{
    std::vector<double> least(methods.size(), HUGE_VAL);
    out.assign(methods.size(), {});
    for (int round = 0; round < rounds; round++) {
        for (size_t m = 0; m < methods.size(); m++) {
            out[m].resize(counts[m]);
            const double start = now();
            for (size_t i = 0; i < counts[m]; i++) {
                out[m][i] = methods[m](i);
            }
            least[m] = std::min(least[m], (now() - start) / double(counts[m]));
        }
    }
    return least;
}

size_t differences(const std::vector<int> &of, const std::vector<int> &truth)
{
    size_t count = 0;
    for (size_t i = 0; i < of.size(); i++) {
        count += of[i] != truth[i];
    }
    return count;
}

size_t count_of(const std::vector<int> &answers, kiln_place place)
{
    return size_t(std::count(answers.begin(), answers.end(), int(place)));
}

struct Means {
    std::vector<double> embree[2], brute[2], meshes[2]; /* of the trees obb, aabb */
};

void report(std::FILE *csv, const Subject &subject, const char *query, size_t count,
            const char *const *names, const std::vector<double> &times,
            const std::vector<std::vector<int>> &answers)
{
    const std::vector<int> &truth = answers[0];
    std::printf("%-8s %7u  %-6s inside %5.1f%% surface %5.1f%%", subject.name.c_str(),
                subject.geometry.triangle_count, query,
                100 * double(count_of(truth, KILN_PLACE_INSIDE)) / double(count),
                100 * double(count_of(truth, KILN_PLACE_SURFACE)) / double(count));
    for (size_t m = 0; m < times.size(); m++) {
        const size_t differ = differences(answers[m], truth);
        std::printf("  %s %.3f us", names[m], times[m] / 1e3);
        if (m > 1) {
            std::printf(" (%.2f x; differ %zu of %zu)", times[m] / times[0], differ,
                        answers[m].size());
        }
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%u,%s,%s,%zu,%.4f,%.3f,%zu\n", subject.name.c_str(),
                         subject.geometry.triangle_count, query, names[m], answers[m].size(),
                         times[m] / 1e3, times[m] / times[0], differ);
        }
    }
    std::printf("\n");
    std::fflush(stdout);
}

void measure_points(const Subject &subject, const KilnModel &kiln, const EmbreeModel &embree,
                    bool parity, bool quick, std::FILE *csv, Means &means)
{
    uint64_t state = 300;
    std::vector<Point> points(quick ? 2000 : 10000);
    for (Point &point : points) {
        for (int k = 0; k < 3; k++) {
            point.at[k] = float(random_between(&state, subject.lower[k], subject.upper[k]));
        }
    }
    std::vector<std::vector<int>> answers;
    const std::vector<double> times = measure(
        {[&](size_t i) { return int(kiln_where(kiln.obb, points[i].at)); },
         [&](size_t i) { return int(kiln_where(kiln.aabb, points[i].at)); },
         [&](size_t i) { return int(embree_inside(embree, parity, points[i].at)); },
         [&](size_t i) { return int(brute_inside(subject.geometry, parity, points[i].at)); }},
        {points.size(), points.size(), points.size(), BRUTE_POINTS}, 3, answers);
    const char *const names[] = {"kiln-obb", "kiln-aabb", "embree", "brute"};
    report(csv, subject, "point", points.size(), names, times, answers);
    for (int tree = 0; tree < 2; tree++) {
        means.embree[tree].push_back(times[2] / times[size_t(tree)]);
        means.brute[tree].push_back(times[3] / times[size_t(tree)]);
    }
}

void measure_meshes(const Subject &subject, const KilnModel &kiln, const EmbreeModel &embree,
                    bool parity, bool quick, std::FILE *csv, Means &means)
{
    mesh copy = copy_scaled(subject, 0.05);
    const KilnModel kiln_small(copy);
    FclModel<fcl::OBBd> fixed(subject.geometry), small(copy);
    const std::vector<uint32_t> shells = shells_of(copy);
    const Placer placer = {fixed, small, embree, copy, shells, parity};
    uint64_t state = 301;
    std::vector<kiln_pose> poses(quick ? 200 : 600);
    for (kiln_pose &pose : poses) {
        pose = pose_random(&state, 0);
        for (int k = 0; k < 3; k++) {
            pose.translation[k] = random_between(&state, subject.lower[k], subject.upper[k]);
        }
    }
    const auto of_kiln = [&](const kiln_tree *a, const kiln_tree *b, size_t i) {
        kiln_place place;
        require(kiln_locate_mesh(a, nullptr, b, &poses[i], &place));
        return int(place);
    };
    std::vector<std::vector<int>> answers;
    const std::vector<double> times =
        measure({[&](size_t i) { return of_kiln(kiln.obb, kiln_small.obb, i); },
                 [&](size_t i) { return of_kiln(kiln.aabb, kiln_small.aabb, i); },
                 [&](size_t i) { return int(placer.where(poses[i])); }},
                std::vector<size_t>(3, poses.size()), 3, answers);
    const char *const names[] = {"kiln-obb", "kiln-aabb", "fcl+embree"};
    report(csv, subject, "mesh", poses.size(), names, times, answers);
    for (int tree = 0; tree < 2; tree++) {
        means.meshes[tree].push_back(times[2] / times[size_t(tree)]);
    }
    mesh_free(&copy);
}

void print_means(const Means &means)
{
    if (means.meshes[0].empty()) {
        return;
    }
    const char *const names[] = {"kiln-obb", "kiln-aabb"};
    for (int tree = 0; tree < 2; tree++) {
        std::printf(
            "%s, geometric mean, times as fast: points than embree %.2f, than brute force %.0f; "
            "meshes than fcl+embree %.2f\n",
            names[tree], geometric_mean(means.embree[tree]), geometric_mean(means.brute[tree]),
            geometric_mean(means.meshes[tree]));
    }
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fputs("mesh,triangles,query,method,questions,us,of_kiln_obb,differ\n", csv);
    }
    RTCDevice device = rtcNewDevice("threads=1");
    if (device == nullptr) {
        std::fputs("Embree failed\n", stderr);
        return 2;
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    Means means;
    for (const Subject &subject : subjects) {
        const KilnModel kiln(subject.geometry);
        const kiln_mesh_closed closed = kiln_tree_get_info(kiln.obb).closed;
        if (closed == KILN_MESH_OPEN) {
            std::printf("%-8s %7u  not closed\n", subject.name.c_str(),
                        subject.geometry.triangle_count);
            continue;
        }
        const EmbreeModel embree(device, subject.geometry,
                                 RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
        const bool parity = closed == KILN_MESH_EVEN;
        measure_points(subject, kiln, embree, parity, options.quick, csv, means);
        measure_meshes(subject, kiln, embree, parity, options.quick, csv, means);
    }
    print_means(means);
    rtcReleaseDevice(device);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}

#endif
