/* JSON values from what need not be fit for JSON: bytes that are not UTF-8, numbers that are not
 * finite. */
#include "report.h"

#include "../common/utf8.h"

#include <math.h>
#include <stdlib.h>

json_t *json_cstring(const char *text)
{
    char *clean = kiln_utf8_clean(text);
    json_t *value = clean != NULL ? json_string(clean) : NULL;
    free(clean);
    return value;
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_count(unsigned long long value)
{
    return json_integer((json_int_t)value);
}
