/* A page is a template with marks, <!--kiln:WHAT NAME-->, that are replaced:
 *
 *   policy        the Content-Security-Policy: nothing is loaded, and only those scripts and styles
 *                 run whose hashes it lists, so that no text from a model can become one
 *   style NAME    an embedded style sheet
 *   script NAME   an embedded script, module NAME one that is a module; left out where this build
 *                 lacks it
 *   data          the blocks of data
 *
 * A block is an element <script type="application/octet-stream"> whose text is base64 of a zlib
 * stream; browsers do not run it, whatever is in it. Values are stored by the planes of their
 * bytes, the lowest of all values first: neighbours differ in low bytes, so that the others
 * compress well. Texts of models are in one JSON document, where "<" is written as an escape, and
 * scripts put them into the page as texts, never as markup. */
#include "page.h"

#include "embedded.h"

#include "../../formats/assert.h"
#include "../common/memory.h"
#include "../common/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MARK "<!--kiln:"
#define DOCUMENT "<script type=\"application/json\" id=\"document\">"

enum { CHUNK = 3 << 13 }; /* bytes; whole groups of base64 */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* ------------------------------------------------------------------------------ growing text -- */

static void put_bytes(page_data *to, const char *bytes, size_t size)
{
    void *text = to->text;
    if (to->no_memory || !kiln_grow(&text, &to->capacity, to->size + size + 1, 1)) {
        to->no_memory = true;
        return;
    }
    to->text = text;
    memcpy(to->text + to->size, bytes, size);
    to->size += size;
    to->text[to->size] = '\0';
}

static void put(page_data *to, const char *text)
{
    put_bytes(to, text, strlen(text));
}

/* Groups of three bytes as four letters; the last may be shorter. */
static void put_base64(page_data *to, const uint8_t *bytes, size_t size)
{
    char group[4];
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t left = (uint32_t)(size - i);
        const uint32_t bits = (uint32_t)bytes[i] << 16 |
                              (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (left > 2 ? bytes[i + 2] : 0);
        group[0] = letters[bits >> 18];
        group[1] = letters[bits >> 12 & 63];
        group[2] = left > 1 ? letters[bits >> 6 & 63] : '=';
        group[3] = left > 2 ? letters[bits & 63] : '=';
        put_bytes(to, group, sizeof group);
    }
}

char *page_base64(const void *data, size_t size)
{
    page_data text = {.size = 0};
    put(&text, "");
    put_base64(&text, data, size);
    if (text.no_memory) {
        page_free(&text);
        return NULL;
    }
    return text.text;
}

void page_free(page_data *data)
{
    free(data->text);
    memset(data, 0, sizeof *data);
}

/* ------------------------------------------------------------------------------------ blocks -- */

/* A zlib stream on its way into the text as base64. */
typedef struct {
    page_data *to;
    z_stream stream;
    uint8_t out[CHUNK];
} packer;

static bool packer_begin(packer *p, page_data *to)
{
    memset(&p->stream, 0, sizeof p->stream);
    p->to = to;
    p->stream.next_out = p->out;
    p->stream.avail_out = CHUNK;
    return deflateInit(&p->stream, 6) == Z_OK;
}

/* Feeds bytes; `flush` is Z_NO_FLUSH or, with the last ones, Z_FINISH. */
static void packer_feed(packer *p, const uint8_t *bytes, size_t size, int flush)
{
    int status = Z_OK;
    KILN_ASSERT(size <= CHUNK);
    p->stream.next_in = (z_const Bytef *)bytes;
    p->stream.avail_in = (uInt)size;
    do {
        status = deflate(&p->stream, flush);
        if (p->stream.avail_out == 0 || status == Z_STREAM_END) {
            put_base64(p->to, p->out, CHUNK - p->stream.avail_out);
            p->stream.next_out = p->out;
            p->stream.avail_out = CHUNK;
        }
    } while (p->stream.avail_in > 0 || (flush == Z_FINISH && status == Z_OK));
}

static const struct {
    const char *name;
    unsigned size;
} types[] = {[PAGE_U8] = {"u8", 1},
             [PAGE_I16] = {"i16", 2},
             [PAGE_U32] = {"u32", 4},
             [PAGE_F32] = {"f32", 4}};

/* Value i as its bits, less the one `step` before it. */
static uint32_t bits_at(page_type type, const void *values, size_t i, unsigned step)
{
    uint16_t half;
    uint32_t bits, before;
    switch (type) {
    case PAGE_U8:
        return ((const uint8_t *)values)[i];
    case PAGE_I16:
        memcpy(&half, (const char *)values + 2 * i, sizeof half);
        return half;
    case PAGE_U32:
    case PAGE_F32:
    default:
        memcpy(&bits, (const char *)values + 4 * i, sizeof bits);
        if (step > 0 && i >= step) {
            memcpy(&before, (const char *)values + 4 * (i - step), sizeof before);
            bits -= before;
        }
        return bits;
    }
}

json_t *page_add_array(page_data *to, page_type type, const void *values, size_t count,
                       unsigned step)
{
    char tag[96];
    uint8_t bytes[4096];
    KILN_ASSERT(step == 0 || type == PAGE_U32);
    packer *p = malloc(sizeof *p);
    if (p == NULL || !packer_begin(p, to)) {
        free(p);
        to->no_memory = true;
        return NULL;
    }
    (void)snprintf(tag, sizeof tag, "<script type=\"application/octet-stream\" id=\"block%u\">",
                   to->blocks);
    put(to, tag);
    for (unsigned plane = 0; plane < types[type].size; plane++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++) {
            bytes[used++] = (uint8_t)(bits_at(type, values, i, step) >> 8 * plane);
            if (used == sizeof bytes) {
                packer_feed(p, bytes, used, Z_NO_FLUSH);
                used = 0;
            }
        }
        packer_feed(p, bytes, used, Z_NO_FLUSH);
    }
    packer_feed(p, bytes, 0, Z_FINISH);
    (void)deflateEnd(&p->stream);
    free(p);
    put(to, "</script>\n");
    json_t *object = json_object();
    (void)json_object_set_new(object, "block", json_integer((json_int_t)to->blocks++));
    (void)json_object_set_new(object, "type", json_string(types[type].name));
    (void)json_object_set_new(object, "count", json_integer((json_int_t)count));
    (void)json_object_set_new(object, "step", json_integer((json_int_t)step));
    return object;
}

void page_add_json(page_data *to, const json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT);
    if (text == NULL) {
        to->no_memory = true;
        return;
    }
    put(to, DOCUMENT);
    /* These three stand in strings only, where an escape is the same character. */
    const char *from = text;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '<' || *at == '>' || *at == '&') {
            char escape[8];
            put_bytes(to, from, (size_t)(at - from));
            (void)snprintf(escape, sizeof escape, "\\u%04x", (unsigned char)*at);
            put(to, escape);
            from = at + 1;
        }
    }
    put(to, from);
    put(to, "</script>\n");
    free(text);
}

json_t *page_read_json(const char *text, size_t size)
{
    const size_t length = sizeof DOCUMENT - 1;
    for (size_t i = 0; i + length <= size; i++) {
        const char *start = memchr(text + i, '<', size - i - length + 1);
        if (start == NULL) {
            break;
        }
        i = (size_t)(start - text);
        if (memcmp(start, DOCUMENT, length) == 0) {
            const char *first = start + length;
            const char *end = memchr(first, '<', size - (size_t)(first - text));
            return end != NULL ? json_loadb(first, (size_t)(end - first), 0, NULL) : NULL;
        }
    }
    return NULL;
}

/* ---------------------------------------------------------------------------- embedded files -- */

static const embedded_file *find_embedded(const char *name, size_t length)
{
    for (const embedded_file *file = embedded_files; file->name != NULL; file++) {
        if (strlen(file->name) == length && memcmp(file->name, name, length) == 0) {
            return file;
        }
    }
    return NULL;
}

bool page_has_three(void)
{
    return find_embedded("three.js", 8) != NULL;
}

bool page_has_wasm(void)
{
    return find_embedded("kiln.wasm", 9) != NULL;
}

/* The file as it was, with a zero after it; NULL: no memory. */
static char *load_embedded(const embedded_file *file)
{
    char *text = malloc(file->size + 1);
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (text == NULL || inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
        free(text);
        return NULL;
    }
    stream.next_in = (z_const Bytef *)file->data;
    stream.avail_in = (uInt)file->stored_size;
    stream.next_out = (Bytef *)text;
    stream.avail_out = (uInt)file->size;
    const int status = inflate(&stream, Z_FINISH);
    (void)inflateEnd(&stream);
    KILN_ASSERT(status == Z_STREAM_END || status == Z_MEM_ERROR);
    if (status != Z_STREAM_END) {
        free(text);
        return NULL;
    }
    text[file->size] = '\0';
    return text;
}

json_t *page_add_embedded(page_data *to, const char *name)
{
    const embedded_file *file = find_embedded(name, strlen(name));
    char *bytes = file != NULL ? load_embedded(file) : NULL;
    json_t *object = bytes != NULL ? page_add_array(to, PAGE_U8, bytes, file->size, 0) : NULL;
    to->no_memory = to->no_memory || (file != NULL && bytes == NULL);
    free(bytes);
    return object;
}

/* ----------------------------------------------------------------------------- the template -- */

/* A mark of a template, as pointers into it. */
typedef struct {
    const char *start, *end; /* of all of it */
    const char *what, *name;
    size_t what_length, name_length;
} mark;

static bool next_mark(const char *from, mark *out)
{
    out->start = strstr(from, MARK);
    const char *end = out->start != NULL ? strstr(out->start, "-->") : NULL;
    if (end == NULL) {
        return false;
    }
    out->end = end + 3;
    out->what = out->start + sizeof MARK - 1;
    const char *blank = memchr(out->what, ' ', (size_t)(end - out->what));
    out->what_length = (size_t)((blank != NULL ? blank : end) - out->what);
    out->name = blank != NULL ? blank + 1 : end;
    out->name_length = (size_t)(end - out->name);
    return true;
}

static bool mark_is(const mark *of, const char *what)
{
    return strlen(what) == of->what_length && memcmp(of->what, what, of->what_length) == 0;
}

/* " 'sha256-...'" of each of the template's scripts, or styles. */
static void put_hashes(page_data *to, const char *template_text, const char *what)
{
    mark m;
    for (const char *at = template_text; next_mark(at, &m); at = m.end) {
        const embedded_file *file = mark_is(&m, what) ? find_embedded(m.name, m.name_length) : NULL;
        char *text = file != NULL ? load_embedded(file) : NULL;
        if (text != NULL) {
            kiln_sha256 hash;
            uint8_t digest[KILN_SHA256_SIZE];
            kiln_sha256_init(&hash);
            kiln_sha256_update(&hash, text, file->size);
            kiln_sha256_final(&hash, digest);
            put(to, " 'sha256-");
            put_base64(to, digest, sizeof digest);
            put(to, "'");
        }
        to->no_memory = to->no_memory || (file != NULL && text == NULL);
        free(text);
    }
}

static void put_policy(page_data *to, const char *template_text)
{
    put(to, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
            "'wasm-unsafe-eval'");
    put_hashes(to, template_text, "script");
    put_hashes(to, template_text, "module");
    put(to, "; style-src");
    put_hashes(to, template_text, "style");
    put(to, "; img-src data:; base-uri 'none'; form-action 'none'\">");
}

static void put_embedded(page_data *to, const mark *of, const char *tag, const char *attribute)
{
    const embedded_file *file = find_embedded(of->name, of->name_length);
    char *text = file != NULL ? load_embedded(file) : NULL;
    to->no_memory = to->no_memory || (file != NULL && text == NULL);
    if (text != NULL) {
        put(to, "<");
        put(to, tag);
        put(to, attribute);
        put(to, ">");
        put_bytes(to, text, file->size);
        put(to, "</");
        put(to, tag);
        put(to, ">");
    }
    free(text);
}

char *page_make(const char *template_name, const page_data *data, size_t *size)
{
    const embedded_file *file = find_embedded(template_name, strlen(template_name));
    KILN_ASSERT(file != NULL);
    page_data page = {.no_memory = data->no_memory};
    char *text = file != NULL ? load_embedded(file) : NULL;
    const char *at = text;
    mark m;
    page.no_memory = page.no_memory || text == NULL;
    for (; text != NULL && next_mark(at, &m); at = m.end) {
        put_bytes(&page, at, (size_t)(m.start - at));
        if (mark_is(&m, "policy")) {
            put_policy(&page, text);
        } else if (mark_is(&m, "style")) {
            put_embedded(&page, &m, "style", "");
        } else if (mark_is(&m, "script")) {
            put_embedded(&page, &m, "script", "");
        } else if (mark_is(&m, "module")) {
            put_embedded(&page, &m, "script", " type=\"module\"");
        } else if (mark_is(&m, "data")) {
            put_bytes(&page, data->text != NULL ? data->text : "", data->size);
        }
    }
    if (text != NULL) {
        put(&page, at);
    }
    free(text);
    *size = page.size;
    if (page.no_memory) {
        page_free(&page);
        return NULL;
    }
    return page.text;
}
