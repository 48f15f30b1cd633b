/* Distances, tolerance queries and all contacts between two copies of a mesh, against FCL in the
 * same run.
 *
 * Poses of distances. The second copy comes in along a random direction, the outermost contact is
 * bisected, and the poses lie 0.1 %, 1 %, 10 % and 100 % of the size out of it, and 1 % in. Near
 * contact a few pairs decide; the further out, the more of the surface is nearly as near. Poses of
 * contacts. The middles at 6 distances from 0 to 1 sizes, random rotations and directions.
 *
 * FCL: fcl::distance between RSS trees (its quickest for distances), with nearest points;
 * fcl::collide between OBB trees for as many contacts as there are, once pairs alone and once with
 * points, normals and depths. FCL has no tolerance query: a caller has to compute the distance.
 *
 * Timing as in bench_fcl. Distances are compared with FCL's within 1e-9 of the size (exit status 1
 * when one differs), contacts pair by pair: FCL decides in doubles, and pairs that only one side
 * has are counted. */
#include "fcl_model.hpp"
#include "kiln_model.hpp"
#include "measure.hpp"

#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>

namespace
{

enum { WARM_UP = 50 };

/* ---------------------------------------------------------------------------------- models -- */

void require(kiln_status status)
{
    if (status != KILN_OK) {
        std::abort();
    }
}

bool query_hit(const kiln_tree *tree, const kiln_pose &pose)
{
    kiln_hit hit;
    require(kiln_collide(tree, nullptr, tree, &pose, nullptr, &hit));
    return hit.found;
}

kiln_nearest query_distance(const kiln_tree *tree, const kiln_pose &pose,
                            const kiln_pair_options *options)
{
    kiln_nearest nearest;
    require(kiln_distance(tree, nullptr, tree, &pose, options, &nearest));
    return nearest;
}

bool query_within(const kiln_tree *tree, const kiln_pose &pose, double distance)
{
    kiln_hit hit;
    require(kiln_within(tree, nullptr, tree, &pose, distance, nullptr, &hit));
    return hit.found;
}

/* ------------------------------------------------------------------------------- distances -- */

enum { GAPS = 5 };
const double gaps[GAPS] = {0.001, 0.01, 0.1, 1, -0.01};
const char *const gap_names[GAPS] = {"0.1 % out", "1 % out", "10 % out", "100 % out", "1 % in"};

enum {
    FCL_RSS,
    KILN_DISTANCE,
    KILN_DISTANCE_AABB,
    KILN_LOOSE,
    KILN_HINT,
    KILN_WITHIN_MISS,
    KILN_WITHIN_HIT,
    METHODS
};
const char *const method_names[METHODS] = {"fcl-rss", "kiln-obb",  "kiln-aabb", "1 % off",
                                           "hint",    "within no", "within yes"};

struct Pose {
    kiln_pose pose;
    int gap;
};

std::vector<Pose> make_poses(const Subject &subject, const kiln_tree *tree, int draws)
{
    uint64_t state = 40;
    std::vector<Pose> poses;
    for (int found = 0, tries = 0; found < draws && tries < 20 * draws; tries++) {
        const kiln_pose rotated = pose_random(&state, 0), aimed = pose_random(&state, 0);
        const double direction[3] = {aimed.rotation[0], aimed.rotation[3], aimed.rotation[6]};
        double outer = 1.8, inner = outer;
        while (inner > 0 && !query_hit(tree, place(subject, rotated.rotation, direction, inner))) {
            outer = inner;
            inner -= 0.02;
        }
        if (inner <= 0) {
            continue;
        }
        for (int i = 0; i < 30; i++) {
            const double middle = (outer + inner) / 2;
            (query_hit(tree, place(subject, rotated.rotation, direction, middle)) ? inner : outer) =
                middle;
        }
        for (int gap = 0; gap < GAPS; gap++) {
            poses.push_back({place(subject, rotated.rotation, direction, outer + gaps[gap]), gap});
        }
        found++;
    }
    return poses;
}

struct Cell {
    size_t poses = 0;
    double mean[METHODS] = {}, median[METHODS] = {};
};

struct Distances {
    Cell cells[GAPS];
    size_t mismatches = 0;
};

Distances measure_distances(const Subject &subject, const Options &options, double overhead,
                            uint64_t *hash)
{
    const KilnModel kiln(subject.geometry);
    FclModel<fcl::RSSd> fcl_rss(subject.geometry);
    const std::vector<Pose> poses = make_poses(subject, kiln.obb, options.quick ? 20 : 50);
    kiln_pair_options loose = kiln_pair_options_default();
    loose.relative = 0.01;
    std::vector<double> truth(poses.size()), limits(poses.size());
    std::vector<kiln_hint> hints(poses.size());
    for (size_t i = 0; i < poses.size(); i++) { /* the hint of a pose a little off */
        kiln_pose near = poses[i].pose;
        for (double &coordinate : near.translation) {
            coordinate += 1e-3 * subject.size;
        }
        truth[i] = query_distance(kiln.obb, poses[i].pose, nullptr).distance;
        hints[i] = query_distance(kiln.obb, near, nullptr).hint;
    }
    const std::function<double(size_t)> methods[METHODS] = {
        [&](size_t i) { return fcl_rss.distance(poses[i].pose); },
        [&](size_t i) { return query_distance(kiln.obb, poses[i].pose, nullptr).distance; },
        [&](size_t i) { return query_distance(kiln.aabb, poses[i].pose, nullptr).distance; },
        [&](size_t i) { return query_distance(kiln.obb, poses[i].pose, &loose).distance; },
        [&](size_t i) {
            kiln_pair_options with = kiln_pair_options_default();
            with.hint = hints[i];
            return query_distance(kiln.obb, poses[i].pose, &with).distance;
        },
        [&](size_t i) {
            return query_within(kiln.obb, poses[i].pose, 0.75 * truth[i]) == (truth[i] == 0)
                       ? truth[i]
                       : -1;
        },
        [&](size_t i) {
            return query_within(kiln.obb, poses[i].pose, 1.5 * truth[i]) ? truth[i] : -1;
        },
    };
    std::vector<double> times[METHODS], answers[METHODS];
    for (int m = 0; m < METHODS; m++) {
        times[m].assign(poses.size(), HUGE_VAL);
        answers[m].resize(poses.size());
    }
    for (int round = 0; round < (options.quick ? 3 : 5); round++) {
        for (int m = 0; m < METHODS; m++) {
            for (size_t i = 0; i < std::min<size_t>(WARM_UP, poses.size()); i++) {
                methods[m](i);
            }
            for (size_t i = 0; i < poses.size(); i++) {
                const double start = now();
                const double answer = methods[m](i);
                times[m][i] = std::min(times[m][i], std::max(now() - start - overhead, 1.0));
                answers[m][i] = answer;
            }
        }
    }
    Distances result;
    for (int m = 0; m < METHODS; m++) {
        std::vector<double> of_gap[GAPS];
        for (size_t i = 0; i < poses.size(); i++) {
            const double room = (m == KILN_LOOSE ? 0.01 * truth[i] : 0) + 1e-9 * subject.size;
            const bool same = std::fabs(std::max(answers[m][i], 0.0) - truth[i]) <= room;
            if (!same) {
                std::printf("%s, %s: %.17g, %s says %.17g\n", subject.name.c_str(),
                            gap_names[poses[i].gap], truth[i], method_names[m], answers[m][i]);
            }
            result.mismatches += !same;
            of_gap[poses[i].gap].push_back(times[m][i]);
        }
        for (int g = 0; g < GAPS; g++) {
            result.cells[g].poses = of_gap[g].size();
            if (!of_gap[g].empty()) {
                result.cells[g].mean[m] = mean_of(of_gap[g]);
                result.cells[g].median[m] = median_of(of_gap[g]);
            }
        }
    }
    for (const double answer : answers[KILN_DISTANCE]) { /* FNV-1a */
        uint64_t bits;
        std::memcpy(&bits, &answer, sizeof bits);
        *hash = (*hash ^ bits) * 0x100000001b3u;
    }
    return result;
}

void report_distances(const Subject &subject, const Distances &result, std::FILE *csv)
{
    for (int g = 0; g < GAPS; g++) {
        const Cell &cell = result.cells[g];
        if (cell.poses == 0) {
            continue;
        }
        std::printf("%-8s %7u  %-10s %5zu %10.2f", subject.name.c_str(),
                    subject.geometry.triangle_count, gap_names[g], cell.poses,
                    cell.mean[FCL_RSS] / 1e3);
        for (int m = 0; m < METHODS; m++) {
            if (m != FCL_RSS) {
                std::printf(" %10.2f", cell.mean[FCL_RSS] / cell.mean[m]);
            }
            if (csv != nullptr) {
                std::fprintf(csv, "%s,%u,%s,%zu,%s,%.3f,%.3f,%.3f\n", subject.name.c_str(),
                             subject.geometry.triangle_count, gap_names[g], cell.poses,
                             method_names[m], cell.mean[m] / 1e3, cell.median[m] / 1e3,
                             cell.mean[FCL_RSS] / cell.mean[m]);
            }
        }
        std::printf("\n");
    }
    std::fflush(stdout);
}

void print_distance_means(const std::vector<Distances> &results)
{
    for (int g = 0; g <= GAPS; g++) {
        std::printf("%-43s", g < GAPS ? gap_names[g] : "all");
        for (int m = 1; m < METHODS; m++) {
            std::vector<double> ratios;
            for (const Distances &result : results) {
                for (int k = 0; k < GAPS; k++) {
                    if ((g == GAPS || g == k) && result.cells[k].poses > 0) {
                        ratios.push_back(result.cells[k].mean[FCL_RSS] / result.cells[k].mean[m]);
                    }
                }
            }
            std::printf(" %10.2f", geometric_mean(ratios));
        }
        std::printf("\n");
    }
    double worst = HUGE_VAL;
    for (const Distances &result : results) {
        for (const Cell &cell : result.cells) {
            if (cell.poses > 0) {
                worst = std::min(worst, cell.mean[FCL_RSS] / cell.mean[KILN_DISTANCE]);
            }
        }
    }
    std::printf("worst cell of kiln-obb %.2f\n", worst);
}

/* -------------------------------------------------------------------------------- contacts -- */

enum { FCL_PAIRS, FCL_DETAILED, KILN_PAIRS, KILN_PAIRS_AABB, KILN_GEOMETRY, CONTACT_METHODS };
const char *const contact_names[CONTACT_METHODS] = {"fcl pairs", "fcl points", "kiln pairs",
                                                    "kiln aabb", "kiln points"};

struct Contacts {
    size_t poses = 0, pairs = 0;
    size_t only_fcl = 0, only_kiln = 0;
    double mean[CONTACT_METHODS] = {}; /* ns */
};

std::vector<kiln_pose> make_contact_poses(const Subject &subject, const kiln_tree *tree, int draws)
{
    uint64_t state = 41;
    std::vector<kiln_pose> poses;
    for (int step = 0; step < 6; step++) {
        for (int i = 0; i < draws; i++) {
            const kiln_pose rotated = pose_random(&state, 0), aimed = pose_random(&state, 0);
            const double direction[3] = {aimed.rotation[0], aimed.rotation[3], aimed.rotation[6]};
            const kiln_pose pose = place(subject, rotated.rotation, direction, 0.2 * step);
            if (query_hit(tree, pose)) {
                poses.push_back(pose);
            }
        }
    }
    return poses;
}

using PairSet = std::vector<std::pair<uint32_t, uint32_t>>;

void compare_contacts(fcl::CollisionResultd &of_fcl, const kiln_pair *pairs, size_t count,
                      Contacts &result)
{
    std::vector<fcl::Contactd> contacts;
    of_fcl.getContacts(contacts);
    PairSet one, other, only;
    for (const fcl::Contactd &contact : contacts) {
        one.emplace_back(contact.b1, contact.b2);
    }
    for (size_t i = 0; i < count; i++) {
        other.emplace_back(pairs[i].a, pairs[i].b);
    }
    std::sort(one.begin(), one.end());
    one.erase(std::unique(one.begin(), one.end()), one.end());
    std::set_difference(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(only));
    result.only_fcl += only.size();
    only.clear();
    std::set_difference(other.begin(), other.end(), one.begin(), one.end(),
                        std::back_inserter(only));
    result.only_kiln += only.size();
}

Contacts measure_contacts(const Subject &subject, const Options &options, double overhead)
{
    const KilnModel kiln(subject.geometry);
    FclModel<fcl::OBBd> fcl_obb(subject.geometry);
    const std::vector<kiln_pose> poses =
        make_contact_poses(subject, kiln.obb, options.quick ? 5 : 8);
    const size_t capacity = 1 << 20;
    std::vector<kiln_pair> pairs(capacity);
    std::vector<kiln_contact> geometry(capacity);
    fcl::CollisionResultd of_fcl;
    size_t count = 0;
    const auto all_pairs = [&](const kiln_tree *tree, const kiln_pose &pose) {
        require(kiln_contacts(tree, nullptr, tree, &pose, nullptr, pairs.data(), capacity, &count));
    };
    const std::function<void(const kiln_pose &)> methods[CONTACT_METHODS] = {
        [&](const kiln_pose &pose) { fcl_obb.contacts(pose, false, of_fcl); },
        [&](const kiln_pose &pose) { fcl_obb.contacts(pose, true, of_fcl); },
        [&](const kiln_pose &pose) { all_pairs(kiln.obb, pose); },
        [&](const kiln_pose &pose) { all_pairs(kiln.aabb, pose); },
        [&](const kiln_pose &pose) {
            require(kiln_contacts_geometry(kiln.obb, nullptr, kiln.obb, &pose, nullptr,
                                           geometry.data(), capacity, &count));
        },
    };
    Contacts result;
    result.poses = poses.size();
    for (int m = 0; m < CONTACT_METHODS; m++) {
        std::vector<double> times(poses.size(), HUGE_VAL);
        for (int round = 0; round < 3; round++) {
            for (size_t i = 0; i < poses.size(); i++) {
                const double start = now();
                methods[m](poses[i]);
                times[i] = std::min(times[i], std::max(now() - start - overhead, 1.0));
            }
        }
        result.mean[m] = poses.empty() ? 0 : mean_of(times);
    }
    for (const kiln_pose &pose : poses) {
        fcl_obb.contacts(pose, false, of_fcl);
        all_pairs(kiln.obb, pose);
        result.pairs += count;
        compare_contacts(of_fcl, pairs.data(), count, result);
    }
    return result;
}

void report_contacts(const Subject &subject, const Contacts &result, std::FILE *csv)
{
    std::printf("%-8s %7u %5zu %8zu %12.2f", subject.name.c_str(), subject.geometry.triangle_count,
                result.poses, result.pairs / std::max<size_t>(result.poses, 1),
                result.mean[FCL_PAIRS] / 1e3);
    for (int m = 0; m < CONTACT_METHODS; m++) {
        const double base = result.mean[m == KILN_GEOMETRY ? FCL_DETAILED : FCL_PAIRS];
        if (m != FCL_PAIRS) {
            std::printf(" %12.2f", base / result.mean[m]);
        }
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%u,contacts,%zu,%s,%.3f,,%.3f\n", subject.name.c_str(),
                         subject.geometry.triangle_count, result.poses, contact_names[m],
                         result.mean[m] / 1e3, base / result.mean[m]);
        }
    }
    std::printf("   only fcl %zu, only kiln %zu\n", result.only_fcl, result.only_kiln);
    std::fflush(stdout);
}

void print_contact_means(const std::vector<Contacts> &results)
{
    std::printf("%-43s", "geometric means");
    for (int m = 1; m < CONTACT_METHODS; m++) {
        std::vector<double> ratios;
        for (const Contacts &result : results) {
            if (result.poses > 0) {
                ratios.push_back(result.mean[m == KILN_GEOMETRY ? FCL_DETAILED : FCL_PAIRS] /
                                 result.mean[m]);
            }
        }
        std::printf(" %12.2f", geometric_mean(ratios));
    }
    std::printf("\n");
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fprintf(csv, "mesh,triangles,class,poses,method,mean_us,median_us,times_fcl\n");
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    const double overhead = clock_cost();
    uint64_t hash = 0xcbf29ce484222325u;
    size_t mismatches = 0;

    std::printf("\nus of fcl-rss a distance (mean); of the others how many times as fast\n"
                "%-8s %7s  %-10s %5s",
                "mesh", "faces", "class", "poses");
    for (const char *name : method_names) {
        std::printf(" %10s", name);
    }
    std::printf("\n");
    std::vector<Distances> distances;
    for (const Subject &subject : subjects) {
        distances.push_back(measure_distances(subject, options, overhead, &hash));
        report_distances(subject, distances.back(), csv);
        mismatches += distances.back().mismatches;
    }
    std::printf("\ngeometric means, x fcl-rss\n");
    print_distance_means(distances);
    std::printf("answers that differ: %zu; distances: %016llx\n", mismatches,
                static_cast<unsigned long long>(hash));

    std::printf(
        "\nus of fcl for all pairs that meet (mean); of the others how many times as fast,\n"
        "kiln points by fcl points\n%-8s %7s %5s %8s",
        "mesh", "faces", "poses", "pairs");
    for (const char *name : contact_names) {
        std::printf(" %12s", name);
    }
    std::printf("\n");
    std::vector<Contacts> contacts;
    for (const Subject &subject : subjects) {
        contacts.push_back(measure_contacts(subject, options, overhead));
        report_contacts(subject, contacts.back(), csv);
    }
    print_contact_means(contacts);
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return mismatches == 0 ? 0 : 1;
}
