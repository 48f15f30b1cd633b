/* Progress of a long run on standard error: a bar for people, lines of JSON for programs.
 *
 * A bake calls progress_step() some thousand times a second; a clock decides what of that is
 * printed. A bar is drawn ten times a second and only on a terminal, after a second has gone by, so
 * that short runs stay silent. Lines of JSON always mark where a stage begins and ends, because
 * programs count on both. */
#include "progress.h"

#include "report.h"
#include "terminal.h"

#include "../../common/clock.h"
#include "../../../formats/assert.h"

#include <stdio.h>
#include <string.h>

/* A run of less than a second needs no bar, and nobody reads more than ten changes in one. */
static const double bar_delay = 1.0;    /* seconds before a bar shows */
static const double bar_interval = 0.1; /* seconds between two drawings */
enum { BAR_WIDTH = 30 };

/* Without a terminal nobody watches a bar, and a log would fill up with its steps. */
void progress_begin(progress *state, progress_mode mode, const char *file)
{
    if (mode == PROGRESS_AUTO && !terminal_draws(stderr)) {
        mode = PROGRESS_NONE;
    }
    *state = (progress){.mode = mode, .file = file, .start = kiln_seconds()};
}

/* A bar is redrawn in place: \r goes to the start of the line, \033[K clears what an earlier,
 * longer stage left. */
static void draw_bar(progress *state, const char *stage, double part)
{
    const double now = kiln_seconds();
    KILN_ASSERT(part >= 0.0 && part <= 1.0);
    if ((state->mode == PROGRESS_AUTO && now - state->start < bar_delay) ||
        now - state->last < bar_interval) {
        return;
    }
    state->last = now;
    state->shown = true;
    /* A line that wraps can't be drawn over, so a narrow terminal gets a shorter bar. */
    const int room = terminal_columns(stderr) - 1 - (int)strlen(stage) - 10;
    const int width = room < BAR_WIDTH ? (room > 0 ? room : 0) : BAR_WIDTH;
    const int filled = (int)(part * width);
    fprintf(stderr, "\r[%.*s%*s] %3.0f %% %s\033[K", filled, "##############################",
            width - filled, "", 100.0 * part, stage);
    fflush(stderr);
}

/* Beginnings and ends of stages are never left out, however soon they follow: programs pair
 * them. */
void progress_line(progress_last *last, const char *file, const char *stage, double part)
{
    const double now = kiln_seconds();
    const bool begins = strncmp(last->stage, stage, sizeof last->stage - 1) != 0;
    const bool ends = part >= 1 && last->part < 1;
    const bool same = !begins && part <= last->part && part >= last->part; /* no news */
    if (same || (!begins && !ends && now - last->time < bar_interval)) {
        return;
    }
    snprintf(last->stage, sizeof last->stage, "%s", stage);
    last->part = part;
    last->time = now;
    json_t *line = json_object();
    json_object_set_new(line, "file", json_cstring(file));
    json_object_set_new(line, "stage", json_cstring(stage));
    json_object_set_new(line, "part", json_number(part));
    json_print(line, JSON_COMPACT, stderr);
    putc('\n', stderr);
    json_decref(line);
}

/* Called by the library. It never cancels: true means go on. */
bool progress_step(void *user, const char *stage, double part)
{
    progress *state = user;
    if (!(part >= 0.0 && part <= 1.0)) { /* a query whether to go on, without news */
        return true;
    }
    if (state->mode == PROGRESS_JSON) {
        progress_line(&state->last_line, state->file, stage, part);
    } else if (state->mode != PROGRESS_NONE) {
        draw_bar(state, stage, part);
    }
    return true;
}

/* The bar leaves no trace: messages that follow start at the first column. */
void progress_end(progress *state)
{
    if (state->shown) {
        fputs("\r\033[K", stderr);
        state->shown = false;
    }
}
