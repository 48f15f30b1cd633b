/* A mesh as FCL holds it, and its test of a mesh against its own copy: stops at the first contact,
 * which is the question that kiln_collide answers. */
#ifndef KILN_BENCH_FCL_MODEL_HPP
#define KILN_BENCH_FCL_MODEL_HPP

#if defined(__AVX__)
#error "Debian builds libfcl without AVX, with which Eigen aligns otherwise: no -march in CFLAGS"
#endif

#include "shapes.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <limits>
#include <memory>
#include <vector>

template <class Volume> class FclModel
{
  public:
    explicit FclModel(const mesh &m) : model(std::make_shared<fcl::BVHModel<Volume>>())
    {
        std::vector<fcl::Vector3d> points;
        std::vector<fcl::Triangle> faces;
        points.reserve(m.vertex_count);
        faces.reserve(m.triangle_count);
        for (size_t i = 0; i < m.vertex_count; i++) {
            const float *p = m.positions + 3 * i;
            points.emplace_back(p[0], p[1], p[2]);
        }
        for (size_t i = 0; i < m.triangle_count; i++) {
            const uint32_t *corner = m.indices + 3 * i;
            faces.emplace_back(corner[0], corner[1], corner[2]);
        }
        model->beginModel(static_cast<int>(faces.size()), static_cast<int>(points.size()));
        model->addSubModel(points, faces);
        model->endModel();
        fixed = std::make_unique<fcl::CollisionObjectd>(model);
        moved = std::make_unique<fcl::CollisionObjectd>(model);
    }

    bool collide(const kiln_pose &pose)
    {
        return collide(*this, pose);
    }

    /* With another mesh at `pose`. */
    bool collide(FclModel &other, const kiln_pose &pose)
    {
        other.move_to(pose);
        const fcl::CollisionRequestd request(1, false);
        fcl::CollisionResultd result;
        return fcl::collide(fixed.get(), other.moved.get(), request, result) > 0;
    }

    /* With the nearest points; at most 0 where the two meet. For volumes that FCL measures
     * distances by. */
    double distance(const kiln_pose &pose)
    {
        move_to(pose);
        const fcl::DistanceRequestd request(true);
        fcl::DistanceResultd result;
        return fcl::distance(fixed.get(), moved.get(), request, result);
    }

    /* The same of a shape of FCL's. */
    double distance(const fcl::CollisionObjectd &shape)
    {
        const fcl::DistanceRequestd request(true);
        fcl::DistanceResultd result;
        return fcl::distance(fixed.get(), &shape, request, result);
    }

    /* All pairs of triangles that meet, into `result`; with points, normals and depths if
     * `detailed`. */
    size_t contacts(const kiln_pose &pose, bool detailed, fcl::CollisionResultd &result)
    {
        move_to(pose);
        const fcl::CollisionRequestd request(std::numeric_limits<int>::max(), detailed);
        result.clear();
        return fcl::collide(fixed.get(), moved.get(), request, result);
    }

    /* The same with another mesh at `pose`. */
    size_t contacts(FclModel &other, const kiln_pose &pose, bool detailed,
                    fcl::CollisionResultd &result)
    {
        other.move_to(pose);
        const fcl::CollisionRequestd request(std::numeric_limits<int>::max(), detailed);
        result.clear();
        return fcl::collide(fixed.get(), other.moved.get(), request, result);
    }

    /* Puts as many triangles that meet a shape of FCL's as `result` has room for into `result`. */
    size_t overlap(const fcl::CollisionObjectd &shape, int limit, fcl::CollisionResultd &result)
    {
        const fcl::CollisionRequestd request(size_t(limit), false);
        result.clear();
        return fcl::collide(fixed.get(), &shape, request, result);
    }

  private:
    void move_to(const kiln_pose &pose)
    {
        fcl::Transform3d place = fcl::Transform3d::Identity();
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++) {
                place.linear()(row, column) = pose.rotation[3 * row + column];
            }
            place.translation()[row] = pose.translation[row];
        }
        moved->setTransform(place);
    }

    std::shared_ptr<fcl::BVHModel<Volume>> model;
    std::unique_ptr<fcl::CollisionObjectd> fixed, moved;
};

#endif
