#include "count_build.h"

#include "count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

KILN_STATIC_ASSERT((int)KILN_ADB_AREA_BY_MEAN == (int)KILN_ADB_AREA_MEAN, "mean");
KILN_STATIC_ASSERT((int)KILN_ADB_AREA_BY_MAX == (int)KILN_ADB_AREA_MAX, "max");
KILN_STATIC_ASSERT((int)KILN_ADB_SUBTREE == (int)KILN_ADB_POLYGONS_SUBTREE, "subtree");
KILN_STATIC_ASSERT((int)KILN_ADB_MEETING_BOX == (int)KILN_ADB_POLYGONS_BOX, "box");
KILN_STATIC_ASSERT((int)KILN_ADB_ONE == (int)KILN_ADB_REGIONS_ONE, "one");
KILN_STATIC_ASSERT((int)KILN_ADB_OCTANTS == (int)KILN_ADB_REGIONS_OCTANTS, "octants");
KILN_STATIC_ASSERT((int)KILN_ADB_SECTORS == (int)KILN_ADB_REGIONS_SECTORS, "sectors");

static uint8_t byte_of(int value)
{
    return value < 0 || value > 255 ? 255 : (uint8_t)value;
}

double kiln_count_factor(const kiln_bake_options *options)
{
    const double usual = options->adb_area == KILN_ADB_AREA_BY_MEAN ? 0.75 : 0.5;
    return options->adb_factor == 0 ? usual : options->adb_factor;
}

kiln_format_adb kiln_count_parameters(const kiln_bake_options *options)
{
    kiln_format_adb how;
    memset(&how, 0, sizeof how);
    how.grid = byte_of(options->adb);
    how.regions = byte_of((int)options->adb_regions);
    how.area = byte_of((int)options->adb_area);
    how.polygons = byte_of((int)options->adb_polygons);
    how.factor = options->adb_factor;
    return how;
}

/* Corners in the order of slots. */
static float *gather_corners(const kiln_soup *soup, const kiln_build_tree *tree, uint32_t count)
{
    float *corners = malloc((size_t)count * 9 * sizeof *corners);
    for (size_t slot = 0; slot < count && corners != NULL; slot++) {
        const uint32_t *corner = soup->indices + 3 * (size_t)tree->order[slot];
        for (size_t i = 0; i < 3; i++) {
            memcpy(corners + 9 * slot + 3 * i, soup->positions + 3 * (size_t)corner[i],
                   3 * sizeof *corners);
        }
    }
    return corners;
}

kiln_bake_status kiln_count_build(const kiln_build_kind *kind, const kiln_soup *soup,
                                  const kiln_format_adb *how, const kiln_bake_options *options,
                                  kiln_build_tree *tree)
{
    char stage[32];
    snprintf(stage, sizeof stage, "count %s", kind->name);
    const kiln_watch watch = {kiln_thread_count(options->threads),
                              options->progress,
                              options->progress_user,
                              stage,
                              0,
                              1};
    kiln_count_input input = {.kind = kiln_node_kind_find(kind->format_bv),
                              .nodes = tree->nodes,
                              .node_count = tree->node_count,
                              .triangle_count = tree->triangle_count,
                              .scale_exponent = tree->scale_exponent};
    memcpy(input.origin, tree->origin, sizeof input.origin);
    memcpy(input.bounds_lower, tree->bounds_lower, sizeof input.bounds_lower);
    memcpy(input.bounds_upper, tree->bounds_upper, sizeof input.bounds_upper);
    const uint64_t count = kiln_count_boxes(&input);
    float *corners = gather_corners(soup, tree, tree->triangle_count);
    tree->boxes = malloc((size_t)count * sizeof *tree->boxes);
    tree->box_count = (uint32_t)count;
    input.corners = corners;
    kiln_bake_status status = KILN_BAKE_FAILED;
    if (corners != NULL && tree->boxes != NULL) {
        status = kiln_count(&input, how, &watch, tree->boxes);
    }
    free(corners);
    return status;
}
