/* A model as a page has it. All trees of a file share one set of arrays, since a model that was
 * split has thousands of trees: the volumes of a tree follow each other level by level, the box of
 * the whole tree first, as level 0, and a tree says where its levels begin.
 *
 * Numbers are rounded to floats, and axes to 16 bits, a 30,000th: a picture shows no more. Costs
 * and counts are computed here, from the stored volumes in double. */
#include "model.h"

#include "../../formats/assert.h"
#include "../../formats/volume.h"
#include "../common/soup.h"
#include "../common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MOST = KILN_TREE_DEPTH_MAX + 1, LEAF_MOST = 15 };

/* ----------------------------------------------------------------------------------- volumes -- */

/* The volumes of all trees; element i of each array is volume i. */
typedef struct {
    size_t count;
    float *centre, *half; /* [3 i] */
    int16_t *turn;        /* [4 i]: a quaternion, x y z w, in 32767ths */
    uint32_t *first;      /* of a leaf: its first slot */
    uint8_t *triangles;   /* of a leaf; else 0 */
} volumes;

typedef struct {
    uint32_t count, leaves;
    uint64_t triangles; /* in its leaves */
    double area, cost;  /* by the surface of the tree's box; expected tests of a query */
} level_sums;

typedef struct {
    volumes *to; /* NULL: volumes are only counted */
    const kiln_view_tree *tree;
    double area; /* half the surface of the tree's box, in node space */
    level_sums levels[LEVELS_MOST];
    size_t next[LEVELS_MOST]; /* where the next volume of a level goes */
    uint64_t leaf_sizes[LEAF_MOST + 1];
} collector;

/* The quaternion of the turn whose columns are the axes of a box; one of them is reversed where
 * they are left-handed, which a box does not show. (After the usual case distinction by the largest
 * of the four squares.) */
static void turn_of(const double axes[3][3], int16_t out[4])
{
    double r[3][3], q[4];
    memcpy(r, axes, sizeof r); /* r[k] is column k */
    const double det = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                       r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                       r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
    for (unsigned i = 0; i < 3 && det < 0; i++) {
        r[2][i] = -r[2][i];
    }
    const double xx = r[0][0], yy = r[1][1], zz = r[2][2];
    const double square[4] = {1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz,
                              1 + xx + yy + zz};
    unsigned most = 3;
    for (unsigned i = 0; i < 3; i++) {
        most = square[i] > square[most] ? i : most;
    }
    const double xy = r[0][1] + r[1][0], xz = r[0][2] + r[2][0], yz = r[1][2] + r[2][1];
    const double wx = r[1][2] - r[2][1], wy = r[2][0] - r[0][2], wz = r[0][1] - r[1][0];
    const double rows[4][4] = {{square[0], xy, xz, wx},
                               {xy, square[1], yz, wy},
                               {xz, yz, square[2], wz},
                               {wx, wy, wz, square[3]}};
    double length = 0;
    for (unsigned i = 0; i < 4; i++) {
        q[i] = rows[most][i];
        length += q[i] * q[i];
    }
    length = sqrt(length);
    if (!(length > 0)) { /* axes of a crafted file that are none */
        memset(q, 0, sizeof q);
        q[3] = length = 1;
    }
    for (unsigned i = 0; i < 4; i++) {
        out[i] = (int16_t)floor(q[i] / length * 32767 + 0.5);
    }
}

static double half_surface(const double half[3])
{
    return (half[0] * half[1] + half[1] * half[2]) + half[2] * half[0];
}

/* Coordinates of node space in the frame of the model. */
static float place(const kiln_format_tree *entry, double value, unsigned k)
{
    return (float)(entry->origin[k] + ldexp(value, entry->scale_exponent));
}

static bool collect(void *user, const kiln_volume *volume)
{
    collector *c = user;
    level_sums *level = &c->levels[volume->level];
    const uint32_t triangles = volume->contents.count;
    const double own = half_surface(volume->box.half);
    const double part = c->area > 0 ? own / c->area : 1;
    KILN_ASSERT(volume->level >= 1 && volume->level < LEVELS_MOST);
    if (c->to == NULL) {
        const unsigned tests = triangles > 0 ? triangles
                                             : kiln_popcount8(kiln_node8_used(kiln_view_tree_node(
                                                   c->tree, volume->contents.first)));
        level->count++;
        level->leaves += triangles > 0;
        level->triangles += triangles;
        level->area += part;
        level->cost += fmin(part, 1) * tests;
        c->leaf_sizes[triangles < LEAF_MOST ? triangles : LEAF_MOST] += triangles > 0;
        return true;
    }
    const size_t i = c->next[volume->level]++;
    KILN_ASSERT(i < c->to->count);
    for (unsigned k = 0; k < 3; k++) {
        c->to->centre[3 * i + k] = place(c->tree->entry, volume->box.centre[k], k);
        c->to->half[3 * i + k] = (float)ldexp(volume->box.half[k], c->tree->entry->scale_exponent);
    }
    turn_of(volume->box.axis, &c->to->turn[4 * i]);
    c->to->first[i] = triangles > 0 ? volume->contents.first : 0;
    c->to->triangles[i] = (uint8_t)triangles;
    return true;
}

/* Half the surface of the bounds in node space, as tools/common/tree_cost.c has it. */
static double bounds_surface(const kiln_format_tree *entry)
{
    double half[3];
    for (unsigned k = 0; k < 3; k++) {
        half[k] = ((double)entry->bounds_upper[k] - (double)entry->bounds_lower[k]) *
                  ldexp(0.5, -entry->scale_exponent);
    }
    return half_surface(half);
}

static bool volumes_take(volumes *v, size_t count)
{
    v->count = count;
    v->centre = malloc(3 * count * sizeof *v->centre);
    v->half = malloc(3 * count * sizeof *v->half);
    v->turn = malloc(4 * count * sizeof *v->turn);
    v->first = calloc(count, sizeof *v->first);
    v->triangles = calloc(count, sizeof *v->triangles);
    return v->centre != NULL && v->half != NULL && v->turn != NULL && v->first != NULL &&
           v->triangles != NULL;
}

static void volumes_free(volumes *v)
{
    free(v->centre);
    free(v->half);
    free(v->turn);
    free(v->first);
    free(v->triangles);
}

/* The box of the whole tree, as level 0. */
static void put_bounds(volumes *v, size_t i, const kiln_format_tree *entry)
{
    static const int16_t none[4] = {0, 0, 0, 32767};
    for (unsigned k = 0; k < 3; k++) {
        const double lower = (double)entry->bounds_lower[k], upper = (double)entry->bounds_upper[k];
        v->centre[3 * i + k] = (float)(0.5 * (lower + upper));
        v->half[3 * i + k] = (float)(0.5 * (upper - lower));
    }
    memcpy(&v->turn[4 * i], none, sizeof none);
}

/* What the volumes of a tree are drawn as. */
static const char *shape_of(const kiln_node_kind *kind)
{
    return kind->balls ? "ball" : kind->dop != NULL ? "dop" : kind->aligned ? "aligned" : "box";
}

static json_t *level_json(const level_sums *of)
{
    json_t *object = json_object();
    (void)json_object_set_new(object, "volumes", json_integer(of->count));
    (void)json_object_set_new(object, "leaves", json_integer(of->leaves));
    (void)json_object_set_new(object, "triangles", json_integer((json_int_t)of->triangles));
    (void)json_object_set_new(object, "area", json_real(of->area));
    (void)json_object_set_new(object, "cost", json_real(of->cost));
    return object;
}

/* Counts the volumes of a tree by level, and with `to` stores them from volume `start` on. Returns
 * how many there are. */
static size_t collect_tree(collector *c, const kiln_view_tree *tree, volumes *to, size_t start)
{
    memset(c, 0, sizeof *c);
    c->tree = tree;
    c->area = bounds_surface(tree->entry);
    c->levels[0] = (level_sums){.count = 1, .area = 1};
    c->levels[0].cost = kiln_popcount8(kiln_node8_used(kiln_view_tree_node(tree, 0)));
    kiln_tree_visit_volumes(tree, collect, c);
    size_t next = start;
    for (unsigned i = 0; i < LEVELS_MOST; i++) {
        c->next[i] = next;
        next += c->levels[i].count;
    }
    if (to != NULL) {
        put_bounds(to, start, tree->entry);
        c->to = to;
        kiln_tree_visit_volumes(tree, collect, c);
    }
    return next - start;
}

static json_t *tree_json(const collector *c, const kiln_view *view, size_t start, size_t order)
{
    static const char *const closed[] = {"no", "even", "oriented"};
    const kiln_format_tree *entry = c->tree->entry;
    json_t *object = json_object(), *levels = json_array(), *sizes = json_array();
    unsigned last = LEVELS_MOST - 1;
    while (c->levels[last].count == 0) {
        last--;
    }
    for (unsigned i = 0; i <= last; i++) {
        (void)json_array_append_new(levels, level_json(&c->levels[i]));
    }
    for (unsigned i = 1; i <= LEAF_MOST; i++) {
        (void)json_array_append_new(sizes, json_integer((json_int_t)c->leaf_sizes[i]));
    }
    (void)json_object_set_new(object, "name", kiln_json_text(view->strings + entry->name));
    (void)json_object_set_new(object, "bv", json_string(c->tree->kind->name));
    (void)json_object_set_new(object, "shape", json_string(shape_of(c->tree->kind)));
    (void)json_object_set_new(object, "triangles", json_integer(entry->triangle_count));
    (void)json_object_set_new(object, "triangle_first", json_integer(entry->triangle_first));
    (void)json_object_set_new(object, "nodes", json_integer(entry->node_count));
    (void)json_object_set_new(object, "node_size", json_integer(c->tree->kind->node_size));
    (void)json_object_set_new(object, "leaf", json_integer(entry->leaf_max));
    (void)json_object_set_new(object, "closed", json_string(closed[entry->closed]));
    (void)json_object_set_new(object, "start", json_integer((json_int_t)start));
    (void)json_object_set_new(object, "order",
                              order != SIZE_MAX ? json_integer((json_int_t)order) : json_null());
    (void)json_object_set_new(object, "levels", levels);
    (void)json_object_set_new(object, "leaf_sizes", sizes);
    return object;
}

/* Adds the arrays of all trees and returns the list of them. */
static json_t *add_trees(page_data *to, const kiln_view *view, json_t *arrays)
{
    volumes v = {.count = 0};
    json_t *list = json_array();
    size_t count = 0, slots = 0, start = 0, at = 0;
    collector *c = malloc(sizeof *c);
    for (uint32_t i = 0; i < view->tree_count && c != NULL; i++) {
        const kiln_view_tree tree = kiln_view_get_tree(view, i);
        count += collect_tree(c, &tree, NULL, 0);
        slots += tree.order != NULL ? tree.slots : 0;
    }
    uint32_t *order = malloc((slots + 1) * sizeof *order);
    if (c != NULL && order != NULL && volumes_take(&v, count)) {
        for (uint32_t i = 0; i < view->tree_count; i++) {
            const kiln_view_tree tree = kiln_view_get_tree(view, i);
            const size_t own = tree.order != NULL ? at : SIZE_MAX;
            const size_t taken = collect_tree(c, &tree, &v, start);
            for (uint32_t s = 0; s < tree.slots && tree.order != NULL; s++) {
                order[at++] = kiln_view_tree_triangle(&tree, s);
            }
            (void)json_array_append_new(list, tree_json(c, view, start, own));
            start += taken;
        }
        KILN_ASSERT(start == count && at == slots);
        (void)json_object_set_new(arrays, "centre",
                                  page_add_array(to, PAGE_F32, v.centre, 3 * count, 0));
        (void)json_object_set_new(arrays, "half",
                                  page_add_array(to, PAGE_F32, v.half, 3 * count, 0));
        (void)json_object_set_new(arrays, "turn",
                                  page_add_array(to, PAGE_I16, v.turn, 4 * count, 0));
        (void)json_object_set_new(arrays, "first", page_add_array(to, PAGE_U32, v.first, count, 1));
        (void)json_object_set_new(arrays, "leaf",
                                  page_add_array(to, PAGE_U8, v.triangles, count, 0));
        (void)json_object_set_new(arrays, "order", page_add_array(to, PAGE_U32, order, slots, 1));
    } else {
        to->no_memory = true;
    }
    volumes_free(&v);
    free(order);
    free(c);
    return list;
}

/* ---------------------------------------------------------------------------------- polygons -- */

/* The numbers of the stored triangles that have no area. */
static void add_flat(page_data *to, const kiln_view *view, json_t *arrays)
{
    size_t count = 0;
    uint32_t *flat = NULL;
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (uint32_t i = 0; i < view->triangle_count; i++) {
            const uint32_t *corner = &view->triangles[3 * (size_t)i];
            if (kiln_view_stores(view, i) && kiln_no_area(&view->vertices[3 * (size_t)corner[0]],
                                                          &view->vertices[3 * (size_t)corner[1]],
                                                          &view->vertices[3 * (size_t)corner[2]])) {
                if (flat != NULL) {
                    flat[count] = i;
                }
                count++;
            }
        }
        if (count == 0) {
            break;
        }
        flat = flat != NULL ? flat : malloc(count * sizeof *flat);
        if (flat == NULL) {
            to->no_memory = true;
            return;
        }
    }
    (void)json_object_set_new(arrays, "flat", page_add_array(to, PAGE_U32, flat, count, 1));
    free(flat);
}

static json_t *parts_json(const kiln_view *view)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < view->part_count; i++) {
        const kiln_format_part *part = &view->parts[i];
        json_t *object = json_object();
        (void)json_object_set_new(object, "node", kiln_json_text(view->strings + part->node_path));
        (void)json_object_set_new(object, "mesh", kiln_json_text(view->strings + part->mesh_name));
        (void)json_object_set_new(object, "first", json_integer(part->triangle_first));
        (void)json_object_set_new(object, "count", json_integer(part->triangle_count));
        (void)json_object_set_new(object, "face", json_integer(part->face));
        (void)json_object_set_new(object, "user", json_integer(part->user));
        (void)json_array_append_new(list, object);
    }
    return list;
}

json_t *view_model_add(page_data *to, const kiln_view *view)
{
    json_t *object = json_object(), *arrays = json_object(), *materials = json_array();
    const size_t triangles = view->triangle_count;
    if (view->vertices != NULL && view->triangles != NULL) {
        (void)json_object_set_new(
            arrays, "vertices",
            page_add_array(to, PAGE_F32, view->vertices, 3 * (size_t)view->vertex_count, 0));
        (void)json_object_set_new(arrays, "triangles",
                                  page_add_array(to, PAGE_U32, view->triangles, 3 * triangles, 3));
        add_flat(to, view, arrays);
    }
    if (view->ids != NULL) {
        (void)json_object_set_new(arrays, "ids",
                                  page_add_array(to, PAGE_U32, view->ids, triangles, 1));
    }
    if (view->user != NULL) {
        (void)json_object_set_new(arrays, "user",
                                  page_add_array(to, PAGE_U32, view->user, triangles, 1));
    }
    if (view->faces != NULL) {
        (void)json_object_set_new(arrays, "faces",
                                  page_add_array(to, PAGE_U32, view->faces, triangles, 1));
    }
    for (uint32_t i = 0; i < view->material_count; i++) {
        (void)json_array_append_new(materials, kiln_json_text(view->strings + view->materials[i]));
    }
    (void)json_object_set_new(object, "triangles", json_integer(view->triangle_count));
    (void)json_object_set_new(object, "vertices", json_integer(view->vertex_count));
    (void)json_object_set_new(object, "parts", parts_json(view));
    (void)json_object_set_new(object, "materials", materials);
    (void)json_object_set_new(object, "trees", add_trees(to, view, arrays));
    (void)json_object_set_new(object, "arrays", arrays);
    return object;
}
