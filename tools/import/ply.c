/* Polygon File Format, text and binary of both byte orders. A face's number is its place in element
 * `face`; triangles of `tristrips` are numbered as they come. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/memory.h"
#include "reader.h"

typedef enum { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, TYPE_COUNT } type;

typedef enum { ROLE_NONE, ROLE_X, ROLE_Y, ROLE_Z, ROLE_CORNERS } role;

typedef struct {
    type value, count; /* count: of a list */
    bool list;
    role role;
} property;

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
    const char *at; /* text: in the line under way */
    coding coding;
    element *elements;
    size_t element_count, element_capacity;
    property *properties;
    size_t property_count, property_capacity;
    uint8_t block[1 << 16]; /* binary */
    size_t block_at, block_have;
    uint64_t offset; /* of the byte behind the block */
    uint32_t *corners;
    size_t corner_count, corner_capacity;
    uint64_t vertices, records, faces, empty_faces;
} ply;

/* -- header -- */

static _Noreturn void fail(ply *p, const char *what)
{
    kiln_send_failure(p->reading->sender, KILN_BAKE_INVALID, "line %llu: %s; repair the file",
                      (unsigned long long)p->lines.number, what);
}

static type type_of(ply *p, const char *token, size_t length)
{
    static const char *const names[TYPE_COUNT][2] = {
        {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
        {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"},
    };

    for (int i = 0; token != NULL && i < TYPE_COUNT; i++)
        if (kiln_token_is(token, length, names[i][0]) || kiln_token_is(token, length, names[i][1]))
            return (type)i;
    fail(p, "a property of unknown type");
}

static kind kind_of(const char *name)
{
    static const struct {
        const char *name;
        kind kind;
    } known[] = {{"vertex", ELEMENT_VERTEX},
                 {"face", ELEMENT_FACE},
                 {"tristrips", ELEMENT_STRIPS},
                 {"edge", ELEMENT_EDGE}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].kind;
    return ELEMENT_OTHER;
}

static role role_of(const property *of, const char *name, size_t length)
{
    static const char *const axes[] = {"x", "y", "z"};

    if (of->list)
        return kiln_token_is(name, length, "vertex_indices") ||
                       kiln_token_is(name, length, "vertex_index")
                   ? ROLE_CORNERS
                   : ROLE_NONE;
    for (int i = 0; i < 3; i++)
        if (kiln_token_is(name, length, axes[i]))
            return (role)(ROLE_X + i);
    return ROLE_NONE;
}

static void read_element(ply *p, const char *at)
{
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
        fail(p, "an element without a count");
    added->count = (uint64_t)count;
    added->kind = kind_of(added->name);
    added->property_first = p->property_count;
}

static void read_property(ply *p, const char *at)
{
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
        token = kiln_token(&at, &length);
    }
    added->value = type_of(p, token, length);
    token = kiln_token(&at, &length);
    if (token == NULL)
        fail(p, "a property without a name");
    added->role = role_of(added, token, length);
    p->elements[p->element_count - 1].property_count++;
}

static void read_coding(ply *p, const char *at)
{
    size_t length;
    const char *token = kiln_token(&at, &length);

    if (token != NULL && kiln_token_is(token, length, "ascii"))
        p->coding = TEXT;
    else if (token != NULL && kiln_token_is(token, length, "binary_little_endian"))
        p->coding = LITTLE;
    else if (token != NULL && kiln_token_is(token, length, "binary_big_endian"))
        p->coding = BIG;
    else
        fail(p, "an unknown format");
}

static char *header_line(ply *p)
{
    bool no_memory;
    size_t length;
    char *line = kiln_lines_next(&p->lines, &length, &no_memory);

    if (no_memory)
        kiln_read_no_memory(p->reading);
    if (line == NULL)
        fail(p, "the file ends within its header");
    return line;
}

static void read_header(ply *p)
{
    bool done = false, coded = false;
    const char *at = header_line(p);
    size_t length;
    const char *token = kiln_token(&at, &length);

    if (token == NULL || !kiln_token_is(token, length, "ply"))
        fail(p, "no PLY file: it does not begin with \"ply\"");
    while (!done) {
        at = header_line(p);
        token = kiln_token(&at, &length);
        if (token == NULL)
            continue;
        if (kiln_token_is(token, length, "format"))
            read_coding(p, at), coded = true;
        else if (kiln_token_is(token, length, "element"))
            read_element(p, at);
        else if (kiln_token_is(token, length, "property"))
            read_property(p, at);
        else
            done = kiln_token_is(token, length, "end_header");
    }
    if (!coded)
        fail(p, "the header names no format");
}

/* -- values -- */

static _Noreturn void fail_short(ply *p, const element *in)
{
    kiln_send_failure(p->reading->sender, KILN_BAKE_INVALID,
                      "the file ends within its %llu of element \"%s\"; get the whole file",
                      (unsigned long long)in->count, in->name);
}

static double next_text(ply *p, const element *in)
{
    size_t length;
    const char *token;
    double value;

    while ((token = kiln_token(&p->at, &length)) == NULL) {
        bool no_memory;

        p->at = kiln_lines_next(&p->lines, &length, &no_memory);
        if (no_memory)
            kiln_read_no_memory(p->reading);
        if (p->at == NULL)
            fail_short(p, in);
    }
    if (!kiln_token_number(token, length, &value))
        fail(p, "a value is not a number");
    return value;
}

static uint64_t next_bytes(ply *p, const element *in, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++) {
        uint8_t byte;

        if (p->block_at == p->block_have) {
            p->block_have =
                kiln_model_read(&p->reading->model, p->offset, p->block, sizeof p->block);
            p->block_at = 0;
            p->offset += p->block_have;
            if (p->block_have == 0)
                fail_short(p, in);
        }
        byte = p->block[p->block_at++];
        value = p->coding == BIG ? value << 8 | byte : value | (uint64_t)byte << 8 * i;
    }
    return value;
}

static double next_binary(ply *p, const element *in, type of)
{
    static const size_t sizes[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};
    uint64_t bits = next_bytes(p, in, sizes[of]);
    uint32_t half = (uint32_t)bits;
    float single;
    double whole;

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

static double next(ply *p, const element *in, type of)
{
    return p->coding == TEXT ? next_text(p, in) : next_binary(p, in, of);
}

/* -- elements -- */

static void add_corner(ply *p, double index)
{
    void *corners = p->corners;
    bool room = kiln_grow(&corners, &p->corner_capacity, p->corner_count + 1, sizeof(uint32_t));

    p->corners = corners;
    if (!room)
        kiln_read_no_memory(p->reading);
    p->corners[p->corner_count++] =
        index >= 0 && index < (double)KILN_SCENE_NONE && floor(index) == index ? (uint32_t)index
                                                                               : KILN_SCENE_NONE;
}

static void read_list(ply *p, const element *in, const property *of)
{
    double count = next(p, in, of->count);

    if (!(count >= 0 && count <= 4294967295.0))
        fail(p, "a list of impossible length");
    for (uint64_t i = 0; i < (uint64_t)count; i++) {
        double value = next(p, in, of->value);

        if (of->role == ROLE_CORNERS)
            add_corner(p, value);
    }
}

/* Reads one of an element: its corners, and its position where it has one. */
static void read_one(ply *p, const element *in, double position[3])
{
    p->corner_count = 0;
    for (size_t i = 0; i < in->property_count; i++) {
        const property *of = &p->properties[in->property_first + i];

        if (of->list)
            read_list(p, in, of);
        else if (of->role >= ROLE_X && of->role <= ROLE_Z)
            position[of->role - ROLE_X] = next(p, in, of->value);
        else
            next(p, in, of->value);
    }
}

static void end_face(ply *p, const uint32_t *corners, size_t count)
{
    kiln_read_face(p->reading, corners, count, p->records, 0);
    p->records++;
    p->faces += count >= 3;
    p->empty_faces += count == 0;
}

/* Every third corner on, with -1 starting anew; every second triangle runs the other way. */
static void end_strips(ply *p)
{
    size_t run = 0;

    for (size_t i = 0; i < p->corner_count; i++) {
        const uint32_t *c = p->corners + i;

        run = *c == KILN_SCENE_NONE ? 0 : run + 1;
        if (run >= 3) {
            uint32_t corners[3] = {c[-2], c[-1], c[0]};

            if (run % 2 == 0)
                corners[0] = c[-1], corners[1] = c[-2];
            end_face(p, corners, 3);
        }
    }
}

static bool has_role(const ply *p, const element *in, role wanted)
{
    for (size_t i = 0; i < in->property_count; i++)
        if (p->properties[in->property_first + i].role == wanted)
            return true;
    return false;
}

static void read_all(ply *p, const element *in)
{
    double position[3] = {0, 0, 0};

    if (in->kind == ELEMENT_VERTEX &&
        !(has_role(p, in, ROLE_X) && has_role(p, in, ROLE_Y) && has_role(p, in, ROLE_Z)))
        fail(p, "vertices without x, y and z");
    for (uint64_t i = 0; in->property_count > 0 && i < in->count; i++) {
        read_one(p, in, position);
        if (in->kind == ELEMENT_VERTEX) {
            kiln_read_vertex(p->reading, position);
            p->vertices++;
        } else if (in->kind == ELEMENT_FACE) {
            end_face(p, p->corners, p->corner_count);
        } else if (in->kind == ELEMENT_STRIPS) {
            end_strips(p);
        } else if (in->kind == ELEMENT_EDGE) {
            p->reading->facts.lines++;
        }
    }
}

static void send_mesh(ply *p)
{
    kiln_sender *sender = p->reading->sender;
    kiln_scene_mesh mesh = {.face_count = p->faces, .vertex_count = p->vertices};

    if (p->empty_faces > 0)
        kiln_send_warning(sender, "%llu faces have no corner and are left out",
                          (unsigned long long)p->empty_faces);
    if (p->faces == 0 && p->records == 0)
        p->reading->facts.points += p->vertices;
    mesh.name = kiln_send_string(sender, "mesh", 4);
    kiln_send(sender, KILN_ARRAY_MESHES, &mesh, 1);
    kiln_read_place(p->reading, mesh.name, 0);
}

void kiln_read_ply(kiln_reading *reading)
{
    static ply p;

    memset(&p, 0, sizeof p);
    p.reading = reading;
    p.at = "";
    if (!kiln_lines_start(&p.lines, &reading->model, 0, '\0'))
        kiln_read_no_memory(reading);
    kiln_send_u32(reading->sender, KILN_ARRAY_MATERIALS,
                  kiln_send_string(reading->sender, "DefaultMaterial", 15));
    read_header(&p);
    p.offset = kiln_lines_tell(&p.lines);
    for (size_t i = 0; i < p.element_count; i++)
        read_all(&p, &p.elements[i]);
    send_mesh(&p);
    reading->facts.exact = 1;
    free(p.elements);
    free(p.properties);
    free(p.corners);
    kiln_lines_end(&p.lines);
}
