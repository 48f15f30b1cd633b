/* One frame of a thirtieth of a second, in which it would jump over
 * the other. */
#include <kiln_continuous.h>
#include <stdio.h>
#include <stdlib.h>

static bool bounce(void *user, kiln_dynamic_event *event)
{
    printf("they touch after %.3f s\n", event->time);
    return kiln_dynamic_bounce(user, event);
}

int main(void)
{
    kiln_dynamic_options options = kiln_dynamic_options_default();
    kiln_dynamic *world = NULL;
    options.capacity = 2;
    size_t size = kiln_dynamic_size(&options);
    void *memory = malloc(size);
    if (kiln_dynamic_place(memory, size, &options, &world) != KILN_OK)
        return 1;
    for (int i = 0; i < 2; i++) {
        kiln_dynamic_object ball = kiln_dynamic_object_default();
        kiln_dynamic_id id;
        ball.radius = 0.5;
        ball.position[0] = 10 * i;
        ball.velocity[0] = i == 0 ? 300 : 0;
        ball.user = (uint64_t)i;
        if (kiln_dynamic_add(world, &ball, &id) != KILN_OK)
            return 1;
    }
    size_t count;
    if (kiln_dynamic_step(world, 1.0 / 30, bounce, NULL, &count) !=
        KILN_OK)
        return 1;
    printf("%zu event\n", count);
    free(memory);
    return 0;
}

/* Prints:
 *     they touch after 0.030 s
 *     1 event
 */
