/* What time.mjs asks of the module, asked of the library in each instruction set of this machine.
 *
 *     time pose COUNT          writes so many cases to standard output, as doubles
 *     time ask CASES A B       prints lines "SET QUERY NANOSECONDS FOUND": the least mean of some
 *                              rounds, in time of the processor
 *
 * A case is the pose of B (a rotation of nine numbers and a translation), a ray (origin, direction)
 * and a point, 21 doubles. The files' first trees are asked; A stays where it is. */
#define _POSIX_C_SOURCE 200809L
#include "../../../runtime/kernel/kernel.h"
#include "../../../runtime/kiln.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUMBERS = 21, CASES_MAX = 100000, ROUNDS = 4 };

static uint64_t state = 5;

static double between(double lower, double upper) /* SplitMix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lower + (upper - lower) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static int write_cases(long count)
{
    for (long i = 0; i < count; i++) {
        double numbers[NUMBERS], q[4], length;
        do {
            length = 0;
            for (int k = 0; k < 4; k++) {
                q[k] = between(-1, 1);
                length += q[k] * q[k];
            }
        } while (length < 0.1 || length > 1);
        const double w = q[3], x = q[0], y = q[1], z = q[2], s = 2 / length;
        const double rotation[9] = {
            1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
            s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
            s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
        memcpy(numbers, rotation, sizeof rotation);
        for (int k = 9; k < NUMBERS; k++) {
            numbers[k] = between(-2, 2);
        }
        if (fwrite(numbers, sizeof numbers, 1, stdout) != 1) {
            return 2;
        }
    }
    return 0;
}

static const kiln_tree *a, *b;
static double cases[CASES_MAX][NUMBERS];
static size_t count;

typedef struct {
    kiln_pose pose;
    kiln_ray ray;
    const double *point;
} placed;

static void place(size_t i, placed *out)
{
    out->pose = kiln_pose_identity();
    memcpy(out->pose.rotation, cases[i], sizeof out->pose.rotation);
    memcpy(out->pose.translation, cases[i] + 9, sizeof out->pose.translation);
    memcpy(out->ray.origin, cases[i] + 12, sizeof out->ray.origin);
    memcpy(out->ray.direction, cases[i] + 15, sizeof out->ray.direction);
    out->ray.t_min = 0;
    out->ray.t_max = 1e30;
    out->point = cases[i] + 18;
}

static size_t ask_collide(const placed *at)
{
    kiln_hit hit;
    return kiln_collide(a, NULL, b, &at->pose, NULL, &hit) == KILN_OK && hit.found;
}

static size_t ask_apart(const placed *at)
{
    kiln_pose pose = at->pose;
    pose.translation[0] += 100;
    kiln_hit hit;
    return kiln_collide(a, NULL, b, &pose, NULL, &hit) == KILN_OK && hit.found;
}

static size_t ask_within(const placed *at)
{
    kiln_hit hit;
    return kiln_within(a, NULL, b, &at->pose, 0.05, NULL, &hit) == KILN_OK && hit.found;
}

static size_t ask_distance(const placed *at)
{
    kiln_nearest nearest;
    return kiln_distance(a, NULL, b, &at->pose, NULL, &nearest) == KILN_OK && nearest.distance > 0;
}

static size_t ask_summary(const placed *at)
{
    kiln_contacts_summary summary;
    return kiln_contacts_summarise(a, NULL, b, &at->pose, NULL, &summary) == KILN_OK ? summary.count
                                                                                     : 0;
}

static size_t ask_ray(const placed *at)
{
    kiln_ray_hit hit;
    return kiln_ray_closest(a, &at->pose, &at->ray, NULL, &hit) == KILN_OK && hit.found;
}

static size_t ask_sphere(const placed *at)
{
    kiln_shape shape = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.1};
    kiln_triangle_hit hit;
    memcpy(shape.a, at->point, sizeof shape.a);
    return kiln_overlap_any(a, &at->pose, &shape, NULL, NULL, &hit) == KILN_OK && hit.found;
}

static size_t ask_point(const placed *at)
{
    kiln_place where = KILN_PLACE_OUTSIDE;
    return kiln_locate_point(a, &at->pose, at->point, &where) == KILN_OK &&
           where == KILN_PLACE_INSIDE;
}

static const struct {
    const char *name;
    size_t (*ask)(const placed *at);
} queries[] = {{"collide", ask_collide},   {"apart", ask_apart},       {"within", ask_within},
               {"distance", ask_distance}, {"summarise", ask_summary}, {"rayClosest", ask_ray},
               {"overlapAny", ask_sphere}, {"locatePoint", ask_point}};

static double processor_time(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static const kiln_tree *first_tree(const char *path)
{
    kiln_file *file = NULL;
    if (kiln_open(path, NULL, &file) != KILN_OK) {
        (void)fprintf(stderr, "%s does not open\n", path);
        exit(2);
    }
    return kiln_file_tree(file, 0);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "pose") == 0) {
        return write_cases(atol(argv[2]));
    }
    if (argc != 5) {
        return 2;
    }
    FILE *stream = fopen(argv[2], "rb");
    if (stream == NULL) {
        return 2;
    }
    count = fread(cases, sizeof cases[0], CASES_MAX, stream);
    (void)fclose(stream);
    a = first_tree(argv[3]);
    b = first_tree(argv[4]);
    const kiln_kernel *kernel;
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        kiln_kernel_force(kernel);
        for (size_t k = 0; k < sizeof queries / sizeof queries[0]; k++) {
            if (queries[k].ask == ask_point && kiln_tree_get_info(a).closed == KILN_MESH_OPEN) {
                continue;
            }
            double least = 1e300;
            size_t found = 0;
            double times = 1; /* the first round says how often to repeat */
            for (int round = 0; round < ROUNDS; round++) {
                const double start = processor_time();
                found = 0;
                for (size_t i = 0; i < count * (size_t)times; i++) {
                    placed at;
                    place(i % count, &at);
                    found += queries[k].ask(&at);
                }
                found /= (size_t)times;
                const double each = (processor_time() - start) / (double)count / times;
                least = each < least ? each : least;
                times = ceil(3e7 / (each * (double)count));
            }
            (void)printf("%s %s %.1f %zu\n", kernel->name, queries[k].name, least, found);
        }
    }
    return 0;
}
