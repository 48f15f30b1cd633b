/* Rays: the closest hit and any, in kiln's 8-wide trees, against Embree's single-ray calls on the
 * same triangles and the same rays in the same run.
 *
 * Classes of rays: camera   from a sphere two sizes around the mesh to points of its box within
 * from points of the box in any direction corners  from that sphere to vertices of the mesh, where
 * answers of floats are luck
 *
 * A figure is the least mean of five rounds over all rays of a class, the methods alternating.
 * Embree traces in floats with its default quality, with and without its robust flag; rays are of
 * floats, so that both get the same ones. Where the two disagree about a hit, or on t by a
 * thousandth, it is counted. */
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
#include "../support/quick_bake.h"
}

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

enum Method { EMBREE, ROBUST, KILN_AABB, KILN_OBB, METHODS };
const char *const method_names[METHODS] = {"embree", "embree robust", "kiln aabb", "kiln obb"};

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

float trace(const EmbreeModel &model, const Ray &ray, bool any)
{
    return any ? (model.occluded(ray.origin, ray.direction) ? 0.0f : INFINITY)
               : model.closest(ray.origin, ray.direction);
}

float trace(const kiln_tree *tree, const Ray &ray, bool any)
{
    kiln_ray query;
    kiln_ray_hit hit;
    for (int k = 0; k < 3; k++) {
        query.origin[k] = double(ray.origin[k]);
        query.direction[k] = double(ray.direction[k]);
    }
    query.t_min = 0;
    query.t_max = HUGE_VAL;
    const kiln_status status = any ? kiln_ray_any(tree, nullptr, &query, nullptr, &hit)
                                   : kiln_ray_closest(tree, nullptr, &query, nullptr, &hit);
    check(status == KILN_OK, "a ray");
    return !hit.found ? INFINITY : any ? 0.0f : float(hit.t);
}

struct Subjects {
    const EmbreeModel *fast, *robust;
    const kiln_tree *aabb, *obb;
};

/* Mean ns of a ray; the answers into `out`. */
double round_of(const Subjects &in, Method method, const std::vector<Ray> &rays, bool any,
                std::vector<float> &out)
{
    const double start = now();
    for (size_t i = 0; i < rays.size(); i++) {
        switch (method) {
        case EMBREE:
            out[i] = trace(*in.fast, rays[i], any);
            break;
        case ROBUST:
            out[i] = trace(*in.robust, rays[i], any);
            break;
        case KILN_AABB:
            out[i] = trace(in.aabb, rays[i], any);
            break;
        default:
            out[i] = trace(in.obb, rays[i], any);
            break;
        }
    }
    return (now() - start) / double(rays.size());
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
    std::vector<double> of[METHODS];
};

void measure_class(const Subjects &in, const Subject &subject, Class kind, bool any, size_t count,
                   std::FILE *csv, Ratios &ratios)
{
    uint64_t state = 100 + unsigned(kind);
    std::vector<Ray> rays(count);
    for (Ray &ray : rays) {
        ray = any_ray(&state, subject, kind);
    }
    double least[METHODS];
    std::vector<float> answers[METHODS];
    for (int m = 0; m < METHODS; m++) {
        answers[m].resize(count);
        least[m] = HUGE_VAL;
    }
    for (int round = 0; round < 5; round++) {
        for (int m = 0; m < METHODS; m++) {
            least[m] = std::fmin(least[m], round_of(in, Method(m), rays, any, answers[m]));
        }
    }
    size_t hits = 0;
    for (float t : answers[KILN_AABB]) {
        hits += !std::isinf(t);
    }
    check(answers[KILN_AABB] == answers[KILN_OBB], "comparing kinds of trees");
    const size_t off = disagreements(answers[EMBREE], answers[KILN_AABB]);
    const size_t off_robust = disagreements(answers[ROBUST], answers[KILN_AABB]);
    std::printf("%-8s %7u  %-8s %-8s %5.1f%%", subject.name.c_str(),
                subject.geometry.triangle_count, class_names[kind], any ? "any" : "closest",
                100 * double(hits) / double(count));
    for (int m = 0; m < METHODS; m++) {
        std::printf("  %7.1f", least[m]);
        ratios.of[m].push_back(least[m] / least[EMBREE]);
    }
    std::printf("   %5.2f  %5.2f   %zu %zu\n", least[KILN_AABB] / least[EMBREE],
                least[KILN_OBB] / least[EMBREE], off, off_robust);
    for (int m = 0; m < METHODS && csv != nullptr; m++) {
        std::fprintf(csv, "%s,%u,%s,%s,%s,%.2f,%.4f,%.4f\n", subject.name.c_str(),
                     subject.geometry.triangle_count, class_names[kind], any ? "any" : "closest",
                     method_names[m], least[m], least[m] / least[EMBREE],
                     double(hits) / double(count));
    }
}

void measure_subject(RTCDevice device, const Subject &subject, size_t count, std::FILE *csv,
                     Ratios ratios[2])
{
    const EmbreeModel fast(device, subject.geometry, RTC_SCENE_FLAG_NONE),
        robust(device, subject.geometry, RTC_SCENE_FLAG_ROBUST);
    void *bytes;
    kiln_file *file = quick_open(&subject.geometry, "obb,aabb", 4, KILN_LAYOUT_RAW, &bytes);
    const Subjects in = {&fast, &robust, kiln_file_find(file, nullptr, KILN_BV_AABB),
                         kiln_file_find(file, nullptr, KILN_BV_OBB)};
    for (int kind = 0; kind < CLASSES; kind++) {
        for (int any = 0; any < 2; any++) {
            measure_class(in, subject, Class(kind), any != 0, count, csv, ratios[any]);
        }
    }
    kiln_close(file);
    std::free(bytes);
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::vector<Subject> subjects = make_subjects(options);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fputs("mesh,triangles,class,query,method,ns,of_embree,hits\n", csv);
    }
    RTCDevice device = rtcNewDevice("threads=1");
    check(device != nullptr, "Embree");
    print_origin(stdout, "", arguments[0]);
    std::puts("ns a ray: embree, embree robust, kiln aabb, kiln obb; aabb and obb over embree; "
              "answers that differ from embree's, and from its robust ones");
    Ratios ratios[2];
    for (const Subject &subject : subjects) {
        measure_subject(device, subject, options.quick ? 10000 : 50000, csv, ratios);
    }
    for (int any = 0; any < 2; any++) {
        std::printf("%s, geometric mean over embree: robust %.2f, kiln aabb %.2f, kiln obb %.2f\n",
                    any ? "any" : "closest", geometric_mean(ratios[any].of[ROBUST]),
                    geometric_mean(ratios[any].of[KILN_AABB]),
                    geometric_mean(ratios[any].of[KILN_OBB]));
    }
    rtcReleaseDevice(device);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}

#endif
