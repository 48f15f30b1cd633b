/* What a bake writes down about itself: the build key, a hash of everything that the bytes of the
 * file depend on, and the meta document, JSON for people and tools.
 *
 * Both are made from the options and the soup alone, so that a request can compute the key without
 * baking (up_to_date.c). A new option that shapes the contents is fed to the hash and listed in
 * the document; one that was added later is fed only where it is used, so that older keys stay
 * valid. */
#include "bake_meta.h"

#include "../../formats/assert.h"
#include "../../formats/format.h"
#include "../../runtime/kiln.h"
#include "../common/text.h"
#include "../common/sha256.h"
#include "../import/program.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Texts are fed with their zero, so that two texts next to each other cannot be mistaken for
 * others. */
static void feed_text(kiln_sha256 *sha, const char *text)
{
    kiln_sha256_update(sha, text, strlen(text) + 1);
}

/* Numbers are fed as 64 bits whatever their type, so that a key does not change with a type. */
static void feed_number(kiln_sha256 *sha, uint64_t number)
{
    kiln_sha256_update(sha, &number, sizeof number);
}

/* The name of the source without its folder, which must not show in the file. */
static const char *name_of(const kiln_bake_input *input)
{
    const char *name = input->path != NULL ? input->path : "";
    const char *slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

void kiln_bake_meta_key(const kiln_bake_input *input, const kiln_bake_options *options,
                        const char *format, const uint8_t source_hash[32],
                        const kiln_weights_rows *weights, const uint8_t *choice, uint8_t key[16])
{
    KILN_ASSERT(options->bv != NULL && options->builder != NULL);
    kiln_sha256 sha;
    uint8_t digest[KILN_SHA256_SIZE];
    char library[KILN_LIBRARY_VERSION_SIZE];
    kiln_sha256_init(&sha);
    /* The number is that of the rules of hashing; it changes whenever the same request would
     * make other bytes for a reason that nothing below covers. */
    feed_text(&sha, "kiln build key 2");
    feed_text(&sha, KILN_VERSION_STRING);
    feed_number(&sha, KILN_FORMAT_MAJOR << 16 | KILN_FORMAT_MINOR);
    kiln_importer_library(options->importer, format, library);
    feed_text(&sha, library);
    feed_text(&sha, zlibVersion());
    kiln_sha256_update(&sha, source_hash, KILN_SHA256_SIZE);
    feed_text(&sha, name_of(input));
    feed_text(&sha, format);
    feed_text(&sha, options->bv);
    feed_text(&sha, options->builder);
    feed_number(&sha, (uint64_t)options->leaf);
    feed_number(&sha, (uint64_t)options->quality);
    feed_number(&sha, (uint64_t)options->split);
    kiln_sha256_update(&sha, &options->scale, sizeof options->scale);
    feed_number(&sha, (uint64_t)(options->up + 1));
    feed_number(&sha, (uint64_t)options->on_bad);
    feed_number(&sha, options->drop);
    feed_number(&sha, (uint64_t)options->lossy_grid);
    /* Options of counting enter the key only where there are counts: keys from before them stay. */
    KILN_ASSERT(options->adb == 0 || options->adb_factor > 0);
    if (options->adb != 0) {
        feed_number(&sha, (uint64_t)options->adb);
        feed_number(&sha, (uint64_t)options->adb_area);
        kiln_sha256_update(&sha, &options->adb_factor, sizeof options->adb_factor);
        feed_number(&sha, (uint64_t)options->adb_polygons);
        feed_number(&sha, (uint64_t)options->adb_regions);
        feed_number(&sha, options->no_geometry);
    }
    if (options->spheres != KILN_SPHERES_LEAST) { /* as with counts */
        feed_text(&sha, "spheres");
        feed_number(&sha, (uint64_t)options->spheres);
    }
    /* Likewise fits other than the default, after a text so that they are not taken for counts. */
    if (options->fit_to != KILN_FIT_TO_GEOMETRY || options->box_fit != KILN_BOX_FIT_SEARCH) {
        feed_text(&sha, "fit");
        feed_number(&sha, (uint64_t)options->fit_to);
        feed_number(&sha, (uint64_t)options->box_fit);
    }
    if (options->points) {
        feed_text(&sha, "points");
    }
    if (options->spacing[0] != 0 || options->spacing[1] != 0 || options->heights[0] != 0 ||
        options->heights[1] != 0 || options->columns != 0 || options->hole != -1 ||
        options->diagonal != KILN_HEIGHTS_RISING) {
        feed_text(&sha, "heights");
        kiln_sha256_update(&sha, options->spacing, sizeof options->spacing);
        kiln_sha256_update(&sha, options->heights, sizeof options->heights);
        feed_number(&sha, (uint64_t)options->columns);
        feed_number(&sha, (uint64_t)(options->hole + 1));
        feed_number(&sha, (uint64_t)options->diagonal);
    }
    if (choice != NULL) {
        feed_text(&sha, "choice");
        kiln_sha256_update(&sha, choice, KILN_SHA256_SIZE);
    }
    if (weights->count > 0) {
        kiln_sha256_update(&sha, weights->rows, weights->count * sizeof weights->rows[0]);
    }
    kiln_sha256_final(&sha, digest);
    memcpy(key, digest, 16);
}

/* JSON integers are signed; no count reaches 2^63. */
static json_t *count(uint64_t number)
{
    return json_integer((json_int_t)number);
}

/* "" where no axis is declared. */
static const char *axis_name(int axis)
{
    KILN_ASSERT(axis >= -1);
    static const char *const names[] = {"x", "y", "z"};
    return axis >= 0 && axis <= 2 ? names[axis] : "";
}

/* The strings at `offsets` as JSON; bytes that are no UTF-8 are replaced. */
static json_t *names_array(const kiln_soup *soup, const uint32_t *offsets, uint32_t length)
{
    KILN_ASSERT(length == 0 || offsets != NULL);
    json_t *names = json_array();
    for (uint32_t i = 0; i < length; i++) {
        (void)json_array_append_new(names, kiln_json_text(soup->strings + offsets[i]));
    }
    return names;
}

/* The names as they are on disk, as hexadecimal digits ("2f61"), where one of them is not UTF-8: a
 * JSON string cannot carry it. */
static void add_bytes(json_t *source, const char *member, const kiln_soup *soup,
                      const uint32_t *offsets, uint32_t length)
{
    json_t *names = json_array();
    bool plain = true;
    for (uint32_t i = 0; i < length; i++) {
        const char *name = soup->strings + offsets[i];
        json_t *text = json_string(name); /* NULL for what is not UTF-8 */
        plain = plain && text != NULL;
        json_decref(text);
        const size_t size = strlen(name);
        char *digits = malloc(2 * size + 1);
        for (size_t k = 0; digits != NULL && k < size; k++) {
            (void)snprintf(digits + 2 * k, 3, "%02x", (unsigned)(unsigned char)name[k]);
        }
        (void)json_array_append_new(names, digits != NULL ? json_stringn(digits, 2 * size) : NULL);
        free(digits);
    }
    if (plain) {
        json_decref(names);
    } else {
        (void)json_object_set_new(source, member, names);
    }
}

/* What was read: the model, its hash and the files that it refers to. */
static json_t *source_object(const kiln_bake_input *input, const kiln_soup *soup)
{
    const uint32_t *absent = soup->side_files + soup->side_file_count;
    char hash[2 * sizeof soup->source_hash + 1];
    for (size_t i = 0; i < sizeof soup->source_hash; i++) {
        (void)snprintf(hash + 2 * i, 3, "%02x", soup->source_hash[i]);
    }
    json_t *source = json_object();
    (void)json_object_set_new(source, "name", kiln_json_text(name_of(input)));
    (void)json_object_set_new(source, "format", kiln_json_text(soup->format));
    (void)json_object_set_new(source, "sha256", json_string(hash));
    (void)json_object_set_new(source, "side_files",
                              names_array(soup, soup->side_files, soup->side_file_count));
    (void)json_object_set_new(source, "absent_files",
                              names_array(soup, absent, soup->absent_file_count));
    add_bytes(source, "side_files_hex", soup, soup->side_files, soup->side_file_count);
    add_bytes(source, "absent_files_hex", soup, absent, soup->absent_file_count);
    (void)json_object_set_new(source, "unit_metres", json_real(soup->unit));
    (void)json_object_set_new(source, "up", json_string(axis_name(soup->up_axis)));
    return source;
}

/* Of height fields, those that were given. */
static void add_height_options(json_t *object, const kiln_bake_options *options)
{
    static const char *const diagonals[] = {"rising", "falling", "alternate"};
    if (options->spacing[0] != 0 || options->spacing[1] != 0) {
        (void)json_object_set_new(
            object, "spacing",
            json_pack("[f,f]", options->spacing[0],
                      options->spacing[1] != 0 ? options->spacing[1] : options->spacing[0]));
    }
    if (options->heights[0] != options->heights[1]) {
        (void)json_object_set_new(object, "heights",
                                  json_pack("[f,f]", options->heights[0], options->heights[1]));
    }
    if (options->columns != 0) {
        (void)json_object_set_new(object, "columns", json_integer(options->columns));
    }
    if (options->hole >= 0) {
        (void)json_object_set_new(object, "hole", json_integer(options->hole));
    }
    if (options->diagonal != KILN_HEIGHTS_RISING) {
        (void)json_object_set_new(object, "diagonal", json_string(diagonals[options->diagonal]));
    }
}

/* The options that shape the contents, as the command names them. */
static json_t *options_object(const kiln_bake_options *options, bool chosen)
{
    KILN_ASSERT(options->quality >= KILN_QUALITY_FAST && options->quality <= KILN_QUALITY_BEST);
    KILN_ASSERT((unsigned)options->split <= KILN_SPLIT_NODE);
    static const char *const splits[] = {"none", "mesh", "node"};
    static const char *const qualities[] = {"fast", "default", "best"};
    json_t *object = json_object();
    (void)json_object_set_new(object, "bv", kiln_json_text(options->bv));
    (void)json_object_set_new(object, "builder", kiln_json_text(options->builder));
    (void)json_object_set_new(object, "leaf", json_integer(options->leaf));
    (void)json_object_set_new(object, "quality",
                              json_string(qualities[(int)options->quality - KILN_QUALITY_FAST]));
    (void)json_object_set_new(object, "split", json_string(splits[options->split]));
    (void)json_object_set_new(object, "scale", json_real(options->scale));
    (void)json_object_set_new(object, "up", json_string(axis_name(options->up)));
    (void)json_object_set_new(object, "on_bad",
                              json_string(options->on_bad == KILN_ON_BAD_DROP ? "drop" : "error"));
    (void)json_object_set_new(object, "drop_degenerate",
                              json_boolean((options->drop & KILN_DROP_DEGENERATE) != 0));
    (void)json_object_set_new(object, "drop_duplicate",
                              json_boolean((options->drop & KILN_DROP_DUPLICATE) != 0));
    /* By which files, and whether by a limit, whose number would make the size of a file depend on
     * it. The members bv, leaf and builder are what came of it. */
    if (chosen) {
        json_t *choice = json_object();
        (void)json_object_set_new(choice, "trace", json_boolean(options->trace != NULL));
        (void)json_object_set_new(choice, "against", json_boolean(options->against != NULL));
        (void)json_object_set_new(choice, "max_bytes", json_boolean(options->max_bytes != 0));
        (void)json_object_set_new(object, "auto", choice);
    }
    if (options->fit_to != KILN_FIT_TO_GEOMETRY) {
        (void)json_object_set_new(object, "fit", json_string("children"));
    }
    add_height_options(object, options);
    if (options->box_fit != KILN_BOX_FIT_SEARCH) {
        KILN_ASSERT(options->box_fit <= KILN_BOX_FIT_VOLUME);
        static const char *const fits[] = {"search",        "vertices",    "areas",
                                           "hull-vertices", "hull-facets", "volume"};
        (void)json_object_set_new(object, "box_fit", json_string(fits[options->box_fit]));
    }
    if (options->points) {
        (void)json_object_set_new(object, "points", json_true());
    }
    if (options->lossy_grid != 0) {
        (void)json_object_set_new(object, "lossy_grid", json_integer(options->lossy_grid));
    }
    if (options->spheres != KILN_SPHERES_LEAST) {
        static const char *const spheres[] = {"least", "cover", "octree", "medial"};
        KILN_ASSERT((unsigned)options->spheres <= KILN_SPHERES_MEDIAL);
        (void)json_object_set_new(object, "spheres", json_string(spheres[options->spheres]));
    }
    if (options->adb != 0) { /* their numbers are those of the file format, from 1 on */
        KILN_ASSERT(options->adb_area >= 1 && options->adb_area <= 2);
        KILN_ASSERT(options->adb_polygons >= 1 && options->adb_polygons <= 2);
        KILN_ASSERT(options->adb_regions >= 1 && options->adb_regions <= 3);
        static const char *const areas[] = {"", "mean", "max"};
        static const char *const polygons[] = {"", "subtree", "box"};
        static const char *const regions[] = {"", "none", "octants", "sectors"};
        json_t *adb = json_object();
        (void)json_object_set_new(adb, "grid", json_integer(options->adb));
        (void)json_object_set_new(adb, "area", json_string(areas[options->adb_area]));
        (void)json_object_set_new(adb, "factor", json_real(options->adb_factor));
        (void)json_object_set_new(adb, "polygons", json_string(polygons[options->adb_polygons]));
        (void)json_object_set_new(adb, "regions", json_string(regions[options->adb_regions]));
        (void)json_object_set_new(object, "adb", adb);
        (void)json_object_set_new(object, "no_geometry", json_boolean(options->no_geometry));
        (void)json_object_set_new(object, "adb_weights",
                                  json_boolean(options->adb_weights != NULL));
    }
    return object;
}

/* The dropped faces, as far as RUNS_MOST runs of them reach: an element for the faces of a node and
 * a reason, with their first and last numbers by pairs. *listed is how many faces these are. */
static json_t *dropped_array(const kiln_soup *soup, uint32_t *listed)
{
    enum { RUNS_MOST = 65536 };
    json_t *array = json_array(), *faces = NULL;
    uint32_t runs = 0, i = 0;

    while (i < soup->note_count && runs < RUNS_MOST) {
        const kiln_soup_note *note = &soup->notes[i];
        uint32_t last = i;

        if (i == 0 || note->part != note[-1].part || note->reason != note[-1].reason) {
            const bool known = note->part < soup->part_count;
            const kiln_soup_part *part = &soup->parts[note->part];
            json_t *object = json_object();

            faces = json_array();
            (void)json_object_set_new(object, "node",
                                      json_string(known ? soup->strings + part->node_path : "?"));
            (void)json_object_set_new(object, "mesh",
                                      json_string(known ? soup->strings + part->mesh_name : "?"));
            (void)json_object_set_new(object, "reason",
                                      json_string(kiln_face_reason(note->reason)));
            (void)json_object_set_new(object, "faces", faces);
            (void)json_array_append_new(array, object);
        }
        while (last + 1 < soup->note_count && soup->notes[last + 1].part == note->part &&
               soup->notes[last + 1].reason == note->reason &&
               soup->notes[last + 1].face == soup->notes[last].face + 1) {
            last++;
        }
        (void)json_array_append_new(faces, count(note->face));
        (void)json_array_append_new(faces, count(soup->notes[last].face));
        i = last + 1;
        runs++;
    }
    *listed = i;
    return array;
}

char *kiln_bake_meta_document(const kiln_bake_input *input, const kiln_bake_options *options,
                              const kiln_soup *soup, const kiln_build_tree *trees,
                              uint32_t group_count, const kiln_build_kind *const *kinds,
                              uint32_t kind_count, bool chosen)
{
    json_t *root = json_object();
    if (root == NULL) {
        return NULL;
    }
    (void)json_object_set_new(root, "schema", json_string("kiln-meta-1"));

    /* The versions of all that shapes the bytes, then what was read and by which options. */
    char library[KILN_LIBRARY_VERSION_SIZE];
    kiln_importer_library(options->importer, soup->format, library);
    json_t *versions = json_object();
    (void)json_object_set_new(versions, "kiln", json_string(KILN_VERSION_STRING));
    (void)json_object_set_new(versions, "assimp", json_string(library));
    (void)json_object_set_new(versions, "zlib", json_string(zlibVersion()));
    (void)json_object_set_new(root, "versions", versions);
    (void)json_object_set_new(root, "source", source_object(input, soup));
    (void)json_object_set_new(root, "options", options_object(options, chosen));

    /* What the import found, so that a later request can report it without an import. */
    json_t *counts = json_object();
    (void)json_object_set_new(counts, "faces", count(soup->triangle_count));
    if (soup->points) {
        (void)json_object_set_new(counts, "points", count(soup->triangle_count));
    }
    (void)json_object_set_new(counts, "faces_dropped", count(soup->note_count));
    (void)json_object_set_new(counts, "points_left_out", count(soup->points_left_out));
    (void)json_object_set_new(counts, "lines_left_out", count(soup->lines_left_out));
    (void)json_object_set_new(counts, "degenerate", count(soup->degenerate_count));
    (void)json_object_set_new(counts, "duplicate", count(soup->duplicate_count));
    (void)json_object_set_new(counts, "polygons_cut", count(soup->polygons_cut));
    (void)json_object_set_new(counts, "empty_meshes", count(soup->empty_mesh_count));
    (void)json_object_set_new(counts, "warnings", count(soup->warning_count));
    (void)json_object_set_new(counts, "precision_step", json_real(soup->precision_step));
    if (soup->lossy_step > 0) {
        (void)json_object_set_new(counts, "lossy_step", json_real(soup->lossy_step));
        (void)json_object_set_new(counts, "lossy_moved", json_real(soup->lossy_moved));
        (void)json_object_set_new(counts, "lossy_degenerate", count(soup->lossy_degenerate));
    }
    (void)json_object_set_new(root, "counts", counts);
    if (soup->note_count > 0) {
        uint32_t listed;
        (void)json_object_set_new(root, "dropped", dropped_array(soup, &listed));
        (void)json_object_set_new(root, "dropped_listed", count(listed));
    }

    /* The expected cost of each kind of tree, summed over the groups. A height field's is none of
     * them. */
    json_t *costs = json_object();
    for (uint32_t k = 0; k < kind_count && soup->samples == NULL; k++) {
        double cost = 0;
        for (uint32_t g = 0; g < group_count; g++) {
            cost += trees[(size_t)g * kind_count + k].sah_cost;
        }
        (void)json_object_set_new(costs, kinds[k]->name, json_real(cost));
    }
    (void)json_object_set_new(root, "sah_cost", costs);
    /* 17 digits give back every double exactly. */
    char *document = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(root);
    return document;
}
