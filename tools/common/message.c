#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Writes `path` and ": " and returns how many bytes that took. */
static size_t put_name(char *text, size_t size, const char *path)
{
    size_t length = strlen(path);
    int part = (int)(size / 4);
    int put = length <= 2 * (size_t)part
                  ? snprintf(text, size, "%s: ", path)
                  : snprintf(text, size, "%.*s...%s: ", part, path, path + length - (size_t)part);

    return put > 0 ? (size_t)put : 0;
}

void kiln_bake_report_error(kiln_bake_report *report, const char *path, const char *format, ...)
{
    va_list arguments;
    size_t used;

    if (report == NULL)
        return;
    used = put_name(report->error, sizeof report->error, path != NULL ? path : "(memory)");
    va_start(arguments, format);
    vsnprintf(report->error + used, sizeof report->error - used, format, arguments);
    va_end(arguments);
}

const char *kiln_message_bytes(uint64_t bytes, char text[KILN_MESSAGE_BYTES_SIZE])
{
    const unsigned shift = bytes >> 20 != 0 ? 20 : bytes >> 10 != 0 ? 10 : 0;
    const char *unit = shift == 20 ? "MiB" : shift == 10 ? "KiB" : bytes == 1 ? "byte" : "bytes";

    snprintf(text, KILN_MESSAGE_BYTES_SIZE, "%llu %s", (unsigned long long)(bytes >> shift), unit);
    return text;
}
