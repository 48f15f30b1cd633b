/* Archives of ZIP: what is stored and what is deflated, with sizes of 32 and of 64 bits, comes out
 * as it was, by whatever spelling of its name; and each way of being broken, ambiguous or too large
 * is refused by what it is. An archive is made here byte by byte, right or with one fault, and read
 * in a child process, since a reader that refuses ends its process. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "../../tools/import/zip.h"
#include "../support/meshes.h"

enum { ARCHIVE_MOST = 1 << 18, FILES_MOST = 4, SAID_SIZE = 4096, LARGE = 200000 };

/* -- an archive -- */

typedef struct {
    const char *name, *local_name; /* NULL: the same */
    const uint8_t *data;
    size_t size;
    bool deflate, wide;     /* wide: sizes and offset of 64 bits */
    unsigned method, flags; /* or-ed to what is right */
    uint32_t crc_fault;
    int size_fault, packed_fault; /* added to what the list declares */
    uint32_t offset_fault;
} packed_file;

typedef struct {
    uint8_t bytes[ARCHIVE_MOST];
    size_t size;
} archive;

static void put(archive *to, uint64_t value, unsigned bytes)
{
    assert_true(to->size + bytes <= ARCHIVE_MOST);
    for (unsigned i = 0; i < bytes; i++)
        to->bytes[to->size++] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
}

static void put_bytes(archive *to, const void *data, size_t size)
{
    assert_true(to->size + size <= ARCHIVE_MOST);
    if (size > 0)
        memcpy(to->bytes + to->size, data, size);
    to->size += size;
}

static size_t put_data(archive *to, const packed_file *file)
{
    z_stream stream = {.next_in = (uint8_t *)(uintptr_t)file->data, .avail_in = (uInt)file->size};
    const size_t before = to->size;

    if (!file->deflate) {
        put_bytes(to, file->data, file->size);
        return file->size;
    }
    stream.next_out = to->bytes + to->size;
    stream.avail_out = (uInt)(ARCHIVE_MOST - to->size);
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    to->size = ARCHIVE_MOST - stream.avail_out;
    assert_int_equal(deflateEnd(&stream), Z_OK);
    return to->size - before;
}

/* What of the end is of 64 bits: nothing; all; all, beside values that are right; or the offset. */
typedef enum { NARROW, WIDE, WIDE_AND_RIGHT, WIDE_OFFSET, FORMS_OF_END } form;

/* The files, the list, and the end, with a comment of that length. */
static void put_archive(archive *to, const packed_file *files, size_t count, form wide,
                        size_t comment)
{
    size_t offsets[FILES_MOST], packed[FILES_MOST], list;

    assert_true(count <= FILES_MOST);
    for (size_t i = 0; i < count; i++) {
        const packed_file *f = &files[i];
        const char *name = f->local_name != NULL ? f->local_name : f->name;

        offsets[i] = to->size;
        put(to, 0x04034B50, 4);
        put(to, 20, 2);
        put(to, f->flags, 2);
        put(to, f->method | (f->deflate ? 8 : 0), 2);
        put(to, 0, 4 + 4 + 4);
        put(to, 0, 4);
        put(to, strlen(name), 2);
        put(to, 5, 2); /* an extra field that the list does not have */
        put_bytes(to, name, strlen(name));
        put_bytes(to, "\xFE\xCA\1\0x", 5);
        packed[i] = put_data(to, f);
    }
    list = to->size;
    for (size_t i = 0; i < count; i++) {
        const packed_file *f = &files[i];
        const uint64_t size = f->size + (uint64_t)(int64_t)f->size_fault,
                       in = packed[i] + (uint64_t)(int64_t)f->packed_fault,
                       at = offsets[i] + f->offset_fault;

        put(to, 0x02014B50, 4);
        put(to, 20, 2);
        put(to, 20, 2);
        put(to, f->flags, 2);
        put(to, f->method | (f->deflate ? 8 : 0), 2);
        put(to, 0, 4);
        put(to, crc32(0, f->data, (uInt)f->size) ^ f->crc_fault, 4);
        put(to, f->wide ? UINT32_MAX : in, 4);
        put(to, f->wide ? UINT32_MAX : size, 4);
        put(to, strlen(f->name), 2);
        put(to, f->wide ? 6 + 28 : 0, 2);
        put(to, 0, 2 + 2 + 2 + 4);
        put(to, f->wide ? UINT32_MAX : at, 4);
        put_bytes(to, f->name, strlen(f->name));
        if (f->wide) {
            put_bytes(to, "\xFE\xCA\2\0xy", 6);
            put(to, 1, 2);
            put(to, 24, 2);
            put(to, size, 8);
            put(to, in, 8);
            put(to, at, 8);
        }
    }
    const size_t end = to->size;
    if (wide != NARROW) {
        put(to, 0x06064B50, 4);
        put(to, 44, 8);
        put(to, 0, 2 + 2 + 4 + 4);
        put(to, count, 8);
        put(to, count, 8);
        put(to, end - list, 8);
        put(to, list, 8);
        put(to, 0x07064B50, 4);
        put(to, 0, 4);
        put(to, end, 8);
        put(to, 1, 4);
    }
    put(to, 0x06054B50, 4);
    put(to, 0, 4);
    put(to, wide == WIDE ? 0xFFFF : count, 2);
    put(to, wide == WIDE ? 0xFFFF : count, 2);
    put(to, wide == WIDE ? UINT32_MAX : end - list, 4);
    put(to, wide == WIDE || wide == WIDE_OFFSET ? UINT32_MAX : list, 4);
    put(to, comment, 2);
    for (size_t i = 0; i < comment; i++)
        put(to, 'c', 1);
}

/* -- reading it -- */

/* Reads all files of the archive in a child. What it writes to standard error comes to `said`:
 * "found NAME" of the file that is wanted, which may be NULL, then lines "NAME SIZE CRC", or the
 * refusal. */
static void read_all(const archive *from, uint64_t memory, const char *wanted, char said[SAID_SIZE])
{
    int ends[2], status;
    size_t have = 0;
    ssize_t got;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kiln_reading reading = {.model = {.file = -1, .data = from->bytes, .size = from->size},
                                .name = "a.zip",
                                .memory = memory,
                                .limit = "LIMIT"};
        kiln_zip zip;

        (void)dup2(ends[1], STDERR_FILENO);
        reading.sender = kiln_sender_start(-1);
        kiln_zip_open(&zip, &reading);
        if (wanted != NULL) {
            const kiln_zip_entry *found = kiln_zip_find(&zip, wanted);

            fprintf(stderr, "found %s\n", found != NULL ? found->name : "nothing");
        }
        for (size_t i = 0; i < zip.count; i++) {
            const kiln_zip_entry *e = &zip.entries[i];
            uint8_t *bytes = kiln_zip_load(&zip, e);

            if (bytes[e->size] != 0 || kiln_zip_find(&zip, "no such name") != NULL)
                _exit(9);
            fprintf(stderr, "%s %llu %08lx\n", e->name, (unsigned long long)e->size,
                    (unsigned long)crc32(0, bytes, (uInt)e->size));
            free(bytes);
        }
        kiln_zip_close(&zip);
        _exit(0);
    }
    (void)close(ends[1]);
    while ((got = read(ends[0], said + have, SAID_SIZE - 1 - have)) > 0)
        have += (size_t)got;
    said[have] = '\0';
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 9)
        fail_msg("the reader ended by status %#x: %s", (unsigned)status, said);
}

static void expect_files(const archive *from, const packed_file *files, size_t count)
{
    char said[SAID_SIZE], line[300];

    read_all(from, 0, NULL, said);
    for (size_t i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%s %zu %08lx\n", files[i].name, files[i].size,
                 (unsigned long)crc32(0, files[i].data, (uInt)files[i].size));
        if (strstr(said, line) == NULL)
            fail_msg("not \"%s\" but: %s", line, said);
    }
}

static void expect_refusal(const archive *from, uint64_t memory, const char *what)
{
    char said[SAID_SIZE];

    read_all(from, memory, NULL, said);
    if (strstr(said, "error: ") == NULL || strstr(said, what) == NULL)
        fail_msg("not \"%s\" but: %s", what, said);
}

/* -- tests -- */

static uint8_t large[LARGE];
static archive a; /* too large for the stack */

static packed_file text_of(const char *name, const char *text)
{
    return (packed_file){.name = name, .data = (const uint8_t *)text, .size = strlen(text)};
}

static void stored_deflated_and_wide(void **state)
{
    packed_file files[] = {text_of("b/Two.txt", "two"),
                           text_of("a/one.txt", ""),
                           {.name = "large", .data = large, .size = LARGE}};

    (void)state;
    for (unsigned i = 0; i < LARGE; i++)
        large[i] = (uint8_t)(i * i >> 9);
    for (unsigned kinds = 0; kinds < 8 * FORMS_OF_END; kinds++)
        for (size_t comment = 0; comment < 3; comment++) {
            if ((kinds & 1) == 0) /* 200 kB need not be packed each time */
                files[2].size = 1000;
            for (size_t i = 0; i < 3; i++) {
                files[i].deflate = i == 0 ? (kinds & 2) != 0 : (kinds & 1) != 0;
                files[i].wide = (kinds & 4) != 0;
            }
            a.size = 0;
            put_archive(&a, files, 3, (form)(kinds / 8), comment * 32767);
            expect_files(&a, files, 3);
            files[2].size = LARGE;
        }
    a.size = 0;
    put_archive(&a, files, 0, NARROW, 0);
    expect_files(&a, files, 0);
}

static void faults_of_files(void **state)
{
    static const struct {
        packed_file fault;
        const char *says;
    } cases[] = {
        {{.crc_fault = 1}, "the CRC differs"},
        {{.crc_fault = 1, .deflate = true}, "the CRC differs"},
        {{.size_fault = 1}, "not as long as they are declared"},
        {{.size_fault = -1}, "not as long as they are declared"},
        {{.size_fault = 1, .deflate = true}, "not as long as they are declared"},
        {{.size_fault = -1, .deflate = true}, "longer than they are declared"},
        {{.size_fault = 1 << 30, .deflate = true}, "not as long as they are declared"},
        {{.packed_fault = 1, .deflate = true}, "not as long as they are declared"},
        {{.packed_fault = -1, .deflate = true}, "can't be unpacked"},
        {{.packed_fault = 1 << 20, .deflate = true}, "a file lies outside of the archive"},
        {{.offset_fault = 1}, "not where the list of files says"},
        {{.offset_fault = 1 << 20}, "a file lies outside of the archive"},
        {{.offset_fault = 0x7FFFFFFF, .wide = true}, "a file lies outside of the archive"},
        {{.flags = 1}, "is encrypted"},
        {{.method = 12}, "packed by method 12"},
        {{.local_name = "two/x.model"}, "its data have another name"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        packed_file files[2] = {text_of("first", "first"), cases[i].fault};

        files[1].name = "one/x.model";
        files[1].data = (const uint8_t *)"some bytes, some bytes, some bytes";
        files[1].size = 34;
        a.size = 0;
        put_archive(&a, files, 2, NARROW, 0);
        expect_refusal(&a, 0, cases[i].says);
    }
}

/* Names are found as packages of parts write them, and shown as they are meant. */
static void names_are_found_in_every_spelling(void **state)
{
    static const struct {
        const char *has, *other, *wanted, *says;
    } cases[] = {
        {"3D/Model.model", "b", "3d/mODEL.MODEL", "found 3D/Model.model\n"},
        {"my model", "b", "my%20model", "found my model\n"},
        {"my%20model", "b", "my model", "found my%20model\n"},
        {"my%20model", "b", "My%20Model", "found my%20model\n"},
        {"a%2Fb", "b", "a/b", "found nothing\n"},
        {"a%2fb", "b", "a%2Fb", "found a%2fb\n"},
        {"3D\\m.model", "b", "/3D/m.model", "found 3D\\m.model\n"},
        {"/3D/m.model", "b", "3D/m.model", "found /3D/m.model\n"},
        {"a/b", "a\\b", "a/b", "\" twice, also as \""},
        {"a%2", "b", "a%2", "found a%2\n"},
        {"a%zz", "b", "a%zz", "found a%zz\n"},
        {"a%00", "b", "a%00", "found a%00\n"},
        {"\xC3\xA4", "b", "%C3%A4", "found \xC3\xA4\n"},
        {"\x84.model", "b", "%c3%a4.model", "found \xC3\xA4.model\n"}, /* code page 437 */
        {"\xCD", "b", "%E2%95%90", "found \xE2\x95\x90\n"},
        {"a.txt", "A.TXT", "b", "A.TXT 1 "},
        {"a.txt", "A.TXT", "a.txt", "\" twice, also as \""},
        {"a b", "a%20b", "a b", "\" twice, also as \""},
        {"a", "a", "a", "the file \"a\" twice, also as \"a\"; remove one"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        packed_file files[2] = {text_of(cases[i].has, "a"), text_of(cases[i].other, "b")};
        char said[SAID_SIZE];

        a.size = 0;
        put_archive(&a, files, 2, NARROW, 0);
        read_all(&a, 0, cases[i].wanted, said);
        if (strstr(said, cases[i].says) == NULL)
            fail_msg("case %zu: %s", i, said);
    }
}

static void faults_of_the_archive(void **state)
{
    packed_file files[] = {text_of("a.txt", "a"),
                           text_of("b, which has a name of more than forty-six letters.txt", "b")};
    static archive b;

    (void)state;
    a.size = 0;
    put_archive(&a, files, 2, NARROW, 0);
    for (size_t cut = 1; cut <= a.size; cut++) {
        b = a;
        b.size -= cut;
        expect_refusal(&b, 0, "its archive (ZIP) has no end");
    }
    b = a;
    put(&b, 0, 1);
    expect_refusal(&b, 0, "its archive (ZIP) has no end");
    b.size = 0;
    put(&b, 0, 1);
    put_bytes(&b, a.bytes, a.size);
    expect_refusal(&b, 0, "bytes stand before it");
    b = a;
    b.bytes[b.size - 22 + 8]++; /* files of this part; of all parts */
    expect_refusal(&b, 0, "in several parts");
    b.bytes[b.size - 22 + 10]++;
    expect_refusal(&b, 0, "the list of files ends before");
    b.bytes[b.size - 22 + 8] = b.bytes[b.size - 22 + 10] = 1;
    expect_refusal(&b, 0, "the list of files has more");
    b.bytes[b.size - 22 + 8] = b.bytes[b.size - 22 + 10] = 200;
    expect_refusal(&b, 0, "the list of files has fewer");
    b = a;
    b.bytes[b.size - 22 + 4] = b.bytes[b.size - 22 + 6] = 1; /* the last part of two has the list */
    expect_refusal(&b, 0, "in several parts");
    b = a;
    put_bytes(&b, b.bytes + b.size - 22, 22); /* as the comment of the first end */
    b.bytes[a.size - 2] = 22;
    expect_refusal(&b, 0, "there are two ends");
    a.size = 0;
    put_archive(&a, files, 2, WIDE, 0);
    b = a;
    b.bytes[b.size - 22 - 20 + 8]++; /* where the record of 64 bits is */
    expect_refusal(&b, 0, "what has sizes of 64 bits is not there");
    b = a;
    b.bytes[b.size - 22 - 20 + 16] = 2; /* parts of the archive */
    expect_refusal(&b, 0, "in several parts");
    b = a;
    b.bytes[b.size - 22 - 20 - 56 + 16] = 1; /* the number of this part */
    expect_refusal(&b, 0, "in several parts");
    a.size = 0;
    put_archive(&a, files, 2, WIDE_AND_RIGHT, 0);
    a.bytes[a.size - 22 - 20 - 56 + 48]++; /* the offset of the list */
    expect_refusal(&a, 0, "its two ends, of 64 and of 32 bits, differ");
    files[0].data = large;
    files[0].size = LARGE;
    files[0].deflate = true;
    a.size = 0;
    put_archive(&a, files, 1, NARROW, 0);
    expect_refusal(&a, LARGE / 2, "raise that limit (LIMIT)");
}

/* Bytes of the records are changed at random: the archive is read, or refused by a message. */
static void changed_archives_end_well(void **state)
{
    const char *scale = getenv("KILN_PROPERTY_SCALE");
    const unsigned count = 300 * (unsigned)(scale != NULL ? atoi(scale) : 1);
    uint64_t random = 7;
    char said[SAID_SIZE];

    (void)state;
    for (unsigned i = 0; i < count; i++) {
        packed_file files[] = {text_of("b/Two.txt", "two two two two"), text_of("a%20one", ""),
                               text_of("\x84.model", "three three three")};
        const unsigned changes = 1 + random_below(&random, 3);

        for (size_t k = 0; k < 3; k++) {
            files[k].deflate = random_below(&random, 2) == 0;
            files[k].wide = random_below(&random, 2) == 0;
        }
        a.size = 0;
        put_archive(&a, files, 3, (form)random_below(&random, FORMS_OF_END),
                    random_below(&random, 2) * 9);
        for (unsigned k = 0; k < changes; k++) {
            static const uint8_t values[] = {0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF};
            uint8_t *at = a.bytes + random_below(&random, (uint32_t)a.size);

            *at = random_below(&random, 2) == 0 ? values[random_below(&random, sizeof values)]
                                                : (uint8_t)(*at + 1 - 2 * random_below(&random, 2));
        }
        read_all(&a, 1 << 20, "B/two.TXT", said);
        if (strstr(said, "anitizer") != NULL || strstr(said, "runtime error") != NULL ||
            (strstr(said, "found ") == NULL && strstr(said, "error: ") == NULL))
            fail_msg("archive %u: %s", i, said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_deflated_and_wide),
        cmocka_unit_test(faults_of_files),
        cmocka_unit_test(names_are_found_in_every_spelling),
        cmocka_unit_test(faults_of_the_archive),
        cmocka_unit_test(changed_archives_end_well),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
