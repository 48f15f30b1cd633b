/* A query of contact regions from the inside: its workplace, and its steps. */
#ifndef KILN_REGIONS_INSIDE_H
#define KILN_REGIONS_INSIDE_H

#include "../../formats/vector.h"
#include "../base/fpu.h"
#include "../pose/pose.h"
#include "adjacency.h"

#include <math.h>
#include <string.h>

#define KILN_REGIONS_NONE UINT32_MAX

/* Two triangles that meet, in the order of their ids. */
typedef struct {
    uint32_t id_x, id_y;
    uint32_t x, y; /* counted as in the adjacency of each */
} kiln_regions_pair;

/* How two triangles pass through each other. */
typedef struct {
    double at[2][3];       /* begin and end, world */
    double place[2];       /* of these along their edges, from the first corner */
    uint8_t edge[2];       /* kiln_crossing */
    bool found;            /* else they only touch */
    bool parts;            /* found with the move that decides what is inside */
    bool crosses;          /* in a part of the intersection that does not only touch */
    bool loose[2];         /* no other triangle has this end */
    uint8_t again;         /* bits of ends that a pair before has, too */
    uint32_t met_x, met_y; /* the triangles as they are noted */
} kiln_regions_segment;

/* A triangle that meets the other mesh. Nodes 3 i + c stand for the corners of met triangle i. */
typedef struct {
    uint32_t triangle;
    uint32_t first, pairs; /* of X: its pairs */
    uint32_t crossings[3]; /* of each edge */
    uint32_t stamp;        /* what it was looked at for last */
    uint32_t judged;       /* 1 + the region for which `steep` holds */
    bool of_x, crossed, filled, steep;
} kiln_regions_met;

/* Corners that hang together over edges that nothing crosses: where they all are. */
typedef struct {
    uint32_t pair; /* of a curve around the patch that they are in; or none */
    int8_t place;  /* 1: inside, -1: outside the other mesh; 0: unknown */
    int8_t
        behind; /* 1: on the inner side of the triangle that is next; -1: the outer; 0: unknown */
    bool torn;  /* both of these: the surface goes round the border of the other */
    uint8_t tries; /* corners that were on the other surface */
} kiln_regions_side;

/* Triangles of a patch that nothing crosses: list[first] to the next fill's first. Those that are
 * next to a crossed triangle have both corners there from it. */
typedef struct {
    uint32_t first;
    uint32_t node; /* from whose side it began */
    uint32_t pair; /* the first of the region; NONE: it is in none */
    uint32_t next; /* of the same region */
    bool of_x;
} kiln_regions_fill;

/* A crossing of an edge that has several. */
typedef struct {
    uint64_t edge;
    double place;
    uint32_t pair;
    uint8_t end;
} kiln_regions_order;

/* Of X and Y alike. */
typedef struct {
    const kiln_adjacency *of;
    const kiln_adjacency *other;
    const kiln_pose *pose; /* NULL: identity */
    uint32_t *marks;       /* of each triangle: mark_base + 1 + met triangle, or + filled */
    bool turned;           /* its triangles are clockwise as placed */
} kiln_regions_mesh;

/* All arrays are in the caller's memory. A root of `parents` is the first pair of its set. */
struct kiln_regions {
    uint32_t triangle_capacity, pair_capacity;
    uint32_t needed_triangles, needed_pairs;
    uint32_t *marks, *list;
    kiln_regions_pair *pairs, *spare;
    kiln_regions_segment *segments;
    uint32_t *parents;    /* of pairs: regions */
    uint32_t *curves;     /* the same before patches joined them */
    uint32_t *next_pair;  /* of the same curve */
    uint32_t *next_curve; /* of the same region, by the first pairs of curves */
    uint32_t *first_fill; /* of a region */
    kiln_regions_met *met;
    uint32_t *nodes; /* their parents */
    kiln_regions_side *sides;
    kiln_regions_fill *fills;
    kiln_regions_order *orders;
    uint32_t *unknown_next; /* of met triangles: rings, each of a side of unknown place */
    uint32_t *reached;      /* a met triangle of each side that a fill found to be inside */

    /* Of the query that runs. */
    uint32_t mark_base; /* marks up to it are old */
    uint32_t stamp;     /* of the pass over met triangles that runs */
    uint32_t pair_count, met_count, fill_count, list_count, reached_count;
    kiln_pair_frame frame;
    const kiln_pose *world; /* from the frame of comparison */
    double inverse[2][9];   /* of what carries Y, and X if it is carried */
    kiln_regions_mesh x, y;
};

static inline uint32_t kiln_regions_root(uint32_t *parents, uint32_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

static inline void kiln_regions_join(uint32_t *parents, uint32_t i, uint32_t j)
{
    i = kiln_regions_root(parents, i);
    j = kiln_regions_root(parents, j);
    if (i < j) {
        parents[j] = i;
    } else {
        parents[i] = j;
    }
}

static inline bool kiln_regions_is_closed(const kiln_adjacency *of)
{
    return of->tree->view.entry->closed != KILN_CLOSED_NOT;
}

/* Is an end of a segment one that no pair before has? A pair before has no greater ids. */
static inline bool kiln_regions_end_is_new(const kiln_regions_segment *segment, int end)
{
    return (segment->again >> end & 1) == 0;
}

/* The met triangle that a triangle is noted as; NONE: it meets nothing. */
static inline uint32_t kiln_regions_met_of(const kiln_regions *r, const kiln_regions_mesh *mesh,
                                           uint32_t triangle)
{
    const uint32_t mark = mesh->marks[triangle];
    return mark > r->mark_base && mark - r->mark_base <= r->met_count ? mark - r->mark_base - 1
                                                                      : KILN_REGIONS_NONE;
}

/* Pairs in order; how triangles pass through each other, and what hangs together: curves.c. */
void kiln_regions_trace(kiln_regions *r);

/* What is inside; which curves it joins: patches.c. */
void kiln_regions_fill_patches(kiln_regions *r);

/* Curves that run within one triangle: with those around them: holes.c. */
void kiln_regions_join_holes(kiln_regions *r);

/* Directions in which a region's depth is measured, of which the least counts. */
enum { KILN_REGIONS_WAYS = 5 };

/* What of a patch is farthest out: of equally far places vertices go before ends of segments, and
 * vertices by coordinates. */
typedef struct {
    const float *vertex; /* NULL: the end of a segment */
    const double *end;   /* NULL: a vertex */
    uint32_t triangle;   /* of ends that with the least id; of a vertex one that has it */
} kiln_regions_far;

/* All of the region of which `root` is the first pair, but for its points: measure.c. */
typedef struct {
    double origin[3];       /* of what follows, world */
    double along[3][3];     /* two axes across the normal, and it, from Y to X */
    double lowest, highest; /* of X's patch along it, and of Y's */
    double common[3];       /* the centroid of a common area that ends at a border, from origin */
    kiln_regions_far low, high;
    kiln_region region;
} kiln_regions_measure;
void kiln_regions_measure_of(kiln_regions *r, uint32_t root, kiln_regions_measure *out);

/* Of both patches along the normal, which may become another that is better: extents.c. */
void kiln_regions_measure_extents(kiln_regions *r, uint32_t root, kiln_regions_measure *m);

/* Two axes across the normal along[2]: the same for it and its reverse, but for their signs. */
void kiln_regions_form_axes(double along[3][3]);

/* What two triangles in one plane have in common, as a convex polygon of the world; returns how
 * many corners it has, 0 where there is no area: common.c. */
enum { KILN_REGIONS_CORNERS = 6 };
int kiln_regions_common_of(const kiln_regions *r, uint32_t pair,
                           double polygon[KILN_REGIONS_CORNERS][3]);

/* Surfaces of which one is open only touch: may what they share end at a border? */
bool kiln_regions_ends_at_border(const kiln_regions *r, const kiln_regions_measure *m);

/* The area of a touching region by its pairs, if it has any, and its normal. */
void kiln_regions_measure_common(const kiln_regions *r, uint32_t root, kiln_regions_measure *m);

/* Its points: manifold.c. */
void kiln_regions_add_points(kiln_regions *r, uint32_t root, kiln_regions_measure *m);

/* A linear function of the world, of the vertices of a mesh as stored. */
typedef struct {
    double row[3], constant;
} kiln_regions_height;
void kiln_regions_height_form(const kiln_regions_mesh *mesh, const double direction[3],
                              const double origin[3], kiln_regions_height *out);

static inline double kiln_regions_height_at(const kiln_regions_height *h, const float *vertex)
{
    return (h->row[0] * (double)vertex[0] + h->row[1] * (double)vertex[1]) +
           (h->row[2] * (double)vertex[2] + h->constant);
}

/* Is the corner of a met triangle in a patch of the region? When all patches are filled. */
static inline bool kiln_regions_corner_is_in(const kiln_regions *r, uint32_t met, unsigned corner,
                                             uint32_t root)
{
    return r->sides[3 * met + corner].pair == root;
}

/* True once for each stamp. */
static inline bool kiln_regions_met_is_new(const kiln_regions *r, uint32_t met)
{
    const bool is_new = r->met[met].stamp != r->stamp;
    r->met[met].stamp = r->stamp;
    return is_new;
}

/* The triangles of a fill, as half-edges: that over which each was reached from one before it, so
 * that only the corner opposite is new. */
static inline uint32_t kiln_regions_fill_end(const kiln_regions *r, const kiln_regions_fill *fill)
{
    return fill + 1 < r->fills + r->fill_count ? fill[1].first : r->list_count;
}

static inline const float *kiln_regions_new_vertex(const kiln_adjacency *of, uint32_t half_edge)
{
    return kiln_adjacency_vertex(of, half_edge / 3, (half_edge % 3 + 2) % 3);
}

/* -1, 0, 1 by coordinates in order; -0 is 0. */
static inline int kiln_regions_compare_places(const float *u, const float *v)
{
    int k = 0;
    while (k < 2 && u[k] == v[k]) {
        k++;
    }
    return (u[k] > v[k]) - (u[k] < v[k]);
}

/* From the first corner of a triangle to another, as the world has it. */
static inline void kiln_regions_world_edge(const kiln_regions_mesh *mesh, uint32_t triangle,
                                           unsigned corner, double out[3])
{
    const float *from = kiln_adjacency_vertex(mesh->of, triangle, 0);
    const float *to = kiln_adjacency_vertex(mesh->of, triangle, corner);
    double edge[3];
    for (int k = 0; k < 3; k++) {
        edge[k] = (double)to[k] - (double)from[k];
    }
    memcpy(out, edge, sizeof edge);
    for (int k = 0; k < 3 && mesh->pose != NULL; k++) {
        const double *row = mesh->pose->rotation + 3 * k;
        const double turned = (row[0] * edge[0] + row[1] * edge[1]) + row[2] * edge[2];
        out[k] = mesh->pose->scale * turned;
    }
}

static inline double kiln_regions_vector_length(const double v[3])
{
    return sqrt(kiln_dot(v, v));
}

/* Where the corner of a node is, when all nodes are joined and are next to their roots. */
static inline kiln_regions_side *kiln_regions_side_of(const kiln_regions *r, uint32_t node)
{
    return &r->sides[r->nodes[node]];
}

/* Joins a curve with the patch that a corner is in, if that is inside. */
static inline void kiln_regions_join_side(kiln_regions *r, uint32_t node, uint32_t pair)
{
    kiln_regions_side *side = kiln_regions_side_of(r, node);
    if (side->place > 0) {
        side->pair = side->pair == KILN_REGIONS_NONE ? pair : side->pair;
        kiln_regions_join(r->parents, side->pair, pair);
    }
}

static inline const kiln_regions_mesh *kiln_regions_mesh_of(const kiln_regions *r, bool of_x)
{
    return of_x ? &r->x : &r->y;
}

#endif
