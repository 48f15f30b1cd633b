/* Every method on the same poses of an object and its own copy: exact trees, the truncated
 * baseline, time-critical queries, those of the paper, and what a caller adds. */
#ifndef KILN_BENCH_CONTEST_H
#define KILN_BENCH_CONTEST_H

#include "baked.h"
#include "zachmann.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The receiver of progress; NULL: there is none. */
typedef struct {
    void (*step)(void *user, const char *stage, double part);
    void *user;
} bench_watch;

/* ------------------------------------------------------------------------------------ object -- */

/* A tree with counts and polygons, poses of its copy, and whether the surfaces meet at each. */
typedef struct {
    const char *name;
    const kiln_tree *tree;
    zachmann_box box;
    zachmann_pose *poses;
    bool *truth;
    size_t count, hits;
} bench_subject;

/* `draws` poses a distance, of which some are left out (zachmann.h). `name` and `tree` must stay.
 * False: no memory. */
bool bench_subject_make(const char *name, const kiln_tree *tree, unsigned draws,
                        bench_subject *subject);
void bench_subject_free(bench_subject *subject);

/* Does the surface meet its own copy at `pose`? */
bool bench_exact(const kiln_tree *tree, const kiln_pose *pose);

/* A time-critical query as it is measured: options, and pairs that it may open. */
typedef struct {
    const char *name;
    kiln_adb_options options;
    uint64_t pairs;
} bench_point;

enum { BENCH_POINTS = 4, BENCH_POINT_PAIRS = 64 };

/* The modes of kiln.h, and the default one with a tight budget of pairs. */
void bench_points(bench_point points[BENCH_POINTS]);

/* Yes if more probable than not. */
bool bench_point_ask(const bench_point *point, const kiln_tree *tree, const kiln_pose *pose,
                     kiln_adb_answer *answer);

/* ----------------------------------------------------------------------------------- methods -- */

typedef struct {
    bool found;
    uint64_t visited; /* pairs of boxes opened or volumes compared; 0: not counted */
} bench_answer;

typedef struct {
    char name[32];
    bool exact;
    bench_answer (*run_query)(const void *with, const kiln_pose *pose);
    const void *with;
    /* NULL, or a query that counts what the other, which is timed, does not */
    bench_answer (*count_query)(const void *with, const kiln_pose *pose);
} bench_method;

/* The methods that are compared, in this order, after those that the caller adds. The first four
 * are also what others are compared with; the fourth queries the very tree that time-critical
 * queries are measured on, from the same file. */
enum {
    BENCH_DOP24,
    BENCH_OBB2,
    BENCH_OBB,
    BENCH_SAME,
    BENCH_BASES,
    BENCH_TRUNCATED = BENCH_BASES, /* four leaf sizes of obb2, then of obb */
    BENCH_TRUNCATED_SIZES = 4,
    BENCH_TIMED = BENCH_TRUNCATED + 2 * BENCH_TRUNCATED_SIZES,
    BENCH_PUBLISHED = BENCH_TIMED + BENCH_POINTS, /* paper.md */
    BENCH_METHODS,
    BENCH_ADDED_MAX = 2
};

/* One method on one object. */
typedef struct {
    char name[32];
    bool exact;
    size_t positives, negatives;     /* false ones */
    double mean, median, p99, worst; /* ns */
    double visited;                  /* mean; the same in every run */
    double *times;                   /* of each pose */
} bench_row;

typedef struct {
    char *name;
    uint32_t triangles;
    size_t poses, hits;
    uint8_t *distances; /* of each pose: which */
    bool *truth;
    unsigned added; /* rows that the caller added, the first ones */
    unsigned row_count;
    bench_row rows[BENCH_ADDED_MAX + BENCH_METHODS];
} bench_table;

/* Builds the rivals of subject->tree from its triangles and lets all methods alternate over batches
 * of 400 poses. Whenever it is a method's turn, it runs the whole batch once unmeasured, then
 * measured: each finds its own data in the caches, and none another's. A query's time is the least
 * over `rounds`, less what the clock takes. Truth is the subject's. `added` [added_count <=
 * BENCH_ADDED_MAX] exact methods come first. KILN_ERROR_ARGUMENT: a rival can't be built, which
 * takes two triangles; KILN_ERROR_MEMORY. *table is then empty. */
kiln_status bench_contest(const bench_subject *subject, const bench_mesh *mesh,
                          const bench_method *added, unsigned added_count, int rounds,
                          const bench_watch *watch, bench_table *table);
void bench_table_free(bench_table *table);

/* The part of the poses at which a row is wrong. */
double bench_row_error(const bench_table *table, const bench_row *row);

/* The row of the exact method that is the fastest on the object. */
unsigned bench_fastest_exact(const bench_table *table);

/* Exact rows that are wrong somewhere: a figure can't be right then. */
unsigned bench_table_differ(const bench_table *table);

#ifdef __cplusplus
}
#endif

#endif
