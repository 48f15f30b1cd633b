/* A library that was built with KILN_NO_ZLIB: prints what becomes of each file, opened from disk
 * and as it arrives; and holds its checksums against zlib's, which only this program links. */
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "../../../formats/codec.h"
#include "../../../runtime/kiln.h"

static bool checksums_are_zlibs(void)
{
    static unsigned char bytes[5000];
    unsigned state = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        state = state * 1103515245u + 12345u;
        bytes[i] = (unsigned char)(state >> 16);
    }
    for (size_t size = 0; size < sizeof bytes - 8; size++) {
        const unsigned char *from = bytes + size % 8;
        const uint32_t wanted = (uint32_t)crc32(0, from, (uInt)size);
        const size_t half = size / 3;
        if (kiln_crc32(from, size) != wanted ||
            kiln_crc32_continue(kiln_crc32(from, half), from + half, size - half) != wanted) {
            return false;
        }
    }
    return true;
}

static kiln_status arrives(const char *path)
{
    static unsigned char bytes[1 << 20];
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        exit(2);
    }
    const size_t size = fread(bytes, 1, sizeof bytes, stream);
    (void)fclose(stream);
    kiln_file *file = NULL;
    kiln_status status = kiln_open_partial(bytes, size / 2, NULL, &file);
    if (status == KILN_OK) {
        status = kiln_file_advance(file, bytes, size, NULL);
    }
    kiln_close(file);
    return status;
}

int main(int count, char **names)
{
    for (int i = 1; i < count; i++) {
        kiln_file *file = NULL;
        kiln_error error = {KILN_OK, 0, 0, ""};
        kiln_open_options options = kiln_open_options_default();
        options.error = &error;
        const kiln_status status = kiln_open(names[i], &options, &file);
        (void)printf("%d, arriving %d: %s\n", (int)status, (int)arrives(names[i]), error.message);
        kiln_close(file);
    }
    (void)printf("checksums %s\n", checksums_are_zlibs() ? "are those of zlib" : "differ");
    return 0;
}
