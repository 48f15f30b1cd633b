/* Texts of numbers, a line each, and poses that are written in such a text.
 *
 * A text may be standard input, and may be longer than memory: a line is read, its numbers are
 * handed to a function of the caller, and it is forgotten. The first line that is wrong ends the
 * reading and is named by its number, because a pose that was skipped would shift all answers after
 * it. */
#define _XOPEN_SOURCE 700

#include "number_lines.h"

#include "../../formats/assert.h"

#include <stdlib.h>
#include <string.h>

enum { POSE_NUMBERS = 12, SCALED_NUMBERS = 13 };

/* Reads the numbers of one line into at most `capacity` doubles. No program here sets a locale, so
 * strtod reads a decimal point whatever the environment says. Returns how many there are, more
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

bool kiln_number_lines(FILE *in, kiln_take_numbers take, void *user,
                       char message[KILN_NUMBERS_MESSAGE_SIZE])
{
    static const char mark[] = "\xEF\xBB\xBF";
    char *text = NULL;
    size_t capacity = 0;
    bool good = true;
    unsigned long line = 0;
    ssize_t length;
    message[0] = '\0';
    while (good && (length = getline(&text, &capacity, in)) >= 0) {
        double numbers[KILN_NUMBERS_MAX];
        const char *wrong = NULL;
        line++;
        if (strlen(text) != (size_t)length) { /* a zero byte would hide the rest of the line */
            (void)snprintf(message, KILN_NUMBERS_MESSAGE_SIZE, "line %lu: not text", line);
            good = false;
            break;
        }
        /* Editors of Windows begin a text in UTF-8 with a byte order mark. */
        const size_t skipped =
            line == 1 && strncmp(text, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
        const int count = scan_numbers(text + skipped, numbers, KILN_NUMBERS_MAX, &wrong);
        KILN_ASSERT((count < 0) == (wrong != NULL));
        if (count < 0) {
            (void)snprintf(message, KILN_NUMBERS_MESSAGE_SIZE, "line %lu: '%.40s' is not a number",
                           line, wrong);
            good = false;
        } else if (count > 0) { /* an empty line is none */
            good = take(user, line, numbers, count);
        }
    }
    free(text);
    return good && !ferror(in);
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

/* A count of numbers alone says what a line is: one pose or two, with scales or without. */
bool kiln_pose_pair_of(unsigned long line, const double *numbers, int count, kiln_pose_pair *pair,
                       char message[KILN_NUMBERS_MESSAGE_SIZE])
{
    *pair = (kiln_pose_pair){kiln_pose_identity(), kiln_pose_identity(), line, false};
    if (count == POSE_NUMBERS || count == SCALED_NUMBERS) {
        pair->b = pose_of(numbers, count);
    } else if (count == 2 * POSE_NUMBERS || count == 2 * SCALED_NUMBERS) {
        pair->both = true;
        pair->a = pose_of(numbers, count / 2);
        pair->b = pose_of(numbers + count / 2, count / 2);
    } else {
        (void)snprintf(message, KILN_NUMBERS_MESSAGE_SIZE,
                       "line %lu: %d numbers; a pose has 12 (row-major 3 x 4, B in A's frame) or "
                       "24 (pose of A, then of B), 13 or 26 with the scale behind each",
                       line, count);
        return false;
    }
    return true;
}
