/* What an interrupted query is worth: of poses at which meshes do not meet, how many are still
 * unresolved after so many steps or levels, which is the safe answer's error; how many steps it
 * takes to the first pair of triangles where they meet; and what a step and a whole query take,
 * beside kiln_collide, which keeps nothing. Each order, on zach and graze poses (poses.hpp). */
#include "kiln_model.hpp"
#include "measure.hpp"
#include "poses.hpp"

#include <algorithm>
#include <cstdlib>

namespace
{

enum { ORDERS = 3, BUDGETS = 8, LEVELS = 8, ROUNDS = 5, WAITING = 4096 };
const char *const order_names[ORDERS] = {"breadth", "depth", "best"};

/* Of one order, over all poses of all meshes. */
struct Sums {
    size_t apart = 0, meet = 0;
    size_t by_steps[BUDGETS] = {}; /* unresolved of those apart, after 2^i steps */
    size_t by_level[LEVELS] = {};  /* and down to level i */
    double steps_to_level[LEVELS] = {};
    double depth[LEVELS] = {}; /* of the first contact, in sizes, where they are unresolved */
    double steps_apart = 0, steps_meet = 0;
    size_t most_waiting = 0;
    std::vector<double> ratio_apart, ratio_meet; /* time to that of kiln_collide */
};

class Query
{
  public:
    Query(const kiln_tree *tree, int order)
        : tree(tree), memory(kiln_interruptible_size(tree, tree, WAITING))
    {
        if (kiln_interruptible_place(memory.data(), memory.size(), &query) != KILN_OK) {
            std::abort();
        }
        options.order = kiln_order(order);
    }

    void begin(const kiln_pose &pose)
    {
        if (kiln_interruptible_begin(query, tree, nullptr, tree, &pose, &options) != KILN_OK) {
            std::abort();
        }
    }

    kiln_interruptible_answer run(uint32_t level, uint64_t steps)
    {
        kiln_interruptible_answer answer;
        if (kiln_interruptible_run(query, level, steps, UINT64_MAX) != KILN_OK ||
            kiln_interruptible_get_answer(query, &answer) != KILN_OK) {
            std::abort();
        }
        return answer;
    }

    double first_depth() const
    {
        kiln_volume_contact contact;
        size_t count;
        if (kiln_interruptible_get_contacts(query, &contact, 1, &count) != KILN_OK) {
            std::abort();
        }
        return count > 0 ? contact.depth : 0;
    }

  private:
    const kiln_tree *tree;
    std::vector<char> memory;
    kiln_interruptible_options options = kiln_interruptible_options_default();
    kiln_interruptible *query = nullptr;
};

/* The least time of a few. */
template <typename Work> double least_time(const Work &work)
{
    double least = 1e300;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = now();
        work();
        least = std::min(least, now() - start);
    }
    return std::max(least - clock_cost(), 1.0);
}

void count_pose(Query &query, const Subject &subject, const kiln_pose &pose, bool hit, Sums &sums)
{
    query.begin(pose);
    const kiln_interruptible_answer whole = query.run(UINT32_MAX, UINT64_MAX);
    if (hit) {
        sums.meet++;
        sums.steps_meet += double(whole.steps);
        return;
    }
    sums.apart++;
    sums.steps_apart += double(whole.steps);
    query.begin(pose);
    uint64_t taken = 0;
    for (int i = 0; i < BUDGETS; i++) {
        const kiln_interruptible_answer answer = query.run(UINT32_MAX, (uint64_t(1) << i) - taken);
        taken = uint64_t(1) << i;
        sums.by_steps[i] += answer.verdict == KILN_INTERRUPTIBLE_UNRESOLVED;
        sums.most_waiting = std::max(sums.most_waiting, size_t(answer.waiting));
    }
    query.begin(pose);
    for (int i = 0; i < LEVELS; i++) {
        const kiln_interruptible_answer answer = query.run(uint32_t(i), UINT64_MAX);
        sums.by_level[i] += answer.verdict == KILN_INTERRUPTIBLE_UNRESOLVED;
        sums.steps_to_level[i] += double(answer.steps);
        sums.depth[i] += query.first_depth() / subject.size;
        sums.most_waiting = std::max(sums.most_waiting, size_t(answer.waiting));
    }
}

void measure(const Subject &subject, const kiln_tree *tree, Sums sums[ORDERS])
{
    const std::vector<Pose> poses = make_poses(subject, tree);
    for (const Pose &pose : poses) {
        const bool hit = run_query(tree, tree, pose.pose);
        const double plain = least_time([&] { run_query(tree, tree, pose.pose); });
        for (int order = 0; order < ORDERS; order++) {
            Query query(tree, order);
            count_pose(query, subject, pose.pose, hit, sums[order]);
            const double time = least_time([&] {
                query.begin(pose.pose);
                query.run(UINT32_MAX, UINT64_MAX);
            });
            (hit ? sums[order].ratio_meet : sums[order].ratio_apart).push_back(time / plain);
        }
    }
}

void print(const char *kind, const Sums sums[ORDERS], std::FILE *csv)
{
    for (int order = 0; order < ORDERS; order++) {
        const Sums &s = sums[order];
        const double apart = double(std::max(s.apart, size_t(1)));
        const double meet = double(std::max(s.meet, size_t(1)));
        std::printf("\n%s, %s first: %zu poses apart, %zu that meet; whole queries take %.1f and "
                    "%.1f steps,\n  %.2f and %.2f times kiln_collide; at most %zu pairs wait\n",
                    kind, order_names[order], s.apart, s.meet, s.steps_apart / apart,
                    s.steps_meet / meet, geometric_mean(s.ratio_apart),
                    geometric_mean(s.ratio_meet), s.most_waiting);
        std::printf("  unresolved after steps:");
        for (int i = 0; i < BUDGETS; i++) {
            std::printf(" %d: %.1f %%", 1 << i, 100 * double(s.by_steps[i]) / apart);
        }
        std::printf("\n  unresolved at level (steps, depth of the first contact in sizes):");
        for (int i = 0; i < LEVELS; i++) {
            const double left = double(std::max(s.by_level[i], size_t(1)));
            std::printf(" %d: %.1f %% (%.1f, %.3f)", i, 100 * double(s.by_level[i]) / apart,
                        s.steps_to_level[i] / apart, s.depth[i] / left);
            if (csv != nullptr) {
                std::fprintf(csv, "%s,%s,%d,%.5f,%.3f,%.5f\n", kind, order_names[order], i,
                             double(s.by_level[i]) / apart, s.steps_to_level[i] / apart,
                             s.depth[i] / left);
            }
        }
        std::printf("\n");
    }
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fprintf(csv, "kind,order,level,unresolved,steps,depth\n");
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    Sums obb[ORDERS], aabb[ORDERS];
    for (const Subject &subject : subjects) {
        const KilnModel model(subject.geometry);
        measure(subject, model.obb, obb);
        measure(subject, model.aabb, aabb);
    }
    print("obb", obb, csv);
    print("aabb", aabb, csv);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}
