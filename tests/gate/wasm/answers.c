/* Asks the library so many random queries of each kind about the trees of some files, and writes
 * questions and answers to standard output, for compare.mjs to ask the same of the module.
 *
 *     answers COUNT FILE...
 *
 * All numbers are doubles of this machine. A block is the number of the doubles that follow in it;
 * a question in it is: kind, tree A, tree B, how many numbers it has, how many its answer has,
 * both. Trees are numbered through all files. An answer that is an error is minus its status. */
#include "../../../runtime/kiln.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLLIDE,
    WITHIN,
    DISTANCE,
    CONTACTS,
    SUMMARY,
    LOCATE_MESH,
    LIKELY,
    RAY_CLOSEST,
    RAY_ANY,
    RAY_ALL,
    OVERLAP_ANY,
    OVERLAP_ALL,
    LOCATE_POINT,
    KINDS
};

enum { TREES_MAX = 64, MOST = 3, BLOCK = 1 << 17, QUESTION_MAX = 512 };

static const kiln_tree *trees[TREES_MAX];
static unsigned tree_count;
static uint64_t state = 19;

static double block[BLOCK];
static size_t used;

static uint64_t next(void) /* SplitMix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double between(double lower, double upper)
{
    return lower + (upper - lower) * ((double)(next() >> 11) * 0x1p-53);
}

static void flush(void)
{
    const double size = (double)used;
    if (fwrite(&size, sizeof size, 1, stdout) != 1 ||
        fwrite(block, sizeof *block, used, stdout) != used) {
        exit(2);
    }
    used = 0;
}

static void put(double number)
{
    block[used++] = number;
}

static void put_all(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(numbers[i]);
    }
}

/* Writes a pose: 0, or 1 and 13 numbers, or 2, a quaternion, a translation and a scale. Some are
 * no rotations, and some none: a scale out of range. */
static kiln_pose any_pose(double reach)
{
    kiln_pose pose = kiln_pose_identity();
    const unsigned how = (unsigned)(next() % 64);
    if (how < 4) {
        put(0);
        return pose;
    }
    double q[4], length = 0;
    do {
        for (unsigned k = 0; k < 4; k++) {
            q[k] = between(-1, 1);
        }
        length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    } while (length < 0.1 || length > 1.0);
    double translation[3];
    for (unsigned k = 0; k < 4; k++) {
        q[k] /= length;
    }
    for (unsigned k = 0; k < 3; k++) {
        translation[k] = between(-reach, reach);
    }
    if (kiln_pose_from_quaternion(q, translation, &pose) != KILN_OK) {
        exit(2);
    }
    pose.scale = how < 32 ? 1.0 : how < 40 ? 2.0 : how < 63 ? between(0.5, 2.0) : 0.0;
    if (how == 62) {
        pose.rotation[0] = -pose.rotation[0];
    }
    if (how % 2 == 0) {
        put(1);
        put_all(pose.rotation, 9);
    } else {
        put(2);
        put_all(q, 4);
    }
    put_all(translation, 3);
    put(pose.scale);
    return pose;
}

/* The question that is being written: where its two sizes are. */
static size_t begun, answered;

static void begin(unsigned kind, unsigned a, unsigned b)
{
    if (used + QUESTION_MAX > BLOCK) {
        flush();
    }
    put(kind);
    put(a);
    put(b);
    begun = used;
    used += 2;
}

static void answer(void)
{
    answered = used;
}

static void end(kiln_status status)
{
    if (status != KILN_OK) {
        used = answered;
        put(-(double)status);
    }
    block[begun] = (double)(answered - begun - 2);
    block[begun + 1] = (double)(used - answered);
}

static void put_pair(kiln_pair pair)
{
    put(pair.a);
    put(pair.b);
    put(pair.value_a);
    put(pair.value_b);
}

static void put_contact(const kiln_contact *contact)
{
    put_pair(contact->pair);
    put_all(contact->from, 3);
    put_all(contact->to, 3);
    put_all(contact->normal, 3);
    put(contact->depth);
}

static void put_ray_hit(const kiln_ray_hit *hit)
{
    put(hit->triangle);
    put(hit->value);
    put(hit->side);
    put(hit->t);
    put_all(hit->weights, 3);
    put_all(hit->normal, 3);
}

static void put_hit(const kiln_hit *hit)
{
    put(hit->found);
    put_pair(hit->pair);
    put(hit->hint.a);
    put(hit->hint.b);
}

static void ask_two(unsigned kind, unsigned a, unsigned b, const kiln_pose *at_a,
                    const kiln_pose *at_b)
{
    static kiln_hint hint;
    kiln_pair_options options = kiln_pair_options_default();
    kiln_status status = KILN_OK;
    if (kind == COLLIDE) {
        kiln_hit hit;
        memset(&hit, 0, sizeof hit);
        answer();
        status = kiln_collide(trees[a], at_a, trees[b], at_b, NULL, &hit);
        put_hit(&hit);
    } else if (kind == WITHIN) {
        kiln_hit hit;
        memset(&hit, 0, sizeof hit);
        const double distance = next() % 8 == 0 ? 0.0 : between(0.0, 1.0);
        put(distance);
        answer();
        status = kiln_within(trees[a], at_a, trees[b], at_b, distance, &options, &hit);
        put_hit(&hit);
    } else if (kind == DISTANCE) {
        kiln_nearest nearest;
        memset(&nearest, 0, sizeof nearest);
        options.beyond = next() % 4 == 0 ? between(0.0, 2.0) : (double)INFINITY;
        options.relative = next() % 4 == 0 ? 1e-3 : 0.0;
        options.absolute = next() % 8 == 0 ? 1e-2 : 0.0;
        if (next() % 2 == 0) {
            options.hint = hint;
        }
        put(options.beyond);
        put(options.relative);
        put(options.absolute);
        put(options.hint.a);
        put(options.hint.b);
        answer();
        status = kiln_distance(trees[a], at_a, trees[b], at_b, &options, &nearest);
        put(nearest.found);
        put(nearest.distance);
        put_pair(nearest.pair);
        put_all(nearest.point_a, 3);
        put_all(nearest.point_b, 3);
        put_all(nearest.normal, 3);
        put(nearest.hint.a);
        put(nearest.hint.b);
        hint = status == KILN_OK ? nearest.hint : hint;
    } else if (kind == CONTACTS) {
        kiln_contact contacts[MOST];
        size_t count = 0;
        answer();
        status =
            kiln_contacts_geometry(trees[a], at_a, trees[b], at_b, NULL, contacts, MOST, &count);
        put((double)count);
        for (size_t i = 0; i < count && i < MOST; i++) {
            put_contact(&contacts[i]);
        }
    } else if (kind == SUMMARY) {
        kiln_contacts_summary summary;
        memset(&summary, 0, sizeof summary);
        answer();
        status = kiln_contacts_summarise(trees[a], at_a, trees[b], at_b, NULL, &summary);
        put((double)summary.count);
        put_all(summary.lower, 3);
        put_all(summary.upper, 3);
        if (summary.count > 0) {
            put_contact(&summary.deepest);
        }
    } else if (kind == LOCATE_MESH) {
        kiln_place place = KILN_PLACE_OUTSIDE;
        answer();
        status = kiln_locate_mesh(trees[a], at_a, trees[b], at_b, &place);
        put(place);
    } else {
        const kiln_likely_mode mode = (kiln_likely_mode)(next() % 3);
        kiln_likely_options likely = kiln_likely_options_of(mode);
        kiln_likely_answer found;
        memset(&found, 0, sizeof found);
        const double steps = next() % 2 == 0 ? (double)(next() % 40) : (double)INFINITY;
        likely.steps = isinf(steps) ? UINT64_MAX : (uint64_t)steps;
        put(mode);
        put(steps);
        answer();
        status = kiln_collide_likely(trees[a], at_a, trees[b], at_b, &likely, &found);
        put(found.verdict);
        put(found.proved);
        put(found.probability);
        put(found.score);
        put((double)found.steps);
        put_pair(found.pair);
        put(found.most);
        put(found.rest);
        put(found.waiting);
    }
    end(status);
}

static void ask_ray(unsigned kind, unsigned tree, const kiln_pose *at)
{
    kiln_query_options options = kiln_query_options_default();
    kiln_ray_hit hits[MOST];
    kiln_ray ray;
    memset(hits, 0, sizeof hits);
    const bool along = next() % 4 == 0;
    const unsigned axis = (unsigned)(next() % 3);
    for (unsigned k = 0; k < 3; k++) {
        ray.origin[k] = between(-2, 2);
        ray.direction[k] = along ? (k == axis ? 1 : 0) : between(-1, 1) - 0.5 * ray.origin[k];
    }
    ray.t_min = next() % 2 == 0 ? 0.0 : -(double)INFINITY;
    ray.t_max = next() % 2 == 0 ? 1.0 : (double)INFINITY;
    options.cull = (kiln_cull)(next() % 3);
    put_all(ray.origin, 3);
    put_all(ray.direction, 3);
    put(ray.t_min);
    put(ray.t_max);
    put(options.cull);
    answer();
    kiln_status status = KILN_OK;
    if (kind == RAY_ALL) {
        size_t count = 0;
        status = kiln_ray_all(trees[tree], at, &ray, &options, hits, MOST, &count);
        put((double)count);
        for (size_t i = 0; i < count && i < MOST; i++) {
            put_ray_hit(&hits[i]);
        }
    } else {
        status = kind == RAY_ANY ? kiln_ray_any(trees[tree], at, &ray, &options, hits)
                                 : kiln_ray_closest(trees[tree], at, &ray, &options, hits);
        put(hits[0].found);
        put_ray_hit(hits);
    }
    end(status);
}

static void ask_shape(unsigned kind, unsigned tree, const kiln_pose *at)
{
    kiln_triangle_hit hits[8];
    kiln_shape shape = {KILN_SHAPE_BOX, {0, 0, 0}, {0, 0, 0}, 0};
    memset(hits, 0, sizeof hits);
    const kiln_pose at_shape = any_pose(1.0);
    shape.kind = (kiln_shape_kind)(1 + next() % 3);
    shape.radius = between(0.0, 0.5);
    for (unsigned k = 0; k < 3; k++) {
        shape.a[k] = between(-0.5, 0.5);
        shape.b[k] = shape.a[k] + between(0.0, 0.5);
    }
    put(shape.kind);
    put_all(shape.a, 3);
    put_all(shape.b, 3);
    put(shape.radius);
    answer();
    kiln_status status = KILN_OK;
    if (kind == OVERLAP_ALL) {
        size_t count = 0;
        status = kiln_overlap_all(trees[tree], at, &shape, &at_shape, NULL, hits, 8, &count);
        put((double)count);
        for (size_t i = 0; i < count && i < 8; i++) {
            put(hits[i].triangle);
            put(hits[i].value);
        }
    } else {
        status = kiln_overlap_any(trees[tree], at, &shape, &at_shape, NULL, hits);
        put(hits[0].found);
        put(hits[0].triangle);
        put(hits[0].value);
    }
    end(status);
}

static void ask_point(unsigned tree, const kiln_pose *at)
{
    double point[3];
    kiln_place place = KILN_PLACE_OUTSIDE;
    for (unsigned k = 0; k < 3; k++) {
        point[k] = between(-1.5, 1.5);
    }
    put_all(point, 3);
    answer();
    const kiln_status status = kiln_locate_point(trees[tree], at, point, &place);
    put(place);
    end(status);
}

int main(int count, char **names)
{
    const long queries = count > 2 ? atol(names[1]) : 0;
    for (int i = 2; i < count; i++) {
        kiln_file *file = NULL;
        if (kiln_open(names[i], NULL, &file) != KILN_OK) {
            (void)fprintf(stderr, "%s does not open\n", names[i]);
            return 2;
        }
        for (uint32_t k = 0; k < kiln_file_tree_count(file) && tree_count < TREES_MAX; k++) {
            trees[tree_count++] = kiln_file_tree(file, k);
        }
    }
    if (tree_count == 0) {
        return 2;
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (long i = 0; i < queries; i++) {
            const unsigned a = (unsigned)(next() % tree_count), b = (unsigned)(next() % tree_count);
            begin(kind, a, b);
            const kiln_pose at_a = any_pose(kind == LOCATE_MESH ? 3.0 : 1.5);
            if (kind <= LIKELY) {
                const kiln_pose at_b = any_pose(kind == LOCATE_MESH ? 3.0 : 1.5);
                ask_two(kind, a, b, &at_a, &at_b);
            } else if (kind <= RAY_ALL) {
                ask_ray(kind, a, &at_a);
            } else if (kind <= OVERLAP_ALL) {
                ask_shape(kind, a, &at_a);
            } else {
                ask_point(a, &at_a);
            }
        }
    }
    flush();
    return fflush(stdout) == 0 ? 0 : 2;
}
