/* Bounding volumes and surface moments of all nodes of the binary tree, from the leaves up.
 *
 * Bounds and moments of a node are joined from its sides, never computed from all triangles below
 * it again, so a level costs O(n). Subtrees of moderate size are tasks of one loop; the few nodes
 * above them are joined by one thread and fitted by all, since the fit of a node near the root
 * looks at most of the triangles. */
#include "measure.h"

#include "../../formats/assert.h"

#include <math.h>

/* ---------------------------------------------------------------------------------- moments -- */

const kiln_moments kiln_moments_none = {0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};

/* Row and column of spread[3 + k]. */
static const unsigned pair_of[3][2] = {{1, 2}, {0, 2}, {0, 1}};

/* Adds scale * d d^T. */
static void add_outer(double spread[6], const double d[3], double scale)
{
    KILN_ASSERT(scale >= 0);
    for (unsigned k = 0; k < 3; k++) {
        spread[k] += scale * (d[k] * d[k]);
        spread[3 + k] += scale * (d[pair_of[k][0]] * d[pair_of[k][1]]);
    }
}

/* Area, and a millionth of the squared edges: needles, which have no area, still have a
 * direction. */
static double weight_of(double p[3][3])
{
    double u[3], v[3], n[3], edges = 0;
    for (unsigned k = 0; k < 3; k++) {
        u[k] = p[1][k] - p[0][k];
        v[k] = p[2][k] - p[0][k];
        edges += u[k] * u[k] + v[k] * v[k];
    }
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    return 0.5 * sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]) + 0x1p-20 * edges;
}

/* The integral over a triangle of (p - mean)(p - mean)^T is a twelfth of its area times the same
 * sum over its corners. */
void kiln_moments_of_triangle(double p[3][3], kiln_moments *moments)
{
    *moments = kiln_moments_none;
    moments->weight = weight_of(p);
    for (unsigned k = 0; k < 3; k++) {
        moments->mean[k] = ((p[0][k] + p[1][k]) + p[2][k]) * (1.0 / 3.0);
    }
    for (unsigned i = 0; i < 3; i++) {
        const double d[3] = {p[i][0] - moments->mean[0], p[i][1] - moments->mean[1],
                             p[i][2] - moments->mean[2]};
        add_outer(moments->spread, d, moments->weight * (1.0 / 12.0));
    }
}

/* T. F. Chan, G. H. Golub and R. J. LeVeque's update of two sets (1979): no difference of large
 * squares, so a small part far from the origin keeps its shape. */
void kiln_moments_join(kiln_moments *moments, const kiln_moments *other)
{
    KILN_ASSERT(moments->weight >= 0 && other->weight >= 0);
    const double weight = moments->weight + other->weight;
    const double share = weight > 0 ? other->weight / weight : 0.5;
    double d[3];
    for (unsigned k = 0; k < 3; k++) {
        d[k] = other->mean[k] - moments->mean[k];
        moments->mean[k] += d[k] * share;
    }
    for (unsigned k = 0; k < 6; k++) {
        moments->spread[k] += other->spread[k];
    }
    add_outer(moments->spread, d, moments->weight * share);
    moments->weight = weight;
}

/* One Jacobi rotation in the plane of rows p and q (C. G. J. Jacobi, 1846; the stable form is from
 * Golub and Van Loan, "Matrix Computations"). Rows of `axis` become the eigenvectors. */
static void rotate(double m[3][3], double axis[3][3], unsigned p, unsigned q)
{
    KILN_ASSERT(p != q && p < 3 && q < 3);
    if (m[p][q] == 0) {
        return;
    }
    const unsigned r = 3 - p - q;
    const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    const double t = (theta < 0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    const double rp = m[r][p], rq = m[r][q];
    m[p][p] -= t * m[p][q];
    m[q][q] += t * m[p][q];
    m[p][q] = m[q][p] = 0;
    m[r][p] = m[p][r] = c * rp - s * rq;
    m[r][q] = m[q][r] = s * rp + c * rq;
    for (unsigned k = 0; k < 3; k++) {
        const double ap = axis[p][k], aq = axis[q][k];
        axis[p][k] = c * ap - s * aq;
        axis[q][k] = s * ap + c * aq;
    }
}

/* The greatest of the entries becomes 1; false where there is none to be scaled. */
static int normalise(const double spread[6], double m[3][3])
{
    double largest = 0;
    for (unsigned k = 0; k < 6; k++) {
        largest = fmax(largest, fabs(spread[k]));
    }
    if (!(largest >= 0x1p-1000)) {
        return 0;
    }
    for (unsigned k = 0; k < 3; k++) {
        const unsigned i = pair_of[k][0], j = pair_of[k][1];
        m[k][k] = spread[k] / largest;
        m[i][j] = m[j][i] = spread[3 + k] / largest;
    }
    return 1;
}

/* The covariance is symmetric, so rotations in the three coordinate planes in turn make it
 * diagonal. */
void kiln_moments_axes(const kiln_moments *moments, double axis[3][3])
{
    /* Orientations are stored to 2^-8; Jacobi's convergence is quadratic, so this is plenty. */
    enum { SWEEPS = 6 };
    const double negligible = 0x1p-30;
    double m[3][3];
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            axis[i][j] = i == j;
        }
    }
    if (!normalise(moments->spread, m)) {
        return;
    }
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        if (fabs(m[0][1]) + fabs(m[0][2]) + fabs(m[1][2]) < negligible) {
            break;
        }
        rotate(m, axis, 0, 1);
        rotate(m, axis, 0, 2);
        rotate(m, axis, 1, 2);
    }
}

/* --------------------------------------------------------------------------------- the tree -- */

typedef struct {
    const kiln_cloud *cloud;
    kiln_binary *tree;
    kiln_fit_node fit;
    bool with_moments;
    kiln_measure *items; /* of each item of the tree's top */
} pass;

void kiln_measure_triangles(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                            bool with_moments, kiln_measure *measure)
{
    KILN_ASSERT(first < last);
    measure->moments = kiln_moments_none;
    kiln_cloud_bounds(cloud, first, last, &measure->bounds);
    for (uint32_t t = first; with_moments && t < last; t++) {
        double p[3][3];
        kiln_moments one;
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned k = 0; k < 3; k++) {
                p[i][k] = kiln_frame_apply(&cloud->frame, k, cloud->records[t].corner[i][k]);
            }
        }
        kiln_moments_of_triangle(p, &one);
        kiln_moments_join(&measure->moments, &one);
    }
}

static void join(kiln_measure *measure, const kiln_measure *other)
{
    kiln_extents_join(&measure->bounds, &other->bounds);
    kiln_moments_join(&measure->moments, &other->moments);
}

/* The greater of the children's heights and one. Leaves have height 0. */
static void set_height(const kiln_binary *tree, const kiln_range *range)
{
    KILN_ASSERT(range->split > range->first && range->split < range->last);
    kiln_range side[2];
    unsigned height = 0;
    kiln_sides(tree, range, side);
    for (unsigned i = 0; i < 2; i++) {
        if (!kiln_is_leaf(tree, &side[i]) && tree->nodes[side[i].split].height > height) {
            height = tree->nodes[side[i].split].height;
        }
    }
    tree->nodes[range->split].height = (uint8_t)(height + 1);
}

/* Recursion as deep as the binary tree: at most KILN_BINARY_DEPTH_MAX + 1. */
static void measure_below(const pass *p, const kiln_range *range, kiln_measure *measure)
{
    KILN_ASSERT(range->first < range->last);
    if (kiln_is_leaf(p->tree, range)) {
        kiln_measure_triangles(p->cloud, range->first, range->last, p->with_moments, measure);
        return;
    }
    kiln_range side[2];
    kiln_measure right;
    kiln_sides(p->tree, range, side);
    measure_below(p, &side[0], measure);
    measure_below(p, &side[1], &right);
    join(measure, &right);
    p->fit(p->cloud, range, measure, &p->tree->nodes[range->split]);
    set_height(p->tree, range);
}

/* One task: a whole subtree, from the leaves up. */
static void measure_subtree(void *context, uint32_t index)
{
    const pass *p = context;
    KILN_ASSERT(index < p->tree->item_count);
    const kiln_item *item = &p->tree->items[index];
    if (item->child[0] == 0) {
        measure_below(p, &item->range, &p->items[index]);
    }
}

/* One task: the volume of one node of the top, whose measure is known. */
static void fit_single(void *context, uint32_t index)
{
    const pass *p = context;
    KILN_ASSERT(index < p->tree->item_count);
    const kiln_item *item = &p->tree->items[index];
    if (item->child[0] != 0) {
        p->fit(p->cloud, &item->range, &p->items[index], &p->tree->nodes[item->range.split]);
    }
}

bool kiln_measure_tree(const kiln_cloud *cloud, kiln_binary *tree, kiln_fit_node fit,
                       bool with_moments, const kiln_watch *watch, kiln_arena *arena,
                       bool *cancelled)
{
    KILN_ASSERT(tree->item_count > 0);
    pass p = {cloud, tree, fit, with_moments,
              kiln_arena_take(arena, tree->item_count, sizeof *p.items)};
    kiln_watch part = *watch;
    *cancelled = false;
    if (p.items == NULL) {
        return false;
    }
    part.to = watch->from + 0.8 * (watch->to - watch->from);
    *cancelled = !kiln_parallel_for(&part, tree->item_count, measure_subtree, &p);
    if (!*cancelled) {
        /* Children come after their parents in the list, so backwards. */
        for (uint32_t i = p.tree->item_count; i-- > 0;) {
            const kiln_item *item = &p.tree->items[i];
            if (item->child[0] != 0) {
                p.items[i] = p.items[item->child[0]];
                join(&p.items[i], &p.items[item->child[1]]);
                set_height(p.tree, &item->range);
                if (cloud->of_children) {
                    fit(cloud, &item->range, &p.items[i], &tree->nodes[item->range.split]);
                }
            }
        }
        part.from = part.to;
        part.to = watch->to;
        /* Volumes of triangles do not wait for each other. */
        *cancelled = cloud->of_children
                         ? !kiln_watch_report(&part)
                         : !kiln_parallel_for(&part, tree->item_count, fit_single, &p);
    }
    return !*cancelled;
}
