/* Import from a program in which another thread holds the lock of the allocator, as an allocator
 * may that does not expect to be forked. A child that ran code of this program would wait for that
 * lock for ever; the programs that import are started without any.
 *
 * The allocator is the C library's with a lock in front, which only processes other than this one
 * have to take: so this one goes on while the lock is held. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/common/memory.h"
#include "../../tools/import/import.h"

#if defined(__GLIBC__) && !KILN_HAVE_SHADOW_MEMORY
#define HAVE_LOCK 1

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static pthread_mutex_t allocator = PTHREAD_MUTEX_INITIALIZER;
static pid_t host; /* 0: not yet */

static void enter(void)
{
    if (host != 0 && getpid() != host)
        (void)pthread_mutex_lock(&allocator);
}

void *malloc(size_t size)
{
    enter();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    enter();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    enter();
    return __libc_realloc(block, size);
}

static pthread_barrier_t locked, imported;

static void *hold_lock(void *user)
{
    (void)pthread_mutex_lock(&allocator);
    (void)pthread_barrier_wait(&locked);
    (void)pthread_barrier_wait(&imported);
    (void)pthread_mutex_unlock(&allocator);
    return user;
}
#endif

static void imports_while_the_allocator_is_locked(void **state)
{
#ifdef HAVE_LOCK
    static const struct {
        const char *format, *text;
    } models[] = {{"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
                  {"nff", "p 3\n0 0 0\n1 0 0\n0 1 0\n"}};
    kiln_bake_options options = kiln_bake_options_default();
    pthread_t holder;

    (void)state;
    host = getpid();
    assert_int_equal(pthread_barrier_init(&locked, NULL, 2), 0);
    assert_int_equal(pthread_barrier_init(&imported, NULL, 2), 0);
    assert_int_equal(pthread_create(&holder, NULL, hold_lock, NULL), 0);
    (void)pthread_barrier_wait(&locked);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        const kiln_bake_input input = {
            .data = models[i].text, .size = strlen(models[i].text), .format = models[i].format};
        kiln_bake_report report;
        kiln_soup soup;

        memset(&report, 0, sizeof report);
        assert_int_equal(kiln_import(&input, &options, &soup, &report), KILN_BAKE_OK);
        assert_int_equal(soup.triangle_count, 1);
        kiln_soup_free(&soup);
        kiln_bake_report_free(&report);
    }
    (void)pthread_barrier_wait(&imported);
    (void)pthread_join(holder, NULL);
#else
    (void)state;
    print_message("skipped: this build has an allocator of its own\n");
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imports_while_the_allocator_is_locked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
