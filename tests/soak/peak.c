/* Runs a command and follows what it takes of memory, its children and theirs included: the sum
 * of their proportional set sizes (Pss of /proc/PID/smaps_rollup: a page that N processes share
 * counts to each by an Nth), every MICROSECONDS. Writes a line into FILE: the peak in KiB, how
 * many sums, how many a second, the most processes at once. A sum adds what processes took at
 * one moment only if nothing came between: one during which this process had to wait for a
 * processor counts as none, since by then one process may have ended and another have grown.
 * Ends as the command does; 125: the system does not report it.
 *
 *   peak FILE MICROSECONDS COMMAND... */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES_MAX = 1024, UNKNOWN = 125 };
#define SUM_SECONDS_MAX 0.003

typedef struct {
    long processes[PROCESSES_MAX];
    size_t count;
} family;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* KiB; 0: it has ended. */
static unsigned long size_of(long process)
{
    char name[64], text[256];
    unsigned long size = 0;
    (void)snprintf(name, sizeof name, "/proc/%ld/smaps_rollup", process);
    FILE *file = fopen(name, "re");
    while (file != NULL && fgets(text, sizeof text, file) != NULL &&
           sscanf(text, "Pss: %lu kB", &size) != 1) {
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return size;
}

static void add_children_of_thread(family *all, const char *name)
{
    FILE *file = fopen(name, "re");
    while (file != NULL && all->count < PROCESSES_MAX &&
           fscanf(file, "%ld", &all->processes[all->count]) == 1) {
        all->count++;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

static void add_children(family *all, long process)
{
    char name[512];
    (void)snprintf(name, sizeof name, "/proc/%ld/task", process);
    DIR *folder = opendir(name);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.') {
            (void)snprintf(name, sizeof name, "/proc/%ld/task/%s/children", process, entry->d_name);
            add_children_of_thread(all, name);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

static unsigned long size_of_all(family *all, long first)
{
    unsigned long sum = 0;
    all->processes[0] = first;
    all->count = 1;
    for (size_t i = 0; i < all->count; i++) {
        sum += size_of(all->processes[i]);
        add_children(all, all->processes[i]);
    }
    return sum;
}

static int status_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    static family all;
    unsigned long peak = 0, sums = 0;
    size_t most = 0;
    int status;
    if (argc < 4 || size_of(getpid()) == 0) {
        return UNKNOWN;
    }
    const useconds_t pause = (useconds_t)atoi(argv[2]);
    const double start = now();
    const pid_t process = fork();
    if (process == 0) {
        (void)execvp(argv[3], argv + 3);
        _exit(127);
    }
    while (waitpid(process, &status, WNOHANG) == 0) {
        const double before = now();
        const unsigned long sum = size_of_all(&all, process);
        most = all.count > most ? all.count : most;
        if (now() - before <= SUM_SECONDS_MAX) {
            peak = sum > peak ? sum : peak;
            sums++;
        }
        (void)usleep(pause);
    }
    FILE *out = fopen(argv[1], "w");
    if (out == NULL ||
        fprintf(out, "%lu %lu %.0f %zu\n", peak, sums, (double)sums / (now() - start), most) < 0 ||
        fclose(out) != 0) {
        return UNKNOWN;
    }
    return status_of(status);
}
