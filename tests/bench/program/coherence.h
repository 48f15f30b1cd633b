/* What kiln-bench coherence measures: queries of a body that moves through a scene, by fronts and
 * from the roots, on stand-ins for the scenarios of Tropp, Tal, Shimshoni and Dobkin 2006 and on
 * scenes of our own. */
#ifndef KILN_BENCH_COHERENCE_H
#define KILN_BENCH_COHERENCE_H

#include "../../support/quick_bake.h"

#include "../../../runtime/kiln_front.h"

#include "../figure/figure.h"

#include <stdio.h>

#define BENCH_COHERENCE_CSV_HEAD                                                                   \
    "part,scenario,path,query,bv,method,x,frames,hits,ns,speed,value,skipped,last_pair,coherent,"  \
    "fresh,entries,volume_tests,margin_tests,axis_tests,leaf_tests\n"

/* ------------------------------------------------------------------------------------- rows - */

/* A method on a path. */
typedef struct {
    const char *part, *scenario, *path, *query, *bv, *method;
    double x; /* size of the motions in units of e_o, or the threshold that is varied */
    uint32_t frames, hits;
    double ns;    /* a query */
    double speed; /* times as fast as kiln_collide, or kiln_contacts_each, on the same tree */
    double value; /* what a part has of its own */
    /* Quartiles over the rounds of its time by that of the plain query on one tree; 0: none. */
    double time_low, time_high;
    /* In the mean of a query; entries at the end of the path. */
    double skipped, last_pair, coherent, fresh, entries;
    double volume_tests, margin_tests, axis_tests, leaf_tests;
} coherence_row;

typedef struct {
    coherence_row *list;
    size_t count, capacity;
    bool failed;          /* no memory */
    const char *differed; /* a scenario of which a front gave another answer; NULL: none */
} coherence_rows;

void coherence_keep(coherence_rows *rows, const coherence_row *row);

/* -------------------------------------------------------------------------------- scenarios - */

/* Table 1, for boxes of both kinds: the motion between two frames. */
typedef struct {
    double median, large; /* in units of e_o; share above 0.1 */
} coherence_motion;

typedef struct coherence_body coherence_body;

/* The mesh of a body, with 1 / less of its triangles. */
mesh coherence_body_mesh(const coherence_body *body, double less);

/* A mesh that stands still, and one that moves. */
typedef struct {
    const char *name, *what;
    const coherence_body *still, *moving;
    uint32_t still_triangles, moving_triangles; /* of the paper; 0: the scenario is our own */
    uint32_t frames;
    coherence_motion aabb, obb;
    bool has_start;           /* the path begins there: */
    double start[3], axis[3]; /* middle of the moving mesh, and where its z axis points */
} coherence_scenario;

enum { COHERENCE_PAPER = 4, COHERENCE_SMALL = 3, COHERENCE_EQUAL = 3 };
enum { COHERENCE_SCENARIOS = COHERENCE_PAPER + COHERENCE_SMALL + COHERENCE_EQUAL };
/* In this order: the paper's, small bodies in scenes, two equal bodies. */
extern const coherence_scenario coherence_scenarios[COHERENCE_SCENARIOS];

/* A small ring, for scenes of many. */
mesh coherence_ring(uint32_t triangles);

/* A mesh with all of its trees. */
typedef struct {
    mesh geometry;
    void *bytes[2];
    kiln_file *files[2];
    const kiln_tree *obb, *obb2, *aabb2; /* leaves of 4, 1 and 1 triangles */
} coherence_model;

coherence_model coherence_model_of(mesh geometry);
void coherence_model_free(coherence_model *model);

/* ------------------------------------------------------------------------------------ paths - */

/* Poses of the body that moves, each a very short way from the one before. */
typedef struct {
    kiln_pose *poses;
    uint32_t count;
    double size;            /* e_o: longest edge of its box */
    double middle[3], half; /* of its box: centre, half the diagonal */
} coherence_track;

/* A body that keeps near the surface of `still` and never meets it, or mostly meets it. It is made
 * by `steps` steps of COHERENCE_STEP each, the same on every machine. */
#define COHERENCE_STEP 0.002 /* in units of e_o */
coherence_track coherence_track_make(const coherence_scenario *scenario, const kiln_tree *still,
                                     const kiln_tree *moving, bool is_free, uint32_t steps);

/* Equation 9: how far a point of the body moves between two poses of a track at most, in units of
 * the world. */
double coherence_motion_between(const coherence_track *track, const kiln_pose *from,
                                const kiln_pose *to);

/* Poses to ask at: some of a track's, whose ends it is followed between to and fro. */
typedef struct {
    kiln_pose *poses;
    uint32_t count;
} coherence_path;

/* Motions of `size` e_o each, as nearly as the track has poses. */
coherence_path coherence_path_even(const coherence_track *track, double size, uint32_t frames);

/* Motions of very different sizes, each independent of the others, with this median and this share
 * above 0.1 e_o. */
coherence_path coherence_path_uneven(const coherence_track *track, const coherence_motion *motion,
                                     uint32_t frames);

/* The median, and the share above 0.1 e_o, of a path's motions. */
coherence_motion coherence_motion_of(const coherence_track *track, const coherence_path *path);

/* ------------------------------------------------------------------------------------- runs - */

/* How a pair of trees is asked. */
typedef struct {
    const char *name, *bv;
    kiln_bv kind;
    bool has_front; /* false: kiln_collide or kiln_contacts_each */
    kiln_front_options options;
    /* What a run found out. */
    double ns;
    double time_low, time_high; /* as coherence_row has them */
    kiln_front_info info;
} coherence_method;

coherence_method coherence_plain(kiln_bv kind);
/* Our own method, on 8-wide trees. */
coherence_method coherence_auto(void);
coherence_method coherence_published(kiln_bv kind);
/* KILN_FRONT_RECURSIVE on the boxes. */
coherence_method coherence_recursive(kiln_bv kind);

typedef enum { COHERENCE_FIRST_HIT, COHERENCE_ALL_PAIRS } coherence_query;

/* What is measured, and what it is measured on: a scenario is made when it is first asked for. */
typedef struct {
    double less;                   /* triangles are divided by it */
    uint32_t frames, rounds;       /* of a path with motions of one size; of every path */
    uint32_t irregular, long_path; /* most frames of irregular paths, frames of long ones */
    uint32_t steps;                /* of a track */
    uint32_t objects;              /* of the scene of many */
    coherence_rows rows;
    FILE *out; /* NULL: no tables */
    struct {
        bool is_made;
        coherence_model still, moving;
        coherence_track tracks[2]; /* that meet, that are free */
    } made[COHERENCE_SCENARIOS];
} coherence_bench;

void coherence_bench_free(coherence_bench *bench);

/* Makes models and tracks of a scenario, if they are not yet there. */
void coherence_make(coherence_bench *bench, unsigned scenario);

/* Asks along a path by all methods, alternately, in `rounds` rounds of which the least times count:
 * the sum of the least times of short pieces of the path. Every front begins with nothing. Answers
 * at every pose are held against those of the first method. Returns the hits; keeps no row. */
uint32_t coherence_run(coherence_bench *bench, unsigned scenario, const coherence_path *path,
                       coherence_query query, coherence_method methods[], unsigned count);

/* Keeps the row of methods[m] of a run; `speed` is by the first method up to it on the same kind of
 * tree that has no front. */
void coherence_keep_run(coherence_bench *bench, coherence_row row, const coherence_method methods[],
                        unsigned m);

/* ------------------------------------------------------------------------------------ parts - */

typedef struct {
    const char *name, *what;
    void (*run)(coherence_bench *bench);
} coherence_part;
extern const coherence_part coherence_parts[];
extern const size_t coherence_part_count;

void coherence_measure_scene(coherence_bench *bench);
void coherence_measure_length(coherence_bench *bench);

#define COHERENCE_SAY(bench, ...) (void)((bench)->out != NULL && fprintf((bench)->out, __VA_ARGS__))

/* ---------------------------------------------------------------------------------- results - */

void coherence_print_csv(const coherence_rows *rows, FILE *out);

/* Figures 4, 5, 6, 8 and 9, and our own fronts by the size of motions, as far as rows have them. */
void coherence_draw(const coherence_rows *rows, figure *drawn);

#endif
