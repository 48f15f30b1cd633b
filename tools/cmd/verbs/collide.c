/* kiln collide: do two baked meshes meet, at each of many poses? */
#include "collide_adb.h"
#include "collide_near.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/number_lines.h"
#include "../kit/report.h"
#include "../kit/seconds.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

typedef enum {
    MODE_HIT,
    MODE_PAIRS,
    MODE_CONTACTS,
    MODE_ADB,
    MODE_DISTANCE,
    MODE_WITHIN,
    MODE_GEOMETRY
} collide_mode;

typedef struct {
    const char *poses, *bv, *tree, *tree_b;
    int mode;
    double distance; /* below 0: not given */
    adb_settings adb;
    bool witness, json;
} collide_settings;

#define FIELD(name) offsetof(collide_settings, name)

static const option collide_options[] = {
    {"poses", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(poses),
     "a line a pose, '-' for standard input: 12 numbers, row-major 3 x 4, B in A's frame, or 24, "
     "the "
     "pose of A and then of B; 13 or 26 where each pose ends in a scale, by which the mesh is "
     "enlarged "
     "before it is turned; '#' starts a comment (default: both as they are)"},
    {"mode", 0, OPTION_CHOICE, NULL, "hit|pairs|contacts|adb|distance|within|geometry", 0, 0,
     FIELD(mode),
     "hit prints 1 or 0; pairs adds the number of pairs of triangles that meet; contacts adds the "
     "pairs, as A:B; adb prints 1, 0 or ?, the probability that the surfaces meet and the number "
     "of "
     "pairs of boxes that were opened, from files baked with --adb; distance prints 1 or 0 and how "
     "far "
     "apart the surfaces are; within prints 1 where that is no more than --distance; geometry "
     "prints "
     "1 or 0, the number of pairs and the greatest depth of one, and with --json where and how "
     "each "
     "pair meets (default hit)"},
    {"distance", 0, OPTION_REAL, "D", NULL, 0, 1e300, FIELD(distance), "of --mode within"},
    {"witness", 'w', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(witness),
     "name triangles by their faces in the source; hit adds the two faces of one pair that meets, "
     "distance those that are nearest, within those of one pair that is near enough, "
     "and so does adb where its answer is one (--hybrid)"},
    {"bv", 0, OPTION_TEXT, "A[,B]", NULL, 0, 0, FIELD(bv),
     "kind of tree to use, of both or of each (default: the first in the file)"},
    {"tree", 0, OPTION_TEXT, "NAME", NULL, 0, 0, FIELD(tree),
     "name of the tree to use, in both files"},
    {"tree-b", 0, OPTION_TEXT, "NAME", NULL, 0, 0, FIELD(tree_b),
     "name of the tree to use in B, where it is another"},
    ADB_OPTIONS(collide_settings),
    OPTION_JSON(collide_settings),
};

/* The two files, their trees, and buffers that live as long as the run. */
typedef struct {
    const char *path_a, *path_b;
    kiln_file *file_a, *file_b;
    const kiln_tree *tree_a, *tree_b;
    collide_mode mode;
    const adb_settings *adb;
    double distance;
    bool witness;
    near_contacts contacts; /* MODE_GEOMETRY */
    kiln_pair *pairs;
    size_t pair_capacity;
    double *times; /* microseconds, one a pose */
    bool *answers;
} collide_run;

typedef struct {
    bool found, has_pair;
    kiln_pair pair;      /* MODE_HIT, and MODE_ADB where triangles were found to meet */
    size_t count;        /* MODE_PAIRS, MODE_CONTACTS */
    kiln_adb_answer adb; /* MODE_ADB */
    kiln_nearest near;   /* MODE_DISTANCE */
} answer;

/* Both kinds out of "A[,B]", copied into `buffer`. */
static int split_kinds(const char *list, char buffer[32], const char **a, const char **b)
{
    if (strlen(list) >= 32) {
        return report_usage("--bv takes A or A,B, not '%s'", list);
    }
    strcpy(buffer, list);
    char *comma = strchr(buffer, ',');
    *a = buffer;
    *b = buffer;
    if (comma != NULL) {
        *comma = '\0';
        *b = comma + 1;
    }
    return EXIT_DONE;
}

/* What time-critical queries need of a tree. */
static int check_tree_counts(const char *path, const kiln_tree *tree, bool hybrid)
{
    const kiln_tree_info info = kiln_tree_get_info(tree);
    if (info.adb_grid == 0) {
        return report_error(
            EXIT_INVALID, path,
            "has no counts of possible collision cells; --mode adb needs them; bake "
            "it again with --adb");
    }
    if (hybrid && !info.polygons) {
        return report_error(EXIT_INVALID, path,
                            "has no polygons; --hybrid needs them; leave it out, or bake again "
                            "without --no-geometry");
    }
    return EXIT_DONE;
}

static int check_counts(const collide_run *run, bool hybrid)
{
    const int status = check_tree_counts(run->path_a, run->tree_a, hybrid);
    return status == EXIT_DONE ? check_tree_counts(run->path_b, run->tree_b, hybrid) : status;
}

static int open_both(collide_run *run, const collide_settings *settings)
{
    char kinds[32];
    const char *bv_a = NULL, *bv_b = NULL;
    int status = settings->bv == NULL ? EXIT_DONE : split_kinds(settings->bv, kinds, &bv_a, &bv_b);
    if (status == EXIT_DONE) {
        status = open_file(run->path_a, &run->file_a);
    }
    if (status == EXIT_DONE) {
        status = open_file(run->path_b, &run->file_b);
    }
    if (status == EXIT_DONE) {
        status = choose_tree(run->path_a, run->file_a, settings->tree, bv_a, &run->tree_a);
    }
    if (status == EXIT_DONE) {
        status = choose_tree(run->path_b, run->file_b,
                             settings->tree_b != NULL ? settings->tree_b : settings->tree, bv_b,
                             &run->tree_b);
    }
    if (status == EXIT_DONE && settings->mode == MODE_ADB) {
        status = check_counts(run, settings->adb.hybrid);
    }
    return status;
}

/* All pairs, with more room where the first call finds it short. */
static kiln_status query_contacts(collide_run *run, const pose_pair *pose, size_t *count)
{
    for (;;) {
        const kiln_status status = kiln_contacts(run->tree_a, &pose->a, run->tree_b, &pose->b, NULL,
                                                 run->pairs, run->pair_capacity, count);
        if (status != KILN_OK || *count <= run->pair_capacity) {
            return status;
        }
        kiln_pair *more = realloc(run->pairs, *count * sizeof *more);
        if (more == NULL) {
            return KILN_ERROR_MEMORY;
        }
        run->pairs = more;
        run->pair_capacity = *count;
    }
}

static kiln_status query_near(collide_run *run, const pose_pair *pose, answer *out)
{
    kiln_status status;
    if (run->mode == MODE_GEOMETRY) {
        status = near_contacts_query(&run->contacts, run->tree_a, run->tree_b, pose);
        *out = (answer){.found = run->contacts.count > 0, .count = run->contacts.count};
    } else if (run->mode == MODE_WITHIN) {
        kiln_hit hit = {false, {0, 0, 0, 0}, {0, 0}};
        status =
            kiln_within(run->tree_a, &pose->a, run->tree_b, &pose->b, run->distance, NULL, &hit);
        *out = (answer){.found = hit.found, .has_pair = hit.found, .pair = hit.pair};
    } else {
        kiln_nearest near = {.found = false};
        status = kiln_distance(run->tree_a, &pose->a, run->tree_b, &pose->b, NULL, &near);
        *out = (answer){.found = near.found && near.distance == 0,
                        .has_pair = near.found,
                        .pair = near.pair,
                        .near = near};
    }
    return status;
}

static kiln_status query(collide_run *run, const pose_pair *pose, answer *out)
{
    kiln_status status;
    if (run->mode >= MODE_DISTANCE) {
        return query_near(run, pose, out);
    }
    if (run->mode == MODE_HIT) {
        kiln_hit hit;
        status = kiln_collide(run->tree_a, &pose->a, run->tree_b, &pose->b, NULL, &hit);
        if (status == KILN_OK) {
            *out = (answer){.found = hit.found, .has_pair = hit.found, .pair = hit.pair};
        }
        return status;
    }
    if (run->mode == MODE_ADB) {
        status = adb_query(run->adb, run->tree_a, run->tree_b, pose, &out->adb);
        out->found = status == KILN_OK && adb_found(&out->adb);
        out->has_pair = status == KILN_OK && out->adb.verdict == KILN_ADB_YES &&
                        (out->adb.flags & KILN_ADB_EXACT) != 0;
        out->pair = out->adb.pair;
        return status;
    }
    size_t count = 0;
    status = run->mode == MODE_CONTACTS ? query_contacts(run, pose, &count)
                                        : kiln_contacts(run->tree_a, &pose->a, run->tree_b,
                                                        &pose->b, NULL, NULL, 0, &count);
    *out = (answer){.found = count > 0, .count = count};
    return status;
}

/* The number that a triangle goes by: its face in the source with --witness, else its id. */
static unsigned name_of(const collide_run *run, const kiln_tree *tree, uint32_t triangle)
{
    kiln_source source;
    if (run->witness && kiln_tree_source(tree, triangle, &source) == KILN_OK) {
        return source.face;
    }
    return triangle;
}

static void print_answer(const collide_run *run, const answer *of)
{
    if (run->mode == MODE_ADB) {
        adb_print(&of->adb);
    } else {
        putchar(of->found ? '1' : '0');
    }
    if (run->mode == MODE_DISTANCE) {
        printf(" %.17g", of->near.distance);
    }
    if (run->mode == MODE_PAIRS || run->mode == MODE_CONTACTS) {
        printf(" %zu", of->count);
    } else if (run->mode == MODE_GEOMETRY) {
        printf(" %zu %.17g", of->count, near_greatest_depth(&run->contacts));
    } else if (run->witness && of->has_pair) {
        printf(" %u %u", name_of(run, run->tree_a, of->pair.a),
               name_of(run, run->tree_b, of->pair.b));
    }
    for (size_t i = 0; run->mode == MODE_CONTACTS && i < of->count; i++) {
        printf(" %u:%u", name_of(run, run->tree_a, run->pairs[i].a),
               name_of(run, run->tree_b, run->pairs[i].b));
    }
    putchar('\n');
}

static json_t *source_json(const kiln_tree *tree, uint32_t triangle)
{
    kiln_source source;
    json_t *object = json_object();
    json_object_set_new(object, "triangle", json_count(triangle));
    if (kiln_tree_source(tree, triangle, &source) == KILN_OK) {
        json_object_set_new(object, "face", json_count(source.face));
        json_object_set_new(object, "node", json_cstring(source.node_path));
        json_object_set_new(object, "mesh", json_cstring(source.mesh_name));
        json_object_set_new(object, "material", json_cstring(source.material));
    }
    return object;
}

static json_t *pair_json(const collide_run *run, kiln_pair pair)
{
    json_t *array = json_array();
    json_array_append_new(array,
                          run->witness ? source_json(run->tree_a, pair.a) : json_count(pair.a));
    json_array_append_new(array,
                          run->witness ? source_json(run->tree_b, pair.b) : json_count(pair.b));
    return array;
}

static json_t *answer_json(const collide_run *run, const answer *of)
{
    json_t *object = run->mode == MODE_ADB ? adb_json(&of->adb) : json_object();
    json_object_set_new(object, "hit", json_boolean(of->found));
    if (of->has_pair) {
        json_object_set_new(object, "pair", pair_json(run, of->pair));
    }
    if (run->mode == MODE_DISTANCE) {
        near_add_distance(object, &of->near);
    }
    if (run->mode == MODE_HIT || run->mode == MODE_ADB || run->mode == MODE_DISTANCE ||
        run->mode == MODE_WITHIN) {
        return object;
    }
    json_object_set_new(object, "pairs", json_count(of->count));
    if (run->mode == MODE_CONTACTS) {
        json_t *contacts = json_array();
        for (size_t i = 0; i < of->count; i++) {
            json_array_append_new(contacts, pair_json(run, run->pairs[i]));
        }
        json_object_set_new(object, "contacts", contacts);
    }
    if (run->mode == MODE_GEOMETRY) {
        json_t *geometry = json_array();
        for (size_t i = 0; i < of->count; i++) {
            const kiln_contact *contact = &run->contacts.contacts[i];
            json_array_append_new(geometry,
                                  near_contact_json(contact, pair_json(run, contact->pair)));
        }
        json_object_set_new(object, "geometry", geometry);
        json_object_set_new(object, "depth", json_number(near_greatest_depth(&run->contacts)));
    }
    return object;
}

/* Tells where a query failed: a pose is named by its line. */
static int query_error(const collide_settings *settings, const pose_pair *pose, kiln_status status)
{
    if (status == KILN_ERROR_NOT_LOADED) {
        return report_error(exit_status_of(status), NULL,
                            "a file was baked without polygons, which this query needs; bake it "
                            "again without --no-geometry");
    }
    if (pose->line == 0) {
        return report_error(exit_status_of(status), NULL, "%s", kiln_status_text(status));
    }
    return report_error(exit_status_of(status), settings->poses, "line %lu: %s", pose->line,
                        kiln_status_text(status));
}

static int run_poses(collide_run *run, const collide_settings *settings, const pose_list *poses)
{
    json_t *answers = report_is_json() ? json_array() : NULL;
    int status = EXIT_DONE;
    for (size_t i = 0; i < poses->count && status == EXIT_DONE; i++) {
        answer found = {.found = false};
        const double start = seconds_now();
        const kiln_status result = query(run, &poses->pairs[i], &found);
        run->times[i] = 1e6 * (seconds_now() - start);
        run->answers[i] = found.found;
        if (result != KILN_OK) {
            status = query_error(settings, &poses->pairs[i], result);
        } else if (answers != NULL) {
            json_array_append_new(answers, answer_json(run, &found));
        } else {
            print_answer(run, &found);
        }
    }
    if (answers != NULL && status == EXIT_DONE) {
        json_object_set_new(report_root(), "answers", answers);
    } else {
        json_decref(answers);
    }
    return status;
}

static void add_timing(json_t *object, double *times, size_t count)
{
    const timing sum = timing_of(times, count);
    json_object_set_new(object, "us_median", count > 0 ? json_number(sum.median) : json_null());
    json_object_set_new(object, "us_mean", count > 0 ? json_number(sum.mean) : json_null());
    json_object_set_new(object, "us_p99", count > 0 ? json_number(sum.p99) : json_null());
}

/* Members poses, hits, us_..., and the same of hits and of misses apart. */
static void report_times(collide_run *run, size_t count)
{
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) { /* hits to the front */
        if (run->answers[i]) {
            const double time = run->times[i];
            run->times[i] = run->times[hits];
            run->times[hits++] = time;
        }
    }
    json_t *of_hits = json_object(), *of_misses = json_object();
    json_object_set_new(of_hits, "poses", json_count(hits));
    add_timing(of_hits, run->times, hits);
    json_object_set_new(of_misses, "poses", json_count(count - hits));
    add_timing(of_misses, run->times + hits, count - hits);
    json_object_set_new(report_root(), "poses", json_count(count));
    json_object_set_new(report_root(), "hits", json_count(hits));
    add_timing(report_root(), run->times, count);
    json_object_set_new(report_root(), "time_of_hits", of_hits);
    json_object_set_new(report_root(), "time_of_misses", of_misses);
}

static int run_open(collide_run *run, const collide_settings *settings)
{
    pose_list poses;
    int status = settings->poses == NULL ? pose_list_identity(&poses)
                                         : pose_list_read(&poses, settings->poses);
    if (status != EXIT_DONE) {
        return status;
    }
    run->times = calloc(poses.count + 1, sizeof *run->times);
    run->answers = calloc(poses.count + 1, sizeof *run->answers);
    if (run->times == NULL || run->answers == NULL) {
        status = report_error(EXIT_RUN, NULL, "out of memory; too many poses");
    } else {
        status = run_poses(run, settings, &poses);
    }
    if (status == EXIT_DONE && report_is_json()) {
        report_times(run, poses.count);
    }
    free(run->times);
    free(run->answers);
    free(run->pairs);
    free(run->contacts.contacts);
    pose_list_free(&poses);
    return status;
}

static int run_collide(int argc, char **argv)
{
    collide_settings settings = {.mode = MODE_HIT, .distance = -1, .adb = ADB_SETTINGS_NOTHING};
    int count;
    int status = options_parse(&verb_collide, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.mode != MODE_ADB && adb_is_given(&settings.adb)) {
        return report_usage("--p-min, --k-min, --eps, --hybrid, --adb-weights and --budget-... "
                            "need --mode adb");
    }
    if ((settings.mode == MODE_WITHIN) != (settings.distance >= 0)) {
        return report_usage(settings.mode == MODE_WITHIN ? "--mode within needs --distance D"
                                                         : "--distance needs --mode within");
    }
    collide_run run = {.path_a = argv[0],
                       .path_b = argv[1],
                       .mode = (collide_mode)settings.mode,
                       .adb = &settings.adb,
                       .distance = settings.distance,
                       .witness = settings.witness};
    status = open_both(&run, &settings);
    if (status == EXIT_DONE) {
        status = adb_read_weights(&settings.adb, run.tree_a, run.tree_b);
    }
    if (status == EXIT_DONE) {
        status = run_open(&run, &settings);
    }
    kiln_close(run.file_b);
    kiln_close(run.file_a);
    return status;
}

const verb verb_collide = {
    "collide",
    "A.kiln B.kiln",
    "do two meshes meet, at each of many poses",
    "Prints a line a pose: 1 where the surfaces meet, touching included, else 0. A mesh wholly "
    "inside "
    "another that touches it nowhere is not a hit. Answers are exact, but for --mode adb, which "
    "tells "
    "how probable a hit is, and for distances, depths and points, which are within the last digits "
    "of "
    "doubles and given in the frame of the poses; a distance is 0 exactly where surfaces "
    "meet.\n\nTriangles are named by "
    "their "
    "position among those of the import, counted from 0; with --witness by the face in the source "
    "file. With --json the times of the queries are told, in microseconds, those of hits and of "
    "misses "
    "also apart. A pose that is not a rotation, a finite translation and a scale ends the run with "
    "exit "
    "status 3.",
    collide_options,
    COUNT_OF(collide_options),
    2,
    2,
    run_collide,
};
