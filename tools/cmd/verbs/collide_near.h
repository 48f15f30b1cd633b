/* kiln collide --mode distance and geometry: how far apart, and how deep. */
#ifndef KILN_CMD_COLLIDE_NEAR_H
#define KILN_CMD_COLLIDE_NEAR_H

#include "../../../runtime/kiln.h"
#include "../kit/number_lines.h"
#include "../kit/report.h"

/* All contacts at a pose, in a buffer that grows; released by free(contacts). */
typedef struct {
    kiln_contact *contacts;
    size_t capacity, count;
} near_contacts;

kiln_status near_contacts_query(near_contacts *to, const kiln_tree *a, const kiln_tree *b,
                                const pose_pair *pose);

/* 0 where there is no contact. */
double near_greatest_depth(const near_contacts *found);

/* Members distance, point_a, point_b and normal. */
void near_add_distance(json_t *object, const kiln_nearest *nearest);

/* The contact; `pair` is how its triangles are named, and is taken over. */
json_t *near_contact_json(const kiln_contact *contact, json_t *pair);

#endif
