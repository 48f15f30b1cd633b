/* See body.h. */
#include "body.h"

#include <stdlib.h>

uint32_t body_value(uint32_t triangle)
{
    return (triangle * 2654435761u) >> 24;
}

kiln_layout body_layout(uint32_t i)
{
    return i % 25 == 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW;
}

static kiln_file *bake_and_open(const mesh *m, int leaf, kiln_layout layout, void **bytes)
{
    kiln_bake_options options = kiln_bake_options_default();
    kiln_file *file;
    size_t size;
    uint32_t *values = malloc((m->triangle_count + 1) * sizeof *values);
    if (values == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        values[i] = body_value(i);
    }
    options.bv = QUICK_ALL_KINDS;
    options.leaf = leaf;
    options.layout = layout;
    options.threads = 1;
    *bytes = quick_bake_valued(m, values, &options, &size);
    free(values);
    if (kiln_open_memory(*bytes, size, NULL, &file) != KILN_OK) {
        abort();
    }
    return file;
}

body body_of(mesh m, int leaf, kiln_layout layout)
{
    body b;
    b.mesh = m;
    b.file = bake_and_open(&b.mesh, leaf, layout, &b.bytes);
    for (int i = 0; i < BODY_KINDS; i++) {
        b.trees[i] = kiln_file_find(b.file, NULL, kiln_node_kinds[i].bv);
        if (b.trees[i] == NULL) {
            abort();
        }
    }
    return b;
}

void body_free(body *b)
{
    kiln_close(b->file);
    free(b->bytes);
    mesh_free(&b->mesh);
}

bool body_keeps(const body_rule *rule, uint32_t triangle)
{
    return triangle % rule->modulus == rule->rest;
}

bool body_keeps_pair(const body_rule *rule, uint32_t a, uint32_t b)
{
    return body_keeps(rule, a + b);
}

bool body_filter(void *rule, uint32_t triangle, uint32_t value)
{
    body_rule *r = rule;
    r->calls++;
    if (value != body_value(triangle)) {
        abort();
    }
    return body_keeps(r, triangle);
}

bool body_pair_filter(void *rule, kiln_pair pair)
{
    body_rule *r = rule;
    r->calls++;
    if (pair.value_a != body_value(pair.a) || pair.value_b != body_value(pair.b)) {
        abort();
    }
    return body_keeps_pair(r, pair.a, pair.b);
}
