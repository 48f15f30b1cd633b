/* The tree of an X3D file (ISO/IEC 19776-1, the XML encoding; ISO/IEC 19775-1, the nodes).
 *
 * Nodes that geometry depends on are kept with their fields; those known to have none in them are
 * left out, and counted among the children of their parent, since a switch chooses by number. A
 * node of no known name may have geometry, and is refused.
 *
 * DEF names a node from its end on, so that USE refers to one that is whole: no node can contain
 * itself. Of two with one name the later counts, as in VRML. */
#define _GNU_SOURCE
#include "document.h"

#include <ctype.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../../formats/assert.h"
#include "../xml.h"

/* A name that DEF has given, or that of a prototype. */
typedef struct {
    const char *name;
    x3d_node *node;
    bool harmless; /* of a prototype: its first node is */
} named;

typedef struct {
    x3d_document *document;
    x3d_node *at;     /* the innermost node that is open */
    kiln_list above;  /* those around it: x3d_node * */
    void *names;      /* a tree of tsearch */
    void *prototypes; /* likewise */
    named *prototype; /* whose first node is looked for */
    unsigned skipped; /* depth within an element that is left out */
    x3d_node left;    /* that element, where its geometry is counted; without a type: it is not */
    char left_type[64];
    size_t left_geometry;
    bool in_x3d, in_head, in_body, has_text;
} parse;

/* -- kinds -- */

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), of_end = strlen(end);

    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

/* Nodes of the tree. */
static const struct {
    const char *type;
    x3d_kind kind;
} nodes[] = {{"Anchor", X3D_GROUP},
             {"Billboard", X3D_GROUP},
             {"CADAssembly", X3D_GROUP},
             {"CADFace", X3D_GROUP},
             {"CADLayer", X3D_GROUP},
             {"Collision", X3D_GROUP},
             {"Group", X3D_GROUP},
             {"PickableGroup", X3D_GROUP},
             {"StaticGroup", X3D_GROUP},
             {"CADPart", X3D_TRANSFORM},
             {"EspduTransform", X3D_TRANSFORM},
             {"Transform", X3D_TRANSFORM},
             {"Switch", X3D_SWITCH},
             {"LOD", X3D_LOD},
             {"Inline", X3D_INLINE},
             {"Shape", X3D_SHAPE},
             {"Coordinate", X3D_COORDINATE},
             {"CoordinateDouble", X3D_COORDINATE},
             {"Appearance", X3D_APPEARANCE},
             /* Names that end as harmless ones do. */
             {"HAnimJoint", X3D_UNKNOWN},
             {"ExplosionEmitter", X3D_UNKNOWN}};
static const char *const geometry[] = {
#define NAME(type, make) #type,
    X3D_GEOMETRY_TYPES(NAME)
#undef NAME
};
/* Types without geometry, in themselves and in what they contain: of materials, time, interaction,
 * sound and physics. What a script builds while it runs is none of the file; the shapes of rigid
 * bodies are shown only where the scene uses them again. */
static const char *const harmless[] = {"ROUTE",
                                       "IMPORT",
                                       "EXPORT",
                                       "Script",
                                       "Normal",
                                       "FontStyle",
                                       "ClipPlane",
                                       "AudioClip",
                                       "ShaderPart",
                                       "ShaderProgram",
                                       "GeoMetadata",
                                       "GeoOrigin",
                                       "Color",
                                       "ColorRGBA",
                                       "FogCoordinate",
                                       "Sound",
                                       "SpatialSound",
                                       "ScreenFontStyle",
                                       "FloatVertexAttribute",
                                       "Matrix3VertexAttribute",
                                       "Matrix4VertexAttribute",
                                       "DISEntityManager",
                                       "DISEntityTypeMapping",
                                       "SignalPdu",
                                       "TransmitterPdu",
                                       "ReceiverPdu",
                                       "Tangent",
                                       "EaseInEaseOut",
                                       "ViewpointGroup",
                                       "Analyser",
                                       "AudioDestination",
                                       "BufferAudioSource",
                                       "ChannelMerger",
                                       "ChannelSelector",
                                       "ChannelSplitter",
                                       "Convolver",
                                       "Delay",
                                       "DynamicsCompressor",
                                       "Gain",
                                       "ListenerPointSource",
                                       "MicrophoneSource",
                                       "OscillatorSource",
                                       "PeriodicWave",
                                       "StreamAudioDestination",
                                       "StreamAudioSource",
                                       "WaveShaper",
                                       "RigidBody",
                                       "RigidBodyCollection",
                                       "CollisionCollection",
                                       "CollisionSpace"};
/* Of the many types of sensors, textures and the like, their last words are enough. A new type
 * with such an end would be without geometry, too, but for those of the table of nodes. */
static const char *const harmless_ends[] = {"Sensor",
                                            "Interpolator",
                                            "Interpolator2D",
                                            "Chaser2D",
                                            "Damper2D",
                                            "Light",
                                            "Viewpoint",
                                            "Sequencer",
                                            "Trigger",
                                            "Background",
                                            "Fog",
                                            "Filter",
                                            "Chaser",
                                            "Damper",
                                            "Texture",
                                            "Texture3D",
                                            "Material",
                                            "Shader",
                                            "Sound",
                                            "Properties",
                                            "Info",
                                            "Joint",
                                            "Toggle",
                                            "TextureCoordinate",
                                            "TextureTransform",
                                            "Texture3DTransform",
                                            "TextureCoordinate3D",
                                            "TextureCoordinate4D",
                                            "TextureTransform3D",
                                            "TextureTransformMatrix3D",
                                            "TextureCoordinateGenerator",
                                            "TextureProjector",
                                            "TextureProjectorParallel",
                                            "TextureProjectorPerspective"};

static bool is_one_of(const char *const *list, size_t count, const char *type)
{
    size_t i = 0;

    while (i < count && strcmp(list[i], type) != 0)
        i++;
    return i < count;
}

x3d_kind kiln_x3d_kind(const char *type)
{
    KILN_ASSERT(type != NULL);
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        if (strcmp(nodes[i].type, type) == 0)
            return nodes[i].kind;
    if (is_one_of(geometry, sizeof geometry / sizeof geometry[0], type))
        return X3D_GEOMETRY;
    if (is_one_of(harmless, sizeof harmless / sizeof harmless[0], type))
        return X3D_HARMLESS;
    for (size_t i = 0; i < sizeof harmless_ends / sizeof harmless_ends[0]; i++)
        if (ends_in(type, harmless_ends[i]))
            return X3D_HARMLESS;
    return strncmp(type, "Metadata", 8) == 0 ? X3D_HARMLESS : X3D_UNKNOWN;
}

/* -- messages -- */

/* "part.x3d, line 3: <Shape>: text". */
static void message_of(const x3d_document *document, const x3d_node *node, char text[1024],
                       const char *format, va_list arguments)
{
    const int used =
        snprintf(text, 512, "%.200s%sline %llu: <%.100s>: ", document->file ? document->file : "",
                 document->file ? ", " : "", (unsigned long long)node->line, node->type);

    KILN_ASSERT(used > 0 && used < 512);
    (void)vsnprintf(text + used, 1024 - (size_t)used, format, arguments);
}

_Noreturn void kiln_x3d_fail(const x3d_document *document, const x3d_node *node,
                             kiln_bake_status status, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    message_of(document, node, text, format, arguments);
    va_end(arguments);
    kiln_send_failure(document->reading->sender, status, "%s", text);
}

void kiln_x3d_warn(const x3d_document *document, const x3d_node *node, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    message_of(document, node, text, format, arguments);
    va_end(arguments);
    kiln_send_warning(document->reading->sender, "%s", text);
}

/* -- memory -- */

/* Zeroed, and released with the document: nodes refer to each other in any direction, so none of
 * them is an owner. */
static void *take(x3d_document *document, size_t size)
{
    void *block = kiln_arena_take(&document->arena, size, 1);

    KILN_ASSERT(size > 0);
    if (block == NULL)
        kiln_read_no_memory(document->reading);
    return memset(block, 0, size);
}

static const char *keep(x3d_document *document, const char *text)
{
    const size_t size = strlen(text) + 1;

    return memcpy(take(document, size), text, size);
}

/* Open until its end is seen: what is used before that is around its use. */
static x3d_node *new_node(x3d_document *document, const char *type, uint64_t line)
{
    x3d_node *node = take(document, sizeof *node);

    node->type = keep(document, type);
    node->kind = kiln_x3d_kind(type);
    node->line = line;
    node->open = true;
    return node;
}

/* A name in other letters is that of no field, and would be left out in silence. */
static void check_case(const x3d_document *document, const x3d_node *node, const char *name)
{
    static const char *const fields[] = {
        "DEF",         "USE",         "containerField", "url",      "load",
        "whichChoice", "translation", "rotation",       "scale",    "scaleOrientation",
        "center",      "geoCoords",   "coordIndex",     "index",    "point",
        "vertexCount", "fanCount",    "stripCount",     "ccw",      "height",
        "xDimension",  "zDimension",  "xSpacing",       "zSpacing", "size",
        "radius",      "side",        "bottom",         "top",      "bottomRadius",
        "innerRadius", "outerRadius", "vertices",       "visible",  "lineSegments",
        "spine",       "orientation", "crossSection",   "beginCap", "endCap"};

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcasecmp(name, fields[i]) == 0 && strcmp(name, fields[i]) != 0)
            kiln_x3d_fail(document, node, KILN_BAKE_INVALID,
                          "the field \"%.40s\" is none of X3D, which has \"%s\"; repair the file",
                          name, fields[i]);
}

/* As texts, which are read when the walk comes to the node: most of a file of switches and levels
 * is never shown, and messages have the line of what is. Fields that are long and change nothing
 * are left out. */
static void keep_attributes(x3d_document *document, x3d_node *node, const char **attributes)
{
    static const char *const without[] = {"normalIndex", "colorIndex", "texCoordIndex"};
    size_t count = 0, kept = 0;

    while (attributes[count] != NULL)
        count += 2;
    node->attributes = take(document, (count + 1) * sizeof(char *));
    for (size_t i = 0; i < count; i += 2) {
        bool wanted = true;

        for (size_t k = 0; k < sizeof without / sizeof without[0]; k++)
            wanted = wanted && strcmp(attributes[i], without[k]) != 0;
        if (wanted) {
            check_case(document, node, attributes[i]);
            node->attributes[kept++] = keep(document, attributes[i]);
            node->attributes[kept++] = keep(document, attributes[i + 1]);
        }
    }
}

/* NULL: a harmless one. A group that is used many times is gone through as often, and should not
 * spend that time on children that show nothing. */
static void add_child(parse *p, x3d_node *child)
{
    x3d_node *parent = p->at;
    void *children = parent->children;
    const size_t number = parent->numbered++;

    KILN_ASSERT(parent->open && child != parent);
    if (child == NULL && parent->kind != X3D_SWITCH && parent->kind != X3D_LOD)
        return;
    /* In the arena, which gives nothing back: the list moves by doubling. */
    if (parent->child_count == parent->child_capacity) {
        parent->child_capacity = parent->child_capacity != 0 ? 2 * parent->child_capacity : 4;
        parent->children = take(p->document, parent->child_capacity * sizeof(x3d_child));
        if (parent->child_count > 0)
            memcpy(parent->children, children, parent->child_count * sizeof(x3d_child));
    }
    parent->children[parent->child_count++] = (x3d_child){child, number};
}

/* -- names -- */

/* Names are kept in trees: a scene may have one for each of its nodes. */
static int compare_names(const void *a, const void *b)
{
    const named *p = a, *q = b;

    return strcmp(p->name, q->name);
}

/* NULL: there is none of that name. */
static named *find_name(void *const *tree, const char *name)
{
    const named key = {.name = name};
    named **found = tfind(&key, tree, compare_names);

    return found != NULL ? *found : NULL;
}

/* The entry of that name, a new one where there is none. */
static named *add_name(parse *p, void **tree, const char *name)
{
    named *new = find_name(tree, name);

    if (new != NULL)
        return new;
    new = take(p->document, sizeof *new);
    new->name = keep(p->document, name);
    if (tsearch(new, tree, compare_names) == NULL)
        kiln_read_no_memory(p->document->reading);
    return new;
}

/* -- elements -- */

/* Other categories of units than these two measure nothing of a shape. */
static void read_unit(parse *p, const char **attributes, uint64_t line)
{
    const char *category = kiln_xml_value(attributes, "category");
    const char *factor = kiln_xml_value(attributes, "conversionFactor");
    const x3d_node at = {.type = "unit", .line = line};
    double value = 0;

    if (category == NULL || (strcmp(category, "length") != 0 && strcmp(category, "angle") != 0))
        return;
    if (factor == NULL || !kiln_token_number(factor, strlen(factor), &value) || !(value > 0) ||
        value > 1e12)
        kiln_x3d_fail(p->document, &at, KILN_BAKE_INVALID,
                      "its conversionFactor must be a number above 0 and up to 1e12, not \"%.40s\"",
                      factor != NULL ? factor : "");
    *(category[0] == 'l' ? &p->document->length : &p->document->angle) = value;
}

/* Has the parent room for a node of that kind? The schema says more, but what it forbids beside
 * this is read as it can only be meant, such as a transform within a part of CAD. */
static bool has_place(const x3d_node *parent, x3d_kind kind)
{
    switch (parent->kind) {
    case X3D_GROUP:
    case X3D_TRANSFORM:
    case X3D_SWITCH:
    case X3D_LOD:
        return kind <= X3D_SHAPE;
    case X3D_SHAPE:
        return kind == X3D_GEOMETRY || kind == X3D_APPEARANCE;
    case X3D_GEOMETRY:
        return kind == X3D_COORDINATE;
    default:
        return false;
    }
}

/* The declaration of a prototype is shown by its instances only; what an instance is, its first
 * node says (ISO/IEC 19775-1, 4.4.4). One that stands in another file may be anything. */
static void declare(parse *p, const char *type, const char **attributes)
{
    const char *name = kiln_xml_value(attributes, "name");

    p->prototype = add_name(p, &p->prototypes, name != NULL ? name : "");
    p->prototype->harmless = false;
    if (type[0] == 'E')
        p->prototype = NULL;
}

/* A field of a shape or of geometry holds one node: of a second, nothing says which counts. */
static void check_single(const parse *p, const x3d_node *node)
{
    if (p->at->kind != X3D_GEOMETRY && p->at->kind != X3D_SHAPE)
        return;
    for (size_t i = 0; i < p->at->child_count; i++)
        if (p->at->children[i].node->kind == node->kind)
            kiln_x3d_fail(p->document, node, KILN_BAKE_INVALID,
                          "a second one of its kind in <%.100s>, after line %llu; repair the file",
                          p->at->type, (unsigned long long)p->at->children[i].node->line);
}

/* The material of an appearance, by its name, stands for the appearance. That of back sides has a
 * field of its own, and none among the materials of faces. */
static void read_material(parse *p, const char *type, const char **attributes, uint64_t line)
{
    const x3d_node at = {.type = type, .line = line};
    const char *field = kiln_xml_value(attributes, "containerField");
    const char *def = kiln_xml_value(attributes, "DEF");

    KILN_ASSERT(p->at->kind == X3D_APPEARANCE);
    if (field != NULL && strcmp(field, "backMaterial") == 0)
        return;
    if (p->at->has_material)
        kiln_x3d_fail(p->document, &at, KILN_BAKE_INVALID,
                      "a second material of the <Appearance> of line %llu; repair the file",
                      (unsigned long long)p->at->line);
    p->at->has_material = true;
    def = def != NULL ? def : kiln_xml_value(attributes, "USE");
    if (def != NULL)
        p->at->material = keep(p->document, def);
}

/* Is that a field of colours, textures or data about the node, whatever its node is? */
static bool is_of_looks(const x3d_node *parent, const char *field)
{
    static const char *const looks[] = {"color",    "normal", "texCoord", "tangent",
                                        "fogCoord", "attrib", "fontStyle"};

    if (parent->kind == X3D_APPEARANCE || (field != NULL && strcmp(field, "metadata") == 0))
        return true;
    if (field == NULL)
        return false;
    if (parent->kind == X3D_SHAPE)
        return strcmp(field, "appearance") == 0;
    return parent->kind == X3D_GEOMETRY && is_one_of(looks, sizeof looks / sizeof looks[0], field);
}

/* Leaves out a node, and notices what is in it all the same: the shapes of rigid bodies, of a
 * script's fields or of what a sensor picks with. */
static void skip(parse *p, const char *type, uint64_t line)
{
    KILN_ASSERT(p->skipped == 0);
    (void)snprintf(p->left_type, sizeof p->left_type, "%s", type);
    p->left = (x3d_node){.type = p->left_type, .line = line};
    p->left_geometry = 0;
    p->skipped = 1;
}

/* A node that is kept: a new one, or one that has been before. What USE names is a child like any
 * other, and its fields count, not those beside USE. */
static void start_node(parse *p, const char *type, const char **attributes, uint64_t line)
{
    x3d_document *document = p->document;
    const char *def = kiln_xml_value(attributes, "DEF"), *use = kiln_xml_value(attributes, "USE");
    const char *field = kiln_xml_value(attributes, "containerField");
    x3d_node *node = new_node(document, type, line);

    if (node->kind == X3D_UNKNOWN)
        kiln_x3d_fail(document, node, KILN_BAKE_UNSUPPORTED,
                      "it is not read, and may have geometry; remove it, or convert the model to "
                      "another format");
    if (!has_place(p->at, node->kind))
        kiln_x3d_fail(document, node, KILN_BAKE_INVALID,
                      "it has no place in <%.100s>; repair the file", p->at->type);
    check_single(p, node);
    if (strcmp(p->at->type, "Collision") == 0 && field != NULL && strcmp(field, "proxy") == 0) {
        kiln_x3d_warn(document, node,
                      "the proxy of a <Collision> is left out; what is shown counts");
        if (def != NULL)
            (void)add_name(p, &p->names, def);
        p->skipped = 1;
        return;
    }
    /* Expat has seen the end of the node that is used, or it is open: then it would contain itself.
     */
    if (use != NULL) {
        const named *found = find_name(&p->names, use);

        if (found != NULL && found->node == NULL)
            kiln_x3d_fail(document, node, KILN_BAKE_UNSUPPORTED,
                          "USE of \"%.100s\", which stands in a part of the file that is not read; "
                          "give the node itself here",
                          use);
        if (found == NULL || found->node->open || strcmp(found->node->type, type) != 0)
            kiln_x3d_fail(document, node, KILN_BAKE_INVALID,
                          "USE of \"%.100s\", which is %s; repair the file", use,
                          found == NULL       ? "no node before it"
                          : found->node->open ? "around it"
                                              : "a node of another type");
        add_child(p, found->node);
        skip(p, type, line);
        return;
    }
    KILN_ASSERT(node->open && node->child_count == 0);
    keep_attributes(document, node, attributes);
    add_child(p, node);
    if (def != NULL) {
        named *name = add_name(p, &p->names, def);

        if (name->node != NULL)
            kiln_x3d_warn(document, node,
                          "the DEF \"%.100s\" is that of line %llu too; USE refers to the one "
                          "before it",
                          def, (unsigned long long)name->node->line);
        name->node = node;
        node->def = name->name;
    }
    *(x3d_node **)kiln_list_add(document->reading, &p->above, sizeof(x3d_node *)) = p->at;
    p->at = node;
}

/* Leaves out a node of a type without geometry. */
static void leave_out(parse *p, const char *type, const char **attributes, uint64_t line)
{
    const x3d_node at = {.type = type, .line = line};
    const char *enabled = kiln_xml_value(attributes, "enabled");

    /* These are not children that a switch counts. */
    if (strncmp(type, "Metadata", 8) != 0 && strcmp(type, "ROUTE") != 0 &&
        strcmp(type, "IMPORT") != 0 && strcmp(type, "EXPORT") != 0 && p->at->kind <= X3D_LOD)
        add_child(p, NULL);
    if (strcmp(type, "ClipPlane") == 0 && (enabled == NULL || strcmp(enabled, "false") != 0))
        kiln_x3d_warn(p->document, &at,
                      "it is not applied: what it cuts off is read; cut the shapes themselves");
    skip(p, type, line);
}

/* From the outside to the inside: what is left out, the root, the head and the scene, declarations,
 * and then the nodes of the scene. */
static void on_start(void *user, const char *type, const char **attributes, uint64_t line)
{
    parse *p = user;
    x3d_document *document = p->document;
    const x3d_node element = {.type = type, .line = line};
    x3d_kind kind;

    if (p->skipped > 0) {
        /* ProtoDeclare, ProtoBody, the first node. */
        if (p->skipped == 1)
            p->in_body = strcmp(type, "ProtoBody") == 0;
        if (p->skipped == 2 && p->in_body && p->prototype != NULL) {
            kind = kiln_x3d_kind(type);
            p->prototype->harmless = kind == X3D_HARMLESS || kind == X3D_APPEARANCE;
            p->prototype = NULL;
        }
        if (p->left.type != NULL && kiln_xml_value(attributes, "USE") == NULL) {
            kind = kiln_x3d_kind(type);
            p->left_geometry += kind == X3D_GEOMETRY || kind == X3D_INLINE;
        }
        /* Known by name only, for what USE says of it. */
        if (kiln_xml_value(attributes, "DEF") != NULL)
            (void)add_name(p, &p->names, kiln_xml_value(attributes, "DEF"));
        p->skipped++;
        return;
    }
    /* Around the scene: the root, and a head with units. */
    if (!p->in_x3d) {
        if (strcmp(type, "X3D") != 0)
            kiln_x3d_fail(document, &element, KILN_BAKE_INVALID,
                          "the file is not X3D; give its format (--format)");
        p->in_x3d = true;
        return;
    }
    if (p->at == NULL) {
        if (strcmp(type, "Scene") == 0 && document->scene == NULL) {
            document->scene = p->at = new_node(document, type, line);
            p->at->kind = X3D_GROUP;
            return;
        }
        if (p->in_head && strcmp(type, "unit") == 0)
            read_unit(p, attributes, line);
        if (strcmp(type, "head") == 0 || p->in_head) {
            p->skipped = strcmp(type, "head") != 0;
            p->in_head = true;
            return;
        }
        kiln_x3d_fail(document, &element, KILN_BAKE_INVALID,
                      "it has no place there; repair the file");
    }
    if (strcmp(type, "ProtoDeclare") == 0 || strcmp(type, "ExternProtoDeclare") == 0) {
        declare(p, type, attributes);
        p->skipped = 1;
        return;
    }
    kind = kiln_x3d_kind(type);
    if (strcmp(type, "ProtoInstance") == 0) {
        const char *name = kiln_xml_value(attributes, "name");
        const named *of = find_name(&p->prototypes, name != NULL ? name : "");

        if (!is_of_looks(p->at, kiln_xml_value(attributes, "containerField")) &&
            (of == NULL || !of->harmless))
            kiln_x3d_fail(document, &element, KILN_BAKE_UNSUPPORTED,
                          "an instance of the prototype \"%.100s\", which is not read and may have "
                          "geometry; export without prototypes",
                          name != NULL ? name : "");
        kind = X3D_HARMLESS;
    }
    if (p->at->kind == X3D_APPEARANCE && kind >= X3D_HARMLESS) {
        if (ends_in(type, "Material"))
            read_material(p, type, attributes, line);
        skip(p, type, line);
    } else if (kind == X3D_HARMLESS) {
        leave_out(p, type, attributes, line);
    } else {
        start_node(p, type, attributes, line);
    }
}

static void on_end(void *user, const char *type)
{
    parse *p = user;

    (void)type;
    if (p->skipped > 0) {
        if (--p->skipped > 0)
            return;
        p->prototype = NULL;
        if (p->left.type != NULL && p->left_geometry > 0)
            kiln_x3d_warn(p->document, &p->left, "%zu geometr%s in it, not shown: left out",
                          p->left_geometry, p->left_geometry == 1 ? "y is" : "ies are");
        p->left.type = NULL;
        return;
    }
    if (p->at == NULL) {
        p->in_head = false;
        return;
    }
    KILN_ASSERT(p->at->open && p->skipped == 0);
    p->at->open = false;
    p->at = p->above.count > 0 ? ((x3d_node **)p->above.items)[--p->above.count] : NULL;
}

/* Nodes have their values in attributes; text is of scripts, which are left out. */
static void on_text(void *user, const char *text, size_t length)
{
    parse *p = user;

    (void)kiln_xml_trimmed(text, &length);
    if (length == 0 || p->skipped > 0 || p->at == NULL || p->has_text)
        return;
    p->has_text = true;
    kiln_x3d_warn(p->document, p->at, "text in it, which X3D does not have there, is left out");
}

static void forget_nothing(void *name)
{
    (void)name; /* it is of the arena */
}

x3d_document *kiln_x3d_read(kiln_reading *reading, const kiln_model *model, const char *file)
{
    x3d_document *document = calloc(1, sizeof *document);
    kiln_reading own = *reading;
    parse p = {.document = document};
    const kiln_xml_handlers handlers = {
        .start = on_start, .end = on_end, .text = on_text, .user = &p, .file = file};
    char start[6] = "";

    if (document == NULL)
        kiln_read_no_memory(reading);
    document->reading = reading;
    document->file = file != NULL ? keep(document, file) : NULL;
    document->length = document->angle = 1;
    own.model = *model;
    (void)kiln_model_read(model, 0, start, sizeof start - 1);
    if (strncmp(start, "#X3D", 4) == 0 || strncmp(start, "#VRML", 5) == 0 ||
        strncmp(start, "\x1F\x8B", 2) == 0)
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "%.200s%sX3D that is %s; convert it to XML", file != NULL ? file : "",
                          file != NULL ? ": " : "",
                          start[0] == '#' ? "in the encoding of VRML" : "compressed by gzip");
    kiln_xml_read(&own, &handlers);
    tdestroy(p.names, forget_nothing);
    tdestroy(p.prototypes, forget_nothing);
    free(p.above.items);
    if (document->scene == NULL)
        kiln_send_failure(reading->sender, KILN_BAKE_INVALID, "%.200s%sthere is no <Scene>",
                          file != NULL ? file : "", file != NULL ? ": " : "");
    return document;
}

void kiln_x3d_free(x3d_document *document)
{
    kiln_arena_free(&document->arena);
    free(document);
}

/* -- fields -- */

/* Nodes have few fields: going through them is as fast as a table. */
const char *kiln_x3d_text(const x3d_node *node, const char *name)
{
    KILN_ASSERT(!node->open || node->attributes == NULL);
    for (size_t i = 0; node->attributes != NULL && node->attributes[i] != NULL; i += 2)
        if (strcmp(node->attributes[i], name) == 0)
            return node->attributes[i + 1];
    return NULL;
}

const char *kiln_x3d_word(const char **at, size_t *length)
{
    const char *word = *at + strspn(*at, ", \t\r\n");

    *length = strcspn(word, ", \t\r\n");
    *at = word + *length;
    return *length > 0 ? word : NULL;
}

static _Noreturn void fail_word(const x3d_document *document, const x3d_node *node,
                                const char *name, const char *what, const char *word, size_t length)
{
    kiln_x3d_fail(document, node, KILN_BAKE_INVALID, "%s must be %s, not \"%.*s\"", name, what,
                  (int)(length < 40 ? length : 40), word);
}

bool kiln_x3d_bool(const x3d_document *document, const x3d_node *node, const char *name,
                   bool otherwise)
{
    const char *text = kiln_x3d_text(node, name), *word;
    size_t length;

    if (text == NULL)
        return otherwise;
    word = kiln_x3d_word(&text, &length);
    if (word != NULL && kiln_token_is(word, length, "true"))
        return true;
    if (word == NULL || !kiln_token_is(word, length, "false"))
        fail_word(document, node, name, "true or false", word != NULL ? word : "", length);
    return false;
}

/* Reads a word into an item of a list. False: it is not what is wanted. */
typedef bool read_word(const char *word, size_t length, void *to);

static bool read_number(const char *word, size_t length, void *to)
{
    return kiln_token_number(word, length, to);
}

/* Decimal, or hexadecimal behind 0x (ISO/IEC 19776-1, SFInt32). */
static bool read_integer(const char *word, size_t length, void *to)
{
    int64_t *value = to;

    if (length < 3 || length > 10 || word[0] != '0' || (word[1] != 'x' && word[1] != 'X'))
        return kiln_token_integer(word, length, value);
    *value = 0;
    for (size_t i = 2; i < length; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = strchr(digits, tolower((unsigned char)word[i]));

        if (digit == NULL || *digit == '\0')
            return false;
        *value = 16 * *value + (digit - digits);
    }
    /* Of 32 bits, the highest one is the sign. */
    *value = (int32_t)(uint32_t)*value;
    return true;
}

/* All words of a field, each as an item of so many bytes. */
static void *load_words(const x3d_document *document, const x3d_node *node, const char *name,
                        read_word *read, const char *what, size_t size, size_t *count)
{
    const char *at = kiln_x3d_text(node, name), *word;
    kiln_list list = {0};
    size_t length;

    at = at != NULL ? at : "";
    while ((word = kiln_x3d_word(&at, &length)) != NULL)
        if (!read(word, length, kiln_list_add(document->reading, &list, size)))
            fail_word(document, node, name, what, word, length);
    *count = list.count;
    return list.items;
}

double *kiln_x3d_numbers(const x3d_document *document, const x3d_node *node, const char *name,
                         size_t *count)
{
    return load_words(document, node, name, read_number, "numbers", sizeof(double), count);
}

int64_t *kiln_x3d_integers(const x3d_document *document, const x3d_node *node, const char *name,
                           size_t *count)
{
    return load_words(document, node, name, read_integer, "whole numbers", sizeof(int64_t), count);
}

void kiln_x3d_values(const x3d_document *document, const x3d_node *node, const char *name,
                     double *values, size_t count)
{
    size_t given;
    double *numbers = kiln_x3d_numbers(document, node, name, &given);

    KILN_ASSERT(count > 0);
    if (given != count && kiln_x3d_text(node, name) != NULL)
        kiln_x3d_fail(document, node, KILN_BAKE_INVALID, "%s has %zu numbers, not %zu", name, given,
                      count);
    if (given == count)
        memcpy(values, numbers, count * sizeof *values);
    free(numbers);
}

int32_t kiln_x3d_integer(const x3d_document *document, const x3d_node *node, const char *name,
                         int32_t otherwise)
{
    size_t count;
    int64_t *numbers = kiln_x3d_integers(document, node, name, &count);
    const int64_t value = count == 1 ? numbers[0] : otherwise;

    free(numbers);
    if (count != 1 && kiln_x3d_text(node, name) != NULL)
        kiln_x3d_fail(document, node, KILN_BAKE_INVALID, "%s has %zu numbers, not 1", name, count);
    if (value < INT32_MIN || value > INT32_MAX)
        kiln_x3d_fail(document, node, KILN_BAKE_INVALID, "%s must be a number of 32 bits", name);
    return (int32_t)value;
}
