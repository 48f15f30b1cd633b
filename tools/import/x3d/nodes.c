/* Reader of X3D in its XML encoding (ISO/IEC 19775-1 and 19776-1, versions 3.0 to 4.0). README.md
 * of this folder lists what is read, what is left out and what is refused.
 *
 * document.c makes a tree of the file, geometry.c, solids.c and extrusion.c make meshes of its
 * geometry, transform.c has rotations. Here the tree is walked, depth-first, with a stack of our
 * own. A node that is used in several places is gone through in each; its meshes are sent once, or
 * once with each appearance. Files that <Inline> names are read when they are met, once each. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../formats/assert.h"
#include "geometry.h"
#include "transform.h"

enum { MOST_NODES = 1 << 24 };

/* An inlined file where it stands: in which other. */
typedef struct frame {
    x3d_document *document;
    const struct frame *in; /* NULL: the model itself */
} frame;

typedef struct {
    x3d_node *node;
    frame *in;
    uint32_t parent; /* of the scene */
    size_t number;   /* among the children of its parent */
} pending;

typedef struct {
    kiln_reading *reading;
    kiln_list stack;     /* of pending */
    kiln_list documents; /* x3d_document * */
    kiln_list frames;    /* frame * */
    kiln_list materials; /* const char * */
    uint32_t nodes, meshes;
    uint64_t hidden, round;
} walk;

/* -- meshes -- */

/* Materials are numbered by first use; 0 is that of shapes without an appearance. */
static uint32_t material_of(walk *w, x3d_node *appearance)
{
    KILN_ASSERT(w->materials.count > 0);
    if (appearance == NULL)
        return 0;
    if (!appearance->has_user) {
        appearance->has_user = true;
        appearance->user = (uint32_t)w->materials.count;
        *(const char **)kiln_list_add(w->reading, &w->materials, sizeof(char *)) =
            appearance->material != NULL ? appearance->material
            : appearance->def != NULL    ? appearance->def
                                         : "";
    }
    return appearance->user;
}

/* Sends the mesh of a geometry node; false: it has no faces by its kind. A mesh has its materials,
 * so that one that is shown with another appearance is sent anew; the vertices of a coordinate that
 * several of them use are sent once for all (points.c). */
static bool send_mesh(walk *w, const x3d_document *document, x3d_node *geometry,
                      x3d_node *appearance)
{
    kiln_reading *reading = w->reading;
    x3d_mesh mesh = {.document = document, .node = geometry};
    const char *name = geometry->def != NULL ? geometry->def : geometry->type;
    const uint32_t user = material_of(w, appearance), *sizes;
    uint32_t *corners;
    kiln_scene_mesh sent = {0};
    bool has_faces;

    mesh.points = &mesh.own;
    mesh.reversed = !kiln_x3d_bool(document, geometry, "ccw", true);
    kiln_x3d_geometry(geometry->type)(&mesh);
    geometry->has_counts = true;
    geometry->lines = mesh.lines;
    geometry->dots = mesh.dots;
    w->round += mesh.round;
    corners = mesh.corners.items;
    sizes = mesh.sizes.items;
    /* Lines and points are no empty mesh. */
    has_faces = mesh.sizes.count > 0 || (mesh.lines == 0 && mesh.dots == 0);
    if (has_faces && strcmp(geometry->type, "Text") != 0) {
        sent.vertex_count = kiln_points_send(reading, mesh.points, corners, mesh.corners.count);
        for (size_t i = 0; i < mesh.sizes.count; i++) {
            kiln_read_face(reading, corners, sizes[i], i, user);
            corners += sizes[i];
            sent.face_count += sizes[i] >= 3;
        }
        sent.name = kiln_send_string(reading->sender, name, strlen(name));
        kiln_send(reading->sender, KILN_ARRAY_MESHES, &sent, 1);
        KILN_ASSERT(sent.face_count <= mesh.sizes.count);
        geometry->has_mesh = true;
        geometry->mesh = w->meshes++;
        if (mesh.sizes.count == 0) {
            reading->facts.empty_meshes++;
            kiln_x3d_warn(document, geometry, "it has no face");
        }
    }
    geometry->appearance = appearance;
    kiln_points_free(&mesh.own);
    free(mesh.corners.items);
    free(mesh.sizes.items);
    return geometry->has_mesh;
}

/* The mesh that a shape shows; KILN_SCENE_NONE: none. Lines and points are counted for each shape
 * that has them, as faces would be. */
static uint32_t mesh_of(walk *w, const x3d_document *document, x3d_node *shape)
{
    x3d_node *geometry = NULL, *appearance = NULL;

    KILN_ASSERT(shape->kind == X3D_SHAPE);
    /* What has no faces is gone through once. */
    if (shape->has_mesh)
        return shape->mesh;
    for (size_t i = 0; i < shape->child_count; i++) {
        x3d_node *child = shape->children[i].node;

        if (child->kind == X3D_GEOMETRY)
            geometry = child;
        else
            appearance = child;
    }
    shape->has_mesh = true;
    shape->mesh = KILN_SCENE_NONE;
    if (geometry == NULL)
        return shape->mesh;
    /* Of one without faces, no appearance makes another mesh. */
    if (geometry->has_counts && (!geometry->has_mesh || geometry->appearance == appearance)) {
        if (geometry->has_mesh)
            shape->mesh = geometry->mesh;
    } else if (send_mesh(w, document, geometry, appearance)) {
        shape->mesh = geometry->mesh;
    }
    KILN_ASSERT(geometry->has_counts);
    w->reading->facts.lines += geometry->lines;
    w->reading->facts.points += geometry->dots;
    return shape->mesh;
}

/* -- files -- */

/* The next name of a list such as "a.x3d" "b.x3d", with %-escapes undone, relative to the folder of
 * the file that has it; NULL: there is none. *fragment is where "#" begins the name of a viewpoint,
 * or the end: an escaped one is of the file's name. */
static char *next_name(walk *w, const frame *in, const char **at, size_t *fragment)
{
    const char *from, *slash = NULL;
    size_t folder = 0, made, length;
    char *name, quote;

    /* A string ends at the quotation mark that it begins with; one without, at the end. */
    do {
        from = *at + strspn(*at, " \t\r\n,");
        if (*from == '\0')
            return NULL;
        quote = *from == '"' || *from == '\'' ? *from++ : '\0';
        length = 0;
        while (from[length] != '\0' && from[length] != quote)
            length += quote != '\0' && from[length] == '\\' && from[length + 1] != '\0' ? 2 : 1;
        *at = from + length + (from[length] != '\0');
    } while (length == 0);
    if (in->document->file != NULL && from[0] != '/')
        slash = strrchr(in->document->file, '/');
    folder = slash != NULL ? (size_t)(slash - in->document->file) + 1 : 0;
    name = malloc(folder + length + 1);
    if (name == NULL)
        kiln_read_no_memory(w->reading);
    if (folder > 0)
        memcpy(name, in->document->file, folder);
    made = folder;
    *fragment = SIZE_MAX;
    for (size_t i = 0; i < length; i++) {
        unsigned value;
        int used = 0;

        if (from[i] == '#' && made > folder && *fragment == SIZE_MAX)
            *fragment = made;
        if (quote != '\0' && from[i] == '\\' && i + 1 < length)
            i++;
        if (from[i] == '%' && i + 2 < length && sscanf(from + i + 1, "%2x%n", &value, &used) == 1 &&
            used == 2 && value != 0) {
            name[made++] = (char)value;
            i += 2;
        } else {
            name[made++] = from[i];
        }
    }
    name[made] = '\0';
    *fragment = *fragment < made ? *fragment : made;
    return name;
}

/* Reads the file of that name, or finds it among those that were read, whatever name they had then.
 * NULL: it is not there, or *is_other: it is in another format. A fragment is none of the name;
 * where there is no file without it, one with it is taken, as exporters write names as they are. */
static x3d_document *load(walk *w, char *name, size_t fragment, bool *is_other)
{
    const bool has_fragment = name[fragment] != '\0';
    kiln_model model = {.file = -1};
    x3d_document *document = NULL;
    const char *dot;
    struct stat facts;

    KILN_ASSERT(fragment <= strlen(name));
    *is_other = false;
    name[fragment] = '\0';
    model.file = kiln_read_open(w->reading, name);
    if (model.file < 0 && has_fragment) {
        kiln_read_absent_file(w->reading, name);
        name[fragment] = '#';
        model.file = kiln_read_open(w->reading, name);
    }
    if (model.file < 0 || fstat(model.file, &facts) != 0) {
        kiln_read_absent_file(w->reading, name);
        return NULL;
    }
    dot = strrchr(name, '.');
    for (size_t i = 0; i < w->documents.count && document == NULL; i++) {
        x3d_document *other = ((x3d_document **)w->documents.items)[i];

        if (other->device == facts.st_dev && other->inode == facts.st_ino && other->inode != 0)
            document = other;
    }
    *is_other =
        document == NULL && (dot == NULL || !kiln_token_is(dot + 1, strlen(dot + 1), "x3d"));
    if (document == NULL && !*is_other) {
        model.size = (uint64_t)facts.st_size;
        kiln_read_side_file(w->reading, name);
        document = kiln_x3d_read(w->reading, &model, name);
        document->device = facts.st_dev;
        document->inode = facts.st_ino;
        *(x3d_document **)kiln_list_add(w->reading, &w->documents, sizeof document) = document;
    }
    (void)close(model.file);
    return document;
}

/* A file may be inlined by several others, and is one document then; where it stands is a frame. */
static frame *add_frame(walk *w, x3d_document *document, const frame *in)
{
    frame *new = malloc(sizeof *new);

    if (new == NULL)
        kiln_read_no_memory(w->reading);
    *new = (frame){document, in};
    *(frame **)kiln_list_add(w->reading, &w->frames, sizeof new) = new;
    return new;
}

/* The first file of the list that is there and can be read: the others are copies of it. */
static frame *open_inline(walk *w, frame *in, x3d_node *node)
{
    const char *urls = kiln_x3d_text(node, "url"), *at = urls != NULL ? urls : "";
    x3d_document *document = node->file;
    char *name, *other = NULL;
    size_t fragment;

    while (document == NULL && (name = next_name(w, in, &at, &fragment)) != NULL) {
        bool is_other;

        document = load(w, name, fragment, &is_other);
        if (is_other && other == NULL)
            other = name;
        else
            free(name);
    }
    if (document == NULL && other != NULL)
        kiln_x3d_fail(in->document, node, KILN_BAKE_UNSUPPORTED,
                      "\"%.200s\" is not named .x3d; convert it to X3D in XML", other);
    free(other);
    if (document == NULL)
        kiln_x3d_fail(in->document, node, KILN_BAKE_INVALID,
                      "no file of %.300s is there; put one there, or remove the node",
                      urls != NULL && urls[0] != '\0' ? urls : "its url, which is empty,");
    node->file = document;
    for (const frame *above = in; above != NULL; above = above->in)
        if (above->document == document)
            kiln_x3d_fail(in->document, node, KILN_BAKE_INVALID,
                          "the file of %.300s contains itself; remove the node", urls);
    return add_frame(w, document, in);
}

/* -- nodes -- */

static void push(walk *w, x3d_node *node, frame *in, uint32_t parent, size_t number)
{
    *(pending *)kiln_list_add(w->reading, &w->stack, sizeof(pending)) =
        (pending){node, in, parent, number};
}

/* Sends a node of the scene; returns its number. It is named by its DEF, or by its type and its
 * place among its siblings, so that paths of nodes stay as they are when others get names. */
static uint32_t send_node(walk *w, const pending *at, const kiln_affine *transform, uint32_t mesh)
{
    kiln_scene_node node = {.parent = at->parent, .place_count = mesh != KILN_SCENE_NONE};
    char numbered[160];
    const char *name = at->node->def;

    KILN_ASSERT(at->parent == KILN_SCENE_NONE || at->parent < w->nodes);
    /* Of few nodes that are used again and again, any number can be made. */
    if (w->nodes >= MOST_NODES)
        kiln_send_failure(w->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "the scene has more than %d nodes, with each use of one; split the model",
                          MOST_NODES);
    if (name == NULL) {
        (void)snprintf(numbered, sizeof numbered, "%.100s[%zu]", at->node->type, at->number);
        name = at->parent != KILN_SCENE_NONE ? numbered : at->node->type;
    }
    node.name = kiln_send_string(w->reading->sender, name, strlen(name));
    node.matrix[15] = 1;
    for (int i = 0; i < 12; i++)
        node.matrix[i] = transform->m[i / 4][i % 4];
    kiln_send(w->reading->sender, KILN_ARRAY_NODES, &node, 1);
    if (mesh != KILN_SCENE_NONE)
        kiln_send_u32(w->reading->sender, KILN_ARRAY_PLACES, mesh);
    return w->nodes++;
}

/* Which children are shown. */
static void choose(const x3d_document *document, x3d_node *node)
{
    size_t shown;

    node->end = node->child_count;
    if (node->kind == X3D_SWITCH) {
        const int32_t choice = kiln_x3d_integer(document, node, "whichChoice", -1);

        node->from = choice >= 0 && (size_t)choice < node->child_count ? (size_t)choice : 0;
        node->end = choice >= 0 && (size_t)choice < node->child_count ? node->from + 1 : 0;
    }
    if (node->kind == X3D_LOD && node->child_count > 0)
        node->end = 1;
    KILN_ASSERT(node->from <= node->end && node->end <= node->child_count);
    shown = node->end - node->from;
    if (shown < node->child_count)
        kiln_x3d_warn(document, node,
                      "%zu of its %zu children %s shown, by %s; the others are "
                      "left out",
                      shown, node->child_count, shown == 1 ? "is" : "are",
                      node->kind == X3D_LOD ? "the first level" : "whichChoice");
}

/* What the fields of a node say of its place and of its children, and what is to be said of it. */
static void place(const x3d_document *document, x3d_node *node)
{
    static const kiln_affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    const char *visible = kiln_x3d_text(node, "visible");

    KILN_ASSERT(!node->is_placed && node->kind <= X3D_SHAPE);
    node->is_placed = true;
    node->hidden = visible != NULL && strstr(visible, "false") != NULL;
    node->transform = node->kind == X3D_TRANSFORM ? kiln_x3d_transform(document, node) : identity;
    if (node->kind == X3D_INLINE && !kiln_x3d_bool(document, node, "load", true)) {
        node->closed = true;
        kiln_x3d_warn(document, node, "its file is left out, since load is false");
    }
    if (strcmp(node->type, "Billboard") == 0)
        kiln_x3d_warn(document, node, "it is read as it stands, and not rotated to a viewer");
    if (node->kind != X3D_SHAPE)
        choose(document, node);
}

/* Sends a node, and puts what it shows on the stack. A node comes here once for each use of it and
 * of all that is around it; what its fields say is known after the first time. */
static void visit(walk *w, pending at)
{
    const x3d_document *document = at.in->document;
    x3d_node *shows = at.node;
    kiln_affine transform;
    uint32_t mesh = KILN_SCENE_NONE, number;

    if (!at.node->is_placed)
        place(document, at.node);
    w->hidden += at.node->hidden;
    transform = at.node->transform;
    if (at.node->kind == X3D_SHAPE)
        mesh = mesh_of(w, document, at.node);
    if (at.node->kind == X3D_INLINE && !at.node->closed) {
        const double host = document->length;

        /* The node stands in units of the file that names the other. */
        at.in = open_inline(w, at.in, at.node);
        shows = at.in->document->scene;
        for (int i = 0; i < 3; i++)
            transform.m[i][i] = at.in->document->length / host;
        if (!shows->is_placed)
            place(at.in->document, shows);
    }
    number = send_node(w, &at, &transform, mesh);
    if (at.node->kind == X3D_SHAPE)
        return;
    /* The first comes off the stack first. */
    for (size_t i = shows->end; i-- > shows->from;)
        if (shows->children[i].node != NULL)
            push(w, shows->children[i].node, at.in, number, shows->children[i].number);
}

void kiln_read_x3d(kiln_reading *reading)
{
    walk w = {.reading = reading};
    x3d_document *model = kiln_x3d_read(reading, &reading->model, NULL);
    struct stat facts;

    if (reading->model.file >= 0 && fstat(reading->model.file, &facts) == 0) {
        model->device = facts.st_dev;
        model->inode = facts.st_ino;
    }
    *(x3d_document **)kiln_list_add(reading, &w.documents, sizeof model) = model;
    *(const char **)kiln_list_add(reading, &w.materials, sizeof(char *)) = "DefaultMaterial";
    push(&w, model->scene, add_frame(&w, model, NULL), KILN_SCENE_NONE, 0);
    while (w.stack.count > 0)
        visit(&w, ((pending *)w.stack.items)[--w.stack.count]);
    for (size_t i = 0; i < w.materials.count; i++) {
        const char *name = ((const char **)w.materials.items)[i];

        kiln_send_u32(reading->sender, KILN_ARRAY_MATERIALS,
                      kiln_send_string(reading->sender, name, strlen(name)));
    }
    if (w.hidden > 0)
        kiln_send_warning(reading->sender,
                          "%llu nodes are declared invisible (visible) and are read all the same",
                          (unsigned long long)w.hidden);
    if (w.round > 0)
        kiln_send_warning(reading->sender,
                          "%llu round shape%s read with %d corners around, which lie on the "
                          "surface; export faces to choose others",
                          (unsigned long long)w.round, w.round == 1 ? " is" : "s are", X3D_AROUND);
    reading->facts.unit = reading->facts.unit_factor = model->length;
    reading->facts.up_declared = 1;
    reading->facts.exact = 1;
    for (size_t i = 0; i < w.documents.count; i++)
        kiln_x3d_free(((x3d_document **)w.documents.items)[i]);
    for (size_t i = 0; i < w.frames.count; i++)
        free(((frame **)w.frames.items)[i]);
    free(w.stack.items);
    free(w.documents.items);
    free(w.frames.items);
    free(w.materials.items);
}
