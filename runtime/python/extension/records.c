/* Answers: structures of the library as objects with attributes, and as elements of numpy arrays.
 * One table of fields serves both, so that a name means the same in either. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

#include "../../kiln_adb.h"
#include "../../kiln_nearest.h"
#include "../../kiln_regions.h"
#include "../../kiln_self.h"
#include "../../kiln_shapes.h"
#include "../../kiln_winding.h"

typedef enum {
    BOOLEAN,
    UNSIGNED,
    SIGNED,
    LONG,
    INDEX,
    BYTE,
    FLOAT,
    DOUBLE,
    VECTOR,
    VECTOR3,
    TWO,
    POINTS /* of a region */
} field_kind;

typedef struct {
    const char *name;
    field_kind kind;
    size_t offset;
    const char *doc;
} record_field;

typedef struct {
    const char *name; /* "kiln.Hit" */
    const char *doc;
    size_t size;
    const record_field *fields; /* ended by a NULL name */
    ptrdiff_t truth;            /* offset of a bool, or -1 */
} record_layout;

enum { FIELDS_MAX = 24, FOUND_AT_FIRST = 256 };

#define FIELD(type, member, name, kind, doc)                                                       \
    {                                                                                              \
        name, kind, offsetof(type, member), doc                                                    \
    }
#define END                                                                                        \
    {                                                                                              \
        NULL, BOOLEAN, 0, NULL                                                                     \
    }
#define PAIR_FIELDS(type, member)                                                                  \
    FIELD(type, member.a, "a", UNSIGNED, "id of the triangle of A"),                               \
        FIELD(type, member.b, "b", UNSIGNED, "id of the triangle of B"),                           \
        FIELD(type, member.value_a, "value_a", UNSIGNED, "user value (material) of A's triangle"), \
        FIELD(type, member.value_b, "value_b", UNSIGNED, "user value (material) of B's triangle")
#define NEAREST_FIELDS(type, prefix)                                                               \
    FIELD(type, prefix distance, "distance", DOUBLE, "units of the world; beyond, if not found"),  \
        PAIR_FIELDS(type, prefix pair),                                                            \
        FIELD(type, prefix point_a, "point_a", VECTOR, "nearest point on A, [3], world"),          \
        FIELD(type, prefix point_b, "point_b", VECTOR, "nearest point on B, [3], world"),          \
        FIELD(type, prefix normal, "normal", VECTOR, "unit vector from B to A, [3], world"),       \
        FIELD(type, prefix hint, "hint", TWO, "places of the triangles, for the next query")

static const record_field hit_fields[] = {
    FIELD(kiln_hit, found, "found", BOOLEAN, "whether two triangles meet, or are near"),
    PAIR_FIELDS(kiln_hit, pair),
    FIELD(kiln_hit, hint, "hint", TWO, "places of the triangles, for the next query"),
    END,
};
static const record_field nearest_fields[] = {
    FIELD(kiln_nearest, found, "found", BOOLEAN, "False: farther apart than beyond"),
    NEAREST_FIELDS(kiln_nearest, ),
    END,
};
static const record_field pair_fields[] = {
    PAIR_FIELDS(kiln_contact, pair),
    END,
};
#define CONTACT_FIELDS(type, prefix)                                                               \
    PAIR_FIELDS(type, prefix pair),                                                                \
        FIELD(type, prefix from, "start", VECTOR, "one end of the segment in which they meet"),    \
        FIELD(type, prefix to, "end", VECTOR, "the other end"),                                    \
        FIELD(type, prefix normal, "normal", VECTOR, "unit vector from B to A"),                   \
        FIELD(type, prefix depth, "depth", DOUBLE, "how far A's triangle moves along it to part"), \
        FIELD(type, prefix hint, "hint", TWO, "places of the triangles, for the next query")
static const record_field contact_fields[] = {
    CONTACT_FIELDS(kiln_contact, ),
    END,
};
static const record_field summary_fields[] = {
    FIELD(kiln_contacts_summary, count, "count", INDEX, "pairs of triangles that meet"),
    CONTACT_FIELDS(kiln_contacts_summary, deepest.),
    FIELD(kiln_contacts_summary, lower, "lower", VECTOR, "lower corner of the box of all ends"),
    FIELD(kiln_contacts_summary, upper, "upper", VECTOR, "upper corner of it"),
    END,
};
static const record_field self_pair_fields[] = {
    PAIR_FIELDS(kiln_self_pair, pair),
    FIELD(kiln_self_pair, kind, "kind", UNSIGNED, "kiln.SelfKind: how they meet"),
    FIELD(kiln_self_pair, shared, "shared", UNSIGNED, "corners that they share, 0 to 3"),
    END,
};
static const record_field surface_point_fields[] = {
    FIELD(kiln_surface_point, found, "found", BOOLEAN, "False: all are farther than beyond"),
    FIELD(kiln_surface_point, triangle, "triangle", UNSIGNED, "id of the triangle"),
    FIELD(kiln_surface_point, value, "value", UNSIGNED, "its user value (material)"),
    FIELD(kiln_surface_point, feature, "feature", UNSIGNED, "kiln.Feature: FACE, EDGE or CORNER"),
    FIELD(kiln_surface_point, part, "part", UNSIGNED,
          "the corner opposite the edge, or the corner itself, 0 to 2"),
    FIELD(kiln_surface_point, distance, "distance", DOUBLE,
          "units of the world; beyond, if not found"),
    FIELD(kiln_surface_point, point, "point", VECTOR, "nearest point of the triangle, [3], world"),
    FIELD(kiln_surface_point, weights, "weights", VECTOR, "its barycentric coordinates, [3]"),
    FIELD(kiln_surface_point, normal, "normal", VECTOR,
          "pseudonormal of the feature, of length 1, [3], world"),
    END,
};
static const record_field winding_number_fields[] = {
    FIELD(kiln_winding_answer, number, "number", DOUBLE, "1 inside of a closed mesh, 0 outside"),
    FIELD(kiln_winding_answer, error, "error", DOUBLE, "the exact number is no farther from it"),
    FIELD(kiln_winding_answer, exact, "exact", BOOLEAN, "a whole number that was counted"),
    FIELD(kiln_winding_answer, surface, "surface", BOOLEAN, "whether the point is on a triangle"),
    FIELD(kiln_winding_answer, side, "side", UNSIGNED,
          "kiln.WindingSide: of the threshold, if one was given"),
    END,
};
static const record_field shape_nearest_fields[] = {
    FIELD(kiln_shape_nearest, found, "found", BOOLEAN, "False: farther from all than beyond"),
    FIELD(kiln_shape_nearest, distance, "distance", DOUBLE,
          "units of the world; beyond, if not found"),
    FIELD(kiln_shape_nearest, triangle, "triangle", UNSIGNED, "id of the triangle"),
    FIELD(kiln_shape_nearest, value, "value", UNSIGNED, "its user value (material)"),
    FIELD(kiln_shape_nearest, point_mesh, "point_mesh", VECTOR,
          "nearest point of the triangle, [3], world"),
    FIELD(kiln_shape_nearest, point_shape, "point_shape", VECTOR,
          "nearest point of the shape, [3], world"),
    FIELD(kiln_shape_nearest, normal, "normal", VECTOR,
          "unit vector from the shape to the mesh, [3], world"),
    END,
};
static const record_field region_point_fields[] = {
    FIELD(kiln_region_point, position, "position", VECTOR, "midway between both surfaces, [3]"),
    FIELD(kiln_region_point, depth, "depth", DOUBLE, "how far they lie over each other there"),
    PAIR_FIELDS(kiln_region_point, pair),
    END,
};
static const record_field region_fields[] = {
    FIELD(kiln_region, id, "id", LONG, "from 1 on, in the order of the pairs of triangles"),
    FIELD(kiln_region, touching, "touching", BOOLEAN, "nothing passes through: depth is 0"),
    FIELD(kiln_region, open, "open", BOOLEAN, "a curve ends at the border of an open mesh"),
    FIELD(kiln_region, normal, "normal", VECTOR, "unit vector from B to A, [3], world"),
    FIELD(kiln_region, depth, "depth", DOUBLE, "how far A has to move along it to part"),
    FIELD(kiln_region, centroid, "centroid", VECTOR, "of the area, midway, [3], world"),
    FIELD(kiln_region, radius, "radius", DOUBLE, "no point of the curves is farther from it"),
    FIELD(kiln_region, area, "area", DOUBLE, "that the curves enclose, seen along the normal"),
    FIELD(kiln_region, area_vector, "area_vector", VECTOR, "of the curves as a whole, [3]"),
    FIELD(kiln_region, length, "length", DOUBLE, "of the curves"),
    FIELD(kiln_region, curves, "curves", UNSIGNED, "that hang together each"),
    FIELD(kiln_region, pairs, "pairs", UNSIGNED, "of triangles that meet"),
    FIELD(kiln_region, inside_a, "inside_a", UNSIGNED, "triangles of A wholly inside B"),
    FIELD(kiln_region, inside_b, "inside_b", UNSIGNED, "triangles of B wholly inside A"),
    FIELD(kiln_region, deepest.a, "a", UNSIGNED, "triangle of A that is farthest inside B"),
    FIELD(kiln_region, deepest.b, "b", UNSIGNED, "triangle of B that is farthest inside A"),
    FIELD(kiln_region, deepest.value_a, "value_a", UNSIGNED, "user value (material) of that of A"),
    FIELD(kiln_region, deepest.value_b, "value_b", UNSIGNED, "user value (material) of that of B"),
    FIELD(kiln_region, place_a, "place_a", VECTOR, "the centroid along the axes of A, [3]"),
    FIELD(kiln_region, place_b, "place_b", VECTOR, "the centroid along the axes of B, [3]"),
    FIELD(kiln_region, point_count, "point_count", UNSIGNED, "of `points`"),
    FIELD(kiln_region, points, "points", POINTS, "[4], with the fields of kiln.RegionPoint"),
    END,
};
static const record_field work_fields[] = {
    FIELD(kiln_work, nodes, "nodes", LONG, "nodes that were opened"),
    FIELD(kiln_work, volume_pairs, "volume_pairs", LONG, "pairs of volumes that were tested"),
    FIELD(kiln_work, leaf_pairs, "leaf_pairs", LONG, "pairs of leaves that may meet"),
    FIELD(kiln_work, triangle_pairs, "triangle_pairs", LONG, "pairs of triangles in them"),
    END,
};
static const record_field ray_hit_fields[] = {
    FIELD(kiln_ray_hit, found, "found", BOOLEAN, "whether the ray meets a triangle"),
    FIELD(kiln_ray_hit, triangle, "triangle", UNSIGNED, "id of the triangle"),
    FIELD(kiln_ray_hit, value, "value", UNSIGNED, "its user value (material)"),
    FIELD(kiln_ray_hit, side, "side", UNSIGNED, "kiln.Side: FRONT, BACK or EDGE; 0: not found"),
    FIELD(kiln_ray_hit, t, "t", DOUBLE, "the point is origin + t direction"),
    FIELD(kiln_ray_hit, weights, "weights", VECTOR, "barycentric coordinates, [3]"),
    FIELD(kiln_ray_hit, normal, "normal", VECTOR, "unit normal of the triangle, [3], world"),
    END,
};
static const record_field triangle_hit_fields[] = {
    FIELD(kiln_triangle_hit, found, "found", BOOLEAN, "whether the shape meets a triangle"),
    FIELD(kiln_triangle_hit, triangle, "triangle", UNSIGNED, "id of the triangle"),
    FIELD(kiln_triangle_hit, value, "value", UNSIGNED, "its user value (material)"),
    END,
};
static const record_field likely_fields[] = {
    FIELD(kiln_likely_answer, verdict, "verdict", UNSIGNED, "kiln.Verdict: NO, YES or UNDECIDED"),
    FIELD(kiln_likely_answer, proved, "proved", BOOLEAN, "a proved YES, or NO"),
    FIELD(kiln_likely_answer, probability, "probability", DOUBLE, "that the surfaces meet"),
    FIELD(kiln_likely_answer, score, "score", DOUBLE, "which the threshold is for"),
    FIELD(kiln_likely_answer, steps, "steps", LONG, "steps that were taken"),
    PAIR_FIELDS(kiln_likely_answer, pair),
    END,
};
static const record_field counted_fields[] = {
    FIELD(kiln_adb_answer, verdict, "verdict", UNSIGNED, "kiln.Verdict: NO, YES or UNDECIDED"),
    FIELD(kiln_adb_answer, probability, "probability", DOUBLE, "that the surfaces meet"),
    FIELD(kiln_adb_answer, pairs, "pairs", LONG, "pairs of boxes that were opened or decided"),
    FIELD(kiln_adb_answer, flags, "flags", UNSIGNED, "1: room was full, 2: exact, 4: unfounded"),
    FIELD(kiln_adb_answer, waiting, "waiting", UNSIGNED, "pairs that were not opened"),
    PAIR_FIELDS(kiln_adb_answer, pair),
    END,
};
static const record_field first_fields[] = {
    FIELD(kiln_batch_hit, pair, "pair", INDEX, "its place in the list of pairs"),
    FIELD(kiln_batch_hit, placed.a, "placed_a", UNSIGNED, "placed tree A of that pair"),
    FIELD(kiln_batch_hit, placed.b, "placed_b", UNSIGNED, "placed tree B of that pair"),
    FIELD(kiln_batch_hit, hit.found, "found", BOOLEAN, "whether any pair meets, or is near"),
    PAIR_FIELDS(kiln_batch_hit, hit.pair),
    FIELD(kiln_batch_hit, hit.hint, "hint", TWO, "places of the triangles, for the next query"),
    END,
};
static const record_field minimum_fields[] = {
    FIELD(kiln_batch_nearest, pair, "pair", INDEX, "its place in the list of pairs"),
    FIELD(kiln_batch_nearest, placed.a, "placed_a", UNSIGNED, "placed tree A of that pair"),
    FIELD(kiln_batch_nearest, placed.b, "placed_b", UNSIGNED, "placed tree B of that pair"),
    FIELD(kiln_batch_nearest, nearest.found, "found", BOOLEAN, "False: farther apart than beyond"),
    NEAREST_FIELDS(kiln_batch_nearest, nearest.),
    END,
};
static const record_field volume_fields[] = {
    FIELD(kiln_tree_volume, depth, "depth", UNSIGNED, "0: the whole tree"),
    FIELD(kiln_tree_volume, triangles, "triangles", UNSIGNED, "at or below it"),
    FIELD(kiln_tree_volume, leaf, "leaf", BOOLEAN, "whether nothing is below it"),
    FIELD(kiln_tree_volume, centre, "centre", VECTOR, "[3], the mesh's own frame"),
    FIELD(kiln_tree_volume, axes, "axes", VECTOR3, "[3, 3], rows: unit axes"),
    FIELD(kiln_tree_volume, half, "half", VECTOR, "[3], half the lengths along the axes"),
    FIELD(kiln_tree_volume, radius, "radius", DOUBLE, "of balls; else 0"),
    END,
};
static const record_field byte_fields[] = {{"", BYTE, 0, NULL}, END};
static const record_field unsigned_fields[] = {{"", UNSIGNED, 0, NULL}, END};
static const record_field double_fields[] = {{"", DOUBLE, 0, NULL}, END};
static const record_field float_fields[] = {{"", FLOAT, 0, NULL}, END};
static const record_field long_fields[] = {{"", LONG, 0, NULL}, END};

#define LAYOUT(name, type, fields, truth, doc)                                                     \
    {                                                                                              \
        "kiln." name, doc, sizeof(type), fields, truth                                             \
    }
static const record_layout layouts[RECORD_COUNT] = {
    [RECORD_HIT] = LAYOUT("Hit", kiln_hit, hit_fields, offsetof(kiln_hit, found),
                          "Whether two surfaces meet or are near, and by which two triangles.\n\n"
                          "True in a condition if they do."),
    [RECORD_NEAREST] =
        LAYOUT("Nearest", kiln_nearest, nearest_fields, offsetof(kiln_nearest, found),
               "The distance of two surfaces, and where it is. float(nearest) is the distance."),
    [RECORD_PAIR] = LAYOUT("Pair", kiln_pair, pair_fields, -1, "Two triangles."),
    [RECORD_CONTACT] = LAYOUT("Contact", kiln_contact, contact_fields, -1,
                              "Where and how deep two triangles meet, in the frame of the world."),
    [RECORD_SUMMARY] = LAYOUT("ContactsSummary", kiln_contacts_summary, summary_fields, -1,
                              "All contacts: how many, the deepest, and the box of their ends."),
    [RECORD_WORK] = LAYOUT("Work", kiln_work, work_fields, -1, "What a query did."),
    [RECORD_RAY_HIT] = LAYOUT("RayHit", kiln_ray_hit, ray_hit_fields, offsetof(kiln_ray_hit, found),
                              "A triangle that a ray meets. True in a condition if there is one."),
    [RECORD_TRIANGLE_HIT] =
        LAYOUT("TriangleHit", kiln_triangle_hit, triangle_hit_fields,
               offsetof(kiln_triangle_hit, found), "A triangle that a shape meets."),
    [RECORD_LIKELY] = LAYOUT("LikelyAnswer", kiln_likely_answer, likely_fields, -1,
                             "Whether two surfaces meet, with a probability."),
    [RECORD_COUNTED] = LAYOUT("CountedAnswer", kiln_adb_answer, counted_fields, -1,
                              "What a counted query estimates."),
    [RECORD_FIRST] =
        LAYOUT("FirstHit", kiln_batch_hit, first_fields, offsetof(kiln_batch_hit, hit.found),
               "The first pair of a list that meets, or is near."),
    [RECORD_MINIMUM] =
        LAYOUT("Minimum", kiln_batch_nearest, minimum_fields,
               offsetof(kiln_batch_nearest, nearest.found), "The nearest pair of a list."),
    [RECORD_VOLUME] = LAYOUT("Volume", kiln_tree_volume, volume_fields, -1,
                             "The bounding volume of a node, as a box that encloses it."),
    [RECORD_SELF_PAIR] = LAYOUT("SelfPair", kiln_self_pair, self_pair_fields, -1,
                                "Two triangles of one mesh that meet, a < b."),
    [RECORD_SURFACE_POINT] = LAYOUT(
        "SurfacePoint", kiln_surface_point, surface_point_fields,
        offsetof(kiln_surface_point, found),
        "The nearest point of a mesh, and where it is. True in a condition if there is one;\n"
        "float(answer) is the distance."),
    [RECORD_WINDING_NUMBER] =
        LAYOUT("WindingNumber", kiln_winding_answer, winding_number_fields, -1,
               "How often a surface goes around a point. float(answer) is the number."),
    [RECORD_SHAPE_NEAREST] =
        LAYOUT("ShapeNearest", kiln_shape_nearest, shape_nearest_fields,
               offsetof(kiln_shape_nearest, found),
               "How far a shape is from a mesh, and where. float(nearest) is the distance."),
    [RECORD_REGION_POINT] = LAYOUT("RegionPoint", kiln_region_point, region_point_fields, -1,
                                   "A point of a contact region, in the frame of the world."),
    [RECORD_REGION] = LAYOUT("Region", kiln_region, region_fields, -1,
                             "Where two meshes meet: a contact region."),
    [RECORD_PLACE] = LAYOUT("uint8", uint8_t, byte_fields, -1, NULL),
    [RECORD_UNSIGNED] = LAYOUT("uint32", uint32_t, unsigned_fields, -1, NULL),
    [RECORD_DOUBLE] = LAYOUT("float64", double, double_fields, -1, NULL),
    [RECORD_FLOAT] = LAYOUT("float32", float, float_fields, -1, NULL),
    [RECORD_MASK] = LAYOUT("uint64", uint64_t, long_fields, -1, NULL),
};

/* As numpy names them. SIZE_MAX, "none", is -1. */
static const char *format_of(field_kind kind)
{
    switch (kind) {
    case BOOLEAN:
        return "?";
    case UNSIGNED:
        return "u4";
    case SIGNED:
        return "i4";
    case LONG:
        return "u8";
    case INDEX:
        return "i8";
    case BYTE:
        return "u1";
    case FLOAT:
        return "f4";
    case DOUBLE:
        return "f8";
    case VECTOR:
        return "(3,)f8";
    case VECTOR3:
        return "(3,3)f8";
    case TWO:
        return "(2,)u4";
    case POINTS:
        return "(4,)RegionPoint"; /* kiln/_arrays.py knows records by their names */
    }
    return NULL;
}

/* ------------------------------------------------------------------------------- objects -- */

typedef struct {
    PyObject_HEAD const record_layout *layout;
} record_object;

static PyTypeObject *record_types[RECORD_COUNT];

static const void *bytes_of(PyObject *object)
{
    return (const record_object *)object + 1;
}

PyObject *record_new(record_kind kind, const void *value)
{
    record_object *object = PyObject_New(record_object, record_types[kind]);
    if (object != NULL) {
        object->layout = &layouts[kind];
        memcpy(object + 1, value, layouts[kind].size);
    }
    return (PyObject *)object;
}

const void *record_value(record_kind kind, PyObject *object)
{
    return Py_TYPE(object) == record_types[kind] ? bytes_of(object) : NULL;
}

static void record_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* A vector is an array of numpy's of its own, [3] or [3, 3]. */
static PyObject *vector_of(record_kind kind, const void *from, size_t count, bool square)
{
    void *bytes = NULL;
    PyObject *memory = records_new(kind, count, &bytes);
    if (memory == NULL) {
        return NULL;
    }
    memcpy(bytes, from, count * layouts[kind].size);
    const size_t shape[2] = {square ? 3 : count, 3};
    return records_wrap(kind, memory, square ? 2 : 1, shape);
}

static PyObject *record_get(PyObject *self, void *closure)
{
    const record_field *field = closure;
    const char *at = (const char *)bytes_of(self) + field->offset;
    uint32_t word;
    uint64_t wide;
    double real;
    switch (field->kind) {
    case BOOLEAN:
        return PyBool_FromLong(*(const bool *)at);
    case UNSIGNED:
        memcpy(&word, at, sizeof word);
        return PyLong_FromUnsignedLong(word);
    case SIGNED:
        memcpy(&word, at, sizeof word);
        return PyLong_FromLong((long)(int32_t)word);
    case LONG:
        memcpy(&wide, at, sizeof wide);
        return PyLong_FromUnsignedLongLong(wide);
    case INDEX:
        memcpy(&wide, at, sizeof wide);
        return PyLong_FromLongLong((long long)wide);
    case DOUBLE:
        memcpy(&real, at, sizeof real);
        return PyFloat_FromDouble(real);
    case VECTOR:
        return vector_of(RECORD_DOUBLE, at, 3, false);
    case VECTOR3:
        return vector_of(RECORD_DOUBLE, at, 9, true);
    case TWO:
        return vector_of(RECORD_UNSIGNED, at, 2, false);
    case POINTS:
        return vector_of(RECORD_REGION_POINT, at, KILN_REGION_POINTS, false);
    case BYTE:
    case FLOAT:
        break;
    }
    Py_RETURN_NONE;
}

static int record_truth(PyObject *self)
{
    const record_layout *layout = ((const record_object *)self)->layout;
    return layout->truth < 0 || *((const bool *)bytes_of(self) + layout->truth);
}

/* Where the number is that float() makes of a record, or -1. */
static ptrdiff_t float_offset(record_kind kind)
{
    switch (kind) {
    case RECORD_NEAREST:
        return offsetof(kiln_nearest, distance);
    case RECORD_SURFACE_POINT:
        return offsetof(kiln_surface_point, distance);
    case RECORD_WINDING_NUMBER:
        return offsetof(kiln_winding_answer, number);
    case RECORD_SHAPE_NEAREST:
        return offsetof(kiln_shape_nearest, distance);
    default:
        return -1;
    }
}

static PyObject *record_float(PyObject *self)
{
    const record_layout *layout = ((const record_object *)self)->layout;
    double value;
    memcpy(&value, (const char *)bytes_of(self) + float_offset((record_kind)(layout - layouts)),
           sizeof value);
    return PyFloat_FromDouble(value);
}

/* "kiln.Hit(found=True, a=3, ...)": without vectors, which would need numpy. */
static PyObject *record_text(PyObject *self)
{
    const record_layout *layout = ((const record_object *)self)->layout;
    PyObject *text = PyUnicode_FromFormat("%s(", layout->name);
    bool first = true;
    for (const record_field *field = layout->fields; field->name != NULL && text != NULL; field++) {
        if (field->kind == VECTOR || field->kind == VECTOR3 || field->kind == TWO ||
            field->kind == POINTS) {
            continue;
        }
        PyObject *value = record_get(self, __extension__(void *) field);
        PyObject *longer =
            value == NULL
                ? NULL
                : PyUnicode_FromFormat("%U%s%s=%R", text, first ? "" : ", ", field->name, value);
        Py_XDECREF(value);
        Py_DECREF(text);
        text = longer;
        first = false;
    }
    if (text != NULL) {
        PyObject *whole = PyUnicode_FromFormat("%U)", text);
        Py_DECREF(text);
        text = whole;
    }
    return text;
}

/* -------------------------------------------------------------------------------- arrays -- */

PyObject *records_new(record_kind kind, size_t count, void **bytes)
{
    const size_t size = layouts[kind].size;
    if (count > (size_t)PY_SSIZE_T_MAX / 2 / size) {
        PyErr_NoMemory();
        return NULL;
    }
    /* In two steps: of one that is too large at once, Python 3.11 gives back a half-made object,
     * and says on the standard error that it has exported buffers. */
    PyObject *memory = PyByteArray_FromStringAndSize(NULL, 0);
    if (memory == NULL || PyByteArray_Resize(memory, (Py_ssize_t)(count * size)) != 0) {
        Py_XDECREF(memory);
        return NULL;
    }
    *bytes = PyByteArray_AsString(memory);
    memset(*bytes, 0, count * size);
    return memory;
}

bool records_shorten(record_kind kind, PyObject *bytes, size_t count)
{
    return PyByteArray_Resize(bytes, (Py_ssize_t)(count * layouts[kind].size)) == 0;
}

PyObject *records_found(record_kind kind, find_records find, void *asker, uint64_t limit,
                        kiln_status *status)
{
    size_t room = limit < FOUND_AT_FIRST ? (size_t)limit : FOUND_AT_FIRST, count = 0;
    for (;;) { /* at most twice */
        void *records = NULL;
        PyObject *memory = records_new(kind, room, &records);
        *status = KILN_OK;
        if (memory == NULL) {
            return NULL;
        }
        Py_BEGIN_ALLOW_THREADS *status = find(asker, records, room, &count);
        Py_END_ALLOW_THREADS count = count < limit ? count : (size_t)limit;
        if (*status == KILN_OK && count <= room && records_shorten(kind, memory, count)) {
            return records_wrap(kind, memory, 1, &count);
        }
        Py_DECREF(memory);
        if (*status != KILN_OK || count <= room) {
            return NULL;
        }
        room = count;
    }
}

PyObject *records_wrap(record_kind kind, PyObject *bytes, int dimensions, const size_t *shape)
{
    PyObject *tuple = PyTuple_New(dimensions);
    for (int i = 0; i < dimensions && tuple != NULL; i++) {
        PyObject *length = PyLong_FromSize_t(shape[i]);
        if (length == NULL || PyTuple_SetItem(tuple, i, length) != 0) {
            Py_CLEAR(tuple);
        }
    }
    PyObject *result = NULL;
    if (tuple != NULL && python.wrap == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "import kiln, not kiln._kiln");
    } else if (tuple != NULL) {
        result = PyObject_CallFunction(python.wrap, "OsO", bytes, layouts[kind].name + 5, tuple);
    }
    Py_XDECREF(tuple);
    Py_DECREF(bytes);
    return result;
}

/* ---------------------------------------------------------------------------- the module -- */

/* {name: (size, [(field, format, offset), ...])} for numpy.dtype. */
static bool describe(PyObject *all, const record_layout *layout)
{
    PyObject *list = PyList_New(0);
    bool good = list != NULL;
    for (const record_field *field = layout->fields; field->name != NULL && good; field++) {
        PyObject *row =
            Py_BuildValue("(ssn)", field->name, format_of(field->kind), (Py_ssize_t)field->offset);
        good = row != NULL && PyList_Append(list, row) == 0;
        Py_XDECREF(row);
    }
    PyObject *entry = good ? Py_BuildValue("(nO)", (Py_ssize_t)layout->size, list) : NULL;
    good = entry != NULL && PyDict_SetItemString(all, layout->name + 5, entry) == 0;
    Py_XDECREF(entry);
    Py_XDECREF(list);
    return good;
}

bool add_records(PyObject *module)
{
    static PyGetSetDef getters[RECORD_COUNT][FIELDS_MAX + 1];
    PyObject *all = PyDict_New();
    bool good = all != NULL;
    for (int kind = 0; kind < RECORD_COUNT && good; kind++) {
        const record_layout *layout = &layouts[kind];
        good = describe(all, layout);
        if (layout->doc == NULL || !good) {
            continue;
        }
        for (int i = 0; layout->fields[i].name != NULL && i < FIELDS_MAX; i++) {
            getters[kind][i] = (PyGetSetDef){.name = layout->fields[i].name,
                                             .get = record_get,
                                             .doc = layout->fields[i].doc,
                                             .closure = __extension__(void *) & layout->fields[i]};
        }
        PyType_Slot slots[8] = {
            {Py_tp_dealloc, SLOT(record_free)},
            {Py_tp_repr, SLOT(record_text)},
            {Py_tp_getset, getters[kind]},
            {Py_tp_doc, __extension__(void *) layout->doc},
            {Py_nb_bool, SLOT(record_truth)},
            {float_offset((record_kind)kind) < 0 ? 0 : Py_nb_float, SLOT(record_float)},
            {0, NULL},
        };
        PyType_Spec spec = {.name = layout->name,
                            .basicsize = (int)(sizeof(record_object) + layout->size),
                            .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                     Py_TPFLAGS_IMMUTABLETYPE,
                            .slots = slots};
        record_types[kind] = (PyTypeObject *)add_type(module, layout->name + 5, &spec);
        good = record_types[kind] != NULL;
    }
    good = good && PyModule_AddObjectRef(module, "layouts", all) == 0;
    Py_XDECREF(all);
    return good;
}
