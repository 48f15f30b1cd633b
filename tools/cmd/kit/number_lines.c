#define _XOPEN_SOURCE 700

#include "number_lines.h"

#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of one line into at most `capacity` doubles. The command never sets a locale, so strtod
 * reads a decimal point whatever the environment says. Returns how many there are, more than
 * `capacity` where they don't fit, or -1 where *wrong is no number. */
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

static int read_line(const char *path, unsigned long line, char *text, number_line take, void *user)
{
    double numbers[NUMBER_LINE_MAX];
    const char *wrong = NULL;
    const int count = scan_numbers(text, numbers, NUMBER_LINE_MAX, &wrong);
    if (count == 0) {
        return EXIT_DONE;
    }
    if (count < 0) {
        return report_error(EXIT_INVALID, path, "line %lu: '%.40s' is not a number", line, wrong);
    }
    return take(user, line, numbers, count);
}

static int read_stream(const char *path, FILE *in, number_line take, void *user)
{
    char *text = NULL;
    size_t capacity = 0;
    int status = EXIT_DONE;
    unsigned long line = 0;
    errno = 0;
    ssize_t length;
    while (status == EXIT_DONE && (length = getline(&text, &capacity, in)) >= 0) {
        line++;
        status = strlen(text) == (size_t)length
                     ? read_line(path, line, text, take, user)
                     : report_error(EXIT_INVALID, path, "line %lu: not text", line);
    }
    if (status == EXIT_DONE && ferror(in)) {
        status =
            report_error(EXIT_IO, path, "can't be read; %s; check the path and its permissions",
                         strerror(errno));
    }
    free(text);
    return status;
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
    const int status = read_stream(path, in, take, user);
    if (!standard) {
        fclose(in);
    }
    return status;
}
