/* See agree.h. What is right of contacts comes from the oracle in integers, of distances from all
 * pairs of triangles; what has no oracle here is compared with the answers of a baked tree, bit
 * for bit, since no answer depends on boxes. */
#include "agree.h"

#include "../../runtime/exact/exact.h"
#include "../../runtime/kiln_adb.h"
#include "brute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HITS = 256, RAYS = 6, SHAPES = 4, POINTS = 4, PAIRS = 2000 };

/* ---------------------------------------------------------------- poses -- */

/* A corner of the mesh where the pose takes it, but for the translation; and the mesh's size. */
static double place_corner(const agree_body *body, uint32_t vertex, double out[3])
{
    const kiln_tree_info info = kiln_tree_get_info(body->sure);
    double size = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int j = 0; j < 3; j++) {
            out[k] +=
                body->at.rotation[3 * k + j] *
                (body->at.scale * (double)body->mesh->positions[3 * (size_t)vertex + (size_t)j]);
        }
        size = fmax(size, body->at.scale * (double)(info.bounds_upper[k] - info.bounds_lower[k]));
    }
    return size;
}

static kiln_pose draw_turn(uint64_t *state)
{
    static const double scales[] = {1, 1, 1, KILN_SCALE_MIN, KILN_SCALE_MAX, 0.7};
    kiln_pose pose = random_below(state, 3) == 0 ? pose_exact(state, 2) : pose_random(state, 1);
    pose.scale = scales[random_below(state, sizeof scales / sizeof scales[0])];
    return pose;
}

void agree_draw_poses(agree_body *a, agree_body *b, uint64_t *state)
{
    double corner_a[3], corner_b[3];
    a->at = draw_turn(state);
    b->at = draw_turn(state);
    const double size_a = place_corner(a, random_below(state, a->mesh->vertex_count), corner_a);
    const double size_b = place_corner(b, random_below(state, b->mesh->vertex_count), corner_b);
    const double off[] = {0, 0.3 * fmin(size_a, size_b), 0.3 * fmax(size_a, size_b),
                          1e7 * fmax(size_a, size_b)};
    const double by = off[random_below(state, 4)];
    for (int k = 0; k < 3; k++) {
        a->at.translation[k] *= size_a;
        b->at.translation[k] =
            a->at.translation[k] + corner_a[k] - corner_b[k] + by * random_between(state, -1, 1);
    }
}

/* ---------------------------------------------------------------- truth -- */

agree_truth agree_truth_of(const agree_body *a, const agree_body *b)
{
    agree_truth truth = {*a, *b, NULL, 0, HUGE_VAL, false};
    brute_affine carry;
    truth.pairs =
        brute_pairs(a->mesh, a->sure, &a->at, b->mesh, b->sure, &b->at, false, &truth.count);
    const bool swapped = brute_place(a->sure, &a->at, b->sure, &b->at, &carry);
    const agree_body *x = swapped ? b : a, *y = swapped ? a : b;
    double size = 0;
    for (uint32_t i = 0; i < x->mesh->triangle_count; i++) {
        for (uint32_t j = 0; j < y->mesh->triangle_count; j++) {
            double p[9], q[9];
            kiln_tri_nearest near;
            brute_corners(x->mesh, i, NULL, p);
            brute_corners(y->mesh, j, &carry, q);
            for (int k = 3; k < 9; k++) {
                size = fmax(size, fmax(fabs(p[k] - p[k % 3]), fabs(q[k] - q[k % 3])));
            }
            if (kiln_triangles_nearest(p, q, truth.distance, &near)) {
                truth.distance = near.value;
            }
        }
    }
    truth.far = truth.distance > 0x1p17 * size;
    truth.distance *= x->at.scale;
    return truth;
}

void agree_free(agree_truth *truth)
{
    free(truth->pairs);
}

/* ---------------------------------------------------------------- of two meshes -- */

static bool pairs_are(const kiln_pair *found, const kiln_pair *want, size_t count, bool swapped)
{
    for (size_t i = 0; i < count && !swapped; i++) {
        if (found[i].a != want[i].a || found[i].b != want[i].b) {
            return false;
        }
    }
    return true;
}

/* But for hints, which name places in files. */
static bool same_contacts(const kiln_contact *p, const kiln_contact *q, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (p[i].pair.a != q[i].pair.a || p[i].pair.b != q[i].pair.b || p[i].depth != q[i].depth ||
            memcmp(p[i].from, q[i].from, sizeof p[i].from) != 0 ||
            memcmp(p[i].to, q[i].to, sizeof p[i].to) != 0 ||
            memcmp(p[i].normal, q[i].normal, sizeof p[i].normal) != 0) {
            return false;
        }
    }
    return true;
}

static const char *agree_on_contacts(const agree_truth *truth, bool swapped, const kiln_tree *a,
                                     const kiln_tree *b)
{
    kiln_pair pairs[HITS];
    static _Thread_local kiln_contact contacts[HITS], sure[HITS];
    const agree_body *of_a = swapped ? &truth->b : &truth->a;
    const agree_body *of_b = swapped ? &truth->a : &truth->b;
    size_t count, counts[2];
    kiln_hit hit;
    bool boxes;
    if (kiln_collide(a, &of_a->at, b, &of_b->at, NULL, &hit) != KILN_OK ||
        hit.found != (truth->count > 0)) {
        return "collide";
    }
    if (kiln_collide_boxes(a, &of_a->at, b, &of_b->at, &boxes) != KILN_OK ||
        (!boxes && truth->count > 0)) {
        return "collide of boxes";
    }
    if (kiln_contacts(a, &of_a->at, b, &of_b->at, NULL, pairs, HITS, &count) != KILN_OK ||
        count != truth->count ||
        !pairs_are(pairs, truth->pairs, count < HITS ? count : HITS, swapped)) {
        return "contacts";
    }
    if (kiln_contacts_geometry(a, &of_a->at, b, &of_b->at, NULL, contacts, HITS, &counts[0]) !=
            KILN_OK ||
        kiln_contacts_geometry(of_a->sure, &of_a->at, of_b->sure, &of_b->at, NULL, sure, HITS,
                               &counts[1]) != KILN_OK ||
        counts[0] != count || counts[1] != count ||
        !same_contacts(contacts, sure, count < HITS ? count : HITS)) {
        return "geometry of contacts";
    }
    return NULL;
}

static const char *agree_on_distance(const agree_truth *truth, bool swapped, const kiln_tree *a,
                                     const kiln_tree *b)
{
    const agree_body *of_a = swapped ? &truth->b : &truth->a;
    const agree_body *of_b = swapped ? &truth->a : &truth->b;
    const double want = truth->distance;
    const double room = truth->far ? 0x1p-36 * want : 0;
    kiln_nearest near, sure;
    kiln_hit at, below, hinted;
    kiln_pair_options options = kiln_pair_options_default();
    if (kiln_distance(a, &of_a->at, b, &of_b->at, NULL, &near) != KILN_OK || !near.found ||
        !(fabs(near.distance - want) <= room)) {
        return "distance";
    }
    options.hint = (kiln_hint){1, 1};
    options.beyond = want + room;
    if (kiln_distance(a, &of_a->at, b, &of_b->at, &options, &sure) != KILN_OK || !sure.found ||
        !(fabs(sure.distance - want) <= room)) {
        return "distance up to a length";
    }
    if (kiln_distance(of_a->sure, &of_a->at, of_b->sure, &of_b->at, NULL, &sure) != KILN_OK ||
        (want > 0 && !truth->far &&
         (near.pair.a != sure.pair.a || near.pair.b != sure.pair.b ||
          memcmp(near.point_a, sure.point_a, sizeof near.point_a) != 0 ||
          memcmp(near.point_b, sure.point_b, sizeof near.point_b) != 0 ||
          memcmp(near.normal, sure.normal, sizeof near.normal) != 0))) {
        return "nearest points";
    }
    if (kiln_within(a, &of_a->at, b, &of_b->at, want + room, NULL, &at) != KILN_OK || !at.found ||
        kiln_within(a, &of_a->at, b, &of_b->at, want + room, &options, &hinted) != KILN_OK ||
        !hinted.found ||
        (want > 0 && (kiln_within(a, &of_a->at, b, &of_b->at, nextafter(want, 0) - room, NULL,
                                  &below) != KILN_OK ||
                      below.found))) {
        return "within";
    }
    return NULL;
}

static const char *agree_on_insides(const agree_truth *truth, bool swapped, const kiln_tree *a,
                                    const kiln_tree *b)
{
    const agree_body *of_a = swapped ? &truth->b : &truth->a;
    const agree_body *of_b = swapped ? &truth->a : &truth->b;
    kiln_place place = KILN_PLACE_OUTSIDE, sure = KILN_PLACE_OUTSIDE;
    const kiln_status status = kiln_locate_mesh(a, &of_a->at, b, &of_b->at, &place);
    return kiln_locate_mesh(of_a->sure, &of_a->at, of_b->sure, &of_b->at, &sure) != status ||
                   place != sure
               ? "a mesh inside"
               : NULL;
}

/* Where trees have counts, a careful query that ends is exact; and every answer is a chance. */
static const char *agree_on_chances(const agree_truth *truth, bool swapped, const kiln_tree *a,
                                    const kiln_tree *b)
{
    const agree_body *of_a = swapped ? &truth->b : &truth->a;
    const agree_body *of_b = swapped ? &truth->a : &truth->b;
    kiln_adb_answer answer;
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_CAREFUL);
    options.hybrid = true;
    options.epsilon = 0;
    options.p_min = 1;
    for (int careful = 0; careful < 2; careful++) {
        const kiln_status status = kiln_adb_collide(
            a, &of_a->at, b, &of_b->at, careful ? &options : NULL, PAIRS, UINT64_MAX, &answer);
        if (status == KILN_ERROR_NOT_LOADED) {
            return NULL;
        }
        if (status != KILN_OK || !(answer.probability >= 0 && answer.probability <= 1) ||
            (careful && answer.verdict != KILN_ADB_UNDECIDED &&
             (answer.verdict == KILN_ADB_YES) != (truth->count > 0)) ||
            ((answer.flags & KILN_ADB_EXACT) != 0 &&
             (answer.verdict == KILN_ADB_YES) != (truth->count > 0))) {
            return "a chance";
        }
    }
    return NULL;
}

const char *agree_on_pair(const agree_truth *truth, const kiln_tree *a, const kiln_tree *b)
{
    static const char *(*const questions[])(const agree_truth *, bool, const kiln_tree *,
                                            const kiln_tree *) = {
        agree_on_contacts, agree_on_distance, agree_on_insides, agree_on_chances};
    const char *wrong = NULL;
    for (size_t i = 0; i < sizeof questions / sizeof questions[0] && wrong == NULL; i++) {
        wrong = questions[i](truth, false, a, b);
        wrong = wrong == NULL ? questions[i](truth, true, b, a) : wrong;
    }
    return wrong;
}

/* ---------------------------------------------------------------- of one mesh -- */

/* The body's box in the frame of its pose. */
typedef struct {
    double middle[3], reach;
} room;

static room room_of(const agree_body *body)
{
    const kiln_tree_info info = kiln_tree_get_info(body->sure);
    room r = {{0, 0, 0}, 0};
    for (int k = 0; k < 3; k++) {
        const double *row = body->at.rotation + 3 * k;
        r.middle[k] = body->at.translation[k];
        for (int j = 0; j < 3; j++) {
            const double low = (double)info.bounds_lower[j], high = (double)info.bounds_upper[j];
            r.middle[k] += row[j] * (body->at.scale * ((low + high) / 2));
            r.reach = fmax(r.reach, body->at.scale * (high - low) / 2);
        }
    }
    return r;
}

static void draw_point(const room *r, uint64_t *state, double most, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = r->middle[k] + r->reach * random_between(state, -most, most);
    }
}

static bool same_hits(const kiln_ray_hit *p, const kiln_ray_hit *q, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (p[i].found != q[i].found || p[i].triangle != q[i].triangle || p[i].side != q[i].side ||
            p[i].t != q[i].t || memcmp(p[i].weights, q[i].weights, sizeof p[i].weights) != 0 ||
            memcmp(p[i].normal, q[i].normal, sizeof p[i].normal) != 0) {
            return false;
        }
    }
    return true;
}

static bool same_ray(const agree_body *body, const kiln_tree *tree, const kiln_ray *ray)
{
    static _Thread_local kiln_ray_hit hits[2][HITS];
    kiln_ray_hit first[2], any;
    size_t counts[2];
    const kiln_status status = kiln_ray_all(tree, &body->at, ray, NULL, hits[0], HITS, &counts[0]);
    if (kiln_ray_all(body->sure, &body->at, ray, NULL, hits[1], HITS, &counts[1]) != status) {
        return false;
    }
    return status != KILN_OK ||
           (counts[0] == counts[1] &&
            same_hits(hits[0], hits[1], counts[0] < HITS ? counts[0] : HITS) &&
            kiln_ray_closest(tree, &body->at, ray, NULL, &first[0]) == KILN_OK &&
            kiln_ray_closest(body->sure, &body->at, ray, NULL, &first[1]) == KILN_OK &&
            same_hits(&first[0], &first[1], 1) &&
            kiln_ray_any(tree, &body->at, ray, NULL, &any) == KILN_OK &&
            any.found == (counts[1] > 0));
}

static bool same_shape(const agree_body *body, const kiln_tree *tree, const kiln_shape *shape)
{
    static _Thread_local kiln_triangle_hit hits[2][HITS];
    kiln_triangle_hit any;
    size_t counts[2];
    if (kiln_overlap_all(tree, &body->at, shape, NULL, NULL, hits[0], HITS, &counts[0]) !=
            KILN_OK ||
        kiln_overlap_all(body->sure, &body->at, shape, NULL, NULL, hits[1], HITS, &counts[1]) !=
            KILN_OK ||
        kiln_overlap_any(tree, &body->at, shape, NULL, NULL, &any) != KILN_OK ||
        counts[0] != counts[1] || any.found != (counts[0] > 0)) {
        return false;
    }
    for (size_t i = 0; i < counts[0] && i < HITS; i++) {
        if (hits[0][i].triangle != hits[1][i].triangle) {
            return false;
        }
    }
    return true;
}

const char *agree_alone(const agree_body *body, const kiln_tree *tree, uint64_t *state)
{
    const room r = room_of(body);
    for (int i = 0; i < RAYS; i++) {
        double from[3], to[3];
        draw_point(&r, state, i % 3 == 0 ? 1000 : 2, from);
        draw_point(&r, state, 1, to);
        kiln_ray ray = kiln_ray_between(from, to);
        ray.t_max = i % 2 == 0 ? HUGE_VAL : 1;
        if (!same_ray(body, tree, &ray)) {
            return "a ray";
        }
    }
    for (int i = 0; i < SHAPES; i++) {
        static const double sizes[SHAPES] = {0.1, 0.5, 3, 1e9};
        kiln_shape shape = {(kiln_shape_kind)(KILN_SHAPE_BOX + i % 3), {0}, {0}, 0};
        draw_point(&r, state, 1, shape.a);
        shape.radius = sizes[i] * r.reach;
        for (int k = 0; k < 3; k++) {
            shape.b[k] = shape.a[k] + sizes[i] * r.reach;
        }
        if (!same_shape(body, tree, &shape)) {
            return "a shape";
        }
    }
    for (int i = 0; i < POINTS; i++) {
        kiln_place place = KILN_PLACE_OUTSIDE, sure = KILN_PLACE_OUTSIDE;
        double point[3];
        draw_point(&r, state, 1.2, point);
        const kiln_status status = kiln_locate_point(tree, &body->at, point, &place);
        if (kiln_locate_point(body->sure, &body->at, point, &sure) != status || place != sure) {
            return "a point inside";
        }
    }
    return NULL;
}
