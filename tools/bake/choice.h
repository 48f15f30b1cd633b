/* The choice of a tree by counts of queries: what --bv auto stands for. */
#ifndef KILN_BAKE_CHOICE_H
#define KILN_BAKE_CHOICE_H

#include "../common/sha256.h"
#include "../kiln_bake.h"
#include "query_cost.h"
#include "zachmann.h"

/* The name that --bv has then. */
#define KILN_CHOICE_NAME "auto"

/* Unit costs by which trees are compared, by the kind and the most triangles in a leaf; those of
 * the first kind with such leaves for a kind that has none. They are constants of this version, not
 * measured by the run (unit_costs.c). `leaf` is that of a candidate. */
const kiln_unit_costs *kiln_unit_costs_of(const char *bv, int leaf);

/* What trees are compared by. Starts zeroed. */
typedef struct {
    bool on;               /* the kind of tree is to be chosen */
    kiln_pose_pair *pairs; /* NULL until they are read or drawn */
    size_t pair_count;
    void *against_data; /* NULL: the model itself */
    kiln_file *against;
    uint8_t hash[KILN_SHA256_SIZE]; /* of the poses, the other file and the unit costs */
} kiln_choice;

/* Checks the options that belong to a choice, and reads the files that they name. Errors go into
 * *report. */
kiln_bake_status kiln_choice_open(const kiln_bake_input *input, const kiln_bake_options *options,
                                  kiln_choice *choice, kiln_bake_report *report);
void kiln_choice_close(kiln_choice *choice);

/* Candidate number `index`, in the order in which they are tried: a kind, leaves and a builder, of
 * which the last two are put into *options, and the kind's number into *kind. `best` is the one
 * that is preferred so far; NULL: none fits. False: there is no further candidate. */
bool kiln_choice_candidate(unsigned index, const kiln_bake_candidate *best,
                           kiln_bake_options *options, unsigned *kind);

/* Replays the poses on the first tree of a file in memory, of *out's kind, and fills in counts and
 * cost. `options` are those of the bake: its progress is called, and trace names the poses in
 * errors. */
kiln_bake_status kiln_choice_measure(kiln_choice *choice, const kiln_bake_options *options,
                                     const void *file, size_t size, kiln_bake_candidate *out,
                                     kiln_bake_report *report);

/* Is `a` to be taken rather than `b`, which was tried before: does it cost less, or as much and is
 * smaller? */
bool kiln_choice_prefers(const kiln_bake_candidate *a, const kiln_bake_candidate *b);

#endif
