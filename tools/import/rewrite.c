/* Texts that Assimp misreads for how they are written only, written in another way for it, in
 * memory: what they say stays the same.
 *
 * DirectX X as text: a comma between two whole numbers without a blank, "1,0", is taken for the
 * point of a decimal. A blank behind it makes two numbers of them.
 *
 * DXF: of the corners of a polyface mesh, those whose edge is not drawn have negative numbers;
 * faces with such a corner are left out. The sign is taken away. */
#include "rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"

/* The whole text, with a zero behind it, in new memory; NULL: it has become shorter, and is refused
 * for that. `room` is for bytes that are to be put in. */
static char *load(kiln_reading *reading, size_t room)
{
    const uint64_t size = reading->model.size;
    char *text = size < SIZE_MAX - 1 - room ? malloc((size_t)size + room + 1) : NULL;

    if (text == NULL)
        kiln_read_no_memory(reading);
    if (kiln_model_read(&reading->model, 0, text, (size_t)size) != size) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/* The file stays open for whoever compares it. */
static void replace(kiln_reading *reading, char *text, size_t size)
{
    reading->model = (kiln_model){.file = -1, .data = (uint8_t *)text, .size = size};
}

/* -- DirectX X -- */

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Copies the text with blanks put in, unless `to` is NULL; returns their number. Texts in quotation
 * marks stay as they are. */
static size_t part_numbers(const char *text, size_t size, char *to)
{
    size_t added = 0;
    bool quoted = false;

    for (size_t i = 0; i < size; i++) {
        quoted ^= text[i] == '"';
        if (to != NULL)
            to[i + added] = text[i];
        if (quoted || text[i] != ',' || i == 0 || !digit(text[i - 1]) || !digit(text[i + 1]))
            continue;
        added++;
        if (to != NULL)
            to[i + added] = ' ';
    }
    return added;
}

void kiln_rewrite_x(kiln_reading *reading)
{
    char head[12] = "", *text, *parted;
    const size_t size = (size_t)reading->model.size;
    size_t blanks;

    (void)kiln_model_read(&reading->model, 0, head, sizeof head);
    if (memcmp(head, "xof ", 4) != 0 || memcmp(head + 8, "txt ", 4) != 0)
        return; /* binary, compressed, or no such file */
    text = load(reading, 0);
    blanks = text != NULL ? part_numbers(text, size, NULL) : 0;
    if (blanks > 0) {
        parted = load(reading, blanks);
        if (parted != NULL) {
            (void)part_numbers(text, size, parted);
            replace(reading, parted, size + blanks);
        }
    }
    free(text);
}

/* -- DXF -- */

void kiln_rewrite_dxf(kiln_reading *reading)
{
    char *text = load(reading, 0), *at = text, *end;
    const size_t size = (size_t)reading->model.size;
    bool in_vertex = false, changed = false, is_value = false;
    long code = 0;

    if (text == NULL)
        return;
    /* Groups are two lines each: a code, and a value. */
    for (; at < text + size; at = end + 1, is_value = !is_value) {
        const size_t length = strcspn(at, "\n");
        char *word = at + strspn(at, " \t");

        end = at + length;
        if (!is_value) {
            code = strtol(at, NULL, 10);
        } else if (code == 0) {
            in_vertex = strncmp(word, "VERTEX", 6) == 0;
        } else if (in_vertex && code >= 71 && code <= 74 && *word == '-') {
            *word = '0';
            changed = true;
        }
    }
    if (changed)
        replace(reading, text, size);
    else
        free(text);
}
