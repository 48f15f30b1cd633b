#define _POSIX_C_SOURCE 200809L
#include "flatten.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/memory.h"
#include "../common/text.h"
#include "../common/soup.h"
#include "child.h"
#include "names.h"
#include "place.h"
#include "polygon.h"
#include "precision.h"
#include "weld.h"

#define MOST_TRIANGLES 0x7FFFFFFFu

enum {
    BYTES_A_TRIANGLE = 32,     /* of a soup and its tables, a cautious mean */
    TRIANGLES_A_LOOK = 1 << 14 /* between looks at the clock and at memory */
};

typedef struct {
    uint64_t face, corner, vertex; /* the first of each in the scene's arrays */
    uint64_t vertex_count, triangles;
} range;

typedef struct {
    const kiln_scene *scene;
    const kiln_flatten_task *task;
    kiln_soup *soup;
    kiln_bake_status status;
    kiln_scene_facts facts;
    range *ranges;      /* of each mesh */
    kiln_place *places; /* of each node */
    kiln_place options; /* what comes after all nodes */
    uint64_t triangles_expected, next_look;
    kiln_names names, paths, says; /* of the soup, of all nodes, of the report */
    uint32_t *node_paths;          /* of each node, in paths */
    size_t node_of_last_part;
    kiln_weld weld;
    kiln_polygon_work polygon;
    uint32_t *cut; /* triangles of the polygon under way */
    size_t cut_capacity;
    size_t triangle_capacity; /* of indices, face and user alike */
    size_t part_capacity, note_capacity, warning_capacity;
    /* Of the part under way. */
    const kiln_scene_mesh *mesh;
    const range *at;
    kiln_place place;
    bool mirrored;
    double loss, magnitude;
    /* Worst loss of all parts where it matters. */
    double worst_loss, worst_extent, worst_magnitude;
    uint32_t worst_part, coarse_parts;
} flat;

/* -- ends and warnings -- */

#define FAIL(f, code, ...)                                                                         \
    (kiln_bake_report_error((f)->task->report, (f)->task->path, __VA_ARGS__),                      \
     (f)->status = (code), false)

static bool no_memory(flat *f)
{
    return FAIL(f, KILN_BAKE_FAILED, "out of memory; split the model");
}

static bool grow(flat *f, void **items, size_t *capacity, size_t needed, size_t size)
{
    return kiln_grow(items, capacity, needed, size) || no_memory(f);
}

static bool add_warning(flat *f, const char *text)
{
    void *warnings = f->soup->warnings;
    bool room =
        grow(f, &warnings, &f->warning_capacity, f->soup->warning_count + 1u, sizeof(uint32_t));

    f->soup->warnings = warnings;
    if (room)
        f->soup->warnings[f->soup->warning_count++] = kiln_names_add(&f->says, text);
    return room;
}

/* Tables that are touched all over as soon as they are there are asked for before. */
static bool has_room(flat *f, uint64_t bytes)
{
    const uint64_t limit = f->task->options->max_memory;
    char text[KILN_MESSAGE_BYTES_SIZE];

    if (limit == 0 || KILN_HAVE_SHADOW_MEMORY || kiln_resident() + bytes <= f->task->before + limit)
        return true;
    return FAIL(f, KILN_BAKE_FAILED,
                "import takes more than %s of memory; split the model or raise that limit "
                "(--max-memory)",
                kiln_message_bytes(limit, text));
}

static bool go_on(flat *f)
{
    const kiln_bake_options *options = f->task->options;
    double done = f->triangles_expected > 0
                      ? (double)f->soup->triangle_count / (double)f->triangles_expected
                      : 1;

    if (!has_room(f, kiln_weld_growth(&f->weld, 3 * TRIANGLES_A_LOOK)))
        return false;
    if (f->task->deadline != 0 && kiln_clock() > f->task->deadline)
        return FAIL(f, KILN_BAKE_FAILED,
                    "import takes longer than %g s; simplify the model or raise that limit "
                    "(--import-seconds)",
                    options->import_seconds);
    if (options->progress != NULL &&
        !options->progress(options->progress_user, "import", 0.5 + 0.5 * fmin(done, 1)))
        return FAIL(f, KILN_BAKE_FAILED, "cancelled; nothing written");
    return true;
}

/* -- nodes -- */

static const kiln_scene_node *nodes_of(const kiln_scene *scene)
{
    return scene->arrays[KILN_ARRAY_NODES].items;
}

static size_t node_count_of(const kiln_scene *scene)
{
    return scene->arrays[KILN_ARRAY_NODES].count;
}

/* A node's path is its parent's and its name. Assimp's nodes for the steps of an FBX transform are
 * not the model's. */
static uint32_t make_path(flat *f, const kiln_scene_node *node)
{
    const char *name = kiln_scene_string(f->scene, node->name);
    uint32_t parent = node->parent != KILN_SCENE_NONE ? f->node_paths[node->parent] : 0;

    if (strstr(name, "_$AssimpFbx$_") != NULL)
        return parent;
    return kiln_names_join(&f->paths, parent, name);
}

/* Paths and places of all nodes that show a mesh or lead to one that does. */
static bool walk_nodes(flat *f)
{
    const kiln_scene_node *nodes = nodes_of(f->scene);
    size_t count = node_count_of(f->scene);
    bool *leads = calloc(count + 1, sizeof *leads);

    f->places = malloc((count + 1) * sizeof *f->places);
    f->node_paths = calloc(count + 1, sizeof *f->node_paths);
    if (leads == NULL || f->places == NULL || f->node_paths == NULL) {
        free(leads);
        return no_memory(f);
    }
    for (size_t i = count; i-- > 0;) {
        leads[i] = leads[i] || nodes[i].place_count > 0;
        if (leads[i] && nodes[i].parent != KILN_SCENE_NONE)
            leads[nodes[i].parent] = true;
    }
    for (size_t i = 0; i < count; i++) {
        kiln_place own = kiln_place_of_node(&nodes[i]);

        f->places[i] = nodes[i].parent == KILN_SCENE_NONE
                           ? kiln_place_join(&f->options, &own)
                           : kiln_place_join(&f->places[nodes[i].parent], &own);
        if (leads[i])
            f->node_paths[i] = make_path(f, &nodes[i]);
    }
    free(leads);
    return !f->paths.failed ||
           FAIL(f, KILN_BAKE_FAILED, "paths of nodes take more than 256 MiB; flatten the scene");
}

/* -- meshes -- */

static const kiln_scene_mesh *meshes_of(const kiln_scene *scene)
{
    return scene->arrays[KILN_ARRAY_MESHES].items;
}

static bool find_ranges(flat *f)
{
    const kiln_scene_array *arrays = f->scene->arrays;
    const kiln_scene_mesh *meshes = meshes_of(f->scene);
    const uint32_t *sizes = arrays[KILN_ARRAY_SIZES].items;
    range at = {0};

    f->ranges = malloc((arrays[KILN_ARRAY_MESHES].count + 1) * sizeof *f->ranges);
    if (f->ranges == NULL)
        return no_memory(f);
    for (size_t i = 0; i < arrays[KILN_ARRAY_MESHES].count; i++) {
        range *r = &f->ranges[i];

        *r = at;
        r->triangles = 0;
        r->vertex_count =
            meshes[i].shared ? arrays[KILN_ARRAY_POSITIONS].count : meshes[i].vertex_count;
        if (meshes[i].shared)
            r->vertex = 0;
        for (uint64_t j = 0; j < meshes[i].face_count; j++) {
            at.corner += sizes[at.face + j];
            r->triangles += sizes[at.face + j] - 2;
        }
        at.face += meshes[i].face_count;
        at.vertex += meshes[i].vertex_count;
    }
    return true;
}

/* How many triangles the places ask for, before any is made. */
static bool count_triangles(flat *f)
{
    const kiln_scene_array *places = &f->scene->arrays[KILN_ARRAY_PLACES];
    uint64_t memory = f->task->options->import_memory, most = MOST_TRIANGLES;
    uint64_t all = f->task->options->max_memory;
    char limit[KILN_MESSAGE_BYTES_SIZE];

    if (memory == 0 || (all != 0 && all < memory))
        memory = all;
    if (memory != 0 && memory / BYTES_A_TRIANGLE < most)
        most = memory / BYTES_A_TRIANGLE;
    for (size_t i = 0; i < places->count; i++) {
        f->triangles_expected += f->ranges[((const uint32_t *)places->items)[i]].triangles;
        if (f->triangles_expected > most)
            return FAIL(
                f, KILN_BAKE_FAILED,
                "more than %llu triangles with all instances, too many for %s of memory; split "
                "the model or raise that limit (%s)",
                (unsigned long long)most, kiln_message_bytes(memory, limit),
                memory == all ? "--max-memory" : "--import-memory");
    }
    return true;
}

/* -- faces -- */

static const float *position_of(const flat *f, uint32_t corner)
{
    const float(*positions)[3] = f->scene->arrays[KILN_ARRAY_POSITIONS].items;

    return positions[f->at->vertex + corner];
}

static void position_in_double(const flat *f, uint32_t corner, double to[3])
{
    const float(*residuals)[3] = f->scene->arrays[KILN_ARRAY_RESIDUALS].items;
    const float *position = position_of(f, corner);

    for (int i = 0; i < 3; i++) {
        to[i] = (double)position[i];
        if (f->scene->arrays[KILN_ARRAY_RESIDUALS].count > 0)
            to[i] += (double)residuals[f->at->vertex + corner][i];
    }
}

static void moved(const flat *f, uint32_t corner, double to[3])
{
    double from[3];

    position_in_double(f, corner, from);
    for (int i = 0; i < 3; i++)
        to[i] = f->place.m[i][0] * from[0] + f->place.m[i][1] * from[1] +
                f->place.m[i][2] * from[2] + f->place.m[i][3];
}

/* 0, or the reason why the face can't be used, and the place of the corner that is to blame. */
static uint32_t error_of(const flat *f, const uint32_t *corners, size_t count, size_t *blame)
{
    for (*blame = 0; *blame < count; ++*blame)
        if (corners[*blame] >= f->at->vertex_count)
            return KILN_FACE_INDEX_RANGE;
    for (*blame = 0; *blame < count; ++*blame) {
        const float *position = position_of(f, corners[*blame]);
        double to[3];

        if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]))
            return KILN_FACE_NOT_FINITE;
        moved(f, corners[*blame], to);
        for (int i = 0; i < 3; i++)
            if (!isfinite((float)to[i]))
                return KILN_FACE_NOT_FINITE;
    }
    return 0;
}

static bool add_note(flat *f, uint32_t part, uint32_t face, uint32_t reason)
{
    void *notes = f->soup->notes;
    bool room =
        grow(f, &notes, &f->note_capacity, f->soup->note_count + 1u, sizeof(kiln_soup_note));

    f->soup->notes = notes;
    if (room)
        f->soup->notes[f->soup->note_count++] = (kiln_soup_note){part, face, reason};
    return room;
}

static bool refuse_face(flat *f, uint32_t reason, uint32_t face, size_t corner, uint32_t index)
{
    const kiln_soup_part *part = &f->soup->parts[f->soup->part_count - 1];
    const char *path = kiln_names_at(&f->names, part->node_path);
    const char *mesh = kiln_names_at(&f->names, part->mesh_name);
    char what[128];

    if (reason == KILN_FACE_NOT_FINITE)
        snprintf(what, sizeof what, "corner %zu is not finite or too large for a 32-bit float",
                 corner);
    else if (index == KILN_SCENE_NONE)
        snprintf(what, sizeof what, "corner %zu refers to a vertex that can't exist", corner);
    else
        snprintf(what, sizeof what, "corner %zu refers to vertex %lu, where there are %llu", corner,
                 (unsigned long)index, (unsigned long long)f->at->vertex_count);
    return FAIL(
        f, KILN_BAKE_INVALID,
        "node \"%.200s\", mesh \"%.100s\", face %lu: %s; repair the model, or let bad faces be "
        "dropped (--on-bad drop)",
        path, mesh, (unsigned long)face, what);
}

/* Rounds once; no -0; what rounding loses is noted. */
static bool weld_corner(flat *f, uint32_t corner, uint32_t *vertex)
{
    double exact[3];
    float rounded[3];

    moved(f, corner, exact);
    for (int i = 0; i < 3; i++) {
        double loss;

        rounded[i] = (float)exact[i] + 0.0f;
        loss = fabs(exact[i] - (double)rounded[i]);
        f->loss = loss > f->loss ? loss : f->loss;
        f->magnitude = fabs(exact[i]) > f->magnitude ? fabs(exact[i]) : f->magnitude;
    }
    return kiln_weld_vertex(&f->weld, rounded, vertex) || no_memory(f);
}

/* A source that Assimp has read as text was rounded before we saw it. Whole numbers have most
 * likely come through as they were; of others nothing is known but the step of floats of their
 * size. */
static void guess_loss(flat *f, uint32_t corner)
{
    const float *position = position_of(f, corner);

    for (int i = 0; i < 3; i++) {
        double value = (double)position[i], loss;

        if (value == floor(value))
            continue;
        loss = 0.5 * kiln_float_step(value) * kiln_place_growth(&f->place);
        f->loss = loss > f->loss ? loss : f->loss;
    }
}

static bool make_triangle_room(flat *f)
{
    size_t capacity = f->triangle_capacity, needed = f->soup->triangle_count + 1u;
    size_t face_capacity = capacity, user_capacity = capacity;
    void *indices = f->soup->indices, *face = f->soup->face, *user = f->soup->user;
    bool room;

    if (needed <= capacity)
        return true;
    room = grow(f, &indices, &capacity, needed, 3 * sizeof(uint32_t)) &&
           grow(f, &face, &face_capacity, needed, sizeof(uint32_t)) &&
           grow(f, &user, &user_capacity, needed, sizeof(uint32_t));
    f->soup->indices = indices;
    f->soup->face = face;
    f->soup->user = user;
    if (room)
        f->triangle_capacity = capacity;
    return room;
}

static bool add_triangle(flat *f, const uint32_t corners[3], uint32_t face, uint32_t user)
{
    uint32_t *indices, number = f->soup->triangle_count;

    if (!make_triangle_room(f))
        return false;
    indices = f->soup->indices + 3 * (size_t)number;
    for (int i = 0; i < 3; i++) {
        if (!weld_corner(f, corners[i], &indices[i]))
            return false;
        if (!f->facts.exact)
            guess_loss(f, corners[i]);
    }
    if (f->mirrored) {
        uint32_t second = indices[1];

        indices[1] = indices[2];
        indices[2] = second;
    }
    f->soup->face[number] = face;
    f->soup->user[number] = user;
    f->soup->triangle_count++;
    return number < f->next_look || (f->next_look += TRIANGLES_A_LOOK, go_on(f));
}

static bool cut_polygon(flat *f, const uint32_t *corners, size_t count)
{
    const float(*positions)[3] = f->scene->arrays[KILN_ARRAY_POSITIONS].items;
    void *cut = f->cut;
    bool room = grow(f, &cut, &f->cut_capacity, count - 2, 3 * sizeof(uint32_t));

    f->cut = cut;
    if (!room)
        return false;
    switch (kiln_polygon_cut(&f->polygon, positions[f->at->vertex], corners, count, f->cut)) {
    case KILN_POLYGON_NO_MEMORY:
        return no_memory(f);
    case KILN_POLYGON_OVER_TIME:
        return FAIL(f, KILN_BAKE_FAILED,
                    "import takes longer than %g s: a face has %zu corners; cut it, or raise that "
                    "limit",
                    f->task->options->import_seconds, count);
    default:
        return true;
    }
}

static bool add_face(flat *f, const uint32_t *corners, size_t count, uint32_t face, uint32_t user)
{
    static const uint32_t whole[3] = {0, 1, 2};
    const uint32_t *cut = whole;
    size_t blame;
    uint32_t error = error_of(f, corners, count, &blame);

    f->soup->faces_read++;
    if (error != 0 && f->task->options->on_bad == KILN_ON_BAD_ERROR)
        return refuse_face(f, error, face, blame, corners[blame]);
    if (error != 0)
        return add_note(f, f->soup->part_count - 1, face, error);
    if (count > 3) {
        if (!cut_polygon(f, corners, count))
            return false;
        cut = f->cut;
        f->soup->polygons_cut++;
    }
    for (size_t i = 0; i < count - 2; i++) {
        uint32_t triangle[3] = {corners[cut[3 * i]], corners[cut[3 * i + 1]],
                                corners[cut[3 * i + 2]]};

        if (!add_triangle(f, triangle, face, user))
            return false;
    }
    return true;
}

/* -- parts -- */

/* Loss matters from a hundredth of the typical edge on. And where floats step by more than a
 * hundredth of the part, nothing can be placed against it as authored, even if it has lost nothing
 * itself. */
static void judge_loss(flat *f, const kiln_soup_part *part)
{
    const uint32_t *indices = f->soup->indices + 3 * (size_t)part->triangle_first;
    double edge = kiln_typical_edge(f->weld.positions, indices, part->triangle_count);
    double extent = kiln_extent(f->weld.positions, indices, part->triangle_count);
    double step = kiln_float_step(f->magnitude);
    double loss = f->loss > edge / 100 ? f->loss : 0;

    if (extent > 0 && step > extent / 100)
        loss = fmax(loss, step / 2);
    if (loss == 0)
        return;
    f->coarse_parts++;
    if (loss <= f->worst_loss)
        return;
    f->worst_loss = loss;
    f->worst_extent = extent;
    f->worst_magnitude = f->magnitude;
    f->worst_part = f->soup->part_count - 1;
}

static bool start_part(flat *f, size_t node, uint32_t mesh)
{
    void *parts = f->soup->parts;
    bool room =
        grow(f, &parts, &f->part_capacity, f->soup->part_count + 1u, sizeof(kiln_soup_part));
    kiln_soup_part *part, *before;

    f->soup->parts = parts;
    if (!room)
        return false;
    part = &f->soup->parts[f->soup->part_count++];
    before = f->soup->part_count > 1 && f->node_of_last_part == node ? part - 1 : NULL;
    *part = (kiln_soup_part){
        .triangle_first = f->soup->triangle_count, .mesh = mesh, .primitive = f->mesh->primitive};
    part->node_path =
        before != NULL ? before->node_path
                       : kiln_names_add(&f->names, kiln_names_at(&f->paths, f->node_paths[node]));
    part->mesh_name = kiln_names_add(&f->names, kiln_scene_string(f->scene, f->mesh->name));
    f->node_of_last_part = node;
    f->loss = f->magnitude = 0;
    return true;
}

static bool add_part(flat *f, size_t node, uint32_t mesh)
{
    const kiln_scene_array *arrays = f->scene->arrays;
    const uint32_t *sizes = arrays[KILN_ARRAY_SIZES].items;
    const uint32_t *records = arrays[KILN_ARRAY_RECORDS].items;
    const uint32_t *users = arrays[KILN_ARRAY_USERS].items;
    const uint32_t *corners = arrays[KILN_ARRAY_CORNERS].items;
    uint64_t corner;
    kiln_soup_part *part;

    f->mesh = &meshes_of(f->scene)[mesh];
    f->at = &f->ranges[mesh];
    if (f->mesh->face_count == 0)
        return true;
    if (!start_part(f, node, mesh))
        return false;
    corner = f->at->corner;
    for (uint64_t i = f->at->face; i < f->at->face + f->mesh->face_count; i++) {
        if (!add_face(f, corners + corner, sizes[i], records[i], users[i]))
            return false;
        corner += sizes[i];
    }
    part = &f->soup->parts[f->soup->part_count - 1];
    part->triangle_count = f->soup->triangle_count - part->triangle_first;
    if (part->triangle_count > 0)
        judge_loss(f, part);
    return true;
}

static bool add_node(flat *f, size_t node, const uint32_t *places)
{
    const kiln_scene_node *n = &nodes_of(f->scene)[node];

    f->place = f->places[node];
    f->mirrored = kiln_place_mirrors(&f->place);
    if (n->place_count > 0 && !kiln_place_is_finite(&f->place))
        return FAIL(f, KILN_BAKE_INVALID,
                    "node \"%.400s\": its transform is not finite; repair the model",
                    kiln_names_at(&f->paths, f->node_paths[node]));
    for (uint32_t i = 0; i < n->place_count; i++)
        if (!add_part(f, node, places[i]))
            return false;
    return true;
}

static bool add_nodes(flat *f)
{
    const uint32_t *places = f->scene->arrays[KILN_ARRAY_PLACES].items;

    for (size_t i = 0; i < node_count_of(f->scene); i++) {
        uint32_t count = nodes_of(f->scene)[i].place_count;

        if (!add_node(f, i, places))
            return false;
        if (count > 0) /* without any, places is NULL, to which nothing may be added */
            places += count;
    }
    return true;
}

/* -- degenerate triangles and doubles -- */

static bool is_degenerate(const flat *f, uint32_t triangle)
{
    const float(*positions)[3] = f->weld.positions;
    const uint32_t *corners = f->soup->indices + 3 * (size_t)triangle;

    return kiln_no_area(positions[corners[0]], positions[corners[1]], positions[corners[2]]);
}

/* The reason to drop a triangle, or 0; counts those that are kept. */
static uint32_t reason_to_drop(flat *f, kiln_triangle_set *set, uint32_t triangle)
{
    unsigned drop = f->task->options->drop;
    bool degenerate = is_degenerate(f, triangle);

    if (degenerate && (drop & KILN_DROP_DEGENERATE) != 0)
        return KILN_FACE_DEGENERATE;
    if (kiln_triangle_set_has(set, triangle)) {
        if ((drop & KILN_DROP_DUPLICATE) != 0)
            return KILN_FACE_DUPLICATE;
        f->soup->duplicate_count++;
    }
    f->soup->degenerate_count += degenerate;
    return 0;
}

/* Moves the triangles that stay together. The set refers to those that stay and that have moved:
 * only forward, so a slot never changes once looked at. */
static bool sift_part(flat *f, kiln_triangle_set *set, uint32_t part_number, uint32_t *kept)
{
    kiln_soup *soup = f->soup;
    kiln_soup_part *part = &soup->parts[part_number];
    uint32_t first = part->triangle_first, end = first + part->triangle_count;

    part->triangle_first = *kept;
    for (uint32_t i = first; i < end; i++) {
        uint32_t reason;

        if (i % TRIANGLES_A_LOOK == 0 && !go_on(f))
            return false;

        memmove(soup->indices + 3 * (size_t)*kept, soup->indices + 3 * (size_t)i,
                3 * sizeof(uint32_t));
        soup->face[*kept] = soup->face[i];
        soup->user[*kept] = soup->user[i];
        reason = reason_to_drop(f, set, *kept);
        if (reason == 0)
            ++*kept;
        else if (!add_note(f, part_number, soup->face[*kept], reason))
            return false;
    }
    part->triangle_count = *kept - part->triangle_first;
    return true;
}

static bool sift(flat *f)
{
    kiln_triangle_set set = {0};
    uint32_t kept = 0;
    bool good =
        has_room(f, kiln_triangle_set_bytes(f->soup->triangle_count)) &&
        (kiln_triangle_set_start(&set, f->soup->indices, f->soup->triangle_count) || no_memory(f));

    for (uint32_t i = 0; good && i < f->soup->part_count; i++)
        good = sift_part(f, &set, i, &kept);
    kiln_triangle_set_free(&set);
    f->soup->triangle_count = kept;
    return good;
}

/* Vertices in the order of their first use; those that only dropped triangles had are gone. */
static bool take_vertices(flat *f)
{
    const float(*positions)[3] = f->weld.positions;
    kiln_weld used = {0};
    size_t corners = 3 * (size_t)f->soup->triangle_count;

    if (f->soup->note_count > 0) {
        for (size_t i = 0; i < corners; i++) {
            uint32_t *corner = &f->soup->indices[i];

            if (!kiln_weld_vertex(&used, positions[*corner], corner)) {
                kiln_weld_free(&used);
                return no_memory(f);
            }
        }
        kiln_weld_free(&f->weld);
        f->weld = used;
    }
    f->soup->vertex_count = (uint32_t)f->weld.count;
    f->soup->positions = f->weld.positions;
    f->weld.positions = NULL;
    return true;
}

/* -- the report -- */

static bool tell_of_loss(flat *f)
{
    const kiln_soup_part *part = &f->soup->parts[f->worst_part];
    char others[64] = "", text[1024];

    if (f->coarse_parts == 0)
        return true;
    if (f->coarse_parts > 1)
        snprintf(others, sizeof others, " (and %lu parts more)",
                 (unsigned long)f->coarse_parts - 1);
    snprintf(
        text, sizeof text,
        "node \"%.300s\"%s: coordinates as large as %.9g lose up to %.3g in 32-bit floats, which "
        "step by %.3g there, in a part %.3g wide; move the model nearer to its origin",
        kiln_names_at(&f->names, part->node_path), others, f->worst_magnitude, f->worst_loss,
        kiln_float_step(f->worst_magnitude), f->worst_extent);
    f->soup->precision_step = f->worst_loss;
    return add_warning(f, text);
}

static bool tell_of_lost_faces(flat *f)
{
    if (f->facts.bad_faces_lost == 0)
        return true;
    if (f->task->options->on_bad == KILN_ON_BAD_ERROR)
        return FAIL(f, KILN_BAKE_INVALID,
                    "faces with indices out of range, which the importer does not name; repair the "
                    "model, or let bad faces be dropped (--on-bad drop)");
    return add_warning(f,
                       "the importer dropped faces with indices out of range without naming them");
}

static bool copy_strings(flat *f, kiln_names *names, kiln_array from, uint32_t **to,
                         uint32_t *count)
{
    const kiln_scene_array *array = &f->scene->arrays[from];

    *to = malloc((array->count + 1) * sizeof **to);
    if (*to == NULL)
        return no_memory(f);
    for (size_t i = 0; i < array->count; i++)
        (*to)[i] =
            kiln_names_add(names, kiln_scene_string(f->scene, ((const uint32_t *)array->items)[i]));
    *count = (uint32_t)array->count;
    return true;
}

static bool copy_facts(flat *f)
{
    kiln_soup *soup = f->soup;
    bool good =
        copy_strings(f, &f->says, KILN_ARRAY_WARNINGS, &soup->warnings, &soup->warning_count);

    f->warning_capacity = soup->warning_count;
    soup->points_left_out = f->facts.points;
    soup->lines_left_out = f->facts.lines;
    soup->unit = f->facts.unit;
    soup->up_axis = f->facts.up_declared;
    soup->empty_mesh_count = f->facts.empty_meshes;
    return good && copy_strings(f, &f->names, KILN_ARRAY_MATERIALS, &soup->materials,
                                &soup->material_count);
}

static bool must_have_faces(flat *f, const char *which)
{
    return f->soup->triangle_count > 0 ||
           FAIL(f, KILN_BAKE_INVALID,
                "%s (%llu points and %llu lines left out, %lu faces dropped); give a model with "
                "faces",
                which, (unsigned long long)f->facts.points, (unsigned long long)f->facts.lines,
                (unsigned long)f->soup->note_count);
}

static bool no_warning_if_strict(flat *f)
{
    if (!f->task->options->strict || f->soup->warning_count == 0)
        return true;
    return FAIL(f, KILN_BAKE_INVALID, "%.500s (%lu warning%s; under --strict none is let pass)",
                kiln_names_at(&f->says, f->soup->warnings[0]),
                (unsigned long)f->soup->warning_count, f->soup->warning_count == 1 ? "" : "s");
}

/* The names of the soup, then what the report says. */
static bool take_strings(flat *f)
{
    kiln_soup *soup = f->soup;
    char *strings = NULL;

    if (!f->names.failed && !f->says.failed)
        strings = realloc(f->names.text, f->names.size + f->says.size);
    if (strings == NULL)
        return FAIL(f, KILN_BAKE_FAILED, "names take more than 256 MiB; shorten or merge them");
    memcpy(strings + f->names.size, f->says.text, f->says.size);
    soup->strings = strings;
    soup->names_size = f->names.size;
    soup->strings_size = f->names.size + f->says.size;
    for (uint32_t i = 0; i < soup->warning_count; i++)
        soup->warnings[i] += (uint32_t)f->names.size;
    f->names.text = NULL;
    return true;
}

static bool run(flat *f)
{
    const kiln_bake_options *options = f->task->options;

    memcpy(&f->facts, f->scene->arrays[KILN_ARRAY_FACTS].items, sizeof f->facts);
    f->options = kiln_place_of_options(options->scale * f->facts.unit_factor, f->facts.up_now,
                                       options->up >= 0 ? options->up : f->facts.up_now);
    return copy_facts(f) && tell_of_lost_faces(f) && find_ranges(f) && count_triangles(f) &&
           walk_nodes(f) && add_nodes(f) && must_have_faces(f, "no face") && sift(f) &&
           must_have_faces(f, "no face is left") && tell_of_loss(f) && take_vertices(f) &&
           no_warning_if_strict(f) && take_strings(f);
}

kiln_bake_status kiln_flatten(const kiln_scene *scene, const kiln_flatten_task *task,
                              kiln_soup *soup)
{
    flat f = {.scene = scene, .task = task, .soup = soup, .polygon.deadline = task->deadline};

    kiln_names_append(&f.names, "");
    kiln_names_append(&f.says, "");
    run(&f);
    free(f.names.text);
    free(f.says.text);
    free(f.ranges);
    free(f.places);
    free(f.node_paths);
    free(f.paths.text);
    free(f.cut);
    kiln_weld_free(&f.weld);
    kiln_polygon_work_free(&f.polygon);
    return f.status;
}
