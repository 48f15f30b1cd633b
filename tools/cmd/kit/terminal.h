/* What a terminal can show: colours, a bar that is drawn in place, and how many columns. */
#ifndef KILN_CMD_TERMINAL_H
#define KILN_CMD_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* In the order of the choices "auto|always|never". */
typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_mode;

/* What --color says; COLOR_AUTO as long as nothing was said. */
void terminal_set_color(color_mode mode);

/* Styles of text. */
typedef enum { STYLE_NONE, STYLE_ERROR, STYLE_WARNING, STYLE_NAME, STYLE_DIM, STYLES } text_style;

/* The sequence that begins a style on a stream, and the one that ends it: "" where the stream has
 * no colours. COLOR_AUTO gives colours to a terminal, unless NO_COLOR is set and not empty, or TERM
 * is not set, empty or "dumb". */
const char *terminal_begin(FILE *stream, text_style style);
const char *terminal_end(FILE *stream, text_style style);

bool terminal_is(FILE *stream);

/* Is the stream a terminal that can draw over a line? One whose TERM is "dumb" can't. */
bool terminal_draws(FILE *stream);

/* Columns: what COLUMNS says, else the terminal, else 80; at least 20. */
int terminal_columns(FILE *stream);

#endif
