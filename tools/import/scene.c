/* The receiving side of a scene, in the parent (the sending side is sender.c, which says what goes
 * through the pipe). The bytes come from a process that may have gone wrong in any way, or that a
 * hostile file has taken over.
 *
 * So nothing is believed. While bytes come in, pieces must be whole elements of a known array, and
 * all of them together stay below a number of bytes. When the scene is whole, kiln_scene_is_sound
 * checks that counts add up and that references exist; what uses the scene later relies on that and
 * asserts it. Indices of corners and values of coordinates are the file's own errors and are left
 * to flatten.c, which reports them by face. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
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
        [KILN_ARRAY_GRID] = sizeof(kiln_scene_grid),
        [KILN_ARRAY_SAMPLES] = 2,
        [KILN_ARRAY_FACTS] = sizeof(kiln_scene_facts),
        [KILN_ARRAY_FAILURE] = sizeof(kiln_scene_failure),
    };

    KILN_ASSERT(array < KILN_ARRAY_COUNT && sizes[array] > 0);
    return sizes[array];
}

/* Starts the piece that a whole header announces: array, zero, bytes. A piece without bytes is the
 * end. False: the scene is broken. */
static bool start_piece(kiln_scene *scene)
{
    uint32_t array;
    uint64_t bytes;
    size_t element;

    KILN_ASSERT(scene->have == sizeof scene->header && scene->piece_left == 0);
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

bool kiln_scene_receive(void *user, const uint8_t *data, size_t size)
{
    kiln_scene *scene = user;

    while (size > 0 && !scene->broken) {
        kiln_scene_array *array = &scene->arrays[scene->array];
        const size_t room =
            scene->piece_left > 0 ? (size_t)scene->piece_left : sizeof scene->header - scene->have;
        const size_t take = size < room ? size : room;

        if (scene->ended) {
            scene->broken = true;
        } else if (scene->piece_left > 0) {
            /* scene->have bytes of the piece are here already; its elements are counted when it is
             * whole. */
            const size_t element = kiln_array_element(scene->array);

            KILN_ASSERT(array->count * element + scene->have + take <= array->capacity * element);
            memcpy((uint8_t *)array->items + array->count * element + scene->have, data, take);
            scene->have += take;
            scene->piece_left -= take;
            if (scene->piece_left == 0) {
                array->count += scene->have / element;
                scene->have = 0;
            }
        } else {
            memcpy(scene->header + scene->have, data, take);
            scene->have += take;
            if (scene->have == sizeof scene->header && !start_piece(scene))
                scene->broken = true;
        }
        data += take;
        size -= take;
    }
    return !scene->broken;
}

const char *kiln_scene_string(const kiln_scene *scene, uint32_t offset)
{
    const kiln_scene_array *strings = &scene->arrays[KILN_ARRAY_STRINGS];

    return offset < strings->count ? (const char *)strings->items + offset : "";
}

bool kiln_scene_is_sound(kiln_scene *scene)
{
    const kiln_scene_array *arrays = scene->arrays;
    const size_t strings = arrays[KILN_ARRAY_STRINGS].count;
    const size_t vertices = arrays[KILN_ARRAY_POSITIONS].count;
    const size_t faces = arrays[KILN_ARRAY_SIZES].count;
    const kiln_scene_mesh *meshes = arrays[KILN_ARRAY_MESHES].items;
    const kiln_scene_node *nodes = arrays[KILN_ARRAY_NODES].items;
    const kiln_scene_facts *facts = arrays[KILN_ARRAY_FACTS].items;
    const uint32_t *sizes = arrays[KILN_ARRAY_SIZES].items;
    const uint32_t *users = arrays[KILN_ARRAY_USERS].items;
    const uint32_t *places = arrays[KILN_ARRAY_PLACES].items;
    uint64_t face_sum = 0, vertex_sum = 0, corner_sum = 0, place_sum = 0;

    /* A last zero byte makes an end for the string at any offset. */
    if (!scene->ended || scene->broken || strings == 0 ||
        ((const char *)arrays[KILN_ARRAY_STRINGS].items)[strings - 1] != '\0')
        return false;
    if (arrays[KILN_ARRAY_FAILURE].count > 0)
        return true;

    /* Meshes tile faces and vertices, faces tile corners. Sums of 2^31 counts below 2^31 fit 64
     * bits. A mesh that shares vertices may refer to any. */
    for (size_t i = 0; i < arrays[KILN_ARRAY_MESHES].count; i++) {
        if (meshes[i].face_count > MOST_ELEMENTS || meshes[i].vertex_count > MOST_ELEMENTS ||
            meshes[i].shared > 1 || (meshes[i].shared && meshes[i].vertex_count != 0) ||
            meshes[i].pose_of > arrays[KILN_ARRAY_MESHES].count)
            return false;
        face_sum += meshes[i].face_count;
        vertex_sum = meshes[i].shared ? vertices : vertex_sum + meshes[i].vertex_count;
    }
    for (size_t i = 0; i < faces; i++) {
        if (sizes[i] < 3)
            return false;
        corner_sum += sizes[i];
    }
    for (size_t i = 0; i < arrays[KILN_ARRAY_USERS].count; i++)
        if (users[i] >= arrays[KILN_ARRAY_MATERIALS].count)
            return false;
    if (face_sum != faces || face_sum != arrays[KILN_ARRAY_RECORDS].count ||
        face_sum != arrays[KILN_ARRAY_USERS].count ||
        corner_sum != arrays[KILN_ARRAY_CORNERS].count || vertex_sum > vertices ||
        (arrays[KILN_ARRAY_RESIDUALS].count != 0 && arrays[KILN_ARRAY_RESIDUALS].count != vertices))
        return false;

    /* A grid is all that its scene has, and is as large as it says. */
    if (arrays[KILN_ARRAY_GRID].count == 0) {
        if (arrays[KILN_ARRAY_SAMPLES].count != 0)
            return false;
    } else {
        const kiln_scene_grid *grid = arrays[KILN_ARRAY_GRID].items;

        if (arrays[KILN_ARRAY_GRID].count > 1 || arrays[KILN_ARRAY_MESHES].count != 0 ||
            arrays[KILN_ARRAY_SAMPLES].count == 0 || grid->greatest == 0 ||
            grid->greatest > UINT16_MAX ||
            (grid->columns != 0 &&
             (uint64_t)grid->columns * grid->rows != arrays[KILN_ARRAY_SAMPLES].count))
            return false;
    }

    /* Parents come before their children, and nodes tile the places. */
    for (size_t i = 0; i < arrays[KILN_ARRAY_NODES].count; i++) {
        if ((nodes[i].parent != KILN_SCENE_NONE && nodes[i].parent >= i) || nodes[i].absolute > 1)
            return false;
        place_sum += nodes[i].place_count;
    }
    for (size_t i = 0; i < arrays[KILN_ARRAY_PLACES].count; i++)
        if (places[i] >= arrays[KILN_ARRAY_MESHES].count)
            return false;
    return place_sum == arrays[KILN_ARRAY_PLACES].count && arrays[KILN_ARRAY_FACTS].count == 1 &&
           facts->up_declared >= -1 && facts->up_declared <= 2 && facts->up_now >= 0 &&
           facts->up_now <= 2;
}

void kiln_scene_free(kiln_scene *scene)
{
    for (int i = 0; i < KILN_ARRAY_COUNT; i++)
        free(scene->arrays[i].items);
    memset(scene, 0, sizeof *scene);
}
