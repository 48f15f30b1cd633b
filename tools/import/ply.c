/* Reader of PLY, the Polygon File Format (Greg Turk, "The PLY Polygon File Format", Stanford, 1994;
 * with the types named int8 to float64 of later writers), as text and in binary of both byte
 * orders.
 *
 * The header lists elements with a count and properties, each a number or a list of numbers. So the
 * reader is a small interpreter: it goes through the elements in order and through the properties
 * of each, and keeps those that have a role here: x, y and z of `vertex`, the list of corners of
 * `face` and of `tristrips`. All else is read and dropped. A face's number is its place in element
 * `face`; triangles of `tristrips` are numbered as they come. A file without a record of faces is a
 * set of points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "../common/memory.h"
#include "reader.h"

/* The types of values, in the order of their names below. */
typedef enum { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, TYPE_COUNT } type;

/* What a property is to this reader. */
typedef enum { ROLE_NONE, ROLE_X, ROLE_Y, ROLE_Z, ROLE_CORNERS } role;

typedef struct {
    type value, count; /* count: of a list */
    bool list;
    role role;
    char name[64];
} property;

/* What an element is to this reader. The others are read and dropped. */
typedef enum { ELEMENT_OTHER, ELEMENT_VERTEX, ELEMENT_FACE, ELEMENT_STRIPS, ELEMENT_EDGE } kind;

typedef struct {
    kind kind;
    char name[64];
    uint64_t count;
    size_t property_first, property_count;
} element;

typedef enum { TEXT, LITTLE, BIG } coding;

typedef struct {
    kiln_reading *reading;
    kiln_lines lines;
    const char *at; /* text: in the line that is being read */
    coding coding;
    element *elements;
    size_t element_count, element_capacity;
    property *properties;
    size_t property_count, property_capacity;
    uint8_t block[1 << 16]; /* binary */
    size_t block_at, block_have;
    uint64_t offset;      /* of the byte after the block */
    kiln_corners corners; /* of the face or strips that are being read */
    uint64_t vertices, records, faces, empty_faces;
    uint64_t uneven, uneven_line; /* text: rows that end within a line, the first such line */
} ply;

/* -- header -- */

/* Lines are counted in the header, and in text after it. */
static _Noreturn void fail(ply *p, const char *what)
{
    kiln_read_fail_line(p->reading, &p->lines, what);
}

static _Noreturn void fail_word(ply *p, const char *what, const char *word, size_t length)
{
    kiln_read_fail_word(p->reading, &p->lines, what, word, length);
}

/* Both families of names; some writers mix them. */
static type type_of(ply *p, const char *token, size_t length)
{
    static const char *const names[TYPE_COUNT][2] = {
        {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
        {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"},
    };

    for (int i = 0; token != NULL && i < TYPE_COUNT; i++)
        if (kiln_token_is(token, length, names[i][0]) || kiln_token_is(token, length, names[i][1]))
            return (type)i;
    fail_word(p, "a property must have a type of the format, char to double or int8 to float64",
              token, length);
}

/* "element NAME COUNT". The count is not trusted: nothing is allocated by it. */
static void read_element(ply *p, const char *at)
{
    static const struct {
        const char *name;
        kind kind;
    } known[] = {{"vertex", ELEMENT_VERTEX},
                 {"face", ELEMENT_FACE},
                 {"tristrips", ELEMENT_STRIPS},
                 {"edge", ELEMENT_EDGE}};
    size_t length;
    const char *name = kiln_token(&at, &length);
    void *elements = p->elements;
    bool room = kiln_grow(&elements, &p->element_capacity, p->element_count + 1, sizeof(element));
    element *added;
    int64_t count;

    p->elements = elements;
    if (!room)
        kiln_read_no_memory(p->reading);
    if (name == NULL || length >= sizeof added->name)
        fail(p, "an element without a name");
    added = &p->elements[p->element_count++];
    memset(added, 0, sizeof *added);
    memcpy(added->name, name, length);
    name = kiln_token(&at, &length);
    if (name == NULL || !kiln_token_integer(name, length, &count) || count < 0)
        fail_word(p, "an element must have a count", name, length);
    if (kiln_token(&at, &length) != NULL)
        fail(p, "words behind the count of an element");
    for (size_t i = 0; i + 1 < p->element_count; i++)
        if (strcmp(p->elements[i].name, added->name) == 0)
            fail(p, "an element that was there before");
    added->count = (uint64_t)count;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, added->name) == 0)
            added->kind = known[i].kind;
    added->property_first = p->property_count;
}

/* "property TYPE NAME" or "property list TYPE TYPE NAME", of the last element: so the properties of
 * one element stand together. */
static void read_property(ply *p, const char *at)
{
    static const char *const axes[] = {"x", "y", "z"};
    size_t length;
    const char *token = kiln_token(&at, &length);
    void *properties = p->properties;
    bool room =
        kiln_grow(&properties, &p->property_capacity, p->property_count + 1, sizeof(property));
    property *added;

    p->properties = properties;
    if (!room)
        kiln_read_no_memory(p->reading);
    if (p->element_count == 0)
        fail(p, "a property before any element");
    added = &p->properties[p->property_count++];
    memset(added, 0, sizeof *added);
    added->list = token != NULL && kiln_token_is(token, length, "list");
    if (added->list) {
        token = kiln_token(&at, &length);
        added->count = type_of(p, token, length);
        if (added->count == FLOAT32 || added->count == FLOAT64)
            fail_word(p, "a list must have a count of a whole type", token, length);
        token = kiln_token(&at, &length);
    }
    /* The type of a number, or of the values of a list. */
    added->value = type_of(p, token, length);
    token = kiln_token(&at, &length);
    if (token == NULL || length >= sizeof added->name)
        fail(p, "a property without a name, or with one of more than 63 letters");
    memcpy(added->name, token, length);
    if (added->list && (kiln_token_is(token, length, "vertex_indices") ||
                        kiln_token_is(token, length, "vertex_index")))
        added->role = ROLE_CORNERS;
    for (int i = 0; !added->list && i < 3; i++)
        if (kiln_token_is(token, length, axes[i]))
            added->role = (role)(ROLE_X + i);
    /* Two of one name or of one role: which of them is meant is not known. */
    for (size_t i = p->elements[p->element_count - 1].property_first; i + 1 < p->property_count;
         i++)
        if (strcmp(p->properties[i].name, added->name) == 0 ||
            (added->role != ROLE_NONE && p->properties[i].role == added->role))
            fail_word(p, "an element must have each property once", token, length);
    if (kiln_token(&at, &length) != NULL)
        fail(p, "words behind the name of a property");
    p->elements[p->element_count - 1].property_count++;
    KILN_ASSERT(p->elements[p->element_count - 1].property_first +
                    p->elements[p->element_count - 1].property_count ==
                p->property_count);
}

/* The next line of the header, which has to be there. */
static char *header_line(ply *p)
{
    char *line = kiln_read_line(p->reading, &p->lines);

    if (line == NULL)
        fail(p, "the file ends within its header");
    return line;
}

/* Up to the line "end_header". The first line shows how lines end: after a CR alone a LF is data.
 */
static void read_header(ply *p)
{
    bool done = false, coded = false;
    const char *at = header_line(p);
    size_t length;
    const char *token = kiln_token(&at, &length);

    /* The first line is the magic number of the format. */
    if (token == NULL || !kiln_token_is(token, length, "ply"))
        fail(p, "no PLY file: it does not begin with \"ply\"");
    p->lines.cr_alone = p->lines.end == '\r';
    /* Elements and their properties, in order; each property belongs to the last element. */
    while (!done) {
        at = header_line(p);
        token = kiln_token(&at, &length);
        if (token == NULL)
            continue;
        if (kiln_token_is(token, length, "format")) {
            const char *name = kiln_token(&at, &length);

            if (coded)
                fail(p, "a second format");
            coded = true;
            if (name != NULL && kiln_token_is(name, length, "ascii"))
                p->coding = TEXT;
            else if (name != NULL && kiln_token_is(name, length, "binary_little_endian"))
                p->coding = LITTLE;
            else if (name != NULL && kiln_token_is(name, length, "binary_big_endian"))
                p->coding = BIG;
            else
                fail_word(p, "the format must be ascii, binary_little_endian or binary_big_endian",
                          name, length);
        } else if (kiln_token_is(token, length, "element")) {
            read_element(p, at);
        } else if (kiln_token_is(token, length, "property")) {
            read_property(p, at);
        } else if (kiln_token_is(token, length, "end_header")) {
            done = true;
        } else if (!kiln_token_is(token, length, "comment") &&
                   !kiln_token_is(token, length, "obj_info")) {
            /* A word that is none may be a comment that lost its first word. */
            kiln_send_warning(
                p->reading->sender,
                "line %llu of the header begins with \"%.*s\", no word of the format: "
                "it is skipped",
                (unsigned long long)p->lines.number, (int)(length < 40 ? length : 40), token);
        }
    }
    /* Without a format, text or binary would be a guess. */
    if (!coded)
        fail(p, "the header names no format");
}

/* -- values -- */

/* Binary data has no lines to name. */
static _Noreturn void fail_short(ply *p, const element *in)
{
    kiln_send_failure(p->reading->sender, KILN_BAKE_INVALID,
                      "the file ends within its %llu of element \"%s\"; get the whole file",
                      (unsigned long long)in->count, in->name);
}

/* Byte by byte from a block of the file: values are not aligned. */
static double next_binary(ply *p, const element *in, type of)
{
    static const size_t sizes[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};
    uint64_t bits = 0;
    uint32_t half;
    float single;
    double whole;

    KILN_ASSERT(of < TYPE_COUNT && p->coding != TEXT);
    for (size_t i = 0; i < sizes[of]; i++) {
        uint8_t byte;

        if (p->block_at == p->block_have) {
            p->block_have =
                kiln_model_read(&p->reading->model, p->offset, p->block, sizeof p->block);
            p->block_at = 0;
            p->offset += p->block_have;
            if (p->block_have == 0)
                fail_short(p, in);
        }
        KILN_ASSERT(p->block_at < p->block_have);
        byte = p->block[p->block_at++];
        bits = p->coding == BIG ? bits << 8 | byte : bits | (uint64_t)byte << 8 * i;
    }
    /* Bits to values. Conversions to narrower signed types keep the low bits, in two's complement.
     */
    half = (uint32_t)bits;
    switch (of) {
    case INT8:
        return (double)(int8_t)bits;
    case INT16:
        return (double)(int16_t)bits;
    case INT32:
        return (double)(int32_t)bits;
    case FLOAT32:
        memcpy(&single, &half, sizeof single);
        return (double)single;
    case FLOAT64:
        memcpy(&whole, &bits, sizeof whole);
        return whole;
    default:
        return (double)bits;
    }
}

/* The next value of an element. Every type of PLY is a double without loss. In text, the values of
 * one element may share lines or be spread over several. */
static double next(ply *p, const element *in, type of)
{
    const char *token;
    size_t length;
    double value;

    if (p->coding != TEXT)
        return next_binary(p, in, of);
    while ((token = kiln_token(&p->at, &length)) == NULL) {
        p->at = kiln_read_line(p->reading, &p->lines);
        if (p->at == NULL)
            fail_short(p, in);
    }
    if (!kiln_token_number(token, length, &value))
        fail_word(p, "a value must be a number", token, length);
    return value;
}

/* -- elements -- */

/* Reads the values of a list. Those that can be no index become one that no vertex has, so that the
 * face is reported. */
static void read_list(ply *p, const element *in, const property *of, double count)
{
    if (!(count >= 0 && count <= 4294967295.0) || floor(count) != count)
        kiln_send_failure(p->reading->sender, KILN_BAKE_INVALID,
                          "element \"%s\" has a list \"%s\" of length %g; repair the file",
                          in->name, of->name, count);
    for (uint64_t i = 0; i < (uint64_t)count; i++) {
        const double value = next(p, in, of->value);
        const bool index = value >= 0 && value < (double)KILN_SCENE_NONE && floor(value) == value;

        if (of->role == ROLE_CORNERS)
            kiln_corners_add(p->reading, &p->corners, index ? (uint32_t)value : KILN_SCENE_NONE);
    }
}

/* Faces of one or two corners are numbered too. */
static void end_face(ply *p, const uint32_t *corners, size_t count)
{
    kiln_read_face(p->reading, corners, count, p->records, 0);
    p->records++;
    p->faces += count >= 3;
    p->empty_faces += count == 0;
}

/* Strips: each corner from the third on makes a triangle with the two before it, and -1 starts a
 * new strip. Every second triangle runs the other way. */
static void end_strips(ply *p)
{
    size_t run = 0;

    for (size_t i = 0; i < p->corners.count; i++) {
        const uint32_t *c = p->corners.items + i;

        run = *c == KILN_SCENE_NONE ? 0 : run + 1;
        if (run >= 3) {
            KILN_ASSERT(i >= 2);
            uint32_t corners[3] = {c[-2], c[-1], c[0]};

            if (run % 2 == 0)
                corners[0] = c[-1], corners[1] = c[-2];
            end_face(p, corners, 3);
        }
    }
}

/* Whether an element has a property of a role. */
static bool has_role(const ply *p, const element *in, role wanted)
{
    for (size_t i = 0; i < in->property_count; i++)
        if (p->properties[in->property_first + i].role == wanted)
            return true;
    return false;
}

/* A row of text that ends within a line: what follows counts as the next row. The format has a row
 * a line; a count of properties that lies shows here. */
static void note_uneven(ply *p)
{
    const char *rest = p->at;
    size_t length;

    if (p->coding != TEXT || kiln_token(&rest, &length) == NULL)
        return;
    if (p->uneven++ == 0)
        p->uneven_line = p->lines.number;
}

/* Reads all of an element. */
static void read_all(ply *p, const element *in)
{
    double position[3] = {0, 0, 0};

    KILN_ASSERT(in->property_first + in->property_count <= p->property_count);
    if (in->kind == ELEMENT_VERTEX &&
        !(has_role(p, in, ROLE_X) && has_role(p, in, ROLE_Y) && has_role(p, in, ROLE_Z)))
        fail(p, "vertices without x, y and z");
    /* Without properties there is nothing to read, however many the header says there are. */
    for (uint64_t i = 0; in->property_count > 0 && i < in->count; i++) {
        p->corners.count = 0;
        for (size_t j = 0; j < in->property_count; j++) {
            const property *of = &p->properties[in->property_first + j];
            const double number = next(p, in, of->list ? of->count : of->value);

            if (of->list)
                read_list(p, in, of, number);
            else if (of->role >= ROLE_X && of->role <= ROLE_Z)
                position[of->role - ROLE_X] = number;
        }
        note_uneven(p);
        switch (in->kind) {
        case ELEMENT_VERTEX:
            if (p->coding == TEXT)
                kiln_read_note_line(p->reading, position, p->lines.number);
            kiln_read_vertex(p->reading, position);
            p->vertices++;
            break;
        case ELEMENT_FACE:
            end_face(p, p->corners.items, p->corners.count);
            break;
        case ELEMENT_STRIPS:
            end_strips(p);
            break;
        case ELEMENT_EDGE:
            p->reading->facts.lines++;
            break;
        case ELEMENT_OTHER:
            break;
        }
    }
}

/* Elements that may be faces under another name, and faces without corners, are named: that a file
 * has no face would be the wrong reason. */
static void check_elements(ply *p)
{
    bool faces = false;

    for (size_t i = 0; i < p->element_count; i++)
        faces = faces ||
                ((p->elements[i].kind == ELEMENT_FACE || p->elements[i].kind == ELEMENT_STRIPS) &&
                 p->elements[i].count > 0);
    for (size_t i = 0; i < p->element_count; i++) {
        const element *in = &p->elements[i];
        const property *list = NULL;

        for (size_t j = 0; j < in->property_count && list == NULL; j++)
            if (p->properties[in->property_first + j].list)
                list = &p->properties[in->property_first + j];
        if (in->count == 0)
            continue;
        if ((in->kind == ELEMENT_FACE || in->kind == ELEMENT_STRIPS) &&
            !has_role(p, in, ROLE_CORNERS))
            kiln_send_failure(p->reading->sender, KILN_BAKE_INVALID,
                              "element \"%s\" has no list \"vertex_indices\" or "
                              "\"vertex_index\"%s%s%s; rename the list of its corners",
                              in->name, list != NULL ? ", but \"" : "",
                              list != NULL ? list->name : "", list != NULL ? "\"" : "");
        if (in->kind == ELEMENT_OTHER && list != NULL && !faces)
            kiln_send_failure(p->reading->sender, KILN_BAKE_INVALID,
                              "there is no element \"face\", but \"%s\" with its list \"%s\"; name "
                              "it \"face\" if it is the faces",
                              in->name, list->name);
        if (in->kind == ELEMENT_OTHER && list != NULL)
            kiln_send_warning(p->reading->sender,
                              "element \"%s\" with its list \"%s\" is none that is read: its rows "
                              "(%llu) are left out",
                              in->name, list->name, (unsigned long long)in->count);
    }
}

/* What follows the last element, which the counts of the header do not speak of. */
static void warn_of_rest(ply *p)
{
    uint64_t used = p->offset - (p->block_have - p->block_at), line = 0, rows = 0;
    const uint64_t size = p->reading->model.size;
    size_t length;

    if (p->coding != TEXT) {
        /* Some programs end a binary file as they end a text. */
        uint8_t rest[2];
        const size_t got =
            size - used <= 2 ? kiln_model_read(&p->reading->model, used, rest, 2) : 0;

        if (size > used &&
            !(got > 0 && (rest[0] == '\r' || rest[0] == '\n') && rest[got - 1] == '\n'))
            kiln_send_warning(
                p->reading->sender, "%llu byte%s the last element of the header and are left out",
                (unsigned long long)(size - used), size - used == 1 ? " follows" : "s follow");
        return;
    }
    for (; p->at != NULL; p->at = kiln_read_line(p->reading, &p->lines))
        if (kiln_token(&p->at, &length) != NULL && rows++ == 0)
            line = p->lines.number;
    if (rows > 0)
        kiln_send_warning(p->reading->sender,
                          "%llu more line%s, from line %llu on, are not of the last element of the "
                          "header and are left out",
                          (unsigned long long)rows, rows == 1 ? "" : "s", (unsigned long long)line);
}

void kiln_read_ply(kiln_reading *reading)
{
    static ply p; /* too large for the stack of some threads; a process reads one model */

    memset(&p, 0, sizeof p);
    p.reading = reading;
    p.at = "";
    if (!kiln_lines_start(&p.lines, &reading->model, 0, NULL))
        kiln_read_no_memory(reading);
    kiln_read_default_material(reading);
    read_header(&p);
    check_elements(&p);
    /* Binary data starts right after the line end of the header. */
    p.offset = kiln_lines_tell(&p.lines);
    for (size_t i = 0; i < p.element_count; i++)
        read_all(&p, &p.elements[i]);
    warn_of_rest(&p);
    if (p.uneven > 0)
        kiln_send_warning(reading->sender,
                          "%llu row%s within a line, the first in line %llu: the rest of the line "
                          "counts as the next row",
                          (unsigned long long)p.uneven, p.uneven == 1 ? " ends" : "s end",
                          (unsigned long long)p.uneven_line);
    /* All vertices belong to the one mesh of the file. */
    kiln_read_warn_empty(reading, p.empty_faces);
    reading->facts.cloud = p.records == 0 && p.vertices > 0;
    kiln_read_mesh(reading, "mesh", p.faces, p.vertices, 0);
    reading->facts.exact = 1;
    free(p.elements);
    free(p.properties);
    free(p.corners.items);
    kiln_lines_end(&p.lines);
}
