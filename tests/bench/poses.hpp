/* The poses of boolean queries between two meshes, mostly copies of one.
 *
 * "zach": the middle of the second copy at 12 distances from the middle of the first, 20 random
 * rotations and directions each, parted by the answer; poses at which the boxes of the meshes are
 * apart would measure a call and are left out. "graze": the second copy comes in along a random
 * direction, the contact is bisected, and the poses lie 0.2 % of the size on both sides.
 *
 * "path": the second copy goes round the first on two winding orbits that dip in and out, 200 poses
 * each, a step being a hundredth of the size and a fiftieth of a radian; poses at which the boxes
 * are apart are left out. "small": a copy that is scaled to a fifth, near random triangles of the
 * first. "roots": poses of copies whose boxes are apart, which the roots decide. */
#ifndef KILN_BENCH_POSES_HPP
#define KILN_BENCH_POSES_HPP

#include "measure.hpp"

enum Kind { ZACH, GRAZE, PATH, SMALL, ROOTS };

/* Two of each kind but the last; those of the first two kinds come first. */
enum { CLASSES = 4, CLASSES_OF_TREES = 8, ALL_CLASSES = 9 };
extern const char *const class_names[ALL_CLASSES];

struct Pose {
    kiln_pose pose;
    Kind kind;

    /* Index into class_names, by the answer. */
    int class_of(bool hit) const
    {
        return 2 * kind + hit;
    }
};

/* "zach" and "graze". `tree` is any of the mesh: answers do not depend on it. */
std::vector<Pose> make_poses(const Subject &subject, const kiln_tree *tree);

/* The other kinds. */
std::vector<Pose> make_more_poses(const Subject &subject);

/* The second mesh of "small"; released by mesh_free. */
mesh make_small(const Subject &subject);

/* kiln_collide of two trees. */
bool run_query(const kiln_tree *a, const kiln_tree *b, const kiln_pose &pose_b);

#endif
