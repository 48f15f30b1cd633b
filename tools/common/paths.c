/* Paths: the file that another refers to, and whether two paths lead to one file.
 *
 * Files are compared by device and number, which stat gives for whatever a path leads to. Comparing
 * names, even resolved ones, would miss hard links, bind mounts and disks that take several
 * spellings for a name. */
#define _POSIX_C_SOURCE 200809L
#include "paths.h"

#include "../../formats/assert.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *kiln_path_beside(const char *path, const char *name)
{
    KILN_ASSERT(path != NULL && name != NULL);
    const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *beside = malloc(folder + strlen(name) + 1);
    if (beside != NULL) {
        memcpy(beside, path, folder);
        strcpy(beside + folder, name);
    }
    return beside;
}

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
