/* What is wrong with a mesh as a surface.
 *
 * Edges are sorted by their two vertices, so that the triangles of one edge stand together. A
 * triangle of which two corners are one vertex has no area and no place in the surface: it is
 * counted, and passed over in edges. A vertex is the middle of one fan where all triangles at it
 * hang together by edges at it: corners of triangles are joined by edges, and those of a vertex
 * have to be one set (disjoint sets as in Cormen et al., "Introduction to Algorithms", chapter 21).
 * Parts and borders are sets of vertices likewise.
 *
 * Where the mesh meets itself is what kiln_self.h says of a tree that is baked in memory; a corner
 * of one of two triangles that touch is in an edge of the other where the library says that the
 * point meets the segment. */
#include "mesh_faults.h"

#include "../../../formats/assert.h"
#include "../../../formats/vector.h"
#include "../../../runtime/kiln_self.h"
#include "../../common/soup.h"
#include "../../kiln_bake.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void note_fault(fault *f, uint32_t listed, uint32_t a, uint32_t b)
{
    KILN_ASSERT(listed <= FAULTS_LISTED_MOST);
    f->count++;
    uint32_t at = f->listed;
    while (at > 0 &&
           (f->first[at - 1].a > a || (f->first[at - 1].a == a && f->first[at - 1].b > b))) {
        at--;
    }
    if (at >= listed) {
        return;
    }
    f->listed += f->listed < listed;
    memmove(f->first + at + 1, f->first + at, (f->listed - 1 - at) * sizeof f->first[0]);
    f->first[at].a = a;
    f->first[at].b = b;
}

/* ------------------------------------------------------------------------------------ sets -- */

static uint32_t set_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The lesser number stands for both, whatever the order is. */
static void join_sets(uint32_t *parent, uint32_t i, uint32_t j)
{
    const uint32_t a = set_of(parent, i), b = set_of(parent, j);
    parent[a > b ? a : b] = a > b ? b : a;
}

static void make_sets(uint32_t *parent, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        parent[i] = i;
    }
}

/* ----------------------------------------------------------------------------------- edges -- */

/* An edge of a triangle: from its corner number `corner`, 3 t + k, to the next. */
typedef struct {
    uint32_t low, high; /* vertices */
    uint32_t corner;
} half_edge;

typedef struct {
    const mesh_arrays *m;
    mesh_facts *out;
    uint32_t listed;
    half_edge *edges;
    size_t edge_count;
    uint32_t *fans;    /* sets of corners */
    uint32_t *parts;   /* sets of vertices that triangles join */
    uint32_t *borders; /* that edges of one triangle join */
    uint8_t *marks;    /* of vertices */
} surface;

enum { MARK_USED = 1, MARK_BORDER = 2 };

static uint32_t next_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static int compare_edges(const void *p, const void *q)
{
    const half_edge *a = p, *b = q;
    return a->low != b->low     ? (a->low < b->low ? -1 : 1)
           : a->high != b->high ? (a->high < b->high ? -1 : 1)
                                : (a->corner < b->corner ? -1 : a->corner > b->corner);
}

static void gather_edges(surface *s)
{
    const uint32_t *indices = s->m->indices;
    s->edge_count = 0;
    for (uint32_t t = 0; t < s->m->triangle_count; t++) {
        const uint32_t *corner = indices + 3 * (size_t)t;
        for (uint32_t k = 0; k < 3; k++) {
            s->marks[corner[k]] |= MARK_USED;
            join_sets(s->parts, corner[k], corner[(k + 1) % 3]);
        }
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) {
            continue;
        }
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t from = corner[k], to = corner[(k + 1) % 3];
            s->edges[s->edge_count++] =
                (half_edge){from < to ? from : to, from < to ? to : from, 3 * t + k};
        }
    }
    qsort(s->edges, s->edge_count, sizeof *s->edges, compare_edges);
}

/* The corner of a half-edge at a vertex. */
static uint32_t corner_at_vertex(const surface *s, const half_edge *e, uint32_t vertex)
{
    return s->m->indices[e->corner] == vertex ? e->corner : next_corner(e->corner);
}

/* The half-edges first .. first + count - 1 are one edge. */
static void take_edge(surface *s, const half_edge *first, size_t count)
{
    fault *faults = s->out->faults;
    const uint32_t a = first->corner / 3, b = first[count > 1].corner / 3;
    s->out->edges++;
    s->out->odd_edges += count % 2;
    for (size_t i = 1; i < count; i++) {
        join_sets(s->fans, corner_at_vertex(s, first, first->low),
                  corner_at_vertex(s, &first[i], first->low));
        join_sets(s->fans, corner_at_vertex(s, first, first->high),
                  corner_at_vertex(s, &first[i], first->high));
    }
    if (count == 1) {
        note_fault(&faults[FAULT_BORDER], s->listed, a, first->corner % 3);
        s->marks[first->low] |= MARK_BORDER;
        s->marks[first->high] |= MARK_BORDER;
        join_sets(s->borders, first->low, first->high);
    } else if (count > 2) {
        note_fault(&faults[FAULT_CROWDED], s->listed, a, b);
    } else if (s->m->indices[first[0].corner] == s->m->indices[first[1].corner]) {
        note_fault(&faults[FAULT_TURNED], s->listed, a, b);
    }
}

static void take_edges(surface *s)
{
    for (size_t i = 0, end; i < s->edge_count; i = end) {
        for (end = i + 1; end < s->edge_count && s->edges[end].low == s->edges[i].low &&
                          s->edges[end].high == s->edges[i].high;
             end++) {
        }
        take_edge(s, &s->edges[i], end - i);
    }
}

/* Fans, and sets of vertices. `first_fan` has room for a corner of each vertex. */
static void take_vertices(surface *s, uint32_t *first_fan, uint8_t *forked)
{
    const mesh_arrays *m = s->m;
    memset(first_fan, 0xff, m->vertex_count * sizeof *first_fan);
    memset(forked, 0, m->vertex_count);
    for (size_t i = 0; i < s->edge_count; i++) {
        const uint32_t corner = s->edges[i].corner, vertex = m->indices[corner];
        const uint32_t fan = set_of(s->fans, corner);
        if (first_fan[vertex] == UINT32_MAX) {
            first_fan[vertex] = fan;
        } else if (first_fan[vertex] != fan && forked[vertex] == 0) {
            const uint32_t a = first_fan[vertex] / 3, b = fan / 3;
            forked[vertex] = 1;
            note_fault(&s->out->faults[FAULT_FORKED], s->listed, a < b ? a : b, a < b ? b : a);
        }
    }
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        s->out->vertices += (s->marks[v] & MARK_USED) != 0;
        s->out->parts += (s->marks[v] & MARK_USED) != 0 && s->parts[v] == v;
        s->out->border_loops += (s->marks[v] & MARK_BORDER) != 0 && s->borders[v] == v;
    }
}

/* ------------------------------------------------------------------------------- triangles -- */

static void corners_of(const mesh_arrays *m, uint32_t t, double corner[3][3])
{
    for (int c = 0; c < 3; c++) {
        const float *p = m->positions + 3 * (size_t)m->indices[3 * (size_t)t + (size_t)c];
        for (int k = 0; k < 3; k++) {
            corner[c][k] = (double)p[k];
        }
    }
}

/* In degrees: opposite to the shortest edge. */
static double least_angle_of(double corner[3][3])
{
    int at = 0;
    double shortest = HUGE_VAL, u[3], v[3], w[3], across[3];
    for (int c = 0; c < 3; c++) {
        kiln_subtract(corner[(c + 2) % 3], corner[(c + 1) % 3], w);
        const double squared = kiln_dot(w, w);
        at = squared < shortest ? c : at;
        shortest = squared < shortest ? squared : shortest;
    }
    kiln_subtract(corner[(at + 1) % 3], corner[at], u);
    kiln_subtract(corner[(at + 2) % 3], corner[at], v);
    kiln_cross(u, v, across);
    return atan2(sqrt(kiln_dot(across, across)), kiln_dot(u, v)) * (180 / 3.14159265358979323846);
}

static void take_triangles(surface *s, double sliver)
{
    const mesh_arrays *m = s->m;
    fault *faults = s->out->faults;
    kiln_mesh_extent extent;
    s->out->least_angle = 180;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *corner = m->indices + 3 * (size_t)t;
        double at[3][3];
        if (kiln_no_area(m->positions + 3 * (size_t)corner[0], m->positions + 3 * (size_t)corner[1],
                         m->positions + 3 * (size_t)corner[2])) {
            note_fault(&faults[FAULT_FLAT], s->listed, t, t);
            continue;
        }
        corners_of(m, t, at);
        const double angle = least_angle_of(at);
        s->out->least_angle = fmin(s->out->least_angle, angle);
        if (angle < sliver) {
            note_fault(&faults[FAULT_SLIVER], s->listed, t, t);
        }
    }
    if (m->triangle_count > 0) {
        kiln_extent_of(m->positions, m->indices, m->triangle_count, &extent);
        s->out->area = extent.area;
        s->out->volume = extent.signed_volume;
    }
}

bool mesh_facts_of_surface(const mesh_arrays *m, double sliver, uint32_t listed, mesh_facts *out)
{
    const size_t vertices = (size_t)m->vertex_count + 1,
                 corners = 3 * (size_t)m->triangle_count + 1;
    surface s = {.m = m, .out = out, .listed = listed};
    s.edges = malloc(corners * sizeof *s.edges);
    s.fans = malloc(corners * sizeof *s.fans);
    s.parts = malloc(vertices * sizeof *s.parts);
    s.borders = malloc(vertices * sizeof *s.borders);
    s.marks = calloc(vertices, 1);
    uint32_t *first_fan = malloc(vertices * sizeof *first_fan);
    uint8_t *forked = malloc(vertices);
    const bool good = s.edges != NULL && s.fans != NULL && s.parts != NULL && s.borders != NULL &&
                      s.marks != NULL && first_fan != NULL && forked != NULL;
    memset(out, 0, sizeof *out);
    if (good) {
        make_sets(s.fans, 3 * m->triangle_count);
        make_sets(s.parts, m->vertex_count);
        make_sets(s.borders, m->vertex_count);
        gather_edges(&s);
        take_edges(&s);
        take_vertices(&s, first_fan, forked);
        take_triangles(&s, sliver);
    }
    free(forked);
    free(first_fan);
    free(s.marks);
    free(s.borders);
    free(s.parts);
    free(s.fans);
    free(s.edges);
    return good;
}

/* ------------------------------------------------------------------------ a mesh and itself -- */

typedef struct {
    const mesh_arrays *m;
    uint32_t listed;
    mesh_facts *out;
    uint8_t *is_junction;  /* of vertices */
    uint8_t *is_duplicate; /* of triangles */
} meeting;

/* Is a corner of triangle a within an edge of triangle b? */
static void find_junctions(meeting *found, uint32_t a, uint32_t b)
{
    const uint32_t *of_a = found->m->indices + 3 * (size_t)a;
    double p[3][3], q[3][3];
    corners_of(found->m, a, p);
    corners_of(found->m, b, q);
    for (int i = 0; i < 9; i++) {
        const double *corner = p[i / 3], *from = q[i % 3], *to = q[(i + 1) % 3];
        double point[9], edge[9];
        bool meet = false;
        for (int k = 0; k < 3; k++) {
            memcpy(point + 3 * k, corner, sizeof p[0]);
            memcpy(edge + 3 * k, k == 0 ? from : to, sizeof p[0]);
        }
        if (memcmp(corner, from, sizeof p[0]) == 0 || memcmp(corner, to, sizeof p[0]) == 0 ||
            kiln_triangles_meet(point, edge, &meet) != KILN_OK || !meet) {
            continue;
        }
        if (found->is_junction[of_a[i / 3]] == 0) {
            found->is_junction[of_a[i / 3]] = 1;
            note_fault(&found->out->faults[FAULT_JUNCTION], found->listed, a, b);
        }
    }
}

static bool take_meeting(void *user, const kiln_self_pair *pair)
{
    static const fault_kind kinds[] = {FAULT_TOUCHING, FAULT_CROSSING, FAULT_OVERLAP};
    meeting *found = user;
    if (pair->kind == KILN_SELF_DUPLICATE) {
        if (found->is_duplicate[pair->pair.b] == 0) {
            found->is_duplicate[pair->pair.b] = 1;
            note_fault(&found->out->faults[FAULT_DUPLICATE], found->listed, pair->pair.b,
                       pair->pair.a);
        }
        return true;
    }
    note_fault(&found->out->faults[kinds[pair->kind]], found->listed, pair->pair.a, pair->pair.b);
    if (pair->kind == KILN_SELF_TOUCHING) {
        find_junctions(found, pair->pair.a, pair->pair.b);
        find_junctions(found, pair->pair.b, pair->pair.a);
    }
    return true;
}

bool mesh_facts_of_meeting(const mesh_arrays *m, uint32_t listed, int threads,
                           bool (*progress)(void *user, const char *stage, double part),
                           void *progress_user, mesh_facts *out)
{
    kiln_bake_options baking = kiln_bake_options_default();
    kiln_open_options opening = kiln_open_options_default();
    const kiln_mesh mesh = {.struct_size = sizeof mesh,
                            .vertices = m->positions,
                            .vertex_count = m->vertex_count,
                            .triangles = m->indices,
                            .triangle_count = m->triangle_count};
    kiln_file *file = NULL;
    void *bytes = NULL;
    size_t size = 0;
    bool good = false;
    baking.bv = "aabb";
    baking.layout = KILN_LAYOUT_RAW;
    baking.threads = threads;
    baking.progress = progress;
    baking.progress_user = progress_user;
    opening.flags = KILN_OPEN_TRUSTED | KILN_OPEN_NO_SOURCE;
    meeting found = {.m = m, .listed = listed, .out = out};
    found.is_junction = calloc((size_t)m->vertex_count + 1, 1);
    found.is_duplicate = calloc((size_t)m->triangle_count + 1, 1);
    if (found.is_junction != NULL && found.is_duplicate != NULL &&
        kiln_bake_mesh_to_memory(&mesh, 1, &baking, &bytes, &size, NULL) == KILN_BAKE_OK &&
        kiln_open_memory(bytes, size, &opening, &file) == KILN_OK) {
        (void)progress(progress_user, "self", 0);
        good = kiln_self_contacts_each(kiln_file_tree(file, 0), NULL, take_meeting, &found, NULL) ==
               KILN_OK;
        (void)progress(progress_user, "self", 1);
    }
    kiln_close(file);
    free(bytes);
    free(found.is_duplicate);
    free(found.is_junction);
    return good;
}
