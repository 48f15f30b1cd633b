/* Time-critical queries: how often kiln_collide_likely is wrong, and how fast it is against
 * kiln_collide on the same trees and against a truncated walk that is wrong as often.
 *
 * Sets of pairs: "same" and "pairs", the meshes of bench_adb with copies of themselves and with each
 * other at several ratios of sizes; "fresh" and "fresh pairs", meshes that neither weights nor
 * thresholds were chosen on, among them long triangles, a soup, assemblies, smooth hollow bodies and
 * thin sheets. Poses are Zachmann's (adb/zachmann.h), distances being in means of both sides.
 *
 * "near" moves a mesh away from the outermost contact with its copy along a direction, by parts of
 * its size: the poses for which an estimate is hardest.
 *
 * "N steps" are queries with a budget. "frame" gives 500 queries of a set one budget, by
 * kiln_likely_run_all, against the same number of steps for each.
 *
 * Methods alternate over batches of 400 poses; each runs a batch once unmeasured before every
 * measured run, and a query's time is the least of its rounds. Ratios are of mean times, geometric
 * over pairs. "proved no" are poses that are apart and at which the method found that. */
#include "adb_setup.hpp"
#include "models.h"

#include "adb/truncated.h"
#include "adb/zachmann.h"

extern "C" {
#include "../../tools/count/fit_logistic.h"
#include "../support/quick_bake.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace
{

constexpr size_t BATCH = 400;

struct Settings {
    bool counts = false, trace = false; /* no times; a line a pair */
    bool frames = false, near = false;
    int rounds = 7;
    unsigned draws = 30;
    const char *bv = "obb", *csv = nullptr;
    int leaf = 4;
    std::vector<std::string> sets = {"same", "pairs", "fresh", "fresh pairs"};
    std::vector<double> thresholds = {3, 4, 5};
    std::vector<double> ratios = {1, 0.5, 0.25}, steps = {};
};

/* ----------------------------------------------------------------------------------- meshes -- */

mesh mesh_from(const std::vector<float> &positions, const std::vector<uint32_t> &indices)
{
    mesh made;
    made.vertex_count = uint32_t(positions.size() / 3);
    made.triangle_count = uint32_t(indices.size() / 3);
    made.positions = static_cast<float *>(std::malloc(positions.size() * sizeof(float)));
    made.indices = static_cast<uint32_t *>(std::malloc(indices.size() * sizeof(uint32_t)));
    if (made.positions == nullptr || made.indices == nullptr) {
        std::abort();
    }
    std::memcpy(made.positions, positions.data(), positions.size() * sizeof(float));
    std::memcpy(made.indices, indices.data(), indices.size() * sizeof(uint32_t));
    return made;
}

/* Two wavy sheets close together. */
mesh sheets()
{
    constexpr int n = 60;
    std::vector<float> p;
    std::vector<uint32_t> t;
    for (int s = 0; s < 2; s++) {
        const uint32_t base = uint32_t(p.size() / 3);
        for (int i = 0; i <= n; i++) {
            for (int j = 0; j <= n; j++) {
                const double x = 2.0 * i / n - 1, y = 2.0 * j / n - 1;
                p.insert(p.end(), {float(x), float(y),
                                   float(0.12 * std::sin(4 * x) * std::cos(3 * y) + 0.06 * s)});
            }
        }
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++) {
                const uint32_t a = base + i * (n + 1) + j, b = a + n + 1;
                t.insert(t.end(), {a, b, a + 1, a + 1, b, b + 1});
            }
        }
    }
    return mesh_from(p, t);
}

void add_ball(std::vector<float> &p, std::vector<uint32_t> &t, double radius, uint32_t rings,
              double squash)
{
    const uint32_t base = uint32_t(p.size() / 3), sides = 2 * rings;
    for (uint32_t i = 0; i <= rings; i++) {
        for (uint32_t j = 0; j < sides; j++) {
            const double a = M_PI * i / rings, b = 2 * M_PI * j / sides;
            p.insert(p.end(), {float(radius * std::sin(a) * std::cos(b)),
                               float(radius * std::sin(a) * std::sin(b)),
                               float(radius * squash * std::cos(a))});
        }
    }
    for (uint32_t i = 0; i < rings; i++) {
        for (uint32_t j = 0; j < sides; j++) {
            const uint32_t a = base + i * sides + j, b = base + i * sides + (j + 1) % sides;
            t.insert(t.end(), {a, a + sides, b, b, a + sides, b + sides});
        }
    }
}

/* Smooth hollow bodies: one shell, and a shell in a shell. */
mesh shells(bool two)
{
    std::vector<float> p;
    std::vector<uint32_t> t;
    add_ball(p, t, 1, 50, two ? 0.7 : 1);
    if (two) {
        add_ball(p, t, 0.6, 30, 0.7);
    }
    return mesh_from(p, t);
}

/* Prisms all the way through: triangles a hundred times as long as wide. */
mesh rods(uint32_t count)
{
    std::vector<float> p;
    std::vector<uint32_t> t;
    uint64_t state = 77;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_pose pose = pose_random(&state, 0.5);
        const uint32_t base = uint32_t(p.size() / 3);
        for (int c = 0; c < 6; c++) {
            const double a = 2 * M_PI * (c % 3) / 3;
            const double v[3] = {0.01 * std::cos(a), 0.01 * std::sin(a), c < 3 ? -1.0 : 1.0};
            for (int k = 0; k < 3; k++) {
                const double *row = pose.rotation + 3 * k;
                p.push_back(
                    float(row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + pose.translation[k]));
            }
        }
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t a = base + c, b = base + (c + 1) % 3;
            t.insert(t.end(), {a, b, a + 3, b, b + 3, a + 3});
        }
    }
    return mesh_from(p, t);
}

/* An assembly: walls, floors and boxes of many sizes, of twelve triangles each. */
mesh boxes(uint32_t count)
{
    std::vector<float> p;
    std::vector<uint32_t> t;
    uint64_t state = 5;
    for (uint32_t i = 0; i < count; i++) {
        float lower[3], upper[3];
        for (int k = 0; k < 3; k++) {
            const double size = std::exp(random_between(&state, -5, -0.7));
            const double at = random_between(&state, -1, 1 - size);
            lower[k] = float(at);
            upper[k] = float(at + size);
        }
        mesh box = mesh_box(lower[0], lower[1], lower[2], upper[0], upper[1], upper[2]);
        const uint32_t base = uint32_t(p.size() / 3);
        p.insert(p.end(), box.positions, box.positions + 3 * box.vertex_count);
        for (uint32_t j = 0; j < 3 * box.triangle_count; j++) {
            t.push_back(base + box.indices[j]);
        }
        mesh_free(&box);
    }
    return mesh_from(p, t);
}

mesh soup()
{
    uint64_t state = 9;
    return mesh_soup(&state, 5000, 0.1);
}

std::vector<AdbMesh> fresh_meshes()
{
    static const model installed[] = {
        {"collada", "Collada/COLLADA.dae"},     {"teapots", "Collada/teapots.DAE"},
        {"fighter", "X/fromtruespace_bin32.x"}, {"suzanne", "BLEND/Suzanne_248.blend"},
        {"walker", "Q3D/E-AT-AT.q3o"},          {"house", "IFC/AC14-FZK-Haus.ifc"}};
    std::vector<AdbMesh> all = {{"sheets", sheets()},
                                {"shell", shells(false)},
                                {"shells", shells(true)},
                                {"rods", rods(400)},
                                {"boxes", boxes(400)},
                                {"soup", soup()},
                                {"dented", mesh_torus(120, 60, 0.1)}};
    for (unsigned i = 0; i < shape_count; i++) {
        if (std::strcmp(shapes[i].name, "gear") == 0 ||
            std::strcmp(shapes[i].name, "lattice") == 0) {
            all.push_back({shapes[i].name, shapes[i].make()});
        }
    }
    for (const model &m : installed) {
        AdbMesh made = {m.name, {}};
        if (model_load(&m, &made.geometry)) {
            all.push_back(made);
        } else {
            std::printf("%s: not installed, left out\n", m.name);
        }
    }
    for (AdbMesh &m : all) {
        adb_scale(&m.geometry);
    }
    return all;
}

/* --------------------------------------------------------------------------------- subjects -- */

constexpr uint32_t CUTS[] = {1, 4, 16, 48};
constexpr size_t CUT_COUNT = sizeof CUTS / sizeof CUTS[0];

struct Prepared {
    std::string name;
    bench_file exact = {}, cut[CUT_COUNT] = {};
    const kiln_tree *tree() const
    {
        return kiln_file_tree(exact.file, 0);
    }
};

void prepare(const Settings &settings, const AdbMesh &m, Prepared *out)
{
    const bench_mesh plain = {m.geometry.positions, m.geometry.indices, m.geometry.vertex_count,
                              m.geometry.triangle_count, nullptr};
    out->name = m.name;
    bool good = bench_file_bake(&plain, settings.bv, settings.leaf, &out->exact) == KILN_OK;
    for (size_t i = 0; i < CUT_COUNT && !settings.counts; i++) {
        good = good && truncated_bake(&plain, settings.bv, CUTS[i], &out->cut[i]) == KILN_OK;
    }
    if (!good) {
        std::fprintf(stderr, "bench_likely: %s can't be baked\n", m.name.c_str());
        std::exit(2);
    }
}

struct Scene {
    std::string name;
    const Prepared *a, *b;
    std::vector<kiln_pose> poses;
    std::vector<char> truth;
};

/* Poses of B at which the boxes of the trees meet. */
Scene make_scene(const Prepared *a, const Prepared *b, double ratio, unsigned draws)
{
    Scene scene = {a->name + (a == b ? "" : "-" + b->name), a, b, {}, {}};
    const kiln_tree_info of_a = kiln_tree_get_info(a->tree()), of_b = kiln_tree_get_info(b->tree());
    const zachmann_box box_a = zachmann_box_of(of_a.bounds_lower, of_a.bounds_upper);
    const zachmann_box box_b = zachmann_box_of(of_b.bounds_lower, of_b.bounds_upper);
    uint64_t state = ZACHMANN_SEED_TEST;
    if (ratio != 1) {
        scene.name += " 1:" + std::to_string(int(1 / ratio));
    }
    for (unsigned i = 0; i < draws * ZACHMANN_DISTANCES; i++) {
        const double distance =
            zachmann_distance(int(i % ZACHMANN_DISTANCES)) * (box_a.side + ratio * box_b.side) / 2;
        double rotation[9], way[3];
        zachmann_rotation(&state, rotation);
        random_direction(&state, way);
        kiln_pose pose = kiln_pose_identity();
        std::copy(rotation, rotation + 9, pose.rotation);
        pose.scale = ratio;
        for (int k = 0; k < 3; k++) {
            const double *row = rotation + 3 * k;
            const double *m = box_b.middle;
            pose.translation[k] = box_a.middle[k] + distance * way[k] -
                                  ratio * (row[0] * m[0] + row[1] * m[1] + row[2] * m[2]);
        }
        kiln_likely_options none = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
        kiln_likely_answer answer;
        kiln_hit hit;
        none.steps = 1;
        if (kiln_collide_likely(a->tree(), nullptr, b->tree(), &pose, &none, &answer) == KILN_OK &&
            answer.steps > 0 &&
            kiln_collide(a->tree(), nullptr, b->tree(), &pose, nullptr, &hit) == KILN_OK) {
            scene.poses.push_back(pose);
            scene.truth.push_back(hit.found);
        }
    }
    return scene;
}

/* ---------------------------------------------------------------------------------- methods -- */

struct Method {
    std::string name;
    enum { Exact, Truncated, Likely } what;
    size_t cut = 0;
    kiln_likely_options options = {};
};

struct Said {
    bool found, proved;
    double probability;
    uint64_t steps;
};

inline Said ask(const Method &method, const Scene &scene, const kiln_pose &pose)
{
    Said said = {false, true, 0, 0};
    if (method.what == Method::Likely) {
        kiln_likely_answer answer;
        (void)kiln_collide_likely(scene.a->tree(), nullptr, scene.b->tree(), &pose, &method.options,
                                  &answer);
        return {answer.probability > 0.5, answer.proved, answer.probability, answer.steps};
    }
    if (method.what == Method::Truncated) {
        (void)kiln_collide_boxes(kiln_file_tree(scene.a->cut[method.cut].file, 0), nullptr,
                                 kiln_file_tree(scene.b->cut[method.cut].file, 0), &pose,
                                 &said.found);
        return said;
    }
    kiln_hit hit = {};
    (void)kiln_collide(scene.a->tree(), nullptr, scene.b->tree(), &pose, nullptr, &hit);
    said.found = hit.found;
    return said;
}

/* What a method has said and taken, over the poses of one pair. */
struct Row {
    std::vector<double> times;
    std::vector<Said> said;
    size_t wrong_yes = 0, wrong_no = 0, false_proofs = 0;
};

void measure(const Settings &settings, const std::vector<Method> &methods, const Scene &scene,
             std::vector<Row> &rows)
{
    static const double cost = bench_clock_cost();
    const size_t count = scene.poses.size();
    for (size_t m = 0; m < methods.size(); m++) {
        rows[m].times.assign(count, HUGE_VAL);
        for (size_t i = 0; i < count; i++) {
            const Said said = ask(methods[m], scene, scene.poses[i]);
            rows[m].said.push_back(said);
            rows[m].wrong_yes += said.found && !scene.truth[i];
            rows[m].wrong_no += !said.found && scene.truth[i];
            rows[m].false_proofs += said.proved && said.found != bool(scene.truth[i]);
        }
    }
    for (size_t first = 0; first < count && !settings.counts; first += BATCH) {
        const size_t last = std::min(first + BATCH, count);
        for (int round = 0; round < settings.rounds; round++) {
            for (size_t m = 0; m < methods.size(); m++) {
                for (size_t i = first; i < last; i++) {
                    (void)ask(methods[m], scene, scene.poses[i]);
                }
                for (size_t i = first; i < last; i++) {
                    const double start = bench_now();
                    (void)ask(methods[m], scene, scene.poses[i]);
                    rows[m].times[i] =
                        std::min(rows[m].times[i], bench_net(bench_now() - start, cost));
                }
            }
        }
    }
}

/* ---------------------------------------------------------------------------------- reports -- */

/* A method over all pairs of a set. */
struct Sum {
    size_t poses = 0, wrong_yes = 0, wrong_no = 0, false_proofs = 0;
    double worst = 0; /* part of wrong answers, of a pair */
    std::string worst_name;
    double steps[2] = {0, 0};                     /* where they meet, apart */
    std::vector<double> all, meet, apart, proved; /* times as fast as exact, a pair each */
    std::vector<double> nanoseconds;
    std::vector<kiln_prediction> answers, early;
};

double mean_where(const Row &row, const Scene &scene, int truth, const Row *proved)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < scene.poses.size(); i++) {
        if ((truth < 0 || scene.truth[i] == truth) &&
            (proved == nullptr || !proved->said[i].found)) {
            sum += row.times[i];
            count++;
        }
    }
    return count > 0 ? sum / double(count) : 0;
}

void add_ratio(std::vector<double> &to, double exact, double own)
{
    if (exact > 0 && own > 0) {
        to.push_back(exact / own);
    }
}

void add_row(const Settings &settings, const Scene &scene, const Row &exact, const Row &row,
             Sum *sum)
{
    const double error =
        double(row.wrong_yes + row.wrong_no) / double(std::max<size_t>(scene.poses.size(), 1));
    sum->poses += scene.poses.size();
    sum->wrong_yes += row.wrong_yes;
    sum->wrong_no += row.wrong_no;
    sum->false_proofs += row.false_proofs;
    if (error > sum->worst) {
        sum->worst = error;
        sum->worst_name = scene.name;
    }
    for (size_t i = 0; i < scene.poses.size(); i++) {
        const Said &said = row.said[i];
        sum->steps[scene.truth[i] ? 0 : 1] += double(said.steps);
        sum->answers.push_back({float(said.probability), bool(scene.truth[i])});
        if (!said.proved) {
            sum->early.push_back({float(said.probability), bool(scene.truth[i])});
        }
    }
    if (!settings.counts) {
        add_ratio(sum->all, mean_where(exact, scene, -1, nullptr),
                  mean_where(row, scene, -1, nullptr));
        add_ratio(sum->meet, mean_where(exact, scene, 1, nullptr),
                  mean_where(row, scene, 1, nullptr));
        add_ratio(sum->apart, mean_where(exact, scene, 0, nullptr),
                  mean_where(row, scene, 0, nullptr));
        add_ratio(sum->proved, mean_where(exact, scene, 0, &row), mean_where(row, scene, 0, &row));
        sum->nanoseconds.insert(sum->nanoseconds.end(), row.times.begin(), row.times.end());
    }
}

double error_of(const Sum &sum)
{
    return double(sum.wrong_yes + sum.wrong_no) / double(std::max<size_t>(sum.poses, 1));
}

double geometric(const std::vector<double> &values)
{
    return bench_geometric_mean(values.data(), values.size());
}

/* How fast a truncated walk is that is wrong as often: between the two cuts about the error, or 1
 * (exact) and the first; beyond the coarsest, as fast as that. */
double truncated_at(const std::vector<Method> &methods, const std::vector<Sum> &sums, double error)
{
    double below_error = 0, below = 1;
    for (size_t m = 0; m < methods.size(); m++) {
        if (methods[m].what == Method::Truncated) {
            const double at = error_of(sums[m]), speed = geometric(sums[m].all);
            if (at >= error) {
                return at > below_error
                           ? below + (speed - below) * (error - below_error) / (at - below_error)
                           : speed;
            }
            below_error = at;
            below = speed;
        }
    }
    return below;
}

void print_set(const Settings &settings, const std::string &name,
               const std::vector<Method> &methods, std::vector<Sum> &sums, size_t pairs,
               size_t hits)
{
    std::printf("\n%s: %zu pairs, %zu poses, %.1f %% meet\n", name.c_str(), pairs, sums[0].poses,
                100.0 * double(hits) / double(std::max<size_t>(sums[0].poses, 1)));
    std::printf("%-14s %7s %5s %7s %-24s %6s %6s", "", "wrong%", "fn", "worst%", "(pair)", "meet",
                "apart");
    std::printf(settings.counts ? " steps" : " steps %6s %6s %6s %6s %7s %7s %7s", "all", "meet",
                "apart", "proved", "x trunc", "p99 us", "max us");
    std::printf(" %7s %7s\n", "ECE", "early");
    for (size_t m = 0; m < methods.size(); m++) {
        Sum &sum = sums[m];
        std::printf("%-14s %7.2f %5zu %7.2f %-24s %6.1f %6.1f      ", methods[m].name.c_str(),
                    100 * error_of(sum), sum.wrong_no, 100 * sum.worst, sum.worst_name.c_str(),
                    sum.steps[0] / double(std::max<size_t>(hits, 1)),
                    sum.steps[1] / double(std::max<size_t>(sum.poses - hits, 1)));
        if (!settings.counts) {
            bench_sort(sum.nanoseconds.data(), sum.nanoseconds.size());
            const double all = geometric(sum.all);
            std::printf(" %6.2f %6.2f %6.2f %6.2f %7.2f %7.2f %7.1f", all, geometric(sum.meet),
                        geometric(sum.apart), geometric(sum.proved),
                        all / truncated_at(methods, sums, error_of(sum)),
                        bench_percentile(sum.nanoseconds.data(), sum.nanoseconds.size(), 0.99) /
                            1e3,
                        bench_percentile(sum.nanoseconds.data(), sum.nanoseconds.size(), 1) / 1e3);
        }
        if (methods[m].what == Method::Likely) {
            std::printf(" %7.4f %7.4f",
                        kiln_reliability_of(sum.answers.data(), sum.answers.size()).ece,
                        kiln_reliability_of(sum.early.data(), sum.early.size()).ece);
        }
        std::printf("\n");
    }
    std::fflush(stdout);
}

/* The same as a table for machines; steps, ratios and times as they are printed. */
void write_set(const Settings &settings, const std::string &name,
               const std::vector<Method> &methods, std::vector<Sum> &sums, size_t hits)
{
    std::FILE *file = std::fopen(settings.csv, "a");
    if (file == nullptr) {
        std::fprintf(stderr, "bench_likely: %s can't be written\n", settings.csv);
        std::exit(2);
    }
    if (std::ftell(file) == 0) {
        print_origin(file, "# ", "bench_likely");
        std::fprintf(file, "set,kind,leaf,method,poses,meet,wrong_yes,wrong_no,worst,worst_pair,"
                           "all,meet,apart,proved_no,truncated,p99_ns,max_ns,ece,early_ece\n");
    }
    for (size_t m = 0; m < methods.size(); m++) {
        Sum &sum = sums[m];
        const size_t count = sum.nanoseconds.size();
        const double all = settings.counts ? 0 : geometric(sum.all);
        std::fprintf(
            file,
            "%s,%s,%d,%s,%zu,%zu,%zu,%zu,%.4f,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.0f,%.0f,%.4f,%.4f\n",
            name.c_str(), settings.bv, settings.leaf, methods[m].name.c_str(), sum.poses, hits,
            sum.wrong_yes, sum.wrong_no, sum.worst, sum.worst_name.c_str(), all,
            geometric(sum.meet), geometric(sum.apart), geometric(sum.proved),
            settings.counts ? 0 : all / truncated_at(methods, sums, error_of(sum)),
            count > 0 ? bench_percentile(sum.nanoseconds.data(), count, 0.99) : 0,
            count > 0 ? bench_percentile(sum.nanoseconds.data(), count, 1) : 0,
            kiln_reliability_of(sum.answers.data(), sum.answers.size()).ece,
            kiln_reliability_of(sum.early.data(), sum.early.size()).ece);
    }
    (void)std::fclose(file);
}

std::vector<Method> make_methods(const Settings &settings)
{
    std::vector<Method> methods = {{"exact", Method::Exact}};
    for (size_t i = 0; i < CUT_COUNT && !settings.counts; i++) {
        methods.push_back({"truncated " + std::to_string(CUTS[i]), Method::Truncated, i});
    }
    for (const double threshold : settings.thresholds) {
        char name[32];
        Method method = {"", Method::Likely, 0, kiln_likely_options_of(KILN_LIKELY_DEFAULT)};
        method.options.threshold = threshold;
        (void)std::snprintf(name, sizeof name, "likely T %.2f", threshold);
        method.name = name;
        methods.push_back(method);
    }
    for (const double steps : settings.steps) {
        Method method = {"", Method::Likely, 0, kiln_likely_options_of(KILN_LIKELY_DEFAULT)};
        method.options.steps = uint64_t(steps);
        method.name = std::to_string(int(steps)) + " steps";
        methods.push_back(method);
    }
    return methods;
}

/* ----------------------------------------------------------------------------------- frames -- */

constexpr size_t FRAME = 500;

/* One of the queries of a frame. */
struct Asked {
    const Scene *scene;
    size_t pose;
    std::vector<char> memory;
    kiln_likely *query;
};

/* Errors of 500 queries with `share` steps each beyond the first, and sharing as many. */
void run_frames(const Settings &settings, const std::vector<Scene> &scenes)
{
    uint64_t state = 1;
    for (const unsigned share : {1u, 2u, 4u}) {
        size_t wrong_equal = 0, wrong_shared = 0, steps_equal = 0, steps_shared = 0, frames = 40;
        double best = HUGE_VAL;
        for (size_t f = 0; f < frames; f++) {
            std::vector<Asked> frame(FRAME);
            std::vector<kiln_likely *> queries;
            for (Asked &asked : frame) {
                do {
                    asked.scene = &scenes[bench_random_below(&state, uint32_t(scenes.size()))];
                } while (asked.scene->poses.empty());
                asked.pose = bench_random_below(&state, uint32_t(asked.scene->poses.size()));
                asked.memory.resize(
                    kiln_likely_size(asked.scene->a->tree(), asked.scene->b->tree()));
                (void)kiln_likely_place(asked.memory.data(), asked.memory.size(), &asked.query);
                queries.push_back(asked.query);
            }
            for (int round = 0; round < (settings.counts ? 1 : settings.rounds); round++) {
                const double start = bench_now();
                for (const Asked &asked : frame) {
                    (void)kiln_likely_begin(asked.query, asked.scene->a->tree(), nullptr,
                                            asked.scene->b->tree(), &asked.scene->poses[asked.pose],
                                            nullptr);
                }
                (void)kiln_likely_run_all(queries.data(), FRAME, share * FRAME, UINT64_MAX);
                best = std::min(best, bench_now() - start);
            }
            for (const Asked &asked : frame) {
                const bool truth = asked.scene->truth[asked.pose];
                kiln_likely_answer answer;
                kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
                (void)kiln_likely_get_answer(asked.query, &answer);
                wrong_shared += (answer.probability > 0.5) != truth;
                steps_shared += answer.steps;
                options.steps = share + 1;
                (void)kiln_collide_likely(asked.scene->a->tree(), nullptr, asked.scene->b->tree(),
                                          &asked.scene->poses[asked.pose], &options, &answer);
                wrong_equal += (answer.probability > 0.5) != truth;
                steps_equal += answer.steps;
            }
        }
        const double all = double(frames * FRAME);
        std::printf(
            "frame of %zu, %u more steps each: equal shares wrong %.2f %% (%.2f steps), one "
            "budget %.2f %% (%.2f steps), %.0f us\n",
            FRAME, share, 100 * double(wrong_equal) / all, double(steps_equal) / all,
            100 * double(wrong_shared) / all, double(steps_shared) / all, best / 1e3);
    }
}

/* --------------------------------------------------------------------------- near a contact -- */

constexpr double GAPS[] = {-0.01, -0.005, 0.005, 0.01, 0.025, 0.05};
constexpr size_t GAP_COUNT = sizeof GAPS / sizeof GAPS[0];

/* Where `way` from far off first leads to a contact, as a distance of the centres. */
double outermost_contact(const Prepared &mesh, const zachmann_box &box, const double rotation[9],
                         const double way[3])
{
    constexpr int SCAN = 60;
    const double far = 3 * box.side;
    auto meets = [&](double distance) {
        const kiln_pose pose = zachmann_place(&box, rotation, way, distance);
        kiln_hit hit = {};
        (void)kiln_collide(mesh.tree(), nullptr, mesh.tree(), &pose, nullptr, &hit);
        return hit.found;
    };
    double outside = far, inside = -1;
    for (int i = 1; i <= SCAN && inside < 0; i++) {
        const double distance = far * (SCAN - i) / SCAN;
        if (meets(distance)) {
            inside = distance;
        } else {
            outside = distance;
        }
    }
    for (int i = 0; i < 40 && inside >= 0; i++) {
        const double middle = (inside + outside) / 2;
        (meets(middle) ? inside : outside) = middle;
    }
    return inside;
}

/* How often methods are wrong at gaps from a contact, in parts of the mesh's size. */
void run_near(const Settings &settings, const std::vector<Prepared *> &meshes)
{
    const std::vector<Method> methods = make_methods(settings);
    std::vector<std::vector<size_t>> wrong(methods.size(), std::vector<size_t>(GAP_COUNT));
    size_t contacts = 0;
    for (const Prepared *mesh : meshes) {
        const kiln_tree_info info = kiln_tree_get_info(mesh->tree());
        const zachmann_box box = zachmann_box_of(info.bounds_lower, info.bounds_upper);
        uint64_t state = ZACHMANN_SEED_TEST;
        for (unsigned i = 0; i < 7 * settings.draws; i++) {
            double rotation[9], way[3];
            zachmann_rotation(&state, rotation);
            random_direction(&state, way);
            const double contact = outermost_contact(*mesh, box, rotation, way);
            contacts += contact >= 0;
            for (size_t g = 0; g < GAP_COUNT && contact >= 0; g++) {
                Scene scene = {"", mesh, mesh, {}, {}};
                const kiln_pose pose =
                    zachmann_place(&box, rotation, way, contact + GAPS[g] * 2 * box.side);
                const bool truth = ask(methods[0], scene, pose).found;
                for (size_t m = 0; m < methods.size(); m++) {
                    wrong[m][g] += ask(methods[m], scene, pose).found != truth;
                }
            }
        }
    }
    std::printf("\nnear %zu contacts, %% wrong at gaps of\n%-14s", contacts, "");
    for (const double gap : GAPS) {
        std::printf(" %+6.1f%%", 100 * gap);
    }
    for (size_t m = 0; m < methods.size(); m++) {
        std::printf("\n%-14s", methods[m].name.c_str());
        for (const size_t w : wrong[m]) {
            std::printf(" %7.2f", 100.0 * double(w) / double(std::max<size_t>(contacts, 1)));
        }
    }
    std::printf("\n");
}

bool run_set(const Settings &settings, const std::string &name,
             const std::vector<Prepared *> &meshes)
{
    const std::vector<Method> methods = make_methods(settings);
    std::vector<Sum> sums(methods.size());
    std::vector<Scene> scenes;
    size_t pairs = 0, hits = 0;
    const bool mixed = name.find("pairs") != std::string::npos;
    for (size_t i = 0; i < meshes.size(); i++) {
        for (size_t j = mixed ? i + 1 : i; j < (mixed ? meshes.size() : i + 1); j++) {
            for (const double ratio : mixed ? settings.ratios : std::vector<double>{1}) {
                const Scene scene = make_scene(meshes[i], meshes[j], ratio, settings.draws);
                std::vector<Row> rows(methods.size());
                measure(settings, methods, scene, rows);
                for (size_t m = 0; m < methods.size(); m++) {
                    add_row(settings, scene, rows[0], rows[m], &sums[m]);
                    if (settings.trace && scene.poses.size() > 0) {
                        std::printf("%s, %s: %.2f %% of %zu\n", scene.name.c_str(),
                                    methods[m].name.c_str(),
                                    100.0 * double(rows[m].wrong_yes + rows[m].wrong_no) /
                                        double(scene.poses.size()),
                                    scene.poses.size());
                    }
                }
                hits += size_t(std::count(scene.truth.begin(), scene.truth.end(), 1));
                scenes.push_back(scene);
                pairs++;
            }
        }
    }
    print_set(settings, name, methods, sums, pairs, hits);
    if (settings.csv != nullptr) {
        write_set(settings, name, methods, sums, hits);
    }
    if (settings.frames) {
        run_frames(settings, scenes);
    }
    bool sound = true;
    for (size_t m = 0; m < methods.size(); m++) {
        sound = sound && (methods[m].what == Method::Truncated || sums[m].false_proofs == 0);
    }
    return sound;
}

std::vector<std::string> split(const char *list)
{
    std::vector<std::string> parts(1);
    for (; *list != 0; list++) {
        if (*list == ',') {
            parts.emplace_back();
        } else {
            parts.back() += *list;
        }
    }
    return parts;
}

std::vector<double> numbers(const char *list)
{
    std::vector<double> values;
    for (const std::string &part : split(list)) {
        values.push_back(std::atof(part.c_str()));
    }
    return values;
}

Settings parse(int count, char **arguments)
{
    Settings settings;
    for (int i = 1; i < count; i++) {
        const std::string option = arguments[i];
        const char *value = i + 1 < count ? arguments[i + 1] : "";
        if (option == "--counts") {
            settings.counts = true;
        } else if (option == "--trace") {
            settings.trace = true;
        } else if (option == "--frames") {
            settings.frames = true;
        } else if (option == "--csv") {
            settings.csv = value;
            i++;
        } else if (option == "--near") {
            settings.near = true;
        } else if (option == "--steps") {
            settings.steps = numbers(value);
            i++;
        } else if (option == "--quick") {
            settings.draws = 2;
            settings.rounds = 1;
            settings.sets = {"same"};
        } else if (option == "--draws") {
            settings.draws = unsigned(std::atoi(value));
            i++;
        } else if (option == "--rounds") {
            settings.rounds = std::atoi(value);
            i++;
        } else if (option == "--bv") {
            settings.bv = value;
            i++;
        } else if (option == "--leaf") {
            settings.leaf = std::atoi(value);
            i++;
        } else if (option == "--sets") {
            settings.sets = split(value);
            i++;
        } else if (option == "--thresholds") {
            settings.thresholds = numbers(value);
            i++;
        } else if (option == "--ratios") {
            settings.ratios = numbers(value);
            i++;
        } else {
            std::fprintf(
                option == "--help" ? stdout : stderr,
                "usage: %s [--quick] [--counts] [--trace] [--draws N] [--rounds N] [--bv KIND]\n"
                "  [--leaf N] [--sets same,pairs,fresh,\"fresh pairs\"] [--thresholds T,T]\n"
                "  [--ratios R,R] [--steps N,N] [--frames] [--near] [--csv FILE]\n"
                "  --counts  errors and steps only, no times\n"
                "  --trace   errors of every pair of meshes\n"
                "  --frames  500 queries with one budget as well\n"
                "  --near    errors near contacts as well\n"
                "  --csv     appends a table\n",
                arguments[0]);
            std::exit(option == "--help" ? 0 : 2);
        }
    }
    return settings;
}

} // namespace

int main(int count, char **arguments)
{
    const Settings settings = parse(count, arguments);
    bool sound = true;
    print_origin(stdout, "# ", "bench_likely");
    for (int fresh = 0; fresh < 2; fresh++) {
        std::vector<std::string> sets;
        for (const std::string &set : settings.sets) {
            if ((set.find("fresh") != std::string::npos) == (fresh == 1)) {
                sets.push_back(set);
            }
        }
        if (sets.empty()) {
            continue;
        }
        std::vector<AdbMesh> meshes = fresh == 1 ? fresh_meshes() : adb_meshes(MeshSet::Test, {});
        std::vector<Prepared> prepared(meshes.size());
        std::vector<Prepared *> all;
        for (size_t i = 0; i < meshes.size(); i++) {
            prepare(settings, meshes[i], &prepared[i]);
            all.push_back(&prepared[i]);
        }
        adb_free(meshes);
        for (const std::string &set : sets) {
            sound = run_set(settings, set, all) && sound;
        }
        if (settings.near) {
            run_near(settings, all);
        }
        for (Prepared &p : prepared) {
            bench_file_close(&p.exact);
            for (bench_file &cut : p.cut) {
                bench_file_close(&cut);
            }
        }
    }
    if (!sound) {
        std::printf("a proved answer was wrong\n");
    }
    return sound ? 0 : 1;
}
