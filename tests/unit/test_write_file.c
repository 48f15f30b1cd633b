/* Writing of whole files when writers are killed, or meet: what a killed one leaves is removed
 * by the next of the same target, what one is at work on is left alone. */
#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/common/paths.h"
#include "../../tools/common/write_file.h"

static char folder[4096], target[4200];

static int make_folder(void **state)
{
    const char *scratch = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/write-XXXXXX", scratch != NULL ? scratch : "/tmp");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(target, sizeof target, "%s/t", folder);
    return 0;
}

/* Names in the folder that start with `start`. */
static int count_names(const char *start)
{
    DIR *open = opendir(folder);
    int count = 0;
    const struct dirent *entry;
    assert_non_null(open);
    while ((entry = readdir(open)) != NULL) {
        count += strncmp(entry->d_name, start, strlen(start)) == 0;
    }
    closedir(open);
    return count;
}

static void assert_target_is(const char *text)
{
    char read[64] = "";
    FILE *file = fopen(target, "rb");
    assert_non_null(file);
    const size_t got = fread(read, 1, sizeof read - 1, file);
    fclose(file);
    assert_int_equal(got, strlen(text));
    assert_string_equal(read, text);
}

/* The path of the one unfinished file there. */
static void find_unfinished(char *name, size_t size)
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    assert_non_null(open);
    name[0] = '\0';
    while ((entry = readdir(open)) != NULL) {
        if (strncmp(entry->d_name, ".kiln-", 6) == 0) {
            snprintf(name, size, "%s/%s", folder, entry->d_name);
        }
    }
    closedir(open);
    assert_true(name[0] != '\0');
}

static bool die(void *user, const char *from, const char *to, char message[KILN_WRITE_MESSAGE_SIZE])
{
    (void)user, (void)from, (void)to, (void)message;
    raise(SIGKILL);
    return false;
}

/* Leaves one unfinished file as a kill between naming and renaming does. */
static void write_and_die(const char *path)
{
    const kiln_write_mover mover = {die, NULL};
    char message[KILN_WRITE_MESSAGE_SIZE];
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)kiln_write_file_by(&mover, path, "half", 4, message);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void what_a_killed_writer_leaves_is_removed(void **state)
{
    char message[KILN_WRITE_MESSAGE_SIZE], other[4200];
    (void)state;
    snprintf(other, sizeof other, "%s/other", folder);
    assert_true(kiln_write_file(target, "old", 3, message));
    write_and_die(target);
    assert_int_equal(count_names(".kiln-"), 1);
    assert_target_is("old");
    assert_true(kiln_write_file(other, "o", 1, message)); /* another target's is not looked for */
    assert_int_equal(count_names(".kiln-"), 1);
    write_and_die(target); /* takes the first's place */
    assert_int_equal(count_names(".kiln-"), 1);
    assert_true(kiln_write_file(target, "new", 3, message));
    assert_int_equal(count_names(".kiln-"), 0);
    assert_target_is("new");
}

typedef struct {
    int ready, go;
} meeting;

static bool wait_and_move(void *user, const char *from, const char *to,
                          char message[KILN_WRITE_MESSAGE_SIZE])
{
    const meeting *m = user;
    char byte = 0;
    (void)message;
    return write(m->ready, &byte, 1) == 1 && read(m->go, &byte, 1) == 1 && rename(from, to) == 0;
}

static void a_live_writer_keeps_its_file(void **state)
{
    char message[KILN_WRITE_MESSAGE_SIZE], byte = 0;
    int ready[2], go[2], status;
    (void)state;
    assert_true(pipe(ready) == 0 && pipe(go) == 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        meeting m = {ready[1], go[0]};
        const kiln_write_mover mover = {wait_and_move, &m};
        _exit(kiln_write_file_by(&mover, target, "slow", 4, message) ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    for (int i = 0; i < 3; i++) {
        assert_true(kiln_write_file(target, "quick", 5, message));
        assert_int_equal(count_names(".kiln-"), 1);
    }
    assert_target_is("quick");
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_target_is("slow");
    assert_int_equal(count_names(".kiln-"), 0);
    for (int i = 0; i < 2; i++) {
        close(ready[i]);
        close(go[i]);
    }
}

/* What is found under the name may be anybody's: a link is not followed, a folder is no reason
 * to fail. */
static void strange_things_under_the_name_stay(void **state)
{
    char message[KILN_WRITE_MESSAGE_SIZE], name[4400], victim[4200];
    struct stat facts;
    (void)state;
    write_and_die(target);
    find_unfinished(name, sizeof name);
    snprintf(victim, sizeof victim, "%s/victim", folder);
    assert_int_equal(rename(name, victim), 0);
    assert_int_equal(symlink(victim, name), 0);
    assert_true(kiln_write_file(target, "past", 4, message));
    assert_int_equal(lstat(name, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(stat(victim, &facts), 0);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(mkdir(name, 0777), 0);
    assert_true(kiln_write_file(target, "past it", 7, message));
    assert_target_is("past it");
    assert_int_equal(rmdir(name), 0);
    assert_int_equal(count_names(".kiln-"), 0);
}

static void a_sweep_takes_what_is_left_and_no_more(void **state)
{
    char message[KILN_WRITE_MESSAGE_SIZE], name[4400], other[4400];
    (void)state;
    write_and_die(target);
    find_unfinished(name, sizeof name);
    snprintf(other, sizeof other, "%s/.kiln-0123456789abcdef-00000000-0.tmp",
             folder); /* another boot's */
    assert_true(kiln_write_file(other, "o", 1, message));
    assert_false(kiln_write_file_sweep(target));
    assert_false(kiln_write_file_sweep(other));
    assert_false(kiln_write_file_is_orphan(target));
    assert_false(kiln_write_file_is_orphan(other));
    assert_true(kiln_write_file_is_orphan(name)); /* twice: the look removes nothing */
    assert_true(kiln_write_file_is_orphan(name));
    assert_true(kiln_write_file_sweep(name));
    assert_false(kiln_write_file_is_orphan(name));
    assert_false(kiln_write_file_sweep(name));
    assert_int_equal(unlink(other), 0);
    assert_int_equal(count_names(".kiln-"), 0);
}

static void a_hard_link_keeps_its_bytes(void **state)
{
    char message[KILN_WRITE_MESSAGE_SIZE], copy[4200];
    (void)state;
    snprintf(copy, sizeof copy, "%s/copy", folder);
    assert_true(kiln_write_file(target, "one", 3, message));
    assert_int_equal(link(target, copy), 0);
    assert_true(kiln_same_file(target, copy));
    assert_true(kiln_write_file(copy, "other", 5, message));
    assert_false(kiln_same_file(target, copy));
    assert_target_is("one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_killed_writer_leaves_is_removed),
        cmocka_unit_test(a_live_writer_keeps_its_file),
        cmocka_unit_test(strange_things_under_the_name_stay),
        cmocka_unit_test(a_sweep_takes_what_is_left_and_no_more),
        cmocka_unit_test(a_hard_link_keeps_its_bytes),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
