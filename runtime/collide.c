/* Do two surfaces meet? The first pair of triangles found is the witness. */
#include "pair_walk.h"

static bool take_first(void *user, kiln_pair pair)
{
    kiln_hit *hit = user;
    hit->found = true;
    hit->pair = pair;
    return false;
}

kiln_status kiln_collide(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                         const kiln_pose *pose_b, kiln_hit *hit)
{
    if (hit == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_hit found = {false, {0, 0}};
    const kiln_pair_visitor visitor = {take_first, &found, true};
    const kiln_status status = kiln_pair_walk(a, pose_a, b, pose_b, &visitor);
    if (status == KILN_OK) {
        *hit = found;
    }
    return status;
}
