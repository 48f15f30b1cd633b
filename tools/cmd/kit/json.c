/* JSON values from what need not be fit for JSON: bytes that are not UTF-8, numbers that are not
 * finite. */
#include "report.h"

#include "../../common/json_text.h"

#include <math.h>

json_t *json_cstring(const char *text)
{
    return kiln_json_text(text);
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_count(unsigned long long value)
{
    return json_integer((json_int_t)value);
}
