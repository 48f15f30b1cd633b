/* From a scene to a soup: every mesh in every place, transformed, cut into triangles and checked.
 */
#ifndef KILN_IMPORT_FLATTEN_H
#define KILN_IMPORT_FLATTEN_H

#include "../common/soup.h"
#include "../kiln_bake.h"
#include "scene.h"

typedef struct {
    const char *path; /* for messages; may be NULL */
    const kiln_bake_options *options;
    double deadline;          /* in kiln_seconds; 0: none */
    uint64_t before;          /* resident bytes that count for nothing in max_memory */
    kiln_bake_report *report; /* may be NULL */
} kiln_flatten_task;

/* `scene` is sound. *soup starts zeroed and is the caller's to free, whatever the outcome. Fills
 * all of it but format, source_hash. */
kiln_bake_status kiln_flatten(const kiln_scene *scene, const kiln_flatten_task *task,
                              kiln_soup *soup);

#endif
