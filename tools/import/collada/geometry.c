/* Geometry of Collada (1.4.1, chapter 5, <mesh>).
 *
 * The primitives of a mesh are lists of corners in <p>, each of as many indices as its inputs have
 * offsets; that of VERTEX is the one that counts. What a primitive declares (count, <vcount>) and
 * what is there has to agree, or the file is refused with both numbers.
 *
 * All primitives of a mesh refer to the same vertices, of which each sends those that it has
 * (points.c). Where an index refers to no vertex, all are sent, and flatten.c refuses or drops the
 * face by the numbers of the file.
 *
 * A polygon with holes becomes one without (holes.c). Lines, and faces of one or two corners, are
 * counted for the report. The number of a face is its place in its primitive, with those that are
 * left out; each triangle of a strip or fan has one of its own. */
#include "geometry.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "accessor.h"
#include "holes.h"

/* -- vertices -- */

uint32_t kiln_dae_mesh(const dae *d, uint32_t geometry)
{
    const uint32_t mesh = kiln_dae_child(d, geometry, DAE_MESH);
    const uint32_t convex = kiln_dae_child(d, geometry, DAE_CONVEX_MESH);

    if (mesh != DAE_NONE)
        return mesh;
    /* One that is the hull of another geometry has no faces of its own. */
    return convex != DAE_NONE && kiln_dae_attribute(d, convex, "convex_hull_of") == NULL ? convex
                                                                                         : DAE_NONE;
}

kiln_points kiln_dae_shape(const dae *d, uint32_t mesh)
{
    const uint32_t vertices = kiln_dae_needed(d, mesh, DAE_VERTICES);
    const uint32_t input = kiln_dae_needed_input(d, vertices, "POSITION");
    const dae_accessor a = kiln_dae_accessor(d, input, 3);
    kiln_points shape = {.sent = 0};

    KILN_ASSERT(a.width == 3);
    for (size_t i = 0; i < a.count; i++) {
        const double position[3] = {kiln_dae_value(&a, i, 0), kiln_dae_value(&a, i, 1),
                                    kiln_dae_value(&a, i, 2)};

        kiln_points_add(d->reading, &shape, position);
    }
    return shape;
}

/* -- corners -- */

/* How the indices of a primitive lie. */
typedef struct {
    size_t stride, offset;
} layout;

/* Whether none of its lists has an index. */
static bool is_empty(const dae *d, uint32_t primitive)
{
    for (uint32_t at = d->elements[primitive].first; at != DAE_NONE; at = d->elements[at].next)
        if (d->elements[at].count > 0 || d->elements[at].tag == DAE_PH)
            return false;
    return true;
}

/* The indices of a corner are as many as the greatest offset of an input and one. */
static layout layout_of(const dae *d, uint32_t primitive)
{
    uint32_t vertex = kiln_dae_input(d, primitive, "VERTEX");
    const uint32_t mesh = d->elements[primitive].parent;
    layout l = {.stride = 1};

    /* An empty one may have no inputs. */
    if (vertex == DAE_NONE && kiln_dae_whole(d, primitive, "count", 0) == 0 &&
        is_empty(d, primitive))
        return l;
    vertex = kiln_dae_needed_input(d, primitive, "VERTEX");
    l.offset = (size_t)kiln_dae_whole(d, vertex, "offset", 0);
    /* A mesh has one. */
    if (d->elements[kiln_dae_reference(d, vertex, "source", DAE_IS(DAE_VERTICES))].parent != mesh)
        kiln_dae_fail(d, vertex, "refers to the <vertices> of another mesh; repair the file");
    /* Inputs may share an offset, and offsets may be left out: the greatest tells how many indices
     * a corner has. */
    for (uint32_t at = kiln_dae_child(d, primitive, DAE_INPUT); at != DAE_NONE;
         at = kiln_dae_next(d, at)) {
        const size_t offset = (size_t)kiln_dae_whole(d, at, "offset", 0);

        if (offset > 0xFFFF)
            kiln_dae_fail(d, at, "has an offset of %zu; repair the file", offset);
        l.stride = offset + 1 > l.stride ? offset + 1 : l.stride;
    }
    return l;
}

/* The corners of a list of indices. */
static size_t corners_of(const dae *d, uint32_t list, const layout *l)
{
    const size_t count = d->elements[list].count;

    KILN_ASSERT(l->stride > l->offset);
    if (count % l->stride != 0)
        kiln_dae_fail(d, list,
                      "has %zu indices, which is no multiple of the %zu that a corner has; "
                      "repair the file",
                      count, l->stride);
    return count / l->stride;
}

/* The attribute "count": triangles, lines, polygons, or lists of a strip or fan. */
static uint64_t declared_count(const dae *d, uint32_t primitive)
{
    if (kiln_dae_attribute(d, primitive, "count") == NULL)
        kiln_dae_fail(d, primitive, "has no attribute \"count\"; repair the file");
    return kiln_dae_whole(d, primitive, "count", 0);
}

/* Ends the work since the count is another than what is there. */
static _Noreturn void fail_count(const dae *d, uint32_t primitive, const char *what, uint64_t has)
{
    kiln_dae_fail(d, primitive, "declares a count of %llu and has %llu %s; repair the count",
                  (unsigned long long)declared_count(d, primitive), (unsigned long long)has, what);
}

/* All corners of the lists <p> within an element. */
static uint64_t count_corners(const dae *d, uint32_t of, const layout *l)
{
    uint64_t corners = 0;

    for (uint32_t p = kiln_dae_child(d, of, DAE_P); p != DAE_NONE; p = kiln_dae_next(d, p))
        corners += corners_of(d, p, l);
    return corners;
}

/* The corners of each face of a <polylist>, checked; their number is its count. */
static const int32_t *sizes_of(const dae *d, uint32_t primitive, uint64_t corners)
{
    const uint32_t list = kiln_dae_child(d, primitive, DAE_VCOUNT);
    const uint64_t count = declared_count(d, primitive);
    const int32_t *sizes;
    uint64_t sum = 0;

    if (list == DAE_NONE && count == 0 && corners == 0)
        return NULL;
    if (list == DAE_NONE)
        kiln_dae_fail(d, primitive, "has no <vcount>; repair the file");
    if (d->elements[list].count != count)
        fail_count(d, primitive, "numbers in <vcount>", d->elements[list].count);
    sizes = d->wholes + d->elements[list].from;
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] < 0)
            kiln_dae_fail(d, list,
                          "gives face %zu a number of corners that is none; repair the file", i);
        sum += (uint64_t)sizes[i];
    }
    if (sum != corners)
        kiln_dae_fail(d, list, "adds up to %llu corners, and <p> has %llu; repair the file",
                      (unsigned long long)sum, (unsigned long long)corners);
    return sizes;
}

/* How many children of that tag. */
static uint64_t count_children(const dae *d, uint32_t of, dae_tag tag)
{
    uint64_t count = 0;

    for (uint32_t at = kiln_dae_child(d, of, tag); at != DAE_NONE; at = kiln_dae_next(d, at))
        count++;
    return count;
}

/* Whether what a primitive declares is there; returns its faces. */
static uint64_t check(const dae *d, uint32_t primitive, const layout *l)
{
    const dae_tag tag = d->elements[primitive].tag;
    const uint64_t count = declared_count(d, primitive), corners = count_corners(d, primitive, l);
    const uint64_t lists = count_children(d, primitive, DAE_P);
    uint64_t faces = 0;

    switch (tag) {
    case DAE_TRIANGLES:
    case DAE_LINES: {
        const unsigned each = tag == DAE_LINES ? 2 : 3;

        if (corners % each != 0 || corners / each != count)
            kiln_dae_fail(d, primitive,
                          "declares a count of %llu, which are %llu corners, and has %llu; repair "
                          "the count",
                          (unsigned long long)count, (unsigned long long)count * each,
                          (unsigned long long)corners);
        return tag == DAE_LINES ? 0 : count;
    }
    case DAE_POLYLIST: {
        const int32_t *sizes = sizes_of(d, primitive, corners);

        /* Those of one or two corners are points and lines. */
        for (size_t i = 0; i < count; i++)
            faces += sizes[i] >= 3;
        return faces;
    }
    case DAE_POLYGONS:
        if (lists + count_children(d, primitive, DAE_PH) != count)
            fail_count(d, primitive, "polygons", lists + count_children(d, primitive, DAE_PH));
        for (uint32_t p = kiln_dae_child(d, primitive, DAE_P); p != DAE_NONE;
             p = kiln_dae_next(d, p))
            faces += corners_of(d, p, l) >= 3;
        return faces + count_children(d, primitive, DAE_PH);
    default:
        KILN_ASSERT(tag == DAE_TRISTRIPS || tag == DAE_TRIFANS || tag == DAE_LINESTRIPS);
        if (lists != count)
            fail_count(d, primitive, "lists <p>", lists);
        for (uint32_t p = kiln_dae_child(d, primitive, DAE_P);
             p != DAE_NONE && tag != DAE_LINESTRIPS; p = kiln_dae_next(d, p))
            faces += corners_of(d, p, l) >= 3 ? corners_of(d, p, l) - 2 : 0;
        return faces;
    }
}

uint64_t kiln_dae_count_faces(const dae *d, uint32_t primitive)
{
    const layout l = layout_of(d, primitive);

    return check(d, primitive, &l);
}

/* -- sending -- */

/* A primitive while it is sent. */
typedef struct {
    const dae *d;
    uint32_t primitive, material;
    layout layout;
    kiln_points *shape;
    uint32_t *corners; /* of all lists, one after the other, then of the one that is used next */
    size_t *sizes;     /* of <polygons>, how many corners each has */
    uint64_t record;   /* of the next face */
} sending;

/* Appends the vertices of a list of indices. */
static size_t put_corners(const sending *s, uint32_t list, uint32_t *to)
{
    const int32_t *from = s->d->wholes + s->d->elements[list].from + s->layout.offset;
    const size_t count = corners_of(s->d, list, &s->layout);

    /* An index that no vertex has is sent as it is, one that none can have as none. */
    for (size_t i = 0; i < count; i++) {
        const int32_t index = from[i * s->layout.stride];

        to[i] = index >= 0 ? (uint32_t)index : KILN_SCENE_NONE;
    }
    return count;
}

/* Sends the triangles of a strip or a fan. Every second one of a strip has its corners turned, so
 * that all look the same way. */
static void send_strip(sending *s, const uint32_t *corners, size_t count, bool fan)
{
    for (size_t i = 0; i + 2 < count; i++) {
        const size_t odd = !fan && i % 2 == 1 ? 1 : 0;
        const uint32_t face[3] = {corners[fan ? 0 : i + odd], corners[i + 1 - odd], corners[i + 2]};

        kiln_read_face(s->d->reading, face, 3, s->record++, s->material);
    }
    if (count < 3)
        kiln_dae_warn(s->d, s->primitive, "has a list of %zu corner%s, which make no triangle",
                      count, count == 1 ? "" : "s");
}

/* Sends the faces, whose corners lie one list after the other. */
static void send_faces(sending *s, size_t corner_count)
{
    const dae *d = s->d;
    const dae_tag tag = d->elements[s->primitive].tag;
    const uint32_t *at = s->corners;
    uint64_t empty = 0;

    switch (tag) {
    case DAE_LINES:
        d->reading->facts.lines += corner_count / 2;
        return;
    case DAE_TRIANGLES:
        for (size_t i = 0; i < corner_count; i += 3)
            kiln_read_face(d->reading, at + i, 3, s->record++, s->material);
        return;
    case DAE_POLYLIST: {
        const uint64_t count = declared_count(d, s->primitive);
        const int32_t *sizes = sizes_of(d, s->primitive, corner_count);

        for (size_t i = 0; i < count; at += sizes[i++]) {
            empty += sizes[i] == 0;
            kiln_read_face(d->reading, at, (size_t)sizes[i], s->record++, s->material);
        }
        break;
    }
    case DAE_POLYGONS:
        KILN_ASSERT(s->sizes != NULL);
        for (size_t i = 0; i < declared_count(d, s->primitive); at += s->sizes[i++]) {
            empty += s->sizes[i] == 0;
            kiln_read_face(d->reading, at, s->sizes[i], s->record++, s->material);
        }
        break;
    default:
        for (uint32_t p = kiln_dae_child(d, s->primitive, DAE_P); p != DAE_NONE;
             p = kiln_dae_next(d, p)) {
            const size_t count = corners_of(d, p, &s->layout);

            if (tag == DAE_LINESTRIPS)
                d->reading->facts.lines += count > 1 ? count - 1 : 0;
            else
                send_strip(s, at, count, tag == DAE_TRIFANS);
            at += count;
        }
    }
    KILN_ASSERT(at == s->corners + corner_count);
    kiln_read_warn_empty(d->reading, empty);
}

/* The corners of a polygon with holes, as those of one without. */
static size_t put_holed(const sending *s, uint32_t holed, uint32_t *to)
{
    const dae *d = s->d;
    const uint32_t outline = kiln_dae_needed(d, holed, DAE_P), second = kiln_dae_next(d, outline);
    size_t *sizes = kiln_dae_alloc(d, count_children(d, holed, DAE_H) + 1, sizeof *sizes);
    size_t lists = 0, count = 0;

    if (second != DAE_NONE)
        kiln_dae_fail(d, second, "is the second outline of one polygon; remove one");
    for (uint32_t at = outline; at != DAE_NONE;
         at = lists == 1 ? kiln_dae_child(d, holed, DAE_H) : kiln_dae_next(d, at)) {
        sizes[lists] = put_corners(s, at, to + count);
        if (sizes[lists] < 3)
            kiln_dae_fail(d, at, "has %zu corners, of an outline or a hole; repair the file",
                          sizes[lists]);
        count += sizes[lists++];
    }
    count = kiln_dae_join_holes(d, holed, s->shape->at.items, s->shape->at.count, to, sizes, lists);
    free(sizes);
    return count;
}

/* Room for the corners of all polygons with holes. */
static uint64_t count_holed(const dae *d, uint32_t primitive, const layout *l)
{
    uint64_t corners = 0;

    for (uint32_t at = kiln_dae_child(d, primitive, DAE_PH); at != DAE_NONE;
         at = kiln_dae_next(d, at)) {
        corners += count_corners(d, at, l);
        for (uint32_t h = kiln_dae_child(d, at, DAE_H); h != DAE_NONE; h = kiln_dae_next(d, h))
            corners += corners_of(d, h, l) + 2;
    }
    return corners;
}

/* Corners are listed first, all of them, since it depends on them which vertices are sent; then the
 * faces follow, of as many corners as the lists or counts say. */
uint64_t kiln_dae_send_primitive(const dae *d, uint32_t primitive, kiln_points *shape,
                                 uint32_t material, uint64_t *vertices)
{
    sending s = {.d = d,
                 .primitive = primitive,
                 .material = material,
                 .layout = layout_of(d, primitive),
                 .shape = shape};
    const uint64_t faces = check(d, primitive, &s.layout);
    const uint64_t all =
        count_corners(d, primitive, &s.layout) + count_holed(d, primitive, &s.layout);
    size_t count = 0, lists = 0;

    s.corners = kiln_dae_alloc(d, all, sizeof *s.corners);
    if (d->elements[primitive].tag == DAE_POLYGONS)
        s.sizes = kiln_dae_alloc(d, declared_count(d, primitive), sizeof *s.sizes);
    for (uint32_t at = d->elements[primitive].first; at != DAE_NONE; at = d->elements[at].next) {
        const dae_tag tag = d->elements[at].tag;
        size_t own;

        if (tag != DAE_P && tag != DAE_PH)
            continue;
        own = tag == DAE_P ? put_corners(&s, at, s.corners + count)
                           : put_holed(&s, at, s.corners + count);
        /* check has compared how many there are with the count. */
        if (s.sizes != NULL)
            s.sizes[lists++] = own;
        count += own;
    }
    KILN_ASSERT(count <= all);
    *vertices = kiln_points_send(d->reading, shape, s.corners, count);
    send_faces(&s, count);
    free(s.corners);
    free(s.sizes);
    return faces;
}
