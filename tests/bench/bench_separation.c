/* Separation lists on the scene of Li and Chen 1998: nine bunnies of about 500 triangles that move
 * at random in a closed box, turning by 5 degrees and moving by the radius of the smallest ball in
 * each frame, and all 36 pairs of them asked for their first hit. What a frame takes with the plain
 * recursion, the separation list and the deferred one, for ten seeds as on the slides: over balls,
 * and, which was their future work, over oriented and aligned boxes.
 *
 *     bench_separation [--quick] [--model FILE.obj] [--box EDGE] [--step FACTOR] [--frames N]
 *                      [--seeds N] [--only balls|obb2|aabb2] [--csv FILE]
 *
 * models/bunny.sh writes the bunny; without a model, a procedural body with two ears stands in for
 * it. The box has an edge of EDGE, default 2.4, times the longest edge of the model's box. Both
 * steps are multiplied by FACTOR.
 *
 * The slides do not say what a random motion is. "increments": each bunny takes one of the twelve
 * steps of a path planner, along or about an axis, which is drawn in each frame; "walk": it moves
 * and turns in each frame, in a direction and about an axis that are drawn; "course": these stay
 * what they are until a wall or another bunny is met. Bunnies begin where they do not meet, and
 * those that met one another move apart in the next frame. Poses are made beforehand; the methods
 * answer the same frames alternately, and times are the least of three rounds. Answers are compared
 * with each other and with kiln_collide. */
#define _POSIX_C_SOURCE 200809L

#include "../../runtime/front/balls.h"
#include "../../runtime/kiln_front.h"
#include "../support/quick_bake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUNNIES = 9, PAIRS = BUNNIES * (BUNNIES - 1) / 2, METHODS = 3, ROUNDS = 3, VOLUMES = 3 };

static const kiln_front_method methods[METHODS] = {KILN_FRONT_RECURSIVE, KILN_FRONT_SEPARATION,
                                                   KILN_FRONT_SEPARATION_DEFERRED};
static const char *const method_names[METHODS] = {"original", "list", "deferred"};

static const struct {
    const char *name, *bv;
    bool balls;
} volumes[VOLUMES] = {{"balls", "obb2", true}, {"obb2", "obb2", false}, {"aabb2", "aabb2", false}};

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *get(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL) {
        (void)fprintf(stderr, "bench_separation: no memory\n");
        exit(1);
    }
    return memory;
}

/* ------------------------------------------------------------------------------------ models -- */

/* A body with two ears, 500 triangles: the radius in each direction. */
static double stand_in_radius(const double d[3])
{
    const double ears[2][3] = {{0.3, 0.1, 0.95}, {-0.3, 0.1, 0.95}};
    double r = 1 + 0.15 * d[1] - 0.1 * d[2];
    for (int e = 0; e < 2; e++) {
        const double along = d[0] * ears[e][0] + d[1] * ears[e][1] + d[2] * ears[e][2];
        r += 1.1 * exp(-30 * (1 - along));
    }
    return r;
}

static mesh stand_in(void)
{
    enum { RINGS = 13, SIDES = 21, VERTICES = 2 + (RINGS - 1) * SIDES };
    const double pi = acos(-1.0);
    mesh m = {get(VERTICES * 3 * sizeof(float)), NULL, VERTICES, 2 * (RINGS - 1) * SIDES};
    m.indices = get(3 * (size_t)m.triangle_count * sizeof(uint32_t));
    for (uint32_t i = 0; i < VERTICES; i++) {
        const uint32_t ring = i == 0 ? 0 : i == VERTICES - 1 ? RINGS : 1 + (i - 1) / SIDES;
        const double theta = pi * ring / RINGS, phi = 2 * pi * ((i - 1) % SIDES) / SIDES;
        const double d[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
        for (int k = 0; k < 3; k++) {
            m.positions[3 * i + (uint32_t)k] = (float)(d[k] * stand_in_radius(d));
        }
    }
    uint32_t *to = m.indices;
    for (uint32_t ring = 0; ring < RINGS; ring++) {
        for (uint32_t s = 0; s < SIDES; s++) {
            const uint32_t next = (s + 1) % SIDES;
            const uint32_t above = ring == 0 ? 0 : 1 + (ring - 1) * SIDES;
            const uint32_t below = 1 + ring * SIDES;
            if (ring > 0 && ring < RINGS - 1) {
                const uint32_t two[6] = {above + s, below + s,    below + next,
                                         above + s, below + next, above + next};
                memcpy(to, two, sizeof two);
                to += 6;
            } else if (ring == 0) {
                const uint32_t one[3] = {0, below + s, below + next};
                memcpy(to, one, sizeof one);
                to += 3;
            } else {
                const uint32_t one[3] = {above + s, VERTICES - 1, above + next};
                memcpy(to, one, sizeof one);
                to += 3;
            }
        }
    }
    return m;
}

/* An OBJ file of triangles as models/bunny.sh writes it. */
static mesh read_obj(const char *path)
{
    char line[256];
    mesh m = {NULL, NULL, 0, 0};
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        (void)fprintf(stderr, "bench_separation: %s: can't be read\n", path);
        exit(2);
    }
    for (int pass = 0; pass < 2; pass++) {
        m.vertex_count = m.triangle_count = 0;
        rewind(file);
        while (fgets(line, sizeof line, file) != NULL) {
            char *at = line + 1;
            if (line[0] == 'v' && line[1] == ' ') {
                for (size_t k = 0; pass == 1 && k < 3; k++) {
                    m.positions[3 * (size_t)m.vertex_count + k] = strtof(at, &at);
                }
                m.vertex_count++;
            } else if (line[0] == 'f' && line[1] == ' ') {
                for (size_t k = 0; pass == 1 && k < 3; k++) {
                    m.indices[3 * (size_t)m.triangle_count + k] =
                        (uint32_t)strtoul(at, &at, 10) - 1;
                }
                m.triangle_count++;
            }
        }
        if (pass == 0) {
            m.positions = get(3 * ((size_t)m.vertex_count + 1) * sizeof(float));
            m.indices = get(3 * ((size_t)m.triangle_count + 1) * sizeof(uint32_t));
        }
    }
    (void)fclose(file);
    for (uint32_t i = 0; i < 3 * m.triangle_count; i++) {
        if (m.indices[i] >= m.vertex_count) {
            (void)fprintf(stderr, "bench_separation: %s: not a mesh of triangles\n", path);
            exit(2);
        }
    }
    return m;
}

/* About the origin, with a longest edge of 1. */
static void normalise(mesh *m)
{
    float lower[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, upper[3], edge = 0;
    for (int k = 0; k < 3; k++) {
        upper[k] = -HUGE_VALF;
        for (uint32_t i = 0; i < m->vertex_count; i++) {
            lower[k] = fminf(lower[k], m->positions[3 * i + (uint32_t)k]);
            upper[k] = fmaxf(upper[k], m->positions[3 * i + (uint32_t)k]);
        }
        edge = fmaxf(edge, upper[k] - lower[k]);
    }
    for (uint32_t i = 0; i < 3 * m->vertex_count; i++) {
        m->positions[i] = (m->positions[i] - (lower[i % 3] + upper[i % 3]) / 2) / edge;
    }
}

/* ------------------------------------------------------------------------------------ motion -- */

typedef enum { INCREMENTS, WALK, COURSE, MOTIONS } motion;

static const char *const motion_names[MOTIONS] = {"increments", "walk", "course"};

typedef struct {
    uint32_t frames;
    kiln_pose (*poses)[BUNNIES];
    bool (*hits)[PAIRS];
    uint64_t hit_count;
} track;

static void turn(kiln_pose *pose, const double axis[3], double angle)
{
    double r[9], from[9];
    const double q[4] = {axis[0] * sin(angle / 2), axis[1] * sin(angle / 2),
                         axis[2] * sin(angle / 2), cos(angle / 2)};
    kiln_pose by;
    (void)kiln_pose_from_quaternion(q, NULL, &by);
    memcpy(from, pose->rotation, sizeof from);
    for (int i = 0; i < 9; i++) {
        r[i] = 0;
        for (int k = 0; k < 3; k++) {
            r[i] += by.rotation[i / 3 * 3 + k] * from[3 * k + i % 3];
        }
    }
    /* kept a rotation: rows made orthonormal again */
    const double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double along = 0, second = 0;
    for (int k = 0; k < 3; k++) {
        r[k] /= length;
        along += r[k] * r[3 + k];
    }
    for (int k = 0; k < 3; k++) {
        r[3 + k] -= along * r[k];
        second += r[3 + k] * r[3 + k];
    }
    for (int k = 0; k < 3; k++) {
        r[3 + k] /= sqrt(second);
    }
    r[6] = r[1] * r[5] - r[2] * r[4];
    r[7] = r[2] * r[3] - r[0] * r[5];
    r[8] = r[0] * r[4] - r[1] * r[3];
    memcpy(pose->rotation, r, sizeof r);
}

/* One of the axes, either way. */
static void only_axis(uint64_t *state, double out[3])
{
    const uint32_t which = random_below(state, 6);
    out[0] = out[1] = out[2] = 0;
    out[which / 2] = which % 2 == 0 ? 1 : -1;
}

/* Poses of a run; `edge` of the closed box, in which centres stay half a bunny from the walls. */
static track make_track(const kiln_tree *tree, uint64_t seed, uint32_t frames, double edge,
                        double step, double angle, motion how)
{
    const double reach = (edge - 1) / 2;
    track t = {frames, get(frames * sizeof *t.poses), get(frames * sizeof *t.hits), 0};
    uint64_t state = seed * 7919;
    kiln_pose pose[BUNNIES];
    double way[BUNNIES][3], axis[BUNNIES][3];
    for (int i = 0; i < BUNNIES; i++) {
        bool free_of_hits = false;
        for (int tries = 0; tries < 10000 && !free_of_hits; tries++) {
            pose[i] = pose_random(&state, reach);
            free_of_hits = true;
            for (int j = 0; j < i; j++) {
                kiln_hit hit;
                (void)kiln_collide(tree, &pose[i], tree, &pose[j], NULL, &hit);
                free_of_hits = free_of_hits && !hit.found;
            }
        }
        random_direction(&state, way[i]);
        random_direction(&state, axis[i]);
    }
    for (uint32_t f = 0; f < frames; f++) {
        double away[BUNNIES][3];
        bool met[BUNNIES] = {false};
        memcpy(t.poses[f], pose, sizeof pose);
        memset(away, 0, sizeof away);
        for (int i = 0, pair = 0; i < BUNNIES; i++) {
            for (int j = 0; j < i; j++, pair++) {
                kiln_hit hit;
                (void)kiln_collide(tree, &pose[i], tree, &pose[j], NULL, &hit);
                t.hits[f][pair] = hit.found;
                t.hit_count += hit.found;
                for (int k = 0; hit.found && k < 3; k++) {
                    const double d = pose[i].translation[k] - pose[j].translation[k];
                    away[i][k] += d;
                    away[j][k] -= d;
                    met[i] = met[j] = true;
                }
            }
        }
        for (int i = 0; i < BUNNIES; i++) {
            if (how != COURSE || met[i]) {
                random_direction(&state, way[i]);
                random_direction(&state, axis[i]);
            }
            const bool moves = how != INCREMENTS || random_below(&state, 2) == 0;
            if (how == INCREMENTS) {
                only_axis(&state, way[i]);
                only_axis(&state, axis[i]);
            }
            double towards = 0;
            for (int k = 0; k < 3; k++) {
                towards += way[i][k] * away[i][k];
            }
            for (int k = 0; k < 3; k++) {
                way[i][k] = towards < 0 ? -way[i][k] : way[i][k];
                const double to = pose[i].translation[k] + step * way[i][k];
                if (fabs(to) > reach && to * way[i][k] > 0) {
                    way[i][k] = -way[i][k];
                }
                pose[i].translation[k] += moves ? step * way[i][k] : 0;
            }
            turn(&pose[i], axis[i], how != INCREMENTS || !moves ? angle : 0);
        }
    }
    return t;
}

static void free_track(track *t)
{
    free(t->poses);
    free(t->hits);
}

/* ----------------------------------------------------------------------------------- methods -- */

typedef struct {
    void *memory[PAIRS];
    kiln_front *fronts[PAIRS];
} fronts;

static fronts make_fronts(const kiln_tree *tree, kiln_front_method method, bool balls)
{
    fronts all;
    kiln_front_options options = kiln_front_options_default();
    options.method = method;
    options.balls = balls;
    const size_t size = kiln_front_size(tree, tree, &options);
    for (int i = 0; i < PAIRS; i++) {
        all.memory[i] = get(size);
        if (kiln_front_place(all.memory[i], size, tree, tree, &options, &all.fronts[i]) !=
            KILN_OK) {
            (void)fprintf(stderr, "bench_separation: a front can't be placed\n");
            exit(1);
        }
    }
    return all;
}

typedef struct {
    double time; /* ns */
    uint64_t volume_tests, leaf_tests, fresh, coherent, entries, differences;
} spent;

static uint64_t play(const fronts *all, const track *t)
{
    uint64_t differences = 0;
    for (uint32_t f = 0; f < t->frames; f++) {
        for (int i = 0, pair = 0; i < BUNNIES; i++) {
            for (int j = 0; j < i; j++, pair++) {
                kiln_hit hit;
                (void)kiln_front_collide(all->fronts[pair], &t->poses[f][i], &t->poses[f][j], NULL,
                                         &hit, NULL);
                differences += hit.found != t->hits[f][pair];
            }
        }
    }
    return differences;
}

static void measure(const kiln_tree *tree, bool balls, const track *t, spent out[METHODS])
{
    fronts all[METHODS];
    for (int m = 0; m < METHODS; m++) {
        all[m] = make_fronts(tree, methods[m], balls);
        memset(&out[m], 0, sizeof out[m]);
        out[m].time = HUGE_VAL;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int m = 0; m < METHODS; m++) {
            for (int i = 0; i < PAIRS; i++) {
                kiln_front_reset(all[m].fronts[i]);
            }
            const double start = now();
            out[m].differences += play(&all[m], t);
            out[m].time = fmin(out[m].time, now() - start);
        }
    }
    for (int m = 0; m < METHODS; m++) {
        for (int i = 0; i < PAIRS; i++) {
            const kiln_front_info info = kiln_front_get_info(all[m].fronts[i]);
            out[m].volume_tests += info.volume_tests;
            out[m].leaf_tests += info.leaf_tests;
            out[m].fresh += info.fresh;
            out[m].coherent += info.coherent;
            out[m].entries += info.entries;
            free(all[m].memory[i]);
        }
    }
}

/* ------------------------------------------------------------------------------------ tables -- */

static void print_counts(const char *name, const spent *s, double queries)
{
    (void)printf(
        "  %-9s %9.1f tests of volumes and %6.2f of leaves a query, %5.1f %% from the roots, "
        "%.0f ns\n",
        name, (double)s->volume_tests / queries, (double)s->leaf_tests / queries,
        100 * (double)s->fresh / (double)(s->fresh + s->coherent), s->time / queries);
}

static uint64_t run_all(const kiln_tree *tree, int v, motion how, const track *tracks,
                        uint32_t seeds, FILE *csv)
{
    spent sum[METHODS] = {{0, 0, 0, 0, 0, 0, 0}};
    uint64_t hits = 0, differences = 0;
    double queries = 0;
    (void)printf("\n%s, %s\n%5s %12s %18s %18s\n", volumes[v].name, motion_names[how], "run",
                 "original ms", "list ms", "deferred ms");
    for (uint32_t seed = 0; seed < seeds; seed++) {
        spent s[METHODS];
        measure(tree, volumes[v].balls, &tracks[seed], s);
        (void)printf("%5u %12.2f", seed + 1, s[0].time * 1e-6);
        for (int m = 0; m < METHODS; m++) {
            if (m > 0) {
                (void)printf(" %10.2f %+5.0f %%", s[m].time * 1e-6,
                             100 * (s[0].time / s[m].time - 1));
            }
            if (csv != NULL) {
                (void)fprintf(csv, "%s,%s,%u,%s,%.0f,%llu,%llu,%llu,%llu\n", volumes[v].name,
                              motion_names[how], seed + 1, method_names[m], s[m].time,
                              (unsigned long long)s[m].volume_tests,
                              (unsigned long long)s[m].leaf_tests, (unsigned long long)s[m].fresh,
                              (unsigned long long)s[m].coherent);
            }
            sum[m].time += s[m].time;
            sum[m].volume_tests += s[m].volume_tests;
            sum[m].leaf_tests += s[m].leaf_tests;
            sum[m].fresh += s[m].fresh;
            sum[m].coherent += s[m].coherent;
            differences += s[m].differences;
        }
        (void)printf("\n");
        hits += tracks[seed].hit_count;
        queries += (double)tracks[seed].frames * PAIRS;
    }
    (void)printf("%5s %12.2f %10.2f %+5.0f %% %10.2f %+5.0f %%\n", "mean",
                 sum[0].time * 1e-6 / seeds, sum[1].time * 1e-6 / seeds,
                 100 * (sum[0].time / sum[1].time - 1), sum[2].time * 1e-6 / seeds,
                 100 * (sum[0].time / sum[2].time - 1));
    for (int m = 0; m < METHODS; m++) {
        print_counts(method_names[m], &sum[m], queries);
    }
    (void)printf("  hits: %.2f %% of queries; answers that differ: %llu\n",
                 100 * (double)hits / queries, (unsigned long long)differences);
    (void)fflush(stdout);
    return differences;
}

static double smallest_ball(const kiln_tree *tree)
{
    const uint32_t count = kiln_balls_count(tree);
    kiln_ball *balls = get(count * sizeof *balls);
    double least = HUGE_VAL;
    kiln_balls_make(tree, balls);
    for (uint32_t i = 0; i < count; i++) {
        if (balls[i].below != 0) {
            least = fmin(least, (double)balls[i].radius);
        }
    }
    free(balls);
    return least * kiln_power_of_two(tree->view.entry->scale_exponent);
}

int main(int argc, char **argv)
{
    const char *path = NULL, *csv_path = NULL, *only = NULL;
    uint32_t frames = 300, seeds = 10;
    double edge = 2.4, factor = 1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--quick") == 0) {
            frames = 100;
            seeds = 2;
            continue;
        }
        if (strcmp(argv[i], "--model") == 0) {
            path = value;
        } else if (strcmp(argv[i], "--frames") == 0) {
            frames = (uint32_t)strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--seeds") == 0) {
            seeds = (uint32_t)strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--box") == 0) {
            edge = strtod(value, NULL);
        } else if (strcmp(argv[i], "--only") == 0) {
            only = value;
        } else if (strcmp(argv[i], "--step") == 0) {
            factor = strtod(value, NULL);
        } else if (strcmp(argv[i], "--csv") == 0) {
            csv_path = value;
        } else {
            value = "";
        }
        if (value[0] == 0) {
            (void)fprintf(stderr, "bench_separation [--quick] [--model FILE.obj] [--box EDGE] "
                                  "[--step FACTOR] [--frames N] [--seeds N] "
                                  "[--only balls|obb2|aabb2] [--csv FILE]\n");
            return 2;
        }
        i++;
    }
    if (frames == 0 || seeds == 0 || !(edge > 1) || !(factor > 0)) {
        (void)fprintf(stderr, "bench_separation: nothing to measure\n");
        return 2;
    }
    FILE *csv = csv_path != NULL ? fopen(csv_path, "w") : NULL;
    if (csv != NULL) {
        (void)fprintf(csv, "volumes,motion,run,method,ns,volume_tests,leaf_tests,fresh,coherent\n");
    }
    mesh m = path != NULL ? read_obj(path) : stand_in();
    normalise(&m);
    void *bytes[VOLUMES];
    kiln_file *files[VOLUMES];
    for (int v = 0; v < VOLUMES; v++) {
        files[v] = quick_open(&m, volumes[v].bv, 1, KILN_LAYOUT_RAW, &bytes[v]);
    }
    const double step = factor * smallest_ball(kiln_file_tree(files[0], 0));
    const double angle = factor * acos(-1.0) / 36;
    (void)printf("%s, %u triangles; a step is %.4f of its longest edge and %.2f "
                 "degrees; box %.2f; %u "
                 "frames of %d queries\n",
                 path != NULL ? path : "a stand-in", m.triangle_count, step, 5 * factor, edge,
                 frames, PAIRS);
    uint64_t differences = 0;
    track *tracks = get(seeds * sizeof *tracks);
    for (int how = 0; how < MOTIONS; how++) {
        for (uint32_t seed = 0; seed < seeds; seed++) {
            tracks[seed] = make_track(kiln_file_tree(files[0], 0), seed + 1, frames, edge, step,
                                      angle, (motion)how);
        }
        for (int v = 0; v < VOLUMES; v++) {
            if (only != NULL && strcmp(only, volumes[v].name) != 0) {
                continue;
            }
            differences += run_all(kiln_file_tree(files[v], 0), v, (motion)how, tracks, seeds, csv);
        }
        for (uint32_t seed = 0; seed < seeds; seed++) {
            free_track(&tracks[seed]);
        }
    }
    free(tracks);
    for (int v = 0; v < VOLUMES; v++) {
        kiln_close(files[v]);
        free(bytes[v]);
    }
    mesh_free(&m);
    if (csv != NULL && fclose(csv) != 0) {
        (void)fprintf(stderr, "bench_separation: %s: can't be written\n", csv_path);
        return 1;
    }
    return differences == 0 ? 0 : 1;
}
