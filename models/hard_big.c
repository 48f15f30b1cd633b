/* hard_big OUTDIR [--n N]: writes the hard inputs that are too large to keep, as OBJ.
 *
 *   C019_many_objects.obj    1,500 objects of one face each, face i at x = 10 i
 *   C025_65538_corners.obj   21,846 faces that share no corner, face i at x = 2 i
 *   C029_same_centroid.obj   N faces (default 100,000) whose corners sum to exactly 0
 *   C029_copies.obj          N copies of one face
 *
 * The bytes are the same on every machine. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OBJECTS = 1500, SEPARATE_FACES = 21846, FACES_DEFAULT = 100000, FACES_MAX = 100000000 };

static FILE *create(const char *folder, const char *name)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = length < (int)sizeof path ? fopen(path, "wb") : NULL;
    if (out == NULL) {
        (void)fprintf(stderr, "hard_big: %s/%s: %s\n", folder, name, strerror(errno));
        exit(2);
    }
    return out;
}

/* A full disk shows only here. */
static void finish(FILE *out, const char *name)
{
    const int bad = ferror(out);
    if (fclose(out) != 0 || bad) {
        (void)fprintf(stderr, "hard_big: %s: can't be written: %s\n", name, strerror(errno));
        exit(2);
    }
}

/* Faces that share no corner: three corners each, in order. */
static void write_separate_faces(FILE *out, long count)
{
    for (long i = 0; i < count; i++) {
        (void)fprintf(out, "f %ld %ld %ld\n", 3 * i + 1, 3 * i + 2, 3 * i + 3);
    }
}

static void write_many_objects(const char *folder)
{
    const char *name = "C019_many_objects.obj";
    FILE *out = create(folder, name);
    for (int i = 0; i < OBJECTS; i++) {
        const int x = 10 * i;
        (void)fprintf(out, "o part_%04d\nv %d 0 0\nv %d 0 0\nv %d 1 0\nf %d %d %d\n", i, x, x + 1,
                      x, 3 * i + 1, 3 * i + 2, 3 * i + 3);
    }
    finish(out, name);
}

static void write_many_corners(const char *folder)
{
    const char *name = "C025_65538_corners.obj";
    FILE *out = create(folder, name);
    for (int i = 0; i < SEPARATE_FACES; i++) {
        (void)fprintf(out, "v %d 0 0\nv %d 0 0\nv %d 1 0\n", 2 * i, 2 * i + 1, 2 * i);
    }
    write_separate_faces(out, SEPARATE_FACES);
    finish(out, name);
}

/* A multiple of 1/1024 in [-1, 1]. */
static double next_coordinate(uint64_t *state)
{
    *state = (*state * 1103515245u + 12345u) % ((uint64_t)1 << 31);
    return (double)((int64_t)((*state >> 8) % 2049u) - 1024) / 1024.0;
}

/* Multiples of 1/1024 below 4 have at most 11 digits; whole numbers keep a ".0". */
static void write_coordinate(FILE *out, double x)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.12g", x);
    (void)fprintf(out, strchr(text, '.') != NULL ? " %s" : " %s.0", text);
}

static void write_vertex(FILE *out, const double p[3])
{
    (void)fputc('v', out);
    for (int k = 0; k < 3; k++) {
        write_coordinate(out, p[k]);
    }
    (void)fputc('\n', out);
}

static void write_same_centroid(const char *folder, long faces)
{
    const char *name = "C029_same_centroid.obj";
    FILE *out = create(folder, name);
    uint64_t state = 12345;
    for (long i = 0; i < faces; i++) {
        double p[3][3];
        for (int corner = 0; corner < 2; corner++) {
            for (int k = 0; k < 3; k++) {
                p[corner][k] = next_coordinate(&state);
            }
        }
        for (int k = 0; k < 3; k++) {
            p[2][k] = -(p[0][k] + p[1][k]);
        }
        for (int corner = 0; corner < 3; corner++) {
            write_vertex(out, p[corner]);
        }
    }
    write_separate_faces(out, faces);
    finish(out, name);
}

static void write_copies(const char *folder, long faces)
{
    const char *name = "C029_copies.obj";
    FILE *out = create(folder, name);
    (void)fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\n", out);
    for (long i = 0; i < faces; i++) {
        (void)fputs("f 1 2 3\n", out);
    }
    finish(out, name);
}

int main(int argc, char **argv)
{
    long faces = FACES_DEFAULT;
    if (argc == 4 && strcmp(argv[2], "--n") == 0) {
        faces = strtol(argv[3], NULL, 10);
    } else if (argc != 2) {
        faces = 0;
    }
    if (faces < 1 || faces > FACES_MAX) {
        (void)fprintf(stderr, "usage: hard_big OUTDIR [--n N], N from 1 to %d\n", FACES_MAX);
        return 1;
    }
    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
        (void)fprintf(stderr, "hard_big: %s: %s\n", argv[1], strerror(errno));
        return 2;
    }
    write_many_objects(argv[1]);
    write_many_corners(argv[1]);
    write_same_centroid(argv[1], faces);
    write_copies(argv[1], faces);
    return 0;
}
