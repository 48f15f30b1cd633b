/* Contact regions of two meshes, and what of each is kept for them. */
#include "module.h"

#include "../../kiln_nearest.h"
#include "../../kiln_regions.h"

#include <stdlib.h>

enum { PAIRS_AT_FIRST = 1024, REGIONS_AT_FIRST = 16 };

/* The tree is in use for as long as there is the object, so that its file stays. */
typedef struct {
    PyObject_HEAD tree_use use;
    void *memory;
    kiln_adjacency *adjacency;
} adjacency_object;

static PyTypeObject *adjacency_type;

static void adjacency_free(PyObject *object)
{
    adjacency_object *self = (adjacency_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    free(self->memory);
    tree_end(&self->use);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *adjacency_of(PyObject *tree, const char *name)
{
    kiln_status status;
    adjacency_object *self = PyObject_New(adjacency_object, adjacency_type);
    if (self == NULL) {
        return NULL;
    }
    self->use.file = NULL;
    self->memory = NULL;
    if (!tree_begin(&self->use, tree, name)) {
        Py_DECREF(self);
        return NULL;
    }
    const size_t size = kiln_adjacency_size(self->use.tree);
    self->memory = malloc(size + 1); /* of a size of 0 the status says why */
    if (self->memory == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS status =
        kiln_adjacency_place(self->memory, size, self->use.tree, &self->adjacency);
    Py_END_ALLOW_THREADS if (status != KILN_OK)
    {
        Py_DECREF(self);
        return raise_status((int)status, NULL, NULL);
    }
    return (PyObject *)self;
}

static PyObject *adjacency_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"tree", NULL};
    PyObject *tree = NULL;
    (void)type; /* which has no heirs */
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "O", names, &tree)
               ? adjacency_of(tree, "tree")
               : NULL;
}

/* ---------------------------------------------------------------------------------- query -- */

typedef struct {
    const adjacency_object *a, *b;
    poses pose_a, pose_b;
    void *memory; /* the workplace */
    kiln_regions *place;
    filter of;
} region_query;

static uint32_t triangles_of(const adjacency_object *of)
{
    return kiln_tree_get_info(of->use.tree).triangle_count;
}

/* Makes the workplace, anew where there was one. False: an exception. */
static bool make_place(region_query *query, uint32_t triangles, uint32_t pairs)
{
    const size_t size = kiln_regions_size(triangles, pairs);
    free(query->memory);
    query->memory = size == 0 ? NULL : malloc(size);
    if (query->memory == NULL ||
        kiln_regions_place(query->memory, size, triangles, pairs, &query->place) != KILN_OK) {
        PyErr_NoMemory();
        return false;
    }
    return true;
}

/* Which of two poses the query refuses. */
static void refuse(const region_query *query, kiln_status status)
{
    const char *detail = NULL;
    if (status == KILN_ERROR_POSE) {
        const double origin[3] = {0, 0, 0};
        kiln_surface_point nearest;
        detail = kiln_nearest_point(query->a->use.tree, pose_pointer(&query->pose_a), origin, NULL,
                                    &nearest) == KILN_ERROR_POSE
                     ? "pose_a"
                     : "pose_b";
    }
    raise_status((int)status, detail, NULL);
}

/* All regions, or the `limit` deepest, as an array. */
static PyObject *find_regions(region_query *query, uint64_t limit)
{
    uint32_t triangles = triangles_of(query->a), pairs = PAIRS_AT_FIRST;
    const uint32_t more = triangles_of(query->b);
    size_t room = limit < REGIONS_AT_FIRST ? (size_t)limit : REGIONS_AT_FIRST, count = 0;
    kiln_pair_options options = kiln_pair_options_default();
    pair_options_filter(&options, &query->of);
    triangles = triangles > UINT32_MAX - more ? UINT32_MAX : triangles + more;
    if (!make_place(query, triangles, pairs)) {
        return NULL;
    }
    for (;;) { /* at most three times */
        void *bytes = NULL;
        kiln_status status;
        PyObject *memory = records_new(RECORD_REGION, room, &bytes);
        if (memory == NULL) {
            return NULL;
        }
        Py_BEGIN_ALLOW_THREADS status = kiln_contact_regions(
            query->place, query->a->adjacency, pose_pointer(&query->pose_a), query->b->adjacency,
            pose_pointer(&query->pose_b), &options, bytes, room, &count);
        Py_END_ALLOW_THREADS if (status == KILN_OK)
        {
            count = count < limit ? count : (size_t)limit;
            if (count <= room) {
                if (records_shorten(RECORD_REGION, memory, count)) {
                    return records_wrap(RECORD_REGION, memory, 1, &count);
                }
                Py_DECREF(memory);
                return NULL;
            }
            room = count;
        }
        Py_DECREF(memory);
        if (status == KILN_ERROR_FULL) {
            const uint32_t had_triangles = triangles, had_pairs = pairs;
            kiln_regions_needed(query->place, &triangles, &pairs);
            if ((triangles <= had_triangles && pairs <= had_pairs) ||
                !make_place(query, triangles, pairs)) {
                return PyErr_Occurred() != NULL ? NULL : raise_status((int)status, NULL, NULL);
            }
        } else if (status != KILN_OK) {
            refuse(query, status);
            return NULL;
        }
    }
}

/* A new reference: what was given, or one that is made for this call. */
static PyObject *adjacency_argument(PyObject *object, const char *name)
{
    return Py_TYPE(object) == adjacency_type ? Py_NewRef(object) : adjacency_of(object, name);
}

PyDoc_STRVAR(
    contact_regions_doc,
    "contact_regions(a, pose_a, b, pose_b, *, limit=None, filter=None)\n--\n\n"
    "The regions in which two meshes meet, the deepest first: of each one normal, one depth\n"
    "and at most four points, which do not depend on how finely the meshes are divided. What\n"
    "is wholly inside another mesh meets it nowhere.\n\n"
    "a, b: kiln.Adjacency; or kiln.Tree, of which one is made for this call, which takes\n"
    "    longer than the query.\n"
    "pose_a, pose_b: where they are: None, or float64 [4, 4] or [3, 4].\n"
    "limit: at most so many.\n" PAIR_FILTER_DOC
    "\nReturns a structured array [n] with the fields of kiln.Region; of ['points'][i] the\n"
    "first ['point_count'][i] are set. Takes 104 KiB of stack where trees are deep.");
static PyObject *module_contact_regions(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                        PyObject *keywords)
{
    static const char *const names[] = {"a", "pose_a", "b", "pose_b", "limit", "filter"};
    static const signature wanted = {"contact_regions", names, 4, 4, 6};
    PyObject *in[6], *a = NULL, *b = NULL, *result = NULL;
    region_query query = {.memory = NULL};
    uint64_t limit = SIZE_MAX;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[4] != NULL && in[4] != Py_None && !count_of(in[4], "limit", SIZE_MAX, &limit)) ||
        !pose_take(&query.pose_a, in[1], "pose_a") || !pose_take(&query.pose_b, in[3], "pose_b") ||
        !filter_take(&query.of, in[5], 2)) {
        return NULL;
    }
    a = adjacency_argument(in[0], "a");
    b = a == NULL ? NULL : in[2] == in[0] ? Py_NewRef(a) : adjacency_argument(in[2], "b");
    if (b != NULL) {
        query.a = (const adjacency_object *)a;
        query.b = (const adjacency_object *)b;
        if (filter_fits(&query.of, &query.a->use, &query.b->use)) {
            result = find_regions(&query, limit);
        }
    }
    free(query.memory);
    Py_XDECREF(a);
    Py_XDECREF(b);
    return filter_end(&query.of, result);
}

/* ------------------------------------------------------------------------------------ ids -- */

/* The bytes of an array of regions, whose type kiln.regions_match has looked at. */
static bool regions_hold(Py_buffer *out, PyObject *object, int flags, size_t *count)
{
    if (PyObject_GetBuffer(object, out, flags) != 0) {
        return false;
    }
    *count = (size_t)out->len / sizeof(kiln_region);
    if ((size_t)out->len % sizeof(kiln_region) == 0 &&
        (uintptr_t)out->buf % _Alignof(kiln_region) == 0) {
        return true;
    }
    PyBuffer_Release(out);
    PyErr_SetString(PyExc_TypeError, "regions are to be an array of kiln.dtype(kiln.Region)");
    return false;
}

PyDoc_STRVAR(regions_match_doc, "regions_match(before, regions, next)\n--\n\n"
                                "What kiln.regions_match is made of: sets ids in `regions`.");
static PyObject *module_regions_match(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                      PyObject *keywords)
{
    static const char *const names[] = {"before", "regions", "next"};
    static const signature wanted = {"regions_match", names, 3, 3, 3};
    PyObject *in[3];
    Py_buffer before, regions;
    size_t before_count = 0, count = 0;
    uint64_t next = 0;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        !count_of(in[2], "next", UINT64_MAX, &next) ||
        !regions_hold(&before, in[0], PyBUF_C_CONTIGUOUS, &before_count)) {
        return NULL;
    }
    kiln_status status = KILN_ERROR_ARGUMENT;
    const bool held = regions_hold(&regions, in[1], PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE, &count);
    if (held) {
        status = kiln_regions_match(before.buf, before_count, regions.buf, count, &next);
        PyBuffer_Release(&regions);
    }
    PyBuffer_Release(&before);
    return !held               ? NULL
           : status == KILN_OK ? PyLong_FromUnsignedLongLong(next)
                               : raise_status((int)status, NULL, NULL);
}

bool add_regions(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"contact_regions", FAST(module_contact_regions), METH_FASTCALL | METH_KEYWORDS,
         contact_regions_doc},
        {"regions_match", FAST(module_regions_match), METH_FASTCALL | METH_KEYWORDS,
         regions_match_doc},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, SLOT(adjacency_new)},
        {Py_tp_dealloc, SLOT(adjacency_free)},
        {Py_tp_doc,
         (void *)"Adjacency(tree)\n--\n\nWhich triangles of a mesh are next to which, for "
                 "kiln.contact_regions: 12 bytes each.\nIt keeps the tree's file open while it "
                 "is there."},
        {0, NULL},
    };
    static PyType_Spec spec = {.name = "kiln.Adjacency",
                               .basicsize = sizeof(adjacency_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                               .slots = slots};
    adjacency_type = (PyTypeObject *)add_type(module, "Adjacency", &spec);
    return adjacency_type != NULL && add_methods(module, functions);
}
