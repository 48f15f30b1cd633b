/* Documents of Collada (Khronos, "COLLADA - Digital Asset Schema Release", 1.4.1, 2008, and 1.5.0,
 * 2008, which is ISO/PAS 17506), by expat (xml.c).
 *
 * One pass over the XML keeps the elements on which geometry rests, each within those where the
 * schema has it. What the schema has for other purposes is skipped, and so is what lies in <extra>
 * and <technique>. Whatever else stands there is warned of, since a misspelled element might be
 * geometry.
 *
 * Numbers become numbers as they come in, whatever the parts in which expat gives the text, and lie
 * in one list for all elements: memory is in proportion to the file, and an element of few numbers,
 * of which there may be many, has no allocation of its own. An element takes 72 bytes and those of
 * its attributes, a number 8 and an index 4, about as many as its text.
 *
 * A word may be cut between two parts of the text, by a comment or the end of a block: its start is
 * kept until the rest has come. What expands to more than was written (entities in entities) is
 * limited by expat. */
#define _POSIX_C_SOURCE 200809L
#include "document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../../formats/assert.h"
#include "../../common/memory.h"
#include "../xml.h"

enum { WARNINGS_MOST = 20 };

_Static_assert((int)DAE_TAG_COUNT <= 64, "tags are bits of a set");

typedef enum { NO_TEXT, NUMBERS, WHOLES, WORDS, TEXT, CLOSED } content;

#define PRIMITIVES " triangles trifans tristrips polylist polygons lines linestrips "

/* How often it may stand in its parent. */
typedef enum { ANY, ONCE } often;

/* CLOSED: what is in it is skipped. Parents with a blank around each; "*": any. */
static const struct {
    const char *name;
    content content;
    often often;
    const char *parents;
} rows[DAE_TAG_COUNT] = {
    {"COLLADA", NO_TEXT, ANY, ""},
    {"asset", NO_TEXT, ONCE, "*"},
    {"unit", NO_TEXT, ONCE, " asset "},
    {"up_axis", TEXT, ONCE, " asset "},
    {"library_geometries", NO_TEXT, ANY, " COLLADA "},
    {"library_controllers", NO_TEXT, ANY, " COLLADA "},
    {"library_nodes", NO_TEXT, ANY, " COLLADA "},
    {"library_visual_scenes", NO_TEXT, ANY, " COLLADA "},
    {"library_materials", NO_TEXT, ANY, " COLLADA "},
    {"geometry", NO_TEXT, ANY, " library_geometries "},
    {"mesh", NO_TEXT, ONCE, " geometry "},
    {"convex_mesh", NO_TEXT, ONCE, " geometry "},
    {"spline", CLOSED, ONCE, " geometry "},
    {"brep", CLOSED, ONCE, " geometry "},
    {"source", NO_TEXT, ANY, " mesh convex_mesh skin morph "},
    {"float_array", NUMBERS, ANY, " source "},
    {"int_array", NUMBERS, ANY, " source "},
    {"bool_array", CLOSED, ANY, " source "},
    {"Name_array", WORDS, ANY, " source "},
    {"IDREF_array", WORDS, ANY, " source "},
    {"SIDREF_array", WORDS, ANY, " source "},
    {"token_array", WORDS, ANY, " source "},
    {"technique_common", NO_TEXT, ONCE, " source bind_material "},
    {"accessor", NO_TEXT, ONCE, " technique_common "},
    {"param", CLOSED, ANY, " accessor "},
    {"vertices", NO_TEXT, ONCE, " mesh convex_mesh "},
    {"input", NO_TEXT, ANY, " vertices joints vertex_weights targets" PRIMITIVES},
    {"triangles", NO_TEXT, ANY, " mesh convex_mesh "},
    {"trifans", NO_TEXT, ANY, " mesh convex_mesh "},
    {"tristrips", NO_TEXT, ANY, " mesh convex_mesh "},
    {"polylist", NO_TEXT, ANY, " mesh convex_mesh "},
    {"polygons", NO_TEXT, ANY, " mesh convex_mesh "},
    {"lines", NO_TEXT, ANY, " mesh convex_mesh "},
    {"linestrips", NO_TEXT, ANY, " mesh convex_mesh "},
    {"p", WHOLES, ANY, " ph" PRIMITIVES},
    {"ph", NO_TEXT, ANY, " polygons "},
    {"h", WHOLES, ANY, " ph "},
    {"vcount", WHOLES, ONCE, " polylist vertex_weights "},
    {"controller", NO_TEXT, ANY, " library_controllers "},
    {"skin", NO_TEXT, ONCE, " controller "},
    {"morph", NO_TEXT, ONCE, " controller "},
    {"bind_shape_matrix", NUMBERS, ONCE, " skin "},
    {"joints", NO_TEXT, ONCE, " skin "},
    {"vertex_weights", NO_TEXT, ONCE, " skin "},
    {"v", WHOLES, ONCE, " vertex_weights "},
    {"targets", NO_TEXT, ONCE, " morph "},
    {"node", NO_TEXT, ANY, " library_nodes visual_scene node "},
    {"matrix", NUMBERS, ANY, " node "},
    {"translate", NUMBERS, ANY, " node "},
    {"rotate", NUMBERS, ANY, " node "},
    {"scale", NUMBERS, ANY, " node "},
    {"skew", NUMBERS, ANY, " node "},
    {"lookat", NUMBERS, ANY, " node "},
    {"instance_geometry", NO_TEXT, ANY, " node "},
    {"instance_controller", NO_TEXT, ANY, " node "},
    {"instance_node", NO_TEXT, ANY, " node "},
    {"skeleton", TEXT, ANY, " instance_controller "},
    {"bind_material", NO_TEXT, ONCE, " instance_geometry instance_controller "},
    {"instance_material", CLOSED, ANY, " technique_common "},
    {"material", CLOSED, ANY, " library_materials "},
    {"visual_scene", NO_TEXT, ANY, " library_visual_scenes "},
    {"scene", NO_TEXT, ONCE, " COLLADA "},
    {"instance_visual_scene", CLOSED, ONCE, " scene "},
};

/* Elements that Collada has for what no triangle depends on. Within an <asset> there are others. */
static const char no_geometry[] =
    " extra technique param newparam setparam evaluate_scene instance_camera instance_light "
    "instance_physics_scene instance_kinematics_scene library_animations library_animation_clips "
    "library_articulated_systems library_cameras library_effects library_force_fields "
    "library_formulas library_images library_joints library_kinematics_models "
    "library_kinematics_scenes library_lights library_physics_materials library_physics_models "
    "library_physics_scenes ";

const char *kiln_dae_name(dae_tag tag)
{
    KILN_ASSERT(tag < DAE_TAG_COUNT);
    return rows[tag].name;
}

/* Whether a list with blanks around its words has the word. */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = list; length > 0 && (at = strstr(at, word)) != NULL; at++)
        if (at > list && at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

/* -- messages -- */

enum { MESSAGE_SIZE = 1024 };

/* Every message begins with the line and the tag, by which it is found in the file. */
static void compose(const dae *d, uint32_t element, char to[MESSAGE_SIZE], const char *format,
                    va_list arguments)
{
    const dae_element *e = &d->elements[element];
    const int length = snprintf(to, MESSAGE_SIZE, "line %llu: <%s> ", (unsigned long long)e->line,
                                rows[e->tag].name);

    KILN_ASSERT(element < d->count && length > 0 && length < MESSAGE_SIZE);
    vsnprintf(to + length, (size_t)(MESSAGE_SIZE - length), format, arguments);
}

_Noreturn void kiln_dae_fail(const dae *d, uint32_t element, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    compose(d, element, message, format, arguments);
    va_end(arguments);
    kiln_send_failure(d->reading->sender, KILN_BAKE_INVALID, "%s", message);
}

_Noreturn void kiln_dae_fail_unsupported(const dae *d, uint32_t element, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    compose(d, element, message, format, arguments);
    va_end(arguments);
    kiln_send_failure(d->reading->sender, KILN_BAKE_UNSUPPORTED, "%s", message);
}

void kiln_dae_warn(const dae *d, uint32_t element, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    compose(d, element, message, format, arguments);
    va_end(arguments);
    kiln_send_warning(d->reading->sender, "%s", message);
}

void *kiln_dae_alloc(const dae *d, uint64_t count, uint64_t size)
{
    void *items = count <= SIZE_MAX / size ? calloc((size_t)count + 1, (size_t)size) : NULL;

    if (items == NULL)
        kiln_read_no_memory(d->reading);
    return items;
}

/* -- parsing -- */

typedef struct {
    dae *d;
    const kiln_xml *xml;
    uint32_t at;      /* the innermost element that is kept and open, or DAE_NONE */
    unsigned skipped; /* how many elements are open within it that are not kept */
    bool in_physics;  /* the outermost of those is a library of physics */
    char separator;   /* ends what stands before the names: a namespace, or a prefix */
    char *before;     /* names of Collada, with the separator; "": nothing */
    char *word;       /* the start of a word that goes on in the next part of the text */
    size_t length, capacity;
    bool has_commas;    /* a number had one, which was warned of */
    unsigned strangers; /* elements and words warned of */
} parser;

void *kiln_dae_grow(const dae *d, void *items, size_t *capacity, size_t needed, size_t size)
{
    if (!kiln_grow(&items, capacity, needed, size))
        kiln_read_no_memory(d->reading);
    return items;
}

/* Appends to the text; returns where it begins. */
static size_t put_text(dae *d, const char *text, size_t length)
{
    const size_t at = d->text_size;

    KILN_ASSERT(at <= SIZE_MAX - length);
    d->text = kiln_dae_grow(d, d->text, &d->text_capacity, at + length, 1);
    memcpy(d->text + at, text, length);
    d->text_size += length;
    return at;
}

/* Ends the work for a word of the element that is open, which is shown. */
static _Noreturn void fail_word(const parser *p, const char *what, const char *word, size_t length)
{
    const int most = 40;

    kiln_send_failure(p->d->reading->sender, KILN_BAKE_INVALID,
                      "line %llu: <%s> has \"%.*s%s\", which is %s; repair the file",
                      (unsigned long long)kiln_xml_line(p->xml),
                      rows[p->d->elements[p->at].tag].name, length > 40 ? most : (int)length, word,
                      length > 40 ? "..." : "", what);
}

/* A number whose decimals have a comma: some exporters write so where their users do. Blanks part
 * the numbers, so that it can mean nothing else. */
static bool take_comma(parser *p, const char *word, size_t length, double *value)
{
    char with_point[64];
    const char *comma = memchr(word, ',', length);

    if (comma == NULL || length >= sizeof with_point)
        return false;
    memcpy(with_point, word, length);
    with_point[comma - word] = '.';
    if (!kiln_token_number(with_point, length, value))
        return false;
    if (!p->has_commas)
        kiln_send_warning(p->d->reading->sender,
                          "line %llu: <%s> has \"%.*s\", with a comma; here and elsewhere it is "
                          "taken for a decimal point",
                          (unsigned long long)kiln_xml_line(p->xml),
                          rows[p->d->elements[p->at].tag].name, (int)length, word);
    p->has_commas = true;
    return true;
}

/* Takes a whole word of the element that is open. */
static void take_word(parser *p, const char *word, size_t length)
{
    dae *d = p->d;
    dae_element *e = &d->elements[p->at];

    switch (rows[e->tag].content) {
    case NUMBERS: {
        double value;

        if (!kiln_token_number(word, length, &value) && !take_comma(p, word, length, &value))
            fail_word(p, "no number", word, length);
        d->numbers = kiln_dae_grow(d, d->numbers, &d->number_capacity, d->number_count + 1,
                                   sizeof *d->numbers);
        d->numbers[d->number_count++] = value;
        break;
    }
    case WHOLES: {
        int64_t value;

        if (!kiln_token_integer(word, length, &value))
            fail_word(p, "no whole number", word, length);
        d->wholes =
            kiln_dae_grow(d, d->wholes, &d->whole_capacity, d->whole_count + 1, sizeof *d->wholes);
        d->wholes[d->whole_count++] =
            value > INT32_MIN && value <= INT32_MAX ? (int32_t)value : DAE_BEYOND;
        break;
    }
    default:
        KILN_ASSERT(rows[e->tag].content == WORDS);
        (void)put_text(d, word, length);
        (void)put_text(d, "", 1);
        break;
    }
    e->count++;
}

/* Takes the words of a part of the text; the last may go on in the next part. */
static void take_words(parser *p, const char *text, size_t length)
{
    size_t at = 0;

    while (at < length) {
        const size_t start = at;

        while (at < length && !kiln_xml_is_blank(text[at]))
            at++;
        /* Either it goes on from the part before, or it may go on in the next. */
        if (p->length > 0 || at == length) {
            p->word = kiln_dae_grow(p->d, p->word, &p->capacity, p->length + at - start, 1);
            memcpy(p->word + p->length, text + start, at - start);
            p->length += at - start;
            if (at == length)
                return;
            take_word(p, p->word, p->length);
            p->length = 0;
        } else if (at > start) {
            take_word(p, text + start, at - start);
        }
        while (at < length && kiln_xml_is_blank(text[at]))
            at++;
    }
}

/* Whether one more of what Collada does not have is warned of; the last warning says that there are
 * more. */
static bool may_warn(parser *p)
{
    if (p->strangers++ == WARNINGS_MOST)
        kiln_send_warning(
            p->d->reading->sender,
            "line %llu: more of what Collada does not have there is left out, and not "
            "listed",
            (unsigned long long)kiln_xml_line(p->xml));
    return p->strangers <= WARNINGS_MOST;
}

/* Text where the schema has elements only. */
static void warn_of_text(parser *p, const char *text, size_t length)
{
    size_t start = 0, end;

    while (start < length && kiln_xml_is_blank(text[start]))
        start++;
    end = start;
    while (end < length && !kiln_xml_is_blank(text[end]))
        end++;
    if (end == start || !may_warn(p))
        return;
    kiln_send_warning(p->d->reading->sender,
                      "line %llu: <%s> has the text \"%.*s\", where no text can be; it is left out",
                      (unsigned long long)kiln_xml_line(p->xml),
                      rows[p->d->elements[p->at].tag].name,
                      (int)(end - start < 40 ? end - start : 40), text + start);
}

/* Expat gives a text in parts, a line end by itself. */
static void on_text(void *user, const char *text, size_t length)
{
    parser *p = user;

    KILN_ASSERT(length > 0);
    if (p->at == DAE_NONE || p->skipped > 0)
        return;
    switch (rows[p->d->elements[p->at].tag].content) {
    case NUMBERS:
    case WHOLES:
    case WORDS:
        take_words(p, text, length);
        break;
    case TEXT:
        (void)put_text(p->d, text, length);
        p->d->elements[p->at].count += length;
        break;
    case NO_TEXT:
        warn_of_text(p, text, length);
        break;
    case CLOSED:
        break;
    }
}

/* Of an element that is kept, the last word ends with it. */
static void on_end(void *user, const char *name)
{
    parser *p = user;
    dae_element *e;

    (void)name;
    if (p->skipped > 0) {
        p->skipped--;
        return;
    }
    KILN_ASSERT(p->at != DAE_NONE);
    if (p->length > 0)
        take_word(p, p->word, p->length);
    p->length = 0;
    e = &p->d->elements[p->at];
    if (rows[e->tag].content == TEXT)
        (void)put_text(p->d, "", 1);
    p->at = e->parent;
}

static bool has_text(content what)
{
    return what != NO_TEXT && what != CLOSED;
}

/* The tag of an element by its name and where it stands; DAE_TAG_COUNT: it is not kept. */
static dae_tag tag_of(const parser *p, const char *name)
{
    const dae *d = p->d;
    const char *parent = p->at != DAE_NONE ? rows[d->elements[p->at].tag].name : "";
    const uint32_t sibling = p->at != DAE_NONE ? d->elements[p->at].last : DAE_NONE;

    /* Where there are many, they are mostly alike. */
    if (sibling != DAE_NONE && strcmp(rows[d->elements[sibling].tag].name, name) == 0)
        return d->elements[sibling].tag;
    for (size_t i = 0; i < DAE_TAG_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].parents[0] == '*' || (p->at == DAE_NONE && i == DAE_COLLADA) ||
                           has_word(rows[i].parents, parent)
                       ? (dae_tag)i
                       : DAE_TAG_COUNT;
    return DAE_TAG_COUNT;
}

/* Begins to skip an element. */
static void skip(parser *p, const char *name, uint64_t line)
{
    const dae_tag parent = p->d->elements[p->at].tag;
    const char *other = strrchr(name, p->separator);

    p->skipped = 1;
    p->in_physics = strncmp(name, "library_physics_", 16) == 0;
    if (has_word(no_geometry, name) || parent == DAE_ASSET || rows[parent].content == CLOSED)
        return;
    if (!may_warn(p))
        return;
    if (other != NULL && p->separator == KILN_XML_OF)
        kiln_send_warning(p->d->reading->sender,
                          "line %llu: <%.100s> in <%s> is of the namespace \"%.*s\" and not of "
                          "Collada's; it is left out",
                          (unsigned long long)line, other + 1, rows[parent].name,
                          (int)(other - name < 200 ? other - name : 200), name);
    else
        kiln_send_warning(p->d->reading->sender,
                          "line %llu: <%.100s> is nothing that Collada has in <%s>; it is left out",
                          (unsigned long long)line, name, rows[parent].name);
}

/* The name within the namespace that the root is of, whatever its prefix there. One of no namespace
 * counts as such, too: nobody else's has none. Names of others stay whole. */
static const char *own_name(parser *p, const char *name, uint64_t line)
{
    const char *end = strrchr(name, p->separator);
    const size_t length = end != NULL ? (size_t)(end + 1 - name) : 0;

    if (p->d->count == 0) {
        if (strcmp(name + length, "COLLADA") != 0)
            kiln_send_failure(p->d->reading->sender, KILN_BAKE_INVALID,
                              "line %llu: the document is a <%.100s> and no <COLLADA>; give its "
                              "format if the extension is misleading",
                              (unsigned long long)line, name + length);
        p->before = strndup(name, length);
        if (p->before == NULL)
            kiln_read_no_memory(p->d->reading);
    }
    return strlen(p->before) == length && memcmp(name, p->before, length) == 0 ? name + length
                                                                               : name;
}

/* Refuses a second element where there can be only one, and a geometry of two kinds: one of both
 * would be left out. */
static void check_once(const parser *p, dae_tag tag, uint64_t line)
{
    const uint64_t kinds =
        DAE_IS(DAE_MESH) | DAE_IS(DAE_CONVEX_MESH) | DAE_IS(DAE_SPLINE) | DAE_IS(DAE_BREP);
    const uint64_t others = (kinds & DAE_IS(tag)) != 0 ? kinds : DAE_IS(tag);
    const dae_element *all = p->d->elements;

    for (uint32_t at = all[p->at].first; at != DAE_NONE; at = all[at].next)
        if ((others & DAE_IS(all[at].tag)) != 0)
            kiln_send_failure(p->d->reading->sender, KILN_BAKE_INVALID,
                              "line %llu: <%s> stands in <%s> beside the <%s> of line %llu, where "
                              "only one can be; remove one",
                              (unsigned long long)line, rows[tag].name, rows[all[p->at].tag].name,
                              rows[all[at].tag].name, (unsigned long long)all[at].line);
}

/* An element that is kept goes to the end of the list, and behind its siblings. */
static void on_start(void *user, const char *full, const char **attributes, uint64_t line)
{
    parser *p = user;
    dae *d = p->d;
    const char *name = own_name(p, full, line);
    const uint32_t number = (uint32_t)d->count;
    dae_element *e;
    dae_tag tag;

    if (p->skipped > 0) {
        const char *url = kiln_xml_value(attributes, "url");

        p->skipped++;
        if (p->in_physics && url != NULL && strcmp(name, "instance_geometry") == 0) {
            d->shapes = kiln_dae_grow(d, d->shapes, &d->shape_capacity, d->shape_count + 1,
                                      sizeof *d->shapes);
            d->shapes[d->shape_count++] = put_text(d, url, strlen(url) + 1);
        }
        return;
    }
    /* Numbers or words around an element, whatever it is: one of both is not what it seems. */
    if (p->at != DAE_NONE && has_text(rows[d->elements[p->at].tag].content))
        kiln_send_failure(d->reading->sender, KILN_BAKE_INVALID,
                          "line %llu: <%.100s> stands in <%s>, which has no elements; repair the "
                          "file",
                          (unsigned long long)line, name, rows[d->elements[p->at].tag].name);
    tag = tag_of(p, name);
    if (tag == DAE_TAG_COUNT) {
        skip(p, name, line);
        return;
    }
    if (rows[tag].often == ONCE && p->at != DAE_NONE)
        check_once(p, tag, line);
    if (number == DAE_NONE)
        kiln_send_failure(d->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "more than 4294967294 elements; split the model");
    d->elements = kiln_dae_grow(d, d->elements, &d->capacity, d->count + 1, sizeof *d->elements);
    e = &d->elements[d->count++];
    *e = (dae_element){.tag = tag,
                       .parent = p->at,
                       .first = DAE_NONE,
                       .last = DAE_NONE,
                       .next = DAE_NONE,
                       .line = line,
                       .attributes = d->text_size};
    KILN_ASSERT((p->at == DAE_NONE) == (number == 0));
    if (p->at != DAE_NONE) {
        dae_element *parent = &d->elements[p->at];

        if (parent->last != DAE_NONE)
            d->elements[parent->last].next = number;
        else
            parent->first = number;
        parent->last = number;
    }
    /* Values of the schema have no meaning for blanks around them. */
    for (size_t i = 0; attributes[i] != NULL; i++) {
        size_t length = strlen(attributes[i]);
        const char *text = kiln_xml_trimmed(attributes[i], &length);

        (void)put_text(d, text, length);
        (void)put_text(d, "", 1);
    }
    (void)put_text(d, "", 1);
    e->from = rows[tag].content == NUMBERS  ? d->number_count
              : rows[tag].content == WHOLES ? d->whole_count
                                            : d->text_size;
    p->at = number;
}

/* -- ids -- */

/* By id and tag, and in the order of the document. */
static int compare_ids(const void *a, const void *b)
{
    const dae_id *p = a, *q = b;
    const int by_id = strcmp(p->id, q->id);

    if (by_id != 0)
        return by_id;
    if (p->tag != q->tag)
        return p->tag < q->tag ? -1 : 1;
    return p->element < q->element ? -1 : p->element > q->element;
}

/* Sorts all ids, so that a reference is found in logarithmic time. */
static void list_ids(dae *d)
{
    d->ids = kiln_dae_alloc(d, d->count, sizeof *d->ids);
    for (size_t i = 0; i < d->count; i++) {
        const char *id = kiln_dae_attribute(d, (uint32_t)i, "id");

        if (id != NULL)
            d->ids[d->id_count++] = (dae_id){id, d->elements[i].tag, (uint32_t)i};
    }
    qsort(d->ids, d->id_count, sizeof *d->ids, compare_ids);
}

/* A hexadecimal digit; -1: it is none. */
static int hex_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Puts the characters in place of percent escapes. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0'; from++, to++) {
        const int high = from[0] == '%' ? hex_of(from[1]) : -1;
        const int low = high >= 0 ? hex_of(from[2]) : -1;

        *to = low >= 0 ? (char)(16 * high + low) : *from;
        from += low >= 0 ? 2 : 0;
    }
    *to = '\0';
}

/* The one of these tags that has the id. Those of other kinds are not meant, whatever XML says
 * about ids; there may be many of them. */
static uint32_t element_of(const dae *d, uint32_t from, const char *id, uint64_t tags)
{
    uint32_t found = DAE_NONE;

    for (unsigned tag = 0; tag < DAE_TAG_COUNT; tag++) {
        const dae_id key = {id, (dae_tag)tag, 0};
        size_t low = 0, high = d->id_count;

        if ((tags & DAE_IS(tag)) == 0)
            continue;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;

            if (compare_ids(&d->ids[middle], &key) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < d->id_count && d->ids[low].tag == tag && strcmp(d->ids[low].id, id) == 0;
             low++) {
            const uint32_t element = d->ids[low].element;

            if (found != DAE_NONE)
                kiln_dae_fail(d, from,
                              "refers to the id \"%.200s\", which is that of line %llu and of "
                              "line %llu; rename one",
                              id, (unsigned long long)d->elements[found].line,
                              (unsigned long long)d->elements[element].line);
            found = element;
        }
    }
    return found;
}

/* The id of a reference to this document: "#id", or with the name of its own file before it. A
 * file: URI is what the exporter wrote where it wrote the file. NULL: it is to another. */
static const char *id_within(const dae *d, const char *reference)
{
    const char *hash = strchr(reference, '#'), *name;
    char *path;
    bool own;

    if (hash == NULL || hash == reference)
        return hash != NULL ? hash + 1 : NULL;
    path = strndup(reference, (size_t)(hash - reference));
    if (path == NULL)
        kiln_read_no_memory(d->reading);
    unescape(path);
    name = path;
    if (strncasecmp(path, "file:", 5) == 0 && strrchr(path, '/') != NULL)
        name = strrchr(path, '/') + 1;
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    own = strcmp(name, d->reading->name) == 0;
    free(path);
    return own ? hash + 1 : NULL;
}

/* An id may hold percent signs itself, so it is tried as it is written first. */
uint32_t kiln_dae_find(const dae *d, uint32_t from, const char *reference, uint64_t tags)
{
    const char *id = reference != NULL ? id_within(d, reference) : NULL;
    char *plain;
    uint32_t found;

    if (id == NULL)
        return DAE_NONE;
    found = element_of(d, from, id, tags);
    if (found != DAE_NONE || strchr(id, '%') == NULL)
        return found;
    /* A reference is a URI; most exporters leave what they should escape as it is. */
    plain = strdup(id);
    if (plain == NULL)
        kiln_read_no_memory(d->reading);
    unescape(plain);
    found = element_of(d, from, plain, tags);
    free(plain);
    return found;
}

bool kiln_dae_is_within(const dae *d, const char *reference)
{
    return id_within(d, reference) != NULL;
}

uint32_t kiln_dae_reference(const dae *d, uint32_t from, const char *attribute, uint64_t tags)
{
    const char *reference = kiln_dae_attribute(d, from, attribute);
    uint32_t found;

    if (reference == NULL)
        kiln_dae_fail(d, from, "has no attribute \"%s\"; repair the file", attribute);
    found = kiln_dae_find(d, from, reference, tags);
    if (found == DAE_NONE && !kiln_dae_is_within(d, reference))
        kiln_dae_fail_unsupported(d, from,
                                  "refers to \"%.200s\", which is not in this file; export all of "
                                  "the model into one file",
                                  reference);
    if (found == DAE_NONE)
        kiln_dae_fail(d, from, "refers to \"%.200s\", which is not there; repair the file",
                      reference);
    return found;
}

/* -- elements -- */

const char *kiln_dae_attribute(const dae *d, uint32_t element, const char *name)
{
    const char *at = d->text + d->elements[element].attributes;

    KILN_ASSERT(element < d->count);
    while (*at != '\0') {
        const char *value = at + strlen(at) + 1;

        if (strcmp(at, name) == 0)
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

uint64_t kiln_dae_whole(const dae *d, uint32_t element, const char *name, uint64_t otherwise)
{
    const char *text = kiln_dae_attribute(d, element, name);
    size_t length;
    int64_t value;

    if (text == NULL)
        return otherwise;
    length = strlen(text);
    /* So small that a few of them multiplied are no overflow that matters: products of more are
     * compared in floating point. */
    if (!kiln_token_integer(text, length, &value) || value < 0 || value > INT64_MAX / 16)
        kiln_dae_fail(d, element, "has %s=\"%.40s\", which is no count; repair the file", name,
                      text);
    return (uint64_t)value;
}

uint32_t kiln_dae_child(const dae *d, uint32_t element, dae_tag tag)
{
    uint32_t at = d->elements[element].first;

    while (at != DAE_NONE && d->elements[at].tag != tag)
        at = d->elements[at].next;
    return at;
}

uint32_t kiln_dae_next(const dae *d, uint32_t element)
{
    const dae_tag tag = d->elements[element].tag;
    uint32_t at = d->elements[element].next;

    while (at != DAE_NONE && d->elements[at].tag != tag)
        at = d->elements[at].next;
    return at;
}

uint32_t kiln_dae_needed(const dae *d, uint32_t element, dae_tag tag)
{
    const uint32_t child = kiln_dae_child(d, element, tag);

    if (child == DAE_NONE)
        kiln_dae_fail(d, element, "has no <%s>; repair the file", rows[tag].name);
    return child;
}

char *kiln_dae_text(const dae *d, uint32_t element)
{
    const dae_element *e = &d->elements[element];
    size_t length = e->count;
    const char *text = kiln_xml_trimmed(d->text + e->from, &length);
    char *own;

    KILN_ASSERT(rows[e->tag].content == TEXT);
    own = kiln_dae_alloc(d, length, 1);
    memcpy(own, text, length);
    return own;
}

/* -- the document -- */

/* Archives and compressed files are told by their first bytes. */
static void refuse_compressed(kiln_reading *reading)
{
    uint8_t mark[4] = {0};

    (void)kiln_model_read(&reading->model, 0, mark, sizeof mark);
    if (mark[0] == 0x1F && mark[1] == 0x8B)
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "it is compressed by gzip; unpack it (gunzip)");
    if (memcmp(mark, "PK\3\4", 4) == 0)
        kiln_send_failure(
            reading->sender, KILN_BAKE_UNSUPPORTED,
            "it is an archive (zip); unpack it, and give the .dae file in it, or name "
            "it .zae");
}

/* 1.3 and before have other elements. */
static void check_version(const dae *d)
{
    const char *version = kiln_dae_attribute(d, 0, "version");

    if (version != NULL && strncmp(version, "1.4", 3) != 0 && strncmp(version, "1.5", 3) != 0)
        kiln_dae_fail_unsupported(
            d, 0, "is of version \"%.40s\"; export it as COLLADA 1.4.1 or 1.5.0", version);
}

/* Goes over the XML once. False: a prefix is not declared. */
static bool parse(dae *d, kiln_reading *reading, bool namespaces)
{
    parser p = {.d = d, .at = DAE_NONE, .separator = namespaces ? KILN_XML_OF : ':'};
    const kiln_xml_handlers handlers = {.start = on_start,
                                        .end = on_end,
                                        .text = on_text,
                                        .user = &p,
                                        .reader = &p.xml,
                                        .namespaces = namespaces};
    bool complete;

    *d = (dae){.reading = reading};
    /* So that an element without numbers has its place in a list, too. */
    d->numbers = kiln_dae_grow(d, d->numbers, &d->number_capacity, 1, sizeof *d->numbers);
    d->wholes = kiln_dae_grow(d, d->wholes, &d->whole_capacity, 1, sizeof *d->wholes);
    complete = kiln_xml_read(reading, &handlers);
    KILN_ASSERT(!complete || (d->count > 0 && p.at == DAE_NONE && p.skipped == 0));
    free(p.before);
    free(p.word);
    return complete;
}

/* Elements only refer to each other by ids once all are read: a reference may lead forwards. */
void kiln_dae_open(dae *d, kiln_reading *reading)
{
    refuse_compressed(reading);
    /* XML knew no namespaces once, and some tools do not to this day: a prefix is a part of the
     * name then. */
    if (!parse(d, reading, true)) {
        kiln_dae_close(d);
        (void)parse(d, reading, false);
        kiln_dae_warn(d, 0, "has a prefix that is declared nowhere; names are taken as written");
    }
    check_version(d);
    list_ids(d);
}

void kiln_dae_close(dae *d)
{
    free(d->elements);
    free(d->numbers);
    free(d->wholes);
    free(d->text);
    free(d->ids);
    free(d->shapes);
}
