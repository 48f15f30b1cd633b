/* Nodes from planes of their headers and of the lanes that they use: lanes that are empty, and
 * numbers that follow from the node before, take no room. */
#include "pack.h"

#include "nodes.h"

/* Word i of `count` words in four byte planes. */
static uint32_t plane_word(const uint8_t *planes, size_t count, size_t i)
{
    return (uint32_t)planes[i] | (uint32_t)planes[count + i] << 8 |
           (uint32_t)planes[2 * count + i] << 16 | (uint32_t)planes[3 * count + i] << 24;
}

static kiln_format_node8 head_of(const uint8_t *in, size_t count, size_t i)
{
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
    return head;
}

/* Slots that the leaves of a node take. */
static uint32_t triangles_of(const kiln_format_node8 *head)
{
    const uint32_t counts = kiln_node8_counts(head);
    const uint32_t pairs = (counts & 0x0F0F0F0Fu) + (counts >> 4 & 0x0F0F0F0Fu);
    return pairs * 0x01010101u >> 24;
}

/* Headers, but for `child`; *used is the number of lanes in use, *parents that of nodes with inner
 * lanes. */
static void read_heads(uint32_t element_size, const uint8_t *in, uint8_t *out, size_t count,
                       size_t *used, size_t *parents)
{
    const uint8_t *tri = in + (KILN_LANES_HEAD - 4) * count;
    uint32_t slot = 0;
    *used = *parents = 0;
    for (size_t i = 0; i < count; i++) {
        kiln_format_node8 head = head_of(in, count, i);
        head.tri = slot + kiln_unzigzag(plane_word(tri, count, i));
        slot = head.tri + triangles_of(&head);
        *used += kiln_popcount8(kiln_node8_used(&head));
        *parents += head.inner != 0;
        memcpy(out + i * element_size, &head, sizeof head);
    }
}

static void read_children(uint32_t element_size, const uint8_t *in, uint8_t *out, size_t count,
                          size_t parents)
{
    uint32_t next = 0;
    size_t parent = 0;
    for (size_t i = 0; i < count; i++) {
        kiln_format_node8 *head = (kiln_format_node8 *)(void *)(out + i * element_size);
        if (head->inner != 0) {
            head->child = next + kiln_unzigzag(plane_word(in, parents, parent++));
            next = head->child + kiln_popcount8(head->inner);
        }
    }
}

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
    size_t used, parents;
    if (in_size < heads) {
        return false;
    }
    read_heads(element_size, in, out, count, &used, &parents);
    const size_t children = KILN_LANES_CHILD * parents;
    if (in_size != heads + children + kiln_lanes_planes(element_size) * used) {
        return false;
    }
    read_children(element_size, in + heads, out, count, parents);
    read_lanes(element_size, in + heads + children, out, count, used);
    return true;
}
