/* From a scene to a soup of triangles.
 *
 * A scene is what a reader saw: meshes of polygons with indices of their own, shown any number of
 * times by nodes, each with a transform to its parent. A soup is what the builders take: triangles
 * over one list of vertices, sorted by part, a part being one mesh in one place. The pass is
 *
 *   ranges of the meshes -> paths and transforms of the nodes -> parts, face by face, triangle by
 *   triangle -> degenerate and duplicate triangles -> vertices, warnings and strings of the soup.
 *
 * Of a set of points, and of any model whose vertices are wanted instead of its faces, each vertex
 * is a triangle whose three corners it is: all that follows, and every query, then knows points.
 *
 * What can be wrong with a file is found here and nowhere later: indices out of range, coordinates
 * that are not finite, before and after their transform. Transforms are applied in double, and the
 * result is rounded to float once; what is lost by that is measured for each part (grid.c). Tables
 * grow with what is really there, and the clock and the memory limits are compared every
 * TRIANGLES_A_LOOK triangles, so a small file that means a billion triangles ends in time. */
#define _POSIX_C_SOURCE 200809L
#include "flatten.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "../common/clock.h"
#include "../common/memory.h"
#include "../common/text.h"
#include "../common/soup.h"
#include "affine.h"
#include "grid.h"
#include "names.h"
#include "polygon.h"
#include "weld.h"

#define MOST_TRIANGLES 0x7FFFFFFFu
#define FLAT_WITHIN 0.01 /* of its size, a polygon is taken for one in a plane */

enum {
    BYTES_A_TRIANGLE = 32,     /* of a soup and its tables, a cautious mean */
    TRIANGLES_A_LOOK = 1 << 14 /* between two comparisons of clock and memory with their limits */
};

/* What a mesh has of the scene's arrays. */
typedef struct {
    uint64_t face, corner, vertex; /* the first of each */
    uint64_t vertex_count, triangles;
} range;

typedef struct {
    const kiln_scene *scene;
    const kiln_flatten_task *task;
    kiln_soup *soup;
    kiln_bake_status status;
    bool shared_taken; /* points: the vertices that several meshes share have been added */
    kiln_scene_facts facts;
    range *ranges;       /* of each mesh */
    kiln_affine *places; /* of each node */
    kiln_affine options; /* the scale and rotation that come after all nodes */
    uint64_t triangles_expected, next_look;
    kiln_names names, paths, messages; /* of the soup, of all nodes, of the report */
    uint32_t *node_paths;              /* of each node, in paths */
    size_t node_of_last_part;
    kiln_weld weld;
    kiln_polygon_work polygon;
    uint32_t *cut; /* triangles of the polygon that is being cut */
    size_t cut_capacity;
    size_t triangle_capacity; /* of indices, face and user alike */
    size_t part_capacity, note_capacity, warning_capacity;
    /* The part that is being made. */
    const kiln_scene_mesh *mesh;
    const range *at;
    kiln_affine place;
    bool mirrored;
    double loss, magnitude;
    /* The worst loss among the parts in which it matters. */
    double worst_loss, worst_extent, worst_magnitude;
    uint32_t worst_part, coarse_parts;
    uint64_t crossing_faces;               /* whose triangles cover another area than they do */
    uint32_t crossing_part, crossing_face; /* of the first of these */
} flat;

/* -- errors, warnings, limits -- */

#define FAIL(f, code, ...)                                                                         \
    (kiln_bake_report_error((f)->task->report, (f)->task->path, __VA_ARGS__),                      \
     (f)->status = (code), false)

/* Memory that can't be had; the limits have their own message. */
static bool no_memory(flat *f)
{
    return FAIL(f, KILN_BAKE_FAILED, "out of memory; split the model");
}

/* kiln_grow, with the error. */
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
        f->soup->warnings[f->soup->warning_count++] = kiln_names_add(&f->messages, text);
    return room;
}

/* Whether a table of so many bytes fits the limit. Asked before a table is made that is written all
 * over at once: it would be resident before the next regular look. */
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

/* Whether limits of memory and time are kept and the caller wants to go on; reports the progress.
 */
static bool go_on(flat *f)
{
    const kiln_bake_options *options = f->task->options;
    double done = f->triangles_expected > 0
                      ? (double)f->soup->triangle_count / (double)f->triangles_expected
                      : 1;

    KILN_ASSERT(f->soup->triangle_count <= MOST_TRIANGLES);
    if (!has_room(f, kiln_weld_growth(&f->weld, 3 * TRIANGLES_A_LOOK)))
        return false;
    if (f->task->deadline != 0 && kiln_seconds() > f->task->deadline)
        return FAIL(f, KILN_BAKE_FAILED,
                    "import takes longer than %g s; simplify the model or raise that limit "
                    "(--import-seconds)",
                    options->import_seconds);
    if (options->progress != NULL &&
        !options->progress(options->progress_user, "import", 0.5 + 0.5 * fmin(done, 1)))
        return FAIL(f, KILN_BAKE_FAILED, "cancelled; nothing written");
    return true;
}

/* -- nodes and meshes -- */

/* The scene's arrays by their types. */
static const kiln_scene_node *nodes_of(const kiln_scene *scene)
{
    return scene->arrays[KILN_ARRAY_NODES].items;
}

static const kiln_scene_mesh *meshes_of(const kiln_scene *scene)
{
    return scene->arrays[KILN_ARRAY_MESHES].items;
}

/* Paths and transforms of all nodes that show a mesh or lead to one that does. Nodes stand
 * depth-first, so one pass backwards finds which lead to a mesh, and one forwards has each parent
 * before its children. */
static bool walk_nodes(flat *f)
{
    const kiln_scene_node *nodes = nodes_of(f->scene);
    size_t count = f->scene->arrays[KILN_ARRAY_NODES].count;
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
        const uint32_t parent = nodes[i].parent;
        const bool root = parent == KILN_SCENE_NONE;
        const char *name = kiln_scene_string(f->scene, nodes[i].name);
        const kiln_affine own = kiln_affine_of_node(&nodes[i]);

        KILN_ASSERT(root || parent < i);
        f->places[i] =
            kiln_affine_join(root || nodes[i].absolute ? &f->options : &f->places[parent], &own);
        if (!leads[i])
            continue;
        /* A node's path is its parent's and its name. The nodes that Assimp makes of the steps of
         * an FBX transform are not the model's. */
        f->node_paths[i] = root ? 0 : f->node_paths[parent];
        if (strstr(name, "_$AssimpFbx$_") == NULL)
            f->node_paths[i] = kiln_names_join(&f->paths, f->node_paths[i], name);
    }
    free(leads);
    return !f->paths.failed ||
           FAIL(f, KILN_BAKE_FAILED, "paths of nodes take more than 256 MiB; flatten the scene");
}

/* The ranges of all meshes, and with them how many triangles the places need, before any is made.
 */
static bool find_ranges(flat *f)
{
    const kiln_scene_array *arrays = f->scene->arrays;
    const kiln_scene_mesh *meshes = meshes_of(f->scene);
    const uint32_t *sizes = arrays[KILN_ARRAY_SIZES].items;
    const uint32_t *places = arrays[KILN_ARRAY_PLACES].items;
    const uint64_t import = f->task->options->import_memory, all = f->task->options->max_memory;
    const uint64_t memory = import == 0 || (all != 0 && all < import) ? all : import;
    uint64_t most = MOST_TRIANGLES;
    range at = {0};
    char limit[KILN_MESSAGE_BYTES_SIZE];

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
            KILN_ASSERT(sizes[at.face + j] >= 3);
            at.corner += sizes[at.face + j];
            r->triangles += sizes[at.face + j] - 2;
        }
        r->triangles = f->soup->points ? r->vertex_count : r->triangles;
        at.face += meshes[i].face_count;
        at.vertex += meshes[i].vertex_count;
    }
    KILN_ASSERT(at.face == arrays[KILN_ARRAY_SIZES].count);
    KILN_ASSERT(at.corner == arrays[KILN_ARRAY_CORNERS].count);

    /* Instances multiply: a mesh of a few bytes may be shown a million times. */
    if (memory != 0 && memory / BYTES_A_TRIANGLE < most)
        most = memory / BYTES_A_TRIANGLE;
    for (size_t i = 0; i < arrays[KILN_ARRAY_PLACES].count; i++) {
        KILN_ASSERT(places[i] < arrays[KILN_ARRAY_MESHES].count);
        f->triangles_expected += f->ranges[places[i]].triangles;
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

/* A corner of the mesh as the reader has it. */
static const float *position_of(const flat *f, uint32_t corner)
{
    const float(*positions)[3] = f->scene->arrays[KILN_ARRAY_POSITIONS].items;

    KILN_ASSERT(f->at->vertex + corner < f->scene->arrays[KILN_ARRAY_POSITIONS].count);
    return positions[f->at->vertex + corner];
}

/* The place of a corner in the soup, in double: the reader's float and what it lacks, transformed.
 */
static void transformed(const flat *f, uint32_t corner, double to[3])
{
    const kiln_scene_array *residuals = &f->scene->arrays[KILN_ARRAY_RESIDUALS];
    const float *position = position_of(f, corner);
    double from[3];

    for (int i = 0; i < 3; i++) {
        from[i] = (double)position[i];
        if (residuals->count > 0)
            from[i] += (double)((const float(*)[3])residuals->items)[f->at->vertex + corner][i];
    }
    for (int i = 0; i < 3; i++)
        to[i] = f->place.m[i][0] * from[0] + f->place.m[i][1] * from[1] +
                f->place.m[i][2] * from[2] + f->place.m[i][3];
}

/* 0, or the reason why the face can't be used, and which of its corners is to blame. */
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
        transformed(f, corners[*blame], to);
        for (int i = 0; i < 3; i++)
            if (!isfinite((float)to[i]))
                return KILN_FACE_NOT_FINITE;
    }
    return 0;
}

/* Notes a face that is left out, with the reason. */
static bool add_note(flat *f, uint32_t part, uint32_t face, uint32_t reason)
{
    void *notes = f->soup->notes;
    bool room =
        grow(f, &notes, &f->note_capacity, f->soup->note_count + 1u, sizeof(kiln_soup_note));

    KILN_ASSERT(part < f->soup->part_count);
    f->soup->notes = notes;
    if (room)
        f->soup->notes[f->soup->note_count++] = (kiln_soup_note){part, face, reason};
    return room;
}

/* Adds a triangle to the soup: welds its corners, and measures what their one rounding to float
 * loses. */
static bool add_triangle(flat *f, const uint32_t corners[3], uint32_t face, uint32_t user)
{
    const uint32_t number = f->soup->triangle_count;
    uint32_t *indices;

    /* Three arrays grow together; their capacity counts when all have grown. */
    if (number + 1u > f->triangle_capacity) {
        size_t capacity = f->triangle_capacity, needed = number + 1u;
        size_t face_capacity = capacity, user_capacity = capacity;
        void *all = f->soup->indices, *faces = f->soup->face, *users = f->soup->user;
        bool room = grow(f, &all, &capacity, needed, 3 * sizeof(uint32_t)) &&
                    grow(f, &faces, &face_capacity, needed, sizeof(uint32_t)) &&
                    grow(f, &users, &user_capacity, needed, sizeof(uint32_t));

        f->soup->indices = all;
        f->soup->face = faces;
        f->soup->user = users;
        if (!room)
            return false;
        f->triangle_capacity = capacity;
    }
    KILN_ASSERT(number < f->triangle_capacity && number < MOST_TRIANGLES);
    indices = f->soup->indices + 3 * (size_t)number;
    for (int i = 0; i < 3; i++) {
        const float *source = position_of(f, corners[i]);
        double exact[3];
        float rounded[3];

        /* The one rounding; + 0 makes 0 of -0, so that equal positions have equal bytes. */
        transformed(f, corners[i], exact);
        for (int j = 0; j < 3; j++) {
            double loss;

            rounded[j] = (float)exact[j] + 0.0f;
            loss = fabs(exact[j] - (double)rounded[j]);
            f->loss = loss > f->loss ? loss : f->loss;
            f->magnitude = fabs(exact[j]) > f->magnitude ? fabs(exact[j]) : f->magnitude;
        }
        if (!kiln_weld_vertex(&f->weld, rounded, &indices[i]))
            return no_memory(f);
        /* A source that Assimp has read as text was rounded before we saw it. Whole numbers have
         * most likely come through as they were; of others nothing is known but the step of floats
         * of their size. */
        for (int j = 0; j < 3 && !f->facts.exact; j++) {
            const double value = (double)source[j];
            double loss;

            if (value == floor(value))
                continue;
            loss = 0.5 * kiln_float_step(value) * kiln_affine_growth(&f->place);
            f->loss = loss > f->loss ? loss : f->loss;
        }
    }
    /* A mirror would show the inside of faces: two corners change places. */
    if (f->mirrored) {
        uint32_t second = indices[1];

        indices[1] = indices[2];
        indices[2] = second;
    }
    /* Where the triangle comes from, for reports and for the user's own tables. */
    f->soup->face[number] = face;
    f->soup->user[number] = user;
    f->soup->triangle_count++;
    return number < f->next_look || (f->next_look += TRIANGLES_A_LOOK, go_on(f));
}

/* Do the corners lie in a plane, within a hundredth of the polygon's size? Of a skewed one the
 * outline may cross itself as seen from somewhere, and yet nowhere in space: there is no right way
 * to cut it, and none is wrong. One without a normal has no area to either side, as a bow-tie. */
static bool is_flat(const float *positions, const uint32_t *corners, size_t count)
{
    const float *origin = positions + 3 * (size_t)corners[0];
    double normal[3] = {0, 0, 0}, size = 0, off = 0;

    KILN_ASSERT(count >= 3);
    for (size_t i = 0; i < count; i++) {
        const float *a = positions + 3 * (size_t)corners[i];
        const float *b = positions + 3 * (size_t)corners[i + 1 < count ? i + 1 : 0];

        for (int j = 0; j < 3; j++) {
            const int k = (j + 1) % 3, l = (j + 2) % 3;

            normal[j] += ((double)a[k] - (double)origin[k]) * ((double)b[l] - (double)origin[l]) -
                         ((double)a[l] - (double)origin[l]) * ((double)b[k] - (double)origin[k]);
            size = fmax(size, fabs((double)a[j] - (double)origin[j]));
        }
    }
    const double length =
        sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (size_t i = 0; i < count; i++) {
        const float *a = positions + 3 * (size_t)corners[i];
        const double above = ((double)a[0] - (double)origin[0]) * normal[0] +
                             ((double)a[1] - (double)origin[1]) * normal[1] +
                             ((double)a[2] - (double)origin[2]) * normal[2];

        off = fmax(off, fabs(above));
    }
    return !(off > FLAT_WITHIN * size * length);
}

/* A point that is not finite, by its line where the reader knows that. */
static bool refuse_point(flat *f, const char *path, const char *mesh, uint32_t point)
{
    char line[48] = "";

    if (f->facts.bad_line > 0)
        snprintf(line, sizeof line, " (line %llu)", (unsigned long long)f->facts.bad_line);
    return FAIL(
        f, KILN_BAKE_INVALID,
        "node \"%.200s\", mesh \"%.100s\", point %lu%s: it is not finite or too large for a "
        "32-bit float; repair the model, or let bad points be dropped (--on-bad drop)",
        path, mesh, (unsigned long)point, line);
}

/* Adds a face, cut into triangles; refuses or drops it, as the options say, if it can't be used. */
static bool add_face(flat *f, const uint32_t *corners, size_t count, uint32_t face, uint32_t user)
{
    static const uint32_t whole[3] = {0, 1, 2};
    const float(*positions)[3] = f->scene->arrays[KILN_ARRAY_POSITIONS].items;
    const uint32_t *cut = whole;
    size_t blame;
    uint32_t error = error_of(f, corners, count, &blame);

    KILN_ASSERT(count >= 3 && f->soup->part_count > 0);
    f->soup->faces_read++;
    if (error != 0 && f->task->options->on_bad == KILN_ON_BAD_ERROR) {
        const kiln_soup_part *part = &f->soup->parts[f->soup->part_count - 1];
        const char *path = kiln_names_at(&f->names, part->node_path);
        const char *mesh = kiln_names_at(&f->names, part->mesh_name);
        char what[128];

        if (f->soup->points)
            return refuse_point(f, path, mesh, face);
        if (error == KILN_FACE_NOT_FINITE)
            snprintf(what, sizeof what, "corner %zu is not finite or too large for a 32-bit float",
                     blame);
        else if (corners[blame] == KILN_SCENE_NONE)
            snprintf(what, sizeof what, "corner %zu refers to a vertex that can't exist", blame);
        else
            snprintf(what, sizeof what, "corner %zu refers to vertex %lu, where there are %llu",
                     blame, (unsigned long)corners[blame], (unsigned long long)f->at->vertex_count);
        return FAIL(
            f, KILN_BAKE_INVALID,
            "node \"%.200s\", mesh \"%.100s\", face %lu: %s; repair the model, or let bad faces be "
            "dropped (--on-bad drop)",
            path, mesh, (unsigned long)face, what);
    }
    if (error != 0)
        return add_note(f, f->soup->part_count - 1, face, error);
    if (count > 3) {
        void *items = f->cut;
        bool room = grow(f, &items, &f->cut_capacity, count - 2, 3 * sizeof(uint32_t));

        f->cut = items;
        if (!room)
            return false;
        switch (kiln_polygon_cut(&f->polygon, positions[f->at->vertex], corners, count, f->cut)) {
        case KILN_POLYGON_OK:
            break;
        case KILN_POLYGON_CROSSES:
            if (is_flat(positions[f->at->vertex], corners, count) && f->crossing_faces++ == 0) {
                f->crossing_part = f->soup->part_count - 1;
                f->crossing_face = face;
            }
            break;
        case KILN_POLYGON_NO_MEMORY:
            return no_memory(f);
        case KILN_POLYGON_OVER_TIME:
            return FAIL(
                f, KILN_BAKE_FAILED,
                "import takes longer than %g s: a face has %zu corners; cut it, or raise that "
                "limit",
                f->task->options->import_seconds, count);
        }
        cut = f->cut;
        f->soup->polygons_cut++;
    }
    /* All triangles of a face have its number and material. */
    for (size_t i = 0; i < count - 2; i++) {
        uint32_t triangle[3];

        for (size_t j = 0; j < 3; j++) {
            KILN_ASSERT(cut[3 * i + j] < count);
            triangle[j] = corners[cut[3 * i + j]];
        }
        if (!add_triangle(f, triangle, face, user))
            return false;
    }
    return true;
}

/* -- parts -- */

/* Adds a mesh in the place of a node, with all its faces. */
static bool add_part(flat *f, size_t node, uint32_t mesh)
{
    const kiln_scene_array *arrays = f->scene->arrays;
    const uint32_t *sizes = arrays[KILN_ARRAY_SIZES].items;
    const uint32_t *records = arrays[KILN_ARRAY_RECORDS].items;
    const uint32_t *users = arrays[KILN_ARRAY_USERS].items;
    const uint32_t *corners = arrays[KILN_ARRAY_CORNERS].items;
    void *parts = f->soup->parts;
    double edge, extent, step, loss;
    const uint32_t *indices;
    uint64_t corner;
    kiln_soup_part *part;

    KILN_ASSERT(node < arrays[KILN_ARRAY_NODES].count && mesh < arrays[KILN_ARRAY_MESHES].count);
    f->mesh = &meshes_of(f->scene)[mesh];
    f->at = &f->ranges[mesh];
    if (f->soup->points ? f->at->vertex_count == 0 || (f->mesh->shared && f->shared_taken)
                        : f->mesh->face_count == 0)
        return true;
    f->shared_taken = f->shared_taken || f->mesh->shared;
    if (!grow(f, &parts, &f->part_capacity, f->soup->part_count + 1u, sizeof(kiln_soup_part))) {
        f->soup->parts = parts;
        return false;
    }
    f->soup->parts = parts;
    part = &f->soup->parts[f->soup->part_count++];
    *part = (kiln_soup_part){.triangle_first = f->soup->triangle_count,
                             .mesh = f->mesh->pose_of != 0 ? f->mesh->pose_of - 1 : mesh,
                             .primitive = f->mesh->primitive};
    /* Parts of one node share the string of its path. */
    part->node_path =
        f->soup->part_count > 1 && f->node_of_last_part == node
            ? part[-1].node_path
            : kiln_names_add(&f->names, kiln_names_at(&f->paths, f->node_paths[node]));
    part->mesh_name = kiln_names_add(&f->names, kiln_scene_string(f->scene, f->mesh->name));
    f->node_of_last_part = node;
    f->loss = f->magnitude = 0;

    corner = f->at->corner;
    for (uint32_t i = 0; f->soup->points && i < f->at->vertex_count; i++) {
        const uint32_t point[3] = {i, i, i};

        if (!add_face(f, point, 3, i, 0))
            return false;
    }
    for (uint64_t i = f->at->face; !f->soup->points && i < f->at->face + f->mesh->face_count; i++) {
        if (!add_face(f, corners + corner, sizes[i], records[i], users[i]))
            return false;
        corner += sizes[i];
    }
    /* Faces that were dropped leave a part smaller, or empty. */
    part->triangle_count = f->soup->triangle_count - part->triangle_first;
    KILN_ASSERT(part->triangle_count <= f->at->triangles);
    if (part->triangle_count == 0)
        return true;

    /* Loss matters from a hundredth of the typical edge on. And where floats step by more than a
     * hundredth of the part, nothing can be placed against it as authored, even if it has lost
     * nothing itself. */
    indices = f->soup->indices + 3 * (size_t)part->triangle_first;
    extent = kiln_extent(f->weld.positions, indices, part->triangle_count);
    /* Points of a surface are so far apart, about. */
    edge = f->soup->points ? extent / sqrt((double)part->triangle_count)
                           : kiln_typical_edge(f->weld.positions, indices, part->triangle_count);
    step = kiln_float_step(f->magnitude);
    loss = f->loss > edge / 100 ? f->loss : 0;
    KILN_ASSERT(extent >= 0 && f->loss >= 0);
    if (extent > 0 && step > extent / 100)
        loss = fmax(loss, step / 2);
    f->coarse_parts += loss != 0;
    if (loss > f->worst_loss) {
        f->worst_loss = loss;
        f->worst_extent = extent;
        f->worst_magnitude = f->magnitude;
        f->worst_part = f->soup->part_count - 1;
    }
    return true;
}

/* Adds the parts of all nodes, in the order of the scene. */
static bool add_parts(flat *f)
{
    const uint32_t *places = f->scene->arrays[KILN_ARRAY_PLACES].items;
    size_t next = 0; /* nodes tile the places */

    for (size_t i = 0; i < f->scene->arrays[KILN_ARRAY_NODES].count; i++) {
        const uint32_t count = nodes_of(f->scene)[i].place_count;

        /* Of a node that shows nothing, the transform may be anything. */
        f->place = f->places[i];
        f->mirrored = kiln_affine_mirrors(&f->place);
        if (count > 0 && !kiln_affine_is_finite(&f->place))
            return FAIL(f, KILN_BAKE_INVALID,
                        "node \"%.400s\": its transform is not finite; repair the model",
                        kiln_names_at(&f->paths, f->node_paths[i]));
        for (uint32_t j = 0; j < count; j++)
            if (!add_part(f, i, places[next++]))
                return false;
    }
    KILN_ASSERT(next == f->scene->arrays[KILN_ARRAY_PLACES].count);
    return true;
}

/* -- degenerate and duplicate triangles -- */

/* Drops degenerate and duplicate triangles, or counts them, as the options say; moves the triangles
 * that stay together, part by part. The set refers to triangles that stay and have moved already:
 * they only move towards the front, so a slot never changes once it is looked at. */
static bool sift(flat *f)
{
    const float(*positions)[3] = f->weld.positions;
    const unsigned drop = f->task->options->drop;
    kiln_soup *soup = f->soup;
    kiln_triangle_set set = {0};
    uint32_t kept = 0;
    bool good = false;

    if (!has_room(f, kiln_triangle_set_bytes(soup->triangle_count)))
        return false;
    if (!kiln_triangle_set_start(&set, soup->indices, soup->triangle_count)) {
        no_memory(f);
        goto done;
    }
    for (uint32_t p = 0; p < soup->part_count; p++) {
        kiln_soup_part *part = &soup->parts[p];
        const uint32_t first = part->triangle_first, end = first + part->triangle_count;

        part->triangle_first = kept;
        for (uint32_t i = first; i < end; i++) {
            uint32_t *corners = soup->indices + 3 * (size_t)kept, reason = 0;
            bool degenerate, duplicate;

            KILN_ASSERT(kept <= i);
            if (i % TRIANGLES_A_LOOK == 0 && !go_on(f))
                goto done;
            memmove(corners, soup->indices + 3 * (size_t)i, 3 * sizeof *corners);
            soup->face[kept] = soup->face[i];
            soup->user[kept] = soup->user[i];
            /* A triangle that is dropped for its area is not put into the set. */
            degenerate = !soup->points && kiln_no_area(positions[corners[0]], positions[corners[1]],
                                                       positions[corners[2]]);
            if (degenerate && (drop & KILN_DROP_DEGENERATE) != 0)
                reason = KILN_FACE_DEGENERATE;
            duplicate = reason == 0 && kiln_triangle_set_has(&set, kept);
            if (duplicate && (drop & KILN_DROP_DUPLICATE) != 0)
                reason = KILN_FACE_DUPLICATE;
            soup->duplicate_count += reason == 0 && duplicate;
            soup->degenerate_count += reason == 0 && degenerate;
            if (reason == 0)
                kept++;
            else if (!add_note(f, p, soup->face[kept], reason))
                goto done;
        }
        part->triangle_count = kept - part->triangle_first;
    }
    good = true;
done:
    kiln_triangle_set_free(&set);
    soup->triangle_count = kept;
    return good;
}

/* -- the report and the rest of the soup -- */

/* Copies a list of strings of the scene. */
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

/* What the reader says about the whole model, and about what it has left out. */
static bool copy_facts(flat *f)
{
    kiln_soup *soup = f->soup;

    if (!copy_strings(f, &f->messages, KILN_ARRAY_WARNINGS, &soup->warnings,
                      &soup->warning_count) ||
        !copy_strings(f, &f->names, KILN_ARRAY_MATERIALS, &soup->materials, &soup->material_count))
        return false;
    f->warning_capacity = soup->warning_count;
    soup->points_left_out = f->facts.points;
    soup->lines_left_out = f->facts.lines;
    soup->unit = f->facts.unit;
    soup->up_axis = f->facts.up_declared;
    soup->empty_mesh_count = soup->points ? 0 : f->facts.empty_meshes;
    if (f->facts.bad_faces_lost == 0)
        return true;
    if (f->task->options->on_bad == KILN_ON_BAD_ERROR)
        return FAIL(f, KILN_BAKE_INVALID,
                    "faces with indices out of range, which the importer does not name; repair the "
                    "model, or let bad faces be dropped (--on-bad drop)");
    return add_warning(f,
                       "the importer dropped faces with indices out of range without naming them");
}

/* A soup without triangles is an error, before anything is dropped and after. */
static bool must_have_faces(flat *f, const char *which)
{
    if (f->soup->triangle_count > 0)
        return true;
    if (f->soup->points)
        return FAIL(f, KILN_BAKE_INVALID,
                    "no point%s (%lu points dropped); give a model with vertices", which,
                    (unsigned long)f->soup->note_count);
    uint32_t broken = 0;
    for (uint32_t i = 0; i < f->soup->note_count; i++)
        broken += f->soup->notes[i].reason == KILN_FACE_INDEX_RANGE ||
                  f->soup->notes[i].reason == KILN_FACE_NOT_FINITE;
    if (broken > 0 && broken == f->soup->note_count)
        return FAIL(f, KILN_BAKE_INVALID,
                    "no face is left: %s %s a corner that is not there or not a number; repair the "
                    "model",
                    broken == 1 ? "the only one" : "all", broken == 1 ? "has" : "have");
    return FAIL(f, KILN_BAKE_INVALID,
                "no face%s (%llu points and %llu lines left out, %lu face%s dropped); give a model "
                "with faces%s",
                which, (unsigned long long)f->facts.points, (unsigned long long)f->facts.lines,
                (unsigned long)f->soup->note_count, f->soup->note_count == 1 ? "" : "s",
                f->scene->arrays[KILN_ARRAY_POSITIONS].count > 0
                    ? ", or bake its vertices (--points)"
                    : "");
}

/* One warning for all faces that can't be cut into what they enclose, by the first. */
static bool warn_crossing(flat *f)
{
    char others[64] = "", text[1024];
    const kiln_soup_part *part;

    if (f->crossing_faces == 0)
        return true;
    KILN_ASSERT(f->crossing_part < f->soup->part_count);
    part = &f->soup->parts[f->crossing_part];
    if (f->crossing_faces > 1)
        snprintf(others, sizeof others, " (and %llu face%s more)",
                 (unsigned long long)f->crossing_faces - 1, f->crossing_faces == 2 ? "" : "s");
    snprintf(text, sizeof text,
             "node \"%.300s\", mesh \"%.100s\", face %lu%s: the outline crosses itself, as seen "
             "along its "
             "normal, so its triangles cover another area; cut the face where the model was made",
             kiln_names_at(&f->names, part->node_path), kiln_names_at(&f->names, part->mesh_name),
             (unsigned long)f->crossing_face, others);
    return add_warning(f, text);
}

/* The last warnings; then vertices and strings are handed over to the soup. */
static bool finish(flat *f)
{
    kiln_soup *soup = f->soup;
    const size_t corners = 3 * (size_t)soup->triangle_count;
    char *strings = NULL;

    if (!warn_crossing(f))
        return false;
    /* One warning for all parts in which loss of precision matters, by the worst. */
    if (f->coarse_parts > 0) {
        const kiln_soup_part *part = &soup->parts[f->worst_part];
        char others[64] = "", text[1024];

        KILN_ASSERT(f->worst_part < soup->part_count && f->worst_loss > 0);
        if (f->coarse_parts > 1)
            snprintf(others, sizeof others, " (and %lu parts more)",
                     (unsigned long)f->coarse_parts - 1);
        snprintf(
            text, sizeof text,
            "node \"%.300s\"%s: coordinates as large as %.9g lose up to %.3g in 32-bit floats, "
            "which step by %.3g there, in a part %.3g wide; move the model nearer to its origin",
            kiln_names_at(&f->names, part->node_path), others, f->worst_magnitude, f->worst_loss,
            kiln_float_step(f->worst_magnitude), f->worst_extent);
        soup->precision_step = f->worst_loss;
        if (!add_warning(f, text))
            return false;
    }

    /* Vertices stand in the order of their first use. Where triangles were dropped, those that only
     * they had go, too: the vertices that are left are welded anew. */
    if (soup->note_count > 0) {
        const float(*positions)[3] = f->weld.positions;
        kiln_weld used = {0};

        for (size_t i = 0; i < corners; i++)
            if (!kiln_weld_vertex(&used, positions[soup->indices[i]], &soup->indices[i])) {
                kiln_weld_free(&used);
                return no_memory(f);
            }
        KILN_ASSERT(used.count <= f->weld.count);
        kiln_weld_free(&f->weld);
        f->weld = used;
    }
    soup->vertex_count = (uint32_t)f->weld.count;
    soup->positions = f->weld.positions;
    f->weld.positions = NULL;

    if (f->task->options->strict && soup->warning_count > 0)
        return FAIL(f, KILN_BAKE_INVALID, "%.500s (%lu warning%s; under --strict none is let pass)",
                    kiln_names_at(&f->messages, soup->warnings[0]),
                    (unsigned long)soup->warning_count, soup->warning_count == 1 ? "" : "s");

    /* The names of the soup come first, then what the report says. */
    if (!f->names.failed && !f->messages.failed)
        strings = realloc(f->names.text, f->names.size + f->messages.size);
    if (strings == NULL)
        return FAIL(f, KILN_BAKE_FAILED, "names take more than 256 MiB; shorten or merge them");
    memcpy(strings + f->names.size, f->messages.text, f->messages.size);
    soup->strings = strings;
    soup->names_size = f->names.size;
    soup->strings_size = f->names.size + f->messages.size;
    for (uint32_t i = 0; i < soup->warning_count; i++)
        soup->warnings[i] += (uint32_t)f->names.size;
    f->names.text = NULL;
    return true;
}

/* The columns of samples of which the file says no more than how many there are. */
static bool find_columns(flat *f, kiln_scene_grid *grid, uint64_t count)
{
    const int asked = f->task->options->columns;

    if (grid->columns == 0) {
        grid->columns = asked > 0 ? (uint32_t)asked : (uint32_t)sqrt((double)count);
        grid->rows = (uint32_t)(count / grid->columns);
        if ((uint64_t)grid->columns * grid->rows != count ||
            (asked == 0 && grid->columns != grid->rows))
            return FAIL(f, KILN_BAKE_INVALID,
                        asked > 0 ? "%llu samples are no whole rows of %d; give the columns of "
                                    "the grid (--columns)"
                                  : "%llu samples are no square; give the columns of the grid "
                                    "(--columns)",
                        (unsigned long long)count, asked);
    } else if (asked > 0 && (uint32_t)asked != grid->columns) {
        return FAIL(f, KILN_BAKE_USAGE,
                    "the file says that it has %lu columns, not %d; leave --columns out",
                    (unsigned long)grid->columns, asked);
    }
    return (grid->columns >= 2 && grid->rows >= 2) ||
           FAIL(f, KILN_BAKE_INVALID,
                "a height field of %lu x %lu samples has no triangle; give two rows and columns or "
                "more",
                (unsigned long)grid->columns, (unsigned long)grid->rows);
}

/* A height field: its samples, and one part without names for all triangles that there may be. */
static bool take_grid(flat *f)
{
    const kiln_scene_array *samples = &f->scene->arrays[KILN_ARRAY_SAMPLES];
    kiln_soup *soup = f->soup;
    kiln_scene_grid grid;

    memcpy(&grid, f->scene->arrays[KILN_ARRAY_GRID].items, sizeof grid);
    if (!find_columns(f, &grid, samples->count) || !has_room(f, 2 * samples->count))
        return false;
    if ((uint64_t)(grid.columns - 1) * (grid.rows - 1) > MOST_TRIANGLES / 2)
        return FAIL(f, KILN_BAKE_FAILED,
                    "more than 2^31 triangles, which is more than a file holds; cut the field");
    soup->samples = malloc(2 * samples->count);
    soup->parts = calloc(1, sizeof *soup->parts);
    if (soup->samples == NULL || soup->parts == NULL)
        return no_memory(f);
    memcpy(soup->samples, samples->items, 2 * samples->count);
    soup->columns = grid.columns;
    soup->rows = grid.rows;
    soup->greatest = grid.greatest;
    soup->triangle_count = 2 * (grid.columns - 1) * (grid.rows - 1);
    soup->part_count = 1;
    soup->parts[0].triangle_count = soup->triangle_count;
    return true;
}

kiln_bake_status kiln_flatten(const kiln_scene *scene, const kiln_flatten_task *task,
                              kiln_soup *soup)
{
    const kiln_bake_options *options = task->options;
    flat f = {.scene = scene, .task = task, .soup = soup, .polygon.deadline = task->deadline};

    KILN_ASSERT(scene->arrays[KILN_ARRAY_FACTS].count == 1);
    KILN_ASSERT(soup->triangle_count == 0 && soup->positions == NULL);
    memcpy(&f.facts, scene->arrays[KILN_ARRAY_FACTS].items, sizeof f.facts);
    soup->points = options->points || f.facts.cloud != 0;
    f.options = kiln_affine_of_options(options->scale * f.facts.unit_factor, f.facts.up_now,
                                       options->up >= 0 ? options->up : f.facts.up_now);
    kiln_names_append(&f.names, "");
    kiln_names_append(&f.messages, "");
    /* Each step sets f.status and the error when it fails, and the rest is not run. */
    if (scene->arrays[KILN_ARRAY_GRID].count > 0)
        (void)(copy_facts(&f) && take_grid(&f) && finish(&f));
    else
        (void)(copy_facts(&f) && find_ranges(&f) && walk_nodes(&f) && add_parts(&f) &&
               must_have_faces(&f, "") && sift(&f) && must_have_faces(&f, " is left") &&
               finish(&f));
    free(f.names.text);
    free(f.messages.text);
    free(f.ranges);
    free(f.places);
    free(f.node_paths);
    free(f.paths.text);
    free(f.cut);
    kiln_weld_free(&f.weld);
    kiln_polygon_work_free(&f.polygon);
    return f.status;
}
