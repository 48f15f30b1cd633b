/* Bake, verify, query: any bytes are read as a model by one of our own readers and baked. What
 * comes out has to be a sound file by everything that `kiln verify` checks, and its queries have
 * to end.
 *
 * A reader runs in a program of its own, where a fuzzer sees nothing. So this file stands in for
 * two others: child.c of the library, by calling in this process what that program calls, and
 * sender.c of the program, by handing pieces to the receiver at once and leaving by a jump where
 * the other ends the process. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz_bake.h"

#include "../../tools/import/child.h"
#include "../../tools/import/scene.h"
#include "../../tools/import/serve.h"
#include "../../tools/kiln_bake.h"
#include "../support/sound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MODEL_MAX = 1 << 14, BLOCKS_MAX = 1 << 12 };

/* --------------------------------------------------------------- what a reader leaves behind -- */

/* A reader counts on the end of its process to give memory back. Where a sanitizer tells of every
 * allocation, what it left is released here. */
extern int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                                     void (*)(const volatile void *))
    __attribute__((weak));

static const volatile void *blocks[BLOCKS_MAX];
static bool recording;

static void note_malloc(const volatile void *block, size_t size)
{
    (void)size;
    for (size_t i = 0; recording && i < BLOCKS_MAX; i++) {
        if (blocks[i] == NULL) {
            blocks[i] = block;
            return;
        }
    }
}

static void note_free(const volatile void *block)
{
    for (size_t i = 0; recording && block != NULL && i < BLOCKS_MAX; i++) {
        if (blocks[i] == block) {
            blocks[i] = NULL;
            return;
        }
    }
}

static void release_blocks(void)
{
    recording = false;
    for (size_t i = 0; i < BLOCKS_MAX; i++) {
        free((void *)(uintptr_t)blocks[i]);
        blocks[i] = NULL;
    }
}

/* ----------------------------------------------------------------------- in place of child.c -- */

static const kiln_child *the_child;
static jmp_buf end_of_work;

kiln_child_end kiln_child_run(const kiln_child *child, kiln_child_greeting *greeting, int *number)
{
    static volatile kiln_child_end end;
    *number = 0;
    memset(greeting, 0, sizeof *greeting);
    the_child = child;
    end = KILN_CHILD_ENDED;
    recording = &__sanitizer_install_malloc_and_free_hooks != NULL;
    const int left = setjmp(end_of_work);
    if (left == 0) {
        kiln_serve_scene(strstr(child->arguments[0], "gltf") != NULL ? &kiln_importer_gltf
                                                                     : &kiln_importer_own,
                         child->arguments, -1, child->file);
    } else if (left == 2) {
        end = KILN_CHILD_REFUSED;
    }
    release_blocks();
    return end;
}

/* ---------------------------------------------------------------------- in place of sender.c -- */

struct kiln_sender {
    uint32_t strings_size;
};

static void put(const void *data, size_t size)
{
    const bool before = recording;
    recording = false;
    const bool taken = the_child->receive(the_child->receive_user, data, size);
    recording = before;
    if (!taken) {
        longjmp(end_of_work, 2);
    }
}

static void put_piece(uint32_t array, const void *data, uint64_t bytes)
{
    uint8_t header[16] = {0};
    memcpy(header, &array, sizeof array);
    memcpy(header + 8, &bytes, sizeof bytes);
    put(header, sizeof header);
    if (bytes > 0) {
        put(data, (size_t)bytes);
    }
}

kiln_sender *kiln_sender_start(int pipe)
{
    static kiln_sender sender;
    (void)pipe;
    sender.strings_size = 0;
    kiln_send_string(&sender, "", 0);
    return &sender;
}

/* Only messages depend on it. */
void kiln_sender_set_other(kiln_sender *sender, const char *extension)
{
    (void)sender;
    (void)extension;
}

void kiln_send(kiln_sender *sender, kiln_array array, const void *elements, size_t count)
{
    (void)sender;
    if (count > 0) {
        put_piece((uint32_t)array, elements, count * kiln_array_element(array));
    }
}

void kiln_send_u32(kiln_sender *sender, kiln_array array, uint32_t value)
{
    kiln_send(sender, array, &value, 1);
}

uint32_t kiln_send_string(kiln_sender *sender, const char *text, size_t length)
{
    const uint32_t offset = sender->strings_size;
    const char *zero = memchr(text, '\0', length);
    length = zero != NULL ? (size_t)(zero - text) : length;
    kiln_send(sender, KILN_ARRAY_STRINGS, text, length);
    kiln_send(sender, KILN_ARRAY_STRINGS, "", 1);
    sender->strings_size += (uint32_t)length + 1;
    return offset;
}

static uint32_t send_text(kiln_sender *sender, const char *format, va_list arguments)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    return kiln_send_string(sender, text, strlen(text));
}

void kiln_send_warning(kiln_sender *sender, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    kiln_send_u32(sender, KILN_ARRAY_WARNINGS, send_text(sender, format, arguments));
    va_end(arguments);
}

void kiln_send_end(kiln_sender *sender)
{
    (void)sender;
    put_piece(0, NULL, 0);
}

void kiln_send_failure(kiln_sender *sender, kiln_bake_status status, const char *format, ...)
{
    kiln_scene_failure failure = {.status = (int32_t)status, .message = 0};
    va_list arguments;
    va_start(arguments, format);
    failure.message = send_text(sender, format, arguments);
    va_end(arguments);
    kiln_send(sender, KILN_ARRAY_FAILURE, &failure, 1);
    kiln_send_end(sender);
    longjmp(end_of_work, 1);
}

/* -------------------------------------------------------------------------------- the target -- */

static kiln_bake_options options_of(const uint8_t *asked)
{
    static const char *const kinds[] = {"obb", "aabb", "obb2,aabb2", "octree,aabb,sphere"};
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = kinds[(asked[0] & FUZZ_KINDS) / 4];
    options.split = (asked[0] & FUZZ_SPLIT) != 0 ? KILN_SPLIT_NODE : KILN_SPLIT_NONE;
    options.layout = (asked[0] & FUZZ_RAW) != 0 ? KILN_LAYOUT_RAW : KILN_LAYOUT_PACKED;
    options.on_bad = (asked[0] & FUZZ_DROP_BAD) != 0 ? KILN_ON_BAD_DROP : KILN_ON_BAD_ERROR;
    options.builder = (asked[0] & FUZZ_MEDIAN) != 0 ? "median" : "sah";
    options.spheres = (asked[0] & FUZZ_MEDIAN) != 0 ? KILN_SPHERES_MEDIAL : KILN_SPHERES_LEAST;
    options.drop = asked[1] & FUZZ_DROP;
    options.lossy_grid = (asked[1] & FUZZ_LOSSY) != 0 ? 8 : 0;
    options.up = (asked[1] & FUZZ_UP_X) != 0 ? 0 : -1;
    options.adb = (asked[1] & FUZZ_COUNTS) != 0 ? 4 : 0;
    options.leaf = (asked[1] & FUZZ_LEAF_ONE) != 0 ? 1 : 4;
    options.scale = (asked[1] & FUZZ_SCALE) != 0 ? 1e30 : 1;
    options.points = (asked[1] & FUZZ_POINTS) != 0;
    options.threads = 1;
    options.import_memory = 64 << 20;
    options.import_seconds = 0;
    return options;
}

/* A reader of ours ends with a scene or with a reason, whatever the bytes are. Reasons may quote
 * the model, so only their start is looked at. */
static void judge_failure(kiln_bake_status status, const kiln_bake_report *report)
{
    static const char no_scene[] = "(memory): the importer ended without a scene";
    /* Without the programs, nothing is read, and nothing is tried. */
    if (strstr(report->error, "the program that reads it") != NULL) {
        sound_fail("the importers are not there", report->error);
    }
    /* What a set of points has no use for is said when the model has been read. */
    const bool for_points = strstr(report->error, "--drop degenerate is of no use") != NULL;
    if ((status == KILN_BAKE_USAGE && !for_points) || status == KILN_BAKE_IO ||
        report->error[0] == '\0' || strncmp(report->error, no_scene, sizeof no_scene - 1) == 0) {
        sound_fail("a bake ended badly", report->error);
    }
}

/* ---------------------------------------------------------------------------------- archives -- */

/* Changes of an archive hardly ever keep its checksums. So a text that is the model of 3MF is
 * packed here, not compressed, in an archive whose relationships name it. */
static const char relations[] =
    "<Relationships><Relationship Target=\"/m\" "
    "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";

enum { ARCHIVE_MOST = MODEL_MAX + 1024 };

static void put_number(uint8_t *to, size_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        to[(*at)++] = (uint8_t)(value >> 8 * i);
    }
}

/* A file, or its line in the list where that is wanted, with where its data are. */
static void put_file(uint8_t *to, size_t *at, const char *name, const uint8_t *data, size_t size,
                     bool listed, size_t offset)
{
    put_number(to, at, listed ? 0x02014B50 : 0x04034B50, 4);
    put_number(to, at, 20, listed ? 4 : 2);
    put_number(to, at, 0, 8); /* flags, stored, time */
    put_number(to, at, crc32(0, data, (uInt)size), 4);
    put_number(to, at, size, 4);
    put_number(to, at, size, 4);
    put_number(to, at, strlen(name), 2);
    put_number(to, at, 0, 2);
    if (listed) {
        put_number(to, at, 0, 8);
        put_number(to, at, 0, 2);
        put_number(to, at, offset, 4);
    }
    memcpy(to + *at, name, strlen(name));
    *at += strlen(name);
    if (!listed) {
        memcpy(to + *at, data, size);
        *at += size;
    }
}

/* Returns the size of the archive. */
static size_t pack(const uint8_t *model, size_t size, uint8_t to[ARCHIVE_MOST])
{
    const uint8_t *list = (const uint8_t *)relations;
    size_t at = 0, second, start;
    put_file(to, &at, "_rels/.rels", list, sizeof relations - 1, false, 0);
    second = at;
    put_file(to, &at, "m", model, size, false, 0);
    start = at;
    put_file(to, &at, "_rels/.rels", list, sizeof relations - 1, true, 0);
    put_file(to, &at, "m", model, size, true, second);
    const size_t length = at - start;
    put_number(to, &at, 0x06054B50, 4);
    put_number(to, &at, 0, 4);
    put_number(to, &at, 2, 2);
    put_number(to, &at, 2, 2);
    put_number(to, &at, length, 4);
    put_number(to, &at, start, 4);
    put_number(to, &at, 0, 2);
    return at;
}

/* Height fields, whose trees no option shapes. */
static bool is_heights(const char *format)
{
    return format != NULL && (strcmp(format, "pgm") == 0 || strcmp(format, "png") == 0);
}

static kiln_bake_options for_heights(const kiln_bake_options *drawn)
{
    kiln_bake_options options = kiln_bake_options_default();
    options.up = drawn->up;
    options.scale = drawn->scale;
    options.layout = drawn->layout;
    options.hole = drawn->leaf == 1 ? 5 : -1;
    options.diagonal = drawn->adb != 0 ? KILN_HEIGHTS_ALTERNATE : KILN_HEIGHTS_RISING;
    return options;
}

/* A model that begins as glTF, FBX or XML does is given to the reader of that; NULL: to another. */
static const char *format_by_start(const uint8_t *model, size_t size)
{
    char start[257] = "";
    memcpy(start, model, size < sizeof start - 1 ? size : sizeof start - 1);
    if (start[0] == '<' &&
        (strstr(start, "<model") != NULL || strstr(start, "3dmanufacturing") != NULL)) {
        return "3mf";
    }
    if (start[0] == '<') {
        return strstr(start, "<X3D") != NULL       ? "x3d"
               : strstr(start, "<COLLADA") != NULL ? "dae"
                                                   : "amf";
    }
    if (strncmp(start, "//", 2) == 0) {
        return "xyz";
    }
    if (strncmp(start, "P2", 2) == 0 || strncmp(start, "P5", 2) == 0) {
        return "pgm";
    }
    if (strncmp(start, "\x89PNG", 4) == 0) {
        return "png";
    }
    if (strncmp(start, "glTF", 4) == 0) {
        return "glb";
    }
    if (strncmp(start, "Kaydara", 7) == 0 || start[0] == ';' || strncmp(start, "FBX", 3) == 0) {
        return "fbx";
    }
    return start[0] == '{' ? "gltf" : strncmp(start, "PK\3\4", 4) == 0 ? "amf" : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"obj", "ply", "stl", "off"};
    static bool hooked;
    if (size < 3 || size > MODEL_MAX) {
        return 0;
    }
    if (!hooked && &__sanitizer_install_malloc_and_free_hooks != NULL) {
        (void)__sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
        hooked = true;
    }
    const char *other = format_by_start(data + 2, size - 2);
    kiln_bake_options options = options_of(data);
    options = is_heights(other) ? for_heights(&options) : options;
    static uint8_t archive[ARCHIVE_MOST];
    const bool packs = other != NULL && strcmp(other, "3mf") == 0;
    const kiln_bake_input input = {.data = packs ? archive : data + 2,
                                   .size = packs ? pack(data + 2, size - 2, archive) : size - 2,
                                   .format =
                                       other != NULL ? other : formats[data[0] & FUZZ_FORMAT]};
    kiln_bake_report report;
    void *file = NULL;
    size_t file_size = 0;
    const kiln_bake_status status =
        kiln_bake_to_memory(&input, &options, &file, &file_size, &report);
    if (status == KILN_BAKE_OK) {
        sound_or_fail(file, file_size);
        free(file);
    } else {
        judge_failure(status, &report);
    }
    kiln_bake_report_free(&report);
    return 0;
}
