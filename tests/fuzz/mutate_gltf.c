/* Mutations of glTF by its structure: random bytes hardly ever leave JSON that a reader takes. A
 * value of the document is replaced, taken away, or copied over another; numbers become those at
 * which readers go wrong; data of a URI or of the binary chunk change by bits. */
#define _POSIX_C_SOURCE 200809L
#include "mutate_gltf.h"

#include "../support/meshes.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 4096, HEADER = 12, CHUNK = 8 };

/* A value within its object (key) or list. */
typedef struct {
    json_t *in, *value;
    const char *key;
    size_t index;
} spot;

static spot spots[VALUES_MOST];
static size_t spot_count;

static void collect(json_t *json)
{
    const char *key;
    json_t *value;
    size_t index;
    if (json_is_object(json)) {
        json_object_foreach(json, key, value)
        {
            if (spot_count < VALUES_MOST) {
                spots[spot_count++] = (spot){json, value, key, 0};
            }
            collect(value);
        }
    } else if (json_is_array(json)) {
        json_array_foreach(json, index, value)
        {
            if (spot_count < VALUES_MOST) {
                spots[spot_count++] = (spot){json, value, NULL, index};
            }
            collect(value);
        }
    }
}

/* The value is taken over. */
static void put(const spot *at, json_t *value)
{
    if (at->key != NULL) {
        (void)json_object_set_new(at->in, at->key, value);
    } else {
        (void)json_array_set_new(at->in, at->index, value);
    }
}

static json_t *number(uint64_t *random)
{
    static const double reals[] = {0.5, -1, 1e-30, 1e30, 1e300, -0.0, 0.99999, 3};
    static const json_int_t whole[] = {
        0,  1,     2,    3,    4,   5,    7,          8,          11,   12,     16,
        24, 36,    252,  255,  256, 5120, 5121,       5122,       5123, 5125,   5126,
        -1, 65535, 1000, 4096, 42,  6,    4294967295, 2147483648, 9999, 1 << 24};
    if (random_below(random, 4) == 0) {
        return json_real(reals[random_below(random, sizeof reals / sizeof reals[0])]);
    }
    return json_integer(whole[random_below(random, sizeof whole / sizeof whole[0])]);
}

static json_t *word(uint64_t *random)
{
    static const char *const words[] = {"",
                                        "SCALAR",
                                        "VEC3",
                                        "VEC4",
                                        "MAT4",
                                        "TRIANGLES",
                                        "INDICES",
                                        "ATTRIBUTES",
                                        "EXPONENTIAL",
                                        "QUATERNION",
                                        "OCTAHEDRAL",
                                        "1.0",
                                        "2.0",
                                        "data:,%00",
                                        "data:;base64,AAAA",
                                        "KHR_mesh_quantization",
                                        "EXT_meshopt_compression",
                                        "KHR_draco_mesh_compression"};
    return json_string(words[random_below(random, sizeof words / sizeof words[0])]);
}

/* Changes characters of a long string, which is data. */
static json_t *changed_text(const json_t *text, uint64_t *random)
{
    static const char letters[] = "A/+9z0QgIB=%";
    char *copy = strdup(json_string_value(text));
    const uint32_t length = (uint32_t)strlen(copy), start = length > 60 ? 40 : 0;
    for (uint32_t i = 1 + random_below(random, 4); i > 0 && length > start; i--) {
        copy[start + random_below(random, length - start)] =
            letters[random_below(random, sizeof letters - 1)];
    }
    if (random_below(random, 8) == 0 && length > start) {
        copy[start + random_below(random, length - start)] = '\0';
    }
    json_t *made = json_string(copy);
    free(copy);
    return made;
}

static void change_value(json_t *root, uint64_t *random)
{
    spot_count = 0;
    collect(root);
    if (spot_count == 0) {
        return;
    }
    const spot *at = &spots[random_below(random, (uint32_t)spot_count)];
    const spot *other = &spots[random_below(random, (uint32_t)spot_count)];
    switch (random_below(random, 8)) {
    case 0:
        if (at->key != NULL) {
            (void)json_object_del(at->in, at->key);
        } else {
            (void)json_array_remove(at->in, at->index);
        }
        break;
    case 1:
        put(at, json_deep_copy(other->value));
        break;
    case 2:
        if (json_is_array(at->value)) {
            (void)json_array_append_new(at->value,
                                        json_array_size(at->value) > 0
                                            ? json_deep_copy(json_array_get(at->value, 0))
                                            : number(random));
        } else if (json_is_object(at->value) && other->key != NULL) {
            (void)json_object_set_new(at->value, other->key, json_deep_copy(other->value));
        }
        break;
    default:
        if (json_is_number(at->value)) {
            put(at, number(random));
        } else if (json_is_string(at->value)) {
            put(at, json_string_length(at->value) > 60 ? changed_text(at->value, random)
                                                       : word(random));
        } else if (random_below(random, 8) == 0) {
            put(at, random_below(random, 2) == 0 ? number(random) : json_null());
        }
        break;
    }
}

/* Parses `text`, changes it and writes it over; returns its new size. */
static size_t change_json(uint8_t *text, size_t size, size_t most, uint64_t *random)
{
    json_t *root = json_loadb((const char *)text, size, 0, NULL);
    if (root == NULL) {
        return size;
    }
    for (uint32_t i = 1 + random_below(random, 3); i > 0; i--) {
        change_value(root, random);
    }
    char *made = json_dumps(root, JSON_COMPACT);
    const size_t length = made != NULL ? strlen(made) : 0;
    if (length > 0 && length <= most) {
        memcpy(text, made, length);
        size = length;
    }
    free(made);
    json_decref(root);
    return size;
}

static void put_number(uint8_t *to, size_t value)
{
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(value >> 8 * i);
    }
}

size_t mutate_gltf(uint8_t *model, size_t size, size_t most, uint64_t *random)
{
    static uint8_t rest[1 << 16];
    if (size < HEADER + CHUNK || memcmp(model, "glTF", 4) != 0) {
        return change_json(model, size, most, random);
    }
    const size_t start = HEADER + CHUNK;
    size_t length = model[12] | (size_t)model[13] << 8;
    if (length > size - start || size - start - length > sizeof rest) {
        return size;
    }
    const size_t after = size - start - length;
    memcpy(rest, model + start + length, after);
    length = change_json(model + start, length, most - start - after - 4, random);
    while (length % 4 != 0) {
        model[start + length++] = ' ';
    }
    if (after > 0) {
        memcpy(model + start + length, rest, after);
    }
    size = start + length + after;
    put_number(model + 8, size);
    put_number(model + HEADER, length);
    for (uint32_t i = random_below(random, 3); i > 0; i--) {
        const bool in_data = after > CHUNK && random_below(random, 4) != 0;
        const size_t at = in_data ? size - 1 - random_below(random, (uint32_t)(after - CHUNK))
                                  : random_below(random, (uint32_t)start);
        model[at] ^= (uint8_t)(1u << random_below(random, 8));
    }
    return size;
}
