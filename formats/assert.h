/* Asserts of invariants. They are on where KILN_ASSERTS is defined, which the Makefile does for
 * debug, sanitizer and fuzzing builds, and cost nothing elsewhere: the condition is compiled, so
 * that it stays right, and not run. An assert states what this project's own code guarantees. The
 * contents of files and models and the arguments of callers are never asserted: they are checked,
 * and a violation is an error. */
#ifndef KILN_ASSERT_H
#define KILN_ASSERT_H

#ifdef KILN_ASSERTS
#include <stdio.h>
#include <stdlib.h>

static inline _Noreturn void kiln_assert_fail(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}

#define KILN_ASSERT(condition)                                                                     \
    ((condition) ? (void)0 : kiln_assert_fail(#condition, __FILE__, __LINE__))
#else
#define KILN_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
