/* Costs of queries of a tree: counts, unit costs and what both together explain.
 *
 * The tree is queried against a copy of itself at the poses of Zachmann's procedure, which are the
 * same in every run. What each query does is counted by kiln_collide_work; these counts are exact
 * and the same on every machine. Times are measured apart from that, each query's being its least
 * over a few rounds over all poses. Cu is the time of decoding a node, measured in a loop over the
 * tree's nodes; the other unit costs are fitted (query_cost.c). How far F then is from the clock
 * is printed beside it: it is a model, which knows nothing of caches and of tests that end early.
 */
#include "costs.h"

#include "../kit/columns.h"
#include "../kit/report.h"

#include "../../../formats/assert.h"
#include "../../../formats/os.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_TIMED = 4096, CLOCK_READS = 64 };

static double now(void)
{
    return (double)kiln_os_nanoseconds();
}

/* Least difference of two readings: a part of every short measurement. */
static double clock_cost(void)
{
    double least = 1e9;
    for (int i = 0; i < CLOCK_READS; i++) {
        const double start = now();
        least = fmin(least, now() - start);
    }
    return least;
}

/* Nanoseconds to decode a node of the tree, with what is read of it in the cache. */
static double time_update(const kiln_view_tree *tree, unsigned rounds)
{
    const uint32_t count = tree->entry->node_count;
    const uint32_t timed = count < NODES_TIMED ? count : NODES_TIMED;
    const uint32_t times = NODES_TIMED / timed;
    double least = HUGE_VAL;
    kiln_lanes lanes;
    for (unsigned r = 0; r < rounds; r++) {
        const double start = now();
        for (uint32_t t = 0; t < times; t++) {
            for (uint32_t i = 0; i < timed; i++) {
                tree->kind->decode(kiln_view_tree_node(tree, i), &lanes);
            }
        }
        least = fmin(least, (now() - start) / ((double)timed * times));
    }
    return least;
}

/* Fills in counts and times of all poses; the first round counts and warms up. */
static kiln_status run_queries(const kiln_tree *tree, const kiln_pose_pair *pairs, size_t count,
                               unsigned rounds, kiln_timed_query *queries, tree_costs *out)
{
    const double clock = clock_cost();
    kiln_hit hit;
    for (size_t i = 0; i < count; i++) {
        const kiln_status status =
            kiln_collide_work(tree, &pairs[i].a, tree, &pairs[i].b, NULL, &hit, &queries[i].work);
        if (status != KILN_OK) {
            return status;
        }
        out->hits += hit.found;
        out->work.nodes += queries[i].work.nodes;
        out->work.volume_pairs += queries[i].work.volume_pairs;
        out->work.leaf_pairs += queries[i].work.leaf_pairs;
        out->work.triangle_pairs += queries[i].work.triangle_pairs;
        queries[i].time = HUGE_VAL;
    }
    for (unsigned r = 0; r < rounds; r++) {
        for (size_t i = 0; i < count; i++) {
            const double start = now();
            (void)kiln_collide(tree, &pairs[i].a, tree, &pairs[i].b, NULL, &hit);
            queries[i].time = fmin(queries[i].time, fmax(now() - start - clock, 1));
        }
    }
    return KILN_OK;
}

kiln_status tree_costs_measure(const kiln_view *view, uint32_t index, const kiln_tree *tree,
                               unsigned draws, unsigned rounds, tree_costs *out)
{
    const kiln_view_tree stored = kiln_view_get_tree(view, index);
    kiln_pose_pair *pairs = NULL;
    kiln_timed_query *queries = NULL;
    kiln_status status = KILN_ERROR_MEMORY;
    KILN_ASSERT(draws > 0 && rounds > 0);
    memset(out, 0, sizeof *out);
    out->name = view->strings + stored.entry->name;
    out->bv = stored.kind->name;
    out->triangles = stored.entry->triangle_count;
    out->leaf = stored.entry->leaf_max;
    if (!kiln_tree_get_info(tree).polygons) {
        return KILN_ERROR_NOT_LOADED;
    }
    if (!kiln_zachmann_pairs(tree, tree, draws, &pairs, &out->poses)) {
        goto done;
    }
    queries = calloc(out->poses + 1, sizeof *queries);
    if (queries == NULL) {
        goto done;
    }
    status = run_queries(tree, pairs, out->poses, rounds, queries, out);
    if (status != KILN_OK) {
        goto done;
    }
    out->memory = kiln_tree_memory_of(&stored);
    kiln_levels_measure(view, &stored, out->levels, &out->depth);
    if (!kiln_unit_costs_fit(queries, out->poses, time_update(&stored, rounds), &out->unit)) {
        out->predicted = out->measured = out->residual = NAN; /* there are no poses */
        goto done;
    }
    double off = 0;
    for (size_t i = 0; i < out->poses; i++) {
        out->measured += queries[i].time;
        off += fabs(kiln_query_cost(&out->unit, &queries[i].work, 1) - queries[i].time);
    }
    out->residual = off / out->measured;
    out->measured /= (double)out->poses;
    out->predicted = kiln_query_cost(&out->unit, &out->work, out->poses) / (double)out->poses;
done:
    free(queries);
    free(pairs);
    return status;
}

/* -------------------------------------------------------------------------------- for people -- */

/* At most six characters, so that columns stay apart however slow the machine is. */
static const char *short_number(double value, char text[32])
{
    (void)snprintf(text, 32,
                   value < 100      ? "%.2f"
                   : value < 1000   ? "%.1f"
                   : value < 999999 ? "%.0f"
                                    : "%.0e",
                   value);
    return text;
}

static double mean_of(uint64_t sum, size_t count)
{
    KILN_ASSERT(count > 0);
    return (double)sum / (double)count;
}

/* The name of a tree where another had one before; *before is remembered. */
static void print_name(const tree_costs *of, bool several, const char **before)
{
    if (several && (*before == NULL || strcmp(*before, of->name) != 0)) {
        printf("  ");
        columns_print_last(of->name, columns_of_output() - 2);
        putchar('\n');
    }
    *before = of->name;
}

static void print_costs(const tree_costs *all, size_t count, bool several)
{
    const char *before = NULL;
    printf("  F = Nu Cu + Nv Cv + Np Cp + C, means of a query; C.. and the clock in ns\n");
    printf("  %-7s%7s%7s%7s%7s%7s%7s%7s%7s%7s%8s\n", "bv", "Nu", "Cu", "Nv", "Cv", "Np", "Cp", "C",
           "F", "clock", "off");
    for (size_t i = 0; i < count; i++) {
        const tree_costs *of = &all[i];
        print_name(of, several, &before);
        if (of->poses == 0) {
            printf("  %-7s  at no pose the boxes of both copies meet\n", of->bv);
            continue;
        }
        const double values[] = {mean_of(of->work.nodes, of->poses),
                                 of->unit.update,
                                 mean_of(of->work.volume_pairs, of->poses),
                                 of->unit.test,
                                 mean_of(of->work.triangle_pairs, of->poses),
                                 of->unit.triangle,
                                 of->unit.query,
                                 of->predicted,
                                 of->measured};
        printf("  %-7s", of->bv);
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            char text[32];
            printf(" %6s", short_number(values[v], text));
        }
        printf(" %6.0f%%\n", fmin(100 * of->residual, 99999));
    }
}

static void print_memory(const tree_costs *all, size_t count, bool several)
{
    const char *before = NULL;
    char digits[3][32];
    printf("  M = Ni Si + Nl Sl, in bytes\n");
    printf("  %-7s%12s%8s%12s%8s%14s%13s\n", "bv", "Ni", "Si", "Nl", "Sl", "M", "a triangle");
    for (size_t i = 0; i < count; i++) {
        const tree_costs *of = &all[i];
        print_name(of, several, &before);
        printf("  %-7s%12s%8llu%12s%8.1f%14s%13.2f\n", of->bv,
               columns_count(of->memory.inner, digits[0]),
               (unsigned long long)of->memory.inner_size,
               columns_count(of->memory.leaves, digits[1]), of->memory.leaf_size,
               columns_count(of->memory.bytes, digits[2]),
               (double)of->memory.bytes / (double)of->triangles);
    }
}

static void print_levels(const tree_costs *all, size_t count, bool several)
{
    const char *before = NULL;
    char digits[32];
    printf("  volumes of each level: their sizes by that of the tree's box, siblings that\n"
           "  overlap, volumes in which a point of the surface is\n");
    printf("  %-7s%7s%12s%10s%11s%8s\n", "bv", "level", "volumes", "size", "siblings", "cover");
    for (size_t i = 0; i < count; i++) {
        const tree_costs *of = &all[i];
        print_name(of, several, &before);
        for (uint32_t level = 0; level < of->depth; level++) {
            const kiln_level_measure *at = &of->levels[level];
            const double apart =
                at->siblings > 0 ? (double)at->siblings_apart / (double)at->siblings : 1;
            char size[32] = "-"; /* a flat mesh has a box of no size */
            if (isfinite(at->size)) {
                (void)snprintf(size, sizeof size, "%.4f", at->size);
            }
            printf("  %-7s%7u%12s%10s%10.1f%%%8.2f\n", of->bv, level + 1,
                   columns_count(at->volumes, digits), size, 100 * (1 - apart), at->cover);
        }
    }
}

void tree_costs_print(const tree_costs *all, size_t count, bool levels)
{
    bool several = false;
    for (size_t i = 1; i < count; i++) {
        several = several || strcmp(all[i].name, all[0].name) != 0;
    }
    print_costs(all, count, several);
    print_memory(all, count, several);
    if (levels) {
        print_levels(all, count, several);
    }
}

/* ------------------------------------------------------------------------------ for programs -- */

/* A count over all poses and what each takes. */
static json_t *term_json(uint64_t count, double ns)
{
    json_t *object = json_object();
    json_object_set_new(object, "count", json_count(count));
    json_object_set_new(object, "ns", json_number(ns));
    return object;
}

json_t *tree_costs_json(const tree_costs *of)
{
    json_t *object = json_object(), *memory = json_object(), *levels = json_array();
    json_object_set_new(object, "poses", json_count(of->poses));
    json_object_set_new(object, "hits", json_count(of->hits));
    json_object_set_new(object, "nodes", term_json(of->work.nodes, of->unit.update));
    json_object_set_new(object, "volume_pairs", term_json(of->work.volume_pairs, of->unit.test));
    json_object_set_new(object, "triangle_pairs",
                        term_json(of->work.triangle_pairs, of->unit.triangle));
    json_object_set_new(object, "query_ns", json_number(of->unit.query));
    json_object_set_new(object, "predicted_ns", json_number(of->predicted));
    json_object_set_new(object, "measured_ns", json_number(of->measured));
    json_object_set_new(object, "residual", json_number(of->residual));
    json_object_set_new(memory, "inner_nodes", json_count(of->memory.inner));
    json_object_set_new(memory, "bytes_inner_node", json_count(of->memory.inner_size));
    json_object_set_new(memory, "leaves", json_count(of->memory.leaves));
    json_object_set_new(memory, "bytes_leaf", json_number(of->memory.leaf_size));
    json_object_set_new(memory, "bytes", json_count(of->memory.bytes));
    json_object_set_new(object, "memory", memory);
    for (uint32_t i = 0; i < of->depth; i++) {
        json_t *level = json_object();
        const uint64_t siblings = of->levels[i].siblings;
        json_object_set_new(level, "level", json_count(i + 1));
        json_object_set_new(level, "volumes", json_count(of->levels[i].volumes));
        json_object_set_new(level, "size", json_number(of->levels[i].size));
        json_object_set_new(level, "siblings", json_count(siblings));
        json_object_set_new(level, "siblings_overlap",
                            json_count(siblings - of->levels[i].siblings_apart));
        json_object_set_new(level, "cover", json_number(of->levels[i].cover));
        json_array_append_new(levels, level);
    }
    json_object_set_new(object, "levels", levels);
    return object;
}
