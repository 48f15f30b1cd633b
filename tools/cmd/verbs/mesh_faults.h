/* What is wrong with a mesh as a surface: its edges and borders, its parts, its triangles, and
 * where it meets itself. */
#ifndef KILN_CMD_MESH_FAULTS_H
#define KILN_CMD_MESH_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of faults. What is counted, and the triangles that are listed of each. */
typedef enum {
    FAULT_BORDER,    /* edges of one triangle: that, and from which of its corners */
    FAULT_CROWDED,   /* edges of three triangles and more: the first two */
    FAULT_TURNED,    /* edges of two triangles that pass it the same way: both */
    FAULT_FORKED,    /* vertices about which triangles are in several fans: one of each of two */
    FAULT_CROSSING,  /* pairs of triangles of kiln_self.h, by kind: both */
    FAULT_OVERLAP,   /* in one plane */
    FAULT_TOUCHING,  /* beyond what they share */
    FAULT_JUNCTION,  /* vertices within an edge of another triangle: one of the vertex, that one */
    FAULT_DUPLICATE, /* triangles whose corners are those of an earlier one: that, it */
    FAULT_FLAT,      /* triangles without area */
    FAULT_SLIVER,    /* with area, and an angle below the limit */
    FAULT_KINDS
} fault_kind;

enum { FAULTS_LISTED_MOST = 100 };

/* The first ones by their triangles, ascending; `b` is `a` where one triangle says all. */
typedef struct {
    uint64_t count;
    uint32_t listed;
    struct {
        uint32_t a, b;
    } first[FAULTS_LISTED_MOST];
} fault;

/* A mesh whose equal positions are one vertex. */
typedef struct {
    const float *positions;  /* 3 a vertex; finite */
    const uint32_t *indices; /* 3 a triangle */
    uint32_t vertex_count, triangle_count;
} mesh_arrays;

typedef struct {
    uint64_t vertices; /* that triangles have */
    uint64_t edges;
    uint64_t odd_edges; /* of an odd number of triangles */
    uint64_t border_loops;
    uint64_t parts; /* connected by vertices */
    double area;
    double volume;      /* signed: of what is closed, positive where faces wind outward */
    double least_angle; /* of a triangle with area, in degrees; 180: there is none */
    fault faults[FAULT_KINDS];
} mesh_facts;

/* Fills all but the faults of where the mesh meets itself. At most `listed` faults of a kind are
 * listed; `sliver` is in degrees. False: no memory. */
bool mesh_facts_of_surface(const mesh_arrays *m, double sliver, uint32_t listed, mesh_facts *out);

/* Fills these, by a tree in memory that takes `threads` threads to bake. `progress` as in
 * kiln_bake_options. False: no memory. */
bool mesh_facts_of_meeting(const mesh_arrays *m, uint32_t listed, int threads,
                           bool (*progress)(void *user, const char *stage, double part),
                           void *progress_user, mesh_facts *out);

#endif
