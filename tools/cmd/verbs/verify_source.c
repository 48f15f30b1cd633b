#include "verify_source.h"

#include "../kit/report.h"
#include "verbs.h"

#include "../../common/soup.h"
#include "../../import/grid.h"
#include "../../import/import.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ options -- */

static const char *text_member(json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

/* Those that an import depends on. The document may say anything: what is out of range counts as not
 * said. */
static kiln_bake_options import_options(json_t *meta)
{
    json_t *said = json_object_get(meta, "options");
    kiln_bake_options options = kiln_bake_options_default();
    const char *up = text_member(said, "up");
    const double scale = json_number_value(json_object_get(said, "scale"));
    const json_int_t grid = json_integer_value(json_object_get(said, "lossy_grid"));
    options.scale = scale > 0.0 ? scale : 1.0;
    options.up = up[0] >= 'x' && up[0] <= 'z' ? up[0] - 'x' : -1;
    options.on_bad =
        strcmp(text_member(said, "on_bad"), "drop") == 0 ? KILN_ON_BAD_DROP : KILN_ON_BAD_ERROR;
    options.drop =
        (json_is_true(json_object_get(said, "drop_degenerate")) ? KILN_DROP_DEGENERATE : 0u) |
        (json_is_true(json_object_get(said, "drop_duplicate")) ? KILN_DROP_DUPLICATE : 0u);
    options.lossy_grid = grid >= KILN_LOSSY_BITS_MIN && grid <= KILN_LOSSY_BITS_MAX ? (int)grid : 0;
    return options;
}

/* The format under which the source was read, where its name does not say so itself; else NULL. */
static const char *format_of(json_t *meta, const char *source)
{
    const char *format = text_member(json_object_get(meta, "source"), "format");
    const char *slash = strrchr(source, '/');
    const char *dot = strrchr(slash != NULL ? slash : source, '.');
    size_t i = 0;
    while (dot != NULL && format[i] != '\0' && (dot[1 + i] | 0x20) == format[i]) {
        i++;
    }
    const bool says = format[0] == '\0' || (dot != NULL && format[i] == '\0' && dot[1 + i] == '\0');
    return says ? NULL : format;
}

/* ---------------------------------------------------------------------------------- comparing -- */

typedef struct {
    const kiln_view *view;
    const kiln_soup *soup;
    const char *source;
    source_verdict *verdict;
} comparison;

/* Keeps the first. */
static void differs(const comparison *c, const char *format, ...) PRINTF_LIKE(2, 3);
static void differs(const comparison *c, const char *format, ...)
{
    if (c->verdict->first[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(c->verdict->first, sizeof c->verdict->first, format, arguments);
        va_end(arguments);
    }
}

static const char *soup_string(const comparison *c, uint32_t offset)
{
    return c->soup->strings + offset;
}

static bool same_part(const comparison *c, uint32_t index)
{
    const kiln_format_part *a = &c->view->parts[index];
    const kiln_soup_part *b = &c->soup->parts[index];
    return a->triangle_first == b->triangle_first && a->triangle_count == b->triangle_count &&
           a->primitive == b->primitive &&
           strcmp(c->view->strings + a->node_path, soup_string(c, b->node_path)) == 0 &&
           strcmp(c->view->strings + a->mesh_name, soup_string(c, b->mesh_name)) == 0;
}

/* Names, places and counts of nodes and meshes, and names of materials. */
static void compare_parts(const comparison *c)
{
    const uint32_t count =
        c->view->part_count < c->soup->part_count ? c->view->part_count : c->soup->part_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!same_part(c, i)) {
            const kiln_format_part *a = &c->view->parts[i];
            const kiln_soup_part *b = &c->soup->parts[i];
            differs(c,
                    "part %u is node '%.80s', mesh '%.60s', %u triangles; in %.100s it is node "
                    "'%.80s', mesh '%.60s', %u triangles",
                    i, c->view->strings + a->node_path, c->view->strings + a->mesh_name,
                    a->triangle_count, c->source, soup_string(c, b->node_path),
                    soup_string(c, b->mesh_name), b->triangle_count);
        }
    }
    if (c->view->part_count != c->soup->part_count) {
        differs(c, "it has %u parts, %.100s has %u", c->view->part_count, c->source,
                c->soup->part_count);
    }
}

static void compare_materials(const comparison *c)
{
    if (c->view->material_count != c->soup->material_count) {
        differs(c, "it has %u materials, %.100s has %u", c->view->material_count, c->source,
                c->soup->material_count);
        return;
    }
    for (uint32_t i = 0; i < c->soup->material_count; i++) {
        const char *a = c->view->strings + c->view->materials[i];
        const char *b = soup_string(c, c->soup->materials[i]);
        if (strcmp(a, b) != 0) {
            differs(c, "material %u is '%.100s', in %.100s it is '%.100s'", i, a, c->source, b);
        }
    }
}

/* The first corner that differs, or 3. Coordinates are finite and have no -0. */
static unsigned other_corner(const comparison *c, uint32_t stored, uint32_t id, const float **a,
                             const float **b)
{
    for (unsigned k = 0; k < 3; k++) {
        *a = c->view->vertices + 3 * (size_t)c->view->triangles[3 * (size_t)stored + k];
        *b = c->soup->positions + 3 * (size_t)c->soup->indices[3 * (size_t)id + k];
        if (memcmp(*a, *b, 3 * sizeof(float)) != 0) {
            return k;
        }
    }
    return 3;
}

static void compare_triangle(const comparison *c, const kiln_format_part *part, uint32_t stored,
                             uint32_t id)
{
    const uint32_t face = kiln_view_face(c->view, part, id);
    const uint32_t user = kiln_view_user(c->view, part, id);
    const float *a, *b;
    char where[320];
    const unsigned corner = other_corner(c, stored, id, &a, &b);
    if (corner == 3 && face == c->soup->face[id] && user == c->soup->user[id]) {
        return;
    }
    c->verdict->differing++;
    snprintf(where, sizeof where, "triangle %u, node '%.100s', mesh '%.80s', face %u", id,
             c->view->strings + part->node_path, c->view->strings + part->mesh_name, face);
    if (corner < 3) {
        differs(c, "%s: corner %u is %.9g %.9g %.9g, in the source it is %.9g %.9g %.9g", where,
                corner, (double)a[0], (double)a[1], (double)a[2], (double)b[0], (double)b[1],
                (double)b[2]);
    } else if (face != c->soup->face[id]) {
        differs(c, "%s: in the source it is face %u", where, c->soup->face[id]);
    } else {
        differs(c, "%s: has material %u, in the source %u", where, user, c->soup->user[id]);
    }
}

/* By id; both have as many and the same parts. False: no memory. */
static bool compare_triangles(const comparison *c)
{
    const uint32_t count = c->view->triangle_count;
    uint32_t *stored_of = malloc((size_t)count * sizeof *stored_of);
    if (stored_of == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        stored_of[c->view->ids[i]] = i;
    }
    for (uint32_t p = 0; p < c->view->part_count; p++) {
        const kiln_format_part *part = &c->view->parts[p];
        for (uint32_t id = part->triangle_first; id < part->triangle_first + part->triangle_count;
             id++) {
            compare_triangle(c, part, stored_of[id], id);
        }
    }
    free(stored_of);
    return true;
}

static bool hash_is(const kiln_soup *soup, const char *said)
{
    char text[2 * sizeof soup->source_hash + 1];
    for (size_t i = 0; i < sizeof soup->source_hash; i++) {
        snprintf(text + 2 * i, 3, "%02x", soup->source_hash[i]);
    }
    return strcmp(text, said) == 0;
}

/* Triangles are gone through only where counts and parts agree: else their ids mean other things. */
static bool compare(const comparison *c)
{
    if (c->view->triangle_count != c->soup->triangle_count) {
        differs(c, "it has %u triangle%s, %.100s has %u", c->view->triangle_count,
                c->view->triangle_count == 1 ? "" : "s", c->source, c->soup->triangle_count);
    }
    compare_parts(c);
    bool good = true;
    if (c->verdict->first[0] == '\0' && c->view->triangles != NULL) {
        good = compare_triangles(c);
    }
    compare_materials(c);
    return good;
}

int verify_source(const contents *of, const char *source, int import_memory, double import_seconds,
                  source_verdict *verdict)
{
    kiln_bake_options options = import_options(of->meta);
    const kiln_bake_input input = {.path = source, .format = format_of(of->meta, source)};
    kiln_bake_report report;
    kiln_soup soup;
    memset(&report, 0, sizeof report);
    memset(verdict, 0, sizeof *verdict);
    options.import_memory = (uint64_t)import_memory << 20;
    options.import_seconds = import_seconds;
    int status = (int)kiln_import(&input, &options, &soup, &report);
    if (status != EXIT_DONE) {
        report_error(status, NULL, "%s", report.error);
        kiln_bake_report_free(&report);
        return status;
    }
    kiln_bake_report_free(&report);
    const comparison c = {&of->view, &soup, source, verdict};
    if ((options.lossy_grid != 0 && !kiln_snap_to_grid(&soup, options.lossy_grid)) ||
        !compare(&c)) {
        status = report_error(EXIT_RUN, of->path, "out of memory; close other programs");
    }
    verdict->triangles = soup.triangle_count;
    verdict->same_bytes =
        hash_is(&soup, text_member(json_object_get(of->meta, "source"), "sha256"));
    kiln_soup_free(&soup);
    return status;
}
