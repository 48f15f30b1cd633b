/* What has to be known of a glTF file beyond what Assimp gives (the format: Khronos Group, "glTF
 * 2.0 Specification", 2021; the binary form .glb is chapter 4 of it).
 *
 * Assimp leaves faces with indices out of range out of a mesh without naming them, and reads files
 * that need an extension as if they did not. So the document is parsed here a second time
 * (jansson), only as far as these questions need: which primitives have which faces with bad
 * indices, and does the file need what would change the geometry. Buffers are loaded when an
 * accessor of indices refers to them, from the file, from a .glb's second chunk, from base64, or
 * from a file beside it.
 *
 * Nothing in the file is trusted. What is not as it should be is skipped, or ends the search, and
 * is left to Assimp to refuse. */
#define _POSIX_C_SOURCE 200809L
#include "gltf.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/assert.h"
#include "../common/memory.h"

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 }; /* of a primitive */
enum { UNSIGNED_BYTE = 5121, UNSIGNED_SHORT = 5123, UNSIGNED_INT = 5125, FLOAT = 5126 };

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

/* All bytes of a file at once: they are searched back and forth. */
static bool load_model(const kiln_model *model, span *whole)
{
    whole->size = (size_t)model->size;
    whole->bytes = malloc(whole->size + 1);
    return whole->bytes != NULL &&
           kiln_model_read(model, 0, whole->bytes, whole->size) == whole->size;
}

/* A number of up to four bytes, the lowest first. */
static uint32_t load_number(const uint8_t *from, size_t size)
{
    uint32_t value = 0;

    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)from[i] << 8 * i;
    return value;
}

/* The chunk of a .glb at *at, which is then after it. */
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

/* The six bits of a character; -1: it is none of base64. */
static int base64_value(char c)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(letters, c) : NULL;

    return at != NULL ? (int)(at - letters) : -1;
}

/* Decodes up to the first character that is none of base64's: padding, or the end. */
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
            KILN_ASSERT(have >= 0 && have < 8);
            to->bytes[to->size++] = (uint8_t)(bits >> have);
        }
    }
    return to->bytes != NULL;
}

/* Loads a file beside the model, and records it as read or as absent. */
static bool load_file(const gltf *g, const char *uri, span *to)
{
    char *name = strdup(uri), *end;
    struct stat facts;
    kiln_model model = {.file = -1};
    bool good;

    if (name == NULL)
        return false;
    /* "%20" becomes a blank, and so on; in place, since a name only gets shorter. */
    end = name;
    for (const char *from = name; *from != '\0'; from++) {
        const bool code = from[0] == '%' && from[1] != '\0';
        const char digits[3] = {code ? from[1] : '\0', code ? from[2] : '\0', '\0'};
        char *parsed;
        const long value = strtol(digits, &parsed, 16);

        KILN_ASSERT(end <= from);
        if (parsed == digits + 2 && value > 0) {
            *end++ = (char)value;
            from += 2;
        } else {
            *end++ = *from;
        }
    }
    *end = '\0';
    model.file = kiln_read_open(g->reading, name);
    if (model.file < 0)
        kiln_read_absent_file(g->reading, name);
    else
        kiln_read_side_file(g->reading, name);
    free(name);
    if (model.file < 0)
        return false;
    /* Pipes and devices are left alone: reading them may wait forever. */
    good = fstat(model.file, &facts) == 0 && S_ISREG(facts.st_mode);
    model.size = good ? (uint64_t)facts.st_size : 0;
    good = good && load_model(&model, to);
    close(model.file);
    return good;
}

/* The bytes of a buffer, which are loaded at the first use; NULL when there are none. */
static const span *buffer_at(gltf *g, size_t index)
{
    const json_t *buffers = json_object_get(g->root, "buffers");
    void *items = g->buffers;
    const char *uri, *data;
    span *buffer;
    bool good;

    if (index >= json_array_size(buffers))
        return NULL;
    good = kiln_grow(&items, &g->buffer_capacity, index + 1, sizeof(span));
    g->buffers = items;
    if (!good)
        return NULL;
    for (; g->buffer_count <= index; g->buffer_count++)
        g->buffers[g->buffer_count] = (span){NULL, 0};
    KILN_ASSERT(index < g->buffer_count && g->buffer_count <= g->buffer_capacity);
    buffer = &g->buffers[index];
    if (buffer->bytes != NULL)
        return buffer;

    uri = json_string_value(json_object_get(json_array_get(buffers, index), "uri"));
    data = uri != NULL && strncmp(uri, "data:", 5) == 0 ? strstr(uri, ";base64,") : NULL;
    if (uri == NULL) {
        /* The buffer of a .glb. A copy, so that every buffer is freed alike. */
        buffer->bytes = malloc(g->binary.size + 1);
        if (buffer->bytes != NULL && g->binary.size > 0)
            memcpy(buffer->bytes, g->binary.bytes, g->binary.size);
        buffer->size = g->binary.size;
        good = buffer->bytes != NULL;
    } else if (data != NULL) {
        good = decode_base64(data + strlen(";base64,"), buffer);
    } else {
        good = load_file(g, uri, buffer);
    }
    return good ? buffer : NULL;
}

/* -- indices -- */

typedef struct {
    const uint8_t *bytes;
    size_t width, count; /* bytes of an index; indices */
} index_list;

/* A number that is no size, or is absent, counts as `otherwise`. */
static size_t number_in(const json_t *object, const char *key, size_t otherwise)
{
    const json_t *value = json_object_get(object, key);

    return json_is_integer(value) && json_integer_value(value) >= 0
               ? (size_t)json_integer_value(value)
               : otherwise;
}

/* An item of one of the document's lists; NULL when there is none. */
static const json_t *item_of(const gltf *g, const char *list, size_t index)
{
    return json_array_get(json_object_get(g->root, list), index);
}

/* Which vertex the list has at a place. */
static uint32_t index_at(const index_list *list, size_t at)
{
    KILN_ASSERT(at < list->count);
    return load_number(list->bytes + at * list->width, list->width);
}

/* Adds the bad faces of a primitive to g->faces. False: the search can't go on. */
static bool search_primitive(gltf *g, const json_t *primitive)
{
    const json_t *attributes = json_object_get(primitive, "attributes");
    const json_t *position = item_of(g, "accessors", number_in(attributes, "POSITION", SIZE_MAX));
    const json_t *accessor = item_of(g, "accessors", number_in(primitive, "indices", SIZE_MAX));
    const json_t *view = item_of(g, "bufferViews", number_in(accessor, "bufferView", SIZE_MAX));
    const size_t vertices = number_in(position, "count", 0);
    const size_t mode = number_in(primitive, "mode", MODE_TRIANGLES);
    const size_t type = number_in(accessor, "componentType", 0);
    const size_t start = number_in(view, "byteOffset", 0);
    const size_t offset = number_in(accessor, "byteOffset", 0);
    const span *buffer;
    size_t faces;
    index_list list;

    /* Without indices each vertex is its own, and points and lines have no faces. */
    if (accessor == NULL || mode < MODE_TRIANGLES || mode > MODE_FAN)
        return true;
    /* The indices have to lie within their buffer, and each has to be given. */
    buffer = view != NULL ? buffer_at(g, number_in(view, "buffer", SIZE_MAX)) : NULL;
    /* Sizes are compared by differences, which can't overflow. */
    list.width = type == UNSIGNED_BYTE    ? 1
                 : type == UNSIGNED_SHORT ? 2
                 : type == UNSIGNED_INT   ? 4
                                          : 0;
    list.count = number_in(accessor, "count", 0);
    if (buffer == NULL || list.width == 0 || json_object_get(accessor, "sparse") != NULL ||
        start > buffer->size || offset > buffer->size - start ||
        list.count > (buffer->size - start - offset) / list.width)
        return false;
    list.bytes = buffer->bytes + start + offset;
    faces = mode == MODE_TRIANGLES ? list.count / 3 : list.count > 2 ? list.count - 2 : 0;
    for (size_t face = 0; face < faces; face++) {
        /* Every second triangle of a strip runs the other way. */
        const bool reversed = mode == MODE_STRIP && face % 2 == 1;
        const size_t first = mode == MODE_TRIANGLES ? 3 * face : mode == MODE_STRIP ? face : 0;
        const size_t before = mode == MODE_FAN ? face : first;
        const uint32_t corners[3] = {index_at(&list, first),
                                     index_at(&list, before + (reversed ? 2 : 1)),
                                     index_at(&list, before + (reversed ? 1 : 2))};
        void *bad = g->faces->bad;
        bool room;

        if (corners[0] < vertices && corners[1] < vertices && corners[2] < vertices)
            continue;
        room = kiln_grow(&bad, &g->bad_capacity, g->faces->bad_count + 1, sizeof(kiln_gltf_face));
        g->faces->bad = bad;
        if (!room)
            return false;
        KILN_ASSERT(g->faces->bad_count < g->bad_capacity);
        g->faces->bad[g->faces->bad_count++] =
            (kiln_gltf_face){.primitive = g->faces->primitive_count,
                             .face = (uint32_t)face,
                             .corners = {corners[0], corners[1], corners[2]}};
    }
    return true;
}

/* -- the document -- */

/* Parses the model's JSON: all of it, or a .glb's first chunk. */
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

/* Frees all of it, also after open_document has failed. */
static void close_document(gltf *g, span *whole)
{
    for (size_t i = 0; i < g->buffer_count; i++)
        free(g->buffers[i].bytes);
    free(g->buffers);
    json_decref(g->root);
    free(whole->bytes);
}

/* Primitives are counted through all meshes of the file, as Assimp makes its meshes of them. */
bool kiln_gltf_find_bad(kiln_reading *reading, kiln_gltf_faces *faces)
{
    gltf g = {.reading = reading, .faces = faces};
    span whole = {NULL, 0};
    const json_t *meshes;
    bool good;

    memset(faces, 0, sizeof *faces);
    good = open_document(&g, &reading->model, &whole);
    meshes = json_object_get(g.root, "meshes");
    for (size_t i = 0; good && i < json_array_size(meshes); i++) {
        const json_t *primitives = json_object_get(json_array_get(meshes, i), "primitives");

        for (size_t j = 0; good && j < json_array_size(primitives); j++) {
            good = search_primitive(&g, json_array_get(primitives, j));
            faces->primitive_count += good;
        }
    }
    close_document(&g, &whole);
    return good;
}

void kiln_gltf_free(kiln_gltf_faces *faces)
{
    free(faces->bad);
    memset(faces, 0, sizeof *faces);
}

/* -- what Assimp does not follow, or silently leaves out -- */

/* Extensions that a file may call required and that change no geometry, or that Assimp follows, by
 * the start of their names. Quantization is
 * checked by itself. */
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

void kiln_gltf_check(kiln_reading *reading)
{
    gltf g = {.reading = reading};
    span whole = {NULL, 0};
    const json_t *required, *meshes, *nodes, *scenes;
    size_t morphed = 0, instanced = 0;

    if (!open_document(&g, &reading->model, &whole))
        goto done;
    required = json_object_get(g.root, "extensionsRequired");
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *name = json_string_value(json_array_get(required, i));

        if (name != NULL && !is_followed(name))
            kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                              "needs the glTF extension \"%.200s\", which is not read here; export "
                              "the model without it",
                              name);
    }

    meshes = json_object_get(g.root, "meshes");
    for (size_t i = 0; i < json_array_size(meshes); i++) {
        const json_t *mesh = json_array_get(meshes, i);
        const json_t *primitives = json_object_get(mesh, "primitives");
        const json_t *weights = json_object_get(mesh, "weights");

        /* Assimp takes the bytes of positions for floats, whatever they are. */
        for (size_t j = 0; j < json_array_size(primitives); j++) {
            const json_t *attributes = json_object_get(json_array_get(primitives, j), "attributes");
            const size_t accessor = number_in(attributes, "POSITION", SIZE_MAX);
            const json_t *position = item_of(&g, "accessors", accessor);

            if (position != NULL && number_in(position, "componentType", FLOAT) != FLOAT)
                kiln_send_failure(
                    reading->sender, KILN_BAKE_UNSUPPORTED,
                    "mesh %zu has quantized positions (KHR_mesh_quantization), which are not "
                    "read here; export the model with float positions",
                    i);
        }
        for (size_t j = 0; j < json_array_size(weights); j++)
            if (json_number_value(json_array_get(weights, j)) != 0) {
                morphed++;
                break;
            }
    }
    if (morphed > 0)
        kiln_send_warning(reading->sender,
                          "%zu meshes are read in their basic shape: morph weights are left out",
                          morphed);

    nodes = json_object_get(g.root, "nodes");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *extensions = json_object_get(json_array_get(nodes, i), "extensions");

        instanced += json_object_get(extensions, "EXT_mesh_gpu_instancing") != NULL;
    }
    /* One warning for all, since a file of instances has thousands. */
    if (instanced > 0)
        kiln_send_warning(reading->sender,
                          "%zu nodes stand for several instances (EXT_mesh_gpu_instancing): one of "
                          "each is read",
                          instanced);
    scenes = json_object_get(g.root, "scenes");
    if (json_array_size(scenes) > 1)
        kiln_send_warning(reading->sender, "only scene %zu of %zu is read",
                          number_in(g.root, "scene", 0), json_array_size(scenes));
done:
    close_document(&g, &whole);
}
