/* A model of 3MF while it is read, its messages, and values of attributes. */
#ifndef KILN_IMPORT_THREEMF_MODEL_H
#define KILN_IMPORT_THREEMF_MODEL_H

#include "../points.h"
#include "../xml.h"
#include "../zip.h"

/* What can be open around an element. */
typedef enum {
    AT_START,
    IN_MODEL,
    IN_RESOURCES,
    IN_BASES, /* base materials */
    IN_OBJECT,
    IN_MESH,
    IN_VERTICES,
    IN_TRIANGLES,
    IN_COMPONENTS,
    IN_BUILD,
    IN_ITEM,
    IN_LEAF,   /* of which nothing may be in */
    IN_NOTHING /* of any depth, without geometry */
} threemf_place;

/* An object. */
typedef struct {
    size_t part;
    uint64_t id, line, faces;
    char *name;
    const char *type;
    char *skipped; /* the first element of another specification in it; NULL: none */
    bool is_mesh, shown, open, done;
    bool is_named;
    uint32_t sent_name;  /* its offset */
    uint32_t mesh;       /* of the scene */
    size_t first, count; /* of its components */
} threemf_object;

/* A component or an item of the build. */
typedef struct {
    size_t part; /* that has the object */
    uint64_t id, line;
    size_t in;     /* the part that has this */
    size_t object; /* once all are known */
    double matrix[16];
} threemf_instance;

/* Base materials of the part that is being read. */
typedef struct {
    uint64_t id;
    uint32_t first, count; /* numbered in the scene */
} threemf_group;

typedef struct {
    kiln_reading *reading;
    kiln_zip zip;
    kiln_list open;              /* what is around the element that is read (document.c) */
    threemf_place now;           /* what it is in */
    kiln_list objects;           /* threemf_object */
    kiln_list components, items; /* threemf_instance */
    kiln_list namespaces;        /* declared where the element stands (extensions.c) */
    kiln_list parts;             /* const kiln_zip_entry *; the first has the relationships */
    size_t *part_at;             /* of each file of the archive, its part; 0: none yet */
    size_t part;                 /* that is being read */
    uint64_t line;               /* of the element that was opened last */
    uint64_t vertices;           /* of the mesh that is open */
    void *groups;                /* a tree of tsearch, of threemf_group */
    const threemf_group *found;  /* the last, since neighbours mostly have the same */
    threemf_group *bases;        /* that are open */
    uint32_t meshes, materials;  /* sent so far */
    uint64_t pid;                /* the group of the object that is open; UINT64_MAX: none */
    uint32_t user;               /* its material */
    double unit;                 /* of the root */
    bool has_build;
    kiln_list skipped_elements, skipped_attributes;
    uint64_t skipped_more, unprintable, texts;
    const kiln_xml *xml; /* while a part is read */
    uint64_t text_line;  /* of the first text, and its part */
    size_t text_part;
} threemf;

/* Parts of the archive, by their numbers. */
enum { THREEMF_RELATIONS, THREEMF_ROOT };

/* The name of a part. */
const char *kiln_3mf_part(const threemf *t, size_t index);

/* Ends the work because of what a line of a part has; that of the element that was opened last. */
_Noreturn void kiln_3mf_fail_at(const threemf *t, size_t in, uint64_t line, const char *what);
_Noreturn void kiln_3mf_fail(const threemf *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* At most so many bytes of a text, for free(). */
char *kiln_3mf_copy(const threemf *t, const char *text, size_t length);

/* A whole number; `otherwise` where it is not there, or an error where that is NULL. */
uint64_t kiln_3mf_whole(const threemf *t, const char **attributes, const char *name,
                        const uint64_t *otherwise);
/* The number of a resource or of one of its members, of which the format has 31 bits: a longer one
 * would not be told from others. */
uint64_t kiln_3mf_id(const threemf *t, const char **attributes, const char *name,
                     const uint64_t *otherwise);
double kiln_3mf_number(const threemf *t, const char **attributes, const char *name);
/* The attribute "transform": twelve numbers, or none for the identity. */
void kiln_3mf_matrix(const threemf *t, const char **attributes, double matrix[16]);

#endif
