#include "counted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

counted counted_bake(mesh m, const char *bv, int leaf, int grid, kiln_adb_regions regions,
                     bool polygons)
{
    counted c = {.mesh = m};
    kiln_bake_options options = kiln_bake_options_default();
    size_t size;
    options.bv = bv;
    options.leaf = leaf;
    options.layout = KILN_LAYOUT_RAW;
    options.threads = 1;
    options.adb = grid;
    options.adb_area = KILN_ADB_AREA_BY_MEAN;
    options.adb_factor = 0.75;
    options.adb_polygons = KILN_ADB_SUBTREE;
    options.adb_regions = regions;
    options.no_geometry = !polygons;
    c.bytes = quick_bake_with(&c.mesh, &options, &size);
    assert_int_equal(kiln_open_memory(c.bytes, size, NULL, &c.file), KILN_OK);
    c.tree = kiln_file_tree(c.file, 0);
    assert_non_null(c.tree);
    return c;
}

counted counted_of(mesh m, const char *bv, int leaf)
{
    return counted_bake(m, bv, leaf, 4, KILN_ADB_OCTANTS, true);
}

void counted_free(counted *c)
{
    kiln_close(c->file);
    free(c->bytes);
    mesh_free(&c->mesh);
}
