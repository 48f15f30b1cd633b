/* Carries out a plan: bakes its assets on several threads, reports each as it ends, and all at the
 * end.
 *
 * Assets are begun from the largest on, so that the last ones are small and all threads end at
 * about the same time. With a limit of memory each of several assets is baked in a process of its
 * own (worker.h) that is held to a share of it, and the memory budget lets only so many begin that
 * their shares never add up to more. An asset that its share was too small for is baked again with
 * a larger one; only the last run is reported.
 *
 * One lock covers everything that is reported, so that the lines of two assets never mix. What goes
 * into a document or a depfile is kept in results[] and written at the end, in the order of the
 * plan.
 *
 * The file follows an asset: bake_asset makes its bytes, report_asset says what came of it, the
 * four functions of the thread pool's work join the two, finish reports the whole batch, and
 * batch_run holds all of it. */
#define _XOPEN_SOURCE 700

#include "batch.h"

#include "asset_memory.h"
#include "bake_report.h"
#include "batch_bar.h"
#include "depfile.h"
#include "junit.h"
#include "memory_budget.h"
#include "output_registry.h"
#include "report_page.h"
#include "thread_pool.h"
#include "worker.h"

#include "../kit/files.h"
#include "../kit/report.h"
#include "../kit/signals.h"
#include "../kit/terminal.h"

#include "../../../formats/assert.h"
#include "../../bake/bake.h"
#include "../../common/clock.h"
#include "../../common/folders.h"
#include "../../common/text.h"
#include "../../common/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What became of an asset. LEFT is the state before it is begun and of one that a signal cut short,
 * so that an array of zeros is right from the start. */
typedef enum { LEFT, BAKED, UP_TO_DATE, CACHED, FAILED, OUTCOMES } outcome;

static const char *const outcome_names[OUTCOMES] = {"not_baked", "baked", "up_to_date", "cached",
                                                    "failed"};

typedef struct {
    outcome outcome;
    int status;
    bool again;     /* its share of memory was too small */
    bool watches;   /* the rule has folders of files that are not there */
    uint64_t bytes; /* of the output */
    json_t *object; /* of the document; NULL: none */
    double seconds;
    char *error, *notes; /* for the JUnit report and the page; NULL: none */
    depfile rule;
} result;

typedef struct {
    const plan *of;
    const bake_settings *run;
    bool *reported; /* batch.h */
    size_t *order;  /* in which assets begin */
    result *results;
    written *written;
    pthread_mutex_t lock; /* for all that is reported */
    batch_bar bar;        /* of several */
    progress one;         /* of a single asset */
    unsigned threads;
    memory_budget memory; /* task i is asset order[i] */
    bool cache_error_reported, depfile_refused, junit_refused, page_refused;
    bake_row_columns columns; /* of the rows on a terminal; zeros: none was printed yet */
    atomic_bool stop;
    double start;
} batch;

/* An asset under way. */
typedef struct {
    batch *b;
    const job *of;
    progress_last *last_line;
    uint64_t memory; /* that it may take; 0: no limit */
} asset;

/* How an asset that was baked is shown to people. */
typedef enum { SHOWN_NOT, SHOWN_AS_ROW, SHOWN_WHOLE } shown;

/* Do the rules for make go to standard output? Then nothing else may. */
static bool rules_to_standard_output(const batch *b)
{
    return b->run->depfile != NULL && strcmp(b->run->depfile, "-") == 0;
}

/* Is standard output the file, or the rules? */
static bool is_output_taken(const batch *b, const job *of)
{
    return strcmp(of->output, "-") == 0 || rules_to_standard_output(b);
}

/* A terminal gets a line for each of several assets, and of a single one all that there is. */
static shown how_shown(const batch *b, const job *of)
{
    if (report_is_json() || b->run->quiet) {
        return SHOWN_NOT;
    }
    if (b->run->verbose) {
        return SHOWN_WHOLE;
    }
    if (is_output_taken(b, of) || !terminal_is(stdout)) {
        return SHOWN_NOT;
    }
    return b->of->count > 1 ? SHOWN_AS_ROW : SHOWN_WHOLE;
}

/* -- baking an asset -- */

/* A program that reads the progress gets every step. A bar needs only some of them: the thread does
 * not wait for the lock to draw it. */
static bool step_of_many(void *user, const char *stage, double part)
{
    const asset *a = user;
    batch *b = a->b;
    const bool to_program = b->bar.mode == PROGRESS_JSON; /* it counts on all beginnings and ends */
    if ((to_program ? pthread_mutex_lock(&b->lock) : pthread_mutex_trylock(&b->lock)) == 0) {
        batch_bar_step(&b->bar, a->last_line, a->of->input, stage, part);
        pthread_mutex_unlock(&b->lock);
    } /* else the thread that reports something now shows the bar later */
    return signals_noted() == 0;
}

/* The progress of a single asset needs no lock: nothing else is reported meanwhile. */
static bool step_of_one(void *user, const char *stage, double part)
{
    const asset *a = user;
    return progress_step(&a->b->one, stage, part) && signals_noted() == 0;
}

/* Makes the folder that an output is in. */
static int make_folder_of(const char *output, kiln_bake_report *report)
{
    char message[KILN_WRITE_MESSAGE_SIZE], *part = NULL;
    char *folder = kiln_folder_of(output);
    const bool made = folder != NULL && kiln_folder_make(folder, &part);
    if (folder != NULL && !made) {
        (void)kiln_folder_explain(errno, message);
        snprintf(report->error, sizeof report->error, "%.500s: %s", part != NULL ? part : folder,
                 message);
    }
    const int status = made ? EXIT_DONE : folder != NULL ? EXIT_IO : EXIT_RUN;
    free(part);
    free(folder);
    return status;
}

/* What the move of a finished file is decided by. */
typedef struct {
    output_registry_place place;
    const asset *of;
    const kiln_bake_report *report;
    char unnamed[DEPFILE_MESSAGE_SIZE]; /* what can't stand in the depfile; "": nothing */
} moving;

/* A kiln_write_mover's function: the names of side files are known by now. An output whose rule
 * can't be written would be taken for up to date ever after. */
static bool move_output(void *user, const char *from, const char *to,
                        char message[KILN_WRITE_MESSAGE_SIZE])
{
    moving *m = user;
    const job *of = m->of->of;
    if (m->of->b->run->depfile != NULL &&
        !depfile_can_name(of->output, of->input, m->report, &of->settings, m->unnamed)) {
        (void)snprintf(message, KILN_WRITE_MESSAGE_SIZE, "can't stand in the depfile");
        return false;
    }
    return output_may_be_moved(to, &output_kind_kiln, &m->of->b->of->read, message) &&
           output_registry_move(&m->place, from, to, message);
}

/* Bakes to the output. A file is written by the library, which first makes sure that no other asset
 * of this run has made the file under its name; standard output is written here. */
static int bake_to_output(const asset *a, const kiln_bake_input *input,
                          const kiln_bake_options *options, kiln_bake_report *report)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    if (strcmp(a->of->output, "-") != 0) {
        moving m = {{a->b->written, (size_t)(a->of - a->b->of->jobs)}, a, report, ""};
        const kiln_write_mover mover = {move_output, &m};
        KILN_ASSERT(m.place.job < a->b->of->count);
        const int status = (int)kiln_bake_moving(input, a->of->output, options, report, &mover);
        if (m.unnamed[0] != '\0') {
            kiln_bake_report_error(report, a->of->input, "%s", m.unnamed);
            return EXIT_UNSUPPORTED;
        }
        if (status == EXIT_DONE && report->outcome == KILN_OUTCOME_UP_TO_DATE &&
            !output_registry_note(&m.place, a->of->output, message)) {
            kiln_bake_report_error(report, a->of->output, "%s", message);
            return EXIT_IO;
        }
        return status;
    }
    void *data = NULL;
    size_t size = 0;
    int status = (int)kiln_bake_to_memory(input, options, &data, &size, report);
    if (status == EXIT_DONE && !kiln_write_descriptor(STDOUT_FILENO, data, size, message)) {
        snprintf(report->error, sizeof report->error, "standard output: %s", message);
        status = EXIT_IO;
    }
    free(data);
    return status;
}

/* One asset from its settings to its output. Runs in this process or in a worker; with `steps` the
 * progress finds its way back in both cases. */
static void bake_asset(void *user, const baking_steps *steps, baked *out)
{
    const asset *a = user;
    const batch *b = a->b;
    kiln_bake_options options;
    kiln_bake_input input = {.path = a->of->input, .format = a->of->settings.format};
    void *data = NULL;
    out->status = bake_settings_convert(&a->of->settings, NULL, &options);
    KILN_ASSERT(b->threads > 0 && out->report.error[0] == '\0');
    options.threads = (int)b->threads;
    options.max_memory = a->memory;
    options.progress = steps->step;
    options.progress_user = steps->user;
    if (out->status == EXIT_DONE && strcmp(a->of->output, "-") != 0 &&
        (b->of->keep_folders || b->of->folder == NULL)) {
        out->status = make_folder_of(a->of->output, &out->report);
    }
    if (out->status == EXIT_DONE && strcmp(a->of->input, "-") == 0) {
        out->status = load_stdin(options.max_memory, &data, &input.size);
        input.data = data;
        /* What is read stays in memory while it is baked. */
        options.max_memory -= options.max_memory != 0 ? input.size : 0;
    }
    if (out->status == EXIT_DONE) {
        out->status = bake_to_output(a, &input, &options, &out->report);
    }
    free(data);
    /* How soon the file answers is measured only where it is going to be read. */
    const bool is_read = report_is_json() || how_shown(b, a->of) == SHOWN_WHOLE;
    out->has_first = out->status == EXIT_DONE && out->report.outcome == KILN_OUTCOME_BAKED &&
                     strcmp(a->of->output, "-") != 0 && is_read &&
                     first_query_measure(a->of->output, &out->first);
}

/* -- reporting an asset -- */

/* Reports an asset that was baked or needed no bake. */
static void report_success(batch *b, const job *of, outcome how, const baked *what, double seconds)
{
    const kiln_bake_report *report = &what->report;
    const shown form = how_shown(b, of);
    if (report->cache_error[0] != '\0' && !b->cache_error_reported) { /* later ones say the same */
        report_note("not kept", b->run->cache, report->cache_error);
        b->cache_error_reported = true;
    }
    if (how == UP_TO_DATE) {
        if (b->of->count == 1 && !report_is_json()) {
            report_note("up to date", of->output, "made from the same bytes by the same options");
        }
    } else if (form == SHOWN_WHOLE) {
        FILE *stream = is_output_taken(b, of) ? stderr : stdout;
        bake_report_summary(stream, of, report, what->has_first ? &what->first : NULL, seconds);
        fflush(stream);
    } else if (form == SHOWN_AS_ROW) {
        if (b->columns.name == 0) {
            b->columns = bake_report_heads(b->of);
        }
        bake_report_row(&b->columns, of, report, how == CACHED, seconds);
        fflush(stdout);
    }
}

/* An asset whose notes are taken, and where they are kept for the JUnit report; NULL: nowhere. */
typedef struct {
    const job *of;
    FILE *kept;
} note_taker;

/* Called by bake_report_notes. Under --quiet the report prints none. */
static void take_note(void *user, const char *kind, const char *message)
{
    const note_taker *to = user;
    report_warning(kind, to->of->input, message);
    if (to->kept != NULL) {
        fprintf(to->kept, "%s: %s\n", kind, message);
    }
}

/* Are texts of assets kept, for a JUnit report or a page? */
static bool keeps_texts(const batch *b)
{
    return b->run->junit != NULL || b->run->report != NULL;
}

/* Reports what the bake warns of, also to a JUnit report and a page that are wanted. */
static void report_notes(const batch *b, const job *of, const kiln_bake_report *report, result *r)
{
    size_t size;
    note_taker to = {of, keeps_texts(b) ? open_memstream(&r->notes, &size) : NULL};
    bake_report_notes(report, &to, take_note);
    if (to.kept != NULL) {
        const bool any = fclose(to.kept) == 0 && size > 0; /* without memory there are none */
        if (!any) {
            free(r->notes);
            r->notes = NULL;
        }
    }
}

/* Keeps the rule of an asset for the depfile. A depfile, a JUnit report or a page that would
 * replace a file which the model refers to is only known for one now; then it is not written. */
static int add_to_files(batch *b, const job *of, const kiln_bake_report *report, result *r)
{
    static const char *const kinds[] = {"depfile", "JUnit report", "page"};
    const char *const names[] = {b->run->depfile, b->run->junit, b->run->report};
    bool *const refused[] = {&b->depfile_refused, &b->junit_refused, &b->page_refused};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (names[i] != NULL && strcmp(names[i], "-") != 0 &&
            depfile_is_side_file(names[i], of->input, report)) {
            *refused[i] = true;
            return report_error(EXIT_USAGE, names[i],
                                "is a file that '%s' refers to; no %s was written; name another",
                                of->input, kinds[i]);
        }
    }
    return b->run->depfile != NULL
               ? depfile_add(&r->rule, of->output, of->input, report, &of->settings)
               : EXIT_DONE;
}

/* Reports what came of an asset and keeps its result. With the lock. */
static void report_asset(batch *b, size_t index, const baked *what, double seconds)
{
    const kiln_bake_report *report = &what->report;
    const job *of = &b->of->jobs[index];
    result *r = &b->results[index];
    KILN_ASSERT(r->object == NULL);
    r->status = what->status;
    if (what->status != EXIT_DONE) {
        r->outcome = what->status == EXIT_RUN && signals_noted() != 0 ? LEFT : FAILED;
    } else {
        r->outcome = report->outcome == KILN_OUTCOME_UP_TO_DATE ? UP_TO_DATE
                     : report->outcome == KILN_OUTCOME_CACHED   ? CACHED
                                                                : BAKED;
    }
    r->seconds = seconds;
    if (r->outcome != LEFT) {
        report_notes(b, of, report, r);
    }
    if (r->outcome == FAILED) {
        r->error = keeps_texts(b) && report->error[0] != '\0' ? strdup(report->error) : NULL;
        if (report->error[0] == '\0') {
            /* load_stdin has reported it */
        } else if (what->status == EXIT_USAGE && b->of->uniform) {
            report_usage("%s", report->error);
        } else {
            report_error_text(what->status, of->input, report->error);
        }
    } else if (r->outcome != LEFT) {
        report_success(b, of, r->outcome, what, seconds);
        r->bytes = report->bytes_file;
        r->watches = r->outcome != UP_TO_DATE && report->absent_file_count > 0;
        r->status = add_to_files(b, of, report, r);
    }
    if (report_is_json()) {
        r->object =
            bake_report_json(of, what->status, report, what->has_first ? &what->first : NULL);
        json_object_set_new(r->object, "outcome", json_cstring(outcome_names[r->outcome]));
    }
}

/* -- the work of the thread pool -- */

/* Can an asset begin now, or later? Called by one thread at a time, as begin_asset and leave_asset
 * are. */
static thread_pool_state look_for_asset(void *user)
{
    batch *b = user;
    size_t task;
    if (atomic_load(&b->stop) || signals_noted() != 0) {
        return THREAD_POOL_DONE;
    }
    return memory_budget_find(&b->memory, &task) ? THREAD_POOL_READY
           : memory_budget_any_later(&b->memory) ? THREAD_POOL_LATER
                                                 : THREAD_POOL_DONE;
}

/* Takes the share of the next asset. */
static size_t begin_asset(void *user)
{
    batch *b = user;
    size_t task = 0;
    const bool found = memory_budget_find(&b->memory, &task);
    KILN_ASSERT(found); /* nothing has changed since look_for_asset */
    if (found) {
        memory_budget_take(&b->memory, task);
    }
    return task;
}

/* Bakes an asset, here or in a worker, and reports it unless it will be baked again. */
static void run_asset(void *user, size_t task, const kiln_helpers *helpers)
{
    batch *b = user;
    KILN_ASSERT(task < b->of->count);
    const size_t index = b->order[task];
    const job *of = &b->of->jobs[index];
    progress_last last_line = {"", 0, 0};
    asset a = {b, of, &last_line, b->memory.lines[task].share};
    baked what;
    memset(&what, 0, sizeof what);
    const baking_steps steps = {b->of->count > 1 ? step_of_many : step_of_one, &a};
    const double start = kiln_seconds();
    if (b->memory.limit != 0 && b->of->count > 1) {
        const worker_task in_worker = {bake_asset, &a, of->input, steps, helpers};
        worker_run(&in_worker, &what);
    } else {
        bake_asset(&a, &steps, &what);
    }

    /* A larger share may help where the bake failed, but not where a signal or the time that an
     * import may take ended it. */
    const double seconds_most = of->settings.import_seconds;
    b->results[index].again = !memory_budget_has_all(&b->memory, task) && what.status == EXIT_RUN &&
                              signals_noted() == 0 &&
                              (seconds_most <= 0 || what.report.seconds_import < seconds_most);
    if (!b->results[index].again) {
        pthread_mutex_lock(&b->lock);
        batch_bar_hide(&b->bar);
        progress_end(&b->one);
        report_asset(b, index, &what, kiln_seconds() - start);
        if (b->of->count > 1) {
            batch_bar_end_asset(&b->bar, of->input, outcome_names[b->results[index].outcome],
                                what.status, of->size);
        }
        pthread_mutex_unlock(&b->lock);
        if (what.status != EXIT_DONE &&
            (b->run->fail_fast || (what.status == EXIT_USAGE && b->of->uniform))) {
            atomic_store(&b->stop, true);
        }
    }
    kiln_bake_report_free(&what.report);
}

/* Gives the share of an asset back; one that will be baked again waits for a larger one. */
static void leave_asset(void *user, size_t task)
{
    batch *b = user;
    memory_budget_give(&b->memory, task, !b->results[b->order[task]].again);
}

/* -- reporting the batch -- */

/* Counts assets by their outcome. */
static void count_outcomes(const batch *b, size_t counts[OUTCOMES])
{
    memset(counts, 0, OUTCOMES * sizeof *counts);
    for (size_t i = 0; i < b->of->count; i++) {
        counts[b->results[i].outcome]++;
    }
}

static const char *why_left(void)
{
    return signals_noted() != 0 ? "interrupted" : "another has failed";
}

/* Says how often equal warnings came, names what failed, whose reasons were reported when it did,
 * and what was not baked, then counts:
 * "3 baked, 997 up to date, 1 failed in 2.41 s; 17 MiB read, 5 MiB written". A log so ends with
 * what its reader looks for. Nothing is reported of a single asset. */
static void report_summary(const batch *b)
{
    static const struct {
        outcome of;
        const char *words;
    } parts[] = {{BAKED, "baked"},
                 {CACHED, "from the cache"},
                 {UP_TO_DATE, "up to date"},
                 {FAILED, "failed"},
                 {LEFT, "not baked"}};
    size_t counts[OUTCOMES], used = 0;
    uint64_t bytes_read = 0, bytes_written = 0;
    char text[256] = "", read_text[KILN_MESSAGE_BYTES_SIZE], written_text[KILN_MESSAGE_BYTES_SIZE];
    count_outcomes(b, counts);
    report_folded();
    /* A program that reads lines of JSON, or the document, has the counts there. */
    const bool to_program = report_is_json() || b->bar.mode == PROGRESS_JSON;
    if (b->of->count < 2 || (to_program && counts[BAKED] == b->of->count)) {
        return;
    }
    for (size_t i = 0; i < b->of->count; i++) {
        const result *r = &b->results[i];
        const char *input = b->of->jobs[i].input;
        if (r->outcome == FAILED) {
            report_failed(input);
        } else if (r->outcome == LEFT) {
            report_note("not baked", input, why_left());
        } else if (r->outcome != UP_TO_DATE) {
            bytes_read += b->of->jobs[i].size;
            bytes_written += r->bytes;
        }
    }
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (counts[parts[i].of] > 0) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s",
                                     used > 0 ? ", " : "", counts[parts[i].of], parts[i].words);
        }
    }
    KILN_ASSERT(used < sizeof text);
    const double seconds = kiln_seconds() - b->start;
    if (bytes_written == 0) {
        report_line("%s in %.2f s", text, seconds);
    } else {
        report_line("%s in %.2f s; %s read, %s written", text, seconds,
                    kiln_message_bytes(bytes_read, read_text),
                    kiln_message_bytes(bytes_written, written_text));
    }
}

/* Adds the counts to the document. */
static void add_summary(const batch *b)
{
    size_t counts[OUTCOMES];
    json_t *summary = json_object();
    count_outcomes(b, counts);
    json_object_set_new(summary, "count", json_count(b->of->count));
    for (int i = 0; i < OUTCOMES; i++) {
        json_object_set_new(summary, outcome_names[i], json_count(counts[i]));
    }
    json_object_set_new(summary, "seconds", json_number(kiln_seconds() - b->start));
    json_object_set_new(report_root(), "summary", summary);
}

/* The files of the document in the order of the plan, and the summary. */
static void write_document(batch *b)
{
    for (size_t i = 0; i < b->of->count; i++) {
        const job *of = &b->of->jobs[i];
        json_t *object = b->results[i].object;
        if (object == NULL) { /* it was never begun */
            object = json_object();
            json_object_set_new(object, "input", json_cstring(of->input));
            json_object_set_new(object, "output", json_cstring(of->output));
            json_object_set_new(object, "status", json_integer(EXIT_RUN));
            json_object_set_new(object, "outcome", json_cstring(outcome_names[LEFT]));
        }
        report_file(object, b->of->batch ? 0 : 1);
        b->results[i].object = NULL;
    }
    if (b->of->batch) {
        add_summary(b);
    }
}

/* A folder that an output or the depfile was just written to is newer than outputs whose rules
 * watch it: these would be out of date at once. */
static void touch_watching(const batch *b)
{
    for (size_t i = 0; i < b->of->count; i++) {
        if (b->results[i].watches && strcmp(b->of->jobs[i].output, "-") != 0) {
            (void)utimensat(AT_FDCWD, b->of->jobs[i].output, NULL, 0);
        }
    }
}

/* Makes the folder that a file of the run is to be in, if need be, or reports why it can't be made.
 */
static int make_folder_for(const char *path)
{
    kiln_bake_report failed = {.side_file_count = 0};
    const int status = strcmp(path, "-") != 0 ? make_folder_of(path, &failed) : EXIT_DONE;
    if (status == EXIT_DONE) {
        return EXIT_DONE;
    }
    return report_error(status, NULL, "%s",
                        failed.error[0] != '\0' ? failed.error : "out of memory");
}

/* Writes the depfile. */
static int write_rules(const depfile *all, const char *path)
{
    const int status = make_folder_for(path);
    return status == EXIT_DONE ? depfile_write(all, path) : status;
}

/* Writes the JUnit report, also of a batch in which nothing was baked. */
static int write_junit(const batch *b)
{
    junit_case *cases = calloc(b->of->count + 1, sizeof *cases);
    if (cases == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    for (size_t i = 0; i < b->of->count; i++) {
        const result *r = &b->results[i];
        const job *of = &b->of->jobs[i];
        const bool standard = strcmp(of->output, "-") == 0;
        /* A report of cases that were only skipped would be taken for a success. */
        const bool interrupted = r->outcome == LEFT && signals_noted() != 0;
        cases[i] = (junit_case){.name = standard ? "standard output" : of->output,
                                .file = of->input,
                                .status = interrupted ? EXIT_RUN : r->status,
                                .error = interrupted        ? why_left()
                                         : r->error != NULL ? r->error
                                                            : "see the messages of the run",
                                .skipped = r->outcome == LEFT && !interrupted ? why_left() : NULL,
                                .notes = r->notes,
                                .seconds = r->seconds};
    }
    int status = make_folder_for(b->run->junit);
    if (status == EXIT_DONE) {
        status = junit_write(b->run->junit, cases, b->of->count, kiln_seconds() - b->start);
    }
    free(cases);
    return status;
}

/* Writes the page, also of a batch in which nothing was baked. Its files are read when all bakes
 * are over, one at a time, so that this takes less memory than the bake of any of them did. */
static int write_page(const batch *b)
{
    report_page_row *rows = calloc(b->of->count + 1, sizeof *rows);
    if (rows == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    for (size_t i = 0; i < b->of->count; i++) {
        const result *r = &b->results[i];
        rows[i] = (report_page_row){.input = b->of->jobs[i].input,
                                    .output = b->of->jobs[i].output,
                                    .outcome = outcome_names[r->outcome],
                                    .status = r->status,
                                    .error = r->error,
                                    .notes = r->notes,
                                    .baked = r->outcome == BAKED,
                                    .seconds = r->seconds};
    }
    int status = make_folder_for(b->run->report);
    if (status == EXIT_DONE) {
        status = report_page_write(b->run->report, rows, b->of->count, kiln_seconds() - b->start,
                                   !b->run->no_seconds);
    }
    free(rows);
    return status;
}

/* Reports the whole batch: the rules of all assets that were baked in one file, the JUnit report,
 * the page, the document, the summary. Returns the highest exit status. */
static int finish(batch *b)
{
    int worst = EXIT_DONE;
    for (size_t i = 0; i < b->of->count; i++) {
        const result *r = &b->results[i];
        const int status = r->outcome == LEFT && signals_noted() != 0 ? EXIT_RUN : r->status;
        worst = status > worst ? status : worst;
    }
    if (b->run->depfile != NULL && !b->depfile_refused) {
        depfile all = {NULL, 0, 0};
        int status = EXIT_DONE;
        for (size_t i = 0; i < b->of->count && status == EXIT_DONE; i++) {
            status = depfile_append(&all, &b->results[i].rule);
        }
        if (status == EXIT_DONE && all.size > 0) {
            status = write_rules(&all, b->run->depfile);
        }
        depfile_free(&all);
        touch_watching(b);
        worst = status > worst ? status : worst;
    }
    *b->reported = true;
    if (b->run->junit != NULL && !b->junit_refused) {
        const int status = write_junit(b);
        worst = status > worst ? status : worst;
    }
    if (b->run->report != NULL && !b->page_refused) {
        const int status = write_page(b);
        worst = status > worst ? status : worst;
    }
    if (report_is_json()) {
        write_document(b);
    }
    report_summary(b);
    return worst;
}

/* -- the batch -- */

static const plan *sorted_plan;

/* Sorts the largest first, and equals in the order of the plan. */
static int compare_sizes(const void *p, const void *q)
{
    const size_t a = *(const size_t *)p, b = *(const size_t *)q;
    const uint64_t size_a = sorted_plan->jobs[a].size, size_b = sorted_plan->jobs[b].size;
    return size_a != size_b ? (size_a > size_b ? -1 : 1) : a < b ? -1 : a > b;
}

/* Standard input gets everything, since it can't be read again. */
static uint64_t guess_memory(const job *of)
{
    return strcmp(of->input, "-") == 0
               ? UINT64_MAX
               : asset_memory_guess(of->input, of->settings.format, of->size);
}

/* Opens the memory budget, with a share of the limit, which is the same for all, for each asset. */
static bool open_memory_budget(batch *b)
{
    kiln_bake_options options;
    uint64_t limit = 0;
    KILN_ASSERT(b->of->count > 0);
    if (bake_settings_convert(&b->of->jobs[0].settings, NULL, &options) == EXIT_DONE) {
        limit = options.max_memory;
    }
    if (!memory_budget_open(&b->memory, b->of->count, limit)) {
        return false;
    }
    for (size_t i = 0; i < b->of->count && limit != 0; i++) {
        const job *of = &b->of->jobs[b->order[i]];
        memory_budget_set_share(&b->memory, i, b->of->count > 1 ? guess_memory(of) : limit);
    }
    return true;
}

/* Bakes everything, with the arrays of batch_run in place. */
static int run_all(batch *b)
{
    const progress_mode mode = b->run->quiet ? PROGRESS_NONE : (progress_mode)b->run->progress;
    const thread_pool_work work = {look_for_asset, begin_asset, run_asset, leave_asset, b};
    uint64_t size = 0;
    for (size_t i = 0; i < b->of->count; i++) {
        b->order[i] = i;
        size += b->of->jobs[i].size;
    }
    sorted_plan = b->of;
    qsort(b->order, b->of->count, sizeof *b->order, compare_sizes);
    if (!open_memory_budget(b)) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }

    if (b->of->count > 1 || keeps_texts(b)) {
        signals_note(); /* what the run leaves says that it was interrupted */
    }
    if (b->of->count > 1) {
        batch_bar_begin(&b->bar, mode, b->of->count, size);
    } else {
        progress_begin(&b->one, mode, b->of->jobs[0].input);
    }
    b->start = kiln_seconds();
    b->threads = thread_pool_size(b->run->threads);
    pthread_mutex_init(&b->lock, NULL);
    if (b->memory.limit != 0) {
        worker_prepare();
    }
    thread_pool_run_work(&work, b->run->threads, b->of->count);
    pthread_mutex_destroy(&b->lock);
    batch_bar_hide(&b->bar);
    memory_budget_close(&b->memory);
    return finish(b);
}

/* Holds everything that lasts as long as the batch. An empty plan is no error here: who wants none
 * has said so by --allow-empty, and still gets a document. */
int batch_run(const plan *of, const bake_settings *run, bool *reported)
{
    batch b = {.of = of, .run = run, .reported = reported};
    KILN_ASSERT(of->count == 0 || of->jobs != NULL);
    int status = plan_check_options(of);
    if (status == EXIT_DONE && of->count == 0 && report_is_json()) {
        json_object_set_new(report_root(), "files", json_array());
        b.start = kiln_seconds();
        add_summary(&b);
    }
    if (status == EXIT_DONE && of->count == 0 && run->junit != NULL) {
        b.start = kiln_seconds();
        *reported = true;
        status = write_junit(&b);
    }
    if (status == EXIT_DONE && of->count == 0 && run->report != NULL) {
        b.start = kiln_seconds();
        status = write_page(&b);
    }
    if (status != EXIT_DONE || of->count == 0) {
        return status;
    }
    status = plan_make_folder(of, !run->if_changed);
    if (status != EXIT_DONE) {
        return status;
    }
    b.order = calloc(of->count, sizeof *b.order);
    b.results = calloc(of->count, sizeof *b.results);
    b.written = output_registry_new(of);
    status = b.order != NULL && b.results != NULL && b.written != NULL
                 ? run_all(&b)
                 : report_error(EXIT_RUN, NULL, "out of memory");
    for (size_t i = 0; i < of->count && b.results != NULL; i++) {
        json_decref(b.results[i].object);
        free(b.results[i].error);
        free(b.results[i].notes);
        depfile_free(&b.results[i].rule);
    }
    output_registry_free(b.written);
    free(b.order);
    free(b.results);
    return status;
}
