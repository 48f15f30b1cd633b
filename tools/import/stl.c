/* Reader of STL (3D Systems, "StereoLithography Interface Specification", 1989), binary and as
 * text.
 *
 * Binary: 80 bytes of any content, a count, and 50 bytes a facet: a normal, three corners, two
 * unused bytes. Text: one solid or several, each a list of facets; the keywords decide, and line
 * ends mean nothing. A file is taken for binary when its size is that which its count implies; many
 * programs begin the free 80 bytes with "solid", the keyword that begins text.
 *
 * Vertices are repeated by each facet; equal ones are welded later. A face's number is that of its
 * facet in the file. */
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "reader.h"

enum { HEADER_SIZE = 84, FACET_SIZE = 50, FACETS_AT_ONCE = 1024 };

static uint32_t load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* -- binary -- */

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
        for (uint32_t i = 0; i < count; i++) {
            const uint8_t *facet = block + i * FACET_SIZE + 12; /* after the normal */
            const uint32_t corner = 3 * (first + i), corners[3] = {corner, corner + 1, corner + 2};
            float positions[3][3];

            for (int j = 0; j < 9; j++) {
                const uint32_t bits = load_u32(facet + 4 * j);

                memcpy(&positions[j / 3][j % 3], &bits, sizeof bits);
            }
            kiln_send(reading->sender, KILN_ARRAY_POSITIONS, positions, 3);
            kiln_read_face(reading, corners, 3, first + i, 0);
        }
        offset += count * FACET_SIZE;
    }
    KILN_ASSERT(offset == HEADER_SIZE + (uint64_t)facets * FACET_SIZE);
    kiln_read_mesh(reading, "solid", facets, 3 * (uint64_t)facets, 0);
}

/* -- text -- */

typedef struct {
    kiln_reading *reading;
    kiln_lines lines;
    char name[256];           /* of the solid that is being read */
    uint64_t faces, vertices; /* of it */
    uint64_t records;         /* facets so far in the file */
    uint32_t solids;          /* meshes sent */
    kiln_corners corners;     /* of the facet that is being read */
    bool in_solid, in_facet;
} text;

static _Noreturn void fail_line(text *t, const char *what)
{
    kiln_read_fail_line(t->reading, &t->lines, what);
}

static void end_facet(text *t)
{
    if (!t->in_facet)
        return;
    /* More than three corners are cut like any polygon. */
    if (t->corners.count < 3)
        fail_line(t, "a facet has fewer than three vertices");
    kiln_read_face(t->reading, t->corners.items, t->corners.count, t->records, 0);
    t->records++;
    t->faces++;
    t->corners.count = 0;
    t->in_facet = false;
}

/* Ends the solid, if one is begun: a mesh, or a warning when it is empty. Facets outside of any
 * solid make one of the name "solid". */
static void end_solid(text *t)
{
    end_facet(t);
    if (t->in_solid && t->faces == 0) {
        t->reading->facts.empty_meshes++;
        kiln_send_warning(t->reading->sender, "solid \"%s\" has no face", t->name);
    } else if (t->faces > 0) {
        kiln_read_mesh(t->reading, t->name, t->faces, t->vertices, t->solids++);
    }
    t->faces = t->vertices = 0;
    t->in_solid = false;
    strcpy(t->name, "solid");
}

/* The name is the rest of the line. */
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
    double position[3];

    for (int i = 0; i < 3; i++) {
        size_t length;
        const char *token = kiln_token(at, &length);

        if (token == NULL || !kiln_token_number(token, length, &position[i]))
            fail_line(t, "a vertex is not three numbers");
    }
    kiln_read_vertex(t->reading, position);
    kiln_corners_add(t->reading, &t->corners, (uint32_t)t->vertices++);
    t->in_facet = true;
}

static void read_text(kiln_reading *reading)
{
    text t = {.reading = reading, .name = "solid"};
    bool no_memory = !kiln_lines_start(&t.lines, &reading->model, 0, '\0');
    const char *at, *token;
    size_t length;

    while (!no_memory && (at = kiln_lines_next(&t.lines, &length, &no_memory)) != NULL) {
        /* Several statements may share a line, as some writers have it. Unknown words are skipped,
         * and with them "normal", its numbers, and "outer loop". */
        while (at != NULL && (token = kiln_token(&at, &length)) != NULL) {
            if (kiln_token_is(token, length, "vertex")) {
                read_vertex(&t, &at);
            } else if (kiln_token_is(token, length, "facet")) {
                end_facet(&t);
                t.in_facet = true;
            } else if (kiln_token_is(token, length, "endfacet")) {
                end_facet(&t);
            } else if (kiln_token_is(token, length, "solid")) {
                start_solid(&t, at);
                at = NULL; /* the rest of the line is a name */
            } else if (kiln_token_is(token, length, "endsolid")) {
                end_solid(&t);
                at = NULL;
            }
        }
    }
    if (no_memory)
        kiln_read_no_memory(reading);
    if (t.in_facet)
        fail_line(&t, "the file ends within a facet");
    if (t.in_solid)
        kiln_send_warning(reading->sender, "no endsolid: the file may have been cut short");
    end_solid(&t);
    KILN_ASSERT(t.faces == 0 && !t.in_facet);
    free(t.corners.items);
    kiln_lines_end(&t.lines);
}

void kiln_read_stl(kiln_reading *reading)
{
    uint8_t header[HEADER_SIZE] = {0};
    size_t got = kiln_model_read(&reading->model, 0, header, sizeof header);
    uint64_t facets = load_u32(header + 80), size = HEADER_SIZE + facets * FACET_SIZE;
    const char *start = (const char *)header;
    bool text_start;

    kiln_read_default_material(reading);
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
