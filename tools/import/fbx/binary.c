/* The binary form of FBX. There is no specification in public; it is as Blender's developers have
 * described it ("FBX binary file format specification", 2013), and as programs write it.
 *
 * A file is a tree of records. Each has its end, the number and the bytes of its values, a name,
 * the values, and perhaps a list of records that an empty one ends. All sizes are compared with
 * those of what they are in before a byte behind them is looked at. Files are read that
 *
 * - have numbers with the high byte first, where byte 22 of the file is not 0;
 *
 * - have records whose end is 0: these have no list, and end with their values;
 *
 * - have lists that end where their record does, without an empty one;
 *
 * - have numbers of one or two bytes (types B, C, Y and Z) anywhere, and arrays of type b.
 *
 * Behind the last record there is a footer of about 180 bytes. */
#include <string.h>

#include "../../../formats/assert.h"
#include "document.h"

enum {
    HEAD_SIZE = 27, /* of the file: its name, 1A, the order of bytes, the version */
    ORDER_AT = 22,
    VERSION_AT = 23,
    VERSION_WIDE = 7500, /* and later: sizes of 64 bits */
    DEPTH_MOST = 64,     /* of records in records; programs write 8 or so */
    TAIL_MOST = 192,     /* behind the last record: a code, padding, version and another code */
    ARRAY_HEAD = 12,     /* count, packing, bytes */
};

typedef struct {
    fbx *f;
    const uint8_t *data;
    uint64_t size;
    unsigned width; /* of sizes */
    bool zero_ends; /* a record has the end 0 */
} parsing;

static uint64_t number_of(const parsing *p, uint64_t at, unsigned bytes)
{
    KILN_ASSERT(at <= p->size && bytes <= p->size - at);
    return kiln_bytes_number(p->data + at, bytes, p->f->high_first);
}

/* Ends the work because of a byte within a record. */
static _Noreturn void fail(const parsing *p, uint32_t record, uint64_t at, const char *what)
{
    KILN_ASSERT(record < p->f->record_count && at <= p->size);
    p->f->records[record].at = at;
    kiln_fbx_fail(p->f, record, "%s; export it again", what);
}

/* -- values -- */

/* Bytes of a value, or of an element of an array; 0: there is no such type. Capitals are single
 * values, small letters arrays; texts and raw bytes (S and R) have a length of their own. */
static unsigned width_of(char type)
{
    switch (type) {
    case 'B':
    case 'C':
    case 'Z':
    case 'b':
    case 'c':
        return 1;
    case 'Y':
        return 2;
    case 'I':
    case 'F':
    case 'i':
    case 'f':
        return 4;
    case 'D':
    case 'L':
    case 'd':
    case 'l':
        return 8;
    default:
        return 0;
    }
}

/* Adds an array, which is unpacked when it is wanted; returns its end. */
static uint64_t parse_array(parsing *p, uint32_t record, char type, uint64_t at, uint64_t end)
{
    fbx_value *value;
    uint64_t count, packing, size;

    KILN_ASSERT(at <= end && end <= p->size);
    if (end - at < ARRAY_HEAD)
        fail(p, record, at, "its values end within an array");
    count = number_of(p, at, 4);
    packing = number_of(p, at + 4, 4);
    size = number_of(p, at + 8, 4);
    at += ARRAY_HEAD;
    if (packing > 1)
        fail(p, record, at, "an array is packed in a way that is not known");
    if (size > end - at)
        fail(p, record, at, "an array is longer than the values that it is one of");
    if (packing == 0 && size != count * width_of(type))
        fail(p, record, at, "an array has another number of bytes than its numbers need");
    value = kiln_fbx_add_value(p->f, record, FBX_ARRAY);
    value->element = type;
    value->packed = packing == 1;
    value->count = (uint32_t)count;
    value->size = size;
    value->is.bytes = p->data + at;
    return at + size;
}

/* Adds a single number, of the type and with the bytes that the file has. */
static void add_number(parsing *p, uint32_t record, char type, uint64_t bits)
{
    fbx_value *value;

    KILN_ASSERT(width_of(type) == 8 || bits >> 8 * width_of(type) == 0);
    if (type == 'F' || type == 'D') {
        const uint32_t low = (uint32_t)bits;
        float single;

        value = kiln_fbx_add_value(p->f, record, FBX_REAL);
        memcpy(&single, &low, sizeof single);
        memcpy(&value->is.real, &bits, sizeof value->is.real);
        if (type == 'F')
            value->is.real = (double)single;
        return;
    }
    value = kiln_fbx_add_value(p->f, record, FBX_WHOLE);
    /* Bytes beyond the type's own are 0 here, so that the sign has to be brought up from its last.
     * All have a sign but B, which is true or false. */
    switch (type) {
    case 'B':
        value->is.whole = (int64_t)bits;
        break;
    case 'Y':
        value->is.whole = (int16_t)bits;
        break;
    case 'I':
        value->is.whole = (int32_t)bits;
        break;
    case 'L':
        value->is.whole = (int64_t)bits;
        break;
    default:
        value->is.whole = (int8_t)bits;
    }
}

/* Adds a value; returns its end. */
static uint64_t parse_value(parsing *p, uint32_t record, uint64_t at, uint64_t end)
{
    const char type = at < end ? (char)p->data[at] : '\0';
    const unsigned width = width_of(type);
    fbx_value *value;
    uint64_t size;

    KILN_ASSERT(at <= end && end <= p->size);
    if (at == end)
        fail(p, record, at, "it has fewer values than it says");
    if (width == 0 && type != 'S' && type != 'R') {
        p->f->records[record].at = at;
        if (type > ' ' && type <= '~')
            kiln_fbx_fail(p->f, record,
                          "a value is of type '%c', which is not known; export it again", type);
        kiln_fbx_fail(p->f, record, "a value is of type %d, which is not known; export it again",
                      p->data[at]);
    }
    at++;
    if (width != 0 && type >= 'a')
        return parse_array(p, record, type, at, end);
    if ((width != 0 ? width : 4) > end - at)
        fail(p, record, at, "its values end within one");
    if (width != 0) {
        add_number(p, record, type, number_of(p, at, width));
        return at + width;
    }
    size = number_of(p, at, 4);
    at += 4;
    if (size > end - at)
        fail(p, record, at, "its values end within one");
    value = kiln_fbx_add_value(p->f, record, type == 'S' ? FBX_TEXT : FBX_BYTES);
    value->size = size;
    value->is.bytes = p->data + at;
    return at + size;
}

/* -- records -- */

/* What stands before the values of a record. */
typedef struct {
    uint64_t end, count, length;
    uint32_t name_length;
} head;

/* Reads that; false: it is the empty record that ends a list. */
static bool parse_head(parsing *p, uint64_t *at, uint64_t limit, uint32_t in, head *h)
{
    const unsigned width = p->width;

    KILN_ASSERT(*at <= limit && limit <= p->size);
    if (limit - *at < 3 * width + 1)
        fail(p, in, *at, "it ends within a record");
    *h = (head){.end = number_of(p, *at, width),
                .count = number_of(p, *at + width, width),
                .length = number_of(p, *at + 2 * width, width),
                .name_length = p->data[*at + 3 * width]};
    *at += 3 * width + 1;
    /* A record of the end 0 that has a name is one of those that end with their values. */
    if (h->end == 0 && h->name_length == 0)
        return false;
    if (h->name_length > limit - *at)
        fail(p, in, *at, "it ends within a record");
    return true;
}

/* Adds a list of records up to `limit` to one; returns where it ends. */
static uint64_t parse_list(parsing *p, uint64_t at, uint64_t limit, uint32_t in, unsigned depth)
{
    uint32_t before = FBX_NONE;

    if (depth > DEPTH_MOST)
        fail(p, in, at, "records in records are deeper than any program writes them");
    while (at < limit) {
        const uint64_t start = at;
        uint64_t values_end;
        uint32_t record;
        head h;

        if (!parse_head(p, &at, limit, in, &h))
            break;
        record =
            kiln_fbx_add_record(p->f, in, before, (const char *)p->data + at, h.name_length, start);
        before = record;
        at += h.name_length;
        if (h.end != 0 && (h.end > limit || h.end < at))
            fail(p, record, start, "its end is not behind it, or is beyond what it is in");
        if (h.length > (h.end != 0 ? h.end : limit) - at)
            fail(p, record, start, "its values are longer than it");
        values_end = at + h.length;
        /* A count that lies ends here as well: each value takes a byte at least. */
        for (uint64_t i = 0; i < h.count; i++)
            at = parse_value(p, record, at, values_end);
        if (at != values_end)
            fail(p, record, at, "its values are shorter than it says");
        p->zero_ends |= h.end == 0;
        if (h.end == 0)
            continue;
        KILN_ASSERT(at <= h.end && h.end <= limit);
        if (at < h.end)
            at = parse_list(p, at, h.end, record, depth + 1);
        if (at != h.end)
            fail(p, record, at, "bytes are left behind its records");
    }
    return at;
}

/* Whether a record may begin here: a name of letters where one would be. */
static bool is_record(const parsing *p, uint64_t at)
{
    const unsigned head_size = 3 * p->width + 1;
    const unsigned length = p->size - at >= head_size ? p->data[at + head_size - 1] : 0;
    /* What follows the records has no such name: a code of 16 bytes, zeros, and another code. */
    bool letters = length > 0 && p->size - at - head_size >= length;

    for (unsigned i = 0; letters && i < length; i++) {
        const uint8_t c = p->data[at + head_size + i];

        letters =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    }
    return letters;
}

void kiln_fbx_parse_binary(fbx *f)
{
    parsing p = {.f = f, .data = f->bytes.data, .size = f->bytes.size};
    uint64_t version, end;

    if (p.size < HEAD_SIZE)
        fail(&p, 0, p.size, "the file ends within its first bytes");
    f->high_first = p.data[ORDER_AT] != 0;
    version = number_of(&p, VERSION_AT, 4);
    kiln_fbx_check_version(f, version);
    p.width = version >= VERSION_WIDE ? 8 : 4;
    end = parse_list(&p, HEAD_SIZE, p.size, 0, 0);
    /* Where a record has the end 0 and has a list all the same, the list ends the file. */
    if ((p.zero_ends && p.size - end > TAIL_MOST) || is_record(&p, end))
        fail(&p, 0, end,
             p.zero_ends ? "the records end here, and more follow: some have a list and no end"
                         : "the records end here, and more follow");
    if (p.size - end > TAIL_MOST)
        kiln_send_warning(f->reading->sender,
                          "byte %llu: %llu bytes follow behind the records, and are not read",
                          (unsigned long long)end, (unsigned long long)(p.size - end));
    f->records[0].at = 0;
}
