/* Do probabilities mean what they say, and where do errors happen? On meshes that no weight was
 * fitted on.
 *
 * ECE: samples are sorted by what was said and cut into 15 bins of equal mass; it is the mean
 * distance of what was said and what was true in a bin. Beside it stands the 95 % bound of a
 * bootstrap over samples, which lies above it, as resampling adds noise of its own. */
#include "adb_plot.hpp"
#include "adb_setup.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace
{

enum { BINS = 15, RESAMPLINGS = 400, CAPACITY = 4096 };

struct Sample {
    double said;
    bool truth;
    uint32_t tie; /* equal ones are in random order: meshes come one after another */
};

class Samples
{
  public:
    explicit Samples(const char *name) : name(name)
    {
    }

    void add(double said, bool truth)
    {
        all.push_back({said, truth, draw.below(UINT32_MAX)});
    }

    /* `fraction` of the answers are wrong, if one says yes from 1/2 on. */
    double error() const
    {
        double wrong = 0;
        for (const Sample &s : all) {
            wrong += (s.said > 0.5) != s.truth;
        }
        return wrong / double(all.size());
    }

    double brier() const
    {
        double sum = 0;
        for (const Sample &s : all) {
            sum += (s.said - double(s.truth)) * (s.said - double(s.truth));
        }
        return sum / double(all.size());
    }

    /* Of a pair that is one of each, how likely the true one is said to be likelier; ties half. */
    double auc() const
    {
        double below = 0, sum = 0, trues = 0;
        for (size_t i = 0; i < all.size();) {
            size_t end = i;
            double t = 0;
            for (; end < all.size() && all[end].said == all[i].said; end++) {
                t += all[end].truth;
            }
            const double f = double(end - i) - t;
            sum += t * (below + f / 2);
            below += f;
            trues += t;
            i = end;
        }
        return sum / (trues * below);
    }

    void sort()
    {
        std::sort(all.begin(), all.end(), [](const Sample &a, const Sample &b) {
            return a.said != b.said ? a.said < b.said : a.tie < b.tie;
        });
    }

    double ece() const
    {
        return ece_of(std::vector<uint32_t>(all.size(), 1));
    }

    /* 95 % of resamplings are at most this. */
    double ece_bound()
    {
        std::vector<double> found;
        for (int round = 0; round < RESAMPLINGS; round++) {
            std::vector<uint32_t> weights(all.size(), 0);
            for (size_t i = 0; i < all.size(); i++) {
                weights[draw.below(uint32_t(all.size()))]++;
            }
            found.push_back(ece_of(weights));
        }
        std::sort(found.begin(), found.end());
        return found[RESAMPLINGS * 95 / 100];
    }

    const std::string name;
    std::vector<Sample> all;

  private:
    double ece_of(const std::vector<uint32_t> &weights) const
    {
        double sum = 0, said = 0, truth = 0, taken = 0, before = 0;
        int bin = 1;
        for (size_t i = 0; i < all.size(); i++) {
            said += weights[i] * all[i].said;
            truth += weights[i] * double(all[i].truth);
            taken += weights[i];
            if (before + taken >= double(all.size()) * bin / BINS) {
                sum += std::fabs(said - truth);
                before += taken;
                said = truth = taken = 0;
                bin++;
            }
        }
        return (sum + std::fabs(said - truth)) / double(all.size());
    }

    Draw draw{1};
};

/* Every 8th pair that is weighed, with what was said, kept until the query has ended. */
struct Watched {
    Draw draw{2};
    std::vector<kiln_adb_observation> kept;
};

void watch(void *user, const kiln_adb *query, const kiln_adb_observation *seen)
{
    Watched *watched = static_cast<Watched *>(user);
    (void)query;
    if (watched->draw.below(8) == 0) {
        watched->kept.push_back(*seen);
    }
}

void demand(kiln_status status)
{
    if (status != KILN_OK) {
        std::fprintf(stderr, "bench_adb: %s\n", kiln_status_text(status));
        std::exit(2);
    }
}

/* A query with room for CAPACITY pairs. */
class Query
{
  public:
    Query() : memory(kiln_adb_size(CAPACITY) / sizeof(uint64_t) + 1)
    {
        demand(kiln_adb_place(memory.data(), memory.size() * sizeof(uint64_t), &query));
    }

    void begin(const kiln_tree *tree, const kiln_pose &pose, const kiln_adb_options &options)
    {
        demand(kiln_adb_begin(query, tree, nullptr, tree, &pose, &options));
    }

    kiln_adb_answer run(uint64_t pairs)
    {
        kiln_adb_answer answer;
        demand(kiln_adb_run(query, pairs, UINT64_MAX));
        demand(kiln_adb_get_answer(query, &answer));
        return answer;
    }

    bool meet(const kiln_adb_observation &seen)
    {
        bool meet = false;
        demand(kiln_adb_observed_meet(query, &seen, &meet));
        return meet;
    }

  private:
    std::vector<uint64_t> memory;
    kiln_adb *query = nullptr;
};

/* Goes on until nothing is left or the budget ends: what a caller with a deadline sees. */
kiln_adb_options to_the_end()
{
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.p_min = 1;
    options.epsilon = 0;
    return options;
}

/* The options whose pairs weights are fitted to. */
kiln_adb_options as_fitted()
{
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.p_min = 0.97;
    options.epsilon = 0.02;
    return options;
}

struct Collected {
    std::vector<Samples> answers; /* after 16, 32 and 64 pairs */
    Samples by_default{"answers, default"};
    Samples pairs{"pairs, default"}, pairs_fitted{"pairs, as fitted"},
        pairs_to_the_end{"pairs, first 64"};
};

const uint64_t budgets[] = {16, 32, 64};

void collect_pairs(Query &query, const kiln_tree *tree, const kiln_pose &pose,
                   kiln_adb_options options, uint64_t budget, Watched &watched, Samples &samples)
{
    options.observer = watch;
    options.observer_user = &watched;
    watched.kept.clear();
    query.begin(tree, pose, options);
    query.run(budget);
    for (const kiln_adb_observation &seen : watched.kept) {
        samples.add(seen.probability, query.meet(seen));
    }
}

void collect(const AdbMesh &m, unsigned draws, Collected &out)
{
    const Baked baked(m.geometry, default_bake);
    const kiln_tree *tree = baked.tree();
    const Asked asked = adb_poses(m, tree, ZACHMANN_SEED_TEST, draws);
    Query query;
    Watched watched;
    for (size_t i = 0; i < asked.poses.size(); i++) {
        const kiln_pose &pose = asked.poses[i].pose;
        const bool truth = asked.truth[i] != 0;
        query.begin(tree, pose, to_the_end());
        uint64_t spent = 0;
        for (size_t b = 0; b < out.answers.size(); b++) {
            out.answers[b].add(query.run(budgets[b] - spent).probability, truth);
            spent = budgets[b];
        }
        query.begin(tree, pose, kiln_adb_options_of(KILN_ADB_DEFAULT));
        out.by_default.add(query.run(UINT64_MAX).probability, truth);
        collect_pairs(query, tree, pose, kiln_adb_options_of(KILN_ADB_DEFAULT), UINT64_MAX, watched,
                      out.pairs);
        if (i % 4 == 0) { /* these have many */
            collect_pairs(query, tree, pose, as_fitted(), 64, watched, out.pairs_fitted);
            collect_pairs(query, tree, pose, to_the_end(), 64, watched, out.pairs_to_the_end);
        }
    }
}

void print_samples(Samples &samples, json_t *list)
{
    samples.sort();
    const double ece = samples.ece(), bound = samples.ece_bound();
    std::printf("%-20s %8zu %8.2f %8.4f %8.3f %8.4f %8.4f\n", samples.name.c_str(),
                samples.all.size(), 100 * samples.error(), samples.brier(), samples.auc(), ece,
                bound);
    json_array_append_new(list,
                          json_pack("{s:s, s:I, s:f, s:f, s:f, s:f, s:f}", "what",
                                    samples.name.c_str(), "samples", json_int_t(samples.all.size()),
                                    "error", samples.error(), "brier", samples.brier(), "auc",
                                    samples.auc(), "ece", ece, "ece_bound", bound));
}

/* A reliability diagram's curve: bins of equal width, with 95 % of what chance does to each. */
Curve curve_of(const Samples &samples)
{
    enum { WIDE = 20, LEAST = 30 };
    Curve curve = {samples.name, {}};
    for (int bin = 0; bin < WIDE; bin++) {
        double said = 0, truth = 0, count = 0;
        for (const Sample &s : samples.all) {
            if (std::min(int(s.said * WIDE), WIDE - 1) == bin) {
                said += s.said;
                truth += s.truth;
                count++;
            }
        }
        if (count >= LEAST) {
            const double p = truth / count;
            const double variance = std::max(p * (1 - p), 1 / count) / count;
            curve.points.push_back({said / count, p, 1.96 * std::sqrt(variance)});
        }
    }
    return curve;
}

/* ----------------------------------------------------------------------------- errors by gap -- */

/* In sizes of the object. */
const double gaps[] = {-0.1, -0.05, -0.025, -0.01, -0.005, 0.005, 0.01, 0.025, 0.05, 0.1};
enum { GAPS = sizeof gaps / sizeof gaps[0] };

/* A pose at the outermost contact along a random direction, and that direction. */
struct Contact {
    kiln_pose pose;
    double direction[3], distance;
};

kiln_pose moved(const Contact &contact, double gap)
{
    kiln_pose pose = contact.pose;
    for (int k = 0; k < 3; k++) {
        pose.translation[k] = (contact.distance + gap) * contact.direction[k];
    }
    return pose;
}

bool find_contact(const kiln_tree *tree, uint64_t *state, Contact *out)
{
    const kiln_pose aim = pose_random(state, 0);
    out->pose = pose_random(state, 0);
    for (int k = 0; k < 3; k++) {
        out->direction[k] = aim.rotation[3 * k];
    }
    out->distance = 0;
    double outer = 3.5, inner = outer;
    while (inner > 0 && !exact_answer(tree, moved(*out, inner))) {
        outer = inner;
        inner -= 0.04;
    }
    for (int i = 0; inner > 0 && i < 30; i++) {
        const double middle = (outer + inner) / 2;
        (exact_answer(tree, moved(*out, middle)) ? inner : outer) = middle;
    }
    out->distance = outer;
    return inner > 0;
}

struct GapCell {
    size_t wrong = 0, asked = 0;
};

void errors_of_mesh(const AdbMesh &m, unsigned contacts, const std::vector<Point> &points,
                    std::vector<std::vector<GapCell>> &cells)
{
    const Baked baked(m.geometry, default_bake);
    uint64_t state = ZACHMANN_SEED_TEST;
    for (unsigned found = 0, tries = 0; found < contacts && tries < 10 * contacts; tries++) {
        Contact contact;
        if (!find_contact(baked.tree(), &state, &contact)) {
            continue;
        }
        found++;
        for (size_t g = 0; g < GAPS; g++) {
            const kiln_pose pose = moved(contact, 2 * gaps[g]);
            const bool truth = exact_answer(baked.tree(), pose);
            for (size_t p = 0; p < points.size(); p++) {
                kiln_adb_answer answer;
                cells[p][g].wrong += adb_answer(baked.tree(), pose, points[p], &answer) != truth;
                cells[p][g].asked++;
            }
        }
    }
}

} // namespace

void calibrate(const AdbOptions &options, json_t *report)
{
    Collected all;
    for (const uint64_t budget : budgets) {
        all.answers.emplace_back(("answers, " + std::to_string(budget) + " pairs").c_str());
    }
    std::vector<AdbMesh> meshes = adb_meshes(MeshSet::Test, options.meshes);
    for (const AdbMesh &m : meshes) {
        collect(m, options.draws, all);
    }
    adb_free(meshes);
    std::printf("\n%-20s %8s %8s %8s %8s %8s %8s\n", "calibration", "samples", "error %", "Brier",
                "AUC", "ECE", "ECE 95 %");
    json_t *list = json_array();
    Plot plot = {"Is what is said true? (test meshes)",
                 "probability said",
                 "part that meet",
                 true,
                 false,
                 {}};
    for (Samples *samples : {&all.pairs, &all.pairs_fitted, &all.pairs_to_the_end, &all.answers[0],
                             &all.answers[1], &all.answers[2], &all.by_default}) {
        print_samples(*samples, list);
        plot.curves.push_back(curve_of(*samples));
    }
    json_object_set_new(report, "calibration", list);
    if (!options.svg.empty()) {
        draw_plot(options.svg, plot);
    }
    std::fflush(stdout);
}

void errors_by_gap(const AdbOptions &options, json_t *report)
{
    const std::vector<Point> points = operating_points();
    std::vector<std::vector<GapCell>> cells(points.size(), std::vector<GapCell>(GAPS));
    std::vector<AdbMesh> meshes = adb_meshes(MeshSet::Test, options.meshes);
    for (const AdbMesh &m : meshes) {
        errors_of_mesh(m, options.quick ? 20 : 200, points, cells);
    }
    adb_free(meshes);
    std::printf("\nerror %% by gap to the outermost contact, %% of the size (- inside)\n%-22s", "");
    for (const double gap : gaps) {
        std::printf(" %6.1f", 100 * gap);
    }
    std::printf("\n");
    json_t *list = json_array();
    for (size_t p = 0; p < points.size(); p++) {
        std::printf("%-22s", points[p].name.c_str());
        for (size_t g = 0; g < GAPS; g++) {
            const double error = double(cells[p][g].wrong) / double(cells[p][g].asked);
            std::printf(" %6.2f", 100 * error);
            json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:I}", "method",
                                                  points[p].name.c_str(), "gap", gaps[g], "error",
                                                  error, "poses", json_int_t(cells[p][g].asked)));
        }
        std::printf("\n");
    }
    json_object_set_new(report, "gaps", list);
    std::fflush(stdout);
}
