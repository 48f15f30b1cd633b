/* How long a frame of a broad phase takes: objects get new poses, then all pairs whose bounds meet
 * are counted. kiln_scene, one by one and by kiln_scene_move_many, against comparing all pairs,
 * sorting along an axis, FCL's dynamic tree and sweep, and Bullet's pair of dynamic trees where it
 * is installed.
 *
 * Objects are rings, randomly rotated, of half to one and a half times a size at which each has
 * about three neighbours, spread: evenly in a cube; in ten clusters; on a line; evenly, and one of
 * them as large as the cube. In each frame one in a hundred or all of them move by a tenth of their
 * size at most and are rotated. "start" is the time in which the objects are added. All methods get
 * the same bounds, kiln's, except that its times include forming them from poses; counts that
 * differ are printed (Bullet's bounds are floats with a margin, and it keeps pairs that have parted
 * for some frames).
 *
 * Times are the least of the frames' thirds, means over a third, of all in turn. */
#include "fcl_model.hpp"
#include "kiln_model.hpp"
#include "measure.hpp"

extern "C" {
#include "../../runtime/kiln_scene.h"
}

#include <fcl/broadphase/broadphase_SSaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>

#ifdef KILN_BENCH_BULLET
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>

namespace
{

enum Spread { EVEN, CLUSTERS, LINE, ONE_HUGE, SPREADS };
const char *const spread_names[SPREADS] = {"even", "clusters", "line", "one huge"};

struct Bounds {
    double lower[3], upper[3];
};

bool meet(const Bounds &a, const Bounds &b)
{
    for (int k = 0; k < 3; k++) {
        if (a.lower[k] > b.upper[k] || b.lower[k] > a.upper[k]) {
            return false;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------- objects -- */

struct World {
    const kiln_tree *tree;
    uint64_t random = 1;
    std::vector<kiln_pose> poses;
    std::vector<Bounds> bounds;
    std::vector<uint32_t> moved; /* in this frame */

    void form_bounds(uint32_t i)
    {
        if (kiln_scene_bounds_of(tree, &poses[i], bounds[i].lower, bounds[i].upper) != KILN_OK) {
            std::abort();
        }
    }

    /* Rings have a radius of 1.4. */
    World(const kiln_tree *of, Spread spread, uint32_t count) : tree(of), bounds(count)
    {
        const double side = 3.0 * std::cbrt(count);
        double middles[10][3];
        for (auto &middle : middles) {
            for (double &x : middle) {
                x = random_between(&random, 0, 4 * side);
            }
        }
        for (uint32_t i = 0; i < count; i++) {
            kiln_pose pose = pose_random(&random, side / 2);
            pose.scale = random_between(&random, 0.5, 1.5);
            if (spread == CLUSTERS) {
                for (int k = 0; k < 3; k++) {
                    const double off =
                        random_between(&random, -1, 1) + random_between(&random, -1, 1);
                    pose.translation[k] = middles[i % 10][k] + off * side / 4;
                }
            } else if (spread == LINE) {
                pose.translation[0] = random_between(&random, 0, 1.3 * count);
                pose.translation[1] = pose.translation[2] = 0;
            } else if (spread == ONE_HUGE && i == count / 2) {
                pose.scale = side;
            }
            poses.push_back(pose);
            form_bounds(i);
        }
    }

    void move(uint32_t one_in)
    {
        moved.clear();
        for (uint32_t i = 0; i < poses.size(); i++) {
            if (one_in > 1 && random_below(&random, one_in) != 0) {
                continue;
            }
            const kiln_pose turned = pose_random(&random, 0.14);
            std::memcpy(poses[i].rotation, turned.rotation, sizeof turned.rotation);
            for (int k = 0; k < 3; k++) {
                poses[i].translation[k] += turned.translation[k];
            }
            form_bounds(i);
            moved.push_back(i);
        }
    }
};

/* ---------------------------------------------------------------------------------- methods -- */

class Method
{
  public:
    virtual ~Method() = default;
    virtual void update(const World &world) = 0;
    virtual size_t pairs() = 0;
};

class Kiln : public Method
{
    std::vector<char> memory;
    kiln_scene *scene = nullptr;
    std::vector<kiln_scene_id> ids, some;
    std::vector<kiln_pose> poses;
    bool many;

  public:
    Kiln(const World &world, bool by_many) : many(by_many)
    {
        const uint32_t count = uint32_t(world.poses.size());
        memory.resize(kiln_scene_size(count));
        kiln_scene_place(memory.data(), memory.size(), count, &scene);
        ids.resize(count);
        kiln_scene_object object = kiln_scene_object_default();
        object.tree = world.tree;
        for (uint32_t i = 0; i < count; i++) {
            object.pose = world.poses[i];
            kiln_scene_add(scene, &object, &ids[i]);
        }
    }
    void update(const World &world) override
    {
        if (!many) {
            for (const uint32_t i : world.moved) {
                kiln_scene_move(scene, ids[i], &world.poses[i]);
            }
            return;
        }
        some.clear();
        poses.clear();
        for (const uint32_t i : world.moved) {
            some.push_back(ids[i]);
            poses.push_back(world.poses[i]);
        }
        kiln_scene_move_many(scene, some.data(), poses.data(), some.size());
    }
    size_t pairs() override
    {
        size_t count = 0;
        kiln_scene_pairs(scene, nullptr, nullptr, 0, &count);
        return count;
    }
};

class Brute : public Method
{
    std::vector<Bounds> bounds;

  public:
    explicit Brute(const World &world) : bounds(world.bounds)
    {
    }
    void update(const World &world) override
    {
        for (const uint32_t i : world.moved) {
            bounds[i] = world.bounds[i];
        }
    }
    size_t pairs() override
    {
        size_t count = 0;
        for (size_t i = 0; i < bounds.size(); i++) {
            for (size_t j = i + 1; j < bounds.size(); j++) {
                count += meet(bounds[i], bounds[j]);
            }
        }
        return count;
    }
};

/* Kept sorted along x by insertion, as little changes from frame to frame; then swept. */
class Sweep : public Method
{
    std::vector<Bounds> bounds;
    std::vector<uint32_t> order;

  public:
    explicit Sweep(const World &world) : bounds(world.bounds), order(world.bounds.size())
    {
        for (uint32_t i = 0; i < order.size(); i++) {
            order[i] = i;
        }
        std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
            return bounds[a].lower[0] < bounds[b].lower[0];
        });
    }
    void update(const World &world) override
    {
        for (const uint32_t i : world.moved) {
            bounds[i] = world.bounds[i];
        }
        for (size_t i = 1; i < order.size(); i++) {
            const uint32_t object = order[i];
            size_t at = i;
            for (; at > 0 && bounds[order[at - 1]].lower[0] > bounds[object].lower[0]; at--) {
                order[at] = order[at - 1];
            }
            order[at] = object;
        }
    }
    size_t pairs() override
    {
        size_t count = 0;
        for (size_t i = 0; i < order.size(); i++) {
            const Bounds &a = bounds[order[i]];
            for (size_t j = i + 1; j < order.size() && bounds[order[j]].lower[0] <= a.upper[0];
                 j++) {
                count += meet(a, bounds[order[j]]);
            }
        }
        return count;
    }
};

/* Axis-aligned boxes as FCL's objects, whose bounds are then kiln's. */
template <class Manager> class Fcl : public Method
{
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    std::vector<fcl::Vector3d> halves;
    Manager manager;

    static bool count_one(fcl::CollisionObjectd *, fcl::CollisionObjectd *, void *count)
    {
        ++*static_cast<size_t *>(count);
        return false;
    }
    void set(size_t i, const Bounds &b)
    {
        for (int k = 0; k < 3; k++) {
            const_cast<fcl::AABBd &>(objects[i]->getAABB()).min_[k] = b.lower[k];
            const_cast<fcl::AABBd &>(objects[i]->getAABB()).max_[k] = b.upper[k];
        }
    }

  public:
    explicit Fcl(const World &world)
    {
        const auto box = std::make_shared<fcl::Boxd>(1, 1, 1);
        std::vector<fcl::CollisionObjectd *> all;
        for (size_t i = 0; i < world.bounds.size(); i++) {
            objects.emplace_back(std::make_unique<fcl::CollisionObjectd>(box));
            set(i, world.bounds[i]);
            all.push_back(objects.back().get());
        }
        manager.registerObjects(all);
        manager.setup();
    }
    void update(const World &world) override
    {
        std::vector<fcl::CollisionObjectd *> some;
        for (const uint32_t i : world.moved) {
            set(i, world.bounds[i]);
            some.push_back(objects[i].get());
        }
        if constexpr (std::is_same_v<Manager, fcl::DynamicAABBTreeCollisionManagerd>) {
            if (some.size() < objects.size()) {
                manager.update(some);
                return;
            }
        }
        manager.update();
    }
    size_t pairs() override
    {
        size_t count = 0;
        manager.collide(&count, count_one);
        return count;
    }
};

#ifdef KILN_BENCH_BULLET
class Bullet : public Method
{
    btDbvtBroadphase trees;
    std::vector<btBroadphaseProxy *> proxies;

    static btVector3 vector(const double v[3])
    {
        return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
    }

  public:
    explicit Bullet(const World &world)
    {
        for (const Bounds &b : world.bounds) {
            proxies.push_back(trees.createProxy(vector(b.lower), vector(b.upper), 0,
                                                const_cast<Bounds *>(&b), 1, -1, nullptr));
        }
    }
    void update(const World &world) override
    {
        for (const uint32_t i : world.moved) {
            trees.setAabb(proxies[i], vector(world.bounds[i].lower), vector(world.bounds[i].upper),
                          nullptr);
        }
    }
    size_t pairs() override
    {
        trees.calculateOverlappingPairs(nullptr);
        return size_t(trees.getOverlappingPairCache()->getNumOverlappingPairs());
    }
};
#endif

struct Way {
    const char *name;
    uint32_t most; /* objects */
    std::function<std::unique_ptr<Method>(const World &)> make;
};

const Way ways[] = {
    {"kiln", UINT32_MAX, [](const World &w) { return std::make_unique<Kiln>(w, false); }},
    {"kiln many", UINT32_MAX, [](const World &w) { return std::make_unique<Kiln>(w, true); }},
    {"all pairs", UINT32_MAX, [](const World &w) { return std::make_unique<Brute>(w); }},
    {"sweep", UINT32_MAX, [](const World &w) { return std::make_unique<Sweep>(w); }},
    {"fcl tree", UINT32_MAX,
     [](const World &w) {
         return std::make_unique<Fcl<fcl::DynamicAABBTreeCollisionManagerd>>(w);
     }},
    {"fcl sweep", UINT32_MAX,
     [](const World &w) { return std::make_unique<Fcl<fcl::SSaPCollisionManagerd>>(w); }},
#ifdef KILN_BENCH_BULLET
    {"bullet", UINT32_MAX, [](const World &w) { return std::make_unique<Bullet>(w); }},
#endif
};

/* ---------------------------------------------------------------------------------- measure -- */

void measure(const kiln_tree *tree, Spread spread, uint32_t count, bool all, uint32_t frames,
             std::FILE *csv)
{
    const uint32_t thirds = 3;
    size_t wanted = 0;
    std::printf("%-8s %6u  %-4s", spread_names[spread], count, all ? "all" : "few");
    for (const Way &way : ways) {
        if (count > way.most) {
            std::printf("%27s", "-");
            continue;
        }
        World world(tree, spread, count);
        double start = now(), update = HUGE_VAL, pairs = HUGE_VAL;
        const std::unique_ptr<Method> method = way.make(world);
        start = now() - start;
        size_t found = method->pairs();
        for (uint32_t third = 0; third < thirds; third++) {
            double updating = 0, pairing = 0;
            for (uint32_t frame = 0; frame < frames; frame++) {
                world.move(all ? 1 : 100);
                const double begin = now();
                method->update(world);
                const double middle = now();
                found = method->pairs();
                pairing += now() - middle;
                updating += middle - begin;
            }
            update = std::min(update, updating / frames);
            pairs = std::min(pairs, pairing / frames);
        }
        wanted = &way == ways ? found : wanted;
        std::printf(" %9.1f +%8.1f%s%6.0f", update / 1e3, pairs / 1e3, found == wanted ? " " : "!",
                    start / 1e3);
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%u,%s,%s,%zu,%.1f,%.2f,%.2f\n", spread_names[spread], count,
                         all ? "all" : "few", way.name, found, start / 1e3, update / 1e3,
                         pairs / 1e3);
        }
        std::fflush(stdout);
    }
    std::printf("  %zu pairs\n", wanted);
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fputs("spread,objects,move,method,pairs,start_us,update_us,pairs_us\n", csv);
    }
    print_origin(stdout, "", arguments[0]);
    mesh ring = mesh_torus(24, 12, 0.1);
    const KilnModel model(ring);
    std::puts("us of a frame: update + pairs, start; ! marks another number of pairs than kiln's");
    std::printf("%-21s", "");
    for (const Way &way : ways) {
        std::printf("%27s", way.name);
    }
    std::puts("");
    for (int spread = 0; spread < SPREADS; spread++) {
        for (uint32_t objects = 10; objects <= (options.quick ? 1000 : 10000); objects *= 10) {
            for (int all = 0; all < 2; all++) {
                measure(model.obb, Spread(spread), objects, all != 0, 30000 / objects + 5, csv);
            }
        }
    }
    close_csv(csv, options.csv);
    mesh_free(&ring);
    return 0;
}
