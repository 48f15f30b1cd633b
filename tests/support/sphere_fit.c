/* See sphere_fit.h. */
#include "sphere_fit.h"

#include "../../runtime/base/tree.h"

#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------- letter -- */

static bool is_full(int x, int y)
{
    return (y == 1 && x >= 0 && x <= 2) || (y == 0 && x == 1);
}

/* A square of side 1 at `from`, along axes u and v, as steps^2 squares of two triangles. */
static void add_face(mesh *m, const int from[3], unsigned u, unsigned v, unsigned steps)
{
    for (unsigned i = 0; i < steps * steps; i++) {
        static const unsigned corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        static const uint32_t index[6] = {0, 1, 2, 0, 2, 3};
        for (unsigned k = 0; k < 6; k++) {
            m->indices[3 * m->triangle_count + k] = m->vertex_count + index[k];
        }
        for (unsigned c = 0; c < 4; c++) {
            float *p = m->positions + 3 * m->vertex_count++;
            for (unsigned k = 0; k < 3; k++) {
                p[k] = (float)from[k];
            }
            p[u] += (float)(i % steps + corner[c][0]) / (float)steps;
            p[v] += (float)(i / steps + corner[c][1]) / (float)steps;
        }
        m->triangle_count += 2;
    }
}

mesh mesh_letter(unsigned steps)
{
    enum { FACES = 18 };
    mesh m = {NULL, NULL, 0, 0};
    m.positions = malloc(sizeof(float) * 12 * FACES * steps * steps);
    m.indices = malloc(sizeof(uint32_t) * 6 * FACES * steps * steps);
    if (m.positions == NULL || m.indices == NULL) {
        abort();
    }
    for (int x = 0; x < 3; x++) {
        for (int y = 0; y < 2; y++) {
            for (unsigned face = 0; face < 6 && is_full(x, y); face++) {
                const unsigned axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
                const int up = face % 2 == 0 ? 1 : -1;
                if (axis == 2 || !is_full(x + (axis == 0 ? up : 0), y + (axis == 1 ? up : 0))) {
                    int from[3] = {x, y, 0};
                    from[axis] += up > 0 ? 1 : 0;
                    add_face(&m, from, up > 0 ? u : v, up > 0 ? v : u, steps);
                }
            }
        }
    }
    return m;
}

/* ------------------------------------------------------------------------------------- fit -- */

typedef struct {
    double (*at)[4]; /* centre, radius; node space */
    uint32_t count, room;
} ball_list;

static void collect(const kiln_tree *tree, uint32_t index, unsigned level, ball_list *list)
{
    const kiln_format_node8 *node = kiln_tree_node(tree, index);
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        if ((kiln_node8_used(node) >> lane & 1) == 0) {
            continue;
        }
        if (level > 1 && (node->inner >> lane & 1) != 0) {
            collect(tree, kiln_node8_child(node, lane), level - 1, list);
            continue;
        }
        kiln_lane_box box;
        tree->view.kind->decode_lane(node, lane, &box);
        if (list->count == list->room) {
            list->room = 2 * list->room + 64;
            list->at = realloc(list->at, list->room * sizeof *list->at);
            if (list->at == NULL) {
                abort();
            }
        }
        for (unsigned k = 0; k < 3; k++) {
            list->at[list->count][k] = (double)node->org[k] + (double)box.centre[k];
        }
        list->at[list->count++][3] = (double)box.half[0];
    }
}

static bool holds(const ball_list *list, const double p[3])
{
    for (uint32_t i = 0; i < list->count; i++) {
        const double *b = list->at[i];
        const double x = p[0] - b[0], y = p[1] - b[1], z = p[2] - b[2];
        if (x * x + y * y + z * z <= b[3] * b[3] * (1 + 1e-12)) {
            return true;
        }
    }
    return false;
}

/* Corners and middles of triangles. */
static double covered_by(const kiln_tree *tree, const ball_list *list)
{
    const kiln_format_tree *entry = tree->view.entry;
    uint32_t inside = 0;
    for (uint32_t t = 0; t < entry->triangle_count; t++) {
        const uint32_t *corner = tree->triangles + 3 * (size_t)(entry->triangle_first + t);
        double middle[3] = {0, 0, 0};
        bool all = true;
        for (unsigned c = 0; c < 3; c++) {
            double p[3];
            for (unsigned k = 0; k < 3; k++) {
                p[k] = ((double)tree->vertices[3 * (size_t)corner[c] + k] - entry->origin[k]) *
                       ldexp(1, -entry->scale_exponent);
                middle[k] += p[k] / 3;
            }
            all = all && holds(list, p);
        }
        inside += all && holds(list, middle);
    }
    return (double)inside / entry->triangle_count;
}

sphere_fit sphere_fit_of(const kiln_tree *tree, unsigned level, uint32_t points)
{
    static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    const kiln_format_tree *entry = tree->view.entry;
    ball_list list = {NULL, 0, 0};
    double lower[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double upper[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    uint32_t in_object = 0, outside = 0;
    collect(tree, 0, level, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            lower[k] = fmin(lower[k], list.at[i][k] - list.at[i][3]);
            upper[k] = fmax(upper[k], list.at[i][k] + list.at[i][3]);
        }
    }
    for (uint32_t i = 0; i < points; i++) {
        double p[3], place[3];
        kiln_place where;
        for (unsigned k = 0; k < 3; k++) {
            const double share = fmod(0.5 + (i + 1) * step[k], 1);
            p[k] = lower[k] + share * (upper[k] - lower[k]);
            place[k] = entry->origin[k] + p[k] * ldexp(1, entry->scale_exponent);
        }
        if (kiln_locate_point(tree, NULL, place, &where) != KILN_OK) {
            abort();
        }
        in_object += where != KILN_PLACE_OUTSIDE;
        outside += where == KILN_PLACE_OUTSIDE && holds(&list, p);
    }
    const sphere_fit fit = {list.count, (double)outside / in_object, covered_by(tree, &list)};
    free(list.at);
    return fit;
}

double sphere_fit_outside(const kiln_tree *tree, double balls, uint32_t points)
{
    sphere_fit above = sphere_fit_of(tree, 1, points);
    for (unsigned level = 2; level <= tree->view.entry->depth; level++) {
        const sphere_fit below = sphere_fit_of(tree, level, points);
        if (above.balls <= balls && balls <= below.balls) {
            const double share = log(balls / above.balls) / log((double)below.balls / above.balls);
            return above.outside * pow(below.outside / above.outside, share);
        }
        above = below;
    }
    return NAN;
}
