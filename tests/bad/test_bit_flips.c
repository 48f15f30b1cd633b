/* What is sampled: 20,000 flips of one bit in valid files, raw and packed, with trees of both
 * kinds; a third of them within the first 512 bytes. As it is, such a file must not open: every
 * bit of a file is under a checksum, or is padding that must be 0, or is a checksum. Then 20,000
 * flips after which the checksums are made to fit again, so that only the structural verifier
 * stands between the bytes and the queries: those may answer anything, but must end, and read
 * nothing that is not theirs.
 *
 * Oracle: the unflipped file's answers; the sanitizers. Tolerance: none.
 *
 * KILN_PROPERTY_SCALE (default 1) multiplies the number of flips; KILN_TEST_QUICK takes a tenth,
 * AddressSanitizer a third; the campaign has millions. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../support/amount.h"
#include "../support/ask.h"
#include "../support/counting.h"
#include "../support/quick_bake.h"
#include "refuse.h"

enum { FLIPS = 20000, SUBJECTS = 6, HEAD = 512, STATUSES = 64 };

static const uint64_t pairs_max = 100000, work_max = 1000000;

typedef struct {
    uint8_t *bytes;
    size_t size;
    kiln_file *file;
    ask_result answers;
} subject;

static subject subjects[SUBJECTS];

static int bake_subjects(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < SUBJECTS; i++) {
        mesh m = i < 2 ? mesh_torus(7, 4, 0.1) : mesh_soup(&random, 40, 0.4);
        kiln_bake_options options = kiln_bake_options_default();
        options.bv = i < 2 ? "obb,aabb" : i < 4 ? "aabb,obb" : "aabb2,obb2";
        options.leaf = i < 2 ? 4 : 1;
        options.layout = i % 2 == 0 ? KILN_LAYOUT_RAW : KILN_LAYOUT_PACKED;
        options.threads = 1;
        options.adb = i < 4 ? 0 : 4;
        options.adb_factor = 0.75;
        options.no_geometry = i == 5;
        subject *s = &subjects[i];
        s->bytes = quick_bake_with(&m, &options, &s->size);
        if (kiln_open_memory(s->bytes, s->size, NULL, &s->file) != KILN_OK) {
            return -1;
        }
        s->answers = ask_files(s->file, s->file, pairs_max, work_max);
        mesh_free(&m);
    }
    return 0;
}

static int free_subjects(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        kiln_close(subjects[i].file);
        free(subjects[i].bytes);
    }
    return 0;
}

static uint32_t flip_count(void)
{
    const char *scale = getenv("KILN_PROPERTY_SCALE");
    const uint32_t flips = FLIPS * (uint32_t)(scale != NULL ? atoi(scale) : 1);
#ifdef __SANITIZE_ADDRESS__
    return is_shortened() ? flips / 10 : flips / 3; /* five times as slow */
#else
    return is_shortened() ? flips / 10 : flips;
#endif
}

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What became of the flips. */
typedef struct {
    uint32_t opened, differed;
    uint32_t refused[STATUSES];
    double slowest;
} tally;

static void print_tally(const char *what, uint32_t flips, const tally *t)
{
    print_message("%u flips %s: %u opened, %u answered otherwise, slowest %.1f ms; refused:", flips,
                  what, t->opened, t->differed, 1e3 * t->slowest);
    for (int i = 0; i < STATUSES; i++) {
        if (t->refused[i] != 0) {
            print_message(" %u '%s'", t->refused[i], kiln_status_text((kiln_status)i));
        }
    }
    print_message("\n");
}

/* Opens the bytes and asks what can be asked. */
static void try_bytes(const uint8_t *bytes, const subject *original, tally *t)
{
    counting count = {0};
    kiln_file *file;
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    const double start = seconds_now();
    const kiln_status status = kiln_open_memory(bytes, original->size, &options, &file);
    if (status == KILN_OK) {
        const ask_result self = ask_files(file, file, pairs_max, work_max);
        if (t->opened++ % 4 == 0) {
            (void)ask_files(subjects[0].file, file, pairs_max, work_max);
        }
        t->differed += self.digest != original->answers.digest;
        kiln_close(file);
    } else {
        assert_null(file);
        assert_in_range(status, 1, STATUSES - 1);
        t->refused[status]++;
    }
    const double spent = seconds_now() - start;
    t->slowest = spent > t->slowest ? spent : t->slowest;
    assert_int_equal(count.live, 0);
    assert_int_equal(count.bytes, 0);
}

static void no_flipped_file_opens(void **state)
{
    (void)state;
    uint64_t random = 1;
    tally t = {0};
    const uint32_t flips = flip_count();
    for (uint32_t i = 0; i < flips; i++) {
        const subject *s = &subjects[i % SUBJECTS];
        const size_t reach = i % 3 == 0 && s->size > HEAD ? HEAD : s->size;
        const size_t at = random_below(&random, (uint32_t)reach);
        const uint8_t bit = (uint8_t)(1u << random_below(&random, 8));
        s->bytes[at] ^= bit;
        try_bytes(s->bytes, s, &t);
        s->bytes[at] ^= bit;
    }
    print_tally("as they are", flips, &t);
    assert_int_equal(t.opened, 0);
}

/* The same files taken in two pieces: what is flipped is seen when it comes, or when all is
 * there, and whatever was there before stays in use. */
static void no_flipped_file_arrives(void **state)
{
    (void)state;
    uint64_t random = 3;
    const uint32_t flips = flip_count() / 2;
    uint32_t late = 0;
    for (uint32_t i = 0; i < flips; i++) {
        const subject *s = &subjects[i % SUBJECTS];
        const size_t at = random_below(&random, (uint32_t)s->size);
        const uint8_t bit = (uint8_t)(1u << random_below(&random, 8));
        counting count = {0};
        kiln_open_options options = kiln_open_options_default();
        kiln_file *file = NULL;
        options.allocator = counting_allocator(&count);
        s->bytes[at] ^= bit;
        if (kiln_open_partial(s->bytes, s->size * 3 / 4, &options, &file) == KILN_OK) {
            const kiln_tree *tree = kiln_file_tree(file, 0);
            bool found;
            assert_int_not_equal(kiln_file_advance(file, s->bytes, s->size, NULL), KILN_OK);
            assert_false(kiln_file_get_loaded(file).complete);
            assert_int_equal(kiln_collide_boxes(tree, NULL, tree, NULL, &found), KILN_OK);
            assert_true(found);
            late++;
        }
        s->bytes[at] ^= bit;
        kiln_close(file);
        assert_int_equal(count.live, 0);
    }
    assert_true(late > flips / 8);
}

/* A byte of header, table or a section: padding, which is most of a small raw file, is left out. */
static size_t pick_byte(const subject *s, uint64_t *random)
{
    kiln_format_header header;
    memcpy(&header, s->bytes, sizeof header);
    const uint32_t pick = random_below(random, 2 * header.section_count);
    if (pick >= header.section_count) {
        return random_below(random, HEAD);
    }
    const kiln_format_section entry = edit_get_entry(s->bytes, pick);
    if (entry.stored_size == 0) {
        return random_below(random, HEAD);
    }
    return (size_t)entry.offset + random_below(random, (uint32_t)entry.stored_size);
}

static void queries_on_resealed_flips_end(void **state)
{
    (void)state;
    uint64_t random = 2;
    tally t = {0};
    const uint32_t flips = flip_count();
    for (uint32_t i = 0; i < flips; i++) {
        const subject *s = &subjects[i % SUBJECTS];
        uint8_t *bytes = malloc(s->size);
        assert_non_null(bytes);
        memcpy(bytes, s->bytes, s->size);
        bytes[pick_byte(s, &random)] ^= (uint8_t)(1u << random_below(&random, 8));
        edit_reseal(bytes, s->size);
        try_bytes(bytes, s, &t);
        free(bytes);
    }
    print_tally("resealed", flips, &t);
    assert_true(t.opened > flips / 20); /* else nothing is tested */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_flipped_file_opens),
        cmocka_unit_test(no_flipped_file_arrives),
        cmocka_unit_test(queries_on_resealed_flips_end),
    };
    return cmocka_run_group_tests(tests, bake_subjects, free_subjects);
}
