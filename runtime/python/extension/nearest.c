/* The triangles of a mesh that are nearest to points, and signed distances of points. */
#include "module.h"

#include "../../kiln_nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Points between two looks at signals, in arrays and in lists. */
enum { POINTS_AT_ONCE = 1 << 16, LISTS_AT_ONCE = 4096 };

PyObject *raise_of_points(int status, const double *points, size_t count, bool single)
{
    if (status == KILN_ERROR_POSE) {
        return raise_status(status, "pose", NULL);
    }
    for (size_t i = 0; status == KILN_ERROR_ARGUMENT && !single && i < 3 * count; i++) {
        if (!(fabs(points[i]) <= 1e60)) {
            char detail[40];
            snprintf(detail, sizeof detail, "query %zu", i / 3);
            return raise_status(status, detail, NULL);
        }
    }
    return raise_status(status, NULL, NULL);
}

typedef struct {
    double *values;
    size_t count;
    bool single;
    kiln_point_options options;
    uint32_t threads;
    filter of;
} point_list;

/* Points, `beyond`, `threads` and `filter`. False: an exception. */
static bool points_take(point_list *out, PyObject *points, PyObject *beyond, PyObject *threads,
                        PyObject *wanted)
{
    out->values = NULL;
    out->options = kiln_point_options_default();
    if ((beyond != NULL && !length_of(beyond, "beyond", INFINITY, &out->options.beyond)) ||
        !threads_of(threads, 0, &out->threads) || !filter_take(&out->of, wanted, 1)) {
        return false;
    }
    if (!vectors_take(points, "points", &out->values, &out->count, &out->single)) {
        filter_end(&out->of, NULL);
        return false;
    }
    filter_threads(&out->of, &out->threads);
    out->options.filter = filter_of_triangles(&out->of);
    out->options.stop = filter_stop(&out->of);
    out->options.filter_user = out->options.stop_user = &out->of;
    out->options.parallel = out->threads > 1 && out->count > 1 ? run_parallel : NULL;
    out->options.parallel_user = &out->threads;
    return true;
}

/* The tree of the call, and a pose that also without points is to be good. False: an exception. */
static bool begin(tree_use *use, PyObject *tree, const kiln_pose *pose, const point_list *points)
{
    if (!tree_begin(use, tree, "tree") || !filter_fits(&points->of, use, NULL)) {
        return false;
    }
    if (points->count == 0) {
        const double origin[3] = {0, 0, 0};
        kiln_surface_point nearest;
        const kiln_status status = kiln_nearest_point(use->tree, pose, origin, NULL, &nearest);
        if (status != KILN_OK) {
            raise_of_points((int)status, origin, 0, true);
        }
        return status == KILN_OK;
    }
    return true;
}

/* Answers all points into one of the two arrays. False: an exception. */
static bool ask_points(const kiln_tree *tree, const kiln_pose *pose, const point_list *points,
                       kiln_surface_point *nearest, double *distances)
{
    for (size_t done = 0; done < points->count;) {
        const size_t left = points->count - done;
        const size_t now = left < POINTS_AT_ONCE ? left : POINTS_AT_ONCE;
        const double *from = points->values + 3 * done;
        kiln_status status;
        Py_BEGIN_ALLOW_THREADS if (nearest != NULL)
        {
            status = kiln_nearest_points(tree, pose, from, now, &points->options, nearest + done);
        }
        else
        {
            status =
                kiln_signed_distances(tree, pose, from, now, &points->options, distances + done);
        }
        Py_END_ALLOW_THREADS if (status != KILN_OK)
        {
            raise_of_points((int)status, points->values, points->count, points->single);
            return false;
        }
        done += now;
        if (done < points->count && SIGNALLED()) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------ several of each -- */

/* The answers to all points: one array, in which those of point i begin at ends[i]. */
typedef struct {
    kiln_surface_point *found;
    size_t count, room;
} answer_list;

typedef struct {
    bool all;      /* within the radius; else the `most` nearest */
    double radius; /* of all */
    size_t most;
} selection;

static bool make_room(answer_list *list, size_t wanted)
{
    if (wanted <= list->room - list->count) {
        return true;
    }
    if (wanted > (size_t)PY_SSIZE_T_MAX / 2 / sizeof *list->found - list->count) {
        return false;
    }
    size_t more = list->room < SIZE_MAX / 4 / sizeof *list->found ? 2 * list->room : list->room;
    more = more < list->count + wanted ? list->count + wanted : more;
    kiln_surface_point *longer = realloc(list->found, more * sizeof *longer);
    if (longer == NULL) {
        return false;
    }
    list->found = longer;
    list->room = more;
    return true;
}

static kiln_status ask_several(const kiln_tree *tree, const kiln_pose *pose,
                               const point_list *points, size_t i, const selection *which,
                               answer_list *list)
{
    size_t wanted = which->all ? 16 : which->most, found = 0;
    for (;;) { /* at most twice */
        if (!make_room(list, wanted)) {
            return KILN_ERROR_MEMORY;
        }
        const size_t room = which->all ? list->room - list->count : which->most;
        kiln_surface_point *out = room == 0 ? NULL : list->found + list->count;
        const double *point = points->values + 3 * i;
        const kiln_status status =
            which->all
                ? kiln_nearest_within(tree, pose, point, which->radius, &points->options, out, room,
                                      &found)
                : kiln_nearest_several(tree, pose, point, room, &points->options, out, &found);
        if (status != KILN_OK) {
            return status;
        }
        if (found <= room) {
            list->count += found;
            return KILN_OK;
        }
        wanted = found;
    }
}

static PyObject *nearest_lists(const kiln_tree *tree, const kiln_pose *pose,
                               const point_list *points, const selection *which)
{
    answer_list list = {.found = NULL};
    void *ends = NULL, *bytes = NULL;
    kiln_status status = KILN_OK;
    PyObject *memory = NULL, *offsets = records_new(RECORD_MASK, points->count + 1, &ends);
    size_t i = 0;
    if (offsets == NULL) {
        return NULL;
    }
    while (i < points->count && status == KILN_OK) {
        const size_t left = points->count - i;
        const size_t until = left < LISTS_AT_ONCE ? points->count : i + LISTS_AT_ONCE;
        Py_BEGIN_ALLOW_THREADS for (; i < until && status == KILN_OK; i++)
        {
            status = ask_several(tree, pose, points, i, which, &list);
            ((uint64_t *)ends)[i + 1] = list.count;
        }
        Py_END_ALLOW_THREADS if (status == KILN_OK && i < points->count && SIGNALLED())
        {
            break;
        }
    }
    if (status != KILN_OK) {
        raise_of_points((int)status, points->values, points->count, points->single);
    } else if (PyErr_Occurred() == NULL) {
        memory = records_new(RECORD_SURFACE_POINT, list.count, &bytes);
    }
    if (memory == NULL) {
        free(list.found);
        Py_DECREF(offsets);
        return NULL;
    }
    if (list.count != 0) {
        memcpy(bytes, list.found, list.count * sizeof *list.found);
    }
    free(list.found);
    const size_t entries = points->count + 1;
    PyObject *answers = records_wrap(RECORD_SURFACE_POINT, memory, 1, &list.count);
    PyObject *begins = records_wrap(RECORD_MASK, offsets, 1, &entries);
    PyObject *result = answers == NULL || begins == NULL ? NULL : PyTuple_Pack(2, answers, begins);
    Py_XDECREF(answers);
    Py_XDECREF(begins);
    return result;
}

/* ---------------------------------------------------------------------------------- calls -- */

static bool is_given(PyObject *object)
{
    return object != NULL && object != Py_None;
}

PyDoc_STRVAR(
    nearest_doc,
    "nearest(tree, points, pose=None, *, count=None, within=None, beyond=inf, normals=True,\n"
    "        filter=None, threads=0)\n--\n\n"
    "The triangles that are nearest to points, where they are nearest, and the normals there.\n"
    "Distances are compared exactly; of equally near triangles the smallest id comes first.\n\n"
    "tree: kiln.Tree; pose: where it is, None, [4, 4] or [3, 4].\n"
    "points: float64 [3] or [n, 3], world; neighbours in the array are cheapest near each other.\n"
    "count: so many nearest triangles of each point; None: one.\n"
    "within: all triangles as near as this, or the nearest `count` of them.\n"
    "beyond: farther triangles are not found. Not with within.\n"
    "normals: False: leave them 0, which is quicker.\n" FILTER_DOC
    "threads: for many points; 0: one for each processor, the default. Not with count or\n"
    "    within.\n\n"
    "Returns a kiln.SurfacePoint, true where a triangle is found; for many points a structured\n"
    "array [n]. With count or within: (answers, offsets), those of point i, nearest first, in\n"
    "answers[offsets[i]:offsets[i + 1]].");
static PyObject *module_nearest(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                PyObject *keywords)
{
    static const char *const names[] = {"tree",   "points",  "pose",    "count", "within",
                                        "beyond", "normals", "threads", "filter"};
    static const signature wanted = {"nearest", names, 2, 3, 9};
    PyObject *in[9], *memory = NULL, *result = NULL;
    poses pose;
    point_list points;
    tree_use use = {.file = NULL};
    uint64_t most = SIZE_MAX;
    selection which = {.radius = 0};
    void *bytes = NULL;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in)) {
        return NULL;
    }
    const bool several = is_given(in[3]) || is_given(in[4]);
    const int normals = in[6] == NULL ? 1 : PyObject_IsTrue(in[6]);
    if (normals < 0 || (is_given(in[3]) && !count_of(in[3], "count", SIZE_MAX, &most)) ||
        (is_given(in[4]) && !length_of(in[4], "within", INFINITY, &which.radius)) ||
        !pose_take(&pose, in[2], "pose") || !points_take(&points, in[1], in[5], in[7], in[8])) {
        return NULL;
    }
    points.options.no_normal = normals == 0;
    if (is_given(in[4]) && in[5] != NULL) {
        PyErr_SetString(PyExc_ValueError, "within and beyond are not to be given together");
        goto end;
    }
    if (is_given(in[4])) {
        points.options.beyond = which.radius;
        which.all = !is_given(in[3]);
    }
    if ((!several && (memory = records_new(RECORD_SURFACE_POINT, points.count, &bytes)) == NULL) ||
        !begin(&use, in[0], pose_pointer(&pose), &points)) {
        goto end;
    }
    if (several) {
        const uint64_t triangles = kiln_tree_get_info(use.tree).triangle_count;
        which.most = (size_t)(most < triangles ? most : triangles);
        result = nearest_lists(use.tree, pose_pointer(&pose), &points, &which);
    } else if (ask_points(use.tree, pose_pointer(&pose), &points, bytes, NULL)) {
        if (points.single) {
            result = record_new(RECORD_SURFACE_POINT, bytes);
        } else {
            result = records_wrap(RECORD_SURFACE_POINT, memory, 1, &points.count);
            memory = NULL;
        }
    }
end:
    tree_end(&use);
    Py_XDECREF(memory);
    free(points.values);
    return filter_end(&points.of, result);
}

PyDoc_STRVAR(
    signed_distance_doc,
    "signed_distance(tree, points, pose=None, *, beyond=inf, filter=None, threads=0)\n--\n\n"
    "How far points are from the surface of a closed mesh, negative inside; 0 only on the\n"
    "surface. Which side a point is on is decided exactly.\n\n"
    "tree: kiln.Tree; pose: where it is, None, [4, 4] or [3, 4].\n"
    "points: float64 [3] or [n, 3], world; neighbours in the array are cheapest near each other.\n"
    "beyond: distances that are greater become inf, or -inf inside.\n" FILTER_DOC
    "    Inside is where it is of the whole mesh.\n"
    "threads: for many points; 0: one for each processor, the default.\n\n"
    "Returns a number, or float64 [n]. ValueError if the mesh is not closed (Tree.closed).");
static PyObject *module_signed_distance(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                        PyObject *keywords)
{
    static const char *const names[] = {"tree", "points", "pose", "beyond", "threads", "filter"};
    static const signature wanted = {"signed_distance", names, 2, 3, 6};
    PyObject *in[6], *memory = NULL, *result = NULL;
    poses pose;
    point_list points;
    tree_use use = {.file = NULL};
    void *bytes = NULL;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) || !pose_take(&pose, in[2], "pose") ||
        !points_take(&points, in[1], in[3], in[4], in[5])) {
        return NULL;
    }
    if ((memory = records_new(RECORD_DOUBLE, points.count, &bytes)) != NULL &&
        begin(&use, in[0], pose_pointer(&pose), &points) &&
        ask_points(use.tree, pose_pointer(&pose), &points, NULL, bytes)) {
        if (points.single) {
            result = PyFloat_FromDouble(*(const double *)bytes);
        } else {
            result = records_wrap(RECORD_DOUBLE, memory, 1, &points.count);
            memory = NULL;
        }
    }
    tree_end(&use);
    Py_XDECREF(memory);
    free(points.values);
    return filter_end(&points.of, result);
}

bool add_nearest(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"nearest", FAST(module_nearest), METH_FASTCALL | METH_KEYWORDS, nearest_doc},
        {"signed_distance", FAST(module_signed_distance), METH_FASTCALL | METH_KEYWORDS,
         signed_distance_doc},
        {NULL, NULL, 0, NULL},
    };
    return add_methods(module, functions);
}
