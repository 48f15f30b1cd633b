/* The comparison of kinds of trees: what a run of `kiln-bench families` has measured, and the files
 * that it writes. */
#ifndef KILN_BENCH_FAMILIES_H
#define KILN_BENCH_FAMILIES_H

#include "../../../tools/cmd/verbs/costs.h"

#include "../figure/figure.h"

#include <stdio.h>

#define BENCH_FAMILIES_CSV_HEAD                                                                    \
    "mesh,tree,triangles,bv,poses,hits,nodes,volume_pairs,triangle_pairs,update_ns,test_ns,"       \
    "triangle_ns,query_ns,predicted_ns,measured_ns,residual,inner_nodes,inner_size,leaves,"        \
    "leaf_size,bytes\n"
#define BENCH_FAMILIES_OBJ_HEAD "# kiln-bench families: volumes of level "

/* One file and all its trees. */
typedef struct {
    char *name;
    tree_costs *costs; /* names of trees in it are those of `names` */
    char **names;
    size_t count;
} bench_family;

typedef struct {
    bench_family *list;
    size_t count, capacity;
} bench_families;

void bench_families_print_csv(const bench_families *of, FILE *out);

/* A row of panels a mesh: costs by their terms, cover and sizes of volumes by level. */
void bench_families_draw(const bench_families *of, figure *drawn);

/* The means of unit costs over all meshes, by kind (which have leaves of one size), as initialisers
 * of C. */
void bench_families_print_unit_costs(const bench_families *of, FILE *out);

/* The volumes of level `level` of a tree in the mesh's own frame, as faces of an OBJ file, each
 * volume an object. */
void bench_families_print_obj(const kiln_view *view, uint32_t tree, uint32_t level, FILE *out);

#endif
