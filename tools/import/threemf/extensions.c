/* Specifications of 3MF beside its core, and what of theirs is left out.
 *
 * Elements of other specifications are skipped, as the format wants, unless the model requires
 * theirs: then only what changes no shape passes. What is skipped is warned of, one warning for
 * each namespace, but for those that are known to change no shape. Attributes of the core's
 * elements that the core does not have are warned of, too, since programs add some without a
 * prefix.
 *
 * Prefixes are looked up here and not by expat: files of programs that do not declare theirs are
 * common enough, and these prefix nothing of a shape. */
#define _GNU_SOURCE
#include "extensions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"

enum { MOST_SKIPPED = 32, SKIPPED_NAME = 200 };

/* Specifications, by the start of the names of their namespaces, which end in a date. */
static const struct {
    const char *namespace, *name;
    bool shapeless;     /* what requires it may be read, and what is skipped is not missed */
    const char *advice; /* where it is skipped; NULL: the same as for any other */
} specifications[] = {
    {"http://schemas.microsoft.com/3dmanufacturing/core/", "core", true, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/production/", "production", true, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/material/", "materials", true, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/trianglesets/", "triangle sets", true, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/beamlattice/", "beam lattices", false, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/", "balls of beam lattices",
     false, NULL},
    {"http://schemas.microsoft.com/3dmanufacturing/slice/", "slices", false,
     "and only meshes are read"},
    {"http://schemas.microsoft.com/3dmanufacturing/production/alternatives/",
     "alternatives of objects", false, "and the objects themselves are read"},
    {"http://schemas.microsoft.com/3dmanufacturing/displacement/", "displacements of surfaces",
     false, NULL},
    {"http://schemas.3mf.io/3dmanufacturing/displacement/", "displacements of surfaces", false,
     NULL},
    {"http://schemas.3mf.io/3dmanufacturing/booleanoperations/", "Boolean operations", false, NULL},
    {"http://schemas.3mf.io/3dmanufacturing/volumetric/", "volumetric data", false, NULL},
    {"http://schemas.3mf.io/3dmanufacturing/implicit/", "implicit shapes", false, NULL},
};

enum { SPECIFICATION_COUNT = sizeof specifications / sizeof specifications[0] };

typedef struct {
    char *prefix; /* "": of names without one */
    size_t prefix_length;
    int of; /* a specification, or NONE */
    char *uri;
} namespace;

/* What is left out, to be warned of: elements of a namespace, or attributes of one name. */
typedef struct {
    char *of, *first; /* the namespace or the name, and the first element with its place */
    int specification;
    uint64_t count;
} skipped;

/* -- namespaces -- */

/* The specification of a prefix of so many letters; THREEMF_OTHER: another, or none that is
 * declared. */
int kiln_3mf_specification(const threemf *t, const char *prefix, size_t length, const char **uri)
{
    const namespace *all = t->namespaces.items;

    /* The innermost declaration holds. */
    for (size_t i = t->namespaces.count; i-- > 0;)
        if (all[i].prefix_length == length && memcmp(all[i].prefix, prefix, length) == 0) {
            *uri = all[i].uri;
            return all[i].of;
        }
    KILN_ASSERT(t->namespaces.count == 0 || all != NULL);
    *uri = "";
    /* Without any declaration, what has no prefix counts as of the core. */
    return length == 0 ? THREEMF_CORE : THREEMF_OTHER;
}

/* Forgets all declarations but the first `count`. */
void kiln_3mf_forget(threemf *t, size_t count)
{
    const namespace *all = t->namespaces.items;

    KILN_ASSERT(count <= t->namespaces.count);
    while (t->namespaces.count > count) {
        const namespace *last = &all[--t->namespaces.count];

        free(last->prefix);
        free(last->uri);
    }
}

/* A date follows the start; another word would be that of another specification. */
static bool is_of(const char *uri, const char *start)
{
    const size_t length = strlen(start);

    return strncmp(uri, start, length) == 0 && uri[length] >= '0' && uri[length] <= '9';
}

/* Takes the declarations of an element, which hold up to its end. */
void kiln_3mf_declare(threemf *t, const char **attributes)
{
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        const char *name = attributes[i], *uri = attributes[i + 1];
        namespace *new;
        int of = 0;

        if (strncmp(name, "xmlns", 5) != 0 || (name[5] != ':' && name[5] != '\0'))
            continue;
        name += name[5] == ':' ? 6 : 5;
        new = kiln_list_add(t->reading, &t->namespaces, sizeof *new);
        new->prefix_length = strlen(name);
        new->prefix = kiln_3mf_copy(t, name, new->prefix_length);
        new->uri = kiln_3mf_copy(t, uri, strlen(uri));
        while (of < SPECIFICATION_COUNT && !is_of(uri, specifications[of].namespace))
            of++;
        new->of = of < SPECIFICATION_COUNT ? of : THREEMF_OTHER;
    }
}

/* An attribute of the production extension, whatever its prefix; NULL: there is none. */
const char *kiln_3mf_path(const threemf *t, const char **attributes)
{
    const char *path = NULL;

    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        const char *colon = strchr(attributes[i], ':'), *uri;

        if (colon != NULL && strcmp(colon + 1, "path") == 0 &&
            kiln_3mf_specification(t, attributes[i], (size_t)(colon - attributes[i]), &uri) ==
                THREEMF_PRODUCTION) {
            if (path != NULL)
                kiln_3mf_fail(t, "a second path of one object");
            path = attributes[i + 1];
        }
    }
    return path;
}

/* By prefixes that are declared where the list of them stands: the element <model>. */
void kiln_3mf_check_required(const threemf *t, const char *prefixes)
{
    for (const char *at = prefixes; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, " \t\r\n");
        const char *uri;
        const int of = kiln_3mf_specification(t, at, length, &uri);

        if (length > 0 && (of == THREEMF_OTHER || !specifications[of].shapeless))
            kiln_send_failure(t->reading->sender, KILN_BAKE_UNSUPPORTED,
                              "%.200s requires the extension \"%.*s\" (%.150s), and it is not read "
                              "here; export the model without it",
                              kiln_3mf_part(t, t->part), (int)(length < 40 ? length : 40), at,
                              of != THREEMF_OTHER ? specifications[of].name
                              : uri[0] != '\0'    ? uri
                                                  : "which it does not declare");
        at += length > 0 ? length : 1;
    }
}

/* -- what is left out -- */

/* Counts an element or an attribute that is left out, by what it is of; `name` is the element. */
static void skip(threemf *t, kiln_list *list, const char *of, int specification, const char *name)
{
    skipped *all = list->items;
    char first[400];
    size_t i = 0;

    /* The start of a name is enough: it may be long, and come with each element. */
    while (i < list->count && strncmp(all[i].of, of, SKIPPED_NAME) != 0)
        i++;
    KILN_ASSERT(list->count <= MOST_SKIPPED);
    /* A file may have any number of namespaces; a warning for each would help nobody. */
    if (i == MOST_SKIPPED) {
        t->skipped_more++;
        return;
    }
    if (i == list->count) {
        (void)snprintf(first, sizeof first, "<%.60s> in line %" PRIu64 " of %.200s", name, t->line,
                       kiln_3mf_part(t, t->part));
        all = kiln_list_add(t->reading, list, sizeof *all);
        *all = (skipped){.of = kiln_3mf_copy(t, of, SKIPPED_NAME),
                         .first = kiln_3mf_copy(t, first, strlen(first)),
                         .specification = specification};
        all = list->items;
    }
    all[i].count++;
}

bool kiln_3mf_skip_element(threemf *t, int of, const char *uri, const char *name)
{
    if (of != THREEMF_OTHER && specifications[of].shapeless)
        return false;
    skip(t, &t->skipped_elements, uri, of, name);
    return true;
}

/* One with the prefix of a specification that changes shapes is as much a sign of it as an element:
 * an object can say by an attribute alone that it stands for another shape. Others with prefixes
 * are notes of programs on faces and objects. */
void kiln_3mf_look_at_attribute(threemf *t, const char *name, const char *element)
{
    const char *colon = strchr(name, ':'), *uri;
    const int of = colon != NULL ? kiln_3mf_specification(t, name, (size_t)(colon - name), &uri)
                                 : THREEMF_OTHER;

    if (colon == NULL)
        skip(t, &t->skipped_attributes, name, THREEMF_OTHER, element);
    else if (of != THREEMF_OTHER && !specifications[of].shapeless)
        skip(t, &t->skipped_elements, uri, of, element);
}

const char *kiln_3mf_name_of(int of, const char *uri)
{
    return of != THREEMF_OTHER ? specifications[of].name : uri;
}

/* In the order of the file, elements before attributes. */
void kiln_3mf_warn_of_skipped(const threemf *t)
{
    const skipped *elements_of = t->skipped_elements.items,
                  *attributes = t->skipped_attributes.items;
    kiln_sender *sender = t->reading->sender;

    for (size_t i = 0; i < t->skipped_elements.count; i++) {
        const int of = elements_of[i].specification;

        KILN_ASSERT(of == THREEMF_OTHER || !specifications[of].shapeless);
        if (of == THREEMF_OTHER)
            kiln_send_warning(sender,
                              "%.300s: elements of \"%.200s\", which is not known here, are left "
                              "out",
                              elements_of[i].first, elements_of[i].of);
        else
            kiln_send_warning(sender, "%.300s: %s are left out%s%s", elements_of[i].first,
                              specifications[of].name,
                              specifications[of].advice != NULL ? ", " : "; ",
                              specifications[of].advice != NULL ? specifications[of].advice
                                                                : "export the model as a mesh");
    }
    for (size_t i = 0; i < t->skipped_attributes.count; i++)
        kiln_send_warning(sender,
                          "%.300s: 3MF has no attribute \"%.60s\" there; it is left out, %" PRIu64
                          " time%s",
                          attributes[i].first, attributes[i].of, attributes[i].count,
                          attributes[i].count == 1 ? "" : "s");
    if (t->skipped_more > 0)
        kiln_send_warning(sender,
                          "%" PRIu64 " more elements and attributes are left out, of others",
                          t->skipped_more);
    if (t->texts > 0)
        kiln_send_warning(sender,
                          "line %" PRIu64 " of %.200s: text, which 3MF does not have, is left out",
                          t->text_line, kiln_3mf_part(t, t->text_part));
    if (t->unprintable > 0)
        kiln_send_warning(sender,
                          "%" PRIu64 " item%s not to be printed (printable=\"0\"), and read as all "
                          "others",
                          t->unprintable, t->unprintable == 1 ? " is" : "s are");
}

static void free_skipped(kiln_list *list)
{
    skipped *all = list->items;

    for (size_t i = 0; i < list->count; i++) {
        free(all[i].of);
        free(all[i].first);
    }
    free(list->items);
}

void kiln_3mf_free_extensions(threemf *t)
{
    kiln_3mf_forget(t, 0);
    free(t->namespaces.items);
    free_skipped(&t->skipped_elements);
    free_skipped(&t->skipped_attributes);
}
