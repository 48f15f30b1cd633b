/* A filter of pairs before a visitor of them. */
#ifndef KILN_PAIR_FILTER_H
#define KILN_PAIR_FILTER_H

#include "pair_walk.h"

/* As kiln_pair_walk, but for pairs that the options refuse. Options may be NULL. */
kiln_status kiln_pair_walk_filtered(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                    const kiln_pose *pose_b, const kiln_pair_options *options,
                                    const kiln_pair_visitor *visitor);

#endif
