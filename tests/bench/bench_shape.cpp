/* Boxes, spheres and capsules against a mesh: does one meet the surface, and which triangles does
 * it meet? Against FCL's shapes and its trees of oriented boxes in the same run.
 *
 * Shapes are a two-hundredth to a tenth of the mesh's size. Classes: free, hit              the
 * middle anywhere in the mesh's box and a tenth around it, parted by the answer graze free, graze
 * hit  the shape comes in along a random direction towards a point of the surface, the outermost
 * contact is bisected, then a fiftieth of the shape's size out and in
 *
 * A question's time is its least over the rounds, the methods alternating. FCL is given shapes that
 * are built and placed before. Its test of a triangle with a box or a capsule is an iteration that
 * ends by a tolerance (libccd); where it differs from kiln, kiln tests that triangle with the shape
 * 10^-5 larger and smaller: "near" are those where this changes the answer. "no area" are triangles
 * of three points on a line, whose plane FCL's test of a sphere needs, and which that test finds to
 * meet every sphere. */
#include "fcl_model.hpp"
#include "kiln_model.hpp"
#include "measure.hpp"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/sphere.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace
{

enum ShapeKind { AABB, OBB, SPHERE, CAPSULE, SHAPES };
const char *const shape_names[SHAPES] = {"aabb", "obb", "sphere", "capsule"};

enum Class { FREE, HIT, GRAZE_FREE, GRAZE_HIT, CLASSES };
const char *const class_names[CLASSES] = {"free", "hit", "graze free", "graze hit"};

enum Method { FCL_OBB, FCL_OBBRSS, KILN_OBB, KILN_AABB, METHODS };
const char *const method_names[METHODS] = {"fcl-obb", "fcl-obbrss", "kiln-obb", "kiln-aabb"};

struct Question {
    kiln_shape shape;
    kiln_pose pose;
    double size;
    Class kind;
    std::unique_ptr<fcl::CollisionObjectd> object;
};

void require(kiln_status status)
{
    if (status != KILN_OK) {
        std::abort();
    }
}

/* ------------------------------------------------------------------------------- questions -- */

/* About the origin, no part of it farther away than 1.8 `size`. */
kiln_shape any_shape(uint64_t *state, ShapeKind kind, double size)
{
    kiln_shape shape = {KILN_SHAPE_BOX, {0, 0, 0}, {0, 0, 0}, 0};
    if (kind == SPHERE) {
        shape.kind = KILN_SHAPE_SPHERE;
        shape.radius = size;
    } else if (kind == CAPSULE) {
        shape.kind = KILN_SHAPE_CAPSULE;
        shape.b[2] = size * random_between(state, 0.2, 1);
        shape.a[2] = -shape.b[2];
        shape.radius = size * random_between(state, 0.2, 0.8);
    } else {
        for (int k = 0; k < 3; k++) {
            shape.b[k] = size * random_between(state, 0.2, 1);
            shape.a[k] = -shape.b[k];
        }
    }
    return shape;
}

kiln_shape scaled(const kiln_shape &shape, double by)
{
    kiln_shape out = shape;
    for (int k = 0; k < 3; k++) {
        out.a[k] *= by;
        out.b[k] *= by;
    }
    out.radius *= by;
    return out;
}

bool query_any(const kiln_tree *tree, const kiln_shape &shape, const kiln_pose &pose,
               const kiln_query_options *options)
{
    kiln_triangle_hit hit;
    require(kiln_overlap_any(tree, nullptr, &shape, &pose, options, &hit));
    return hit.found;
}

std::unique_ptr<fcl::CollisionObjectd> object_of(const kiln_shape &shape, const kiln_pose &pose)
{
    std::shared_ptr<fcl::CollisionGeometryd> geometry;
    if (shape.kind == KILN_SHAPE_SPHERE) {
        geometry = std::make_shared<fcl::Sphered>(shape.radius);
    } else if (shape.kind == KILN_SHAPE_CAPSULE) {
        geometry = std::make_shared<fcl::Capsuled>(shape.radius, 2 * shape.b[2]);
    } else {
        geometry = std::make_shared<fcl::Boxd>(2 * shape.b[0], 2 * shape.b[1], 2 * shape.b[2]);
    }
    fcl::Transform3d at = fcl::Transform3d::Identity();
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            at.linear()(row, column) = pose.rotation[3 * row + column];
        }
        at.translation()[row] = pose.translation[row];
    }
    return std::make_unique<fcl::CollisionObjectd>(geometry, at);
}

Question question_of(const kiln_shape &shape, const kiln_pose &pose, double size, Class kind)
{
    return {shape, pose, size, kind, object_of(shape, pose)};
}

void add_anywhere(const Subject &subject, const kiln_tree *tree, uint64_t *state,
                  const kiln_shape &shape, kiln_pose pose, double size,
                  std::vector<Question> &questions)
{
    for (int k = 0; k < 3; k++) {
        pose.translation[k] = random_between(state, subject.lower[k] - 0.1 * subject.size,
                                             subject.upper[k] + 0.1 * subject.size);
    }
    questions.push_back(
        question_of(shape, pose, size, query_any(tree, shape, pose, nullptr) ? HIT : FREE));
}

void add_grazing(const Subject &subject, const kiln_tree *tree, uint64_t *state,
                 const kiln_shape &shape, const kiln_pose &rotated, double size,
                 std::vector<Question> &questions)
{
    const mesh &m = subject.geometry;
    const float *target = m.positions + 3 * m.indices[random_below(state, 3 * m.triangle_count)];
    const kiln_pose aimed = pose_random(state, 0);
    const auto at = [&](double distance) {
        kiln_pose pose = rotated;
        for (int k = 0; k < 3; k++) {
            pose.translation[k] = double(target[k]) + distance * aimed.rotation[3 * k];
        }
        return pose;
    };
    double outer = 2 * subject.size, inner = outer;
    while (inner > 0 && !query_any(tree, shape, at(inner), nullptr)) {
        outer = inner;
        inner = std::max(inner - size / 4, 0.0);
    }
    for (int i = 0; i < 40; i++) {
        const double middle = (outer + inner) / 2;
        (query_any(tree, shape, at(middle), nullptr) ? inner : outer) = middle;
    }
    for (const double off : {0.02, -0.02}) {
        const kiln_pose pose = at(outer + off * size);
        if (query_any(tree, shape, pose, nullptr) == (off < 0)) {
            questions.push_back(question_of(shape, pose, size, off < 0 ? GRAZE_HIT : GRAZE_FREE));
        }
    }
}

std::vector<Question> make_questions(const Subject &subject, const kiln_tree *tree, ShapeKind kind,
                                     int draws)
{
    uint64_t state = 200 + unsigned(kind);
    std::vector<Question> questions;
    for (int i = 0; i < draws; i++) {
        const double size = subject.size * std::pow(10, random_between(&state, -2.3, -1));
        const kiln_shape shape = any_shape(&state, kind, size);
        const kiln_pose rotated = kind == AABB ? kiln_pose_identity() : pose_random(&state, 0);
        add_anywhere(subject, tree, &state, shape, rotated, size, questions);
        if (i % 3 == 0) {
            add_grazing(subject, tree, &state, shape, rotated, size, questions);
        }
    }
    return questions;
}

/* --------------------------------------------------------------------------------- answers -- */

struct Differences {
    size_t only_fcl = 0, only_kiln = 0, near = 0, no_area = 0;
};

bool only_this(void *user, uint32_t triangle, uint32_t)
{
    return triangle == *static_cast<const uint32_t *>(user);
}

/* Does a hair of the shape's size change what kiln says of a triangle? */
bool is_near(const kiln_tree *tree, const Question &of, uint32_t triangle)
{
    kiln_query_options options = kiln_query_options_default();
    options.filter = only_this;
    options.filter_user = &triangle;
    return query_any(tree, scaled(of.shape, 1 + 1e-5), of.pose, &options) !=
           query_any(tree, scaled(of.shape, 1 - 1e-5), of.pose, &options);
}

bool has_no_area(const kiln_tree *tree, uint32_t triangle)
{
    float corners[3][3];
    double edge[2][3], cross[3];
    require(kiln_tree_corners(tree, triangle, corners));
    for (int k = 0; k < 3; k++) {
        edge[0][k] = double(corners[1][k]) - double(corners[0][k]);
        edge[1][k] = double(corners[2][k]) - double(corners[0][k]);
    }
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        cross[k] = edge[0][l] * edge[1][m] - edge[0][m] * edge[1][l];
    }
    return cross[0] == 0 && cross[1] == 0 && cross[2] == 0;
}

/* Those of `some` that are not among `others`, both in order. */
std::vector<uint32_t> only_of(const std::vector<uint32_t> &some,
                              const std::vector<uint32_t> &others)
{
    std::vector<uint32_t> only;
    std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                        std::back_inserter(only));
    return only;
}

void compare(const kiln_tree *tree, const Question &of, fcl::CollisionResultd &of_fcl,
             const std::vector<kiln_triangle_hit> &hits, size_t count, Differences &out)
{
    std::vector<fcl::Contactd> contacts;
    of_fcl.getContacts(contacts);
    std::vector<uint32_t> one, other;
    for (const fcl::Contactd &contact : contacts) {
        one.push_back(uint32_t(contact.b1));
    }
    for (size_t i = 0; i < count; i++) {
        other.push_back(hits[i].triangle);
    }
    std::sort(one.begin(), one.end());
    one.erase(std::unique(one.begin(), one.end()), one.end());
    std::vector<uint32_t> only = only_of(one, other);
    out.only_fcl += only.size();
    const std::vector<uint32_t> only_kiln = only_of(other, one);
    out.only_kiln += only_kiln.size();
    only.insert(only.end(), only_kiln.begin(), only_kiln.end());
    for (const uint32_t triangle : only) {
        out.near += is_near(tree, of, triangle);
        out.no_area += has_no_area(tree, triangle);
    }
}

/* ----------------------------------------------------------------------------------- times -- */

struct Result {
    size_t questions[CLASSES] = {};
    double mean[METHODS][CLASSES] = {};
    size_t triangles = 0; /* that all shapes meet, of all */
    size_t differ = 0;    /* answers of any */
    Differences pairs;
};

struct Models {
    const KilnModel kiln;
    FclModel<fcl::OBBd> obb;
    FclModel<fcl::OBBRSSd> obbrss;
    std::vector<kiln_triangle_hit> hits;

    explicit Models(const mesh &m) : kiln(m), obb(m), obbrss(m), hits(m.triangle_count)
    {
    }
};

size_t run_query(Models &models, Method method, bool all, const Question &of,
                 fcl::CollisionResultd &result)
{
    const int limit = all ? std::numeric_limits<int>::max() : 1;
    if (method == FCL_OBB) {
        return models.obb.overlap(*of.object, limit, result);
    }
    if (method == FCL_OBBRSS) {
        return models.obbrss.overlap(*of.object, limit, result);
    }
    const kiln_tree *tree = method == KILN_OBB ? models.kiln.obb : models.kiln.aabb;
    if (!all) {
        return query_any(tree, of.shape, of.pose, nullptr);
    }
    size_t count;
    require(kiln_overlap_all(tree, nullptr, &of.shape, &of.pose, nullptr, models.hits.data(),
                             models.hits.size(), &count));
    return count;
}

void measure_method(Models &models, const std::vector<Question> &questions, Method method, bool all,
                    int rounds, double overhead, Result &result)
{
    fcl::CollisionResultd found;
    std::vector<double> of_class[CLASSES], times(questions.size(), HUGE_VAL);
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < questions.size(); i++) {
            const double start = now();
            run_query(models, method, all, questions[i], found);
            times[i] = std::min(times[i], std::max(now() - start - overhead, 1.0));
        }
    }
    for (size_t i = 0; i < questions.size(); i++) {
        of_class[questions[i].kind].push_back(times[i]);
    }
    for (int c = 0; c < CLASSES; c++) {
        result.questions[c] = of_class[c].size();
        result.mean[method][c] = of_class[c].empty() ? 0 : mean_of(of_class[c]);
    }
}

Result measure(Models &models, const std::vector<Question> &questions, bool all, int rounds,
               double overhead)
{
    Result result;
    for (int m = 0; m < METHODS; m++) {
        measure_method(models, questions, Method(m), all, rounds, overhead, result);
    }
    fcl::CollisionResultd of_fcl;
    for (const Question &of : questions) {
        const size_t fcl_count = run_query(models, FCL_OBB, all, of, of_fcl);
        const size_t count = run_query(models, KILN_OBB, all, of, of_fcl);
        result.differ += (fcl_count > 0) != (count > 0);
        result.triangles += count;
        if (all) {
            compare(models.kiln.obb, of, of_fcl, models.hits, count, result.pairs);
        }
        if (run_query(models, KILN_AABB, all, of, of_fcl) != count) {
            std::puts("kinds of trees differ");
            std::exit(1);
        }
    }
    return result;
}

/* --------------------------------------------------------------------------------- telling -- */

using Ratios = std::vector<double>[SHAPES][2][METHODS];

void report(const Subject &subject, ShapeKind shape, bool all, const Result &result, std::FILE *csv,
            Ratios &ratios)
{
    std::printf("%-8s %7u  %-7s %-3s", subject.name.c_str(), subject.geometry.triangle_count,
                shape_names[shape], all ? "all" : "any");
    for (int c = 0; c < CLASSES; c++) {
        std::printf("  %8.2f %6.2f %6.2f", result.mean[FCL_OBB][c] / 1e3,
                    result.mean[FCL_OBB][c] / result.mean[KILN_OBB][c],
                    result.mean[FCL_OBB][c] / result.mean[KILN_AABB][c]);
        for (int m = 0; m < METHODS; m++) {
            const double ratio = result.mean[FCL_OBB][c] / result.mean[m][c];
            if (result.questions[c] > 0) {
                ratios[shape][all][m].push_back(ratio);
            }
            if (csv != nullptr && result.questions[c] > 0) {
                std::fprintf(csv, "%s,%u,%s,%s,%s,%zu,%s,%.3f,%.3f\n", subject.name.c_str(),
                             subject.geometry.triangle_count, shape_names[shape],
                             all ? "all" : "any", class_names[c], result.questions[c],
                             method_names[m], result.mean[m][c] / 1e3, ratio);
            }
        }
    }
    if (all) {
        std::printf("  of %zu triangles only fcl %zu, only kiln %zu, near %zu, no area %zu\n",
                    result.triangles, result.pairs.only_fcl, result.pairs.only_kiln,
                    result.pairs.near, result.pairs.no_area);
    } else {
        std::printf("  differ %zu\n", result.differ);
    }
    std::fflush(stdout);
}

void print_means(const Ratios &ratios)
{
    std::puts(
        "\ngeometric means over meshes and classes, x fcl-obb, and the worst cell of kiln-obb");
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int all = 0; all < 2; all++) {
            std::printf("%-7s %-3s", shape_names[shape], all ? "all" : "any");
            for (int m = 1; m < METHODS; m++) {
                std::printf("  %s %.2f", method_names[m], geometric_mean(ratios[shape][all][m]));
            }
            const std::vector<double> &of_obb = ratios[shape][all][KILN_OBB];
            std::printf("  worst %.2f\n", *std::min_element(of_obb.begin(), of_obb.end()));
        }
    }
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fputs("mesh,triangles,shape,query,class,questions,method,mean_us,times_fcl\n", csv);
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    const double overhead = clock_cost();
    std::puts(
        "a class (free, hit, graze free, graze hit): us of fcl-obb (mean), how many times as fast "
        "kiln-obb and kiln-aabb are");
    Ratios ratios;
    for (const Subject &subject : subjects) {
        Models models(subject.geometry);
        for (int shape = 0; shape < SHAPES; shape++) {
            const std::vector<Question> questions = make_questions(
                subject, models.kiln.obb, ShapeKind(shape), options.quick ? 60 : 300);
            for (int all = 0; all < 2; all++) {
                const Result result = measure(models, questions, all != 0, 3, overhead);
                report(subject, ShapeKind(shape), all != 0, result, csv, ratios);
            }
        }
    }
    print_means(ratios);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}
