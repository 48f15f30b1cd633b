/* A guess of the memory that an asset takes, from the bytes of its source.
 *
 * Too little means a second run, of which the first is mostly stopped before it builds; too much
 * means that fewer run at once. Triangles take 19 to 50 bytes in a file and 110 while they are
 * baked to one tree; what Assimp reads is less dense, or takes as much while it is read, and what
 * glTF compresses is denser.
 *
 * A .gltf has its data in other files: their lengths are in its JSON, which is read for that. The
 * JSON may say anything, and may be broken: then this guess is wrong, and nothing else. */
#include "asset_memory.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../../formats/assert.h"
#include "../../import/formats.h"

enum {
    TIMES_DENSE = 6,     /* bytes of memory for one of the source */
    TIMES_SPARSE = 16,   /* of what Assimp reads, and of compressed data */
    JSON_MOST = 1 << 24, /* a longer one has its data in itself */
    GLB_HEAD = 20,       /* before the JSON of a .glb: its header, and that of the first chunk */
};

/* The JSON of a .gltf or a .glb; NULL: it is not there, too long or broken. */
static json_t *load_json(const char *input)
{
    unsigned char head[GLB_HEAD] = {0};
    FILE *in = fopen(input, "rb");
    size_t got, most = JSON_MOST;
    json_t *json = NULL;
    char *text = NULL;

    if (in == NULL) {
        return NULL;
    }
    got = fread(head, 1, sizeof head, in);
    if (got == sizeof head && memcmp(head, "glTF", 4) == 0) {
        const size_t length =
            head[12] | (size_t)head[13] << 8 | (size_t)head[14] << 16 | (size_t)head[15] << 24;
        most = length < most ? length : 0;
    } else {
        rewind(in);
    }
    text = malloc(most + 1);
    got = text != NULL ? fread(text, 1, most, in) : 0;
    if (got > 0 && got < JSON_MOST) {
        json = json_loadb(text, got, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL);
    }
    free(text);
    (void)fclose(in);
    return json;
}

/* Bytes of the files beside a model of glTF, and whether something in it is compressed. */
static double look_at_gltf(const char *input, bool *compressed)
{
    json_t *json = load_json(input), *item;
    double bytes = 0;
    size_t i;

    json_array_foreach(json_object_get(json, "buffers"), i, item)
    {
        const char *uri = json_string_value(json_object_get(item, "uri"));
        const double length = json_number_value(json_object_get(item, "byteLength"));

        if (uri != NULL && strncasecmp(uri, "data:", 5) != 0 && length > 0) {
            bytes += length;
        }
    }
    json_array_foreach(json_object_get(json, "extensionsUsed"), i, item)
    {
        const char *name = json_string_value(item);

        *compressed |= name != NULL && strstr(name, "compression") != NULL;
    }
    json_decref(json);
    return bytes;
}

uint64_t asset_memory_guess(const char *input, const char *format, uint64_t size)
{
    const double base = (double)((uint64_t)8 << 20), most = 0x1p62;
    char extension[KILN_EXTENSION_SIZE];
    bool compressed = false;
    double bytes = (double)size;
    int times;

    KILN_ASSERT(input != NULL);
    kiln_extension_of(input, format, extension);
    /* Arrays of FBX are packed, as far as programs of today write them. */
    compressed = strcmp(extension, "fbx") == 0;
    /* What is no regular file has no size, and can't be read twice. */
    if (size > 0 && strcmp(kiln_importer_name(extension), kiln_importer_name("gltf")) == 0) {
        bytes += look_at_gltf(input, &compressed);
    }
    times =
        kiln_format_trust(extension) == KILN_TRUST_OWN && !compressed ? TIMES_DENSE : TIMES_SPARSE;
    bytes = base + times * bytes;
    return (uint64_t)(bytes < most ? bytes : most);
}
