/* Sphere trees of the literature: constructions that choose the balls of nodes themselves, instead
 * of the smallest ones about the parts of a tree that was made for boxes.
 *
 * A plan is what a construction makes: an order of the records and wide nodes with a ball for each
 * lane. The encoder enlarges what does not hold the triangles below it, so no plan can be wrong. */
#ifndef KILN_TREE_SPHERES_H
#define KILN_TREE_SPHERES_H

#include "ball.h"
#include "collapse8.h"
#include "../kiln_bake.h"

/* A wide node. `split` of a lane that is no leaf is the number of its node here. */
typedef struct {
    kiln_wide wide;
    kiln_ball ball[8];
} kiln_sphere_node;

typedef struct kiln_spheres {
    kiln_sphere_node *nodes; /* node 0 is the root; NULL: nodes are those of a binary tree */
    uint32_t count, room, leaf;
    /* With KILN_SPHERES_COVER, by cut of a binary tree's inner nodes; NULL: there are none. */
    const kiln_ball *covers;
} kiln_spheres;

/* Puts records [first, last) in order by parts of them, at most eight, all not empty, which lie in
 * `cell`; writes where each ends, its ball and its own cell. Fewer than two: it can't part them. */
typedef struct {
    uint32_t end;
    kiln_ball ball;
    double cell[4];
} kiln_sphere_part;

struct kiln_sphere_job;
typedef unsigned (*kiln_sphere_divide)(struct kiln_sphere_job *job, uint32_t first, uint32_t last,
                                       const double cell[4], kiln_sphere_part part[8]);

/* What constructions work on. `records` are the cloud's. */
typedef struct kiln_sphere_job {
    kiln_cloud cloud;
    kiln_record *records, *spare; /* spare: room for as many */
    uint32_t *marks;              /* one a record */
    uint32_t count, leaf;
    kiln_sphere_divide divide;
    void *own; /* of the construction */
    kiln_spheres *out;
    const kiln_watch *watch;
    bool cancelled;
} kiln_sphere_job;

/* Makes the plan by the divisions of `job`. False: out of memory or job->cancelled. */
bool kiln_spheres_grow(kiln_sphere_job *job, const double cell[4]);

/* Orders records by marks below `parts`, keeping the order of equal ones, and writes the ends of
 * the parts, some of which may be empty. */
void kiln_spheres_sort(kiln_sphere_job *job, uint32_t first, uint32_t last, unsigned parts,
                       uint32_t *end);

/* The constructions (spheres.c, spheres_medial.c), on records that the job has; `out` is empty
 * before, and released by the caller. False: out of memory or job->cancelled. */
bool kiln_spheres_octree(kiln_sphere_job *job);
bool kiln_spheres_medial(kiln_sphere_job *job);

/* Balls of a binary tree's nodes from the leaves up. False: out of memory. */
bool kiln_spheres_cover(const kiln_cloud *cloud, const kiln_binary *tree, kiln_arena *arena,
                        kiln_spheres *out);

/* That of triangles that are a leaf. */
void kiln_spheres_cover_leaf(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                             kiln_ball *ball);

/* Bytes a triangle that a construction needs beside what every tree does, with so many in a leaf.
 */
unsigned kiln_spheres_spare(kiln_spheres_by by, int leaf);

void kiln_spheres_free(kiln_spheres *spheres);

#endif
