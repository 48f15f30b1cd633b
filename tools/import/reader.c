/* What the readers share: vertices, faces and meshes on their way to the parent, the records of
 * side files, and the errors that any of them can meet.
 *
 * Names of side files go into the report and into the hash of the source, so each file must have
 * one name: "." and "x/.." are taken out, and absolute names inside the model's folder are made
 * relative to it. */
#define _GNU_SOURCE
#include "reader.h"

#include "../../formats/assert.h"
#include "../common/memory.h"
#include "../common/paths.h"
#include "../common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void kiln_read_vertex(kiln_reading *reading, const double position[3])
{
    float rounded[3], residual[3];

    /* The difference of a double and a float near to it is exact or nearly so: float and residual
     * together hold the decimal to about 48 bits. */
    for (int i = 0; i < 3; i++) {
        rounded[i] = (float)position[i];
        residual[i] = isfinite(rounded[i]) ? (float)(position[i] - (double)rounded[i]) : 0;
    }
    kiln_send(reading->sender, KILN_ARRAY_POSITIONS, rounded, 1);
    kiln_send(reading->sender, KILN_ARRAY_RESIDUALS, residual, 1);
}

void kiln_read_note_line(kiln_reading *reading, const double position[3], uint64_t line)
{
    bool finite = true;

    for (int i = 0; i < 3; i++)
        finite = finite && isfinite((float)position[i]);
    if (!finite && reading->facts.bad_line == 0)
        reading->facts.bad_line = line;
}

void kiln_read_face(kiln_reading *reading, const uint32_t *corners, size_t count, uint64_t record,
                    uint32_t user)
{
    /* Points and lines have nothing to collide with. They are counted for the report. */
    if (count < 3) {
        reading->facts.points += count == 1;
        reading->facts.lines += count == 2;
        return;
    }
    /* Numbers of faces are 32 bits wide in the scene and in the file that is baked. */
    if (count > UINT32_MAX || record > UINT32_MAX)
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "more than 4294967295 faces or corners; split the model");
    kiln_send_u32(reading->sender, KILN_ARRAY_SIZES, (uint32_t)count);
    kiln_send_u32(reading->sender, KILN_ARRAY_RECORDS, (uint32_t)record);
    kiln_send_u32(reading->sender, KILN_ARRAY_USERS, user);
    kiln_send(reading->sender, KILN_ARRAY_CORNERS, corners, count);
}

/* The node has the identity as its matrix. */
void kiln_read_place(kiln_reading *reading, uint32_t name, uint32_t mesh)
{
    kiln_scene_node node = {.parent = KILN_SCENE_NONE, .name = name, .place_count = 1};

    KILN_ASSERT(mesh != KILN_SCENE_NONE);
    for (int i = 0; i < 16; i += 5)
        node.matrix[i] = 1;
    kiln_send(reading->sender, KILN_ARRAY_NODES, &node, 1);
    kiln_send_u32(reading->sender, KILN_ARRAY_PLACES, mesh);
}

void kiln_read_mesh(kiln_reading *reading, const char *name, uint64_t faces, uint64_t vertices,
                    uint32_t index)
{
    kiln_scene_mesh mesh = {.face_count = faces, .vertex_count = vertices};

    mesh.name = kiln_send_string(reading->sender, name, strlen(name));
    kiln_send(reading->sender, KILN_ARRAY_MESHES, &mesh, 1);
    kiln_read_place(reading, mesh.name, index);
}

void kiln_read_default_material(kiln_reading *reading)
{
    kiln_send_u32(reading->sender, KILN_ARRAY_MATERIALS,
                  kiln_send_string(reading->sender, "DefaultMaterial", 15));
}

void kiln_read_warn_empty(kiln_reading *reading, uint64_t faces)
{
    if (faces > 0)
        kiln_send_warning(reading->sender, "%llu faces have no corner and are left out",
                          (unsigned long long)faces);
}

void kiln_corners_add(kiln_reading *reading, kiln_corners *corners, uint32_t corner)
{
    void *items = corners->items;
    bool room = kiln_grow(&items, &corners->capacity, corners->count + 1, sizeof(uint32_t));

    corners->items = items;
    if (!room)
        kiln_read_no_memory(reading);
    KILN_ASSERT(corners->count < corners->capacity);
    corners->items[corners->count++] = corner;
}

/* -- side files -- */

/* Takes "." and "x/.." out of a path, in place. A ".." that nothing precedes stays, but at the root
 * it goes. */
static void simplify(char *path)
{
    bool rooted = path[0] == '/';
    char *to = path + rooted;
    const char *from = path;

    while (*from != '\0') {
        size_t length;
        char *last = to;
        bool up;

        while (*from == '/')
            from++;
        length = strcspn(from, "/");
        while (last > path + rooted && last[-1] != '/')
            last--;
        KILN_ASSERT(last <= to && to <= from);
        up = length == 2 && memcmp(from, "..", 2) == 0;
        if (length == 0 || (length == 1 && from[0] == '.')) {
            from += length;
            continue;
        }
        if (up && to > path + rooted && strncmp(last, "..", (size_t)(to - last)) != 0) {
            to = last > path + rooted ? last - 1 : last;
        } else if (!(up && rooted && to == path + 1)) {
            if (to > path + rooted)
                *to++ = '/';
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    *to = '\0';
}

/* Sends the one name of a file. */
static uint32_t send_name(kiln_reading *reading, const char *name)
{
    char *path = strdup(name), *folder;
    const char *shown = path;
    size_t length;
    uint32_t offset;

    if (path == NULL)
        kiln_read_no_memory(reading);
    simplify(path);
    folder = path[0] == '/' ? realpath(".", NULL) : NULL;
    length = folder != NULL ? strlen(folder) : 0;
    if (folder != NULL && strncmp(path, folder, length) == 0 && path[length] == '/')
        shown = path + length + 1;
    offset = kiln_send_string(reading->sender, shown, strlen(shown));
    free(folder);
    free(path);
    return offset;
}

/* Where an open file lies, by the kernel's own account; NULL where that is not to be had. */
static char *path_of_file(int file)
{
    char link[48], path[PATH_MAX];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || length >= (ssize_t)sizeof path - 1 || path[0] != '/')
        return NULL;
    path[length] = '\0';
    return strdup(path);
}

/* The resolved path is opened, so that what is opened is what was looked at. Where a folder above
 * may not be searched, files are reached from within only: then the name is opened, and the place
 * of the open file is looked at. A name elsewhere of nothing is as absent as any: exporters write
 * paths of the machine that they run on. */
int kiln_read_open(kiln_reading *reading, const char *name)
{
    const int how = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    char *path = kiln_path_resolved(name);
    struct stat facts;
    bool regular = path != NULL && stat(name, &facts) == 0 && S_ISREG(facts.st_mode);
    bool by_path = regular && (stat(path, &facts) == 0 || errno != EACCES);
    int file = -1;

    KILN_ASSERT(reading->folders != NULL);
    if (regular && !by_path) {
        file = open(name, how);
        free(path);
        path = file >= 0 ? path_of_file(file) : NULL;
    }
    if (regular && (by_path || file >= 0) &&
        (path == NULL || !kiln_folders_have(reading->folders, path)))
        kiln_send_failure(
            reading->sender, KILN_BAKE_INVALID,
            "refers to \"%.300s\", which lies outside of the folders of the model, of "
            "the manifest and of the run; move it there, or, if the model is trusted, "
            "allow its folder (--side-files)",
            name);
    if (by_path)
        file = open(path, how);
    if (file >= 0 && (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))) {
        close(file);
        file = -1;
    }
    free(path);
    return file;
}

/* Its CRC is taken here, before it is read; 0 when it can't be. */
void kiln_read_side_file(kiln_reading *reading, const char *name)
{
    kiln_scene_side_file side = {.name = send_name(reading, name)};
    struct stat facts;
    kiln_model model = {.file = kiln_read_open(reading, name)};

    if (model.file >= 0 && fstat(model.file, &facts) == 0 && S_ISREG(facts.st_mode)) {
        model.size = (uint64_t)facts.st_size;
        if (kiln_model_is_lfs_pointer(&model))
            kiln_send_failure(
                reading->sender, KILN_BAKE_INVALID,
                "refers to \"%.300s\", a Git LFS pointer and not the file itself; run "
                "git lfs pull",
                name);
        side.crc = kiln_model_crc(&model);
    }
    if (model.file >= 0)
        close(model.file);
    kiln_send(reading->sender, KILN_ARRAY_SIDE_FILES, &side, 1);
}

/* An empty name is no file. */
void kiln_read_absent_file(kiln_reading *reading, const char *name)
{
    if (name[0] != '\0')
        kiln_send_u32(reading->sender, KILN_ARRAY_ABSENT, send_name(reading, name));
}

/* -- errors -- */

_Noreturn void kiln_read_fail_line(kiln_reading *reading, const kiln_lines *lines, const char *what)
{
    kiln_send_failure(reading->sender, KILN_BAKE_INVALID, "line %llu: %s; repair the file",
                      (unsigned long long)lines->number, what);
}

/* Words are cut: a line without blanks may be as long as the file. */
_Noreturn void kiln_read_fail_word(kiln_reading *reading, const kiln_lines *lines, const char *what,
                                   const char *word, size_t length)
{
    const size_t most = 40;
    char failure[256];

    KILN_ASSERT(strlen(what) < 150);
    if (word == NULL)
        snprintf(failure, sizeof failure, "%s, but the line ends", what);
    else
        snprintf(failure, sizeof failure, "%s, not \"%.*s%s\"", what,
                 (int)(length < most ? length : most), word, length > most ? "..." : "");
    kiln_read_fail_line(reading, lines, failure);
}

/* A line of the control character 26 alone ends texts of DOS and CP/M. */
char *kiln_read_line(kiln_reading *reading, kiln_lines *lines)
{
    bool no_memory = false;
    size_t length;
    char *line = kiln_lines_next(lines, &length, &no_memory);

    if (no_memory)
        kiln_read_no_memory(reading);
    if (line == NULL && lines->wide != 0 && reading->model.size % 2 != 0)
        kiln_read_fail_line(reading, lines, "half a character follows the text, which is UTF-16");
    if (line == NULL)
        return NULL;
    if (lines->unfinished)
        kiln_read_fail_line(reading, lines, "the file ends where a backslash continues the line");
    if (memchr(line, '\0', length) != NULL)
        kiln_read_fail_line(reading, lines,
                            "a zero byte, which no text has (UTF-16 begins with a mark; save the "
                            "file as UTF-8)");
    if (length == 1 && line[0] == '\x1A')
        line[0] = '\0';
    return line;
}

/* With a limit, the message names the option that raises it. */
_Noreturn void kiln_read_no_memory(kiln_reading *reading)
{
    char limit[KILN_MESSAGE_BYTES_SIZE];

    if (reading->memory == 0)
        kiln_send_failure(reading->sender, KILN_BAKE_FAILED, "out of memory; split the model");
    kiln_send_failure(reading->sender, KILN_BAKE_FAILED,
                      "no memory to read it; the importer may use %s; raise that limit (%s)",
                      kiln_message_bytes(reading->memory, limit), reading->limit);
}
