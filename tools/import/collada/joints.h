/* The nodes of a scene by their names, among which skins of Collada find their joints. */
#ifndef KILN_IMPORT_COLLADA_JOINTS_H
#define KILN_IMPORT_COLLADA_JOINTS_H

#include "../affine.h"
#include "document.h"

/* A node where the scene has it; one that is instanced has several places. */
typedef struct {
    uint32_t element;
    uint32_t depth;
    size_t end;         /* of the places below it, which follow it */
    kiln_affine global; /* to the scene, without its unit and axis */
} dae_place;

/* Depth-first. */
typedef struct {
    dae_place *items;
    size_t count, capacity;
} dae_places;

/* Opaque: it sorts all places once. */
typedef struct dae_joints dae_joints;

dae_joints *kiln_dae_joints_open(const dae *d, const dae_places *places);
void kiln_dae_joints_close(dae_joints *joints); /* NULL: nothing to do */

/* An <instance_controller> as a node shows it, of whose several places one is meant. */
typedef struct {
    uint32_t instance, controller;
    size_t place;
    bool again; /* it was shown before, and its warnings are known */
} dae_shown;

/* The skeletons below which joints of an instance are looked for. */
typedef struct {
    size_t *roots; /* places, for free() */
    size_t count;
} dae_skeletons;

dae_skeletons kiln_dae_skeletons(const dae_joints *joints, const dae_shown *shown);

/* The place of a joint by its sid, unless `ids`, or by its id. Ends the work where none has the
 * name, or several that nothing tells apart; *unsure is set where a rule had to decide between two.
 * `from` is the element that names it. */
const dae_place *kiln_dae_joint(const dae_joints *joints, const dae_skeletons *skeletons,
                                const dae_shown *shown, uint32_t from, const char *name, bool ids,
                                bool *unsure);

#endif
