/* Axis sets as a file: the sections that the runtime opens (runtime/axes), in a container of their
 * own. */
#include "axes_file.h"

#include "../../runtime/kiln.h"
#include "../common/sha256.h"

#include <string.h>
#include <zlib.h>

#define AXES_META "{\"schema\": \"kiln-axes-meta-1\", \"kiln\": \"" KILN_VERSION_STRING "\"}"

kiln_bake_status kiln_axes_encode(const kiln_lut_axes *set, kiln_layout layout,
                                  const kiln_watch *watch, void **file, size_t *size)
{
    static const char meta[] = AXES_META;
    static const char name[] = "kiln axes key 1 " KILN_VERSION_STRING;
    const uint64_t axes_size = set->header.count * sizeof *set->axes;
    const char *zlib = zlibVersion();
    kiln_sha256 sha;
    uint8_t digest[KILN_SHA256_SIZE], key[16];
    kiln_sha256_init(&sha);
    kiln_sha256_update(&sha, name, sizeof name);
    kiln_sha256_update(&sha, zlib, strlen(zlib) + 1);
    kiln_sha256_update(&sha, &set->header, sizeof set->header);
    kiln_sha256_update(&sha, set->axes, (size_t)axes_size);
    kiln_sha256_final(&sha, digest);
    memcpy(key, digest, sizeof key);

    kiln_section_input sections[4];
    uint32_t count = 0;
    sections[count++] =
        (kiln_section_input){KILN_SECTION_AXES, &set->header, sizeof set->header, 0};
    sections[count++] = (kiln_section_input){KILN_SECTION_META, meta, sizeof meta - 1, 0};
    sections[count++] = (kiln_section_input){KILN_SECTION_AXES_VECTORS, set->axes, axes_size, 0};
    if (set->zones != NULL) {
        sections[count++] = (kiln_section_input){KILN_SECTION_AXES_ZONES, set->zones,
                                                 set->zone_count * sizeof *set->zones, 0};
    }
    return kiln_container_write(sections, count, layout, 0, key, watch, file, size, NULL);
}
