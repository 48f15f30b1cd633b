/* See batch.h. Assets are begun from the largest on, so that the last ones are small and all threads end
 * at about the same time. What is told of an asset is told at once and by one thread at a time; what
 * goes into a document or a depfile keeps the order of the plan. */
#define _XOPEN_SOURCE 700

#include "batch.h"

#include "bake_report.h"
#include "batch_bar.h"
#include "crew.h"
#include "depfile.h"
#include "load.h"
#include "report.h"
#include "seconds.h"
#include "signals.h"
#include "written.h"

#include "../bake_moving.h"
#include "../common/message.h"
#include "../common/write_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum { LEFT, BAKED, UP_TO_DATE, CACHED, FAILED, OUTCOMES } outcome;

static const char *const outcome_names[OUTCOMES] = {"not_baked", "baked", "up_to_date", "cached",
                                                    "failed"};

typedef struct {
    outcome outcome;
    int status;
    bool told;      /* it has come to an end */
    char *message;  /* of a failure; may be NULL */
    json_t *object; /* of the document; NULL: none */
    depfile rule;
} result;

typedef struct {
    const plan *of;
    const bake_settings *run;
    size_t *order; /* of beginning */
    result *results;
    written *written;
    pthread_mutex_t lock; /* of all that is told */
    batch_bar bar;        /* of several */
    progress one;         /* of a single asset */
    unsigned threads;
    bool together; /* with a limit of memory: others may be to blame for a refusal */
    bool cache_told, depfile_refused;
    atomic_bool stop;
    double start;
} batch;

/* An asset under way. */
typedef struct {
    batch *b;
    const job *of;
    progress_told *told;
} asset;

static bool is_stopped(void *user)
{
    batch *b = user;
    return atomic_load(&b->stop) || signals_noted() != 0;
}

/* -------------------------------------------------------------------------------------- baking -- */

static bool step_of_many(void *user, const char *stage, double part)
{
    const asset *a = user;
    if (pthread_mutex_trylock(&a->b->lock) == 0) { /* who tells something else now shows the bar later */
        batch_bar_step(&a->b->bar, a->told, a->of->input, stage, part);
        pthread_mutex_unlock(&a->b->lock);
    }
    return signals_noted() == 0;
}

static bool step_of_one(void *user, const char *stage, double part)
{
    const asset *a = user;
    return progress_step(&a->b->one, stage, part);
}

/* No other of this run may have made the file under its name. */
static int bake_to_file(const asset *a, const kiln_bake_input *input, const kiln_bake_options *options,
                        kiln_bake_report *report)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    written_place place = {a->b->written, (size_t)(a->of - a->b->of->jobs)};
    const kiln_write_mover mover = {written_move, &place};
    const int status = (int)kiln_bake_moving(input, a->of->output, options, report, &mover);
    if (status == EXIT_DONE && report->outcome == KILN_OUTCOME_UP_TO_DATE &&
        !written_note(&place, a->of->output, message)) {
        kiln_bake_report_error(report, a->of->output, "%s", message);
        return EXIT_IO;
    }
    return status;
}

/* Standard output is written by us, a file by the library. */
static int bake_to(const asset *a, const kiln_bake_input *input, const kiln_bake_options *options,
                   kiln_bake_report *report)
{
    if (strcmp(a->of->output, "-") != 0) {
        return bake_to_file(a, input, options, report);
    }
    void *data = NULL;
    size_t size = 0;
    char message[KILN_WRITE_MESSAGE_SIZE];
    int status = (int)kiln_bake_to_memory(input, options, &data, &size, report);
    if (status == EXIT_DONE && !kiln_write_descriptor(STDOUT_FILENO, data, size, message)) {
        snprintf(report->error, sizeof report->error, "standard output: %s", message);
        status = EXIT_IO;
    }
    free(data);
    return status;
}

/* Makes a folder, or finds it there. False with errno. */
static bool have_folder(const char *path)
{
    struct stat entry;
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    const int error = errno;
    const bool there = stat(path, &entry) == 0 && S_ISDIR(entry.st_mode);
    errno = error;
    return there;
}

/* Makes the folders of an output, as mkdir -p does. */
static int make_folders(const char *output, kiln_bake_report *report)
{
    char *path = strdup(output);
    int status = path != NULL ? EXIT_DONE : EXIT_RUN;
    for (char *slash = path != NULL ? strchr(path + 1, '/') : NULL; slash != NULL && status == EXIT_DONE;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!have_folder(path)) {
            snprintf(report->error, sizeof report->error,
                     "%.500s: the folder can't be made; %s; check the path and its permissions", path,
                     errno == EEXIST ? "there is a file of that name" : strerror(errno));
            status = EXIT_IO;
        }
        *slash = '/';
    }
    free(path);
    return status;
}

static int bake_asset(const asset *a, kiln_bake_report *report)
{
    kiln_bake_options options;
    kiln_bake_input input = {.path = a->of->input, .format = a->of->settings.format};
    void *data = NULL;
    int status = bake_settings_convert(&a->of->settings, NULL, &options);
    options.threads = (int)a->b->threads;
    options.progress = a->b->of->count > 1 ? step_of_many : step_of_one;
    options.progress_user = (void *)a;
    if (status == EXIT_DONE && a->b->of->make_folders) {
        status = make_folders(a->of->output, report);
    }
    if (status == EXIT_DONE && strcmp(a->of->input, "-") == 0) {
        status = load_stdin(&data, &input.size);
        input.data = data;
    }
    if (status == EXIT_DONE) {
        status = bake_to(a, &input, &options, report);
    }
    free(data);
    return status;
}

/* ------------------------------------------------------------------------------------- telling -- */

static outcome outcome_of(int status, const kiln_bake_report *report)
{
    if (status != EXIT_DONE) {
        return status == EXIT_RUN && signals_noted() != 0 ? LEFT : FAILED;
    }
    switch (report->outcome) {
    case KILN_OUTCOME_UP_TO_DATE:
        return UP_TO_DATE;
    case KILN_OUTCOME_CACHED:
        return CACHED;
    default:
        return BAKED;
    }
}

static void tell_failure(batch *b, int status, const kiln_bake_report *report)
{
    if (report->error[0] == '\0') { /* load_stdin has said it */
        return;
    }
    if (status == EXIT_USAGE && b->of->uniform) {
        report_usage(&verb_bake, "%s", report->error);
    } else {
        report_error(status, NULL, "%s", report->error);
    }
}

static void tell_success(batch *b, const job *of, outcome how, const kiln_bake_report *report,
                         double seconds)
{
    const bool alone = b->of->count == 1, standard = strcmp(of->output, "-") == 0;
    if (report->cache_error[0] != '\0' && !b->cache_told) { /* the rest would say the same */
        report_note("not kept", b->run->cache, report->cache_error);
        b->cache_told = true;
    }
    if (how == UP_TO_DATE && alone && !report_is_json()) {
        report_note("up to date", of->output, "made from the same bytes by the same options");
    } else if (how != UP_TO_DATE && !report_is_json() && !b->run->quiet &&
               (b->run->verbose || (!standard && isatty(STDOUT_FILENO)))) {
        FILE *stream = standard ? stderr : stdout; /* standard output is the file then */
        bake_report_summary(stream, of, report, seconds);
        fflush(stream);
    }
}

static int add_rule(batch *b, const job *of, const kiln_bake_report *report, depfile *rule)
{
    if (depfile_is_side_file(b->run->depfile, of->input, report)) {
        b->depfile_refused = true;
        return report_error(EXIT_USAGE, b->run->depfile,
                            "is a file that '%s' refers to; no depfile was written; name another",
                            of->input);
    }
    return depfile_add(rule, of->output, of->input, report, of->settings.adb_weights);
}

/* What comes of an asset, while nobody else tells something. */
static void tell(batch *b, size_t index, int status, const kiln_bake_report *report, double seconds)
{
    const job *of = &b->of->jobs[index];
    result *r = &b->results[index];
    r->told = true;
    r->status = status;
    r->outcome = outcome_of(status, report);
    if (!b->run->quiet && r->outcome != LEFT) {
        bake_report_notes(of, report);
    }
    if (r->outcome == FAILED) {
        tell_failure(b, status, report);
        r->message = strdup(report->error);
    } else if (r->outcome != LEFT) {
        tell_success(b, of, r->outcome, report, seconds);
        if (b->run->depfile != NULL) {
            r->status = add_rule(b, of, report, &r->rule);
        }
    }
    if (report_is_json()) {
        r->object = bake_report_json(of, status, report);
        json_object_set_new(r->object, "outcome", json_cstring(outcome_names[r->outcome]));
    }
}

static void run_asset(batch *b, size_t index)
{
    progress_told told = {"", 0, 0};
    const asset a = {b, &b->of->jobs[index], &told};
    kiln_bake_report report;
    memset(&report, 0, sizeof report);
    const double start = seconds_now();
    const int status = bake_asset(&a, &report);
    const double seconds = seconds_now() - start;
    if (b->together && status == EXIT_RUN && signals_noted() == 0) { /* it is to have its turn alone */
        kiln_bake_report_free(&report);
        return;
    }
    pthread_mutex_lock(&b->lock);
    batch_bar_hide(&b->bar);
    progress_end(&b->one);
    tell(b, index, status, &report, seconds);
    if (b->of->count > 1) {
        batch_bar_end_asset(&b->bar, a.of->input, outcome_names[b->results[index].outcome], status,
                            a.of->size);
    }
    pthread_mutex_unlock(&b->lock);
    if (status != EXIT_DONE &&
        (b->run->fail_fast || (status == EXIT_USAGE && b->of->uniform))) {
        atomic_store(&b->stop, true);
    }
    kiln_bake_report_free(&report);
}

/* ------------------------------------------------------------------------------------- the end -- */

static void count_outcomes(const batch *b, size_t counts[OUTCOMES])
{
    memset(counts, 0, OUTCOMES * sizeof *counts);
    for (size_t i = 0; i < b->of->count; i++) {
        counts[b->results[i].outcome]++;
    }
}

/* "3 baked, 997 up to date, 1 failed", without what there is none of. */
static void summarise(const size_t counts[OUTCOMES], char *text, size_t size)
{
    static const struct {
        outcome of;
        const char *words;
    } parts[] = {{BAKED, "baked"},
                 {CACHED, "from the cache"},
                 {UP_TO_DATE, "up to date"},
                 {FAILED, "failed"},
                 {LEFT, "not baked"}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (counts[parts[i].of] > 0) {
            used += (size_t)snprintf(text + used, size - used, "%s%zu %s", used > 0 ? ", " : "",
                                     counts[parts[i].of], parts[i].words);
        }
    }
}

/* What is behind the name of the asset. */
static const char *reason_of(const char *message, const char *input)
{
    const size_t length = strlen(input);
    const bool named = message != NULL && strncmp(message, input, length) == 0 &&
                       strncmp(message + length, ": ", 2) == 0;
    return message == NULL || message[0] == '\0' ? "see above" : named ? message + length + 2 : message;
}

/* Of several assets: names what failed and what is left. Where all went as it was told to, nothing is
 * said but of what needed no bake. */
static void tell_summary(const batch *b)
{
    size_t counts[OUTCOMES];
    char text[256];
    count_outcomes(b, counts);
    if (b->of->count < 2 || counts[BAKED] == b->of->count) {
        return;
    }
    for (size_t i = 0; i < b->of->count; i++) {
        const result *r = &b->results[i];
        if (r->outcome == FAILED) {
            report_note("failed", b->of->jobs[i].input,
                        reason_of(r->message, b->of->jobs[i].input));
        } else if (r->outcome == LEFT) {
            report_note("not baked", b->of->jobs[i].input,
                        signals_noted() != 0 ? "interrupted" : "another has failed");
        }
    }
    summarise(counts, text, sizeof text);
    report_line("%s", text);
}

static void add_summary(const batch *b)
{
    size_t counts[OUTCOMES];
    json_t *summary = json_object();
    count_outcomes(b, counts);
    json_object_set_new(summary, "count", json_count(b->of->count));
    for (int i = 0; i < OUTCOMES; i++) {
        json_object_set_new(summary, outcome_names[i], json_count(counts[i]));
    }
    json_object_set_new(summary, "seconds", json_number(seconds_now() - b->start));
    json_object_set_new(report_root(), "summary", summary);
}

static json_t *left_object(const job *of)
{
    json_t *object = json_object();
    json_object_set_new(object, "input", json_cstring(of->input));
    json_object_set_new(object, "output", json_cstring(of->output));
    json_object_set_new(object, "status", json_integer(EXIT_RUN));
    json_object_set_new(object, "outcome", json_cstring(outcome_names[LEFT]));
    return object;
}

static void write_document(batch *b)
{
    for (size_t i = 0; i < b->of->count; i++) {
        result *r = &b->results[i];
        report_file(r->object != NULL ? r->object : left_object(&b->of->jobs[i]),
                    b->of->batch ? 0 : 1);
        r->object = NULL;
    }
    if (b->of->batch) {
        add_summary(b);
    }
}

/* One file with the rules of all that were baked. */
static int write_depfile(const batch *b)
{
    depfile all = {NULL, 0, 0};
    int status = EXIT_DONE;
    for (size_t i = 0; i < b->of->count && status == EXIT_DONE; i++) {
        status = depfile_append(&all, &b->results[i].rule);
    }
    if (status == EXIT_DONE && all.size > 0) {
        status = depfile_write(&all, b->run->depfile);
    }
    depfile_free(&all);
    return status;
}

static int worst_status(const batch *b)
{
    int worst = EXIT_DONE;
    for (size_t i = 0; i < b->of->count; i++) {
        const result *r = &b->results[i];
        const int status = r->outcome == LEFT && signals_noted() != 0 ? EXIT_RUN : r->status;
        worst = status > worst ? status : worst;
    }
    return worst;
}

static int finish(batch *b)
{
    int worst = worst_status(b);
    if (b->run->depfile != NULL && !b->depfile_refused) {
        const int status = write_depfile(b);
        worst = status > worst ? status : worst;
    }
    if (report_is_json()) {
        write_document(b);
    }
    tell_summary(b);
    return worst;
}

/* ----------------------------------------------------------------------------------- the batch -- */

static const plan *sorted_plan;

/* The largest first; equals in the order of the plan. */
static int compare_sizes(const void *p, const void *q)
{
    const size_t a = *(const size_t *)p, b = *(const size_t *)q;
    const uint64_t size_a = sorted_plan->jobs[a].size, size_b = sorted_plan->jobs[b].size;
    return size_a != size_b ? (size_a > size_b ? -1 : 1) : a < b ? -1 : a > b;
}

static uint64_t put_in_order(batch *b)
{
    uint64_t size = 0;
    for (size_t i = 0; i < b->of->count; i++) {
        b->order[i] = i;
        size += b->of->jobs[i].size;
    }
    sorted_plan = b->of;
    qsort(b->order, b->of->count, sizeof *b->order, compare_sizes);
    return size;
}

/* Options that do not fit together are told before anything is done. */
static int check_options(const plan *of)
{
    int worst = EXIT_DONE;
    for (size_t i = 0; i < of->count && !(of->uniform && worst != EXIT_DONE); i++) {
        kiln_bake_options options;
        const int status = bake_settings_convert(&of->jobs[i].settings,
                                                 of->uniform ? NULL : of->jobs[i].input, &options);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* What an asset may take of memory at its peak, by its source: binary triangles of 19 bytes are the
 * shortest, and all kinds of trees take 260 bytes a triangle. A guess, which decides only what runs
 * together. */
static uint64_t guess_memory(const job *of)
{
    return ((uint64_t)8 << 20) + 16 * of->size;
}

typedef struct {
    batch *b;
    const size_t *indices;
} selection;

static void run_selected(void *user, size_t turn)
{
    const selection *of = user;
    run_asset(of->b, of->indices[turn]);
}

static bool selection_is_stopped(void *user)
{
    return is_stopped(((const selection *)user)->b);
}

static void run_together(batch *b, const size_t *indices, size_t count)
{
    selection of = {b, indices};
    crew_run(count, b->run->threads, run_selected, selection_is_stopped, &of);
}

/* With a limit. What is taken of memory is the process's, so that one asset may be refused for what
 * others have taken. Those that are small beside their share of the limit run together; one of them
 * that is refused, and all others, run alone, with all of it. */
static void run_within_limit(batch *b, uint64_t limit)
{
    size_t small = 0;
    const uint64_t share = limit / (2 * b->threads);
    for (size_t i = b->of->count; i > 0 && guess_memory(&b->of->jobs[b->order[i - 1]]) <= share; i--) {
        small++;
    }
    b->together = true;
    run_together(b, b->order + b->of->count - small, small);
    b->together = false;
    for (size_t i = 0; i < b->of->count && !is_stopped(b); i++) {
        if (!b->results[b->order[i]].told) {
            run_together(b, &b->order[i], 1);
        }
    }
}

static int run_all(batch *b)
{
    const uint64_t size = put_in_order(b);
    const progress_mode mode = b->run->quiet ? PROGRESS_NONE : (progress_mode)b->run->progress;
    if (b->of->count > 1) {
        signals_note();
        batch_bar_begin(&b->bar, mode, b->of->count, size);
    } else {
        progress_begin(&b->one, mode, b->of->jobs[0].input);
    }
    b->start = seconds_now();
    b->threads = crew_size(b->run->threads);
    pthread_mutex_init(&b->lock, NULL);
    kiln_bake_options options;
    if (bake_settings_convert(&b->of->jobs[0].settings, NULL, &options) == EXIT_DONE &&
        options.max_memory != 0) {
        run_within_limit(b, options.max_memory);
    } else {
        run_together(b, b->order, b->of->count);
    }
    pthread_mutex_destroy(&b->lock);
    batch_bar_hide(&b->bar);
    return finish(b);
}

int batch_run(const plan *of, const bake_settings *run)
{
    batch b = {.of = of, .run = run};
    int status = check_options(of);
    if (status == EXIT_DONE && of->count == 0 && report_is_json()) {
        json_object_set_new(report_root(), "files", json_array());
        b.start = seconds_now();
        add_summary(&b);
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
    b.written = written_new(of);
    status = b.order != NULL && b.results != NULL && b.written != NULL
                 ? run_all(&b)
                 : report_error(EXIT_RUN, NULL, "out of memory");
    for (size_t i = 0; i < of->count && b.results != NULL; i++) {
        free(b.results[i].message);
        json_decref(b.results[i].object);
        depfile_free(&b.results[i].rule);
    }
    written_free(b.written);
    free(b.order);
    free(b.results);
    return status;
}
