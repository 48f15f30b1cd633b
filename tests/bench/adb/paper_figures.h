/* The measurements of section 4.3 of Klein and Zachmann (2003), on an object and its own copy: time
 * and error of the published query over the distance (Figures 14 and 16), and by p_min and k_min
 * (Figure 17), beside ours and exact ones. */
#ifndef KILN_BENCH_PAPER_FIGURES_H
#define KILN_BENCH_PAPER_FIGURES_H

#include "baked.h"
#include "paper_query.h"
#include "zachmann.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_PAPER_SERIES_MAX = 32 };

/* One method: means over the poses of each distance, NAN where there are none. */
typedef struct {
    char name[40];
    double us[ZACHMANN_DISTANCES];
    double positives[ZACHMANN_DISTANCES], negatives[ZACHMANN_DISTANCES]; /* false ones: parts */
} bench_paper_series;

/* All methods on one object. */
typedef struct {
    char name[40];
    uint32_t triangles;
    size_t poses[ZACHMANN_DISTANCES]; /* with boxes that meet */
    size_t hits;                      /* of all poses */
    unsigned count;
    bench_paper_series series[BENCH_PAPER_SERIES_MAX];
} bench_paper_figure;

/* How it is measured: `draws` poses a distance, of which those count whose boxes meet, the same for
 * each method. Methods alternate over batches of poses, a query's time is the least of `rounds`. */
typedef struct {
    unsigned draws;
    int rounds;
} bench_paper_effort;

/* The following three measure on one mesh. Published queries walk an `aabb2` tree of one triangle a
 * leaf, with one count a box (Table 1's node has room for one) of 8^3 cells, possible from half the
 * largest section on. KILN_ERROR_ARGUMENT: fewer than two triangles; KILN_ERROR_MEMORY. On success
 * *figure is filled; there is nothing to release. */

/* Figures 14 and 16 for one complexity. */
enum {
    BENCH_PAPER_AS_PRINTED, /* p_min 0.99, k_min 10 */
    BENCH_PAPER_LOWER,      /* p_min 0.9, k_min 5 */
    BENCH_PAPER_OURS,       /* the library's default query, on the tree of a default bake */
    BENCH_PAPER_DOP24,      /* exact */
    BENCH_PAPER_BOXES,      /* exact, on the tree that the published query walks */
    BENCH_PAPER_METHODS
};
kiln_status bench_paper_complexity(const char *name, const bench_mesh *mesh,
                                   const bench_paper_effort *effort, bench_paper_figure *figure);

/* Figure 17: first each p_min at k_min 10, then each k_min at p_min 0.99, then ours, then
 * 24-DOPs. */
enum { BENCH_PAPER_P_MIN = 5, BENCH_PAPER_K_MIN = 3 };
extern const double bench_paper_p_min[BENCH_PAPER_P_MIN];   /* 0.5 to 0.99 */
extern const uint32_t bench_paper_k_min[BENCH_PAPER_K_MIN]; /* 1, 5, 10 */
kiln_status bench_paper_settings(const char *name, const bench_mesh *mesh,
                                 const bench_paper_effort *effort, bench_paper_figure *figure);

/* What each choice that the text leaves open is worth: one thing changed at a time from p_min 0.99,
 * k_min 10. Ends after 1000 pairs, as some of them would open all that overlap. */
kiln_status bench_paper_choices(const char *name, const bench_mesh *mesh,
                                const bench_paper_effort *effort, bench_paper_figure *figure);

/* Mean over the distances from `from` to `to` at which there are poses, each counting alike. */
double bench_paper_mean(const double values[ZACHMANN_DISTANCES], double from, double to);

/* The same of false positives and negatives together: the paper's error, in parts. */
double bench_paper_error(const bench_paper_series *series, double from, double to);

#ifdef __cplusplus
}
#endif

#endif
