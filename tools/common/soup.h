/* The triangle soup: what import hands to build, and what is known of where each triangle came
 * from. Triangles stand in source order: parts in the order of the scene, faces in the order of the
 * file. A triangle's position in this order is its id for good. */
#ifndef KILN_COMMON_SOUP_H
#define KILN_COMMON_SOUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t triangle_first, triangle_count;
    uint32_t node_path; /* offset in strings: "/root/arm/hand" */
    uint32_t mesh_name; /* offset in strings */
    uint32_t mesh;      /* index in the imported scene */
    uint32_t primitive;
} kiln_soup_part;

/* A face that was left out or is worth a remark. */
typedef struct {
    uint32_t part;   /* index in parts, or of the mesh that lost it */
    uint32_t face;   /* 0-based record in the source, as kiln_source.face */
    uint32_t reason; /* KILN_FACE_... */
} kiln_soup_note;

enum {
    KILN_FACE_INDEX_RANGE = 1, /* an index past the end of the vertices */
    KILN_FACE_NOT_FINITE = 2,  /* a corner is NaN or infinite */
    KILN_FACE_DEGENERATE = 3,  /* --drop degenerate */
    KILN_FACE_DUPLICATE = 4    /* --drop duplicate */
};

/* Why a face was left out, in words. */
const char *kiln_face_reason(uint32_t reason);

typedef struct {
    uint32_t vertex_count, triangle_count;
    float *positions;  /* 3 a vertex; finite; equal positions are one vertex; no -0 */
    uint32_t *indices; /* 3 a triangle */
    uint32_t *face;    /* source face record of each triangle */
    uint32_t *user;    /* material index of each triangle */

    uint32_t part_count;
    kiln_soup_part *parts;
    uint32_t material_count;
    uint32_t *materials; /* offset in strings of each material's name */
    char *strings;       /* zero-ended, UTF-8; offset 0 is "" */
    size_t strings_size;
    size_t
        names_size; /* of the strings, these first bytes hold the names of parts and materials and
                            go into a file; the rest is for the report */

    bool points; /* triangles are points: the three corners of each are one vertex */

    /* The report. */
    uint64_t faces_read;   /* polygons of three corners and more */
    uint64_t polygons_cut; /* of these, with more than three corners */
    uint64_t points_left_out, lines_left_out;
    uint64_t degenerate_count; /* zero-area triangles kept */
    uint64_t duplicate_count;  /* triangles kept whose three corner positions another has too */
    uint32_t note_count;
    kiln_soup_note *notes;     /* dropped faces, each */
    double unit;               /* the source's unit in metres that was applied; 0: none declared */
    int up_axis;               /* 0 x, 1 y, 2 z as declared by the source; -1: none declared */
    double precision_step;     /* most that a coordinate loses by rounding to float where that is
                                   worth a warning, in the soup's units; 0: none */
    double lossy_step;         /* of the grid that vertices were moved to; 0: none */
    double lossy_moved;        /* furthest that one was moved */
    uint64_t lossy_degenerate; /* triangles that lost their area by it; among degenerate_count */
    uint32_t empty_mesh_count; /* nodes or meshes without a face; each is a warning */
    uint32_t side_file_count;  /* files read besides the model (.mtl, .bin), sorted by name */
    uint32_t
        /* names looked for and not there, sorted; they follow those in side_files */
        absent_file_count;
    uint32_t *side_files; /* offset in strings: path relative to the model's folder if inside it */
    uint32_t warning_count;
    uint32_t *warnings; /* offset in strings: whole sentences, in order */
    /* A height field: of vertices, indices, faces and user values there are none, and the one part
     * has the triangles of a grid without holes. */
    uint16_t *samples; /* [columns * rows], row by row; NULL: a mesh */
    uint32_t columns, rows;
    uint32_t greatest; /* that a sample may be */
    char format[16];   /* extension by which the importer was chosen, lower case */
    uint8_t
        source_hash[32]; /* of the model's bytes and of each side file's name and bytes, in order */
} kiln_soup;

void kiln_soup_free(kiln_soup *soup);

/* ------------------------------------------------------------------------------ exact signs -- */

/* Signs of plane areas of float coordinates, exactly. */

/* Sign of the area of the triangle a b c in the plane: 1 turns left, -1 turns right, 0 no area. */
int kiln_orient(const float a[2], const float b[2], const float c[2]);
/* The same of doubles, unless products underflow. */
int kiln_orient_double(const double a[2], const double b[2], const double c[2]);

/* Whether three points in space lie on one line, or two or all of them coincide. */
bool kiln_no_area(const float a[3], const float b[3], const float c[3]);

/* ------------------------------------------------------------------------------------ sizes -- */

/* Sizes of a set of triangles, for reports. */

typedef struct {
    uint64_t triangles;
    double lower[3], upper[3]; /* of the corners */
    double area;
    double signed_volume; /* positive where faces wind outward; the volume of a closed mesh */
} kiln_mesh_extent;

/* `triangles` [3 count] are indices into `vertices` [3 each]; count > 0. Sums are in double. */
void kiln_extent_of(const float *vertices, const uint32_t *triangles, uint64_t count,
                    kiln_mesh_extent *out);

#endif
