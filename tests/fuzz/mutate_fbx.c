/* Mutations of FBX by its structure. In a text, numbers become those at which readers go wrong, or
 * others of the file; lines, which are records or their ends, are copied elsewhere or taken away.
 * In a binary file, which has no parts that can be moved without a change of sizes, bytes and
 * numbers of four and eight bytes become others, and the file is cut. */
#include "mutate_fbx.h"

#include "../support/meshes.h"

#include <stdbool.h>
#include <string.h>

/* A part of the model. */
typedef struct {
    size_t at, length;
} span;

static bool is_of_number(uint8_t c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/* The first number behind a place, or in the file. */
static span number_from(const uint8_t *text, size_t size, size_t from)
{
    span found = {from, 0};
    while (found.at < size && !is_of_number(text[found.at])) {
        found.at++;
    }
    while (found.at + found.length < size && is_of_number(text[found.at + found.length])) {
        found.length++;
    }
    return found;
}

/* The line that begins behind a place, with its end. */
static span line_from(const uint8_t *text, size_t size, size_t from)
{
    const uint8_t *start = memchr(text + from, '\n', size - from);
    span found = {start != NULL ? (size_t)(start - text) + 1 : 0, 0};
    while (found.at + found.length < size && text[found.at + found.length] != '\n') {
        found.length++;
    }
    found.length += found.at + found.length < size;
    return found;
}

/* Puts other bytes in the place of a part. */
static size_t put(uint8_t *model, size_t size, size_t most, span at, const void *bytes,
                  size_t length)
{
    if (size - at.length + length > most) {
        return size;
    }
    memmove(model + at.at + length, model + at.at + at.length, size - at.at - at.length);
    memcpy(model + at.at, bytes, length);
    return size - at.length + length;
}

static size_t change_text(uint8_t *text, size_t size, size_t most, uint64_t *random)
{
    static const char *const numbers[] = {
        "-1",  "0",   "",   "1e38", "1e400",      "nan", "1",  "-9",         "2",
        "100", "200", "-0", "*3",   "4294967295", "50",  "-2", "2147483647", "18446744073709551616",
        "3",   "4",   "{",  "x",    "1e-320",     "}"};
    static uint8_t copy[1 << 12];
    const uint32_t kind = random_below(random, 8);
    const size_t a = random_below(random, (uint32_t)size);
    const size_t b = random_below(random, (uint32_t)size);
    const bool of_lines = kind >= 5;
    span at = of_lines ? line_from(text, size, a) : number_from(text, size, a);
    const span other = of_lines ? line_from(text, size, b) : number_from(text, size, b);
    if (other.length > sizeof copy) {
        return size;
    }
    if (kind < 3) {
        const char *number = numbers[random_below(random, sizeof numbers / sizeof numbers[0])];
        return put(text, size, most, at, number, strlen(number));
    }
    if (kind == 7) {
        text[a] ^= (uint8_t)(1u << random_below(random, 8));
        return size;
    }
    memcpy(copy, text + other.at, other.length);
    if (kind == 5) {
        at.length = 0;
    }
    return put(text, size, most, at, copy, kind == 6 ? 0 : other.length);
}

static size_t change_binary(uint8_t *bytes, size_t size, uint64_t *random)
{
    static const uint64_t numbers[] = {
        0, 1, UINT64_MAX, 100, 0x7FF0000000000000, 0x7FF8000000000000, 0x3FF0000000000000, 8, 200};
    const uint32_t kind = random_below(random, 16), width = random_below(random, 2) == 0 ? 4 : 8;
    const size_t at = random_below(random, (uint32_t)size);
    const size_t from = random_below(random, (uint32_t)size);
    if (kind == 0) {
        return 30 + random_below(random, (uint32_t)size - 30);
    }
    if (kind < 8 || at + width > size || from + width > size) {
        bytes[at] = (uint8_t)(kind < 4 ? bytes[at] ^ (1u << random_below(random, 8))
                                       : bytes[at] + random_below(random, 9) - 4);
        return size;
    }
    if (kind < 12) {
        const uint64_t number = numbers[random_below(random, sizeof numbers / sizeof numbers[0])];
        memcpy(bytes + at, &number, width);
    } else {
        memmove(bytes + at, bytes + from, width);
    }
    return size;
}

size_t mutate_fbx(uint8_t *model, size_t size, size_t most, uint64_t *random)
{
    const uint32_t times = 1 + random_below(random, 3);
    for (uint32_t i = 0; i < times && size > 64; i++) {
        size = model[0] == 'K' ? change_binary(model, size, random)
                               : change_text(model, size, most, random);
    }
    return size;
}
