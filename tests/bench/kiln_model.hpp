/* A mesh as kiln has it, for benchmarks. */
#ifndef KILN_BENCH_KILN_MODEL_HPP
#define KILN_BENCH_KILN_MODEL_HPP

#include "../../runtime/kiln.h"

extern "C" {
#include "../support/quick_bake.h"
}

#include <cstdlib>

/* An open file and the bytes it lives in, which whoever has it fills. */
struct OpenedFile {
    void *bytes = nullptr;
    kiln_file *file = nullptr;
    OpenedFile() = default;
    ~OpenedFile()
    {
        kiln_close(file);
        std::free(bytes);
    }
    OpenedFile(const OpenedFile &) = delete;
    OpenedFile &operator=(const OpenedFile &) = delete;
};

/* Both trees of a mesh. */
class KilnModel
{
  public:
    explicit KilnModel(const mesh &m)
    {
        opened.file = quick_open(&m, "obb,aabb", 4, KILN_LAYOUT_RAW, &opened.bytes);
        obb = kiln_file_find(opened.file, nullptr, KILN_BV_OBB);
        aabb = kiln_file_find(opened.file, nullptr, KILN_BV_AABB);
    }

  private:
    OpenedFile opened;

  public:
    const kiln_tree *obb, *aabb;
};

#endif
