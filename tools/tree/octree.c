/* An octree of cuboid cells: a triangle is in every leaf whose cell it enters.
 *
 * The root's cell is the box of the mesh. Cells are halved across their longest side, so that three
 * halvings make eight cubes of a cube, and eight pieces of a long cell. A node has up to eight
 * cells, by halving again and again the one with the most triangles: where these are spread evenly,
 * the eight octants, elsewhere deeper cells beside larger ones, which leaves fewer lanes empty. Of
 * a cell whose triangles are all in one half that half takes the place, and makes no node. After
 * the octrees of the literature (J. Klein and G. Zachmann, "ADB-trees", 2003, have one; lectures
 * name the family: more than one volume for a triangle), with rules of our own where these leave
 * it open:
 *
 * A cell is halved while it has more triangles than a leaf may have, but not if
 *   - both halves together would have more than KILN_OCTREE_HALVING_MAX times as many: half of a
 *     cube has two thirds of its surface, so that a query which meets the cell would then test
 *     more triangles than before. The longest side for which that does not hold is taken;
 *   - along the path from the root, references would have become more than
 *     KILN_OCTREE_REFERENCES_MAX times as many. Each cell is given a number of references that may
 *     be below it, which halves share by their triangles: so the whole tree has at most so many a
 *     triangle, and no part of the mesh takes from another;
 *   - the side is shorter than LEAST_EDGE;
 *   - the triangles would not fit into the levels that are left.
 *
 * What is then still too many for a leaf is divided in lists of equal length, by the middles of the
 * parts, into further lanes and nodes of the same cell, each triangle in one of them.
 *
 * The box of a lane is not the cell but the bounds of the parts of triangles in it: what is empty
 * of the cell would only be met in vain.
 *
 * No point of a triangle is lost by rounding. Let u be 2^-53, E be ROOM. The part of a triangle in
 * a cell is computed by clipping it to the cell grown by E on all sides. A new corner is off by at
 * most 11 u < 2^-49, and there are six clips at most, so that all true points of the triangle in
 * the cell grown by E / 2 lie within 2^-46 = E / 16 of the polygon, and in the bounds that are
 * kept, which are E / 4 larger. A cell answers for a set of points of each triangle that lies in
 * the cell grown by E / 2: the root for all, a half for those on its side of the middle; and where
 * the bounds show that all that the cell answers for lies on one side, or beyond the middle by E /
 * 4 at most, that half answers for all of it, the plane of the middle included. So a triangle in
 * that plane has one reference, not two, and a polygon that is empty is proof that nothing is lost.
 */
#include "octree.h"

#include "../../formats/assert.h"
#include "../../formats/format.h"
#include "../common/clip.h"
#include "../common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 0x1p-42
#define LEAST_EDGE 0x1p-36

enum { ROUNDS = 3, REPORT_LEAST = 4096 };

/* A triangle in a cell, and the bounds of its part there, in node space. */
typedef struct {
    uint32_t record;
    double lower[3], upper[3];
} reference;

/* A cell with its references, [first, last) of the job's. */
typedef struct {
    double lower[3], upper[3];
    size_t first, last;
    double budget; /* references that there may be below it */
    bool is_list;  /* it is not halved any more */
} cell;

typedef struct {
    const kiln_cloud *cloud;
    uint32_t leaf;
    reference *references; /* those of the cells on the path */
    size_t count, room;
    kiln_octree *out;
    const kiln_watch *watch;
    bool cancelled;
} job;

void kiln_octree_free(kiln_octree *octree)
{
    free(octree->nodes);
    free(octree->references);
    memset(octree, 0, sizeof *octree);
}

/* --------------------------------------------------------------------------------- parts -- */

/* The part of a triangle in a box; *out is left alone where there is none. */
static bool part_in(const kiln_cloud *cloud, uint32_t record, const double lower[3],
                    const double upper[3], reference *out)
{
    double points[KILN_CLIP_CORNERS][3], kept[KILN_CLIP_CORNERS][3], least[3], most[3];
    unsigned count = 3;
    for (unsigned k = 0; k < 3; k++) {
        least[k] = INFINITY;
        most[k] = -INFINITY;
        for (unsigned c = 0; c < 3; c++) {
            points[c][k] = kiln_frame_apply(&cloud->frame, k, cloud->records[record].corner[c][k]);
            least[k] = fmin(least[k], points[c][k]);
            most[k] = fmax(most[k], points[c][k]);
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        count = kiln_clip(points, count, k, 1, upper[k] + ROOM, kept);
        count = kiln_clip(kept, count, k, -1, lower[k] - ROOM, points);
    }
    if (count == 0) {
        return false;
    }
    out->record = record;
    for (unsigned k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (unsigned i = 0; i < count; i++) {
            low = fmin(low, points[i][k]);
            high = fmax(high, points[i][k]);
        }
        /* Within the whole triangle's, so that what is flat stays flat. */
        out->lower[k] = fmax(least[k], low - ROOM / 4);
        out->upper[k] = fmin(most[k], high + ROOM / 4);
    }
    return true;
}

/* --------------------------------------------------------------------------------- cells -- */

/* Room for `more` references behind those there are. */
static bool make_room(job *j, size_t more)
{
    return kiln_grow((void **)&j->references, &j->room, j->count + more, sizeof *j->references);
}

/* The references of one half, behind the others. There is room. */
static void fill_half(job *j, const cell *of, unsigned axis, double middle, bool above, cell *out)
{
    *out = *of;
    (above ? out->lower : out->upper)[axis] = middle;
    out->first = j->count;
    for (size_t i = of->first; i < of->last; i++) {
        const reference *r = &j->references[i];
        const bool all_below = r->upper[axis] <= middle + ROOM / 4;
        const bool all_above = !all_below && r->lower[axis] >= middle - ROOM / 4;
        if (above ? all_above : all_below) {
            j->references[j->count++] = *r;
        } else if (!all_below && !all_above) {
            j->count +=
                part_in(j->cloud, r->record, out->lower, out->upper, &j->references[j->count]);
        }
    }
    out->last = j->count;
}

/* The sides of a cell, the longest first. */
static void order_sides(const cell *of, unsigned axis[3])
{
    for (unsigned i = 0; i < 3; i++) {
        unsigned place = i;
        const double edge = of->upper[i] - of->lower[i];
        for (; place > 0 && of->upper[axis[place - 1]] - of->lower[axis[place - 1]] < edge;
             place--) {
            axis[place] = axis[place - 1];
        }
        axis[place] = i;
    }
}

/* Halves a cell across a side. 2: into half[0] and half[1]; 1: half[0] alone has triangles; 0: the
 * halves are no gain. There is room for twice its references. */
static unsigned halve(job *j, const cell *of, unsigned axis, cell half[2])
{
    const double middle = 0.5 * (of->lower[axis] + of->upper[axis]);
    const size_t count = of->last - of->first, before = j->count;
    fill_half(j, of, axis, middle, false, &half[0]);
    fill_half(j, of, axis, middle, true, &half[1]);
    const size_t low = half[0].last - half[0].first, high = half[1].last - half[1].first;
    const double both = (double)(low + high);
    KILN_ASSERT(low + high >= count);
    if (low == 0 || high == 0) {
        half[0] = low == 0 ? half[1] : half[0];
        return 1;
    }
    if (both > KILN_OCTREE_HALVING_MAX * (double)count || both > of->budget) {
        j->count = before;
        return 0;
    }
    half[0].budget = of->budget * ((double)low / both);
    half[1].budget = of->budget * ((double)high / both);
    return 2;
}

/* By the middle of the part; of equal ones by triangle. */
static int compare_middles(const void *p, const void *q, unsigned axis)
{
    const reference *a = p, *b = q;
    const double from = a->lower[axis] + a->upper[axis], to = b->lower[axis] + b->upper[axis];
    return from != to ? (from > to) - (from < to)
                      : (a->record > b->record) - (a->record < b->record);
}

static int compare_x(const void *p, const void *q)
{
    return compare_middles(p, q, 0);
}

static int compare_y(const void *p, const void *q)
{
    return compare_middles(p, q, 1);
}

static int compare_z(const void *p, const void *q)
{
    return compare_middles(p, q, 2);
}

/* Divides the list of a cell in two, the first of whole leaves, in order of the parts' middles
 * along the axis on which these lie farthest apart. There is room. */
static void divide_list(job *j, const cell *of, cell half[2])
{
    static int (*const compare[3])(const void *, const void *) = {compare_x, compare_y, compare_z};
    const size_t count = of->last - of->first;
    reference *list = j->references + j->count;
    double widest = -1;
    unsigned axis = 0;
    memcpy(list, j->references + of->first, count * sizeof *list);
    for (unsigned k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            low = fmin(low, list[i].lower[k] + list[i].upper[k]);
            high = fmax(high, list[i].lower[k] + list[i].upper[k]);
        }
        axis = high - low > widest ? k : axis;
        widest = fmax(widest, high - low);
    }
    qsort(list, count, sizeof *list, compare[axis]);
    const size_t leaves = (count + j->leaf - 1) / j->leaf, first = (leaves + 1) / 2 * j->leaf;
    KILN_ASSERT(first > 0 && first < count);
    half[0] = half[1] = *of;
    half[0].first = j->count;
    half[0].last = half[1].first = j->count + first;
    half[1].last = j->count + count;
    half[0].is_list = half[1].is_list = true;
    half[0].budget = of->budget * ((double)first / (double)count);
    half[1].budget = of->budget - half[0].budget;
    j->count += count;
}

/* Two cells of one, by its halves or, where they are no gain, by lists. False: out of memory. */
static bool divide(job *j, cell *of, cell half[2])
{
    while (!of->is_list) {
        unsigned axis[3], halves = 0;
        if (!make_room(j, 2 * (of->last - of->first))) {
            return false;
        }
        order_sides(of, axis);
        for (unsigned i = 0; i < 3 && halves == 0; i++) {
            if (of->upper[axis[i]] - of->lower[axis[i]] >= LEAST_EDGE) {
                halves = halve(j, of, axis[i], half);
            }
        }
        if (halves == 2) {
            return true;
        }
        if (halves == 0) {
            break;
        }
        /* All are in one half, with the same parts: it takes the cell's place. */
        memcpy(of->lower, half[0].lower, sizeof of->lower);
        memcpy(of->upper, half[0].upper, sizeof of->upper);
        j->count = half[0].first;
    }
    if (!make_room(j, of->last - of->first)) {
        return false;
    }
    divide_list(j, of, half);
    return true;
}

/* --------------------------------------------------------------------------------- nodes -- */

static size_t size_of(const cell *c)
{
    return c->last - c->first;
}

/* May so many triangles lie below `levels` levels of nodes? Eight lanes each, whole leaves. */
static bool fits(const job *j, size_t triangles, unsigned levels)
{
    const uint64_t leaves = (triangles + j->leaf - 1) / j->leaf;
    return levels >= 11 || leaves <= (uint64_t)1 << (3 * levels);
}

/* Puts two cells in the place of one. */
static void replace_lane(cell *lane, unsigned *lanes, unsigned place, const cell half[2])
{
    KILN_ASSERT(*lanes < KILN_NODE_WIDTH && place < *lanes);
    memmove(&lane[place + 2], &lane[place + 1], (*lanes - place - 1) * sizeof *lane);
    lane[place] = half[0];
    lane[place + 1] = half[1];
    (*lanes)++;
}

/* Divides a cell into at most eight: of those there are, again and again the one with the most
 * triangles. False: out of memory. */
static bool divide_all(job *j, const cell *of, cell lane[KILN_NODE_WIDTH], unsigned *lanes)
{
    cell half[2];
    lane[0] = *of;
    *lanes = 1;
    while (*lanes < KILN_NODE_WIDTH) {
        unsigned most = 0;
        for (unsigned i = 1; i < *lanes; i++) {
            most = size_of(&lane[i]) > size_of(&lane[most]) ? i : most;
        }
        if (size_of(&lane[most]) <= j->leaf) {
            break;
        }
        if (!divide(j, &lane[most], half)) {
            return false;
        }
        replace_lane(lane, lanes, most, half);
    }
    return true;
}

/* Divides a cell by lists alone, three times: u leaves become at most ceil(u / 8). */
static bool divide_lists(job *j, const cell *of, cell lane[KILN_NODE_WIDTH], unsigned *lanes)
{
    cell half[2];
    lane[0] = *of;
    *lanes = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = *lanes; i-- > 0;) {
            if (size_of(&lane[i]) <= j->leaf) {
                continue;
            }
            if (!make_room(j, size_of(&lane[i]))) {
                return false;
            }
            divide_list(j, &lane[i], half);
            replace_lane(lane, lanes, i, half);
        }
    }
    return true;
}

/* The final lists moved down to `start`, over those in between. They are in the order of memory no
 * more, so they go by way of room behind all. False: out of memory. */
static bool compact(job *j, size_t start, cell *lane, unsigned lanes)
{
    size_t all = 0;
    for (unsigned i = 0; i < lanes; i++) {
        all += size_of(&lane[i]);
    }
    if (!make_room(j, all)) {
        return false;
    }
    size_t at = j->count;
    for (unsigned i = 0; i < lanes; i++) {
        const size_t count = size_of(&lane[i]);
        memcpy(j->references + at, j->references + lane[i].first, count * sizeof *j->references);
        lane[i].first = start + (at - j->count);
        lane[i].last = lane[i].first + count;
        at += count;
    }
    memmove(j->references + start, j->references + j->count, all * sizeof *j->references);
    j->count = start + all;
    return true;
}

static void bound_lane(const job *j, const cell *lane, kiln_extents *box)
{
    kiln_extents_clear(box);
    for (size_t i = lane->first; i < lane->last; i++) {
        const reference *r = &j->references[i];
        for (unsigned k = 0; k < 3; k++) {
            box->lower[k] = fmin(box->lower[k], r->lower[k]);
            box->upper[k] = fmax(box->upper[k], r->upper[k]);
        }
    }
}

/* The references of a leaf become those of the tree. */
static bool take_leaf(job *j, const cell *lane)
{
    kiln_octree *out = j->out;
    if (!kiln_grow((void **)&out->references, &out->reference_room,
                   out->reference_count + size_of(lane), sizeof *out->references)) {
        return false;
    }
    for (size_t i = lane->first; i < lane->last; i++) {
        out->references[out->reference_count++] = j->cloud->records[j->references[i].record];
    }
    return true;
}

/* The node of a cell with `levels` levels, its own among them; its number, or SIZE_MAX. Recursion
 * is as deep as there are levels.
 *
 * Kept true for every cell: its triangles fit into its levels. The root's do, and a division is
 * taken if all its parts fit one level less; else the list is divided three times, after which u
 * leaves have become at most ceil(u / 8). */
static size_t grow(job *j, const cell *of, unsigned levels)
{
    cell lane[KILN_NODE_WIDTH];
    unsigned lanes;
    const size_t start = j->count, index = j->out->count;
    KILN_ASSERT(levels > 0 && fits(j, size_of(of), levels));
    if (size_of(of) >= REPORT_LEAST && !kiln_watch_report(j->watch)) {
        j->cancelled = true;
        return SIZE_MAX;
    }
    if (!kiln_grow((void **)&j->out->nodes, &j->out->room, index + 1, sizeof *j->out->nodes)) {
        return SIZE_MAX;
    }
    memset(&j->out->nodes[index], 0, sizeof *j->out->nodes);
    j->out->count++;

    bool good = divide_all(j, of, lane, &lanes);
    bool all_fit = good;
    for (unsigned i = 0; i < lanes && all_fit; i++) {
        all_fit = size_of(&lane[i]) <= j->leaf || fits(j, size_of(&lane[i]), levels - 1);
    }
    if (good && !all_fit) {
        j->count = start;
        good = divide_lists(j, of, lane, &lanes);
    }
    if (!good || !compact(j, start, lane, lanes)) {
        return SIZE_MAX;
    }
    for (unsigned i = 0; i < lanes; i++) {
        const size_t first = j->out->reference_count;
        size_t child = 0;
        kiln_extents box;
        bound_lane(j, &lane[i], &box);
        if (size_of(&lane[i]) > j->leaf) {
            child = grow(j, &lane[i], levels - 1);
        } else if (!take_leaf(j, &lane[i])) {
            child = SIZE_MAX;
        }
        if (child == SIZE_MAX) {
            return SIZE_MAX;
        }
        kiln_octree_node *node = &j->out->nodes[index];
        node->wide.lane[i] =
            (kiln_range){(uint32_t)first, (uint32_t)j->out->reference_count, (uint32_t)child};
        node->box[i] = box;
        node->wide.lane_count = lanes;
    }
    j->count = start;
    return index;
}

bool kiln_octree_build(const kiln_cloud *cloud, uint32_t count, uint32_t leaf,
                       const kiln_watch *watch, kiln_octree *out, bool *cancelled)
{
    KILN_ASSERT(count > 0 && leaf > 0 && out->nodes == NULL);
    job j = {.cloud = cloud, .leaf = leaf, .out = out, .watch = watch};
    bool made = make_room(&j, count);
    cell root = {.last = count};
    for (unsigned k = 0; k < 3; k++) {
        root.lower[k] = INFINITY;
        root.upper[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < count && made; i++) {
        reference *r = &j.references[j.count++];
        static const double all[2][3] = {{-8, -8, -8}, {8, 8, 8}};
        made = part_in(cloud, i, all[0], all[1], r);
        KILN_ASSERT(made);
        for (unsigned k = 0; k < 3; k++) {
            root.lower[k] = fmin(root.lower[k], r->lower[k]);
            root.upper[k] = fmax(root.upper[k], r->upper[k]);
        }
    }
    /* Numbers of references are stored as 32 bits, of which the last value means none. */
    root.budget = fmin(KILN_OCTREE_REFERENCES_MAX * (double)count, (double)(KILN_NO_INDEX - 1));
    made = made && grow(&j, &root, KILN_WIDE_DEPTH_MAX) != SIZE_MAX;
    free(j.references);
    *cancelled = j.cancelled;
    return made;
}

/* Up to four references, each with a record of its own, and cells, in arrays that grow by half.
 * tests/unit/test_memory.c compares this with what is taken. */
unsigned kiln_octree_spare(int leaf)
{
    enum { REFERENCES = 560, CELLS = 560 };
    KILN_ASSERT(leaf > 0);
    return REFERENCES + CELLS / (unsigned)leaf;
}
