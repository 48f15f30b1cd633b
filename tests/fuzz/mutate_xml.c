/* Mutations of XML by its structure: random bytes hardly ever leave a text that a parser takes.
 * Numbers become those at which readers go wrong, are taken away or come twice; values of
 * attributes take the place of others; elements are copied elsewhere, taken away, or get the name
 * of another. Now and then a byte changes, for the parser itself. */
#include "mutate_xml.h"

#include "../support/meshes.h"

#include <stdbool.h>
#include <string.h>

/* A part of the text. */
typedef struct {
    size_t at, length;
} span;

typedef bool finder(const uint8_t *text, size_t size, size_t from, span *found);

static bool is_of_number(uint8_t c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '+';
}

static bool find_number(const uint8_t *text, size_t size, size_t from, span *found)
{
    while (from < size && !is_of_number(text[from])) {
        from++;
    }
    found->at = from;
    while (from < size && is_of_number(text[from])) {
        from++;
    }
    found->length = from - found->at;
    return found->length > 0;
}

/* With its quotation marks. */
static bool find_value(const uint8_t *text, size_t size, size_t from, span *found)
{
    const uint8_t *mark;
    for (; from + 1 < size; from++) {
        if (text[from] != '=' || (text[from + 1] != '"' && text[from + 1] != '\'')) {
            continue;
        }
        mark = memchr(text + from + 2, text[from + 1], size - from - 2);
        found->at = from + 1;
        found->length = mark != NULL ? (size_t)(mark - text) - from : 0;
        return mark != NULL;
    }
    return false;
}

static size_t name_length(const uint8_t *text, size_t size, size_t at)
{
    size_t length = 0;
    while (at + length < size && memchr(" \t\r\n/>", text[at + length], 6) == NULL) {
        length++;
    }
    return length;
}

/* From its start to its end, with all in it. */
static bool find_element(const uint8_t *text, size_t size, size_t from, span *found)
{
    size_t depth = 0;
    while (from + 1 < size && (text[from] != '<' || memchr("/?!", text[from + 1], 3) != NULL)) {
        from++;
    }
    found->at = from;
    for (; from + 1 < size; from++) {
        if (text[from] == '<' && text[from + 1] != '/') {
            depth++;
        }
        if ((text[from] == '/' && text[from + 1] == '>') ||
            (text[from] == '<' && text[from + 1] == '/')) {
            if (--depth == 0) {
                const uint8_t *end = memchr(text + from, '>', size - from);
                found->length = end != NULL ? (size_t)(end - text) + 1 - found->at : 0;
                return end != NULL;
            }
        }
    }
    return false;
}

/* One at random, the first behind a place. */
static bool pick(const uint8_t *text, size_t size, finder *find, span *found, uint64_t *random)
{
    return find(text, size, random_below(random, (uint32_t)size), found) ||
           find(text, size, 0, found);
}

/* Puts other bytes in the place of a part. */
static size_t put(uint8_t *text, size_t size, size_t most, span at, const void *bytes,
                  size_t length)
{
    if (size - at.length + length > most) {
        return size;
    }
    memmove(text + at.at + length, text + at.at + at.length, size - at.at - at.length);
    memcpy(text + at.at, bytes, length);
    return size - at.length + length;
}

static size_t change(uint8_t *text, size_t size, size_t most, uint64_t *random)
{
    static const char *const numbers[] = {"-1",  "0",  "",      "1e38", "1e400",      "nan",
                                          "inf", "-0", "1e-46", "2",    "4294967295", "99",
                                          "1 1", "-2", "3.5",   "1e9",  "2147483648", "7",
                                          "x",   "64", "180",   "1e-9", "0 0 0",      ","};
    static uint8_t copy[1 << 14];
    const uint32_t kind = random_below(random, 16);
    finder *find = kind < 9 ? find_number : kind < 12 ? find_value : find_element;
    span at, other;
    if (kind == 15) {
        text[random_below(random, (uint32_t)size)] ^= (uint8_t)(1u << random_below(random, 8));
        return size;
    }
    if (!pick(text, size, find, &at, random) || !pick(text, size, find, &other, random) ||
        other.length > sizeof copy) {
        return size;
    }
    if (kind < 7) {
        const char *number = numbers[random_below(random, sizeof numbers / sizeof numbers[0])];
        return put(text, size, most, at, number, strlen(number));
    }
    memcpy(copy, text + other.at, other.length);
    if (kind == 12) {
        at.length = name_length(text, size, at.at + 1);
        other.length = name_length(copy, other.length, 1);
        at.at++;
        return put(text, size, most, at, copy + 1, other.length);
    }
    if (kind == 13) {
        at.length = 0;
    }
    return put(text, size, most, at, copy, kind == 14 ? 0 : other.length);
}

size_t mutate_xml(uint8_t *model, size_t size, size_t most, uint64_t *random)
{
    for (uint32_t i = 1 + random_below(random, 3); i-- > 0 && size > 0;) {
        size = change(model, size, most, random);
    }
    return size;
}
