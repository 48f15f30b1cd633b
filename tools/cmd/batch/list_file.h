/* Names of inputs, gathered from arguments and from files that list them. */
#ifndef KILN_CMD_LIST_FILE_H
#define KILN_CMD_LIST_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char **names;
    size_t count, capacity;
    bool from_list; /* at least one list was asked, however many names it had */
} input_list;

/* Reports want of memory. */
int list_add(input_list *list, const char *name, size_t length);

/* Adds the names that the file `path` lists ("-": standard input): a name a line, without the mark of UTF-8
 * before the first and CR before LF, empty lines and those that start with '#' left out; or, if there is a
 * zero byte anywhere, names that each end in one, as find -print0 writes them. Names are taken from the
 * working folder. */
int list_file_add(input_list *list, const char *path);

void list_free(input_list *list);

#endif
