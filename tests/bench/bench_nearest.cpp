/* The nearest triangle of a point, and signed distances, in kiln's 8-wide trees, against Embree's
 * point query and CGAL's AABB tree on the same triangles and points in the same run.
 *
 * Classes of points: surface  a hundredth of the size, at most, from a point of a triangle
 *                    within   anywhere in the mesh's box
 *                    far      five sizes from its middle
 *                    grid     the points of a grid over the box, row by row, in one call
 *
 * Embree gets a callback that measures triangles in floats, by which it is used; CGAL doubles
 * without exact predicates (Simple_cartesian), with its tree of hints. Neither says which of
 * equally near triangles it finds. Without normals; `normals` is kiln with pseudonormals. Signed:
 * kiln's beside Embree's point query and the crossings of a ray.
 *
 * A figure is the mean over all points of a class, of which each chunk of 250 is asked about seven
 * times, warm, the methods alternating, and the least time counts.
 * Where Embree's distance differs from kiln's by a thousandth of the size it is counted. */
#include "kiln_model.hpp"
#include "measure.hpp"

#include "../../runtime/kiln_nearest.h"

#ifndef KILN_BENCH_EMBREE
int main()
{
    std::puts("skipped: bench_nearest was built without Embree 3 (libembree-dev)");
    return 0;
}
#else

#include "embree_model.hpp"

#if __has_include(<CGAL/AABB_tree.h>)
#define KILN_BENCH_CGAL
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Simple_cartesian.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>

namespace
{

void check(bool good, const char *what)
{
    if (!good) {
        std::fprintf(stderr, "%s failed\n", what);
        std::exit(2);
    }
}

/* ------------------------------------------------------------------------------------- CGAL -- */

#ifdef KILN_BENCH_CGAL
class CgalModel
{
    typedef CGAL::Simple_cartesian<double> Kernel;
    typedef std::vector<Kernel::Triangle_3> Triangles;
    typedef CGAL::AABB_triangle_primitive<Kernel, Triangles::const_iterator> Primitive;
    typedef CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>> Tree;

  public:
    explicit CgalModel(const mesh &m)
    {
        for (uint32_t i = 0; i < m.triangle_count; i++) {
            Kernel::Point_3 corner[3];
            for (int c = 0; c < 3; c++) {
                const float *v = m.positions + 3 * size_t(m.indices[3 * size_t(i) + size_t(c)]);
                corner[c] = Kernel::Point_3(double(v[0]), double(v[1]), double(v[2]));
            }
            const Kernel::Triangle_3 triangle(corner[0], corner[1], corner[2]);
            if (!triangle.is_degenerate()) {
                triangles.push_back(triangle);
            }
        }
        tree.insert(triangles.begin(), triangles.end());
        tree.build();
        tree.accelerate_distance_queries();
    }

    double nearest(const float from[3]) const
    {
        const Kernel::Point_3 point{double(from[0]), double(from[1]), double(from[2])};
        const auto found = tree.closest_point_and_primitive(point);
        return std::sqrt(CGAL::to_double(CGAL::squared_distance(point, found.first)));
    }

  private:
    Triangles triangles;
    Tree tree;
};
#endif

/* ----------------------------------------------------------------------------------- points -- */

struct Point {
    float at[3];
};

enum Class { SURFACE, WITHIN, FAR, GRID, CLASSES };
const char *const class_names[CLASSES] = {"surface", "within", "far", "grid"};

Point any_point(uint64_t *state, const Subject &subject, Class kind)
{
    Point point;
    double way[3];
    const mesh &m = subject.geometry;
    random_direction(state, way);
    const uint32_t *corner = m.indices + 3 * size_t(random_below(state, m.triangle_count));
    double u = random_between(state, 0, 1), v = random_between(state, 0, 1);
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    const double off = random_between(state, 0, 0.01) * subject.size;
    for (unsigned k = 0; k < 3; k++) {
        const double middle = (subject.lower[k] + subject.upper[k]) / 2;
        const double a = double(m.positions[3 * size_t(corner[0]) + k]);
        const double b = double(m.positions[3 * size_t(corner[1]) + k]);
        const double c = double(m.positions[3 * size_t(corner[2]) + k]);
        point.at[k] =
            float(kind == SURFACE  ? a + u * (b - a) + v * (c - a) + off * way[k]
                  : kind == WITHIN ? random_between(state, subject.lower[k], subject.upper[k])
                                   : middle + 5 * subject.size * way[k]);
    }
    return point;
}

std::vector<Point> points_of(const Subject &subject, Class kind, size_t count)
{
    std::vector<Point> points(count);
    uint64_t state = 200 + unsigned(kind);
    const unsigned side = unsigned(std::cbrt(double(count)));
    if (kind == GRID) {
        points.resize(size_t(side) * side * side);
    }
    for (size_t i = 0; i < points.size(); i++) {
        if (kind == GRID) {
            const size_t cell[3] = {i % side, i / side % side, i / side / side};
            for (unsigned k = 0; k < 3; k++) {
                points[i].at[k] = float(subject.lower[k] + (subject.upper[k] - subject.lower[k]) *
                                                               (double(cell[k]) + 0.5) / side);
            }
        } else {
            points[i] = any_point(&state, subject, kind);
        }
    }
    return points;
}

/* ------------------------------------------------------------------------------------- kiln -- */

/* What is asked, from one point up to another. */
struct Span {
    size_t from, to;
};

/* In one call where the points are a grid, else one by one. */
void ask_kiln(const kiln_tree *tree, bool grid, bool normals, Span span,
              const std::vector<double> &wide, std::vector<kiln_surface_point> &room,
              std::vector<double> &out)
{
    kiln_point_options options = kiln_point_options_default();
    options.no_normal = !normals;
    if (grid) {
        check(kiln_nearest_points(tree, nullptr, wide.data() + 3 * span.from, span.to - span.from,
                                  &options, room.data() + span.from) == KILN_OK,
              "points");
    }
    for (size_t i = span.from; i < span.to; i++) {
        if (!grid) {
            check(kiln_nearest_point(tree, nullptr, wide.data() + 3 * i, &options, &room[i]) ==
                      KILN_OK,
                  "a point");
        }
        out[i] = room[i].distance;
    }
}

enum Method {
    EMBREE,
    CGAL_TREE,
    KILN_AABB,
    KILN_OBB,
    KILN_NORMALS,
    EMBREE_SIGNED,
    KILN_SIGNED,
    METHODS
};
const char *const method_names[METHODS] = {
    "embree", "cgal", "kiln aabb", "kiln obb", "kiln normals", "embree signed", "kiln signed"};
const float skew[3] = {0.5193f, 0.3637f, 0.7733f};

struct Ratios {
    std::vector<double> of[METHODS], cgal;
};

struct Subjects {
    const Subject &subject;
    const KilnModel &kiln;
    const EmbreeModel &embree;
    const std::function<double(const float *)> &cgal;
    kiln_mesh_closed closed;
};

void ask(const Subjects &in, Method m, bool grid, Span span, const std::vector<Point> &points,
         const std::vector<double> &wide, std::vector<kiln_surface_point> &room,
         std::vector<double> &out)
{
    if (m == KILN_SIGNED) {
        check(kiln_signed_distances(in.kiln.aabb, nullptr, wide.data() + 3 * span.from,
                                    span.to - span.from, nullptr,
                                    out.data() + span.from) == KILN_OK,
              "signed distances");
    } else if (m == KILN_AABB || m == KILN_OBB || m == KILN_NORMALS) {
        ask_kiln(m == KILN_OBB ? in.kiln.obb : in.kiln.aabb, grid, m == KILN_NORMALS, span, wide,
                 room, out);
    }
    for (size_t i = span.from; i < span.to; i++) {
        const float *at = points[i].at;
        if (m == CGAL_TREE) {
            out[i] = in.cgal(at);
        } else if (m == EMBREE || m == EMBREE_SIGNED) {
            out[i] = std::sqrt(double(in.embree.nearest(at, in.subject.geometry).square));
        }
        if (m == EMBREE_SIGNED) {
            const EmbreeModel::Crossings all = in.embree.crossings(at, skew);
            const bool inside =
                in.closed == KILN_MESH_EVEN ? (all.count & 1) != 0 : all.winding != 0;
            out[i] = inside ? -out[i] : out[i];
        }
    }
}

void measure_class(const Subject &subject, Class kind, size_t count, const KilnModel &kiln,
                   const EmbreeModel &embree, const std::function<double(const float *)> &cgal,
                   std::FILE *csv, Ratios &ratios)
{
    enum { CHUNK = 250, ROUNDS = 7 };
    const std::vector<Point> points = points_of(subject, kind, count);
    const Subjects in = {subject, kiln, embree, cgal, kiln_tree_get_info(kiln.aabb).closed};
    std::vector<double> wide, answers[METHODS];
    std::vector<kiln_surface_point> room(points.size());
    for (const Point &point : points) {
        for (float x : point.at) {
            wide.push_back(double(x));
        }
    }
    double least[METHODS];
    bool asked[METHODS];
    for (int m = 0; m < METHODS; m++) {
        answers[m].resize(points.size());
        asked[m] = (m < EMBREE_SIGNED || in.closed != KILN_MESH_OPEN) && (m != CGAL_TREE || cgal);
        least[m] = asked[m] ? 0 : HUGE_VAL;
    }
    for (size_t from = 0; from < points.size(); from += CHUNK) {
        const Span span = {from, std::min(points.size(), from + CHUNK)};
        double times[METHODS];
        std::fill(times, times + METHODS, HUGE_VAL);
        for (int round = 0; round < ROUNDS; round++) {
            for (int m = 0; m < METHODS; m++) {
                if (asked[m]) {
                    /* once before, unmeasured: caches are full of what the last method used */
                    ask(in, Method(m), kind == GRID, span, points, wide, room, answers[m]);
                    const double start = now();
                    ask(in, Method(m), kind == GRID, span, points, wide, room, answers[m]);
                    times[m] = std::fmin(times[m], now() - start);
                }
            }
        }
        for (int m = 0; m < METHODS; m++) {
            least[m] += asked[m] ? times[m] / double(points.size()) : 0;
        }
    }
    check(answers[KILN_AABB] == answers[KILN_OBB], "comparing kinds of trees");
    size_t off = 0;
    for (size_t i = 0; i < points.size(); i++) {
        off += std::fabs(answers[EMBREE][i] - answers[KILN_AABB][i]) > 1e-3 * subject.size;
        off +=
            std::fabs(answers[CGAL_TREE][i] - answers[KILN_AABB][i]) > 1e-3 * subject.size && cgal;
    }
    std::printf("%-8s %7u  %-8s", subject.name.c_str(), subject.geometry.triangle_count,
                class_names[kind]);
    for (int m = 0; m < METHODS; m++) {
        std::printf(std::isinf(least[m]) ? "       -" : "  %6.0f", least[m]);
        if (!std::isinf(least[m])) {
            ratios.of[m].push_back(least[m >= EMBREE_SIGNED ? EMBREE_SIGNED : EMBREE] / least[m]);
        }
        if (csv != nullptr && !std::isinf(least[m])) {
            std::fprintf(csv, "%s,%u,%s,%s,%.1f,%.4f\n", subject.name.c_str(),
                         subject.geometry.triangle_count, class_names[kind], method_names[m],
                         least[m], least[EMBREE] / least[m]);
        }
    }
    if (cgal) {
        ratios.cgal.push_back(least[CGAL_TREE] / least[KILN_AABB]);
    }
    std::printf("   %5.2f %5.2f   %zu\n", least[EMBREE] / least[KILN_AABB],
                cgal ? least[CGAL_TREE] / least[KILN_AABB] : 0.0, off);
    std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::vector<Subject> subjects = make_subjects(options);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fputs("mesh,triangles,class,method,ns,times_embree\n", csv);
    }
    RTCDevice device = rtcNewDevice("threads=1");
    check(device != nullptr, "Embree");
    print_origin(stdout, "", arguments[0]);
    std::puts("ns a point: embree, cgal, kiln aabb, obb, aabb with normals; signed: embree, kiln; "
              "kiln aabb as many times as fast as embree, as cgal; answers that differ");
#ifndef KILN_BENCH_CGAL
    std::puts("without CGAL (libcgal-dev)");
#endif
    Ratios ratios[CLASSES + 1];
    for (const Subject &subject : subjects) {
        const EmbreeModel embree(device, subject.geometry,
                                 RTCSceneFlags(RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION));
        const KilnModel kiln(subject.geometry);
        std::function<double(const float *)> cgal;
#ifdef KILN_BENCH_CGAL
        const std::unique_ptr<CgalModel> model(new CgalModel(subject.geometry));
        cgal = [&model](const float *at) { return model->nearest(at); };
#endif
        for (int kind = 0; kind < CLASSES; kind++) {
            measure_class(subject, Class(kind), options.quick ? 3000 : 20000, kiln, embree, cgal,
                          csv, ratios[kind]);
        }
    }
    for (int kind = 0; kind < CLASSES; kind++) {
        const Ratios &of = ratios[kind];
        std::printf("%s, geometric mean, times as fast: aabb than embree %.2f", class_names[kind],
                    geometric_mean(of.of[KILN_AABB]));
        std::printf(", obb %.2f", geometric_mean(of.of[KILN_OBB]));
        if (!of.cgal.empty()) {
            std::printf(", aabb than cgal %.2f", geometric_mean(of.cgal));
        }
        if (!of.of[KILN_SIGNED].empty()) {
            std::printf("; signed than embree %.2f", geometric_mean(of.of[KILN_SIGNED]));
        }
        std::puts("");
    }
    rtcReleaseDevice(device);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}

#endif
