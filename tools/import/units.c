/* Found by trying Assimp 5.2.5: Collada's unit and axis it applies itself, at the root; FBX's it
 * only reports; glTF has one unit and one axis. */
#include "units.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_SIZE = 1 << 20 };

/* The start of the model as text without zero bytes; NULL without memory. */
static char *head_of(const kiln_model *model)
{
    char *text = malloc(HEAD_SIZE + 1);
    size_t got;

    if (text == NULL)
        return NULL;
    got = kiln_model_read(model, 0, text, HEAD_SIZE);
    for (size_t i = 0; i < got; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    text[got] = '\0';
    return text;
}

/* The value of an attribute of the tag that starts at `tag`. */
static bool attribute_number(const char *tag, const char *name, double *value)
{
    size_t tag_length = strcspn(tag, ">"), length = strlen(name);

    for (size_t i = 1; i + length + 2 < tag_length; i++) {
        const char *at = tag + i + length, *end;

        if (strncmp(tag + i, name, length) != 0)
            continue;
        at += strspn(at, " \t\r\n=");
        if (*at != '"' && *at != '\'')
            continue;
        end = strchr(at + 1, *at);
        return end != NULL && kiln_token_number(at + 1, (size_t)(end - at - 1), value);
    }
    return false;
}

static void collada_units(kiln_reading *reading)
{
    char *text = head_of(&reading->model);
    const char *unit, *axis;
    double metres;

    if (text == NULL)
        kiln_read_no_memory(reading);
    unit = strstr(text, "<unit ");
    axis = strstr(text, "<up_axis>");
    if (unit != NULL && attribute_number(unit, "meter", &metres)) {
        /* Assimp would flatten or mirror everything by it. */
        if (!(metres > 0))
            kiln_send_failure(reading->sender, KILN_BAKE_INVALID,
                              "declares a unit of %g metres; repair the unit", metres);
        reading->facts.unit = metres;
    }
    if (axis != NULL) {
        axis += strlen("<up_axis>");
        axis += strspn(axis, " \t\r\n");
        if (*axis >= 'X' && *axis <= 'Z')
            reading->facts.up_declared = *axis - 'X';
    }
    free(text);
}

static bool number_of(const struct aiMetadataEntry *entry, double *value)
{
    switch (entry->mType) {
    case AI_INT32:
        *value = (double)*(const int32_t *)entry->mData;
        return true;
    case AI_FLOAT:
        *value = (double)*(const float *)entry->mData;
        return true;
    case AI_DOUBLE:
        *value = *(const double *)entry->mData;
        return true;
    default:
        return false;
    }
}

static bool fact_of(const struct aiScene *scene, const char *key, double *value)
{
    const struct aiMetadata *facts = scene->mMetaData;

    for (unsigned i = 0; facts != NULL && i < facts->mNumProperties; i++)
        if (strcmp(facts->mKeys[i].data, key) == 0)
            return number_of(&facts->mValues[i], value);
    return false;
}

/* The factor is in centimetres. */
static void fbx_units(kiln_reading *reading, const struct aiScene *scene)
{
    double value;

    if (fact_of(scene, "UnitScaleFactor", &value) && value > 0 && value < 1e12) {
        reading->facts.unit = value / 100;
        reading->facts.unit_factor = value / 100;
    }
    if (fact_of(scene, "UpAxis", &value) && value >= 0 && value <= 2) {
        reading->facts.up_declared = (int32_t)value;
        reading->facts.up_now = (int32_t)value;
    }
}

void kiln_find_units(kiln_reading *reading, const struct aiScene *scene)
{
    static const char *const gltf[] = {"gltf", "glb", "vrm"};

    for (size_t i = 0; i < sizeof gltf / sizeof gltf[0]; i++) {
        if (strcmp(reading->format, gltf[i]) == 0) {
            reading->facts.unit = 1;
            reading->facts.up_declared = 1;
        }
    }
    if (strcmp(reading->format, "dae") == 0)
        collada_units(reading);
    else if (strcmp(reading->format, "fbx") == 0)
        fbx_units(reading, scene);
}
