/* Words and numbers of a line of text.
 *
 * Numbers are decimals as C writes them, whatever the locale, rounded to the nearest double. Most
 * have so few digits that digits and power of ten are both exact doubles: one multiplication or
 * division rounds right (William D. Clinger, "How to read floating point numbers accurately",
 * 1990). The rest go to strtod, under the plain locale of the reading process. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "model.h"

/* Lines end before a token is looked for, so that no line end is among the blanks. */
static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

const char *kiln_token(const char **at, size_t *length)
{
    const char *token;

    while (blank(**at))
        ++*at;
    token = *at;
    while (**at != '\0' && !blank(**at))
        ++*at;
    *length = (size_t)(*at - token);
    return *length > 0 ? token : NULL;
}

bool kiln_token_is(const char *token, size_t length, const char *word)
{
    size_t i = 0;

    while (i < length && word[i] != '\0' && lower(token[i]) == lower(word[i]))
        i++;
    return i == length && word[i] == '\0';
}

/* Without the C library, whose functions stop at the first character that fits no number. */
bool kiln_token_integer(const char *token, size_t length, int64_t *value)
{
    size_t i = length > 0 && (token[0] == '-' || token[0] == '+') ? 1 : 0;
    int64_t sum = 0;

    if (i == length)
        return false;
    for (; i < length; i++) {
        if (!digit(token[i]))
            return false;
        /* One that is too large stays too large for any index. */
        if (sum < INT64_MAX / 10 - 1)
            sum = 10 * sum + (token[i] - '0');
    }
    *value = token[0] == '-' ? -sum : sum;
    return true;
}

/* A decimal: digits * 10^exponent. */
typedef struct {
    uint64_t digits;
    int64_t exponent;
    bool cut; /* more digits than fit */
} decimal;

/* Digits before the point (point 0) or after it (1); where they end. Digits that no longer fit only
 * count in the exponent. */
static size_t scan_digits(const char *token, size_t i, size_t length, decimal *d, int point)
{
    for (; i < length && digit(token[i]); i++) {
        if (d->digits < UINT64_MAX / 10 - 9) {
            d->digits = 10 * d->digits + (uint64_t)(token[i] - '0');
            d->exponent -= point;
        } else {
            d->cut = true;
            d->exponent += 1 - point;
        }
    }
    KILN_ASSERT(i <= length);
    return i;
}

/* Where the decimal that starts at i ends; i itself when there is none. */
static size_t scan_decimal(const char *token, size_t start, size_t length, decimal *d)
{
    size_t i = scan_digits(token, start, length, d, 0), seen = i - start, mark;

    if (i < length && token[i] == '.') {
        size_t point = i + 1;

        i = scan_digits(token, point, length, d, 1);
        seen += i - point;
    }
    if (seen == 0)
        return start;
    mark = i;
    if (i < length && lower(token[i]) == 'e') {
        bool minus = ++i < length && token[i] == '-';
        int64_t exponent = 0;
        size_t first;

        if (i < length && (token[i] == '-' || token[i] == '+'))
            i++;
        for (first = i; i < length && digit(token[i]); i++)
            if (exponent < 100000) /* beyond any double, and below any overflow */
                exponent = 10 * exponent + (token[i] - '0');
        if (i == first)
            return mark;
        d->exponent += minus ? -exponent : exponent;
    }
    return i;
}

/* Spellings of C, of other tools, and Microsoft's "1.#QNAN", "-1.#IND", "1.#INF00". */
static bool odd_value(const char *token, size_t length, double *value)
{
    if (length >= 6 && memcmp(token, "1.#", 3) == 0) {
        *value = lower(token[3]) == 'i' && lower(token[5]) == 'f' ? INFINITY : NAN;
        return true;
    }
    if (kiln_token_is(token, length, "nan") || (length >= 4 && kiln_token_is(token, 4, "nan("))) {
        *value = NAN;
        return true;
    }
    *value = INFINITY;
    return kiln_token_is(token, length, "inf") || kiln_token_is(token, length, "infinity");
}

bool kiln_token_number(const char *token, size_t length, double *value)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t sign = length > 0 && (token[0] == '-' || token[0] == '+') ? 1 : 0;
    decimal d = {0, 0, false};
    char copy[512];

    if (sign == length)
        return false;
    if (scan_decimal(token, sign, length, &d) != length) {
        if (!odd_value(token + sign, length - sign, value))
            return false;
    } else if (!d.cut && d.digits <= UINT64_C(1) << 53 && d.exponent >= -22 && d.exponent <= 22) {
        /* Digits and power of ten both are doubles: one rounding. */
        *value = d.exponent < 0 ? (double)d.digits / tens[-d.exponent]
                                : (double)d.digits * tens[d.exponent];
    } else {
        /* A number of 500 digits is a mistake, or meant to keep us busy. */
        if (length - sign >= sizeof copy)
            return false;
        memcpy(copy, token + sign, length - sign);
        copy[length - sign] = '\0';
        *value = strtod(copy, NULL);
    }
    if (token[0] == '-')
        *value = -*value;
    return true;
}
