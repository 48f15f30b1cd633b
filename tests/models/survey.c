/* See survey.h. Workers are processes that share the rows; each takes the next file that is
 * left. */
#define _DEFAULT_SOURCE 1
#define _XOPEN_SOURCE 700
#include "survey.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MAX = 4096, PATH_SIZE = 4096 };

static void give_up(const char *what)
{
    perror(what);
    abort();
}

/* ------------------------------------------------------------------------------------- files -- */

static char *found[FILES_MAX];
static size_t found_count;

static int note_file(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about;
    (void)at;
    if (kind == FTW_F && found_count < FILES_MAX) {
        found[found_count++] = strdup(path);
    }
    return 0;
}

static int compare_paths(const void *p, const void *q)
{
    return strcmp(*(char *const *)p, *(char *const *)q);
}

char *const *survey_files(const char *folder, size_t step, size_t *count)
{
    found_count = 0;
    if (nftw(folder, note_file, 16, FTW_PHYS) != 0) {
        give_up(folder);
    }
    qsort(found, found_count, sizeof found[0], compare_paths);
    const size_t all = found_count;
    found_count = 0;
    for (size_t i = 0; i < all; i++) {
        if (i % step == 0) {
            found[found_count++] = found[i];
        } else {
            free(found[i]);
        }
    }
    *count = found_count;
    return found;
}

void survey_files_free(void)
{
    for (size_t i = 0; i < found_count; i++) {
        free(found[i]);
    }
    found_count = 0;
}

/* --------------------------------------------------------------------------------- processes -- */

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void become(char *const argv[], const char *errors)
{
    const int nothing = open("/dev/null", O_RDWR);
    const int log = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (nothing >= 0 && log >= 0 && dup2(nothing, 0) == 0 && dup2(nothing, 1) == 1 &&
        dup2(log, 2) == 2) {
        (void)execv(argv[0], argv);
    }
    _exit(127);
}

/* Runs a command with its errors in a file; its exit status, or -1 for a signal or a time-out. */
static int run(char *const argv[], const char *errors, double *seconds, long *peak_kib)
{
    const double start = seconds_now();
    const struct timespec nap = {0, 2000000};
    struct rusage usage;
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        become(argv, errors);
    }
    for (pid_t ended = 0; ended == 0;) {
        ended = wait4(child, &status, WNOHANG, &usage);
        if (ended < 0) {
            give_up("wait4");
        }
        if (ended == 0 && seconds_now() - start > SURVEY_SECONDS_MAX) {
            (void)kill(child, SIGKILL);
        }
        (void)nanosleep(&nap, NULL);
    }
    *seconds = seconds_now() - start;
    *peak_kib = usage.ru_maxrss;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---------------------------------------------------------------------------------- messages -- */

static bool is_note(const char *line)
{
    return strstr(line, ": warning: ") != NULL || strstr(line, ": dropped: ") != NULL ||
           strstr(line, ": left out: ") != NULL;
}

/* Keeps the first error, without "kiln: FILE: ". */
static void read_errors(const char *log, const char *file, survey_row *row)
{
    char line[2 * PATH_SIZE];
    FILE *in = fopen(log, "r");
    row->errors = 0;
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        if (is_note(line)) {
            continue;
        }
        if (row->errors++ == 0) {
            const char *name = strstr(line, file);
            const char *what = name != NULL ? name + strlen(file) + 2 : line;
            (void)snprintf(row->message, sizeof row->message, "%.*s",
                           (int)(SURVEY_MESSAGE_SIZE - 1), what);
            row->message[strcspn(row->message, "\n")] = '\0';
        }
    }
    if (in != NULL) {
        (void)fclose(in);
    }
}

/* ----------------------------------------------------------------------------------- workers -- */

static void survey_one(const char *kiln, const char *file, const char *scratch, survey_row *row)
{
    char baked[PATH_SIZE], log[PATH_SIZE];
    double seconds;
    long peak;
    const char *dot = strrchr(file, '.'); /* pictures are height fields, of one kind of tree */
    (void)snprintf(baked, sizeof baked, "%s/survey-%ld.kiln", scratch, (long)getpid());
    (void)snprintf(log, sizeof log, "%s/survey-%ld.log", scratch, (long)getpid());
    char *const bake[] = {(char *)kiln,
                          "bake",
                          "--quiet",
                          "-j1",
                          "--bv",
                          strcasecmp(dot != NULL ? dot : "", ".png") == 0 ? "aabb" : "obb,aabb",
                          "--import-seconds",
                          SURVEY_IMPORT_SECONDS,
                          (char *)file,
                          "-o",
                          baked,
                          NULL};
    char *const verify[] = {(char *)kiln, "verify", "--quiet", baked, NULL};
    row->verified = -1;
    row->status = run(bake, log, &row->seconds, &row->peak_kib);
    read_errors(log, file, row);
    if (row->status == 0) {
        row->verified = run(verify, log, &seconds, &peak);
    } else if (access(baked, F_OK) == 0) {
        row->errors = 99; /* refused, and yet there is a file */
    }
    (void)remove(baked);
    (void)remove(log);
}

static void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        give_up("mmap");
    }
    return memory;
}

survey survey_run(const char *kiln, const char *folder, const char *scratch, int workers,
                  size_t step)
{
    survey out = {.rows = shared_memory(FILES_MAX * sizeof *out.rows)};
    char *const *files = survey_files(folder, step, &out.count);
    atomic_uint *next = shared_memory(sizeof *next);
    for (size_t i = 0; i < out.count; i++) {
        out.rows[i].path = files[i] + strlen(folder) + 1;
    }
    (void)fflush(NULL);
    for (int w = 0; w < workers; w++) {
        if (fork() == 0) {
            for (unsigned i; (i = atomic_fetch_add(next, 1)) < out.count;) {
                survey_one(kiln, files[i], scratch, &out.rows[i]);
            }
            _exit(0);
        }
    }
    for (int w = 0; w < workers; w++) {
        (void)wait(NULL);
    }
    (void)munmap(next, sizeof *next);
    return out;
}

void survey_free(survey *of)
{
    survey_files_free();
    (void)munmap(of->rows, FILES_MAX * sizeof *of->rows);
    of->rows = NULL;
}
