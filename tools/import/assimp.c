/* The reader of all formats that Assimp reads and we don't (Open Asset Import Library, version 5,
 * by its C interface).
 *
 * Assimp gives the raw scene: it is given no step that merges, cuts or sorts faces, so a face's
 * number is its place in its mesh. Around that stand four parts, in this order:
 *
 * - The messages of Assimp on its way. Those that report lost geometry become warnings.
 *
 * - The files. Assimp reads the model and the files beside it through callbacks, which record each
 * file that it opens or looks for in vain.
 *
 * - Units and axes, which Assimp corrects for some formats, reports for others, and knows by the
 * specification for others.
 *
 * - The scene, which is sent node by node and mesh by mesh. */
#define _POSIX_C_SOURCE 200809L
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/assert.h"
#include "../common/memory.h"
#include "formats.h"
#include "rewrite.h"
#include "serve.h"
#include "xml.h"

enum {
    WARNINGS_OF_IMPORTER = 100, /* passed on at most */
};

static const char *version(void)
{
    static char text[48];

    snprintf(text, sizeof text, "%u.%u.%u", aiGetVersionMajor(), aiGetVersionMinor(),
             aiGetVersionPatch());
    return text;
}

/* -- messages -- */

typedef struct {
    kiln_reading *reading;
    char last[512]; /* the last warning, so that repeats are reported once */
    size_t warnings;
} listener;

/* Whether a text contains a word, whatever the case. */
static bool contains(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (; *text != '\0'; text++)
        if (strncasecmp(text, word, length) == 0)
            return true;
    return false;
}

/* Whether a text contains one of several words. */
static bool contains_any(const char *text, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (contains(text, words[i]))
            return true;
    return false;
}

/* Whether a message reports that geometry was lost. Messages on bones and on the version of a file
 * that is read all the same do not. */
static bool reports_loss(const char *message)
{
    static const char *const losses[] = {
        "drop",          "discard",      "reject",      "skip",    "ignor",
        "out of range",  "out-of-range", "invalid ind", "too few", "incomplete",
        "not supported", "unsupported",  "unable to",   "failed"};
    static const char *const geometry[] = {"face",    "mesh",      "vert",    "poly",
                                           "triang",  "primitive", "geometr", "index",
                                           "indices", "node",      "object"};
    static const char *const other[] = {"bone", "trying to read it", "source surface", "texture",
                                        "material"};

    return contains_any(message, losses, sizeof losses / sizeof losses[0]) &&
           contains_any(message, geometry, sizeof geometry / sizeof geometry[0]) &&
           !contains_any(message, other, sizeof other / sizeof other[0]);
}

/* Receives each message of Assimp; `user` is the listener. */
static void hear(const char *message, char *user)
{
    listener *l = (listener *)(void *)user;
    const char *text = strstr(message, ": ");
    char line[sizeof l->last];

    /* "Warn,  T0: text" or "Error, T0: text". */
    if (text == NULL || (strncmp(message, "Warn", 4) != 0 && strncmp(message, "Error", 5) != 0) ||
        !reports_loss(text))
        return;
    snprintf(line, sizeof line, "%s", text + 2);
    line[strcspn(line, "\r\n")] = '\0';
    if (contains(line, "faces had out-of-range indices"))
        l->reading->facts.bad_faces_lost++;
    else if (strcmp(line, l->last) != 0 && l->warnings++ < WARNINGS_OF_IMPORTER)
        kiln_send_warning(l->reading->sender, "the importer says: %s", line);
    strcpy(l->last, line);
}

/* -- files -- */

typedef struct {
    struct aiFile file;
    kiln_model bytes;
    uint64_t at;
    bool owned; /* the descriptor is ours to close */
} open_file;

/* The file that Assimp's handle stands for. */
static open_file *self(struct aiFile *file)
{
    KILN_ASSERT(file->UserData != NULL);
    return (open_file *)(void *)file->UserData;
}

/* As fread: whole elements. */
static size_t read_some(struct aiFile *file, char *to, size_t size, size_t count)
{
    open_file *f = self(file);
    size_t got;

    if (size == 0 || count > SIZE_MAX / size)
        return 0;
    got = kiln_model_read(&f->bytes, f->at, to, size * count);
    f->at += got;
    KILN_ASSERT(f->at <= f->bytes.size);
    return got / size;
}

/* Assimp only reads here, but its interface has to be whole. */
static size_t write_nothing(struct aiFile *file, const char *from, size_t size, size_t count)
{
    (void)file, (void)from, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file)
{
    return (size_t)self(file)->at;
}

static size_t size_of(struct aiFile *file)
{
    return (size_t)self(file)->bytes.size;
}

/* Never beyond the end. */
static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    open_file *f = self(file);
    uint64_t from = origin == aiOrigin_CUR ? f->at : origin == aiOrigin_END ? f->bytes.size : 0;
    uint64_t to = from + offset; /* Assimp goes back by offsets that wrap around */

    if (to > f->bytes.size)
        return aiReturn_FAILURE;
    f->at = to;
    return aiReturn_SUCCESS;
}

static void flush_nothing(struct aiFile *file)
{
    (void)file;
}

/* The model stays open: the reader needs it after the import. */
static void close_one(struct aiFileIO *files, struct aiFile *file)
{
    open_file *f;

    (void)files;
    if (file == NULL)
        return;
    f = self(file);
    if (f->owned)
        close(f->bytes.file);
    free(f);
}

/* Opens the model, wherever it is, or a regular file beside it for reading. A file beside it is
 * recorded at once: that it is there may count, even if it is not read. */
static struct aiFile *open_one(struct aiFileIO *files, const char *name, const char *mode)
{
    kiln_reading *reading = (kiln_reading *)(void *)files->UserData;
    struct stat status, model;
    open_file *f;

    KILN_ASSERT(reading != NULL);
    if (strchr(mode, 'w') != NULL || strchr(mode, 'a') != NULL)
        return NULL;
    f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    if (strcmp(name, reading->name) == 0) {
        f->bytes = reading->model;
    } else {
        f->bytes.file = kiln_read_open(reading, name);
        f->owned = true;
        if (f->bytes.file < 0 || fstat(f->bytes.file, &status) != 0 || !S_ISREG(status.st_mode)) {
            if (f->bytes.file >= 0)
                close(f->bytes.file);
            kiln_read_absent_file(reading, name);
            free(f);
            return NULL;
        }
        f->bytes.size = (uint64_t)status.st_size;
        /* Assimp may name the model in another way. */
        if (reading->model.file < 0 || fstat(reading->model.file, &model) != 0 ||
            model.st_dev != status.st_dev || model.st_ino != status.st_ino)
            kiln_read_side_file(reading, name);
    }
    f->file = (struct aiFile){.ReadProc = read_some,
                              .WriteProc = write_nothing,
                              .TellProc = tell,
                              .FileSizeProc = size_of,
                              .SeekProc = seek,
                              .FlushProc = flush_nothing,
                              .UserData = (aiUserData)(void *)f};
    return &f->file;
}

/* -- units and axes -- */

/* A number among the facts that Assimp gives about a scene or a node. */
static bool fact_of(const struct aiMetadata *facts, const char *key, double *value)
{
    unsigned i = 0;

    while (facts != NULL && i < facts->mNumProperties && strcmp(facts->mKeys[i].data, key) != 0)
        i++;
    if (facts == NULL || i == facts->mNumProperties)
        return false;
    switch (facts->mValues[i].mType) {
    case AI_INT32:
        *value = (double)*(const int32_t *)facts->mValues[i].mData;
        return true;
    case AI_FLOAT:
        *value = (double)*(const float *)facts->mValues[i].mData;
        return true;
    case AI_DOUBLE:
        *value = *(const double *)facts->mValues[i].mData;
        return true;
    default:
        return false;
    }
}

/* glTF 1.0 is Assimp's; glTF 2.0 is read by it only as a second opinion. */
static bool is_gltf(const kiln_reading *reading)
{
    return strcmp(reading->format, "gltf") == 0 || strcmp(reading->format, "glb") == 0 ||
           strcmp(reading->format, "vrm") == 0;
}

/* Fills the unit and the up axis of reading->facts. Found by trying Assimp 5.2.5: Collada's unit
 * and axis it applies itself, at the root, and does not report; FBX's it only reports, the unit in
 * centimetres; glTF has one unit and one axis; DXF is rotated from z to y. */
static void find_units(kiln_reading *reading, const struct aiScene *scene)
{
    kiln_scene_facts *facts = &reading->facts;
    double value;

    if (is_gltf(reading)) {
        facts->unit = 1;
        facts->up_declared = 1;
    } else if (strcmp(reading->format, "fbx") == 0) {
        if (fact_of(scene->mMetaData, "UnitScaleFactor", &value) && value > 0 && value < 1e12)
            facts->unit = facts->unit_factor = value / 100;
        if (fact_of(scene->mMetaData, "UpAxis", &value) && value >= 0 && value <= 2)
            facts->up_declared = facts->up_now = (int32_t)value;
    } else if (strcmp(reading->format, "dxf") == 0) {
        facts->up_declared = 2;
        kiln_send_warning(reading->sender, "the importer rotates what DXF has along z to y; --up z "
                                           "rotates it back");
    }
    KILN_ASSERT(facts->up_declared >= -1 && facts->up_declared < 3 && facts->up_now >= 0);
}

/* -- the scene -- */

/* Assimp's strings have a length that nothing guarantees. */
static void send_aistring(kiln_reading *reading, const struct aiString *text, uint32_t *offset)
{
    size_t most = text->length < sizeof text->data ? text->length : sizeof text->data;

    *offset = most > 0 ? kiln_send_string(reading->sender, text->data, most) : 0;
}

/* The faces of a mesh on their way. */
typedef struct {
    kiln_reading *reading;
    uint32_t user;
    uint32_t record; /* of the next face */
    uint64_t sent;
} face_stream;

/* Refuses a mesh that has memory which Assimp never set. What the programs' allocator fills
 * (main_memory.c) is a NaN that no file has but by its very bits, and arithmetic leaves it so. */
static void check_set(kiln_reading *reading, const struct aiMesh *mesh)
{
    uint32_t bits[3], unset;

    _Static_assert(sizeof bits == sizeof mesh->mVertices[0], "a vertex is three floats");
    memset(&unset, KILN_FILL_BYTE, sizeof unset);
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        memcpy(bits, &mesh->mVertices[i], sizeof bits);
        if (bits[0] == unset || bits[1] == unset || bits[2] == unset)
            kiln_send_failure(
                reading->sender, KILN_BAKE_INVALID,
                "mesh \"%.*s\": the importer has left vertex %u unset; either the file has less "
                "data than it declares, or the importer does not know what it uses; complete it, "
                "or convert it to another format",
                (int)mesh->mName.length, mesh->mName.data, i);
    }
}

/* Sends a mesh. */
static void send_mesh(face_stream *s, const struct aiScene *scene, unsigned index,
                      uint32_t primitive)
{
    const struct aiMesh *mesh = scene->mMeshes[index];
    kiln_reading *reading = s->reading;
    kiln_scene_mesh sent = {.primitive = primitive};

    KILN_ASSERT(index < scene->mNumMeshes);
    if (mesh->mVertices != NULL) {
        check_set(reading, mesh);
        sent.vertex_count = mesh->mNumVertices;
        kiln_send(reading->sender, KILN_ARRAY_POSITIONS, mesh->mVertices, mesh->mNumVertices);
    }
    /* Materials beyond the list are taken for the first. */
    s->user = mesh->mMaterialIndex < scene->mNumMaterials ? mesh->mMaterialIndex : 0;
    s->record = 0;
    s->sent = 0;
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];

        /* A mesh without a polygon has lines, of any number of corners, and points. */
        if (mesh->mPrimitiveTypes != 0 && face->mNumIndices > 2 &&
            (mesh->mPrimitiveTypes & (aiPrimitiveType_TRIANGLE | aiPrimitiveType_POLYGON)) == 0) {
            reading->facts.lines += face->mNumIndices - 1;
            s->record++;
            continue;
        }
        kiln_read_face(s->reading, face->mIndices, face->mNumIndices, s->record++, s->user);
        s->sent += face->mNumIndices >= 3;
    }
    sent.face_count = s->sent;
    /* An empty mesh may be a mistake of the exporter. */
    if (mesh->mNumFaces == 0) {
        reading->facts.empty_meshes++;
        kiln_send_warning(reading->sender, "mesh \"%.*s\" has no face", (int)mesh->mName.length,
                          mesh->mName.data);
    }
    send_aistring(reading, &mesh->mName, &sent.name);
    kiln_send(reading->sender, KILN_ARRAY_MESHES, &sent, 1);
}

/* -- poses -- */

static struct aiMatrix4x4 to_root(const struct aiNode *node)
{
    struct aiMatrix4x4 matrix = node->mTransformation;

    for (node = node->mParent; node != NULL; node = node->mParent) {
        struct aiMatrix4x4 above = node->mTransformation;

        aiMultiplyMatrix4(&above, &matrix);
        matrix = above;
    }
    return matrix;
}

/* The node of that name, at or below `node`; NULL: there is none. Without recursion, since a scene
 * may be deeper than the stack of the process. */
static const struct aiNode *node_of(const struct aiNode *root, const struct aiString *name)
{
    const struct aiNode *at = root;

    while (at != NULL && strcmp(at->mName.data, name->data) != 0) {
        const struct aiNode *next = at->mNumChildren > 0 ? at->mChildren[0] : NULL;

        while (next == NULL && at != root && at->mParent != NULL) {
            const struct aiNode *parent = at->mParent;
            unsigned i = 0;

            while (i < parent->mNumChildren && parent->mChildren[i] != at)
                i++;
            next = i + 1 < parent->mNumChildren ? parent->mChildren[i + 1] : NULL;
            at = parent;
        }
        at = next;
    }
    return at;
}

/* Do all bones leave a mesh where its node has it, as in the pose in which it was bound? */
static bool is_as_bound(const struct aiScene *scene, const struct aiMesh *mesh,
                        const struct aiNode *place)
{
    const struct aiMatrix4x4 still = to_root(place);

    for (unsigned i = 0; i < mesh->mNumBones; i++) {
        const struct aiBone *bone = mesh->mBones[i];
        const struct aiNode *node = node_of(scene->mRootNode, &bone->mName);
        struct aiMatrix4x4 posed;
        float a[16], b[16], size = 0, moved = 0;

        if (bone->mNumWeights == 0)
            continue;
        if (node == NULL)
            return false;
        posed = to_root(node);
        aiMultiplyMatrix4(&posed, &bone->mOffsetMatrix);
        memcpy(a, &posed, sizeof a);
        memcpy(b, &still, sizeof b);
        for (int k = 0; k < 12; k++) {
            size = fmaxf(size, fmaxf(fabsf(a[k]), fabsf(b[k])));
            moved = fmaxf(moved, fabsf(a[k] - b[k]));
        }
        /* Products of floats of several matrices agree to four digits or so. */
        if (!(moved <= 1e-3f * size))
            return false;
    }
    return true;
}

/* Warns of what would give a mesh of this node another shape and is left out. */
static void warn_of_pose(kiln_reading *reading, const struct aiScene *scene,
                         const struct aiNode *node, unsigned index)
{
    const struct aiMesh *mesh = scene->mMeshes[index];

    if (mesh->mNumAnimMeshes > 0)
        kiln_send_warning(reading->sender,
                          "mesh \"%.*s\" has blend shapes (%u), which are left out; where one is "
                          "applied, export the mesh with it applied",
                          (int)mesh->mName.length, mesh->mName.data, mesh->mNumAnimMeshes);
    if (mesh->mNumBones > 0 && !is_as_bound(scene, mesh, node))
        kiln_send_warning(reading->sender,
                          "mesh \"%.*s\" is skinned, and its bones are in another pose than when "
                          "it was bound; the pose is left out; export the mesh with it applied",
                          (int)mesh->mName.length, mesh->mName.data);
}

/* -- nodes -- */

typedef struct {
    const struct aiNode *node;
    uint32_t parent;
} pending;

typedef struct {
    kiln_reading *reading;
    const struct aiScene *scene;
    pending *stack;
    size_t depth, capacity;
    uint32_t *primitives; /* of each mesh */
    bool *placed;         /* of each mesh */
    uint32_t sent;        /* nodes so far */
} walk;

/* Puts a node on the stack of those to be sent. */
static void push(walk *w, const struct aiNode *node, uint32_t parent)
{
    void *stack = w->stack;
    bool room = kiln_grow(&stack, &w->capacity, w->depth + 1, sizeof(pending));

    w->stack = stack;
    if (!room)
        kiln_read_no_memory(w->reading);
    w->stack[w->depth++] = (pending){node, parent};
}

/* Sends a node, notes which meshes it shows, and puts its children on the stack. */
static void send_node(walk *w, pending at)
{
    kiln_scene_node sent = {.parent = at.parent, .place_count = at.node->mNumMeshes};
    float matrix[16];

    KILN_ASSERT(at.parent == KILN_SCENE_NONE || at.parent < w->sent);
    send_aistring(w->reading, &at.node->mName, &sent.name);
    memcpy(matrix, &at.node->mTransformation, sizeof matrix);
    for (int i = 0; i < 16; i++)
        sent.matrix[i] = (double)matrix[i];
    kiln_send(w->reading->sender, KILN_ARRAY_NODES, &sent, 1);
    /* A glTF node has one mesh, and Assimp makes a mesh of each of its primitives, in order. */
    for (unsigned i = 0; i < at.node->mNumMeshes; i++) {
        unsigned mesh = at.node->mMeshes[i];

        kiln_send_u32(w->reading->sender, KILN_ARRAY_PLACES, mesh);
        if (mesh >= w->scene->mNumMeshes)
            continue;
        if (!w->placed[mesh])
            warn_of_pose(w->reading, w->scene, at.node, mesh);
        w->placed[mesh] = true;
        if (is_gltf(w->reading))
            w->primitives[mesh] = i;
    }
    /* Some importers leave entries of their lists of children empty. */
    for (unsigned i = at.node->mNumChildren; i-- > 0;)
        if (at.node->mChildren[i] != NULL)
            push(w, at.node->mChildren[i], w->sent);
    w->sent++;
}

/* Sends nodes, materials and meshes. Nodes go depth-first by a stack of their own: a scene may be
 * deeper than the process's. */
static void send_scene(kiln_reading *reading, const struct aiScene *scene)
{
    walk w = {.reading = reading, .scene = scene};
    face_stream s = {.reading = reading};

    w.primitives = calloc(scene->mNumMeshes + 1, sizeof *w.primitives);
    w.placed = calloc(scene->mNumMeshes + 1, sizeof *w.placed);
    if (w.primitives == NULL || w.placed == NULL)
        kiln_read_no_memory(reading);
    if (scene->mRootNode != NULL)
        push(&w, scene->mRootNode, KILN_SCENE_NONE);
    while (w.depth > 0)
        send_node(&w, w.stack[--w.depth]);
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        const struct aiMesh *mesh = scene->mMeshes[i];

        if (!w.placed[i] && mesh->mNumFaces > 0)
            kiln_send_warning(reading->sender,
                              "mesh \"%.*s\" is shown by no node: its %u faces are left out",
                              (int)mesh->mName.length, mesh->mName.data, mesh->mNumFaces);
    }

    for (unsigned i = 0; i < scene->mNumMaterials; i++) {
        struct aiString name = {.length = 0};
        uint32_t offset;

        if (aiGetMaterialString(scene->mMaterials[i], AI_MATKEY_NAME, &name) != aiReturn_SUCCESS)
            name.length = 0;
        send_aistring(reading, &name, &offset);
        kiln_send_u32(reading->sender, KILN_ARRAY_MATERIALS, offset);
    }
    if (scene->mNumMaterials == 0)
        kiln_send_u32(reading->sender, KILN_ARRAY_MATERIALS, 0);

    for (unsigned i = 0; i < scene->mNumMeshes; i++)
        send_mesh(&s, scene, i, w.primitives[i]);
    free(w.stack);
    free(w.primitives);
    free(w.placed);
}

/* Ends the work with what Assimp gave as its reason. Assimp reads a part of most formats only: a
 * file that it refuses need not be broken. */
static _Noreturn void refuse(kiln_reading *reading, const char *why)
{
    static const struct {
        const char *reason, *message;
    } of_versions[] = {
        {"Did not find a field named",
         "a file of another version of Blender than the importer reads; export it as glTF"},
    };

    for (size_t i = 0; i < sizeof of_versions / sizeof of_versions[0]; i++)
        if (contains(why, of_versions[i].reason))
            kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED, "%s (%.500s)",
                              of_versions[i].message, why);
    kiln_send_failure(reading->sender, KILN_BAKE_INVALID,
                      "the importer refuses it; %.900s; where another program opens it, convert it "
                      "to glTF, OBJ, PLY or STL; else it is broken",
                      why);
}

static void read_by_assimp(kiln_reading *reading)
{
    /* What is looked at before Assimp reads it. */
    static const struct {
        const char *format;
        void (*look)(kiln_reading *reading);
    } looks[] = {{"x3d", kiln_look_at_x3d},
                 {"amf", kiln_look_at_amf},
                 {"x", kiln_rewrite_x},
                 {"dxf", kiln_rewrite_dxf}};
    struct aiFileIO files = {
        .OpenProc = open_one, .CloseProc = close_one, .UserData = (aiUserData)(void *)reading};
    listener ears = {.reading = reading};
    struct aiLogStream log = {.callback = hear, .user = (char *)(void *)&ears};
    struct aiPropertyStore *settings;
    const struct aiScene *scene;
    const char *why;
    char extension[40];

    if (strcmp(reading->format, "kiln") == 0)
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "a kiln file is baked already; give the model that it was made from");
    snprintf(extension, sizeof extension, ".%s", reading->format);
    /* Assimp itself would try every reader that it has on an unknown file. */
    if (!aiIsExtensionSupported(extension))
        kiln_send_failure(
            reading->sender, KILN_BAKE_UNSUPPORTED,
            "no reader for \"%s\" files; convert it to OBJ, PLY, STL, glTF or FBX, or "
            "name its format if the extension is misleading",
            reading->format);
    kiln_send_warning(reading->sender,
                      "\"%s\" files%s are read by Assimp, unchecked; compare the result with the "
                      "model, or convert it to glTF, OBJ, PLY or STL",
                      reading->format, is_gltf(reading) ? ", such as all of glTF 1.0," : "");

    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++)
        if (strcmp(reading->format, looks[i].format) == 0)
            looks[i].look(reading);

    /* Without this setting Assimp invents meshes for bare skeletons. */
    settings = aiCreatePropertyStore();
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiAttachLogStream(&log);
    scene = aiImportFileExWithProperties(reading->name, 0, &files, settings);
    aiDetachLogStream(&log);
    aiReleasePropertyStore(settings);
    if (scene == NULL) {
        why = aiGetErrorString();
        if (contains(why, "bad_alloc") || contains(why, "out of memory"))
            kiln_read_no_memory(reading);
        refuse(reading, why[0] != '\0' ? why : "no reason given");
    }
    reading->facts.exact = is_gltf(reading);
    find_units(reading, scene);
    send_scene(reading, scene);
}

static const kiln_reader_row rows[] = {{NULL, read_by_assimp}, {NULL, NULL}};

const kiln_importer kiln_importer_assimp = {
    .name = "kiln-import-assimp", .rows = rows, .library = version, .library_name = "assimp"};
