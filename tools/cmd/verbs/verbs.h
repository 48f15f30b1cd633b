/* All verbs of the command. main.c lists them in the order in which --help does. */
#ifndef KILN_CMD_VERBS_H
#define KILN_CMD_VERBS_H

#include "../kit/verb.h"

extern const verb verb_bake, verb_info, verb_verify, verb_collide, verb_unpack, verb_calibrate;
extern const verb verb_diff, verb_query, verb_upgrade, verb_cache_gc, verb_plan, verb_view;
extern const verb verb_export, verb_check_mesh;
extern const verb verb_lut_axes, verb_lut_bins, verb_lut_check, verb_lut_show;

#endif
