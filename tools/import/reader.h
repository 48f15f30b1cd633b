/* Readers: each makes a scene of a model, in the child process, by sending it piece by piece. What
 * a reader can't take ends its work with a message (kiln_send_failure). */
#ifndef KILN_IMPORT_READER_H
#define KILN_IMPORT_READER_H

#include "../common/folders.h"
#include "model.h"
#include "scene.h"

typedef struct {
    kiln_model model;
    const char *name;            /* without directory; the working folder is the model's */
    const char *format;          /* lower case */
    uint64_t memory;             /* the limit, for messages; 0: none */
    const char *limit;           /* its option */
    const kiln_folders *folders; /* where side files may lie */
    kiln_sender *sender;
    kiln_scene_facts facts; /* to be filled; sent by the caller of the reader */
} kiln_reading;

typedef void kiln_reader(kiln_reading *reading);

/* Our own, for the formats whose faces are known by their number in the file. */
kiln_reader kiln_read_obj, kiln_read_ply, kiln_read_stl, kiln_read_off, kiln_read_amf,
    kiln_read_x3d, kiln_read_3mf, kiln_read_xyz;
/* And glTF 2.0 (gltf/nodes.c), Collada (collada/nodes.c) and FBX (fbx/nodes.c). */
kiln_reader kiln_read_gltf, kiln_read_collada, kiln_read_fbx;

/* Height fields: grey pictures of Netpbm and PNG, and samples alone. */
kiln_reader kiln_read_pgm, kiln_read_png, kiln_read_r16;

/* Sends a grid of `columns` x `rows` samples (0: the file does not say it), none above `greatest`.
 */
void kiln_read_grid(kiln_reading *reading, uint32_t columns, uint32_t rows, uint32_t greatest);

/* The extension of the format that a model's first bytes are of, where that is another than
 * `format`; NULL: they are of this one, or of none that is known by them. */
const char *kiln_signature_other(const kiln_model *model, const char *format);

/* Sends a vertex and what rounding it to floats leaves over. */
void kiln_read_vertex(kiln_reading *reading, const double position[3]);
/* Notes the line that a vertex of a text stands in, where that is the first which is none that a
 * float can hold: messages name it. */
void kiln_read_note_line(kiln_reading *reading, const double position[3], uint64_t line);
/* Sends a face of `count` corners; one of one or two corners is counted instead. */
void kiln_read_face(kiln_reading *reading, const uint32_t *corners, size_t count, uint64_t record,
                    uint32_t user);
/* Sends a node at the root that shows the last mesh sent, `mesh`. */
void kiln_read_place(kiln_reading *reading, uint32_t name, uint32_t mesh);
/* Ends a mesh with vertices of its own, the faces sent since the last: sends it, number `index`,
 * and a node of its name. */
void kiln_read_mesh(kiln_reading *reading, const char *name, uint64_t faces, uint64_t vertices,
                    uint32_t index);
/* Sends material 0, that of faces for which the file names none. */
void kiln_read_default_material(kiln_reading *reading);
/* Warns of faces without a corner, if there are any. */
void kiln_read_warn_empty(kiln_reading *reading, uint64_t faces);
/* Opens the regular file that the model calls `name`; -1: it is not there, or may not be read. One
 * that lies in none of the folders, links followed, ends the work. Side files are opened by this
 * function only. */
int kiln_read_open(kiln_reading *reading, const char *name);
/* Records a file that counts as part of the model, before it is read; `name` as the model has it.
 */
void kiln_read_side_file(kiln_reading *reading, const char *name);
/* Records a file that was looked for and is not there: were it, the model might be another. */
void kiln_read_absent_file(kiln_reading *reading, const char *name);

/* The corners of a face while it is read; starts zeroed, ends with free(items). */
typedef struct {
    uint32_t *items;
    size_t count, capacity;
} kiln_corners;

void kiln_corners_add(kiln_reading *reading, kiln_corners *corners, uint32_t corner);

_Noreturn void kiln_read_no_memory(kiln_reading *reading);
/* The next line of a text; NULL at its end. One with a zero byte ends the work, since no text has
 * any, and so does what is left over of a text in UTF-16 or of a line that is continued nowhere. */
char *kiln_read_line(kiln_reading *reading, kiln_lines *lines);
/* Refuses the file because of the line that was read last. */
_Noreturn void kiln_read_fail_line(kiln_reading *reading, const kiln_lines *lines,
                                   const char *what);
/* The same because of a word of it, which the message shows; NULL: the line ends instead. */
_Noreturn void kiln_read_fail_word(kiln_reading *reading, const kiln_lines *lines, const char *what,
                                   const char *word, size_t length);

#endif
