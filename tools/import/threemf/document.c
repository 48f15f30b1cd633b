/* The parts of a 3MF archive, read as XML (3MF Consortium, "3D Manufacturing Format, Core
 * Specification & Reference Guide", 1.3, 2021; "Production Extension", 1.1.2, 2021).
 *
 * Elements of the core specification are known here, by what they are in, or refused. Those of
 * other specifications are skipped, with all that is in them (extensions.c). Vertices and triangles
 * are sent while they are read; objects, their components and the items of the build are gathered
 * for when all parts are known (nodes.c). A part is read when something refers to it, after those
 * that were referred to before. */
#define _GNU_SOURCE
#include "document.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../../formats/assert.h"
#include "extensions.h"

#define MODEL_RELATIONSHIP "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"

/* What is around an element, and how many declarations of namespaces hold there. */
typedef struct {
    threemf_place at;
    size_t namespaces;
} around;

/* -- elements --
 *
 * A function for each element that has something to do when it starts; what is then open, it
 * returns. The element's place is right already, and its attributes are known by their names. */

/* Leaves out an element of another specification with all that is in it. The first of an object is
 * kept for the message of an object that has nothing else. */
static void skip_element(threemf *t, int of, const char *uri, const char *name)
{
    threemf_object *object =
        t->objects.count > 0 ? (threemf_object *)t->objects.items + t->objects.count - 1 : NULL;
    char what[400];

    /* It may be one of the core whose prefix is misspelt. */
    if (uri[0] == '\0')
        kiln_3mf_fail(t, "the element <%.40s> is of no namespace", name);
    KILN_ASSERT(t->now != IN_OBJECT || object != NULL);
    if (!kiln_3mf_skip_element(t, of, uri, name) || t->now != IN_OBJECT || object->skipped != NULL)
        return;
    (void)snprintf(what, sizeof what, "<%.60s> (%.200s)", name, kiln_3mf_name_of(of, uri));
    object->skipped = kiln_3mf_copy(t, what, strlen(what));
}

static threemf_object *last_object(const threemf *t)
{
    KILN_ASSERT(t->objects.count > 0);
    return (threemf_object *)t->objects.items + t->objects.count - 1;
}

/* A part has no unit of its own: its coordinates would stand in another than those of the root, and
 * nothing in the scene says which (core specification, 3.4: the unit is that of the model). */
static threemf_place start_model(threemf *t, const char **attributes)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"millimeter", 1e-3}, {"micron", 1e-6}, {"centimeter", 1e-2},
                 {"inch", 0.0254},     {"foot", 0.3048}, {"meter", 1}};
    const size_t count = sizeof units / sizeof units[0];
    const char *unit = kiln_xml_value(attributes, "unit");
    size_t i = 0;

    kiln_3mf_check_required(t, kiln_xml_value(attributes, "requiredextensions"));
    while (unit != NULL && i < count && strcmp(units[i].name, unit) != 0)
        i++;
    if (i == count)
        kiln_3mf_fail(t, "the unit \"%.40s\" is none of 3MF", unit);
    if (t->part == THREEMF_ROOT)
        t->unit = t->reading->facts.unit = units[i].metres;
    else if (units[i].metres < t->unit || units[i].metres > t->unit)
        kiln_3mf_fail(t, "its unit, %s, is not that of the model", units[i].name);
    return IN_MODEL;
}

/* Only the root says what is to be made (production extension, chapter 2). */
static threemf_place start_build(threemf *t, const char **attributes)
{
    (void)attributes;
    if (t->part != THREEMF_ROOT)
        return IN_NOTHING;
    if (t->has_build)
        kiln_3mf_fail(t, "a second <build>");
    t->has_build = true;
    return IN_BUILD;
}

static int compare_groups(const void *a, const void *b)
{
    const threemf_group *p = a, *q = b;

    return p->id < q->id ? -1 : p->id > q->id;
}

/* The material of that number in the scene; `otherwise` where there is none: those of other
 * specifications have no names. */
static uint32_t material_of(threemf *t, uint64_t id, uint64_t index, uint32_t otherwise)
{
    const threemf_group key = {.id = id};

    if (t->found == NULL || t->found->id != id) {
        const threemf_group *const *found = tfind(&key, &t->groups, compare_groups);

        if (found == NULL)
            return otherwise;
        t->found = *found;
    }
    return index < t->found->count ? t->found->first + (uint32_t)index : otherwise;
}

/* Materials are numbered in the scene through all parts; 0 is that of none. */
static threemf_place start_bases(threemf *t, const char **attributes)
{
    threemf_group *new = calloc(1, sizeof *new);
    threemf_group **in;

    if (new == NULL)
        kiln_read_no_memory(t->reading);
    *new = (threemf_group){.id = kiln_3mf_id(t, attributes, "id", NULL), .first = t->materials + 1};
    in = tsearch(new, &t->groups, compare_groups);
    if (in == NULL)
        kiln_read_no_memory(t->reading);
    if (*in != new)
        kiln_3mf_fail(t, "materials of an id that others have");
    KILN_ASSERT(new->count == 0 && new->first > 0);
    t->bases = new;
    return IN_BASES;
}

static threemf_place start_base(threemf *t, const char **attributes)
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

/* An object is a mesh or has components, by what comes in it. */
static threemf_place start_object(threemf *t, const char **attributes)
{
    static const char *const types[] = {"model", "solidsupport", "support", "surface", "other"};
    static const uint64_t none = UINT64_MAX, first = 0;
    const char *type = kiln_xml_value(attributes, "type"), *name;
    const uint64_t id = kiln_3mf_id(t, attributes, "id", NULL);
    const uint64_t pid = kiln_3mf_id(t, attributes, "pid", &none);
    const uint64_t index = kiln_3mf_id(t, attributes, "pindex", &first);
    size_t i = 0;
    threemf_object *to;

    while (type != NULL && i < sizeof types / sizeof types[0] && strcmp(types[i], type) != 0)
        i++;
    if (i == sizeof types / sizeof types[0])
        kiln_3mf_fail(t, "the type \"%.40s\" is none of 3MF", type);
    t->pid = pid;
    t->user = material_of(t, pid, index, 0);
    name = kiln_xml_value(attributes, "name");
    to = kiln_list_add(t->reading, &t->objects, sizeof *to);
    *to = (threemf_object){
        .part = t->part, .id = id, .line = t->line, .type = types[i], .first = t->components.count};
    if (name != NULL && name[0] != '\0')
        to->name = kiln_3mf_copy(t, name, strlen(name));
    return IN_OBJECT;
}

/* Once: an object may be shown millions of times, and have a long name. */
uint32_t kiln_3mf_send_name(const threemf *t, threemf_object *of)
{
    char numbered[40];
    const char *name = of->name != NULL ? of->name : numbered;

    (void)snprintf(numbered, sizeof numbered, "object %" PRIu64, of->id);
    if (!of->is_named)
        of->sent_name = kiln_send_string(t->reading->sender, name, strlen(name));
    of->is_named = true;
    return of->sent_name;
}

static threemf_place start_mesh(threemf *t, const char **attributes)
{
    threemf_object *of = last_object(t);

    (void)attributes;
    if (of->is_mesh || t->components.count > of->first)
        kiln_3mf_fail(t, "an object is one mesh, or components");
    KILN_ASSERT(of->faces == 0);
    of->is_mesh = true;
    of->mesh = t->meshes;
    t->vertices = 0;
    return IN_MESH;
}

static threemf_place start_components(threemf *t, const char **attributes)
{
    (void)attributes;
    if (last_object(t)->is_mesh)
        kiln_3mf_fail(t, "an object is one mesh, or components");
    return IN_COMPONENTS;
}

static threemf_place start_vertices(threemf *t, const char **attributes)
{
    (void)attributes;
    if (t->vertices > 0)
        kiln_3mf_fail(t, "a second list of vertices in one mesh");
    return IN_VERTICES;
}

static threemf_place start_triangles(threemf *t, const char **attributes)
{
    (void)attributes;
    if (last_object(t)->faces > 0)
        kiln_3mf_fail(t, "a second list of triangles in one mesh");
    return IN_TRIANGLES;
}

static threemf_place start_vertex(threemf *t, const char **attributes)
{
    const double position[3] = {kiln_3mf_number(t, attributes, "x"),
                                kiln_3mf_number(t, attributes, "y"),
                                kiln_3mf_number(t, attributes, "z")};

    kiln_read_vertex(t->reading, position);
    t->vertices++;
    return IN_LEAF;
}

/* A corner beyond the vertices is sent all the same: its face is refused or dropped by number. The
 * first of three materials is that of the face, of the triangle's group or else of the object's;
 * without one it is that of the object (core specification, 4.1.4.1). */
static threemf_place start_triangle(threemf *t, const char **attributes)
{
    static const char *const names[] = {"v1", "v2", "v3"};
    static const uint64_t none = UINT64_MAX;
    const uint64_t pid = kiln_3mf_id(t, attributes, "pid", &t->pid);
    const uint64_t index = kiln_3mf_id(t, attributes, "p1", &none);
    uint32_t corners[3], user = t->user;

    for (int i = 0; i < 3; i++) {
        const uint64_t vertex = kiln_3mf_whole(t, attributes, names[i], NULL);

        corners[i] = vertex < KILN_SCENE_NONE ? (uint32_t)vertex : KILN_SCENE_NONE;
    }
    if (index != none)
        user = material_of(t, pid, index, user);
    kiln_read_face(t->reading, corners, 3, last_object(t)->faces++, user);
    return IN_LEAF;
}

/* The number of the part of a path from the root of the archive, with "." and ".." in it (RFC 3986,
 * 5.2.4: above the root is the root); the part is read later where that is new. A package may have
 * a part in pieces, as files of a folder that has the part's name (ISO/IEC 29500-2); no program is
 * known to write 3MF so. */
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
        kiln_3mf_fail(t, "the part \"%.200s\" is not in the archive", path);
    }
    free(name);
    KILN_ASSERT(entry >= t->zip.entries && (size_t)(entry - t->zip.entries) < t->zip.count);
    if (t->part_at[entry - t->zip.entries] == 0) {
        t->part_at[entry - t->zip.entries] = t->parts.count;
        *(const kiln_zip_entry **)kiln_list_add(t->reading, &t->parts, sizeof entry) = entry;
    }
    return t->part_at[entry - t->zip.entries];
}

/* What both a component and an item are: an object by its id, in a part, in a place. The object may
 * come later in the file. */
static void start_instance(threemf *t, const char **attributes, kiln_list *list, const char *path)
{
    threemf_instance i = {.part = path != NULL ? part_of(t, path) : t->part,
                          .id = kiln_3mf_id(t, attributes, "objectid", NULL),
                          .line = t->line,
                          .in = t->part};

    kiln_3mf_matrix(t, attributes, i.matrix);
    *(threemf_instance *)kiln_list_add(t->reading, list, sizeof i) = i;
}

/* Paths lead from the root only (production extension, 3.1.2). */
static threemf_place start_component(threemf *t, const char **attributes)
{
    const char *path = kiln_3mf_path(t, attributes);

    if (path != NULL && t->part != THREEMF_ROOT)
        kiln_3mf_fail(t, "a path to another part in a part that is not the root");
    start_instance(t, attributes, &t->components, path);
    return IN_LEAF;
}

static threemf_place start_item(threemf *t, const char **attributes)
{
    start_instance(t, attributes, &t->items, kiln_3mf_path(t, attributes));
    return IN_ITEM;
}

/* Elements of the core specification, where they may be, and their attributes. */
typedef struct {
    threemf_place in;
    const char *name;
    threemf_place (*start)(threemf *t, const char **attributes); /* NULL: nothing is to be done */
    threemf_place is;                                            /* then */
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
static bool is_of_slicers(threemf *t, threemf_place of, const char *name, const char *value)
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
        const char *name = attributes[i];
        bool is_known = strcmp(name, "xmlns") == 0;

        for (size_t k = 0; !is_known && k < 8 && of->attributes[k] != NULL; k++) {
            is_known = strcmp(of->attributes[k], name) == 0;
            if (!is_known && is_of_shape(of->attributes[k]) &&
                strcasecmp(of->attributes[k], name) == 0)
                kiln_3mf_fail(t, "the attribute \"%.40s\" of <%s> is none of 3MF, which has \"%s\"",
                              name, of->name, of->attributes[k]);
        }
        if (is_known || is_of_slicers(t, of->is, name, attributes[i + 1]))
            continue;
        if (strcmp(name, "path") == 0)
            kiln_3mf_fail(
                t, "the attribute \"path\" of <%s> has no prefix of the production extension",
                of->name);
        kiln_3mf_look_at_attribute(t, name, of->name);
    }
}

static void on_start(void *user, const char *name, const char **attributes, uint64_t line)
{
    threemf *t = user;
    const char *colon = strchr(name, ':'), *own = colon != NULL ? colon + 1 : name, *uri;
    threemf_place next = IN_NOTHING;
    const element *of = NULL;
    int by;

    t->line = line;
    *(around *)kiln_list_add(t->reading, &t->open, sizeof(around)) =
        (around){t->now, t->namespaces.count};
    if (t->now != IN_NOTHING) {
        kiln_3mf_declare(t, attributes);
        by = kiln_3mf_specification(t, name, colon != NULL ? (size_t)(colon - name) : 0, &uri);
        if (by != THREEMF_CORE && t->now == AT_START)
            kiln_send_failure(t->reading->sender, KILN_BAKE_UNSUPPORTED,
                              "%.200s, line %" PRIu64 ": the element <%.40s> of \"%.200s\" is no "
                              "model of 3MF, or of another version, which is not read; export it "
                              "anew",
                              kiln_3mf_part(t, t->part), line, name, uri);
        for (size_t i = 0; by == THREEMF_CORE && i < sizeof elements / sizeof elements[0]; i++)
            if (elements[i].in == t->now && strcmp(elements[i].name, own) == 0)
                of = &elements[i];
        if (by == THREEMF_CORE && of == NULL)
            kiln_3mf_fail(t, "the element <%.40s> is none of 3MF in this place", name);
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
        threemf_object *object = last_object(t);
        const kiln_scene_mesh mesh = {.face_count = object->faces,
                                      .vertex_count = t->vertices,
                                      .name = kiln_3mf_send_name(t, object)};

        kiln_send(t->reading->sender, KILN_ARRAY_MESHES, &mesh, 1);
        t->meshes++;
    }
    if (t->now == IN_OBJECT)
        last_object(t)->count = t->components.count - last_object(t)->first;
    KILN_ASSERT(t->open.count > 0);
    of = &((const around *)t->open.items)[--t->open.count];
    t->now = of->at;
    kiln_3mf_forget(t, of->namespaces);
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
               *mode = kiln_xml_value(attributes, "TargetMode"), *colon = strchr(name, ':');

    t->line = line;
    if (strcmp(colon != NULL ? colon + 1 : name, "Relationship") != 0 || type == NULL ||
        strcmp(type, MODEL_RELATIONSHIP) != 0)
        return;
    if (mode != NULL && strcmp(mode, "External") == 0)
        kiln_send_failure(t->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "%.200s, line %" PRIu64 ": the model is outside of the archive "
                          "(TargetMode=\"External\"), and is not read; pack it in",
                          kiln_3mf_part(t, t->part), line);
    if (mode != NULL && strcmp(mode, "Internal") != 0)
        kiln_3mf_fail(t, "TargetMode must be Internal or External, not \"%.40s\"", mode);
    if (target == NULL || part_of(t, target) != THREEMF_ROOT)
        kiln_3mf_fail(t, "the archive must have one model");
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

void kiln_3mf_read_parts(threemf *t)
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
    read_part(t, THREEMF_RELATIONS, &relations);
    if (t->parts.count == THREEMF_ROOT)
        kiln_3mf_fail_at(t, THREEMF_RELATIONS, t->line, "no relationship names the model");
    for (size_t i = THREEMF_ROOT; i < t->parts.count; i++) {
        read_part(t, i, &model);
        KILN_ASSERT(t->now == AT_START);
        tdestroy(t->groups, free);
        t->groups = NULL;
        t->found = t->bases = NULL;
    }
}
