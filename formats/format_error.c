/* Writes errors of reading: a code, the place in the file, and a text for the user.
 *
 * A broken rule has its number beside the code. The texts of the rules come from the list in
 * format_error.h that gives them their numbers, so that no rule lacks one. Both
 * functions return false, which lets a check report and fail in one expression. */
#include "format_error.h"

#include "assert.h"
#include <stdarg.h>
#include <stdio.h>

bool kiln_format_error_set(kiln_format_error *error, int code, uint64_t offset, const char *format,
                           ...)
{
    va_list arguments;
    KILN_ASSERT(code != 0);
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
