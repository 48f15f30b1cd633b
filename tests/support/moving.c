#include "moving.h"

#include "meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double moving_edge(const moving_scene *scene)
{
    return cbrt(scene->count / scene->density);
}

kiln_dynamic_options moving_options(const moving_scene *scene, kiln_dynamic_engine engine)
{
    kiln_dynamic_options options = kiln_dynamic_options_default();
    options.capacity = scene->count;
    options.engine = engine;
    options.capsules = scene->half_length > 0;
    for (int k = 0; k < 3 && scene->has_walls; k++) {
        options.lower[k] = 0;
        options.upper[k] = moving_edge(scene);
    }
    return options;
}

static void stream_direction(uint64_t *random, double out[3])
{
    double side[3];
    random_direction(random, side);
    for (int k = 0; k < 3; k++) {
        out[k] = sqrt(1.0 / 3) + 0.0872 * random_between(random, 0, 1) * side[k];
    }
    const double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int k = 0; k < 3; k++) {
        out[k] /= length;
    }
}

kiln_dynamic_object moving_object(const moving_scene *scene, uint32_t i)
{
    uint64_t random = scene->seed * 0x9E3779B97F4A7C15u + i;
    kiln_dynamic_object object = kiln_dynamic_object_default();
    const double edge = moving_edge(scene);
    double direction[3], speed = scene->speed * random_between(&random, 0, 1);
    (void)random_next(&random);
    random_direction(&random, direction);
    object.user = i;
    object.radius = scene->radius;
    if (scene->radii_vary) {
        object.radius *= i % 64 == 5 ? 4 : random_between(&random, 0.1, 1);
    }
    if (scene->way == MOVING_STREAM) {
        stream_direction(&random, direction);
        speed = scene->speed * random_between(&random, 0.9, 1);
    } else if (scene->way == MOVING_FEW_FAST) {
        speed = i % 100 == 0 ? scene->speed : scene->speed * 0.02;
    }
    object.half_length = scene->half_length;
    const double room = object.radius + scene->half_length;
    for (int k = 0; k < 3; k++) {
        object.position[k] = random_between(&random, room, edge > 2 * room ? edge - room : room);
        if (scene->way == MOVING_CLUSTERS) {
            const double middle = edge * (0.2 + 0.2 * (double)((i + (uint32_t)k) % 4));
            object.position[k] = middle + random_between(&random, -0.15, 0.15) * edge;
        }
        object.velocity[k] = speed * direction[k];
        object.axis[k] = direction[k];
    }
    return object;
}

kiln_dynamic *moving_world(const moving_scene *scene, const kiln_dynamic_options *options,
                           void **memory)
{
    const size_t size = kiln_dynamic_size(options);
    kiln_dynamic *world = NULL;
    *memory = malloc(size);
    if (size == 0 || kiln_dynamic_place(*memory, size, options, &world) != KILN_OK) {
        abort();
    }
    for (uint32_t i = 0; i < scene->count; i++) {
        const kiln_dynamic_object object = moving_object(scene, i);
        kiln_dynamic_id id;
        if (kiln_dynamic_add(world, &object, &id) != KILN_OK) {
            abort();
        }
    }
    return world;
}

static void mix(moving_log *log, uint64_t number)
{
    log->digest = (log->digest ^ number) * 0x9E3779B97F4A7C15u;
    log->digest ^= log->digest >> 29;
}

bool moving_event(void *user, kiln_dynamic_event *event)
{
    moving_log *log = user;
    uint64_t bits;
    memcpy(&bits, &event->time, sizeof bits);
    mix(log, bits);
    mix(log, event->a);
    mix(log, event->b);
    mix(log, (uint64_t)(event->wall + 1));
    for (int k = 0; k < 3; k++) {
        memcpy(&bits, &event->position_a[k], sizeof bits);
        mix(log, bits);
        memcpy(&bits, &event->position_b[k], sizeof bits);
        mix(log, bits);
    }
    log->events++;
    log->walls += event->b == 0;
    if (log->ghosts > 0 && event->b != 0 && ((event->a ^ event->b) >> 32) % log->ghosts == 0) {
        return true;
    }
    return kiln_dynamic_bounce(NULL, event);
}
