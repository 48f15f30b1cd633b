/* The argument `filter`: which triangles, or which pairs of them, count in a query. */
#include "module.h"

static bool mask_take(filter *out, int which, PyObject *object)
{
    out->given[which] = object != Py_None;
    return !out->given[which] || array_take(&out->masks[which], object, "filter", '?', 1, 1);
}

static bool masks_take(filter *out, PyObject *object, int meshes)
{
    if (meshes == 1) {
        return mask_take(out, 0, object);
    }
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 2) {
        PyErr_SetString(PyExc_TypeError, "filter is to be two arrays of bools, (of_a, of_b), or a "
                                         "function");
        return false;
    }
    PyObject *of_a = NULL, *of_b = NULL;
    Py_INCREF(object); /* its parts are there while they are read */
    const bool good = PyArg_ParseTuple(object, "OO", &of_a, &of_b) != 0 &&
                      mask_take(out, 0, of_a) && mask_take(out, 1, of_b);
    Py_DECREF(object);
    return good;
}

bool filter_take(filter *out, PyObject *object, int meshes)
{
    *out = (filter){.function = NULL};
    if (object == NULL || object == Py_None) {
        return true;
    }
    out->any = true;
    if (PyCallable_Check(object)) {
        out->function = object;
        return true;
    }
    if (masks_take(out, object, meshes)) {
        return true;
    }
    filter_end(out, NULL);
    return false;
}

static bool is_long_enough(const filter *of, int which, const tree_use *use)
{
    if (!of->given[which]) {
        return true;
    }
    const size_t length = array_length(&of->masks[which], 0);
    const uint32_t limit = tree_limit(use);
    if (length != limit) {
        PyErr_Format(PyExc_ValueError, "filter has %zu entries, and triangle_limit is %lu", length,
                     (unsigned long)limit);
    }
    return length == limit;
}

bool filter_fits(const filter *of, const tree_use *a, const tree_use *b)
{
    return is_long_enough(of, 0, a) && (b == NULL || is_long_enough(of, 1, b));
}

/* -------------------------------------------------------------------------- while it runs -- */

static bool keeps(const filter *of, int which, uint32_t triangle)
{
    const array *mask = &of->masks[which];
    return !of->given[which] ||
           *((const char *)mask->view.buf + (Py_ssize_t)triangle * mask->strides[0]) != 0;
}

/* The first exception is kept, and the function not called again. */
static bool call(filter *of, const char *format, const uint32_t numbers[4])
{
    if (of->raised) {
        return false;
    }
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer =
        PyObject_CallFunction(of->function, format, numbers[0], numbers[1], numbers[2], numbers[3]);
    const int truth = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    if (truth < 0) {
        PyErr_Fetch(&of->exception[0], &of->exception[1], &of->exception[2]);
        of->raised = true;
    }
    PyGILState_Release(state);
    return truth > 0;
}

static bool keeps_triangle(void *user, uint32_t triangle, uint32_t value)
{
    filter *of = user;
    const uint32_t numbers[4] = {triangle, value, 0, 0};
    return of->function != NULL ? call(of, "II", numbers) : keeps(of, 0, triangle);
}

static bool keeps_pair(void *user, kiln_pair pair)
{
    filter *of = user;
    const uint32_t numbers[4] = {pair.a, pair.b, pair.value_a, pair.value_b};
    return of->function != NULL ? call(of, "IIII", numbers)
                                : keeps(of, 0, pair.a) && keeps(of, 1, pair.b);
}

static bool keeps_self_pair(void *user, const kiln_self_pair *pair)
{
    filter *of = user;
    return of->function != NULL ? keeps_pair(of, pair->pair)
                                : keeps(of, 0, pair->pair.a) && keeps(of, 0, pair->pair.b);
}

bool filter_raised(void *of)
{
    return ((const filter *)of)->raised;
}

kiln_triangle_filter filter_of_triangles(const filter *of)
{
    return of->any ? keeps_triangle : NULL;
}

kiln_pair_filter filter_of_pairs(const filter *of)
{
    return of->any ? keeps_pair : NULL;
}

kiln_self_filter filter_of_self(const filter *of)
{
    return of->any ? keeps_self_pair : NULL;
}

kiln_stop filter_stop(const filter *of)
{
    return of->function != NULL ? filter_raised : NULL;
}

void filter_threads(const filter *of, uint32_t *threads)
{
    *threads = of->function != NULL ? 1 : *threads;
}

PyObject *filter_end(filter *of, PyObject *result)
{
    for (int i = 0; i < FILTER_MESHES; i++) {
        array_release(&of->masks[i]);
    }
    if (!of->raised) {
        return result;
    }
    Py_XDECREF(result);
    PyErr_Restore(of->exception[0], of->exception[1], of->exception[2]);
    return NULL;
}
