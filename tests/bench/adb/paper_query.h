/* The published query: Figure 3 of Klein and Zachmann (2003), with the choices of paper_options.h.
 * It is here to be compared with; kiln_adb_... of the library is ours. */
#ifndef KILN_PAPER_QUERY_H
#define KILN_PAPER_QUERY_H

#include "paper_estimate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The priority queue, which grows as it must and is kept from question to question. One thread at a
 * time. */
typedef struct kiln_paper_query kiln_paper_query;

/* NULL: out of memory. */
kiln_paper_query *kiln_paper_query_make(void);
void kiln_paper_query_free(kiln_paper_query *query);

typedef struct {
    bool collision;
    bool cut;         /* "no" because pairs_max was reached */
    uint32_t counted; /* pairs of at least p_min */
    double most;      /* the largest probability that was computed */
    uint64_t opened;  /* pairs taken from the queue */
    uint64_t weighed; /* pairs that passed the gate: calls of computeProb */
    uint64_t visited; /* boxes looked at for s_B */
} kiln_paper_answer;

/* Do A's surfaces meet B's? Poses NULL: identity. `options` NULL: the default ones. The answer
 * depends on the arguments alone. Errors: those of kiln_paper_options_check and
 * kiln_paper_frame_form; KILN_ERROR_ARGUMENT for NULL; KILN_ERROR_NOT_LOADED for KILN_PAPER_TEST
 * without polygons; KILN_ERROR_MEMORY. *answer is then untouched. */
kiln_status kiln_paper_collide(kiln_paper_query *query, const kiln_paper_tree *a,
                               const kiln_pose *pose_a, const kiln_paper_tree *b,
                               const kiln_pose *pose_b, const kiln_paper_options *options,
                               kiln_paper_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
