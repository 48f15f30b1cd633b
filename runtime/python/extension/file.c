/* Files and trees. A file may be closed while other threads query it: it is then closed for new
 * calls at once, and given back when the last query has ended. Counts of users are changed with the
 * interpreter locked. */
#include "module.h"

#include "../../kiln_rays.h"

#include <stdlib.h>
#include <string.h>

struct file_object {
    PyObject_HEAD kiln_file *file; /* NULL: closed */
    Py_ssize_t users;
    bool closing;
    /* [trees] kiln_tree_triangle_limit, which looks at all of a tree; 0: not yet. */
    uint32_t *limits;
    PyObject *name;
};

typedef struct {
    PyObject_HEAD file_object *file;
    const kiln_tree *tree;
    void *memory; /* NULL, or what the tree is in, of kiln_rays.h */
} tree_object;

static PyTypeObject *file_type, *tree_type;

/* -------------------------------------------------------------------------------- in use -- */

static void give_back(file_object *self)
{
    kiln_file *file = self->file;
    self->file = NULL;
    if (file != NULL) {
        Py_BEGIN_ALLOW_THREADS kiln_close(file);
        Py_END_ALLOW_THREADS
    }
}

static bool file_is_open(const file_object *self)
{
    if (self->file == NULL || self->closing) {
        PyErr_SetString(PyExc_ValueError, "the file is closed");
        return false;
    }
    return true;
}

bool tree_begin(tree_use *out, PyObject *object, const char *name)
{
    file_object *file = NULL;
    const kiln_tree *tree = NULL;
    if (Py_TYPE(object) == tree_type) {
        file = ((tree_object *)object)->file;
        tree = ((tree_object *)object)->tree;
    } else if (Py_TYPE(object) == file_type) {
        file = (file_object *)object;
    } else {
        PyErr_Format(PyExc_TypeError, "%s is to be a kiln.Tree", name);
        return false;
    }
    if (!file_is_open(file)) {
        return false;
    }
    if (tree == NULL) {
        tree = kiln_file_tree(file->file, 0);
    }
    file->users++;
    *out = (tree_use){.file = (file_object *)Py_NewRef((PyObject *)file),
                      .tree = tree,
                      .object = Py_NewRef(object)};
    return true;
}

void tree_end(tree_use *use)
{
    file_object *file = use->file;
    use->file = NULL;
    if (file == NULL) {
        return;
    }
    if (--file->users == 0 && file->closing) {
        give_back(file);
    }
    Py_DECREF(use->object);
    Py_DECREF(file);
}

uint32_t tree_limit(const tree_use *use)
{
    file_object *file = use->file;
    const uint32_t count = kiln_file_tree_count(file->file);
    if (file->limits == NULL) {
        file->limits = calloc(count, sizeof *file->limits);
    }
    uint32_t i = 0;
    while (i < count && kiln_file_tree(file->file, i) != use->tree) {
        i++;
    }
    if (file->limits == NULL || i == count) {
        return kiln_tree_triangle_limit(use->tree);
    }
    if (file->limits[i] == 0) {
        file->limits[i] = kiln_tree_triangle_limit(use->tree);
    }
    return file->limits[i];
}

/* -------------------------------------------------------------------------------- opening -- */

static PyObject *new_file(kiln_file *opened, PyObject *name)
{
    file_object *self = PyObject_New(file_object, file_type);
    if (self == NULL) {
        kiln_close(opened);
        return NULL;
    }
    self->file = opened;
    self->users = 0;
    self->closing = false;
    self->limits = NULL;
    self->name = Py_NewRef(name);
    return (PyObject *)self;
}

static PyObject *failed_to_open(kiln_status status, const kiln_error *error, PyObject *path)
{
    return raise_status((int)status, error->message, path);
}

static PyObject *open_memory(PyObject *source, kiln_open_options *options, kiln_error *error)
{
    Py_buffer view;
    kiln_file *file = NULL;
    kiln_status status;
    if (PyObject_GetBuffer(source, &view, PyBUF_SIMPLE) != 0) {
        return NULL;
    }
    options->flags |= KILN_OPEN_COPY; /* the caller's memory may change or go */
    Py_BEGIN_ALLOW_THREADS status = kiln_open_memory(view.buf, (size_t)view.len, options, &file);
    Py_END_ALLOW_THREADS PyBuffer_Release(&view);
    return status == KILN_OK ? new_file(file, Py_None) : failed_to_open(status, error, NULL);
}

static bool flag_of(PyObject *object, uint32_t flag, uint32_t *flags)
{
    const int truth = object == NULL ? 0 : PyObject_IsTrue(object);
    *flags |= truth > 0 ? flag : 0;
    return truth >= 0;
}

PyDoc_STRVAR(
    open_doc,
    "open(source, *, trusted=False, copy=False, memory_limit=0, threads=1)\n--\n\n"
    "Opens a baked file and returns a kiln.File.\n\n"
    "source: a path (str, os.PathLike), or the bytes of a file (bytes, bytearray, an array).\n"
    "trusted: checks only the header. Only for bytes that were opened without it before: with\n"
    "    any others calls may crash or answer wrongly.\n"
    "copy: reads the file instead of mapping it; for folders in which others may write.\n"
    "memory_limit: most bytes that the file may take unpacked; 0: no limit.\n"
    "threads: that unpack it; 0: one for each processor.\n\n"
    "Raises FileNotFoundError, OSError, MemoryError, or a kiln.Error that says what is wrong with\n"
    "the file.");
static PyObject *module_open(PyObject *module, PyObject *const *args, Py_ssize_t given,
                             PyObject *keywords)
{
    static const char *const names[] = {"source", "trusted", "copy", "memory_limit", "threads"};
    static const signature wanted = {"open", names, 1, 1, 5};
    PyObject *in[5];
    kiln_error error = {.status = KILN_OK};
    kiln_open_options options = kiln_open_options_default();
    uint32_t threads = 1;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        !flag_of(in[1], KILN_OPEN_TRUSTED, &options.flags) ||
        !flag_of(in[2], KILN_OPEN_COPY, &options.flags) ||
        (in[3] != NULL && !count_of(in[3], "memory_limit", UINT64_MAX, &options.memory_limit)) ||
        !threads_of(in[4], 1, &threads)) {
        return NULL;
    }
    options.parallel = run_parallel;
    options.parallel_user = &threads;
    options.error = &error;
    if (!PyUnicode_Check(in[0]) && PyObject_CheckBuffer(in[0])) {
        return open_memory(in[0], &options, &error);
    }
    PyObject *path = NULL;
    kiln_file *file = NULL;
    kiln_status status;
    if (!PyUnicode_FSConverter(in[0], &path)) {
        return NULL;
    }
    const char *bytes = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS status = kiln_open(bytes, &options, &file);
    Py_END_ALLOW_THREADS PyObject *name =
        PyUnicode_DecodeFSDefaultAndSize(bytes, PyBytes_Size(path));
    PyObject *result = NULL;
    if (name != NULL && status != KILN_OK) {
        failed_to_open(status, &error, name);
    } else if (name != NULL) {
        result = new_file(file, name);
        file = NULL;
    }
    kiln_close(file);
    Py_XDECREF(name);
    Py_DECREF(path);
    return result;
}

/* ---------------------------------------------------------------------------------- File -- */

static PyObject *new_tree(file_object *file, const kiln_tree *tree)
{
    tree_object *self = PyObject_New(tree_object, tree_type);
    if (self != NULL) {
        self->file = (file_object *)Py_NewRef((PyObject *)file);
        self->tree = tree;
        self->memory = NULL;
    }
    return (PyObject *)self;
}

static void file_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    give_back((file_object *)self);
    free(((file_object *)self)->limits);
    Py_DECREF(((file_object *)self)->name);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *file_close(PyObject *object, PyObject *unused)
{
    file_object *self = (file_object *)object;
    (void)unused;
    self->closing = true;
    if (self->users == 0) {
        give_back(self);
    }
    Py_RETURN_NONE;
}

static PyObject *file_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return file_is_open((file_object *)self) ? Py_NewRef(self) : NULL;
}

static PyObject *file_exit(PyObject *self, PyObject *arguments)
{
    return file_close(self, arguments);
}

static Py_ssize_t file_length(PyObject *object)
{
    const file_object *self = (file_object *)object;
    return file_is_open(self) ? (Py_ssize_t)kiln_file_tree_count(self->file) : -1;
}

static PyObject *file_item(PyObject *object, Py_ssize_t index)
{
    file_object *self = (file_object *)object;
    if (!file_is_open(self)) {
        return NULL;
    }
    const kiln_tree *tree =
        index < 0 || index > UINT32_MAX ? NULL : kiln_file_tree(self->file, (uint32_t)index);
    if (tree == NULL) {
        PyErr_SetString(PyExc_IndexError, "the file has no such tree");
        return NULL;
    }
    return new_tree(self, tree);
}

static PyObject *file_trees(PyObject *object, void *closure)
{
    const Py_ssize_t count = file_length(object);
    PyObject *all = count < 0 ? NULL : PyTuple_New(count);
    (void)closure;
    for (Py_ssize_t i = 0; i < count && all != NULL; i++) {
        PyObject *tree = file_item(object, i);
        if (tree == NULL || PyTuple_SetItem(all, i, tree) != 0) {
            Py_CLEAR(all);
        }
    }
    return all;
}

static PyObject *file_find(PyObject *object, PyObject *const *args, Py_ssize_t given,
                           PyObject *keywords)
{
    static const char *const names[] = {"name", "kind"};
    static const signature wanted = {"find", names, 0, 2, 2};
    file_object *self = (file_object *)object;
    PyObject *in[2];
    if (!arguments_of(&wanted, args, given, keywords, in) || !file_is_open(self)) {
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        if (in[i] == Py_None) {
            in[i] = NULL;
        }
        if (in[i] != NULL && !PyUnicode_Check(in[i])) {
            PyErr_Format(PyExc_TypeError, "%s is to be a string", names[i]);
            return NULL;
        }
    }
    for (uint32_t i = 0; i < kiln_file_tree_count(self->file); i++) {
        const kiln_tree *tree = kiln_file_tree(self->file, i);
        const kiln_tree_info info = kiln_tree_get_info(tree);
        Py_ssize_t size = 0;
        const char *name = in[0] == NULL ? info.name : PyUnicode_AsUTF8AndSize(in[0], &size);
        if (name == NULL) {
            return NULL;
        }
        if (strcmp(name, info.name) == 0 &&
            (in[1] == NULL || PyUnicode_CompareWithASCIIString(in[1], info.bv_name) == 0)) {
            return new_tree(self, tree);
        }
    }
    PyErr_SetString(PyExc_KeyError, "the file has no such tree");
    return NULL;
}

static PyObject *file_meta(PyObject *object, void *closure)
{
    file_object *self = (file_object *)object;
    size_t size = 0;
    (void)closure;
    if (!file_is_open(self)) {
        return NULL;
    }
    const char *text = kiln_file_meta(self->file, &size);
    if (text == NULL) {
        Py_RETURN_NONE;
    }
    PyObject *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
    PyObject *json = string == NULL ? NULL : PyImport_ImportModule("json");
    PyObject *loads = json == NULL ? NULL : PyObject_GetAttrString(json, "loads");
    PyObject *meta = loads == NULL ? NULL : PyObject_CallFunctionObjArgs(loads, string, NULL);
    Py_XDECREF(loads);
    Py_XDECREF(json);
    Py_XDECREF(string);
    return meta;
}

static PyObject *file_name(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(((file_object *)self)->name);
}

static PyObject *file_closed(PyObject *object, void *closure)
{
    const file_object *self = (file_object *)object;
    (void)closure;
    return PyBool_FromLong(self->file == NULL || self->closing);
}

static PyObject *file_text(PyObject *object)
{
    const file_object *self = (file_object *)object;
    if (self->file == NULL || self->closing) {
        return PyUnicode_FromString("<kiln.File, closed>");
    }
    const unsigned count = kiln_file_tree_count(self->file);
    return self->name == Py_None
               ? PyUnicode_FromFormat("<kiln.File in memory, trees: %u>", count)
               : PyUnicode_FromFormat("<kiln.File %R, trees: %u>", self->name, count);
}

/* ---------------------------------------------------------------------------------- Tree -- */

static void tree_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    free(((tree_object *)self)->memory);
    Py_DECREF(((tree_object *)self)->file);
    PyObject_Free(self);
    Py_DECREF(type);
}

static bool tree_info_of(PyObject *object, kiln_tree_info *info)
{
    const tree_object *self = (tree_object *)object;
    if (!file_is_open(self->file)) {
        return false;
    }
    *info = kiln_tree_get_info(self->tree);
    return true;
}

typedef enum {
    INFO_NAME,
    INFO_KIND,
    INFO_TRIANGLES,
    INFO_NODES,
    INFO_NODE_SIZE,
    INFO_DEPTH,
    INFO_LEAF_MAX,
    INFO_BOUNDS,
    INFO_HASH,
    INFO_GRID,
    INFO_CLOSED,
    INFO_POLYGONS,
    INFO_LIMIT,
    INFO_COUNT
} info_member;
static const info_member members[INFO_COUNT] = {
    INFO_NAME,   INFO_KIND, INFO_TRIANGLES, INFO_NODES,  INFO_NODE_SIZE, INFO_DEPTH, INFO_LEAF_MAX,
    INFO_BOUNDS, INFO_HASH, INFO_GRID,      INFO_CLOSED, INFO_POLYGONS,  INFO_LIMIT};

static PyObject *tree_get(PyObject *object, void *closure)
{
    static const char *const closed[] = {"open", "even", "closed"};
    kiln_tree_info info;
    PyObject *memory = NULL;
    void *bytes = NULL;
    if (!tree_info_of(object, &info)) {
        return NULL;
    }
    switch (*(const info_member *)closure) {
    case INFO_NAME:
        return PyUnicode_DecodeUTF8(info.name, (Py_ssize_t)strlen(info.name), "replace");
    case INFO_KIND:
        return PyUnicode_FromString(info.bv_name);
    case INFO_TRIANGLES:
        return PyLong_FromUnsignedLong(info.triangle_count);
    case INFO_NODES:
        return PyLong_FromUnsignedLong(info.node_count);
    case INFO_NODE_SIZE:
        return PyLong_FromUnsignedLong(info.node_size);
    case INFO_DEPTH:
        return PyLong_FromUnsignedLong(info.depth);
    case INFO_LEAF_MAX:
        return PyLong_FromUnsignedLong(info.leaf_max);
    case INFO_BOUNDS:
        memory = records_new(RECORD_FLOAT, 6, &bytes);
        if (memory == NULL) {
            return NULL;
        }
        memcpy(bytes, info.bounds_lower, sizeof info.bounds_lower);
        memcpy((float *)bytes + 3, info.bounds_upper, sizeof info.bounds_upper);
        return records_wrap(RECORD_FLOAT, memory, 2, (const size_t[]){2, 3});
    case INFO_HASH:
        return PyBytes_FromStringAndSize((const char *)info.geometry_hash,
                                         sizeof info.geometry_hash);
    case INFO_GRID:
        return PyLong_FromUnsignedLong(info.adb_grid);
    case INFO_CLOSED:
        return PyUnicode_FromString(closed[info.closed > 2 ? 0 : info.closed]);
    case INFO_POLYGONS:
        return PyBool_FromLong(info.polygons);
    case INFO_LIMIT:
        return PyLong_FromUnsignedLong(kiln_tree_triangle_limit(((tree_object *)object)->tree));
    case INFO_COUNT:
        break;
    }
    Py_RETURN_NONE;
}

static PyGetSetDef tree_getters[] = {
    {"name", tree_get, NULL, "name of the tree", (void *)&members[INFO_NAME]},
    {"kind", tree_get, NULL, "kind of bounding volume: \"obb\", \"aabb\", ...",
     (void *)&members[INFO_KIND]},
    {"triangle_count", tree_get, NULL, "triangles in the tree", (void *)&members[INFO_TRIANGLES]},
    {"node_count", tree_get, NULL, "nodes in the tree", (void *)&members[INFO_NODES]},
    {"node_size", tree_get, NULL, "bytes of a node", (void *)&members[INFO_NODE_SIZE]},
    {"depth", tree_get, NULL, "nodes on the longest path", (void *)&members[INFO_DEPTH]},
    {"leaf_max", tree_get, NULL, "most triangles in a leaf", (void *)&members[INFO_LEAF_MAX]},
    {"bounds", tree_get, NULL,
     "float32 [2, 3]: lower and upper corner of the exact box of the vertices, the mesh's own "
     "frame",
     (void *)&members[INFO_BOUNDS]},
    {"geometry_hash", tree_get, NULL, "16 bytes: the same for the same triangles",
     (void *)&members[INFO_HASH]},
    {"adb_grid", tree_get, NULL, "cells along an edge in counted queries; 0: not counted",
     (void *)&members[INFO_GRID]},
    {"closed", tree_get, NULL,
     "whether the mesh has an inside: \"closed\", \"even\" (by parity) or \"open\"",
     (void *)&members[INFO_CLOSED]},
    {"polygons", tree_get, NULL, "False: baked without, so that exact queries are refused",
     (void *)&members[INFO_POLYGONS]},
    {"triangle_limit", tree_get, NULL, "one more than the largest id of a triangle",
     (void *)&members[INFO_LIMIT]},
    {NULL, NULL, NULL, NULL, NULL},
};

/* Whole numbers of triangles: more than the tree has raise as kiln says. */
static bool triangle_of(PyObject *object, uint32_t *out)
{
    uint64_t value = 0;
    if (!count_of(object, "triangle", UINT32_MAX, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static PyObject *text_of(const char *utf8)
{
    return PyUnicode_DecodeUTF8(utf8, (Py_ssize_t)strlen(utf8), "replace");
}

static PyObject *tree_source(PyObject *self, PyObject *argument)
{
    uint32_t triangle = 0;
    tree_use use;
    kiln_source source;
    if (!triangle_of(argument, &triangle) || !tree_begin(&use, self, "tree")) {
        return NULL;
    }
    PyObject *result = NULL;
    const kiln_status status = kiln_tree_source(use.tree, triangle, &source);
    if (status != KILN_OK) {
        raise_status((int)status, "triangle", NULL);
    } else {
        PyObject *path = text_of(source.node_path), *mesh = text_of(source.mesh_name);
        PyObject *material = text_of(source.material);
        if (path != NULL && mesh != NULL && material != NULL) {
            result = PyObject_CallFunction(python.source, "IIIIIOOO", source.triangle, source.face,
                                           source.user, source.mesh, source.primitive, path, mesh,
                                           material);
        }
        Py_XDECREF(material);
        Py_XDECREF(mesh);
        Py_XDECREF(path);
    }
    tree_end(&use);
    return result;
}

static PyObject *tree_corners(PyObject *self, PyObject *argument)
{
    uint32_t triangle = 0;
    tree_use use;
    void *bytes = NULL;
    kiln_status status;
    if (!triangle_of(argument, &triangle)) {
        return NULL;
    }
    PyObject *memory = records_new(RECORD_FLOAT, 9, &bytes);
    if (memory == NULL || !tree_begin(&use, self, "tree")) {
        Py_XDECREF(memory);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = kiln_tree_corners(use.tree, triangle, bytes);
    Py_END_ALLOW_THREADS tree_end(&use);
    if (status != KILN_OK) {
        Py_DECREF(memory);
        return raise_status((int)status, "triangle", NULL);
    }
    return records_wrap(RECORD_FLOAT, memory, 2, (const size_t[]){3, 3});
}

static PyObject *tree_user(PyObject *self, PyObject *argument)
{
    uint32_t triangle = 0;
    tree_use use;
    if (!triangle_of(argument, &triangle) || !tree_begin(&use, self, "tree")) {
        return NULL;
    }
    const uint32_t value = kiln_tree_user(use.tree, triangle);
    tree_end(&use);
    return PyLong_FromUnsignedLong(value);
}

static PyObject *tree_triangles(PyObject *self, PyObject *unused)
{
    tree_use use;
    void *bytes = NULL;
    kiln_status status;
    (void)unused;
    if (!tree_begin(&use, self, "tree")) {
        return NULL;
    }
    const uint32_t count = kiln_tree_triangle_limit(use.tree);
    PyObject *memory = records_new(RECORD_FLOAT, (size_t)count * 9, &bytes);
    if (memory == NULL) {
        tree_end(&use);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = kiln_tree_triangles(use.tree, bytes, count);
    Py_END_ALLOW_THREADS tree_end(&use);
    if (status != KILN_OK) {
        Py_DECREF(memory);
        return raise_status((int)status, NULL, NULL);
    }
    return records_wrap(RECORD_FLOAT, memory, 3, (const size_t[]){count, 3, 3});
}

typedef struct {
    uint64_t level; /* UINT64_MAX: all */
    bool leaves;    /* leaves above the level, too */
    kiln_tree_volume *volumes;
    size_t count, room;
    bool full;
} volume_list;

static kiln_visit collect_volume(void *user, const kiln_tree_volume *volume)
{
    volume_list *list = user;
    const bool wanted = list->level == UINT64_MAX || volume->depth == list->level ||
                        (list->leaves && volume->leaf && volume->depth < list->level);
    if (wanted) {
        if (list->count == list->room) {
            list->room = list->room == 0 ? 64 : 2 * list->room;
            kiln_tree_volume *more = realloc(list->volumes, list->room * sizeof *more);
            list->full = more == NULL;
            if (list->full) {
                return KILN_VISIT_STOP;
            }
            list->volumes = more;
        }
        list->volumes[list->count++] = *volume;
    }
    return volume->depth >= list->level ? KILN_VISIT_SKIP : KILN_VISIT_CHILDREN;
}

PyDoc_STRVAR(volumes_doc,
             "volumes(level=None)\n--\n\n"
             "Bounding volumes of the nodes, as oriented boxes that enclose them: a structured\n"
             "array of kiln.Volume. level: those of one level (0: the whole tree), with leaves\n"
             "above it, which together hold all triangles; None: all, parents before children.");
static PyObject *tree_volumes(PyObject *self, PyObject *const *args, Py_ssize_t given,
                              PyObject *keywords)
{
    static const char *const names[] = {"level"};
    static const signature wanted = {"volumes", names, 0, 1, 1};
    PyObject *in[1];
    tree_use use;
    volume_list list = {.level = UINT64_MAX, .leaves = true};
    kiln_status status;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[0] != NULL && in[0] != Py_None && !count_of(in[0], "level", UINT32_MAX, &list.level)) ||
        !tree_begin(&use, self, "tree")) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = kiln_tree_visit(use.tree, collect_volume, &list);
    Py_END_ALLOW_THREADS tree_end(&use);
    PyObject *result = NULL;
    void *bytes = NULL;
    if (list.full) {
        PyErr_NoMemory();
    } else if (status != KILN_OK) {
        raise_status((int)status, NULL, NULL);
    } else {
        PyObject *memory = records_new(RECORD_VOLUME, list.count, &bytes);
        if (memory != NULL) {
            if (list.count != 0) {
                memcpy(bytes, list.volumes, list.count * sizeof *list.volumes);
            }
            result = records_wrap(RECORD_VOLUME, memory, 1, &list.count);
        }
    }
    free(list.volumes);
    return result;
}

static PyObject *tree_faster_rays(PyObject *self, PyObject *unused)
{
    tree_use use;
    kiln_ray_accel *accel = NULL;
    kiln_status status;
    (void)unused;
    if (!tree_begin(&use, self, "tree")) {
        return NULL;
    }
    const size_t size = kiln_ray_accel_size(use.tree);
    void *memory = malloc(size + 1); /* of a size of 0 the status says why */
    tree_object *result = memory == NULL ? NULL : (tree_object *)new_tree(use.file, NULL);
    if (result == NULL) {
        free(memory);
        tree_end(&use);
        return memory == NULL ? PyErr_NoMemory() : NULL;
    }
    result->memory = memory;
    Py_BEGIN_ALLOW_THREADS status = kiln_ray_accel_place(memory, size, use.tree, &accel);
    Py_END_ALLOW_THREADS tree_end(&use);
    if (status != KILN_OK) {
        Py_DECREF(result);
        return raise_status((int)status, NULL, NULL);
    }
    result->tree = kiln_ray_accel_tree(accel);
    return (PyObject *)result;
}

static PyObject *tree_file(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((tree_object *)self)->file);
}

static PyObject *tree_text(PyObject *object)
{
    kiln_tree_info info;
    if (!tree_info_of(object, &info)) {
        PyErr_Clear();
        return PyUnicode_FromString("<kiln.Tree of a closed file>");
    }
    PyObject *name = text_of(info.name);
    PyObject *text = name == NULL
                         ? NULL
                         : PyUnicode_FromFormat("<kiln.Tree %R: %s, triangles: %u>", name,
                                                info.bv_name, (unsigned)info.triangle_count);
    Py_XDECREF(name);
    return text;
}

/* Two objects of one tree are equal. */
static PyObject *tree_compare(PyObject *a, PyObject *b, int operation)
{
    if (Py_TYPE(b) != tree_type || (operation != Py_EQ && operation != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    const bool same = ((tree_object *)a)->tree == ((tree_object *)b)->tree &&
                      ((tree_object *)a)->file == ((tree_object *)b)->file;
    return PyBool_FromLong(same == (operation == Py_EQ));
}

static Py_hash_t tree_hash(PyObject *self)
{
    const Py_hash_t hash = (Py_hash_t)((uintptr_t)((tree_object *)self)->tree >> 4);
    return hash == -1 ? -2 : hash;
}

/* ---------------------------------------------------------------------------- the module -- */

bool add_files(PyObject *module)
{
    static PyMethodDef file_methods[] = {
        {"close", file_close, METH_NOARGS,
         "close()\n--\n\nCloses the file. Queries that run in other threads end as if it were\n"
         "open; later ones raise ValueError. May be called more than once."},
        {"find", FAST(file_find), METH_FASTCALL | METH_KEYWORDS,
         "find(name=None, kind=None)\n--\n\nThe first tree of this name and kind (\"obb\", ...);\n"
         "KeyError if there is none."},
        {"__enter__", file_enter, METH_NOARGS, NULL},
        {"__exit__", file_exit, METH_VARARGS, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef file_getters[] = {
        {"trees", file_trees, NULL, "a tuple of all trees (kiln.Tree), in the file's order", NULL},
        {"meta", file_meta, NULL, "what the bake wrote about itself, of JSON; or None", NULL},
        {"name", file_name, NULL, "the path that it was opened by, or None", NULL},
        {"closed", file_closed, NULL, "whether it is closed", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot file_slots[] = {
        {Py_tp_dealloc, SLOT(file_free)},
        {Py_tp_repr, SLOT(file_text)},
        {Py_tp_methods, file_methods},
        {Py_tp_getset, file_getters},
        {Py_sq_length, SLOT(file_length)},
        {Py_sq_item, SLOT(file_item)},
        {Py_tp_doc, (void *)"A baked file: a sequence of its trees, and a context manager that "
                            "closes it.\n\nMade by kiln.open and kiln.bake. Any number of threads "
                            "may query it at once."},
        {0, NULL},
    };
    static PyType_Spec file_spec = {
        .name = "kiln.File",
        .basicsize = sizeof(file_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
        .slots = file_slots};
    static PyMethodDef tree_methods[] = {
        {"triangles", tree_triangles, METH_NOARGS,
         "triangles()\n--\n\nThe corners of all triangles: float32 [triangle_limit, 3, 3], by id, "
         "in the mesh's\nown frame; NaN for ids that the tree has not. O(n)."},
        {"volumes", FAST(tree_volumes), METH_FASTCALL | METH_KEYWORDS, volumes_doc},
        {"faster_rays", tree_faster_rays, METH_NOARGS,
         "faster_rays()\n--\n\nThe same tree, unpacked once for many rays: a kiln.Tree for any\n"
         "query. Answers are the same; rays without a filter take half to three quarters of the\n"
         "time, for about 55 bytes a triangle, which are freed with the object. Octrees are\n"
         "refused. O(n)."},
        {"source", tree_source, METH_O,
         "source(triangle)\n--\n\nWhere a triangle comes from in the model: a kiln.Source."},
        {"corners", tree_corners, METH_O,
         "corners(triangle)\n--\n\nThe corners of one triangle: float32 [3, 3]. Searches the file; "
         "for all of them see triangles()."},
        {"user", tree_user, METH_O,
         "user(triangle)\n--\n\nThe user value (material index) of a triangle; 0: none."},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef all_tree_getters[INFO_COUNT + 2];
    memcpy(all_tree_getters, tree_getters, INFO_COUNT * sizeof *tree_getters);
    all_tree_getters[INFO_COUNT] =
        (PyGetSetDef){"file", tree_file, NULL, "the kiln.File that it belongs to", NULL};
    static PyType_Slot tree_slots[] = {
        {Py_tp_dealloc, SLOT(tree_free)},
        {Py_tp_repr, SLOT(tree_text)},
        {Py_tp_methods, tree_methods},
        {Py_tp_getset, all_tree_getters},
        {Py_tp_richcompare, SLOT(tree_compare)},
        {Py_tp_hash, SLOT(tree_hash)},
        {Py_tp_doc, (void *)"A bounding-volume tree over a mesh. It keeps its file."},
        {0, NULL},
    };
    static PyType_Spec tree_spec = {
        .name = "kiln.Tree",
        .basicsize = sizeof(tree_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
        .slots = tree_slots};
    static PyMethodDef functions[] = {
        {"open", FAST(module_open), METH_FASTCALL | METH_KEYWORDS, open_doc},
        {NULL, NULL, 0, NULL},
    };
    file_type = (PyTypeObject *)add_type(module, "File", &file_spec);
    tree_type = file_type == NULL ? NULL : (PyTypeObject *)add_type(module, "Tree", &tree_spec);
    return tree_type != NULL && add_methods(module, functions);
}
