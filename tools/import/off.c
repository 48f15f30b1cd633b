/* Object File Format. A face's number is its place in the list of faces. */
#include <stdlib.h>
#include <string.h>

#include "../common/memory.h"
#include "reader.h"

typedef struct {
    kiln_reading *reading;
    kiln_lines lines;
    const char *at; /* in the line under way */
    uint32_t *corners;
    size_t corner_capacity;
} off;

static _Noreturn void fail_line(off *o, const char *what)
{
    kiln_send_failure(o->reading->sender, KILN_BAKE_INVALID, "line %llu: %s; repair the file",
                      (unsigned long long)o->lines.number, what);
}

/* Goes to the next line that says something. */
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

static bool next_integer(off *o, int64_t *value)
{
    size_t length;
    const char *token = kiln_token(&o->at, &length);

    return token != NULL && kiln_token_integer(token, length, value);
}

/* [ST][C][N][4][n]OFF [BINARY]; may be missing. */
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

static void read_vertex(off *o)
{
    double position[3];

    next_line(o, "the file ends within the vertices");
    for (int i = 0; i < 3; i++) {
        size_t length;
        const char *token = kiln_token(&o->at, &length);

        if (token == NULL || !kiln_token_number(token, length, &position[i]))
            fail_line(o, "a vertex is not three numbers");
    }
    kiln_read_vertex(o->reading, position);
}

static uint32_t read_corner(off *o)
{
    int64_t index;

    if (!next_integer(o, &index))
        fail_line(o, "a face has fewer corners than it says");
    return index < 0 || index >= KILN_SCENE_NONE ? KILN_SCENE_NONE : (uint32_t)index;
}

/* What follows the corners is colour. Returns how many corners there are. */
static uint64_t read_face(off *o, uint64_t record)
{
    int64_t count;

    next_line(o, "the file ends within the faces");
    if (!next_integer(o, &count) || count < 0)
        fail_line(o, "a face does not begin with its number of corners");
    for (int64_t i = 0; i < count; i++) {
        void *corners = o->corners;
        bool room = kiln_grow(&corners, &o->corner_capacity, (size_t)i + 1, sizeof(uint32_t));

        o->corners = corners;
        if (!room)
            kiln_read_no_memory(o->reading);
        o->corners[i] = read_corner(o);
    }
    kiln_read_face(o->reading, o->corners, (size_t)count, record, 0);
    return (uint64_t)count;
}

static void read_body(off *o, uint64_t vertices, uint64_t faces)
{
    kiln_sender *sender = o->reading->sender;
    kiln_scene_mesh mesh = {.vertex_count = vertices};
    uint64_t empty = 0;

    for (uint64_t i = 0; i < vertices; i++)
        read_vertex(o);
    for (uint64_t i = 0; i < faces; i++) {
        uint64_t corners = read_face(o, i);

        mesh.face_count += corners >= 3;
        empty += corners == 0;
    }
    if (empty > 0)
        kiln_send_warning(sender, "%llu faces have no corner and are left out",
                          (unsigned long long)empty);
    mesh.name = kiln_send_string(sender, "mesh", 4);
    kiln_send(sender, KILN_ARRAY_MESHES, &mesh, 1);
    kiln_read_place(o->reading, mesh.name, 0);
}

void kiln_read_off(kiln_reading *reading)
{
    off o = {.reading = reading};
    int64_t vertices, faces;

    if (!kiln_lines_start(&o.lines, &reading->model, 0, '\0'))
        kiln_read_no_memory(reading);
    kiln_send_u32(reading->sender, KILN_ARRAY_MATERIALS,
                  kiln_send_string(reading->sender, "DefaultMaterial", 15));
    next_line(&o, "the file is empty");
    read_keyword(&o);
    if (!next_integer(&o, &vertices) || !next_integer(&o, &faces) || vertices < 0 || faces < 0)
        fail_line(&o, "no counts of vertices and faces");
    read_body(&o, (uint64_t)vertices, (uint64_t)faces);
    reading->facts.exact = 1;
    free(o.corners);
    kiln_lines_end(&o.lines);
}
