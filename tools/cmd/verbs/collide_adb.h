/* kiln collide --mode adb: time-critical queries from the command line. */
#ifndef KILN_CMD_COLLIDE_ADB_H
#define KILN_CMD_COLLIDE_ADB_H

#include "../../../runtime/kiln_adb.h"
#include "../kit/number_lines.h"
#include "../kit/report.h"

#include <limits.h>

/* What was not given is below 0. */
typedef struct {
    double p_min, epsilon, budget_us;
    int k_min, budget_pairs;
    bool hybrid;
    const char *weights;      /* NULL: those of the trees */
    kiln_adb_weights between; /* what adb_read_weights chose of them */
} adb_settings;

#define ADB_SETTINGS_NOTHING                                                                       \
    {                                                                                              \
        .p_min = -1.0, .epsilon = -1.0, .budget_us = -1.0, .k_min = -1, .budget_pairs = -1         \
    }

/* Rows of the options' table; `settings` has an adb_settings as its member `adb`. */
#define ADB_OPTIONS(settings)                                                                      \
    {"p-min",                                                                                      \
     0,                                                                                            \
     OPTION_REAL,                                                                                  \
     "P",                                                                                          \
     NULL,                                                                                         \
     0,                                                                                            \
     1,                                                                                            \
     offsetof(settings, adb.p_min),                                                                \
     "adb: a pair of boxes at least this probable counts as a collision (default 0.9)"},           \
        {"k-min",                                                                                  \
         0,                                                                                        \
         OPTION_INTEGER,                                                                           \
         "N",                                                                                      \
         NULL,                                                                                     \
         1,                                                                                        \
         INT_MAX,                                                                                  \
         offsetof(settings, adb.k_min),                                                            \
         "adb: so many pairs make a collision (default 1)"},                                       \
        {"eps",                                                                                    \
         0,                                                                                        \
         OPTION_REAL,                                                                              \
         "P",                                                                                      \
         NULL,                                                                                     \
         0,                                                                                        \
         1,                                                                                        \
         offsetof(settings, adb.epsilon),                                                          \
         "adb: pairs less probable are not opened (default 0.1)"},                                 \
        {"hybrid",                                                                                 \
         0,                                                                                        \
         OPTION_FLAG,                                                                              \
         NULL,                                                                                     \
         NULL,                                                                                     \
         0,                                                                                        \
         0,                                                                                        \
         offsetof(settings, adb.hybrid),                                                           \
         "adb: test small parts exactly; with --eps 0 nothing is missed"},                         \
        {"adb-weights",                                                                            \
         0,                                                                                        \
         OPTION_TEXT,                                                                              \
         "FILE",                                                                                   \
         NULL,                                                                                     \
         0,                                                                                        \
         0,                                                                                        \
         offsetof(settings, adb.weights),                                                          \
         "adb: weights that kiln calibrate wrote (default: those of A and B, or the library's)"},  \
        {"budget-pairs",                                                                           \
         0,                                                                                        \
         OPTION_INTEGER,                                                                           \
         "N",                                                                                      \
         NULL,                                                                                     \
         0,                                                                                        \
         INT_MAX,                                                                                  \
         offsetof(settings, adb.budget_pairs),                                                     \
         "adb: open at most so many pairs a pose"},                                                \
    {                                                                                              \
        "budget-us", 0, OPTION_REAL, "T", NULL, 0, 1e9, offsetof(settings, adb.budget_us),         \
            "adb: open pairs for at most so many microseconds a pose"                              \
    }

/* Was anything given that only --mode adb looks at? */
bool adb_is_given(const adb_settings *settings);

/* Reads settings->weights, where they are given, for queries between two trees. Reports what is wrong
 * and returns an exit status. */
int adb_read_weights(adb_settings *settings, const kiln_tree *a, const kiln_tree *b);

kiln_status adb_query(const adb_settings *settings, const kiln_tree *a, const kiln_tree *b,
                      const pose_pair *pose, kiln_adb_answer *answer);

/* The answer as a boolean: the verdict, or what is likelier while there is none. */
bool adb_found(const kiln_adb_answer *answer);

/* "1 0.9312 5": 1, 0 or ?, the probability, pairs opened. */
void adb_print(const kiln_adb_answer *answer);

json_t *adb_json(const kiln_adb_answer *answer);

#endif
