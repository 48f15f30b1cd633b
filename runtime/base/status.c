/* Texts of statuses, and the version. */
#include "../kiln.h"

const char *kiln_status_text(kiln_status status)
{
    switch (status) {
#define KILN_STATUS_CASE(name, value, text)                                                        \
    case name:                                                                                     \
        return text;
        KILN_STATUS_LIST(KILN_STATUS_CASE)
#undef KILN_STATUS_CASE
    }
    return "unknown status";
}

const char *kiln_version(void)
{
    return KILN_VERSION_STRING;
}
