/* A way between two poses, and where it is after a quarter of the
 * time. */
#include <kiln_sweep.h>
#include <stdio.h>

int main(void)
{
    kiln_pose start = kiln_pose_identity(), end = start;
    double centre[3] = {0, 0, 0};
    kiln_motion flight;
    start.translation[0] = 5;
    end.translation[0] = -5;
    if (kiln_motion_between(&start, &end, centre, 0, &flight) !=
        KILN_OK)
        return 1;
    kiln_pose pose;
    if (kiln_motion_pose(&flight, 0.25, &pose) != KILN_OK)
        return 1;
    printf("x = %g\n", pose.translation[0]);
    return 0;
}

/* Prints:
 *     x = 2.5
 */
