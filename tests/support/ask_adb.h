/* A time-critical question from begin to answer. */
#ifndef KILN_TEST_ASK_ADB_H
#define KILN_TEST_ASK_ADB_H

#include "../../runtime/kiln_adb.h"

/* Begins, runs for `pairs` pairs without a budget of time, and gets the answer. Fails the cmocka
 * test when a call does, or when the probability is none. */
kiln_adb_answer ask_adb(kiln_adb *query, const kiln_tree *a, const kiln_pose *pose_a,
                        const kiln_tree *b, const kiln_pose *pose_b,
                        const kiln_adb_options *options, uint64_t pairs);

#endif
