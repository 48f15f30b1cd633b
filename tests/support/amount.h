/* How many cases a test of many tries. */
#ifndef KILN_TEST_AMOUNT_H
#define KILN_TEST_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Does the run ask for a shortened test (KILN_TEST_QUICK)? */
bool is_shortened(void);

/* Does it ask for a third of a test (KILN_TEST_THIRD), as `make test` does where a test is long and
 * its shortened run already holds every mutant? */
bool is_third(void);

/* `count` times KILN_PROPERTY_SCALE (default 1); a twentieth, at least 1, where KILN_TEST_QUICK
 * is set, else a third where KILN_TEST_THIRD is. */
uint32_t amount(uint32_t count);

/* The same of a test of few tries, each of which takes long: a fifth, at least 2, where
 * KILN_TEST_QUICK is set, else a third. */
uint32_t amount_of_few(uint32_t count);

#endif
