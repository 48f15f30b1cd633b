/* An FBX document: the file in memory, its records, and the objects that they describe.
 *
 * The file is read once, as a whole, so that what was checked can't change. Records and values
 * refer to its bytes; arrays are unpacked and converted when somebody wants their numbers.
 *
 * Objects are the records in <Objects> of the kinds that geometry rests on. Each has a number of
 * 64 bits, by which <Connections> say which belongs to which ("OO"); connections of properties
 * ("OP") move nothing here. Objects are found by binary search, and the children of each stand
 * together: no part takes more than n log n steps. */
#include "document.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "../../common/memory.h"
#include "../inflate.h"

enum {
    VERSION_LEAST = 7000, /* older files have other records */
    PATH_RECORDS = 6,     /* of an error */
    NAME_SHOWN = 60,
};

static const char magic[] = "Kaydara FBX Binary";

/* -- errors -- */

/* Where a record is, for a message: its place in the file and its path. */
static void place_of(const fbx *f, uint32_t record, char *text, size_t size)
{
    uint32_t above[PATH_RECORDS];
    size_t count = 0, length;

    KILN_ASSERT(record < f->record_count);
    length = (size_t)snprintf(text, size, "%s %llu", f->is_text ? "line" : "byte",
                              (unsigned long long)f->records[record].at);
    for (; record != 0 && count < PATH_RECORDS; record = f->records[record].parent)
        above[count++] = record;
    for (size_t i = count; i-- > 0 && length < size;) {
        const fbx_record *r = &f->records[above[i]];
        const int shown = (int)(r->name_length < NAME_SHOWN ? r->name_length : NAME_SHOWN);

        length += (size_t)snprintf(text + length, size - length, "%s%.*s%s",
                                   i + 1 == count ? ", in record \"" : "/", shown, r->name,
                                   i == 0 ? "\"" : "");
    }
}

/* Ends the work, with a place and a text. */
static _Noreturn void fail(const fbx *f, uint32_t record, kiln_bake_status status,
                           const char *format, va_list values)
{
    char place[PATH_RECORDS * NAME_SHOWN + 80], text[600];

    place_of(f, record, place, sizeof place);
    vsnprintf(text, sizeof text, format, values);
    kiln_send_failure(f->reading->sender, status, "%s: %s", place, text);
}

void kiln_fbx_fail(const fbx *f, uint32_t record, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    fail(f, record, KILN_BAKE_INVALID, format, values);
}

void kiln_fbx_fail_unsupported(const fbx *f, uint32_t record, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    fail(f, record, KILN_BAKE_UNSUPPORTED, format, values);
}

void kiln_fbx_warn(const fbx *f, uint32_t record, const char *format, ...)
{
    char place[PATH_RECORDS * NAME_SHOWN + 80], text[600];
    va_list values;

    va_start(values, format);
    place_of(f, record, place, sizeof place);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    kiln_send_warning(f->reading->sender, "%s: %s", place, text);
}

void kiln_fbx_check_version(const fbx *f, uint64_t version)
{
    if (version < VERSION_LEAST)
        kiln_send_failure(f->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "an FBX file of version %llu, older than what is read; export it as FBX "
                          "2011 or newer (7.x), or convert it to glTF",
                          (unsigned long long)version);
}

void *kiln_fbx_alloc(const fbx *f, size_t count, size_t size)
{
    void *memory = count < SIZE_MAX - 1 ? calloc(count + 1, size) : NULL;

    if (memory == NULL)
        kiln_read_no_memory(f->reading);
    return memory;
}

/* -- records -- */

uint32_t kiln_fbx_add_record(fbx *f, uint32_t parent, uint32_t before, const char *name,
                             uint32_t name_length, uint64_t at)
{
    const uint32_t number = (uint32_t)f->record_count;
    void *records = f->records;

    KILN_ASSERT(before == FBX_NONE || f->records[before].parent == parent);
    if (f->record_count >= FBX_NONE ||
        !kiln_grow(&records, &f->record_capacity, f->record_count + 1, sizeof *f->records))
        kiln_read_no_memory(f->reading);
    f->records = records;
    f->records[f->record_count++] = (fbx_record){.name = name,
                                                 .name_length = name_length,
                                                 .parent = parent,
                                                 .first = FBX_NONE,
                                                 .next = FBX_NONE,
                                                 .value = f->value_count,
                                                 .at = at};
    if (before != FBX_NONE)
        f->records[before].next = number;
    else if (parent != FBX_NONE)
        f->records[parent].first = number;
    return number;
}

fbx_value *kiln_fbx_add_value(fbx *f, uint32_t record, fbx_type type)
{
    void *values = f->values;

    /* Values of a record stand together: none is added once there is another record. */
    KILN_ASSERT(record + 1 == f->record_count);
    if (!kiln_grow(&values, &f->value_capacity, f->value_count + 1, sizeof *f->values) ||
        f->records[record].value_count == UINT32_MAX)
        kiln_read_no_memory(f->reading);
    f->values = values;
    f->records[record].value_count++;
    f->values[f->value_count] = (fbx_value){.type = (uint8_t)type};
    return &f->values[f->value_count++];
}

bool kiln_fbx_is(const fbx *f, uint32_t record, const char *name)
{
    const fbx_record *r = &f->records[record];

    return strlen(name) == r->name_length && memcmp(r->name, name, r->name_length) == 0;
}

/* The first record of that name from one on, among those beside it. */
static uint32_t find_from(const fbx *f, uint32_t record, const char *name)
{
    while (record != FBX_NONE && !kiln_fbx_is(f, record, name))
        record = f->records[record].next;
    return record;
}

uint32_t kiln_fbx_child(const fbx *f, uint32_t record, const char *name)
{
    KILN_ASSERT(record < f->record_count);
    return find_from(f, f->records[record].first, name);
}

uint32_t kiln_fbx_only(const fbx *f, uint32_t record, const char *name)
{
    const uint32_t found = kiln_fbx_child(f, record, name);
    const uint32_t second =
        found != FBX_NONE ? find_from(f, f->records[found].next, name) : FBX_NONE;

    if (second != FBX_NONE)
        kiln_fbx_fail(f, second, "it is given twice; repair the file");
    return found;
}

/* -- values -- */

const fbx_value *kiln_fbx_value(const fbx *f, uint32_t record, uint32_t place)
{
    KILN_ASSERT(record < f->record_count);
    return place < f->records[record].value_count ? &f->values[f->records[record].value + place]
                                                  : NULL;
}

bool kiln_fbx_says(const fbx *f, uint32_t record, uint32_t place, const char *text)
{
    const fbx_value *value = kiln_fbx_value(f, record, place);

    return value != NULL && value->type == FBX_TEXT && value->size == strlen(text) &&
           memcmp(value->is.bytes, text, (size_t)value->size) == 0;
}

bool kiln_fbx_number(const fbx *f, uint32_t record, uint32_t place, double *number)
{
    const fbx_value *value = kiln_fbx_value(f, record, place);

    if (value == NULL || (value->type != FBX_WHOLE && value->type != FBX_REAL))
        return false;
    *number = value->type == FBX_REAL ? value->is.real
              : value->beyond         ? (double)(uint64_t)value->is.whole
                                      : (double)value->is.whole;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The numbers of an array that is text, each of which is rounded once. How many there are is
 * compared with how many it declares, and a comma without a number is an error. */
static double *decimals_of(const fbx *f, uint32_t record, const fbx_value *value)
{
    const char *at = (const char *)value->is.bytes, *end = at + value->size;
    double *numbers;
    size_t found = 0;
    bool more;

    KILN_ASSERT(value->type == FBX_DECIMALS);
    /* Before memory is taken: each number takes two bytes with its comma, but the last. */
    if (value->count > value->size)
        kiln_fbx_fail(f, record, "an array of %lu numbers has %llu bytes; repair the file",
                      (unsigned long)value->count, (unsigned long long)value->size);
    numbers = kiln_fbx_alloc(f, value->count, sizeof *numbers);
    while (at < end && is_blank(*at))
        at++;
    for (more = at < end; more; found++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *to = comma != NULL ? comma : end;
        double number;

        while (at < to && is_blank(*at))
            at++;
        while (to > at && is_blank(to[-1]))
            to--;
        if (!kiln_token_number(at, (size_t)(to - at), &number))
            kiln_fbx_fail(f, record, "number %zu of its array is \"%.*s\"; repair the file", found,
                          (int)(to - at < 40 ? to - at : 40), at);
        if (found < value->count)
            numbers[found] = number;
        more = comma != NULL;
        at = more ? comma + 1 : end;
    }
    if (found != value->count)
        kiln_fbx_fail(f, record, "it declares an array of %lu numbers and has %zu; repair the file",
                      (unsigned long)value->count, found);
    return numbers;
}

/* The bytes of an array of a binary file; they are in *own, which is to be freed, if packed. */
static const uint8_t *unpacked(const fbx *f, uint32_t record, const fbx_value *value,
                               unsigned width, uint8_t **own)
{
    const uint64_t size = (uint64_t)value->count * width;
    const kiln_packed from = {.model = &f->bytes,
                              .at = (uint64_t)(value->is.bytes - f->bytes.data),
                              .size = value->size,
                              .wrapped = true};

    KILN_ASSERT(value->type == FBX_ARRAY && width > 0);
    if (!value->packed)
        return value->is.bytes;
    /* Before memory is taken: a few bytes may say that they are gigabytes. */
    if (!kiln_inflate_fits(value->size, size) || size > SIZE_MAX)
        kiln_fbx_fail(f, record, "an array unpacks to more than its bytes can be; export it again");
    *own = kiln_fbx_alloc(f, (size_t)size, 1);
    switch (kiln_inflate(f->reading, from, *own, size)) {
    case KILN_INFLATED:
    case KILN_INFLATED_BEFORE:
        return *own;
    default:
        kiln_fbx_fail(f, record,
                      "an array can't be unpacked to as many numbers as it has; export it again");
    }
}

/* The numbers of an array of a binary file. Its bytes need not be aligned, and their order is the
 * file's. */
static double *array_of(const fbx *f, uint32_t record, const fbx_value *value)
{
    const char element = value->element;
    const unsigned width = element == 'd' || element == 'l'   ? 8
                           : element == 'f' || element == 'i' ? 4
                                                              : 1;
    uint8_t *own = NULL;
    /* First, since this compares how many numbers are declared with the bytes that are there. */
    const uint8_t *from = unpacked(f, record, value, width, &own);
    double *numbers = kiln_fbx_alloc(f, value->count, sizeof *numbers);

    for (size_t i = 0; i < value->count; i++) {
        const uint64_t bits = kiln_bytes_number(from + i * width, width, f->high_first);
        const uint32_t low = (uint32_t)bits;
        float single;

        switch (element) {
        case 'd':
            memcpy(&numbers[i], &bits, sizeof numbers[i]);
            break;
        case 'f':
            memcpy(&single, &low, sizeof single);
            numbers[i] = (double)single;
            break;
        case 'l':
            numbers[i] = (double)(int64_t)bits;
            break;
        case 'i':
            numbers[i] = (double)(int32_t)low;
            break;
        default:
            numbers[i] = (double)(int8_t)bits;
        }
    }
    free(own);
    return numbers;
}

double *kiln_fbx_reals(const fbx *f, uint32_t record, size_t *count)
{
    const fbx_value *value = kiln_fbx_value(f, record, 0);
    double *numbers;

    *count = 0;
    if (value != NULL && (value->type == FBX_ARRAY || value->type == FBX_DECIMALS)) {
        if (f->records[record].value_count > 1)
            kiln_fbx_fail(f, record, "values follow its array; repair the file");
        *count = value->count;
        return value->type == FBX_ARRAY ? array_of(f, record, value)
                                        : decimals_of(f, record, value);
    }
    numbers = kiln_fbx_alloc(f, f->records[record].value_count, sizeof *numbers);
    for (; *count < f->records[record].value_count; ++*count)
        if (!kiln_fbx_number(f, record, (uint32_t)*count, &numbers[*count]))
            kiln_fbx_fail(f, record, "value %zu is no number; repair the file", *count);
    return numbers;
}

int32_t *kiln_fbx_wholes(const fbx *f, uint32_t record, size_t *count)
{
    double *numbers = kiln_fbx_reals(f, record, count);
    int32_t *wholes = kiln_fbx_alloc(f, *count, sizeof *wholes);

    /* Doubles have all whole numbers of 32 bits. */
    for (size_t i = 0; i < *count; i++) {
        if (!(numbers[i] >= INT32_MIN && numbers[i] <= INT32_MAX) ||
            numbers[i] != floor(numbers[i]))
            kiln_fbx_fail(f, record,
                          "number %zu is %.17g, and no whole one of 32 bits; repair the "
                          "file",
                          i, numbers[i]);
        wholes[i] = (int32_t)numbers[i];
    }
    free(numbers);
    return wholes;
}

/* -- properties -- */

static const char *const property_names[FBX_PROPERTY_COUNT] = {
    "Lcl Translation",
    "Lcl Rotation",
    "Lcl Scaling",
    "RotationOffset",
    "RotationPivot",
    "ScalingOffset",
    "ScalingPivot",
    "PreRotation",
    "PostRotation",
    "GeometricTranslation",
    "GeometricRotation",
    "GeometricScaling",
    "RotationOrder",
    "RotationActive",
    "InheritType",
    "DeformPercent",
    "Active",
    "UnitScaleFactor",
    "UpAxis",
    "UpAxisSign",
    "FrontAxis",
    "FrontAxisSign",
    "CoordAxis",
    "CoordAxisSign",
};

/* Where the values of a property begin, behind its name, two types and flags. */
enum { PROPERTY_VALUES = 4 };

/* Each property is compared with the few names that count, so that a list of any length is walked
 * through once. */
fbx_properties kiln_fbx_properties(const fbx *f, uint32_t record, const fbx_properties *defaults)
{
    const uint32_t list = kiln_fbx_only(f, record, "Properties70");
    fbx_properties own, all;

    for (int i = 0; i < FBX_PROPERTY_COUNT; i++)
        own.of[i] = FBX_NONE;
    for (uint32_t at = list != FBX_NONE ? f->records[list].first : FBX_NONE; at != FBX_NONE;
         at = f->records[at].next) {
        int which = 0;

        while (which < FBX_PROPERTY_COUNT && !kiln_fbx_says(f, at, 0, property_names[which]))
            which++;
        if (which == FBX_PROPERTY_COUNT)
            continue;
        if (own.of[which] != FBX_NONE)
            kiln_fbx_fail(f, at, "the property \"%s\" is given twice; repair the file",
                          property_names[which]);
        own.of[which] = at;
    }
    /* The template's count only where the object itself does not have them. */
    all = defaults != NULL ? *defaults : own;
    for (int i = 0; i < FBX_PROPERTY_COUNT; i++)
        all.of[i] = own.of[i] != FBX_NONE ? own.of[i] : all.of[i];
    return all;
}

/* A type of objects has one template in files of today: a second would be another pose. */
fbx_properties kiln_fbx_template(const fbx *f, const char *type)
{
    const uint32_t definitions = kiln_fbx_only(f, 0, "Definitions");
    uint32_t at = definitions != FBX_NONE ? f->records[definitions].first : FBX_NONE;
    uint32_t found = FBX_NONE;
    fbx_properties none;

    for (int i = 0; i < FBX_PROPERTY_COUNT; i++)
        none.of[i] = FBX_NONE;
    for (; at != FBX_NONE; at = f->records[at].next) {
        uint32_t own;

        if (!kiln_fbx_is(f, at, "ObjectType") || !kiln_fbx_says(f, at, 0, type))
            continue;
        own = kiln_fbx_only(f, at, "PropertyTemplate");
        if (own != FBX_NONE && found != FBX_NONE)
            kiln_fbx_fail(f, own, "objects of type \"%s\" have two templates; repair the file",
                          type);
        found = own != FBX_NONE ? own : found;
    }
    return found != FBX_NONE ? kiln_fbx_properties(f, found, NULL) : none;
}

/* The values of a property from the first that counts; ends the work where one is no number. */
static void numbers_of(const fbx *f, uint32_t record, uint32_t count, double *numbers)
{
    for (uint32_t i = 0; i < count; i++)
        if (!kiln_fbx_number(f, record, PROPERTY_VALUES + i, &numbers[i]) || !isfinite(numbers[i]))
            kiln_fbx_fail(f, record,
                          "a property has no finite number as value %lu; repair the file",
                          (unsigned long)PROPERTY_VALUES + i);
}

double kiln_fbx_property(const fbx *f, const fbx_properties *properties, fbx_property which,
                         double otherwise)
{
    if (properties->of[which] != FBX_NONE)
        numbers_of(f, properties->of[which], 1, &otherwise);
    return otherwise;
}

bool kiln_fbx_vector(const fbx *f, const fbx_properties *properties, fbx_property which,
                     double vector[3])
{
    if (properties->of[which] == FBX_NONE)
        return false;
    numbers_of(f, properties->of[which], 3, vector);
    return true;
}

/* -- objects -- */

char *kiln_fbx_name(const fbx *f, uint32_t object)
{
    static const char separator[] = "\0\1", quote[] = "&quot;";
    const uint32_t record = f->objects[object].record;
    const fbx_value *value = kiln_fbx_value(f, record, 1);
    const char *from = "", *to = from;
    size_t length = 0;
    char *name;

    KILN_ASSERT(object > 0 && object < f->object_count); /* the root has no record */
    if (value != NULL && value->type == FBX_TEXT) {
        from = (const char *)value->is.bytes;
        to = from + value->size;
    }
    /* "name", 0, 1, "Model" in a binary file, "Model::name" in a text. */
    for (const char *at = from; !f->is_text && at + 2 <= to; at++)
        if (memcmp(at, separator, 2) == 0)
            to = at;
    if (f->is_text) {
        const char *at = from;

        while (at + 2 <= to && memcmp(at, "::", 2) != 0)
            at++;
        from = at + 2 <= to ? at + 2 : from;
    }
    name = kiln_fbx_alloc(f, (size_t)(to - from), 1);
    while (from < to && *from != '\0') {
        const bool quoted = f->is_text && to - from >= 6 && memcmp(from, quote, 6) == 0;

        name[length++] = quoted ? '"' : *from;
        from += quoted ? 6 : 1;
    }
    return name;
}

bool kiln_fbx_is_a(const fbx *f, uint32_t object, fbx_kind kind, const char *type)
{
    return f->objects[object].kind == kind && kiln_fbx_says(f, f->objects[object].record, 2, type);
}

/* The kind of the object that a record describes; FBX_ROOT: none that counts here. */
static fbx_kind kind_of(const fbx *f, uint32_t record)
{
    static const struct {
        const char *name;
        fbx_kind kind;
    } kinds[] = {{"Model", FBX_MODEL},
                 {"Geometry", FBX_GEOMETRY},
                 {"Deformer", FBX_DEFORMER},
                 {"Material", FBX_MATERIAL},
                 {"NodeAttribute", FBX_ATTRIBUTE},
                 {"Constraint", FBX_CONSTRAINT}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kiln_fbx_is(f, record, kinds[i].name))
            return kinds[i].kind;
    return FBX_ROOT;
}

/* The number of an object at a place of a record. */
static int64_t id_of(const fbx *f, uint32_t record, uint32_t place)
{
    const fbx_value *value = kiln_fbx_value(f, record, place);

    if (value == NULL || value->type != FBX_WHOLE)
        kiln_fbx_fail(
            f, record,
            "value %lu is not the number of an object, a whole one of 64 bits; repair the "
            "file",
            (unsigned long)place);
    return value->is.whole;
}

static void add_object(fbx *f, int64_t id, uint32_t record, fbx_kind kind)
{
    void *objects = f->objects;

    if (f->object_count >= FBX_NONE ||
        !kiln_grow(&objects, &f->object_capacity, f->object_count + (size_t)1, sizeof *f->objects))
        kiln_read_no_memory(f->reading);
    f->objects = objects;
    f->objects[f->object_count++] = (fbx_object){.id = id, .record = record, .kind = kind};
}

/* Objects of kinds that are not read are none here, and connections to them lead to nothing. */
static void list_objects(fbx *f)
{
    const uint32_t documents = kiln_fbx_only(f, 0, "Documents");
    const uint32_t document =
        documents != FBX_NONE ? kiln_fbx_child(f, documents, "Document") : FBX_NONE;
    const uint32_t root = document != FBX_NONE ? kiln_fbx_only(f, document, "RootNode") : FBX_NONE;

    add_object(f, root != FBX_NONE ? id_of(f, root, 0) : 0, FBX_NONE, FBX_ROOT);
    for (uint32_t list = f->records[0].first; list != FBX_NONE; list = f->records[list].next) {
        if (!kiln_fbx_is(f, list, "Objects"))
            continue;
        for (uint32_t at = f->records[list].first; at != FBX_NONE; at = f->records[at].next) {
            const fbx_kind kind = kind_of(f, at);

            if (kind != FBX_ROOT)
                add_object(f, id_of(f, at, 0), at, kind);
        }
    }
}

/* -- connections -- */

/* An object by its number. */
typedef struct {
    int64_t id;
    uint32_t object;
} numbered;

static int compare_ids(const void *a, const void *b)
{
    const numbered *p = a, *q = b;

    return p->id != q->id ? (p->id < q->id ? -1 : 1) : p->object < q->object ? -1 : 1;
}

/* The objects by their numbers, which have to differ: what refers to one would mean two. */
static numbered *sort_objects(const fbx *f)
{
    numbered *by_id = kiln_fbx_alloc(f, f->object_count, sizeof *by_id);

    for (uint32_t i = 0; i < f->object_count; i++)
        by_id[i] = (numbered){f->objects[i].id, i};
    qsort(by_id, f->object_count, sizeof *by_id, compare_ids);
    for (uint32_t i = 1; i < f->object_count; i++)
        if (by_id[i].id == by_id[i - 1].id)
            kiln_fbx_fail(f, f->objects[by_id[i].object].record,
                          "an object has the number %lld, which %s has; repair the file",
                          (long long)by_id[i].id,
                          by_id[i - 1].object == 0 ? "the root" : "an earlier one");
    return by_id;
}

/* The object of that number, by binary search; FBX_NONE: there is none. */
static uint32_t find_object(const fbx *f, const numbered *by_id, int64_t id)
{
    size_t low = 0, high = f->object_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (by_id[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->object_count && by_id[low].id == id ? by_id[low].object : FBX_NONE;
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t *p = a, *q = b;

    return *p < *q ? -1 : *p > *q;
}

/* The numbers of all records in <Objects>, of whatever kind, and of all documents and their roots,
 * in their order. What is none of these is in no record. */
static int64_t *list_numbers(const fbx *f, size_t *count)
{
    size_t capacity = 0;
    void *numbers = NULL;

    *count = 0;
    for (uint32_t record = 1; record < f->record_count; record++) {
        const uint32_t parent = f->records[record].parent;
        const fbx_value *value = kiln_fbx_value(f, record, 0);

        if (value == NULL || value->type != FBX_WHOLE ||
            !((kiln_fbx_is(f, parent, "Objects") && f->records[parent].parent == 0) ||
              kiln_fbx_is(f, record, "Document") || kiln_fbx_is(f, record, "RootNode")))
            continue;
        if (!kiln_grow(&numbers, &capacity, *count + 1, sizeof(int64_t)))
            kiln_read_no_memory(f->reading);
        ((int64_t *)numbers)[(*count)++] = value->is.whole;
    }
    if (*count > 0)
        qsort(numbers, *count, sizeof(int64_t), compare_numbers);
    return numbers;
}

typedef struct {
    uint32_t parent, child, order;
} link;

static int compare_pairs(const void *a, const void *b)
{
    const link *p = a, *q = b;

    if (p->parent != q->parent)
        return p->parent < q->parent ? -1 : 1;
    if (p->child != q->child)
        return p->child < q->child ? -1 : 1;
    return p->order < q->order ? -1 : 1;
}

static int compare_orders(const void *a, const void *b)
{
    const link *p = a, *q = b;

    if (p->parent != q->parent)
        return p->parent < q->parent ? -1 : 1;
    return p->order < q->order ? -1 : 1;
}

/* Reports connections of objects that geometry rests on with what is in no record: a part of the
 * model may be missing. Where neither end counts here, nothing does. */
static void look_at_missing(const fbx *f, const numbered *by_id)
{
    size_t count, missing = 0;
    int64_t *numbers = list_numbers(f, &count);
    uint32_t example = 0;
    int64_t missed = 0;

    KILN_ASSERT(by_id != NULL && f->object_count > 0); /* the root at least */
    for (uint32_t at = 1; at < f->record_count; at++) {
        const uint32_t list = f->records[at].parent;

        if (!kiln_fbx_is(f, list, "Connections") || f->records[list].parent != 0 ||
            !kiln_fbx_says(f, at, 0, "OO"))
            continue;
        for (uint32_t end = 1; end <= 2; end++) {
            const int64_t id = id_of(f, at, end);

            if (find_object(f, by_id, id) != FBX_NONE ||
                find_object(f, by_id, id_of(f, at, 3 - end)) == FBX_NONE ||
                (count > 0 && bsearch(&id, numbers, count, sizeof id, compare_numbers) != NULL))
                continue;
            if (missing++ == 0) {
                example = at;
                missed = id;
            }
        }
    }
    free(numbers);
    if (missing > 0)
        kiln_fbx_warn(f, example,
                      "connections (%zu) lead to objects that are not in the file, such as %lld: "
                      "parts of the model may be missing; export it again",
                      missing, (long long)missed);
}

/* Connections between objects that count here; those of others lead to nothing. */
static link *list_links(const fbx *f, size_t *count)
{
    numbered *by_id = sort_objects(f);
    size_t capacity = 0;
    void *links = NULL;

    *count = 0;
    look_at_missing(f, by_id);
    for (uint32_t list = f->records[0].first; list != FBX_NONE; list = f->records[list].next) {
        if (!kiln_fbx_is(f, list, "Connections"))
            continue;
        for (uint32_t at = f->records[list].first; at != FBX_NONE; at = f->records[at].next) {
            uint32_t child, parent;

            if (!kiln_fbx_says(f, at, 0, "OO"))
                continue;
            child = find_object(f, by_id, id_of(f, at, 1));
            parent = find_object(f, by_id, id_of(f, at, 2));
            if (child == FBX_NONE || parent == FBX_NONE)
                continue;
            if (*count >= UINT32_MAX || !kiln_grow(&links, &capacity, *count + 1, sizeof(link)))
                kiln_read_no_memory(f->reading);
            ((link *)links)[*count] = (link){parent, child, (uint32_t)*count};
            ++*count;
        }
    }
    free(by_id);
    return links;
}

/* Puts the children of each object together. A connection that is given twice counts once. */
static void connect(fbx *f)
{
    size_t count, kept = 0;
    link *links = list_links(f, &count);

    if (count > 0)
        qsort(links, count, sizeof *links, compare_pairs);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || links[i].parent != links[kept - 1].parent ||
            links[i].child != links[kept - 1].child)
            links[kept++] = links[i];
    if (kept > 0)
        qsort(links, kept, sizeof *links, compare_orders);
    KILN_ASSERT(kept <= count);
    f->children = kiln_fbx_alloc(f, kept, sizeof *f->children);
    for (size_t i = 0; i < kept; i++) {
        fbx_object *parent = &f->objects[links[i].parent];

        if (parent->child_count++ == 0)
            parent->child = i;
        KILN_ASSERT(parent->child + parent->child_count == i + 1);
        f->children[i] = links[i].child;
    }
    free(links);
}

/* -- the file -- */

/* The whole file, in new memory. */
static void load(fbx *f)
{
    kiln_reading *reading = f->reading;
    const uint64_t size = reading->model.size;
    uint8_t *data = NULL;

    if (size < SIZE_MAX && (reading->memory == 0 || size < reading->memory))
        data = malloc((size_t)size + 1);
    if (data == NULL)
        kiln_read_no_memory(reading);
    if (kiln_model_read(&reading->model, 0, data, (size_t)size) != size)
        kiln_send_failure(reading->sender, KILN_BAKE_IO,
                          "the file has become shorter while it was read; try again");
    data[size] = '\0';
    f->bytes = (kiln_model){.file = -1, .data = data, .size = size};
}

void kiln_fbx_open(fbx *f, kiln_reading *reading)
{
    const size_t magic_size = sizeof magic - 1;
    uint32_t header, encryption;
    double kind = 0;

    *f = (fbx){.reading = reading};
    load(f);
    (void)kiln_fbx_add_record(f, FBX_NONE, FBX_NONE, "", 0, 0);
    if (f->bytes.size >= magic_size && memcmp(f->bytes.data, magic, magic_size) == 0)
        kiln_fbx_parse_binary(f);
    else
        kiln_fbx_parse_text(f);
    KILN_ASSERT(f->record_count > 0 && f->records[0].parent == FBX_NONE);
    header = kiln_fbx_only(f, 0, "FBXHeaderExtension");
    encryption = header != FBX_NONE ? kiln_fbx_only(f, header, "EncryptionType") : FBX_NONE;
    if (encryption != FBX_NONE && kiln_fbx_number(f, encryption, 0, &kind) && kind != 0)
        kiln_fbx_fail_unsupported(f, encryption, "the file is encrypted; export it without that");
    list_objects(f);
    connect(f);
}

void kiln_fbx_close(fbx *f)
{
    free((void *)(uintptr_t)f->bytes.data);
    free(f->records);
    free(f->values);
    free(f->objects);
    free(f->children);
}
