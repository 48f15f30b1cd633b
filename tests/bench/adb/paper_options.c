/* See paper_options.h. */
#include "paper_options.h"

#include <math.h>

enum { EQUATION_8_X = 10 };

kiln_paper_options kiln_paper_options_default(void)
{
    const kiln_paper_options options = {.p_min = 0.99,
                                        .k_min = 10,
                                        .volume = KILN_PAPER_FIGURE_10,
                                        .size_ratio = 1.5,
                                        .gate = KILN_PAPER_SAT15,
                                        .share = KILN_PAPER_DESCEND,
                                        .level = KILN_PAPER_BY_DEPTH,
                                        .rounding = KILN_PAPER_NEAREST,
                                        .x_max = EQUATION_8_X,
                                        .reinsert = true,
                                        .leaves = KILN_PAPER_DROP,
                                        .pairs_max = 0,
                                        .bins = NULL};
    return options;
}

static bool choices_are_known(const kiln_paper_options *options)
{
    return (unsigned)options->volume < KILN_PAPER_VOLUMES &&
           (unsigned)options->gate <= KILN_PAPER_SAT15 &&
           (unsigned)options->share <= KILN_PAPER_EQUATION_5 &&
           (unsigned)options->level <= KILN_PAPER_BY_TRIANGLES &&
           (unsigned)options->rounding <= KILN_PAPER_INTERPOLATED &&
           (unsigned)options->leaves <= KILN_PAPER_TEST;
}

kiln_status kiln_paper_options_check(const kiln_paper_options *options, uint32_t cells)
{
    if (!choices_are_known(options) || !(options->p_min >= 0 && options->p_min <= 1) ||
        options->k_min < 1 || !(options->size_ratio >= 1 && options->size_ratio < HUGE_VAL) ||
        options->x_max < 1 || options->x_max > EQUATION_8_X) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_bins_info info = kiln_bins_get_info(options->bins);
    return info.max_u >= cells && info.max_x >= options->x_max ? KILN_OK : KILN_ERROR_NOT_LOADED;
}
