/* Arrays and poses that come in. Values are copied while the interpreter is locked, so that no
 * other thread changes what was checked. */
#include "module.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------- arrays -- */

/* The element of a buffer in the order of this machine, or 0. */
static char type_of(const Py_buffer *view)
{
    const char *format = view->format == NULL ? "B" : view->format;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const char *orders = "@=<";
#else
    const char *orders = "@=>!";
#endif
    if (format[0] != '\0' && strchr(orders, format[0]) != NULL) {
        format++;
    }
    if (format[0] == '\0' || format[1] != '\0') {
        return 0;
    }
    switch (format[0]) {
    case 'd':
        return view->itemsize == sizeof(double) ? 'd' : 0;
    case 'f':
        return view->itemsize == sizeof(float) ? 'f' : 0;
    case 'I':
    case 'L':
        return view->itemsize == sizeof(uint32_t) ? 'I' : 0;
    case '?':
        return view->itemsize == 1 ? '?' : 0;
    default:
        return 0;
    }
}

static bool fits(char type, char wanted)
{
    return wanted == 'd' ? type == 'd' || type == 'f' : type == wanted;
}

bool array_take(array *out, PyObject *object, const char *name, char wanted, int least, int most)
{
    out->held = false;
    out->type = 0;
    if (PyObject_CheckBuffer(object)) {
        if (PyObject_GetBuffer(object, &out->view, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
            out->type = type_of(&out->view);
            out->held = true;
        } else {
            PyErr_Clear(); /* numpy may yet read it, such as an array of dates: it says so then */
        }
    }
    if (!fits(out->type, wanted)) {
        array_release(out);
        if (python.convert == NULL) {
            PyErr_SetString(PyExc_RuntimeError, "import kiln, not kiln._kiln");
            return false;
        }
        const char *kind = wanted == 'I' ? "uint32" : wanted == '?' ? "bool" : "float64";
        PyObject *converted = PyObject_CallFunction(python.convert, "Oss", object, kind, name);
        if (converted == NULL) {
            return false;
        }
        const int got = PyObject_GetBuffer(converted, &out->view, PyBUF_STRIDES | PyBUF_FORMAT);
        Py_DECREF(converted); /* the view has a reference of its own */
        if (got != 0) {
            return false;
        }
        out->held = true;
        out->type = type_of(&out->view);
        if (!fits(out->type, wanted)) {
            array_release(out);
            PyErr_Format(PyExc_TypeError, "%s can't be read as numbers", name);
            return false;
        }
    }
    if (out->view.ndim < least || out->view.ndim > most) {
        PyErr_Format(PyExc_ValueError, "%s has %d dimensions", name, out->view.ndim);
        array_release(out);
        return false;
    }
    const Py_buffer *view = &out->view;
    Py_ssize_t step = view->itemsize;
    for (int i = view->ndim - 1; i >= 0; i--) {
        out->shape[i] = view->shape != NULL ? view->shape[i] : view->len / view->itemsize;
        out->strides[i] = view->strides != NULL ? view->strides[i] : step;
        step *= out->shape[i] > 0 ? out->shape[i] : 1;
    }
    return true;
}

void array_release(array *taken)
{
    if (taken->held) {
        PyBuffer_Release(&taken->view);
        taken->held = false;
    }
}

size_t array_length(const array *of, int dimension)
{
    return (size_t)of->shape[dimension];
}

static double element(const char *at, char type)
{
    if (type == 'f') {
        float value;
        memcpy(&value, at, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

double array_double(const array *of, const size_t *index)
{
    const char *at = of->view.buf;
    for (int i = 0; i < of->view.ndim; i++) {
        at += (Py_ssize_t)index[i] * of->strides[i];
    }
    return element(at, of->type);
}

/* Doubles [count * width] of an array whose last dimension is `width`, or of which all are numbers
 * where width is 0. */
static double *copied(const array *from, size_t count, size_t width)
{
    const size_t all = width == 0 ? count : width;
    if (count > (size_t)PY_SSIZE_T_MAX / 64) {
        PyErr_NoMemory();
        return NULL;
    }
    double *values = malloc((width == 0 ? 1 : width) * (count + 1) * sizeof *values);
    if (values == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (width == 0) {
        for (size_t i = 0; i < all; i++) {
            values[i] = array_double(from, &i);
        }
        return values;
    }
    const int last = from->view.ndim - 1;
    const Py_ssize_t step = from->strides[last];
    for (size_t i = 0; i < count; i++) {
        const char *at =
            (const char *)from->view.buf + (last == 0 ? 0 : (Py_ssize_t)i * from->strides[0]);
        for (size_t k = 0; k < width; k++) {
            values[i * width + k] = element(at + (Py_ssize_t)k * step, from->type);
        }
    }
    return values;
}

bool vectors_take(PyObject *object, const char *name, double **out, size_t *count, bool *single)
{
    array taken;
    *out = NULL;
    if (!array_take(&taken, object, name, 'd', 1, 2)) {
        return false;
    }
    *single = taken.view.ndim == 1;
    *count = *single ? 1 : array_length(&taken, 0);
    if (array_length(&taken, taken.view.ndim - 1) != 3) {
        PyErr_Format(PyExc_ValueError, "%s is to be of shape [3] or [n, 3]", name);
    } else {
        *out = copied(&taken, *count, 3);
    }
    array_release(&taken);
    return *out != NULL;
}

bool vector_take(PyObject *object, const char *name, double out[3])
{
    double *values = NULL;
    size_t count = 0;
    bool single = false;
    if (!vectors_take(object, name, &values, &count, &single)) {
        return false;
    }
    if (single) {
        memcpy(out, values, 3 * sizeof *out);
    } else {
        PyErr_Format(PyExc_ValueError, "%s is to be of shape [3]", name);
    }
    free(values);
    return single;
}

bool numbers_take(PyObject *object, const char *name, double **out, size_t *count, bool *single)
{
    *single = PyFloat_Check(object) || PyLong_Check(object);
    *count = 1;
    if (*single) {
        double value = 0;
        *out = NULL;
        if (!number_of(object, name, &value)) {
            return false;
        }
        *out = malloc(sizeof **out);
        if (*out == NULL) {
            PyErr_NoMemory();
            return false;
        }
        **out = value;
        return true;
    }
    array taken;
    *out = NULL;
    if (!array_take(&taken, object, name, 'd', 0, 1)) {
        return false;
    }
    *single = taken.view.ndim == 0;
    *count = *single ? 1 : array_length(&taken, 0);
    *out = copied(&taken, *count, 0);
    array_release(&taken);
    return *out != NULL;
}

/* --------------------------------------------------------------------------------- poses -- */

/* How far the square of a scale may depart from a power of four to count as one: as far as a
 * rotation may depart from orthonormal (kiln.h). The matrix is then divided by a power of two,
 * which is exact, so that a pose without a scale is passed on bit for bit; so is one that is no
 * rotation with a scale. */
static const double power_tolerance = 1e-6;

static void pose_of_matrix(const char *at, Py_ssize_t row, Py_ssize_t column, char type,
                           kiln_pose *out)
{
    double sums[3];
    if (type == 'd' && column == sizeof(double)) {
        for (int i = 0; i < 3; i++) {
            memcpy(&out->rotation[3 * i], at + i * row, 3 * sizeof(double));
            memcpy(&out->translation[i], at + i * row + 3 * column, sizeof(double));
        }
    } else {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                out->rotation[3 * i + k] = element(at + i * row + k * column, type);
            }
            out->translation[i] = element(at + i * row + 3 * column, type);
        }
    }
    for (int i = 0; i < 3; i++) { /* rows apart, which a processor adds up at once */
        const double *r = &out->rotation[3 * i];
        sums[i] = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    }
    const double square = (sums[0] + sums[1] + sums[2]) * (1.0 / 3);
    out->scale = 1;
    if (fabs(square - 1) <= power_tolerance || !(square > 0 && square < INFINITY)) {
        return; /* what is no pose is refused by the query */
    }
    double scale = sqrt(square);
    int exponent = 0;
    const double part = frexp(scale, &exponent); /* [1/2, 1) */
    if (fabs(4 * part * part - 1) <= power_tolerance) {
        scale = ldexp(1, exponent - 1);
    } else if (fabs(part * part - 1) <= power_tolerance) {
        scale = ldexp(1, exponent);
    }
    double scaled[9], worst = 0;
    for (int i = 0; i < 9; i++) {
        scaled[i] = out->rotation[i] / scale;
    }
    for (int i = 0; i < 9; i++) { /* of R^T R - I */
        const double *p = scaled + i / 3, *q = scaled + i % 3;
        const double off = fabs(p[0] * q[0] + p[3] * q[3] + p[6] * q[6] - (i % 4 == 0 ? 1 : 0));
        worst = off > worst ? off : worst;
    }
    if (worst <= power_tolerance) {
        memcpy(out->rotation, scaled, sizeof scaled);
        out->scale = scale;
    }
}

/* The last row of a matrix [4,4] is 0 0 0 1. */
static bool last_row(const char *at, Py_ssize_t column, char type)
{
    return element(at, type) == 0 && element(at + column, type) == 0 &&
           element(at + 2 * column, type) == 0 && element(at + 3 * column, type) == 1;
}

bool poses_take(poses *out, PyObject *object, const char *name)
{
    out->many = NULL;
    out->count = 1;
    out->single = true;
    out->from.held = false;
    out->name = name;
    out->given = object != NULL && object != Py_None;
    if (!out->given) {
        return true;
    }
    if (!array_take(&out->from, object, name, 'd', 2, 3)) {
        return false;
    }
    const int first = out->from.view.ndim - 2;
    const size_t rows = array_length(&out->from, first);
    const size_t columns = array_length(&out->from, first + 1);
    bool good = columns == 4 && (rows == 3 || rows == 4);
    out->single = first == 0;
    if (!good) {
        PyErr_Format(PyExc_ValueError,
                     "%s is to be of shape [4, 4] or [3, 4], or [n, 4, 4] or [n, 3, 4]", name);
    } else if (out->single) {
        good = poses_some(out, 0, 1, &out->one);
        array_release(&out->from);
    } else {
        out->count = array_length(&out->from, 0);
    }
    if (!good) {
        poses_release(out);
    }
    return good;
}

bool poses_some(const poses *from, size_t first, size_t count, kiln_pose *to)
{
    const array *all = &from->from;
    const int last = all->view.ndim - 1;
    const Py_ssize_t row = all->strides[last - 1], column = all->strides[last];
    const Py_ssize_t step = from->single ? 0 : all->strides[0];
    const bool whole = all->shape[last - 1] == 4;
    const char *at = (const char *)all->view.buf + (Py_ssize_t)first * step;
    for (size_t i = 0; i < count; i++, at += step) {
        pose_of_matrix(at, row, column, all->type, &to[i]);
        if (whole && !last_row(at + 3 * row, column, all->type)) {
            char place[32] = "";
            if (!from->single) {
                snprintf(place, sizeof place, "[%zu]", first + i);
            }
            PyErr_Format(PyExc_ValueError, "%s%s: the last row of the matrix is not 0 0 0 1",
                         from->name, place);
            return false;
        }
    }
    return true;
}

bool poses_all(poses *taken)
{
    if (taken->single) {
        return true;
    }
    const bool fits_memory = taken->count < (size_t)PY_SSIZE_T_MAX / sizeof *taken->many - 1;
    taken->many = fits_memory ? malloc((taken->count + 1) * sizeof *taken->many) : NULL;
    if (taken->many == NULL) {
        PyErr_NoMemory();
        return false;
    }
    return poses_some(taken, 0, taken->count, taken->many);
}

void poses_release(poses *taken)
{
    free(taken->many);
    taken->many = NULL;
    array_release(&taken->from);
}

const kiln_pose *pose_pointer(const poses *taken)
{
    return taken->given ? &taken->one : NULL;
}

bool pose_take(poses *out, PyObject *object, const char *name)
{
    if (!poses_take(out, object, name)) {
        return false;
    }
    if (!out->single) {
        poses_release(out);
        PyErr_Format(PyExc_ValueError, "%s is to be one pose here, [4, 4] or [3, 4]", name);
        return false;
    }
    return true;
}
