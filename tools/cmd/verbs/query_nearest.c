/* The nearest triangles of a point, and its signed distance, as lines and as JSON. */
#include "query_nearest.h"

#include "../kit/files.h"
#include "../kit/report.h"
#include "verbs.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const feature_names[] = {"face", "edge", "corner"};

static bool make_room_for(nearest_lines *lines, size_t count)
{
    if (count <= lines->capacity) {
        return true;
    }
    kiln_surface_point *found = realloc(lines->found, count * sizeof *found);
    lines->found = found != NULL ? found : lines->found;
    lines->capacity = found != NULL ? count : lines->capacity;
    return found != NULL;
}

/* All within a distance are as many as there are: the call says how many, and is made again where
 * there was no room. */
static kiln_status ask_within(nearest_lines *lines, const double point[3],
                              const kiln_point_options *options)
{
    for (;;) {
        const kiln_status status =
            kiln_nearest_within(lines->tree, lines->pose, point, lines->within, options,
                                lines->found, lines->capacity, &lines->count);
        if (status != KILN_OK || lines->count <= lines->capacity) {
            return status;
        }
        if (!make_room_for(lines, lines->count)) {
            return KILN_ERROR_MEMORY;
        }
    }
}

kiln_status nearest_lines_ask(nearest_lines *lines, const double point[3])
{
    kiln_point_options options = kiln_point_options_default();
    const size_t most = lines->most > 0 ? (size_t)lines->most : 1;
    if (!make_room_for(lines, most)) {
        return KILN_ERROR_MEMORY;
    }
    if (lines->within >= 0) {
        options.beyond = lines->within;
    }
    kiln_status status;
    if (lines->is_signed) {
        status = kiln_signed_distance(lines->tree, lines->pose, point, &options, &lines->distance,
                                      lines->found);
        lines->count = status == KILN_OK && lines->found->found;
    } else if (lines->most > 0 || lines->within < 0) {
        status = kiln_nearest_several(lines->tree, lines->pose, point, most, &options, lines->found,
                                      &lines->count);
    } else {
        status = ask_within(lines, point, &options);
    }
    return status;
}

static json_t *surface_json(const nearest_lines *lines, const kiln_surface_point *at)
{
    json_t *object = json_object();
    KILN_ASSERT((size_t)at->feature < sizeof feature_names / sizeof *feature_names);
    json_object_set_new(object, "triangle", json_count(at->triangle));
    json_object_set_new(object, "value", json_count(at->value));
    if (lines->witness) {
        triangle_add_source(object, lines->tree, at->triangle);
    }
    json_object_set_new(object, "distance", json_number(at->distance));
    json_object_set_new(object, "feature", json_string(feature_names[at->feature]));
    json_object_set_new(object, "part", json_count(at->part));
    json_object_set_new(object, "point", json_numbers(at->point, 3));
    json_object_set_new(object, "weights", json_numbers(at->weights, 3));
    json_object_set_new(object, "normal", json_numbers(at->normal, 3));
    return object;
}

static void report_json(const nearest_lines *lines, json_t *answers)
{
    json_t *object = json_object(), *list = json_array();
    for (size_t i = 0; i < lines->count; i++) {
        json_array_append_new(list, surface_json(lines, &lines->found[i]));
    }
    if (lines->is_signed) {
        json_object_set_new(object, "distance", json_number(lines->distance));
    }
    json_object_set_new(object, "hit", json_boolean(lines->count > 0));
    json_object_set_new(object, "hits", list);
    json_array_append_new(answers, object);
}

void nearest_lines_report(const nearest_lines *lines, json_t *answers)
{
    if (answers != NULL) {
        report_json(lines, answers);
        return;
    }
    const bool list = !lines->is_signed && (lines->most > 0 || lines->within >= 0);
    if (lines->is_signed) {
        printf("%.17g", lines->distance);
    } else {
        putchar(lines->count > 0 ? '1' : '0');
    }
    if (list) {
        printf(" %zu", lines->count);
    }
    for (size_t i = 0; i < lines->count; i++) {
        const kiln_surface_point *at = &lines->found[i];
        const uint32_t triangle = triangle_number(lines->tree, at->triangle, lines->witness);
        if (list) {
            printf(" %u:%.17g:%s", triangle, at->distance, feature_names[at->feature]);
            continue;
        }
        printf(" %u", triangle);
        if (!lines->is_signed) {
            printf(" %.17g", at->distance);
        }
        printf(" %s %.17g %.17g %.17g", feature_names[at->feature], at->point[0], at->point[1],
               at->point[2]);
    }
    putchar('\n');
}

void nearest_lines_free(nearest_lines *lines)
{
    free(lines->found);
}
