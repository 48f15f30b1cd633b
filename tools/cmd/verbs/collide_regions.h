/* kiln collide --mode regions: what is asked, and the answer at a pose. */
#ifndef KILN_CMD_COLLIDE_REGIONS_H
#define KILN_CMD_COLLIDE_REGIONS_H

#include "../../../runtime/kiln_regions.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts as zero but for the trees and `witness`. */
typedef struct {
    const kiln_tree *tree_a, *tree_b;
    bool witness; /* faces of the source */
    kiln_adjacency *a, *b;
    kiln_regions *regions;
    uint32_t triangles, pairs; /* the room in `regions` */
    void *memory_a, *memory_b; /* of the adjacencies */
    void *memory;              /* of `regions` */
    kiln_region *found;        /* room, which grows */
    size_t capacity, count;
} region_lines;

/* Makes the adjacencies of both trees and the workplace. KILN_ERROR_MEMORY too. */
kiln_status region_lines_start(region_lines *lines);

/* Finds all regions at these poses, into `lines`. KILN_ERROR_MEMORY too, never KILN_ERROR_FULL. */
kiln_status region_lines_ask(region_lines *lines, const kiln_pose *pose_a, const kiln_pose *pose_b);

/* Of all regions; 0 where there is none. */
double region_lines_depth(const region_lines *lines);

/* Prints a line for each region. */
void region_lines_print(const region_lines *lines);

/* Returns an array of them. */
json_t *region_lines_json(const region_lines *lines);

void region_lines_free(region_lines *lines);

#endif
