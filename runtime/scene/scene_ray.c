/* Rays through a scene: the closest hit, or any.
 *
 * The walk goes down the tree of bounds, the child first whose middle comes first along the ray,
 * and stops at each object whose bounds the ray passes; there the query of one tree is made, in
 * the caller's floating-point environment. Like the walk to neighbours it needs no stack: which
 * child comes first is decided again on the way up.
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
    uint32_t at;    /* the leaf that the walk stands at; NOWHERE: it has not begun */
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

/* The child that comes first along the ray. */
static unsigned nearer_child(const scene_ray_walk *walk, uint32_t node)
{
    const kiln_scene_node *nodes = walk->scene->nodes;
    const kiln_scene_box *first = &nodes[nodes[node].child[0]].box;
    const kiln_scene_box *second = &nodes[nodes[node].child[1]].box;
    double ahead = 0;
    for (int k = 0; k < 3; k++) {
        ahead += ((second->lower[k] + second->upper[k]) - (first->lower[k] + first->upper[k])) *
                 walk->line.direction[k];
    }
    return ahead < 0;
}

/* The next object whose bounds the ray passes; NOWHERE: there is none. */
static uint32_t next_on_ray(scene_ray_walk *walk)
{
    const kiln_scene *scene = walk->scene;
    const kiln_scene_node *nodes = scene->nodes;
    uint32_t at = walk->at;
    bool up = at != KILN_SCENE_NOWHERE; /* what is below `at` is done */
    at = up ? at : scene->root;
    while (at != KILN_SCENE_NOWHERE) {
        if (!up && ray_passes(walk, &nodes[at].box)) {
            if (at < scene->capacity) {
                break;
            }
            at = nodes[at].child[nearer_child(walk, at)];
            continue;
        }
        const uint32_t above = at == scene->root ? KILN_SCENE_NOWHERE : nodes[at].parent;
        if (above == KILN_SCENE_NOWHERE) {
            return above;
        }
        const unsigned first = nearer_child(walk, above);
        up = nodes[above].child[first] != at;
        at = up ? above : nodes[above].child[!first];
    }
    walk->at = at;
    return at;
}

static kiln_status form_world_line(kiln_line *line, const kiln_ray *ray)
{
    kiln_placement placement;
    const kiln_status status = kiln_placement_form(&placement, NULL);
    return status == KILN_OK ? kiln_line_form(line, &placement, ray) : status;
}

/* A ray that ends a little after the closest hit so far, so that trees are not walked beyond. */
static void cut_ray(kiln_ray *ray, double t)
{
    const double end = t + 0x1p-30 * fabs(t);
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
    walk.at = KILN_SCENE_NOWHERE;
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
