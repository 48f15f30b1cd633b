/* Reader of points as text: XYZ, PTS and ASC, for which there is no standard.
 *
 * A point is a line of numbers, of which the first three are x, y and z; what follows (intensity,
 * colours, normals) is not read. Numbers stand between blanks, commas or semicolons. Lines that are
 * empty or begin with '#' or '//' say nothing, but for names of columns. Two lines are known:
 *
 *   - the number of points that follow, alone in a line, before the first point and after the last
 *     of the number before: PTS has one before each scan. A number that is not that of the points
 *     is an error, since the file is then not whole, or another;
 *   - names of columns, in the first line that says anything: x, y and z are then those of these
 *     names, wherever they stand. CloudCompare writes them behind '//': a comment before the first
 *     point names columns if x, y and z are among its words, and there are as many of these as the
 *     point has numbers.
 *
 * Anything else is refused with its line, so that no point is lost in silence. The number of a
 * point is its place among the points, from 0. */
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "reader.h"

enum { COLUMNS_MOST = 64 };

typedef struct {
    kiln_reading *reading;
    kiln_lines lines;
    unsigned column[3];       /* of x, y and z, from 0 */
    unsigned named[3], names; /* those of a comment, and how many words it has; 0: there is none */
    bool begun;               /* a line said something */
    bool counted;             /* a number of points was said */
    uint64_t wanted, since;   /* that, and the points after it */
    uint64_t counted_line, sent; /* its line; points in all */
} xyz;

/* Commas and semicolons separate as blanks do. */
static void blank_separators(char *line)
{
    for (; *line != '\0'; line++)
        if (*line == ',' || *line == ';')
            *line = ' ';
}

static bool is_comment(const char *line)
{
    line += strspn(line, " \t");
    return line[0] == '#' || (line[0] == '/' && line[1] == '/');
}

static unsigned count_words(const char *at)
{
    size_t length;
    unsigned words = 0;

    while (words <= COLUMNS_MOST && kiln_token(&at, &length) != NULL)
        words++;
    return words;
}

/* Takes a line of names. False: x, y or z is not among them, and `column` has no meaning. */
static bool take_names(unsigned column[3], const char *at)
{
    static const char *const axes[] = {"x", "y", "z"};
    const char *token;
    size_t length;
    unsigned found = 0;

    for (unsigned i = 0; i < COLUMNS_MOST && (token = kiln_token(&at, &length)) != NULL; i++)
        for (unsigned k = 0; k < 3; k++)
            if (kiln_token_is(token, length, axes[k]) && (found >> k & 1) == 0) {
                column[k] = i;
                found |= 1u << k;
            }
    return found == 7;
}

static bool are_side_by_side(const unsigned column[3])
{
    const unsigned a = column[0], b = column[1], c = column[2];
    const unsigned least = a < b ? (a < c ? a : c) : (b < c ? b : c);
    return a + b + c == 3 * least + 3; /* they differ */
}

/* A comment, of which the last before the first point that has names counts. In prose x, y and z
 * may be words, too: names are side by side. */
static void take_comment(xyz *x, char *line)
{
    unsigned column[3];

    if (x->sent > 0)
        return;
    blank_separators(line);
    line += strspn(line, " \t#/");
    if (take_names(column, line) && are_side_by_side(column)) {
        memcpy(x->named, column, sizeof x->named);
        x->names = count_words(line);
    }
}

/* The points that a number promised have to be there. */
static void check_count(xyz *x)
{
    if (x->counted && x->since != x->wanted)
        kiln_send_failure(x->reading->sender, KILN_BAKE_INVALID,
                          "line %llu says that %llu points follow, but there are %llu; get the "
                          "whole file, or correct the number",
                          (unsigned long long)x->counted_line, (unsigned long long)x->wanted,
                          (unsigned long long)x->since);
}

/* A line with one word: a number of points. */
static void take_count(xyz *x, const char *token, size_t length)
{
    int64_t count;

    if (!kiln_token_integer(token, length, &count) || count < 0)
        kiln_read_fail_word(x->reading, &x->lines, "a point must have x, y and z", NULL, 0);
    if (x->sent > 0 && !(x->counted && x->since == x->wanted))
        kiln_read_fail_line(x->reading, &x->lines, "a number of points between points");
    x->counted = true;
    x->wanted = (uint64_t)count;
    x->since = 0;
    x->counted_line = x->lines.number;
}

static void take_line(xyz *x, char *line)
{
    const char *at = line, *token;
    size_t length, first_length = 0;
    const char *first = NULL;
    double position[3] = {0, 0, 0}, value;
    unsigned columns = 0, found = 0;

    blank_separators(line);
    if (x->names > 0 && count_words(line) == x->names)
        memcpy(x->column, x->named, sizeof x->column);
    for (; columns < COLUMNS_MOST && (token = kiln_token(&at, &length)) != NULL; columns++) {
        if (columns == 0) {
            first = token;
            first_length = length;
            if (!x->begun && !kiln_token_number(token, length, &value) &&
                take_names(x->column, line)) {
                x->begun = true;
                x->names = 0;
                return;
            }
        }
        for (unsigned k = 0; k < 3; k++)
            if (x->column[k] == columns) {
                if (!kiln_token_number(token, length, &position[k]))
                    kiln_read_fail_word(x->reading, &x->lines, "a coordinate must be a number",
                                        token, length);
                found++;
            }
    }
    if (columns == 0)
        return;
    x->begun = true;
    if (columns == 1 && found < 3) {
        take_count(x, first, first_length);
        return;
    }
    if (found < 3)
        kiln_read_fail_word(x->reading, &x->lines, "a point must have x, y and z", NULL, 0);
    if (x->counted && x->since == x->wanted)
        kiln_read_fail_line(x->reading, &x->lines, "more points than the number before them says");
    kiln_read_note_line(x->reading, position, x->lines.number);
    kiln_read_vertex(x->reading, position);
    x->since++;
    x->sent++;
    x->names = 0;
}

void kiln_read_xyz(kiln_reading *reading)
{
    xyz x = {.reading = reading, .column = {0, 1, 2}};
    char *line;

    if (!kiln_lines_start(&x.lines, &reading->model, 0, NULL))
        kiln_read_no_memory(reading);
    kiln_read_default_material(reading);
    while ((line = kiln_read_line(reading, &x.lines)) != NULL)
        if (is_comment(line))
            take_comment(&x, line);
        else
            take_line(&x, line);
    check_count(&x);
    kiln_read_mesh(reading, "mesh", 0, x.sent, 0);
    reading->facts.cloud = x.sent > 0;
    reading->facts.exact = 1;
    kiln_lines_end(&x.lines);
}
