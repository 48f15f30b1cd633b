/* The transforms that know what they pack: what comes back, what the document says by hand, and
 * what is refused, whatever the bytes are. */
#define _POSIX_C_SOURCE 200809L
#include "../../formats/codec.h"
#include "../../formats/pack.h"
#include "../../tools/encode/transform.h"
#include "../support/edit.h"
#include "../support/meshes.h"
#include "../support/quick_bake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static _Alignas(8) uint8_t work[KILN_TRANSFORM_WORK];

typedef struct {
    _Alignas(8) uint8_t bytes[KILN_BLOCK_SIZE];
} block;

static block coded, back;
static kiln_segments segments;

/* Packs and unpacks; the packed size. */
static size_t round_trip(uint16_t transform, uint32_t element_size, const void *raw, size_t size)
{
    size_t coded_size = 0;
    assert_true(kiln_transform_apply(transform, element_size, raw, size, coded.bytes, &coded_size,
                                     &segments, work));
    memset(&back, 0xA5, sizeof back);
    assert_true(
        kiln_transform_undo(transform, element_size, coded.bytes, coded_size, back.bytes, size));
    assert_memory_equal(back.bytes, raw, size);
    for (uint32_t i = 0; i < segments.count; i++) {
        assert_true(segments.end[i] <= coded_size);
        assert_true(i == 0 || segments.end[i] >= segments.end[i - 1]);
    }
    return coded_size;
}

/* ------------------------------------------------------------------------------ triangles -- */

static void triangles_by_hand(void **state)
{
    (void)state;
    /* Two that share the edge 6 7, one that shares the edge 6 8 with the second, one far away. */
    static const _Alignas(8) uint32_t raw[] = {5, 6, 7, 7, 6, 8, 6, 9, 8, 1, 5, 6};
    static const uint8_t wanted[] = {
        5,   0, 0, 0,   8, 0,   0, 0, 1, 0, 0, 0, /* next 5, 8 corner codes, 1 far */
        255, 3, 5, 255,                           /* edge codes */
        0,   0, 0, 0,   0, 255, 6, 5,             /* corners: 5, 6, 7; 8; 9; 1 far, 5, 6 of late */
        9,   0, 0, 0,                             /* 10 - 1 */
    };
    size_t size;
    assert_true(kiln_transform_apply(KILN_TRANSFORM_EDGES, 12, (const uint8_t *)raw, sizeof raw,
                                     coded.bytes, &size, &segments, work));
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(coded.bytes, wanted, sizeof wanted);
    assert_int_equal(round_trip(KILN_TRANSFORM_EDGES, 12, raw, sizeof raw), sizeof wanted);
}

/* Any indices come back, or are told to need too much room. */
static void any_triangles_come_back(void **state)
{
    (void)state;
    static _Alignas(8) uint32_t raw[3 * 10922];
    uint64_t random = 11;
    for (int round = 0; round < 60; round++) {
        const size_t count = (size_t)random_below(&random, round % 10 == 0 ? 7000 : 300);
        const uint32_t most = round % 3 == 0 ? 0xFFFFFFFFu : round % 3 == 1 ? 40 : 4000;
        for (size_t i = 0; i < 3 * count; i++) {
            raw[i] = most == 0xFFFFFFFFu ? (uint32_t)random_next(&random)
                                         : (uint32_t)random_below(&random, most);
        }
        (void)round_trip(KILN_TRANSFORM_EDGES, 12, raw, 12 * count);
    }
    for (size_t i = 0; i < 3 * 10922; i++) {
        raw[i] = (uint32_t)random_next(&random);
    }
    size_t size;
    assert_false(kiln_transform_apply(KILN_TRANSFORM_EDGES, 12, (const uint8_t *)raw, sizeof raw,
                                      coded.bytes, &size, &segments, work));
}

static void refuse_triangles(const uint8_t *bytes, size_t size, size_t triangles)
{
    assert_false(kiln_triangles_undo(bytes, size, back.bytes, 12 * triangles));
}

static void triangles_that_are_refused(void **state)
{
    (void)state;
    static const uint8_t good[] = {
        5, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 1, 16, 0,
    };
    uint8_t bytes[32];
    memcpy(bytes, good, sizeof good);
    assert_true(kiln_triangles_undo(bytes, sizeof good, back.bytes, 24));
    static const uint32_t wanted[] = {5, 5, 0, 5, 5, 6};
    assert_memory_equal(back.bytes, wanted, sizeof wanted);
    for (size_t size = 0; size < sizeof good; size++) {
        refuse_triangles(good, size, 2);
    }
    static const struct {
        size_t at;
        uint8_t value;
    } spoils[] = {
        {4, 3},    {4, 5},    {4, 255},  {7, 255},  /* corner codes that don't add up */
        {8, 1},    {11, 255},                       /* nor far ones */
        {13, 9},   {13, 251},                       /* a triangle before the first */
        {12, 0},                                    /* of the first, any */
        {13, 252}, {13, 254},                       /* no edge code */
        {14, 17},  {14, 254}, {15, 128}, {14, 255}, /* no corner code; none is far */
        {13, 255},                                  /* corners end too early */
    };
    for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; i++) {
        memcpy(bytes, good, sizeof good);
        bytes[spoils[i].at] = spoils[i].value;
        refuse_triangles(bytes, sizeof good, 2);
    }
    memcpy(bytes, good, sizeof good);
    memset(bytes + sizeof good, 0, 4);
    bytes[8] = 1; /* a far word that no corner takes */
    refuse_triangles(bytes, sizeof good + 4, 2);
    bytes[8] = 0;
    refuse_triangles(bytes, sizeof good + 1, 2); /* bytes behind the end */
    bytes[4] = 5;                                /* a corner code that no triangle takes */
    refuse_triangles(bytes, sizeof good + 1, 2);
}

/* ----------------------------------------------------------------------------------- nodes -- */

static void nodes_by_hand(void **state)
{
    (void)state;
    kiln_format_node_aabb8 nodes[2];
    memset(nodes, 0, sizeof nodes);
    nodes[0].head.inner = 2;
    nodes[0].head.count[0] = 3; /* lane 0 */
    nodes[0].head.exp[1] = 7;
    nodes[0].head.child = 1;
    nodes[0].head.tri = 1;
    nodes[0].lower[0][0] = 10;
    nodes[0].lower[0][1] = 11;
    nodes[0].upper[2][1] = 99;
    nodes[1].head.count[3] = 0x40; /* lane 7 */
    nodes[1].head.tri = 3;         /* one less than behind the slots before */
    nodes[1].lower[0][7] = 12;
    size_t size;
    assert_true(kiln_transform_apply(KILN_TRANSFORM_LANES, sizeof nodes[0], (const uint8_t *)nodes,
                                     sizeof nodes, coded.bytes, &size, &segments, work));
    assert_int_equal(size, 2 * 25 + 4 + 3 * 6);
    const uint8_t *at = coded.bytes;
    assert_int_equal(at[0], 2); /* inner */
    assert_int_equal(at[2], 3); /* count */
    assert_int_equal(at[2 + 6 + 1], 0x40);
    assert_int_equal(at[10 + 2], 7); /* exp */
    assert_int_equal(at[42], 2);     /* tri: 1, then -1 */
    assert_int_equal(at[43], 1);
    assert_int_equal(at[50], 2); /* child: 1 */
    static const uint8_t first[] = {10, 11, 12}, last[] = {0, 99, 0};
    assert_memory_equal(at + 54, first, 3);
    assert_memory_equal(at + 54 + 15, last, 3);
    assert_int_equal(round_trip(KILN_TRANSFORM_LANES, sizeof nodes[0], nodes, sizeof nodes), size);
}

/* OBB8's half-extents: the low bytes of each axis, then the high ones. */
static void halves_by_hand(void **state)
{
    (void)state;
    kiln_format_node_obb8 node;
    memset(&node, 0, sizeof node);
    node.head.count[1] = 1; /* lane 2 */
    for (unsigned k = 0; k < 3; k++) {
        node.rotation[k][2] = (int8_t)(-1 - (int)k);
        node.centre[k][2] = (uint8_t)(10 + k);
        node.half[k][2] = (uint16_t)(0x4321 + 0x0101 * k);
    }
    static const uint8_t wanted[] = {255, 254, 253, 10, 11, 12, 0x21, 0x22, 0x23, 0x43, 0x44, 0x45};
    assert_int_equal(round_trip(KILN_TRANSFORM_LANES, sizeof node, &node, sizeof node),
                     25 + sizeof wanted);
    assert_memory_equal(coded.bytes + 25, wanted, sizeof wanted);
}

/* What would be lost: bytes of empty lanes, flags, a child of no lane. */
static void nodes_that_can_not_be_carried(void **state)
{
    (void)state;
    const size_t places[] = {16, 29, 30, 31, 32, 33, 127};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        _Alignas(8) uint8_t node[128] = {0};
        size_t size;
        assert_true(kiln_transform_apply(KILN_TRANSFORM_LANES, 128, node, 128, coded.bytes, &size,
                                         &segments, work));
        node[places[i]] = 1;
        assert_false(kiln_transform_apply(KILN_TRANSFORM_LANES, 128, node, 128, coded.bytes, &size,
                                          &segments, work));
    }
}

static void nodes_of_other_lengths_are_refused(void **state)
{
    (void)state;
    kiln_format_node_obb8 nodes[3];
    memset(nodes, 0, sizeof nodes);
    nodes[0].head.inner = 0x81;
    nodes[2].head.count[0] = 0x11;
    const size_t size = round_trip(KILN_TRANSFORM_LANES, sizeof nodes[0], nodes, sizeof nodes);
    assert_int_equal(size, 3 * 25 + 4 + 4 * 12);
    for (size_t other = 0; other < size + 20; other++) {
        assert_int_equal(kiln_lanes_undo(128, coded.bytes, other, back.bytes, sizeof nodes),
                         other == size);
    }
    coded.bytes[0] ^= 2; /* one lane more */
    assert_false(kiln_lanes_undo(128, coded.bytes, size, back.bytes, sizeof nodes));
}

/* ----------------------------------------------------------------------------- whole files -- */

static void each_section(edit_file *file, uint32_t kind, uint16_t transform, size_t most)
{
    const edit_section *section = edit_find(file, kind);
    const uint32_t element = section->entry.element_size;
    const size_t size =
        section->size < kiln_block_raw_size(element) ? section->size : kiln_block_raw_size(element);
    _Alignas(8) static uint8_t raw[KILN_BLOCK_SIZE];
    memcpy(raw, section->data, size);
    const size_t packed = round_trip(transform, element, raw, size);
    assert_true(packed <= size * most / 100);
}

/* What the baker makes: nodes take at most four fifths, triangles of a surface a third. */
static void baked_sections_come_back_smaller(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 2; i++) {
        mesh m = i == 0 ? mesh_torus(60, 40, 0.1) : mesh_soup(&random, 2000, 0.02);
        size_t size;
        void *bytes = quick_bake(&m, "obb,aabb", 4, KILN_LAYOUT_RAW, &size);
        edit_file *file = edit_open(bytes, size);
        each_section(file, KILN_SECTION_NODES_OBB8, KILN_TRANSFORM_LANES, 80);
        each_section(file, KILN_SECTION_NODES_AABB8, KILN_TRANSFORM_LANES, 85);
        each_section(file, KILN_SECTION_TRIANGLES, KILN_TRANSFORM_EDGES, i == 0 ? 33 : 60);
        edit_free(file);
        free(bytes);
        mesh_free(&m);
    }
}

/* Rubbish: refused, or some nodes or triangles; under the sanitizers, nothing else is touched. */
static void rubbish_stays_inside(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int round = 0; round < 3000; round++) {
        const size_t size = (size_t)random_below(&random, 400);
        uint8_t *in = malloc(size + 1), *out = NULL;
        const uint32_t element = round % 3 == 0 ? 12 : round % 3 == 1 ? 80 : 128;
        const size_t count = (size_t)random_below(&random, 8);
        if (in == NULL || posix_memalign((void **)&out, 64, count * element + 64) != 0) {
            abort();
        }
        for (size_t i = 0; i < size; i++) {
            in[i] = random_below(&random, 3) != 0 ? (uint8_t)random_below(&random, 4)
                                                  : (uint8_t)random_below(&random, 256);
        }
        uint8_t *exact = malloc(size > 0 ? size : 1); /* so that reading behind it shows */
        assert_non_null(exact);
        memcpy(exact, in, size);
        memset(out + count * element, 0x5A, 64);
        (void)kiln_transform_undo(element == 12 ? KILN_TRANSFORM_EDGES : KILN_TRANSFORM_LANES,
                                  element, exact, size, out, count * element);
        for (size_t i = 0; i < 64; i++) {
            assert_int_equal(out[count * element + i], 0x5A);
        }
        free(exact);
        free(in);
        free(out);
    }
}

/* ---------------------------------------------------------------------------------- deflate -- */

/* Streams with and without ends of segments inflate to the same; ends pay where planes differ. */
static void segments_pay(void **state)
{
    (void)state;
    enum { HALF = 20000 };
    static uint8_t data[2 * HALF];
    uint64_t random = 9;
    for (size_t i = 0; i < HALF; i++) {
        data[i] = (uint8_t)random_below(&random, 4);
        data[HALF + i] = (uint8_t)(128 + random_below(&random, 128));
    }
    kiln_segments parts = {2, {HALF, 2 * HALF}}, none = {0, {0}}, empty = {3, {0, HALF, HALF}};
    uint32_t with = 0, without = 0, other = 0;
    uint8_t *a = kiln_deflate(data, sizeof data, &parts, &with);
    uint8_t *b = kiln_deflate(data, sizeof data, &none, &without);
    uint8_t *c = kiln_deflate(data, sizeof data, &empty, &other);
    assert_true(with < without);
    assert_true(other <= without);
    assert_true(kiln_block_decode(KILN_TRANSFORM_NONE, 1, a, with, back.bytes, sizeof data));
    assert_memory_equal(back.bytes, data, sizeof data);
    assert_true(kiln_block_decode(KILN_TRANSFORM_NONE, 1, b, without, back.bytes, sizeof data));
    assert_memory_equal(back.bytes, data, sizeof data);
    assert_true(kiln_block_decode(KILN_TRANSFORM_NONE, 1, c, other, back.bytes, sizeof data));
    assert_memory_equal(back.bytes, data, sizeof data);
    free(a);
    free(b);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_by_hand),
        cmocka_unit_test(any_triangles_come_back),
        cmocka_unit_test(triangles_that_are_refused),
        cmocka_unit_test(nodes_by_hand),
        cmocka_unit_test(halves_by_hand),
        cmocka_unit_test(nodes_that_can_not_be_carried),
        cmocka_unit_test(nodes_of_other_lengths_are_refused),
        cmocka_unit_test(baked_sections_come_back_smaller),
        cmocka_unit_test(rubbish_stays_inside),
        cmocka_unit_test(segments_pay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
