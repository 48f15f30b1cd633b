#define _POSIX_C_SOURCE 200809L
#include "gltf.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/memory.h"

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

typedef struct {
    uint8_t *bytes;
    size_t size;
} span;

typedef struct {
    kiln_reading *reading;
    json_t *root;
    span binary;   /* a .glb's second chunk */
    span *buffers; /* as far as they are loaded */
    size_t buffer_count, buffer_capacity;
    kiln_gltf_faces *faces;
    size_t bad_capacity;
} gltf;

/* -- bytes -- */

static bool load_model(const kiln_model *model, span *whole)
{
    whole->size = (size_t)model->size;
    whole->bytes = malloc(whole->size + 1);
    return whole->bytes != NULL &&
           kiln_model_read(model, 0, whole->bytes, whole->size) == whole->size;
}

static uint32_t load_number(const uint8_t *from, size_t size)
{
    uint32_t value = 0;

    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)from[i] << 8 * i;
    return value;
}

/* The chunk at *at of a .glb; *at moves behind it. */
static bool next_chunk(const span *whole, size_t *at, span *chunk)
{
    if (*at > whole->size || whole->size - *at < 8)
        return false;
    chunk->size = load_number(whole->bytes + *at, 4);
    chunk->bytes = whole->bytes + *at + 8;
    *at += 8;
    if (chunk->size > whole->size - *at)
        return false;
    *at += chunk->size;
    return true;
}

static int base64_value(char c)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(letters, c) : NULL;

    return at != NULL ? (int)(at - letters) : -1;
}

static bool decode_base64(const char *text, span *to)
{
    uint32_t bits = 0;
    int have = 0;

    to->bytes = malloc(strlen(text) / 4 * 3 + 4);
    to->size = 0;
    for (; to->bytes != NULL && base64_value(*text) >= 0; text++) {
        bits = bits << 6 | (uint32_t)base64_value(*text);
        have += 6;
        if (have >= 8) {
            have -= 8;
            to->bytes[to->size++] = (uint8_t)(bits >> have);
        }
    }
    return to->bytes != NULL;
}

/* "%20" to a blank, in place. */
static void decode_percent(char *text)
{
    char *to = text;

    for (; *text != '\0'; text++) {
        char code[3] = {text[0] == '%' ? text[1] : '\0', text[0] == '%' ? text[2] : '\0', '\0'},
             *end;
        long value = strtol(code, &end, 16);

        if (end == code + 2 && value > 0) {
            *to++ = (char)value;
            text += 2;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
}

static bool load_file(const gltf *g, const char *uri, span *to)
{
    char *name = strdup(uri);
    struct stat facts;
    kiln_model model = {.file = -1};
    bool good;

    if (name == NULL)
        return false;
    decode_percent(name);
    model.file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (model.file < 0)
        kiln_read_absent_file(g->reading, name);
    else
        kiln_read_side_file(g->reading, name);
    free(name);
    if (model.file < 0)
        return false;
    good = fstat(model.file, &facts) == 0 && S_ISREG(facts.st_mode);
    model.size = good ? (uint64_t)facts.st_size : 0;
    good = good && load_model(&model, to);
    close(model.file);
    return good;
}

static bool load_buffer(const gltf *g, const json_t *buffer, span *to)
{
    const char *uri = json_string_value(json_object_get(buffer, "uri"));
    const char *data =
        uri != NULL && strncmp(uri, "data:", 5) == 0 ? strstr(uri, ";base64,") : NULL;

    if (uri == NULL) {
        to->bytes = malloc(g->binary.size + 1);
        if (to->bytes != NULL && g->binary.size > 0)
            memcpy(to->bytes, g->binary.bytes, g->binary.size);
        to->size = g->binary.size;
        return to->bytes != NULL;
    }
    return data != NULL ? decode_base64(data + strlen(";base64,"), to) : load_file(g, uri, to);
}

static const span *buffer_at(gltf *g, size_t index)
{
    const json_t *buffers = json_object_get(g->root, "buffers");
    void *items = g->buffers;
    bool room;

    if (index >= json_array_size(buffers))
        return NULL;
    room = kiln_grow(&items, &g->buffer_capacity, index + 1, sizeof(span));
    g->buffers = items;
    if (!room)
        return NULL;
    for (; g->buffer_count <= index; g->buffer_count++)
        g->buffers[g->buffer_count] = (span){NULL, 0};
    if (g->buffers[index].bytes == NULL &&
        !load_buffer(g, json_array_get(buffers, index), &g->buffers[index]))
        return NULL;
    return &g->buffers[index];
}

/* -- indices -- */

typedef struct {
    const uint8_t *bytes; /* NULL: none, each vertex is its own index */
    size_t width, count;
} index_list;

static size_t number_in(const json_t *object, const char *key, size_t otherwise)
{
    const json_t *value = json_object_get(object, key);

    return json_is_integer(value) && json_integer_value(value) >= 0
               ? (size_t)json_integer_value(value)
               : otherwise;
}

static const json_t *item_of(const gltf *g, const char *list, size_t index)
{
    return json_array_get(json_object_get(g->root, list), index);
}

/* The bytes of an accessor of indices, if they are where they should be. */
static bool find_indices(gltf *g, const json_t *accessor, index_list *list)
{
    const json_t *view = item_of(g, "bufferViews", number_in(accessor, "bufferView", SIZE_MAX));
    const span *buffer = view != NULL ? buffer_at(g, number_in(view, "buffer", SIZE_MAX)) : NULL;
    size_t offset = number_in(accessor, "byteOffset", 0),
           type = number_in(accessor, "componentType", 0);
    size_t start = view != NULL ? number_in(view, "byteOffset", 0) : 0;

    list->width = type == 5121 ? 1 : type == 5123 ? 2 : type == 5125 ? 4 : 0;
    list->count = number_in(accessor, "count", 0);
    if (buffer == NULL || list->width == 0 || json_object_get(accessor, "sparse") != NULL ||
        start > buffer->size || offset > buffer->size - start ||
        list->count > (buffer->size - start - offset) / list->width)
        return false;
    list->bytes = buffer->bytes + start + offset;
    return true;
}

static uint32_t index_at(const index_list *list, size_t at)
{
    return list->bytes == NULL ? (uint32_t)at
                               : load_number(list->bytes + at * list->width, list->width);
}

static bool add_bad(gltf *g, const index_list *list, uint32_t face, const size_t at[3])
{
    void *bad = g->faces->bad;
    bool room = kiln_grow(&bad, &g->bad_capacity, g->faces->bad_count + 1, sizeof(kiln_gltf_face));
    kiln_gltf_face *added;

    g->faces->bad = bad;
    if (!room)
        return false;
    added = &g->faces->bad[g->faces->bad_count++];
    added->primitive = g->faces->primitive_count;
    added->face = face;
    for (int i = 0; i < 3; i++)
        added->corners[i] = index_at(list, at[i]);
    return true;
}

/* Where the corners of a face stand in the list. */
static void places_of(size_t mode, size_t face, size_t at[3])
{
    bool turned = mode == MODE_STRIP && face % 2 == 1;

    at[0] = mode == MODE_TRIANGLES ? 3 * face : mode == MODE_STRIP ? face : 0;
    at[1] = (mode == MODE_FAN ? face : at[0]) + (turned ? 2 : 1);
    at[2] = (mode == MODE_FAN ? face : at[0]) + (turned ? 1 : 2);
}

static bool search_primitive(gltf *g, const json_t *primitive)
{
    const json_t *attributes = json_object_get(primitive, "attributes");
    const json_t *position = item_of(g, "accessors", number_in(attributes, "POSITION", SIZE_MAX));
    const json_t *accessor = item_of(g, "accessors", number_in(primitive, "indices", SIZE_MAX));
    size_t vertices = number_in(position, "count", 0), faces;
    size_t mode = number_in(primitive, "mode", MODE_TRIANGLES);
    index_list list = {NULL, 0, 0};

    if (accessor == NULL || mode < MODE_TRIANGLES || mode > MODE_FAN)
        return true;
    if (!find_indices(g, accessor, &list))
        return false;
    faces = mode == MODE_TRIANGLES ? list.count / 3 : list.count > 2 ? list.count - 2 : 0;
    for (size_t face = 0; face < faces; face++) {
        size_t at[3];

        places_of(mode, face, at);
        if ((index_at(&list, at[0]) >= vertices || index_at(&list, at[1]) >= vertices ||
             index_at(&list, at[2]) >= vertices) &&
            !add_bad(g, &list, (uint32_t)face, at))
            return false;
    }
    return true;
}

static bool search(gltf *g)
{
    const json_t *meshes = json_object_get(g->root, "meshes");

    for (size_t i = 0; i < json_array_size(meshes); i++) {
        const json_t *primitives = json_object_get(json_array_get(meshes, i), "primitives");

        for (size_t j = 0; j < json_array_size(primitives); j++, g->faces->primitive_count++)
            if (!search_primitive(g, json_array_get(primitives, j)))
                return false;
    }
    return true;
}

/* -- the document -- */

static bool open_document(gltf *g, const kiln_model *model, span *whole)
{
    span text;
    size_t at = 12;
    bool good = load_model(model, whole);

    text = *whole;
    if (good && whole->size >= 12 && memcmp(whole->bytes, "glTF", 4) == 0) {
        good = next_chunk(whole, &at, &text);
        if (good && !next_chunk(whole, &at, &g->binary))
            g->binary = (span){NULL, 0};
    }
    if (good)
        g->root = json_loadb((const char *)text.bytes, text.size, JSON_DISABLE_EOF_CHECK, NULL);
    return g->root != NULL;
}

static void close_document(gltf *g, span *whole)
{
    for (size_t i = 0; i < g->buffer_count; i++)
        free(g->buffers[i].bytes);
    free(g->buffers);
    json_decref(g->root);
    free(whole->bytes);
}

bool kiln_gltf_find_bad(kiln_reading *reading, kiln_gltf_faces *faces)
{
    gltf g = {.reading = reading, .faces = faces};
    span whole = {NULL, 0};
    bool good;

    memset(faces, 0, sizeof *faces);
    good = open_document(&g, &reading->model, &whole) && search(&g);
    close_document(&g, &whole);
    return good;
}

void kiln_gltf_free(kiln_gltf_faces *faces)
{
    free(faces->bad);
    memset(faces, 0, sizeof *faces);
}

/* -- what Assimp does not follow -- */

/* Extensions that a file may call required and that change no geometry, or that Assimp follows, by
 * the start of their names. What quantization changes is looked at by itself. */
static bool is_followed(const char *extension)
{
    static const char *const known[] = {"KHR_materials_",
                                        "KHR_texture_",
                                        "KHR_technique",
                                        "KHR_lights_",
                                        "KHR_animation_",
                                        "KHR_xmp",
                                        "KHR_audio",
                                        "KHR_draco_mesh_compression",
                                        "KHR_binary_glTF",
                                        "EXT_texture_",
                                        "EXT_lights_",
                                        "MSFT_texture_",
                                        "MSFT_packing_",
                                        "VRM",
                                        "KHR_mesh_quantization"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(extension, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

static void check_extensions(kiln_reading *reading, const gltf *g)
{
    const json_t *required = json_object_get(g->root, "extensionsRequired");

    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *name = json_string_value(json_array_get(required, i));

        if (name != NULL && !is_followed(name))
            kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                              "needs the glTF extension \"%.200s\", which is not read here; export "
                              "the model without it",
                              name);
    }
}

/* Assimp takes the bytes of positions for floats, whatever they are. */
static void check_positions(kiln_reading *reading, const gltf *g, const json_t *primitive,
                            size_t mesh)
{
    enum { FLOAT = 5126 };
    const json_t *attributes = json_object_get(primitive, "attributes");
    const json_t *position = item_of(g, "accessors", number_in(attributes, "POSITION", SIZE_MAX));

    if (position != NULL && number_in(position, "componentType", FLOAT) != FLOAT)
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "mesh %zu has quantized positions (KHR_mesh_quantization), which are not "
                          "read here; export the model with float positions",
                          mesh);
}

static bool is_morphed(const json_t *weights)
{
    for (size_t i = 0; i < json_array_size(weights); i++)
        if (json_number_value(json_array_get(weights, i)) != 0)
            return true;
    return false;
}

static void check_meshes(kiln_reading *reading, const gltf *g)
{
    const json_t *meshes = json_object_get(g->root, "meshes");
    size_t morphed = 0;

    for (size_t i = 0; i < json_array_size(meshes); i++) {
        const json_t *mesh = json_array_get(meshes, i);
        const json_t *primitives = json_object_get(mesh, "primitives");

        for (size_t j = 0; j < json_array_size(primitives); j++)
            check_positions(reading, g, json_array_get(primitives, j), i);
        morphed += is_morphed(json_object_get(mesh, "weights"));
    }
    if (morphed > 0)
        kiln_send_warning(reading->sender,
                          "%zu meshes are read in their basic shape: morph weights are left out",
                          morphed);
}

static void check_nodes(kiln_reading *reading, const gltf *g)
{
    const json_t *nodes = json_object_get(g->root, "nodes");
    const json_t *scenes = json_object_get(g->root, "scenes");
    size_t instanced = 0;

    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *extensions = json_object_get(json_array_get(nodes, i), "extensions");

        instanced += json_object_get(extensions, "EXT_mesh_gpu_instancing") != NULL;
    }
    if (instanced > 0)
        kiln_send_warning(reading->sender,
                          "%zu nodes stand for several instances (EXT_mesh_gpu_instancing): one of "
                          "each is read",
                          instanced);
    if (json_array_size(scenes) > 1)
        kiln_send_warning(reading->sender, "only scene %zu of %zu is read",
                          number_in(g->root, "scene", 0), json_array_size(scenes));
}

void kiln_gltf_check(kiln_reading *reading)
{
    gltf g = {.reading = reading};
    span whole = {NULL, 0};

    if (open_document(&g, &reading->model, &whole)) {
        check_extensions(reading, &g);
        check_meshes(reading, &g);
        check_nodes(reading, &g);
    }
    close_document(&g, &whole);
}
