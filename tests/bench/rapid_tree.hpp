/* A binary tree of oriented boxes in floats as its inventors walk it, without anything of kiln's:
 * what the algorithm alone is worth, whatever a library adds to it. After Gottschalk, Lin and
 * Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference Detection", SIGGRAPH 1996:
 * boxes along the principal axes of their triangles, weighted by area (section 4), split at the
 * mean of the longest one, one triangle a leaf; each box relative to its parent's; the test of 15
 * axes, one after another, that leaves at the first that separates (section 5); the larger box is
 * opened.
 *
 * Nothing is exact: boxes, poses and triangles are floats, and triangles that touch may be
 * missed. */
#ifndef KILN_BENCH_RAPID_TREE_HPP
#define KILN_BENCH_RAPID_TREE_HPP

#include "shapes.h"

#include "../../runtime/kiln.h"

#include <cstdint>
#include <vector>

/* A map p = rotation q + translation. */
struct RapidPlace {
    float rotation[3][3], translation[3];
};

/* Do two triangles, nine coordinates each, meet? By 17 axes. */
bool rapid_triangles_meet(const float a[9], const float b[9]);

class RapidTree
{
  public:
    explicit RapidTree(const mesh &m);

    /* Does `other` at `pose` meet this? */
    bool collide(const RapidTree &other, const kiln_pose &pose) const;

  private:
    struct Box {          /* 64 bytes */
        RapidPlace place; /* in the parent's box; the root's in the mesh */
        float half[3];    /* the first is the largest */
        int32_t first;    /* of two children, or -1 - triangle */
    };

    void split(std::vector<uint32_t> &list, size_t from, size_t to, size_t at,
               const RapidPlace &parent);
    RapidPlace fit(const std::vector<uint32_t> &list, size_t from, size_t to, Box &box,
                   double mean[3]) const;
    bool meet(size_t a, const RapidTree &other, size_t b, const RapidPlace &b_in_a) const;
    bool triangles_meet(int32_t a, const RapidTree &other, int32_t b) const;

    std::vector<Box> boxes;
    std::vector<float> corners; /* nine a triangle */
    mutable RapidPlace moved;   /* of the other mesh, in this, while a query runs */
};

#endif
