/* Counts for distances: the library's walk towards what is near and the query over it, compiled
 * a second time with the functions exchanged that open a node, run the walk and measure two
 * triangles. */
#include "tally.h"

#include "../../runtime/exact/exact.h"
#include "../../runtime/walk/near_walk.h"

#include <stdlib.h>

static tally *counting;

static inline const kiln_format_node8 *tally_near_node(const kiln_tree *tree, uint32_t index)
{
    counting->nodes++;
    return kiln_tree_node(tree, index);
}

static inline bool tally_triangles_nearest(const double x[9], const double y[9], double limit,
                                           kiln_tri_nearest *out)
{
    counting->pairs++;
    return kiln_triangles_nearest(x, y, limit, out);
}

static void tally_near_run(kiln_near_walk *walk);

/* The walk. */
#define kiln_tree_node tally_near_node
#define kiln_near_walk_begin tally_near_begin
#define kiln_near_walk_limit tally_near_limit
#define kiln_near_walk_line tally_near_line
#define kiln_near_walk_run tally_near_run_uncounted
void tally_near_begin(kiln_near_walk *walk, const kiln_pair_frame *frame, kiln_near_visit visit,
                      void *user);
void tally_near_limit(kiln_near_walk *walk, double limit);
void tally_near_line(kiln_near_walk *walk, const double line[3]);
void tally_near_run_uncounted(kiln_near_walk *walk);
#include "../../runtime/walk/near_walk.c"
#undef kiln_tree_node
#undef kiln_near_walk_run

/* The query. */
#define kiln_near_walk_run tally_near_run
#define kiln_triangles_nearest tally_triangles_nearest
#define kiln_distance tally_query_distance
#define kiln_within tally_query_within
kiln_status tally_query_distance(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                 const kiln_pose *pose_b, const kiln_pair_options *options,
                                 kiln_nearest *nearest);
kiln_status tally_query_within(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                               const kiln_pose *pose_b, double distance,
                               const kiln_pair_options *options, kiln_hit *hit);
#include "../../runtime/query/distance.c"

static kiln_near_visit visit_counted;

static bool count_leaves(kiln_near_walk *walk, const kiln_tree_box *leaf_x,
                         const kiln_tree_box *leaf_y)
{
    counting->leaves++;
    return visit_counted(walk, leaf_x, leaf_y);
}

static void tally_near_run(kiln_near_walk *walk)
{
    visit_counted = walk->visit;
    walk->visit = count_leaves;
    tally_near_run_uncounted(walk);
}

double tally_distance(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose_b, tally *sum)
{
    kiln_nearest nearest;
    counting = sum;
    if (tally_query_distance(a, NULL, b, pose_b, NULL, &nearest) != KILN_OK) {
        abort();
    }
    return nearest.distance;
}
