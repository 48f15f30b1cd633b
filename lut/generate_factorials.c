/* Writes embedded_factorials.c: n! = mantissa 2^exponent, for every n up to 512 and then for every
 * eighth up to 4096, by GMP. The mantissa is the double in [1, 2] nearest to n! / 2^exponent, ties
 * away from zero; 2^exponent is the largest power of two that is not above n!.
 *
 *     generate_factorials >embedded_factorials.c */
#include "factorials.h"

#include <gmp.h>
#include <stdio.h>

/* Mantissa and exponent of n, positive, as one initialiser pair for two arrays. */
static void split(const mpz_t n, double *mantissa, unsigned *exponent)
{
    mpz_t scaled;
    mpz_init(scaled);
    *exponent = (unsigned)mpz_sizeinbase(n, 2) - 1;
    /* 2^53 n / 2^exponent, a bit more than a mantissa has, then half of it, the half rounded up */
    mpz_mul_2exp(scaled, n, 53);
    mpz_fdiv_q_2exp(scaled, scaled, *exponent);
    mpz_add_ui(scaled, scaled, 1);
    mpz_fdiv_q_2exp(scaled, scaled, 1);
    *mantissa = mpz_get_d(scaled) * 0x1p-52;
    mpz_clear(scaled);
}

int main(void)
{
    static double mantissas[KILN_FACTORIAL_ENTRIES];
    static unsigned exponents[KILN_FACTORIAL_ENTRIES];
    mpz_t factorial;
    mpz_init(factorial);
    for (unsigned i = 0; i < KILN_FACTORIAL_ENTRIES; i++) {
        mpz_fac_ui(factorial, kiln_factorial_of_entry(i));
        split(factorial, &mantissas[i], &exponents[i]);
    }
    mpz_clear(factorial);
    puts("/* Written by generate_factorials.c; see factorials.h. */\n#include \"factorials.h\"\n");
    puts("const double kiln_factorial_mantissa[KILN_FACTORIAL_ENTRIES] = {");
    for (unsigned i = 0; i < KILN_FACTORIAL_ENTRIES; i++) {
        printf("%s%a,%s", i % 4 == 0 ? "    " : " ", mantissas[i], i % 4 == 3 ? "\n" : "");
    }
    puts("\n};\n\nconst uint16_t kiln_factorial_exponent[KILN_FACTORIAL_ENTRIES] = {");
    for (unsigned i = 0; i < KILN_FACTORIAL_ENTRIES; i++) {
        printf("%s%u,%s", i % 12 == 0 ? "    " : " ", exponents[i], i % 12 == 11 ? "\n" : "");
    }
    puts("\n};");
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
