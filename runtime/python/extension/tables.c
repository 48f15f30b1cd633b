/* Filled-bins tables and axis sets. They are never closed before the last object that needs them
 * is gone, so that no query has to say that it uses one. */
#include "module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kiln_adb.h"
#include "../../kiln_axes.h"

typedef struct {
    PyObject_HEAD kiln_bins *table; /* NULL: the built-in evaluator */
} bins_object;

typedef struct {
    PyObject_HEAD kiln_axes *axes; /* NULL: the set that is built in */
} axes_object;

static PyTypeObject *bins_type, *axes_type;

/* Opens a table by a path, or from the bytes of a file. */
typedef kiln_status (*open_path)(const char *path, const kiln_open_options *options, void **out);
typedef kiln_status (*open_bytes)(const void *data, size_t size, const kiln_open_options *options,
                                  void **out);

static kiln_status bins_path(const char *path, const kiln_open_options *options, void **out)
{
    kiln_bins *table = NULL;
    const kiln_status status = kiln_bins_open(path, options, &table);
    *out = table;
    return status;
}

static kiln_status bins_bytes(const void *data, size_t size, const kiln_open_options *options,
                              void **out)
{
    kiln_bins *table = NULL;
    const kiln_status status = kiln_bins_open_memory(data, size, options, &table);
    *out = table;
    return status;
}

static kiln_status axes_path(const char *path, const kiln_open_options *options, void **out)
{
    kiln_axes *axes = NULL;
    const kiln_status status = kiln_axes_open(path, options, &axes);
    *out = axes;
    return status;
}

static kiln_status axes_bytes(const void *data, size_t size, const kiln_open_options *options,
                              void **out)
{
    kiln_axes *axes = NULL;
    const kiln_status status = kiln_axes_open_memory(data, size, options, &axes);
    *out = axes;
    return status;
}

/* The argument of kiln.Bins and kiln.Axes: nothing, a path or bytes. False: an exception. */
static bool open_table(PyObject *source, open_path by_path, open_bytes by_bytes, void **out)
{
    kiln_error error = {.status = KILN_OK};
    kiln_open_options options = kiln_open_options_default();
    kiln_status status;
    options.error = &error;
    *out = NULL;
    if (source == NULL || source == Py_None) {
        return true;
    }
    if (!PyUnicode_Check(source) && PyObject_CheckBuffer(source)) {
        Py_buffer view;
        if (PyObject_GetBuffer(source, &view, PyBUF_SIMPLE) != 0) {
            return false;
        }
        options.flags |= KILN_OPEN_COPY;
        Py_BEGIN_ALLOW_THREADS status = by_bytes(view.buf, (size_t)view.len, &options, out);
        Py_END_ALLOW_THREADS PyBuffer_Release(&view);
    } else {
        PyObject *path = NULL;
        if (!PyUnicode_FSConverter(source, &path)) {
            return false;
        }
        const char *bytes = PyBytes_AsString(path);
        Py_BEGIN_ALLOW_THREADS status = by_path(bytes, &options, out);
        Py_END_ALLOW_THREADS Py_DECREF(path);
    }
    if (status != KILN_OK) {
        raise_status((int)status, error.message, PyUnicode_Check(source) ? source : NULL);
    }
    return status == KILN_OK;
}

/* --------------------------------------------------------------------------- filled bins -- */

static PyObject *bins_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"source", NULL};
    PyObject *source = NULL;
    void *table = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", names, &source) ||
        !open_table(source, bins_path, bins_bytes, &table)) {
        return NULL;
    }
    bins_object *self = PyObject_New(bins_object, type);
    if (self == NULL) {
        kiln_bins_close(table);
        return NULL;
    }
    self->table = table;
    return (PyObject *)self;
}

static void bins_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    kiln_bins_close(((bins_object *)self)->table);
    PyObject_Free(self);
    Py_DECREF(type);
}

static const char *const roundings[] = {"lower", "interpolated", NULL};

static PyObject *doubles_of(const double *values, size_t count)
{
    void *bytes = NULL;
    PyObject *memory = records_new(RECORD_DOUBLE, count, &bytes);
    if (memory == NULL) {
        return NULL;
    }
    memcpy(bytes, values, count * sizeof *values);
    return records_wrap(RECORD_DOUBLE, memory, 1, &count);
}

PyDoc_STRVAR(bins_probability_doc,
             "probability(u, v, w, x)\n--\n\n"
             "The probability that at least x of u bins hold a ball of each colour, of v and w\n"
             "(whole numbers; v, w <= u <= 4096, x <= 32).");
static PyObject *bins_probability(PyObject *self, PyObject *const *args, Py_ssize_t given,
                                  PyObject *keywords)
{
    static const char *const names[] = {"u", "v", "w", "x"};
    static const signature wanted = {"probability", names, 4, 4, 4};
    PyObject *in[4];
    uint64_t number[4];
    double p = 0;
    if (!arguments_of(&wanted, args, given, keywords, in)) {
        return NULL;
    }
    for (int i = 0; i < 4; i++) {
        if (!count_of(in[i], names[i], UINT32_MAX, &number[i])) {
            return NULL;
        }
    }
    const kiln_status status =
        kiln_bins_probability(((bins_object *)self)->table, (uint32_t)number[0],
                              (uint32_t)number[1], (uint32_t)number[2], (uint32_t)number[3], &p);
    return status == KILN_OK ? PyFloat_FromDouble(p) : raise_status((int)status, NULL, NULL);
}

PyDoc_STRVAR(bins_probabilities_doc,
             "probabilities(s, sa, sb, count=10, *, rounding='interpolated')\n--\n\n"
             "float64 [count]: the probabilities of at least 1, 2, ... count filled bins, of real\n"
             "numbers of bins and balls. rounding: 'lower', a proven lower bound, or\n"
             "'interpolated'.");
static PyObject *bins_probabilities(PyObject *self, PyObject *const *args, Py_ssize_t given,
                                    PyObject *keywords)
{
    static const char *const names[] = {"s", "sa", "sb", "count", "rounding"};
    static const signature wanted = {"probabilities", names, 3, 4, 5};
    PyObject *in[5];
    double number[3], p[KILN_BINS_MAX_X];
    uint64_t count = 10;
    int rounding = 1;
    if (!arguments_of(&wanted, args, given, keywords, in)) {
        return NULL;
    }
    for (int i = 0; i < 3; i++) {
        if (!number_of(in[i], names[i], &number[i])) {
            return NULL;
        }
    }
    if ((in[3] != NULL && !count_of(in[3], "count", KILN_BINS_MAX_X, &count)) ||
        (in[4] != NULL && !word_of(in[4], "rounding", roundings, &rounding))) {
        return NULL;
    }
    const kiln_status status =
        kiln_bins_probabilities_real(((bins_object *)self)->table, number[0], number[1], number[2],
                                     (kiln_bins_rounding)(rounding + 1), (uint32_t)count, p);
    return status == KILN_OK ? doubles_of(p, (size_t)count) : raise_status((int)status, NULL, NULL);
}

PyDoc_STRVAR(bins_bound_doc,
             "collision_bound(s, sa, sb, lb, *, rounding='interpolated')\n--\n\n"
             "Equation 8 of Klein and Zachmann 2003: (probability, the x that gives it). lb, 0 to\n"
             "1, bounds the probability that a collision cell holds a collision from below.");
static PyObject *bins_bound(PyObject *self, PyObject *const *args, Py_ssize_t given,
                            PyObject *keywords)
{
    static const char *const names[] = {"s", "sa", "sb", "lb", "rounding"};
    static const signature wanted = {"collision_bound", names, 4, 4, 5};
    PyObject *in[5];
    double number[4], p = 0;
    uint32_t best = 0;
    int rounding = 1;
    if (!arguments_of(&wanted, args, given, keywords, in)) {
        return NULL;
    }
    for (int i = 0; i < 4; i++) {
        if (!number_of(in[i], names[i], &number[i])) {
            return NULL;
        }
    }
    if (in[4] != NULL && !word_of(in[4], "rounding", roundings, &rounding)) {
        return NULL;
    }
    const kiln_status status =
        kiln_bins_collision_bound(((bins_object *)self)->table, number[0], number[1], number[2],
                                  number[3], (kiln_bins_rounding)(rounding + 1), &best, &p);
    return status == KILN_OK ? Py_BuildValue("(dI)", p, (unsigned)best)
                             : raise_status((int)status, NULL, NULL);
}

static PyObject *bins_info(PyObject *self, void *closure)
{
    const kiln_bins_info info = kiln_bins_get_info(((bins_object *)self)->table);
    (void)closure;
    return Py_BuildValue("{sssOsIsIsdsK}", "profile", info.profile, "rounded_down",
                         info.rounded_down ? Py_True : Py_False, "max_u", info.max_u, "max_x",
                         info.max_x, "certificate", info.certificate, "bytes",
                         (unsigned long long)info.bytes);
}

/* -------------------------------------------------------------------------------- axes -- */

static PyObject *axes_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"source", NULL};
    PyObject *source = NULL;
    void *axes = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", names, &source) ||
        !open_table(source, axes_path, axes_bytes, &axes)) {
        return NULL;
    }
    axes_object *self = PyObject_New(axes_object, type);
    if (self == NULL) {
        kiln_axes_close(axes);
        return NULL;
    }
    self->axes = axes;
    return (PyObject *)self;
}

static void axes_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    kiln_axes_close(((axes_object *)self)->axes);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(axes_zone_doc,
             "zone(velocities, sine=0)\n--\n\n"
             "Which axes moving objects use: those nearly perpendicular to their velocities.\n\n"
             "velocities: float64 [3] or [n, 3].\n"
             "sine: of the angle that an axis may depart from perpendicular, at least Axes.sine;\n"
             "    0: that of the set.\n\n"
             "Returns uint64 [words] or [n, words]: bit i % 64 of word i // 64 is for axis i. Any\n"
             "two masks share a bit.");
static PyObject *axes_zone(PyObject *object, PyObject *const *args, Py_ssize_t given,
                           PyObject *keywords)
{
    static const char *const names[] = {"velocities", "sine"};
    static const signature wanted = {"zone", names, 1, 2, 2};
    PyObject *in[2];
    const kiln_axes *axes = ((axes_object *)object)->axes;
    const kiln_axes_info info = kiln_axes_get_info(axes);
    double *velocities = NULL, sine = 0;
    size_t count = 0;
    bool single = false;
    void *bytes = NULL;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[1] != NULL && !number_of(in[1], "sine", &sine)) ||
        !vectors_take(in[0], "velocities", &velocities, &count, &single)) {
        return NULL;
    }
    PyObject *memory = count > (size_t)PY_SSIZE_T_MAX / (info.words + 1)
                           ? PyErr_NoMemory()
                           : records_new(RECORD_MASK, count * info.words, &bytes);
    kiln_status status = KILN_OK;
    size_t i = 0;
    if (memory != NULL) {
        uint64_t *masks = bytes;
        Py_BEGIN_ALLOW_THREADS while (i < count && status == KILN_OK)
        {
            status = kiln_axes_zone(axes, velocities + 3 * i, sine, masks + i * info.words, NULL);
            i += status == KILN_OK;
        }
        Py_END_ALLOW_THREADS
    }
    free(velocities);
    if (memory == NULL || status == KILN_OK) {
        const size_t shape[2] = {count, info.words}, *from = single ? shape + 1 : shape;
        return memory == NULL ? NULL : records_wrap(RECORD_MASK, memory, single ? 1 : 2, from);
    }
    Py_DECREF(memory);
    char detail[40];
    snprintf(detail, sizeof detail, "velocity %zu, or sine", i);
    return raise_status((int)status, detail, NULL);
}

static PyObject *axes_all(PyObject *self, void *closure)
{
    const kiln_axes_info info = kiln_axes_get_info(((axes_object *)self)->axes);
    const size_t shape[2] = {info.count, 3};
    void *bytes = NULL;
    PyObject *memory = records_new(RECORD_DOUBLE, shape[0] * 3, &bytes);
    (void)closure;
    if (memory == NULL) {
        return NULL;
    }
    memcpy(bytes, info.axes, shape[0] * sizeof *info.axes);
    return records_wrap(RECORD_DOUBLE, memory, 2, shape);
}

static PyObject *axes_radius(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(kiln_axes_get_info(((axes_object *)self)->axes).radius);
}

static PyObject *axes_sine(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(kiln_axes_get_info(((axes_object *)self)->axes).sine);
}

/* ---------------------------------------------------------------------------- the module -- */

bool add_tables(PyObject *module)
{
    static PyMethodDef bins_methods[] = {
        {"probability", FAST(bins_probability), METH_FASTCALL | METH_KEYWORDS,
         bins_probability_doc},
        {"probabilities", FAST(bins_probabilities), METH_FASTCALL | METH_KEYWORDS,
         bins_probabilities_doc},
        {"collision_bound", FAST(bins_bound), METH_FASTCALL | METH_KEYWORDS, bins_bound_doc},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef bins_getters[] = {
        {"info", bins_info, NULL, "profile, rounding, limits and certificate, a dict", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot bins_slots[] = {
        {Py_tp_new, SLOT(bins_new)},
        {Py_tp_dealloc, SLOT(bins_free)},
        {Py_tp_methods, bins_methods},
        {Py_tp_getset, bins_getters},
        {Py_tp_doc,
         (void *)"Bins(source=None)\n--\n\nProbabilities of filled bins (Klein and Zachmann 2003). "
                 "source: the table of a file, by its path\nor its bytes; None: computed."},
        {0, NULL},
    };
    static PyType_Spec bins_spec = {.name = "kiln.Bins",
                                    .basicsize = sizeof(bins_object),
                                    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                                    .slots = bins_slots};
    static PyMethodDef axes_methods[] = {
        {"zone", FAST(axes_zone), METH_FASTCALL | METH_KEYWORDS, axes_zone_doc},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef axes_getters[] = {
        {"axes", axes_all, NULL, "float64 [count, 3]: unit vectors", NULL},
        {"radius", axes_radius, NULL, "the covering radius in radians, rounded up", NULL},
        {"sine", axes_sine, NULL, "its sine, rounded up", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot axes_slots[] = {
        {Py_tp_new, SLOT(axes_new)},
        {Py_tp_dealloc, SLOT(axes_free)},
        {Py_tp_methods, axes_methods},
        {Py_tp_getset, axes_getters},
        {Py_tp_doc,
         (void *)"Axes(source=None)\n--\n\nUnit vectors near every direction (Coming and "
                 "Staadt 2004). source: the set of a file, by its\npath or its bytes; "
                 "None: the 70 axes that are built in."},
        {0, NULL},
    };
    static PyType_Spec axes_spec = {.name = "kiln.Axes",
                                    .basicsize = sizeof(axes_object),
                                    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                                    .slots = axes_slots};
    bins_type = (PyTypeObject *)add_type(module, "Bins", &bins_spec);
    axes_type = bins_type == NULL ? NULL : (PyTypeObject *)add_type(module, "Axes", &axes_spec);
    return axes_type != NULL;
}
