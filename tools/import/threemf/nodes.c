/* Reader of 3MF, the 3D Manufacturing Format. README.md of this folder lists what is read, what is
 * left out and what is refused.
 *
 * A model is an archive (zip.c) of parts: files of XML. `_rels/.rels` names the one that has the
 * build, a list of what is to be made: items, each an object in a place. An object is a mesh, or
 * components: other objects, each in a place. By the production extension either may be in another
 * part; ids count within their part. Here, when document.c has read all parts, the nodes are sent:
 * a node for each item, and below it one for each component. What no item leads to is looked at
 * only for being well made. An object of an item that has nothing but what is skipped is refused.
 *
 * A transform that mirrors keeps the sign of a volume (core specification, 3.3), which is what
 * every mirror does here. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "document.h"
#include "extensions.h"

enum { MOST_NODES = 1 << 24 };

/* Where an object of that id is in the list. Ids count within their part. */
typedef struct {
    size_t part;
    uint64_t id;
    size_t at;
} key;

static int compare_keys(const void *a, const void *b)
{
    const key *p = a, *q = b;

    if (p->part != q->part)
        return p->part < q->part ? -1 : 1;
    return p->id < q->id ? -1 : p->id > q->id;
}

/* Objects by part and id, so that each reference is found by halving. For free(). */
static key *sort_objects(const threemf *t)
{
    const threemf_object *objects = t->objects.items;
    key *keys = calloc(t->objects.count + 1, sizeof *keys);

    if (keys == NULL)
        kiln_read_no_memory(t->reading);
    for (size_t i = 0; i < t->objects.count; i++)
        keys[i] = (key){objects[i].part, objects[i].id, i};
    qsort(keys, t->objects.count, sizeof *keys, compare_keys);
    for (size_t i = 1; i < t->objects.count; i++)
        if (compare_keys(&keys[i - 1], &keys[i]) == 0)
            kiln_3mf_fail_at(t, keys[i].part, objects[keys[i].at].line,
                             "an object of an id that another has");
    return keys;
}

/* The index of the object that a component or an item refers to, anywhere in its part: the format
 * wants it before its components, but nothing is ambiguous where it comes later. */
static size_t find_object(const threemf *t, const key *keys, const threemf_instance *by)
{
    const key wanted = {by->part, by->id, 0};
    const key *found = bsearch(&wanted, keys, t->objects.count, sizeof *keys, compare_keys);
    char what[100];

    (void)snprintf(what, sizeof what, "there is no object %" PRIu64 "%s", by->id,
                   by->part != by->in ? " in that part" : "");
    if (found == NULL)
        kiln_3mf_fail_at(t, by->in, by->line, what);
    KILN_ASSERT(found->at < t->objects.count);
    return found->at;
}

/* An object that is being gone through, by a stack of our own: a file can nest objects as deep as
 * it has objects. */
typedef struct {
    size_t object, next; /* the component that comes next */
    uint32_t node;
} step;

/* Finds what components and items refer to; an object that has itself as a component ends the work,
 * whether or not the build shows it. Each object is gone through once: `open` is on the way to
 * where the walk is, `done` is behind it. */
static void resolve(threemf *t)
{
    threemf_object *objects = t->objects.items;
    threemf_instance *components = t->components.items, *items = t->items.items;
    kiln_list stack = {0};
    key *keys = sort_objects(t);

    for (size_t i = 0; i < t->components.count; i++)
        components[i].object = find_object(t, keys, &components[i]);
    for (size_t i = 0; i < t->items.count; i++)
        items[i].object = find_object(t, keys, &items[i]);
    free(keys);
    for (size_t i = 0; i < t->objects.count; i++) {
        if (objects[i].done)
            continue;
        *(step *)kiln_list_add(t->reading, &stack, sizeof(step)) = (step){.object = i};
        while (stack.count > 0) {
            step *at = (step *)stack.items + stack.count - 1;
            threemf_object *of = &objects[at->object];

            if (of->done || at->next == of->count) {
                of->done = true;
                of->open = false;
                stack.count--;
                continue;
            }
            of->open = true;
            KILN_ASSERT(at->next < of->count && of->first + of->count <= t->components.count);
            const threemf_instance *to = &components[of->first + at->next++];

            if (objects[to->object].open)
                kiln_3mf_fail_at(t, to->in, to->line, "an object has itself as a component");
            *(step *)kiln_list_add(t->reading, &stack, sizeof(step)) = (step){.object = to->object};
        }
    }
    free(stack.items);
}

/* The type of an object with components says nothing: theirs do (chapter 4). */
static bool is_other(const threemf_object *of)
{
    return of->is_mesh && strcmp(of->type, "other") == 0;
}

/* Marks what the items lead to. Of these, each must have a shape: what is in one instead is none
 * that is read, and a model without it would be another. */
static void mark_shown(threemf *t)
{
    threemf_object *objects = t->objects.items;
    const threemf_instance *components = t->components.items, *items = t->items.items;
    kiln_list stack = {0};
    char what[500];

    for (size_t i = 0; i < t->items.count; i++)
        *(size_t *)kiln_list_add(t->reading, &stack, sizeof(size_t)) = items[i].object;
    while (stack.count > 0) {
        threemf_object *of = &objects[((const size_t *)stack.items)[--stack.count]];

        if (of->shown)
            continue;
        of->shown = true;
        if (!of->is_mesh && of->count == 0 && of->skipped != NULL)
            kiln_send_failure(t->reading->sender, KILN_BAKE_UNSUPPORTED,
                              "%.200s, line %" PRIu64 ": the object %" PRIu64
                              " has neither a mesh nor components but %.300s, which is not read; "
                              "export it as a mesh",
                              kiln_3mf_part(t, of->part), of->line, of->id, of->skipped);
        (void)snprintf(what, sizeof what,
                       "the object %" PRIu64 " has neither a mesh nor components", of->id);
        if (!of->is_mesh && of->count == 0)
            kiln_3mf_fail_at(t, of->part, of->line, what);
        for (size_t k = 0; k < of->count; k++)
            *(size_t *)kiln_list_add(t->reading, &stack, sizeof(size_t)) =
                components[of->first + k].object;
    }
    free(stack.items);
}

/* Of few objects that are components again and again, any number can be made. */
static void check_count(const threemf *t, uint64_t count)
{
    if (count >= MOST_NODES)
        kiln_send_failure(t->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "objects have more than %d components in all; split the model",
                          MOST_NODES);
}

static uint32_t send_node(threemf *t, threemf_object *of, uint32_t parent,
                          const threemf_instance *by, uint32_t *sent)
{
    kiln_scene_node node = {
        .parent = parent, .name = kiln_3mf_send_name(t, of), .place_count = of->is_mesh};

    check_count(t, *sent);
    KILN_ASSERT(of->shown && (parent == KILN_SCENE_NONE || parent < *sent));
    memcpy(node.matrix, by->matrix, sizeof node.matrix);
    kiln_send(t->reading->sender, KILN_ARRAY_NODES, &node, 1);
    if (of->is_mesh)
        kiln_send_u32(t->reading->sender, KILN_ARRAY_PLACES, of->mesh);
    return (*sent)++;
}

/* Sends the items, and below each its components, depth-first. Objects that are not to be made are
 * left out; *others counts them. */
static void send_nodes(threemf *t, uint64_t *others)
{
    threemf_object *objects = t->objects.items;
    const threemf_instance *components = t->components.items, *items = t->items.items;
    kiln_list stack = {0};
    uint32_t sent = 0;

    for (size_t i = 0; i < t->items.count; i++) {
        if (is_other(&objects[items[i].object])) {
            ++*others;
            continue;
        }
        *(step *)kiln_list_add(t->reading, &stack, sizeof(step)) = (step){
            .object = items[i].object,
            .node = send_node(t, &objects[items[i].object], KILN_SCENE_NONE, &items[i], &sent)};
        while (stack.count > 0) {
            step *at = (step *)stack.items + stack.count - 1;
            const threemf_object *of = &objects[at->object];

            if (at->next == of->count) {
                stack.count--;
                continue;
            }
            const threemf_instance *to = &components[of->first + at->next++];

            if (is_other(&objects[to->object])) {
                check_count(t, ++*others);
                continue;
            }
            *(step *)kiln_list_add(t->reading, &stack, sizeof(step)) =
                (step){.object = to->object,
                       .node = send_node(t, &objects[to->object], at->node, to, &sent)};
        }
    }
    free(stack.items);
}

/* Warns of what is not what a reader of the file may take it for. */
static void warn(const threemf *t, uint64_t others)
{
    const threemf_object *objects = t->objects.items;
    kiln_sender *sender = t->reading->sender;
    uint64_t supports = 0, unused = 0;

    for (size_t i = 0; i < t->objects.count; i++) {
        const threemf_object *of = &objects[i];

        supports += of->shown && of->is_mesh && strstr(of->type, "support") != NULL;
        unused += !of->shown && of->is_mesh && !is_other(of);
        if (!of->shown || !of->is_mesh || of->faces > 0)
            continue;
        t->reading->facts.empty_meshes++;
        kiln_send_warning(
            sender, "%.200s, line %" PRIu64 ": the mesh of the object %" PRIu64 " has no triangle",
            kiln_3mf_part(t, of->part), of->line, of->id);
    }
    if (t->items.count == 0)
        kiln_send_warning(sender, "the build has no item: nothing is shown");
    if (others > 0)
        kiln_send_warning(sender,
                          "%" PRIu64 " place%s of objects of type \"other\", which are not to be "
                          "made: left out",
                          others, others == 1 ? "" : "s");
    if (supports > 0)
        kiln_send_warning(sender,
                          "%" PRIu64 " object%s a support, which is there while the model is made "
                          "only; it is read as all others",
                          supports, supports == 1 ? " is" : "s are each");
    if (unused > 0)
        kiln_send_warning(sender, "%" PRIu64 " object%s in no item of the build: left out", unused,
                          unused == 1 ? " is" : "s are");
    kiln_3mf_warn_of_skipped(t);
}

void kiln_read_3mf(kiln_reading *reading)
{
    kiln_reading archive = *reading; /* whose model stays the archive */
    threemf t = {.reading = reading};
    uint64_t others = 0;
    threemf_object *objects;

    if (!kiln_zip_is(&reading->model))
        kiln_send_failure(reading->sender, KILN_BAKE_INVALID,
                          "it is no archive (ZIP), as 3MF is; repair the file");
    kiln_zip_open(&t.zip, &archive);
    kiln_read_default_material(reading);
    kiln_3mf_read_parts(&t);
    reading->model = archive.model;
    resolve(&t);
    mark_shown(&t);
    send_nodes(&t, &others);
    warn(&t, others);
    reading->facts.exact = 1;

    objects = t.objects.items;
    for (size_t i = 0; i < t.objects.count; i++) {
        free(objects[i].name);
        free(objects[i].skipped);
    }
    kiln_3mf_free_extensions(&t);
    free(t.open.items);
    free(t.objects.items);
    free(t.parts.items);
    free(t.components.items);
    free(t.items.items);
    free(t.part_at);
    kiln_zip_close(&t.zip);
}
