/* kiln as a program that benchmarks of several libraries can start:
 *
 * peer_kiln A.soup B.soup POSES [obb|aabb|obb2|aabb2] [-passes N] [-budget S] [-builds N] [-times
 * FILE] [-dump FILE]
 *
 * A soup is a little-endian uint32 n and 9 n float32, three vertices a triangle. POSES has a line a
 * pose: 12 numbers, the row-major 3x4 transform that places B in A's frame. Prints a line a pose,
 * "1" where the surfaces meet, "0" where not, "-" where the budget of seconds ended first, and a
 * line "# key=value ..." of figures. FILE gets a line "ANSWER NANOSECONDS" a pose, the least of all
 * passes.
 *
 * Built is from triangles in memory to a tree that answers: welding of equal vertices, the tree,
 * the file's bytes, its verified opening. Loaded is the opening of those bytes. */
#define _POSIX_C_SOURCE 200809L
#include "../../runtime/kiln.h"
#include "../support/quick_bake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PASSES = 5, BUILDS = 5, LEAF = 4 };

typedef struct {
    const char *a, *b, *poses, *kind;
    const char *times, *dump;
    int passes, builds;
    double budget; /* seconds */
} arguments;

typedef struct {
    void *bytes;
    size_t size;
    kiln_file *file;
    const kiln_tree *tree;
} baked;

static _Noreturn void give_up(const char *name, const char *what)
{
    (void)fprintf(stderr, "peer_kiln: %s: %s\n", name, what);
    exit(2);
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        give_up("memory", "there is not enough");
    }
    return memory;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ------------------------------------------------------------------------------------- input -- */

typedef struct {
    float *corners; /* 9 a triangle */
    uint32_t count;
} soup;

static soup read_soup(const char *path)
{
    soup s;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fread(&s.count, sizeof s.count, 1, file) != 1) {
        give_up(path, "it can't be read");
    }
    s.corners = room((size_t)s.count * 9, sizeof *s.corners);
    if (fread(s.corners, 9 * sizeof *s.corners, s.count, file) != s.count) {
        give_up(path, "it ends early");
    }
    (void)fclose(file);
    return s;
}

static kiln_pose *read_poses(const char *path, size_t *count)
{
    FILE *file = fopen(path, "r");
    size_t capacity = 1024;
    kiln_pose *poses = room(capacity, sizeof *poses);
    double m[12];
    if (file == NULL) {
        give_up(path, "it can't be read");
    }
    *count = 0;
    for (;;) {
        int got = 0;
        while (got < 12 && fscanf(file, "%lf", &m[got]) == 1) {
            got++;
        }
        if (got < 12) {
            break;
        }
        if (*count == capacity) {
            capacity *= 2;
            poses = realloc(poses, capacity * sizeof *poses);
            if (poses == NULL) {
                give_up(path, "there is not enough memory");
            }
        }
        kiln_pose *pose = &poses[(*count)++];
        *pose = kiln_pose_identity();
        for (int i = 0; i < 3; i++) {
            memcpy(pose->rotation + 3 * i, m + 4 * i, 3 * sizeof *m);
            pose->translation[i] = m[4 * i + 3];
        }
    }
    (void)fclose(file);
    return poses;
}

/* One vertex for all corners with the same three floats, by a hash table with linear probing. */
static mesh weld(const soup *s)
{
    const size_t corners = 3 * (size_t)s->count;
    size_t slots = 64;
    while (slots < 2 * corners) {
        slots *= 2;
    }
    uint32_t *table = room(slots, sizeof *table); /* vertex + 1 */
    mesh m = {room(3 * corners, sizeof(float)), room(corners, sizeof(uint32_t)), 0, s->count};
    for (size_t i = 0; i < corners; i++) {
        const float *p = s->corners + 3 * i;
        const float key[3] = {p[0] + 0.0f, p[1] + 0.0f, p[2] + 0.0f}; /* -0 is 0 */
        uint32_t bits[3];
        memcpy(bits, key, sizeof bits);
        uint64_t hash = bits[0] * UINT64_C(0x9E3779B97F4A7C15);
        hash = (hash ^ hash >> 29 ^ bits[1]) * UINT64_C(0xBF58476D1CE4E5B9);
        hash = (hash ^ hash >> 31 ^ bits[2]) * UINT64_C(0x94D049BB133111EB);
        size_t slot = (size_t)(hash >> 20) & (slots - 1);
        while (table[slot] != 0 &&
               memcmp(m.positions + 3 * (size_t)(table[slot] - 1), key, sizeof key) != 0) {
            slot = (slot + 1) & (slots - 1);
        }
        if (table[slot] == 0) {
            memcpy(m.positions + 3 * (size_t)m.vertex_count, key, sizeof key);
            table[slot] = ++m.vertex_count;
        }
        m.indices[i] = table[slot] - 1;
    }
    free(table);
    return m;
}

/* What a bake refuses: nothing, or a coordinate that is no number. */
static bool is_sound(const soup *s)
{
    for (size_t i = 0; i < 9 * (size_t)s->count; i++) {
        if (!isfinite(s->corners[i])) {
            return false;
        }
    }
    return s->count > 0;
}

/* ------------------------------------------------------------------------------------- trees -- */

static baked build(const soup *s, const char *kind)
{
    mesh m = weld(s);
    baked made;
    kiln_open_options options = kiln_open_options_default();
    made.bytes = quick_bake(&m, kind, LEAF, KILN_LAYOUT_RAW, &made.size);
    mesh_free(&m);
    if (kiln_open_memory(made.bytes, made.size, &options, &made.file) != KILN_OK) {
        give_up(kind, "what was baked can't be opened");
    }
    made.tree = kiln_file_tree(made.file, 0);
    if (kiln_tree_get_info(made.tree).triangle_count != s->count) {
        give_up(kind, "triangles are missing");
    }
    return made;
}

static void release(baked *made)
{
    kiln_close(made->file);
    free(made->bytes);
}

static int compare(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double median(double *values, size_t count)
{
    if (count == 0) {
        return (double)NAN;
    }
    qsort(values, count, sizeof *values, compare);
    return (values[count / 2] + values[(count - 1) / 2]) / 2;
}

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

/* Builds of A until they took 1.5 s, the last of which is kept. */
static baked build_timed(const soup *s, const arguments *args, double *milliseconds)
{
    double *times = room((size_t)args->builds, sizeof *times), spent = 0;
    baked made = {0};
    int count = 0;
    while (count < args->builds && (count == 0 || spent < 1.5e9)) {
        if (count > 0) {
            release(&made);
        }
        const double start = now();
        made = build(s, args->kind);
        times[count] = now() - start;
        spent += times[count++];
    }
    *milliseconds = median(times, (size_t)count) / 1e6;
    free(times);
    return made;
}

static double load_milliseconds(const baked *made)
{
    kiln_open_options options = kiln_open_options_default();
    double times[5];
    for (int i = 0; i < 5; i++) {
        kiln_file *file;
        const double start = now();
        if (kiln_open_memory(made->bytes, made->size, &options, &file) != KILN_OK) {
            give_up("memory", "it can't be opened again");
        }
        times[i] = now() - start;
        kiln_close(file);
    }
    return median(times, 5) / 1e6;
}

/* ----------------------------------------------------------------------------------- queries -- */

typedef struct {
    size_t count, reached;
    char *answer; /* '0', '1', 'x' refused */
    double *time; /* ns */
    double cost_of_clock;
} answers;

static double clock_cost(void)
{
    double least = HUGE_VAL;
    for (int i = 0; i < 2000; i++) {
        const double start = now();
        least = fmin(least, now() - start);
    }
    return least;
}

static void run_query(const baked *a, const baked *b, const kiln_pose *pose, answers *of, size_t i)
{
    kiln_hit hit = {0};
    const double start = now();
    const kiln_status status = kiln_collide(a->tree, NULL, b->tree, pose, NULL, &hit);
    const double time = fmax(now() - start - of->cost_of_clock, 0);
    of->answer[i] = status != KILN_OK ? 'x' : hit.found ? '1' : '0';
    of->time[i] = fmin(of->time[i], time);
}

/* The first pass warms up; times are the least of the later ones, where the budget has room. */
static answers query_all(const baked *a, const baked *b, const kiln_pose *poses, size_t count,
                         const arguments *args)
{
    answers of = {count, 0, room(count, 1), room(count, sizeof(double)), clock_cost()};
    const double start = now(), budget = args->budget * 1e9;
    while (of.reached < count && now() - start < budget / 2) {
        of.time[of.reached] = HUGE_VAL;
        run_query(a, b, &poses[of.reached], &of, of.reached);
        of.reached++;
    }
    const double first = now() - start;
    for (int pass = 1; pass < args->passes && now() - start + first < budget; pass++) {
        for (size_t i = 0; i < of.reached; i++) {
            of.time[i] = pass == 1 ? HUGE_VAL : of.time[i];
            run_query(a, b, &poses[i], &of, i);
        }
    }
    return of;
}

static size_t times_of(const answers *of, char answer, double *times)
{
    size_t count = 0;
    for (size_t i = 0; i < of->reached; i++) {
        if (of->answer[i] == answer) {
            times[count++] = of->time[i] / 1e3;
        }
    }
    return count;
}

static void print_figures(const answers *of, const baked *a, uint32_t triangles, double build_ms)
{
    double *times = room(of->count, sizeof *times);
    const size_t hits = times_of(of, '1', times);
    const double hit_mean = mean(times, hits), hit_median = median(times, hits);
    const size_t misses = times_of(of, '0', times);
    const double miss_mean = mean(times, misses), miss_median = median(times, misses);
    for (size_t i = 0; i < of->reached; i++) {
        times[i] = of->time[i] / 1e3;
    }
    const double bytes = triangles > 0 ? (double)a->size / triangles : 0;
    (void)printf("# peer=kiln tris=%u poses=%zu done=%zu hits=%zu misses=%zu build_ms=%.3f "
                 "bytes_per_tri=%.1f save_bytes_per_tri=%.1f load_ms=%.4f hit_med_us=%.3f "
                 "hit_mean_us=%.3f miss_med_us=%.3f miss_mean_us=%.3f all_mean_us=%.3f\n",
                 triangles, of->count, of->reached, hits, misses, build_ms, bytes, bytes,
                 load_milliseconds(a), hit_median, hit_mean, miss_median, miss_mean,
                 mean(times, of->reached));
    free(times);
}

static void write_times(const answers *of, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        give_up(path, "it can't be written");
    }
    for (size_t i = 0; i < of->reached; i++) {
        (void)fprintf(file, "%c %.1f\n", of->answer[i], of->time[i]);
    }
    if (fclose(file) != 0) {
        give_up(path, "it can't be written");
    }
}

static void write_image(const baked *made, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(made->bytes, 1, made->size, file) != made->size ||
        fclose(file) != 0) {
        give_up(path, "it can't be written");
    }
}

/* -------------------------------------------------------------------------------------- main -- */

static arguments parse(int count, char **words)
{
    arguments args = {NULL, NULL, NULL, NULL, NULL, NULL, PASSES, BUILDS, 4};
    const char *plain[4] = {NULL, NULL, NULL, "obb"};
    int plain_count = 0;
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? words[i + 1] : "";
        if (strcmp(words[i], "-passes") == 0) {
            args.passes = atoi(value);
        } else if (strcmp(words[i], "-builds") == 0) {
            args.builds = atoi(value);
        } else if (strcmp(words[i], "-budget") == 0) {
            args.budget = atof(value);
        } else if (strcmp(words[i], "-times") == 0) {
            args.times = value;
        } else if (strcmp(words[i], "-dump") == 0) {
            args.dump = value;
        } else if (words[i][0] == '-' || plain_count == 4) {
            give_up(words[i], "no such argument");
        } else {
            plain[plain_count++] = words[i];
            continue;
        }
        i++;
    }
    if (plain_count < 3 || args.builds < 1) {
        give_up("usage", "A.soup B.soup POSES [KIND] [-passes N] [-budget S] [-builds N] "
                         "[-times FILE] [-dump FILE]");
    }
    args.a = plain[0];
    args.b = plain[1];
    args.poses = plain[2];
    args.kind = plain[3];
    return args;
}

static void report(const arguments *args, const soup *of_a, const soup *of_b,
                   const kiln_pose *poses, size_t pose_count)
{
    double build_ms;
    baked a = build_timed(of_a, args, &build_ms), b = a;
    if (of_b != of_a) {
        b = build(of_b, args->kind);
    }
    answers of = query_all(&a, &b, poses, pose_count, args);
    for (size_t i = 0; i < pose_count; i++) {
        (void)printf("%c\n", i < of.reached ? of.answer[i] : '-');
    }
    if (args->times != NULL) {
        write_times(&of, args->times);
    }
    if (args->dump != NULL) {
        write_image(&a, args->dump);
    }
    print_figures(&of, &a, of_a->count, build_ms);
    if (of_b != of_a) {
        release(&b);
    }
    release(&a);
    free(of.answer);
    free(of.time);
}

int main(int count, char **words)
{
    const arguments args = parse(count, words);
    const bool same = strcmp(args.a, args.b) == 0;
    size_t pose_count;
    kiln_pose *poses = read_poses(args.poses, &pose_count);
    const soup of_a = read_soup(args.a), of_b = same ? of_a : read_soup(args.b);
    if (is_sound(&of_a) && is_sound(&of_b)) {
        report(&args, &of_a, same ? &of_a : &of_b, poses, pose_count);
    } else {
        for (size_t i = 0; i < pose_count; i++) {
            (void)puts("x");
        }
        (void)printf("# peer=kiln tris=%u poses=%zu done=0 refused=%zu\n", of_a.count, pose_count,
                     pose_count);
    }
    if (!same) {
        free(of_b.corners);
    }
    free(of_a.corners);
    free(poses);
    return 0;
}
