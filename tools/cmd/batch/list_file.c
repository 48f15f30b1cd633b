/* See list_file.h. */
#include "list_file.h"

#include "../kit/files.h"
#include "../kit/report.h"

#include "../../common/memory.h"

#include <stdlib.h>
#include <string.h>

int list_add(input_list *list, const char *name, size_t length)
{
    void *names = list->names;
    const bool room = kiln_grow(&names, &list->capacity, list->count + 1, sizeof(char *));
    list->names = names;
    char *copy = room ? malloc(length + 1) : NULL;
    if (copy == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    list->names[list->count++] = copy;
    return EXIT_DONE;
}

/* A line ends in LF, or in CR and LF. */
static size_t without_return(const char *line, size_t length)
{
    return length > 0 && line[length - 1] == '\r' ? length - 1 : length;
}

/* Bytes of the mark that editors put before text in UTF-8. */
static size_t mark_length(const char *text, size_t size)
{
    static const char mark[] = "\xEF\xBB\xBF";
    return size >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1
                                                                               : 0;
}

static int add_names(input_list *list, const char *text, size_t size)
{
    const bool lines = memchr(text, '\0', size) == NULL;
    int status = EXIT_DONE;
    for (size_t at = lines ? mark_length(text, size) : 0; at < size && status == EXIT_DONE;) {
        const char *end = memchr(text + at, lines ? '\n' : '\0', size - at);
        const size_t span = end != NULL ? (size_t)(end - (text + at)) : size - at;
        const size_t length = lines ? without_return(text + at, span) : span;
        if (length > 0 && !(lines && text[at] == '#')) {
            status = list_add(list, text + at, length);
        }
        at += span + 1;
    }
    return status;
}

int list_file_add(input_list *list, const char *path)
{
    void *text = NULL;
    size_t size = 0;
    list->from_list = true;
    int status = path[0] == '\0' ? report_usage("'@' is followed by a file that lists inputs")
                 : strcmp(path, "-") == 0 ? load_stdin(&text, &size)
                                          : load_file(path, &text, &size);
    if (status == EXIT_DONE) {
        status = add_names(list, text, size);
    }
    free(text);
    return status;
}

void list_free(input_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->names[i]);
    }
    free(list->names);
}
