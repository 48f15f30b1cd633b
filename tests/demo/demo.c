/* demo OUTDIR [--poses N]: from models on disk to exact answers. Bakes real models and computed
 * ones, opens what it baked, asks whether each meets another copy of itself at many poses, and
 * holds the answers for the real ones against every pair of triangles in exact arithmetic. The
 * files stay in OUTDIR. Exit status 0 when every answer was right. */
#define _DEFAULT_SOURCE 1
#define _POSIX_C_SOURCE 200809L
#include "demo_model.h"

#include "../support/brute_grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MODELS_MAX = 16, POSES = 1000, REPEATS = 21, WORKERS = 2 };

/* ---------------------------------------------------------------------------------- progress -- */

/* One line that is written over, on a terminal only. */
static void progress(const char *name, const char *what, int done, int all)
{
    if (isatty(STDERR_FILENO)) {
        (void)fprintf(stderr, all > 0 ? "\r\033[K  %s: %s, %d of %d" : "\r\033[K  %s: %s", name,
                      what, done, all);
        (void)fflush(stderr);
    }
}

static void progress_clear(void)
{
    if (isatty(STDERR_FILENO)) {
        (void)fputs("\r\033[K", stderr);
    }
    (void)fflush(stdout);
}

/* -------------------------------------------------------------------------------- statistics -- */

static int compare(const void *p, const void *q)
{
    const double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count > 0 ? values[count / 2] : NAN;
}

/* A time of at least 0.01 us, right-aligned; nothing where there is none. */
static void print_us(double us, int width)
{
    if (isnan(us)) {
        (void)printf("%*s", width, "-");
    } else {
        (void)printf("%*.*f", width, us < 100 ? 2 : 0, us);
    }
}

/* ------------------------------------------------------------------------------------- poses -- */

/* Two copies of a model, each turned at random about its middle, the second moved away. */
static void place_pair(const demo_model *model, uint64_t *state, double away, kiln_pose *a,
                       kiln_pose *b)
{
    const kiln_tree_info info = kiln_tree_get_info(model->tree);
    const kiln_pose way = pose_random(state, 0);
    *a = pose_random(state, 0);
    *b = pose_random(state, 0);
    for (int k = 0; k < 3; k++) {
        b->translation[k] = way.rotation[k] * away;
        for (int j = 0; j < 3; j++) {
            const double middle =
                0.5 * ((double)info.bounds_lower[j] + (double)info.bounds_upper[j]);
            a->translation[k] -= a->rotation[3 * k + j] * middle;
            b->translation[k] -= b->rotation[3 * k + j] * middle;
        }
    }
}

/* How far apart two copies have to be for about half of their poses to meet. */
static double find_reach(const demo_model *model)
{
    double near = 0, far = 2 * model->radius;
    for (int step = 0; step < 12; step++) {
        uint64_t state = 77;
        int hits = 0;
        for (int i = 0; i < 100; i++) {
            kiln_pose a, b;
            kiln_hit hit = {false, {0, 0, 0, 0}, {0, 0}};
            place_pair(model, &state, 0.5 * (near + far), &a, &b);
            (void)kiln_collide(model->tree, &a, model->tree, &b, NULL, &hit);
            hits += hit.found;
        }
        *(hits > 50 ? &near : &far) = 0.5 * (near + far);
    }
    return far;
}

/* Pose number `index`: about as far apart as that, so that misses are near misses. */
static void pose_pair(const demo_model *model, int index, kiln_pose *a, kiln_pose *b)
{
    uint64_t state = 1000u + (uint64_t)index;
    const double away = random_between(&state, 0.8, 1.2) * model->reach;
    place_pair(model, &state, away, a, b);
}

/* ------------------------------------------------------------------------------------- bytes -- */

static void print_sizes(const demo_model *models, int count)
{
    (void)printf("1. What a model becomes, in bytes a triangle\n\n"
                 "              triangles    packed   its nodes       raw     bake, s\n");
    for (int i = 0; i < count; i++) {
        const demo_model *m = &models[i];
        const double n = m->triangles.triangle_count;
        (void)printf("   %-8s %11u %9.2f %11.2f %9.2f %11.3f\n", m->source->name,
                     m->triangles.triangle_count, (double)m->packed.bytes_file / n,
                     (double)m->packed.trees[0].bytes_packed / n, (double)m->raw.bytes_file / n,
                     m->seconds);
    }
    (void)printf(
        "\n   Packed is for shipping, raw is mapped and used in place; both hold every vertex "
        "exactly.\n   Bake is from the model to the packed file, import included.\n\n");
}

/* --------------------------------------------------------------------------------- open time -- */

static double time_open(const demo_model *model, const char *path, unsigned flags)
{
    double times[REPEATS];
    kiln_pose a, b;
    pose_pair(model, 0, &a, &b);
    kiln_open_options options = kiln_open_options_default();
    options.flags = flags;
    for (int i = 0; i < REPEATS; i++) {
        kiln_file *file;
        kiln_hit hit;
        const double start = demo_seconds();
        if (kiln_open(path, &options, &file) != KILN_OK ||
            kiln_collide(kiln_file_tree(file, 0), &a, kiln_file_tree(file, 0), &b, NULL, &hit) !=
                KILN_OK) {
            return NAN;
        }
        times[i] = 1e6 * (demo_seconds() - start);
        kiln_close(file);
    }
    return median(times, REPEATS);
}

static void print_opening(const demo_model *models, int count)
{
    (void)printf(
        "2. Open and first answer, in us, against building the tree again\n\n"
        "   model      raw trusted   raw verified    packed     rebuild   rebuild costs\n");
    for (int i = 0; i < count; i++) {
        const demo_model *m = &models[i];
        const double trusted = time_open(m, m->raw_path, KILN_OPEN_TRUSTED);
        const double rebuild = 1e6 * m->raw.seconds_build;
        (void)printf("   %-8s ", m->source->name);
        print_us(trusted, 13);
        print_us(time_open(m, m->raw_path, 0), 15);
        print_us(time_open(m, m->packed_path, 0), 10);
        (void)printf("%12.0f %11.0f x\n", rebuild, rebuild / trusted);
    }
    (void)printf(
        "\n   Warm files. Rebuild is kiln's own builder alone, on one thread, from triangles in "
        "memory.\n\n");
}

/* ------------------------------------------------------------------------------------ answers
 * -- */

/* The quickest of three, so that what else the machine does stays out. */
static double time_query(const kiln_tree *tree, const kiln_pose *a, const kiln_pose *b, bool *found)
{
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        kiln_hit hit = {false, {0, 0, 0, 0}, {0, 0}};
        const double start = demo_seconds();
        if (kiln_collide(tree, a, tree, b, NULL, &hit) != KILN_OK) {
            return NAN;
        }
        best = fmin(best, demo_seconds() - start);
        *found = hit.found;
    }
    return 1e6 * best;
}

static void print_answers(const demo_model *models, int count, int poses)
{
    double *times[2] = {malloc(sizeof(double) * (size_t)poses),
                        malloc(sizeof(double) * (size_t)poses)};
    if (times[0] == NULL || times[1] == NULL) {
        abort();
    }
    (void)printf("3. Does a model meet a copy of itself? %d poses each\n\n"
                 "                  hits    misses    us a hit   us a miss\n",
                 poses);
    for (int i = 0; i < count; i++) {
        int found_count[2] = {0, 0};
        for (int pose = 0; pose < poses; pose++) {
            kiln_pose a, b;
            bool found = false;
            pose_pair(&models[i], pose, &a, &b);
            const double us = time_query(models[i].tree, &a, &b, &found);
            times[found][found_count[found]++] = us;
        }
        (void)printf("   %-8s %10d %9d", models[i].source->name, found_count[1], found_count[0]);
        print_us(median(times[1], found_count[1]), 12);
        print_us(median(times[0], found_count[0]), 12);
        (void)printf("\n");
    }
    (void)printf("\n   Medians. The poses are such that about half meet, and misses are near "
                 "misses.\n\n");
    free(times[0]);
    free(times[1]);
}

/* ------------------------------------------------------------------------------------- oracle
 * -- */

enum { UNKNOWN = 0, MISS = 1, HIT = 2 };

/* Poses `first`, first + WORKERS ... by exact arithmetic, into truth[]. */
static void ask_oracle(const demo_model *model, const brute_grid *grid, int first, int poses,
                       volatile char *truth)
{
    for (int i = first; i < poses; i += WORKERS) {
        kiln_pose a, b;
        pose_pair(model, i, &a, &b);
        truth[i] = brute_grid_meet(grid, model->tree, &a, grid, model->tree, &b) ? HIT : MISS;
    }
}

static int count_known(const volatile char *truth, int poses)
{
    int known = 0;
    for (int i = 0; i < poses; i++) {
        known += truth[i] != UNKNOWN;
    }
    return known;
}

/* The oracle keeps its numbers in one place, so each worker is a process. */
static void find_truth(const demo_model *model, int poses, volatile char *truth)
{
    brute_grid grid = brute_grid_of(&model->triangles);
    (void)fflush(NULL);
    for (int w = 0; w < WORKERS; w++) {
        const pid_t child = fork();
        if (child == 0) {
            ask_oracle(model, &grid, w, poses, truth);
            _exit(0);
        }
        if (child < 0) {
            ask_oracle(model, &grid, w, poses, truth);
        }
    }
    while (waitpid(-1, NULL, WNOHANG) >= 0) {
        progress(model->source->name, "every pair of triangles, exactly", count_known(truth, poses),
                 poses);
        (void)usleep(50000);
    }
    progress_clear();
    brute_grid_free(&grid);
}

static int count_equal(const demo_model *model, int poses, const volatile char *truth, int *hits)
{
    int equal = 0;
    for (int i = 0; i < poses; i++) {
        kiln_pose a, b;
        kiln_hit hit;
        pose_pair(model, i, &a, &b);
        if (kiln_collide(model->tree, &a, model->tree, &b, NULL, &hit) == KILN_OK) {
            equal += truth[i] == (hit.found ? HIT : MISS);
            *hits += truth[i] == HIT;
        }
    }
    return equal;
}

/* True when all answers are equal. */
static bool print_truth(const demo_model *models, int count, int poses)
{
    bool right = true;
    volatile char *truth =
        mmap(NULL, (size_t)poses, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (truth == MAP_FAILED) {
        abort();
    }
    (void)printf("4. The same questions to an exact oracle that knows no trees\n\n");
    for (int i = 0; i < count; i++) {
        int hits = 0;
        if (models[i].source->source == NULL) {
            continue;
        }
        for (int pose = 0; pose < poses; pose++) {
            truth[pose] = UNKNOWN;
        }
        const double start = demo_seconds();
        find_truth(&models[i], poses, truth);
        const int equal = count_equal(&models[i], poses, truth, &hits);
        (void)printf("   %-8s %d of %d equal (%d hits, %d misses; the oracle took %.1f s)\n",
                     models[i].source->name, equal, poses, hits, poses - hits,
                     demo_seconds() - start);
        right = right && equal == poses;
    }
    (void)munmap((void *)truth, (size_t)poses);
    (void)printf("\n");
    return right;
}

/* --------------------------------------------------------------------------------------- run -- */

static int make_models(demo_model *models, const char *folder)
{
    int count = 0;
    for (int i = 0; i < demo_source_count; i++) {
        const demo_source *source = &demo_sources[i];
        if (!demo_source_exists(source)) {
            (void)printf("   %s is not here: it comes with the package assimp-testmodels\n",
                         source->source);
            continue;
        }
        progress(source->name, "baking", 0, 0);
        if (!demo_model_make(&models[count], source, folder)) {
            return -1;
        }
        models[count].reach = find_reach(&models[count]);
        count++;
    }
    progress_clear();
    return count;
}

static int parse_poses(int argc, char **argv)
{
    if (argc == 2) {
        return POSES;
    }
    const long poses = argc == 4 && strcmp(argv[2], "--poses") == 0 ? strtol(argv[3], NULL, 10) : 0;
    return poses >= 1 && poses <= 1000000 ? (int)poses : 0;
}

static void print_farewell(const char *folder, bool right)
{
    (void)printf("The files are in %s. Try:\n\n"
                 "   build/kiln info %s/hills.kiln\n"
                 "   build/kiln verify %s/*.kiln\n"
                 "   echo 1 0 0 0.5  0 1 0 0  0 0 1 0 |\n"
                 "       build/kiln collide %s/knot.kiln %s/hills.kiln --poses -\n\n",
                 folder, folder, folder, folder, folder);
    if (!right) {
        (void)printf("SOME ANSWERS WERE WRONG.\n");
    }
}

int main(int argc, char **argv)
{
    static demo_model models[MODELS_MAX];
    const int poses = parse_poses(argc, argv);
    if (poses == 0) {
        (void)fprintf(stderr, "usage: demo OUTDIR [--poses N]\n");
        return 1;
    }
    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
        (void)fprintf(stderr, "demo: %s: %s\n", argv[1], strerror(errno));
        return 2;
    }
    (void)printf("\nkiln %s: models from disk become files that answer exactly.\n\n",
                 kiln_version());
    const int count = make_models(models, argv[1]);
    if (count < 0) {
        return 3;
    }
    print_sizes(models, count);
    print_opening(models, count);
    print_answers(models, count, poses);
    const bool right = print_truth(models, count, poses);
    for (int i = 0; i < count; i++) {
        demo_model_free(&models[i]);
    }
    print_farewell(argv[1], right);
    return right ? 0 : 7;
}
