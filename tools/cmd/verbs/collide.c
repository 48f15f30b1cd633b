/* kiln collide: do two baked meshes meet, at each of many poses?
 *
 * The run opens both files, chooses a tree of each, and queries them once at every pose. A mode
 * selects the function of the library; all modes fill the same `answer`, which print_answer() and
 * answer_json() then write, so that a further mode is a branch in each of the three. Queries with
 * --mode adb are those of Klein and Zachmann ("ADB-Trees: Controlling the Error of Time-Critical
 * Collision Detection", VMV 2003). Buffers for pairs and contacts grow to the size that the library
 * reports and are kept from pose to pose, so that a time that is measured rarely includes an
 * allocation. */
#include "../kit/files.h"
#include "../kit/number_lines.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "collide_regions.h"
#include "verbs.h"

#include "../../common/clock.h"
#include "../../../formats/assert.h"
#include "../../../runtime/kiln_adb.h"
#include "../../../runtime/kiln_front.h"
#include "../../../runtime/kiln_spheres.h"
#include "../../../runtime/kiln_sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHT_ROWS_MAX = 64 }; /* rows of weights in a file */

/* In the order of the choices of --mode. */
typedef enum {
    MODE_HIT,
    MODE_PAIRS,
    MODE_CONTACTS,
    MODE_ADB,
    MODE_DISTANCE,
    MODE_WITHIN,
    MODE_GEOMETRY,
    MODE_LIKELY,
    MODE_SWEEP,
    MODE_COHERENT,
    MODE_REGIONS,
    MODE_NEAR
} collide_mode;

/* Options of --mode adb, and the budget of time of --mode likely. Those that were not given are
 * below 0. */
typedef struct {
    double p_min, epsilon, budget_us;
    int k_min, budget_pairs;
    bool hybrid;
    const char *weights; /* NULL: those of the trees */
} adb_settings;

typedef struct {
    const char *poses, *bv, *tree, *tree_b;
    /* The index of a choice, as options are parsed; run_collide makes it a collide_mode. */
    int mode;
    double distance;  /* below 0: not given */
    double threshold; /* below 0: not given */
    double tolerance; /* below 0: not given */
    int steps;        /* below 0: not given */
    int turns;
    adb_settings adb;
    bool witness, json;
} collide_settings;

#define FIELD(name) offsetof(collide_settings, name)

static const option collide_options[] = {
    {"poses", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(poses),
     "one pose on each line, '-' for standard input: 12 numbers, row-major 3 x 4, B in A's "
     "frame, or 24, the pose of A and then of B; 13 or 26 if each pose ends in a scale, by which "
     "the mesh is enlarged before it is rotated; '#' starts a comment (default: both unmoved); "
     "sweep "
     "takes two poses a line, both of B in A's frame, at the start and at the end of its way"},
    {"mode", 0, OPTION_CHOICE, NULL,
     "hit|pairs|contacts|adb|distance|within|geometry|likely|sweep|coherent|regions|near", 0, 0,
     FIELD(mode),
     "hit prints 1 or 0; pairs adds the number of pairs of triangles that meet; contacts adds "
     "the pairs, as A:B; adb prints 1, 0 or ?, the probability that the surfaces meet and the "
     "number of pairs of boxes that were opened, from files baked with --adb; distance prints 1 "
     "or 0 and the distance of the surfaces; within prints 1 if that is no more than --distance; "
     "geometry prints 1 or 0, the number of pairs and the greatest depth, and then a line for each "
     "pair, which two blanks begin: its triangles as A:B, the point where they meet, the normal "
     "from B to A and the depth, in few digits (--json has all of them); likely prints 1, 0 or ?, "
     "the probability that the surfaces meet and "
     "the number of steps, and may say 1 before that is proved; sweep prints the time of the first "
     "contact on the way from one pose to another, from 0 to 1, or - if there is none, which is "
     "proved, or ? and the time up to which there is none, if the steps did not suffice; coherent "
     "prints what hit prints, and remembers from each pose to the next what it found, which is "
     "faster along a path; with --json it says how far they may move before they can meet, and "
     "how the answers were found; regions prints 1 or 0, the number of contact regions and the "
     "greatest depth, and then a line for each region, the deepest first, which two blanks begin: "
     "its depth, the normal from B to A, the centroid, the area, the number of points, and the "
     "words touching and open where it is that, in few digits (--json has all of them, with the "
     "points and their triangles); near prints 1 or 0, the number of pairs of triangles that are "
     "no further apart than --distance, and the pairs, as A:B (default hit)"},
    {"distance", 0, OPTION_REAL, "D", NULL, 0, 1e300, FIELD(distance),
     "the distance of --mode within and near"},
    {"witness", 'w', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(witness),
     "name triangles by their faces in the source; hit and coherent add the two faces of one pair "
     "that meets, likely those of a pair that proves its answer, distance those of the nearest "
     "pair, sweep those of the pair that is nearest at the first contact, within those of one pair "
     "that "
     "is near enough, "
     "and adb those of a pair that meets if its answer has one (--hybrid)"},
    {"bv", 0, OPTION_TEXT, "A[,B]", NULL, 0, 0, FIELD(bv),
     "kind of tree to use, for both or for each (default: the first in the file)"},
    {"tree", 0, OPTION_TEXT, "NAME", NULL, 0, 0, FIELD(tree),
     "name of the tree to use, in both files"},
    {"tree-b", 0, OPTION_TEXT, "NAME", NULL, 0, 0, FIELD(tree_b),
     "name of the tree to use in B, if it differs"},
    {"threshold", 0, OPTION_REAL, "T", NULL, 0, 1e9, FIELD(threshold),
     "likely: the score from which it is said early that surfaces meet; 0.2 to 1.5 % of answers "
     "are wrong at 4 (default 4)"},
    {"steps", 0, OPTION_INTEGER, "N", NULL, 1, INT_MAX, FIELD(steps),
     "likely: open nodes and test leaves at most so many times at each pose; sweep: take at most "
     "so "
     "many steps, of about a microsecond each, for each line (default 1048576)"},
    {"tolerance", 0, OPTION_REAL, "D", NULL, 0, 1e300, FIELD(tolerance),
     "sweep: the distance at which surfaces count as touching (default: 2^-20 of the size of the "
     "smaller mesh)"},
    {"turns", 0, OPTION_INTEGER, "N", NULL, -10000, 10000, FIELD(turns),
     "sweep: full turns that B makes besides the least rotation between its poses, about the same "
     "axis; negative: the other way round, so that -1 makes 350 degrees of 10 (default 0)"},
    {"p-min", 0, OPTION_REAL, "P", NULL, 0, 1, FIELD(adb.p_min),
     "adb: a pair of boxes at least this probable counts as a collision (default 0.9)"},
    {"k-min", 0, OPTION_INTEGER, "N", NULL, 1, INT_MAX, FIELD(adb.k_min),
     "adb: number of pairs that make a collision (default 1)"},
    {"eps", 0, OPTION_REAL, "P", NULL, 0, 1, FIELD(adb.epsilon),
     "adb: pairs less probable are not opened (default 0.1)"},
    {"hybrid", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(adb.hybrid),
     "adb: test small parts exactly; with --eps 0 nothing is missed"},
    {"adb-weights", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(adb.weights),
     "adb: weights that kiln calibrate wrote (default: those of A and B, or the library's)"},
    {"budget-pairs", 0, OPTION_INTEGER, "N", NULL, 0, INT_MAX, FIELD(adb.budget_pairs),
     "adb: open at most this many pairs at each pose"},
    {"budget-us", 0, OPTION_REAL, "T", NULL, 0, 1e9, FIELD(adb.budget_us),
     "adb and likely: go on for at most this many microseconds at each pose"},
    OPTION_JSON(collide_settings),
};

/* The two files, their trees, and buffers that live as long as the run. */
typedef struct {
    const collide_settings *settings;
    collide_mode mode;
    const char *path_a, *path_b;
    kiln_file *file_a, *file_b;
    const kiln_tree *tree_a, *tree_b;
    kiln_adb_weights weights; /* those of --adb-weights for these two trees */
    kiln_contact *contacts;   /* MODE_GEOMETRY */
    size_t contact_capacity;
    kiln_pair *pairs; /* MODE_CONTACTS, MODE_NEAR */
    size_t pair_capacity;
    kiln_front *front; /* MODE_COHERENT */
    void *front_memory;
    region_lines regions; /* MODE_REGIONS */
    double *times;        /* microseconds, one for each pose */
    bool *answers;
} collide_run;

/* The answer at one pose; members that are not of the mode are 0. */
typedef struct {
    bool found, has_pair;
    double free_motion; /* MODE_COHERENT */
    kiln_pair pair; /* MODE_HIT, MODE_COHERENT, and MODE_ADB where triangles were found to meet */
    size_t count;   /* MODE_PAIRS, MODE_CONTACTS, MODE_GEOMETRY, MODE_REGIONS, MODE_NEAR */
    kiln_adb_answer adb;       /* MODE_ADB */
    kiln_likely_answer likely; /* MODE_LIKELY */
    kiln_nearest near;         /* MODE_DISTANCE */
    kiln_sweep_hit sweep;      /* MODE_SWEEP */
} answer;

/* ----------------------------------------------------------------------------------- opening -- */

/* Reports a tree that lacks what counted queries need: counts, and with --hybrid polygons. */
static int check_tree_counts(const char *path, const kiln_tree *tree, bool hybrid)
{
    const kiln_tree_info info = kiln_tree_get_info(tree);
    if (info.adb_grid == 0) {
        return report_error(
            EXIT_INVALID, path,
            "has no counts of possible collision cells; --mode adb needs them; bake it again with "
            "--adb");
    }
    if (hybrid && !info.polygons) {
        return report_error(EXIT_INVALID, path,
                            "has no polygons; --hybrid needs them; leave it out, or bake again "
                            "without --no-geometry");
    }
    return EXIT_DONE;
}

/* Opens both files and chooses their trees. What was opened is closed by the caller. */
static int open_both(collide_run *run)
{
    const collide_settings *settings = run->settings;
    const char *name_b = settings->tree_b != NULL ? settings->tree_b : settings->tree;
    const char *bv_a = NULL, *bv_b = NULL;
    char kinds[32]; /* a copy of "A[,B]", cut at its comma */
    if (settings->bv != NULL) {
        if (strlen(settings->bv) >= sizeof kinds) {
            return report_usage("--bv takes A or A,B, not '%s'", settings->bv);
        }
        strcpy(kinds, settings->bv);
        char *comma = strchr(kinds, ',');
        bv_a = kinds;
        bv_b = comma != NULL ? comma + 1 : kinds;
        if (comma != NULL) {
            *comma = '\0';
        }
    }
    /* Both files before any tree: a missing file is the likelier mistake. */
    int status = open_file(run->path_a, &run->file_a);
    if (status == EXIT_DONE) {
        status = open_file(run->path_b, &run->file_b);
    }
    if (status == EXIT_DONE) {
        status = choose_tree(run->path_a, run->file_a, settings->tree, bv_a, &run->tree_a);
    }
    if (status == EXIT_DONE) {
        status = choose_tree(run->path_b, run->file_b, name_b, bv_b, &run->tree_b);
    }
    /* The library would report the same at the first pose, but without the name of the file. */
    if (status == EXIT_DONE && run->mode == MODE_ADB) {
        status = check_tree_counts(run->path_a, run->tree_a, settings->adb.hybrid);
    }
    if (status == EXIT_DONE && run->mode == MODE_ADB) {
        status = check_tree_counts(run->path_b, run->tree_b, settings->adb.hybrid);
    }
    return status;
}

/* Reports what the library says of a query, at a pose that is named by its line; 0: no line. */
static int report_status(const collide_run *run, kiln_status status, unsigned long line)
{
    const int code = exit_status_of(status);
    if (status == KILN_ERROR_NOT_LOADED) {
        return report_error(code, NULL,
                            "a file was baked without polygons, which this query needs; bake it "
                            "again without --no-geometry");
    }
    if (status == KILN_ERROR_POSE && line != 0) {
        return report_error(code, run->settings->poses, "line %lu: %s; %s", line,
                            kiln_status_text(status),
                            run->mode == MODE_ADB
                                ? "the numbers are those of rotations; bake a mesh as large as it "
                                  "is to be with --scale, or ask another mode"
                            : run->mode == MODE_SWEEP
                                ? "one of its two poses is to be the other one turned and moved"
                                : POSE_CURE);
    }
    return line == 0 ? report_error(code, NULL, "%s", kiln_status_text(status))
                     : report_error(code, run->settings->poses, "line %lu: %s", line,
                                    kiln_status_text(status));
}

/* Makes the front of --mode coherent. */
static int start_front(collide_run *run)
{
    const size_t size = kiln_front_size(run->tree_a, run->tree_b, NULL);
    run->front_memory = malloc(size > 0 ? size : 1);
    if (run->front_memory == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    const kiln_status status =
        kiln_front_place(run->front_memory, size, run->tree_a, run->tree_b, NULL, &run->front);
    return status == KILN_OK ? EXIT_DONE : report_status(run, status, 0);
}

/* Makes the adjacencies of --mode regions. */
static int start_regions(collide_run *run)
{
    run->regions.tree_a = run->tree_a;
    run->regions.tree_b = run->tree_b;
    run->regions.witness = run->settings->witness;
    const kiln_status status = region_lines_start(&run->regions);
    return status == KILN_OK ? EXIT_DONE : report_status(run, status, 0);
}

/* Reads the weights of --adb-weights, if it was given, and picks those between the two trees. A
 * file must have a row for the kind of at least one of them: other weights would be a mistake in
 * the command. */
static int read_weights(collide_run *run)
{
    const char *path = run->settings->adb.weights;
    kiln_adb_fitted rows[WEIGHT_ROWS_MAX];
    kiln_error error = {0};
    kiln_open_options options = kiln_open_options_default();
    uint32_t count = 0;
    if (path == NULL) {
        return EXIT_DONE;
    }
    options.error = &error;
    const kiln_status status = kiln_adb_read_weights(path, &options, rows, WEIGHT_ROWS_MAX, &count);
    if (status != KILN_OK) {
        return report_format_error(path, (int)status, error.message);
    }
    const kiln_tree_info a = kiln_tree_get_info(run->tree_a), b = kiln_tree_get_info(run->tree_b);
    bool fits = false;
    for (uint32_t i = 0; i < count && !fits; i++) {
        fits = rows[i].bv == a.bv || rows[i].bv == b.bv;
    }
    if (!fits) {
        return report_error(EXIT_INVALID, path,
                            "has no weights for trees of %s; fit some (kiln calibrate)", a.bv_name);
    }
    run->weights = kiln_adb_pick_weights(rows, count, run->tree_a, run->tree_b);
    return EXIT_DONE;
}

/* ----------------------------------------------------------------------------------- queries -- */

/* A counted query: the library's defaults, but for what was given on the command line. */
static kiln_status query_adb(const collide_run *run, const kiln_pose_pair *pose, answer *out)
{
    const adb_settings *given = &run->settings->adb;
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    /* What was not given is below 0. A budget that was not given is as large as its type. */
    options.p_min = given->p_min >= 0 ? given->p_min : options.p_min;
    options.k_min = given->k_min >= 0 ? (uint32_t)given->k_min : options.k_min;
    options.epsilon = given->epsilon >= 0 ? given->epsilon : options.epsilon;
    options.hybrid = given->hybrid;
    options.weights = given->weights != NULL ? &run->weights : NULL;
    const uint64_t pairs = given->budget_pairs >= 0 ? (uint64_t)given->budget_pairs : UINT64_MAX;
    const uint64_t nanoseconds =
        given->budget_us >= 0 ? (uint64_t)(1e3 * given->budget_us) : UINT64_MAX;
    const kiln_status status = kiln_adb_collide(run->tree_a, &pose->a, run->tree_b, &pose->b,
                                                &options, pairs, nanoseconds, &out->adb);
    if (status == KILN_OK) {
        /* As a boolean: the verdict, or what is likelier while there is none. */
        out->found = out->adb.verdict == KILN_ADB_YES ||
                     (out->adb.verdict == KILN_ADB_UNDECIDED && out->adb.probability > 0.5);
        out->has_pair = out->adb.verdict == KILN_ADB_YES && (out->adb.flags & KILN_ADB_EXACT) != 0;
        out->pair = out->adb.pair;
    }
    return status;
}

static kiln_status query_likely(const collide_run *run, const kiln_pose_pair *pose, answer *out)
{
    const collide_settings *given = run->settings;
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    options.threshold = given->threshold >= 0 ? given->threshold : options.threshold;
    options.steps = given->steps >= 0 ? (uint64_t)given->steps : options.steps;
    options.nanoseconds =
        given->adb.budget_us >= 0 ? (uint64_t)(1e3 * given->adb.budget_us) : options.nanoseconds;
    const kiln_status status =
        kiln_collide_likely(run->tree_a, &pose->a, run->tree_b, &pose->b, &options, &out->likely);
    if (status == KILN_OK) {
        out->found = out->likely.probability > 0.5;
        out->has_pair = out->likely.verdict == KILN_LIKELY_YES && out->likely.proved;
        out->pair = out->likely.pair;
    }
    return status;
}

/* A is where it is; B goes from its first pose to its second about the origin of its frame. */
static kiln_status query_sweep(const collide_run *run, const kiln_pose_pair *pose, answer *out)
{
    const collide_settings *given = run->settings;
    kiln_sweep_options options = kiln_sweep_options_default();
    kiln_motion motion;
    options.tolerance = given->tolerance >= 0 ? given->tolerance : options.tolerance;
    options.steps = given->steps >= 0 ? (uint64_t)given->steps : options.steps;
    kiln_status status = kiln_motion_between(&pose->a, &pose->b, NULL, given->turns, &motion);
    if (status == KILN_OK) {
        status = kiln_sweep(run->tree_a, NULL, run->tree_b, &motion, &options, &out->sweep);
    }
    if (status == KILN_OK) {
        out->found = out->sweep.found && out->sweep.complete;
        out->has_pair = out->found;
        out->pair = out->sweep.pair;
    }
    return status;
}

/* The pairs that meet, or are near, as far as there is room for them. */
static kiln_status list_pairs(collide_run *run, const kiln_pose_pair *pose, size_t *count)
{
    return run->mode == MODE_NEAR ? kiln_near_pairs(run->tree_a, &pose->a, run->tree_b, &pose->b,
                                                    run->settings->distance, NULL, run->pairs,
                                                    run->pair_capacity, count)
                                  : kiln_contacts(run->tree_a, &pose->a, run->tree_b, &pose->b,
                                                  NULL, run->pairs, run->pair_capacity, count);
}

static bool lists_pairs(const collide_run *run)
{
    return run->mode == MODE_CONTACTS || run->mode == MODE_NEAR;
}

/* Queries the trees at one pose. Where the status is not KILN_OK, the answer means nothing. */
static kiln_status query(collide_run *run, const kiln_pose_pair *pose, answer *out)
{
    kiln_hit hit = {.found = false};
    kiln_nearest near = {.found = false};
    kiln_status status = KILN_OK;
    size_t count = 0;
    KILN_ASSERT(run->tree_a != NULL);
    KILN_ASSERT(run->tree_b != NULL);
    switch (run->mode) {
    case MODE_HIT:
        status = kiln_collide(run->tree_a, &pose->a, run->tree_b, &pose->b, NULL, &hit);
        *out = (answer){.found = hit.found, .has_pair = hit.found, .pair = hit.pair};
        break;
    case MODE_COHERENT: {
        double free_motion = 0;
        status = kiln_front_collide(run->front, &pose->a, &pose->b, NULL, &hit, &free_motion);
        *out = (answer){.found = hit.found,
                        .has_pair = hit.found,
                        .pair = hit.pair,
                        .free_motion = free_motion};
        break;
    }
    case MODE_ADB:
        return query_adb(run, pose, out);
    case MODE_SWEEP:
        return query_sweep(run, pose, out);
    case MODE_LIKELY:
        return query_likely(run, pose, out);
    case MODE_PAIRS: /* a count needs no buffer */
        status = kiln_contacts(run->tree_a, &pose->a, run->tree_b, &pose->b, NULL, NULL, 0, &count);
        *out = (answer){.found = count > 0, .count = count};
        break;
    case MODE_CONTACTS:
    case MODE_NEAR:
        status = list_pairs(run, pose, &count);
        if (status == KILN_OK && count > run->pair_capacity) {
            /* The first call found the buffer too small: once more, with as much room as it said
             * is needed. */
            kiln_pair *more = realloc(run->pairs, count * sizeof *more);
            if (more == NULL) {
                return KILN_ERROR_MEMORY;
            }
            run->pairs = more;
            run->pair_capacity = count;
            status = list_pairs(run, pose, &count);
            KILN_ASSERT(status != KILN_OK || count == run->pair_capacity);
        }
        *out = (answer){.found = count > 0, .count = count};
        break;
    /* As for MODE_CONTACTS the query is repeated where the buffer was too small. The repetition is
     * part of the time that is measured, but rare, since the buffer stays for later poses. */
    case MODE_GEOMETRY:
        status = kiln_contacts_geometry(run->tree_a, &pose->a, run->tree_b, &pose->b, NULL,
                                        run->contacts, run->contact_capacity, &count);
        if (status == KILN_OK && count > run->contact_capacity) {
            kiln_contact *more = realloc(run->contacts, count * sizeof *more);
            if (more == NULL) {
                return KILN_ERROR_MEMORY;
            }
            run->contacts = more;
            run->contact_capacity = count;
            status = kiln_contacts_geometry(run->tree_a, &pose->a, run->tree_b, &pose->b, NULL,
                                            run->contacts, run->contact_capacity, &count);
            KILN_ASSERT(status != KILN_OK || count == run->contact_capacity);
        }
        *out = (answer){.found = count > 0, .count = count};
        break;
    case MODE_REGIONS:
        status = region_lines_ask(&run->regions, &pose->a, &pose->b);
        *out = (answer){.found = run->regions.count > 0, .count = run->regions.count};
        break;
    case MODE_WITHIN: /* ends at the first pair that is near enough */
        status = kiln_within(run->tree_a, &pose->a, run->tree_b, &pose->b, run->settings->distance,
                             NULL, &hit);
        *out = (answer){.found = hit.found, .has_pair = hit.found, .pair = hit.pair};
        break;
    case MODE_DISTANCE:
        status = kiln_distance(run->tree_a, &pose->a, run->tree_b, &pose->b, NULL, &near);
        /* The distance is 0 exactly where the surfaces meet, so that no tolerance is needed. */
        *out = (answer){.found = near.found && near.distance == 0,
                        .has_pair = near.found,
                        .pair = near.pair,
                        .near = near};
        break;
    }
    return status;
}

/* ----------------------------------------------------------------------------------- answers -- */

/* 0 where there is no contact. */
static double greatest_depth(const collide_run *run, size_t count)
{
    double depth = 0;
    KILN_ASSERT(count <= run->contact_capacity);
    for (size_t i = 0; i < count; i++) {
        depth = run->contacts[i].depth > depth ? run->contacts[i].depth : depth;
    }
    return depth;
}

/* "  3:17  0.5 0.25 1  0.0000 0.0000 1.0000  0.0625": the two triangles, the middle of the segment
 * in which they meet, the normal and the depth. The blanks at its start tell it from a line of a
 * pose. */
static void print_contact(const collide_run *run, const kiln_contact *contact)
{
    const bool witness = run->settings->witness;
    double at[3], normal[3];
    for (int k = 0; k < 3; k++) {
        /* 0 of either sign is printed as 0. */
        at[k] = contact->from[k] + (contact->to[k] - contact->from[k]) / 2 + 0.0;
        normal[k] = fabs(contact->normal[k]) < 0.00005 ? 0 : contact->normal[k];
    }
    printf("  %u:%u  %.6g %.6g %.6g  %.4f %.4f %.4f  %.6g\n",
           triangle_number(run->tree_a, contact->pair.a, witness),
           triangle_number(run->tree_b, contact->pair.b, witness), at[0], at[1], at[2], normal[0],
           normal[1], normal[2], contact->depth);
}

/* One line a pose, so that a program can pair lines of poses with lines of answers. */
static void print_answer(const collide_run *run, const answer *of)
{
    const bool witness = run->settings->witness;
    KILN_ASSERT(!lists_pairs(run) || of->count <= run->pair_capacity);
    if (run->mode == MODE_ADB) { /* "1 0.9312 5": verdict, probability, pairs opened */
        printf("%c %.4f %llu", "01?"[of->adb.verdict], of -> adb.probability,
               (unsigned long long)of->adb.pairs);
    } else if (run->mode == MODE_LIKELY) { /* "1 0.9912 2": with steps */
        printf("%c %.4f %llu", "01?"[of->likely.verdict], of -> likely.probability,
               (unsigned long long)of->likely.steps);
    } else if (run->mode == MODE_SWEEP) { /* "0.5", "-", or "? 0.25" */
        if (!of->sweep.complete) {
            printf("? %.17g", of->sweep.clear);
        } else if (of->found) {
            printf("%.17g", of->sweep.time);
        } else {
            putchar('-');
        }
    } else {
        putchar(of->found ? '1' : '0');
    }
    if (run->mode == MODE_DISTANCE) {
        printf(" %.17g", of->near.distance);
    }
    if (run->mode == MODE_PAIRS || lists_pairs(run)) {
        printf(" %zu", of->count);
    } else if (run->mode == MODE_GEOMETRY) {
        printf(" %zu %.17g", of->count, greatest_depth(run, of->count));
    } else if (run->mode == MODE_REGIONS) {
        printf(" %zu %.17g", of->count, region_lines_depth(&run->regions));
    } else if (witness && of->has_pair) {
        printf(" %u %u", triangle_number(run->tree_a, of->pair.a, witness),
               triangle_number(run->tree_b, of->pair.b, witness));
    }
    for (size_t i = 0; lists_pairs(run) && i < of->count; i++) {
        printf(" %u:%u", triangle_number(run->tree_a, run->pairs[i].a, witness),
               triangle_number(run->tree_b, run->pairs[i].b, witness));
    }
    putchar('\n');
    for (size_t i = 0; run->mode == MODE_GEOMETRY && i < of->count; i++) {
        print_contact(run, &run->contacts[i]);
    }
    if (run->mode == MODE_REGIONS) {
        region_lines_print(&run->regions);
    }
}

static json_t *pair_of(const collide_run *run, kiln_pair pair)
{
    return pair_json(run->tree_a, run->tree_b, pair, run->settings->witness);
}

/* Members that a mode has not are left out, rather than null. */
static json_t *answer_json(const collide_run *run, const answer *of)
{
    static const char *const verdicts[] = {"no", "yes", "undecided"};
    json_t *object = json_object();
    if (run->mode == MODE_ADB) {
        const kiln_adb_answer *adb = &of->adb;
        KILN_ASSERT((size_t)adb->verdict < COUNT_OF(verdicts));
        json_object_set_new(object, "verdict", json_cstring(verdicts[adb->verdict]));
        json_object_set_new(object, "probability", json_number(adb->probability));
        json_object_set_new(object, "visited", json_count(adb->pairs));
        json_object_set_new(object, "full", json_boolean((adb->flags & KILN_ADB_FULL) != 0));
        json_object_set_new(object, "exact", json_boolean((adb->flags & KILN_ADB_EXACT) != 0));
    }
    if (run->mode == MODE_LIKELY) {
        const kiln_likely_answer *likely = &of->likely;
        KILN_ASSERT((size_t)likely->verdict < COUNT_OF(verdicts));
        json_object_set_new(object, "verdict", json_cstring(verdicts[likely->verdict]));
        json_object_set_new(object, "probability", json_number(likely->probability));
        json_object_set_new(object, "steps", json_count(likely->steps));
        json_object_set_new(object, "proved", json_boolean(likely->proved));
    }
    json_object_set_new(object, "hit", json_boolean(of->found));
    if (of->has_pair) {
        json_object_set_new(object, "pair", pair_of(run, of->pair));
    }
    if (run->mode == MODE_COHERENT) {
        json_object_set_new(object, "free_motion", json_number(of->free_motion));
    }
    if (run->mode == MODE_DISTANCE) {
        json_object_set_new(object, "distance", json_number(of->near.distance));
        json_object_set_new(object, "point_a", json_numbers(of->near.point_a, 3));
        json_object_set_new(object, "point_b", json_numbers(of->near.point_b, 3));
        json_object_set_new(object, "normal", json_numbers(of->near.normal, 3));
    }
    if (run->mode == MODE_SWEEP) {
        const kiln_sweep_hit *sweep = &of->sweep;
        json_object_set_new(object, "time", of->found ? json_number(sweep->time) : json_null());
        json_object_set_new(object, "clear", json_number(sweep->clear));
        json_object_set_new(object, "complete", json_boolean(sweep->complete));
        json_object_set_new(object, "touching", json_boolean(sweep->touching));
        json_object_set_new(object, "tolerance", json_number(sweep->tolerance));
        json_object_set_new(object, "steps", json_count(sweep->steps));
    }
    if (run->mode == MODE_SWEEP && of->found) {
        json_object_set_new(object, "distance", json_number(of->sweep.distance));
        json_object_set_new(object, "point_a", json_numbers(of->sweep.point_a, 3));
        json_object_set_new(object, "point_b", json_numbers(of->sweep.point_b, 3));
        json_object_set_new(object, "normal", json_numbers(of->sweep.normal, 3));
    }
    if (run->mode == MODE_PAIRS || lists_pairs(run) || run->mode == MODE_GEOMETRY) {
        json_object_set_new(object, "pairs", json_count(of->count));
    }
    if (lists_pairs(run)) {
        json_t *contacts = json_array();
        for (size_t i = 0; i < of->count; i++) {
            json_array_append_new(contacts, pair_of(run, run->pairs[i]));
        }
        json_object_set_new(object, run->mode == MODE_NEAR ? "near" : "contacts", contacts);
    }
    if (run->mode == MODE_GEOMETRY) {
        json_t *geometry = json_array();
        for (size_t i = 0; i < of->count; i++) {
            const kiln_contact *contact = &run->contacts[i];
            json_t *one = json_object();
            json_object_set_new(one, "pair", pair_of(run, contact->pair));
            json_object_set_new(one, "from", json_numbers(contact->from, 3));
            json_object_set_new(one, "to", json_numbers(contact->to, 3));
            json_object_set_new(one, "normal", json_numbers(contact->normal, 3));
            json_object_set_new(one, "depth", json_number(contact->depth));
            json_array_append_new(geometry, one);
        }
        json_object_set_new(object, "geometry", geometry);
        json_object_set_new(object, "depth", json_number(greatest_depth(run, of->count)));
    }
    if (run->mode == MODE_REGIONS) {
        json_object_set_new(object, "regions", region_lines_json(&run->regions));
        json_object_set_new(object, "depth", json_number(region_lines_depth(&run->regions)));
    }
    return object;
}

/* --------------------------------------------------------------------------------------- run -- */

/* Queries every pose and prints its answer, or adds it to the document, which keeps none of them
 * where a pose fails. */
static int run_poses(collide_run *run, const pose_list *poses)
{
    KILN_ASSERT(run->times != NULL && run->answers != NULL);
    json_t *answers = report_is_json() ? json_array() : NULL;
    int status = EXIT_DONE;
    for (size_t i = 0; i < poses->count && status == EXIT_DONE; i++) {
        answer found = {.found = false};
        /* The clock runs around the call alone: printing is not part of a query. */
        const double start = kiln_seconds();
        const kiln_status result = query(run, &poses->pairs[i], &found);
        run->times[i] = 1e6 * (kiln_seconds() - start);
        run->answers[i] = found.found;
        if (result != KILN_OK) {
            status = report_status(run, result, poses->pairs[i].line);
        } else if (answers != NULL) {
            json_array_append_new(answers, answer_json(run, &found));
        } else {
            print_answer(run, &found);
        }
    }
    /* A document with the answers to some of the poses would look like that of a shorter list. */
    if (answers != NULL && status == EXIT_DONE) {
        json_object_set_new(report_root(), "answers", answers);
    } else {
        json_decref(answers);
    }
    return status;
}

/* Adds the members poses, hits, us_..., and the same of hits and of misses apart: a hit ends a
 * query early, so that the two differ by a large factor. */
static void report_times(collide_run *run, size_t count)
{
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) { /* times of hits to the front */
        if (run->answers[i]) {
            const double time = run->times[i];
            run->times[i] = run->times[hits];
            run->times[hits++] = time;
        }
    }
    KILN_ASSERT(hits <= count);
    json_t *of_hits = json_object(), *of_misses = json_object(), *root = report_root();
    json_object_set_new(of_hits, "poses", json_count(hits));
    json_add_times(of_hits, run->times, hits);
    json_object_set_new(of_misses, "poses", json_count(count - hits));
    json_add_times(of_misses, run->times + hits, count - hits);
    json_object_set_new(root, "poses", json_count(count));
    json_object_set_new(root, "hits", json_count(hits));
    json_add_times(root, run->times, count); /* last, because it sorts hits among misses */
    json_object_set_new(root, "time_of_hits", of_hits);
    json_object_set_new(root, "time_of_misses", of_misses);
}

/* Adds the member front: how the answers were found. */
static void report_front(const collide_run *run)
{
    const kiln_front_info info = kiln_front_get_info(run->front);
    json_t *front = json_object();
    json_object_set_new(front, "skipped", json_count(info.skipped));
    json_object_set_new(front, "last_pair", json_count(info.last_pair));
    json_object_set_new(front, "coherent", json_count(info.coherent));
    json_object_set_new(front, "fresh", json_count(info.fresh));
    json_object_set_new(front, "entries", json_count(info.entries));
    json_object_set_new(report_root(), "front", front);
}

/* Buffers are freed in one place: all of them are NULL until they are needed. */
static int run_collide(int argc, char **argv)
{
    collide_settings settings = {
        .mode = MODE_HIT,
        .distance = -1,
        .threshold = -1,
        .tolerance = -1,
        .steps = -1,
        .adb = {.p_min = -1, .epsilon = -1, .budget_us = -1, .k_min = -1, .budget_pairs = -1}};
    const adb_settings *adb = &settings.adb;
    int count;
    int status = options_parse(&verb_collide, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    /* An option that the mode does not use is a mistake in the command; it is not ignored. */
    if (settings.mode != MODE_ADB &&
        (adb->p_min >= 0 || adb->epsilon >= 0 || adb->k_min >= 0 || adb->budget_pairs >= 0 ||
         adb->hybrid || adb->weights != NULL)) {
        return report_usage("--p-min, --k-min, --eps, --hybrid, --adb-weights and --budget-pairs "
                            "need --mode adb");
    }
    if (settings.mode != MODE_LIKELY && settings.threshold >= 0) {
        return report_usage("--threshold needs --mode likely");
    }
    if (settings.mode != MODE_LIKELY && settings.mode != MODE_SWEEP && settings.steps >= 0) {
        return report_usage("--steps needs --mode likely or sweep");
    }
    if (settings.mode != MODE_SWEEP && (settings.tolerance >= 0 || settings.turns != 0)) {
        return report_usage("--tolerance and --turns need --mode sweep");
    }
    if (settings.mode == MODE_SWEEP && settings.poses == NULL) {
        return report_usage("--mode sweep needs --poses FILE");
    }
    if (settings.mode != MODE_LIKELY && settings.mode != MODE_ADB && adb->budget_us >= 0) {
        return report_usage("--budget-us needs --mode adb or likely");
    }
    if (settings.threshold == 0) {
        return report_usage("--threshold must be above 0");
    }
    if ((settings.mode == MODE_WITHIN || settings.mode == MODE_NEAR) != (settings.distance >= 0)) {
        return settings.distance >= 0
                   ? report_usage("--distance needs --mode within or near")
                   : report_usage("--mode %s needs --distance D",
                                  settings.mode == MODE_NEAR ? "near" : "within");
    }
    KILN_ASSERT(count == 2);
    collide_run run = {.settings = &settings,
                       .mode = (collide_mode)settings.mode,
                       .path_a = argv[0],
                       .path_b = argv[1]};
    pose_list poses = {.count = 0};
    /* All that the command line can be wrong about is found before the first pose is read. */
    status = open_both(&run);
    if (status == EXIT_DONE) {
        status = read_weights(&run);
    }
    if (status == EXIT_DONE && run.mode == MODE_COHERENT) {
        status = start_front(&run);
    }
    if (status == EXIT_DONE && run.mode == MODE_REGIONS) {
        status = start_regions(&run);
    }
    if (status == EXIT_DONE) {
        status = settings.poses == NULL ? pose_list_identity(&poses)
                                        : pose_list_read(&poses, settings.poses);
    }
    for (size_t i = 0; i < poses.count && run.mode == MODE_SWEEP && status == EXIT_DONE; i++) {
        if (!poses.pairs[i].both) {
            status = report_error(EXIT_INVALID, settings.poses,
                                  "line %lu: --mode sweep takes two poses a line, 24 numbers or 26",
                                  poses.pairs[i].line);
        }
    }
    if (status == EXIT_DONE) {
        run.times = calloc(poses.count + 1, sizeof *run.times);
        run.answers = calloc(poses.count + 1, sizeof *run.answers);
        status = run.times != NULL && run.answers != NULL
                     ? run_poses(&run, &poses)
                     : report_error(EXIT_RUN, NULL, "out of memory; too many poses");
    }
    if (status == EXIT_DONE && report_is_json()) {
        report_times(&run, poses.count);
        if (run.mode == MODE_COHERENT) {
            report_front(&run);
        }
    }
    pose_list_free(&poses);
    region_lines_free(&run.regions);
    free(run.front_memory);
    free(run.contacts);
    free(run.pairs);
    free(run.answers);
    free(run.times);
    kiln_close(run.file_b);
    kiln_close(run.file_a);
    return status;
}

const verb verb_collide = {
    "collide",
    "A.kiln B.kiln",
    "test whether two meshes meet, at many poses",
    "Prints one line for each pose: 1 if the surfaces meet, touching included, else 0. A mesh "
    "wholly inside another that it touches nowhere is not a hit. Answers are exact, except those "
    "of --mode adb and likely, which print the probability of a hit, and except distances, depths "
    "and "
    "points, which have the precision of doubles and are given in the frame of the poses; a "
    "distance is 0 exactly where surfaces meet. A time of first contact is never late; at it the "
    "surfaces "
    "are no further apart than the tolerance, and before it they are proved apart.\n\nTriangles "
    "are named by "
    "their position in the "
    "import, counted from 0; with --witness by the face in the source file. With --json the "
    "times of the queries are printed, in microseconds, for hits and misses separately as well. "
    "The matrix of a pose may be any that has an inverse: other scales along other axes, mirrors "
    "and shears, too; but mode adb takes rotations only, and mode sweep two poses of which one is "
    "the other one turned and moved. Other poses end the run with exit status 3.",
    collide_options,
    COUNT_OF(collide_options),
    2,
    2,
    run_collide,
};
