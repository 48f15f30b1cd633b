/* See same_file.h. */
#define _POSIX_C_SOURCE 200809L

#include "same_file.h"

#include <sys/stat.h>

bool kiln_file_id_of(const char *path, kiln_file_id *id)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return false;
    }
    *id = (kiln_file_id){facts.st_dev, facts.st_ino};
    return true;
}

int kiln_file_id_compare(const kiln_file_id *a, const kiln_file_id *b)
{
    if (a->device != b->device) {
        return a->device < b->device ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

bool kiln_same_file(const char *path, const char *other)
{
    kiln_file_id a, b;
    return kiln_file_id_of(path, &a) && kiln_file_id_of(other, &b) &&
           kiln_file_id_compare(&a, &b) == 0;
}
