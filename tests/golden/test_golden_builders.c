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
static void describe(const kiln_build_kind *kind, const char *builder, char line[LINE_SIZE])
{
    mesh m = mesh_torus(14, 9, 0.15);
    const kiln_build_input input = {m.positions, m.indices, NULL, m.triangle_count};
    kiln_bake_options options = kiln_bake_options_default();
    kiln_build_tree tree;
    options.builder = builder;
    options.leaf = LEAF;
    options.threads = 2;
    assert_int_equal(kiln_build(kind, &input, &options, &tree), KILN_BAKE_OK);
    const uLong nodes = crc32(0, tree.nodes, tree.node_count * tree.node_size);
    const uLong order =
        crc32(0, (const Bytef *)tree.order, tree.triangle_count * (uInt)sizeof *tree.order);
    (void)snprintf(line, LINE_SIZE, "%-8s %-8s %5u nodes %08lx order %08lx", kind->name, builder,
                   tree.node_count, nodes, order);
    kiln_build_tree_free(&tree);
    mesh_free(&m);
}

static int write_table(void)
{
    FILE *out = fopen(TABLE, "w");
    if (out == NULL) {
        perror(TABLE);
        return 1;
    }
    for (size_t k = 0; k < kiln_build_kind_count; k++) {
        for (size_t b = 0; b < kiln_builder_count; b++) {
            char line[LINE_SIZE];
            describe(&kiln_build_kinds[k], kiln_builders[b].name, line);
            (void)fprintf(out, "%s\n", line);
        }
    }
    return fclose(out);
}

/* Every line is looked for, so that new rows of either table can't be forgotten. */
static void trees_are_those_of_the_table(void **state)
{
    (void)state;
    static char lines[LINES_MAX][LINE_SIZE];
    size_t count = 0;
    FILE *in = fopen(TABLE, "r");
    assert_non_null(in);
    while (count < LINES_MAX && fgets(lines[count], LINE_SIZE, in) != NULL) {
        lines[count][strcspn(lines[count], "\n")] = '\0';
        count++;
    }
    (void)fclose(in);
    for (size_t i = 0; i < kiln_build_kind_count * kiln_builder_count; i++) {
        char line[LINE_SIZE];
        size_t at = 0;
        describe(&kiln_build_kinds[i / kiln_builder_count],
                 kiln_builders[i % kiln_builder_count].name, line);
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
