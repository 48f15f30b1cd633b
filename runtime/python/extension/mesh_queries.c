/* Queries of one mesh: rays and points; one, or many at once. */
#include "module.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queries that one task makes; tasks between two looks for Ctrl-C. */
enum { QUERIES_A_TASK = 256, TASKS_AT_ONCE = 256 };

/* ------------------------------------------------------------------------- many, by threads -- */

typedef struct {
    ask_one ask;
    void *asker;
    size_t first, count;
    atomic_size_t failed; /* the first query that failed, or SIZE_MAX */
} many_queries;

static void ask_some(void *context, uint32_t index)
{
    many_queries *many = context;
    const size_t from = many->first + (size_t)index * QUERIES_A_TASK;
    const size_t to = from + QUERIES_A_TASK < many->count ? from + QUERIES_A_TASK : many->count;
    for (size_t i = from; i < to; i++) {
        const kiln_status status = many->ask(many->asker, i);
        if (status != KILN_OK) {
            size_t before = atomic_load(&many->failed);
            while (i < before && !atomic_compare_exchange_weak(&many->failed, &before, i)) {
            }
            return;
        }
    }
}

bool ask_many(ask_one ask, void *asker, size_t count, uint32_t threads, bool single)
{
    many_queries many = {.ask = ask, .asker = asker, .count = count};
    atomic_store(&many.failed, SIZE_MAX);
    while (many.first < count) {
        const size_t left = count - many.first;
        const size_t tasks = (left + QUERIES_A_TASK - 1) / QUERIES_A_TASK;
        const uint32_t now = tasks < TASKS_AT_ONCE ? (uint32_t)tasks : TASKS_AT_ONCE;
        Py_BEGIN_ALLOW_THREADS run_parallel(&threads, ask_some, &many, now);
        Py_END_ALLOW_THREADS const size_t failed = atomic_load(&many.failed);
        if (failed != SIZE_MAX) {
            char detail[40];
            snprintf(detail, sizeof detail, "query %zu", failed);
            raise_status((int)ask(asker, failed), single ? NULL : detail, NULL);
            return false;
        }
        many.first += (size_t)now * QUERIES_A_TASK;
        if (many.first < count && SIGNALLED()) {
            return false;
        }
    }
    return true;
}

bool pose_is_good(const kiln_tree *tree, const kiln_pose *pose, const char *name)
{
    kiln_shape point = {.kind = KILN_SHAPE_SPHERE};
    kiln_triangle_hit hit;
    const kiln_status status = kiln_overlap_any(tree, pose, &point, NULL, NULL, &hit);
    if (status != KILN_OK) {
        raise_status((int)status, status == KILN_ERROR_POSE ? name : NULL, NULL);
    }
    return status == KILN_OK;
}

bool per_query_take(per_query *out, PyObject *object, const char *name, bool vector)
{
    return vector ? vectors_take(object, name, &out->values, &out->count, &out->single)
                  : numbers_take(object, name, &out->values, &out->count, &out->single);
}

bool common_count(const per_query *all, const char *const *names, int count, size_t *out,
                  bool *single)
{
    *out = 1;
    *single = true;
    for (int i = 0; i < count; i++) {
        if (all[i].values == NULL || all[i].single) {
            continue;
        }
        if (!*single && all[i].count != *out) {
            PyErr_Format(PyExc_ValueError, "%s has %zu entries, and others have %zu", names[i],
                         all[i].count, *out);
            return false;
        }
        *out = all[i].count;
        *single = false;
    }
    return true;
}

const double *value_of(const per_query *from, size_t i, size_t width)
{
    return from->values + (from->single ? 0 : i * width);
}

/* ----------------------------------------------------------------------------------- rays -- */

typedef struct {
    const kiln_tree *tree;
    const kiln_pose *pose;
    kiln_query_options options;
    kiln_ray *rays;
    kiln_ray_hit *hits;
    bool any;
} ray_asker;

static kiln_status ask_ray(void *asker, size_t i)
{
    ray_asker *rays = asker;
    const kiln_status status = (rays->any ? kiln_ray_any : kiln_ray_closest)(
        rays->tree, rays->pose, &rays->rays[i], &rays->options, &rays->hits[i]);
    return filter_raised(rays->options.filter_user) ? KILN_ERROR_STOPPED : status;
}

/* All hits of all rays: one array, in which those of ray i begin at offsets[i]. */
typedef struct {
    kiln_ray_hit *hits;
    size_t count, room;
} hit_list;

static kiln_status ask_all_hits(const ray_asker *rays, size_t i, hit_list *list, bool *full)
{
    size_t found = 0;
    for (;;) {
        const size_t room = list->room - list->count;
        const kiln_status status =
            kiln_ray_all(rays->tree, rays->pose, &rays->rays[i], &rays->options,
                         room == 0 ? NULL : list->hits + list->count, room, &found);
        if (status != KILN_OK || filter_raised(rays->options.filter_user)) {
            return status != KILN_OK ? status : KILN_ERROR_STOPPED;
        }
        if (found <= room) {
            list->count += found;
            return KILN_OK;
        }
        size_t more = 2 * list->room + 64;
        more = more < list->count + found ? list->count + found : more;
        kiln_ray_hit *longer = realloc(list->hits, more * sizeof *longer);
        if (longer == NULL) {
            *full = true;
            return KILN_ERROR_MEMORY;
        }
        list->hits = longer;
        list->room = more;
    }
}

static PyObject *rays_all(const ray_asker *rays, size_t count)
{
    hit_list list = {.hits = NULL};
    void *ends = NULL, *bytes = NULL;
    bool full = false;
    kiln_status status = KILN_OK;
    PyObject *offsets = records_new(RECORD_MASK, count + 1, &ends);
    size_t i = 0;
    if (offsets == NULL) {
        return NULL;
    }
    while (i < count && status == KILN_OK) {
        const size_t until = count - i < 4096 ? count : i + 4096;
        Py_BEGIN_ALLOW_THREADS for (; i < until && status == KILN_OK; i++)
        {
            status = ask_all_hits(rays, i, &list, &full);
            ((uint64_t *)ends)[i + 1] = list.count;
        }
        Py_END_ALLOW_THREADS if (status == KILN_OK && i < count && SIGNALLED())
        {
            goto failed;
        }
    }
    if (status != KILN_OK) {
        char detail[40];
        snprintf(detail, sizeof detail, "query %zu", i - 1);
        raise_status((int)status, full ? NULL : detail, NULL);
        goto failed;
    }
    PyObject *memory = records_new(RECORD_RAY_HIT, list.count, &bytes);
    if (memory == NULL) {
        goto failed;
    }
    if (list.count != 0) {
        memcpy(bytes, list.hits, list.count * sizeof *list.hits);
    }
    free(list.hits);
    const size_t entries = count + 1;
    PyObject *hits = records_wrap(RECORD_RAY_HIT, memory, 1, &list.count);
    PyObject *begins = records_wrap(RECORD_MASK, offsets, 1, &entries);
    PyObject *result = hits == NULL || begins == NULL ? NULL : PyTuple_Pack(2, hits, begins);
    Py_XDECREF(hits);
    Py_XDECREF(begins);
    return result;
failed:
    free(list.hits);
    Py_DECREF(offsets);
    return NULL;
}

PyDoc_STRVAR(
    rays_doc,
    "rays(tree, origins, directions, pose=None, *, find='closest', t_min=0, t_max=inf,\n"
    "     cull='none', filter=None, threads=0)\n--\n\n"
    "Which triangles rays meet: the points origin + t direction, t_min <= t <= t_max.\n\n"
    "tree: kiln.Tree; pose: where it is, None, [4, 4] or [3, 4].\n"
    "origins, directions: float64 [3], or [n, 3] of either or both; directions of any length,\n"
    "    in which t is measured.\n"
    "find: 'closest': the first triangle; 'any': some triangle, which is quicker; 'all'.\n"
    "t_min, t_max: numbers, or [n].\n"
    "cull: the side that is ignored, 'none', 'back' or 'front'.\n" FILTER_DOC
    "threads: for many rays; 0: one for each processor, the default. Not with 'all'.\n\n"
    "Returns a kiln.RayHit, true where the ray meets a triangle; for many rays a structured\n"
    "array [n]. With 'all': (hits, offsets), those of ray i in hits[offsets[i]:offsets[i + 1]].");
static PyObject *module_rays(PyObject *module, PyObject *const *args, Py_ssize_t given,
                             PyObject *keywords)
{
    static const char *const names[] = {"tree",  "origins", "directions", "pose",    "find",
                                        "t_min", "t_max",   "cull",       "threads", "filter"};
    static const signature wanted = {"rays", names, 3, 4, 10};
    static const char *const finds[] = {"closest", "any", "all", NULL};
    static const char *const culls[] = {"none", "back", "front", NULL};
    static const char *const parts[] = {"origins", "directions", "t_min", "t_max"};
    PyObject *in[10];
    poses pose;
    filter of;
    per_query all[4] = {{0}};
    tree_use use = {.file = NULL};
    int find = 0, cull = 0;
    uint32_t threads = 0;
    size_t count = 0;
    bool single = false;
    kiln_ray *rays = NULL;
    void *bytes = NULL;
    PyObject *memory = NULL, *result = NULL;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[4] != NULL && !word_of(in[4], "find", finds, &find)) ||
        (in[7] != NULL && !word_of(in[7], "cull", culls, &cull)) ||
        !threads_of(in[8], 0, &threads) || !pose_take(&pose, in[3], "pose") ||
        !filter_take(&of, in[9], 1)) {
        return NULL;
    }
    filter_threads(&of, &threads);
    if (!per_query_take(&all[0], in[1], "origins", true) ||
        !per_query_take(&all[1], in[2], "directions", true) ||
        (in[5] != NULL && !per_query_take(&all[2], in[5], "t_min", false)) ||
        (in[6] != NULL && !per_query_take(&all[3], in[6], "t_max", false)) ||
        !common_count(all, parts, 4, &count, &single)) {
        goto end;
    }
    rays = count > (size_t)PY_SSIZE_T_MAX / 128 ? NULL : malloc((count + 1) * sizeof *rays);
    if (rays == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(rays[i].origin, value_of(&all[0], i, 3), sizeof rays[i].origin);
        memcpy(rays[i].direction, value_of(&all[1], i, 3), sizeof rays[i].direction);
        rays[i].t_min = all[2].values == NULL ? 0 : *value_of(&all[2], i, 1);
        rays[i].t_max = all[3].values == NULL ? INFINITY : *value_of(&all[3], i, 1);
    }
    ray_asker asker = {.pose = pose_pointer(&pose), .rays = rays, .any = find == 1};
    kiln_ray_hit one;
    asker.options = kiln_query_options_default();
    asker.options.cull = (kiln_cull)cull;
    asker.options.filter = filter_of_triangles(&of);
    asker.options.filter_user = &of;
    if (!single && find != 2 && (memory = records_new(RECORD_RAY_HIT, count, &bytes)) == NULL) {
        goto end;
    }
    if (!tree_begin(&use, in[0], "tree") || !filter_fits(&of, &use, NULL)) {
        goto end;
    }
    asker.tree = use.tree;
    asker.hits = single ? &one : bytes;
    if (!single && !pose_is_good(use.tree, asker.pose, "pose")) {
        goto end;
    }
    if (find == 2) {
        result = rays_all(&asker, count);
    } else if (ask_many(ask_ray, &asker, count, threads, single)) {
        if (single) {
            result = record_new(RECORD_RAY_HIT, &one);
        } else {
            result = records_wrap(RECORD_RAY_HIT, memory, 1, &count);
            memory = NULL;
        }
    }
end:
    tree_end(&use);
    Py_XDECREF(memory);
    free(rays);
    for (int i = 0; i < 4; i++) {
        free(all[i].values);
    }
    return filter_end(&of, result);
}

/* --------------------------------------------------------------------------------- points -- */

typedef struct {
    const kiln_tree *tree;
    const kiln_pose *pose;
    const double *points;
    uint8_t *places;
} point_asker;

static kiln_status ask_point(void *asker, size_t i)
{
    const point_asker *points = asker;
    kiln_place place = KILN_PLACE_OUTSIDE;
    const kiln_status status =
        kiln_locate_point(points->tree, points->pose, points->points + 3 * i, &place);
    points->places[i] = (uint8_t)place;
    return status;
}

PyDoc_STRVAR(locate_doc,
             "locate(tree, points, pose=None, *, threads=0)\n--\n\n"
             "Whether points are inside a closed mesh.\n\n"
             "tree: kiln.Tree; pose: where it is, None, [4, 4] or [3, 4].\n"
             "points: float64 [3] or [n, 3], world.\n"
             "threads: for many points; 0: one for each processor, the default.\n\n"
             "Returns a kiln.Place, or uint8 [n] of its values: 0 outside, 1 inside, 2 on the\n"
             "surface. ValueError if the mesh is not closed (Tree.closed).");
static PyObject *module_locate(PyObject *module, PyObject *const *args, Py_ssize_t given,
                               PyObject *keywords)
{
    static const char *const names[] = {"tree", "points", "pose", "threads"};
    static const signature wanted = {"locate", names, 2, 3, 4};
    PyObject *in[4];
    poses pose;
    per_query points = {0};
    tree_use use = {.file = NULL};
    uint32_t threads = 0;
    uint8_t one = 0;
    void *bytes = NULL;
    PyObject *memory = NULL, *result = NULL;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) || !threads_of(in[3], 0, &threads) ||
        !pose_take(&pose, in[2], "pose") || !per_query_take(&points, in[1], "points", true)) {
        return NULL;
    }
    if ((points.single || (memory = records_new(RECORD_PLACE, points.count, &bytes)) != NULL) &&
        tree_begin(&use, in[0], "tree") &&
        (points.single || pose_is_good(use.tree, pose_pointer(&pose), "pose"))) {
        point_asker asker = {.tree = use.tree,
                             .pose = pose_pointer(&pose),
                             .points = points.values,
                             .places = points.single ? &one : bytes};
        if (ask_many(ask_point, &asker, points.count, threads, points.single)) {
            if (points.single) {
                result = Py_XNewRef(PyTuple_GetItem(python.places, one));
            } else {
                result = records_wrap(RECORD_PLACE, memory, 1, &points.count);
                memory = NULL;
            }
        }
    }
    tree_end(&use);
    Py_XDECREF(memory);
    free(points.values);
    return result;
}

/* ---------------------------------------------------------------------------- the module -- */

bool add_mesh_queries(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"rays", FAST(module_rays), METH_FASTCALL | METH_KEYWORDS, rays_doc},
        {"locate", FAST(module_locate), METH_FASTCALL | METH_KEYWORDS, locate_doc},
        {NULL, NULL, 0, NULL},
    };
    return add_methods(module, functions);
}
