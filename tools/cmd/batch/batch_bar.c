/* The progress of a batch on standard error: a bar for people, lines of JSON for programs.
 *
 * The time left is estimated by the bytes of the sources that are done, not by the count of assets,
 * because a batch begins with its largest. To each asset some bytes are added for what even an
 * empty one costs. The bar never fills a line of the terminal: one that wraps can't be drawn over.
 */
#include "batch_bar.h"

#include "../../common/clock.h"
#include "../../../formats/assert.h"
#include "../kit/columns.h"
#include "../kit/report.h"
#include "../kit/terminal.h"

#include <stdio.h>
#include <string.h>

static const double bar_delay = 1.0;    /* seconds before a bar shows */
static const double bar_interval = 0.1; /* seconds between two drawings */
static const double log_least = 1.0; /* seconds between two lines, however fast assets are done */
static const double log_most = 10.0; /* and however slowly: a log that stands still looks hung */
enum { BAR_WIDTH = 20, NAME_MOST = 40, NAME_LEAST = 12, SIZE_OF_ANY = 4096 };

/* `size` is the sum of the sources' bytes. A log gets its first line after an interval, so its
 * clock starts now; a bar may be drawn at once after its delay. */
void batch_bar_begin(batch_bar *bar, progress_mode mode, size_t count, uint64_t size)
{
    const double start = kiln_seconds();
    const bool to_log = mode == PROGRESS_AUTO && !terminal_draws(stderr);
    *bar = (batch_bar){.mode = to_log ? PROGRESS_NONE : mode,
                       .to_log = to_log,
                       .start = start,
                       .last = to_log ? start : 0,
                       .count = count,
                       .size = size + count * SIZE_OF_ANY};
}

/* Less of the whole says too little of the rest to be shown. */
static const double part_least = 0.02;

/* An estimate; negative: nothing is known yet. */
static double seconds_left(const batch_bar *bar, double elapsed)
{
    KILN_ASSERT(bar->size_done <= bar->size);
    /* It is assumed that the bytes that are left take as long as those that are done. */
    const double part = (double)bar->size_done / (double)(bar->size > 0 ? bar->size : 1);
    return part > 0 ? elapsed * (1 - part) / part : -1;
}

/* "1:05 left", or "" where nothing is known. */
static void show_time_left(const batch_bar *bar, double elapsed, char shown[24])
{
    const double seconds = seconds_left(bar, elapsed);
    shown[0] = '\0';
    /* An estimate from less than part_least of the whole is not shown: seconds of it would be more
     * than 1 / part_least of what has passed. A thousand hours or more say that nothing is known.
     */
    if (seconds >= 0 && seconds < 3.6e6 && seconds * part_least <= elapsed) {
        snprintf(shown, 24, "%d:%02d left", (int)seconds / 60, (int)seconds % 60);
    }
}

/* Writes a line to a log, if it is time for one. The end is the summary's. */
static void write_log(batch_bar *bar)
{
    const double now = kiln_seconds();
    const size_t tenths = bar->done * 10 / bar->count;
    const double least = tenths > bar->tenths ? log_least : log_most;
    char left[24];
    if (now - bar->last < least || bar->done == bar->count) {
        return;
    }
    bar->last = now;
    bar->tenths = tenths;
    show_time_left(bar, now - bar->start, left);
    report_line("%zu of %zu, %.1f/s%s%s", bar->done, bar->count,
                (double)bar->done / (now - bar->start), left[0] != '\0' ? ", " : "", left);
}

/* Draws the bar, unless the last drawing is too recent. Where the terminal is narrow, the name is
 * left out first, then the bar itself. */
static void draw(batch_bar *bar, const char *file)
{
    const double now = kiln_seconds(), elapsed = now - bar->start;
    char counts[96], left[24];
    if ((bar->mode == PROGRESS_AUTO && elapsed < bar_delay) || now - bar->last < bar_interval) {
        return;
    }
    show_time_left(bar, elapsed, left);
    bar->last = now;
    bar->shown = true;
    const int filled = (int)(bar->done * BAR_WIDTH / (bar->count > 0 ? bar->count : 1));
    (void)snprintf(counts, sizeof counts, "%zu/%zu  %.1f/s  %s", bar->done, bar->count,
                   (double)bar->done / (elapsed > 0 ? elapsed : 1), left);
    const int room = terminal_columns(stderr) - 1 - (int)strlen(counts);
    const bool has_bar = room >= BAR_WIDTH + 3;
    const int name = room - (BAR_WIDTH + 3) - 2;
    fputs("\r", stderr);
    if (has_bar) {
        fprintf(stderr, "[%.*s%*s] ", filled, "####################", BAR_WIDTH - filled, "");
    }
    fprintf(stderr, "%.*s", terminal_columns(stderr) - 1, counts);
    if (has_bar && name >= NAME_LEAST) {
        fputs("  ", stderr);
        columns_write_fitted(stderr, file, name < NAME_MOST ? name : NAME_MOST);
    }
    fputs("\033[K", stderr);
    fflush(stderr);
}

/* One step of one asset. A part below 0 is not known and makes no line of JSON, but the bar and
 * the log are drawn all the same, since they show the whole. */
void batch_bar_step(batch_bar *bar, progress_last *last, const char *file, const char *stage,
                    double part)
{
    if (bar->mode == PROGRESS_JSON && part >= 0) {
        progress_line(last, file, stage, part);
    } else if (bar->mode == PROGRESS_AUTO || bar->mode == PROGRESS_BAR) {
        draw(bar, file);
    } else if (bar->to_log) {
        write_log(bar);
    }
}

/* Notes that an asset is done, whatever came of it. `size` is that of its source, as it was summed
 * up in batch_bar_begin, so that the parts add up to 1. */
void batch_bar_end_asset(batch_bar *bar, const char *file, const char *outcome, int status,
                         uint64_t size)
{
    KILN_ASSERT(bar->done < bar->count);
    bar->done++;
    bar->size_done += size + SIZE_OF_ANY;
    if (bar->mode == PROGRESS_JSON) {
        const double elapsed = kiln_seconds() - bar->start;
        json_t *line = json_object();
        json_object_set_new(line, "file", json_cstring(file));
        json_object_set_new(line, "outcome", json_cstring(outcome));
        json_object_set_new(line, "status", json_integer(status));
        json_object_set_new(line, "done", json_count(bar->done));
        json_object_set_new(line, "count", json_count(bar->count));
        json_object_set_new(line, "seconds", json_number(elapsed));
        json_object_set_new(line, "seconds_left", json_number(seconds_left(bar, elapsed)));
        json_print(line, JSON_COMPACT, stderr);
        putc('\n', stderr);
        json_decref(line);
    } else if (bar->mode != PROGRESS_NONE) {
        draw(bar, file);
    } else if (bar->to_log) {
        write_log(bar);
    }
}

/* Removes the bar before a message is printed. The next step draws it again at once, as if it had
 * never been drawn. */
void batch_bar_hide(batch_bar *bar)
{
    if (bar->shown) {
        fputs("\r\033[K", stderr);
        bar->shown = false;
        bar->last = 0;
    }
}
