/* Texts of numbers, and lists of poses, as verbs read them: from a file or from standard input,
 * with what is wrong reported by name and line (tools/common/number_lines.c reads the lines). */
#define _XOPEN_SOURCE 700

#include "number_lines.h"

#include "report.h"

#include "../../../formats/assert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the lines are handed to, and how that ended. */
typedef struct {
    number_line take;
    void *user;
    int status;
} reading;

static bool take_numbers(void *user, unsigned long line, const double *numbers, int count)
{
    reading *of = user;
    of->status = of->take(of->user, line, numbers, count);
    return of->status == EXIT_DONE;
}

int number_lines_read(const char *path, number_line take, void *user)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "r");
    if (in == NULL) {
        return report_error(EXIT_IO, path,
                            "can't be opened; %s; check the path and its permissions",
                            strerror(errno));
    }
    reading of = {take, user, EXIT_DONE};
    char message[KILN_NUMBERS_MESSAGE_SIZE];
    errno = 0;
    const bool good = kiln_number_lines(in, take_numbers, &of, message);
    int status = of.status;
    if (!good && message[0] != '\0') {
        status = report_error(EXIT_INVALID, path, "%s", message);
    } else if (!good && status == EXIT_DONE) {
        status =
            report_error(EXIT_IO, path, "can't be read; %s; check the path and its permissions",
                         strerror(errno));
    }
    if (!standard) {
        fclose(in);
    }
    return status;
}

/* ------------------------------------------------------------------------------------- poses -- */

/* The list grows by doubling. Reports want of memory. */
static int add_pair(pose_list *list, const kiln_pose_pair *pair)
{
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 16;
        kiln_pose_pair *more = realloc(list->pairs, capacity * sizeof *more);
        if (more == NULL) {
            return report_error(EXIT_RUN, NULL, "out of memory; too many poses");
        }
        list->pairs = more;
        list->capacity = capacity;
    }
    KILN_ASSERT(list->count < list->capacity);
    list->pairs[list->count++] = *pair;
    return EXIT_DONE;
}

/* The list that lines are added to, and the file that they come from. */
typedef struct {
    pose_list *list;
    const char *path;
} pose_target;

static int take_line(void *user, unsigned long line, const double *numbers, int count)
{
    const pose_target *to = user;
    char message[KILN_NUMBERS_MESSAGE_SIZE];
    kiln_pose_pair pair;
    if (!kiln_pose_pair_of(line, numbers, count, &pair, message)) {
        return report_error(EXIT_INVALID, to->path, "%s", message);
    }
    return add_pair(to->list, &pair);
}

/* After an error the list is empty, so that the caller has one thing to free or none. */
int pose_list_read(pose_list *list, const char *path)
{
    pose_target to = {list, path};
    *list = (pose_list){NULL, 0, 0};
    const int status = number_lines_read(path, take_line, &to);
    if (status != EXIT_DONE) {
        pose_list_free(list);
    }
    return status;
}

int pose_list_identity(pose_list *list)
{
    *list = (pose_list){NULL, 0, 0};
    const kiln_pose_pair pair = {kiln_pose_identity(), kiln_pose_identity(), 0, false};
    return add_pair(list, &pair);
}

void pose_list_free(pose_list *list)
{
    free(list->pairs);
    *list = (pose_list){NULL, 0, 0};
}
