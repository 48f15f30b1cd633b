/* Boxes, spheres, capsules and convex hulls against a mesh; one, or many at once. */
#include "module.h"

#include "../../kiln_shapes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPE_HULL = 3 }; /* in `kinds`; those before are kiln_shape_kind less 1 */

static const char *const kinds[] = {"box", "sphere", "capsule", "hull", NULL};

/* What a call reads of its shapes before the tree is taken into use. */
typedef struct {
    int kind;
    per_query a, b, radius; /* of a hull `a` is one, all its vertices */
    size_t vertices;
    poses where;
    size_t count; /* of queries */
    bool single;
} shape_list;

static void shapes_release(shape_list *shapes)
{
    free(shapes->a.values);
    free(shapes->b.values);
    free(shapes->radius.values);
    poses_release(&shapes->where);
}

static bool parts_take(shape_list *out, PyObject *name, PyObject *a, PyObject *b, PyObject *radius)
{
    static const char *const names[] = {"a", "b", "radius", "pose_shape"};
    if (!word_of(name, "shape", kinds, &out->kind)) {
        return false;
    }
    const bool two = out->kind == 0 || out->kind == 2;
    if ((two && b == Py_None) || (out->kind != 0 && radius == Py_None)) {
        PyErr_Format(PyExc_ValueError, "shape has no %s", two && b == Py_None ? "b" : "radius");
        return false;
    }
    if (!per_query_take(&out->a, a, out->kind == SHAPE_HULL ? "vertices" : "a", true) ||
        (b != Py_None && !per_query_take(&out->b, b, "b", true)) ||
        (radius != Py_None && !per_query_take(&out->radius, radius, "radius", false)) ||
        !poses_all(&out->where)) {
        return false;
    }
    if (out->kind == SHAPE_HULL) {
        out->vertices = out->a.count;
        out->a.single = true;
        if (out->vertices == 0 || out->vertices > UINT32_MAX) {
            PyErr_SetString(PyExc_ValueError, "vertices is to have from 1 to 4294967295 entries");
            return false;
        }
    }
    const per_query all[] = {out->a,
                             out->b,
                             out->radius,
                             {.values = out->where.single ? NULL : out->where.many[0].rotation,
                              .count = out->where.count}};
    return common_count(all, names, 4, &out->count, &out->single);
}

/* The arguments `shape` and `pose_shape`. False: an exception, and nothing to release. */
static bool shapes_take(shape_list *out, PyObject *shape, PyObject *where)
{
    PyObject *name, *a, *b, *radius;
    memset(out, 0, sizeof *out);
    if (!PyTuple_Check(shape) || PyTuple_Size(shape) != 4) {
        PyErr_SetString(PyExc_TypeError,
                        "shape is to be of kiln.box, kiln.sphere, kiln.capsule or kiln.hull");
        return false;
    }
    Py_INCREF(shape); /* its parts are there while they are read */
    bool good = PyArg_ParseTuple(shape, "OOOO", &name, &a, &b, &radius) != 0 &&
                poses_take(&out->where, where, "pose_shape");
    if (good && !parts_take(out, name, a, b, radius)) {
        shapes_release(out);
        good = false;
    }
    Py_DECREF(shape);
    return good;
}

/* Shape i, which is no hull. */
static void shape_at(const shape_list *shapes, size_t i, kiln_shape *out)
{
    *out = (kiln_shape){.kind = (kiln_shape_kind)(shapes->kind + 1)};
    memcpy(out->a, value_of(&shapes->a, i, 3), sizeof out->a);
    if (shapes->b.values != NULL) {
        memcpy(out->b, value_of(&shapes->b, i, 3), sizeof out->b);
    }
    if (shapes->radius.values != NULL) {
        out->radius = *value_of(&shapes->radius, i, 1);
    }
}

/* Shape i as a convex one, with its vertices in `corners` unless it is a hull. */
static kiln_status convex_at(const shape_list *shapes, size_t i, double corners[24],
                             kiln_convex *out)
{
    if (shapes->kind == SHAPE_HULL) {
        *out = (kiln_convex){.vertices = shapes->a.values,
                             .count = (uint32_t)shapes->vertices,
                             .radius = *value_of(&shapes->radius, i, 1)};
        return KILN_OK;
    }
    kiln_shape shape;
    shape_at(shapes, i, &shape);
    for (int k = 0; k < 3 && shape.kind == KILN_SHAPE_BOX; k++) {
        if (!(shape.a[k] <= shape.b[k])) { /* as kiln_overlap_any has it */
            return KILN_ERROR_ARGUMENT;
        }
    }
    return kiln_convex_from(&shape, corners, out);
}

static const kiln_pose *shape_pose(const shape_list *shapes, size_t i)
{
    return shapes->where.single ? pose_pointer(&shapes->where) : &shapes->where.many[i];
}

/* -------------------------------------------------------------------------------- overlap -- */

typedef struct {
    const kiln_tree *tree;
    const kiln_pose *pose;
    const shape_list *shapes;
    kiln_triangle_hit *hits;
    kiln_query_options options;
} overlap_asker;

static kiln_status ask_overlap(void *asker, size_t i)
{
    const overlap_asker *asked = asker;
    const shape_list *shapes = asked->shapes;
    const kiln_pose *where = shape_pose(shapes, i);
    kiln_status status;
    if (shapes->kind == SHAPE_HULL) {
        kiln_convex hull;
        convex_at(shapes, i, NULL, &hull);
        status = kiln_convex_overlap_any(asked->tree, asked->pose, &hull, where, &asked->options,
                                         &asked->hits[i]);
    } else {
        kiln_shape shape;
        shape_at(shapes, i, &shape);
        status = kiln_overlap_any(asked->tree, asked->pose, &shape, where, &asked->options,
                                  &asked->hits[i]);
    }
    return filter_raised(asked->options.filter_user) ? KILN_ERROR_STOPPED : status;
}

static kiln_status ask_overlap_all(void *asker, void *hits, size_t room, size_t *count)
{
    const overlap_asker *asked = asker;
    const kiln_pose *where = shape_pose(asked->shapes, 0);
    if (asked->shapes->kind == SHAPE_HULL) {
        kiln_convex hull;
        convex_at(asked->shapes, 0, NULL, &hull);
        return kiln_convex_overlap_all(asked->tree, asked->pose, &hull, where, &asked->options,
                                       hits, room, count);
    }
    kiln_shape shape;
    shape_at(asked->shapes, 0, &shape);
    return kiln_overlap_all(asked->tree, asked->pose, &shape, where, &asked->options, hits, room,
                            count);
}

PyDoc_STRVAR(
    overlap_doc,
    "overlap(tree, shape, pose=None, pose_shape=None, *, find='any',\n"
    "        filter=None, threads=0)\n--\n\n"
    "Which triangles a box, a sphere, a capsule or a convex hull meets; shapes are solid, and\n"
    "touching is meeting.\n\n"
    "tree: kiln.Tree; pose: where it is, None, [4, 4] or [3, 4].\n"
    "shape: of kiln.box, kiln.sphere, kiln.capsule or kiln.hull, which may be many shapes.\n"
    "pose_shape: where the shape is: a box with a pose is an oriented box; None, [4, 4], or\n"
    "    [n, 4, 4]; [3, 4] likewise.\n"
    "find: 'any': whether it meets any; 'all': all that one shape meets.\n" FILTER_DOC
    "threads: for many shapes; 0: one for each processor, the default.\n\n"
    "Returns a kiln.TriangleHit, or for many shapes or 'all' a structured array [n].");
static PyObject *module_overlap(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                PyObject *keywords)
{
    static const char *const names[] = {"tree", "shape",   "pose",  "pose_shape",
                                        "find", "threads", "filter"};
    static const signature wanted = {"overlap", names, 2, 4, 7};
    static const char *const finds[] = {"any", "all", NULL};
    PyObject *in[7], *memory = NULL, *result = NULL;
    poses pose;
    filter of;
    shape_list shapes;
    tree_use use = {.file = NULL};
    int find = 0;
    uint32_t threads = 0;
    void *bytes = NULL;
    kiln_triangle_hit one;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[4] != NULL && !word_of(in[4], "find", finds, &find)) ||
        !threads_of(in[5], 0, &threads) || !pose_take(&pose, in[2], "pose") ||
        !filter_take(&of, in[6], 1)) {
        return NULL;
    }
    if (!shapes_take(&shapes, in[1], in[3])) {
        return filter_end(&of, NULL);
    }
    filter_threads(&of, &threads);
    if (!shapes.single && find == 1) {
        PyErr_SetString(PyExc_ValueError, "find='all' takes one shape");
        goto end;
    }
    if ((!shapes.single &&
         (memory = records_new(RECORD_TRIANGLE_HIT, shapes.count, &bytes)) == NULL) ||
        !tree_begin(&use, in[0], "tree") || !filter_fits(&of, &use, NULL) ||
        !pose_is_good(use.tree, pose_pointer(&pose), "pose")) {
        goto end;
    }
    overlap_asker asker = {.tree = use.tree,
                           .pose = pose_pointer(&pose),
                           .shapes = &shapes,
                           .hits = shapes.single ? &one : bytes,
                           .options = kiln_query_options_default()};
    asker.options.filter = filter_of_triangles(&of);
    asker.options.filter_user = &of;
    if (find == 1) {
        kiln_status status;
        result = records_found(RECORD_TRIANGLE_HIT, ask_overlap_all, &asker, SIZE_MAX, &status);
        if (status != KILN_OK) {
            raise_status((int)status, NULL, NULL);
        }
    } else if (ask_many(ask_overlap, &asker, shapes.count, threads, shapes.single)) {
        if (shapes.single) {
            result = record_new(RECORD_TRIANGLE_HIT, &one);
        } else {
            result = records_wrap(RECORD_TRIANGLE_HIT, memory, 1, &shapes.count);
            memory = NULL;
        }
    }
end:
    tree_end(&use);
    Py_XDECREF(memory);
    shapes_release(&shapes);
    return filter_end(&of, result);
}

/* ------------------------------------------------------------------------------- distance -- */

typedef struct {
    const kiln_tree *tree;
    const kiln_pose *pose;
    const shape_list *shapes;
    kiln_shape_options options;
    filter of;
    double distance; /* that shapes are within, or not */
    void *answers;
} near_asker;

/* The shapes of a call, and its filter. False: an exception, and nothing to release. */
static bool filtered_shapes_take(near_asker *asker, PyObject *wanted, shape_list *out,
                                 PyObject *shape, PyObject *where)
{
    if (!filter_take(&asker->of, wanted, 1)) {
        return false;
    }
    if (!shapes_take(out, shape, where)) {
        filter_end(&asker->of, NULL);
        return false;
    }
    return true;
}

/* Asks of all shapes, which it releases with the filter, and returns the answer or the array of
 * them. */
static PyObject *ask_shapes(ask_one ask, near_asker *asker, record_kind kind, PyObject *tree,
                            const poses *pose, shape_list *shapes, uint32_t threads)
{
    PyObject *memory = NULL, *result = NULL;
    tree_use use = {.file = NULL};
    asker->options.filter = filter_of_triangles(&asker->of);
    asker->options.stop = filter_stop(&asker->of);
    asker->options.filter_user = asker->options.stop_user = &asker->of;
    filter_threads(&asker->of, &threads);
    if ((memory = records_new(kind, shapes->count, &asker->answers)) != NULL &&
        tree_begin(&use, tree, "tree") && filter_fits(&asker->of, &use, NULL) &&
        pose_is_good(use.tree, pose_pointer(pose), "pose")) {
        asker->tree = use.tree;
        asker->pose = pose_pointer(pose);
        asker->shapes = shapes;
        if (ask_many(ask, asker, shapes->count, threads, shapes->single)) {
            if (shapes->single) {
                result = record_new(kind, asker->answers);
            } else {
                result = records_wrap(kind, memory, 1, &shapes->count);
                memory = NULL;
            }
        }
    }
    tree_end(&use);
    Py_XDECREF(memory);
    shapes_release(shapes);
    return filter_end(&asker->of, result);
}

static kiln_status ask_distance(void *asker, size_t i)
{
    const near_asker *asked = asker;
    kiln_shape_nearest *nearest = asked->answers;
    double corners[24];
    kiln_convex shape;
    const kiln_status status = convex_at(asked->shapes, i, corners, &shape);
    return status != KILN_OK
               ? status
               : kiln_shape_distance(asked->tree, asked->pose, &shape, shape_pose(asked->shapes, i),
                                     &asked->options, &nearest[i]);
}

PyDoc_STRVAR(
    shape_distance_doc,
    "shape_distance(tree, shape, pose=None, pose_shape=None, *, beyond=inf, relative=0,\n"
    "               absolute=0, filter=None, threads=0)\n--\n\n"
    "How far a box, a sphere, a capsule or a convex hull is from the surface of a mesh, and\n"
    "where; shapes are solid, and the distance is 0 exactly where they meet the surface.\n\n"
    "tree: kiln.Tree; pose: where it is, None, [4, 4] or [3, 4].\n"
    "shape: of kiln.box, kiln.sphere, kiln.capsule or kiln.hull, which may be many shapes.\n"
    "pose_shape: where the shape is, None, [4, 4], or [n, 4, 4]; [3, 4] likewise; with one scale\n"
    "    where it has a radius.\n"
    "beyond: greater distances need not be measured.\n"
    "relative, absolute: the distance may exceed the minimum by this fraction and this "
    "length.\n" FILTER_DOC "threads: for many shapes; 0: one for each processor, the default.\n\n"
    "Returns a kiln.ShapeNearest, true where a triangle is found, or for many shapes a\n"
    "structured array [n].");
static PyObject *module_shape_distance(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                       PyObject *keywords)
{
    static const char *const names[] = {"tree",     "shape",    "pose",    "pose_shape", "beyond",
                                        "relative", "absolute", "threads", "filter"};
    static const signature wanted = {"shape_distance", names, 2, 4, 9};
    PyObject *in[9];
    poses pose;
    shape_list shapes;
    uint32_t threads = 0;
    near_asker asker = {.options = kiln_shape_options_default()};
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[4] != NULL && !length_of(in[4], "beyond", INFINITY, &asker.options.beyond)) ||
        (in[5] != NULL && !length_of(in[5], "relative", DBL_MAX, &asker.options.relative)) ||
        (in[6] != NULL && !length_of(in[6], "absolute", DBL_MAX, &asker.options.absolute)) ||
        !threads_of(in[7], 0, &threads) || !pose_take(&pose, in[2], "pose") ||
        !filtered_shapes_take(&asker, in[8], &shapes, in[1], in[3])) {
        return NULL;
    }
    return ask_shapes(ask_distance, &asker, RECORD_SHAPE_NEAREST, in[0], &pose, &shapes, threads);
}

/* --------------------------------------------------------------------------------- within -- */

static kiln_status ask_within(void *asker, size_t i)
{
    const near_asker *asked = asker;
    kiln_triangle_hit *hits = asked->answers;
    double corners[24];
    kiln_convex shape;
    const kiln_status status = convex_at(asked->shapes, i, corners, &shape);
    return status != KILN_OK
               ? status
               : kiln_shape_within(asked->tree, asked->pose, &shape, shape_pose(asked->shapes, i),
                                   asked->distance, &asked->options, &hits[i]);
}

PyDoc_STRVAR(shape_within_doc,
             "shape_within(tree, shape, distance, pose=None, pose_shape=None, *,\n"
             "             filter=None, threads=0)\n--\n\n"
             "Whether a box, a sphere, a capsule or a convex hull is as near to the surface of a\n"
             "mesh as `distance`, in units of the world: what kiln.shape_distance has, sooner.\n\n"
             "tree, shape, pose, pose_shape, filter, threads: as of kiln.shape_distance.\n"
             "distance: at least 0.\n\n"
             "Returns a kiln.TriangleHit, with a triangle that is as near, or for many shapes a\n"
             "structured array [n].");
static PyObject *module_shape_within(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                     PyObject *keywords)
{
    static const char *const names[] = {"tree",       "shape",   "distance", "pose",
                                        "pose_shape", "threads", "filter"};
    static const signature wanted = {"shape_within", names, 3, 5, 7};
    PyObject *in[7];
    poses pose;
    shape_list shapes;
    uint32_t threads = 0;
    near_asker asker = {.options = kiln_shape_options_default()};
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        !length_of(in[2], "distance", INFINITY, &asker.distance) ||
        !threads_of(in[5], 0, &threads) || !pose_take(&pose, in[3], "pose") ||
        !filtered_shapes_take(&asker, in[6], &shapes, in[1], in[4])) {
        return NULL;
    }
    return ask_shapes(ask_within, &asker, RECORD_TRIANGLE_HIT, in[0], &pose, &shapes, threads);
}

bool add_shapes(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"overlap", FAST(module_overlap), METH_FASTCALL | METH_KEYWORDS, overlap_doc},
        {"shape_distance", FAST(module_shape_distance), METH_FASTCALL | METH_KEYWORDS,
         shape_distance_doc},
        {"shape_within", FAST(module_shape_within), METH_FASTCALL | METH_KEYWORDS,
         shape_within_doc},
        {NULL, NULL, 0, NULL},
    };
    return add_methods(module, functions);
}
