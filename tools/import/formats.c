/* The one table of formats, from which the importing program is chosen, the warning of a bake is
 * given, and `kiln bake --formats` is printed. README.md repeats it, and a test compares both. */
#include "formats.h"

#include <string.h>

#include "../../formats/assert.h"

const kiln_format kiln_formats[] = {
    {"glb", "glTF 2.0, binary", KILN_TRUST_OWN},
    {"gltf", "glTF 2.0", KILN_TRUST_OWN},
    {"obj", "Wavefront OBJ", KILN_TRUST_OWN},
    {"off", "Object File Format", KILN_TRUST_OWN},
    {"ply", "Stanford PLY", KILN_TRUST_OWN},
    {"stl", "Stereolithography", KILN_TRUST_OWN},
    {"vrm", "VRM, an avatar in glTF 2.0", KILN_TRUST_OWN},

    {"dae", "Collada", KILN_TRUST_CHECKED},
    {"fbx", "Autodesk FBX", KILN_TRUST_CHECKED},

    {"3d", "Unreal", KILN_TRUST_UNCHECKED},
    {"3ds", "3D Studio", KILN_TRUST_UNCHECKED},
    {"3mf", "3D Manufacturing Format", KILN_TRUST_UNCHECKED},
    {"ac", "AC3D", KILN_TRUST_UNCHECKED},
    {"ac3d", "AC3D", KILN_TRUST_UNCHECKED},
    {"acc", "AC3D", KILN_TRUST_UNCHECKED},
    {"amf", "Additive Manufacturing File", KILN_TRUST_UNCHECKED},
    {"ase", "3D Studio ASCII Export", KILN_TRUST_UNCHECKED},
    {"ask", "3D Studio ASCII Export", KILN_TRUST_UNCHECKED},
    {"b3d", "Blitz3D", KILN_TRUST_UNCHECKED},
    {"blend", "Blender", KILN_TRUST_UNCHECKED},
    {"bsp", "Quake III BSP", KILN_TRUST_UNCHECKED},
    {"cob", "TrueSpace", KILN_TRUST_UNCHECKED},
    {"dxf", "AutoCAD DXF", KILN_TRUST_UNCHECKED},
    {"enff", "Neutral File Format", KILN_TRUST_UNCHECKED},
    {"hmp", "3D GameStudio height map", KILN_TRUST_UNCHECKED},
    {"ifc", "Industry Foundation Classes", KILN_TRUST_UNCHECKED},
    {"ifczip", "Industry Foundation Classes", KILN_TRUST_UNCHECKED},
    {"iqm", "Inter-Quake Model", KILN_TRUST_UNCHECKED},
    {"irr", "Irrlicht scene", KILN_TRUST_UNCHECKED},
    {"irrmesh", "Irrlicht mesh", KILN_TRUST_UNCHECKED},
    {"lwo", "LightWave", KILN_TRUST_UNCHECKED},
    {"lws", "LightWave scene", KILN_TRUST_UNCHECKED},
    {"lxo", "Modo", KILN_TRUST_UNCHECKED},
    {"md2", "Quake II", KILN_TRUST_UNCHECKED},
    {"md3", "Quake III", KILN_TRUST_UNCHECKED},
    {"md5mesh", "Doom 3", KILN_TRUST_UNCHECKED},
    {"mdc", "Return to Castle Wolfenstein", KILN_TRUST_UNCHECKED},
    {"mdl", "Quake, 3D GameStudio", KILN_TRUST_UNCHECKED},
    {"mesh", "Ogre", KILN_TRUST_UNCHECKED},
    {"ms3d", "MilkShape 3D", KILN_TRUST_UNCHECKED},
    {"ndo", "Nendo", KILN_TRUST_UNCHECKED},
    {"nff", "Neutral File Format", KILN_TRUST_UNCHECKED},
    {"ogex", "Open Game Engine Exchange", KILN_TRUST_UNCHECKED},
    {"pk3", "Quake III archive", KILN_TRUST_UNCHECKED},
    {"pmx", "MikuMikuDance", KILN_TRUST_UNCHECKED},
    {"prj", "3D Studio", KILN_TRUST_UNCHECKED},
    {"q3o", "Quick3D", KILN_TRUST_UNCHECKED},
    {"q3s", "Quick3D", KILN_TRUST_UNCHECKED},
    {"raw", "raw triangles", KILN_TRUST_UNCHECKED},
    {"scn", "TrueSpace", KILN_TRUST_UNCHECKED},
    {"sib", "Silo", KILN_TRUST_UNCHECKED},
    {"smd", "Valve SMD", KILN_TRUST_UNCHECKED},
    {"step", "STEP", KILN_TRUST_UNCHECKED},
    {"stp", "STEP", KILN_TRUST_UNCHECKED},
    {"ter", "Terragen", KILN_TRUST_UNCHECKED},
    {"uc", "Unreal", KILN_TRUST_UNCHECKED},
    {"x", "DirectX X", KILN_TRUST_UNCHECKED},
    {"x3d", "X3D", KILN_TRUST_UNCHECKED},
    {"x3db", "X3D, binary", KILN_TRUST_UNCHECKED},
    {"xgl", "XGL", KILN_TRUST_UNCHECKED},
    {"xml", "Irrlicht, Collada, Ogre", KILN_TRUST_UNCHECKED},
    {"zae", "Collada, compressed", KILN_TRUST_UNCHECKED},
    {"zgl", "XGL, compressed", KILN_TRUST_UNCHECKED},
};

const size_t kiln_format_count = sizeof kiln_formats / sizeof kiln_formats[0];

const kiln_format *kiln_format_of(const char *extension)
{
    KILN_ASSERT(extension != NULL);
    for (size_t i = 0; i < kiln_format_count; i++)
        if (strcmp(kiln_formats[i].extension, extension) == 0)
            return &kiln_formats[i];
    return NULL;
}

kiln_trust kiln_format_trust(const char *extension)
{
    const kiln_format *format = kiln_format_of(extension);

    return format != NULL ? format->trust : KILN_TRUST_UNCHECKED;
}

const char *kiln_trust_name(kiln_trust trust)
{
    static const char *const names[] = {"own", "checked", "unchecked"};

    KILN_ASSERT(trust <= KILN_TRUST_UNCHECKED);
    return names[trust];
}
