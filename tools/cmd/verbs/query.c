/* kiln query: rays, points and shapes against one baked mesh.
 *
 * Each line of the input is one query. A function for each of the three kinds takes the numbers
 * of a line, times the call of the library, and prints the answer at once, so that a long input
 * needs no memory but for its times and, with --json, its answers. The buffers for hits grow to
 * what --mode all needs and are kept from line to line. The first line that is wrong ends the
 * run, named by its number.
 *
 * Times are kept one for each line, since a median and a percentile can't be computed from a
 * running sum; 8 bytes a query are little beside the line that it came from. */
#include "../kit/number_lines.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "query_distance.h"
#include "query_nearest.h"
#include "query_self.h"
#include "query_winding.h"
#include "query_spheres.h"
#include "verbs.h"

#include "../../common/clock.h"
#include "../../../formats/assert.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the choices of --mode. */
typedef enum {
    MODE_FIRST,
    MODE_ANY,
    MODE_ALL,
    MODE_NEAREST,
    MODE_SIGNED,
    MODE_DISTANCE,
    MODE_WINDING
} query_mode;

typedef struct {
    const char *rays, *points, *shapes, *spheres, *poses, *bv, *tree;
    int mode, count;      /* 0: not given */
    double scale, within; /* less than 0: not given */
    double accuracy;      /* so are these */
    int cull, neighbours; /* kiln_cull, kiln_neighbours */
    bool self, witness, json;
} query_settings;

#define FIELD(name) offsetof(query_settings, name)

static const option query_options[] = {
    {"rays", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(rays),
     "one ray on each line, '-' for standard input: origin and direction, 6 numbers, and, with "
     "8, the least and the largest t, in lengths of the direction (default 0 inf); '#' starts a "
     "comment"},
    {"points", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(points),
     "one point on each line, 3 numbers: is it inside a closed mesh? Or what is near it, by "
     "--mode"},
    {"shapes", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(shapes),
     "one shape on each line: 4 numbers, a sphere by centre and radius; 6, a box by its lower "
     "and upper corner; 7, a capsule by both ends and radius; 10, 13 and so on, a triangle or a "
     "convex hull by its vertices and a radius around it (0: none)"},
    {"spheres", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(spheres),
     "one sphere of a robot on each line: 4 numbers, centre and radius, or 5, and its link, from "
     "0"},
    {"poses", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(poses),
     "for --spheres: the pose of a link on each line, 12 numbers, row-major 3 x 4, or 13 with a "
     "scale; those of link 0, 1 and so on make a configuration (default: one, at the identity)"},
    {"self", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(self),
     "where does the mesh meet itself? With --mode any: does it?"},
    {"neighbours", 0, OPTION_CHOICE, NULL, "beyond|never|all", 0, 0, FIELD(neighbours),
     "with --self, triangles that share corners: where they have more than these in common, "
     "never, or always (default beyond)"},
    {"mode", 0, OPTION_CHOICE, NULL, "first|any|all|nearest|signed|distance|winding", 0, 0,
     FIELD(mode),
     "for rays and shapes: first prints one triangle, for a ray the closest; any prints 1 or 0; "
     "all prints every triangle that is met (default first). For points: nearest prints the "
     "nearest triangle, signed the distance from a closed mesh, negative inside, winding how often "
     "a mesh, closed or not, goes around it. For shapes: "
     "distance prints how far the mesh is"},
    {"count", 0, OPTION_INTEGER, "K", NULL, 1, INT_MAX, FIELD(count),
     "with --mode nearest: the K nearest triangles"},
    {"within", 0, OPTION_REAL, "R", NULL, 0, 1e300, FIELD(within),
     "with --mode nearest: all triangles within R, or the K nearest of them; with --mode signed: "
     "no triangle that is farther"},
    {"accuracy", 0, OPTION_REAL, "E", NULL, 0, 1e30, FIELD(accuracy),
     "with --mode winding: the largest error; 0: the sum over all triangles (default 0.01)"},
    {"cull", 0, OPTION_CHOICE, NULL, "none|back|front", 0, 0, FIELD(cull),
     "side of triangles that rays ignore (default none)"},
    {"scale", 0, OPTION_REAL, "S", NULL, KILN_SCALE_MIN, KILN_SCALE_MAX, FIELD(scale),
     "enlarge the mesh S times about its origin (default 1)"},
    {"witness", 'w', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(witness),
     "name triangles by their faces in the source"},
    {"bv", 0, OPTION_TEXT, "KIND", NULL, 0, 0, FIELD(bv),
     "kind of tree to use (default: the first in the file)"},
    {"tree", 0, OPTION_TEXT, "NAME", NULL, 0, 0, FIELD(tree), "name of the tree to use"},
    OPTION_JSON(query_settings),
};

/* A run over all lines: what is queried, and the buffers that live as long as the run. */
typedef struct {
    const query_settings *settings;
    const char *path; /* of the lines of queries */
    const char *mesh; /* the path of the baked file */
    const kiln_tree *tree;
    kiln_pose pose; /* of the mesh */
    kiln_query_options options;
    kiln_ray_hit *hits;
    kiln_triangle_hit *triangles;
    size_t capacity; /* of both */
    json_t *answers; /* NULL: text */
    double *times;
    size_t count, time_capacity, found;
    nearest_lines nearest;
    winding_lines winding;
} query_run;

/* By kiln_side and kiln_place. */
static const char *const side_names[] = {"", "front", "back", "edge"};
static const char *const place_names[] = {"outside", "inside", "surface"};

/* ----------------------------------------------------------------------------------- answers -- */

/* `value` is the number that the source gave the triangle, such as its material. */
static json_t *triangle_json(const query_run *run, uint32_t triangle)
{
    json_t *object = json_object();
    json_object_set_new(object, "triangle", json_count(triangle));
    json_object_set_new(object, "value", json_count(kiln_tree_user(run->tree, triangle)));
    if (run->settings->witness) {
        triangle_add_source(object, run->tree, triangle);
    }
    return object;
}

/* Prints one answer about a ray: whether there is a hit, and the `count` hits that the mode
 * shows. */
static void report_rays(query_run *run, bool found, size_t count)
{
    const query_mode mode = (query_mode)run->settings->mode;
    const kiln_ray_hit *hits = run->hits;
    KILN_ASSERT(count <= run->capacity);
    KILN_ASSERT(found || count == 0);
    if (run->answers != NULL) {
        json_t *object = json_object(), *list = json_array();
        for (size_t i = 0; i < count; i++) {
            json_t *hit = triangle_json(run, hits[i].triangle);
            KILN_ASSERT((size_t)hits[i].side < COUNT_OF(side_names));
            json_object_set_new(hit, "t", json_number(hits[i].t));
            json_object_set_new(hit, "side", json_string(side_names[hits[i].side]));
            json_object_set_new(hit, "weights", json_numbers(hits[i].weights, 3));
            json_object_set_new(hit, "normal", json_numbers(hits[i].normal, 3));
            json_array_append_new(list, hit);
        }
        json_object_set_new(object, "hit", json_boolean(found));
        json_object_set_new(object, "hits", list);
        json_array_append_new(run->answers, object);
        return;
    }
    putchar(found ? '1' : '0');
    if (mode == MODE_ALL) {
        printf(" %zu", count);
    }
    for (size_t i = 0; i < count; i++) {
        printf(mode == MODE_ALL ? " %u:%.17g:%s" : " %u %.17g %s",
               triangle_number(run->tree, hits[i].triangle, run->settings->witness), hits[i].t,
               side_names[hits[i].side]);
    }
    putchar('\n');
}

/* The same about a shape, whose hits are triangles alone. */
static void report_triangles(query_run *run, bool found, size_t count)
{
    const kiln_triangle_hit *triangles = run->triangles;
    KILN_ASSERT(count <= run->capacity);
    KILN_ASSERT(found || count == 0);
    if (run->answers != NULL) {
        json_t *object = json_object(), *list = json_array();
        for (size_t i = 0; i < count; i++) {
            json_array_append_new(list, triangle_json(run, triangles[i].triangle));
        }
        json_object_set_new(object, "hit", json_boolean(found));
        json_object_set_new(object, "hits", list);
        json_array_append_new(run->answers, object);
        return;
    }
    putchar(found ? '1' : '0');
    if (run->settings->mode == MODE_ALL) {
        printf(" %zu", count);
    }
    for (size_t i = 0; i < count; i++) {
        printf(" %u", triangle_number(run->tree, triangles[i].triangle, run->settings->witness));
    }
    putchar('\n');
}

/* The same about the spheres of a configuration, by their places in the file. */
static void report_spheres(query_run *run, const sphere_lines *lines, size_t found)
{
    const query_mode mode = (query_mode)run->settings->mode;
    if (run->answers != NULL) {
        json_t *object = json_object(), *list = json_array();
        for (size_t i = 0; mode == MODE_ALL && i < lines->of.count; i++) {
            if (lines->meets[i] != 0) {
                json_array_append_new(list, json_pack("{s:I}", "sphere", (json_int_t)i));
            }
        }
        if (mode == MODE_FIRST && found > 0) {
            json_t *hit = triangle_json(run, lines->hit.triangle);
            json_object_set_new(hit, "sphere", json_count(lines->hit.sphere));
            json_array_append_new(list, hit);
        }
        json_object_set_new(object, "hit", json_boolean(found > 0));
        json_object_set_new(object, "hits", list);
        json_array_append_new(run->answers, object);
        return;
    }
    putchar(found > 0 ? '1' : '0');
    if (mode == MODE_ALL) {
        printf(" %zu", found);
    }
    for (size_t i = 0; mode == MODE_ALL && i < lines->of.count; i++) {
        if (lines->meets[i] != 0) {
            printf(" %zu", i);
        }
    }
    if (mode == MODE_FIRST && found > 0) {
        printf(" %u %u", lines->hit.sphere,
               triangle_number(run->tree, lines->hit.triangle, run->settings->witness));
    }
    putchar('\n');
}

/* ----------------------------------------------------------------------------------- queries -- */

/* Reports a line whose count of numbers fits no query of this kind. The count of numbers is the
 * only thing that says which query a line has, so that the message lists the counts. */
static int wrong_count(const query_run *run, unsigned long line, int count, const char *what)
{
    return report_error(EXIT_INVALID, run->path, "line %lu: %d numbers; %s", line, count, what);
}

/* Reports why a query has no answer, in terms of the line that it stands in; `fault` is what is
 * wrong with its numbers, NULL where it is nothing but their size. */
static int wrong_answer(const query_run *run, unsigned long line, kiln_status status,
                        const char *fault)
{
    KILN_ASSERT(status != KILN_OK);
    /* Four statuses mean something more exact here than the text of the library can say. */
    const char *why = kiln_status_text(status);
    if (status == KILN_ERROR_ARGUMENT) {
        why = fault != NULL ? fault : "a number is not finite or above 1e60";
    } else if (status == KILN_ERROR_NOT_LOADED) {
        return report_error(EXIT_INVALID, run->mesh,
                            "was baked without polygons; bake it again without --no-geometry");
    } else if (status == KILN_ERROR_OPEN_MESH) {
        return report_error(EXIT_INVALID, run->mesh,
                            "is not closed, so it has no inside; kiln check-mesh says where its "
                            "model is open; close it and bake it again, or ask --mode winding, "
                            "which takes open meshes too");
    } else if (status == KILN_ERROR_MEMORY) {
        return report_error(EXIT_RUN, run->path, "line %lu: out of memory", line);
    }
    return report_error(EXIT_INVALID, run->path, "line %lu: %s", line, why);
}

static const char shape_counts[] = "a sphere has 4, a box 6, a capsule 7, the hull of n vertices "
                                   "3 n + 1 with its radius, n up to 256";

/* Why a ray is none, in its own terms; NULL: the text of the library says it. */
static const char *ray_fault(const kiln_ray *ray)
{
    const double *way = ray->direction;
    const double largest = fmax(fabs(way[0]), fmax(fabs(way[1]), fabs(way[2])));
    return largest == 0                        ? "the direction has no length"
           : ray->t_min > ray->t_max           ? "the least t is above the largest"
           : largest < 1e-30 || largest > 1e30 ? "the direction is too short or too long: its "
                                                 "largest number is from 1e-30 to 1e30"
                                               : NULL;
}

/* Why a shape is none. */
static const char *shape_fault(const kiln_shape *shape)
{
    const bool is_box = shape->kind == KILN_SHAPE_BOX;
    for (int k = 0; k < 3 && is_box; k++) {
        if (shape->a[k] > shape->b[k]) {
            return "the lower corner of the box is above the upper one";
        }
    }
    return !is_box && shape->radius < 0 ? "the radius is negative" : NULL;
}

/* Makes room for `count` hits of either kind. False: no memory; the old buffers stay as they
 * are. */
static bool make_room(query_run *run, size_t count)
{
    /* Both buffers have one capacity; where the second fails, the first is larger than it
         * says. */
    kiln_ray_hit *hits = realloc(run->hits, count * sizeof *hits);
    run->hits = hits != NULL ? hits : run->hits;
    kiln_triangle_hit *triangles =
        hits == NULL ? NULL : realloc(run->triangles, count * sizeof *triangles);
    run->triangles = triangles != NULL ? triangles : run->triangles;
    run->capacity = triangles != NULL ? count : run->capacity;
    KILN_ASSERT(run->capacity == 0 || (run->hits != NULL && run->triangles != NULL));
    return triangles != NULL;
}

/* Keeps the time since `start` and counts a hit. Reports want of memory. */
static int note_time(query_run *run, double start, bool found)
{
    KILN_ASSERT(run->count <= run->time_capacity);
    if (run->count == run->time_capacity) {
        const size_t capacity = 2 * run->time_capacity + 64;
        double *times = realloc(run->times, capacity * sizeof *times);
        if (times == NULL) {
            return report_error(EXIT_RUN, NULL, "out of memory; too many questions");
        }
        run->times = times;
        run->time_capacity = capacity;
    }
    run->times[run->count++] = 1e6 * (kiln_seconds() - start);
    run->found += found;
    return EXIT_DONE;
}

/* Takes the numbers of a ray. Without both ends of t the ray starts at its origin and never
 * ends. */
static int take_ray(void *user, unsigned long line, const double *numbers, int count)
{
    query_run *run = user;
    kiln_ray ray;
    size_t found = 0;
    if (count != 6 && count != 8) {
        return wrong_count(run, line, count,
                           "a ray has 6 (origin, direction) or 8 (and both ends of t)");
    }
    /* t counts lengths of the direction, which need not be a unit vector. */
    memcpy(ray.origin, numbers, sizeof ray.origin);
    memcpy(ray.direction, numbers + 3, sizeof ray.direction);
    ray.t_min = count == 8 ? numbers[6] : 0;
    ray.t_max = count == 8 ? numbers[7] : HUGE_VAL;
    const query_mode mode = (query_mode)run->settings->mode;
    kiln_status status;
    const double start = kiln_seconds();
    if (mode != MODE_ALL) {
        status = (mode == MODE_ANY ? kiln_ray_any : kiln_ray_closest)(run->tree, &run->pose, &ray,
                                                                      &run->options, run->hits);
        found = status == KILN_OK && run->hits->found;
    } else { /* all of them may take a second call with more room */
        status = kiln_ray_all(run->tree, &run->pose, &ray, &run->options, run->hits, run->capacity,
                              &found);
        if (status == KILN_OK && found > run->capacity) {
            status = !make_room(run, found)
                         ? KILN_ERROR_MEMORY
                         : kiln_ray_all(run->tree, &run->pose, &ray, &run->options, run->hits,
                                        run->capacity, &found);
        }
    }
    if (status != KILN_OK) {
        return wrong_answer(run, line, status, ray_fault(&ray));
    }
    /* The time is taken before the answer is printed, so that the output is no part of it. The
     * answer is printed even if there was no memory for its time; the run ends after it. */
    const int noted = note_time(run, start, found > 0);
    report_rays(run, found > 0, mode == MODE_ANY ? 0 : found);
    return noted;
}

/* The distance of a shape. */
static int take_shape_distance(void *user, unsigned long line, const double *numbers, int count)
{
    query_run *run = user;
    double corners[24];
    kiln_convex shape;
    kiln_shape_nearest nearest;
    if (!query_convex_of(numbers, count, corners, &shape)) {
        return wrong_count(run, line, count, shape_counts);
    }
    const char *fault = query_convex_fault(numbers, count);
    kiln_shape_options options = kiln_shape_options_default();
    const double start = kiln_seconds();
    const kiln_status status = fault != NULL ? KILN_ERROR_ARGUMENT
                                             : kiln_shape_distance(run->tree, &run->pose, &shape,
                                                                   NULL, &options, &nearest);
    if (status != KILN_OK) {
        return wrong_answer(run, line, status, fault);
    }
    const int noted = note_time(run, start, nearest.found && nearest.distance == 0);
    query_distance_report(run->tree, &nearest, run->settings->witness, run->answers);
    return noted;
}

/* A triangle or a hull, and what it meets. */
static int take_hull(query_run *run, unsigned long line, const double *numbers, int count)
{
    double corners[24];
    kiln_convex shape;
    size_t found = 0;
    if (!query_convex_of(numbers, count, corners, &shape)) {
        return wrong_count(run, line, count, shape_counts);
    }
    const bool all = run->settings->mode == MODE_ALL;
    kiln_status status;
    const double start = kiln_seconds();
    if (!all) {
        status = kiln_convex_overlap_any(run->tree, &run->pose, &shape, NULL, &run->options,
                                         run->triangles);
        found = status == KILN_OK && run->triangles->found;
    } else {
        status = kiln_convex_overlap_all(run->tree, &run->pose, &shape, NULL, &run->options,
                                         run->triangles, run->capacity, &found);
        if (status == KILN_OK && found > run->capacity) {
            status =
                !make_room(run, found)
                    ? KILN_ERROR_MEMORY
                    : kiln_convex_overlap_all(run->tree, &run->pose, &shape, NULL, &run->options,
                                              run->triangles, run->capacity, &found);
        }
    }
    if (status != KILN_OK) {
        return wrong_answer(run, line, status, query_convex_fault(numbers, count));
    }
    const int noted = note_time(run, start, found > 0);
    report_triangles(run, found > 0, run->settings->mode == MODE_ANY ? 0 : found);
    return noted;
}

/* Takes the numbers of a shape; their count says which one it is. */
static int take_shape(void *user, unsigned long line, const double *numbers, int count)
{
    query_run *run = user;
    kiln_shape shape;
    size_t found = 0;
    memset(&shape, 0, sizeof shape);
    if (count != 4 && count != 6 && count != 7) {
        return take_hull(run, line, numbers, count);
    }
    /* A sphere is a point with a radius, a capsule a segment with one, a box two corners. */
    shape.kind = count == 4 ? KILN_SHAPE_SPHERE : count == 6 ? KILN_SHAPE_BOX : KILN_SHAPE_CAPSULE;
    memcpy(shape.a, numbers, sizeof shape.a);
    if (count > 4) {
        memcpy(shape.b, numbers + 3, sizeof shape.b);
    }
    shape.radius = count == 6 ? 0 : numbers[count - 1];
    const query_mode mode = (query_mode)run->settings->mode;
    kiln_status status;
    const double start = kiln_seconds();
    if (mode != MODE_ALL) {
        status =
            kiln_overlap_any(run->tree, &run->pose, &shape, NULL, &run->options, run->triangles);
        found = status == KILN_OK && run->triangles->found;
    } else {
        status = kiln_overlap_all(run->tree, &run->pose, &shape, NULL, &run->options,
                                  run->triangles, run->capacity, &found);
        if (status == KILN_OK && found > run->capacity) {
            status = !make_room(run, found)
                         ? KILN_ERROR_MEMORY
                         : kiln_overlap_all(run->tree, &run->pose, &shape, NULL, &run->options,
                                            run->triangles, run->capacity, &found);
        }
    }
    if (status != KILN_OK) {
        return wrong_answer(run, line, status, shape_fault(&shape));
    }
    const int noted = note_time(run, start, found > 0);
    report_triangles(run, found > 0, mode == MODE_ANY ? 0 : found);
    return noted;
}

/* Takes a point of which the nearest triangles are wanted. */
static int take_near_point(void *user, unsigned long line, const double *numbers, int count)
{
    query_run *run = user;
    nearest_lines *lines = &run->nearest;
    if (count != 3) {
        return wrong_count(run, line, count, "a point has 3");
    }
    const double start = kiln_seconds();
    const kiln_status status = nearest_lines_ask(lines, numbers);
    if (status != KILN_OK) {
        return wrong_answer(run, line, status, NULL);
    }
    const int noted =
        note_time(run, start, lines->is_signed ? !(lines->distance > 0) : lines->count > 0);
    nearest_lines_report(lines, run->answers);
    return noted;
}

/* Takes a point of which the winding number is wanted. Of the times the first has that of summing
 * up the mesh. */
static int take_winding_point(void *user, unsigned long line, const double *numbers, int count)
{
    query_run *run = user;
    winding_lines *lines = &run->winding;
    if (count != 3) {
        return wrong_count(run, line, count, "a point has 3");
    }
    const double start = kiln_seconds();
    const kiln_status status = winding_lines_ask(lines, run->tree, numbers);
    if (status != KILN_OK) {
        return wrong_answer(run, line, status, NULL);
    }
    const int noted = note_time(run, start, lines->answer.number > 0.5);
    winding_lines_report(lines, run->answers);
    return noted;
}

/* Takes a point, whose answer is one of three words. */
static int take_point(void *user, unsigned long line, const double *numbers, int count)
{
    query_run *run = user;
    kiln_place place;
    if (count != 3) {
        return wrong_count(run, line, count, "a point has 3");
    }
    const double start = kiln_seconds();
    const kiln_status status = kiln_locate_point(run->tree, &run->pose, numbers, &place);
    if (status != KILN_OK) {
        return wrong_answer(run, line, status, NULL);
    }
    const int noted = note_time(run, start, place != KILN_PLACE_OUTSIDE);
    if (run->answers != NULL) {
        json_t *object = json_object();
        json_object_set_new(object, "place", json_string(place_names[place]));
        json_array_append_new(run->answers, object);
    } else {
        puts(place_names[place]);
    }
    return noted;
}

/* --------------------------------------------------------------------------------------- run -- */

/* The one question that has no lines. */
static int ask_self(const query_settings *settings, const char *path, const kiln_tree *tree)
{
    const self_question question = {.path = path,
                                    .tree = tree,
                                    .neighbours = settings->neighbours < 0
                                                      ? KILN_NEIGHBOURS_BEYOND
                                                      : (kiln_neighbours)settings->neighbours,
                                    .any = settings->mode == MODE_ANY,
                                    .witness = settings->witness};
    json_t *answers = report_is_json() ? json_array() : NULL;
    size_t found;
    double us;
    const int status = query_self(&question, answers, &found, &us);
    if (status == EXIT_DONE && answers != NULL) {
        json_t *root = report_root();
        json_object_set_new(root, "questions", json_count(1));
        json_object_set_new(root, "hits", json_count(found));
        json_add_times(root, &us, 1);
        json_object_set(root, "answers", answers);
    }
    json_decref(answers);
    return status;
}

/* A line for each configuration: the first sphere that meets the mesh and a triangle, or all. */
static int run_spheres(query_run *run)
{
    sphere_lines lines;
    const query_mode mode = (query_mode)run->settings->mode;
    int status = sphere_lines_read(&lines, run->path, run->settings->poses);
    for (size_t c = 0; status == EXIT_DONE && c < lines.configurations; c++) {
        size_t found = 0;
        const double start = kiln_seconds();
        const kiln_status answered =
            sphere_lines_ask(&lines, run->tree, &run->pose, c, mode == MODE_ALL, &found);
        if (answered != KILN_OK) {
            status = report_error(EXIT_INVALID, run->settings->poses, "configuration %zu: %s%s", c,
                                  answered == KILN_ERROR_NOT_LOADED
                                      ? "the mesh was baked without polygons; bake it again "
                                        "without --no-geometry"
                                      : kiln_status_text(answered),
                                  answered == KILN_ERROR_POSE ? "; " POSE_CURE : "");
            break;
        }
        status = note_time(run, start, found > 0);
        report_spheres(run, &lines, found);
    }
    sphere_lines_free(&lines);
    return status;
}

/* Exactly one kind of query is allowed, as nothing in a line says which kind it is. */
static int run_query(int argc, char **argv)
{
    query_settings settings = {
        .mode = MODE_FIRST, .scale = 1, .within = -1, .accuracy = -1, .cull = -1, .neighbours = -1};
    int count;
    int status = options_parse(&verb_query, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    /* Two inputs would need answers that say which of them they belong to. */
    if ((settings.rays != NULL) + (settings.points != NULL) + (settings.shapes != NULL) +
            (settings.spheres != NULL) + settings.self !=
        1) {
        return report_usage(
            "exactly one of --rays, --points, --shapes, --spheres and --self is needed");
    }
    if (settings.poses != NULL && settings.spheres == NULL) {
        return report_usage("--poses needs --spheres");
    }
    if ((settings.cull >= 0 && settings.rays == NULL) ||
        (settings.neighbours >= 0 && !settings.self)) {
        return report_usage(settings.cull >= 0 && settings.rays == NULL
                                ? "--cull needs --rays"
                                : "--neighbours needs --self");
    }
    const bool is_near = settings.mode == MODE_NEAREST || settings.mode == MODE_SIGNED;
    if (is_near && settings.points == NULL) {
        return report_usage("--mode %s needs --points",
                            settings.mode == MODE_NEAREST ? "nearest" : "signed");
    }
    if ((settings.count != 0 && settings.mode != MODE_NEAREST) ||
        (settings.within >= 0 && !is_near)) {
        return report_usage(settings.count != 0 && settings.mode != MODE_NEAREST
                                ? "--count needs --mode nearest"
                                : "--within needs --mode nearest or signed");
    }
    if ((settings.mode == MODE_WINDING && settings.points == NULL) ||
        (settings.accuracy >= 0 && settings.mode != MODE_WINDING)) {
        return report_usage("--mode winding needs --points, and --accuracy needs --mode winding");
    }
    if (settings.mode == MODE_DISTANCE && settings.shapes == NULL) {
        return report_usage("--mode distance needs --shapes");
    }
    query_run run = {.settings = &settings,
                     .path = settings.rays != NULL      ? settings.rays
                             : settings.points != NULL  ? settings.points
                             : settings.spheres != NULL ? settings.spheres
                                                        : settings.shapes,
                     .mesh = argv[0]};
    kiln_file *file = NULL;
    status = open_file(argv[0], &file);
    if (status == EXIT_DONE) {
        status = choose_tree(argv[0], file, settings.tree, settings.bv, &run.tree);
    }
    if (status != EXIT_DONE) {
        goto done;
    }
    if (settings.self) {
        status = ask_self(&settings, argv[0], run.tree);
        goto done;
    }
    /* The pose only enlarges the mesh about its origin; the numbers of queries are taken as they
     * are. */
    run.options = kiln_query_options_default();
    run.options.cull = settings.cull < 0 ? KILN_CULL_NONE : (kiln_cull)settings.cull;
    run.pose = kiln_pose_identity();
    run.pose.scale = settings.scale;
    run.answers = report_is_json() ? json_array() : NULL;
    run.nearest = (nearest_lines){.tree = run.tree,
                                  .pose = &run.pose,
                                  .is_signed = settings.mode == MODE_SIGNED,
                                  .witness = settings.witness,
                                  .most = settings.count,
                                  .within = settings.within};
    run.winding = (winding_lines){.pose = &run.pose, .options = kiln_winding_options_default()};
    if (settings.accuracy >= 0) {
        run.winding.options.accuracy = settings.accuracy;
    }
    /* Room for one hit is needed in any mode; 64 spare most queries a second call. */
    status = make_room(&run, 64) ? EXIT_DONE : report_error(EXIT_RUN, NULL, "out of memory");
    if (status == EXIT_DONE && settings.spheres != NULL) {
        status = run_spheres(&run);
    } else if (status == EXIT_DONE) {
        status = number_lines_read(run.path,
                                   settings.rays != NULL            ? take_ray
                                   : is_near                        ? take_near_point
                                   : settings.mode == MODE_WINDING  ? take_winding_point
                                   : settings.points != NULL        ? take_point
                                   : settings.mode == MODE_DISTANCE ? take_shape_distance
                                                                    : take_shape,
                                   &run);
    }
    if (status == EXIT_DONE && run.answers != NULL) {
        json_t *root = report_root();
        json_object_set_new(root, "questions", json_count(run.count));
        json_object_set_new(root, "hits", json_count(run.found));
        json_add_times(root, run.times, run.count);
        json_object_set(root, "answers", run.answers);
    }
    json_decref(run.answers);
    free(run.times);
    free(run.hits);
    free(run.triangles);
    nearest_lines_free(&run.nearest);
    winding_lines_free(&run.winding);
done:
    kiln_close(file);
    return status;
}

const verb verb_query = {
    "query",
    "FILE.kiln",
    "query a mesh with rays, points, shapes or spheres",
    "Prints one line for each query. Rays: 1 or 0, then the triangle, t and the side that is "
    "met: front, back or edge, for a triangle that the ray lies in. Shapes: 1 or 0, then a "
    "triangle that is met, touching included. With --mode all the number of triangles follows, "
    "then all of them, for rays as triangle:t:side in the order of t. Points: outside, inside or "
    "surface; only closed meshes have an inside. With --mode nearest: 1, or 0 where none is within "
    "--within, the nearest triangle, its distance, where on it (face, edge or corner), and the "
    "nearest point; with --count or --within the number of triangles, then all of them as "
    "triangle:distance:where, nearest first. With --mode signed: the distance, negative inside, "
    "then the triangle, where on it, and the point. With --mode winding: the winding number, its "
    "largest error, and exact, where it is that of a closed mesh, or surface, where the point is "
    "on the mesh. With --mode distance: 1 if the shape meets the "
    "mesh, or 0, the distance, the nearest triangle, and its and the shape's nearest points, three "
    "numbers each. Spheres: for each configuration 1 or 0, then the first sphere that meets the "
    "mesh, counted from 0, and a triangle; with --mode all the number of spheres, then all of "
    "them. With --self: a line for each pair of triangles that meet, with how they do "
    "(touching, crossing, overlapping in one plane, duplicate) and how many corners they "
    "share.\n\nTriangles are named by their position in "
    "the "
    "import, counted from 0; with --witness by the face in the source file. With --json the "
    "times of the queries are printed, in microseconds.",
    query_options,
    COUNT_OF(query_options),
    1,
    1,
    run_query,
};
