/* kiln-bench axes-plot: Figure 3 of Coming and Staadt 2004, from axis sets.
 *
 * For each set a sphere with its axes as points, two for each axis; the zones of two velocities;
 * and which axes each velocity uses and which both, by the runtime's own call, so that the picture
 * shows what a broad phase would get. It is drawn as seen from afar, what is behind the sphere
 * faintly. */
#define _POSIX_C_SOURCE 200809L

#include "outputs.h"
#include "verbs.h"

#include "../../../tools/cmd/kit/files.h"
#include "../../../tools/cmd/kit/options.h"
#include "../../../tools/cmd/kit/report.h"

#include "../../../runtime/kiln_axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *output, *csv, *a, *b;
    bool json;
} axes_plot_settings;

static const option axes_plot_options[] = {
    OPTION_PLOT(axes_plot_settings),
    {"velocity-a", 0, OPTION_TEXT, "X,Y,Z", NULL, 0, 0, offsetof(axes_plot_settings, a),
     "velocity of the first object (default 1,0.3,-0.2)"},
    {"velocity-b", 0, OPTION_TEXT, "X,Y,Z", NULL, 0, 0, offsetof(axes_plot_settings, b),
     "velocity of the second object (default 0.2,0.5,1)"},
    OPTION_JSON(axes_plot_settings),
};

enum { FILES_MOST = 4 };

/* Right, up and towards the viewer. */
static const double view[3][3] = {
    {0.832050, 0.554700, 0.0}, {-0.248069, 0.372104, 0.894427}, {0.496139, -0.744208, 0.447214}};

typedef struct {
    double x, y, near; /* near > 0: in front */
} seen;

static seen project(const double p[3])
{
    double of[3];
    for (unsigned i = 0; i < 3; i++) {
        of[i] = view[i][0] * p[0] + view[i][1] * p[1] + view[i][2] * p[2];
    }
    return (seen){of[0], of[1], of[2]};
}

/* Two directions that are perpendicular to v and to each other. */
static void frame_of(const double v[3], double e[3], double f[3])
{
    const unsigned least = fabs(v[0]) < fabs(v[1]) ? (fabs(v[0]) < fabs(v[2]) ? 0 : 2)
                                                   : (fabs(v[1]) < fabs(v[2]) ? 1 : 2);
    double other[3] = {0, 0, 0}, size = 0;
    other[least] = 1;
    for (unsigned j = 0; j < 3; j++) {
        e[j] = v[(j + 1) % 3] * other[(j + 2) % 3] - v[(j + 2) % 3] * other[(j + 1) % 3];
        size += e[j] * e[j];
    }
    for (unsigned j = 0; j < 3; j++) {
        e[j] /= sqrt(size);
    }
    for (unsigned j = 0; j < 3; j++) {
        f[j] = v[(j + 1) % 3] * e[(j + 2) % 3] - v[(j + 2) % 3] * e[(j + 1) % 3];
    }
}

enum { ROUND = 240 };

/* Where a turn about v crosses the band of directions within phi of the plane across v, in front:
 * the lower and the upper end. How near a direction is, is A cos up + B sin up, so that what lies
 * in front is one piece. False: nothing does. */
static bool cross_zone(const double v[3], const double e[3], const double f[3], double phi,
                       double turn, seen ends[2])
{
    enum { STEPS = 64 };
    bool any = false;
    for (int k = 0; k <= STEPS; k++) {
        const double up = phi * (2.0 * k / STEPS - 1);
        double p[3];
        for (unsigned j = 0; j < 3; j++) {
            p[j] = cos(up) * (cos(turn) * e[j] + sin(turn) * f[j]) + sin(up) * v[j];
        }
        const seen at = project(p);
        if (at.near > 0) {
            ends[0] = any ? ends[0] : at;
            ends[1] = at;
            any = true;
        }
    }
    return any;
}

/* One polygon from the upper ends and, back again, the lower ones. */
static void add_band(figure *drawn, const seen lower[], const seen upper[], unsigned count,
                     const char *method)
{
    figure_point points[2 * (ROUND + 1)];
    for (unsigned i = 0; i < count; i++) {
        points[i] = figure_at(upper[i].x, upper[i].y);
        points[2 * count - 1 - i] = figure_at(lower[i].x, lower[i].y);
    }
    figure_add_curve(drawn, FIGURE_AREA, NULL, method, points, 2 * (size_t)count);
}

/* The part in front of a zone, from a turn that is hidden on: where none is, all around. */
static void draw_zone(figure *drawn, const double v[3], double phi, const char *method)
{
    const double step = 2 * acos(-1.0) / ROUND;
    double e[3], f[3];
    seen lower[ROUND + 1], upper[ROUND + 1], ends[2];
    unsigned first = 0, count = 0;
    frame_of(v, e, f);
    while (first < ROUND && cross_zone(v, e, f, phi, first * step, ends)) {
        first++;
    }
    for (unsigned i = 0; i <= ROUND; i++) {
        const bool is_seen = cross_zone(v, e, f, phi, (first + i) * step, ends);
        if (is_seen) {
            lower[count] = ends[0];
            upper[count++] = ends[1];
        }
        if ((!is_seen || i == ROUND) && count > 1) {
            add_band(drawn, lower, upper, count, method);
        }
        count = is_seen ? count : 0;
    }
}

/* What a panel shows. */
typedef struct {
    const char *path;
    kiln_axes *axes;
    kiln_axes_info info;
    uint64_t *masks[2];
    uint32_t counts[2], both;
    double phi;
} axes_panel;

static bool mask_has(const uint64_t *mask, uint32_t axis)
{
    return (mask[axis / 64] >> axis % 64 & 1) != 0;
}

static const char *const methods[4] = {"neither velocity", "first velocity", "second velocity",
                                       "both velocities"};

/* The axes that the two objects use in one way, two points each: those in front, with their number
 * in the legend, or those behind, faintly. */
static void draw_axes(figure *drawn, const axes_panel *of, unsigned use, bool is_front)
{
    figure_point *points = malloc(2 * (of->info.count + (size_t)1) * sizeof *points);
    size_t count = 0, all = 0;
    char name[64];
    if (points == NULL) {
        drawn->failed = true;
        return;
    }
    for (uint32_t i = 0; i < of->info.count; i++) {
        const unsigned used = mask_has(of->masks[0], i) + 2U * mask_has(of->masks[1], i);
        all += used == use;
        for (int sign = -1; sign <= 1 && used == use; sign += 2) {
            const double *axis = of->info.axes[i];
            const double p[3] = {sign * axis[0], sign * axis[1], sign * axis[2]};
            const seen at = project(p);
            if ((at.near > 0) == is_front) {
                points[count++] = figure_at(at.x, at.y);
            }
        }
    }
    (void)snprintf(name, sizeof name, "%s: %zu axes", methods[use], all);
    figure_add_curve(drawn, FIGURE_POINTS, is_front ? name : NULL, methods[use], points, count);
    figure_set_width(drawn,
                     (use == 3 ? 1.4 : 1) * fmax(0.35, fmin(1.3, 10 / sqrt(of->info.count))));
    if (!is_front) {
        figure_set_faint(drawn);
    }
    free(points);
}

static void draw_sphere(figure *drawn)
{
    figure_point points[ROUND + 1];
    for (int i = 0; i <= ROUND; i++) {
        const double turn = 2 * acos(-1.0) * i / ROUND;
        points[i] = figure_at(cos(turn), sin(turn));
    }
    figure_add_curve(drawn, FIGURE_OUTLINE, NULL, "neither velocity", points, ROUND + 1);
}

/* A line from the sphere along a velocity, faint where that points away. */
static void draw_velocity(figure *drawn, const double v[3], const char *method)
{
    const double tip[3] = {1.18 * v[0], 1.18 * v[1], 1.18 * v[2]};
    const seen from = project(v), to = project(tip);
    const figure_point line[2] = {figure_at(from.x, from.y), figure_at(to.x, to.y)};
    figure_add_curve(drawn, FIGURE_OUTLINE, NULL, method, line, 2);
    figure_set_width(drawn, 3);
    if (!(from.near > 0)) {
        figure_set_faint(drawn);
    }
}

static void draw_panel(figure *drawn, const axes_panel *of, double v[2][3])
{
    const double degrees = 180 / acos(-1.0);
    char title[96], note[96];
    (void)snprintf(title, sizeof title, "%u axes, covering radius %.3f°", of->info.count,
                   of->info.radius * degrees);
    figure_add_panel(drawn, &(figure_axes){.title = title,
                                           .x_name = "to the right, by the sphere's radius",
                                           .y_name = "up, by the sphere's radius",
                                           .x_from = -1.2,
                                           .x_to = 1.2,
                                           .y_from = -1.2,
                                           .y_to = 1.2,
                                           .bare = true});
    for (unsigned use = 0; use < 4; use++) {
        draw_axes(drawn, of, use, false);
    }
    draw_sphere(drawn);
    for (unsigned k = 0; k < 2; k++) {
        draw_zone(drawn, v[k], of->phi, methods[1 + k]);
        draw_velocity(drawn, v[k], methods[1 + k]);
    }
    for (unsigned use = 0; use < 4; use++) {
        draw_axes(drawn, of, use, true);
    }
    (void)snprintf(note, sizeof note, "bands: zones of the velocities, %.3f° to either side",
                   of->phi * degrees);
    figure_set_note(drawn, note);
}

/* Three numbers, not all 0, scaled to length 1. */
static int parse_velocity(const char *name, const char *text, double v[3])
{
    const char *at = text;
    double size = 0;
    bool good = true;
    for (unsigned j = 0; j < 3 && good; j++) {
        char *end;
        v[j] = strtod(at, &end);
        good = end != at && *end == (j < 2 ? ',' : '\0') && isfinite(v[j]) && fabs(v[j]) < 1e100;
        size += v[j] * v[j];
        at = end + 1;
    }
    if (!good || !(size > 1e-100)) {
        return report_usage("--%s takes x,y,z: three numbers that are not all 0, not '%s'", name,
                            text);
    }
    for (unsigned j = 0; j < 3; j++) {
        v[j] /= sqrt(size);
    }
    return EXIT_DONE;
}

/* Opens a set and asks it for both velocities. */
static int ask_set(axes_panel *of, double v[2][3])
{
    void *data;
    size_t size;
    int status = load_file(of->path, &data, &size);
    if (status != EXIT_DONE) {
        return status;
    }
    kiln_error error;
    kiln_open_options options = kiln_open_options_default();
    options.error = &error;
    options.flags = KILN_OPEN_COPY;
    const kiln_status opened = kiln_axes_open_memory(data, size, &options, &of->axes);
    free(data);
    if (opened != KILN_OK) {
        return report_format_error(of->path, (int)opened, error.message);
    }
    of->info = kiln_axes_get_info(of->axes);
    of->phi = asin(of->info.zone_sine);
    for (unsigned k = 0; k < 2; k++) {
        of->masks[k] = calloc(of->info.words, sizeof *of->masks[k]);
        if (of->masks[k] == NULL) {
            return report_error(EXIT_RUN, of->path, "out of memory; free some and run again");
        }
        (void)kiln_axes_zone(of->axes, v[k], 0, of->masks[k], &of->counts[k]);
    }
    for (uint32_t i = 0; i < of->info.count; i++) {
        of->both += mask_has(of->masks[0], i) && mask_has(of->masks[1], i);
    }
    return EXIT_DONE;
}

static void axes_plot_json(const axes_panel *panels, int count, const char *output)
{
    json_t *root = report_root(), *list = json_array();
    json_object_set_new(root, "output", json_cstring(output));
    for (int i = 0; i < count; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "file", json_cstring(panels[i].path));
        json_object_set_new(object, "axes", json_count(panels[i].info.count));
        json_object_set_new(object, "first", json_count(panels[i].counts[0]));
        json_object_set_new(object, "second", json_count(panels[i].counts[1]));
        json_object_set_new(object, "both", json_count(panels[i].both));
        json_array_append_new(list, object);
    }
    json_object_set_new(root, "sets", list);
}

static int run_axes_plot(int argc, char **argv)
{
    axes_plot_settings settings = {.a = "1,0.3,-0.2", .b = "0.2,0.5,1"};
    axes_panel panels[FILES_MOST] = {{.path = NULL}};
    double v[2][3];
    int count;
    int status = options_parse(&verb_axes_plot, argc, argv, &settings, &count);
    if (status == EXIT_DONE && settings.output == NULL) {
        status = report_usage("-o FIGURE is missing");
    }
    status = status == EXIT_DONE ? parse_velocity("velocity-a", settings.a, v[0]) : status;
    status = status == EXIT_DONE ? parse_velocity("velocity-b", settings.b, v[1]) : status;
    if (status != EXIT_DONE) {
        return status;
    }
    status = output_check_plot(settings.csv, settings.output, argv, count);
    for (int i = 0; i < count && status == EXIT_DONE; i++) {
        panels[i].path = argv[i];
        status = ask_set(&panels[i], v);
    }
    if (status == EXIT_DONE) {
        figure drawn = {.name = "axes", .columns = FILES_MOST};
        for (int i = 0; i < count; i++) {
            draw_panel(&drawn, &panels[i], v);
        }
        status = output_figure(&drawn, settings.output, settings.csv);
        figure_free(&drawn);
    }
    if (status == EXIT_DONE && report_is_json()) {
        axes_plot_json(panels, count, settings.output);
    }
    for (int i = 0; i < FILES_MOST; i++) {
        kiln_axes_close(panels[i].axes);
        free(panels[i].masks[0]);
        free(panels[i].masks[1]);
    }
    return status;
}

const verb verb_axes_plot = {
    "axes-plot",
    "FILE... -o FIGURE",
    "draw axis sets and the zones of two velocities",
    "Figure 3 of Coming and Staadt 2004, by gnuplot, a sphere for each FILE, up to four: axes as "
    "points, two for "
    "each axis; those that objects of two velocities use in green and blue, those that both use in "
    "vermilion; "
    "the zones as bands.",
    axes_plot_options,
    COUNT_OF(axes_plot_options),
    1,
    FILES_MOST,
    run_axes_plot,
};
