/* Two balls, of which one flies at 300 units a second. */
#include <kiln_continuous.h>
#include <stdio.h>
#include <stdlib.h>

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
    kiln_dynamic_info info = kiln_dynamic_get_info(world);
    printf("%u objects\n", info.count);
    free(memory);
    return 0;
}

/* Prints:
 *     2 objects
 */
