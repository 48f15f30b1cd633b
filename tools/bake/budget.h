/* The limit of memory that a bake was given: what it will need, reckoned from counts, and what it
 * takes, as the system reports.
 *
 * What is limited are resident bytes that are no file's, beyond what the process had when the bake
 * began. A limit of address space (setrlimit) would bind the program around the library too, and
 * count what is reserved and never touched, such as stacks of threads. */
#ifndef KILN_BUDGET_H
#define KILN_BUDGET_H

#include "../tree/build.h"
#include "../common/soup.h"
#include "../kiln_bake.h"

typedef struct {
    uint64_t limit;  /* bytes; 0: none */
    uint64_t before; /* resident when the bake began */
    uint64_t most;   /* that it was seen to take */
    bool over;       /* the limit was passed */
} kiln_budget;

/* Begins with what is resident now. */
void kiln_budget_start(kiln_budget *budget, uint64_t limit);

/* Code and tables that are touched for the first time, stacks, and what is too small to reckon: no
 * bake does with less. */
#define KILN_BUDGET_LEAST ((uint64_t)2 << 20)

/* False where no bake at all keeps to the limit. */
bool kiln_budget_possible(const kiln_budget *budget);

/* Looks at the memory; false where the bake takes more than the limit, now or at any look before.
 * To be called often, as whenever a stage reports progress. */
bool kiln_budget_holds(kiln_budget *budget);

/* What a stage will take in all, over what the process had. */
typedef struct {
    const kiln_soup *soup;
    const kiln_build_kind *const *kinds;
    uint32_t kind_count;
    uint64_t largest; /* triangles of the largest group */
    bool counted;     /* trees get counts */
    bool lists;       /* groups list their triangles */
} kiln_budget_load;

uint64_t kiln_budget_need(const kiln_budget_load *load, const kiln_bake_options *options);

/* Threads of `wanted` that a limit leaves room for beside `need`; at least 1. */
unsigned kiln_budget_threads(const kiln_budget *budget, uint64_t need, unsigned wanted);

#endif
