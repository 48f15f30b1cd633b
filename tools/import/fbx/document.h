/* An FBX document while it is read: records with their values, whether the file is binary or text,
 * and the objects among them with their connections. */
#ifndef KILN_IMPORT_FBX_DOCUMENT_H
#define KILN_IMPORT_FBX_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../reader.h"

#define FBX_NONE UINT32_MAX

/* What a value is. */
typedef enum {
    FBX_WHOLE,
    FBX_REAL,
    FBX_TEXT, /* also a word without quotation marks */
    FBX_BYTES,
    FBX_ARRAY,   /* of a binary file */
    FBX_DECIMALS /* an array of a text file */
} fbx_type;

typedef struct {
    uint8_t type;   /* fbx_type */
    char element;   /* of an array, as binary files have it: b c f d i l */
    bool packed;    /* an array is packed by deflate */
    bool beyond;    /* a whole number is from 2^63 on: it is `whole` and 2^64 */
    uint32_t count; /* of an array: its numbers, as declared */
    uint64_t size;  /* of texts, bytes and arrays, in the file */
    union {
        int64_t whole;
        double real;
        const uint8_t *bytes; /* in the file */
    } is;
} fbx_value;

typedef struct {
    const char *name; /* in the file, not zero-ended */
    uint32_t name_length;
    uint32_t parent, first, next; /* records, or FBX_NONE */
    uint32_t value_count;
    size_t value; /* the number of its first */
    uint64_t at;  /* its byte in a binary file, its line in a text, from 1 */
} fbx_record;

/* Kinds of objects that geometry rests on. */
typedef enum {
    FBX_ROOT, /* what nodes without a parent are connected to */
    FBX_MODEL,
    FBX_GEOMETRY,
    FBX_DEFORMER,
    FBX_MATERIAL,
    FBX_ATTRIBUTE,
    FBX_CONSTRAINT
} fbx_kind;

typedef struct {
    int64_t id;
    uint32_t record; /* FBX_NONE: the root, which has none */
    fbx_kind kind;
    size_t child; /* the number of its first in `children` */
    uint32_t child_count;
} fbx_object;

typedef struct {
    kiln_reading *reading;
    kiln_model bytes; /* the file in memory */
    bool is_text;
    bool high_first;     /* the order of the bytes of a number */
    fbx_record *records; /* the first holds those of the file */
    size_t record_count, record_capacity;
    fbx_value *values;
    size_t value_count, value_capacity;
    fbx_object *objects; /* the root, and the others in the order of the file */
    uint32_t object_count;
    size_t object_capacity;
    uint32_t *children; /* objects, by their parents, and then in the order of the file */
} fbx;

/* Reads the whole file, its records, objects and connections. Ends the work where it is no FBX, or
 * one of a version that is not read. */
void kiln_fbx_open(fbx *f, kiln_reading *reading);
void kiln_fbx_close(fbx *f);

/* Ends the work: "byte 412, in record "Objects/Geometry": " and the text. */
_Noreturn void kiln_fbx_fail(const fbx *f, uint32_t record, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, with the status of what is not read here. */
_Noreturn void kiln_fbx_fail_unsupported(const fbx *f, uint32_t record, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void kiln_fbx_warn(const fbx *f, uint32_t record, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Zeroed memory for `count` + 1 elements. Without memory the work ends. */
void *kiln_fbx_alloc(const fbx *f, size_t count, size_t size);

bool kiln_fbx_is(const fbx *f, uint32_t record, const char *name);
/* The first record of that name in another; FBX_NONE: there is none. */
uint32_t kiln_fbx_child(const fbx *f, uint32_t record, const char *name);
/* The same; that a second follows is an error, since either might be meant. */
uint32_t kiln_fbx_only(const fbx *f, uint32_t record, const char *name);

/* The value at a place of a record; NULL: there is none. */
const fbx_value *kiln_fbx_value(const fbx *f, uint32_t record, uint32_t place);
/* Whether that value is this text. */
bool kiln_fbx_says(const fbx *f, uint32_t record, uint32_t place, const char *text);
/* The number at a place; false: there is none. */
bool kiln_fbx_number(const fbx *f, uint32_t record, uint32_t place, double *number);

/* All numbers of a record, of an array or one by one, in new memory. */
double *kiln_fbx_reals(const fbx *f, uint32_t record, size_t *count);
/* The same where all have to be whole numbers of 32 bits. */
int32_t *kiln_fbx_wholes(const fbx *f, uint32_t record, size_t *count);

/* The properties that geometry depends on, in the order of the table in document.c. */
typedef enum {
    FBX_TRANSLATION,
    FBX_ROTATION,
    FBX_SCALING,
    FBX_ROTATION_OFFSET,
    FBX_ROTATION_PIVOT,
    FBX_SCALING_OFFSET,
    FBX_SCALING_PIVOT,
    FBX_PRE_ROTATION,
    FBX_POST_ROTATION,
    FBX_GEOMETRIC_TRANSLATION,
    FBX_GEOMETRIC_ROTATION,
    FBX_GEOMETRIC_SCALING,
    FBX_ROTATION_ORDER,
    FBX_ROTATION_ACTIVE,
    FBX_INHERIT_TYPE,
    FBX_DEFORM_PERCENT,
    FBX_ACTIVE,
    FBX_UNIT_SCALE_FACTOR,
    FBX_UP_AXIS,
    FBX_UP_AXIS_SIGN,
    FBX_FRONT_AXIS,
    FBX_FRONT_AXIS_SIGN,
    FBX_COORD_AXIS,
    FBX_COORD_AXIS_SIGN,
    FBX_PROPERTY_COUNT
} fbx_property;

/* The records of the properties, or FBX_NONE. */
typedef struct {
    uint32_t of[FBX_PROPERTY_COUNT];
} fbx_properties;

/* The properties that <Definitions> gives to objects of a type which do not have them. */
fbx_properties kiln_fbx_template(const fbx *f, const char *type);
/* Those of a record; what it does not have is as in `defaults`. */
fbx_properties kiln_fbx_properties(const fbx *f, uint32_t record, const fbx_properties *defaults);
/* The first number of a property; `otherwise` where it is not there. */
double kiln_fbx_property(const fbx *f, const fbx_properties *properties, fbx_property which,
                         double otherwise);
/* Its three numbers; false, and nothing changed: it is not there. */
bool kiln_fbx_vector(const fbx *f, const fbx_properties *properties, fbx_property which,
                     double vector[3]);

/* The name of an object, without what its class adds, in new memory. */
char *kiln_fbx_name(const fbx *f, uint32_t object);
/* Whether the third value of its record is this. */
bool kiln_fbx_is_a(const fbx *f, uint32_t object, fbx_kind kind, const char *type);

/* The two forms of the file: each fills `records` and `values`, and ends the work where it can't
 * (binary.c, text.c). */
void kiln_fbx_parse_binary(fbx *f);
void kiln_fbx_parse_text(fbx *f);

/* For these: adds a record to another, after the one before; and a value to the last record. */
uint32_t kiln_fbx_add_record(fbx *f, uint32_t parent, uint32_t before, const char *name,
                             uint32_t name_length, uint64_t at);
fbx_value *kiln_fbx_add_value(fbx *f, uint32_t record, fbx_type type);
/* Ends the work where versions before 7.0 are not read. */
void kiln_fbx_check_version(const fbx *f, uint64_t version);

#endif
