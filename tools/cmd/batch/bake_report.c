#include "bake_report.h"

#include "../kit/columns.h"
#include "../kit/report.h"

#include <stdio.h>
#include <string.h>

enum { TREES_FOR_PEOPLE = 8 };

/* "1 point, 2 lines". */
static void note_left_out(const job *of, uint64_t points, uint64_t lines)
{
    char text[96];
    if (points > 0 || lines > 0) {
        snprintf(text, sizeof text, "%llu point%s, %llu line%s", (unsigned long long)points,
                 points == 1 ? "" : "s", (unsigned long long)lines, lines == 1 ? "" : "s");
        report_note("left out", of->input, text);
    }
}

static void note_lossy(const job *of, const kiln_bake_report *report)
{
    char text[160];
    if (report->lossy_step > 0) {
        snprintf(text, sizeof text,
                 "vertices moved to a grid of step %g, by at most %g; %llu face%s lost %s area",
                 report->lossy_step, report->lossy_moved,
                 (unsigned long long)report->lossy_degenerate,
                 report->lossy_degenerate == 1 ? "" : "s",
                 report->lossy_degenerate == 1 ? "its" : "their");
        report_note("lossy", of->input, text);
    }
}

void bake_report_notes(const job *of, const kiln_bake_report *report)
{
    for (uint32_t i = 0; i < report->warning_count; i++) {
        report_note("warning", of->input, report->warnings[i]);
    }
    for (uint32_t i = 0; i < report->dropped_count; i++) {
        report_note("dropped", of->input, report->dropped[i]);
    }
    note_left_out(of, report->points_left_out, report->lines_left_out);
    note_lossy(of, report);
}

/* "2 faces dropped, 1 point, 3 lines" as far as there are any. */
static void print_left_out(FILE *stream, const kiln_bake_report *report)
{
    const struct {
        uint64_t count;
        const char *one, *many;
    } kinds[] = {{report->faces_dropped, "face dropped", "faces dropped"},
                 {report->points_left_out, "point", "points"},
                 {report->lines_left_out, "line", "lines"},
                 {report->empty_meshes, "empty mesh", "empty meshes"}};
    char text[160] = "", digits[32];
    size_t used = 0;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (kinds[i].count > 0) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s",
                                     used > 0 ? ", " : "", columns_count(kinds[i].count, digits),
                                     kinds[i].count == 1 ? kinds[i].one : kinds[i].many);
        }
    }
    columns_item(stream, "left out", used > 0 ? text : "nothing");
}

/* Triangles are the same without a library of materials, which many models are shipped without: it is no
 * warning, but no secret either. */
static void print_absent(FILE *stream, const kiln_bake_report *report)
{
    for (uint32_t i = 0; i < report->absent_file_count; i++) {
        columns_item(stream, i == 0 ? "not there" : "", report->absent_files[i]);
    }
}

static void print_first_query(FILE *stream, const kiln_bake_report *report,
                              const first_query *first)
{
    char text[160];
    if (first != NULL) {
        snprintf(text, sizeof text, "in %.3g ms, trusted %.3g ms; the build took %.3g ms",
                 1e3 * first->verified, 1e3 * first->trusted, 1e3 * report->seconds_build);
        columns_item(stream, "first query", text);
    }
}

void bake_report_summary(FILE *stream, const job *of, const kiln_bake_report *report,
                         const first_query *first, double seconds)
{
    static const char *const how[] = {"baked", "up to date", "from the cache"};
    const bool standard = strcmp(of->output, "-") == 0;
    const double faces = report->faces > 0 ? (double)report->faces : 1.0;
    char digits[3][32], text[160];
    fprintf(stream, "%s: %s triangle%s, %s bytes, %.2f a triangle, %s in %.2f s\n",
            standard ? "standard output" : of->output, columns_count(report->faces, digits[0]),
            report->faces == 1 ? "" : "s", columns_count(report->bytes_file, digits[1]),
            (double)report->bytes_file / faces, how[report->outcome], seconds);
    print_left_out(stream, report);
    print_absent(stream, report);
    for (uint32_t i = 0; i < report->tree_count && i < TREES_FOR_PEOPLE; i++) {
        const kiln_bake_tree_report *tree = &report->trees[i];
        const double each = tree->triangles > 0 ? (double)tree->triangles : 1.0;
        snprintf(text, sizeof text, "%.60s: %s node%s, %s bytes, %.2f a triangle, raw %.2f",
                 tree->name, columns_count(tree->nodes, digits[0]), tree->nodes == 1 ? "" : "s",
                 columns_count(tree->bytes_packed, digits[1]), (double)tree->bytes_packed / each,
                 (double)tree->bytes_raw / each);
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
    if (report->unit > 0.0) {
        fprintf(stream, "  unit           %g m in the source\n", report->unit);
    }
    print_first_query(stream, report, first);
}

static json_t *texts_json(char *const *texts, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(array, json_cstring(texts[i]));
    }
    return array;
}

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

static json_t *up_axis_json(int axis)
{
    static const char names[3][2] = {"x", "y", "z"};
    return axis >= 0 && axis < 3 ? json_cstring(names[axis]) : json_null();
}

static void add_counts(json_t *object, const kiln_bake_report *report)
{
    json_object_set_new(object, "faces", json_count(report->faces));
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
    json_object_set_new(object, "up_axis", up_axis_json(report->up_axis));
    json_object_set_new(object, "precision_step", json_number(report->precision_step));
    json_object_set_new(object, "lossy_step", json_number(report->lossy_step));
    json_object_set_new(object, "lossy_moved", json_number(report->lossy_moved));
    json_object_set_new(object, "lossy_degenerate", json_count(report->lossy_degenerate));
}

/* Null where there is no file by a name, or one that can't be asked. */
static void add_first_query(json_t *object, const first_query *first)
{
    json_object_set_new(object, "seconds_first_query",
                        first != NULL ? json_number(first->verified) : json_null());
    json_object_set_new(object, "seconds_first_query_trusted",
                        first != NULL ? json_number(first->trusted) : json_null());
}

json_t *bake_report_json(const job *of, int status, const kiln_bake_report *report,
                         const first_query *first)
{
    json_t *object = json_object();
    json_object_set_new(object, "input", json_cstring(of->input));
    json_object_set_new(object, "output", json_cstring(of->output));
    json_object_set_new(object, "status", json_integer(status));
    if (report->error[0] != '\0') {
        json_object_set_new(object, "message", json_cstring(report->error));
    }
    add_counts(object, report);
    json_t *trees = json_array();
    for (uint32_t i = 0; i < report->tree_count; i++) {
        json_array_append_new(trees, tree_json(&report->trees[i]));
    }
    json_object_set_new(object, "trees", trees);
    json_object_set_new(object, "warnings", texts_json(report->warnings, report->warning_count));
    json_object_set_new(object, "dropped", texts_json(report->dropped, report->dropped_count));
    json_object_set_new(object, "side_files",
                        texts_json(report->side_files, report->side_file_count));
    json_object_set_new(object, "absent_files",
                        texts_json(report->absent_files, report->absent_file_count));
    json_object_set_new(object, "seconds_import", json_number(report->seconds_import));
    json_object_set_new(object, "seconds_build", json_number(report->seconds_build));
    json_object_set_new(object, "seconds_count", json_number(report->seconds_count));
    json_object_set_new(object, "seconds_write", json_number(report->seconds_write));
    add_first_query(object, first);
    return object;
}
