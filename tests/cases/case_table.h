/* Folders of models with a table of what is expected of each. */
#ifndef KILN_TEST_CASE_TABLE_H
#define KILN_TEST_CASE_TABLE_H

#include "../../runtime/kiln.h"

enum { CASE_VALUES = 9 };

/* Triangles, volume, area and bounds of a tree. */
void case_measure(const kiln_tree *tree, double got[CASE_VALUES]);

/* Bakes each model that expected.txt of the folder (with a slash behind it) has a line of, and
 * fails the test where something else comes out, or where there are fewer lines than `least`. */
void case_table(const char *folder, unsigned least);

/* Each model of these extensions, NULL at the end, has a line of expectations and stands in the
 * table of the page, and the table names no other. */
void case_table_page(const char *folder_name, const char *page_name,
                     const char *const extensions[]);

#endif
