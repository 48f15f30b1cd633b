/* What a batch costs beside the bare loop over single calls, and what it gains by beginning with
 * the answer of the configuration before.
 *
 * The arm: seven links in a chain, 21 pairs of which neighbours touch at their joints and are left
 * out, in configurations along a smooth random motion. The pair: two copies of a mesh at the same
 * number of random poses around contact. Each call is timed against the loop it replaces,
 * alternately in one run, and the least of the repetitions counts, which are short, so that some
 * are undisturbed on a busy machine. Answers are compared. */
#include "kiln_model.hpp"
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

namespace
{

enum { LINKS = 7 };

void require(bool good)
{
    if (!good) {
        std::fprintf(stderr, "bench_batch: an answer differs from that of the loop\n");
        std::abort();
    }
}

struct Scene {
    std::vector<std::unique_ptr<KilnModel>> models;
    std::vector<kiln_placed> placed;
    std::vector<kiln_pose> poses; /* [configuration][placed] */
    std::vector<kiln_placed_pair> pairs;
    size_t count;

    kiln_batch batch() const
    {
        return {placed.data(), static_cast<uint32_t>(placed.size()), pairs.data(), pairs.size(),
                count};
    }
    const kiln_pose *pose(size_t i, uint32_t k) const
    {
        return placed[k].poses + i * placed[k].stride;
    }
};

void finish(Scene &scene)
{
    const size_t links = scene.models.size();
    for (size_t k = 0; k < links; k++) {
        scene.placed.push_back({scene.models[k]->obb, scene.poses.data() + k, links});
    }
}

/* Links are tori of length 1 along z, turned about their own middle and then hung on the one
 * before. */
Scene make_arm(size_t count)
{
    Scene scene;
    scene.count = count;
    uint64_t random = 7;
    double angle[LINKS], speed[LINKS];
    for (int k = 0; k < LINKS; k++) {
        mesh link = mesh_torus(40, 25, 0.05);
        scene.models.emplace_back(new KilnModel(link));
        mesh_free(&link);
        angle[k] = random_between(&random, -1, 1);
        speed[k] = random_between(&random, 0.002, 0.01);
    }
    scene.poses.resize(count * LINKS);
    for (size_t i = 0; i < count; i++) {
        kiln_pose pose = kiln_pose_identity();
        for (int k = 0; k < LINKS; k++) {
            const double axis[3] = {k % 2 == 0 ? 1.0 : 0.0, k % 2 == 0 ? 0.0 : 1.0, 0};
            pose_turn(&pose, axis, std::sin(angle[k] + speed[k] * static_cast<double>(i)) / 2);
            scene.poses[i * LINKS + static_cast<size_t>(k)] = pose;
            for (int c = 0; c < 3; c++) {
                pose.translation[c] += 2.2 * pose.rotation[3 * c + 2];
            }
        }
    }
    kiln_placed_pair neighbours[LINKS - 1];
    for (uint32_t k = 0; k + 1 < LINKS; k++) {
        neighbours[k] = {k, k + 1};
    }
    size_t pairs;
    scene.pairs.resize(LINKS * (LINKS - 1) / 2);
    require(kiln_batch_pairs(LINKS, neighbours, LINKS - 1, scene.pairs.data(), &pairs) == KILN_OK);
    scene.pairs.resize(pairs);
    finish(scene);
    return scene;
}

Scene make_pair(size_t count)
{
    Scene scene;
    scene.count = count;
    uint64_t random = 8;
    for (int k = 0; k < 2; k++) {
        mesh torus = mesh_torus(60, 40, 0.05);
        scene.models.emplace_back(new KilnModel(torus));
        mesh_free(&torus);
    }
    for (size_t i = 0; i < count; i++) {
        kiln_pose pose = pose_random(&random, 1);
        double direction[3];
        random_direction(&random, direction);
        for (int c = 0; c < 3; c++) {
            pose.translation[c] = direction[c] * random_between(&random, 1.5, 3);
        }
        scene.poses.push_back(kiln_pose_identity());
        scene.poses.push_back(pose);
    }
    scene.pairs = {{0, 1}};
    finish(scene);
    return scene;
}

/* Least nanoseconds a query of both, alternately. */
void time_both(const char *scene, const char *what, size_t queries, int rounds,
               const std::function<void()> &loop, const std::function<void()> &batch,
               std::FILE *csv)
{
    double of_loop = HUGE_VAL, of_batch = HUGE_VAL;
    for (int round = 0; round < rounds; round++) {
        double start = now();
        loop();
        of_loop = std::min(of_loop, now() - start);
        start = now();
        batch();
        of_batch = std::min(of_batch, now() - start);
    }
    const double n = static_cast<double>(queries);
    std::printf("%-6s %-22s %10.1f %10.1f %8.3f\n", scene, what, of_loop / n, of_batch / n,
                of_batch / of_loop);
    if (csv != nullptr) {
        std::fprintf(csv, "%s,%s,%.1f,%.1f,%.4f\n", scene, what, of_loop / n, of_batch / n,
                     of_batch / of_loop);
    }
}

void measure(const char *name, const Scene &scene, const Options &options, std::FILE *csv)
{
    const int rounds = options.quick ? 20 : 200;
    kiln_batch batch = scene.batch();
    const size_t pairs = scene.pairs.size(), queries = scene.count * pairs;
    std::vector<kiln_hit> hits(queries), batch_hits(queries);
    std::vector<kiln_nearest> nearest(queries), batch_nearest(queries);
    std::vector<kiln_batch_hit> first(scene.count);
    std::vector<kiln_batch_nearest> least(scene.count);
    const auto each = [&](const std::function<void(size_t, size_t, kiln_placed_pair)> &ask) {
        for (size_t i = 0; i < batch.count; i++) {
            for (size_t k = 0; k < pairs; k++) {
                ask(i, k, scene.pairs[k]);
            }
        }
    };
    const auto tree = [&](uint32_t k) { return scene.placed[k].tree; };
    time_both(
        name, "collide", queries, rounds,
        [&] {
            each([&](size_t i, size_t k, kiln_placed_pair p) {
                kiln_collide(tree(p.a), scene.pose(i, p.a), tree(p.b), scene.pose(i, p.b), nullptr,
                             &hits[i * pairs + k]);
            });
        },
        [&] { require(kiln_batch_collide(&batch, nullptr, batch_hits.data()) == KILN_OK); }, csv);
    size_t meet = 0;
    for (size_t at = 0; at < queries; at++) {
        require(hits[at].found == batch_hits[at].found && hits[at].pair.a == batch_hits[at].pair.a);
        meet += hits[at].found;
    }
    time_both(
        name, "within .05", queries, rounds,
        [&] {
            each([&](size_t i, size_t k, kiln_placed_pair p) {
                kiln_within(tree(p.a), scene.pose(i, p.a), tree(p.b), scene.pose(i, p.b), 0.05,
                            nullptr, &hits[i * pairs + k]);
            });
        },
        [&] { require(kiln_batch_within(&batch, 0.05, nullptr, batch_hits.data()) == KILN_OK); },
        csv);
    for (size_t at = 0; at < queries; at++) {
        require(hits[at].found == batch_hits[at].found);
    }
    time_both(
        name, "first that meets", queries, rounds,
        [&] {
            for (size_t i = 0; i < batch.count; i++) {
                hits[0].found = false;
                for (size_t k = 0; k < pairs && !hits[0].found; k++) {
                    const kiln_placed_pair p = scene.pairs[k];
                    kiln_collide(tree(p.a), scene.pose(i, p.a), tree(p.b), scene.pose(i, p.b),
                                 nullptr, &hits[0]);
                }
            }
        },
        [&] { require(kiln_batch_collide_first(&batch, nullptr, first.data()) == KILN_OK); }, csv);
    batch.count = scene.count / 10; /* as distances take long */
    const size_t fewer = batch.count * pairs;
    time_both(
        name, "distance", fewer, rounds / 10,
        [&] {
            each([&](size_t i, size_t k, kiln_placed_pair p) {
                kiln_distance(tree(p.a), scene.pose(i, p.a), tree(p.b), scene.pose(i, p.b), nullptr,
                              &nearest[i * pairs + k]);
            });
        },
        [&] { require(kiln_batch_distance(&batch, nullptr, batch_nearest.data()) == KILN_OK); },
        csv);
    for (size_t at = 0; at < fewer; at++) {
        require(nearest[at].distance == batch_nearest[at].distance &&
                nearest[at].pair.b == batch_nearest[at].pair.b);
    }
    time_both(
        name, "least distance", fewer, rounds / 10,
        [&] {
            for (size_t i = 0; i < batch.count; i++) {
                kiln_pair_options options = kiln_pair_options_default();
                for (size_t k = 0; k < pairs; k++) {
                    const kiln_placed_pair p = scene.pairs[k];
                    kiln_distance(tree(p.a), scene.pose(i, p.a), tree(p.b), scene.pose(i, p.b),
                                  &options, &nearest[0]);
                    options.beyond = nearest[0].distance;
                }
            }
        },
        [&] { require(kiln_batch_minimum(&batch, nullptr, least.data()) == KILN_OK); }, csv);
    std::printf("%-6s %zu configurations of %zu pairs, %.0f %% meet\n", name, scene.count, pairs,
                100.0 * static_cast<double>(meet) / static_cast<double>(queries));
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, "bench_batch");
    if (csv != nullptr) {
        std::fprintf(csv, "scene,query,loop_ns,batch_ns,ratio\n");
    }
    print_origin(stdout, "# ", "bench_batch");
    std::printf("%-6s %-22s %10s %10s %8s\n", "scene", "query", "loop ns", "batch ns", "ratio");
    const size_t configurations = 200;
    measure("arm", make_arm(configurations), options, csv);
    measure("pair", make_pair(configurations), options, csv);
    close_csv(csv, options.csv);
    return 0;
}
