/* Reader of OFF, the Object File Format of Geomview (the Geometry Center, University of Minnesota;
 * "Object File Format" in its manual), as text and in three dimensions.
 *
 * A file is numbers: counts, vertices, faces. "#" begins a comment. Most programs write a vertex or
 * a face a line, and colours behind it whatever the keyword says: the rest of such a line is
 * skipped. The format itself is free of lines up to the colour of a face, which ends with its line:
 * then what the keyword says of a vertex counts. A look at the lines of the vertices decides for
 * them, and one at those of the faces for these: where a face is not in its line, it goes on in the
 * next, if all counts come out even at the end. A face's number is its place in the list of faces.
 */
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "reader.h"

typedef struct {
    kiln_reading *reading;
    kiln_lines lines;
    const char *at;   /* in the line that is being read */
    unsigned columns; /* numbers of a vertex after the first three, by the keyword */
    kiln_corners corners;
} off;

static _Noreturn void fail_line(off *o, const char *what)
{
    kiln_read_fail_line(o->reading, &o->lines, what);
}

/* Goes to the next line that has more than a comment. False: there is none. */
static bool find_line(off *o)
{
    char *line;

    while ((line = kiln_read_line(o->reading, &o->lines)) != NULL) {
        line[strcspn(line, "#")] = '\0';
        o->at = line;
        if (line[strspn(line, " \t\v\f")] != '\0')
            return true;
    }
    return false;
}

/* The next word, on this line or a later one. */
static const char *next_word(off *o, size_t *length, const char *expected)
{
    const char *word;

    while ((word = kiln_token(&o->at, length)) == NULL)
        if (!find_line(o))
            fail_line(o, expected);
    return word;
}

static int64_t next_integer(off *o, const char *what, const char *expected)
{
    size_t length;
    const char *word = next_word(o, &length, expected);
    int64_t value;

    if (!kiln_token_integer(word, length, &value))
        kiln_read_fail_word(o->reading, &o->lines, what, word, length);
    return value;
}

static double next_number(off *o)
{
    size_t length;
    const char *word = next_word(o, &length, "the file ends within the vertices");
    double value;

    if (!kiln_token_number(word, length, &value))
        kiln_read_fail_word(o->reading, &o->lines, "a vertex must be three numbers", word, length);
    return value;
}

/* Colours and normals: numbers, whose values change no geometry. */
static void skip_rest(off *o)
{
    const char *word;
    size_t length;
    double value;

    while ((word = kiln_token(&o->at, &length)) != NULL)
        if (!kiln_token_number(word, length, &value))
            kiln_read_fail_word(o->reading, &o->lines, "a line must have numbers only", word,
                                length);
}

/* Another reader of the same file, behind the line that `o` is in. Ends with kiln_lines_end. */
static off start_ahead(const off *o)
{
    off ahead = {.reading = o->reading, .at = ""};

    if (!kiln_lines_start(&ahead.lines, &o->reading->model, 0, NULL))
        kiln_read_no_memory(o->reading);
    while (ahead.lines.number < o->lines.number && kiln_read_line(o->reading, &ahead.lines) != NULL)
        continue;
    return ahead;
}

/* Whether each of the next `vertices` lines has three numbers or more, and at least `faces` lines
 * are behind them: a vertex a line. */
static bool look_ahead(const off *o, int64_t vertices, int64_t faces)
{
    off ahead = start_ahead(o);
    const char *rest = o->at;
    size_t length;
    bool rows = kiln_token(&rest, &length) == NULL; /* nothing else on the line of the counts */
    int64_t seen = 0;

    for (; rows && seen < vertices && find_line(&ahead); seen++)
        for (int j = 0; j < 3; j++)
            rows = rows && kiln_token(&ahead.at, &length) != NULL;
    rows = rows && seen == vertices;
    for (seen = 0; rows && seen < faces && find_line(&ahead); seen++)
        continue;
    kiln_lines_end(&ahead.lines);
    return rows && seen == faces;
}

/* How many words are left on the line. */
static uint64_t count_rest(const off *o)
{
    const char *at = o->at;
    uint64_t count = 0;
    size_t length;

    while (kiln_token(&at, &length) != NULL)
        count++;
    return count;
}

/* Whether the next lines have a face each; *line is the first that has not. */
static bool has_face_lines(const off *o, int64_t faces, uint64_t *line)
{
    off ahead = start_ahead(o);
    int64_t seen = 0, count = 0;
    const char *word;
    size_t length;
    bool fit = true;

    for (; fit && seen < faces && find_line(&ahead); seen++) {
        *line = ahead.lines.number;
        word = kiln_token(&ahead.at, &length);
        /* Another word than a number is an error of its own, in its place. */
        if (kiln_token_integer(word, length, &count))
            fit = count <= 0 || count_rest(&ahead) >= (uint64_t)count;
    }
    kiln_lines_end(&ahead.lines);
    return fit && seen == faces;
}

/* Whether faces that go on in the next line come out even: each ends with nothing, or with what can
 * be a colour, and nothing follows the last. */
static bool has_free_faces(const off *o, int64_t faces)
{
    off ahead = start_ahead(o);
    bool fit = true;

    for (int64_t i = 0; fit && i < faces; i++) {
        int64_t count = 0;
        uint64_t rest;

        for (int64_t j = 0; fit && j <= count; j++) {
            const char *word;
            size_t length;

            while ((word = kiln_token(&ahead.at, &length)) == NULL && fit)
                fit = find_line(&ahead);
            fit = fit && (j > 0 || kiln_token_integer(word, length, &count));
        }
        rest = fit ? count_rest(&ahead) : 0;
        fit = fit && rest != 2 && rest <= 4;
        ahead.at = "";
    }
    fit = fit && !find_line(&ahead);
    kiln_lines_end(&ahead.lines);
    return fit;
}

/* [ST][C][N][4][n]OFF [BINARY], of which all may be missing. The counts may follow on the same
 * line. */
static void read_keyword(off *o)
{
    const char *start = o->at;
    size_t length;
    const char *token = kiln_token(&o->at, &length);

    if (length < 3 || memcmp(token + length - 3, "OFF", 3) != 0) {
        o->at = start;
        return;
    }
    if (memchr(token, '4', length) != NULL || memchr(token, 'n', length) != NULL)
        kiln_send_failure(o->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "OFF of other than three dimensions; convert it to plain OFF");
    /* What it says of a vertex: two texture coordinates, a colour of four numbers, a normal. */
    for (const char *letter = token; letter < token + length - 3; letter++) {
        static const char known[] = "STCN";
        static const unsigned columns[] = {0, 2, 4, 3};

        if (strchr(known, *letter) == NULL)
            kiln_read_fail_word(o->reading, &o->lines, "an OFF file must begin with OFF", token,
                                length);
        o->columns += columns[strchr(known, *letter) - known];
    }
    start = o->at;
    token = kiln_token(&o->at, &length);
    if (token != NULL && kiln_token_is(token, length, "BINARY"))
        kiln_send_failure(o->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "binary OFF; convert it to text or PLY");
    o->at = start;
}

/* The counts are not trusted: nothing is allocated by them. A third, of edges, is often wrong and
 * never needed; on the line of the others it may be missing. */
static void read_counts(off *o, int64_t *vertices, int64_t *faces)
{
    static const char end[] = "the file ends before its counts";
    static const char what[] = "the counts of vertices and faces must be whole numbers";
    uint64_t line;

    *vertices = next_integer(o, what, end);
    line = o->lines.number;
    *faces = next_integer(o, what, end);
    if (*vertices < 0 || *faces < 0)
        fail_line(o, "a count below zero");
    if (line != o->lines.number || o->at[strspn(o->at, " \t\v\f")] != '\0')
        next_integer(o, what, end);
}

void kiln_read_off(kiln_reading *reading)
{
    off o = {.reading = reading};
    int64_t vertices, faces;
    uint64_t sent = 0, empty = 0, over = 0, line = 0;
    bool rows;

    if (!kiln_lines_start(&o.lines, &reading->model, 0, NULL))
        kiln_read_no_memory(reading);
    kiln_read_default_material(reading);
    if (!find_line(&o))
        fail_line(&o, "the file is empty");
    read_keyword(&o);
    read_counts(&o, &vertices, &faces);
    rows = look_ahead(&o, vertices, faces);
    for (int64_t i = 0; i < vertices; i++) {
        double position[3];

        for (int j = 0; j < 3; j++)
            position[j] = next_number(&o);
        for (unsigned j = 0; !rows && j < o.columns; j++)
            next_number(&o);
        if (rows)
            skip_rest(&o);
        kiln_read_vertex(reading, position);
    }
    if (rows && !has_face_lines(&o, faces, &line) && !has_free_faces(&o, faces)) {
        o.lines.number = line;
        fail_line(&o, "the face has fewer corners than it says");
    }
    for (int64_t i = 0; i < faces; i++) {
        static const char end[] = "the file ends within the faces";
        int64_t count = next_integer(&o, "a face must begin with its number of corners", end);

        if (count < 0)
            fail_line(&o, "a face of fewer than no corners");
        o.corners.count = 0;
        for (int64_t j = 0; j < count; j++) {
            int64_t index = next_integer(&o, "a corner must be a vertex number", end);

            kiln_corners_add(reading, &o.corners,
                             index < 0 || index >= KILN_SCENE_NONE ? KILN_SCENE_NONE
                                                                   : (uint32_t)index);
        }
        KILN_ASSERT(o.corners.count == (uint64_t)count);
        skip_rest(&o);
        kiln_read_face(reading, o.corners.items, (size_t)count, (uint64_t)i, 0);
        sent += count >= 3;
        empty += count == 0;
    }
    line = o.lines.number + 1;
    while (find_line(&o))
        over++;
    if (over > 0)
        kiln_send_warning(
            reading->sender,
            "the counts of vertices and faces are %lld and %lld: %llu more line%s, from "
            "line %llu on, are left out",
            (long long)vertices, (long long)faces, (unsigned long long)over, over == 1 ? "" : "s",
            (unsigned long long)line);
    kiln_read_warn_empty(reading, empty);
    kiln_read_mesh(reading, "mesh", sent, (uint64_t)vertices, 0);
    reading->facts.exact = 1;
    free(o.corners.items);
    kiln_lines_end(&o.lines);
}
