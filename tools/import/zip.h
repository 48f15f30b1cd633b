/* Archives of ZIP in which some formats pack a model: the list of their files, and the bytes of
 * one. */
#ifndef KILN_IMPORT_ZIP_H
#define KILN_IMPORT_ZIP_H

#include "reader.h"

typedef struct {
    char *name;            /* as the archive has it; no zero byte, no other of that name */
    uint64_t packed, size; /* bytes in the archive, bytes of the file */
    uint64_t offset;       /* of its local header in the model */
    uint32_t crc;
    unsigned method, flags;
} kiln_zip_entry;

typedef struct {
    kiln_reading *reading;
    kiln_zip_entry *entries; /* by name, whatever the case of ASCII letters */
    size_t count;
} kiln_zip;

/* Do the model's first bytes say that it is an archive? */
bool kiln_zip_is(const kiln_model *model);

/* Reads the list. Ends the work where the archive is broken or is of a kind that is not read. The
 * zip stands where it is until kiln_zip_close. */
void kiln_zip_open(kiln_zip *zip, kiln_reading *reading);
void kiln_zip_close(kiln_zip *zip);

/* The file of that name, whatever the case of ASCII letters; NULL: there is none. */
const kiln_zip_entry *kiln_zip_find(const kiln_zip *zip, const char *name);

/* Gets the bytes of a file in their order, and a last time with size 0. False: it wants no more. */
typedef bool kiln_zip_receive(void *user, const void *data, size_t size);

/* Hands out the bytes of a file, unpacked, piece by piece. Ends the work where they are not those
 * that the list declares: their number and their CRC-32 are checked, the latter after the last
 * piece and before the last call. */
void kiln_zip_read(const kiln_zip *zip, const kiln_zip_entry *entry, kiln_zip_receive *receive,
                   void *user);

/* All bytes of a file at once, with a zero behind them, for free(). One that is larger than the
 * limit of memory ends the work before anything is unpacked. */
uint8_t *kiln_zip_load(const kiln_zip *zip, const kiln_zip_entry *entry);

#endif
