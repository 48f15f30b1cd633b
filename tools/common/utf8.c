/* Well-formedness after RFC 3629, section 4. */
#include "utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool follows(unsigned char byte, unsigned char lower, unsigned char upper)
{
    return byte >= lower && byte <= upper;
}

/* Length of the well-formed sequence at `s`, or 0. */
static size_t sequence_length(const unsigned char *s)
{
    if (s[0] < 0x80) {
        return 1;
    }
    if (follows(s[0], 0xC2, 0xDF)) {
        return follows(s[1], 0x80, 0xBF) ? 2 : 0;
    }
    if (follows(s[0], 0xE0, 0xEF)) {
        const unsigned char lower = s[0] == 0xE0 ? 0xA0 : 0x80;
        const unsigned char upper = s[0] == 0xED ? 0x9F : 0xBF;
        return follows(s[1], lower, upper) && follows(s[2], 0x80, 0xBF) ? 3 : 0;
    }
    if (follows(s[0], 0xF0, 0xF4)) {
        const unsigned char lower = s[0] == 0xF0 ? 0x90 : 0x80;
        const unsigned char upper = s[0] == 0xF4 ? 0x8F : 0xBF;
        return follows(s[1], lower, upper) && follows(s[2], 0x80, 0xBF) && follows(s[3], 0x80, 0xBF)
                   ? 4
                   : 0;
    }
    return 0;
}

char *kiln_utf8_clean(const char *bytes)
{
    const unsigned char *in = (const unsigned char *)bytes;
    char *clean = malloc(3 * strlen(bytes) + 1);
    if (clean == NULL) {
        return NULL;
    }
    char *out = clean;
    while (*in != 0) {
        const size_t length = sequence_length(in);
        if (length > 0) {
            memcpy(out, in, length);
            out += length;
            in += length;
        } else {
            memcpy(out, "\xEF\xBF\xBD", 3);
            out += 3;
            in++;
        }
    }
    *out = '\0';
    return clean;
}

size_t kiln_utf8_span(const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        unsigned char end[4] = {0};
        const bool near_end = size - at < sizeof end;
        if (near_end) {
            memcpy(end, bytes + at, size - at);
        }
        const size_t length = sequence_length(near_end ? end : (const unsigned char *)bytes + at);
        if (length == 0) {
            break;
        }
        at += length;
    }
    return at;
}
