/* See batch.h. Assets are begun from the largest on, so that the last ones are small and all threads end
 * at about the same time. With a limit of memory each of several is baked in a process of its own (worker.h) that
 * is held to a share of it, and the shares under way never add up to more (ledger.h). What is told of an asset is told at once and by one thread at a time; what
 * goes into a document or a depfile keeps the order of the plan. */
#define _XOPEN_SOURCE 700

#include "batch.h"

#include "bake_report.h"
#include "batch_bar.h"
#include "thread_pool.h"
#include "depfile.h"
#include "memory_budget.h"
#include "../kit/files.h"
#include "../kit/report.h"
#include "../kit/seconds.h"
#include "../kit/signals.h"
#include "worker.h"
#include "output_registry.h"

#include "../../bake/bake.h"
#include "../../common/text.h"
#include "../../common/write_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum { LEFT, BAKED, UP_TO_DATE, CACHED, FAILED, OUTCOMES } outcome;

static const char *const outcome_names[OUTCOMES] = {"not_baked", "baked", "up_to_date", "cached",
                                                    "failed"};

typedef struct {
    outcome outcome;
    int status;
    bool again;     /* its share of memory was too little */
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
    memory_budget memory; /* a line for each of `order` */
    bool cache_told, depfile_refused;
    atomic_bool stop;
    double start;
} batch;

/* An asset under way. */
typedef struct {
    batch *b;
    const job *of;
    progress_last *told;
    uint64_t memory; /* that it may take; 0: no limit */
} asset;

static bool is_stopped(const batch *b)
{
    return atomic_load(&b->stop) || signals_noted() != 0;
}

/* -------------------------------------------------------------------------------------- baking -- */

static bool step_of_many(void *user, const char *stage, double part)
{
    const asset *a = user;
    batch *b = a->b;
    const bool to_program = b->bar.mode == PROGRESS_JSON; /* it counts on all begins and ends */
    if ((to_program ? pthread_mutex_lock(&b->lock) : pthread_mutex_trylock(&b->lock)) == 0) {
        batch_bar_step(&b->bar, a->told, a->of->input, stage, part);
        pthread_mutex_unlock(&b->lock);
    } /* else who tells something now shows the bar later */
    return signals_noted() == 0;
}

static bool step_of_one(void *user, const char *stage, double part)
{
    const asset *a = user;
    return progress_step(&a->b->one, stage, part);
}

/* No other of this run may have made the file under its name. */
static int bake_to_file(const asset *a, const kiln_bake_input *input,
                        const kiln_bake_options *options, kiln_bake_report *report)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    output_registry_place place = {a->b->written, (size_t)(a->of - a->b->of->jobs)};
    const kiln_write_mover mover = {output_registry_move, &place};
    const int status = (int)kiln_bake_moving(input, a->of->output, options, report, &mover);
    if (status == EXIT_DONE && report->outcome == KILN_OUTCOME_UP_TO_DATE &&
        !output_registry_note(&place, a->of->output, message)) {
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
    for (char *slash = path != NULL ? strchr(path + 1, '/') : NULL;
         slash != NULL && status == EXIT_DONE; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!have_folder(path)) {
            snprintf(report->error, sizeof report->error,
                     "%.500s: the folder can't be made; %s; check the path and its permissions",
                     path, errno == EEXIST ? "there is a file of that name" : strerror(errno));
            status = EXIT_IO;
        }
        *slash = '/';
    }
    free(path);
    return status;
}

/* Is somebody told how soon the file answers? */
static bool wants_first_query(const batch *b)
{
    return report_is_json() || (!b->run->quiet && (b->run->verbose || isatty(STDOUT_FILENO)));
}

static void bake_asset(void *user, const baking_steps *steps, baked *out)
{
    const asset *a = user;
    const bool is_file = strcmp(a->of->output, "-") != 0;
    kiln_bake_options options;
    kiln_bake_input input = {.path = a->of->input, .format = a->of->settings.format};
    void *data = NULL;
    out->status = bake_settings_convert(&a->of->settings, NULL, &options);
    options.threads = (int)a->b->threads;
    options.max_memory = a->memory;
    options.progress = steps->step;
    options.progress_user = steps->user;
    if (out->status == EXIT_DONE && a->b->of->make_folders) {
        out->status = make_folders(a->of->output, &out->report);
    }
    if (out->status == EXIT_DONE && strcmp(a->of->input, "-") == 0) {
        out->status = load_stdin(&data, &input.size);
        input.data = data;
    }
    if (out->status == EXIT_DONE) {
        out->status = bake_to(a, &input, &options, &out->report);
    }
    free(data);
    out->has_first = out->status == EXIT_DONE && out->report.outcome == KILN_OUTCOME_BAKED &&
                     is_file && wants_first_query(a->b) &&
                     first_query_measure(a->of->output, &out->first);
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
        report_usage("%s", report->error);
    } else {
        report_error(status, NULL, "%s", report->error);
    }
}

static bool rules_to_standard_output(const batch *b)
{
    return b->run->depfile != NULL && strcmp(b->run->depfile, "-") == 0;
}

static void tell_success(batch *b, const job *of, outcome how, const baked *what, double seconds)
{
    const kiln_bake_report *report = &what->report;
    const bool alone = b->of->count == 1;
    const bool standard = strcmp(of->output, "-") == 0 || rules_to_standard_output(b);
    if (report->cache_error[0] != '\0' && !b->cache_told) { /* the rest would say the same */
        report_note("not kept", b->run->cache, report->cache_error);
        b->cache_told = true;
    }
    if (how == UP_TO_DATE && alone && !report_is_json()) {
        report_note("up to date", of->output, "made from the same bytes by the same options");
    } else if (how != UP_TO_DATE && !report_is_json() && !b->run->quiet &&
               (b->run->verbose || (!standard && isatty(STDOUT_FILENO)))) {
        FILE *stream =
            standard ? stderr : stdout; /* standard output is the file, or the rules, then */
        bake_report_summary(stream, of, report, what->has_first ? &what->first : NULL, seconds);
        fflush(stream);
    }
}

static int add_rule(batch *b, const job *of, const kiln_bake_report *report, depfile *rule)
{
    if (!rules_to_standard_output(b) && depfile_is_side_file(b->run->depfile, of->input, report)) {
        b->depfile_refused = true;
        return report_error(EXIT_USAGE, b->run->depfile,
                            "is a file that '%s' refers to; no depfile was written; name another",
                            of->input);
    }
    return depfile_add(rule, of->output, of->input, report, of->settings.adb_weights);
}

/* What comes of an asset, while nobody else tells something. */
static void tell(batch *b, size_t index, const baked *what, double seconds)
{
    const kiln_bake_report *report = &what->report;
    const int status = what->status;
    const job *of = &b->of->jobs[index];
    result *r = &b->results[index];
    r->status = status;
    r->outcome = outcome_of(status, report);
    if (!b->run->quiet && r->outcome != LEFT) {
        bake_report_notes(of, report);
    }
    if (r->outcome == FAILED) {
        tell_failure(b, status, report);
        r->message = strdup(report->error);
    } else if (r->outcome != LEFT) {
        tell_success(b, of, r->outcome, what, seconds);
        if (b->run->depfile != NULL) {
            r->status = add_rule(b, of, report, &r->rule);
        }
    }
    if (report_is_json()) {
        r->object = bake_report_json(of, status, report, what->has_first ? &what->first : NULL);
        json_object_set_new(r->object, "outcome", json_cstring(outcome_names[r->outcome]));
    }
}

static void end_asset(batch *b, size_t index, const baked *what, double seconds)
{
    const job *of = &b->of->jobs[index];
    pthread_mutex_lock(&b->lock);
    batch_bar_hide(&b->bar);
    progress_end(&b->one);
    tell(b, index, what, seconds);
    if (b->of->count > 1) {
        batch_bar_end_asset(&b->bar, of->input, outcome_names[b->results[index].outcome],
                            what->status, of->size);
    }
    pthread_mutex_unlock(&b->lock);
    if (what->status != EXIT_DONE &&
        (b->run->fail_fast || (what->status == EXIT_USAGE && b->of->uniform))) {
        atomic_store(&b->stop, true);
    }
}

/* ------------------------------------------------------------------------------ one after another -- */

static thread_pool_state look_for_asset(void *user)
{
    batch *b = user;
    size_t line;
    if (is_stopped(b)) {
        return CREW_DONE;
    }
    return memory_budget_find(&b->memory, &line) ? CREW_READY
           : memory_budget_any_later(&b->memory) ? CREW_LATER
                                                 : CREW_DONE;
}

static size_t begin_asset(void *user)
{
    batch *b = user;
    size_t line = 0;
    if (memory_budget_find(&b->memory, &line)) {
        memory_budget_take(&b->memory, line);
    }
    return line;
}

/* More memory is no cure where it was time that ran out. */
static bool may_want_memory(const asset *a, const baked *what)
{
    const double most = a->of->settings.import_seconds;
    return what->status == EXIT_RUN && signals_noted() == 0 &&
           (most <= 0 || what->report.seconds_import < most);
}

static void run_asset(void *user, size_t line, const kiln_helpers *helpers)
{
    batch *b = user;
    const size_t index = b->order[line];
    progress_last told = {"", 0, 0};
    asset a = {b, &b->of->jobs[index], &told, b->memory.lines[line].share};
    baked what;
    memset(&what, 0, sizeof what);
    const baking_steps steps = {b->of->count > 1 ? step_of_many : step_of_one, &a};
    const double start = seconds_now();
    if (b->memory.limit != 0 && b->of->count > 1) {
        const worker_task task = {bake_asset, &a, a.of->input, steps, helpers};
        worker_run(&task, &what);
    } else {
        bake_asset(&a, &steps, &what);
    }
    b->results[index].again =
        !memory_budget_has_all(&b->memory, line) && may_want_memory(&a, &what);
    if (!b->results[index].again) {
        end_asset(b, index, &what, seconds_now() - start);
    }
    kiln_bake_report_free(&what.report);
}

static void leave_asset(void *user, size_t line)
{
    batch *b = user;
    memory_budget_give(&b->memory, line, !b->results[b->order[line]].again);
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
    return message == NULL || message[0] == '\0' ? "see above"
           : named                               ? message + length + 2
                                                 : message;
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

/* What an asset may well take of memory, by its source: too little means a second run, of which the first is
 * mostly stopped before it builds, too much that fewer run at once. Triangles take 19 to 50 bytes in a file and 110
 * while they are baked to one tree; what Assimp reads is less dense, or takes as much while it is read. Of standard
 * input all is to be had, since it can't be read again. */
static uint64_t guess_memory(const job *of)
{
    static const char *const own[] = {".obj", ".ply", ".stl", ".off"};
    const char *end = strrchr(of->input, '.');
    uint64_t times = 16;
    for (size_t i = 0; i < COUNT_OF(own) && end != NULL; i++) {
        times = strcasecmp(end, own[i]) == 0 ? 6 : times;
    }
    return strcmp(of->input, "-") == 0 ? UINT64_MAX : ((uint64_t)8 << 20) + times * of->size;
}

/* Shares of the limit, which is the same for all. */
static bool open_memory_budget(batch *b)
{
    kiln_bake_options options;
    uint64_t limit = 0;
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

static void run_assets(batch *b)
{
    const thread_pool_work work = {look_for_asset, begin_asset, run_asset, leave_asset, b};
    b->start = seconds_now();
    b->threads = thread_pool_size(b->run->threads);
    pthread_mutex_init(&b->lock, NULL);
    if (b->memory.limit != 0) {
        worker_prepare();
    }
    thread_pool_run_work(&work, b->run->threads, b->of->count);
    pthread_mutex_destroy(&b->lock);
    batch_bar_hide(&b->bar);
}

static int run_all(batch *b)
{
    const uint64_t size = put_in_order(b);
    const progress_mode mode = b->run->quiet ? PROGRESS_NONE : (progress_mode)b->run->progress;
    if (!open_memory_budget(b)) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    if (b->of->count > 1) {
        signals_note();
        batch_bar_begin(&b->bar, mode, b->of->count, size);
    } else {
        progress_begin(&b->one, mode, b->of->jobs[0].input);
    }
    run_assets(b);
    memory_budget_close(&b->memory);
    return finish(b);
}

int batch_run(const plan *of, const bake_settings *run)
{
    batch b = {.of = of, .run = run};
    int status = plan_check_options(of);
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
    b.written = output_registry_new(of);
    status = b.order != NULL && b.results != NULL && b.written != NULL
                 ? run_all(&b)
                 : report_error(EXIT_RUN, NULL, "out of memory");
    for (size_t i = 0; i < of->count && b.results != NULL; i++) {
        free(b.results[i].message);
        json_decref(b.results[i].object);
        depfile_free(&b.results[i].rule);
    }
    output_registry_free(b.written);
    free(b.order);
    free(b.results);
    return status;
}
