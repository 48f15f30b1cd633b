/* The tables and figures of Tropp et al. on stand-ins, and our own fronts beside plain queries on
 * the same 8-wide trees.
 *
 * "plain" is kiln_collide on the same tree, which "published" reverts to, too: the algorithm
 * without coherence that the paper compares with. "recursive" is the search of Li and Chen on the
 * same boxes, of six axes where these are aligned, without what else kiln_collide does: it looks at
 * volumes and pairs of triangles alone. */
#include "coherence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (unsigned)(sizeof(array) / sizeof(array)[0])
#define SAY(...) COHERENCE_SAY(bench, __VA_ARGS__)

enum { FREE_PATH = 1, MEETING_PATH = 0 };
static const char *const path_names[] = {"colliding", "free"};

static const kiln_bv binary_kinds[] = {KILN_BV_OBB2, KILN_BV_AABB2};

/* What is drawn and printed of a run by default. */
static coherence_row row_of(const char *part, unsigned scenario, const char *path, double x,
                            const coherence_path *of, uint32_t hits)
{
    return (coherence_row){.part = part,
                           .scenario = coherence_scenarios[scenario].name,
                           .path = path,
                           .query = "first hit",
                           .x = x,
                           .frames = of->count,
                           .hits = hits};
}

static uint32_t uneven_frames(const coherence_bench *bench, unsigned scenario)
{
    const uint32_t frames = coherence_scenarios[scenario].frames;
    return frames < bench->irregular ? frames : bench->irregular;
}

/* ------------------------------------------------------------------------------- Table 1 - */

static void measure_table1(coherence_bench *bench)
{
    SAY("%-7s %7s %7s %7s %7s  %-15s %s\n", "", "still", "paper", "moves", "paper", "median motion",
        "motions > 0.1, %");
    for (unsigned s = 0; s < COHERENCE_PAPER; s++) {
        const coherence_scenario *of = &coherence_scenarios[s];
        coherence_make(bench, s);
        const coherence_track *track = &bench->made[s].tracks[FREE_PATH];
        const uint32_t still = bench->made[s].still.geometry.triangle_count;
        const uint32_t moving = bench->made[s].moving.geometry.triangle_count;
        for (int is_obb = 0; is_obb < 2; is_obb++) {
            const coherence_motion *wanted = is_obb ? &of->obb : &of->aabb;
            coherence_path path = coherence_path_uneven(track, wanted, uneven_frames(bench, s));
            const coherence_motion made = coherence_motion_of(track, &path);
            coherence_row row = row_of("table1", s, "irregular", made.median, &path, 0);
            row.bv = is_obb ? "obb2" : "aabb2";
            row.method = "path";
            row.value = made.large;
            coherence_keep(&bench->rows, &row);
            if (!is_obb) {
                SAY("%-7s %7u %7u %7u %7u  ", of->name, still, of->still_triangles, moving,
                    of->moving_triangles);
            } else {
                SAY("%-7s %7s %7s %7s %7s  ", "", "", "", "", "");
            }
            SAY("%-4s %5.3f %5.3f %5.1f %5.1f\n", is_obb ? "OBB" : "AABB", made.median,
                wanted->median, 100 * made.large, 100 * wanted->large);
            free(path.poses);
        }
    }
}

/* ------------------------------------------------------------------------ Figures 4 to 6 - */

enum { THRESHOLDS_MOST = 12 };

/* A threshold of the published algorithm is varied: `place` is its place in the options. */
typedef struct {
    const char *part, *name;
    size_t place;
    bool irregular; /* the original paths, and not motions of 0.03 */
    unsigned count;
    double values[THRESHOLDS_MOST];
} threshold;

static void vary(coherence_bench *bench, const threshold *of)
{
    for (unsigned k = 0; k < COUNT(binary_kinds); k++) {
        const kiln_bv kind = binary_kinds[k];
        SAY("%s, time by that of the plain query\n%-9s", kind == KILN_BV_OBB2 ? "OBB" : "AABB",
            of->name);
        for (unsigned i = 0; i < of->count; i++) {
            SAY(" %5g", of->values[i]);
        }
        SAY("\n");
        for (unsigned s = 0; s < COHERENCE_PAPER; s++) {
            coherence_method methods[1 + THRESHOLDS_MOST] = {coherence_plain(kind)};
            const coherence_scenario *scenario = &coherence_scenarios[s];
            coherence_make(bench, s);
            const coherence_track *track = &bench->made[s].tracks[FREE_PATH];
            coherence_path path =
                of->irregular
                    ? coherence_path_uneven(track,
                                            kind == KILN_BV_OBB2 ? &scenario->obb : &scenario->aabb,
                                            uneven_frames(bench, s))
                    : coherence_path_even(track, 0.03, bench->frames);
            for (unsigned i = 0; i < of->count; i++) {
                methods[1 + i] = coherence_published(kind);
                memcpy((char *)&methods[1 + i].options + of->place, &of->values[i], sizeof(double));
            }
            const uint32_t hits =
                coherence_run(bench, s, &path, COHERENCE_FIRST_HIT, methods, 1 + of->count);
            SAY("%-9s", scenario->name);
            for (unsigned i = 0; i < 1 + of->count; i++) {
                coherence_row row = row_of(of->part, s, of->irregular ? "irregular" : "free",
                                           i < 1 ? 0 : of->values[i - 1], &path, hits);
                row.value = methods[i].ns / methods[0].ns;
                coherence_keep_run(bench, row, methods, i);
                if (i >= 1) {
                    SAY(" %5.2f", row.value);
                }
            }
            SAY("\n");
            free(path.poses);
        }
    }
}

static void measure_figure4(coherence_bench *bench)
{
    static const threshold of = {"figure4", "P_coh.", offsetof(kiln_front_options, coherence),
                                 true,      9,        {0, 0.02, 0.05, 0.1, 0.14, 0.2, 0.3, 0.5, 1}};
    vary(bench, &of);
}

static void measure_figure5(coherence_bench *bench)
{
    static const threshold of = {
        "figure5", "P_sprout", offsetof(kiln_front_options, sprout),
        false,     9,          {0, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 2, HUGE_VAL}};
    vary(bench, &of);
}

static void measure_figure6(coherence_bench *bench)
{
    static const threshold of = {
        "figure6", "P_prune", offsetof(kiln_front_options, prune),
        false,     10,        {0, 0.02, 0.05, 0.1, 0.15, 0.17, 0.2, 0.3, 0.5, HUGE_VAL}};
    vary(bench, &of);
}

/* ------------------------------------------------------------------------ Figures 8 and 9 - */

/* The methods of Figures 8 and 9 and of Table 2, and ours. */
enum { PLAIN_OBB, OLD_OBB, NEW_OBB, PLAIN_AABB, OLD_AABB, NEW_AABB, PLAIN_WIDE, OURS, METHODS };

static void set_methods(coherence_method methods[METHODS])
{
    for (unsigned k = 0; k < COUNT(binary_kinds); k++) {
        methods[3 * k] = coherence_plain(binary_kinds[k]);
        methods[3 * k + 1] = coherence_recursive(binary_kinds[k]);
        methods[3 * k + 2] = coherence_published(binary_kinds[k]);
    }
    methods[PLAIN_WIDE] = coherence_plain(KILN_BV_OBB);
    methods[OURS] = coherence_auto();
}

/* Times as fast, published by recursive and by plain, and ours by plain. */
enum { SPEEDS = 5 };
static const char *const speed_head = " OBB/rec. OBB/plain AABB/rec. AABB/plain      ours";

static void speeds_of(const coherence_method methods[METHODS], double speeds[SPEEDS])
{
    speeds[0] = methods[OLD_OBB].ns / methods[NEW_OBB].ns;
    speeds[1] = methods[PLAIN_OBB].ns / methods[NEW_OBB].ns;
    speeds[2] = methods[OLD_AABB].ns / methods[NEW_AABB].ns;
    speeds[3] = methods[PLAIN_AABB].ns / methods[NEW_AABB].ns;
    speeds[4] = methods[PLAIN_WIDE].ns / methods[OURS].ns;
}

static void say_speeds(coherence_bench *bench, const double speeds[SPEEDS])
{
    for (int i = 0; i < SPEEDS; i++) {
        SAY(" %9.2f", speeds[i]);
    }
    SAY("\n");
}

/* Rows of a run by all methods; `value` is the paper's: time by that without coherence. */
static void keep_all(coherence_bench *bench, const coherence_row *common,
                     const coherence_method methods[METHODS])
{
    static const unsigned bases[METHODS] = {PLAIN_OBB,  PLAIN_OBB,  PLAIN_OBB,  PLAIN_AABB,
                                            PLAIN_AABB, PLAIN_AABB, PLAIN_WIDE, PLAIN_WIDE};
    for (unsigned m = 0; m < METHODS; m++) {
        coherence_row row = *common;
        row.value = methods[m].ns / methods[bases[m]].ns;
        coherence_keep_run(bench, row, methods, m);
    }
}

static void measure_figure8(coherence_bench *bench)
{
    static const double sizes[] = {0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5};
    for (int kind = FREE_PATH; kind >= MEETING_PATH; kind--) {
        double means[COUNT(sizes)][SPEEDS];
        SAY("%s paths: times as fast\n%-8s %6s %5s%s\n", path_names[kind], "", "motion", "hits",
            speed_head);
        for (unsigned i = 0; i < COUNT(sizes); i++) {
            for (int k = 0; k < SPEEDS; k++) {
                means[i][k] = 1;
            }
        }
        for (unsigned s = 0; s < COHERENCE_PAPER; s++) {
            coherence_make(bench, s);
            for (unsigned i = 0; i < COUNT(sizes); i++) {
                coherence_method methods[METHODS];
                double speeds[SPEEDS];
                coherence_path path =
                    coherence_path_even(&bench->made[s].tracks[kind], sizes[i], bench->frames);
                set_methods(methods);
                const uint32_t hits =
                    coherence_run(bench, s, &path, COHERENCE_FIRST_HIT, methods, METHODS);
                const coherence_row row =
                    row_of("figure8", s, path_names[kind], sizes[i], &path, hits);
                keep_all(bench, &row, methods);
                speeds_of(methods, speeds);
                SAY("%-8s %6g %5u", coherence_scenarios[s].name, sizes[i], hits);
                say_speeds(bench, speeds);
                for (int k = 0; k < SPEEDS; k++) {
                    means[i][k] *= speeds[k];
                }
                free(path.poses);
            }
        }
        for (unsigned i = 0; i < COUNT(sizes); i++) {
            for (int k = 0; k < SPEEDS; k++) {
                means[i][k] = pow(means[i][k], 1.0 / COHERENCE_PAPER);
            }
            SAY("%-8s %6g %5s", "mean", sizes[i], "");
            say_speeds(bench, means[i]);
        }
    }
}

/* ------------------------------------------------------------------------------- Table 2 - */

/* Microseconds a query, and the paper's speeds: "AABBlite non-coherence" by "AABB coherence". */
static void measure_table2(coherence_bench *bench)
{
    static const double paper[2][COHERENCE_PAPER][2] = {
        {{1.10, 1.01}, {2.07, 1.41}, {1.37, 1.09}, {1.88, 1.11}},
        {{1.27, 1.07}, {1.70, 1.25}, {2.03, 1.11}, {1.78, 1.04}}};
    static const char *const names[METHODS] = {
        "OBB non-coherence",  "OBB recursive",  "OBB coherence",     "AABB non-coherence",
        "AABBlite recursive", "AABB coherence", "8-wide OBB, plain", "8-wide OBB, ours"};
    /* Irregular paths with the OBB's motions, with the AABB's; motions of 0.03. */
    static const char *const paths[] = {"irregular", "irregular AABB", "free"};
    double us[3][METHODS][COHERENCE_PAPER];
    for (unsigned s = 0; s < COHERENCE_PAPER; s++) {
        const coherence_scenario *of = &coherence_scenarios[s];
        coherence_make(bench, s);
        const coherence_track *track = &bench->made[s].tracks[FREE_PATH];
        for (unsigned p = 0; p < COUNT(paths); p++) {
            coherence_method methods[METHODS];
            coherence_path path = p < 2
                                      ? coherence_path_uneven(track, p == 0 ? &of->obb : &of->aabb,
                                                              uneven_frames(bench, s))
                                      : coherence_path_even(track, 0.03, uneven_frames(bench, s));
            set_methods(methods);
            const uint32_t hits =
                coherence_run(bench, s, &path, COHERENCE_FIRST_HIT, methods, METHODS);
            const coherence_row row = row_of("table2", s, paths[p], p < 2 ? 0 : 0.03, &path, hits);
            keep_all(bench, &row, methods);
            for (unsigned m = 0; m < METHODS; m++) {
                us[p][m][s] = methods[m].ns / 1000;
            }
            free(path.poses);
        }
    }
    SAY("%-22s %27s  %27s\n%-22s", "microseconds a query", "original", "interpolated 0.03", "");
    for (unsigned i = 0; i < 2 * COHERENCE_PAPER; i++) {
        SAY("%s%6s", i == COHERENCE_PAPER ? "  " : " ",
            coherence_scenarios[i % COHERENCE_PAPER].name);
    }
    SAY("\n");
    for (unsigned m = 0; m < METHODS; m++) {
        const bool is_aabb = m >= PLAIN_AABB && m <= NEW_AABB;
        SAY("%-22s", names[m]);
        for (unsigned i = 0; i < 2 * COHERENCE_PAPER; i++) {
            const unsigned p = i < COHERENCE_PAPER ? is_aabb : 2;
            SAY("%s%6.4g", i == COHERENCE_PAPER ? "  " : " ", us[p][m][i % COHERENCE_PAPER]);
        }
        SAY("\n");
    }
    for (unsigned k = 0; k < COUNT(binary_kinds); k++) {
        for (int is_paper = 0; is_paper < 2; is_paper++) {
            SAY("%-4s times as fast%-7s", k == 0 ? "OBB" : "AABB", is_paper ? ", paper" : "");
            for (unsigned i = 0; i < 2 * COHERENCE_PAPER; i++) {
                const unsigned s = i % COHERENCE_PAPER, p = i < COHERENCE_PAPER ? k : 2;
                const double own = us[p][3 * k][s] / us[p][3 * k + 2][s];
                SAY("%s%6.2f", i == COHERENCE_PAPER ? "  " : " ",
                    is_paper ? paper[i >= COHERENCE_PAPER][s][k] : own);
            }
            SAY("\n");
        }
    }
}

/* ---------------------------------------------------------------------------------- ours - */

enum { OWN_SIZES = 4, OWN_CLASSES = 4 };
static const double own_sizes[OWN_SIZES] = {0.002, 0.01, 0.03, 0.1};

/* Classes: free and colliding, first hit and all pairs. */
static void measure_setting(coherence_bench *bench, unsigned from, unsigned to, const char *part)
{
    double least = HUGE_VAL, means[OWN_CLASSES][OWN_SIZES];
    SAY("times as fast as plain on 8-wide trees, by motion; microseconds of plain\n%-31s", "");
    for (unsigned i = 0; i < OWN_SIZES; i++) {
        SAY(" %5g", own_sizes[i]);
    }
    SAY("\n");
    for (unsigned c = 0; c < OWN_CLASSES; c++) {
        for (unsigned i = 0; i < OWN_SIZES; i++) {
            means[c][i] = 1;
        }
    }
    for (unsigned s = from; s < to; s++) {
        coherence_make(bench, s);
        for (unsigned c = 0; c < OWN_CLASSES; c++) {
            const unsigned kind = c < 2 ? FREE_PATH : MEETING_PATH;
            const bool is_all = c % 2 == 1;
            double us[OWN_SIZES];
            SAY("%-15s %-9s %-5s", coherence_scenarios[s].name, path_names[kind],
                is_all ? "all" : "first");
            for (unsigned i = 0; i < OWN_SIZES; i++) {
                coherence_method methods[2] = {coherence_plain(KILN_BV_OBB), coherence_auto()};
                coherence_path path =
                    coherence_path_even(&bench->made[s].tracks[kind], own_sizes[i], bench->frames);
                const uint32_t hits =
                    coherence_run(bench, s, &path,
                                  is_all ? COHERENCE_ALL_PAIRS : COHERENCE_FIRST_HIT, methods, 2);
                coherence_row row = row_of(part, s, path_names[kind], own_sizes[i], &path, hits);
                row.query = is_all ? "all pairs" : "first hit";
                for (unsigned m = 0; m < 2; m++) {
                    row.value = methods[m].ns / methods[0].ns;
                    coherence_keep_run(bench, row, methods, m);
                }
                const double speed = methods[0].ns / methods[1].ns;
                us[i] = methods[0].ns / 1000;
                means[c][i] *= speed;
                least = fmin(least, speed);
                SAY(" %5.2f", speed);
                free(path.poses);
            }
            for (unsigned i = 0; i < OWN_SIZES; i++) {
                SAY("%s%.3g", i == 0 ? "  " : " ", us[i]);
            }
            SAY("\n");
        }
    }
    for (unsigned c = 0; c < OWN_CLASSES; c++) {
        SAY("%-15s %-9s %-5s", "mean", path_names[c < 2], c % 2 == 1 ? "all" : "first");
        for (unsigned i = 0; i < OWN_SIZES; i++) {
            SAY(" %5.2f", pow(means[c][i], 1.0 / (to - from)));
        }
        SAY("\n");
    }
    SAY("least cell %.2f\n", least);
}

static void measure_small(coherence_bench *bench)
{
    measure_setting(bench, COHERENCE_PAPER, COHERENCE_PAPER + COHERENCE_SMALL, "small");
}

static void measure_equal(coherence_bench *bench)
{
    measure_setting(bench, COHERENCE_PAPER + COHERENCE_SMALL, COHERENCE_SCENARIOS, "equal");
}

/* ----------------------------------------------------------------------------------------- */

const coherence_part coherence_parts[] = {
    {"table1", "Table 1: stand-ins for the scenarios, and their irregular paths", measure_table1},
    {"figure4", "Figure 4: when to use coherence", measure_figure4},
    {"figure5", "Figure 5: how far down the front goes", measure_figure5},
    {"figure6", "Figure 6: how often the front is pruned", measure_figure6},
    {"figure8", "Figures 8 and 9: speed by the size of motions", measure_figure8},
    {"table2", "Table 2: original and interpolated paths", measure_table2},
    {"small", "our fronts beside plain queries: a small body in a scene", measure_small},
    {"equal", "our fronts beside plain queries: two equal bodies", measure_equal},
    {"scene", "queries in a scene of many slow objects", coherence_measure_scene},
    {"length", "the length of fronts after long paths", coherence_measure_length},
};
const size_t coherence_part_count = COUNT(coherence_parts);
