/* Trees of each kind by each construction, as the last change of bytes left them: a checksum of
 * the nodes and of the order of the triangles, in builders.txt. Where a change is meant, or a row
 * is new, `test_golden_builders --write` writes the table anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "../../tools/tree/build.h"
#include "../../tools/tree/builders.h"
#include "../support/meshes.h"

#define TABLE "tests/golden/today/builders.txt"

enum { LEAF = 3, LINE_SIZE = 128, LINES_MAX = 1024 };

/* One line of the table. */
static void describe(const kiln_build_kind *kind, const char *builder, kiln_fit_to fit_to,
                     kiln_box_fit box_fit, kiln_spheres_by spheres, char line[LINE_SIZE])
{
    static const char *const fits[] = {"search",        "vertices",    "areas",
                                       "hull-vertices", "hull-facets", "volume"};
    static const char *const balls[] = {NULL, "cover", "octree", "medial"};
    mesh m = mesh_torus(14, 9, 0.15);
    const kiln_build_input input = {m.positions, m.indices, NULL, m.triangle_count};
    kiln_bake_options options = kiln_bake_options_default();
    kiln_build_tree tree;
    options.builder = builder;
    options.leaf = LEAF;
    options.fit_to = fit_to;
    options.box_fit = box_fit;
    options.spheres = spheres;
    options.threads = 2;
    assert_int_equal(kiln_build(kind, &input, &options, &tree), KILN_BAKE_OK);
    const uLong nodes = crc32(0, tree.nodes, tree.node_count * tree.node_size);
    const uLong order =
        crc32(0, (const Bytef *)tree.order, tree.slot_count * (uInt)sizeof *tree.order);
    (void)snprintf(line, LINE_SIZE, "%-8s %-8s %-8s %-13s %5u nodes %08lx order %08lx", kind->name,
                   builder, fit_to == KILN_FIT_TO_CHILDREN ? "children" : "geometry",
                   balls[spheres] != NULL ? balls[spheres] : fits[box_fit], tree.node_count, nodes,
                   order);
    kiln_build_tree_free(&tree);
    mesh_free(&m);
}

/* Line `index` of all there are: each builder with the default fit, then each other fit, then each
 * other construction of balls. False: no more. */
static bool line_of(size_t index, char line[LINE_SIZE])
{
    enum { FITS = 2 * (KILN_BOX_FIT_VOLUME + 1) };
    const size_t builders = kiln_build_kind_count * kiln_builder_count;
    if (index < builders) {
        describe(&kiln_build_kinds[index / kiln_builder_count],
                 kiln_builders[index % kiln_builder_count].name, KILN_FIT_TO_GEOMETRY,
                 KILN_BOX_FIT_SEARCH, KILN_SPHERES_LEAST, line);
        return true;
    }
    static const char *const oriented[] = {"obb", "obb2"};
    const size_t fit = (index - builders) % FITS, kind = (index - builders) / FITS;
    if (kind < sizeof oriented / sizeof oriented[0]) {
        describe(kiln_build_kind_find(oriented[kind]), "sah", (kiln_fit_to)(fit % 2),
                 (kiln_box_fit)(fit / 2), KILN_SPHERES_LEAST, line);
        return true;
    }
    const size_t balls = index - builders - FITS * sizeof oriented / sizeof oriented[0];
    if (balls < KILN_SPHERES_MEDIAL) { /* the first construction is among the builders' */
        describe(kiln_build_kind_find("sphere"), "sah", KILN_FIT_TO_GEOMETRY, KILN_BOX_FIT_SEARCH,
                 (kiln_spheres_by)(balls + 1), line);
        return true;
    }
    return false;
}

static int write_table(void)
{
    FILE *out = fopen(TABLE, "w");
    char line[LINE_SIZE];
    if (out == NULL) {
        perror(TABLE);
        return 1;
    }
    for (size_t i = 0; line_of(i, line); i++) {
        (void)fprintf(out, "%s\n", line);
    }
    return fclose(out);
}

/* Every line is looked for, so that new rows of either table can't be forgotten. */
static void trees_are_those_of_the_table(void **state)
{
    (void)state;
    static char lines[LINES_MAX][LINE_SIZE];
    char line[LINE_SIZE];
    size_t count = 0;
    FILE *in = fopen(TABLE, "r");
    assert_non_null(in);
    while (count < LINES_MAX && fgets(lines[count], LINE_SIZE, in) != NULL) {
        lines[count][strcspn(lines[count], "\n")] = '\0';
        count++;
    }
    (void)fclose(in);
    for (size_t i = 0; line_of(i, line); i++) {
        size_t at = 0;
        while (at < count && strcmp(lines[at], line) != 0) {
            at++;
        }
        if (at == count) {
            fail_msg("not in " TABLE " (--write writes it anew): %s", line);
        }
    }
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "--write") == 0) {
        return write_table();
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees_are_those_of_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
