/* The module: what the Python side registers, arguments, errors. */
#include "module.h"

#include <math.h>
#include <string.h>

python_side python;

/* ------------------------------------------------------------------------------ arguments -- */

bool arguments_of(const signature *wanted, PyObject *const *args, Py_ssize_t given,
                  PyObject *keywords, PyObject **out)
{
    for (int i = 0; i < wanted->count; i++) {
        out[i] = NULL;
    }
    if (given > wanted->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes %d positional arguments but %zd were given",
                     wanted->function, wanted->positional, given);
        return false;
    }
    for (Py_ssize_t i = 0; i < given; i++) {
        out[i] = args[i];
    }
    const Py_ssize_t named = keywords == NULL ? 0 : PyTuple_Size(keywords);
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *keyword = PyTuple_GetItem(keywords, i);
        int at = 0;
        while (at < wanted->count &&
               PyUnicode_CompareWithASCIIString(keyword, wanted->names[at]) != 0) {
            at++;
        }
        if (at == wanted->count) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'",
                         wanted->function, keyword);
            return false;
        }
        if (out[at] != NULL) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'",
                         wanted->function, wanted->names[at]);
            return false;
        }
        out[at] = args[given + i];
    }
    for (int i = 0; i < wanted->required; i++) {
        if (out[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() misses the argument '%s'", wanted->function,
                         wanted->names[i]);
            return false;
        }
    }
    return true;
}

bool number_of(PyObject *object, const char *name, double *out)
{
    const double value = PyFloat_AsDouble(object);
    if (value == -1 && PyErr_Occurred() != NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError, "%s is to be a number", name);
        }
        return false;
    }
    *out = value;
    return true;
}

bool length_of(PyObject *object, const char *name, double most, double *out)
{
    double value;
    if (!number_of(object, name, &value)) {
        return false;
    }
    if (!(value >= 0 && value <= most)) {
        PyErr_Format(PyExc_ValueError, "%s is to be %s", name,
                     value > most ? "finite" : "a number of at least 0");
        return false;
    }
    *out = value;
    return true;
}

bool count_of(PyObject *object, const char *name, uint64_t most, uint64_t *out)
{
    PyObject *index = PyNumber_Index(object);
    if (index == NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError, "%s is to be a whole number", name);
        }
        return false;
    }
    const unsigned long long value = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (PyErr_Occurred() != NULL || value > most) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s is to be from 0 to %llu", name,
                     (unsigned long long)most);
        return false;
    }
    *out = value;
    return true;
}

bool word_of(PyObject *object, const char *name, const char *const *words, int *out)
{
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s is to be a string", name);
        return false;
    }
    for (int i = 0; words[i] != NULL; i++) {
        if (PyUnicode_CompareWithASCIIString(object, words[i]) == 0) {
            *out = i;
            return true;
        }
    }
    char all[200] = "";
    for (int i = 0; words[i] != NULL && strlen(all) + strlen(words[i]) + 5 < sizeof all; i++) {
        strcat(strcat(strcat(all, i == 0 ? "'" : ", '"), words[i]), "'");
    }
    PyErr_Format(PyExc_ValueError, "%s is one of %s, not %R", name, all, object);
    return false;
}

/* --------------------------------------------------------------------------------- errors -- */

PyObject *raise_status(int status, const char *detail, PyObject *path)
{
    PyObject *kind = python.error;
    if (kind == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "import kiln, not kiln._kiln");
        return NULL;
    }
    PyObject *error = PyObject_CallFunction(kind, "isO", status, detail == NULL ? "" : detail,
                                            path == NULL ? Py_None : path);
    if (error != NULL) {
        if (PyExceptionInstance_Check(error)) {
            PyErr_SetObject((PyObject *)Py_TYPE(error), error);
        } else {
            PyErr_SetString(PyExc_RuntimeError, "no exception");
        }
        Py_DECREF(error);
    }
    return NULL;
}

static PyObject *module_status_text(PyObject *module, PyObject *argument)
{
    (void)module;
    const long status = PyLong_AsLong(argument);
    if (status == -1 && PyErr_Occurred() != NULL) {
        return NULL;
    }
    return PyUnicode_FromString(
        kiln_status_text(status < 0 || status > 255 ? (kiln_status)255 : (kiln_status)status));
}

static PyObject *module_register(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *error, *wrap, *convert, *places, *source;
    if (!PyArg_ParseTuple(arguments, "OOOO!O", &error, &wrap, &convert, &PyTuple_Type, &places,
                          &source)) {
        return NULL;
    }
    /* Again when the package is reloaded. Those of before stay, since calls may be in them. */
    python = (python_side){.error = Py_NewRef(error),
                           .wrap = Py_NewRef(wrap),
                           .convert = Py_NewRef(convert),
                           .places = Py_NewRef(places),
                           .source = Py_NewRef(source)};
    Py_RETURN_NONE;
}

/* ----------------------------------------------------------------------------- the module -- */

PyObject *add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (type != NULL && PyModule_AddObjectRef(module, name, type) != 0) {
        Py_DECREF(type);
        return NULL;
    }
    return type; /* the module and the sources that know it keep it */
}

bool add_methods(PyObject *module, PyMethodDef *methods)
{
    return PyModule_AddFunctions(module, methods) == 0;
}

static PyMethodDef module_methods[] = {
    {"register", module_register, METH_VARARGS, "For the package itself."},
    {"status_text", module_status_text, METH_O, "The text of a status."},
    {NULL, NULL, 0, NULL},
};

/* Types and what is registered are of the process: a second interpreter in it would share them. */
static int module_start(PyObject *module)
{
    static bool started;
    if (started) {
        PyErr_SetString(PyExc_ImportError, "kiln can be loaded once in a process");
        return -1;
    }
    started = true;
    if (!add_methods(module, module_methods) || !add_records(module) || !add_files(module) ||
        !add_pair_queries(module) || !add_batches(module) || !add_mesh_queries(module) ||
        !add_tables(module) || !add_bake(module) || !add_self_contacts(module) ||
        !add_spheres(module) || !add_nearest(module) || !add_winding(module) ||
        !add_shapes(module) || !add_regions(module) ||
        PyModule_AddStringConstant(module, "version", kiln_version()) != 0) {
        return -1;
    }
    /* By this name signatures in docstrings are evaluated. */
    PyObject *infinity = PyFloat_FromDouble(INFINITY);
    const int added = infinity == NULL ? -1 : PyModule_AddObjectRef(module, "inf", infinity);
    Py_XDECREF(infinity);
    return added;
}

PyMODINIT_FUNC PyInit__kiln(void);
PyMODINIT_FUNC PyInit__kiln(void)
{
    static PyModuleDef_Slot slots[] = {
        {Py_mod_exec, SLOT(module_start)},
        {0, NULL},
    };
    static struct PyModuleDef definition = {
        .m_base = PyModuleDef_HEAD_INIT,
        .m_name = "kiln._kiln",
        .m_doc = "The part of the package kiln that is written in C.",
        .m_slots = slots,
    };
    return PyModuleDef_Init(&definition);
}
