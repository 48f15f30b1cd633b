#define _POSIX_C_SOURCE 200809L

#include "gnuplot.h"

#include "report.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { READ_STEP = 1 << 16 };

/* Starts gnuplot reading from `input` and writing to `output`; 0 or an errno. */
static int start(int input, const int output[2], pid_t *child)
{
    char name[] = "gnuplot", from[] = "-";
    char *const arguments[] = {name, from, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, output[0]);
    error = posix_spawnp(child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Everything that comes until the other end closes. */
static int read_all(int descriptor, void **data, size_t *size)
{
    char *bytes = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (capacity - used < READ_STEP) {
            capacity = 2 * capacity + READ_STEP;
            char *more = realloc(bytes, capacity);
            if (more == NULL) {
                free(bytes);
                return report_error(EXIT_RUN, "gnuplot", "out of memory; free some");
            }
            bytes = more;
        }
        const ssize_t got = read(descriptor, bytes + used, capacity - used);
        if (got == 0) {
            *data = bytes;
            *size = used;
            return EXIT_DONE;
        }
        if (got < 0 && errno != EINTR) {
            free(bytes);
            return report_error(EXIT_RUN, "gnuplot", "can't be read from; %s", strerror(errno));
        }
        used += got > 0 ? (size_t)got : 0;
    }
}

static int run_on(FILE *script, void **picture, size_t *size)
{
    int output[2], status;
    pid_t child;
    if (pipe(output) != 0) {
        return report_error(EXIT_RUN, "gnuplot", "can't be started; %s", strerror(errno));
    }
    const int error = start(fileno(script), output, &child);
    close(output[1]);
    if (error != 0) {
        close(output[0]);
        return report_error(EXIT_RUN, "gnuplot",
                            "can't be started; %s; install the package "
                            "gnuplot-nox, or what has gnuplot here",
                            strerror(error));
    }
    int result = read_all(output[0], picture, size);
    close(output[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (result == EXIT_DONE && (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || *size == 0)) {
        free(*picture);
        *picture = NULL;
        result = report_error(EXIT_RUN, "gnuplot",
                              "drew nothing; its message is above; is it version 5 or later?");
    }
    return result;
}

int gnuplot_run(const char *script, size_t script_size, void **picture, size_t *size)
{
    FILE *file = tmpfile();
    if (file == NULL || fwrite(script, 1, script_size, file) != script_size ||
        fseek(file, 0, SEEK_SET) != 0) {
        const int error = errno;
        if (file != NULL) {
            fclose(file);
        }
        return report_error(EXIT_IO, "gnuplot", "a scratch file can't be written; %s; check TMPDIR",
                            strerror(error));
    }
    const int status = run_on(file, picture, size);
    fclose(file);
    return status;
}
