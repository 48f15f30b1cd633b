/* Where does a mesh meet itself? Pairs of its triangles that have more in common than the corners
 * that they share, beside CGAL's Polygon_mesh_processing::self_intersections with the kernel of
 * inexact constructions and exact predicates (EPICK), where CGAL is installed; and all pairs that
 * kiln_contacts finds of the tree with itself, each twice and each triangle with itself.
 *
 * A time, of the processor, is the least of several rounds, the methods alternating. CGAL's begins
 * with its surface mesh, which is built before; the function sorts boxes each time. kiln's begins
 * with an open file.
 * "cloth" is a square that was baked flat, folded and crumpled, in a copy that is refitted: its time
 * has the update in it, in a column of its own, as a step of a simulation has.
 *
 * Counts differ where a mesh has corners of equal coordinates and other numbers (CGAL's mesh is
 * made of a soup whose equal points are merged; around edges of three faces and more it cuts, and
 * then reports neighbours), and for triangles without area. */
#include "kiln_model.hpp"
#include "measure.hpp"

#include "../../runtime/kiln_self.h"

#ifdef KILN_BENCH_CGAL
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/orient_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/repair_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#endif

#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>

namespace
{

const double NONE = HUGE_VAL;

/* Of this thread, on which all of them run: other programs matter less. */
double processor_ns()
{
    struct timespec at = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return 1e9 * double(at.tv_sec) + double(at.tv_nsec);
}

/* The least time of `work`, in ms, and what it counts. */
struct Best {
    double ms = NONE;
    size_t count = 0;
    void take(const std::function<size_t()> &work)
    {
        const double start = processor_ns();
        count = work();
        ms = std::min(ms, (processor_ns() - start) / 1e6);
    }
};

size_t kiln_count(const kiln_tree *tree)
{
    size_t count = 0;
    if (kiln_self_contacts(tree, nullptr, nullptr, 0, &count) != KILN_OK) {
        std::abort();
    }
    return count;
}

size_t contacts_count(const kiln_tree *tree)
{
    size_t count = 0;
    if (kiln_contacts(tree, nullptr, tree, nullptr, nullptr, nullptr, 0, &count) != KILN_OK) {
        std::abort();
    }
    return count;
}

#ifdef KILN_BENCH_CGAL
using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using SurfaceMesh = CGAL::Surface_mesh<Kernel::Point_3>;
namespace PMP = CGAL::Polygon_mesh_processing;

/* NULL: not even cut apart is it a surface. */
std::unique_ptr<SurfaceMesh> surface_of(const mesh &m)
{
    std::vector<Kernel::Point_3> points;
    std::vector<std::array<size_t, 3>> faces;
    for (uint32_t i = 0; i < m.vertex_count; i++) {
        const float *p = m.positions + 3 * size_t(i);
        points.emplace_back(double(p[0]), double(p[1]), double(p[2]));
    }
    for (uint32_t i = 0; i < m.triangle_count; i++) {
        const uint32_t *c = m.indices + 3 * size_t(i);
        if (points[c[0]] != points[c[1]] && points[c[1]] != points[c[2]] &&
            points[c[2]] != points[c[0]]) {
            faces.push_back({c[0], c[1], c[2]});
        }
    }
    PMP::repair_polygon_soup(points, faces);
    PMP::orient_polygon_soup(points, faces);
    auto surface = std::make_unique<SurfaceMesh>();
    if (!PMP::is_polygon_soup_a_polygon_mesh(faces)) {
        return nullptr;
    }
    PMP::polygon_soup_to_polygon_mesh(points, faces, *surface);
    return surface;
}

size_t cgal_count(const SurfaceMesh &surface)
{
    std::vector<std::pair<SurfaceMesh::Face_index, SurfaceMesh::Face_index>> pairs;
    PMP::self_intersections(surface, std::back_inserter(pairs));
    return pairs.size();
}
#endif

void measure_mesh(const std::string &name, const mesh &m, int rounds, std::FILE *csv,
                  std::vector<double> ratios[2])
{
    OpenedFile all;
    all.file = quick_open(&m, "obb,aabb,octree", 4, KILN_LAYOUT_RAW, &all.bytes);
    const kiln_tree *trees[3] = {kiln_file_find(all.file, nullptr, KILN_BV_OBB),
                                 kiln_file_find(all.file, nullptr, KILN_BV_AABB),
                                 kiln_file_find(all.file, nullptr, KILN_BV_OCTREE)};
    Best cgal, best[3], contacts;
#ifdef KILN_BENCH_CGAL
    const std::unique_ptr<SurfaceMesh> surface = surface_of(m);
#endif
    for (int round = 0; round < rounds; round++) {
        for (int k = 0; k < 3; k++) {
            best[k].take([&] { return kiln_count(trees[k]); });
        }
        contacts.take([&] { return contacts_count(trees[1]); });
#ifdef KILN_BENCH_CGAL
        if (surface != nullptr) {
            cgal.take([&] { return cgal_count(*surface); });
        }
#endif
    }
    const double per = 1e6 / m.triangle_count;
    std::printf("%-9s %8u  %8zu %8zu  %9.2f  %8.3f %8.3f %8.3f  %6.0f  %6.1f %6.1f %6.1f  %6.1f\n",
                name.c_str(), m.triangle_count, cgal.count, best[1].count, cgal.ms, best[0].ms,
                best[1].ms, best[2].ms, best[1].ms * per, cgal.ms / best[0].ms,
                cgal.ms / best[1].ms, cgal.ms / best[2].ms, contacts.ms / best[1].ms);
    std::fflush(stdout);
    for (int k = 0; k < 2 && cgal.ms < NONE; k++) {
        ratios[k].push_back(cgal.ms / best[k].ms);
    }
    if (csv != nullptr) {
        std::fprintf(csv, "%s,%u,%zu,%zu,%.4f,%.4f,%.4f,%.4f,%.4f\n", name.c_str(),
                     m.triangle_count, cgal.count, best[1].count, cgal.ms, best[0].ms, best[1].ms,
                     best[2].ms, contacts.ms);
    }
}

/* --------------------------------------------------------------------------------- cloth -- */

mesh square(uint32_t n)
{
    mesh m = {};
    m.vertex_count = (n + 1) * (n + 1);
    m.triangle_count = 2 * n * n;
    m.positions = static_cast<float *>(std::malloc(3 * sizeof(float) * m.vertex_count));
    m.indices = static_cast<uint32_t *>(std::malloc(3 * sizeof(uint32_t) * m.triangle_count));
    for (uint32_t i = 0; i < m.vertex_count; i++) {
        m.positions[3 * i] = float(i % (n + 1)) / float(n);
        m.positions[3 * i + 1] = float(i / (n + 1)) / float(n);
        m.positions[3 * i + 2] = 0;
    }
    for (uint32_t i = 0; i < n * n; i++) {
        const uint32_t at = i % n + i / n * (n + 1);
        const uint32_t corner[6] = {at, at + 1, at + n + 1, at + n + 2, at + n + 1, at + 1};
        std::copy(corner, corner + 6, m.indices + 6 * size_t(i));
    }
    return m;
}

/* Hung in folds that meet a little, with waves across. */
void drape(const float *rest, uint32_t vertices, double part, std::vector<float> &out)
{
    for (uint32_t i = 0; i < vertices; i++) {
        const double x = double(rest[3 * i]), y = double(rest[3 * i + 1]);
        const double turn = 2 * 3.14159265358979 * 6 * x;
        out[3 * i] = float(x * (1 - 0.5 * part) + 0.045 * part * std::sin(2 * turn));
        out[3 * i + 1] = float(y + 0.01 * part * std::sin(turn + 40 * y));
        out[3 * i + 2] = float(0.1 * part * std::cos(turn) + 0.01 * part * std::sin(31 * y));
    }
}

void measure_cloth(uint32_t n, int rounds, std::FILE *csv)
{
    mesh m = square(n);
    OpenedFile flat;
    flat.file = quick_open(&m, "aabb", 4, KILN_LAYOUT_RAW, &flat.bytes);
    const kiln_tree *tree = kiln_file_tree(flat.file, 0);
    std::vector<uint64_t> memory(kiln_refit_size(tree) / 8 + 1);
    kiln_refit *refit = nullptr;
    if (kiln_refit_place(memory.data(), 8 * memory.size(), tree, &refit) != KILN_OK) {
        std::abort();
    }
    const uint32_t vertices = kiln_refit_vertex_count(refit);
    const std::vector<float> rest(kiln_refit_vertices(refit),
                                  kiln_refit_vertices(refit) + 3 * size_t(vertices));
    std::vector<float> now_at(3 * size_t(vertices));
    std::vector<uint32_t> corners(3 * size_t(m.triangle_count));
    kiln_refit_corners(refit, corners.data(), m.triangle_count);
    for (const double part : {0.0, 0.5, 1.0}) {
        drape(rest.data(), vertices, part, now_at);
        Best update, asked, cgal;
#ifdef KILN_BENCH_CGAL
        const mesh draped = {now_at.data(), corners.data(), vertices, m.triangle_count};
        const std::unique_ptr<SurfaceMesh> surface = surface_of(draped);
#endif
        for (int round = 0; round < rounds; round++) {
            update.take([&] { return size_t(kiln_refit_update(refit, now_at.data(), vertices)); });
            asked.take([&] { return kiln_count(kiln_refit_tree(refit)); });
#ifdef KILN_BENCH_CGAL
            cgal.take([&] { return cgal_count(*surface); });
#endif
        }
        const double both = asked.ms + update.ms;
        std::printf("cloth %3.1f %8u  %8zu %8zu  %9.2f  update %.3f, pairs %.3f ms: %.0f ns a "
                    "triangle, x cgal %.1f\n",
                    part, m.triangle_count, cgal.count, asked.count, cgal.ms, update.ms, asked.ms,
                    1e6 * both / m.triangle_count, cgal.ms / both);
        std::fflush(stdout);
        if (csv != nullptr) {
            std::fprintf(csv, "cloth %.1f,%u,%zu,%zu,%.4f,,%.4f,,%.4f\n", part, m.triangle_count,
                         cgal.count, asked.count, cgal.ms, asked.ms, update.ms);
        }
    }
    mesh_free(&m);
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fputs("mesh,triangles,pairs_cgal,pairs,cgal_ms,obb_ms,aabb_ms,octree_ms,contacts_ms\n",
                   csv);
    }
    print_origin(stdout, "", arguments[0]);
#ifndef KILN_BENCH_CGAL
    std::puts("CGAL is not installed: its columns are empty");
#endif
    std::puts(
        "mesh, triangles, pairs by cgal and kiln, ms of cgal, of kiln-obb, -aabb and -octree, "
        "ns a triangle of -aabb; how many times as fast as cgal the three are, and "
        "kiln_self_contacts is as kiln_contacts");
    const int rounds = options.quick ? 2 : 3;
    std::vector<double> ratios[2];
    std::vector<Subject> subjects = make_subjects(options);
    for (const Subject &subject : subjects) {
        measure_mesh(subject.name, subject.geometry, rounds, csv, ratios);
    }
    if (!ratios[0].empty()) {
        std::printf("geometric means, x cgal: kiln-obb %.1f, kiln-aabb %.1f\n",
                    geometric_mean(ratios[0]), geometric_mean(ratios[1]));
    }
    free_subjects(subjects);
    if (options.meshes.empty() || options.quick) {
        std::puts("the cost by the number of triangles: bumpy tori");
        for (const uint32_t sides : {8u, 32u, 128u, 512u}) {
            if (sides > 128 && options.quick) {
                continue;
            }
            mesh m = mesh_torus(2 * sides, sides, 0.1);
            measure_mesh("torus", m, rounds, csv, ratios);
            mesh_free(&m);
        }
        measure_cloth(options.quick ? 60 : 100, rounds, csv);
        if (!options.quick) {
            measure_cloth(300, rounds, csv);
        }
    }
    close_csv(csv, options.csv);
    return 0;
}
