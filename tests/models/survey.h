/* Baking every file of a folder by the command, each in a process of its own, and what came of
 * it. */
#ifndef KILN_TEST_SURVEY_H
#define KILN_TEST_SURVEY_H

#include <stddef.h>

/* A command that takes SURVEY_SECONDS_MAX hangs; the import within it is given up a little
 * earlier. Both are far above what the slowest file takes on a busy machine. */
enum { SURVEY_MESSAGE_SIZE = 256, SURVEY_SECONDS_MAX = 1800 };
#define SURVEY_IMPORT_SECONDS "1500"

typedef struct {
    char *path;     /* relative to the folder */
    int status;     /* exit status of the bake; -1: it ended by a signal or hung */
    int verified;   /* exit status of verify on what was baked; -1: not asked */
    int errors;     /* lines on standard error that are not notes */
    double seconds; /* of the bake */
    long peak_kib;  /* largest of the processes of the bake */
    char message[SURVEY_MESSAGE_SIZE]; /* of the refusal: what stands behind the name of the file */
} survey_row;

typedef struct {
    survey_row *rows; /* in the order of their paths */
    size_t count;
} survey;

/* The regular files below `folder`, each `step`-th of them, in the order of their names. They stay
 * until survey_files_free; there is one such list at a time. */
char *const *survey_files(const char *folder, size_t step, size_t *count);
void survey_files_free(void);

/* Bakes and verifies the regular files below `folder`, each `step`-th of them, `workers` at a
 * time, with the command `kiln`; scratch files go to `scratch`. */
survey survey_run(const char *kiln, const char *folder, const char *scratch, int workers,
                  size_t step);
void survey_free(survey *of);

#endif
