/* Many files as one table: what kiln info prints of several, a row each. */
#ifndef KILN_CMD_INFO_TABLE_H
#define KILN_CMD_INFO_TABLE_H

#include "contents.h"

/* In the order of the choices "text|csv|md". */
typedef enum { TABLE_TEXT, TABLE_CSV, TABLE_MARKDOWN } table_format;

/* A file. Texts are copies; numbers are 0 where `kind` is no model. */
typedef struct {
    char *path;
    char *error; /* NULL: the file is sound */
    char *kinds; /* of trees: "obb,aabb" */
    int status;
    contents_kind kind;
    uint64_t bytes, triangles, dropped, degenerate, duplicates, parts;
    uint32_t closed; /* KILN_CLOSED_..., the least of its trees */
    char format[16]; /* "1.0" */
    char source[16]; /* the format of the model, "obj"; "": not known */
    bool packed;
} info_row;

typedef struct {
    info_row *rows;
    size_t count, capacity;
} info_table;

/* Adds a row of an open file, or of one that failed: then `error` says why. False: no memory. */
bool info_table_add(info_table *table, const contents *of);
bool info_table_add_failed(info_table *table, const char *path, int status, const char *error);

/* Prints it on standard output. */
void info_table_print(const info_table *table, table_format format);
void info_table_free(info_table *table);

#endif
