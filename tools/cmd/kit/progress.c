#define _XOPEN_SOURCE 700

#include "progress.h"

#include "report.h"
#include "seconds.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double bar_delay = 1.0;    /* seconds before a bar shows */
static const double bar_interval = 0.1; /* seconds between two drawings */
enum { BAR_WIDTH = 30 };

void progress_begin(progress *state, progress_mode mode, const char *file)
{
    if (mode == PROGRESS_AUTO && !isatty(STDERR_FILENO)) {
        mode = PROGRESS_NONE;
    }
    *state = (progress){.mode = mode, .file = file, .start = seconds_now()};
}

static void draw_bar(progress *state, const char *stage, double part)
{
    const double now = seconds_now();
    if ((state->mode == PROGRESS_AUTO && now - state->start < bar_delay) ||
        now - state->last < bar_interval) {
        return;
    }
    state->last = now;
    state->shown = true;
    const int filled = (int)(part * BAR_WIDTH);
    fprintf(stderr, "\r[%.*s%*s] %3.0f %% %s\033[K", filled, "##############################",
            BAR_WIDTH - filled, "", 100.0 * part, stage);
    fflush(stderr);
}

/* Where a stage begins and ends, and else ten times a second. */
static bool is_due(const progress_told *told, const char *stage, double part, double now)
{
    const bool begins = strncmp(told->stage, stage, sizeof told->stage - 1) != 0;
    return begins || (part >= 1 && told->part < 1) || now - told->time >= bar_interval;
}

void progress_line(progress_told *told, const char *file, const char *stage, double part)
{
    const double now = seconds_now();
    if (!is_due(told, stage, part, now)) {
        return;
    }
    snprintf(told->stage, sizeof told->stage, "%s", stage);
    told->part = part;
    told->time = now;
    json_t *line = json_object();
    json_object_set_new(line, "file", json_cstring(file));
    json_object_set_new(line, "stage", json_cstring(stage));
    json_object_set_new(line, "part", json_number(part));
    json_dumpf(line, stderr, JSON_COMPACT);
    putc('\n', stderr);
    json_decref(line);
}

bool progress_step(void *user, const char *stage, double part)
{
    progress *state = user;
    if (!(part >= 0.0 && part <= 1.0)) { /* only asked whether to go on */
        return true;
    }
    if (state->mode == PROGRESS_JSON) {
        progress_line(&state->told, state->file, stage, part);
    } else if (state->mode != PROGRESS_NONE) {
        draw_bar(state, stage, part);
    }
    return true;
}

void progress_end(progress *state)
{
    if (state->shown) {
        fputs("\r\033[K", stderr);
        state->shown = false;
    }
}
