/* kiln query --self: one question about the whole mesh. Its pairs are counted in one call of the
 * library, and fetched in a second one where there are more than there was room for. */
#include "query_self.h"

#include "../kit/files.h"
#include "../kit/report.h"

#include "../../common/clock.h"
#include "../../../formats/assert.h"

#include <stdlib.h>

enum { ROOM = 1024 };

/* By kiln_self_kind. */
static const char *const kind_names[] = {"touching", "crossing", "overlapping", "duplicate"};

static json_t *side_json(const self_question *q, uint32_t triangle, uint32_t value)
{
    json_t *object = json_object();
    json_object_set_new(object, "triangle", json_count(triangle));
    json_object_set_new(object, "value", json_count(value));
    if (q->witness) {
        triangle_add_source(object, q->tree, triangle);
    }
    return object;
}

static void report_pair(const self_question *q, const kiln_self_pair *of, json_t *answers)
{
    KILN_ASSERT((size_t)of->kind < COUNT_OF(kind_names));
    if (answers == NULL) {
        printf("%u %u %s %u\n", triangle_number(q->tree, of->pair.a, q->witness),
               triangle_number(q->tree, of->pair.b, q->witness), kind_names[of->kind], of->shared);
        return;
    }
    json_t *object = json_object(), *both = json_array();
    json_array_append_new(both, side_json(q, of->pair.a, of->pair.value_a));
    json_array_append_new(both, side_json(q, of->pair.b, of->pair.value_b));
    json_object_set_new(object, "hit", json_boolean(true));
    json_object_set_new(object, "hits", both);
    json_object_set_new(object, "kind", json_string(kind_names[of->kind]));
    json_object_set_new(object, "shared", json_count(of->shared));
    json_array_append_new(answers, object);
}

static int report_any(bool any, json_t *answers)
{
    if (answers == NULL) {
        puts(any ? "1" : "0");
        return EXIT_DONE;
    }
    json_t *object = json_object();
    json_object_set_new(object, "hit", json_boolean(any));
    json_object_set_new(object, "hits", json_array());
    json_array_append_new(answers, object);
    return EXIT_DONE;
}

static int refused(const self_question *q, kiln_status status)
{
    return report_error(EXIT_INVALID, q->path, "%s",
                        status == KILN_ERROR_NOT_LOADED
                            ? "baked without polygons; bake it again without --no-geometry"
                            : kiln_status_text(status));
}

int query_self(const self_question *q, json_t *answers, size_t *found, double *us)
{
    kiln_self_options options = kiln_self_options_default();
    size_t room = ROOM;
    options.neighbours = q->neighbours;
    *found = 0;
    if (q->any) {
        bool any = false;
        const double start = kiln_seconds();
        const kiln_status status = kiln_self_contacts_any(q->tree, &options, &any, NULL);
        *us = 1e6 * (kiln_seconds() - start);
        *found = any;
        return status == KILN_OK ? report_any(any, answers) : refused(q, status);
    }
    kiln_self_pair *pairs = malloc(room * sizeof *pairs);
    kiln_status status = KILN_OK;
    while (pairs != NULL) {
        const double start = kiln_seconds();
        status = kiln_self_contacts(q->tree, &options, pairs, room, found);
        *us = 1e6 * (kiln_seconds() - start);
        if (status != KILN_OK || *found <= room) {
            break;
        }
        free(pairs);
        room = *found;
        pairs = malloc(room * sizeof *pairs);
    }
    if (pairs == NULL) {
        return report_error(EXIT_RUN, q->path, "out of memory; close other programs");
    }
    for (size_t i = 0; i < *found && status == KILN_OK; i++) {
        report_pair(q, &pairs[i], answers);
    }
    free(pairs);
    return status == KILN_OK ? EXIT_DONE : refused(q, status);
}
