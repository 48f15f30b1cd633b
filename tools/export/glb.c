/* glTF 2.0 in one binary file: a node for each level of volumes and for each part of the mesh.
 *
 * Volumes of a level are one primitive. Where a level has one colour, it is that of its material,
 * which every viewer shows; else vertices have colours, in linear light as the format wants them.
 * Volumes are blended, so that those inside can be seen. The mesh is a primitive for each run of
 * one part and one user value, in the order of ids; the accessor that `extras` of the primitive
 * names has the ids of its triangles. Numbers are printed with 17 digits, by which a bound is the
 * float that it bounds. */
#include "writers.h"

#include "../../runtime/kiln.h"
#include "../common/text.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT = 5126, BYTE = 5121, INDEX = 5125, VERTICES = 34962, INDICES = 34963, NONE = -1 };

typedef struct {
    uint32_t value;
    json_int_t material; /* its number + 1; 0: the place is free */
} value_material;

typedef struct {
    const kiln_picture *picture;
    json_t *nodes, *scene, *meshes, *materials, *accessors, *views;
    uint64_t size; /* of the buffer so far */
    /* Materials of values by a hash of these, in a table at least twice as large as the number of
     * runs: a search among all would take minutes where each triangle has a value of its own. */
    value_material *table;
    uint32_t table_bits;
} glb;

/* Adds to a list and returns the number there. */
static json_int_t append(json_t *list, json_t *item)
{
    (void)json_array_append_new(list, item);
    return (json_int_t)json_array_size(list) - 1;
}

static void set(json_t *object, const char *name, json_t *value)
{
    (void)json_object_set_new(object, name, value);
}

static void set_integer(json_t *object, const char *name, uint64_t value)
{
    set(object, name, json_integer((json_int_t)value));
}

/* A range of the buffer; all sizes are multiples of four. `stride`: bytes from vertex to vertex,
 * which the format wants where several accessors share the view; 0: it holds no vertices. */
static json_int_t add_view(glb *g, uint64_t size, unsigned stride, int target)
{
    json_t *view = json_object();
    set_integer(view, "buffer", 0);
    set_integer(view, "byteOffset", g->size);
    set_integer(view, "byteLength", size);
    if (stride != 0) {
        set_integer(view, "byteStride", stride);
    }
    if (target != NONE) {
        set_integer(view, "target", (uint64_t)target);
    }
    g->size += size;
    return append(g->views, view);
}

static json_t *new_accessor(json_int_t view, uint64_t offset, int type, const char *shape,
                            uint64_t count)
{
    json_t *accessor = json_object();
    set(accessor, "bufferView", json_integer(view));
    set_integer(accessor, "byteOffset", offset);
    set_integer(accessor, "componentType", (uint64_t)type);
    set_integer(accessor, "count", count);
    set(accessor, "type", json_string(shape));
    return accessor;
}

static json_int_t add_positions(glb *g, json_int_t view, const float (*vertices)[3], size_t first,
                                size_t count)
{
    json_t *accessor = new_accessor(view, 12 * (uint64_t)first, FLOAT, "VEC3", count);
    json_t *lower = json_array(), *upper = json_array();
    for (int k = 0; k < 3; k++) {
        float least = HUGE_VALF, most = -HUGE_VALF;
        for (size_t v = first; v < first + count; v++) {
            least = fminf(least, vertices[v][k]);
            most = fmaxf(most, vertices[v][k]);
        }
        (void)json_array_append_new(lower, json_real((double)least));
        (void)json_array_append_new(upper, json_real((double)most));
    }
    set(accessor, "min", lower);
    set(accessor, "max", upper);
    return append(g->accessors, accessor);
}

/* What sRGB is in linear light, within 0.005: a polynomial of no machine's own power function. */
static double linear(uint8_t c)
{
    const double x = c / 255.0;
    return x * (x * (x * 0.305306011 + 0.682171111) + 0.012522878);
}

static json_int_t add_material(glb *g, const char *name, const uint8_t colour[3], double opacity)
{
    json_t *material = json_object(), *surface = json_object(), *factor = json_array();
    for (int k = 0; k < 3; k++) {
        (void)json_array_append_new(factor, json_real(linear(colour[k])));
    }
    (void)json_array_append_new(factor, json_real(opacity));
    set(surface, "baseColorFactor", factor);
    set(surface, "metallicFactor", json_real(0));
    set(surface, "roughnessFactor", json_real(1));
    set(material, "name", kiln_json_text(name));
    set(material, "pbrMetallicRoughness", surface);
    if (opacity < 1) {
        set(material, "alphaMode", json_string("BLEND"));
    }
    set(material, "doubleSided", json_true());
    return append(g->materials, material);
}

/* A node with a mesh of these primitives. */
static void add_node(glb *g, const char *node_name, const char *mesh_name, json_t *primitives,
                     json_t *extras)
{
    json_t *node = json_object(), *mesh = json_object();
    set(mesh, "name", kiln_json_text(mesh_name));
    set(mesh, "primitives", primitives);
    set(node, "name", kiln_json_text(node_name));
    set(node, "mesh", json_integer(append(g->meshes, mesh)));
    set(node, "extras", extras);
    (void)json_array_append_new(g->scene, json_integer(append(g->nodes, node)));
}

static json_t *new_primitive(json_int_t positions, json_int_t colours, json_int_t indices,
                             json_int_t material)
{
    json_t *primitive = json_object(), *attributes = json_object();
    set(attributes, "POSITION", json_integer(positions));
    if (colours != NONE) {
        set(attributes, "COLOR_0", json_integer(colours));
    }
    set(primitive, "attributes", attributes);
    set(primitive, "indices", json_integer(indices));
    set(primitive, "material", json_integer(material));
    return primitive;
}

/* Do the volumes of a level have colours of their own? */
static bool by_vertex(const kiln_picture *picture)
{
    return picture->choice.colour != KILN_COLOUR_LEVEL || picture->choice.leaves;
}

static void add_levels(glb *g)
{
    static const uint8_t white[3] = {255, 255, 255};
    const kiln_picture *p = g->picture;
    if (p->volume_count == 0) {
        return;
    }
    const bool own = by_vertex(p);
    const json_int_t positions = add_view(g, 12 * (uint64_t)p->vertex_count, 12, VERTICES);
    const json_int_t colours = own ? add_view(g, 4 * (uint64_t)p->vertex_count, 4, VERTICES) : NONE;
    const json_int_t indices = add_view(g, 12 * (uint64_t)p->triangle_count, 0, INDICES);
    for (uint32_t i = 0; i < p->level_count; i++) {
        const kiln_picture_level *level = &p->levels[i];
        if (level->triangle_count == 0) {
            continue;
        }
        const uint64_t first = level->vertex_first, count = level->vertex_count;
        const json_int_t position =
            add_positions(g, positions, (const float(*)[3])p->vertices, first, count);
        json_int_t colour = NONE;
        if (own) {
            json_t *accessor = new_accessor(colours, 4 * first, BYTE, "VEC4", count);
            set(accessor, "normalized", json_true());
            colour = append(g->accessors, accessor);
        }
        const json_int_t index =
            append(g->accessors, new_accessor(indices, 12 * (uint64_t)level->triangle_first, INDEX,
                                              "SCALAR", 3 * (uint64_t)level->triangle_count));
        const json_int_t material = add_material(g, level->name, own ? white : level->colour, 0.3);
        json_t *primitives = json_array(), *extras = json_object();
        (void)append(primitives, new_primitive(position, colour, index, material));
        set_integer(extras, "volumes", level->volumes);
        add_node(g, level->name, level->name, primitives, extras);
    }
}

/* The number of a value's material, which is added when it is met first. */
static json_int_t material_of(glb *g, uint32_t value)
{
    static const uint8_t plain[3] = {200, 200, 200};
    const size_t last = ((size_t)1 << g->table_bits) - 1;
    /* The golden ratio spreads values that follow one another (Knuth, volume 3, 6.4). */
    size_t at = (size_t)((value * 0x9E3779B97F4A7C15u) >> (64 - g->table_bits));
    while (g->table[at].material != 0 && g->table[at].value != value) {
        at = (at + 1) & last;
    }
    if (g->table[at].material != 0) {
        return g->table[at].material - 1;
    }
    const char *name = kiln_picture_value_name(g->picture, value);
    char number[32];
    (void)snprintf(number, sizeof number, "value %lu", (unsigned long)value);
    name = name != NULL ? name : number;
    const json_int_t added =
        add_material(g, name, value == 0 ? plain : kiln_picture_palette(value - 1), 1);
    json_t *extras = json_object();
    set_integer(extras, "user", value);
    set(json_array_get(g->materials, (size_t)added), "extras", extras);
    g->table[at] = (value_material){value, added + 1};
    return added;
}

static void add_mesh(glb *g)
{
    const kiln_picture *p = g->picture;
    if (p->mesh_triangle_count == 0) {
        return;
    }
    const uint64_t triangles = p->mesh_triangle_count;
    const json_int_t vertices = add_view(g, 12 * (uint64_t)p->mesh_vertex_count, 12, VERTICES);
    const json_int_t indices = add_view(g, 12 * triangles, 0, INDICES);
    const json_int_t ids = add_view(g, 4 * triangles, 0, NONE);
    const json_int_t positions =
        add_positions(g, vertices, (const float(*)[3])p->mesh_vertices, 0, p->mesh_vertex_count);
    for (size_t r = 0; r < p->run_count;) {
        const uint32_t part = p->runs[r].part;
        json_t *primitives = json_array(), *extras = json_object();
        for (; r < p->run_count && p->runs[r].part == part; r++) {
            const kiln_picture_run *run = &p->runs[r];
            const json_int_t index =
                append(g->accessors, new_accessor(indices, 12 * (uint64_t)run->first, INDEX,
                                                  "SCALAR", 3 * (uint64_t)run->count));
            const json_int_t id = append(g->accessors, new_accessor(ids, 4 * (uint64_t)run->first,
                                                                    INDEX, "SCALAR", run->count));
            json_t *primitive = new_primitive(positions, NONE, index, material_of(g, run->value));
            json_t *own = json_object();
            set_integer(own, "user", run->value);
            set(own, "ids", json_integer(id));
            set(primitive, "extras", own);
            (void)append(primitives, primitive);
        }
        set_integer(extras, "part", part);
        add_node(g, kiln_picture_node_name(p, part), kiln_picture_mesh_name(p, part), primitives,
                 extras);
    }
}

/* Linear colours with an opacity of 1, four bytes a vertex. */
static void put_colours(const kiln_picture *p, kiln_bytes *out)
{
    for (size_t v = 0; v < p->vertex_count; v++) {
        uint8_t colour[4] = {0, 0, 0, 255};
        for (int k = 0; k < 3; k++) {
            colour[k] = (uint8_t)(linear(p->colours[v][k]) * 255 + 0.5);
        }
        kiln_bytes_add(out, colour, sizeof colour);
    }
}

/* The buffer, in the order in which views were added. */
static void put_buffer(const kiln_picture *p, kiln_bytes *out)
{
    if (p->volume_count > 0) {
        kiln_bytes_add(out, p->vertices, 12 * p->vertex_count);
        if (by_vertex(p)) {
            put_colours(p, out);
        }
        kiln_bytes_add(out, p->triangles, 12 * p->triangle_count);
    }
    if (p->mesh_triangle_count > 0) {
        kiln_bytes_add(out, p->mesh_vertices, 12 * p->mesh_vertex_count);
        kiln_bytes_add(out, p->mesh_triangles, 12 * p->mesh_triangle_count);
        kiln_bytes_add(out, p->ids, 4 * p->mesh_triangle_count);
    }
}

static json_t *document(glb *g)
{
    json_t *root = json_object(), *asset = json_object(), *scene = json_object();
    json_t *scenes = json_array(), *buffers = json_array(), *buffer = json_object();
    set(asset, "generator", json_string("kiln export " KILN_VERSION_STRING));
    set(asset, "version", json_string("2.0"));
    set(root, "asset", asset);
    set_integer(root, "scene", 0);
    set(scene, "nodes", g->scene);
    (void)append(scenes, scene);
    set(root, "scenes", scenes);
    set(root, "nodes", g->nodes);
    set(root, "meshes", g->meshes);
    set(root, "materials", g->materials);
    set(root, "accessors", g->accessors);
    set(root, "bufferViews", g->views);
    set_integer(buffer, "byteLength", g->size);
    (void)append(buffers, buffer);
    set(root, "buffers", buffers);
    return root;
}

const char *kiln_write_glb(const kiln_picture *picture, kiln_bytes *out)
{
    glb g = {picture,      json_array(),
             json_array(), json_array(),
             json_array(), json_array(),
             json_array(), 0,
             NULL,         1};
    while (((uint64_t)1 << g.table_bits) < 2 * (uint64_t)picture->run_count) {
        g.table_bits++;
    }
    g.table = calloc((size_t)1 << g.table_bits, sizeof *g.table);
    if (g.table == NULL) {
        json_decref(document(&g));
        out->failed = true;
        return NULL;
    }
    add_levels(&g);
    add_mesh(&g);
    free(g.table);
    json_t *root = document(&g);
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(root);
    if (text == NULL) {
        out->failed = true;
        return NULL;
    }
    /* Chunks are filled up to multiples of four, that of the document with blanks. */
    const uint64_t size = strlen(text), filled = (size + 3) / 4 * 4;
    const uint64_t all = 12 + 8 + filled + 8 + g.size;
    if (all > UINT32_MAX) {
        free(text);
        return "more than 4 GiB, which no binary glTF holds; export one level (--level)";
    }
    const uint32_t head[5] = {0x46546C67u, 2, (uint32_t)all, (uint32_t)filled, 0x4E4F534Au};
    const uint32_t chunk[2] = {(uint32_t)g.size, 0x004E4942u};
    kiln_bytes_add(out, head, sizeof head);
    kiln_bytes_add(out, text, size);
    kiln_bytes_add(out, "   ", (size_t)(filled - size));
    kiln_bytes_add(out, chunk, sizeof chunk);
    put_buffer(picture, out);
    free(text);
    return NULL;
}
