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

/* The parameters are gone through once: each takes as many slots of an element as its type is wide,
 * and those that count are noted until there are as many as wanted. */
dae_accessor kiln_dae_accessor(const dae *d, uint32_t input, unsigned width)
{
    const place p = find(d, input, DAE_IS(DAE_FLOAT_ARRAY), "numbers (<float_array>)");
    dae_accessor a = {.element = p.element,
                      .numbers = d->numbers + d->elements[p.array].from,
                      .count = p.count,
                      .stride = p.stride,
                      .offset = p.offset,
                      .width = width};
    size_t slot = 0, taken = 0, reach = 0, by_name[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    bool any = false;

    KILN_ASSERT(width > 0 && width <= DAE_WIDTH_MOST);
    for (uint32_t at = kiln_dae_child(d, p.element, DAE_PARAM); at != DAE_NONE;
         at = kiln_dae_next(d, at)) {
        const char *name = kiln_dae_attribute(d, at, "name");
        const size_t wide = width_of(kiln_dae_attribute(d, at, "type"));

        any = true;
        if (name != NULL && name[0] >= 'X' && name[0] <= 'Z' && name[1] == '\0')
            by_name[name[0] - 'X'] = slot;
        /* A matrix counts as one without a name too: it is all that there is. */
        for (size_t i = 0; i < wide && ((name != NULL && name[0] != '\0') || wide == width); i++)
            if (taken < width)
                a.at[taken++] = slot + i;
        slot += wide;
    }
    /* The letters decide about the order; positions without Z lie in a plane. */
    if (width == 3 && by_name[0] != SIZE_MAX && by_name[1] != SIZE_MAX) {
        memcpy(a.at, by_name, sizeof by_name);
        taken = by_name[2] != SIZE_MAX ? 3 : 2;
    }
    /* Without parameters nothing is meant by the letter; exporters that leave them out mean all. */
    if (!any)
        for (taken = 0; taken < width; taken++)
            a.at[taken] = taken;
    if (width == 3 && taken == 2)
        a.flat = true;
    else if (taken < width)
        kiln_dae_fail(d, p.element,
                      "has %zu values with a name an element, where %u are needed; "
                      "repair the parameters",
                      taken, width);
    KILN_ASSERT(taken > 0 && taken <= width);
    for (size_t i = 0; i < taken; i++)
        reach = a.at[i] + 1 > reach ? a.at[i] + 1 : reach;
    check_reach(d, &p, reach);
    return a;
}

double kiln_dae_value(const dae_accessor *a, size_t element, unsigned number)
{
    KILN_ASSERT(element < a->count && number < a->width);
    return a->flat && number == 2 ? 0 : a->numbers[a->offset + element * a->stride + a->at[number]];
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
    const char *word = d->text + array->from;
    size_t next = p.offset, kept = 0;

    check_reach(d, &p, 1);
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
