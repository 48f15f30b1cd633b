/* What is seldom run is to be small rather than fast: the compiler is told so function by function. */
#ifndef KILN_RARE_H
#define KILN_RARE_H

#define KILN_RARE __attribute__((cold))

#endif
