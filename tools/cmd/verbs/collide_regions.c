/* Contact regions at each pose, as lines and as JSON. The adjacency of each tree is made once. The
 * workplace begins with room for all triangles and a guess of the pairs, and grows to what the
 * library says it needs; it and the list of regions are kept from pose to pose. */
#include "collide_regions.h"

#include "../kit/files.h"
#include "../kit/report.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS = 1024, REGIONS = 16 }; /* room at first */

static kiln_status make_adjacency(const kiln_tree *tree, void **memory, kiln_adjacency **out)
{
    const size_t size = kiln_adjacency_size(tree);
    *memory = malloc(size > 0 ? size : 1); /* 0 without polygons, which the library reports */
    return *memory != NULL ? kiln_adjacency_place(*memory, size, tree, out) : KILN_ERROR_MEMORY;
}

/* A size of 0: more than the library takes, and than there is memory for. */
static kiln_status make_workplace(region_lines *lines, uint32_t triangles, uint32_t pairs)
{
    const size_t size = kiln_regions_size(triangles, pairs);
    free(lines->memory);
    lines->regions = NULL;
    lines->memory = size > 0 ? malloc(size) : NULL;
    if (lines->memory == NULL) {
        return KILN_ERROR_MEMORY;
    }
    lines->triangles = triangles;
    lines->pairs = pairs;
    return kiln_regions_place(lines->memory, size, triangles, pairs, &lines->regions);
}

kiln_status region_lines_start(region_lines *lines)
{
    const uint64_t triangles = (uint64_t)kiln_tree_get_info(lines->tree_a).triangle_count +
                               kiln_tree_get_info(lines->tree_b).triangle_count;
    kiln_status status = make_adjacency(lines->tree_a, &lines->memory_a, &lines->a);
    if (status == KILN_OK) {
        status = make_adjacency(lines->tree_b, &lines->memory_b, &lines->b);
    }
    if (status == KILN_OK) {
        status =
            make_workplace(lines, triangles < UINT32_MAX ? (uint32_t)triangles : UINT32_MAX, PAIRS);
    }
    if (status == KILN_OK) {
        lines->found = malloc(REGIONS * sizeof *lines->found);
        lines->capacity = lines->found != NULL ? REGIONS : 0;
        status = lines->found != NULL ? KILN_OK : KILN_ERROR_MEMORY;
    }
    return status;
}

/* Makes the workplace as large as the last query needed it. */
static kiln_status grow_workplace(region_lines *lines)
{
    uint32_t triangles = 0, pairs = 0;
    const kiln_status status = kiln_regions_needed(lines->regions, &triangles, &pairs);
    if (status != KILN_OK) {
        return status;
    }
    KILN_ASSERT(triangles > lines->triangles || pairs > lines->pairs);
    return make_workplace(lines, triangles > lines->triangles ? triangles : lines->triangles,
                          pairs > lines->pairs ? pairs : lines->pairs);
}

static kiln_status grow_list(region_lines *lines)
{
    kiln_region *more = realloc(lines->found, lines->count * sizeof *more);
    if (more == NULL) {
        return KILN_ERROR_MEMORY;
    }
    lines->found = more;
    lines->capacity = lines->count;
    return KILN_OK;
}

kiln_status region_lines_ask(region_lines *lines, const kiln_pose *pose_a, const kiln_pose *pose_b)
{
    for (;;) {
        kiln_status status =
            kiln_contact_regions(lines->regions, lines->a, pose_a, lines->b, pose_b, NULL,
                                 lines->found, lines->capacity, &lines->count);
        if (status == KILN_OK && lines->count <= lines->capacity) {
            return KILN_OK;
        }
        if (status == KILN_ERROR_FULL) {
            status = grow_workplace(lines);
        } else if (status == KILN_OK) {
            status = grow_list(lines);
        }
        if (status != KILN_OK) {
            lines->count = 0;
            return status;
        }
    }
}

/* The deepest is the first. */
double region_lines_depth(const region_lines *lines)
{
    return lines->count > 0 ? lines->found->depth : 0;
}

/* "  0.25  0.0000 0.0000 1.0000  0.5 0.5 0.875  1 4 touching": depth, normal, centroid, area,
 * number of points, and in words what else it is. The blanks at its start tell it from a line of
 * a pose. */
static void print_region(const kiln_region *region)
{
    double at[3], normal[3];
    for (int k = 0; k < 3; k++) {
        /* 0 of either sign is printed as 0. */
        at[k] = region->centroid[k] + 0.0;
        normal[k] = fabs(region->normal[k]) < 0.00005 ? 0 : region->normal[k];
    }
    printf("  %.6g  %.4f %.4f %.4f  %.6g %.6g %.6g  %.6g %u%s%s\n", region->depth, normal[0],
           normal[1], normal[2], at[0], at[1], at[2], region->area, region->point_count,
           region->touching ? " touching" : "", region->open ? " open" : "");
}

void region_lines_print(const region_lines *lines)
{
    KILN_ASSERT(lines->count <= lines->capacity);
    for (size_t i = 0; i < lines->count; i++) {
        print_region(&lines->found[i]);
    }
}

static json_t *pair_of(const region_lines *lines, kiln_pair pair)
{
    return pair_json(lines->tree_a, lines->tree_b, pair, lines->witness);
}

static json_t *points_json(const region_lines *lines, const kiln_region *region)
{
    json_t *points = json_array();
    for (uint32_t i = 0; i < region->point_count; i++) {
        const kiln_region_point *point = &region->points[i];
        json_t *object = json_object();
        json_object_set_new(object, "position", json_numbers(point->position, 3));
        json_object_set_new(object, "depth", json_number(point->depth));
        json_object_set_new(object, "pair", pair_of(lines, point->pair));
        json_array_append_new(points, object);
    }
    return points;
}

static json_t *region_json(const region_lines *lines, const kiln_region *region)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_count(region->id));
    json_object_set_new(object, "touching", json_boolean(region->touching));
    json_object_set_new(object, "open", json_boolean(region->open));
    json_object_set_new(object, "normal", json_numbers(region->normal, 3));
    json_object_set_new(object, "depth", json_number(region->depth));
    json_object_set_new(object, "centroid", json_numbers(region->centroid, 3));
    json_object_set_new(object, "radius", json_number(region->radius));
    json_object_set_new(object, "area", json_number(region->area));
    json_object_set_new(object, "area_vector", json_numbers(region->area_vector, 3));
    json_object_set_new(object, "length", json_number(region->length));
    json_object_set_new(object, "curves", json_count(region->curves));
    json_object_set_new(object, "pairs", json_count(region->pairs));
    json_object_set_new(object, "inside_a", json_count(region->inside_a));
    json_object_set_new(object, "inside_b", json_count(region->inside_b));
    json_object_set_new(object, "deepest", pair_of(lines, region->deepest));
    json_object_set_new(object, "place_a", json_numbers(region->place_a, 3));
    json_object_set_new(object, "place_b", json_numbers(region->place_b, 3));
    json_object_set_new(object, "points", points_json(lines, region));
    return object;
}

json_t *region_lines_json(const region_lines *lines)
{
    json_t *array = json_array();
    KILN_ASSERT(lines->count <= lines->capacity);
    for (size_t i = 0; i < lines->count; i++) {
        json_array_append_new(array, region_json(lines, &lines->found[i]));
    }
    return array;
}

void region_lines_free(region_lines *lines)
{
    free(lines->found);
    free(lines->memory);
    free(lines->memory_b);
    free(lines->memory_a);
}
