/* The form of FBX that is text. There is no specification in public; it is read as programs write
 * it.
 *
 * A record is a name, a colon, values between commas, and perhaps a list of records in braces.
 * Where a line ends does not count: a word before a colon begins the next record. A text stands in
 * quotation marks, which it can't contain (they are written as "&quot;"), and a comment goes from a
 * semicolon to the end of its line. An array is written as "*3 { a: 1,2,3 }": what stands behind
 * "a:" is kept as it is until somebody wants the numbers. */
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "document.h"

enum {
    DEPTH_MOST = 64,          /* of records in records; programs write 8 or so */
    VERSION_WITHIN = 1 << 14, /* bytes of the file in which its version stands */
};

typedef struct {
    fbx *f;
    const char *at, *end;
    const char *counted; /* up to here lines are counted */
    uint64_t line;       /* of that, from 1 */
} parsing;

/* The line of what is read next. Each line is counted once. */
static uint64_t line_of(parsing *p)
{
    KILN_ASSERT(p->counted <= p->at && p->at <= p->end);
    for (; p->counted < p->at; p->counted++)
        p->line += *p->counted == '\n' ||
                   (*p->counted == '\r' && (p->counted + 1 == p->end || p->counted[1] != '\n'));
    return p->line;
}

/* Ends the work because of what stands here. */
static _Noreturn void fail(parsing *p, uint32_t record, const char *what)
{
    size_t length = 0;

    KILN_ASSERT(record < p->f->record_count);
    p->f->records[record].at = line_of(p);
    while (length < 40 && p->at + length < p->end && (uint8_t)p->at[length] > ' ')
        length++;
    if (length == 0)
        kiln_fbx_fail(p->f, record, "%s, and the %s ends; repair the file", what,
                      p->at == p->end ? "file" : "line");
    kiln_fbx_fail(p->f, record, "%s, and \"%.*s\" is there; repair the file", what, (int)length,
                  p->at);
}

/* Skips blanks, ends of lines and comments. */
static void skip(parsing *p)
{
    for (bool comment = false; p->at < p->end; p->at++) {
        const char c = *p->at;

        if (c == '\n' || c == '\r')
            comment = false;
        else if (c == ';')
            comment = true;
        else if (!comment && c != ' ' && c != '\t')
            return;
    }
}

static bool is_delimiter(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ':' || c == ';' ||
           c == '"' || c == '{' || c == '}';
}

/* The length of the word that begins here; 0: there is none. What a word may be made of is known to
 * nobody: it ends where something else begins. */
static uint32_t word_length(const parsing *p)
{
    size_t length = 0;

    while (p->at + length < p->end && length < UINT32_MAX && !is_delimiter(p->at[length]))
        length++;
    return (uint32_t)length;
}

/* Whether the word that begins here is the name of a record. The colon may stand behind blanks, and
 * the text up to it is looked at twice, never more often: where it is a name, values end. */
static bool is_name(const parsing *p)
{
    parsing ahead = *p;

    ahead.at += word_length(p);
    skip(&ahead);
    return ahead.at > p->at && ahead.at < ahead.end && *ahead.at == ':';
}

/* A whole number of 64 bits, with a sign or without: programs write the same number of an object in
 * either way. One that is larger is no whole number, so that no two become one. */
static bool whole_of(const char *word, size_t length, int64_t *whole)
{
    const bool minus = length > 0 && word[0] == '-';
    uint64_t value = 0;
    size_t i = length > 0 && (minus || word[0] == '+');

    if (i == length)
        return false;
    for (; i < length; i++) {
        const unsigned digit = (unsigned)(uint8_t)word[i] - '0';

        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    if (minus && value > (uint64_t)INT64_MAX + 1)
        return false;
    *whole = (int64_t)(minus ? 0 - value : value);
    return true;
}

/* Adds a value that stands in quotation marks. */
static void parse_quoted(parsing *p, uint32_t record)
{
    const char *from = p->at + 1;
    const char *to = memchr(from, '"', (size_t)(p->end - from));
    fbx_value *value;

    KILN_ASSERT(p->at < p->end && *p->at == '"');
    if (to == NULL)
        fail(p, record, "a text has no second quotation mark");
    value = kiln_fbx_add_value(p->f, record, FBX_TEXT);
    value->is.bytes = (const uint8_t *)from;
    value->size = (uint64_t)(to - from);
    p->at = to + 1;
}

/* Adds a value that is a word: a number, the length of an array, or a word of its own. */
static void parse_word(parsing *p, uint32_t record)
{
    const uint32_t length = word_length(p);
    fbx_value *value;
    int64_t whole;
    double real;

    if (length == 0)
        fail(p, record, "a value is expected");
    if (whole_of(p->at, length, &whole)) {
        value = kiln_fbx_add_value(p->f, record, FBX_WHOLE);
        value->is.whole = whole;
        value->beyond = whole < 0 && *p->at != '-';
    } else if (kiln_token_number(p->at, length, &real)) {
        value = kiln_fbx_add_value(p->f, record, FBX_REAL);
        value->is.real = real;
    } else if (*p->at == '*' && whole_of(p->at + 1, length - 1, &whole)) {
        if (whole < 0 || whole > UINT32_MAX)
            fail(p, record, "an array has a length that none can have");
        value = kiln_fbx_add_value(p->f, record, FBX_DECIMALS);
        value->count = (uint32_t)whole;
    } else {
        value = kiln_fbx_add_value(p->f, record, FBX_TEXT);
        value->is.bytes = (const uint8_t *)p->at;
        value->size = length;
    }
    p->at += length;
}

/* The numbers of an array, behind "a:", which are its record's. */
static void parse_decimals(parsing *p, uint32_t record)
{
    const fbx_record *of = &p->f->records[p->f->records[record].parent];
    fbx_value *value = &p->f->values[of->value];

    KILN_ASSERT(of->value_count == 1 && value->type == FBX_DECIMALS);
    /* Numbers are counted and converted only if somebody wants them: most arrays are normals and
     * coordinates of textures. */
    skip(p);
    if (value->is.bytes != NULL)
        fail(p, record, "the numbers of an array are given twice");
    value->is.bytes = (const uint8_t *)p->at;
    while (p->at < p->end && *p->at != '}') {
        skip(p);
        p->at += p->at < p->end && *p->at != '}';
    }
    KILN_ASSERT(p->at >= (const char *)value->is.bytes);
    value->size = (uint64_t)(p->at - (const char *)value->is.bytes);
}

/* Whether the records of this one are the numbers of an array. */
static bool is_array(const fbx *f, uint32_t record)
{
    return f->records[record].value_count == 1 &&
           f->values[f->records[record].value].type == FBX_DECIMALS;
}

/* The values of a record, and the brace that begins its list. False: it has none. */
static bool parse_values(parsing *p, uint32_t record)
{
    bool more = true; /* a value may follow: at the start, and behind a comma */
    bool comma = false;

    for (;;) {
        skip(p);
        if (p->at == p->end || *p->at == '}')
            return false;
        if (*p->at == '{') {
            p->at++;
            return true;
        }
        if (*p->at == ',') {
            /* Files are embedded as a comma and many texts: the place before the first value alone
             * may be empty, since others would move up behind it. */
            if (more && (comma || p->f->records[record].value_count > 0))
                fail(p, record, "a value is missing between two commas");
            p->at++;
            more = comma = true;
            continue;
        }
        if (*p->at == '"' && more)
            parse_quoted(p, record);
        else if (is_name(p))
            return false;
        else if (more)
            parse_word(p, record);
        else
            fail(p, record, "a comma or another record is expected");
        more = false;
    }
}

/* Adds the records of a list to one. */
static void parse_list(parsing *p, uint32_t in, unsigned depth)
{
    uint32_t before = FBX_NONE;

    if (depth > DEPTH_MOST)
        fail(p, in, "records in records are deeper than any program writes them");
    for (;;) {
        const char *name;
        uint32_t length, record;

        skip(p);
        if (p->at == p->end && depth > 0)
            fail(p, in, "its closing brace is expected");
        if (p->at == p->end)
            return;
        if (*p->at == '}' && depth > 0) {
            p->at++;
            return;
        }
        if (!is_name(p))
            fail(p, in, "the name of a record and a colon are expected");
        name = p->at;
        length = word_length(p);
        record = kiln_fbx_add_record(p->f, in, before, name, length, line_of(p));
        before = record;
        p->at += length;
        skip(p);
        KILN_ASSERT(p->at < p->end && *p->at == ':');
        p->at++;
        if (is_array(p->f, in) && length == 1 && *name == 'a')
            parse_decimals(p, record);
        else if (parse_values(p, record))
            parse_list(p, record, depth + 1);
    }
}

/* The version that the file says, for which nothing of it need be understood: older files are
 * written in another way, and are to be refused for their age. 0: none. */
static uint64_t version_of(const char *from, const char *end)
{
    static const char name[] = "FBXVersion:";
    const size_t length = sizeof name - 1;

    for (end = end - from > VERSION_WITHIN ? from + VERSION_WITHIN : end;
         (size_t)(end - from) > length; from++) {
        uint64_t version = 0;

        if (memcmp(from, name, length) != 0)
            continue;
        for (from += length; from < end && *from == ' '; from++)
            continue;
        for (; from < end && *from >= '0' && *from <= '9' && version < 100000; from++)
            version = 10 * version + (uint64_t)(*from - '0');
        return version;
    }
    return 0;
}

void kiln_fbx_parse_text(fbx *f)
{
    static const char mark[] = "\xEF\xBB\xBF";
    const char *from = (const char *)f->bytes.data;
    parsing p = {.f = f, .at = from, .end = from + f->bytes.size, .counted = from, .line = 1};
    uint64_t version;

    f->is_text = true;
    if (f->bytes.size >= 3 && memcmp(from, mark, 3) == 0)
        p.at += 3;
    /* UTF-16, or no text at all. */
    if (f->bytes.size > 0 && memchr(from, '\0', (size_t)f->bytes.size) != NULL) {
        p.at = memchr(from, '\0', (size_t)f->bytes.size);
        f->records[0].at = line_of(&p);
        kiln_fbx_fail(f, 0, "a zero byte, which no text has; export it again, or save it as UTF-8");
    }
    version = version_of(p.at, p.end);
    if (version == 0)
        kiln_fbx_fail(f, 0, "there is no FBXVersion: this is no FBX; export it again");
    kiln_fbx_check_version(f, version);
    parse_list(&p, 0, 0);
    f->records[0].at = 0;
}
