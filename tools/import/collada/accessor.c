/* Accessors of Collada (1.4.1, chapter 5, <accessor>).
 *
 * An accessor divides an array into elements of `stride` values, from `offset` on; its <param>s say
 * which of them count: those that have a name, in their order. Coordinates that are named X, Y and
 * Z are taken by these names. Here everything that an accessor is declared to reach has to be in
 * its array, and an array has to have as many values as it declares. */
#include "accessor.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"

#define ARRAYS                                                                                     \
    (DAE_IS(DAE_FLOAT_ARRAY) | DAE_IS(DAE_INT_ARRAY) | DAE_IS(DAE_BOOL_ARRAY) |                    \
     DAE_IS(DAE_NAME_ARRAY) | DAE_IS(DAE_IDREF_ARRAY) | DAE_IS(DAE_SIDREF_ARRAY) |                 \
     DAE_IS(DAE_TOKEN_ARRAY))

uint32_t kiln_dae_input(const dae *d, uint32_t of, const char *semantic)
{
    uint32_t found = DAE_NONE;

    /* Others may be there several times, such as sets of texture coordinates. */
    for (uint32_t at = kiln_dae_child(d, of, DAE_INPUT); at != DAE_NONE;
         at = kiln_dae_next(d, at)) {
        const char *own = kiln_dae_attribute(d, at, "semantic");

        if (own == NULL || strcmp(own, semantic) != 0)
            continue;
        if (found != DAE_NONE)
            kiln_dae_fail(d, at, "is the second of semantic %s; remove one", semantic);
        found = at;
    }
    return found;
}

uint32_t kiln_dae_needed_input(const dae *d, uint32_t of, const char *semantic)
{
    const uint32_t input = kiln_dae_input(d, of, semantic);

    if (input == DAE_NONE)
        kiln_dae_fail(d, of, "has no <input> of semantic %s; repair the file", semantic);
    return input;
}

/* An accessor and its array, which has to be one of these tags. */
typedef struct {
    uint32_t element, array;
    size_t count, stride, offset;
} place;

/* Follows an input to its source, to the accessor of that, and to the array, and compares the
 * counts of both with what is there. `what` names what is wanted, for the message. */
static place find(const dae *d, uint32_t input, uint64_t wanted, const char *what)
{
    const uint32_t source = kiln_dae_reference(d, input, "source", DAE_IS(DAE_SOURCE));
    const uint32_t common = kiln_dae_needed(d, source, DAE_TECHNIQUE_COMMON);
    place p = {.element = kiln_dae_needed(d, common, DAE_ACCESSOR)};
    const dae_element *array;
    uint64_t declared;

    p.array = kiln_dae_reference(d, p.element, "source", ARRAYS);
    array = &d->elements[p.array];
    /* The array may be another mesh's: an id counts in all of the document. */
    if ((DAE_IS(array->tag) & wanted) == 0)
        kiln_dae_fail_unsupported(d, p.element,
                                  "is of a <%s>, where %s are needed; export them "
                                  "so",
                                  kiln_dae_name(array->tag), what);
    /* A count that lies is a file that was cut or put together wrongly, even where enough is there.
     */
    declared = kiln_dae_whole(d, p.array, "count", array->count);
    if (declared != array->count)
        kiln_dae_fail(d, p.array, "declares %llu values and has %zu; repair the count",
                      (unsigned long long)declared, array->count);
    if (kiln_dae_attribute(d, p.element, "count") == NULL)
        kiln_dae_fail(d, p.element, "has no attribute \"count\"; repair the file");
    p.count = (size_t)kiln_dae_whole(d, p.element, "count", 0);
    p.stride = (size_t)kiln_dae_whole(d, p.element, "stride", 1);
    p.offset = (size_t)kiln_dae_whole(d, p.element, "offset", 0);
    if (p.count > UINT32_MAX)
        kiln_dae_fail_unsupported(d, p.element,
                                  "has more than 4294967295 elements; split the "
                                  "model");
    /* All elements at one place: a mistake, since a stride that is left out is 1. */
    if (p.stride == 0 && p.count > 0)
        kiln_dae_fail(d, p.element, "has a stride of 0; repair the file");
    return p;
}

/* `reach`: how many values of an element count, from its first. */
static void check_reach(const dae *d, const place *p, size_t reach)
{
    const dae_element *array = &d->elements[p->array];
    /* By its id it was found. */
    const char *id = kiln_dae_attribute(d, p->array, "id");

    KILN_ASSERT(id != NULL && reach > 0);
    if (reach > p->stride && p->count > 0)
        kiln_dae_fail(d, p->element,
                      "has a stride of %zu, and elements of %zu values; repair the "
                      "counts",
                      p->stride, reach);
    /* In floating point, since products of counts that lie overflow. */
    if (p->count > 0 &&
        (double)p->offset + (double)(p->count - 1) * (double)p->stride + (double)reach >
            (double)array->count)
        kiln_dae_fail(d, p->element,
                      "of %zu elements (offset %zu, stride %zu) reaches to number %.0f of array "
                      "\"%.200s\", which has %zu; repair the counts",
                      p->count, p->offset, p->stride,
                      (double)p->offset + (double)(p->count - 1) * (double)p->stride +
                          (double)reach,
                      id, array->count);
}

/* How many values a parameter has: "float3" 3, "float4x4" 16. */
static size_t width_of(const char *type)
{
    const char *digit = type != NULL ? strpbrk(type, "123456789") : NULL;

    if (digit == NULL || strncmp(type, "float", 5) != 0 || digit != type + 5)
        return 1;
    return digit[1] == 'x' && digit[2] >= '1' && digit[2] <= '4' && digit[0] <= '4'
               ? (size_t)(digit[0] - '0') * (size_t)(digit[2] - '0')
               : (size_t)(digit[0] - '0');
}

/* Where the values of an element lie that count: of each parameter, as many as its type is wide. */
typedef struct {
    size_t at[DAE_WIDTH_MOST], taken;
    size_t letters[3]; /* of parameters named X, Y and Z; DAE_ZERO: there is none */
    size_t letter_count;
    bool any; /* there is a parameter */
} slots;

/* Those that have a name count, in their order, until there are as many as wanted. */
static slots slots_of(const dae *d, uint32_t accessor, size_t width)
{
    slots s = {.letters = {DAE_ZERO, DAE_ZERO, DAE_ZERO}};
    size_t slot = 0, unnamed = DAE_ZERO;
    bool named = false;

    for (uint32_t at = kiln_dae_child(d, accessor, DAE_PARAM); at != DAE_NONE;
         at = kiln_dae_next(d, at)) {
        const char *name = kiln_dae_attribute(d, at, "name");
        const size_t wide = width_of(kiln_dae_attribute(d, at, "type"));
        const char *letter =
            name != NULL && name[0] != '\0' && name[1] == '\0' ? strchr("XxYyZz", name[0]) : NULL;

        s.any = true;
        named |= name != NULL && name[0] != '\0';
        if (letter != NULL) {
            size_t *own = &s.letters[(letter - "XxYyZz") / 2];

            if (*own != DAE_ZERO && width == 3)
                kiln_dae_fail(d, at, "is the second of the name \"%s\"; rename one", name);
            s.letter_count += *own == DAE_ZERO;
            *own = slot;
        }
        for (size_t i = 0; i < wide && name != NULL && name[0] != '\0'; i++)
            if (s.taken < width)
                s.at[s.taken++] = slot + i;
        if (wide == width && unnamed == DAE_ZERO && (name == NULL || name[0] == '\0'))
            unnamed = slot;
        slot += wide;
    }
    /* One without a name counts where there is no other, as of a matrix: it is all there is. */
    for (; s.taken < width && unnamed != DAE_ZERO && !named; s.taken++)
        s.at[s.taken] = unnamed + s.taken;
    /* Without parameters nothing is meant by the letter; exporters that leave them out mean all. */
    if (!s.any)
        for (s.taken = 0; s.taken < width; s.taken++)
            s.at[s.taken] = s.taken;
    return s;
}

/* Coordinates: their letters decide where there are two or more. One alone has to be in the place
 * that it has among those without. */
static void place_letters(const dae *d, uint32_t accessor, slots *s, bool warn)
{
    for (size_t i = 0; i < 3 && s->letter_count == 1; i++)
        if (s->letters[i] != DAE_ZERO && (s->taken <= i || s->at[i] != s->letters[i]))
            kiln_dae_fail(d, accessor,
                          "has a parameter %c, which is not number %zu of those with a name; name "
                          "all parameters X, Y and Z",
                          (char)('X' + i), i + 1);
    if (s->letter_count > 1)
        memcpy(s->at, s->letters, sizeof s->letters);
    else if (s->taken == 2)
        s->at[2] = DAE_ZERO;
    if (s->letter_count > 1 || s->taken == 2)
        s->taken = 3;
    for (size_t i = 0; i < s->taken; i++)
        if (s->at[i] == DAE_ZERO && warn)
            kiln_dae_warn(d, accessor, "has no %c; it is taken to be 0", (char)('X' + i));
}

dae_accessor kiln_dae_accessor(const dae *d, uint32_t input, unsigned width)
{
    const place p = find(d, input, DAE_IS(DAE_FLOAT_ARRAY) | DAE_IS(DAE_INT_ARRAY),
                         "numbers (<float_array> or <int_array>)");
    dae_accessor a = {.element = p.element,
                      .numbers = d->numbers + d->elements[p.array].from,
                      .count = p.count,
                      .stride = p.stride,
                      .offset = p.offset,
                      .width = width};
    slots s = slots_of(d, p.element, width);
    size_t reach = 0;

    KILN_ASSERT(width > 0 && width <= DAE_WIDTH_MOST);
    if (width == 3)
        place_letters(d, p.element, &s, p.count > 0);
    if (s.taken < width)
        kiln_dae_fail(d, p.element,
                      "has %zu values with a name an element, where %u are needed; "
                      "repair the parameters",
                      s.taken, width);
    memcpy(a.at, s.at, sizeof a.at);
    for (size_t i = 0; i < width; i++)
        reach = a.at[i] != DAE_ZERO && a.at[i] + 1 > reach ? a.at[i] + 1 : reach;
    check_reach(d, &p, reach);
    return a;
}

double kiln_dae_value(const dae_accessor *a, size_t element, unsigned number)
{
    KILN_ASSERT(element < a->count && number < a->width);
    return a->at[number] == DAE_ZERO ? 0
                                     : a->numbers[a->offset + element * a->stride + a->at[number]];
}

dae_names kiln_dae_names(const dae *d, uint32_t input)
{
    const uint64_t ids = DAE_IS(DAE_IDREF_ARRAY);
    const uint64_t others =
        DAE_IS(DAE_NAME_ARRAY) | DAE_IS(DAE_SIDREF_ARRAY) | DAE_IS(DAE_TOKEN_ARRAY);
    const place p = find(d, input, ids | others, "names (<Name_array> or <IDREF_array>)");
    const dae_element *array = &d->elements[p.array];
    dae_names names = {
        .element = p.element, .count = p.count, .ids = array->tag == DAE_IDREF_ARRAY};
    const slots s = slots_of(d, p.element, 1);
    const char *word = d->text + array->from;
    size_t next = p.offset, kept = 0;

    /* Parameters of names have no name of their own in some files: the first counts then. */
    check_reach(d, &p, s.taken > 0 ? s.at[0] + 1 : 1);
    next += s.taken > 0 ? s.at[0] : 0;
    names.items = kiln_dae_alloc(d, p.count, sizeof *names.items);
    /* Words lie one after the other, so that they are gone through in their order. */
    for (size_t i = 0; i < array->count && kept < p.count; i++) {
        if (i == next) {
            names.items[kept++] = word;
            next += p.stride;
        }
        word += strlen(word) + 1;
    }
    KILN_ASSERT(kept == p.count);
    return names;
}
