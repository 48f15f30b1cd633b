#include "triangle_sets.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    float corners[9];
} triangle;

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(triangle));
}

/* Starts with the corner whose bytes come first. -0 and 0 are made one. */
static triangle canonical(const kiln_view *view, uint32_t stored)
{
    float corners[3][3];
    for (int k = 0; k < 3; k++) {
        const uint32_t vertex = view->triangles[3 * (size_t)stored + (size_t)k];
        for (int i = 0; i < 3; i++) {
            corners[k][i] = view->vertices[3 * (size_t)vertex + (size_t)i] + 0.0f;
        }
    }
    triangle best, other;
    memcpy(best.corners, corners, sizeof best.corners);
    for (int first = 1; first < 3; first++) {
        for (int k = 0; k < 3; k++) {
            memcpy(other.corners + 3 * k, corners[(first + k) % 3], sizeof corners[0]);
        }
        best = compare(&other, &best) < 0 ? other : best;
    }
    return best;
}

/* By id. NULL: no memory. */
static triangle *list_triangles(const kiln_view *view)
{
    triangle *list = malloc((size_t)view->triangle_count * sizeof *list);
    for (uint32_t i = 0; list != NULL && i < view->triangle_count; i++) {
        list[view->ids[i]] = canonical(view, i);
    }
    return list;
}

static void compare_sorted(const triangle *a, uint32_t count_a, const triangle *b, uint32_t count_b,
                           triangle_sets *out)
{
    uint32_t i = 0, k = 0;
    while (i < count_a && k < count_b) {
        const int order = compare(&a[i], &b[k]);
        i += order <= 0;
        k += order >= 0;
        out->only_a += order < 0;
        out->only_b += order > 0;
    }
    out->only_a += count_a - i;
    out->only_b += count_b - k;
}

bool triangle_sets_compare(const kiln_view *a, const kiln_view *b, triangle_sets *out)
{
    triangle *list_a = list_triangles(a), *list_b = list_triangles(b);
    const bool good = list_a != NULL && list_b != NULL;
    memset(out, 0, sizeof *out);
    if (good) {
        const uint32_t both =
            a->triangle_count < b->triangle_count ? a->triangle_count : b->triangle_count;
        for (uint32_t i = 0; i < both; i++) {
            out->renumbered += compare(&list_a[i], &list_b[i]) != 0;
        }
        qsort(list_a, a->triangle_count, sizeof *list_a, compare);
        qsort(list_b, b->triangle_count, sizeof *list_b, compare);
        compare_sorted(list_a, a->triangle_count, list_b, b->triangle_count, out);
    }
    free(list_a);
    free(list_b);
    return good;
}
