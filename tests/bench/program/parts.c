/* See parts.h. */
#include "parts.h"

#include "../../../tools/cmd/kit/report.h"

#include <string.h>

bool part_is_listed(const char *list, const char *name)
{
    const size_t size = strlen(name);
    if (list == NULL) {
        return true;
    }
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == '\0')) {
            return true;
        }
    }
    return false;
}

int parts_check(const char *list, size_t found)
{
    size_t wanted = 1;
    for (const char *at = list; at != NULL && *at != '\0'; at++) {
        wanted += *at == ',';
    }
    return list == NULL || found == wanted
               ? EXIT_DONE
               : report_usage("--parts '%s' has a part that there is not, or one twice", list);
}
