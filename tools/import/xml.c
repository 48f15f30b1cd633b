/* Reading XML by expat (James Clark and others), and the looks at X3D, whose lines Assimp turns
 * into faces, and at AMF, of whose objects Assimp reads the first volume, and of whose instances it
 * takes angles for distances.
 *
 * Expat decodes UTF-8, UTF-16 and Latin 1. Other encodings keep markup and numbers in ASCII: of
 * these every byte beyond becomes a character of its own, so that what differs in the file differs
 * here, and only letters of names come out as others. Where the declared encoding is not that of
 * the bytes, as of files that were saved by a plain editor, the bytes count. What is in an encoding
 * without ASCII, and what expat refuses, ends the work: nobody else may read what was not seen. */
#include "xml.h"

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../formats/assert.h"
#include "../common/text.h"

enum { BLOCK_SIZE = 1 << 16, ENCODING_SIZE = 40 };

/* Two texts that name the side file. */
#define PART(handlers)                                                                             \
    (handlers)->file != NULL ? (handlers)->file : "", (handlers)->file != NULL ? ", " : ""

struct kiln_xml {
    kiln_reading *reading;
    const kiln_xml_handlers *to;
    XML_Parser parser;
};

uint64_t kiln_xml_line(const kiln_xml *xml)
{
    return XML_GetCurrentLineNumber(xml->parser);
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    const kiln_xml *r = user;

    r->to->start(r->to->user, name, attributes, XML_GetCurrentLineNumber(r->parser));
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    const kiln_xml *r = user;

    r->to->end(r->to->user, name);
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
    const kiln_xml *r = user;

    r->to->text(r->to->user, text, (size_t)length);
}

/* What is elsewhere may be geometry. */
static _Noreturn void fail_entity(const kiln_xml *r, const char *name)
{
    kiln_send_failure(
        r->reading->sender, KILN_BAKE_UNSUPPORTED,
        "line %llu: the text of the entity \"%.100s\" is not in this file, and is not "
        "read; put it there",
        (unsigned long long)XML_GetCurrentLineNumber(r->parser), name);
}

static int XMLCALL on_external_entity(XML_Parser parser, const XML_Char *context,
                                      const XML_Char *base, const XML_Char *system,
                                      const XML_Char *public)
{
    (void)context, (void)base, (void)public;
    fail_entity(XML_GetUserData(parser), system != NULL ? system : "");
}

static void XMLCALL on_skipped_entity(void *user, const XML_Char *name, int is_parameter)
{
    /* Parameters declare, and what is not declared is skipped again where it is used. */
    if (!is_parameter)
        fail_entity(user, name);
}

/* -- encodings -- */

/* What the bytes are, whatever is declared. */
typedef enum { ASCII, UTF8, OTHER, WIDE } bytes_kind;

static bytes_kind kind_of(const kiln_model *model)
{
    static char block[BLOCK_SIZE]; /* too large for the stack; this process has one thread */
    bytes_kind kind = ASCII;

    if (kiln_model_read(model, 0, block, 2) == 2 &&
        (memcmp(block, "\xFF\xFE", 2) == 0 || memcmp(block, "\xFE\xFF", 2) == 0 ||
         block[0] == '\0' || block[1] == '\0'))
        return WIDE;
    for (uint64_t at = 0; at < model->size;) {
        const size_t got = kiln_model_read(model, at, block, BLOCK_SIZE);
        const size_t span = kiln_utf8_span(block, got);
        size_t i = 0;

        /* A character may be cut by the end of the block. */
        if (span < got && (got - span > 3 || at + got >= model->size))
            return OTHER;
        while (kind == ASCII && i < span && (block[i] & 0x80) == 0)
            i++;
        if (i < span)
            kind = UTF8;
        if (span == 0)
            break;
        at += span;
    }
    return kind;
}

/* The encoding that the declaration names; "": none. */
static void find_declared(const kiln_model *model, char encoding[ENCODING_SIZE])
{
    char text[256] = "";
    const char *from, *end;
    size_t length;

    text[kiln_model_read(model, 0, text, sizeof text - 1)] = '\0';
    encoding[0] = '\0';
    from = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? text + 3 : text;
    end = strncmp(from, "<?xml", 5) == 0 ? strstr(from, "?>") : NULL;
    from = end != NULL ? strstr(from, "encoding") : NULL;
    if (from == NULL || from > end)
        return;
    from += strcspn(from, "\"'");
    length = from < end ? strcspn(from + 1, "\"'") : 0;
    if (length > 0 && length < ENCODING_SIZE && from + 1 + length < end) {
        memcpy(encoding, from + 1, length);
        encoding[length] = '\0';
    }
}

/* Those of 0x80 to 0x9F in windows-1252, where Latin 1 has no letters. */
static const uint16_t of_windows_1252[32] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

/* Do such texts have markup and numbers in ASCII? Bytes that follow others in Chinese, Japanese and
 * Korean ones may be letters and digits, but none of <>&"'=/ and blank. */
static bool keeps_ascii(const char *encoding)
{
    static const char *const families[] = {
        "windows-",  "cp",        "iso-8859-", "iso8859-", "iso_8859-", "latin",     "koi8-",
        "macintosh", "x-mac-",    "tis-620",   "gb2312",   "gbk",       "gb18030",   "big5",
        "shift_jis", "shift-jis", "sjis",      "x-sjis",   "euc-",      "ks_c_5601", "windows_",
        "ibm437",    "ibm85",     "ibm86",     "ascii"};

    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strncasecmp(encoding, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

static bool is_windows_1252(const char *encoding)
{
    return strcasecmp(encoding, "windows-1252") == 0 || strcasecmp(encoding, "cp1252") == 0;
}

/* Each byte is one character, another for each. */
static int XMLCALL on_encoding(void *data, const XML_Char *name, XML_Encoding *encoding)
{
    const bool windows = is_windows_1252(name);

    (void)data;
    for (int i = 0; i < 256; i++)
        encoding->map[i] = windows && i >= 0x80 && i < 0xA0 ? of_windows_1252[i - 0x80] : i;
    encoding->data = NULL;
    encoding->convert = NULL;
    encoding->release = NULL;
    return XML_STATUS_OK;
}

/* Whether it begins with the byte order mark of UTF-8, which no other encoding has. */
static bool has_mark(const kiln_model *model)
{
    uint8_t mark[3] = {0};

    return kiln_model_read(model, 0, mark, sizeof mark) == 3 &&
           memcmp(mark, "\xEF\xBB\xBF", 3) == 0;
}

/* The encoding to read by; NULL: expat finds it. */
static const char *choose(kiln_reading *reading, char declared[ENCODING_SIZE])
{
    const bytes_kind kind = kind_of(&reading->model);
    const char *const utf8[] = {"", "utf-8", "utf8", "utf_8", "us-ascii", "ascii"};
    const char *const wide[] = {"utf-16", "utf16", "utf-16le", "utf-16be", "unicode", "ucs-2"};
    bool is_utf8 = false, is_wide = false;

    if (kind == WIDE)
        return NULL;
    find_declared(&reading->model, declared);
    /* Saved again by an editor that left the declaration as it was. */
    if (has_mark(&reading->model))
        strcpy(declared, "utf-8");
    for (size_t i = 0; i < sizeof utf8 / sizeof utf8[0]; i++) {
        is_utf8 = is_utf8 || strcasecmp(declared, utf8[i]) == 0;
        is_wide = is_wide || strcasecmp(declared, wide[i]) == 0;
    }
    if (!is_utf8 && !is_wide && !keeps_ascii(declared))
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "its encoding \"%s\" is not known; save it as UTF-8", declared);
    if (kind == ASCII)
        return "UTF-8";
    if ((is_utf8 || is_wide) && kind == OTHER) {
        kiln_send_warning(reading->sender,
                          "it has bytes that are no UTF-8, and declares no other encoding that "
                          "they are of; letters beyond ASCII in its names may be others");
        return "windows-1252";
    }
    if (is_utf8 || is_wide)
        return "UTF-8";
    if (!is_windows_1252(declared) && strcasecmp(declared, "iso-8859-1") != 0)
        kiln_send_warning(reading->sender,
                          "letters beyond ASCII in its names, which are in the encoding \"%s\", "
                          "are read as others; save it as UTF-8 to keep them",
                          declared);
    return strcasecmp(declared, "iso-8859-1") == 0 ? declared : "windows-1252";
}

/* -- parsing -- */

bool kiln_xml_read(kiln_reading *reading, const kiln_xml_handlers *handlers)
{
    char declared[ENCODING_SIZE] = "";
    const char *encoding = choose(reading, declared);
    kiln_xml r = {.reading = reading,
                  .to = handlers,
                  .parser = handlers->namespaces ? XML_ParserCreateNS(encoding, KILN_XML_OF)
                                                 : XML_ParserCreate(encoding)};
    enum XML_Status status = XML_STATUS_OK;
    uint64_t at = has_mark(&reading->model) ? 3 : 0;
    size_t got;

    KILN_ASSERT(handlers->start != NULL && handlers->end != NULL);
    if (r.parser == NULL)
        kiln_read_no_memory(reading);
    if (handlers->reader != NULL)
        *handlers->reader = &r;
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, on_start, on_end);
    XML_SetUnknownEncodingHandler(r.parser, on_encoding, NULL);
    XML_SetExternalEntityRefHandler(r.parser, on_external_entity);
    XML_SetSkippedEntityHandler(r.parser, on_skipped_entity);
    if (handlers->text != NULL)
        XML_SetCharacterDataHandler(r.parser, on_text);
    do {
        void *block = XML_GetBuffer(r.parser, BLOCK_SIZE);

        if (block == NULL)
            kiln_read_no_memory(reading);
        /* A file that has become shorter ends early. */
        got = kiln_model_read(&reading->model, at, block, BLOCK_SIZE);
        at += got;
        status = XML_ParseBuffer(r.parser, (int)got, got < BLOCK_SIZE);
    } while (status == XML_STATUS_OK && got == BLOCK_SIZE);
    if (status != XML_STATUS_OK && XML_GetErrorCode(r.parser) == XML_ERROR_NO_MEMORY)
        kiln_read_no_memory(reading);
    if (status != XML_STATUS_OK && XML_GetErrorCode(r.parser) == XML_ERROR_UNBOUND_PREFIX) {
        XML_ParserFree(r.parser);
        return false;
    }
    if (status != XML_STATUS_OK)
        kiln_send_failure(reading->sender, KILN_BAKE_INVALID,
                          "%s%sline %llu: the XML is not well-formed (%s); repair the file",
                          PART(handlers), (unsigned long long)XML_GetCurrentLineNumber(r.parser),
                          XML_ErrorString(XML_GetErrorCode(r.parser)));
    XML_ParserFree(r.parser);
    return true;
}

const char *kiln_xml_value(const char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i] != NULL; i += 2)
        if (strcmp(attributes[i], name) == 0)
            return attributes[i + 1];
    return NULL;
}

const char *kiln_xml_trimmed(const char *text, size_t *length)
{
    while (*length > 0 && kiln_xml_is_blank(text[*length - 1]))
        (*length)--;
    for (; *length > 0 && kiln_xml_is_blank(*text); (*length)--)
        text++;
    return text;
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

    kiln_xml_read(reading, &handlers);
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
        kiln_xml_read(reading, &handlers);
}
