#include "affine.h"

#include "../../runtime/pose/affine.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

double affine_determinant(const double m[9])
{
    mpq_t sum, product, number;
    mpq_inits(sum, product, number, NULL);
    for (int k = 0; k < 6; k++) { /* row 0 by column k % 3, and the other two in either order */
        const int one = (k + 1 + k / 3) % 3, other = (k + 2 - k / 3) % 3;
        mpq_set_d(product, k < 3 ? m[k % 3] : -m[k % 3]);
        mpq_set_d(number, m[3 + one]);
        mpq_mul(product, product, number);
        mpq_set_d(number, m[6 + other]);
        mpq_mul(product, product, number);
        mpq_add(sum, sum, product);
    }
    const double determinant = mpq_get_d(sum);
    mpq_clears(sum, product, number, NULL);
    return determinant;
}

void affine_times(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 9; i++) {
        out[i] = a[3 * (i / 3)] * b[i % 3] + a[3 * (i / 3) + 1] * b[3 + i % 3] +
                 a[3 * (i / 3) + 2] * b[6 + i % 3];
    }
}

/* A rotation, uneven scales, a rotation: the largest is about 1. */
static void stretch(uint64_t *state, double spread, double out[9])
{
    const kiln_pose one = pose_random(state, 0), other = pose_random(state, 0);
    double scaled[9];
    for (int k = 0; k < 3; k++) {
        const double sign = random_below(state, 3) == 0 ? -1 : 1;
        const double scale = sign * exp2(-random_between(state, 0, spread));
        for (int i = 0; i < 3; i++) {
            scaled[3 * i + k] = one.rotation[3 * i + k] * (k == 0 ? sign : scale);
        }
    }
    if (random_below(state, 3) == 0) { /* along the mesh's own axes */
        memcpy(out, scaled, sizeof scaled);
    } else {
        affine_times(scaled, other.rotation, out);
    }
}

static kiln_pose some_pose(uint64_t *state, affine_mix how)
{
    static const double spreads[AFFINE_MIXES] = {0, 2, 12, 38};
    kiln_pose pose = how == AFFINE_LATTICE ? pose_exact(state, 4) : pose_random(state, 0.7);
    const uint32_t kind = random_below(state, 5);
    pose.scale = scale_random(state, how == AFFINE_LATTICE);
    if (kind == 0) {
        return pose;
    }
    if (how == AFFINE_LATTICE) {
        do {
            for (int i = 0; i < 9; i++) {
                pose.rotation[i] = (double)random_below(state, 5) - 2;
            }
        } while (affine_determinant(pose.rotation) == 0);
    } else if (kind == 1) { /* a mirror */
        for (int i = 0; i < 3; i++) {
            pose.rotation[i] = -pose.rotation[i];
        }
    } else if (kind == 2) { /* a shear */
        double shear[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turned[9];
        shear[1 + random_below(state, 2)] = random_between(state, -2, 2);
        affine_times(pose.rotation, shear, turned);
        memcpy(pose.rotation, turned, sizeof turned);
    } else {
        stretch(state, spreads[how], pose.rotation);
    }
    return pose;
}

bool affine_is_rotation(const kiln_pose *pose)
{
    double most = 0;
    for (int i = 0; i < 9; i++) {
        const double *r = pose->rotation + i / 3, *s = pose->rotation + i % 3;
        const double product = r[0] * s[0] + r[3] * s[3] + r[6] * s[6];
        most = fmax(most, fabs(product - (i % 4 == 0 ? 1 : 0)));
    }
    return most <= 1e-6 && affine_determinant(pose->rotation) > 0;
}

bool affine_is_served(const kiln_pose *pose)
{
    kiln_affine affine;
    return !affine_is_rotation(pose) && kiln_affine_form(pose, &affine) &&
           kiln_affine_is_sound(pose, &affine);
}

kiln_pose affine_pose(uint64_t *state, affine_mix how)
{
    for (;;) {
        const kiln_pose pose = some_pose(state, how);
        if (affine_is_rotation(&pose) || affine_is_served(&pose)) {
            return pose;
        }
    }
}

brute_affine affine_carry(const kiln_pose *pose, const kiln_pose *from)
{
    brute_affine out;
    for (int i = 0; i < 9; i++) {
        out.r[i / 3][i % 3] = pose->scale * pose->rotation[i];
    }
    for (int k = 0; k < 3; k++) {
        out.t[k] = pose->translation[k] - from->translation[k];
    }
    return out;
}

affine_frame affine_frame_of(const kiln_tree *tree_a, const kiln_pose *pose_a,
                             const kiln_tree *tree_b, const kiln_pose *pose_b)
{
    affine_frame f;
    f.swapped = brute_place(tree_a, pose_a, tree_b, pose_b, &f.of_y);
    f.turned = affine_is_rotation(pose_a) && affine_is_rotation(pose_b);
    const kiln_pose *x = f.swapped ? pose_b : pose_a;
    f.scale = x->scale;
    if (!f.turned) {
        f.of_x = affine_carry(x, x);
        f.of_y = affine_carry(f.swapped ? pose_a : pose_b, x);
        f.scale = 1;
    }
    return f;
}

void affine_corners(const affine_frame *f, const mesh *mesh_a, uint32_t a, const mesh *mesh_b,
                    uint32_t b, double x[9], double y[9])
{
    const brute_affine *of_x = f->turned ? NULL : &f->of_x;
    brute_corners(f->swapped ? mesh_b : mesh_a, f->swapped ? b : a, of_x, x);
    brute_corners(f->swapped ? mesh_a : mesh_b, f->swapped ? a : b, &f->of_y, y);
}
