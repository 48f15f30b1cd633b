/* The guard of kiln-bench's outputs, which is that of the command (kit/output.c): what a run reads
 * is never replaced, nor a file that kiln-bench could not have written. Rows are recognised by
 * their head, pictures by a title that no other program gives. */
#include "outputs.h"

#include "../adb/adb.h"

#include "../../../formats/assert.h"

#include <string.h>

static bool is_rows(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return size >= sizeof BENCH_ADB_CSV_HEAD - 1 &&
           memcmp(bytes, BENCH_ADB_CSV_HEAD, sizeof BENCH_ADB_CSV_HEAD - 1) == 0;
}

/* The bytes end in a zero. The title stands in the first lines, also of what gnuplot draws. */
static bool is_picture(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    KILN_ASSERT(bytes[size] == '\0');
    return bytes[0] == '<' && strstr(bytes, "<title>" BENCH_PICTURE_TITLE) != NULL;
}

const output_kind output_kind_rows = {"file of kiln-bench adb --csv", is_rows};
const output_kind output_kind_picture = {"picture of kiln-bench", is_picture};
