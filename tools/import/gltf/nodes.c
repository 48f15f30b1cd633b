/* Reader of glTF 2.0 (Khronos Group, "glTF 2.0 Specification", 2.0.1, 2021), with those of its
 * extensions that geometry depends on: KHR_mesh_quantization, KHR_draco_mesh_compression,
 * EXT_meshopt_compression and EXT_mesh_gpu_instancing. README.md of this folder lists what is read,
 * what is refused and which test shows it.
 *
 * document.c has the container and the JSON, buffer.c and accessor.c the data, primitive.c vertices
 * and faces, pose.c transforms. Here the scene is walked, depth-first from its roots, with a stack
 * of our own. Each primitive of each mesh is a mesh of the scene, in the order of the file; one
 * that no node shows is sent empty, so that numbers stay what they are. A mesh that a node shows by
 * a skin, or with morph weights of its own, is sent once more, in that shape, after all others, and
 * counts as the same mesh.
 *
 * A skinned mesh is placed by its joints alone: it is shown by a second node of the same name and
 * parent, whose place does not depend on the parent's. Instances of a node are nodes below it,
 * named by their numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "../../common/memory.h"
#include "accessor.h"
#include "document.h"
#include "pose.h"
#include "primitive.h"

/* A mesh in another shape than its own. */
typedef struct {
    size_t mesh, node;
    size_t skin; /* SIZE_MAX: none */
} posed_mesh;

typedef struct {
    uint32_t node, parent; /* of the document; of the scene */
} pending;

typedef struct {
    gltf g;
    gltf_nodes nodes;
    uint32_t *first; /* of each mesh, the number of its first primitive; and of all at the end */
    bool *plain;     /* of each mesh, whether a node shows it in its own shape */
    bool *shown;     /* or in any */
    posed_mesh *posed;
    size_t posed_count, posed_capacity;
    uint32_t posed_primitives;
    pending *stack;
    size_t depth, stack_capacity;
    uint32_t sent; /* nodes of the scene */
    uint64_t hidden;
} scene;

/* -- nodes -- */

static void push(scene *s, uint32_t node, uint32_t parent)
{
    void *stack = s->stack;
    const bool room = kiln_grow(&stack, &s->stack_capacity, s->depth + 1, sizeof(pending));

    s->stack = stack;
    if (!room)
        kiln_read_no_memory(s->g.reading);
    s->stack[s->depth++] = (pending){node, parent};
}

/* Sends a node of the scene; returns its number. */
static uint32_t send_node(scene *s, uint32_t parent, uint32_t name, const kiln_affine *transform,
                          uint32_t places, bool absolute)
{
    kiln_scene_node node = {
        .parent = parent, .name = name, .place_count = places, .absolute = absolute};

    node.matrix[15] = 1;
    for (int i = 0; i < 12; i++)
        node.matrix[i] = transform->m[i / 4][i % 4];
    kiln_send(s->g.reading->sender, KILN_ARRAY_NODES, &node, 1);
    return s->sent++;
}

static void send_places(scene *s, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        kiln_send_u32(s->g.reading->sender, KILN_ARRAY_PLACES, first + i);
}

static const kiln_affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/* An attribute of the instances of a node; NULL bytes: there is none. */
static uint8_t *load_instances(scene *s, const gltf_place *attributes, const char *name,
                               unsigned elements, gltf_shape *shape)
{
    const gltf_place at = kiln_gltf_member(attributes, name);
    const size_t accessor = kiln_gltf_reference(&s->g, attributes, name, GLTF_ACCESSORS);
    const unsigned types =
        elements == 4 ? GLTF_IS_FLOAT | GLTF_IS_BYTE | GLTF_IS_SHORT : GLTF_IS_FLOAT;
    gltf_shape own;

    if (accessor == SIZE_MAX)
        return NULL;
    own = kiln_gltf_shape(&s->g, accessor, types, elements);
    if (shape->count != 0 && own.count != shape->count)
        kiln_gltf_fail(&s->g, &at, "%llu instances, where another attribute has %llu",
                       (unsigned long long)own.count, (unsigned long long)shape->count);
    *shape = own;
    if (own.type != GLTF_FLOAT)
        shape->normalized = true;
    return kiln_gltf_load(&s->g, &own, GLTF_OF_INSTANCES);
}

/* Sends the instances of a node below it. */
static void send_instances(scene *s, const gltf_place *extension, uint32_t node, uint32_t first,
                           uint32_t count)
{
    /* Bytes of a quaternion are as far from a unit one as their steps: 4 of 1/254. */
    const double float_tolerance = 1e-3, byte_tolerance = 1.6e-2;
    const gltf_place attributes = kiln_gltf_object(&s->g, extension, "attributes");
    gltf_shape moves = {0}, turns = {0}, sizes = {0};
    uint8_t *move = load_instances(s, &attributes, "TRANSLATION", 3, &moves), *turn, *size;
    uint64_t instances;

    turns.count = moves.count;
    turn = load_instances(s, &attributes, "ROTATION", 4, &turns);
    sizes.count = turns.count;
    size = load_instances(s, &attributes, "SCALE", 3, &sizes);
    instances = sizes.count;
    if (instances == 0)
        kiln_gltf_fail(&s->g, extension, "the instances have no translation, rotation or scale");
    for (uint64_t i = 0; i < instances; i++) {
        double translation[3] = {0, 0, 0}, rotation[4] = {0, 0, 0, 1}, scale[3] = {1, 1, 1};
        kiln_affine transform;
        char name[24];
        int length;

        for (size_t k = 0; k < 3; k++) {
            translation[k] = move != NULL ? kiln_gltf_value(&moves, move, 3 * i + k) : 0;
            scale[k] = size != NULL ? kiln_gltf_value(&sizes, size, 3 * i + k) : 1;
        }
        for (size_t k = 0; turn != NULL && k < 4; k++)
            rotation[k] = kiln_gltf_value(&turns, turn, 4 * i + k);
        transform = kiln_gltf_compose(&s->g, extension, translation, rotation, scale,
                                      turns.type == GLTF_BYTE ? byte_tolerance : float_tolerance);
        length = snprintf(name, sizeof name, "%llu", (unsigned long long)i);
        (void)send_node(s, node, kiln_send_string(s->g.reading->sender, name, (size_t)length),
                        &transform, count, false);
        send_places(s, first, count);
    }
    free(move);
    free(turn);
    free(size);
}

/* Notes that a mesh is shown in another shape; returns the number of its first primitive. */
static uint32_t add_posed(scene *s, size_t mesh, size_t node, size_t skin)
{
    const uint32_t all = s->first[kiln_gltf_count(&s->g.lists[GLTF_MESHES])];
    const uint32_t first = all + s->posed_primitives, count = s->first[mesh + 1] - s->first[mesh];
    void *items = s->posed;
    const bool room = kiln_grow(&items, &s->posed_capacity, s->posed_count + 1, sizeof(posed_mesh));

    s->posed = items;
    if (!room)
        kiln_read_no_memory(s->g.reading);
    if (count > 0x7FFFFFFF - first)
        kiln_gltf_fail_unsupported(&s->g, NULL, "more than 2147483647 meshes; split the model");
    s->posed[s->posed_count++] = (posed_mesh){mesh, node, skin};
    s->posed_primitives += count;
    return first;
}

/* Sends a node with what it shows, and puts its children on the stack. */
static void visit(scene *s, pending at)
{
    gltf *g = &s->g;
    const gltf_place node = kiln_gltf_item(&g->lists[GLTF_NODES], at.node);
    const gltf_place children = kiln_gltf_array(g, &node, "children");
    const gltf_place skin_place = kiln_gltf_member(&node, "skin");
    const gltf_place extensions = kiln_gltf_member(&node, "extensions");
    const gltf_place instances = kiln_gltf_extension(g, &extensions, "EXT_mesh_gpu_instancing");
    const gltf_place visible = kiln_gltf_extension(g, &extensions, "KHR_node_visibility");
    const size_t mesh = kiln_gltf_reference(g, &node, "mesh", GLTF_MESHES);
    const size_t skin = kiln_gltf_reference(g, &node, "skin", GLTF_SKINS);
    const char *text = kiln_gltf_text(g, &node, "name");
    const kiln_affine transform = kiln_gltf_transform(g, &node);
    uint32_t first = 0, count = 0, name, number;
    bool own = true;
    char numbered[32];

    if (text == NULL || text[0] == '\0') {
        snprintf(numbered, sizeof numbered, "nodes[%lu]", (unsigned long)at.node);
        text = numbered;
    }
    name = kiln_send_string(g->reading->sender, text, strlen(text));
    s->hidden += json_is_false(json_object_get(visible.json, "visible"));
    if (mesh == SIZE_MAX && skin != SIZE_MAX)
        kiln_gltf_fail(g, &skin_place, "a node with a skin needs a mesh");
    if (mesh != SIZE_MAX) {
        count = s->first[mesh + 1] - s->first[mesh];
        own = skin == SIZE_MAX && json_object_get(node.json, "weights") == NULL;
        first = own ? s->first[mesh] : add_posed(s, mesh, at.node, skin);
        s->plain[mesh] |= own;
        s->shown[mesh] = true;
    }
    if (skin != SIZE_MAX && instances.json != NULL)
        kiln_gltf_fail_unsupported(g, &instances,
                                   "instances of a skinned mesh have no meaning; export the model "
                                   "without them");
    own = skin == SIZE_MAX && instances.json == NULL;
    number = send_node(s, at.parent, name, &transform, own ? count : 0, false);
    if (own)
        send_places(s, first, count);
    if (skin != SIZE_MAX) {
        (void)send_node(s, at.parent, name, &identity, count, true);
        send_places(s, first, count);
    }
    if (instances.json != NULL && count > 0)
        send_instances(s, &instances, number, first, count);
    for (size_t i = kiln_gltf_count(&children); i-- > 0;) {
        const gltf_place child = kiln_gltf_item(&children, i);

        push(s, (uint32_t)kiln_gltf_reference_at(g, &child, GLTF_NODES), number);
    }
}

/* Puts the roots on the stack, the last first. Without a scene, all nodes without a parent count.
 */
static void push_roots(scene *s)
{
    gltf *g = &s->g;
    const gltf_place *scenes = &g->lists[GLTF_SCENES];
    const size_t node_count = kiln_gltf_count(&g->lists[GLTF_NODES]);
    const size_t wanted = kiln_gltf_reference(g, &g->root, "scene", GLTF_SCENES);
    const size_t number = wanted != SIZE_MAX ? wanted : 0, count = kiln_gltf_count(scenes);
    bool *taken = kiln_gltf_alloc(g, node_count, sizeof *taken);
    uint32_t parent = KILN_SCENE_NONE;
    size_t roots = 0;

    if (count > 1)
        kiln_send_warning(g->reading->sender, "only scene %zu of %zu is read", number, count);
    if (count == 0) {
        for (size_t i = 0; i < node_count; i++)
            if (s->nodes.parents[i] == GLTF_NO_PARENT)
                push(s, (uint32_t)i, parent);
        if (node_count > 0)
            kiln_send_warning(g->reading->sender,
                              "there is no scene: all nodes are read, %zu of them without a parent",
                              s->depth);
    } else {
        const gltf_place at = kiln_gltf_item(scenes, number);
        const gltf_place list = kiln_gltf_array(g, &at, "nodes");

        for (size_t i = 0; i < kiln_gltf_count(&list); i++) {
            const gltf_place root = kiln_gltf_item(&list, i);
            const size_t node = kiln_gltf_reference_at(g, &root, GLTF_NODES);

            if (s->nodes.parents[node] != GLTF_NO_PARENT || taken[node])
                kiln_gltf_fail(g, &root, "node %zu is %s", node,
                               taken[node] ? "named twice" : "no root: another node is its parent");
            taken[node] = true;
            push(s, (uint32_t)node, parent);
        }
    }
    /* Turned about, as a stack gives the last first. Several roots share one above them. */
    roots = s->depth;
    for (size_t i = 0; i < roots / 2; i++) {
        const pending other = s->stack[i];

        s->stack[i] = s->stack[roots - 1 - i];
        s->stack[roots - 1 - i] = other;
    }
    if (roots > 1)
        parent = send_node(s, KILN_SCENE_NONE, kiln_send_string(g->reading->sender, "ROOT", 4),
                           &identity, 0, false);
    for (size_t i = 0; i < roots; i++)
        s->stack[i].parent = parent;
    free(taken);
}

/* -- meshes -- */

/* Sends materials, and last the one of primitives that have none. */
static void send_materials(const scene *s)
{
    const gltf_place *list = &s->g.lists[GLTF_MATERIALS];

    for (size_t i = 0; i <= kiln_gltf_count(list); i++) {
        const char *name = NULL;

        if (i < kiln_gltf_count(list)) {
            const gltf_place at = kiln_gltf_item(list, i);

            name = kiln_gltf_text(&s->g, &at, "name");
        }
        kiln_send_u32(s->g.reading->sender, KILN_ARRAY_MATERIALS,
                      name != NULL && name[0] != '\0'
                          ? kiln_send_string(s->g.reading->sender, name, strlen(name))
                          : 0);
    }
}

/* Morph weights; NULL where there are none, or all are 0. *count is how many. */
static double *load_weights(const gltf *g, const gltf_place *at, size_t *count)
{
    const gltf_place list = kiln_gltf_array(g, at, "weights");
    double *weights;
    bool any = false;

    *count = kiln_gltf_count(&list);
    if (*count == 0)
        return NULL;
    weights = kiln_gltf_alloc(g, *count, sizeof *weights);
    (void)kiln_gltf_numbers(g, at, "weights", weights, *count);
    for (size_t i = 0; i < *count; i++)
        any |= weights[i] != 0;
    if (any)
        return weights;
    free(weights);
    return NULL;
}

/* Sends the primitives of a mesh: in the shape of `posed`, or, where that is NULL, in its own, or
 * empty where no node shows that. */
static void send_mesh(scene *s, size_t index, const posed_mesh *posed, bool residuals)
{
    gltf *g = &s->g;
    const gltf_place mesh = kiln_gltf_item(&g->lists[GLTF_MESHES], index);
    const gltf_place primitives = kiln_gltf_array(g, &mesh, "primitives");
    const gltf_place node =
        posed != NULL ? kiln_gltf_item(&g->lists[GLTF_NODES], posed->node) : mesh;
    const bool of_node = json_object_get(node.json, "weights") != NULL;
    const gltf_place *weighted = of_node ? &node : &mesh;
    const gltf_place weights = kiln_gltf_member(weighted, "weights");
    const size_t count = kiln_gltf_count(&primitives);
    const char *text = kiln_gltf_text(g, &mesh, "name");
    gltf_shape_of_mesh pose = {.residuals = residuals};
    double *own_weights = load_weights(g, weighted, &pose.weight_count);
    gltf_skin skin = {NULL, 0};
    char numbered[32], name[600];

    snprintf(numbered, sizeof numbered, "meshes[%zu]", index);
    text = text != NULL && text[0] != '\0' ? text : numbered;
    pose.weights = own_weights;
    if (posed != NULL && posed->skin != SIZE_MAX) {
        skin = kiln_gltf_skin(g, &s->nodes, posed->skin);
        pose.skin = &skin;
    }
    for (size_t i = 0; i < count; i++) {
        const gltf_place at = kiln_gltf_item(&primitives, i);
        const size_t material = kiln_gltf_reference(g, &at, "material", GLTF_MATERIALS);
        const uint32_t user =
            (uint32_t)(material != SIZE_MAX ? material
                                            : kiln_gltf_count(&g->lists[GLTF_MATERIALS]));
        kiln_scene_mesh sent = {.primitive = (uint32_t)i,
                                .pose_of = posed != NULL ? s->first[index] + (uint32_t)i + 1 : 0};
        const uint64_t left_out = g->reading->facts.points + g->reading->facts.lines;

        snprintf(name, sizeof name, count > 1 ? "%.500s-%zu" : "%.500s", text, i);
        sent.name = kiln_send_string(g->reading->sender, name, strlen(name));
        if (posed != NULL || s->plain[index]) {
            if (pose.weights != NULL && kiln_gltf_target_count(g, &at) != pose.weight_count)
                kiln_gltf_fail(g, &weights, "%zu weights, and primitive %zu has %zu morph targets",
                               pose.weight_count, i, kiln_gltf_target_count(g, &at));
            sent.face_count = kiln_gltf_send_primitive(g, &at, &pose, user, &sent.vertex_count);
            if (sent.face_count == 0 &&
                left_out == g->reading->facts.points + g->reading->facts.lines) {
                g->reading->facts.empty_meshes++;
                kiln_send_warning(g->reading->sender, "mesh \"%.500s\" has no face", name);
            }
        } else if (!s->shown[index] && kiln_gltf_count_faces(g, &at) > 0) {
            kiln_send_warning(g->reading->sender,
                              "mesh \"%.500s\" is shown by no node: its %llu faces are left out",
                              name, (unsigned long long)kiln_gltf_count_faces(g, &at));
        }
        kiln_send(g->reading->sender, KILN_ARRAY_MESHES, &sent, 1);
    }
    free(own_weights);
    free(skin.joints);
}

/* Whether any vertex is more than a float of the file. */
static bool needs_residuals(const scene *s)
{
    bool needed = s->g.quantized || s->posed_count > 0;

    for (size_t i = 0; i < kiln_gltf_count(&s->g.lists[GLTF_MESHES]) && !needed; i++) {
        const gltf_place mesh = kiln_gltf_item(&s->g.lists[GLTF_MESHES], i);
        size_t count;
        double *weights = s->plain[i] ? load_weights(&s->g, &mesh, &count) : NULL;

        needed = weights != NULL;
        free(weights);
    }
    return needed;
}

void kiln_read_gltf(kiln_reading *reading)
{
    scene s = {.posed = NULL};
    size_t meshes;
    bool residuals;

    if (!kiln_gltf_open(&s.g, reading))
        kiln_send_failure(reading->sender, (kiln_bake_status)KILN_SCENE_OTHER_READER, "glTF 1.0");
    reading->facts.unit = 1;
    reading->facts.up_declared = 1;
    reading->facts.exact = true;
    meshes = kiln_gltf_count(&s.g.lists[GLTF_MESHES]);
    s.first = kiln_gltf_alloc(&s.g, meshes + 1, sizeof *s.first);
    s.plain = kiln_gltf_alloc(&s.g, meshes, sizeof *s.plain);
    s.shown = kiln_gltf_alloc(&s.g, meshes, sizeof *s.shown);
    for (size_t i = 0; i < meshes; i++) {
        const gltf_place mesh = kiln_gltf_item(&s.g.lists[GLTF_MESHES], i);
        const gltf_place list = kiln_gltf_array(&s.g, &mesh, "primitives");

        s.first[i + 1] = s.first[i] + (uint32_t)kiln_gltf_count(&list);
        for (size_t j = 0; j < kiln_gltf_count(&list); j++) {
            const gltf_place at = kiln_gltf_item(&list, j);

            if (!json_is_object(at.json))
                kiln_gltf_fail(&s.g, &at, "it has to be an object");
        }
    }
    kiln_gltf_find_parents(&s.g, &s.nodes);
    push_roots(&s);
    while (s.depth > 0)
        visit(&s, s.stack[--s.depth]);
    if (s.hidden > 0)
        kiln_send_warning(reading->sender,
                          "%llu nodes are declared invisible (KHR_node_visibility) and are read "
                          "all the same",
                          (unsigned long long)s.hidden);
    send_materials(&s);
    residuals = needs_residuals(&s);
    for (size_t i = 0; i < meshes; i++)
        send_mesh(&s, i, NULL, residuals);
    for (size_t i = 0; i < s.posed_count; i++)
        send_mesh(&s, s.posed[i].mesh, &s.posed[i], residuals);
    kiln_gltf_free_nodes(&s.nodes);
    free(s.first);
    free(s.plain);
    free(s.shown);
    free(s.posed);
    free(s.stack);
    kiln_gltf_close(&s.g);
}
