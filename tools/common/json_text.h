/* A JSON value from text that need not be UTF-8. */
#ifndef KILN_JSON_TEXT_H
#define KILN_JSON_TEXT_H

#include <jansson.h>

/* What is no UTF-8 is replaced. NULL without memory. */
json_t *kiln_json_text(const char *text);

#endif
