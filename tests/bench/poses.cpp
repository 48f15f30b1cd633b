/* See poses.hpp. */
#include "poses.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "../support/meshes.h"
}

const char *const class_names[CLASSES] = {"zach free", "zach hit", "graze free", "graze hit"};

bool ask(const kiln_tree *tree, const kiln_pose &pose)
{
    kiln_hit hit;
    if (kiln_collide(tree, nullptr, tree, &pose, nullptr, &hit) != KILN_OK) {
        std::abort();
    }
    return hit.found;
}

namespace
{

/* Are the boxes of the two copies apart along the direction `axis`? */
bool apart_along(const Subject &subject, const kiln_pose &pose, const double axis[3])
{
    double distance = 0, reach = 0;
    for (int i = 0; i < 3; i++) {
        const double *row = pose.rotation + 3 * i;
        const double half = (subject.upper[i] - subject.lower[i]) / 2;
        double moved = pose.translation[i], turned = 0;
        for (int k = 0; k < 3; k++) {
            moved += row[k] * (subject.lower[k] + subject.upper[k]) / 2;
            turned += axis[k] * pose.rotation[3 * k + i];
        }
        distance += axis[i] * (moved - (subject.lower[i] + subject.upper[i]) / 2);
        reach += half * (std::fabs(axis[i]) + std::fabs(turned));
    }
    return std::fabs(distance) > reach;
}

bool boxes_meet(const Subject &subject, const kiln_pose &pose)
{
    for (int i = 0; i < 3; i++) {
        const double along[3] = {i == 0 ? 1. : 0., i == 1 ? 1. : 0., i == 2 ? 1. : 0.};
        const double turned[3] = {pose.rotation[i], pose.rotation[3 + i], pose.rotation[6 + i]};
        if (apart_along(subject, pose, along) || apart_along(subject, pose, turned)) {
            return false;
        }
        for (int j = 0; j < 3; j++) {
            const double column[3] = {pose.rotation[j], pose.rotation[3 + j],
                                      pose.rotation[6 + j]};
            double edge[3] = {0, 0, 0};
            edge[(i + 1) % 3] = -column[(i + 2) % 3];
            edge[(i + 2) % 3] = column[(i + 1) % 3];
            if (apart_along(subject, pose, edge)) {
                return false;
            }
        }
    }
    return true;
}

void random_placement(uint64_t *state, double rotation[9], double direction[3])
{
    const kiln_pose turned = pose_random(state, 0), aimed = pose_random(state, 0);
    std::memcpy(rotation, turned.rotation, sizeof turned.rotation);
    for (int k = 0; k < 3; k++) {
        direction[k] = aimed.rotation[3 * k];
    }
}

void add_zach(const Subject &subject, uint64_t *state, std::vector<Pose> &poses)
{
    for (int step = 0; step < 12; step++) {
        for (int i = 0; i < 20; i++) {
            double rotation[9], direction[3];
            random_placement(state, rotation, direction);
            const kiln_pose pose = place(subject, rotation, direction, 0.1 * step);
            if (boxes_meet(subject, pose)) {
                poses.push_back({pose, false});
            }
        }
    }
}

void add_graze(const Subject &subject, const kiln_tree *tree, uint64_t *state,
               std::vector<Pose> &poses)
{
    for (int found = 0, tries = 0; found < 80 && tries < 800; tries++) {
        double rotation[9], direction[3];
        random_placement(state, rotation, direction);
        double outer = 1.8, inner = outer;
        const double stride = 0.02;
        while (inner > 0 && !ask(tree, place(subject, rotation, direction, inner))) {
            outer = inner;
            inner -= stride;
        }
        if (inner <= 0) {
            continue;
        }
        for (int i = 0; i < 30; i++) {
            const double middle = (outer + inner) / 2;
            (ask(tree, place(subject, rotation, direction, middle)) ? inner : outer) = middle;
        }
        poses.push_back({place(subject, rotation, direction, outer + 0.002), true});
        poses.push_back({place(subject, rotation, direction, inner - 0.002), true});
        found++;
    }
}

} // namespace

std::vector<Pose> make_poses(const Subject &subject, const kiln_tree *tree)
{
    uint64_t state = 20;
    std::vector<Pose> poses;
    add_zach(subject, &state, poses);
    add_graze(subject, tree, &state, poses);
    return poses;
}
