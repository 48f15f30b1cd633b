/* Scratch folders of tests. They lie below TMPDIR, which tests/run.sh sets for each test and
 * removes afterwards, so that a test that crashes leaves nothing behind. */
#ifndef KILN_TEST_SCRATCH_H
#define KILN_TEST_SCRATCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Room for the name of a scratch folder, and for names in it. */
enum { SCRATCH_SIZE = 512, SCRATCH_PATH_SIZE = SCRATCH_SIZE + 320 };

/* Makes a folder whose name starts with `start`. False where that fails. */
static inline bool scratch_make(char folder[SCRATCH_SIZE], const char *start)
{
    const char *place = getenv("TMPDIR");
    const int size =
        snprintf(folder, SCRATCH_SIZE, "%s/%s-XXXXXX", place != NULL ? place : "/tmp", start);
    return size < SCRATCH_SIZE && mkdtemp(folder) != NULL;
}

/* Removes it with all that it holds. */
static inline bool scratch_remove(const char *folder)
{
    char command[SCRATCH_PATH_SIZE];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0;
}

#endif
