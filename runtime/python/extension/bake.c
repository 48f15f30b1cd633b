/* Baking: of files, of bytes of models and of arrays. Arrays are copied first, since the library
 * checks indices before it uses them and other threads run meanwhile. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

#include "../../../tools/kiln_bake.h"

/* -------------------------------------------------------------------------------- options -- */

typedef enum {
    OPTION_TEXT,
    OPTION_PATH,
    OPTION_INT,
    OPTION_FLAG,
    OPTION_REAL,
    OPTION_WIDE,
    OPTION_WORD
} option_kind;

typedef struct {
    const char *name;
    option_kind kind;
    size_t offset;
    int first;                /* of OPTION_WORD: the value of the first word */
    const char *const *words; /* ended by NULL */
} bake_option;

static const char *const layout_words[] = {"packed", "raw", NULL};
static const char *const split_words[] = {"none", "mesh", "node", NULL};
static const char *const up_words[] = {"keep", "x", "y", "z", NULL};
static const char *const bad_words[] = {"error", "drop", NULL};
static const char *const quality_words[] = {"fast", "default", "best", NULL};
static const char *const fit_words[] = {"geometry", "children", NULL};
static const char *const sphere_words[] = {"least", "cover", "octree", "medial", NULL};
static const char *const box_words[] = {"search",      "vertices", "areas", "hull_vertices",
                                        "hull_facets", "volume",   NULL};
static const char *const drop_words[] = {"nothing", "degenerate", "duplicate", "both", NULL};

#define OPTION(name, kind)                                                                         \
    {                                                                                              \
#name, kind, offsetof(kiln_bake_options, name), 0, NULL                                    \
    }
#define WORD(name, first, words)                                                                   \
    {                                                                                              \
#name, OPTION_WORD, offsetof(kiln_bake_options, name), first, words                        \
    }
static const bake_option option_table[] = {
    OPTION(bv, OPTION_TEXT),
    OPTION(builder, OPTION_TEXT),
    OPTION(leaf, OPTION_INT),
    WORD(layout, KILN_LAYOUT_PACKED, layout_words),
    WORD(split, KILN_SPLIT_NONE, split_words),
    OPTION(scale, OPTION_REAL),
    WORD(up, -1, up_words),
    WORD(on_bad, KILN_ON_BAD_ERROR, bad_words),
    WORD(drop, 0, drop_words),
    OPTION(strict, OPTION_FLAG),
    OPTION(threads, OPTION_INT),
    OPTION(import_memory, OPTION_WIDE),
    OPTION(import_seconds, OPTION_REAL),
    OPTION(lossy_grid, OPTION_INT),
    OPTION(adb, OPTION_INT),
    OPTION(adb_factor, OPTION_REAL),
    OPTION(no_geometry, OPTION_FLAG),
    OPTION(points, OPTION_FLAG),
    OPTION(adb_weights, OPTION_PATH),
    WORD(quality, KILN_QUALITY_FAST, quality_words),
    OPTION(if_changed, OPTION_FLAG),
    OPTION(cache, OPTION_PATH),
    OPTION(cache_shared, OPTION_FLAG),
    OPTION(max_memory, OPTION_WIDE),
    OPTION(side_files, OPTION_PATH),
    OPTION(importer, OPTION_PATH),
    WORD(spheres, KILN_SPHERES_LEAST, sphere_words),
    WORD(fit_to, KILN_FIT_TO_GEOMETRY, fit_words),
    WORD(box_fit, KILN_BOX_FIT_SEARCH, box_words),
    OPTION(trace, OPTION_PATH),
    OPTION(against, OPTION_PATH),
    OPTION(max_bytes, OPTION_WIDE),
};
enum { OPTION_COUNT = sizeof option_table / sizeof *option_table };

/* The bytes of a string, without a zero byte in it; kept in the list `strings`. */
static const char *kept_text(PyObject *strings, PyObject *object, bool path, const char *name)
{
    PyObject *bytes = NULL;
    if (path) {
        if (!PyUnicode_FSConverter(object, &bytes)) {
            return NULL;
        }
    } else if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s is to be a string", name);
        return NULL;
    } else {
        bytes = PyUnicode_AsUTF8String(object);
    }
    char *text = NULL;
    if (bytes != NULL &&
        (PyBytes_AsStringAndSize(bytes, &text, NULL) != 0 || PyList_Append(strings, bytes) != 0)) {
        text = NULL;
    }
    Py_XDECREF(bytes);
    return text;
}

static bool option_set(kiln_bake_options *options, const bake_option *option, PyObject *value,
                       PyObject *strings)
{
    char *at = (char *)options + option->offset;
    int word = 0;
    switch (option->kind) {
    case OPTION_TEXT:
    case OPTION_PATH: {
        const char *text = kept_text(strings, value, option->kind == OPTION_PATH, option->name);
        memcpy(at, &text, sizeof text);
        return text != NULL;
    }
    case OPTION_INT: {
        uint64_t whole = 0;
        if (!count_of(value, option->name, INT32_MAX, &whole)) {
            return false;
        }
        word = (int)whole;
        memcpy(at, &word, sizeof word);
        return true;
    }
    case OPTION_FLAG: {
        const int truth = PyObject_IsTrue(value);
        const bool flag = truth > 0;
        memcpy(at, &flag, sizeof flag);
        return truth >= 0;
    }
    case OPTION_REAL: {
        double real = 0;
        const bool good = number_of(value, option->name, &real);
        memcpy(at, &real, sizeof real);
        return good;
    }
    case OPTION_WIDE: {
        uint64_t wide = 0;
        const bool good = count_of(value, option->name, UINT64_MAX, &wide);
        memcpy(at, &wide, sizeof wide);
        return good;
    }
    case OPTION_WORD:
        if (!word_of(value, option->name, option->words, &word)) {
            return false;
        }
        word += option->first;
        memcpy(at, &word, sizeof word);
        return true;
    }
    return false;
}

static bool options_take(kiln_bake_options *options, PyObject *dict, PyObject *strings)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        const bake_option *option = NULL;
        for (int i = 0; i < OPTION_COUNT && option == NULL && PyUnicode_Check(key); i++) {
            if (PyUnicode_CompareWithASCIIString(key, option_table[i].name) == 0) {
                option = &option_table[i];
            }
        }
        if (option == NULL) {
            PyErr_Format(PyExc_TypeError, "there is no option %R", key);
            return false;
        }
        /* None is the default. The value's own code may run and change the dict, which nobody else
         * has, unless it is sought by the collector: then the next step is of another size. */
        Py_INCREF(value);
        const bool good = value == Py_None || option_set(options, option, value, strings);
        Py_DECREF(value);
        if (!good) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------- progress -- */

typedef struct {
    PyObject *callback;
    PyThreadState *state; /* of this thread, while the interpreter is unlocked */
    bool failed;          /* by an exception, which is set */
} progress_state;

/* On the calling thread. */
static bool tell_progress(void *user, const char *stage, double part)
{
    progress_state *progress = user;
    PyEval_RestoreThread(progress->state);
    bool go_on = false;
    if (!progress->failed) {
        PyObject *answer = progress->callback == NULL
                               ? Py_NewRef(Py_None)
                               : PyObject_CallFunction(progress->callback, "sd", stage, part);
        go_on = answer != NULL && answer != Py_False && !SIGNALLED();
        progress->failed = PyErr_Occurred() != NULL;
        Py_XDECREF(answer);
    }
    progress->state = PyEval_SaveThread();
    return go_on;
}

/* --------------------------------------------------------------------------------- report -- */

static PyObject *strings_of(char *const *strings, uint32_t count)
{
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; i < count && list != NULL; i++) {
        PyObject *text =
            PyUnicode_DecodeUTF8(strings[i], (Py_ssize_t)strlen(strings[i]), "replace");
        if (text == NULL || PyList_Append(list, text) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(text);
    }
    return list;
}

/* Puts a value into a dict and gives up the reference. */
static bool put(PyObject *dict, const char *name, PyObject *value)
{
    const bool good = value != NULL && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

static PyObject *report_dict(const kiln_bake_report *report)
{
    static const char *const outcomes[] = {"baked", "up to date", "cached"};
    PyObject *dict = PyDict_New();
    PyObject *trees = PyList_New(0);
    bool good = dict != NULL && trees != NULL;
    for (uint32_t i = 0; i < report->tree_count && good; i++) {
        const kiln_bake_tree_report *tree = &report->trees[i];
        PyObject *row =
            Py_BuildValue("{sssssIsIsIsKsKsd}", "name", tree->name, "kind", tree->bv, "triangles",
                          tree->triangles, "nodes", tree->nodes, "depth", tree->depth, "bytes_raw",
                          (unsigned long long)tree->bytes_raw, "bytes_packed",
                          (unsigned long long)tree->bytes_packed, "sah_cost", tree->sah_cost);
        good = row != NULL && PyList_Append(trees, row) == 0;
        Py_XDECREF(row);
    }
#define WHOLE(member) put(dict, #member, PyLong_FromUnsignedLongLong(report->member))
#define REAL(member) put(dict, #member, PyFloat_FromDouble(report->member))
    good = good && WHOLE(faces) && WHOLE(faces_dropped) && WHOLE(points_left_out) &&
           WHOLE(lines_left_out) && WHOLE(degenerate) && WHOLE(duplicate) && WHOLE(polygons_cut) &&
           WHOLE(empty_meshes) && REAL(unit) && REAL(precision_step) && REAL(lossy_step) &&
           REAL(lossy_moved) && WHOLE(lossy_degenerate) && WHOLE(bytes_source) &&
           WHOLE(bytes_file) && REAL(seconds_import) && REAL(seconds_build) &&
           REAL(seconds_write) && REAL(seconds_count) &&
           put(dict, "warnings", strings_of(report->warnings, report->warning_count)) &&
           put(dict, "dropped", strings_of(report->dropped, report->dropped_count)) &&
           put(dict, "side_files", strings_of(report->side_files, report->side_file_count)) &&
           put(dict, "absent_files", strings_of(report->absent_files, report->absent_file_count)) &&
           put(dict, "outcome",
               PyUnicode_FromString(outcomes[report->outcome > 2 ? 0 : report->outcome])) &&
           put(dict, "cache_error",
               PyUnicode_DecodeUTF8(report->cache_error, (Py_ssize_t)strlen(report->cache_error),
                                    "replace")) &&
           put(dict, "trees", Py_NewRef(trees));
#undef WHOLE
#undef REAL
    Py_XDECREF(trees);
    if (!good) {
        Py_CLEAR(dict);
    }
    return dict;
}

/* --------------------------------------------------------------------------------- meshes -- */

typedef struct {
    kiln_mesh *parts; /* [count] */
    Py_ssize_t count;
} mesh_list;

static void release_meshes_to_bake(mesh_list *list)
{
    for (Py_ssize_t i = 0; i < list->count; i++) {
        kiln_mesh *part = &list->parts[i];
        free((void *)(uintptr_t)part->vertices);
        free((void *)(uintptr_t)part->vertices_double);
        free((void *)(uintptr_t)part->triangles);
        free((void *)(uintptr_t)part->values);
        free((void *)(uintptr_t)part->materials);
    }
    free(list->parts);
}

/* Words [count * width] of an array of uint32 with `dimensions` dimensions. */
static uint32_t *words_of(PyObject *object, const char *name, int dimensions, size_t *count)
{
    array taken;
    uint32_t *words = NULL;
    if (!array_take(&taken, object, name, 'I', dimensions, dimensions)) {
        return NULL;
    }
    const size_t rows = array_length(&taken, 0);
    const size_t width = dimensions == 2 ? array_length(&taken, 1) : 1;
    if (dimensions == 2 && width != 3) {
        PyErr_Format(PyExc_ValueError, "%s is to be of shape [n, 3]", name);
    } else if (rows > (size_t)PY_SSIZE_T_MAX / 64 ||
               (words = malloc((rows + 1) * width * sizeof *words)) == NULL) {
        PyErr_NoMemory();
    } else {
        for (size_t i = 0; i < rows; i++) {
            for (size_t k = 0; k < width; k++) {
                const char *at = (const char *)taken.view.buf + (Py_ssize_t)i * taken.strides[0] +
                                 (dimensions == 2 ? (Py_ssize_t)k * taken.strides[1] : 0);
                memcpy(&words[i * width + k], at, sizeof *words);
            }
        }
        *count = rows;
    }
    array_release(&taken);
    return words;
}

/* Vertices [n, 3], of floats as they are, of everything else as doubles. */
static bool vertices_take(kiln_mesh *part, PyObject *object)
{
    array taken;
    bool good = false;
    if (!array_take(&taken, object, "vertices", 'd', 2, 2)) {
        return false;
    }
    const size_t count = array_length(&taken, 0);
    const bool floats = taken.type == 'f';
    float *narrow = NULL;
    double *wide = NULL;
    if (array_length(&taken, 1) != 3) {
        PyErr_SetString(PyExc_ValueError, "vertices is to be of shape [n, 3]");
    } else if (count > (size_t)PY_SSIZE_T_MAX / 64 ||
               (floats ? (narrow = malloc((count + 1) * 3 * sizeof *narrow)) == NULL
                       : (wide = malloc((count + 1) * 3 * sizeof *wide)) == NULL)) {
        PyErr_NoMemory();
    } else {
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < 3; k++) {
                const double value = array_double(&taken, (const size_t[]){i, k});
                if (floats) {
                    narrow[3 * i + k] = (float)value;
                } else {
                    wide[3 * i + k] = value;
                }
            }
        }
        part->vertices = narrow;
        part->vertices_double = wide;
        part->vertex_count = count;
        good = true;
    }
    array_release(&taken);
    return good;
}

/* A part: (vertices, triangles, values, materials, name), the last three may be None. */
static bool mesh_take(kiln_mesh *part, PyObject *tuple, PyObject *strings)
{
    PyObject *vertices, *triangles, *values, *materials, *name;
    size_t count = 0;
    part->struct_size = sizeof *part;
    if (!PyTuple_Check(tuple) ||
        !PyArg_ParseTuple(tuple, "OOOOO", &vertices, &triangles, &values, &materials, &name)) {
        PyErr_SetString(PyExc_TypeError, "a mesh is to be (vertices, triangles, ...)");
        return false;
    }
    if (!vertices_take(part, vertices)) {
        return false;
    }
    uint32_t *words = words_of(triangles, "triangles", 2, &part->triangle_count);
    part->triangles = words;
    if (words == NULL) {
        return false;
    }
    if (values != Py_None) {
        words = words_of(values, "values", 1, &count);
        part->values = words;
        if (words == NULL) {
            return false;
        }
        if (count != part->triangle_count) {
            PyErr_Format(PyExc_ValueError, "there are %zu values for %zu triangles", count,
                         part->triangle_count);
            return false;
        }
    }
    if (name != Py_None && (part->name = kept_text(strings, name, false, "name")) == NULL) {
        return false;
    }
    if (materials != Py_None) {
        if (!PyTuple_Check(materials)) {
            PyErr_SetString(PyExc_TypeError, "materials is to be of strings");
            return false;
        }
        const Py_ssize_t names = PyTuple_Size(materials);
        const char **list = calloc((size_t)names + 1, sizeof *list);
        if (list == NULL) {
            PyErr_NoMemory();
            return false;
        }
        part->materials = list;
        part->material_count = (size_t)names;
        for (Py_ssize_t i = 0; i < names; i++) { /* the tuple, which the caller holds, keeps them */
            Py_ssize_t size = 0;
            PyObject *entry = PyTuple_GetItem(materials, i);
            list[i] = PyUnicode_Check(entry) ? PyUnicode_AsUTF8AndSize(entry, &size) : NULL;
            if (list[i] == NULL || strlen(list[i]) != (size_t)size) {
                if (PyErr_Occurred() == NULL) {
                    PyErr_SetString(PyExc_ValueError, "materials is to be of strings");
                }
                return false;
            }
        }
    }
    return true;
}

static bool meshes_to_bake(mesh_list *list, PyObject *tuple, PyObject *strings)
{
    const Py_ssize_t count = PyTuple_Size(tuple);
    list->parts = calloc((size_t)count + 1, sizeof *list->parts);
    if (list->parts == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        list->count = i + 1;
        if (!mesh_take(&list->parts[i], PyTuple_GetItem(tuple, i), strings)) {
            return false;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------- baking -- */

/* bake(path or None, data or None, format or None, meshes or None, output or None, progress,
 * options): (bytes or None, report). What the Python side calls with arguments of its own making.
 */
static PyObject *module_bake(PyObject *module, PyObject *arguments)
{
    PyObject *path, *data, *format, *meshes, *output, *callback, *dict;
    kiln_bake_options options = kiln_bake_options_default();
    kiln_bake_input input = {.path = NULL};
    kiln_bake_report report = {.error = ""};
    kiln_bake_status status = KILN_BAKE_OK;
    PyObject *strings = PyList_New(0);
    mesh_list list = {.parts = NULL};
    progress_state progress = {.callback = NULL};
    Py_buffer view = {.buf = NULL};
    const char *to = NULL;
    void *baked = NULL;
    size_t size = 0;
    PyObject *result = NULL;
    (void)module;
    if (strings == NULL ||
        !PyArg_ParseTuple(arguments, "OOOOOOO!", &path, &data, &format, &meshes, &output, &callback,
                          &PyDict_Type, &dict) ||
        !options_take(&options, dict, strings) ||
        (path != Py_None && (input.path = kept_text(strings, path, true, "model")) == NULL) ||
        (format != Py_None &&
         (input.format = kept_text(strings, format, false, "format")) == NULL) ||
        (output != Py_None && (to = kept_text(strings, output, true, "output")) == NULL) ||
        (meshes != Py_None &&
         (!PyTuple_Check(meshes) || !meshes_to_bake(&list, meshes, strings))) ||
        (data != Py_None && PyObject_GetBuffer(data, &view, PyBUF_SIMPLE) != 0)) {
        if (PyErr_Occurred() == NULL) {
            PyErr_SetString(PyExc_TypeError, "not what is baked");
        }
        goto end;
    }
    if (view.obj != NULL) {
        input.data = view.buf;
        input.size = (size_t)view.len;
    }
    options.progress = tell_progress;
    options.progress_user = &progress;
    progress.callback = callback == Py_None ? NULL : callback;
    progress.state = PyEval_SaveThread();
    if (meshes != Py_None) {
        status = to != NULL ? kiln_bake_mesh(list.parts, (size_t)list.count, to, &options, &report)
                            : kiln_bake_mesh_to_memory(list.parts, (size_t)list.count, &options,
                                                       &baked, &size, &report);
    } else {
        status = to != NULL ? kiln_bake(&input, to, &options, &report)
                            : kiln_bake_to_memory(&input, &options, &baked, &size, &report);
    }
    PyEval_RestoreThread(progress.state);
    if (progress.failed) {
        goto end; /* the callback's exception, or a signal's */
    }
    if (status != KILN_BAKE_OK) {
        raise_status((int)status, report.error, Py_None);
        goto end;
    }
    PyObject *bytes =
        baked == NULL ? Py_NewRef(Py_None) : PyBytes_FromStringAndSize(baked, (Py_ssize_t)size);
    PyObject *described = bytes == NULL ? NULL : report_dict(&report);
    result = described == NULL ? NULL : PyTuple_Pack(2, bytes, described);
    Py_XDECREF(described);
    Py_XDECREF(bytes);
end:
    if (view.obj != NULL) {
        PyBuffer_Release(&view);
    }
    free(baked);
    kiln_bake_report_free(&report);
    release_meshes_to_bake(&list);
    Py_XDECREF(strings);
    return result;
}

bool add_bake(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"bake", module_bake, METH_VARARGS, "For the package itself."},
        {NULL, NULL, 0, NULL},
    };
    return add_methods(module, functions);
}
