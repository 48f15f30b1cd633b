/* The poses of boolean queries, drawn from two seeds, so that classes that came later leave the
 * earlier ones, and the hash of their answers, as they were. Grazing poses are found by bisection
 * between a pose that meets and one that does not; which of the two is known from kiln's own exact
 * query. */
#include "poses.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "../support/meshes.h"
}

const char *const class_names[ALL_CLASSES] = {"zach free",  "zach hit",  "graze free",
                                              "graze hit",  "path free", "path hit",
                                              "small free", "small hit", "roots"};

bool run_query(const kiln_tree *a, const kiln_tree *b, const kiln_pose &pose_b)
{
    kiln_hit hit;
    if (kiln_collide(a, nullptr, b, &pose_b, nullptr, &hit) != KILN_OK) {
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
        double moved = pose.translation[i], rotated = 0;
        for (int k = 0; k < 3; k++) {
            moved += row[k] * (subject.lower[k] + subject.upper[k]) / 2;
            rotated += axis[k] * pose.rotation[3 * k + i];
        }
        distance += axis[i] * (moved - (subject.lower[i] + subject.upper[i]) / 2);
        reach += half * (std::fabs(axis[i]) + std::fabs(rotated));
    }
    return std::fabs(distance) > reach;
}

bool boxes_meet(const Subject &subject, const kiln_pose &pose)
{
    for (int i = 0; i < 3; i++) {
        const double along[3] = {i == 0 ? 1. : 0., i == 1 ? 1. : 0., i == 2 ? 1. : 0.};
        const double rotated[3] = {pose.rotation[i], pose.rotation[3 + i], pose.rotation[6 + i]};
        if (apart_along(subject, pose, along) || apart_along(subject, pose, rotated)) {
            return false;
        }
        for (int j = 0; j < 3; j++) {
            const double column[3] = {pose.rotation[j], pose.rotation[3 + j], pose.rotation[6 + j]};
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
    const kiln_pose rotated = pose_random(state, 0), aimed = pose_random(state, 0);
    std::memcpy(rotation, rotated.rotation, sizeof rotated.rotation);
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
                poses.push_back({pose, ZACH});
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
        while (inner > 0 && !run_query(tree, tree, place(subject, rotation, direction, inner))) {
            outer = inner;
            inner -= stride;
        }
        if (inner <= 0) {
            continue;
        }
        for (int i = 0; i < 30; i++) {
            const double middle = (outer + inner) / 2;
            const bool hit = run_query(tree, tree, place(subject, rotation, direction, middle));
            (hit ? inner : outer) = middle;
        }
        poses.push_back({place(subject, rotation, direction, outer + 0.002), GRAZE});
        poses.push_back({place(subject, rotation, direction, inner - 0.002), GRAZE});
        found++;
    }
}

/* Rotates `rotation` by `angle` about `axis`, a unit vector. */
void rotate(double rotation[9], const double axis[3], double angle)
{
    const double half = std::sin(angle / 2);
    const double quaternion[4] = {half * axis[0], half * axis[1], half * axis[2],
                                  std::cos(angle / 2)};
    kiln_pose step;
    double rotated[9];
    if (kiln_pose_from_quaternion(quaternion, nullptr, &step) != KILN_OK) {
        std::abort();
    }
    for (int i = 0; i < 9; i++) {
        const double *row = step.rotation + 3 * (i / 3);
        rotated[i] =
            row[0] * rotation[i % 3] + row[1] * rotation[3 + i % 3] + row[2] * rotation[6 + i % 3];
    }
    std::memcpy(rotation, rotated, sizeof rotated);
}

void add_paths(const Subject &subject, uint64_t *state, std::vector<Pose> &poses)
{
    for (int path = 0; path < 2; path++) {
        double rotation[9], axis[3], direction[3];
        random_placement(state, rotation, axis);
        double angle = 0;
        for (int step = 0; step < 200; step++) {
            const double distance = 0.5 + 0.4 * std::cos(0.025 * step + 3 * path);
            const double tilt = 0.6 * std::sin(0.03 * step);
            angle += 0.01 / distance;
            direction[0] = std::cos(tilt) * std::cos(angle);
            direction[1] = std::cos(tilt) * std::sin(angle);
            direction[2] = std::sin(tilt);
            rotate(rotation, axis, 0.02);
            const kiln_pose pose = place(subject, rotation, direction, distance);
            if (boxes_meet(subject, pose)) {
                poses.push_back({pose, PATH});
            }
        }
    }
}

/* The small mesh lies about the origin, so that a pose's translation is where its middle goes. */
void add_small(const Subject &subject, uint64_t *state, std::vector<Pose> &poses)
{
    const mesh &m = subject.geometry;
    for (int i = 0; i < 240; i++) {
        kiln_pose pose = pose_random(state, 0);
        const kiln_pose aimed = pose_random(state, 0);
        const uint32_t *corner = m.indices + 3 * random_below(state, m.triangle_count);
        const double away = random_between(state, 0, 0.15) * subject.size;
        for (int k = 0; k < 3; k++) {
            pose.translation[k] =
                double(m.positions[3 * corner[0] + uint32_t(k)]) + away * aimed.rotation[3 * k];
        }
        poses.push_back({pose, SMALL});
    }
}

void add_roots(const Subject &subject, uint64_t *state, std::vector<Pose> &poses)
{
    for (int i = 0; i < 200; i++) {
        double rotation[9], direction[3];
        random_placement(state, rotation, direction);
        const kiln_pose pose = place(subject, rotation, direction, 1 + 0.005 * i);
        if (!boxes_meet(subject, pose)) {
            poses.push_back({pose, ROOTS});
        }
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

std::vector<Pose> make_more_poses(const Subject &subject)
{
    uint64_t state = 21;
    std::vector<Pose> poses;
    add_paths(subject, &state, poses);
    add_small(subject, &state, poses);
    add_roots(subject, &state, poses);
    return poses;
}

mesh make_small(const Subject &subject)
{
    const mesh &from = subject.geometry;
    mesh small = from;
    const size_t coordinates = 3 * size_t(from.vertex_count);
    const size_t corners = 3 * size_t(from.triangle_count);
    small.positions = static_cast<float *>(std::malloc(coordinates * sizeof(float)));
    small.indices = static_cast<uint32_t *>(std::malloc(corners * sizeof(uint32_t)));
    if (small.positions == nullptr || small.indices == nullptr) {
        std::abort();
    }
    for (size_t i = 0; i < coordinates; i++) {
        const double middle = (subject.lower[i % 3] + subject.upper[i % 3]) / 2;
        small.positions[i] = float(0.2 * (double(from.positions[i]) - middle));
    }
    std::memcpy(small.indices, from.indices, corners * sizeof(uint32_t));
    return small;
}
