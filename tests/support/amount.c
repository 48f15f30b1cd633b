/* See amount.h. */
#include "amount.h"

#include <stdlib.h>

bool is_shortened(void)
{
    return getenv("KILN_TEST_QUICK") != NULL;
}

bool is_third(void)
{
    return !is_shortened() && getenv("KILN_TEST_THIRD") != NULL;
}

enum { QUICK = 20, QUICK_FEW = 5 };

/* `count` times the scale, or a `part`-th of it, at least `least`, in a shortened run. */
static uint32_t scaled(uint32_t count, uint32_t part, uint32_t least)
{
    const char *text = getenv("KILN_PROPERTY_SCALE");
    const long scale = text != NULL ? strtol(text, NULL, 10) : 1;
    const uint32_t all = count * (uint32_t)(scale > 0 ? scale : 1);
    const uint32_t some = is_shortened() ? all / part : is_third() ? (all + 2) / 3 : all;
    return is_shortened() && some < least ? least : some;
}

uint32_t amount(uint32_t count)
{
    return scaled(count, QUICK, 1);
}

uint32_t amount_of_few(uint32_t count)
{
    return scaled(count, QUICK_FEW, 2);
}
