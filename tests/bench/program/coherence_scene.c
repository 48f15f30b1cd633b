/* What fronts are good for over many frames: queries of a scene of slow objects that need not be
 * made, since objects have not moved as far as the last query says that they may; and how long
 * fronts become. */
#include "coherence.h"

#include "../../../formats/os.h"
#include "../../../runtime/kiln_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (unsigned)(sizeof(array) / sizeof(array)[0])
#define SAY(...) COHERENCE_SAY(bench, __VA_ARGS__)

/* ---------------------------------------------------------------------- a scene of objects - */

/* How the queries of candidates are made. */
typedef enum {
    EVERY_FRAME, /* kiln_collide of every candidate */
    FREE_MOTION, /* by a front a pair, when both have moved by the free motion of the last query */
    DISTANCE,    /* the same by kiln_front_distance, whose free motions are the longest */
    WAYS
} asking;

static const char *const way_names[WAYS] = {"every frame", "free motion", "distance"};

/* Two objects that were near at some time. */
typedef struct {
    uint64_t key; /* 0: none */
    kiln_front *front;
    void *memory;
    double until; /* nothing meets while the sum of both objects' motions is below */
} near_pair;

typedef struct {
    kiln_pose pose;
    double rotation[4], place[3], velocity[3], spin[3];
    double moved; /* the sum of all its motions */
    kiln_scene_id id;
    bool turns_back;
} slow_object;

enum { PAIR_PLACES = 1 << 18 };

typedef struct {
    const kiln_tree *tree;
    kiln_scene *scene;
    void *memory;
    slow_object *objects;
    uint32_t count;
    near_pair *pairs;
    uint32_t pair_count;
    asking way;
    uint64_t candidates, queries, events, digest, nanoseconds;
    uint32_t frame;
} slow_scene;

static void normalise(double q[4])
{
    const double length = sqrt(((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3]);
    for (int k = 0; k < 4; k++) {
        q[k] /= length;
    }
}

static void set_pose(slow_object *of)
{
    if (kiln_pose_from_quaternion(of->rotation, of->place, &of->pose) != KILN_OK) {
        abort();
    }
}

static void place_objects(slow_scene *of, double edge, double speed)
{
    uint64_t random = 1000;
    kiln_scene_object object = kiln_scene_object_default();
    object.tree = of->tree;
    for (uint32_t i = 0; i < of->count; i++) {
        slow_object *one = &of->objects[i];
        const double turn = 0.5 * speed;
        size_t met = 1;
        random_direction(&random, one->velocity);
        random_direction(&random, one->spin);
        for (int k = 0; k < 3; k++) {
            one->velocity[k] *= speed;
            one->spin[k] *= turn / 2;
        }
        while (met > 0) {
            random_direction(&random, one->rotation);
            one->rotation[3] = random_between(&random, -2, 2);
            normalise(one->rotation);
            for (int k = 0; k < 3; k++) {
                one->place[k] = random_between(&random, 0, edge);
            }
            set_pose(one);
            if (kiln_scene_collide_object(of->scene, of->tree, &one->pose, NULL, NULL, 0, &met) !=
                KILN_OK) {
                abort();
            }
        }
        object.pose = one->pose;
        object.user = i;
        if (kiln_scene_add(of->scene, &object, &one->id) != KILN_OK) {
            abort();
        }
    }
}

/* A frame of one object: it turns by its spin, whose length is half the angle, and keeps between
 * the walls. */
static void move_object(slow_scene *of, slow_object *one, double edge)
{
    const kiln_pose before = one->pose;
    const double *w = one->spin,
                 q[4] = {one->rotation[0], one->rotation[1], one->rotation[2], one->rotation[3]};
    double motion;
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        one->rotation[k] = q[k] + (w[k] * q[3] + (w[l] * q[m] - w[m] * q[l]));
        const double to = one->place[k] + one->velocity[k];
        if (to < 0 || to > edge) {
            one->velocity[k] = -one->velocity[k];
        } else {
            one->place[k] = to;
        }
    }
    one->rotation[3] = q[3] - ((w[0] * q[0] + w[1] * q[1]) + w[2] * q[2]);
    normalise(one->rotation);
    set_pose(one);
    if (kiln_motion_bound(of->tree, &before, &one->pose, &motion) != KILN_OK ||
        kiln_scene_move(of->scene, one->id, &one->pose) != KILN_OK) {
        abort();
    }
    one->moved += motion;
}

/* The pair's entry, which is new where the pair was never near. */
static near_pair *find_pair(slow_scene *of, uint64_t key)
{
    uint64_t state = key;
    uint64_t at = random_next(&state) % PAIR_PLACES;
    while (of->pairs[at].key != 0 && of->pairs[at].key != key) {
        at = (at + 1) % PAIR_PLACES;
    }
    if (of->pairs[at].key == 0) {
        if (++of->pair_count > PAIR_PLACES / 2) {
            abort();
        }
        of->pairs[at].key = key;
    }
    return &of->pairs[at];
}

static void make_front(const slow_scene *of, near_pair *pair)
{
    kiln_front_options options = kiln_front_options_default();
    options.capacity = 64;
    const size_t size = kiln_front_size(of->tree, of->tree, &options);
    pair->memory = malloc(size);
    if (pair->memory == NULL || kiln_front_place(pair->memory, size, of->tree, of->tree, &options,
                                                 &pair->front) != KILN_OK) {
        abort();
    }
}

/* Asks about two objects, and how far they may move until they can meet. */
static bool ask_pair(slow_scene *of, near_pair *pair, const slow_object *a, const slow_object *b,
                     double *free_motion)
{
    kiln_status status;
    kiln_hit hit = {.found = false};
    const uint64_t from = kiln_os_nanoseconds();
    *free_motion = 0;
    of->queries++;
    if (pair != NULL && pair->front == NULL) {
        make_front(of, pair);
    }
    if (of->way == DISTANCE) {
        kiln_pair_options options = kiln_pair_options_default();
        kiln_nearest nearest;
        options.beyond = 0.1;
        status = kiln_front_distance(pair->front, &a->pose, &b->pose, &options, &nearest);
        hit.found = status == KILN_OK && nearest.found && !(nearest.distance > 0);
        /* A distance is certified to within 2^-43 of the extent of two triangles. */
        *free_motion = status == KILN_OK ? nearest.distance - 0x1p-40 : 0;
    } else if (of->way == FREE_MOTION) {
        status = kiln_front_collide(pair->front, &a->pose, &b->pose, NULL, &hit, free_motion);
    } else {
        status = kiln_collide(of->tree, &a->pose, of->tree, &b->pose, NULL, &hit);
    }
    if (status != KILN_OK) {
        abort();
    }
    of->nanoseconds += kiln_os_nanoseconds() - from;
    return hit.found;
}

/* A candidate of the broad phase. Objects that meet turn back, along the way that they came. */
static bool take_candidate(void *user, const kiln_scene_pair *candidate)
{
    slow_scene *of = user;
    slow_object *a = &of->objects[candidate->user_a], *b = &of->objects[candidate->user_b];
    near_pair *pair = NULL;
    double free_motion;
    of->candidates++;
    if (of->way != EVERY_FRAME) {
        pair = find_pair(of, candidate->user_a << 32 | candidate->user_b);
        if (a->moved + b->moved < pair->until) {
            return true;
        }
    }
    const bool meets = ask_pair(of, pair, a, b, &free_motion);
    if (pair != NULL) {
        pair->until = (a->moved + b->moved) + free_motion;
    }
    if (meets) {
        uint64_t state =
            ((uint64_t)of->frame << 40) ^ (candidate->user_a << 20) ^ candidate->user_b;
        of->events++;
        of->digest += random_next(&state);
        a->turns_back = b->turns_back = true;
    }
    return true;
}

static void step_scene(slow_scene *of, double edge)
{
    for (uint32_t i = 0; i < of->count; i++) {
        move_object(of, &of->objects[i], edge);
    }
    if (kiln_scene_pairs_each(of->scene, NULL, take_candidate, of, NULL) != KILN_OK) {
        abort();
    }
    for (uint32_t i = 0; i < of->count; i++) {
        slow_object *one = &of->objects[i];
        for (int k = 0; k < 3 && one->turns_back; k++) {
            one->velocity[k] = -one->velocity[k];
            one->spin[k] = -one->spin[k];
        }
        one->turns_back = false;
    }
    of->frame++;
}

/* Returns milliseconds a frame. */
static double run_scene(slow_scene *of, uint32_t frames)
{
    /* An object in 2.5 units of volume, whose ring has a radius of 0.7; a frame moves it by about
     * a thousandth of its size, and turns it by about as much. */
    const double speed = 0.0015;
    double edge = 1;
    while (edge * edge * edge < 2.5 * of->count) {
        edge += 0.01;
    }
    const size_t size = kiln_scene_size(of->count);
    of->memory = malloc(size);
    of->objects = calloc(of->count, sizeof *of->objects);
    of->pairs = calloc(PAIR_PLACES, sizeof *of->pairs);
    if (of->memory == NULL || of->objects == NULL || of->pairs == NULL ||
        kiln_scene_place(of->memory, size, of->count, &of->scene) != KILN_OK) {
        abort();
    }
    place_objects(of, edge, speed);
    const uint64_t from = kiln_os_nanoseconds();
    for (uint32_t i = 0; i < frames; i++) {
        step_scene(of, edge);
    }
    const double ms = 1e-6 * (double)(kiln_os_nanoseconds() - from) / frames;
    for (uint32_t i = 0; i < PAIR_PLACES; i++) {
        free(of->pairs[i].memory);
    }
    free(of->pairs);
    free(of->objects);
    free(of->memory);
    return ms;
}

void coherence_measure_scene(coherence_bench *bench)
{
    const uint32_t frames = bench->frames;
    coherence_model ring = coherence_model_of(coherence_ring(500));
    slow_scene first = {.tree = NULL};
    SAY("%u rings of %u triangles, %u frames\n%-12s %10s %8s %6s %7s %9s %9s\n", bench->objects,
        ring.geometry.triangle_count, frames, "", "candidates", "queries", "fewer", "events",
        "ms/frame", "queries");
    for (int way = EVERY_FRAME; way < WAYS; way++) {
        slow_scene of = {.tree = ring.obb, .count = bench->objects, .way = (asking)way};
        const double ms = run_scene(&of, frames);
        if (way == EVERY_FRAME) {
            first = of;
        } else if (of.events != first.events || of.digest != first.digest ||
                   of.candidates != first.candidates) {
            bench->rows.differed = "scene";
        }
        const double fewer = (double)first.queries / (double)(of.queries > 0 ? of.queries : 1);
        const coherence_row row = {.part = "scene",
                                   .scenario = "rings",
                                   .path = "slow",
                                   .query = "first hit",
                                   .bv = "obb",
                                   .method = way_names[way],
                                   .x = bench->objects,
                                   .frames = frames,
                                   .hits = (uint32_t)of.events,
                                   .ns = (double)of.nanoseconds / frames,
                                   .value = fewer,
                                   .fresh = (double)of.queries / frames,
                                   .skipped = (double)(of.candidates - of.queries) / frames};
        coherence_keep(&bench->rows, &row);
        SAY("%-12s %10.0f %8.1f %6.1f %7llu %9.3f %9.3f\n", way_names[way],
            (double)of.candidates / frames, row.fresh, fewer, (unsigned long long)of.events, ms,
            1e-6 * (double)of.nanoseconds / frames);
    }
    coherence_model_free(&ring);
}

/* ------------------------------------------------------------------------- length of fronts - */

/* A front that is as short as can be: one that knows nothing is asked at one pose some times. */
static uint32_t minimal_entries(kiln_front *fresh, const kiln_pose *pose)
{
    kiln_hit hit;
    kiln_front_reset(fresh);
    for (int i = 0; i < 4; i++) {
        if (kiln_front_collide(fresh, NULL, pose, NULL, &hit, NULL) != KILN_OK) {
            abort();
        }
    }
    return kiln_front_get_info(fresh).entries;
}

static kiln_front *new_front(const kiln_tree *a, const kiln_tree *b,
                             const kiln_front_options *options, void **memory)
{
    kiln_front *front = NULL;
    const size_t size = kiln_front_size(a, b, options);
    *memory = malloc(size);
    if (*memory == NULL || kiln_front_place(*memory, size, a, b, options, &front) != KILN_OK) {
        abort();
    }
    return front;
}

/* Along a free path of motions of 0.01, at ten poses of it. */
void coherence_measure_length(coherence_bench *bench)
{
    enum { LOOKS = 10 };
    SAY("%-15s %-10s %9s %9s %8s %8s %8s\n", "", "method", "entries", "minimal", "at end", "mean",
        "most");
    for (unsigned s = 0; s < COHERENCE_PAPER + COHERENCE_SMALL; s++) {
        coherence_make(bench, s);
        coherence_path path =
            coherence_path_even(&bench->made[s].tracks[1], 0.01, bench->long_path);
        for (int is_auto = 0; is_auto < 2; is_auto++) {
            const coherence_method method =
                is_auto ? coherence_auto() : coherence_published(KILN_BV_OBB2);
            const coherence_model *still = &bench->made[s].still, *moving = &bench->made[s].moving;
            const kiln_tree *a = is_auto ? still->obb : still->obb2;
            const kiln_tree *b = is_auto ? moving->obb : moving->obb2;
            void *memory[2];
            kiln_front *front = new_front(a, b, &method.options, &memory[0]);
            kiln_front *fresh = new_front(a, b, &method.options, &memory[1]);
            double most = 0, last = 0, sum = 0, minimal = 0;
            uint32_t hits = 0, looks = 0;
            for (uint32_t i = 0; i < path.count; i++) {
                kiln_hit hit;
                if (kiln_front_collide(front, NULL, &path.poses[i], NULL, &hit, NULL) != KILN_OK) {
                    abort();
                }
                hits += hit.found;
                if ((i + 1) % (path.count / LOOKS) == 0) {
                    const uint32_t entries = kiln_front_get_info(front).entries;
                    minimal = minimal_entries(fresh, &path.poses[i]);
                    /* Of a pair that is decided near the roots there is next to nothing. */
                    last = minimal > 0 ? entries / minimal : entries > 0 ? NAN : 1;
                    if (isfinite(last)) {
                        most = fmax(most, last);
                        sum += last;
                        looks++;
                    }
                }
            }
            const coherence_row row = {.part = "length",
                                       .scenario = coherence_scenarios[s].name,
                                       .path = "free",
                                       .query = "first hit",
                                       .bv = method.bv,
                                       .method = method.name,
                                       .x = 0.01,
                                       .frames = path.count,
                                       .hits = hits,
                                       .value = most,
                                       .entries = kiln_front_get_info(front).entries};
            coherence_keep(&bench->rows, &row);
            SAY("%-15s %-10s %9.0f %9.0f %8.2f %8.2f %8.2f\n", row.scenario, method.name,
                row.entries, minimal, last, looks > 0 ? sum / looks : NAN, most);
            free(memory[0]);
            free(memory[1]);
        }
        free(path.poses);
    }
}
