/* How far is a shape from a mesh: spheres, capsules, boxes and convex hulls, against FCL's distance
 * of its shapes to its trees of oriented boxes with swept spheres, in the same run.
 *
 * Shapes are a fiftieth to a tenth of the mesh's size. Classes: `near`, `about` and `far` are moved
 * from a point of the surface along a random direction by up to a hundredth, up to a half and five
 * to ten sizes of the mesh; where a shape meets the mesh the question is left out of these, and is
 * one of class `meet`. A question's time is its least over the rounds, the methods alternating. FCL
 * is given shapes that are built and placed before. FCL measures a triangle by an iteration that
 * ends by a tolerance (libccd); `off` counts its distances that differ by more than 10^-4 of the
 * shape's size. Then the cost against the number of triangles of a torus, and against that of a
 * hull's vertices. */
#include "fcl_model.hpp"
#include "kiln_model.hpp"
#include "measure.hpp"

#include "../../runtime/kiln_shapes.h"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/sphere.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace
{

enum ShapeKind { SPHERE, CAPSULE, BOX, HULL, SHAPES };
const char *const shape_names[SHAPES] = {"sphere", "capsule", "box", "hull of 42"};

enum Class { NEAR, ABOUT, FAR_OFF, MEET, CLASSES };
const char *const class_names[CLASSES] = {"near", "about", "far", "meet"};

enum Method { FCL, KILN_OBB, KILN_AABB, METHODS };

struct Question {
    std::vector<double> vertices;
    kiln_convex shape;
    kiln_pose pose;
    double size;
    Class kind;
    std::shared_ptr<fcl::CollisionObjectd> object;
};

void require(kiln_status status)
{
    if (status != KILN_OK) {
        std::abort();
    }
}

/* ------------------------------------------------------------------------------- questions -- */

/* Rings of a sphere from pole to pole, 2 + rings * sides vertices, whose faces are plane. */
void add_sphere(unsigned rings, unsigned sides, double size, std::vector<double> &vertices,
                std::vector<int> &faces)
{
    const double pi = std::acos(-1.0);
    vertices = {0, 0, size};
    for (unsigned i = 1; i <= rings; i++) {
        for (unsigned j = 0; j < sides; j++) {
            const double down = pi * i / (rings + 1), around = 2 * pi * j / sides;
            vertices.push_back(size * std::sin(down) * std::cos(around));
            vertices.push_back(size * std::sin(down) * std::sin(around));
            vertices.push_back(size * std::cos(down));
        }
    }
    for (const double last : {0.0, 0.0, -size}) {
        vertices.push_back(last);
    }
    const int below = int(1 + rings * sides), n = int(sides);
    for (int j = 0; j < n; j++) {
        const int next = (j + 1) % n;
        faces.insert(faces.end(), {3, 0, 1 + j, 1 + next});
        for (int i = 0; i + 1 < int(rings); i++) {
            const int upper = 1 + i * n, lower = upper + n;
            faces.insert(faces.end(), {4, upper + j, lower + j, lower + next, upper + next});
        }
        faces.insert(faces.end(), {3, below, below - n + next, below - n + j});
    }
}

std::shared_ptr<fcl::CollisionGeometryd> make_hull(unsigned rings, unsigned sides, double size,
                                                   std::vector<double> &vertices)
{
    auto faces = std::make_shared<std::vector<int>>();
    add_sphere(rings, sides, size, vertices, *faces);
    auto points = std::make_shared<std::vector<fcl::Vector3d>>();
    for (size_t i = 0; i < vertices.size(); i += 3) {
        points->emplace_back(vertices[i], vertices[i + 1], vertices[i + 2]);
    }
    return std::make_shared<fcl::Convexd>(points, int(2 * sides + (rings - 1) * sides), faces);
}

std::shared_ptr<fcl::CollisionGeometryd> make_shape(uint64_t *state, ShapeKind kind, double size,
                                                    Question &out)
{
    if (kind == HULL) {
        auto geometry = make_hull(4, 10, size, out.vertices);
        out.shape = {nullptr, uint32_t(out.vertices.size() / 3), 0};
        return geometry;
    }
    kiln_shape shape = {KILN_SHAPE_BOX, {0, 0, 0}, {0, 0, 0}, 0};
    std::shared_ptr<fcl::CollisionGeometryd> geometry;
    if (kind == SPHERE) {
        shape.kind = KILN_SHAPE_SPHERE;
        shape.radius = size;
        geometry = std::make_shared<fcl::Sphered>(size);
    } else if (kind == CAPSULE) {
        shape.kind = KILN_SHAPE_CAPSULE;
        shape.b[2] = size * random_between(state, 0.2, 1);
        shape.a[2] = -shape.b[2];
        shape.radius = size * random_between(state, 0.2, 0.8);
        geometry = std::make_shared<fcl::Capsuled>(shape.radius, 2 * shape.b[2]);
    } else {
        for (int k = 0; k < 3; k++) {
            shape.b[k] = size * random_between(state, 0.2, 1);
            shape.a[k] = -shape.b[k];
        }
        geometry = std::make_shared<fcl::Boxd>(2 * shape.b[0], 2 * shape.b[1], 2 * shape.b[2]);
    }
    out.vertices.resize(24);
    require(kiln_convex_from(&shape, out.vertices.data(), &out.shape));
    return geometry;
}

fcl::Transform3d transform_of(const kiln_pose &pose)
{
    fcl::Transform3d at = fcl::Transform3d::Identity();
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            at.linear()(row, column) = pose.rotation[3 * row + column];
        }
        at.translation()[row] = pose.translation[row];
    }
    return at;
}

/* `far` by how many lengths it is moved off a point of the mesh, less and most. */
Question make_question(const Subject &subject, const kiln_tree *tree, uint64_t *state,
                       ShapeKind kind, Class wanted)
{
    static const double least[CLASSES] = {0, 0.01, 5, 0}, most[CLASSES] = {0.01, 0.5, 10, 0};
    const mesh &m = subject.geometry;
    for (;;) {
        Question q;
        q.size = subject.size * random_between(state, 0.02, 0.1);
        const auto geometry = make_shape(state, kind, q.size, q);
        const float *target =
            m.positions + 3 * m.indices[random_below(state, 3 * m.triangle_count)];
        double way[3];
        random_direction(state, way);
        q.pose = pose_random(state, 0);
        const double off = subject.size * random_between(state, least[wanted], most[wanted]) +
                           (wanted == MEET ? 0 : q.size);
        for (int k = 0; k < 3; k++) {
            q.pose.translation[k] = double(target[k]) + off * way[k];
        }
        q.shape.vertices = q.vertices.data();
        kiln_shape_nearest nearest;
        require(kiln_shape_distance(tree, nullptr, &q.shape, &q.pose, nullptr, &nearest));
        if ((nearest.distance == 0) == (wanted == MEET)) {
            q.kind = wanted;
            q.object = std::make_shared<fcl::CollisionObjectd>(geometry, transform_of(q.pose));
            return q;
        }
    }
}

std::vector<Question> make_questions(const Subject &subject, const kiln_tree *tree, ShapeKind kind,
                                     int count)
{
    std::vector<Question> questions;
    uint64_t state = 11;
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < CLASSES; c++) {
            questions.push_back(make_question(subject, tree, &state, kind, Class(c)));
        }
    }
    for (Question &q : questions) {
        q.shape.vertices = q.vertices.data();
    }
    return questions;
}

/* ----------------------------------------------------------------------------------- times -- */

struct Models {
    const KilnModel kiln;
    FclModel<fcl::OBBRSSd> fcl_model;

    explicit Models(const mesh &m) : kiln(m), fcl_model(m)
    {
    }
};

double run_query(Models &models, Method method, const Question &of)
{
    if (method == FCL) {
        return models.fcl_model.distance(*of.object);
    }
    kiln_shape_nearest nearest;
    require(kiln_shape_distance(method == KILN_OBB ? models.kiln.obb : models.kiln.aabb, nullptr,
                                &of.shape, &of.pose, nullptr, &nearest));
    return nearest.distance;
}

struct Result {
    double mean[METHODS][CLASSES] = {};
    size_t off = 0;
};

Result measure(Models &models, const std::vector<Question> &questions, int rounds, double overhead)
{
    Result result;
    std::vector<double> times[METHODS];
    for (std::vector<double> &of : times) {
        of.assign(questions.size(), HUGE_VAL);
    }
    for (int round = 0; round < rounds; round++) {
        for (int m = 0; m < METHODS; m++) {
            for (size_t i = 0; i < questions.size(); i++) {
                const double start = now();
                run_query(models, Method(m), questions[i]);
                times[m][i] = std::min(times[m][i], std::max(now() - start - overhead, 1.0));
            }
        }
    }
    for (int m = 0; m < METHODS; m++) {
        std::vector<double> of_class[CLASSES];
        for (size_t i = 0; i < questions.size(); i++) {
            of_class[questions[i].kind].push_back(times[m][i]);
        }
        for (int c = 0; c < CLASSES; c++) {
            result.mean[m][c] = mean_of(of_class[c]);
        }
    }
    for (const Question &of : questions) {
        const double one = run_query(models, KILN_OBB, of);
        if (one != run_query(models, KILN_AABB, of)) {
            std::puts("kinds of trees differ");
            std::exit(1);
        }
        result.off += std::fabs(std::max(run_query(models, FCL, of), 0.0) - one) > 1e-4 * of.size;
    }
    return result;
}

/* --------------------------------------------------------------------------------- telling -- */

using Ratios = std::vector<double>[SHAPES][METHODS];

void report(const Subject &subject, ShapeKind shape, const Result &result, size_t count,
            std::FILE *csv, Ratios &ratios)
{
    std::printf("%-8s %7u  %-10s", subject.name.c_str(), subject.geometry.triangle_count,
                shape_names[shape]);
    for (int c = 0; c < CLASSES; c++) {
        const double of_fcl = result.mean[FCL][c];
        std::printf("  %9.2f %6.2f %6.2f %6.1f", of_fcl / 1e3, result.mean[KILN_OBB][c] / 1e3,
                    result.mean[KILN_AABB][c] / 1e3, of_fcl / result.mean[KILN_OBB][c]);
        for (int m = 1; m < METHODS; m++) {
            ratios[shape][m].push_back(of_fcl / result.mean[m][c]);
        }
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%u,%s,%s,%.3f,%.3f,%.3f\n", subject.name.c_str(),
                         subject.geometry.triangle_count, shape_names[shape], class_names[c],
                         of_fcl / 1e3, result.mean[KILN_OBB][c] / 1e3,
                         result.mean[KILN_AABB][c] / 1e3);
        }
    }
    std::printf("  off %zu of %zu\n", result.off, count);
    std::fflush(stdout);
}

void print_means(const Ratios &ratios)
{
    std::puts(
        "\ntimes FCL, geometric means over meshes and classes: kiln-obb, kiln-aabb, the worst "
        "cell of kiln-obb");
    for (int shape = 0; shape < SHAPES; shape++) {
        const std::vector<double> &of_obb = ratios[shape][KILN_OBB];
        std::printf("%-10s %6.2f %6.2f %6.2f\n", shape_names[shape], geometric_mean(of_obb),
                    geometric_mean(ratios[shape][KILN_AABB]),
                    *std::min_element(of_obb.begin(), of_obb.end()));
    }
}

/* ---------------------------------------------------------------------------------- growth -- */

/* Cost against the triangles of a torus and the vertices of a hull a third of its size off. */
void print_growth(double overhead, bool quick)
{
    std::puts("\ntriangles of a torus, vertices of a hull near it: us of FCL and kiln-obb, ratio");
    for (const unsigned rings : {10u, 32u, 100u, 320u}) {
        if (quick && rings > 100) {
            continue;
        }
        Subject subject;
        subject.name = "torus";
        subject.geometry = mesh_torus(rings, rings, 0.05);
        subject.size = 2.8;
        Models models(subject.geometry);
        for (const unsigned sides : {3u, 8u, 20u, 40u}) {
            if (rings != 100 && sides != 8) {
                continue;
            }
            uint64_t state = 5;
            std::vector<Question> questions;
            for (int i = 0; i < 50; i++) {
                Question q;
                const auto geometry = make_hull(sides, sides, 0.1, q.vertices);
                q.shape = {nullptr, uint32_t(q.vertices.size() / 3), 0};
                q.pose = pose_random(&state, 1.5);
                q.size = 0.1;
                q.kind = ABOUT;
                q.object = std::make_shared<fcl::CollisionObjectd>(geometry, transform_of(q.pose));
                questions.push_back(std::move(q));
            }
            for (Question &q : questions) {
                q.shape.vertices = q.vertices.data();
            }
            const Result result = measure(models, questions, 3, overhead);
            std::printf("%8u %6u  %9.2f %8.2f %7.1f\n", subject.geometry.triangle_count,
                        questions[0].shape.count, result.mean[FCL][ABOUT] / 1e3,
                        result.mean[KILN_OBB][ABOUT] / 1e3,
                        result.mean[FCL][ABOUT] / result.mean[KILN_OBB][ABOUT]);
        }
        mesh_free(&subject.geometry);
    }
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fputs("mesh,triangles,shape,class,fcl_us,kiln_obb_us,kiln_aabb_us\n", csv);
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    const double overhead = clock_cost();
    std::puts("a class (near, about, far, meet): us of FCL, kiln-obb, kiln-aabb (means), FCL / "
              "kiln-obb");
    Ratios ratios;
    for (const Subject &subject : subjects) {
        Models models(subject.geometry);
        for (int shape = 0; shape < SHAPES; shape++) {
            const std::vector<Question> questions =
                make_questions(subject, models.kiln.obb, ShapeKind(shape), options.quick ? 15 : 60);
            const Result result = measure(models, questions, 3, overhead);
            report(subject, ShapeKind(shape), result, questions.size(), csv, ratios);
        }
    }
    print_means(ratios);
    if (options.meshes.empty()) {
        print_growth(overhead, options.quick);
    }
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}
