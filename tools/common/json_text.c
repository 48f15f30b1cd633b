/* See json_text.h. */
#include "json_text.h"

#include "utf8.h"

#include <stdlib.h>

json_t *kiln_json_text(const char *text)
{
    char *clean = kiln_utf8_clean(text);
    json_t *value = clean != NULL ? json_string(clean) : NULL;
    free(clean);
    return value;
}
