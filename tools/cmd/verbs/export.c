/* kiln export: the volumes of a tree and its mesh as a model that any viewer opens.
 *
 * The file is opened as by kiln info; a picture of one tree is made (tools/export/picture.h), and
 * one of three writers makes its bytes, by the end of the output's name. All of it is in memory
 * before the output is written aside and renamed. */
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/output.h"
#include "../kit/progress.h"
#include "../kit/report.h"
#include "contents.h"
#include "verbs.h"

#include "../../export/writers.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *output, *tree, *bv, *format;
    int level, colour, progress;
    bool leaves, mesh, json, quiet;
} export_settings;

#define FIELD(name) offsetof(export_settings, name)

static const option export_options[] = {
    {"output", 'o', OPTION_TEXT, "OUT", NULL, 0, 0, FIELD(output),
     "the file to write, .glb, .obj or .ply; '-' for standard output, with --format"},
    {"format", 0, OPTION_TEXT, "FORMAT", NULL, 0, 0, FIELD(format),
     "glb, obj or ply, whatever the name of the output is"},
    {"tree", 0, OPTION_TEXT, "NAME", NULL, 0, 0, FIELD(tree),
     "the tree, where the file has several"},
    {"bv", 0, OPTION_TEXT, "KIND", NULL, 0, 0, FIELD(bv),
     "its kind of volume, where the file has several (default: the first)"},
    {"level", 0, OPTION_INTEGER, "N", NULL, 0, KILN_TREE_DEPTH_MAX, FIELD(level),
     "only the volumes of this level; 0 is the box of the whole tree"},
    {"leaves", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(leaves), "only the volumes of leaves"},
    {"mesh", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(mesh),
     "the mesh; alone: no volumes (default: all levels and the mesh)"},
    {"colour", 0, OPTION_CHOICE, NULL, "level|cost", 0, 0, FIELD(colour),
     "colours of volumes: one a level, or from blue to red by what each adds to the cost of a "
     "query (default level)"},
    {"progress", 0, OPTION_CHOICE, NULL, "auto|bar|json|none", 0, 0, FIELD(progress),
     "how to show progress (default auto: a bar on a terminal)"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quiet), "print only errors"},
    OPTION_JSON(export_settings),
};

static bool is_export(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return kiln_export_is_own(bytes, size);
}

static const output_kind output_kind_export = {"file of kiln export", is_export};

/* By --format, or by the name of the output. */
static int choose_format(const export_settings *settings, const kiln_export_format **format)
{
    char name[16];
    if (settings->format != NULL) {
        (void)snprintf(name, sizeof name, "x.%.8s", settings->format);
        *format = kiln_export_format_of(name);
        return *format != NULL
                   ? EXIT_DONE
                   : report_usage("--format takes glb, obj or ply, not '%s'", settings->format);
    }
    if (strcmp(settings->output, "-") == 0) {
        return report_usage("-o - needs --format, glb, obj or ply");
    }
    *format = kiln_export_format_of(settings->output);
    return *format != NULL
               ? EXIT_DONE
               : report_error(EXIT_USAGE, settings->output,
                              "its name ends in no format of exports; let it end in .glb, .obj or "
                              ".ply (or give --format)");
}

/* As choose_tree does: trees of one name differ in kind only, and the first of them will do. */
static int find_tree(const contents *of, const export_settings *settings, uint32_t *index)
{
    const kiln_view *view = &of->view;
    const char *chosen = NULL;
    for (uint32_t i = 0; i < view->tree_count; i++) {
        const char *name = view->strings + view->trees[i].name;
        const char *bv = kiln_node_kind_find(view->trees[i].bv)->name;
        if ((settings->tree != NULL && strcmp(name, settings->tree) != 0) ||
            (settings->bv != NULL && strcmp(bv, settings->bv) != 0)) {
            continue;
        }
        if (chosen == NULL) {
            *index = i;
            chosen = name;
        } else if (strcmp(name, chosen) != 0) {
            return report_error(EXIT_USAGE, of->path,
                                "has several trees, '%s' and '%s' among them; choose one by --tree "
                                "(kiln info lists them)",
                                chosen, name);
        }
    }
    if (chosen == NULL) {
        return report_error(
            EXIT_USAGE, of->path, "has no tree%s%s%s%s; kiln info lists what it has",
            settings->tree != NULL ? " named " : "", settings->tree != NULL ? settings->tree : "",
            settings->bv != NULL ? " of kind " : "", settings->bv != NULL ? settings->bv : "");
    }
    return EXIT_DONE;
}

/* What of the tree is wanted, if it has that. */
static int choose(const contents *of, const export_settings *settings, uint32_t index,
                  kiln_picture_choice *choice)
{
    const bool some = settings->level >= 0 || settings->leaves || settings->mesh;
    const uint32_t depth = of->view.trees[index].depth;
    *choice = (kiln_picture_choice){.levels = !some,
                                    .level = settings->level,
                                    .leaves = settings->leaves,
                                    .mesh = settings->mesh || !some,
                                    .colour = (kiln_picture_colour)settings->colour};
    if (settings->level > (int)depth) {
        return report_error(EXIT_USAGE, of->path, "the tree has levels 0 to %u, and no level %d",
                            depth, settings->level);
    }
    if (settings->mesh && of->view.triangles == NULL) {
        return report_error(EXIT_INVALID, of->path, "was baked without polygons; leave --mesh out");
    }
    return EXIT_DONE;
}

static void describe(const contents *of, const export_settings *settings, uint32_t index,
                     const kiln_export_format *format, const kiln_picture *picture, size_t size)
{
    const kiln_format_tree *tree = &of->view.trees[index];
    json_t *root = report_root(), *levels = json_array();
    for (uint32_t i = 0; i < picture->level_count; i++) {
        if (picture->levels[i].volumes > 0) {
            json_t *level = json_object();
            json_object_set_new(level, "name", json_cstring(picture->levels[i].name));
            json_object_set_new(level, "volumes", json_count(picture->levels[i].volumes));
            json_object_set_new(level, "triangles", json_count(picture->levels[i].triangle_count));
            json_array_append_new(levels, level);
        }
    }
    json_object_set_new(root, "file", json_cstring(of->path));
    json_object_set_new(root, "output", json_cstring(settings->output));
    json_object_set_new(root, "format", json_cstring(format->suffix));
    json_object_set_new(root, "tree", json_cstring(of->view.strings + tree->name));
    json_object_set_new(root, "bv", json_cstring(kiln_node_kind_find(tree->bv)->name));
    json_object_set_new(root, "levels", levels);
    json_object_set_new(root, "mesh_triangles", json_count(picture->mesh_triangle_count));
    json_object_set_new(root, "bytes", json_count(size));
}

/* The tree is chosen; its picture, its bytes, and the file. */
static int export_tree(const contents *of, const export_settings *settings, uint32_t index,
                       const kiln_export_format *format)
{
    kiln_picture_choice choice;
    kiln_picture picture;
    kiln_bytes bytes = {0};
    progress bar;
    int status = choose(of, settings, index, &choice);
    if (status != EXIT_DONE) {
        return status;
    }
    progress_begin(&bar, settings->quiet ? PROGRESS_NONE : (progress_mode)settings->progress,
                   of->path);
    const bool made = kiln_picture_make(&of->view, index, &choice, progress_step, &bar, &picture);
    const char *refusal = made && picture.finite ? format->write(&picture, &bytes) : NULL;
    progress_end(&bar);
    if (!made || bytes.failed) {
        status = report_error(EXIT_RUN, of->path, "out of memory; export one level (--level)");
    } else if (!picture.finite) {
        status =
            report_error(EXIT_INVALID, of->path,
                         "has volumes that are not finite, as no bake writes them; kiln verify "
                         "says more; bake it again");
    } else if (refusal != NULL) {
        status = report_error(EXIT_RUN, of->path, "%s", refusal);
    } else {
        status = output_write(settings->output, &output_kind_export, bytes.data, bytes.size);
    }
    if (status == EXIT_DONE && report_is_json()) {
        describe(of, settings, index, format, &picture, bytes.size);
    }
    free(bytes.data);
    if (made) {
        kiln_picture_free(&picture);
    }
    return status;
}

static int run_export(int argc, char **argv)
{
    export_settings settings = {.level = -1};
    const kiln_export_format *format = NULL;
    contents of;
    uint32_t index = 0;
    int count;
    int status = options_parse(&verb_export, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.output == NULL) {
        return report_usage("-o OUT is missing");
    }
    if (settings.level >= 0 && settings.leaves) {
        return report_usage("--level and --leaves exclude each other");
    }
    if (strcmp(settings.output, "-") == 0) {
        report_to_stderr();
    }
    status = choose_format(&settings, &format);
    if (status == EXIT_DONE) {
        status = output_check_inputs(settings.output, &output_kind_export, argv, count);
    }
    if (status == EXIT_DONE) {
        status = contents_open(&of, argv[0]);
    }
    if (status != EXIT_DONE) {
        return status;
    }
    if (of.kind != CONTENTS_MODEL) {
        status = report_error(EXIT_INVALID, of.path, "has no tree; give a model that was baked");
    } else {
        status = find_tree(&of, &settings, &index);
        status = status == EXIT_DONE ? export_tree(&of, &settings, index, format) : status;
    }
    contents_close(&of);
    return status;
}

const verb verb_export = {
    "export",
    "FILE.kiln -o OUT",
    "write bounding volumes and the mesh as a model for any viewer",
    "Writes the volumes of a tree and the mesh itself as binary glTF 2.0 (.glb), Wavefront OBJ or "
    "binary PLY. Boxes are as the tree has them, oriented ones too; k-DOPs are polytopes, balls "
    "are balls of 80 triangles. Nothing is moved: coordinates are those of the model as it was "
    "baked. Nothing but the mesh is written for --mesh alone, and a bake of that gives the same "
    "triangles again, in the same order where each part has one material.\n\n"
    "glTF: a node for each level, with its name, and one for each part of the mesh, with the name "
    "of its node; volumes are blended. A primitive of the mesh is of one part and one user value; "
    "its extras name the value (user) and the accessor that has the ids of its triangles (ids). "
    "PLY: faces have the properties id and user; with volumes also level, which is -1 for the "
    "mesh, and then id is the number of the volume and user how many triangles it has. OBJ: an "
    "object for each level and part, with a material of the name of the level or of the user "
    "value.\n\n"
    "With --colour cost a volume's colour is by its surface times the tests that follow it, on a "
    "scale of logarithms from the least to the greatest of those that are exported.",
    export_options,
    COUNT_OF(export_options),
    1,
    1,
    run_export,
};
