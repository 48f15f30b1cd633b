/* The real models that are measured, where they are installed: baked by libkilnbake and read back
 * from the sections of the file, so that every library gets the same triangles. A model that is not
 * installed is left out, and means are then over fewer meshes; the hash of answers says which run
 * it was. */
#include "models.h"

#include "../../formats/check.h"
#include "../../tools/kiln_bake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const model models[] = {
    {"spider", "OBJ/spider.obj"},
    {"wuson", "PLY/Wuson.ply"},
    {"duck", "Collada/duck.dae"},
    {"engine", "glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb"},
};
const unsigned model_count = sizeof models / sizeof models[0];

static void give_up(const char *path, const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", path, what);
    exit(2);
}

static void *copy_of(const void *from, size_t size)
{
    void *to = malloc(size);
    if (to == NULL) {
        abort();
    }
    return memcpy(to, from, size);
}

/* Through the view of the sections: kiln_tree_source searches for each triangle. */
static void read_back(const char *path, const void *data, size_t size, mesh *out)
{
    kiln_reader reader;
    kiln_reader_options options;
    kiln_view view;
    kiln_format_error error;
    memset(&options, 0, sizeof options);
    if (!kiln_reader_open(&reader, data, size, &options, &error) ||
        !kiln_view_open(&view, &reader, false, &error)) {
        give_up(path, "what was baked can't be opened");
    }
    out->vertex_count = view.vertex_count;
    out->triangle_count = view.triangle_count;
    out->positions = copy_of(view.vertices, 3 * sizeof(float) * view.vertex_count);
    out->indices = copy_of(view.triangles, 3 * sizeof(uint32_t) * view.triangle_count);
    kiln_reader_close(&reader);
}

bool model_load(const model *which, mesh *out)
{
    const char *folder = getenv("KILN_MODELS");
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "/usr/share/assimp/models",
                   which->path);
    if (access(path, R_OK) != 0) {
        return false;
    }
    kiln_bake_options options = kiln_bake_options_default();
    options.layout = KILN_LAYOUT_RAW;
    const kiln_bake_input input = {path, NULL, 0, NULL};
    kiln_bake_report report;
    void *data;
    size_t size;
    if (kiln_bake_to_memory(&input, &options, &data, &size, &report) != KILN_BAKE_OK) {
        give_up(path, report.error);
    }
    kiln_bake_report_free(&report);
    read_back(path, data, size, out);
    free(data);
    return true;
}
