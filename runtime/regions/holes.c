/* Curves that run within one triangle.
 *
 * Such a curve has either a disc of the triangle inside it, which is a patch by itself, or a hole:
 * then what is around it is the patch, with the curve, the piece of an edge or the corner that is
 * next on a line from the hole outwards. On which side of a curve a triangle is inside the other
 * mesh follows from the way in which it runs (crossing.h). Which of two curves is next is decided
 * in doubles, in the triangle's plane. */
#include "regions.h"

#include "../../formats/vector.h"
#include "../pose/world.h"
#include "../walk/leaf_pair.h"
#include "crossing.h"

#include <math.h>

/* A triangle of one of the meshes: its corners in the world, and two axes of its plane. */
typedef struct {
    uint32_t met;
    double corner[3][3], normal[3], u[3], v[3];
} hole_plane;

/* The pairs of a triangle of Y, linked; those of one of X follow each other. */
typedef struct {
    uint32_t *next, *first; /* of pairs; of met triangles */
} pairs_of_y;

static pairs_of_y list_pairs_of_y(kiln_regions *r)
{
    /* In the room of the second array of pairs, which sorting has done with: four numbers a
     * pair. */
    pairs_of_y list = {(uint32_t *)(void *)r->spare, NULL};
    list.first = list.next + r->pair_count;
    for (uint32_t met = 0; met < r->met_count; met++) {
        list.first[met] = KILN_REGIONS_NONE;
    }
    for (uint32_t i = r->pair_count; i-- > 0;) {
        list.next[i] = list.first[r->segments[i].met_y];
        list.first[r->segments[i].met_y] = i;
    }
    return list;
}

/* The pairs of a met triangle, one after the other; `pair` NONE: the first. */
static uint32_t next_pair_of(const kiln_regions *r, const pairs_of_y *list, uint32_t met,
                             uint32_t pair)
{
    const kiln_regions_met *m = &r->met[met];
    if (!m->of_x) {
        return pair == KILN_REGIONS_NONE ? list->first[met] : list->next[pair];
    }
    const uint32_t next = pair == KILN_REGIONS_NONE ? m->first : pair + 1;
    return next < m->first + m->pairs ? next : KILN_REGIONS_NONE;
}

static bool form_plane(const kiln_regions *r, uint32_t met, hole_plane *plane)
{
    const kiln_regions_mesh *mesh = kiln_regions_mesh_of(r, r->met[met].of_x);
    double corners[9], other[3];
    plane->met = met;
    kiln_stored_corners(&r->frame, r->met[met].of_x, mesh->of->first + r->met[met].triangle,
                        corners);
    for (int c = 0; c < 3; c++) {
        kiln_world_point(r->world, corners + 3 * c, plane->corner[c]);
    }
    kiln_subtract(plane->corner[1], plane->corner[0], plane->u);
    kiln_subtract(plane->corner[2], plane->corner[0], other);
    kiln_cross(plane->u, other, plane->normal);
    kiln_cross(plane->normal, plane->u, plane->v);
    return kiln_dot(plane->normal, plane->normal) > 0;
}

static void place_in_plane(const hole_plane *plane, const double at[3], double out[2])
{
    double from[3];
    kiln_subtract(at, plane->corner[0], from);
    out[0] = kiln_dot(plane->u, from);
    out[1] = kiln_dot(plane->v, from);
}

/* Does the patch of the triangle lie around the curve? `end` is then the point of the curve that is
 * farthest along u. */
static bool is_hole(const kiln_regions *r, uint32_t curve, const hole_plane *plane, double end[2])
{
    const bool of_x = r->met[plane->met].of_x;
    double area = 0;
    end[0] = -HUGE_VAL;
    end[1] = 0;
    for (uint32_t i = curve; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
        double p[2], q[2];
        if (!r->segments[i].parts) {
            continue;
        }
        place_in_plane(plane, r->segments[i].at[0], p);
        place_in_plane(plane, r->segments[i].at[1], q);
        area += p[0] * q[1] - p[1] * q[0];
        if (p[0] > end[0]) {
            end[0] = p[0];
            end[1] = p[1];
        }
    }
    /* Behind the other mesh's triangles is X on the left of a curve, and Y on its right. */
    const bool left = of_x != kiln_regions_mesh_of(r, !of_x)->turned;
    return left ? area < 0 : area > 0;
}

/* Where the line from `from` along u passes through p q: how far along u. False: nowhere ahead. */
static bool passes_ahead(const double from[2], const double p[2], const double q[2], double *at)
{
    if ((p[1] > from[1]) == (q[1] > from[1])) {
        return false;
    }
    const double part = (from[1] - p[1]) / (q[1] - p[1]);
    *at = p[0] + part * (q[0] - p[0]);
    return *at > from[0];
}

/* Joins a curve with what is at an edge of the triangle `part` along it. */
static void join_at_edge(kiln_regions *r, const pairs_of_y *list, const hole_plane *plane,
                         unsigned edge, double part, uint32_t curve)
{
    const unsigned number = (r->met[plane->met].of_x ? 0 : KILN_CROSSING_OF_Y) + edge;
    uint32_t nearest = KILN_REGIONS_NONE;
    double most = -1;
    for (uint32_t i = next_pair_of(r, list, plane->met, KILN_REGIONS_NONE); i != KILN_REGIONS_NONE;
         i = next_pair_of(r, list, plane->met, i)) {
        for (int end = 0; end < 2 && r->segments[i].parts; end++) {
            const double place = r->segments[i].place[end];
            if (r->segments[i].edge[end] == number && place <= part && place > most) {
                most = place;
                nearest = i;
            }
        }
    }
    if (nearest != KILN_REGIONS_NONE) {
        kiln_regions_join(r->parents, nearest, curve);
    } else {
        kiln_regions_join_side(r, 3 * plane->met + edge, curve);
    }
}

static void join_hole(kiln_regions *r, const pairs_of_y *list, uint32_t curve, uint32_t met)
{
    hole_plane plane;
    double from[2], corner[3][2], nearest = HUGE_VAL, part = 0;
    unsigned edge = 3;
    if (!form_plane(r, met, &plane) || !is_hole(r, curve, &plane, from)) {
        return;
    }
    for (int c = 0; c < 3; c++) {
        place_in_plane(&plane, plane.corner[c], corner[c]);
    }
    for (unsigned k = 0; k < 3; k++) {
        const double *p = corner[k], *q = corner[(k + 1) % 3];
        double at;
        if (passes_ahead(from, p, q, &at) && at < nearest) {
            nearest = at;
            edge = k;
            part = (from[1] - p[1]) / (q[1] - p[1]);
        }
    }
    uint32_t next = KILN_REGIONS_NONE;
    for (uint32_t i = next_pair_of(r, list, met, KILN_REGIONS_NONE); i != KILN_REGIONS_NONE;
         i = next_pair_of(r, list, met, i)) {
        double p[2], q[2], at;
        if (!r->segments[i].parts || r->curves[i] == curve) {
            continue;
        }
        place_in_plane(&plane, r->segments[i].at[0], p);
        place_in_plane(&plane, r->segments[i].at[1], q);
        if (passes_ahead(from, p, q, &at) && at < nearest) {
            nearest = at;
            next = i;
        }
    }
    if (next != KILN_REGIONS_NONE) {
        kiln_regions_join(r->parents, next, curve);
    } else if (edge < 3) {
        join_at_edge(r, list, &plane, edge, part, curve);
    }
}

void kiln_regions_join_holes(kiln_regions *r)
{
    const pairs_of_y list = list_pairs_of_y(r);
    for (uint32_t curve = 0; curve < r->pair_count; curve++) {
        if (r->curves[curve] != curve) {
            continue;
        }
        bool one_x = true, one_y = true, closed = true, any = false;
        for (uint32_t i = curve; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            const kiln_regions_segment *s = &r->segments[i];
            one_x = one_x && s->met_x == r->segments[curve].met_x;
            one_y = one_y && s->met_y == r->segments[curve].met_y;
            closed = closed && !s->loose[0] && !s->loose[1];
            any = any || s->parts;
        }
        if (any && closed && one_x) {
            join_hole(r, &list, curve, r->segments[curve].met_x);
        }
        if (any && closed && one_y) {
            join_hole(r, &list, curve, r->segments[curve].met_y);
        }
    }
}
