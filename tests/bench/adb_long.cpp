/* How often counted queries are wrong where triangles are long beside the mesh, which cells do not
 * show well: meshes that nothing was fitted to, with copies of themselves and with three bodies of
 * small triangles, a chain of links, a field of hills and the duck. Errors and probabilities only,
 * which are the same in every run; poses are Zachmann's (adb/zachmann.h), distances being in means
 * of both sides. */
#include "adb_setup.hpp"
#include "models.h"

extern "C" {
#include "../../tools/count/fit_logistic.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace
{

/* A mesh in the making. */
struct Parts {
    std::vector<float> positions;
    std::vector<uint32_t> indices;

    uint32_t vertices() const
    {
        return uint32_t(positions.size() / 3);
    }

    void add_vertex(double x, double y, double z)
    {
        positions.insert(positions.end(), {float(x), float(y), float(z)});
    }

    void add_quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
    {
        indices.insert(indices.end(), {a, b, c, a, c, d});
    }

    void add_box(double x0, double y0, double z0, double x1, double y1, double z1)
    {
        mesh box = mesh_box(float(x0), float(y0), float(z0), float(x1), float(y1), float(z1));
        const uint32_t first = vertices();
        positions.insert(positions.end(), box.positions, box.positions + 3 * box.vertex_count);
        for (uint32_t i = 0; i < 3 * box.triangle_count; i++) {
            indices.push_back(first + box.indices[i]);
        }
        mesh_free(&box);
    }

    mesh made() const
    {
        mesh m = {static_cast<float *>(std::malloc(positions.size() * sizeof(float))),
                  static_cast<uint32_t *>(std::malloc(indices.size() * sizeof(uint32_t))),
                  vertices(), uint32_t(indices.size() / 3)};
        if (m.positions == nullptr || m.indices == nullptr) {
            std::abort();
        }
        std::copy(positions.begin(), positions.end(), m.positions);
        std::copy(indices.begin(), indices.end(), m.indices);
        return m;
    }
};

/* ------------------------------------------------------------------------- long triangles -- */

/* Two rows of bars across each other. */
mesh fence()
{
    Parts parts;
    for (int i = 0; i < 40; i++) {
        const double x = -1 + 0.05 * i;
        parts.add_box(x, -0.01, -1, x + 0.012, 0.01, 1);
        parts.add_box(x, -1, -1, x + 0.012, 1, -0.98);
    }
    return parts.made();
}

mesh stairs()
{
    Parts parts;
    for (int i = 0; i < 60; i++) {
        const double x = -1 + i / 30.0;
        parts.add_box(x, -1, x - 0.01, x + 0.04, 1, x);
    }
    return parts.made();
}

/* Open cylinders in each other, of slivers from end to end. */
mesh tubes()
{
    constexpr uint32_t SIDES = 200;
    Parts parts;
    for (int tube = 0; tube < 5; tube++) {
        const uint32_t first = parts.vertices();
        const double radius = 0.2 + 0.15 * tube;
        for (uint32_t i = 0; i < SIDES; i++) {
            const double a = 2 * M_PI * i / SIDES;
            parts.add_vertex(radius * std::cos(a), radius * std::sin(a), -1);
            parts.add_vertex(radius * std::cos(a), radius * std::sin(a), 1);
        }
        for (uint32_t i = 0; i < SIDES; i++) {
            const uint32_t a = first + 2 * i, b = first + 2 * ((i + 1) % SIDES);
            parts.add_quad(a, b, b + 1, a + 1);
        }
    }
    return parts.made();
}

/* Flat cones of slivers from the tip to the rim. */
mesh fans()
{
    constexpr uint32_t SIDES = 120;
    Parts parts;
    uint64_t state = 3;
    for (int fan = 0; fan < 12; fan++) {
        const kiln_pose pose = pose_random(&state, 0.4);
        const uint32_t first = parts.vertices();
        for (uint32_t i = 0; i <= SIDES; i++) {
            const double a = 2 * M_PI * i / SIDES, radius = i < SIDES ? 0.6 : 0;
            const double v[3] = {radius * std::cos(a), radius * std::sin(a), i < SIDES ? 0 : 0.2};
            double p[3];
            for (int k = 0; k < 3; k++) {
                const double *row = pose.rotation + 3 * k;
                p[k] = row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + pose.translation[k];
            }
            parts.add_vertex(p[0], p[1], p[2]);
        }
        for (uint32_t i = 0; i < SIDES; i++) {
            parts.indices.insert(parts.indices.end(),
                                 {first + i, first + (i + 1) % SIDES, first + SIDES});
        }
    }
    return parts.made();
}

/* ------------------------------------------------------------------------ small triangles -- */

/* Sixty linked rings in a row. */
mesh chain()
{
    constexpr uint32_t RINGS = 24, SIDES = 10;
    Parts parts;
    for (int link = 0; link < 60; link++) {
        const uint32_t first = parts.vertices();
        for (uint32_t i = 0; i < RINGS; i++) {
            for (uint32_t j = 0; j < SIDES; j++) {
                const double u = 2 * M_PI * i / RINGS, v = 2 * M_PI * j / SIDES;
                const double radius = 1 + 0.2 * std::cos(v), z = 0.2 * std::sin(v);
                const double x = radius * std::cos(u) + 1.3 * link, y = radius * std::sin(u);
                parts.add_vertex(x, link % 2 == 0 ? y : z, link % 2 == 0 ? z : -y);
            }
        }
        for (uint32_t i = 0; i < RINGS; i++) {
            for (uint32_t j = 0; j < SIDES; j++) {
                const uint32_t a = first + i * SIDES, b = first + (i + 1) % RINGS * SIDES;
                parts.add_quad(a + j, b + j, b + (j + 1) % SIDES, a + (j + 1) % SIDES);
            }
        }
    }
    return parts.made();
}

mesh hills()
{
    constexpr uint32_t POSTS = 225;
    Parts parts;
    for (uint32_t j = 0; j < POSTS; j++) {
        for (uint32_t i = 0; i < POSTS; i++) {
            const double x = 0.1 * i - 11.2, y = 0.1 * j - 11.2;
            parts.add_vertex(x, y,
                             std::sin(0.9 * x) * std::cos(0.7 * y) +
                                 0.3 * std::sin(2.3 * x + 1.7 * y) +
                                 0.1 * std::cos(5.1 * y - 3.9 * x));
        }
    }
    for (uint32_t j = 0; j + 1 < POSTS; j++) {
        for (uint32_t i = 0; i + 1 < POSTS; i++) {
            const uint32_t a = j * POSTS + i;
            parts.add_quad(a, a + 1, a + POSTS + 1, a + POSTS);
        }
    }
    return parts.made();
}

mesh ball()
{
    constexpr uint32_t ROWS = 40, SIDES = 80;
    Parts parts;
    for (uint32_t i = 0; i <= ROWS; i++) {
        for (uint32_t j = 0; j < SIDES; j++) {
            const double u = M_PI * i / ROWS, v = 2 * M_PI * j / SIDES;
            parts.add_vertex(std::sin(u) * std::cos(v), std::sin(u) * std::sin(v), std::cos(u));
        }
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t j = 0; j < SIDES; j++) {
            const uint32_t a = i * SIDES + j, b = i * SIDES + (j + 1) % SIDES;
            parts.add_quad(a, a + SIDES, b + SIDES, b);
        }
    }
    return parts.made();
}

/* --------------------------------------------------------------------------------- errors -- */

struct Counted {
    std::string name;
    std::unique_ptr<Baked> baked;
    const kiln_tree *tree() const
    {
        return baked->tree();
    }
};

void add(std::vector<Counted> &to, const std::string &name, mesh m, float scale = 1)
{
    adb_scale(&m);
    std::transform(m.positions, m.positions + 3 * m.vertex_count, m.positions,
                   [scale](float value) { return scale * value; });
    to.push_back({name, std::make_unique<Baked>(m, default_bake)});
    mesh_free(&m);
}

void add_installed(std::vector<Counted> &to, const model &which)
{
    mesh m;
    if (model_load(&which, &m)) {
        add(to, which.name, m);
    } else {
        std::printf("%s: not installed, left out\n", which.name);
    }
}

/* What one mode answered. */
struct Tally {
    size_t hits = 0, positives = 0, negatives = 0;
    std::vector<kiln_prediction> said;

    void add_answer(double probability, bool truth)
    {
        hits += truth;
        positives += probability > 0.5 && !truth;
        negatives += probability <= 0.5 && truth;
        said.push_back({float(probability), truth});
    }
};

/* Poses of B at which the boxes of the trees may meet. */
void query_pair(const kiln_tree *a, const kiln_tree *b, unsigned draws, std::vector<Tally> &modes)
{
    const kiln_tree_info of_a = kiln_tree_get_info(a), of_b = kiln_tree_get_info(b);
    const zachmann_box box_a = zachmann_box_of(of_a.bounds_lower, of_a.bounds_upper);
    const zachmann_box box_b = zachmann_box_of(of_b.bounds_lower, of_b.bounds_upper);
    uint64_t state = ZACHMANN_SEED_TEST;
    for (unsigned i = 0; i < draws * ZACHMANN_DISTANCES; i++) {
        const double distance = zachmann_distance(int(i % ZACHMANN_DISTANCES)) *
                                (box_a.side + box_b.side) / 2 / box_b.side;
        double rotation[9], aim[9];
        zachmann_rotation(&state, rotation);
        zachmann_rotation(&state, aim);
        const double way[3] = {aim[0], aim[3], aim[6]};
        kiln_pose pose = zachmann_place(&box_b, rotation, way, distance * box_b.side);
        for (int k = 0; k < 3; k++) {
            pose.translation[k] += box_a.middle[k] - box_b.middle[k];
        }
        kiln_adb_answer answer;
        kiln_hit hit;
        if (kiln_adb_collide(a, nullptr, b, &pose, nullptr, 0, UINT64_MAX, &answer) != KILN_OK ||
            kiln_collide(a, nullptr, b, &pose, nullptr, &hit) != KILN_OK) {
            std::abort();
        }
        if (answer.verdict == KILN_ADB_NO) {
            continue;
        }
        for (size_t mode = 0; mode < modes.size(); mode++) {
            const kiln_adb_options options = kiln_adb_options_of(kiln_adb_mode(mode));
            (void)kiln_adb_collide(a, nullptr, b, &pose, &options, UINT64_MAX, UINT64_MAX, &answer);
            modes[mode].add_answer(answer.probability, hit.found);
        }
    }
}

void print(const std::string &name, std::vector<Tally> &modes, std::FILE *csv)
{
    static const char *const names[] = {"default", "fast", "careful"};
    std::printf("%-18s", name.c_str());
    for (size_t mode = 0; mode < modes.size(); mode++) {
        Tally &t = modes[mode];
        const double share = 100.0 / double(std::max<size_t>(t.said.size(), 1));
        const kiln_reliability r = kiln_reliability_of(t.said.data(), t.said.size());
        std::printf(" %6.2f %7.2f %6.4f", share * double(t.positives + t.negatives),
                    100.0 * double(t.negatives) / double(std::max<size_t>(t.hits, 1)), r.ece);
        if (csv != nullptr) {
            std::fprintf(csv, "\"%s\",%zu,%zu,%s,%zu,%zu,%.5f\n", name.c_str(), t.said.size(),
                         t.hits, names[mode], t.positives, t.negatives, r.ece);
        }
    }
    std::printf("\n");
    std::fflush(stdout);
}

} // namespace

void measure_long(const AdbOptions &options, std::FILE *csv)
{
    static const model installed[] = {{"collada", "Collada/COLLADA.dae"},
                                      {"house", "IFC/AC14-FZK-Haus.ifc"},
                                      {"test1", "3DS/test1.3ds"}};
    static const model duck = {"duck", "Collada/duck.dae"};
    std::vector<Counted> longs, smalls, rooms, bodies;
    for (const model &m : installed) {
        add_installed(longs, m);
    }
    add(longs, "fence", fence());
    add(longs, "stairs", stairs());
    add(longs, "tubes", tubes());
    add(longs, "fans", fans());
    add(smalls, "chain", chain());
    add(smalls, "hills", hills());
    add_installed(smalls, duck);
    add(rooms, "room", mesh_box(-1, -1, -1, 1, 1, 1));
    add(rooms, "hall", mesh_box(-2, -1, -0.5f, 2, 1, 0.5f));
    add(bodies, "ball 1:5", ball(), 0.2f);
    add(bodies, "ball 1:20", ball(), 0.05f);
    add(bodies, "ball 1:50", ball(), 0.02f);
    std::printf("%-18s %-21s %-21s %-21s\n", "", "default", "fast", "careful");
    std::printf("%-18s", "pair");
    for (int mode = 0; mode < 3; mode++) {
        std::printf(" %6s %7s %6s", "error%", "missed%", "ECE");
    }
    std::printf("\n");
    if (csv != nullptr) {
        std::fprintf(csv, "pair,poses,hits,mode,false_positives,false_negatives,ece\n");
    }
    std::vector<Tally> all(3);
    const auto query = [&](const Counted &a, const Counted &b) {
        std::vector<Tally> modes(3);
        query_pair(a.tree(), b.tree(), options.draws, modes);
        for (size_t mode = 0; mode < modes.size(); mode++) {
            for (const kiln_prediction &p : modes[mode].said) {
                all[mode].add_answer(double(p.said), p.came);
            }
        }
        print(&a == &b ? a.name : a.name + "-" + b.name, modes, csv);
    };
    for (const Counted &a : longs) {
        query(a, a);
        for (const Counted &b : smalls) {
            query(a, b);
        }
    }
    print("all", all, csv);
    /* Apart from the others: rooms, whose walls share leaves, and bodies much smaller than these. */
    for (const Counted &room : rooms) {
        for (const Counted &body : bodies) {
            query(room, body);
        }
    }
}
