/* Text for people, fitted into the columns of a terminal.
 *
 * Names come from models and may hold anything. Each text is first made well-formed UTF-8, then
 * printed character by character: control characters and those that change the direction of writing
 * become "?", so that no name steers a terminal or reorders a line, and widths are those of Unicode
 * Standard Annex #11 (East Asian Width), by blocks rather than by its full table: a wrong width
 * moves a column, and nothing else. The C library's wcwidth() depends on the locale, which the
 * command never sets. */
#define _XOPEN_SOURCE 700

#include "columns.h"

#include "terminal.h"

#include "../../../formats/assert.h"
#include "../../common/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A narrow terminal gets 68 columns all the same: tables of numbers need them, and wrapping is then
 * the terminal's task. */
int columns_of_output(void)
{
    const int columns = terminal_columns(stdout);
    return columns < COLUMNS_LEAST  ? COLUMNS_LEAST
           : columns > COLUMNS_MOST ? COLUMNS_MOST
                                    : columns;
}

/* Reads a character of well-formed UTF-8 and moves *text past it. */
static uint32_t next_character(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    const unsigned more = at[0] < 0xC0 ? 0 : at[0] < 0xE0 ? 1 : at[0] < 0xF0 ? 2 : 3;
    KILN_ASSERT(at[0] != '\0');
    KILN_ASSERT(at[0] < 0x80 || at[0] >= 0xC0); /* never within a character */
    uint32_t character = more == 0 ? at[0] : at[0] & (0x3Fu >> more);
    for (unsigned i = 1; i <= more; i++) {
        character = character << 6 | (at[i] & 0x3Fu);
    }
    *text += 1 + more;
    return character;
}

/* Controls, and the marks, embeddings and separators of Unicode's bidirectional algorithm. */
static bool is_steering(uint32_t character)
{
    return character < 0x20 || (character >= 0x7F && character < 0xA0) ||
           (character >= 0x200E && character <= 0x200F) ||
           (character >= 0x2028 && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069);
}

/* Columns that a terminal gives a character: two to East Asian wide ones, none to combining
 * ones. */
static int width_of(uint32_t character)
{
    static const struct {
        uint32_t first, last;
        int width;
    } blocks[] = {{0x0300, 0x036F, 0},   {0x200B, 0x200D, 0},   {0x20D0, 0x20FF, 0},
                  {0xFE00, 0xFE0F, 0},   {0x1100, 0x115F, 2},   {0x2E80, 0x303E, 2},
                  {0x3041, 0xA4CF, 2},   {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2},
                  {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},   {0xFFE0, 0xFFE6, 2},
                  {0x1F300, 0x1F64F, 2}, {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2}};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (character >= blocks[i].first && character <= blocks[i].last) {
            return blocks[i].width;
        }
    }
    return 1;
}

/* The sum over all characters of well-formed UTF-8. */
static int width_of_text(const char *text)
{
    int width = 0;
    while (*text != '\0') {
        width += width_of(next_character(&text));
    }
    return width;
}

/* Prints at most `columns` columns of `text`; returns how many. */
static int print_part(FILE *stream, const char *text, int columns)
{
    int used = 0;
    KILN_ASSERT(columns >= 0);
    while (*text != '\0') {
        const char *start = text;
        const uint32_t character = next_character(&text);
        const int width = width_of(character);
        if (used + width > columns) {
            break;
        }
        if (is_steering(character)) {
            putc('?', stream);
        } else {
            fwrite(start, 1, (size_t)(text - start), stream);
        }
        used += width;
    }
    return used;
}

/* Prints `text` within `columns`, with "..." in place of what does not fit; returns the columns
 * used. */
static int print_cut(const char *text, int columns)
{
    KILN_ASSERT(columns >= 3);
    char *clean = kiln_utf8_clean(text);
    int used = 0;
    if (clean != NULL && width_of_text(clean) <= columns) {
        used = print_part(stdout, clean, columns);
    } else if (clean != NULL) {
        used = print_part(stdout, clean, columns - 3);
        used += print_part(stdout, "...", columns - used);
    }
    free(clean);
    return used;
}

void columns_print(const char *text, int columns)
{
    const int used = print_cut(text, columns);
    printf("%*s", columns - used, "");
}

void columns_print_last(const char *text, int columns)
{
    (void)print_cut(text, columns);
}

/* The front of a path is shared by many files, its end tells them apart; so the cut is at the
 * front, unlike in print_cut(). */
void columns_print_path(const char *text, int columns)
{
    char *clean = kiln_utf8_clean(text);
    int used = 0;
    KILN_ASSERT(columns >= 3);
    if (clean != NULL) { /* characters are dropped from the front until the rest and "..." fit */
        const char *end = clean;
        int left = width_of_text(clean);
        const bool cut = left > columns;
        while (cut && left > columns - 3) {
            left -= width_of(next_character(&end));
        }
        used = cut ? print_part(stdout, "...", 3) : 0;
        used += print_part(stdout, end, columns - used);
    }
    free(clean);
    printf("%*s", columns - used, "");
}

int columns_width(const char *text)
{
    char *clean = kiln_utf8_clean(text);
    const int width = clean != NULL ? width_of_text(clean) : (int)strlen(text);
    free(clean);
    return width;
}

/* The last component tells files of one folder apart, so it is kept whole where four columns are
 * left for the front; of longer names, and where the front is long, the end gets two thirds. A
 * character is never cut in two, and one that has no width is not parted from the one before it. */
char *columns_fit_path(const char *text, int columns)
{
    char *clean = kiln_utf8_clean(text);
    KILN_ASSERT(columns >= 8);
    if (clean == NULL || width_of_text(clean) <= columns) {
        free(clean);
        return strdup(text);
    }
    const int room = columns - 1; /* the dots take one */
    const char *slash = strrchr(clean, '/');
    const int last = width_of_text(slash != NULL ? slash : clean);
    const int back = last > room * 2 / 3 && last <= room - 4 ? last : room * 2 / 3;
    const char *front_end = clean, *back_start = clean;
    int used = 0, left = width_of_text(clean);
    for (const char *next = clean; *next != '\0';) {
        used += width_of(next_character(&next));
        if (used > room - back) {
            break;
        }
        front_end = next;
    }
    for (const char *next = clean; *next != '\0' && left > back; back_start = next) {
        left -= width_of(next_character(&next));
    }
    for (const char *next = back_start; *next != '\0'; back_start = next) {
        if (width_of(next_character(&next)) > 0) {
            break;
        }
    }
    KILN_ASSERT(front_end <= back_start);
    const size_t front = (size_t)(front_end - clean), rest = strlen(back_start);
    char *fitted = malloc(front + 3 + rest + 1);
    if (fitted != NULL) {
        memcpy(fitted, clean, front);
        memcpy(fitted + front, "\xE2\x80\xA6", 3);
        memcpy(fitted + front + 3, back_start, rest + 1);
    }
    free(clean);
    return fitted;
}

int columns_write_fitted(FILE *stream, const char *text, int columns)
{
    char *fitted = columns_fit_path(text, columns);
    char *clean = fitted != NULL ? kiln_utf8_clean(fitted) : NULL;
    const int used = clean != NULL ? print_part(stream, clean, columns) : 0;
    free(clean);
    free(fitted);
    return used;
}

void columns_print_fitted(const char *text, int columns)
{
    printf("%*s", columns - columns_write_fitted(stdout, text, columns), "");
}

/* Words are never cut here: one that is wider than a line stands on a line of its own. */
void columns_item(FILE *stream, const char *label, const char *words)
{
    enum { LABEL = 14, INDENT = LABEL + 3 };
    const int columns = columns_of_output();
    char *clean = kiln_utf8_clean(words);
    char *rest = NULL, *word = clean != NULL ? strtok_r(clean, " ", &rest) : NULL;
    int column = INDENT;
    fprintf(stream, "  %-*s ", LABEL, label);
    for (; word != NULL; word = strtok_r(NULL, " ", &rest)) {
        const int width = width_of_text(word);
        if (column > INDENT && column + 1 + width > columns) {
            fprintf(stream, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            putc(' ', stream);
            column++;
        }
        column += print_part(stream, word, width);
    }
    putc('\n', stream);
    free(clean);
}

/* The head of a column may be wider than every number below it. */
int columns_for(const char *head, uint64_t most)
{
    char buffer[32];
    const int digits = (int)strlen(columns_count(most, buffer)), text = (int)strlen(head);
    return digits > text ? digits : text;
}

/* Digits are written backwards from the end of the buffer, with a comma after every third. */
const char *columns_count(uint64_t value, char buffer[32])
{
    char *at = buffer + 31; /* 2^64 - 1 has 20 digits and 6 commas */
    *at = '\0';
    for (int digits = 0; value != 0 || digits == 0; digits++) {
        if (digits > 0 && digits % 3 == 0) {
            *--at = ',';
        }
        *--at = (char)('0' + value % 10);
        value /= 10;
    }
    KILN_ASSERT(at >= buffer);
    return at;
}
