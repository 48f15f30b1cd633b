/* See convex_depth.h. */
#include "convex_depth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALMOST 1.01 /* of the least depth: as good */

typedef struct {
    double x, y, z;
} vector;

static vector minus(vector p, vector q)
{
    return (vector){p.x - q.x, p.y - q.y, p.z - q.z};
}

static vector crossed(vector p, vector q)
{
    return (vector){p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
}

static double dotted(vector p, vector q)
{
    return p.x * q.x + p.y * q.y + p.z * q.z;
}

static vector times(double factor, vector p)
{
    return (vector){factor * p.x, factor * p.y, factor * p.z};
}

static void *room(size_t count, size_t size)
{
    void *memory = malloc(count * size + 1);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

/* A vertex moved by so little that nothing is in one plane or line any more, always alike: so faces
 * of any three of them have a normal. */
static vector nudged(const float *at)
{
    uint64_t state = 5;
    double out[3];
    for (int k = 0; k < 3; k++) {
        uint32_t bits;
        memcpy(&bits, &at[k], sizeof bits);
        state = random_next(&state) ^ bits;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = (double)at[k] + random_between(&state, -1e-9, 1e-9);
    }
    return (vector){out[0], out[1], out[2]};
}

/* ------------------------------------------------------------------------------------ hulls -- */

/* Triangles by the numbers of their corners, counter-clockwise as seen from outside. */
typedef struct {
    vector *points;
    uint32_t (*faces)[3];
    uint32_t point_count, face_count;
} hull_builder;

/* How far a point is over a face, times twice its area. */
static double over_face(const hull_builder *h, const uint32_t face[3], vector p)
{
    const vector *at = h->points;
    const vector normal = crossed(minus(at[face[1]], at[face[0]]), minus(at[face[2]], at[face[0]]));
    return dotted(normal, minus(p, at[face[0]]));
}

/* Has one of the faces an edge from `to` to `from`? */
static bool has_edge(uint32_t (*faces)[3], uint32_t count, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            if (faces[i][k] == to && faces[i][(k + 1) % 3] == from) {
                return true;
            }
        }
    }
    return false;
}

/* The faces that the point sees give way to those from it to their outline. */
static void add_point(hull_builder *h, uint32_t point, uint32_t (*seen)[3])
{
    uint32_t kept = 0, count = 0;
    for (uint32_t i = 0; i < h->face_count; i++) {
        const bool sees = over_face(h, h->faces[i], h->points[point]) > 0;
        memmove(sees ? seen[count++] : h->faces[kept++], h->faces[i], sizeof *seen);
    }
    h->face_count = kept;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t from = seen[i][k], to = seen[i][(k + 1) % 3];
            if (!has_edge(seen, count, from, to)) {
                const uint32_t face[3] = {from, to, point};
                memcpy(h->faces[h->face_count++], face, sizeof face);
            }
        }
    }
}

static int compare_points(const void *p, const void *q)
{
    const float *one = p, *two = q;
    int k = 0;
    while (k < 2 && one[k] == two[k]) {
        k++;
    }
    return (one[k] > two[k]) - (one[k] < two[k]);
}

/* Four points that are not in a plane become the first ones. */
static void start_hull(hull_builder *h, float *places)
{
    uint32_t chosen[4] = {0, 0, 0, 0};
    for (int step = 1; step < 4; step++) {
        double most = -1;
        for (uint32_t i = 0; i < h->point_count; i++) {
            const vector p = minus(h->points[i], h->points[0]);
            const vector q = minus(h->points[chosen[1]], h->points[0]);
            const vector normal = crossed(q, minus(h->points[chosen[2]], h->points[0]));
            const vector across = step == 1 ? p : crossed(p, q);
            const double far = step == 3 ? fabs(dotted(p, normal)) : dotted(across, across);
            if (far > most) {
                most = far;
                chosen[step] = i;
            }
        }
    }
    for (uint32_t k = 1; k < 4; k++) {
        float place[3];
        const vector moved = h->points[chosen[k]];
        memcpy(place, places + 3 * (size_t)chosen[k], sizeof place);
        memcpy(places + 3 * (size_t)chosen[k], places + 3 * (size_t)k, sizeof place);
        memcpy(places + 3 * (size_t)k, place, sizeof place);
        h->points[chosen[k]] = h->points[k];
        h->points[k] = moved;
        for (uint32_t j = k + 1; j < 4; j++) {
            chosen[j] = chosen[j] == k ? chosen[k] : chosen[j];
        }
    }
    const uint32_t out[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    const bool turned = over_face(h, out[0], h->points[3]) > 0;
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            h->faces[i][k] = out[i][turned ? 2 - k : k];
        }
    }
    h->face_count = 4;
}

mesh convex_hull_of(const mesh *m)
{
    hull_builder h = {NULL, NULL, 0, 0};
    float *places = room(m->vertex_count, 3 * sizeof *places);
    for (uint32_t i = 0; i < 3 * m->vertex_count; i++) {
        places[i] = m->positions[i] + 0.0F; /* -0 is 0 */
    }
    qsort(places, m->vertex_count, 3 * sizeof *places, compare_points);
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        const float *at = places + 3 * (size_t)i;
        if (i == 0 || compare_points(at, places + 3 * (size_t)(h.point_count - 1)) != 0) {
            memmove(places + 3 * (size_t)h.point_count++, at, 3 * sizeof *at);
        }
    }
    h.points = room(h.point_count, sizeof *h.points);
    h.faces = room(8 * (size_t)h.point_count, sizeof *h.faces);
    for (uint32_t i = 0; i < h.point_count; i++) {
        h.points[i] = nudged(places + 3 * (size_t)i);
    }
    start_hull(&h, places);
    uint32_t(*seen)[3] = room(8 * (size_t)h.point_count, sizeof *seen);
    for (uint32_t i = 4; i < h.point_count; i++) {
        add_point(&h, i, seen);
    }
    mesh out = {places, room(h.face_count, sizeof *h.faces), h.point_count, h.face_count};
    memcpy(out.indices, h.faces, h.face_count * sizeof *h.faces);
    free(h.points);
    free(h.faces);
    free(seen);
    return out;
}

/* --------------------------------------------------------------------------------- parting -- */

/* A polyhedron in the world. */
typedef struct {
    vector *points, *normals; /* of vertices; of faces */
    uint32_t (*edges)[4];     /* two ends, two faces */
    uint32_t point_count, face_count, edge_count;
    const uint32_t *faces;
} placed_hull;

static vector placed_point(const kiln_pose *pose, vector p)
{
    const double at[3] = {p.x, p.y, p.z};
    double out[3];
    for (int i = 0; i < 3; i++) {
        out[i] = pose->translation[i];
        for (int j = 0; j < 3; j++) {
            out[i] += pose->rotation[3 * i + j] * at[j];
        }
    }
    return (vector){out[0], out[1], out[2]};
}

static int compare_edges(const void *p, const void *q)
{
    return memcmp(p, q, 2 * sizeof(uint32_t));
}

static void place_hull(const mesh *m, const kiln_pose *pose, placed_hull *out)
{
    const uint32_t count = 3 * m->triangle_count;
    uint32_t(*half)[3] = room(count, sizeof *half);
    out->points = room(m->vertex_count, sizeof *out->points);
    out->normals = room(m->triangle_count, sizeof *out->normals);
    out->edges = room(count, sizeof *out->edges);
    out->point_count = m->vertex_count;
    out->face_count = m->triangle_count;
    out->edge_count = 0;
    out->faces = m->indices;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        out->points[i] = placed_point(pose, nudged(m->positions + 3 * (size_t)i));
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *of = m->indices + 3 * (size_t)(i / 3);
        const uint32_t from = of[i % 3], to = of[(i + 1) % 3];
        const vector *at = out->points;
        const vector normal = crossed(minus(at[of[1]], at[of[0]]), minus(at[of[2]], at[of[0]]));
        out->normals[i / 3] = times(1 / sqrt(dotted(normal, normal)), normal);
        half[i][0] = from < to ? from : to;
        half[i][1] = from < to ? to : from;
        half[i][2] = i / 3;
    }
    qsort(half, count, sizeof *half, compare_edges);
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (compare_edges(half[i], half[i + 1]) == 0) {
            const uint32_t edge[4] = {half[i][0], half[i][1], half[i][2], half[i + 1][2]};
            memcpy(out->edges[out->edge_count++], edge, sizeof edge);
        }
    }
    free(half);
}

static void free_placed(placed_hull *hull)
{
    free(hull->points);
    free(hull->normals);
    free(hull->edges);
}

/* Of all vertices: how far the first has to move along a direction to be beyond the second. */
static double depth_along(const placed_hull *a, const placed_hull *b, vector way)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (uint32_t i = 0; i < a->point_count; i++) {
        low = fmin(low, dotted(way, a->points[i]));
    }
    for (uint32_t i = 0; i < b->point_count; i++) {
        high = fmax(high, dotted(way, b->points[i]));
    }
    return high - low;
}

/* Facets that were found to be almost the best. */
typedef struct {
    const placed_hull *a, *b;
    vector *ways;
    double *depths, least;
    size_t count, capacity;
} facet_list;

static void add_facet(facet_list *list, vector way)
{
    const double depth = depth_along(list->a, list->b, way);
    if (depth > ALMOST * list->least) {
        return;
    }
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->ways = realloc(list->ways, list->capacity * sizeof *list->ways);
        list->depths = realloc(list->depths, list->capacity * sizeof *list->depths);
        if (list->ways == NULL || list->depths == NULL) {
            abort();
        }
    }
    list->ways[list->count] = way;
    list->depths[list->count++] = depth;
    list->least = fmin(list->least, depth);
}

/* The pairs of edges whose arcs of normals cross, those of `a` being reversed. */
static void add_edge_facets(facet_list *list)
{
    const placed_hull *a = list->a, *b = list->b;
    for (uint32_t i = 0; i < a->edge_count; i++) {
        const uint32_t *e = a->edges[i];
        const vector p = times(-1, a->normals[e[2]]), q = times(-1, a->normals[e[3]]);
        const vector across = crossed(p, q);
        for (uint32_t j = 0; j < b->edge_count; j++) {
            const uint32_t *f = b->edges[j];
            const vector r = b->normals[f[2]], s = b->normals[f[3]];
            const double at_r = dotted(across, r), at_s = dotted(across, s);
            if (!(at_r * at_s < 0)) {
                continue;
            }
            const vector other = crossed(r, s);
            const double at_p = dotted(other, p), at_q = dotted(other, q);
            if (!(at_p * at_q < 0 && at_p * at_s > 0)) {
                continue;
            }
            vector way = crossed(minus(a->points[e[1]], a->points[e[0]]),
                                 minus(b->points[f[1]], b->points[f[0]]));
            const double length = sqrt(dotted(way, way));
            if (!(length > 0)) {
                continue;
            }
            way = times((dotted(way, r) + dotted(way, s) < 0 ? -1 : 1) / length, way);
            if (dotted(way, b->points[f[0]]) - dotted(way, a->points[e[0]]) <
                ALMOST * list->least) {
                add_facet(list, way);
            }
        }
    }
}

void convex_part(const mesh *a, const kiln_pose *pose_a, const mesh *b, const kiln_pose *pose_b,
                 convex_parting *out)
{
    placed_hull x, y;
    place_hull(a, pose_a, &x);
    place_hull(b, pose_b, &y);
    facet_list list = {&x, &y, NULL, NULL, HUGE_VAL, 0, 0};
    for (uint32_t i = 0; i < x.face_count; i++) {
        add_facet(&list, times(-1, x.normals[i]));
    }
    for (uint32_t i = 0; i < y.face_count; i++) {
        add_facet(&list, y.normals[i]);
    }
    add_edge_facets(&list);
    size_t best = 0;
    for (size_t i = 0; i < list.count; i++) {
        best = list.depths[i] < list.depths[best] ? i : best;
    }
    const vector way = list.ways[best];
    out->depth = list.depths[best];
    out->way[0] = way.x;
    out->way[1] = way.y;
    out->way[2] = way.z;
    out->other_way = 0;
    for (size_t i = 0; i < list.count; i++) {
        const vector across = crossed(way, list.ways[i]);
        if (list.depths[i] <= ALMOST * out->depth) {
            const double angle = atan2(sqrt(dotted(across, across)), dotted(way, list.ways[i]));
            out->other_way = fmax(out->other_way, angle);
        }
    }
    free(list.ways);
    free(list.depths);
    free_placed(&x);
    free_placed(&y);
}
