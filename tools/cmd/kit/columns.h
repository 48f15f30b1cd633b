/* Text for people, in columns of a terminal. All that comes from models is printed by these
 * functions. */
#ifndef KILN_CMD_COLUMNS_H
#define KILN_CMD_COLUMNS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { COLUMNS_LEAST = 68, COLUMNS_MOST = 200 };

/* Columns of standard output: what COLUMNS says, else the terminal, else 80; within the limits
 * above. */
int columns_of_output(void);

/* Prints `text` on standard output in exactly `columns` columns, filled up with blanks, or cut with
 * "..." in the last three. Control characters and what is not UTF-8 are shown as "?". */
void columns_print(const char *text, int columns);

/* The same without blanks at its end. */
void columns_print_last(const char *text, int columns);

/* As columns_print, but a text that is too long keeps its end, which says more about a path. */
void columns_print_path(const char *text, int columns);

/* Columns that a terminal gives to `text`. */
int columns_width(const char *text);

/* The path in at most `columns` columns (at least 8), in new memory; NULL: there is none. What does
 * not fit is left out in the middle, for one character of three dots, so that the beginning and the
 * last component stay as far as they can; then what is not UTF-8 is replaced. */
char *columns_fit_path(const char *text, int columns);

/* Prints such a path, with what steers a terminal as above; returns the columns used. */
int columns_write_fitted(FILE *stream, const char *text, int columns);

/* The same on standard output, filled up with blanks. */
void columns_print_fitted(const char *text, int columns);

/* "  label          words", in lines of at most the columns of standard output, further ones
 * indented; what steers a terminal is shown as above. */
void columns_item(FILE *stream, const char *label, const char *words);

/* 1234567 as "1,234,567". */
const char *columns_count(uint64_t value, char buffer[32]);

/* Columns that counts of up to `most` need under a heading. */
int columns_for(const char *head, uint64_t most);

#endif
