/* A program with many placed trees: a ship flies so fast through a field of rocks that it would
 * jump over them between two frames.
 *
 *     scene SHIP.kiln ROCK.kiln
 *
 * A scene holds the rocks, whose poses change each frame. It says which of them are near the ship's
 * way; a sweep of each says when the ship first touches it. */
#include <kiln_scene.h>
#include <kiln_sweep.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ALONG = 10, ROCKS = ALONG * ALONG * ALONG, FRAMES = 8 };

static kiln_file *load(const char *path)
{
    kiln_file *file = NULL;
    kiln_error error;
    kiln_open_options options = kiln_open_options_default();
    options.error = &error;
    if (kiln_open(path, &options, &file) != KILN_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        exit(1);
    }
    return file;
}

/* Wrong arguments are the only errors from here on, which a program does not make. */
static void must(kiln_status status)
{
    if (status != KILN_OK) {
        fprintf(stderr, "scene: %s\n", kiln_status_text(status));
        exit(1);
    }
}

/* Rocks stand 6 units apart, and each turns about z at a speed of its own. */
static kiln_pose rock_at(int rock, int frame)
{
    const double turn = 0.01 * (rock % 7 + 1) * frame, c = cos(turn), s = sin(turn);
    const double x = rock % ALONG, y = rock / ALONG % ALONG, z = rock / ALONG / ALONG;
    const kiln_pose pose = {{c, -s, 0, s, c, 0, 0, 0, 1}, {6 * x, 6 * y, 6 * z}, 1};
    return pose;
}

/* The ship moves by 9 units a frame, and does not turn. */
static kiln_pose ship_at(int frame)
{
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = 9.0 * frame - 9;
    pose.translation[1] = 1.75 * frame;
    pose.translation[2] = 0.75 * frame;
    return pose;
}

/* The ship's way within a frame, and the first rock that it touches. */
typedef struct {
    const kiln_tree *ship, *rock;
    kiln_motion way;
    int frame, swept, first;
    double time;
} flight;

/* A rock near the way; its number is its user value. */
static bool sweep_rock(void *user, const kiln_scene_pair *pair)
{
    flight *f = user;
    const int rock = (int)pair->user_b;
    const kiln_pose before = rock_at(rock, f->frame), after = rock_at(rock, f->frame + 1);
    kiln_motion turn;
    kiln_sweep_hit hit;
    must(kiln_motion_between(&before, &after, NULL, 0, &turn));
    must(kiln_sweep(f->ship, &f->way, f->rock, &turn, NULL, &hit));
    f->swept++;
    if (hit.found && (f->first < 0 || hit.time < f->time)) {
        f->time = hit.time;
        f->first = rock;
    }
    return true;
}

/* Sweeps the ship against all rocks whose bounds meet those of its way. A rock that turns may leave
 * its bounds by less than a unit within a frame. */
static void fly(flight *f, const kiln_scene *scene)
{
    const kiln_pose before = ship_at(f->frame), after = ship_at(f->frame + 1);
    double lower[3], upper[3], lower_after[3], upper_after[3];
    kiln_scene_options options = kiln_scene_options_default();
    options.within = 1;
    must(kiln_scene_bounds_of(f->ship, &before, lower, upper));
    must(kiln_scene_bounds_of(f->ship, &after, lower_after, upper_after));
    for (int k = 0; k < 3; k++) {
        lower[k] = fmin(lower[k], lower_after[k]);
        upper[k] = fmax(upper[k], upper_after[k]);
    }
    must(kiln_motion_between(&before, &after, NULL, 0, &f->way));
    must(kiln_scene_pairs_in_box_each(scene, lower, upper, &options, sweep_rock, f, NULL));
}

int main(int count, char **words)
{
    if (count != 3) {
        fprintf(stderr, "usage: scene SHIP.kiln ROCK.kiln\n");
        return 1;
    }
    kiln_file *ship_file = load(words[1]), *rock_file = load(words[2]);
    flight f = {
        .ship = kiln_file_tree(ship_file, 0), .rock = kiln_file_tree(rock_file, 0), .first = -1};

    /* A scene lives in memory of the program's, and never asks for more. */
    void *memory = malloc(kiln_scene_size(ROCKS));
    kiln_scene *scene = NULL;
    static kiln_scene_id ids[ROCKS];
    static kiln_pose poses[ROCKS];
    must(kiln_scene_place(memory, kiln_scene_size(ROCKS), ROCKS, &scene));
    for (int i = 0; i < ROCKS; i++) {
        kiln_scene_object object = kiln_scene_object_default();
        object.tree = f.rock;
        object.pose = rock_at(i, 0);
        object.user = (uint64_t)i;
        must(kiln_scene_add(scene, &object, &ids[i]));
    }

    size_t jumped = 0;
    for (f.frame = 0; f.frame < FRAMES && f.first < 0; f.frame++) {
        kiln_scene_hit hit;
        for (int i = 0; i < ROCKS; i++) {
            poses[i] = rock_at(i, f.frame);
        }
        must(kiln_scene_move_many(scene, ids, poses, ROCKS));
        const kiln_pose here = ship_at(f.frame);
        must(kiln_scene_collide_object_any(scene, f.ship, &here, NULL, &hit));
        jumped += hit.hit.found;
        fly(&f, scene);
    }
    printf("%d rocks, %d of them near the way\n", (int)kiln_scene_get_info(scene).count, f.swept);
    if (f.first >= 0) {
        printf("frame %d, time %.6f: the ship touches rock %d\n", f.frame - 1, f.time, f.first);
        printf("at the beginnings of frames it meets %zu\n", jumped);
    }

    free(memory);
    kiln_close(rock_file);
    kiln_close(ship_file);
    return 0;
}
