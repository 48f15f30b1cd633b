/* How long a frame of continuous collision detection takes beside Bullet's broad phases on the same
 * objects: spheres in a box, 30 frames a second, which collide elastically.
 *
 * Bullet's dynamic trees (btDbvtBroadphase) and its sorted axes (btAxisSweep3) get the boxes that
 * the spheres sweep in each frame, as they move at its begin, and keep the pairs that overlap: they
 * find no time of contact, and what changes within a frame is not theirs. kiln_dynamic_step finds
 * all contacts, in order, answers them, and finds what follows from them, looking one frame ahead
 * (grid) or as far as it chooses to (auto). "pairs" are those of the swept boxes; numbers that
 * differ are printed (Bullet's trees keep pairs for some frames).
 *
 * Times are those of the processor, the means of the frames, the least of three runs. */
#include "measure.hpp"

extern "C" {
#include "../support/moving.h"
}

#ifdef KILN_BENCH_BULLET
#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

namespace
{

const double FRAME = 1.0 / 30;

double processor()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * double(time.tv_sec) + double(time.tv_nsec);
}

struct Box {
    float lower[3], upper[3];
};

/* A world that is stepped, and the boxes that its objects sweep in the next frame. */
class Scene
{
    void *memory = nullptr;
    moving_log log{};

  public:
    kiln_dynamic *world = nullptr;
    std::vector<Box> boxes;

    Scene(const moving_scene &scene, kiln_dynamic_engine engine, double interval)
    {
        kiln_dynamic_options options = moving_options(&scene, engine);
        options.interval = interval;
        world = moving_world(&scene, &options, &memory);
        boxes.resize(scene.count);
    }
    Scene(const Scene &) = delete;
    Scene &operator=(const Scene &) = delete;
    ~Scene()
    {
        std::free(memory);
    }
    void step()
    {
        if (kiln_dynamic_step(world, FRAME, moving_event, &log, nullptr) != KILN_OK) {
            std::abort();
        }
    }
    void sweep()
    {
        kiln_dynamic_id id = 0;
        for (Box &box : boxes) {
            kiln_dynamic_object object = kiln_dynamic_object_default();
            id = kiln_dynamic_next(world, id);
            if (kiln_dynamic_get(world, id, &object) != KILN_OK) {
                std::abort();
            }
            for (int k = 0; k < 3; k++) {
                const double way = object.velocity[k] * FRAME;
                box.lower[k] =
                    float(object.position[k] + std::min(way, 0.0) - object.radius);
                box.upper[k] =
                    float(object.position[k] + std::max(way, 0.0) + object.radius);
            }
        }
    }
};

/* Pairs of boxes that meet, by sorting along x. */
size_t count_pairs(const std::vector<Box> &boxes)
{
    std::vector<Box> sorted = boxes;
    std::sort(sorted.begin(), sorted.end(),
              [](const Box &a, const Box &b) { return a.lower[0] < b.lower[0]; });
    size_t count = 0;
    for (size_t i = 0; i < sorted.size(); i++) {
        for (size_t j = i + 1; j < sorted.size() && sorted[j].lower[0] <= sorted[i].upper[0];
             j++) {
            const Box &a = sorted[i], &b = sorted[j];
            count += a.lower[1] <= b.upper[1] && b.lower[1] <= a.upper[1] &&
                     a.lower[2] <= b.upper[2] && b.lower[2] <= a.upper[2];
        }
    }
    return count;
}

#ifdef KILN_BENCH_BULLET
class Bullet
{
    std::unique_ptr<btBroadphaseInterface> phase;
    std::vector<btBroadphaseProxy *> proxies;

    static btVector3 vector(const float v[3])
    {
        return btVector3(v[0], v[1], v[2]);
    }

  public:
    Bullet(std::unique_ptr<btBroadphaseInterface> of, std::vector<Box> &boxes)
        : phase(std::move(of))
    {
        for (Box &box : boxes) {
            proxies.push_back(phase->createProxy(vector(box.lower), vector(box.upper), 0, &box, 1,
                                                 -1, nullptr));
        }
    }
    size_t update(const std::vector<Box> &boxes)
    {
        for (size_t i = 0; i < boxes.size(); i++) {
            phase->setAabb(proxies[i], vector(boxes[i].lower), vector(boxes[i].upper), nullptr);
        }
        phase->calculateOverlappingPairs(nullptr);
        return size_t(phase->getOverlappingPairCache()->getNumOverlappingPairs());
    }
};
#endif

struct Result {
    double ms = HUGE_VAL;
    double pairs = 0;
};

Result time_kiln(const moving_scene &scene, kiln_dynamic_engine engine, double interval,
                 unsigned frames)
{
    Result best;
    for (int round = 0; round < 3; round++) {
        Scene of(scene, engine, interval);
        of.step();
        const double from = processor();
        for (unsigned i = 0; i < frames; i++) {
            of.step();
        }
        best.ms = std::min(best.ms, 1e-6 * (processor() - from) / frames);
    }
    return best;
}

#ifdef KILN_BENCH_BULLET
Result time_bullet(const moving_scene &scene, bool trees, unsigned frames)
{
    Result best;
    const float edge = float(moving_edge(&scene)) + 1, least = -1;
    for (int round = 0; round < 3; round++) {
        Scene of(scene, KILN_DYNAMIC_AUTO, 0);
        of.sweep();
        std::unique_ptr<btBroadphaseInterface> phase;
        if (trees) {
            phase.reset(new btDbvtBroadphase);
        } else if (scene.count < 16000) {
            phase.reset(new btAxisSweep3(btVector3(least, least, least),
                                         btVector3(edge, edge, edge), 16384));
        } else {
            phase.reset(new bt32BitAxisSweep3(btVector3(least, least, least),
                                              btVector3(edge, edge, edge), scene.count + 1));
        }
        Bullet bullet(std::move(phase), of.boxes);
        double spent = 0, pairs = 0;
        for (unsigned i = 0; i < frames; i++) {
            of.step();
            of.sweep();
            const double from = processor();
            pairs += double(bullet.update(of.boxes));
            spent += processor() - from;
        }
        best.ms = std::min(best.ms, 1e-6 * spent / frames);
        best.pairs = pairs / frames;
    }
    return best;
}
#endif

double mean_pairs(const moving_scene &scene, unsigned frames)
{
    Scene of(scene, KILN_DYNAMIC_AUTO, 0);
    double pairs = 0;
    for (unsigned i = 0; i < frames; i++) {
        of.step();
        of.sweep();
        pairs += double(count_pairs(of.boxes));
    }
    return pairs / frames;
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    const unsigned frames = options.quick ? 3 : 30;
    std::FILE *csv = open_csv(options.csv, "bench_continuous");
    if (csv != nullptr) {
        std::fprintf(csv, "objects,speed,method,ms,pairs\n");
    }
    std::printf("%7s %5s %9s %9s %9s %9s %9s\n", "objects", "speed", "pairs", "bt trees",
                "bt sweep", "grid", "auto");
    for (const uint32_t objects : {500u, 2000u, 5000u, 20000u, 50000u}) {
        if (options.quick && objects > 2000) {
            continue;
        }
        for (const double speed : {2.5, 10.0, 40.0}) {
            const moving_scene scene = {MOVING_ALL_WAYS, objects, speed, 0.25, false, 0,
                                        0.125,           true,    1};
            const double pairs = mean_pairs(scene, frames);
            Result trees, sweep;
#ifdef KILN_BENCH_BULLET
            trees = time_bullet(scene, true, frames);
            if (objects <= 5000) { /* beyond, its sorting takes seconds a frame */
                sweep = time_bullet(scene, false, frames);
            }
#endif
            const Result grid = time_kiln(scene, KILN_DYNAMIC_GRID, FRAME, frames);
            const Result best = time_kiln(scene, KILN_DYNAMIC_AUTO, 0, frames);
            std::printf("%7u %5g %9.0f %9.3f %9.3f %9.3f %9.3f", objects, speed, pairs, trees.ms,
                        sweep.ms, grid.ms, best.ms);
            if (sweep.ms < HUGE_VAL && std::fabs(sweep.pairs - pairs) > 0.02 * pairs + 1) {
                std::printf("  %.0f pairs of the sweep", sweep.pairs);
            }
            if (trees.ms < HUGE_VAL && std::fabs(trees.pairs - pairs) > 0.02 * pairs + 1) {
                std::printf("  %.0f pairs of trees", trees.pairs);
            }
            std::printf("\n");
            if (csv != nullptr) {
                const struct {
                    const char *name;
                    const Result &of;
                } all[] = {
                    {"bullet trees", trees}, {"bullet sweep", sweep}, {"grid", grid}, {"auto", best}};
                for (const auto &one : all) {
                    if (one.of.ms < HUGE_VAL) {
                        std::fprintf(csv, "%u,%g,%s,%.5f,%.1f\n", objects, speed, one.name,
                                     one.of.ms, one.of.pairs);
                    }
                }
            }
        }
    }
    close_csv(csv, options.csv);
    return 0;
}
