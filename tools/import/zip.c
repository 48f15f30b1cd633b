/* Archives of ZIP (PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", version 6.3.9, 2020), as
 * far as 3MF and AMF have them: files that are stored or deflated (zlib), sizes of 32 and of 64
 * bits.
 *
 * An archive ends with a record that says where its list of files is, the central directory. What
 * that list says counts; the header before the data of a file is only looked at for how long it is
 * and whether it has the same name. An archive that two programs could read in two ways is refused:
 * one with a name twice, or with other bytes before or behind it.
 *
 * No count or size is trusted. The list lies in the file, so memory grows with bytes that are
 * there. A file is unpacked to at most as many bytes as it declares, which can't be more than
 * deflating makes possible, nor than the limit of memory. */
#define _POSIX_C_SOURCE 200809L
#include "zip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "../../formats/assert.h"
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

/* The last record. Its comment reaches to the end of the file: so does no other place that has its
 * mark by chance, but for one in the comment, which then would have to be its own end as well. */
static uint64_t find_end(const kiln_zip *zip)
{
    const uint64_t size = zip->reading->model.size;
    const uint64_t most = END_SIZE + COMMENT_MOST, take = size < most ? size : most;
    uint8_t *tail = malloc((size_t)take + 1);

    if (tail == NULL)
        kiln_read_no_memory(zip->reading);
    read_at(zip, size - take, tail, (size_t)take);
    for (uint64_t i = take; i >= END_SIZE; i--) {
        const uint8_t *at = tail + (i - END_SIZE);

        if (memcmp(at, "PK\5\6", 4) == 0 && number_of(at + 20, 2) == take - i) {
            free(tail);
            return size - take + (i - END_SIZE);
        }
    }
    kiln_send_failure(zip->reading->sender, KILN_BAKE_INVALID,
                      "its archive (ZIP) has no end: it was cut short, or bytes were added");
}

/* Where a value of the last record is as large as its field allows, the record of 64 bits has it.
 */
static directory find_directory(const kiln_zip *zip)
{
    const uint64_t end = find_end(zip);
    uint8_t record[END_SIZE], locator[LOCATOR_SIZE], large[END64_SIZE];
    directory d = {.at = end};

    read_at(zip, end, record, sizeof record);
    if (number_of(record + 4, 2) != number_of(record + 6, 2) ||
        number_of(record + 8, 2) != number_of(record + 10, 2))
        kiln_send_failure(zip->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "its archive (ZIP) is in several parts; pack it in one");
    d.count = number_of(record + 10, 2);
    d.size = number_of(record + 12, 4);
    d.offset = number_of(record + 16, 4);
    if (d.count == 0xFFFF || d.size == UINT32_MAX || d.offset == UINT32_MAX) {
        uint64_t at;

        if (end < LOCATOR_SIZE)
            fail(zip, end, "what has sizes of 64 bits is not there");
        read_at(zip, end - LOCATOR_SIZE, locator, sizeof locator);
        if (memcmp(locator, "PK\6\7", 4) == 0) {
            at = number_of(locator + 8, 8);
            if (at > end - LOCATOR_SIZE || end - LOCATOR_SIZE - at < END64_SIZE)
                fail(zip, end - LOCATOR_SIZE, "what has sizes of 64 bits is not there");
            read_at(zip, at, large, sizeof large);
            if (memcmp(large, "PK\6\6", 4) != 0)
                fail(zip, at, "what has sizes of 64 bits is not there");
            d = (directory){number_of(large + 32, 8), number_of(large + 40, 8),
                            number_of(large + 48, 8), at};
        }
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

static int compare(const void *a, const void *b)
{
    return strcasecmp(((const kiln_zip_entry *)a)->name, ((const kiln_zip_entry *)b)->name);
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
        *entry = (kiln_zip_entry){.flags = (unsigned)number_of(from + 8, 2),
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
        entry->name = strndup((const char *)from + LISTED_SIZE, name);
        if (entry->name == NULL)
            kiln_read_no_memory(reading);
        at += LISTED_SIZE + name + extra + comment;
    }
    /* Only the signature of the list may follow (section 4.3.13). */
    if (at < d.size && (d.size - at < 4 || memcmp(list + at, "PK\5\5", 4) != 0))
        fail(zip, d.offset + at, "the list of files has more than its end says");
    free(list);
    if (zip->count > 1)
        qsort(zip->entries, zip->count, sizeof *zip->entries, compare);
    for (size_t i = 1; i < zip->count; i++)
        if (compare(&zip->entries[i - 1], &zip->entries[i]) == 0)
            kiln_send_failure(reading->sender, KILN_BAKE_INVALID,
                              "its archive (ZIP) has the file \"%.200s\" twice; repair the file",
                              zip->entries[i].name);
}

void kiln_zip_close(kiln_zip *zip)
{
    for (size_t i = 0; i < zip->count; i++)
        free(zip->entries[i].name);
    free(zip->entries);
    memset(zip, 0, sizeof *zip);
}

const kiln_zip_entry *kiln_zip_find(const kiln_zip *zip, const char *name)
{
    size_t low = 0, high = zip->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcasecmp(zip->entries[middle].name, name);

        if (order == 0)
            return &zip->entries[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
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
    uint8_t header[LOCAL_SIZE];
    uint64_t name, start;
    char *again;

    read_at(zip, entry->offset, header, sizeof header);
    if (memcmp(header, "PK\3\4", 4) != 0)
        fail_entry(zip, entry, "its data are not where the list of files says");
    name = number_of(header + 26, 2);
    start = entry->offset + LOCAL_SIZE + name + number_of(header + 28, 2);
    if (start > end || entry->packed > end - start)
        fail_entry(zip, entry, "its data end behind the archive");
    again = calloc((size_t)name + 1, 1);
    if (again == NULL)
        kiln_read_no_memory(zip->reading);
    read_at(zip, entry->offset + LOCAL_SIZE, again, (size_t)name);
    if (strcmp(again, entry->name) != 0)
        fail_entry(zip, entry, "its data have another name");
    free(again);
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
