/* A mesh as kiln has it, for benchmarks. */
#ifndef KILN_BENCH_KILN_MODEL_HPP
#define KILN_BENCH_KILN_MODEL_HPP

#include "../../runtime/kiln.h"

extern "C" {
#include "../support/quick_bake.h"
}

#include <cstdlib>

/* Both trees of a mesh and the bytes they live in. */
class KilnModel
{
  public:
    explicit KilnModel(const mesh &m)
        : file(quick_open(&m, "obb,aabb", 4, KILN_LAYOUT_RAW, &bytes)),
          obb(kiln_file_find(file, nullptr, KILN_BV_OBB)),
          aabb(kiln_file_find(file, nullptr, KILN_BV_AABB))
    {
    }
    ~KilnModel()
    {
        kiln_close(file);
        std::free(bytes);
    }
    KilnModel(const KilnModel &) = delete;
    KilnModel &operator=(const KilnModel &) = delete;

  private:
    void *bytes = nullptr;
    kiln_file *file;

  public:
    const kiln_tree *const obb, *const aabb;
};

#endif
