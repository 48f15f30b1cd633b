/* Checks weights of counted queries: rows of kinds of trees, ascending, with numbers in
 * range. Rows whose meaning is not known are kept within the range that all meanings share, and
 * otherwise left alone, so that later versions may add some. Offsets in errors are as those of
 * check.c. */
#include "weights.h"

#include "node_kinds.h"
#include "sections.h"

/* Models and tables may carry weights too; a file of weights is one that is neither. */
bool kiln_weights_is_file(const kiln_reader *reader)
{
    return kiln_reader_find(reader, KILN_SECTION_ADB_WEIGHTS, 0) != KILN_NO_INDEX &&
           kiln_reader_find(reader, KILN_SECTION_TREES, 0) == KILN_NO_INDEX &&
           kiln_reader_find(reader, KILN_SECTION_BINS, 0) == KILN_NO_INDEX &&
           kiln_reader_find(reader, KILN_SECTION_AXES, 0) == KILN_NO_INDEX;
}

/* Comparisons with both bounds refuse a NaN as well. What only known rows promise comes last. */
bool kiln_weights_are_sound(const kiln_format_adb_weights *row)
{
    bool sound = kiln_node_kind_find(row->bv) != NULL && row->leaf_max >= 1 &&
                 row->leaf_max <= KILN_LEAF_TRIANGLES_MAX && row->meaning != 0;
    for (unsigned i = 0; i < KILN_ADB_WEIGHTS_ROOM; i++) {
        sound = sound && row->weight[i] >= -KILN_ADB_WEIGHT_MAX &&
                row->weight[i] <= KILN_ADB_WEIGHT_MAX;
    }
    if (kiln_weights_are_known(row)) {
        const float others = row->weight[KILN_ADB_WEIGHT_OTHERS];
        sound =
            sound && others >= 0.0f && others <= 1.0f && row->weight[KILN_ADB_WEIGHT_SURE] > -1.0f;
    }
    return sound;
}

/* Rows ascend by kind of tree, then by size of leaves. */
static uint32_t rank_of(const kiln_format_adb_weights *row)
{
    return (uint32_t)row->bv << 16 | row->leaf_max;
}

/* A section that is missing, or was not wanted, gives a view without rows, which is no error:
 * queries then use the weights of the library. */
bool kiln_weights_view_open(kiln_weights_view *view, const kiln_reader *reader,
                            kiln_format_error *error)
{
    const uint32_t index = kiln_reader_find(reader, KILN_SECTION_ADB_WEIGHTS, 0);
    *view = (kiln_weights_view){NULL, 0};
    if (index == KILN_NO_INDEX || reader->sections[index].data == NULL) {
        return true;
    }
    const kiln_reader_section *section = &reader->sections[index];
    const kiln_format_adb_weights *rows = (const kiln_format_adb_weights *)section->data;
    const uint64_t start = section->entry.codec == KILN_CODEC_RAW ? section->entry.offset : 0;
    for (uint64_t i = 0; i < section->count; i++) {
        const uint64_t at = start + i * sizeof *rows;
        if (!kiln_weights_are_sound(&rows[i]) || i >= KILN_ADB_WEIGHTS_ROWS_MAX ||
            (i > 0 && rank_of(&rows[i]) <= rank_of(&rows[i - 1]))) {
            return kiln_format_error_rule(error, KILN_RULE_ADB_WEIGHTS, at, "weights");
        }
        bool rest_is_zero = rows[i].reserved == 0;
        for (unsigned k = kiln_weights_numbers(&rows[i]); k < KILN_ADB_WEIGHTS_ROOM; k++) {
            rest_is_zero =
                rest_is_zero && (!kiln_weights_are_known(&rows[i]) || rows[i].weight[k] == 0.0f);
        }
        if (!rest_is_zero) {
            return kiln_format_error_rule(error, KILN_RULE_RESERVED, at, "weights");
        }
    }
    *view = (kiln_weights_view){rows, (uint32_t)section->count};
    return true;
}

/* In a file of weights every other section but its document is refused. */
bool kiln_weights_file_open(kiln_weights_view *view, const kiln_reader *reader,
                            kiln_format_error *error)
{
    for (unsigned i = 0; i < kiln_section_kind_count; i++) {
        const uint32_t kind = kiln_section_kinds[i].kind;
        const bool once = kind == KILN_SECTION_ADB_WEIGHTS || kind == KILN_SECTION_META;
        const uint32_t first = kiln_reader_find(reader, kind, 0);
        if ((first != KILN_NO_INDEX) != once ||
            (once && kiln_reader_find(reader, kind, first + 1) != KILN_NO_INDEX)) {
            return kiln_format_error_rule(error, KILN_RULE_SECTION_ONCE, sizeof(kiln_format_header),
                                          "file of weights");
        }
    }
    return kiln_weights_view_open(view, reader, error);
}
