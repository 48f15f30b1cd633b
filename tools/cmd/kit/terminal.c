/* What a terminal can show, after the environment and the kernel.
 *
 * This is the only file that knows sequences of colours. They are those of ECMA-48, "Control
 * functions for coded character sets" (SGR), of which every terminal in use has the few that stand
 * here, so that no data base of terminals is needed. Whether they are wanted is decided for each
 * stream by itself, since one may be a terminal and the other a file: --color first, then NO_COLOR
 * (https://no-color.org), then TERM. Colour only repeats what the words say. */
#define _DEFAULT_SOURCE

#include "terminal.h"

#include "../../../formats/assert.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_USUAL = 80, COLUMNS_MIN = 20, COLUMNS_MAX = 10000 };

static color_mode wanted;

void terminal_set_color(color_mode mode)
{
    KILN_ASSERT(mode >= COLOR_AUTO && mode <= COLOR_NEVER);
    wanted = mode;
}

bool terminal_is(FILE *stream)
{
    return isatty(fileno(stream)) != 0;
}

/* A terminal without a name is one that nothing is known of. */
bool terminal_draws(FILE *stream)
{
    const char *name = getenv("TERM");
    return terminal_is(stream) && name != NULL && name[0] != '\0' && strcmp(name, "dumb") != 0;
}

static bool has_color(FILE *stream)
{
    const char *no = getenv("NO_COLOR");
    return wanted == COLOR_ALWAYS ||
           (wanted == COLOR_AUTO && (no == NULL || no[0] == '\0') && terminal_draws(stream));
}

const char *terminal_begin(FILE *stream, text_style style)
{
    static const char *const sequences[STYLES] = {"", "\033[1;31m", "\033[1;33m", "\033[1m",
                                                  "\033[2m"};
    KILN_ASSERT(style >= STYLE_NONE && style < STYLES);
    return style != STYLE_NONE && has_color(stream) ? sequences[style] : "";
}

const char *terminal_end(FILE *stream, text_style style)
{
    return style != STYLE_NONE && has_color(stream) ? "\033[0m" : "";
}

/* COLUMNS wins over the terminal, so that a test or a script can fix the width. The terminal is
 * looked at each time, because its window may have another size by now. */
int terminal_columns(FILE *stream)
{
    struct winsize window;
    const char *said = getenv("COLUMNS");
    int columns = said != NULL ? atoi(said) : 0;
    if (columns <= 0 && ioctl(fileno(stream), TIOCGWINSZ, &window) == 0) {
        columns = window.ws_col;
    }
    if (columns <= 0) {
        columns = COLUMNS_USUAL;
    }
    return columns < COLUMNS_MIN ? COLUMNS_MIN : columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
}
