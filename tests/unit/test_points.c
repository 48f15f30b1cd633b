/* Vertices that several meshes share: each mesh takes those that it uses, and no more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/import/points.h"

/* Sends meshes of single triangles of 1000 points, or of all with a corner out of range, and
 * receives them. */
static void send_meshes(kiln_scene *scene, bool out_of_range)
{
    int ends[2];
    char block[4096];
    ssize_t got;
    pid_t process;

    assert_int_equal(pipe(ends), 0);
    process = fork();
    if (process == 0) {
        kiln_reading reading = {.sender = kiln_sender_start(ends[1])};
        kiln_points points = {0};

        for (int i = 0; i < 1000; i++) {
            const double position[3] = {i, 0, i % 7};

            kiln_points_add(&reading, &points, position);
        }
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t corners[3] = {999 - i, 5, i};
            kiln_scene_mesh mesh = {.face_count = 1};

            if (out_of_range)
                corners[1] = 1000;
            mesh.vertex_count = kiln_points_send(&reading, &points, corners, 3);
            kiln_read_face(&reading, corners, 3, i, 0);
            kiln_send(reading.sender, KILN_ARRAY_MESHES, &mesh, 1);
        }
        kiln_points_free(&points);
        kiln_send_end(reading.sender);
        _exit(0);
    }
    (void)close(ends[1]);
    memset(scene, 0, sizeof *scene);
    while ((got = read(ends[0], block, sizeof block)) > 0)
        assert_true(kiln_scene_receive(scene, (const uint8_t *)block, (size_t)got));
    (void)close(ends[0]);
    assert_true(waitpid(process, NULL, 0) == process);
}

static void a_mesh_has_the_vertices_of_its_corners(void **state)
{
    kiln_scene scene;

    (void)state;
    send_meshes(&scene, false);
    const float(*positions)[3] = scene.arrays[KILN_ARRAY_POSITIONS].items;
    const uint32_t *corners = scene.arrays[KILN_ARRAY_CORNERS].items;

    assert_int_equal(scene.arrays[KILN_ARRAY_POSITIONS].count, 9);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(positions[3 * i + corners[3 * i]][0] == (float)(999 - i));
        assert_true(positions[3 * i + corners[3 * i + 1]][0] == 5);
        assert_true(positions[3 * i + corners[3 * i + 2]][0] == (float)i);
    }
    kiln_scene_free(&scene);
}

/* So that the message has the numbers of the file. */
static void one_that_is_out_of_range_brings_all(void **state)
{
    kiln_scene scene;

    (void)state;
    send_meshes(&scene, true);
    assert_int_equal(scene.arrays[KILN_ARRAY_POSITIONS].count, 3000);
    assert_int_equal(((const uint32_t *)scene.arrays[KILN_ARRAY_CORNERS].items)[1], 1000);
    assert_int_equal(((const uint32_t *)scene.arrays[KILN_ARRAY_CORNERS].items)[0], 999);
    kiln_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_mesh_has_the_vertices_of_its_corners),
                                       cmocka_unit_test(one_that_is_out_of_range_brings_all)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
