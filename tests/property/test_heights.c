/* What is sampled: height fields of 2 x 2 to some hundred samples, strips among them, with any
 * axes, signs and sizes of steps, every diagonal, without holes and with a few or many, raw and
 * packed, against soups and against each other at random poses and scales.
 *
 * Oracle: triangles by a formula of this file's own; volumes and leaves by the audit; queries by
 * brute force and by a baked mesh of the same triangles (agree.c). Tolerance: none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kiln.h"
#include "../../runtime/kiln_nearest.h"
#include "../../runtime/kiln_regions.h"
#include "../../runtime/kiln_self.h"
#include "../../runtime/kiln_shapes.h"
#include "../../runtime/kiln_spheres.h"
#include "../../runtime/kiln_winding.h"
#include "../../tools/encode/audit.h"
#include "../../tools/encode/heights_file.h"
#include "../support/fast_rays.h"
#include "../support/agree.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"
#include "../support/rounding.h"

enum { FIELDS = 60, PAIRS_MOST = 4000, HITS = 64 };

typedef struct {
    kiln_format_heights grid;
    uint16_t *samples;
    void *bytes;
    size_t size;
    kiln_file *file;
    const kiln_tree *tree;
    /* The same triangles, those that are there, as a mesh. */
    mesh mesh;
    uint32_t *id_of; /* by triangle of the mesh */
    void *mesh_bytes;
    kiln_file *mesh_file;
    const kiln_tree *sure;
} field;

/* -------------------------------------------------------------------------------- triangles -- */

static void place_sample(const field *f, uint32_t column, uint32_t row, float out[3])
{
    const kiln_format_heights *g = &f->grid;
    const double at[3] = {g->origin[0] + column * g->step[0], g->origin[1] + row * g->step[1],
                          g->origin[2] + f->samples[row * g->columns + column] * g->step[2]};
    for (int k = 0; k < 3; k++) {
        out[g->axis[k]] = (float)at[k];
    }
}

/* The two triangles of a quad, as the specification has them. */
static void quad_triangles(const field *f, uint32_t c, uint32_t r, float out[2][9])
{
    const kiln_format_heights *g = &f->grid;
    const bool falling = g->diagonal == KILN_DIAGONAL_FALLING ||
                         (g->diagonal == KILN_DIAGONAL_ALTERNATE && (c + r) % 2 == 1);
    float p[4][3];
    place_sample(f, c, r, p[0]);
    place_sample(f, c + 1, r, p[1]);
    place_sample(f, c + 1, r + 1, p[2]);
    place_sample(f, c, r + 1, p[3]);
    const int cut[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{0, 1, 3}, {1, 2, 3}}};
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < 3; i++) {
            memcpy(out[t] + 3 * i, p[cut[falling][t][i]], sizeof p[0]);
        }
        /* Seen from above, that is against the axis of heights, it turns left. */
        const float *q = out[t];
        const int x = (g->axis[2] + 1) % 3, y = (g->axis[2] + 2) % 3;
        const double turn = ((double)q[3 + x] - (double)q[x]) * ((double)q[6 + y] - (double)q[y]) -
                            ((double)q[3 + y] - (double)q[y]) * ((double)q[6 + x] - (double)q[x]);
        assert_true(turn != 0);
        if (turn < 0) {
            float swap[3];
            memcpy(swap, out[t] + 3, sizeof swap);
            memcpy(out[t] + 3, out[t] + 6, sizeof swap);
            memcpy(out[t] + 6, swap, sizeof swap);
        }
    }
}

static bool quad_is_there(const field *f, uint32_t c, uint32_t r)
{
    const uint32_t w = f->grid.columns;
    const uint16_t *s = f->samples + r * w + c;
    return s[0] != f->grid.hole && s[1] != f->grid.hole && s[w] != f->grid.hole &&
           s[w + 1] != f->grid.hole;
}

static void make_mesh(field *f)
{
    const uint32_t across = f->grid.columns - 1, down = f->grid.rows - 1, all = 2 * across * down;
    float *corners = malloc(9 * sizeof(float) * all);
    f->id_of = malloc(sizeof(uint32_t) * all);
    f->mesh.positions = malloc(9 * sizeof(float) * all);
    f->mesh.indices = malloc(3 * sizeof(uint32_t) * all);
    assert_true(corners && f->id_of && f->mesh.positions && f->mesh.indices);
    rounding_enter((int)(f->grid.columns % (ROUNDING_MODES + 1)));
    const kiln_status copied = kiln_tree_triangles(f->tree, corners, all);
    rounding_leave();
    assert_int_equal(copied, KILN_OK);
    uint32_t n = 0;
    for (uint32_t quad = 0; quad < across * down; quad++) {
        float want[2][9];
        const bool there = quad_is_there(f, quad % across, quad / across);
        for (uint32_t t = 0; t < 2; t++) {
            const float *got = corners + 9 * (size_t)(2 * quad + t);
            float one[3][3];
            const kiln_status status = kiln_tree_corners(f->tree, 2 * quad + t, one);
            assert_true(there == (status == KILN_OK) && there == (got[0] == got[0]));
            if (!there) {
                continue;
            }
            quad_triangles(f, quad % across, quad / across, want);
            assert_memory_equal(got, want[t], sizeof want[t]);
            assert_memory_equal(one, want[t], sizeof want[t]);
            memcpy(f->mesh.positions + 9 * (size_t)n, got, sizeof want[t]);
            for (uint32_t i = 0; i < 3; i++) {
                f->mesh.indices[3 * n + i] = 3 * n + i;
            }
            f->id_of[n++] = 2 * quad + t;
        }
    }
    assert_int_equal(kiln_tree_triangle_limit(f->tree), f->id_of[n - 1] + 1);
    f->mesh.triangle_count = n;
    f->mesh.vertex_count = 3 * n;
    free(corners);
}

/* ------------------------------------------------------------------------------------ fields -- */

static void draw_grid(field *f, uint64_t *state, bool holes)
{
    static const uint8_t axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    kiln_format_heights *g = &f->grid;
    memset(g, 0, sizeof *g);
    const bool strip = random_below(state, 4) == 0;
    g->columns = 2 + random_below(state, strip ? 150 : 20);
    g->rows = 2 + random_below(state, strip ? 3 : 20);
    if (strip && random_below(state, 2) == 0) {
        const uint32_t swap = g->columns;
        g->columns = g->rows;
        g->rows = swap;
    }
    const double size = ldexp(1, (int)random_below(state, 61) - 30);
    for (int k = 0; k < 3; k++) {
        g->step[k] = size * random_between(state, 0.5, 2) * (random_below(state, 2) ? 1 : -1);
        g->origin[k] = size * random_between(state, -20, 20);
        if (random_below(state, 2) == 0) {
            g->step[k] = g->step[k] < 0 ? -size : size;
            g->origin[k] = size * (double)random_below(state, 20);
        }
    }
    const uint32_t range = 1u << random_below(state, 6); /* of samples: flat ones are frequent */
    memcpy(g->axis, axes[random_below(state, 6)], sizeof g->axis);
    g->diagonal = (uint8_t)random_below(state, 3);
    g->hole = holes ? 40 : KILN_HEIGHTS_NO_HOLE;
    const uint32_t one_in = 2 + random_below(state, 40);
    const uint32_t count = g->columns * g->rows;
    f->samples = malloc(count * sizeof *f->samples);
    assert_non_null(f->samples);
    for (uint32_t i = 0; i < count; i++) {
        f->samples[i] = (uint16_t)random_below(state, range);
        if (holes && random_below(state, one_in) == 0) {
            f->samples[i] = 40;
        }
    }
}

/* False: all of it is holes. */
static bool field_make(field *f, uint64_t *state, bool holes)
{
    const kiln_watch watch = {.threads = 1};
    const uint8_t key[16] = {0};
    kiln_format_tree entry;
    memset(f, 0, sizeof *f);
    draw_grid(f, state, holes);
    const kiln_bake_status status = kiln_heights_tree(&f->grid, f->samples, &watch, &entry);
    if (status != KILN_BAKE_OK) {
        assert_true(holes && status == KILN_BAKE_INVALID);
        free(f->samples);
        return false;
    }
    const kiln_heights_model model = {&f->grid, f->samples, "{}", 2};
    const kiln_layout layout = random_below(state, 8) == 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW;
    kiln_format_error error;
    assert_int_equal(kiln_heights_encode(&model, &entry, layout, key, &watch, &f->bytes, &f->size),
                     KILN_BAKE_OK);
    assert_true(kiln_audit(f->bytes, f->size, NULL, &error));
    assert_int_equal(kiln_open_memory(f->bytes, f->size, NULL, &f->file), KILN_OK);
    f->tree = kiln_file_tree(f->file, 0);
    make_mesh(f);
    f->mesh_file = quick_open(&f->mesh, "aabb", 4, KILN_LAYOUT_RAW, &f->mesh_bytes);
    f->sure = kiln_file_tree(f->mesh_file, 0);
    const kiln_tree_info a = kiln_tree_get_info(f->tree), b = kiln_tree_get_info(f->sure);
    assert_memory_equal(a.geometry_hash, b.geometry_hash, sizeof a.geometry_hash);
    assert_true(a.triangle_count == b.triangle_count && a.closed == b.closed);
    assert_memory_equal(a.bounds_lower, b.bounds_lower, sizeof a.bounds_lower);
    assert_memory_equal(a.bounds_upper, b.bounds_upper, sizeof a.bounds_upper);
    return true;
}

static void field_free(field *f)
{
    kiln_close(f->file);
    kiln_close(f->mesh_file);
    free(f->bytes);
    free(f->mesh_bytes);
    free(f->samples);
    free(f->id_of);
    mesh_free(&f->mesh);
}

/* ----------------------------------------------------------------------------------- queries -- */

/* A soup about as large as the field. */
static mesh soup_for(const field *f, uint64_t *state)
{
    const kiln_tree_info info = kiln_tree_get_info(f->sure);
    mesh m = mesh_soup(state, 1 + random_below(state, 60), random_between(state, 0.1, 1));
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        const int k = (int)(i % 3);
        const double middle = 0.5 * ((double)info.bounds_lower[k] + (double)info.bounds_upper[k]);
        const double half = 0.5 * ((double)info.bounds_upper[k] - (double)info.bounds_lower[k]);
        m.positions[i] = (float)(middle + (half + fabs(middle) * 0x1p-20) * (double)m.positions[i]);
    }
    return m;
}

/* Pairs of the field and another tree, by ids, are those of the mesh. */
static void compare_pairs(const field *f, const kiln_tree *other, const kiln_pose *pose)
{
    static kiln_pair of_field[PAIRS_MOST], of_mesh[PAIRS_MOST];
    kiln_nearest near_field, near_mesh;
    size_t count_field, count_mesh;
    kiln_hit hit;
    assert_int_equal(
        kiln_contacts(f->tree, NULL, other, pose, NULL, of_field, PAIRS_MOST, &count_field),
        KILN_OK);
    assert_int_equal(
        kiln_contacts(f->sure, NULL, other, pose, NULL, of_mesh, PAIRS_MOST, &count_mesh), KILN_OK);
    assert_true(count_field == count_mesh);
    for (size_t i = 0; i < count_mesh && i < PAIRS_MOST; i++) {
        assert_true(of_field[i].a == f->id_of[of_mesh[i].a] && of_field[i].b == of_mesh[i].b);
    }
    assert_int_equal(kiln_collide(other, pose, f->tree, NULL, NULL, &hit), KILN_OK);
    assert_true(hit.found == (count_mesh > 0));
    assert_int_equal(kiln_distance(f->tree, NULL, other, pose, NULL, &near_field), KILN_OK);
    assert_int_equal(kiln_distance(f->sure, NULL, other, pose, NULL, &near_mesh), KILN_OK);
    assert_true(near_field.distance == near_mesh.distance);
    if (near_mesh.distance > 0) {
        assert_true(near_field.pair.a == f->id_of[near_mesh.pair.a] &&
                    near_field.pair.b == near_mesh.pair.b);
        /* A hint finds it again, and one that names a hole finds no less. */
        kiln_pair_options options = kiln_pair_options_default();
        options.hint = near_field.hint;
        assert_int_equal(kiln_distance(f->tree, NULL, other, pose, &options, &near_mesh), KILN_OK);
        assert_true(near_mesh.distance == near_field.distance);
        for (uint32_t id = 0; id < 8; id++) {
            options.hint = (kiln_hint){id, near_field.hint.b};
            assert_int_equal(kiln_distance(f->tree, NULL, other, pose, &options, &near_mesh),
                             KILN_OK);
            assert_true(near_mesh.distance == near_field.distance);
        }
    }
}

/* Pairs of the field with itself, with all that hang together. */
static void compare_self(const field *f)
{
    static kiln_self_pair of_field[PAIRS_MOST], of_mesh[PAIRS_MOST];
    kiln_self_options options = kiln_self_options_default();
    size_t count_field, count_mesh;
    options.neighbours = KILN_NEIGHBOURS_ALL;
    assert_int_equal(kiln_self_contacts(f->tree, &options, of_field, PAIRS_MOST, &count_field),
                     KILN_OK);
    assert_int_equal(kiln_self_contacts(f->sure, &options, of_mesh, PAIRS_MOST, &count_mesh),
                     KILN_OK);
    assert_true(count_field == count_mesh);
    for (size_t i = 0; i < count_mesh && i < PAIRS_MOST; i++) {
        assert_true(of_field[i].pair.a == f->id_of[of_mesh[i].pair.a] &&
                    of_field[i].pair.b == f->id_of[of_mesh[i].pair.b] &&
                    of_field[i].kind == of_mesh[i].kind && of_field[i].shared == of_mesh[i].shared);
    }
}

/* The triangles nearest to points about the field. */
static void compare_nearest(const field *f, uint64_t *state)
{
    const kiln_tree_info info = kiln_tree_get_info(f->sure);
    kiln_surface_point of_field[HITS], of_mesh[HITS];
    size_t count_field, count_mesh;
    for (int i = 0; i < 10; i++) {
        double point[3];
        for (int k = 0; k < 3; k++) {
            const double width = (double)info.bounds_upper[k] - (double)info.bounds_lower[k];
            point[k] = (double)info.bounds_lower[k] + width * random_between(state, -0.5, 1.5);
        }
        assert_int_equal(
            kiln_nearest_several(f->tree, NULL, point, HITS, NULL, of_field, &count_field),
            KILN_OK);
        assert_int_equal(
            kiln_nearest_several(f->sure, NULL, point, HITS, NULL, of_mesh, &count_mesh), KILN_OK);
        assert_true(count_field == count_mesh && count_mesh > 0);
        for (uint32_t hint = 0; hint < 200; hint += 1 + hint / 9) {
            kiln_point_options options = kiln_point_options_default();
            kiln_surface_point hinted;
            options.hint = hint; /* of slots that are there, and others */
            assert_int_equal(kiln_nearest_point(f->tree, NULL, point, &options, &hinted), KILN_OK);
            assert_true(hinted.triangle == of_field[0].triangle);
        }
        for (size_t k = 0; k < count_mesh; k++) {
            assert_true(of_field[k].triangle == f->id_of[of_mesh[k].triangle] &&
                        of_field[k].distance == of_mesh[k].distance);
        }
    }
}

/* Pairs within a distance of another tree. */
static void compare_near_pairs(const field *f, const kiln_tree *other, double distance)
{
    static kiln_pair of_field[PAIRS_MOST], of_mesh[PAIRS_MOST];
    size_t count_field, count_mesh;
    assert_int_equal(kiln_near_pairs(f->tree, NULL, other, NULL, distance, NULL, of_field,
                                     PAIRS_MOST, &count_field),
                     KILN_OK);
    assert_int_equal(kiln_near_pairs(f->sure, NULL, other, NULL, distance, NULL, of_mesh,
                                     PAIRS_MOST, &count_mesh),
                     KILN_OK);
    assert_true(count_field == count_mesh);
    for (size_t i = 0; i < count_mesh && i < PAIRS_MOST; i++) {
        assert_true(of_field[i].a == f->id_of[of_mesh[i].a] && of_field[i].b == of_mesh[i].b);
    }
}

/* Spheres about the field: batches, and how far each is. */
static void compare_spheres(const field *f, uint64_t *state)
{
    enum { SPHERES = 40 };
    const kiln_tree_info info = kiln_tree_get_info(f->sure);
    double at[3][SPHERES], radius[SPHERES];
    uint8_t of_field[SPHERES], of_mesh[SPHERES];
    double width = 0;
    for (int k = 0; k < 3; k++) {
        width = fmax(width, (double)info.bounds_upper[k] - (double)info.bounds_lower[k]);
    }
    for (int i = 0; i < SPHERES; i++) {
        for (int k = 0; k < 3; k++) {
            const double middle =
                0.5 * ((double)info.bounds_lower[k] + (double)info.bounds_upper[k]);
            at[k][i] = middle + width * random_between(state, -0.6, 0.6);
        }
        radius[i] = width * random_between(state, 0, 0.2);
    }
    const kiln_spheres spheres = {at[0], at[1], at[2], radius, SPHERES, NULL, 1};
    assert_int_equal(kiln_spheres_each(f->tree, NULL, &spheres, NULL, 1, NULL, of_field, NULL),
                     KILN_OK);
    assert_int_equal(kiln_spheres_each(f->sure, NULL, &spheres, NULL, 1, NULL, of_mesh, NULL),
                     KILN_OK);
    assert_memory_equal(of_field, of_mesh, sizeof of_mesh);
    for (int i = 0; i < SPHERES; i++) {
        const kiln_convex ball = {(double[3]){at[0][i], at[1][i], at[2][i]}, 1, radius[i]};
        kiln_shape_nearest near_field, near_mesh;
        assert_int_equal(kiln_shape_distance(f->tree, NULL, &ball, NULL, NULL, &near_field),
                         KILN_OK);
        assert_int_equal(kiln_shape_distance(f->sure, NULL, &ball, NULL, NULL, &near_mesh),
                         KILN_OK);
        assert_true(near_field.distance == near_mesh.distance);
        assert_true((near_mesh.distance == 0) == (of_mesh[i] == 1));
        assert_true(near_mesh.distance == 0 || near_field.triangle == f->id_of[near_mesh.triangle]);
    }
}

static kiln_adjacency *adjacency_of(const kiln_tree *tree)
{
    kiln_adjacency *adjacency;
    const size_t size = kiln_adjacency_size(tree);
    assert_int_equal(kiln_adjacency_place(malloc(size), size, tree, &adjacency), KILN_OK);
    return adjacency;
}

/* Contact regions with another mesh. malloc's memory is aligned, so that adjacencies begin it. */
static void compare_regions(const field *f, const kiln_tree *other)
{
    enum { REGIONS = 16, TRIANGLES = 20000, MEETING = 4000 };
    kiln_adjacency *of[3] = {adjacency_of(f->tree), adjacency_of(f->sure), adjacency_of(other)};
    const size_t size = kiln_regions_size(TRIANGLES, MEETING);
    void *room = malloc(size);
    kiln_regions *regions;
    kiln_region of_field[REGIONS], of_mesh[REGIONS];
    size_t count_field, count_mesh;
    assert_int_equal(kiln_regions_place(room, size, TRIANGLES, MEETING, &regions), KILN_OK);
    const kiln_status status = kiln_contact_regions(regions, of[0], NULL, of[2], NULL, NULL,
                                                    of_field, REGIONS, &count_field);
    assert_int_equal(kiln_contact_regions(regions, of[1], NULL, of[2], NULL, NULL, of_mesh, REGIONS,
                                          &count_mesh),
                     status);
    assert_true(status == KILN_OK || status == KILN_ERROR_FULL);
    assert_true(status != KILN_OK || count_field == count_mesh);
    for (size_t i = 0; status == KILN_OK && i < count_mesh && i < REGIONS; i++) {
        const kiln_region *p = &of_field[i], *q = &of_mesh[i];
        assert_memory_equal(p->normal, q->normal, sizeof p->normal);
        assert_true(p->depth == q->depth && p->area == q->area && p->length == q->length &&
                    p->pairs == q->pairs && p->inside_a == q->inside_a &&
                    p->inside_b == q->inside_b && p->point_count == q->point_count);
        assert_true(p->deepest.a == f->id_of[q->deepest.a]);
        for (uint32_t k = 0; k < p->point_count; k++) {
            assert_memory_equal(p->points[k].position, q->points[k].position,
                                sizeof p->points[k].position);
            assert_true(p->points[k].pair.a == f->id_of[q->points[k].pair.a]);
        }
    }
    free(room);
    for (int i = 0; i < 3; i++) {
        free(of[i]);
    }
}

/* How often the surface goes around points: within the errors of both. */
static void compare_winding(const field *f, uint64_t *state)
{
    const kiln_tree *trees[2] = {f->tree, f->sure};
    const kiln_tree_info info = kiln_tree_get_info(f->sure);
    kiln_winding *winding[2];
    void *memory[2];
    for (int i = 0; i < 2; i++) {
        const size_t size = kiln_winding_size(trees[i]);
        memory[i] = malloc(size);
        assert_int_equal(kiln_winding_place(memory[i], size, trees[i], &winding[i]), KILN_OK);
    }
    for (int n = 0; n < 10; n++) {
        kiln_winding_options options = kiln_winding_options_default();
        kiln_winding_answer answer[2];
        double point[3];
        for (int k = 0; k < 3; k++) {
            const double width = (double)info.bounds_upper[k] - (double)info.bounds_lower[k];
            point[k] = (double)info.bounds_lower[k] + width * random_between(state, -0.5, 1.5);
        }
        options.accuracy = n % 2 == 0 ? 1e-6 : 0;
        for (int i = 0; i < 2; i++) {
            assert_int_equal(kiln_winding_number(winding[i], NULL, point, &options, &answer[i]),
                             KILN_OK);
        }
        assert_true(fabs(answer[0].number - answer[1].number) <= answer[0].error + answer[1].error);
        assert_true(answer[0].error < 1e-5);
    }
    free(memory[0]);
    free(memory[1]);
}

/* Rays down from above, shot at samples and between them. */
static void compare_rays(const field *f, uint64_t *state)
{
    const kiln_tree_info info = kiln_tree_get_info(f->sure);
    kiln_ray_hit of_field[HITS], of_mesh[HITS];
    size_t count_field, count_mesh;
    fast_rays fast = fast_rays_of(f->tree);
    for (int i = 0; i < 20; i++) {
        const uint32_t t = random_below(state, f->mesh.triangle_count);
        const float *corner = f->mesh.positions + 9 * (size_t)t + 3 * random_below(state, 3);
        kiln_ray ray = {{0, 0, 0}, {0, 0, 0}, -HUGE_VAL, HUGE_VAL};
        for (int k = 0; k < 3; k++) {
            const double width = (double)info.bounds_upper[k] - (double)info.bounds_lower[k];
            ray.origin[k] =
                (double)corner[k] + (i % 2) * 0.3 * width * random_between(state, -1, 1);
            ray.direction[k] = i % 3 == 0 ? random_between(state, -1, 1) : k == f->grid.axis[2];
        }
        assert_int_equal(kiln_ray_all(f->tree, NULL, &ray, NULL, of_field, HITS, &count_field),
                         KILN_OK);
        assert_int_equal(kiln_ray_all(f->sure, NULL, &ray, NULL, of_mesh, HITS, &count_mesh),
                         KILN_OK);
        assert_true(count_field == count_mesh);
        for (size_t k = 0; k < count_mesh && k < HITS; k++) {
            assert_true(of_field[k].triangle == f->id_of[of_mesh[k].triangle] &&
                        of_field[k].t == of_mesh[k].t && of_field[k].side == of_mesh[k].side);
        }
        assert_int_equal(kiln_ray_closest(f->tree, NULL, &ray, NULL, of_field), KILN_OK);
        assert_int_equal(kiln_ray_any(f->tree, NULL, &ray, NULL, of_field + 1), KILN_OK);
        assert_true(of_field[0].found == (count_mesh > 0) && of_field[1].found == (count_mesh > 0));
        assert_true(count_mesh == 0 || of_field[0].triangle == f->id_of[of_mesh[0].triangle]);
        for (int k = 0; k < 2; k++) {
            kiln_ray_hit faster;
            assert_int_equal(
                (k == 0 ? kiln_ray_closest : kiln_ray_any)(fast.tree, NULL, &ray, NULL, &faster),
                KILN_OK);
            assert_memory_equal(&faster, of_field + k, sizeof faster);
        }
    }
    fast_rays_free(&fast);
}

static void all_queries_are_those_of_the_mesh(void **state)
{
    (void)state;
    const uint32_t fields = amount(FIELDS);
    uint64_t random = 2026;
    uint32_t whole = 0, holed = 0;
    for (uint32_t i = 0; i < fields; i++) {
        field f;
        if (!field_make(&f, &random, i % 2 == 1)) {
            continue;
        }
        mesh m = soup_for(&f, &random);
        void *bytes;
        kiln_file *file = quick_open(&m, i % 3 == 0 ? "obb" : "aabb", 4, KILN_LAYOUT_RAW, &bytes);
        const kiln_tree *soup = kiln_file_tree(file, 0);
        agree_body a = {&f.mesh, f.sure, kiln_pose_identity()};
        agree_body b = {&m, soup, kiln_pose_identity()};
        compare_pairs(&f, soup, NULL);
        compare_pairs(&f, f.sure, NULL);
        compare_rays(&f, &random);
        compare_self(&f);
        compare_nearest(&f, &random);
        compare_near_pairs(&f, soup, fabs(f.grid.step[0]));
        compare_spheres(&f, &random);
        compare_regions(&f, soup);
        compare_winding(&f, &random);
        if (f.mesh.triangle_count == 2 * (f.grid.columns - 1) * (f.grid.rows - 1) &&
            f.mesh.triangle_count < 300) {
            agree_draw_poses(&a, &b, &random);
            agree_truth truth = agree_truth_of(&a, &b);
            const char *wrong = agree_on_pair(&truth, f.tree, soup);
            wrong = wrong != NULL ? wrong : agree_alone(&a, f.tree, &random);
            if (wrong != NULL) {
                fail_msg("field %u: %s", i, wrong);
            }
            agree_free(&truth);
            whole++;
        }
        holed += f.mesh.triangle_count < 2 * (f.grid.columns - 1) * (f.grid.rows - 1);
        kiln_close(file);
        free(bytes);
        mesh_free(&m);
        field_free(&f);
    }
    assert_true(whole > 0 && holed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_queries_are_those_of_the_mesh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
