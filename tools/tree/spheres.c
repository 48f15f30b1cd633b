/* Sphere trees: plans of wide nodes with balls, and two of the constructions that make them.
 *
 * Octree, after P. Hubbard, "Approximating polyhedra with spheres for time-critical collision
 * detection", 1996: the cube around the object is halved along its three axes again and again, and
 * each cell that is occupied has the ball through its corners. A triangle belongs to the cell of
 * its middle. Cells of which one part alone is occupied make no node.
 *
 * Cover, after S. Quinlan, "Efficient distance computation between non-convex objects", 1994: each
 * triangle is covered by a ball, and a node has the smaller of two: the smallest around the balls
 * of its two children, and one about the mean of the covering balls' centres that holds all of
 * these. Quinlan divides along the longest side at the mean; here the tree is the builder's.
 *
 * Depth: see kiln_spheres_grow. */
#include "spheres.h"

#include "../../formats/assert.h"
#include "../../formats/format.h"
#include "split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------- plans -- */

enum { REPORT_LEAST = 4096 }; /* triangles of a node at which the caller may cancel */

void kiln_spheres_free(kiln_spheres *spheres)
{
    free(spheres->nodes);
    memset(spheres, 0, sizeof *spheres);
}

void kiln_spheres_sort(kiln_sphere_job *job, uint32_t first, uint32_t last, unsigned parts,
                       uint32_t *end)
{
    KILN_ASSERT(first < last && last <= job->count);
    for (unsigned p = 0; p < parts; p++) {
        end[p] = 0;
    }
    for (uint32_t i = first; i < last; i++) {
        KILN_ASSERT(job->marks[i] < parts);
        end[job->marks[i]]++;
    }
    uint32_t at = first;
    for (unsigned p = 0; p < parts; p++) {
        const uint32_t count = end[p];
        end[p] = at;
        at += count;
    }
    for (uint32_t i = first; i < last; i++) {
        job->spare[end[job->marks[i]]++] = job->records[i];
    }
    memcpy(job->records + first, job->spare + first, (last - first) * sizeof *job->records);
}

/* May so many triangles lie below `levels` levels of nodes? Eight lanes each, whole leaves. */
static bool fits(const kiln_sphere_job *job, uint32_t triangles, unsigned levels)
{
    return levels >= 11 || kiln_leaf_units(triangles, job->leaf) <= (uint64_t)1 << (3 * levels);
}

/* Parts of equal size, by three cuts at the median, each with its smallest ball. */
static unsigned halve(kiln_sphere_job *job, uint32_t first, uint32_t last, unsigned cuts,
                      kiln_sphere_part *part)
{
    if (cuts == 0 || last - first <= job->leaf) {
        part->end = last;
        memset(part->cell, 0, sizeof part->cell);
        kiln_ball_of(&job->cloud, first, last, &part->ball);
        return 1;
    }
    const uint32_t middle = first + kiln_split_median(job->records + first, job->marks + first,
                                                      last - first, job->leaf);
    const unsigned left = halve(job, first, middle, cuts - 1, part);
    return left + halve(job, middle, last, cuts - 1, part + left);
}

/* The new node's number, or UINT32_MAX: out of memory. */
static uint32_t new_node(kiln_spheres *out)
{
    if (out->count == out->room) {
        const uint32_t room = out->room + out->room / 2 + 64;
        void *nodes = realloc(out->nodes, room * sizeof *out->nodes);
        if (nodes == NULL) {
            return UINT32_MAX;
        }
        out->nodes = nodes;
        out->room = room;
    }
    memset(&out->nodes[out->count], 0, sizeof *out->nodes);
    return out->count++;
}

/* The node of a range with `levels` levels, its own among them; its number, or UINT32_MAX.
 *
 * Kept true for every range: its triangles fit into its levels. The root's do, for which there are
 * KILN_WIDE_DEPTH_MAX. A division is taken if all its parts fit one level less; else the range is
 * halved three times, after which u leaves have become at most ceil(u / 8). So a path ends in
 * time, and recursion is at most so deep. */
static uint32_t grow(kiln_sphere_job *job, uint32_t first, uint32_t last, const double cell[4],
                     unsigned levels)
{
    KILN_ASSERT(first < last && levels > 0 && fits(job, last - first, levels));
    kiln_sphere_part part[8];
    const uint32_t index = new_node(job->out);
    if (index == UINT32_MAX) {
        return UINT32_MAX;
    }
    if (last - first >= REPORT_LEAST && !kiln_watch_report(job->watch)) {
        job->cancelled = true;
        return UINT32_MAX;
    }
    unsigned parts = last - first <= job->leaf ? halve(job, first, last, 0, part)
                                               : job->divide(job, first, last, cell, part);
    bool good = parts > 1 || last - first <= job->leaf;
    for (unsigned i = 0; i < parts && good; i++) {
        const uint32_t from = i == 0 ? first : part[i - 1].end;
        KILN_ASSERT(from < part[i].end && part[i].end <= last);
        good = part[i].end - from <= job->leaf || fits(job, part[i].end - from, levels - 1);
    }
    parts = good ? parts : halve(job, first, last, 3, part);
    KILN_ASSERT(parts <= KILN_NODE_WIDTH && part[parts - 1].end == last);
    job->out->nodes[index].wide.lane_count = parts;
    for (unsigned i = 0; i < parts; i++) {
        const uint32_t from = i == 0 ? first : part[i - 1].end;
        uint32_t child = 0;
        if (part[i].end - from > job->leaf) {
            child = grow(job, from, part[i].end, part[i].cell, levels - 1);
            if (child == UINT32_MAX) {
                return UINT32_MAX;
            }
        }
        job->out->nodes[index].wide.lane[i] = (kiln_range){from, part[i].end, child};
        job->out->nodes[index].ball[i] = part[i].ball;
    }
    return index;
}

bool kiln_spheres_grow(kiln_sphere_job *job, const double cell[4])
{
    KILN_ASSERT(job->out->nodes == NULL && job->count > 0);
    return grow(job, 0, job->count, cell, KILN_WIDE_DEPTH_MAX) != UINT32_MAX;
}

/* --------------------------------------------------------------------------------- octree -- */

/* A cell is its centre and half its edge. Below this edge nothing is told apart any more. */
static const double least_half = 0x1p-40;

/* Finds the cell whose parts are occupied more than one, and parts it. */
static unsigned divide_octree(kiln_sphere_job *job, uint32_t first, uint32_t last,
                              const double cell[4], kiln_sphere_part part[8])
{
    double at[4];
    memcpy(at, cell, sizeof at);
    for (; at[3] >= least_half; at[3] /= 2) {
        unsigned occupied = 0;
        for (uint32_t i = first; i < last; i++) {
            unsigned octant = 0;
            for (unsigned k = 0; k < 3; k++) {
                const double middle =
                    (0.5 * kiln_record_centre(&job->records[i], k) - job->cloud.frame.origin[k]) *
                    job->cloud.frame.scale;
                octant |= (middle >= at[k] ? 1u : 0u) << k;
            }
            job->marks[i] = octant;
            occupied |= 1u << octant;
        }
        const bool single = (occupied & (occupied - 1)) == 0;
        uint32_t end[8];
        unsigned parts = 0;
        if (!single) {
            kiln_spheres_sort(job, first, last, 8, end);
        }
        for (unsigned octant = 0; octant < 8; octant++) {
            if ((occupied >> octant & 1) == 0) {
                continue;
            }
            kiln_sphere_part *p = &part[parts++];
            p->end = single ? last : end[octant];
            p->cell[3] = at[3] / 2;
            for (unsigned k = 0; k < 3; k++) {
                p->cell[k] = at[k] + ((octant >> k & 1) != 0 ? at[3] / 2 : -at[3] / 2);
                p->ball.centre[k] = p->cell[k];
            }
            p->ball.radius = sqrt(3) * p->cell[3];
        }
        if (!single) {
            return parts;
        }
        memcpy(at, part[0].cell, 3 * sizeof at[0]);
    }
    return 1;
}

bool kiln_spheres_octree(kiln_sphere_job *job)
{
    double cell[4] = {0, 0, 0, 0};
    kiln_extents bounds;
    kiln_cloud_bounds(&job->cloud, 0, job->count, &bounds);
    for (unsigned k = 0; k < 3; k++) {
        cell[k] = 0.5 * (bounds.lower[k] + bounds.upper[k]);
        cell[3] = fmax(cell[3], 0.5 * (bounds.upper[k] - bounds.lower[k]));
    }
    job->divide = divide_octree;
    return kiln_spheres_grow(job, cell);
}

/* ---------------------------------------------------------------------------------- cover -- */

/* The smallest ball around two. */
static kiln_ball join(const kiln_ball *a, const kiln_ball *b)
{
    double way[3], squared = 0;
    for (unsigned k = 0; k < 3; k++) {
        way[k] = b->centre[k] - a->centre[k];
        squared += way[k] * way[k];
    }
    const double distance = sqrt(squared);
    if (distance + b->radius <= a->radius) {
        return *a;
    }
    if (distance + a->radius <= b->radius) {
        return *b;
    }
    kiln_ball ball = {.radius = 0.5 * (distance + a->radius + b->radius)};
    const double share = (ball.radius - a->radius) / distance;
    for (unsigned k = 0; k < 3; k++) {
        ball.centre[k] = a->centre[k] + share * way[k];
    }
    ball.radius *= 1 + 0x1p-45;
    return ball;
}

/* A ball about the mean of the centres that holds all balls. */
static kiln_ball about_mean(const kiln_ball *balls, uint32_t count)
{
    KILN_ASSERT(count > 0);
    kiln_ball ball = {.radius = 0};
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            ball.centre[k] += balls[i].centre[k] / count;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        double squared = 0;
        for (unsigned k = 0; k < 3; k++) {
            const double way = balls[i].centre[k] - ball.centre[k];
            squared += way * way;
        }
        ball.radius = fmax(ball.radius, sqrt(squared) + balls[i].radius);
    }
    ball.radius *= 1 + 0x1p-45;
    return ball;
}

static kiln_ball cover_leaf(const kiln_ball *each, uint32_t count)
{
    kiln_ball ball = each[0];
    for (uint32_t i = 1; i < count; i++) {
        ball = join(&ball, &each[i]);
    }
    const kiln_ball other = about_mean(each, count);
    return other.radius < ball.radius ? other : ball;
}

void kiln_spheres_cover_leaf(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                             kiln_ball *ball)
{
    kiln_ball each[KILN_LEAF_TRIANGLES_MAX];
    KILN_ASSERT(first < last && last - first <= KILN_LEAF_TRIANGLES_MAX);
    for (uint32_t t = first; t < last; t++) {
        kiln_ball_of(cloud, t, t + 1, &each[t - first]);
    }
    *ball = cover_leaf(each, last - first);
}

typedef struct {
    const kiln_binary *tree;
    kiln_ball *each; /* of the triangles, in their order */
    kiln_ball *covers;
} cover_job;

/* At most KILN_BINARY_DEPTH_MAX deep. */
static kiln_ball cover_below(const cover_job *c, const kiln_range *range)
{
    const kiln_ball *each = c->each + range->first;
    const uint32_t count = range->last - range->first;
    if (kiln_is_leaf(c->tree, range)) {
        return cover_leaf(each, count);
    }
    kiln_range side[2];
    kiln_sides(c->tree, range, side);
    const kiln_ball left = cover_below(c, &side[0]), right = cover_below(c, &side[1]);
    const kiln_ball joint = join(&left, &right), mean = about_mean(each, count);
    c->covers[range->split] = mean.radius < joint.radius ? mean : joint;
    return c->covers[range->split];
}

bool kiln_spheres_cover(const kiln_cloud *cloud, const kiln_binary *tree, kiln_arena *arena,
                        kiln_spheres *out)
{
    cover_job c = {.tree = tree};
    c.each = kiln_arena_take(arena, tree->count, sizeof *c.each);
    c.covers = kiln_arena_take(arena, tree->count, sizeof *c.covers);
    if (c.each == NULL || c.covers == NULL) {
        return false;
    }
    for (uint32_t t = 0; t < tree->count; t++) {
        kiln_ball_of(cloud, t, t + 1, &c.each[t]);
    }
    const kiln_range root = {0, tree->count, tree->root};
    (void)cover_below(&c, &root);
    out->covers = c.covers;
    out->leaf = tree->leaf;
    return true;
}

/* A ball for each node of a binary tree and for each below; nodes of a plan, of which there are the
 * more the smaller leaves are, in an array that grows by half; of the medial axis two samples a
 * triangle, each with its place, its box and its ball. tests/unit/test_memory.c compares these with
 * what is taken. */
unsigned kiln_spheres_spare(kiln_spheres_by by, int leaf)
{
    enum { COVER = 80, PLAN = 60, NODE = 340, AXIS = 270 };
    KILN_ASSERT(leaf > 0);
    const unsigned plan = PLAN + NODE / (unsigned)leaf;
    return by == KILN_SPHERES_COVER    ? COVER
           : by == KILN_SPHERES_OCTREE ? plan
           : by == KILN_SPHERES_MEDIAL ? plan + AXIS
                                       : 0;
}
