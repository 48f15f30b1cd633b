/* Baking of meshes in memory: that it gives the bytes of a file with the same triangles, by every
 * road that options open, and that what is wrong is refused as in a file.
 *
 * Two files are the same if all of their sections are, byte for byte, but for what the document
 * says of the source (name, format, hash, declared unit and axis) and the build key that follows
 * from it. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../../formats/reader.h"
#include "../../runtime/kiln.h"
#include "../../tools/common/memory.h"
#include "../../tools/kiln_bake.h"
#include "../support/amount.h"
#include "../support/meshes.h"
#include "../support/scratch.h"

typedef struct {
    void *data;
    size_t size;
    kiln_bake_report report;
    kiln_bake_status status;
} made;

static made bake_parts(const kiln_mesh *parts, size_t count, const kiln_bake_options *options)
{
    made m;
    memset(&m, 0, sizeof m);
    m.status = kiln_bake_mesh_to_memory(parts, count, options, &m.data, &m.size, &m.report);
    return m;
}

static made bake_text(const char *text, size_t size, const char *format,
                      const kiln_bake_options *options)
{
    const kiln_bake_input input = {NULL, text, size, format};
    made m;
    memset(&m, 0, sizeof m);
    m.status = kiln_bake_to_memory(&input, options, &m.data, &m.size, &m.report);
    return m;
}

static void let_go(made *m)
{
    free(m->data);
    kiln_bake_report_free(&m->report);
}

/* ------------------------------------------------------------------------------- comparison -- */

static json_t *document_of(const kiln_reader_section *section)
{
    json_t *meta = json_loadb(section->data, (size_t)section->entry.raw_size, 0, NULL);
    json_t *source = json_object_get(meta, "source");
    assert_non_null(source);
    static const char *const own[] = {"name", "format", "sha256", "unit_metres", "up"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        assert_int_equal(json_object_del(source, own[i]), 0);
    }
    return meta;
}

static void assert_same_files(const made *a, const made *b)
{
    const kiln_reader_options options = {.wanted = NULL};
    kiln_format_error error;
    kiln_reader x, y;
    if (a->status != KILN_BAKE_OK || b->status != KILN_BAKE_OK) {
        print_message("%s\n%s\n", a->report.error, b->report.error);
    }
    assert_int_equal(a->status, KILN_BAKE_OK);
    assert_int_equal(b->status, KILN_BAKE_OK);
    assert_true(kiln_reader_open(&x, a->data, a->size, &options, &error));
    assert_true(kiln_reader_open(&y, b->data, b->size, &options, &error));
    assert_int_equal(x.section_count, y.section_count);
    assert_int_equal(x.header.version_minor, y.header.version_minor);
    for (uint32_t i = 0; i < x.section_count; i++) {
        const kiln_reader_section *s = &x.sections[i], *t = &y.sections[i];
        assert_int_equal(s->entry.kind, t->entry.kind);
        if (s->entry.kind == KILN_SECTION_META) {
            json_t *p = document_of(s), *q = document_of(t);
            assert_true(json_equal(p, q));
            json_decref(p);
            json_decref(q);
            continue;
        }
        assert_int_equal(s->entry.codec, t->entry.codec);
        assert_int_equal(s->entry.raw_size, t->entry.raw_size);
        assert_int_equal(s->entry.stored_size, t->entry.stored_size);
        assert_memory_equal(s->data, t->data, (size_t)s->entry.raw_size);
    }
    kiln_reader_close(&x);
    kiln_reader_close(&y);
    assert_int_equal(a->report.faces, b->report.faces);
    assert_int_equal(a->report.faces_dropped, b->report.faces_dropped);
    assert_int_equal(a->report.degenerate, b->report.degenerate);
    assert_int_equal(a->report.duplicate, b->report.duplicate);
    assert_int_equal(a->report.warning_count, b->report.warning_count);
    assert_true(a->report.precision_step == b->report.precision_step);
    for (uint32_t i = 0; i < a->report.warning_count; i++) {
        assert_string_equal(a->report.warnings[i], b->report.warnings[i]);
    }
    assert_int_equal(a->report.dropped_count, b->report.dropped_count);
    for (uint32_t i = 0; i < a->report.dropped_count; i++) {
        assert_string_equal(a->report.dropped[i], b->report.dropped[i]);
    }
}

/* ------------------------------------------------------------------------ the same as a text -- */

/* A text that grows. */
typedef struct {
    char *bytes;
    size_t size;
    FILE *stream;
} text;

static text text_begin(void)
{
    text t = {NULL, 0, NULL};
    return t;
}

static kiln_mesh part_of(const mesh *m, const char *name)
{
    return (kiln_mesh){.struct_size = sizeof(kiln_mesh),
                       .name = name,
                       .vertices = m->positions,
                       .vertex_count = m->vertex_count,
                       .triangles = m->indices,
                       .triangle_count = m->triangle_count};
}

static text ply_of(const mesh *m)
{
    text t = text_begin();
    t.stream = open_memstream(&t.bytes, &t.size);
    fprintf(t.stream,
            "ply\nformat binary_little_endian 1.0\nelement vertex %u\nproperty float x\n"
            "property float y\nproperty float z\nelement face %u\n"
            "property list uchar int vertex_indices\nend_header\n",
            m->vertex_count, m->triangle_count);
    (void)fwrite(m->positions, 12, m->vertex_count, t.stream);
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        (void)fputc(3, t.stream);
        (void)fwrite(m->indices + 3 * (size_t)i, 4, 3, t.stream);
    }
    (void)fclose(t.stream);
    return t;
}

static text obj_of(const mesh *m, const char *name, const uint32_t *values)
{
    text t = text_begin();
    uint32_t last = 0;
    t.stream = open_memstream(&t.bytes, &t.size);
    fprintf(t.stream, "o %s\n", name);
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        const float *p = m->positions + 3 * (size_t)i;
        fprintf(t.stream, "v %.17g %.17g %.17g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        if (values != NULL && values[i] != last) {
            last = values[i];
            fprintf(t.stream, "usemtl m%u\n", last);
        }
        fprintf(t.stream, "f %u %u %u\n", m->indices[3 * i] + 1, m->indices[3 * i + 1] + 1,
                m->indices[3 * i + 2] + 1);
    }
    (void)fclose(t.stream);
    return t;
}

/* A soup with triangles without area and twice, and corners of -0. */
static mesh soiled(uint64_t *state)
{
    mesh m = mesh_lattice(state, 200, 4);
    memcpy(m.indices + 3 * 7, m.indices + 3 * 3, 12);
    m.indices[3 * 9 + 1] = m.indices[3 * 9];
    m.positions[5] = -0.0f;
    return m;
}

static void files_have_the_same_bytes(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    static const char *const kinds[] = {"obb,aabb2,sphere", "dop14,octree", "aabb", "obb2"};
    for (int round = 0; round < 8; round++) {
        mesh m = round % 2 == 0 ? mesh_torus(20, 12, 0.1) : soiled(&state);
        kiln_bake_options options = kiln_bake_options_default();
        options.bv = kinds[round % 4];
        options.leaf = 1 + round;
        options.layout = round % 3 == 0 ? KILN_LAYOUT_RAW : KILN_LAYOUT_PACKED;
        options.scale = round == 2 ? 0.37 : 1;
        options.up = round == 3 ? 2 : -1;
        options.lossy_grid = round == 4 ? 8 : 0;
        options.drop = round == 5 ? KILN_DROP_DEGENERATE | KILN_DROP_DUPLICATE : 0;
        options.adb = round == 6 ? 4 : 0;
        options.split = round == 7 ? KILN_SPLIT_MESH : KILN_SPLIT_NONE;
        const kiln_mesh part = part_of(&m, NULL);
        made own = bake_parts(&part, 1, &options);
        text t = ply_of(&m);
        made ply = bake_text(t.bytes, t.size, "ply", &options);
        assert_same_files(&own, &ply);
        assert_true(round != 5 || own.report.faces_dropped > 1);
        let_go(&ply);
        free(t.bytes);
        t = obj_of(&m, "mesh", NULL);
        made obj = bake_text(t.bytes, t.size, "obj", &options);
        assert_same_files(&own, &obj);
        let_go(&obj);
        free(t.bytes);
        let_go(&own);
        mesh_free(&m);
    }
}

static void user_values_and_names(void **unused)
{
    (void)unused;
    static const char *const names[] = {"DefaultMaterial", "m1", "m2"};
    mesh m = mesh_torus(10, 6, 0.1);
    uint32_t values[120];
    assert_int_equal(m.triangle_count, 120);
    for (uint32_t i = 0; i < 120; i++) {
        values[i] = i < 10 ? 0 : i < 60 ? 1 : 2;
    }
    kiln_mesh part = part_of(&m, "ring");
    part.values = values;
    part.materials = names;
    part.material_count = 3;
    text t = obj_of(&m, "ring", values);
    made own = bake_parts(&part, 1, NULL);
    made obj = bake_text(t.bytes, t.size, "obj", NULL);
    assert_same_files(&own, &obj);
    kiln_file *file = NULL;
    kiln_source source;
    assert_int_equal(kiln_open_memory(own.data, own.size, NULL, &file), KILN_OK);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    assert_int_equal(kiln_tree_source(tree, 77, &source), KILN_OK);
    assert_true(source.face == 77 && source.user == 2 && source.mesh == 0);
    assert_string_equal(source.material, "m2");
    assert_string_equal(source.mesh_name, "ring");
    kiln_close(file);
    let_go(&own);
    /* any values, of which none has a name */
    values[5] = 0xFFFFFFFF;
    part.materials = NULL;
    part.material_count = 0;
    own = bake_parts(&part, 1, NULL);
    assert_int_equal(own.status, KILN_BAKE_OK);
    assert_int_equal(kiln_open_memory(own.data, own.size, NULL, &file), KILN_OK);
    assert_int_equal(kiln_tree_user(kiln_file_tree(file, 0), 5), 0xFFFFFFFF);
    assert_int_equal(kiln_tree_source(kiln_file_tree(file, 0), 5, &source), KILN_OK);
    assert_string_equal(source.material, "");
    assert_int_equal(kiln_tree_source(kiln_file_tree(file, 0), 0, &source), KILN_OK);
    assert_string_equal(source.material, "DefaultMaterial");
    kiln_close(file);
    let_go(&own);
    let_go(&obj);
    free(t.bytes);
    mesh_free(&m);
}

/* ----------------------------------------------------------------------- several parts: glTF -- */

static text gltf_of(const mesh *m, const char *const *names, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text t = text_begin();
    uint8_t *bytes = NULL;
    size_t size = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        size += 12 * ((size_t)m[i].vertex_count + m[i].triangle_count);
    }
    bytes = calloc(1, size + 3);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + at, m[i].positions, 12 * (size_t)m[i].vertex_count);
        at += 12 * (size_t)m[i].vertex_count;
        memcpy(bytes + at, m[i].indices, 12 * (size_t)m[i].triangle_count);
        at += 12 * (size_t)m[i].triangle_count;
    }
    t.stream = open_memstream(&t.bytes, &t.size);
    fprintf(t.stream, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (size_t i = 0; i < count; i++) {
        fprintf(t.stream, "%s%zu", i > 0 ? "," : "", i);
    }
    fprintf(t.stream, "]}],\"nodes\":[");
    for (size_t i = 0; i < count; i++) {
        fprintf(t.stream, "%s{\"name\":\"%s\",\"mesh\":%zu}", i > 0 ? "," : "", names[i], i);
    }
    fprintf(t.stream, "],\"meshes\":[");
    for (size_t i = 0; i < count; i++) {
        fprintf(t.stream,
                "%s{\"name\":\"ROOT/%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%zu},"
                "\"indices\":%zu}]}",
                i > 0 ? "," : "", names[i], 2 * i, 2 * i + 1);
    }
    fprintf(t.stream, "],\"accessors\":[");
    at = 0;
    for (size_t i = 0; i < count; i++) {
        double lower[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL},
               upper[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
        for (uint32_t v = 0; v < 3 * m[i].vertex_count; v++) {
            lower[v % 3] = fmin(lower[v % 3], (double)m[i].positions[v]);
            upper[v % 3] = fmax(upper[v % 3], (double)m[i].positions[v]);
        }
        fprintf(t.stream,
                "%s{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":5126,\"type\":\"VEC3\","
                "\"count\":%u,\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]},",
                i > 0 ? "," : "", at, m[i].vertex_count, lower[0], lower[1], lower[2], upper[0],
                upper[1], upper[2]);
        at += 12 * (size_t)m[i].vertex_count;
        fprintf(t.stream,
                "{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":5125,\"type\":\"SCALAR\","
                "\"count\":%u}",
                at, 3 * m[i].triangle_count);
        at += 12 * (size_t)m[i].triangle_count;
    }
    fprintf(
        t.stream,
        "],\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],\"buffers\":[{\"byteLength\":%zu,"
        "\"uri\":\"data:application/octet-stream;base64,",
        size, size);
    for (size_t i = 0; i < size; i += 3) { /* size is a multiple of 3 */
        const uint32_t three =
            (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        fprintf(t.stream, "%c%c%c%c", digits[three >> 18], digits[three >> 12 & 63],
                digits[three >> 6 & 63], digits[three & 63]);
    }
    fprintf(t.stream, "\"}]}");
    (void)fclose(t.stream);
    free(bytes);
    return t;
}

static void several_parts_as_in_gltf(void **unused)
{
    (void)unused;
    /* The reader of glTF puts several nodes below one of this name. */
    static const char *const names[] = {"wheel", "body", "box"};
    static const char *const paths[] = {"ROOT/wheel", "ROOT/body", "ROOT/box"};
    static const char *const none[] = {""};
    mesh m[3] = {mesh_torus(9, 6, 0.1), mesh_torus(12, 5, 0.2), mesh_box(-2, -1, 0, 1, 2, 3)};
    kiln_mesh parts[3];
    for (size_t i = 0; i < 3; i++) {
        parts[i] = part_of(&m[i], paths[i]);
        parts[i].materials = none; /* of files in glTF without materials */
        parts[i].material_count = 1;
    }
    text t = gltf_of(m, names, 3);
    for (int split = 0; split < 3; split++) {
        kiln_bake_options options = kiln_bake_options_default();
        options.split = (kiln_split)split;
        made own = bake_parts(parts, 3, &options);
        made gltf = bake_text(t.bytes, t.size, "gltf", &options);
        assert_same_files(&own, &gltf);
        assert_int_equal(own.report.tree_count, split == 0 ? 1 : 3);
        let_go(&gltf);
        let_go(&own);
    }
    free(t.bytes);
    for (size_t i = 0; i < 3; i++) {
        mesh_free(&m[i]);
    }
}

/* ---------------------------------------------------------------------------------- doubles -- */

static void doubles_are_as_in_files(void **unused)
{
    (void)unused;
    mesh m = mesh_torus(14, 8, 0.1);
    double *vertices = malloc(3 * sizeof *vertices * m.vertex_count);
    assert_non_null(vertices);
    uint64_t state = 8;
    for (int round = 0; round < 4; round++) {
        /* near; far from the origin, where floats lose a part; scaled, and turned */
        for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
            vertices[i] =
                (double)m.positions[i] + random_between(&state, 0, 1e-9) + (round == 1 ? 1e6 : 0);
        }
        kiln_bake_options options = kiln_bake_options_default();
        options.scale = round == 2 ? 1.0 / 3 : 1;
        options.up = round == 3 ? 0 : -1;
        kiln_mesh part = part_of(&m, NULL);
        part.vertices = NULL;
        part.vertices_double = vertices;
        text t = text_begin();
        t.stream = open_memstream(&t.bytes, &t.size);
        fprintf(t.stream,
                "ply\nformat binary_little_endian 1.0\nelement vertex %u\nproperty double x\n"
                "property double y\nproperty double z\nelement face %u\n"
                "property list uchar int vertex_indices\nend_header\n",
                m.vertex_count, m.triangle_count);
        (void)fwrite(vertices, 24, m.vertex_count, t.stream);
        for (uint32_t i = 0; i < m.triangle_count; i++) {
            (void)fputc(3, t.stream);
            (void)fwrite(m.indices + 3 * (size_t)i, 4, 3, t.stream);
        }
        (void)fclose(t.stream);
        made own = bake_parts(&part, 1, &options);
        made ply = bake_text(t.bytes, t.size, "ply", &options);
        assert_same_files(&own, &ply);
        assert_int_equal(own.report.warning_count, round == 1);
        let_go(&ply);
        let_go(&own);
        free(t.bytes);
    }
    free(vertices);
    mesh_free(&m);
}

/* A part in floats beside one in doubles. */
static void floats_beside_doubles(void **unused)
{
    (void)unused;
    mesh m = mesh_torus(10, 6, 0.1);
    double *vertices = malloc(3 * sizeof *vertices * m.vertex_count);
    assert_non_null(vertices);
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        vertices[i] = (double)m.positions[i];
    }
    kiln_mesh parts[2] = {part_of(&m, "a"), part_of(&m, "b")};
    made floats = bake_parts(parts, 2, NULL);
    parts[1].vertices = NULL;
    parts[1].vertices_double = vertices;
    made mixed = bake_parts(parts, 2, NULL);
    assert_same_files(&floats, &mixed);
    assert_int_equal(floats.report.duplicate, m.triangle_count);
    let_go(&floats);
    let_go(&mixed);
    free(vertices);
    mesh_free(&m);
}

/* --------------------------------------------------------------------------- what is refused -- */

static void expect_error(const kiln_mesh *parts, size_t count, kiln_bake_status status,
                         const char *part_of_message)
{
    void *data = &data;
    size_t size = 77;
    kiln_bake_report report;
    assert_int_equal(kiln_bake_mesh_to_memory(parts, count, NULL, &data, &size, &report), status);
    if (strstr(report.error, part_of_message) == NULL) {
        print_message("%s\n", report.error);
    }
    assert_non_null(strstr(report.error, part_of_message));
    assert_true(data == &data && size == 77);
    kiln_bake_report_free(&report);
}

static void bad_faces_are_named_or_dropped(void **unused)
{
    (void)unused;
    for (int what = 0; what < 3; what++) {
        mesh m = mesh_torus(6, 4, 0);
        kiln_mesh parts[2] = {part_of(&m, "first"), part_of(&m, "second")};
        uint32_t *bad = malloc(12 * (size_t)m.triangle_count);
        float *off = malloc(12 * (size_t)m.vertex_count);
        assert_true(bad != NULL && off != NULL);
        memcpy(bad, m.indices, 12 * (size_t)m.triangle_count);
        memcpy(off, m.positions, 12 * (size_t)m.vertex_count);
        parts[1].triangles = bad;
        parts[1].vertices = off;
        if (what == 0) {
            bad[3 * 5 + 2] = m.vertex_count;
            expect_error(parts, 2, KILN_BAKE_INVALID,
                         "node \"/second\", mesh \"second\", face 5: corner 2 refers to vertex 24, "
                         "where there are 24");
        } else {
            off[0] = what == 1 ? NAN : INFINITY;
            expect_error(parts, 2, KILN_BAKE_INVALID, "is not finite");
        }
        kiln_bake_options options = kiln_bake_options_default();
        options.on_bad = KILN_ON_BAD_DROP;
        made m2 = bake_parts(parts, 2, &options);
        assert_int_equal(m2.status, KILN_BAKE_OK);
        assert_true(m2.report.faces_dropped >= 1);
        assert_int_equal(m2.report.faces + m2.report.faces_dropped, 2 * m.triangle_count);
        assert_non_null(strstr(m2.report.dropped[0], "second"));
        let_go(&m2);
        free(bad);
        free(off);
        mesh_free(&m);
    }
}

static void what_callers_get_wrong(void **unused)
{
    (void)unused;
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    static const char *const names[] = {"a", "b"}, *const others[] = {"a", "c"};
    const kiln_mesh good = part_of(&m, NULL);
    double vertex[3] = {0, 0, 0};
    kiln_mesh part = good;
    expect_error(NULL, 1, KILN_BAKE_USAGE, "(memory): no part");
    expect_error(&part, 0, KILN_BAKE_USAGE, "no part");
    part.struct_size = 0;
    expect_error(&part, 1, KILN_BAKE_USAGE, "struct_size");
    part = good;
    part.triangles = NULL;
    expect_error(&part, 1, KILN_BAKE_USAGE, "NULL");
    part = good;
    part.vertices = NULL;
    expect_error(&part, 1, KILN_BAKE_USAGE, "NULL");
    part.vertex_count = 0;
    expect_error(&part, 1, KILN_BAKE_INVALID, "refers to vertex");
    part = good;
    part.vertices_double = vertex;
    expect_error(&part, 1, KILN_BAKE_USAGE, "in floats and in doubles");
    part = good;
    part.material_count = 1;
    expect_error(&part, 1, KILN_BAKE_USAGE, "NULL");
    part = good;
    part.triangle_count = (size_t)1 << 40;
    expect_error(&part, 1, KILN_BAKE_USAGE, "more than 2147483647");
    part.triangle_count = 0;
    expect_error(&part, 1, KILN_BAKE_INVALID, "no face");
    kiln_mesh two[2] = {good, good};
    two[1].struct_size += 8;
    expect_error(two, 2, KILN_BAKE_USAGE, "struct_size");
    two[1] = good;
    two[0].materials = names;
    two[1].materials = others;
    two[0].material_count = two[1].material_count = 2;
    expect_error(two, 2, KILN_BAKE_USAGE, "two names");
    two[1].material_count = 1;
    made agreed = bake_parts(two, 2, NULL);
    assert_int_equal(agreed.status, KILN_BAKE_OK);
    let_go(&agreed);
    /* options are those of every bake */
    kiln_bake_options options = kiln_bake_options_default();
    options.leaf = 99;
    made odd = bake_parts(&good, 1, &options);
    assert_int_equal(odd.status, KILN_BAKE_USAGE);
    let_go(&odd);
    assert_int_equal(kiln_bake_mesh(&good, 1, "/no/such/folder/x.kiln", NULL, NULL), KILN_BAKE_IO);
    /* a format of this name is no way in */
    const kiln_mesh *list[2] = {&good, (const kiln_mesh *)1};
    const kiln_bake_input input = {NULL, list, sizeof list, "memory"};
    void *data = NULL;
    size_t size = 0;
    assert_true(kiln_bake_to_memory(&input, NULL, &data, &size, NULL) != KILN_BAKE_OK);
    assert_null(data);
    mesh_free(&m);
}

/* Every part's list of names is compared once, and not with those of all parts: that would take
 * hours here. The first half has none. */
static void names_of_many_parts(void **unused)
{
    (void)unused;
    enum { PARTS = 100000, NAMES = 100 };
    mesh m = mesh_torus(3, 3, 0);
    const char *names[NAMES], *others[NAMES];
    kiln_mesh *parts = malloc(PARTS * sizeof *parts);
    for (int k = 0; k < NAMES; k++) {
        names[k] = k % 2 == 0 ? "even" : "odd";
        others[k] = k == NAMES - 1 ? "other" : names[k];
    }
    assert_non_null(parts);
    for (int i = 0; i < PARTS; i++) {
        parts[i] = part_of(&m, NULL);
        parts[i].materials = i < PARTS / 2 ? NULL : i < PARTS - 1 ? names : others;
        parts[i].material_count = i < PARTS / 2 ? 0 : NAMES;
    }
    expect_error(parts, PARTS, KILN_BAKE_USAGE, "two names");
    free(parts);
    mesh_free(&m);
}

/* A caller whose kiln_mesh ends before the materials, or has a member more. */
static void structures_of_other_versions(void **unused)
{
    (void)unused;
    mesh m = mesh_torus(6, 5, 0.1);
    const kiln_mesh both[2] = {part_of(&m, "x"), part_of(&m, "y")};
    made wanted = bake_parts(both, 2, NULL);
    for (int longer = 0; longer < 2; longer++) {
        const size_t size = longer ? sizeof(kiln_mesh) + 16 : offsetof(kiln_mesh, materials);
        unsigned char *list = malloc(2 * size);
        assert_non_null(list);
        memset(list, 0xEE, 2 * size);
        for (size_t i = 0; i < 2; i++) {
            kiln_mesh part = both[i];
            part.struct_size = size;
            memcpy(list + i * size, &part, size < sizeof part ? size : sizeof part);
        }
        made other = bake_parts((const kiln_mesh *)(const void *)list, 2, NULL);
        assert_same_files(&wanted, &other);
        assert_int_equal(wanted.size, other.size);
        assert_memory_equal(wanted.data, other.data, wanted.size);
        let_go(&other);
        free(list);
    }
    let_go(&wanted);
    mesh_free(&m);
}

/* --------------------------------------------------------------------- outputs and the cache -- */

static void outputs_are_kept_while_nothing_changes(void **unused)
{
    (void)unused;
    char folder[SCRATCH_SIZE], output[SCRATCH_PATH_SIZE + 16], cache[SCRATCH_PATH_SIZE + 16];
    assert_true(scratch_make(folder, "mesh"));
    (void)snprintf(output, sizeof output, "%s/a.kiln", folder);
    (void)snprintf(cache, sizeof cache, "%s/cache", folder);
    mesh m = mesh_torus(8, 6, 0.1);
    uint32_t values[96] = {0};
    kiln_mesh part = part_of(&m, "ring");
    part.values = values;
    kiln_bake_options options = kiln_bake_options_default();
    options.if_changed = true;
    options.cache = cache;
    static const kiln_bake_outcome wanted[] = {KILN_OUTCOME_BAKED, KILN_OUTCOME_UP_TO_DATE,
                                               KILN_OUTCOME_BAKED, KILN_OUTCOME_CACHED,
                                               KILN_OUTCOME_BAKED, KILN_OUTCOME_BAKED};
    for (int step = 0; step < 6; step++) {
        kiln_bake_report report;
        values[3] = step == 2;
        part.name = step == 4 ? "other" : "ring";
        options.leaf = step == 5 ? 3 : 4;
        assert_int_equal(kiln_bake_mesh(&part, 1, output, &options, &report), KILN_BAKE_OK);
        assert_string_equal(report.cache_error, "");
        assert_int_equal(report.outcome, wanted[step]);
        assert_int_equal(report.faces, 96);
        kiln_bake_report_free(&report);
    }
    mesh_free(&m);
    assert_true(scratch_remove(folder));
}

/* ----------------------------------------------------------------------- progress and limits -- */

typedef struct {
    int calls, end_at;
    char first[32], last[32];
} watched;

static bool watch(void *user, const char *stage, double part)
{
    watched *w = user;
    assert_true(part <= 1);
    (void)snprintf(w->calls == 0 ? w->first : w->last, sizeof w->first, "%s", stage);
    return ++w->calls != w->end_at;
}

static void progress_and_cancellation(void **unused)
{
    (void)unused;
    mesh m = mesh_torus(60, 40, 0.1);
    const kiln_mesh part = part_of(&m, NULL);
    kiln_bake_options options = kiln_bake_options_default();
    watched w = {.end_at = -1};
    options.progress = watch;
    options.progress_user = &w;
    made all = bake_parts(&part, 1, &options);
    assert_int_equal(all.status, KILN_BAKE_OK);
    assert_string_equal(w.first, "import");
    assert_string_equal(w.last, "write");
    let_go(&all);
    for (int i = 1; i <= 3; i++) {
        w = (watched){.end_at = i};
        made some = bake_parts(&part, 1, &options);
        assert_int_equal(some.status, KILN_BAKE_FAILED);
        assert_non_null(strstr(some.report.error, "cancelled"));
        assert_null(some.data);
        let_go(&some);
    }
    mesh_free(&m);
}

static void limits_of_memory_hold(void **unused)
{
    (void)unused;
    mesh m = mesh_torus(300, 100, 0.1);
    const kiln_mesh part = part_of(&m, NULL);
    kiln_bake_options options = kiln_bake_options_default();
    options.import_memory = (uint64_t)1 << 20;
    made small = bake_parts(&part, 1, &options);
    assert_int_equal(small.status, KILN_BAKE_FAILED);
    assert_non_null(strstr(small.report.error, "--import-memory"));
    let_go(&small);
    options = kiln_bake_options_default();
    options.max_memory = (uint64_t)5 << 20;
    small = bake_parts(&part, 1, &options);
    assert_int_equal(small.status, KILN_BAKE_FAILED);
    assert_non_null(strstr(small.report.error, "--max-memory"));
    let_go(&small);
    mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_have_the_same_bytes),
        cmocka_unit_test(user_values_and_names),
        cmocka_unit_test(several_parts_as_in_gltf),
        cmocka_unit_test(doubles_are_as_in_files),
        cmocka_unit_test(floats_beside_doubles),
        cmocka_unit_test(bad_faces_are_named_or_dropped),
        cmocka_unit_test(what_callers_get_wrong),
        cmocka_unit_test(names_of_many_parts),
        cmocka_unit_test(structures_of_other_versions),
        cmocka_unit_test(outputs_are_kept_while_nothing_changes),
        cmocka_unit_test(progress_and_cancellation),
        cmocka_unit_test(limits_of_memory_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
