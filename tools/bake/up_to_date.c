/* Whether a file is what a bake would write, without baking.
 *
 * The build key in a file's header is a hash over everything that its bytes depend on
 * (bake_meta.c). Side files enter it too, and which they are is known only after an import; but
 * the file to be checked names them in its meta document. So the key is computed from the side
 * files that the document names, as they are now: it agrees only if the earlier bake read the same
 * bytes. */
#define _POSIX_C_SOURCE 200809L
#include "up_to_date.h"

#include "../../formats/assert.h"
#include "../../formats/reader.h"
#include "../encode/audit.h"
#include "../common/text.h"
#include "bake_meta.h"
#include "../import/formats.h"
#include "../import/import.h"
#include "../import/program.h"
#include "../import/source.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct kiln_request {
    const kiln_bake_input *input;
    const kiln_bake_options *options;
    const kiln_weights_rows *weights;
    const uint8_t *choice;
    kiln_source_file source;
};

/* Errors of the source are not reported here: then nothing is up to date, and the import that
 * follows says what is wrong. */
kiln_request *kiln_request_open(const kiln_bake_input *input, const kiln_bake_options *options,
                                const kiln_weights_rows *weights, const uint8_t *choice)
{
    kiln_bake_status ignored; /* whatever is wrong with the source, the import will say */
    kiln_request *request = calloc(1, sizeof *request);
    if (request == NULL) {
        return NULL;
    }
    *request =
        (kiln_request){.input = input, .options = options, .weights = weights, .choice = choice};
    if (!kiln_source_open(&request->source, input, &ignored, NULL)) {
        free(request);
        return NULL;
    }
    return request;
}

/* Has Assimp a reader for an extension that the table of formats has not? Only its program knows:
 * it is given a model of one blank, which no reader takes, and says what it would say of any other
 * where it has none. */
static kiln_bake_status ask_importer(const kiln_bake_input *input, const kiln_bake_options *options,
                                     kiln_bake_report *report)
{
    kiln_bake_input blank = *input;
    kiln_bake_report said;
    kiln_soup soup;
    blank.data = " ";
    blank.size = 1;
    memset(&said, 0, sizeof said);
    kiln_bake_status status = kiln_import(&blank, options, &soup, &said);
    if (status == KILN_BAKE_OK) {
        kiln_soup_free(&soup);
    } else if (status == KILN_BAKE_UNSUPPORTED) {
        memcpy(report->error, said.error, sizeof report->error);
    }
    kiln_bake_report_free(&said);
    return status == KILN_BAKE_UNSUPPORTED ? status : KILN_BAKE_OK;
}

/* Could the source be read, as far as that shows without importing it? It has to be there, and its
 * format needs a program that imports it. The error goes into *report. */
kiln_bake_status kiln_request_readable(const kiln_bake_input *input,
                                       const kiln_bake_options *options, kiln_bake_report *report)
{
    kiln_source_file source;
    kiln_bake_status status;
    if (!kiln_source_open(&source, input, &status, report)) {
        return status;
    }
    const char *name = kiln_importer_name(source.format);
    char *looked = NULL, *program = kiln_importer_path(options->importer, name, &looked);
    if (program == NULL) {
        kiln_bake_report_error(report, input->path, KILN_NO_IMPORTER, name,
                               looked != NULL ? looked : KILN_NOWHERE_LOOKED);
        status = KILN_BAKE_FAILED;
    } else if (kiln_format_of(source.format) == NULL) {
        status = ask_importer(input, options, report);
    }
    free(looked);
    free(program);
    kiln_source_close(&source);
    return status;
}

void kiln_request_close(kiln_request *request)
{
    if (request != NULL) {
        kiln_source_close(&request->source);
        free(request);
    }
}

kiln_layout kiln_request_layout(const kiln_request *request)
{
    return request->options->layout;
}

/* The key, and the hash of the source with its side files that it is made from. */
static bool key_and_hash(kiln_request *request, const kiln_side_file *sides, size_t count,
                         uint8_t key[16], uint8_t hash[KILN_SHA256_SIZE])
{
    KILN_ASSERT(count == 0 || sides != NULL);
    uint64_t bytes;
    /* A side file that is gone, or one that has come, makes the hash fail or differ, and the bake
     * runs. */
    if (kiln_source_hash(&request->source, sides, count, hash, &bytes) != NULL) {
        return false;
    }
    kiln_bake_meta_key(request->input, request->options, request->source.format, hash,
                       request->weights, request->choice, key);
    return true;
}

bool kiln_request_shares_cache(const kiln_request *request)
{
    return request->options->cache_shared;
}

bool kiln_request_key(kiln_request *request, const kiln_side_file *sides, size_t count,
                      uint8_t key[16])
{
    uint8_t hash[KILN_SHA256_SIZE];
    return key_and_hash(request, sides, count, key, hash);
}

/* ---------------------------------------------------------------------------- its meta data -- */

/* By name: the order in which the key takes side files. */
static int compare_sides(const void *a, const void *b)
{
    return strcmp(((const kiln_side_file *)a)->name, ((const kiln_side_file *)b)->name);
}

/* The value of a lower-case hexadecimal digit; -1: it is none. */
static int digit_of(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = digit != '\0' ? strchr(digits, digit) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* "2f61" as bytes, in new memory; NULL: it is no such text, or there is no memory. */
static char *from_hexadecimal(const char *digits)
{
    const size_t length = strlen(digits) / 2;
    char *bytes = malloc(length + 1);
    for (size_t i = 0; bytes != NULL && i < length; i++) {
        const int upper = digit_of(digits[2 * i]), lower = digit_of(digits[2 * i + 1]);
        /* A zero byte would end the name early, and another file could pass for the one that is
         * named. */
        if (upper < 0 || lower < 0 || upper + lower == 0) {
            free(bytes);
            return NULL;
        }
        bytes[i] = (char)(upper << 4 | lower);
    }
    if (bytes != NULL) {
        bytes[length] = '\0';
    }
    return bytes;
}

/* The i-th of the names that `member` lists, in new memory: from "member_hex" where that is there,
 * which can hold names that are not UTF-8. NULL: there is none. */
static char *name_of(const json_t *source, const char *member, size_t i)
{
    char hex[32];
    (void)snprintf(hex, sizeof hex, "%s_hex", member);
    const json_t *digits = json_object_get(source, hex);
    const char *text = json_string_value(
        json_array_get(digits != NULL ? digits : json_object_get(source, member), i));
    return text == NULL ? NULL : digits != NULL ? from_hexadecimal(text) : strdup(text);
}

/* Is `digits` the hash, in lower-case hexadecimal? */
static bool is_hexadecimal(const char *digits, const uint8_t hash[KILN_SHA256_SIZE])
{
    char text[2 * KILN_SHA256_SIZE + 1];
    for (size_t i = 0; i < KILN_SHA256_SIZE; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", hash[i]);
    }
    return digits != NULL && strcmp(digits, text) == 0;
}

static void free_sides(kiln_side_file *sides, size_t count)
{
    KILN_ASSERT(sides != NULL || count == 0);
    for (size_t i = 0; i < count && sides != NULL; i++) {
        free((char *)sides[i].name);
    }
    free(sides);
}

/* The side files as the document names them, for free_sides. NULL: no memory, or no document of a
 * bake. */
static kiln_side_file *sides_of(const json_t *source, size_t *count)
{
    const json_t *there = json_object_get(source, "side_files");
    const json_t *absent = json_object_get(source, "absent_files");
    if (!json_is_array(there) || !json_is_array(absent)) {
        return NULL;
    }
    const size_t read = json_array_size(there);
    *count = read + json_array_size(absent);
    kiln_side_file *sides = calloc(*count + 1, sizeof *sides);
    for (size_t i = 0; sides != NULL && i < *count; i++) {
        /* Names that were looked for in vain count too: a file of that name which exists now would
         * be read. */
        sides[i].absent = i >= read;
        sides[i].name =
            i < read ? name_of(source, "side_files", i) : name_of(source, "absent_files", i - read);
        if (sides[i].name == NULL) {
            free_sides(sides, i);
            return NULL;
        }
    }
    if (sides != NULL && *count > 0) {
        qsort(sides, *count, sizeof *sides, compare_sides);
    }
    return sides;
}

/* A count in the document; 0 where it is missing or negative. */
static uint64_t number(const json_t *object, const char *name)
{
    const json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 ? (uint64_t)value : 0;
}

/* The names that `member` lists, *count of them, in new memory; NULL without memory. */
static char **names_of(const json_t *source, const char *member, uint32_t *count)
{
    const size_t length = json_array_size(json_object_get(source, member));
    char **names = calloc(length + 1, sizeof *names);
    *count = 0;
    for (size_t i = 0; names != NULL && i < length; i++) {
        names[*count] = name_of(source, member, i);
        *count += names[*count] != NULL;
    }
    return names;
}

/* Of a packed file only the meta data are decoded; checksums are checked for all sections. */
static bool want_meta(void *user, const kiln_reader *reader, uint32_t index)
{
    (void)user;
    return kiln_reader_entry(reader, index).kind == KILN_SECTION_META;
}

/* The meta document, which is missing from some files, or no JSON: then NULL. */
static json_t *meta_of(const kiln_reader *reader)
{
    const uint32_t index = kiln_reader_find(reader, KILN_SECTION_META, 0);
    if (index == KILN_NO_INDEX || reader->sections[index].data == NULL) {
        return NULL;
    }
    const kiln_reader_section *section = &reader->sections[index];
    return json_loadb(section->data, (size_t)section->entry.raw_size, 0, NULL);
}

/* A file of another layout holds the same sections, and still is not what the request would
 * write. */
bool kiln_request_answered(kiln_request *request, const void *file, size_t size, bool decoded,
                           kiln_bake_report *report)
{
    KILN_ASSERT(file != NULL && size > 0);
    /* Checksums of all sections are looked at, whether they are wanted or not. */
    const kiln_reader_options options = {.wanted = decoded ? NULL : want_meta};
    kiln_reader reader;
    kiln_format_error error;
    if (!kiln_reader_open(&reader, file, size, &options, &error)) {
        return false;
    }

    json_t *meta = meta_of(&reader);
    /* A packed file has a packed section: its meta data at the least, which are never too short. */
    bool packed = false;
    for (uint32_t i = 0; i < reader.section_count; i++) {
        packed = packed || reader.sections[i].entry.codec == KILN_CODEC_DEFLATE;
    }

    /* Was the file of this document made from what the request would read now, by the same
     * options? A strict request wants no warnings, which do not enter the key. */
    bool answered =
        meta != NULL && packed == (request->options->layout == KILN_LAYOUT_PACKED) &&
        (!request->options->strict || number(json_object_get(meta, "counts"), "warnings") == 0);
    if (answered) {
        const json_t *source = json_object_get(meta, "source");
        uint8_t key[16], hash[KILN_SHA256_SIZE];
        size_t count = 0;
        kiln_side_file *sides = sides_of(source, &count);
        answered = sides != NULL && key_and_hash(request, sides, count, key, hash) &&
                   memcmp(key, reader.header.build_key, sizeof key) == 0 &&
                   is_hexadecimal(json_string_value(json_object_get(source, "sha256")), hash) &&
                   (!decoded || kiln_audit_content_hash(&reader, &error));
        free_sides(sides, count);
    }
    if (answered && report != NULL) {
        /* The report of the earlier bake, as far as the document has it. */
        const json_t *counts = json_object_get(meta, "counts");
        const json_t *source = json_object_get(meta, "source");
        report->faces = number(counts, "faces");
        report->points = json_object_get(counts, "points") != NULL;
        report->faces_dropped = number(counts, "faces_dropped");
        report->points_left_out = number(counts, "points_left_out");
        report->lines_left_out = number(counts, "lines_left_out");
        report->degenerate = number(counts, "degenerate");
        report->duplicate = number(counts, "duplicate");
        report->polygons_cut = number(counts, "polygons_cut");
        report->empty_meshes = (uint32_t)number(counts, "empty_meshes");
        report->precision_step = json_number_value(json_object_get(counts, "precision_step"));
        report->lossy_step = json_number_value(json_object_get(counts, "lossy_step"));
        report->lossy_moved = json_number_value(json_object_get(counts, "lossy_moved"));
        report->lossy_degenerate = number(counts, "lossy_degenerate");
        report->unit = json_number_value(json_object_get(source, "unit_metres"));
        report->bytes_file = size;
        report->side_files = names_of(source, "side_files", &report->side_file_count);
        report->absent_files = names_of(source, "absent_files", &report->absent_file_count);
        report->bytes_source = request->source.model.size;
    }
    json_decref(meta);
    kiln_reader_close(&reader);
    return answered;
}

/* --------------------------------------------------------------------------------- the file -- */

/* The whole of an open file, aligned as the reader of the format wants it. */
static void *load_open(int file, size_t *size)
{
    char *bytes = NULL;
    struct stat facts;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size <= 0 ||
        (uint64_t)facts.st_size >= SIZE_MAX) {
        return NULL;
    }
    *size = (size_t)facts.st_size;
    bytes = aligned_alloc(64, (*size + 63) / 64 * 64);
    /* A read may be interrupted, or return less than was requested. */
    for (size_t have = 0; bytes != NULL && have < *size;) {
        const ssize_t got = read(file, bytes + have, *size - have);
        if (got == 0 || (got < 0 && errno != EINTR)) { /* the file became shorter, or failed */
            free(bytes);
            bytes = NULL;
        }
        have += got > 0 ? (size_t)got : 0;
    }
    return bytes;
}

/* It is opened without blocking, since the path may lead to a pipe. */
void *kiln_load_regular(const char *path, size_t *size)
{
    KILN_ASSERT(path != NULL);
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0) {
        return NULL;
    }
    void *bytes = load_open(file, size);
    close(file);
    return bytes;
}

/* Is the open file a whole kiln file whose document names this source? Names that are not UTF-8
 * are compared in the form that documents give them. */
bool kiln_file_is_made_from(int file, const char *name)
{
    const kiln_reader_options options = {.wanted = want_meta};
    kiln_reader reader;
    kiln_format_error error;
    size_t size = 0;
    void *bytes = load_open(file, &size);
    bool made = false;
    if (bytes != NULL && kiln_reader_open(&reader, bytes, size, &options, &error)) {
        json_t *meta = meta_of(&reader);
        json_t *wanted = kiln_json_text(name);
        made = meta != NULL && wanted != NULL &&
               json_equal(json_object_get(json_object_get(meta, "source"), "name"), wanted);
        json_decref(meta);
        json_decref(wanted);
        kiln_reader_close(&reader);
    }
    free(bytes);
    return made;
}

bool kiln_request_up_to_date(kiln_request *request, const char *path, kiln_bake_report *report)
{
    size_t size = 0;
    void *file = kiln_load_regular(path, &size);
    const bool current = file != NULL && kiln_request_answered(request, file, size, false, report);
    free(file);
    return current;
}
