/* Reader of FBX (Autodesk, versions 7.0 to 7.7, binary and text). README.md of this folder lists
 * what is read, what is refused and which test shows it.
 *
 * binary.c and text.c have the two forms of the file, document.c its objects, geometry.c vertices
 * and polygons, pose.c transforms and deformers. Here the scene is walked, depth-first with a stack
 * of our own. The walk finds the places of all nodes first, since skins need those of their joints;
 * then the meshes are numbered, and then all is sent.
 *
 * Each geometry that is a mesh is one of the scene, in the order of the file; one that no node
 * shows is sent empty, so that numbers stay what they are. What several nodes show with the same
 * materials is sent once. With other materials, or by joints, it is sent once more after all
 * others, and counts as the same mesh.
 *
 * All nodes are sent with their place in the scene: inherited scales make it no product of
 * matrices. A geometric transform, and the frame of the scene for what joints place, have a second
 * node of the same name and parent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "../../common/memory.h"
#include "document.h"
#include "geometry.h"
#include "pose.h"

/* A node where the scene has it. */
typedef struct {
    uint32_t model;
    uint32_t parent;       /* another of these, or FBX_NONE */
    uint32_t sent;         /* its number in the scene */
    size_t first, showing; /* geometry that it shows: the first, and how many */
    fbx_place place;
} node;

/* A geometry that a node shows. */
typedef struct {
    uint32_t node, geometry;
    uint32_t mesh; /* of the scene */
    bool skinned;
    const uint32_t *materials; /* numbers, of the node */
    uint32_t material_count;
} showing;

/* A mesh of the scene: the first that shows it. */
typedef struct {
    size_t showing;
    uint32_t base; /* its number among geometries */
} variant;

typedef struct {
    uint32_t model, parent;
} pending;

typedef struct {
    fbx f;
    node *nodes;
    size_t node_count, node_capacity;
    uint32_t *node_of; /* of a model: 1 + its node; 0: it has none */
    pending *stack;
    size_t depth, stack_capacity;
    uint8_t *kind;    /* of a geometry */
    bool *skinned;    /* likewise: whether joints place it */
    uint32_t *number; /* of a material, or of a geometry that is a mesh */
    uint32_t material_count, mesh_count;
    size_t *plain; /* of a mesh: 1 + the first that shows it */
    showing *shown;
    size_t shown_count, shown_capacity;
    uint32_t *materials; /* of all nodes, one after the other */
    size_t listed, listed_capacity;
    variant *variants;
    size_t variant_count, variant_capacity;
    uint32_t sent; /* nodes */
    bool without;  /* a polygon has no material */
} scene;

/* Room for a further element of a list; without memory the work ends. */
static void *grow(const scene *s, void *items, size_t *capacity, size_t needed, size_t size)
{
    if (!kiln_grow(&items, capacity, needed, size))
        kiln_read_no_memory(s->f.reading);
    return items;
}

/* -- unit and axes -- */

/* An axis and its sign, as a row of a matrix; returns the axis. */
static int axis_of(const fbx *f, const fbx_properties *p, uint32_t record, fbx_property axis,
                   int otherwise, double row[3])
{
    const double is = kiln_fbx_property(f, p, axis, otherwise);
    const double sign = kiln_fbx_property(f, p, (fbx_property)(axis + 1), 1);

    if (is != 0 && is != 1 && is != 2)
        kiln_fbx_fail(f, record, "an axis of the scene is %g, and not 0, 1 or 2; repair the file",
                      is);
    row[0] = row[1] = row[2] = 0;
    row[(int)is] = sign < 0 ? -1 : 1;
    return (int)is;
}

/* Coordinates stay as they are but for the unit, and --up rotates what it is given. */
static void find_units(const fbx *f)
{
    kiln_scene_facts *facts = &f->reading->facts;
    const uint32_t settings = kiln_fbx_only(f, 0, "GlobalSettings");
    fbx_properties p = {{0}};
    double unit, coord[3], up[3], front[3], hand = 0;

    facts->exact = true;
    if (settings == FBX_NONE)
        for (int i = 0; i < FBX_PROPERTY_COUNT; i++)
            p.of[i] = FBX_NONE;
    else
        p = kiln_fbx_properties(f, settings, NULL);
    /* In centimetres; a file that says nothing has these, as the SDK's and Assimp's default is. */
    unit = kiln_fbx_property(f, &p, FBX_UNIT_SCALE_FACTOR, 1);
    if (!(unit > 0 && unit < 1e12))
        kiln_fbx_fail(f, settings != FBX_NONE ? settings : 0,
                      "the unit is %g centimetres; repair the file", unit);
    facts->unit = facts->unit_factor = unit / 100;
    facts->up_declared = facts->up_now =
        axis_of(f, &p, settings != FBX_NONE ? settings : 0, FBX_UP_AXIS, 1, up);
    (void)axis_of(f, &p, settings != FBX_NONE ? settings : 0, FBX_FRONT_AXIS, 2, front);
    (void)axis_of(f, &p, settings != FBX_NONE ? settings : 0, FBX_COORD_AXIS, 0, coord);
    /* The determinant of the three axes: 1 where they are right-handed, 0 where two are one. */
    for (int i = 0; i < 3; i++)
        hand += coord[i] *
                (up[(i + 1) % 3] * front[(i + 2) % 3] - up[(i + 2) % 3] * front[(i + 1) % 3]);
    if (up[0] + up[1] + up[2] < 0)
        kiln_fbx_warn(f, settings,
                      "the up axis of the scene points down; coordinates stay as they "
                      "are");
    if (hand != 1)
        kiln_fbx_warn(f, settings,
                      "the axes of the scene are no right-handed ones; coordinates "
                      "stay as they are");
}

/* -- the walk -- */

/* A node's parent is one other; cycles are found as what no walk from the root reaches. */
static void check_parents(const scene *s)
{
    const fbx *f = &s->f;
    uint32_t *parent = kiln_fbx_alloc(f, f->object_count, sizeof *parent);
    uint8_t *state = kiln_fbx_alloc(f, f->object_count, 1);

    for (uint32_t i = 0; i < f->object_count; i++) {
        const fbx_object *object = &f->objects[i];

        for (uint32_t j = 0;
             (object->kind == FBX_MODEL || object->kind == FBX_ROOT) && j < object->child_count;
             j++) {
            const uint32_t child = f->children[object->child + j];

            if (f->objects[child].kind != FBX_MODEL)
                continue;
            if (parent[child] != 0)
                kiln_fbx_fail(f, f->objects[child].record,
                              "the node has two parents; repair the file");
            parent[child] = i + 1;
        }
    }
    /* 1: on the way that is followed; 2: known to end. */
    for (uint32_t i = 0; i < f->object_count; i++) {
        uint32_t at = i;

        while (state[at] == 0 && parent[at] != 0) {
            state[at] = 1;
            at = parent[at] - 1;
        }
        if (state[at] == 1)
            kiln_fbx_fail(f, f->objects[at].record, "the node is below itself; repair the file");
        for (at = i; state[at] == 1; at = parent[at] - 1)
            state[at] = 2;
    }
    free(parent);
    free(state);
}

/* Puts the nodes below one on the stack, so that the first is visited first. */
static void push_children(scene *s, uint32_t object, uint32_t parent)
{
    const fbx_object *o = &s->f.objects[object];

    KILN_ASSERT(o->kind == FBX_MODEL || o->kind == FBX_ROOT);
    for (uint32_t i = o->child_count; i-- > 0;) {
        const uint32_t child = s->f.children[o->child + i];

        if (s->f.objects[child].kind != FBX_MODEL)
            continue;
        s->stack = grow(s, s->stack, &s->stack_capacity, s->depth + 1, sizeof *s->stack);
        s->stack[s->depth++] = (pending){child, parent};
    }
}

/* Lists the geometry that a node shows, and its materials. */
static void list_shown(scene *s, uint32_t number)
{
    const fbx *f = &s->f;
    node *n = &s->nodes[number];
    const fbx_object *model = &f->objects[n->model];
    const size_t first = s->listed;
    /* Some programs write no attribute of the node. */
    bool levels = kiln_fbx_is_a(f, n->model, FBX_MODEL, "LodGroup");

    for (uint32_t i = 0; i < model->child_count; i++) {
        const uint32_t child = f->children[model->child + i];

        if (f->objects[child].kind != FBX_MATERIAL)
            continue;
        s->materials =
            grow(s, s->materials, &s->listed_capacity, s->listed + 1, sizeof *s->materials);
        s->materials[s->listed++] = s->number[child];
    }
    /* Its materials are the same for all that it shows; where they are is known when the list is
     * complete. */
    n->first = s->shown_count;
    for (uint32_t i = 0; i < model->child_count; i++) {
        const uint32_t child = f->children[model->child + i];

        levels |= kiln_fbx_is_a(f, child, FBX_ATTRIBUTE, "LodGroup");
        if (f->objects[child].kind != FBX_GEOMETRY)
            continue;
        s->shown = grow(s, s->shown, &s->shown_capacity, s->shown_count + 1, sizeof *s->shown);
        s->shown[s->shown_count++] = (showing){.node = number,
                                               .geometry = child,
                                               .skinned = s->skinned[child],
                                               .material_count = (uint32_t)(s->listed - first)};
    }
    n->showing = s->shown_count - n->first;
    if (levels)
        kiln_fbx_warn(f, model->record,
                      "the node has several levels of detail, and all of them are read; export one "
                      "of them");
}

/* Depth-first, so that the place of a parent is known before those of its children, and nodes are
 * sent in the order in which the scene wants them. */
static void walk(scene *s)
{
    const fbx *f = &s->f;
    const fbx_properties defaults = kiln_fbx_template(f, "Model");
    const fbx_place origin = kiln_fbx_origin();
    size_t materials = 0;

    s->node_of = kiln_fbx_alloc(f, f->object_count, sizeof *s->node_of);
    push_children(s, 0, FBX_NONE);
    while (s->depth > 0) {
        const pending at = s->stack[--s->depth];
        const uint32_t number = (uint32_t)s->node_count;

        const fbx_place place = kiln_fbx_place(
            f, at.model, &defaults, at.parent != FBX_NONE ? &s->nodes[at.parent].place : &origin);

        KILN_ASSERT(s->node_of[at.model] == 0); /* one parent each, and no cycle */
        s->nodes = grow(s, s->nodes, &s->node_capacity, s->node_count + 1, sizeof *s->nodes);
        s->nodes[s->node_count++] = (node){.model = at.model, .parent = at.parent, .place = place};
        s->node_of[at.model] = number + 1;
        list_shown(s, number);
        push_children(s, at.model, number);
    }
    /* The list of materials moves no more. Nodes that show nothing have none in it that count. */
    for (size_t i = 0; i < s->node_count; i++) {
        const fbx_object *model = &f->objects[s->nodes[i].model];
        uint32_t own = 0;

        for (uint32_t j = 0; j < model->child_count; j++)
            own += f->objects[f->children[model->child + j]].kind == FBX_MATERIAL;
        for (size_t j = 0; j < s->nodes[i].showing; j++)
            s->shown[s->nodes[i].first + j].materials = s->materials + materials;
        materials += own;
    }
    KILN_ASSERT(materials == s->listed);
}

static const fbx_place *place_of(const void *of, uint32_t model)
{
    const scene *s = of;

    return s->node_of[model] != 0 ? &s->nodes[s->node_of[model] - 1].place : NULL;
}

/* -- meshes -- */

/* Numbers materials, and the geometry that is meshes. What a geometry is is found once, since any
 * number of nodes may show it. */
static void number_objects(scene *s)
{
    const fbx *f = &s->f;

    s->number = kiln_fbx_alloc(f, f->object_count, sizeof *s->number);
    s->kind = kiln_fbx_alloc(f, f->object_count, sizeof *s->kind);
    s->skinned = kiln_fbx_alloc(f, f->object_count, sizeof *s->skinned);
    for (uint32_t i = 0; i < f->object_count; i++) {
        if (f->objects[i].kind == FBX_MATERIAL)
            s->number[i] = s->material_count++;
        if (f->objects[i].kind != FBX_GEOMETRY)
            continue;
        s->kind[i] = (uint8_t)kiln_fbx_geometry_kind(f, i);
        s->skinned[i] = kiln_fbx_is_skinned(f, i);
        if (s->kind[i] == FBX_MESH)
            s->number[i] = s->mesh_count++;
    }
    s->plain = kiln_fbx_alloc(f, s->mesh_count, sizeof *s->plain);
}

/* By geometry, and then by what makes another mesh of it. */
static int compare_shown(const showing *p, const showing *q)
{
    if (p->geometry != q->geometry)
        return p->geometry < q->geometry ? -1 : 1;
    if (p->skinned)
        return p->node != q->node ? (p->node < q->node ? -1 : 1) : 0;
    if (p->material_count != q->material_count)
        return p->material_count < q->material_count ? -1 : 1;
    for (uint32_t i = 0; i < p->material_count; i++)
        if (p->materials[i] != q->materials[i])
            return p->materials[i] < q->materials[i] ? -1 : 1;
    return 0;
}

/* The same for sorting: equal ones by their nodes. */
static int compare_pointers(const void *a, const void *b)
{
    const showing *p = *(showing *const *)a, *q = *(showing *const *)b;
    const int order = compare_shown(p, q);

    KILN_ASSERT(p->skinned == q->skinned || p->geometry != q->geometry);
    return order != 0 ? order : p->node < q->node ? -1 : p->node > q->node;
}

/* Gives each geometry that is shown the number of a mesh. Sorting brings together what is one. */
static void number_meshes(scene *s)
{
    const fbx *f = &s->f;
    showing **sorted = kiln_fbx_alloc(f, s->shown_count, sizeof *sorted);
    size_t count = 0;

    for (size_t i = 0; i < s->shown_count; i++)
        if (s->kind[s->shown[i].geometry] == FBX_MESH)
            sorted[count++] = &s->shown[i];
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, compare_pointers);
    for (size_t i = 0; i < count; i++) {
        showing *at = sorted[i];
        const uint32_t base = s->number[at->geometry];
        const size_t own = (size_t)(at - s->shown);

        KILN_ASSERT(base < s->mesh_count && own < s->shown_count);
        if (i > 0 && compare_shown(sorted[i - 1], at) == 0) {
            at->mesh = sorted[i - 1]->mesh;
        } else if (s->plain[base] == 0) {
            s->plain[base] = own + 1;
            at->mesh = base;
        } else {
            if (s->mesh_count + s->variant_count >= INT32_MAX)
                kiln_send_failure(f->reading->sender, KILN_BAKE_UNSUPPORTED,
                                  "more than 2147483647 meshes; split the model");
            s->variants = grow(s, s->variants, &s->variant_capacity, s->variant_count + 1,
                               sizeof *s->variants);
            s->variants[s->variant_count++] = (variant){own, base};
            at->mesh = (uint32_t)(s->mesh_count + s->variant_count - 1);
        }
    }
    free(sorted);
}

/* The name of a geometry, or, where it has none, as many programs leave it, that of the node which
 * shows it. */
static uint32_t send_mesh_name(const scene *s, uint32_t geometry, const showing *shown)
{
    char *name = kiln_fbx_name(&s->f, geometry);
    uint32_t sent;

    if (name[0] == '\0' && shown != NULL) {
        free(name);
        name = kiln_fbx_name(&s->f, s->nodes[shown->node].model);
    }
    sent = name[0] != '\0' ? kiln_send_string(s->f.reading->sender, name, strlen(name)) : 0;
    free(name);
    return sent;
}

/* Sends a mesh as it is shown; `shown` NULL: an empty one. */
static void send_mesh(scene *s, uint32_t geometry, const showing *shown, uint32_t pose_of)
{
    const fbx *f = &s->f;
    kiln_scene_mesh sent = {.pose_of = pose_of};

    KILN_ASSERT(pose_of == 0 || shown != NULL);
    if (shown != NULL) {
        fbx_shape shape = kiln_fbx_shape(f, geometry);

        kiln_fbx_morph(f, geometry, &shape);
        if (shown->skinned)
            kiln_fbx_skin(f, geometry, &s->nodes[shown->node].place, place_of, s, &shape);
        sent.face_count =
            kiln_fbx_send_geometry(f, geometry, &shape, shown->materials, shown->material_count,
                                   s->material_count, &s->without);
        sent.vertex_count = shape.count;
        free(shape.positions);
        if (sent.face_count == 0 && pose_of == 0) {
            char *name = kiln_fbx_name(f, geometry);

            f->reading->facts.empty_meshes++;
            kiln_send_warning(f->reading->sender, "mesh \"%.500s\" has no face", name);
            free(name);
        }
    }
    sent.name = send_mesh_name(s, geometry, shown);
    kiln_send(f->reading->sender, KILN_ARRAY_MESHES, &sent, 1);
}

/* Only one shape is in memory at a time. */
static void send_meshes(scene *s)
{
    const fbx *f = &s->f;

    for (uint32_t i = 0; i < f->object_count; i++) {
        const fbx_object *object = &f->objects[i];
        size_t plain;
        uint64_t faces;
        char *name;

        if (object->kind != FBX_GEOMETRY || s->kind[i] != FBX_MESH)
            continue;
        plain = s->plain[s->number[i]];
        send_mesh(s, i, plain != 0 ? &s->shown[plain - 1] : NULL, 0);
        faces = plain == 0 ? kiln_fbx_count_faces(f, i) : 0;
        if (faces == 0)
            continue;
        name = kiln_fbx_name(f, i);
        kiln_send_warning(f->reading->sender,
                          "mesh \"%.500s\" is shown by no node: its %llu faces are left out", name,
                          (unsigned long long)faces);
        free(name);
    }
    for (size_t i = 0; i < s->variant_count; i++) {
        const showing *shown = &s->shown[s->variants[i].showing];

        send_mesh(s, shown->geometry, shown, s->variants[i].base + 1);
    }
}

/* Sends the materials of the file, and last that of faces which have none. */
static void send_materials(const scene *s)
{
    const fbx *f = &s->f;

    for (uint32_t i = 0; i < f->object_count; i++) {
        char *name;

        if (f->objects[i].kind != FBX_MATERIAL)
            continue;
        name = kiln_fbx_name(f, i);
        kiln_send_u32(f->reading->sender, KILN_ARRAY_MATERIALS,
                      kiln_send_string(f->reading->sender, name, strlen(name)));
        free(name);
    }
    if (s->without || s->material_count == 0)
        kiln_read_default_material(f->reading);
}

/* -- nodes -- */

/* Sends a node at a place in the scene. Of what the node `of` shows, it shows that which joints
 * place or that which they do not; `of` NULL: nothing. Returns its number. */
static uint32_t send_node(scene *s, uint32_t parent, uint32_t name, const kiln_affine *global,
                          const node *of, bool skinned)
{
    kiln_scene_node sent = {.parent = parent, .name = name, .absolute = 1};

    KILN_ASSERT(parent == KILN_SCENE_NONE || parent < s->sent);
    sent.matrix[15] = 1;
    for (int i = 0; i < 12; i++)
        sent.matrix[i] = global->m[i / 4][i % 4];
    for (size_t i = 0; of != NULL && i < of->showing; i++) {
        const showing *shown = &s->shown[of->first + i];

        /* Curves and such are no meshes, and have no number among these. */
        if (shown->skinned != skinned || s->kind[shown->geometry] != FBX_MESH)
            continue;
        kiln_send_u32(s->f.reading->sender, KILN_ARRAY_PLACES, shown->mesh);
        sent.place_count++;
    }
    kiln_send(s->f.reading->sender, KILN_ARRAY_NODES, &sent, 1);
    return s->sent++;
}

/* Whether a node shows geometry that joints place, or other: each kind has a node of the scene of
 * its own. */
static bool shows(const scene *s, const node *n, bool skinned)
{
    for (size_t i = 0; i < n->showing; i++)
        if (s->shown[n->first + i].skinned == skinned)
            return true;
    return false;
}

static void send_nodes(scene *s)
{
    const fbx *f = &s->f;
    const kiln_affine still = kiln_fbx_origin().global;
    const uint32_t root =
        send_node(s, KILN_SCENE_NONE, kiln_send_string(f->reading->sender, "RootNode", 8), &still,
                  NULL, false);

    for (size_t i = 0; i < s->node_count; i++) {
        node *n = &s->nodes[i];
        const fbx_place *place = &n->place;
        const uint32_t parent = n->parent != FBX_NONE ? s->nodes[n->parent].sent : root;
        char *name = kiln_fbx_name(f, n->model);
        char numbered[32];
        uint32_t sent;

        snprintf(numbered, sizeof numbered, "nodes[%zu]", i);
        sent = name[0] != '\0' ? kiln_send_string(f->reading->sender, name, strlen(name))
                               : kiln_send_string(f->reading->sender, numbered, strlen(numbered));
        n->sent =
            send_node(s, parent, sent, &place->global, place->has_geometric ? NULL : n, false);
        if (place->has_geometric && shows(s, n, false)) {
            const kiln_affine global = kiln_affine_join(&place->global, &place->geometric);

            (void)send_node(s, parent, sent, &global, n, false);
        }
        if (shows(s, n, true))
            (void)send_node(s, parent, sent, &still, n, true);
        free(name);
    }
}

/* -- what is left out -- */

/* Reports nodes that no walk from the root reaches, and that would show a mesh which another node
 * shows: of one that none shows, send_meshes reports how many faces are left out. */
static void look_at_unreached(const scene *s)
{
    const fbx *f = &s->f;
    uint32_t count = 0, example = 0;

    KILN_ASSERT(s->node_of != NULL);
    for (uint32_t i = 0; i < f->object_count; i++) {
        const fbx_object *object = &f->objects[i];
        bool has = false;

        if (object->kind != FBX_MODEL || s->node_of[i] != 0)
            continue;
        for (uint32_t j = 0; j < object->child_count; j++) {
            const uint32_t child = f->children[object->child + j];

            has |= f->objects[child].kind == FBX_GEOMETRY && s->kind[child] == FBX_MESH &&
                   s->plain[s->number[child]] != 0;
        }
        if (has && count++ == 0)
            example = i;
    }
    if (count > 0)
        kiln_fbx_warn(f, f->objects[example].record,
                      "nodes (%lu) that show meshes are not connected to the root, not even by "
                      "others, and are left out; connect them, or export again",
                      (unsigned long)count);
}

/* Lines are counted; curves and surfaces by control points are no meshes. Constraints would move
 * nodes, but programs write the transforms that they lead to, so that one warning is enough. */
static void look_at_others(const scene *s)
{
    const fbx *f = &s->f;
    bool *seen = kiln_fbx_alloc(f, f->object_count, sizeof *seen);
    uint32_t constraints = 0, example = 0;

    for (size_t i = 0; i < s->shown_count; i++) {
        const uint32_t geometry = s->shown[i].geometry;
        const uint8_t kind = s->kind[geometry];

        if (seen[geometry])
            continue;
        seen[geometry] = true;
        if (kind == FBX_LINES)
            f->reading->facts.lines += kiln_fbx_count_lines(f, geometry);
        if (kind == FBX_OTHER || kind == FBX_TARGET)
            kiln_fbx_warn(f, f->objects[geometry].record,
                          "a geometry that is no mesh, such as a curve or a surface by its control "
                          "points, is left out; export meshes");
    }
    for (uint32_t i = 0; i < f->object_count; i++) {
        fbx_properties p;

        if (f->objects[i].kind != FBX_CONSTRAINT)
            continue;
        p = kiln_fbx_properties(f, f->objects[i].record, NULL);
        if (kiln_fbx_property(f, &p, FBX_ACTIVE, 1) == 0)
            continue;
        example = constraints++ == 0 ? i : example;
    }
    if (constraints > 0)
        kiln_fbx_warn(f, f->objects[example].record,
                      "constraints (%lu) are not applied: nodes stay where their own transforms "
                      "have them; bake them when exporting",
                      (unsigned long)constraints);
    free(seen);
}

void kiln_read_fbx(kiln_reading *reading)
{
    scene s = {.nodes = NULL};

    kiln_fbx_open(&s.f, reading);
    find_units(&s.f);
    number_objects(&s);
    check_parents(&s);
    walk(&s);
    number_meshes(&s);
    look_at_others(&s);
    look_at_unreached(&s);
    send_nodes(&s);
    send_meshes(&s);
    /* Last: only now it is known whether any polygon has none. */
    send_materials(&s);
    free(s.nodes);
    free(s.node_of);
    free(s.stack);
    free(s.number);
    free(s.kind);
    free(s.skinned);
    free(s.plain);
    free(s.shown);
    free(s.materials);
    free(s.variants);
    kiln_fbx_close(&s.f);
}
