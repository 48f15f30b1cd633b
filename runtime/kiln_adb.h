/* kiln: counted queries, time-critical queries after Klein and Zachmann, whose answers are
 * probabilities, and the filled-bins tables that they may use.
 *
 * What kiln.h says of files, trees, poses, threads, memory and errors holds here too, but affine
 * poses are refused (KILN_ERROR_POSE): what is counted is cells of a grid of cubes in each box that
 * hold enough of the surface to collide in. Stretched, a cube is none, and the part of the surface
 * in it that counts is another one, which nothing in the file tells; a probability from such counts
 * would mean nothing. kiln_collide_likely takes affine poses. */
#ifndef KILN_ADB_H
#define KILN_ADB_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------ filled-bins tables -- */

/* Take u bins and throw v blue and w red balls into them, at most one of each colour into a bin,
 * all such throws being equally likely: P(u, v, w, x) is the probability that at least x bins hold
 * a ball of each colour (Klein and Zachmann 2003, Definition 6, Equation 6). With u = s cells in
 * the intersection of two nodes, v = sA and w = sB possible collision cells, it estimates the
 * probability of x collision cells.
 *
 * The table is optional: where a call takes `table`, NULL means the built-in evaluator, which
 * computes the values. A table answers up to its own max_u and max_x and nothing beyond, so that
 * neither the error nor the cost of an answer changes unnoticed: pass NULL there.
 *
 * Arguments: v <= u, w <= u, u <= KILN_BINS_MAX_U, x <= KILN_BINS_MAX_X; anything else is
 * KILN_ERROR_ARGUMENT. Without a bin or a ball of a colour (u, v or w = 0) no bin can be filled:
 * P = 0 from x = 1 on. x = 0 is certain: P = 1. */
typedef struct kiln_bins kiln_bins;

enum {
    KILN_BINS_MAX_U = 4096, /* 16^3 cells */
    KILN_BINS_MAX_X = 32
};

/* Opens the filled-bins table of a baked file, in memory or on disk. Arguments, options, errors,
 * ownership and verification are those of kiln_open_memory and kiln_open; bv_mask is ignored;
 * KILN_ERROR_NOT_LOADED for a sound file that holds no such table. */
KILN_API kiln_status kiln_bins_open_memory(const void *data, size_t size,
                                           const kiln_open_options *options, kiln_bins **out);
KILN_API kiln_status kiln_bins_open(const char *path, const kiln_open_options *options,
                                    kiln_bins **out);

/* Closes the table. NULL is allowed. */
KILN_API void kiln_bins_close(kiln_bins *table);

typedef struct {
    const char *profile; /* how values are stored: "exact", "compact"; "closed" for NULL; static */
    bool rounded_down;   /* no value is above the true one */
    uint32_t max_u;      /* largest u, v, w */
    uint32_t max_x;
    double certificate; /* no value is further than this from the true one */
    uint64_t bytes;     /* of the table in memory; 0 for NULL */
} kiln_bins_info;

/* Returns the properties of a table, or of the built-in evaluator for NULL. */
KILN_API kiln_bins_info kiln_bins_get_info(const kiln_bins *table);

/* Computes *p = P(u, v, w, x) within the certificate; exactly 1 where x <= v + w - u with NULL, and
 * exactly 0 where x > min(v, w) with any table. NULL is also within 2^-36 of P itself, however
 * small. KILN_ERROR_ARGUMENT: see above, or p NULL. KILN_ERROR_NOT_LOADED: u or x is beyond the
 * table. *p is then untouched. Any number of threads; nothing is allocated. Cost: that of x
 * values at once; ten with NULL take 20 to 30 ns up to u = 512. */
KILN_API kiln_status kiln_bins_probability(const kiln_bins *table, uint32_t u, uint32_t v,
                                           uint32_t w, uint32_t x, double *p);

/* Computes p[i] = P(u, v, w, i + 1) for i < count, never rising with i. `count` is 1 to
 * KILN_BINS_MAX_X, else KILN_ERROR_ARGUMENT; errors otherwise as kiln_bins_probability, with p
 * untouched. */
KILN_API kiln_status kiln_bins_probabilities(const kiln_bins *table, uint32_t u, uint32_t v,
                                             uint32_t w, uint32_t count, double p[]);

/* How arguments s, sA and sB that are not integers, such as ratios of volumes, are treated. */
typedef enum {
    /* A lower bound, proven. s is rounded up, sA and sB down: P falls in u and rises in v and w.
     * The result is lowered by the certificate unless the table is rounded down or x filled bins
     * are certain (x <= v + w - u). It is at most the true P at each of the eight whole
     * neighbours, and so at most any mean of them. */
    KILN_BINS_LOWER = 1,
    /* The mean of P over the eight whole neighbours, weighted by nearness in each argument
     * (trilinear): the probability when s, sA and sB are each rounded up or down at random, up as
     * often as the fraction says. Continuous in all arguments. A neighbour with more balls of a
     * colour than bins counts as one with a ball in each bin. Within the certificate and 2^-48 of
     * that definition. Up to eight times the cost. */
    KILN_BINS_INTERPOLATED = 2
} kiln_bins_rounding;

/* Computes p[i] = P(s, sa, sb, i + 1) for i < count, by `mode`, never rising with i. 0 <= sa, sb <=
 * s (clamp them: sums over several nodes can exceed s) and s <= KILN_BINS_MAX_U; else, and for NaN,
 * an unknown mode, p NULL or a count that is not 1 to KILN_BINS_MAX_X, KILN_ERROR_ARGUMENT.
 * KILN_ERROR_NOT_LOADED: s rounded up, or count, is beyond the table. p is then untouched. Any
 * number of threads; nothing is allocated. */
KILN_API kiln_status kiln_bins_probabilities_real(const kiln_bins *table, double s, double sa,
                                                  double sb, kiln_bins_rounding mode,
                                                  uint32_t count, double p[]);

/* Computes Equation 8: *p = max over x of (1 - (1 - lb)^x) P(s, sa, sb, x), and the least x that
 * gives it in *x_best (may be NULL). lb, 0 to 1, is a lower bound for the probability that a
 * collision cell holds a collision. x runs from 1 to 10 as in the paper, or to the table's max_x
 * where that is less; each x gives a lower bound, so leaving some out leaves one. With
 * KILN_BINS_LOWER *p is at most the true maximum, rounding included. Errors as
 * kiln_bins_probabilities_real, also for NaN or an lb out of range; *p and *x_best are then
 * untouched. Cost: that of kiln_bins_probabilities_real, and about 15 ns. */
KILN_API kiln_status kiln_bins_collision_bound(const kiln_bins *table, double s, double sa,
                                               double sb, double lb, kiln_bins_rounding mode,
                                               uint32_t *x_best, double *p);

/* Computes the value that Equation 8 bounds: *p = E[1 - (1 - lb)^C], C the number of filled bins;
 * the probability of a collision when each collision cell has one with probability lb,
 * independently. Within 2^-38. It needs every x and so takes no table. KILN_BINS_LOWER: a lower
 * bound, less those 2^-38, since 1 - (1 - lb)^C rises with C. KILN_ERROR_ARGUMENT as in
 * kiln_bins_collision_bound, *p then untouched. Threads and memory as there. Cost: a sum over the
 * likely values of C, 40 to 150 ns up to u = 512. */
KILN_API kiln_status kiln_bins_collision_expected(double s, double sa, double sb, double lb,
                                                  kiln_bins_rounding mode, double *p);

/* -------------------------------------------------------------------------- counted queries -- */

/* For comparison with the literature, and for trees without polygons. kiln_collide_likely (kiln.h)
 * needs no counts, is faster, is wrong less often, and never says a wrong "no"; these queries do.
 * Experimental: names, options and defaults may change until version 1.0.
 *
 * These queries estimate whether two surfaces meet, with a probability. After Klein and Zachmann,
 * "ADB-Trees", VRST 2003: each node stores how many cells of a grid in its box hold enough surface
 * to take part in a collision (kiln bake --adb). Pairs of boxes are opened in the order of the
 * probability that their contents meet, and the descent ends when an answer is probable enough or
 * the budget is spent.
 *
 *     static uint64_t memory[4096];
 *     kiln_adb *query = NULL;
 *     kiln_adb_answer answer;
 *     if (kiln_adb_place(memory, sizeof memory, &query) == KILN_OK &&
 *         kiln_adb_begin(query, a, &pose_a, b, &pose_b, NULL) == KILN_OK &&
 *         kiln_adb_run(query, 64, 20000) == KILN_OK &&
 *         kiln_adb_get_answer(query, &answer) == KILN_OK && answer.probability > 0.5)
 *         brake();
 *
 * Meaning of `probability`: over many poses, this fraction of the answers with that value are
 * collisions. It is fitted (kiln calibrate) on pairs of copies of meshes at random poses at which
 * their boxes overlap; the benchmarks measure how well it holds for others. Surfaces are compared,
 * touching included, as by kiln_collide.
 *
 * Counts see surfaces whose triangles are small beside the boxes that hold them. Where triangles
 * are as long as the whole mesh the probability is less true: leaves are then large, nothing is
 * below them, and whether two of them meet is a guess. A leaf that is much larger than the other
 * box is therefore tested exactly, as a ball in a room is whose walls share a leaf; trees without
 * polygons guess there, and the answer says so (KILN_ADB_UNFOUNDED). Between leaves of much the
 * same size the guess stays: fences against a chain are wrong in one answer of 25. Use
 * kiln_collide_likely there, or the hybrid option.
 *
 * Answers depend on the arguments alone, not on threads or machines, except where a budget of time
 * ends a run. Swapping A and B changes neither verdict nor probability. */

/* A query: its arguments, and its frontier of pairs of boxes that were not opened yet. It lives in
 * the caller's memory and is used by one thread at a time. */
typedef struct kiln_adb kiln_adb;

/* How the probability of a pair of boxes is computed from their counts. */
typedef enum {
    /* from the expected number of common cells and five more features, by fitted weights */
    KILN_ADB_CALIBRATED = 0,
    KILN_ADB_EXPECTED = 1, /* 1 - exp(-expected number x LB): no weights */
    KILN_ADB_BINS = 2      /* Equation 8 over filled bins; kiln_bins_collision_bound */
} kiln_adb_evaluator;

/* log-odds of a pair = bias + lambda log2(expected common cells) + margin (least overlap on the six
 * face axes, as a part of the smaller box, 0 to 1) + level (LB: 0 at the roots, 1 at boxes of one
 * triangle) + ratio log2(edge of the larger box / edge of the smaller) + flat log2(thickness of one
 * box x thickness of the other, each its least extent / its largest, at least 1/50) + lambda_level
 * log2(expected common cells) LB + thin log2(least extent of the larger box / middle extent of the
 * smaller, 2^-10 to 2^10). Expected common cells are at least 1/16 here: polygons that are long and
 * narrow cross cells in which they have too little area to be counted.
 *
 * An answer's P = 1 - exp(-(l_max + others (sum of l - l_max))), over all pairs that wait or were
 * left out, l = -ln(1 - p) of a pair. Where a query ended by itself, that is not all: a pair of
 * p_min says more than p_min, as what else would be opened is likely too. The log-odds of a decided
 * answer that is not exact are yes, or no, + (1 + sure) ln(P / (1 - P)). */
typedef struct {
    float bias, lambda, margin, level, ratio;
    float others; /* [0, 1] */
    float root;   /* added to the log-odds of two roots */
    float flat, lambda_level;
    float yes, no, sure; /* sure > -1 */
    float thin;
} kiln_adb_weights;

enum { KILN_ADB_FEATURES = 7 };

/* A pair of boxes that passed the separating-axis test, at the moment its probability is computed.
 */
typedef struct {
    /* log2 expected common cells, margin, level, log2 ratio, log2 thickness of both, log2
     * expected common cells x level, log2 of how thin the larger box is for the smaller */
    float features[KILN_ADB_FEATURES];
    double probability;
    uint32_t leaves; /* of the two boxes, how many are leaves */
    /* of A's and of B's box: how the library names them; the lane of a root is 255 */
    uint32_t node[2], lane[2];
} kiln_adb_observation;

typedef void (*kiln_adb_observer)(void *user, const kiln_adb *query,
                                  const kiln_adb_observation *seen);

/* Initialise it with kiln_adb_options_of, then change members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_adb_options) of the caller */
    /* [0, 1] a pair at least this probable counts as a collision; the two roots do where they
     * are of much the same size and as probable as an answer is that a pair of p_min gives. 0:
     * any two boxes that overlap; 1: none is counted */
    double p_min;
    uint32_t k_min; /* >= 1: "yes" takes this many; a box may count in several pairs */
    /* [0, 1] pairs less probable are not opened. 0: none is left out. Neither p_min nor epsilon
     * decide about two boxes one of which is much larger (by 2^1.5 in the edge of cubes of their
     * volumes), or one tree's root, unless both are leaves: weights are not fitted to these. Where
     * the one much larger is a leaf, or the other is, and the boxes hold few triangles, these are
     * tested exactly; trees without polygons go by the probability. Nor does epsilon where the
     * counts do not know: a box with fewer possible cells than one layer of its grid holds polygons
     * that are too narrow to be counted, and is opened as long as it is no leaf */
    double epsilon;
    /* test what is below two boxes of some 256 triangles or less exactly, as one pair; else a
     * pair of leaves counts from probability 1/2 on. With epsilon 0 and p_min 1 a run to its end
     * is exact; with a lower p_min it has no false negatives */
    bool hybrid;
    kiln_adb_evaluator evaluator;
    const kiln_bins *bins; /* KILN_ADB_BINS: NULL for the built-in evaluator */
    /* NULL: those of kiln_adb_get_weights; else read by kiln_adb_begin */
    const kiln_adb_weights *weights;
    /* nanoseconds since any moment; NULL: the system's monotonic clock. Called before every pair
     * while a budget of time is given */
    uint64_t (*clock)(void *user);
    void *clock_user;
    /* NULL, or called for every pair of boxes that is weighed, in the floating-point environment
     * of the caller */
    kiln_adb_observer observer;
    void *observer_user;
    /* From an earlier query at similar poses, as kiln_hit has it: its two triangles are tested
     * first, where the trees have polygons, and if they meet, the answer is that, exact. */
    kiln_hint hint;
} kiln_adb_options;

/* Modes that the benchmarks measure: DEFAULT, FAST with about twice the errors, CAREFUL with exact
 * tests of triangles and no false negatives. */
typedef enum { KILN_ADB_DEFAULT = 0, KILN_ADB_FAST = 1, KILN_ADB_CAREFUL = 2 } kiln_adb_mode;

/* Returns the options of a mode; those of DEFAULT for an unknown one. */
KILN_API kiln_adb_options kiln_adb_options_of(kiln_adb_mode mode);

typedef enum {
    /* nothing is left to open, and no pair counted. `probability` can yet be over 1/2, by many
     * pairs that were left out, none of them likely: where one body is much smaller than the
     * other it is then mostly right */
    KILN_ADB_NO = 0,
    KILN_ADB_YES = 1,      /* k_min pairs counted, or two triangles were found to meet */
    KILN_ADB_UNDECIDED = 2 /* the budget ended first, or pairs were lost for want of room */
} kiln_adb_verdict;

enum {
    /* the frontier was full: the least probable pairs were merged into a remainder, which counts
     * in `probability` and is never opened; then there is no "no" */
    KILN_ADB_FULL = 1u,
    /* "yes" with a pair of triangles that meet, or a "no" that is proved: probability is 1 or 0 */
    KILN_ADB_EXACT = 2u,
    /* the probability rests in part on two leaves one of which is much larger than the other, of
     * which counts know nothing: the trees have no polygons to test, or the budget ended first.
     * Take it for a guess */
    KILN_ADB_UNFOUNDED = 4u
};

typedef struct {
    kiln_adb_verdict verdict;
    double probability; /* [0, 1] that the surfaces meet */
    uint64_t pairs;     /* pairs of boxes that were opened or, as leaves, decided */
    uint32_t flags;     /* KILN_ADB_FULL, KILN_ADB_EXACT, KILN_ADB_UNFOUNDED */
    uint32_t waiting;   /* pairs in the frontier */
    kiln_pair pair;     /* KILN_ADB_YES with KILN_ADB_EXACT: the two triangles; else 0, 0 */
} kiln_adb_answer;

/* A likely place of contact, in A's own frame. */
typedef struct {
    double probability; /* of this pair of boxes */
    double position[3]; /* in A's box, near its overlap with B's */
    double extent;      /* half the diagonal of the smaller box: contacts are within about this */
    double normal[3];   /* unit; the face normal along which the boxes overlap least, from B to A */
} kiln_adb_hint;

/* Bytes that a query with room for `capacity` waiting pairs takes, of any alignment: 16 a pair and
 * about 1 KiB. 0 for a capacity of 0 or over 2^24. */
KILN_API size_t kiln_adb_size(uint32_t capacity);

/* Makes a query of `memory` [size bytes], with room for as many pairs as fit. The memory stays the
 * caller's; there is nothing to release. KILN_ERROR_ARGUMENT: NULL, or too small for one pair; *out
 * is then NULL. */
KILN_API kiln_status kiln_adb_place(void *memory, size_t size, kiln_adb **out);

/* Starts a new query; the previous contents are discarded. Poses NULL: identity. `options` NULL:
 * those of KILN_ADB_DEFAULT. Trees, and a table in the options, must live as long as the query
 * runs. KILN_ERROR_ARGUMENT (null query or tree, an option out of range or NaN, a weight that is
 * not finite or over 1e6), KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED (a tree without counts, or hybrid
 * on one without polygons), KILN_ERROR_PARTIAL (no node has arrived yet, or hybrid before the whole
 * file has): no query is then begun. Cost: forming the pose and weighing the roots. */
KILN_API kiln_status kiln_adb_begin(kiln_adb *query, const kiln_tree *a, const kiln_pose *pose_a,
                                    const kiln_tree *b, const kiln_pose *pose_b,
                                    const kiln_adb_options *options);

/* Opens up to `pairs` pairs of boxes, as long as `nanoseconds` from the call last (UINT64_MAX: the
 * clock is not read) and until there is an answer. Pairs are counted exactly; time may run over by
 * what one pair takes. With a budget of 0, of pairs or of time, none is opened, and the answer is
 * that of the pairs that wait, at first of the roots. Runs that follow each other go on where the
 * last one ended, and come to the same as one run with the sum of the pairs. KILN_ERROR_ARGUMENT:
 * NULL, or no query begun. */
KILN_API kiln_status kiln_adb_run(kiln_adb *query, uint64_t pairs, uint64_t nanoseconds);

/* Returns the answer so far, at any time. KILN_ERROR_ARGUMENT: NULL, or no query begun; *answer is
 * then untouched. Cost: a pass over the waiting pairs. */
KILN_API kiln_status kiln_adb_get_answer(const kiln_adb *query, kiln_adb_answer *answer);

/* Finds the most probable waiting or counted pairs of boxes, in descending order: at most
 * `capacity` into `hints`, how many in *count. None when nothing is likely to meet. Where the roots
 * counted they are the only hint; a p_min of 1 has them opened. Errors as kiln_adb_get_answer, also
 * for hints NULL with a capacity. Cost: capacity passes over the waiting pairs. */
KILN_API kiln_status kiln_adb_get_hints(const kiln_adb *query, kiln_adb_hint *hints,
                                        uint32_t capacity, uint32_t *count);

/* Runs a whole query in one call, with a frontier of 256 pairs on the stack. Errors as
 * kiln_adb_begin and, for a null answer, KILN_ERROR_ARGUMENT; *answer is then untouched. */
KILN_API kiln_status kiln_adb_collide(const kiln_tree *a, const kiln_pose *pose_a,
                                      const kiln_tree *b, const kiln_pose *pose_b,
                                      const kiln_adb_options *options, uint64_t pairs,
                                      uint64_t nanoseconds, kiln_adb_answer *answer);

/* Tests exactly whether the contents of the two boxes of an observation of this query meet; for
 * fitting and measuring. KILN_ERROR_ARGUMENT: NULL, no query begun, no such boxes;
 * KILN_ERROR_NOT_LOADED: no polygons; *meet is then untouched. Stack and cost as kiln_collide. */
KILN_API kiln_status kiln_adb_observed_meet(const kiln_adb *query, const kiln_adb_observation *seen,
                                            bool *meet);

/* Weights that were fitted for trees of one kind and one size of leaves. */
typedef struct {
    kiln_bv bv;
    uint32_t leaf_max; /* most triangles in a leaf */
    kiln_adb_weights weights;
} kiln_adb_fitted;

/* Returns the weights that are used between two trees by default: of each tree those that its file
 * holds (kiln bake --adb-weights) for its kind, or else the library's own; of them those for the
 * nearest size of leaves; between two trees the mean of both, so that swapping A and B changes
 * nothing. All 0 for NULL. */
KILN_API kiln_adb_weights kiln_adb_get_weights(const kiln_tree *a, const kiln_tree *b);

/* Reads the weights in a file that `kiln calibrate` wrote, in a model or a filled-bins table.
 * *count is how many rows there are, also where that is over `capacity`; `rows` gets the first
 * `capacity`, and may be NULL when that is 0. Rows that only another version can use are left out.
 * A file has at most 64 rows. `options` as for kiln_open; nothing is kept. Errors as kiln_open, and
 * KILN_ERROR_NOT_LOADED: there are no weights; rows and *count are then untouched. Cost: opening
 * the file without its other sections. */
KILN_API kiln_status kiln_adb_read_weights(const char *path, const kiln_open_options *options,
                                           kiln_adb_fitted rows[], uint32_t capacity,
                                           uint32_t *count);

/* Reads weights from the bytes of a file, which are given as to kiln_open_memory; otherwise as
 * kiln_adb_read_weights. */
KILN_API kiln_status kiln_adb_read_weights_memory(const void *data, size_t size,
                                                  const kiln_open_options *options,
                                                  kiln_adb_fitted rows[], uint32_t capacity,
                                                  uint32_t *count);

/* Returns the weights between two trees as kiln_adb_get_weights does, where `rows` stand in the
 * place of those of the trees' files; for kiln_adb_options.weights. All 0 for null trees. */
KILN_API kiln_adb_weights kiln_adb_pick_weights(const kiln_adb_fitted rows[], uint32_t count,
                                                const kiln_tree *a, const kiln_tree *b);

#ifdef __cplusplus
}
#endif

#endif
