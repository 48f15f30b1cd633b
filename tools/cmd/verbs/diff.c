/* kiln diff: what differs between two kiln files.
 *
 * Two verdicts are kept apart. The content differs where any decoded section does, so that a packed
 * and a raw file of one bake are the same. The geometry differs where the sets of triangles do:
 * triangles are compared exactly, corner by corner, and neither their order nor the corner that one
 * starts with matters, because every bake sorts them anew. Sets are compared by sorting both lists,
 * which needs no hash table and finds a triangle that occurs more often in one file. All
 * differences, from versions to nodes of a tree, become rows of two values (rows.h), which people
 * get as a table and programs as a list. */
#include "../kit/columns.h"
#include "contents.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "rows.h"
#include "axis_set.h"
#include "table.h"
#include "verbs.h"

#include "../../../formats/assert.h"
#include "../../common/soup.h"

#include <stdlib.h>
#include <string.h>

/* Groups of rows about trees that are printed; --json has all of them. */
enum { TREES_FOR_PEOPLE = 20 };

typedef struct {
    bool geometry, quiet, json;
} diff_settings;

static const option diff_options[] = {
    {"geometry", 0, OPTION_FLAG, NULL, NULL, 0, 0, offsetof(diff_settings, geometry),
     "compare only the triangles; other differences are printed and end in exit status 0"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, offsetof(diff_settings, quiet),
     "print only errors; the exit status is the result"},
    OPTION_JSON(diff_settings),
};

/* How two sets of triangles differ. */
typedef struct {
    uint64_t only_a, only_b; /* triangles that one file has, or has more often */
    uint64_t renumbered;     /* ids of both files that stand for different triangles */
} triangle_sets;

typedef struct {
    contents files[2];
    tree_sizes *sizes[2];
    bool same_bytes, same_content, same_geometry;
    bool have_sets;
    triangle_sets sets;
    rows found;
} diff;

/* --------------------------------------------------------------------------------- comparing -- */

/* Version, layout and key are texts for people; programs get the same ones. */
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

/* The build key in hex: equal keys mean the same source and options. */
static json_t *key_json(const contents *of)
{
    char text[2 * sizeof of->reader.header.build_key + 1];
    for (size_t i = 0; i < sizeof of->reader.header.build_key; i++) {
        snprintf(text + 2 * i, 3, "%02x", of->reader.header.build_key[i]);
    }
    return json_cstring(text);
}

/* The number of sections of the same kind before the one at `index`. */
static uint32_t rank_of(const contents *of, uint32_t index)
{
    uint32_t rank = 0;
    KILN_ASSERT(index < of->reader.section_count);
    for (uint32_t i = 0; i < index; i++) {
        rank += of->reader.sections[i].entry.kind == of->reader.sections[index].entry.kind;
    }
    return rank;
}

/* The section that comes after `rank` others of its kind, or NULL. */
static const kiln_reader_section *find_section(const contents *of, uint32_t kind, uint32_t rank)
{
    uint32_t index = kiln_reader_find(&of->reader, kind, 0);
    while (index != KILN_NO_INDEX && rank > 0) {
        index = kiln_reader_find(&of->reader, kind, index + 1);
        rank--;
    }
    return index != KILN_NO_INDEX ? &of->reader.sections[index] : NULL;
}

/* NULL where the file has no such section. */
static json_t *section_json(const kiln_reader_section *section)
{
    return section != NULL ? json_count(section->entry.raw_size) : NULL;
}

/* Adds a row where two sections differ, or one is missing (NULL). The row shows bytes; where
 * sections of one size differ, a second count would not show it, and a word follows it. */
static void compare_section(diff *d, const kiln_reader_section *a, const kiln_reader_section *b)
{
    KILN_ASSERT(a != NULL || b != NULL);
    const char *name = section_name(a != NULL ? &a->entry : &b->entry);
    const bool same_size = a != NULL && b != NULL && a->entry.raw_size == b->entry.raw_size;
    if (same_size &&
        (a->entry.raw_size == 0 || memcmp(a->data, b->data, (size_t)a->entry.raw_size) == 0)) {
        return;
    }
    d->same_content = false;
    if (same_size) {
        char text[64], digits[32];
        snprintf(text, sizeof text, "%s, others", columns_count(a->entry.raw_size, digits));
        rows_add(&d->found, "bytes of sections", name, section_json(a), json_cstring(text));
    } else {
        rows_add(&d->found, "bytes of sections", name, section_json(a), section_json(b));
    }
}

/* ------------------------------------------------------------------------------------ models -- */

/* Names of materials in the order of their numbers. */
static json_t *materials_json(const kiln_view *view)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < view->material_count; i++) {
        json_array_append_new(array, json_cstring(view->strings + view->materials[i]));
    }
    return array;
}

/* Paths of nodes, one for each part. */
static json_t *parts_json(const kiln_view *view)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < view->part_count; i++) {
        json_array_append_new(array, json_cstring(view->strings + view->parts[i].node_path));
    }
    return array;
}

/* Three corners in their order, from the one whose bytes are least. */
typedef struct {
    float corners[9];
} triangle;

/* For qsort, and for equality: canonical triangles are compared by bytes. */
static int compare_triangles(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(triangle));
}

/* All triangles by id, in their canonical form; of a height field those that are there. Adding 0
 * makes -0 and 0 one, so that comparing bytes is comparing coordinates. NULL: no memory. */
static triangle *list_triangles(const kiln_view *view)
{
    triangle *list = malloc((size_t)view->triangle_count * sizeof *list);
    uint32_t missing = 0;
    for (uint32_t stored = 0; list != NULL && stored < view->triangle_count; stored++) {
        KILN_ASSERT(view->ids[stored] < view->triangle_count);
        if (!kiln_view_stores(view, stored)) {
            missing++;
            continue;
        }
        float corners[3][3];
        for (int k = 0; k < 3; k++) {
            const uint32_t vertex = view->triangles[3 * (size_t)stored + (size_t)k];
            for (int i = 0; i < 3; i++) {
                corners[k][i] = view->vertices[3 * (size_t)vertex + (size_t)i] + 0.0f;
            }
        }
        triangle best, other;
        memcpy(best.corners, corners, sizeof best.corners);
        for (int first = 1; first < 3; first++) {
            for (int k = 0; k < 3; k++) {
                memcpy(other.corners + 3 * k, corners[(first + k) % 3], sizeof corners[0]);
            }
            best = compare_triangles(&other, &best) < 0 ? other : best;
        }
        list[view->ids[stored] - missing] = best;
    }
    return list;
}

/* Compares the triangles of two files that both have polygons: first by id, then, sorted, as sets.
 * False: no memory. */
static bool compare_sets(const kiln_view *a, const kiln_view *b, triangle_sets *out)
{
    triangle *list_a = list_triangles(a), *list_b = list_triangles(b);
    const uint32_t count_a = kiln_view_faces(a), count_b = kiln_view_faces(b);
    const uint32_t both = count_a < count_b ? count_a : count_b;
    const bool good = list_a != NULL && list_b != NULL;
    memset(out, 0, sizeof *out);
    if (good) {
        uint32_t i = 0, k = 0;
        for (uint32_t id = 0; id < both; id++) {
            out->renumbered += compare_triangles(&list_a[id], &list_b[id]) != 0;
        }
        /* In this order equal triangles meet in the merge below, wherever they are stored. */
        qsort(list_a, count_a, sizeof *list_a, compare_triangles);
        qsort(list_b, count_b, sizeof *list_b, compare_triangles);
        while (i < count_a && k < count_b) { /* a merge: the lesser one is missing in the other */
            const int order = compare_triangles(&list_a[i], &list_b[k]);
            i += order <= 0;
            k += order >= 0;
            out->only_a += order < 0;
            out->only_b += order > 0;
        }
        out->only_a += count_a - i;
        out->only_b += count_b - k;
        /* What is in both is as much in either file. */
        KILN_ASSERT(count_a - out->only_a == count_b - out->only_b);
    }
    free(list_a);
    free(list_b);
    return good;
}

/* Adds rows for triangles, vertices, extents, parts and materials. False: no memory. */
static bool compare_geometry(diff *d)
{
    const kiln_view *a = &d->files[0].view, *b = &d->files[1].view;
    rows_add(&d->found, "geometry", "triangles", json_count(kiln_view_faces(a)),
             json_count(kiln_view_faces(b)));
    d->have_sets = a->triangles != NULL && b->triangles != NULL;
    if (d->have_sets) {
        /* Two files have polygons: their triangles decide, whatever else differs. */
        if (!compare_sets(a, b, &d->sets)) {
            return false;
        }
        rows_add(&d->found, "geometry", "vertices", json_count(a->vertex_count),
                 json_count(b->vertex_count));
        const triangle_sets *sets = &d->sets;
        d->same_geometry = sets->only_a == 0 && sets->only_b == 0;
        if (!d->same_geometry) { /* shown also where both counts are the same */
            rows_put(&d->found, "geometry", "triangles only here", json_count(sets->only_a),
                     json_count(sets->only_b));
        } else if (sets->renumbered > 0) {
            rows_add(&d->found, "geometry", "with other numbers", NULL,
                     json_count(sets->renumbered));
        }
        kiln_mesh_extent x, y;
        kiln_extent_of(a->vertices, a->triangles, a->triangle_count, &x);
        kiln_extent_of(b->vertices, b->triangles, b->triangle_count, &y);
        rows_add(&d->found, "geometry", "lower corner", json_numbers(x.lower, 3),
                 json_numbers(y.lower, 3));
        rows_add(&d->found, "geometry", "upper corner", json_numbers(x.upper, 3),
                 json_numbers(y.upper, 3));
        rows_add(&d->found, "geometry", "area", json_number(x.area), json_number(y.area));
        rows_add(&d->found, "geometry", "signed volume", json_number(x.signed_volume),
                 json_number(y.signed_volume));
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

/* A tree with the name and the kind by which two files are matched. */
typedef struct {
    const char *name;
    uint32_t bv, index;
} named_tree;

/* For qsort and bsearch: kinds first, then names. */
static int compare_named(const void *a, const void *b)
{
    const named_tree *x = a, *y = b;
    return x->bv != y->bv ? (x->bv < y->bv ? -1 : 1) : strcmp(x->name, y->name);
}

/* The key points into the file's strings, which live as long as the view. */
static named_tree named_tree_of(const kiln_view *view, uint32_t tree)
{
    return (named_tree){view->strings + view->trees[tree].name, view->trees[tree].bv, tree};
}

/* The tree of a list that has the name and the kind of a tree of another file, or KILN_NO_INDEX. */
static uint32_t find_tree(const named_tree *list, uint32_t count, const kiln_view *other,
                          uint32_t tree)
{
    const named_tree wanted = named_tree_of(other, tree);
    const named_tree *found = bsearch(&wanted, list, count, sizeof *list, compare_named);
    return found != NULL ? found->index : KILN_NO_INDEX;
}

/* Names are those of the table that people read. NULL: the file has no such tree. */
static json_t *tree_json(const diff *d, int file, uint32_t tree)
{
    static const char *const closed[] = {"no", "even", "oriented"};
    if (tree == KILN_NO_INDEX) {
        return NULL;
    }
    KILN_ASSERT(tree < d->files[file].view.tree_count);
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

/* Adds the rows of a tree, which one of the files may lack (KILN_NO_INDEX), under a group of its
 * own. */
static void compare_tree(diff *d, uint32_t a, uint32_t b)
{
    KILN_ASSERT(a != KILN_NO_INDEX || b != KILN_NO_INDEX);
    const kiln_view *view = &d->files[a != KILN_NO_INDEX ? 0 : 1].view;
    const uint32_t tree = a != KILN_NO_INDEX ? a : b;
    const char *kind = kiln_node_kind_find(view->trees[tree].bv)->name;
    const char *name = view->strings + view->trees[tree].name;
    /* Names come from models and have any length, so that the group is allocated. */
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

/* Compares trees in the order of A, then those that only B has. False: no memory. */
static bool compare_trees(diff *d)
{
    const kiln_view *a = &d->files[0].view, *b = &d->files[1].view;
    /* Trees are matched by name and kind, since their order in a file is that of the source. */
    named_tree *lists[2];
    bool good = true;
    for (int i = 0; i < 2; i++) {
        const kiln_view *view = &d->files[i].view;
        d->sizes[i] = tree_sizes_of(view);
        lists[i] = malloc(view->tree_count * sizeof *lists[i]);
        good = good && d->sizes[i] != NULL && lists[i] != NULL;
        for (uint32_t tree = 0; good && tree < view->tree_count; tree++) {
            lists[i][tree] = named_tree_of(view, tree);
        }
        if (good) { /* sorted for find_tree(), as files of thousands of trees exist */
            qsort(lists[i], view->tree_count, sizeof *lists[i], compare_named);
        }
    }
    for (uint32_t i = 0; good && i < a->tree_count; i++) {
        compare_tree(d, i, find_tree(lists[1], b->tree_count, a, i));
    }
    for (uint32_t i = 0; good && i < b->tree_count; i++) {
        if (find_tree(lists[0], a->tree_count, b, i) == KILN_NO_INDEX) {
            compare_tree(d, KILN_NO_INDEX, i);
        }
    }
    free(lists[0]);
    free(lists[1]);
    return good;
}

/* Fills *d with all that differs between its two files. False: no memory. */
static bool compare(diff *d)
{
    static const char *const groups[] = {"versions", "source", "options", "counts"}; /* of meta */
    const contents *a = &d->files[0], *b = &d->files[1];
    bool good = true;
    KILN_ASSERT(a->is_open && b->is_open);
    /* From outside inwards: bytes, header, meta document, geometry and trees, sections. */
    d->same_bytes = a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
    d->same_content = true;
    d->same_geometry = a->kind == b->kind;
    rows_add(&d->found, "file", "holds", json_cstring(contents_kind_name(a->kind)),
             json_cstring(contents_kind_name(b->kind)));
    rows_add(&d->found, "file", "format", version_json(a), version_json(b));
    rows_add(&d->found, "file", "layout", layout_json(a), layout_json(b));
    rows_add(&d->found, "file", "bytes", json_count(a->size), json_count(b->size));
    rows_add(&d->found, "file", "build key", key_json(a), key_json(b));
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        rows_add_members(&d->found, groups[i], json_object_get(a->meta, groups[i]),
                         json_object_get(b->meta, groups[i]));
    }
    if (a->kind == CONTENTS_MODEL && b->kind == CONTENTS_MODEL) {
        good = compare_geometry(d) && compare_trees(d);
    } else if (a->kind == CONTENTS_TABLE && b->kind == CONTENTS_TABLE) {
        json_t *x = json_object(), *y = json_object();
        table_describe(a->table.header, x);
        table_describe(b->table.header, y);
        rows_add_members(&d->found, "table", x, y);
        json_decref(x);
        json_decref(y);
    } else if (a->kind == CONTENTS_AXES && b->kind == CONTENTS_AXES) {
        json_t *x = json_object(), *y = json_object();
        axis_set_describe(a->axes.header, x);
        axis_set_describe(b->axes.header, y);
        rows_add_members(&d->found, "axes", x, y);
        json_decref(x);
        json_decref(y);
    }

    /* Tables have several sections of a kind: the first of one file is compared with the other's
     * first. */
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

    /* Files of the same bytes have the same content; the reverse does not hold. */
    KILN_ASSERT(!d->same_bytes || d->same_content);
    return good && !d->found.no_memory;
}

/* --------------------------------------------------------------------------------- reporting -- */

/* Sizes stay NULL where the files are no models. */
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
    if (status != EXIT_DONE) {
        goto done;
    }
    if (!compare(&d)) {
        status = report_error(EXIT_RUN, NULL, "out of memory; close other programs");
        goto close;
    }

    /* The differences, then the exit status, which says whether the files differ in what was to be
     * compared. */
    if (report_is_json()) {
        json_t *root = report_root();
        json_object_set_new(root, "a", json_cstring(d.files[0].path));
        json_object_set_new(root, "b", json_cstring(d.files[1].path));
        json_object_set_new(root, "same_bytes", json_boolean(d.same_bytes));
        json_object_set_new(root, "same_content", json_boolean(d.same_content));
        json_object_set_new(root, "same_geometry",
                            d.have_sets ? json_boolean(d.same_geometry) : json_null());
        if (d.have_sets) {
            json_object_set_new(root, "triangles_only_a", json_count(d.sets.only_a));
            json_object_set_new(root, "triangles_only_b", json_count(d.sets.only_b));
            json_object_set_new(root, "triangles_renumbered", json_count(d.sets.renumbered));
        }
        json_object_set_new(root, "differences", rows_json(&d.found));
    } else if (d.same_bytes && !settings.quiet) {
        printf("%s and %s: the same bytes\n", d.files[0].path, d.files[1].path);
    } else if (!settings.quiet) {
        printf("A: %s\nB: %s\n\n", d.files[0].path, d.files[1].path);
        rows_print(&d.found, TREES_FOR_PEOPLE);
        printf("\n%s\n", d.same_content    ? "the content is the same"
                         : !d.have_sets    ? "the content differs"
                         : d.same_geometry ? "the content differs, the triangles are the same"
                                           : "the triangles differ");
    }
    if (settings.geometry && d.files[0].kind == CONTENTS_MODEL &&
        d.files[1].kind == CONTENTS_MODEL && !d.have_sets && !d.same_content) {
        status = report_error(
            EXIT_INVALID, d.files[0].view.triangles == NULL ? d.files[0].path : d.files[1].path,
            "baked without polygons; triangles can't be compared; bake it again without "
            "--no-geometry");
    } else if (settings.geometry ? !d.same_geometry && !d.same_content : !d.same_content) {
        status = EXIT_DIFFERS;
    }
close:
    contents_close(&d.files[1]);
done:
    contents_close(&d.files[0]);
    free(d.sizes[0]);
    free(d.sizes[1]);
    rows_free(&d.found);
    return status;
}

const verb verb_diff = {
    "diff",
    "A.kiln B.kiln",
    "print the differences between two kiln files",
    "Compares the contents of two files: what they were baked from, by and with, their triangles "
    "as sets (exactly, corner by corner, whichever corner comes first), their trees by kind and "
    "name, and the bytes of their sections. Prints what differs and by how much. Files with the "
    "same content are the same, packed or raw. Exit status 7: they differ.",
    diff_options,
    COUNT_OF(diff_options),
    2,
    2,
    run_diff,
};
