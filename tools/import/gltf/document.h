/* A glTF document while it is read: its JSON, by places that errors name by their JSON pointer, and
 * its lists. */
#ifndef KILN_IMPORT_GLTF_DOCUMENT_H
#define KILN_IMPORT_GLTF_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../reader.h"

/* A value of the document and where it is. `in` lives as long as the place is used. */
typedef struct gltf_place {
    const json_t *json;          /* NULL: the document has no such value */
    const struct gltf_place *in; /* NULL: the whole document */
    const char *key;             /* of a member; NULL: an item of a list */
    size_t index;                /* of an item */
} gltf_place;

typedef enum {
    GLTF_ACCESSORS,
    GLTF_BUFFERS,
    GLTF_VIEWS,
    GLTF_MATERIALS,
    GLTF_MESHES,
    GLTF_NODES,
    GLTF_SCENES,
    GLTF_SKINS,
    GLTF_LIST_COUNT
} gltf_list;

/* A buffer, once it is used: bytes of the model, of a file beside it, or of a data URI. */
typedef struct {
    kiln_model bytes;
    uint64_t start, size; /* within these bytes */
    uint8_t *decoded;     /* of a data URI */
    bool open, owned;     /* owned: the file is ours to close */
} gltf_buffer;

typedef struct {
    kiln_reading *reading;
    json_t *json;
    gltf_place root, lists[GLTF_LIST_COUNT];
    bool binary;                       /* in the container of .glb */
    uint64_t chunk_offset, chunk_size; /* of its binary chunk; 0: there is none */
    gltf_buffer *buffers;              /* by number; buffer.c opens them */
    uint8_t **views;                   /* by number, those that are decompressed (buffer.c) */
    bool *bounded; /* by number, accessors whose bounds were looked at (accessor.c) */
    bool quantized, meshopt, draco;    /* extensions that the file uses */
    bool meshopt_needed, draco_needed; /* and that it requires */
} gltf;

/* Parses the model. False: it is glTF 1.0, which is another format. Ends the work where it is no
 * glTF or requires what is not known here. */
bool kiln_gltf_open(gltf *g, kiln_reading *reading);
void kiln_gltf_close(gltf *g);

/* Ends the work: "/accessors/3/count: " and the text. */
_Noreturn void kiln_gltf_fail(const gltf *g, const gltf_place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, with the status of what is not read here. */
_Noreturn void kiln_gltf_fail_unsupported(const gltf *g, const gltf_place *at, const char *format,
                                          ...) __attribute__((format(printf, 3, 4)));

/* Warns in the same form. */
void kiln_gltf_warn(const gltf *g, const gltf_place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A member; its json is NULL where there is none. */
gltf_place kiln_gltf_member(const gltf_place *at, const char *key);
/* A member that has to be an object, or a list, or a string, where it is there. */
gltf_place kiln_gltf_object(const gltf *g, const gltf_place *at, const char *key);
gltf_place kiln_gltf_array(const gltf *g, const gltf_place *at, const char *key);
const char *kiln_gltf_text(const gltf *g, const gltf_place *at, const char *key);
/* An item of a list that has so many. */
gltf_place kiln_gltf_item(const gltf_place *list, size_t index);
size_t kiln_gltf_count(const gltf_place *list);

/* A member that is a whole number of that range; `otherwise` where there is none. */
uint64_t kiln_gltf_whole(const gltf *g, const gltf_place *at, const char *key, uint64_t least,
                         uint64_t most, uint64_t otherwise);
/* The value itself, likewise. */
uint64_t kiln_gltf_whole_at(const gltf *g, const gltf_place *at, uint64_t least, uint64_t most);
bool kiln_gltf_flag(const gltf *g, const gltf_place *at, const char *key);
/* A member that is `count` numbers; false where there is none. */
bool kiln_gltf_numbers(const gltf *g, const gltf_place *at, const char *key, double *to,
                       size_t count);

/* A member that is the number of an item of a list of the document, SIZE_MAX where there is none.
 */
size_t kiln_gltf_reference(const gltf *g, const gltf_place *at, const char *key, gltf_list list);
/* The value itself, likewise. */
size_t kiln_gltf_reference_at(const gltf *g, const gltf_place *at, gltf_list list);

/* An extension of an object. */
gltf_place kiln_gltf_extension(const gltf *g, const gltf_place *extensions, const char *name);

/* calloc, which ends the work without memory. */
void *kiln_gltf_alloc(const gltf *g, uint64_t count, uint64_t size);

#endif
