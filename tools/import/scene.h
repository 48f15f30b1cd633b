/* A scene as the readers give it: meshes of polygons, placed by nodes. It crosses a pipe from the
 * child process that reads to the parent, in pieces of arrays; the parent trusts none of it. */
#ifndef KILN_IMPORT_SCENE_H
#define KILN_IMPORT_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../kiln_bake.h"

#define KILN_SCENE_NONE 0xFFFFFFFFu /* no parent; a vertex index that no file can mean */

typedef struct {
    uint64_t face_count;   /* meshes tile the faces in order */
    uint64_t vertex_count; /* and the vertices, unless they share them */
    uint32_t name;         /* offset in strings */
    uint32_t primitive;    /* within the mesh of the source */
    uint32_t shared;       /* 1: corners count in all vertices of the scene, vertex_count is 0 */
    uint32_t pose_of;      /* 1 + the number of the mesh of which this is another shape; 0: none */
} kiln_scene_mesh;

typedef struct {
    uint32_t parent;      /* an earlier node or KILN_SCENE_NONE: nodes stand depth-first */
    uint32_t name;        /* offset in strings */
    uint32_t place_count; /* nodes tile the places in order */
    uint32_t absolute;    /* 1: the matrix is to the scene, whatever the parent's is */
    double matrix[16];    /* row-major, to the parent */
} kiln_scene_node;

typedef struct {
    double unit; /* as declared, in metres; 0: none */
    double
        unit_factor; /* what brings coordinates to metres, where the reader has not done so; or 1 */
    int32_t up_declared; /* 0 x, 1 y, 2 z; -1: none */
    int32_t up_now;      /* of the coordinates as given here */
    uint32_t exact;      /* positions and residuals are what the file says, to the last bit */
    uint32_t empty_meshes;
    uint64_t points, lines; /* left out */
    uint64_t
        bad_faces_lost; /* the reader lost at least one face with a bad index without naming it */
    uint64_t bad_line;  /* of a text: that of the first vertex that is not finite; 0: none */
    uint32_t cloud;     /* 1: a set of points, of which no mesh has a face */
    uint32_t reserved;  /* 0 */
} kiln_scene_facts;

/* The status of a failure that means: the format is another one than its name says, which the
 * program with the other readers reads. */
enum { KILN_SCENE_OTHER_READER = -1 };

typedef struct {
    int32_t status;   /* kiln_bake_status, or KILN_SCENE_OTHER_READER */
    uint32_t message; /* offset in strings */
} kiln_scene_failure;

typedef struct {
    uint32_t name; /* offset in strings */
    uint32_t crc;  /* CRC-32 of its bytes before they were read */
} kiln_scene_side_file;

typedef struct {
    uint32_t columns, rows; /* 0 columns: the file does not say it, and rows are 0 as well */
    uint32_t greatest;      /* sample that there may be */
} kiln_scene_grid;

typedef enum {
    KILN_ARRAY_STRINGS,    /* char; zero-ended; offset 0 is "" */
    KILN_ARRAY_MATERIALS,  /* uint32: offset in strings */
    KILN_ARRAY_POSITIONS,  /* float[3] a vertex */
    KILN_ARRAY_RESIDUALS,  /* float[3] a vertex: what the position lacks; or none at all */
    KILN_ARRAY_SIZES,      /* uint32 a face: its corners, 3 or more */
    KILN_ARRAY_RECORDS,    /* uint32 a face: its number in the source */
    KILN_ARRAY_USERS,      /* uint32 a face: its material */
    KILN_ARRAY_CORNERS,    /* uint32: index of a vertex of the mesh */
    KILN_ARRAY_MESHES,     /* kiln_scene_mesh */
    KILN_ARRAY_NODES,      /* kiln_scene_node */
    KILN_ARRAY_PLACES,     /* uint32: a mesh that the node shows */
    KILN_ARRAY_SIDE_FILES, /* kiln_scene_side_file */
    KILN_ARRAY_ABSENT,     /* uint32: offset in strings of a name looked for and not found */
    KILN_ARRAY_WARNINGS,   /* uint32: offset in strings */
    KILN_ARRAY_GRID,       /* at most one kiln_scene_grid; there are no meshes then */
    KILN_ARRAY_SAMPLES,    /* uint16: its samples, row by row */
    KILN_ARRAY_FACTS,      /* one kiln_scene_facts */
    KILN_ARRAY_FAILURE,    /* at most one kiln_scene_failure; nothing else counts then */
    KILN_ARRAY_COUNT
} kiln_array;

/* Bytes of an element. */
size_t kiln_array_element(kiln_array array);

/* The sending side, in the child. A pipe that breaks ends the process. */

typedef struct kiln_sender kiln_sender;

kiln_sender *kiln_sender_start(int pipe);
void kiln_send(kiln_sender *sender, kiln_array array, const void *elements, size_t count);
void kiln_send_u32(kiln_sender *sender, kiln_array array, uint32_t value);
/* Returns the string's offset. */
uint32_t kiln_send_string(kiln_sender *sender, const char *text, size_t length);
void kiln_send_warning(kiln_sender *sender, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void kiln_send_end(kiln_sender *sender);
/* The format that the model is by its first bytes, where that is not its name's; NULL: none. A
 * failure of the model then says so, whatever its reason. */
void kiln_sender_set_other(kiln_sender *sender, const char *extension);
/* Sends the reason and ends the process. */
_Noreturn void kiln_send_failure(kiln_sender *sender, kiln_bake_status status, const char *format,
                                 ...) __attribute__((format(printf, 3, 4)));

/* The receiving side. */

typedef struct {
    void *items;
    size_t count, capacity; /* in elements */
} kiln_scene_array;

typedef struct {
    kiln_scene_array arrays[KILN_ARRAY_COUNT];
    uint64_t received, most; /* bytes; most 0: no limit */
    uint8_t header[16];
    size_t have;         /* bytes of the header or of the piece that is coming in */
    kiln_array array;    /* of the piece that is coming in */
    uint64_t piece_left; /* bytes of it */
    bool ended, broken, no_memory;
} kiln_scene;

/* Takes the next bytes; false when they are no scene or too much. */
bool kiln_scene_receive(void *scene, const uint8_t *data, size_t size);
/* Whether the scene is whole and refers only to what it has. (Indices of corners and values of
 * coordinates are the file's matter and not looked at.) */
bool kiln_scene_is_sound(kiln_scene *scene);
const char *kiln_scene_string(const kiln_scene *scene, uint32_t offset);
void kiln_scene_free(kiln_scene *scene);

#endif
