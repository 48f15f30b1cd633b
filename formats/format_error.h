/* What can be wrong with a file: one error, with where and why. Codes are those of kiln_status. */
#ifndef KILN_FORMAT_ERROR_H
#define KILN_FORMAT_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of errors and their numbers, which are those of KILN_ERROR_... in kiln.h: opening.c asserts
 * it for each entry of this list. */
#define KILN_FORMAT_ERROR_LIST(X)                                                                  \
    X(MEMORY, 13)                                                                                  \
    X(LIMIT, 14)                                                                                   \
    X(NOT_KILN, 20)                                                                                \
    X(VERSION, 21)                                                                                 \
    X(TRUNCATED, 22)                                                                               \
    X(CHECKSUM, 23)                                                                                \
    X(RULE, 24)                                                                                    \
    X(FEATURE, 25)                                                                                 \
    X(INFLATE, 26)                                                                                 \
    X(NOT_LOADED, 27)                                                                              \
    X(PARTIAL, 28)

enum {
    KILN_FORMAT_ERROR_NONE = 0,
#define KILN_FORMAT_ERROR_ENUM(name, number) KILN_FORMAT_ERROR_##name = number,
    KILN_FORMAT_ERROR_LIST(KILN_FORMAT_ERROR_ENUM)
#undef KILN_FORMAT_ERROR_ENUM
};

/* Rules of the format, numbered for good; hierarchy.md has the same list, for tables too. */
#define KILN_RULE_LIST(X)                                                                          \
    X(KILN_RULE_FILE_SIZE, 1, "the file is exactly as long as its header says")                    \
    X(KILN_RULE_RESERVED, 2, "reserved bytes and padding are zero")                                \
    X(KILN_RULE_SECTION_COUNT, 3, "1 to 256 sections, table entries of 64 bytes")                  \
    X(KILN_RULE_SECTION_PLACE, 4, "sections follow each other, aligned, inside the file")          \
    X(KILN_RULE_SECTION_SIZE, 5, "a section holds whole elements of the size its kind has")        \
    X(KILN_RULE_SECTION_CODEC, 6, "codec, transform and flags are known and fit each other")       \
    X(KILN_RULE_SECTION_ONCE, 7,                                                                   \
      "no kind is there twice, and none that a file must have is missing")                         \
    X(KILN_RULE_BLOCK_TABLE, 8, "the block table adds up to the section")                          \
    X(KILN_RULE_COUNTS, 9, "sections that speak of the same things have the same counts")          \
    X(KILN_RULE_VERTEX, 10, "coordinates are finite")                                              \
    X(KILN_RULE_TRIANGLE, 11, "vertex indices are below the vertex count")                         \
    X(KILN_RULE_TRIANGLE_ID, 12, "triangle ids are below the triangle count")                      \
    X(KILN_RULE_PART, 13, "parts tile the triangle ids in order")                                  \
    X(KILN_RULE_STRING, 14, "string offsets point into strings that end")                          \
    X(KILN_RULE_TREE, 15, "tree directory entries are in range")                                   \
    X(KILN_RULE_ORDER, 16, "order entries stay within the tree's triangles")                       \
    X(KILN_RULE_NODE_CHILD, 17, "children come after their parent, inside the tree")               \
    X(KILN_RULE_NODE_ONCE, 18, "every node is reached once")                                       \
    X(KILN_RULE_NODE_DEPTH, 19, "the depth is as the directory says")                              \
    X(KILN_RULE_NODE_LANE, 20, "a lane is an inner node, a leaf within leaf_max, or empty")        \
    X(KILN_RULE_NODE_SLOT, 21, "leaf triangles stay within the tree's slots")                      \
    X(KILN_RULE_NODE_FIELD, 22, "node fields are finite and in range")                             \
    X(KILN_RULE_LEAF_ONCE, 23, "every triangle is in one leaf")                                    \
    X(KILN_RULE_BINS_HEADER, 24, "the header of a filled-bins table is in range")                  \
    X(KILN_RULE_BINS_ROW, 25, "rows of a filled-bins table tile its records in order")             \
    X(KILN_RULE_BINS_VALUE, 26, "probabilities are from 0 to 1 and don't rise with x")             \
    X(KILN_RULE_ADB, 27, "counts name trees in order and tile their boxes")                        \
    X(KILN_RULE_ADB_BOX, 28, "counts of a box are within its regions, and zero for empty lanes")   \
    X(KILN_RULE_ADB_WEIGHTS, 29, "weights are those of kinds of trees, in order, and in range")    \
    X(KILN_RULE_REFERENCE, 30, "references stay within the octree's triangles, none is left out")  \
    X(KILN_RULE_AXES_HEADER, 31, "the header of an axis set is in range")                          \
    X(KILN_RULE_AXIS, 32, "axes are of length 1, in steps of 2^-53")                               \
    X(KILN_RULE_ZONE, 33, "a zone has an axis, and no bit beyond the axes")                        \
    X(KILN_RULE_POINTS, 34, "of a set of points the corners of a triangle are one vertex")         \
    X(KILN_RULE_HEIGHTS, 35, "a height field is in range, and its tree is what follows from it")

enum {
#define KILN_RULE_ENUM(name, number, text) name = number,
    KILN_RULE_LIST(KILN_RULE_ENUM)
#undef KILN_RULE_ENUM
        KILN_RULE_END
};

typedef struct {
    int code;        /* KILN_FORMAT_ERROR_... */
    uint32_t rule;   /* with KILN_FORMAT_ERROR_RULE */
    uint64_t offset; /* in the file; in the decoded section where that is compressed */
    char text[192];
} kiln_format_error;

/* Both fill *error and return false, so that a check can end with `return kiln_format_error_...`.
 */
bool kiln_format_error_set(kiln_format_error *error, int code, uint64_t offset, const char *format,
                           ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
bool kiln_format_error_rule(kiln_format_error *error, uint32_t rule, uint64_t offset,
                            const char *where);

#endif
