/* What the parts of bench_adb share: meshes, poses with the truth about them, files, reports. */
#ifndef KILN_BENCH_ADB_SETUP_HPP
#define KILN_BENCH_ADB_SETUP_HPP

#include "measure.hpp"

#include "adb/adb.h"
#include "adb/numbers.h"
#include "figure/figure.h"
#include "../../tools/kiln_bake.h"

#include <jansson.h>

#include <memory>
#include <string>
#include <vector>

struct AdbOptions {
    bool quick = false, ablation = false, longs = false;
    unsigned draws = 0; /* poses of a distance, before those are left out whose boxes are apart */
    std::string csv, json, figure, figures; /* files, a folder; "": none */
    std::vector<std::string> meshes;        /* empty: all of the test set */
};

/* Writes a figure in the format of its suffix, and its values beside it; exits where it can't. */
void adb_write_figure(const figure *drawn, const std::string &path);

/* How a tree of the benchmark is baked. */
struct BakeAs {
    const char *bv = "obb";
    int leaf = 4;
    int grid = 0; /* cells along an edge; 0: without counts */
    kiln_adb_regions regions = KILN_ADB_OCTANTS;
    kiln_adb_area area = KILN_ADB_AREA_BY_MEAN;
    double factor = 0.75;
    kiln_adb_polygons polygons = KILN_ADB_SUBTREE;
    const char *builder = "sah";
};

/* What queries are measured on unless something else is said. */
const BakeAs default_bake = {"obb", 4, 4};

/* One tree in memory. */
class Baked
{
  public:
    Baked(const mesh &m, const BakeAs &how);
    ~Baked();
    Baked(const Baked &) = delete;
    Baked &operator=(const Baked &) = delete;
    const kiln_tree *tree() const
    {
        return kiln_file_tree(opened.file, 0);
    }
    const bench_file *file() const
    {
        return &opened;
    }

  private:
    bench_file opened;
};

/* A mesh, scaled to a cube of side 2. */
struct AdbMesh {
    std::string name;
    mesh geometry;
};

/* Poses of one mesh, and whether the surfaces meet at each. */
struct TestPoses {
    std::vector<zachmann_pose> poses;
    std::vector<char> truth;
};

enum class MeshSet {
    Training, /* what weights may be fitted on */
    Test      /* what figures are about: no mesh and no tessellation of the training set */
};

/* Those of the set that are installed, or only those named. */
std::vector<AdbMesh> adb_meshes(MeshSet set, const std::vector<std::string> &names);
/* Moves the middle of the box to the origin and makes its longest side 2. */
void adb_scale(mesh *m);
/* A model of models/shape, scaled. */
AdbMesh adb_shape(const std::string &shape, uint32_t triangles);
void adb_free(std::vector<AdbMesh> &meshes);
/* Names of the test set. */
std::vector<std::string> adb_test_names();

bool exact_answer(const kiln_tree *tree, const kiln_pose &pose);
TestPoses adb_poses(const kiln_tree *exact, uint64_t seed, unsigned draws);

using Point = bench_point;

/* The answer of `point` about `tree` and its copy; yes if more probable than not. */
bool adb_answer(const kiln_tree *tree, const kiln_pose &pose, const Point &point,
                kiln_adb_answer *answer);

std::vector<Point> operating_points();

/* SplitMix64, for what is drawn at random besides poses. */
class Draw
{
  public:
    explicit Draw(uint64_t seed) : state(seed)
    {
    }
    uint32_t below(uint32_t limit)
    {
        return bench_random_below(&state, limit);
    }

  private:
    uint64_t state;
};

/* The parts. Each prints, and adds to the report; `csv` may be NULL. False: a figure can't be
 * right, as exact methods differ. */
bool compare(const AdbOptions &options, std::FILE *csv, json_t *report);
void ablate(const AdbOptions &options, std::FILE *csv, json_t *report);
void redraw_figures(const AdbOptions &options, std::FILE *csv);
void measure_long(const AdbOptions &options, std::FILE *csv);

#endif
