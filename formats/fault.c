/* Texts of faults. */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

bool kiln_fault_set(kiln_fault *fault, int code, uint64_t offset, const char *format, ...)
{
    va_list arguments;
    fault->code = code;
    fault->rule = 0;
    fault->offset = offset;
    va_start(arguments, format);
    (void)vsnprintf(fault->text, sizeof fault->text, format, arguments);
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

bool kiln_fault_rule(kiln_fault *fault, uint32_t rule, uint64_t offset, const char *where)
{
    (void)kiln_fault_set(fault, KILN_FAULT_RULE, offset, "broken rule %u at offset %llu, %s: %s",
                         rule, (unsigned long long)offset, where, rule_text(rule));
    fault->rule = rule;
    return false;
}
