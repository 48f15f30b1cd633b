/* The guess of the memory of an asset: by the format, whatever it is called, and for glTF by the
 * files beside it, which are most of it. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/scratch.h"

/* The command is no library. */
#include "../../tools/cmd/batch/asset_memory.c"

enum { BASE = 8 << 20, THOUSAND = 1000 };

static void by_format(void **state)
{
    static const struct {
        const char *input, *format;
        int times;
    } cases[] = {
        {"a.obj", NULL, 6},
        {"b/A.OBJ", NULL, 6},
        {"a.ply", NULL, 6},
        {"a.stl", NULL, 6},
        {"a.off", NULL, 6},
        {"no_such.glb", NULL, 6},
        {"a.fbx", NULL, 16},
        {"a.what", NULL, 16},
        {"a", NULL, 16},
        {"a.fbx", "obj", 6},
        {"a.obj", "fbx", 16},
        {"a.b/c.d.stl", NULL, 6},
        {"a.averyverylongextension", NULL, 16},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(asset_memory_guess(cases[i].input, cases[i].format, THOUSAND),
                         BASE + (uint64_t)cases[i].times * THOUSAND);
    }
}

static void expect(const char *text, size_t size, uint64_t guess)
{
    char folder[SCRATCH_SIZE], path[SCRATCH_PATH_SIZE];
    assert_true(scratch_make(folder, "asset"));
    (void)snprintf(path, sizeof path, "%s/asset.gltf", folder);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(asset_memory_guess(path, NULL, THOUSAND), guess);
    assert_int_equal(asset_memory_guess(path, "glb", THOUSAND), guess);
    assert_int_equal(asset_memory_guess(path, NULL, 0), BASE);
    assert_int_equal(asset_memory_guess(path, "obj", THOUSAND), BASE + 6 * THOUSAND);
    assert_true(scratch_remove(folder));
}

static void of_gltf_by_its_buffers(void **state)
{
    static const char two[] = "{\"buffers\":[{\"byteLength\":5000,\"uri\":\"a.bin\"},"
                              "{\"byteLength\":70000,\"uri\":\"data:;base64,AAAA\"},"
                              "{\"byteLength\":3e3,\"uri\":\"b.bin\"},{\"byteLength\":9}]}";
    static const char packed[] = "{\"extensionsUsed\":[\"KHR_materials_unlit\","
                                 "\"EXT_meshopt_compression\"],"
                                 "\"buffers\":[{\"byteLength\":5000,\"uri\":\"a.bin\"}]}";
    static const char huge[] = "{\"buffers\":[{\"byteLength\":1e300,\"uri\":\"a.bin\"}]}";
    static const char odd[] = "{\"buffers\":[7,{\"byteLength\":\"x\",\"uri\":\"a.bin\"},"
                              "{\"byteLength\":-5,\"uri\":\"a.bin\"}],\"extensionsUsed\":[1]}";
    char glb[200] = "glTF\2\0\0\0";
    (void)state;
    expect(two, sizeof two - 1, BASE + 6 * (THOUSAND + 8000));
    expect(packed, sizeof packed - 1, BASE + 16 * (THOUSAND + 5000));
    expect(huge, sizeof huge - 1, UINT64_C(1) << 62);
    expect(odd, sizeof odd - 1, BASE + 6 * THOUSAND);
    expect("{\"buffers\":", 11, BASE + 6 * THOUSAND);
    expect("", 0, BASE + 6 * THOUSAND);
    expect(glb, 19, BASE + 6 * THOUSAND);
    glb[12] = (char)(sizeof huge - 1);
    memcpy(glb + 20, huge, sizeof huge - 1);
    expect(glb, 20 + sizeof huge + 50, UINT64_C(1) << 62);
    memset(glb + 12, 0xFF, 4);
    expect(glb, 20 + sizeof huge + 50, BASE + 6 * THOUSAND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_format),
        cmocka_unit_test(of_gltf_by_its_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
