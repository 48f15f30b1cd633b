/* Readers of height fields.
 *
 * PGM is the grey picture of Netpbm (its manual pages pgm(5)): a magic number, P5 for bytes and P2
 * for decimals, columns, rows and the greatest sample in decimals, one blank, and the samples of
 * the rows from the top; of 16 bits the high byte comes first. "#" begins a comment in the header
 * and between decimals. R16 has nothing but samples of 16 bits, low byte first, as World Machine,
 * Unreal and others write. */
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "reader.h"

enum { BLOCK = 1 << 16, SIDE_MOST = 1 << 24 };

void kiln_read_grid(kiln_reading *reading, uint32_t columns, uint32_t rows, uint32_t greatest)
{
    const kiln_scene_grid grid = {columns, rows, greatest};

    kiln_send(reading->sender, KILN_ARRAY_GRID, &grid, 1);
}

/* The bytes of a model one after the other. */
typedef struct {
    kiln_reading *reading;
    uint64_t offset; /* of the next block */
    size_t at, have;
    uint8_t block[BLOCK];
} bytes;

/* -1: the end. */
static int next_byte(bytes *b)
{
    if (b->at == b->have) {
        b->have = kiln_model_read(&b->reading->model, b->offset, b->block, BLOCK);
        b->offset += b->have;
        b->at = 0;
    }
    return b->have == 0 ? -1 : b->block[b->at++];
}

static _Noreturn void fail(const bytes *b, const char *what)
{
    kiln_send_failure(b->reading->sender, KILN_BAKE_INVALID, "%s; export the picture again", what);
}

static bool is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A decimal behind blanks and comments, with the one byte after it. */
static uint32_t next_decimal(bytes *b, const char *what)
{
    uint32_t value = 0;
    int c = next_byte(b);

    while (is_blank(c) || c == '#') {
        for (bool comment = c == '#'; comment && c != '\n' && c != '\r' && c != -1;)
            c = next_byte(b);
        c = next_byte(b);
    }
    if (c < '0' || c > '9')
        fail(b, what);
    for (; c >= '0' && c <= '9'; c = next_byte(b)) {
        value = value * 10 + (uint32_t)(c - '0');
        if (value > SIDE_MOST)
            fail(b, what);
    }
    if (c == '#') /* ends a decimal as a blank does */
        while (c != '\n' && c != '\r' && c != -1)
            c = next_byte(b);
    else if (!is_blank(c) && c != -1)
        fail(b, what);
    return value;
}

/* Sends samples in blocks. */
typedef struct {
    kiln_sender *sender;
    size_t count;
    uint16_t samples[BLOCK / 2];
} row_block;

static void flush(row_block *r)
{
    kiln_send(r->sender, KILN_ARRAY_SAMPLES, r->samples, r->count);
    r->count = 0;
}

static void add_sample(row_block *r, uint32_t sample)
{
    r->samples[r->count++] = (uint16_t)sample;
    if (r->count == BLOCK / 2)
        flush(r);
}

void kiln_read_pgm(kiln_reading *reading)
{
    bytes *b = calloc(1, sizeof *b);
    row_block *out = calloc(1, sizeof *out);
    uint32_t columns, rows, greatest;
    bool plain;
    int magic;

    if (b == NULL || out == NULL)
        kiln_read_no_memory(reading);
    b->reading = reading;
    out->sender = reading->sender;
    if (next_byte(b) != 'P' || ((magic = next_byte(b)) != '2' && magic != '5'))
        fail(b, "no PGM picture: it begins with neither P5 nor P2");
    plain = magic == '2';
    columns = next_decimal(b, "the header of the picture has no width up to 2^24");
    rows = next_decimal(b, "the header of the picture has no height up to 2^24");
    greatest = next_decimal(b, "the header of the picture has no greatest sample");
    if (greatest == 0 || greatest > UINT16_MAX)
        fail(b, "the greatest sample of the picture is not from 1 to 65535");
    if (columns == 0 || rows == 0)
        fail(b, "the picture has no samples");
    kiln_read_grid(reading, columns, rows, greatest);
    for (uint64_t i = 0; i < (uint64_t)columns * rows; i++) {
        uint32_t sample;

        if (plain) {
            sample = next_decimal(b, "a sample of the picture is missing, or no decimal");
        } else {
            const int first = next_byte(b), second = greatest > UINT8_MAX ? next_byte(b) : 0;

            if (first < 0 || second < 0)
                fail(b, "the picture ends within its samples");
            sample =
                greatest > UINT8_MAX ? (uint32_t)first << 8 | (uint32_t)second : (uint32_t)first;
        }
        if (sample > greatest)
            fail(b, "a sample of the picture is above the greatest that its header says");
        add_sample(out, sample);
    }
    flush(out);
    /* A file may hold pictures one after the other, and texts end with blanks. */
    for (int c = next_byte(b); c != -1; c = next_byte(b))
        if (!is_blank(c)) {
            kiln_send_warning(reading->sender,
                              "more follows the samples, perhaps a second picture, which is not "
                              "read");
            break;
        }
    free(out);
    free(b);
}

void kiln_read_r16(kiln_reading *reading)
{
    bytes *b = calloc(1, sizeof *b);
    row_block *out = calloc(1, sizeof *out);

    if (b == NULL || out == NULL)
        kiln_read_no_memory(reading);
    b->reading = reading;
    out->sender = reading->sender;
    if (reading->model.size == 0)
        fail(b, "no samples");
    if (reading->model.size % 2 != 0)
        fail(b, "an odd number of bytes, where each sample has two");
    kiln_read_grid(reading, 0, 0, UINT16_MAX);
    for (uint64_t i = 0; i < reading->model.size / 2; i++) {
        const int low = next_byte(b), high = next_byte(b);

        if (low < 0 || high < 0)
            fail(b, "it can't be read to its end");
        add_sample(out, (uint32_t)low | (uint32_t)high << 8);
    }
    flush(out);
    free(out);
    free(b);
}
