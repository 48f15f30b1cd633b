/* What a winding number takes: to given accuracies and to a decision against 0.5, of points in the
 * box of a mesh with a hole and of points near its surface, beside the sum over all triangles by
 * the same kernel, and beside that sum written plainly with the system's arc tangent. There is no
 * other library to measure against: libigl is not in Debian.
 *
 *     bench_winding [--quick] [--large] [--bv KIND]
 *
 * Times are the least of several rounds on one processor, in microseconds a point. */
#define _POSIX_C_SOURCE 200809L

#include "../../runtime/kiln_winding.h"
#include "../support/quick_bake.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAYS = 6, POINTS_MOST = 500 };

static const double accuracies[WAYS] = {0.1, 0.01, 1e-3, 1e-4, -1, 0}; /* -1: decides */
static double points[3 * POINTS_MOST];
static kiln_winding_answer answers[POINTS_MOST];

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* As anybody would write it. */
static double plain_sum(const float *corners, uint32_t count, const double p[3])
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double v[3][3], length[3];
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                v[c][k] = (double)corners[9 * (size_t)i + (unsigned)(3 * c + k)] - p[k];
            }
            length[c] = sqrt(v[c][0] * v[c][0] + v[c][1] * v[c][1] + v[c][2] * v[c][2]);
        }
        const double y = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                         v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                         v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        double x = length[0] * length[1] * length[2];
        for (int c = 0; c < 3; c++) {
            const double *a = v[(c + 1) % 3], *b = v[(c + 2) % 3];
            x += (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * length[c];
        }
        sum += atan2(y, x);
    }
    return sum / 6.283185307179586;
}

static void measure(const char *name, const char *kind, uint32_t triangles, int rounds)
{
    uint64_t state = 7;
    mesh m = mesh_of_shape(name, triangles);
    m.triangle_count -= m.triangle_count / 20;
    void *bytes = NULL;
    kiln_file *file = quick_open(&m, kind, 4, KILN_LAYOUT_RAW, &bytes);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    const kiln_tree_info info = kiln_tree_get_info(tree);
    const size_t size = kiln_winding_size(tree);
    const uint32_t limit = kiln_tree_triangle_limit(tree);
    void *memory = malloc(size);
    float *corners = malloc(9 * (size_t)limit * sizeof *corners);
    kiln_winding *winding = NULL;
    double placed = HUGE_VAL;
    if (memory == NULL || corners == NULL || kiln_tree_triangles(tree, corners, limit) != KILN_OK) {
        abort();
    }
    for (int round = 0; round < rounds; round++) {
        const double start = now();
        if (kiln_winding_place(memory, size, tree, &winding) != KILN_OK) {
            abort();
        }
        placed = fmin(placed, now() - start);
    }
    printf("%s, %u triangles: %.0f bytes and %.0f ns a triangle\n", name, info.triangle_count,
           (double)size / info.triangle_count, 1e3 * placed / info.triangle_count);
    for (int near = 0; near < 2; near++) {
        double least[WAYS + 1], error[WAYS] = {0}, sum = 0;
        for (int i = 0; i < POINTS_MOST; i++) {
            const uint32_t vertex = random_below(&state, m.vertex_count);
            for (int k = 0; k < 3; k++) {
                const double lower = (double)info.bounds_lower[k];
                const double side = (double)info.bounds_upper[k] - lower;
                points[3 * i + k] = near != 0 ? (double)m.positions[3 * vertex + (unsigned)k] +
                                                    0.01 * side * random_between(&state, -1, 1)
                                              : lower + side * random_between(&state, 0, 1);
            }
        }
        for (int way = 0; way <= WAYS; way++) {
            least[way] = HUGE_VAL;
        }
        for (int round = 0; round < rounds; round++) {
            for (int way = 0; way <= WAYS; way++) {
                const bool all = way >= WAYS - 1;
                const size_t count = all ? 3 + 100000 / info.triangle_count : POINTS_MOST;
                const size_t some = count < POINTS_MOST ? count : POINTS_MOST;
                kiln_winding_options options = kiln_winding_options_default();
                options.count_closed = false;
                options.decide = way < WAYS && accuracies[way] < 0;
                options.accuracy = way < WAYS && accuracies[way] > 0 ? accuracies[way] : 0;
                const double start = now();
                for (size_t i = 0; way == WAYS && i < some; i++) {
                    sum += plain_sum(corners, limit, points + 3 * i);
                }
                if (way < WAYS && kiln_winding_numbers(winding, NULL, points, some, &options,
                                                       answers) != KILN_OK) {
                    abort();
                }
                least[way] = fmin(least[way], (now() - start) / (double)some);
                for (size_t i = 0; way < WAYS && round == 0 && i < some; i++) {
                    error[way] += answers[i].error / (double)some;
                }
            }
        }
        printf("  %s", near != 0 ? "near" : "box ");
        for (int way = 0; way < WAYS - 1; way++) {
            char label[16] = "decided";
            if (accuracies[way] >= 0) {
                (void)snprintf(label, sizeof label, "%.0e", accuracies[way]);
            }
            printf("  %s %.1f us (error %.0e)", label, least[way], error[way]);
        }
        printf("  sum %.1f us (error %.0e), plain %.1f us%s\n", least[WAYS - 1], error[WAYS - 1],
               least[WAYS], isnan(sum) ? " (no number)" : "");
    }
    free(corners);
    free(memory);
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"knot", "car", "lock"};
    const char *kind = "obb";
    bool quick = false, large = false;
    for (int i = 1; i < argc; i++) {
        quick = quick || strcmp(argv[i], "--quick") == 0;
        large = large || strcmp(argv[i], "--large") == 0;
        if (strcmp(argv[i], "--bv") == 0 && i + 1 < argc) {
            kind = argv[++i];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (uint32_t n = 1000; n <= (quick ? 1000u : large ? 1000000u : 100000u); n *= 10) {
            measure(names[i], kind, n, quick ? 1 : 5);
        }
    }
    return 0;
}
