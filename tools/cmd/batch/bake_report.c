/* The report of one bake: notes, a summary for people, or a row where there are several, an object
 * of the document for programs; and the one figure in it that the library does not deliver, how
 * soon the file answers.
 *
 * What people read is rounded and left out where there is nothing; the object has every member in
 * every run, with null for what is not known, so that programs need not test for presence. */
#include "bake_report.h"

#include "../../common/clock.h"
#include "../../../formats/assert.h"
#include "../../../runtime/kiln.h"
#include "../../bake/bake.h"
#include "../kit/columns.h"
#include "../kit/report.h"
#include "../kit/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A model that was split may have thousands of trees, of which people are shown the first few; the
 * document lists all. */
enum { TREES_FOR_PEOPLE = 8, CANDIDATES_FOR_PEOPLE = 12, QUERIES_MEASURED = 3 };

/* Hands all notes of a bake to `take`, kind by kind and each kind in the order of the report. The
 * text lives only during the call. */
void bake_report_notes(const kiln_bake_report *report, void *user,
                       void (*take)(void *user, const char *kind, const char *message))
{
    const unsigned long long points = report->points_left_out, lines = report->lines_left_out;
    char text[400];
    for (uint32_t i = 0; i < report->warning_count; i++) {
        take(user, "warning", report->warnings[i]);
    }
    for (uint32_t i = 0; i < report->absent_file_count; i++) {
        if (kiln_report_misses(report, i)) {
            snprintf(text, sizeof text, "'%.200s', which it refers to; baked without",
                     report->absent_files[i]);
            take(user, "not there", text);
        }
    }
    for (uint32_t i = 0; i < report->dropped_count; i++) {
        take(user, "dropped", report->dropped[i]);
    }
    if (points > 0 || lines > 0) {
        snprintf(text, sizeof text, "%llu point%s%s, %llu line%s", points, points == 1 ? "" : "s",
                 points > 0 ? " (see --points)" : "", lines, lines == 1 ? "" : "s");
        take(user, "left out", text);
    }
    if (report->lossy_step > 0) {
        snprintf(text, sizeof text,
                 "vertices moved to a grid of step %g, by at most %g; %llu face%s lost %s area",
                 report->lossy_step, report->lossy_moved,
                 (unsigned long long)report->lossy_degenerate,
                 report->lossy_degenerate == 1 ? "" : "s",
                 report->lossy_degenerate == 1 ? "its" : "their");
        take(user, "lossy", text);
    }
}

/* It has room for all four kinds with counts of 64 bits. */
enum { LEFT_OUT_SIZE = 160 };

/* "2 faces dropped, 1 point, 3 lines", as far as there are any; "" where there are none. */
static void left_out(const kiln_bake_report *report, char text[LEFT_OUT_SIZE])
{
    const struct {
        uint64_t count;
        const char *one, *many;
    } kinds[] = {{report->faces_dropped, "face dropped", "faces dropped"},
                 {report->points_left_out, "point", "points"},
                 {report->lines_left_out, "line", "lines"},
                 {report->empty_meshes, "empty mesh", "empty meshes"}};
    char digits[32];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (kinds[i].count > 0) {
            used += (size_t)snprintf(text + used, LEFT_OUT_SIZE - used, "%s%s %s",
                                     used > 0 ? ", " : "", columns_count(kinds[i].count, digits),
                                     kinds[i].count == 1 ? kinds[i].one : kinds[i].many);
        }
    }
    KILN_ASSERT(used < LEFT_OUT_SIZE);
}

/* -- several: a row each -- */

/* Columns of the numbers, and with the gaps between all. Models of a hundred million triangles and
 * bakes of a week still fit. */
enum { TRIANGLES = 11, EACH = 10, SECONDS = 9, NUMBERS = TRIANGLES + EACH + SECONDS + 4 * 2 };
enum { LEAST = 56 }; /* columns of a line; a narrower terminal wraps it */

/* The numbers leave the rest of a line, but for its last column, where some terminals wrap. Of that
 * names get what they need, at most three fifths, since they tell the rows apart. */
bake_row_columns bake_report_heads(const plan *of)
{
    const int columns = terminal_columns(stdout), line = columns > LEAST ? columns : LEAST;
    const int most = (line < COLUMNS_MOST ? line : COLUMNS_MOST) - 1 - NUMBERS;
    int longest = 8;
    for (size_t i = 0; i < of->count && longest < most; i++) {
        const int width = columns_width(of->jobs[i].input);
        longest = width > longest ? width : longest;
    }
    KILN_ASSERT(most >= 17);
    const int name = longest < most * 3 / 5 ? longest : most * 3 / 5;
    printf("%s%-*s  %*s  %*s  %*s  left out%s\n", terminal_begin(stdout, STYLE_DIM), name, "model",
           TRIANGLES, "triangles", EACH, "bytes/tri.", SECONDS, "seconds",
           terminal_end(stdout, STYLE_DIM));
    return (bake_row_columns){name, most - name};
}

/* Prints the row of one asset below bake_report_heads. Seconds are those of the whole bake; a file
 * from the cache has none that would compare with the others, so the word stands in their place.
 */
void bake_report_row(const bake_row_columns *columns, const job *of, const kiln_bake_report *report,
                     bool cached, double seconds)
{
    char digits[32], each[32] = "-", taken[32] = "cached", text[LEFT_OUT_SIZE];
    left_out(report, text);
    if (report->faces > 0) {
        (void)snprintf(each, sizeof each, "%.2f",
                       (double)report->bytes_file / (double)report->faces);
    }
    if (!cached) {
        (void)snprintf(taken, sizeof taken, "%.2f", seconds);
    }
    columns_print_fitted(of->input, columns->name);
    printf("  %*s  %*s  %*s", TRIANGLES, columns_count(report->faces, digits), EACH, each, SECONDS,
           taken);
    if (text[0] != '\0') {
        printf("  %s", terminal_begin(stdout, STYLE_WARNING));
        columns_print_last(text, columns->left_out);
        fputs(terminal_end(stdout, STYLE_WARNING), stdout);
    }
    putchar('\n');
}

/* -- one: a report -- */

/* What --bv auto compared: the chosen one and those after it in cost. */
static void print_candidates(FILE *stream, const kiln_bake_report *report)
{
    const kiln_bake_candidate *last = NULL;
    char digits[32];
    if (report->candidate_count == 0) {
        return;
    }
    const kiln_bake_candidate *any = &report->candidates[0];
    fprintf(stream,
            "  %" PRIu32 " candidates at %" PRIu64 " poses, of which %" PRIu64
            " meet; means of a query, by unit costs\n",
            report->candidate_count, any->poses, any->hits);
    fprintf(stream, "  %-8s%5s  %-10s%9s%9s%10s%9s%13s\n", "bv", "leaf", "builder", "nodes",
            "volumes", "triangles", "ns", "bytes");
    const double poses = any->poses > 0 ? (double)any->poses : 1;
    for (int row = 0; row < CANDIDATES_FOR_PEOPLE; row++) {
        const kiln_bake_candidate *next = NULL;
        for (uint32_t i = 0; i < report->candidate_count; i++) {
            const kiln_bake_candidate *of = &report->candidates[i];
            const bool later =
                last == NULL || of->cost > last->cost || (of->cost >= last->cost && of > last);
            if (later && (next == NULL || of->cost < next->cost)) {
                next = of;
            }
        }
        if (next == NULL) {
            break;
        }
        last = next;
        fprintf(stream, "  %-8s%5d  %-10s%9.1f%9.1f%10.1f%9.0f%13s%s\n", next->bv, next->leaf,
                next->builder, (double)next->nodes / poses, (double)next->volume_pairs / poses,
                (double)next->triangle_pairs / poses, next->cost,
                columns_count(next->bytes, digits), next->chosen ? " *" : "");
    }
}

/* Prints the report of a single asset. `first` is NULL where no first query was measured, as for
 * standard output; then its line is left out. */
void bake_report_summary(FILE *stream, const job *of, const kiln_bake_report *report,
                         const first_query *first, double seconds)
{
    static const char *const how[] = {"baked", "up to date", "from the cache"};
    const bool standard = strcmp(of->output, "-") == 0;
    const double faces = report->faces > 0 ? (double)report->faces : 1.0;
    char digits[3][32], text[LEFT_OUT_SIZE];
    KILN_ASSERT((size_t)report->outcome < COUNT_OF(how));
    report_write_name(stream, standard ? "standard output" : of->output);
    const char *one = report->points ? "point" : "triangle";
    fprintf(stream, ": %s %s%s, %s bytes, %.2f a %s, %s in %.2f s\n",
            columns_count(report->faces, digits[0]), one, report->faces == 1 ? "" : "s",
            columns_count(report->bytes_file, digits[1]), (double)report->bytes_file / faces, one,
            how[report->outcome], seconds);
    left_out(report, text);
    columns_item(stream, "left out", text[0] != '\0' ? text : "nothing");
    for (uint32_t i = 0; i < report->tree_count && i < TREES_FOR_PEOPLE; i++) {
        const kiln_bake_tree_report *tree = &report->trees[i];
        const double each = tree->triangles > 0 ? (double)tree->triangles : 1.0;
        snprintf(text, sizeof text, "%.60s: %s node%s, %s bytes, %.2f a %s, raw %.2f", tree->name,
                 columns_count(tree->nodes, digits[0]), tree->nodes == 1 ? "" : "s",
                 columns_count(tree->bytes_packed, digits[1]), (double)tree->bytes_packed / each,
                 one, (double)tree->bytes_raw / each);
        columns_item(stream, tree->bv, text);
        if (tree->boxes > 0) {
            snprintf(text, sizeof text,
                     "of %s box%s, %.1f bytes a box with its node (36 in the paper)",
                     columns_count(tree->boxes, digits[2]), tree->boxes == 1 ? "" : "es",
                     (double)(tree->bytes_raw + tree->bytes_counts) / tree->boxes);
            columns_item(stream, "counts", text);
        }
    }
    if (report->tree_count > TREES_FOR_PEOPLE) {
        const unsigned more = report->tree_count - TREES_FOR_PEOPLE;
        fprintf(stream, "  and %u more tree%s (kiln info)\n", more, more == 1 ? "" : "s");
    }
    print_candidates(stream, report);
    if (report->unit > 0.0) {
        fprintf(stream, "  unit           %g m in the source\n", report->unit);
    }
    if (first != NULL) {
        snprintf(text, sizeof text, "in %.3g ms, trusted %.3g ms; the build took %.3g ms",
                 1e3 * first->verified, 1e3 * first->trusted, 1e3 * report->seconds_build);
        columns_item(stream, "first query", text);
    }
}

/* A list of texts as an array, empty where there are none. */
static json_t *texts_json(char *const *texts, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(array, json_cstring(texts[i]));
    }
    return array;
}

/* One tree. Sizes of counts are members only of trees that have counts. */
static json_t *tree_json(const kiln_bake_tree_report *tree)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_cstring(tree->name));
    json_object_set_new(object, "bv", json_cstring(tree->bv));
    json_object_set_new(object, "triangles", json_count(tree->triangles));
    json_object_set_new(object, "nodes", json_count(tree->nodes));
    json_object_set_new(object, "depth", json_count(tree->depth));
    json_object_set_new(object, "bytes_raw", json_count(tree->bytes_raw));
    json_object_set_new(object, "bytes_packed", json_count(tree->bytes_packed));
    json_object_set_new(object, "sah_cost", json_number(tree->sah_cost));
    if (tree->boxes > 0) {
        json_object_set_new(object, "boxes", json_count(tree->boxes));
        json_object_set_new(object, "bytes_counts", json_count(tree->bytes_counts));
    }
    return object;
}

/* What --bv auto compared. */
static json_t *candidates_json(const kiln_bake_report *report)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < report->candidate_count; i++) {
        const kiln_bake_candidate *of = &report->candidates[i];
        json_t *object = json_object();
        json_object_set_new(object, "bv", json_cstring(of->bv));
        json_object_set_new(object, "leaf", json_integer(of->leaf));
        json_object_set_new(object, "builder", json_cstring(of->builder));
        json_object_set_new(object, "chosen", json_boolean(of->chosen));
        json_object_set_new(object, "bytes", json_count(of->bytes));
        json_object_set_new(object, "poses", json_count(of->poses));
        json_object_set_new(object, "hits", json_count(of->hits));
        json_object_set_new(object, "nodes", json_count(of->nodes));
        json_object_set_new(object, "volume_pairs", json_count(of->volume_pairs));
        json_object_set_new(object, "triangle_pairs", json_count(of->triangle_pairs));
        json_object_set_new(object, "ns", json_number(of->cost));
        json_array_append_new(array, object);
    }
    return array;
}

/* The object of one asset, which becomes the caller's. It is made for failures as well: then it
 * has the status, the message, and as much of the rest as the bake had found out. */
json_t *bake_report_json(const job *of, int status, const kiln_bake_report *report,
                         const first_query *first)
{
    static const char axes[3][2] = {"x", "y", "z"};
    const int up = report->up_axis;
    json_t *object = json_object();
    json_object_set_new(object, "input", json_cstring(of->input));
    json_object_set_new(object, "output", json_cstring(of->output));
    json_object_set_new(object, "status", json_integer(status));
    if (report->error[0] != '\0') {
        json_object_set_new(object, "message", json_cstring(report->error));
    }

    /* Counts and measures. */
    json_object_set_new(object, "faces", json_count(report->faces));
    if (report->points) {
        json_object_set_new(object, "points", json_true());
    }
    json_object_set_new(object, "faces_dropped", json_count(report->faces_dropped));
    json_object_set_new(object, "points_left_out", json_count(report->points_left_out));
    json_object_set_new(object, "lines_left_out", json_count(report->lines_left_out));
    json_object_set_new(object, "degenerate", json_count(report->degenerate));
    json_object_set_new(object, "duplicate", json_count(report->duplicate));
    json_object_set_new(object, "polygons_cut", json_count(report->polygons_cut));
    json_object_set_new(object, "empty_meshes", json_count(report->empty_meshes));
    json_object_set_new(object, "bytes_source", json_count(report->bytes_source));
    json_object_set_new(object, "bytes_file", json_count(report->bytes_file));
    json_object_set_new(object, "unit_metres",
                        report->unit > 0.0 ? json_number(report->unit) : json_null());
    json_object_set_new(object, "up_axis",
                        up >= 0 && up < 3 ? json_cstring(axes[up]) : json_null());
    json_object_set_new(object, "precision_step", json_number(report->precision_step));
    json_object_set_new(object, "lossy_step", json_number(report->lossy_step));
    json_object_set_new(object, "lossy_moved", json_number(report->lossy_moved));
    json_object_set_new(object, "lossy_degenerate", json_count(report->lossy_degenerate));

    /* Lists. */
    json_t *trees = json_array();
    for (uint32_t i = 0; i < report->tree_count; i++) {
        json_array_append_new(trees, tree_json(&report->trees[i]));
    }
    json_object_set_new(object, "trees", trees);
    if (report->candidate_count > 0) {
        json_object_set_new(object, "candidates", candidates_json(report));
    }
    json_object_set_new(object, "warnings", texts_json(report->warnings, report->warning_count));
    json_object_set_new(object, "dropped", texts_json(report->dropped, report->dropped_count));
    json_object_set_new(object, "side_files",
                        texts_json(report->side_files, report->side_file_count));
    json_object_set_new(object, "absent_files",
                        texts_json(report->absent_files, report->absent_file_count));

    /* Times. Those of the first query are null where there is no file by a name, or one that can't
     * be queried. */
    json_object_set_new(object, "seconds_import", json_number(report->seconds_import));
    json_object_set_new(object, "seconds_build", json_number(report->seconds_build));
    json_object_set_new(object, "seconds_count", json_number(report->seconds_count));
    json_object_set_new(object, "seconds_write", json_number(report->seconds_write));
    json_object_set_new(object, "seconds_first_query",
                        first != NULL ? json_number(first->verified) : json_null());
    json_object_set_new(object, "seconds_first_query_trusted",
                        first != NULL ? json_number(first->trusted) : json_null());
    return object;
}

/* -- the first query -- */

/* Opens the file and asks whether its first tree meets itself, rotated by a quarter and moved by
 * half its size, so that the walk goes down and does not end at the root. */
static bool open_and_query(const char *path, unsigned flags, double *seconds)
{
    kiln_open_options options = kiln_open_options_default();
    kiln_file *file = NULL;
    kiln_hit hit;
    options.flags = flags;
    const double start = kiln_seconds();
    if (kiln_open(path, &options, &file) != KILN_OK) {
        return false;
    }
    const kiln_tree *tree = kiln_file_tree(file, 0);
    const kiln_tree_info info = kiln_tree_get_info(tree);
    kiln_pose pose = {.rotation = {0, -1, 0, 1, 0, 0, 0, 0, 1}, .scale = 1};
    for (int i = 0; i < 3; i++) {
        pose.translation[i] = 0.5 * ((double)info.bounds_upper[i] - (double)info.bounds_lower[i]);
    }
    const bool answered = kiln_collide(tree, NULL, tree, &pose, NULL, &hit) == KILN_OK;
    *seconds = kiln_seconds() - start;
    kiln_close(file);
    return answered;
}

/* The least of a few runs is the one that nothing else on the machine delayed. */
static bool least_seconds(const char *path, unsigned flags, double *least)
{
    for (int i = 0; i < QUERIES_MEASURED; i++) {
        double seconds;
        if (!open_and_query(path, flags, &seconds)) {
            return false;
        }
        *least = i == 0 || seconds < *least ? seconds : *least;
    }
    return true;
}

/* Both ways of opening are measured on the same file, first the one that reads all of it. */
bool first_query_measure(const char *path, first_query *out)
{
    return least_seconds(path, 0, &out->verified) &&
           least_seconds(path, KILN_OPEN_TRUSTED, &out->trusted);
}
