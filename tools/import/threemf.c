/* Reader of 3MF, the 3D Manufacturing Format (3MF Consortium, "3D Manufacturing Format, Core
 * Specification & Reference Guide", 1.3, 2021; "Production Extension", 1.1.2, 2021).
 *
 * A model is an archive (zip.c) of parts: files of XML. `_rels/.rels` names the one that has the
 * build, a list of what is to be made: items, each an object in a place. An object is a mesh, or
 * components: other objects, each in a place. By the production extension either may be in another
 * part, which is read when something refers to it; ids count within their part. Each mesh is sent
 * while it is read, and the nodes when all parts are: a node for each item, and below it one for
 * each component.
 *
 * Elements of the core specification are known here or refused. Those of other specifications are
 * skipped, as the format wants, unless the model requires theirs: then only what changes no shape
 * passes. Beams and slices are shapes of their own, and warned of wherever they are.
 *
 * Vectors are rows, so that the twelve numbers of a transform are a matrix by columns. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "points.h"
#include "xml.h"
#include "zip.h"

enum { MOST_NODES = 1 << 24, NONE = -1 };

#define MODEL_RELATIONSHIP "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"

/* Specifications, by the start of the names of their namespaces, which end in a date. */
static const struct {
    const char *namespace, *name;
    bool core, shapeless; /* shapeless: what requires it may be read */
} specifications[] = {
    {"http://schemas.microsoft.com/3dmanufacturing/core/", "core", true, true},
    {"http://schemas.microsoft.com/3dmanufacturing/production/", "production", false, true},
    {"http://schemas.microsoft.com/3dmanufacturing/material/", "materials", false, true},
    {"http://schemas.microsoft.com/3dmanufacturing/trianglesets/", "triangle sets", false, true},
    {"http://schemas.microsoft.com/3dmanufacturing/beamlattice/", "beam lattices", false, false},
    {"http://schemas.microsoft.com/3dmanufacturing/slice/", "slices", false, false},
};

enum { CORE, PRODUCTION, BEAMS = 4, SLICES, SPECIFICATION_COUNT };

/* What can be open around an element. */
typedef enum {
    AT_START,
    IN_MODEL,
    IN_RESOURCES,
    IN_BASES, /* base materials */
    IN_OBJECT,
    IN_MESH,
    IN_VERTICES,
    IN_TRIANGLES,
    IN_COMPONENTS,
    IN_BUILD,
    IN_LEAF,   /* of which nothing may be in */
    IN_NOTHING /* of any depth, without geometry */
} place;

typedef struct {
    char *prefix; /* "": of names without one */
    int of;       /* a specification, or NONE */
    char *uri;
} namespace;

/* What is around an element, and how many declarations of namespaces hold there. */
typedef struct {
    place at;
    size_t namespaces;
} around;

typedef struct {
    char *name; /* in the archive */
} part;

/* An object. */
typedef struct {
    size_t part;
    uint64_t id, line, faces;
    char *name, type[16];
    bool is_mesh, used, open, done;
    uint32_t mesh;       /* of the scene */
    size_t first, count; /* of its components */
} thing;

/* A component or an item of the build. */
typedef struct {
    size_t part; /* that has the object */
    uint64_t id, line;
    size_t in;    /* the part that has this */
    size_t thing; /* once all are known */
    double matrix[16];
} instance;

typedef struct {
    size_t part;
    uint64_t id;
    uint32_t first, count; /* of its materials, numbered in the scene */
} group;

typedef struct {
    kiln_reading *reading;
    kiln_zip zip;
    kiln_list open; /* of place */
    place now;
    kiln_list namespaces, parts, things, components, items, groups;
    size_t part; /* that is being read */
    bool is_root;
    uint64_t line;     /* of the element that was opened last */
    uint64_t vertices; /* of the mesh that is open */
    uint32_t meshes, materials, user;
    double unit; /* of the root */
    bool beams, slices;
    char *target; /* of the relationship */
} threemf;

static const char *part_name(const threemf *t, size_t index)
{
    return ((const part *)t->parts.items)[index].name;
}

static _Noreturn void fail_at(const threemf *t, size_t in, uint64_t line, const char *what)
{
    kiln_send_failure(t->reading->sender, KILN_BAKE_INVALID,
                      "%.200s, line %" PRIu64 ": %s; repair the file", part_name(t, in), line,
                      what);
}

/* Because of the element that was opened last. */
static _Noreturn void fail(const threemf *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void fail(const threemf *t, const char *format, ...)
{
    char what[300];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail_at(t, t->part, t->line, what);
}

static char *copy(const threemf *t, const char *text, size_t length)
{
    char *own = strndup(text, length);

    if (own == NULL)
        kiln_read_no_memory(t->reading);
    return own;
}

/* -- values -- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* An attribute without the blanks around it, which XML does not count; NULL: it is not there. */
static const char *value_of(const char **attributes, const char *name, size_t *length)
{
    const char *value = kiln_xml_value(attributes, name);

    if (value == NULL)
        return NULL;
    while (is_blank(*value))
        value++;
    *length = strlen(value);
    while (*length > 0 && is_blank(value[*length - 1]))
        (*length)--;
    return value;
}

/* A whole number; `otherwise` where it is not there, or an error where that is NULL. */
static uint64_t whole_of(const threemf *t, const char **attributes, const char *name,
                         const uint64_t *otherwise)
{
    size_t length;
    const char *value = value_of(attributes, name, &length);
    int64_t number;

    if (value == NULL && otherwise != NULL)
        return *otherwise;
    if (value == NULL || !kiln_token_integer(value, length, &number) || number < 0)
        fail(t, "\"%s\" must be a whole number, not \"%.40s\"", name, value != NULL ? value : "");
    return (uint64_t)number;
}

static double number_of(const threemf *t, const char **attributes, const char *name)
{
    size_t length;
    const char *value = value_of(attributes, name, &length);
    double number;

    if (value == NULL || !kiln_token_number(value, length, &number))
        fail(t, "\"%s\" must be a number, not \"%.40s\"", name, value != NULL ? value : "");
    return number;
}

/* Twelve numbers, or none for the identity. */
static void matrix_of(const threemf *t, const char **attributes, double matrix[16])
{
    const char *value = kiln_xml_value(attributes, "transform"), *at = value;
    unsigned count = 0;

    memset(matrix, 0, 16 * sizeof *matrix);
    for (int i = 0; i < 4; i++)
        matrix[5 * i] = 1;
    if (value == NULL)
        return;
    while (*at != '\0') {
        const size_t length = strcspn(at, " \t\r\n");
        double number = 0;

        if (length == 0) {
            at++;
            continue;
        }
        if (count == 12 || !kiln_token_number(at, length, &number))
            fail(t, "a transform must be twelve numbers, not \"%.100s\"", value);
        matrix[4 * (count % 3) + count / 3] = number;
        count++;
        at += length;
    }
    if (count != 12)
        fail(t, "a transform must be twelve numbers, not \"%.100s\"", value);
}

/* -- namespaces -- */

/* The specification of a prefix of so many letters; NONE: another, or none that is declared. */
static int specification_of(const threemf *t, const char *prefix, size_t length, const char **uri)
{
    const namespace *all = t->namespaces.items;

    /* The innermost declaration holds. */
    for (size_t i = t->namespaces.count; i-- > 0;)
        if (strlen(all[i].prefix) == length && memcmp(all[i].prefix, prefix, length) == 0) {
            *uri = all[i].uri;
            return all[i].of;
        }
    *uri = "";
    /* Without any declaration, what has no prefix counts as of the core. */
    return length == 0 ? CORE : NONE;
}

/* Forgets all declarations but the first `count`. */
static void forget_namespaces(threemf *t, size_t count)
{
    const namespace *all = t->namespaces.items;

    KILN_ASSERT(count <= t->namespaces.count);
    while (t->namespaces.count > count) {
        const namespace *last = &all[--t->namespaces.count];

        free(last->prefix);
        free(last->uri);
    }
}

/* A date follows the start; another word would be that of another specification. */
static bool is_of(const char *uri, const char *start)
{
    const size_t length = strlen(start);

    return strncmp(uri, start, length) == 0 && uri[length] >= '0' && uri[length] <= '9';
}

/* Takes the declarations of an element, which hold up to its end. */
static void declare(threemf *t, const char **attributes)
{
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        const char *name = attributes[i], *uri = attributes[i + 1];
        namespace *new;
        int of = 0;

        if (strncmp(name, "xmlns", 5) != 0 || (name[5] != ':' && name[5] != '\0'))
            continue;
        name += name[5] == ':' ? 6 : 5;
        new = kiln_list_add(t->reading, &t->namespaces, sizeof *new);
        new->prefix = copy(t, name, strlen(name));
        new->uri = copy(t, uri, strlen(uri));
        while (of < SPECIFICATION_COUNT && !is_of(uri, specifications[of].namespace))
            of++;
        new->of = of < SPECIFICATION_COUNT ? of : NONE;
    }
}

/* An attribute of the production extension, whatever its prefix. */
static const char *path_of(const threemf *t, const char **attributes)
{
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        const char *colon = strchr(attributes[i], ':'), *uri;

        if (colon != NULL && strcmp(colon + 1, "path") == 0 &&
            specification_of(t, attributes[i], (size_t)(colon - attributes[i]), &uri) == PRODUCTION)
            return attributes[i + 1];
    }
    return NULL;
}

static void check_required(const threemf *t, const char *prefixes)
{
    for (const char *at = prefixes; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, " \t\r\n");
        const char *uri;
        const int of = specification_of(t, at, length, &uri);

        if (length > 0 && (of == NONE || !specifications[of].shapeless))
            kiln_send_failure(t->reading->sender, KILN_BAKE_UNSUPPORTED,
                              "%.200s requires the extension \"%.*s\" (%.150s), and it is not read "
                              "here; export the model without it",
                              part_name(t, t->part), (int)(length < 40 ? length : 40), at,
                              of != NONE       ? specifications[of].name
                              : uri[0] != '\0' ? uri
                                               : "which it does not declare");
        at += length > 0 ? length : 1;
    }
}

/* -- elements -- */

static place start_model(threemf *t, const char **attributes)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"millimeter", 1e-3}, {"micron", 1e-6}, {"centimeter", 1e-2},
                 {"inch", 0.0254},     {"foot", 0.3048}, {"meter", 1}};
    const size_t count = sizeof units / sizeof units[0];
    const char *unit = kiln_xml_value(attributes, "unit");
    size_t i = 0;

    check_required(t, kiln_xml_value(attributes, "requiredextensions"));
    while (unit != NULL && i < count && strcmp(units[i].name, unit) != 0)
        i++;
    if (i == count)
        fail(t, "the unit \"%.40s\" is none of 3MF", unit);
    if (t->is_root)
        t->unit = t->reading->facts.unit = units[i].metres;
    else if (units[i].metres < t->unit || units[i].metres > t->unit)
        fail(t, "its unit, %s, is not that of the model", units[i].name);
    return IN_MODEL;
}

static place start_object(threemf *t, const char **attributes)
{
    static const char *const types[] = {"model", "solidsupport", "support", "surface", "other"};
    static const uint64_t none = UINT64_MAX, first = 0;
    const char *type = kiln_xml_value(attributes, "type"), *name;
    const uint64_t id = whole_of(t, attributes, "id", NULL);
    const uint64_t pid = whole_of(t, attributes, "pid", &none);
    const uint64_t index = whole_of(t, attributes, "pindex", &first);
    const group *groups = t->groups.items;
    size_t i = 0;
    thing *to;

    while (type != NULL && i < sizeof types / sizeof types[0] && strcmp(types[i], type) != 0)
        i++;
    if (i == sizeof types / sizeof types[0])
        fail(t, "the type \"%.40s\" is none of 3MF", type);
    /* Materials of other specifications have no names. */
    t->user = 0;
    for (size_t j = 0; j < t->groups.count; j++)
        if (groups[j].part == t->part && groups[j].id == pid && index < groups[j].count)
            t->user = groups[j].first + (uint32_t)index;
    name = kiln_xml_value(attributes, "name");
    to = kiln_list_add(t->reading, &t->things, sizeof *to);
    *to = (thing){.part = t->part, .id = id, .line = t->line, .first = t->components.count};
    strcpy(to->type, types[i]);
    if (name != NULL && name[0] != '\0')
        to->name = copy(t, name, strlen(name));
    return IN_OBJECT;
}

static thing *last_thing(const threemf *t)
{
    KILN_ASSERT(t->things.count > 0);
    return (thing *)t->things.items + t->things.count - 1;
}

/* Sends the name of an object, or its id where it has none; returns its offset. */
static uint32_t send_name(const threemf *t, const thing *of)
{
    char numbered[40];
    const char *name = of->name != NULL ? of->name : numbered;

    (void)snprintf(numbered, sizeof numbered, "object %" PRIu64, of->id);
    return kiln_send_string(t->reading->sender, name, strlen(name));
}

static place start_mesh(threemf *t)
{
    thing *of = last_thing(t);

    if (of->is_mesh || t->components.count > of->first)
        fail(t, "an object is one mesh, or components");
    of->is_mesh = true;
    of->mesh = t->meshes;
    t->vertices = 0;
    return IN_MESH;
}

static place start_vertex(threemf *t, const char **attributes)
{
    const double position[3] = {number_of(t, attributes, "x"), number_of(t, attributes, "y"),
                                number_of(t, attributes, "z")};

    kiln_read_vertex(t->reading, position);
    t->vertices++;
    return IN_LEAF;
}

/* A corner beyond the vertices is sent all the same: its face is refused or dropped by number. */
static place start_triangle(threemf *t, const char **attributes)
{
    static const char *const names[] = {"v1", "v2", "v3"};
    static const uint64_t none = UINT64_MAX;
    const uint64_t pid = whole_of(t, attributes, "pid", &none);
    const uint64_t index = whole_of(t, attributes, "p1", &none);
    const group *groups = t->groups.items;
    uint32_t corners[3], user = t->user;
    thing *of = last_thing(t);

    for (int i = 0; i < 3; i++) {
        const uint64_t vertex = whole_of(t, attributes, names[i], NULL);

        corners[i] = vertex < KILN_SCENE_NONE ? (uint32_t)vertex : KILN_SCENE_NONE;
    }
    for (size_t i = 0; pid != none && i < t->groups.count; i++)
        if (groups[i].part == t->part && groups[i].id == pid && index < groups[i].count)
            user = groups[i].first + (uint32_t)index;
    kiln_read_face(t->reading, corners, 3, of->faces++, user);
    return IN_LEAF;
}

/* The number of a part, which is read later where that is new. */
static size_t part_of(threemf *t, const char *path)
{
    const kiln_zip_entry *entry = kiln_zip_find(&t->zip, path[0] == '/' ? path + 1 : path);
    part *to;

    if (entry == NULL)
        fail(t, "the part \"%.200s\" is not in the archive", path);
    for (size_t i = 0; i < t->parts.count; i++)
        if (strcmp(part_name(t, i), entry->name) == 0)
            return i;
    to = kiln_list_add(t->reading, &t->parts, sizeof *to);
    to->name = copy(t, entry->name, strlen(entry->name));
    return t->parts.count - 1;
}

static place start_instance(threemf *t, const char **attributes, kiln_list *list)
{
    const char *path = path_of(t, attributes);
    instance i = {.part = path != NULL ? part_of(t, path) : t->part,
                  .id = whole_of(t, attributes, "objectid", NULL),
                  .line = t->line,
                  .in = t->part};

    matrix_of(t, attributes, i.matrix);
    *(instance *)kiln_list_add(t->reading, list, sizeof i) = i;
    return IN_LEAF;
}

static place start_bases(threemf *t, const char **attributes)
{
    const uint64_t id = whole_of(t, attributes, "id", NULL);
    group *to = kiln_list_add(t->reading, &t->groups, sizeof *to);

    *to = (group){.part = t->part, .id = id, .first = t->materials + 1};
    return IN_BASES;
}

static place start_base(threemf *t, const char **attributes)
{
    const char *name = kiln_xml_value(attributes, "name");
    group *to = (group *)t->groups.items + t->groups.count - 1;

    KILN_ASSERT(t->groups.count > 0);
    name = name != NULL ? name : "";
    kiln_send_u32(t->reading->sender, KILN_ARRAY_MATERIALS,
                  kiln_send_string(t->reading->sender, name, strlen(name)));
    to->count++;
    t->materials++;
    return IN_LEAF;
}

/* What an element of the core specification begins, by what it is in. */
static place start_of(threemf *t, const char *name, const char **attributes)
{
    static const struct {
        place in;
        const char *name;
        place is; /* where nothing more is to be done */
    } plain[] = {
        {IN_MODEL, "metadata", IN_NOTHING},       {IN_MODEL, "resources", IN_RESOURCES},
        {IN_OBJECT, "metadatagroup", IN_NOTHING}, {IN_MESH, "vertices", IN_VERTICES},
        {IN_MESH, "triangles", IN_TRIANGLES},     {IN_OBJECT, "components", IN_COMPONENTS}};
    const place in = t->now;

    if (in == IN_MESH && ((strcmp(name, "vertices") == 0 && t->vertices > 0) ||
                          (strcmp(name, "triangles") == 0 && last_thing(t)->faces > 0)))
        fail(t, "a second list of %s in one mesh", name);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (plain[i].in == in && strcmp(plain[i].name, name) == 0 &&
            !(plain[i].is == IN_COMPONENTS && last_thing(t)->is_mesh))
            return plain[i].is;
    if (in == AT_START && strcmp(name, "model") == 0)
        return start_model(t, attributes);
    if (in == IN_MODEL && strcmp(name, "build") == 0)
        return t->is_root ? IN_BUILD : IN_NOTHING;
    if (in == IN_RESOURCES && strcmp(name, "object") == 0)
        return start_object(t, attributes);
    if (in == IN_RESOURCES && strcmp(name, "basematerials") == 0)
        return start_bases(t, attributes);
    if (in == IN_BASES && strcmp(name, "base") == 0)
        return start_base(t, attributes);
    if (in == IN_OBJECT && strcmp(name, "mesh") == 0)
        return start_mesh(t);
    if (in == IN_VERTICES && strcmp(name, "vertex") == 0)
        return start_vertex(t, attributes);
    if (in == IN_TRIANGLES && strcmp(name, "triangle") == 0)
        return start_triangle(t, attributes);
    if (in == IN_COMPONENTS && strcmp(name, "component") == 0)
        return start_instance(t, attributes, &t->components);
    if (in == IN_BUILD && strcmp(name, "item") == 0)
        return start_instance(t, attributes, &t->items);
    /* An item may have notes of its own. */
    if (in == IN_LEAF && strcmp(name, "metadatagroup") == 0)
        return IN_NOTHING;
    fail(t, "the element <%.40s> is none of 3MF in this place", name);
}

static void on_start(void *user, const char *name, const char **attributes, uint64_t line)
{
    threemf *t = user;
    const char *colon = strchr(name, ':'), *uri;
    place next = IN_NOTHING;
    int of;

    t->line = line;
    *(around *)kiln_list_add(t->reading, &t->open, sizeof(around)) =
        (around){t->now, t->namespaces.count};
    if (t->now != IN_NOTHING) {
        declare(t, attributes);
        of = specification_of(t, name, colon != NULL ? (size_t)(colon - name) : 0, &uri);
        if (of == CORE)
            next = start_of(t, colon != NULL ? colon + 1 : name, attributes);
        else if (t->now == AT_START)
            fail(t, "the element <%.40s> is no model of 3MF", name);
        t->beams |= of == BEAMS;
        t->slices |= of == SLICES;
    }
    t->now = next;
}

static void on_end(void *user, const char *name)
{
    threemf *t = user;
    const around *of;

    (void)name;
    if (t->now == IN_MESH) {
        const thing *object = last_thing(t);
        const kiln_scene_mesh mesh = {
            .face_count = object->faces, .vertex_count = t->vertices, .name = send_name(t, object)};

        kiln_send(t->reading->sender, KILN_ARRAY_MESHES, &mesh, 1);
        t->meshes++;
    }
    if (t->now == IN_OBJECT)
        last_thing(t)->count = t->components.count - last_thing(t)->first;
    KILN_ASSERT(t->open.count > 0);
    of = &((const around *)t->open.items)[--t->open.count];
    t->now = of->at;
    forget_namespaces(t, of->namespaces);
}

/* -- parts -- */

static void on_relationship(void *user, const char *name, const char **attributes, uint64_t line)
{
    threemf *t = user;
    const char *type = kiln_xml_value(attributes, "Type"),
               *target = kiln_xml_value(attributes, "Target");

    (void)name;
    t->line = line;
    if (type == NULL || strcmp(type, MODEL_RELATIONSHIP) != 0)
        return;
    if (target == NULL || t->target != NULL)
        fail(t, "the archive must have one model");
    t->target = copy(t, target, strlen(target));
}

static void on_nothing(void *user, const char *name)
{
    (void)user, (void)name;
}

/* Reads a part of the archive as XML. */
static void read_part(threemf *t, const kiln_zip_entry *entry, kiln_xml_handlers *handlers)
{
    uint8_t *bytes = kiln_zip_load(&t->zip, entry);

    t->reading->model = (kiln_model){.file = -1, .data = bytes, .size = entry->size};
    handlers->file = entry->name;
    kiln_xml_read(t->reading, handlers);
    free(bytes);
}

/* Reads the root and all parts that are referred to. */
static void read_parts(threemf *t)
{
    const kiln_zip_entry *list = kiln_zip_find(&t->zip, "_rels/.rels");
    kiln_xml_handlers relations = {.start = on_relationship, .end = on_nothing, .user = t};
    kiln_xml_handlers model = {.start = on_start, .end = on_end, .user = t};

    if (list == NULL)
        kiln_send_failure(t->reading->sender, KILN_BAKE_INVALID,
                          "the archive has no _rels/.rels, which names the model of 3MF; repair "
                          "the file, or give its format, if it is another");
    /* Part 0, for messages; its own is read already. */
    *(part *)kiln_list_add(t->reading, &t->parts, sizeof(part)) =
        (part){.name = copy(t, list->name, strlen(list->name))};
    read_part(t, list, &relations);
    if (t->target == NULL)
        fail_at(t, 0, t->line, "no relationship names the model");
    (void)part_of(t, t->target);
    for (size_t i = 1; i < t->parts.count; i++) {
        t->part = i;
        t->is_root = i == 1;
        read_part(t, kiln_zip_find(&t->zip, part_name(t, i)), &model);
        KILN_ASSERT(t->now == AT_START);
    }
}

/* -- the scene -- */

/* Where an object of that id is in the list. */
typedef struct {
    size_t part;
    uint64_t id;
    size_t at;
} key;

static int compare_keys(const void *a, const void *b)
{
    const key *p = a, *q = b;

    if (p->part != q->part)
        return p->part < q->part ? -1 : 1;
    return p->id < q->id ? -1 : p->id > q->id;
}

/* For free(). */
static key *sort_things(const threemf *t)
{
    const thing *things = t->things.items;
    key *keys = calloc(t->things.count + 1, sizeof *keys);

    if (keys == NULL)
        kiln_read_no_memory(t->reading);
    for (size_t i = 0; i < t->things.count; i++)
        keys[i] = (key){things[i].part, things[i].id, i};
    qsort(keys, t->things.count, sizeof *keys, compare_keys);
    for (size_t i = 1; i < t->things.count; i++)
        if (compare_keys(&keys[i - 1], &keys[i]) == 0)
            fail_at(t, keys[i].part, things[keys[i].at].line,
                    "an object of an id that another has");
    return keys;
}

static size_t find_thing(const threemf *t, const key *keys, const instance *by)
{
    const key wanted = {by->part, by->id, 0};
    const key *found = bsearch(&wanted, keys, t->things.count, sizeof *keys, compare_keys);
    char what[100];

    (void)snprintf(what, sizeof what, "there is no object %" PRIu64 "%s", by->id,
                   by->part != by->in ? " in that part" : "");
    if (found == NULL)
        fail_at(t, by->in, by->line, what);
    return found->at;
}

typedef struct {
    size_t thing, next; /* the component that comes next */
    uint32_t node;
} step;

/* Finds what components and items refer to; an object that has itself as a component ends the
 * work. */
static void resolve(threemf *t)
{
    thing *things = t->things.items;
    instance *components = t->components.items, *items = t->items.items;
    kiln_list stack = {0};
    key *keys = sort_things(t);

    for (size_t i = 0; i < t->components.count; i++)
        things[components[i].thing = find_thing(t, keys, &components[i])].used = true;
    for (size_t i = 0; i < t->items.count; i++)
        things[items[i].thing = find_thing(t, keys, &items[i])].used = true;
    free(keys);
    for (size_t i = 0; i < t->things.count; i++) {
        if (things[i].done)
            continue;
        *(step *)kiln_list_add(t->reading, &stack, sizeof(step)) = (step){.thing = i};
        while (stack.count > 0) {
            step *at = (step *)stack.items + stack.count - 1;
            thing *of = &things[at->thing];

            if (of->done || at->next == of->count) {
                of->done = true;
                of->open = false;
                stack.count--;
                continue;
            }
            of->open = true;
            const instance *to = &components[of->first + at->next++];

            if (things[to->thing].open)
                fail_at(t, to->in, to->line, "an object has itself as a component");
            *(step *)kiln_list_add(t->reading, &stack, sizeof(step)) = (step){.thing = to->thing};
        }
    }
    free(stack.items);
}

static bool is_other(const thing *of)
{
    return strcmp(of->type, "other") == 0;
}

static uint32_t send_node(threemf *t, const thing *of, uint32_t parent, const instance *by,
                          uint32_t *sent)
{
    kiln_scene_node node = {.parent = parent, .name = send_name(t, of), .place_count = of->is_mesh};

    if (*sent >= MOST_NODES)
        kiln_send_failure(t->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "objects have more than %d components in all; split the model",
                          MOST_NODES);
    memcpy(node.matrix, by->matrix, sizeof node.matrix);
    kiln_send(t->reading->sender, KILN_ARRAY_NODES, &node, 1);
    if (of->is_mesh)
        kiln_send_u32(t->reading->sender, KILN_ARRAY_PLACES, of->mesh);
    return (*sent)++;
}

/* Sends the items, and below each its components, depth-first. Objects that are not to be made are
 * left out; *others counts them. */
static void send_nodes(threemf *t, uint64_t *others)
{
    const thing *things = t->things.items;
    const instance *components = t->components.items, *items = t->items.items;
    kiln_list stack = {0};
    uint32_t sent = 0;

    for (size_t i = 0; i < t->items.count; i++) {
        if (is_other(&things[items[i].thing])) {
            ++*others;
            continue;
        }
        *(step *)kiln_list_add(t->reading, &stack, sizeof(step)) = (step){
            .thing = items[i].thing,
            .node = send_node(t, &things[items[i].thing], KILN_SCENE_NONE, &items[i], &sent)};
        while (stack.count > 0) {
            step *at = (step *)stack.items + stack.count - 1;
            const thing *of = &things[at->thing];

            if (at->next == of->count) {
                stack.count--;
                continue;
            }
            const instance *to = &components[of->first + at->next++];

            if (is_other(&things[to->thing])) {
                ++*others;
                continue;
            }
            *(step *)kiln_list_add(t->reading, &stack, sizeof(step)) = (step){
                .thing = to->thing, .node = send_node(t, &things[to->thing], at->node, to, &sent)};
        }
    }
    free(stack.items);
}

/* Warns of what is not what a reader of the file may take it for. */
static void warn(const threemf *t, uint64_t others)
{
    const thing *things = t->things.items;
    kiln_sender *sender = t->reading->sender;
    uint64_t supports = 0, unused = 0;

    for (size_t i = 0; i < t->things.count; i++) {
        supports += things[i].used && strstr(things[i].type, "support") != NULL;
        unused += !things[i].used && things[i].is_mesh && !is_other(&things[i]);
    }
    if (t->items.count == 0)
        kiln_send_warning(sender, "the build has no item: nothing is shown");
    if (others > 0)
        kiln_send_warning(sender,
                          "%" PRIu64 " place%s of objects of type \"other\", which are not to be "
                          "made: left out",
                          others, others == 1 ? "" : "s");
    if (supports > 0)
        kiln_send_warning(sender,
                          "%" PRIu64 " object%s a support, which is there while the model is made "
                          "only; it is read as all others",
                          supports, supports == 1 ? " is" : "s are each");
    if (unused > 0)
        kiln_send_warning(sender, "%" PRIu64 " object%s in no item of the build: left out", unused,
                          unused == 1 ? " is" : "s are");
    if (t->beams)
        kiln_send_warning(sender, "beam lattices are left out; export the model as a mesh");
    if (t->slices)
        kiln_send_warning(sender, "slices are left out, and only meshes are read");
}

void kiln_read_3mf(kiln_reading *reading)
{
    kiln_reading archive = *reading; /* whose model stays the archive */
    threemf t = {.reading = reading};
    uint64_t others = 0;
    thing *things;
    part *parts;

    if (!kiln_zip_is(&reading->model))
        kiln_send_failure(reading->sender, KILN_BAKE_INVALID,
                          "it is no archive (ZIP), as 3MF is; repair the file");
    kiln_zip_open(&t.zip, &archive);
    kiln_read_default_material(reading);
    read_parts(&t);
    reading->model = archive.model;
    resolve(&t);
    send_nodes(&t, &others);
    warn(&t, others);
    reading->facts.exact = 1;

    things = t.things.items;
    for (size_t i = 0; i < t.things.count; i++)
        free(things[i].name);
    parts = t.parts.items;
    for (size_t i = 0; i < t.parts.count; i++)
        free(parts[i].name);
    forget_namespaces(&t, 0);
    free(t.namespaces.items);
    free(t.open.items);
    free(t.things.items);
    free(t.parts.items);
    free(t.components.items);
    free(t.items.items);
    free(t.groups.items);
    free(t.target);
    kiln_zip_close(&t.zip);
}
