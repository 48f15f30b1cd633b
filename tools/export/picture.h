/* What is exported of a tree, whatever the format: volumes as triangles, level by level, and the
 * mesh in the order of its ids. */
#ifndef KILN_EXPORT_PICTURE_H
#define KILN_EXPORT_PICTURE_H

#include "../../formats/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KILN_PICTURE_LEVELS = KILN_TREE_DEPTH_MAX + 1 };

typedef enum { KILN_COLOUR_LEVEL = 0, KILN_COLOUR_COST = 1 } kiln_picture_colour;

typedef struct {
    bool levels; /* all of them */
    int level;   /* >= 0: the volumes of this level, 0 the whole tree */
    bool leaves; /* those of all leaves, as one level */
    bool mesh;
    kiln_picture_colour colour;
} kiln_picture_choice;

/* Volumes of one level. Vertices and triangles of levels follow each other; indices of triangles
 * count from the level's first vertex. */
typedef struct {
    char name[24]; /* "level 3", "leaves" */
    uint32_t volumes;
    uint8_t colour[3]; /* by level */
    size_t vertex_first, vertex_count, triangle_first, triangle_count;
} kiln_picture_level;

/* A volume as the tables of formats have it. */
typedef struct {
    uint32_t level, triangles; /* at or below it */
    uint32_t vertex_count, triangle_count;
} kiln_picture_volume;

/* Triangles of the mesh in a row, of one part and with one user value. */
typedef struct {
    uint32_t part; /* index of the file's parts; 0 where it has none */
    uint32_t value;
    size_t first, count;
} kiln_picture_run;

/* Called with the completed part of a stage now and then; false ends the work. */
typedef bool (*kiln_picture_progress)(void *user, const char *stage, double part);

typedef struct {
    const kiln_view *view;
    kiln_picture_choice choice;
    kiln_picture_progress progress; /* NULL: none */
    void *user;
    bool finite;          /* false: a volume is where no bake puts one */
    uint32_t level_count; /* that have volumes */
    kiln_picture_level levels[KILN_PICTURE_LEVELS];
    size_t vertex_count, triangle_count, volume_count;
    float (*vertices)[3];
    uint8_t (*colours)[3]; /* of vertices, sRGB */
    uint32_t (*triangles)[3];
    kiln_picture_volume *volumes; /* in the order of levels, and of their triangles */
    /* The mesh: only vertices that it uses, in the order of their first use. */
    size_t mesh_vertex_count, mesh_triangle_count, run_count;
    float (*mesh_vertices)[3];
    uint32_t (*mesh_triangles)[3];
    uint32_t *ids, *values; /* of triangles */
    kiln_picture_run *runs;
} kiln_picture;

/* Makes the picture of tree number `index` of a view that is verified. A mesh that the file has not
 * is left out. False: no memory, or the caller ended it; *picture is then empty. kiln_picture_free
 * releases it. */
bool kiln_picture_make(const kiln_view *view, uint32_t index, const kiln_picture_choice *choice,
                       kiln_picture_progress progress, void *user, kiln_picture *picture);
void kiln_picture_free(kiln_picture *picture);

/* For writers: item `done` of `all`, of which some are reported as progress. */
void kiln_picture_tell(const kiln_picture *picture, size_t done, size_t all);

/* The name of a part's node without the first slash, and of its mesh; "mesh" where it has none. */
const char *kiln_picture_node_name(const kiln_picture *picture, uint32_t part);
const char *kiln_picture_mesh_name(const kiln_picture *picture, uint32_t part);

/* The name of a user value; NULL: it has none. */
const char *kiln_picture_value_name(const kiln_picture *picture, uint32_t value);

/* A colour of the palette, sRGB; any number. */
const uint8_t *kiln_picture_palette(uint32_t number);

#endif
