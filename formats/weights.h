/* Weights of counted queries in a file of any kind: section 13 of hierarchy.md. The runtime
 * knows what they mean to a query and which ones a tree gets. */
#ifndef KILN_WEIGHTS_H
#define KILN_WEIGHTS_H

#include "format_error.h"
#include "format.h"
#include "reader.h"

#include <stdbool.h>

typedef struct {
    const kiln_format_adb_weights *rows; /* NULL: there are none, or they were not loaded */
    uint32_t count;
} kiln_weights_view;

/* Does an open reader hold weights and neither a model nor a table? */
bool kiln_weights_is_file(const kiln_reader *reader);

/* The weights in a file of any kind, checked (R29): rows of kinds in order, in range. False: *error
 * says what is wrong. */
bool kiln_weights_view_open(kiln_weights_view *view, const kiln_reader *reader,
                            kiln_format_error *error);

/* The same for a file of weights alone, which holds one document besides, and no other known
 * section (R7). */
bool kiln_weights_file_open(kiln_weights_view *view, const kiln_reader *reader,
                            kiln_format_error *error);

/* Is a row in range? */
bool kiln_weights_are_sound(const kiln_format_adb_weights *row);

/* How many numbers a row has whose meaning this version knows; those after them are 0. 0: it does
 * not know the meaning. */
static inline unsigned kiln_weights_numbers(const kiln_format_adb_weights *row)
{
    return row->meaning == KILN_ADB_WEIGHTS_MEANING ? KILN_ADB_WEIGHTS_COUNT
           : row->meaning == 1                      ? KILN_ADB_WEIGHTS_COUNT_1
                                                    : 0;
}

/* Can a query use this row? Rows whose numbers mean something else are not used. */
static inline bool kiln_weights_are_known(const kiln_format_adb_weights *row)
{
    return kiln_weights_numbers(row) > 0;
}

#endif
