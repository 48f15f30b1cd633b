/* The documents of the format, formats/hierarchy.md, bins.md and axes.md, held against the headers:
 * each table behind a comment `<!-- struct NAME -->` has the members of that structure, all of
 * them, where the compiler puts them; the rules are those of format_error.h, word for word; the
 * section kinds are the rows of sections.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/format_error.h"
#include "../../formats/format.h"
#include "../../formats/node_kinds.h"
#include "../../formats/sections.h"

/* -------------------------------------------------------------------------- the document -- */

enum { CELLS = 6, ROWS = 64, TEXT = 160 };

typedef struct {
    char cells[CELLS][TEXT];
} row;

typedef struct {
    row rows[ROWS];
    unsigned count;
} table;

/* The document of the container and of models, and those of tables. */
static char *hierarchy, *bins, *axes;

static char *read_document(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (in == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, in) == 0) {
        perror(path);
        exit(1);
    }
    (void)fclose(in);
    return text;
}

static int read_documents(void **state)
{
    (void)state;
    hierarchy = read_document("formats/hierarchy.md");
    bins = read_document("formats/bins.md");
    axes = read_document("formats/axes.md");
    return 0;
}

static int free_documents(void **state)
{
    (void)state;
    free(hierarchy);
    free(bins);
    free(axes);
    return 0;
}

/* The cell from `at` to the next bar, without blanks around it and without backquotes. */
static const char *read_cell(const char *at, char *cell)
{
    size_t length = 0;
    while (*at == ' ') {
        at++;
    }
    for (; *at != '|' && *at != '\n' && *at != '\0'; at++) {
        if (*at != '`' && length < TEXT - 1) {
            cell[length++] = *at;
        }
    }
    while (length > 0 && cell[length - 1] == ' ') {
        length--;
    }
    cell[length] = '\0';
    return *at == '|' ? at + 1 : at;
}

/* The table that follows `mark`, without its two head lines. */
static table *read_table(const char *document, const char *mark)
{
    const char *at = strstr(document, mark);
    assert_non_null(at);
    assert_null(strstr(at + 1, mark));
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    at = strstr(at, "\n|");
    assert_non_null(at);
    for (int line = 0; at[0] == '\n' && at[1] == '|'; line++) {
        const char *cell = at + 2;
        assert_true(t->count < ROWS);
        row *r = &t->rows[t->count];
        for (int i = 0; i < CELLS && *cell != '\n'; i++) {
            cell = read_cell(cell, r->cells[i]);
        }
        t->count += line >= 2;
        at = strchr(at + 1, '\n');
        assert_non_null(at);
    }
    return t;
}

/* --------------------------------------------------------------------------- structures -- */

typedef struct {
    const char *name;
    size_t offset, size;
} member;

#define MEMBER(type, name)                                                                         \
    {                                                                                              \
#name, offsetof(type, name), sizeof((type *)0)->name                                       \
    }

static const member header_members[] = {
    MEMBER(kiln_format_header, magic),
    MEMBER(kiln_format_header, version_major),
    MEMBER(kiln_format_header, version_minor),
    MEMBER(kiln_format_header, header_crc),
    MEMBER(kiln_format_header, file_size),
    MEMBER(kiln_format_header, features_required),
    MEMBER(kiln_format_header, features_optional),
    MEMBER(kiln_format_header, section_count),
    MEMBER(kiln_format_header, section_entry_size),
    MEMBER(kiln_format_header, content_hash),
    MEMBER(kiln_format_header, build_key),
    MEMBER(kiln_format_header, reserved),
};

static const member section_members[] = {
    MEMBER(kiln_format_section, kind),         MEMBER(kiln_format_section, flags),
    MEMBER(kiln_format_section, codec),        MEMBER(kiln_format_section, transform),
    MEMBER(kiln_format_section, element_size), MEMBER(kiln_format_section, offset),
    MEMBER(kiln_format_section, stored_size),  MEMBER(kiln_format_section, raw_size),
    MEMBER(kiln_format_section, crc),          MEMBER(kiln_format_section, alignment),
    MEMBER(kiln_format_section, reserved),
};

static const member block_members[] = {
    MEMBER(kiln_format_block, stored_size),
    MEMBER(kiln_format_block, raw_size),
    MEMBER(kiln_format_block, crc),
};

static const member part_members[] = {
    MEMBER(kiln_format_part, triangle_first), MEMBER(kiln_format_part, triangle_count),
    MEMBER(kiln_format_part, node_path),      MEMBER(kiln_format_part, mesh_name),
    MEMBER(kiln_format_part, mesh),           MEMBER(kiln_format_part, primitive),
    MEMBER(kiln_format_part, face),           MEMBER(kiln_format_part, user),
};

static const member tree_members[] = {
    MEMBER(kiln_format_tree, name),           MEMBER(kiln_format_tree, bv),
    MEMBER(kiln_format_tree, leaf_max),       MEMBER(kiln_format_tree, node_first),
    MEMBER(kiln_format_tree, order_first),    MEMBER(kiln_format_tree, triangle_first),
    MEMBER(kiln_format_tree, triangle_count), MEMBER(kiln_format_tree, node_count),
    MEMBER(kiln_format_tree, depth),          MEMBER(kiln_format_tree, origin),
    MEMBER(kiln_format_tree, scale_exponent), MEMBER(kiln_format_tree, bounds_lower),
    MEMBER(kiln_format_tree, bounds_upper),   MEMBER(kiln_format_tree, geometry_hash),
    MEMBER(kiln_format_tree, closed),         MEMBER(kiln_format_tree, reference_count),
    MEMBER(kiln_format_tree, reserved),
};

static const member node8_members[] = {
    MEMBER(kiln_format_node8, org),      MEMBER(kiln_format_node8, exp),
    MEMBER(kiln_format_node8, inner),    MEMBER(kiln_format_node8, child),
    MEMBER(kiln_format_node8, tri),      MEMBER(kiln_format_node8, count),
    MEMBER(kiln_format_node8, half_exp), MEMBER(kiln_format_node8, flags),
};

static const member obb8_members[] = {
    MEMBER(kiln_format_node_obb8, head),
    MEMBER(kiln_format_node_obb8, rotation),
    MEMBER(kiln_format_node_obb8, centre),
    MEMBER(kiln_format_node_obb8, half),
};

static const member aabb8_members[] = {
    MEMBER(kiln_format_node_aabb8, head),
    MEMBER(kiln_format_node_aabb8, lower),
    MEMBER(kiln_format_node_aabb8, upper),
};

static const member axes_members[] = {
    MEMBER(kiln_format_axes, count),     MEMBER(kiln_format_axes, points),
    MEMBER(kiln_format_axes, kind),      MEMBER(kiln_format_axes, zone_cells),
    MEMBER(kiln_format_axes, radius),    MEMBER(kiln_format_axes, sine),
    MEMBER(kiln_format_axes, zone_sine), MEMBER(kiln_format_axes, reserved),
};

static const member heights_members[] = {
    MEMBER(kiln_format_heights, columns),  MEMBER(kiln_format_heights, rows),
    MEMBER(kiln_format_heights, origin),   MEMBER(kiln_format_heights, step),
    MEMBER(kiln_format_heights, hole),     MEMBER(kiln_format_heights, axis),
    MEMBER(kiln_format_heights, diagonal),
};

static const member bins_members[] = {
    MEMBER(kiln_format_bins, profile),
    MEMBER(kiln_format_bins, rounding),
    MEMBER(kiln_format_bins, max_u),
    MEMBER(kiln_format_bins, max_x),
    MEMBER(kiln_format_bins, row_size),
    MEMBER(kiln_format_bins, reserved0),
    MEMBER(kiln_format_bins, cut),
    MEMBER(kiln_format_bins, unit),
    MEMBER(kiln_format_bins, certificate_kept),
    MEMBER(kiln_format_bins, certificate_beyond),
    MEMBER(kiln_format_bins, kept),
    MEMBER(kiln_format_bins, reserved),
};

static const member obb2_members[] = {
    MEMBER(kiln_format_node_obb2, head),     MEMBER(kiln_format_node_obb2, axis),
    MEMBER(kiln_format_node_obb2, centre),   MEMBER(kiln_format_node_obb2, half),
    MEMBER(kiln_format_node_obb2, reserved),
};

static const member aabb2_members[] = {
    MEMBER(kiln_format_node_aabb2, head),
    MEMBER(kiln_format_node_aabb2, centre),
    MEMBER(kiln_format_node_aabb2, half),
};

static const member dop6_members[] = {
    MEMBER(kiln_format_node_dop6, box),
};

static const member dop14_members[] = {
    MEMBER(kiln_format_node_dop14, box),
    MEMBER(kiln_format_node_dop14, lower),
    MEMBER(kiln_format_node_dop14, upper),
};

static const member dop18_members[] = {
    MEMBER(kiln_format_node_dop18, box),
    MEMBER(kiln_format_node_dop18, lower),
    MEMBER(kiln_format_node_dop18, upper),
};

static const member dop24_members[] = {
    MEMBER(kiln_format_node_dop24, box),
    MEMBER(kiln_format_node_dop24, lower),
    MEMBER(kiln_format_node_dop24, upper),
};

static const member dop26_members[] = {
    MEMBER(kiln_format_node_dop26, box),
    MEMBER(kiln_format_node_dop26, lower),
    MEMBER(kiln_format_node_dop26, upper),
};

static const member sphere_members[] = {
    MEMBER(kiln_format_node_sphere, head),
    MEMBER(kiln_format_node_sphere, centre),
    MEMBER(kiln_format_node_sphere, radius),
};

static const member octree_members[] = {
    MEMBER(kiln_format_node_octree, box),
};

static const member adb_members[] = {
    MEMBER(kiln_format_adb, tree),      MEMBER(kiln_format_adb, box_first),
    MEMBER(kiln_format_adb, box_count), MEMBER(kiln_format_adb, grid),
    MEMBER(kiln_format_adb, regions),   MEMBER(kiln_format_adb, area),
    MEMBER(kiln_format_adb, polygons),  MEMBER(kiln_format_adb, factor),
    MEMBER(kiln_format_adb, reserved),
};

static const member adb_box_members[] = {
    MEMBER(kiln_format_adb_box, count),
    MEMBER(kiln_format_adb_box, lb),
    MEMBER(kiln_format_adb_box, depth),
    MEMBER(kiln_format_adb_box, reserved),
};

static const member adb_weights_members[] = {
    MEMBER(kiln_format_adb_weights, bv),      MEMBER(kiln_format_adb_weights, leaf_max),
    MEMBER(kiln_format_adb_weights, meaning), MEMBER(kiln_format_adb_weights, reserved),
    MEMBER(kiln_format_adb_weights, weight),
};

#define STRUCTURE(type, members)                                                                   \
    {                                                                                              \
#type, sizeof(type), members, sizeof members / sizeof members[0]                           \
    }

static const struct {
    const char *name;
    size_t size;
    const member *members;
    size_t count;
} structures[] = {
    STRUCTURE(kiln_format_header, header_members),
    STRUCTURE(kiln_format_section, section_members),
    STRUCTURE(kiln_format_block, block_members),
    STRUCTURE(kiln_format_part, part_members),
    STRUCTURE(kiln_format_tree, tree_members),
    STRUCTURE(kiln_format_node8, node8_members),
    STRUCTURE(kiln_format_node_obb8, obb8_members),
    STRUCTURE(kiln_format_node_aabb8, aabb8_members),
    STRUCTURE(kiln_format_bins, bins_members),
    STRUCTURE(kiln_format_axes, axes_members),
    STRUCTURE(kiln_format_heights, heights_members),
    STRUCTURE(kiln_format_node_obb2, obb2_members),
    STRUCTURE(kiln_format_node_aabb2, aabb2_members),
    STRUCTURE(kiln_format_node_dop6, dop6_members),
    STRUCTURE(kiln_format_node_dop14, dop14_members),
    STRUCTURE(kiln_format_node_dop18, dop18_members),
    STRUCTURE(kiln_format_node_dop24, dop24_members),
    STRUCTURE(kiln_format_node_dop26, dop26_members),
    STRUCTURE(kiln_format_node_sphere, sphere_members),
    STRUCTURE(kiln_format_node_octree, octree_members),
    STRUCTURE(kiln_format_adb, adb_members),
    STRUCTURE(kiln_format_adb_box, adb_box_members),
    STRUCTURE(kiln_format_adb_weights, adb_weights_members),
};

enum { STRUCTURES = sizeof structures / sizeof structures[0] };

/* Bytes of a type as the document writes it: "u8[3][8]". */
static size_t size_of_type(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"u8", 1},  {"i8", 1},  {"u16", 2}, {"u32", 4},    {"i32", 4},
                 {"f32", 4}, {"u64", 8}, {"f64", 8}, {"node8", 32}, {"aabb8", 80}};
    size_t size = 0;
    const size_t length = strcspn(type, "[");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strlen(types[i].name) == length && strncmp(types[i].name, type, length) == 0) {
            size = types[i].size;
        }
    }
    for (const char *at = type + length; *at == '['; at = strchr(at, ']') + 1) {
        size *= strtoul(at + 1, NULL, 10);
    }
    return size;
}

static void structures_stand_where_the_documents_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < STRUCTURES; i++) {
        char mark[TEXT];
        (void)snprintf(mark, sizeof mark, "<!-- struct %s -->", structures[i].name);
        table *t = read_table(strstr(bins, mark) != NULL   ? bins
                              : strstr(axes, mark) != NULL ? axes
                                                           : hierarchy,
                              mark);
        size_t end = 0;
        assert_int_equal(t->count, structures[i].count);
        for (size_t k = 0; k < t->count; k++) {
            const member *m = &structures[i].members[k];
            const row *r = &t->rows[k];
            assert_string_equal(r->cells[3], m->name);
            assert_int_equal(strtoul(r->cells[0], NULL, 10), m->offset);
            assert_int_equal(strtoul(r->cells[1], NULL, 10), m->size);
            assert_int_equal(size_of_type(r->cells[2]), m->size);
            assert_int_equal(m->offset, end); /* no hole */
            end += m->size;
        }
        assert_int_equal(end, structures[i].size);
        free(t);
    }
}

static void the_documents_have_no_other_structures(void **state)
{
    (void)state;
    size_t count = 0;
    for (int i = 0; i < 3; i++) {
        for (const char *at = i == 0   ? hierarchy
                              : i == 1 ? bins
                                       : axes;
             (at = strstr(at, "<!-- struct ")) != NULL; at++) {
            count++;
        }
    }
    assert_int_equal(count, STRUCTURES);
}

/* ------------------------------------------------------------------------ rules and kinds -- */

static void rules_read_as_the_document_says(void **state)
{
    (void)state;
    static const struct {
        uint32_t number;
        const char *text;
    } rules[] = {
#define RULE(name, number, text) {number, text},
        KILN_RULE_LIST(RULE)
#undef RULE
    };
    table *t = read_table(hierarchy, "<!-- rules -->");
    assert_int_equal(t->count, sizeof rules / sizeof rules[0]);
    for (uint32_t i = 0; i < t->count; i++) {
        char number[16];
        (void)snprintf(number, sizeof number, "R%u", rules[i].number);
        assert_int_equal(rules[i].number, i + 1);
        assert_string_equal(t->rows[i].cells[0], number);
        assert_string_equal(t->rows[i].cells[1], rules[i].text);
    }
    assert_int_equal(KILN_RULE_END, t->count + 1);
    free(t);
}

static const row *kind_row(const table *t, uint32_t kind)
{
    const char name[5] = {(char)kind, (char)(kind >> 8), (char)(kind >> 16), (char)(kind >> 24), 0};
    for (unsigned i = 0; i < t->count; i++) {
        if (strcmp(t->rows[i].cells[0], name) == 0) {
            return &t->rows[i];
        }
    }
    return NULL;
}

/* A kind without a size of its own has an element whose size the table's header gives. */
static void check_kind(const kiln_section_kind *kind, const row *r, const char *required)
{
    char *end;
    const unsigned long size = strtoul(r->cells[2], &end, 10);
    const bool is_number = end != r->cells[2] && *end == '\0';
    assert_int_equal(is_number ? size : 0, kind->element_size);
    assert_string_equal(r->cells[3], (kind->flags & KILN_SECTION_REQUIRED) == 0 ? "no" : required);
    assert_ptr_equal(kiln_section_kind_find(kind->kind), kind);
}

static void section_kinds_are_those_of_the_documents(void **state)
{
    (void)state;
    table *models = read_table(hierarchy, "<!-- kinds -->");
    table *tables = read_table(bins, "<!-- kinds -->");
    table *sets = read_table(axes, "<!-- kinds -->");
    unsigned seen = 0;
    for (unsigned i = 0; i < kiln_section_kind_count; i++) {
        const kiln_section_kind *kind = &kiln_section_kinds[i];
        const row *of_model = kind_row(models, kind->kind);
        const row *of_table = kind_row(tables, kind->kind);
        const row *of_set = kind_row(sets, kind->kind);
        assert_true(of_model != NULL || of_table != NULL || of_set != NULL);
        if (of_model != NULL) {
            check_kind(kind, of_model, kind->always ? "yes" : "yes, if there");
            seen++;
        }
        if (of_table != NULL) {
            check_kind(kind, of_table, "yes");
            seen++;
        }
        if (of_set != NULL) {
            check_kind(kind, of_set,
                       kind->kind == KILN_SECTION_AXES_ZONES ? "yes, if there" : "yes");
            seen++;
        }
    }
    assert_int_equal(seen, models->count + tables->count + sets->count);
    free(sets);
    free(models);
    free(tables);
}

static void node_kinds_have_their_sections(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        const kiln_section_kind *section = kiln_section_kind_find(kiln_node_kinds[i].section);
        assert_non_null(section);
        assert_int_equal(section->element_size, kiln_node_kinds[i].node_size);
        assert_int_equal(section->alignment, KILN_NODE_ALIGNMENT);
        assert_ptr_equal(kiln_node_kind_find(kiln_node_kinds[i].bv), &kiln_node_kinds[i]);
    }
    assert_null(kiln_node_kind_find(0));
    assert_null(kiln_section_kind_find(KILN_FOURCC('N', 'O', 'N', 'E')));
}

static void the_version_is_that_of_the_document(void **state)
{
    (void)state;
    char title[64];
    (void)snprintf(title, sizeof title, "format %u.%u\n", KILN_FORMAT_MAJOR,
                   KILN_FORMAT_MINOR_NEWEST);
    const char *at = strstr(hierarchy, title);
    assert_non_null(at);
    assert_true(at < strchr(hierarchy, '\n'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structures_stand_where_the_documents_say),
        cmocka_unit_test(the_documents_have_no_other_structures),
        cmocka_unit_test(rules_read_as_the_document_says),
        cmocka_unit_test(section_kinds_are_those_of_the_documents),
        cmocka_unit_test(node_kinds_have_their_sections),
        cmocka_unit_test(the_version_is_that_of_the_document),
    };
    return cmocka_run_group_tests(tests, read_documents, free_documents);
}
