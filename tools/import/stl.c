/* Reader of STL (3D Systems, "StereoLithography Interface Specification", 1989), binary and as
 * text.
 *
 * Binary: 80 bytes of any content, a count, and 50 bytes a facet: a normal, three corners, two
 * unused bytes. Text: one solid or several, each a list of facets of one loop; the keywords decide,
 * and line ends mean nothing but behind the words before a name. A file is taken for binary when
 * its size is that which its count implies; many programs begin the free 80 bytes with "solid", the
 * keyword that begins text.
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
    return (uint32_t)kiln_bytes_number(p, 4, false);
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

/* Where a text is: keywords are errors in other places. A loop ends a facet but for its "endfacet".
 */
typedef enum { BETWEEN, IN_FACET, IN_LOOP, AFTER_LOOP } place;

typedef struct {
    kiln_reading *reading;
    kiln_lines lines;
    const char *at;           /* in the line that is being read */
    char name[256];           /* of the solid that is being read */
    uint64_t faces, vertices; /* of it */
    uint64_t records;         /* facets so far in the file */
    uint32_t solids;          /* meshes sent */
    kiln_corners corners;     /* of the facet that is being read */
    bool in_solid;
    place place;
} text;

static _Noreturn void fail_line(text *t, const char *what)
{
    kiln_read_fail_line(t->reading, &t->lines, what);
}

static _Noreturn void fail_word(text *t, const char *what, const char *word, size_t length)
{
    kiln_read_fail_word(t->reading, &t->lines, what, word, length);
}

static void end_facet(text *t)
{
    if (t->place == BETWEEN)
        return;
    /* More than three corners are cut like any polygon. */
    if (t->corners.count < 3)
        fail_line(t, "a facet has fewer than three vertices");
    kiln_read_face(t->reading, t->corners.items, t->corners.count, t->records, 0);
    t->records++;
    t->faces++;
    t->corners.count = 0;
    t->place = BETWEEN;
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

/* Three numbers on the line of the word "vertex". */
static void read_vertex(text *t)
{
    double position[3];

    for (int i = 0; i < 3; i++) {
        size_t length;
        const char *token = kiln_token(&t->at, &length);

        if (token == NULL || !kiln_token_number(token, length, &position[i]))
            fail_word(t, "a vertex must be three numbers", token, length);
    }
    kiln_read_vertex(t->reading, position);
    kiln_corners_add(t->reading, &t->corners, (uint32_t)t->vertices++);
}

/* The numbers of a normal are not used, since the corners tell it: whatever writers put on its line
 * for one that is undefined, up to the next keyword. */
static void skip_normal(text *t)
{
    const char *rest = t->at, *token;
    size_t length;

    for (int i = 0; i < 3 && (token = kiln_token(&rest, &length)) != NULL; i++) {
        if (kiln_token_is(token, length, "outer") || kiln_token_is(token, length, "vertex"))
            return;
        t->at = rest;
    }
}

/* The rest of a line, but for a vertex, which would be lost with it. */
static void skip_name(text *t)
{
    const char *token;
    size_t length;

    while ((token = kiln_token(&t->at, &length)) != NULL)
        if (kiln_token_is(token, length, "vertex"))
            fail_line(t, "a vertex in the name of a solid, which takes the rest of its line");
}

/* "end" alone takes the word that follows it: some writers part them. */
static bool ends(text *t, const char *token, size_t length, const char *word)
{
    const char *rest = t->at;
    bool is =
        length > 3 && kiln_token_is(token, 3, "end") && kiln_token_is(token + 3, length - 3, word);

    if (!is && kiln_token_is(token, length, "end")) {
        token = kiln_token(&rest, &length);
        is = token != NULL && kiln_token_is(token, length, word);
        if (is)
            t->at = rest;
    }
    return is;
}

/* Comments are no part of the format, but some programs write them. */
static bool is_comment(const char *token)
{
    return token[0] == '#' || token[0] == ';' || (token[0] == '/' && token[1] == '/');
}

/* One statement, which begins with `token`. */
static void read_statement(text *t, const char *token, size_t length)
{
    if (kiln_token_is(token, length, "vertex")) {
        if (t->place != IN_FACET && t->place != IN_LOOP)
            fail_line(t, "a vertex outside of the loop of a facet");
        t->place = IN_LOOP;
        read_vertex(t);
    } else if (kiln_token_is(token, length, "facet")) {
        end_facet(t); /* "endfacet" may be missing */
        t->place = IN_FACET;
    } else if (kiln_token_is(token, length, "normal") && t->place == IN_FACET) {
        skip_normal(t);
    } else if (kiln_token_is(token, length, "outer")) {
        token = kiln_token(&t->at, &length);
        if (token == NULL || !kiln_token_is(token, length, "loop"))
            fail_word(t, "\"outer\" must be followed by \"loop\"", token, length);
        if (t->place != IN_FACET)
            fail_line(t, t->place == BETWEEN ? "a loop outside of a facet"
                                             : "a second loop in one facet");
        t->place = IN_LOOP;
    } else if (ends(t, token, length, "loop")) {
        if (t->place != IN_LOOP)
            fail_line(t, "the end of a loop that was not begun");
        t->place = AFTER_LOOP;
    } else if (ends(t, token, length, "facet")) {
        if (t->place == BETWEEN)
            fail_line(t, "the end of a facet that was not begun");
        end_facet(t);
    } else if (ends(t, token, length, "solid")) {
        end_solid(t);
        skip_name(t); /* the rest of the line is a name, as it is behind "solid" */
    } else if (length >= 5 && kiln_token_is(token, 5, "solid") && t->place == BETWEEN) {
        start_solid(t, token + 5);
        skip_name(t);
    } else if (is_comment(token) || kiln_token_is(token, length, "color")) {
        t->at = "";
    } else {
        fail_word(t, "a keyword must stand here", token, length);
    }
}

static void read_text(kiln_reading *reading)
{
    text t = {.reading = reading, .name = "solid"};
    const char *token;
    size_t length;

    if (!kiln_lines_start(&t.lines, &reading->model, 0, NULL))
        kiln_read_no_memory(reading);
    /* Several statements may share a line, as some writers have it. */
    while ((t.at = kiln_read_line(reading, &t.lines)) != NULL)
        while ((token = kiln_token(&t.at, &length)) != NULL)
            read_statement(&t, token, length);
    if (t.place != BETWEEN)
        fail_line(&t, "the file ends within a facet");
    if (t.in_solid)
        kiln_send_warning(reading->sender, "no endsolid: the file may have been cut short");
    end_solid(&t);
    KILN_ASSERT(t.faces == 0 && t.corners.count == 0);
    free(t.corners.items);
    kiln_lines_end(&t.lines);
}

/* Whether the first word of the text is "solid". No byte of its beginning may be zero, which text
 * has none of and a count of binary facets below 2^24 has, but for UTF-16, which a mark shows. */
static bool starts_as_text(kiln_reading *reading, const uint8_t *header, size_t got)
{
    const bool wide =
        got >= 2 && (memcmp(header, "\xFF\xFE", 2) == 0 || memcmp(header, "\xFE\xFF", 2) == 0);
    kiln_lines lines;
    const char *line, *token = NULL;
    size_t length = 0;
    bool no_memory = false, solid;

    if (!wide && memchr(header, '\0', got) != NULL)
        return false;
    if (!kiln_lines_start(&lines, &reading->model, 0, NULL))
        kiln_read_no_memory(reading);
    while ((token == NULL || is_comment(token)) &&
           (line = kiln_lines_next(&lines, &length, &no_memory)) != NULL)
        token = kiln_token(&line, &length);
    if (no_memory)
        kiln_read_no_memory(reading);
    solid = token != NULL && length >= 5 && kiln_token_is(token, 5, "solid");
    kiln_lines_end(&lines);
    return solid;
}

void kiln_read_stl(kiln_reading *reading)
{
    uint8_t header[HEADER_SIZE] = {0};
    size_t got = kiln_model_read(&reading->model, 0, header, sizeof header);
    uint64_t facets = load_u32(header + 80), size = HEADER_SIZE + facets * FACET_SIZE;

    kiln_read_default_material(reading);
    reading->facts.exact = 1;
    /* Many programs begin the header of a binary file with "solid", too: the size decides first. */
    if (got == HEADER_SIZE && size == reading->model.size) {
        read_binary(reading, (uint32_t)facets);
    } else if (starts_as_text(reading, header, got)) {
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
