/* JSON values from what need not be fit for JSON: bytes that are not UTF-8, numbers that are not
 * finite. */
#include "report.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the well-formed UTF-8 sequence at `bytes`, 1 to 4, or 0 where there is none (Unicode
 * Standard, table 3-7: no surrogates, no overlong forms, nothing above U+10FFFF). */
static size_t sequence_length(const uint8_t *bytes, size_t size)
{
    const uint8_t first = bytes[0];
    if (first < 0x80) {
        return 1;
    }
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || length > size) {
        return 0;
    }
    const uint8_t lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const uint8_t highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (bytes[1] < lowest || bytes[1] > highest) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

json_t *json_text(const char *bytes, size_t size)
{
    char *clean = malloc(3 * size + 1);
    if (clean == NULL) {
        return NULL;
    }
    size_t used = 0;
    for (size_t at = 0; at < size;) {
        const size_t length = sequence_length((const uint8_t *)bytes + at, size - at);
        if (length == 0) {
            memcpy(clean + used, "\xEF\xBF\xBD", 3);
            used += 3;
            at++;
        } else {
            memcpy(clean + used, bytes + at, length);
            used += length;
            at += length;
        }
    }
    json_t *text = json_stringn_nocheck(clean, used);
    free(clean);
    return text;
}

json_t *json_cstring(const char *text)
{
    return json_text(text, strlen(text));
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_count(unsigned long long value)
{
    return json_integer((json_int_t)value);
}
