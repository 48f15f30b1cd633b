/* The verifier of filled-bins tables, whose theorem is in bins_check.h.
 *
 * Sections are named and their sizes compared first, for trusted files, too; then the rows, in
 * the order of u and v: each continues, in every segment, where the row before it ended, so
 * that the rows tile the records; and last the values, which are probabilities that do not rise
 * with x. Offsets in errors are as those of check.c. */
#include "bins_check.h"

#include "assert.h"
#include "sections.h"
#include "weights.h"

static bool error_in(const kiln_reader *reader, uint32_t section, uint32_t rule, uint64_t byte,
                     kiln_format_error *error)
{
    KILN_ASSERT(section < reader->section_count);
    const kiln_format_section *entry = &reader->sections[section].entry;
    const uint64_t at = entry->codec == KILN_CODEC_RAW ? entry->offset + byte : byte;
    return kiln_format_error_rule(error, rule, at, kiln_section_kind_find(entry->kind)->name);
}

/* The number of sections of a kind. Sections of values come once for each x. */
static uint32_t count_of_kind(const kiln_reader *reader, uint32_t kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->section_count; i++) {
        count += reader->sections[i].entry.kind == kind;
    }
    return count;
}

/* The header section alone decides, so that damaged tables are reported as tables. */
bool kiln_bins_is_table(const kiln_reader *reader)
{
    return kiln_reader_find(reader, KILN_SECTION_BINS, 0) != KILN_NO_INDEX;
}

/* -------------------------------------------------------------------------------- the header -- */

/* A table has one header, one section of rows, one document, at most one section of weights, and no
 * section of a model. */
static bool check_bins_kinds(const kiln_reader *reader, kiln_format_error *error)
{
    bool sound = true;
    for (unsigned i = 0; i < kiln_section_kind_count; i++) {
        const uint32_t kind = kiln_section_kinds[i].kind;
        const uint32_t count = count_of_kind(reader, kind);
        const bool values = kind == KILN_SECTION_BINS_FLOATS || kind == KILN_SECTION_BINS_COUNTS;
        const bool once = kind == KILN_SECTION_BINS || kind == KILN_SECTION_BINS_ROWS ||
                          kind == KILN_SECTION_META;
        const bool may_be = kind == KILN_SECTION_ADB_WEIGHTS && count == 1;
        sound = sound && (values || may_be || count == (once ? 1u : 0u));
    }
    if (!sound) {
        return kiln_format_error_rule(error, KILN_RULE_SECTION_ONCE, sizeof(kiln_format_header),
                                      "filled-bins table");
    }
    return true;
}

/* A NaN fails both comparisons. */
static bool is_probability(double value)
{
    return value >= 0.0 && value <= 1.0;
}

static bool header_is_sound(const kiln_format_bins *header)
{
    /* The factor of stored numbers follows from profile and rounding. */
    const double unit = header->profile == KILN_BINS_EXACT   ? 1.0
                        : header->rounding == KILN_BINS_DOWN ? 1.0 / 65536.0
                                                             : 1.0 / 65535.0;
    return (header->profile == KILN_BINS_EXACT || header->profile == KILN_BINS_COMPACT) &&
           header->rounding <= KILN_BINS_DOWN && header->max_u >= 1 &&
           header->max_u <= KILN_BINS_TABLE_U_MAX && header->max_x >= 1 &&
           header->max_x <= KILN_BINS_TABLE_X_MAX &&
           header->row_size == kiln_bins_row_size(header->max_x) && header->unit == unit &&
           is_probability(header->cut) && is_probability(header->certificate_kept) &&
           is_probability(header->certificate_beyond);
}

static bool check_header_section(kiln_bins_view *view, kiln_format_error *error)
{
    const uint32_t index = kiln_reader_find(view->reader, KILN_SECTION_BINS, 0);
    KILN_ASSERT(index != KILN_NO_INDEX);
    const kiln_reader_section *section = &view->reader->sections[index];
    const kiln_format_bins *header = (const kiln_format_bins *)section->data;
    view->header = header;
    if (section->count != 1 || !header_is_sound(header)) {
        return error_in(view->reader, index, KILN_RULE_BINS_HEADER, 0, error);
    }
    /* What is not used is 0. */
    uint64_t any = header->reserved0;
    for (uint32_t x = header->max_x; x < KILN_BINS_TABLE_X_MAX; x++) {
        any |= header->kept[x];
    }
    for (unsigned i = 0; i < sizeof header->reserved / sizeof header->reserved[0]; i++) {
        any |= header->reserved[i];
    }
    return any == 0 || error_in(view->reader, index, KILN_RULE_RESERVED, 0, error);
}

/* ------------------------------------------------------------------------------ the sections -- */

/* Exact tables hold floats, compact ones numbers of 16 bits. */
static uint32_t values_kind(const kiln_bins_view *view)
{
    return view->header->profile == KILN_BINS_EXACT ? KILN_SECTION_BINS_FLOATS
                                                    : KILN_SECTION_BINS_COUNTS;
}

/* Names rows, values and the document, and compares their sizes with the header. */
static bool name_bins_sections(kiln_bins_view *view, kiln_format_error *error)
{
    const kiln_reader *reader = view->reader;
    const uint32_t max_x = view->header->max_x;
    const uint32_t rows = kiln_reader_find(reader, KILN_SECTION_BINS_ROWS, 0);
    if (reader->sections[rows].entry.element_size != view->header->row_size) {
        return error_in(reader, rows, KILN_RULE_SECTION_SIZE, 0, error);
    }
    if (reader->sections[rows].count != kiln_bins_row_index(view->header->max_u + 1, 1)) {
        return error_in(reader, rows, KILN_RULE_COUNTS, 0, error);
    }
    view->rows = (const uint8_t *)reader->sections[rows].data;

    /* There is a section of values for each x, whose records are shorter by one value than those of
     * the section before. */
    const uint32_t kind = values_kind(view);
    const uint32_t all = count_of_kind(reader, KILN_SECTION_BINS_FLOATS) +
                         count_of_kind(reader, KILN_SECTION_BINS_COUNTS);
    if (all != max_x || count_of_kind(reader, kind) != max_x) {
        return kiln_format_error_rule(error, KILN_RULE_SECTION_ONCE, sizeof(kiln_format_header),
                                      "filled-bins table");
    }
    uint32_t index = KILN_NO_INDEX; /* + 1 is 0 */
    for (uint32_t k = 0; k < max_x; k++) {
        index = kiln_reader_find(reader, kind, index + 1);
        KILN_ASSERT(index < reader->section_count);
        const kiln_reader_section *section = &reader->sections[index];
        const uint32_t lanes = max_x - k;
        if (section->entry.element_size != lanes * kiln_bins_value_size(view->header->profile)) {
            return error_in(reader, index, KILN_RULE_SECTION_SIZE, 0, error);
        }
        if (section->count > UINT32_MAX) {
            return error_in(reader, index, KILN_RULE_COUNTS, 0, error);
        }
        view->records[k] = section->data;
        view->record_counts[k] = section->count;
    }
    const uint32_t meta = kiln_reader_find(reader, KILN_SECTION_META, 0);
    view->meta = (const char *)reader->sections[meta].data;
    view->meta_size = reader->sections[meta].count;
    return true;
}

/* ------------------------------------------------------------------------------ the contents -- */

/* Lengths rise with x from 1 to at most `longest`; each segment starts where the row before left
 * off its section, which `used` counts. */
static bool row_tiles(const kiln_bins_view *view, const kiln_bins_row *row, uint32_t longest,
                      uint64_t *used)
{
    uint32_t before = 0;
    for (uint32_t k = 0; k < view->header->max_x; k++) {
        const uint32_t length = row->length[k];
        KILN_ASSERT(used[k] <= view->record_counts[k]);
        if (length < before || length == 0 || length > longest ||
            row->first[k] + before != (uint32_t)used[k] ||
            length - before > view->record_counts[k] - used[k]) {
            return false;
        }
        used[k] += length - before;
        before = length;
    }
    return true;
}

/* Rows tile the records of every segment: each begins where the row before it ended. `used` counts
 * the records of each segment that rows have taken so far. */
static bool check_rows(const kiln_bins_view *view, kiln_format_error *error)
{
    const uint32_t section = kiln_reader_find(view->reader, KILN_SECTION_BINS_ROWS, 0);
    uint64_t used[KILN_BINS_TABLE_X_MAX] = {0}, index = 0;
    for (uint32_t u = 1; u <= view->header->max_u; u++) {
        for (uint32_t v = 1; v <= u; v++, index++) {
            const kiln_bins_row row = kiln_bins_view_row(view, index);
            const uint64_t at = index * view->header->row_size;
            if (!row_tiles(view, &row, u - v + 1, used)) {
                return error_in(view->reader, section, KILN_RULE_BINS_ROW, at, error);
            }
            uint8_t rest = 0; /* the bytes after the lengths */
            for (uint32_t i = 6 * view->header->max_x; i < view->header->row_size; i++) {
                rest |= view->rows[at + i];
            }
            if (rest != 0) {
                return error_in(view->reader, section, KILN_RULE_RESERVED, at, error);
            }
        }
    }
    uint64_t kept = 0;
    for (uint32_t k = 0; k < view->header->max_x; k++) {
        kept += used[k]; /* records of segment k and before are those that x = k + 1 is not in */
        if (used[k] != view->record_counts[k]) {
            return error_in(view->reader, section, KILN_RULE_BINS_ROW, 0, error);
        }
        if (kept != view->header->kept[k]) {
            return error_in(view->reader, kiln_reader_find(view->reader, KILN_SECTION_BINS, 0),
                            KILN_RULE_BINS_HEADER, 0, error);
        }
    }
    return true;
}

/* The bits of a float that is not negative rise with it; one is the largest allowed. The bits of
 * NaN, infinities and negative numbers, -0 among them, are above those of one. */
static bool floats_are_sound(const void *values, uint64_t records, uint32_t lanes)
{
    const uint8_t *bytes = (const uint8_t *)values;
    uint32_t bad = 0;
    for (uint64_t i = 0; i < records; i++) {
        uint32_t before = 0x3F800000u;
        for (uint32_t lane = 0; lane < lanes; lane++, bytes += 4) {
            uint32_t value;
            memcpy(&value, bytes, sizeof value);
            bad |= value > before;
            before = value;
        }
    }
    return bad == 0;
}

/* The same check as in floats_are_sound for the 16-bit numbers of a compact table, all of which are
 * in range. */
static bool counts_are_sound(const void *values, uint64_t records, uint32_t lanes)
{
    const uint16_t *counts = (const uint16_t *)values;
    uint32_t bad = 0;
    for (uint64_t i = 0; i < records; i++) {
        uint16_t before = UINT16_MAX;
        for (uint32_t lane = 0; lane < lanes; lane++, counts++) {
            bad |= *counts > before;
            before = *counts;
        }
    }
    return bad == 0;
}

/* Every record holds probabilities that do not rise with x. */
static bool check_values(const kiln_bins_view *view, kiln_format_error *error)
{
    uint32_t section = KILN_NO_INDEX;
    for (uint32_t k = 0; k < view->header->max_x; k++) {
        const uint32_t lanes = view->header->max_x - k;
        section = kiln_reader_find(view->reader, values_kind(view), section + 1);
        const bool sound = view->header->profile == KILN_BINS_EXACT
                               ? floats_are_sound(view->records[k], view->record_counts[k], lanes)
                               : counts_are_sound(view->records[k], view->record_counts[k], lanes);
        if (!sound) {
            return error_in(view->reader, section, KILN_RULE_BINS_VALUE, 0, error);
        }
    }
    return true;
}

bool kiln_bins_view_open(kiln_bins_view *view, const kiln_reader *reader, bool trusted,
                         kiln_format_error *error)
{
    memset(view, 0, sizeof *view);
    view->reader = reader;
    if (!kiln_bins_is_table(reader)) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_NOT_LOADED, 0,
                                     "this is no filled-bins table: kiln_open reads models");
    }
    if (!check_bins_kinds(reader, error) || !check_header_section(view, error) ||
        !name_bins_sections(view, error) ||
        !kiln_weights_view_open(&view->weights, reader, error)) {
        return false;
    }
    return trusted || (check_rows(view, error) && check_values(view, error));
}
