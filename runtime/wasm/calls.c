/* The calls of kiln.h for a host that has no structures: WebAssembly seen from JavaScript.
 *
 * Numbers pass through one array of doubles, `room`, which has a place for each; trees and files
 * are addresses, which kiln.mjs keeps to itself; answers of unknown length are rows of doubles in
 * one list that grows. Ids, counts and enumerations are exact as doubles. Each call returns a
 * kiln_status. There is one thread. */
#include "../kiln.h"

#if defined(__wasm__)

#include <stdlib.h>
#include <string.h>

#define KILN_EXPORT(name) __attribute__((export_name(#name))) name

/* Places in `room`, which kiln.mjs has, too. A pose takes 13: a rotation, row-major, or in its
 * first four places a quaternion; a translation; a scale. */
enum {
    POSE_A = 0,
    POSE_B = 13, /* in queries of one mesh the ray (origin, direction, t_min, t_max) or the point */
    SHAPE = 26,  /* a, b, radius */
    HINT = 33,   /* two numbers; NaN: none */
    ANSWER = 40,
    ROOM = 80
};

/* Kinds of pose. */
enum { POSE_NONE = 0, POSE_ROTATION = 1, POSE_QUATERNION = 2 };

static double room[ROOM];
static kiln_error opening_error;

/* The list: rows of doubles for the host, behind what the library writes. */
static struct {
    void *memory;
    size_t size;
} list;

double *KILN_EXPORT(kiln_wasm_room)(void)
{
    return room;
}

const char *KILN_EXPORT(kiln_wasm_version)(void)
{
    return kiln_version();
}

const char *KILN_EXPORT(kiln_wasm_status_text)(uint32_t status)
{
    return kiln_status_text((kiln_status)status);
}

static void put3(double *to, const double *from)
{
    memcpy(to, from, 3 * sizeof *to);
}

/* An id that the host gave: no number that is none wraps to another triangle's. */
static bool id_of(double number, uint32_t *id)
{
    if (!(number >= 0.0 && number <= 4294967295.0) || number != (double)(uint32_t)number) {
        return false;
    }
    *id = (uint32_t)number;
    return true;
}

/* ------------------------------------------------------------------------------------- files -- */

/* For the bytes of a file, aligned so that a raw one is used in place. NULL: no memory. */
void *KILN_EXPORT(kiln_wasm_allocate)(size_t size)
{
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    return aligned_alloc(64, (size + 64) / 64 * 64);
}

void KILN_EXPORT(kiln_wasm_release)(void *memory)
{
    free(memory);
}

/* *out of kiln_open_memory, or NULL: then kiln_wasm_error says why. The bytes stay the host's. */
kiln_file *KILN_EXPORT(kiln_wasm_open)(const void *data, size_t size, uint32_t flags,
                                       double memory_limit)
{
    kiln_file *file = NULL;
    kiln_open_options options = kiln_open_options_default();
    options.flags = flags;
    options.memory_limit =
        memory_limit >= 1.0 && memory_limit <= 4294967295.0 ? (uint64_t)memory_limit : (uint64_t)0;
    memset(&opening_error, 0, sizeof opening_error);
    options.error = &opening_error;
    const kiln_status status = kiln_open_memory(data, size, &options, &file);
    room[0] = (double)status;
    room[1] = (double)opening_error.rule;
    room[2] = (double)opening_error.offset;
    return status == KILN_OK ? file : NULL;
}

const char *KILN_EXPORT(kiln_wasm_error)(void)
{
    return opening_error.message;
}

void KILN_EXPORT(kiln_wasm_close)(kiln_file *file)
{
    kiln_close(file);
}

uint32_t KILN_EXPORT(kiln_wasm_tree_count)(const kiln_file *file)
{
    return kiln_file_tree_count(file);
}

const kiln_tree *KILN_EXPORT(kiln_wasm_tree)(const kiln_file *file, uint32_t index)
{
    return kiln_file_tree(file, index);
}

/* room[0]: its length. */
const char *KILN_EXPORT(kiln_wasm_meta)(const kiln_file *file)
{
    size_t size = 0;
    const char *meta = kiln_file_meta(file, &size);
    room[0] = (double)size;
    return meta;
}

/* -------------------------------------------------------------------------------- the list -- */

/* Frees the list; the next call that needs one makes it again. */
void KILN_EXPORT(kiln_wasm_forget_list)(void)
{
    void *memory = list.memory;
    list.memory = NULL;
    list.size = 0;
    free(memory);
}

/* Room for `count` elements of `element` bytes, and as many rows of `row` doubles before them.
 * NULL: no memory, or fewer addresses than that. */
static double *list_for(double count, size_t element, size_t row, void **elements)
{
    if (!(count >= 0.0 && count < (double)(SIZE_MAX / 2 / (element + row * sizeof(double))))) {
        return NULL;
    }
    const size_t of_rows = (size_t)count * row * sizeof(double);
    const size_t size = of_rows + (size_t)count * element + 1;
    if (size > list.size) {
        kiln_wasm_forget_list(); /* first: the host may have no stack left for what follows */
        list.memory = malloc(size);
        if (list.memory == NULL) {
            return NULL;
        }
        list.size = size;
    }
    *elements = (char *)list.memory + of_rows;
    return (double *)list.memory;
}

const double *KILN_EXPORT(kiln_wasm_list)(void)
{
    return (const double *)list.memory;
}

/* ------------------------------------------------------------------------------------- trees -- */

void KILN_EXPORT(kiln_wasm_tree_info)(const kiln_tree *tree)
{
    const kiln_tree_info info = kiln_tree_get_info(tree);
    const double numbers[] = {
        (double)(uintptr_t)info.name, (double)(uintptr_t)info.bv_name, (double)info.bv,
        (double)info.triangle_count,  (double)info.node_count,         (double)info.node_size,
        (double)info.depth,           (double)info.leaf_max,           (double)info.adb_grid,
        (double)info.closed,          info.polygons ? 1.0 : 0.0};
    memcpy(room, numbers, sizeof numbers);
    for (unsigned k = 0; k < 3; k++) {
        room[11 + k] = (double)info.bounds_lower[k];
        room[14 + k] = (double)info.bounds_upper[k];
    }
    for (unsigned k = 0; k < sizeof info.geometry_hash; k++) {
        room[17 + k] = (double)info.geometry_hash[k];
    }
}

kiln_status KILN_EXPORT(kiln_wasm_source)(const kiln_tree *tree, double triangle)
{
    uint32_t id;
    kiln_source source;
    if (!id_of(triangle, &id)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = kiln_tree_source(tree, id, &source);
    if (status == KILN_OK) {
        const double numbers[] = {(double)source.triangle,
                                  (double)source.face,
                                  (double)source.user,
                                  (double)source.mesh,
                                  (double)source.primitive,
                                  (double)(uintptr_t)source.node_path,
                                  (double)(uintptr_t)source.mesh_name,
                                  (double)(uintptr_t)source.material};
        memcpy(room, numbers, sizeof numbers);
    }
    return status;
}

kiln_status KILN_EXPORT(kiln_wasm_corners)(const kiln_tree *tree, double triangle)
{
    uint32_t id;
    float corners[3][3];
    if (!id_of(triangle, &id)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = kiln_tree_corners(tree, id, corners);
    for (unsigned k = 0; status == KILN_OK && k < 9; k++) {
        room[k] = (double)corners[k / 3][k % 3];
    }
    return status;
}

/* room[0]: the user value. */
kiln_status KILN_EXPORT(kiln_wasm_user)(const kiln_tree *tree, double triangle)
{
    uint32_t id;
    if (!id_of(triangle, &id)) {
        return KILN_ERROR_ARGUMENT;
    }
    room[0] = (double)kiln_tree_user(tree, id);
    return KILN_OK;
}

/* The list: nine floats for each id; room[0]: how many ids. */
kiln_status KILN_EXPORT(kiln_wasm_triangles)(const kiln_tree *tree)
{
    const uint32_t limit = kiln_tree_triangle_limit(tree);
    void *corners;
    if (list_for((double)limit, 9 * sizeof(float), 0, &corners) == NULL) {
        return KILN_ERROR_MEMORY;
    }
    room[0] = (double)limit;
    return kiln_tree_triangles(tree, (float *)corners, limit);
}

enum { VOLUME_ROW = 19 };

typedef struct {
    double *rows; /* NULL: they are only counted */
    size_t count, room;
    double depth; /* none below it */
} volume_rows;

static kiln_visit put_volume(void *user, const kiln_tree_volume *volume)
{
    volume_rows *to = (volume_rows *)user;
    if (to->rows != NULL && to->count < to->room) {
        double *row = to->rows + VOLUME_ROW * to->count;
        row[0] = (double)volume->depth;
        row[1] = (double)volume->triangles;
        row[2] = volume->leaf ? 1.0 : 0.0;
        put3(row + 3, volume->centre);
        memcpy(row + 6, volume->axes, sizeof volume->axes);
        put3(row + 15, volume->half);
        row[18] = volume->radius;
    }
    to->count++;
    return (double)volume->depth < to->depth ? KILN_VISIT_CHILDREN : KILN_VISIT_SKIP;
}

/* The list: a row for each volume down to `depth`; room[0]: how many. */
kiln_status KILN_EXPORT(kiln_wasm_volumes)(const kiln_tree *tree, double depth)
{
    void *none;
    volume_rows to = {NULL, 0, 0, depth};
    kiln_status status = kiln_tree_visit(tree, put_volume, &to);
    if (status == KILN_OK) {
        to.rows = list_for((double)to.count, 0, VOLUME_ROW, &none);
        to.room = to.count;
        to.count = 0;
        status = to.rows != NULL ? kiln_tree_visit(tree, put_volume, &to) : KILN_ERROR_MEMORY;
    }
    room[0] = (double)to.count;
    return status;
}

/* --------------------------------------------------------------------------------- arguments -- */

/* The pose at `at`, of one of the kinds above, made in *out. */
static kiln_status pose_of(uint32_t kind, const double *at, kiln_pose *out)
{
    *out = kiln_pose_identity();
    if (kind == POSE_NONE) {
        return KILN_OK;
    }
    if (kind == POSE_QUATERNION) {
        const kiln_status status = kiln_pose_from_quaternion(at, at + 9, out);
        out->scale = at[12];
        return status;
    }
    memcpy(out->rotation, at, sizeof out->rotation);
    put3(out->translation, at + 9);
    out->scale = at[12];
    return KILN_OK;
}

typedef struct {
    kiln_pose a, b;
    kiln_pair_options options;
} pair_arguments;

/* `kinds`: that of A's pose, and four times that of B's. */
static kiln_status pair_arguments_of(uint32_t kinds, pair_arguments *out)
{
    out->options = kiln_pair_options_default();
    const kiln_status a = pose_of(kinds % 4, room + POSE_A, &out->a);
    return a != KILN_OK ? a : pose_of(kinds / 4, room + POSE_B, &out->b);
}

/* What is NaN is not given. */
static kiln_status hint_of(kiln_hint *hint)
{
    const double *at = room + HINT;
    if (at[0] != at[0]) {
        return KILN_OK;
    }
    return id_of(at[0], &hint->a) && id_of(at[1], &hint->b) ? KILN_OK : KILN_ERROR_ARGUMENT;
}

static void put_pair(double *to, kiln_pair pair)
{
    to[0] = (double)pair.a;
    to[1] = (double)pair.b;
    to[2] = (double)pair.value_a;
    to[3] = (double)pair.value_b;
}

static void put_hit(kiln_hit hit)
{
    double *to = room + ANSWER;
    to[0] = hit.found ? 1.0 : 0.0;
    put_pair(to + 1, hit.pair);
    to[5] = (double)hit.hint.a;
    to[6] = (double)hit.hint.b;
}

enum { CONTACT_ROW = 14, RAY_ROW = 10, TRIANGLE_ROW = 2 };

static void put_contact(double *to, const kiln_contact *contact)
{
    put_pair(to, contact->pair);
    put3(to + 4, contact->from);
    put3(to + 7, contact->to);
    put3(to + 10, contact->normal);
    to[13] = contact->depth;
}

/* --------------------------------------------------------------------- queries of two meshes -- */

kiln_status KILN_EXPORT(kiln_wasm_collide)(const kiln_tree *a, const kiln_tree *b, uint32_t kinds)
{
    pair_arguments by;
    kiln_hit hit;
    kiln_status status = pair_arguments_of(kinds, &by);
    if (status == KILN_OK) {
        status = kiln_collide(a, &by.a, b, &by.b, &by.options, &hit);
    }
    if (status == KILN_OK) {
        put_hit(hit);
    }
    return status;
}

kiln_status KILN_EXPORT(kiln_wasm_within)(const kiln_tree *a, const kiln_tree *b, uint32_t kinds,
                                          double distance)
{
    pair_arguments by;
    kiln_hit hit;
    kiln_status status = pair_arguments_of(kinds, &by);
    if (status == KILN_OK) {
        status = hint_of(&by.options.hint);
    }
    if (status == KILN_OK) {
        status = kiln_within(a, &by.a, b, &by.b, distance, &by.options, &hit);
    }
    if (status == KILN_OK) {
        put_hit(hit);
    }
    return status;
}

kiln_status KILN_EXPORT(kiln_wasm_distance)(const kiln_tree *a, const kiln_tree *b, uint32_t kinds,
                                            double beyond, double relative, double absolute)
{
    pair_arguments by;
    kiln_nearest nearest;
    kiln_status status = pair_arguments_of(kinds, &by);
    by.options.beyond = beyond;
    by.options.relative = relative;
    by.options.absolute = absolute;
    if (status == KILN_OK) {
        status = hint_of(&by.options.hint);
    }
    if (status == KILN_OK) {
        status = kiln_distance(a, &by.a, b, &by.b, &by.options, &nearest);
    }
    if (status == KILN_OK) {
        double *to = room + ANSWER;
        to[0] = nearest.found ? 1.0 : 0.0;
        to[1] = nearest.distance;
        put_pair(to + 2, nearest.pair);
        put3(to + 6, nearest.point_a);
        put3(to + 9, nearest.point_b);
        put3(to + 12, nearest.normal);
        to[15] = (double)nearest.hint.a;
        to[16] = (double)nearest.hint.b;
    }
    return status;
}

/* Rows: up to `most` of them in the list. The first answer of the room is the exact number, the
 * second that of the rows. */
static void put_counts(size_t count, size_t rows)
{
    room[ANSWER] = (double)count;
    room[ANSWER + 1] = (double)rows;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* The list is first made for so many; where there are more, the query is made again. */
enum { LIST_FIRST = 256 };

kiln_status KILN_EXPORT(kiln_wasm_contacts)(const kiln_tree *a, const kiln_tree *b, uint32_t kinds,
                                            double most)
{
    pair_arguments by;
    size_t count = 0, capacity = (size_t)least(most, LIST_FIRST);
    kiln_status status = pair_arguments_of(kinds, &by);
    for (unsigned round = 0; status == KILN_OK && round < 2; round++) {
        void *elements;
        double *rows = list_for((double)capacity, sizeof(kiln_contact), CONTACT_ROW, &elements);
        if (rows == NULL) {
            return KILN_ERROR_MEMORY;
        }
        status = kiln_contacts_geometry(a, &by.a, b, &by.b, &by.options, (kiln_contact *)elements,
                                        capacity, &count);
        if (count <= capacity || (double)capacity >= most || round == 1) {
            const size_t stored = count < capacity ? count : capacity;
            for (size_t i = 0; status == KILN_OK && i < stored; i++) {
                put_contact(rows + CONTACT_ROW * i, (const kiln_contact *)elements + i);
            }
            put_counts(count, stored);
            break;
        }
        capacity = (size_t)least(most, (double)count);
    }
    return status;
}

kiln_status KILN_EXPORT(kiln_wasm_summarise)(const kiln_tree *a, const kiln_tree *b, uint32_t kinds)
{
    pair_arguments by;
    kiln_contacts_summary summary;
    kiln_status status = pair_arguments_of(kinds, &by);
    if (status == KILN_OK) {
        status = kiln_contacts_summarise(a, &by.a, b, &by.b, &by.options, &summary);
    }
    if (status == KILN_OK) {
        double *to = room + ANSWER;
        to[0] = (double)summary.count;
        put3(to + 1, summary.lower);
        put3(to + 4, summary.upper);
        put_contact(to + 7, &summary.deepest);
    }
    return status;
}

kiln_status KILN_EXPORT(kiln_wasm_locate_mesh)(const kiln_tree *a, const kiln_tree *b,
                                               uint32_t kinds)
{
    pair_arguments by;
    kiln_place place;
    kiln_status status = pair_arguments_of(kinds, &by);
    if (status == KILN_OK) {
        status = kiln_locate_mesh(a, &by.a, b, &by.b, &place);
    }
    if (status == KILN_OK) {
        room[ANSWER] = (double)place;
    }
    return status;
}

/* A budget of the host's: infinity, and what no integer holds, is none. */
static uint64_t budget_of(double number)
{
    return number < 9e18 ? number >= 0.0 ? (uint64_t)number : 0u : UINT64_MAX;
}

/* `threshold` NaN: that of the mode. */
kiln_status KILN_EXPORT(kiln_wasm_likely)(const kiln_tree *a, const kiln_tree *b, uint32_t kinds,
                                          uint32_t mode, double threshold, double steps,
                                          double nanoseconds)
{
    pair_arguments by;
    kiln_likely_answer answer;
    kiln_likely_options options = kiln_likely_options_of((kiln_likely_mode)mode);
    kiln_status status = pair_arguments_of(kinds, &by);
    if (threshold == threshold) {
        options.threshold = threshold;
    }
    options.steps = budget_of(steps);
    options.nanoseconds = budget_of(nanoseconds);
    if (status == KILN_OK) {
        status = kiln_collide_likely(a, &by.a, b, &by.b, &options, &answer);
    }
    if (status == KILN_OK) {
        double *to = room + ANSWER;
        to[0] = (double)answer.verdict;
        to[1] = answer.proved ? 1.0 : 0.0;
        to[2] = answer.probability;
        to[3] = answer.score;
        to[4] = (double)answer.steps;
        put_pair(to + 5, answer.pair);
        to[9] = answer.most;
        to[10] = answer.rest;
        to[11] = (double)answer.waiting;
    }
    return status;
}

/* ----------------------------------------------------------------------- queries of one mesh -- */

static void ray_of(const double *at, kiln_ray *ray)
{
    put3(ray->origin, at);
    put3(ray->direction, at + 3);
    ray->t_min = at[6];
    ray->t_max = at[7];
}

static void put_ray_hit(double *to, const kiln_ray_hit *hit)
{
    to[0] = (double)hit->triangle;
    to[1] = (double)hit->value;
    to[2] = (double)hit->side;
    to[3] = hit->t;
    put3(to + 4, hit->weights);
    put3(to + 7, hit->normal);
}

/* The ray is where the pose of B is in queries of two meshes. */
kiln_status KILN_EXPORT(kiln_wasm_ray)(const kiln_tree *tree, uint32_t kind, uint32_t any,
                                       uint32_t cull)
{
    kiln_pose pose;
    kiln_ray ray;
    kiln_ray_hit hit;
    kiln_query_options options = kiln_query_options_default();
    kiln_status status = pose_of(kind, room + POSE_A, &pose);
    ray_of(room + POSE_B, &ray);
    options.cull = (kiln_cull)cull;
    if (status == KILN_OK) {
        status = any != 0 ? kiln_ray_any(tree, &pose, &ray, &options, &hit)
                          : kiln_ray_closest(tree, &pose, &ray, &options, &hit);
    }
    if (status == KILN_OK) {
        room[ANSWER] = hit.found ? 1.0 : 0.0;
        put_ray_hit(room + ANSWER + 1, &hit);
    }
    return status;
}

kiln_status KILN_EXPORT(kiln_wasm_ray_all)(const kiln_tree *tree, uint32_t kind, uint32_t cull,
                                           double most)
{
    kiln_pose pose;
    kiln_ray ray;
    size_t count = 0, capacity = (size_t)least(most, LIST_FIRST);
    kiln_query_options options = kiln_query_options_default();
    kiln_status status = pose_of(kind, room + POSE_A, &pose);
    ray_of(room + POSE_B, &ray);
    options.cull = (kiln_cull)cull;
    for (unsigned round = 0; status == KILN_OK && round < 2; round++) {
        void *elements;
        double *rows = list_for((double)capacity, sizeof(kiln_ray_hit), RAY_ROW, &elements);
        if (rows == NULL) {
            return KILN_ERROR_MEMORY;
        }
        status =
            kiln_ray_all(tree, &pose, &ray, &options, (kiln_ray_hit *)elements, capacity, &count);
        if (count <= capacity || (double)capacity >= most || round == 1) {
            const size_t stored = count < capacity ? count : capacity;
            for (size_t i = 0; status == KILN_OK && i < stored; i++) {
                put_ray_hit(rows + RAY_ROW * i, (const kiln_ray_hit *)elements + i);
            }
            put_counts(count, stored);
            break;
        }
        capacity = (size_t)least(most, (double)count);
    }
    return status;
}

static void shape_of(uint32_t kind, const double *at, kiln_shape *shape)
{
    shape->kind = (kiln_shape_kind)kind;
    put3(shape->a, at);
    put3(shape->b, at + 3);
    shape->radius = at[6];
}

kiln_status KILN_EXPORT(kiln_wasm_overlap_any)(const kiln_tree *tree, uint32_t kinds,
                                               uint32_t shape_kind)
{
    pair_arguments by;
    kiln_shape shape;
    kiln_triangle_hit hit;
    kiln_status status = pair_arguments_of(kinds, &by);
    shape_of(shape_kind, room + SHAPE, &shape);
    if (status == KILN_OK) {
        status = kiln_overlap_any(tree, &by.a, &shape, &by.b, NULL, &hit);
    }
    if (status == KILN_OK) {
        double *to = room + ANSWER;
        to[0] = hit.found ? 1.0 : 0.0;
        to[1] = (double)hit.triangle;
        to[2] = (double)hit.value;
    }
    return status;
}

kiln_status KILN_EXPORT(kiln_wasm_overlap_all)(const kiln_tree *tree, uint32_t kinds,
                                               uint32_t shape_kind, double most)
{
    pair_arguments by;
    kiln_shape shape;
    size_t count = 0, capacity = (size_t)least(most, LIST_FIRST);
    kiln_status status = pair_arguments_of(kinds, &by);
    shape_of(shape_kind, room + SHAPE, &shape);
    for (unsigned round = 0; status == KILN_OK && round < 2; round++) {
        void *elements;
        double *rows =
            list_for((double)capacity, sizeof(kiln_triangle_hit), TRIANGLE_ROW, &elements);
        if (rows == NULL) {
            return KILN_ERROR_MEMORY;
        }
        status = kiln_overlap_all(tree, &by.a, &shape, &by.b, NULL, (kiln_triangle_hit *)elements,
                                  capacity, &count);
        if (count <= capacity || (double)capacity >= most || round == 1) {
            const size_t stored = count < capacity ? count : capacity;
            for (size_t i = 0; status == KILN_OK && i < stored; i++) {
                const kiln_triangle_hit *hit = (const kiln_triangle_hit *)elements + i;
                rows[TRIANGLE_ROW * i] = (double)hit->triangle;
                rows[TRIANGLE_ROW * i + 1] = (double)hit->value;
            }
            put_counts(count, stored);
            break;
        }
        capacity = (size_t)least(most, (double)count);
    }
    return status;
}

/* The point is where the pose of B is in queries of two meshes. */
kiln_status KILN_EXPORT(kiln_wasm_locate_point)(const kiln_tree *tree, uint32_t kind)
{
    kiln_pose pose;
    kiln_place place;
    kiln_status status = pose_of(kind, room + POSE_A, &pose);
    if (status == KILN_OK) {
        status = kiln_locate_point(tree, &pose, room + POSE_B, &place);
    }
    if (status == KILN_OK) {
        room[ANSWER] = (double)place;
    }
    return status;
}

#endif
