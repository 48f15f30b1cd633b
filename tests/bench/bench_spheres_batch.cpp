/* Robots as spheres at many poses: kiln_spheres_each and kiln_spheres_any against single calls of
 * kiln_overlap_any, FCL's spheres against its trees of boxes, and, for points, a loop over all of
 * them in vectors. Nanoseconds a sphere, in one run.
 *
 * A robot is an arm of 7 links with 60 spheres, whose base stands beside the mesh or the points;
 * configurations turn all joints at random ("random"), or each is near the one before ("path").
 * "each" answers for every sphere; "any" ends a configuration with its first sphere that meets, and
 * its time is by the spheres of all configurations. Spheres alone ("alone") are as many anywhere in
 * the box, each at a pose of its own, so that no eight of them are near each other.
 *
 * Points are those of the surface, with a noise of a hundredth. A time is the least of rounds in
 * which the methods alternate. */
#include "fcl_model.hpp"
#include "kiln_model.hpp"
#include "measure.hpp"

#include "../../runtime/kiln_spheres.h"

#include <fcl/geometry/shape/sphere.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace
{

enum { LINKS = 7, SPHERES = 60, CONFIGURATIONS = 200 };

void require(kiln_status status)
{
    if (status != KILN_OK) {
        std::abort();
    }
}

struct Robot {
    std::vector<double> x, y, z, radius;
    std::vector<uint32_t> link;
    kiln_spheres of;
    std::vector<kiln_pose> poses; /* of all configurations */

    void finish(uint32_t links)
    {
        of = {x.data(), y.data(), z.data(), radius.data(), x.size(), link.data(), links};
    }
};

void add_sphere(Robot &robot, double x, double y, double z, double radius, uint32_t link)
{
    robot.x.push_back(x);
    robot.y.push_back(y);
    robot.z.push_back(z);
    robot.radius.push_back(radius);
    robot.link.push_back(link);
}

kiln_pose joined(const kiln_pose &a, const kiln_pose &b)
{
    kiln_pose out = a;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.rotation[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) {
                out.rotation[3 * i + j] += a.rotation[3 * i + k] * b.rotation[3 * k + j];
            }
        }
        out.translation[i] = a.translation[i];
        for (int k = 0; k < 3; k++) {
            out.translation[i] += a.rotation[3 * i + k] * b.translation[k];
        }
    }
    return out;
}

kiln_pose turned(int axis, double angle, double along)
{
    kiln_pose pose = kiln_pose_identity();
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    pose.rotation[3 * i + i] = pose.rotation[3 * j + j] = std::cos(angle);
    pose.rotation[3 * i + j] = -std::sin(angle);
    pose.rotation[3 * j + i] = std::sin(angle);
    pose.translation[2] = along;
    return pose;
}

/* An arm of length 1.6 `size` at `base`. */
Robot arm_of(const double base[3], double size, bool path)
{
    Robot robot;
    uint64_t state = 5;
    double angle[LINKS];
    const double length = 1.6 * size / LINKS;
    for (int i = 0; i < SPHERES; i++) {
        const uint32_t link = uint32_t(i * LINKS / SPHERES);
        const double part = double(i * LINKS % SPHERES) / SPHERES;
        add_sphere(robot, 0.1 * length * random_between(&state, -1, 1),
                   0.1 * length * random_between(&state, -1, 1), part * length,
                   length * random_between(&state, 0.2, 0.3), link);
    }
    for (double &a : angle) {
        a = random_between(&state, -1.5, 1.5);
    }
    for (int c = 0; c < CONFIGURATIONS; c++) {
        kiln_pose at = kiln_pose_identity();
        std::copy(base, base + 3, at.translation);
        for (int l = 0; l < LINKS; l++) {
            angle[l] = path ? angle[l] + random_between(&state, -0.02, 0.03)
                            : random_between(&state, -1.5, 1.5);
            at = joined(at, turned(l % 2 == 0 ? 2 : 1, l == 0 ? 2 * angle[l] : angle[l],
                                   l == 0 ? 0 : length));
            robot.poses.push_back(at);
        }
    }
    robot.finish(LINKS);
    return robot;
}

Robot alone_of(const double lower[3], const double upper[3], double size)
{
    Robot robot;
    uint64_t state = 6;
    const double around = 0.1 * size;
    for (uint32_t i = 0; i < SPHERES; i++) {
        add_sphere(robot, 0, 0, 0, size * 1.6 / LINKS * random_between(&state, 0.2, 0.3), i);
    }
    for (int i = 0; i < SPHERES * CONFIGURATIONS; i++) {
        kiln_pose pose = pose_random(&state, 0);
        for (int k = 0; k < 3; k++) {
            pose.translation[k] = random_between(&state, lower[k] - around, upper[k] + around);
        }
        robot.poses.push_back(pose);
    }
    robot.finish(SPHERES);
    return robot;
}

/* Centres in the frame of the tree and radii, in floats, for the loop over points. */
struct Placed {
    std::vector<float> x, y, z, radius;
};

Placed placed_of(const Robot &robot)
{
    Placed out;
    for (int c = 0; c < CONFIGURATIONS; c++) {
        for (size_t i = 0; i < robot.x.size(); i++) {
            const kiln_pose &at = robot.poses[size_t(c) * robot.of.link_count + robot.link[i]];
            const double *r = at.rotation, p[3] = {robot.x[i], robot.y[i], robot.z[i]};
            std::vector<float> *to[3] = {&out.x, &out.y, &out.z};
            for (int k = 0; k < 3; k++) {
                to[k]->push_back(float(r[3 * k] * p[0] + r[3 * k + 1] * p[1] + r[3 * k + 2] * p[2] +
                                       at.translation[k]));
            }
            out.radius.push_back(float(robot.radius[i]));
        }
    }
    return out;
}

/* Points in blocks of eight with 16 to a look, for compilers that make vectors of loops. */
struct Cloud {
    std::vector<float> x, y, z;
};

#if defined(__x86_64__)
__attribute__((target("avx2,fma")))
#endif
bool any_point(const Cloud &cloud, float x, float y, float z, float squared)
{
    typedef float eight __attribute__((vector_size(32)));
    const size_t count = cloud.x.size() / 64 * 64;
    for (size_t i = 0; i < count; i += 64) {
        eight least;
        for (int k = 0; k < 8; k++) {
            eight px, py, pz;
            std::memcpy(&px, cloud.x.data() + i + 8 * k, sizeof px);
            std::memcpy(&py, cloud.y.data() + i + 8 * k, sizeof py);
            std::memcpy(&pz, cloud.z.data() + i + 8 * k, sizeof pz);
            px -= x;
            py -= y;
            pz -= z;
            const eight d = px * px + py * py + pz * pz;
            least = k == 0 ? d : d < least ? d : least;
        }
        for (int k = 0; k < 8; k++) {
            if (least[k] <= squared) {
                return true;
            }
        }
    }
    for (size_t i = count; i < cloud.x.size(); i++) {
        const float dx = cloud.x[i] - x, dy = cloud.y[i] - y, dz = cloud.z[i] - z;
        if (dx * dx + dy * dy + dz * dz <= squared) {
            return true;
        }
    }
    return false;
}

struct Times {
    double each = HUGE_VAL, any = HUGE_VAL, single = HUGE_VAL, fcl = HUGE_VAL, brute = HUGE_VAL;
    double share = 0; /* of spheres that meet */
    size_t differ = 0;
};

Times measure(const kiln_tree *tree, const Robot &robot, FclModel<fcl::OBBRSSd> *fcl_model,
              const Cloud *cloud, int rounds)
{
    Times times;
    const size_t all = robot.x.size() * CONFIGURATIONS;
    std::vector<uint8_t> meets(all), others(all);
    std::vector<kiln_spheres_hit> hits(CONFIGURATIONS);
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    const Placed placed = placed_of(robot);
    const size_t step = fcl_model != nullptr ? 7 : 1; /* of spheres for FCL, which is slow */
    for (size_t i = 0; fcl_model != nullptr && i < all; i += step) {
        fcl::Transform3d at = fcl::Transform3d::Identity();
        at.translation() =
            fcl::Vector3d(double(placed.x[i]), double(placed.y[i]), double(placed.z[i]));
        objects.push_back(std::make_unique<fcl::CollisionObjectd>(
            std::make_shared<fcl::Sphered>(double(placed.radius[i])), at));
    }
    fcl::CollisionResultd result;
    uint64_t found = 0;
    for (int round = 0; round < rounds; round++) {
        double start = now();
        require(kiln_spheres_each(tree, nullptr, &robot.of, robot.poses.data(), CONFIGURATIONS,
                                  nullptr, meets.data(), &found));
        times.each = std::min(times.each, (now() - start) / double(all));
        start = now();
        require(kiln_spheres_any(tree, nullptr, &robot.of, robot.poses.data(), CONFIGURATIONS,
                                 nullptr, hits.data()));
        times.any = std::min(times.any, (now() - start) / double(all));
        if (round % 4 == 0) {
            start = now();
            for (size_t i = 0; i < all; i++) {
                const size_t c = i / robot.x.size(), s = i % robot.x.size();
                const kiln_shape shape = {KILN_SHAPE_SPHERE,
                                          {robot.x[s], robot.y[s], robot.z[s]},
                                          {0, 0, 0},
                                          robot.radius[s]};
                kiln_triangle_hit hit;
                require(kiln_overlap_any(tree, nullptr, &shape,
                                         &robot.poses[c * robot.of.link_count + robot.link[s]],
                                         nullptr, &hit));
                others[i] = hit.found;
            }
            times.single = std::min(times.single, (now() - start) / double(all));
            start = now();
            for (const auto &object : objects) {
                fcl_model->overlap(*object, 1, result);
            }
            if (!objects.empty()) {
                times.fcl = std::min(times.fcl, (now() - start) / double(objects.size()));
            }
        }
        if (cloud != nullptr && round % 4 == 0) {
            size_t brute = 0;
            start = now();
            for (size_t i = 0; i < all; i += 5) {
                brute += any_point(*cloud, placed.x[i], placed.y[i], placed.z[i],
                                   placed.radius[i] * placed.radius[i]);
            }
            times.brute = std::min(times.brute, (now() - start) / (double(all) / 5));
            times.differ += brute > all;
        }
    }
    for (size_t i = 0; i < all; i++) {
        times.differ += meets[i] != others[i];
    }
    times.share = double(found) / double(all);
    return times;
}

void report(const char *what, size_t count, const char *kind, const char *robot, const Times &t)
{
    std::printf("%-7s %8zu %-5s %-7s meet %4.1f %%  each %6.1f  any %6.1f  single %7.1f (x %4.1f)",
                what, count, kind, robot, 100 * t.share, t.each, t.any, t.single,
                t.single / t.each);
    if (t.fcl < HUGE_VAL) {
        std::printf("  fcl %8.1f (x %5.1f)", t.fcl, t.fcl / t.each);
    }
    if (t.brute < HUGE_VAL) {
        std::printf("  loop %9.1f (x %5.1f)", t.brute, t.brute / t.each);
    }
    std::printf("%s\n", t.differ != 0 ? "  DIFFERENT" : "");
    std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    const int rounds = options.quick ? 5 : 21;
    print_origin(stdout, "", arguments[0]);
    std::puts("ns a sphere; x: times as long as each");
    static const uint32_t sizes[] = {1000, 10000, 100000, 1000000};
    const double lower[3] = {-1.4, -1.4, -0.4}, upper[3] = {1.4, 1.4, 0.4};
    const double base[3] = {1.2, 1.2, -0.6};
    static const char *const names[] = {"random", "path", "alone"};
    const Robot robots[] = {arm_of(base, 1.4, false), arm_of(base, 1.4, true),
                            alone_of(lower, upper, 1.4)};
    for (const uint32_t size : sizes) {
        if (options.quick && size > 100000) {
            break;
        }
        const uint32_t sides = uint32_t(std::sqrt(size / 2.5));
        mesh m = mesh_torus(size / 2 / sides, sides, 0.2);
        {
            const KilnModel model(m);
            FclModel<fcl::OBBRSSd> fcl_model(m);
            for (int r = 0; r < 3; r++) {
                report("mesh", m.triangle_count, "aabb", names[r],
                       measure(model.aabb, robots[r], &fcl_model, nullptr, rounds));
            }
            report("mesh", m.triangle_count, "obb", names[0],
                   measure(model.obb, robots[0], nullptr, nullptr, rounds));
        }
        uint64_t state = 7;
        Cloud cloud;
        mesh points;
        points.vertex_count = points.triangle_count = size;
        points.positions = static_cast<float *>(std::malloc(size_t(size) * 3 * sizeof(float)));
        points.indices = static_cast<uint32_t *>(std::malloc(size_t(size) * 3 * sizeof(uint32_t)));
        for (uint32_t i = 0; i < size; i++) {
            const float *from = m.positions + 3 * size_t(random_below(&state, m.vertex_count));
            for (int k = 0; k < 3; k++) {
                points.positions[3 * size_t(i) + size_t(k)] =
                    from[k] + float(random_between(&state, -0.01, 0.01));
                points.indices[3 * size_t(i) + size_t(k)] = i;
            }
            cloud.x.push_back(points.positions[3 * size_t(i)]);
            cloud.y.push_back(points.positions[3 * size_t(i) + 1]);
            cloud.z.push_back(points.positions[3 * size_t(i) + 2]);
        }
        {
            const KilnModel model(points);
            for (int r = 0; r < 3; r++) {
                report("points", size, "aabb", names[r],
                       measure(model.aabb, robots[r], nullptr, size <= 100000 ? &cloud : nullptr,
                               rounds));
            }
        }
        mesh_free(&points);
        mesh_free(&m);
    }
    return 0;
}
