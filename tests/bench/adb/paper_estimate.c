/* The probability that the surfaces below two boxes meet: computeProb, Figure 5 of J. Klein and G.
 * Zachmann, "Time-Critical Collision Detection Using an Average-Case Approach", VRST 2003.
 *
 * Three numbers enter into it, all counted in cells of the box whose cells are smaller: s, how many
 * cells the volume that the boxes have in common holds, and sA and sB, how many of them may hold
 * enough surface of A and of B. Of these Equation 8 makes a probability. Where the text leaves a
 * choice (its A is the box with the smaller cells):
 *
 * - Which box is the smaller one is decided by the volume of a cell, which is the text's rule where
 *   both trees have equal grids, and "of equal size" needs no case of its own.
 * - Octants are boxes; a pyramid of Figure 7 is taken for the box of the same middle and moments,
 *   in which Vol(R n B) / Vol(R) is got by the same estimate as Vol(A n B).
 * - A sum over regions or nodes may exceed s, of which it is a part: it is cut to s. */
#include "paper_estimate.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <string.h>

/* Node space reaches to 1024 at most, so that no box of B is larger than 2^51 times one unit of A,
 * and what is further away than this meets nothing. */
static const double far_away = 1e30;
static const double scale_max = 0x1p+40;

/* ------------------------------------------------------------------------------------- frame -- */

static bool pose_is_sound(const kiln_pose *pose)
{
    const double *r = pose->rotation;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            const double dot = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j];
            if (!(fabs(dot - (i == j ? 1 : 0)) <= 1e-6)) {
                return false;
            }
        }
        if (!(fabs(pose->translation[i]) <= 1e60)) {
            return false;
        }
    }
    if (pose->scale != 1) {
        return false;
    }
    return r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
               r[2] * (r[3] * r[7] - r[4] * r[6]) >
           0;
}

/* B in A's frame: inverse of A's pose times B's. */
static void relate(const kiln_pose *pose_a, const kiln_pose *pose_b, kiln_pose *out)
{
    for (int i = 0; i < 3; i++) {
        out->translation[i] = 0;
        for (int k = 0; k < 3; k++) {
            const double entry = pose_a->rotation[3 * k + i];
            out->translation[i] += entry * (pose_b->translation[k] - pose_a->translation[k]);
        }
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                sum += pose_a->rotation[3 * k + i] * pose_b->rotation[3 * k + j];
            }
            out->rotation[3 * i + j] = sum;
        }
    }
}

kiln_status kiln_paper_frame_form(kiln_paper_frame *frame, const kiln_paper_tree *a,
                                  const kiln_pose *pose_a, const kiln_paper_tree *b,
                                  const kiln_pose *pose_b)
{
    const kiln_pose identity = kiln_pose_identity();
    kiln_pose pose;
    pose_a = pose_a != NULL ? pose_a : &identity;
    pose_b = pose_b != NULL ? pose_b : &identity;
    if (!pose_is_sound(pose_a) || !pose_is_sound(pose_b)) {
        return KILN_ERROR_POSE;
    }
    frame->a = a;
    frame->b = b;
    frame->scale = b->scale / a->scale;
    if (!(frame->scale <= scale_max && frame->scale >= 1 / scale_max)) {
        return KILN_ERROR_ARGUMENT;
    }
    relate(pose_a, pose_b, &pose);
    for (int i = 0; i < 3; i++) {
        double at = pose.translation[i] - a->origin[i];
        for (int k = 0; k < 3; k++) {
            frame->rotation[i][k] = pose.rotation[3 * i + k];
            at += frame->rotation[i][k] * b->origin[k];
        }
        frame->translation[i] =
            kiln_paper_more(-far_away, kiln_paper_less(far_away, at / a->scale));
    }
    return KILN_OK;
}

/* v along the axes of box `index`. */
static void along_axes(const kiln_paper_tree *tree, uint32_t index, const double v[3],
                       double out[3])
{
    if (tree->axes == NULL) {
        memcpy(out, v, 3 * sizeof(double));
        return;
    }
    for (int k = 0; k < 3; k++) {
        const float *axis = tree->axes[index][k];
        out[k] = (double)axis[0] * v[0] + (double)axis[1] * v[1] + (double)axis[2] * v[2];
    }
}

void kiln_paper_frame_pair(const kiln_paper_frame *frame, uint32_t a, uint32_t b,
                           kiln_paper_pair *pair)
{
    KILN_ASSERT(a < frame->a->box_count);
    KILN_ASSERT(b < frame->b->box_count);
    const kiln_paper_box *box_a = &frame->a->boxes[a], *box_b = &frame->b->boxes[b];
    double away[3];
    for (int i = 0; i < 3; i++) {
        const double *row = frame->rotation[i];
        const double rotated = row[0] * (double)box_b->centre[0] +
                               row[1] * (double)box_b->centre[1] +
                               row[2] * (double)box_b->centre[2];
        away[i] = rotated * frame->scale + frame->translation[i] - (double)box_a->centre[i];
        pair->half_a[i] = (double)box_a->half[i];
        pair->half_b[i] = (double)box_b->half[i] * frame->scale;
    }
    along_axes(frame->a, a, away, pair->away);
    if (frame->a->axes == NULL && frame->b->axes == NULL) {
        memcpy(pair->rotation, frame->rotation, sizeof frame->rotation);
        return;
    }
    double columns[3][3]; /* B's axes in A's node space, along A's axes */
    for (int i = 0; i < 3; i++) {
        double by_axis[3];
        along_axes(frame->b, b, frame->rotation[i], by_axis);
        for (int j = 0; j < 3; j++) {
            columns[j][i] = by_axis[j];
        }
    }
    for (int j = 0; j < 3; j++) {
        double column[3];
        along_axes(frame->a, a, columns[j], column);
        for (int i = 0; i < 3; i++) {
            pair->rotation[i][j] = column[i];
        }
    }
}

static void thicken_pair(const kiln_paper_frame *frame, kiln_paper_pair *pair)
{
    kiln_paper_thicken(pair->half_a, KILN_PAPER_POINT);
    kiln_paper_thicken(pair->half_b, KILN_PAPER_POINT * frame->scale);
}

/* ---------------------------------------------------------------------- sections 3.4 and 3.6 -- */

/* One question about two boxes. */
typedef struct {
    const kiln_paper_frame *frame;
    const kiln_paper_options *options;
    uint32_t small; /* number of the box with the smaller cells */
    bool small_is_a;
    double small_cell; /* volume of one of its cells */
    uint32_t visited;
} question;

static double common_volume(const question *q, const kiln_paper_pair *pair)
{
    return kiln_paper_common_volume(pair, q->options->volume, q->options->size_ratio);
}

/* Region number `which` of a box with half-extents `half`: its middle and half-extents along the
 * box's axes. A pyramid over a face, its tip in the box's middle, has its own middle at 3/4 of its
 * height h, a mean square of 3/80 h^2 about that along the height, and of 1/5 of the base's
 * half-sides across; a box has 1/3 of its half-extents'. */
static void region_box(uint32_t region_count, uint32_t which, const double half[3],
                       double middle[3], double region_half[3])
{
    const uint32_t upright = which / 2;
    for (uint32_t k = 0; k < 3; k++) {
        if (region_count == 8) {
            middle[k] = (which >> k & 1) != 0 ? 0.5 * half[k] : -0.5 * half[k];
            region_half[k] = 0.5 * half[k];
        } else if (k == upright) {
            middle[k] = (which & 1) != 0 ? 0.75 * half[k] : -0.75 * half[k];
            region_half[k] = sqrt(9.0 / 80) * half[k];
        } else {
            middle[k] = 0;
            region_half[k] = sqrt(3.0 / 5) * half[k];
        }
    }
}

/* `pair` with one of the boxes replaced by a region of it. Returns the volume of the region. */
static double region_pair(const kiln_paper_pair *pair, bool of_a, uint32_t region_count,
                          uint32_t which, kiln_paper_pair *out)
{
    double middle[3];
    *out = *pair;
    region_box(region_count, which, of_a ? pair->half_a : pair->half_b, middle,
               of_a ? out->half_a : out->half_b);
    for (int i = 0; i < 3; i++) {
        const double *column = pair->rotation[i];
        out->away[i] += of_a
                            ? -middle[i]
                            : column[0] * middle[0] + column[1] * middle[1] + column[2] * middle[2];
    }
    return kiln_paper_box_volume(of_a ? out->half_a : out->half_b);
}

/* Equation 3, and the sum over regions of section 3.4.3: possible cells of one box in the common
 * volume. */
static double possible_cells(const question *q, const kiln_paper_pair *pair, bool of_a,
                             const kiln_paper_box *box)
{
    const kiln_paper_tree *tree = of_a ? q->frame->a : q->frame->b;
    if (tree->region_count == 1) {
        const double volume = kiln_paper_box_volume(of_a ? pair->half_a : pair->half_b);
        return box->region[0] * (common_volume(q, pair) / volume);
    }
    double sum = 0;
    for (uint32_t i = 0; i < tree->region_count; i++) {
        kiln_paper_pair part;
        if (box->region[i] > 0) {
            const double volume = region_pair(pair, of_a, tree->region_count, i, &part);
            sum += box->region[i] * (common_volume(q, &part) / volume);
        }
    }
    return sum;
}

double kiln_paper_equation_5(double s, double tau)
{
    return s * tau / cbrt(tau);
}

static double cell_volume(const kiln_paper_frame *frame, bool of_a, uint32_t index)
{
    const kiln_paper_tree *tree = of_a ? frame->a : frame->b;
    const double scale = of_a ? 1 : frame->scale;
    return (double)tree->boxes[index].volume * (scale * scale * scale) / tree->cells;
}

static bool spheres_meet(const kiln_paper_pair *pair)
{
    double a = 0, b = 0;
    for (int k = 0; k < 3; k++) {
        a += pair->half_a[k] * pair->half_a[k];
        b += pair->half_b[k] * pair->half_b[k];
    }
    return kiln_paper_distance(pair) <= sqrt(a) + sqrt(b);
}

static double cells_of_larger(question *q, uint32_t index, const kiln_paper_pair *pair);

/* A box on the way down. */
static double cells_of_child(question *q, uint32_t index)
{
    kiln_paper_pair pair;
    kiln_paper_frame_pair(q->frame, q->small_is_a ? q->small : index,
                          q->small_is_a ? index : q->small, &pair);
    const kiln_paper_gate gate = q->options->gate;
    if (gate == KILN_PAPER_NO_GATE ? !spheres_meet(&pair) : !kiln_paper_may_meet(&pair, gate)) {
        return 0;
    }
    thicken_pair(q->frame, &pair);
    return cells_of_larger(q, index, &pair);
}

/* Equations 3 to 5: possible cells of the box with the larger cells, counted in cells of the size
 * of the other's. Goes as deep as the tree. */
static double cells_of_larger(question *q, uint32_t index, const kiln_paper_pair *pair)
{
    KILN_ASSERT(q->small_cell > 0);
    const bool is_a = !q->small_is_a;
    const kiln_paper_box *box = &(is_a ? q->frame->a : q->frame->b)->boxes[index];
    const double tau = cell_volume(q->frame, is_a, index) / q->small_cell;
    q->visited++;
    if (tau <= 1 || box->children == 0 || q->options->share == KILN_PAPER_EQUATION_5) {
        const double cells = possible_cells(q, pair, is_a, box);
        return tau > 1 ? kiln_paper_equation_5(cells, tau) : cells;
    }
    double sum = 0;
    for (uint32_t i = 0; i < 2; i++) {
        if ((box->used >> i & 1) != 0) {
            sum += cells_of_child(q, box->children + i);
        }
    }
    return sum;
}

/* ------------------------------------------------------------------------------- section 3.5 -- */

double kiln_paper_lower_bound(const kiln_paper_tree *a, uint32_t box_a, const kiln_paper_tree *b,
                              uint32_t box_b, kiln_paper_level level)
{
    const kiln_paper_box *of_a = &a->boxes[box_a], *of_b = &b->boxes[box_b];
    if (level == KILN_PAPER_BY_TRIANGLES) {
        return (of_a->level + of_b->level) / 510.0;
    }
    return (double)(of_a->depth + of_b->depth) / (double)(a->depth_max + b->depth_max);
}

kiln_status kiln_paper_equation_8(const kiln_paper_options *options, double s, double sa, double sb,
                                  double lb, double *p)
{
    KILN_ASSERT(options->x_max <= KILN_BINS_MAX_X);
    KILN_ASSERT(lb >= 0 && lb <= 1);
    double filled[KILN_BINS_MAX_X];
    kiln_bins_rounding rounding = KILN_BINS_INTERPOLATED;
    if (options->rounding == KILN_PAPER_NEAREST) {
        s = kiln_paper_more(1, round(s));
        sa = round(sa);
        sb = round(sb);
    } else if (options->rounding == KILN_PAPER_LOWER) {
        rounding = KILN_BINS_LOWER;
    }
    const kiln_status status =
        kiln_bins_probabilities_real(options->bins, s, sa, sb, rounding, options->x_max, filled);
    if (status != KILN_OK) {
        return status;
    }
    double best = 0, none = 1; /* (1 - LB)^x */
    for (uint32_t x = 1; x <= options->x_max; x++) {
        none *= 1 - lb;
        best = kiln_paper_more(best, filled[x - 1] * (1 - none));
    }
    *p = best;
    return KILN_OK;
}

void kiln_paper_estimate_pair(const kiln_paper_frame *frame, uint32_t a, uint32_t b,
                              const kiln_paper_options *options, kiln_paper_estimate *out)
{
    kiln_paper_pair pair;
    memset(out, 0, sizeof *out);
    kiln_paper_frame_pair(frame, a, b, &pair);
    if (!kiln_paper_may_meet(&pair, options->gate)) {
        out->gated = true;
        return;
    }
    thicken_pair(frame, &pair);
    const double cell_a = cell_volume(frame, true, a), cell_b = cell_volume(frame, false, b);
    question q = {frame, options, a, true, cell_a, 0};
    if (cell_b < cell_a) {
        q = (question){frame, options, b, false, cell_b, 0};
    }
    const kiln_paper_tree *small = q.small_is_a ? frame->a : frame->b;
    const double *small_half = q.small_is_a ? pair.half_a : pair.half_b;
    out->volume = common_volume(&q, &pair);
    out->lb = kiln_paper_lower_bound(frame->a, a, frame->b, b, options->level);
    out->s = out->volume / kiln_paper_box_volume(small_half) * small->cells; /* Equation 2 */
    const double of_small = possible_cells(&q, &pair, q.small_is_a, &small->boxes[q.small]);
    const double of_large = cells_of_larger(&q, q.small_is_a ? b : a, &pair);
    out->sa = kiln_paper_less(q.small_is_a ? of_small : of_large, out->s);
    out->sb = kiln_paper_less(q.small_is_a ? of_large : of_small, out->s);
    out->visited = q.visited;
    /* The table was found large enough, and 0 <= sA, sB <= s <= its cells. */
    (void)kiln_paper_equation_8(options, out->s, out->sa, out->sb, out->lb, &out->p);
}
