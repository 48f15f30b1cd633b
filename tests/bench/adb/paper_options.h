/* What the published query leaves open, or has been held against: every choice in one place. */
#ifndef KILN_PAPER_OPTIONS_H
#define KILN_PAPER_OPTIONS_H

#include "../../../runtime/kiln_adb.h"
#include "paper_volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* s_B of a larger box: how its possible cells are made comparable to the smaller one's. */
typedef enum {
    /* Equations 3 and 4: down its tree to boxes no larger than the other; Equation 5 at leaves that
     * are larger still. The text sums over "the child nodes of B": those that pass the gate, or
     * without one those whose sphere meets the other's, as else the whole tree would be walked. */
    KILN_PAPER_DESCEND = 0,
    KILN_PAPER_EQUATION_5 = 1 /* as if the box were a leaf: not the paper's, but no walk */
} kiln_paper_share;

/* LB, section 3.5.3. */
typedef enum {
    KILN_PAPER_BY_DEPTH = 0,    /* (dA + dB) / (dmaxA + dmaxB) */
    KILN_PAPER_BY_TRIANGLES = 1 /* depth counted as 1 - log2 n / log2 N, n of N triangles below */
} kiln_paper_level;

/* s, sA and sB are numbers of cells, and come as fractions; the text does not say. */
typedef enum {
    KILN_PAPER_NEAREST = 0,     /* whole, s at least 1, so that touching boxes have a cell */
    KILN_PAPER_LOWER = 1,       /* s up, sA and sB down: KILN_BINS_LOWER */
    KILN_PAPER_INTERPOLATED = 2 /* KILN_BINS_INTERPOLATED */
} kiln_paper_rounding;

/* Two leaves: they have no children, and Figure 3 says no more about them. */
typedef enum {
    KILN_PAPER_DROP = 0,   /* to the letter: nothing is inserted in their place */
    KILN_PAPER_ACCEPT = 1, /* a collision if as likely as not */
    KILN_PAPER_TEST = 2    /* a collision if their triangles meet, exactly */
} kiln_paper_leaves;

typedef struct {
    double p_min;   /* [0, 1] */
    uint32_t k_min; /* >= 1 */
    kiln_paper_volume volume;
    double size_ratio; /* >= 1: see kiln_paper_common_volume */
    kiln_paper_gate gate;
    kiln_paper_share share;
    kiln_paper_level level;
    kiln_paper_rounding rounding;
    uint32_t x_max; /* 1: Equation 1; up to 10: Equation 8 */
    bool reinsert;  /* a pair that counts is opened too, as in Figure 3 */
    kiln_paper_leaves leaves;
    uint64_t pairs_max;    /* pairs to open, then the answer is "no"; 0: no end */
    const kiln_bins *bins; /* NULL: the built-in evaluator */
} kiln_paper_options;

/* Those of the paper's Figures 14 and 16: p_min 0.99, k_min 10, Figure 10 up to a ratio of 1.5,
 * descent, depth, x up to 10, leaves dropped, no end; with a gate of 15 axes, which the text does
 * not have, because its estimates of volume are above 0 for boxes that are apart. */
kiln_paper_options kiln_paper_options_default(void);

/* Are all in range, and does the table hold what trees of `cells` cells need? KILN_ERROR_ARGUMENT,
 * also for NaN; KILN_ERROR_NOT_LOADED: the table is too small. */
kiln_status kiln_paper_options_check(const kiln_paper_options *options, uint32_t cells);

#ifdef __cplusplus
}
#endif

#endif
