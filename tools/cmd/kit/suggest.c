#include "suggest.h"

#include <limits.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance (Damerau-Levenshtein without editing a pair twice), row by row. */
static unsigned distance_of(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][SUGGEST_LENGTH_MAX + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t k = 0; k <= b_length; k++) {
        last[k] = (unsigned)k;
    }
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = (unsigned)i;
        for (size_t k = 1; k <= b_length; k++) {
            const unsigned replaced = last[k - 1] + (a[i - 1] != b[k - 1]);
            now[k] = least(replaced, 1 + least(last[k], now[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
                now[k] = least(now[k], 1 + before[k - 2]);
            }
        }
        unsigned *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b_length];
}

suggestion suggestion_for(const char *word, size_t length)
{
    return (suggestion){word, length, NULL, UINT_MAX};
}

void suggestion_try(suggestion *of, const char *name)
{
    const size_t length = strlen(name);
    const unsigned most = of->length < 6 ? 1 : (unsigned)of->length / 3;
    if (of->length > SUGGEST_LENGTH_MAX || length > SUGGEST_LENGTH_MAX) {
        return;
    }
    const unsigned distance = distance_of(of->word, of->length, name, length);
    if (distance <= most && distance < of->distance) {
        of->best = name;
        of->distance = distance;
    }
}
