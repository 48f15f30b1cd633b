/* With 20 balls of one colour and 10 of another in 64 bins, how
 * likely is it that two bins have both? */
#include <kiln_adb.h>
#include <stdio.h>

int main(void)
{
    double p;
    if (kiln_bins_probability(NULL, 64, 20, 10, 2, &p) != KILN_OK)
        return 1;
    printf("%.4f\n", p);
    return 0;
}

/* Prints:
 *     0.8900
 */
