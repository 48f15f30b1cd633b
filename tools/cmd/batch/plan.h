/* What is to be baked: which input, by which options, to which output. Made from arguments, lists
 * or a manifest, carried out by batch.c. */
#ifndef KILN_CMD_PLAN_H
#define KILN_CMD_PLAN_H

#include "bake_settings.h"

#include "../kit/output.h"

#include "../../common/folders.h"

typedef struct {
    char *input;  /* "-": standard input */
    char *output; /* "-": standard output */
    bake_settings settings;
    uint64_t given; /* options of its own: bit i, option i */
    uint64_t size;  /* bytes of the input, as far as they are known */
    bool refused;   /* by plan_check, for its output */
} job;

typedef struct {
    job *jobs;
    size_t count, capacity;
    bool uniform;         /* every job has the same options */
    bool batch;           /* several inputs, a list or a manifest, however many jobs come of it */
    const char *folder;   /* that is to be there; not owned; NULL: none */
    bool keep_folders;    /* outputs have folders of their inputs below `folder` */
    kiln_folders outputs; /* that a manifest may write to */
    read_files read;      /* besides the inputs: lists, the manifest, weights */
    char **strings;       /* that settings refer to */
    size_t string_count, string_capacity;
} plan;

/* Adds a job; strings are copied. Reports want of memory. */
int plan_add(plan *of, const char *input, const char *output, const bake_settings *settings,
             uint64_t given);

/* Keeps a string for as long as the plan; NULL without memory. */
const char *plan_keep(plan *of, const char *text, size_t length);

/* Takes the inputs of arguments, "@FILE" standing for those that a list names. The output is
 * `output` itself for one input, else NAME.kiln in the folder `output`, which plan_make_folder
 * makes. One input goes to a folder too when `output` is one, ends in a slash, or the input comes
 * from a list. Of an input that is a folder all models are taken, and keep their folders below it.
 */
int plan_arguments(plan *of, char **inputs, int count, const bake_settings *settings);

/* FOLDER/NAME.kiln for an input PATH/NAME.EXTENSION, or with `tree` FOLDER/PATH/NAME.kiln, in new
 * memory; "." and ".." and a slash at the start of PATH are left out. */
char *plan_output_name(const char *folder, const char *input, bool tree);

/* Checks that all outputs, which a manifest names, lie in the folders of `outputs`. */
int plan_check_folders(const plan *of);

/* Lays later jobs of one input and output over earlier ones, then reports two inputs of one output
 * and an output that is an input, its own or another's. Files are compared, however they are spelt
 * and linked. Also reports outputs that would replace another file that is read, or a file that is
 * no kiln file. The jobs that are at fault are marked as refused. */
int plan_check(plan *of);

/* Reports options that do not fit together, of each asset, or once where all have the same. */
int plan_check_options(const plan *of);

/* Do both paths lead to one file, which need not be there, however they are spelt? */
bool plan_is_same(const char *path, const char *other);

/* Is `path` an input or an output, however it is spelt? */
bool plan_has_file(const plan *of, const char *path);

/* Makes the folder that arguments or a manifest have named, with those above it, or reports why
 * there is none; and, with `written`, where it may not be written though outputs go there. Folders
 * of single outputs are made when they are baked. */
int plan_make_folder(const plan *of, bool written);

/* Prints the manifest that says all of the plan. */
int plan_dump(const plan *of);

void plan_free(plan *of);

#endif
