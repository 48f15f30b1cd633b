/* See demo_model.h. */
#define _POSIX_C_SOURCE 200809L
#include "demo_model.h"

#include "../../formats/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REAL_MODELS "/usr/share/assimp/models"

/* ---------------------------------------------------------------------------------- computed -- */

/* A field of hills, 225 x 225 posts, as PLY. */
static void write_hills(FILE *out)
{
    const int posts = 225;
    (void)fprintf(out,
                  "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
                  "property float z\nelement face %d\nproperty list uchar int vertex_indices\n"
                  "end_header\n",
                  posts * posts, 2 * (posts - 1) * (posts - 1));
    for (int j = 0; j < posts; j++) {
        for (int i = 0; i < posts; i++) {
            const double x = 0.1 * i - 11.2, y = 0.1 * j - 11.2;
            const double z = sin(0.9 * x) * cos(0.7 * y) + 0.3 * sin(2.3 * x + 1.7 * y) +
                             0.1 * cos(5.1 * y - 3.9 * x);
            (void)fprintf(out, "%.6f %.6f %.6f\n", x, y, z);
        }
    }
    for (int j = 0; j + 1 < posts; j++) {
        for (int i = 0; i + 1 < posts; i++) {
            const int a = j * posts + i;
            (void)fprintf(out, "3 %d %d %d\n3 %d %d %d\n", a, a + 1, a + posts + 1, a,
                          a + posts + 1, a + posts);
        }
    }
}

/* A point of the knot's curve. */
static void knot_at(double t, double p[3])
{
    const double r = 2 + cos(3 * t);
    p[0] = r * cos(2 * t);
    p[1] = r * sin(2 * t);
    p[2] = -sin(3 * t);
}

/* A point of the tube around it: across the curve, away from the z axis and along it. */
static void tube_at(double t, double u, double p[3])
{
    double ahead[3], along[3], side[3], length = 0, across = 0;
    knot_at(t, p);
    knot_at(t + 1e-4, ahead);
    for (int k = 0; k < 3; k++) {
        along[k] = ahead[k] - p[k];
        length += along[k] * along[k];
    }
    const double out[3] = {cos(2 * t), sin(2 * t), 0};
    for (int k = 0; k < 3; k++) {
        along[k] /= sqrt(length);
        across += along[k] * out[k];
    }
    for (int k = 0; k < 3; k++) {
        side[k] = out[k] - across * along[k];
    }
    const double norm = sqrt(side[0] * side[0] + side[1] * side[1] + side[2] * side[2]);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double third = (along[i] * side[j] - along[j] * side[i]) / norm;
        ahead[k] = 0.35 * (cos(u) * side[k] / norm + sin(u) * third);
    }
    for (int k = 0; k < 3; k++) {
        p[k] += ahead[k];
    }
}

/* A trefoil of rope, 640 x 25 quads, as OBJ. */
static void write_knot(FILE *out)
{
    const int rings = 640, sides = 25;
    const double turn = 6.283185307179586;
    for (int i = 0; i < rings; i++) {
        for (int j = 0; j < sides; j++) {
            double p[3];
            tube_at(turn * i / rings, turn * j / sides, p);
            (void)fprintf(out, "v %.6f %.6f %.6f\n", p[0], p[1], p[2]);
        }
    }
    for (int i = 0; i < rings; i++) {
        for (int j = 0; j < sides; j++) {
            const int ni = (i + 1) % rings, nj = (j + 1) % sides;
            (void)fprintf(out, "f %d %d %d %d\n", i * sides + j + 1, ni * sides + j + 1,
                          ni * sides + nj + 1, i * sides + nj + 1);
        }
    }
}

/* A chain of 60 linked rings: many parts, close to each other. */
static void write_chain(FILE *out)
{
    const int links = 60, rings = 24, sides = 10;
    const double turn = 6.283185307179586;
    for (int link = 0; link < links; link++) {
        (void)fprintf(out, "o link_%02d\n", link);
        for (int i = 0; i < rings; i++) {
            for (int j = 0; j < sides; j++) {
                const double u = turn * i / rings, v = turn * j / sides;
                const double x = (1 + 0.2 * cos(v)) * cos(u), y = (1 + 0.2 * cos(v)) * sin(u);
                const double z = 0.2 * sin(v), along = 1.3 * link - 0.65 * (links - 1);
                (void)fprintf(out, "v %.6f %.6f %.6f\n", x + along, link % 2 == 0 ? y : z,
                              link % 2 == 0 ? z : -y);
            }
        }
        for (int i = 0; i < rings; i++) {
            for (int j = 0; j < sides; j++) {
                const int ni = (i + 1) % rings, nj = (j + 1) % sides, first = link * rings * sides;
                (void)fprintf(out, "f %d %d %d %d\n", first + i * sides + j + 1,
                              first + ni * sides + j + 1, first + ni * sides + nj + 1,
                              first + i * sides + nj + 1);
            }
        }
    }
}

const demo_source demo_sources[] = {
    {"duck", "Collada/duck.dae", NULL, NULL},
    {"spider", "OBJ/spider.obj", NULL, NULL},
    {"wuson", "PLY/Wuson.ply", NULL, NULL},
    {"engine", "glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb", NULL, NULL},
    {"chain", NULL, write_chain, "obj"},
    {"knot", NULL, write_knot, "obj"},
    {"hills", NULL, write_hills, "ply"},
};
const int demo_source_count = sizeof demo_sources / sizeof demo_sources[0];

/* ------------------------------------------------------------------------------------ baking -- */

double demo_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void real_path(const demo_source *source, char path[DEMO_PATH_SIZE])
{
    (void)snprintf(path, DEMO_PATH_SIZE, REAL_MODELS "/%s", source->source);
}

bool demo_source_exists(const demo_source *source)
{
    char path[DEMO_PATH_SIZE];
    if (source->source == NULL) {
        return true;
    }
    real_path(source, path);
    return access(path, R_OK) == 0;
}

static bool complain(const char *path, const char *what)
{
    (void)fprintf(stderr, "demo: %s: %s\n", path, what);
    return false;
}

static bool find_or_write(const demo_source *source, const char *folder, char path[DEMO_PATH_SIZE])
{
    if (source->source != NULL) {
        real_path(source, path);
        return true;
    }
    (void)snprintf(path, DEMO_PATH_SIZE, "%s/%s.%s", folder, source->name, source->extension);
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return complain(path, "can't be written");
    }
    source->write(out);
    const bool bad = ferror(out) != 0;
    return (fclose(out) == 0 && !bad) || complain(path, "can't be written");
}

static bool bake(const char *model, const char *output, kiln_layout layout, int threads,
                 kiln_bake_report *report)
{
    const kiln_bake_input input = {model, NULL, 0, NULL};
    kiln_bake_options options = kiln_bake_options_default();
    options.layout = layout;
    options.threads = threads;
    if (kiln_bake(&input, output, &options, report) != KILN_BAKE_OK) {
        (void)fprintf(stderr, "demo: %s\n", report->error);
        return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------- geometry -- */

static bool copy_view(const kiln_view *view, mesh *out)
{
    out->vertex_count = view->vertex_count;
    out->triangle_count = view->triangle_count;
    out->positions = malloc(12 * (size_t)view->vertex_count);
    out->indices = malloc(12 * (size_t)view->triangle_count);
    if (out->positions == NULL || out->indices == NULL) {
        return false;
    }
    memcpy(out->positions, view->vertices, 12 * (size_t)view->vertex_count);
    for (uint32_t i = 0; i < view->triangle_count; i++) {
        memcpy(out->indices + 3 * (size_t)view->ids[i], view->triangles + 3 * (size_t)i, 12);
    }
    return true;
}

/* The stored triangles, without a look at the trees over them. */
static bool read_triangles(const char *path, mesh *out)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL || fseek(in, 0, SEEK_END) != 0) {
        return complain(path, "can't be read");
    }
    const size_t size = (size_t)ftell(in);
    void *data = malloc(size);
    rewind(in);
    const bool whole = data != NULL && fread(data, 1, size, in) == size;
    (void)fclose(in);
    kiln_reader reader;
    kiln_view view;
    kiln_format_error error;
    bool done = false;
    if (whole && kiln_reader_open(&reader, data, size, NULL, &error)) {
        done = kiln_view_open(&view, &reader, false, &error) && copy_view(&view, out);
        kiln_reader_close(&reader);
    }
    free(data);
    return done || complain(path, "can't be read");
}

static double radius_of(const kiln_tree *tree)
{
    const kiln_tree_info info = kiln_tree_get_info(tree);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double half = 0.5 * ((double)info.bounds_upper[k] - (double)info.bounds_lower[k]);
        sum += half * half;
    }
    return sqrt(sum);
}

bool demo_model_make(demo_model *model, const demo_source *source, const char *folder)
{
    char path[DEMO_PATH_SIZE];
    memset(model, 0, sizeof *model);
    model->source = source;
    (void)snprintf(model->packed_path, DEMO_PATH_SIZE, "%s/%s.kiln", folder, source->name);
    (void)snprintf(model->raw_path, DEMO_PATH_SIZE, "%s/%s.raw.kiln", folder, source->name);
    if (!find_or_write(source, folder, path)) {
        return false;
    }
    const double start = demo_seconds();
    if (!bake(path, model->packed_path, KILN_LAYOUT_PACKED, 0, &model->packed)) {
        return false;
    }
    model->seconds = demo_seconds() - start;
    if (!bake(path, model->raw_path, KILN_LAYOUT_RAW, 1, &model->raw)) {
        return false;
    }
    if (kiln_open(model->raw_path, NULL, &model->file) != KILN_OK) {
        return complain(model->raw_path, "can't be opened");
    }
    model->tree = kiln_file_tree(model->file, 0);
    model->radius = radius_of(model->tree);
    return read_triangles(model->raw_path, &model->triangles);
}

void demo_model_free(demo_model *model)
{
    kiln_close(model->file);
    mesh_free(&model->triangles);
    kiln_bake_report_free(&model->packed);
    kiln_bake_report_free(&model->raw);
}
