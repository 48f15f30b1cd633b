/* The structures of a kiln file, exactly as they stand on disk: format 1.7.
 *
 * The documents are hierarchy.md and, for tables, bins.md and axes.md; a test holds their offset
 * tables against this header. Every structure is little-endian, fixed-width and without implicit
 * padding, so that on a little-endian machine a raw section is used in place from a read-only map.
 * Offsets and indices, never pointers. */
#ifndef KILN_FORMAT_H
#define KILN_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "kiln maps little-endian files in place; big-endian machines need a converting reader"
#endif

/* Written so that the header also compiles as C++. */
#ifdef __cplusplus
#define KILN_STATIC_ASSERT(condition, text) static_assert(condition, text)
#define KILN_ALIGNAS(bytes) alignas(bytes)
#else
#define KILN_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#define KILN_ALIGNAS(bytes) _Alignas(bytes)
#endif

#define KILN_FORMAT_MAJOR 1u
#define KILN_FORMAT_MINOR 0u         /* of files with nothing that a later minor added */
#define KILN_FORMAT_MINOR_AXES 4u    /* of files with an axis set */
#define KILN_FORMAT_MINOR_POINTS 5u  /* of files of points */
#define KILN_FORMAT_MINOR_HEIGHTS 6u /* of files with a height field */
#define KILN_FORMAT_MINOR_PAIRS 7u   /* of files with pairs of lanes of octrees */
#define KILN_FORMAT_MINOR_NEWEST 7u  /* that this reader knows all of */

/* A bit of features_optional: all triangles of the file are points, the three corners of each being
 * one vertex. Readers that do not know it give the same answers. */
#define KILN_FORMAT_OPTIONAL_POINTS 1u

/* PNG's idea: a byte that 7-bit channels spoil, the name, both line ends, and DOS's end of file. */
#define KILN_FORMAT_MAGIC "\x8BKLN\r\n\x1A\n"
#define KILN_FORMAT_MAGIC_SIZE 8u

#define KILN_SECTION_ALIGNMENT 64u /* every section starts on a multiple of this */
#define KILN_NODE_ALIGNMENT 16384u /* raw node sections start on a multiple of this */
#define KILN_BLOCK_SIZE 131072u    /* raw bytes in each deflate block but the last */
#define KILN_SECTION_COUNT_MAX 256u
#define KILN_TREE_COUNT_MAX 1048576u
#define KILN_TREE_DEPTH_MAX 64u /* nodes on the longest path from root to leaf */
#define KILN_NODE_WIDTH 8u
#define KILN_LEAF_TRIANGLES_MAX 15u
/* Range of an OBB8 node's half_exp: every half-extent decodes exactly, to a finite float. */
#define KILN_HALF_EXP_MIN 27u
#define KILN_HALF_EXP_MAX 127u
/* Largest exponent of a node's grid, of every kind: a step of 2^10. Coordinates of boxes are then
 * below 2^19, which the proofs of the kernels rely on (runtime/kernel/kernel_boxes.h). */
#define KILN_NODE_EXP_MAX 137u
#define KILN_NO_INDEX 0xFFFFFFFFu

/* An entry of the section of references is four times the number of a stored triangle, plus these
 * marks: LATER if another slot of the triangle comes before in the order of lanes, EARLIER if
 * another one comes after. */
#define KILN_REFERENCE_LATER 1u
#define KILN_REFERENCE_EARLIER 2u
#define KILN_REFERENCE_TRIANGLE 2 /* where the triangle's number begins */

#define KILN_FOURCC(a, b, c, d)                                                                    \
    ((uint32_t)(uint8_t)(a) | (uint32_t)(uint8_t)(b) << 8 | (uint32_t)(uint8_t)(c) << 16 |         \
     (uint32_t)(uint8_t)(d) << 24)

/* Section kinds. What each holds, its element size and its checks: sections.c, hierarchy.md. */
enum {
    KILN_SECTION_VERTICES = KILN_FOURCC('V', 'E', 'R', 'T'),     /* float32 x, y, z */
    KILN_SECTION_TRIANGLES = KILN_FOURCC('T', 'R', 'I', 'S'),    /* 3 uint32 vertex indices */
    KILN_SECTION_TRIANGLE_IDS = KILN_FOURCC('T', 'R', 'I', 'D'), /* stored triangle -> id */
    KILN_SECTION_FACES = KILN_FOURCC('F', 'A', 'C', 'E'),     /* id -> face record in the source */
    KILN_SECTION_USER = KILN_FOURCC('U', 'S', 'E', 'R'),      /* id -> user value (material) */
    KILN_SECTION_PARTS = KILN_FOURCC('P', 'A', 'R', 'T'),     /* kiln_format_part */
    KILN_SECTION_MATERIALS = KILN_FOURCC('M', 'A', 'T', 'L'), /* user value -> string offset */
    KILN_SECTION_STRINGS = KILN_FOURCC('S', 'T', 'R', 'S'),   /* UTF-8, each ended by a zero byte */
    KILN_SECTION_META = KILN_FOURCC('M', 'E', 'T', 'A'),      /* one JSON document */
    KILN_SECTION_TREES = KILN_FOURCC('T', 'R', 'E', 'E'),     /* kiln_format_tree */
    KILN_SECTION_NODES_OBB8 = KILN_FOURCC('O', 'B', 'B', '8'),  /* kiln_format_node_obb8 */
    KILN_SECTION_NODES_AABB8 = KILN_FOURCC('A', 'A', 'B', '8'), /* kiln_format_node_aabb8 */
    KILN_SECTION_NODES_OBB2 = KILN_FOURCC('O', 'B', 'B', '2'),  /* kiln_format_node_obb2 */
    KILN_SECTION_NODES_AABB2 = KILN_FOURCC('A', 'A', 'B', '2'), /* kiln_format_node_aabb2 */
    KILN_SECTION_NODES_DOP14 = KILN_FOURCC('D', 'O', 'P', '8'), /* kiln_format_node_dop14 */
    KILN_SECTION_NODES_DOP6 = KILN_FOURCC('D', 'P', '0', '6'),  /* kiln_format_node_dop6 */
    KILN_SECTION_NODES_DOP18 = KILN_FOURCC('D', 'P', '1', '8'), /* kiln_format_node_dop18 */
    KILN_SECTION_NODES_DOP24 = KILN_FOURCC('D', 'P', '2', '4'), /* kiln_format_node_dop24 */
    KILN_SECTION_NODES_DOP26 = KILN_FOURCC('D', 'P', '2', '6'), /* kiln_format_node_dop26 */
    KILN_SECTION_NODES_SPHERE = KILN_FOURCC('S', 'P', 'H', '8'),
    KILN_SECTION_NODES_OCTREE = KILN_FOURCC('O', 'C', 'T', '8'), /* kiln_format_node_octree */
    KILN_SECTION_HEIGHTS = KILN_FOURCC('H', 'G', 'R', 'D'),      /* kiln_format_heights, one */
    KILN_SECTION_SAMPLES = KILN_FOURCC('H', 'S', 'A', 'M'),      /* its samples, row by row */
    KILN_SECTION_ADB = KILN_FOURCC('A', 'D', 'B', 'T'),          /* kiln_format_adb */
    KILN_SECTION_ADB_BOXES = KILN_FOURCC('A', 'D', 'B', 'B'),    /* kiln_format_adb_box */
    KILN_SECTION_ADB_WEIGHTS = KILN_FOURCC('A', 'D', 'B', 'W'),  /* kiln_format_adb_weights */
    KILN_SECTION_ORDER = KILN_FOURCC('O', 'R', 'D', 'R'),        /* tree slot -> stored triangle */
    KILN_SECTION_REFERENCES = KILN_FOURCC('R', 'E', 'F', 'S'),   /* the same of octrees, x 4 */
    KILN_SECTION_LANE_PAIRS = KILN_FOURCC('O', 'C', 'T', 'P'),   /* kiln_lane_pair_bit, by node */
    KILN_SECTION_BINS = KILN_FOURCC('B', 'I', 'N', 'S'),         /* kiln_format_bins, one */
    KILN_SECTION_BINS_ROWS = KILN_FOURCC('B', 'R', 'O', 'W'),    /* a row for each u, v: bins.md */
    KILN_SECTION_BINS_FLOATS = KILN_FOURCC('B', 'F', '3', '2'),  /* records of float32 */
    KILN_SECTION_BINS_COUNTS = KILN_FOURCC('B', 'U', '1', '6'),  /* records of uint16 */
    KILN_SECTION_AXES = KILN_FOURCC('A', 'X', 'E', 'S'),         /* kiln_format_axes, one */
    KILN_SECTION_AXES_VECTORS = KILN_FOURCC('A', 'X', 'V', 'E'), /* axes, 3 doubles each */
    KILN_SECTION_AXES_ZONES = KILN_FOURCC('A', 'X', 'Z', 'O')    /* masks: axes.md */
};

enum {
    KILN_SECTION_REQUIRED = 1u, /* a reader that does not know the kind refuses the file */
    KILN_SECTION_CONTINUES = 2u /* further blocks of the section of this kind before it */
};

enum { KILN_CODEC_RAW = 0, KILN_CODEC_DEFLATE = 1, KILN_CODEC_COUNT };

enum {
    KILN_TRANSFORM_NONE = 0,
    KILN_TRANSFORM_PLANES = 1,       /* byte i of every element, then byte i + 1 ... */
    KILN_TRANSFORM_DELTA_PLANES = 2, /* words minus the same word one element before, then planes */
    KILN_TRANSFORM_CURVE16_PLANES = 3, /* second differences of 16-bit words, then planes */
    KILN_TRANSFORM_CURVE32_PLANES = 4, /* second differences of 32-bit words, then planes */
    KILN_TRANSFORM_LANES = 5,          /* nodes: planes of the lanes that are used (pack.h) */
    KILN_TRANSFORM_EDGES = 6,          /* triangles: by edges of those before (pack.h) */
    KILN_TRANSFORM_COUNT
};

/* Bounding-volume kinds, as stored in kiln_format_tree.bv. */
enum {
    KILN_FORMAT_BV_OBB8 = 1,
    KILN_FORMAT_BV_AABB8 = 2,
    KILN_FORMAT_BV_OBB2 = 3,
    KILN_FORMAT_BV_AABB2 = 4,
    KILN_FORMAT_BV_DOP14 = 5, /* since 1.1 */
    KILN_FORMAT_BV_DOP6 = 6,  /* since 1.2, and so are: */
    KILN_FORMAT_BV_DOP18 = 7,
    KILN_FORMAT_BV_DOP24 = 8,
    KILN_FORMAT_BV_DOP26 = 9,
    KILN_FORMAT_BV_SPHERE = 10,
    KILN_FORMAT_BV_OCTREE = 11 /* since 1.3 */
};

typedef struct {
    uint8_t magic[8];
    uint16_t version_major; /* a reader refuses another major */
    uint16_t version_minor; /* any: what it adds may be passed over */
    uint32_t header_crc;    /* CRC-32 of header and section table, this field taken as 0 */
    uint64_t file_size;
    uint64_t features_required; /* a set bit that the reader does not know: refused */
    uint64_t features_optional; /* a set bit that the reader does not know: ignored */
    uint32_t section_count;
    uint32_t section_entry_size; /* 64 */
    uint8_t content_hash[16];    /* SHA-256 of the decoded sections, first half */
    uint8_t build_key[16];       /* SHA-256 of source bytes, options and versions, first half */
    uint8_t reserved[48];        /* 0 */
} kiln_format_header;
KILN_STATIC_ASSERT(sizeof(kiln_format_header) == 128, "file header");

typedef struct {
    uint32_t kind;
    uint32_t flags;
    uint16_t codec;
    uint16_t transform;
    uint32_t element_size;
    uint64_t offset;      /* of the first stored byte, from the start of the file */
    uint64_t stored_size; /* without the padding that follows */
    uint64_t raw_size;    /* after decoding; a multiple of element_size */
    uint32_t crc;         /* raw: CRC-32 of the stored bytes; deflate: of the block table */
    uint32_t alignment;   /* of offset: a power of two, 64 or more */
    uint8_t reserved[16]; /* 0 */
} kiln_format_section;
KILN_STATIC_ASSERT(sizeof(kiln_format_section) == 64, "section table entry");

/* A deflate section is its block table, one entry for each KILN_BLOCK_SIZE raw bytes, then the
 * blocks, each a deflate stream of its own. */
typedef struct {
    uint32_t stored_size;
    uint32_t raw_size;
    uint32_t crc; /* CRC-32 of the stored bytes */
} kiln_format_block;
KILN_STATIC_ASSERT(sizeof(kiln_format_block) == 12, "block table entry");

typedef struct {
    uint32_t triangle_first; /* ids; parts tile 0 .. triangle count in order */
    uint32_t triangle_count;
    uint32_t node_path; /* string offset: names from the root, each preceded by '/' */
    uint32_t mesh_name; /* string offset */
    uint32_t mesh;      /* index of the mesh in the imported scene */
    uint32_t primitive; /* index of the primitive within its source mesh, where known, or 0 */
    uint32_t face;      /* of its first triangle, where there is no FACE; else 0 */
    uint32_t user;      /* of its triangles, where there is no USER; else 0 */
} kiln_format_part;
KILN_STATIC_ASSERT(sizeof(kiln_format_part) == 32, "part");

/* One tree. Its nodes live in node space: p_node = (p - origin) * 2^-scale_exponent, so that every
 * vertex of the tree has coordinates in [-1, 1]. */
typedef struct {
    uint32_t name;       /* string offset */
    uint16_t bv;         /* KILN_FORMAT_BV_... */
    uint16_t leaf_max;   /* most triangles in a leaf, 1 .. 15 */
    uint32_t node_first; /* first node in the section of its kind; node indices count from it */
    /* First entry in the order section, of an octree in that of references, or KILN_NO_INDEX: slot
     * = triangle. */
    uint32_t order_first;
    uint32_t triangle_first; /* stored triangles [first, first + count) */
    uint32_t triangle_count;
    uint32_t node_count;
    uint32_t depth; /* nodes on the longest path: 1 when the root has only leaves */
    double origin[3];
    int32_t scale_exponent; /* -400 .. 200 */
    float bounds_lower[3];  /* exact box of the tree's vertices */
    float bounds_upper[3];
    /* of the set of triangles; independent of their order: hierarchy.md */
    uint8_t geometry_hash[16];
    uint32_t closed;          /* KILN_CLOSED_... */
    uint32_t reference_count; /* slots of an octree, which are more than triangles; else 0 */
    uint32_t reserved[1];     /* 0 */
} kiln_format_tree;
KILN_STATIC_ASSERT(sizeof(kiln_format_tree) == 112, "tree directory entry");

/* A height field: samples on a grid, of which heights.h makes vertices, triangles and nodes. */
enum {
    KILN_DIAGONAL_RISING = 0,   /* each quad is cut from its first corner to the opposite one */
    KILN_DIAGONAL_FALLING = 1,  /* from the next one along the columns */
    KILN_DIAGONAL_ALTERNATE = 2 /* rising where column and row are both even or both odd */
};
#define KILN_HEIGHTS_NO_HOLE 65536u

typedef struct {
    uint32_t columns, rows; /* of samples, at least 2 each */
    /* Number i along the columns is at origin[0] + i step[0], along the rows at origin[1] + i
     * step[1], and sample s at origin[2] + s step[2], each in the coordinate that `axis` says. */
    double origin[3], step[3];
    uint32_t hole;    /* the sample that is none; KILN_HEIGHTS_NO_HOLE: all are heights */
    uint8_t axis[3];  /* 0 x, 1 y, 2 z, each once */
    uint8_t diagonal; /* KILN_DIAGONAL_... */
} kiln_format_heights;
KILN_STATIC_ASSERT(sizeof(kiln_format_heights) == 64, "height field");

/* How often each edge of a tree's triangles, identified by the coordinates of its ends, is passed.
 */
enum {
    KILN_CLOSED_NOT = 0,
    KILN_CLOSED_EVEN = 1,    /* an even number of times */
    KILN_CLOSED_ORIENTED = 2 /* as often one way as the other */
};

/* What every node starts with, whatever its bounding volume; a binary node uses lanes 0 and 1
 * only. Lane i is an inner node (bit i of inner), a leaf of count i triangles, or empty. The
 * k-th inner lane's node is child + k; the leaf lanes' triangles follow each other from slot tri
 * on, in lane order. */
typedef struct {
    float org[3];     /*  0 origin of the centre grid, node space */
    uint8_t exp[3];   /* 12 grid step on each axis = 2^(exp - 127) */
    uint8_t inner;    /* 15 */
    uint32_t child;   /* 16 first inner child; 0 where there is none */
    uint32_t tri;     /* 20 first triangle slot, relative to the tree's first */
    uint8_t count[4]; /* 24 eight 4-bit leaf counts, lane 0 in the low half of byte 0 */
    uint8_t half_exp; /* 28 OBB8: half-extents are halves * 2^(half_exp - 127); else 0 */
    uint8_t flags[3]; /* 29 0 */
} kiln_format_node8;
KILN_STATIC_ASSERT(sizeof(kiln_format_node8) == 32, "node header");

typedef struct {
    kiln_format_node8 head;
    int8_t rotation[3][8]; /* 32 Rodrigues vector * 127 / (sqrt(2) - 1) */
    uint8_t centre[3][8];  /* 56 centre = org + centre * step */
    uint16_t half[3][8];   /* 80 half-extents, IEEE half, rounded up; finite, not negative */
} kiln_format_node_obb8;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_obb8) == 128, "OBB8 node");

typedef struct {
    kiln_format_node8 head;
    uint8_t lower[3][8]; /* 32 lower = org + lower * step, rounded down */
    uint8_t upper[3][8]; /* 56 upper = org + upper * step, rounded up */
} kiln_format_node_aabb8;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_aabb8) == 80, "AABB8 node");

/* Binary nodes: boxes in floats, for two children. */
typedef struct {
    kiln_format_node8 head; /* the steps of exp are not used */
    float axis[9][2];       /*  32 [3 k + j]: coordinate j of axis k; orthonormal within 2^-19 */
    float centre[3][2];     /* 104 centre, relative to org */
    float half[3][2];       /* 128 half-extents, rounded up; finite, not negative */
    uint32_t reserved[2];   /* 152 0 */
} kiln_format_node_obb2;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_obb2) == 160, "OBB2 node");

typedef struct {
    kiln_format_node8 head; /* the steps of exp are not used */
    float centre[3][2];     /* 32 centre, relative to org */
    float half[3][2];       /* 56 half-extents, rounded up; finite, not negative */
} kiln_format_node_aabb2;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_aabb2) == 80, "AABB2 node");

/* k-DOPs: slabs along the axes, as AABB8, and along diagonals (kiln_dop_set in nodes.h has their
 * directions), in steps that follow from those of the axes. `lower` is rounded down, `upper` up. */
enum { KILN_DOP_SLABS_MAX = 10 }; /* beside those of the axes */

typedef struct {
    kiln_format_node_aabb8 box;
} kiln_format_node_dop6;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_dop6) == 80, "DOP6 node");

typedef struct {
    kiln_format_node_aabb8 box;
    uint8_t lower[4][8]; /*  80 */
    uint8_t upper[4][8]; /* 112 */
} kiln_format_node_dop14;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_dop14) == 144, "DOP14 node");

typedef struct {
    kiln_format_node_aabb8 box;
    uint8_t lower[6][8]; /*  80 */
    uint8_t upper[6][8]; /* 128 */
} kiln_format_node_dop18;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_dop18) == 176, "DOP18 node");

typedef struct {
    kiln_format_node_aabb8 box;
    uint8_t lower[9][8]; /*  80 */
    uint8_t upper[9][8]; /* 152 */
} kiln_format_node_dop24;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_dop24) == 224, "DOP24 node");

typedef struct {
    kiln_format_node_aabb8 box;
    uint8_t lower[10][8]; /*  80 */
    uint8_t upper[10][8]; /* 160 */
} kiln_format_node_dop26;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_dop26) == 240, "DOP26 node");

/* Balls. A radius is a finite, non-negative IEEE half, scaled by the header's half_exp; its two
 * bytes lie in two rows, so that every row has one byte for each lane. */
typedef struct {
    kiln_format_node8 head;
    uint8_t centre[3][8]; /* 32 in grid steps from org */
    uint8_t radius[2][8]; /* 56 low bytes, then high ones; rounded up */
} kiln_format_node_sphere;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_sphere) == 72, "sphere node");

/* The bit of a pair of lanes i < j of an octree's node. Where it is set, a triangle below lane i
 * and one below lane j may meet although no leaf has both, so that a descent of the tree against
 * itself has to look at these two lanes together. */
#define KILN_LANE_PAIRS_ALL 0x0FFFFFFFu

static inline uint32_t kiln_lane_pair_bit(unsigned i, unsigned j)
{
    return (uint32_t)1 << (j * (j - 1) / 2 + i);
}

/* Cells of an octree, in which a triangle may be in several leaves: the box of a lane holds the
 * parts of its triangles that are in its cell. */
typedef struct {
    kiln_format_node_aabb8 box;
} kiln_format_node_octree;
KILN_STATIC_ASSERT(sizeof(kiln_format_node_octree) == 80, "octree node");

/* Counts of possible collision cells (J. Klein and G. Zachmann's ADB-trees, 2003). What was
 * counted, for one tree; see adb.h for what the numbers mean. */
typedef struct {
    uint32_t tree;        /* index in the tree directory; ascending */
    uint32_t box_first;   /* first of its boxes; the trees tile the boxes in order */
    uint32_t box_count;   /* 1 + node count * lanes of the kind */
    uint8_t grid;         /* cells along an edge: 4, 8, 16 */
    uint8_t regions;      /* KILN_ADB_REGIONS_... */
    uint8_t area;         /* KILN_ADB_AREA_... */
    uint8_t polygons;     /* KILN_ADB_POLYGONS_... */
    double factor;        /* of the area; above 0, at most 1000 */
    uint32_t reserved[2]; /* 0 */
} kiln_format_adb;
KILN_STATIC_ASSERT(sizeof(kiln_format_adb) == 32, "counts of a tree");

enum {
    KILN_ADB_REGIONS_ONE = 1,
    KILN_ADB_REGIONS_OCTANTS = 2,
    KILN_ADB_REGIONS_SECTORS = 3,
    KILN_ADB_AREA_MEAN = 1,
    KILN_ADB_AREA_MAX = 2,
    KILN_ADB_POLYGONS_SUBTREE = 1,
    KILN_ADB_POLYGONS_BOX = 2
};

/* Box 0 of a tree is the whole tree's, box 1 + node * lanes + lane that of a lane. */
typedef struct {
    uint8_t count[8];    /* possible cells of each region, in units of kiln_adb_unit */
    uint8_t lb;          /* 255 (1 - log2 n / log2 N), n of the tree's N triangles below the box */
    uint8_t depth;       /* boxes above it */
    uint8_t reserved[2]; /* 0 */
} kiln_format_adb_box;
KILN_STATIC_ASSERT(sizeof(kiln_format_adb_box) == 12, "counts of a box");

enum {
    KILN_ADB_WEIGHTS_ROOM = 14,
    KILN_ADB_WEIGHTS_ROWS_MAX = 64,
    KILN_ADB_WEIGHTS_MEANING = 2, /* of the numbers, as follows */
    /* bias, lambda, margin, level, ratio, others, root, flat, lambda_level, yes, no, sure, thin */
    KILN_ADB_WEIGHTS_COUNT = 13,
    KILN_ADB_WEIGHTS_COUNT_1 = 12, /* with meaning 1: without thin, which is then 0 */
    KILN_ADB_WEIGHT_OTHERS = 5,    /* from 0 to 1 */
    KILN_ADB_WEIGHT_SURE = 11      /* above -1 */
};
#define KILN_ADB_WEIGHT_MAX 1e6f

/* Weights that were fitted for trees of a kind and size of leaves. */
typedef struct {
    uint16_t bv;       /* KILN_FORMAT_BV_... */
    uint16_t leaf_max; /* most triangles in a leaf, 1 .. 15 */
    uint16_t meaning;  /* not 0; a reader leaves rows alone whose meaning it does not know */
    uint16_t reserved; /* 0 */
    float weight[KILN_ADB_WEIGHTS_ROOM];
} kiln_format_adb_weights;
KILN_STATIC_ASSERT(sizeof(kiln_format_adb_weights) == 64, "weights of a kind");

/* --------------------------------------------------------------- filled-bins tables: bins.md -- */

#define KILN_BINS_TABLE_U_MAX 4096u /* 16^3 cells */
#define KILN_BINS_TABLE_X_MAX 10u

enum { KILN_BINS_EXACT = 1, KILN_BINS_COMPACT = 2 }; /* kiln_format_bins.profile */
enum { KILN_BINS_NEAREST = 0, KILN_BINS_DOWN = 1 };  /* kiln_format_bins.rounding */

typedef struct {
    uint32_t profile;        /* KILN_BINS_EXACT or KILN_BINS_COMPACT */
    uint32_t rounding;       /* KILN_BINS_NEAREST or KILN_BINS_DOWN */
    uint32_t max_u;          /* largest u, v, w: 1 .. 4096 */
    uint32_t max_x;          /* 1 .. 10 */
    uint32_t row_size;       /* bytes of a row */
    uint32_t reserved0;      /* 0 */
    double cut;              /* a row ends with the first value whose complement is at most this */
    double unit;             /* what a stored number is multiplied by */
    double certificate_kept; /* no kept value is further from the true one */
    double certificate_beyond; /* nor what stands for the values beyond a row's end */
    uint64_t kept[10];         /* values kept for x = 1 .. max_x; then 0 */
    uint32_t reserved[6];      /* 0 */
} kiln_format_bins;
KILN_STATIC_ASSERT(sizeof(kiln_format_bins) == 160, "table header");

/* Rows (u, v), 1 <= v <= u, by u, then v. */
static inline uint64_t kiln_bins_row_index(uint32_t u, uint32_t v)
{
    return (uint64_t)u * (u - 1) / 2 + (v - 1);
}

/* A row is first[max_x] of 32 bits, length[max_x] of 16 bits, and zeros up to a power of two. */
static inline uint32_t kiln_bins_row_size(uint32_t max_x)
{
    uint32_t size = 8;
    while (size < 6 * max_x) {
        size *= 2;
    }
    return size;
}

/* ------------------------------------------------------------------------ axis sets: axes.md -- */

#define KILN_AXES_COUNT_MAX 65536u
#define KILN_AXES_ZONE_CELLS_MAX 1024u

enum { KILN_AXES_SPHERICAL = 1, KILN_AXES_ANTIPODAL = 2 }; /* kiln_format_axes.kind */

typedef struct {
    uint32_t count;       /* of axes: 3 .. 65536 */
    uint32_t points;      /* of the covering that they were chosen from */
    uint32_t kind;        /* KILN_AXES_SPHERICAL or KILN_AXES_ANTIPODAL */
    uint32_t zone_cells;  /* along an edge of the look-up table: 0, or 1 .. 1024 */
    double radius;        /* covering radius of axes and opposites, in radians, rounded up */
    double sine;          /* its sine, rounded up */
    double zone_sine;     /* sine of phi, at least `sine`: of the look-up table */
    uint32_t reserved[6]; /* 0 */
} kiln_format_axes;
KILN_STATIC_ASSERT(sizeof(kiln_format_axes) == 64, "axis set");

/* 64-bit words of a mask. */
static inline uint32_t kiln_axes_mask_words(uint32_t count)
{
    return (count + 63) / 64;
}

#endif
