/* Loops in C++ that `overhead.py` and `arm.py` are measured beside, for ctypes: the same queries of libkiln without
 * Python, and FCL's, without what a Python package around it would cost. */
#include "../../../runtime/kiln.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

namespace
{

/* Of this thread's processor, which others may share. */
double now()
{
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/* Of a row-major matrix [4, 4] without a scale. */
kiln_pose pose_of(const double *matrix)
{
    kiln_pose pose = kiln_pose_identity();
    for (int row = 0; row < 3; row++) {
        std::memcpy(pose.rotation + 3 * row, matrix + 4 * row, 3 * sizeof(double));
        pose.translation[row] = matrix[4 * row + 3];
    }
    return pose;
}

fcl::Transform3d transform_of(const double *matrix)
{
    fcl::Transform3d place = fcl::Transform3d::Identity();
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            place.linear()(row, column) = matrix[4 * row + column];
        }
        place.translation()[row] = matrix[4 * row + 3];
    }
    return place;
}

template <class Volume>
std::shared_ptr<fcl::BVHModel<Volume>> model_of(const float *corners, size_t triangles)
{
    auto model = std::make_shared<fcl::BVHModel<Volume>>();
    model->beginModel(int(triangles), int(3 * triangles));
    for (size_t i = 0; i < triangles; i++) {
        const float *c = corners + 9 * i;
        model->addTriangle(fcl::Vector3d(c[0], c[1], c[2]), fcl::Vector3d(c[3], c[4], c[5]),
                           fcl::Vector3d(c[6], c[7], c[8]));
    }
    model->endModel();
    return model;
}

} // namespace

extern "C" {

/* kiln_collide, or kiln_distance, or with `batch` kiln_batch_... of the first trees of two files in memory, the second at poses [count, 4, 4], the
 * first at none. Seconds of the processor in the queries alone; *sum of what they answer. */
double loop_kiln(const void *data_a, size_t size_a, const void *data_b, size_t size_b,
                 const double *poses, size_t count, int distance, int batch, double *sum)
{
    kiln_file *a = nullptr, *b = nullptr;
    if (kiln_open_memory(data_a, size_a, nullptr, &a) != KILN_OK ||
        kiln_open_memory(data_b, size_b, nullptr, &b) != KILN_OK) {
        return -1;
    }
    std::vector<kiln_pose> ready(count);
    for (size_t i = 0; i < count; i++) {
        ready[i] = pose_of(poses + 16 * i);
    }
    const kiln_tree *tree_a = kiln_file_tree(a, 0), *tree_b = kiln_file_tree(b, 0);
    *sum = 0;
    const kiln_placed placed[2] = {{tree_a, nullptr, 0}, {tree_b, ready.data(), 1}};
    const kiln_batch all = {placed, 2, nullptr, KILN_BATCH_ALL_PAIRS, count};
    std::vector<kiln_hit> hits(count);
    std::vector<kiln_nearest> nearest_all(count);
    const double begin = now();
    if (batch != 0 && distance != 0) {
        kiln_batch_distance(&all, nullptr, nearest_all.data());
    } else if (batch != 0) {
        kiln_batch_collide(&all, nullptr, hits.data());
    }
    for (size_t i = 0; i < count && batch == 0; i++) {
        if (distance != 0) {
            kiln_nearest nearest;
            kiln_distance(tree_a, nullptr, tree_b, &ready[i], nullptr, &nearest);
            *sum += nearest.distance;
        } else {
            kiln_hit hit;
            kiln_collide(tree_a, nullptr, tree_b, &ready[i], nullptr, &hit);
            *sum += hit.found;
        }
    }
    const double seconds = now() - begin;
    for (size_t i = 0; i < count && batch != 0; i++) {
        *sum += distance != 0 ? nearest_all[i].distance : double(hits[i].found);
    }
    kiln_close(a);
    kiln_close(b);
    return seconds;
}

/* FCL, of `links` meshes, corners [triangles[m], 3, 3] one after another, at poses [count, links, 4, 4], for pairs
 * [pair_count, 2]: whether each meets, hits [count, pair_count], and how far apart, distances likewise (NULL: not
 * asked). python-fcl has volumes of OBBRSS; of those that FCL has, OBB is the fastest for the one question and RSS for
 * the other, which `best` takes. Seconds of the processor in the queries alone. */
void loop_fcl(const float *corners, const size_t *triangles, size_t links, const double *poses,
              size_t count, const int *pairs, size_t pair_count, int best, unsigned char *hits,
              double *distances, double *seconds_hits, double *seconds_distances)
{
    using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> meeting, measured;
    for (size_t m = 0; m < links; m++) {
        Geometry first, second;
        if (best != 0) {
            first = model_of<fcl::OBBd>(corners, triangles[m]);
            second = model_of<fcl::RSSd>(corners, triangles[m]);
        } else {
            first = second = model_of<fcl::OBBRSSd>(corners, triangles[m]);
        }
        meeting.push_back(std::make_unique<fcl::CollisionObjectd>(first));
        measured.push_back(std::make_unique<fcl::CollisionObjectd>(second));
        corners += 9 * triangles[m];
    }
    *seconds_hits = *seconds_distances = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t m = 0; m < links; m++) {
            const fcl::Transform3d place = transform_of(poses + 16 * (i * links + m));
            meeting[m]->setTransform(place);
            measured[m]->setTransform(place);
        }
        double begin = now();
        for (size_t k = 0; k < pair_count; k++) {
            const fcl::CollisionRequestd request(1, false);
            fcl::CollisionResultd result;
            hits[i * pair_count + k] =
                fcl::collide(meeting[size_t(pairs[2 * k])].get(),
                             meeting[size_t(pairs[2 * k + 1])].get(), request, result) > 0;
        }
        *seconds_hits += now() - begin;
        begin = now();
        for (size_t k = 0; k < pair_count && distances != nullptr; k++) {
            const fcl::DistanceRequestd request(true);
            fcl::DistanceResultd result;
            distances[i * pair_count + k] =
                fcl::distance(measured[size_t(pairs[2 * k])].get(),
                              measured[size_t(pairs[2 * k + 1])].get(), request, result);
        }
        *seconds_distances += now() - begin;
    }
}
}
