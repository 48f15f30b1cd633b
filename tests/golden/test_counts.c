/* How much work queries do, as a table that a change has to leave as it is: nodes opened, pairs
 * of leaves visited and pairs of triangles, for each mesh, class of poses, kind of tree and
 * query. A walk or a tree that got worse by 1 % is noise to a clock on a shared machine, but a
 * line of a diff here.
 *
 * The figures are the same on every machine: meshes (models/shape) and poses come of +, -, *, /
 * and square roots alone, trees have the same bytes everywhere, and the scalar set of kernels is
 * forced, since the masks of opened nodes may differ between sets of instructions (answers never
 * do).
 *
 * Two copies of a mesh meet at random rotations. Along a random direction from afar the first
 * contact is bisected, and the classes are placed about it: `deep` at 0.3 of its distance, `hit`
 * 0.2 % of the size within it, `close` 0.2 % beyond it and `far` 5 % beyond it. Contacts are
 * found by kiln_collide, whose answer is exact and therefore no tree's own. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "../../models/shape/shape.h"
#include "../../formats/node_kinds.h"
#include "../../runtime/kernel/kernel.h"
#include "../support/quick_bake.h"
#include "../support/tally.h"

#define TABLE "tests/golden/today/counts.csv"

enum {
    MESHES = 4,
    KINDS = KILN_NODE_KIND_COUNT,
    CLASSES = 4,
    QUERIES = 3,
    DRAWS = 16,
    LINE_SIZE = 160
};

static const struct {
    const char *name;
    uint32_t triangles;
} meshes[MESHES] = {{"torus", 2000}, {"knot", 3000}, {"lock", 4000}, {"pipes", 3000}};

static const char *const queries[QUERIES] = {"collide", "collide_all", "distance"};

/* Where a class lies: so much of the distance of the contact, and so much of the size. */
static const struct {
    const char *name;
    double of_contact, of_size;
} classes[CLASSES] = {{"deep", 0.3, 0}, {"hit", 1, -0.002}, {"close", 1, 0.002}, {"far", 1, 0.05}};

/* One mesh, its trees of all kinds, and the poses of the second copy. */
typedef struct {
    mesh geometry;
    double size; /* twice the greatest coordinate */
    void *bytes[KINDS];
    kiln_file *files[KINDS];
    size_t count; /* of draws along whose direction the copies touch */
    kiln_pose poses[DRAWS][CLASSES];
} subject;

static const kiln_tree *tree_of(const subject *s, int kind)
{
    return kiln_file_tree(s->files[kind], 0);
}

/* ------------------------------------------------------------------------------------- poses -- */

/* A rotation by a quaternion of four whole numbers, formed by +, *, / alone, and a direction
 * that is a column of another. */
static void draw(uint64_t *random, double rotation[9], double direction[3])
{
    double other[9];
    for (int which = 0; which < 2; which++) {
        double *r = which == 0 ? rotation : other;
        double q[4], norm = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = (double)random_below(random, 41) - 20.0;
            norm += q[k] * q[k];
        }
        if (norm == 0) {
            q[3] = norm = 1;
        }
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            r[4 * i] = (q[3] * q[3] + q[i] * q[i] - q[j] * q[j] - q[k] * q[k]) / norm;
            r[3 * i + j] = 2 * (q[i] * q[j] - q[3] * q[k]) / norm;
            r[3 * j + i] = 2 * (q[i] * q[j] + q[3] * q[k]) / norm;
        }
    }
    for (int k = 0; k < 3; k++) {
        direction[k] = other[3 * k];
    }
}

static kiln_pose place(const double rotation[9], const double direction[3], double distance)
{
    kiln_pose pose = kiln_pose_identity();
    for (int i = 0; i < 9; i++) {
        pose.rotation[i] = rotation[i];
    }
    for (int k = 0; k < 3; k++) {
        pose.translation[k] = direction[k] * distance;
    }
    return pose;
}

static bool meet(const subject *s, const kiln_pose *pose)
{
    kiln_hit hit;
    assert_int_equal(kiln_collide(tree_of(s, 0), NULL, tree_of(s, 0), pose, NULL, &hit), KILN_OK);
    return hit.found;
}

/* The distance of the outermost contact along a direction, as far as steps of a 64th of the size
 * find it; negative: there is none. */
static double find_contact(const subject *s, const double rotation[9], const double direction[3])
{
    const double step = s->size / 64;
    double outside = 2 * s->size, inside = outside;
    for (kiln_pose pose = place(rotation, direction, inside); !meet(s, &pose);
         pose = place(rotation, direction, inside)) {
        outside = inside;
        inside -= step;
        if (inside < 0) {
            return -1;
        }
    }
    for (int i = 0; i < 20; i++) {
        const double middle = (outside + inside) / 2;
        const kiln_pose pose = place(rotation, direction, middle);
        *(meet(s, &pose) ? &inside : &outside) = middle;
    }
    return inside;
}

/* ---------------------------------------------------------------------------------- subjects -- */

static void make_subject(int which, subject *s)
{
    memset(s, 0, sizeof *s);
    shape_mesh made = shape_make(shape_find(meshes[which].name), meshes[which].triangles);
    s->geometry = (mesh){malloc(3 * sizeof(float) * made.vertex_count),
                         malloc(3 * sizeof(uint32_t) * made.triangle_count), made.vertex_count,
                         made.triangle_count};
    assert_non_null(s->geometry.positions);
    assert_non_null(s->geometry.indices);
    for (size_t i = 0; i < 3 * (size_t)made.vertex_count; i++) {
        s->geometry.positions[i] = (float)(made.positions[i] / 1e6);
        s->size = fmax(s->size, 2 * fabs((double)s->geometry.positions[i]));
    }
    memcpy(s->geometry.indices, made.indices, 3 * sizeof(uint32_t) * made.triangle_count);
    shape_free(&made);
    for (int kind = 0; kind < KINDS; kind++) {
        s->files[kind] = quick_open(&s->geometry, kiln_node_kinds[kind].name, 4, KILN_LAYOUT_RAW,
                                    &s->bytes[kind]);
        assert_non_null(s->files[kind]);
    }
    uint64_t random = 12;
    for (int i = 0; i < DRAWS; i++) {
        double rotation[9], direction[3];
        draw(&random, rotation, direction);
        const double contact = find_contact(s, rotation, direction);
        for (int c = 0; c < CLASSES && contact >= 0; c++) {
            s->poses[s->count][c] =
                place(rotation, direction,
                      contact * classes[c].of_contact + s->size * classes[c].of_size);
        }
        s->count += contact >= 0;
    }
}

static void free_subject(subject *s)
{
    for (int kind = 0; kind < KINDS; kind++) {
        kiln_close(s->files[kind]);
        free(s->bytes[kind]);
    }
    mesh_free(&s->geometry);
}

/* ------------------------------------------------------------------------------------- table -- */

/* Runs one query over the poses of a class; returns how many of them meet. */
static size_t count_query(const subject *s, int kind, int c, int query, tally *sum)
{
    const kiln_tree *tree = tree_of(s, kind);
    size_t hits = 0;
    for (size_t i = 0; i < s->count; i++) {
        const kiln_pose *pose = &s->poses[i][c];
        hits += query == 0   ? tally_collide(tree, tree, pose, sum)
                : query == 1 ? tally_collide_all(tree, tree, pose, sum) > 0
                             : tally_distance(tree, tree, pose, sum) == 0;
    }
    return hits;
}

/* The table as text, released by free(). */
static char *make_table(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    kiln_kernel_force(&kiln_kernel_scalar);
    (void)fprintf(out,
                  "mesh,triangles,class,query,tree,poses,hits,nodes,leaf_pairs,triangle_pairs\n");
    for (int m = 0; m < MESHES; m++) {
        subject s;
        make_subject(m, &s);
        for (int c = 0; c < CLASSES; c++) {
            for (int query = 0; query < QUERIES; query++) {
                for (int kind = 0; kind < KINDS; kind++) {
                    tally sum = {0, 0, 0};
                    const size_t hits = count_query(&s, kind, c, query, &sum);
                    (void)fprintf(out, "%s,%u,%s,%s,%s,%zu,%zu,%llu,%llu,%llu\n", meshes[m].name,
                                  s.geometry.triangle_count, classes[c].name, queries[query],
                                  kiln_node_kinds[kind].name, s.count, hits,
                                  (unsigned long long)sum.nodes, (unsigned long long)sum.leaves,
                                  (unsigned long long)sum.pairs);
                }
            }
        }
        free_subject(&s);
    }
    kiln_kernel_force(NULL);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* The next line of a text without its end, and what follows it; false at the end of the text. */
static bool next_line(const char **text, char line[LINE_SIZE])
{
    const size_t length = strcspn(*text, "\n");
    if (length == 0) {
        return false;
    }
    (void)snprintf(line, LINE_SIZE, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == '\n');
    return true;
}

static char *read_table(void)
{
    FILE *in = fopen(TABLE, "r");
    char *text = calloc(1 << 16, 1);
    assert_non_null(text);
    if (in == NULL) {
        print_error("%s can't be read\n", TABLE);
        return text;
    }
    (void)fread(text, 1, (1 << 16) - 1, in);
    (void)fclose(in);
    return text;
}

static void queries_do_the_work_of_the_table(void **state)
{
    (void)state;
    char *kept = read_table(), *made = make_table();
    const char *of_kept = kept, *of_made = made;
    int differ = 0;
    for (;;) {
        char before[LINE_SIZE] = "", now[LINE_SIZE] = "";
        const bool any_before = next_line(&of_kept, before), any_now = next_line(&of_made, now);
        if (!any_before && !any_now) {
            break;
        }
        if (strcmp(before, now) != 0) {
            print_error("-%s\n+%s\n", before, now);
            differ++;
        }
    }
    free(kept);
    free(made);
    if (differ > 0) {
        fail_msg("%d lines of " TABLE
                 " differ. Where that is meant: test_counts --write writes the "
                 "table anew, and its diff belongs to the change",
                 differ);
    }
}

static int write_table(void)
{
    char *text = make_table();
    FILE *out = fopen(TABLE, "w");
    const bool whole = out != NULL && fputs(text, out) >= 0 && fclose(out) == 0;
    free(text);
    if (!whole) {
        perror(TABLE);
    }
    return whole ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        return write_table();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_do_the_work_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
