/* See collide_near.h. */
#include "collide_near.h"

#include <stdlib.h>

kiln_status near_contacts_query(near_contacts *to, const kiln_tree *a, const kiln_tree *b,
                                const pose_pair *pose)
{
    for (;;) {
        const kiln_status status = kiln_contacts_geometry(a, &pose->a, b, &pose->b, NULL,
                                                          to->contacts, to->capacity, &to->count);
        if (status != KILN_OK || to->count <= to->capacity) {
            return status;
        }
        kiln_contact *more = realloc(to->contacts, to->count * sizeof *more);
        if (more == NULL) {
            return KILN_ERROR_MEMORY;
        }
        to->contacts = more;
        to->capacity = to->count;
    }
}

double near_greatest_depth(const near_contacts *found)
{
    double depth = 0;
    for (size_t i = 0; i < found->count; i++) {
        depth = found->contacts[i].depth > depth ? found->contacts[i].depth : depth;
    }
    return depth;
}

static json_t *vector_json(const double v[3])
{
    json_t *array = json_array();
    for (int k = 0; k < 3; k++) {
        json_array_append_new(array, json_number(v[k]));
    }
    return array;
}

void near_add_distance(json_t *object, const kiln_nearest *nearest)
{
    json_object_set_new(object, "distance", json_number(nearest->distance));
    json_object_set_new(object, "point_a", vector_json(nearest->point_a));
    json_object_set_new(object, "point_b", vector_json(nearest->point_b));
    json_object_set_new(object, "normal", vector_json(nearest->normal));
}

json_t *near_contact_json(const kiln_contact *contact, json_t *pair)
{
    json_t *object = json_object();
    json_object_set_new(object, "pair", pair);
    json_object_set_new(object, "from", vector_json(contact->from));
    json_object_set_new(object, "to", vector_json(contact->to));
    json_object_set_new(object, "normal", vector_json(contact->normal));
    json_object_set_new(object, "depth", json_number(contact->depth));
    return object;
}
