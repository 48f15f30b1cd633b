/* Nodes as planes of bytes (formats/pack.h): the forward direction of the transform "lanes".
 *
 * Bytes of the same meaning are written next to each other, all nodes' before those of the next,
 * because deflate finds repetition among them and none between a node's own fields. Slots and
 * children follow from the nodes before them up to a difference that is nearly always zero, and of
 * unused lanes nothing is written. Planes that are alike stand together, and a segment ends where
 * they cease to be. */
#include "../../formats/pack.h"

#include "../../formats/assert.h"
#include "../../formats/nodes.h"
#include "transform.h"

/* What is being written: planes, one after the other. */
typedef struct {
    const uint8_t *nodes;
    uint32_t element_size;
    size_t count;
    uint8_t *out;
    size_t at;
    kiln_segments *segments;
} writer;

static const kiln_format_node8 *head_at(const writer *w, size_t i)
{
    KILN_ASSERT(i < w->count);
    return (const kiln_format_node8 *)(const void *)(w->nodes + i * w->element_size);
}

static void end_segment(writer *w)
{
    kiln_segments_end(w->segments, w->at);
}

/* Small differences of either sign as small numbers. */
static uint32_t zigzag(uint32_t difference)
{
    return difference << 1 ^ (0u - (difference >> 31));
}

/* One byte of every node. */
static void put_plane(writer *w, size_t byte)
{
    KILN_ASSERT(byte < w->element_size);
    for (size_t i = 0; i < w->count; i++) {
        w->out[w->at++] = w->nodes[i * w->element_size + byte];
    }
}

/* The four bytes of a word, each into its plane. */
static void put_word(writer *w, size_t place, size_t planes, uint32_t word)
{
    KILN_ASSERT(place < planes);
    for (size_t byte = 0; byte < 4; byte++) {
        w->out[w->at + byte * planes + place] = (uint8_t)(word >> 8 * byte);
    }
}

bool kiln_lanes_apply(uint32_t element_size, const uint8_t *in, size_t size, uint8_t *out,
                      size_t *out_size, kiln_segments *segments)
{
    KILN_ASSERT(size % element_size == 0);
    writer w = {in, element_size, size / element_size, out, 0, segments};

    /* What the block takes: heads, children of inner nodes, and the bytes of used lanes. It is
     * known before a byte is written, so that a block which grows leaves `out` alone. */
    *out_size = KILN_LANES_HEAD * w.count;
    for (size_t i = 0; i < w.count; i++) {
        const kiln_format_node8 *head = head_at(&w, i);
        *out_size += head->inner != 0 ? KILN_LANES_CHILD : 0;
        *out_size +=
            (size_t)kiln_popcount8(kiln_node8_used(head)) * kiln_lanes_planes(element_size);
    }
    if (*out_size > KILN_BLOCK_SIZE) {
        return false;
    }

    /* Heads: the fields that all kinds of nodes share, one plane a byte. */
    put_plane(&w, offsetof(kiln_format_node8, inner));
    end_segment(&w);
    for (size_t k = 0; k < 4; k++) {
        put_plane(&w, offsetof(kiln_format_node8, count) + k);
    }
    end_segment(&w);
    for (size_t k = 0; k < 3; k++) {
        put_plane(&w, offsetof(kiln_format_node8, exp) + k);
    }
    put_plane(&w, offsetof(kiln_format_node8, half_exp));
    end_segment(&w);
    for (size_t k = 0; k < sizeof(float[3]); k++) {
        put_plane(&w, offsetof(kiln_format_node8, org) + k);
        end_segment(&w);
    }

    /* Slots as differences from where the node before it ended, which are zero but at the ends
     * of subtrees. */
    uint32_t slot = 0;
    for (size_t i = 0; i < w.count; i++) {
        const kiln_format_node8 *head = head_at(&w, i);
        put_word(&w, i, w.count, zigzag(head->tri - slot));
        slot = head->tri;
        for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
            slot += kiln_node8_count(head, lane);
        }
    }
    w.at += 4 * w.count;
    end_segment(&w);

    /* Children as differences from the number that would follow, of inner nodes alone. */
    size_t parents = 0, parent = 0;
    uint32_t next = 0;
    for (size_t i = 0; i < w.count; i++) {
        parents += head_at(&w, i)->inner != 0;
    }
    for (size_t i = 0; i < w.count; i++) {
        const kiln_format_node8 *head = head_at(&w, i);
        if (head->inner != 0) {
            put_word(&w, parent++, parents, zigzag(head->child - next));
            next = head->child + kiln_popcount8(head->inner);
        }
    }
    w.at += 4 * parents;
    end_segment(&w);

    /* Lanes: every byte of the used ones, one plane for each place in a lane. */
    for (uint32_t plane = 0; plane < kiln_lanes_planes(w.element_size); plane++) {
        for (size_t i = 0; i < w.count; i++) {
            const uint8_t *node = w.nodes + i * w.element_size;
            const unsigned used = kiln_node8_used(head_at(&w, i));
            for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
                if ((used >> lane & 1) != 0) {
                    w.out[w.at++] = node[kiln_lanes_byte(w.element_size, plane, lane)];
                }
            }
        }
        end_segment(&w);
    }
    return true;
}
