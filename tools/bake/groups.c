/* Groups of triangles: the whole soup, or one group for each mesh or node of the scene.
 *
 * Parts of the soup with equal keys, in order of key, become one group. With one pass over the
 * parts sorted by key the groups' lists of triangles follow one another in a single array. Names
 * are the scene's, made unique in a second pass, sorted by name: what the importer gives may have
 * any number of nodes called alike, and a tree is found by its name. */
#include "bake.h"

#include "../../formats/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t key, part;
} keyed_part;

/* By key, then in the order of the soup, which the order of the names follows. */
static int compare_keyed(const void *p, const void *q)
{
    const keyed_part *a = p, *b = q;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->part < b->part ? -1 : a->part > b->part;
}

typedef struct {
    const char *name;
    uint32_t group;
} named_group;

/* By name, then in the order of the groups, so that the first of a name keeps it. */
static int compare_named(const void *p, const void *q)
{
    const named_group *a = p, *b = q;
    const int by_name = strcmp(a->name, b->name);
    if (by_name != 0) {
        return by_name;
    }
    return a->group < b->group ? -1 : a->group > b->group;
}

/* Gives every group a name of its own: names that occur more than once get "#2", "#3" ... in the
 * order of the groups; "" becomes "unnamed". */
static bool name_groups(kiln_groups *groups, const char *const *bases)
{
    named_group *named = malloc(groups->count * sizeof *named);
    size_t size = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        size += strlen(bases[g]) + 24; /* "unnamed", '#', ten digits, the zero */
    }
    groups->names = malloc(size);
    if (named == NULL || groups->names == NULL) {
        free(named);
        return false;
    }
    for (uint32_t g = 0; g < groups->count; g++) {
        named[g] = (named_group){bases[g], g};
    }
    /* In this order the groups of one name follow each other. */
    qsort(named, groups->count, sizeof *named, compare_named);
    char *at = groups->names;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        copies = i > 0 && strcmp(named[i].name, named[i - 1].name) == 0 ? copies + 1 : 1;
        const char *base = named[i].name[0] != '\0' ? named[i].name : "unnamed";
        groups->list[named[i].group].name = at;
        at += 1 + (copies > 1 ? sprintf(at, "%s#%u", base, copies) : sprintf(at, "%s", base));
        KILN_ASSERT(at <= groups->names + size);
    }
    free(named);
    return true;
}

/* Makes the groups, which kiln_groups_free frees, after a failure too. Without a split the one
 * group has no list of triangles: NULL stands for all of them in order. Meshes and nodes without
 * triangles make no group. */
bool kiln_groups_make(const kiln_soup *soup, kiln_split split, kiln_groups *groups)
{
    KILN_ASSERT(groups->list == NULL && groups->count == 0);
    KILN_ASSERT(soup->triangle_count > 0 && soup->part_count > 0);
    const bool by_mesh = split == KILN_SPLIT_MESH;
    const uint32_t most = split == KILN_SPLIT_NONE ? 1 : soup->part_count;
    groups->list = calloc(most, sizeof *groups->list);
    if (groups->list == NULL) {
        return false;
    }
    if (split == KILN_SPLIT_NONE) {
        groups->list[0] = (kiln_model_group){.name = "model", .count = soup->triangle_count};
        groups->count = 1;
        return true;
    }

    groups->triangles = malloc(soup->triangle_count * sizeof *groups->triangles);
    const char **bases = calloc(most, sizeof *bases);
    keyed_part *keyed = malloc(soup->part_count * sizeof *keyed);
    bool done = false;
    if (groups->triangles == NULL || bases == NULL || keyed == NULL) {
        goto done;
    }

    /* For nodes, neighbouring parts under the same path, which are the meshes of one node, share
     * the key of the first. */
    for (uint32_t i = 0; i < soup->part_count; i++) {
        keyed[i] = (keyed_part){by_mesh ? soup->parts[i].mesh : i, i};
        const char *paths = soup->strings;
        if (!by_mesh && i > 0 &&
            strcmp(paths + soup->parts[i].node_path, paths + soup->parts[i - 1].node_path) == 0) {
            keyed[i].key = keyed[i - 1].key;
        }
    }
    qsort(keyed, soup->part_count, sizeof *keyed, compare_keyed);

    uint32_t used = 0, key = 0;
    for (uint32_t i = 0; i < soup->part_count; i++) {
        const kiln_soup_part *part = &soup->parts[keyed[i].part];
        if (part->triangle_count == 0) {
            continue;
        }
        if (groups->count == 0 || keyed[i].key != key) {
            key = keyed[i].key;
            bases[groups->count] = soup->strings + (by_mesh ? part->mesh_name : part->node_path);
            groups->list[groups->count].triangles = groups->triangles + used;
            groups->count++;
        }
        for (uint32_t t = 0; t < part->triangle_count; t++) {
            groups->triangles[used++] = part->triangle_first + t;
        }
        groups->list[groups->count - 1].count += part->triangle_count;
    }
    KILN_ASSERT(used == soup->triangle_count);
    done = name_groups(groups, bases);

done:
    free(bases);
    free(keyed);
    return done;
}

void kiln_groups_free(kiln_groups *groups)
{
    free(groups->list);
    free(groups->triangles);
    free(groups->names);
    memset(groups, 0, sizeof *groups);
}
