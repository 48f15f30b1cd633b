/* Texts of numbers, a line each, and lists of poses that are written in such a text.
 *
 * A text may be standard input, and may be longer than memory: a line is read, its numbers are
 * handed to a function of the caller, and it is forgotten. The first line that is wrong ends the
 * run and is named by its number, because a pose that was skipped would shift all answers after
 * it. */
#define _XOPEN_SOURCE 700

#include "number_lines.h"

#include "report.h"

#include "../../../formats/assert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { POSE_NUMBERS = 12, SCALED_NUMBERS = 13 };

/* ------------------------------------------------------------------------------------- lines -- */

/* Reads the numbers of one line into at most `capacity` doubles. The command never sets a locale,
 * so strtod reads a decimal point whatever the environment says. Returns how many there are, more
 * than `capacity` where they don't fit, or -1 where *wrong is no number. */
static int scan_numbers(char *text, double *numbers, int capacity, const char **wrong)
{
    static const char between[] = " \t\r\n,";
    int count = 0;
    text[strcspn(text, "#")] = '\0';
    text += strspn(text, between);
    while (*text != '\0') {
        char *end;
        const double number = strtod(text, &end);
        if (end == text || (*end != '\0' && strchr(between, *end) == NULL)) {
            text[strcspn(text, between)] = '\0';
            *wrong = text;
            return -1;
        }
        if (count < capacity) {
            numbers[count] = number;
        }
        count++;
        text = end + strspn(end, between);
    }
    return count;
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
    char *text = NULL;
    size_t capacity = 0;
    int status = EXIT_DONE;
    unsigned long line = 0;
    errno = 0;
    ssize_t length;
    while (status == EXIT_DONE && (length = getline(&text, &capacity, in)) >= 0) {
        double numbers[NUMBER_LINE_MAX];
        const char *wrong = NULL;
        line++;
        if (strlen(text) != (size_t)length) { /* a zero byte would hide the rest of the line */
            status = report_error(EXIT_INVALID, path, "line %lu: not text", line);
            break;
        }
        const int count = scan_numbers(text, numbers, NUMBER_LINE_MAX, &wrong);
        KILN_ASSERT((count < 0) == (wrong != NULL));
        if (count < 0) {
            status =
                report_error(EXIT_INVALID, path, "line %lu: '%.40s' is not a number", line, wrong);
        } else if (count > 0) { /* an empty line is none */
            status = take(user, line, numbers, count);
        }
    }
    if (status == EXIT_DONE && ferror(in)) {
        status =
            report_error(EXIT_IO, path, "can't be read; %s; check the path and its permissions",
                         strerror(errno));
    }
    free(text);
    if (!standard) {
        fclose(in);
    }
    return status;
}

/* ------------------------------------------------------------------------------------- poses -- */

/* The list grows by doubling. Reports want of memory. */
static int add_pair(pose_list *list, const pose_pair *pair)
{
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 16;
        pose_pair *more = realloc(list->pairs, capacity * sizeof *more);
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

/* A row-major 3 x 4 matrix of rotation and translation, then the scale where there are 13
 * numbers. */
static kiln_pose pose_of(const double *numbers, int count)
{
    kiln_pose pose = kiln_pose_identity();
    KILN_ASSERT(count == POSE_NUMBERS || count == SCALED_NUMBERS);
    for (int row = 0; row < 3; row++) {
        memcpy(&pose.rotation[3 * row], numbers + 4 * row, 3 * sizeof(double));
        pose.translation[row] = numbers[4 * row + 3];
    }
    if (count == SCALED_NUMBERS) {
        pose.scale = numbers[POSE_NUMBERS];
    }
    return pose;
}

/* The list that lines are added to, and the file that they come from. */
typedef struct {
    pose_list *list;
    const char *path;
} pose_target;

/* A count of numbers alone says what a line is: one pose or two, with scales or without. */
static int take_line(void *user, unsigned long line, const double *numbers, int count)
{
    const pose_target *to = user;
    pose_pair pair = {kiln_pose_identity(), kiln_pose_identity(), line};
    if (count == POSE_NUMBERS || count == SCALED_NUMBERS) {
        pair.b = pose_of(numbers, count);
    } else if (count == 2 * POSE_NUMBERS || count == 2 * SCALED_NUMBERS) {
        pair.a = pose_of(numbers, count / 2);
        pair.b = pose_of(numbers + count / 2, count / 2);
    } else {
        return report_error(EXIT_INVALID, to->path,
                            "line %lu: %d numbers; a pose has 12 (row-major 3 x 4, B in A's frame) "
                            "or 24 (pose of A, then of B), 13 or 26 with the scale behind each",
                            line, count);
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
    const pose_pair pair = {kiln_pose_identity(), kiln_pose_identity(), 0};
    return add_pair(list, &pair);
}

void pose_list_free(pose_list *list)
{
    free(list->pairs);
    *list = (pose_list){NULL, 0, 0};
}
