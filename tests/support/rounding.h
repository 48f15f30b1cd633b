/* Floating-point environments that a caller may have: rounding modes, flush-to-zero. */
#ifndef KILN_TEST_ROUNDING_H
#define KILN_TEST_ROUNDING_H

/* 0: as the program started; 1 up, 2 down, 3 towards zero, 4 denormals flushed where the machine
 * can. */
enum { ROUNDING_MODES = 4 };

void rounding_enter(int mode);
void rounding_leave(void);

#endif
