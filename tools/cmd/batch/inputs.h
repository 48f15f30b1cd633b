/* Names of inputs, from arguments, from files that list them, and from patterns. */
#ifndef KILN_CMD_INPUTS_H
#define KILN_CMD_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char **names;
    size_t count, capacity;
    bool from_list; /* at least one list was read, however many names it had */
} input_list;

/* Adds a name. Reports want of memory, as the functions below do. */
int inputs_add(input_list *list, const char *name, size_t length);

/* Adds the names that the file `path` lists ("-": standard input): a name a line, without the mark
 * of UTF-8 before the first and CR before LF, with empty lines and those that start with '#' left
 * out, which is told where such a file is there; or, if there is a zero byte anywhere, names that
 * each end in one, as find -print0 writes them. Names are relative to the working folder. */
int inputs_add_list(input_list *list, const char *path);

/* Adds the regular files that match a pattern, sorted by their bytes, each once: '*', '?' and
 * '[...]' within a name, "**" for any number of folders. As in a shell, a name that starts with a
 * dot has to be given with its dot; "**" does not go through symbolic links.
 *
 * `path` is FOLDER and PATTERN, of which the first `folder_length` bytes are a name and no pattern.
 * What matches and is no regular file is told, but for folders. A name without any of "*?[", or of
 * a file that is there, stands for itself and is added as it is. Also reports a folder that may not
 * be searched. */
int inputs_add_pattern(input_list *list, const char *path, size_t folder_length);

/* Adds the models in a folder and below it, sorted by their bytes: the regular files, and links to
 * such, whose extension is one of `kiln bake --formats`. Names that start with a dot and links to
 * folders are left out; all that is not added is counted in one note. */
int inputs_add_folder(input_list *list, const char *folder);

/* Has the text a character that makes it a pattern? */
bool inputs_is_wild(const char *text);

/* Does the whole name match the pattern? 1: yes; 0: no; -1: it is no pattern that can be taken, or
 * there is no memory. Neither begins with a slash: what does is compared from the root by the
 * caller. */
int inputs_match(const char *pattern, const char *name);

void inputs_free(input_list *list);

#endif
