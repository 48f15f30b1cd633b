/* kiln check-mesh: is a mesh the surface of a solid, and what keeps it from being one?
 *
 * A model is imported as kiln bake does it, faces that have no place in a mesh left out and
 * counted; of a kiln file the triangles are taken as they were baked. mesh_faults.h finds the
 * faults. What is required of a mesh are rows of one table: the word by which --require names it,
 * the faults that break it, and the line that people read. */
#include "../kit/columns.h"
#include "../kit/options.h"
#include "../kit/output.h"
#include "../kit/progress.h"
#include "../kit/report.h"
#include "contents.h"
#include "mesh_faults.h"
#include "verbs.h"

#include "../../../formats/assert.h"
#include "../../common/soup.h"
#include "../../import/import.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512 };

typedef struct {
    const char *require, *importer, *side_files, *format;
    double sliver, import_seconds;
    int list, threads, import_memory, progress;
    bool quiet, json;
} check_settings;

#define FIELD(name) offsetof(check_settings, name)

static const option check_options[] = {
    {"require", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(require),
     "what a mesh has to be, by commas: closed, manifold, oriented, outward, simple, separate, "
     "distinct, area, angles, finite; all; none (default all but angles)"},
    {"sliver", 0, OPTION_REAL, "DEGREES", NULL, 0, 60, FIELD(sliver),
     "triangles with a smaller angle are slivers (default 1)"},
    {"list", 0, OPTION_INTEGER, "N", NULL, 0, FAULTS_LISTED_MOST, FIELD(list),
     "name the first N of each kind of fault (default 3)"},
    {"format", 0, OPTION_TEXT, "EXT", NULL, 0, 0, FIELD(format),
     "as for kiln bake: read the models as this format"},
    {"threads", 'j', OPTION_INTEGER, "N", NULL, 0, 256, FIELD(threads),
     "threads (default 0: one for each processor)"},
    {"import-memory", 0, OPTION_INTEGER, "MIB", NULL, 0, 1048576, FIELD(import_memory),
     "as for kiln bake (default 1792)"},
    {"import-seconds", 0, OPTION_REAL, "S", NULL, 0, 1e6, FIELD(import_seconds),
     "as for kiln bake (default 50)"},
    {"side-files", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(side_files),
     "folders of files that models refer to, as for kiln bake"},
    {"importer", 0, OPTION_TEXT, "DIR", NULL, 0, 0, FIELD(importer), "as for kiln bake"},
    {"progress", 0, OPTION_CHOICE, NULL, "auto|bar|json|none", 0, 0, FIELD(progress),
     "how to show progress (default auto: a bar on a terminal)"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quiet),
     "print only errors; the exit status is the result"},
    OPTION_JSON(check_settings),
};

/* ------------------------------------------------------------------------------------ a mesh -- */

/* A mesh, and where its triangles came from: of a model or of a kiln file. */
typedef struct {
    const char *path;
    mesh_arrays arrays;
    kiln_soup soup;
    contents of;
    uint32_t *indices;                               /* of a kiln file, by id */
    bool is_kiln, is_imported;                       /* what is there to be released */
    uint64_t not_finite, bad_indices, points, lines; /* left out by the import */
    mesh_facts facts;
} checked_mesh;

/* Of one triangle, as the source names it. */
typedef struct {
    const char *node, *mesh;
    uint32_t face;
} triangle_source;

static triangle_source source_of(const checked_mesh *m, uint32_t triangle)
{
    uint32_t part = 0;
    if (m->is_kiln) {
        const kiln_view *view = &m->of.view;
        while (triangle - view->parts[part].triangle_first >= view->parts[part].triangle_count) {
            part++;
            KILN_ASSERT(part < view->part_count);
        }
        return (triangle_source){view->strings + view->parts[part].node_path,
                                 view->strings + view->parts[part].mesh_name,
                                 kiln_view_face(view, &view->parts[part], triangle)};
    }
    const kiln_soup *soup = &m->soup;
    while (triangle - soup->parts[part].triangle_first >= soup->parts[part].triangle_count) {
        part++;
        KILN_ASSERT(part < soup->part_count);
    }
    return (triangle_source){soup->strings + soup->parts[part].node_path,
                             soup->strings + soup->parts[part].mesh_name, soup->face[triangle]};
}

static uint32_t part_count_of(const checked_mesh *m)
{
    return m->is_kiln ? m->of.view.part_count : m->soup.part_count;
}

static int load_kiln(checked_mesh *m)
{
    const int status = contents_open(&m->of, m->path);
    if (status != EXIT_DONE) {
        return status;
    }
    m->is_kiln = true;
    const kiln_view *view = &m->of.view;
    if (m->of.kind != CONTENTS_MODEL) {
        return report_error(EXIT_UNSUPPORTED, m->path, "holds no model; kiln info says what it is");
    }
    if (view->triangles == NULL) {
        return report_error(EXIT_INVALID, m->path,
                            "baked without polygons; check the model, or bake it again without "
                            "--no-geometry");
    }
    m->indices = malloc(3 * (size_t)view->triangle_count * sizeof *m->indices);
    if (m->indices == NULL) {
        return report_error(EXIT_RUN, m->path, "out of memory; close other programs");
    }
    for (uint32_t i = 0; i < view->triangle_count; i++) {
        memcpy(m->indices + 3 * (size_t)view->ids[i], view->triangles + 3 * (size_t)i,
               3 * sizeof *m->indices);
    }
    m->arrays = (mesh_arrays){view->vertices, m->indices, view->vertex_count, view->triangle_count};
    return view->points ? report_error(EXIT_INVALID, m->path,
                                       "holds points and no triangles; give a model with faces")
                        : EXIT_DONE;
}

static int load_model(checked_mesh *m, const check_settings *settings, progress *bar)
{
    kiln_bake_options options = kiln_bake_options_default();
    const kiln_bake_input input = {.path = m->path, .format = settings->format};
    kiln_bake_report report;
    memset(&report, 0, sizeof report);
    options.on_bad = KILN_ON_BAD_DROP;
    options.import_memory = (uint64_t)settings->import_memory << 20;
    options.import_seconds = settings->import_seconds;
    options.side_files = settings->side_files;
    options.importer = settings->importer;
    options.threads = settings->threads;
    options.progress = progress_step;
    options.progress_user = bar;
    const int status = (int)kiln_import(&input, &options, &m->soup, &report);
    if (status != EXIT_DONE) {
        progress_end(bar);
        report_error_text(status, m->path, report.error);
        kiln_bake_report_free(&report);
        return status;
    }
    kiln_bake_report_free(&report);
    m->is_imported = true;
    for (uint32_t i = 0; i < m->soup.note_count; i++) {
        m->not_finite += m->soup.notes[i].reason == KILN_FACE_NOT_FINITE;
        m->bad_indices += m->soup.notes[i].reason == KILN_FACE_INDEX_RANGE;
    }
    if (m->soup.samples != NULL) {
        return report_error(EXIT_UNSUPPORTED, m->path,
                            "a height field, of which only a kiln file can be checked; bake it and "
                            "check that");
    }
    m->points = m->soup.points_left_out;
    m->lines = m->soup.lines_left_out;
    m->arrays = (mesh_arrays){m->soup.positions, m->soup.indices, m->soup.vertex_count,
                              m->soup.triangle_count};
    return m->soup.points ? report_error(EXIT_INVALID, m->path,
                                         "holds points and no triangles; give a model with faces")
                          : EXIT_DONE;
}

static void release_mesh(checked_mesh *m)
{
    if (m->is_kiln) {
        contents_close(&m->of);
    } else if (m->is_imported) {
        kiln_soup_free(&m->soup);
    }
    free(m->indices);
}

/* ------------------------------------------------------------------------- what it has to be -- */

/* A fault as a line names it: "1 edge of one triangle", "3 edges of one triangle"; and between two
 * triangles that are listed. `between` NULL: the first is listed alone. */
typedef struct {
    const char *one, *many, *between, *name; /* in the document */
} fault_text;

static const fault_text fault_texts[FAULT_KINDS] = {
    [FAULT_BORDER] = {"edge of one triangle", "edges of one triangle", NULL, "border_edges"},
    [FAULT_CROWDED] = {"edge of three triangles or more", "edges of three triangles or more", "and",
                       "crowded_edges"},
    [FAULT_TURNED] = {"edge passed the same way by both triangles",
                      "edges passed the same way by both triangles", "and", "turned_edges"},
    [FAULT_FORKED] = {"vertex that joins what no edge joins",
                      "vertices that join what no edge joins", "and", "forked_vertices"},
    [FAULT_CROSSING] = {"pair that crosses", "pairs that cross", "crosses", "crossing"},
    [FAULT_OVERLAP] = {"pair that overlaps in one plane", "pairs that overlap in one plane",
                       "overlaps", "overlapping"},
    [FAULT_TOUCHING] = {"pair that touches", "pairs that touch", "touches", "touching"},
    [FAULT_JUNCTION] = {"vertex in an edge of another triangle",
                        "vertices in edges of other triangles", "on", "t_junctions"},
    [FAULT_DUPLICATE] = {"triangle that is there already", "triangles that are there already",
                         "is as", "duplicates"},
    [FAULT_FLAT] = {"triangle without area", "triangles without area", NULL, "without_area"},
    [FAULT_SLIVER] = {"sliver", "slivers", NULL, "slivers"},
};

typedef struct {
    const char *word;
    fault_kind faults[2]; /* the same twice: one */
} requirement;

enum { REQUIRE_OUTWARD = 3, REQUIRE_ANGLES = 8, REQUIRE_FINITE = 9, REQUIREMENTS };

static const requirement requirements[REQUIREMENTS] = {
    {"closed", {FAULT_BORDER, FAULT_BORDER}},
    {"manifold", {FAULT_CROWDED, FAULT_FORKED}},
    {"oriented", {FAULT_TURNED, FAULT_TURNED}},
    {"outward", {FAULT_KINDS, FAULT_KINDS}},
    {"simple", {FAULT_CROSSING, FAULT_OVERLAP}},
    {"separate", {FAULT_TOUCHING, FAULT_JUNCTION}},
    {"distinct", {FAULT_DUPLICATE, FAULT_DUPLICATE}},
    {"area", {FAULT_FLAT, FAULT_FLAT}},
    {"angles", {FAULT_SLIVER, FAULT_SLIVER}},
    {"finite", {FAULT_KINDS, FAULT_KINDS}},
};

/* The bits of a list of words. Reports a word that is none. */
static int parse_requirements(const char *list, unsigned *bits)
{
    if (list == NULL) {
        *bits = ((1u << REQUIREMENTS) - 1) & ~(1u << REQUIRE_ANGLES);
        return EXIT_DONE;
    }
    *bits = 0;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        unsigned found = length == 3 && strncmp(at, "all", 3) == 0 ? (1u << REQUIREMENTS) - 1 : 0;
        suggestion near = suggestion_for(at, length);
        for (unsigned i = 0; i < REQUIREMENTS; i++) {
            const char *word = requirements[i].word;
            found |= strlen(word) == length && strncmp(at, word, length) == 0 ? 1u << i : 0;
            suggestion_try(&near, word);
        }
        if (found == 0 && !(length == 4 && strncmp(at, "none", 4) == 0)) {
            return report_usage("--require: '%.*s' is none of the words%s%s%s", (int)length, at,
                                near.best != NULL ? "; did you mean " : "",
                                near.best != NULL ? near.best : "", near.best != NULL ? "?" : "");
        }
        *bits |= found;
        at += length;
        if (*at == '\0') {
            return EXIT_DONE;
        }
    }
}

/* Can the side that faces look to be told? */
static bool has_volume(const mesh_facts *facts)
{
    return facts->odd_edges == 0 && facts->faults[FAULT_TURNED].count == 0 && facts->edges > 0;
}

static bool is_met(const checked_mesh *m, unsigned which)
{
    const mesh_facts *facts = &m->facts;
    const requirement *of = &requirements[which];
    if (which == REQUIRE_OUTWARD) {
        return !has_volume(facts) || facts->volume > 0;
    }
    if (which == REQUIRE_FINITE) {
        return m->not_finite == 0 && m->bad_indices == 0;
    }
    if (facts->faults[of->faults[0]].count != 0 || facts->faults[of->faults[1]].count != 0) {
        return false;
    }
    return which != 0 || facts->odd_edges == 0;
}

/* ------------------------------------------------------------------------------ the document -- */

static json_t *listed_json(const checked_mesh *m, uint32_t triangle)
{
    const triangle_source source = source_of(m, triangle);
    json_t *object = json_object();
    json_object_set_new(object, "triangle", json_count(triangle));
    json_object_set_new(object, "face", json_count(source.face));
    json_object_set_new(object, "node", json_cstring(source.node));
    json_object_set_new(object, "mesh", json_cstring(source.mesh));
    return object;
}

static json_t *fault_json(const checked_mesh *m, fault_kind kind)
{
    const fault *f = &m->facts.faults[kind];
    json_t *object = json_object(), *first = json_array();
    for (uint32_t i = 0; i < f->listed; i++) {
        json_t *triangles = json_array();
        json_array_append_new(triangles, listed_json(m, f->first[i].a));
        if (kind == FAULT_BORDER) {
            json_object_set_new(json_array_get(triangles, 0), "edge", json_count(f->first[i].b));
        }
        if (fault_texts[kind].between != NULL) {
            json_array_append_new(triangles, listed_json(m, f->first[i].b));
        }
        json_array_append_new(first, triangles);
    }
    json_object_set_new(object, "count", json_count(f->count));
    json_object_set_new(object, "first", first);
    return object;
}

static json_t *mesh_json(const checked_mesh *m, int status, unsigned required)
{
    const mesh_facts *facts = &m->facts;
    json_t *object = json_object(), *faults = json_object(), *is = json_object(),
           *broken = json_array();
    json_object_set_new(object, "file", json_cstring(m->path));
    json_object_set_new(object, "status", json_integer(status));
    if (status != EXIT_DONE && status != EXIT_FAULTS) {
        json_decref(faults);
        json_decref(is);
        json_decref(broken);
        return object;
    }
    json_object_set_new(object, "sound", json_boolean(status == EXIT_DONE));
    for (unsigned i = 0; i < REQUIREMENTS; i++) {
        const bool unknown = i == REQUIRE_OUTWARD && !has_volume(facts);
        json_object_set_new(is, requirements[i].word,
                            unknown ? json_null() : json_boolean(is_met(m, i)));
        if ((required >> i & 1) != 0 && !is_met(m, i)) {
            json_array_append_new(broken, json_string(requirements[i].word));
        }
    }
    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        json_object_set_new(faults, fault_texts[kind].name, fault_json(m, (fault_kind)kind));
    }
    json_object_set_new(object, "broken", broken);
    json_object_set_new(object, "is", is);
    json_object_set_new(object, "triangles", json_count(m->arrays.triangle_count));
    json_object_set_new(object, "vertices", json_count(facts->vertices));
    json_object_set_new(object, "edges", json_count(facts->edges));
    json_object_set_new(object, "parts", json_count(facts->parts));
    json_object_set_new(object, "border_loops", json_count(facts->border_loops));
    json_object_set_new(object, "area", json_number(facts->area));
    json_object_set_new(object, "volume",
                        has_volume(facts) ? json_number(facts->volume) : json_null());
    json_object_set_new(object, "least_angle", json_number(facts->least_angle));
    json_object_set_new(object, "not_finite", json_count(m->not_finite));
    json_object_set_new(object, "bad_indices", json_count(m->bad_indices));
    json_object_set_new(object, "points_left_out", json_count(m->points));
    json_object_set_new(object, "lines_left_out", json_count(m->lines));
    json_object_set_new(object, "faults", faults);
    return object;
}

/* --------------------------------------------------------------------------------- the table -- */

/* Appends to a line, as far as it has room. */
static void add_words(char line[LINE_SIZE], const char *format, ...) PRINTF_LIKE(2, 3);
static void add_words(char line[LINE_SIZE], const char *format, ...)
{
    const size_t length = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + length, LINE_SIZE - length, format, arguments);
    va_end(arguments);
}

static void add_count(char line[LINE_SIZE], uint64_t count, const char *one, const char *many)
{
    char digits[32];
    const size_t length = strlen(line);
    add_words(line, "%s%s %s",
              length == 0               ? ""
              : line[length - 1] == ':' ? " "
                                        : ", ",
              columns_count(count, digits), count == 1 ? one : many);
}

/* "face 3", and of which node where there are several parts. */
static void add_triangle(char line[LINE_SIZE], const checked_mesh *m, uint32_t triangle)
{
    const triangle_source source = source_of(m, triangle);
    add_words(line, "face %u", source.face);
    if (part_count_of(m) > 1) {
        add_words(line, " of %.80s", source.node[0] != '\0' ? source.node : source.mesh);
    }
}

static void add_edge(char line[LINE_SIZE], const checked_mesh *m, uint32_t triangle,
                     uint32_t corner)
{
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t vertex = m->arrays.indices[3 * (size_t)triangle + (corner + k) % 3];
        const float *at = m->arrays.positions + 3 * (size_t)vertex;
        add_words(line, "%s %.6g %.6g %.6g", k == 0 ? ", from" : " to", (double)at[0],
                  (double)at[1], (double)at[2]);
    }
}

static void print_listed(const checked_mesh *m, fault_kind kind)
{
    const fault *f = &m->facts.faults[kind];
    for (uint32_t i = 0; i < f->listed; i++) {
        char line[LINE_SIZE] = "";
        add_triangle(line, m, f->first[i].a);
        if (fault_texts[kind].between != NULL) {
            add_words(line, " %s ", fault_texts[kind].between);
            add_triangle(line, m, f->first[i].b);
        } else if (kind == FAULT_BORDER) {
            add_edge(line, m, f->first[i].a, f->first[i].b);
        }
        columns_item(stdout, "", line);
    }
}

static void print_outward(const mesh_facts *facts)
{
    char line[LINE_SIZE] = "";
    if (has_volume(facts)) {
        add_words(line, "%s: volume %.6g", facts->volume > 0 ? "yes" : "no", facts->volume);
    } else {
        add_words(line, "not known: %s",
                  facts->odd_edges != 0 || facts->edges == 0 ? "it is not closed"
                                                             : "it is not oriented");
    }
    columns_item(stdout, requirements[REQUIRE_OUTWARD].word, line);
}

/* One line for what is required, or could be, and those of its faults that are listed. */
static void print_requirement(const checked_mesh *m, unsigned which)
{
    const mesh_facts *facts = &m->facts;
    const requirement *of = &requirements[which];
    char line[LINE_SIZE] = "";
    if (which == REQUIRE_OUTWARD) {
        print_outward(facts);
        return;
    }
    if (is_met(m, which)) {
        add_words(line, "yes");
        if (which == REQUIRE_ANGLES && facts->least_angle < 180) {
            add_words(line, ": %.3g degrees and more", facts->least_angle);
        }
    } else {
        add_words(line, "no:");
        if (which == REQUIRE_FINITE) {
            if (m->not_finite > 0) {
                add_count(line, m->not_finite, "face with a corner that is not a number",
                          "faces with a corner that is not a number");
            }
            if (m->bad_indices > 0) {
                add_count(line, m->bad_indices, "face with a vertex that is not there",
                          "faces with a vertex that is not there");
            }
        }
        for (int i = 0; i < 2 && which != REQUIRE_FINITE; i++) {
            const fault_kind kind = of->faults[i];
            if ((i == 0 || kind != of->faults[0]) && facts->faults[kind].count > 0) {
                add_count(line, facts->faults[kind].count, fault_texts[kind].one,
                          fault_texts[kind].many);
            }
        }
        if (which == 0 && facts->border_loops > 0) {
            char digits[32];
            add_words(line, ", in %s loop%s", columns_count(facts->border_loops, digits),
                      facts->border_loops == 1 ? "" : "s");
        }
        if (which == 0 && facts->odd_edges > facts->faults[FAULT_BORDER].count) {
            add_count(line, facts->odd_edges - facts->faults[FAULT_BORDER].count,
                      "edge of another odd number of triangles",
                      "edges of another odd number of triangles");
        }
        if (which == REQUIRE_ANGLES) {
            add_words(line, ", the least angle is %.3g degrees", facts->least_angle);
        }
    }
    columns_item(stdout, of->word, line);
    for (int i = 0; i < 2 && which != REQUIRE_FINITE; i++) {
        if (i == 0 || of->faults[1] != of->faults[0]) {
            print_listed(m, of->faults[i]);
        }
    }
}

static void print_mesh(const checked_mesh *m, int status, unsigned required)
{
    const mesh_facts *facts = &m->facts;
    char line[LINE_SIZE] = "";
    report_write_name(stdout, m->path);
    if (status == EXIT_DONE) {
        fputs(required != 0 ? ": sound\n" : ":\n", stdout);
    } else {
        const char *before = ": not ";
        for (unsigned i = 0; i < REQUIREMENTS; i++) {
            if ((required >> i & 1) != 0 && !is_met(m, i)) {
                printf("%s%s", before, requirements[i].word);
                before = ", ";
            }
        }
        putchar('\n');
    }
    add_count(line, m->arrays.triangle_count, "triangle", "triangles");
    add_count(line, facts->vertices, "vertex", "vertices");
    add_count(line, facts->edges, "edge", "edges");
    add_count(line, facts->parts, "part", "parts");
    columns_item(stdout, "mesh", line);
    for (unsigned i = 0; i < REQUIREMENTS; i++) {
        print_requirement(m, i);
    }
    if (m->points > 0 || m->lines > 0) {
        line[0] = '\0';
        add_count(line, m->points, "point", "points");
        add_count(line, m->lines, "line", "lines");
        columns_item(stdout, "left out", line);
    }
}

/* --------------------------------------------------------------------------------------- run -- */

static int check_one(const char *path, int count, const check_settings *settings, unsigned required)
{
    checked_mesh m;
    progress bar;
    memset(&m, 0, sizeof m);
    m.path = path;
    progress_begin(&bar, settings->quiet ? PROGRESS_NONE : (progress_mode)settings->progress, path);
    int status = is_kiln_name(path) ? load_kiln(&m) : load_model(&m, settings, &bar);
    const uint32_t listed = (uint32_t)settings->list;
    if (status == EXIT_DONE &&
        (!mesh_facts_of_surface(&m.arrays, settings->sliver, listed, &m.facts) ||
         (m.arrays.triangle_count > 0 &&
          !mesh_facts_of_meeting(&m.arrays, listed, settings->threads, progress_step, &bar,
                                 &m.facts)))) {
        status = report_error(EXIT_RUN, path, "out of memory; close other programs");
    }
    progress_end(&bar);
    for (unsigned i = 0; i < REQUIREMENTS && status == EXIT_DONE; i++) {
        status = (required >> i & 1) != 0 && !is_met(&m, i) ? EXIT_FAULTS : EXIT_DONE;
    }
    if (report_is_json()) {
        report_file(mesh_json(&m, status, required), count);
    } else if (!settings->quiet && (status == EXIT_DONE || status == EXIT_FAULTS)) {
        print_mesh(&m, status, required);
    }
    release_mesh(&m);
    return status;
}

/* Each model is checked, also after one that failed. That a model can't be read counts more than
 * that it has faults. */
static int run_check_mesh(int argc, char **argv)
{
    check_settings settings = {.sliver = 1, .list = 3, .import_memory = 1792, .import_seconds = 50};
    unsigned required;
    int count, worst = EXIT_DONE;
    int status = options_parse(&verb_check_mesh, argc, argv, &settings, &count);
    if (status == EXIT_DONE) {
        status = parse_requirements(settings.require, &required);
    }
    if (status != EXIT_DONE) {
        return status;
    }
    for (int i = 0; i < count; i++) {
        status = check_one(argv[i], count, &settings, required);
        if (worst == EXIT_DONE || worst == EXIT_FAULTS ||
            (status > worst && status != EXIT_FAULTS)) {
            worst = status != EXIT_DONE ? status : worst;
        }
    }
    return worst;
}

const verb verb_check_mesh = {
    "check-mesh",
    "MODEL...",
    "say what is wrong with a mesh",
    "Says of each model or kiln file whether its triangles are the surface of a solid, and what "
    "keeps them from being one. Vertices of equal position are one. All is decided exactly, but "
    "for angles, area and volume.\n\n"
    "closed: every edge belongs to two triangles, or another even number. manifold: none belongs "
    "to more than two, and the triangles at each vertex hang together by edges. oriented: two "
    "triangles pass their edge in opposite ways. outward: the volume of what is closed and "
    "oriented is positive. simple: no two triangles cross, or overlap in one plane. separate: "
    "none touch but in the corners and edges that they share; vertices within edges of other "
    "triangles are counted among these. distinct: none has the corners of another. area: none "
    "is a segment or a point. angles: none has an angle below --sliver. finite: no corner is "
    "missing, infinite or not a number; faces that have one are left out of all else.\n\n"
    "Triangles are named by the face in the source file, counted from 0. Exit status 8: a mesh "
    "is not what --require says; that a model can't be read goes before.",
    check_options,
    COUNT_OF(check_options),
    1,
    -1,
    run_check_mesh,
};
