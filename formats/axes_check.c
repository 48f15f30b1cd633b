/* The verifier of axis sets, whose theorem is in axes_check.h.
 *
 * Sections are named and their sizes compared first, for trusted files, too; then the axes, and
 * last the masks. Offsets in errors are as those of check.c. */
#include "axes_check.h"

#include "assert.h"
#include "sections.h"

#include <string.h>

static bool error_in_axes(const kiln_reader *reader, uint32_t kind, uint32_t rule, uint64_t byte,
                          kiln_format_error *error)
{
    const uint32_t section = kiln_reader_find(reader, kind, 0);
    KILN_ASSERT(section < reader->section_count);
    const kiln_format_section *entry = &reader->sections[section].entry;
    const uint64_t at = entry->codec == KILN_CODEC_RAW ? entry->offset + byte : byte;
    return kiln_format_error_rule(error, rule, at, kiln_section_kind_find(entry->kind)->name);
}

/* The header section alone decides, so that damaged sets are reported as sets. */
bool kiln_axes_is_set(const kiln_reader *reader)
{
    return kiln_reader_find(reader, KILN_SECTION_AXES, 0) != KILN_NO_INDEX;
}

/* A set has one header, its axes, one document, perhaps a table, and no section of anything else.
 */
static bool check_axes_kinds(const kiln_reader *reader, kiln_format_error *error)
{
    bool sound = true;
    for (unsigned i = 0; i < kiln_section_kind_count; i++) {
        const uint32_t kind = kiln_section_kinds[i].kind;
        const bool once = kind == KILN_SECTION_AXES || kind == KILN_SECTION_AXES_VECTORS ||
                          kind == KILN_SECTION_META;
        const uint32_t first = kiln_reader_find(reader, kind, 0);
        const bool twice =
            first != KILN_NO_INDEX && kiln_reader_find(reader, kind, first + 1) != KILN_NO_INDEX;
        const bool may_be = once || kind == KILN_SECTION_AXES_ZONES;
        sound = sound && !twice && (first == KILN_NO_INDEX ? !once : may_be);
    }
    if (!sound) {
        return kiln_format_error_rule(error, KILN_RULE_SECTION_ONCE, sizeof(kiln_format_header),
                                      "axis set");
    }
    return true;
}

/* A NaN fails the comparisons. */
static bool axes_header_is_sound(const kiln_format_axes *header)
{
    return header->count >= 3 && header->count <= KILN_AXES_COUNT_MAX &&
           header->points >= header->count &&
           (header->kind == KILN_AXES_SPHERICAL || header->kind == KILN_AXES_ANTIPODAL) &&
           header->zone_cells <= KILN_AXES_ZONE_CELLS_MAX && header->radius > 0.0 &&
           header->radius <= 1.6 && header->sine > 0.0 && header->sine <= 1.0 &&
           header->zone_sine >= header->sine && header->zone_sine <= 1.0;
}

static bool check_axes_header(kiln_axes_view *view, kiln_format_error *error)
{
    const kiln_reader *reader = view->reader;
    const kiln_reader_section *section =
        &reader->sections[kiln_reader_find(reader, KILN_SECTION_AXES, 0)];
    const kiln_format_axes *header = (const kiln_format_axes *)section->data;
    view->header = header;
    if (section->count != 1 || !axes_header_is_sound(header)) {
        return error_in_axes(reader, KILN_SECTION_AXES, KILN_RULE_AXES_HEADER, 0, error);
    }
    uint32_t any = 0;
    for (unsigned i = 0; i < sizeof header->reserved / sizeof header->reserved[0]; i++) {
        any |= header->reserved[i];
    }
    return any == 0 || error_in_axes(reader, KILN_SECTION_AXES, KILN_RULE_RESERVED, 0, error);
}

/* Names axes, table and document, and compares their sizes with the header. */
static bool name_axes_sections(kiln_axes_view *view, kiln_format_error *error)
{
    const kiln_reader *reader = view->reader;
    const kiln_format_axes *header = view->header;
    const kiln_reader_section *axes =
        &reader->sections[kiln_reader_find(reader, KILN_SECTION_AXES_VECTORS, 0)];
    const uint32_t zones = kiln_reader_find(reader, KILN_SECTION_AXES_ZONES, 0);
    const uint64_t cells = (uint64_t)3 * header->zone_cells * header->zone_cells;
    if (axes->count != header->count) {
        return error_in_axes(reader, KILN_SECTION_AXES_VECTORS, KILN_RULE_COUNTS, 0, error);
    }
    if ((zones == KILN_NO_INDEX ? 0 : reader->sections[zones].count) !=
            cells * kiln_axes_mask_words(header->count) ||
        (zones != KILN_NO_INDEX && cells == 0)) {
        return error_in_axes(reader, KILN_SECTION_AXES, KILN_RULE_COUNTS, 0, error);
    }
    view->axes = (const double(*)[3])(const void *)axes->data;
    if (zones != KILN_NO_INDEX) {
        view->zones = (const uint64_t *)(const void *)reader->sections[zones].data;
    }
    const uint32_t meta = kiln_reader_find(reader, KILN_SECTION_META, 0);
    view->meta = (const char *)reader->sections[meta].data;
    view->meta_size = reader->sections[meta].count;
    return true;
}

/* Whole multiples of 2^-53 from -1 to 1, of length 1: a square within 2^-49 of 1, as computed
 * within 2^-51, has a root within 2^-49. A NaN and an infinity fail the first comparison. */
static bool check_axes_vectors(const kiln_axes_view *view, kiln_format_error *error)
{
    for (uint32_t i = 0; i < view->header->count; i++) {
        const double *axis = view->axes[i];
        double square = 0.0;
        bool sound = true;
        for (unsigned j = 0; j < 3 && sound; j++) {
            sound = fabs(axis[j]) <= 1.0 && axis[j] * 0x1p53 == floor(axis[j] * 0x1p53);
            square += axis[j] * axis[j];
        }
        if (!sound || fabs(square - 1.0) > 0x1p-49) {
            return error_in_axes(view->reader, KILN_SECTION_AXES_VECTORS, KILN_RULE_AXIS,
                                 i * sizeof *view->axes, error);
        }
    }
    return true;
}

/* Masks whose bits are all of axes, and at least one. */
static bool check_axes_zones(const kiln_axes_view *view, kiln_format_error *error)
{
    const kiln_format_axes *header = view->header;
    const uint32_t words = kiln_axes_mask_words(header->count);
    const uint64_t cells = (uint64_t)3 * header->zone_cells * header->zone_cells;
    const uint64_t beyond = header->count % 64 == 0 ? 0 : ~UINT64_C(0) << header->count % 64;
    for (uint64_t cell = 0; cell < cells; cell++) {
        const uint64_t *mask = view->zones + cell * words;
        uint64_t any = 0;
        for (uint32_t word = 0; word < words; word++) {
            any |= mask[word];
        }
        if (any == 0 || (mask[words - 1] & beyond) != 0) {
            return error_in_axes(view->reader, KILN_SECTION_AXES_ZONES, KILN_RULE_ZONE,
                                 cell * words * sizeof *mask, error);
        }
    }
    return true;
}

bool kiln_axes_view_open(kiln_axes_view *view, const kiln_reader *reader, bool trusted,
                         kiln_format_error *error)
{
    memset(view, 0, sizeof *view);
    view->reader = reader;
    if (!kiln_axes_is_set(reader)) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_NOT_LOADED, 0,
                                     "this is no axis set: kiln_open reads models");
    }
    if (!check_axes_kinds(reader, error) || !check_axes_header(view, error) ||
        !name_axes_sections(view, error)) {
        return false;
    }
    return trusted || (check_axes_vectors(view, error) && check_axes_zones(view, error));
}
