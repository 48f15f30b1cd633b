/* The table of builders, and what they share. */
#include "split.h"

#include <string.h>

static const kiln_builder builders[] = {
    {"sah", {kiln_split_sah, kiln_split_sah_wide}, {kiln_split_oriented, NULL}},
    {"median", {kiln_split_median, NULL}, {kiln_split_median, NULL}},
};

const kiln_builder *kiln_builder_find(const char *name)
{
    for (size_t i = 0; i < sizeof builders / sizeof builders[0]; i++) {
        if (strcmp(builders[i].name, name) == 0) {
            return &builders[i];
        }
    }
    return NULL;
}

void kiln_centres_measure(const kiln_record *records, uint32_t count, kiln_centres *centres)
{
    for (unsigned k = 0; k < 3; k++) {
        centres->lower[k] = centres->upper[k] = kiln_record_centre(&records[0], k);
    }
    for (uint32_t i = 1; i < count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            const double c = kiln_record_centre(&records[i], k);
            centres->lower[k] = c < centres->lower[k] ? c : centres->lower[k];
            centres->upper[k] = c > centres->upper[k] ? c : centres->upper[k];
        }
    }
}

void kiln_centres_join(kiln_centres *centres, const kiln_centres *other)
{
    for (unsigned k = 0; k < 3; k++) {
        centres->lower[k] =
            other->lower[k] < centres->lower[k] ? other->lower[k] : centres->lower[k];
        centres->upper[k] =
            other->upper[k] > centres->upper[k] ? other->upper[k] : centres->upper[k];
    }
}
