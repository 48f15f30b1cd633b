/* kiln: contact regions, what a solver wants in place of pairs of triangles. Where two meshes meet,
 * they meet in one or more regions; of each a query returns one normal, one depth and at most four
 * points, which of closed meshes do not depend on how finely these are divided into triangles.
 *
 *     once for each tree:
 *         void *memory = malloc(kiln_adjacency_size(tree));
 *         kiln_adjacency_place(memory, kiln_adjacency_size(tree), tree, &crate);
 *     once for each thread:
 *         kiln_regions_place(scratch, kiln_regions_size(200000, 4096), 200000, 4096, &regions);
 *     each step:
 *         kiln_contact_regions(regions, crate, &pose, ground, NULL, NULL, found, 8, &count);
 *         for (size_t i = 0; i < count && i < 8; i++)
 *             for (uint32_t p = 0; p < found[i].point_count; p++)
 *                 ... push apart at found[i].points[p], along found[i].normal ...
 *
 * What kiln.h says of trees, poses, options, callbacks, threads and errors holds here too. Regions
 * are those of the triangles where poses take them; what is the front of a triangle as it is stored
 * stays its front where a pose mirrors it.
 *
 * Regions. Pairs of triangles that meet hang together where the points that they have in common do:
 * this is decided exactly. Each such part of the intersection is cut by curves, in which one
 * surface passes through the other. A curve parts each surface in a patch that lies inside the
 * other mesh and the rest. Curves that bound a common patch of either surface make one region: the
 * two circles of a ring that is pressed into a plane, or of a bar through a plate.
 *
 * Normal. The area vector of a region's curves is half the sum of p x q over their segments, by
 * Stokes' theorem the integral of the normals over the patch of A, and that over the patch of B
 * reversed, however these are divided into triangles. Where the curves lie in a plane, or nearly
 * so, the normal is its direction, from B to A. Else, as where boxes overlap at an edge, it lies
 * between the ways out of two faces, and normals of faces along the curves that are within 60
 * degrees of it are tried, too. Each piece of a curve counts for a face of A and for one of B;
 * normals that are within half a degree of one of them count as one; and of those that have more
 * than 15 % of the length of the curves the four that have most are tried. If the patches part
 * along one of them after less than 4/5 of the way, the one along which they part soonest is the
 * normal; but none is along which surfaces that go on beyond the curves would move into each other,
 * as those of a cone that stands in a ridge would along the normal of one of its sides. If none is,
 * and the curves wind about between two wide faces that lie on each other, the direction is tilted
 * by as much as the curves depart from a plane, at most, to where the patches part soonest, if that
 * saves a quarter of what tilting the curves costs, or a sixteenth where they depart from a plane
 * by more than a quarter of the depth. Where curves cancel each other, as those of a bar through a
 * plate do (the sum is below 1/20 of what they have one by one), the normal is that of the largest
 * of them, to the side on which the middle of A's box is from B's.
 *
 * Of closed meshes that do not cross themselves none of this depends on how they are divided, nor
 * on the order of triangles: of several ways out the choice is made by lengths and depths alone. It
 * may change from one pose, one division or one order to the next where one of the bounds above is
 * just reached, or two ways out are about equal; there rounding decides, or which of the normals of
 * a round surface that are near each other comes first. Another order changed 5 normals in 8,325
 * regions of tori, by up to 1.2 degrees; a way of 1e-9 turned the normal by a tenth of a degree in
 * 1 of 11,688 regions of two boxes, and changed no depth by more than 2^-12. Of open meshes the
 * order changes no more than that, but what is inside, so which curves make one region, and its
 * depth, may depend on the division: between curves a surface is followed from corner to corner
 * only, so a finer division may find that it goes round a border where a coarse one does not. Of
 * closed meshes that cross themselves it may depend on the division which curves make one region:
 * where one part's curve runs inside another part, within one coarse triangle, that is not seen.
 *
 * Depth. How far A has to move along the normal until all of its patch is beyond all of B's: the
 * extent of both patches along the normal. Less may do for patches that are not convex. It says
 * nothing of the rest of the meshes: a bar through a plate is as deep as the plate is thick.
 *
 * Inside. Of a closed mesh (kiln_tree_info.closed) it is exact: a part of a surface that no curve
 * crosses is inside if one of its corners is, as kiln_locate_point says. An open mesh has no
 * inside: what is next to a curve on the back of its triangles counts as inside, with all that
 * hangs together with it, unless that leads to the front of the mesh: then the surface goes round a
 * border, and is nowhere inside. So of a sphere that is half through a sheet the half behind the
 * sheet is the patch, and the depth is how far that reaches. A curve that ends at the border of a
 * sheet parts nothing: the depth of its region is that of the curve alone, and `open` is set. Where
 * the triangles of a sheet do not face one way, nothing is promised but that all numbers are
 * finite. Area vectors take triangles to be wound counter-clockwise as seen from outside; a closed
 * mesh that is wound the other way round throughout is found to be so when its adjacency is made.
 *
 * Touching. Surfaces that touch and do not pass through each other make regions of depth 0, with
 * `touching` set, which is decided exactly. Faces in one plane have the area of what they have in
 * common, also where the border of an open mesh lies in it: there it is the sum over pairs of
 * triangles in one plane, and the area vector, the centroid, the radius and the points are those of
 * this area. Of two sheets that face one way and lie on each other neither is above the other: the
 * normal is one of the two.
 *
 * What is not found. A mesh, or a shell of one, that is wholly inside another meets it nowhere: it
 * makes no region, and *count is 0 (kiln_locate_mesh tells). A mesh that meets itself at one place
 * (A and B the same at equal poses) touches itself in regions without meaning.
 *
 * Rounding. Which triangles and edges meet, so which pairs hang together, what is inside a closed
 * mesh and what only touches, is exact; where surfaces pass through each other at a corner or in a
 * plane, it is decided as if one had been moved by an infinitely small amount (Edelsbrunner and
 * Muecke 1990), so that curves are closed. Two things depend on rounding: the order of crossings
 * along one edge that are nearer to each other than 2^-40 of it, and all numbers in their last
 * digits. Answers do not depend on the kinds of tree, the number of threads or the instruction set;
 * swapping A and B reverses normals and changes no other bit. */
#ifndef KILN_REGIONS_H
#define KILN_REGIONS_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------- mesh adjacency -- */

/* Which triangles of a tree are next to which, over edges whose ends have equal coordinates; any
 * number may share one. It lives in the caller's memory, which must not be moved, and serves any
 * number of threads. The tree's file must stay open. Of a copy that follows moving vertices
 * (kiln_refit_tree) it is that of the vertices when it was made, and serves all later ones. */
typedef struct kiln_adjacency kiln_adjacency;

/* Returns the bytes that the adjacency of a tree takes, of any alignment: 12 for each triangle, and
 * from 4 to 8 while it is made; of a height field 36 more a sample, since its triangles are not
 * stored. 0 for NULL, for trees without polygons, and for files that have not
 * arrived wholly. */
KILN_API size_t kiln_adjacency_size(const kiln_tree *tree);

/* Makes the adjacency of a tree in `memory` [size bytes]. The memory stays the caller's; there is
 * nothing to release. KILN_ERROR_ARGUMENT (NULL, or too small), KILN_ERROR_NOT_LOADED,
 * KILN_ERROR_PARTIAL: *out is then NULL. Cost: 0.25 to 0.4 us a triangle. */
KILN_API kiln_status kiln_adjacency_place(void *memory, size_t size, const kiln_tree *tree,
                                          kiln_adjacency **out);

/* Returns the tree that an adjacency is of. NULL for NULL. */
KILN_API const kiln_tree *kiln_adjacency_tree(const kiln_adjacency *adjacency);

/* -------------------------------------------------------------------------- contact regions -- */

/* What a query works in. It lives in the caller's memory, which must not be moved, keeps nothing
 * from one query to the next, and is used by one thread at a time. */
typedef struct kiln_regions kiln_regions;

/* Returns the bytes that queries take, of any alignment, of two meshes that have together at most
 * `triangles`, and at most `pairs` of these meet: 8 for each triangle, about 450 for each pair. 0
 * for more than 2^28 of either. */
KILN_API size_t kiln_regions_size(uint32_t triangles, uint32_t pairs);

/* Makes the workplace of `memory` [size bytes]. The memory stays the caller's; there is nothing to
 * release. KILN_ERROR_ARGUMENT: NULL, or too small for these numbers; *out is then NULL. */
KILN_API kiln_status kiln_regions_place(void *memory, size_t size, uint32_t triangles,
                                        uint32_t pairs, kiln_regions **out);

#define KILN_REGION_POINTS 4

/* A point of a region, in the frame that the poses lead to ("world"). */
typedef struct {
    /* Midway between the two surfaces, as they lie over each other along the normal. */
    double position[3];
    double depth;   /* how far that is at this point; >= 0 and at most that of the region */
    kiln_pair pair; /* a triangle of each there */
} kiln_region_point;

/* A contact region. Points, vectors and lengths are in the frame that the poses lead to. All
 * numbers are finite. */
typedef struct {
    /* From 1 on, in the order of the pairs of triangles; kiln_regions_match makes it last. */
    uint64_t id;
    bool touching;      /* nothing passes through: depth is 0 */
    bool open;          /* a curve ends at the border of an open mesh */
    double normal[3];   /* unit vector from B to A */
    double depth;       /* >= 0 */
    double centroid[3]; /* of the area that the curves enclose as seen along the normal, midway */
    double radius;      /* no point of the curves is farther from the centroid */
    double area;        /* of what the curves enclose, as seen along the normal; >= 0 */
    double area_vector[3]; /* of the curves, as a whole; along the normal, unless curves cancel */
    double length;         /* of the curves */
    uint32_t curves;       /* that hang together each: 1, or 2 of a ring */
    uint32_t pairs;        /* of triangles that meet */
    uint32_t inside_a;     /* triangles of A that are wholly inside B, in this region */
    uint32_t inside_b;
    kiln_pair deepest; /* the triangle of A that is farthest inside B, and the reverse */
    /* The centroid in the frame of A's mesh, and of B's: each coordinate times the length that the
     * pose gives to a unit along that axis. By these the region is known again. */
    double place_a[3], place_b[3];
    uint32_t point_count;
    kiln_region_point points[KILN_REGION_POINTS];
} kiln_region;

/* Finds the contact regions of two meshes, given by their adjacencies. Poses NULL: identity.
 * Options NULL: defaults; the filter and the stop are taken, and pairs that the filter rejects
 * leave gaps in curves. *count is the exact number of regions, also when it exceeds `capacity`;
 * `out` holds the `capacity` deepest, in descending order of depth, and may be NULL when that is 0.
 * KILN_ERROR_ARGUMENT (NULL), KILN_ERROR_POSE, KILN_ERROR_STOPPED, KILN_ERROR_FULL (the workplace
 * has too little room: kiln_regions_needed says how much is needed): out and *count are untouched.
 * Any number of threads, each with a workplace. No allocation; up to 56 KiB of stack, 104 for trees
 * whose depths add up to more than 40. Cost: about three times that of kiln_contacts: beyond it
 * 0.5 us a pair, and 28 ns for each triangle that is wholly inside. */
KILN_API kiln_status kiln_contact_regions(kiln_regions *regions, const kiln_adjacency *a,
                                          const kiln_pose *pose_a, const kiln_adjacency *b,
                                          const kiln_pose *pose_b, const kiln_pair_options *options,
                                          kiln_region *out, size_t capacity, size_t *count);

/* Returns in *triangles and *pairs the room that the last query needed. KILN_ERROR_ARGUMENT: NULL.
 */
KILN_API kiln_status kiln_regions_needed(const kiln_regions *regions, uint32_t *triangles,
                                         uint32_t *pairs);

/* Gives regions the ids that they had in the query before: `before` [before_count], as it came from
 * this function, of the same two meshes at poses that differ little. A region is one of before if
 * each is the other's nearest, by the way that the centroid has gone on A and on B, and the lesser
 * of these two ways is no longer than the larger of the two radii. Others get ids that no region
 * had: *next, which is counted up, and is to be 1 at first. KILN_ERROR_ARGUMENT: NULL with a count,
 * or a null next; nothing is then changed. Cost: the product of the counts. */
KILN_API kiln_status kiln_regions_match(const kiln_region *before, size_t before_count,
                                        kiln_region *regions, size_t count, uint64_t *next);

#ifdef __cplusplus
}
#endif

#endif
