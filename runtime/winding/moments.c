/* What is below each box, summed up for points that are far away (Barill, Dickson, Schmidt, Levin
 * and Jacobson, "Fast winding numbers for soups and clouds", ACM TOG 37(4), 2018, section 3), with
 * the proof of what that is off by, which is our own.
 *
 * Let c be a centre, y lead from the point p to c, R be the length of y, and r lead from c to a
 * place on a triangle with normal n. The winding number is 1 / (4 pi) times the integral of
 * n g(y + r) over all triangles, where g(x) = x / |x|^3 = - grad 1 / |x|. The series of g in r is
 *
 *     n g = n y / R^3 - 3 S(y, y) / R^5 + 15/2 T(y, y, y) / R^7 + ...
 *
 * where S is the symmetric part of n r, T that of n r r, each without its traces, which add nothing
 * since 1 / |x| is harmonic: 3, 5 and 7 numbers, whose integrals are kept. S of a triangle is its
 * vector of area times the vector to its centroid; the integral of r r is (sum of the corners' v v
 * + 9 times that of the centroid) / 12 times the area.
 *
 * Remainder. The terms of 1 / |y + r| are (-|r|)^k P_k(cos) / R^(k + 1), with the angle of y and r.
 * By Laplace's integral |r|^k P_k(cos) is the mean over all t of (r1 + i (r2 cos t + r3 sin t))^k,
 * with r1 along y. Its derivative along n is the mean of k (r1 + i ...)^(k - 1) (n1 + i (n2 cos t +
 * n3 sin t)), where neither factor is longer than |r|^(k - 1) and 1. So the term of degree m of n g
 * is at most (m + 1) |r|^m / R^(m + 2), and all from the third on are at most
 *
 *     sum of (m + 1) q^m / R^2 = q^3 (4 - 3 q) / (1 - q)^2 / R^2    with q = |r| / R < 1.
 *
 * With the largest |r| in the second factor, the integral is the first of |r|^3 / R^3 times that
 * factor. |r|^3 is convex, so that its integral over a triangle is at most the area times the mean
 * of its corners' (THIRD). The bound is sharp: small triangles that face the point come near it.
 *
 * Rounding, with u = 2^-53. Let W be half the sum of the magnitudes of the six products in the
 * cross products of triangles, no less than their area; let Z be the radius of the ball about c
 * that holds the balls of what is below, and of a leaf its corners. By induction the numbers are
 * off by less than e W, e W Z and e W Z^2 (as vectors and tensors), with e = 64 u times the levels
 * below: those of a triangle come from W, and distances up to Z, by less than 20 operations each; a
 * move by s, |s| + Z' <= Z, adds the symmetric parts of n s, of 2 S s and of n s s, no larger than
 * W Z and W Z^2, whose errors keep to the same products; sums have at most 15 terms. In the value
 * they are e W (1 + 3 t + 7.5 t^2) / (4 pi R^2) with t = Z / R. The value itself, of terms that
 * together are at most W (1.8 + 15 t + 144 t^2) / (4 pi R^2) in magnitude, is computed with less
 * than 40 u of that. Boxes are far only if R > radius / 0.75, so that both are less than 2^-39
 * levels W (1 + t)^2 / (4 pi R^2) with t = 0.75 Z / radius (ROUND). What is too small for doubles
 * is below 2^-300.
 */
#include "winding.h"

#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "../base/fpu.h"
#include "../base/caller_memory.h"

#include <math.h>
#include <string.h>

#define FOUR_PI_INVERSE 0x1.45f306dc9c883p-4
#define UPWARD (1.0 + 0x1p-20) /* more than the sums of positive numbers are off by */
#define ROUNDING 0x1p-39

enum {
    WINDING_ALIGNMENT = 64,
    ROW_AREA = KILN_WINDING_WEIGHT, /* while moments are summed up, then: radius^2 */
    ROW_GROSS = KILN_WINDING_ROUND, /* W, until the end */
    MOMENTS = KILN_WINDING_WEIGHT - KILN_WINDING_DIPOLE
};

/* Dipole, S and T, as the rows have them. */
typedef struct {
    double n[3], rest[MOMENTS - 3];
} far_moments;

/* ----------------------------------------------------------------------------------- tensors -- */

/* Adds tensors without their traces. s: xx yy zz xy xz yz; t: xxx yyy zzz xxy xxz xyy yyz xzz yzz
 * xyz. */
static void add_traceless(const double s[6], const double t[10], double rest[MOMENTS - 3])
{
    const double trace = (s[0] + s[1] + s[2]) / 3;
    const double x = (t[0] + t[5] + t[7]) / 5, y = (t[3] + t[1] + t[8]) / 5,
                 z = (t[4] + t[6] + t[2]) / 5;
    const double part[MOMENTS - 3] = {s[0] - trace, s[1] - trace, s[3],     s[4],
                                      s[5],         t[0] - 3 * x, t[5] - x, t[1] - 3 * y,
                                      t[3] - y,     t[4] - z,     t[6] - z, t[9]};
    for (int i = 0; i < MOMENTS - 3; i++) {
        rest[i] += part[i];
    }
}

/* The symmetric part of n w, w symmetric: xx yy zz xy xz yz. */
static void symmetric_product(const double n[3], const double w[6], double t[10])
{
    t[0] = n[0] * w[0];
    t[1] = n[1] * w[1];
    t[2] = n[2] * w[2];
    t[3] = (2 * n[0] * w[3] + n[1] * w[0]) / 3;
    t[4] = (2 * n[0] * w[4] + n[2] * w[0]) / 3;
    t[5] = (2 * n[1] * w[3] + n[0] * w[1]) / 3;
    t[6] = (2 * n[1] * w[5] + n[2] * w[1]) / 3;
    t[7] = (2 * n[2] * w[4] + n[0] * w[2]) / 3;
    t[8] = (2 * n[2] * w[5] + n[1] * w[2]) / 3;
    t[9] = (n[0] * w[5] + n[1] * w[4] + n[2] * w[3]) / 3;
}

static void square_of(const double v[3], double w[6])
{
    w[0] = v[0] * v[0];
    w[1] = v[1] * v[1];
    w[2] = v[2] * v[2];
    w[3] = v[0] * v[1];
    w[4] = v[0] * v[2];
    w[5] = v[1] * v[2];
}

static void symmetric_pair(const double n[3], const double g[3], double s[6])
{
    s[0] = n[0] * g[0];
    s[1] = n[1] * g[1];
    s[2] = n[2] * g[2];
    s[3] = (n[0] * g[1] + n[1] * g[0]) / 2;
    s[4] = (n[0] * g[2] + n[2] * g[0]) / 2;
    s[5] = (n[1] * g[2] + n[2] * g[1]) / 2;
}

/* ------------------------------------------------------------------------------ one triangle -- */

typedef struct {
    double corner[9], normal[3]; /* the vector of area */
    double area, gross;          /* no less than the area; W */
} far_triangle;

static double far_length(const double v[3])
{
    return sqrt(kiln_dot(v, v));
}

static void measure_triangle(const kiln_winding *winding, uint32_t slot, far_triangle *out)
{
    double e[3], f[3];
    kiln_winding_corners(winding, slot, kiln_power_of_two(winding->exponent), out->corner);
    kiln_subtract(out->corner + 3, out->corner, e);
    kiln_subtract(out->corner + 6, out->corner, f);
    out->gross = 0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out->normal[k] = (e[i] * f[j] - e[j] * f[i]) / 2;
        out->gross += (fabs(e[i] * f[j]) + fabs(e[j] * f[i])) / 2;
    }
    out->area = far_length(out->normal) * (1 + 0x1p-48) + 0x1p-50 * out->gross;
}

static void add_triangle(const far_triangle *triangle, const double centre[3], far_moments *sum)
{
    double v[3][3], g[3], w[6] = {0, 0, 0, 0, 0, 0}, s[6], t[10];
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) {
            v[c][k] = triangle->corner[3 * c + k] - centre[k];
        }
        g[k] = v[0][k] + v[1][k] + v[2][k];
    }
    for (int c = 0; c < 4; c++) {
        double of_one[6];
        square_of(c < 3 ? v[c] : g, of_one);
        for (int i = 0; i < 6; i++) {
            w[i] += of_one[i] / 12;
        }
    }
    for (int k = 0; k < 3; k++) {
        g[k] /= 3;
        sum->n[k] += triangle->normal[k];
    }
    symmetric_pair(triangle->normal, g, s);
    symmetric_product(triangle->normal, w, t);
    add_traceless(s, t, sum->rest);
}

/* Moments about one centre, seen from one that is the vector `s` before it. */
static void add_moved(const far_moments *of, const double s[3], far_moments *sum)
{
    double pair[6], square[6], t[10], more[10];
    const double second[6] = {2 * of->rest[0], 2 * of->rest[1], -2 * (of->rest[0] + of->rest[1]),
                              2 * of->rest[2], 2 * of->rest[3], 2 * of->rest[4]};
    symmetric_pair(of->n, s, pair);
    square_of(s, square);
    symmetric_product(of->n, square, t);
    symmetric_product(s, second, more);
    for (int i = 0; i < 10; i++) {
        t[i] += more[i];
    }
    for (int k = 0; k < 3; k++) {
        sum->n[k] += of->n[k];
    }
    for (int i = 0; i < MOMENTS - 3; i++) {
        sum->rest[i] += of->rest[i];
    }
    add_traceless(pair, t, sum->rest);
}

/* ---------------------------------------------------------------------------------- one lane -- */

/* A lane while it is summed up. */
typedef struct {
    double centre[3], area, gross, ball; /* the radius of the ball that the proof speaks of */
    far_moments moments;
} far_lane;

static void read_far_lane(const kiln_winding *winding, uint32_t node, unsigned lane, far_lane *out)
{
    const double *rows = kiln_winding_rows(winding, node) + lane;
    const unsigned width = winding->width;
    for (size_t k = 0; k < 3; k++) {
        out->centre[k] = rows[k * width];
    }
    out->ball = rows[(size_t)KILN_WINDING_RADIUS * width];
    out->gross = rows[(size_t)ROW_GROSS * width];
    out->area = rows[(size_t)ROW_AREA * width];
    for (size_t i = 0; i < MOMENTS; i++) {
        *(i < 3 ? out->moments.n + i : out->moments.rest + i - 3) =
            rows[(KILN_WINDING_DIPOLE + i) * width];
    }
}

static void write_far_lane(const kiln_winding *winding, uint32_t node, unsigned lane,
                           const far_lane *of)
{
    double *rows = kiln_winding_rows(winding, node) + lane;
    const unsigned width = winding->width;
    for (size_t k = 0; k < 3; k++) {
        rows[k * width] = of->centre[k];
    }
    rows[(size_t)KILN_WINDING_RADIUS * width] = of->ball;
    rows[(size_t)ROW_GROSS * width] = of->gross;
    rows[(size_t)ROW_AREA * width] = of->area;
    for (size_t i = 0; i < MOMENTS; i++) {
        rows[(KILN_WINDING_DIPOLE + i) * width] =
            i < 3 ? of->moments.n[i] : of->moments.rest[i - 3];
    }
}

/* The mean of centres by area; what has none lies where it is put first. */
static void weigh_centre(far_lane *sum, double area, double gross, const double at[3])
{
    sum->gross += gross;
    sum->area += area;
    const double part = sum->area > 0 ? area / sum->area : 0;
    for (int k = 0; k < 3; k++) {
        sum->centre[k] += part * (at[k] - sum->centre[k]);
    }
}

static void sum_leaf(const kiln_winding *winding, kiln_contents of, far_lane *sum)
{
    far_triangle triangle;
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t slot = of.first; slot < of.first + of.count; slot++) {
            if (!kiln_winding_counts(winding->tree, slot)) {
                continue;
            }
            measure_triangle(winding, slot, &triangle);
            const double *p = triangle.corner;
            if (turn == 0) {
                double at[3];
                for (int k = 0; k < 3; k++) {
                    at[k] = (p[k] + p[3 + k] + p[6 + k]) / 3;
                }
                weigh_centre(sum, triangle.area, triangle.gross, at);
                continue;
            }
            add_triangle(&triangle, sum->centre, &sum->moments);
            for (int c = 0; c < 3; c++) {
                double v[3];
                kiln_subtract(p + 3 * c, sum->centre, v);
                sum->ball = fmax(sum->ball, far_length(v) * UPWARD);
            }
        }
    }
}

/* What has no gross area adds nothing. */
static void sum_inner(const kiln_winding *winding, uint32_t child, far_lane *sum)
{
    const uint32_t used = kiln_node8_used(kiln_tree_node(winding->tree, child));
    far_lane lane;
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t left = used; left != 0; left &= left - 1) {
            double s[3];
            read_far_lane(winding, child, (unsigned)__builtin_ctz(left), &lane);
            if (!(lane.gross > 0)) {
                continue;
            }
            if (turn == 0) {
                weigh_centre(sum, lane.area, lane.gross, lane.centre);
                continue;
            }
            kiln_subtract(lane.centre, sum->centre, s);
            add_moved(&lane.moments, s, &sum->moments);
            sum->ball = fmax(sum->ball, (far_length(s) + lane.ball) * UPWARD);
        }
    }
}

/* --------------------------------------------------------------------------------- all lanes -- */

/* A descent to all leaves, which knows the lanes above them. */
typedef struct {
    uint32_t node, left; /* lanes that are still to be entered */
    unsigned lane;       /* the one that is entered */
} far_step;

static void reach_corners(const kiln_winding *winding, const far_step *path, unsigned height,
                          uint32_t slot)
{
    far_triangle triangle;
    const unsigned width = winding->width;
    measure_triangle(winding, slot, &triangle);
    for (unsigned i = 0; i < height; i++) {
        double *rows = kiln_winding_rows(winding, path[i].node) + path[i].lane;
        double thirds = 0, most = rows[(size_t)ROW_AREA * width];
        for (int c = 0; c < 3; c++) {
            const double *p = triangle.corner + 3 * c;
            const double x = p[0] - rows[0], y = p[1] - rows[width], z = p[2] - rows[2 * width];
            const double squared = x * x + y * y + z * z;
            most = squared > most ? squared : most;
            thirds += squared * sqrt(squared);
        }
        rows[(size_t)ROW_AREA * width] = most;
        rows[(size_t)KILN_WINDING_THIRD * width] += triangle.area * (thirds / 3);
    }
}

static void enter_far(const kiln_winding *winding, uint32_t node, far_step *step)
{
    const size_t width = winding->width;
    double *rows = kiln_winding_rows(winding, node);
    step->node = node;
    step->left = kiln_node8_used(kiln_tree_node(winding->tree, node));
    memset(rows + ROW_AREA * width, 0, width * sizeof *rows);
    memset(rows + KILN_WINDING_THIRD * width, 0, width * sizeof *rows);
}

/* Radii and integrals of the third power, about each centre from the corners themselves. */
static void reach_all(const kiln_winding *winding)
{
    far_step path[KILN_TREE_DEPTH_MAX];
    unsigned height = 1;
    enter_far(winding, 0, path);
    while (height > 0) {
        far_step *step = &path[height - 1];
        if (step->left == 0) {
            height--;
            continue;
        }
        step->lane = (unsigned)__builtin_ctz(step->left);
        step->left &= step->left - 1;
        const kiln_contents contents =
            kiln_node8_contents(kiln_tree_node(winding->tree, step->node), step->lane);
        if (contents.count == 0) {
            KILN_ASSERT(height < KILN_TREE_DEPTH_MAX);
            enter_far(winding, contents.first, &path[height++]);
        }
        for (uint32_t i = 0; i < contents.count; i++) {
            if (kiln_winding_counts(winding->tree, contents.first + i)) {
                reach_corners(winding, path, height, contents.first + i);
            }
        }
    }
}

/* The factors of the series go into the numbers. */
static void finish_lane(const kiln_winding *winding, uint32_t node, unsigned lane)
{
    static const double factor[MOMENTS] = {1,   1,    1,   -3,   -3,  -6,  -6, -6,
                                           7.5, 22.5, 7.5, 22.5, 7.5, 7.5, 45};
    const size_t width = winding->width;
    double *rows = kiln_winding_rows(winding, node) + lane;
    const double levels = (double)winding->tree->view.entry->depth + 1;
    const double radius = sqrt(rows[ROW_AREA * width]) * UPWARD;
    const double ball = rows[KILN_WINDING_RADIUS * width], gross = rows[ROW_GROSS * width];
    const double t = radius > 0 ? 1 + 0.75 * (ball / radius) : 1;
    rows[KILN_WINDING_RADIUS * width] = radius;
    rows[KILN_WINDING_THIRD * width] *= FOUR_PI_INVERSE * UPWARD * UPWARD;
    rows[KILN_WINDING_ROUND * width] = gross * (t * t) * (levels * ROUNDING * FOUR_PI_INVERSE);
    rows[KILN_WINDING_ROUND * width] += 0x1p-300;
    rows[KILN_WINDING_WEIGHT * width] = gross * FOUR_PI_INVERSE;
    for (size_t i = 0; i < MOMENTS; i++) {
        rows[(KILN_WINDING_DIPOLE + i) * width] *= factor[i] * FOUR_PI_INVERSE;
    }
}

static void sum_up(kiln_winding *winding)
{
    const kiln_tree *tree = winding->tree;
    const kiln_format_tree *entry = tree->view.entry;
    double largest = 0;
    for (int k = 0; k < 3; k++) {
        largest = fmax(largest, fmax(fabs((double)entry->bounds_lower[k]),
                                     fabs((double)entry->bounds_upper[k])));
    }
    (void)frexp(largest, &winding->exponent);
    winding->exponent = -winding->exponent;
    memset(winding->rows, 0,
           (size_t)entry->node_count * KILN_WINDING_ROWS * winding->width * sizeof(double));
    for (uint32_t node = entry->node_count; node-- > 0;) {
        const kiln_format_node8 *head = kiln_tree_node(tree, node);
        for (uint32_t left = kiln_node8_used(head); left != 0; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);
            const kiln_contents contents = kiln_node8_contents(head, lane);
            far_lane sum;
            memset(&sum, 0, sizeof sum);
            if (contents.count > 0) {
                sum_leaf(winding, contents, &sum);
            } else {
                sum_inner(winding, contents.first, &sum);
            }
            write_far_lane(winding, node, lane, &sum);
            winding->gross += node == 0 ? sum.gross : 0;
        }
    }
    reach_all(winding);
    for (uint32_t node = 0; node < entry->node_count; node++) {
        for (unsigned lane = 0; lane < tree->view.kind->lanes; lane++) {
            finish_lane(winding, node, lane);
        }
    }
    memcpy(winding->geometry_hash, entry->geometry_hash, sizeof winding->geometry_hash);
}

/* -------------------------------------------------------------------------------- the memory -- */

static unsigned width_of(const kiln_tree *tree)
{
    return tree->view.kind->lanes > 4 ? 8 : 4;
}

size_t kiln_winding_size(const kiln_tree *tree)
{
    if (tree == NULL || !kiln_tree_has_polygons(tree)) {
        return 0;
    }
    const uint64_t block = (uint64_t)KILN_WINDING_ROWS * width_of(tree) * sizeof(double);
    const uint64_t size = sizeof(kiln_winding) + 2 * (uint64_t)WINDING_ALIGNMENT +
                          tree->view.entry->node_count * block;
    return size <= SIZE_MAX / 2 ? (size_t)size : 0;
}

static void run_sum_up(kiln_winding *winding)
{
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, sum_up);
    winding->gross = 0;
    run(winding);
    kiln_fpu_leave(caller);
}

kiln_status kiln_winding_place(void *memory, size_t size, const kiln_tree *tree, kiln_winding **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    if (memory == NULL || tree == NULL || out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    if (!kiln_tree_has_polygons(tree)) {
        return kiln_tree_lack(tree);
    }
    const size_t needed = kiln_winding_size(tree);
    if (needed == 0 || size < needed) {
        return KILN_ERROR_ARGUMENT;
    }
    uint8_t *start = (uint8_t *)memory + kiln_memory_skip(memory, WINDING_ALIGNMENT);
    kiln_winding *winding = (kiln_winding *)(void *)start;
    memset(winding, 0, sizeof *winding);
    winding->tree = tree;
    winding->width = width_of(tree);
    winding->rows = (double *)(void *)(start + (sizeof *winding + WINDING_ALIGNMENT - 1) /
                                                   WINDING_ALIGNMENT * WINDING_ALIGNMENT);
    run_sum_up(winding);
    *out = winding;
    return KILN_OK;
}

kiln_status kiln_winding_update(kiln_winding *winding)
{
    if (winding == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    run_sum_up(winding);
    return KILN_OK;
}
