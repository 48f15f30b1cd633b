/* Winding numbers of points: how often a surface, closed or not, goes around them. */
#include "module.h"

#include "../../kiln_winding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points between two looks at signals. */
enum { POINTS_AT_ONCE = 1 << 14 };

/* The tree is in use for as long as there is the object, so that its file stays. */
typedef struct {
    PyObject_HEAD tree_use use;
    void *memory;
    kiln_winding *winding;
} winding_object;

static void winding_free(PyObject *object)
{
    winding_object *self = (winding_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    free(self->memory);
    tree_end(&self->use);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *winding_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"tree", NULL};
    PyObject *tree = NULL;
    kiln_status status;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O", names, &tree)) {
        return NULL;
    }
    winding_object *self = PyObject_New(winding_object, type);
    if (self == NULL) {
        return NULL;
    }
    self->use.file = NULL;
    self->memory = NULL;
    if (!tree_begin(&self->use, tree, "tree")) {
        Py_DECREF(self);
        return NULL;
    }
    const size_t size = kiln_winding_size(self->use.tree);
    self->memory = malloc(size + 1); /* of a size of 0 the status says why */
    if (self->memory == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS status =
        kiln_winding_place(self->memory, size, self->use.tree, &self->winding);
    Py_END_ALLOW_THREADS if (status != KILN_OK)
    {
        Py_DECREF(self);
        return raise_status((int)status, NULL, NULL);
    }
    return (PyObject *)self;
}

/* False: an exception. */
static bool ask_points(const kiln_winding *winding, const kiln_pose *pose, const double *points,
                       size_t count, bool single, const kiln_winding_options *options,
                       kiln_winding_answer *answers)
{
    size_t done = 0;
    do { /* once without points, too: a pose that is none is refused */
        const size_t now = count - done < POINTS_AT_ONCE ? count - done : POINTS_AT_ONCE;
        kiln_status status;
        Py_BEGIN_ALLOW_THREADS status =
            kiln_winding_numbers(winding, pose, points + 3 * done, now, options, answers + done);
        Py_END_ALLOW_THREADS if (status != KILN_OK)
        {
            raise_of_points((int)status, points, count, single);
            return false;
        }
        done += now;
    } while (done < count && !SIGNALLED());
    return PyErr_Occurred() == NULL;
}

PyDoc_STRVAR(
    number_doc,
    "number(points, pose=None, *, accuracy=0.01, threshold=None, count_closed=True, threads=0)\n"
    "--\n\n"
    "Winding numbers about points: the signed solid angles of all triangles over 4 pi.\n\n"
    "points: float64 [3] or [n, 3], world; pose: where the tree is, None, [4, 4] or [3, 4].\n"
    "accuracy: errors are no larger, unless rounding is; 0: as doubles have it, which takes\n"
    "    time in proportion to the triangles.\n"
    "threshold: numbers are refined until it is decided whether they are above it, whatever\n"
    "    the accuracy; None: not asked.\n"
    "count_closed: whole numbers of closed meshes are counted, exactly.\n"
    "threads: for many points; 0: one for each processor, the default. Answers do not depend on\n"
    "    it.\n\n"
    "Returns a kiln.WindingNumber, or for many points a structured array [n].");
static PyObject *winding_number(PyObject *object, PyObject *const *args, Py_ssize_t given,
                                PyObject *keywords)
{
    static const char *const names[] = {"points",    "pose",         "accuracy",
                                        "threshold", "count_closed", "threads"};
    static const signature wanted = {"number", names, 1, 2, 6};
    const winding_object *self = (const winding_object *)object;
    kiln_winding_options options = kiln_winding_options_default();
    PyObject *in[6], *memory = NULL, *result = NULL;
    poses pose;
    double *points = NULL;
    size_t count = 0;
    uint32_t threads = 0;
    bool single = false;
    void *bytes = NULL;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[2] != NULL && !length_of(in[2], "accuracy", INFINITY, &options.accuracy)) ||
        !threads_of(in[5], 0, &threads)) {
        return NULL;
    }
    options.decide = in[3] != NULL && in[3] != Py_None;
    if (options.decide && !number_of(in[3], "threshold", &options.threshold)) {
        return NULL;
    }
    if (!isfinite(options.threshold)) {
        PyErr_SetString(PyExc_ValueError, "threshold is to be finite");
        return NULL;
    }
    const int counted = in[4] == NULL ? 1 : PyObject_IsTrue(in[4]);
    if (counted < 0 || !pose_take(&pose, in[1], "pose") ||
        !vectors_take(in[0], "points", &points, &count, &single)) {
        return NULL;
    }
    options.count_closed = counted != 0;
    options.parallel = threads > 1 && count > 1 ? run_parallel : NULL;
    options.parallel_user = &threads;
    if ((memory = records_new(RECORD_WINDING_NUMBER, count, &bytes)) != NULL &&
        ask_points(self->winding, pose_pointer(&pose), points, count, single, &options, bytes)) {
        if (single) {
            result = record_new(RECORD_WINDING_NUMBER, bytes);
        } else {
            result = records_wrap(RECORD_WINDING_NUMBER, memory, 1, &count);
            memory = NULL;
        }
    }
    Py_XDECREF(memory);
    free(points);
    return result;
}

bool add_winding(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"number", FAST(winding_number), METH_FASTCALL | METH_KEYWORDS, number_doc},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, SLOT(winding_new)},
        {Py_tp_dealloc, SLOT(winding_free)},
        {Py_tp_methods, methods},
        {Py_tp_doc,
         (void *)"Winding(tree)\n--\n\nHow often a mesh, closed or not, goes around points: 1 "
                 "inside of a closed one, 0 outside,\nin between near holes. It has sums of the "
                 "triangles, about 80 bytes each, and keeps the\ntree's file open while it is "
                 "there."},
        {0, NULL},
    };
    static PyType_Spec spec = {.name = "kiln.Winding",
                               .basicsize = sizeof(winding_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                               .slots = slots};
    return add_type(module, "Winding", &spec) != NULL;
}
