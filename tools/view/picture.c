/* A picture of a mesh by scan conversion with a depth buffer: each triangle has one shade, by how
 * it faces the light, seen from both sides; what it covers is drawn at three times the size and
 * averaged. Only +, -, *, / and sqrt, which are the same everywhere. */
#include "picture.h"

#include "png.h"

#include "../../formats/assert.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 3, WIDE = PICTURE_WIDTH * FINE, HIGH = PICTURE_HEIGHT * FINE, MARGIN = 3 * FINE };

/* Rows: to the right, up, towards the eye, which looks along (-5, -4, -7) with y upwards; each is
 * divided by its length. */
static void make_frame(double frame[3][3])
{
    static const double eye[3] = {5, 4, 7};
    const double right[3] = {eye[2], 0, -eye[0]};
    const double up[3] = {-eye[0] * eye[1], eye[0] * eye[0] + eye[2] * eye[2], -eye[2] * eye[1]};
    const double *const rows[3] = {right, up, eye};
    for (unsigned i = 0; i < 3; i++) {
        const double *r = rows[i];
        const double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
        for (unsigned k = 0; k < 3; k++) {
            frame[i][k] = r[k] / length;
        }
    }
}

typedef struct {
    float depth[WIDE * HIGH];   /* towards the eye */
    uint8_t shade[WIDE * HIGH]; /* 0: nothing is there */
    double frame[3][3];
    double scale, shift[3];
} canvas;

static void turn_point(const canvas *c, const float *p, double out[3])
{
    for (unsigned i = 0; i < 3; i++) {
        const double *r = c->frame[i];
        out[i] = r[0] * (double)p[0] + r[1] * (double)p[1] + r[2] * (double)p[2];
    }
}

/* Fits what is drawn into the picture. */
static void fit_canvas(canvas *c, const float *vertices, const uint32_t *triangles, uint64_t count)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    double q[3];
    for (uint64_t i = 0; i < 3 * count; i++) {
        turn_point(c, &vertices[3 * (size_t)triangles[i]], q);
        for (unsigned k = 0; k < 3; k++) {
            lower[k] = fmin(lower[k], q[k]);
            upper[k] = fmax(upper[k], q[k]);
        }
    }
    const double wide = (WIDE - 2 * MARGIN) / (upper[0] - lower[0]);
    const double high = (HIGH - 2 * MARGIN) / (upper[1] - lower[1]);
    c->scale = fmin(wide, high);
    c->scale = c->scale < 1e30 ? c->scale : 1; /* a point */
    for (unsigned k = 0; k < 3; k++) {
        c->shift[k] = 0.5 * (lower[k] + upper[k]);
    }
}

/* From 1 to 255: triangles on edge still differ from nothing. The light comes from the upper left,
 * beside the eye; y goes down, as rows do. */
static uint8_t shade_of(double p[3][3])
{
    static const double light[3] = {-0.36, -0.48, 0.8};
    const double a[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
    const double b[3] = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const double facing =
        length > 0 ? fabs(n[0] * light[0] + n[1] * light[1] + n[2] * light[2]) / length : 0;
    return (uint8_t)(60 + 190 * facing);
}

/* Covers the middles of pixels that lie in the triangle; p is in pixels. Of each row it is the part
 * between the edges that cross it. */
static void draw_triangle(canvas *c, double p[3][3], uint8_t shade)
{
    const double low = fmin(p[0][1], fmin(p[1][1], p[2][1]));
    const double high = fmax(p[0][1], fmax(p[1][1], p[2][1]));
    const int first = (int)ceil(fmax(low - 0.5, 0)), last = (int)floor(fmin(high - 0.5, HIGH - 1));
    for (int y = first; y <= last; y++) {
        double x[2] = {INFINITY, -INFINITY}, z[2] = {0, 0};
        const double level = y + 0.5;
        for (unsigned i = 0; i < 3; i++) {
            const double *from = p[i], *to = p[(i + 1) % 3];
            if ((from[1] <= level) == (to[1] <= level)) {
                continue;
            }
            const double part = (level - from[1]) / (to[1] - from[1]);
            const double cross = from[0] + part * (to[0] - from[0]);
            const double depth = from[2] + part * (to[2] - from[2]);
            if (cross < x[0]) {
                x[0] = cross;
                z[0] = depth;
            }
            if (cross > x[1]) {
                x[1] = cross;
                z[1] = depth;
            }
        }
        const int left = (int)ceil(fmax(fmin(x[0] - 0.5, WIDE), 0));
        const int right = (int)floor(fmin(fmax(x[1] - 0.5, -1), WIDE - 1));
        const double slope = x[1] > x[0] ? (z[1] - z[0]) / (x[1] - x[0]) : 0;
        for (int i = left; i <= right; i++) {
            const float depth = (float)(z[0] + slope * (i + 0.5 - x[0]));
            const size_t at = (size_t)y * WIDE + (size_t)i;
            if (c->shade[at] == 0 || depth > c->depth[at]) {
                c->depth[at] = depth;
                c->shade[at] = shade;
            }
        }
    }
}

/* What is smaller than a pixel is drawn as one, lest fine meshes vanish. */
static void draw_point(canvas *c, const double p[3], uint8_t shade)
{
    const int x = (int)floor(p[0]), y = (int)floor(p[1]);
    if (x >= 0 && x < WIDE && y >= 0 && y < HIGH) {
        const size_t at = (size_t)y * WIDE + (size_t)x;
        if (c->shade[at] == 0 || (float)p[2] > c->depth[at]) {
            c->depth[at] = (float)p[2];
            c->shade[at] = shade;
        }
    }
}

static void draw_mesh(canvas *c, const float *vertices, const uint32_t *triangles, uint64_t count)
{
    for (uint64_t t = 0; t < count; t++) {
        double p[3][3];
        for (unsigned i = 0; i < 3; i++) {
            turn_point(c, &vertices[3 * (size_t)triangles[3 * t + i]], p[i]);
            for (unsigned k = 0; k < 3; k++) {
                p[i][k] = (p[i][k] - c->shift[k]) * c->scale;
            }
            p[i][0] += 0.5 * WIDE;
            p[i][1] = 0.5 * HIGH - p[i][1];
        }
        const uint8_t shade = shade_of(p);
        draw_triangle(c, p, shade);
        draw_point(c, p[0], shade);
    }
}

/* A tint of blue, with the part of a pixel that is covered as its opacity. */
static uint8_t *finish_picture(const canvas *c, size_t *size)
{
    uint8_t *pixels = malloc(4 * PICTURE_WIDTH * PICTURE_HEIGHT), *file = NULL;
    for (unsigned i = 0; i < PICTURE_WIDTH * PICTURE_HEIGHT && pixels != NULL; i++) {
        const unsigned x = i % PICTURE_WIDTH * FINE, y = i / PICTURE_WIDTH * FINE;
        unsigned sum = 0, covered = 0;
        for (unsigned k = 0; k < FINE * FINE; k++) {
            const uint8_t shade = c->shade[(y + k / FINE) * WIDE + x + k % FINE];
            sum += shade;
            covered += shade != 0;
        }
        const unsigned mean = covered > 0 ? sum / covered : 0;
        pixels[4 * i] = (uint8_t)(mean * 62 / 100);
        pixels[4 * i + 1] = (uint8_t)(mean * 78 / 100);
        pixels[4 * i + 2] = (uint8_t)(mean * 96 / 100);
        pixels[4 * i + 3] = (uint8_t)(covered * 255 / (FINE * FINE));
    }
    if (pixels != NULL) {
        file = png_make(pixels, PICTURE_WIDTH, PICTURE_HEIGHT, size);
    }
    free(pixels);
    return file;
}

uint8_t *picture_of(const float *vertices, const uint32_t *triangles, uint64_t count, size_t *size)
{
    canvas *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    make_frame(c->frame);
    fit_canvas(c, vertices, triangles, count);
    draw_mesh(c, vertices, triangles, count);
    uint8_t *file = finish_picture(c, size);
    free(c);
    return file;
}
