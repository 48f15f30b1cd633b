/* See brute.h. */
#include "brute.h"

#include "../property/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static brute_affine affine_of(const kiln_pose *pose)
{
    brute_affine m;
    memcpy(m.r, pose->rotation, sizeof m.r);
    memcpy(m.t, pose->translation, sizeof m.t);
    return m;
}

/* Inverse of p composed with q: cofactors over the determinant, then rows times columns.
 * Nothing, where they are equal. */
static brute_affine relative(const brute_affine *p, const brute_affine *q)
{
    if (memcmp(p, q, sizeof *p) == 0) {
        return (brute_affine){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    }
    brute_affine out;
    double inverse[3][3];
    double cofactor[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactor[i][j] = p->r[i1][j1] * p->r[i2][j2] - p->r[i1][j2] * p->r[i2][j1];
        }
    }
    const double det =
        p->r[0][0] * cofactor[0][0] + p->r[0][1] * cofactor[0][1] + p->r[0][2] * cofactor[0][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inverse[i][j] = cofactor[j][i] / det;
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.r[i][j] = inverse[i][0] * q->r[0][j] + inverse[i][1] * q->r[1][j] +
                          inverse[i][2] * q->r[2][j];
        }
        out.t[i] = inverse[i][0] * (q->t[0] - p->t[0]) + inverse[i][1] * (q->t[1] - p->t[1]) +
                   inverse[i][2] * (q->t[2] - p->t[2]);
    }
    return out;
}

void brute_corners(const mesh *m, uint32_t triangle, const brute_affine *carry, double out[9])
{
    for (int i = 0; i < 3; i++) {
        const float *p = m->positions + 3 * (size_t)m->indices[3 * (size_t)triangle + (size_t)i];
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = carry == NULL
                                 ? (double)p[k]
                                 : carry->r[k][0] * (double)p[0] + carry->r[k][1] * (double)p[1] +
                                       carry->r[k][2] * (double)p[2] + carry->t[k];
        }
    }
}

bool brute_boxes_apart(const double a[9], const double b[9])
{
    for (int k = 0; k < 3; k++) {
        if (fmax(a[k], fmax(a[3 + k], a[6 + k])) < fmin(b[k], fmin(b[3 + k], b[6 + k])) ||
            fmax(b[k], fmax(b[3 + k], b[6 + k])) < fmin(a[k], fmin(a[3 + k], a[6 + k]))) {
            return true;
        }
    }
    return false;
}

static double *all_corners(const mesh *m, const brute_affine *carry)
{
    double *out = malloc(9 * sizeof(double) * m->triangle_count);
    if (out == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        brute_corners(m, i, carry, out + 9 * (size_t)i);
    }
    return out;
}

static bool b_stays(const kiln_tree *tree_a, const kiln_pose *pose_a, const kiln_tree *tree_b,
                    const kiln_pose *pose_b)
{
    const kiln_tree_info a = kiln_tree_get_info(tree_a), b = kiln_tree_get_info(tree_b);
    const int order = memcmp(b.geometry_hash, a.geometry_hash, sizeof a.geometry_hash);
    const int by_pose = memcmp(pose_b, pose_a, offsetof(kiln_pose, scale));
    return order != 0 ? order < 0 : by_pose != 0 ? by_pose < 0 : pose_b->scale < pose_a->scale;
}

bool brute_place(const kiln_tree *tree_a, const kiln_pose *pose_a, const kiln_tree *tree_b,
                 const kiln_pose *pose_b, brute_affine *carry)
{
    const brute_affine at_a = affine_of(pose_a), at_b = affine_of(pose_b);
    const bool swap = b_stays(tree_a, pose_a, tree_b, pose_b);
    *carry = swap ? relative(&at_b, &at_a) : relative(&at_a, &at_b);
    const double scale_x = swap ? pose_b->scale : pose_a->scale;
    const double ratio = (swap ? pose_a->scale : pose_b->scale) / scale_x;
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            carry->r[k][j] *= ratio;
        }
        carry->t[k] /= scale_x;
    }
    return swap;
}

kiln_pair *brute_pairs(const mesh *a, const kiln_tree *tree_a, const kiln_pose *pose_a,
                       const mesh *b, const kiln_tree *tree_b, const kiln_pose *pose_b,
                       bool stop_early, size_t *count)
{
    brute_affine carry;
    const bool swap = brute_place(tree_a, pose_a, tree_b, pose_b, &carry);
    double *corners_a = all_corners(a, swap ? &carry : NULL);
    double *corners_b = all_corners(b, swap ? NULL : &carry);
    size_t capacity = 16;
    kiln_pair *pairs = malloc(capacity * sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; i < a->triangle_count; i++) {
        for (uint32_t j = 0; j < b->triangle_count; j++) {
            const double *p = corners_a + 9 * (size_t)i, *q = corners_b + 9 * (size_t)j;
            if (brute_boxes_apart(p, q) || !oracle_triangles_meet(p, q)) {
                continue;
            }
            if (*count == capacity) {
                capacity *= 2;
                pairs = realloc(pairs, capacity * sizeof *pairs);
            }
            if (pairs == NULL) {
                abort();
            }
            pairs[(*count)++] = (kiln_pair){i, j, 0, 0};
            if (stop_early) {
                i = a->triangle_count - 1;
                break;
            }
        }
    }
    free(corners_a);
    free(corners_b);
    return pairs;
}
