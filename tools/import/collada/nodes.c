/* Reader of Collada (Khronos, COLLADA 1.4.1 and 1.5.0). README.md of this folder lists what is
 * read, what is refused and which test shows it.
 *
 * document.c has the XML, accessor.c the sources, geometry.c vertices and faces, pose.c transforms
 * and controllers. Here the scene is walked, depth-first with a stack of our own; a node that is
 * instanced is walked wherever it is. Each primitive of each geometry is a mesh of the scene, in
 * the order of the file; one that no node shows is sent empty, so that numbers stay what they are.
 * What is shown with other materials, or by a controller, is sent once more after all others, and
 * counts as the same mesh.
 *
 * The root has the unit and the up axis of the document: all comes out in metres, with y up. A
 * skinned mesh is placed by its joints alone: it is shown by a second node of the same name and
 * parent, whose place depends on the root only.
 *
 * Nodes that instance nodes multiply: a few lines may mean more nodes than fit anywhere. The walk
 * ends at NODES_MOST, and a node that is below itself is found by the marks of those that are open.
 * What a node shows is kept as numbers of meshes; vertices are read when all nodes are sent, one
 * geometry or one controller after the other, so that only one shape is in memory at a time. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "document.h"
#include "geometry.h"
#include "pose.h"

/* Nodes of a scene, with all instances; a few levels that instance each other twice are more. */
enum { NODES_MOST = 1 << 22 };

/* What a geometry is for. */
enum { UNUSED, USED_ELSEWHERE /* a target of morphing, or a shape of physics */, SHOWN };

/* A primitive as it is shown with materials or in a shape that its geometry's first has not. */
typedef struct {
    uint32_t primitive, base; /* the element; its number */
    uint32_t material;
    uint32_t instance; /* the <instance_controller>, or DAE_NONE */
    uint32_t controller;
    uint32_t next;  /* another of this base; DAE_NONE: none */
    uint32_t place; /* of the node that shows a skin */
    bool again;     /* the instance has others, at other places */
} variant;

/* A primitive of a geometry, in its own shape. */
typedef struct {
    uint32_t geometry, primitive; /* elements */
    uint32_t number;              /* within its mesh */
    uint32_t material;            /* with which it is shown first */
    uint32_t variants;            /* the first of them, or DAE_NONE */
    bool plain;                   /* whether a node shows it so */
} base;

/* A material of an instance, by the symbol that primitives have. */
typedef struct {
    const char *symbol;
    uint32_t element;
} binding;

typedef struct {
    uint32_t element;
    uint32_t parent; /* of the scene */
    uint32_t depth;
    bool leave;
    size_t place;      /* of one that is left */
    kiln_affine above; /* the transform of the parent, to the scene */
} pending;

typedef struct {
    dae d;
    kiln_affine root;
    base *bases;
    size_t base_count, base_capacity;
    uint32_t *first;   /* of a geometry, the number of its first primitive; of a node, its number */
    uint8_t *used;     /* of a geometry, as below */
    bool *open;        /* of a node: it is above the one that is visited */
    uint32_t *number;  /* of a material; of a geometry, how many primitives it has */
    uint32_t *variant; /* of an <instance_controller>, 1 + the first of its variants */
    variant *variants;
    size_t variant_count, variant_capacity;
    kiln_list bindings; /* sorted, of the instance `bound`; none is the root */
    uint32_t bound;
    dae_places places; /* where there are controllers */
    size_t visited;    /* of these, the node that is visited */
    pending *stack;
    size_t depth, stack_capacity;
    uint32_t *shown; /* meshes of the node that is visited */
    size_t shown_count, shown_capacity;
    uint32_t material_count, sent; /* nodes of the scene */
    bool has_controllers, default_material;
} scene;

/* -- unit and axis -- */

/* The unit that an <asset> declares, in metres; 0: none. */
static double unit_of(const dae *d, uint32_t asset)
{
    const uint32_t unit = kiln_dae_child(d, asset, DAE_UNIT);
    const char *text = unit != DAE_NONE ? kiln_dae_attribute(d, unit, "meter") : NULL;
    double value;
    size_t length;
    char *own, *comma;

    if (text == NULL)
        return 0;
    length = strlen(text);
    own = kiln_dae_alloc(d, length, 1);
    memcpy(own, text, length);
    comma = strchr(own, ',');
    if (comma != NULL)
        *comma = '.';
    if (!kiln_token_number(own, length, &value))
        kiln_dae_fail(d, unit,
                      "declares a unit of \"%.40s\" metres, which is no number; repair the "
                      "unit",
                      text);
    if (!(value > 0 && isfinite(value)))
        kiln_dae_fail(d, unit, "declares a unit of %g metres; repair the unit", value);
    /* Written where decimals have a comma. */
    if (comma != NULL)
        kiln_dae_warn(d, unit, "declares a unit of \"%.40s\" metres, with a comma; %.40s is taken",
                      text, own);
    free(own);
    return value;
}

/* 0 x, 1 y, 2 z; -1: none is declared. */
static int axis_of(const dae *d, uint32_t asset)
{
    const uint32_t element = kiln_dae_child(d, asset, DAE_UP_AXIS);
    char *text = element != DAE_NONE ? kiln_dae_text(d, element) : NULL;
    int axis = -1;

    if (text == NULL)
        return axis;
    if (text[0] >= 'X' && text[0] <= 'Z' && strcmp(text + 1, "_UP") == 0)
        axis = text[0] - 'X';
    else
        kiln_dae_fail(d, element, "is \"%.40s\", and not X_UP, Y_UP or Z_UP; repair the axis",
                      text);
    free(text);
    return axis;
}

/* An <asset> counts for what it is in. Others than the document's are warned of where they say
 * otherwise. */
static void find_units(scene *s)
{
    kiln_scene_facts *facts = &s->d.reading->facts;
    const uint32_t own = kiln_dae_child(&s->d, 0, DAE_ASSET);

    /* Decimals are rounded once, and what that loses goes along with them. */
    facts->exact = true;
    if (own != DAE_NONE) {
        facts->unit = unit_of(&s->d, own);
        facts->up_declared = axis_of(&s->d, own);
    }
    for (uint32_t i = 0; i < s->d.count; i++) {
        double unit;
        int axis;

        if (s->d.elements[i].tag != DAE_ASSET || i == own)
            continue;
        /* What is not declared is a metre, with y up. */
        unit = unit_of(&s->d, i);
        axis = axis_of(&s->d, i);
        if ((unit != 0 && unit != (facts->unit != 0 ? facts->unit : 1)) ||
            (axis >= 0 && axis != (facts->up_declared >= 0 ? facts->up_declared : 1)))
            kiln_dae_warn(&s->d, i,
                          "declares another unit or up axis than that of the document; it "
                          "is left out");
    }
    KILN_ASSERT(facts->unit >= 0 && facts->up_declared < 3);
    s->root = kiln_affine_of_options(facts->unit != 0 ? facts->unit : 1,
                                     facts->up_declared >= 0 ? facts->up_declared : 1, 1);
}

/* -- what the document has -- */

/* Geometry that is no mesh, or the hull of another, is left out. */
static void warn_of_other_geometry(const scene *s, uint32_t geometry)
{
    static const dae_tag others[] = {DAE_CONVEX_MESH, DAE_SPLINE, DAE_BREP};
    const char *id = kiln_dae_attribute(&s->d, geometry, "id");

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (kiln_dae_child(&s->d, geometry, others[i]) != DAE_NONE)
            kiln_dae_warn(&s->d, geometry, "\"%.200s\" is a <%s>, which is left out; export meshes",
                          id != NULL ? id : "", kiln_dae_name(others[i]));
}

/* Numbers primitives, nodes and materials. */
static void list_elements(scene *s)
{
    const dae *d = &s->d;
    uint32_t nodes = 0;

    s->first = kiln_dae_alloc(d, d->count, sizeof *s->first);
    s->used = kiln_dae_alloc(d, d->count, sizeof *s->used);
    s->open = kiln_dae_alloc(d, d->count, sizeof *s->open);
    s->number = kiln_dae_alloc(d, d->count, sizeof *s->number);
    s->variant = kiln_dae_alloc(d, d->count, sizeof *s->variant);
    for (uint32_t i = 0; i < d->count; i++) {
        const dae_tag tag = d->elements[i].tag;
        uint32_t mesh, number = 0;

        s->has_controllers |= tag == DAE_CONTROLLER;
        if (tag == DAE_NODE)
            s->first[i] = nodes++;
        if (tag == DAE_MATERIAL)
            s->number[i] = s->material_count++;
        if (tag != DAE_GEOMETRY)
            continue;
        s->first[i] = (uint32_t)s->base_count;
        mesh = kiln_dae_mesh(d, i);
        if (mesh == DAE_NONE)
            warn_of_other_geometry(s, i);
        for (uint32_t at = mesh != DAE_NONE ? d->elements[mesh].first : DAE_NONE; at != DAE_NONE;
             at = d->elements[at].next) {
            if ((DAE_IS(d->elements[at].tag) & DAE_PRIMITIVES) == 0)
                continue;
            s->bases = kiln_dae_grow(&s->d, s->bases, &s->base_capacity, s->base_count + 1,
                                     sizeof *s->bases);
            s->bases[s->base_count++] =
                (base){.geometry = i, .primitive = at, .number = number++, .variants = DAE_NONE};
        }
        s->number[i] = number;
    }
    /* Shapes of physics are made of geometry that nobody sees. */
    for (size_t i = 0; i < d->shape_count; i++) {
        const uint32_t geometry = kiln_dae_find(d, 0, d->text + d->shapes[i], DAE_IS(DAE_GEOMETRY));

        if (geometry != DAE_NONE)
            s->used[geometry] = USED_ELSEWHERE;
    }
}

/* -- materials -- */

/* By symbol, and in the order of the document. */
static int compare_bindings(const void *a, const void *b)
{
    const binding *p = a, *q = b;
    const int by_symbol = strcmp(p->symbol, q->symbol);

    return by_symbol != 0 ? by_symbol : p->element < q->element ? -1 : p->element > q->element;
}

/* Sorts what an instance binds to symbols: it may be as many as the primitives that it shows. */
static void list_bindings(scene *s, uint32_t instance)
{
    const dae *d = &s->d;
    const uint32_t bind = kiln_dae_child(d, instance, DAE_BIND_MATERIAL);
    const uint32_t common =
        bind != DAE_NONE ? kiln_dae_child(d, bind, DAE_TECHNIQUE_COMMON) : DAE_NONE;

    s->bindings.count = 0;
    s->bound = instance;
    for (uint32_t at = common != DAE_NONE ? kiln_dae_child(d, common, DAE_INSTANCE_MATERIAL)
                                          : DAE_NONE;
         at != DAE_NONE; at = kiln_dae_next(d, at)) {
        const char *symbol = kiln_dae_attribute(d, at, "symbol");

        if (symbol != NULL)
            *(binding *)kiln_list_add(d->reading, &s->bindings, sizeof(binding)) =
                (binding){symbol, at};
    }
    if (s->bindings.count > 0)
        qsort(s->bindings.items, s->bindings.count, sizeof(binding), compare_bindings);
}

/* The material that a primitive has where it is shown by an instance: the first that is bound to
 * its symbol. */
static uint32_t material_of(scene *s, uint32_t instance, uint32_t primitive)
{
    const dae *d = &s->d;
    const char *symbol = kiln_dae_attribute(d, primitive, "material");
    const binding *all;
    uint32_t material = DAE_NONE;
    size_t low = 0, high;

    if (s->bound != instance)
        list_bindings(s, instance);
    all = s->bindings.items;
    for (high = symbol != NULL ? s->bindings.count : 0; low < high;) {
        const size_t middle = low + (high - low) / 2;

        if (strcmp(all[middle].symbol, symbol) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (symbol != NULL && low < s->bindings.count && strcmp(all[low].symbol, symbol) == 0)
        material =
            kiln_dae_find(d, all[low].element, kiln_dae_attribute(d, all[low].element, "target"),
                          DAE_IS(DAE_MATERIAL));
    s->default_material |= material == DAE_NONE;
    return material != DAE_NONE ? s->number[material] : s->material_count;
}

/* Sends the materials of the document, and last that of faces which have none. */
static void send_materials(const scene *s)
{
    const dae *d = &s->d;

    for (uint32_t i = 0; i < d->count; i++) {
        const char *name;

        if (d->elements[i].tag != DAE_MATERIAL)
            continue;
        name = kiln_dae_attribute(d, i, "name");
        if (name == NULL || name[0] == '\0')
            name = kiln_dae_attribute(d, i, "id");
        kiln_send_u32(d->reading->sender, KILN_ARRAY_MATERIALS,
                      name != NULL ? kiln_send_string(d->reading->sender, name, strlen(name)) : 0);
    }
    if (s->default_material || s->material_count == 0)
        kiln_read_default_material(d->reading);
}

/* -- meshes that nodes show -- */

/* Notes a mesh among those that the node shows. */
static void show(scene *s, size_t mesh)
{
    KILN_ASSERT(mesh < s->base_count + s->variant_count);
    s->shown =
        kiln_dae_grow(&s->d, s->shown, &s->shown_capacity, s->shown_count + 1, sizeof *s->shown);
    s->shown[s->shown_count++] = (uint32_t)mesh;
}

/* Adds a variant; returns its number among the meshes. */
static size_t add_variant(scene *s, const variant *v)
{
    if (s->base_count + s->variant_count >= INT32_MAX)
        kiln_send_failure(s->d.reading->sender, KILN_BAKE_UNSUPPORTED,
                          "more than 2147483647 meshes; split the model");
    s->variants = kiln_dae_grow(&s->d, s->variants, &s->variant_capacity, s->variant_count + 1,
                                sizeof *s->variants);
    s->variants[s->variant_count++] = *v;
    return s->base_count + s->variant_count - 1;
}

/* The number behind the last primitive of a geometry. */
static size_t end_of(const scene *s, uint32_t geometry)
{
    KILN_ASSERT(s->d.elements[geometry].tag == DAE_GEOMETRY);
    return (size_t)s->first[geometry] + s->number[geometry];
}

/* Shows the primitives of a geometry, each with its material. */
static void show_geometry(scene *s, uint32_t instance, uint32_t geometry)
{
    s->used[geometry] = SHOWN;
    for (size_t i = s->first[geometry]; i < end_of(s, geometry); i++) {
        base *b = &s->bases[i];
        const uint32_t material = material_of(s, instance, b->primitive);
        uint32_t at = b->variants;

        /* The first instance decides about the material of the mesh itself. */
        if (!b->plain) {
            b->plain = true;
            b->material = material;
        }
        if (b->material == material) {
            show(s, i);
            continue;
        }
        while (at != DAE_NONE && s->variants[at].material != material)
            at = s->variants[at].next;
        if (at == DAE_NONE) {
            const variant v = {b->primitive, (uint32_t)i, material, DAE_NONE,
                               DAE_NONE,     b->variants, 0,        false};

            at = (uint32_t)s->variant_count;
            (void)add_variant(s, &v);
            b->variants = at;
        }
        show(s, s->base_count + at);
    }
}

/* The same in the shape that a controller gives it. */
static void show_controller(scene *s, uint32_t instance, uint32_t controller, uint32_t geometry,
                            bool skinned)
{
    const size_t first = s->first[geometry], end = end_of(s, geometry);

    const bool again = s->variant[instance] != 0;

    s->used[geometry] = SHOWN;
    /* A node that is instanced shows the same shape again; but joints that are instanced with it
     * are elsewhere. */
    if (!again || skinned) {
        s->variant[instance] = (uint32_t)s->variant_count + 1;
        for (size_t i = first; i < end; i++) {
            const variant v = {s->bases[i].primitive,
                               (uint32_t)i,
                               material_of(s, instance, s->bases[i].primitive),
                               instance,
                               controller,
                               DAE_NONE,
                               skinned ? (uint32_t)s->visited : 0,
                               again};

            (void)add_variant(s, &v);
        }
    }
    for (size_t i = first; i < end; i++)
        show(s, s->base_count + s->variant[instance] - 1 + (i - first));
}

/* The element that an instance is of. What is not there or in another file is left out. */
static uint32_t instanced(const scene *s, uint32_t instance, dae_tag tag)
{
    const char *url = kiln_dae_attribute(&s->d, instance, "url");
    const uint32_t element = kiln_dae_find(&s->d, instance, url, DAE_IS(tag));

    if (element == DAE_NONE)
        kiln_dae_warn(&s->d, instance, "of \"%.200s\", which is not %s; it is left out",
                      url != NULL ? url : "",
                      url != NULL && !kiln_dae_is_within(&s->d, url) ? "in this file" : "there");
    return element;
}

/* -- nodes -- */

/* Puts a node on the stack of those to be visited. */
static void push(scene *s, const pending *item)
{
    s->stack = kiln_dae_grow(&s->d, s->stack, &s->stack_capacity, s->depth + 1, sizeof *s->stack);
    s->stack[s->depth++] = *item;
}

/* Sends a node of the scene that shows the meshes which are listed; returns its number. */
static uint32_t send_node(scene *s, uint32_t parent, uint32_t name, const kiln_affine *transform,
                          bool absolute)
{
    kiln_scene_node node = {.parent = parent,
                            .name = name,
                            .place_count = (uint32_t)s->shown_count,
                            .absolute = absolute};

    KILN_ASSERT(parent == KILN_SCENE_NONE || parent < s->sent);
    node.matrix[15] = 1;
    for (int i = 0; i < 12; i++)
        node.matrix[i] = transform->m[i / 4][i % 4];
    kiln_send(s->d.reading->sender, KILN_ARRAY_NODES, &node, 1);
    kiln_send(s->d.reading->sender, KILN_ARRAY_PLACES, s->shown, s->shown_count);
    s->shown_count = 0;
    if (s->sent >= NODES_MOST)
        kiln_send_failure(s->d.reading->sender, KILN_BAKE_UNSUPPORTED,
                          "more than %d nodes with all instances; flatten the scene", NODES_MOST);
    return s->sent++;
}

/* Sends the name of a node: its id, else its sid or name, else its number. */
static uint32_t send_name(const scene *s, uint32_t element)
{
    static const char *const attributes[] = {"id", "sid", "name"};
    const char *name = NULL;
    char numbered[32];

    for (int i = 0; i < 3 && (name == NULL || name[0] == '\0'); i++)
        name = kiln_dae_attribute(&s->d, element, attributes[i]);
    if (name == NULL || name[0] == '\0') {
        snprintf(numbered, sizeof numbered, "nodes[%lu]", (unsigned long)s->first[element]);
        name = s->d.elements[element].tag == DAE_NODE ? numbered : "visual_scene";
    }
    return kiln_send_string(s->d.reading->sender, name, strlen(name));
}

/* Lists what a node shows in the frame of the node, or, `skinned`, in that of the scene. */
static void list_shown(scene *s, uint32_t node, bool skinned)
{
    const dae *d = &s->d;

    for (uint32_t at = d->elements[node].first; at != DAE_NONE; at = d->elements[at].next) {
        const dae_tag tag = d->elements[at].tag;

        if (tag == DAE_INSTANCE_GEOMETRY && !skinned) {
            const uint32_t geometry = instanced(s, at, DAE_GEOMETRY);

            if (geometry != DAE_NONE)
                show_geometry(s, at, geometry);
        } else if (tag == DAE_INSTANCE_CONTROLLER) {
            /* The first of the two passes warns. */
            const uint32_t controller =
                skinned
                    ? kiln_dae_find(d, at, kiln_dae_attribute(d, at, "url"), DAE_IS(DAE_CONTROLLER))
                    : instanced(s, at, DAE_CONTROLLER);
            bool by_joints;
            uint32_t geometry;

            if (controller == DAE_NONE)
                continue;
            geometry = kiln_dae_controlled(d, controller, &by_joints);
            if (by_joints == skinned)
                show_controller(s, at, controller, geometry, skinned);
        }
    }
}

/* Sends a node with what it shows, and puts those below it on the stack: first those that it has,
 * then those that it instances. */
static void visit(scene *s, const pending *item)
{
    const dae *d = &s->d;
    const uint32_t element = item->element;
    const bool is_node = d->elements[element].tag == DAE_NODE;
    const kiln_affine own = is_node ? kiln_dae_transform(d, element) : s->root;
    const uint32_t name = send_name(s, element);
    const size_t depth = s->depth;
    pending below = {.depth = item->depth + 1};

    KILN_ASSERT(!s->open[element]); /* a node below itself was refused where it is instanced */
    KILN_ASSERT(s->shown_count == 0);
    /* The transform of the visual scene is unit and axis, which places of joints are without. */
    below.above = is_node ? kiln_affine_join(&item->above, &own) : item->above;
    s->open[element] = true;
    s->visited = s->places.count;
    push(s, &(pending){.element = element, .leave = true, .place = s->visited});
    if (s->has_controllers && is_node) {
        s->places.items = kiln_dae_grow(&s->d, s->places.items, &s->places.capacity,
                                        s->places.count + 1, sizeof *s->places.items);
        s->places.items[s->places.count++] = (dae_place){element, item->depth, 0, below.above};
    }
    /* Two passes: what joints place goes to a node that has its place by itself. */
    list_shown(s, element, false);
    below.parent = send_node(s, item->parent, name, &own, false);
    list_shown(s, element, true);
    if (s->shown_count > 0)
        (void)send_node(s, item->parent, name, &s->root, true);

    for (uint32_t at = kiln_dae_child(d, element, DAE_NODE); at != DAE_NONE;
         at = kiln_dae_next(d, at)) {
        below.element = at;
        push(s, &below);
    }
    for (uint32_t at = kiln_dae_child(d, element, DAE_INSTANCE_NODE); at != DAE_NONE;
         at = kiln_dae_next(d, at)) {
        below.element = instanced(s, at, DAE_NODE);
        if (below.element == DAE_NONE)
            continue;
        if (s->open[below.element])
            kiln_dae_fail(d, at, "of a node that contains it; remove it");
        push(s, &below);
    }
    /* Turned about, as a stack gives the last first. */
    for (size_t i = depth + 1, j = s->depth; i + 1 < j; i++) {
        const pending other = s->stack[--j];

        s->stack[j] = s->stack[i];
        s->stack[i] = other;
    }
}

/* The scene that is shown. */
static uint32_t find_scene(const scene *s)
{
    const dae *d = &s->d;
    const uint32_t element = kiln_dae_child(d, 0, DAE_SCENE);
    const uint32_t instance =
        element != DAE_NONE ? kiln_dae_child(d, element, DAE_INSTANCE_VISUAL_SCENE) : DAE_NONE;
    uint32_t found = DAE_NONE;
    size_t count = 0;

    /* A file may keep several; <scene> says which of them is meant. */
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->elements[i].tag != DAE_VISUAL_SCENE)
            continue;
        found = count++ == 0 ? i : found;
    }
    if (instance != DAE_NONE)
        found = kiln_dae_reference(d, instance, "url", DAE_IS(DAE_VISUAL_SCENE));
    if (found == DAE_NONE)
        kiln_dae_fail(d, 0, "has no <visual_scene>, so that nothing is shown; export the scene");
    if (instance == DAE_NONE && count > 1)
        kiln_dae_fail(d, 0,
                      "has %zu elements <visual_scene>, and no <scene> that says which is "
                      "shown; repair the file",
                      count);
    if (instance == DAE_NONE)
        kiln_dae_warn(d, found, "is shown by no <scene>; it is read, since there is no other");
    else if (count > 1)
        kiln_dae_warn(d, found, "is the one of %zu that <scene> shows; the others are left out",
                      count);
    return found;
}

/* -- meshes -- */

/* Sends a mesh of the scene; without a shape an empty one. */
static void send_mesh(const scene *s, const base *b, kiln_points *shape, uint32_t material,
                      uint32_t pose_of)
{
    const dae *d = &s->d;
    const char *name = kiln_dae_attribute(d, b->geometry, "id");
    kiln_scene_mesh sent = {.primitive = b->number, .pose_of = pose_of};

    KILN_ASSERT(pose_of == 0 || shape != NULL);
    if (shape != NULL) {
        sent.face_count =
            kiln_dae_send_primitive(d, b->primitive, shape, material, &sent.vertex_count);
    }
    sent.name = name != NULL ? kiln_send_string(d->reading->sender, name, strlen(name)) : 0;
    kiln_send(d->reading->sender, KILN_ARRAY_MESHES, &sent, 1);
}

/* Geometry that no node shows is left out, and one that shows nothing may be a mistake of the
 * exporter. */
static void warn_of_geometry(const scene *s, uint32_t geometry)
{
    const char *id = kiln_dae_attribute(&s->d, geometry, "id");
    uint64_t faces = 0, lines = 0;

    if (s->used[geometry] == USED_ELSEWHERE || kiln_dae_mesh(&s->d, geometry) == DAE_NONE)
        return;
    for (size_t i = s->first[geometry]; i < end_of(s, geometry); i++) {
        const uint32_t primitive = s->bases[i].primitive;
        const dae_tag tag = s->d.elements[primitive].tag;

        /* Lines are no mistake: they are counted where they are sent. */
        faces += kiln_dae_count_faces(&s->d, primitive);
        lines += tag == DAE_LINES || tag == DAE_LINESTRIPS;
    }
    if (faces > 0 && s->used[geometry] == UNUSED)
        kiln_send_warning(s->d.reading->sender,
                          "mesh \"%.500s\" is shown by no node: its %llu faces are left out",
                          id != NULL ? id : "", (unsigned long long)faces);
    if (faces == 0 && lines == 0 && s->used[geometry] == SHOWN) {
        s->d.reading->facts.empty_meshes++;
        kiln_send_warning(s->d.reading->sender, "mesh \"%.500s\" has no face",
                          id != NULL ? id : "");
    }
}

/* Shapes of one geometry, or of one controller, follow each other: each is made once. */
static void send_meshes(scene *s)
{
    const dae *d = &s->d;
    kiln_points shape = {.sent = 0};
    dae_joints *joints = s->has_controllers ? kiln_dae_joints_open(d, &s->places) : NULL;
    uint32_t of = DAE_NONE, at = 0;

    for (size_t i = 0; i < s->base_count; i++) {
        const base *b = &s->bases[i];

        if (b->plain && of != b->geometry) {
            kiln_points_free(&shape);
            shape = kiln_dae_shape(d, d->elements[b->primitive].parent);
            of = b->geometry;
        }
        send_mesh(s, b, b->plain ? &shape : NULL, b->material, 0);
    }
    for (size_t i = 0; i < s->variant_count; i++) {
        const variant *v = &s->variants[i];
        const base *b = &s->bases[v->base];
        const uint32_t wanted = v->instance != DAE_NONE ? v->instance : b->geometry;

        if (of != wanted || at != v->place) {
            const dae_shown shown = {v->instance, v->controller, v->place, v->again};

            kiln_points_free(&shape);
            shape = v->instance != DAE_NONE ? kiln_dae_pose(d, &shown, joints)
                                            : kiln_dae_shape(d, d->elements[b->primitive].parent);
            of = wanted;
            at = v->place;
        }
        send_mesh(s, b, &shape, v->material, v->base + 1);
    }
    kiln_points_free(&shape);
    kiln_dae_joints_close(joints);
    for (uint32_t i = 0; i < d->count; i++)
        if (d->elements[i].tag == DAE_GEOMETRY)
            warn_of_geometry(s, i);
}

/* Targets of morphing are shown by what they are applied to. */
static void use_targets(scene *s)
{
    const dae *d = &s->d;

    for (uint32_t i = 0; i < d->count; i++) {
        const dae_tag tag = d->elements[i].tag;
        const char *word;

        if ((tag != DAE_IDREF_ARRAY && tag != DAE_NAME_ARRAY) ||
            d->elements[d->elements[d->elements[i].parent].parent].tag != DAE_MORPH)
            continue;
        /* A target that no geometry has is an error of the controller, where that is shown. */
        word = d->text + d->elements[i].from;
        for (size_t j = 0; j < d->elements[i].count; j++, word += strlen(word) + 1) {
            char *reference = kiln_dae_alloc(d, strlen(word) + 1, 1);
            uint32_t geometry;

            reference[0] = '#';
            strcpy(reference + 1, word);
            geometry = kiln_dae_find(d, i, reference, DAE_IS(DAE_GEOMETRY));
            free(reference);
            if (geometry != DAE_NONE)
                s->used[geometry] = USED_ELSEWHERE;
        }
    }
}

/* Nodes go first, as they decide which meshes there are, and in which shapes. */
void kiln_read_collada(kiln_reading *reading)
{
    scene s = {.bases = NULL};
    pending root = {.parent = KILN_SCENE_NONE,
                    .above = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}};

    kiln_dae_open(&s.d, reading);
    find_units(&s);
    list_elements(&s);
    use_targets(&s);
    root.element = find_scene(&s);
    push(&s, &root);
    /* A node is on the stack once more while what is below it is visited, to be closed then. */
    while (s.depth > 0) {
        const pending item = s.stack[--s.depth];

        if (!item.leave) {
            visit(&s, &item);
            continue;
        }
        s.open[item.element] = false;
        if (s.has_controllers && s.d.elements[item.element].tag == DAE_NODE)
            s.places.items[item.place].end = s.places.count;
    }
    KILN_ASSERT(s.sent > 0);
    /* Materials last: only now it is known whether any face has none. */
    send_materials(&s);
    send_meshes(&s);
    free(s.bases);
    free(s.first);
    free(s.used);
    free(s.open);
    free(s.number);
    free(s.variant);
    free(s.variants);
    free(s.bindings.items);
    free(s.places.items);
    free(s.stack);
    free(s.shown);
    kiln_dae_close(&s.d);
}
