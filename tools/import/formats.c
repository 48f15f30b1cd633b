/* The one table of formats, from which the importing program is chosen, the warning of a bake is
 * given, and `kiln bake --formats` is printed. README.md repeats it, and a test compares both. */
#include "formats.h"

#include <string.h>

#include "../../formats/assert.h"

#define OWN "kiln-import"
#define GLTF "kiln-import-gltf"
#define ASSIMP KILN_IMPORTER_LAST

const kiln_format kiln_formats[] = {
    {"3mf", "3D Manufacturing Format", KILN_TRUST_OWN, OWN},
    {"amf", "Additive Manufacturing File", KILN_TRUST_OWN, OWN},
    {"asc", "points as text", KILN_TRUST_OWN, OWN},
    {"dae", "Collada", KILN_TRUST_OWN, OWN},
    {"fbx", "Autodesk FBX", KILN_TRUST_OWN, OWN},
    {"glb", "glTF 2.0, binary", KILN_TRUST_OWN, GLTF},
    {"gltf", "glTF 2.0", KILN_TRUST_OWN, GLTF},
    {"obj", "Wavefront OBJ", KILN_TRUST_OWN, OWN},
    {"off", "Object File Format", KILN_TRUST_OWN, OWN},
    {"pgm", "Netpbm grey picture, as heights", KILN_TRUST_OWN, OWN},
    {"ply", "Stanford PLY", KILN_TRUST_OWN, OWN},
    {"png", "PNG grey picture, as heights", KILN_TRUST_OWN, OWN},
    {"pts", "points as text", KILN_TRUST_OWN, OWN},
    {"r16", "16-bit samples, as heights", KILN_TRUST_OWN, OWN},
    {"stl", "Stereolithography", KILN_TRUST_OWN, OWN},
    {"vrm", "VRM, an avatar in glTF 2.0", KILN_TRUST_OWN, GLTF},
    {"x3d", "X3D, in XML", KILN_TRUST_OWN, OWN},
    {"xyz", "points as text", KILN_TRUST_OWN, OWN},

    {"3d", "Unreal", KILN_TRUST_UNCHECKED, ASSIMP},
    {"3ds", "3D Studio", KILN_TRUST_UNCHECKED, ASSIMP},
    {"ac", "AC3D", KILN_TRUST_UNCHECKED, ASSIMP},
    {"ac3d", "AC3D", KILN_TRUST_UNCHECKED, ASSIMP},
    {"acc", "AC3D", KILN_TRUST_UNCHECKED, ASSIMP},
    {"ase", "3D Studio ASCII Export", KILN_TRUST_UNCHECKED, ASSIMP},
    {"ask", "3D Studio ASCII Export", KILN_TRUST_UNCHECKED, ASSIMP},
    {"b3d", "Blitz3D", KILN_TRUST_UNCHECKED, ASSIMP},
    {"blend", "Blender", KILN_TRUST_UNCHECKED, ASSIMP},
    {"bsp", "Quake III BSP", KILN_TRUST_UNCHECKED, ASSIMP},
    {"cob", "TrueSpace", KILN_TRUST_UNCHECKED, ASSIMP},
    {"dxf", "AutoCAD DXF", KILN_TRUST_UNCHECKED, ASSIMP},
    {"enff", "Neutral File Format", KILN_TRUST_UNCHECKED, ASSIMP},
    {"hmp", "3D GameStudio height map", KILN_TRUST_UNCHECKED, ASSIMP},
    {"ifc", "Industry Foundation Classes", KILN_TRUST_UNCHECKED, ASSIMP},
    {"ifczip", "Industry Foundation Classes", KILN_TRUST_UNCHECKED, ASSIMP},
    {"iqm", "Inter-Quake Model", KILN_TRUST_UNCHECKED, ASSIMP},
    {"irr", "Irrlicht scene", KILN_TRUST_UNCHECKED, ASSIMP},
    {"irrmesh", "Irrlicht mesh", KILN_TRUST_UNCHECKED, ASSIMP},
    {"lwo", "LightWave", KILN_TRUST_UNCHECKED, ASSIMP},
    {"lws", "LightWave scene", KILN_TRUST_UNCHECKED, ASSIMP},
    {"lxo", "Modo", KILN_TRUST_UNCHECKED, ASSIMP},
    {"md2", "Quake II", KILN_TRUST_UNCHECKED, ASSIMP},
    {"md3", "Quake III", KILN_TRUST_UNCHECKED, ASSIMP},
    {"md5mesh", "Doom 3", KILN_TRUST_UNCHECKED, ASSIMP},
    {"mdc", "Return to Castle Wolfenstein", KILN_TRUST_UNCHECKED, ASSIMP},
    {"mdl", "Quake, 3D GameStudio", KILN_TRUST_UNCHECKED, ASSIMP},
    {"mesh", "Ogre", KILN_TRUST_UNCHECKED, ASSIMP},
    {"ms3d", "MilkShape 3D", KILN_TRUST_UNCHECKED, ASSIMP},
    {"ndo", "Nendo", KILN_TRUST_UNCHECKED, ASSIMP},
    {"nff", "Neutral File Format", KILN_TRUST_UNCHECKED, ASSIMP},
    {"ogex", "Open Game Engine Exchange", KILN_TRUST_UNCHECKED, ASSIMP},
    {"pk3", "Quake III archive", KILN_TRUST_UNCHECKED, ASSIMP},
    {"pmx", "MikuMikuDance", KILN_TRUST_UNCHECKED, ASSIMP},
    {"prj", "3D Studio", KILN_TRUST_UNCHECKED, ASSIMP},
    {"q3o", "Quick3D", KILN_TRUST_UNCHECKED, ASSIMP},
    {"q3s", "Quick3D", KILN_TRUST_UNCHECKED, ASSIMP},
    {"raw", "raw triangles", KILN_TRUST_UNCHECKED, ASSIMP},
    {"scn", "TrueSpace", KILN_TRUST_UNCHECKED, ASSIMP},
    {"sib", "Silo", KILN_TRUST_UNCHECKED, ASSIMP},
    {"smd", "Valve SMD", KILN_TRUST_UNCHECKED, ASSIMP},
    {"step", "STEP", KILN_TRUST_UNCHECKED, ASSIMP},
    {"stp", "STEP", KILN_TRUST_UNCHECKED, ASSIMP},
    {"ter", "Terragen", KILN_TRUST_UNCHECKED, ASSIMP},
    {"uc", "Unreal", KILN_TRUST_UNCHECKED, ASSIMP},
    {"x", "DirectX X", KILN_TRUST_UNCHECKED, ASSIMP},
    {"x3db", "X3D, binary", KILN_TRUST_UNCHECKED, ASSIMP},
    {"xgl", "XGL", KILN_TRUST_UNCHECKED, ASSIMP},
    {"xml", "Irrlicht, Collada, Ogre", KILN_TRUST_UNCHECKED, ASSIMP},
    {"zae", "Collada, compressed", KILN_TRUST_UNCHECKED, ASSIMP},
    {"zgl", "XGL, compressed", KILN_TRUST_UNCHECKED, ASSIMP},
};

const size_t kiln_format_count = sizeof kiln_formats / sizeof kiln_formats[0];

void kiln_extension_of(const char *path, const char *format, char out[KILN_EXTENSION_SIZE])
{
    const char *from = format != NULL ? format : strrchr(path, '.');
    from = from != NULL && from[0] == '.' ? from + 1 : from;
    const size_t length = from != NULL ? strlen(from) : 0;
    out[0] = '\0';
    if (length > 0 && length < KILN_EXTENSION_SIZE) {
        memcpy(out, from, length + 1);
    }
    for (char *at = out; *at != '\0'; at++) {
        *at = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
    }
}

const kiln_format *kiln_format_of(const char *extension)
{
    KILN_ASSERT(extension != NULL);
    for (size_t i = 0; i < kiln_format_count; i++)
        if (strcmp(kiln_formats[i].extension, extension) == 0)
            return &kiln_formats[i];
    return NULL;
}

bool kiln_format_is_heights(const char *extension)
{
    return strcmp(extension, "pgm") == 0 || strcmp(extension, "png") == 0 ||
           strcmp(extension, "r16") == 0;
}

kiln_trust kiln_format_trust(const char *extension)
{
    const kiln_format *format = kiln_format_of(extension);

    return format != NULL ? format->trust : KILN_TRUST_UNCHECKED;
}

const char *kiln_importer_name(const char *extension)
{
    const kiln_format *format = kiln_format_of(extension);

    return format != NULL ? format->program : KILN_IMPORTER_LAST;
}

const char *kiln_trust_name(kiln_trust trust)
{
    static const char *const names[] = {"own", "unchecked"};

    KILN_ASSERT(trust <= KILN_TRUST_UNCHECKED);
    return names[trust];
}
