/* A look at a Collada file (Khronos, COLLADA 1.4.1 and 1.5.0) before Assimp reads it.
 *
 * Assimp takes counts, ids and references on trust: an accessor that is longer than its array reads
 * what lies behind it, a node that contains itself overruns the stack, an element that it has no
 * code for is left out. Here the elements on which geometry rests are gathered in one pass over the
 * XML, each with its line, and looked at when all are known. Arrays are looked at for what they
 * declare, not for their numbers: Assimp refuses one that has fewer numbers than it declares.
 *
 * Unit and up axis are those of the document's own <asset>.
 *
 * What Assimp can't read only for how it is written is written in another way for it, in memory:
 * text in UTF-16, and blanks around the values of some elements. Triangle fans it makes polygons
 * of, which are other faces unless they are flat: assimp.c makes them fans again. */
#define _POSIX_C_SOURCE 200809L
#include "xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "../common/memory.h"

enum { TEXT_SIZE = 32, NONE = -1 };

/* An element that has an id by which others refer to it. */
typedef struct {
    char *id;
    uint64_t line;
    long node; /* its place among the nodes; NONE: it is another element */
} named;

/* <node>, in the order of the document. */
typedef struct {
    long parent; /* an earlier one, or NONE */
} node;

/* An instance of something else, by url. */
typedef struct {
    char *url;
    const char *element;
    uint64_t line;
    long from; /* the node that it is in, or NONE */
    bool of_node;
} instance;

/* Numbers of a mesh, as declared. */
typedef struct {
    char *id;
    double count;
} array;

typedef struct {
    char *source;
    double count, offset, stride, parameters;
    uint64_t line;
} accessor;

typedef struct {
    void *items;
    size_t count, capacity;
} list;

typedef struct {
    kiln_reading *reading;
    list ids, nodes, instances, arrays, accessors;
    unsigned depth, asset_depth, mesh_depth; /* of these elements, 0: not within one */
    unsigned geometry_depth;
    long at; /* the innermost <node> that is open, or NONE */
    bool in_up_axis, in_accessor;
    bool before_numbers;     /* of such an element as has_bad_blanks names */
    bool bad_blanks;         /* there are some */
    uint64_t fans, polygons; /* the lines of the last of them; 0: there is none */
    char text[TEXT_SIZE];    /* of <up_axis> */
    size_t length;
} look;

/* A new element of a list, zeroed. */
static void *add(look *l, list *to, size_t size)
{
    void *item;

    if (!kiln_grow(&to->items, &to->capacity, to->count + 1, size))
        kiln_read_no_memory(l->reading);
    item = (char *)to->items + size * to->count++;
    return memset(item, 0, size);
}

static char *copy(look *l, const char *text)
{
    char *own = strdup(text);

    if (own == NULL)
        kiln_read_no_memory(l->reading);
    return own;
}

/* A count: no sign, no fraction. NAN where it is none. */
static double count_of(const char *text, double otherwise)
{
    int64_t value;

    if (text == NULL)
        return otherwise;
    text += strspn(text, " \t\r\n");
    return kiln_token_integer(text, strcspn(text, " \t\r\n"), &value) && value >= 0 ? (double)value
                                                                                    : (double)NAN;
}

static bool is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

/* Elements that Assimp misreads where a blank is the first character. */
static bool has_bad_blanks(const char *name, size_t length)
{
    static const char *const names[] = {"color", "vcount", "v", "up_axis"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

/* -- elements -- */

static void unit_of(look *l, const char *metres)
{
    kiln_reading *reading = l->reading;
    char with_point[TEXT_SIZE] = "";
    double value;

    if (metres == NULL)
        return;
    if (strlen(metres) < sizeof with_point)
        strcpy(with_point, metres);
    if (strchr(with_point, ',') != NULL)
        *strchr(with_point, ',') = '.';
    if (!kiln_token_number(with_point, strlen(with_point), &value))
        kiln_send_failure(
            reading->sender, KILN_BAKE_INVALID,
            "declares a unit of \"%.40s\" metres, which is no number; repair the unit", metres);
    /* Assimp would flatten or mirror everything by it. */
    if (!(value > 0))
        kiln_send_failure(reading->sender, KILN_BAKE_INVALID,
                          "declares a unit of %g metres; repair the unit", value);
    /* Written where decimals have a comma, which Assimp takes for a point. */
    if (strcmp(with_point, metres) != 0)
        kiln_send_warning(reading->sender,
                          "declares a unit of \"%s\" metres, with a comma; %s is taken", metres,
                          with_point);
    reading->facts.unit = value;
}

/* What Assimp has no code for, or takes for something else. */
static void refuse_unread(look *l, const char *name, uint64_t line)
{
    static const char *const unread[] = {"skew", "ph"};
    static const char *const left_out[] = {"convex_mesh", "spline", "brep"};

    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++)
        if (is(name, unread[i]))
            kiln_send_failure(l->reading->sender, KILN_BAKE_UNSUPPORTED,
                              "line %llu: <%s>, which the importer does not read; export %s, or "
                              "convert the model to another format",
                              (unsigned long long)line, name,
                              is(name, "ph") ? "polygons without holes" : "matrices");
    for (size_t i = 0; l->geometry_depth != 0 && i < sizeof left_out / sizeof left_out[0]; i++)
        if (is(name, left_out[i]))
            kiln_send_warning(l->reading->sender,
                              "line %llu: a geometry that is a <%s> is left out; export meshes",
                              (unsigned long long)line, name);
}

static void on_start(void *user, const char *name, const char **attributes, uint64_t line)
{
    /* Elements by whose ids geometry is found. */
    static const char *const referred[] = {"geometry", "controller", "node",       "visual_scene",
                                           "vertices", "source",     "float_array"};
    static const char *const instances[] = {"instance_geometry", "instance_controller",
                                            "instance_node", "instance_visual_scene"};
    look *l = user;
    const char *id = kiln_xml_value(attributes, "id"), *url = kiln_xml_value(attributes, "url");

    l->depth++;
    refuse_unread(l, name, line);
    if (l->depth == 2 && is(name, "asset"))
        l->asset_depth = l->depth;
    if (l->asset_depth != 0 && l->depth == 3 && is(name, "unit"))
        unit_of(l, kiln_xml_value(attributes, "meter"));
    l->in_up_axis = l->asset_depth != 0 && l->depth == 3 && is(name, "up_axis");
    l->before_numbers = has_bad_blanks(name, strlen(name));
    if (is(name, "geometry"))
        l->geometry_depth = l->depth;
    if (l->geometry_depth != 0 && is(name, "mesh"))
        l->mesh_depth = l->depth;
    if (is(name, "trifans"))
        l->fans = line;
    if (is(name, "polygons") || is(name, "polylist"))
        l->polygons = line;

    if (is(name, "node")) {
        node *new = add(l, &l->nodes, sizeof *new);

        new->parent = l->at;
        l->at = (long)l->nodes.count - 1;
    }
    for (size_t i = 0; id != NULL && i < sizeof referred / sizeof referred[0]; i++)
        if (is(name, referred[i]) && (l->mesh_depth != 0 || i < 4)) {
            named *new = add(l, &l->ids, sizeof *new);

            *new = (named){copy(l, id), line, is(name, "node") ? l->at : NONE};
        }
    for (size_t i = 0; url != NULL && i < sizeof instances / sizeof instances[0]; i++)
        if (is(name, instances[i])) {
            instance *new = add(l, &l->instances, sizeof *new);

            *new = (instance){copy(l, url), instances[i], line, l->at, i == 2};
        }

    /* Numbers of meshes; animations have theirs too, which move nothing here. */
    if (l->mesh_depth != 0 && id != NULL && is(name, "float_array")) {
        array *new = add(l, &l->arrays, sizeof *new);

        *new = (array){copy(l, id), count_of(kiln_xml_value(attributes, "count"), 0)};
    }
    if (l->mesh_depth != 0 && is(name, "accessor") &&
        kiln_xml_value(attributes, "source") != NULL) {
        accessor *new = add(l, &l->accessors, sizeof *new);

        *new = (accessor){.source = copy(l, kiln_xml_value(attributes, "source")),
                          .count = count_of(kiln_xml_value(attributes, "count"), 0),
                          .offset = count_of(kiln_xml_value(attributes, "offset"), 0),
                          .stride = count_of(kiln_xml_value(attributes, "stride"), 1),
                          .line = line};
        l->in_accessor = true;
    }
    if (l->in_accessor && is(name, "param"))
        ((accessor *)l->accessors.items)[l->accessors.count - 1].parameters++;
}

static void on_end(void *user, const char *name)
{
    look *l = user;

    KILN_ASSERT(l->depth > 0);
    if (l->depth == l->asset_depth)
        l->asset_depth = 0;
    if (l->depth == l->geometry_depth)
        l->geometry_depth = 0;
    if (l->depth == l->mesh_depth)
        l->mesh_depth = 0;
    if (is(name, "accessor"))
        l->in_accessor = false;
    l->before_numbers = false;
    if (is(name, "node") && l->at != NONE)
        l->at = ((const node *)l->nodes.items)[l->at].parent;
    if (l->in_up_axis) {
        const char *axis;

        l->text[l->length] = '\0';
        l->bad_blanks = l->bad_blanks || strcspn(l->text, " \t\r\n") < l->length;
        axis = l->text + strspn(l->text, " \t\r\n");
        if (*axis >= 'X' && *axis <= 'Z')
            l->reading->facts.up_declared = *axis - 'X';
        l->in_up_axis = false;
    }
    l->depth--;
}

static void on_text(void *user, const char *text, size_t length)
{
    look *l = user;

    if (l->before_numbers && length > 0)
        l->bad_blanks = l->bad_blanks || strchr(" \t\r\n", text[0]) != NULL;
    l->before_numbers = false;
    for (size_t i = 0; l->in_up_axis && i < length && l->length + 1 < TEXT_SIZE; i++)
        l->text[l->length++] = text[i];
}

/* -- when all are known -- */

static int compare_ids(const void *a, const void *b)
{
    const named *p = a, *q = b;
    const int by_id = strcmp(p->id, q->id);

    return by_id != 0 ? by_id : p->line < q->line ? -1 : p->line > q->line;
}

/* The first element of an id; NULL: there is none. The list is sorted. */
static const named *element_of(const look *l, const char *id)
{
    const named *ids = l->ids.items;
    size_t from = 0, to = l->ids.count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (strcmp(ids[middle].id, id) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < l->ids.count && strcmp(ids[from].id, id) == 0 ? &ids[from] : NULL;
}

static int compare_arrays(const void *a, const void *b)
{
    const array *p = a, *q = b;

    return strcmp(p->id, q->id);
}

/* Each accessor lies within its array, also where several arrays have one id. */
static void check_accessors(look *l)
{
    array *arrays = l->arrays.items;

    if (l->arrays.count > 0)
        qsort(arrays, l->arrays.count, sizeof *arrays, compare_arrays);
    for (size_t i = 0; i < l->accessors.count; i++) {
        const accessor *a = (const accessor *)l->accessors.items + i;
        const array key = {.id = a->source[0] == '#' ? a->source + 1 : a->source};
        const array *of = l->arrays.count > 0
                              ? bsearch(&key, arrays, l->arrays.count, sizeof key, compare_arrays)
                              : NULL;
        const double last = a->offset + (a->count - 1) * a->stride + a->parameters;

        if (of == NULL || a->count == 0)
            continue; /* names, or what Assimp refuses itself */
        while (of > arrays && strcmp(of[-1].id, key.id) == 0)
            of--;
        for (; of < arrays + l->arrays.count && strcmp(of->id, key.id) == 0; of++)
            if (!(last <= of->count))
                kiln_send_failure(
                    l->reading->sender, KILN_BAKE_INVALID,
                    "line %llu: <accessor> of %.0f elements (offset %.0f, stride %.0f) reaches to "
                    "number %.0f of array \"%.200s\", which declares %.0f; repair the counts",
                    (unsigned long long)a->line, a->count, a->offset, a->stride, last, key.id,
                    of->count);
    }
}

/* Edges of the graph of nodes: from a node to those in it, and to those that it instances. */
typedef struct {
    long from, to;
    uint64_t line;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *p = a, *q = b;

    return p->from != q->from ? (p->from < q->from ? -1 : 1) : 0;
}

/* No node contains itself, by whatever instances. Depth first, by a stack of our own. */
static void check_circles(look *l)
{
    enum { NEW, OPEN, DONE };
    const size_t count = l->nodes.count;
    list edges = {0};
    edge *all;
    uint8_t *state = calloc(count + 1, 1);
    size_t *first = calloc(count + 2, sizeof *first), *next = calloc(count + 1, sizeof *next);
    long *stack = calloc(count + 1, sizeof *stack);

    if (state == NULL || first == NULL || next == NULL || stack == NULL)
        kiln_read_no_memory(l->reading);
    for (size_t i = 0; i < count; i++) {
        const long parent = ((const node *)l->nodes.items)[i].parent;

        if (parent != NONE)
            *(edge *)add(l, &edges, sizeof(edge)) = (edge){parent, (long)i, 0};
    }
    for (size_t i = 0; i < l->instances.count; i++) {
        const instance *of = (const instance *)l->instances.items + i;
        const named *to = of->of_node && of->url[0] == '#' ? element_of(l, of->url + 1) : NULL;

        if (to != NULL && to->node != NONE && of->from != NONE)
            *(edge *)add(l, &edges, sizeof(edge)) = (edge){of->from, to->node, of->line};
    }
    all = edges.items;
    if (edges.count > 0)
        qsort(all, edges.count, sizeof *all, compare_edges);
    for (size_t i = 0; i < edges.count; i++)
        first[all[i].from + 1]++;
    for (size_t i = 0; i < count; i++)
        first[i + 1] += first[i];

    for (size_t root = 0; root < count; root++) {
        size_t depth = 0;

        if (state[root] != NEW)
            continue;
        stack[depth++] = (long)root;
        while (depth > 0) {
            const long at = stack[depth - 1];

            if (state[at] == NEW) {
                state[at] = OPEN;
                next[at] = first[at];
            }
            if (next[at] == first[at + 1]) {
                state[at] = DONE;
                depth--;
                continue;
            }
            const edge *to = &all[next[at]++];

            if (state[to->to] == OPEN)
                kiln_send_failure(l->reading->sender, KILN_BAKE_INVALID,
                                  "line %llu: <instance_node> of a node that contains it; remove "
                                  "it",
                                  (unsigned long long)to->line);
            KILN_ASSERT(depth <= count);
            if (state[to->to] == NEW)
                stack[depth++] = to->to;
        }
    }
    free(edges.items);
    free(state);
    free(first);
    free(next);
    free(stack);
}

/* What instances refer to is there, and one thing only has each id. */
static void check_references(look *l)
{
    const named *ids = l->ids.items;

    for (size_t i = 1; i < l->ids.count; i++)
        if (strcmp(ids[i].id, ids[i - 1].id) == 0)
            kiln_send_warning(
                l->reading->sender,
                "line %llu: the id \"%.200s\" is that of line %llu too; which of them "
                "is meant is not known; rename one",
                (unsigned long long)ids[i].line, ids[i].id, (unsigned long long)ids[i - 1].line);
    for (size_t i = 0; i < l->instances.count; i++) {
        const instance *of = (const instance *)l->instances.items + i;

        if (of->url[0] != '#' || element_of(l, of->url + 1) == NULL)
            kiln_send_warning(l->reading->sender,
                              "line %llu: <%s> of \"%.200s\", which is not %s; it is left out",
                              (unsigned long long)of->line, of->element, of->url,
                              of->url[0] != '#' ? "in this file" : "there");
    }
}

static void free_list(list *of, size_t size)
{
    /* The first member of each element is a text of its own. */
    for (size_t i = 0; i < of->count; i++)
        free(*(char **)(void *)((char *)of->items + size * i));
    free(of->items);
}

/* -- written in another way -- */

/* Appends the character as UTF-8. Returns the bytes. */
static size_t put_utf8(uint8_t *to, uint32_t c)
{
    const size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t first[] = {0, 0xC0, 0xE0, 0xF0};

    to[0] = (uint8_t)(first[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        to[i] = (uint8_t)(0x80 | (c >> 6 * (more - i) & 0x3F));
    return more + 1;
}

/* UTF-16 with a byte order mark becomes UTF-8. Expat has found it well-formed: no half of a pair
 * stands alone. Returns the new text, which ends in a zero, and its size. */
static uint8_t *to_utf8(look *l, const uint8_t *text, uint64_t *size)
{
    const unsigned low = text[0] == 0xFF ? 0 : 1; /* the byte of a unit that counts less */
    uint8_t *to = malloc((size_t)*size / 2 * 3 + 4);
    size_t made = 0;

    if (to == NULL)
        kiln_read_no_memory(l->reading);
    for (uint64_t at = 2; at + 1 < *size; at += 2) {
        uint32_t c = text[at + low] | (uint32_t)text[at + 1 - low] << 8;

        if (c >= 0xD800 && c < 0xDC00 && at + 3 < *size) {
            at += 2;
            c = 0x10000 + ((c & 0x3FF) << 10) +
                ((text[at + low] | (uint32_t)text[at + 1 - low] << 8) & 0x3FF);
        }
        made += put_utf8(to + made, c);
    }
    to[made] = '\0';
    *size = made;
    return to;
}

/* Gives Assimp the text in the way that it reads: the blanks go before the ">" of the tag. */
static void rewrite(look *l)
{
    kiln_model *model = &l->reading->model;
    uint64_t size = model->size;
    uint8_t *text = malloc((size_t)size + 1);
    char *at;

    if (text == NULL)
        kiln_read_no_memory(l->reading);
    if (kiln_model_read(model, 0, text, (size_t)size) != size)
        return; /* it has become shorter, and is refused for that */
    text[size] = '\0';
    if (size >= 2 &&
        ((text[0] == 0xFF && text[1] == 0xFE) || (text[0] == 0xFE && text[1] == 0xFF))) {
        uint8_t *other = to_utf8(l, text, &size);

        free(text);
        text = other;
    }
    for (at = strchr((char *)text, '<'); at != NULL; at = strchr(at + 1, '<')) {
        const size_t length = strcspn(at + 1, "> \t\r\n/");
        char *end = has_bad_blanks(at + 1, length) ? strchr(at, '>') : NULL;
        const size_t blanks = end != NULL ? strspn(end + 1, " \t\r\n") : 0;

        if (blanks > 0 && end[-1] != '/') {
            end[blanks] = '>';
            memset(end, ' ', blanks);
        }
    }
    /* Behind the axis, they go behind the end tag. */
    for (at = strstr((char *)text, "</up_axis>"); at != NULL; at = strstr(at + 1, "</up_axis>")) {
        static const char tag[] = "</up_axis>";
        char *to = at;

        while (to > (char *)text && strchr(" \t\r\n", to[-1]) != NULL)
            to--;
        memset(at, ' ', sizeof tag - 1);
        memcpy(to, tag, sizeof tag - 1);
        memset(to + sizeof tag - 1, ' ', (size_t)(at - to));
    }
    /* The file stays open for whoever compares it. */
    *model = (kiln_model){.file = -1, .data = text, .size = size};
}

void kiln_look_at_collada(kiln_reading *reading)
{
    look l = {.reading = reading, .at = NONE};
    const kiln_xml_handlers handlers = {
        .start = on_start, .end = on_end, .text = on_text, .user = &l};

    uint8_t mark[2] = {0, 0};

    (void)kiln_model_read(&reading->model, 0, mark, sizeof mark);
    kiln_xml_read(reading, &handlers);
    if (l.ids.count > 0)
        qsort(l.ids.items, l.ids.count, sizeof(named), compare_ids);
    check_accessors(&l);
    check_circles(&l);
    check_references(&l);
    if (l.fans != 0 && l.polygons != 0)
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "line %llu: <trifans> beside the polygons of line %llu, which the "
                          "importer does not tell apart; export triangles",
                          (unsigned long long)l.fans, (unsigned long long)l.polygons);
    reading->fans = l.fans != 0;
    if (l.bad_blanks || mark[0] >= 0xFE)
        rewrite(&l);
    free_list(&l.ids, sizeof(named));
    free_list(&l.instances, sizeof(instance));
    free_list(&l.arrays, sizeof(array));
    free_list(&l.accessors, sizeof(accessor));
    free(l.nodes.items);
}
