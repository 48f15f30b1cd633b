/* Reader of Wavefront OBJ (Wavefront Technologies, "Advanced Visualizer" manual, appendix B1, 1991;
 * colours after the coordinates of a vertex, as other programs have added them).
 *
 * A file is lines, each a record that begins with a keyword, in letters of either case; a backslash
 * joins a record of numbers to the next line.
 * Vertices are numbered through the file, so all meshes share them. A mesh is a run of faces under
 * one object (`o`) and group (`g`); names and materials hold until the next record of their kind.
 *
 * A face's number is that of its record, `f` or `fo`, counted from 0 in the file, whatever records
 * stand between. Records of the second table below are skipped: texture coordinates, normals,
 * smoothing and the like change no geometry. A record of neither table is an error. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/assert.h"
#include "../common/memory.h"
#include "reader.h"

typedef struct {
    char *name;
    uint32_t user;
} material;

typedef struct {
    kiln_reading *reading;
    kiln_lines lines;
    uint64_t vertices, records;
    kiln_corners corners; /* of the record that is being read */
    char *object, *group; /* names in force; NULL: none */
    bool object_hollow;   /* no element since `o` */
    uint64_t run_faces;   /* faces of the run so far */
    uint32_t mesh_count;
    material *materials; /* sorted by name */
    size_t material_count, material_capacity;
    uint32_t user; /* material in force */
    uint64_t elements_ignored, calls_ignored, faces_without_corners, weights, sevens;
} obj;

static _Noreturn void fail_line(obj *o, const char *what)
{
    kiln_read_fail_line(o->reading, &o->lines, what);
}

static _Noreturn void fail_word(obj *o, const char *what, const char *word, size_t length)
{
    kiln_read_fail_word(o->reading, &o->lines, what, word, length);
}

/* The rest of a line without blanks around it, as a string of its own. */
static char *rest_of_line(obj *o, const char *at)
{
    size_t length;
    char *copy;

    at += strspn(at, " \t");
    length = strlen(at);
    while (length > 0 && strchr(" \t", at[length - 1]) != NULL)
        length--;
    copy = strndup(at, length);
    if (copy == NULL)
        kiln_read_no_memory(o->reading);
    return copy;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The mark that continues a line is a last backslash in a record of numbers. Names and paths may
 * end in one, and so may comments. */
static size_t continued(const char *line, size_t length)
{
    static const char *const named[] = {"o",      "g",    "usemtl", "mtllib",     "usemap",
                                        "maplib", "call", "csh",    "shadow_obj", "trace_obj"};
    const char *word = line;
    size_t end = length, size = 0;

    while (end > 0 && blank(line[end - 1]))
        end--;
    if (end == 0 || line[end - 1] != '\\' || memchr(line, '#', end) != NULL)
        return KILN_LINE_ENDS;
    while (word < line + end - 1 && blank(*word))
        word++;
    while (word + size < line + end - 1 && !blank(word[size]))
        size++;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (kiln_token_is(word, size, named[i]))
            return KILN_LINE_ENDS;
    return end - 1;
}

/* "v x y z", with a weight ("v x y z w"), or with a colour of three numbers or of four. Other
 * counts have no meaning that is known, and what follows may be a second vertex. */
static void read_vertex(obj *o, const char *at)
{
    double values[4] = {0, 0, 0, 1};
    const char *token;
    size_t length;
    int count = 0;

    while ((token = kiln_token(&at, &length)) != NULL && token[0] != '#') {
        double value;

        if (!kiln_token_number(token, length, &value))
            fail_word(o, "a coordinate must be a number", token, length);
        if (count < 4)
            values[count] = value;
        count++;
    }
    if (count < 3)
        fail_line(o, "a vertex has fewer than three coordinates");
    if (count == 5 || count > 7)
        fail_line(o, "a vertex has three coordinates, with a weight, or with a colour of three "
                     "numbers; this line has another count of numbers");
    o->sevens += count == 7;
    /* A fourth number alone is a weight. */
    if (count == 4 && values[3] != 1) {
        for (int i = 0; i < 3; i++)
            values[i] /= values[3];
        o->weights++;
    }
    kiln_read_vertex(o->reading, values);
    o->vertices++;
}

/* Corners into o->corners; how many. Of "12/3/4" the first number counts: 1 for the first vertex,
 * -1 for the last so far. */
static size_t read_corners(obj *o, const char *at)
{
    const char *token;
    size_t length;

    o->corners.count = 0;
    while ((token = kiln_token(&at, &length)) != NULL && token[0] != '#') {
        const char *slash = memchr(token, '/', length);
        size_t own = slash != NULL ? (size_t)(slash - token) : length;
        int64_t index;

        if (!kiln_token_integer(token, own, &index) ||
            strspn(token + own, "/-0123456789") < length - own)
            fail_word(o, "a corner must be a vertex number, as in 1 or 1/2/3", token, length);
        index += index < 0 ? (int64_t)o->vertices : -1;
        kiln_corners_add(o->reading, &o->corners,
                         index < 0 || index >= KILN_SCENE_NONE ? KILN_SCENE_NONE : (uint32_t)index);
    }
    return o->corners.count;
}

/* "f" or "fo". One without any corner is counted and reported at the end. */
static void read_face(obj *o, const char *at)
{
    size_t count = read_corners(o, at);

    kiln_read_face(o->reading, o->corners.items, count, o->records, o->user);
    o->records++;
    o->run_faces += count >= 3;
    o->faces_without_corners += count == 0;
    o->object_hollow = o->object_hollow && count == 0;
}

/* "p": each of its corners is a point. */
static void read_points(obj *o, const char *at)
{
    o->reading->facts.points += read_corners(o, at);
    o->object_hollow = false;
}

/* "l": a line of n corners has n - 1 pieces. */
static void read_line(obj *o, const char *at)
{
    size_t count = read_corners(o, at);

    o->reading->facts.lines += count > 0 ? count - 1 : 0;
    o->object_hollow = false;
}

/* Ends the run of faces: they become a mesh with a node "object/group". The vertices are shared by
 * all meshes. */
static void end_run(obj *o)
{
    kiln_sender *sender = o->reading->sender;
    kiln_scene_mesh mesh = {.face_count = o->run_faces, .shared = 1};
    const char *object = o->object, *group = o->group;
    char *path;

    if (o->run_faces == 0)
        return;
    /* Without an object the group takes its place. */
    if (object == NULL)
        object = group != NULL ? group : "default", group = NULL;
    path = malloc(strlen(object) + (group != NULL ? strlen(group) : 0) + 2);
    if (path == NULL)
        kiln_read_no_memory(o->reading);
    sprintf(path, group != NULL ? "%s/%s" : "%s", object, group);
    mesh.name = kiln_send_string(sender, group != NULL ? group : object,
                                 strlen(group != NULL ? group : object));
    kiln_send(sender, KILN_ARRAY_MESHES, &mesh, 1);
    kiln_read_place(o->reading, kiln_send_string(sender, path, strlen(path)), o->mesh_count++);
    free(path);
    o->run_faces = 0;
}

/* An object without any face, line or point is reported: it may be a mistake. */
static void end_object(obj *o)
{
    end_run(o);
    if (o->object == NULL || !o->object_hollow)
        return;
    o->reading->facts.empty_meshes++;
    kiln_send_warning(o->reading->sender, "object \"%s\" has no face", o->object);
}

/* Replaces a name, and owns the new one. */
static void set_name(char **name, char *to)
{
    free(*name);
    *name = to;
}

/* `g` without a name, and "default", mean no group. */
static void read_group(obj *o, const char *at)
{
    char *name = rest_of_line(o, at);

    if (name[0] == '\0' || strcmp(name, "default") == 0)
        set_name(&name, NULL);
    /* The same group again continues the run. */
    if (name == o->group || (name != NULL && o->group != NULL && strcmp(name, o->group) == 0)) {
        free(name);
        return;
    }
    end_run(o);
    set_name(&o->group, name);
}

/* "o": a new object begins outside of any group. */
static void read_object(obj *o, const char *at)
{
    end_object(o);
    set_name(&o->object, rest_of_line(o, at));
    set_name(&o->group, NULL);
    o->object_hollow = true;
}

/* Materials are numbered by their first use; the list is sorted by name for the search. */
static void read_material(obj *o, const char *at)
{
    char *name = rest_of_line(o, at);
    size_t low = 0, high = o->material_count;
    void *materials = o->materials;
    bool room;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(o->materials[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < o->material_count && strcmp(o->materials[low].name, name) == 0) {
        o->user = o->materials[low].user;
        free(name);
        return;
    }
    room = kiln_grow(&materials, &o->material_capacity, o->material_count + 1, sizeof(material));
    o->materials = materials;
    if (!room)
        kiln_read_no_memory(o->reading);
    memmove(o->materials + low + 1, o->materials + low,
            (o->material_count - low) * sizeof(material));
    o->material_count++;
    o->user = (uint32_t)o->material_count; /* 0 is the default */
    KILN_ASSERT(low < o->material_count && o->material_count <= o->material_capacity);
    o->materials[low] = (material){name, o->user};
    kiln_send_u32(o->reading->sender, KILN_ARRAY_MATERIALS,
                  kiln_send_string(o->reading->sender, name, strlen(name)));
}

/* A regular file that may be read; any other counts as absent. */
static bool is_file(obj *o, const char *name)
{
    int file = kiln_read_open(o->reading, name);

    if (file >= 0)
        close(file);
    return file >= 0;
}

/* One name that may have blanks, or several without. The properties of materials are not read, but
 * the file is part of the model. */
static void read_library(obj *o, const char *at)
{
    char *names = rest_of_line(o, at);

    if (is_file(o, names)) {
        kiln_read_side_file(o->reading, names);
    } else {
        char *place = NULL;

        kiln_read_absent_file(o->reading, names);
        for (char *name = strtok_r(names, " \t", &place); name != NULL;
             name = strtok_r(NULL, " \t", &place))
            if (is_file(o, name))
                kiln_read_side_file(o->reading, name);
            else
                kiln_read_absent_file(o->reading, name);
    }
    free(names);
}

/* Free-form curves and surfaces are not read. */
static void count_element(obj *o, const char *at)
{
    (void)at;
    o->elements_ignored++;
    o->object_hollow = false;
}

/* Other files of records are not followed. */
static void count_call(obj *o, const char *at)
{
    (void)at;
    o->calls_ignored++;
}

/* The records that are read. */
static const struct {
    const char *keyword;
    void (*read)(obj *o, const char *at);
} records[] = {
    {"v", read_vertex},      {"f", read_face},          {"fo", read_face},
    {"p", read_points},      {"l", read_line},          {"o", read_object},
    {"g", read_group},       {"usemtl", read_material}, {"mtllib", read_library},
    {"curv", count_element}, {"curv2", count_element},  {"surf", count_element},
    {"call", count_call},    {"csh", count_call},
};

/* Records of the format, of its older versions and of other programs (`vc`) that change no
 * geometry. */
static const char *const skipped[] = {
    "vt",    "vn",         "vp",        "vc",       "s",    "mg",     "cstype", "deg",
    "bmat",  "step",       "parm",      "trim",     "hole", "scrv",   "sp",     "end",
    "con",   "bevel",      "c_interp",  "d_interp", "lod",  "usemap", "maplib", "ctech",
    "stech", "shadow_obj", "trace_obj", "bsp",      "bzp",  "cdc",    "cdp",    "res"};

/* Any word that is none of a record is refused: a line that was not understood may be geometry. */
static void read_record(obj *o, const char *line)
{
    size_t length;
    const char *token = kiln_token(&line, &length);

    if (token == NULL || token[0] == '#')
        return;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
        if (kiln_token_is(token, length, records[i].keyword)) {
            records[i].read(o, line);
            return;
        }
    for (size_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++)
        if (kiln_token_is(token, length, skipped[i]))
            return;
    fail_word(o, "a line must begin with a word of the format, like \"v\" or \"f\"", token, length);
}

void kiln_read_obj(kiln_reading *reading)
{
    obj o = {.reading = reading};
    kiln_sender *sender = reading->sender;
    const char *line;

    if (!kiln_lines_start(&o.lines, &reading->model, 0, continued))
        kiln_read_no_memory(reading);
    kiln_read_default_material(reading);
    while ((line = kiln_read_line(reading, &o.lines)) != NULL)
        read_record(&o, line);
    end_object(&o);
    KILN_ASSERT(o.run_faces == 0);

    if (o.elements_ignored > 0)
        kiln_send_warning(sender, "%llu free-form curves and surfaces left out",
                          (unsigned long long)o.elements_ignored);
    if (o.calls_ignored > 0)
        kiln_send_warning(sender, "%llu calls of other files not followed",
                          (unsigned long long)o.calls_ignored);
    if (o.weights > 0)
        kiln_send_warning(
            sender,
            "%llu %s a fourth number other than 1: the coordinates are divided by it, "
            "as the format says and many programs do not",
            (unsigned long long)o.weights, o.weights == 1 ? "vertex has" : "vertices have");
    if (o.sevens > 0)
        kiln_send_warning(sender,
                          "%llu %s seven numbers, which the format does not know: taken for three "
                          "coordinates and a colour of four",
                          (unsigned long long)o.sevens,
                          o.sevens == 1 ? "vertex has" : "vertices have");
    kiln_read_warn_empty(reading, o.faces_without_corners);
    reading->facts.exact = 1;

    for (size_t i = 0; i < o.material_count; i++)
        free(o.materials[i].name);
    free(o.materials);
    free(o.object);
    free(o.group);
    free(o.corners.items);
    kiln_lines_end(&o.lines);
}
