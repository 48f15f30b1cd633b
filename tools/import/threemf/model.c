/* Messages about a model of 3MF, by part and line, and values of attributes: whole numbers,
 * decimals and transforms, with blanks around them, which XML does not count. */
#define _GNU_SOURCE
#include "model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../../formats/assert.h"

const char *kiln_3mf_part(const threemf *t, size_t index)
{
    KILN_ASSERT(index < t->parts.count);
    return ((const kiln_zip_entry **)t->parts.items)[index]->name;
}

_Noreturn void kiln_3mf_fail_at(const threemf *t, size_t in, uint64_t line, const char *what)
{
    kiln_send_failure(t->reading->sender, KILN_BAKE_INVALID,
                      "%.200s, line %" PRIu64 ": %s; repair the file", kiln_3mf_part(t, in), line,
                      what);
}

void kiln_3mf_fail(const threemf *t, const char *format, ...)
{
    char what[300];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    kiln_3mf_fail_at(t, t->part, t->line, what);
}

char *kiln_3mf_copy(const threemf *t, const char *text, size_t length)
{
    char *own = strndup(text, length);

    if (own == NULL)
        kiln_read_no_memory(t->reading);
    return own;
}

/* -- values -- */

/* An attribute without the blanks around it, which XML does not count; NULL: it is not there. */
static const char *value_of(const char **attributes, const char *name, size_t *length)
{
    const char *value = kiln_xml_value(attributes, name);

    *length = value != NULL ? strlen(value) : 0;
    return value != NULL ? kiln_xml_trimmed(value, length) : NULL;
}

uint64_t kiln_3mf_whole(const threemf *t, const char **attributes, const char *name,
                        const uint64_t *otherwise)
{
    size_t length;
    const char *value = value_of(attributes, name, &length);
    int64_t number;

    if (value == NULL && otherwise != NULL)
        return *otherwise;
    if (value == NULL || !kiln_token_integer(value, length, &number) || number < 0)
        kiln_3mf_fail(t, "\"%s\" must be a whole number, not \"%.40s\"", name,
                      value != NULL ? value : "");
    return (uint64_t)number;
}

uint64_t kiln_3mf_id(const threemf *t, const char **attributes, const char *name,
                     const uint64_t *otherwise)
{
    const uint64_t number = kiln_3mf_whole(t, attributes, name, otherwise);

    if (number > INT32_MAX && (otherwise == NULL || number != *otherwise))
        kiln_3mf_fail(t, "\"%s\" must be below 2147483648, not \"%.40s\"", name,
                      kiln_xml_value(attributes, name));
    return number;
}

double kiln_3mf_number(const threemf *t, const char **attributes, const char *name)
{
    size_t length;
    const char *value = value_of(attributes, name, &length);
    double number;

    if (value == NULL || !kiln_token_number(value, length, &number))
        kiln_3mf_fail(t, "\"%s\" must be a number, not \"%.40s\"", name,
                      value != NULL ? value : "");
    return number;
}

/* Vectors are rows, so that the twelve numbers are a matrix by columns. */
void kiln_3mf_matrix(const threemf *t, const char **attributes, double matrix[16])
{
    const char *value = kiln_xml_value(attributes, "transform"), *at = value;
    unsigned count = 0;

    memset(matrix, 0, 16 * sizeof *matrix);
    for (int i = 0; i < 4; i++)
        matrix[5 * i] = 1;
    if (value == NULL)
        return;
    while (*at != '\0') {
        const size_t length = strcspn(at, " \t\r\n");
        double number = 0;

        if (length == 0) {
            at++;
            continue;
        }
        if (count == 12 || !kiln_token_number(at, length, &number))
            kiln_3mf_fail(t, "a transform must be twelve numbers, not \"%.100s\"", value);
        matrix[4 * (count % 3) + count / 3] = number;
        count++;
        at += length;
    }
    if (count != 12)
        kiln_3mf_fail(t, "a transform must be twelve numbers, not \"%.100s\"", value);
}
