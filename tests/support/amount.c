/* See amount.h. */
#include "amount.h"

#include <stdlib.h>

enum { QUICK = 20 };

uint32_t amount(uint32_t count)
{
    const char *text = getenv("KILN_PROPERTY_SCALE");
    const long scale = text != NULL ? strtol(text, NULL, 10) : 1;
    const uint32_t all = count * (uint32_t)(scale > 0 ? scale : 1);
    if (getenv("KILN_TEST_QUICK") == NULL) {
        return all;
    }
    return all > QUICK ? all / QUICK : 1;
}
