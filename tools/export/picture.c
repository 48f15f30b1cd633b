/* Volumes as triangles, and a mesh in the order of its ids.
 *
 * Boxes have eight vertices, k-DOPs those of their faces (common/polytope.h), each with its own, so
 * that viewers shade them flat; balls are icosahedra whose edges were halved once, inscribed. Where
 * floats round, a picture is off by that: it shows volumes and proves nothing about them. Two
 * passes over the tree: one counts, the other fills.
 *
 * The cost of a volume is what the surface-area heuristic (common/tree_cost.h) adds for it to that
 * of a query: its surface over that of the whole tree, times the lanes or triangles behind it. */
#include "picture.h"

#include "../../formats/vector.h"
#include "../../formats/volume.h"
#include "../common/polytope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BALL_VERTICES = 42, BALL_TRIANGLES = 80, VOLUMES_A_LOOK = 4096, TRIANGLES_A_LOOK = 65536 };

/* ----------------------------------------------------------------------------------- colours -- */

/* M. Okabe and K. Ito, "Color universal design", 2008: told apart by all kinds of colour vision. */
static const uint8_t palette[8][3] = {{0, 114, 178},   {230, 159, 0},  {0, 158, 115},
                                      {204, 121, 167}, {86, 180, 233}, {213, 94, 0},
                                      {240, 228, 66},  {128, 128, 128}};

const uint8_t *kiln_picture_palette(uint32_t number)
{
    return palette[number % 8];
}

/* From little to much: dark blue, green, yellow, red. */
static void ramp(double t, uint8_t colour[3])
{
    static const double stops[5][3] = {
        {48, 18, 120}, {40, 110, 200}, {60, 180, 110}, {240, 220, 60}, {200, 30, 30}};
    const double at = (t < 0 ? 0 : t > 1 ? 1 : t) * 4;
    const int i = at >= 4 ? 3 : (int)at;
    for (int k = 0; k < 3; k++) {
        colour[k] = (uint8_t)(stops[i][k] + (at - i) * (stops[i + 1][k] - stops[i][k]) + 0.5);
    }
}

/* ------------------------------------------------------------------------------------- balls -- */

typedef struct {
    double vertex[BALL_VERTICES][3];
    uint32_t triangle[BALL_TRIANGLES][3];
} ball_shape;

/* The number of the vertex halfway between two of an icosahedron, which is added if it is new. */
static uint32_t halfway(ball_shape *ball, uint32_t *count, uint32_t a, uint32_t b)
{
    double p[3], length = 0;
    for (int k = 0; k < 3; k++) {
        p[k] = ball->vertex[a][k] + ball->vertex[b][k];
        length += p[k] * p[k];
    }
    for (int k = 0; k < 3; k++) {
        p[k] /= sqrt(length);
    }
    for (uint32_t i = 12; i < *count; i++) {
        const double *q = ball->vertex[i];
        if (fabs(p[0] - q[0]) + fabs(p[1] - q[1]) + fabs(p[2] - q[2]) < 1e-6) {
            return i;
        }
    }
    memcpy(ball->vertex[*count], p, sizeof p);
    return (*count)++;
}

static double triple_product(const double a[3], const double b[3], const double c[3])
{
    double normal[3];
    kiln_cross(b, c, normal);
    return kiln_dot(a, normal);
}

/* The corners of three rectangles in the planes of the axes, and the triangles of three that are
 * neighbours: the product of two unit vectors there is 1 over the root of 5. */
static void make_ball(ball_shape *ball)
{
    const double a = 0.52573111211913360603, b = 0.85065080835203993218;
    uint32_t count = 12, used = 0;
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t plane = i / 4;
        ball->vertex[i][(plane + 2) % 3] = 0;
        ball->vertex[i][plane] = (i & 1) != 0 ? -a : a;
        ball->vertex[i][(plane + 1) % 3] = (i & 2) != 0 ? -b : b;
    }
    for (uint32_t n = 0; n < 12 * 12 * 12; n++) {
        uint32_t v[3] = {n / 144, n / 12 % 12, n % 12};
        const double(*at)[3] = (const double(*)[3])ball->vertex;
        if (v[0] >= v[1] || v[1] >= v[2] || kiln_dot(at[v[0]], at[v[1]]) < 0.4 ||
            kiln_dot(at[v[1]], at[v[2]]) < 0.4 || kiln_dot(at[v[2]], at[v[0]]) < 0.4) {
            continue;
        }
        if (triple_product(at[v[0]], at[v[1]], at[v[2]]) < 0) { /* seen from outside */
            const uint32_t second = v[1];
            v[1] = v[2];
            v[2] = second;
        }
        const uint32_t m[3] = {halfway(ball, &count, v[0], v[1]), halfway(ball, &count, v[1], v[2]),
                               halfway(ball, &count, v[2], v[0])};
        const uint32_t four[4][3] = {
            {v[0], m[0], m[2]}, {v[1], m[1], m[0]}, {v[2], m[2], m[1]}, {m[0], m[1], m[2]}};
        KILN_ASSERT(used + 4 <= BALL_TRIANGLES);
        memcpy(ball->triangle[used], four, sizeof four);
        used += 4;
    }
    KILN_ASSERT(used == BALL_TRIANGLES && count == BALL_VERTICES);
}

/* ---------------------------------------------------------------------------------- the pass -- */

typedef struct {
    kiln_picture *picture;
    const kiln_view_tree *tree;
    kiln_picture_progress progress;
    void *user;
    double scale;                  /* of node space */
    double root_area, least, most; /* of costs, as logarithms */
    bool filling, ended;
    uint32_t seen;
    size_t vertex_at[KILN_PICTURE_LEVELS], triangle_at[KILN_PICTURE_LEVELS],
        volume_at[KILN_PICTURE_LEVELS];
    ball_shape ball;
} picture_pass;

/* The place of a volume among the levels of the picture; -1: it is not in it. */
static int place_of(const kiln_picture_choice *choice, uint32_t level, bool leaf)
{
    if (choice->levels) {
        return (int)level;
    }
    return (choice->level >= 0 && (uint32_t)choice->level == level) || (choice->leaves && leaf)
               ? 0
               : -1;
}

static double box_area(const double half[3])
{
    return half[0] * half[1] + half[1] * half[2] + half[2] * half[0];
}

/* Of a point of node space. */
static void put_vertex(picture_pass *pass, int place, const double point[3],
                       const uint8_t colour[3])
{
    const size_t at = pass->vertex_at[place]++;
    for (int k = 0; k < 3; k++) {
        const float x = (float)(point[k] * pass->scale + pass->tree->entry->origin[k]);
        pass->picture->vertices[at][k] = x;
        pass->picture->finite = pass->picture->finite && isfinite(x);
    }
    memcpy(pass->picture->colours[at], colour, 3);
}

/* Vertices `base` and on of the level are those of the volume. */
static void put_triangle(picture_pass *pass, int place, uint32_t base, uint32_t a, uint32_t b,
                         uint32_t c)
{
    uint32_t *to = pass->picture->triangles[pass->triangle_at[place]++];
    to[0] = base + a;
    to[1] = base + b;
    to[2] = base + c;
}

static void put_box(picture_pass *pass, int place, uint32_t base, const kiln_box *box,
                    const uint8_t colour[3])
{
    static const uint8_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (uint32_t c = 0; c < 8; c++) {
        double p[3];
        for (unsigned k = 0; k < 3; k++) {
            p[k] = box->centre[k];
            for (unsigned j = 0; j < 3; j++) {
                p[k] += ((c >> j & 1) != 0 ? 1 : -1) * box->half[j] * box->axis[j][k];
            }
        }
        put_vertex(pass, place, p, colour);
    }
    for (int f = 0; f < 6; f++) {
        put_triangle(pass, place, base, faces[f][0], faces[f][1], faces[f][2]);
        put_triangle(pass, place, base, faces[f][0], faces[f][2], faces[f][3]);
    }
}

static void put_ball(picture_pass *pass, int place, uint32_t base, const kiln_box *box,
                     const uint8_t colour[3])
{
    for (int i = 0; i < BALL_VERTICES; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = box->centre[k] + box->half[0] * pass->ball.vertex[i][k];
        }
        put_vertex(pass, place, p, colour);
    }
    for (int i = 0; i < BALL_TRIANGLES; i++) {
        const uint32_t *t = pass->ball.triangle[i];
        put_triangle(pass, place, base, t[0], t[1], t[2]);
    }
}

static void put_polytope(picture_pass *pass, int place, uint32_t base, const kiln_polytope *of,
                         const uint8_t colour[3])
{
    for (unsigned f = 0; f < of->face_count; f++) {
        const uint32_t corners = of->face[f].corner_count;
        for (uint32_t c = 0; c < corners; c++) {
            put_vertex(pass, place, of->face[f].corner[c], colour);
        }
        for (uint32_t c = 1; c + 1 < corners; c++) {
            put_triangle(pass, place, base, 0, c, c + 1);
        }
        base += corners;
    }
}

/* Counts or fills in a volume. `polytope` NULL: a box or a ball. */
static void take_volume(picture_pass *pass, int place, const kiln_box *box, bool ball,
                        const kiln_polytope *polytope, uint32_t level, uint32_t work,
                        uint32_t triangles)
{
    kiln_picture_level *of = &pass->picture->levels[place];
    kiln_picture_volume volume = {level, triangles, ball ? BALL_VERTICES : 8,
                                  ball ? BALL_TRIANGLES : 12};
    if (polytope != NULL) {
        volume.vertex_count = volume.triangle_count = 0;
        for (unsigned f = 0; f < polytope->face_count; f++) {
            const uint32_t corners = polytope->face[f].corner_count;
            volume.vertex_count += corners;
            volume.triangle_count += corners > 2 ? corners - 2 : 0;
        }
    }
    const double pi = 3.14159265358979323846;
    const double area = ball ? pi / 2 * box->half[0] * box->half[0] : box_area(box->half);
    const double cost = log2(fmax(area / pass->root_area, 0x1p-60) * work);
    if (!pass->filling) {
        pass->least = fmin(pass->least, cost);
        pass->most = fmax(pass->most, cost);
        of->volumes++;
        of->vertex_count += volume.vertex_count;
        of->triangle_count += volume.triangle_count;
        return;
    }
    uint8_t colour[3];
    if (pass->picture->choice.colour == KILN_COLOUR_COST) {
        ramp(pass->most > pass->least ? (cost - pass->least) / (pass->most - pass->least) : 1,
             colour);
    } else {
        memcpy(colour, palette[level % 8], sizeof colour);
    }
    const uint32_t base = (uint32_t)(pass->vertex_at[place] - of->vertex_first);
    if (polytope != NULL) {
        put_polytope(pass, place, base, polytope, colour);
    } else if (ball) {
        put_ball(pass, place, base, box, colour);
    } else {
        put_box(pass, place, base, box, colour);
    }
    pass->picture->volumes[pass->volume_at[place]++] = volume;
}

/* Triangles in the leaves below a node. */
static uint32_t count_below(const kiln_view_tree *tree, uint32_t index)
{
    uint32_t count = 0;
    uint32_t node[8 * KILN_TREE_DEPTH_MAX], waiting = 1;
    node[0] = index;
    while (waiting > 0) {
        const kiln_format_node8 *at = kiln_view_tree_node(tree, node[--waiting]);
        for (unsigned left = kiln_node8_used(at); left != 0; left &= left - 1) {
            const kiln_contents of = kiln_node8_contents(at, (unsigned)__builtin_ctz(left));
            count += of.count;
            if (of.count == 0) {
                node[waiting++] = of.first;
            }
        }
    }
    return count;
}

static bool visit_volume(void *user, const kiln_volume *volume)
{
    picture_pass *pass = user;
    const kiln_picture_choice *choice = &pass->picture->choice;
    const bool leaf = volume->contents.count != 0;
    const int place = place_of(choice, volume->level, leaf);
    if (pass->ended ||
        (pass->progress != NULL && ++pass->seen % VOLUMES_A_LOOK == 0 &&
         !pass->progress(
             pass->user, "export",
             (pass->filling ? 0.5 : 0) +
                 0.5 * fmin(1, pass->seen /
                                   (double)(pass->tree->slots + pass->tree->entry->node_count))))) {
        pass->ended = true;
        return false;
    }
    if (place >= 0) {
        kiln_polytope polytope;
        if (volume->slab_count > 0) {
            kiln_polytope_of(volume, &polytope);
        }
        const uint32_t work = leaf ? volume->contents.count
                                   : kiln_popcount8(kiln_node8_used(
                                         kiln_view_tree_node(pass->tree, volume->contents.first)));
        take_volume(pass, place, &volume->box, volume->kind->balls,
                    volume->slab_count > 0 ? &polytope : NULL, volume->level, work,
                    !pass->filling ? 0
                    : leaf         ? volume->contents.count
                                   : count_below(pass->tree, volume->contents.first));
    }
    /* Nothing below a level that is the last one. */
    return choice->levels || choice->leaves || (int)volume->level < choice->level;
}

static void visit_all(picture_pass *pass)
{
    const kiln_format_tree *entry = pass->tree->entry;
    kiln_box whole;
    memset(&whole, 0, sizeof whole);
    for (int k = 0; k < 3; k++) {
        const double lower = ((double)entry->bounds_lower[k] - entry->origin[k]) / pass->scale;
        const double upper = ((double)entry->bounds_upper[k] - entry->origin[k]) / pass->scale;
        whole.centre[k] = (lower + upper) / 2;
        whole.half[k] = fabs(upper - lower) / 2;
        whole.axis[k][k] = 1;
    }
    pass->root_area = fmax(box_area(whole.half), 0x1p-300);
    pass->seen = 0;
    const int place = place_of(&pass->picture->choice, 0, false);
    if (place >= 0) {
        take_volume(pass, place, &whole, false, NULL, 0,
                    kiln_popcount8(kiln_node8_used(kiln_view_tree_node(pass->tree, 0))),
                    pass->tree->slots);
    }
    if (pass->picture->choice.levels || pass->picture->choice.leaves ||
        pass->picture->choice.level > 0) {
        kiln_tree_visit_volumes(pass->tree, visit_volume, pass);
    }
}

/* Between the passes: where the levels begin, and room for all. */
static bool make_rooms(picture_pass *pass)
{
    kiln_picture *p = pass->picture;
    for (uint32_t i = 0; i < KILN_PICTURE_LEVELS; i++) {
        kiln_picture_level *of = &p->levels[i];
        if (of->volumes == 0) {
            continue;
        }
        p->level_count = i + 1; /* levels of a tree have no gaps */
        const uint32_t level = p->choice.levels ? i : (uint32_t)p->choice.level;
        if (p->choice.levels || p->choice.level >= 0) {
            (void)snprintf(of->name, sizeof of->name, "level %u", level);
        } else {
            (void)snprintf(of->name, sizeof of->name, "leaves");
        }
        memcpy(of->colour, palette[(p->choice.leaves ? 0 : level) % 8], 3);
        pass->vertex_at[i] = of->vertex_first = p->vertex_count;
        pass->triangle_at[i] = of->triangle_first = p->triangle_count;
        pass->volume_at[i] = p->volume_count;
        p->vertex_count += of->vertex_count;
        p->triangle_count += of->triangle_count;
        p->volume_count += of->volumes;
    }
    p->vertices = malloc((p->vertex_count + 1) * sizeof *p->vertices);
    p->colours = malloc((p->vertex_count + 1) * sizeof *p->colours);
    p->triangles = malloc((p->triangle_count + 1) * sizeof *p->triangles);
    p->volumes = malloc((p->volume_count + 1) * sizeof *p->volumes);
    return p->vertices != NULL && p->colours != NULL && p->triangles != NULL && p->volumes != NULL;
}

/* ---------------------------------------------------------------------------------- the mesh -- */

/* The part of an id: parts tile the ids in order, and of those that begin at one id all but the
 * last are empty. `from`: the part of a smaller id. */
static uint32_t part_from(const kiln_view *view, uint32_t from, uint32_t id)
{
    while (from + 1 < view->part_count && view->parts[from + 1].triangle_first <= id) {
        from++;
    }
    return from;
}

/* Runs of triangles of one part and one value. False: no memory. */
static bool make_runs(kiln_picture *p)
{
    const kiln_view *view = p->view;
    uint32_t part = 0;
    size_t room = 0;
    for (int filling = 0; filling < 2; filling++) {
        part = 0;
        p->run_count = 0;
        for (size_t i = 0; i < p->mesh_triangle_count; i++) {
            const uint32_t before = part;
            part = view->part_count > 0 ? part_from(view, part, p->ids[i]) : 0;
            if (i == 0 || part != before || p->values[i] != p->values[i - 1]) {
                if (filling != 0) {
                    p->runs[p->run_count] = (kiln_picture_run){part, p->values[i], i, 0};
                }
                p->run_count++;
            }
            if (filling != 0) {
                p->runs[p->run_count - 1].count++;
            }
        }
        if (filling == 0) {
            room = p->run_count;
            p->runs = calloc(room + 1, sizeof *p->runs);
            if (p->runs == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* The tree's triangles by their ids, which are sought by a table of all ids of the file. */
static bool make_mesh(picture_pass *pass)
{
    kiln_picture *p = pass->picture;
    const kiln_view *view = p->view;
    const kiln_format_tree *entry = pass->tree->entry;
    const size_t count = entry->triangle_count;
    uint32_t *stored = malloc(((size_t)view->triangle_count + 1) * sizeof *stored);
    uint32_t *used = calloc((size_t)view->vertex_count + 1, sizeof *used); /* number + 1 */
    uint32_t part = 0;
    bool good = stored != NULL && used != NULL;
    p->mesh_triangles = malloc((count + 1) * sizeof *p->mesh_triangles);
    p->ids = malloc((count + 1) * sizeof *p->ids);
    p->values = malloc((count + 1) * sizeof *p->values);
    good = good && p->mesh_triangles != NULL && p->ids != NULL && p->values != NULL;
    if (good) {
        memset(stored, 0xFF, ((size_t)view->triangle_count + 1) * sizeof *stored);
        for (size_t i = 0; view->heights == NULL && i < count; i++) {
            stored[view->ids[entry->triangle_first + i]] = (uint32_t)(entry->triangle_first + i);
        }
        for (uint32_t id = 0; view->heights != NULL && id < view->triangle_count; id++) {
            stored[id] = kiln_view_stores(view, id) ? id : UINT32_MAX;
        }
    }
    for (uint32_t id = 0; good && id < view->triangle_count; id++) {
        if (id % TRIANGLES_A_LOOK == 0 && pass->progress != NULL &&
            !pass->progress(pass->user, "export", (double)id / view->triangle_count)) {
            good = false;
            break;
        }
        if (stored[id] == UINT32_MAX) {
            continue;
        }
        const size_t n = p->mesh_triangle_count++;
        part = view->part_count > 0 ? part_from(view, part, id) : 0;
        p->ids[n] = id;
        p->values[n] = view->user != NULL     ? view->user[id]
                       : view->part_count > 0 ? view->parts[part].user
                                              : 0;
        for (int c = 0; c < 3; c++) {
            const uint32_t vertex = view->triangles[3 * (size_t)stored[id] + (size_t)c];
            if (used[vertex] == 0) {
                used[vertex] = (uint32_t)++p->mesh_vertex_count;
            }
            p->mesh_triangles[n][c] = used[vertex] - 1;
        }
    }
    if (good) {
        p->mesh_vertices = malloc((p->mesh_vertex_count + 1) * sizeof *p->mesh_vertices);
        good = p->mesh_vertices != NULL;
    }
    for (uint32_t v = 0; good && v < view->vertex_count; v++) {
        if (used[v] != 0) {
            memcpy(p->mesh_vertices[used[v] - 1], view->vertices + 3 * (size_t)v,
                   sizeof p->mesh_vertices[0]);
        }
    }
    free(stored);
    free(used);
    return good && make_runs(p);
}

/* ----------------------------------------------------------------------------------- outside -- */

bool kiln_picture_make(const kiln_view *view, uint32_t index, const kiln_picture_choice *choice,
                       kiln_picture_progress progress, void *user, kiln_picture *picture)
{
    const kiln_view_tree tree = kiln_view_get_tree(view, index);
    picture_pass pass;
    memset(&pass, 0, sizeof pass);
    memset(picture, 0, sizeof *picture);
    picture->view = view;
    picture->choice = *choice;
    picture->progress = progress;
    picture->user = user;
    picture->finite = true;
    pass.picture = picture;
    pass.tree = &tree;
    pass.progress = progress;
    pass.user = user;
    pass.scale = ldexp(1.0, tree.entry->scale_exponent);
    pass.least = HUGE_VAL;
    pass.most = -HUGE_VAL;
    make_ball(&pass.ball);
    visit_all(&pass);
    bool good = !pass.ended && make_rooms(&pass);
    if (good) {
        pass.filling = true;
        visit_all(&pass);
        good = !pass.ended;
    }
    if (good && choice->mesh && view->triangles != NULL) {
        good = make_mesh(&pass);
    }
    if (!good) {
        kiln_picture_free(picture);
    }
    return good;
}

void kiln_picture_free(kiln_picture *picture)
{
    free(picture->vertices);
    free(picture->colours);
    free(picture->triangles);
    free(picture->volumes);
    free(picture->mesh_vertices);
    free(picture->mesh_triangles);
    free(picture->ids);
    free(picture->values);
    free(picture->runs);
    memset(picture, 0, sizeof *picture);
}

void kiln_picture_tell(const kiln_picture *picture, size_t done, size_t all)
{
    if (done % TRIANGLES_A_LOOK == 0 && picture->progress != NULL) {
        (void)picture->progress(picture->user, "write", (double)done / (double)all);
    }
}

const char *kiln_picture_node_name(const kiln_picture *picture, uint32_t part)
{
    const kiln_view *view = picture->view;
    const char *path =
        part < view->part_count ? view->strings + view->parts[part].node_path : "/mesh";
    path += path[0] == '/';
    return path[0] != '\0' ? path : "mesh";
}

const char *kiln_picture_mesh_name(const kiln_picture *picture, uint32_t part)
{
    const kiln_view *view = picture->view;
    const char *name =
        part < view->part_count ? view->strings + view->parts[part].mesh_name : "mesh";
    return name[0] != '\0' ? name : "mesh";
}

const char *kiln_picture_value_name(const kiln_picture *picture, uint32_t value)
{
    const kiln_view *view = picture->view;
    const char *name = value < view->material_count ? view->strings + view->materials[value] : "";
    return name[0] != '\0' ? name : NULL;
}
