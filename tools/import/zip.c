/* Archives of ZIP (PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", version 6.3.9, 2020), as
 * far as 3MF and AMF have them: files that are stored or deflated (zlib), sizes of 32 and of 64
 * bits.
 *
 * An archive ends with a record that says where its list of files is, the central directory. What
 * that list says counts; the header before the data of a file is only looked at for how long it is
 * and whether it has the same name. An archive that two programs could read in two ways is refused:
 * one whose records contradict each other, or with other bytes before or behind it. So is one of
 * whose files that is wanted another has the name, when it is wanted.
 *
 * No count or size is trusted. The list lies in the file, so memory grows with bytes that are
 * there. A file is unpacked to at most as many bytes as it declares, which can't be more than
 * deflating makes possible, nor than the limit of memory. */
#define _POSIX_C_SOURCE 200809L
#include "zip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../formats/assert.h"
#include "../common/text.h"
#include "inflate.h"

enum {
    END_SIZE = 22, /* of the last record, without its comment */
    COMMENT_MOST = 65535,
    LOCATOR_SIZE = 20, /* of what says where the record of 64 bits is, before the last record */
    END64_SIZE = 56,
    LISTED_SIZE = 46, /* of a file in the list, without its name and what follows */
    LOCAL_SIZE = 30,  /* of the header before its data */
    PIECE_SIZE = 1 << 16,
    ENCRYPTED = 1, /* a flag */
    STORED = 0,
    DEFLATED = 8
};

static uint64_t number_of(const uint8_t *from, unsigned bytes)
{
    KILN_ASSERT(bytes <= 8);
    return kiln_bytes_number(from, bytes, false);
}

/* Ends the work where the bytes are not all there. */
static void read_at(const kiln_zip *zip, uint64_t offset, void *to, size_t size)
{
    if (kiln_model_read(&zip->reading->model, offset, to, size) != size)
        kiln_send_failure(zip->reading->sender, KILN_BAKE_INVALID,
                          "its archive (ZIP) ends before byte %" PRIu64 "; repair the file",
                          offset + size);
}

static _Noreturn void fail(const kiln_zip *zip, uint64_t offset, const char *what)
{
    kiln_send_failure(zip->reading->sender, KILN_BAKE_INVALID,
                      "its archive (ZIP) is broken at byte %" PRIu64 ": %s; repair the file",
                      offset, what);
}

bool kiln_zip_is(const kiln_model *model)
{
    uint8_t mark[4] = {0};

    return kiln_model_read(model, 0, mark, sizeof mark) == sizeof mark &&
           (memcmp(mark, "PK\3\4", 4) == 0 || memcmp(mark, "PK\5\6", 4) == 0);
}

/* -- the list -- */

typedef struct {
    uint64_t count, size, offset; /* of the list */
    uint64_t at;                  /* where what follows the list begins */
} directory;

/* The last record. Its comment reaches to the end of the file: that is so of one place only, unless
 * somebody has put a second end into the comment of the first. */
static uint64_t find_end(const kiln_zip *zip)
{
    const uint64_t size = zip->reading->model.size;
    const uint64_t take = size < END_SIZE + COMMENT_MOST ? size : END_SIZE + COMMENT_MOST;
    uint8_t *tail = malloc((size_t)take + 1);
    uint64_t end = 0;
    unsigned ends = 0;

    if (tail == NULL)
        kiln_read_no_memory(zip->reading);
    read_at(zip, size - take, tail, (size_t)take);
    for (uint64_t i = take; i >= END_SIZE; i--) {
        const uint8_t *at = tail + (take - i);

        if (memcmp(at, "PK\5\6", 4) == 0 && number_of(at + 20, 2) == i - END_SIZE) {
            end = size - i;
            ends++;
        }
    }
    free(tail);
    if (ends == 0)
        kiln_send_failure(zip->reading->sender, KILN_BAKE_INVALID,
                          "its archive (ZIP) has no end: it was cut short, or bytes were added; "
                          "copy it again, or repair the file");
    if (ends > 1)
        fail(zip, end, "there are two ends, one in the comment of the other");
    return end;
}

static _Noreturn void fail_parts(const kiln_zip *zip)
{
    kiln_send_failure(zip->reading->sender, KILN_BAKE_UNSUPPORTED,
                      "its archive (ZIP) is in several parts; pack it in one");
}

/* The record of 64 bits, whose place stands before the last record; false: there is none. */
static bool find_large(const kiln_zip *zip, uint64_t end, uint8_t large[END64_SIZE], uint64_t *at)
{
    uint8_t locator[LOCATOR_SIZE];

    if (end < LOCATOR_SIZE)
        return false;
    read_at(zip, end - LOCATOR_SIZE, locator, sizeof locator);
    if (memcmp(locator, "PK\6\7", 4) != 0)
        return false;
    *at = number_of(locator + 8, 8);
    if (*at > end - LOCATOR_SIZE || end - LOCATOR_SIZE - *at < END64_SIZE)
        return false;
    read_at(zip, *at, large, END64_SIZE);
    if (memcmp(large, "PK\6\6", 4) != 0)
        return false;
    if (number_of(locator + 16, 4) > 1 || number_of(large + 16, 4) != 0 ||
        number_of(large + 20, 4) != 0 || number_of(large + 24, 8) != number_of(large + 32, 8))
        fail_parts(zip);
    return true;
}

/* Where there is a record of 64 bits, it counts; a value of the last record that is not as large as
 * its field allows must be the same there (section 4.4.1.4). */
static directory find_directory(const kiln_zip *zip)
{
    const uint64_t end = find_end(zip);
    uint8_t record[END_SIZE], large[END64_SIZE];
    directory d = {.at = end};
    uint64_t at = 0;
    bool has_large;

    read_at(zip, end, record, sizeof record);
    d.count = number_of(record + 10, 2);
    d.size = number_of(record + 12, 4);
    d.offset = number_of(record + 16, 4);
    has_large = find_large(zip, end, large, &at);
    for (int i = 4; i <= 6; i += 2)
        if (number_of(record + i, 2) != 0 && !(has_large && number_of(record + i, 2) == 0xFFFF))
            fail_parts(zip);
    if (number_of(record + 8, 2) != d.count)
        fail_parts(zip);
    if (has_large) {
        const directory wide = {number_of(large + 32, 8), number_of(large + 40, 8),
                                number_of(large + 48, 8), at};

        if ((d.count != 0xFFFF && d.count != wide.count) ||
            (d.size != UINT32_MAX && d.size != wide.size) ||
            (d.offset != UINT32_MAX && d.offset != wide.offset))
            fail(zip, at, "its two ends, of 64 and of 32 bits, differ");
        d = wide;
    } else if (d.size == UINT32_MAX || d.offset == UINT32_MAX) {
        fail(zip, end, "what has sizes of 64 bits is not there");
    }
    if (d.offset > d.at || d.size != d.at - d.offset)
        fail(zip, end, "the list of files is not where its end says, or bytes stand before it");
    if (d.count > d.size / LISTED_SIZE)
        fail(zip, end, "the list of files has fewer than its end says");
    return d;
}

/* Takes values of 64 bits from the extra fields of a file in the list, for those that are as large
 * as their own fields allow. */
static void read_extra(const kiln_zip *zip, kiln_zip_entry *entry, const uint8_t *extra,
                       size_t length, uint64_t offset)
{
    uint64_t *const values[] = {&entry->size, &entry->packed, &entry->offset};
    size_t at = 0;

    while (length - at >= 4) {
        const uint64_t kind = number_of(extra + at, 2), size = number_of(extra + at + 2, 2);
        size_t left;

        at += 4;
        if (size > length - at)
            fail(zip, offset, "an extra field is longer than all of them");
        left = kind == 1 ? (size_t)size : 0;
        for (size_t i = 0, from = at; i < 3 && left >= 8; i++) {
            if (*values[i] != UINT32_MAX)
                continue;
            *values[i] = number_of(extra + from, 8);
            from += 8;
            left -= 8;
        }
        at += (size_t)size;
    }
}

/* -- names -- */

/* The characters of the bytes 0x80 to 0xFF in code page 437, in which names are that are not in
 * UTF-8 (appendix D). */
static const uint16_t of_page_437[128] = {
    0x00C7, 0x00FC, 0x00E9, 0x00E2, 0x00E4, 0x00E0, 0x00E5, 0x00E7, 0x00EA, 0x00EB, 0x00E8, 0x00EF,
    0x00EE, 0x00EC, 0x00C4, 0x00C5, 0x00C9, 0x00E6, 0x00C6, 0x00F4, 0x00F6, 0x00F2, 0x00FB, 0x00F9,
    0x00FF, 0x00D6, 0x00DC, 0x00A2, 0x00A3, 0x00A5, 0x20A7, 0x0192, 0x00E1, 0x00ED, 0x00F3, 0x00FA,
    0x00F1, 0x00D1, 0x00AA, 0x00BA, 0x00BF, 0x2310, 0x00AC, 0x00BD, 0x00BC, 0x00A1, 0x00AB, 0x00BB,
    0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557,
    0x255D, 0x255C, 0x255B, 0x2510, 0x2514, 0x2534, 0x252C, 0x251C, 0x2500, 0x253C, 0x255E, 0x255F,
    0x255A, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256C, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559,
    0x2558, 0x2552, 0x2553, 0x256B, 0x256A, 0x2518, 0x250C, 0x2588, 0x2584, 0x258C, 0x2590, 0x2580,
    0x03B1, 0x00DF, 0x0393, 0x03C0, 0x03A3, 0x03C3, 0x00B5, 0x03C4, 0x03A6, 0x0398, 0x03A9, 0x03B4,
    0x221E, 0x03C6, 0x03B5, 0x2229, 0x2261, 0x00B1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00F7, 0x2248,
    0x00B0, 0x2219, 0x00B7, 0x221A, 0x207F, 0x00B2, 0x25A0, 0x00A0};

/* A name in UTF-8. Many programs write it so without the flag that says it; what can be UTF-8 is,
 * as nobody has such names in the code page. For free(). */
static char *decode_name(const kiln_zip *zip, const char *raw, size_t length)
{
    const bool is_utf8 = kiln_utf8_span(raw, length) == length;
    char *name = malloc(3 * length + 1);
    size_t made = 0;

    if (name == NULL)
        kiln_read_no_memory(zip->reading);
    for (size_t i = 0; i < length; i++) {
        const unsigned byte = (uint8_t)raw[i];
        const unsigned c = is_utf8 || byte < 0x80 ? byte : of_page_437[byte - 0x80];

        if (is_utf8 || c < 0x80) {
            name[made++] = raw[i];
        } else if (c < 0x800) {
            name[made++] = (char)(0xC0 | c >> 6);
            name[made++] = (char)(0x80 | (c & 0x3F));
        } else {
            name[made++] = (char)(0xE0 | c >> 12);
            name[made++] = (char)(0x80 | (c >> 6 & 0x3F));
            name[made++] = (char)(0x80 | (c & 0x3F));
        }
    }
    KILN_ASSERT(made <= 3 * length);
    name[made] = '\0';
    return name;
}

static unsigned hex_of(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 16;
}

/* What the spellings of the name of a part have in common (ISO/IEC 29500-2): letters of ASCII in
 * one case, and what is escaped as it is, but for separators. Some programs for Windows write these
 * the other way round, or one more at the start. For free(). */
static char *key_of(const kiln_zip *zip, const char *name)
{
    char *key = malloc(strlen(name) + 1);
    size_t made = 0;

    if (key == NULL)
        kiln_read_no_memory(zip->reading);
    name += strspn(name, "/\\");
    for (size_t i = 0; name[i] != '\0'; i++) {
        const unsigned high = name[i] == '%' ? hex_of(name[i + 1]) : 16;
        const unsigned low = high < 16 ? hex_of(name[i + 2]) : 16;
        char c = name[i] != '\\' ? name[i] : '/';

        if (low < 16 && 16 * high + low != 0 && 16 * high + low != '/' && 16 * high + low != '\\') {
            c = (char)(16 * high + low);
            i += 2;
        }
        key[made++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    key[made] = '\0';
    return key;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const kiln_zip_entry *)a)->key, ((const kiln_zip_entry *)b)->key);
}

void kiln_zip_open(kiln_zip *zip, kiln_reading *reading)
{
    directory d;
    uint8_t *list;
    size_t at = 0;

    memset(zip, 0, sizeof *zip);
    zip->reading = reading;
    d = find_directory(zip);
    list = malloc((size_t)d.size + 1);
    zip->entries = calloc((size_t)d.count + 1, sizeof *zip->entries);
    if (list == NULL || zip->entries == NULL)
        kiln_read_no_memory(reading);
    read_at(zip, d.offset, list, (size_t)d.size);
    for (; zip->count < d.count; zip->count++) {
        kiln_zip_entry *entry = &zip->entries[zip->count];
        const uint8_t *from = list + at;
        const uint64_t offset = d.offset + at;
        size_t name, extra, comment;

        if (d.size - at < LISTED_SIZE || memcmp(from, "PK\1\2", 4) != 0)
            fail(zip, offset, "the list of files ends before it has as many as it says");
        name = (size_t)number_of(from + 28, 2);
        extra = (size_t)number_of(from + 30, 2);
        comment = (size_t)number_of(from + 32, 2);
        if (d.size - at - LISTED_SIZE < name + extra + comment)
            fail(zip, offset, "a name is longer than the list of files");
        if (number_of(from + 34, 2) != 0 && number_of(from + 34, 2) != 0xFFFF)
            fail_parts(zip);
        *entry = (kiln_zip_entry){.listed = offset,
                                  .flags = (unsigned)number_of(from + 8, 2),
                                  .method = (unsigned)number_of(from + 10, 2),
                                  .crc = (uint32_t)number_of(from + 16, 4),
                                  .packed = number_of(from + 20, 4),
                                  .size = number_of(from + 24, 4),
                                  .offset = number_of(from + 42, 4)};
        read_extra(zip, entry, from + LISTED_SIZE + name, extra, offset);
        if (memchr(from + LISTED_SIZE, '\0', name) != NULL)
            fail(zip, offset, "a name has a zero byte");
        if (entry->offset > d.offset || entry->packed > d.offset - entry->offset)
            fail(zip, offset, "a file lies outside of the archive");
        entry->name = decode_name(zip, (const char *)from + LISTED_SIZE, name);
        entry->key = key_of(zip, entry->name);
        at += LISTED_SIZE + name + extra + comment;
    }
    /* Only the signature of the list may follow (section 4.3.13). */
    if (at < d.size && (d.size - at < 4 || memcmp(list + at, "PK\5\5", 4) != 0))
        fail(zip, d.offset + at, "the list of files has more than its end says");
    free(list);
    if (zip->count > 1)
        qsort(zip->entries, zip->count, sizeof *zip->entries, compare);
}

void kiln_zip_close(kiln_zip *zip)
{
    for (size_t i = 0; i < zip->count; i++) {
        free(zip->entries[i].name);
        free(zip->entries[i].key);
    }
    free(zip->entries);
    memset(zip, 0, sizeof *zip);
}

const kiln_zip_entry *kiln_zip_find(const kiln_zip *zip, const char *name)
{
    const kiln_zip_entry *all = zip->entries;
    const kiln_zip_entry wanted = {.key = key_of(zip, name)};
    size_t low = 0, high = zip->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (compare(&all[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    high = low < zip->count && compare(&all[low], &wanted) == 0 ? low + 1 : low;
    free(wanted.key);
    if (high < zip->count && high > low && compare(&all[high], &all[low]) == 0)
        kiln_send_failure(zip->reading->sender, KILN_BAKE_INVALID,
                          "its archive (ZIP) has the file \"%.200s\" twice, also as \"%.200s\"; "
                          "remove one",
                          all[low].name, all[high].name);
    return high > low ? &all[low] : NULL;
}

/* -- the bytes of a file -- */

static _Noreturn void fail_entry(const kiln_zip *zip, const kiln_zip_entry *entry, const char *what)
{
    kiln_send_failure(zip->reading->sender, KILN_BAKE_INVALID,
                      "\"%.200s\" in its archive (ZIP): %s; repair the file", entry->name, what);
}

/* Where its data begin: behind a header that has the name once more, and other extra fields. */
static uint64_t find_data(const kiln_zip *zip, const kiln_zip_entry *entry)
{
    const uint64_t end = zip->reading->model.size;
    uint8_t header[LOCAL_SIZE], listed[LISTED_SIZE], *names;
    uint64_t name, start;
    bool is_same = false;

    read_at(zip, entry->offset, header, sizeof header);
    if (memcmp(header, "PK\3\4", 4) != 0)
        fail_entry(zip, entry, "its data are not where the list of files says");
    name = number_of(header + 26, 2);
    start = entry->offset + LOCAL_SIZE + name + number_of(header + 28, 2);
    if (start > end || entry->packed > end - start)
        fail_entry(zip, entry, "its data end behind the archive");
    names = malloc(2 * (size_t)name + 1);
    if (names == NULL)
        kiln_read_no_memory(zip->reading);
    read_at(zip, entry->listed, listed, sizeof listed);
    if (number_of(listed + 28, 2) == name) {
        read_at(zip, entry->listed + LISTED_SIZE, names, (size_t)name);
        read_at(zip, entry->offset + LOCAL_SIZE, names + name, (size_t)name);
        is_same = memcmp(names, names + name, (size_t)name) == 0;
    }
    free(names);
    if (!is_same)
        fail_entry(zip, entry, "its data have another name");
    return start;
}

static void check_kind(const kiln_zip *zip, const kiln_zip_entry *entry)
{
    if ((entry->flags & ENCRYPTED) != 0)
        kiln_send_failure(
            zip->reading->sender, KILN_BAKE_UNSUPPORTED,
            "\"%.200s\" in its archive (ZIP) is encrypted; pack it without a password",
            entry->name);
    if (entry->method != STORED && entry->method != DEFLATED)
        kiln_send_failure(
            zip->reading->sender, KILN_BAKE_UNSUPPORTED,
            "\"%.200s\" in its archive (ZIP) is packed by method %u, which is not read "
            "here; pack it by \"deflate\"",
            entry->name, entry->method);
    if (entry->method == STORED ? entry->size != entry->packed
                                : !kiln_inflate_fits(entry->packed, entry->size))
        fail_entry(zip, entry, "its data are not as long as they are declared");
}

/* Unpacks into exactly as many bytes as are declared. */
static void inflate_entry(const kiln_zip *zip, const kiln_zip_entry *entry, uint64_t at,
                          uint8_t *to)
{
    const kiln_packed from = {.model = &zip->reading->model, .at = at, .size = entry->packed};

    switch (kiln_inflate(zip->reading, from, to, entry->size)) {
    case KILN_INFLATED:
        return;
    case KILN_INFLATED_BROKEN:
        fail_entry(zip, entry, "its data can't be unpacked");
    case KILN_INFLATED_TOO_MANY:
        fail_entry(zip, entry, "its data are longer than they are declared");
    default:
        fail_entry(zip, entry, "its data are not as long as they are declared");
    }
}

uint8_t *kiln_zip_load(const kiln_zip *zip, const kiln_zip_entry *entry)
{
    const uint64_t limit = zip->reading->memory != 0 ? zip->reading->memory : SIZE_MAX / 2;
    uint8_t *bytes = NULL;
    uint64_t at;
    uLong crc = crc32(0, Z_NULL, 0);

    check_kind(zip, entry);
    at = find_data(zip, entry);
    if (entry->size < limit)
        bytes = malloc((size_t)entry->size + 1);
    if (bytes == NULL)
        kiln_read_no_memory(zip->reading);
    if (entry->method == STORED)
        read_at(zip, at, bytes, (size_t)entry->size);
    else
        inflate_entry(zip, entry, at, bytes);
    for (uint64_t done = 0; done < entry->size;) {
        const uint64_t left = entry->size - done;
        const uInt take = (uInt)(left < PIECE_SIZE ? left : PIECE_SIZE);

        crc = crc32(crc, bytes + done, take);
        done += take;
    }
    if ((uint32_t)crc != entry->crc)
        fail_entry(zip, entry, "its data are not those that were packed: the CRC differs");
    bytes[entry->size] = 0;
    return bytes;
}
