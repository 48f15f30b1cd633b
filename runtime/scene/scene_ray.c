/* Rays through a scene: the closest hit, or any.
 *
 * The walk goes down the tree of bounds, the child first whose middle comes first along the ray,
 * and stops at each object whose bounds the ray passes; there the query of one tree is made, in
 * the caller's floating-point environment.
 *
 * Rounding. A ray is carried into a tree's own frame in double, which moves its points by less than
 * 2^-46 of the numbers that take part: its origin, and the coordinates of what it meets. Boxes are
 * widened by 2^-40 of them. A hit's t is within 2^-40 of itself: what is to be left out because it
 * is farther than the closest hit has to be so by 2^-36, so that of hits with the same t all are
 * seen and the one of the lowest id is taken, however the tree looks. */
#include "scene.h"

#include "../pose/line.h"
#include "../query/query.h"

#include <math.h>
#include <string.h>

#define RAY_ROOM 0x1p-40
#define T_ROOM 0x1p-36

typedef struct {
    const kiln_scene *scene;
    kiln_line line; /* in the world */
    double limit;   /* of t: what begins beyond it is left out */
    uint32_t waiting, stack[KILN_SCENE_STACK];
} scene_ray_walk;

/* May the ray meet what is in the box, no later than the limit? */
static bool ray_passes(const scene_ray_walk *walk, const kiln_scene_box *box)
{
    const kiln_line *line = &walk->line;
    double size = 0, enter = line->t_min, leave = line->t_max;
    for (int k = 0; k < 3; k++) {
        size += fabs(line->origin[k]) + fabs(box->lower[k]) + fabs(box->upper[k]);
    }
    const double room = RAY_ROOM * size;
    for (int k = 0; k < 3; k++) {
        const double lower = (box->lower[k] - line->origin[k]) - room;
        const double upper = (box->upper[k] - line->origin[k]) + room;
        const double way = line->direction[k];
        if (way == 0) {
            if (lower > 0 || upper < 0) {
                return false;
            }
            continue;
        }
        const double one = lower / way, other = upper / way;
        enter = fmax(enter, fmin(one, other));
        leave = fmin(leave, fmax(one, other));
    }
    return enter <= leave && !(enter > walk->limit + T_ROOM * fabs(walk->limit));
}

static kiln_scene_box box_of_child(const kiln_scene_node *node, int side)
{
    kiln_scene_box box;
    for (int k = 0; k < 3; k++) {
        box.lower[k] = (double)node->lower[k][side];
        box.upper[k] = (double)node->upper[k][side];
    }
    return box;
}

/* The next object whose bounds the ray passes; NOWHERE: there is none. */
static uint32_t next_on_ray(scene_ray_walk *walk)
{
    const kiln_scene *scene = walk->scene;
    while (walk->waiting > 0) {
        const uint32_t at = walk->stack[--walk->waiting];
        if ((at & KILN_SCENE_LEAF) != 0) {
            const uint32_t place = at & ~KILN_SCENE_LEAF;
            if (ray_passes(walk, &scene->boxes[place])) {
                return place;
            }
            continue;
        }
        const kiln_scene_node *n = &scene->nodes[at];
        const kiln_scene_box boxes[2] = {box_of_child(n, 0), box_of_child(n, 1)};
        double ahead = 0; /* by how much the second child's middle is farther along the ray */
        for (int k = 0; k < 3; k++) {
            ahead += ((boxes[1].lower[k] + boxes[1].upper[k]) -
                      (boxes[0].lower[k] + boxes[0].upper[k])) *
                     walk->line.direction[k];
        }
        const int first = ahead < 0;
        KILN_ASSERT(walk->waiting + 2 <= KILN_SCENE_STACK);
        for (int i = 0; i < 2; i++) { /* the nearer one on top */
            const int side = i == 0 ? !first : first;
            if (ray_passes(walk, &boxes[side])) {
                walk->stack[walk->waiting++] = n->child[side];
            }
        }
    }
    return KILN_SCENE_NOWHERE;
}

static kiln_status form_world_line(kiln_line *line, const kiln_ray *ray)
{
    kiln_placement placement;
    const kiln_status status = kiln_placement_form(&placement, NULL);
    return status == KILN_OK ? kiln_line_form(line, &placement, ray) : status;
}

/* A ray that ends a little after the closest hit so far, so that trees are not walked beyond. Ends
 * next to 0 count as 0 (line.c), so that a hit may come before t_min: the ray's end must not. */
static void cut_ray(kiln_ray *ray, double t)
{
    const double end = fmax(t + 0x1p-30 * fabs(t), ray->t_min);
    ray->t_max = end < ray->t_max ? end : ray->t_max;
}

/* The closest hit, or the first that the walk comes to. */
static kiln_status trace_scene(const kiln_scene *scene, const kiln_ray *ray,
                               const kiln_scene_options *options, bool any, kiln_scene_ray_hit *hit)
{
    kiln_scene_options full;
    kiln_scene_ray_hit best;
    scene_ray_walk walk;
    if (scene == NULL || ray == NULL || hit == NULL || !kiln_scene_options_take(options, &full) ||
        (unsigned)kiln_query_options_of(full.query).cull > KILN_CULL_FRONT) {
        return KILN_ERROR_ARGUMENT;
    }
    KILN_FPU_CALL(form, form_world_line);
    KILN_FPU_CALL(next, next_on_ray);
    KILN_FPU_CALL(cut, cut_ray);
    kiln_ray left = *ray;
    memset(&best, 0, sizeof best);
    walk.scene = scene;
    walk.limit = HUGE_VAL;
    walk.waiting = 0;
    if (scene->root != KILN_SCENE_NOWHERE) {
        walk.stack[walk.waiting++] = scene->root;
    }
    kiln_fpu_state caller = kiln_fpu_enter();
    kiln_status status = form(&walk.line, ray);
    while (status == KILN_OK) {
        const uint32_t place = next(&walk);
        kiln_ray_hit found;
        if (place == KILN_SCENE_NOWHERE) {
            break;
        }
        if (!kiln_scene_groups_fit(scene, place, full.category, full.mask)) {
            continue;
        }
        const kiln_scene_entry *entry = &scene->entries[place];
        const kiln_scene_pair pair = kiln_scene_pair_at(scene, KILN_SCENE_NOWHERE, place);
        memset(&found, 0, sizeof found);
        kiln_fpu_leave(caller);
        if (kiln_scene_pair_counts(&full, &pair)) {
            status = (any ? kiln_ray_any : kiln_ray_closest)(entry->tree, &entry->pose, &left,
                                                             full.query, &found);
        }
        caller = kiln_fpu_enter();
        const bool first = found.found && (!best.hit.found || found.t < best.hit.t ||
                                           (found.t == best.hit.t && pair.b < best.id));
        if (status == KILN_OK && first) {
            best = (kiln_scene_ray_hit){pair.b, pair.user_b, found};
            walk.limit = found.t;
            cut(&left, found.t);
            if (any) {
                break;
            }
        }
    }
    kiln_fpu_leave(caller);
    if (status == KILN_OK) {
        *hit = best;
    }
    return status;
}

kiln_status kiln_scene_ray_closest(const kiln_scene *scene, const kiln_ray *ray,
                                   const kiln_scene_options *options, kiln_scene_ray_hit *hit)
{
    return trace_scene(scene, ray, options, false, hit);
}

kiln_status kiln_scene_ray_any(const kiln_scene *scene, const kiln_ray *ray,
                               const kiln_scene_options *options, kiln_scene_ray_hit *hit)
{
    return trace_scene(scene, ray, options, true, hit);
}
