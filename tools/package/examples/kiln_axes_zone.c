/* Which of the 70 axes does an object use that flies along x? */
#include <kiln_axes.h>
#include <stdio.h>

int main(void)
{
    double velocity[3] = {12, 0, 0};
    uint64_t mask[KILN_AXES_DEFAULT_WORDS];
    uint32_t count;
    if (kiln_axes_zone(kiln_axes_default(), velocity, 0, mask,
                       &count) != KILN_OK)
        return 1;
    printf("%u axes\n", count);
    return 0;
}

/* Prints:
 *     15 axes
 */
