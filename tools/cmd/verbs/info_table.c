/* Many files as one table: for people within the columns of the terminal, as CSV (RFC 4180, lines
 * end in a line feed) for spreadsheets, or as a table of Markdown for pages.
 *
 * Rows are kept until all files were looked at, since columns are as wide as their widest number.
 * Names come from anywhere: for people what steers a terminal is replaced (kit/columns.c), in CSV
 * they stand as they are between quotes, in Markdown bars and line ends are spelled out. */
#define _POSIX_C_SOURCE 200809L
#include "info_table.h"

#include "../kit/columns.h"
#include "../kit/verb.h"

#include "../../common/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- rows -- */

static info_row *new_row(info_table *table, const char *path)
{
    void *rows = table->rows;
    const bool room = kiln_grow(&rows, &table->capacity, table->count + 1, sizeof *table->rows);
    table->rows = rows;
    if (!room) {
        return NULL;
    }
    info_row *row = &table->rows[table->count];
    memset(row, 0, sizeof *row);
    row->path = strdup(path);
    if (row->path == NULL) {
        return NULL;
    }
    table->count++;
    return row;
}

/* The kinds of the trees, each once, in the order of the file. */
static char *kinds_of(const kiln_view *view)
{
    char text[256] = "";
    bool seen[KILN_NODE_KIND_COUNT] = {false};
    size_t used = 0;
    for (uint32_t i = 0; i < view->tree_count; i++) {
        const kiln_node_kind *kind = kiln_node_kind_find(view->trees[i].bv);
        if (!seen[kiln_node_kind_index(kind)]) {
            seen[kiln_node_kind_index(kind)] = true;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "," : "",
                                     kind->name);
        }
    }
    return strdup(text);
}

static uint64_t count_of(const contents *of, const char *name)
{
    const json_t *counts = json_object_get(of->meta, "counts");
    const json_int_t value = json_integer_value(json_object_get(counts, name));
    return value > 0 ? (uint64_t)value : 0;
}

bool info_table_add(info_table *table, const contents *of)
{
    info_row *row = new_row(table, of->path);
    if (row == NULL) {
        return false;
    }
    const kiln_format_header *header = &of->reader.header;
    (void)snprintf(row->format, sizeof row->format, "%u.%u", header->version_major,
                   header->version_minor);
    row->packed = reader_is_packed(&of->reader);
    row->kind = of->kind;
    row->bytes = of->size;
    if (of->kind != CONTENTS_MODEL) {
        return true;
    }
    row->kinds = kinds_of(&of->view);
    row->triangles = kiln_view_faces(&of->view);
    row->parts = of->view.part_count;
    row->dropped = count_of(of, "faces_dropped");
    row->degenerate = count_of(of, "degenerate");
    row->duplicates = count_of(of, "duplicate");
    row->closed = of->view.tree_count > 0 ? KILN_CLOSED_ORIENTED : KILN_CLOSED_NOT;
    for (uint32_t i = 0; i < of->view.tree_count; i++) {
        const uint32_t closed = of->view.trees[i].closed;
        row->closed = closed < row->closed ? closed : row->closed;
    }
    const char *source =
        json_string_value(json_object_get(json_object_get(of->meta, "source"), "format"));
    (void)snprintf(row->source, sizeof row->source, "%.15s", source != NULL ? source : "");
    return row->kinds != NULL;
}

bool info_table_add_failed(info_table *table, const char *path, int status, const char *error)
{
    info_row *row = new_row(table, path);
    if (row != NULL) {
        row->status = status;
        row->error = strdup(error);
    }
    return row != NULL && row->error != NULL;
}

void info_table_free(info_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->rows[i].path);
        free(table->rows[i].error);
        free(table->rows[i].kinds);
    }
    free(table->rows);
    memset(table, 0, sizeof *table);
}

static bool is_model(const info_row *row)
{
    return row->error == NULL && row->kind == CONTENTS_MODEL;
}

static double bytes_a_triangle(const info_row *row)
{
    return row->triangles > 0 ? (double)row->bytes / (double)row->triangles : 0;
}

static const char *closed_name(const info_row *row)
{
    static const char *const names[] = {"no", "even", "yes"};
    return names[row->closed];
}

/* ------------------------------------------------------------------------------- for people -- */

typedef struct {
    int name, triangles, kinds, bytes, dropped, flat, twice, parts, format;
} text_columns;

static int wider(int width, const char *head, const char *text)
{
    const int least = (int)strlen(head), own = columns_width(text);
    width = least > width ? least : width;
    return own > width ? own : width;
}

/* "1.0", or "1.0 raw": the version of the file's format, and its layout where it is not packed. */
static void format_text(const info_row *row, char text[32])
{
    (void)snprintf(text, 32, "%s%s", row->format, row->packed ? "" : " raw");
}

/* Numbers get what they need. Of what is left names get as many as they have, but for those that
 * kinds have, up to twelve; where even that is too little, kinds are cut first, and what names
 * leave goes to kinds. */
static text_columns measure_columns(const info_table *table)
{
    enum { BLANKS = 9, CLOSED = 6, KINDS_USUAL = 12, KINDS_LEAST = 3, NAME_LEAST = 12 };
    text_columns c = {.kinds = 2, .format = 6};
    uint64_t triangles = 0, dropped = 0, flat = 0, twice = 0, parts = 0;
    char text[32];
    for (size_t i = 0; i < table->count; i++) {
        const info_row *row = &table->rows[i];
        const int name = columns_width(row->path);
        c.name = name > c.name ? name : c.name;
        if (is_model(row)) {
            (void)snprintf(text, sizeof text, "%.1f", bytes_a_triangle(row));
            c.bytes = wider(c.bytes, "B/tri", text);
            c.kinds = wider(c.kinds, "bv", row->kinds);
            format_text(row, text);
            c.format = wider(c.format, "format", text);
            triangles = row->triangles > triangles ? row->triangles : triangles;
            dropped = row->dropped > dropped ? row->dropped : dropped;
            flat = row->degenerate > flat ? row->degenerate : flat;
            twice = row->duplicates > twice ? row->duplicates : twice;
            parts = row->parts > parts ? row->parts : parts;
        }
    }
    c.bytes = c.bytes > 0 ? c.bytes : 5;
    c.triangles = columns_for("triangles", triangles);
    c.dropped = columns_for("dropped", dropped);
    c.flat = columns_for("flat", flat);
    c.twice = columns_for("twice", twice);
    c.parts = columns_for("parts", parts);
    int left = columns_of_output() - BLANKS - CLOSED - c.triangles - c.bytes - c.dropped - c.flat -
               c.twice - c.parts - c.format;
    const int kinds = c.kinds, name = c.name > 4 ? c.name : 4;
    c.kinds = kinds < KINDS_USUAL ? kinds : KINDS_USUAL;
    if (left - c.kinds < NAME_LEAST && left - c.kinds < name) {
        c.kinds = left - NAME_LEAST > KINDS_LEAST ? left - NAME_LEAST : KINDS_LEAST;
    }
    left -= c.kinds;
    c.name = name < left ? name : left > 8 ? left : 8;
    if (c.name < left) {
        c.kinds += kinds - c.kinds < left - c.name ? kinds - c.kinds : left - c.name;
    }
    return c;
}

static void print_text(const info_table *table)
{
    const text_columns c = measure_columns(table);
    char digits[5][32], format[32];
    printf("%-*s %*s %-*s %*s %-6s %*s %*s %*s %*s format\n", c.name, "file", c.triangles,
           "triangles", c.kinds, "bv", c.bytes, "B/tri", "closed", c.dropped, "dropped", c.flat,
           "flat", c.twice, "twice", c.parts, "parts");
    for (size_t i = 0; i < table->count; i++) {
        const info_row *row = &table->rows[i];
        columns_print_fitted(row->path, c.name);
        if (row->error != NULL) {
            char text[512];
            (void)snprintf(text, sizeof text, "exit %d: %s", row->status, row->error);
            putchar(' ');
            columns_print_last(text, columns_of_output() - c.name - 1);
        } else if (!is_model(row)) {
            static const char *const names[] = {"", "a table of filled bins",
                                                "weights of counted queries", "a set of axes"};
            printf(" %s", names[row->kind]);
        } else {
            printf(" %*s ", c.triangles, columns_count(row->triangles, digits[0]));
            columns_print(row->kinds, c.kinds);
            format_text(row, format);
            printf(" %*.1f %-6s %*s %*s %*s %*s %s", c.bytes, bytes_a_triangle(row),
                   closed_name(row), c.dropped, columns_count(row->dropped, digits[1]), c.flat,
                   columns_count(row->degenerate, digits[2]), c.twice,
                   columns_count(row->duplicates, digits[3]), c.parts,
                   columns_count(row->parts, digits[4]), format);
        }
        putchar('\n');
    }
}

/* ---------------------------------------------------------------------------- CSV, Markdown -- */

static const char *const heads[] = {
    "file",   "kind",    "triangles",  "bv",         "bytes", "bytes_per_triangle",
    "closed", "dropped", "degenerate", "duplicates", "parts", "format",
    "layout", "source",  "status",     "error"};

enum { CELLS = COUNT_OF(heads), CELL_SIZE = 24 };

/* The cells of a row; texts of their own are in `room`. Of a file that failed, and of one that is
 * no model, what it has not is empty. */
static void fill_cells(const info_row *row, const char *cells[CELLS], char room[CELLS][CELL_SIZE])
{
    for (size_t i = 0; i < CELLS; i++) {
        cells[i] = room[i];
        room[i][0] = '\0';
    }
    cells[0] = row->path;
    (void)snprintf(room[14], CELL_SIZE, "%d", row->status);
    if (row->error != NULL) {
        cells[15] = row->error;
        return;
    }
    cells[1] = contents_kind_name(row->kind);
    (void)snprintf(room[4], CELL_SIZE, "%" PRIu64, row->bytes);
    cells[11] = row->format;
    cells[12] = row->packed ? "packed" : "raw";
    if (row->kind != CONTENTS_MODEL) {
        return;
    }
    (void)snprintf(room[2], CELL_SIZE, "%" PRIu64, row->triangles);
    cells[3] = row->kinds;
    (void)snprintf(room[5], CELL_SIZE, "%.2f", bytes_a_triangle(row));
    cells[6] = closed_name(row);
    (void)snprintf(room[7], CELL_SIZE, "%" PRIu64, row->dropped);
    (void)snprintf(room[8], CELL_SIZE, "%" PRIu64, row->degenerate);
    (void)snprintf(room[9], CELL_SIZE, "%" PRIu64, row->duplicates);
    (void)snprintf(room[10], CELL_SIZE, "%" PRIu64, row->parts);
    cells[13] = row->source;
}

/* Between quotes where it has any of the characters that part cells and lines. */
static void print_csv_cell(const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        (void)fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            putchar('"');
        }
        putchar(*text);
    }
    putchar('"');
}

static void print_markdown_cell(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("|\\`*_<>[]&~", *text) != NULL) {
            putchar('\\');
        }
        putchar((unsigned char)*text < ' ' ? '?' : *text);
    }
}

static void print_cells(const char *const *cells, bool markdown)
{
    (void)fputs(markdown ? "| " : "", stdout);
    for (size_t i = 0; i < CELLS; i++) {
        (void)fputs(i == 0 ? "" : markdown ? " | " : ",", stdout);
        if (markdown) {
            print_markdown_cell(cells[i]);
        } else {
            print_csv_cell(cells[i]);
        }
    }
    (void)fputs(markdown ? " |\n" : "\n", stdout);
}

void info_table_print(const info_table *table, table_format format)
{
    const char *cells[CELLS];
    char room[CELLS][CELL_SIZE];
    if (format == TABLE_TEXT) {
        print_text(table);
        return;
    }
    if (format == TABLE_CSV) {
        print_cells(heads, false);
    } else { /* numbers are set to the right */
        (void)fputs("| file | kind | triangles | bv | bytes | bytes a triangle | closed | dropped "
                    "| degenerate | duplicates | parts | format | layout | source | status | error "
                    "|\n| --- | --- | ---: | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | "
                    "--- | --- | --- | ---: | --- |\n",
                    stdout);
    }
    for (size_t i = 0; i < table->count; i++) {
        fill_cells(&table->rows[i], cells, room);
        print_cells(cells, format == TABLE_MARKDOWN);
    }
}
