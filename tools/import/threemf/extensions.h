/* Specifications of 3MF beside its core. */
#ifndef KILN_IMPORT_THREEMF_EXTENSIONS_H
#define KILN_IMPORT_THREEMF_EXTENSIONS_H

#include "model.h"

/* Specifications that are read; the table in extensions.c begins with them. */
enum { THREEMF_OTHER = -1, THREEMF_CORE, THREEMF_PRODUCTION };

/* The specification of a prefix of so many letters, and its namespace, "" where there is none;
 * THREEMF_OTHER: one that is not known. */
int kiln_3mf_specification(const threemf *t, const char *prefix, size_t length, const char **uri);
/* What to call it: its name, or else its namespace. */
const char *kiln_3mf_name_of(int of, const char *uri);

/* Takes the declarations of an element, which hold up to its end: then all but the first `count`
 * are forgotten. */
void kiln_3mf_declare(threemf *t, const char **attributes);
void kiln_3mf_forget(threemf *t, size_t count);

/* Ends the work where the model requires what is not read. */
void kiln_3mf_check_required(const threemf *t, const char *prefixes);

/* The attribute "path" of the production extension, whatever its prefix; NULL: there is none. */
const char *kiln_3mf_path(const threemf *t, const char **attributes);

/* Notes that an element is left out; false: nothing of a shape is in it. */
bool kiln_3mf_skip_element(threemf *t, int of, const char *uri, const char *name);
/* The same of an attribute that the core does not have, of an element of the core. */
void kiln_3mf_look_at_attribute(threemf *t, const char *name, const char *element);

/* Warns of all that was left out, when the model has been read. */
void kiln_3mf_warn_of_skipped(const threemf *t);
void kiln_3mf_free_extensions(threemf *t);

#endif
