/* The container and the document of glTF 2.0 (Khronos Group, "glTF 2.0 Specification", 2.0.1, 2021:
 * chapter 4 is the binary form .glb, chapter 5 the properties).
 *
 * Which of the two containers a file has is decided by its first bytes, not by its name. The JSON
 * is parsed whole (jansson), and everything else that is read here asks for values by functions
 * that check what they are: a value of another type, a number outside of its range or a reference
 * to nothing ends the work, and the message names the value by its JSON pointer (RFC 6901). A place
 * only remembers the place that it is in; the text of a pointer is made when an error needs it.
 *
 * Members that no geometry depends on are not looked at. */
#define _POSIX_C_SOURCE 200809L
#include "document.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../formats/assert.h"

enum {
    HEADER_SIZE = 12,      /* of a .glb: magic, version, length */
    CHUNK_HEADER_SIZE = 8, /* of a chunk: length, kind */
    CHUNK_JSON = 0x4E4F534A,
    CHUNK_BINARY = 0x004E4942,
    POINTER_SIZE = 400,
    DIGITS_OF_LARGEST = 308, /* of a double */
};

static const char *const list_names[GLTF_LIST_COUNT] = {
    "accessors", "buffers", "bufferViews", "materials", "meshes", "nodes", "scenes", "skins"};

/* -- errors -- */

/* Writes the JSON pointer of a place; a long one loses its start. */
static void write_pointer(const gltf_place *at, char to[POINTER_SIZE])
{
    char part[128];
    size_t start = POINTER_SIZE - 1;

    to[start] = '\0';
    for (; at != NULL && at->in != NULL; at = at->in) {
        int length = at->key != NULL ? snprintf(part, sizeof part, "/%s", at->key)
                                     : snprintf(part, sizeof part, "/%zu", at->index);

        length = length < (int)sizeof part ? length : (int)sizeof part - 1;
        if ((size_t)length > start)
            break;
        start -= (size_t)length;
        memcpy(to + start, part, (size_t)length);
    }
    memmove(to, to + start, POINTER_SIZE - start);
}

static _Noreturn void fail(const gltf *g, kiln_bake_status status, const gltf_place *at,
                           const char *end, const char *format, va_list arguments)
{
    char pointer[POINTER_SIZE], text[800];

    write_pointer(at, pointer);
    vsnprintf(text, sizeof text, format, arguments);
    kiln_send_failure(g->reading->sender, status, "%s%s%s%s", pointer,
                      pointer[0] != '\0' ? ": " : "", text, end);
}

void kiln_gltf_fail(const gltf *g, const gltf_place *at, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    /* A text that names another cure has a semicolon. */
    fail(g, KILN_BAKE_INVALID, at, strchr(format, ';') == NULL ? "; repair the file" : "", format,
         arguments);
}

void kiln_gltf_fail_unsupported(const gltf *g, const gltf_place *at, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fail(g, KILN_BAKE_UNSUPPORTED, at, "", format, arguments);
}

void kiln_gltf_warn(const gltf *g, const gltf_place *at, const char *format, ...)
{
    char pointer[POINTER_SIZE], text[800];
    va_list arguments;

    write_pointer(at, pointer);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    kiln_send_warning(g->reading->sender, "%s%s%s", pointer, pointer[0] != '\0' ? ": " : "", text);
}

void *kiln_gltf_alloc(const gltf *g, uint64_t count, uint64_t size)
{
    const uint64_t limit = g->reading->memory != 0 ? g->reading->memory : SIZE_MAX / 2;
    void *memory = NULL;

    /* A few bytes can declare any count: what is beyond the limit is not even asked for. */
    KILN_ASSERT(size > 0);
    if (count < limit / size)
        memory = calloc((size_t)count + 1, (size_t)size);
    if (memory == NULL)
        kiln_read_no_memory(g->reading);
    return memory;
}

/* -- values -- */

gltf_place kiln_gltf_member(const gltf_place *at, const char *key)
{
    return (gltf_place){.json = json_object_get(at->json, key), .in = at, .key = key};
}

gltf_place kiln_gltf_object(const gltf *g, const gltf_place *at, const char *key)
{
    const gltf_place member = kiln_gltf_member(at, key);

    if (member.json != NULL && !json_is_object(member.json))
        kiln_gltf_fail(g, &member, "it has to be an object");
    return member;
}

gltf_place kiln_gltf_array(const gltf *g, const gltf_place *at, const char *key)
{
    const gltf_place member = kiln_gltf_member(at, key);

    if (member.json != NULL && !json_is_array(member.json))
        kiln_gltf_fail(g, &member, "it has to be a list");
    return member;
}

const char *kiln_gltf_text(const gltf *g, const gltf_place *at, const char *key)
{
    const gltf_place member = kiln_gltf_member(at, key);

    if (member.json != NULL && !json_is_string(member.json))
        kiln_gltf_fail(g, &member, "it has to be a string");
    return json_string_value(member.json);
}

gltf_place kiln_gltf_item(const gltf_place *list, size_t index)
{
    KILN_ASSERT(index < kiln_gltf_count(list));
    return (gltf_place){.json = json_array_get(list->json, index), .in = list, .index = index};
}

size_t kiln_gltf_count(const gltf_place *list)
{
    return json_array_size(list->json);
}

/* "3.0" counts as whole: JSON knows one kind of number. */
uint64_t kiln_gltf_whole_at(const gltf *g, const gltf_place *at, uint64_t least, uint64_t most)
{
    const double real = json_number_value(at->json);
    uint64_t value = 0;
    bool good = json_is_number(at->json) && real >= 0 && real < 0x1p53;

    if (good) {
        value = (uint64_t)real;
        good = (double)value == real;
    }
    if (!good)
        kiln_gltf_fail(g, at, "it has to be a whole number, 0 or more");
    if (value < least || value > most)
        kiln_gltf_fail(g, at, "it is %llu; from %llu to %llu is possible",
                       (unsigned long long)value, (unsigned long long)least,
                       (unsigned long long)most);
    return value;
}

uint64_t kiln_gltf_whole(const gltf *g, const gltf_place *at, const char *key, uint64_t least,
                         uint64_t most, uint64_t otherwise)
{
    const gltf_place member = kiln_gltf_member(at, key);

    return member.json != NULL ? kiln_gltf_whole_at(g, &member, least, most) : otherwise;
}

bool kiln_gltf_flag(const gltf *g, const gltf_place *at, const char *key)
{
    const gltf_place member = kiln_gltf_member(at, key);

    if (member.json != NULL && !json_is_boolean(member.json))
        kiln_gltf_fail(g, &member, "it has to be true or false");
    return json_is_true(member.json);
}

bool kiln_gltf_numbers(const gltf *g, const gltf_place *at, const char *key, double *to,
                       size_t count)
{
    const gltf_place list = kiln_gltf_array(g, at, key);

    if (list.json == NULL)
        return false;
    if (kiln_gltf_count(&list) != count)
        kiln_gltf_fail(g, &list, "it has %zu numbers instead of %zu", kiln_gltf_count(&list),
                       count);
    for (size_t i = 0; i < count; i++) {
        const gltf_place item = kiln_gltf_item(&list, i);

        if (!json_is_number(item.json))
            kiln_gltf_fail(g, &item, "it has to be a number");
        to[i] = json_number_value(item.json);
    }
    return true;
}

size_t kiln_gltf_reference_at(const gltf *g, const gltf_place *at, gltf_list list)
{
    const size_t count = kiln_gltf_count(&g->lists[list]);
    const uint64_t value = kiln_gltf_whole_at(g, at, 0, UINT32_MAX);

    if (value >= count)
        kiln_gltf_fail(g, at, "it refers to /%s/%llu, where there are %zu", list_names[list],
                       (unsigned long long)value, count);
    return (size_t)value;
}

size_t kiln_gltf_reference(const gltf *g, const gltf_place *at, const char *key, gltf_list list)
{
    const gltf_place member = kiln_gltf_member(at, key);

    return member.json != NULL ? kiln_gltf_reference_at(g, &member, list) : SIZE_MAX;
}

/* `extensions` is the member of that name, which the caller has as a place of its own. */
gltf_place kiln_gltf_extension(const gltf *g, const gltf_place *extensions, const char *name)
{
    if (extensions->json != NULL && !json_is_object(extensions->json))
        kiln_gltf_fail(g, extensions, "it has to be an object");
    return kiln_gltf_object(g, extensions, name);
}

/* -- the container -- */

/* A number of four bytes, the lowest first. */
static uint32_t number_of(const uint8_t *from)
{
    return (uint32_t)kiln_bytes_number(from, 4, false);
}

/* Finds the JSON of a .glb and notes its binary chunk. Chunks of other kinds are skipped, as the
 * format wants it. False: version 1 of the container. */
static bool find_chunks(gltf *g, uint64_t *offset, uint64_t *size)
{
    const kiln_model *model = &g->reading->model;
    uint8_t header[HEADER_SIZE];
    uint64_t at = HEADER_SIZE, end;
    bool found = false;

    if (kiln_model_read(model, 0, header, HEADER_SIZE) != HEADER_SIZE)
        kiln_gltf_fail(g, NULL, "it ends within the %d bytes of its header", HEADER_SIZE);
    if (number_of(header + 4) == 1)
        return false;
    if (number_of(header + 4) != 2)
        kiln_gltf_fail_unsupported(g, NULL,
                                   "a .glb of version %lu, which is not read here; export it as "
                                   "glTF 2.0",
                                   (unsigned long)number_of(header + 4));
    end = number_of(header + 8);
    if (end > model->size)
        kiln_gltf_fail(g, NULL, "it has %llu bytes, and its header says %llu: it was cut short",
                       (unsigned long long)model->size, (unsigned long long)end);
    if (end < model->size)
        kiln_send_warning(g->reading->sender,
                          "%llu bytes follow the end of the .glb and are left out",
                          (unsigned long long)(model->size - end));

    while (end >= at && end - at >= CHUNK_HEADER_SIZE) {
        uint8_t chunk[CHUNK_HEADER_SIZE];
        uint32_t length, kind;

        if (kiln_model_read(model, at, chunk, CHUNK_HEADER_SIZE) != CHUNK_HEADER_SIZE)
            break;
        length = number_of(chunk);
        kind = number_of(chunk + 4);
        at += CHUNK_HEADER_SIZE;
        if (length > end - at)
            kiln_gltf_fail(g, NULL, "the chunk at byte %llu has %lu bytes, where %llu are left",
                           (unsigned long long)(at - CHUNK_HEADER_SIZE), (unsigned long)length,
                           (unsigned long long)(end - at));
        if (!found && kind != CHUNK_JSON)
            kiln_gltf_fail(g, NULL, "the first chunk of the .glb is not its JSON");
        if (!found) {
            *offset = at;
            *size = length;
            found = true;
        } else if (kind == CHUNK_JSON || (kind == CHUNK_BINARY && g->chunk_offset != 0)) {
            kiln_gltf_fail(g, NULL, "the .glb has two chunks of %s",
                           kind == CHUNK_JSON ? "JSON" : "binary data");
        } else if (kind == CHUNK_BINARY) {
            g->chunk_offset = at;
            g->chunk_size = length;
        }
        at += length;
    }
    if (!found)
        kiln_gltf_fail(g, NULL, "the .glb has no chunk");
    KILN_ASSERT(at <= end);
    if (at < end)
        kiln_send_warning(g->reading->sender,
                          "%llu byte%s behind the last chunk of the .glb, too few to be another: "
                          "left out",
                          (unsigned long long)(end - at), end - at == 1 ? "" : "s");
    return true;
}

static size_t digits_at(const char *text, size_t size, size_t at)
{
    const size_t from = at;

    while (at < size && text[at] >= '0' && text[at] <= '9')
        at++;
    return at - from;
}

/* The length of the number that begins at a place, by the grammar of JSON; 0: there is none. */
static size_t number_length(const char *text, size_t size, size_t at)
{
    const size_t from = at;
    size_t digits;

    at += text[at] == '-';
    digits = digits_at(text, size, at);
    if (digits == 0 || (digits > 1 && text[at] == '0'))
        return 0;
    at += digits;
    if (at < size && text[at] == '.') {
        digits = digits_at(text, size, at + 1);
        if (digits == 0)
            return 0;
        at += 1 + digits;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < size && (text[at] == '+' || text[at] == '-');
        digits = digits_at(text, size, at);
        if (digits == 0)
            return 0;
        at += digits;
    }
    return at - from;
}

/* Writes 1e308 for each number that is beyond a double, which jansson refuses the whole text for:
 * JSON knows no such limit, and `extras` may have any. Where geometry depends on one, 1e308 is as
 * good: it is no count, and beyond the floats that coordinates are. */
static void limit_numbers(char *text, size_t size)
{
    static const char largest[] = "1e308"; /* what is beyond is no shorter: 2e308 */
    bool quoted = false;

    for (size_t i = 0; i < size; i++) {
        const size_t length = !quoted && (text[i] == '-' || (text[i] >= '0' && text[i] <= '9'))
                                  ? number_length(text, size, i)
                                  : 0;
        const size_t sign = text[i] == '-';
        bool exponent = false;

        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted && text[i] == '\\')
            i++;
        if (length == 0)
            continue;
        for (size_t j = 0; j < length; j++)
            exponent |= text[i + j] == 'e' || text[i + j] == 'E';
        /* Few numbers have an exponent or so many digits: others are not converted here. */
        if ((exponent || length > DIGITS_OF_LARGEST) && isinf(strtod(text + i, NULL))) {
            KILN_ASSERT(length - sign >= sizeof largest - 1);
            memset(text + i + sign, ' ', length - sign);
            memcpy(text + i + sign, largest, sizeof largest - 1);
        }
        i += length - 1;
    }
}

/* Parses `size` bytes of JSON at `offset`. */
static void parse(gltf *g, uint64_t offset, uint64_t size)
{
    char *text = kiln_gltf_alloc(g, size, 1);
    char *start = text;
    json_error_t error;

    if (kiln_model_read(&g->reading->model, offset, text, (size_t)size) != size)
        kiln_gltf_fail(g, NULL, "its JSON can't be read whole");
    if (size >= 2 && ((memcmp(text, "\xFF\xFE", 2) == 0) || memcmp(text, "\xFE\xFF", 2) == 0))
        kiln_gltf_fail(g, NULL, "its JSON is UTF-16, where glTF has UTF-8");
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        start += 3;
        size -= 3;
    }
    /* The padding of a chunk is blanks; some programs write zero bytes. */
    while (g->binary && size > 0 && start[size - 1] == '\0')
        size--;
    if (size == 0 || start[strspn(start, " \t\r\n")] != '{')
        kiln_gltf_fail(g, NULL, "neither JSON nor a .glb, as glTF is one of");
    limit_numbers(start, (size_t)size);
    /* JSON has one kind of number, of any size. As doubles, those below 2^53 are exact, and no
     * index or count is larger; what programs put into `extras` may be. */
    g->json = json_loadb(start, (size_t)size,
                         JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (g->json == NULL && json_error_code(&error) == json_error_out_of_memory)
        kiln_read_no_memory(g->reading);
    if (g->json == NULL)
        kiln_gltf_fail(g, NULL, "its JSON is broken: line %d, column %d: %.150s", error.line,
                       error.column, error.text);
    free(text);
    g->root = (gltf_place){.json = g->json};
}

/* -- the document -- */

/* Extensions that a file may require and that are no matter of geometry, by the start of their
 * names. */
static const char *const of_no_geometry[] = {"EXT_lights_",
                                             "EXT_mesh_features",
                                             "EXT_structural_metadata",
                                             "EXT_texture_",
                                             "KHR_animation_",
                                             "KHR_audio",
                                             "KHR_lights_",
                                             "KHR_materials_",
                                             "KHR_technique",
                                             "KHR_texture_",
                                             "KHR_xmp",
                                             "MSFT_packing_",
                                             "MSFT_texture_",
                                             "VRM"};

/* Those that are read here. */
static const char *const of_geometry[] = {"EXT_mesh_gpu_instancing", "EXT_meshopt_compression",
                                          "KHR_draco_mesh_compression", "KHR_mesh_quantization"};

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof of_no_geometry / sizeof of_no_geometry[0]; i++)
        if (strncmp(name, of_no_geometry[i], strlen(of_no_geometry[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof of_geometry / sizeof of_geometry[0]; i++)
        if (strcmp(name, of_geometry[i]) == 0)
            return true;
    return false;
}

/* Looks through a list of extensions, those used or those required. */
static void note_extensions(gltf *g, const char *key, bool required)
{
    const gltf_place list = kiln_gltf_array(g, &g->root, key);

    for (size_t i = 0; i < kiln_gltf_count(&list); i++) {
        const gltf_place item = kiln_gltf_item(&list, i);
        const char *name = json_string_value(item.json);

        if (name == NULL)
            kiln_gltf_fail(g, &item, "it has to be a string");
        if (required && !is_known(name))
            kiln_gltf_fail_unsupported(g, &item,
                                       "the file requires the extension \"%.200s\", which is not "
                                       "read here; export the model without it",
                                       name);
        g->quantized |= strcmp(name, "KHR_mesh_quantization") == 0;
        g->meshopt |= strcmp(name, "EXT_meshopt_compression") == 0;
        g->draco |= strcmp(name, "KHR_draco_mesh_compression") == 0;
        g->meshopt_needed |= required && strcmp(name, "EXT_meshopt_compression") == 0;
        g->draco_needed |= required && strcmp(name, "KHR_draco_mesh_compression") == 0;
    }
}

/* False: the document is glTF 1. */
static bool check_version(const gltf *g)
{
    const gltf_place asset = kiln_gltf_object(g, &g->root, "asset");
    const gltf_place least = kiln_gltf_member(&asset, "minVersion");
    const gltf_place place = kiln_gltf_member(&asset, "version");
    const char *version = json_string_value(place.json), *wanted;

    if (version == NULL) {
        /* Version 1 does not require it; its lists are objects. */
        if (json_is_object(json_object_get(g->json, "meshes")))
            return false;
        kiln_gltf_fail(g, &place, "the version of glTF is not given");
    }
    if (strncmp(version, "1.", 2) == 0 || strcmp(version, "1") == 0)
        return false;
    wanted = kiln_gltf_text(g, &asset, "minVersion");
    if (strncmp(version, "2.", 2) != 0)
        kiln_gltf_fail_unsupported(
            g, &place, "glTF of version \"%.20s\" is not read here; export it as glTF 2.0",
            version);
    if (wanted != NULL && strcmp(wanted, "2.0") != 0)
        kiln_gltf_fail_unsupported(
            g, &least, "a reader of glTF %.20s is wanted; export it as glTF 2.0", wanted);
    return true;
}

bool kiln_gltf_open(gltf *g, kiln_reading *reading)
{
    uint8_t magic[4] = {0};
    uint64_t offset = 0, size = reading->model.size;

    memset(g, 0, sizeof *g);
    g->reading = reading;
    g->binary = kiln_model_read(&reading->model, 0, magic, 4) == 4 && memcmp(magic, "glTF", 4) == 0;
    if (g->binary && !find_chunks(g, &offset, &size))
        return false;
    parse(g, offset, size);
    if (!check_version(g))
        return false;
    for (int i = 0; i < GLTF_LIST_COUNT; i++) {
        const gltf_place list = kiln_gltf_array(g, &g->root, list_names[i]);

        g->lists[i] = list;
        for (size_t j = 0; j < kiln_gltf_count(&list); j++)
            if (!json_is_object(json_array_get(list.json, j))) {
                const gltf_place item = kiln_gltf_item(&list, j);

                kiln_gltf_fail(g, &item, "it has to be an object");
            }
    }
    note_extensions(g, "extensionsUsed", false);
    note_extensions(g, "extensionsRequired", true);
    g->buffers = kiln_gltf_alloc(g, kiln_gltf_count(&g->lists[GLTF_BUFFERS]), sizeof *g->buffers);
    g->views = kiln_gltf_alloc(g, kiln_gltf_count(&g->lists[GLTF_VIEWS]), sizeof *g->views);
    g->bounded = kiln_gltf_alloc(g, kiln_gltf_count(&g->lists[GLTF_ACCESSORS]), sizeof *g->bounded);
    return true;
}

void kiln_gltf_close(gltf *g)
{
    for (size_t i = 0; g->buffers != NULL && i < kiln_gltf_count(&g->lists[GLTF_BUFFERS]); i++) {
        if (g->buffers[i].owned)
            close(g->buffers[i].bytes.file);
        free(g->buffers[i].decoded);
    }
    for (size_t i = 0; g->views != NULL && i < kiln_gltf_count(&g->lists[GLTF_VIEWS]); i++)
        free(g->views[i]);
    free(g->buffers);
    free(g->views);
    free(g->bounded);
    json_decref(g->json);
    memset(g, 0, sizeof *g);
}
