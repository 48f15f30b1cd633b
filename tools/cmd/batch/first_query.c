#include "first_query.h"

#include "../kit/seconds.h"

#include "../../../runtime/kiln.h"

enum { TURNS = 3 };

static bool open_and_ask(const char *path, unsigned flags, double *seconds)
{
    kiln_open_options options = kiln_open_options_default();
    kiln_file *file = NULL;
    kiln_hit hit;
    options.flags = flags;
    const double start = seconds_now();
    if (kiln_open(path, &options, &file) != KILN_OK) {
        return false;
    }
    const kiln_tree *tree = kiln_file_tree(file, 0);
    const kiln_tree_info info = kiln_tree_get_info(tree);
    kiln_pose pose = {.rotation = {0, -1, 0, 1, 0, 0, 0, 0, 1}, .scale = 1};
    for (int i = 0; i < 3; i++) {
        pose.translation[i] = 0.5 * ((double)info.bounds_upper[i] - (double)info.bounds_lower[i]);
    }
    const bool asked = kiln_collide(tree, NULL, tree, &pose, NULL, &hit) == KILN_OK;
    *seconds = seconds_now() - start;
    kiln_close(file);
    return asked;
}

static bool least_of_turns(const char *path, unsigned flags, double *least)
{
    for (int i = 0; i < TURNS; i++) {
        double seconds;
        if (!open_and_ask(path, flags, &seconds)) {
            return false;
        }
        *least = i == 0 || seconds < *least ? seconds : *least;
    }
    return true;
}

bool first_query_measure(const char *path, first_query *out)
{
    return least_of_turns(path, 0, &out->verified) &&
           least_of_turns(path, KILN_OPEN_TRUSTED, &out->trusted);
}
