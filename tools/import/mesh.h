/* Meshes in memory as a source, beside the models that programs read. */
#ifndef KILN_IMPORT_MESH_H
#define KILN_IMPORT_MESH_H

#include "../common/sha256.h"
#include "../kiln_bake.h"
#include "scene.h"

typedef struct {
    const kiln_mesh *parts; /* each of the size that parts->struct_size says */
    size_t count;
} kiln_mesh_list;

/* The format of such a source. An input of this very string, by its address, which callers of the
 * library can't have, is meshes: its `data` is a kiln_mesh_list. */
extern const char kiln_mesh_format[];

static inline bool kiln_input_is_mesh(const kiln_bake_input *input)
{
    return input->format == kiln_mesh_format;
}

/* NULL, or what the caller did wrong: pointers that are missing, sizes that differ, materials that
 * have two names. */
const char *kiln_mesh_refusal(const kiln_mesh_list *list);

/* Bytes of all arrays. */
uint64_t kiln_mesh_bytes(const kiln_mesh_list *list);

/* SHA-256 of all that a bake reads of them. */
void kiln_mesh_hash(const kiln_mesh_list *list, uint8_t digest[KILN_SHA256_SIZE]);

/* Bytes that the scene of the meshes takes. */
uint64_t kiln_mesh_scene_bytes(const kiln_mesh_list *list);

/* Makes the scene that a reader would send of a file with these triangles: a node for each part, at
 * the root. `scene` is zeroed, and the caller's to free whatever the outcome. False: no memory. */
bool kiln_mesh_scene(const kiln_mesh_list *list, kiln_scene *scene);

#endif
