/* A model in XML, element by element. */
#ifndef KILN_IMPORT_XML_H
#define KILN_IMPORT_XML_H

#include "reader.h"

/* The reading of a model. */
typedef struct kiln_xml kiln_xml;

/* The line that was reached. */
uint64_t kiln_xml_line(const kiln_xml *xml);

typedef struct {
    /* Attributes are names and values in turn, NULL at the end. `line` counts from 1. */
    void (*start)(void *user, const char *name, const char **attributes, uint64_t line);
    void (*end)(void *user, const char *name);
    void (*text)(void *user, const char *text, size_t length); /* in parts; NULL: not wanted */
    void *user;
    const kiln_xml **reader; /* set before the first call; NULL: not wanted */
    const char *file;        /* the name of the side file that this is; NULL: the model itself */
    bool namespaces;         /* names are those of a namespace, KILN_XML_OF and a name in it */
} kiln_xml_handlers;

/* Stands between a namespace and a name in it; no namespace has it. A name of none has none. */
#define KILN_XML_OF '\n'

/* Reads the model through. One that is not well-formed, or in an encoding that is not known, ends
 * the work, so that what was gathered is looked at only when all of it is known. False: namespaces
 * are wanted, and a prefix is not declared, which ended the reading there. */
bool kiln_xml_read(kiln_reading *reading, const kiln_xml_handlers *handlers);

/* The value of an attribute; NULL: it is not there. */
const char *kiln_xml_value(const char **attributes, const char *name);

/* The blanks of XML. */
static inline bool kiln_xml_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What is between the blanks at both ends; *length becomes that of it, 0 where all is blank. */
const char *kiln_xml_trimmed(const char *text, size_t *length);

/* Looks at a model before Assimp reads it. What Assimp would read wrong or not at all ends the work
 * with an error, or is warned of. */
void kiln_look_at_x3d(kiln_reading *reading);
void kiln_look_at_amf(kiln_reading *reading);

#endif
