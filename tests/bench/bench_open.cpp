/* What baking costs and what opening saves, against building FCL's tree of the same mesh in the
 * same run. Without a baked file an application rebuilds the tree, then queries it; with one it
 * opens the file and queries it.
 *
 * Of a packed file also what its first part is good for: how soon boxes answer from it, how many of
 * the free poses of poses.hpp they prove, and how often time-critical queries are right.
 *
 * Every figure is the least of several repetitions. Files are warm: in memory, or mapped from the
 * page cache. The first query is of two copies half a size apart. */
#include "fcl_model.hpp"
#include "measure.hpp"
#include "poses.hpp"
#include "../../runtime/kiln_adb.h"

extern "C" {
#include "../../formats/codec.h"
#include "../../tools/tree/build.h"
#include "../../tools/encode/container.h"
#include "../support/quick_bake.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include <unistd.h>
#include <zlib.h>
#ifdef KILN_LIBDEFLATE
#include <libdeflate.h>
#endif

namespace
{

/* Least seconds of `run`, at least twice and for at most about `budget` seconds. */
double least_seconds(double budget, const std::function<void()> &run)
{
    double least = HUGE_VAL;
    const double start = now();
    for (int i = 0; i < 200 && (i < 2 || now() - start < budget * 1e9); i++) {
        const double before = now();
        run();
        least = std::min(least, (now() - before) / 1e9);
    }
    return least;
}

void check(bool good, const char *what)
{
    if (!good) {
        std::fprintf(stderr, "%s failed\n", what);
        std::exit(2);
    }
}

/* A baked file, in memory on a multiple of 64 bytes, where a raw one needs no copy, and on disk. */
class Baked
{
  public:
    Baked(const mesh &m, kiln_layout layout, int leaf = 4, int adb = 0)
    {
        kiln_bake_options options = kiln_bake_options_default();
        options.bv = "obb";
        options.leaf = leaf;
        options.layout = layout;
        options.adb = adb;
        options.adb_factor = 0.75;
        void *bytes = quick_bake_with(&m, &options, &size);
        data = std::aligned_alloc(64, (size + 63) / 64 * 64);
        check(data != nullptr, "allocating");
        std::memcpy(data, bytes, size);
        std::free(bytes);
        const char *folder = std::getenv("TMPDIR");
        path = std::string(folder != nullptr ? folder : "/tmp") + "/kiln-bench-XXXXXX";
        const int handle = mkstemp(&path[0]);
        check(handle >= 0, "making a temporary file");
        check(write(handle, data, size) == ssize_t(size), "writing a temporary file");
        close(handle);
    }
    ~Baked()
    {
        unlink(path.c_str());
        std::free(data);
    }
    Baked(const Baked &) = delete;
    Baked &operator=(const Baked &) = delete;

    kiln_file *open(bool from_disk, uint32_t flags, kiln_parallel parallel = nullptr) const
    {
        kiln_open_options options = kiln_open_options_default();
        kiln_file *file;
        options.flags = flags;
        options.parallel = parallel;
        const kiln_status status = from_disk ? kiln_open(path.c_str(), &options, &file)
                                             : kiln_open_memory(data, size, &options, &file);
        check(status == KILN_OK, "opening what was baked");
        return file;
    }

    size_t size = 0;
    void *data = nullptr;

  private:
    std::string path;
};

/* Two threads, that of the caller and one of its own, take blocks alternately. */
void on_two_threads(void *, void (*task)(void *, uint32_t), void *context, uint32_t count)
{
    std::thread other([&] {
        for (uint32_t i = 1; i < count; i += 2) {
            task(context, i);
        }
    });
    for (uint32_t i = 0; i < count; i += 2) {
        task(context, i);
    }
    other.join();
}

/* The blocks of a packed file, in memory. */
struct Block {
    uint16_t transform;
    uint32_t element_size, stored_size, raw_size;
    const uint8_t *stored;
};

/* What a file is made of: bytes a triangle by what they are for, and its blocks. */
class Contents
{
  public:
    explicit Contents(const Baked &baked) : bytes(static_cast<const uint8_t *>(baked.data))
    {
        kiln_format_error error;
        check(kiln_reader_open(&reader, baked.data, baked.size, nullptr, &error), "reading");
        kiln_shares(&reader, shares);
        for (uint32_t i = 0; i < reader.header.section_count; i++) {
            kiln_format_section entry;
            std::memcpy(&entry, bytes + sizeof reader.header + i * sizeof entry, sizeof entry);
            add_blocks(entry);
        }
    }
    ~Contents()
    {
        kiln_reader_close(&reader);
    }
    Contents(const Contents &) = delete;
    Contents &operator=(const Contents &) = delete;

    /* Everything by the library's own steps, without opening. */
    void decode() const
    {
        for (const Block &block : blocks) {
            check(kiln_block_decode(block.transform, block.element_size, block.stored,
                                    block.stored_size, out(), block.raw_size),
                  "decoding");
        }
    }

    /* The same streams by zlib alone, none of it ours. */
    void inflate_by_zlib() const
    {
        for (const Block &block : blocks) {
            z_stream stream;
            std::memset(&stream, 0, sizeof stream);
            check(inflateInit2(&stream, -MAX_WBITS) == Z_OK, "zlib");
            stream.next_in = const_cast<uint8_t *>(block.stored);
            stream.avail_in = block.stored_size;
            stream.next_out = out();
            stream.avail_out = KILN_BLOCK_SIZE;
            check(inflate(&stream, Z_FINISH) == Z_STREAM_END, "inflating");
            inflateEnd(&stream);
        }
    }

#ifdef KILN_LIBDEFLATE
    void inflate_by_libdeflate() const
    {
        libdeflate_decompressor *one = libdeflate_alloc_decompressor();
        for (const Block &block : blocks) {
            size_t size;
            check(libdeflate_deflate_decompress(one, block.stored, block.stored_size, out(),
                                                KILN_BLOCK_SIZE, &size) == LIBDEFLATE_SUCCESS,
                  "inflating");
        }
        libdeflate_free_decompressor(one);
    }
#endif

    uint64_t shares[KILN_SHARE_COUNT];

  private:
    static uint8_t *out()
    {
        alignas(64) static uint8_t bytes[KILN_BLOCK_SIZE];
        return bytes;
    }

    void add_blocks(const kiln_format_section &entry)
    {
        if (entry.codec == KILN_CODEC_RAW) {
            return;
        }
        const uint32_t full = kiln_block_raw_size(entry.element_size);
        const uint64_t count = (entry.raw_size + full - 1) / full;
        const uint8_t *table = bytes + entry.offset;
        const uint8_t *stored = table + count * sizeof(kiln_format_block);
        for (uint64_t i = 0; i < count; i++) {
            kiln_format_block block;
            std::memcpy(&block, table + i * sizeof block, sizeof block);
            blocks.push_back(
                {entry.transform, entry.element_size, block.stored_size, block.raw_size, stored});
            stored += block.stored_size;
        }
    }

    const uint8_t *bytes; /* of the file: a reader that copies does not keep them */
    kiln_reader reader;
    std::vector<Block> blocks;
};

/* Seconds from nothing to the first answer; closing is not counted. */
double first_answer(const Baked &baked, bool from_disk, uint32_t flags, const kiln_pose &pose)
{
    double least = HUGE_VAL;
    const double start = now();
    for (int i = 0; i < 200 && (i < 3 || now() - start < 0.3e9); i++) {
        kiln_hit hit;
        const double before = now();
        kiln_file *file = baked.open(from_disk, flags);
        const kiln_tree *tree = kiln_file_tree(file, 0);
        check(kiln_collide(tree, nullptr, tree, &pose, nullptr, &hit) == KILN_OK, "a query");
        least = std::min(least, (now() - before) / 1e9);
        kiln_close(file);
    }
    return least;
}

/* The least prefix of a file from whose first nodes boxes answer. */
size_t first_part(const Baked &baked)
{
    size_t size = 256;
    for (;;) {
        kiln_error error = {};
        kiln_open_options options = kiln_open_options_default();
        kiln_file *file;
        options.error = &error;
        const kiln_status status = kiln_open_partial(baked.data, size, &options, &file);
        if (status == KILN_OK && kiln_tree_get_loaded(kiln_file_tree(file, 0)).nodes > 0) {
            kiln_close(file);
            return size;
        }
        check(status == KILN_OK || status == KILN_ERROR_PARTIAL, "opening a part");
        size = size_t(status == KILN_OK ? kiln_file_get_loaded(file).next : error.offset);
        kiln_close(file);
    }
}

/* Of the poses at which nothing meets, the part for which the boxes of two trees prove it; of all,
 * the part for which a time-critical query is right. */
struct Known {
    double denied, right;
};

Known known_from(const kiln_tree *tree, const kiln_tree *whole, const std::vector<Pose> &poses)
{
    unsigned apart = 0, denied = 0, right = 0;
    for (const Pose &pose : poses) {
        bool found;
        kiln_adb_answer answer;
        const bool meet = run_query(whole, whole, pose.pose);
        check(kiln_collide_boxes(tree, nullptr, tree, &pose.pose, &found) == KILN_OK, "boxes");
        check(found || !meet, "an answer of boxes");
        check(kiln_adb_collide(tree, nullptr, tree, &pose.pose, nullptr, 1000, UINT64_MAX,
                               &answer) == KILN_OK,
              "a time-critical query");
        apart += !meet;
        denied += !found;
        right += (answer.probability > 0.5) == meet;
    }
    return {double(denied) / std::max(apart, 1u), double(right) / double(poses.size())};
}

/* What kiln_build takes, encoding of nodes included. */
double build_seconds(const mesh &m, const char *kind, int threads, uint32_t *node_bytes)
{
    const kiln_build_input input = {m.positions, m.indices, nullptr, m.triangle_count};
    kiln_bake_options options = kiln_bake_options_default();
    options.threads = threads;
    return least_seconds(1.0, [&] {
        kiln_build_tree tree;
        check(kiln_build(kiln_build_kind_find(kind), &input, &options, &tree) == KILN_BAKE_OK,
              "a build");
        *node_bytes = tree.node_count * tree.node_size;
        kiln_build_tree_free(&tree);
    });
}

template <class Volume> double fcl_seconds(const mesh &m, const kiln_pose *pose)
{
    return least_seconds(1.0, [&] {
        FclModel<Volume> model(m);
        if (pose != nullptr) {
            model.collide(*pose);
        }
    });
}

/* The table and the CSV file at once: one line a figure, with its ratio to FCL-OBB. */
class Report
{
  public:
    Report(std::FILE *file, const Subject &subject)
        : csv(file), name(subject.name), triangles(subject.geometry.triangle_count)
    {
    }

    /* `better` > 1: as many times better than fcl-obb. NAN: has no counterpart there. */
    void line(const char *what, double value, const char *unit, double better) const
    {
        std::printf("%-8s %7u  %-34s %12.3f %-8s", name.c_str(), triangles, what, value, unit);
        if (std::isnan(better)) {
            std::printf("\n");
        } else {
            std::printf(" %10.2f\n", better);
        }
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%u,%s,%.4f,%s,", name.c_str(), triangles, what, value, unit);
            std::fprintf(csv, std::isnan(better) ? "\n" : "%.3f\n", better);
        }
    }

  private:
    std::FILE *csv;
    std::string name;
    unsigned triangles;
};

/* A binary tree with one triangle a leaf has two nodes a triangle, less one. */
template <class Volume> double fcl_node_bytes()
{
    return 2.0 * sizeof(fcl::BVNode<Volume>);
}

void measure_builds(const Report &report, const mesh &m)
{
    const double count = m.triangle_count / 1e6;
    const double fcl = fcl_seconds<fcl::OBBd>(m, nullptr);
    const double fcl_rss = fcl_seconds<fcl::OBBRSSd>(m, nullptr);
    report.line("build fcl-obb threads 1", count / fcl, "Mtri/s", 1);
    report.line("build fcl-obbrss threads 1", count / fcl_rss, "Mtri/s", fcl / fcl_rss);
    report.line("nodes fcl-obb", fcl_node_bytes<fcl::OBBd>(), "B/tri", 1);
    report.line("nodes fcl-obbrss", fcl_node_bytes<fcl::OBBRSSd>(), "B/tri",
                fcl_node_bytes<fcl::OBBd>() / fcl_node_bytes<fcl::OBBRSSd>());
    for (const char *kind : {"obb", "aabb"}) {
        uint32_t node_bytes = 0;
        for (const int threads : {1, 2}) {
            const double seconds = build_seconds(m, kind, threads, &node_bytes);
            const std::string what =
                std::string("build kiln-") + kind + " threads " + std::to_string(threads);
            report.line(what.c_str(), count / seconds, "Mtri/s", fcl / seconds);
        }
        const double node_share = double(node_bytes) / m.triangle_count;
        report.line((std::string("nodes kiln-") + kind).c_str(), node_share, "B/tri",
                    fcl_node_bytes<fcl::OBBd>() / node_share);
    }
}

/* Bytes a triangle by what they are for; geometry is nodes, vertices and indices, all exact. */
void report_shares(const Report &report, const Baked &baked, const std::string &what,
                   uint32_t triangles)
{
    const Contents contents(baked);
    const double each = 1.0 / triangles;
    const uint64_t geometry = contents.shares[KILN_SHARE_NODES] +
                              contents.shares[KILN_SHARE_VERTICES] +
                              contents.shares[KILN_SHARE_INDICES];
    report.line((what + " geometry").c_str(), double(geometry) * each, "B/tri", NAN);
    for (int i = 0; i < KILN_SHARE_COUNT; i++) {
        const kiln_share share = static_cast<kiln_share>(i);
        if (contents.shares[i] > 0) {
            report.line((what + " " + kiln_share_name(share)).c_str(),
                        double(contents.shares[i]) * each, "B/tri", NAN);
        }
    }
}

/* What opening a packed file spends its time on, without a query: million triangles a
 * second, each step by itself. */
void measure_steps(const Report &report, const Baked &packed, uint32_t triangles)
{
    const Contents contents(packed);
    const double million = triangles / 1e6;
    const double zlib = least_seconds(0.3, [&] { contents.inflate_by_zlib(); });
    const auto line = [&](const char *what, double seconds) {
        report.line(what, million / seconds, "Mtri/s", NAN);
    };
    line("load zlib alone", zlib);
#ifdef KILN_LIBDEFLATE
    line("load libdeflate alone", least_seconds(0.3, [&] { contents.inflate_by_libdeflate(); }));
#endif
    line("load inflate and transforms", least_seconds(0.3, [&] { contents.decode(); }));
    line("load CRC of the file alone",
         least_seconds(0.1, [&] { check(kiln_crc32(packed.data, packed.size) != 1, "a CRC"); }));
    line("load trusted",
         least_seconds(0.3, [&] { kiln_close(packed.open(false, KILN_OPEN_TRUSTED)); }));
    line("load trusted without source", least_seconds(0.3, [&] {
             kiln_close(packed.open(false, KILN_OPEN_TRUSTED | KILN_OPEN_NO_SOURCE));
         }));
    line("load trusted threads 2", least_seconds(0.3, [&] {
             kiln_close(packed.open(false, KILN_OPEN_TRUSTED, on_two_threads));
         }));
    line("load verified", least_seconds(0.3, [&] { kiln_close(packed.open(false, 0)); }));
    line("load verified threads 2",
         least_seconds(0.3, [&] { kiln_close(packed.open(false, 0, on_two_threads)); }));
}

/* What the first block of a packed file is good for, and how soon. */
void measure_arrival(const Report &report, const Subject &subject, const kiln_pose &pose)
{
    const Baked plain(subject.geometry, KILN_LAYOUT_PACKED);
    const Baked counted(subject.geometry, KILN_LAYOUT_PACKED, 4, 8);
    const size_t size = first_part(plain), size_counted = first_part(counted);
    report.line("first part of packed", 100.0 * double(size) / double(plain.size), "%", NAN);
    report.line("first part of packed with counts",
                100.0 * double(size_counted) / double(counted.size), "%", NAN);
    const double soon = least_seconds(0.3, [&] {
        kiln_file *file;
        bool found;
        check(kiln_open_partial(plain.data, size, nullptr, &file) == KILN_OK, "a part");
        const kiln_tree *tree = kiln_file_tree(file, 0);
        check(kiln_collide_boxes(tree, nullptr, tree, &pose, &found) == KILN_OK, "boxes");
        kiln_close(file);
    });
    const double late = least_seconds(0.3, [&] {
        kiln_file *file = plain.open(false, 0);
        const kiln_tree *tree = kiln_file_tree(file, 0);
        bool found;
        check(kiln_collide_boxes(tree, nullptr, tree, &pose, &found) == KILN_OK, "boxes");
        kiln_close(file);
    });
    const double pieces = least_seconds(0.3, [&] {
        kiln_file *file;
        check(kiln_open_partial(plain.data, size, nullptr, &file) == KILN_OK, "a part");
        while (!kiln_file_get_loaded(file).complete) {
            const size_t next = size_t(kiln_file_get_loaded(file).next);
            check(kiln_file_advance(file, plain.data, next, nullptr) == KILN_OK, "a step");
        }
        kiln_close(file);
    });
    report.line("open whole packed + boxes", late * 1e6, "us", NAN);
    report.line("open first part + boxes", soon * 1e6, "us", NAN);
    report.line("times sooner than whole", late / soon, "x", NAN);
    report.line("open in pieces, of opening at once", pieces / late, "x", NAN);

    report.line(
        "open with counts, of without them",
        least_seconds(0.3, [&] { kiln_close(counted.open(false, 0)); }) /
            least_seconds(0.3, [&] { kiln_close(counted.open(false, KILN_OPEN_NO_COUNTS)); }),
        "x", NAN);

    kiln_file *whole = counted.open(false, 0), *part;
    check(kiln_open_partial(counted.data, size_counted, nullptr, &part) == KILN_OK, "a part");
    const kiln_tree *tree = kiln_file_tree(whole, 0), *top = kiln_file_tree(part, 0);
    const std::vector<Pose> poses = make_poses(subject, tree);
    const Known all = known_from(tree, tree, poses), some = known_from(top, tree, poses);
    report.line("levels in first part", kiln_tree_get_loaded(top).levels, "", NAN);
    report.line("levels in all", kiln_tree_get_info(tree).depth, "", NAN);
    report.line("free poses proved by first part", 100 * some.denied, "%", NAN);
    report.line("free poses proved by all boxes", 100 * all.denied, "%", NAN);
    report.line("time-critical right, first part", 100 * some.right, "%", NAN);
    report.line("time-critical right, all", 100 * all.right, "%", NAN);
    kiln_close(part);
    kiln_close(whole);
}

void measure_opening(const Report &report, const Subject &subject)
{
    const mesh &m = subject.geometry;
    const double rotated[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    const double aside[3] = {0.6, 0.64, 0.48};
    const kiln_pose pose = place(subject, rotated, aside, 0.5);
    const Baked raw(m, KILN_LAYOUT_RAW), packed(m, KILN_LAYOUT_PACKED);
    report.line("file raw", double(raw.size) / m.triangle_count, "B/tri", NAN);
    report.line("file packed", double(packed.size) / m.triangle_count, "B/tri", NAN);
    report_shares(report, raw, "raw", m.triangle_count);
    report_shares(report, packed, "packed", m.triangle_count);
    report_shares(report, Baked(m, KILN_LAYOUT_PACKED, 8), "packed leaf 8", m.triangle_count);
    measure_steps(report, packed, m.triangle_count);

    const double fcl = fcl_seconds<fcl::OBBd>(m, &pose);
    report.line("rebuild fcl-obb + query", fcl * 1e6, "us", 1);
    struct Way {
        const char *what;
        const Baked *baked;
        bool from_disk;
        uint32_t flags;
    };
    const Way ways[] = {
        {"open raw trusted memory + query", &raw, false, KILN_OPEN_TRUSTED},
        {"open raw trusted mapped + query", &raw, true, KILN_OPEN_TRUSTED},
        {"open raw verified memory + query", &raw, false, 0},
        {"open raw verified mapped + query", &raw, true, 0},
        {"open packed trusted memory + query", &packed, false, KILN_OPEN_TRUSTED},
        {"open packed verified memory + query", &packed, false, 0},
        {"open packed verified mapped + query", &packed, true, 0},
    };
    for (const Way &way : ways) {
        const double seconds = first_answer(*way.baked, way.from_disk, way.flags, pose);
        report.line(way.what, seconds * 1e6, "us", fcl / seconds);
    }
    measure_arrival(report, subject, pose);
    const double verified = least_seconds(0.3, [&] { kiln_close(raw.open(false, 0)); });
    report.line("verified open per 100k triangles", verified * 1e3 * 1e5 / m.triangle_count, "ms",
                NAN);
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    if (csv != nullptr) {
        std::fprintf(csv, "mesh,triangles,what,value,unit,times_fcl_obb\n");
    }
    print_origin(stdout, "", arguments[0]);
    std::vector<Subject> subjects = make_subjects(options);
    std::printf("\n%-8s %7s  %-34s %12s %-8s %10s\n", "mesh", "faces", "what", "value", "unit",
                "x fcl-obb");
    for (const Subject &subject : subjects) {
        const Report report(csv, subject);
        measure_builds(report, subject.geometry);
        measure_opening(report, subject);
        std::fflush(stdout);
    }
    close_csv(csv, options.csv);
    free_subjects(subjects);
    return 0;
}
