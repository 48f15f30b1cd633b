/* A quarter turn about z, a way along x, and half the size. */
#include <kiln.h>
#include <stdio.h>

int main(void)
{
    double half =
        0.70710678118654752; /* of a right angle: sine, cosine */
    double quaternion[4] = {0, 0, half, half}; /* x, y, z, w */
    double translation[3] = {2, 0, 0};
    kiln_pose pose;
    if (kiln_pose_from_quaternion(quaternion, translation, &pose) !=
        KILN_OK)
        return 1;
    pose.scale = 0.5;
    printf("its x axis points along y: %.3f\n", pose.rotation[3]);
    return 0;
}

/* Prints:
 *     its x axis points along y: 1.000
 */
