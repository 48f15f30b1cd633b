/* Nanoseconds that counts of a query took, by the kind of tree: the constants by which --bv auto
 * compares trees, so that a bake does not depend on the machine that it runs on.
 *
 * They depend on the size of leaves, since a pair of leaves takes time however few triangles it
 * has. On one thread of a two-core Xeon, gcc -O3, AVX2,
 *
 *   build/kiln-bench families --unit-costs --draws 8 --leaf N MODEL...
 *
 * was run three times for N of 2, 4 and 8 over duck.dae, Wuson.ply, spider.obj and
 * 2CylinderEngine.glb of Debian's assimp-testmodels. It prints these rows, of which those of the
 * run are here, by the kind, in which queries took least. Those of octrees, which came later, are
 * medians of three runs, each number times that by which the medians of `aabb` in these runs
 * differ from its rows here, since moments differ by more than kinds. A kind that is new gets its
 * rows from there. Other rows choose other trees, so they are in the build key. Only their ratios
 * matter. */
#include "choice.h"

#include "../../formats/assert.h"

#include <string.h>

static const struct {
    const char *bv;
    int leaf;
    kiln_unit_costs unit; /* of a node, a pair of volumes, a pair of triangles, a query */
} rows[] = {
    {"obb", 2, {39.9, 6.48, 65.8, 298}},     {"obb", 4, {32.4, 9.10, 20.4, 338}},
    {"obb", 8, {41.3, 12.71, 9.3, 405}},     {"aabb", 2, {14.5, 8.75, 39.5, 322}},
    {"aabb", 4, {16.0, 9.04, 18.0, 440}},    {"aabb", 8, {15.7, 10.23, 7.8, 438}},
    {"obb2", 2, {9.8, 56.83, 106.0, 254}},   {"obb2", 4, {10.1, 54.72, 32.5, 234}},
    {"obb2", 8, {10.8, 54.17, 9.3, 245}},    {"aabb2", 2, {4.0, 44.93, 54.5, 308}},
    {"aabb2", 4, {4.1, 49.15, 24.4, 394}},   {"aabb2", 8, {4.3, 47.40, 9.4, 488}},
    {"dop14", 2, {14.9, 19.49, 62.9, 708}},  {"dop14", 4, {14.1, 20.12, 23.3, 676}},
    {"dop14", 8, {15.4, 24.87, 9.5, 674}},   {"dop6", 2, {15.6, 9.93, 41.2, 344}},
    {"dop6", 4, {12.7, 8.95, 17.3, 398}},    {"dop6", 8, {16.1, 11.17, 8.2, 409}},
    {"dop18", 2, {13.4, 22.64, 60.8, 837}},  {"dop18", 4, {14.6, 21.92, 28.4, 860}},
    {"dop18", 8, {14.3, 31.65, 10.9, 908}},  {"dop24", 2, {15.7, 29.79, 78.4, 1135}},
    {"dop24", 4, {13.4, 32.09, 32.7, 1090}}, {"dop24", 8, {15.6, 31.49, 10.0, 989}},
    {"dop26", 2, {14.0, 28.30, 73.3, 990}},  {"dop26", 4, {12.6, 29.32, 30.2, 926}},
    {"dop26", 8, {14.6, 36.01, 10.7, 887}},  {"sphere", 2, {23.4, 8.08, 27.8, 451}},
    {"sphere", 4, {25.9, 4.77, 10.4, 629}},  {"sphere", 8, {22.4, 5.69, 5.0, 636}},
    {"octree", 2, {15.1, 7.88, 50.7, 283}},  {"octree", 4, {16.2, 9.18, 19.3, 341}},
    {"octree", 8, {14.6, 10.46, 10.7, 410}},
};

const kiln_unit_costs *kiln_unit_costs_of(const char *bv, int leaf)
{
    const kiln_unit_costs *first = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].leaf == leaf && strcmp(rows[i].bv, bv) == 0) {
            return &rows[i].unit;
        }
        first = rows[i].leaf == leaf && first == NULL ? &rows[i].unit : first;
    }
    KILN_ASSERT(first != NULL);
    return first;
}
