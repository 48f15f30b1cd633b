/* Rows of two values that differ, gathered while two files are compared, then printed.
 *
 * Values are JSON, so that one comparison serves numbers, texts and lists, and the document
 * needs no second form. Rows of one group stand together, in the order in which they were added;
 * the table for people has a heading for each group and says by how much a number grew. After an
 * allocation failed, rows are dropped and `no_memory` is set, which the caller checks once, at
 * the end.
 *
 * Values are owned by the rows from the moment they are passed in, whether they were equal, kept
 * or dropped for want of memory, so that a comparison never has to release one. */
#include "rows.h"

#include "../kit/columns.h"
#include "../kit/report.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the table; texts beyond TEXT_SIZE would be cut by their column anyway. */
enum { NAME_COLUMNS = 22, CHANGE_COLUMNS = 9, TEXT_SIZE = 512 };

/* strdup, which C11 does not have. */
static char *copy_of(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

/* Takes over both values, also where it fails. */
void rows_put(rows *to, const char *group, const char *name, json_t *a, json_t *b)
{
    KILN_ASSERT(to->count <= to->capacity);
    if (to->count == to->capacity) {
        const size_t capacity = to->capacity == 0 ? 64 : 2 * to->capacity;
        row *more = realloc(to->rows, capacity * sizeof *more);
        to->rows = more != NULL ? more : to->rows;
        to->capacity = more != NULL ? capacity : to->capacity;
    }
    char *own_group = to->count < to->capacity ? copy_of(group) : NULL;
    char *own_name = own_group != NULL ? copy_of(name) : NULL;
    if (own_name == NULL) {
        to->no_memory = true;
        free(own_group);
        json_decref(a);
        json_decref(b);
        return;
    }
    to->rows[to->count++] = (row){own_group, own_name, {a, b}};
}

/* Values are compared as JSON: an integer and a real of one value are different. */
void rows_add(rows *to, const char *group, const char *name, json_t *a, json_t *b)
{
    if (a == b || (a != NULL && b != NULL && json_equal(a, b))) {
        json_decref(a);
        json_decref(b);
        return;
    }
    rows_put(to, group, name, a, b);
}

/* Members of `a` in its order, then those that only `b` has. */
void rows_add_members(rows *to, const char *group, json_t *a, json_t *b)
{
    const char *name;
    json_t *value;
    json_object_foreach(a, name, value)
    {
        rows_add(to, group, name, json_incref(value), json_incref(json_object_get(b, name)));
    }
    json_object_foreach(b, name, value)
    {
        if (json_object_get(a, name) == NULL) {
            rows_add(to, group, name, NULL, json_incref(value));
        }
    }
}

/* The value with a reference of its own; null where there is none. */
static json_t *value_json(json_t *value)
{
    return value != NULL ? json_incref(value) : json_null();
}

json_t *rows_json(const rows *of)
{
    json_t *array = json_array();
    for (size_t i = 0; i < of->count; i++) {
        const row *one = &of->rows[i];
        json_t *object = json_object();
        json_object_set_new(object, "group", json_cstring(one->group));
        json_object_set_new(object, "name", json_cstring(one->name));
        json_object_set_new(object, "a", value_json(one->values[0]));
        json_object_set_new(object, "b", value_json(one->values[1]));
        json_array_append_new(array, object);
    }
    return array;
}

/* A value as people read it: texts without quotes, counts with commas, "-" for a missing one. */
static const char *text_of(json_t *value, char text[TEXT_SIZE])
{
    char digits[32];
    if (value == NULL) {
        return "-";
    }
    if (json_is_string(value)) {
        return json_string_value(value)[0] != '\0' ? json_string_value(value) : "\"\"";
    }
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        snprintf(text, TEXT_SIZE, "%s", columns_count((uint64_t)json_integer_value(value), digits));
    } else if (json_is_real(value)) {
        snprintf(text, TEXT_SIZE, "%.6g", json_real_value(value));
    } else {
        char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        snprintf(text, TEXT_SIZE, "%s", dump != NULL ? dump : "?");
        free(dump);
    }
    return text;
}

/* Name, both values in columns of one width, and the change where it is not empty. */
static void print_line(const char *name, const char *a, const char *b, const char *change)
{
    const int wide = (columns_of_output() - NAME_COLUMNS - CHANGE_COLUMNS - 6) / 2;
    const int each = wide < 34 ? wide : 34;
    printf("  ");
    columns_print(name, NAME_COLUMNS);
    putchar(' ');
    columns_print(a, each);
    putchar(' ');
    if (change[0] != '\0') {
        columns_print(b, each);
        printf(" %*s", CHANGE_COLUMNS, change);
    } else {
        columns_print_last(b, each);
    }
    putchar('\n');
}

/* Says how many groups were left out, if any were. */
static void print_more(size_t more)
{
    if (more > 0) {
        printf("and %zu more like these; --json tells of all\n", more);
    }
}

/* Trees come as groups that start with the same word; a file of a thousand trees would fill
 * screens, so that only the first groups of a word are printed. */
void rows_print(const rows *of, size_t groups)
{
    const char *group = "";
    size_t alike = 0; /* groups so far that start with the same word as this one */
    if (of->count > 0) {
        print_line("", "A", "B", "");
    }
    for (size_t i = 0; i < of->count; i++) {
        const row *one = &of->rows[i];
        const bool starts = strcmp(group, one->group) != 0;
        const size_t word = strcspn(group, " ");
        const bool kin = strncmp(group, one->group, word) == 0 &&
                         (one->group[word] == ' ' || one->group[word] == '\0');
        if (starts && !kin) { /* the first word of groups changes: a new count begins */
            print_more(groups > 0 && alike > groups ? alike - groups : 0);
            alike = 0;
        }
        alike += starts;
        group = one->group;
        if (groups > 0 && alike > groups) {
            continue;
        }
        if (starts) {
            columns_print_last(group, columns_of_output());
            putchar('\n');
        }
        char text_a[TEXT_SIZE], text_b[TEXT_SIZE], change[32] = "";
        const double a = json_number_value(one->values[0]), b = json_number_value(one->values[1]);
        if (json_is_number(one->values[0]) && json_is_number(one->values[1]) && a > 0.0 &&
            b > 0.0) { /* a factor needs two numbers above 0 */
            const double part = 100.0 * (b - a) / a;
            snprintf(change, sizeof change, fabs(part) < 1000.0 ? "%+.1f %%" : "x %.3g",
                     fabs(part) < 1000.0 ? part : b / a);
        }
        print_line(one->name, text_of(one->values[0], text_a), text_of(one->values[1], text_b),
                   change);
    }
    print_more(groups > 0 && alike > groups ? alike - groups : 0);
}

void rows_free(rows *of)
{
    for (size_t i = 0; i < of->count; i++) {
        free(of->rows[i].group);
        free(of->rows[i].name);
        json_decref(of->rows[i].values[0]);
        json_decref(of->rows[i].values[1]);
    }
    free(of->rows);
}
