/* SHA-256 against the digests that FIPS 180-4's examples and the NIST test vectors publish. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/common/sha256.h"

/* The same source once more, without the processor's own instructions. */
#define KILN_SHA256_PLAIN
#define kiln_sha256_init plain_init
#define kiln_sha256_update plain_update
#define kiln_sha256_final plain_final
void plain_init(kiln_sha256 *hash);
void plain_update(kiln_sha256 *hash, const void *data, size_t size);
void plain_final(kiln_sha256 *hash, uint8_t digest[KILN_SHA256_SIZE]);
#include "../../tools/common/sha256.c"
#undef kiln_sha256_init
#undef kiln_sha256_update
#undef kiln_sha256_final

static void finish(kiln_sha256 *hash, char text[65])
{
    uint8_t digest[KILN_SHA256_SIZE];

    kiln_sha256_final(hash, digest);
    for (size_t i = 0; i < KILN_SHA256_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

static void published_digests(void **state)
{
    static const struct {
        const char *message, *digest;
    } known[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        kiln_sha256 hash;
        char text[65];

        kiln_sha256_init(&hash);
        kiln_sha256_update(&hash, known[i].message, strlen(known[i].message));
        finish(&hash, text);
        assert_string_equal(text, known[i].digest);
    }
}

/* A million 'a', in pieces of every size from 1 to 997 so that every split of a block occurs. */
static void pieces_of_any_size(void **state)
{
    char piece[997], text[65];
    size_t left = 1000000, size = 1;
    kiln_sha256 hash;

    (void)state;
    memset(piece, 'a', sizeof piece);
    kiln_sha256_init(&hash);
    while (left > 0) {
        size_t take = size < left ? size : left;
        kiln_sha256_update(&hash, piece, take);
        left -= take;
        size = size % sizeof piece + 1;
    }
    finish(&hash, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Whatever instructions do it: messages of every length up to five blocks. */
static void plain_and_by_instructions(void **state)
{
    uint8_t message[5 * KILN_SHA256_BLOCK], one[KILN_SHA256_SIZE], other[KILN_SHA256_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(i * 151 + 7);
    for (size_t size = 0; size <= sizeof message; size++) {
        kiln_sha256 hash;

        kiln_sha256_init(&hash);
        kiln_sha256_update(&hash, message, size);
        kiln_sha256_final(&hash, one);
        plain_init(&hash);
        plain_update(&hash, message, size);
        plain_final(&hash, other);
        assert_memory_equal(one, other, sizeof one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_digests),
        cmocka_unit_test(pieces_of_any_size),
        cmocka_unit_test(plain_and_by_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
