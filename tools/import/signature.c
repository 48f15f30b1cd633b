/* What a file is by its first bytes, for models that are named as another format: the message of a
 * reader that makes nothing of them would be about that reader's grammar.
 *
 * Only what no file of another format begins with is in the table; a name that fits one of the
 * extensions of its row is right. Formats without such bytes, like OBJ, are not known. */
#include <string.h>

#include "../../formats/assert.h"
#include "reader.h"

enum { LOOK = 1024 };

typedef struct {
    const char *extension; /* that reads it */
    const char *others;    /* extensions that may begin so, too, with blanks around each */
    const char *bytes;
    bool anywhere; /* within LOOK bytes: behind an XML declaration or a comment */
} signature;

static const signature signatures[] = {
    {"ply", " ", "ply\n", false},
    {"ply", " ", "ply\r", false},
    {"glb", " gltf vrm ", "glTF", false},
    {"fbx", " ", "Kaydara FBX Binary", false},
    {"3mf", " amf dae zae ifczip pk3 zgl xlsx zip ", "PK\3\4", false},
    {"ac", " acc ac3d ", "AC3D", false},
    {"x", " ", "xof 0", false},
    {"step", " stp ifc ", "ISO-10303-21", false},
    {"blend", " ", "BLENDER", false},
    {"png", " ", "\x89PNG\r\n", false},
    {"pgm", " ", "P5\n", false},
    {"pgm", " ", "P2\n", false},
    {"off", " ", "OFF\n", false},
    {"off", " ", "OFF\r", false},
    {"stl", " ", "solid ", false},
    {"dae", " xml ", "<COLLADA", true},
    {"x3d", " xml ", "<X3D", true},
    {"amf", " xml ", "<amf", true},
    {"gltf", " glb vrm ", "\"asset\"", true},
};

static bool has(const char *text, size_t size, const char *bytes, bool anywhere)
{
    const size_t length = strlen(bytes);

    for (size_t i = 0; i + length <= size && (i == 0 || anywhere); i++)
        if (memcmp(text + i, bytes, length) == 0)
            return true;
    return false;
}

const char *kiln_signature_other(const kiln_model *model, const char *format)
{
    char text[LOOK + 1] = "";
    size_t size = kiln_model_read(model, 0, text, LOOK), start = 0;
    char word[24] = " ";

    KILN_ASSERT(format != NULL);
    if (strlen(format) > sizeof word - 3)
        return NULL;
    strcat(strcat(word, format), " ");
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        start = 3;
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
        const signature *s = &signatures[i];

        /* A word of JSON counts in JSON only. */
        if (s->bytes[0] == '"' && text[start + strspn(text + start, " \t\r\n")] != '{')
            continue;
        if (has(text + start, size - start, s->bytes, s->anywhere))
            return strcmp(s->extension, format) == 0 || strstr(s->others, word) != NULL
                       ? NULL
                       : s->extension;
    }
    return NULL;
}
