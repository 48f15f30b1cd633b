/* kiln diff: what differs between two kiln files. */
#include "../kit/columns.h"
#include "contents.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "rows.h"
#include "table.h"
#include "triangle_sets.h"
#include "verbs.h"

#include "../../common/soup.h"

#include <stdlib.h>
#include <string.h>

enum { TREES_FOR_PEOPLE = 20 };

typedef struct {
    bool geometry, quiet, json;
} diff_settings;

static const option diff_options[] = {
    {"geometry", 0, OPTION_FLAG, NULL, NULL, 0, 0, offsetof(diff_settings, geometry),
     "differ only where the triangles do; all else is told, and ends in exit status 0"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, offsetof(diff_settings, quiet),
     "say nothing but errors; the exit status tells"},
    OPTION_JSON(diff_settings),
};

typedef struct {
    contents files[2];
    tree_sizes *sizes[2];
    bool same_bytes, same_content, same_geometry;
    bool have_sets;
    triangle_sets sets;
    rows found;
} diff;

/* ---------------------------------------------------------------------------------- comparing -- */

static json_t *version_json(const contents *of)
{
    char text[16];
    snprintf(text, sizeof text, "%u.%u", of->reader.header.version_major,
             of->reader.header.version_minor);
    return json_cstring(text);
}

static json_t *layout_json(const contents *of)
{
    return json_cstring(reader_is_packed(&of->reader) ? "packed" : "raw");
}

static json_t *key_json(const contents *of)
{
    char text[2 * sizeof of->reader.header.build_key + 1];
    for (size_t i = 0; i < sizeof of->reader.header.build_key; i++) {
        snprintf(text + 2 * i, 3, "%02x", of->reader.header.build_key[i]);
    }
    return json_cstring(text);
}

static void compare_files(diff *d)
{
    const contents *a = &d->files[0], *b = &d->files[1];
    rows_add(&d->found, "file", "holds", json_cstring(contents_kind_name(a->kind)),
             json_cstring(contents_kind_name(b->kind)));
    rows_add(&d->found, "file", "format", version_json(a), version_json(b));
    rows_add(&d->found, "file", "layout", layout_json(a), layout_json(b));
    rows_add(&d->found, "file", "bytes", json_count(a->size), json_count(b->size));
    rows_add(&d->found, "file", "build key", key_json(a), key_json(b));
}

static void compare_meta(diff *d)
{
    static const char *const groups[] = {"versions", "source", "options", "counts"};
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        rows_add_members(&d->found, groups[i], json_object_get(d->files[0].meta, groups[i]),
                         json_object_get(d->files[1].meta, groups[i]));
    }
}

/* Do two sections hold the same bytes, however they are stored? */
static bool same_section(const kiln_reader_section *a, const kiln_reader_section *b)
{
    return a->entry.raw_size == b->entry.raw_size &&
           (a->entry.raw_size == 0 || memcmp(a->data, b->data, (size_t)a->entry.raw_size) == 0);
}

/* Of how many sections before it is this kind? */
static uint32_t rank_of(const contents *of, uint32_t index)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < index; i++) {
        rank += of->reader.sections[i].entry.kind == of->reader.sections[index].entry.kind;
    }
    return rank;
}

/* The section of this kind that comes after `rank` others, or NULL. */
static const kiln_reader_section *find_section(const contents *of, uint32_t kind, uint32_t rank)
{
    uint32_t index = kiln_reader_find(&of->reader, kind, 0);
    while (index != KILN_NO_INDEX && rank > 0) {
        index = kiln_reader_find(&of->reader, kind, index + 1);
        rank--;
    }
    return index != KILN_NO_INDEX ? &of->reader.sections[index] : NULL;
}

static json_t *section_json(const kiln_reader_section *section)
{
    return section != NULL ? json_count(section->entry.raw_size) : NULL;
}

/* Where sections of one size differ, a count of bytes would not show it. */
static void compare_section(diff *d, const kiln_reader_section *a, const kiln_reader_section *b)
{
    const char *name = section_name(a != NULL ? &a->entry : &b->entry);
    if (a != NULL && b != NULL && same_section(a, b)) {
        return;
    }
    d->same_content = false;
    if (a != NULL && b != NULL && a->entry.raw_size == b->entry.raw_size) {
        char text[64], digits[32];
        snprintf(text, sizeof text, "%s, others", columns_count(a->entry.raw_size, digits));
        rows_add(&d->found, "bytes of sections", name, section_json(a), json_cstring(text));
    } else {
        rows_add(&d->found, "bytes of sections", name, section_json(a), section_json(b));
    }
}

/* Tables have several sections of a kind: the first of one file is compared with the other's first. */
static void compare_sections(diff *d)
{
    const contents *a = &d->files[0], *b = &d->files[1];
    for (uint32_t i = 0; i < a->reader.section_count; i++) {
        const kiln_reader_section *section = &a->reader.sections[i];
        compare_section(d, section, find_section(b, section->entry.kind, rank_of(a, i)));
    }
    for (uint32_t i = 0; i < b->reader.section_count; i++) {
        const kiln_reader_section *section = &b->reader.sections[i];
        if (find_section(a, section->entry.kind, rank_of(b, i)) == NULL) {
            compare_section(d, NULL, section);
        }
    }
}

/* ------------------------------------------------------------------------------------- models -- */

static json_t *corner_json(const double corner[3])
{
    json_t *array = json_array();
    for (int i = 0; i < 3; i++) {
        json_array_append_new(array, json_number(corner[i]));
    }
    return array;
}

static json_t *materials_json(const kiln_view *view)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < view->material_count; i++) {
        json_array_append_new(array, json_cstring(view->strings + view->materials[i]));
    }
    return array;
}

static json_t *parts_json(const kiln_view *view)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < view->part_count; i++) {
        json_array_append_new(array, json_cstring(view->strings + view->parts[i].node_path));
    }
    return array;
}

static void compare_extents(diff *d)
{
    kiln_mesh_extent extents[2];
    for (int i = 0; i < 2; i++) {
        const kiln_view *view = &d->files[i].view;
        kiln_extent_of(view->vertices, view->triangles, view->triangle_count, &extents[i]);
    }
    const kiln_mesh_extent *a = &extents[0], *b = &extents[1];
    rows_add(&d->found, "geometry", "lower corner", corner_json(a->lower), corner_json(b->lower));
    rows_add(&d->found, "geometry", "upper corner", corner_json(a->upper), corner_json(b->upper));
    rows_add(&d->found, "geometry", "area", json_number(a->area), json_number(b->area));
    rows_add(&d->found, "geometry", "signed volume", json_number(a->signed_volume),
             json_number(b->signed_volume));
}

static void add_sets(diff *d)
{
    const triangle_sets *sets = &d->sets;
    d->same_geometry = sets->only_a == 0 && sets->only_b == 0;
    if (!d->same_geometry) {
        rows_put(&d->found, "geometry", "triangles only here", json_count(sets->only_a),
                 json_count(sets->only_b));
    } else if (sets->renumbered > 0) {
        rows_add(&d->found, "geometry", "with other numbers", NULL, json_count(sets->renumbered));
    }
}

/* False: no memory. */
static bool compare_geometry(diff *d)
{
    const kiln_view *a = &d->files[0].view, *b = &d->files[1].view;
    rows_add(&d->found, "geometry", "triangles", json_count(a->triangle_count),
             json_count(b->triangle_count));
    d->have_sets = a->triangles != NULL && b->triangles != NULL;
    if (d->have_sets) {
        if (!triangle_sets_compare(a, b, &d->sets)) {
            return false;
        }
        rows_add(&d->found, "geometry", "vertices", json_count(a->vertex_count),
                 json_count(b->vertex_count));
        add_sets(d);
        compare_extents(d);
    } else {
        d->same_geometry = false;
        rows_add(&d->found, "geometry", "polygons", json_boolean(a->triangles != NULL),
                 json_boolean(b->triangles != NULL));
    }
    rows_add(&d->found, "geometry", "parts", json_count(a->part_count), json_count(b->part_count));
    rows_add(&d->found, "geometry", "nodes of parts", parts_json(a), parts_json(b));
    rows_add(&d->found, "geometry", "materials", materials_json(a), materials_json(b));
    return true;
}

/* A tree by what two files know it by. */
typedef struct {
    const char *name;
    uint32_t bv, index;
} named_tree;

static int compare_named(const void *a, const void *b)
{
    const named_tree *x = a, *y = b;
    return x->bv != y->bv ? (x->bv < y->bv ? -1 : 1) : strcmp(x->name, y->name);
}

static named_tree named_tree_of(const kiln_view *view, uint32_t tree)
{
    return (named_tree){view->strings + view->trees[tree].name, view->trees[tree].bv, tree};
}

/* In order, for find_tree; released by free(). NULL: no memory. */
static named_tree *list_trees(const kiln_view *view)
{
    named_tree *list = malloc(view->tree_count * sizeof *list);
    if (list != NULL) {
        for (uint32_t i = 0; i < view->tree_count; i++) {
            list[i] = named_tree_of(view, i);
        }
        qsort(list, view->tree_count, sizeof *list, compare_named);
    }
    return list;
}

/* The tree of a list with the name and kind of another view's, or KILN_NO_INDEX. */
static uint32_t find_tree(const named_tree *list, uint32_t count, const kiln_view *other,
                          uint32_t tree)
{
    const named_tree wanted = named_tree_of(other, tree);
    const named_tree *found = bsearch(&wanted, list, count, sizeof *list, compare_named);
    return found != NULL ? found->index : KILN_NO_INDEX;
}

static json_t *tree_json(const diff *d, int file, uint32_t tree)
{
    static const char *const closed[] = {"no", "even", "oriented"};
    if (tree == KILN_NO_INDEX) {
        return NULL;
    }
    const kiln_format_tree *entry = &d->files[file].view.trees[tree];
    const tree_sizes *sizes = &d->sizes[file][tree];
    json_t *object = json_object();
    json_object_set_new(object, "triangles", json_count(entry->triangle_count));
    json_object_set_new(object, "nodes", json_count(entry->node_count));
    json_object_set_new(object, "depth", json_count(entry->depth));
    json_object_set_new(object, "leaf", json_count(entry->leaf_max));
    json_object_set_new(object, "expected tests", json_number(sizes->cost));
    json_object_set_new(object, "bytes raw", json_count(sizes->bytes_raw));
    json_object_set_new(object, "bytes packed", json_count(sizes->bytes_packed));
    json_object_set_new(object, "closed", json_cstring(closed[entry->closed]));
    return object;
}

static void compare_tree(diff *d, uint32_t a, uint32_t b)
{
    const kiln_view *view = &d->files[a != KILN_NO_INDEX ? 0 : 1].view;
    const uint32_t tree = a != KILN_NO_INDEX ? a : b;
    const char *kind = kiln_node_kind_find(view->trees[tree].bv)->name;
    const char *name = view->strings + view->trees[tree].name;
    const size_t size = strlen(kind) + strlen(name) + 8;
    char *group = malloc(size);
    if (group == NULL) {
        d->found.no_memory = true;
        return;
    }
    snprintf(group, size, "tree %s %s", kind, name);
    json_t *in_a = tree_json(d, 0, a), *in_b = tree_json(d, 1, b);
    rows_add_members(&d->found, group, in_a, in_b);
    json_decref(in_a);
    json_decref(in_b);
    free(group);
}

/* In the order of A, then those that only B has. */
static void match_trees(diff *d, named_tree *const lists[2])
{
    const kiln_view *a = &d->files[0].view, *b = &d->files[1].view;
    for (uint32_t i = 0; i < a->tree_count; i++) {
        compare_tree(d, i, find_tree(lists[1], b->tree_count, a, i));
    }
    for (uint32_t i = 0; i < b->tree_count; i++) {
        if (find_tree(lists[0], a->tree_count, b, i) == KILN_NO_INDEX) {
            compare_tree(d, KILN_NO_INDEX, i);
        }
    }
}

/* False: no memory. */
static bool compare_trees(diff *d)
{
    named_tree *lists[2];
    bool good = true;
    for (int i = 0; i < 2; i++) {
        d->sizes[i] = tree_sizes_of(&d->files[i].view);
        lists[i] = list_trees(&d->files[i].view);
        good = good && d->sizes[i] != NULL && lists[i] != NULL;
    }
    if (good) {
        match_trees(d, lists);
    }
    free(lists[0]);
    free(lists[1]);
    return good;
}

static void compare_tables(diff *d)
{
    json_t *a = json_object(), *b = json_object();
    table_describe(d->files[0].table.header, a);
    table_describe(d->files[1].table.header, b);
    rows_add_members(&d->found, "table", a, b);
    json_decref(a);
    json_decref(b);
}

/* False: no memory. */
static bool compare(diff *d)
{
    const contents *a = &d->files[0], *b = &d->files[1];
    bool good = true;
    d->same_bytes = a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
    d->same_content = true;
    d->same_geometry = a->kind == b->kind;
    compare_files(d);
    compare_meta(d);
    if (a->kind == CONTENTS_MODEL && b->kind == CONTENTS_MODEL) {
        good = compare_geometry(d) && compare_trees(d);
    } else if (a->kind == CONTENTS_TABLE && b->kind == CONTENTS_TABLE) {
        compare_tables(d);
    }
    compare_sections(d);
    return good && !d->found.no_memory;
}

/* ------------------------------------------------------------------------------------ telling -- */

static void add_json(const diff *d)
{
    json_t *root = report_root();
    json_object_set_new(root, "a", json_cstring(d->files[0].path));
    json_object_set_new(root, "b", json_cstring(d->files[1].path));
    json_object_set_new(root, "same_bytes", json_boolean(d->same_bytes));
    json_object_set_new(root, "same_content", json_boolean(d->same_content));
    json_object_set_new(root, "same_geometry",
                        d->have_sets ? json_boolean(d->same_geometry) : json_null());
    if (d->have_sets) {
        json_object_set_new(root, "triangles_only_a", json_count(d->sets.only_a));
        json_object_set_new(root, "triangles_only_b", json_count(d->sets.only_b));
        json_object_set_new(root, "triangles_renumbered", json_count(d->sets.renumbered));
    }
    json_object_set_new(root, "differences", rows_json(&d->found));
}

static const char *verdict_of(const diff *d)
{
    if (d->same_content) {
        return "the content is the same";
    }
    if (!d->have_sets) {
        return "the content differs";
    }
    return d->same_geometry ? "the content differs, the triangles are the same"
                            : "the triangles differ";
}

static void print(const diff *d)
{
    if (d->same_bytes) {
        printf("%s and %s: the same bytes\n", d->files[0].path, d->files[1].path);
        return;
    }
    printf("A: %s\nB: %s\n\n", d->files[0].path, d->files[1].path);
    rows_print(&d->found, TREES_FOR_PEOPLE);
    printf("\n%s\n", verdict_of(d));
}

static int tell(diff *d, const diff_settings *settings)
{
    if (report_is_json()) {
        add_json(d);
    } else if (!settings->quiet) {
        print(d);
    }
    if (settings->geometry && d->files[0].kind == CONTENTS_MODEL &&
        d->files[1].kind == CONTENTS_MODEL && !d->have_sets && !d->same_content) {
        return report_error(
            EXIT_INVALID, d->files[0].view.triangles == NULL ? d->files[0].path : d->files[1].path,
            "baked without polygons; triangles can't be compared; bake it again "
            "without --no-geometry");
    }
    return (settings->geometry ? d->same_geometry || d->same_content : d->same_content)
               ? EXIT_DONE
               : EXIT_DIFFERS;
}

static int run_diff(int argc, char **argv)
{
    diff_settings settings = {false, false, false};
    int count;
    int status = options_parse(&verb_diff, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    diff d;
    memset(&d, 0, sizeof d);
    status = contents_open(&d.files[0], argv[0]);
    if (status != EXIT_DONE) {
        return status;
    }
    status = contents_open(&d.files[1], argv[1]);
    if (status == EXIT_DONE) {
        status = compare(&d) ? tell(&d, &settings)
                             : report_error(EXIT_RUN, NULL, "out of memory; close other programs");
        contents_close(&d.files[1]);
    }
    contents_close(&d.files[0]);
    free(d.sizes[0]);
    free(d.sizes[1]);
    rows_free(&d.found);
    return status;
}

const verb verb_diff = {
    "diff",
    "A.kiln B.kiln",
    "tell what differs between two kiln files",
    "Compares what two files hold: what they were baked from, by and with, their triangles as sets "
    "(exactly, corner by corner, wherever a triangle starts), their trees by kind and name, and "
    "the "
    "bytes of their sections. Prints what differs and by how much. Files with the same content are "
    "the same, packed or raw. Exit status 7: they differ.",
    diff_options,
    COUNT_OF(diff_options),
    2,
    2,
    run_diff,
};
