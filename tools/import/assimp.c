/* All formats that Assimp reads and we don't. Nothing is asked of it but the raw scene: no step
 * that merges, cuts or sorts faces. */
#define _POSIX_C_SOURCE 200809L
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../common/memory.h"
#include "assimp_files.h"
#include "gltf.h"
#include "import.h"
#include "units.h"

static char version[48];
static pthread_once_t version_once = PTHREAD_ONCE_INIT;

static void write_version(void)
{
    snprintf(version, sizeof version, "%u.%u.%u", aiGetVersionMajor(), aiGetVersionMinor(),
             aiGetVersionPatch());
}

/* Part of the build key: threads that bake at once must not see it half written. */
const char *kiln_import_library_version(void)
{
    (void)pthread_once(&version_once, write_version);
    return version;
}

/* -- what Assimp says on its way -- */

typedef struct {
    kiln_reading *reading;
    char last[512]; /* warned of, so that repeats are told once */
    size_t warnings;
} listener;

static bool contains(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (; *text != '\0'; text++)
        if (strncasecmp(text, word, length) == 0)
            return true;
    return false;
}

static bool contains_any(const char *text, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (contains(text, words[i]))
            return true;
    return false;
}

/* Whether a message tells that geometry was lost. Messages on bones and on the version of a file
 * that is read all the same do not. */
static bool tells_of_loss(const char *message)
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

static void hear(const char *message, char *user)
{
    listener *l = (listener *)(void *)user;
    const char *text = strstr(message, ": ");
    char line[sizeof l->last];

    if (text == NULL || (strncmp(message, "Warn", 4) != 0 && strncmp(message, "Error", 5) != 0) ||
        !tells_of_loss(text))
        return;
    snprintf(line, sizeof line, "%s", text + 2);
    line[strcspn(line, "\r\n")] = '\0';
    if (contains(line, "faces had out-of-range indices"))
        l->reading->facts.bad_faces_lost++;
    else if (strcmp(line, l->last) != 0 && l->warnings++ < 100)
        kiln_send_warning(l->reading->sender, "the importer says: %s", line);
    strcpy(l->last, line);
}

/* -- the scene -- */

static void send_aistring(kiln_reading *reading, const struct aiString *text, uint32_t *offset)
{
    size_t most = text->length < sizeof text->data ? text->length : sizeof text->data;

    *offset = most > 0 ? kiln_send_string(reading->sender, text->data, most) : 0;
}

static void send_materials(kiln_reading *reading, const struct aiScene *scene)
{
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
}

/* Faces that Assimp has left out of a mesh stand among those that it gives. */
typedef struct {
    kiln_reading *reading;
    const kiln_gltf_face *lost; /* not yet sent, of this mesh and those behind it */
    size_t lost_count;
    uint32_t mesh, user;
    uint32_t record; /* of the next face */
    uint64_t sent;
} face_stream;

static void send_lost(face_stream *s)
{
    while (s->lost_count > 0 && s->lost->primitive == s->mesh && s->lost->face == s->record) {
        kiln_read_face(s->reading, s->lost->corners, 3, s->record++, s->user);
        s->sent++;
        s->lost++;
        s->lost_count--;
    }
}

/* Sends the faces of three corners and more. */
static void send_faces(face_stream *s, const struct aiMesh *mesh)
{
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];

        send_lost(s);
        kiln_read_face(s->reading, face->mIndices, face->mNumIndices, s->record++, s->user);
        s->sent += face->mNumIndices >= 3;
    }
    send_lost(s);
}

static bool is_gltf(const kiln_reading *reading)
{
    return strcmp(reading->format, "gltf") == 0 || strcmp(reading->format, "glb") == 0 ||
           strcmp(reading->format, "vrm") == 0;
}

static void send_mesh(face_stream *s, const struct aiScene *scene, unsigned index,
                      uint32_t primitive)
{
    const struct aiMesh *mesh = scene->mMeshes[index];
    kiln_reading *reading = s->reading;
    kiln_scene_mesh sent = {.primitive = primitive};

    if (mesh->mVertices != NULL) {
        sent.vertex_count = mesh->mNumVertices;
        kiln_send(reading->sender, KILN_ARRAY_POSITIONS, mesh->mVertices, mesh->mNumVertices);
    }
    s->mesh = index;
    s->user = mesh->mMaterialIndex < scene->mNumMaterials ? mesh->mMaterialIndex : 0;
    s->record = 0;
    s->sent = 0;
    send_faces(s, mesh);
    sent.face_count = s->sent;
    if (mesh->mNumFaces == 0) {
        reading->facts.empty_meshes++;
        kiln_send_warning(reading->sender, "mesh \"%.*s\" has no face", (int)mesh->mName.length,
                          mesh->mName.data);
    }
    send_aistring(reading, &mesh->mName, &sent.name);
    kiln_send(reading->sender, KILN_ARRAY_MESHES, &sent, 1);
}

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

static void push(walk *w, const struct aiNode *node, uint32_t parent)
{
    void *stack = w->stack;
    bool room = kiln_grow(&stack, &w->capacity, w->depth + 1, sizeof(pending));

    w->stack = stack;
    if (!room)
        kiln_read_no_memory(w->reading);
    w->stack[w->depth++] = (pending){node, parent};
}

/* A glTF node has one mesh, and Assimp makes a mesh of each of its primitives, in order. */
static void send_places(walk *w, const struct aiNode *node)
{
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        unsigned mesh = node->mMeshes[i];

        kiln_send_u32(w->reading->sender, KILN_ARRAY_PLACES, mesh);
        if (mesh >= w->scene->mNumMeshes)
            continue;
        w->placed[mesh] = true;
        if (is_gltf(w->reading))
            w->primitives[mesh] = i;
    }
}

static void send_node(walk *w, pending at)
{
    kiln_scene_node sent = {.parent = at.parent, .place_count = at.node->mNumMeshes};

    send_aistring(w->reading, &at.node->mName, &sent.name);
    memcpy(sent.matrix, &at.node->mTransformation, sizeof sent.matrix);
    kiln_send(w->reading->sender, KILN_ARRAY_NODES, &sent, 1);
    send_places(w, at.node);
    /* Some importers leave places of their lists of children empty. */
    for (unsigned i = at.node->mNumChildren; i-- > 0;)
        if (at.node->mChildren[i] != NULL)
            push(w, at.node->mChildren[i], w->sent);
    w->sent++;
}

static void warn_of_unplaced(walk *w)
{
    for (unsigned i = 0; i < w->scene->mNumMeshes; i++) {
        const struct aiMesh *mesh = w->scene->mMeshes[i];

        if (!w->placed[i] && mesh->mNumFaces > 0)
            kiln_send_warning(w->reading->sender,
                              "mesh \"%.*s\" is shown by no node: its %u faces are left out",
                              (int)mesh->mName.length, mesh->mName.data, mesh->mNumFaces);
    }
}

/* Assimp makes one mesh of each primitive, in order; where it did not, nothing is put back. */
static void send_meshes(walk *w)
{
    kiln_gltf_faces lost = {0};
    face_stream s = {.reading = w->reading};

    if (w->reading->facts.bad_faces_lost > 0 && kiln_gltf_find_bad(w->reading, &lost) &&
        lost.bad_count > 0 && lost.primitive_count == w->scene->mNumMeshes) {
        s.lost = lost.bad;
        s.lost_count = lost.bad_count;
        w->reading->facts.bad_faces_lost = 0;
    }
    for (unsigned i = 0; i < w->scene->mNumMeshes; i++)
        send_mesh(&s, w->scene, i, w->primitives[i]);
    kiln_gltf_free(&lost);
}

static void send_scene(kiln_reading *reading, const struct aiScene *scene)
{
    walk w = {.reading = reading, .scene = scene};

    w.primitives = calloc(scene->mNumMeshes + 1, sizeof *w.primitives);
    w.placed = calloc(scene->mNumMeshes + 1, sizeof *w.placed);
    if (w.primitives == NULL || w.placed == NULL)
        kiln_read_no_memory(reading);
    if (scene->mRootNode != NULL)
        push(&w, scene->mRootNode, KILN_SCENE_NONE);
    while (w.depth > 0)
        send_node(&w, w.stack[--w.depth]);
    warn_of_unplaced(&w);
    send_materials(reading, scene);
    send_meshes(&w);
    free(w.stack);
    free(w.primitives);
    free(w.placed);
}

/* -- the import -- */

static _Noreturn void fail_import(kiln_reading *reading)
{
    const char *why = aiGetErrorString();

    if (contains(why, "bad_alloc") || contains(why, "out of memory"))
        kiln_read_no_memory(reading);
    kiln_send_failure(reading->sender, KILN_BAKE_INVALID,
                      "the importer refuses it; %.900s; repair the file or convert it to another "
                      "format",
                      why[0] != '\0' ? why : "no reason given");
}

/* Assimp makes up meshes for bare skeletons unless told not to. */
static const struct aiScene *import(kiln_reading *reading)
{
    struct aiFileIO files = kiln_assimp_files(reading);
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    listener ears = {.reading = reading};
    struct aiLogStream log = {.callback = hear, .user = (char *)(void *)&ears};
    const struct aiScene *scene;

    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiAttachLogStream(&log);
    scene = aiImportFileExWithProperties(reading->name, 0, &files, settings);
    aiDetachLogStream(&log);
    aiReleasePropertyStore(settings);
    return scene;
}

void kiln_read_by_assimp(kiln_reading *reading)
{
    char extension[40];
    const struct aiScene *scene;

    if (strcmp(reading->format, "kiln") == 0)
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "a kiln file is baked already; give the model that it was made from");
    snprintf(extension, sizeof extension, ".%s", reading->format);
    if (!aiIsExtensionSupported(extension))
        kiln_send_failure(
            reading->sender, KILN_BAKE_UNSUPPORTED,
            "no reader for \"%s\" files; convert it to OBJ, PLY, STL, glTF or FBX, or "
            "name its format if the extension is misleading",
            reading->format);
    if (is_gltf(reading))
        kiln_gltf_check(reading);
    scene = import(reading);
    if (scene == NULL)
        fail_import(reading);
    reading->facts.exact = is_gltf(reading);
    kiln_find_units(reading, scene);
    send_scene(reading, scene);
}
