/* kiln query --spheres: a robot as spheres, in configurations of poses of its links. */
#ifndef KILN_CMD_QUERY_SPHERES_H
#define KILN_CMD_QUERY_SPHERES_H

#include "../../../runtime/kiln_spheres.h"
#include "../kit/number_lines.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    double *numbers[4]; /* x, y, z, radius [count] */
    uint32_t *links;
    kiln_spheres of; /* points to these */
    size_t capacity;
    kiln_pose *poses;      /* of all configurations */
    size_t configurations; /* 1 or more */
    uint8_t *meets;        /* [count], of the last configuration that was asked with `all` */
    kiln_spheres_hit hit;  /* else of that */
} sphere_lines;

/* Reads spheres, a line each, and the poses of their links, a line each and all of a configuration
 * after the other; poses NULL: one configuration at the identity. Reports what is wrong by name and
 * line, and returns an exit status. */
int sphere_lines_read(sphere_lines *lines, const char *path, const char *poses);

/* Asks configuration `index`. *found: how many spheres meet the tree, of which only the first
 * counts where not all are wanted. */
kiln_status sphere_lines_ask(sphere_lines *lines, const kiln_tree *tree, const kiln_pose *pose,
                             size_t index, bool all, size_t *found);

void sphere_lines_free(sphere_lines *lines);

#endif
