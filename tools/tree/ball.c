/* The smallest ball around the corners of triangles, by the support set of E. Welzl, "Smallest
 * enclosing disks (balls and ellipsoids)", 1991, with the pivots of B. Gärtner, "Fast and robust
 * smallest enclosing balls", 1999: the corner farthest from the ball enters its support, and the
 * smallest ball of the support is made anew, until no corner is outside.
 *
 * A support has at most four points, so with the one that enters there are five, and the smallest
 * ball around them has some of them on its surface: all subsets with the new point are tried. That
 * the radius grows with each pivot is checked, not trusted, so degenerate corners end the search
 * early instead of never; there is a limit on pivots besides. Then the centre may be a poor one,
 * and the middle of the bounds stands in for it where that is better. Whatever the centre, the
 * radius is measured, so that every ball holds its corners. */
#include "ball.h"

#include "../../formats/assert.h"

#include <math.h>
#include <string.h>

enum { SUPPORT_MOST = 4, PIVOTS_MOST = 64, SOME = KILN_POINTS_MAX / 3 };

/* Corners this much farther than the radius, as a share of its square, count as on the surface. */
#define ON_SURFACE 0x1p-40

typedef struct {
    double point[SUPPORT_MOST + 1][3];
    unsigned count;
} support;

static double squared_distance(const double p[3], const double q[3])
{
    const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    return (x * x + y * y) + z * z;
}

/* Differences of coordinates within [-2, 2] of node space are off by 2^-53 of their sizes, squares
 * and sums by less than 2^-51 of themselves. */
double kiln_ball_reach(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                       const double centre[3], double farthest[3])
{
    KILN_ASSERT(first < last);
    kiln_points points;
    double most = -1;
    for (; first < last; first += last - first < SOME ? last - first : SOME) {
        kiln_points_load(cloud, first, last - first < SOME ? last : first + SOME, &points);
        double squared[KILN_POINTS_MAX];
        for (unsigned i = 0; i < points.count; i++) {
            const double x = points.at[0][i] - centre[0], y = points.at[1][i] - centre[1];
            const double z = points.at[2][i] - centre[2];
            squared[i] = (x * x + y * y) + z * z;
        }
        for (unsigned i = 0; i < points.count; i++) {
            if (squared[i] > most) {
                most = squared[i];
                for (unsigned k = 0; k < 3 && farthest != NULL; k++) {
                    farthest[k] = points.at[k][i];
                }
            }
        }
    }
    const double size = fabs(centre[0]) + fabs(centre[1]) + fabs(centre[2]);
    return most > 0 ? sqrt(most) * (1 + 0x1p-50) + 0x1p-51 * size : 0;
}

/* The centre of the ball with all of `count` points on its surface, in the flat space that they
 * span: p_0 + sum of t_i (p_i - p_0), whose distances to p_0 and p_i are equal. Elimination with
 * pivots of the symmetric system; false: the points span less. */
static bool circumcentre(double p[SUPPORT_MOST][3], unsigned count, double centre[3])
{
    KILN_ASSERT(count >= 1 && count <= SUPPORT_MOST);
    const unsigned n = count - 1;
    double way[3][3], m[3][4], t[3] = {0, 0, 0}, greatest = 0;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < 3; k++) {
            way[i][k] = p[i + 1][k] - p[0][k];
        }
    }
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < n; j++) {
            m[i][j] = (way[i][0] * way[j][0] + way[i][1] * way[j][1]) + way[i][2] * way[j][2];
        }
        m[i][n] = 0.5 * m[i][i];
        greatest = fmax(greatest, m[i][i]);
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned best = i;
        for (unsigned r = i + 1; r < n; r++) {
            best = fabs(m[r][i]) > fabs(m[best][i]) ? r : best;
        }
        if (!(fabs(m[best][i]) > 0x1p-44 * greatest)) {
            return false;
        }
        for (unsigned j = i; j <= n; j++) {
            const double other = m[i][j];
            m[i][j] = m[best][j];
            m[best][j] = other;
        }
        for (unsigned r = i + 1; r < n; r++) {
            const double share = m[r][i] / m[i][i];
            for (unsigned j = i; j <= n; j++) {
                m[r][j] -= share * m[i][j];
            }
        }
    }
    for (unsigned i = n; i-- > 0;) {
        t[i] = m[i][n];
        for (unsigned j = i + 1; j < n; j++) {
            t[i] -= m[i][j] * t[j];
        }
        t[i] /= m[i][i];
    }
    for (unsigned k = 0; k < 3; k++) {
        centre[k] = p[0][k];
        for (unsigned i = 0; i < n; i++) {
            centre[k] += t[i] * way[i][k];
        }
    }
    return true;
}

/* The smallest ball around the points of *s that has the last of them on its surface; *s becomes
 * those on it. False, and nothing is changed: there is none. */
static bool shrink_support(support *s, double centre[3], double *squared)
{
    KILN_ASSERT(s->count >= 1 && s->count <= SUPPORT_MOST + 1);
    const unsigned last = s->count - 1;
    support best = {.count = 0};
    double best_centre[3] = {0, 0, 0}, best_squared = INFINITY;
    for (unsigned others = 0; others < 1u << last; others++) {
        support on = {.count = 0};
        double c[3];
        for (unsigned i = 0; i < s->count; i++) {
            if (i == last || (others >> i & 1) != 0) {
                memcpy(on.point[on.count++], s->point[i], sizeof on.point[0]);
            }
        }
        if (on.count > SUPPORT_MOST || !circumcentre(on.point, on.count, c)) {
            continue;
        }
        const double r = squared_distance(c, on.point[0]);
        bool holds = r < best_squared;
        for (unsigned i = 0; i < s->count && holds; i++) {
            holds = squared_distance(c, s->point[i]) <= r * (1 + ON_SURFACE);
        }
        if (holds) {
            best = on;
            best_squared = r;
            memcpy(best_centre, c, sizeof c);
        }
    }
    if (best.count == 0) {
        return false;
    }
    *s = best;
    *squared = best_squared;
    memcpy(centre, best_centre, sizeof best_centre);
    return true;
}

void kiln_ball_of(const kiln_cloud *cloud, uint32_t first, uint32_t last, kiln_ball *ball)
{
    KILN_ASSERT(first < last);
    support s = {.count = 1};
    double squared = 0, outside[3];
    bool done = false;
    for (unsigned k = 0; k < 3; k++) {
        s.point[0][k] = kiln_frame_apply(&cloud->frame, k, cloud->records[first].corner[0][k]);
        ball->centre[k] = s.point[0][k];
    }
    for (unsigned pivot = 0; pivot < PIVOTS_MOST && !done; pivot++) {
        double centre[3], grown;
        support wider = s;
        ball->radius = kiln_ball_reach(cloud, first, last, ball->centre, outside);
        done = squared_distance(outside, ball->centre) <= squared * (1 + ON_SURFACE);
        memcpy(wider.point[wider.count++], outside, sizeof outside);
        if (done || !shrink_support(&wider, centre, &grown) || !(grown > squared)) {
            break;
        }
        s = wider;
        squared = grown;
        memcpy(ball->centre, centre, sizeof centre);
    }
    if (!done) {
        kiln_extents bounds;
        kiln_ball other;
        kiln_cloud_bounds(cloud, first, last, &bounds);
        for (unsigned k = 0; k < 3; k++) {
            other.centre[k] = 0.5 * (bounds.lower[k] + bounds.upper[k]);
        }
        other.radius = kiln_ball_reach(cloud, first, last, other.centre, NULL);
        ball->radius = kiln_ball_reach(cloud, first, last, ball->centre, NULL);
        *ball = other.radius < ball->radius ? other : *ball;
    }
}
