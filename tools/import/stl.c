/* STL, binary and text. A face's number is that of its facet in the file. */
#include <stdlib.h>
#include <string.h>

#include "../common/memory.h"
#include "reader.h"

enum { HEADER_SIZE = 84, FACET_SIZE = 50, FACETS_AT_ONCE = 1024 };

static uint32_t load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float load_float(const uint8_t *p)
{
    uint32_t bits = load_u32(p);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static void send_solid(kiln_reading *reading, const char *name, uint64_t faces, uint64_t vertices,
                       uint32_t index)
{
    kiln_scene_mesh mesh = {.face_count = faces, .vertex_count = vertices};

    mesh.name = kiln_send_string(reading->sender, name, strlen(name));
    kiln_send(reading->sender, KILN_ARRAY_MESHES, &mesh, 1);
    kiln_read_place(reading, mesh.name, index);
}

/* -- binary -- */

static void send_facet(kiln_reading *reading, const uint8_t *facet, uint32_t number)
{
    uint32_t corners[3];

    for (uint32_t i = 0; i < 3; i++) {
        float position[3];

        for (uint32_t j = 0; j < 3; j++)
            position[j] = load_float(facet + 12 + 12 * i + 4 * j);
        kiln_send(reading->sender, KILN_ARRAY_POSITIONS, position, 1);
        corners[i] = 3 * number + i;
    }
    kiln_read_face(reading, corners, 3, number, 0);
}

static void read_binary(kiln_reading *reading, uint32_t facets)
{
    static uint8_t block[FACETS_AT_ONCE * FACET_SIZE];
    uint64_t offset = HEADER_SIZE;

    if (facets >= 0x7FFFFFFF / 3)
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "%lu facets are more than kiln can number; split the model",
                          (unsigned long)facets);
    for (uint32_t first = 0; first < facets; first += FACETS_AT_ONCE) {
        uint32_t count = facets - first < FACETS_AT_ONCE ? facets - first : FACETS_AT_ONCE;

        if (kiln_model_read(&reading->model, offset, block, count * FACET_SIZE) !=
            count * FACET_SIZE)
            kiln_send_failure(reading->sender, KILN_BAKE_IO,
                              "can't be read to its end; it may have changed; try again");
        for (uint32_t i = 0; i < count; i++)
            send_facet(reading, block + i * FACET_SIZE, first + i);
        offset += count * FACET_SIZE;
    }
    send_solid(reading, "solid", facets, 3 * (uint64_t)facets, 0);
}

/* -- text -- */

typedef struct {
    kiln_reading *reading;
    kiln_lines lines;
    char name[256];           /* of the solid under way */
    uint64_t faces, vertices; /* of it */
    uint64_t records;         /* facets so far in the file */
    uint32_t solids;
    uint32_t *corners; /* of the facet under way */
    size_t corner_count, corner_capacity;
    bool in_solid, in_facet;
} text;

static _Noreturn void fail_line(text *t, const char *what)
{
    kiln_send_failure(t->reading->sender, KILN_BAKE_INVALID, "line %llu: %s; repair the file",
                      (unsigned long long)t->lines.number, what);
}

static void end_facet(text *t)
{
    if (!t->in_facet)
        return;
    if (t->corner_count < 3)
        fail_line(t, "a facet has fewer than three vertices");
    kiln_read_face(t->reading, t->corners, t->corner_count, t->records, 0);
    t->records++;
    t->faces++;
    t->corner_count = 0;
    t->in_facet = false;
}

static void end_solid(text *t)
{
    end_facet(t);
    if (t->in_solid && t->faces == 0) {
        t->reading->facts.empty_meshes++;
        kiln_send_warning(t->reading->sender, "solid \"%s\" has no face", t->name);
    } else if (t->faces > 0) {
        send_solid(t->reading, t->name, t->faces, t->vertices, t->solids++);
    }
    t->faces = t->vertices = 0;
    t->in_solid = false;
    strcpy(t->name, "solid");
}

static void start_solid(text *t, const char *name)
{
    size_t length;

    end_solid(t);
    t->in_solid = true;
    name += strspn(name, " \t");
    length = strlen(name) < sizeof t->name ? strlen(name) : sizeof t->name - 1;
    while (length > 0 && strchr(" \t", name[length - 1]) != NULL)
        length--;
    if (length > 0) {
        memcpy(t->name, name, length);
        t->name[length] = '\0';
    }
}

static void read_vertex(text *t, const char **at)
{
    void *corners = t->corners;
    bool room = kiln_grow(&corners, &t->corner_capacity, t->corner_count + 1, sizeof(uint32_t));
    double position[3];

    t->corners = corners;
    if (!room)
        kiln_read_no_memory(t->reading);
    for (int i = 0; i < 3; i++) {
        size_t length;
        const char *token = kiln_token(at, &length);

        if (token == NULL || !kiln_token_number(token, length, &position[i]))
            fail_line(t, "a vertex is not three numbers");
    }
    kiln_read_vertex(t->reading, position);
    t->corners[t->corner_count++] = (uint32_t)t->vertices++;
    t->in_facet = true;
}

/* Several statements may share a line, as some writers have it. */
static void read_line(text *t, const char *at)
{
    const char *token;
    size_t length;

    while ((token = kiln_token(&at, &length)) != NULL) {
        if (kiln_token_is(token, length, "vertex")) {
            read_vertex(t, &at);
        } else if (kiln_token_is(token, length, "facet")) {
            end_facet(t);
            t->in_facet = true;
        } else if (kiln_token_is(token, length, "endfacet")) {
            end_facet(t);
        } else if (kiln_token_is(token, length, "solid")) {
            start_solid(t, at);
            return;
        } else if (kiln_token_is(token, length, "endsolid")) {
            end_solid(t);
            return;
        }
    }
}

static void read_text(kiln_reading *reading)
{
    text t = {.reading = reading, .name = "solid"};
    bool no_memory = !kiln_lines_start(&t.lines, &reading->model, 0, '\0');
    const char *line;
    size_t length;

    while (!no_memory && (line = kiln_lines_next(&t.lines, &length, &no_memory)) != NULL)
        read_line(&t, line);
    if (no_memory)
        kiln_read_no_memory(reading);
    if (t.in_facet)
        fail_line(&t, "the file ends within a facet");
    if (t.in_solid)
        kiln_send_warning(reading->sender, "no endsolid: the file may have been cut short");
    end_solid(&t);
    free(t.corners);
    kiln_lines_end(&t.lines);
}

void kiln_read_stl(kiln_reading *reading)
{
    uint8_t header[HEADER_SIZE] = {0};
    size_t got = kiln_model_read(&reading->model, 0, header, sizeof header);
    uint64_t facets = load_u32(header + 80), size = HEADER_SIZE + facets * FACET_SIZE;
    const char *start = (const char *)header;
    bool text_start;

    kiln_send_u32(reading->sender, KILN_ARRAY_MATERIALS,
                  kiln_send_string(reading->sender, "DefaultMaterial", 15));
    reading->facts.exact = 1;
    while (start < (const char *)header + 16 && strchr(" \t\r\n", *start) != NULL)
        start++;
    /* Many programs begin the header of a binary file with "solid", too: the size decides, and zero
     * bytes, which text has none of and a count below 2^24 has. */
    text_start = got >= 5 && kiln_token_is(start, 5, "solid") && memchr(header, '\0', got) == NULL;
    if (got == HEADER_SIZE && size == reading->model.size) {
        read_binary(reading, (uint32_t)facets);
    } else if (text_start) {
        read_text(reading);
    } else if (got == HEADER_SIZE && size < reading->model.size) {
        kiln_send_warning(reading->sender, "%llu bytes follow the last facet and are left out",
                          (unsigned long long)(reading->model.size - size));
        read_binary(reading, (uint32_t)facets);
    } else {
        kiln_send_failure(reading->sender, KILN_BAKE_INVALID,
                          "no STL file, or cut short: %llu bytes, where the header asks for %llu "
                          "facets; get the whole file",
                          (unsigned long long)reading->model.size, (unsigned long long)facets);
    }
}
