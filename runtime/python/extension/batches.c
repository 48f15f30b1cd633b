/* Many queries of two meshes in one call. */
#include "module.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queries, and poses, between two looks for Ctrl-C: milliseconds, and poses that fit a cache. */
enum { QUERIES_AT_ONCE = 16384, POSES_AT_ONCE = 4096 };

/* -------------------------------------------------------------- which question, which answer -- */

typedef enum {
    ASK_COLLIDE,
    ASK_WITHIN,
    ASK_DISTANCE,
    ASK_COLLIDE_FIRST,
    ASK_WITHIN_FIRST,
    ASK_MINIMUM,
    ASK_COLLIDE_ANY
} question;

static const char *const question_names[] = {
    "collide",      "within",  "distance",    "collide_first",
    "within_first", "minimum", "collide_any", NULL};

static record_kind answer_of(question asked)
{
    switch (asked) {
    case ASK_COLLIDE:
    case ASK_WITHIN:
        return RECORD_HIT;
    case ASK_DISTANCE:
        return RECORD_NEAREST;
    case ASK_COLLIDE_FIRST:
    case ASK_WITHIN_FIRST:
    case ASK_COLLIDE_ANY:
        return RECORD_FIRST;
    case ASK_MINIMUM:
        return RECORD_MINIMUM;
    }
    return RECORD_HIT;
}

typedef struct {
    question asked;
    kiln_batch batch;
    kiln_batch_options options;
    double distance;
    size_t configuration; /* of ASK_COLLIDE_ANY */
    kiln_placed *placed;  /* [placed_count] */
    const poses *where;   /* [placed_count] */
    size_t bad_configuration;
    uint32_t bad_placed;
} batch_run;

static kiln_status ask(batch_run *run, void *answers)
{
    const kiln_batch *batch = &run->batch;
    switch (run->asked) {
    case ASK_COLLIDE:
        return kiln_batch_collide(batch, &run->options, answers);
    case ASK_WITHIN:
        return kiln_batch_within(batch, run->distance, &run->options, answers);
    case ASK_DISTANCE:
        return kiln_batch_distance(batch, &run->options, answers);
    case ASK_COLLIDE_FIRST:
        return kiln_batch_collide_first(batch, &run->options, answers);
    case ASK_WITHIN_FIRST:
        return kiln_batch_within_first(batch, run->distance, &run->options, answers);
    case ASK_MINIMUM:
        return kiln_batch_minimum(batch, &run->options, answers);
    case ASK_COLLIDE_ANY:
        return kiln_batch_collide_any(batch, &run->options, &run->configuration, answers);
    }
    return KILN_ERROR_ARGUMENT;
}

static size_t record_bytes(question asked)
{
    switch (answer_of(asked)) {
    case RECORD_NEAREST:
        return sizeof(kiln_nearest);
    case RECORD_FIRST:
        return sizeof(kiln_batch_hit);
    case RECORD_MINIMUM:
        return sizeof(kiln_batch_nearest);
    default:
        return sizeof(kiln_hit);
    }
}

/* Makes the poses of `now` configurations from `done` on; those of mesh m at m * now. */
static bool place_all(batch_run *run, kiln_pose *room, size_t done, size_t now)
{
    for (uint32_t i = 0; i < run->batch.placed_count; i++) {
        if (!run->where[i].single) {
            if (!poses_some(&run->where[i], done, now, room)) {
                return false;
            }
            run->placed[i].poses = room;
            run->placed[i].stride = 1;
            room += now;
        }
    }
    return true;
}

/* Asks about `count` configurations, some thousands at a time, with the lock of the interpreter
 * held only in between. False: an exception. */
static bool ask_all(batch_run *run, size_t count, void *answers, const char *const *names)
{
    const size_t pairs = kiln_batch_pair_count(&run->batch);
    const size_t step =
        record_bytes(run->asked) *
        (answer_of(run->asked) == RECORD_HIT || answer_of(run->asked) == RECORD_NEAREST ? pairs
                                                                                        : 1);
    size_t moving = 0;
    for (uint32_t i = 0; i < run->batch.placed_count; i++) {
        moving += !run->where[i].single;
    }
    size_t each = pairs == 0 ? QUERIES_AT_ONCE : 1 + (QUERIES_AT_ONCE - 1) / pairs;
    if (moving != 0 && each > 1 + POSES_AT_ONCE / moving) {
        each = 1 + POSES_AT_ONCE / moving;
    }
    each = each < count ? each : count;
    kiln_status status = KILN_OK;
    run->options.bad_configuration = &run->bad_configuration;
    run->options.bad_placed = &run->bad_placed;
    run->configuration = count;
    kiln_pose *room = malloc((each * moving + 1) * sizeof *room);
    if (room == NULL) {
        PyErr_NoMemory();
        return false;
    }
    size_t done = 0;
    bool good = true;
    do {
        const size_t now = count - done < each ? count - done : each;
        good = place_all(run, room, done, now);
        if (!good) {
            break;
        }
        run->batch.count = now;
        run->batch.placed = run->placed;
        Py_BEGIN_ALLOW_THREADS status =
            ask(run, run->asked == ASK_COLLIDE_ANY ? answers : (char *)answers + done * step);
        Py_END_ALLOW_THREADS if (status != KILN_OK)
        {
            break;
        }
        if (run->asked == ASK_COLLIDE_ANY) {
            run->configuration += done;
            if (((const kiln_batch_hit *)answers)->found) {
                break;
            }
        }
        done += now;
        good = done >= count || !SIGNALLED();
    } while (good && done < count);
    free(room);
    if (!good) {
        return false;
    }
    if (status == KILN_ERROR_POSE) {
        char detail[100];
        const uint32_t bad = run->bad_placed;
        if (bad >= run->batch.placed_count || run->placed[bad].stride == 0) {
            snprintf(detail, sizeof detail, "%s", names != NULL ? names[bad] : "poses");
        } else {
            snprintf(detail, sizeof detail, "%s[%zu]", names != NULL ? names[bad] : "poses",
                     done + run->bad_configuration);
        }
        if (names == NULL) {
            const size_t end = strlen(detail);
            snprintf(detail + end, sizeof detail - end, " of placed mesh %u", (unsigned)bad);
        }
        raise_status((int)status, detail, NULL);
    } else if (status != KILN_OK) {
        raise_status((int)status, NULL, NULL);
    }
    return status == KILN_OK;
}

/* ------------------------------------------------------------------------ poses of one pair -- */

PyObject *batch_of_pair(batch_kind kind, PyObject *a, const poses *poses_a, PyObject *b,
                        const poses *poses_b, double distance, const kiln_pair_options *options,
                        const filter *of, uint32_t threads)
{
    static const char *const names[] = {"pose_a", "pose_b"};
    static const question questions[] = {ASK_COLLIDE, ASK_WITHIN, ASK_DISTANCE};
    static const kiln_placed_pair pair = {0, 1};
    const size_t count = poses_a->single ? poses_b->count : poses_a->count;
    void *bytes = NULL;
    tree_use use_a, use_b;
    if (!poses_a->single && !poses_b->single && poses_a->count != poses_b->count) {
        PyErr_Format(PyExc_ValueError, "pose_a has %zu poses and pose_b has %zu", poses_a->count,
                     poses_b->count);
        return NULL;
    }
    batch_run run = {.asked = questions[kind], .distance = distance};
    PyObject *memory = records_new(answer_of(run.asked), count, &bytes);
    if (memory == NULL || !tree_begin(&use_a, a, "a")) {
        Py_XDECREF(memory);
        return NULL;
    }
    if (!tree_begin(&use_b, b, "b")) {
        tree_end(&use_a);
        Py_DECREF(memory);
        return NULL;
    }
    kiln_placed placed[2] = {{use_a.tree, pose_pointer(poses_a), 0},
                             {use_b.tree, pose_pointer(poses_b), 0}};
    const poses where[2] = {*poses_a, *poses_b}; /* their views stay those of the arguments */
    run.placed = placed;
    run.where = where;
    run.batch = (kiln_batch){.placed = placed, .placed_count = 2, .pairs = &pair, .pair_count = 1};
    run.options = kiln_batch_options_default();
    run.options.pair = kind == BATCH_DISTANCE || of->any ? options : NULL;
    if (threads > 1) {
        run.options.parallel = run_parallel;
        run.options.parallel_user = &threads;
    }
    const bool good = filter_fits(of, &use_a, &use_b) && ask_all(&run, count, bytes, names);
    tree_end(&use_a);
    tree_end(&use_b);
    if (!good) {
        Py_DECREF(memory);
        return NULL;
    }
    return records_wrap(answer_of(run.asked), memory, 1, &count);
}

/* ------------------------------------------------------------------------ many placed trees -- */

typedef struct {
    Py_ssize_t count;
    PyObject **trees; /* [count] */
    poses *where;     /* [count] */
    tree_use *uses;   /* [count] */
    kiln_placed *placed;
    Py_ssize_t taken, used; /* of poses, of trees */
    kiln_placed_pair *pairs;
    size_t pair_count;
} placed_meshes;

static void release_meshes(placed_meshes *meshes)
{
    for (Py_ssize_t i = 0; i < meshes->used; i++) {
        tree_end(&meshes->uses[i]);
    }
    for (Py_ssize_t i = 0; i < meshes->taken; i++) {
        poses_release(&meshes->where[i]);
        Py_DECREF(meshes->trees[i]);
    }
    free(meshes->trees);
    free(meshes->where);
    free(meshes->uses);
    free(meshes->placed);
    free(meshes->pairs);
}

static bool pairs_take(placed_meshes *meshes, PyObject *object)
{
    array taken;
    if (object == NULL || object == Py_None) {
        meshes->pair_count = KILN_BATCH_ALL_PAIRS;
        return true;
    }
    if (!array_take(&taken, object, "pairs", 'I', 2, 2)) {
        return false;
    }
    const size_t count = array_length(&taken, 0);
    bool good = array_length(&taken, 1) == 2;
    if (!good) {
        PyErr_SetString(PyExc_ValueError, "pairs is to be of shape [k, 2]");
    } else if ((meshes->pairs = malloc((count + 1) * sizeof *meshes->pairs)) == NULL) {
        PyErr_NoMemory();
        good = false;
    }
    for (size_t i = 0; i < count && good; i++) {
        const char *at = (const char *)taken.view.buf + (Py_ssize_t)i * taken.strides[0];
        memcpy(&meshes->pairs[i].a, at, sizeof(uint32_t));
        memcpy(&meshes->pairs[i].b, at + taken.strides[1], sizeof(uint32_t));
        if (meshes->pairs[i].a >= meshes->count || meshes->pairs[i].b >= meshes->count ||
            meshes->pairs[i].a == meshes->pairs[i].b) {
            PyErr_Format(PyExc_ValueError, "pairs[%zu] is not two of the placed meshes", i);
            good = false;
        }
    }
    meshes->pair_count = count;
    array_release(&taken);
    return good;
}

/* `list`: tuples (tree, poses). *count: the number of configurations. */
static bool meshes_take(placed_meshes *meshes, PyObject *list, size_t *count)
{
    meshes->count = PyTuple_Size(list);
    const size_t room = (size_t)meshes->count + 1;
    meshes->trees = calloc(room, sizeof *meshes->trees);
    meshes->where = calloc(room, sizeof *meshes->where);
    meshes->uses = calloc(room, sizeof *meshes->uses);
    meshes->placed = calloc(room, sizeof *meshes->placed);
    if (meshes->trees == NULL || meshes->where == NULL || meshes->uses == NULL ||
        meshes->placed == NULL) {
        PyErr_NoMemory();
        return false;
    }
    bool many = false;
    *count = 1;
    for (Py_ssize_t i = 0; i < meshes->count; i++) {
        PyObject *tree = NULL, *where = NULL;
        PyObject *entry = PyTuple_GetItem(list, i);
        if (!PyTuple_Check(entry) || !PyArg_ParseTuple(entry, "OO", &tree, &where)) {
            PyErr_SetString(PyExc_TypeError, "placed is to be of pairs (tree, poses)");
            return false;
        }
        poses *to = &meshes->where[i];
        if (!poses_take(to, where, "poses")) {
            return false;
        }
        meshes->trees[i] = Py_NewRef(tree);
        meshes->taken++;
        if (!to->single && many && to->count != *count) {
            PyErr_Format(PyExc_ValueError, "mesh %zd has %zu poses, and others have %zu", i,
                         to->count, *count);
            return false;
        }
        if (!to->single) {
            *count = to->count;
            many = true;
        }
    }
    return true;
}

static bool meshes_begin(placed_meshes *meshes)
{
    for (Py_ssize_t i = 0; i < meshes->count; i++) {
        if (!tree_begin(&meshes->uses[i], meshes->trees[i], "tree")) {
            return false;
        }
        meshes->used++;
        const poses *where = &meshes->where[i];
        meshes->placed[i] =
            (kiln_placed){.tree = meshes->uses[i].tree, .poses = pose_pointer(where)};
    }
    return true;
}

PyDoc_STRVAR(
    batch_doc,
    "batch(question, placed, pairs=None, *, distance=0, beyond=inf, relative=0,\n"
    "      absolute=0, threads=0)\n--\n\n"
    "Asks about pairs of many placed meshes in many configurations; kiln.Scene does it by\n"
    "names.\n\n"
    "question: 'collide', 'within' or 'distance': all pairs, [n, k];\n"
    "    'collide_first', 'within_first': the first pair in each configuration, [n];\n"
    "    'minimum': the nearest pair in each configuration, [n];\n"
    "    'collide_any': (configuration or None, kiln.FirstHit): the first of all.\n"
    "placed: (tree, poses) of each mesh; poses: None, [4, 4], or [n, 4, 4], with the same n\n"
    "    for all that have many; [3, 4] likewise.\n"
    "pairs: [k, 2], numbers of placed meshes; None: all, (0, 1), (0, 2), ... (1, 2), ...\n"
    "distance: for 'within'. beyond, relative, absolute: as for kiln.distance.\n" THREADS_DOC
    "\nReturns a structured array with the fields of kiln.Hit, Nearest, FirstHit or\n"
    "Minimum.");
static PyObject *module_batch(PyObject *module, PyObject *const *args, Py_ssize_t given,
                              PyObject *keywords)
{
    static const char *const names[] = {"question", "placed",   "pairs",    "distance",
                                        "beyond",   "relative", "absolute", "threads"};
    static const signature wanted = {"batch", names, 2, 3, 8};
    PyObject *in[8];
    int asked = 0;
    kiln_pair_options pair;
    batch_run run = {.distance = 0};
    uint32_t threads = 0;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        !word_of(in[0], "question", question_names, &asked) ||
        (in[3] != NULL && !length_of(in[3], "distance", HUGE_VAL, &run.distance)) ||
        !pair_options_of(&pair, in[4], in[5], in[6], NULL) || !threads_of(in[7], 0, &threads)) {
        return NULL;
    }
    PyObject *list = PySequence_Tuple(in[1]);
    if (list == NULL) {
        return NULL;
    }
    placed_meshes meshes = {.count = 0};
    size_t count = 0, shape[2];
    void *bytes = NULL;
    PyObject *memory = NULL, *result = NULL;
    bool good = meshes_take(&meshes, list, &count) && pairs_take(&meshes, in[2]);
    Py_DECREF(list);
    run.asked = (question)asked;
    run.placed = meshes.placed;
    run.where = meshes.where;
    run.batch = (kiln_batch){.placed = meshes.placed,
                             .placed_count = (uint32_t)meshes.count,
                             .pairs = meshes.pairs,
                             .pair_count = meshes.pair_count,
                             .count = count};
    run.options = kiln_batch_options_default();
    run.options.pair = run.asked == ASK_DISTANCE || run.asked == ASK_MINIMUM ? &pair : NULL;
    if (threads > 1) {
        run.options.parallel = run_parallel;
        run.options.parallel_user = &threads;
    }
    const record_kind kind = answer_of(run.asked);
    const bool all = kind == RECORD_HIT || kind == RECORD_NEAREST;
    if (good) {
        shape[0] = run.asked == ASK_COLLIDE_ANY ? 1 : count;
        shape[1] = kiln_batch_pair_count(&run.batch);
        if (all && shape[1] != 0 && shape[0] > (size_t)PY_SSIZE_T_MAX / shape[1]) {
            PyErr_NoMemory();
            good = false;
        } else {
            memory = records_new(kind, shape[0] * (all ? shape[1] : 1), &bytes);
            good = memory != NULL;
        }
    }
    good = good && meshes_begin(&meshes) && ask_all(&run, count, bytes, NULL);
    if (good && run.asked == ASK_COLLIDE_ANY) {
        PyObject *hit = record_new(RECORD_FIRST, bytes);
        const bool found = ((const kiln_batch_hit *)bytes)->found;
        PyObject *where = found ? PyLong_FromSize_t(run.configuration) : Py_NewRef(Py_None);
        result = hit == NULL || where == NULL ? NULL : PyTuple_Pack(2, where, hit);
        Py_XDECREF(where);
        Py_XDECREF(hit);
    } else if (good) {
        result = records_wrap(kind, memory, all ? 2 : 1, shape);
        memory = NULL;
    }
    Py_XDECREF(memory);
    release_meshes(&meshes);
    return result;
}

bool add_batches(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"batch", FAST(module_batch), METH_FASTCALL | METH_KEYWORDS, batch_doc},
        {NULL, NULL, 0, NULL},
    };
    return add_methods(module, functions);
}
