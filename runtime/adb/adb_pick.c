/* Which of the fitted weights two trees get: the mean of what each gets alone. That is the row
 * of its kind whose leaves are nearest in size, of the caller's rows, else of those in its
 * file, else of the library's own (adb_weights.c). */
#include "../../formats/assert.h"
#include "adb_query.h"
#include "adb_weights.h"

#include <string.h>

KILN_STATIC_ASSERT(sizeof(kiln_adb_weights) == KILN_ADB_WEIGHTS_COUNT * sizeof(float),
                   "a file has all weights, in the order of the structure");
KILN_STATIC_ASSERT(offsetof(kiln_adb_weights, others) == KILN_ADB_WEIGHT_OTHERS * sizeof(float) &&
                       offsetof(kiln_adb_weights, sure) == KILN_ADB_WEIGHT_SURE * sizeof(float),
                   "the order of weights");

/* The structure of weights is an array of floats in the order of the file, as the assertions above
 * prove, so one copy carries all of them. The row must have passed kiln_weights_are_known. */
kiln_adb_fitted kiln_adb_fitted_of(const kiln_format_adb_weights *row)
{
    KILN_ASSERT(kiln_weights_are_known(row));
    kiln_adb_fitted fitted = {(kiln_bv)row->bv, row->leaf_max, {.others = 0}};
    memcpy(&fitted.weights, row->weight, sizeof fitted.weights);
    return fitted;
}

/* How far leaves of a size are from those of a tree. */
static uint32_t leaf_distance(const kiln_tree *tree, uint32_t leaf_max)
{
    const uint32_t own = tree->view.entry->leaf_max;
    return leaf_max > own ? leaf_max - own : own - leaf_max;
}

/* The row of the tree's kind whose leaves are nearest in size; NULL: there is none of it. */
static const kiln_adb_fitted *nearest_row(const kiln_adb_fitted rows[], uint32_t count,
                                          const kiln_tree *tree, uint16_t bv)
{
    const kiln_adb_fitted *best = NULL;
    for (uint32_t i = 0; i < count; i++) {
        /* If several rows are equally near, the first one is taken, so the choice depends on the
         * order of the rows alone. A row of exactly the tree's size ends the search. */
        if (rows[i].bv == (kiln_bv)bv &&
            (best == NULL ||
             leaf_distance(tree, rows[i].leaf_max) < leaf_distance(tree, best->leaf_max))) {
            best = &rows[i];
            if (rows[i].leaf_max == tree->view.entry->leaf_max) {
                break;
            }
        }
    }
    return best;
}

/* The weights of one tree, from the first of the three places that has its kind. */
static kiln_adb_weights weights_for(const kiln_adb_fitted rows[], uint32_t count,
                                    const kiln_tree *tree)
{
    const kiln_adb_fitted *row = nearest_row(rows, count, tree, tree->view.entry->bv);
    if (row != NULL) {
        return row->weights;
    }
    const kiln_weights_view *own = &tree->file->view.weights;
    const kiln_format_adb_weights *best = NULL;
    for (uint32_t i = 0; i < own->count; i++) {
        const kiln_format_adb_weights *of_file = &own->rows[i];
        /* A file may be of a later version: rows whose meaning is not known are passed over,
         * rather than taken for weights of this version. */
        if (of_file->bv == tree->view.entry->bv && kiln_weights_are_known(of_file) &&
            (best == NULL ||
             leaf_distance(tree, of_file->leaf_max) < leaf_distance(tree, best->leaf_max))) {
            best = of_file;
        }
    }
    if (best != NULL) {
        return kiln_adb_fitted_of(best).weights;
    }
    row = nearest_row(kiln_adb_fitted_rows, kiln_adb_fitted_count, tree, tree->view.entry->bv);
    if (row == NULL) { /* none for the kind: those of oriented boxes */
        row = nearest_row(kiln_adb_fitted_rows, kiln_adb_fitted_count, tree, KILN_BV_OBB);
    }
    KILN_ASSERT(row != NULL);
    return row->weights;
}

/* The mean does not depend on the order of the trees, since a sum of two floats does not. */
static kiln_adb_weights mean_weights(const kiln_adb_weights *p, const kiln_adb_weights *q)
{
    float first[KILN_ADB_WEIGHTS_COUNT], second[KILN_ADB_WEIGHTS_COUNT];
    kiln_adb_weights mean;
    memcpy(first, p, sizeof first);
    memcpy(second, q, sizeof second);
    for (unsigned i = 0; i < KILN_ADB_WEIGHTS_COUNT; i++) {
        first[i] = 0.5f * (first[i] + second[i]);
    }
    memcpy(&mean, first, sizeof mean);
    return mean;
}

/* This runs within a query, whose environment is set already; kiln_adb_pick_weights sets it. */
kiln_adb_weights kiln_adb_weights_of(const kiln_tree *a, const kiln_tree *b)
{
    const kiln_adb_weights p = weights_for(NULL, 0, a);
    if (a == b) {
        return p;
    }
    const kiln_adb_weights q = weights_for(NULL, 0, b);
    return mean_weights(&p, &q);
}

kiln_adb_weights kiln_adb_get_weights(const kiln_tree *a, const kiln_tree *b)
{
    return kiln_adb_pick_weights(NULL, 0, a, b);
}

/* Without a tree there is nothing to pick from, and all weights are 0. `rows` may be NULL, and is
 * then as good as empty; the rows remain the caller's. */
kiln_adb_weights kiln_adb_pick_weights(const kiln_adb_fitted rows[], uint32_t count,
                                       const kiln_tree *a, const kiln_tree *b)
{
    const kiln_adb_weights none = {.others = 0};
    if (a == NULL || b == NULL) {
        return none;
    }
    const kiln_adb_weights p = weights_for(rows, rows != NULL ? count : 0, a);
    const kiln_adb_weights q = weights_for(rows, rows != NULL ? count : 0, b);
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, mean_weights);
    const kiln_adb_weights mean = run(&p, &q);
    kiln_fpu_leave(caller);
    return mean;
}
