/* The least that an archive has: of each file a header and its bytes, their list, and the end. */
#define _POSIX_C_SOURCE 200809L
#include "stored_archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { FILES_MOST = 4 };

const char stored_relations[] =
    "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
    "<Relationship Target='/m' Id='r' "
    "Type='http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel'/></Relationships>";

static void put(FILE *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        assert_int_not_equal(fputc(i < 8 ? (int)(value >> 8 * i & 0xFF) : 0, to), EOF);
}

/* What the header of a file and the list have in common. */
static void put_facts(FILE *to, const stored_file *of)
{
    put(to, 20, 2);
    put(to, 0, 2 + 2 + 4);
    put(to, crc32(0, (const uint8_t *)of->data, (uInt)of->size), 4);
    put(to, of->size, 4);
    put(to, of->size, 4);
    put(to, strlen(of->name), 2);
}

char *stored_archive(const stored_file *files, size_t count, size_t *size)
{
    long offsets[FILES_MOST], list, end;
    char *archive = NULL;
    FILE *to = open_memstream(&archive, size);

    assert_non_null(to);
    assert_true(count <= FILES_MOST);
    for (size_t i = 0; i < count; i++) {
        offsets[i] = ftell(to);
        put(to, 0x04034B50, 4);
        put_facts(to, &files[i]);
        put(to, 0, 2);
        (void)fputs(files[i].name, to);
        assert_int_equal(fwrite(files[i].data, 1, files[i].size, to), files[i].size);
    }
    list = ftell(to);
    for (size_t i = 0; i < count; i++) {
        put(to, 0x02014B50, 4);
        put(to, 20, 2);
        put_facts(to, &files[i]);
        put(to, 0, 2 + 2 + 2 + 2 + 4);
        put(to, (uint64_t)offsets[i], 4);
        (void)fputs(files[i].name, to);
    }
    end = ftell(to);
    put(to, 0x06054B50, 4);
    put(to, 0, 4);
    put(to, count, 2);
    put(to, count, 2);
    put(to, (uint64_t)(end - list), 4);
    put(to, (uint64_t)list, 4);
    put(to, 0, 2);
    assert_int_equal(fclose(to), 0);
    return archive;
}
