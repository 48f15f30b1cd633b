/* Queries of two meshes. */
#include "module.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../kiln_adb.h"
#include "../../kiln_spheres.h"

/* -------------------------------------------------------------------------------- options -- */

/* A Hit, a Nearest or a Contact of an earlier query, or two numbers. */
static bool hint_of(PyObject *object, kiln_hint *out)
{
    if (object == NULL || object == Py_None) {
        return true;
    }
    const kiln_hit *hit = record_value(RECORD_HIT, object);
    const kiln_nearest *nearest = record_value(RECORD_NEAREST, object);
    if (hit != NULL || nearest != NULL) {
        *out = hit != NULL ? hit->hint : nearest->hint;
        return true;
    }
    double *values = NULL;
    size_t count = 0;
    bool single = false;
    if (!numbers_take(object, "hint", &values, &count, &single)) {
        return false;
    }
    const bool good = !single && count == 2 && values[0] >= 0 && values[0] <= UINT32_MAX &&
                      values[1] >= 0 && values[1] <= UINT32_MAX;
    if (good) {
        *out = (kiln_hint){(uint32_t)values[0], (uint32_t)values[1]};
    } else {
        PyErr_SetString(PyExc_ValueError, "hint is to be an earlier answer, or its hint");
    }
    free(values);
    return good;
}

bool pair_options_of(kiln_pair_options *out, PyObject *beyond, PyObject *relative,
                     PyObject *absolute, PyObject *hint)
{
    *out = kiln_pair_options_default();
    return (beyond == NULL || length_of(beyond, "beyond", HUGE_VAL, &out->beyond)) &&
           (relative == NULL || length_of(relative, "relative", DBL_MAX, &out->relative)) &&
           (absolute == NULL || length_of(absolute, "absolute", DBL_MAX, &out->absolute)) &&
           hint_of(hint, &out->hint);
}

void pair_options_filter(kiln_pair_options *out, filter *of)
{
    out->filter = filter_of_pairs(of);
    out->filter_user = of;
    out->stop = filter_stop(of);
    out->stop_user = of;
}

/* Which of two poses a query refuses. */
static PyObject *refused(kiln_status status, const tree_use *tree, const poses *pose_a)
{
    const char *detail = NULL;
    if (status == KILN_ERROR_POSE) {
        const double origin[3] = {0, 0, 0};
        kiln_shape point = {.kind = KILN_SHAPE_SPHERE};
        kiln_triangle_hit hit;
        memcpy(point.a, origin, sizeof origin);
        detail = kiln_overlap_any(tree->tree, pose_pointer(pose_a), &point, NULL, NULL, &hit) ==
                         KILN_ERROR_POSE
                     ? "pose_a"
                     : "pose_b";
    }
    return raise_status((int)status, detail, NULL);
}

/* Two trees and their poses: what the first four arguments of every query say. */
typedef struct {
    tree_use a, b;
    poses pose_a, pose_b;
} two_meshes;

static bool poses_of_two(two_meshes *out, PyObject *const *in, bool many)
{
    bool (*take)(poses *, PyObject *, const char *) = many ? poses_take : pose_take;
    if (!take(&out->pose_a, in[1], "pose_a")) {
        return false;
    }
    if (!take(&out->pose_b, in[3], "pose_b")) {
        poses_release(&out->pose_a);
        return false;
    }
    return true;
}

static bool trees_of_two(two_meshes *out, PyObject *const *in)
{
    if (!tree_begin(&out->a, in[0], "a")) {
        return false;
    }
    if (!tree_begin(&out->b, in[2], "b")) {
        tree_end(&out->a);
        return false;
    }
    return true;
}

static void end_two(two_meshes *two)
{
    tree_end(&two->a);
    tree_end(&two->b);
}

/* The whole of them, of queries that take one pose each. */
static bool begin_two(two_meshes *out, PyObject *const *in)
{
    return poses_of_two(out, in, false) && trees_of_two(out, in);
}

/* The same with the argument `filter`. False: an exception, and nothing to end. */
static bool begin_filtered(two_meshes *out, filter *of, PyObject *const *in, PyObject *wanted)
{
    if (!filter_take(of, wanted, 2)) {
        return false;
    }
    if (begin_two(out, in)) {
        if (filter_fits(of, &out->a, &out->b)) {
            return true;
        }
        end_two(out);
    }
    filter_end(of, NULL);
    return false;
}

#define TWO_NAMES "a", "pose_a", "b", "pose_b"

/* ------------------------------------------------------- collide, within, distance, many -- */

static PyObject *one_or_many(batch_kind kind, PyObject *const *in, double limit,
                             const kiln_pair_options *options, const filter *of,
                             PyObject *threads_wanted)
{
    two_meshes two;
    kiln_hit hit;
    kiln_nearest nearest;
    kiln_status status = KILN_OK;
    uint32_t threads = 0;
    if (!poses_of_two(&two, in, true)) {
        return NULL;
    }
    if (!two.pose_a.single || !two.pose_b.single) {
        PyObject *all = NULL;
        if (threads_of(threads_wanted, 0, &threads)) {
            filter_threads(of, &threads);
            all = batch_of_pair(kind, in[0], &two.pose_a, in[2], &two.pose_b, limit, options, of,
                                threads);
        }
        poses_release(&two.pose_a);
        poses_release(&two.pose_b);
        return all;
    }
    if (!trees_of_two(&two, in)) {
        return NULL;
    }
    if (!filter_fits(of, &two.a, &two.b)) {
        end_two(&two);
        return NULL;
    }
    const kiln_pose *pose_a = pose_pointer(&two.pose_a), *pose_b = pose_pointer(&two.pose_b);
    Py_BEGIN_ALLOW_THREADS if (kind == BATCH_COLLIDE)
    {
        status = kiln_collide(two.a.tree, pose_a, two.b.tree, pose_b, options, &hit);
    }
    else if (kind == BATCH_WITHIN)
    {
        status = kiln_within(two.a.tree, pose_a, two.b.tree, pose_b, limit, options, &hit);
    }
    else
    {
        status = kiln_distance(two.a.tree, pose_a, two.b.tree, pose_b, options, &nearest);
    }
    Py_END_ALLOW_THREADS PyObject *result = status != KILN_OK ? refused(status, &two.a, &two.pose_a)
                                            : kind == BATCH_DISTANCE
                                                ? record_new(RECORD_NEAREST, &nearest)
                                                : record_new(RECORD_HIT, &hit);
    end_two(&two);
    return result;
}

/* Queries that take one pose of each tree, or many of either. */
static PyObject *one_or_many_filtered(batch_kind kind, PyObject *const *in, double limit,
                                      kiln_pair_options *options, PyObject *filter_wanted,
                                      PyObject *threads_wanted)
{
    filter of;
    if (!filter_take(&of, filter_wanted, 2)) {
        return NULL;
    }
    pair_options_filter(options, &of);
    return filter_end(&of, one_or_many(kind, in, limit, options, &of, threads_wanted));
}

#define POSES_DOC                                                                                  \
    "a, b: kiln.Tree (or a kiln.File, for its first tree).\n"                                      \
    "pose_a, pose_b: where they are: None, or float64 [4, 4] or [3, 4]: rotation times scale, "    \
    "and\n"                                                                                        \
    "    translation; or many, [n, 4, 4] or [n, 3, 4], of either or both.\n"
#define ONE_POSE_DOC                                                                               \
    "a, b: kiln.Tree (or a kiln.File, for its first tree).\n"                                      \
    "pose_a, pose_b: where they are: None, or float64 [4, 4] or [3, 4].\n"

PyDoc_STRVAR(collide_doc,
             "collide(a, pose_a, b, pose_b, *, hint=None, filter=None, threads=0)\n--\n\n"
             "Whether two surfaces meet, exactly; touching is meeting.\n\n" POSES_DOC
             "hint: an earlier answer at similar poses, which may save time and changes no "
             "answer.\n" PAIR_FILTER_DOC THREADS_DOC
             "\nReturns a kiln.Hit, true where they meet; for many poses a structured array [n]\n"
             "with its fields, of which ['found'] is bool [n].");
static PyObject *module_collide(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES, "hint", "threads", "filter"};
    static const signature wanted = {"collide", names, 4, 4, 7};
    PyObject *in[7];
    kiln_pair_options options;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        !pair_options_of(&options, NULL, NULL, NULL, in[4])) {
        return NULL;
    }
    return one_or_many_filtered(BATCH_COLLIDE, in, 0, &options, in[6], in[5]);
}

PyDoc_STRVAR(within_doc,
             "within(a, pose_a, b, pose_b, distance, *, hint=None, filter=None, threads=0)\n--\n\n"
             "Whether two surfaces are as near as `distance`, in units of the world.\n\n" POSES_DOC
             "distance: at least 0.\n"
             "hint: an earlier answer at similar poses.\n" PAIR_FILTER_DOC THREADS_DOC
             "\nReturns a kiln.Hit, or for many poses a structured array [n].");
static PyObject *module_within(PyObject *module, PyObject *const *args, Py_ssize_t given,
                               PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES, "distance", "hint", "threads", "filter"};
    static const signature wanted = {"within", names, 5, 5, 8};
    PyObject *in[8];
    kiln_pair_options options;
    double distance = 0;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        !length_of(in[4], "distance", HUGE_VAL, &distance) ||
        !pair_options_of(&options, NULL, NULL, NULL, in[5])) {
        return NULL;
    }
    return one_or_many_filtered(BATCH_WITHIN, in, distance, &options, in[7], in[6]);
}

PyDoc_STRVAR(
    distance_doc,
    "distance(a, pose_a, b, pose_b, *, beyond=inf, relative=0, absolute=0, hint=None,\n"
    "         filter=None, threads=0)\n--\n\n"
    "The distance of two surfaces, and where they are nearest, in units of the world.\n"
    "0 where they meet.\n\n" POSES_DOC
    "beyond: a greater distance need not be measured; `found` is then false.\n"
    "relative, absolute: how far the answer may exceed the minimum: a fraction, a length.\n"
    "hint: an earlier answer at similar poses, for one that comes sooner.\n" PAIR_FILTER_DOC
        THREADS_DOC
    "\nReturns a kiln.Nearest, or for many poses a structured array [n] with its fields,\n"
    "of which ['distance'] is float64 [n] and ['point_a'] float64 [n, 3].");
static PyObject *module_distance(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                 PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES, "beyond",  "relative", "absolute",
                                        "hint",    "threads", "filter"};
    static const signature wanted = {"distance", names, 4, 4, 10};
    PyObject *in[10];
    kiln_pair_options options;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        !pair_options_of(&options, in[4], in[5], in[6], in[7])) {
        return NULL;
    }
    return one_or_many_filtered(BATCH_DISTANCE, in, 0, &options, in[9], in[8]);
}

/* ------------------------------------------------------------------------------- contacts -- */

/* Which pairs: those that meet, or those within a distance. */
typedef struct {
    enum { PAIRS_CONTACTS, PAIRS_MEET, PAIRS_NEAR } which;
    double distance; /* of those that are near */
    filter of;
} pair_question;

typedef struct {
    const two_meshes *two;
    pair_question *asked;
} pair_asker;

static kiln_status find_pairs(void *asker, void *bytes, size_t room, size_t *count)
{
    const two_meshes *two = ((const pair_asker *)asker)->two;
    pair_question *asked = ((const pair_asker *)asker)->asked;
    const kiln_tree *a = two->a.tree, *b = two->b.tree;
    const kiln_pose *pose_a = pose_pointer(&two->pose_a), *pose_b = pose_pointer(&two->pose_b);
    kiln_pair_options options = kiln_pair_options_default();
    pair_options_filter(&options, &asked->of);
    switch (asked->which) {
    case PAIRS_CONTACTS:
        return kiln_contacts_geometry(a, pose_a, b, pose_b, &options, bytes, room, count);
    case PAIRS_NEAR:
        return kiln_near_pairs(a, pose_a, b, pose_b, asked->distance, &options, bytes, room, count);
    case PAIRS_MEET:
        break;
    }
    return kiln_contacts(a, pose_a, b, pose_b, &options, bytes, room, count);
}

/* All of them, or the first `limit`, as an array. Ends the use of the meshes and the filter. */
static PyObject *all_pairs(two_meshes *two, pair_question *asked, uint64_t limit)
{
    kiln_status status;
    pair_asker asker = {two, asked};
    PyObject *pairs = records_found(asked->which == PAIRS_CONTACTS ? RECORD_CONTACT : RECORD_PAIR,
                                    find_pairs, &asker, limit, &status);
    if (status != KILN_OK) {
        refused(status, &two->a, &two->pose_a);
    }
    end_two(two);
    return filter_end(&asked->of, pairs);
}

PyDoc_STRVAR(contacts_doc,
             "contacts(a, pose_a, b, pose_b, *, geometry=True, limit=None, filter=None)\n--\n\n"
             "All pairs of triangles that meet, in ascending order of (a, b).\n\n" ONE_POSE_DOC
             "geometry: with points, normal and depth of each; without, only the triangles.\n"
             "limit: at most so many.\n" PAIR_FILTER_DOC
             "\nReturns a structured array [n] with the fields of kiln.Contact, or of kiln.Pair.");
static PyObject *module_contacts(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                 PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES, "geometry", "limit", "filter"};
    static const signature wanted = {"contacts", names, 4, 4, 7};
    PyObject *in[7];
    two_meshes two;
    pair_question asked = {PAIRS_MEET, 0, {.function = NULL}};
    uint64_t limit = SIZE_MAX;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in)) {
        return NULL;
    }
    const int geometry = in[4] == NULL ? 1 : PyObject_IsTrue(in[4]);
    if (geometry < 0 ||
        (in[5] != NULL && in[5] != Py_None && !count_of(in[5], "limit", SIZE_MAX, &limit)) ||
        !begin_filtered(&two, &asked.of, in, in[6])) {
        return NULL;
    }
    asked.which = geometry ? PAIRS_CONTACTS : PAIRS_MEET;
    return all_pairs(&two, &asked, limit);
}

PyDoc_STRVAR(near_pairs_doc,
             "near_pairs(a, pose_a, b, pose_b, distance, *, limit=None, filter=None)\n--\n\n"
             "All pairs of triangles, or of points, as near as `distance`, in units of the world,\n"
             "in ascending order of (a, b).\n\n" ONE_POSE_DOC "distance: at least 0.\n"
             "limit: at most so many.\n" PAIR_FILTER_DOC
             "\nReturns a structured array [n] with the fields of kiln.Pair.");
static PyObject *module_near_pairs(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                   PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES, "distance", "limit", "filter"};
    static const signature wanted = {"near_pairs", names, 5, 5, 7};
    PyObject *in[7];
    two_meshes two;
    uint64_t limit = SIZE_MAX;
    pair_question asked = {PAIRS_NEAR, 0, {.function = NULL}};
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        !length_of(in[4], "distance", HUGE_VAL, &asked.distance) ||
        (in[5] != NULL && in[5] != Py_None && !count_of(in[5], "limit", SIZE_MAX, &limit)) ||
        !begin_filtered(&two, &asked.of, in, in[6])) {
        return NULL;
    }
    return all_pairs(&two, &asked, limit);
}

/* ------------------------------------------- queries that take the four arguments, or more -- */

PyDoc_STRVAR(summary_doc,
             "contacts_summary(a, pose_a, b, pose_b, *, filter=None)\n--\n\n"
             "All contacts in short: their number, the deepest, the box of their\n"
             "ends.\n\n" ONE_POSE_DOC PAIR_FILTER_DOC "\nReturns a kiln.ContactsSummary.");
static PyObject *module_contacts_summary(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                         PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES, "filter"};
    static const signature wanted = {"contacts_summary", names, 4, 4, 5};
    PyObject *in[5];
    two_meshes two;
    filter of;
    kiln_pair_options options = kiln_pair_options_default();
    kiln_contacts_summary summary;
    kiln_status status;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        !begin_filtered(&two, &of, in, in[4])) {
        return NULL;
    }
    pair_options_filter(&options, &of);
    Py_BEGIN_ALLOW_THREADS status =
        kiln_contacts_summarise(two.a.tree, pose_pointer(&two.pose_a), two.b.tree,
                                pose_pointer(&two.pose_b), &options, &summary);
    Py_END_ALLOW_THREADS PyObject *result = status == KILN_OK
                                                ? record_new(RECORD_SUMMARY, &summary)
                                                : refused(status, &two.a, &two.pose_a);
    end_two(&two);
    return filter_end(&of, result);
}

PyDoc_STRVAR(work_doc, "collide_work(a, pose_a, b, pose_b)\n--\n\n"
                       "As collide, and counts what the query did.\n\n" ONE_POSE_DOC
                       "\nReturns (kiln.Hit, kiln.Work).");
static PyObject *module_collide_work(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                     PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES};
    static const signature wanted = {"collide_work", names, 4, 4, 4};
    PyObject *in[4];
    two_meshes two;
    kiln_hit hit;
    kiln_work work;
    kiln_status status;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) || !begin_two(&two, in)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        kiln_collide_work(two.a.tree, pose_pointer(&two.pose_a), two.b.tree,
                          pose_pointer(&two.pose_b), NULL, &hit, &work);
    Py_END_ALLOW_THREADS PyObject *result = NULL;
    if (status == KILN_OK) {
        PyObject *first = record_new(RECORD_HIT, &hit), *second = record_new(RECORD_WORK, &work);
        result = first == NULL || second == NULL ? NULL : PyTuple_Pack(2, first, second);
        Py_XDECREF(first);
        Py_XDECREF(second);
    } else {
        refused(status, &two.a, &two.pose_a);
    }
    end_two(&two);
    return result;
}

PyDoc_STRVAR(boxes_doc,
             "collide_boxes(a, pose_a, b, pose_b)\n--\n\n"
             "Whether bounding volumes overlap down to leaves: False proves that the surfaces do\n"
             "not meet. Works on trees without polygons.\n\n" ONE_POSE_DOC "\nReturns a bool.");
static PyObject *module_collide_boxes(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                      PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES};
    static const signature wanted = {"collide_boxes", names, 4, 4, 4};
    PyObject *in[4];
    two_meshes two;
    bool found = false;
    kiln_status status;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) || !begin_two(&two, in)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = kiln_collide_boxes(
        two.a.tree, pose_pointer(&two.pose_a), two.b.tree, pose_pointer(&two.pose_b), &found);
    Py_END_ALLOW_THREADS PyObject *result =
        status == KILN_OK ? PyBool_FromLong(found) : refused(status, &two.a, &two.pose_a);
    end_two(&two);
    return result;
}

PyDoc_STRVAR(locate_mesh_doc,
             "locate_mesh(a, pose_a, b, pose_b)\n--\n\n"
             "Whether the whole mesh B is inside the closed mesh A.\n\n" ONE_POSE_DOC
             "\nReturns a kiln.Place: OUTSIDE, INSIDE, SURFACE (they touch) or PARTED.");
static PyObject *module_locate_mesh(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                    PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES};
    static const signature wanted = {"locate_mesh", names, 4, 4, 4};
    PyObject *in[4];
    two_meshes two;
    kiln_place place = KILN_PLACE_OUTSIDE;
    kiln_status status;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) || !begin_two(&two, in)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = kiln_locate_mesh(two.a.tree, pose_pointer(&two.pose_a),
                                                     two.b.tree, pose_pointer(&two.pose_b), &place);
    Py_END_ALLOW_THREADS PyObject *result =
        status == KILN_OK ? Py_XNewRef(PyTuple_GetItem(python.places, (Py_ssize_t)place))
                          : refused(status, &two.a, &two.pose_a);
    end_two(&two);
    return result;
}

/* ------------------------------------------------------------------ time-critical queries -- */

static const char *const modes[] = {"default", "fast", "careful", NULL};

PyDoc_STRVAR(likely_doc,
             "collide_likely(a, pose_a, b, pose_b, *, mode='default', threshold=None, steps=None,\n"
             "               nanoseconds=None, hint=None)\n--\n\n"
             "Whether two surfaces meet, probably: may answer YES before it is proved. A NO is\n"
             "always proved.\n\n" ONE_POSE_DOC
             "mode: 'default', 'fast' (sooner, with about twice the errors) or 'careful'.\n"
             "threshold: the score from which a YES is given; inf: only when it is proved.\n"
             "steps, nanoseconds: budgets; UNDECIDED where they are spent first.\n\n"
             "Returns a kiln.LikelyAnswer.");
static PyObject *module_collide_likely(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                       PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES, "mode",        "threshold",
                                        "steps",   "nanoseconds", "hint"};
    static const signature wanted = {"collide_likely", names, 4, 4, 9};
    PyObject *in[9];
    two_meshes two;
    kiln_likely_answer answer;
    kiln_status status;
    int mode = 0;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[4] != NULL && !word_of(in[4], "mode", modes, &mode))) {
        return NULL;
    }
    kiln_likely_options options = kiln_likely_options_of((kiln_likely_mode)mode);
    if ((in[5] != NULL && in[5] != Py_None && !number_of(in[5], "threshold", &options.threshold)) ||
        (in[6] != NULL && in[6] != Py_None &&
         !count_of(in[6], "steps", UINT64_MAX, &options.steps)) ||
        (in[7] != NULL && in[7] != Py_None &&
         !count_of(in[7], "nanoseconds", UINT64_MAX, &options.nanoseconds)) ||
        !hint_of(in[8], &options.hint) || !begin_two(&two, in)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        kiln_collide_likely(two.a.tree, pose_pointer(&two.pose_a), two.b.tree,
                            pose_pointer(&two.pose_b), &options, &answer);
    Py_END_ALLOW_THREADS PyObject *result = status == KILN_OK
                                                ? record_new(RECORD_LIKELY, &answer)
                                                : refused(status, &two.a, &two.pose_a);
    end_two(&two);
    return result;
}

PyDoc_STRVAR(
    counted_doc,
    "collide_counted(a, pose_a, b, pose_b, *, mode='default', p_min=None, k_min=None,\n"
    "                pairs=None, nanoseconds=None)\n--\n\n"
    "A counted query, after Klein and Zachmann (ADB-Trees, 2003): for comparison with the\n"
    "literature, and for trees without polygons. Trees are to be baked with adb=8 or the\n"
    "like. collide_likely is faster and wrong less often.\n\n" ONE_POSE_DOC
    "mode: 'default', 'fast' or 'careful' (no false NO).\n"
    "p_min, k_min: a pair of boxes as probable as p_min counts, and YES takes k_min.\n"
    "pairs, nanoseconds: budgets.\n\n"
    "Returns a kiln.CountedAnswer.");
static PyObject *module_collide_counted(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                        PyObject *keywords)
{
    static const char *const names[] = {TWO_NAMES, "mode",  "p_min",
                                        "k_min",   "pairs", "nanoseconds"};
    static const signature wanted = {"collide_counted", names, 4, 4, 9};
    PyObject *in[9];
    two_meshes two;
    kiln_adb_answer answer;
    kiln_status status;
    int mode = 0;
    uint64_t k_min = 0, pairs = UINT64_MAX, nanoseconds = UINT64_MAX;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[4] != NULL && !word_of(in[4], "mode", modes, &mode))) {
        return NULL;
    }
    kiln_adb_options options = kiln_adb_options_of((kiln_adb_mode)mode);
    k_min = options.k_min;
    if ((in[5] != NULL && in[5] != Py_None && !number_of(in[5], "p_min", &options.p_min)) ||
        (in[6] != NULL && in[6] != Py_None && !count_of(in[6], "k_min", UINT32_MAX, &k_min)) ||
        (in[7] != NULL && in[7] != Py_None && !count_of(in[7], "pairs", UINT64_MAX, &pairs)) ||
        (in[8] != NULL && in[8] != Py_None &&
         !count_of(in[8], "nanoseconds", UINT64_MAX, &nanoseconds)) ||
        !begin_two(&two, in)) {
        return NULL;
    }
    options.k_min = (uint32_t)k_min;
    Py_BEGIN_ALLOW_THREADS status =
        kiln_adb_collide(two.a.tree, pose_pointer(&two.pose_a), two.b.tree,
                         pose_pointer(&two.pose_b), &options, pairs, nanoseconds, &answer);
    Py_END_ALLOW_THREADS PyObject *result = status == KILN_OK
                                                ? record_new(RECORD_COUNTED, &answer)
                                                : refused(status, &two.a, &two.pose_a);
    end_two(&two);
    return result;
}

/* ---------------------------------------------------------------------------- the module -- */

bool add_pair_queries(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"collide", FAST(module_collide), METH_FASTCALL | METH_KEYWORDS, collide_doc},
        {"within", FAST(module_within), METH_FASTCALL | METH_KEYWORDS, within_doc},
        {"distance", FAST(module_distance), METH_FASTCALL | METH_KEYWORDS, distance_doc},
        {"contacts", FAST(module_contacts), METH_FASTCALL | METH_KEYWORDS, contacts_doc},
        {"near_pairs", FAST(module_near_pairs), METH_FASTCALL | METH_KEYWORDS, near_pairs_doc},
        {"contacts_summary", FAST(module_contacts_summary), METH_FASTCALL | METH_KEYWORDS,
         summary_doc},
        {"collide_work", FAST(module_collide_work), METH_FASTCALL | METH_KEYWORDS, work_doc},
        {"collide_boxes", FAST(module_collide_boxes), METH_FASTCALL | METH_KEYWORDS, boxes_doc},
        {"locate_mesh", FAST(module_locate_mesh), METH_FASTCALL | METH_KEYWORDS, locate_mesh_doc},
        {"collide_likely", FAST(module_collide_likely), METH_FASTCALL | METH_KEYWORDS, likely_doc},
        {"collide_counted", FAST(module_collide_counted), METH_FASTCALL | METH_KEYWORDS,
         counted_doc},
        {NULL, NULL, 0, NULL},
    };
    return add_methods(module, functions);
}
