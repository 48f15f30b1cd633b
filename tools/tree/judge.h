/* How many nodes queries open in a tree: counted at sampled poses, instead of guessed from
 * surfaces. */
#ifndef KILN_BUILD_JUDGE_H
#define KILN_BUILD_JUDGE_H

#include "../../formats/nodes.h"
#include "../../formats/transform.h"
#include "../common/parallel.h"
#include "build.h"

/* Two copies of a mesh: apart or not, at any distance; just before the outermost contact or just
 * behind it. */
enum { KILN_JUDGE_CLASSES = 4 };

typedef struct {
    kiln_transform carry; /* the second copy into its place, in node space */
    bool good;            /* false: the boxes of the copies are apart, or no contact was found */
    unsigned class_of;
} kiln_judge_pose;

/* Decodes the box of a lane of a node. */
typedef void (*kiln_judge_decode)(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box);

enum { KILN_JUDGE_ZACH = 1200, KILN_JUDGE_GRAZE = 240, KILN_JUDGE_POSES = 1200 + 2 * 240 };

typedef struct {
    double
        opened[KILN_JUDGE_CLASSES]; /* sums over the poses of a class; of leaf pairs each is two */
} kiln_judgement;

/* Poses for a mesh from any of its trees. *hopeless: there are none, since queries open so many
 * nodes that counting them would take long and tell nothing: all triangles in one place. False:
 * cancelled. */
bool kiln_judge_choose(kiln_judge_decode decode, const kiln_build_input *input,
                       const kiln_build_tree *tree, const kiln_watch *watch,
                       kiln_judge_pose poses[KILN_JUDGE_POSES], bool *hopeless);

bool kiln_judge(kiln_judge_decode decode, const kiln_build_input *input,
                const kiln_build_tree *tree, const kiln_watch *watch,
                const kiln_judge_pose poses[KILN_JUDGE_POSES], kiln_judgement *judgement);

/* Is `a` in no class worse than `base`, and over all classes better than `b`? */
bool kiln_judged_better(const kiln_judgement *a, const kiln_judgement *b,
                        const kiln_judgement *base);

#endif
