/* Which of the fitted weights two trees get. */
#include "adb_query.h"
#include "adb_weights.h"

/* Rows of the tree's kind first, oriented boxes where there is none; of them the one whose leaves
 * are nearest in size. */
static const kiln_adb_weights *fitted_for(const kiln_tree *tree)
{
    const kiln_adb_fitted *best = &kiln_adb_fitted_rows[0];
    int best_distance = 1 << 30;
    for (unsigned i = 0; i < kiln_adb_fitted_count; i++) {
        const kiln_adb_fitted *row = &kiln_adb_fitted_rows[i];
        const int by_leaf = (int)row->leaf_max - (int)tree->entry->leaf_max;
        const int distance =
            (row->bv == tree->entry->bv ? 0 : 1 << 16) + (by_leaf < 0 ? -by_leaf : by_leaf);
        if (distance < best_distance) {
            best_distance = distance;
            best = row;
        }
    }
    return &best->weights;
}

kiln_adb_weights kiln_adb_weights_of(const kiln_tree *a, const kiln_tree *b)
{
    const kiln_adb_weights *p = fitted_for(a), *q = fitted_for(b);
    const kiln_adb_weights mean = {0.5f * (p->bias + q->bias),     0.5f * (p->lambda + q->lambda),
                                   0.5f * (p->margin + q->margin), 0.5f * (p->level + q->level),
                                   0.5f * (p->ratio + q->ratio),   0.5f * (p->others + q->others),
                                   0.5f * (p->root + q->root),     0.5f * (p->flat + q->flat),
                                   0.5f * (p->lambda_level + q->lambda_level),
                                   0.5f * (p->yes + q->yes),       0.5f * (p->no + q->no),
                                   0.5f * (p->sure + q->sure)};
    return mean;
}
