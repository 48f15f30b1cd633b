/* Lists, and vertices that several meshes share.
 *
 * Meshes of a scene have vertices of their own (scene.h). A file may have many meshes that use a
 * few each of the same million vertices: sent with every mesh, they would be a million times as
 * many. So no more vertices go with a mesh than it has corners. */
#include "points.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "../common/memory.h"

void *kiln_list_add(kiln_reading *reading, kiln_list *list, size_t size)
{
    void *item;

    if (!kiln_grow(&list->items, &list->capacity, list->count + 1, size))
        kiln_read_no_memory(reading);
    item = (char *)list->items + size * list->count++;
    KILN_ASSERT(list->count <= list->capacity);
    return memset(item, 0, size);
}

void kiln_points_add(kiln_reading *reading, kiln_points *points, const double position[3])
{
    KILN_ASSERT(points->place == NULL); /* none is added once a mesh is sent */
    if (points->at.count >= KILN_SCENE_NONE - 1)
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "more than 4294967294 vertices; split the model");
    memcpy(kiln_list_add(reading, &points->at, sizeof(double[3])), position, sizeof(double[3]));
}

void kiln_points_free(kiln_points *points)
{
    free(points->at.items);
    free(points->place);
    memset(points, 0, sizeof *points);
}

uint64_t kiln_points_send(kiln_reading *reading, kiln_points *points, uint32_t *corners,
                          size_t count)
{
    const double(*at)[3] = points->at.items;
    const uint64_t before = points->sent;
    bool some = points->at.count > count;

    for (size_t i = 0; i < count && some; i++)
        some = corners[i] < points->at.count;
    if (!some) {
        for (size_t i = 0; i < points->at.count; i++)
            kiln_read_vertex(reading, at[i]);
        return points->at.count;
    }
    if (points->place == NULL)
        points->place = calloc(points->at.count, sizeof *points->place);
    if (points->place == NULL)
        kiln_read_no_memory(reading);
    /* A place of an earlier mesh is at most `before`, so nothing has to be cleared between meshes.
     */
    for (size_t i = 0; i < count; i++) {
        uint64_t *place = &points->place[corners[i]];

        if (*place <= before) {
            kiln_read_vertex(reading, at[corners[i]]);
            *place = ++points->sent;
        }
        corners[i] = (uint32_t)(*place - before - 1);
    }
    KILN_ASSERT(points->sent - before <= count);
    return points->sent - before;
}
