/* kiln-bench axes-plot: Figure 3 of Coming and Staadt 2004, from axis sets.
 *
 * For each set a sphere with its axes as points, two for each axis; the zones of two velocities;
 * and which axes each velocity uses and which both, by the runtime's own call, so that the picture
 * shows what a broad phase would get. It is drawn as seen from afar, what is behind the sphere
 * faintly. */
#define _POSIX_C_SOURCE 200809L

#include "outputs.h"
#include "verbs.h"

#include "../adb/adb.h"

#include "../../../tools/cmd/kit/files.h"
#include "../../../tools/cmd/kit/options.h"
#include "../../../tools/cmd/kit/report.h"

#include "../../../runtime/kiln_axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *output, *a, *b;
    bool json;
} axes_plot_settings;

static const option axes_plot_options[] = {
    {"output", 'o', OPTION_TEXT, "OUT.svg", NULL, 0, 0, offsetof(axes_plot_settings, output),
     "the picture to write, '-' for standard output"},
    {"velocity-a", 0, OPTION_TEXT, "X,Y,Z", NULL, 0, 0, offsetof(axes_plot_settings, a),
     "velocity of the first object (default 1,0.3,-0.2)"},
    {"velocity-b", 0, OPTION_TEXT, "X,Y,Z", NULL, 0, 0, offsetof(axes_plot_settings, b),
     "velocity of the second object (default 0.2,0.5,1)"},
    OPTION_JSON(axes_plot_settings),
};

enum { PANEL = 520, RADIUS = 220, MIDDLE_Y = 290, HEIGHT = 580, FILES_MOST = 4 };

static const char *const colours[2] = {"#3f9b4f", "#3566b8"}; /* of the two objects */
static const char *const both_colour = "#0a9a9a", *const none_colour = "#b0b0b0";

/* Right, up and towards the viewer. */
static const double view[3][3] = {
    {0.832050, 0.554700, 0.0}, {-0.248069, 0.372104, 0.894427}, {0.496139, -0.744208, 0.447214}};

typedef struct {
    double x, y, near; /* near > 0: in front */
} seen;

static seen project(const double p[3], double left)
{
    double of[3];
    for (unsigned i = 0; i < 3; i++) {
        of[i] = view[i][0] * p[0] + view[i][1] * p[1] + view[i][2] * p[2];
    }
    const seen at = {left + PANEL / 2 + RADIUS * of[0], MIDDLE_Y - RADIUS * of[1], of[2]};
    return at;
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

enum { ROUND = 240, ACROSS = 8 };

/* The part in front of the directions within phi of the plane across v, as one path, so that its
 * colour is even. */
static void draw_zone(FILE *out, const double v[3], double phi, double left, const char *colour)
{
    double e[3], f[3];
    frame_of(v, e, f);
    fprintf(out, "<path fill='%s' fill-opacity='0.22' d='", colour);
    for (unsigned i = 0; i < ROUND; i++) {
        for (unsigned k = 0; k < ACROSS; k++) {
            seen corners[4];
            bool is_seen = true;
            for (unsigned c = 0; c < 4; c++) {
                const double turn = 2 * acos(-1.0) * (i + (c == 1 || c == 2 ? 1 : 0)) / ROUND;
                const double up = phi * (2.0 * (k + (c >= 2 ? 1 : 0)) / ACROSS - 1);
                double p[3];
                for (unsigned j = 0; j < 3; j++) {
                    p[j] = cos(up) * (cos(turn) * e[j] + sin(turn) * f[j]) + sin(up) * v[j];
                }
                corners[c] = project(p, left);
                is_seen = is_seen && corners[c].near > 0;
            }
            if (is_seen) {
                fprintf(out, "M%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f %.1fz", corners[0].x,
                        corners[0].y, corners[1].x, corners[1].y, corners[2].x, corners[2].y,
                        corners[3].x, corners[3].y);
            }
        }
    }
    fputs("'/>\n", out);
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

static void draw_axes(FILE *out, const axes_panel *of, double left)
{
    const double dot = fmax(1.2, fmin(6, 40 / sqrt(of->info.count)));
    for (int front = 0; front < 2; front++) {
        for (uint32_t i = 0; i < of->info.count; i++) {
            const bool a = mask_has(of->masks[0], i), b = mask_has(of->masks[1], i);
            const char *colour = a && b ? both_colour
                                 : a    ? colours[0]
                                 : b    ? colours[1]
                                        : none_colour;
            for (int sign = -1; sign <= 1; sign += 2) {
                const double *axis = of->info.axes[i];
                const double p[3] = {sign * axis[0], sign * axis[1], sign * axis[2]};
                const seen at = project(p, left);
                if ((at.near > 0) == (front == 1)) {
                    fprintf(out, "<circle cx='%.1f' cy='%.1f' r='%.1f' fill='%s'%s/>\n", at.x, at.y,
                            a && b ? 1.4 * dot : dot, colour,
                            front == 1 ? "" : " fill-opacity='0.25'");
                }
            }
        }
        if (front == 0) {
            fprintf(out,
                    "<circle cx='%.0f' cy='%d' r='%d' fill='#ffffff' fill-opacity='0.5' "
                    "stroke='#888888'/>\n",
                    left + PANEL / 2, MIDDLE_Y, RADIUS);
        }
    }
}

/* An arrow from the sphere along a velocity, or, where that points away, a line behind it. */
static void draw_velocity(FILE *out, const double v[3], double left, const char *colour)
{
    const double tip[3] = {1.18 * v[0], 1.18 * v[1], 1.18 * v[2]};
    const seen from = project(v, left), to = project(tip, left);
    fprintf(out,
            "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='3'%s/>\n"
            "<circle cx='%.1f' cy='%.1f' r='5' fill='none' stroke='%s' stroke-width='2'/>\n",
            from.x, from.y, to.x, to.y, colour, from.near > 0 ? "" : " stroke-dasharray='4 3'",
            to.x, to.y, colour);
}

static void draw_panel(FILE *out, const axes_panel *of, double v[2][3], double left)
{
    const double degrees = 180 / acos(-1.0);
    fprintf(
        out,
        "<text x='%.0f' y='30' text-anchor='middle' font-size='16'>%u axes, covering radius %.3f"
        "°</text>\n",
        left + PANEL / 2, of->info.count, of->info.radius * degrees);
    draw_axes(out, of, left);
    for (unsigned k = 0; k < 2; k++) {
        draw_zone(out, v[k], of->phi, left, colours[k]);
        draw_velocity(out, v[k], left, colours[k]);
    }
    const double y = MIDDLE_Y + RADIUS + 40;
    fprintf(out, "<text x='%.0f' y='%.0f' text-anchor='middle'>zones at %.3f°: ", left + PANEL / 2,
            y, of->phi * degrees);
    fprintf(out,
            "<tspan fill='%s'>%u axes</tspan>, <tspan fill='%s'>%u axes</tspan>, "
            "<tspan fill='%s' font-weight='bold'>%u in both</tspan></text>\n",
            colours[0], of->counts[0], colours[1], of->counts[1], both_colour, of->both);
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

static int write_picture(const axes_panel *panels, int count, double v[2][3], const char *output)
{
    char *picture = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&picture, &size);
    bool done = out != NULL;
    if (done) {
        fprintf(out,
                "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
                "font-family='sans-serif' font-size='14'>\n"
                "<title>" BENCH_PICTURE_TITLE "axes</title>\n"
                "<rect width='100%%' height='100%%' fill='#ffffff'/>\n",
                PANEL * count, HEIGHT);
        for (int i = 0; i < count; i++) {
            draw_panel(out, &panels[i], v, (double)PANEL * i);
        }
        fputs("</svg>\n", out);
        done = fclose(out) == 0;
    }
    const int status =
        done ? output_write(output, &output_kind_picture, picture, size)
             : report_error(EXIT_RUN, output, "out of memory; free some and run again");
    free(picture);
    return status;
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
        status = report_usage("-o OUT.svg is missing");
    }
    status = status == EXIT_DONE ? parse_velocity("velocity-a", settings.a, v[0]) : status;
    status = status == EXIT_DONE ? parse_velocity("velocity-b", settings.b, v[1]) : status;
    if (status != EXIT_DONE) {
        return status;
    }
    if (strcmp(settings.output, "-") == 0) {
        report_to_stderr();
    }
    status = output_check_inputs(settings.output, &output_kind_picture, argv, count);
    for (int i = 0; i < count && status == EXIT_DONE; i++) {
        panels[i].path = argv[i];
        status = ask_set(&panels[i], v);
    }
    if (status == EXIT_DONE) {
        status = write_picture(panels, count, v, settings.output);
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
    "FILE... -o OUT.svg",
    "draw axis sets and the zones of two velocities",
    "Figure 3 of Coming and Staadt 2004 as SVG, a sphere for each FILE, up to four: axes as "
    "points, two for "
    "each axis; those that objects of two velocities use in green and blue, those that both use in "
    "teal; "
    "the zones as bands.",
    axes_plot_options,
    COUNT_OF(axes_plot_options),
    1,
    FILES_MOST,
    run_axes_plot,
};
