/* The volume that two boxes have in common, as it is. */
#ifndef KILN_PAPER_CUT_H
#define KILN_PAPER_CUT_H

#include "paper_pair.h"

/* Within rounding, also for boxes whose faces lie in one plane. Microseconds. */
double kiln_paper_cut_volume(const kiln_paper_pair *pair);

#endif
