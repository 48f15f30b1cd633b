/* Reader of OFF, the Object File Format of Geomview (the Geometry Center, University of Minnesota;
 * "Object File Format" in its manual), as text and in three dimensions.
 *
 * A file is lines with numbers: counts, one vertex a line, one face a line. "#" begins a comment.
 * Colours and normals follow the numbers that are read here and are skipped with the rest of their
 * line. A face's number is its place in the list of faces. */
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "reader.h"

typedef struct {
    kiln_reading *reading;
    kiln_lines lines;
    const char *at; /* in the line that is being read */
    kiln_corners corners;
} off;

static _Noreturn void fail_line(off *o, const char *what)
{
    kiln_read_fail_line(o->reading, &o->lines, what);
}

/* Goes to the next line that has more than a comment. */
static void next_line(off *o, const char *expected)
{
    bool no_memory = false;
    char *line;
    size_t length;

    while ((line = kiln_lines_next(&o->lines, &length, &no_memory)) != NULL) {
        line[strcspn(line, "#")] = '\0';
        o->at = line;
        if (line[strspn(line, " \t\v\f")] != '\0')
            return;
    }
    if (no_memory)
        kiln_read_no_memory(o->reading);
    fail_line(o, expected);
}

/* The next word of the line, as an integer. */
static bool next_integer(off *o, int64_t *value)
{
    size_t length;
    const char *token = kiln_token(&o->at, &length);

    return token != NULL && kiln_token_integer(token, length, value);
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
    token = kiln_token(&o->at, &length);
    if (token != NULL && kiln_token_is(token, length, "BINARY"))
        kiln_send_failure(o->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "binary OFF; convert it to text or PLY");
    if (token == NULL)
        next_line(o, "the file ends before its counts");
    else
        o->at = token;
}

void kiln_read_off(kiln_reading *reading)
{
    off o = {.reading = reading};
    int64_t vertices, faces;
    uint64_t sent = 0, empty = 0;

    if (!kiln_lines_start(&o.lines, &reading->model, 0, '\0'))
        kiln_read_no_memory(reading);
    kiln_read_default_material(reading);
    next_line(&o, "the file is empty");
    read_keyword(&o);
    /* A third count, of edges, is often wrong and never needed. */
    if (!next_integer(&o, &vertices) || !next_integer(&o, &faces) || vertices < 0 || faces < 0)
        fail_line(&o, "no counts of vertices and faces");
    /* The counts are not trusted: nothing is allocated by them. */
    for (int64_t i = 0; i < vertices; i++) {
        double position[3];

        next_line(&o, "the file ends within the vertices");
        for (int j = 0; j < 3; j++) {
            size_t length;
            const char *token = kiln_token(&o.at, &length);

            if (token == NULL || !kiln_token_number(token, length, &position[j]))
                fail_line(&o, "a vertex is not three numbers");
        }
        kiln_read_vertex(reading, position);
    }
    for (int64_t i = 0; i < faces; i++) {
        int64_t count, index;

        next_line(&o, "the file ends within the faces");
        if (!next_integer(&o, &count) || count < 0)
            fail_line(&o, "a face does not begin with its number of corners");
        o.corners.count = 0;
        for (int64_t j = 0; j < count; j++) {
            if (!next_integer(&o, &index))
                fail_line(&o, "a face has fewer corners than it says");
            kiln_corners_add(reading, &o.corners,
                             index < 0 || index >= KILN_SCENE_NONE ? KILN_SCENE_NONE
                                                                   : (uint32_t)index);
        }
        KILN_ASSERT(o.corners.count == (uint64_t)count);
        kiln_read_face(reading, o.corners.items, (size_t)count, (uint64_t)i, 0);
        sent += count >= 3;
        empty += count == 0;
    }
    kiln_read_warn_empty(reading, empty);
    kiln_read_mesh(reading, "mesh", sent, (uint64_t)vertices, 0);
    reading->facts.exact = 1;
    free(o.corners.items);
    kiln_lines_end(&o.lines);
}
