/* Buffers of glTF, their URIs, and views (glTF 2.0, 3.6.1; data URIs: Masinter, RFC 2397; base64:
 * Josefsson, RFC 4648; Kapoulkine, EXT_meshopt_compression, with his library's decoders).
 *
 * A buffer is opened when something first refers to it, so that a file is asked for only where
 * geometry needs it. Only the bytes that an accessor has are read of a .glb or of a file: textures
 * stay where they are. A URI names a file by percent-encoding; some programs write the plain name,
 * which is tried next. The rules for files beside a model are those of all readers
 * (kiln_read_open).
 *
 * A view that is compressed is decompressed whole, once. Where its data are there uncompressed as
 * well, and the file does not require the extension, these are read. */
#define _POSIX_C_SOURCE 200809L
#include "buffer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#ifdef KILN_MESHOPT
#include <meshoptimizer.h>
#endif

#include "../../../formats/assert.h"

/* -- URIs -- */

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decodes percent escapes in place; returns the length. What is no escape stays. */
static size_t decode_escapes(char *text, size_t length)
{
    size_t to = 0;

    for (size_t i = 0; i < length; i++) {
        const bool escape = text[i] == '%' && length - i > 2 && hex_value(text[i + 1]) >= 0 &&
                            hex_value(text[i + 2]) >= 0;

        KILN_ASSERT(to <= i);
        if (escape) {
            const int value = 16 * hex_value(text[i + 1]) + hex_value(text[i + 2]);

            text[to++] = (char)value;
            i += 2;
        } else {
            text[to++] = text[i];
        }
    }
    return to;
}

/* The six bits of a character; -1: it is none of base64. */
static int base64_value(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* Decodes base64 in place; returns the number of bytes, or SIZE_MAX with the first character that
 * is none at *bad. */
static size_t decode_base64(char *text, size_t length, size_t *bad)
{
    uint32_t bits = 0;
    size_t to = 0;
    int have = 0;

    while (length > 0 && text[length - 1] == '=')
        length--;
    for (size_t i = 0; i < length; i++) {
        const int value = base64_value(text[i]);

        if (value < 0) {
            *bad = i;
            return SIZE_MAX;
        }
        bits = bits << 6 | (uint32_t)value;
        have += 6;
        if (have >= 8) {
            have -= 8;
            KILN_ASSERT(to <= i && have < 8);
            text[to++] = (char)(bits >> have & 0xFF);
        }
    }
    return to;
}

/* The bytes of a data URI: its type does not matter, as geometry has no other form. */
static void open_data(const gltf *g, const gltf_place *at, const char *uri, gltf_buffer *buffer)
{
    static const char mark[] = ";base64";
    const char *comma = strchr(uri, ',');
    const size_t head = comma != NULL ? (size_t)(comma - uri) : 0, word = sizeof mark - 1;
    const bool coded = head >= word && strncasecmp(comma - word, mark, word) == 0;
    size_t length = json_string_length(json_object_get(at->in->json, at->key)) - head, bad = 0;
    char *text;

    if (comma == NULL)
        kiln_gltf_fail(g, at, "the data URI has no comma, which its data follow");
    length -= 1;
    text = kiln_gltf_alloc(g, length, 1);
    memcpy(text, comma + 1, length);
    length = decode_escapes(text, length);
    if (coded)
        length = decode_base64(text, length, &bad);
    if (length == SIZE_MAX)
        kiln_gltf_fail(g, at, "character %zu of the data is none of base64", bad);
    buffer->decoded = (uint8_t *)text;
    buffer->bytes = (kiln_model){.file = -1, .data = buffer->decoded, .size = length};
    buffer->size = length;
}

/* Opens a file that is there, and records it; false, with the name recorded as absent: it is not.
 */
static bool open_name(const gltf *g, const char *name, gltf_buffer *buffer)
{
    struct stat facts;
    const int file = name[0] != '\0' ? kiln_read_open(g->reading, name) : -1;

    if (file < 0 || fstat(file, &facts) != 0) {
        kiln_read_absent_file(g->reading, name);
        return false;
    }
    kiln_read_side_file(g->reading, name);
    buffer->bytes = (kiln_model){.file = file, .size = (uint64_t)facts.st_size};
    buffer->size = buffer->bytes.size;
    buffer->owned = true;
    return true;
}

static void open_file(const gltf *g, const gltf_place *at, const char *uri, gltf_buffer *buffer)
{
    char *name = strdup(uri);

    if (name == NULL)
        kiln_read_no_memory(g->reading);
    name[decode_escapes(name, strlen(name))] = '\0';
    if (!open_name(g, name, buffer) && (strcmp(name, uri) == 0 || !open_name(g, uri, buffer)))
        kiln_gltf_fail(g, at, "the file \"%.300s\" is not there; put it beside the model", name);
    free(name);
}

/* -- buffers -- */

/* The chunk of a .glb may be padded, and a file may be longer than what is used of it. */
static const gltf_buffer *open_buffer(const gltf *g, size_t index)
{
    const gltf_place at = kiln_gltf_item(&g->lists[GLTF_BUFFERS], index);
    const gltf_place place = kiln_gltf_member(&at, "uri");
    const gltf_place length = kiln_gltf_member(&at, "byteLength");
    const char *uri = kiln_gltf_text(g, &at, "uri");
    gltf_buffer *buffer = &g->buffers[index];
    uint64_t size;

    if (buffer->open)
        return buffer;
    size = kiln_gltf_whole_at(g, &length, 1, UINT64_C(1) << 53);
    if (uri != NULL && strncasecmp(uri, "data:", 5) == 0) {
        open_data(g, &place, uri, buffer);
    } else if (uri != NULL) {
        open_file(g, &place, uri, buffer);
    } else if (g->binary && index == 0 && g->chunk_offset != 0) {
        buffer->bytes = g->reading->model;
        buffer->start = g->chunk_offset;
        buffer->size = g->chunk_size;
    } else {
        kiln_gltf_fail(g, &at, "it has neither a uri nor the binary chunk of a .glb");
    }
    if (buffer->size < size)
        kiln_gltf_fail(g, &length, "it is %llu, and the data have %llu bytes",
                       (unsigned long long)size, (unsigned long long)buffer->size);
    buffer->size = size;
    buffer->open = true;
    return buffer;
}

/* -- views -- */

/* Checks where a view is, or what it is compressed to. */
static void find_range(const gltf *g, const gltf_place *at, uint64_t *offset, uint64_t *length,
                       const gltf_buffer *buffer)
{
    const gltf_place place = kiln_gltf_member(at, "byteLength");

    *offset = kiln_gltf_whole(g, at, "byteOffset", 0, UINT64_C(1) << 53, 0);
    *length = kiln_gltf_whole_at(g, &place, 1, UINT64_C(1) << 53);
    if (*offset > buffer->size || *length > buffer->size - *offset)
        kiln_gltf_fail(g, &place, "bytes %llu to %llu of a buffer that has %llu",
                       (unsigned long long)*offset, (unsigned long long)(*offset + *length),
                       (unsigned long long)buffer->size);
}

static void read_buffer(const gltf *g, const gltf_place *at, const gltf_buffer *buffer,
                        uint64_t offset, void *to, uint64_t size)
{
    KILN_ASSERT(offset <= buffer->size && size <= buffer->size - offset);
    if (kiln_model_read(&buffer->bytes, buffer->start + offset, to, (size_t)size) != size)
        kiln_gltf_fail(g, at, "its bytes can't be read");
}

#ifdef KILN_MESHOPT

/* Decompresses a view as its extension says: a stream of vertices, of triangles or of indices. The
 * library's decoders are safe with any bytes. */
static uint8_t *decompress(const gltf *g, const gltf_place *at, uint64_t length)
{
    const gltf_place buffer_place = kiln_gltf_member(at, "buffer");
    const gltf_place count_place = kiln_gltf_member(at, "count");
    const gltf_place mode_place = kiln_gltf_member(at, "mode");
    const gltf_place filter_place = kiln_gltf_member(at, "filter");
    const gltf_place stride_place = kiln_gltf_member(at, "byteStride");
    const gltf_buffer *buffer =
        open_buffer(g, kiln_gltf_reference_at(g, &buffer_place, GLTF_BUFFERS));
    const uint64_t stride = kiln_gltf_whole_at(g, &stride_place, 2, 256);
    const uint64_t count = kiln_gltf_whole_at(g, &count_place, 1, 0x7FFFFFFF);
    const char *mode = kiln_gltf_text(g, at, "mode"), *filter = kiln_gltf_text(g, at, "filter");
    uint8_t *bytes, *packed;
    uint64_t offset, size;
    int code;

    find_range(g, at, &offset, &size, buffer);
    mode = mode != NULL ? mode : "";
    filter = filter != NULL ? filter : "NONE";
    if (stride * count != length)
        kiln_gltf_fail(g, &count_place, "%llu elements of %llu bytes, where the view has %llu",
                       (unsigned long long)count, (unsigned long long)stride,
                       (unsigned long long)length);
    if (strcmp(mode, "ATTRIBUTES") == 0 ? stride % 4 != 0 : stride != 2 && stride != 4)
        kiln_gltf_fail(g, &stride_place, "%llu bytes is not possible in this mode",
                       (unsigned long long)stride);
    packed = kiln_gltf_alloc(g, size, 1);
    bytes = kiln_gltf_alloc(g, length, 1);
    read_buffer(g, at, buffer, offset, packed, size);
    if (strcmp(mode, "ATTRIBUTES") == 0)
        code =
            meshopt_decodeVertexBuffer(bytes, (size_t)count, (size_t)stride, packed, (size_t)size);
    else if (strcmp(mode, "TRIANGLES") == 0 && count % 3 == 0)
        code =
            meshopt_decodeIndexBuffer(bytes, (size_t)count, (size_t)stride, packed, (size_t)size);
    else if (strcmp(mode, "INDICES") == 0)
        code =
            meshopt_decodeIndexSequence(bytes, (size_t)count, (size_t)stride, packed, (size_t)size);
    else
        kiln_gltf_fail(g, &mode_place, "\"%.40s\" with %llu elements is not possible", mode,
                       (unsigned long long)count);
    if (code != 0)
        kiln_gltf_fail(g, at, "its data are not what EXT_meshopt_compression has (%d)", code);
    free(packed);

    if (strcmp(filter, "NONE") == 0)
        return bytes;
    if (strcmp(mode, "ATTRIBUTES") != 0)
        kiln_gltf_fail(g, &filter_place, "a filter is for vertices only");
    if (strcmp(filter, "EXPONENTIAL") == 0)
        meshopt_decodeFilterExp(bytes, (size_t)count, (size_t)stride);
    else if (strcmp(filter, "QUATERNION") == 0 && stride == 8)
        meshopt_decodeFilterQuat(bytes, (size_t)count, (size_t)stride);
    else if (strcmp(filter, "OCTAHEDRAL") == 0 && (stride == 4 || stride == 8))
        meshopt_decodeFilterOct(bytes, (size_t)count, (size_t)stride);
    else
        kiln_gltf_fail(g, &filter_place, "\"%.40s\" with %llu bytes is not possible", filter,
                       (unsigned long long)stride);
    return bytes;
}

#else

static uint8_t *decompress(const gltf *g, const gltf_place *at, uint64_t length)
{
    (void)length;
    kiln_gltf_fail_unsupported(g, at,
                               "this kiln was built without libmeshoptimizer, which decompresses "
                               "EXT_meshopt_compression; export the model without it");
}

#endif

/* Whether a buffer has bytes of its own: it need not, where all its views are compressed. */
static bool has_bytes(const gltf *g, size_t index)
{
    const gltf_place at = kiln_gltf_item(&g->lists[GLTF_BUFFERS], index);
    const gltf_place extensions = kiln_gltf_member(&at, "extensions");
    const gltf_place packed = kiln_gltf_extension(g, &extensions, "EXT_meshopt_compression");

    return kiln_gltf_member(&at, "uri").json != NULL ||
           (g->binary && index == 0 && g->chunk_offset != 0 &&
            !kiln_gltf_flag(g, &packed, "fallback"));
}

gltf_view kiln_gltf_view(gltf *g, size_t index)
{
    gltf_view view = {.place = kiln_gltf_item(&g->lists[GLTF_VIEWS], index), .index = index};
    const gltf_place *at = &view.place;
    const gltf_place buffer_place = kiln_gltf_member(at, "buffer");
    const gltf_place stride = kiln_gltf_member(at, "byteStride");
    const gltf_place length = kiln_gltf_member(at, "byteLength");
    const gltf_place extensions = kiln_gltf_member(at, "extensions");
    const gltf_place packed = kiln_gltf_extension(g, &extensions, "EXT_meshopt_compression");
    const size_t buffer = kiln_gltf_reference_at(g, &buffer_place, GLTF_BUFFERS);

    view.stride = kiln_gltf_whole(g, at, "byteStride", 4, 252, 0);
    if (view.stride % 4 != 0)
        kiln_gltf_fail(g, &stride, "%llu is no multiple of 4", (unsigned long long)view.stride);
    if (packed.json != NULL && (g->meshopt_needed || !has_bytes(g, buffer))) {
        view.length = kiln_gltf_whole_at(g, &length, 1, UINT64_C(1) << 53);
        if (g->views[index] == NULL)
            g->views[index] = decompress(g, &packed, view.length);
        view.decoded = g->views[index];
    } else {
        view.buffer = open_buffer(g, buffer);
        find_range(g, at, &view.offset, &view.length, view.buffer);
    }
    return view;
}

void kiln_gltf_view_read(const gltf *g, const gltf_view *view, uint64_t offset, void *to,
                         uint64_t size)
{
    KILN_ASSERT(offset <= view->length && size <= view->length - offset);
    if (view->decoded != NULL)
        memcpy(to, view->decoded + offset, (size_t)size);
    else
        read_buffer(g, &view->place, view->buffer, view->offset + offset, to, size);
}
