/* See ask_adb.h. */
#include "ask_adb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

kiln_adb_answer ask_adb(kiln_adb *query, const kiln_tree *a, const kiln_pose *pose_a,
                        const kiln_tree *b, const kiln_pose *pose_b,
                        const kiln_adb_options *options, uint64_t pairs)
{
    kiln_adb_answer answer;
    assert_int_equal(kiln_adb_begin(query, a, pose_a, b, pose_b, options), KILN_OK);
    assert_int_equal(kiln_adb_run(query, pairs, UINT64_MAX), KILN_OK);
    assert_int_equal(kiln_adb_get_answer(query, &answer), KILN_OK);
    assert_true(answer.probability >= 0 && answer.probability <= 1);
    return answer;
}
