/* See adb_setup.hpp. */
#include "adb_setup.hpp"

#include "models.h"

extern "C" {
#include "../../models/shape/shape.h"
#include "../support/quick_bake.h"
}

#include <algorithm>
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

mesh from_shape(const char *name, uint32_t triangles)
{
    const shape_kind *kind = shape_find(name);
    if (kind == nullptr) {
        std::abort();
    }
    shape_mesh made = shape_make(kind, triangles);
    mesh m = {static_cast<float *>(std::malloc(3 * sizeof(float) * made.vertex_count)),
              static_cast<uint32_t *>(std::malloc(3 * sizeof(uint32_t) * made.triangle_count)),
              made.vertex_count, made.triangle_count};
    if (m.positions == nullptr || m.indices == nullptr) {
        std::abort();
    }
    for (size_t i = 0; i < 3 * size_t(made.vertex_count); i++) {
        m.positions[i] = float(made.positions[i] / 1e6);
    }
    std::memcpy(m.indices, made.indices, 3 * sizeof(uint32_t) * made.triangle_count);
    shape_free(&made);
    return m;
}

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

Baked::Baked(const mesh &m, const BakeAs &how)
{
    kiln_bake_options options = kiln_bake_options_default();
    kiln_open_options opening = kiln_open_options_default();
    kiln_error error;
    options.bv = how.bv;
    options.leaf = how.leaf;
    options.builder = how.builder;
    options.layout = KILN_LAYOUT_RAW;
    options.adb = how.grid;
    options.adb_regions = how.regions;
    options.adb_area = how.area;
    options.adb_factor = how.factor;
    options.adb_polygons = how.polygons;
    opening.error = &error;
    data = quick_bake_with(&m, &options, &size);
    if (kiln_open_memory(data, size, &opening, &file) != KILN_OK) {
        std::fprintf(stderr, "bench_adb: %s\n", error.message);
        std::exit(2);
    }
}

Baked::~Baked()
{
    kiln_close(file);
    std::free(data);
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
            m = from_shape(source.shape, source.triangles);
        } else if (!from_models(source, &m)) {
            std::printf("%s: not installed, left out\n", source.name);
            continue;
        }
        zachmann_scale(&m);
        meshes.push_back({source.name, m});
    }
    return meshes;
}

AdbMesh adb_shape(const std::string &shape, uint32_t triangles)
{
    mesh m = from_shape(shape.c_str(), triangles);
    zachmann_scale(&m);
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
    kiln_hit hit;
    if (kiln_collide(tree, nullptr, tree, &pose, &hit) != KILN_OK) {
        std::abort();
    }
    return hit.found;
}

Asked adb_poses(const AdbMesh &m, const kiln_tree *exact, uint64_t seed, unsigned draws)
{
    Asked asked;
    asked.poses.resize(size_t(ZACHMANN_DISTANCES) * draws);
    asked.poses.resize(zachmann_poses(&m.geometry, seed, draws, asked.poses.data()));
    for (const zachmann_pose &pose : asked.poses) {
        asked.truth.push_back(exact_answer(exact, pose.pose));
    }
    return asked;
}

bool adb_answer(const kiln_tree *tree, const kiln_pose &pose, const Point &point,
                kiln_adb_answer *answer)
{
    if (kiln_adb_collide(tree, nullptr, tree, &pose, &point.options, point.pairs, UINT64_MAX,
                         answer) != KILN_OK) {
        std::abort();
    }
    return answer->probability > 0.5;
}

std::vector<Point> operating_points()
{
    return {{"adb default", kiln_adb_options_of(KILN_ADB_DEFAULT), UINT64_MAX},
            {"adb fast", kiln_adb_options_of(KILN_ADB_FAST), UINT64_MAX},
            {"adb careful", kiln_adb_options_of(KILN_ADB_CAREFUL), UINT64_MAX},
            {"adb default, 64 pairs", kiln_adb_options_of(KILN_ADB_DEFAULT), 64}};
}
