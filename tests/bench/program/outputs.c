/* The guard of kiln-bench's outputs, which is that of the command (kit/output.c): what a run reads
 * is never replaced, nor a file that kiln-bench could not have written. Rows are recognised by
 * their head, pictures by a title that no other program gives. */
#include "outputs.h"

#include "../adb/adb.h"

#include "../../../formats/assert.h"
#include "../../../tools/cmd/kit/report.h"

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

int bench_output_check(const char *path, const output_kind *kind, char *const *inputs,
                       int input_count)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    read_files read = {.list = NULL};
    int status = EXIT_DONE;
    if (path == NULL || strcmp(path, "-") == 0) {
        return EXIT_DONE;
    }
    for (int i = 0; i < input_count && status == EXIT_DONE; i++) {
        status = read_files_add(&read, inputs[i], "an input");
    }
    status = status == EXIT_DONE ? output_check(path, kind, &read) : status;
    read_files_free(&read);
    if (status == EXIT_DONE && !kiln_write_file_possible(path, message)) {
        status = report_error(EXIT_IO, path, "%s", message);
    }
    return status;
}
