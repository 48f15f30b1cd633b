/* The receiving side: bytes from a process that may have gone wrong in any way. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "../common/memory.h"

/* Numbers of vertices, faces and corners stay below 2^31. */
#define MOST_ELEMENTS 0x7FFFFFFFu

size_t kiln_array_element(kiln_array array)
{
    static const size_t sizes[KILN_ARRAY_COUNT] = {
        [KILN_ARRAY_STRINGS] = 1,
        [KILN_ARRAY_MATERIALS] = 4,
        [KILN_ARRAY_POSITIONS] = 12,
        [KILN_ARRAY_RESIDUALS] = 12,
        [KILN_ARRAY_SIZES] = 4,
        [KILN_ARRAY_RECORDS] = 4,
        [KILN_ARRAY_USERS] = 4,
        [KILN_ARRAY_CORNERS] = 4,
        [KILN_ARRAY_MESHES] = sizeof(kiln_scene_mesh),
        [KILN_ARRAY_NODES] = sizeof(kiln_scene_node),
        [KILN_ARRAY_PLACES] = 4,
        [KILN_ARRAY_SIDE_FILES] = sizeof(kiln_scene_side_file),
        [KILN_ARRAY_ABSENT] = 4,
        [KILN_ARRAY_WARNINGS] = 4,
        [KILN_ARRAY_FACTS] = sizeof(kiln_scene_facts),
        [KILN_ARRAY_FAILURE] = sizeof(kiln_scene_failure),
    };
    return sizes[array];
}

/* Starts the piece that a whole header announces: array, zero, bytes. A piece without bytes is the
 * end. */
static bool start_piece(kiln_scene *scene)
{
    uint32_t array;
    uint64_t bytes;
    size_t element;

    memcpy(&array, scene->header, sizeof array);
    memcpy(&bytes, scene->header + 8, sizeof bytes);
    scene->have = 0;
    if (array >= KILN_ARRAY_COUNT)
        return false;
    element = kiln_array_element((kiln_array)array);
    if (bytes % element != 0 || bytes / element > MOST_ELEMENTS - scene->arrays[array].count)
        return false;
    scene->received += bytes;
    if (scene->most != 0 && scene->received > scene->most) {
        scene->no_memory = true;
        return false;
    }
    scene->ended = bytes == 0;
    scene->array = (kiln_array)array;
    scene->piece_left = bytes;
    if (!kiln_grow(&scene->arrays[array].items, &scene->arrays[array].capacity,
                   scene->arrays[array].count + (size_t)(bytes / element), element)) {
        scene->no_memory = true;
        return false;
    }
    return true;
}

static size_t take_piece(kiln_scene *scene, const uint8_t *data, size_t size)
{
    kiln_scene_array *array = &scene->arrays[scene->array];
    size_t element = kiln_array_element(scene->array);
    size_t take = size < scene->piece_left ? size : (size_t)scene->piece_left;
    /* Bytes of the piece that are here already; its elements are counted when it is whole. */
    uint8_t *end = (uint8_t *)array->items + array->count * element + scene->have;

    memcpy(end, data, take);
    scene->have += take;
    scene->piece_left -= take;
    if (scene->piece_left == 0) {
        array->count += scene->have / element;
        scene->have = 0;
    }
    return take;
}

static size_t take_header(kiln_scene *scene, const uint8_t *data, size_t size)
{
    size_t room = sizeof scene->header - scene->have;
    size_t take = size < room ? size : room;

    memcpy(scene->header + scene->have, data, take);
    scene->have += take;
    if (scene->have == sizeof scene->header && !start_piece(scene))
        scene->broken = true;
    return take;
}

bool kiln_scene_receive(void *user, const uint8_t *data, size_t size)
{
    kiln_scene *scene = user;

    while (size > 0 && !scene->broken) {
        size_t taken;

        if (scene->ended) {
            scene->broken = true;
            break;
        }
        taken =
            scene->piece_left > 0 ? take_piece(scene, data, size) : take_header(scene, data, size);
        data += taken;
        size -= taken;
    }
    return !scene->broken;
}

const char *kiln_scene_string(const kiln_scene *scene, uint32_t offset)
{
    const kiln_scene_array *strings = &scene->arrays[KILN_ARRAY_STRINGS];

    return offset < strings->count ? (const char *)strings->items + offset : "";
}

static bool strings_sound(const kiln_scene *scene)
{
    const kiln_scene_array *strings = &scene->arrays[KILN_ARRAY_STRINGS];

    return strings->count > 0 && ((const char *)strings->items)[strings->count - 1] == '\0';
}

/* Meshes tile faces and vertices, sizes tile corners. */
static bool meshes_sound(const kiln_scene *scene)
{
    const kiln_scene_array *arrays = scene->arrays;
    const kiln_scene_mesh *meshes = arrays[KILN_ARRAY_MESHES].items;
    const uint32_t *sizes = arrays[KILN_ARRAY_SIZES].items;
    const uint32_t *users = arrays[KILN_ARRAY_USERS].items;
    uint64_t faces = 0, vertices = 0, corners = 0;

    for (size_t i = 0; i < arrays[KILN_ARRAY_MESHES].count; i++) {
        if (meshes[i].face_count > MOST_ELEMENTS || meshes[i].vertex_count > MOST_ELEMENTS ||
            meshes[i].shared > 1 || (meshes[i].shared && meshes[i].vertex_count != 0))
            return false;
        faces += meshes[i].face_count;
        if (!meshes[i].shared)
            vertices += meshes[i].vertex_count;
        else
            vertices = arrays[KILN_ARRAY_POSITIONS].count;
    }
    for (size_t i = 0; i < arrays[KILN_ARRAY_SIZES].count; i++) {
        if (sizes[i] < 3)
            return false;
        corners += sizes[i];
    }
    for (size_t i = 0; i < arrays[KILN_ARRAY_USERS].count; i++)
        if (users[i] >= arrays[KILN_ARRAY_MATERIALS].count)
            return false;
    return faces == arrays[KILN_ARRAY_SIZES].count && faces == arrays[KILN_ARRAY_RECORDS].count &&
           faces == arrays[KILN_ARRAY_USERS].count && corners == arrays[KILN_ARRAY_CORNERS].count &&
           vertices <= arrays[KILN_ARRAY_POSITIONS].count &&
           (arrays[KILN_ARRAY_RESIDUALS].count == 0 ||
            arrays[KILN_ARRAY_RESIDUALS].count == arrays[KILN_ARRAY_POSITIONS].count);
}

static bool nodes_sound(const kiln_scene *scene)
{
    const kiln_scene_array *arrays = scene->arrays;
    const kiln_scene_node *nodes = arrays[KILN_ARRAY_NODES].items;
    const uint32_t *places = arrays[KILN_ARRAY_PLACES].items;
    uint64_t count = 0;

    for (size_t i = 0; i < arrays[KILN_ARRAY_NODES].count; i++) {
        if (nodes[i].parent != KILN_SCENE_NONE && nodes[i].parent >= i)
            return false;
        count += nodes[i].place_count;
    }
    for (size_t i = 0; i < arrays[KILN_ARRAY_PLACES].count; i++)
        if (places[i] >= arrays[KILN_ARRAY_MESHES].count)
            return false;
    return count == arrays[KILN_ARRAY_PLACES].count;
}

static bool facts_sound(const kiln_scene *scene)
{
    const kiln_scene_facts *facts = scene->arrays[KILN_ARRAY_FACTS].items;

    return scene->arrays[KILN_ARRAY_FACTS].count == 1 && facts->up_declared >= -1 &&
           facts->up_declared <= 2 && facts->up_now >= 0 && facts->up_now <= 2;
}

bool kiln_scene_is_sound(kiln_scene *scene)
{
    if (!scene->ended || scene->broken || !strings_sound(scene))
        return false;
    if (scene->arrays[KILN_ARRAY_FAILURE].count > 0)
        return true;
    return meshes_sound(scene) && nodes_sound(scene) && facts_sound(scene);
}

void kiln_scene_free(kiln_scene *scene)
{
    for (int i = 0; i < KILN_ARRAY_COUNT; i++)
        free(scene->arrays[i].items);
    memset(scene, 0, sizeof *scene);
}
