/* Triangles as edges shared with earlier ones (formats/pack.h): the forward direction of the
 * transform "edges".
 *
 * Each triangle names the nearest triangle before it that shares an edge, run through in the other
 * direction, then the corner that is not on it. Corners are new, one of the few that were used
 * last, or far. Streams of each kind of number are written one after the other, and each ends a
 * segment. Nothing here needs the mesh to be closed or manifold: a triangle without a neighbour
 * lists its three corners. */
#include "../../formats/pack.h"

#include "../../formats/assert.h"
#include "transform.h"

/* Streams as they grow. */
typedef struct {
    uint8_t corner[KILN_BLOCK_SIZE];
    uint32_t far[KILN_BLOCK_SIZE / sizeof(uint32_t)];
    kiln_triangles_head head;
    uint32_t next;
    kiln_triangles_recent recent;
} streams;

/* The edge shared with an earlier triangle, as its distance back and the two edges' numbers. */
static uint32_t edge_code(const uint32_t *triangles, size_t index)
{
    static const uint32_t after[3] = {1, 2, 0};
    const uint32_t *triangle = triangles + 3 * index;
    /* The nearest triangle is taken: its code is small, and small codes are frequent, which deflate
     * needs. */
    for (uint32_t back = 0; back < KILN_TRIANGLES_BACK && back < index; back++) {
        const uint32_t *other = triangle - 3 * (size_t)(back + 1);
        for (uint32_t k = 0; k < 3; k++) {
            for (uint32_t r = 0; r < 3; r++) {
                if (triangle[r] == other[after[k]] && triangle[after[r]] == other[k]) {
                    return 9 * back + 3 * k + r;
                }
            }
        }
    }
    return KILN_TRIANGLES_EDGE_NONE;
}

/* A vertex as new, recently used, or by its distance back from the next new one. */
static void put_corner(streams *s, uint32_t vertex)
{
    KILN_ASSERT(s->head.corners < KILN_BLOCK_SIZE);
    uint8_t *code = &s->corner[s->head.corners++];
    if (vertex == s->next) {
        *code = KILN_TRIANGLES_NEW;
        s->next++;
    } else {
        for (uint32_t i = 1; i <= KILN_TRIANGLES_RECENT; i++) {
            if (kiln_triangles_recall(&s->recent, i) == vertex) {
                *code = (uint8_t)i;
                return;
            }
        }
        *code = KILN_TRIANGLES_FAR;
        s->far[s->head.far++] = s->next - vertex;
    }
    kiln_triangles_remember(&s->recent, vertex);
}

bool kiln_triangles_apply(const uint8_t *in, size_t size, uint8_t *out, size_t *out_size,
                          kiln_segments *segments, uint8_t *work)
{
    KILN_ASSERT(size % (3 * sizeof(uint32_t)) == 0);
    const uint32_t *triangles = (const uint32_t *)(const void *)in;
    const size_t count = size / (3 * sizeof(uint32_t));
    KILN_ASSERT(count > 0);

    /* The first vertex of the block that was in none before it: one more than all that it refers
     * back to where vertices stand in the order of first use, as the baker has them. The corners
     * are walked back, so that each vertex from `next` on lowers it by one. */
    uint32_t next = 0;
    for (size_t i = 0; i < 3 * count; i++) {
        next = triangles[i] > next ? triangles[i] : next;
    }
    next++;
    for (size_t i = 3 * count; i-- > 0;) {
        next = triangles[i] + 1 == next ? triangles[i] : next;
    }

    /* The codes of edges go straight to their place, corners into streams of their own. */
    KILN_STATIC_ASSERT(sizeof(streams) <= KILN_TRANSFORM_WORK, "room for the streams");
    streams *s = (streams *)(void *)work;
    s->head = (kiln_triangles_head){next, 0, 0};
    s->next = s->head.next;
    memset(&s->recent, 0, sizeof s->recent);
    for (size_t i = 0; i < count; i++) {
        static const uint32_t third[3] = {2, 0, 1};
        const uint32_t code = edge_code(triangles, i);
        out[sizeof s->head + i] = (uint8_t)code;
        for (uint32_t k = 0; k < 3; k++) {
            if (code == KILN_TRIANGLES_EDGE_NONE || k == third[code % 3]) {
                put_corner(s, triangles[3 * i + k]);
            }
        }
    }
    /* Triangles without shared edges may take more bytes than before; such a block is not carried.
     */
    *out_size = sizeof s->head + count + s->head.corners + 4 * (size_t)s->head.far;
    if (*out_size > KILN_BLOCK_SIZE) {
        return false;
    }

    size_t at = sizeof s->head;
    memcpy(out, &s->head, sizeof s->head);
    kiln_segments_end(segments, at + count);
    at += count;
    memcpy(out + at, s->corner, s->head.corners);
    at += s->head.corners;
    kiln_segments_end(segments, at);
    for (uint32_t byte = 0; byte < 4; byte++) {
        for (uint32_t i = 0; i < s->head.far; i++) {
            out[at++] = (uint8_t)(s->far[i] >> 8 * byte);
        }
        kiln_segments_end(segments, at);
    }
    return true;
}
