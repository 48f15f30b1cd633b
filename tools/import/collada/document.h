/* A Collada document while it is read: the elements on which geometry rests, with their attributes,
 * numbers and lines, and the ids by which they refer to each other. */
#ifndef KILN_IMPORT_COLLADA_DOCUMENT_H
#define KILN_IMPORT_COLLADA_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../reader.h"

#define DAE_NONE UINT32_MAX

/* In the order of the table in document.c. */
typedef enum {
    DAE_COLLADA,
    DAE_ASSET,
    DAE_UNIT,
    DAE_UP_AXIS,
    DAE_LIBRARY_GEOMETRIES,
    DAE_LIBRARY_CONTROLLERS,
    DAE_LIBRARY_NODES,
    DAE_LIBRARY_VISUAL_SCENES,
    DAE_LIBRARY_MATERIALS,
    DAE_GEOMETRY,
    DAE_MESH,
    DAE_CONVEX_MESH,
    DAE_SPLINE,
    DAE_BREP,
    DAE_SOURCE,
    DAE_FLOAT_ARRAY,
    DAE_INT_ARRAY,
    DAE_BOOL_ARRAY,
    DAE_NAME_ARRAY,
    DAE_IDREF_ARRAY,
    DAE_SIDREF_ARRAY,
    DAE_TOKEN_ARRAY,
    DAE_TECHNIQUE_COMMON,
    DAE_ACCESSOR,
    DAE_PARAM,
    DAE_VERTICES,
    DAE_INPUT,
    DAE_TRIANGLES,
    DAE_TRIFANS,
    DAE_TRISTRIPS,
    DAE_POLYLIST,
    DAE_POLYGONS,
    DAE_LINES,
    DAE_LINESTRIPS,
    DAE_P,
    DAE_PH,
    DAE_H,
    DAE_VCOUNT,
    DAE_CONTROLLER,
    DAE_SKIN,
    DAE_MORPH,
    DAE_BIND_SHAPE_MATRIX,
    DAE_JOINTS,
    DAE_VERTEX_WEIGHTS,
    DAE_V,
    DAE_TARGETS,
    DAE_NODE,
    DAE_MATRIX,
    DAE_TRANSLATE,
    DAE_ROTATE,
    DAE_SCALE,
    DAE_SKEW,
    DAE_LOOKAT,
    DAE_INSTANCE_GEOMETRY,
    DAE_INSTANCE_CONTROLLER,
    DAE_INSTANCE_NODE,
    DAE_SKELETON,
    DAE_BIND_MATERIAL,
    DAE_INSTANCE_MATERIAL,
    DAE_MATERIAL,
    DAE_VISUAL_SCENE,
    DAE_SCENE,
    DAE_INSTANCE_VISUAL_SCENE,
    DAE_TAG_COUNT
} dae_tag;

typedef struct {
    dae_tag tag;
    uint32_t parent, first, last, next; /* elements, or DAE_NONE */
    uint64_t line;
    size_t attributes;  /* in the text: names and values in turn, zero-ended; "" at the end */
    size_t from, count; /* its numbers, whole numbers, or words; of text, count is its length */
} dae_element;

/* Elements that one id may mean. */
typedef struct {
    const char *id;
    dae_tag tag;
    uint32_t element;
} dae_id;

typedef struct {
    kiln_reading *reading;
    dae_element *elements; /* the root is the first; children stand after their parents */
    size_t count, capacity;
    double *numbers; /* of all elements, one after the other */
    size_t number_count, number_capacity;
    int32_t *wholes; /* DAE_BEYOND: none that is an index */
    size_t whole_count, whole_capacity;
    char *text;
    size_t text_size, text_capacity;
    dae_id *ids; /* sorted */
    size_t id_count;
    size_t *shapes; /* in the text: urls of geometry that physics refer to */
    size_t shape_count, shape_capacity;
} dae;

/* A whole number that is none of 31 bits. */
#define DAE_BEYOND INT32_MIN

/* Parses the model. Ends the work where it is no Collada. */
void kiln_dae_open(dae *d, kiln_reading *reading);
void kiln_dae_close(dae *d);

/* Ends the work: "line 3: <accessor> " and the text. */
_Noreturn void kiln_dae_fail(const dae *d, uint32_t element, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, with the status of what is not read here. */
_Noreturn void kiln_dae_fail_unsupported(const dae *d, uint32_t element, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void kiln_dae_warn(const dae *d, uint32_t element, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const char *kiln_dae_name(dae_tag tag);
/* The value of an attribute; NULL: it is not there. */
const char *kiln_dae_attribute(const dae *d, uint32_t element, const char *name);
/* An attribute that is a whole number from 0; `otherwise` where it is not there. */
uint64_t kiln_dae_whole(const dae *d, uint32_t element, const char *name, uint64_t otherwise);
/* The first child of that tag, and the next after one; DAE_NONE: there is none. */
uint32_t kiln_dae_child(const dae *d, uint32_t element, dae_tag tag);
uint32_t kiln_dae_next(const dae *d, uint32_t element);
/* A child that has to be there. */
uint32_t kiln_dae_needed(const dae *d, uint32_t element, dae_tag tag);
/* The text of an element without blanks around it, in memory of its own. */
char *kiln_dae_text(const dae *d, uint32_t element);

/* Tags as a set. */
#define DAE_IS(tag) (UINT64_C(1) << (tag))

/* The element that "#id" means, also with the name of the file before it, one of these tags, for an
 * attribute of `from`. DAE_NONE: it is not there, or is in another file. Ends the work where
 * several of these tags have the id. */
uint32_t kiln_dae_find(const dae *d, uint32_t from, const char *reference, uint64_t tags);
/* The same for an attribute that has to refer to something. */
uint32_t kiln_dae_reference(const dae *d, uint32_t from, const char *attribute, uint64_t tags);

/* Whether a reference is to this file. */
bool kiln_dae_is_within(const dae *d, const char *reference);

/* Room for `needed` items of a list; without memory the work ends. */
void *kiln_dae_grow(const dae *d, void *items, size_t *capacity, size_t needed, size_t size);
/* calloc, which ends the work without memory. */
void *kiln_dae_alloc(const dae *d, uint64_t count, uint64_t size);

#endif
