/* A binary tree of oriented boxes after S. Gottschalk, M. Lin and D. Manocha, "OBBTree", SIGGRAPH
 * 1996, in floats and without anything of kiln's: what the algorithm alone comes to. FCL runs the
 * same algorithm in doubles and behind virtual calls, so that the difference between the two is the
 * implementation, and the difference of kiln to this tree the method. */
#include "rapid_tree.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

/* ------------------------------------------------------------------------------ triangles -- */

static void subtract(const float a[3], const float b[3], float out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

static void cross(const float a[3], const float b[3], float out[3])
{
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        out[k] = a[k1] * b[k2] - a[k2] * b[k1];
    }
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool separates(const float axis[3], const float a[9], const float b[9])
{
    const float a0 = dot(axis, a), a1 = dot(axis, a + 3), a2 = dot(axis, a + 6);
    const float b0 = dot(axis, b), b1 = dot(axis, b + 3), b2 = dot(axis, b + 6);
    return std::max({a0, a1, a2}) < std::min({b0, b1, b2}) ||
           std::max({b0, b1, b2}) < std::min({a0, a1, a2});
}

/* The normals, the edges of one crossed with those of the other, and within each plane the normals
 * of its edges. */
bool rapid_triangles_meet(const float from_a[9], const float from_b[9])
{
    float a[9], b[9], edge_a[3][3], edge_b[3][3], normal_a[3], normal_b[3], axis[3];
    for (int i = 0; i < 9; i++) { /* near the origin, where floats are fine */
        a[i] = from_a[i] - from_a[i % 3];
        b[i] = from_b[i] - from_a[i % 3];
    }
    for (int i = 0; i < 3; i++) {
        subtract(a + 3 * ((i + 1) % 3), a + 3 * i, edge_a[i]);
        subtract(b + 3 * ((i + 1) % 3), b + 3 * i, edge_b[i]);
    }
    cross(edge_a[0], edge_a[1], normal_a);
    cross(edge_b[0], edge_b[1], normal_b);
    if (separates(normal_a, a, b) || separates(normal_b, a, b)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            cross(edge_a[i], edge_b[j], axis);
            if (separates(axis, a, b)) {
                return false;
            }
        }
        cross(edge_a[i], normal_a, axis);
        if (separates(axis, a, b)) {
            return false;
        }
        cross(edge_b[i], normal_b, axis);
        if (separates(axis, a, b)) {
            return false;
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------- boxes -- */

/* Are two boxes apart, b at `place` in a's frame? The nine products of edges get a little more
 * reach, since they vanish where edges are parallel. */
static bool boxes_apart(const RapidPlace &place, const float a[3], const float b[3])
{
    const float(*r)[3] = place.rotation, *t = place.translation;
    float abs_r[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            abs_r[i][j] = std::fabs(r[i][j]) + 1e-6f;
        }
        if (std::fabs(t[i]) > a[i] + dot(b, abs_r[i])) {
            return true;
        }
    }
    for (int j = 0; j < 3; j++) {
        const float distance = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
        const float reach = a[0] * abs_r[0][j] + a[1] * abs_r[1][j] + a[2] * abs_r[2][j];
        if (std::fabs(distance) > b[j] + reach) {
            return true;
        }
    }
    for (int i = 0; i < 3; i++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const float distance = t[i2] * r[i1][j] - t[i1] * r[i2][j];
            const float reach = a[i1] * abs_r[i2][j] + a[i2] * abs_r[i1][j] + b[j1] * abs_r[i][j2] +
                                b[j2] * abs_r[i][j1];
            if (std::fabs(distance) > reach) {
                return true;
            }
        }
    }
    return false;
}

/* inverse(frame) place */
static RapidPlace seen_from(const RapidPlace &frame, const RapidPlace &place)
{
    RapidPlace out;
    float away[3];
    subtract(place.translation, frame.translation, away);
    for (int i = 0; i < 3; i++) {
        out.translation[i] = 0;
        for (int k = 0; k < 3; k++) {
            out.translation[i] += frame.rotation[k][i] * away[k];
        }
        for (int j = 0; j < 3; j++) {
            out.rotation[i][j] = frame.rotation[0][i] * place.rotation[0][j] +
                                 frame.rotation[1][i] * place.rotation[1][j] +
                                 frame.rotation[2][i] * place.rotation[2][j];
        }
    }
    return out;
}

/* frame place */
static RapidPlace within(const RapidPlace &frame, const RapidPlace &place)
{
    RapidPlace out;
    for (int i = 0; i < 3; i++) {
        const float *row = frame.rotation[i];
        out.translation[i] = dot(row, place.translation) + frame.translation[i];
        for (int j = 0; j < 3; j++) {
            out.rotation[i][j] = row[0] * place.rotation[0][j] + row[1] * place.rotation[1][j] +
                                 row[2] * place.rotation[2][j];
        }
    }
    return out;
}

/* ------------------------------------------------------------------------------ building -- */

RapidTree::RapidTree(const mesh &m)
{
    std::vector<uint32_t> list(m.triangle_count);
    corners.reserve(9 * size_t(m.triangle_count));
    for (uint32_t i = 0; i < m.triangle_count; i++) {
        list[i] = i;
        for (int c = 0; c < 3; c++) {
            const float *p = m.positions + 3 * size_t(m.indices[3 * size_t(i) + size_t(c)]);
            corners.insert(corners.end(), p, p + 3);
        }
    }
    const RapidPlace whole = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    boxes.reserve(2 * list.size());
    boxes.resize(1);
    split(list, 0, list.size(), 0, whole);
}

/* The box of some triangles, but for its place, which is returned in the mesh's frame; and the mean
 * of their surface. */
RapidPlace RapidTree::fit(const std::vector<uint32_t> &list, size_t from, size_t to, Box &box,
                          double mean[3]) const
{
    double area = 1e-300;
    Eigen::Vector3d first = Eigen::Vector3d::Zero();
    Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
    for (size_t i = from; i < to; i++) {
        const float *p = &corners[9 * size_t(list[i])];
        const Eigen::Vector3d a(p[0], p[1], p[2]), b(p[3], p[4], p[5]), c(p[6], p[7], p[8]);
        const double size = (b - a).cross(c - a).norm() + 1e-30;
        const Eigen::Vector3d middle = (a + b + c) / 3;
        area += size;
        first += size * middle;
        second += size / 12 *
                  (9 * middle * middle.transpose() + a * a.transpose() + b * b.transpose() +
                   c * c.transpose());
    }
    const Eigen::Vector3d centre = first / area;
    const Eigen::Matrix3d spread = second / area - centre * centre.transpose();
    Eigen::Matrix3d axes = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors();
    axes.col(0).swap(axes.col(2)); /* the longest first */
    axes.col(2) = axes.col(0).cross(axes.col(1));
    Eigen::Vector3d lower = Eigen::Vector3d::Constant(HUGE_VAL), upper = -lower;
    for (size_t i = from; i < to; i++) {
        for (int corner = 0; corner < 3; corner++) {
            const float *p = &corners[9 * size_t(list[i]) + 3 * size_t(corner)];
            const Eigen::Vector3d q = axes.transpose() * Eigen::Vector3d(p[0], p[1], p[2]);
            lower = lower.cwiseMin(q);
            upper = upper.cwiseMax(q);
        }
    }
    RapidPlace place;
    const Eigen::Vector3d middle = axes * (lower + upper) / 2;
    for (int i = 0; i < 3; i++) {
        mean[i] = centre[i];
        box.half[i] = float((upper[i] - lower[i]) / 2 * (1 + 1e-6)) + 1e-7f;
        place.translation[i] = float(middle[i]);
        for (int j = 0; j < 3; j++) {
            place.rotation[i][j] = float(axes(i, j));
        }
    }
    return place;
}

void RapidTree::split(std::vector<uint32_t> &list, size_t from, size_t to, size_t at,
                      const RapidPlace &parent)
{
    double mean[3];
    Box box;
    const RapidPlace place = fit(list, from, to, box, mean);
    box.place = seen_from(parent, place);
    if (to - from == 1) {
        box.first = -1 - int32_t(list[from]);
        boxes[at] = box;
        return;
    }
    const auto before = [&](uint32_t triangle) {
        const float *p = &corners[9 * size_t(triangle)];
        double along = 0;
        for (int k = 0; k < 3; k++) {
            along +=
                double(place.rotation[k][0]) * (double(p[k] + p[3 + k] + p[6 + k]) / 3 - mean[k]);
        }
        return along < 0;
    };
    const auto begin = list.begin();
    size_t middle = size_t(std::partition(begin + long(from), begin + long(to), before) - begin);
    if (middle == from || middle == to) {
        middle = (from + to) / 2;
    }
    box.first = int32_t(boxes.size());
    boxes[at] = box;
    boxes.resize(boxes.size() + 2);
    split(list, from, middle, size_t(box.first), place);
    split(list, middle, to, size_t(box.first) + 1, place);
}

/* -------------------------------------------------------------------------------- descent -- */

bool RapidTree::triangles_meet(int32_t a, const RapidTree &other, int32_t b) const
{
    const float *from = &other.corners[9 * size_t(-1 - b)];
    float carried[9];
    for (int i = 0; i < 9; i++) {
        carried[i] = dot(moved.rotation[i % 3], from + i / 3 * 3) + moved.translation[i % 3];
    }
    return rapid_triangles_meet(&corners[9 * size_t(-1 - a)], carried);
}

bool RapidTree::meet(size_t a, const RapidTree &other, size_t b, const RapidPlace &b_in_a) const
{
    const Box &box_a = boxes[a], &box_b = other.boxes[b];
    if (boxes_apart(b_in_a, box_a.half, box_b.half)) {
        return false;
    }
    if (box_a.first < 0 && box_b.first < 0) {
        return triangles_meet(box_a.first, other, box_b.first);
    }
    if (box_b.first < 0 || (box_a.first >= 0 && box_a.half[0] > box_b.half[0])) {
        const size_t child = size_t(box_a.first);
        return meet(child, other, b, seen_from(boxes[child].place, b_in_a)) ||
               meet(child + 1, other, b, seen_from(boxes[child + 1].place, b_in_a));
    }
    const size_t child = size_t(box_b.first);
    return meet(a, other, child, within(b_in_a, other.boxes[child].place)) ||
           meet(a, other, child + 1, within(b_in_a, other.boxes[child + 1].place));
}

bool RapidTree::collide(const RapidTree &other, const kiln_pose &pose) const
{
    for (int i = 0; i < 3; i++) {
        moved.translation[i] = float(pose.translation[i]);
        for (int j = 0; j < 3; j++) {
            moved.rotation[i][j] = float(pose.rotation[3 * i + j]);
        }
    }
    return meet(0, other, 0, seen_from(boxes[0].place, within(moved, other.boxes[0].place)));
}
