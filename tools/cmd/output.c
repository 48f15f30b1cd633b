#define _XOPEN_SOURCE 700

#include "output.h"

#include "report.h"

#include "../common/write_file.h"

#include <string.h>
#include <unistd.h>

int output_write(const char *path, const void *data, size_t size)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    const bool standard = strcmp(path, "-") == 0;
    const bool written = standard ? kiln_write_descriptor(STDOUT_FILENO, data, size, message)
                                  : kiln_write_file(path, data, size, message);
    if (!written) {
        return report_error(EXIT_IO, standard ? "standard output" : path, "%s", message);
    }
    return EXIT_DONE;
}
