/* The guard of kiln-bench's outputs, which is that of the command (kit/output.c): what a run reads
 * is never replaced, nor a file that kiln-bench could not have written. Rows and
 * volumes are recognised by their heads, pictures by a title that no other program gives. */
#define _POSIX_C_SOURCE 200809L

#include "outputs.h"

#include "coherence.h"
#include "continuous.h"
#include "families.h"

#include "../adb/adb.h"

#include "../../../formats/assert.h"
#include "../../../tools/cmd/kit/report.h"

#include <stdlib.h>
#include <string.h>

static bool begins_with(const char *bytes, size_t size, const char *head)
{
    return size >= strlen(head) && memcmp(bytes, head, strlen(head)) == 0;
}

static bool is_rows(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return begins_with(bytes, size, BENCH_ADB_CSV_HEAD) ||
           begins_with(bytes, size, BENCH_COHERENCE_CSV_HEAD) ||
           begins_with(bytes, size, BENCH_CONTINUOUS_CSV_HEAD) ||
           begins_with(bytes, size, BENCH_FAMILIES_CSV_HEAD);
}

static bool is_volumes(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return begins_with(bytes, size, BENCH_FAMILIES_OBJ_HEAD);
}

/* The bytes end in a zero. The title stands in the first lines, also of what gnuplot draws. */
static bool is_picture(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    KILN_ASSERT(bytes[size] == '\0');
    return bytes[0] == '<' && strstr(bytes, "<title>" BENCH_PICTURE_TITLE) != NULL;
}

const output_kind output_kind_rows = {"file of kiln-bench --csv", is_rows};
const output_kind output_kind_picture = {"picture of kiln-bench", is_picture};
const output_kind output_kind_volumes = {"file of kiln-bench families --obj", is_volumes};

int output_check_both(const char *csv, const char *svg, char *const *inputs, int count)
{
    const int status = output_check_inputs(csv, &output_kind_rows, inputs, count);
    return status == EXIT_DONE ? output_check_inputs(svg, &output_kind_picture, inputs, count)
                               : status;
}

FILE *output_text_begin(output_text *of)
{
    *of = (output_text){NULL, 0, NULL};
    of->out = open_memstream(&of->text, &of->size);
    return of->out;
}

int output_text_end(output_text *of, const char *path, const output_kind *kind, const char *remedy)
{
    const int status = of->out != NULL && fclose(of->out) == 0
                           ? output_write(path, kind, of->text, of->size)
                           : report_error(EXIT_RUN, path, "out of memory; %s", remedy);
    free(of->text);
    return status;
}
