/* Rays: the closest hit, any, and whether there is one, in kiln's 8-wide trees, each in a file of
 * its own, as they are baked and with faster rays in memory (kiln_rays.h, "fast"), against
 * Embree's single-ray calls on the same triangles and the same rays in the same run.
 *
 * Classes of rays: camera, from a sphere two sizes around the mesh to points of its box; within,
 * from points of the box in any direction; corners, from that sphere to vertices of the mesh, where
 * answers of floats are luck.
 *
 * Rays are asked in batches of 200, the methods in turn, each once without being timed and then
 * once timed; a figure is the mean over batches of the least of their rounds. Embree traces in
 * floats with its default quality, with and without its robust flag; rays are of floats, so that
 * both get the same ones. Where the two disagree about a hit, or on t by a thousandth, it is
 * counted. */
#include "measure.hpp"

#ifndef KILN_BENCH_EMBREE
int main()
{
    std::puts("skipped: bench_ray was built without Embree 3 (libembree-dev)");
    return 0;
}
#else

#include "embree_model.hpp"

extern "C" {
#include "../../runtime/kiln_rays.h"
#include "../support/quick_bake.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace
{

struct Ray {
    float origin[3], direction[3];
};

struct Answers {
    std::vector<float> t; /* infinity: no hit */
};

enum Class { CAMERA, WITHIN, CORNERS, CLASSES };
const char *const class_names[CLASSES] = {"camera", "within", "corners"};

enum Query { CLOSEST, ANY, MEETS, QUERIES };
const char *const query_names[QUERIES] = {"closest", "any", "meets"};

enum Method { EMBREE, ROBUST, KILN_AABB, KILN_OBB, FAST_AABB, FAST_OBB, METHODS };
const char *const method_names[METHODS] = {"embree",   "embree robust", "kiln aabb",
                                           "kiln obb", "fast aabb",     "fast obb"};

enum { BATCH = 200 };

void check(bool good, const char *what)
{
    if (!good) {
        std::fprintf(stderr, "%s failed\n", what);
        std::exit(2);
    }
}

void any_point(uint64_t *state, const Subject &subject, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = random_between(state, subject.lower[k], subject.upper[k]);
    }
}

Ray any_ray(uint64_t *state, const Subject &subject, Class kind)
{
    Ray ray;
    double from[3], to[3], way[3];
    random_direction(state, way);
    if (kind == WITHIN) {
        any_point(state, subject, from);
        for (int k = 0; k < 3; k++) {
            to[k] = from[k] + way[k];
        }
    } else {
        const mesh &m = subject.geometry;
        any_point(state, subject, to);
        const uint32_t vertex = random_below(state, m.vertex_count);
        for (int k = 0; k < 3; k++) {
            from[k] = (subject.lower[k] + subject.upper[k]) / 2 + 2 * subject.size * way[k];
            to[k] = kind == CORNERS ? double(m.positions[3 * vertex + uint32_t(k)]) : to[k];
        }
    }
    double length = 0;
    for (int k = 0; k < 3; k++) {
        way[k] = to[k] - from[k];
        length += way[k] * way[k];
    }
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = float(from[k]);
        ray.direction[k] = float(way[k] / std::sqrt(length));
    }
    return ray;
}

float trace(const EmbreeModel &model, const Ray &ray, Query what)
{
    return what != CLOSEST ? (model.occluded(ray.origin, ray.direction) ? 0.0f : INFINITY)
                           : model.closest(ray.origin, ray.direction);
}

float trace(const kiln_tree *tree, const Ray &ray, Query what)
{
    kiln_ray query;
    kiln_ray_hit hit;
    for (int k = 0; k < 3; k++) {
        query.origin[k] = double(ray.origin[k]);
        query.direction[k] = double(ray.direction[k]);
    }
    query.t_min = 0;
    query.t_max = HUGE_VAL;
    const kiln_status status =
        what == MEETS ? kiln_ray_meets(tree, nullptr, &query, nullptr, &hit.found)
        : what == ANY ? kiln_ray_any(tree, nullptr, &query, nullptr, &hit)
                      : kiln_ray_closest(tree, nullptr, &query, nullptr, &hit);
    check(status == KILN_OK, "a ray");
    return !hit.found ? INFINITY : what != CLOSEST ? 0.0f : float(hit.t);
}

struct Subjects {
    const EmbreeModel *fast, *robust;
    const kiln_tree *tree[METHODS]; /* kiln's */
};

/* Mean ns of rays first .. first + BATCH - 1; the answers into `out`. */
double round_of(const Subjects &in, Method method, const std::vector<Ray> &rays, size_t first,
                Query what, std::vector<float> &out)
{
    const double start = now();
    for (size_t i = first; i < first + BATCH; i++) {
        switch (method) {
        case EMBREE:
            out[i] = trace(*in.fast, rays[i], what);
            break;
        case ROBUST:
            out[i] = trace(*in.robust, rays[i], what);
            break;
        default:
            out[i] = trace(in.tree[method], rays[i], what);
            break;
        }
    }
    return (now() - start) / BATCH;
}

size_t disagreements(const std::vector<float> &a, const std::vector<float> &b)
{
    size_t count = 0;
    for (size_t i = 0; i < a.size(); i++) {
        const bool same = std::isinf(a[i]) || std::isinf(b[i])
                              ? std::isinf(a[i]) == std::isinf(b[i])
                              : std::fabs(a[i] - b[i]) <= 1e-3f * b[i];
        count += !same;
    }
    return count;
}

struct Ratios {
    std::vector<double> of[METHODS]; /* over Embree's robust */
};

void measure_class(const Subjects &in, const Subject &subject, Class kind, Query what, size_t count,
                   int rounds, std::FILE *csv, Ratios &ratios)
{
    uint64_t state = 100 + unsigned(kind);
    std::vector<Ray> rays(count);
    for (Ray &ray : rays) {
        ray = any_ray(&state, subject, kind);
    }
    double mean[METHODS] = {};
    std::vector<float> answers[METHODS];
    for (int m = 0; m < METHODS; m++) {
        answers[m].resize(count);
    }
    for (size_t first = 0; first < count; first += BATCH) {
        double least[METHODS];
        std::fill(least, least + METHODS, HUGE_VAL);
        for (int round = 0; round < rounds; round++) {
            for (int m = 0; m < METHODS; m++) {
                round_of(in, Method(m), rays, first, what, answers[m]);
                least[m] =
                    std::fmin(least[m], round_of(in, Method(m), rays, first, what, answers[m]));
            }
        }
        for (int m = 0; m < METHODS; m++) {
            mean[m] += least[m] * BATCH / double(count);
        }
    }
    size_t hits = 0;
    for (float t : answers[KILN_AABB]) {
        hits += !std::isinf(t);
    }
    for (int m = KILN_AABB + 1; m < METHODS; m++) {
        check(answers[KILN_AABB] == answers[m], "comparing kinds of trees");
    }
    const size_t off = disagreements(answers[EMBREE], answers[KILN_AABB]);
    const size_t off_robust = disagreements(answers[ROBUST], answers[KILN_AABB]);
    std::printf("%-8s %7u  %-8s %-8s %5.1f%%", subject.name.c_str(),
                subject.geometry.triangle_count, class_names[kind], query_names[what],
                100 * double(hits) / double(count));
    for (int m = 0; m < METHODS; m++) {
        std::printf("  %7.1f", mean[m]);
        ratios.of[m].push_back(mean[m] / mean[ROBUST]);
    }
    std::printf("  ");
    for (int m = KILN_AABB; m < METHODS; m++) {
        std::printf("  %5.2f", mean[m] / mean[ROBUST]);
    }
    std::printf("   %zu %zu\n", off, off_robust);
    std::fflush(stdout);
    for (int m = 0; m < METHODS && csv != nullptr; m++) {
        std::fprintf(csv, "%s,%u,%s,%s,%s,%.2f,%.4f,%.4f\n", subject.name.c_str(),
                     subject.geometry.triangle_count, class_names[kind], query_names[what],
                     method_names[m], mean[m], mean[m] / mean[ROBUST],
                     double(hits) / double(count));
    }
}

/* A tree alone in its file, whose slots are then in the order of what is stored, and with faster
 * rays. */
struct Alone {
    Alone(const Subject &subject, const char *name, kiln_bv bv)
        : file(quick_open(&subject.geometry, name, 4, KILN_LAYOUT_RAW, &bytes)),
          tree(kiln_file_find(file, nullptr, bv))
    {
        check(tree != nullptr, name);
        const size_t size = kiln_ray_accel_size(tree);
        memory = std::malloc(size);
        double least = HUGE_VAL;
        for (int round = 0; round < 5; round++) {
            const double start = now();
            check(kiln_ray_accel_place(memory, size, tree, &accel) == KILN_OK, "faster rays");
            least = std::fmin(least, now() - start);
        }
        std::printf("%-8s %7u  %s in memory: %.1f bytes and %.0f ns a triangle\n",
                    subject.name.c_str(), subject.geometry.triangle_count, name,
                    double(size) / subject.geometry.triangle_count,
                    least / subject.geometry.triangle_count);
    }
    ~Alone()
    {
        std::free(memory);
        kiln_close(file);
        std::free(bytes);
    }
    Alone(const Alone &) = delete;
    Alone &operator=(const Alone &) = delete;
    void *bytes, *memory;
    kiln_file *file;
    const kiln_tree *tree;
    kiln_ray_accel *accel;
};

void measure_subject(RTCDevice device, const Subject &subject, size_t count, int rounds,
                     std::FILE *csv, Ratios ratios[QUERIES])
{
    const EmbreeModel fast(device, subject.geometry, RTC_SCENE_FLAG_NONE),
        robust(device, subject.geometry, RTC_SCENE_FLAG_ROBUST);
    const Alone aabb(subject, "aabb", KILN_BV_AABB), obb(subject, "obb", KILN_BV_OBB);
    Subjects in = {&fast, &robust, {}};
    in.tree[KILN_AABB] = aabb.tree;
    in.tree[KILN_OBB] = obb.tree;
    in.tree[FAST_AABB] = kiln_ray_accel_tree(aabb.accel);
    in.tree[FAST_OBB] = kiln_ray_accel_tree(obb.accel);
    for (int kind = 0; kind < CLASSES; kind++) {
        for (int what = 0; what < QUERIES; what++) {
            measure_class(in, subject, Class(kind), Query(what), count, rounds, csv, ratios[what]);
        }
    }
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::vector<Subject> subjects = make_subjects(options);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fputs("mesh,triangles,class,query,method,ns,of_robust,hits\n", csv);
    }
    RTCDevice device = rtcNewDevice("threads=1");
    check(device != nullptr, "Embree");
    print_origin(stdout, "", arguments[0]);
    std::puts("ns a ray: embree, embree robust, kiln aabb, kiln obb, fast aabb, fast obb; the last "
              "four over robust; answers that differ from embree's, and from its robust ones");
    Ratios ratios[QUERIES];
    for (const Subject &subject : subjects) {
        measure_subject(device, subject, options.quick ? 1000 : 4000, options.quick ? 3 : 8, csv,
                        ratios);
    }
    for (int what = 0; what < QUERIES; what++) {
        std::printf("%s, geometric mean over embree robust (worst):", query_names[what]);
        for (int m = 0; m < METHODS; m++) {
            const std::vector<double> &of = ratios[what].of[m];
            if (m != ROBUST && !of.empty()) {
                std::printf("  %s %.2f (%.2f)", method_names[m], geometric_mean(of),
                            *std::max_element(of.begin(), of.end()));
            }
        }
        std::puts("");
    }
    rtcReleaseDevice(device);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}

#endif
