/* Depth and normal of contact, and what they cost: kiln_contact_regions beside the deepest pair of
 * kiln_contacts_geometry, FCL's contacts and Bullet's GImpact where it is installed.
 *
 * Solids of known contact (contact_shapes.h), divided into 12 to 100,000 triangles, regularly and at
 * random, are sunk into flat ground at random poses, and those of 5,000 and 20,000 into each other,
 * as the two stand and lie: there the right depth is that of the polyhedra along the way out. Depth is off by more than 1 %, or the normal by
 * more than 2 degrees, in so many of the poses. Of the others the depth is that of the deepest
 * contact that they name, and the normal is that one's. Times are the least of a pose's, over the
 * same poses, and the mean of these; kiln_contacts is what kiln_contact_regions begins with. */
#include "fcl_model.hpp"
#include "kiln_model.hpp"
#include "measure.hpp"

extern "C" {
#include "../../runtime/kiln_regions.h"
#include "../support/contact_shapes.h"
}

#ifdef KILN_BENCH_BULLET
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <btBulletCollisionCommon.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace
{

constexpr uint32_t TRIANGLES = 400000, PAIRS = 100000;
constexpr double FAR = 1e300;

struct Verdict {
    double depth = 0, normal[3] = {0, 0, 0};
};

struct Tally {
    const char *name;
    uint32_t poses = 0, depth_off = 0, normal_off = 0;
    double time = 0;
};

/* A pose of the first mesh over the second, which stays; the depth and the way out that are right. */
struct Case {
    kiln_pose pose;
    double depth, up[3];
};

void judge(Tally &tally, const Verdict &v, const Case &c, double time)
{
    double along = 0;
    for (int k = 0; k < 3; k++) {
        along += v.normal[k] * c.up[k];
    }
    tally.poses++;
    tally.time += time;
    tally.depth_off += !(std::fabs(v.depth - c.depth) <= 0.01 * c.depth);
    tally.normal_off += !(along > std::cos(2 * 3.14159265358979 / 180));
}

class Solid
{
  public:
    explicit Solid(mesh m) : geometry(m), model(m)
    {
        const size_t size = kiln_adjacency_size(model.obb);
        memory.resize(size);
        if (kiln_adjacency_place(memory.data(), size, model.obb, &adjacency) != KILN_OK) {
            std::abort();
        }
    }
    ~Solid()
    {
        mesh_free(&geometry);
    }
    Solid(const Solid &) = delete;
    Solid &operator=(const Solid &) = delete;

    mesh geometry;
    KilnModel model;
    std::vector<char> memory;
    kiln_adjacency *adjacency = nullptr;
};

template <class Query> double least_time(int rounds, Query query)
{
    double least = FAR;
    for (int i = 0; i < rounds; i++) {
        const double start = now();
        query();
        least = std::min(least, now() - start);
    }
    return least;
}

#ifdef KILN_BENCH_BULLET
/* A mesh as GImpact has it. */
class BulletModel
{
  public:
    explicit BulletModel(const mesh &m)
        : arrays(static_cast<int>(m.triangle_count),
                 reinterpret_cast<int *>(const_cast<uint32_t *>(m.indices)), 3 * sizeof(int),
                 static_cast<int>(m.vertex_count), positions_of(m), 3 * sizeof(btScalar)),
          shape(&arrays)
    {
        shape.setMargin(0);
        shape.updateBound();
        object.setCollisionShape(&shape);
    }

    void move_to(const kiln_pose &pose)
    {
        const double *r = pose.rotation;
        btMatrix3x3 basis;
        basis.setValue(btScalar(r[0]), btScalar(r[1]), btScalar(r[2]), btScalar(r[3]),
                       btScalar(r[4]), btScalar(r[5]), btScalar(r[6]), btScalar(r[7]),
                       btScalar(r[8]));
        const double *t = pose.translation;
        object.setWorldTransform(
            btTransform(basis, btVector3(btScalar(t[0]), btScalar(t[1]), btScalar(t[2]))));
    }

  private:
    btScalar *positions_of(const mesh &m)
    {
        positions.assign(m.positions, m.positions + 3 * static_cast<size_t>(m.vertex_count));
        return positions.data();
    }

    std::vector<btScalar> positions;
    btTriangleIndexVertexArray arrays;
    btGImpactMeshShape shape;

  public:
    btCollisionObject object;
};

/* The deepest point of all manifolds, with the normal towards `up`. */
Verdict deepest_of(btCollisionDispatcher &dispatcher, const btCollisionObject &up)
{
    Verdict found;
    for (int i = 0; i < dispatcher.getNumManifolds(); i++) {
        const btPersistentManifold *manifold = dispatcher.getManifoldByIndexInternal(i);
        for (int p = 0; p < manifold->getNumContacts(); p++) {
            const btManifoldPoint &point = manifold->getContactPoint(p);
            if (-point.getDistance() > found.depth) {
                found.depth = -point.getDistance();
                for (int k = 0; k < 3; k++) {
                    found.normal[k] =
                        (manifold->getBody0() == &up ? 1 : -1) * point.m_normalWorldOnB[k];
                }
            }
        }
    }
    return found;
}
#endif

/* All methods at all poses of two meshes; a line of the table each. */
void run_cell(const char *name, Solid &solid, Solid &ground, const std::vector<Case> &cases,
              int rounds, kiln_regions *regions, std::vector<kiln_pair> &pairs)
{
    FclModel<fcl::OBBRSSd> fcl_solid(solid.geometry), fcl_ground(ground.geometry);
    Tally tallies[4] = {{"kiln regions"}, {"kiln pairs"}, {"FCL"}, {"Bullet GImpact"}};
#ifdef KILN_BENCH_BULLET
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btCollisionWorld world(&dispatcher, &broadphase, &configuration);
    btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
    BulletModel bullet_solid(solid.geometry), bullet_ground(ground.geometry);
    bullet_solid.object.setCollisionFlags(0); /* two that stand still are not compared */
    world.addCollisionObject(&bullet_solid.object);
    world.addCollisionObject(&bullet_ground.object);
#endif
    double contacts_time = 0;
    for (const Case &c : cases) {
        size_t found = 0;
        kiln_region region[4];
        Verdict v;
        double time = least_time(rounds, [&] {
            (void)kiln_contact_regions(regions, solid.adjacency, &c.pose, ground.adjacency, nullptr,
                                       nullptr, region, 4, &found);
        });
        if (found > 0) {
            v.depth = region[0].depth;
            std::copy(region[0].normal, region[0].normal + 3, v.normal);
        }
        judge(tallies[0], v, c, time);
        contacts_time += least_time(rounds, [&] {
            (void)kiln_contacts(solid.model.obb, &c.pose, ground.model.obb, nullptr, nullptr,
                                pairs.data(), PAIRS, &found);
        });
        kiln_contacts_summary summary;
        time = least_time(1, [&] {
            (void)kiln_contacts_summarise(solid.model.obb, &c.pose, ground.model.obb, nullptr,
                                          nullptr, &summary);
        });
        v.depth = summary.deepest.depth;
        std::copy(summary.deepest.normal, summary.deepest.normal + 3, v.normal);
        judge(tallies[1], v, c, time);
        fcl::CollisionResultd result;
        time = least_time(1, [&] { (void)fcl_ground.contacts(fcl_solid, c.pose, true, result); });
        v = Verdict();
        for (size_t i = 0; i < result.numContacts(); i++) {
            const auto &contact = result.getContact(i);
            if (i == 0 || contact.penetration_depth > v.depth) {
                v.depth = contact.penetration_depth;
                for (int k = 0; k < 3; k++) {
                    v.normal[k] = contact.normal[k];
                }
            }
        }
        judge(tallies[2], v, c, time);
#ifdef KILN_BENCH_BULLET
        bullet_solid.move_to(c.pose);
        for (int i = 0; i < dispatcher.getNumManifolds(); i++) {
            dispatcher.getManifoldByIndexInternal(i)->clearManifold();
        }
        time = least_time(1, [&] { world.performDiscreteCollisionDetection(); });
        judge(tallies[3], deepest_of(dispatcher, bullet_solid.object), c, time);
#endif
    }
    for (const Tally &t : tallies) {
        if (t.poses > 0) {
            std::printf("%-20s %9u %7u | %-16s %7.0f%% %7.0f%% %10.1f %7.2f\n", name,
                        solid.geometry.triangle_count, ground.geometry.triangle_count, t.name,
                        100.0 * t.depth_off / t.poses, 100.0 * t.normal_off / t.poses,
                        t.time / t.poses / 1000, t.time / contacts_time);
        }
    }
    std::fflush(stdout);
}

/* A solid sunk into ground that is flat at z = 0. */
std::vector<Case> cases_on_ground(const Solid &solid, int poses, uint64_t &state)
{
    std::vector<Case> cases;
    for (int p = 0; p < poses; p++) {
        Case c = {pose_random(&state, 1), random_between(&state, 0.05, 0.5), {0, 0, 1}};
        double low, high;
        solid_extent(&solid.geometry, &c.pose, c.up, &low, &high);
        c.pose.translation[2] -= low + c.depth;
        cases.push_back(c);
    }
    return cases;
}

/* A solid sunk into another one, as that stands or lies: in the frame of the lower one. The depth is
 * that of the polyhedra along z. */
std::vector<Case> cases_on_solid(const solid_meeting &m, const Solid &upper, const Solid &lower,
                                 int poses, uint64_t &state)
{
    std::vector<Case> cases;
    const double lying[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
    for (int p = 0; p < poses; p++) {
        kiln_pose above = kiln_pose_identity(), below = above;
        if (m.lying) {
            std::copy(lying, lying + 9, above.rotation);
        }
        if (m.lower_lying) {
            std::copy(lying, lying + 9, below.rotation);
        }
        above.translation[0] = m.side * random_between(&state, -1, 1);
        above.translation[1] = m.side * random_between(&state, -1, 1);
        above.translation[2] = m.height - random_between(&state, 0.1, 0.3);
        const double z[3] = {0, 0, 1};
        double low, high, other;
        solid_extent(&upper.geometry, &above, z, &low, &other);
        solid_extent(&lower.geometry, &below, z, &other, &high);
        Case c = {kiln_pose_identity(), high - low, {0, 0, 0}};
        for (int i = 0; i < 3; i++) {
            c.up[i] = below.rotation[6 + i];
            for (int k = 0; k < 3; k++) {
                c.pose.translation[i] += below.rotation[3 * k + i] * above.translation[k];
                c.pose.rotation[3 * i + k] = 0;
                for (int j = 0; j < 3; j++) {
                    c.pose.rotation[3 * i + k] +=
                        below.rotation[3 * j + i] * above.rotation[3 * j + k];
                }
            }
        }
        cases.push_back(c);
    }
    return cases;
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    const uint32_t sizes[] = {12, 1000, 5000, 20000, 100000};
    const char *const names[] = {"cube", "wedge", "sphere", "cylinder", "torus"};
    const int poses = options.quick ? 4 : 40, rounds = options.quick ? 7 : 5;
    const size_t size = kiln_regions_size(TRIANGLES, PAIRS);
    std::vector<char> memory(size);
    kiln_regions *regions = nullptr;
    if (kiln_regions_place(memory.data(), size, TRIANGLES, PAIRS, &regions) != KILN_OK) {
        return 1;
    }
    std::vector<kiln_pair> pairs(PAIRS);
    uint64_t state = 20;
    std::printf("%-20s %9s %7s | %-16s %8s %8s %10s %7s\n", "solid", "triangles", "other", "method",
                "depth", "normal", "us", "ratio");
    for (int kind = 0; kind < 5; kind++) {
        for (const uint32_t triangles : sizes) {
            if (options.quick && triangles > 20000) {
                continue;
            }
            for (const uint32_t of_ground : {12u, 4000u}) {
                const bool irregular = of_ground != 12;
                const uint32_t least =
                    kind == SOLID_TORUS || kind == SOLID_SPHERE ? 200 : triangles;
                Solid solid(solid_mesh(static_cast<solid_kind>(kind), std::max(triangles, least),
                                       irregular, &state));
                Solid ground(solid_mesh(SOLID_GROUND, of_ground, irregular, &state));
                run_cell(names[kind], solid, ground, cases_on_ground(solid, poses, state), rounds,
                         regions, pairs);
            }
        }
    }
    for (const solid_meeting &m : solid_meetings) {
        for (const uint32_t triangles : {5000u, 20000u}) {
            const bool irregular = triangles != 5000;
            Solid upper(solid_mesh(m.upper, triangles, irregular, &state));
            Solid lower(solid_mesh(m.lower, triangles, irregular, &state));
            const std::string name = std::string(names[m.upper]) + " on " + names[m.lower];
            run_cell(name.c_str(), upper, lower, cases_on_solid(m, upper, lower, poses, state),
                     rounds, regions, pairs);
        }
    }
    return 0;
}
