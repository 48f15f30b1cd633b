/* Reader of AMF, the Additive Manufacturing File Format (ISO/ASTM 52915:2020), as XML or in a ZIP
 * archive.
 *
 * An object has one list of vertices, and volumes that are triangles of them: each volume is a mesh
 * of the scene, sent when its end is read. Constellations put objects and other constellations in
 * places; they are gathered, and followed when all is known. What no constellation has is shown as
 * it stands, and so is each constellation that no other has. Angles are degrees, about x first,
 * then y, then z, and then comes the displacement.
 *
 * Every element within an object or a constellation is known here or refused, but for colours,
 * textures and notes. Curved triangles (normals and edges with directions) are read as flat, and a
 * warning says so. */
#define _GNU_SOURCE
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "affine.h"
#include "points.h"
#include "xml.h"
#include "zip.h"

enum { TEXT_SIZE = 512, MOST_NODES = 1 << 24 };

/* What can be open around an element. */
typedef enum {
    AT_START,
    IN_AMF,
    IN_OBJECT,
    IN_MESH,
    IN_VERTICES,
    IN_VERTEX,
    IN_COORDINATES,
    IN_VOLUME,
    IN_TRIANGLE,
    IN_CONSTELLATION,
    IN_INSTANCE,
    IN_MATERIAL,
    IN_METADATA, /* of type "name": its text is a name */
    IN_VALUE,    /* its text is a number */
    IN_NOTHING   /* of any depth, without geometry */
} place;

/* An object or a constellation, to which instances refer by its id. */
typedef struct {
    char *id, *name;
    uint64_t line;
    bool is_object, used, open, done;
    size_t first, count; /* of the meshes, or of the instances */
} thing;

typedef struct {
    char *id; /* of what it shows */
    uint64_t line;
    double delta[3], angle[3];
    size_t thing; /* once all are known */
} instance;

typedef struct {
    char *id, *name;
} material;

/* The number of the material of an id, to be found among many; the text is that of the material. */
typedef struct {
    const char *id;
    uint32_t number;
} known_id;

typedef struct {
    kiln_reading *reading;
    kiln_list open; /* of place */
    place now;
    kiln_list things, instances, materials;
    void *numbers;      /* a tree of tsearch, of known_id */
    kiln_points points; /* of the mesh that is open */
    kiln_list corners;  /* of the volume that is open: uint32_t */
    uint32_t meshes, user;
    bool has_volume; /* has the mesh that is open one? Its vertices are complete then */
    char *volume_name;
    uint64_t line;    /* of the element that was opened last */
    double values[3]; /* of coordinates, of corners */
    unsigned have;    /* which of them, a bit each */
    double *value;    /* where the number goes */
    unsigned bit;
    char text[TEXT_SIZE];
    size_t length;
    uint64_t curved; /* the line of the first */
    uint64_t supports, other_type;
    const kiln_xml *xml;
    uint64_t text_line; /* of the first text where none may be; 0: there is none */
} amf;

static _Noreturn void fail(const amf *a, uint64_t line, const char *what)
{
    kiln_send_failure(a->reading->sender, KILN_BAKE_INVALID, "line %llu: %s; repair the file",
                      (unsigned long long)line, what);
}

static bool is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

static char *copy(const amf *a, const char *text)
{
    const size_t size = strlen(text != NULL ? text : "") + 1;
    char *own = malloc(size);

    if (own == NULL)
        kiln_read_no_memory(a->reading);
    return memcpy(own, text != NULL ? text : "", size);
}

static thing *last_thing(const amf *a)
{
    KILN_ASSERT(a->things.count > 0);
    return (thing *)a->things.items + a->things.count - 1;
}

static int compare_known(const void *a, const void *b)
{
    const known_id *p = a, *q = b;

    return strcmp(p->id, q->id);
}

/* The number of a material, new where none has the id; 0 is that of volumes without a material. */
static uint32_t material_of(amf *a, const char *id)
{
    const known_id key = {.id = id};
    known_id **found = id != NULL ? tfind(&key, &a->numbers, compare_known) : NULL;
    known_id *new;
    material *own;

    if (id == NULL)
        return 0;
    if (found != NULL)
        return (*found)->number;
    own = kiln_list_add(a->reading, &a->materials, sizeof *own);
    own->id = copy(a, id);
    new = malloc(sizeof *new);
    if (new == NULL)
        kiln_read_no_memory(a->reading);
    *new = (known_id){.id = own->id, .number = (uint32_t)(a->materials.count - 1)};
    if (tsearch(new, &a->numbers, compare_known) == NULL)
        kiln_read_no_memory(a->reading);
    return new->number;
}

/* -- elements -- */

/* A number that must be there once in its element. */
static place expect_value(amf *a, const char *name, unsigned which, double *value)
{
    char what[64];

    KILN_ASSERT(which < 8 * sizeof a->have);
    (void)snprintf(what, sizeof what, "a second <%.20s>", name);
    if ((a->have >> which & 1) != 0)
        fail(a, a->line, what);
    a->bit = which;
    a->value = value;
    return IN_VALUE;
}

static place start_thing(amf *a, const char **attributes, bool is_object)
{
    thing *new = kiln_list_add(a->reading, &a->things, sizeof *new);

    *new = (thing){.id = copy(a, kiln_xml_value(attributes, "id")),
                   .line = a->line,
                   .is_object = is_object,
                   .first = is_object ? a->meshes : a->instances.count};
    return is_object ? IN_OBJECT : IN_CONSTELLATION;
}

/* What is opened within an instance: displacements and angles. */
static place start_in_instance(amf *a, const char *name)
{
    instance *of = (instance *)a->instances.items + a->instances.count - 1;
    const size_t length = strlen(name);
    /* The last letter is the axis: x, y or z. */
    const unsigned axis = length > 0 ? (unsigned)(unsigned char)name[length - 1] - 'x' : 3;

    if (axis < 3 && length == 6 && strncmp(name, "delta", 5) == 0)
        return expect_value(a, name, axis, &of->delta[axis]);
    if (axis < 3 && length == 2 && name[0] == 'r')
        return expect_value(a, name, 3 + axis, &of->angle[axis]);
    return AT_START;
}

static place start_unit(amf *a, const char *unit)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"millimeter", 1e-3}, {"inch", 0.0254},     {"feet", 0.3048},
                 {"meter", 1},         {"micrometer", 1e-6}, {"micron", 1e-6}};
    size_t i = 0;
    char what[128];

    if (unit == NULL)
        return IN_AMF;
    while (i < sizeof units / sizeof units[0] && !is(units[i].name, unit))
        i++;
    (void)snprintf(what, sizeof what, "the unit \"%.40s\" is none of AMF", unit);
    if (i == sizeof units / sizeof units[0])
        fail(a, a->line, what);
    a->reading->facts.unit = units[i].metres;
    return IN_AMF;
}

static place start_volume(amf *a, const char **attributes)
{
    const char *type = kiln_xml_value(attributes, "type");

    if (a->points.at.count == 0)
        fail(a, a->line, "a <volume> before the <vertices> of its mesh");
    a->supports += type != NULL && is(type, "support");
    if (type != NULL && !is(type, "object") && !is(type, "support") && a->other_type++ == 0)
        kiln_send_warning(a->reading->sender,
                          "line %llu: the type \"%.40s\" of a volume is not known here; it is read "
                          "as all others",
                          (unsigned long long)a->line, type);
    a->has_volume = true;
    a->user = material_of(a, kiln_xml_value(attributes, "materialid"));
    a->corners.count = 0;
    return IN_VOLUME;
}

/* What an element opens where it stands; AT_START: it has no place there. */
static place start_of(amf *a, const char *name, const char **attributes)
{
    const char *of = kiln_xml_value(attributes, "type");

    switch (a->now) {
    case AT_START:
        return is(name, "amf") || is(name, "AMF")
                   ? start_unit(a, kiln_xml_value(attributes, "unit"))
                   : AT_START;
    case IN_AMF:
        if (is(name, "object") || is(name, "constellation"))
            return start_thing(a, attributes, name[0] == 'o');
        if (is(name, "material")) {
            a->user = material_of(a, kiln_xml_value(attributes, "id"));
            return IN_MATERIAL;
        }
        return is(name, "metadata") || is(name, "texture") ? IN_NOTHING : AT_START;
    case IN_OBJECT:
        if (is(name, "mesh")) {
            kiln_points_free(&a->points);
            a->has_volume = false;
            return IN_MESH;
        }
        break;
    case IN_MESH:
        if (is(name, "volume"))
            return start_volume(a, attributes);
        if (is(name, "vertices") && a->has_volume)
            fail(a, a->line, "<vertices> after a <volume> of their mesh");
        return is(name, "vertices") ? IN_VERTICES : AT_START;
    case IN_VERTICES:
        a->have = 0;
        if (is(name, "edge"))
            a->curved = a->curved != 0 ? a->curved : a->line;
        return is(name, "vertex") ? IN_VERTEX : is(name, "edge") ? IN_NOTHING : AT_START;
    case IN_VERTEX:
        if (is(name, "coordinates") && a->have != 0)
            fail(a, a->line, "a second <coordinates>");
        if (is(name, "normal"))
            a->curved = a->curved != 0 ? a->curved : a->line;
        return is(name, "coordinates")                                           ? IN_COORDINATES
               : is(name, "normal") || is(name, "metadata") || is(name, "color") ? IN_NOTHING
                                                                                 : AT_START;
    case IN_COORDINATES:
        if (name[0] >= 'x' && name[0] <= 'z' && name[1] == '\0')
            return expect_value(a, name, (unsigned)(name[0] - 'x'), &a->values[name[0] - 'x']);
        return AT_START;
    case IN_VOLUME:
        a->have = 0;
        if (is(name, "triangle"))
            return IN_TRIANGLE;
        break;
    case IN_TRIANGLE:
        if (name[0] == 'v' && name[1] >= '1' && name[1] <= '3' && name[2] == '\0')
            return expect_value(a, name, (unsigned)(name[1] - '1'), &a->values[name[1] - '1']);
        return is(name, "color") || is(name, "texmap") || is(name, "map") ? IN_NOTHING : AT_START;
    case IN_CONSTELLATION:
        if (is(name, "instance")) {
            instance *new = kiln_list_add(a->reading, &a->instances, sizeof *new);

            *new =
                (instance){.id = copy(a, kiln_xml_value(attributes, "objectid")), .line = a->line};
            a->have = 0;
            return IN_INSTANCE;
        }
        return is(name, "metadata") ? (of != NULL && is(of, "name") ? IN_METADATA : IN_NOTHING)
                                    : AT_START;
    case IN_INSTANCE:
        return start_in_instance(a, name);
    default:
        break;
    }
    /* Objects, volumes and materials have names and much that is none of a shape. */
    if (is(name, "metadata") && of != NULL && is(of, "name"))
        return IN_METADATA;
    return a->now == IN_MATERIAL || is(name, "metadata") || is(name, "color") || is(name, "texmap")
               ? IN_NOTHING
               : AT_START;
}

static void on_start(void *user, const char *name, const char **attributes, uint64_t line)
{
    amf *a = user;
    place new = IN_NOTHING;

    a->line = line;
    if (a->now != IN_NOTHING) {
        new = start_of(a, name, attributes);
        /* Notes may stand anywhere, but for numbers. */
        if (new == AT_START && a->now != AT_START &&is(name, "metadata"))
            new = IN_NOTHING;
        if (a->now == IN_VALUE || new == AT_START)
            kiln_send_failure(a->reading->sender, KILN_BAKE_UNSUPPORTED,
                              "line %llu: <%.100s>, which AMF does not have there; remove it, or "
                              "convert the model to another format",
                              (unsigned long long)line, name);
        a->length = 0;
    }
    *(place *)kiln_list_add(a->reading, &a->open, sizeof new) = a->now;
    a->now = new;
}

static void on_text(void *user, const char *text, size_t length)
{
    amf *a = user;

    if (a->now != IN_VALUE && a->now != IN_METADATA) {
        (void)kiln_xml_trimmed(text, &length);
        if (length > 0 && a->now != IN_NOTHING && a->text_line == 0)
            a->text_line = kiln_xml_line(a->xml);
        return;
    }
    if (length > TEXT_SIZE - 1 - a->length) {
        if (a->now == IN_VALUE)
            fail(a, a->line, "a number of more than 500 characters");
        length = TEXT_SIZE - 1 - a->length;
    }
    memcpy(a->text + a->length, text, length);
    a->length += length;
}

/* The text of the element, without blanks at both ends. */
static const char *trimmed(amf *a)
{
    const char *text = kiln_xml_trimmed(a->text, &a->length);

    a->text[text - a->text + (ptrdiff_t)a->length] = '\0';
    return text;
}

static void end_value(amf *a)
{
    const char *text = trimmed(a);
    char what[96];

    (void)snprintf(what, sizeof what, "a number is wanted, not \"%.40s\"", text);
    if (!kiln_token_number(text, strlen(text), a->value))
        fail(a, a->line, what);
    a->have |= 1u << a->bit;
}

static void end_name(amf *a, place of)
{
    material *materials = a->materials.items;
    char **name = of == IN_VOLUME     ? &a->volume_name
                  : of == IN_MATERIAL ? &materials[a->user].name
                                      : &last_thing(a)->name;

    free(*name);
    *name = copy(a, trimmed(a));
}

/* An index is any whole number; one that can't be is kept for the message about its face. */
static void end_triangle(amf *a)
{
    if (a->have != 7)
        fail(a, a->line, "a <triangle> needs <v1>, <v2> and <v3>");
    for (int i = 0; i < 3; i++) {
        const double value = a->values[i];

        if (value != floor(value))
            fail(a, a->line, "the number of a vertex must be whole");
        *(uint32_t *)kiln_list_add(a->reading, &a->corners, sizeof(uint32_t)) =
            value >= 0 && value < KILN_SCENE_NONE ? (uint32_t)value : KILN_SCENE_NONE;
    }
}

static void end_volume(amf *a)
{
    const thing *object = last_thing(a);
    const size_t faces = a->corners.count / 3;
    uint32_t *corners = a->corners.items;
    kiln_scene_mesh mesh = {.face_count = faces, .primitive = a->meshes - (uint32_t)object->first};
    char numbered[600];

    (void)snprintf(numbered, sizeof numbered, "object %s", object->id);
    const char *name = a->volume_name != NULL ? a->volume_name
                       : object->name != NULL ? object->name
                                              : numbered;

    KILN_ASSERT(object->is_object && a->corners.count % 3 == 0);
    mesh.vertex_count = kiln_points_send(a->reading, &a->points, corners, a->corners.count);
    for (size_t i = 0; i < faces; i++)
        kiln_read_face(a->reading, corners + 3 * i, 3, i, a->user);
    mesh.name = kiln_send_string(a->reading->sender, name, strlen(name));
    kiln_send(a->reading->sender, KILN_ARRAY_MESHES, &mesh, 1);
    a->meshes++;
    last_thing(a)->count++;
    if (faces == 0) {
        a->reading->facts.empty_meshes++;
        kiln_send_warning(a->reading->sender, "mesh \"%s\" has no face", name);
    }
    free(a->volume_name);
    a->volume_name = NULL;
}

static void on_end(void *user, const char *name)
{
    amf *a = user;
    const place ended = a->now;

    (void)name;
    KILN_ASSERT(a->open.count > 0);
    a->now = ((place *)a->open.items)[--a->open.count];
    if (ended == IN_VALUE)
        end_value(a);
    if (ended == IN_METADATA)
        end_name(a, a->now);
    if (ended == IN_COORDINATES) {
        if (a->have != 7)
            fail(a, a->line, "<coordinates> need <x>, <y> and <z>");
        kiln_points_add(a->reading, &a->points, a->values);
        a->have = 8;
    }
    if (ended == IN_VERTEX && a->have != 8)
        fail(a, a->line, "a <vertex> needs <coordinates>");
    if (ended == IN_TRIANGLE)
        end_triangle(a);
    if (ended == IN_VOLUME)
        end_volume(a);
    if (ended == IN_INSTANCE)
        last_thing(a)->count++;
}

/* -- when all are known -- */

static int compare_ids(const void *a, const void *b)
{
    const thing *const *p = a, *const *q = b;
    const int by_id = strcmp((*p)->id, (*q)->id);

    return by_id != 0 ? by_id : (*p)->line < (*q)->line ? -1 : (*p)->line > (*q)->line;
}

/* Finds what each instance shows. */
static void resolve(amf *a)
{
    thing *things = a->things.items;
    instance *instances = a->instances.items;
    const thing **sorted = malloc((a->things.count + 1) * sizeof *sorted);

    if (sorted == NULL)
        kiln_read_no_memory(a->reading);
    for (size_t i = 0; i < a->things.count; i++)
        sorted[i] = &things[i];
    qsort(sorted, a->things.count, sizeof(thing *), compare_ids);
    for (size_t i = 1; i < a->things.count; i++)
        if (sorted[i]->id[0] != '\0' && is(sorted[i]->id, sorted[i - 1]->id))
            kiln_send_failure(a->reading->sender, KILN_BAKE_INVALID,
                              "line %llu: the id \"%.100s\" is that of line %llu too; rename one",
                              (unsigned long long)sorted[i]->line, sorted[i]->id,
                              (unsigned long long)sorted[i - 1]->line);
    /* By halving: an array of a thousand objects and as many instances is what the format is for.
     */
    for (size_t i = 0; i < a->instances.count; i++) {
        size_t from = 0, to = a->things.count;

        while (from < to) {
            const size_t middle = from + (to - from) / 2;

            if (strcmp(sorted[middle]->id, instances[i].id) < 0)
                from = middle + 1;
            else
                to = middle;
        }
        if (from == a->things.count || !is(sorted[from]->id, instances[i].id) ||
            instances[i].id[0] == '\0')
            kiln_send_failure(a->reading->sender, KILN_BAKE_INVALID,
                              "line %llu: an instance of \"%.100s\", which is no object or "
                              "constellation of the file; repair the file",
                              (unsigned long long)instances[i].line, instances[i].id);
        instances[i].thing = (size_t)(sorted[from] - things);
        things[instances[i].thing].used = true;
    }
    free(sorted);
}

/* A thing that is being gone through. */
typedef struct {
    size_t thing;
    uint32_t node; /* of the scene */
    size_t next;   /* the instance to be looked at */
} step;

/* No constellation contains itself. Depth first, by a stack of our own. */
static void check_circles(amf *a)
{
    thing *things = a->things.items;
    const instance *instances = a->instances.items;
    kiln_list stack = {0};

    for (size_t i = 0; i < a->things.count; i++) {
        if (things[i].is_object || things[i].done)
            continue;
        *(step *)kiln_list_add(a->reading, &stack, sizeof(step)) = (step){.thing = i};
        things[i].open = true;
        while (stack.count > 0) {
            step *at = (step *)stack.items + stack.count - 1;
            thing *of = &things[at->thing];

            if (at->next == of->count) {
                of->open = false;
                of->done = true;
                stack.count--;
                continue;
            }
            const instance *to = &instances[of->first + at->next++];

            KILN_ASSERT(to->thing < a->things.count && stack.count <= a->things.count);
            if (things[to->thing].open)
                kiln_send_failure(a->reading->sender, KILN_BAKE_INVALID,
                                  "line %llu: an instance of a constellation that contains it; "
                                  "remove it",
                                  (unsigned long long)to->line);
            if (!things[to->thing].is_object && !things[to->thing].done) {
                things[to->thing].open = true;
                *(step *)kiln_list_add(a->reading, &stack, sizeof(step)) =
                    (step){.thing = to->thing};
            }
        }
    }
    free(stack.items);
}

/* Displacement * about z * about y * about x, for columns. */
static void matrix_of(const instance *i, double m[16])
{
    double s[3], c[3];

    for (int k = 0; k < 3; k++)
        kiln_sine_cosine(i->angle[k], &s[k], &c[k]);
    const double matrix[16] = {c[2] * c[1],
                               c[2] * s[1] * s[0] - s[2] * c[0],
                               c[2] * s[1] * c[0] + s[2] * s[0],
                               i->delta[0],
                               s[2] * c[1],
                               s[2] * s[1] * s[0] + c[2] * c[0],
                               s[2] * s[1] * c[0] - c[2] * s[0],
                               i->delta[1],
                               -s[1],
                               c[1] * s[0],
                               c[1] * c[0],
                               i->delta[2],
                               0,
                               0,
                               0,
                               1};

    memcpy(m, matrix, sizeof matrix);
}

/* Sends a node that shows a thing; returns its number. */
static uint32_t send_node(amf *a, const thing *of, uint32_t parent, const instance *by,
                          uint32_t *sent)
{
    const instance still = {.id = NULL};
    kiln_scene_node node = {.parent = parent,
                            .place_count = of->is_object ? (uint32_t)of->count : 0};
    char numbered[600];

    if (*sent >= MOST_NODES)
        kiln_send_failure(a->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "the constellations have more than %d instances in all; split the model",
                          MOST_NODES);
    (void)snprintf(numbered, sizeof numbered, "%s %s", of->is_object ? "object" : "constellation",
                   of->id);
    const char *name = of->name != NULL ? of->name : numbered;

    node.name = kiln_send_string(a->reading->sender, name, strlen(name));
    matrix_of(by != NULL ? by : &still, node.matrix);
    kiln_send(a->reading->sender, KILN_ARRAY_NODES, &node, 1);
    for (size_t i = 0; of->is_object && i < of->count; i++)
        kiln_send_u32(a->reading->sender, KILN_ARRAY_PLACES, (uint32_t)(of->first + i));
    return (*sent)++;
}

/* Sends the nodes of all that nothing else shows. */
static void send_nodes(amf *a)
{
    const thing *things = a->things.items;
    const instance *instances = a->instances.items;
    kiln_list stack = {0};
    uint32_t sent = 0;
    size_t left = 0, constellations = 0;

    for (size_t i = 0; i < a->things.count; i++) {
        if (things[i].count == 0)
            kiln_send_warning(a->reading->sender, "line %llu: the %s \"%.100s\" has no %s",
                              (unsigned long long)things[i].line,
                              things[i].is_object ? "object" : "constellation", things[i].id,
                              things[i].is_object ? "volume" : "instance");
        left += things[i].is_object && !things[i].used;
        constellations += !things[i].is_object;
        if (things[i].used)
            continue;
        *(step *)kiln_list_add(a->reading, &stack, sizeof(step)) =
            (step){.thing = i, .node = send_node(a, &things[i], KILN_SCENE_NONE, NULL, &sent)};
        while (stack.count > 0) {
            step *at = (step *)stack.items + stack.count - 1;
            const thing *of = &things[at->thing];

            if (of->is_object || at->next == of->count) {
                stack.count--;
                continue;
            }
            const instance *to = &instances[of->first + at->next++];
            const uint32_t node = send_node(a, &things[to->thing], at->node, to, &sent);

            if (!things[to->thing].is_object)
                *(step *)kiln_list_add(a->reading, &stack, sizeof(step)) =
                    (step){.thing = to->thing, .node = node};
        }
    }
    if (left > 0 && constellations > 0)
        kiln_send_warning(a->reading->sender,
                          "%zu object%s in no constellation, and %s read where %s", left,
                          left == 1 ? " is" : "s are", left == 1 ? "is" : "are",
                          left == 1 ? "it stands" : "they stand");
    free(stack.items);
}

/* Is that a file of a model's archive? Folders are none, nor is what file managers put there: notes
 * on each file, by its own name in another folder or with another beginning. */
static bool is_packed_file(const char *name)
{
    const char *slash = strrchr(name, '/'), *last = slash != NULL ? slash + 1 : name;

    return last[0] != '\0' && strncmp(name, "__MACOSX/", 9) != 0 && strncmp(last, "._", 2) != 0 &&
           !is(last, ".DS_Store") && !is(last, "Thumbs.db") && !is(last, "desktop.ini");
}

/* Puts the one model of an archive in its place: the file named .amf, or the only one. */
static void unzip(kiln_reading *reading)
{
    const kiln_zip_entry *found = NULL;
    kiln_zip zip;
    size_t named = 0, files = 0;

    kiln_zip_open(&zip, reading);
    for (size_t i = 0; i < zip.count; i++) {
        const char *name = zip.entries[i].name, *dot = strrchr(name, '.');
        const bool model = dot != NULL && kiln_token_is(dot + 1, strlen(dot + 1), "amf");

        if (!is_packed_file(name))
            continue;
        files++;
        named += model;
        if (model || named == 0)
            found = &zip.entries[i];
    }
    if (named > 1 || (named == 0 && files != 1))
        kiln_send_failure(
            reading->sender, KILN_BAKE_INVALID,
            "its archive (ZIP) has %zu file%s, %zu of them named .amf; pack one model "
            "in it, or unpack it and bake each",
            files, files == 1 ? "" : "s", named);
    KILN_ASSERT(found != NULL);
    /* The file stays open for whoever compares it. */
    reading->model =
        (kiln_model){.file = -1, .data = kiln_zip_load(&zip, found), .size = found->size};
    kiln_zip_close(&zip);
}

/* The texts of a list of things, instances or materials, of which each begins with its id. */
static void free_all(kiln_list *list, size_t size)
{
    for (size_t i = 0; i < list->count; i++)
        free(*(char **)(void *)((char *)list->items + size * i));
    free(list->items);
}

void kiln_read_amf(kiln_reading *reading)
{
    amf a = {.reading = reading};
    const kiln_xml_handlers handlers = {
        .start = on_start, .end = on_end, .text = on_text, .user = &a, .reader = &a.xml};
    material *materials;

    if (kiln_zip_is(&reading->model))
        unzip(reading);
    (void)kiln_list_add(reading, &a.materials, sizeof(material));
    kiln_xml_read(reading, &handlers);
    resolve(&a);
    check_circles(&a);
    send_nodes(&a);
    if (a.curved != 0)
        kiln_send_warning(reading->sender,
                          "line %llu: its triangles are curved, by normals or edges, and are read "
                          "as flat; export it with more triangles",
                          (unsigned long long)a.curved);
    if (a.text_line != 0)
        kiln_send_warning(reading->sender,
                          "line %llu: text, which AMF does not have there, is left out",
                          (unsigned long long)a.text_line);
    if (a.supports > 0)
        kiln_send_warning(reading->sender,
                          "%llu volume%s a support, which is there while the model is made only; "
                          "it is read as all others",
                          (unsigned long long)a.supports, a.supports == 1 ? " is" : "s are each");
    materials = a.materials.items;
    for (size_t i = 0; i < a.materials.count; i++) {
        const char *name = i == 0                      ? "DefaultMaterial"
                           : materials[i].name != NULL ? materials[i].name
                                                       : materials[i].id;

        kiln_send_u32(reading->sender, KILN_ARRAY_MATERIALS,
                      kiln_send_string(reading->sender, name, strlen(name)));
        free(materials[i].name);
    }
    reading->facts.exact = 1;
    for (size_t i = 0; i < a.things.count; i++)
        free(((thing *)a.things.items)[i].name);
    free_all(&a.things, sizeof(thing));
    free_all(&a.instances, sizeof(instance));
    tdestroy(a.numbers, free);
    free_all(&a.materials, sizeof(material));
    kiln_points_free(&a.points);
    free(a.corners.items);
    free(a.open.items);
}
