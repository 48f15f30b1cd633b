/* What the parts of bench_adb share: meshes are baked with counts, truth is taken from exact
 * queries, and FCL is added to the methods of kiln-bench as one more function that answers.
 * Training and test sets are apart: weights are fitted on one and judged on the other, on poses
 * from another seed. */
#include "adb_setup.hpp"

#include "fcl_model.hpp"
#include "models.h"

extern "C" {
#include "../support/quick_bake.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace
{

/* By name, from models/shape at a number of triangles, or (0) installed. The test set has shapes
 * that weights saw coarser ones of, and three that they saw nothing of: knot, engine, duck. */
const struct Source {
    MeshSet set;
    const char *name, *shape;
    uint32_t triangles;
} sources[] = {
    {MeshSet::Training, "torus20k", "torus", 20000},
    {MeshSet::Training, "car20k", "car", 20000},
    {MeshSet::Training, "lock20k", "lock", 20000},
    {MeshSet::Training, "pipes20k", "pipes", 20000},
    {MeshSet::Training, "wuson", nullptr, 0},
    {MeshSet::Training, "spider", nullptr, 0},
    {MeshSet::Test, "knot50k", "knot", 50000},
    {MeshSet::Test, "engine", nullptr, 0},
    {MeshSet::Test, "duck", nullptr, 0},
    {MeshSet::Test, "car60k", "car", 60000},
    {MeshSet::Test, "pipes60k", "pipes", 60000},
    {MeshSet::Test, "lock60k", "lock", 60000},
};

bool from_models(const Source &source, mesh *out)
{
    for (unsigned i = 0; i < model_count; i++) {
        if (std::strcmp(models[i].name, source.name) == 0) {
            return model_load(&models[i], out);
        }
    }
    std::abort();
}

} // namespace

void adb_scale(mesh *m)
{
    float lower[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF};
    float upper[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    for (size_t i = 0; i < 3 * size_t(m->triangle_count); i++) {
        const float *p = m->positions + 3 * size_t(m->indices[i]);
        for (int k = 0; k < 3; k++) {
            lower[k] = std::min(lower[k], p[k]);
            upper[k] = std::max(upper[k], p[k]);
        }
    }
    const zachmann_box box = zachmann_box_of(lower, upper);
    for (size_t i = 0; i < 3 * size_t(m->vertex_count); i++) {
        m->positions[i] = float((double(m->positions[i]) - box.middle[i % 3]) / box.side);
    }
}

Baked::Baked(const mesh &m, const BakeAs &how)
{
    kiln_bake_options options = kiln_bake_options_default();
    kiln_error error;
    size_t size;
    options.bv = how.bv;
    options.leaf = how.leaf;
    options.builder = how.builder;
    options.layout = KILN_LAYOUT_RAW;
    options.adb = how.grid;
    options.adb_regions = how.regions;
    options.adb_area = how.area;
    options.adb_factor = how.factor;
    options.adb_polygons = how.polygons;
    void *data = quick_bake_with(&m, &options, &size);
    if (bench_file_open(data, size, &error, &opened) != KILN_OK) {
        std::fprintf(stderr, "bench_adb: %s\n", error.message);
        std::exit(2);
    }
}

Baked::~Baked()
{
    bench_file_close(&opened);
}

std::vector<AdbMesh> adb_meshes(MeshSet set, const std::vector<std::string> &names)
{
    std::vector<AdbMesh> meshes;
    for (const Source &source : sources) {
        if (source.set != set ||
            (!names.empty() && std::find(names.begin(), names.end(), source.name) == names.end())) {
            continue;
        }
        mesh m;
        if (source.shape != nullptr) {
            m = mesh_of_shape(source.shape, source.triangles);
        } else if (!from_models(source, &m)) {
            std::printf("%s: not installed, left out\n", source.name);
            continue;
        }
        adb_scale(&m);
        meshes.push_back({source.name, m});
    }
    return meshes;
}

AdbMesh adb_shape(const std::string &shape, uint32_t triangles)
{
    mesh m = mesh_of_shape(shape.c_str(), triangles);
    adb_scale(&m);
    return {shape, m};
}

void adb_free(std::vector<AdbMesh> &meshes)
{
    for (AdbMesh &m : meshes) {
        mesh_free(&m.geometry);
    }
    meshes.clear();
}

std::vector<std::string> adb_test_names()
{
    std::vector<std::string> names;
    for (const Source &source : sources) {
        if (source.set == MeshSet::Test) {
            names.push_back(source.name);
        }
    }
    return names;
}

bool exact_answer(const kiln_tree *tree, const kiln_pose &pose)
{
    return bench_exact(tree, &pose);
}

TestPoses adb_poses(const kiln_tree *exact, uint64_t seed, unsigned draws)
{
    const kiln_tree_info info = kiln_tree_get_info(exact);
    const zachmann_box box = zachmann_box_of(info.bounds_lower, info.bounds_upper);
    TestPoses test;
    test.poses.resize(size_t(ZACHMANN_DISTANCES) * draws);
    test.poses.resize(zachmann_poses(&box, seed, draws, test.poses.data()));
    for (const zachmann_pose &pose : test.poses) {
        test.truth.push_back(exact_answer(exact, pose.pose));
    }
    return test;
}

bool adb_answer(const kiln_tree *tree, const kiln_pose &pose, const Point &point,
                kiln_adb_answer *answer)
{
    return bench_point_ask(&point, tree, &pose, answer);
}

std::vector<Point> operating_points()
{
    std::vector<Point> points(BENCH_POINTS);
    bench_points(points.data());
    return points;
}

/* ----------------------------------------------------------------------------------- compare -- */

namespace
{

bench_answer query_fcl(const void *with, const kiln_pose *pose)
{
    using Model = FclModel<fcl::OBBRSSd>;
    return {const_cast<Model *>(static_cast<const Model *>(with))->collide(*pose), 0};
}

/* What `kiln-bench adb` measures, and FCL beside it. */
void measure(bench_adb *run, const AdbMesh &m)
{
    const Baked baked(m.geometry, default_bake);
    FclModel<fcl::OBBRSSd> fcl(m.geometry);
    const bench_method added = {"fcl", true, query_fcl, &fcl, nullptr};
    const bench_mesh same = {m.geometry.positions, m.geometry.indices, m.geometry.vertex_count,
                             m.geometry.triangle_count, nullptr};
    const kiln_status status = bench_adb_add(run, m.name.c_str(), baked.tree(), &same, &added, 1);
    if (status != KILN_OK) {
        std::fprintf(stderr, "%s: %s\n", m.name.c_str(), kiln_status_text(status));
        std::exit(2);
    }
}

void draw(const bench_adb *run, const std::string &path)
{
    figure drawn = {};
    bench_adb_draw(run, &drawn);
    adb_write_figure(&drawn, path);
    figure_free(&drawn);
}

std::FILE *open_or_exit(const std::string &path)
{
    std::FILE *out = std::fopen(path.c_str(), "wb");
    if (out == nullptr) {
        std::perror(path.c_str());
        std::exit(2);
    }
    return out;
}

} // namespace

void adb_write_figure(const figure *drawn, const std::string &path)
{
    figure_format format;
    void *picture;
    size_t size;
    char message[FIGURE_MESSAGE_SIZE] = "its name has to end in .pdf, .svg or .png";
    if (!figure_format_of(path.c_str(), &format) ||
        !figure_draw(drawn, format, &picture, &size, message)) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), message);
        std::exit(2);
    }
    std::FILE *out = open_or_exit(path);
    std::fwrite(picture, 1, size, out);
    std::free(picture);
    close_csv(out, path);
    out = open_or_exit(path + ".csv");
    figure_write_csv(drawn, out);
    close_csv(out, path + ".csv");
}

bool compare(const AdbOptions &options, std::FILE *csv, json_t *report)
{
    bench_adb_options how = bench_adb_options_default(options.quick);
    bench_adb run;
    bool right = true;
    how.draws = options.draws;
    bench_adb_begin(&run, &how);
    std::vector<AdbMesh> meshes = adb_meshes(MeshSet::Test, options.meshes);
    for (const AdbMesh &m : meshes) {
        measure(&run, m);
        right = right && bench_table_differ(&run.compared.tables[run.compared.count - 1]) == 0;
    }
    adb_free(meshes);
    if (run.compared.count == 0 || !bench_adb_finish(&run)) {
        std::fprintf(stderr, "bench_adb: no mesh, or no memory\n");
        std::exit(2);
    }
    bench_adb_print(&run, stdout, true);
    bench_adb_describe(&run, report);
    if (csv != nullptr) {
        bench_adb_print_csv(&run, csv);
    }
    if (!options.figure.empty()) {
        draw(&run, options.figure);
    }
    bench_adb_free(&run);
    return right;
}
