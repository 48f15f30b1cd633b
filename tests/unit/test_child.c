/* Programs under limits: how each of them ends, what it is given and what not, and that nothing it
 * does harms the process that started it. The programs are this one, started again with the name of
 * what it is to do (`--work`). */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/common/memory.h"
#include "../../tools/import/child.h"
#include "../../tools/import/sandbox.h"
#include "../support/open_files.h"
#include "../support/scratch.h"

extern char **environ;

/* A limit against what hangs: no machine is busy enough to reach it by work. */
enum { HANG_SECONDS = 1000 };

static char folder[SCRATCH_SIZE];

/* -- what the program does -- */

static void says(int pipe, const char *argument)
{
    if (write(pipe, argument, strlen(argument)) < 0)
        _exit(9);
}

/* Sends what it finds of the descriptors, signals and environment that it has at its start. */
static void shows_what_it_has(int pipe, const char *argument)
{
    DIR *list = opendir("/proc/self/fd");
    FILE *status = fopen("/proc/self/status", "r");
    struct dirent *entry;
    char line[256];

    (void)argument;
    while (list != NULL && (entry = readdir(list)) != NULL)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(list) &&
            (status == NULL || atoi(entry->d_name) != fileno(status)))
            dprintf(pipe, "file %s\n", entry->d_name);
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "SigIgn:", 7) == 0)
            /* Those above 31 are the C library's own. */
            dprintf(pipe, "ignored %llx\n", strtoull(line + 7, NULL, 16) & 0x7fffffff);
        else if (strncmp(line, "SigBlk:", 7) == 0)
            dprintf(pipe, "blocked %d\n", (strtoull(line + 7, NULL, 16) & 1u << (SIGINT - 1)) != 0);
    for (char **at = environ; *at != NULL; at++)
        dprintf(pipe, "variable %.*s\n", (int)strcspn(*at, "="), *at);
}

static void copies_the_file(int pipe, const char *argument)
{
    char bytes[256];
    ssize_t got = read(KILN_CHILD_FILE, bytes, sizeof bytes);

    (void)argument;
    if (got > 0 && write(pipe, bytes, (size_t)got) < 0)
        _exit(9);
}

static void crashes(int pipe, const char *argument)
{
    (void)pipe, (void)argument;
    raise(SIGSEGV);
}

static void never_ends(int pipe, const char *argument)
{
    (void)pipe, (void)argument;
    for (;;)
        pause();
}

static void closes_and_stays(int pipe, const char *argument)
{
    (void)argument;
    close(pipe);
    for (;;)
        pause();
}

static void balloons(int pipe, const char *argument)
{
    (void)pipe, (void)argument;
    for (;;) {
        char *block = malloc(1 << 20);

        if (block != NULL)
            memset(block, 1, 1 << 20);
        else
            pause();
    }
}

static void floods(int pipe, const char *argument)
{
    static const char block[4096];

    (void)argument;
    while (write(pipe, block, sizeof block) > 0)
        continue;
}

/* Each forbidden deed sends 'x' when it was possible, else its reason. */
static void report(int pipe, bool possible)
{
    uint8_t reason = possible ? 'x' : (uint8_t)errno;

    if (write(pipe, &reason, 1) < 0)
        _exit(9);
}

static void misbehaves(int pipe, const char *path)
{
    char other[SCRATCH_PATH_SIZE + 8];
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

    snprintf(other, sizeof other, "%s-new", path);
    report(pipe, open(path, O_WRONLY) >= 0);
    report(pipe, open(path, O_RDWR) >= 0);
    report(pipe, open(path, O_RDONLY | O_TRUNC) >= 0);
    report(pipe, open(other, O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0);
    report(pipe, mkdir(other, 0700) == 0);
    report(pipe, unlink(path) == 0);
    report(pipe, rename(path, other) == 0);
    report(pipe, chmod(path, 0777) == 0);
    report(pipe, mmap(NULL, 4096, PROT_READ | PROT_EXEC, flags, -1, 0) != MAP_FAILED);
    report(pipe, fork() >= 0);
    report(pipe, kill(getppid(), 0) == 0);
    report(pipe, setrlimit(RLIMIT_AS, &limit) == 0);
    report(pipe, fcntl(pipe, F_SETOWN, 1) == 0);
    errno = 0;
    report(pipe, !(open(path, O_RDONLY) >= 0 && getcwd((char[4096]){0}, 4096) != NULL));
}

/* Opens a file in the folder that it may read, and one in another. */
static void opens(int pipe, const char *path)
{
    errno = 0;
    report(pipe, open(path, O_RDONLY) < 0);
    report(pipe, open("/proc/self/status", O_RDONLY) >= 0);
    report(pipe, open("/etc/passwd", O_RDONLY) >= 0);
}

static void runs(int pipe, const char *argument)
{
    (void)pipe, (void)argument;
    execl("/bin/true", "true", (char *)NULL);
}

static void calls(int pipe, const char *argument)
{
    (void)pipe, (void)argument;
    (void)socket(AF_INET, SOCK_STREAM, 0);
}

static void traces(int pipe, const char *argument)
{
    (void)pipe, (void)argument;
    (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void aborts(int pipe, const char *argument)
{
    (void)pipe, (void)argument;
    abort();
}

enum { PLAIN, SHOWN, SANDBOXED, KEPT_IN, OLD, SILENT };

static const struct {
    const char *name;
    void (*work)(int pipe, const char *argument);
    int how;
} works[] = {
    {"says", says, PLAIN},
    {"shows", shows_what_it_has, SHOWN},
    {"copies", copies_the_file, PLAIN},
    {"crashes", crashes, PLAIN},
    {"never-ends", never_ends, PLAIN},
    {"closes-and-stays", closes_and_stays, PLAIN},
    {"balloons", balloons, PLAIN},
    {"floods", floods, PLAIN},
    {"misbehaves", misbehaves, SANDBOXED},
    {"opens", opens, KEPT_IN},
    {"runs", runs, SANDBOXED},
    {"calls", calls, SANDBOXED},
    {"traces", traces, SANDBOXED},
    {"aborts", aborts, SANDBOXED},
    {"old", says, OLD},
    {"silent", NULL, SILENT},
    {"babbles", floods, SILENT},
};

/* Plays the importing program: main calls it when this test has started itself as one. */
static int be_program(const char *name, const char *argument)
{
    kiln_child_greeting greeting = {.program = KILN_CHILD_PROGRAM, .version = KILN_CHILD_VERSION};
    char *paths[] = {folder};
    const kiln_folders folders = {.paths = paths, .count = 1};
    sigset_t none;
    size_t i = 0;

    while (strcmp(works[i].name, name) != 0)
        i++;
    /* All signals are blocked until the program has decided about them: none is to be a
     * sanitizer's. */
    sigemptyset(&none);
    for (int number_of = 1; works[i].how != SHOWN && number_of < NSIG; number_of++)
        signal(number_of, SIG_DFL);
    if (works[i].how != SHOWN)
        sigprocmask(SIG_SETMASK, &none, NULL);
    if (works[i].how == OLD)
        strcpy(greeting.version, "0.0.1");
    if (works[i].how != SILENT) {
        (void)kiln_resident_of(getpid(), &greeting.address_space, &greeting.resident);
        if (write(KILN_CHILD_PIPE, &greeting, sizeof greeting) < 0)
            return 9;
    }
    if (works[i].how == KEPT_IN) {
        snprintf(folder, sizeof folder, "%s", argument);
        *strrchr(folder, '/') = '\0';
        (void)kiln_sandbox_keep_in(&folders);
    }
    if (works[i].how == KEPT_IN || works[i].how == SANDBOXED)
        (void)kiln_sandbox_close();
    if (works[i].work != NULL)
        works[i].work(KILN_CHILD_PIPE, argument);
    return 7;
}

/* -- how it ends -- */

typedef struct {
    uint8_t bytes[1 << 16];
    size_t size;
} kept;

static kept k;
static kiln_child_greeting greeting;
static int number;

static bool keep(void *user, const uint8_t *data, size_t size)
{
    kept *to = user;

    if (size > sizeof to->bytes - 1 - to->size)
        return false;
    memcpy(to->bytes + to->size, data, size);
    to->size += size;
    return true;
}

static kiln_child_end run_with(const char *work, const char *argument, uint64_t memory,
                               double seconds, int file)
{
    char *arguments[] = {"test_child", "--work", (char *)(uintptr_t)work,
                         (char *)(uintptr_t)argument, NULL};
    kiln_child child = {.program = "/proc/self/exe",
                        .arguments = arguments,
                        .file = file,
                        .receive = keep,
                        .receive_user = &k,
                        .memory = memory,
                        .seconds = seconds};

    memset(&k, 0, sizeof k);
    return kiln_child_run(&child, &greeting, &number);
}

static kiln_child_end run(const char *work)
{
    return run_with(work, "hello", 0, HANG_SECONDS, -1);
}

static void child_ends(void **state)
{
    int files = open_files_count();

    (void)state;
    assert_int_equal(run("says"), KILN_CHILD_ENDED);
    assert_string_equal(k.bytes, "hello");
    assert_int_equal(number, 7);
    assert_int_equal(run("crashes"), KILN_CHILD_CRASHED);
    assert_int_equal(number, SIGSEGV);
    assert_int_equal(run_with("never-ends", "", 0, 0.1, -1), KILN_CHILD_OVER_TIME);
    assert_int_equal(run("closes-and-stays"), KILN_CHILD_ENDED);
    assert_int_equal(run("floods"), KILN_CHILD_REFUSED);
    assert_int_equal(run_with("balloons", "", 64 << 20, HANG_SECONDS, -1), KILN_CHILD_OVER_MEMORY);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(open_files_count(), files);
}

static void child_that_is_no_importer(void **state)
{
    char *arguments[] = {"true", NULL};
    kiln_child child = {.program = "/bin/true",
                        .arguments = arguments,
                        .file = -1,
                        .receive = keep,
                        .receive_user = &k};

    (void)state;
    assert_int_equal(run("silent"), KILN_CHILD_UNKNOWN);
    assert_int_equal(number, 7);
    assert_int_equal(run("babbles"), KILN_CHILD_UNKNOWN);
    assert_int_equal(run("old"), KILN_CHILD_OTHER_VERSION);
    assert_string_equal(greeting.version, "0.0.1");
    assert_int_equal(k.size, 0);
    assert_int_equal(kiln_child_run(&child, &greeting, &number), KILN_CHILD_UNKNOWN);
    assert_int_equal(number, 0);
    child.program = "/nowhere/kiln-import";
    assert_int_equal(kiln_child_run(&child, &greeting, &number), KILN_CHILD_NOT_STARTED);
    assert_int_equal(number, ENOENT);
    child.program = "/etc/passwd";
    assert_int_equal(kiln_child_run(&child, &greeting, &number), KILN_CHILD_NOT_STARTED);
    assert_int_equal(number, EACCES);
}

static void host_ignores_children(void **state)
{
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);

    (void)state;
    assert_int_equal(run("says"), KILN_CHILD_ENDED);
    assert_string_equal(k.bytes, "hello");
    signal(SIGCHLD, before);
}

/* -- what it is given -- */

static void on_signal(int signal_number)
{
    (void)signal_number;
}

/* The host has open files that would be passed on, signals that it ignores or catches, and an
 * environment; of all that nothing arrives. */
static void child_inherits_nothing(void **state)
{
    enum { OPEN = 40 };
    static const char *const kept_variables[] = {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                                 "TSAN_OPTIONS"};
    int files[OPEN];
    char *line;

    (void)state;
    for (int i = 0; i < OPEN; i++)
        files[i] = open("/dev/null", O_RDWR);
    signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR2, on_signal);
    assert_int_equal(setenv("LD_PRELOAD", "", 1), 0);
    assert_int_equal(setenv("KILN_TEST_SECRET", "x", 1), 0);
    assert_int_equal(setenv("LD_LIBRARY_PATH", "/nowhere", 1), 0);
    assert_int_equal(run("shows"), KILN_CHILD_ENDED);
    assert_int_equal(unsetenv("LD_LIBRARY_PATH"), 0);
    assert_int_equal(unsetenv("LD_PRELOAD"), 0);
    signal(SIGUSR1, SIG_DFL);
    signal(SIGUSR2, SIG_DFL);
    for (int i = 0; i < OPEN; i++)
        close(files[i]);

    if (strstr((char *)k.bytes, "file ") == NULL) {
        print_message("skipped: the system lists no open files in /proc\n");
        skip();
    }
    assert_non_null(strstr((char *)k.bytes, "file 3\n"));
    assert_non_null(strstr((char *)k.bytes, "blocked 1\nignored 0\n"));
    assert_non_null(strstr((char *)k.bytes, "variable LD_LIBRARY_PATH\n"));
    for (line = strtok((char *)k.bytes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        bool known = strncmp(line, "variable ", 9) != 0;

        if (strncmp(line, "file ", 5) == 0 && atoi(line + 5) > KILN_CHILD_PIPE)
            fail_msg("descriptor %s was passed on", line + 5);
        for (size_t i = 0; i < sizeof kept_variables / sizeof kept_variables[0]; i++)
            known = known || strcmp(line + 9, kept_variables[i]) == 0;
        if (!known)
            fail_msg("%s was passed on", line);
    }
}

/* Also where the host has the file, or the pipe, under the numbers that the child has. */
static void child_gets_the_file(void **state)
{
    int before[KILN_CHILD_FILE + 1], low = memfd_create("model", MFD_CLOEXEC);
    int file = fcntl(low, F_DUPFD_CLOEXEC, 64);

    (void)state;
    close(low);
    assert_int_equal(write(file, "model", 5), 5);
    for (int at = 0; at <= KILN_CHILD_FILE; at++)
        before[at] = fcntl(at, F_DUPFD_CLOEXEC, 64); /* -1 where nothing is open */
    for (int at = KILN_CHILD_PIPE; at <= KILN_CHILD_FILE; at++) {
        int other = KILN_CHILD_PIPE + KILN_CHILD_FILE - at;

        assert_int_equal(lseek(file, 0, SEEK_SET), 0);
        assert_int_equal(dup2(file, at), at);
        close(other); /* where the pipe goes then */
        assert_int_equal(run_with("copies", "", 0, HANG_SECONDS, at), KILN_CHILD_ENDED);
        assert_string_equal(k.bytes, "model");
        close(at);
    }
    /* A host without standard streams. */
    for (int at = 0; at < KILN_CHILD_PIPE; at++)
        close(at);
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    const kiln_child_end end = run_with("copies", "", 0, HANG_SECONDS, file);
    for (int at = 0; at <= KILN_CHILD_FILE; at++) {
        if (before[at] >= 0) {
            dup2(before[at], at);
            close(before[at]);
        }
    }
    assert_int_equal(end, KILN_CHILD_ENDED);
    assert_string_equal(k.bytes, "model");
    close(file);
}

/* -- the sandbox -- */

/* Whether this machine and this build have one. */
static bool have_sandbox(void)
{
    int status = -1;
    pid_t process = fork();

    if (process == 0)
        _exit(kiln_sandbox_close());
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    return status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void sandboxed_child_reads_and_no_more(void **state)
{
    char path[SCRATCH_PATH_SIZE], other[SCRATCH_PATH_SIZE + 8];
    int file;

    (void)state;
    if (!have_sandbox()) {
        print_message("skipped: this machine or this build has no sandbox\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/sandboxed", folder);
    file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    snprintf(other, sizeof other, "%s-new", path);
    assert_int_equal(write(file, "all", 3), 3);
    assert_int_equal(run_with("misbehaves", path, 0, HANG_SECONDS, -1), KILN_CHILD_ENDED);
    assert_int_equal(k.size, 14);
    for (size_t i = 0; i + 1 < k.size; i++)
        if (k.bytes[i] != EPERM && k.bytes[i] != ENOSYS)
            fail_msg("deed %zu: %u", i, k.bytes[i]);
    assert_int_equal(k.bytes[13], 0);
    assert_int_equal(lseek(file, 0, SEEK_END), 3);
    assert_int_equal(access(other, F_OK), -1);
    assert_int_equal(unlink(path), 0);
    close(file);
}

static void child_opens_files_of_its_folders_only(void **state)
{
    char path[SCRATCH_PATH_SIZE];
    char *paths[] = {folder};
    const kiln_folders folders = {.paths = paths, .count = 1};
    int status = -1;
    const pid_t process = fork();

    (void)state;
    if (process == 0)
        _exit(kiln_sandbox_keep_in(&folders));
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1) {
        print_message("skipped: this kernel has no Landlock\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/readable", folder);
    assert_int_equal(close(open(path, O_RDWR | O_CREAT | O_EXCL, 0600)), 0);
    assert_int_equal(run_with("opens", path, 0, HANG_SECONDS, -1), KILN_CHILD_ENDED);
    assert_int_equal(k.size, 3);
    assert_int_equal(k.bytes[0], 0);
    assert_int_equal(k.bytes[1], EACCES);
    assert_int_equal(k.bytes[2], EACCES);
    assert_int_equal(unlink(path), 0);
}

static void hostile_child_ends(void **state)
{
    static const char *const hostile[] = {"runs", "calls", "traces"};

    (void)state;
    assert_int_equal(run("aborts"), KILN_CHILD_CRASHED);
    assert_int_equal(number, SIGABRT);
    if (!have_sandbox()) {
        print_message("skipped: this machine or this build has no sandbox\n");
        skip();
    }
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        assert_int_equal(run(hostile[i]), KILN_CHILD_CRASHED);
        assert_int_equal(number, SIGSYS);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return scratch_make(folder, "child") ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    return scratch_remove(folder) ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(child_ends),
        cmocka_unit_test(child_that_is_no_importer),
        cmocka_unit_test(host_ignores_children),
        cmocka_unit_test(child_inherits_nothing),
        cmocka_unit_test(child_gets_the_file),
        cmocka_unit_test(sandboxed_child_reads_and_no_more),
        cmocka_unit_test(child_opens_files_of_its_folders_only),
        cmocka_unit_test(hostile_child_ends),
    };

    if (argc == 4 && strcmp(argv[1], "--work") == 0)
        return be_program(argv[2], argv[3]);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
