/* Undoes the two transforms that know what they pack (hierarchy.md, section 5).
 *
 * Nodes by lanes: a block holds planes of the fields of the nodes' headers, then of the lanes
 * that are in use. Lanes that are empty take no room, and neither do numbers that follow from
 * the node before: children and slots are stored as differences to where they usually are.
 *
 * Triangles by shared edges and recent corners (after J. Rossignac, "Edgebreaker: Connectivity
 * Compression for Triangle Meshes", 1999, and the strip coders that followed it): most
 * triangles share an edge with one that came shortly before, and most corners that are not on
 * it are new. A block stands on its own: it starts without triangles.
 *
 * Bytes may be anything: both return false where they are nothing that the transform makes, and
 * write inside the block only. */
#include "pack.h"

#include "assert.h"
#include "nodes.h"

/* ---------------------------------------------------------------------------- nodes by lanes -- */

/* Word i of `count` words in four byte planes. */
static uint32_t plane_word(const uint8_t *planes, size_t count, size_t i)
{
    return (uint32_t)planes[i] | (uint32_t)planes[count + i] << 8 |
           (uint32_t)planes[2 * count + i] << 16 | (uint32_t)planes[3 * count + i] << 24;
}

/* Headers, but for `child`. *used becomes the number of lanes in use, *parents that of nodes
 * with inner lanes: the sizes of what follows. */
static void read_heads(uint32_t element_size, const uint8_t *in, uint8_t *out, size_t count,
                       size_t *used, size_t *parents)
{
    const uint8_t *tri = in + (KILN_LANES_HEAD - 4) * count;
    uint32_t slot = 0;
    *used = *parents = 0;
    for (size_t i = 0; i < count; i++) {
        kiln_format_node8 head;
        const uint8_t *plane = in + i;
        uint8_t org[sizeof head.org];
        memset(&head, 0, sizeof head);
        head.inner = *plane;
        for (unsigned k = 0; k < 4; k++) {
            head.count[k] = *(plane += count);
        }
        for (unsigned k = 0; k < 3; k++) {
            head.exp[k] = *(plane += count);
        }
        head.half_exp = *(plane += count);
        for (unsigned k = 0; k < sizeof org; k++) {
            org[k] = *(plane += count);
        }
        memcpy(head.org, org, sizeof org);
        head.tri = slot + kiln_unzigzag(plane_word(tri, count, i));

        /* The next node's slots usually follow those of this one: the sum of its eight counts. */
        const uint32_t counts = kiln_node8_counts(&head);
        const uint32_t pairs = (counts & 0x0F0F0F0Fu) + (counts >> 4 & 0x0F0F0F0Fu);
        slot = head.tri + (pairs * 0x01010101u >> 24);
        *used += kiln_popcount8(kiln_node8_used(&head));
        *parents += head.inner != 0;
        memcpy(out + i * element_size, &head, sizeof head);
    }
}

/* The bytes of the lanes in use; Each lane has `planes` of them, one after the other. */
static void read_lanes(uint32_t element_size, const uint8_t *in, uint8_t *out, size_t count,
                       size_t used)
{
    const uint32_t planes = kiln_lanes_planes(element_size);
    uint32_t place[KILN_LANES_SIZE_MAX / KILN_NODE_WIDTH],
        step[KILN_LANES_SIZE_MAX / KILN_NODE_WIDTH];
    for (uint32_t plane = 0; plane < planes; plane++) {
        place[plane] = kiln_lanes_byte(element_size, plane, 0);
        step[plane] = kiln_lanes_byte(element_size, plane, 1) - place[plane];
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t *node = out + i * element_size;
        unsigned lanes = kiln_node8_used((const kiln_format_node8 *)(const void *)node);
        memset(node + sizeof(kiln_format_node8), 0, element_size - sizeof(kiln_format_node8));
        for (unsigned lane = 0; lanes != 0; lane++, lanes >>= 1) {
            if ((lanes & 1) == 0) {
                continue;
            }
            for (uint32_t plane = 0; plane < planes; plane++) {
                node[place[plane] + lane * step[plane]] = in[plane * used];
            }
            in++;
        }
    }
}

bool kiln_lanes_undo(uint32_t element_size, const uint8_t *in, size_t in_size, uint8_t *out,
                     size_t size)
{
    const size_t count = size / element_size;
    const size_t heads = KILN_LANES_HEAD * count;
    KILN_ASSERT(kiln_lanes_size_is_known(element_size));
    KILN_ASSERT(size % element_size == 0);
    size_t used, parents;
    if (in_size < heads) {
        return false;
    }
    read_heads(element_size, in, out, count, &used, &parents);
    const size_t children = KILN_LANES_CHILD * parents;
    if (in_size != heads + children + kiln_lanes_planes(element_size) * used) {
        return false;
    }
    uint32_t next = 0;
    size_t parent = 0;
    for (size_t i = 0; i < count; i++) {
        kiln_format_node8 *head = (kiln_format_node8 *)(void *)(out + i * element_size);
        if (head->inner != 0) {
            head->child = next + kiln_unzigzag(plane_word(in + heads, parents, parent++));
            next = head->child + kiln_popcount8(head->inner);
        }
    }
    KILN_ASSERT(parent == parents);
    read_lanes(element_size, in + heads + children, out, count, used);
    return true;
}

/* ------------------------------------------------------------------ triangles by shared edges --
 */

/* What is left of the streams of a block. */
typedef struct {
    const uint8_t *corner, *corner_end;
    const uint8_t *far; /* byte 0 of the next distance; planes of `far_count` */
    size_t far_count, far_left;
    uint32_t next;
    kiln_triangles_recent recent;
} streams;

/* The next corner by its code: a recent one, a new one, or one by its distance from the next
 * new one. */
static bool read_corner(streams *s, uint32_t *vertex)
{
    KILN_ASSERT(s->corner <= s->corner_end);
    if (s->corner == s->corner_end) {
        return false;
    }
    const uint32_t code = *s->corner++;
    if (code - 1 < KILN_TRIANGLES_RECENT) {
        *vertex = kiln_triangles_recall(&s->recent, code);
        return true;
    }
    if (code == KILN_TRIANGLES_NEW) {
        *vertex = s->next++;
    } else if (code == KILN_TRIANGLES_FAR && s->far_left > 0) {
        const uint8_t *far = s->far++;
        const size_t n = s->far_count;
        s->far_left--;
        *vertex = s->next - ((uint32_t)far[0] | (uint32_t)far[n] << 8 | (uint32_t)far[2 * n] << 16 |
                             (uint32_t)far[3 * n] << 24);
    } else {
        return false;
    }
    kiln_triangles_remember(&s->recent, *vertex);
    return true;
}

/* Where corner k + i of a triangle that starts at corner k is, k + i modulo 3. */
static const uint8_t corner_after[5] = {0, 1, 2, 0, 1};

bool kiln_triangles_undo(const uint8_t *in, size_t in_size, uint8_t *out, size_t size)
{
    kiln_triangles_head head;
    const size_t count = size / (3 * sizeof(uint32_t));
    if (in_size < sizeof head + count) {
        return false;
    }
    memcpy(&head, in, sizeof head);
    const size_t rest = in_size - sizeof head - count;
    if (head.corners > rest || (rest - head.corners) / 4 != head.far ||
        (rest - head.corners) % 4 != 0) {
        return false;
    }
    const uint8_t *edges = in + sizeof head;
    const uint8_t *corners = edges + count;
    streams s = {
        corners, corners + head.corners, corners + head.corners, head.far, head.far, head.next,
        {{0}, 0}};
    uint32_t *triangles = (uint32_t *)(void *)out;
    for (size_t i = 0; i < count; i++) {
        /* Edge code 9 b + 3 k + r: corners r and r + 1 are corners k + 1 and k of the triangle
         * b + 1 before, so that only the third corner has a code. */
        uint32_t *triangle = triangles + 3 * i;
        const uint32_t edge = edges[i], back = edge / 9, k = edge / 3 % 3, r = edge % 3;
        if (edge == KILN_TRIANGLES_EDGE_NONE) {
            if (!read_corner(&s, &triangle[0]) || !read_corner(&s, &triangle[1]) ||
                !read_corner(&s, &triangle[2])) {
                return false;
            }
            continue;
        }
        if (back >= i || back >= KILN_TRIANGLES_BACK) {
            return false;
        }
        const uint32_t *other = triangles + 3 * (i - 1 - back);
        triangle[r] = other[corner_after[k + 1]];
        triangle[corner_after[r + 1]] = other[k];
        if (!read_corner(&s, &triangle[corner_after[r + 2]])) {
            return false;
        }
    }
    return s.corner == s.corner_end && s.far_left == 0;
}
