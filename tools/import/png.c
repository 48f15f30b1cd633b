/* Reader of height fields in PNG: grey pictures of up to 16 bits, as the file has their samples,
 * without gamma or colour profile. libpng (libpng.org) takes the file apart; what it warns of
 * becomes warnings of the bake, and its errors end the work. */
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

enum { SIDE_MOST = 1 << 24 };

typedef struct {
    kiln_reading *reading;
    uint64_t offset;
} input;

static void read_bytes(png_structp png, png_bytep to, size_t size)
{
    input *in = png_get_io_ptr(png);

    if (kiln_model_read(&in->reading->model, in->offset, to, size) != size)
        png_error(png, "it ends too early");
    in->offset += size;
}

static _Noreturn void stop(png_structp png, png_const_charp message)
{
    const input *in = png_get_error_ptr(png);

    kiln_send_failure(in->reading->sender, KILN_BAKE_INVALID,
                      "no PNG picture that can be read: %.100s; export the picture again", message);
}

static void warn(png_structp png, png_const_charp message)
{
    const input *in = png_get_error_ptr(png);

    kiln_send_warning(in->reading->sender, "of the picture libpng says: %.100s", message);
}

static _Noreturn void refuse(const kiln_reading *reading, const char *what)
{
    kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                      "%s; export heights as a grey picture of 16 bits", what);
}

void kiln_read_png(kiln_reading *reading)
{
    input in = {reading, 0};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &in, stop, warn);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    png_uint_32 columns, rows;
    int depth, colour;

    if (info == NULL)
        kiln_read_no_memory(reading);
    png_set_read_fn(png, &in, read_bytes);
    png_read_info(png, info);
    (void)png_get_IHDR(png, info, &columns, &rows, &depth, &colour, NULL, NULL, NULL);
    if (colour == PNG_COLOR_TYPE_PALETTE || (colour & PNG_COLOR_MASK_COLOR) != 0)
        refuse(reading, "a picture in colours, whose samples are no heights");
    if (columns > SIDE_MOST || rows > SIDE_MOST)
        refuse(reading, "a picture of more than 2^24 columns or rows");
    if ((colour & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0)
        kiln_send_warning(reading->sender, "what is transparent in the picture counts as heights, "
                                           "too; name a sample that is none by --hole");
    if ((colour & PNG_COLOR_MASK_ALPHA) != 0)
        png_set_strip_alpha(png);
    if (depth < 8)
        png_set_packing(png); /* a sample a byte, with its value */
    if (depth == 16)
        png_set_swap(png); /* low byte first, as kept */
    (void)png_set_interlace_handling(png);
    png_read_update_info(png, info);

    const size_t bytes = depth == 16 ? 2 : 1, row_bytes = png_get_rowbytes(png, info);
    uint8_t *image = malloc(row_bytes * rows + 1);
    png_bytepp lines = malloc(rows * sizeof *lines);
    uint16_t *line = malloc(columns * sizeof *line);

    if (image == NULL || lines == NULL || line == NULL || row_bytes < columns * bytes)
        kiln_read_no_memory(reading);
    for (png_uint_32 r = 0; r < rows; r++)
        lines[r] = image + r * row_bytes;
    png_read_image(png, lines); /* of interlaced pictures no row is whole before the last */
    png_read_end(png, NULL);
    kiln_read_grid(reading, columns, rows, depth == 16 ? UINT16_MAX : (1u << depth) - 1);
    for (png_uint_32 r = 0; r < rows; r++) {
        for (png_uint_32 c = 0; c < columns; c++)
            line[c] = depth == 16 ? (uint16_t)(lines[r][2 * c] + 256u * lines[r][2 * c + 1])
                                  : (uint16_t)lines[r][c];
        kiln_send(reading->sender, KILN_ARRAY_SAMPLES, line, columns);
    }
    png_destroy_read_struct(&png, &info, NULL);
    free(image);
    free(lines);
    free(line);
}
