/* Models of models/hard, baked through the library and opened. */
#ifndef KILN_TEST_CASE_MODEL_H
#define KILN_TEST_CASE_MODEL_H

#include "../../formats/node_kinds.h"
#include "../../runtime/kiln.h"
#include "../../tools/kiln_bake.h"

#include <stdbool.h>
#include <stddef.h>

enum { CASE_KINDS = KILN_NODE_KIND_COUNT };

typedef struct {
    void *bytes;
    size_t size;
    kiln_bake_report report;
    kiln_file *file;
    const kiln_tree *trees[CASE_KINDS]; /* by number of the kind */
} case_model;

/* Trees of every kind; else the defaults. */
kiln_bake_options case_options(void);

/* The path of a model of models/hard, in a buffer of the caller's. */
enum { CASE_PATH_SIZE = 4096 };
const char *case_path(const char *name, char path[CASE_PATH_SIZE]);

/* Bakes `path` into memory and opens it; fails the test when either fails. */
case_model case_bake_path(const char *path, const kiln_bake_options *options);
case_model case_bake(const char *name, const kiln_bake_options *options);
/* The same from text in memory, as an OBJ. */
case_model case_bake_text(const char *text, const kiln_bake_options *options);
void case_free(case_model *model);

/* Bakes to nowhere, for its status; `report` is the caller's to free. */
kiln_bake_status case_try(const char *name, const kiln_bake_options *options,
                          kiln_bake_report *report);
kiln_bake_status case_try_text(const char *text, const kiln_bake_options *options,
                               kiln_bake_report *report);

bool case_warns(const kiln_bake_report *report, const char *word);

/* The trees of model->file, by kind. */
void case_find_trees(case_model *model);

/* A path for a file in the folder of temporary files. */
const char *case_temporary(const char *name, char path[CASE_PATH_SIZE]);

/* Runs the generator of the inputs that are too large to keep, with `faces` faces where that can be
 * chosen, into the folder of temporary files. */
void case_make_big(unsigned faces);

kiln_pose case_at(double x, double y, double z);

/* For every combination of tree kinds, A and B in both orders: the answer, and the number of pairs
 * where `pairs` is not negative. `pose_a` NULL: identity. */
void case_expect(const case_model *a, const kiln_pose *pose_a, const case_model *b,
                 const kiln_pose *pose_b, bool hit, long pairs);

#endif
