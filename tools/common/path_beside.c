/* See path_beside.h. */
#include "path_beside.h"

#include <stdlib.h>
#include <string.h>

char *kiln_path_beside(const char *path, const char *name)
{
    const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *beside = malloc(folder + strlen(name) + 1);
    if (beside != NULL) {
        memcpy(beside, path, folder);
        strcpy(beside + folder, name);
    }
    return beside;
}
