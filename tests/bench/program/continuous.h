/* What kiln-bench continuous measures: runs of moving scenes, and tables of them. */
#ifndef KILN_BENCH_CONTINUOUS_H
#define KILN_BENCH_CONTINUOUS_H

#include "../../support/moving.h"

#include "../figure/figure.h"

#include <stdio.h>

#define BENCH_CONTINUOUS_CSV_HEAD                                                                  \
    "part,engine,objects,speed,radius,interval,sine,ms,begin_ms,change_ms,narrow_ms,events,"       \
    "walls,candidates,tests,narrow_calls,looked_at,swaps,list_ends,bytes,value\n"

/* A run, of which all counts and times are in the mean of a frame. */
typedef struct {
    const char *part, *engine;
    uint32_t objects;
    double speed, radius, interval, sine;
    double ms, begin_ms, change_ms, narrow_ms; /* processor time */
    double events, walls, candidates, tests, narrow_calls, looked_at, swaps;
    double list_ends;  /* of one object, lower and upper */
    double bytes;      /* of an object, besides events that wait */
    double slowest_ms; /* of the rounds, where there are several; else 0 */
    double value;      /* what a part has of its own */
    uint64_t digest;
    kiln_dynamic_engine engine_used;
} continuous_row;

typedef struct {
    continuous_row *list;
    size_t count, capacity;
    bool failed;
} continuous_rows;

/* How much is measured. */
typedef struct {
    uint32_t most_objects, frames, rounds;
} continuous_amount;

/* Parts, in the order in which they are run. Each prints its table unless `out` is NULL, and adds
 * its rows. */
typedef struct {
    const char *name, *what;
    void (*run)(const continuous_amount *amount, continuous_rows *rows, FILE *out);
} continuous_part;
extern const continuous_part continuous_parts[];
extern const size_t continuous_part_count;

void continuous_print_csv(const continuous_rows *rows, FILE *out);

/* Figures 4 and 6, as far as the rows have their numbers. */
void continuous_draw(const continuous_rows *rows, figure *of);

#endif
