/* Texts of errors. */
#include "format_error.h"

#include <stdarg.h>
#include <stdio.h>

bool kiln_format_error_set(kiln_format_error *error, int code, uint64_t offset, const char *format,
                           ...)
{
    va_list arguments;
    error->code = code;
    error->rule = 0;
    error->offset = offset;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

static const char *rule_text(uint32_t rule)
{
    switch (rule) {
#define KILN_RULE_CASE(name, number, text)                                                         \
    case number:                                                                                   \
        return text;
        KILN_RULE_LIST(KILN_RULE_CASE)
#undef KILN_RULE_CASE
    default:
        return "unknown rule";
    }
}

bool kiln_format_error_rule(kiln_format_error *error, uint32_t rule, uint64_t offset,
                            const char *where)
{
    (void)kiln_format_error_set(error, KILN_FORMAT_ERROR_RULE, offset,
                                "broken rule %u at offset %llu, %s: %s", rule,
                                (unsigned long long)offset, where, rule_text(rule));
    error->rule = rule;
    return false;
}
