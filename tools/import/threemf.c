/* Reader of 3MF, the 3D Manufacturing Format (3MF Consortium, "3D Manufacturing Format, Core
 * Specification & Reference Guide", 1.3, 2021; "Production Extension", 1.1.2, 2021).
 *
 * A model is an archive (zip.c) of parts: files of XML. `_rels/.rels` names the one that has the
 * build, a list of what is to be made: items, each an object in a place. An object is a mesh, or
 * components: other objects, each in a place. By the production extension either may be in another
 * part, which is read when something refers to it; ids count within their part. Each mesh is sent
 * while it is read, and the nodes when all parts are: a node for each item, and below it one for
 * each component. What no item leads to is looked at only for being well made.
 *
 * Elements of the core specification are known here or refused; attributes that it does not have
 * are warned of, since programs add some without a prefix. Elements of other specifications are
 * skipped, as the format wants, unless the model requires theirs: then only what changes no shape
 * passes. What is skipped is warned of, one warning for each specification, but for those that are
 * known to change no shape. An object of an item that has nothing but what is skipped is refused.
 *
 * Vectors are rows, so that the twelve numbers of a transform are a matrix by columns. A transform
 * that mirrors keeps the sign of a volume (3.3), which is what every mirror does here. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../formats/assert.h"
#include "points.h"
#include "xml.h"
#include "zip.h"

enum { MOST_NODES = 1 << 24, NONE = -1, MOST_SKIPPED = 32, SKIPPED_NAME = 200 };

#define MODEL_RELATIONSHIP "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"

/* Specifications, by the start of the names of their namespaces, which end in a date. */
static const struct {
    const char *namespace, *name;
    bool shapeless;     /* what requires it may be read, and what is skipped is not missed */
    const char *advice; /* where it is skipped; NULL: the same as for any other */
} specifications[] = {
    {"http://schemas.microsoft.com/3dmanufacturing/core/", "core", true, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/production/", "production", true, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/material/", "materials", true, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/trianglesets/", "triangle sets", true, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/beamlattice/", "beam lattices", false, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/", "balls of beam lattices",
     false, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/slice/", "slices", false,
     "and only meshes are read"},
    {"http://schemas.microsoft.com/3dmanufacturing/production/alternatives/",
     "alternatives of objects", false, "and the objects themselves are read"},
    {"http://schemas.microsoft.com/3dmanufacturing/displacement/", "displacements of surfaces",
     false, NULL},
    {"http://schemas.3mf.io/3dmanufacturing/displacement/", "displacements of surfaces", false,
     NULL},
    {"http://schemas.3mf.io/3dmanufacturing/booleanoperations/", "Boolean operations", false, NULL},
    {"http://schemas.3mf.io/3dmanufacturing/volumetric/", "volumetric data", false, NULL},
    {"http://schemas.3mf.io/3dmanufacturing/implicit/", "implicit shapes", false, NULL},
};

enum { CORE, PRODUCTION, SPECIFICATION_COUNT = sizeof specifications / sizeof specifications[0] };

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
    IN_ITEM,
    IN_LEAF,   /* of which nothing may be in */
    IN_NOTHING /* of any depth, without geometry */
} place;

typedef struct {
    char *prefix; /* "": of names without one */
    size_t prefix_length;
    int of; /* a specification, or NONE */
    char *uri;
} namespace;

/* What is around an element, and how many declarations of namespaces hold there. */
typedef struct {
    place at;
    size_t namespaces;
} around;

/* An object. */
typedef struct {
    size_t part;
    uint64_t id, line, faces;
    char *name;
    const char *type;
    char *skipped; /* the first element of another specification in it; NULL: none */
    bool is_mesh, shown, open, done;
    bool is_named;
    uint32_t sent_name;  /* its offset */
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

/* Base materials of the part that is being read. */
typedef struct {
    uint64_t id;
    uint32_t first, count; /* numbered in the scene */
} group;

/* What is left out, to be warned of: elements of a namespace, or attributes of one name. */
typedef struct {
    char *of, *first; /* the namespace or the name, and the first element with its place */
    int specification;
    uint64_t count;
} skipped;

typedef struct {
    kiln_reading *reading;
    kiln_zip zip;
    kiln_list open; /* of place */
    place now;
    kiln_list namespaces, things, components, items;
    kiln_list parts;    /* const kiln_zip_entry *; the first has the relationships */
    size_t *part_at;    /* of each file of the archive, its part; 0: none yet */
    size_t part;        /* that is being read */
    uint64_t line;      /* of the element that was opened last */
    uint64_t vertices;  /* of the mesh that is open */
    void *groups;       /* a tree of tsearch, of group */
    const group *found; /* the last, since neighbours mostly have the same */
    group *bases;       /* that are open */
    uint32_t meshes, materials, user;
    double unit; /* of the root */
    bool has_build;
    kiln_list skipped_elements, skipped_attributes;
    uint64_t skipped_more, unprintable, texts;
    const kiln_xml *xml; /* while a part is read */
    uint64_t text_line;  /* of the first text, and its part */
    size_t text_part;
} threemf;

enum { RELATIONS, ROOT }; /* parts */

static const char *part_name(const threemf *t, size_t index)
{
    return ((const kiln_zip_entry **)t->parts.items)[index]->name;
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

/* An attribute without the blanks around it, which XML does not count; NULL: it is not there. */
static const char *value_of(const char **attributes, const char *name, size_t *length)
{
    const char *value = kiln_xml_value(attributes, name);

    *length = value != NULL ? strlen(value) : 0;
    return value != NULL ? kiln_xml_trimmed(value, length) : NULL;
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

/* The number of a resource or of one of its members, of which the format has 31 bits: a longer one
 * would not be told from others. */
static uint64_t id_of(const threemf *t, const char **attributes, const char *name,
                      const uint64_t *otherwise)
{
    const uint64_t number = whole_of(t, attributes, name, otherwise);

    if (number > INT32_MAX && (otherwise == NULL || number != *otherwise))
        fail(t, "\"%s\" must be below 2147483648, not \"%.40s\"", name,
             kiln_xml_value(attributes, name));
    return number;
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
        if (all[i].prefix_length == length && memcmp(all[i].prefix, prefix, length) == 0) {
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
        new->prefix_length = strlen(name);
        new->prefix = copy(t, name, new->prefix_length);
        new->uri = copy(t, uri, strlen(uri));
        while (of < SPECIFICATION_COUNT && !is_of(uri, specifications[of].namespace))
            of++;
        new->of = of < SPECIFICATION_COUNT ? of : NONE;
    }
}

/* An attribute of the production extension, whatever its prefix; NULL: there is none. */
static const char *path_of(const threemf *t, const char **attributes)
{
    const char *path = NULL;

    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        const char *colon = strchr(attributes[i], ':'), *uri;

        if (colon != NULL && strcmp(colon + 1, "path") == 0 &&
            specification_of(t, attributes[i], (size_t)(colon - attributes[i]), &uri) ==
                PRODUCTION) {
            if (path != NULL)
                fail(t, "a second path of one object");
            path = attributes[i + 1];
        }
    }
    return path;
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

/* -- what is left out -- */

/* Counts an element or an attribute that is left out, by what it is of; `name` is the element. */
static void skip(threemf *t, kiln_list *list, const char *of, int specification, const char *name)
{
    skipped *all = list->items;
    char first[400];
    size_t i = 0;

    /* The start of a name is enough: it may be long, and come with each element. */
    while (i < list->count && strncmp(all[i].of, of, SKIPPED_NAME) != 0)
        i++;
    if (i == MOST_SKIPPED) {
        t->skipped_more++;
        return;
    }
    if (i == list->count) {
        (void)snprintf(first, sizeof first, "<%.60s> in line %" PRIu64 " of %.200s", name, t->line,
                       part_name(t, t->part));
        all = kiln_list_add(t->reading, list, sizeof *all);
        *all = (skipped){.of = copy(t, of, SKIPPED_NAME),
                         .first = copy(t, first, strlen(first)),
                         .specification = specification};
        all = list->items;
    }
    all[i].count++;
}

static void skip_element(threemf *t, int of, const char *uri, const char *name)
{
    thing *object = t->things.count > 0 ? (thing *)t->things.items + t->things.count - 1 : NULL;
    char what[400];

    /* It may be one of the core whose prefix is misspelt. */
    if (uri[0] == '\0')
        fail(t, "the element <%.40s> is of no namespace", name);
    if (of != NONE && specifications[of].shapeless)
        return;
    skip(t, &t->skipped_elements, uri, of, name);
    if (t->now != IN_OBJECT || object->skipped != NULL)
        return;
    (void)snprintf(what, sizeof what, "<%.60s> (%.200s)", name,
                   of != NONE ? specifications[of].name : uri);
    object->skipped = copy(t, what, strlen(what));
}

/* -- elements -- */

static thing *last_thing(const threemf *t)
{
    KILN_ASSERT(t->things.count > 0);
    return (thing *)t->things.items + t->things.count - 1;
}

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
    if (t->part == ROOT)
        t->unit = t->reading->facts.unit = units[i].metres;
    else if (units[i].metres < t->unit || units[i].metres > t->unit)
        fail(t, "its unit, %s, is not that of the model", units[i].name);
    return IN_MODEL;
}

/* Only the root says what is to be made (production extension, chapter 2). */
static place start_build(threemf *t, const char **attributes)
{
    (void)attributes;
    if (t->part != ROOT)
        return IN_NOTHING;
    if (t->has_build)
        fail(t, "a second <build>");
    t->has_build = true;
    return IN_BUILD;
}

static int compare_groups(const void *a, const void *b)
{
    const group *p = a, *q = b;

    return p->id < q->id ? -1 : p->id > q->id;
}

/* The material of that number in the scene; `otherwise` where there is none: those of other
 * specifications have no names. */
static uint32_t material_of(threemf *t, uint64_t id, uint64_t index, uint32_t otherwise)
{
    const group key = {.id = id};

    if (t->found == NULL || t->found->id != id) {
        const group *const *found = tfind(&key, &t->groups, compare_groups);

        if (found == NULL)
            return otherwise;
        t->found = *found;
    }
    return index < t->found->count ? t->found->first + (uint32_t)index : otherwise;
}

static place start_bases(threemf *t, const char **attributes)
{
    group *new = calloc(1, sizeof *new);
    group **in;

    if (new == NULL)
        kiln_read_no_memory(t->reading);
    *new = (group){.id = id_of(t, attributes, "id", NULL), .first = t->materials + 1};
    in = tsearch(new, &t->groups, compare_groups);
    if (in == NULL)
        kiln_read_no_memory(t->reading);
    if (*in != new)
        fail(t, "materials of an id that others have");
    t->bases = new;
    return IN_BASES;
}

static place start_base(threemf *t, const char **attributes)
{
    const char *name = kiln_xml_value(attributes, "name");

    KILN_ASSERT(t->bases != NULL);
    name = name != NULL ? name : "";
    kiln_send_u32(t->reading->sender, KILN_ARRAY_MATERIALS,
                  kiln_send_string(t->reading->sender, name, strlen(name)));
    t->bases->count++;
    t->materials++;
    return IN_LEAF;
}

static place start_object(threemf *t, const char **attributes)
{
    static const char *const types[] = {"model", "solidsupport", "support", "surface", "other"};
    static const uint64_t none = UINT64_MAX, first = 0;
    const char *type = kiln_xml_value(attributes, "type"), *name;
    const uint64_t id = id_of(t, attributes, "id", NULL);
    const uint64_t pid = id_of(t, attributes, "pid", &none);
    const uint64_t index = id_of(t, attributes, "pindex", &first);
    size_t i = 0;
    thing *to;

    while (type != NULL && i < sizeof types / sizeof types[0] && strcmp(types[i], type) != 0)
        i++;
    if (i == sizeof types / sizeof types[0])
        fail(t, "the type \"%.40s\" is none of 3MF", type);
    t->user = material_of(t, pid, index, 0);
    name = kiln_xml_value(attributes, "name");
    to = kiln_list_add(t->reading, &t->things, sizeof *to);
    *to = (thing){
        .part = t->part, .id = id, .line = t->line, .type = types[i], .first = t->components.count};
    if (name != NULL && name[0] != '\0')
        to->name = copy(t, name, strlen(name));
    return IN_OBJECT;
}

/* Sends the name of an object, or its id where it has none, once; returns its offset. */
static uint32_t send_name(const threemf *t, thing *of)
{
    char numbered[40];
    const char *name = of->name != NULL ? of->name : numbered;

    (void)snprintf(numbered, sizeof numbered, "object %" PRIu64, of->id);
    if (!of->is_named)
        of->sent_name = kiln_send_string(t->reading->sender, name, strlen(name));
    of->is_named = true;
    return of->sent_name;
}

static place start_mesh(threemf *t, const char **attributes)
{
    thing *of = last_thing(t);

    (void)attributes;
    if (of->is_mesh || t->components.count > of->first)
        fail(t, "an object is one mesh, or components");
    of->is_mesh = true;
    of->mesh = t->meshes;
    t->vertices = 0;
    return IN_MESH;
}

static place start_components(threemf *t, const char **attributes)
{
    (void)attributes;
    if (last_thing(t)->is_mesh)
        fail(t, "an object is one mesh, or components");
    return IN_COMPONENTS;
}

static place start_vertices(threemf *t, const char **attributes)
{
    (void)attributes;
    if (t->vertices > 0)
        fail(t, "a second list of vertices in one mesh");
    return IN_VERTICES;
}

static place start_triangles(threemf *t, const char **attributes)
{
    (void)attributes;
    if (last_thing(t)->faces > 0)
        fail(t, "a second list of triangles in one mesh");
    return IN_TRIANGLES;
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
    const uint64_t pid = id_of(t, attributes, "pid", &none);
    uint32_t corners[3], user = t->user;

    for (int i = 0; i < 3; i++) {
        const uint64_t vertex = whole_of(t, attributes, names[i], NULL);

        corners[i] = vertex < KILN_SCENE_NONE ? (uint32_t)vertex : KILN_SCENE_NONE;
    }
    if (pid != none)
        user = material_of(t, pid, id_of(t, attributes, "p1", &none), user);
    kiln_read_face(t->reading, corners, 3, last_thing(t)->faces++, user);
    return IN_LEAF;
}

/* The number of the part of a path from the root of the archive, with "." and ".." in it; the part
 * is read later where that is new. */
static size_t part_of(threemf *t, const char *path)
{
    const kiln_zip_entry *entry;
    char *name = malloc(strlen(path) + sizeof "/[0].last.piece");
    size_t made = 0;

    if (name == NULL)
        kiln_read_no_memory(t->reading);
    for (const char *at = path + strspn(path, "/"); *at != '\0';) {
        const size_t length = strcspn(at, "/");
        const bool is_up = length == 2 && strncmp(at, "..", 2) == 0;

        while (is_up && made > 0 && name[--made] != '/')
            ;
        if (!is_up && !(length == 1 && at[0] == '.')) {
            if (made > 0)
                name[made++] = '/';
            memcpy(name + made, at, length);
            made += length;
        }
        at += length;
        at += strspn(at, "/");
    }
    name[made] = '\0';
    entry = kiln_zip_find(&t->zip, name);
    if (entry == NULL) {
        strcpy(name + made, "/[0].piece");
        entry = kiln_zip_find(&t->zip, name);
        strcpy(name + made, "/[0].last.piece");
        if (entry != NULL || kiln_zip_find(&t->zip, name) != NULL)
            kiln_send_failure(
                t->reading->sender, KILN_BAKE_UNSUPPORTED,
                "the part \"%.200s\" is in the archive in pieces, which are not read; "
                "pack it whole",
                path);
        fail(t, "the part \"%.200s\" is not in the archive", path);
    }
    free(name);
    if (t->part_at[entry - t->zip.entries] == 0) {
        t->part_at[entry - t->zip.entries] = t->parts.count;
        *(const kiln_zip_entry **)kiln_list_add(t->reading, &t->parts, sizeof entry) = entry;
    }
    return t->part_at[entry - t->zip.entries];
}

static void start_instance(threemf *t, const char **attributes, kiln_list *list, const char *path)
{
    instance i = {.part = path != NULL ? part_of(t, path) : t->part,
                  .id = id_of(t, attributes, "objectid", NULL),
                  .line = t->line,
                  .in = t->part};

    matrix_of(t, attributes, i.matrix);
    *(instance *)kiln_list_add(t->reading, list, sizeof i) = i;
}

/* Paths lead from the root only (production extension, 3.1.2). */
static place start_component(threemf *t, const char **attributes)
{
    const char *path = path_of(t, attributes);

    if (path != NULL && t->part != ROOT)
        fail(t, "a path to another part in a part that is not the root");
    start_instance(t, attributes, &t->components, path);
    return IN_LEAF;
}

static place start_item(threemf *t, const char **attributes)
{
    start_instance(t, attributes, &t->items, path_of(t, attributes));
    return IN_ITEM;
}

/* Elements of the core specification, where they may be, and their attributes. */
typedef struct {
    place in;
    const char *name;
    place (*start)(threemf *t, const char **attributes); /* NULL: nothing is to be done */
    place is;                                            /* then */
    const char *attributes[8];
} element;

static const element elements[] = {
    {AT_START, "model", start_model, IN_MODEL, {"unit", "requiredextensions"}},
    {IN_MODEL, "metadata", NULL, IN_NOTHING, {"name", "preserve", "type"}},
    {IN_MODEL, "resources", NULL, IN_RESOURCES, {NULL}},
    {IN_MODEL, "build", start_build, IN_BUILD, {NULL}},
    {IN_RESOURCES,
     "object",
     start_object,
     IN_OBJECT,
     {"id", "type", "thumbnail", "partnumber", "name", "pid", "pindex"}},
    {IN_RESOURCES, "basematerials", start_bases, IN_BASES, {"id"}},
    {IN_BASES, "base", start_base, IN_LEAF, {"name", "displaycolor"}},
    {IN_OBJECT, "metadatagroup", NULL, IN_NOTHING, {NULL}},
    {IN_OBJECT, "mesh", start_mesh, IN_MESH, {NULL}},
    {IN_OBJECT, "components", start_components, IN_COMPONENTS, {NULL}},
    {IN_MESH, "vertices", start_vertices, IN_VERTICES, {NULL}},
    {IN_MESH, "triangles", start_triangles, IN_TRIANGLES, {NULL}},
    {IN_VERTICES, "vertex", start_vertex, IN_LEAF, {"x", "y", "z"}},
    {IN_TRIANGLES,
     "triangle",
     start_triangle,
     IN_LEAF,
     {"v1", "v2", "v3", "p1", "p2", "p3", "pid"}},
    {IN_COMPONENTS, "component", start_component, IN_LEAF, {"objectid", "transform"}},
    {IN_BUILD, "item", start_item, IN_ITEM, {"objectid", "transform", "partnumber"}},
    {IN_ITEM, "metadatagroup", NULL, IN_NOTHING, {NULL}},
};

/* Attributes that slicers add without a prefix, and that change no shape. */
static bool is_of_slicers(threemf *t, place of, const char *name, const char *value)
{
    if (of == IN_ITEM && strcmp(name, "printable") == 0) {
        t->unprintable += strcmp(value, "0") == 0 || strcmp(value, "false") == 0;
        return true;
    }
    return of == IN_LEAF && (strncmp(name, "paint_", 6) == 0 || strcmp(name, "face_property") == 0);
}

/* Of these a shape depends, so that a misspelt one must not be left out. */
static bool is_of_shape(const char *name)
{
    static const char *const names[] = {"unit",      "requiredextensions",
                                        "id",        "objectid",
                                        "transform", "type",
                                        "x",         "y",
                                        "z",         "v1",
                                        "v2",        "v3"};
    size_t i = 0;

    while (i < sizeof names / sizeof names[0] && strcmp(names[i], name) != 0)
        i++;
    return i < sizeof names / sizeof names[0];
}

/* Warns of the attributes that an element does not have, and refuses those that were certainly
 * meant to be one of its own on which its shape depends. */
static void check_attributes(threemf *t, const element *of, const char **attributes)
{
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        const char *name = attributes[i], *colon = strchr(name, ':'), *uri;
        bool is_known = strcmp(name, "xmlns") == 0;
        int by;

        if (colon != NULL) {
            by = specification_of(t, name, (size_t)(colon - name), &uri);
            if (by != NONE && !specifications[by].shapeless)
                skip(t, &t->skipped_elements, uri, by, of->name);
            continue;
        }
        for (size_t k = 0; !is_known && k < 8 && of->attributes[k] != NULL; k++) {
            is_known = strcmp(of->attributes[k], name) == 0;
            if (!is_known && is_of_shape(of->attributes[k]) &&
                strcasecmp(of->attributes[k], name) == 0)
                fail(t, "the attribute \"%.40s\" of <%s> is none of 3MF, which has \"%s\"", name,
                     of->name, of->attributes[k]);
        }
        if (is_known || is_of_slicers(t, of->is, name, attributes[i + 1]))
            continue;
        if (strcmp(name, "path") == 0)
            fail(t, "the attribute \"path\" of <%s> has no prefix of the production extension",
                 of->name);
        skip(t, &t->skipped_attributes, name, NONE, of->name);
    }
}

static void on_start(void *user, const char *name, const char **attributes, uint64_t line)
{
    threemf *t = user;
    const char *colon = strchr(name, ':'), *own = colon != NULL ? colon + 1 : name, *uri;
    place next = IN_NOTHING;
    const element *of = NULL;
    int by;

    t->line = line;
    *(around *)kiln_list_add(t->reading, &t->open, sizeof(around)) =
        (around){t->now, t->namespaces.count};
    if (t->now != IN_NOTHING) {
        declare(t, attributes);
        by = specification_of(t, name, colon != NULL ? (size_t)(colon - name) : 0, &uri);
        if (by != CORE && t->now == AT_START)
            kiln_send_failure(t->reading->sender, KILN_BAKE_UNSUPPORTED,
                              "%.200s, line %" PRIu64 ": the element <%.40s> of \"%.200s\" is no "
                              "model of 3MF, or of another version, which is not read; export it "
                              "anew",
                              part_name(t, t->part), line, name, uri);
        for (size_t i = 0; by == CORE && i < sizeof elements / sizeof elements[0]; i++)
            if (elements[i].in == t->now && strcmp(elements[i].name, own) == 0)
                of = &elements[i];
        if (by == CORE && of == NULL)
            fail(t, "the element <%.40s> is none of 3MF in this place", name);
        if (of != NULL) {
            check_attributes(t, of, attributes);
            next = of->start != NULL ? of->start(t, attributes) : of->is;
        } else {
            skip_element(t, by, uri, name);
        }
    }
    t->now = next;
}

static void on_end(void *user, const char *name)
{
    threemf *t = user;
    const around *of;

    (void)name;
    if (t->now == IN_MESH) {
        thing *object = last_thing(t);
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

/* The format has no text but in what is left out. */
static void on_text(void *user, const char *text, size_t length)
{
    threemf *t = user;

    (void)kiln_xml_trimmed(text, &length);
    if (length > 0 && t->now != IN_NOTHING && t->texts++ == 0) {
        t->text_line = kiln_xml_line(t->xml);
        t->text_part = t->part;
    }
}

/* -- parts -- */

static void on_relationship(void *user, const char *name, const char **attributes, uint64_t line)
{
    threemf *t = user;
    const char *type = kiln_xml_value(attributes, "Type"),
               *target = kiln_xml_value(attributes, "Target"),
               *mode = kiln_xml_value(attributes, "TargetMode");

    (void)name;
    t->line = line;
    if (type == NULL || strcmp(type, MODEL_RELATIONSHIP) != 0)
        return;
    if (mode != NULL && strcmp(mode, "External") == 0)
        kiln_send_failure(t->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "%.200s, line %" PRIu64 ": the model is outside of the archive "
                          "(TargetMode=\"External\"), and is not read; pack it in",
                          part_name(t, t->part), line);
    if (mode != NULL && strcmp(mode, "Internal") != 0)
        fail(t, "TargetMode must be Internal or External, not \"%.40s\"", mode);
    if (target == NULL || part_of(t, target) != ROOT)
        fail(t, "the archive must have one model");
}

static void on_nothing(void *user, const char *name)
{
    (void)user, (void)name;
}

/* Reads a part of the archive as XML. */
static void read_part(threemf *t, size_t part, kiln_xml_handlers *handlers)
{
    const kiln_zip_entry *entry = ((const kiln_zip_entry **)t->parts.items)[part];
    uint8_t *bytes = kiln_zip_load(&t->zip, entry);

    t->part = part;
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
    kiln_xml_handlers model = {
        .start = on_start, .end = on_end, .text = on_text, .user = t, .reader = &t->xml};

    if (list == NULL)
        kiln_send_failure(t->reading->sender, KILN_BAKE_INVALID,
                          "the archive has no _rels/.rels, which names the model of 3MF; repair "
                          "the file, or give its format, if it is another");
    t->part_at = calloc(t->zip.count, sizeof *t->part_at);
    if (t->part_at == NULL)
        kiln_read_no_memory(t->reading);
    *(const kiln_zip_entry **)kiln_list_add(t->reading, &t->parts, sizeof list) = list;
    read_part(t, RELATIONS, &relations);
    if (t->parts.count == ROOT)
        fail_at(t, RELATIONS, t->line, "no relationship names the model");
    for (size_t i = ROOT; i < t->parts.count; i++) {
        read_part(t, i, &model);
        KILN_ASSERT(t->now == AT_START);
        tdestroy(t->groups, free);
        t->groups = NULL;
        t->found = t->bases = NULL;
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
        components[i].thing = find_thing(t, keys, &components[i]);
    for (size_t i = 0; i < t->items.count; i++)
        items[i].thing = find_thing(t, keys, &items[i]);
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

/* The type of an object with components says nothing: theirs do (chapter 4). */
static bool is_other(const thing *of)
{
    return of->is_mesh && strcmp(of->type, "other") == 0;
}

/* Marks what the items lead to. Of these, each must have a shape. */
static void mark_shown(threemf *t)
{
    thing *things = t->things.items;
    const instance *components = t->components.items, *items = t->items.items;
    kiln_list stack = {0};
    char what[500];

    for (size_t i = 0; i < t->items.count; i++)
        *(size_t *)kiln_list_add(t->reading, &stack, sizeof(size_t)) = items[i].thing;
    while (stack.count > 0) {
        thing *of = &things[((const size_t *)stack.items)[--stack.count]];

        if (of->shown)
            continue;
        of->shown = true;
        if (!of->is_mesh && of->count == 0 && of->skipped != NULL)
            kiln_send_failure(t->reading->sender, KILN_BAKE_UNSUPPORTED,
                              "%.200s, line %" PRIu64 ": the object %" PRIu64
                              " has neither a mesh nor components but %.300s, which is not read; "
                              "export it as a mesh",
                              part_name(t, of->part), of->line, of->id, of->skipped);
        (void)snprintf(what, sizeof what,
                       "the object %" PRIu64 " has neither a mesh nor components", of->id);
        if (!of->is_mesh && of->count == 0)
            fail_at(t, of->part, of->line, what);
        for (size_t k = 0; k < of->count; k++)
            *(size_t *)kiln_list_add(t->reading, &stack, sizeof(size_t)) =
                components[of->first + k].thing;
    }
    free(stack.items);
}

static uint32_t send_node(threemf *t, thing *of, uint32_t parent, const instance *by,
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
    thing *things = t->things.items;
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

static void warn_of_skipped(const threemf *t)
{
    const skipped *elements_of = t->skipped_elements.items,
                  *attributes = t->skipped_attributes.items;
    kiln_sender *sender = t->reading->sender;

    for (size_t i = 0; i < t->skipped_elements.count; i++) {
        const int of = elements_of[i].specification;

        if (of == NONE)
            kiln_send_warning(sender,
                              "%.300s: elements of \"%.200s\", which is not known here, are left "
                              "out",
                              elements_of[i].first, elements_of[i].of);
        else
            kiln_send_warning(sender, "%.300s: %s are left out%s%s", elements_of[i].first,
                              specifications[of].name,
                              specifications[of].advice != NULL ? ", " : "; ",
                              specifications[of].advice != NULL ? specifications[of].advice
                                                                : "export the model as a mesh");
    }
    for (size_t i = 0; i < t->skipped_attributes.count; i++)
        kiln_send_warning(sender,
                          "%.300s: 3MF has no attribute \"%.60s\" there; it is left out, %" PRIu64
                          " time%s",
                          attributes[i].first, attributes[i].of, attributes[i].count,
                          attributes[i].count == 1 ? "" : "s");
    if (t->skipped_more > 0)
        kiln_send_warning(sender,
                          "%" PRIu64 " more elements and attributes are left out, of others",
                          t->skipped_more);
    if (t->texts > 0)
        kiln_send_warning(sender,
                          "line %" PRIu64 " of %.200s: text, which 3MF does not have, is left out",
                          t->text_line, part_name(t, t->text_part));
    if (t->unprintable > 0)
        kiln_send_warning(sender,
                          "%" PRIu64 " item%s not to be printed (printable=\"0\"), and read as all "
                          "others",
                          t->unprintable, t->unprintable == 1 ? " is" : "s are");
}

/* Warns of what is not what a reader of the file may take it for. */
static void warn(const threemf *t, uint64_t others)
{
    const thing *things = t->things.items;
    kiln_sender *sender = t->reading->sender;
    uint64_t supports = 0, unused = 0;

    for (size_t i = 0; i < t->things.count; i++) {
        const thing *of = &things[i];

        supports += of->shown && of->is_mesh && strstr(of->type, "support") != NULL;
        unused += !of->shown && of->is_mesh && !is_other(of);
        if (!of->shown || !of->is_mesh || of->faces > 0)
            continue;
        t->reading->facts.empty_meshes++;
        kiln_send_warning(
            sender, "%.200s, line %" PRIu64 ": the mesh of the object %" PRIu64 " has no triangle",
            part_name(t, of->part), of->line, of->id);
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
    warn_of_skipped(t);
}

static void free_skipped(kiln_list *list)
{
    skipped *all = list->items;

    for (size_t i = 0; i < list->count; i++) {
        free(all[i].of);
        free(all[i].first);
    }
    free(list->items);
}

void kiln_read_3mf(kiln_reading *reading)
{
    kiln_reading archive = *reading; /* whose model stays the archive */
    threemf t = {.reading = reading};
    uint64_t others = 0;
    thing *things;

    if (!kiln_zip_is(&reading->model))
        kiln_send_failure(reading->sender, KILN_BAKE_INVALID,
                          "it is no archive (ZIP), as 3MF is; repair the file");
    kiln_zip_open(&t.zip, &archive);
    kiln_read_default_material(reading);
    read_parts(&t);
    reading->model = archive.model;
    resolve(&t);
    mark_shown(&t);
    send_nodes(&t, &others);
    warn(&t, others);
    reading->facts.exact = 1;

    things = t.things.items;
    for (size_t i = 0; i < t.things.count; i++) {
        free(things[i].name);
        free(things[i].skipped);
    }
    free_skipped(&t.skipped_elements);
    free_skipped(&t.skipped_attributes);
    forget_namespaces(&t, 0);
    free(t.namespaces.items);
    free(t.open.items);
    free(t.things.items);
    free(t.parts.items);
    free(t.components.items);
    free(t.items.items);
    free(t.part_at);
    kiln_zip_close(&t.zip);
}
