/* How long planes keep two moving boxes, or two triangles, apart: at many times up to the advance
 * that is claimed they are further apart than the margin, by the distances of all their triangles
 * (exact/tri_distance.c). Motions turn about one body, the other, both and neither, so that planes
 * of all three kinds are chosen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/exact/exact.h"
#include "../../runtime/sweep/advance.h"
#include "../support/amount.h"
#include "../support/meshes.h"

enum { TRIES = 2000, TIMES = 24 };

static const int faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                 {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 3, 7}, {1, 7, 5}};

static void place_point(const kiln_pose *pose, const double own[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        const double *row = pose->rotation + 3 * k;
        out[k] = (row[0] * own[0] + row[1] * own[1] + row[2] * own[2]) * pose->scale +
                 pose->translation[k];
    }
}

/* Corners of a box of a body at a pose, as 12 triangles. */
static void place_box(const kiln_body_box *box, const kiln_pose *pose, double out[12][9])
{
    double corners[8][3];
    for (int i = 0; i < 8; i++) {
        double own[3];
        for (int k = 0; k < 3; k++) {
            own[k] = box->centre[k];
            for (int j = 0; j < 3; j++) {
                own[k] += ((i >> j & 1) != 0 ? 1 : -1) * box->half[j] * box->axis[j][k];
            }
        }
        place_point(pose, own, corners[i]);
    }
    for (int i = 0; i < 12; i++) {
        for (int c = 0; c < 3; c++) {
            memcpy(out[i] + 3 * c, corners[faces[i][c]], sizeof corners[0]);
        }
    }
}

static double distance_of(double (*a)[9], int of_a, double (*b)[9], int of_b)
{
    double least = HUGE_VAL;
    for (int i = 0; i < of_a; i++) {
        for (int j = 0; j < of_b; j++) {
            kiln_tri_nearest near;
            if (kiln_triangles_nearest(a[i], b[j], least, &near)) {
                least = near.value;
            }
        }
    }
    return least;
}

static kiln_body_box random_box(uint64_t *random)
{
    kiln_body_box box;
    const kiln_pose turned = pose_random(random, 1);
    for (int k = 0; k < 3; k++) {
        box.centre[k] = random_between(random, -1, 1);
        box.half[k] = random_between(random, 0, 1) * random_between(random, 0, 1);
        for (int j = 0; j < 3; j++) {
            box.axis[k][j] = turned.rotation[3 * k + j];
        }
    }
    return box;
}

/* `kind`: which of the two turn, and whether they move. */
static kiln_motion random_motion_of(uint64_t *random, uint32_t kind, bool is_a)
{
    kiln_motion motion;
    const kiln_pose pose = pose_random(random, 3);
    double way[3];
    assert_int_equal(kiln_motion_at_rest(&pose, &motion), KILN_OK);
    for (int k = 0; k < 3; k++) {
        motion.point[k] += random_between(random, -1, 1);
    }
    random_direction(random, way);
    const double speed = kind % 8 < 3 ? 0 : random_between(random, 0, 4);
    const double turn = kind % (is_a ? 3 : 2) == 0 ? 0 : random_between(random, 0, 8);
    for (int k = 0; k < 3; k++) {
        motion.linear[k] = way[k] * speed;
        motion.angular[k] = way[(k + 1) % 3] * turn;
    }
    return motion;
}

/* Moves B's whole way towards A, so that at the time the two boxes are about `gap` apart. */
static void bring_near(const kiln_motion *ma, kiln_motion *mb, const kiln_body_box *box_a,
                       const kiln_body_box *box_b, double time, double gap)
{
    for (int n = 0; n < 6; n++) {
        double of_a[12][9], of_b[12][9], at_a[3], at_b[3], way[3], length = 0;
        kiln_pose pose_a, pose_b;
        assert_int_equal(kiln_motion_pose(ma, time, &pose_a), KILN_OK);
        assert_int_equal(kiln_motion_pose(mb, time, &pose_b), KILN_OK);
        place_box(box_a, &pose_a, of_a);
        place_box(box_b, &pose_b, of_b);
        place_point(&pose_a, box_a->centre, at_a);
        place_point(&pose_b, box_b->centre, at_b);
        for (int k = 0; k < 3; k++) {
            way[k] = at_a[k] - at_b[k];
            length += way[k] * way[k];
        }
        const double by = (distance_of(of_a, 12, of_b, 12) - gap) / sqrt(length);
        for (int k = 0; k < 3 && by > 0; k++) {
            mb->point[k] += way[k] * by;
            mb->start.translation[k] += way[k] * by;
        }
    }
}

static void boxes_stay_apart(void **state)
{
    (void)state;
    uint64_t random = 99;
    uint32_t advanced = 0;
    for (uint32_t i = 0; i < amount_of_few(TRIES); i++) {
        const kiln_motion ma = random_motion_of(&random, i, true);
        kiln_motion mb = random_motion_of(&random, i / 3, false);
        if (i % 5 == 0) { /* nearly alike, about one point */
            memcpy(mb.angular, ma.angular, sizeof ma.angular);
            memcpy(mb.linear, ma.linear, sizeof ma.linear);
            memcpy(mb.point, ma.point, sizeof ma.point);
            mb.angular[0] *= 1.01;
        }
        const kiln_body_box box_a = random_box(&random), box_b = random_box(&random);
        kiln_pair_motion pair;
        kiln_solid a, b;
        const double start = i % 2 == 0 ? 0 : random_between(&random, 0, 0.5);
        if (i % 7 != 0) {
            bring_near(&ma, &mb, &box_a, &box_b, start, random_between(&random, 0, 0.1));
        }
        assert_int_equal(kiln_pair_motion_form(&pair, &ma, &mb), KILN_OK);
        pair.margin = i % 7 != 0 || i % 2 == 0 ? 1e-6 : 0.1;
        kiln_pair_motion_set(&pair, start);
        kiln_solid_form(&a, &pair, true, &box_a);
        kiln_solid_form(&b, &pair, false, &box_b);
        const double advance = kiln_advance_solids(&pair, &a, &b, 1 - start);
        advanced += advance > 0;
        for (int n = 0; n <= TIMES && advance > 0; n++) {
            double of_a[12][9], of_b[12][9];
            const double time = start + fmin(advance, 1 - start) * n / TIMES;
            kiln_pair_motion_set(&pair, fmin(time, 1));
            place_box(&box_a, &pair.pose_a, of_a);
            place_box(&box_b, &pair.pose_b, of_b);
            const double apart = distance_of(of_a, 12, of_b, 12);
            if (!(apart > pair.margin)) {
                fail_msg("%u: %g at %g of %g, margin %g", i, apart, time - start, advance,
                         pair.margin);
            }
        }
    }
    assert_true(advanced >= amount_of_few(TRIES) / 4);
}

static void triangles_stay_apart(void **state)
{
    (void)state;
    uint64_t random = 98;
    uint32_t advanced = 0;
    for (uint32_t i = 0; i < 4 * amount_of_few(TRIES); i++) {
        const kiln_motion ma = random_motion_of(&random, i, true);
        const kiln_motion mb = random_motion_of(&random, i / 3, false);
        double own_a[9], own_b[9], a[1][9], b[1][9], way[3];
        kiln_pair_motion pair;
        kiln_turning_plane plane;
        for (int k = 0; k < 9; k++) {
            own_a[k] = random_between(&random, -1, 1);
            own_b[k] = random_between(&random, -1, 1);
        }
        assert_int_equal(kiln_pair_motion_form(&pair, &ma, &mb), KILN_OK);
        pair.margin = 0.01;
        double advance = 0;
        for (int n = 0; n <= TIMES && (n == 0 || advance > 0); n++) {
            const double time = fmin(advance, 1) * n / TIMES;
            kiln_pair_motion_set(&pair, time);
            for (int c = 0; c < 9; c += 3) {
                place_point(&pair.pose_a, own_a + c, a[0] + c);
                place_point(&pair.pose_b, own_b + c, b[0] + c);
            }
            if (n == 0) {
                for (int k = 0; k < 3; k++) {
                    way[k] =
                        b[0][k] + b[0][3 + k] + b[0][6 + k] - (a[0][k] + a[0][3 + k] + a[0][6 + k]);
                }
                kiln_choose_plane(&pair, kiln_farthest_corner(a[0], pair.point_a),
                                  kiln_farthest_corner(b[0], pair.point_b), &plane);
                advance = kiln_advance_triangles(&pair, &plane, a[0], b[0], way, i % 3 != 0);
                advanced += advance > 0;
            } else if (!(distance_of(a, 1, b, 1) > pair.margin)) {
                fail_msg("%u: %g at %g of %g", i, distance_of(a, 1, b, 1), time, advance);
            }
        }
    }
    assert_true(advanced >= amount_of_few(TRIES) / 4);
}

/* A long box whose decoded axes are off by 14 roundings of floats, at a pose that flattens it along
 * its length: what they are off by is then as long as the box. Its true ends stay in the solid. */
static void stretched_boxes_hold_their_ends(void **state)
{
    (void)state;
    uint64_t random = 22;
    for (int i = 0; i < 100; i++) {
        const kiln_pose ideal = pose_random(&random, 1);
        const double thin = ldexp(1, -14 - (int)random_below(&random, 6));
        kiln_pose flat = kiln_pose_identity();
        kiln_body_box box;
        kiln_motion motion, rest;
        kiln_pair_motion pair;
        kiln_solid solid;
        for (int k = 0; k < 9; k++) { /* all but `thin` of what is along the first axis is lost */
            flat.rotation[k] -= (1 - thin) * ideal.rotation[k / 3] * ideal.rotation[k % 3];
        }
        for (int k = 0; k < 3; k++) {
            box.centre[k] = random_between(&random, -1, 1);
            box.half[k] = k == 0 ? 1 : 0x1p-30;
            for (int j = 0; j < 3; j++) {
                const double off = k == 0 ? 14 * 0x1p-24 * ideal.rotation[3 + j] : 0;
                box.axis[k][j] = ideal.rotation[3 * k + j] + off;
            }
        }
        assert_int_equal(kiln_motion_at_rest(&flat, &motion), KILN_OK);
        assert_int_equal(kiln_motion_at_rest(NULL, &rest), KILN_OK);
        assert_int_equal(kiln_pair_motion_form(&pair, &motion, &rest), KILN_OK);
        kiln_solid_form(&solid, &pair, true, &box);
        for (int end = -1; end < 2; end += 2) {
            double own[3], there[3];
            for (int k = 0; k < 3; k++) {
                own[k] = box.centre[k] + end * ideal.rotation[k];
            }
            place_point(&flat, own, there);
            for (int k = 0; k < 3; k++) {
                double along = 0;
                for (int j = 0; j < 3; j++) {
                    along += solid.axis[k][j] * (there[j] - solid.centre[j]);
                }
                assert_true(fabs(along) <= solid.half[k] + solid.spread);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_stay_apart),
        cmocka_unit_test(triangles_stay_apart),
        cmocka_unit_test(stretched_boxes_hold_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
