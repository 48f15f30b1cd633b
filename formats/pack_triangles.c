/* Triangles from shared edges and corners of late (after T. Rossignac's Edgebreaker and the strip
 * coders that followed: most triangles share an edge with one that came shortly before, and most
 * corners that are not on it are new). A block stands on its own: it starts without triangles. */
#include "pack.h"

/* What is left of the streams of a block. */
typedef struct {
    const uint8_t *corner, *corner_end;
    const uint8_t *far; /* byte 0 of the next distance; planes of `far_count` */
    size_t far_count, far_left;
    uint32_t next;
    kiln_triangles_recent recent;
} streams;

static bool read_corner(streams *s, uint32_t *vertex)
{
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

/* Edge code 9 b + 3 k + r: corners r and r + 1 are corners k + 1 and k of the triangle b + 1 before. */
static bool read_triangle(streams *s, uint32_t edge, const uint32_t *triangles, size_t index,
                          uint32_t triangle[3])
{
    if (edge == KILN_TRIANGLES_EDGE_NONE) {
        return read_corner(s, &triangle[0]) && read_corner(s, &triangle[1]) &&
               read_corner(s, &triangle[2]);
    }
    const uint32_t back = edge / 9, k = edge / 3 % 3, r = edge % 3;
    if (back >= index || back >= KILN_TRIANGLES_BACK) {
        return false;
    }
    const uint32_t *other = triangles + 3 * (index - 1 - back);
    triangle[r] = other[corner_after[k + 1]];
    triangle[corner_after[r + 1]] = other[k];
    return read_corner(s, &triangle[corner_after[r + 2]]);
}

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
        if (!read_triangle(&s, edges[i], triangles, i, triangles + 3 * i)) {
            return false;
        }
    }
    return s.corner == s.corner_end && s.far_left == 0;
}
