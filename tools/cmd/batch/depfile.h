/* Dependencies in the syntax of make, for make and ninja. */
#ifndef KILN_CMD_DEPFILE_H
#define KILN_CMD_DEPFILE_H

#include "bake_settings.h"

#include "../../kiln_bake.h"
#include "../kit/output.h"

#include <stdbool.h>
#include <stddef.h>

/* What depfile_write writes, by which an earlier one is recognised. */
extern const output_kind output_kind_depfile;

/* A text that grows. */
typedef struct {
    char *text;
    size_t size, capacity;
} depfile;

enum { DEPFILE_MESSAGE_SIZE = 768 };

/* Can the rule of an asset be written, as depfile_add would? False: `message` names the file that
 * make or ninja would take for another, or says that there is no memory. */
bool depfile_can_name(const char *output, const char *input, const kiln_bake_report *report,
                      const bake_settings *settings, char message[DEPFILE_MESSAGE_SIZE]);

/* Adds the rule "output: input side_file... weights programs...", and rules of no prerequisites for
 * these. Names of side files are taken from the folder of `input`. Weights and programs are those
 * of the settings, programs only where these want them (kiln_programs_of). Reports what
 * depfile_can_name says, or want of memory, and returns its status. */
int depfile_add(depfile *file, const char *output, const char *input,
                const kiln_bake_report *report, const bake_settings *settings);

/* Is `path`, where the rules are to go, a file that the model refers to? */
bool depfile_is_side_file(const char *path, const char *input, const kiln_bake_report *report);

/* Adds what another has. Reports want of memory. */
int depfile_append(depfile *file, const depfile *more);

/* Writes the file whole; reports what is wrong. */
int depfile_write(const depfile *file, const char *path);

void depfile_free(depfile *file);

#endif
