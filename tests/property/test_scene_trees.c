/* Random scenes of X3D, AMF, 3MF and Collada, nested and used again, against an evaluation that
 * carries each point through each rotation, scale and displacement by itself, without a matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/import/import.h"
#include "../support/amount.h"
#include "../support/meshes.h"
#include "../support/stored_archive.h"

enum { TEXT_MOST = 1 << 20, TRIANGLES_MOST = 1 << 12, NAMES_MOST = 64, DEEPEST = 5 };

typedef struct {
    double at[3][3];
} triangle;

typedef struct {
    triangle *items;
    size_t count;
} body;

typedef struct {
    char name[8], type[16];
    body shape;
} named;

static char text[TEXT_MOST];
static size_t length;
static named names[NAMES_MOST];
static size_t name_count, unnamed;
static uint64_t state;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    length += (size_t)vsnprintf(text + length, TEXT_MOST - length, format, arguments);
    va_end(arguments);
    assert_true(length < TEXT_MOST);
}

static void add(body *to, const triangle *items, size_t count)
{
    to->items = realloc(to->items, (to->count + count + 1) * sizeof *to->items);
    assert_non_null(to->items);
    for (size_t i = 0; i < count; i++)
        to->items[to->count + i] = items[i];
    to->count += count;
}

static double random_number(double most)
{
    /* Of few digits, as in files, so that text and number are the same. */
    return floor(random_between(&state, -most, most) * 64) / 64;
}

/* -- what is done to points -- */

/* Rodrigues' formula, for one vector. */
static void rotate(double p[3], const double rotation[4])
{
    const double size =
        sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2]);
    const double c = cos(rotation[3]), s = sin(rotation[3]);
    double axis[3], along = 0, result[3];

    if (size == 0)
        return;
    for (int i = 0; i < 3; i++)
        axis[i] = rotation[i] / size;
    for (int i = 0; i < 3; i++)
        along += axis[i] * p[i];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;

        result[i] = p[i] * c + (axis[j] * p[k] - axis[k] * p[j]) * s + axis[i] * along * (1 - c);
    }
    memcpy(p, result, sizeof result);
}

static void reverse(body *b)
{
    for (size_t i = 0; i < b->count; i++)
        for (int k = 0; k < 3; k++) {
            const double other = b->items[i].at[1][k];

            b->items[i].at[1][k] = b->items[i].at[2][k];
            b->items[i].at[2][k] = other;
        }
}

/* -- X3D -- */

static void make_shape(body *to)
{
    const uint32_t count = 1 + random_below(&state, 3);
    const bool reversed = random_below(&state, 4) == 0;
    triangle made[4];

    put("<Shape><%s ccw='%s' %s='", count == 2 ? "IndexedTriangleSet" : "IndexedFaceSet",
        reversed ? "false" : "true", count == 2 ? "index" : "coordIndex");
    for (uint32_t i = 0; i < count; i++)
        put(count == 2 ? "%u %u %u, " : "%u %u %u -1 ", 3 * i + 2, 3 * i, 3 * i + 1);
    put("'><Coordinate point='");
    for (uint32_t i = 0; i < count; i++) {
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                made[i].at[j][k] = random_number(4);
                put("%.17g%s", made[i].at[j][k], k == 2 ? ", " : " ");
            }
    }
    put("'/></%s></Shape>", count == 2 ? "IndexedTriangleSet" : "IndexedFaceSet");
    body own = {made, count};
    if (reversed)
        reverse(&own);
    add(to, made, count);
}

static void put_field(const char *name, double *values, int count, double most, double otherwise)
{
    const bool given = random_below(&state, 2) == 0;

    /* Not near 0: a scale that is would leave no sense of rotation. */
    for (int i = 0; i < count; i++)
        do
            values[i] = given ? random_number(most) : otherwise;
        while (given && fabs(values[i]) < .25);
    if (!given)
        return;
    put(" %s='", name);
    for (int i = 0; i < count; i++)
        put("%.17g ", values[i]);
    put("'");
}

static void make_node(body *to, int depth);

static void make_children(body *to, int depth)
{
    for (uint32_t i = random_below(&state, 4); i-- > 0;)
        make_node(to, depth + 1);
}

static void make_transform(body *own, int depth)
{
    double center[3], rotation[4], scale[3], along[4], translation[3];

    put_field("center", center, 3, 2, 0);
    put_field("rotation", rotation, 4, 3, 0);
    put_field("scale", scale, 3, 2, 1);
    put_field("scaleOrientation", along, 4, 3, 0);
    put_field("translation", translation, 3, 8, 0);
    put(">");
    make_children(own, depth);
    for (size_t i = 0; i < own->count; i++)
        for (int j = 0; j < 3; j++) {
            double *p = own->items[i].at[j];

            for (int k = 0; k < 3; k++)
                p[k] -= center[k];
            along[3] = -along[3];
            rotate(p, along);
            along[3] = -along[3];
            for (int k = 0; k < 3; k++)
                p[k] *= scale[k];
            rotate(p, along);
            rotate(p, rotation);
            for (int k = 0; k < 3; k++)
                p[k] += center[k] + translation[k];
        }
    if (scale[0] * scale[1] * scale[2] < 0)
        reverse(own);
}

static void make_switch(body *own, int depth)
{
    const uint32_t count = 1 + random_below(&state, 3), chosen = random_below(&state, count + 1);

    put(" whichChoice='%d'>", chosen < count ? (int)chosen : -1);
    for (uint32_t i = 0; i < count; i++) {
        body other = {NULL, 0};

        if (random_below(&state, 4) == 0)
            put("<Viewpoint/>");
        else
            make_node(&other, depth + 1);
        if (i == chosen)
            add(own, other.items, other.count);
        free(other.items);
    }
}

static void make_node(body *to, int depth)
{
    static const char *const types[] = {"Transform", "Transform", "Group", "Switch"};
    const char *type = types[random_below(&state, 4)];
    const bool is_named = random_below(&state, 3) == 0 && name_count < NAMES_MOST;
    const size_t used = name_count > 0 ? random_below(&state, (uint32_t)name_count) : 0;
    body own = {NULL, 0};
    char name[8] = "";

    if (depth == DEEPEST || random_below(&state, 3) == 0) {
        make_shape(to);
        return;
    }
    if (name_count > 0 && random_below(&state, 3) == 0 &&
        to->count + names[used].shape.count < TRIANGLES_MOST) {
        put("<%s USE='%s'/>", names[used].type, names[used].name);
        add(to, names[used].shape.items, names[used].shape.count);
        return;
    }
    put("<%s", type);
    if (is_named) {
        (void)snprintf(name, sizeof name, "n%zu", unnamed++);
        put(" DEF='%s'", name);
    }
    if (type[0] == 'T') {
        make_transform(&own, depth);
    } else if (type[0] == 'S') {
        make_switch(&own, depth);
    } else {
        put(">");
        make_children(&own, depth);
    }
    put("</%s>", type);
    add(to, own.items, own.count);
    if (is_named && name_count < NAMES_MOST) {
        memcpy(names[name_count].name, name, sizeof name);
        (void)snprintf(names[name_count].type, sizeof names[name_count].type, "%s", type);
        names[name_count++].shape = own;
    } else {
        free(own.items);
    }
}

/* -- AMF -- */

typedef struct {
    uint32_t to;
    double delta[3], angle[3];
} instance;

/* Objects and constellations; each refers to later ones only. */
typedef struct {
    bool is_object, used;
    body shape; /* of an object */
    instance instances[4];
    uint32_t count;
} thing;

static void show(const thing *things, uint32_t index, body *to)
{
    const thing *of = &things[index];
    const size_t before = to->count;

    if (of->is_object)
        add(to, of->shape.items, of->shape.count);
    for (uint32_t n = 0; n < of->count; n++) {
        const instance *by = &of->instances[n];
        const size_t first = to->count;

        show(things, by->to, to);
        for (size_t i = first; i < to->count; i++)
            for (int j = 0; j < 3; j++)
                for (int axis = 0; axis < 4; axis++) {
                    double rotation[4] = {0, 0, 0, 0}, *p = to->items[i].at[j];

                    if (axis == 3) {
                        for (int k = 0; k < 3; k++)
                            p[k] += by->delta[k];
                        continue;
                    }
                    rotation[axis] = 1;
                    rotation[3] = by->angle[axis] * acos(-1) / 180;
                    rotate(p, rotation);
                }
    }
    assert_true(to->count >= before);
}

static void put_object(thing *of)
{
    const uint32_t volumes = 1 + random_below(&state, 2);
    triangle made[3];

    put("<mesh><vertices>");
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++)
                made[i].at[j][k] = random_number(4);
            put("<vertex><coordinates><y>%.17g</y><x>%.17g</x><z>%.17g</z></coordinates></vertex>",
                made[i].at[j][1], made[i].at[j][0], made[i].at[j][2]);
        }
    put("</vertices>");
    for (uint32_t v = 0; v < volumes; v++) {
        put("<volume>");
        for (uint32_t i = v == 0 ? 0 : 2; i < (v + 1 == volumes ? 3u : 2u); i++)
            put("<triangle><v1>%u</v1><v2>%u</v2><v3>%u</v3></triangle>", 3 * i, 3 * i + 1,
                3 * i + 2);
        put("</volume>");
    }
    put("</mesh>");
    add(&of->shape, made, 3);
}

static void put_instances(thing *of, uint32_t index, uint32_t count, thing *things)
{
    static const double angles[] = {0, 90, -90, 180, 37, 271.5};

    of->count = index + 1 < count ? random_below(&state, 4) : 0;
    for (uint32_t n = 0; n < of->count; n++) {
        instance *by = &of->instances[n];

        by->to = index + 1 + random_below(&state, count - index - 1);
        things[by->to].used = true;
        put("<instance objectid='%u'>", by->to);
        for (int k = 0; k < 3; k++) {
            by->angle[k] = angles[random_below(&state, 6)];
            by->delta[k] = random_number(10);
            put("<r%c>%.17g</r%c><delta%c>%.17g</delta%c>", 'x' + k, by->angle[k], 'x' + k, 'x' + k,
                by->delta[k], 'x' + k);
        }
        put("</instance>");
    }
}

static void make_amf(body *whole)
{
    enum { MOST = 10 };
    thing things[MOST] = {{0}};
    const uint32_t count = 1 + random_below(&state, MOST - 1);

    put("<amf>");
    for (uint32_t i = 0; i < count; i++) {
        thing *of = &things[i];

        of->is_object = i + 1 == count || random_below(&state, 3) == 0;
        put("<%s id='%u'>", of->is_object ? "object" : "constellation", i);
        if (of->is_object)
            put_object(of);
        else
            put_instances(of, i, count, things);
        put("</%s>", of->is_object ? "object" : "constellation");
    }
    put("</amf>");
    for (uint32_t i = 0; i < count; i++)
        if (!things[i].used)
            show(things, i, whole);
    for (uint32_t i = 0; i < count; i++)
        free(things[i].shape.items);
}

/* -- Collada -- */

enum { GEOMETRIES = 4, LIBRARY_NODES = 4, CORNERS_MOST = 9 };

static body geometries[GEOMETRIES], library_nodes[LIBRARY_NODES];

/* The triangles of a list of corners, as the element makes them. */
static void make_faces(body *to, const char *element, double (*points)[3], const uint32_t *corners,
                       uint32_t count)
{
    const bool fan = strcmp(element, "trifans") == 0, strip = strcmp(element, "tristrips") == 0;

    for (uint32_t i = 0; i + 2 < count; i += fan || strip ? 1 : 3) {
        const uint32_t at[3] = {fan ? 0 : i, i + 1, i + 2};
        const bool turned = strip && i % 2 == 1;
        triangle made;

        for (int j = 0; j < 3; j++)
            memcpy(made.at[turned ? 2 - j : j], points[corners[at[j]]], sizeof made.at[0]);
        add(to, &made, 1);
    }
}

static void make_geometry(body *to, int number)
{
    static const char *const elements[] = {"triangles", "trifans", "tristrips", "polylist",
                                           "polygons"};
    const uint32_t kind = random_below(&state, 5), offset = random_below(&state, 3);
    const uint32_t stride = offset + 1 + random_below(&state, 2), pad = random_below(&state, 2);
    const uint32_t count = kind == 4                     ? 3
                           : kind == 1 || kind == 2      ? 3 + random_below(&state, 6)
                           : random_below(&state, 2) > 0 ? 6
                                                         : 9;
    double points[CORNERS_MOST][3];
    uint32_t corners[CORNERS_MOST];

    put("<geometry id='g%d'><mesh><source id='p%d'><float_array id='a%d' count='%u'>", number,
        number, number, pad + CORNERS_MOST * (3 + pad));
    put("%s", pad != 0 ? "9 " : "");
    for (int i = 0; i < CORNERS_MOST; i++) {
        for (int k = 0; k < 3; k++)
            points[i][k] = random_number(4);
        put("%.17g %s%.17g\n%.17g ", points[i][2], pad != 0 ? "7 " : "", points[i][0],
            points[i][1]);
    }
    put("</float_array><technique_common><accessor source='#a%d' count='%d' stride='%u' "
        "offset='%u'><param name='Z' type='float'/>%s<param name='X' type='float'/><param "
        "name='Y' type='float'/></accessor></technique_common></source><vertices id='v%d'><input "
        "semantic='POSITION' source='#p%d'/></vertices>",
        number, CORNERS_MOST, 3 + pad, pad, pad != 0 ? "<param type='float'/>" : "", number,
        number);
    put("<%s count='%u'><input semantic='VERTEX' source='#v%d' offset='%u'/><input "
        "semantic='NORMAL' source='#none' offset='%u'/>",
        elements[kind], kind == 0 || kind == 3 ? count / 3 : 1, number, offset, stride - 1);
    if (kind == 3)
        put("<vcount>%s</vcount>", count == 6 ? "3 3" : "3 3 3");
    put("<p>");
    for (uint32_t i = 0; i < count; i++) {
        corners[i] = random_below(&state, CORNERS_MOST);
        for (uint32_t j = 0; j < stride; j++)
            put("%u ", j == offset ? corners[i] : 99);
    }
    put("</p></%s></mesh></geometry>", elements[kind]);
    make_faces(to, elements[kind], points, corners, count);
}

/* Moves p along the second axis as much as it lies along the first, beside the second: by the sines
 * of the triangle whose sides are the first axis, what is moved, and the first axis after that. */
static void shear(double p[3], const double v[7])
{
    double first[3], second[3], cosine = 0, along_first = 0, along_second = 0, amount_of_first;
    double lengths[2] = {0, 0}, between;

    for (int i = 0; i < 3; i++) {
        lengths[0] += v[1 + i] * v[1 + i];
        lengths[1] += v[4 + i] * v[4 + i];
    }
    for (int i = 0; i < 3; i++) {
        first[i] = v[1 + i] / sqrt(lengths[0]);
        second[i] = v[4 + i] / sqrt(lengths[1]);
        cosine += first[i] * second[i];
        along_first += first[i] * p[i];
        along_second += second[i] * p[i];
    }
    between = acos(cosine);
    amount_of_first = (along_first - along_second * cosine) / (1 - cosine * cosine);
    for (int i = 0; i < 3; i++)
        p[i] += amount_of_first * sin(v[0]) / sin(between - v[0]) * second[i];
}

/* A transform of a node, and how to apply it. */
typedef struct {
    enum { TRANSLATE, ROTATE, SCALE, SKEW, MATRIX, LOOK_AT } kind;
    double v[12];
} step;

static step make_step(void)
{
    const double radians = acos(-1) / 180;
    step s = {.kind = random_below(&state, 6)};
    double *v = s.v;

    for (int i = 0; i < 12; i++)
        do
            v[i] = random_number(3);
        while (fabs(v[i]) < .25);
    switch (s.kind) {
    case TRANSLATE:
        put("<translate>%.17g %.17g %.17g</translate>", v[0], v[1], v[2]);
        break;
    case ROTATE:
        v[3] *= 60;
        put("<rotate>%.17g %.17g %.17g %.17g</rotate>", v[0], v[1], v[2], v[3]);
        v[3] *= radians;
        break;
    case SCALE:
        put("<scale>%.17g %.17g %.17g</scale>", v[0], v[1], v[2]);
        break;
    case SKEW:
        /* Axes at 60 to 120 degrees, and an angle of at most 30. */
        v[0] *= 10;
        v[2] = v[4] = 0;
        v[1] = v[5] = 2;
        v[3] = v[6] = v[3] / 4;
        put("<skew>%.17g %.17g %.17g %.17g %.17g %.17g %.17g</skew>", v[0], v[1], v[2], v[3], v[4],
            v[5], v[6]);
        v[0] *= radians;
        break;
    case MATRIX:
        put("<matrix>");
        for (int i = 0; i < 12; i++)
            put("%.17g ", v[i]);
        put("0 0 0 1</matrix>");
        break;
    case LOOK_AT:
        /* Looks along x, y or z, with a leaning axis up. */
        v[6] = v[3] > 0 ? 1 : -1;
        put("<lookat>%.17g %.17g %.17g %.17g %.17g %.17g 0.5 2 0</lookat>", v[0], v[1], v[2], v[0],
            v[1], v[2] - 3 * v[6]);
        break;
    }
    return s;
}

/* Applies a transform to all points. */
static void apply(const step *s, body *to)
{
    const double *v = s->v, lean = sqrt(4.25);
    double determinant = 1;

    for (size_t i = 0; i < 3 * to->count; i++) {
        double *p = to->items[i / 3].at[i % 3], old[3];

        memcpy(old, p, sizeof old);
        if (s->kind == ROTATE)
            rotate(p, v);
        if (s->kind == SKEW)
            shear(p, v);
        for (int k = 0; k < 3; k++) {
            const double *row = v + 4 * k;

            if (s->kind == TRANSLATE)
                p[k] += v[k];
            if (s->kind == SCALE)
                p[k] *= v[k];
            if (s->kind == MATRIX)
                p[k] = row[0] * old[0] + row[1] * old[1] + row[2] * old[2] + row[3];
        }
        if (s->kind != LOOK_AT)
            continue;
        /* x is to the right of who looks along -z (or z), y what is up of the leaning axis. */
        p[0] = v[0] + (v[6] * 2 * old[0] + 0.5 * old[1]) / lean;
        p[1] = v[1] + (v[6] * -0.5 * old[0] + 2 * old[1]) / lean;
        p[2] = v[2] + v[6] * old[2];
    }
    if (s->kind == SCALE)
        determinant = v[0] * v[1] * v[2];
    if (s->kind == MATRIX)
        determinant = v[0] * (v[5] * v[10] - v[6] * v[9]) - v[1] * (v[4] * v[10] - v[6] * v[8]) +
                      v[2] * (v[4] * v[9] - v[5] * v[8]);
    if (determinant < 0)
        reverse(to);
}

/* A node: its geometry, the nodes in it, and of the first `ready` of the library some instances. */
static void make_dae_node(body *to, int depth, uint32_t ready)
{
    step steps[3];
    const uint32_t step_count = random_below(&state, 4);
    body own = {NULL, 0};

    put("<node>");
    for (uint32_t i = 0; i < step_count; i++)
        steps[i] = make_step();
    for (uint32_t i = random_below(&state, 3); i-- > 0;) {
        const uint32_t number = random_below(&state, GEOMETRIES);

        put("<instance_geometry url='#g%u'/>", number);
        add(&own, geometries[number].items, geometries[number].count);
    }
    for (uint32_t i = depth < 3 ? random_below(&state, 3) : 0; i-- > 0;)
        make_dae_node(&own, depth + 1, ready);
    for (uint32_t i = ready > 0 ? random_below(&state, 2) : 0; i-- > 0;) {
        const uint32_t number = random_below(&state, ready);

        put("<instance_node url='#n%u'/>", number);
        add(&own, library_nodes[number].items, library_nodes[number].count);
    }
    for (uint32_t i = step_count; i-- > 0;)
        apply(&steps[i], &own);
    put("</node>");
    add(to, own.items, own.count);
    free(own.items);
}

static void make_collada(body *whole)
{
    static const char axes[] = "XYZ";
    const double unit = (1 + random_below(&state, 8)) / 4.0;
    const uint32_t axis = random_below(&state, 3);

    put("<COLLADA version='1.4.1'><asset><unit meter='%.17g'/><up_axis>%c_UP</up_axis></asset>"
        "<library_geometries>",
        unit, axes[axis]);
    for (int i = 0; i < GEOMETRIES; i++)
        make_geometry(&geometries[i], i);
    put("</library_geometries><library_nodes>");
    for (uint32_t i = 0; i < LIBRARY_NODES; i++) {
        put("<node id='n%u'>", i);
        make_dae_node(&library_nodes[i], 2, i);
        put("</node>");
    }
    put("</library_nodes><library_visual_scenes><visual_scene id='s'>");
    for (uint32_t i = 1 + random_below(&state, 3); i-- > 0;)
        make_dae_node(whole, 0, LIBRARY_NODES);
    put("</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/></scene>"
        "</COLLADA>");
    for (size_t i = 0; i < 3 * whole->count; i++) {
        double *p = whole->items[i / 3].at[i % 3];
        const double old[3] = {unit * p[0], unit * p[1], unit * p[2]};

        p[0] = axis == 0 ? -old[1] : old[0];
        p[1] = old[axis];
        p[2] = axis == 2 ? -old[1] : old[2];
    }
}

/* -- 3MF -- */

enum { OBJECTS = 6, CORE_OBJECTS = 0, OTHER_OBJECTS = 1 };

/* An object in its place: scaled, perhaps mirrored, then rotated about z, then displaced. */
typedef struct {
    uint32_t to;
    bool is_elsewhere; /* in the other part */
    double scale[3], angle, delta[3];
} placed;

/* A mesh, or components of objects before it. */
typedef struct {
    body mesh;
    placed components[3];
    uint32_t count;
} printed;

static printed objects[2][OBJECTS]; /* of the root, and of the other part */

static void move(const placed *by, double p[3])
{
    const double rotation[4] = {0, 0, 1, by->angle};

    for (int k = 0; k < 3; k++)
        p[k] *= by->scale[k];
    rotate(p, rotation);
    for (int k = 0; k < 3; k++)
        p[k] += by->delta[k];
}

static void show_placed(const placed *by, int part, body *to)
{
    const int in = by->is_elsewhere ? OTHER_OBJECTS : part;
    const printed *of = &objects[in][by->to];
    const size_t first = to->count;

    add(to, of->mesh.items, of->mesh.count);
    for (uint32_t i = 0; i < of->count; i++)
        show_placed(&of->components[i], in, to);
    body own = {to->items + first, to->count - first};
    for (size_t i = 0; i < own.count; i++)
        for (int j = 0; j < 3; j++)
            move(by, own.items[i].at[j]);
    /* A mirror turns no volume inside out. */
    if (by->scale[0] * by->scale[1] * by->scale[2] < 0)
        reverse(&own);
}

/* Rows are where the axes go, and then the origin. */
static void put_placed(placed *by, uint32_t most, int part, const char *element)
{
    static const double scales[] = {1, 1, -1, 2, -.5}, angles[] = {0, 0, 1, -2.5};
    double origin[3] = {0, 0, 0};

    by->is_elsewhere = part == CORE_OBJECTS && (most == 0 || random_below(&state, 3) == 0);
    by->to = random_below(&state, by->is_elsewhere ? OBJECTS : most);
    by->angle = angles[random_below(&state, 4)];
    for (int k = 0; k < 3; k++) {
        by->scale[k] = scales[random_below(&state, 5)];
        by->delta[k] = random_number(10);
    }
    put("<%s objectid='%u'%s transform='", element, by->to + 1,
        by->is_elsewhere ? " p:path='/other'" : "");
    move(by, origin);
    for (int i = 0; i < 3; i++) {
        double axis[3] = {i == 0, i == 1, i == 2};

        move(by, axis);
        for (int k = 0; k < 3; k++)
            put("%.17g ", axis[k] - origin[k]);
    }
    put("%.17g %.17g %.17g'/>", origin[0], origin[1], origin[2]);
}

static void put_printed(uint32_t index, int part)
{
    printed *of = &objects[part][index];
    triangle made[2];

    put("<object id='%u'>", index + 1);
    of->count = index > 0 ? random_below(&state, 4) : 0;
    if (of->count > 0) {
        put("<components>");
        for (uint32_t i = 0; i < of->count; i++)
            put_placed(&of->components[i], index, part, "component");
        put("</components></object>");
        return;
    }
    put("<mesh><vertices>");
    for (int i = 0; i < 6; i++) {
        double *p = made[i / 3].at[i % 3];

        for (int k = 0; k < 3; k++)
            p[k] = random_number(4);
        put("<vertex x='%.17g' y='%.17g' z='%.17g'/>", p[0], p[1], p[2]);
    }
    put("</vertices><triangles><triangle v1='0' v2='1' v3='2'/><triangle v1='5' v2='3' v3='4'/>"
        "</triangles></mesh></object>");
    add(&of->mesh, made, 2);
}

static void put_part(int part)
{
    put("<model xmlns='http://schemas.microsoft.com/3dmanufacturing/core/2015/02' "
        "xmlns:p='http://schemas.microsoft.com/3dmanufacturing/production/2015/06'><resources>");
    for (uint32_t i = 0; i < OBJECTS; i++)
        put_printed(i, part);
    put("</resources><build>");
}

/* -- the comparison -- */

/* The same corners in the same sense of rotation, from whichever. */
static bool is_same(const kiln_soup *soup, size_t at, const triangle *wanted)
{
    for (size_t turn = 0; turn < 3; turn++) {
        bool same = true;

        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 3; k++) {
                const double got =
                    (double)soup->positions[3 * (size_t)soup->indices[3 * at + (j + turn) % 3] + k];

                same = same && fabs(got - wanted->at[j][k]) <= 1e-5 * (1 + fabs(got));
            }
        if (same)
            return true;
    }
    return false;
}

static void compare_bytes(const char *format, const char *bytes, size_t size, const body *wanted)
{
    const kiln_bake_options options = {
        .struct_size = sizeof options, .leaf = 4, .scale = 1, .up = -1, .import_seconds = 1000};
    const kiln_bake_input input = {.data = bytes, .size = size, .format = format};
    kiln_bake_report report = {0};
    kiln_soup soup;
    const kiln_bake_status status = kiln_import(&input, &options, &soup, &report);

    if (wanted->count == 0) {
        assert_int_equal(status, KILN_BAKE_INVALID);
        assert_non_null(strstr(report.error, "no face"));
    } else if (status != KILN_BAKE_OK) {
        fail_msg("%s in %s", report.error, text);
    } else {
        if (soup.triangle_count != wanted->count)
            fail_msg("%lu triangles, not %zu, of %s", (unsigned long)soup.triangle_count,
                     wanted->count, text);
        for (size_t i = 0; i < wanted->count; i++)
            if (!is_same(&soup, i, &wanted->items[i]))
                fail_msg("triangle %zu of %s", i, text);
        kiln_soup_free(&soup);
    }
    kiln_bake_report_free(&report);
}

static void compare(const char *format, const body *wanted)
{
    compare_bytes(format, text, length, wanted);
}

static void scenes_of_x3d(void **test)
{
    const uint32_t cases = amount(400);

    (void)test;
    state = 41;
    for (uint32_t n = 0; n < cases; n++) {
        body whole = {NULL, 0};

        length = name_count = unnamed = 0;
        put("<X3D><Scene>");
        for (uint32_t i = 1 + random_below(&state, 3); i-- > 0;)
            make_node(&whole, 0);
        put("</Scene></X3D>");
        compare("x3d", &whole);
        free(whole.items);
        while (name_count > 0)
            free(names[--name_count].shape.items);
    }
}

static void scenes_of_amf(void **test)
{
    const uint32_t cases = amount(400);

    (void)test;
    state = 42;
    for (uint32_t n = 0; n < cases; n++) {
        body whole = {NULL, 0};

        length = 0;
        make_amf(&whole);
        compare("amf", &whole);
        free(whole.items);
    }
}

static void scenes_of_3mf(void **test)
{
    const uint32_t cases = amount(400);

    (void)test;
    state = 44;
    for (uint32_t n = 0; n < cases; n++) {
        body whole = {NULL, 0};
        char *other, *archive;
        size_t size;

        length = 0;
        put_part(OTHER_OBJECTS);
        put("</build></model>");
        other = malloc(length);
        assert_non_null(other);
        memcpy(other, text, length);
        const stored_file elsewhere = {"other", other, length};

        length = 0;
        put_part(CORE_OBJECTS);
        for (uint32_t i = 1 + random_below(&state, 3); i-- > 0;) {
            placed item;

            put_placed(&item, OBJECTS, CORE_OBJECTS, "item");
            show_placed(&item, CORE_OBJECTS, &whole);
        }
        put("</build></model>");
        const stored_file files[] = {{"_rels/.rels", stored_relations, strlen(stored_relations)},
                                     {"m", text, length},
                                     elsewhere};

        archive = stored_archive(files, 3, &size);
        compare_bytes("3mf", archive, size, &whole);
        free(archive);
        free(other);
        free(whole.items);
        for (int i = 0; i < 2 * OBJECTS; i++) {
            free(objects[i / OBJECTS][i % OBJECTS].mesh.items);
            objects[i / OBJECTS][i % OBJECTS].mesh = (body){NULL, 0};
        }
    }
}

static void scenes_of_collada(void **test)
{
    const uint32_t cases = amount(400);

    (void)test;
    state = 43;
    for (uint32_t n = 0; n < cases; n++) {
        body whole = {NULL, 0};

        length = 0;
        make_collada(&whole);
        compare("dae", &whole);
        free(whole.items);
        for (int i = 0; i < GEOMETRIES; i++) {
            free(geometries[i].items);
            geometries[i] = (body){NULL, 0};
        }
        for (int i = 0; i < LIBRARY_NODES; i++) {
            free(library_nodes[i].items);
            library_nodes[i] = (body){NULL, 0};
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_of_x3d), cmocka_unit_test(scenes_of_amf),
        cmocka_unit_test(scenes_of_3mf), cmocka_unit_test(scenes_of_collada)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
