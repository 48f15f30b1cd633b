/* Nanoseconds that counts of a query took, by the kind of tree: the constants by which --bv auto
 * compares trees, so that a bake does not depend on the machine that it runs on.
 *
 * They were measured on one thread of a two-core Xeon, gcc -O3, AVX2: lower quartiles of seven runs
 * of
 *
 *   build/kiln-bench families --unit-costs --draws 12 MODEL...
 *
 * which prints these rows, over duck.dae, Wuson.ply, spider.obj and 2CylinderEngine.glb of Debian's
 * assimp-testmodels. A kind that is new gets its row from there. Other rows choose other trees, so
 * they are in the build key. Only their ratios matter to a choice. */
#include "choice.h"

#include <string.h>

static const struct {
    const char *bv;
    kiln_unit_costs unit; /* of a node, a pair of volumes, a pair of triangles, a query */
} rows[] = {
    {"obb", {30.3, 8.4, 18.8, 272}},    {"aabb", {12.3, 7.6, 16.8, 358}},
    {"obb2", {8.7, 53.5, 27.5, 212}},   {"aabb2", {4.0, 41.8, 20.1, 306}},
    {"dop14", {11.8, 20.1, 23.8, 673}}, {"dop6", {12.7, 9.2, 17.5, 377}},
    {"dop18", {12.9, 21.8, 26.7, 894}}, {"dop24", {12.6, 28.9, 31.5, 1103}},
    {"dop26", {12.8, 30.3, 31.2, 947}}, {"sphere", {23.5, 4.0, 10.0, 504}},
};

const kiln_unit_costs *kiln_unit_costs_of(const char *bv)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].bv, bv) == 0) {
            return &rows[i].unit;
        }
    }
    return &rows[0].unit;
}
