/* Runs of several methods on one path. Methods alternate, each over the whole path, from a front
 * that remembers nothing; before each turn some queries are made that are not measured, since the
 * first ones after another method's pay for its use of the caches. A path is cut into short pieces,
 * and of each the least time of all rounds counts, so that what else the machine does between two
 * readings of the clock is left out. */
#include "coherence.h"

#include "../../../formats/os.h"
#include "../../../tools/common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 8, UNMEASURED = 40 };

void coherence_keep(coherence_rows *rows, const coherence_row *row)
{
    if (!kiln_grow((void **)&rows->list, &rows->capacity, rows->count + 1, sizeof *rows->list)) {
        rows->failed = true;
        return;
    }
    rows->list[rows->count++] = *row;
}

/* ------------------------------------------------------------------------------- scenarios - */

void coherence_make(coherence_bench *bench, unsigned scenario)
{
    const coherence_scenario *from = &coherence_scenarios[scenario];
    if (bench->made[scenario].is_made) {
        return;
    }
    coherence_model still = coherence_model_of(coherence_body_mesh(from->still, bench->less));
    coherence_model moving = coherence_model_of(coherence_body_mesh(from->moving, bench->less));
    bench->made[scenario].still = still;
    bench->made[scenario].moving = moving;
    for (int is_free = 0; is_free < 2; is_free++) {
        bench->made[scenario].tracks[is_free] =
            coherence_track_make(from, still.obb, moving.obb, is_free, bench->steps);
    }
    bench->made[scenario].is_made = true;
}

void coherence_bench_free(coherence_bench *bench)
{
    for (unsigned i = 0; i < COHERENCE_SCENARIOS; i++) {
        if (bench->made[i].is_made) {
            coherence_model_free(&bench->made[i].still);
            coherence_model_free(&bench->made[i].moving);
            free(bench->made[i].tracks[0].poses);
            free(bench->made[i].tracks[1].poses);
        }
    }
    free(bench->rows.list);
}

/* --------------------------------------------------------------------------------- methods - */

static coherence_method method_of(const char *name, const char *bv, kiln_bv kind)
{
    return (coherence_method){
        .name = name, .bv = bv, .kind = kind, .options = kiln_front_options_default()};
}

static const char *name_of_kind(kiln_bv kind)
{
    return kind == KILN_BV_OBB ? "obb" : kind == KILN_BV_OBB2 ? "obb2" : "aabb2";
}

coherence_method coherence_plain(kiln_bv kind)
{
    return method_of("plain", name_of_kind(kind), kind);
}

coherence_method coherence_auto(void)
{
    coherence_method method = method_of("auto", "obb", KILN_BV_OBB);
    method.has_front = true;
    return method;
}

coherence_method coherence_published(kiln_bv kind)
{
    coherence_method method = method_of("published", name_of_kind(kind), kind);
    method.has_front = true;
    method.options.method = KILN_FRONT_PUBLISHED;
    return method;
}

coherence_method coherence_recursive(kiln_bv kind)
{
    coherence_method method = method_of("recursive", name_of_kind(kind), kind);
    method.has_front = true;
    method.options.method = KILN_FRONT_RECURSIVE;
    return method;
}

/* ------------------------------------------------------------------------------------ runs - */

/* A method that is ready to be asked. */
typedef struct {
    const kiln_tree *still, *moving;
    kiln_front *front; /* NULL: none */
    void *memory;
    coherence_query query;
    uint64_t digest; /* of the pairs of the query in hand */
} asked;

static const kiln_tree *tree_of(const coherence_model *model, kiln_bv kind)
{
    return kind == KILN_BV_OBB ? model->obb : kind == KILN_BV_OBB2 ? model->obb2 : model->aabb2;
}

static asked prepare(const coherence_bench *bench, unsigned scenario, coherence_query query,
                     const coherence_method *method)
{
    asked of = {tree_of(&bench->made[scenario].still, method->kind),
                tree_of(&bench->made[scenario].moving, method->kind),
                NULL,
                NULL,
                query,
                0};
    if (method->has_front) {
        const size_t size = kiln_front_size(of.still, of.moving, &method->options);
        of.memory = malloc(size);
        if (of.memory == NULL || kiln_front_place(of.memory, size, of.still, of.moving,
                                                  &method->options, &of.front) != KILN_OK) {
            abort();
        }
    }
    return of;
}

/* Pairs come in any order. */
static bool add_pair(void *user, kiln_pair pair)
{
    uint64_t state = (uint64_t)pair.a << 32 | pair.b;
    *(uint64_t *)user += random_next(&state);
    return true;
}

/* The answer: whether there is a hit, or a number that no two sets of pairs are likely to share, 0
 * of none. */
static uint64_t ask(asked *of, const kiln_pose *pose)
{
    kiln_hit hit;
    kiln_status status;
    of->digest = 0;
    if (of->query == COHERENCE_ALL_PAIRS) {
        status = of->front != NULL ? kiln_front_contacts_each(of->front, NULL, pose, NULL, add_pair,
                                                              &of->digest, NULL, NULL)
                                   : kiln_contacts_each(of->still, NULL, of->moving, pose, NULL,
                                                        add_pair, &of->digest, NULL);
    } else {
        status = of->front != NULL ? kiln_front_collide(of->front, NULL, pose, NULL, &hit, NULL)
                                   : kiln_collide(of->still, NULL, of->moving, pose, NULL, &hit);
        of->digest = status == KILN_OK && hit.found;
    }
    if (status != KILN_OK) {
        abort();
    }
    return of->digest;
}

/* One turn of a method, which takes *all nanoseconds. The first turn of all writes the answers.
 * False: one differs. */
static bool take_turn(asked *of, const coherence_path *path, bool writes, uint64_t answers[],
                      double least[], double *all)
{
    bool same = true;
    for (uint32_t i = 0; i < UNMEASURED && i < path->count / 4; i++) {
        (void)ask(of, &path->poses[i]);
    }
    kiln_front_reset(of->front);
    *all = 0;
    for (uint32_t first = 0, piece = 0; first < path->count; first += PIECE, piece++) {
        const uint32_t end = first + PIECE < path->count ? first + PIECE : path->count;
        const uint64_t from = kiln_os_nanoseconds();
        for (uint32_t i = first; i < end; i++) {
            const uint64_t answer = ask(of, &path->poses[i]);
            same = same && (writes || answer == answers[i]);
            answers[i] = answer;
        }
        const double taken = (double)(kiln_os_nanoseconds() - from);
        least[piece] = fmin(least[piece], taken);
        *all += taken;
    }
    return same;
}

static int order_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first method up to methods[m] on the same kind of tree that has no front. */
static unsigned base_of(const coherence_method methods[], unsigned m)
{
    unsigned base = 0;
    while (base < m && (methods[base].has_front || methods[base].kind != methods[m].kind)) {
        base++;
    }
    return base;
}

/* `times` has a row of rounds for each method; `ratios` room for one. */
static void find_quartiles(coherence_method methods[], unsigned count, const double times[],
                           uint32_t rounds, double ratios[])
{
    for (unsigned m = 0; m < count; m++) {
        const double *own = times + (size_t)m * rounds;
        const double *plain = times + (size_t)base_of(methods, m) * rounds;
        for (uint32_t r = 0; r < rounds; r++) {
            ratios[r] = own[r] / plain[r];
        }
        qsort(ratios, rounds, sizeof *ratios, order_times);
        methods[m].time_low = ratios[rounds / 4];
        methods[m].time_high = ratios[rounds - 1 - rounds / 4];
    }
}

uint32_t coherence_run(coherence_bench *bench, unsigned scenario, const coherence_path *path,
                       coherence_query query, coherence_method methods[], unsigned count)
{
    const uint32_t pieces = (path->count + PIECE - 1) / PIECE;
    uint64_t *answers = calloc(path->count, sizeof *answers);
    double *least = malloc((size_t)count * pieces * sizeof *least);
    double *times = malloc((size_t)(count + 1) * bench->rounds * sizeof *times);
    asked *all = malloc(count * sizeof *all);
    uint32_t hits = 0;
    if (answers == NULL || least == NULL || times == NULL || all == NULL) {
        abort();
    }
    for (size_t i = 0; i < (size_t)count * pieces; i++) {
        least[i] = HUGE_VAL;
    }
    for (unsigned m = 0; m < count; m++) {
        all[m] = prepare(bench, scenario, query, &methods[m]);
    }
    for (uint32_t round = 0; round < bench->rounds; round++) {
        for (unsigned m = 0; m < count; m++) {
            if (!take_turn(&all[m], path, round + m == 0, answers, least + (size_t)m * pieces,
                           &times[(size_t)m * bench->rounds + round])) {
                bench->rows.differed = coherence_scenarios[scenario].name;
            }
        }
    }
    find_quartiles(methods, count, times, bench->rounds, times + (size_t)count * bench->rounds);
    for (unsigned m = 0; m < count; m++) {
        methods[m].ns = 0;
        for (uint32_t i = 0; i < pieces; i++) {
            methods[m].ns += least[(size_t)m * pieces + i] / path->count;
        }
        methods[m].info = kiln_front_get_info(all[m].front);
        free(all[m].memory);
    }
    for (uint32_t i = 0; i < path->count; i++) {
        hits += answers[i] != 0;
    }
    free(all);
    free(least);
    free(times);
    free(answers);
    return hits;
}

void coherence_keep_run(coherence_bench *bench, coherence_row row, const coherence_method methods[],
                        unsigned m)
{
    const coherence_method *method = &methods[m];
    const kiln_front_info *info = &method->info;
    const double queries = info->queries > 0 ? (double)info->queries : 1;
    row.bv = method->bv;
    row.method = method->name;
    row.ns = method->ns;
    row.speed = methods[base_of(methods, m)].ns / method->ns;
    row.time_low = method->time_low;
    row.time_high = method->time_high;
    row.skipped = (double)info->skipped / queries;
    row.last_pair = (double)info->last_pair / queries;
    row.coherent = (double)info->coherent / queries;
    row.fresh = (double)info->fresh / queries;
    row.entries = info->entries;
    row.volume_tests = (double)info->volume_tests / queries;
    row.margin_tests = (double)info->margin_tests / queries;
    row.axis_tests = (double)info->axis_tests / queries;
    row.leaf_tests = (double)info->leaf_tests / queries;
    coherence_keep(&bench->rows, &row);
}
