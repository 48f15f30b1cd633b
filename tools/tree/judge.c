/* The walk of runtime/walk/pair_walk.c for a tree and a copy of it, plain and in double, which
 * counts. Poses are G. Zachmann's ("Rapid collision detection by dynamically aligned DOP-trees",
 * 1998): random rotations at distances from none to where nothing meets; and the outermost contact
 * along a random direction, bisected, then a little out and in. What it answers decides nothing
 * but which tree is taken.
 *
 * Every pose has its own random numbers, so turns may run at once.
 *
 * The walk is written for being short, not fast: double precision, one lane at a time, no SIMD. It
 * opens the same nodes in nearly the same order as the runtime's, which is all that the comparison
 * of two trees needs. */
#include "judge.h"

#include "../../formats/assert.h"

#include <math.h>
#include <string.h>

enum {
    STEPS = 12,
    A_STEP = KILN_JUDGE_ZACH / STEPS,
    BISECTIONS = 6,
    LEAF_PAIR = 2,
    MOST_OPENED = 1024, /* a walk that opens more is broken off, as a hit */
    HOPELESS = 256      /* mean over the first poses of a mesh that is not worth it */
};

typedef struct {
    kiln_judge_decode decode;
    const kiln_build_input *input;
    const kiln_build_tree *tree;
    double scale;                 /* of node space by the model's */
    double middle[3], half[3];    /* of the mesh's box, node space */
    double size;                  /* its longest side */
    kiln_judge_pose *poses;       /* that are being chosen */
    const kiln_judge_pose *asked; /* that are asked */
    double *opened;               /* of each pose */
} job;

/* A box of the tree in the first copy's frame. */
typedef struct {
    kiln_box box;
    double area; /* half the surface */
    kiln_contents contents;
    bool second; /* of the second copy */
} placed;

typedef struct {
    const job *of;
    const kiln_judge_pose *pose;
    double opened;
} walk;

/* ------------------------------------------------------------------------------- geometry -- */

/* Fifteen axes (S. Gottschalk, M. Lin and D. Manocha, "OBBTree", 1996). The small summand keeps
 * edges that are nearly parallel, whose product is no axis, from parting boxes that touch; nothing
 * has to be certain here. */
static bool boxes_meet(const kiln_box *a, const kiln_box *b)
{
    double r[3][3], s[3][3], t[3];
    const double d[3] = {b->centre[0] - a->centre[0], b->centre[1] - a->centre[1],
                         b->centre[2] - a->centre[2]};
    for (unsigned i = 0; i < 3; i++) {
        t[i] = kiln_dot(d, a->axis[i]);
        for (unsigned j = 0; j < 3; j++) {
            r[i][j] = kiln_dot(a->axis[i], b->axis[j]);
            s[i][j] = fabs(r[i][j]) + 0x1p-24;
        }
        if (fabs(t[i]) > a->half[i] + kiln_dot(s[i], b->half)) {
            return false;
        }
    }
    for (unsigned j = 0; j < 3; j++) {
        const double reach = (a->half[0] * s[0][j] + a->half[1] * s[1][j]) + a->half[2] * s[2][j];
        if (fabs(kiln_dot(d, b->axis[j])) > b->half[j] + reach) {
            return false;
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        const unsigned i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (unsigned j = 0; j < 3; j++) {
            const unsigned j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double reach = (a->half[i1] * s[i2][j] + a->half[i2] * s[i1][j]) +
                                 (b->half[j1] * s[i][j2] + b->half[j2] * s[i][j1]);
            if (fabs(t[i2] * r[i1][j] - t[i1] * r[i2][j]) > reach) {
                return false;
            }
        }
    }
    return true;
}

/* Do the projections of two triangles on the axis leave a gap? */
static bool parted_along(double a[3][3], double b[3][3], const double axis[3])
{
    double lower[2] = {INFINITY, INFINITY}, upper[2] = {-INFINITY, -INFINITY};
    for (unsigned i = 0; i < 3; i++) {
        const double at[2] = {kiln_dot(a[i], axis), kiln_dot(b[i], axis)};
        for (unsigned s = 0; s < 2; s++) {
            lower[s] = at[s] < lower[s] ? at[s] : lower[s];
            upper[s] = at[s] > upper[s] ? at[s] : upper[s];
        }
    }
    return upper[0] < lower[1] || upper[1] < lower[0];
}

/* Normals, pairs of edges, and normals with edges for triangles of one plane. An axis that is 0,
 * as from parallel edges, leaves no gap and parts nothing, so it needs no case. */
static bool triangles_meet(double a[3][3], double b[3][3])
{
    double edge[2][3][3], normal[2][3], axis[3];
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < 3; k++) {
            edge[0][i][k] = a[(i + 1) % 3][k] - a[i][k];
            edge[1][i][k] = b[(i + 1) % 3][k] - b[i][k];
        }
    }
    for (unsigned s = 0; s < 2; s++) {
        kiln_cross(edge[s][0], edge[s][1], normal[s]);
        if (parted_along(a, b, normal[s])) {
            return false;
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            kiln_cross(edge[0][i], edge[1][j], axis);
            if (parted_along(a, b, axis)) {
                return false;
            }
        }
        for (unsigned s = 0; s < 2; s++) {
            kiln_cross(normal[s], edge[s][i], axis);
            if (parted_along(a, b, axis)) {
                return false;
            }
        }
    }
    return true;
}

/* ----------------------------------------------------------------------------------- walk -- */

/* The corners of the triangle in a slot, in the first copy's frame. */
static void load_triangle(const walk *w, uint32_t slot, bool second, double out[3][3])
{
    KILN_ASSERT(slot < w->of->tree->triangle_count);
    const job *j = w->of;
    const uint32_t *corner = j->input->indices + 3 * (size_t)j->tree->order[slot];
    for (unsigned i = 0; i < 3; i++) {
        const float *vertex = j->input->positions + 3 * (size_t)corner[i];
        double p[3];
        for (unsigned k = 0; k < 3; k++) {
            p[k] = ((double)vertex[k] - j->tree->origin[k]) * j->scale;
        }
        memcpy(out[i], p, sizeof p);
        if (second) {
            kiln_transform_point(&w->pose->carry, p, out[i]);
        }
    }
}

/* Do two triangles of the leaves meet? */
static bool leaves_meet(walk *w, const placed *a, const placed *b)
{
    KILN_ASSERT(a->contents.count > 0 && b->contents.count > 0);
    w->opened += LEAF_PAIR;
    for (uint32_t i = 0; i < a->contents.count; i++) {
        double p[3][3];
        load_triangle(w, a->contents.first + i, a->second, p);
        for (uint32_t j = 0; j < b->contents.count; j++) {
            double q[3][3];
            load_triangle(w, b->contents.first + j, b->second, q);
            if (triangles_meet(p, q)) {
                return true;
            }
        }
    }
    return false;
}

static double half_area(const kiln_box *box)
{
    const double *half = box->half;
    return (half[0] * half[1] + half[1] * half[2]) + half[2] * half[0];
}

/* The box of a lane of one of the copies. */
static void load_lane(const walk *w, const kiln_format_node8 *node, unsigned lane, bool second,
                      placed *out)
{
    KILN_ASSERT(lane < KILN_NODE_WIDTH);
    kiln_lane_box stored;
    w->of->decode(node, lane, &stored);
    kiln_lane_box_place(&stored, node->org, &out->box);
    if (second) {
        const kiln_transform *carry = &w->pose->carry;
        const kiln_box own = out->box;
        kiln_transform_point(carry, own.centre, out->box.centre);
        for (unsigned k = 0; k < 3; k++) {
            kiln_matrix_apply(carry->rotation, own.axis[k], out->box.axis[k]);
        }
    }
    out->area = half_area(&out->box);
    out->second = second;
    out->contents = kiln_node8_contents(node, lane);
}

/* The lanes of the node in `opened` that meet `other`, the nearest first. */
static unsigned open_node(walk *w, const placed *opened, const placed *other, placed lanes[8])
{
    KILN_ASSERT(opened->contents.count == 0 && opened->contents.first < w->of->tree->node_count);
    const kiln_build_tree *tree = w->of->tree;
    const kiln_format_node8 *node =
        kiln_node_at(tree->nodes, tree->node_size, opened->contents.first);
    double distance[8];
    unsigned count = 0;
    w->opened += 1;
    for (unsigned i = 0; i < 8; i++) {
        placed lane;
        if ((kiln_node8_used(node) >> i & 1u) == 0) {
            continue;
        }
        load_lane(w, node, i, opened->second, &lane);
        if (!boxes_meet(&lane.box, &other->box)) {
            continue;
        }
        double d[3];
        kiln_subtract(lane.box.centre, other->box.centre, d);
        const double far = kiln_dot(d, d);
        unsigned at = count++;
        for (; at > 0 && far < distance[at - 1]; at--) {
            distance[at] = distance[at - 1];
            lanes[at] = lanes[at - 1];
        }
        distance[at] = far;
        lanes[at] = lane;
    }
    return count;
}

/* Recursion as deep as both trees together: formats/format.h. */
static bool pair_meets(walk *w, const placed *a, const placed *b)
{
    if (w->opened > MOST_OPENED) {
        return true;
    }
    if (a->contents.count != 0 && b->contents.count != 0) {
        return leaves_meet(w, a, b);
    }
    /* The larger box is opened, as the runtime does; a leaf can't be, so the other is. */
    const bool first = a->contents.count == 0 && (b->contents.count != 0 || a->area >= b->area);
    const placed *other = first ? b : a;
    placed lanes[8];
    const unsigned count = open_node(w, first ? a : b, other, lanes);
    for (unsigned i = 0; i < count; i++) {
        if (pair_meets(w, &lanes[i], other)) {
            return true;
        }
    }
    return false;
}

/* The box of the whole mesh; `pose` NULL: of the first copy. */
static void root_box(const job *j, const kiln_judge_pose *pose, placed *out)
{
    KILN_ASSERT(j->size >= 0);
    *out = (placed){.second = pose != NULL};
    for (unsigned k = 0; k < 3; k++) {
        out->box.centre[k] = j->middle[k];
        out->box.half[k] = j->half[k];
        out->box.axis[k][k] = 1;
    }
    if (pose != NULL) {
        kiln_transform_point(&pose->carry, j->middle, out->box.centre);
        for (unsigned k = 0; k < 3; k++) {
            for (unsigned i = 0; i < 3; i++) {
                out->box.axis[k][i] = pose->carry.rotation[3 * i + k];
            }
        }
    }
    out->area = half_area(&out->box);
}

/* Runs one query: do the copies meet, and how many nodes does it open? */
static bool ask(const job *j, const kiln_judge_pose *pose, double *opened)
{
    KILN_ASSERT(opened != NULL);
    walk w = {j, pose, 0};
    placed a, b;
    root_box(j, NULL, &a);
    root_box(j, pose, &b);
    const bool met = boxes_meet(&a.box, &b.box) && pair_meets(&w, &a, &b);
    *opened = w.opened;
    return met;
}

/* ---------------------------------------------------------------------------------- poses -- */

/* G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators", 2014. */
static double next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* A point of the unit ball without its middle, moved to the sphere. */
static void random_unit(uint64_t *state, unsigned dimensions, double out[4])
{
    KILN_ASSERT(dimensions >= 1 && dimensions <= 4);
    double squared;
    do {
        squared = 0;
        for (unsigned k = 0; k < dimensions; k++) {
            out[k] = next_random(state);
            squared += out[k] * out[k];
        }
    } while (squared > 1 || squared < 0.01);
    for (unsigned k = 0; k < dimensions; k++) {
        out[k] /= sqrt(squared);
    }
}

/* Middles `distance` sizes apart. */
static void place(const job *j, const double direction[3], double distance, kiln_judge_pose *pose)
{
    KILN_ASSERT(distance >= -1 && distance <= 2);
    for (unsigned k = 0; k < 3; k++) {
        const double moved = kiln_dot(pose->carry.rotation + 3 * k, j->middle);
        pose->carry.translation[k] = (j->middle[k] - moved) + distance * j->size * direction[k];
    }
}

/* The rotation and the direction of a pose, from its number alone. */
static void start_pose(uint32_t index, kiln_judge_pose *pose, double direction[4])
{
    KILN_ASSERT(index < KILN_JUDGE_POSES);
    enum { SEED = 977 };
    uint64_t state = ((uint64_t)index << 32) + SEED;

    /* A random point of the sphere in four dimensions is a random rotation as a quaternion. */
    double q[4];
    random_unit(&state, 4, q);
    for (unsigned i = 0; i < 3; i++) {
        const unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        double *row = pose->carry.rotation + 3 * i;
        row[i] = 1 - 2 * (q[j] * q[j] + q[k] * q[k]);
        row[j] = 2 * (q[i] * q[j] - q[3] * q[k]);
        row[k] = 2 * (q[i] * q[k] + q[3] * q[j]);
    }
    random_unit(&state, 3, direction);
}

/* One task: a pose at a random rotation and one of twelve distances. */
static void choose_zach(void *context, uint32_t index)
{
    const job *j = context;
    KILN_ASSERT(index < KILN_JUDGE_ZACH);
    kiln_judge_pose *pose = &j->poses[index];
    double direction[4];
    start_pose(index, pose, direction);
    place(j, direction, 0.1 * (index / A_STEP), pose);

    placed a, b;
    root_box(j, NULL, &a);
    root_box(j, pose, &b);
    pose->good = boxes_meet(&a.box, &b.box);
    j->opened[index] = 0;
    pose->class_of = pose->good && ask(j, pose, &j->opened[index]);
}

/* One task: two poses at the outermost contact along a random direction. */
static void choose_graze(void *context, uint32_t index)
{
    const job *j = context;
    KILN_ASSERT(index < KILN_JUDGE_GRAZE);
    kiln_judge_pose *pose = &j->poses[KILN_JUDGE_ZACH + 2 * (size_t)index];
    const double stride = 0.04, aside = 0.002;
    double direction[4], opened, outer = 1.8, inner = outer;
    start_pose(KILN_JUDGE_ZACH + index, pose, direction);
    /* From far out the copies approach in strides until they meet, so what is found is the
     * outermost contact, up to a stride. Where they don't meet even with equal middles the pose is
     * no good. */
    for (place(j, direction, inner, pose); inner > 0 && !ask(j, pose, &opened);
         place(j, direction, inner, pose)) {
        outer = inner;
        inner -= stride;
    }
    /* Between the last pose apart and the first that meets, halve the distance. */
    for (unsigned i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (outer + inner);
        place(j, direction, middle, pose);
        if (ask(j, pose, &opened)) {
            inner = middle;
        } else {
            outer = middle;
        }
    }
    pose->good = inner > 0;
    pose[1] = pose[0];
    place(j, direction, outer + aside, &pose[0]);
    place(j, direction, inner - aside, &pose[1]);
    pose[0].class_of = 2;
    pose[1].class_of = 3;
}

/* The mesh in node space, which depends on the tree's frame. */
static void begin(job *j)
{
    KILN_ASSERT(j->tree->node_count > 0);
    const kiln_build_tree *tree = j->tree;
    j->scale = ldexp(1, -tree->scale_exponent);
    j->size = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double lower = ((double)tree->bounds_lower[k] - tree->origin[k]) * j->scale;
        const double upper = ((double)tree->bounds_upper[k] - tree->origin[k]) * j->scale;
        j->middle[k] = 0.5 * (lower + upper);
        j->half[k] = 0.5 * (upper - lower);
        j->size = fmax(j->size, upper - lower);
    }
}

/* Poses that do not meet even by their roots cost nothing in any tree, and are marked as no
 * good. */
bool kiln_judge_choose(kiln_judge_decode decode, const kiln_build_input *input,
                       const kiln_build_tree *tree, const kiln_watch *watch,
                       kiln_judge_pose poses[KILN_JUDGE_POSES], bool *hopeless)
{
    KILN_ASSERT(decode != NULL);
    double opened[KILN_JUDGE_ZACH], sum = 0;
    job j = {.decode = decode, .input = input, .tree = tree, .poses = poses, .opened = opened};
    begin(&j);
    if (!kiln_parallel_for(watch, KILN_JUDGE_ZACH, choose_zach, &j)) {
        return false;
    }
    /* A sum in the order of poses, so that the verdict doesn't depend on threads. */
    for (unsigned i = 0; i < KILN_JUDGE_ZACH; i++) {
        sum += opened[i];
    }
    *hopeless = sum > (double)HOPELESS * KILN_JUDGE_ZACH;
    return *hopeless || kiln_parallel_for(watch, KILN_JUDGE_GRAZE, choose_graze, &j);
}

/* ------------------------------------------------------------------------------- judgement -- */

/* One task: the query of one pose. */
static void count_pose(void *context, uint32_t index)
{
    const job *j = context;
    KILN_ASSERT(index < KILN_JUDGE_POSES);
    j->opened[index] = 0;
    if (j->asked[index].good) {
        ask(j, &j->asked[index], &j->opened[index]);
    }
}

bool kiln_judge(kiln_judge_decode decode, const kiln_build_input *input,
                const kiln_build_tree *tree, const kiln_watch *watch,
                const kiln_judge_pose poses[KILN_JUDGE_POSES], kiln_judgement *judgement)
{
    KILN_ASSERT(decode != NULL);
    double opened[KILN_JUDGE_POSES];
    job j = {.decode = decode, .input = input, .tree = tree, .asked = poses, .opened = opened};
    begin(&j);
    if (!kiln_parallel_for(watch, KILN_JUDGE_POSES, count_pose, &j)) {
        return false;
    }
    memset(judgement, 0, sizeof *judgement);
    for (unsigned i = 0; i < KILN_JUDGE_POSES; i++) {
        judgement->opened[poses[i].class_of % KILN_JUDGE_CLASSES] += poses[i].good ? opened[i] : 0;
    }
    return true;
}

bool kiln_judged_better(const kiln_judgement *a, const kiln_judgement *b,
                        const kiln_judgement *base)
{
    /* Classes differ in their number of nodes by orders of magnitude, so their product is
     * compared: a tenth less counts alike in each. */
    double product[2] = {1, 1};
    for (unsigned c = 0; c < KILN_JUDGE_CLASSES; c++) {
        if (a->opened[c] > base->opened[c]) {
            return false;
        }
        product[0] *= 1 + a->opened[c];
        product[1] *= 1 + b->opened[c];
    }
    return product[0] < product[1];
}
