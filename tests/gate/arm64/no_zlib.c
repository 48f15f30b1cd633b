/* What the runtime calls of zlib, for machines that a cross-compiler has no zlib for: raw files
 * opened trusted need none of it. */
#include <stdlib.h>
#include <zlib.h>

uLong crc32_z(uLong crc, const Bytef *bytes, z_size_t size)
{
    crc = ~crc & 0xFFFFFFFFu; /* PNG specification, annex D */
    for (z_size_t i = 0; bytes != NULL && i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
        }
    }
    return bytes == NULL ? 0 : ~crc & 0xFFFFFFFFu;
}

int inflateInit2_(z_streamp stream, int bits, const char *version, int size)
{
    (void)stream;
    (void)bits;
    (void)version;
    (void)size;
    abort();
}

int inflate(z_streamp stream, int flush)
{
    (void)stream;
    (void)flush;
    abort();
}

int inflateEnd(z_streamp stream)
{
    (void)stream;
    abort();
}
