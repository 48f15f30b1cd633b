/* The poses of boolean queries between two copies of a mesh.
 *
 * "zach": the middle of the second copy at 12 distances from the middle of the first, 20 random
 * rotations and directions each, parted by the answer; poses at which the boxes of the meshes are
 * apart would measure a call and are left out. "graze": the second copy comes in along a random
 * direction, the contact is bisected, and the poses lie 0.2 % of the size on both sides. */
#ifndef KILN_BENCH_POSES_HPP
#define KILN_BENCH_POSES_HPP

#include "measure.hpp"

enum { CLASSES = 4 };
extern const char *const class_names[CLASSES];

struct Pose {
    kiln_pose pose;
    bool graze;

    /* Index into class_names, by the answer. */
    int class_of(bool hit) const { return 2 * graze + hit; }
};

/* `tree` is any of the mesh: answers do not depend on it. */
std::vector<Pose> make_poses(const Subject &subject, const kiln_tree *tree);

/* kiln_collide of a tree and itself. */
bool ask(const kiln_tree *tree, const kiln_pose &pose);

#endif
