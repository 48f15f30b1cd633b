/* Surface-area heuristic for oriented boxes. Planes are sought across six axes: those of the object
 * and those of the covariance of the set. Bins of each find the best plane of an axis, as in
 * split_sah.c, by boxes along the frame that the axis belongs to; which of the six planes is taken
 * is decided by the surfaces of oriented boxes, each along the covariance of its own side (S.
 * Gottschalk, M. Lin and D. Manocha, "OBBTree", 1996). Boxes along the object's axes alone tell
 * little of how tight oriented ones will be: where a surface bends, which part is flat; where it is
 * long and thin, where it goes.
 *
 * Nothing here bounds anything: it is computed in floats, in coordinates of the set's own. Sums of
 * floats are taken in double and in order. */
#include "measure.h"

#include "../../formats/assert.h"
#include "split.h"

#include <math.h>
#include <string.h>

enum {
    PLAIN_MOST = 16, /* so few triangles are cut along the object's axes: little is lost */
    BINS = 16,
    BIN_BITS = 4,
    FRAMES = 2, /* the object's and the covariance's */
    AXES = 3 * FRAMES,
    BLOCK = 64,
    SUMS = 10
};

typedef float lanes4 __attribute__((vector_size(16)));

/* Coordinates of a set: (corner - middle) * scale, at most 1 in size. */
typedef struct {
    float middle[3], scale;
} local;

/* Corners of a few triangles: at[3 * corner + coordinate][triangle]. */
typedef struct {
    float at[9][BLOCK];
    unsigned count;
} block;

/* A box along a frame's axes: lower corner, and upper corner negated, so that joining is one
 * minimum. */
typedef struct {
    lanes4 lower, upper;
} box;

typedef struct {
    box bounds[FRAMES];
    uint32_t count;
} bin;

/* Weight, weighted sums of corners, weighted sums of their products: of one triangle, of many. */
typedef struct {
    double sum[SUMS];
} sums;

/* Where the bins of an axis are. */
typedef struct {
    float lower[AXES], upper[AXES], scale[AXES];
} binning;

/* The best plane of an axis. */
typedef struct {
    double area[2]; /* of the boxes along the object's axes */
    uint32_t count[2];
    unsigned bin; /* the last that goes left */
    bool valid;
} plane;

typedef struct {
    kiln_record *records;
    uint32_t *marks; /* the six bins of each triangle */
    uint32_t count, leaf;
    local at;
    float axis[FRAMES][3][3];
    sums total;
    binning by;
    bin bins[AXES][BINS];
    plane planes[AXES];
    sums side_sums[AXES][2];
    box side_boxes[AXES][2];
    float side_axis[AXES][2][3][3];
} job;

static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

static inline lanes4 smaller4(lanes4 a, lanes4 b)
{
    lanes4 out;
    for (unsigned i = 0; i < 4; i++) {
        out[i] = smaller(a[i], b[i]);
    }
    return out;
}

#define NOTHING                                                                                    \
    {                                                                                              \
        INFINITY, INFINITY, INFINITY, INFINITY                                                     \
    }
static const bin no_bin = {{{NOTHING, NOTHING}, {NOTHING, NOTHING}}, 0};

static inline void join(box *to, const box *other)
{
    to->lower = smaller4(other->lower, to->lower);
    to->upper = smaller4(other->upper, to->upper);
}

/* Half the surface, and a millionth of the squared edges' sum, as in split_sah.c. */
static double half_area(const box *b)
{
    const double x = -(double)b->upper[0] - (double)b->lower[0];
    const double y = -(double)b->upper[1] - (double)b->lower[1];
    const double z = -(double)b->upper[2] - (double)b->lower[2];
    const double length = (x + y) + z;
    return ((x * y + y * z) + z * x) + 0x1p-20 * (length * length);
}

/* ------------------------------------------------------------------------- coordinates -- */

/* A quarter of everything first, so that no difference overflows. False: the set is a point. */
static bool choose_local(job *j)
{
    float width = 0;
    for (unsigned k = 0; k < 3; k++) {
        float lower = kiln_record_lower(&j->records[0], k);
        float upper = kiln_record_upper(&j->records[0], k);
        for (uint32_t i = 1; i < j->count; i++) {
            lower = smaller(kiln_record_lower(&j->records[i], k), lower);
            upper = -smaller(-kiln_record_upper(&j->records[i], k), -upper);
        }
        j->at.middle[k] = 0.125f * lower + 0.125f * upper;
        width = fmaxf(width, 0.25f * upper - 0.25f * lower);
    }
    int e;
    /* The scale is a power of two, so that it rounds nothing; the exponent is held where 2^-e is a
     * normal float. */
    (void)frexpf(width, &e);
    e = e < -125 ? -125 : e > 126 ? 126 : e;
    j->at.scale = ldexpf(1, -e);
    return width > 0;
}

/* Loads triangles first to end - 1. Lanes that are left over are 0: loops run over whole blocks,
 * and what these lanes give is never read. */
static void load(const job *j, uint32_t first, uint32_t end, block *b)
{
    b->count = end - first;
    for (unsigned i = 0; i < b->count; i++) {
        const kiln_record *record = &j->records[first + i];
        for (unsigned c = 0; c < 3; c++) {
            for (unsigned k = 0; k < 3; k++) {
                b->at[3 * c + k][i] =
                    (0.25f * record->corner[c][k] - j->at.middle[k]) * j->at.scale;
            }
        }
    }
    for (unsigned k = 0; k < 9; k++) {
        for (unsigned i = b->count; i < BLOCK; i++) {
            b->at[k][i] = 0;
        }
    }
}

/* Calls `task` for each block of the set. */
static void for_blocks(job *j, void (*task)(job *, const block *, uint32_t first))
{
    block b;
    for (uint32_t first = 0; first < j->count; first += b.count) {
        load(j, first, j->count - first < BLOCK ? j->count : first + BLOCK, &b);
        task(j, &b, first);
    }
}

/* ----------------------------------------------------------------------------- moments -- */

/* The integral over a triangle of p p^T is a twelfth of its area times the same sum over its
 * corners and, once more, over their sum. */
static void make_sums(const block *b, float values[SUMS][BLOCK])
{
    float sum[3][BLOCK];

    /* Area, and a millionth of the squared edges, as in measure.c. */
    for (unsigned i = 0; i < BLOCK; i++) {
        const float ux = b->at[3][i] - b->at[0][i], vx = b->at[6][i] - b->at[0][i];
        const float uy = b->at[4][i] - b->at[1][i], vy = b->at[7][i] - b->at[1][i];
        const float uz = b->at[5][i] - b->at[2][i], vz = b->at[8][i] - b->at[2][i];
        const float x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        const float edges = ((ux * ux + uy * uy) + uz * uz) + ((vx * vx + vy * vy) + vz * vz);
        values[0][i] = 0.5f * sqrtf((x * x + y * y) + z * z) + 0x1p-20f * edges;
    }
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = 0; i < BLOCK; i++) {
            sum[k][i] = (b->at[k][i] + b->at[3 + k][i]) + b->at[6 + k][i];
            values[1 + k][i] = values[0][i] * sum[k][i];
        }
    }
    /* The six products of a symmetric matrix, in the order of kiln_moments: the diagonal, then yz,
     * xz and xy. */
    static const unsigned row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
    for (unsigned m = 0; m < 6; m++) {
        const unsigned r = row[m], c = column[m];
        for (unsigned i = 0; i < BLOCK; i++) {
            const float corners = (b->at[r][i] * b->at[c][i] + b->at[3 + r][i] * b->at[3 + c][i]) +
                                  b->at[6 + r][i] * b->at[6 + c][i];
            values[4 + m][i] = values[0][i] * (corners + sum[r][i] * sum[c][i]);
        }
    }
}

/* The moments of all triangles, of which the whole set's frame is made. */
static void add_total(job *j, const block *b, uint32_t first)
{
    float values[SUMS][BLOCK];
    (void)first;
    make_sums(b, values);
    for (unsigned m = 0; m < SUMS; m++) {
        double sum = 0;
        for (unsigned i = 0; i < b->count; i++) {
            sum += (double)values[m][i];
        }
        j->total.sum[m] += sum;
    }
}

/* Axes of the covariance. */
static void axes_of(const sums *s, float axis[3][3])
{
    static const unsigned row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
    kiln_moments moments = kiln_moments_none;
    double exact[3][3];
    const double share = s->sum[0] > 0 ? 1 / (9 * s->sum[0]) : 0;
    for (unsigned m = 0; m < 6; m++) {
        moments.spread[m] =
            s->sum[4 + m] * (1.0 / 12) - s->sum[1 + row[m]] * s->sum[1 + column[m]] * share;
    }
    kiln_moments_axes(&moments, exact);
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = 0; i < 3; i++) {
            axis[k][i] = (float)exact[k][i];
        }
    }
}

/* -------------------------------------------------------------------------------- bins -- */

/* Twice the middles of the triangles' extents along an axis. */
static void centres_along(const block *b, const float a[3], float centre[BLOCK])
{
    for (unsigned i = 0; i < BLOCK; i++) {
        const float p = (a[0] * b->at[0][i] + a[1] * b->at[1][i]) + a[2] * b->at[2][i];
        const float q = (a[0] * b->at[3][i] + a[1] * b->at[4][i]) + a[2] * b->at[5][i];
        const float r = (a[0] * b->at[6][i] + a[1] * b->at[7][i]) + a[2] * b->at[8][i];
        centre[i] = smaller(smaller(p, q), r) - smaller(smaller(-p, -q), -r);
    }
}

/* The extent of the triangles' centres along each axis, over which its bins are laid. Axis a is
 * axis a % 3 of frame a / 3, as everywhere in this file. */
static void bound_centres(job *j, const block *b, uint32_t first)
{
    (void)first;
    for (unsigned a = 0; a < AXES; a++) {
        float centre[BLOCK];
        centres_along(b, j->axis[a / 3][a % 3], centre);
        for (unsigned i = 0; i < b->count; i++) {
            j->by.lower[a] = smaller(centre[i], j->by.lower[a]);
            j->by.upper[a] = -smaller(-centre[i], -j->by.upper[a]);
        }
    }
}

/* Compares before it converts: a place beyond the last bin by a rounding falls into it, and so
 * does a NaN. */
static unsigned bin_of(const binning *by, unsigned axis, float centre)
{
    const float place = (centre - by->lower[axis]) * by->scale[axis];
    return place < BINS - 1 ? (unsigned)place : BINS - 1u;
}

static void add_bin(bin *to, const bin *other)
{
    for (unsigned f = 0; f < FRAMES; f++) {
        join(&to->bounds[f], &other->bounds[f]);
    }
    to->count += other->count;
}

/* One pass fills the bins of all candidate axes. */
static void fill_bins(job *j, const block *b, uint32_t first)
{
    uint32_t *marks = j->marks + first;
    box boxes[FRAMES][BLOCK];
    memset(boxes, 0, sizeof boxes);
    memset(marks, 0, b->count * sizeof *marks);
    for (unsigned f = 0; f < FRAMES; f++) {
        /* Boxes of the block's triangles along a frame. */
        for (unsigned k = 0; k < 3; k++) {
            const float *a = j->axis[f][k];
            float lower[BLOCK], upper[BLOCK];
            for (unsigned i = 0; i < BLOCK; i++) {
                const float p = (a[0] * b->at[0][i] + a[1] * b->at[1][i]) + a[2] * b->at[2][i];
                const float q = (a[0] * b->at[3][i] + a[1] * b->at[4][i]) + a[2] * b->at[5][i];
                const float r = (a[0] * b->at[6][i] + a[1] * b->at[7][i]) + a[2] * b->at[8][i];
                lower[i] = smaller(smaller(p, q), r);
                upper[i] = smaller(smaller(-p, -q), -r);
            }
            for (unsigned i = 0; i < b->count; i++) {
                boxes[f][i].lower[k] = lower[i];
                boxes[f][i].upper[k] = upper[i];
            }
        }
    }
    for (unsigned i = 0; i < b->count; i++) {
        const bin one = {{boxes[0][i], boxes[1][i]}, 1};
        for (unsigned a = 0; a < AXES; a++) {
            const box *own = &boxes[a / 3][i];
            const unsigned at = bin_of(&j->by, a, own->lower[a % 3] - own->upper[a % 3]);
            /* Four bits for each of six axes fit in a mark, so the sides of a plane are known
             * later without computing centres again. */
            marks[i] |= at << (BIN_BITS * a);
            add_bin(&j->bins[a][at], &one);
        }
    }
}

/* The plane of least cost between the bins of an axis of frame `frame`. */
static void sweep(const bin bins[BINS], unsigned frame, uint32_t leaf, plane *best)
{
    bin right[BINS];
    double area[BINS];
    right[BINS - 1] = bins[BINS - 1];
    for (unsigned i = BINS - 1; i > 0; i--) {
        if (i < BINS - 1) {
            right[i] = right[i + 1];
            add_bin(&right[i], &bins[i]);
        }
        area[i] = right[i].count != 0 ? half_area(&right[i].bounds[frame]) : 0;
    }
    /* The right sides were summed up from the last bin, so one pass from the first compares all
     * planes. A plane after an empty bin divides as the one before it and is passed over. */
    double least = INFINITY;
    best->valid = false;
    bin side = no_bin;
    for (unsigned i = 0; i + 1 < BINS; i++) {
        add_bin(&side, &bins[i]);
        const uint32_t others = right[i + 1].count;
        if (bins[i].count == 0 || others == 0) {
            continue;
        }
        const double cost =
            half_area(&side.bounds[frame]) * (double)kiln_leaf_units(side.count, leaf) +
            area[i + 1] * (double)kiln_leaf_units(others, leaf);
        if (cost < least) {
            least = cost;
            *best = (plane){{half_area(&side.bounds[0]), half_area(&right[i + 1].bounds[0])},
                            {side.count, others},
                            i,
                            true};
        }
    }
}

/* ------------------------------------------------------------------------------- sides -- */

/* On which side of the axis's plane a triangle is. */
static inline unsigned side_of(const job *j, uint32_t mark, unsigned axis)
{
    return (mark >> (BIN_BITS * axis) & (BINS - 1u)) > j->planes[axis].bin;
}

/* Moments of both sides of each axis's plane, from which the frames of the sides are made. Sums
 * are taken in the order of the records. */
static void add_sides(job *j, const block *b, uint32_t first)
{
    float values[SUMS][BLOCK];
    make_sums(b, values);
    for (unsigned i = 0; i < b->count; i++) {
        double value[SUMS];
        for (unsigned m = 0; m < SUMS; m++) {
            value[m] = (double)values[m][i];
        }
        for (unsigned a = 0; a < AXES; a++) {
            double *sum = j->side_sums[a][side_of(j, j->marks[first + i], a)].sum;
            for (unsigned m = 0; m < SUMS; m++) {
                sum[m] += value[m];
            }
        }
    }
}

/* Boxes of both sides in their own frames. The three axes are the lanes of one vector, so that a
 * corner costs three products for all of them. */
static void bound_sides(job *j, const block *b, uint32_t first)
{
    lanes4 column[AXES][2][3];
    for (unsigned a = 0; a < AXES; a++) {
        for (unsigned s = 0; s < 2; s++) {
            for (unsigned k = 0; k < 3; k++) {
                column[a][s][k] = (lanes4){j->side_axis[a][s][0][k], j->side_axis[a][s][1][k],
                                           j->side_axis[a][s][2][k], 0};
            }
        }
    }
    for (unsigned i = 0; i < b->count; i++) {
        for (unsigned a = 0; a < AXES; a++) {
            const unsigned s = side_of(j, j->marks[first + i], a);
            const lanes4 *c = column[a][s];
            box bounds = j->side_boxes[a][s];
            for (unsigned k = 0; k < 9; k += 3) {
                const lanes4 p =
                    (c[0] * b->at[k][i] + c[1] * b->at[k + 1][i]) + c[2] * b->at[k + 2][i];
                bounds.lower = smaller4(p, bounds.lower);
                bounds.upper = smaller4(-p, bounds.upper);
            }
            j->side_boxes[a][s] = bounds;
        }
    }
}

/* Moves the records that go left before the others, in one pass. */
static uint32_t divide(job *j, unsigned axis)
{
    KILN_ASSERT(axis < AXES);
    kiln_record *records = j->records;
    uint32_t left = 0, right = j->count;
    for (;;) {
        while (left < right && side_of(j, j->marks[left], axis) == 0) {
            left++;
        }
        while (left < right && side_of(j, j->marks[right - 1], axis) != 0) {
            right--;
        }
        if (left == right) {
            return left;
        }
        const kiln_record moved = records[left];
        const uint32_t mark = j->marks[left];
        right--;
        records[left] = records[right];
        j->marks[left++] = j->marks[right];
        records[right] = moved;
        j->marks[right] = mark;
    }
}

/* Frames first, then bins along their axes, then the plane with the least cost over all of them. */
uint32_t kiln_split_oriented(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf)
{
    KILN_ASSERT(count > leaf && leaf > 0);
    if (count <= PLAIN_MOST) {
        return kiln_split_sah(records, marks, count, leaf);
    }
    job j = {.records = records, .marks = marks, .count = count, .leaf = leaf};
    if (!choose_local(&j)) {
        return kiln_split_median(records, marks, count, leaf);
    }
    for (unsigned k = 0; k < 3; k++) {
        j.axis[0][k][k] = 1;
    }
    for_blocks(&j, add_total);
    axes_of(&j.total, j.axis[1]);

    for (unsigned a = 0; a < AXES; a++) {
        j.by.lower[a] = INFINITY;
        j.by.upper[a] = -INFINITY;
        for (unsigned i = 0; i < BINS; i++) {
            j.bins[a][i] = no_bin;
        }
    }
    for_blocks(&j, bound_centres);
    for (unsigned a = 0; a < AXES; a++) {
        const float width = j.by.upper[a] - j.by.lower[a];
        /* A hair below 16: of the many equal centres of a regular mesh that lie on a bin's end,
         * none is to cross it by a rounding. */
        j.by.scale[a] = width > 0x1p-100f ? BINS * (1 - 0x1p-12f) / width : 0;
    }
    for_blocks(&j, fill_bins);
    for (unsigned a = 0; a < AXES; a++) {
        sweep(j.bins[a], a / 3, j.leaf, &j.planes[a]);
    }

    /* The axis whose plane is taken; AXES if none can be. */
    memset(j.side_sums, 0, sizeof j.side_sums);
    for_blocks(&j, add_sides);
    for (unsigned a = 0; a < AXES; a++) {
        for (unsigned s = 0; s < 2; s++) {
            j.side_boxes[a][s] = no_bin.bounds[0];
            axes_of(&j.side_sums[a][s], j.side_axis[a][s]);
        }
    }
    for_blocks(&j, bound_sides);
    unsigned best = AXES;
    double least = INFINITY;
    for (unsigned a = 0; a < AXES; a++) {
        const plane *p = &j.planes[a];
        double cost = 0;
        for (unsigned s = 0; s < 2 && p->valid; s++) {
            const double own = half_area(&j.side_boxes[a][s]);
            /* A side counts with the lesser of two boxes, that of its own frame and that along the
             * object's axes, since the tree will keep the better one too. */
            cost += (own < p->area[s] ? own : p->area[s]) *
                    (double)kiln_leaf_units(p->count[s], j.leaf);
        }
        if (p->valid && cost < least) {
            least = cost;
            best = a;
        }
    }
    const unsigned axis = best;
    return axis < AXES ? divide(&j, axis) : kiln_split_median(records, marks, count, leaf);
}
