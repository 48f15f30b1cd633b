#define _XOPEN_SOURCE 700

#include "jobs.h"

#include "report.h"

#include "../common/write_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat entry;
    return stat(path, &entry) == 0 && S_ISDIR(entry.st_mode);
}

static bool same_file(const char *a, const char *b)
{
    struct stat entry_a, entry_b;
    return stat(a, &entry_a) == 0 && stat(b, &entry_b) == 0 && S_ISREG(entry_a.st_mode) &&
           entry_a.st_dev == entry_b.st_dev && entry_a.st_ino == entry_b.st_ino;
}

/* FOLDER/NAME.kiln for an input PATH/NAME.EXTENSION, in new memory. */
static char *name_in_folder(const char *folder, const char *input)
{
    const char *slash = strrchr(input, '/');
    const char *name = slash == NULL ? input : slash + 1;
    const char *dot = strrchr(name, '.');
    const size_t length = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
    const size_t folder_length = strlen(folder);
    const bool ended = folder_length > 0 && folder[folder_length - 1] == '/';
    const size_t size = folder_length + length + sizeof "/.kiln";
    char *path = malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%s%s%.*s.kiln", folder, ended ? "" : "/", (int)length, name);
    }
    return path;
}

/* Names outputs; out of memory leaves a NULL among them. */
static void name_outputs(job *jobs, char **inputs, int count, const char *output, bool folder)
{
    for (int i = 0; i < count; i++) {
        jobs[i].input = inputs[i];
        jobs[i].output = folder ? name_in_folder(output, inputs[i]) : strdup(output);
    }
}

static int compare_outputs(const void *a, const void *b)
{
    return strcmp((*(const job *const *)a)->output, (*(const job *const *)b)->output);
}

/* Sorted by output, two of one name stand side by side. */
static int check_clashes(const job *jobs, int count)
{
    const job **sorted = malloc((size_t)count * sizeof(job *));
    if (sorted == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    for (int i = 0; i < count; i++) {
        sorted[i] = &jobs[i];
    }
    qsort(sorted, (size_t)count, sizeof(job *), compare_outputs);
    int status = EXIT_DONE;
    for (int i = 1; i < count && status == EXIT_DONE; i++) {
        if (compare_outputs(&sorted[i - 1], &sorted[i]) == 0) {
            status = report_usage(&verb_bake, "'%s' and '%s' would both be written to '%s'",
                                  sorted[i - 1]->input, sorted[i]->input, sorted[i]->output);
        }
    }
    free(sorted);
    return status;
}

static int check_job(const job *of)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    if (strcmp(of->output, "-") == 0) {
        return EXIT_DONE;
    }
    if (same_file(of->input, of->output)) {
        return report_usage(&verb_bake, "the output '%s' is the input", of->output);
    }
    if (!kiln_write_file_possible(of->output, message)) {
        return report_error(EXIT_IO, of->output, "%s", message);
    }
    return EXIT_DONE;
}

static int check_jobs(const job *jobs, int count)
{
    for (int i = 0; i < count; i++) {
        if (jobs[i].output == NULL) {
            return report_error(EXIT_RUN, jobs[i].input, "out of memory");
        }
    }
    int status = check_clashes(jobs, count);
    for (int i = 0; i < count && status == EXIT_DONE; i++) {
        status = check_job(&jobs[i]);
    }
    return status;
}

static int make_folder(const char *path)
{
    if (!is_folder(path) && mkdir(path, 0777) != 0) {
        return report_error(EXIT_IO, path, "the folder can't be made; %s; check the path",
                            strerror(errno));
    }
    return EXIT_DONE;
}

int jobs_plan(char **inputs, int count, const char *output, job **jobs)
{
    const size_t length = strlen(output);
    const bool folder = count > 1 || is_folder(output) || output[length - 1] == '/';
    if (count > 1 && strcmp(output, "-") == 0) {
        return report_usage(&verb_bake, "standard output takes one input, not %d", count);
    }
    *jobs = calloc((size_t)count, sizeof(job));
    if (*jobs == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    name_outputs(*jobs, inputs, count, output, folder);
    int status = folder ? make_folder(output) : EXIT_DONE;
    if (status == EXIT_DONE) {
        status = check_jobs(*jobs, count);
    }
    if (status != EXIT_DONE) {
        jobs_free(*jobs, count);
        *jobs = NULL;
    }
    return status;
}

void jobs_free(job *jobs, int count)
{
    for (int i = 0; i < count && jobs != NULL; i++) {
        free(jobs[i].output);
    }
    free(jobs);
}
