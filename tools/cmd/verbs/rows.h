/* Rows of two values, one from each of two files that are compared, for a table and for a
 * document. */
#ifndef KILN_CMD_ROWS_H
#define KILN_CMD_ROWS_H

#include <jansson.h>
#include <stdbool.h>

typedef struct {
    char *group;       /* "options", "tree obb model" */
    char *name;        /* "leaf" */
    json_t *values[2]; /* NULL: the file has none */
} row;

typedef struct {
    row *rows;
    size_t count, capacity;
    bool no_memory;
} rows;

/* Adds a row unless the values are equal, and takes both over. Texts are copied. */
void rows_add(rows *to, const char *group, const char *name, json_t *a, json_t *b);

/* Adds a row whatever the values. */
void rows_put(rows *to, const char *group, const char *name, json_t *a, json_t *b);

/* As rows_add for every member that two objects, either of which may be NULL, have between them. */
void rows_add_members(rows *to, const char *group, json_t *a, json_t *b);

/* Elements {"group", "name", "a", "b"}; a missing value is null. */
json_t *rows_json(const rows *of);

/* Prints a table within the columns of standard output; of groups that start alike up to the first
 * blank at most `groups` are printed (0: all), with a line that says how many more there are. */
void rows_print(const rows *of, size_t groups);

void rows_free(rows *of);

#endif
