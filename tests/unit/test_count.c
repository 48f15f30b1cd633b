/* Counting of possible collision cells, held against a second way to it that shares nothing:
 * every triangle clipped to every cell by six planes (I. Sutherland and G. Hodgman, 1974), in
 * the box's own lengths, thresholds from the text. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/adb.h"
#include "../../formats/check.h"
#include "../../runtime/base/tree.h"
#include "../../tools/encode/audit.h"
#include "../../tools/count/cells.h"
#include "../../tools/count/count.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"
#include "../support/rounding.h"

static const char *const kinds[] = {QUICK_KIND_NAMES};
enum { KINDS = KILN_NODE_KIND_COUNT, GRIDS = 3, SLOTS_MAX = 512 };
static const unsigned grids[GRIDS] = {4, 8, 16};

/* ----------------------------------------------------------------------------- the oracle -- */

typedef struct {
    double at[16][3];
    int count;
} loop_of_points;

/* Keeps what is on the side `sign` of the plane at[axis] = plane. */
static loop_of_points clip(const loop_of_points *in, int axis, double plane, double sign)
{
    loop_of_points out = {.count = 0};
    for (int i = 0; i < in->count; i++) {
        const double *p = in->at[i], *q = in->at[(i + 1) % in->count];
        const double dp = sign * (p[axis] - plane), dq = sign * (q[axis] - plane);
        if (dp >= 0) {
            memcpy(out.at[out.count++], p, 3 * sizeof(double));
        }
        if ((dp > 0 && dq < 0) || (dp < 0 && dq > 0)) {
            for (int k = 0; k < 3; k++) {
                out.at[out.count][k] = p[k] + (q[k] - p[k]) * dp / (dp - dq);
            }
            out.count++;
        }
    }
    return out;
}

static double area_of(const loop_of_points *p)
{
    double n[3] = {0, 0, 0};
    for (int i = 2; i < p->count; i++) {
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            n[k] += (p->at[i - 1][a] - p->at[0][a]) * (p->at[i][b] - p->at[0][b]) -
                    (p->at[i - 1][b] - p->at[0][b]) * (p->at[i][a] - p->at[0][a]);
        }
    }
    return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/* Of a triangle's area, what lies between lower and upper in the box's frame. */
static double area_between(const kiln_box *frame, const double corner[9], const double lower[3],
                           const double upper[3])
{
    loop_of_points p = {.count = 3};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            p.at[i][k] = 0;
            for (int j = 0; j < 3; j++) {
                p.at[i][k] += frame->axis[k][j] * (corner[3 * i + j] - frame->centre[j]);
            }
        }
    }
    for (int k = 0; k < 3 && p.count > 0; k++) {
        p = clip(&p, k, lower[k], 1);
        p = clip(&p, k, upper[k], -1);
    }
    return p.count > 2 ? area_of(&p) : 0;
}

static void cell_ends(const kiln_box *frame, unsigned grid, const unsigned at[3], double lower[3],
                      double upper[3])
{
    for (int k = 0; k < 3; k++) {
        const double edge = 2 * frame->half[k] / grid;
        lower[k] = -frame->half[k] + edge * at[k];
        upper[k] = lower[k] + edge;
    }
}

/* -------------------------------------------------------------------------- cells and areas -- */

static void random_frame(uint64_t *state, kiln_box *frame)
{
    const kiln_pose pose = pose_random(state, 0.2);
    for (int k = 0; k < 3; k++) {
        frame->centre[k] = pose.translation[k];
        frame->half[k] = random_between(state, 0.05, 0.8);
        for (int j = 0; j < 3; j++) {
            frame->axis[k][j] = pose.rotation[3 * k + j];
        }
    }
}

static void random_triangle(uint64_t *state, const kiln_box *frame, double reach, double corner[9])
{
    for (int i = 0; i < 3; i++) {
        double local[3];
        for (int k = 0; k < 3; k++) {
            local[k] = frame->half[k] * random_between(state, -reach, reach);
        }
        for (int j = 0; j < 3; j++) {
            corner[3 * i + j] = frame->centre[j];
            for (int k = 0; k < 3; k++) {
                corner[3 * i + j] += frame->axis[k][j] * local[k];
            }
        }
    }
}

static double whole_area(const double corner[9])
{
    loop_of_points p = {.count = 3};
    memcpy(p.at, corner, 9 * sizeof(double));
    return area_of(&p);
}

static double sum_of(const kiln_cells *cells)
{
    double sum = 0;
    for (unsigned i = 0; i < cells->grid * cells->grid * cells->grid; i++) {
        sum += cells->area[i];
    }
    return sum;
}

/* Every part of a triangle is in one cell: nothing is lost, nothing counted twice. */
static void areas_add_up(void **state)
{
    (void)state;
    uint64_t random = 1;
    static kiln_cells cells;
    for (int i = 0; i < 3000; i++) {
        kiln_box frame;
        double corner[9];
        random_frame(&random, &frame);
        random_triangle(&random, &frame, 1, corner);
        const double area = whole_area(corner);
        assert_true(kiln_cells_begin(&cells, &frame, grids[i % GRIDS]));
        kiln_cells_add(&cells, corner, area, i % 2 == 0);
        assert_true(fabs(sum_of(&cells) - area) <= 1e-12 * (1 + area));
    }
}

static void each_cell_has_its_part(void **state)
{
    (void)state;
    uint64_t random = 2;
    static kiln_cells cells;
    for (int i = 0; i < 300; i++) {
        kiln_box frame;
        double corner[9], lower[3], upper[3];
        unsigned at[3];
        random_frame(&random, &frame);
        random_triangle(&random, &frame, i % 3 == 0 ? 1 : 2.5, corner);
        const unsigned grid = grids[i % GRIDS];
        assert_true(kiln_cells_begin(&cells, &frame, grid));
        kiln_cells_add(&cells, corner, whole_area(corner), false);
        for (at[2] = 0; at[2] < grid; at[2]++) {
            for (at[1] = 0; at[1] < grid; at[1]++) {
                for (at[0] = 0; at[0] < grid; at[0]++) {
                    cell_ends(&frame, grid, at, lower, upper);
                    const double want = area_between(&frame, corner, lower, upper);
                    const double got = cells.area[at[0] + grid * (at[1] + grid * at[2])];
                    assert_true(fabs(got - want) <= 1e-11);
                }
            }
        }
    }
}

/* A unit cube about 0. */
static kiln_box cube(double half)
{
    const kiln_box frame = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {half, half, half}};
    return frame;
}

static void add_square(kiln_cells *cells, double z)
{
    const double a[9] = {-1, -1, z, 1, -1, z, 1, 1, z}, b[9] = {-1, -1, z, 1, 1, z, -1, 1, z};
    kiln_cells_add(cells, a, 2, true);
    kiln_cells_add(cells, b, 2, true);
}

static unsigned possible(const kiln_cells *cells, unsigned rule, double factor)
{
    const double threshold = kiln_cells_threshold(cells, rule, factor);
    unsigned count = 0;
    for (unsigned i = 0; i < cells->grid * cells->grid * cells->grid; i++) {
        count += cells->area[i] >= threshold;
    }
    return count;
}

/* A plane along two axes fills one layer of cells, each with a^2; the mean section of a cube is
 * 2/3 a^2, the largest a^2 sqrt 2: by Definition 2 to the letter no cell is possible. */
static void a_plane_in_a_cube(void **state)
{
    (void)state;
    static kiln_cells cells;
    const kiln_box frame = cube(1);
    for (unsigned g = 0; g < GRIDS; g++) {
        const unsigned grid = grids[g];
        for (unsigned layer = 0; layer <= grid; layer++) {
            /* In the middle of a layer, and in the planes between layers. */
            for (int between = 0; between < 2; between++) {
                const double z = 2.0 * (layer + (between ? 0 : 0.5)) / grid - 1;
                if (z > 1) {
                    continue;
                }
                assert_true(kiln_cells_begin(&cells, &frame, grid));
                add_square(&cells, z);
                assert_int_equal(possible(&cells, KILN_ADB_AREA_MEAN, 0.75), grid * grid);
                assert_int_equal(possible(&cells, KILN_ADB_AREA_MEAN, 1.49), grid * grid);
                assert_int_equal(possible(&cells, KILN_ADB_AREA_MEAN, 1.51), 0);
                assert_int_equal(possible(&cells, KILN_ADB_AREA_MAX, 0.5), grid * grid);
                assert_int_equal(possible(&cells, KILN_ADB_AREA_MAX, 1), 0);
                const unsigned where = layer < grid ? layer : grid - 1;
                assert_true(cells.area[(size_t)where * grid * grid] > 0);
            }
        }
    }
}

static void thresholds_are_sections(void **state)
{
    (void)state;
    static kiln_cells cells;
    static const double orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                        {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
    for (int i = 0; i < 6; i++) {
        kiln_box frame = cube(1);
        memcpy(frame.half, orders[i], sizeof frame.half);
        assert_true(kiln_cells_begin(&cells, &frame, 4)); /* cells of 0.5, 1, 1.5 */
        assert_true(fabs(kiln_cells_threshold(&cells, KILN_ADB_AREA_MEAN, 1) - 0.5) < 1e-15);
        const double largest = 1.5 * sqrt(1 + 0.25);
        assert_true(fabs(kiln_cells_threshold(&cells, KILN_ADB_AREA_MAX, 2) - 2 * largest) < 1e-15);
    }
}

/* Flat boxes get a thickness, points nothing; triangles without area add none. */
static void flat_boxes_and_degenerate_triangles(void **state)
{
    (void)state;
    static kiln_cells cells;
    kiln_box frame = cube(1);
    frame.half[2] = 0;
    assert_true(kiln_cells_begin(&cells, &frame, 4));
    assert_true(cells.box.half[2] == 0.02);
    add_square(&cells, 0);
    assert_int_equal(possible(&cells, KILN_ADB_AREA_MEAN, 0.75), 16);
    frame = cube(1);
    assert_true(kiln_cells_begin(&cells, &frame, 4));
    const double segment[9] = {-1, -1, -1, 1, 1, 1, 0, 0, 0}, dot[9] = {0};
    kiln_cells_add(&cells, segment, 0, true);
    kiln_cells_add(&cells, dot, 0, true);
    assert_true(sum_of(&cells) == 0);
    frame = cube(0);
    assert_false(kiln_cells_begin(&cells, &frame, 8));
}

/* ---------------------------------------------------------------------------- regions, depths
 * -- */

static void regions_share_the_cells(void **state)
{
    (void)state;
    for (unsigned g = 0; g < GRIDS; g++) {
        for (uint8_t regions = KILN_ADB_REGIONS_ONE; regions <= KILN_ADB_REGIONS_SECTORS;
             regions++) {
            const kiln_format_adb adb = {.grid = (uint8_t)grids[g], .regions = regions};
            const unsigned count = kiln_adb_region_count(&adb),
                           all = grids[g] * grids[g] * grids[g];
            uint32_t cells[KILN_ADB_REGIONS_MOST], sum = 0, most = 0;
            kiln_adb_region_cells(&adb, cells);
            for (unsigned i = 0; i < KILN_ADB_REGIONS_MOST; i++) {
                assert_true(i < count ? cells[i] > 0 : cells[i] == 0);
                if (i < count) {
                    assert_in_range(cells[i] * count, all * 3 / 4, all * 5 / 4);
                }
                sum += cells[i];
                most = cells[i] > most ? cells[i] : most;
            }
            assert_int_equal(sum, all);
            assert_true(kiln_adb_unit(&adb) * 256 >= most);
            assert_true((kiln_adb_unit(&adb) - 1) * 256 < most);
        }
    }
}

/* Away from ties a sector is that of the largest offset. */
static void sectors_are_pyramids(void **state)
{
    (void)state;
    const kiln_format_adb adb = {.grid = 8, .regions = KILN_ADB_REGIONS_SECTORS};
    for (unsigned axis = 0; axis < 3; axis++) {
        for (unsigned i = 0; i < 8; i++) {
            unsigned cell[3] = {3, 4, 3};
            cell[axis] = i;
            if (i != 3 && i != 4) {
                assert_int_equal(kiln_adb_region_of(&adb, cell), 2 * axis + (i > 3));
            }
        }
    }
}

static void depths_are_logarithms(void **state)
{
    (void)state;
    static const uint32_t wholes[] = {2, 3, 4, 7, 100, 4096, 65537, 1000003, 0xFFFFFFFE};
    assert_int_equal(kiln_count_depth(1, 1), 255);
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        const uint32_t whole = wholes[i];
        int last = 255;
        assert_int_equal(kiln_count_depth(1, whole), 255);
        assert_int_equal(kiln_count_depth(whole, whole), 0);
        for (uint64_t step = 1; step <= whole; step += step / 64 + 1) {
            const uint32_t n = (uint32_t)step;
            const double want = 255 * (1 - log2(n) / log2(whole));
            const int got = kiln_count_depth(n, whole);
            assert_true(fabs(got - want) <= 0.5 + 1e-4);
            assert_true(got <= last);
            last = got;
        }
    }
}

/* ------------------------------------------------------------------------------- whole trees -- */

static kiln_bake_options counting_options(const char *bv, int grid)
{
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = bv;
    options.leaf = 2;
    options.layout = KILN_LAYOUT_RAW;
    options.threads = 1;
    options.adb = grid;
    options.adb_factor = 0.75;
    return options;
}

typedef struct {
    const kiln_tree *tree;
    uint32_t node;
    unsigned lane;
    uint32_t first, count; /* slots */
    kiln_box frame;
} lane_of_tree;

/* Counts the slots below a lane by walking. */
static uint32_t slots_below(const kiln_tree *tree, uint32_t node, unsigned lane, uint32_t *first)
{
    const kiln_format_node8 *head = kiln_tree_node(tree, node);
    uint32_t sum = 0;
    if ((head->inner >> lane & 1) == 0) {
        const uint32_t slot = kiln_node8_slot(head, lane), count = kiln_node8_count(head, lane);
        *first = count > 0 && slot < *first ? slot : *first;
        return count;
    }
    const uint32_t child = kiln_node8_child(head, lane);
    for (unsigned i = 0; i < tree->view.kind->lanes; i++) {
        sum += slots_below(tree, child, i, first);
    }
    return sum;
}

static void place_corners(const kiln_tree *tree, uint32_t slot, double corner[9])
{
    const uint32_t *index = tree->triangles + 3 * (size_t)kiln_tree_triangle(tree, slot);
    for (size_t i = 0; i < 9; i++) {
        const double at = (double)tree->vertices[3 * (size_t)index[i / 3] + i % 3];
        corner[i] =
            (at - tree->view.entry->origin[i % 3]) * ldexp(1, -tree->view.entry->scale_exponent);
    }
}

/* Triangles that have a slot in a run. In an octree one may have several there, and counts once. */
static uint32_t triangles_of(const kiln_tree *tree, uint32_t first, uint32_t count, uint32_t *slots)
{
    uint32_t found = 0;
    for (uint32_t slot = first; slot < first + count; slot++) {
        bool before = false;
        for (uint32_t i = first; i < slot; i++) {
            before = before || kiln_tree_triangle(tree, i) == kiln_tree_triangle(tree, slot);
        }
        if (!before) {
            assert_true(found < SLOTS_MAX);
            slots[found++] = slot;
        }
    }
    return found;
}

/* Least and most possible cells of each region: cells within rounding of the threshold may go
 * either way. */
static void oracle_counts(const lane_of_tree *of, const kiln_format_adb *how, uint32_t least[8],
                          uint32_t most[8])
{
    kiln_box frame = of->frame;
    double largest = 0, edge[3], lower[3], upper[3];
    unsigned at[3];
    for (int k = 0; k < 3; k++) {
        largest = fmax(largest, frame.half[k]);
    }
    for (int k = 0; k < 3; k++) {
        frame.half[k] = fmax(frame.half[k], 0.02 * largest);
        edge[k] = 2 * frame.half[k] / how->grid;
    }
    const double long_edge = fmax(edge[0], fmax(edge[1], edge[2]));
    const double volume = edge[0] * edge[1] * edge[2], sum = edge[0] + edge[1] + edge[2];
    const double others = edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2];
    const double section = how->area == KILN_ADB_AREA_MEAN
                               ? 2 * volume / sum
                               : long_edge * sqrt(others - long_edge * long_edge);
    const bool all = how->polygons == KILN_ADB_POLYGONS_BOX;
    const uint32_t first = all ? 0 : of->first, run = all ? of->tree->view.slots : of->count;
    uint32_t slots[SLOTS_MAX];
    const uint32_t count = triangles_of(of->tree, first, run, slots);
    memset(least, 0, 8 * sizeof *least);
    memset(most, 0, 8 * sizeof *most);
    for (at[2] = 0; at[2] < how->grid; at[2]++) {
        for (at[1] = 0; at[1] < how->grid; at[1]++) {
            for (at[0] = 0; at[0] < how->grid; at[0]++) {
                double area = 0, near_area = 0, far_lower[3], far_upper[3];
                cell_ends(&frame, how->grid, at, lower, upper);
                for (int k = 0; k < 3; k++) { /* faces in a plane between cells may lie in either */
                    far_lower[k] = lower[k] - 1e-9 * edge[k];
                    far_upper[k] = upper[k] + 1e-9 * edge[k];
                    lower[k] += 1e-9 * edge[k];
                    upper[k] -= 1e-9 * edge[k];
                }
                for (uint32_t i = 0; i < count; i++) {
                    double corner[9];
                    place_corners(of->tree, slots[i], corner);
                    near_area += area_between(&frame, corner, lower, upper);
                    area += area_between(&frame, corner, far_lower, far_upper);
                }
                const unsigned region = kiln_adb_region_of(how, at);
                least[region] += near_area >= how->factor * section * (1 + 1e-6);
                most[region] += area >= how->factor * section * (1 - 1e-6);
            }
        }
    }
}

static void check_box(const lane_of_tree *of, const kiln_format_adb_box *box, unsigned depth)
{
    const kiln_format_adb *how = of->tree->view.adb;
    uint32_t least[8], most[8], slots[SLOTS_MAX];
    const uint32_t triangles = triangles_of(of->tree, of->first, of->count, slots);
    assert_int_equal(box->depth, depth);
    assert_int_equal(box->lb, kiln_count_depth(triangles, of->tree->view.entry->triangle_count));
    oracle_counts(of, how, least, most);
    for (unsigned i = 0; i < 8; i++) {
        assert_in_range(box->count[i], least[i], most[i]);
    }
}

static void check_node(const kiln_tree *tree, uint32_t node, unsigned depth, uint32_t *boxes)
{
    const kiln_format_node8 *head = kiln_tree_node(tree, node);
    for (unsigned lane = 0; lane < tree->view.kind->lanes; lane++) {
        const kiln_format_adb_box *box = kiln_tree_lane_counts(tree, node, lane);
        static const kiln_format_adb_box nothing;
        if ((kiln_node8_used(head) >> lane & 1) == 0) {
            assert_memory_equal(box, &nothing, sizeof nothing);
            continue;
        }
        kiln_lane_box decoded;
        lane_of_tree of = {.tree = tree, .node = node, .lane = lane, .first = UINT32_MAX};
        of.count = slots_below(tree, node, lane, &of.first);
        tree->view.kind->decode_lane(head, lane, &decoded);
        for (int k = 0; k < 3; k++) {
            of.frame.centre[k] = (double)head->org[k] + (double)decoded.centre[k];
            of.frame.half[k] = (double)decoded.half[k];
            for (int j = 0; j < 3; j++) {
                of.frame.axis[k][j] = (double)decoded.axis[k][j];
            }
        }
        check_box(&of, box, depth);
        ++*boxes;
        if ((head->inner >> lane & 1) != 0) {
            check_node(tree, kiln_node8_child(head, lane), depth + 1, boxes);
        }
    }
}

static void check_root(const kiln_tree *tree)
{
    const kiln_format_tree *entry = tree->view.entry;
    lane_of_tree of = {.tree = tree, .count = tree->view.slots, .frame = cube(0)};
    for (int k = 0; k < 3; k++) {
        const double unit = ldexp(1, -entry->scale_exponent);
        const double lower = ((double)entry->bounds_lower[k] - entry->origin[k]) * unit;
        const double upper = ((double)entry->bounds_upper[k] - entry->origin[k]) * unit;
        of.frame.centre[k] = (lower + upper) / 2;
        of.frame.half[k] = (upper - lower) / 2;
    }
    check_box(&of, kiln_tree_root_counts(tree), 0);
}

static kiln_file *open_bytes(const void *bytes, size_t size)
{
    kiln_file *file = NULL;
    kiln_error error = {.message = ""};
    kiln_open_options how = kiln_open_options_default();
    how.error = &error;
    if (kiln_open_memory(bytes, size, &how, &file) != KILN_OK) {
        fail_msg("%s", error.message);
    }
    return file;
}

static uint32_t check_mesh(mesh m, const kiln_bake_options *options)
{
    size_t size;
    void *bytes = quick_bake_with(&m, options, &size);
    kiln_file *file = open_bytes(bytes, size);
    uint32_t boxes = 0;
    for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
        const kiln_tree *tree = kiln_file_tree(file, i);
        assert_int_equal(kiln_tree_get_info(tree).adb_grid, options->adb);
        check_root(tree);
        check_node(tree, 0, 1, &boxes);
    }
    kiln_format_error error = {.code = KILN_FORMAT_ERROR_NONE};
    kiln_audit_counts counts;
    assert_true(kiln_audit_in_full(bytes, size, true, &counts, &error));
    assert_true(counts.counted >= boxes);
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
    return boxes;
}

/* All kinds but octrees, of which not all polygons that meet a box are counted (R27). */
static void list_unshared(char *list, size_t size)
{
    size_t used = 0;
    for (int k = 0; k < KINDS; k++) {
        if (!kiln_node_kinds[k].shared) {
            used += (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? "," : "",
                                     kiln_node_kinds[k].name);
        }
    }
    assert_true(used < size);
}

static void every_box_is_counted_right(void **state)
{
    (void)state;
    uint64_t random = 3;
    uint32_t boxes = 0;
    char unshared[256];
    list_unshared(unshared, sizeof unshared);
    for (int i = 0; i < 12; i++) {
        const bool subtree = i % 4 < 2;
        kiln_bake_options options =
            counting_options(subtree ? QUICK_ALL_KINDS : unshared, i % 6 < 5 ? 4 : 8);
        options.leaf = 1 + i % 4;
        options.adb_area = i % 2 == 0 ? KILN_ADB_AREA_BY_MEAN : KILN_ADB_AREA_BY_MAX;
        options.adb_factor = i % 2 == 0 ? 0.75 : 0.5;
        options.adb_polygons = subtree ? KILN_ADB_SUBTREE : KILN_ADB_MEETING_BOX;
        options.adb_regions = i % 3 == 0 ? KILN_ADB_SECTORS : KILN_ADB_OCTANTS;
        switch (i % 4) {
        case 0:
            boxes += check_mesh(mesh_torus(6, 5, 0.1), &options);
            break;
        case 1:
            boxes += check_mesh(mesh_soup(&random, 25, 0.4), &options);
            break;
        case 2:
            boxes += check_mesh(mesh_lattice(&random, 20, 3), &options);
            break;
        default:
            boxes += check_mesh(mesh_box(-1, -0.5f, 0, 1, 0.5f, 0), &options); /* flat */
            break;
        }
    }
    print_message("%u boxes\n", boxes);
    assert_true(boxes > 1000);
}

/* One triangle, a point, a segment: trees of one node. */
static void the_smallest_trees(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        mesh m = mesh_box(0, 0, 0, 1, 1, 1);
        const float corners[3][9] = {
            {0, 0, 0, 1, 0, 0, 0, 1, 0}, {2, 2, 2, 2, 2, 2, 2, 2, 2}, {0, 0, 0, 1, 1, 1, 3, 3, 3}};
        memcpy(m.positions, corners[i], sizeof corners[i]);
        m.vertex_count = 3;
        m.triangle_count = 1;
        memcpy(m.indices, (const uint32_t[3]){0, 1, 2}, 3 * sizeof(uint32_t));
        const kiln_bake_options options = counting_options(QUICK_ALL_KINDS, 4);
        (void)check_mesh(m, &options);
    }
}

/* Where units are 1 the counts of regions add up to the one count. */
static void regions_add_up_to_the_one_count(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (int k = 0; k < KINDS; k++) {
        mesh m = mesh_soup(&random, 40, 0.4);
        kiln_bake_options options = counting_options(kinds[k], 4);
        kiln_file *files[3];
        void *bytes[3];
        for (int r = 0; r < 3; r++) {
            size_t size;
            options.adb_regions = (kiln_adb_regions)(KILN_ADB_ONE + r);
            bytes[r] = quick_bake_with(&m, &options, &size);
            files[r] = open_bytes(bytes[r], size);
        }
        const kiln_tree *one = kiln_file_tree(files[0], 0);
        for (uint32_t i = 0; i < one->view.adb->box_count; i++) {
            unsigned sums[3] = {0, 0, 0};
            for (int r = 0; r < 3; r++) {
                for (unsigned j = 0; j < 8; j++) {
                    sums[r] += kiln_file_tree(files[r], 0)->view.boxes[i].count[j];
                }
            }
            assert_int_equal(sums[0], sums[1]);
            assert_int_equal(sums[0], sums[2]);
        }
        for (int r = 0; r < 3; r++) {
            kiln_close(files[r]);
            free(bytes[r]);
        }
        mesh_free(&m);
    }
}

/* ---------------------------------------------------------------------------- bytes, files -- */

static void threads_do_not_show(void **state)
{
    (void)state;
    static const int threads[] = {2, 3, 8};
    mesh m = mesh_torus(20, 14, 0.1);
    for (int variant = 0; variant < 4; variant++) {
        size_t size, again_size;
        kiln_bake_options options = counting_options("obb,obb2", variant < 2 ? 4 : 8);
        options.adb_polygons = variant % 2 == 0 ? KILN_ADB_SUBTREE : KILN_ADB_MEETING_BOX;
        void *bytes = quick_bake_with(&m, &options, &size);
        for (int i = 0; i < 3; i++) {
            options.threads = threads[i];
            void *again = quick_bake_with(&m, &options, &again_size);
            assert_int_equal(size, again_size);
            assert_memory_equal(bytes, again, size);
            free(again);
        }
        free(bytes);
    }
    mesh_free(&m);
}

/* A bake sets the environment of its caller aside, for trees of all kinds as for counts. All
 * coordinates of the second scale are subnormal, which one mode flushes to zero. */
static void rounding_does_not_show(void **state)
{
    (void)state;
    enum { TEXT_SIZE = 1 << 20 };
    const bool shortened = is_shortened();
    mesh m = shortened ? mesh_torus(24, 16, 0.1) : mesh_torus(60, 40, 0.1);
    char *text = malloc(TEXT_SIZE), *at = text;
    assert_non_null(text);
    for (uint32_t i = 0; i < m.vertex_count; i++) {
        const float *v = m.positions + 3 * (size_t)i;
        at += sprintf(at, "v %.9g %.9g %.9g\n", (double)v[0], (double)v[1], (double)v[2]);
    }
    for (uint32_t i = 0; i < m.triangle_count; i++) {
        const uint32_t *corner = m.indices + 3 * (size_t)i;
        at += sprintf(at, "f %u %u %u\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
    }
    assert_true(at < text + TEXT_SIZE);
    const kiln_bake_input input = {"torus.obj", text, (size_t)(at - text), "obj"};
    kiln_bake_options options = counting_options(QUICK_ALL_KINDS, 4);
    options.threads = 2;
    for (int scale = 0; scale < 2; scale++) {
        void *bytes, *again;
        size_t size, again_size;
        options.scale = scale == 0 ? 1 : 0x1p-140;
        assert_int_equal(kiln_bake_to_memory(&input, &options, &bytes, &size, NULL), KILN_BAKE_OK);
        for (int mode = 1; mode <= ROUNDING_MODES; mode++) {
            rounding_enter(mode);
            const int rounding = fegetround();
            const kiln_bake_status status =
                kiln_bake_to_memory(&input, &options, &again, &again_size, NULL);
            const int after = fegetround();
            rounding_leave();
            assert_int_equal(status, KILN_BAKE_OK);
            assert_int_equal(after, rounding);
            assert_int_equal(size, again_size);
            assert_memory_equal(bytes, again, size);
            free(again);
        }
        free(bytes);
    }
    free(text);
    mesh_free(&m);
}

/* Opens, is sound, has the counts; but exact answers need polygons. */
static void files_without_polygons(void **state)
{
    (void)state;
    mesh m = mesh_torus(8, 6, 0.1);
    for (int layout = 0; layout < 2; layout++) {
        size_t size, full_size;
        kiln_bake_options options = counting_options(QUICK_ALL_KINDS, 4);
        options.layout = layout == 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW;
        void *full_bytes = quick_bake_with(&m, &options, &full_size);
        options.no_geometry = true;
        void *bytes = quick_bake_with(&m, &options, &size);
        kiln_file *file = open_bytes(bytes, size), *full = open_bytes(full_bytes, full_size);
        kiln_format_error error = {.code = KILN_FORMAT_ERROR_NONE};
        assert_true(size <= full_size); /* nodes are aligned to 16 KiB */
        assert_true(kiln_audit_in_full(bytes, size, true, NULL, &error));
        for (uint32_t i = 0; i < KINDS; i++) {
            const kiln_tree *tree = kiln_file_tree(file, i), *with = kiln_file_tree(full, i);
            const kiln_tree_info info = kiln_tree_get_info(tree);
            kiln_hit hit = {true, {7, 7, 7, 7}, {7, 7}};
            kiln_source source;
            size_t count = 7;
            assert_false(info.polygons);
            assert_true(kiln_tree_get_info(with).polygons);
            assert_int_equal(info.triangle_count, m.triangle_count);
            assert_memory_equal(tree->view.boxes, with->view.boxes, tree->view.adb->box_count * 12);
            assert_int_equal(kiln_collide(tree, NULL, tree, NULL, NULL, &hit),
                             KILN_ERROR_NOT_LOADED);
            assert_int_equal(kiln_collide(tree, NULL, with, NULL, NULL, &hit),
                             KILN_ERROR_NOT_LOADED);
            assert_int_equal(kiln_contacts(with, NULL, tree, NULL, NULL, NULL, 0, &count),
                             KILN_ERROR_NOT_LOADED);
            assert_true(hit.found && hit.pair.a == 7 && count == 7);
            assert_int_equal(kiln_tree_source(tree, 0, &source), KILN_ERROR_NOT_LOADED);
            assert_int_equal(kiln_tree_user(tree, 0), 0);
        }
        kiln_close(file);
        kiln_close(full);
        free(bytes);
        free(full_bytes);
    }
    mesh_free(&m);
}

static const char cube_obj[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static bool cancel_counting(void *user, const char *stage, double part)
{
    (void)user;
    (void)part;
    return strncmp(stage, "count", 5) != 0;
}

static void options_are_checked(void **state)
{
    (void)state;
    const kiln_bake_input input = {"cube.obj", cube_obj, sizeof cube_obj - 1, "obj"};
    void *data;
    size_t size;
    for (int i = 0; i < 9; i++) {
        kiln_bake_options options = kiln_bake_options_default();
        options.adb = i == 0 ? 5 : i == 1 ? -4 : i == 2 ? 260 : i == 8 ? 0 : 4;
        options.adb_factor = i == 3 ? -1 : i == 4 ? 1001 : 0;
        options.adb_area = i == 5 ? (kiln_adb_area)3 : KILN_ADB_AREA_BY_MEAN;
        options.adb_polygons = i == 6 ? (kiln_adb_polygons)0 : KILN_ADB_SUBTREE;
        options.adb_regions = i == 7 ? (kiln_adb_regions)4 : KILN_ADB_OCTANTS;
        options.no_geometry = i == 8;
        assert_int_equal(kiln_bake_to_memory(&input, &options, &data, &size, NULL),
                         KILN_BAKE_USAGE);
    }
    kiln_bake_options options = kiln_bake_options_default();
    options.adb = 4;
    options.progress = cancel_counting;
    assert_int_equal(kiln_bake_to_memory(&input, &options, &data, &size, NULL), KILN_BAKE_FAILED);
    options.progress = NULL;
    options.adb_area = KILN_ADB_AREA_BY_MAX;
    assert_int_equal(kiln_bake_to_memory(&input, &options, &data, &size, NULL), KILN_BAKE_OK);
    kiln_file *file = open_bytes(data, size);
    assert_true(kiln_file_tree(file, 0)->view.adb->factor == 0.5);
    kiln_close(file);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_add_up),
        cmocka_unit_test(each_cell_has_its_part),
        cmocka_unit_test(a_plane_in_a_cube),
        cmocka_unit_test(thresholds_are_sections),
        cmocka_unit_test(flat_boxes_and_degenerate_triangles),
        cmocka_unit_test(regions_share_the_cells),
        cmocka_unit_test(sectors_are_pyramids),
        cmocka_unit_test(depths_are_logarithms),
        cmocka_unit_test(every_box_is_counted_right),
        cmocka_unit_test(the_smallest_trees),
        cmocka_unit_test(regions_add_up_to_the_one_count),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(rounding_does_not_show),
        cmocka_unit_test(files_without_polygons),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
