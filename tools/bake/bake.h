/* What the pass of a bake (bake.c) has beyond the public interface: an entry for the command, and
 * the parts of it that have sources of their own, groups of triangles and the report. */
#ifndef KILN_BAKE_PASS_H
#define KILN_BAKE_PASS_H

#include "../common/write_file.h"
#include "../encode/assemble.h"
#include "../kiln_bake.h"

/* kiln_bake, with `report` not NULL and the rename of the finished file left to `mover`. */
kiln_bake_status kiln_bake_moving(const kiln_bake_input *input, const char *output,
                                  const kiln_bake_options *options, kiln_bake_report *report,
                                  const kiln_write_mover *mover);

/* What kiln_bake would do, as far as that is known without reading the model's contents for a mesh:
 * its status and error, or the outcome, where KILN_OUTCOME_BAKED stands for a bake. Nothing is
 * written or touched. Whether `output` can be written is not looked at. */
kiln_bake_status kiln_bake_foresee(const kiln_bake_input *input, const char *output,
                                   const kiln_bake_options *options, kiln_bake_report *report);

/* The division of a soup into groups, each of which gets trees of its own. */
typedef struct {
    kiln_model_group *list;
    uint32_t count;
    uint32_t
        *triangles; /* the lists of all groups, one after the other; NULL for one whole group */
    char *names;    /* the names of all groups, each ended by a zero */
} kiln_groups;

/* Divides the triangles of `soup`, which has one at least. False without memory; *groups, zero
 * before the call, is to be freed in both cases. */
bool kiln_groups_make(const kiln_soup *soup, kiln_split split, kiln_groups *groups);
void kiln_groups_free(kiln_groups *groups);

/* Copies into *report what the import found; `soup` may be empty after a failed import. */
void kiln_report_soup(const kiln_soup *soup, kiln_bake_report *report);

/* Is the i-th absent file one to tell of? Of an OBJ's "mtllib a b" three names are looked for, the
 * whole line and each word: the words count where one of them is there, else the line. */
bool kiln_report_misses(const kiln_bake_report *report, uint32_t i);

/* Adds the trees to *report, with each tree's share of packed_sizes [kind_count], the stored bytes
 * of the nodes of a kind. The arrays of the trees are not looked at. */
void kiln_report_trees(const kiln_model *model, const uint64_t *packed_sizes,
                       kiln_bake_report *report);

/* Adds the tree of a height field, of which the file has no byte. */
void kiln_report_height_field(const kiln_format_tree *entry, kiln_bake_report *report);

#endif
