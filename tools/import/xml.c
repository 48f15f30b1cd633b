/* Reading XML by expat (James Clark and others), which decodes UTF-8, UTF-16 and Latin 1, and the
 * looks at X3D, whose lines Assimp turns into faces, and at AMF, of whose objects Assimp reads the
 * first volume, and of whose instances it takes angles for distances. */
#include "xml.h"

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"

enum { BLOCK_SIZE = 1 << 16 };

typedef struct {
    const kiln_xml_handlers *to;
    XML_Parser parser;
} reader;

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    const reader *r = user;

    r->to->start(r->to->user, name, attributes, XML_GetCurrentLineNumber(r->parser));
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    const reader *r = user;

    r->to->end(r->to->user, name);
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
    const reader *r = user;

    r->to->text(r->to->user, text, (size_t)length);
}

bool kiln_xml_read(kiln_reading *reading, const kiln_xml_handlers *handlers)
{
    reader r = {.to = handlers, .parser = XML_ParserCreate(NULL)};
    enum XML_Status status = XML_STATUS_OK;
    uint64_t at = 0;

    KILN_ASSERT(handlers->start != NULL && handlers->end != NULL);
    if (r.parser == NULL)
        kiln_read_no_memory(reading);
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, on_start, on_end);
    if (handlers->text != NULL)
        XML_SetCharacterDataHandler(r.parser, on_text);
    while (status == XML_STATUS_OK && at < reading->model.size) {
        void *block = XML_GetBuffer(r.parser, BLOCK_SIZE);
        size_t got;

        if (block == NULL)
            kiln_read_no_memory(reading);
        got = kiln_model_read(&reading->model, at, block, BLOCK_SIZE);
        if (got == 0)
            break;
        at += got;
        status = XML_ParseBuffer(r.parser, (int)got, at >= reading->model.size);
    }
    if (status != XML_STATUS_OK && XML_GetErrorCode(r.parser) == XML_ERROR_NO_MEMORY)
        kiln_read_no_memory(reading);
    if (status != XML_STATUS_OK)
        kiln_send_warning(reading->sender,
                          "line %llu: the XML is not well-formed (%s); what follows is not checked",
                          (unsigned long long)XML_GetCurrentLineNumber(r.parser),
                          XML_ErrorString(XML_GetErrorCode(r.parser)));
    XML_ParserFree(r.parser);
    return status == XML_STATUS_OK;
}

const char *kiln_xml_value(const char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i] != NULL; i += 2)
        if (strcmp(attributes[i], name) == 0)
            return attributes[i + 1];
    return NULL;
}

/* -- X3D -- */

static void x3d_start(void *user, const char *name, const char **attributes, uint64_t line)
{
    static const char *const lines[] = {"IndexedLineSet", "LineSet"};
    kiln_reading *reading = user;

    (void)attributes;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (strcmp(name, lines[i]) == 0)
            kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                              "line %llu: <%s>: the importer would make faces of its lines; remove "
                              "it, or convert the model to another format",
                              (unsigned long long)line, name);
}

static void x3d_end(void *user, const char *name)
{
    (void)user, (void)name;
}

void kiln_look_at_x3d(kiln_reading *reading)
{
    const kiln_xml_handlers handlers = {.start = x3d_start, .end = x3d_end, .user = reading};

    (void)kiln_xml_read(reading, &handlers);
}

/* -- AMF -- */

typedef struct {
    kiln_reading *reading;
    unsigned volumes; /* of the mesh that is open */
    char angle[8];    /* the element whose text comes; "": none */
    uint64_t line;
} amf;

static void amf_start(void *user, const char *name, const char **attributes, uint64_t line)
{
    amf *a = user;

    (void)attributes;
    a->angle[0] = '\0';
    a->line = line;
    if (strcmp(name, "mesh") == 0)
        a->volumes = 0;
    if (strcmp(name, "volume") == 0 && ++a->volumes > 1)
        kiln_send_failure(a->reading->sender, KILN_BAKE_UNSUPPORTED,
                          "line %llu: a second <volume> of one object, which the importer does not "
                          "read; make it an object, or convert the model to another format",
                          (unsigned long long)line);
    if (name[0] == 'r' && name[1] >= 'x' && name[1] <= 'z' && name[2] == '\0')
        strcpy(a->angle, name);
}

static void amf_end(void *user, const char *name)
{
    amf *a = user;

    (void)name;
    a->angle[0] = '\0';
}

/* Anything but zeros is an angle. */
static void amf_text(void *user, const char *text, size_t length)
{
    const amf *a = user;

    for (size_t i = 0; a->angle[0] != '\0' && i < length; i++)
        if (text[i] >= '1' && text[i] <= '9')
            kiln_send_failure(a->reading->sender, KILN_BAKE_UNSUPPORTED,
                              "line %llu: <%s>: the importer takes angles of instances for "
                              "distances; turn the mesh itself, or convert the model to another "
                              "format",
                              (unsigned long long)a->line, a->angle);
}

void kiln_look_at_amf(kiln_reading *reading)
{
    amf a = {.reading = reading};
    const kiln_xml_handlers handlers = {
        .start = amf_start, .end = amf_end, .text = amf_text, .user = &a};
    uint8_t mark[2] = {0, 0};

    /* Some are compressed; these stay as they are. */
    (void)kiln_model_read(&reading->model, 0, mark, sizeof mark);
    if (mark[0] != 'P' || mark[1] != 'K')
        (void)kiln_xml_read(reading, &handlers);
}
