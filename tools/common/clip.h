/* Convex polygons in space, cut by planes across the axes. */
#ifndef KILN_COMMON_CLIP_H
#define KILN_COMMON_CLIP_H

/* Corners that a triangle cut by six planes can have at most: each cut adds one for every two that
 * it may drop, even were the polygon made concave by rounding. */
enum { KILN_CLIP_CORNERS = 32 };

/* Keeps of a polygon of `count` corners what has a coordinate of at most `limit` on the axis, or,
 * with sign -1, of at least that, into *kept, which is not the polygon itself, with room for 3 / 2
 * of the corners. Returns how many there are: 0 where nothing is left. New corners have exactly
 * `limit`; their other coordinates are off by at most 4 roundings of the largest coordinate. */
unsigned kiln_clip(double (*points)[3], unsigned count, unsigned axis, double sign, double limit,
                   double (*kept)[3]);

#endif
