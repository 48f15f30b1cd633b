/* The number of files that this process has open, for tests that none is left open. */
#ifndef KILN_TEST_OPEN_FILES_H
#define KILN_TEST_OPEN_FILES_H

#include <dirent.h>
#include <stddef.h>

/* Counts also the one by which it looks, each time. */
static inline int open_files_count(void)
{
    DIR *list = opendir("/proc/self/fd");
    int count = 0;

    while (list != NULL && readdir(list) != NULL)
        count++;
    if (list != NULL)
        closedir(list);
    return count;
}

#endif
