/* See query_distance.h. A line has numbers alone, whose count says which shape it is: hulls of one
 * and of two vertices are the spheres and the capsules that lines of 4 and of 7 numbers have always
 * been. */
#include "query_distance.h"

#include "../kit/files.h"
#include "../kit/report.h"

#include "../../../formats/assert.h"
#include "../../common/number_lines.h"

#include <stdio.h>
#include <string.h>

enum { BOX_NUMBERS = 6 };

bool query_convex_of(const double *numbers, int count, double corners[24], kiln_convex *out)
{
    if (count == BOX_NUMBERS) {
        kiln_shape box = {KILN_SHAPE_BOX, {0, 0, 0}, {0, 0, 0}, 0};
        memcpy(box.a, numbers, sizeof box.a);
        memcpy(box.b, numbers + 3, sizeof box.b);
        const kiln_status status = kiln_convex_from(&box, corners, out);
        KILN_ASSERT(status == KILN_OK);
        return status == KILN_OK;
    }
    if (count < 4 || count % 3 != 1 || count > KILN_NUMBERS_MAX) {
        return false;
    }
    *out = (kiln_convex){numbers, (uint32_t)count / 3, numbers[count - 1]};
    return true;
}

const char *query_convex_fault(const double *numbers, int count)
{
    for (int k = 0; k < 3 && count == BOX_NUMBERS; k++) {
        if (numbers[k] > numbers[3 + k]) {
            return "the lower corner of the box is above the upper one";
        }
    }
    return count != BOX_NUMBERS && numbers[count - 1] < 0 ? "the radius is negative" : NULL;
}

void query_distance_report(const kiln_tree *tree, const kiln_shape_nearest *nearest, bool witness,
                           json_t *answers)
{
    const bool meets = nearest->found && nearest->distance == 0;
    if (answers == NULL) {
        printf("%d %.17g", meets, nearest->distance);
        if (nearest->found) {
            const double *p = nearest->point_mesh, *q = nearest->point_shape;
            printf(" %u %.17g %.17g %.17g %.17g %.17g %.17g",
                   triangle_number(tree, nearest->triangle, witness), p[0], p[1], p[2], q[0], q[1],
                   q[2]);
        }
        putchar('\n');
        return;
    }
    json_t *object = json_object(), *list = json_array();
    if (nearest->found) {
        json_t *hit = json_object();
        json_object_set_new(hit, "triangle", json_count(nearest->triangle));
        json_object_set_new(hit, "value", json_count(nearest->value));
        if (witness) {
            triangle_add_source(hit, tree, nearest->triangle);
        }
        json_object_set_new(hit, "point", json_numbers(nearest->point_mesh, 3));
        json_object_set_new(hit, "point_shape", json_numbers(nearest->point_shape, 3));
        json_object_set_new(hit, "normal", json_numbers(nearest->normal, 3));
        json_array_append_new(list, hit);
    }
    json_object_set_new(object, "hit", json_boolean(meets));
    json_object_set_new(object, "distance", json_number(nearest->distance));
    json_object_set_new(object, "hits", list);
    json_array_append_new(answers, object);
}
