/* Axis sets: what is built in, which axes a velocity uses, and what is refused. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "../../runtime/kiln_axes.h"
#include "../support/quick_axes.h"
#include "../support/scratch.h"

static void built_in_set(void **state)
{
    (void)state;
    const kiln_axes_info info = kiln_axes_get_info(NULL);
    assert_true(kiln_axes_default() != NULL);
    assert_int_equal(info.count, KILN_AXES_DEFAULT_COUNT);
    assert_int_equal(info.words, KILN_AXES_DEFAULT_WORDS);
    assert_true(info.count <= 70);
    assert_true(info.radius <= 11.32 * acos(-1.0) / 180);
    assert_true(fabs(info.sine - sin(info.radius)) < 1e-12);
    assert_int_equal(info.zone_cells, 0);
    assert_true(info.zone_sine == info.sine);
    assert_int_equal(info.bytes, info.count * 24);
    for (uint32_t i = 0; i < info.count; i++) {
        double axis[3];
        assert_int_equal(kiln_axes_get(kiln_axes_default(), i, axis), KILN_OK);
        assert_memory_equal(axis, info.axes[i], sizeof axis);
        assert_true(fabs(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] - 1.0) <
                    0x1p-49);
    }
}

static uint32_t zone_of(double x, double y, double z, double sine, uint64_t mask[2])
{
    const double velocity[3] = {x, y, z};
    uint32_t count = 0;
    assert_int_equal(kiln_axes_zone(NULL, velocity, sine, mask, &count), KILN_OK);
    return count;
}

/* The bits are those of the axes that are nearly perpendicular, and they are counted. */
static void zone_has_what_is_near(void **state)
{
    (void)state;
    const kiln_axes_info info = kiln_axes_get_info(NULL);
    uint64_t mask[2];
    const uint32_t count = zone_of(1, 2, 3, info.sine, mask);
    uint32_t found = 0;
    for (uint32_t i = 0; i < 128; i++) {
        const bool is_in = (mask[i / 64] >> i % 64 & 1) != 0;
        const double along =
            i < info.count
                ? (info.axes[i][0] + 2 * info.axes[i][1] + 3 * info.axes[i][2]) / sqrt(14)
                : 2;
        assert_int_equal(is_in, fabs(along) <= info.sine);
        found += is_in;
    }
    assert_int_equal(found, count);
    assert_in_range(count, 5, 30);
    /* Without the count, and at the set's own angle. */
    uint64_t again[2];
    const double velocity[3] = {1, 2, 3};
    assert_int_equal(kiln_axes_zone(kiln_axes_default(), velocity, 0, again, NULL), KILN_OK);
    assert_memory_equal(mask, again, sizeof mask);
}

static void zone_at_rest_and_at_a_right_angle_has_all(void **state)
{
    (void)state;
    uint64_t mask[2];
    assert_int_equal(zone_of(0, -0.0, 0, 0, mask), KILN_AXES_DEFAULT_COUNT);
    assert_true(mask[0] == ~UINT64_C(0));
    assert_true(mask[1] == (UINT64_C(1) << (KILN_AXES_DEFAULT_COUNT - 64)) - 1);
    assert_int_equal(zone_of(1, 0, 0, 1, mask), KILN_AXES_DEFAULT_COUNT);
}

/* Lengths and signs of velocities do not matter, be they denormal or nearly infinite. */
static void length_does_not_matter(void **state)
{
    (void)state;
    uint64_t mask[2], other[2];
    const double scales[] = {-1, 0x1p1020, 0x1p-1070, -0x1p-1022, 0x1p-1050};
    const uint32_t count = zone_of(3, -2, 7, 0, mask);
    for (unsigned i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        assert_int_equal(zone_of(3 * scales[i], -2 * scales[i], 7 * scales[i], 0, other), count);
        assert_memory_equal(mask, other, sizeof mask);
    }
}

static void rounding_mode_does_not_matter(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint64_t mask[2], other[2];
    for (unsigned i = 0; i < 300; i++) {
        const uint32_t count = zone_of(i, 17, 0.1 * i - 3, 0, mask);
        const int before = fegetround();
        const double velocity[3] = {i, 17, 0.1 * i - 3};
        uint32_t found = 0;
        fesetround(modes[i % 3]);
        const kiln_status status = kiln_axes_zone(NULL, velocity, 0, other, &found);
        fesetround(before);
        assert_int_equal(status, KILN_OK);
        assert_int_equal(found, count);
        assert_memory_equal(mask, other, sizeof mask);
    }
}

static void bad_arguments(void **state)
{
    (void)state;
    const kiln_axes_info info = kiln_axes_get_info(NULL);
    const double bad[][3] = {{NAN, 0, 1}, {0, INFINITY, 0}, {1, 0, -INFINITY}, {0, NAN, 0}};
    const double good[3] = {1, 0, 0};
    const double sines[] = {nextafter(info.sine, 0), 0x1p-60, -1, NAN, 1.5, INFINITY};
    uint64_t mask[2] = {1, 2};
    uint32_t count = 77;
    double axis[3] = {4, 5, 6};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(kiln_axes_zone(NULL, bad[i], 0, mask, &count), KILN_ERROR_ARGUMENT);
    }
    for (unsigned i = 0; i < 6; i++) { /* the first is an angle below the covering radius */
        assert_int_equal(kiln_axes_zone(NULL, good, sines[i], mask, &count), KILN_ERROR_ARGUMENT);
    }
    assert_int_equal(kiln_axes_zone(NULL, NULL, 0, mask, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_axes_zone(NULL, good, 0, NULL, &count), KILN_ERROR_ARGUMENT);
    assert_true(mask[0] == 1 && mask[1] == 2 && count == 77);
    assert_int_equal(kiln_axes_get(NULL, KILN_AXES_DEFAULT_COUNT, axis), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_axes_get(NULL, 0, NULL), KILN_ERROR_ARGUMENT);
    assert_true(axis[0] == 4);
}

/* From memory and from disk, checked and trusted, raw and packed: the same set. */
static void sets_from_files(void **state)
{
    (void)state;
    for (int form = 0; form < 2; form++) {
        size_t size;
        char folder[SCRATCH_SIZE], path[SCRATCH_PATH_SIZE];
        kiln_axes *axes[4];
        void *bytes = quick_axes(14, false, true, (kiln_layout)form, &size);
        kiln_open_options options = kiln_open_options_default();
        assert_true(scratch_make(folder, "axes"));
        (void)snprintf(path, sizeof path, "%s/axes.kiln", folder);
        FILE *out = fopen(path, "wb");
        assert_true(out != NULL && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
        assert_int_equal(kiln_axes_open_memory(bytes, size, NULL, &axes[0]), KILN_OK);
        assert_int_equal(kiln_axes_open(path, NULL, &axes[1]), KILN_OK);
        options.flags = KILN_OPEN_TRUSTED;
        assert_int_equal(kiln_axes_open(path, &options, &axes[2]), KILN_OK);
        options.flags = KILN_OPEN_COPY;
        assert_int_equal(kiln_axes_open(path, &options, &axes[3]), KILN_OK);
        for (unsigned i = 0; i < 4; i++) {
            const kiln_axes_info info = kiln_axes_get_info(axes[i]);
            assert_int_equal(info.count, 10);
            assert_int_equal(info.words, 1);
            assert_int_equal(info.zone_cells, 66);
            assert_int_equal(info.bytes, 10 * 24 + 3 * 66 * 66 * 8);
            assert_true(info.zone_sine == info.sine);
            const double velocity[3] = {-1, 0.5, 2};
            uint64_t mask, first;
            uint32_t count;
            assert_int_equal(kiln_axes_zone(axes[i], velocity, 0, &mask, &count), KILN_OK);
            assert_int_equal(kiln_axes_zone(axes[0], velocity, 0, &first, NULL), KILN_OK);
            assert_true(mask == first && count >= 3);
        }
        for (unsigned i = 0; i < 4; i++) {
            kiln_axes_close(axes[i]);
        }
        assert_true(scratch_remove(folder));
        free(bytes);
    }
}

static void what_does_not_open(void **state)
{
    (void)state;
    kiln_axes *axes = (kiln_axes *)1;
    assert_int_equal(kiln_axes_open("/nowhere/axes.kiln", NULL, &axes), KILN_ERROR_NOT_FOUND);
    assert_null(axes);
    assert_int_equal(kiln_axes_open(NULL, NULL, &axes), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_axes_open_memory(NULL, 5, NULL, &axes), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_axes_open_memory("x", 1, NULL, NULL), KILN_ERROR_ARGUMENT);
    kiln_axes_close(NULL);
    kiln_axes_close((kiln_axes *)(uintptr_t)kiln_axes_default());
    assert_int_equal(kiln_axes_get_info(NULL).count, KILN_AXES_DEFAULT_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_set),
        cmocka_unit_test(zone_has_what_is_near),
        cmocka_unit_test(zone_at_rest_and_at_a_right_angle_has_all),
        cmocka_unit_test(length_does_not_matter),
        cmocka_unit_test(rounding_mode_does_not_matter),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(sets_from_files),
        cmocka_unit_test(what_does_not_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
