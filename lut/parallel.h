/* How generators of tables use threads: the caller has them. */
#ifndef KILN_LUT_PARALLEL_H
#define KILN_LUT_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

/* Runs task(context, 0) ... task(context, count - 1), in any order, on any threads, and returns
 * when all are done; false when it was cancelled. The result depends on neither. */
typedef struct {
    bool (*run)(void *user, uint32_t count, void (*task)(void *context, uint32_t index),
                void *context);
    void *user;
} kiln_lut_parallel;

#endif
