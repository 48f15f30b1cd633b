/* See sound.h. */
#include "sound.h"

#include "../../tools/encode/audit.h"
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>

void sound_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    abort();
}

void sound_or_fail(const void *data, size_t size)
{
    kiln_format_error error;
    kiln_file *file;
    if (!kiln_audit(data, size, NULL, &error)) {
        sound_fail("baked a file that is not sound", error.text);
    }
    if (kiln_open_memory(data, size, NULL, &file) != KILN_OK) {
        sound_fail("baked a file", "that does not open");
    }
    (void)ask_files(file, file, 1000, 20000);
    kiln_close(file);
}
